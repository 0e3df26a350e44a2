"""What every source holds, record by record, and which work each record belongs to.

A record is kept as it was read. Which records are one work is decided over all sources together, so that it does not matter which was read first.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
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
            known = catalog.known()
            works = self._told_apart(self._works({one.digest: one for one in known}))
            gone = {one.id for one in known} - {work.known.id for work in works}
            catalog.leave(sorted(gone))
            if self._decide(catalog, works) or gone:
                catalog.announce()
            catalog.succeed(pair for work in works for pair in work.moved())
            catalog.succeed(self._successors(catalog))
            self._db.note(_UNSETTLED, "")

    # ------------------------------------------------------------------------------------------------------------- plumbing

    def _works(self, known: Mapping[str, Known]) -> list[_Work]:
        """Every work, with the id that it would have if no other work had the same; one that was there before, of the same records, is not merged
        again."""
        members, compared = [], []
        for path, ordinal, digest, line, paper_id, own_id in self._db.each(_TO_COMPARE):
            members.append(_Member(sys.intern(path), ordinal, digest, paper_id, own_id))
            compared.append(dedup.Keys.from_json(line))
        return [self._work([members[at] for at in group.members], group.reasons, known) for group in dedup.group(compared)]

    def _work(self, members: Sequence[_Member], reasons: Sequence[str], known: Mapping[str, Known]) -> _Work:
        digest = hashlib.sha256("\n".join(member.digest for member in members).encode()).hexdigest()[:24]
        if found := known.get(digest):
            return _Work(members, reasons, found, is_new=False)
        if len(members) == 1 and (own_id := members[0].own_id):
            return _Work(members, reasons, Known(own_id, own_id, digest))
        merged = self._merged(members)
        return _Work(members, reasons, Known(merged.id, merged.id, digest), merged)

    def _merged(self, members: Sequence[_Member]) -> Paper:
        find = "SELECT record FROM records WHERE path = ? AND ordinal = ?"
        papers = [load_paper(self._db.rows(find, (member.path, member.ordinal))[0][0]) for member in members]
        return papers[0] if len(papers) == 1 else dedup.merge(papers)

    def _told_apart(self, works: Sequence[_Work]) -> list[_Work]:
        """Works that would have the same id get others; one that was told apart from a work that has left gets its plain id back."""
        count = Counter(work.known.plain_id for work in works)
        shared = [work for work in works if count[work.known.plain_id] > 1]
        renamed = iter(dedup.distinct([work.paper or self._merged(work.members) for work in shared]))
        return [work.named(next(renamed)) if count[work.known.plain_id] > 1 else work.named() for work in works]

    def _decide(self, catalog: Catalog, works: Iterable[_Work]) -> bool:
        """Is anything in the catalog another than before?"""
        update = "UPDATE records SET paper_id = ?, reason = ? WHERE path = ? AND ordinal = ?"
        has_changed = False
        with self._db.transaction() as db:
            for work in works:
                if work.is_new:
                    paper = replace(work.paper or self._merged(work.members), id=work.known.id)
                    has_changed = catalog.hold(paper, work.known) or has_changed
                if work.is_new or any(member.paper_id is None for member in work.members):
                    db.executemany(update, work.rows())
        return has_changed

    def _successors(self, catalog: Catalog) -> Iterator[tuple[str, str]]:
        """(paper that leaves, pending paper): the same work. For those whose files were read anew, so that no record tells what became of them."""
        leaving = list(catalog.get(catalog.unsucceeded()).values())
        if not leaving:
            return
        arriving = self._db.rows("SELECT keys, paper_id FROM papers JOIN records ON paper_id = id WHERE state = 'pending' AND state != 'indexed'")
        compared = [*map(dedup.keys, leaving), *(dedup.Keys.from_json(line) for line, _ in arriving)]
        for group in dedup.group(compared):
            new = {arriving[at - len(leaving)][1] for at in group.members if at >= len(leaving)}
            yield from ((leaving[at].id, id_) for at in group.members if at < len(leaving) for id_ in sorted(new))


_TO_COMPARE = """
SELECT path, ordinal, hash, keys, paper_id, CASE WHEN paper_id IS NULL THEN json_extract(record, '$.id') END FROM records ORDER BY path, ordinal
"""


@dataclass(frozen=True, slots=True)
class _Member:
    """A record of a work. `own_id`: the id that it has alone, where that is not known otherwise."""

    path: str
    ordinal: int
    digest: str
    paper_id: str | None
    own_id: str | None


@dataclass(frozen=True, slots=True)
class _Work:
    """Records that are one work. `is_new`: they were not the same before. `paper`: what they say together, if it was made already; those of a whole
    library at once would fill the memory."""

    members: Sequence[_Member]
    reasons: Sequence[str]
    known: Known
    paper: Paper | None = None
    is_new: bool = True

    def named(self, distinct: Paper | None = None) -> _Work:
        """The same work by its plain id, or as a paper that was told apart from others."""
        name = distinct.id if distinct else self.known.plain_id
        if name == self.known.id:
            return self
        return replace(self, known=replace(self.known, id=name), paper=distinct, is_new=True)

    def moved(self) -> Iterator[tuple[str, str]]:
        """(work to which a record belonged before, this work), for each record that belonged to another one."""
        return ((member.paper_id, self.known.id) for member in self.members if member.paper_id and member.paper_id != self.known.id)

    def rows(self) -> list[tuple[str, str, str, int]]:
        """What is noted of each record: (work, reason, path, ordinal)."""
        return [(self.known.id, reason, member.path, member.ordinal) for member, reason in zip(self.members, self.reasons, strict=True)]
