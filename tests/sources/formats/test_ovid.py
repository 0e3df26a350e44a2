"""Citations in Ovid's own format, with tags and with whole names."""

from __future__ import annotations

import pytest

from rag_qa.sources.formats import ovid
from rag_qa.sources.reader import Trouble
from tests.sources.formats.test_tagged import one, parts

TAGGED = (
    "<1. >\nVN  - Ovid Technologies\nDB  - Ovid MEDLINE(R)\nAN  - 123\nAU  - Noor, Ada MD, PhD 1,2,*\n"
    "AU  - Lund, Bo [Author; E-mail: b@example.org]\nIN  - Noor, Ada: Institute\n\n      Lund, Bo: Institute\n"
    "TI  - Tides of the sea.  [Review]\nSO  - Journal of Seas. 3(2):10-19, March 2, 2019.\n"
    "AB  - Background: We study tides.\n      They are long.\nKW  - tides;  seas\nMH  - *Sea\nLG  - English.\nPT  - Journal Article.\n"
    "IS  - 1234-5678\nDI  - 10.1000/sea.7\nRF  - Park M. (2001). http://dx.doi.org/10.1000/cited.1\nXL  - http://ovid.example.org/a\n\n"
    "<2. >\nVN - Ovid Technologies\nTI - Winds\nSO - Winds Today March 2018;1(2):3\n"
)
NAMED = (
    "<7>\nUnique Identifier\n  123\nAuthor\n  Noor, Ada MD *;  Lund, Bo RN +\nTitle\n  Tides of the\n  sea.[Article]\n"
    "Source\n  Seas Today.   28(2):103-106, April 2015.\nAbstract\n  We study tides.\n\n  They are long.\nAuthor Keywords\n  tides;  seas\n"
    "References\n  Park M. 2001. http://dx.doi.org/10.1000/cited.1\n\n  Roth A. 2002.\nComments\n  Erratum in: Seas Today. 2016;29:1\n"
    "DOI Number\n  10.1000/sea.7\nPage Count\n  4\n  \n<8>  \nTitle\n  Winds\n"
)


def test_the_tagged_form() -> None:
    (first, second), problems = parts(ovid.FORMAT, TAGGED)

    assert problems == []
    assert first.fields == {
        "title": ["Tides of the sea."],
        "abstract": ["Background: We study tides.\nThey are long."],
        "author": ["Noor, Ada", "Lund, Bo"],
        "year": ["Journal of Seas. 3(2):10-19, March 2, 2019."],
        "venue": ["Journal of Seas"],
        "doi": ["10.1000/sea.7"],
        "pmid": ["123"],
        "keyword": ["tides;  seas", "Sea"],
        "language": ["English"],
        "type": ["Review", "Journal Article"],
        "url": ["http://ovid.example.org/a"],
        "provider": ["Ovid Technologies"],
        "database": ["Ovid MEDLINE(R)"],
        "accession": ["123"],
        "affiliation": ["Noor, Ada: Institute\n\nLund, Bo: Institute"],
        "source": ["Journal of Seas. 3(2):10-19, March 2, 2019."],
        "issn": ["1234-5678"],
    }
    assert (second.line, second.fields["title"], second.fields["venue"]) == (23, ["Winds"], ["Winds Today"])


def test_the_form_with_whole_names() -> None:
    (first, second), problems = parts(ovid.FORMAT, NAMED)

    assert problems == []
    assert first.fields == {
        "title": ["Tides of the\nsea."],
        "abstract": ["We study tides.\n\nThey are long."],
        "author": ["Noor, Ada", "Lund, Bo"],
        "year": ["Seas Today.   28(2):103-106, April 2015."],
        "venue": ["Seas Today"],
        "doi": ["10.1000/sea.7"],
        "keyword": ["tides;  seas"],
        "type": ["Article"],
        "notice": ["Erratum in: Seas Today. 2016;29:1"],
        "comment": ["Erratum in: Seas Today. 2016;29:1"],
        "id": ["123"],
        "source": ["Seas Today.   28(2):103-106, April 2015."],
        "page count": ["4"],
    }
    assert (second.line, second.fields) == (28, {"title": ["Winds"]})


@pytest.mark.parametrize("content", [TAGGED, NAMED, TAGGED.replace("\n", "\n ")])
def test_it_is_recognised(content: str) -> None:
    assert ovid.FORMAT.claims("\n" + content)


def test_the_journal_from_the_link() -> None:
    raw = one(
        ovid.FORMAT, "<1>\nVN  - Ovid\nTI  - Tides\nXL  - http://example.org/?id=pmid:123&id=doi:10.1000%2Fsea.7&title=Seas+%26+Winds&atitle=Tides\n"
    )

    assert (raw.fields["venue"], raw.fields["pmid"], raw.fields["doi"]) == (["Seas & Winds"], ["123"], ["10.1000/sea.7"])


def test_a_title_in_brackets_is_a_translation_and_no_kind() -> None:
    assert one(ovid.FORMAT, "<1>\nTI  - [Spiders of Sakhalin.]\n").fields == {"title": ["[Spiders of Sakhalin.]"]}


def test_text_before_the_first_record_is_told() -> None:
    read, problems = parts(ovid.FORMAT, "Search of Monday\n\n" + TAGGED)

    assert [raw.line for raw in read] == [3, 25]
    assert [(problem.kind, problem.line) for problem in problems] == [(Trouble.NOT_A_PAPER, 1)]
