"""What every source holds, record by record, and which work each record belongs to.

A record is kept as it was read. Which records are one work is decided over all sources together, so that it does not matter which was read first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag_qa import dedup
from rag_qa.index.catalog import Catalog, Known, dump_paper, load_paper
from rag_qa.index.database import Database
from rag_qa.papers import Paper
from rag_qa.sources.reader import Problem, Trouble

_UNSETTLED = "unsettled"
_AFTER_ALL = 1 << 32  # ordinals of records that are kept from an earlier reading


@dataclass(frozen=True, slots=True)
class Root:
    """A file or folder that a person named: `sync` reads it again. `mapping`: what `--map` said. `is_excluded`: it was removed, and stays away."""

    path: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what became of it. `paper_id`: the work that it belongs to, None while that is open. `reason`: why it is the same work as another
    record, "" for the one that stands for the work."""

    place: str
    line: int
    paper_id: str | None
    reason: str
    title: str


class Register:
    """The sources of an index and their records."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ------------------------------------------------------------------------------------------------------------- reading

    def roots(self) -> list[Root]:
        """What is read by `sync`, sorted."""
        rows = self._db.rows("SELECT path, mapping, is_excluded FROM roots ORDER BY path")
        return [Root(path, json.loads(mapping), bool(is_excluded)) for path, mapping, is_excluded in rows]

    def sources(self) -> dict[str, str]:
        """Fingerprint by path of every file that was read."""
        return dict(self._db.rows("SELECT path, fingerprint FROM sources ORDER BY path"))

    def entries(self, paths: Sequence[str]) -> Iterator[Entry]:
        """The records of some files, in order."""
        for path in sorted(paths):
            sql = "SELECT place, line, paper_id, reason, coalesce(json_extract(record, '$.title'), '') FROM records WHERE path = ? ORDER BY ordinal"
            for row in self._db.rows(sql, (path,)):
                yield Entry(*row)

    def nameless(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """The works of some files whose records have no identifier, so that they are known by their words alone; in file order."""
        found: dict[str, list[str]] = {path: [] for path in paths}
        bare = " AND ".join(f"json_extract(record, '$.{name}') IS NULL" for name in ("doi", "pmid", "arxiv"))
        sql = f"SELECT path, paper_id FROM records WHERE path IN ({{}}) AND paper_id IS NOT NULL AND {bare} ORDER BY path, ordinal"
        for path, paper_id in self._db.chosen(sql, paths):
            found[path].append(paper_id)
        return found

    def problems(self, paths: Sequence[str] | None = None) -> list[Problem]:
        """What was not read as it stands, in these files or in all."""
        order = "SELECT place, line, reason, kind FROM problems"
        rows: Iterable[tuple[str, int | None, str, str]]
        if paths is None:
            rows = self._db.rows(f"{order} ORDER BY path, ordinal")
        else:
            rows = self._db.chosen(f"{order} WHERE path IN ({{}}) ORDER BY path, ordinal", sorted(paths))
        return [Problem(place, line, reason, Trouble(kind)) for place, line, reason, kind in rows]

    def records(self, paper_id: str) -> list[tuple[Paper, str]]:
        """The records of a work as they were read, and why each is the same work; in the order of their places."""
        rows = self._db.rows("SELECT record, reason FROM records WHERE paper_id = ? ORDER BY path, ordinal", (paper_id,))
        return [(load_paper(record), reason) for record, reason in rows]

    # ------------------------------------------------------------------------------------------------------------- writing

    def remember(self, roots: Iterable[Root]) -> None:
        """Note what a person named."""
        with self._db.transaction() as db:
            for root in roots:
                db.execute("INSERT OR REPLACE INTO roots VALUES (?, ?, ?)", (root.path, json.dumps(dict(root.mapping)), root.is_excluded))

    def forget_root(self, path: str) -> None:
        """`sync` does not read it any more."""
        with self._db.transaction() as db:
            db.execute("DELETE FROM roots WHERE path = ?", (path,))

    def plan(self, path: str, items: Iterable[Paper | Problem], *, fingerprint: str = "") -> None:
        """Say what a file holds now, in order; all or nothing. `fingerprint`: by which it is known again when it has not changed.

        Whatever reading the items raises is raised, and the file keeps what it had. A member of an archive that can't be read (a Problem of kind
        FAILED) keeps what it had, too.
        """
        failed: list[str] = []
        with self._db.transaction() as db:
            db.execute("CREATE TEMP TABLE before AS SELECT * FROM records WHERE path = ?", (path,))
            self.drop(path)
            db.execute("INSERT INTO sources VALUES (?, ?)", (path, fingerprint))
            records = "INSERT INTO records (path, ordinal, place, line, keys, hash, record) VALUES (?, ?, ?, ?, ?, ?, ?)"
            problems = "INSERT INTO problems (path, ordinal, place, line, kind, reason) VALUES (?, ?, ?, ?, ?, ?)"
            for ordinal, item in enumerate(items):
                if isinstance(item, Problem):
                    db.execute(problems, (path, ordinal, item.path, item.line, item.kind.value, item.reason))
                    failed += [item.path] if item.kind is Trouble.FAILED else []
                    continue
                (origin,) = item.origins
                record = dump_paper(item)
                digest = hashlib.sha256(f"{path}\n{ordinal}\n{record}".encode()).hexdigest()[:24]
                db.execute(records, (path, ordinal, origin.path, origin.line, dedup.keys(item).to_json(), digest, record))
            for place in failed:
                db.execute("UPDATE before SET ordinal = ordinal + ? WHERE place = ?", (_AFTER_ALL, place))
                db.execute("INSERT INTO records SELECT * FROM before WHERE place = ?", (place,))
            db.execute("DROP TABLE before")

    def drop(self, path: str) -> None:
        """A file holds nothing any more."""
        with self._db.transaction() as db:
            for table in ("sources", "records", "problems"):
                db.execute(f"DELETE FROM {table} WHERE path = ?", (path,))
            self._db.note(_UNSETTLED, "1")

    def fail(self, path: str, problem: Problem) -> None:
        """A file can't be read now: it keeps its records, and the problem takes the place of the one that it had before."""
        with self._db.transaction() as db:
            db.execute("DELETE FROM problems WHERE path = ? AND kind = ?", (path, Trouble.FAILED.value))
            db.execute("INSERT INTO problems VALUES (?, -1, ?, ?, ?, ?)", (path, problem.path, problem.line, problem.kind.value, problem.reason))
            # whatever it holds, it was not read as a whole
            db.execute("UPDATE sources SET fingerprint = '' WHERE path = ?", (path,))

    def settle(self, catalog: Catalog) -> None:
        """Decide which records are one work, and tell the catalog; in one transaction, and only if a source has changed."""
        with self._db.transaction():
            if not self._db.meta(_UNSETTLED):
                return
            works = self._works({known.digest: known for known in catalog.known()})
            known_ids = {known.id for known in catalog.known()}
            self._decide(catalog, works)
            catalog.leave(sorted(known_ids - {work.known.id for work in works}))
            self._db.note(_UNSETTLED, "")

    # ------------------------------------------------------------------------------------------------------------- plumbing

    def _works(self, known: Mapping[str, Known]) -> list[_Work]:
        """Every work, with its final id; one that was there before, of the same records, is not merged again."""
        rows = self._db.rows("SELECT path, ordinal, hash, keys, paper_id FROM records ORDER BY path, ordinal")
        groups = dedup.group([dedup.Keys.from_json(row[3]) for row in rows])
        works = []
        for group in groups:
            members = [_Member(rows[at][0], rows[at][1], rows[at][4], reason) for at, reason in zip(group.members, group.reasons, strict=True)]
            digest = hashlib.sha256("\n".join(rows[at][2] for at in group.members).encode()).hexdigest()[:24]
            works.append(self._work(members, known.get(digest) or Known("", "", digest)))
        return self._told_apart(works)

    def _work(self, members: Sequence[_Member], known: Known) -> _Work:
        if known.id:
            return _Work(members, known)
        merged = self._merged(members)
        return _Work(members, replace(known, id=merged.id, plain_id=merged.id), merged)

    def _merged(self, members: Sequence[_Member]) -> Paper:
        find = "SELECT record FROM records WHERE path = ? AND ordinal = ?"
        return dedup.merge([load_paper(self._db.rows(find, (member.path, member.ordinal))[0][0]) for member in members])

    def _told_apart(self, works: Sequence[_Work]) -> list[_Work]:
        """Works that would have the same id get others; one that was told apart from a work that has left gets its plain id back."""
        count: dict[str, int] = {}
        for work in works:
            count[work.known.plain_id] = count.get(work.known.plain_id, 0) + 1
        is_alone = [count[work.known.plain_id] == 1 for work in works]
        settled = [
            work if not alone or work.known.id == work.known.plain_id else self._renamed(work, work.known.plain_id)
            for work, alone in zip(works, is_alone, strict=True)
        ]
        shared = [work for work, alone in zip(settled, is_alone, strict=True) if not alone]
        renamed = iter(dedup.distinct([work.paper or self._merged(work.members) for work in shared]))
        return [work if alone else self._with_paper(work, next(renamed)) for work, alone in zip(settled, is_alone, strict=True)]

    def _renamed(self, work: _Work, paper_id: str) -> _Work:
        return self._with_paper(work, replace(self._merged(work.members), id=paper_id))

    def _with_paper(self, work: _Work, paper: Paper) -> _Work:
        return _Work(work.members, replace(work.known, id=paper.id), paper)

    def _decide(self, catalog: Catalog, works: Iterable[_Work]) -> None:
        update = "UPDATE records SET paper_id = ?, reason = ? WHERE path = ? AND ordinal = ?"
        with self._db.transaction() as db:
            for work in works:
                if work.paper is not None:
                    catalog.hold(work.paper, work.known)
                if work.paper is not None or any(member.paper_id is None for member in work.members):
                    db.executemany(update, [(work.known.id, member.reason, member.path, member.ordinal) for member in work.members])


@dataclass(frozen=True, slots=True)
class _Member:
    path: str
    ordinal: int
    paper_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Work:
    """Records that are one work. `paper`: what they say together, None if nothing of it has changed."""

    members: Sequence[_Member]
    known: Known
    paper: Paper | None = None
