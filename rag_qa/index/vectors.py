"""Passage vectors in a persistent local Chroma collection. Only door to chromadb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexingError

if TYPE_CHECKING:
    import chromadb

_COLLECTION = "passages"
_MAX_BATCH = 5000  # Chroma refuses more than get_max_batch_size() (5,461 here) at once
_CANDIDATES = 200  # ef_search of the graph: what is asked for is far less, so the nearest are found almost surely


class Near(NamedTuple):
    """A passage and its cosine similarity to the question (higher is closer)."""

    passage_id: str
    paper_id: str
    similarity: float


class VectorStore:
    """Chroma in a folder. Opened when first used."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _collection(self) -> chromadb.Collection:
        import chromadb
        from chromadb.errors import ChromaError

        settings = chromadb.Settings(anonymized_telemetry=False)
        try:
            client = chromadb.PersistentClient(str(self._path), settings=settings)
            # the space can't be changed later, and another one would be kept silently: it is part of the manifest
            configuration: Any = {"hnsw": {"space": "cosine", "ef_search": _CANDIDATES}}
            return client.get_or_create_collection(_COLLECTION, embedding_function=None, configuration=configuration)
        except (ChromaError, ValueError) as error:
            raise IndexingError(f"Chroma can't open {self._path} ({error}): delete {self._path.parent} and run rag-qa index again") from None

    def put(self, ids: Sequence[str], vectors: Vectors, metadatas: Sequence[Mapping[str, str | int]]) -> None:
        """Add passages or replace them. Each metadata must hold paper_id; values are never None (Chroma refuses it)."""
        for start in range(0, len(ids), _MAX_BATCH):
            part = slice(start, start + _MAX_BATCH)
            self._collection.upsert(ids=list(ids[part]), embeddings=vectors[part], metadatas=[dict(m) for m in metadatas[part]])

    def delete_papers(self, paper_ids: Sequence[str]) -> None:
        """Remove every passage of these papers."""
        for start in range(0, len(paper_ids), 200):
            self._collection.delete(where={"paper_id": {"$in": list(paper_ids[start : start + 200])}})

    def query(self, vector: Vectors, limit: int, conditions: Sequence[Mapping[str, Any]] = ()) -> list[Near]:
        """The nearest passages, best first; fewer than `limit` if there are fewer. `vector` has shape (dimensions,)."""
        found = self._collection.query(query_embeddings=[vector], n_results=limit, where=_where(conditions), include=["metadatas", "distances"])
        metadatas, distances = found["metadatas"], found["distances"]
        assert metadatas is not None and distances is not None
        # Chroma's cosine space returns distances: 1 - similarity. Ties are broken by id, so that an order is the same on every run.
        near = [Near(id_, str(meta["paper_id"]), 1.0 - float(d)) for id_, meta, d in zip(found["ids"][0], metadatas[0], distances[0], strict=True)]
        return sorted(near, key=lambda n: (-n.similarity, n.passage_id))

    def reopen(self) -> None:
        """See what another process has written: an open client keeps its own copy of the graph."""
        from chromadb.api.shared_system_client import SharedSystemClient

        self.__dict__.pop("_collection", None)
        SharedSystemClient.clear_system_cache()


def _where(conditions: Sequence[Mapping[str, Any]]) -> Any:
    # Chroma refuses an empty filter and an "$and" of one
    if not conditions:
        return None
    return dict(conditions[0]) if len(conditions) == 1 else {"$and": [dict(c) for c in conditions]}
