"""What every reader does, and the registry of formats: a new format is one new module that registers itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that was not read, and why. `line` counts from 1; None: the file as a whole."""

    path: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


class Ignored(Problem):
    """What was left aside on purpose, such as a file of another format in a folder, and not for a fault."""

    __slots__ = ()


@dataclass(slots=True)
class Reading:
    """What a file held: papers in order, and the records that were left out."""

    papers: list[Paper] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)


Reader = Callable[[Path, str], Reading]
"""(path, decoded text) -> Reading. Raises SourceError when the file as a whole is not what it should be."""

READERS: dict[str, Reader] = {}


def register(suffix: str, reader: Reader) -> None:
    """Make a reader responsible for files whose name ends in `suffix` (lower case, with the dot)."""
    READERS[suffix] = reader
