"""A library over time: remembered sources, sync, remove, preview, and what is said of every record."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest

from rag_qa.engine import Engine, IndexReport
from rag_qa.errors import EmptyIndexError, SourceError
from rag_qa.index.changes import Outcome
from rag_qa.papers import Origin
from rag_qa.settings import load
from rag_qa.sources.reader import Trouble
from tests.index.making import BagEmbedder, abstract

TIDES, MOSSES, WOLVES, STORMS = (abstract(number, sentences=4) for number in range(4))


def ris(*records: tuple[str, str, str]) -> str:
    """(title, abstract, DOI) of each record; "" leaves a field out."""
    out = []
    for title, text, doi in records:
        fields = (("TI", title), ("AU", "Marx, Karl"), ("PY", "2020"), ("AB", text), ("DO", doi))
        out.append("\n".join(["TY  - JOUR", *(f"{tag}  - {value}" for tag, value in fields if value), "ER  - ", ""]))
    return "\n".join(out)


class Shelf:
    """A folder of exports, and an engine over an index of it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "papers"
        self.folder.mkdir()
        self.data = root / "data"
        self.embedder = BagEmbedder()
        self.engine = Engine(load(data_dir=self.data), embedder=self.embedder)

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path

    def titles(self) -> list[str]:
        return sorted(paper.title or "" for paper in self.engine.papers())


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def counts(report: IndexReport) -> dict[str, int]:
    found = {name: getattr(report, name) for name in ("read", "added", "updated", "unchanged", "merged", "removed")}
    found["skipped"] = len(report.skipped)
    assert report.read == report.added + report.updated + report.unchanged + report.merged + len(report.skipped)
    return {name: count for name, count in found.items() if count}


TIDE = ("On tides of the northern bays", TIDES, "10.1000/tides")
MOSS = ("On mosses of the southern bogs", MOSSES, "10.1000/mosses")
WOLF = ("On wolves in eastern forests", WOLVES, "10.1000/wolves")


def test_the_same_work_in_two_files_is_one_paper_with_a_reason(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE, MOSS))
    shelf.write("b.ris", ris(TIDE))

    report = shelf.engine.index([shelf.folder])

    assert counts(report) == {"read": 3, "added": 2, "merged": 1}
    (merged,) = (fate for fate in report.records if fate.outcome is Outcome.MERGED)
    assert (Path(merged.path).name, merged.line, merged.reason) == ("b.ris", 1, "same DOI 10.1000/tides")
    paper = next(one for one in shelf.engine.papers() if one.doi == "10.1000/tides")
    assert [Path(origin.path).name for origin in paper.origins] == ["a.ris", "b.ris"]
    assert [(Path(record.paper.origins[0].path).name, record.reason) for record in shelf.engine.records(paper.id)] == [
        ("a.ris", ""),
        ("b.ris", "same DOI 10.1000/tides"),
    ]


def test_a_second_reading_reads_nothing_anew_and_says_the_same_of_every_record(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE, ("On storms over the open sea", "", "10.1000/storms"), ("", "", "")))
    first = shelf.engine.index([shelf.folder])
    again = shelf.engine.sync()

    assert counts(first) == {"read": 3, "added": 1, "skipped": 2}
    assert counts(again) == {"read": 3, "unchanged": 1, "skipped": 2}
    assert again.skipped == first.skipped == tuple(shelf.engine.problems())
    assert [(problem.line, problem.kind) for problem in first.skipped] == [(9, Trouble.NO_ABSTRACT), (16, Trouble.NOT_A_PAPER)]


def test_sync_takes_in_what_is_new_edited_and_gone(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE, MOSS))
    gone = shelf.write("b.ris", ris(WOLF))
    shelf.engine.index([shelf.folder])

    shelf.write("a.ris", ris((TIDE[0], STORMS, TIDE[2]), MOSS))
    shelf.write("c.ris", ris(("On storms over the open sea", abstract(5, 4), "10.1000/storms")))
    gone.unlink()
    report = shelf.engine.sync()

    assert counts(report) == {"read": 3, "added": 1, "updated": 1, "unchanged": 1, "removed": 1}
    assert shelf.titles() == sorted([TIDE[0], MOSS[0], "On storms over the open sea"])
    edited = next(paper for paper in shelf.engine.papers() if paper.doi == TIDE[2])
    assert edited.abstract == STORMS
    assert all(hit.paper.abstract != TIDES for hit in shelf.engine.search("tides and storms", k=50))


