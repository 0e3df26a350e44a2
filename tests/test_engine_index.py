"""Reading files into an index through the engine: good and bad ones, what the report says, what is kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag_qa.engine import Engine, IndexReport
from rag_qa.errors import EmptyIndexError, IndexingError, ProviderError, StaleIndexError
from rag_qa.papers import Origin
from rag_qa.retrieval.filters import Filters
from rag_qa.settings import load
from rag_qa.sources.reader import Problem, Trouble
from tests.index.making import BagEmbedder, abstract

TIDES, MOSSES, WOLVES, STORMS = (abstract(number) for number in range(4))


class Library:
    """A folder of files, and engines over one index of it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "papers"
        self.data = root / "data"
        self.embedder = BagEmbedder()
        self.engine = Engine(load(data_dir=self.data), embedder=self.embedder)
        self.folder.mkdir()

    def write(self, name: str, *paragraphs: str, heading: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join([*([heading] if heading else []), *paragraphs]) + "\n")
        return path

    def raw(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def index(self, *paths: str | Path, rebuild: bool = False) -> IndexReport:
        report = self.engine.index(paths or [self.folder], rebuild=rebuild)
        # nothing is dropped silently
        assert report.read == report.added + report.updated + report.unchanged + report.merged + len(report.skipped)
        if report.papers:
            assert report.papers == len(self.engine.papers())
        return report

    def abstracts(self) -> list[str]:
        return [paper.abstract for paper in self.engine.papers()]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def counts(report: IndexReport) -> tuple[int, int, int, int, int]:
    return report.read, report.added, report.updated, report.removed, report.merged


# --------------------------------------------------------------------------------------------------------------- the seeds


def test_the_shipped_abstracts(seeds: Path, library: Library) -> None:
    library.embedder.max_tokens = 200
    first = library.index(seeds)
    embedded = len(library.embedder.embedded)
    second = library.index(seeds)

    assert (first.read, first.added, first.merged, first.papers, first.embedded) == (57, 46, 11, 46, 46)
    assert (second.read, second.unchanged, second.merged, second.papers, second.embedded) == (57, 46, 11, 46, 0)
    assert len(library.embedder.embedded) == embedded
    papers = library.engine.papers()
    assert sorted(len(paper.origins) for paper in papers) == [1] * 35 + [2] * 11
    assert {(paper.venue, paper.year) for paper in papers} == {("ICLR", 2025)}
    info = library.engine.info()
    assert (info.papers, info.passages, info.embedder, info.dimensions) == (46, first.passages, "bag", 16)
    assert [Path(source).parent for source in info.sources] == [seeds] * 3
    found = library.engine.search("Which paper gained attention?", filters=Filters(venue="iclr"))
    assert any("at- tention" in hit.paper.abstract and "keyword" in hit.ranks for hit in found)


def test_two_files_of_ones_own_in_the_same_format(library: Library) -> None:
    library.write("one.txt", TIDES, MOSSES, heading="NeurIPS 2023 Papers")
    library.write("two.txt", MOSSES, WOLVES, heading="ICML 2024 Papers")

    report = library.index()

    assert counts(report) == (4, 3, 0, 0, 1)
    one, two = (str(library.folder / name) for name in ("one.txt", "two.txt"))
    assert [(paper.abstract, paper.origins, paper.venue, paper.year) for paper in library.engine.papers()] == [
        (TIDES, (Origin(one, 3),), "NeurIPS", 2023),
        (MOSSES, (Origin(one, 5), Origin(two, 3)), "NeurIPS", 2023),
        (WOLVES, (Origin(two, 5),), "ICML", 2024),
    ]


# ------------------------------------------------------------------------------------------------------------ again and again


def test_edited_added_and_removed_papers_are_counted(library: Library) -> None:
    library.write("a.txt", TIDES, MOSSES, WOLVES)
    assert counts(library.index()) == (3, 3, 0, 0, 0)

    library.write("a.txt", TIDES.replace("study", "survey"), MOSSES)
    assert counts(library.index()) == (2, 0, 1, 1, 0)

    library.write("a.txt", TIDES.replace("study", "survey"), MOSSES, STORMS, MOSSES)
    report = library.index()
    assert counts(report) == (4, 1, 0, 0, 1)
    assert (report.unchanged, report.embedded) == (2, 1)
    assert library.abstracts() == [TIDES.replace("study", "survey"), MOSSES, STORMS]


def test_a_file_that_has_gone_from_the_folder_takes_its_papers_with_it(library: Library) -> None:
    library.write("a.txt", TIDES)
    gone = library.write("deep/b.txt", TIDES, MOSSES)
    library.index()
    shutil.rmtree(gone.parent)

    report = library.index()

    assert (report.removed, report.papers) == (1, 1)
    assert report.ignored == (Problem(str(gone), None, "has gone from the folder, and its papers from the index", Trouble.IGNORED),)
    assert library.abstracts() == [TIDES]
    assert library.index().ignored == ()


def test_what_is_elsewhere_or_only_unreadable_now_stays(library: Library, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text(STORMS)
    library.write("a.txt", TIDES)
    library.write("b.txt", MOSSES)
    library.index(library.folder, elsewhere)
    elsewhere.unlink()
    library.raw("b.txt", b"\xff\xff")

    report = library.index()

    assert (report.removed, report.papers, len(report.failed)) == (0, 3, 1)
    assert library.abstracts().count(MOSSES) == library.abstracts().count(STORMS) == 1


def test_a_folder_that_is_empty_now_keeps_what_it_had(library: Library) -> None:
    path = library.write("a.txt", TIDES)
    library.index()
    path.unlink()

    report = library.index()

    assert (report.removed, report.papers, report.read) == (0, 1, 0)
    assert [problem.reason.partition(" (")[0] for problem in report.failed] == [
        "the folder holds no file; put files with references or abstracts into it"
    ]


def test_a_file_that_fails_keeps_what_the_index_had_of_it(library: Library) -> None:
    path = library.write("a.txt", TIDES, MOSSES)
    library.index()
    for broken in (b"", b"%PDF-1.7 \x00", b"ICLR 2025 Papers\n"):
        path.write_bytes(broken)
        report = library.index(path)
        assert (report.read, report.papers, len(report.failed)) == (0, 2, 1)

    path.unlink()
    assert library.index(path).failed == (Problem(str(path), None, "no such file or folder", Trouble.FAILED),)
    assert library.abstracts() == [TIDES, MOSSES]


# ------------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"", None, "found an empty file, expected references or abstracts as text."),
        (b"\n \n", None, "found an empty file, expected references or abstracts as text."),
        (b"\x7fELF\x02\x01\x01" + b"\x00" * 50, None, "found a binary file"),
        (b"%PDF-1.7 \x00", None, "found a PDF"),
        (
            b"ICLR 2025 Papers\n\nToo short.\n",
            None,
            "found no abstract, expected abstracts as paragraphs of at least 8 words, separated by blank lines",
        ),
    ],
)
def test_a_bad_file_is_one_clear_line(content: bytes, line: int | None, reason: str, library: Library) -> None:
    path = library.raw("bad.txt", content)

    report = library.index(path)

    (problem,) = report.failed
    assert (problem.path, problem.line) == (str(path), line)
    assert problem.reason.startswith(reason)
    assert "\n" not in str(problem)
    assert (report.read, report.papers, report.passages) == (0, 0, 0)
    with pytest.raises(EmptyIndexError):
        library.engine.info()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_file_in_another_encoding_is_read_and_said_so(encoding: str, library: Library) -> None:
    told = f"{TIDES} Les marées montent à l’été."
    path = library.raw("a.txt", told.encode(encoding))

    report = library.index(path)

    assert library.abstracts() == [told]
    assert [problem.line for problem in report.repaired] == ([] if encoding == "utf-8-sig" else [None])


