"""Plain text of abstracts: paragraphs separated by blank lines; a short first line names the collection they are from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

MIN_WORDS = 8
"""A paragraph with fewer words is a heading or a remnant, not an abstract."""

_HEADING_WORDS = 12
_EXPECTED = "abstracts as paragraphs of at least 8 words, separated by blank lines"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NO_VENUE = frozenset("abstracts accepted articles from in my of papers preprints reading list the".split())


@dataclass(frozen=True, slots=True)
class Collection:
    """What a heading says of the papers under it.

    `venue` and `year` are None where the heading does not tell.
    """

    name: str
    venue: str | None
    year: int | None


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a plain-text file. Raises SourceError when it holds no abstract."""
    paragraphs = _paragraphs(document.lines())
    first = next(paragraphs, None)
    collection = collection_of(first[1]) if first and _is_heading(first[1]) else None
    is_empty = True
    for line, paragraph in paragraphs if collection or not first else chain([first], paragraphs):
        words = len(paragraph.split())
        if words < MIN_WORDS:
            reason = f"{words} words are too few for an abstract: {_clip(paragraph)!r}"
            yield Problem(document.path, line, reason, Trouble.NOT_A_PAPER)
            continue
        is_empty = False
        yield Raw(line, {"abstract": [paragraph], **(_fields(collection) if collection else {})})
    if is_empty:
        raise SourceError(document.path, None, found="no abstract", expected=_EXPECTED)


def _fields(collection: Collection) -> dict[str, list[str]]:
    told = {"collection": collection.name, "venue": collection.venue, "year": collection.year}
    return {name: [str(value)] for name, value in told.items() if value}


def collection_of(heading: str) -> Collection:
    """What the first line of a file says of its papers.

    >>> collection_of("ICLR 2025 Papers")
    Collection(name='ICLR 2025 Papers', venue='ICLR', year=2025)
    """
    match = _YEAR.search(heading)
    if not match:
        return Collection(heading, None, None)
    venue = heading[: match.start()].strip(" ,:-–—'’([")
    names_one = any(word.lower() not in _NO_VENUE for word in venue.split())
    return Collection(heading, venue if names_one else None, int(match.group()))


def _is_heading(paragraph: str) -> bool:
    return len(paragraph.split()) <= _HEADING_WORDS and not paragraph.rstrip().endswith((".", "!", "?"))


def _paragraphs(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(first line, text on one line) of each paragraph."""
    first, lines = 0, []
    for number, line in numbered:
        if line.strip():
            first = first or number
            lines.append(" ".join(line.split()))
            continue
        if lines:
            yield first, " ".join(lines)
        first, lines = 0, []
    if lines:
        yield first, " ".join(lines)


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _claims(_head: str) -> bool:
    return False  # anything can be plain text


FORMAT = Format("plain text", (".txt", ".text"), _claims, read)
