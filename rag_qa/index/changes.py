"""One update of an index: what is read, and what became of every record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from rag_qa.errors import SourceError
from rag_qa.index.catalog import Catalog
from rag_qa.index.register import Entry, Register
from rag_qa.papers import Paper
from rag_qa.sources.reader import Problem, Trouble

Progress = Callable[[str, int, int], None]
"""(stage, done, total)"""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be read: `records` is called for what it holds, in order, and may raise SourceError, also in the middle.

    A `fingerprint` that the index knows already means that nothing has changed: then it is not read. "": always read.
    """

    path: str
    records: Callable[[], Iterable[Paper | Problem]]
    fingerprint: str = ""


class Outcome(StrEnum):
    """What became of a record."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    MERGED = "merged"
    """It is the same work as another record."""
    NO_ABSTRACT = "no abstract"
    """No record of this work has one: it is no evidence."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one record, and where it stands. `reason`: why it was merged, else ""."""

    path: str
    line: int
    outcome: Outcome
    paper_id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update did.

    `records`: each record of the files of this update. `problems`: what was not read as it stands, of these files. `removed`: papers that have left.
    """

    records: tuple[Fate, ...] = ()
    problems: tuple[Problem, ...] = ()
    removed: int = 0
    embedded: int = 0

    def count(self, outcome: Outcome) -> int:
        """Records with this outcome."""
        return sum(fate.outcome is outcome for fate in self.records)


class Plan:
    """One update of a catalog and a register: what is read, and afterwards what it changed."""

    def __init__(self, catalog: Catalog, register: Register) -> None:
        self.catalog = catalog
        self.register = register
        self._before = catalog.hashes()
        self._gone: list[str] = []
        self._read: list[str] = []
        self._failed: list[Problem] = []
        self._held: dict[str, list[str]] = {}

    def take(self, sources: Iterable[Source], gone: Sequence[str], progress: Progress) -> None:
        """Read files; one that can't be read keeps what it had."""
        known = self.register.sources()
        sources = list(sources)
        changed = {source.path for source in sources if not source.fingerprint or known.get(source.path) != source.fingerprint}
        if changed or gone:
            # of the others too: with which records theirs are one work may change
            self._held = self.register.nameless([path for path in (*(source.path for source in sources), *gone) if path in known])
        for source in sources:
            progress(f"reading {source.path}", 0, 0)
            if source.path in changed:
                self._take(source)
            else:
                self._read.append(source.path)
        for path in gone:
            self.register.drop(path)

    def _take(self, source: Source) -> None:
        try:
            self.register.plan(source.path, source.records(), fingerprint=source.fingerprint)
        except SourceError as error:
            self._failed.append(Problem(error.path, error.line, error.what, Trouble.FAILED))
            self.register.fail(source.path, self._failed[-1])
        else:
            self._read.append(source.path)

    def settle(self) -> None:
        """Decide which records are one work, and what takes the place of papers that leave; inside a transaction."""
        self.register.settle(self.catalog)
        if left := self.catalog.unsucceeded():
            self.catalog.succeed(self._in_place(left, set(self.catalog.pending()) - self._before.keys()))

    def changes(self, embedded: int) -> Changes:
        """What has become of everything."""
        after = self.catalog.wanted_hashes()
        removed = self._before.keys() - after.keys()
        replaced = frozenset(new for _, new in self._in_place(removed, after.keys() - self._before.keys()))
        fates = tuple(self._fate(entry, after, replaced) for entry in self.register.entries(self._read))
        return Changes(fates, (*self.register.problems(self._read), *self._failed), len(removed) - len(replaced), embedded)

    def _in_place(self, removed: Iterable[str], added: Iterable[str]) -> list[tuple[str, str]]:
        """(removed paper, added paper that takes its place): an abstract without any identifier is known by its words, so that an edited one is
        a new paper in the file that the old one left."""
        left, came, pairs = set(removed), set(added), []
        now = self.register.nameless(list(self._held))
        for path, ids in self._held.items():
            out = list(dict.fromkeys(id_ for id_ in ids if id_ in left))
            in_ = list(dict.fromkeys(id_ for id_ in now[path] if id_ in came))
            for old, new in zip(out, in_, strict=False):
                left.discard(old)
                came.discard(new)
                pairs.append((old, new))
        return pairs

    def _fate(self, entry: Entry, after: Mapping[str, str], replaced: AbstractSet[str]) -> Fate:
        paper_id = entry.paper_id or ""
        return Fate(entry.place, entry.line, self._outcome(paper_id, entry.reason, after, replaced), paper_id, entry.title, entry.reason)

    def _outcome(self, paper_id: str, reason: str, after: Mapping[str, str], replaced: AbstractSet[str]) -> Outcome:
        if paper_id not in after:
            return Outcome.NO_ABSTRACT
        if reason:
            return Outcome.MERGED
        before = self._before.get(paper_id)
        if before is None:
            return Outcome.UPDATED if paper_id in replaced else Outcome.ADDED
        return Outcome.UNCHANGED if before == after[paper_id] else Outcome.UPDATED
