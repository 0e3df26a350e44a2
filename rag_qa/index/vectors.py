"""Passage vectors in a Chroma collection: a folder of this machine, or a server. Only door to chromadb."""

from __future__ import annotations

import re
import socket
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import numpy as np

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexingError
from rag_qa.index.checkpoint import Checkpoint

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ServerAPI
    from chromadb.config import System

# The space can't be changed later, and another one would be kept silently: it belongs to the format of an index. `ef_search` candidates of the
# graph are looked at; what is asked for is far less, so the nearest are found almost surely.
_HNSW = {"space": "cosine", "ef_search": 200}
# Changes until Chroma writes the graph. Few make for many writes, each of which takes as long as there are vectors; many make opening slow.
_THRESHOLD = 10_000
_MOST_WRITES = 20  # while the vectors double
_MANY_LOGGED = 500  # changes; to work them in takes a tenth of a second
_MAX_BATCH = 5000  # Chroma refuses more than get_max_batch_size() (5,461 here) at once
_MAX_BYTES = 8_000_000  # of vectors in one request: a server takes no more than about 40 MB, as text
_MAX_RESULTS = 1_000_000  # far more than an index holds; Chroma can't count beyond 32 bits
_MAX_NAMES = 2000  # in one condition: SQLite takes only so many
_CONNECT = 5.0  # seconds until a server must be there
_ANSWER = 120.0  # seconds without a sign of it


class Near(NamedTuple):
    """A passage and its cosine similarity to the question (higher is closer)."""

    passage_id: str
    paper_id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """A Chroma server (`chroma run`). `token`: what it wants to see, "" for nothing."""

    url: str
    token: str = field(default="", repr=False)


class Place(Protocol):
    """Where a collection lies, or is to lie."""

    @property
    def collection(self) -> str:
        """The name of the collection."""
        ...

    @property
    def traits(self) -> Mapping[str, Any]:
        """What it is made with."""
        ...

    def is_there(self) -> bool:
        """May there be one? No needs no look into Chroma."""
        ...

    def start(self) -> System:
        """An engine of its own for it, running."""
        ...

    def opening(self) -> AbstractContextManager[None]:
        """Entered while the collection is opened."""
        ...

    def changing(self, collection: Collection, changes: int, /) -> AbstractContextManager[None]:
        """Entered while so many passages are written or removed."""
        ...

    def advice(self, reason: str) -> str:
        """The line for a person when Chroma can't do its work."""
        ...


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine, in which Chroma runs as a library. `threshold`: of a collection that is new."""

    path: Path
    collection: str = "passages"
    threshold: int = _THRESHOLD

    def __str__(self) -> str:
        return str(self.path)

    @property
    def traits(self) -> Mapping[str, Any]:
        """How seldom the graph is written can be changed later."""
        return {"configuration": {"hnsw": {**_HNSW, "sync_threshold": self.threshold}}}

    def is_there(self) -> bool:
        """Has Chroma ever written here?"""
        return (self.path / "chroma.sqlite3").exists()

    def start(self) -> System:
        """Not one that all of this process share: it could never be opened afresh."""
        return _started(is_persistent=True, persist_directory=str(self.path))

    def opening(self) -> AbstractContextManager[None]:
        """What a killed process left is put right."""
        return Checkpoint(self.path, self.threshold).opening()

    def changing(self, collection: Collection, changes: int, /) -> AbstractContextManager[None]:
        """So that it can be put right if this process is killed."""
        return Checkpoint(self.path, threshold_of(collection)).changing(changes)

    def advice(self, reason: str) -> str:
        """All of it can be made again."""
        return f"Chroma can't use {self.path} ({reason}): make it again with: rag-qa index --rebuild"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection of a server, under a name that no other index has. `owner`: the index that it belongs to, for a person who looks."""

    server: ChromaServer
    collection: str
    owner: str = ""

    def __str__(self) -> str:
        return f"the Chroma server at {self.server.url}"

    @property
    def traits(self) -> Mapping[str, Any]:
        """Who it belongs to stands in its metadata."""
        return {"configuration": {"hnsw": _HNSW}, "metadata": {"index": self.owner}}

    def is_there(self) -> bool:
        """Only the server knows. Without a name there is none."""
        return bool(self.collection)

    def start(self) -> System:
        """A client of the server, which must be there. Raises OSError."""
        parts = urlsplit(self.server.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname or "", port), timeout=_CONNECT).close()  # Chroma's client would wait for minutes
        token = self.server.token
        headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else {}
        impl = "chromadb.api.fastapi.FastAPI"
        return _started(chroma_api_impl=impl, chroma_server_host=self.server.url, chroma_server_http_port=port, chroma_server_headers=headers)

    def opening(self) -> AbstractContextManager[None]:
        """The server sees to it."""
        return nullcontext()

    def changing(self, _collection: Collection, _changes: int, /) -> AbstractContextManager[None]:
        """The server sees to it."""
        return nullcontext()

    def advice(self, reason: str) -> str:
        """It may be down, or another one."""
        return f"The Chroma server at {self.server.url} can't be used ({reason}): start it (chroma run --path FOLDER), or correct RAG_QA_CHROMA_URL"


