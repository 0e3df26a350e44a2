"""Raw -> Paper, in the same way for all formats: markup, dates, names, identifiers, abstracts that are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.sources.reader import FIELDS, Problem, Raw, Trouble

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


def paper(raw: Raw, path: str, *, language: str = "en") -> Iterator[Paper | Problem]:
    """The Paper that a record describes, or the Problem that it is none; before it, a Problem of kind REPAIRED for each thing put right.

    A record without an abstract is a Paper with the abstract "" (another source may have it), unless it has no title either. `language`: ISO 639-1,
    which of several abstracts is read.
    """
    values = {name: [" ".join(value.split()) for value in found if value.strip()] for name, found in raw.fields.items()}

    def first(name: str) -> str | None:
        return next(iter(values.get(name, ())), None)

    title, abstract = " ".join(values.get("title", ())) or None, first("abstract") or ""
    if not title and not abstract:
        yield Problem(path, raw.line, f"neither title nor abstract{f' ({raw.key})' if raw.key else ''}", Trouble.NOT_A_PAPER)
        return
    year = _YEAR.search(first("year") or "")
    yield Paper(
        id=paper_id(abstract, doi=first("doi"), pmid=first("pmid"), arxiv=first("arxiv"), title=title),
        abstract=abstract,
        title=title,
        authors=tuple(values.get("author", ())),
        year=int(year.group()) if year else None,
        venue=first("venue"),
        doi=first("doi"),
        pmid=first("pmid"),
        arxiv=first("arxiv"),
        url=first("url"),
        collection=first("collection"),
        keywords=tuple(values.get("keyword", ())),
        language=first("language"),
        origins=(Origin(path, raw.line),),
        extra={name: "; ".join(found) for name, found in values.items() if name not in FIELDS},
    )
