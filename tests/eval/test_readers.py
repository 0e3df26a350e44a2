"""The benchmark of the readers: what it counts and computes. How long anything takes is no matter of tests."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eval import formats, readers, synthetic
from eval.__main__ import main
from eval.readers import Library, LibraryReport, Part, Speed
from rag_qa import dedup
from rag_qa.papers import Paper
from rag_qa.sources import files

MB = 1_000_000


# --------------------------------------------------------------------------------------------------------------- records


def test_a_record_is_always_the_same_and_no_two_are() -> None:
    papers = list(synthetic.papers(200))

    assert papers[150:] == list(synthetic.papers(50, first=150))
    assert len({paper.title for paper in papers}) == len({paper.doi for paper in papers}) == 200
    assert sum(not paper.abstract for paper in papers) == 15  # 5, 18, ... 187
    assert 1000 < sum(len(paper.abstract) for paper in papers) / 200 < 2000  # as long as real ones


def test_records_have_what_makes_real_ones_slow() -> None:
    abstracts = [paper.abstract for paper in synthetic.papers(300) if paper.abstract]

    for mark in ("\nMETHODS: ", "$", "⁻³", "<", "&", "“", "β"):
        assert 1 < sum(mark in abstract for abstract in abstracts) < 200, mark


@pytest.mark.parametrize("kind", synthetic.COPIES)
def test_a_copy_is_the_same_work_by_its_own_reason(kind: str) -> None:
    reasons = {
        "same DOI": "same DOI 10.1000/syn.3",
        "without DOI": "same title, year, volume and page",
        "preprint": "preprint of the same title and authors",
    }
    work = synthetic.paper(3)

    (group,) = dedup.group([dedup.keys(work), dedup.keys(synthetic.copy(work, kind))])

    assert group.reasons == ("", reasons[kind])


# --------------------------------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_file_holds_every_record(name: str) -> None:
    papers = list(synthetic.papers(24))
    found = [one for one in files.read_stream(io.BytesIO(formats.FORMATS[name].content(papers))) if isinstance(one, Paper)]

    assert len(found) == (22 if name == "plain text" else 24)  # two have no abstract, which is all that is there


def test_files_have_the_marks_of_their_programs() -> None:
    paper = replace(synthetic.paper(0), title="CO₂ in E. coli & naïve β-cells at 10⁻³", authors=("Łukasik, Zoë B.",))

    shown = {name: written.write([paper]) for name, written in formats.FORMATS.items()}

    assert "<ArticleTitle>CO<sub>2</sub> in <i>E. coli</i> &amp; naïve β-cells at 10<sup>-3</sup>.</ArticleTitle>" in shown["PubMed XML"]
    assert '<style face="subscript" font="default" size="100%">2</style>' in shown["EndNote XML"]
    assert 'title = {CO$_{2}$ in E. coli \\& na{\\"i}ve $\\beta$-cells at 10$^{-3}$}' in shown["BibTeX in ASCII"]
    assert 'author = {{\\L}ukasik, Zo{\\"e} B.}' in shown["BibTeX in ASCII"]
    assert "FAU - Łukasik, Zoë B.\nAU  - Łukasik ZB\n" in shown["MEDLINE"]
    assert shown["Web of Science"].startswith("\ufeffFN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Łukasik, ZB\n")
    assert max(map(len, shown["MEDLINE"].splitlines())) <= 90
    assert shown["BibTeX in ASCII"].isascii()


# --------------------------------------------------------------------------------------------------------------- a library


def read_folder(folder: Path) -> dict[str, list[Paper]]:
    return {path.name: [one for one in files.read(path) if isinstance(one, Paper)] for path in sorted(folder.iterdir())}


def test_one_record_in_five_is_a_copy_in_another_file(tmp_path: Path) -> None:
    made = readers.library(100, tmp_path)

    found = read_folder(tmp_path)
    records = [(name, paper) for name, papers in found.items() for paper in papers]
    groups = dedup.group([dedup.keys(paper) for _, paper in records])

    assert (made.records, made.works, made.size) == (100, 80, sum(path.stat().st_size for path in tmp_path.iterdir()))
    assert (len(records), len(groups), len(found)) == (100, 80, 12)
    copied = [group for group in groups if len(group.members) > 1]
    assert all(len({records[at][0] for at in group.members}) == len(group.members) == 2 for group in copied)
    assert made.merged == sum(any(records[at][1].abstract for at in group.members) for group in copied) == 19  # of 20: number 44 has none


def test_each_step_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["readers", "--records", "60", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    first, written, unchanged, preview, edited = found["parts"]
    counts = first["counts"]
    assert (counts["read"], counts["merged"], counts["added"] + counts["merged"] + counts["skipped"]) == (60, found["library"]["merged"], 60)
    assert preview["counts"] == counts
    assert list(written["seconds"]) == list(edited["seconds"]) == ["looking for files", "reading", "comparing"]
    assert written["counts"] == unchanged["counts"] == {}
    assert all(part["memory"] >= 0 and part["total"] == pytest.approx(sum(part["seconds"].values())) for part in found["parts"])
    assert (found["library"]["records"], found["library"]["works"], found["faults"]) == (60, 48, [])


def test_one_record_is_edited(tmp_path: Path) -> None:
    readers.library(60, tmp_path)
    before = {(name, paper.doi): paper.abstract for name, papers in read_folder(tmp_path).items() for paper in papers}

    readers.edit(tmp_path)

    after = {(name, paper.doi): paper.abstract for name, papers in read_folder(tmp_path).items() for paper in papers}
    ((name, abstract),) = ((where[0], abstract) for where, abstract in after.items() if abstract != before[where])
    assert (name, abstract.startswith("It is edited: ")) == ("ris.ris", True)


# ---------------------------------------------------------------------------------------------------------------- figures

SPEED = Speed("RIS", records=500, size=2 * MB, seconds=0.5, cpu_seconds=0.25, memory=90 * MB, grown=10 * MB)


def test_rates_are_by_the_clock_and_by_the_processor() -> None:
    assert (SPEED.per_second, SPEED.per_cpu_second, SPEED.bytes_per_second) == (1000, 2000, 4 * MB)
    head, _, row, _ = readers.speed_table([SPEED]).splitlines()
    assert head.split() == "format records MB records/s records/CPU s MB/s s peak MB grown MB".split()
    assert row.split() == ["RIS", "500", "2.0", "1,000", "2,000", "4.0", "0.50", "90", "10"]
    assert readers.speed_json([SPEED]) == [
        {
            "format": "RIS",
            "records": 500,
            "size": 2 * MB,
            "seconds": 0.5,
            "cpu_seconds": 0.25,
            "memory": 90 * MB,
            "grown": 10 * MB,
            "per_second": 1000,
            "per_cpu_second": 2000,
            "bytes_per_second": 4 * MB,
        }
    ]


def report(records: int = 1000, *, read: int = 1000, merged: int = 183, memory: int = MB, cpu_seconds: float = 1.0) -> LibraryReport:
    part = Part("index", {"reading": 1.5, "comparing": 0.5}, cpu_seconds, memory, {"read": read, "merged": merged})
    return LibraryReport(Library(Path("papers"), records, 800, 183, 3 * MB), (part,))


def test_a_library_that_is_read_as_it_should_be() -> None:
    assert report().faults == []
    about, head, _, row = readers.library_table(report()).splitlines()
    assert about == "1,000 records of 800 works in 3 MB; 183 are to be merged"
    assert head.split() == ["s", "CPU", "s", "peak", "MB"]
    assert row == "index  2.0    1.0        1  reading 1.5 s, comparing 0.5 s, 1,000 read, 183 merged"
    assert json.loads(json.dumps(readers.library_json(report())))["parts"][0]["total"] == 2.0


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (report(read=999), "read: 999 records, not 1,000"),
        (report(merged=182), "merged: 182 records, not 183"),
        (report(memory=3000 * MB), "index: 3,000 MB, more than 2,147"),
        (report(cpu_seconds=601), "index: 601 CPU s, more than 600"),
    ],
)
def test_what_is_not_as_it_should_be_is_said(found: LibraryReport, fault: str) -> None:
    assert found.faults == [fault]
    assert readers.library_table(found).splitlines()[-1] == f"FAIL  {fault}"


def test_a_larger_library_may_take_longer() -> None:
    assert report(200_000, read=200_000, cpu_seconds=1000).faults == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux, which tells the memory of a process")
def test_memory_of_this_process() -> None:
    held = bytearray(50 * MB)
    before = readers.memory_now()
    assert readers.most_memory() >= before >= len(held)


# ------------------------------------------------------------------------------------------------------------- the command


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["readers", "--formats", "RIS", "--count", "5", "--runs", "2"]) == 0
    _, _, ris, _ = capsys.readouterr().out.splitlines()
    assert ris.split()[:2] == ["RIS", "5"]


def test_no_records_are_no_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["readers", "--records", "0"])
    assert "0 is less than 1" in capsys.readouterr().err