def test_a_folder_with_good_and_bad_files(library: Library) -> None:
    library.write("good.txt", TIDES, "Too short.", MOSSES)
    library.raw("bad.txt", b"%PDF-1.7 \x00")
    library.raw("binary.pdf", b"%PDF")
    library.write("zgood.txt", MOSSES)

    report = library.index(library.folder, "gone.txt")

    assert counts(report) == (4, 2, 0, 0, 1)
    assert [Path(problem.path).name for problem in report.failed] == ["gone.txt", "bad.txt"]
    assert [(Path(problem.path).name, problem.line) for problem in report.skipped] == [("good.txt", 3)]
    assert [Path(problem.path).name for problem in report.ignored] == ["binary.pdf"]
    assert library.abstracts() == [TIDES, MOSSES]


def test_a_file_named_itself_is_read_whatever_its_suffix(library: Library) -> None:
    path = library.write("abstracts.md", TIDES)

    assert library.index(path).added == 1
    assert library.index(path).unchanged == 1


def test_windows_and_old_mac_files_with_hard_wrapped_paragraphs(library: Library) -> None:
    first, second = TIDES.replace(" ", "\r\n"), MOSSES.replace(" ", "\r")
    library.raw("windows.txt", b"\xef\xbb\xbfICLR 2025 Papers\r\n\r\n" + first.encode() + b"\r\n")
    library.raw("mac.txt", b"ICML 2024\r\r" + second.encode())

    library.index()

    assert {(paper.abstract, paper.year, paper.origins[0].line) for paper in library.engine.papers()} == {(TIDES, 2025, 3), (MOSSES, 2024, 3)}


