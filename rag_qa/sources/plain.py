"""Plain text of abstracts: paragraphs separated by blank lines; a short first line names the collection they are from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_qa.errors import SourceError
from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.sources.reader import Problem, Reading

MIN_WORDS = 8
"""A paragraph with fewer words is a heading or a remnant, not an abstract."""

_HEADING_WORDS = 12
_EXPECTED = "abstracts as paragraphs of at least 8 words, separated by blank lines"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines takes a form feed for one too, and an editor would show another number
_NO_VENUE = frozenset("abstracts accepted articles from in my of papers preprints reading list the".split())


@dataclass(frozen=True, slots=True)
class Collection:
    """What a heading says of the papers under it.

    `venue` and `year` are None where the heading does not tell.
    """

    name: str
    venue: str | None
    year: int | None


def read(path: Path, content: str) -> Reading:
    """Papers of a plain-text file. Raises SourceError when it holds no abstract."""
    paragraphs = list(_paragraphs(content))
    collection = None
    if paragraphs and _is_heading(paragraphs[0][1]):
        collection = collection_of(paragraphs.pop(0)[1])
    reading = Reading()
    for line, paragraph in paragraphs:
        words = len(paragraph.split())
        if words < MIN_WORDS:
            reading.skipped.append(Problem(str(path), line, f"{words} words are too few for an abstract: {_clip(paragraph)!r}"))
            continue
        reading.papers.append(_paper(paragraph, Origin(str(path), line), collection))
    if not reading.papers:
        raise SourceError(path, None, found="no abstract", expected=_EXPECTED)
    return reading


def _paper(abstract: str, origin: Origin, collection: Collection | None) -> Paper:
    return Paper(
        id=paper_id(abstract),
        abstract=abstract,
        venue=collection.venue if collection else None,
        year=collection.year if collection else None,
        collection=collection.name if collection else None,
        origins=(origin,),
    )


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


def _paragraphs(content: str) -> Iterator[tuple[int, str]]:
    """(first line, text on one line) of each paragraph."""
    first, lines = 0, []
    for number, line in enumerate(_LINE_END.split(content), start=1):
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
