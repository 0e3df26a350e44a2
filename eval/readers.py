"""How fast and in how much memory records are read, compared and kept, without embedding: `python -m eval readers`.

Every figure is of a process of its own, which does nothing else. A library is read through the engine, as `rag-qa index` does it, up to the moment at
which embedding would begin.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypeVar

from eval import formats, synthetic
from eval.report.table import table
from rag_qa import settings
from rag_qa.engine import Engine, IndexReport
from rag_qa.papers import Paper
from rag_qa.sources import files

T = TypeVar("T")

MOST_MEMORY = 2 << 30
"""Bytes within which a library is to be read and compared."""
MOST_CPU_SECONDS = 600.0
"""For a hundred thousand records, of which more may take longer. Of the processor: what else the machine has to do does not count."""

_WARM = 50  # records that are read first, so that no format pays for what all need


# ------------------------------------------------------------------------------------------------------------------- one format


@dataclass(frozen=True, slots=True)
class Speed:
    """Reading one file. `seconds`: by the clock, and `cpu_seconds`: of the processor, which others on the machine change less; the least of all runs.
    `memory`: bytes that the process had at most, and `grown`: how much of it came while reading."""

    format: str
    records: int
    size: int
    seconds: float
    cpu_seconds: float
    memory: int
    grown: int

    @property
    def per_second(self) -> float:
        """Records a second by the clock."""
        return self.records / self.seconds

    @property
    def per_cpu_second(self) -> float:
        """Records a second of the processor."""
        return self.records / self.cpu_seconds

    @property
    def bytes_per_second(self) -> float:
        """Bytes of the file a second by the clock."""
        return self.size / self.seconds


def speeds(names: Sequence[str], count: int, folder: Path, *, runs: int) -> list[Speed]:
    """Read as many records in each of some formats, `runs` times. `folder`: where the files are written."""
    papers = list(synthetic.papers(count))
    return [_in_a_process(_speed, name, *(_written(name, some, folder) for some in (papers[:_WARM], papers)), runs) for name in names]


def _written(name: str, papers: Sequence[Paper], folder: Path) -> Path:
    written = formats.FORMATS[name]
    path = folder / f"{len(list(folder.iterdir()))}{written.suffix}"
    path.write_bytes(written.content(papers))
    return path


def _speed(name: str, warm: Path, path: Path, runs: int) -> Speed:
    _read(warm)
    before = memory_now()
    readings = [_timed_reading(path) for _ in range(runs)]
    seconds, cpu_seconds = (min(values) for values in zip(*((one.seconds, one.cpu_seconds) for one in readings), strict=True))
    memory = most_memory()
    return Speed(name, readings[0].records, path.stat().st_size, seconds, cpu_seconds, memory, max(0, memory - before))


class _Reading(NamedTuple):
    records: int
    seconds: float
    cpu_seconds: float


def _timed_reading(path: Path) -> _Reading:
    started, cpu_started = perf_counter(), process_time()
    return _Reading(_read(path), perf_counter() - started, process_time() - cpu_started)


def _read(path: Path) -> int:
    """How many records a file gives, none of which is kept."""
    return sum(isinstance(record, Paper) for record in files.read(path))


# ------------------------------------------------------------------------------------------------------------------- a library

_COPIED = 5  # one record in so many is a copy of another
_OF_PREPRINTS = "arXiv Atom"
_OF_ARTICLES = tuple(name for name in formats.FORMATS if name not in (_OF_PREPRINTS, "plain text"))
_EDITED = "RIS"


@dataclass(frozen=True, slots=True)
class Library:
    """A folder of files. `merged`: the records that are copies of a work with an abstract, all of which should be found."""

    folder: Path
    records: int
    works: int
    merged: int
    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """A step, done in a process of its own. `seconds`: of each of its stages, by the clock. `counts`: what the program said of the records."""

    name: str
    seconds: dict[str, float]
    cpu_seconds: float
    memory: int
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Seconds by the clock."""
        return sum(self.seconds.values())


