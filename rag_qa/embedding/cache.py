"""Vectors kept in a file: a text that an embedder has seen once costs nothing again, in any process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path

import numpy as np

from rag_qa.embedding.embedder import Embedder, Vectors
from rag_qa.errors import IndexBusyError, IndexingError

# Rows in the order in which they come, and the keys apart: three times as quick to fill and to read as rows ordered by a hash.
_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, text))"
_LOOKED_UP = 500  # texts in one query: SQLite takes only so many
_KEPT = 1024  # texts between two commits: what a kill, or a server that fails, can cost
_HALF = np.dtype("<f2")
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Cached:
    """An embedder that asks another one only for texts that are not in its file. Safe to use from several threads and processes.

    Vectors are kept by the embedder's name and the sha256 of the text, as float16: 11 bits of each number, half the space of float32. That turns a
    unit vector of 384 numbers by about 0.0002 (its cosine with the exact one is 1 - 4e-8) and changes a cosine similarity by about 0.00001. A vector
    that was just computed is rounded in the same way, so that it does not matter who computed a vector, and when.

    Every method raises IndexingError when the file can't be used, IndexBusyError when another process does not let go of it for `patience` seconds,
    and what the other embedder raises.
    """

    def __init__(self, embedder: Embedder, path: Path, *, patience: float = 30.0) -> None:
        self._embedder = embedder
        self._path = path
        self._patience = patience
        self._lock = threading.RLock()
        self.computed = 0
        """Texts that the other embedder was asked for."""

    @property
    def name(self) -> str:
        """That of the other embedder, and so interchangeable with it."""
        return self._embedder.name

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector, by the file if it can tell: a remote model has to be asked."""
        if not self._path.exists():  # nor is it made by those who only search
            return self._embedder.dimensions
        stored = self._rows("SELECT length(vector) FROM vectors WHERE model = ? LIMIT 1", [self.name])
        return int(stored[0][0]) // _HALF.itemsize if stored else self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in the model's own tokens."""
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's own tokens."""
        return self._embedder.count_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions)."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        keys = [_key(text) for text in texts]
        found = self._look_up(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        for some in _batches(missing, _KEPT):
            found |= self._compute({key: missing[key] for key in some})
        return self._unit([found[key] for key in keys])

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those that the other embedder would be asked for, each once."""
        keys = {_key(text): text for text in texts}
        known = self._look_up(keys) if self._path.exists() else {}
        return [text for key, text in keys.items() if key not in known]

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            opened = self.__dict__.pop("_db", None)
            if opened is not None:
                opened.close()

    def _compute(self, texts: Mapping[bytes, str]) -> dict[bytes, bytes]:
        vectors = self._embedder.embed(list(texts.values())).astype(_HALF)
        made = {key: vector.tobytes() for key, vector in zip(texts, vectors, strict=True)}
        self._keep(made)
        with self._lock:
            self.computed += len(made)
        return made

    def _unit(self, halves: Sequence[bytes]) -> Vectors:
        lengths = sorted({len(half) // _HALF.itemsize for half in halves})
        if len(lengths) > 1:
            raise IndexingError(
                f"The cache of vectors {self._path} and the model {self.name} have vectors of different lengths ({lengths[0]} and {lengths[-1]} "
                "numbers): was the model changed? Delete the file, and the vectors are computed again"
            )
        vectors = np.frombuffer(b"".join(halves), _HALF).reshape(len(halves), -1).astype(np.float32)
        # rounding made them a little longer or shorter
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        return unit

    # --------------------------------------------------------------------------------------------------------------- the file

    def _look_up(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for some in _batches(keys, _LOOKED_UP):
            marks = ",".join("?" * len(some))
            found.update(self._rows(f"SELECT text, vector FROM vectors WHERE model = ? AND text IN ({marks})", [self.name, *some]))
        return found

    def _keep(self, vectors: Mapping[bytes, bytes]) -> None:
        rows = [(self.name, key, vector) for key, vector in vectors.items()]
        with self._lock, self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, arguments: Sequence[object]) -> list[tuple[bytes, bytes]]:
        with self._lock, self._translated():
            return self._db.execute(sql, arguments).fetchall()

    @cached_property
    def _db(self) -> sqlite3.Connection:
        # With a rollback journal and not with a log beside it (WAL): processes that open a new file at the same time do not get into each
        # other's way, and there is one file to move or delete.
        self._path.parent.mkdir(parents=True, exist_ok=True)
        opened = sqlite3.connect(self._path, timeout=self._patience, check_same_thread=False, isolation_level=None)
        try:
            opened.execute(_SCHEMA)
        except BaseException:
            opened.close()
            raise
        return opened

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason, code = " ".join(str(error).split()), getattr(error, "sqlite_errorcode", 0)
            if code == sqlite3.SQLITE_BUSY:
                message = f"Another process holds the cache of vectors {self._path}: wait until it is done and try again"
                raise IndexBusyError(message) from None
            advice = "delete it, and the vectors are computed again" if code in _BROKEN else "see to its folder and the space on its disk"
            raise IndexingError(f"The cache of vectors {self._path} can't be used ({reason}): {advice}") from None


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _batches(keys: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while some := list(islice(rest, size)):
        yield some