def test_nothing_at_all(library: Library) -> None:
    report = library.index(library.folder)

    assert (report.read, report.papers, len(report.failed)) == (0, 0, 1)
    assert not library.data.exists()
    for attempt in (library.engine.info, library.engine.papers, lambda: library.engine.search("tides")):
        with pytest.raises(EmptyIndexError, match=r"^There is no index in .*: make one with: rag-qa index PATH  \(for the shipped abstracts: .*\)$"):
            attempt()
    assert not library.data.exists()


def test_a_data_folder_that_is_a_file(library: Library) -> None:
    library.write("a.txt", TIDES)
    library.data.write_text("x")

    with pytest.raises(IndexingError, match=r"can't be written to \(.*\): choose another folder with --data-dir or RAG_QA_DATA_DIR"):
        library.engine.index([library.folder])


@pytest.mark.parametrize("question", ["tides \ud800 😀 שלום", "*" * 5000 + " tides", "TIDES?!\u2028\x00", "α tides ½ ②"])
def test_an_odd_question_is_searched(question: str, library: Library) -> None:
    library.embedder.max_tokens = 10_000
    library.write("a.txt", TIDES, MOSSES)
    library.index()

    assert library.engine.search(question, k=10**9)[0].paper.abstract == TIDES


# -------------------------------------------------------------------------------------------------------------------- rebuild


def test_an_index_of_another_model_is_rebuilt_without_its_files(library: Library) -> None:
    path = library.write("a.txt", TIDES, MOSSES)
    library.index()
    path.unlink()
    other = Engine(load(data_dir=library.data), embedder=BagEmbedder("sack", dimensions=8))
    with pytest.raises(StaleIndexError, match=r"bag \(16 dimensions\).*sack \(8 dimensions\).*rag-qa index --rebuild"):
        other.search("tides")

    report = other.index([], rebuild=True)

    assert (report.read, report.embedded, report.papers) == (0, 2, 2)
    assert other.info().embedder == "sack"
    assert {hit.paper.abstract for hit in other.search("We study a region")} == {TIDES, MOSSES}
    with pytest.raises(StaleIndexError):
        library.engine.search("tides")


def test_a_rebuild_reads_paths_too(library: Library) -> None:
    library.write("a.txt", TIDES)
    library.index()
    path = library.write("b.txt", MOSSES)

    report = library.index(path, rebuild=True)

    assert (report.read, report.added, report.embedded, report.papers) == (1, 1, 2, 2)


def test_a_rebuild_of_nothing(library: Library) -> None:
    with pytest.raises(EmptyIndexError, match=r"There is no index in .* to make again: make one with: rag-qa index PATH"):
        library.engine.index([], rebuild=True)

    library.write("a.txt", TIDES)
    assert library.index(rebuild=True).added == 1  # with files it is just an index


# ---------------------------------------------------------------------------------------------------------------- interruption


def test_an_interrupted_run_is_finished_by_the_next(library: Library) -> None:
    library.write("a.txt", *(abstract(number) for number in range(70)))

    def stop(_stage: str, done: int, _total: int) -> None:
        if done == 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.engine.index([library.folder], progress=stop)
    assert len(library.abstracts()) == 32
    assert len(library.engine.search("tides in a region", k=50)) == 32

    report = library.index()

    assert (report.read, report.added, report.unchanged, report.embedded, report.papers) == (70, 38, 32, 38, 70)


def test_a_server_that_fails_loses_nothing(library: Library) -> None:
    library.write("a.txt", TIDES)
    library.index()
    library.write("b.txt", MOSSES)

    def refuse() -> None:
        raise ProviderError("the server is down")

    failing = Engine(load(data_dir=library.data), embedder=BagEmbedder(before_embedding=refuse))
    with pytest.raises(ProviderError):
        failing.index([library.folder])

    assert library.abstracts() == [TIDES]
    assert library.index().papers == 2
