"""Composition root: Settings -> Engine. Picks every backend; interfaces call nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_qa.answering.answer import Answer, AnswerEvent
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Filters, Hit
from rag_qa.settings import Settings


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that was not read, and why."""

    path: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of every record: counts of papers, and what was left out and why. Nothing is dropped silently."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    merged: int = 0
    read: int = 0
    skipped: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    papers: int = 0
    passages: int = 0
    embedded: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index holds and what built it."""

    path: Path
    papers: int
    passages: int
    embedder: str
    dimensions: int
    chunker: str
    sources: tuple[str, ...]


Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) while work goes on."""


class Engine:
    """Everything the program does. Cheap to make: a stage is loaded when first used. Safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def index(self, paths: Sequence[str | Path], *, progress: Progress | None = None) -> IndexReport:
        """Read files and folders into the index. A second call with the same files embeds nothing. Raises SourceError if nothing could be read."""
        raise NotImplementedError

    def info(self) -> IndexInfo:
        """What the index holds. Raises EmptyIndexError when there is none."""
        raise NotImplementedError

    def papers(self) -> list[Paper]:
        """All papers, in the order of their origins."""
        raise NotImplementedError

    def search(self, question: str, *, k: int | None = None, filters: Filters | None = None) -> list[Hit]:
        """The most relevant papers, best first."""
        raise NotImplementedError

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        """A checked answer. `history`: earlier questions of the same conversation, oldest first."""
        raise NotImplementedError

    def stream(self, question: str, *, history: Sequence[str] = ()) -> Iterator[AnswerEvent]:
        """The same answer as it comes about; the last event is the Answer itself."""
        raise NotImplementedError
