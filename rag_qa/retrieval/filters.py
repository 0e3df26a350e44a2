"""What papers must be to be found at all: typed, combinable, and told in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from rag_qa.index.store import Conditions, folded, is_by, venue_forms, venues, wanted_venue
from rag_qa.papers import TYPES, Notice, Paper

MONTH = (
    r"(?:(?:(?:early|mid|late)[- ])?(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?)"
)
"""A month, and a day of it, in front of a year."""

LANGUAGES: Mapping[str, str] = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}
"""Languages by name, of which papers may be asked for so; any other by its two letters."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a paper must be to be found at all; None or empty means anything. Years are inclusive; names are compared without regard to capitals.

    `venue`: its name, with or without the year, or its initials. `author`: all words of it stand in the name of one author; the family name will do.
    `also_by`: further authors, all of whom it must have. `not_by`: authors of whom it must have none.
    `type`, and `exclude_types`: of papers.TYPES. `language`: ISO 639-1. `keyword`: one of the paper's keywords.
    """

    year_from: int | None = None
    year_to: int | None = None
    venue: str | None = None
    collection: str | None = None
    author: str | None = None
    type: str | None = None
    exclude_types: tuple[str, ...] = ()
    language: str | None = None
    keyword: str | None = None
    without_retracted: bool = False
    also_by: tuple[str, ...] = ()
    not_by: tuple[str, ...] = ()
    only_retracted: bool = False

    @property
    def is_empty(self) -> bool:
        """Does every paper pass?

        >>> Filters().is_empty, Filters(venue="ICLR").is_empty
        (True, False)
        """
        return not any(_is_given(getattr(self, field.name)) for field in fields(self))

    def accepts(self, paper: Paper) -> bool:
        """Does a paper pass? One without a year passes no filter by year.

        >>> Filters(year_from=2024).accepts(Paper("p1", "We ...", year=2025))
        True
        """
        return all(self._holds(paper))

    def _holds(self, paper: Paper) -> Iterator[bool]:
        if self.year_from is not None:
            yield paper.year is not None and paper.year >= self.year_from
        if self.year_to is not None:
            yield paper.year is not None and paper.year <= self.year_to
        for wanted, value in ((self.collection, paper.collection), (self.type, paper.type), (self.language, paper.language)):
            if wanted:
                yield folded(wanted) == folded(value or "")
        if self.venue:
            yield any(wanted_venue(self.venue) in venue_forms(venue) for venue in venues(paper))
        if self.author:
            yield any(is_by(self.author, name) for name in paper.authors)
        yield all(any(is_by(wanted, name) for name in paper.authors) for wanted in self.also_by)
        yield not any(is_by(unwanted, name) for name in paper.authors for unwanted in self.not_by)
        if self.keyword:
            yield folded(self.keyword) in map(folded, paper.keywords)
        yield paper.type not in self.exclude_types
        yield not (self.without_retracted and paper.is_retracted)
        yield paper.is_retracted or not self.only_retracted

    def and_also(self, other: Filters) -> Filters:
        """Both together; where they say different things of one field, the other one counts.

        >>> Filters(venue="ICLR", year_from=2020).and_also(Filters(venue="ICML"))
        Filters(year_from=2020, year_to=None, venue='ICML', collection=None, author=None, type=None, exclude_types=(), language=None, keyword=None, \
without_retracted=False, also_by=(), not_by=(), only_retracted=False)
        """
        return replace(self, **{field.name: value for field in fields(self) if _is_given(value := getattr(other, field.name))})

    def parts(self) -> list[Filters]:
        """One for each thing that is asked of a paper.

        >>> [words(part) for part in Filters(year_from=2020, year_to=2021, venue="ICLR").parts()]
        ['from 2020 to 2021', 'in ICLR']
        """
        years = {"year_from": self.year_from, "year_to": self.year_to}
        single = [years, *({field.name: getattr(self, field.name)} for field in fields(self) if field.name not in years)]
        return [Filters(**values) for values in single if any(map(_is_given, values.values()))]


EVERYTHING = Filters()


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What narrows a search. `phrases`: the words of the question that filters were taken from; none if a person set them otherwise. `unread`: what
    it says of the papers besides, and no filter was taken from.
    """

    filters: Filters = EVERYTHING
    phrases: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def notice(self) -> str:
        """What to say of that; "" for nothing.

        >>> Narrowing(unread=("by Smith and Jones",)).notice
        'Not used to choose papers: “by Smith and Jones” (only authors whom the library knows can be chosen or left out).'
        """
        said = ", ".join(f"“{phrase}”" for phrase in self.unread)
        unread = f"Not used to choose papers: {said} (only authors whom the library knows can be chosen or left out)." if said else ""
        has_month = any(re.search(rf"\b{MONTH}(?:19|20)\d\d", phrase, re.IGNORECASE) for phrase in self.phrases)
        months = "Papers are chosen by their year alone: those of the whole year are looked at." if has_month else ""
        return " ".join(filter(None, [unread, months]))


NOT_NARROWED = Narrowing()


