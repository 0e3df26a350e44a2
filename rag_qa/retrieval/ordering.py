"""In which order a question wants the papers of a list: "newest first", "sorted by year", "recent papers on tides", "the oldest paper"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_qa.retrieval.phrases import POLITE
from rag_qa.retrieval.set_questions import asked_for_set
from rag_qa.text import any_of


class Order(StrEnum):
    """How the papers of a list stand. By default the surest come first."""

    NEWEST = "newest first"
    OLDEST = "oldest first"


_YEAR = r"(?:the )?(?:year|years|date|age|publication date|publication year|time)(?: of publication| they (?:were published|appeared))?"
_DOWN = r"(?:newest|latest|most recent|youngest|new)(?: (?:ones|papers))?(?: (?:come|comes|go|goes))? first|newest to oldest|new to old|descending"
_UP = r"(?:oldest|earliest|old)(?: (?:ones|papers))?(?: (?:come|comes|go|goes))? first|oldest to newest|old to new|ascending|chronological(?:ly)?"
_HOW = rf"(?:(?P<down>{_DOWN})|(?P<up>{_UP}))"
ORDER = (
    rf"(?:(?:(?:sorted|ordered|ranked|arranged|sort|order|rank) )?by {_YEAR}(?:,? (?:(?:with )?the |from |in )?{_HOW}(?: order)?)?"
    rf"|(?:with )?(?:the |from |in )?(?:sorted |ordered )?{_HOW}(?: order)?)".replace("(?P<down>", "(?P<down1>", 1).replace("(?P<up>", "(?P<up1>", 1)
)
_AT_END = re.compile(rf",? (?:and )?{ORDER}(?: please)?(?P<end>[\s?.!]*)$", re.IGNORECASE)


def order_of(question: str) -> tuple[Order | None, str]:
    """The order that a question ends with, and the question without it.

    >>> order_of("Which papers deal with tides, newest first?"), order_of("papers on tides sorted by year")
    ((<Order.NEWEST: 'newest first'>, 'Which papers deal with tides?'), (<Order.OLDEST: 'oldest first'>, 'papers on tides'))
    >>> order_of("Which tides come first?")
    (None, 'Which tides come first?')
    """
    found = _AT_END.search(question)
    if found is None:
        return None, question
    return (Order.NEWEST if found["down"] or found["down1"] else Order.OLDEST), question[: found.start()] + found["end"].strip()


@dataclass(frozen=True, slots=True)
class First:
    """The newest or the oldest of the papers that `question` asks for: so many of them, or all in that order (`most` None)."""

    order: Order
    most: int | None
    question: str


_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_SUPERLATIVE = r"(?:(?P<new>newest|latest|most recent|youngest)|(?P<old>oldest|earliest))"
_ONE = any_of("paper|article|study|publication|preprint|abstract|work")
_MANY = any_of("papers|articles|studies|publications|preprints|abstracts|works|work|research|literature")
_ASKING = any_of(
    "(?:what|which)(?: (?:is|was|are|were)|['’]?s)?|(?:show|list|find|give|tell|name)(?: me)?",
    "(?:are|is) there|do (?:you|we) have|have you got|any",
)
_COUNT = rf"(?:(?P<count>\d\d?|{any_of(*_NUMBERS)}) )?"
_EXTREMES = tuple(
    re.compile(rf"^{POLITE}{form}$", re.IGNORECASE)
    for form in (
        rf"(?:{_ASKING} )?(?:the )?{_SUPERLATIVE} (?P<one>{_ONE})(?P<rest>\b.*)",
        rf"(?:when (?:was|is)|how (?:old|new|recent) is) the {_SUPERLATIVE} (?P<one>{_ONE})(?P<rest>\b.*?)"
        r"(?: (?:published|written|from|printed))?[\s?.!]*",
        rf"(?:which|what) (?P<one>{_ONE}) is (?:the )?{_SUPERLATIVE}(?P<rest>(?: (?:here|of all|in|of)\b.*)?[\s?.!]*)",
        rf"(?:which|what)(?P<one> one)? is the {_SUPERLATIVE} of the (?P<of>{_MANY})(?P<rest>\b.*)",
        rf"(?:(?P<asking>{_ASKING}) )?(?:(?:the|any|some|your|all|me) )*{_COUNT}(?:{_SUPERLATIVE}|(?P<recent>(?:more |very )?recent)) "
        rf"(?P<later>\d\d? |{any_of(*(f'{number} ' for number in _NUMBERS))})?(?P<many>{_MANY})(?P<rest>\b.*)",
    )
)
_OF_ALL = re.compile(
    r"(?: (?:here|of (?:all|them all)|you have|there (?:is|are)|(?:are|is) there|do (?:you|we) have"
    r"|(?:in|of) (?:here|(?:this|the|your|our|my) (?:library|collection|corpus|index|database|archive))))*[\s?.!]*",
    re.IGNORECASE,
)
_BY_RECORD = re.compile(r" (?:by|from|in|at|since|before|after|between) \S", re.IGNORECASE)


def first_of(question: str) -> First | None:
    """What a question asks to have the newest or the oldest of; None if it asks for no papers so.

    >>> first_of("What is the oldest paper?")
    First(order=<Order.OLDEST: 'oldest first'>, most=1, question='list all papers')
    >>> first_of("the 3 newest papers on tides").question, first_of("Which recent papers deal with tides?").question
    ('papers on tides', 'Which papers deal with tides?')
    >>> first_of("What do recent papers say about tides?") is None, first_of("Which tides are the newest?") is None
    (True, True)
    """
    for form in _EXTREMES:
        found = form.match(question)
        wanted = _asked(found) if found else ""
        if found and wanted:
            return First(Order.OLDEST if found["old"] else Order.NEWEST, _most(found), wanted)
    return None


def order_wanted(question: str) -> Order | None:
    """In which order a question wants papers, however it says so.

    >>> order_wanted("recent papers on tides").value, order_wanted("the newest papers, oldest first").value, order_wanted("papers on tides")
    ('newest first', 'oldest first', None)
    """
    order, unordered = order_of(question)
    first = first_of(unordered)
    return order or (first.order if first else None)


_WITHIN = re.compile(
    rf"^{POLITE}(?:who (?:wrote|are the authors of|is the (?:first |last )?author of)|(?:what(?: is|['’]s) |give me |show me )?the \S+(?: \S+)? of"
    r"|tell me (?:more )?about|summari[sz]e|what is|what does|what do the authors of) "
    rf"(?P<paper>the {_SUPERLATIVE} {_ONE}\b(?: (?:on|about|by|in|from|since|before|dealing with) (?:(?!\babout\b|\bsay\b|\bfind\b)[^?])+?)?)"
    r"(?: about| say| find| propose)?[\s?.!]*$",
    re.IGNORECASE,
)


def within(question: str) -> str:
    """The words for the newest or the oldest paper in a question on it; "" in any other, and in one for that paper alone.

    >>> within("Who wrote the oldest paper on tides?"), within("summarise the newest paper"), within("What is the oldest paper?")
    ('the oldest paper on tides', 'the newest paper', '')
    """
    found = _WITHIN.match(question)
    return found["paper"] if found and not first_of(question) and first_of(found["paper"]) else ""


def _asked(found: re.Match[str]) -> str:
    """The question for the papers, in whichever order; "" if it would ask for none."""
    rest = found["rest"]
    if _OF_ALL.fullmatch(rest):
        return "list all papers"
    asking = (found.groupdict().get("asking") or "").lower()
    for wanted in ([f"Which papers{rest}"] if asking in ("which", "what") else []) + [f"papers{rest}"]:
        if _BY_RECORD.match(rest) or asked_for_set(wanted):
            return wanted
    return ""


def _most(found: re.Match[str]) -> int | None:
    groups = found.groupdict()
    said = (groups.get("count") or groups.get("later") or "").strip().lower()
    if said:
        return _NUMBERS.get(said) or int(said)
    return None if groups.get("many") else 1
