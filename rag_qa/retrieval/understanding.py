"""A question -> the filters that it names itself, and the question without them. By rules: a filter that was never meant hides the answer, so a
phrase counts only where it speaks of papers, and names only if the library knows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rag_qa import text
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class Understood:
    """`question`: what is left to search for. `filters`: what the question says of the papers. `phrases`: the words that were taken for filters.
    `asks_nothing_else`: "papers by Smith since 2020"; then the question is left as it is.
    """

    question: str
    filters: Filters
    phrases: tuple[str, ...] = ()
    asks_nothing_else: bool = False

    @property
    def narrowing(self) -> Narrowing:
        """What narrows the search."""
        return Narrowing(self.filters, self.phrases)


Knows = Callable[[str, str], bool]
"""Does the library know a venue, or an author ("venue", "author"), by that name?"""


_PAPERS = any_of(
    "papers?|articles?|study|studies|works?|publications?|preprints?|abstracts?|reviews?", "research|literature|trials?|surveys?|evidence"
)
_PUBLISHED = any_of("published|appeared|appearing|written|presented|accepted")
_YEAR = r"((?:19|20)\d\d)"
_FROM_TO = rf"(?:between|from) {_YEAR} (?:and|to|until|till|-|–) {_YEAR}|{_YEAR} ?[-–] ?{_YEAR}"
_ON = r"(?:on(?=\s*(?:[,.?!]|$))|onwards?\b|or later\b)"  # "from 2024 on", and not "from 2024 on tides"
_SINCE = rf"since {_YEAR}(?: {_ON})?|from {_YEAR} {_ON}|{_YEAR} or later|no earlier than {_YEAR}"
_AFTER = rf"(?:after|later than|newer than) {_YEAR}"
_BEFORE = rf"(?:before|earlier than|older than|prior to) {_YEAR}"
_UNTIL = rf"(?:until|till|up to|through|no later than) {_YEAR}|{_YEAR} or earlier"
_IN = rf"(?:in|of|from) (?:the year )?{_YEAR}"
# In this order: "from 2019 to 2021" is not "from 2019". What a year says: (first, last) from the years of the phrase.
_YEARS: tuple[tuple[str, Callable[[list[int]], tuple[int | None, int | None]]], ...] = (
    (_FROM_TO, lambda years: (min(years), max(years))),
    (_UNTIL, lambda years: (None, years[0])),
    (_BEFORE, lambda years: (None, years[0] - 1)),
    (_AFTER, lambda years: (years[0] + 1, None)),
    (_SINCE, lambda years: (years[0], None)),
    (_IN, lambda years: (years[0], years[0])),
)
_SPEAKS_OF_PAPERS = re.compile(rf"\b(?:{_PAPERS}|{_PUBLISHED})\b", re.IGNORECASE)

_TYPES = {
    "review": "reviews?|review articles?|review papers?|systematic reviews?|surveys?",
    "preprint": "preprints?",
    "editorial": "editorials?",
    "letter": "letters?",
    "thesis": "theses|thesis|dissertations?",
    "chapter": "(?:book )?chapters?",
    "book": "books?",
    "conference": "conference papers?|proceedings",
    "report": "reports?",
    "dataset": "data ?sets?",
}
_ANY_TYPE = "|".join(_TYPES.values())
_NOT = r"excluding|except(?: for)?|without|ignoring|leaving out|but (?:no|not)|not|no"
# A phrase between commas takes both with it.
_EXCLUDED = re.compile(rf"(?P<comma>,)?\s*\b(?:{_NOT}) (?:any )?(?P<type>{_ANY_TYPE})\b(?(comma),?)", re.IGNORECASE)
_ONLY = re.compile(rf",?\s*\b(?:only|just) (?:in |from |the )?({_ANY_TYPE})\b|\b({_ANY_TYPE}) only\b", re.IGNORECASE)
_RETRACTED = re.compile(
    rf",?\s*\b(?:excluding|except(?: for)?|without|ignoring|leaving out|but (?:no|not)|that (?:are|were|is|was) not|not|no) "
    rf"(?:any )?retracted(?: (?:{_PAPERS}|ones))?\b|\bnon-?retracted\b",
    re.IGNORECASE,
)
_LANGUAGES = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "zh": "chinese",
    "ja": "japanese",
    "ru": "russian",
    "ko": "korean",
}
_LANGUAGE = re.compile(rf"\b(?:{_PAPERS}|written|published) in ({'|'.join(_LANGUAGES.values())})\b", re.IGNORECASE)
_NAME = r"[A-ZÀ-Þ][\w'’-]+"
_AUTHOR = re.compile(rf"\bby ((?:(?:van|von|de|der|den|di|da|la|le|al) )*{_NAME}(?: {_NAME}){{0,3}})(?: et al\.?)?")
_VENUE = re.compile(r"\b(?:in|at|from) ((?:the )?[A-Z][\w&.'’-]*(?:(?: of| and| for| in| the| on| &)* [A-Z][\w&.'’-]*){0,7})")
_ITS_YEAR = re.compile(rf" {_YEAR}\b")  # "ICLR 2025"
_ASKS_NOTHING = re.compile(
    rf"\b(?:{_PAPERS}|{_PUBLISHED}"
    r"|all|any|the|which|what|are|is|there|show|list|find|give|me|do|you|have|were|was|how|many|please|of|and|on)\b",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(r"\s+([?.,;:!])|,(?=\s*[?.!]*$)|\s{2,}")


def understood(question: str, knows: Knows) -> Understood:
    """What a question says of the papers that may answer it.

    >>> def nobody(field, name): return False
    >>> found = understood("Which papers since 2023, excluding reviews, deal with tides?", nobody)
    >>> found.question, found.filters.year_from, found.filters.exclude_types
    ('Which papers deal with tides?', 2023, ('review',))
    >>> understood("How has malaria changed since 2010?", nobody).filters == Filters()
    True
    """
    filters, rest = Filters(), question
    phrases: list[str] = []
    for rule in (_retracted, _excluded, _only, _language, _of_author, _of_venue, _of_years):
        for narrowed, phrase in list(rule(rest, filters, knows)):
            filters = narrowed
            phrases.append(phrase)
            rest = rest.replace(phrase, " ", 1)
    rest = _LEFT_OVER.sub(lambda mark: mark.group(1) or ("" if mark.group().startswith(",") else " "), rest).strip()
    said = tuple(" ".join(phrase.strip(" ,").split()) for phrase in phrases)
    if said and not _ASKS_NOTHING.sub("", text.fold(rest).text).strip(" ?.!,"):
        return Understood(question, filters, said, asks_nothing_else=True)
    return Understood(rest, filters, said)


Found = Iterator[tuple[Filters, str]]


def _retracted(question: str, filters: Filters, _: Knows) -> Found:
    if found := _RETRACTED.search(question):
        yield replace(filters, without_retracted=True), found.group()


def _excluded(question: str, filters: Filters, _: Knows) -> Found:
    types: tuple[str, ...] = filters.exclude_types
    for found in _EXCLUDED.finditer(question):
        types = (*types, _type(found.group("type")))
        yield replace(filters, exclude_types=types), found.group()


def _only(question: str, filters: Filters, _: Knows) -> Found:
    if found := _ONLY.search(question):
        yield replace(filters, type=_type(found.group(1) or found.group(2))), found.group()


def _type(words: str) -> str:
    return next(name for name, pattern in _TYPES.items() if re.fullmatch(pattern, words, re.IGNORECASE))


def _language(question: str, filters: Filters, _: Knows) -> Found:
    if found := _LANGUAGE.search(question):
        named = found.group(1).lower()
        code = next(code for code, name in _LANGUAGES.items() if name == named)
        yield replace(filters, language=code), question[found.start(1) - len("in ") : found.end(1)]


def _of_author(question: str, filters: Filters, knows: Knows) -> Found:
    for found in _AUTHOR.finditer(question):
        words = found.group(1).split()
        # "by Smith NetMoE" is unlikely; of a long run of capitals, the longest name that the library knows
        for length in range(len(words), 0, -1):
            name = " ".join(words[:length])
            if _SPEAKS_OF_PAPERS.search(question[: found.start()]) and knows("author", name):
                end = found.start(1) + len(name)
                tail = re.match(r" et al\.?", question[end:])
                yield replace(filters, author=name), question[found.start() : end] + (tail.group() if tail else "")
                return


def _of_venue(question: str, filters: Filters, knows: Knows) -> Found:
    if not _SPEAKS_OF_PAPERS.search(question):
        return
    for found in _VENUE.finditer(question):
        words = found.group(1).split()
        for length in range(len(words), 0, -1):
            name = " ".join(words[:length]).rstrip(".,;:")
            if knows("venue", name):
                end = found.start(1) + len(name)
                year = _ITS_YEAR.match(question, end)
                narrowed = replace(filters, venue=name)
                if year:
                    narrowed = replace(narrowed, year_from=int(year.group(1)), year_to=int(year.group(1)))
                yield narrowed, question[found.start() : year.end() if year else end]
                return


def _of_years(question: str, filters: Filters, _: Knows) -> Found:
    """A year is one of papers if the clause before it speaks of papers."""
    for pattern, span in _YEARS:
        for found in re.finditer(rf"(?:\b{_PUBLISHED} )?\b(?:{pattern})\b", question, re.IGNORECASE):
            if not _SPEAKS_OF_PAPERS.search(found.group()) and not _belongs_to_papers(question[: found.start()], question[found.end() :]):
                continue
            first, last = span([int(year) for year in re.findall(r"\d{4}", found.group())])
            yield replace(filters, year_from=first, year_to=last), found.group()
            return


_CLAUSE = re.compile(r"[,;:.?!]|\b(?:that|which|who|deal|deals|show|shows|report|reports|find|finds|say|says|use|uses)\b", re.IGNORECASE)


def _belongs_to_papers(before: str, after: str) -> bool:
    """Does the clause that a year ends speak of papers, and not of what happened then? "Which papers on tides since 2020 ..." does."""
    clause = _CLAUSE.split(before)[-1]
    return bool(_SPEAKS_OF_PAPERS.search(clause)) or bool(re.match(rf"\s+(?:{_PAPERS})\b", after, re.IGNORECASE))
