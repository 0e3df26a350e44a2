"""What the papers of an index can be narrowed by: which venues, authors, years... there are, and how many papers of each."""

from __future__ import annotations

from dataclasses import dataclass

from rag_qa.index.database import Database
from rag_qa.papers import Notice

Counts = tuple[tuple[str, int], ...]
"""Values, each with the number of its papers, the most frequent first."""

_OF_ONE = "SELECT id, json_extract(record, '$.{}') AS value FROM found"
_OF_MANY = "SELECT found.id, item.value AS value FROM found, json_each(record, '$.{}') AS item"
_OF_VERSIONS = _OF_MANY.format("versions").replace("item.value AS", "json_extract(item.value, '$[1]') AS")


@dataclass(frozen=True, slots=True)
class Holdings:
    """A field of which nothing is known is empty. `years`: the first and the last."""

    years: tuple[int, int] | None = None
    venues: Counts = ()
    collections: Counts = ()
    types: Counts = ()
    languages: Counts = ()
    authors: Counts = ()
    keywords: Counts = ()
    retracted: int = 0


def holdings(database: Database, most: int) -> Holdings:
    """What there is, of each field the `most` frequent values. Counted by SQLite: no paper is read for it."""
    ((first, last),) = database.rows(f"SELECT min(value), max(value) FROM ({_OF_ONE.format('year')})")
    ((retracted,),) = database.rows(f"SELECT count(DISTINCT id) FROM ({_OF_MANY.format('notices')}) WHERE value = ?", (Notice.RETRACTED.value,))
    return Holdings(
        (int(first), int(last)) if first is not None else None,
        venues=_counts(database, f"{_OF_ONE.format('venue')} UNION {_OF_VERSIONS}", most),
        collections=_counts(database, _OF_ONE.format("collection"), most),
        types=_counts(database, _OF_ONE.format("type"), most),
        languages=_counts(database, _OF_ONE.format("language"), most),
        authors=_counts(database, _OF_MANY.format("authors"), most),
        keywords=_counts(database, _OF_MANY.format("keywords"), most),
        retracted=int(retracted),
    )


def papers_by_year(database: Database) -> Counts:
    """How many papers each year has, the years in order."""
    sql = f"SELECT value, count(*) FROM ({_OF_ONE.format('year')}) WHERE value IS NOT NULL GROUP BY value ORDER BY value"
    return tuple((str(year), int(count)) for year, count in database.rows(sql))


def papers_by_file(database: Database) -> Counts:
    """How many papers each file has, those with the most first; one of several files is counted in each."""
    sql = (
        "SELECT path, count(DISTINCT paper_id) AS total FROM records WHERE paper_id IN (SELECT id FROM found) GROUP BY path ORDER BY total DESC, path"
    )
    return tuple((str(path), int(count)) for path, count in database.rows(sql))


def _counts(database: Database, values: str, most: int) -> Counts:
    """`values`: a query of (id, value). The same name in other capitals is one."""
    sql = f"""
        SELECT CAST(min(value) AS BLOB), count(DISTINCT id) AS total FROM ({values}) WHERE value != ''
        GROUP BY lower(value) ORDER BY total DESC, lower(value) LIMIT ?
    """
    # as bytes: half a character, which JSON can hold, is no text to SQLite
    return tuple((bytes(value).decode("utf-8", "surrogatepass"), int(total)) for value, total in database.rows(sql, (most,)))
