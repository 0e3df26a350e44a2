"""Which papers an index holds, their passages, and what is still to be done.

Vectors and keyword postings can be made again from it. A paper is *pending* until both hold it, and *leaving* until neither does, so a
process that dies in between leaves work for the next run and never a half paper in an answer. A *bare* one has no abstract: it is known, and no
evidence.

What could be found before is *kept* while it is pending or leaving: it is found as it was, until what takes its place can be found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Vectors
from rag_qa.index.database import Database
from rag_qa.papers import Notice, Origin, Paper, Version


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalog says of a work: its id, the id that it would have if no other work had the same, and what its records were."""

    id: str
    plain_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Step:
    """Ids of pending papers and of leaving ones whose places they take: all of that is to become visible at once."""

    pending: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()


# All but others: to look at the state of each would read the whole file.
_COUNT = """
WITH others AS (SELECT id FROM papers WHERE state != 'indexed'{})
SELECT (SELECT count(*) FROM papers) - (SELECT count(*) FROM others),
    (SELECT count(*) FROM passages) - (SELECT count(*) FROM passages WHERE paper_id IN others)
"""


class Catalog:
    """The papers of an index."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ------------------------------------------------------------------------------------------------------------- reading

    def count(self) -> tuple[int, int]:
        """(papers, passages) that can be found."""
        return self._count(" AND id NOT IN (SELECT paper_id FROM kept)")

    def settled(self) -> tuple[int, int]:
        """(papers, passages) on which no work is left, so that vectors and keywords must hold them."""
        return self._count("")

    def _count(self, condition: str) -> tuple[int, int]:
        ((papers, passages),) = self._db.rows(_COUNT.format(condition))
        return int(papers), int(passages)

    def papers(self) -> list[Paper]:
        """All papers that can be found, in the order of their origins."""
        found = self._papers("SELECT id, record FROM found")
        return sorted(found.values(), key=lambda paper: (paper.origins, paper.id))

    def some(self, most: int) -> list[Paper]:
        """Some papers that can be found: those that were there first."""
        rows = self._db.rows("SELECT record FROM found ORDER BY number LIMIT ?", (most,))
        return [load_paper(record) for (record,) in rows]

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Papers by id; an id that can't be found (any more) is absent."""
        rows = self._db.chosen("SELECT id, record FROM found WHERE id IN ({})", ids)
        return {paper_id: load_paper(record) for paper_id, record in rows}

    def pending(self) -> list[str]:
        """Ids of papers that are known and not yet searchable as they are now."""
        return [row[0] for row in self._db.rows("SELECT id FROM papers WHERE state = 'pending' ORDER BY id")]

    def to_add(self, ids: Sequence[str]) -> list[Paper]:
        """Pending papers by id."""
        return [
            load_paper(record) for (record,) in self._db.chosen("SELECT record FROM papers WHERE state = 'pending' AND id IN ({}) ORDER BY id", ids)
        ]

    def leaving(self) -> list[str]:
        """Ids of papers that are to be removed."""
        return [row[0] for row in self._db.rows("SELECT id FROM papers WHERE state = 'leaving' ORDER BY id")]

    def steps(self) -> list[Step]:
        """What is to be done, those first that change what can be found already."""
        pending, leaving = self.pending(), self.leaving()
        pairs = self._db.rows("SELECT paper_id, successor FROM successors")
        group_of = _grouped({*pending, *leaving}, pairs)
        steps: dict[str, tuple[list[str], list[str]]] = {}
        for kind, ids in enumerate((pending, leaving)):
            for id_ in ids:
                steps.setdefault(group_of.get(id_, id_), ([], []))[kind].append(id_)
        kept = {id_ for (id_,) in self._db.rows("SELECT paper_id FROM kept")}
        found = [Step(tuple(arriving), tuple(going)) for arriving, going in steps.values()]
        return sorted(found, key=lambda step: not step.leaving and kept.isdisjoint(step.pending))

    def unsucceeded(self) -> list[str]:
        """Ids of papers that are leaving and can be found, of which it is not known what takes their place."""
        # CROSS: in this order, since few are kept
        sql = "SELECT id FROM kept CROSS JOIN papers ON id = paper_id WHERE state = 'leaving' AND id NOT IN (SELECT paper_id FROM successors)"
        return [row[0] for row in self._db.rows(sql)]

    def hashes(self) -> dict[str, str]:
        """Content hash by id, of papers that can be found."""
        return dict(self._db.rows("SELECT id, content_hash FROM found"))

    def wanted_hashes(self) -> dict[str, str]:
        """Content hash by id, of papers that can be found when the work is done."""
        return dict(self._db.rows("SELECT id, content_hash FROM papers WHERE state IN ('indexed', 'pending')"))

    def known(self) -> list[Known]:
        """Every work, bare ones too."""
        return [Known(*row) for row in self._db.rows("SELECT id, plain_id, digest FROM papers WHERE digest != ''")]

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        """Passages by paper, in order."""
        found: dict[str, list[Passage]] = {paper_id: [] for paper_id in papers}
        rows = self._db.chosen(
            "SELECT id, paper_id, ordinal, start, end FROM passages WHERE paper_id IN ({}) ORDER BY paper_id, ordinal", list(papers)
        )
        for id_, paper_id, ordinal, start, end in rows:
            found[paper_id].append(Passage(id_, paper_id, ordinal, papers[paper_id].abstract[start:end], start, end))
        return found

    def passage_ids(self) -> list[str]:
        """Ids of all passages that can be found, sorted."""
        rows = self._db.rows("SELECT passages.id FROM passages JOIN found ON found.id = paper_id ORDER BY passages.id")
        return [row[0] for row in rows]

    def sentence_vectors(self, paper_ids: Sequence[str], dimensions: int) -> dict[str, Vectors]:
        """One row for each sentence of a paper (as text.sentences cuts it), shape (sentences, dimensions)."""
        rows = self._db.chosen("SELECT id, sentence_vectors FROM papers WHERE sentence_vectors IS NOT NULL AND id IN ({})", paper_ids)
        return {id_: np.frombuffer(blob, np.float16).reshape(-1, dimensions).astype(np.float32) for id_, blob in rows}

    # ------------------------------------------------------------------------------------------------------------- writing

    def hold(self, paper: Paper, known: Known) -> bool:
        """This is what the records of a work say now. A new or changed paper becomes pending; one without an abstract is bare.

        Gives whether anything of the paper is another than before: then other processes are to be told (see `announce`).
        """
        with self._db.transaction() as db:
            found = db.execute("SELECT content_hash, state, record FROM papers WHERE id = ?", (paper.id,)).fetchone()
            record = dump_paper(paper)
            if found and found[0] == paper.content_hash and found[1] != "leaving":
                db.execute("UPDATE papers SET record = ?, plain_id = ?, digest = ? WHERE id = ?", (record, known.plain_id, known.digest, paper.id))
                return bool(found[2] != record)
            state = "pending"
            if not paper.abstract:  # if it has just lost it, what was built of it has to go first
                state = "leaving" if found and found[1] != "bare" else "bare"
            self._keep(paper.id)
            db.execute(_HOLD, (paper.id, paper.content_hash, record, state, known.plain_id, known.digest))
            return True

    def leave(self, ids: Iterable[str]) -> None:
        """No record speaks of these papers any more. Other processes are to be told (see `announce`)."""
        with self._db.transaction() as db:
            for paper_id in ids:
                self._keep(paper_id)
                db.execute("DELETE FROM papers WHERE id = ? AND state = 'bare'", (paper_id,))
                db.execute("UPDATE papers SET state = 'leaving', digest = '' WHERE id = ?", (paper_id,))

    def succeed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """(paper id, id of a paper that takes its place, or a part of it): one is not to be seen without the other."""
        sql = "INSERT OR IGNORE INTO successors SELECT id, ? FROM papers WHERE id = ? AND state IN ('pending', 'leaving')"
        with self._db.transaction() as db:
            db.executemany(sql, [(successor, paper_id) for paper_id, successor in pairs])

    def finish(self, papers: Iterable[tuple[str, Sequence[Passage], Vectors]], *, replaced: Sequence[str] = ()) -> None:
        """Pending papers become searchable: (paper id, its passages, its sentence vectors). Those whose places they take are found no longer."""
        with self._db.transaction() as db:
            for paper_id, passages, vectors in papers:
                db.execute("DELETE FROM passages WHERE paper_id = ?", (paper_id,))
                rows = [(p.id, p.paper_id, p.ordinal, p.start, p.end) for p in passages]
                db.executemany("INSERT INTO passages (id, paper_id, ordinal, start, end) VALUES (?, ?, ?, ?, ?)", rows)
                blob = vectors.astype(np.float16).tobytes()
                db.execute("UPDATE papers SET state = 'indexed', sentence_vectors = ? WHERE id = ?", (blob, paper_id))
                db.execute("DELETE FROM successors WHERE paper_id = ?", (paper_id,))
                self._keep_no_longer(paper_id)
            self.withdraw(replaced)

    def withdraw(self, paper_ids: Sequence[str]) -> None:
        """Papers that are leaving are found no longer."""
        with self._db.transaction():
            for paper_id in paper_ids:
                self._keep_no_longer(paper_id)
            self._db.announce()

    def forget_built(self) -> None:
        """Every paper becomes pending again: vectors and keywords are to be made anew."""
        with self._db.transaction() as db:
            db.execute("DELETE FROM passages")
            db.execute("DELETE FROM kept")
            db.execute("UPDATE papers SET sentence_vectors = NULL")
            db.execute("UPDATE papers SET state = 'pending' WHERE state = 'indexed'")
            self._db.announce()

    def drop(self, paper_ids: Sequence[str]) -> None:
        """Forget papers that are leaving: nothing is built of them any more. One that has only lost its abstract stays known."""
        if not paper_ids:
            return
        with self._db.transaction() as db:
            for paper_id in paper_ids:
                self._keep_no_longer(paper_id)
                for table in ("passages", "successors"):
                    db.execute(f"DELETE FROM {table} WHERE paper_id = ?", (paper_id,))
                db.execute("DELETE FROM papers WHERE id = ? AND digest = ''", (paper_id,))
                db.execute("UPDATE papers SET state = 'bare', sentence_vectors = NULL WHERE id = ?", (paper_id,))
            self._db.announce()

    def announce(self) -> None:
        """Let other processes look again."""
        with self._db.transaction():
            self._db.announce()

    def _keep(self, paper_id: str) -> None:
        """It is found as it is now, whatever becomes of it; inside a transaction."""
        sql = "INSERT OR REPLACE INTO kept SELECT id, content_hash, record FROM papers WHERE id = ? AND state = 'indexed'"
        with self._db.transaction() as db:
            db.execute(sql, (paper_id,))

    def _keep_no_longer(self, paper_id: str) -> None:
        with self._db.transaction() as db:
            db.execute("DELETE FROM kept WHERE paper_id = ?", (paper_id,))

    def _papers(self, sql: str) -> dict[str, Paper]:
        return {paper_id: load_paper(record) for paper_id, record in self._db.rows(sql)}