def nothing_passes(filters: Filters, count: Callable[[Filters], int]) -> str:
    """What to say when no paper passes. `count`: how many pass.

    >>> nothing_passes(Filters(year_from=2030, author="Smith"), lambda one: 0 if one.year_from == 2030 else 3)
    'No paper of this library is from 2030 on, by Smith. One by one: from 2030 on: none; by Smith: 3.'
    """
    said = [f"No paper of this library is {words(filters)}."]
    parts = filters.parts()
    if len(parts) > 1:
        said.append("One by one: " + "; ".join(f"{words(part)}: {count(part) or 'none'}" for part in parts) + ".")
    if (filters.year_from is not None or filters.year_to is not None) and not count(Filters(year_from=_ANY_YEAR)):
        said.append("It is not known of any of them when it was published.")
    return " ".join(said)


_ANY_YEAR = -9999


def _is_given(value: object) -> bool:
    return value not in (None, "", (), False)


def words(filters: Filters) -> str:
    """Filters as one says them; "" for none.

    >>> words(Filters(year_from=2023, author="Smith", exclude_types=("review",), without_retracted=True))
    'from 2023 on, by Smith, no review, not retracted'
    """
    return ", ".join(_words(filters))


def _words(filters: Filters) -> Iterator[str]:
    if years := _years(filters.year_from, filters.year_to):
        yield years
    templates = (("venue", "in {}"), ("collection", "in the collection {}"), ("author", "by {}"), ("type", "of type {}"))
    for name, template in (*templates, ("language", "in the language {}"), ("keyword", "marked with the keyword {}")):
        if value := getattr(filters, name):
            yield template.format(value)
        if name == "author":
            yield from (f"by {author}" for author in filters.also_by)
            yield from (f"not by {author}" for author in filters.not_by)
    yield from (f"no {type_}" for type_ in filters.exclude_types)
    if filters.without_retracted:
        yield "not retracted"
    if filters.only_retracted:
        yield "retracted"


def _years(first: int | None, last: int | None) -> str:
    """
    >>> _years(2020, None), _years(None, 2020), _years(2020, 2020), _years(None, None)
    ('from 2020 on', 'up to 2020', 'from 2020', '')
    """
    if first is not None and last is not None and first > last:
        return f"from {first} on and up to {last}"
    if first is not None and last is not None:
        return f"from {first}" if first == last else f"from {first} to {last}"
    if first is not None:
        return f"from {first} on"
    return f"up to {last}" if last is not None else ""


def conditions(filters: Filters) -> Conditions:
    """What the index is asked for."""
    found: dict[str, str | tuple[int | None, int | None] | frozenset[str]] = {}
    if filters.year_from is not None or filters.year_to is not None:
        found["year"] = (filters.year_from, filters.year_to)
    for name in ("venue", "collection", "author", "language", "keyword", "type"):
        if value := getattr(filters, name):
            found[name] = value
    if filters.exclude_types and not filters.type:
        found["type"] = frozenset(map(folded, filters.exclude_types))
    if filters.also_by:
        found["also_by"] = frozenset(filters.also_by)
    if filters.not_by:
        found["not_by"] = frozenset(filters.not_by)
    if filters.without_retracted:
        found["notice"] = frozenset({Notice.RETRACTED.value})
    elif filters.only_retracted:
        found["notice"] = Notice.RETRACTED.value
    return found


class FilterError(ValueError):
    """Something is no filter; the message says what was expected."""


def from_mapping(values: Mapping[str, object]) -> Filters:
    """Filters from names and values, such as those of a JSON object. Raises FilterError.

    >>> from_mapping({"year_from": 2020, "exclude_types": ["review"]}).exclude_types
    ('review',)
    """
    found: dict[str, object] = {}
    for name, value in values.items():
        if name not in _EXPECTED:
            raise FilterError(f"there is no filter {name!r}: expected one of {', '.join(_EXPECTED)}")
        if value is None:
            continue
        kind, expected = _EXPECTED[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool) or not _is_type(name, value):
            raise FilterError(f'"{name}" is {value!r}: expected {expected}')
        found[name] = tuple(value) if isinstance(value, list) else value
    return Filters(**found)  # type: ignore[arg-type]


_A_TYPE = f"a type of document: one of {', '.join(sorted(TYPES))}"
_EXPECTED: Mapping[str, tuple[type, str]] = {
    "year_from": (int, "a year"),
    "year_to": (int, "a year"),
    "venue": (str, "a name"),
    "collection": (str, "a name"),
    "author": (str, "a name"),
    "type": (str, _A_TYPE),
    "exclude_types": (list, f"a list of types of documents, of {', '.join(sorted(TYPES))}"),
    "language": (str, "a language of two letters, such as en"),
    "keyword": (str, "a keyword"),
    "without_retracted": (bool, "true or false"),
    "also_by": (list, "a list of names"),
    "not_by": (list, "a list of names"),
    "only_retracted": (bool, "true or false"),
}


def _is_type(name: str, value: object) -> bool:
    """Is it one, where types or names are wanted?"""
    if name in ("also_by", "not_by"):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if name == "exclude_types":
        return isinstance(value, list) and all(one in TYPES for one in value)
    return name != "type" or value in TYPES
