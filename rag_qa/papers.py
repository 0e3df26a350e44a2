"""A paper: one abstract with what is known about it, and where it was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum

from rag_qa import text


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where a paper was read: a file and the physical line (from 1) at which its record begins."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Notice(StrEnum):
    """What is known against a paper, or what notice it is itself."""

    RETRACTED = "retracted"
    CORRECTED = "corrected"
    CONCERN = "expression of concern"
    """An editor's expression of concern about this paper."""
    IS_RETRACTION = "retraction notice"
    IS_CORRECTION = "correction notice"
    """An erratum, corrigendum or addendum: not the article itself."""
    IS_CONCERN = "notice of concern"


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """One form in which a work was published: a preprint, a conference paper, a journal article."""

    year: int | None = None
    venue: str | None = None
    type: str | None = None
    title: str | None = None
    doi: str | None = None
    pmid: str | None = None
    arxiv: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One work. `abstract` is the text that every citation is a character span of; "" where the source has none: then it is no evidence.

    `title` is None where the source has none; a title is never invented (see `label`). `abstract` is in the reading language if the source has one
    in it, and `other_abstracts` are those in other languages. A structured abstract has a line for each section, which begins with its label.
    `type` is one of TYPES. `versions` are given when a work was published more than once (two or more, oldest first). `language`: ISO 639-1.
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
    keywords: tuple[str, ...] = ()
    language: str | None = None
    type: str | None = None
    notices: tuple[Notice, ...] = ()
    other_abstracts: tuple[str, ...] = ()
    versions: tuple[Version, ...] = ()
    origins: tuple[Origin, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the paper is called where it is shown: its title, or a name taken from its own text."""
        return self.title or text.name_of(self.abstract) or text.first_words(self.abstract)

    @property
    def content_hash(self) -> str:
        """Changes whenever anything that is embedded or shown of the paper changes, except its origins."""
        fields = astuple(replace(self, origins=(), extra={}))
        # as JSON, so that no two papers with the same characters in other fields look alike
        return hashlib.sha256(json.dumps([fields, sorted(self.extra.items())]).encode()).hexdigest()

    @property
    def is_retracted(self) -> bool:
        """Has it been withdrawn by its journal or its authors?"""
        return Notice.RETRACTED in self.notices

    def with_origins(self, origins: tuple[Origin, ...]) -> Paper:
        """The same paper read at other places (sorted, without repetition)."""
        return replace(self, origins=tuple(sorted(set(origins))))


def known_as(paper: Paper) -> frozenset[str]:
    """Everything that a paper can be asked for by, folded: its id, DOI, PMID, arXiv id, those of its versions, and its label.

    >>> sorted(known_as(Paper("p1", "We ...", title="On Tides", doi="10.1000/x")))
    ['10.1000/x', 'on tides', 'p1']
    """
    ids = [paper.id, paper.doi, paper.pmid, paper.arxiv]
    ids += [value for version in paper.versions for value in (version.doi, version.pmid, version.arxiv)]
    return frozenset(text.folded(value) for value in (*ids, paper.label.rstrip("…")) if value)


def called(papers: Sequence[Paper], name: str) -> list[Paper]:
    """The papers that a name means: those that are known as it, else those whose label holds all its words, one after the other.

    >>> tides = Paper("p1", "We ...", title="On the tides of the North Sea")
    >>> called([tides], "P1") == called([tides], "tides of the north") == [tides], called([tides], "mosses")
    (True, [])
    """
    wanted = text.folded(name).rstrip("…. ")
    exactly = [paper for paper in papers if wanted in known_as(paper)]
    words = _words(wanted)
    return exactly or [paper for paper in papers if words.strip() and words in _words(text.folded(paper.label))]


def _words(folded: str) -> str:
    """Its words between blanks, without the marks."""
    return f" {' '.join(word.text for word in text.words(folded))} "


TYPES = frozenset("article preprint conference review book chapter thesis report dataset software patent editorial letter other".split())
"""Kinds of document, whatever a source calls them."""


def paper_id(abstract: str, *, doi: str | None = None, pmid: str | None = None, arxiv: str | None = None, title: str | None = None) -> str:
    """An id made from the best that identifies a record: DOI, PMID, arXiv id, the words of its abstract, those of its title.

    It is equal for copies that differ in layout only.

    >>> paper_id("We study  at- tention.") == paper_id("We study attention.")
    True
    >>> paper_id("We study attention.", doi="10.1000/x") == paper_id("We study it.", doi="10.1000/x")
    True
    """
    named = next((f"{name}:{value}" for name, value in (("doi", doi), ("pmid", pmid), ("arxiv", arxiv)) if value), None)
    identifying = named or text.folded(abstract) or f"title:{text.folded(title or '')}"
    return "p" + hashlib.sha256(identifying.encode("utf-8", "surrogatepass")).hexdigest()[:12]
