"""RIS and its dialects."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats import ris
from rag_qa.sources.reader import Problem, Raw, Trouble
from tests.sources.formats.test_tagged import one, parts


def raws(content: str) -> list[Raw]:
    return parts(ris.FORMAT, content)[0]


def problems(content: str) -> list[tuple[Trouble, int | None, str]]:
    return [(problem.kind, problem.line, problem.reason) for problem in parts(ris.FORMAT, content)[1]]


def fields(*lines: str, kind: str = "JOUR") -> dict[str, list[str]]:
    """The fields of a record with these lines."""
    raw = one(ris.FORMAT, "\n".join([f"TY  - {kind}", *lines, "ER  - ", ""]))
    return {name: list(values) for name, values in raw.fields.items() if name != "type"}


def test_a_record_of_a_reference_manager() -> None:
    raw = one(
        ris.FORMAT,
        "TY  - JOUR\nTI  - Tides of the sea\nAU  - Noor, Ada\nAU  - Lund, Bo\nT2  - Journal of Seas\nJ2  - J. Seas\nAB  - We study tides.\n"
        "DA  - 2019/03/02/\nPY  - 2019\nDO  - 10.1000/sea.7\nVL  - 3\nIS  - 2\nSP  - 10\nEP  - 19\nSN  - 1234-5678\nLA  - en\nKW  - tide\n"
        "KW  - *sea\nUR  - https://example.org/sea\nN1  - read it\nCY  - Oslo\nPB  - Sea Press\nER  - \n",
    )

    assert (raw.line, raw.markup) == (1, "plain")
    assert raw.fields == {
        "title": ["Tides of the sea"],
        "author": ["Noor, Ada", "Lund, Bo"],
        "venue": ["Journal of Seas", "J. Seas"],
        "abstract": ["We study tides."],
        "year": ["2019", "2019/03/02/"],
        "doi": ["10.1000/sea.7"],
        "url": ["https://example.org/sea"],
        "keyword": ["tide", "sea"],
        "language": ["en"],
        "type": ["JOUR"],
        "volume": ["3"],
        "issue": ["2"],
        "pages": ["10-19"],
        "issn": ["1234-5678"],
        "note": ["read it"],
        "address": ["Oslo"],
        "publisher": ["Sea Press"],
    }


# ------------------------------------------------------------------------------------------------------------------------- tags and lines


@pytest.mark.parametrize(
    "content",
    [
        "TY  - JOUR\nTI  - Tides\nAB  - We study.\nER  - \n",
        "TY  -JOUR\nTI  -Tides\nAB  -We study.\nER  -",
        "TY - JOUR\nTI - Tides\nAB - We study.\nER -",
        "TY- JOUR\nTI- Tides\nAB- We study.\nER- ",
        "TY\t- JOUR\nTI\t- Tides\nAB \t- We study.\nER\t- ",
        "TY  -\tJOUR\nTI  -\tTides\nAB  -\tWe study.\nER  -\t",
        "TY  – JOUR\nTI  – Tides\nAB  – We study.\nER  – ",
        "TY\xa0\xa0-\xa0JOUR\nTI\xa0\xa0-\xa0Tides\nAB\xa0\xa0-\xa0We study.\nER\xa0\xa0-",
        "ty  - JOUR\nti  - Tides\nab  - We study.\ner  - ",
        "  TY  - JOUR\n  TI  - Tides\n  AB  - We study.\n  ER  - ",
        "TY  - JOUR\n   TI  - Tides\n   AB  - We study.\n   ER  - ",
        "TY  - JOUR\nTI - Tides\nAB  - We study.\nER -\n",
        "TY  - JOUR\n\nTI  - Tides\n\nAB  - We study.\n\nER  - \n",
        "TY  - JOUR\r\nTI  - Tides\r\nAB  - We study.\r\nER  - \r\n\x1a",
        "TY  - JOUR\rTI  - Tides\rAB  - We study.\rER  - \r",
        "\ufeff\n\nTY  - JOUR\nTI  - Tides\nAB  - We study.\nER",
    ],
)
def test_tags_in_any_spacing(content: str) -> None:
    raw = one(ris.FORMAT, content)

    assert raw.fields == {"title": ["Tides"], "abstract": ["We study."], "type": ["JOUR"]}
    assert ris.FORMAT.claims(content)


@pytest.mark.parametrize(
    "line",
    [
        "ER then the second line",
        "ER - positive tumours were rare.",
        "AB initio methods",
        "NF-κB and IL-6",
        "IL - 6 rose",
        "T1 - weighted images",
        "CT - guided biopsy",
        "CA - 125",
        "TY - 90 was used in the second group",
        "      ER then second line",
        "      * second line",
        "PR  status",
        "non - linear",
        "Ty  - a word",
    ],
)
def test_a_line_of_an_abstract_that_looks_like_a_tag(line: str) -> None:
    got = fields("AB  - We study the effect of", line, "TI  - Tides")

    assert got == {"abstract": [f"We study the effect of\n{line.strip()}"], "title": ["Tides"]}


def test_an_abstract_over_blank_lines_and_an_indented_one() -> None:
    # the second is how PeerJ writes it: nothing on the line of the tag
    assert fields("AB  - 3502", "", "Background: Tides.", "", "", "Methods: We look.", "", "TI  - Tides")["abstract"] == [
        "3502\n\nBackground: Tides.\n\n\nMethods: We look."
    ]
    assert fields("AB  - ", "            ", "               Background", "               Tides are long.", "VL  - 6") == {
        "abstract": ["Background\nTides are long."],
        "volume": ["6"],
    }


def test_keywords_and_addresses_one_a_line_and_other_values_as_a_whole() -> None:
    # EndNote writes the tag once
    got = fields(
        "KW  - Animals", "*Tides/physiology", "Models, Animal", "UR  - https://a.org/1", "https://b.org/2", "AD  - One Institute.", "Two Institute."
    )

    assert got["keyword"] == ["Animals", "Tides/physiology", "Models, Animal"]
    assert got["url"] == ["https://a.org/1", "https://b.org/2"]
    assert got["affiliation"] == ["One Institute.\nTwo Institute."]


def test_empty_values_are_left_out() -> None:
    assert fields("TI  - Tides", "N2  -", "PY  - ", "KW  - ") == {"title": ["Tides"]}


def test_a_tag_of_more_letters_and_an_unknown_one() -> None:
    assert fields("PMID  - 123", "ZQ  - something") == {"pmid": ["123"], "zq": ["something"]}
    assert fields("PMID - 123", "TI  - Tides") == {"pmid": ["123"], "title": ["Tides"]}


# ------------------------------------------------------------------------------------------------------------------------- records


def test_junk_before_and_between_records_is_passed_over() -> None:
    content = (
        'Record #1 of 2\nProvider: Provider\nContent: text/plain; charset="UTF-8"\n1.\nTY  - JOUR\nTI  - Tides\nER  - \n\n'
        "Record #2 of 2\nDatabase: PsycINFO\n2.\nTY  - JOUR\nTI  - Winds\nER  - \n"
        "Link to the Ovid Full Text or citation: https://example.org/?T=JS&CSC=YLink to the External Link Resolver: http://example.org\n"
    )

    assert [(raw.line, raw.fields["title"]) for raw in raws(content)] == [(5, ["Tides"]), (12, ["Winds"])]
    assert problems(content) == []


def test_text_between_records_is_told() -> None:
    content = "TY  - JOUR\nTI  - Tides\nER  - \n\nThis abstract was pasted by hand.\nOn two lines.\n\nTY  - JOUR\nTI  - Winds\nER  - \n"

    assert problems(content) == [(Trouble.NOT_A_PAPER, 5, "text that is in no RIS record: 'This abstract was pasted by hand.'")]
    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"]]


def test_what_ovid_writes_after_the_end_is_of_the_record_before() -> None:
    content = "TY  - JOUR\nTI  - Tides\nER  -\nNL  - J Seas\n\nTY  - JOUR\nTI  - Winds\nER  -\nNL  - J Winds\n"

    assert [raw.fields["nl"] for raw in raws(content)] == [["J Seas"], ["J Winds"]]
    assert problems(content) == []


def test_a_record_without_its_end_costs_no_other() -> None:
    content = "TY  - JOUR\nTI  - Tides\nER  - \n\nTY  - JOUR\nTI  - Winds\nAB  - We study\n\nTY  - JOUR\nTI  - Rains\nER  - \n"

    assert [raw.fields["title"] for raw in raws(content)] == [["Tides"], ["Winds"], ["Rains"]]
    assert problems(content) == [(Trouble.REPAIRED, 5, "this record has no end (ER): the next one begins at line 9")]


def test_a_file_that_is_cut_off() -> None:
    content = "TY  - JOUR\nTI  - Tides\nER  - \n\nTY  - JOUR\nTI  - Winds\nAB  - We stu"

    assert raws(content)[1].fields["abstract"] == ["We stu"]
    assert problems(content) == [(Trouble.REPAIRED, 5, "this record has no end (ER): the file may have been cut off")]


def test_where_no_record_has_an_end_it_is_told_once() -> None:
    content = "TY  - JOUR\nTI  - Tides\nTY  - JOUR\nTI  - Winds\nTY  - JOUR\nTI  - Rains\n"

    assert len(raws(content)) == 3
    assert [problem[:2] for problem in problems(content)] == [(Trouble.REPAIRED, 1)]


def test_a_record_without_its_type() -> None:
    content = (
        "TY  - JOUR\nTI  - Tides\nER  - \n\nTI  - Winds\nAB  - We study winds.\nER  - \nAU  - Noor, Ada\nTI  - Rains\nER  - \n\n"
        "TY  - JOUR\nTI  - Snow\nER  - \nER  - \n"
    )

    assert [(raw.line, raw.fields["title"]) for raw in raws(content)] == [(1, ["Tides"]), (5, ["Winds"]), (8, ["Rains"]), (12, ["Snow"])]
    assert problems(content) == [
        (Trouble.REPAIRED, 5, "this record has no type (TY)"),
        (Trouble.REPAIRED, 8, "this record has no type (TY)"),
    ]


def test_a_file_in_which_no_record_has_a_type() -> None:
    # CiteSource writes this
    content = "C1  - 1\nTI  - Tides\nAB  - We study.\nER  - \nC1  - 2\nTI  - Winds\nER  - \n\nC1  - 3\nTI  - Rains\nER  - \n"

    assert [raw.fields["c1"] for raw in raws(content)] == [["1"], ["2"], ["3"]]
    assert problems(content) == []
    assert ris.FORMAT.claims(content)


def test_a_record_with_nothing_in_it_is_a_record() -> None:
    assert [raw.fields for raw in raws("TY  -\nER  -\n\nTY  - GEN\nER  -\n")] == [{}, {"type": ["GEN"]}]


# ------------------------------------------------------------------------------------------------------------------------- fields


@pytest.mark.parametrize(
    ("kind", "lines", "title", "venue"),
    [
        ("JOUR", ["T1  - Tides", "JF  - Journal of Seas", "JO  - J Seas", "JA  - J S"], ["Tides"], ["Journal of Seas", "J Seas", "J S"]),
        ("JOUR", ["JA  - J S", "JO  - Journal of Seas", "TI  - Tides"], ["Tides"], ["Journal of Seas", "J S"]),
        ("JOUR", ["TI  - Tides", "T2  - Journal of Seas", "J2  - J S"], ["Tides"], ["Journal of Seas", "J S"]),
        ("CHAP", ["TI  - Tides", "T2  - Seas", "T3  - Nature Library"], ["Tides"], ["Seas"]),
        ("CHAP", ["CT  - Tides", "BT  - Seas"], ["Tides"], ["Seas"]),
        ("BOOK", ["BT  - Seas"], ["Seas"], None),
        ("BOOK", ["TI  - Seas", "T2  - Nature Library"], ["Seas"], None),
        ("BOOK", ["TI  - Tides", "T2  - Seas", "M3  - Book Chapter"], ["Tides"], ["Seas"]),
        ("CPAPER", ["TI  - Tides", "C3  - Proceedings of Seas"], ["Tides"], ["Proceedings of Seas"]),
        ("GEN", ["ST  - Tides"], ["Tides"], None),
    ],
)
def test_titles_and_venues_by_type(kind: str, lines: list[str], title: list[str], venue: list[str] | None) -> None:
    got = fields(*lines, kind=kind)

    assert (got["title"], got.get("venue")) == (title, venue)


def test_the_same_title_twice_is_one_and_another_is_a_translation() -> None:
    assert fields("TI  - Tides", "T1  - Tides", "ST  - Tides") == {"title": ["Tides"]}
    assert fields("TI  - Mareas", "TI  - Tides", "TT  - Marées") == {"title": ["Mareas"], "translated_title": ["Tides", "Marées"]}


def test_a_title_that_is_cut_off_is_no_title_of_its_own() -> None:
    assert fields("TI  - Tides of...", "T1  - Tides of the sea") == {"title": ["Tides of the sea"]}


def test_a_record_of_cochrane() -> None:
    got = fields(
        "AN  - CN-01", "TI  - Tides", "C3  - PUBMED 123,EMBASE 62", "DOI  - 10.1000/sea.7", "US  - https://example.org/CN-01/full", kind="CPAPER"
    )

    assert (got["pmid"], got["doi"], got["url"]) == (["123"], ["10.1000/sea.7"], ["https://example.org/CN-01/full"])


def test_two_abstracts() -> None:
    assert fields("AB  - We study tides.", "N2  - Estudiamos las mareas.")["abstract"] == ["We study tides.", "Estudiamos las mareas."]
    assert fields("N2  - We study tides.", "AB  - We study tides.")["abstract"] == ["We study tides."]


def test_parts_of_one_abstract_under_several_tags() -> None:
    assert fields("AB  - We study tides.", "AB  - Copyright of Seas is the property of Sea Press.")["abstract"] == [
        "We study tides.\nCopyright of Seas is the property of Sea Press."
    ]
    assert fields("AB  - Background: Tides.", "AB  - Methods: We look.", "AB  - Results: Long.")["abstract"] == [
        "Background: Tides.\nMethods: We look.\nResults: Long."
    ]


def test_authors_in_the_order_of_the_file_and_editors_apart() -> None:
    got = fields("A1  - Noor, Ada", "A2  - Lund, Bo", "AU  - G&ouml;ns, Eva; Park, Min", "ED  - Roth, Al", "A4  - Sato, Jo")

    assert got == {"author": ["Noor, Ada", "G&ouml;ns, Eva", "Park, Min"], "editor": ["Lund, Bo", "Roth, Al"], "translator": ["Sato, Jo"]}


@pytest.mark.parametrize(
    "lines",
    [
        ["DO  - 10.1000/sea.7"],
        ["M3  - 10.1000/sea.7"],
        ["L3  - 10.1000/sea.7"],
        ["N1  - 10.1000/sea.7"],
        ["DO  - 10.1000/sea.7", "N1  - 10.9999/another"],
    ],
)
def test_where_a_doi_stands(lines: list[str]) -> None:
    assert fields(*lines)["doi"] == ["10.1000/sea.7"]


def test_a_doi_inside_a_note_or_in_what_is_cited_is_not_that_of_the_paper() -> None:
    cited = [f"M1  - Noor, A. ({year}). Tides. Journal of Seas, 3, 10-19. http://dx.doi.org/10.1000/sea.{year}" for year in range(2001, 2006)]
    got = fields("N1  - Comment on: J Seas. doi: 10.1000/sea.9", *cited)

    assert got == {"note": ["Comment on: J Seas. doi: 10.1000/sea.9"]}


@pytest.mark.parametrize(
    ("lines", "pmid"),
    [
        (["PMID  - 12345678"], ["12345678"]),
        (["C2  - 12345678 (PMID)"], ["12345678"]),
        (["U1  - 12345678[pmid]", "U2  - PMC99[pmcid]"], ["12345678"]),
        (["AN  - 12345678", "DP  - NLM"], ["12345678"]),
        (["DB  - Ovid MEDLINE(R)", "L2  - http://ovidsp.ovid.com/ovidweb.cgi?T=JS&D=medp&NEWS=N&AN=12345678"], ["12345678"]),
        (["C2  - 12345678", "DB  - Scopus"], ["12345678"]),
        (["C5  - 12345678", "DB  - Embase"], ["12345678"]),
        (["N1  - Accession Number: 2022-1-2. PMID: 12345678 Partial author list"], ["12345678"]),
        (["AN  - 12345678", "DB  - Academic Search Premier"], None),
        (["C2  - 1001", "DB  - Scopus"], None),
    ],
)
def test_where_a_pubmed_id_stands(lines: list[str], pmid: list[str] | None) -> None:
    assert fields(*lines).get("pmid") == pmid


def test_ids_of_pmc_and_arxiv() -> None:
    assert fields("C2  - PMC123")["pmcid"] == ["PMC123"]
    assert fields("T2  - arXiv:1706.03762 [cs]", "TI  - Attention")["arxiv"] == ["arXiv:1706.03762 [cs]"]


def test_the_type_of_the_work() -> None:
    raw = one(ris.FORMAT, "TY  - JOUR\nM3  - Erratum\nM3  - Health & Mental Health [3300]\nER  - \n")

    assert raw.fields == {"type": ["JOUR", "Erratum"], "class": ["Health & Mental Health [3300]"]}


def test_types_and_notices_among_the_notes() -> None:
    # EndNote writes what PubMed says of a paper into its notes
    notes = [
        "N1  - 1234-5678",
        "Noor, Ada",
        "Journal Article",
        "Retracted Publication",
        "Retraction in: J Seas. 2020;4:1",
        "Comment in: J Seas. 2019;3:9",
    ]
    raw = one(ris.FORMAT, "\n".join(["TY  - JOUR", *notes, "ER  - "]))

    assert raw.fields["type"] == ["JOUR", "Retracted Publication"]
    assert raw.fields["notice"] == ["Retraction in: J Seas. 2020;4:1"]


def test_numbers_of_journals_and_books_and_pages() -> None:
    assert fields("SN  - 1234-5678", "SN  - 978-3-642-00230-4") == {"issn": ["1234-5678"], "isbn": ["978-3-642-00230-4"]}
    assert fields("SP  - 349-69", "EP  - 369") == {"pages": ["349-69"]}
    assert fields("SP  - No", "EP  - Specified") == {}
    assert fields("SP  - e12") == {"pages": ["e12"]}


# ------------------------------------------------------------------------------------------------------------------------- write and read

_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\u00ad"), min_size=1, max_size=8)
_LINES = st.lists(_WORDS, min_size=1, max_size=8).map(" ".join)
_RECORDS = st.fixed_dictionaries({"TI": _LINES, "AB": st.lists(_LINES, min_size=1, max_size=4), "AU": st.lists(_WORDS, max_size=3)})


@given(st.lists(_RECORDS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["TY  - JOUR", "\ufeffTY  - "]))
def test_what_is_written_is_read(records: list[dict[str, object]], end: str, first: str) -> None:
    lines: list[str] = []
    for record in records:
        authors, abstract = record["AU"], record["AB"]
        assert isinstance(authors, list)
        assert isinstance(abstract, list)
        # a tag needs a dash within the first characters of a line: these lines have none there
        paragraphs = [line.replace("-", "_").replace("–", "_").replace("—", "_").replace("@", "a").replace("%", "p") for line in abstract]
        record["AB"] = paragraphs
        lines += [first, f"TI  - {record['TI']}", f"AB  - {paragraphs[0]}", *paragraphs[1:], *(f"AU  - {name}" for name in authors), "ER  - ", ""]
    read, found = parts(ris.FORMAT, end.join(lines))

    assert found == []
    assert [" ".join(raw.fields["title"]) for raw in read] == [record["TI"] for record in records]
    assert [raw.fields["abstract"][0].split("\n") for raw in read] == [record["AB"] for record in records]
    assert len(read) == len(records)


# ------------------------------------------------------------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "records", "with_abstract"),
    [  # lines that begin with TY, and lines with AB or N2 and a text
        ("asreview_all_reference_types.ris", 61, 0),
        ("asreview_baseline.ris", 100, 98),
        ("asreview_empty_values.ris", 4, 2),
        ("asreview_ovid_psycinfo.ris", 6, 6),
        ("asreview_pubmed_endnote.txt", 6, 6),
        ("asysd_ris_export.txt", 69, 58),
        ("asysd_zotero_export.ris", 1000, 776),
        ("citesource_wos_79.ris", 79, 76),
        ("publisher_peerj.ris", 1, 1),
        ("revtools_restoration_scopus.ris", 286, 281),
        ("rispy_extraneous_data.ris", 2, 2),
        ("rispy_multiline.ris", 3, 3),
    ],
)
def test_real_files(name: str, records: int, with_abstract: int, shared_data: Path) -> None:
    read, found = parts(ris.FORMAT, (shared_data / "exports" / name).read_bytes())

    assert (len(read), sum("abstract" in raw.fields for raw in read)) == (records, with_abstract)
    assert found == []


def test_the_dois_of_what_psycinfo_papers_cite_are_not_theirs(shared_data: Path) -> None:
    read, _ = parts(ris.FORMAT, (shared_data / "exports" / "asreview_ovid_psycinfo.ris").read_bytes())

    assert [raw.fields["doi"] for raw in read][:2] == [["http://dx.doi.org/10.1002/cpp.2398"], ["http://dx.doi.org/10.1177/1359105317742958"]]
    assert all(len(raw.fields["doi"]) == 1 and "number" not in raw.fields for raw in read)


def test_problem_lines_are_those_of_the_file() -> None:
    (problem,) = parts(ris.FORMAT, "TY  - JOUR\r\rTI  - Tides\r\n\r\nTY  - JOUR\r\nER  - ")[1]

    assert problem == Problem("a.txt", 1, "this record has no end (ER): the next one begins at line 5", Trouble.REPAIRED)