@dataclass(frozen=True, slots=True)
class LibraryReport:
    """What it takes to read and compare a library, and to look again."""

    library: Library
    parts: tuple[Part, ...]

    @property
    def faults(self) -> list[str]:
        """What is not as it should be."""
        first = self.parts[0]
        most_seconds = MOST_CPU_SECONDS * max(1.0, self.library.records / 100_000)
        wanted = {"read": self.library.records, "merged": self.library.merged}
        wrong = [f"{name}: {first.counts[name]:,} records, not {count:,}" for name, count in wanted.items() if first.counts[name] != count]
        large = [f"{part.name}: {part.memory / 1e6:,.0f} MB, more than {MOST_MEMORY / 1e6:,.0f}" for part in self.parts if part.memory > MOST_MEMORY]
        slow = [f"{part.name}: {part.cpu_seconds:.0f} CPU s, more than {most_seconds:.0f}" for part in self.parts if part.cpu_seconds > most_seconds]
        return [*wrong, *large, *slow]


def library(records: int, folder: Path) -> Library:
    """Write a library: one record in five is a copy, in another file, of a work that it shares a DOI with, or title, authors and year, or that it is
    the preprint of."""
    copies = records // _COPIED
    works = records - copies
    contents: dict[str, list[tuple[int, str]]] = {name: [] for name in (*_OF_ARTICLES, _OF_PREPRINTS)}
    for at in range(works):
        contents[_OF_ARTICLES[at % len(_OF_ARTICLES)]].append((at, ""))
    for number in range(copies):
        contents[_place_of_copy(number)].append((_original(number), _kind(number)))
    size = sum(_write(name, some, folder) for name, some in contents.items() if some)
    merged = sum(bool(synthetic.paper(_original(number)).abstract) for number in range(copies))
    return Library(folder, records, works, merged, size)


def _original(number: int) -> int:
    return number * (_COPIED - 1)


def _kind(number: int) -> str:
    return list(synthetic.COPIES)[number % len(synthetic.COPIES)]


def _place_of_copy(number: int) -> str:
    """Not the file of the original."""
    if _kind(number) == "preprint":
        return _OF_PREPRINTS
    return _OF_ARTICLES[(_original(number) + 1 + number % (len(_OF_ARTICLES) - 1)) % len(_OF_ARTICLES)]


def _write(name: str, contents: Sequence[tuple[int, str]], folder: Path) -> int:
    """Bytes that were written."""
    papers = [synthetic.copy(synthetic.paper(at), kind) if kind else synthetic.paper(at) for at, kind in contents]
    path = folder / f"{name.lower().replace(',', '').replace(' ', '-')}{formats.FORMATS[name].suffix}"
    return path.write_bytes(formats.FORMATS[name].content(papers))


def of_library(records: int, folder: Path) -> LibraryReport:
    """Write a library into an empty folder, read it with `--dry-run`, then into an index, then again without and with an edited record."""
    papers = folder / "papers"
    papers.mkdir()
    made = library(records, papers)
    data = folder / "data"
    parts = [
        _in_a_process(_preview, "index --dry-run", papers, folder / "nothing"),
        _in_a_process(_update, "index, up to embedding", papers, data),
        _in_a_process(_update, "sync, nothing changed", None, data),
        _in_a_process(_preview, "sync --dry-run, nothing changed", None, data),
    ]
    edit(papers)
    parts.append(_in_a_process(_update, "sync, one record edited", None, data))
    return LibraryReport(made, tuple(parts))


def edit(papers: Path) -> None:
    """Give the first record of a file another abstract."""
    path = papers / f"{_EDITED.lower()}{formats.FORMATS[_EDITED].suffix}"
    path.write_bytes(path.read_bytes().replace(b"AB  - ", b"AB  - It is edited: ", 1))


def _preview(name: str, papers: Path | None, data: Path) -> Part:
    engine, stages = _engine(data), _Stages()
    report = engine.index([papers], dry_run=True, progress=stages) if papers else engine.sync(dry_run=True, progress=stages)
    return Part(name, stages.seconds(), process_time(), most_memory(), _counts(report))


def _update(name: str, papers: Path | None, data: Path) -> Part:
    engine, stages = _engine(data), _Stages()
    with suppress(_EmbeddingBegins):
        if papers:
            engine.index([papers], progress=stages)
        else:
            engine.sync(progress=stages)
    return Part(name, stages.seconds(), process_time(), most_memory())


