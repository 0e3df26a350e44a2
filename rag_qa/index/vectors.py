"""Passage vectors in a persistent local Chroma collection. Only door to chromadb."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexingError

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.config import System

_COLLECTION = "passages"
# The space can't be changed later, and another one would be kept silently: it belongs to the format of an index. `ef_search` candidates of the
# graph are looked at; what is asked for is far less, so the nearest are found almost surely.
_CONFIGURATION: Any = {"hnsw": {"space": "cosine", "ef_search": 200}}
_MAX_BATCH = 5000  # Chroma refuses more than get_max_batch_size() (5,461 here) at once
_MAX_RESULTS = 1_000_000  # far more than an index holds; Chroma can't count beyond 32 bits


class Near(NamedTuple):
    """A passage and its cosine similarity to the question (higher is closer)."""

    passage_id: str
    paper_id: str
    similarity: float


class VectorStore:
    """Chroma in a folder. Opened when first used, and made when first written to; safe to use from several threads, which take turns.

    Every method raises IndexingError when Chroma can't do its work.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._system: System | None = None
        self._opened: Collection | None = None

    def put(self, ids: Sequence[str], vectors: Vectors, metadatas: Sequence[Mapping[str, str | int]]) -> None:
        """Add passages or replace them. Each metadata must hold paper_id; values are never None (Chroma refuses it)."""
        with self._collection(make=True) as collection:
            for start in range(0, len(ids), _MAX_BATCH):
                part = slice(start, start + _MAX_BATCH)
                collection.upsert(ids=list(ids[part]), embeddings=vectors[part], metadatas=[dict(m) for m in metadatas[part]])

    def delete_papers(self, paper_ids: Sequence[str]) -> None:
        """Remove every passage of these papers."""
        with self._collection() as collection:
            for start in range(0, len(paper_ids) if collection is not None else 0, 200):
                chosen: Any = {"paper_id": {"$in": list(paper_ids[start : start + 200])}}
                collection.delete(where=chosen)

    def query(self, vector: Vectors, limit: int, conditions: Sequence[Mapping[str, Any]] = ()) -> list[Near]:
        """The nearest passages, best first; fewer than `limit` if there are fewer. `vector` has shape (dimensions,)."""
        with self._collection() as collection:
            if collection is None or limit < 1:
                return []
            asked: Any = [vector]
            most = min(limit, _MAX_RESULTS)
            found = collection.query(query_embeddings=asked, n_results=most, where=_where(conditions), include=["metadatas", "distances"])
        metadatas, distances = found["metadatas"], found["distances"]
        assert metadatas is not None
        assert distances is not None
        # Chroma's cosine space returns distances: 1 - similarity. Ties are broken by id, so that an order is the same on every run.
        near = [Near(id_, str(meta["paper_id"]), 1.0 - float(d)) for id_, meta, d in zip(found["ids"][0], metadatas[0], distances[0], strict=True)]
        return sorted(near, key=lambda n: (-n.similarity, n.passage_id))

    def ids(self) -> list[str]:
        """Ids of all passages, sorted."""
        with self._collection() as collection:
            return sorted(collection.get(include=[])["ids"]) if collection is not None else []

    def __len__(self) -> int:
        with self._collection() as collection:
            return collection.count() if collection is not None else 0

    def close(self) -> None:
        """Let go of the files. The next use opens them again and sees what another process has written: an open one keeps its own copy."""
        with self._lock:
            system, self._system, self._opened = self._system, None, None
            if system is not None:
                system.stop()

    @contextmanager
    def _collection(self, *, make: bool = False) -> Iterator[Any]:
        """The collection, for one thread at a time; None if there is none and it is not to be made."""
        with self._lock:
            try:
                if self._opened is None and (make or (self._path / "chroma.sqlite3").exists()):
                    self._opened = self._open(make=make)
                yield self._opened
            except BaseException as error:
                # the engine below Chroma reports a broken file by a panic, which is no Exception
                if isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime":
                    raise self._failure(error) from None
                raise

    def _open(self, *, make: bool) -> Collection | None:
        from chromadb.api import ServerAPI
        from chromadb.api.client import Client
        from chromadb.api.shared_system_client import SharedSystemClient
        from chromadb.config import Settings, System
        from chromadb.errors import NotFoundError

        # PersistentClient shares one engine among all clients of a folder in this process, so that none of them could ever open it afresh
        system = System(Settings(is_persistent=True, persist_directory=str(self._path), anonymized_telemetry=False))
        system.instance(ServerAPI)  # type: ignore[type-abstract]
        system.start()
        self._system = system
        client = Client.from_system(system)
        SharedSystemClient.clear_system_cache()
        if make:
            return client.get_or_create_collection(_COLLECTION, embedding_function=None, configuration=_CONFIGURATION)
        try:
            return client.get_collection(_COLLECTION, embedding_function=None)
        except NotFoundError:
            return None

    def _failure(self, error: BaseException) -> IndexingError:
        self._system = self._opened = None  # a broken engine can't even be stopped
        reason = " ".join(str(error).split()) or type(error).__name__
        return IndexingError(f"Chroma can't use {self._path} ({reason}): make it again with: rag-qa index --rebuild")


def _where(conditions: Sequence[Mapping[str, Any]]) -> Any:
    # Chroma refuses an empty filter and an "$and" of one
    if not conditions:
        return None
    return dict(conditions[0]) if len(conditions) == 1 else {"$and": [dict(c) for c in conditions]}