def test_a_dropped_field_is_gone_and_not_stale(shelf: Shelf) -> None:
    path = shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([path])
    path.write_text(ris(TIDE).replace("PY  - 2020\n", "").replace("AU  - Marx, Karl\n", ""))

    assert counts(shelf.engine.sync()) == {"read": 1, "updated": 1}
    (paper,) = shelf.engine.papers()
    assert (paper.year, paper.authors) == (None, ())


def test_a_record_that_left_its_file_stays_while_another_file_has_it(shelf: Shelf) -> None:
    first = shelf.write("a.ris", ris(TIDE, MOSS))
    second = shelf.write("b.ris", ris(TIDE))
    shelf.engine.index([first, second])
    first.write_text(ris(MOSS))
    assert counts(shelf.engine.sync()) == {"read": 2, "unchanged": 2}

    second.write_text(ris(WOLF))
    assert counts(shelf.engine.sync()) == {"read": 2, "added": 1, "unchanged": 1, "removed": 1}
    assert shelf.titles() == sorted([MOSS[0], WOLF[0]])


def test_a_file_named_itself_that_is_gone_keeps_its_papers_until_it_is_removed(shelf: Shelf) -> None:
    path = shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([path])
    path.unlink()

    report = shelf.engine.sync()

    assert [problem.reason for problem in report.failed] == [
        f"no such file or folder; its papers stay in the index until you say: rag-qa remove {path}"
    ]
    assert shelf.titles() == [TIDE[0]]
    assert counts(shelf.engine.remove([path])) == {"removed": 1}
    assert counts(shelf.engine.sync()) == {}


def test_a_broken_file_keeps_what_it_had_and_the_problem_is_kept(shelf: Shelf) -> None:
    path = shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([shelf.folder])
    path.write_bytes(b"%PDF-1.4 \x00\x01")

    report = shelf.engine.sync()

    assert (len(report.failed), shelf.titles()) == (1, [TIDE[0]])
    assert shelf.engine.problems() == list(report.failed)
    shelf.write("a.ris", ris(TIDE))
    assert (shelf.engine.sync().failed, shelf.engine.problems()) == ((), [])


def test_removing_a_file_of_a_folder_keeps_it_away_until_it_is_named_again(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE, MOSS))
    path = shelf.write("b.ris", ris(TIDE, WOLF))
    shelf.engine.index([shelf.folder])

    assert counts(shelf.engine.remove([path])) == {"removed": 1}
    assert shelf.titles() == sorted([TIDE[0], MOSS[0]])
    assert counts(shelf.engine.sync()) == {"read": 2, "unchanged": 2}

    shelf.engine.index([shelf.folder])
    assert shelf.titles() == sorted([TIDE[0], MOSS[0], WOLF[0]])


def test_removing_a_folder_removes_what_is_in_it(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([shelf.folder])

    assert counts(shelf.engine.remove([shelf.folder])) == {"removed": 1}
    with pytest.raises(EmptyIndexError, match="holds no paper"):
        shelf.engine.papers()


def test_removing_what_is_not_there_names_what_is(shelf: Shelf) -> None:
    path = shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([path])

    with pytest.raises(SourceError, match=r"found no such file or folder in the index, expected a file that was indexed, .*a\.ris"):
        shelf.engine.remove(["other.ris"])


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_not_the_folder_that_one_is_in(path: str, shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE))
    shelf.engine.index([shelf.folder])

    for attempt in (shelf.engine.index, shelf.engine.remove):
        with pytest.raises(SourceError, match="found an empty path, expected the name of a file or a folder"):
            attempt([path])


def test_the_index_itself_is_not_read(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE))
    engine = Engine(load(data_dir=shelf.folder / "mine"), embedder=shelf.embedder)
    engine.index([shelf.folder])

    report = engine.sync()

    assert (counts(report), report.ignored, report.failed) == ({"read": 1, "unchanged": 1}, (), ())