def _engine(data: Path) -> Engine:
    return Engine(settings.load(data_dir=data, answerer="extractive", embedder="minilm"))


def _counts(report: IndexReport) -> dict[str, int]:
    counts = {name: getattr(report, name) for name in ("read", "added", "updated", "unchanged", "merged", "removed")}
    return {**counts, "skipped": len(report.skipped)}


class _EmbeddingBegins(Exception):
    """All is read, compared and written: what follows is not measured."""


class _Stages:
    """Notes when each stage begins, and stops the work where embedding would begin."""

    def __init__(self) -> None:
        self._began = [("looking for files", perf_counter())]

    def __call__(self, stage: str, _done: int, _total: int) -> None:
        name = stage.partition(" ")[0]
        if name != self._began[-1][0]:
            self._began.append((name, perf_counter()))
        if name == "embedding":
            raise _EmbeddingBegins

    def seconds(self) -> dict[str, float]:
        """Of each stage until now."""
        ends = [at for _, at in self._began[1:]] + [perf_counter()]
        return {name: ended - began for (name, began), ended in zip(self._began, ends, strict=True) if name != "embedding"}


# ---------------------------------------------------------------------------------------------------------------------- memory


def _in_a_process(function: Callable[..., T], *arguments: object) -> T:
    """What a function gives in a new process, whose memory holds nothing of this one."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def most_memory() -> int:
    """Bytes of this process that were in memory at most; 0 where the system does not tell (other than Linux)."""
    # not getrusage, whose figure begins with what the parent had
    return _status("VmHWM")


def memory_now() -> int:
    """Bytes of this process that are in memory; 0 where the system does not tell."""
    return _status("VmRSS")


def _status(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


# ------------------------------------------------------------------------------------------------------------------------ shown


def speed_table(found: Sequence[Speed]) -> str:
    """A line a format."""
    head = ("format", "records", "MB", "records/s", "records/CPU s", "MB/s", "s", "peak MB", "grown MB")
    rows = [
        (
            one.format,
            f"{one.records:,}",
            f"{one.size / 1e6:.1f}",
            f"{one.per_second:,.0f}",
            f"{one.per_cpu_second:,.0f}",
            f"{one.bytes_per_second / 1e6:.1f}",
            f"{one.seconds:.2f}",
            f"{one.memory / 1e6:,.0f}",
            f"{one.grown / 1e6:,.0f}",
        )
        for one in found
    ]
    return "\n".join([table([head, *rows], left=(0,)), f"on {os.cpu_count()} cores; each in a process of its own; the fastest of its runs"])


def library_table(report: LibraryReport) -> str:
    """What was measured, step by step, and what is not as it should be."""
    made = report.library
    about = f"{made.records:,} records of {made.works:,} works in {made.size / 1e6:,.0f} MB; {made.merged:,} are to be merged"
    head = ("", "s", "CPU s", "peak MB", "")
    rows = [(part.name, f"{part.total:.1f}", f"{part.cpu_seconds:.1f}", f"{part.memory / 1e6:,.0f}", _details(part)) for part in report.parts]
    return "\n".join([about, table([head, *rows], left=(0, 4)), *(f"FAIL  {fault}" for fault in report.faults)])


def _details(part: Part) -> str:
    stages = [f"{name} {seconds:.1f} s" for name, seconds in part.seconds.items()]
    return ", ".join([*stages, *(f"{count:,} {name}" for name, count in part.counts.items() if count)])


def speed_json(found: Sequence[Speed]) -> list[dict[str, Any]]:
    """The figures of a table, in bytes and seconds."""
    return [
        {**asdict(one), "per_second": one.per_second, "per_cpu_second": one.per_cpu_second, "bytes_per_second": one.bytes_per_second} for one in found
    ]


def library_json(report: LibraryReport) -> dict[str, Any]:
    """The figures of a library, in bytes and seconds."""
    made = {name: value for name, value in asdict(report.library).items() if name != "folder"}
    parts = [{**asdict(part), "total": part.total} for part in report.parts]
    return {"library": made, "parts": parts, "faults": report.faults}
