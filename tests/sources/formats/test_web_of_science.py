"""Web of Science's tagged format, and the databases beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.formats import web_of_science
from rag_qa.sources.reader import Raw, Trouble
from tests.sources.formats.test_tagged import one, parts


def raws(content: str) -> list[Raw]:
    return parts(web_of_science.FORMAT, content)[0]


def problems(content: str) -> list[tuple[Trouble, int | None, str]]:
    return [(problem.kind, problem.line, problem.reason) for problem in parts(web_of_science.FORMAT, content)[1]]


def fields(*lines: str, kind: str = "J") -> dict[str, list[str]]:
    """The fields of a record with these lines."""
    raw = one(web_of_science.FORMAT, "\n".join(["FN Clarivate Analytics Web of Science", "VR 1.0", f"PT {kind}", *lines, "ER", "", "EF"]))
    return {name: list(values) for name, values in raw.fields.items() if name != "type"}


def test_a_record_of_the_core_collection() -> None:
    raw = one(
        web_of_science.FORMAT,
        "\ufeffFN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Noor, A\n   Lund, B\nAF Noor, Ada\n   Lund, Bo\nTI Tides of\n   the sea\n"
        "SO JOURNAL OF SEAS\nLA English\nDT Article; Early Access\nDE tides; the\n   sea\nID LONG WAVES\nAB We study tides. CO and AU\n"
        "   AB initio.\nCR Park M, 2001, SEAS, V1, P1, DOI 10.1000/cited.1\n   Roth A, 2002, SEAS, V1, P9, DOI 10.1000/cited.2\nJ9 J SEAS\n"
        "JI J. Seas\n"
        "PD MAR 2\nPY 2019\nVL 3\nIS 2\nBP 10\nEP 19\nDI 10.1000/sea.7\nSN 1234-5678\nUT WOS:0001\nPM 123\nER\n\nEF\n",
    )

    assert (raw.line, raw.key) == (3, "WOS:0001")
    assert raw.fields == {
        "title": ["Tides of the sea"],
        "abstract": ["We study tides. CO and AU AB initio."],
        "author": ["Noor, Ada", "Lund, Bo"],
        "year": ["2019", "MAR 2"],
        "venue": ["JOURNAL OF SEAS", "J. Seas", "J SEAS"],
        "doi": ["10.1000/sea.7"],
        "pmid": ["123"],
        "keyword": ["tides; the sea", "LONG WAVES"],
        "language": ["English"],
        "type": ["Article", "Early Access"],
        "pages": ["10-19"],
        "volume": ["3"],
        "issue": ["2"],
        "issn": ["1234-5678"],
        "id": ["WOS:0001"],
    }


# ------------------------------------------------------------------------------------------------------------------------- records


def test_a_record_that_is_cut_off_costs_no_other() -> None:
    content = "FN ISI\nVR 1.0\nPT J\nTI Tides\nER\n\nPT J\nTI Winds\n\nPT J\nTI Rains\nER\n\nPT J\nTI Sno"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"], ["Rains"], ["Sno"]]
    assert problems(content) == [
        (Trouble.REPAIRED, 7, "this record has no end (ER): the next one begins at line 10"),
        (Trouble.REPAIRED, 14, "this record has no end (ER): the file may have been cut off"),
    ]


def test_a_record_without_its_beginning() -> None:
    content = "PT J\nTI Tides\nER\n\nAU Noor, A\nTI Winds\nER\n\nEF\n"

    assert [(raw.line, raw.fields["title"]) for raw in raws(content)] == [(1, ["Tides"]), (5, ["Winds"])]
    assert problems(content) == [(Trouble.REPAIRED, 5, "this record has no beginning (PT)")]


def test_a_file_that_ends_early_or_begins_again() -> None:
    content = "FN ISI\nVR 1.0\nPT J\nTI Tides\nEF\nFN ISI\nVR 1.0\nPT J\nTI Winds\nER\nEF\n"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"]]
    assert problems(content) == [(Trouble.REPAIRED, 3, "this record has no end (ER): the file says that it ends at line 5")]


def test_a_file_without_records_is_refused() -> None:
    with pytest.raises(SourceError, match="found no Web of Science record"):
        raws("FN Clarivate Analytics Web of Science\nVR 1.0\nEF\n")


def test_text_between_records_is_told() -> None:
    content = "PT J\nTI Tides\nER\n\nThis was written by hand.\n\nPT J\nTI Winds\nER\n"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"]]
    assert problems(content) == [(Trouble.NOT_A_PAPER, 5, "text that is in no Web of Science record: 'This was written by hand.'")]


def test_lines_that_lost_their_indentation() -> None:
    got = fields("TI Tides of", "the sea", "AU Noor, Ada", "Lund, Bo", "AB We study the", "TI of tides and", "XQ of seas.", "SO Seas", "PY 2019")

    assert got == {
        "title": ["Tides of the sea"],
        "author": ["Noor, Ada", "Lund, Bo"],
        "abstract": ["We study the TI of tides and XQ of seas."],
        "venue": ["Seas"],
        "year": ["2019"],
    }


def test_an_unknown_tag_in_an_indented_file() -> None:
    assert fields("XQ something", "TI Tides of", "   the sea", "QX more", "   of it") == {
        "title": ["Tides of the sea"],
        "xq": ["something"],
        "qx": ["more of it"],
    }


# ------------------------------------------------------------------------------------------------------------------------- fields


def test_short_names_where_not_all_have_a_full_one() -> None:
    assert fields("AU Noor, A", "   Lund, B", "AF Noor, Ada") == {"author": ["Noor, A", "Lund, B"]}


def test_marks_of_databases_after_names() -> None:
    assert fields("AU Noor, Ada N. (ada.noor@example.org) ", "   Lund, Bo [Reprint Author]") == {"author": ["Noor, Ada N.", "Lund, Bo"]}


def test_names_on_one_line_as_medline_there_has_them() -> None:
    assert fields("AU Noor, Ada; Lund, Bo", "UT MEDLINE:123") == {"author": ["Noor, Ada", "Lund, Bo"], "pmid": ["123"], "id": ["MEDLINE:123"]}


def test_bodies_and_authors_of_books() -> None:
    assert fields("AU Noor, A", "CA Tide Group")["author"] == ["Noor, A", "Tide Group"]
    assert fields("GP IEEE", "TI Proceedings")["author"] == ["IEEE"]
    assert fields("AU Noor, A", "GP IEEE")["author"] == ["Noor, A"]
    assert fields("BA Noor, A", "BF Noor, Ada", "BE Lund, B", "   Roth, A", kind="B") == {"author": ["Noor, Ada"], "editor": ["Lund, B", "Roth, A"]}


def test_the_doi_of_the_book_is_not_that_of_the_chapter() -> None:
    assert fields("TI Tides", "D2 10.1000/book") == {"title": ["Tides"], "book doi": ["10.1000/book"]}


def test_inspec_has_the_doi_among_its_codes() -> None:
    assert fields("ID 0003-6951/2006/89(4)/041103-1(3)/$23.00],[S0003-6951(06)22430-6],[10.1063/1.2234275]") == {"doi": ["10.1063/1.2234275"]}


def test_titles_and_abstracts_in_other_languages() -> None:
    got = fields("TI Tides", "X1 Mareas", "AB We study.", "X4 Estudiamos", "   las mareas.", "Z4 조석을 연구한다.", "X5 mareas")

    assert got == {
        "title": ["Tides"],
        "translated_title": ["Mareas"],
        "abstract": ["We study.", "Estudiamos las mareas.", "조석을 연구한다."],
        "keyword": ["mareas"],
    }
    assert fields("Z1 조석") == {"title": ["조석"]}


def test_an_abstract_of_derwent_begins_under_its_tag() -> None:
    got = fields("AB ", "   NOVELTY - A reagent is", "   claimed.", "   USE - Screening.", kind="P")

    assert got == {"abstract": ["NOVELTY - A reagent is claimed. USE - Screening."]}


@pytest.mark.parametrize(
    ("lines", "kind", "type_"),
    [
        (["DT Retracted Publication; Article"], "J", ["Retracted Publication", "Article"]),
        (["DT -"], "J", ["Journal"]),
        ([], "P", ["Patent"]),
        ([], "K", ["K"]),
    ],
)
def test_types(lines: list[str], kind: str, type_: list[str]) -> None:
    assert one(web_of_science.FORMAT, "\n".join([f"PT {kind}", *lines, "ER"])).fields["type"] == type_


@pytest.mark.parametrize(
    ("lines", "pages"),
    [
        (["BP 10", "EP 19"], "10-19"),
        (["BP 10"], "10"),
        (["BP 10", "EP 10"], "10"),
        (["PS i-iv, 1-74"], "i-iv, 1-74"),
        (["BP 41-3", "EP 41-9"], "41-3"),
    ],
)
def test_pages(lines: list[str], pages: str) -> None:
    assert fields(*lines) == {"pages": [pages]}


# ------------------------------------------------------------------------------------------------------------------------- write and read

_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=9)


def wrapped(tag: str, words: list[str], width: int) -> list[str]:
    """A value as Web of Science writes it."""
    lines, line = [], tag
    for word in words:
        if line.strip() and line != tag and len(line) + len(word) > width:
            lines.append(line)
            line = "  "
        line += f" {word}"
    return [*lines, line]


@given(st.lists(st.tuples(st.lists(_WORDS, min_size=1), st.lists(_WORDS, min_size=1)), min_size=1, max_size=4), st.integers(10, 80))
def test_what_is_written_is_read(records: list[tuple[list[str], list[str]]], width: int) -> None:
    lines = [
        line
        for title, abstract in records
        for line in ["PT J", "AU Noor, A", "   Lund, B", *wrapped("TI", title, width), *wrapped("AB", abstract, width), "ER", ""]
    ]
    read, found = parts(web_of_science.FORMAT, "\n".join(["FN ISI", "VR 1.0", *lines, "EF"]))

    assert found == []
    assert [(raw.fields["title"], raw.fields["abstract"]) for raw in read] == [
        ([" ".join(title)], [" ".join(abstract)]) for title, abstract in records
    ]


# ------------------------------------------------------------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "records", "with_abstract"),
    [  # lines that begin with PT, and with AB
        ("bibliometrix_wos_sample.txt", 8, 7),
        ("jabref_inspec.isi", 2, 2),
        ("jabref_wos.isi", 2, 2),
        ("litsearchr_zoorec.txt", 134, 80),
        ("metaknowledge_savedrecs.txt", 32, 10),
        ("revtools_restoration_wos.ciw", 247, 215),
        ("rispy_wos.ris", 2, 2),
    ],
)
def test_real_files(name: str, records: int, with_abstract: int, shared_data: Path) -> None:
    read, found = parts(web_of_science.FORMAT, (shared_data / "exports" / name).read_bytes())

    assert (len(read), sum("abstract" in raw.fields for raw in read)) == (records, with_abstract)
    assert all(raw.fields["title"] for raw in read)
    assert found == []
