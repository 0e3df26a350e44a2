"""A question -> the filters that it names itself, and the question without them. By rules: a filter that was never meant hides the answer, so a
phrase counts only where it speaks of papers and nothing denies it, and names only if the library knows them. What is denied stays in the question,
except for authors ("not by Smith") and types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial

from rag_qa import text
from rag_qa.retrieval import kinds, names, years
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.retrieval.ordering import First, Order, first_of, order_of
from rag_qa.retrieval.phrases import BEING, PAPERS, POLITE, PUBLISHED, SPEAKS_OF_PAPERS, Knows, Phrase
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class Understood:
    """`question`: what is left to search for. `filters`: what the question says of the papers. `phrases`: the words that were taken for filters.
    `asks_nothing_else`: "papers by Smith since 2020", "How many papers are there?" (without any filter); then the question is left as it is.
    `unread`: what the question says of authors that no filter was read from, since the library knows no such name, or several are named
    that are not wanted together: "by Smith or Jones". It is still in the question. `order`: of a list of papers, if the question says one.
    `asks_for_unread`: besides such authors nothing is asked for: "papers by Smith". `first`: the newest or oldest of them are asked for.
    """

    question: str
    filters: Filters
    phrases: tuple[str, ...] = ()
    asks_nothing_else: bool = False
    unread: tuple[str, ...] = ()
    order: Order | None = None
    asks_for_unread: bool = False
    first: First | None = None

    @property
    def narrowing(self) -> Narrowing:
        """What narrows the search."""
        return Narrowing(self.filters, self.phrases, self.unread)


_ASKS_NOTHING = re.compile(
    rf"\b(?:{PAPERS}|{PUBLISHED}|everything|anything|something"
    r"|all|any|other|the|which|what|are|is|there|show|list|find|give|me|do|you|have|were|was|how|many|please|of|and|on|in this library)\b",
    re.IGNORECASE,
)
_POLITELY = re.compile(rf"^{POLITE}", re.IGNORECASE)
_KINDS_OF_PAPERS = r"(?:reviews?|surveys?|trials?|preprints?)\b"  # some of the library, and not all of it
_ALL_OF_THEM = any_of(
    rf"how many (?!{_KINDS_OF_PAPERS}){PAPERS}",
    rf"(?:what is )?the (?:total )?number of {PAPERS}",
    rf"count (?:all )?(?:the )?{PAPERS}",
    rf"(?:list|show|give)(?: me)? (?:all|every|each)(?: (?:of )?(?:the|your|my|our))?(?: other)? {PAPERS}",
    rf"(?:list|show|name)(?: me)? (?:the|your|my|our) {PAPERS}(?= (?:here|in|you|we)\b|[\s?.!]*$)",
    rf"(?:which|what) {PAPERS}(?= (?:are there|do (?:you|we|i) have))",
)
_NOTHING_OF_THEM = any_of(
    "are|is|do|does|there|you|we|i|have|has|it|hold|contain|known?|indexed|stored|in|of|the|this|your|my|our|library|collection|index|corpus",
    "database|total|all|altogether|overall|currently|now|here",
)
_ASKS_FOR_ALL = re.compile(rf"^{POLITE}{_ALL_OF_THEM}(?: {_NOTHING_OF_THEM}\b)*[\s?.!]*$", re.IGNORECASE)
_LEFT_OVER = re.compile(r"\s+([?.,;:!])|,(?=\s*[?.!]*$)|\s{2,}")
_JOINED = re.compile(r",?\s+(?:and|but)\s*$", re.IGNORECASE)
_WAS = re.compile(rf"\s*((?:that |which )?){BEING}\b", re.IGNORECASE)
_NO_SENTENCE = re.compile(r"(?<=[?.!,;]) (?:only|just) papers[\s?.!]*$", re.IGNORECASE)
_LOOSE_AND = re.compile(r"(?<=papers) (?:and|but) (?=(?:on|about|regarding|concerning|dealing|related)\b)")


def understood(question: str, knows: Knows, today: date | None = None) -> Understood:
    """What a question says of the papers that may answer it. `today`: what "the last two years" are counted from.

    >>> def nobody(field, name): return False
    >>> found = understood("Which papers since 2023, excluding reviews, deal with tides?", nobody)
    >>> found.question, found.filters.year_from, found.filters.exclude_types
    ('Which papers deal with tides?', 2023, ('review',))
    >>> understood("How has malaria changed since 2010?", nobody).filters == Filters()
    True
    >>> understood("papers not by Smith", nobody).question
    'papers not by Smith'
    """
    if SPEAKS_OF_PAPERS.search(question):
        order, unordered = order_of(question)
        first = first_of(unordered)
        found = _read(first.question if first else unordered, knows, today)
        order = order or (first.order if first else None)
        return replace(found, order=order, first=replace(first, order=order) if first and order else None)
    return _read(question, knows, today)


def _read(question: str, knows: Knows, today: date | None) -> Understood:
    filters, rest = Filters(), question
    said: list[str] = []
    for found in _rules(knows, today or datetime.now(UTC).date()):
        phrases = sorted(found(rest), key=lambda phrase: phrase.start)
        for phrase in phrases:
            filters = _both(filters, phrase.filters)
        said += [_shown(rest, phrase) for phrase in phrases if phrase.filters != Filters()]
        rest = _without(rest, phrases)
    if said and _asks_nothing(rest):
        return Understood(question, filters, tuple(said), asks_nothing_else=True)
    if nobody := names.cited(rest):
        return Understood(rest, filters, tuple(said), unread=(nobody,), asks_for_unread=True)
    unread = tuple(names.unread(rest))
    if not said and _ASKS_FOR_ALL.match(question):
        return Understood(question, filters, asks_nothing_else=True)
    left = rest
    for author in unread:
        left = left.replace(author, " ")
    return Understood(rest, filters, tuple(said), unread=unread, asks_for_unread=bool(unread) and _asks_nothing(left))


def _asks_nothing(rest: str) -> bool:
    """Is nothing left that could be searched for?"""
    return not _ASKS_NOTHING.sub("", _POLITELY.sub("", text.fold(rest).text)).strip(" ?.!,")


Rule = Callable[[str], Iterator[Phrase]]


def _rules(knows: Knows, today: date) -> tuple[Rule, ...]:
    """In this order: what a name or a kind is taken from says nothing of years any more."""
    return (
        kinds.not_retracted,
        kinds.excluded,
        kinds.only,
        partial(kinds.wanted_type, knows=knows),
        partial(kinds.language, knows=knows),
        partial(names.asked_of, knows=knows),
        partial(names.author, knows=knows),
        partial(names.venue, knows=knows),
        partial(years.years, today=today),
    )


def _both(one: Filters, other: Filters) -> Filters:
    """What both ask for. Years that contradict each other stay as they are: then no paper passes, and that is said.

    >>> both = _both(Filters(year_from=2020, year_to=2020), Filters(year_to=2009))
    >>> both.year_from, both.year_to
    (2020, 2009)
    """
    first = [year for year in (one.year_from, other.year_from) if year is not None]
    last = [year for year in (one.year_to, other.year_to) if year is not None]
    return replace(
        one.and_also(other),
        year_from=max(first, default=None),
        year_to=min(last, default=None),
        exclude_types=tuple(dict.fromkeys((*one.exclude_types, *other.exclude_types))),
        not_by=tuple(dict.fromkeys((*one.not_by, *other.not_by))),
    )


def _shown(question: str, phrase: Phrase) -> str:
    return " ".join((phrase.named or question[phrase.start : phrase.end]).strip(" ,").split())


def _without(question: str, phrases: Sequence[Phrase]) -> str:
    """
    >>> _without("papers by Smith, and since 2020", [Phrase(15, 31, Filters())])
    'papers by Smith'
    """
    for phrase in reversed(phrases):
        before = question[: phrase.start]
        joined = _JOINED.sub("", before) if phrase.instead == " " else before
        question = joined + phrase.instead + _going_on(before, question[phrase.start : phrase.end], question[phrase.end :])
    tidy = _LEFT_OVER.sub(lambda mark: mark.group(1) or ("" if mark.group().startswith(",") else " "), question)
    return (_NO_SENTENCE.sub("", _LOOSE_AND.sub(" ", tidy)) if phrases else tidy).strip()


def _going_on(before: str, phrase: str, after: str) -> str:
    """What stands behind a phrase, as it goes on without it, `before` being what stands in front.

    >>> _going_on("papers", "that were published in 2020", " and deal with tides"), _going_on("", "In Nature", ", which papers?")
    (' that deal with tides', ' which papers?')
    """
    after = after if before.strip() else after.removeprefix(",")  # "Since 2020, which ..."
    was = _WAS.match(phrase)
    return f" {was.group(1)}{after.removeprefix(' and ')}" if was and after.startswith(" and ") else after
