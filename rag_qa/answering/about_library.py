"""What an index knows of its library as a whole -> an Answer: numbers, years and names of the records, and nothing that a paper says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_qa.answering.answer import Answer
from rag_qa.index.store import Holdings
from rag_qa.retrieval.filters import LANGUAGES

Counts = Sequence[tuple[str, int]]
"""Names, each with the number of its papers, the most frequent first."""

_MOST = 10  # names in a row
_MOST_FILES = 5


class OfLibrary(StrEnum):
    """What can be asked of the library as a whole."""

    SIZE = "size"
    SUBJECT = "subject"
    YEARS = "years"
    VENUES = "venues"
    AUTHORS = "authors"
    TYPES = "types"
    LANGUAGES = "languages"
    KEYWORDS = "keywords"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Facts:
    """`papers`: how many there are. `dated`: of how many a year is known. `phrases`: what many abstracts speak of, each with the number of those that
    do, among `read` abstracts. `files`: what was read.
    """

    papers: int
    dated: int
    holdings: Holdings
    phrases: Counts = ()
    read: int = 0
    files: tuple[str, ...] = ()


def told(asked: str, wanted: OfLibrary, facts: Facts) -> Answer:
    """The answer. It cites nothing, since no paper says it.

    >>> told("How old is it?", OfLibrary.YEARS, Facts(3, 2, Holdings(years=(2015, 2023)))).text
    'The papers of this library are from 2015 to 2023; of 1 of the 3 no year is known.'
    >>> told("Who wrote them?", OfLibrary.AUTHORS, Facts(3, 0, Holdings())).text
    'The records of this library give no authors.'
    """
    return Answer(asked, asked, preface=_said(wanted, facts), confidence=1.0)


def nobody_called(authors: Sequence[str], found: Holdings, *, are_known: bool = False) -> str:
    """Why nothing is found by authors whom the records do not give. `authors`: as asked for, such as "by Smith". `are_known`: some of them are known,
    but can't be chosen in this way ("by Smith or Jones").

    >>> nobody_called(["by Smith"], Holdings()), nobody_called(["by Smith"], Holdings(authors=(("Jones", 1),)))
    ('The records of this library give no authors.', 'No paper of this library is by Smith, as far as its records say.')
    """
    if not found.authors:
        return gives_no("authors")
    if are_known:
        return f"Papers {', '.join(authors)} can't be chosen at once: ask for one author, for several together (“by A and B”), or leave one out."
    return f"No paper of this library is {', '.join(authors)}, as far as its records say."


def _said(wanted: OfLibrary, facts: Facts) -> str:
    found = facts.holdings
    match wanted:
        case OfLibrary.SIZE:
            return _size(facts)
        case OfLibrary.SUBJECT:
            return " ".join([_size(facts), _subject(facts)])
        case OfLibrary.YEARS:
            return _years(facts)
        case OfLibrary.VENUES:
            return _counted("venues", found.venues or found.collections)
        case OfLibrary.AUTHORS:
            return _counted("authors", found.authors)
        case OfLibrary.TYPES:
            return _counted("types", found.types)
        case OfLibrary.LANGUAGES:
            return _counted("languages", tuple((LANGUAGES.get(code, code), count) for code, count in found.languages))
        case OfLibrary.KEYWORDS:
            return _counted("keywords", found.keywords)
        case OfLibrary.FILES:
            return _files(facts.files)


def _size(facts: Facts) -> str:
    papers = "one paper" if facts.papers == 1 else f"{facts.papers:,} papers"
    years = facts.holdings.years
    span = "" if years is None else f", from {years[0]}" if years[0] == years[1] else f", from {years[0]} to {years[1]}"
    return f"This library holds {papers}{span}."


def _subject(facts: Facts) -> str:
    """What its papers are marked with, or else what their abstracts speak of; how the words were counted is said."""
    if facts.holdings.keywords:
        return f"Its most frequent keywords: {_row(facts.holdings.keywords)}."
    if not facts.phrases:
        return "No phrase stands in several of its abstracts. Ask “list all papers” to see some of them."
    among = "" if facts.read == facts.papers else f" of the first {facts.read:,}"
    return f"Phrases that stand in the most abstracts{among}: {_row(facts.phrases)}."


def _years(facts: Facts) -> str:
    years = facts.holdings.years
    if years is None:
        return gives_no("years")
    span = f"from {years[0]}" if years[0] == years[1] else f"from {years[0]} to {years[1]}"
    unknown = facts.papers - facts.dated
    return f"The papers of this library are {span}" + (f"; of {unknown:,} of the {facts.papers:,} no year is known." if unknown > 0 else ".")


def _counted(called: str, counts: Counts) -> str:
    """
    >>> _counted("venues", (("Nature", 3), ("Bog Letters", 1)))
    'The venues of this library, with the number of their papers: Nature (3); Bog Letters (1).'
    """
    return f"The {called} of this library, with the number of their papers: {_row(counts)}." if counts else gives_no(called)


def _row(counts: Counts) -> str:
    more = " and others" if len(counts) > _MOST else ""
    return "; ".join(f"{value} ({count:,})" for value, count in counts[:_MOST]) + more


def gives_no(called: str) -> str:
    """That no record has a field, called as several: "authors"."""
    return f"The records of this library give no {called}."


def _files(files: Sequence[str]) -> str:
    more = f" and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return f"The papers of this library were read from {', '.join(files[:_MOST_FILES])}{more}."