def test_a_preview_says_what_would_happen_and_writes_nothing(shelf: Shelf) -> None:
    shelf.write("a.ris", ris(TIDE, MOSS, TIDE))
    planned = shelf.engine.index([shelf.folder], dry_run=True)
    assert not shelf.data.exists()
    done = shelf.engine.index([shelf.folder])

    assert counts(planned) == counts(done) == {"read": 3, "added": 2, "merged": 1}
    assert (planned.is_preview, planned.records) == (True, done.records)

    shelf.write("a.ris", ris(MOSS, WOLF))
    planned = shelf.engine.sync(dry_run=True)
    assert counts(planned) == {"read": 2, "added": 1, "unchanged": 1, "removed": 1}
    assert shelf.titles() == sorted([TIDE[0], MOSS[0]])
    assert counts(shelf.engine.remove([shelf.folder], dry_run=True)) == {"removed": 2}
    assert counts(shelf.engine.sync()) == counts(planned)


def test_standard_input_is_a_source_too(shelf: Shelf) -> None:
    report = shelf.engine.index(["-"], stdin=io.BytesIO(ris(TIDE, MOSS).encode()))

    assert counts(report) == {"read": 2, "added": 2}
    assert shelf.engine.papers()[0].origins == (Origin("<stdin>", 1),)
    assert counts(shelf.engine.index(["-"], stdin=io.BytesIO(ris(MOSS).encode()))) == {"read": 1, "unchanged": 1, "removed": 1}
    assert counts(shelf.engine.sync()) == {}
    assert counts(shelf.engine.remove(["-"])) == {"removed": 1}


def test_a_broken_member_of_an_archive_keeps_what_it_had(shelf: Shelf) -> None:
    path = shelf.folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.ris", ris(TIDE))
        archive.writestr("b.ris", ris(MOSS))
    shelf.engine.index([path])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.ris", ris(TIDE, WOLF))
        archive.writestr("b.ris", ris(MOSS))
    path.write_bytes(path.read_bytes().replace(b"10.1000/mosses", b"10.1000/glaciers"[:14]))  # the checksum tells

    report = shelf.engine.sync()

    assert [problem.path for problem in report.failed] == [f"{path}!b.ris"]
    assert shelf.titles() == sorted([TIDE[0], WOLF[0], MOSS[0]])
    assert next(paper.doi for paper in shelf.engine.papers() if paper.title == MOSS[0]) == MOSS[2]


def test_columns_named_by_hand_are_remembered(shelf: Shelf) -> None:
    path = shelf.write("a.csv", f"Nr,Worum,Darum\n1,On tides of the bays,{TIDES}\n")
    assert "--map" in shelf.engine.index([path]).failed[0].reason

    shelf.engine.index([path], mapping={"title": "Worum", "abstract": "Darum"})
    path.write_text(f"Nr,Worum,Darum\n1,On tides of the bays,{MOSSES}\n")
    assert counts(shelf.engine.sync()) == {"read": 1, "updated": 1}
    assert [(paper.title, paper.abstract) for paper in shelf.engine.papers()] == [("On tides of the bays", MOSSES)]


def test_whatever_the_order_of_files_the_papers_are_the_same(shelf: Shelf, tmp_path: Path) -> None:
    files = [
        shelf.write("a.ris", ris(TIDE, (MOSS[0], "", ""))),
        shelf.write("b.ris", ris((TIDE[0], TIDES, ""), MOSS)),
        shelf.write("c.ris", ris(WOLF, TIDE)),
    ]
    found = []
    for number, order in enumerate(([0, 1, 2], [2, 1, 0], [1, 0, 2])):
        engine = Engine(load(data_dir=tmp_path / str(number)), embedder=BagEmbedder())
        for at in order:
            engine.index([files[at]])
        found.append(engine.papers())
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 3


def test_an_index_that_was_copied_away_is_the_same(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("a.ris", ris(TIDE, MOSS))
    shelf.engine.index([shelf.folder])
    shutil.copytree(shelf.data, tmp_path / "copy")

    copy = Engine(load(data_dir=tmp_path / "copy"), embedder=BagEmbedder())

    assert copy.papers() == shelf.engine.papers()
    assert counts(copy.sync()) == {"read": 2, "unchanged": 2}
