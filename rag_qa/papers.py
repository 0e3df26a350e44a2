"""A paper: one abstract with what is known about it, and where it was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rag_qa import text


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where a paper was read: a file and the physical line (from 1) at which its record begins."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Paper:
    """One work. `abstract` is the text as read: every citation is a character span of it.

    `title` is None where the source has none; a title is never invented (see `label`).
    """

    id: str
    abstract: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    pmid: str | None = None
    arxiv: str | None = None
    url: str | None = None
    collection: str | None = None
    origins: tuple[Origin, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the paper is called where it is shown: its title, or a name taken from its own text."""
        return self.title or text.name_of(self.abstract) or text.first_words(self.abstract)

    @property
    def content_hash(self) -> str:
        """Changes whenever anything that is embedded or shown of the paper changes, except its origins."""
        fields = (self.title, self.abstract, self.authors, self.year, self.venue, self.collection, self.doi, self.pmid, self.arxiv, self.url)
        # as JSON, so that no two papers with the same characters in other fields look alike
        return hashlib.sha256(json.dumps([fields, sorted(self.extra.items())]).encode()).hexdigest()

    def with_origins(self, origins: tuple[Origin, ...]) -> Paper:
        """The same paper read at other places (sorted, without repetition)."""
        return replace(self, origins=tuple(sorted(set(origins))))


def paper_id(abstract: str) -> str:
    """An id made from the words of an abstract, equal for copies that differ in layout only.

    >>> paper_id("We study  at- tention.") == paper_id("We study attention.")
    True
    """
    return "p" + hashlib.sha256(text.fold(abstract).text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
