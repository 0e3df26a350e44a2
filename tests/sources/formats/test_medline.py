"""MEDLINE of PubMed and ERIC."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats import medline
from rag_qa.sources.reader import Raw, Trouble
from tests.sources.formats.test_tagged import one, parts


def raws(content: str) -> list[Raw]:
    return parts(medline.FORMAT, content)[0]


def problems(content: str) -> list[tuple[Trouble, int | None, str]]:
    return [(problem.kind, problem.line, problem.reason) for problem in parts(medline.FORMAT, content)[1]]


def fields(*lines: str) -> dict[str, list[str]]:
    """The fields of a record with these lines, without its number."""
    raw = one(medline.FORMAT, "\n".join(["PMID- 123", *lines, ""]))
    return {name: list(values) for name, values in raw.fields.items() if name != "pmid"}


def test_a_record_of_pubmed() -> None:
    raw = one(
        medline.FORMAT,
        "\nPMID- 123\nOWN - NLM\nSTAT- MEDLINE\nIS  - 1234-5678 (Print)\nVI  - 3\nIP  - 2\nDP  - 2019 Mar 2\nTI  - Tides of the \n      sea.\n"
        "PG  - 10-9\nLID - 10.1000/sea.7 [doi]\nAB  - PURPOSE: We study\n      tides. METHODS: We look \n      at them.\nCI  - (c) 2019\n"
        "      Sea Press.\n"
        "FAU - Noor, Ada\nAU  - Noor A\nAUID- ORCID: 0\nAD  - Institute of\n      Seas.\nFAU - Lund, Bo\nAU  - Lund B\nLA  - eng\n"
        "PT  - Journal Article\nPT  - Review\nPL  - Norway\nTA  - J Seas\nJT  - Journal of seas\nPMC - PMC99\nMH  - *Tides/physiology\n"
        "MH  - Animals\nOT  - sea\n"
        "AID - S12 [pii]\nAID - 10.1000/sea.7 [doi]\nSO  - J Seas. 2019 Mar 2;3(2):10-9.\n",
    )

    assert (raw.line, raw.key) == (2, "123")
    assert raw.fields == {
        "title": ["Tides of the sea."],
        "abstract": ["PURPOSE: We study tides. METHODS: We look at them."],
        "author": ["Noor, Ada", "Lund, Bo"],
        "year": ["2019 Mar 2"],
        "venue": ["Journal of seas", "J Seas"],
        "pmid": ["123"],
        "keyword": ["Tides/physiology", "Animals", "sea"],
        "language": ["eng"],
        "type": ["Journal Article", "Review"],
        "doi": ["10.1000/sea.7"],
        "pii": ["S12"],
        "owner": ["NLM"],
        "status": ["MEDLINE"],
        "issn": ["1234-5678 (Print)"],
        "volume": ["3"],
        "issue": ["2"],
        "pages": ["10-9"],
        "copyright": ["(c) 2019 Sea Press."],
        "auid": ["ORCID: 0"],
        "affiliation": ["Institute of Seas."],
        "address": ["Norway"],
        "pmcid": ["PMC99"],
        "source": ["J Seas. 2019 Mar 2;3(2):10-9."],
    }


# ------------------------------------------------------------------------------------------------------------------------- records


@pytest.mark.parametrize("between", ["\n\n", "\n", "\r\n\r\n", "\n\n\n\ufeff", "\n\n</pre>\n<pre>\n"])
def test_where_records_begin(between: str) -> None:
    content = between.join(["PMID- 1\nTI  - Tides", "PMID- 2\nTI  - Winds", "PMID- 3\nOWN - NLM\nTI  - Rains"])

    assert [(raw.key, raw.fields["title"]) for raw in raws(content)] == [("1", ["Tides"]), ("2", ["Winds"]), ("3", ["Rains"])]
    assert problems(content) == []


def test_double_spaced_lines_do_not_tear_a_record() -> None:
    content = "PMID- 1\n\nOWN - NLM\n\nTI  - Tides of\n\n      the sea\n\nAB  - We study.\n\nPMID- 2\n\nTI  - Winds\n\n"

    assert [(raw.key, raw.fields["title"]) for raw in raws(content)] == [("1", ["Tides of the sea"]), ("2", ["Winds"])]


def test_records_of_eric_have_no_pmid() -> None:
    content = (
        "\nOWN - ERIC\nTI  - Tides in School\nAU  - Noor, Ada\nOT  - Tides\nJT  - Seas\nAID - http://dx.doi.org/10.1000/sea.7\nOID - EJ1\n"
        "LID - http://eric.ed.gov/?id=EJ1\nISSN - EISSN-1234-5678\nDP  - 2020\n\nOWN - ERIC\nTI  - Winds in School\nAID - http://a.org/1\nOID - EJ2\n"
    )

    first, second = raws(content)
    assert (first.line, first.key, first.fields["doi"]) == (2, "EJ1", ["http://dx.doi.org/10.1000/sea.7"])
    assert (first.fields["url"], first.fields["issn"]) == (["http://eric.ed.gov/?id=EJ1"], ["EISSN-1234-5678"])
    assert (second.line, second.fields["title"], second.fields["url"]) == (13, ["Winds in School"], ["http://a.org/1"])
    assert problems(content) == []
    assert medline.FORMAT.claims(content)


def test_records_of_a_catalogue() -> None:
    # Copac wrote this
    content = (
        "\nTI- Tides\nAU- Noor, Ada\nAU- Institute of Seas\nPU- Oslo : Sea Press\nPY- 1992\nKW- Sea, the,\n    and tides\n\nTI- Winds\nPY- 1993\n"
    )

    first, second = raws(content)
    assert first.fields == {
        "title": ["Tides"],
        "author": ["Noor, Ada", "Institute of Seas"],
        "year": ["1992"],
        "keyword": ["Sea, the, and tides"],
        "publisher": ["Oslo : Sea Press"],
    }
    assert (second.line, second.fields) == (10, {"title": ["Winds"], "year": ["1993"]})
    assert medline.FORMAT.claims(content)


def test_the_last_record_is_cut_off() -> None:
    content = "PMID- 1\nTI  - Tides\nSO  - Seas. 2001.\n\nPMID- 2\nTI  - Wi"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Wi"]]
    assert problems(content) == [
        (Trouble.REPAIRED, 5, "this record, the last, does not end with SO as the others do: the file may have been cut off")
    ]


def test_a_file_in_which_no_record_ends_with_so_is_whole() -> None:
    assert problems("PMID- 1\nTI  - Tides\n\nPMID- 2\nTI  - Winds\n") == []


def test_text_between_records_is_told_and_costs_none() -> None:
    content = "PMID- 1\nTI  - Tides\n\nThis line was written by hand.\n\nPMID- 2\nTI  - Winds\n"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"]]
    assert problems(content) == [(Trouble.NOT_A_PAPER, 4, "text that is in no MEDLINE record: 'This line was written by hand.'")]


def test_lines_that_lost_their_indentation() -> None:
    assert fields("TI  - Tides of", "the sea", "AB  - We study", "HIV - infected", "POST-operative", "  seas.") == {
        "title": ["Tides of the sea"],
        "abstract": ["We study HIV - infected POST-operative seas."],
    }


def test_an_odd_line_is_left_out_and_told() -> None:
    content = "PMID- 1\nSO  an invalid line\nTI  - Tides\n\nPMID- 2\nTI  - Winds\n"

    assert [(raw.key, raw.fields["title"]) for raw in raws(content)] == [("1", ["Tides"]), ("2", ["Winds"])]
    assert problems(content) == [(Trouble.REPAIRED, 2, "a line without a tag was left out: 'SO  an invalid line'")]


@pytest.mark.parametrize("line", ["TI  - Tides", "TI  -Tides", "TI- Tides", "TI - Tides"])
def test_tags_in_other_spacings(line: str) -> None:
    assert fields(line) == {"title": ["Tides"]}


# ------------------------------------------------------------------------------------------------------------------------- fields


def test_abstracts_in_two_languages_and_the_original_title() -> None:
    got = fields("TI  - [Tides].", "TT  - Les marees.", "AB  - We study.", "OAB - Nous etudions", "      les marees.", "OABL- fre", "LA  - fre")

    assert got == {
        "title": ["[Tides]."],
        "translated_title": ["Les marees."],
        "abstract": ["We study.", "Nous etudions les marees."],
        "language": ["fre"],
    }


def test_an_abstract_that_is_elsewhere_is_none() -> None:
    assert fields("AB  - ", "OAB - Publisher: Abstract available from the publisher.", "OABL- ger", "TI  - Tides") == {"title": ["Tides"]}


def test_people_with_and_without_full_names_and_bodies_in_order() -> None:
    got = fields(
        "FAU - Noor, Ada",
        "AU  - Noor A",
        "AU  - Lund B",
        "CN  - Tide Group",
        "FAU - Park, Min",
        "AU  - Park M",
        "AU  - et al.",
        "FED - Roth, Al",
        "ED  - Roth A",
    )

    assert got == {"author": ["Noor, Ada", "Lund B", "Tide Group", "Park, Min"], "editor": ["Roth, Al"]}


def test_a_book_and_its_chapter() -> None:
    assert fields("BTI - Seas", "PB  - Sea Press") == {"title": ["Seas"], "publisher": ["Sea Press"]}
    assert fields("TI  - Tides", "BTI - Seas") == {"title": ["Tides"], "venue": ["Seas"]}


@pytest.mark.parametrize(
    ("tag", "notice"),
    [
        ("RIN ", "Retraction in"),
        ("ROF ", "Retraction of"),
        ("EIN ", "Erratum in"),
        ("EFR ", "Erratum for"),
        ("ECI ", "Expression of concern in"),
        ("ECF ", "Expression of concern for"),
        ("CRI ", "Corrected and republished in"),
        ("PRIN", "Partial retraction in"),
        ("UOF ", "Update of"),
    ],
)
def test_notices_tell_their_direction(tag: str, notice: str) -> None:
    got = fields("PT  - Retracted Publication", f"{tag}- J Seas. 2020;4:1. doi:", "      10.1000/sea.9. PMID: 9")

    assert got == {"type": ["Retracted Publication"], "notice": [f"{notice}: J Seas. 2020;4:1. doi: 10.1000/sea.9. PMID: 9"]}


def test_a_comment_is_no_notice() -> None:
    assert fields("CON - J Seas. 2020;4:1") == {"comment on": ["J Seas. 2020;4:1"]}


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("AID - doi:10.1000/sea.7", "doi", "doi:10.1000/sea.7"),
        ("LID - 1042 [pii]", "pii", "1042"),
        ("AID - NBK1 [bookaccession]", "bookaccession", "NBK1"),
        ("AID - 77", "article id", "77"),
    ],
)
def test_identifiers(line: str, field: str, value: str) -> None:
    assert fields(line) == {field: [value]}


# ------------------------------------------------------------------------------------------------------------------------- write and read

_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="*"), min_size=1, max_size=9)


def wrapped(tag: str, words: list[str], width: int) -> list[str]:
    """A value as PubMed writes it."""
    lines, line = [], f"{tag:<4}-"
    for word in words:
        if len(line) > 6 and len(line) + len(word) > width:
            lines.append(line)
            line = "     "
        line += f" {word}"
    return [*lines, line]


@given(st.lists(st.tuples(st.lists(_WORDS, min_size=1), st.lists(_WORDS, min_size=1)), min_size=1, max_size=4), st.integers(10, 88))
def test_what_is_written_is_read(records: list[tuple[list[str], list[str]]], width: int) -> None:
    lines = [
        line
        for number, (title, abstract) in enumerate(records, start=1)
        for line in [f"PMID- {number}", *wrapped("TI", title, width), *wrapped("AB", abstract, width), "SO  - J Seas.", ""]
    ]
    read, found = parts(medline.FORMAT, "\n".join(lines))

    assert found == []
    assert [(raw.fields["title"], raw.fields["abstract"]) for raw in read] == [
        ([" ".join(title)], [" ".join(abstract)]) for title, abstract in records
    ]


# ------------------------------------------------------------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "records", "with_abstract", "told"),
    [  # lines that begin with PMID, and with AB
        ("biopython_pubmed_result1.txt", 1, 1, []),
        ("nbib_balloongui.nbib", 75, 70, []),
        ("nbib_single.nbib", 1, 1, []),
        ("revtools_restoration_pubmed.nbib", 104, 96, []),
        ("metaknowledge.medline", 175, 171, [(Trouble.REPAIRED, 14925)]),  # ends in the middle of a word
    ],
)
def test_real_files(name: str, records: int, with_abstract: int, told: list[tuple[Trouble, int]], shared_data: Path) -> None:
    read, found = parts(medline.FORMAT, (shared_data / "exports" / name).read_bytes())

    assert (len(read), sum("abstract" in raw.fields for raw in read)) == (records, with_abstract)
    assert all(raw.fields["title"] and raw.fields["pmid"] for raw in read)
    assert [(problem.kind, problem.line) for problem in found] == told
