"""The report of an indexing run, and one paper with its sources and versions."""

from __future__ import annotations

import json

from rag_qa.engine import IndexReport, PaperRecord
from rag_qa.index.changes import Fate, Outcome
from rag_qa.interfaces import render, reports
from rag_qa.papers import Notice, Origin, Paper, Version
from rag_qa.sources.reader import Problem, Trouble

FATES = (
    Fate("/lib/a.ris", 1, Outcome.ADDED, "p1", "On tides", ""),
    Fate("/lib/a.ris", 9, Outcome.UPDATED, "p2", "On moss", ""),
    Fate("/lib/more/b.bib", 3, Outcome.UNCHANGED, "p3", "On wolves", ""),
    Fate("/lib/more/b.bib", 8, Outcome.MERGED, "p1", "On tides", "same DOI 10.1000/x"),
)
SKIPPED = (
    Problem("/lib/a.ris", 20, "no abstract, so it is no evidence: 'On storms'", Trouble.NO_ABSTRACT),
    Problem("/lib/more/b.bib", 30, "found no closing brace"),
)
REPORT = IndexReport(
    added=1, updated=1, unchanged=1, merged=1, removed=2, read=6, skipped=SKIPPED, records=FATES, papers=3, passages=4, embedded=2, seconds=1.25
)


def lines(report: IndexReport) -> list[str]:
    return [line.text for line in reports.report_lines(report)]


def test_a_table_with_a_row_a_file_whose_counts_add_up() -> None:
    assert lines(REPORT)[:4] == [
        "file        read  added  updated  unchanged  merged  skipped",
        "a.ris          3      1        1          0       0        1",
        "more/b.bib     3      0        0          1       1        1",
        "all            6      1        1          1       1        2",
    ]


def test_the_rest_says_what_the_index_holds_and_what_was_left_out_where_and_why() -> None:
    assert lines(REPORT)[4:] == [
        "2 removed.",
        "The index holds 3 papers in 4 passages; 2 embedded in 1.2 s.",
        "no abstract: 1",
        "  /lib/a.ris:20: no abstract, so it is no evidence: 'On storms'",
        "malformed: 1",
        "  /lib/more/b.bib:30: found no closing brace",
    ]


def test_one_file_needs_no_total() -> None:
    report = IndexReport(added=1, read=1, records=FATES[:1], papers=1, passages=1, embedded=1)

    assert lines(report)[:3] == [
        "file   read  added  updated  unchanged  merged  skipped",
        "a.ris     1      1        0          0       0        0",
        "The index holds 1 paper in 1 passage; 1 embedded in 0.0 s.",
    ]


def test_a_long_list_is_cut_and_says_where_the_rest_is() -> None:
    skipped = tuple(Problem("a.ris", line, "no end") for line in range(1, 13))

    shown = lines(IndexReport(skipped=skipped, read=12))

    assert shown[-11:-1] == [f"  a.ris:{line}: no end" for line in range(1, 11)]
    assert shown[-1] == "  and 2 more: rag-qa papers --problems"


def test_many_files_are_summed_up() -> None:
    fates = tuple(Fate(f"/lib/{number:02}.ris", 1, Outcome.ADDED, f"p{number}", "", "") for number in range(43))

    shown = lines(IndexReport(added=43, read=43, records=fates))

    assert [row.split() for row in shown[40:43]] == [
        ["39.ris", "1", "1", "0", "0", "0", "0"],
        ["3", "more", "files", "3", "3", "0", "0", "0", "0"],
        ["all", "43", "43", "0", "0", "0", "0"],
    ]


def test_a_preview_says_so_and_does_not_speak_of_what_the_index_holds() -> None:
    shown = lines(IndexReport(added=1, read=1, records=FATES[:1], is_preview=True))

    assert shown[0] == "Preview: nothing is written."
    assert not any(line.startswith("The index holds") for line in shown)


def test_the_json_holds_every_record() -> None:
    report = json.loads(render.to_json(reports.report_json(REPORT)))

    assert report["records"][3] == {
        "path": "/lib/more/b.bib",
        "line": 8,
        "outcome": "merged",
        "paper_id": "p1",
        "title": "On tides",
        "reason": "same DOI 10.1000/x",
    }
    assert report["skipped"][1] == {"path": "/lib/more/b.bib", "line": 30, "reason": "found no closing brace", "kind": "malformed"}


PAPER = Paper(
    "p1",
    "BACKGROUND: Tides rise.\nRESULTS: They fall.",
    title="On tides",
    authors=("Marx, Karl", "WHO"),
    year=2020,
    venue="Sea",
    type="article",
    doi="10.1000/x",
    notices=(Notice.RETRACTED,),
    other_abstracts=("Les marées montent.",),
    versions=(Version(2019, "arXiv", "preprint", arxiv="1901.00001"), Version(2020, "Sea", "article", doi="10.1000/x")),
    origins=(Origin("a.ris", 1), Origin("b.bib", 3)),
    extra={"volume": "7"},
)
RECORDS = [
    PaperRecord(Paper("p1", "x", origins=(Origin("a.ris", 1),)), ""),
    PaperRecord(Paper("p1", "x", origins=(Origin("b.bib", 3),)), "same title"),
]


def test_one_paper_with_its_sources_and_versions() -> None:
    assert [line.text for line in reports.paper_details(PAPER, RECORDS)] == [
        "On tides",
        "id         p1",
        "authors    Marx, Karl; WHO",
        "published  Sea 2020",
        "type       article",
        "doi        10.1000/x",
        "notices    retracted",
        "volume     7",
        "versions",
        "  preprint, arXiv 2019, arXiv:1901.00001",
        "  article, Sea 2020, doi:10.1000/x",
        "sources",
        "  a.ris:1",
        "  b.bib:3 (same title)",
        "abstract",
        "  BACKGROUND: Tides rise.",
        "  RESULTS: They fall.",
        "other abstract",
        "  Les marées montent.",
    ]
    assert reports.details_json(PAPER, RECORDS)["notices"] == ["retracted"]
