"""The truth of an index: which papers it holds, where they came from, their passages, and what is still to be done. A SQLite file.

Vectors and keyword postings can be made again from it. A paper is *pending* until both hold it, and *leaving* until neither does, so a
process that dies in between leaves work for the next run and never a half paper in an answer.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rag_qa import dedup
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexBusyError, IndexingError
from rag_qa.papers import Origin, Paper

Row = tuple[Any, ...]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS papers (
    id TEXT PRIMARY KEY, content_hash TEXT NOT NULL, record TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'indexed', 'leaving')), sentence_vectors BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS papers_by_state ON papers (state) WHERE state != 'indexed';
CREATE TABLE IF NOT EXISTS origins (
    path TEXT NOT NULL, ordinal INTEGER NOT NULL, paper_id TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (path, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS origins_by_paper ON origins (paper_id);
CREATE TABLE IF NOT EXISTS passages (
    id TEXT PRIMARY KEY, paper_id TEXT NOT NULL, ordinal INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS passages_by_paper ON passages (paper_id);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Catalog:
    """Safe to use from several threads of a process and from several processes.

    Every method raises IndexingError when the file is broken.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        with self._translated():
            self._db = sqlite3.connect(path, timeout=10, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        self._identity = _identity(path)

    @property
    def is_current(self) -> bool:
        """Is the file at this path still the one that is open, and not a new one in its place?"""
        return _identity(self._path) == self._identity

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    # ------------------------------------------------------------------------------------------------------------- reading

    @property
    def generation(self) -> int:
        """Grows with every change of what can be found, made by any process."""
        rows = self._all("SELECT value FROM meta WHERE key = 'generation'")
        return int(rows[0][0]) if rows else 0

    def count(self) -> tuple[int, int]:
        """(papers, passages) that can be found."""
        ((papers,),) = self._all("SELECT count(*) FROM papers WHERE state = 'indexed'")
        ((passages,),) = self._all("SELECT count(*) FROM passages JOIN papers ON papers.id = paper_id WHERE state = 'indexed'")
        return int(papers), int(passages)

    def papers(self) -> list[Paper]:
        """All papers that can be found, in the order of their origins."""
        found = self._papers("SELECT id, record FROM papers WHERE state = 'indexed'")
        return sorted(found.values(), key=lambda paper: (paper.origins, paper.id))

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Papers by id; an id that can't be found (any more) is absent."""
        rows = self._chosen("SELECT id, record FROM papers WHERE state = 'indexed' AND id IN ({})", ids)
        return {paper_id: _load(record) for paper_id, record in rows}

    def pending(self) -> dict[str, Paper]:
        """Papers that are known and not yet searchable."""
        return self._papers("SELECT id, record FROM papers WHERE state = 'pending' ORDER BY id")

    def leaving(self) -> list[str]:
        """Ids of papers that are to be removed."""
        return [row[0] for row in self._all("SELECT id FROM papers WHERE state = 'leaving' ORDER BY id")]

    def hashes(self) -> dict[str, str]:
        """Content hash by id, of papers that can be found."""
        return dict(self._all("SELECT id, content_hash FROM papers WHERE state = 'indexed'"))

    def sources(self) -> dict[str, list[str]]:
        """Paper ids by file, in file order."""
        found: dict[str, list[str]] = {}
        for path, paper_id in self._all("SELECT path, paper_id FROM origins ORDER BY path, ordinal"):
            found.setdefault(path, []).append(paper_id)
        return found

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        """Passages by paper, in order."""
        found: dict[str, list[Passage]] = {paper_id: [] for paper_id in papers}
        rows = self._chosen("SELECT id, paper_id, ordinal, start, end FROM passages WHERE paper_id IN ({}) ORDER BY paper_id, ordinal", list(papers))
        for id_, paper_id, ordinal, start, end in rows:
            found[paper_id].append(Passage(id_, paper_id, ordinal, papers[paper_id].abstract[start:end], start, end))
        return found

    def passage_ids(self) -> list[str]:
        """Ids of all passages that can be found, sorted."""
        rows = self._all("SELECT passages.id FROM passages JOIN papers ON papers.id = paper_id WHERE state = 'indexed' ORDER BY passages.id")
        return [row[0] for row in rows]

    def sentence_vectors(self, paper_ids: Sequence[str], dimensions: int) -> dict[str, Vectors]:
        """One row for each sentence of a paper (as text.sentences cuts it), shape (sentences, dimensions)."""
        rows = self._chosen("SELECT id, sentence_vectors FROM papers WHERE sentence_vectors IS NOT NULL AND id IN ({})", paper_ids)
        return {id_: np.frombuffer(blob, np.float16).reshape(-1, dimensions).astype(np.float32) for id_, blob in rows}

    # ------------------------------------------------------------------------------------------------------------- writing

    def plan(self, path: str, papers: Sequence[Paper]) -> None:
        """Say what a file holds now, in order, one paper a record. New and changed papers become pending, and those that no file holds any
        more become leaving; in one transaction.

        A paper is what all its records together say, in the order of their files, whichever was read last.
        """
        rows = [(path, ordinal, paper.id, _dump(paper)) for ordinal, paper in enumerate(papers)]
        known = self._all("SELECT path, ordinal, paper_id, record FROM origins WHERE path = ? ORDER BY ordinal", (path,))
        if rows == known:
            return  # other processes need not look again
        with self._transaction() as db:
            db.execute("DELETE FROM origins WHERE path = ?", (path,))
            db.executemany("INSERT INTO origins (path, ordinal, paper_id, record) VALUES (?, ?, ?, ?)", rows)
            for paper_id in sorted({row[2] for row in (*known, *rows)}):
                self._settle(db, paper_id)

    def _settle(self, db: sqlite3.Connection, paper_id: str) -> None:
        """Make a paper what its records say."""
        records = db.execute("SELECT record FROM origins WHERE paper_id = ? ORDER BY path, ordinal", (paper_id,)).fetchall()
        if not records:
            db.execute("UPDATE papers SET state = 'leaving' WHERE id = ?", (paper_id,))
            return
        (paper,) = dedup.merge(_load(record) for (record,) in records)
        known = db.execute("SELECT content_hash, state FROM papers WHERE id = ?", (paper_id,)).fetchone()
        if known and known[0] == paper.content_hash and known[1] != "leaving":
            db.execute("UPDATE papers SET record = ? WHERE id = ?", (_dump(paper), paper_id))
            return
        # not an UPDATE: nothing of the old record may stay
        sql = "INSERT OR REPLACE INTO papers (id, content_hash, record, state) VALUES (?, ?, ?, 'pending')"
        db.execute(sql, (paper.id, paper.content_hash, _dump(paper)))

    def finish(self, papers: Iterable[tuple[str, Sequence[Passage], Vectors]]) -> None:
        """Pending papers become searchable: (paper id, its passages, its sentence vectors)."""
        with self._transaction() as db:
            for paper_id, passages, vectors in papers:
                db.execute("DELETE FROM passages WHERE paper_id = ?", (paper_id,))
                rows = [(p.id, p.paper_id, p.ordinal, p.start, p.end) for p in passages]
                db.executemany("INSERT INTO passages (id, paper_id, ordinal, start, end) VALUES (?, ?, ?, ?, ?)", rows)
                blob = vectors.astype(np.float16).tobytes()
                db.execute("UPDATE papers SET state = 'indexed', sentence_vectors = ? WHERE id = ?", (blob, paper_id))

    def forget_built(self) -> None:
        """Every paper becomes pending again: vectors and keywords are to be made anew."""
        with self._transaction() as db:
            db.execute("DELETE FROM passages")
            db.execute("UPDATE papers SET state = 'pending', sentence_vectors = NULL WHERE state = 'indexed'")

    def drop(self, paper_ids: Sequence[str]) -> None:
        """Forget papers."""
        with self._transaction() as db:
            for paper_id in paper_ids:
                db.execute("DELETE FROM passages WHERE paper_id = ?", (paper_id,))
                db.execute("DELETE FROM papers WHERE id = ?", (paper_id,))

    def announce(self) -> None:
        """Let other processes look again."""
        with self._transaction():
            pass

    # ------------------------------------------------------------------------------------------------------------- plumbing

    def _papers(self, sql: str) -> dict[str, Paper]:
        return {paper_id: _load(record) for paper_id, record in self._all(sql)}

    def _chosen(self, sql: str, ids: Sequence[str]) -> Iterator[Row]:
        """Rows of a query that holds "IN ({})", asked for some of the ids at a time: SQLite takes only so many."""
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            yield from self._all(sql.format(",".join("?" * len(some))), some)

    def _all(self, sql: str, arguments: Sequence[str] = ()) -> list[Row]:
        with self._lock, self._translated():
            return self._db.execute(sql, tuple(arguments)).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("INSERT INTO meta VALUES ('generation', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1")
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                raise IndexBusyError(f"Another process is writing to {self._path.parent}: wait until it is done and try again") from None
            advice = f"delete the folder {self._path.parent} and run rag-qa index PATH again"
            raise IndexingError(f"The catalog {self._path} can't be used ({error}): if this stays so, {advice}") from None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _dump(paper: Paper) -> str:
    return json.dumps(asdict(paper), ensure_ascii=True, sort_keys=True)


def _load(record: str) -> Paper:
    fields = json.loads(record)
    fields["authors"] = tuple(fields["authors"])
    fields["origins"] = tuple(Origin(**origin) for origin in fields["origins"])
    return Paper(**fields)
