"""The Cochrane Library's own text."""

from __future__ import annotations

import pytest

from rag_qa.sources.formats import cochrane
from rag_qa.sources.reader import Trouble
from tests.sources.formats.test_tagged import one, parts

REVIEW = (
    "Record #1 of 2\nID: CD001\nAU: Noor Ada B\nAU: van den Berg Kees\nTI: Tides for sleep\nSO: Cochrane Database of Systematic Reviews\nYR: 2019\n"
    "NO: 2\nPB: John Wiley & Sons, Ltd\nCC: SEA\nKY: Sleep [physiology];Humans[checkword]\nDOI: 10.1002/14651858.CD001.pub2\n"
    "AB: Background: Tides are long.Objectives: To study them.\nUS: https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD001.pub2/full\n\n\n"
)
TRIAL = (
    "Record #2 of 2\nID: CN-002\nAU: Noor AB\nAU: World Tide Organization\nTI: A trial of tides\nSO: Seas\nYR: 2005\nVL: 12\nNO: 3\nPG: 1-5\n"
    "PM: PUBMED 15690000\nXR: EMBASE 36546546\nPT: Journal article\nAB: AIM: to study tides.\nMETHODS: we measured.\n"
)


def test_a_review() -> None:
    (raw, _), problems = parts(cochrane.FORMAT, REVIEW + TRIAL)

    assert problems == []
    assert (raw.line, raw.key) == (1, "CD001")
    assert raw.fields == {
        "title": ["Tides for sleep"],
        "abstract": ["Background: Tides are long.Objectives: To study them."],
        "author": ["Noor, Ada B", "van den Berg, Kees"],
        "year": ["2019"],
        "venue": ["Cochrane Database of Systematic Reviews"],
        "doi": ["10.1002/14651858.CD001.pub2"],
        "keyword": ["Sleep [physiology]", "Humans"],
        "url": ["https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD001.pub2/full"],
        "record number": ["1 of 2"],
        "id": ["CD001"],
        "issue": ["2"],
        "publisher": ["John Wiley & Sons, Ltd"],
        "group": ["SEA"],
    }


def test_a_trial() -> None:
    _, raw = parts(cochrane.FORMAT, REVIEW + TRIAL)[0]

    assert raw.line == 17
    assert raw.fields["pmid"] == ["15690000"]
    assert raw.fields["author"] == ["Noor AB", "World Tide Organization"]
    assert raw.fields["abstract"] == ["AIM: to study tides.\nMETHODS: we measured."]
    assert (raw.fields["type"], raw.fields["accession"]) == (["Journal article"], ["EMBASE 36546546"])


def test_a_file_that_lacks_its_last_records_is_told() -> None:
    raws, problems = parts(cochrane.FORMAT, REVIEW)

    assert len(raws) == 1
    assert [(problem.kind, problem.line, problem.reason) for problem in problems] == [
        (Trouble.REPAIRED, 1, "the last record is number 1 of 2: the file may have been cut off")
    ]


def test_lone_carriage_returns_end_lines() -> None:
    raws, problems = parts(cochrane.FORMAT, "\ufeff" + (REVIEW + TRIAL).replace("\n", "\r"))

    assert [raw.line for raw in raws] == [1, 17]
    assert problems == []


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Noor Ada", "Noor, Ada"),
        ("Noor Ada Maria", "Noor, Ada Maria"),
        ("Noor A", "Noor A"),
        ("van der Berg KJ", "van der Berg KJ"),
        ("Pineda de la Losa Fernando", "Pineda de la Losa, Fernando"),
        ("Roqué i Figuls Marta", "Roqué i Figuls, Marta"),
        ("Noor, Ada", "Noor, Ada"),
        ("Tide Study Group", "Tide Study Group"),
        ("Noor", "Noor"),
    ],
)
def test_names(written: str, name: str) -> None:
    raw = one(cochrane.FORMAT, f"Record #1 of 1\nID: 1\nAU: {written}\nTI: Tides\n")

    assert raw.fields["author"] == [name]
