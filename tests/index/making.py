"""What the tests of the index stand on: a tiny real embedder, papers made by hand, and all that can be seen of an index."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rag_qa.embedding.embedder import Vectors
from rag_qa.index.changes import Changes, Outcome, Progress, Source
from rag_qa.index.store import ChromaServer, Store
from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.retrieval.retriever import Retriever

LEFT_WHILE_AT_WORK = ("kept", "successors")  # tables
QUESTIONS = ("How fast do tides rise?", "mosses and carbon", "wolves", "What is new?")


class BagEmbedder:
    """A text becomes the unit vector of how many of its words fall into each of some buckets: texts with the same words are close.

    A token is a word. `embedded` holds every text that was embedded, in order; `before_embedding` is called first.
    """

    def __init__(self, name: str = "bag", dimensions: int = 16, max_tokens: int = 12, before_embedding: Callable[[], None] | None = None) -> None:
        self.name = name
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.embedded: list[str] = []
        self._before_embedding = before_embedding or (lambda: None)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._before_embedding()
        assert all(self.count_tokens(text) <= self.max_tokens for text in texts), "a text is longer than the window"
        self.embedded += texts
        raw = np.full((len(texts), self.dimensions), 0.01, np.float32)
        for row, text in zip(raw, texts, strict=True):
            for word in text.casefold().split():
                row[zlib.crc32(word.strip(".,;:!?").encode()) % self.dimensions] += 1
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


def paper(abstract: str, place: str = "a.txt:1", *, year: int | None = None, venue: str | None = None, collection: str | None = None) -> Paper:
    """A record as a reader makes it."""
    path, line = place.split(":")
    return Paper(paper_id(abstract), abstract, year=year, venue=venue, collection=collection, origins=(Origin(path, int(line)),))


def abstract(number: int, sentences: int = 2) -> str:
    """One of many different abstracts."""
    topics = ("tides", "mosses", "wolves", "storms", "rivers", "glaciers", "forests")
    parts = [f"We study {topics[(number + i) % len(topics)]} in region {number} by method {number * i}." for i in range(sentences)]
    return " ".join(parts)


class Reader:
    """Someone who has an index open and searches it."""

    def __init__(self, folder: Path, *, server: ChromaServer | None = None) -> None:
        self.embedder = BagEmbedder()
        self.store = Store(folder, self.embedder, server=server)

    def found(self) -> set[int]:
        """Numbers of the papers that a search finds, each of which is whole."""
        hits = Retriever(self.store, self.embedder).search("We study a region by a method", k=1000)
        for hit in hits:
            assert " ".join(p.text for p in self.store.passages({hit.paper.id: hit.paper})[hit.paper.id]) == hit.paper.abstract
            assert hit.passages
            assert self.store.sentence_vectors([hit.paper.id]) or not self.store.get([hit.paper.id])
        numbers = {abstract(number): number for number in range(1000)}
        return {numbers[hit.paper.abstract] for hit in hits}


class Counted(NamedTuple):
    """What an update did, in papers."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    embedded: int = 0


def counted(changes: Changes) -> Counted:
    """The changes without the records."""
    added, updated, unchanged = (changes.count(outcome) for outcome in (Outcome.ADDED, Outcome.UPDATED, Outcome.UNCHANGED))
    return Counted(added, updated, unchanged, changes.removed, changes.embedded)


def update(store: Store, files: Mapping[str, Sequence[Paper]], *, progress: Progress | None = None) -> Counted:
    """Files as they are now; one without papers has gone."""
    sources = [Source(path, lambda papers=papers: papers) for path, papers in files.items() if papers]  # type: ignore[misc]
    return counted(store.update(sources, gone=[path for path, papers in files.items() if not papers], progress=progress))


def seen(store: Store, embedder: BagEmbedder) -> Mapping[str, object]:
    """All that can be seen of an index from outside and inside: two indexes that answer alike are equal here."""
    papers = store.papers()
    ids = [one.id for one in papers]
    retriever = Retriever(store, embedder)
    return {
        "papers": papers,
        "sources": store.sources(),
        "count": store.count(),
        "passages": store.passages({one.id: one for one in papers}),
        "vectors": store._vectors.ids(),
        "keywords": (len(store), store._keywords.deleted),
        "sentences": {id_: vectors.round(3).tolist() for id_, vectors in store.sentence_vectors(ids).items()},
        "unfinished": [
            store._catalog.pending(),
            store._catalog.leaving(),
            *(store._database.rows(f"SELECT * FROM {name}") for name in LEFT_WHILE_AT_WORK),
        ],
        "found": [retriever.search(question, k=20) for question in QUESTIONS] if papers else [],
    }


def built(folder: Path, files: Mapping[str, Sequence[Paper]]) -> Mapping[str, object]:
    """What a clean index of these files shows."""
    embedder = BagEmbedder()
    store = Store(folder, embedder)
    update(store, files)
    return seen(store, embedder)
