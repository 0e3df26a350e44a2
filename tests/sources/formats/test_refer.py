"""Refer, BibIX and EndNote's %-tagged export."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats import refer
from rag_qa.sources.reader import Raw, Trouble
from tests.sources.formats.test_tagged import one, parts


def raws(content: str) -> list[Raw]:
    return parts(refer.FORMAT, content)[0]


def titles(content: str) -> list[tuple[int, list[str]]]:
    assert parts(refer.FORMAT, content)[1] == []
    return [(raw.line, list(raw.fields.get("title", ()))) for raw in raws(content)]


def fields(*lines: str) -> dict[str, list[str]]:
    return {name: list(values) for name, values in one(refer.FORMAT, "\n".join(["%0 Journal Article", *lines])).fields.items() if name != "type"}


def test_a_record_of_endnote() -> None:
    raw = one(
        refer.FORMAT,
        "%0 Journal Article\n%A Noor, Ada\n%A Lund, Bo\n%D 2019\n%T Tides of the sea\n%J Journal of Seas\n%B Seas\n%V 3\n%N 2\n%P 10-19\n"
        "%@ 1234-5678\n%R doi:10.1000/sea.7\n%U https://example.org/sea\nhttps://example.org/2\n%K tide\n*sea\n%X We study tides.\n\n"
        "They are long.\n%G eng\n"
        "%M 123\n%W NLM\n%+ Institute\n%8 March 2\n%9 Review\n%I Sea Press\n%C Oslo\n%E Roth, Al\n%2 PMC99\n%7 1st\n",
    )

    assert (raw.line, raw.key) == (1, "123")
    assert raw.fields == {
        "title": ["Tides of the sea"],
        "abstract": ["We study tides.\n\nThey are long."],
        "author": ["Noor, Ada", "Lund, Bo"],
        "year": ["2019", "March 2"],
        "venue": ["Journal of Seas", "Seas"],
        "doi": ["doi:10.1000/sea.7"],
        "pmid": ["123"],
        "pmcid": ["PMC99"],
        "url": ["https://example.org/sea", "https://example.org/2"],
        "keyword": ["tide", "sea"],
        "language": ["eng"],
        "type": ["Journal Article", "Review"],
        "volume": ["3"],
        "issue": ["2"],
        "pages": ["10-19"],
        "issn": ["1234-5678"],
        "accession": ["123"],
        "provider": ["NLM"],
        "affiliation": ["Institute"],
        "publisher": ["Sea Press"],
        "address": ["Oslo"],
        "editor": ["Roth, Al"],
        "edition": ["1st"],
        "2": ["PMC99"],
    }


# ------------------------------------------------------------------------------------------------------------------------- records


def test_records_divided_by_blank_lines_or_by_the_type_alone() -> None:
    assert titles("%0 Book\n%T Tides\n\n\n%0 Book\n%T Winds\n%0 Book\n%T Rains\n") == [(1, ["Tides"]), (5, ["Winds"]), (7, ["Rains"])]


def test_the_title_before_the_type_and_records_without_a_type() -> None:
    # as the library of the Association for Information Systems writes it
    content = "%T Tides\n%0 Journal Article\n%A Noor, A\n\n\n%T Contents\n%B Seas\n\n\n%T Winds\n%0 Journal Article\n\n%T Rains\n"

    assert titles(content) == [(1, ["Tides"]), (6, ["Contents"]), (10, ["Winds"]), (13, ["Rains"])]
    assert [raw.fields.get("type") for raw in raws(content)] == [["Journal Article"], None, ["Journal Article"], None]


def test_the_title_before_the_type_without_blank_lines() -> None:
    assert titles("%T Tides\n%0 Book\n%A Noor, A\n%T Winds\n%A Lund, B\n%T Rains\n%0 Book\n") == [(1, ["Tides"]), (4, ["Winds"]), (6, ["Rains"])]


def test_the_refer_of_old_has_no_types() -> None:
    content = "%A Noor, A\n%A Lund, B\n%T Tides\n%D 1891\n\n%A Park, M\n%T Winds\n\n%K rain\n%T Rains\n"

    assert titles(content) == [(1, ["Tides"]), (6, ["Winds"]), (9, ["Rains"])]
    assert raws(content)[0].fields["author"] == ["Noor, A", "Lund, B"]


def test_several_types_on_end_and_a_blank_line_after_the_type() -> None:
    assert titles("%0 Serial\n%0 Audio\n%T Tides\n\n%0 Book\n\n%T Winds\n") == [(1, ["Tides"]), (5, ["Winds"])]


def test_a_blank_line_before_another_tag_of_a_typed_record_divides_nothing() -> None:
    content = "%0 Book\n%T Tides\n%X We study.\n\n%U https://example.org/1\n\n%0 Book\n%T Winds\n"

    assert titles(content) == [(1, ["Tides"]), (7, ["Winds"])]
    assert raws(content)[0].fields["url"] == ["https://example.org/1"]


def test_a_percent_sign_in_a_text_is_no_tag() -> None:
    assert fields("%X Of the patients", "% that we saw, 12", "%T4 cells were few, and", "%12 of them", "%T Tides") == {
        "abstract": ["Of the patients\n% that we saw, 12\n%T4 cells were few, and\n%12 of them"],
        "title": ["Tides"],
    }


def test_text_before_the_first_record_is_told() -> None:
    read, problems = parts(refer.FORMAT, "\ufeffExported on Monday.\n\n%0 Book\n%T Tides\n")

    assert [raw.line for raw in read] == [3]
    assert [(problem.kind, problem.line) for problem in problems] == [(Trouble.NOT_A_PAPER, 1)]


# ------------------------------------------------------------------------------------------------------------------------- fields


def test_a_second_title_is_a_translation() -> None:
    assert fields("%T 潮汐", "%T Tides", "%Q Mareas") == {"title": ["潮汐"], "translated_title": ["Tides", "Mareas"]}


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("%R 10.1000/sea.7", "doi", "10.1000/sea.7"),
        ("%R https://doi.org/10.1000/sea.7", "doi", "https://doi.org/10.1000/sea.7"),
        ("%R urn:nbn:no-1", "other id", "urn:nbn:no-1"),
        ("%@ 978-3-642-00230-4", "isbn", "978-3-642-00230-4"),
        ("%M 123", "accession", "123"),
        ("%A Noor, Ada; Lund, Bo", "author", "Noor, Ada"),
    ],
)
def test_values(line: str, field: str, value: str) -> None:
    assert fields(line)[field][0] == value
    assert set(fields(line)) == {field}


# ------------------------------------------------------------------------------------------------------------------------- write and read

_TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="%@"), min_size=1), min_size=1).map(" ".join)


@given(
    st.lists(st.tuples(_TEXTS, st.lists(_TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4), st.sampled_from(["\n", "\n\n\n"]), st.booleans()
)
def test_what_is_written_is_read(records: list[tuple[str, list[str]]], between: str, type_first: bool) -> None:
    written = []
    for title, paragraphs in records:
        head = ["%0 Journal Article", f"%T {title}"] if type_first else [f"%T {title}", "%0 Journal Article"]
        written.append("\n".join([*head, "%A Noor, Ada", "%A Lund, Bo", "%X " + "\n\n".join(f"a{paragraph}" for paragraph in paragraphs)]))
    read, found = parts(refer.FORMAT, between.join(written))

    assert found == []
    assert [(raw.fields["title"], raw.fields["abstract"][0].split("\n\n")) for raw in read] == [
        ([title], [f"a{paragraph}" for paragraph in paragraphs]) for title, paragraphs in records
    ]


# ------------------------------------------------------------------------------------------------------------------------- real files


@pytest.mark.parametrize(("name", "records", "with_abstract"), [("colrev_ais_enl.txt", 6, 4), ("jabref_refer_bibIX.ref", 4, 4)])
def test_real_files(name: str, records: int, with_abstract: int, shared_data: Path) -> None:
    # counted by eye: groups of lines, and those with %X
    read, found = parts(refer.FORMAT, (shared_data / "exports" / name).read_bytes())

    assert (len(read), sum("abstract" in raw.fields for raw in read)) == (records, with_abstract)
    assert all(raw.fields["title"] for raw in read)
    assert found == []