def threshold_of(collection: Collection) -> int:
    """How many changes make Chroma write the graph of a collection."""
    return int(collection.configuration_json["hnsw"]["sync_threshold"])


def _started(**settings: Any) -> System:
    from chromadb.config import Settings, System

    system = System(Settings(**settings, anonymized_telemetry=False))
    if session := _session(system):
        session.timeout = _ANSWER  # it has none
        weakref.finalize(system, session.close)  # nobody else does
    system.start()
    return system


def _stop(system: System) -> None:
    system.stop()
    if session := _session(system):
        session.close()


def _api(system: System) -> ServerAPI:
    """What a client of Chroma stands on. The clients themselves share systems behind one's back, or make others of their own."""
    from chromadb.api import ServerAPI

    return system.instance(ServerAPI)  # type: ignore[type-abstract]


def _session(system: System) -> Any:
    """The connections to a server."""
    return getattr(_api(system), "_session", None)


class VectorStore:
    """A collection of passages. Opened when first used, and made when first written to; safe to use from several threads, which take turns.

    Every method raises IndexingError when Chroma can't do its work.
    """

    def __init__(self, place: Place | Path) -> None:
        """A path is that of a folder."""
        self.place: Place = Folder(place) if isinstance(place, Path) else place
        self._lock = threading.RLock()
        self._system: System | None = None
        self._opened: Collection | None = None

    def put(self, ids: Sequence[str], vectors: Vectors, paper_ids: Sequence[str]) -> None:
        """Add passages or replace them; `paper_ids`: the paper of each."""
        with self._collection(make=True) as collection:
            most = min(_MAX_BATCH, max(1, _MAX_BYTES // (4 * vectors.shape[1])))
            for start in range(0, len(ids), most):
                part = slice(start, start + most)
                metadatas = [{"paper_id": paper_id} for paper_id in paper_ids[part]]
                with self.place.changing(collection, len(metadatas)):
                    collection.upsert(ids=list(ids[part]), embeddings=vectors[part], metadatas=metadatas)
            self._gather_more(collection)

    def delete_papers(self, paper_ids: Sequence[str], *, but: AbstractSet[str] = frozenset()) -> None:
        """Remove every passage of these papers, `but` some."""
        with self._collection() as collection:
            for start in range(0, len(paper_ids) if collection is not None else 0, _MAX_NAMES):
                chosen: Any = {"paper_id": {"$in": list(paper_ids[start : start + _MAX_NAMES])}}
                ids = [id_ for id_ in collection.get(where=chosen, include=[])["ids"] if id_ not in but]
                for part in (ids[at : at + _MAX_BATCH] for at in range(0, len(ids), _MAX_BATCH)):
                    with self.place.changing(collection, len(part)):
                        collection.delete(ids=part)

    def settle(self) -> None:
        """Make opening quick after much was written: what stands in Chroma's log alone has to be worked in by each process that opens a folder."""
        with self._collection() as collection:
            if collection is None or not isinstance(self.place, Folder):
                return
            threshold = threshold_of(collection)
            missing = threshold - Checkpoint(self.place.path, threshold).logged
            if missing <= threshold - _MANY_LOGGED:
                with self.place.changing(collection, missing):
                    # Chroma can't be told to write: so many changes that change nothing make it
                    for at in range(0, missing, _MAX_BATCH):
                        collection.delete(ids=[f"nothing:{number}" for number in range(at, min(missing, at + _MAX_BATCH))])

    def _gather_more(self, collection: Collection) -> None:
        """The more vectors there are, the more changes are gathered before all are written: else a large build writes little but graphs."""
        if not isinstance(self.place, Folder):
            return
        threshold = threshold_of(collection)
        if collection.count() > _MOST_WRITES * threshold:
            configuration: Any = {"hnsw": {"sync_threshold": 2 * threshold}}
            collection.modify(configuration=configuration)
            self.close()  # it holds from the next opening on

    def query(self, vector: Vectors, limit: int, ids: Sequence[str] | None = None) -> list[Near]:
        """The nearest passages, best first; fewer than `limit` if there are fewer. `vector` has shape (dimensions,).

        `ids`: only of these; the fewer they are, the longer it takes.
        """
        with self._collection() as collection:
            if collection is None or limit < 1:
                return []
            asked: Any = [vector]
            # without metadata: to look it up takes longer than to search
            some = None if ids is None else list(ids)
            found = collection.query(query_embeddings=asked, n_results=min(limit, _MAX_RESULTS), ids=some, include=["distances"])
        distances = found["distances"]
        assert distances is not None
        # Chroma's cosine space returns distances: 1 - similarity
        return _ranked(found["ids"][0], [1.0 - float(distance) for distance in distances[0]])

    def query_among(self, vector: Vectors, limit: int, ids: Sequence[str]) -> list[Near]:
        """The nearest of a few passages, best first: each is looked at. An id that is not there is left out."""
        with self._collection() as collection:
            if collection is None or limit < 1 or not ids:
                return []
            found = [collection.get(ids=list(ids[at : at + _MAX_NAMES]), include=["embeddings"]) for at in range(0, len(ids), _MAX_NAMES)]
        there = [id_ for some in found for id_ in some["ids"]]
        if not there:
            return []
        similarities = np.concatenate([np.asarray(some["embeddings"], np.float32) for some in found if some["ids"]]) @ vector
        return _ranked(there, similarities.tolist())[:limit]

    def ids(self) -> list[str]:
        """Ids of all passages, sorted."""
        with self._collection() as collection:
            return sorted(collection.get(include=[])["ids"]) if collection is not None else []

    def __len__(self) -> int:
        with self._collection() as collection:
            return collection.count() if collection is not None else 0

    def require(self) -> None:
        """Make sure that a server answers; a folder is not looked into."""
        if isinstance(self.place, Shelf):
            with self._collection():
                pass

    def discard(self) -> None:
        """Remove the collection, if it belongs to this index. The next use makes it anew."""
        self.close()
        if isinstance(self.place, Shelf):
            with self._collection() as collection:
                if collection is not None and self._system and (collection.metadata or {}).get("index") == self.place.owner:
                    _api(self._system).delete_collection(self.place.collection)
            self.close()
        elif isinstance(self.place, Folder):
            Checkpoint(self.place.path, self.place.threshold).remove()

    def refresh(self) -> None:
        """See from now on what another process has written: an open folder keeps its own copy. A server needs nothing of the kind."""
        if not isinstance(self.place, Shelf):
            self.close()

    def close(self) -> None:
        """Let go of the files or the connection. The next use opens them again."""
        with self._lock:
            system, self._system, self._opened = self._system, None, None
            if system is not None:
                _stop(system)

    @contextmanager
    def _collection(self, *, make: bool = False) -> Iterator[Any]:
        """The collection, for one thread at a time; None if there is none and it is not to be made."""
        with self._lock:
            try:
                if self._opened is None and (make or self.place.is_there()):
                    with self.place.opening():
                        self._opened = self._open(make=make)
                yield self._opened
            except IndexingError:
                self._system = self._opened = None
                raise
            except BaseException as error:
                # the engine below Chroma reports a broken file by a panic, which is no Exception
                if isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime":
                    raise self._failure(error) from None
                self.close()  # whatever was interrupted, opening puts it right
                raise

    def _open(self, *, make: bool) -> Collection | None:
        from chromadb import Collection
        from chromadb.errors import NotFoundError

        if self._system is None:
            self._system = self.place.start()
        api, name = _api(self._system), self.place.collection
        try:
            model = api.get_collection(name)
        except NotFoundError:
            if not make:
                return None
            model = api.get_or_create_collection(name, **self.place.traits)
        collection = Collection(client=api, model=model, embedding_function=None)
        collection.count()  # only now all is read
        return collection

    def _failure(self, error: BaseException) -> IndexingError:
        self._system = self._opened = None  # a broken engine can't even be stopped
        return IndexingError(self.place.advice(_reason(error)))


def _ranked(ids: Sequence[str], similarities: Sequence[float]) -> list[Near]:
    """Ties are broken by id, so that an order is the same on every run."""
    near = [Near(id_, id_.rpartition(":")[0], similarity) for id_, similarity in zip(ids, similarities, strict=True)]
    return sorted(near, key=lambda n: (-n.similarity, n.passage_id))


def _reason(error: BaseException) -> str:
    """What went wrong, as a part of a line.

    >>> _reason(ValueError("<html><body>Not\\nFound</body></html>")), _reason(KeyError())
    ('Not Found', 'KeyError')
    """
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    plain = " ".join(re.sub(r"<[^<>]*>|\(trace ID: 0+\)", " ", said).split())[:200]
    return plain or type(error).__name__
