"""The SQLite file that holds the truth of an index: opened, locked, its errors translated."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag_qa.errors import IndexBusyError, IndexingError

Row = tuple[Any, ...]
_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

# Tables with large rows have row ids: without, SQLite puts most of each row on a page of its own, and the file is twice as large.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS papers (
    id TEXT NOT NULL PRIMARY KEY, content_hash TEXT NOT NULL, record TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'indexed', 'leaving', 'bare')), sentence_vectors BLOB,
    plain_id TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS papers_by_state ON papers (state) WHERE state != 'indexed';
CREATE TABLE IF NOT EXISTS kept (paper_id TEXT NOT NULL PRIMARY KEY, content_hash TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS successors (paper_id TEXT NOT NULL, successor TEXT NOT NULL, PRIMARY KEY (paper_id, successor)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passages (
    id TEXT PRIMARY KEY, paper_id TEXT NOT NULL, ordinal INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS passages_by_paper ON passages (paper_id);
CREATE TABLE IF NOT EXISTS roots (path TEXT PRIMARY KEY, mapping TEXT NOT NULL, is_excluded INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    path TEXT NOT NULL, ordinal INTEGER NOT NULL, place TEXT NOT NULL, line INTEGER NOT NULL, keys TEXT NOT NULL, hash TEXT NOT NULL,
    record TEXT NOT NULL, paper_id TEXT, reason TEXT NOT NULL DEFAULT '', PRIMARY KEY (path, ordinal)
);
CREATE INDEX IF NOT EXISTS records_by_paper ON records (paper_id);
CREATE TABLE IF NOT EXISTS problems (path TEXT NOT NULL, ordinal INTEGER NOT NULL, place TEXT NOT NULL, line INTEGER, kind TEXT NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (path, ordinal)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What can be found, as it was when passages and vectors were made of it. Of this connection alone: it is no part of the file.
CREATE TEMP VIEW IF NOT EXISTS found AS
SELECT papers.rowid AS number, id, coalesce(kept.content_hash, papers.content_hash) AS content_hash, coalesce(kept.record, papers.record) AS record
FROM papers LEFT JOIN kept ON kept.paper_id = id AND state != 'indexed' WHERE state = 'indexed' OR kept.paper_id IS NOT NULL;
"""


# What is known; what was built of it (passages and vectors) can be made again, and is larger.
_KNOWN = {
    "papers": "id, content_hash, record, state, plain_id, digest",
    "kept": "paper_id, content_hash, record",
    "roots": "path, mapping, is_excluded",
    "sources": "path, fingerprint",
    "records": "path, ordinal, place, line, keys, hash, record, paper_id, reason",
    "problems": "path, ordinal, place, line, kind, reason",
    "meta": "key, value",
}


class Database:
    """Safe to use from several threads of a process and from several processes.

    Every method raises IndexingError when the file is broken, and IndexBusyError when another process holds it.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` None: a temporary one, which SQLite keeps in memory while it is small, and puts into a file that nobody else sees when it grows."""
        self._path = path
        self._lock = threading.RLock()
        with self._translated():
            self._db = sqlite3.connect(path or "", timeout=10, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        self._identity = _identity(path)

    @property
    def is_current(self) -> bool:
        """Is the file at this path still the one that is open, and not a new one in its place?"""
        return _identity(self._path) == self._identity

    def in_memory(self) -> Database:
        """A temporary copy of what is known, without what was built of it, that can be changed without a trace."""
        copy = Database(None)
        with self._snapshot() as original, copy.transaction() as db:
            for table, columns in _KNOWN.items():
                places = ", ".join("?" * len(columns.split()))
                db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", original.execute(f"SELECT {columns} FROM {table}"))
        return copy

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def rows(self, sql: str, arguments: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._lock, self._translated():
            return self._db.execute(sql, tuple(arguments)).fetchall()

    def each(self, sql: str) -> Iterator[Row]:
        """The rows of a query one by one, inside a transaction: all of them at once may be a lot."""
        with self._lock, self._translated():
            yield from self._db.execute(sql)

    def chosen(self, sql: str, keys: Sequence[str]) -> Iterator[Row]:
        """Rows of a query that holds "IN ({})", asked for some of the keys at a time: SQLite takes only so many."""
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            yield from self.rows(sql.format(",".join("?" * len(some))), some)

    def meta(self, key: str) -> str:
        """A value that was noted, or ""."""
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(found[0][0]) if found else ""

    def note(self, key: str, value: str) -> None:
        """Keep a value; inside a transaction."""
        self._db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value))

    @property
    def generation(self) -> int:
        """Grows with every change of what can be found, made by any process."""
        return int(self.meta("generation") or 0)

    def announce(self) -> None:
        """What can be found has changed: let other processes look again. Inside a transaction."""
        self.note("generation", str(self.generation + 1))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. One inside another belongs to the outer one."""
        with self._lock, self._translated():
            if self._db.in_transaction:
                yield self._db
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """To read several tables as they are at one moment, whatever another process writes meanwhile."""
        with self._lock, self._translated():
            try:
                self._db.execute("BEGIN")
                yield self._db
            finally:
                self._roll_back()

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            folder = self._path.parent if self._path else "memory"
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                raise IndexBusyError(f"Another process is writing to {folder}: wait until it is done and try again") from None
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK:
                raise IndexingError(
                    f"The catalog {self._path} can't be written or read ({error}): free some space on the disk, or see what is wrong with it, "
                    "and run this again; nothing of the index is lost"
                ) from None
            advice = f"delete the folder {folder} and run rag-qa index PATH again"
            raise IndexingError(f"The catalog {self._path} can't be used ({error}): if this stays so, {advice}") from None


def _identity(path: Path | None) -> tuple[int, int] | None:
    try:
        found = path.stat() if path else None
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None
