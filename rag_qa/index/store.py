"""The index as the rest of the program sees it: papers, their vectors and their keywords, kept in step."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import filelock
import numpy as np

from rag_qa import chunking, text
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Vectors
from rag_qa.errors import EmptyIndexError, IndexBusyError
from rag_qa.index import manifest
from rag_qa.index.catalog import Catalog
from rag_qa.index.keywords import KeywordIndex
from rag_qa.index.manifest import Manifest
from rag_qa.index.vectors import Near as Near
from rag_qa.index.vectors import VectorStore
from rag_qa.papers import Paper

_BATCH = 32  # papers between two commits: what an interruption can cost

Progress = Callable[[str, int, int], None]
"""(stage, done, total)"""

Conditions = Mapping[str, str | tuple[int | None, int | None]]
"""Field -> exact value, or (least, greatest) with None for open."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update did, in papers."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    embedded: int = 0


class Store:
    """An index in a folder. Reading follows what other processes write; writing is for one process at a time."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder
        self._seen_generation = -1
        self._lock = threading.Lock()

    # ------------------------------------------------------------------------------------------------------------- opening

    @property
    def folder(self) -> Path:
        """Where the index lies."""
        return self._folder

    def manifest(self) -> Manifest:
        """What built the index. Raises EmptyIndexError when there is none."""
        found = manifest.read(self._folder)
        if found is None:
            raise EmptyIndexError(f"There is no index in {self._folder}: make one with: rag-qa index PATH  (for the shipped abstracts: rag-qa index seeds)")
        return found

    def open(self) -> None:
        """Make sure that this index can be searched with this embedder, and follow what other processes wrote.

        Raises EmptyIndexError or StaleIndexError.
        """
        with self._lock:
            if self._seen_generation < 0:
                self.manifest().require(self._wanted(), self._folder)
            elif not self._folder.exists():
                raise EmptyIndexError(f"The index in {self._folder} has been deleted: make it again with: rag-qa index PATH")
            generation = self._catalog.generation
            if generation == self._seen_generation:
                return
            if self._seen_generation >= 0:
                self.manifest().require(self._wanted(), self._folder)
                self._vectors.reopen()
                self._keywords.reopen()
            if self._catalog.count()[0] == 0:
                raise EmptyIndexError(f"The index in {self._folder} holds no paper yet: add some with: rag-qa index PATH")
            self._seen_generation = generation

    def _wanted(self) -> Manifest:
        return Manifest(self._embedder.name, self._embedder.dimensions)

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog(self._folder / "catalog.db")

    @cached_property
    def _vectors(self) -> VectorStore:
        return VectorStore(self._folder / "chroma")

    @cached_property
    def _keywords(self) -> KeywordIndex:
        return KeywordIndex(self._folder / "keywords")

    # ------------------------------------------------------------------------------------------------------------- reading

    def count(self) -> tuple[int, int]:
        """(papers, passages) that can be found."""
        return self._catalog.count()

    def sources(self) -> list[str]:
        """Files that were read, sorted."""
        return sorted(self._catalog.sources())

    def papers(self) -> list[Paper]:
        """All papers in the order of their origins."""
        return self._catalog.papers()

    def get(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """Papers by id."""
        return self._catalog.get(paper_ids)

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        """Passages by paper, in order."""
        return self._catalog.passages(papers)

    def sentence_vectors(self, paper_ids: Sequence[str]) -> dict[str, Vectors]:
        """Unit vectors of the sentences of papers, shape (sentences, dimensions)."""
        return self._catalog.sentence_vectors(paper_ids, self._embedder.dimensions)

    def near(self, vector: Vectors, limit: int, conditions: Conditions | None = None) -> list[Near]:
        """Passages nearest to a vector of shape (dimensions,), best first."""
        return self._vectors.query(vector, limit, list(_chroma_conditions(conditions or {})))

    def by_keywords(self, terms: Mapping[str, float], limit: int, conditions: Conditions | None = None) -> list[tuple[str, float]]:
        """(paper id, BM25) of the papers that hold any of the weighted terms, best first."""
        return self._keywords.search(terms, limit, conditions)

    def document_frequency(self, term: str) -> int:
        """In how many papers a term stands."""
        return self._keywords.document_frequency(term)

    def __len__(self) -> int:
        return len(self._keywords)

    # ------------------------------------------------------------------------------------------------------------- writing

    def update(self, files: Mapping[str, Sequence[Paper]], *, progress: Progress | None = None) -> Changes:
        """Bring the index in step with what these files hold now (file -> its records in order, each with its one origin).

        A paper that no file holds any more leaves. Work that an earlier run left is finished. Raises IndexBusyError, StaleIndexError.
        """
        with self._writing():
            before = self._catalog.hashes()
            sources = self._catalog.sources()
            for path, papers in files.items():
                self._catalog.plan(path, papers)
            gone = set(self._catalog.leaving())
            embedded = self._catch_up(progress or _silent)
            return _changes(before, self._catalog.hashes(), gone, files, sources, embedded)

    def rebuild(self, *, progress: Progress | None = None) -> int:
        """Make vectors and keywords again from the papers that the index knows, with this embedder. Returns the number of papers."""
        with self._writing(check=False):
            self._catalog.forget_built()
            self._wanted().write(self._folder)
            for part in ("chroma", "keywords"):
                shutil.rmtree(self._folder / part, ignore_errors=True)
            self.__dict__.pop("_keywords", None)
            self._vectors.reopen()
            return self._catch_up(progress or _silent)

    @contextmanager
    def _writing(self, *, check: bool = True) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(self._folder / "write.lock", timeout=2):
                found = manifest.read(self._folder)
                if found is None:
                    self._wanted().write(self._folder)
                elif check:
                    found.require(self._wanted(), self._folder)
                yield
        except filelock.Timeout:
            raise IndexBusyError(f"Another rag-qa index is writing to {self._folder}: wait until it is done and run this again") from None

    def _catch_up(self, progress: Progress) -> int:
        """Remove what is leaving, then embed what is pending; safe to stop at any point and to begin again."""
        self._remove(self._catalog.leaving())
        pending = list(self._catalog.pending().values())
        for start in range(0, len(pending), _BATCH):
            progress("embedding", start, len(pending))
            self._add(pending[start : start + _BATCH])
        progress("embedding", len(pending), len(pending))
        return len(pending)

    def _remove(self, paper_ids: Sequence[str]) -> None:
        if paper_ids:
            self._vectors.delete_papers(paper_ids)
            self._keywords.delete_papers(paper_ids)
            self._catalog.drop(paper_ids)

    def _add(self, papers: Sequence[Paper]) -> None:
        cut = [chunking.passages(p, count_tokens=self._embedder.count_tokens, max_tokens=self._embedder.max_tokens) for p in papers]
        sentences = [[paper.abstract[a:b] for a, b in text.sentences(paper.abstract)] for paper in papers]
        passages = [passage for group in cut for passage in group]
        vectors = self._embedder.embed([text.joined(p.text) for p in passages] + [text.joined(s) for group in sentences for s in group])
        self._vectors.delete_papers([paper.id for paper in papers])
        metadatas = [_metadata(paper) for paper, group in zip(papers, cut, strict=True) for _ in group]
        self._vectors.put([passage.id for passage in passages], vectors[: len(passages)], metadatas)
        self._keywords.put(papers)
        borders = np.cumsum([len(passages), *(len(group) for group in sentences)])
        by_paper = [vectors[a:b] for a, b in zip(borders[:-1], borders[1:], strict=True)]
        self._catalog.finish(zip((paper.id for paper in papers), cut, by_paper, strict=True))


def _changes(
    before: Mapping[str, str],
    after: Mapping[str, str],
    gone: set[str],
    files: Mapping[str, Sequence[Paper]],
    sources: Mapping[str, Sequence[str]],
    embedded: int,
) -> Changes:
    new = {paper_id for paper_id in after if paper_id not in before}
    changed = {paper_id for paper_id in after if paper_id in before and before[paper_id] != after[paper_id]}
    # An abstract without any identifier is known by its words: edited, it is a new paper in the place of one that left the same file.
    replaced = 0
    for path, papers in files.items():
        left = sum(paper_id in gone for paper_id in set(sources.get(path, ())))
        came = sum(paper.id in new for paper in papers)
        replaced += min(left, came)
    named = {paper.id for papers in files.values() for paper in papers}
    return Changes(
        added=len(new) - replaced,
        updated=len(changed) + replaced,
        unchanged=len(named & before.keys()) - len(changed & named),
        removed=len(gone) - replaced,
        embedded=embedded,
    )


def _metadata(paper: Paper) -> dict[str, str | int]:
    fields = {
        "paper_id": paper.id,
        "year": paper.year,
        "venue": paper.venue.casefold() if paper.venue else None,
        "collection": paper.collection.casefold() if paper.collection else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _chroma_conditions(conditions: Conditions) -> Iterator[Mapping[str, object]]:
    for field, wanted in conditions.items():
        if not isinstance(wanted, tuple):
            yield {field: {"$eq": wanted}}
            continue
        low, high = wanted
        if low is not None:
            yield {field: {"$gte": low}}
        if high is not None:
            yield {field: {"$lte": high}}


def _silent(_stage: str, _done: int, _total: int) -> None:
    return
