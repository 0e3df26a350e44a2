"""Values in cells: lists, people, what stands for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats.cells import commas_divide, glued_people, is_database, is_missing, listed, parts, people


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        ("Marx, Karl; Lindgren, Astrid", ["Marx, Karl", "Lindgren, Astrid"]),  # Zotero, Dimensions, Web of Science
        ("Marx, Karl;; Lindgren, Astrid; ", ["Marx, Karl", "Lindgren, Astrid"]),  # Lens, Google Scholar
        ("Marx, Karl (57190000001); Lindgren, Astrid (7004000002)", ["Marx, Karl", "Lindgren, Astrid"]),  # Scopus
        ("Marx K., Lindgren A.B., van der Berg J.", ["Marx K.", "Lindgren A.B.", "van der Berg J."]),  # Scopus until 2022, Embase
        ("Smith A, Walter BC, The ATLAS Collaboration", ["Smith A", "Walter BC", "The ATLAS Collaboration"]),  # PubMed
        ("Lim SM, Lau Y.", ["Lim SM", "Lau Y."]),
        ("Marx, K., Lindgren, A.-B.", ["Marx, K.", "Lindgren, A.-B."]),
        ("K. Marx; A. Lindgren", ["K. Marx", "A. Lindgren"]),  # IEEE
        ("Karl Marx|Astrid Lindgren", ["Karl Marx", "Astrid Lindgren"]),  # OpenAlex
        ("Marx, Karl//Lindgren, Astrid", ["Marx, Karl", "Lindgren, Astrid"]),  # EndNote
        ("Marx, Karl and Lindgren, Astrid and World Health Organization", ["Marx, Karl", "Lindgren, Astrid", "World Health Organization"]),
        ("Marx, Karl and others", ["Marx, Karl"]),
        ("Karl Marx, Eva Green and Astrid Lindgren", ["Karl Marx", "Eva Green", "Astrid Lindgren"]),
        ("Marx, K., Green, E., & Lindgren, A.", ["Marx, K.", "Green, E.", "Lindgren, A."]),
        ("['Marx, Karl', 'Lindgren, Astrid']", ["Marx, Karl", "Lindgren, Astrid"]),
        ('["Marx, Karl", "O\'Neil, J."]', ["Marx, Karl", "O'Neil, J."]),
        ('c("Marx, Karl", "Lindgren, Astrid")', ["Marx, Karl", "Lindgren, Astrid"]),
        ("Adeli K.Lewis G. F.van Dam J.-P.", ["Adeli K.", "Lewis G. F.", "van Dam J.-P."]),
        ("Smith J, Jr., Doe A", ["Smith J, Jr.", "Doe A"]),
        ("张伟, 李娜", ["张伟", "李娜"]),
        ("张伟；李娜；", ["张伟", "李娜"]),
        ("M&uuml;ller, A; Doe, B", ["M&uuml;ller, A", "Doe, B"]),
        ("Wang, L; ...", ["Wang, L"]),
    ],
)
def test_people_are_divided_where_the_separator_is_clear(cell: str, wanted: list[str]) -> None:
    assert people(cell) == wanted


@pytest.mark.parametrize(
    "name",
    [
        "Marx, Karl",
        "Rotter, Carina B.",
        "van Gogh, Vincent Willem",
        "García Márquez, Gabriel José",
        "Ministry of Health and Welfare",
        "Johnson & Johnson",
        "Department of Health, Education, and Welfare",
        "World Health Organization",
        "J.M. Coetzee",
        "M&uuml;ller, A",
    ],
)
def test_one_name_stays_one(name: str) -> None:
    assert people(name) == [name]


def test_two_whole_names_are_divided_if_the_column_is_one_of_commas() -> None:
    assert people("Karl Marx, Astrid Lindgren") == ["Karl Marx, Astrid Lindgren"]
    assert people("Karl Marx, Astrid Lindgren", commas_divide=True) == ["Karl Marx", "Astrid Lindgren"]
    assert people("van der Berg, Jan Willem", commas_divide=True) == ["van der Berg, Jan Willem"]


def test_a_column_tells_whether_commas_divide() -> None:
    assert commas_divide(["Karl Marx, Astrid Lindgren", "Eva Green, Li Wei, Jean Marat"])
    assert not commas_divide(["García Márquez, Gabriel José"])
    assert not commas_divide(["Eva Green, Li Wei, Jean Marat", "Marx, Karl; Green, Eva"])


def test_names_without_any_separator() -> None:
    assert glued_people("Araz R. AlievNigar T. IsmayilovaDr. Yann LeCun") == ["Araz R. Aliev", "Nigar T. Ismayilova", "Dr. Yann LeCun"]
    assert glued_people("Anne McKayMartine De Cock") == ["Anne McKay", "Martine De Cock"]


def test_lists_as_programs_write_them() -> None:
    assert listed("('a', 'b')") == ["a", "b"]
    assert listed("[None, 'a']") == ["a"]
    assert listed("[{'id': 3, 'name': \"O'Neil\"}, {'name': 'Li'}]") == ["O'Neil", "Li"]
    assert listed("[1] a text") is None
    assert listed("cats, dogs") is None


def test_parts_of_a_cell() -> None:
    assert parts("AT&amp;T; R&D;lab") == ["AT&amp;T", "R&D;lab"]
    assert parts("one\ntwo") == ["one", "two"]
    assert parts("http://a.org//b") == ["http://a.org//b"]
    assert parts(" ; ") == []


@pytest.mark.parametrize("cell", ["", " ", "NA", "nan", "NULL", "None", "#N/A"])
def test_what_stands_for_nothing(cell: str) -> None:
    assert is_missing(cell)


def test_a_word_that_begins_so_is_something() -> None:
    assert not is_missing("Nancy")
    assert not is_missing("null results")


def test_a_database_is_no_journal() -> None:
    assert is_database("Web of Science")
    assert not is_database("Scopus of Medicine")


@given(st.text(alphabet=st.sampled_from("aAbB .,;|&'\"[]()-/\n1ü李"), max_size=80))
def test_any_cell_gives_its_own_letters(cell: str) -> None:
    found = people(cell)

    assert all(name.strip() == name and any(character.isalpha() for character in name) for name in found)
    assert sum(len(part) for part in parts(cell)) <= len(cell)
    assert set("".join(found)) <= set(cell) | {" "}
