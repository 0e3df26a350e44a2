"""What an index knows of its library as a whole -> an Answer: numbers, years and names of the records, and nothing that a paper says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    MOST_YEAR = "years with the most papers"
    MOST_AUTHOR = "authors with the most papers"
    MOST_VENUE = "venues with the most papers"
    BY_YEAR = "papers by year"
    BY_FILE = "papers by file"
    NUMBER_OF_AUTHORS = "number of authors"
    NUMBER_OF_VENUES = "number of venues"
    RETRACTED = "retracted papers"
    WITHOUT_ABSTRACT = "records without an abstract"


COUNTS_NAMES = frozenset({OfLibrary.NUMBER_OF_AUTHORS, OfLibrary.NUMBER_OF_VENUES})
"""What is asked so that every name has to be known, and not only the most frequent."""


@dataclass(frozen=True, slots=True)
class Facts:
    """`papers`: how many there are. `dated`: of how many a year is known. `phrases`: what many abstracts speak of, each with the number of those that
    do, among `read` abstracts. `files`: what was read. `by_year`: how many papers each year has, the years in order; `by_file`: each file.
    `without_abstract`: titles of the records that were read and are no part of the library.
    """

    papers: int
    dated: int
    holdings: Holdings
    phrases: Counts = ()
    read: int = 0
    files: tuple[str, ...] = ()
    by_year: Counts = ()
    by_file: Counts = ()
    without_abstract: tuple[str, ...] = ()


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
    return _SAID[wanted](facts)


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


def _most(called: str, counts: Counts) -> str:
    """`counts`: the most frequent first.

    >>> _most("year", (("2019", 3), ("2020", 3), ("2018", 1)))
    'The years with the most papers of this library (3 each): 2019 and 2020. After that: 2018 (1).'
    >>> _most("author", (("Smith, Ada", 2),))
    'The author with the most papers of this library: Smith, Ada (2).'
    """
    if not counts:
        return gives_no(f"{called}s")
    best = [value for value, count in counts if count == counts[0][1]]
    if counts[0][1] == 1 and len(best) > 1:
        return f"No {called} has more than one paper of this library: {_row(counts)}."
    after = f" After that: {_row(counts[len(best) :])}." if len(best) < len(counts) else ""
    if len(best) == 1:
        return f"The {called} with the most papers of this library: {best[0]} ({counts[0][1]:,}).{after}"
    row = "; ".join(best[:_MOST]) + " and others" if len(best) > _MOST else _joined(best)
    return f"The {called}s with the most papers of this library ({counts[0][1]:,} each): {row}.{after}"


def _joined(names: Sequence[str]) -> str:
    between = "; " if any("," in name for name in names) else ", "
    return f"{between.join(names[:-1])} and {names[-1]}"


def _by_year(facts: Facts) -> str:
    """
    >>> _by_year(Facts(5, 4, Holdings(), by_year=(("2016", 1), ("2019", 3))))
    'The papers of this library by year: 2016 (1); 2019 (3). Of 1 of the 5 no year is known.'
    """
    if not facts.by_year:
        return gives_no("years")
    unknown = facts.papers - sum(count for _, count in facts.by_year)
    said = "; ".join(f"{year} ({count:,})" for year, count in facts.by_year)
    return f"The papers of this library by year: {said}." + (f" Of {unknown:,} of the {facts.papers:,} no year is known." if unknown > 0 else "")


def _number_of(called: str, counts: Counts) -> str:
    """`counts`: every name.

    >>> _number_of("venue", (("Nature", 3), ("Bog Letters", 1)))
    'The records of this library give 2 venues. Those with the most papers: Nature (3); Bog Letters (1).'
    """
    if not counts:
        return gives_no(f"{called}s")
    if len(counts) == 1:
        return f"The records of this library give one {called}: {_row(counts)}."
    return f"The records of this library give {len(counts):,} {called}s. Those with the most papers: {_row(counts)}."


def _retracted(count: int) -> str:
    if not count:
        return "No record of this library says that its paper was retracted, which is no proof that none was."
    papers = "one paper was" if count == 1 else f"{count:,} papers were"
    return f"By the records of this library {papers} retracted: ask “Which papers are retracted?” to see {'it' if count == 1 else 'them'}."


def _without_abstract(titles: Sequence[str]) -> str:
    """
    >>> _without_abstract(["On tides"])
    'One record that was read has no abstract, and is no part of this library, since only what an abstract says is cited: “On tides”.'
    """
    if not titles:
        return "Every paper of this library has an abstract, and no record without one was read."
    many = (
        f"{len(titles):,} records that were read have no abstract, and are" if len(titles) > 1 else "One record that was read has no abstract, and is"
    )
    named = "; ".join(f"“{title}”" for title in titles[:_MOST_FILES])
    more = f" and {len(titles) - _MOST_FILES:,} more" if len(titles) > _MOST_FILES else ""
    return f"{many} no part of this library, since only what an abstract says is cited: {named}{more}."


def _row(counts: Counts) -> str:
    more = " and others" if len(counts) > _MOST else ""
    return "; ".join(f"{value} ({count:,})" for value, count in counts[:_MOST]) + more


def gives_no(called: str) -> str:
    """That no record has a field, called as several: "authors"."""
    return f"The records of this library give no {called}."


def _files(files: Sequence[str]) -> str:
    more = f" and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return f"The papers of this library were read from {', '.join(files[:_MOST_FILES])}{more}."


def _venues(found: Holdings) -> Counts:
    return found.venues or found.collections


_SAID: dict[OfLibrary, Callable[[Facts], str]] = {
    OfLibrary.SIZE: _size,
    OfLibrary.SUBJECT: lambda facts: " ".join([_size(facts), _subject(facts)]),
    OfLibrary.YEARS: _years,
    OfLibrary.VENUES: lambda facts: _counted("venues", _venues(facts.holdings)),
    OfLibrary.AUTHORS: lambda facts: _counted("authors", facts.holdings.authors),
    OfLibrary.TYPES: lambda facts: _counted("types", facts.holdings.types),
    OfLibrary.LANGUAGES: lambda facts: _counted("languages", [(LANGUAGES.get(code, code), count) for code, count in facts.holdings.languages]),
    OfLibrary.KEYWORDS: lambda facts: _counted("keywords", facts.holdings.keywords),
    OfLibrary.FILES: lambda facts: _files(facts.files),
    OfLibrary.MOST_YEAR: lambda facts: _most("year", sorted(facts.by_year, key=lambda one: -one[1])),
    OfLibrary.MOST_AUTHOR: lambda facts: _most("author", facts.holdings.authors),
    OfLibrary.MOST_VENUE: lambda facts: _most("venue", _venues(facts.holdings)),
    OfLibrary.BY_YEAR: _by_year,
    OfLibrary.BY_FILE: lambda facts: (
        f"The files that the papers of this library were read from, with the number of their papers: {_row(facts.by_file)}."
    ),
    OfLibrary.NUMBER_OF_AUTHORS: lambda facts: _number_of("author", facts.holdings.authors),
    OfLibrary.NUMBER_OF_VENUES: lambda facts: _number_of("venue", _venues(facts.holdings)),
    OfLibrary.RETRACTED: lambda facts: _retracted(facts.holdings.retracted),
    OfLibrary.WITHOUT_ABSTRACT: lambda facts: _without_abstract(facts.without_abstract),
}