# Its sentence vectors stay: they are those of what is kept of it.
_HOLD = """
INSERT INTO papers (id, content_hash, record, state, plain_id, digest) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    content_hash = excluded.content_hash, record = excluded.record, state = excluded.state, plain_id = excluded.plain_id, digest = excluded.digest
"""


def _grouped(ids: AbstractSet[str], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Which ids hang together by pairs, directly or not: id -> the first id of its group, of those that stand in a pair.

    >>> _grouped({"a", "b", "c", "d"}, [("b", "a"), ("c", "b"), ("d", "x")])
    {'a': 'a', 'b': 'a', 'c': 'a'}
    """
    nearer: dict[str, str] = {}

    def first(id_: str) -> str:
        while nearer.setdefault(id_, id_) != id_:
            nearer[id_] = id_ = nearer[nearer[id_]]
        return id_

    for one, other in pairs:
        if one in ids and other in ids:
            low, high = sorted((first(one), first(other)))
            nearer[high] = low
    return {id_: first(id_) for id_ in sorted(nearer)}


# --------------------------------------------------------------------------------------------------------------- a paper as JSON

_NAMES = tuple(name for name in Paper.__dataclass_fields__ if name not in ("origins", "versions"))
_VERSION_NAMES = tuple(Version.__dataclass_fields__)


def dump_paper(paper: Paper) -> str:
    """A paper as JSON that `load_paper` reads back."""
    fields: dict[str, object] = {name: getattr(paper, name) for name in _NAMES}
    fields["extra"] = dict(paper.extra)
    fields["origins"] = [(origin.path, origin.line) for origin in paper.origins]
    fields["versions"] = [[getattr(version, name) for name in _VERSION_NAMES] for version in paper.versions]
    return json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=True, sort_keys=True)


def load_paper(record: str) -> Paper:
    """The paper of `dump_paper`."""
    fields = {"id": "", "abstract": "", **json.loads(record)}
    for name in ("authors", "keywords", "other_abstracts"):
        fields[name] = tuple(fields.get(name, ()))
    fields["notices"] = tuple(Notice(notice) for notice in fields.get("notices", ()))
    fields["versions"] = tuple(Version(**dict(zip(_VERSION_NAMES, version, strict=True))) for version in fields.get("versions", ()))
    fields["origins"] = tuple(Origin(path, line) for path, line in fields.get("origins", ()))
    return Paper(**fields)
