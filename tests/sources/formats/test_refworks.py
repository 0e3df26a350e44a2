"""RefWorks tagged, as RefWorks, publishers and Chinese databases write it."""

from __future__ import annotations

import pytest

from rag_qa.sources.formats import refworks
from tests.sources.formats.test_tagged import one, parts

ARTICLE = (
    "RT Journal Article\nSR Electronic(1)\nID 271\nA1 Noor,Ada\nA1 Lund,Bo\nT1 Tides of the sea\nJF Seas & Winds\nJO Seas\nYR 2002\nFD Feb\n"
    "VO 32\nIS 3\nSP 551\nOP 565\nK1 Tides\nK1 Winds\nAB We study tides.\nNO Retraction in: Seas 2003;1:2; PO: Human\nPB Sea Press\n"
    "SN 0191-8869\nAD Sea Institute\nAN 12345678\nDB PubMed\nLA English\nLK http://example.org/1\nDO 10.1000/sea.7\n"
    "CR Park 1999, 10.1000/cited.1\nOL English (30)\n"
)
CHAPTER = "RT Book, Section\nA1 Noor,Ada\nA2 Lund, B.\nT1 Tides\nT2 The book of seas\nYR 2002\nSP 101\nSN 0727912771 (paperback)\n"
HEADING = (
    "Refworks Export Tagged Format\n\nCharacter Set=utf-8\n\nTag legend\n*****\nRT=Reference Type\nA1=Primary Authors\n\n*****\n"
    "BEGIN EXPORTED REFERENCES\n\n\n"
)


def test_an_article() -> None:
    raw = one(refworks.FORMAT, ARTICLE)

    assert raw.key == "12345678"
    assert raw.fields == {
        "title": ["Tides of the sea"],
        "abstract": ["We study tides."],
        "author": ["Noor,Ada", "Lund,Bo"],
        "year": ["2002", "Feb"],
        "venue": ["Seas & Winds", "Seas"],
        "doi": ["10.1000/sea.7"],
        "pmid": ["12345678"],
        "url": ["http://example.org/1"],
        "keyword": ["Tides", "Winds"],
        "language": ["English"],
        "type": ["Journal Article"],
        "notice": ["Retraction in: Seas 2003"],
        "pages": ["551-565"],
        "issn": ["0191-8869"],
        "source type": ["Electronic(1)"],
        "id": ["271"],
        "volume": ["32"],
        "issue": ["3"],
        "note": ["Retraction in: Seas 2003;1:2; PO: Human"],
        "publisher": ["Sea Press"],
        "affiliation": ["Sea Institute"],
        "accession": ["12345678"],
        "database": ["PubMed"],
    }


def test_a_chapter_is_in_its_book_and_a_book_in_its_series() -> None:
    chapter = one(refworks.FORMAT, CHAPTER)
    book = one(refworks.FORMAT, CHAPTER.replace("Book, Section", "Book, Whole"))

    assert (chapter.fields["venue"], chapter.fields["editor"], chapter.fields["pages"]) == (["The book of seas"], ["Lund, B."], ["101"])
    assert chapter.fields["isbn"] == ["0727912771 (paperback)"]
    assert ("venue" in book.fields, book.fields["series"]) == (False, ["The book of seas"])


def test_the_heading_of_refworks_is_no_text() -> None:
    raws, problems = parts(refworks.FORMAT, HEADING + ARTICLE + "\n" + CHAPTER)

    assert refworks.FORMAT.claims(HEADING + ARTICLE)
    assert [raw.line for raw in raws] == [14, 43]
    assert problems == []


def test_as_cnki_writes_it() -> None:
    raw = one(
        refworks.FORMAT,
        "RT Dissertation/Thesis\r\nSR 1\r\nA1王伟,李娜\r\nA3 黄河;杨清\r\nPB 南京大学\r\nT1 潮汐\r\nCL 硕士\r\nYR 2015\r\nvo 49\r\nOP 1-7+9\r\n"
        "K1 海;风\r\nAB <正>研究潮汐。\r\nLA 中文;\r\nURL https://example.org/1\r\nDS CNKI\r\n",
    )

    assert raw.fields == {
        "title": ["潮汐"],
        "abstract": ["研究潮汐。"],
        "author": ["王伟", "李娜"],
        "year": ["2015"],
        "supervisor": ["黄河", "杨清"],
        "url": ["https://example.org/1"],
        "keyword": ["海", "风"],
        "language": ["中文"],
        "type": ["Dissertation/Thesis"],
        "pages": ["1-7+9"],
        "source type": ["1"],
        "publisher": ["南京大学"],
        "classification": ["硕士"],
        "volume": ["49"],
        "provider": ["CNKI"],
    }


@pytest.mark.parametrize("line", ["AIM We study.", "DNA is long.", "METHODS: we measured.", "T1-weighted images", "vo ices of the sea", "a1 Noor"])
def test_text_that_is_no_tag(line: str) -> None:
    raw = one(refworks.FORMAT, f"RT Journal Article\nT1 Tides\nAB We study tides.\n{line}\n")

    assert raw.fields["abstract"] == [f"We study tides.\n{line}"]


def test_a_doi_in_the_notes() -> None:
    assert one(refworks.FORMAT, "RT Journal Article\nT1 Tides\nNO doi: 10.1086/374030\n").fields["doi"] == ["doi: 10.1086/374030"]


def test_an_accession_number_of_another_database_is_no_pmid() -> None:
    assert "pmid" not in one(refworks.FORMAT, ARTICLE.replace("DB PubMed", "DB CINAHL")).fields
