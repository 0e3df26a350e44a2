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

import numpy as np

from rag_qa import dedup
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexBusyError, IndexingError
from rag_qa.papers import Origin, Paper

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
    """Safe to use from several threads of a process and from several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, timeout=10, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise IndexingError(f"{path} can't be opened as an index ({error}): delete the folder {path.parent} and run rag-qa index again") from None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    # ------------------------------------------------------------------------------------------------------------- reading

    @property
    def generation(self) -> int:
        """Grows with every change of what can be found, made by any process."""
        row = self._one("SELECT value FROM meta WHERE key = 'generation'")
        return int(row[0]) if row else 0

    def count(self) -> tuple[int, int]:
        """(papers, passages) that can be found."""
        papers = self._one("SELECT count(*) FROM papers WHERE state = 'indexed'")
        passages = self._one("SELECT count(*) FROM passages JOIN papers ON papers.id = paper_id WHERE state = 'indexed'")
        return int(papers[0]), int(passages[0])

    def papers(self) -> list[Paper]:
        """All papers that can be found, in the order of their origins."""
        found = self._papers("SELECT id, record FROM papers WHERE state = 'indexed'", ())
        return sorted(found.values(), key=lambda paper: (paper.origins, paper.id))

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Papers by id; an id that can't be found (any more) is absent."""
        return self._papers(f"SELECT id, record FROM papers WHERE state = 'indexed' AND id IN ({_marks(ids)})", ids)

    def pending(self) -> dict[str, Paper]:
        """Papers that are known and not yet searchable."""
        return self._papers("SELECT id, record FROM papers WHERE state = 'pending'", ())

    def leaving(self) -> list[str]:
        """Ids of papers that are to be removed."""
        return [row[0] for row in self._all("SELECT id FROM papers WHERE state = 'leaving' ORDER BY id")]

    def hashes(self) -> dict[str, str]:
        """Content hash by id, of papers that are there or will be."""
        return dict(self._all("SELECT id, content_hash FROM papers WHERE state != 'leaving'"))

    def sources(self) -> dict[str, list[str]]:
        """Paper ids by file, in file order."""
        found: dict[str, list[str]] = {}
        for path, paper_id in self._all("SELECT path, paper_id FROM origins ORDER BY path, ordinal"):
            found.setdefault(path, []).append(paper_id)
        return found

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        """Passages by paper, in order."""
        found: dict[str, list[Passage]] = {paper_id: [] for paper_id in papers}
        sql = "SELECT id, paper_id, ordinal, start, end FROM passages WHERE paper_id IN ({}) ORDER BY paper_id, ordinal"
        for chunk in _chunks(list(papers)):
            for id_, paper_id, ordinal, start, end in self._all(sql.format(_marks(chunk)), chunk):
                found[paper_id].append(Passage(id_, paper_id, ordinal, papers[paper_id].abstract[start:end], start, end))
        return found

    def sentence_vectors(self, paper_ids: Sequence[str], dimensions: int) -> dict[str, Vectors]:
        """One row for each sentence of a paper (as text.sentences cuts it), shape (sentences, dimensions)."""
        sql = f"SELECT id, sentence_vectors FROM papers WHERE sentence_vectors IS NOT NULL AND id IN ({_marks(paper_ids)})"
        return {id_: np.frombuffer(blob, np.float16).reshape(-1, dimensions).astype(np.float32) for id_, blob in self._all(sql, paper_ids)}

    # ------------------------------------------------------------------------------------------------------------- writing

    def plan(self, path: str, papers: Sequence[Paper]) -> None:
        """Say what a file holds now, in order, one paper a record. New and changed papers become pending, and those that no file holds any
        more become leaving; in one transaction.

        A paper is what all its records together say, in the order of their files, whichever was read last.
        """
        with self._transaction() as db:
            before = {row[0] for row in db.execute("SELECT paper_id FROM origins WHERE path = ?", (path,))}
            db.execute("DELETE FROM origins WHERE path = ?", (path,))
            rows = [(path, ordinal, paper.id, _dump(paper)) for ordinal, paper in enumerate(papers)]
            db.executemany("INSERT INTO origins (path, ordinal, paper_id, record) VALUES (?, ?, ?, ?)", rows)
            for paper_id in sorted(before | {paper.id for paper in papers}):
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

    # ------------------------------------------------------------------------------------------------------------- plumbing

    def _papers(self, sql: str, arguments: Sequence[str]) -> dict[str, Paper]:
        return {row[0]: _load(row[1]) for row in self._all(sql, arguments)}

    def _one(self, sql: str, arguments: Sequence[str] = ()) -> tuple[str, ...]:
        with self._lock:
            row: tuple[str, ...] = self._db.execute(sql, tuple(arguments)).fetchone()
            return row

    def _all(self, sql: str, arguments: Sequence[str] = ()) -> list[tuple]:  # type: ignore[type-arg]
        with self._lock:
            return self._db.execute(sql, tuple(arguments)).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                raise IndexBusyError(f"Another process is writing to {self._path.parent}: wait until it is done and try again") from None
            try:
                yield self._db
                self._db.execute("INSERT INTO meta VALUES ('generation', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1")
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _chunks(values: Sequence[str], size: int = 500) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _dump(paper: Paper) -> str:
    return json.dumps(asdict(paper), ensure_ascii=True, sort_keys=True)


def _load(record: str) -> Paper:
    fields = json.loads(record)
    fields["authors"] = tuple(fields["authors"])
    fields["origins"] = tuple(Origin(**origin) for origin in fields["origins"])
    return Paper(**fields)
