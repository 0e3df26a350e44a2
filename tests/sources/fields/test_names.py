"""Names of authors: every notation -> "Family, Given"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields.names import people, person


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        # initials
        ("Smith A", "Smith, A."),
        ("Smith, A.", "Smith, A."),
        ("A. Smith", "Smith, A."),
        ("Smith, AB", "Smith, A. B."),
        ("Smith, A.B.", "Smith, A. B."),
        ("A.B. Smith", "Smith, A. B."),
        ("AB Smith", "Smith, A. B."),
        ("SMITH A B", "Smith, A. B."),
        ("SMITH, JEF", "Smith, J. E. F."),
        ("Smith, Jane A", "Smith, Jane A."),
        ("Smith, J-P", "Smith, J.-P."),
        ("Ivanov, Yu.A.", "Ivanov, Yu. A."),
        ("J.Smith", "Smith, J."),
        # given names
        ("Jane Smith", "Smith, Jane"),
        ("Smith,Jane", "Smith, Jane"),
        ("SMITH, John", "Smith, John"),
        ("DUPONT Jean", "Dupont, Jean"),
        ("Wei ZHANG", "Zhang, Wei"),
        ("O'BRIEN-MCDONALD, P", "O'Brien-McDonald, P."),
        ("Kees A. Schouhamer Immink", "Schouhamer Immink, Kees A."),
        ("García Márquez, Gabriel José", "García Márquez, Gabriel José"),
        # particles
        ("Ludwig van Beethoven", "van Beethoven, Ludwig"),
        ("Peter H. N. de With", "de With, Peter H. N."),
        ("In 't Veen JC", "In 't Veen, J. C."),
        ("Guy Van den Broeck", "Van den Broeck, Guy"),
        ("Hillegersberg, Richard van", "van Hillegersberg, Richard"),
        ("VAN DER BERG, J", "van der Berg, J."),
        ("José Ortega y Gasset", "Ortega y Gasset, José"),
        # suffixes
        ("Smith, Jr., John", "Smith, John, Jr."),
        ("Smith, John, Jr.", "Smith, John, Jr."),
        ("Smith Jr, John", "Smith, John, Jr."),
        ("John Smith Jr.", "Smith, John, Jr."),
        ("Fulton JE Jr", "Fulton, J. E., Jr."),
        ("Smith J 3rd", "Smith, J., III"),
        ("Smith JR", "Smith, J. R."),
        ("SELDEN, JR", "Selden, J. R."),
        ("van der Berg, JR", "van der Berg, J. R."),
        ("SMITH, JOHN, JR", "Smith, John, Jr."),
        # what stands beside a name
        ("Prof. Dr. Hans Müller", "Müller, Hans"),
        ("Smith, John, MD, PhD", "Smith, John"),
        ("Smith, John (0000-0002-1825-0097)", "Smith, John"),
        ("Smith, John https://orcid.org/0000-0002-1825-0097", "Smith, John"),
        ("Smith, John (57201234567)", "Smith, John"),
        ("Smith, J. [1,2]*", "Smith, J."),
        ("John Smith1,2", "Smith, John"),
        ("Smith J (University of X)", "Smith, J."),
        ("Smith, J. et al.", "Smith, J."),
        # left as they are
        ("World Health Organization", "World Health Organization"),
        ("Centers for Disease Control and Prevention", "Centers for Disease Control and Prevention"),
        ("Department of Health, Education and Welfare", "Department of Health, Education and Welfare"),
        ("Ministry of Health (Peru)", "Ministry of Health (Peru)"),
        ("ATLAS Collaboration", "ATLAS Collaboration"),
        ("WHO", "WHO"),
        ("Madonna", "Madonna"),
        ("王小明", "王小明"),
        ("王, 小明", "王, 小明"),
        ("김민수", "김민수"),
        ("Press, William H.", "Press, William H."),
    ],
)
def test_one_notation(written: str, wanted: str) -> None:
    assert people([written]) == (wanted,)


@pytest.mark.parametrize("written", ["", "et al.", "others", "[Anonymous]", "Anon.", "[No author name available]", "n/a", "-", "* 1"])
def test_nobody(written: str) -> None:
    assert people([written]) == ()


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Smith, John; Doe, Jane", ("Smith, John", "Doe, Jane")),
        ("Smith, John|Doe, Jane", ("Smith, John", "Doe, Jane")),
        ("Smith, John and Doe, Jane", ("Smith, John", "Doe, Jane")),
        ("John Smith, Jane Doe and Bob Roe", ("Smith, John", "Doe, Jane", "Roe, Bob")),
        ("John Smith, Jane Doe, Bob Roe", ("Smith, John", "Doe, Jane", "Roe, Bob")),
        ("John A. Smith, Jane Doe", ("Smith, John A.", "Doe, Jane")),
        ("Smith J, Doe A", ("Smith, J.", "Doe, A.")),
        ("Smith J, Doe A, the ABC Study Group", ("Smith, J.", "Doe, A.", "the ABC Study Group")),
        ("Smith, J., Doe, A., & Roe, B.", ("Smith, J.", "Doe, A.", "Roe, B.")),
        ("A Vaswani, N Shazeer…", ("Vaswani, A.", "Shazeer, N.")),
        ("Adeli K.Lewis G. F.", ("Adeli, K.", "Lewis, G. F.")),
        ("J., Kass N. Faden R.", ("Kass, N.", "Faden, R. J.")),
        ("Smith, J; et al.", ("Smith, J.",)),
        # not plain
        ("Johnson and Johnson", ("Johnson and Johnson",)),
        ("Smith, J", ("Smith, J.",)),
        ("García Márquez, Gabriel José", ("García Márquez, Gabriel José",)),
    ],
)
def test_a_value_that_holds_a_list_is_parted_where_that_is_plain(written: str, wanted: tuple[str, ...]) -> None:
    assert people([written]) == wanted


@pytest.mark.parametrize(
    "names",
    [
        ("Roe, B.", "Smith, A.", "Roe, B."),
        ("Li, J.", "Li, J.", "Zhang, L."),
        ("Li, J.", "Li, J."),
        ("Innocenti, M.", "Rossi, A.", "Innocenti, M.", "Rossi, B."),
    ],
)
def test_two_authors_may_have_one_name(names: tuple[str, ...]) -> None:
    assert people(names) == names
    assert people(["; ".join(names)]) == names


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (["Li, J.", "Roe, B.", "Li J", "Roe B"], ("Li, J.", "Roe, B.")),
        (["Li, J.", "Li, J.", "Li, J.", "Li, J."], ("Li, J.", "Li, J.")),
        (["Roe, Jane", "Jane Roe"], ("Roe, Jane",)),
        (["World Health Organization"] * 2, ("World Health Organization",)),
    ],
)
def test_a_list_that_is_there_twice_counts_once(written: list[str], wanted: tuple[str, ...]) -> None:
    assert people(written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (["S, LEE", "R, CAO", "N, JEON"], ("Lee, S.", "Cao, R.", "Jeon, N.")),
        (["S, LEE"], ("Lee, S.",)),
        (["A, TOUROVSKAIA"], ("Tourovskaia, A.",)),
        (["E, DU", "I, RÜTSCHLE", "A, BALDWIN-LECLAIR"], ("Du, E.", "Rütschle, I.", "Baldwin-Leclair, A.")),
        (["H, VAN D M", "P, DE H"], ("van D M, H.", "de H, P.")),  # cut by the program that wrote them
        (["J. A., Smith", "K., Doe"], ("Smith, J. A.", "Doe, K.")),
        (["A, K. K", "S, FORTUNATO", "Y, GUO"], ("A, K. K.", "Fortunato, S.", "Guo, Y.")),
        # somebody whose family name is one letter, among others
        (["M, Ajith K.", "Kumara, A. Naveena"], ("M, Ajith K.", "Kumara, A. Naveena")),
        (["R, Carolina"], ("R, Carolina",)),
        (["O, J.", "Kim, S."], ("O, J.", "Kim, S.")),
        (["HO, J", "LEE, S"], ("Ho, J.", "Lee, S.")),
        (["LI, YT", "SUN, X"], ("Li, Y. T.", "Sun, X.")),
    ],
)
def test_names_that_are_turned_are_told_by_all_of_their_record(written: list[str], wanted: tuple[str, ...]) -> None:
    assert people(written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (["KIM J"], ("Kim, J.",)),
        (["LI W", "HO JA"], ("Li, W.", "Ho, J. A.")),
        (["J KIM"], ("Kim, J.",)),
        (["J. H. LI"], ("Li, J. H.",)),
        (["SMITH AB", "LI WX"], ("Smith, A. B.", "Li, W. X.")),
        (["AB SMITH", "YU HO"], ("Smith, A. B.", "Ho, Y. U.")),
        (["WX LI"], ("Li, W. X.",)),
        (["LI WEI", "LEE, MIN"], ("Li, Wei", "Lee, Min")),
        (["A B"], ("B, A.",)),
    ],
)
def test_a_short_family_name_in_capitals_is_not_initials(written: list[str], wanted: tuple[str, ...]) -> None:
    assert people(written) == wanted


def test_numbers_that_are_part_of_a_name_stay() -> None:
    assert people(["Name1, Author", "Name2, Author"]) == ("Name1, Author", "Name2, Author")
    assert people(["Author1", "Author2"]) == ("Author1", "Author2")
    assert people(["Author Name, Author2 Name2"]) == ("Author Name, Author2 Name2",)
    assert people(["Smith, John1", "Jane Doe1,2"]) == ("Smith, John", "Doe, Jane")
    assert people(["John Smith1, Jane Doe2, Ann Roe1,2"]) == ("Smith, John", "Doe, Jane", "Roe, Ann")


def test_commas_part_no_names_where_each_has_a_value() -> None:
    assert people(["Ortega Luna, Ana María", "Smith, J"]) == ("Ortega Luna, Ana María", "Smith, J.")


def test_three_capitals_are_a_name_where_names_are_spelt_out_in_capitals() -> None:
    assert people(["SMITH, ANN", "JONES, PETER"]) == ("Smith, Ann", "Jones, Peter")
    assert people(["SMITH, ANN", "JONES, PT"]) == ("Smith, A. N. N.", "Jones, P. T.")


def test_what_the_source_marks_as_a_body_stays_whole() -> None:
    assert people(["Barnes and Noble", "Doe, J."], bodies={"Barnes and Noble"}) == ("Barnes and Noble", "Doe, J.")


@given(st.lists(st.text()))
def test_no_text_is_too_odd(values: list[str]) -> None:
    for name in people(values):
        assert name == " ".join(name.split())
        assert any(map(str.isalpha, name))


_FAMILY = st.from_regex(r"\A[A-Z][a-z]{2,8}(-[A-Z][a-z]{2,8})?\Z")
_GIVEN = st.from_regex(r"\A[A-Z][b-z]{4,8}( [A-Z]\.){0,2}\Z")


@given(_FAMILY, _GIVEN)
def test_the_usual_form_stays(family: str, given_name: str) -> None:
    name = f"{family}, {given_name}"

    assert people([name]) == (name,)
    assert person(name) == name
