"""Follow-ups that say what the papers must be: "and since 2023?", "only reviews", "the same by Smith", "any year". The last question is asked again
with the phrase in it, in the place of one that speaks of the same; what it says besides stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from rag_qa.chat.pointing import masked
from rag_qa.chat.turns import LOOKED_BACK, Turn, any_name, asks_for_all, papers_asked_for
from rag_qa.retrieval import understanding
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.ordering import ORDER, order_of
from rag_qa.text import any_of

_OPENING = re.compile(
    r"^(?:(?:(?:are|is) there|do you have|(?:can|could|would) you(?: please)? (?:list|show|give)(?: me)?"
    r"|from(?= (?:before|after|since|between|until)\b)"
    r"|and|but|so|ok(?:ay)?|then|now|what about|how about|show me|give me|list|the same(?: question| thing)?|same|also|please"
    r"|those|the ones?|ones?|any|anything|something"
    r"|(?:limit|restrict|narrow|filter)(?: (?:it|this|that|them|these|those|the list))?(?: down)? to"
    r"|papers|works|articles|studies|that (?:are|were|is|was)|which (?:are|were)|published|written|i want|i need)\b[\s,]*)+",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"^(?:only|just)\s+(?:(?:those|the ones?|ones|papers|articles|works|studies|published|written)\s+)*|\s+only(?=\W*$)", re.IGNORECASE
)
_CLOSING = re.compile(r"[\s,?.!]*(?:\b(?:please|then|now|instead|too|as well)\b[\s?.!]*)*$", re.IGNORECASE)
_LEFT_OUT = re.compile(r"^(?:exclude|drop|leave out|ignore|skip|remove|hide|omit) (?:the |any |all )?", re.IGNORECASE)
_OLDER = re.compile(r"^(?:older|earlier|previous)(?: ones?| papers| work)?$|^before (?:that|then)$", re.IGNORECASE)
_NEWER = re.compile(r"^(?:newer|later|more recent)(?: ones?| papers| work)?$|^(?:after|since) (?:that|then)$", re.IGNORECASE)
_MOST_WORDS = 12
_VENUE = re.compile(r"^(?:in|at) (?:the )?[A-Z][\w&.'-]*(?: (?:of|and|for|in|the|on|&|[A-Z][\w&.'-]*|(?:19|20)\d\d))*$")
_PAPERS = re.compile(
    rf"\b{any_of('papers|works|studies|articles|abstracts|publications|preprints|literature|research|evidence', 'reviews|surveys|trials')}\b",
    re.IGNORECASE,
)
_ALWAYS_LAST = re.compile(r"^(?:only|just|excluding|except|without|ignoring|leaving out|but|not|no)\b|\bonly$", re.IGNORECASE)
_IN_PAPERS = re.compile(r",? in papers(?=\s*(?:[,?.!]|$))", re.IGNORECASE)
_KINDS = {
    "years": ("year_from", "year_to"),
    "author": ("author", "also_by"),
    "left out": ("not_by",),
    "venue": ("venue", "collection"),
    "type": ("type", "exclude_types"),
    "language": ("language",),
    "retracted": ("without_retracted", "only_retracted"),
}
_ANYTHING = re.compile(
    r"^(?:and |but |ok(?:ay)? |now |so )*(?:(?:for|from|in|of|by|with) )?(?:all|any|every|whatever|regardless of|no matter)(?: of)?(?: the)?"
    r" (?P<kind>years?|dates?|authors?|types?|venues?|journals?|languages?)(?: it (?:is|was))?\W*$"
    r"|^(?:and |but |ok(?:ay)? |now |so )*(?:without|drop|forget|remove|lift|undo) (?:the|that|this|any|all)(?: the)? ?"
    r"(?P<dropped>years?|dates?|authors?"
    r"|types?|venues?|journals?|languages?)? ?(?:filters?|restrictions?|limits?|conditions?)\W*$",
    re.IGNORECASE,
)
_CALLED = {"date": "years", "year": "years", "author": "author", "type": "type", "venue": "venue", "journal": "venue", "language": "language"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that says what papers must be, and what it asks of them."""

    words: str
    filters: Filters

    @property
    def kinds(self) -> frozenset[str]:
        """What it speaks of: "years", "author"..."""
        given = {field.name for field in fields(self.filters) if getattr(self.filters, field.name) != field.default}
        return frozenset(kind for kind, names in _KINDS.items() if given & set(names))


def narrowed(question: str, turns: Sequence[Turn]) -> str | None:
    """The last question for papers, with what a follow-up says they must be; None if it says nothing of the kind.

    >>> narrowed("and since 2023?", [Turn("Which papers by Smith deal with tides?")])
    'Which papers since 2023 by Smith deal with tides?'
    >>> narrowed("and by Jones?", [Turn("Which papers by Smith deal with tides?")])
    'Which papers by Jones deal with tides?'
    """
    if not says_nothing_else(question):
        return None
    if anything := _ANYTHING.match(question):
        return _widened(turns, (anything["kind"] or anything["dropped"] or "").lower().rstrip("s"))
    asked = _question_for_papers(turns)
    phrase = _beside(question, asked) if _is_relative(question) else _phrase(question)
    if phrase is None:
        return None
    if phrase.kinds == {"venue"} and papers_asked_for(asked) is None:
        return None  # "and in Python?"
    if asks_for_all(asked):
        return f"papers {phrase.words}"
    if "years" in phrase.kinds and not _PAPERS.search(asked) and re.search(r"\b(?:19|20)\d\d\b", asked):
        return None  # "and in 2021?" after a question about what happened in 2020
    return _with(asked, phrase)


_OF_YEARS = frozenset("since from before after until till in between and to the or later earlier on onward onwards published only just -".split())


def years_alone(question: str) -> str | None:
    """ "Since 2020?" as a first question: the papers of these years.

    >>> years_alone("since 2020?"), years_alone("2021"), years_alone("tides since 2020")
    ('papers since 2020', 'papers from 2021', None)
    """
    words = question.lower().strip(" ?.!").split()
    is_of_years = bool(words) and all(word in _OF_YEARS or re.fullmatch(r"(?:19|20)\d\ds?(?:[-–](?:19|20)\d\d)?", word) for word in words)
    phrase = _phrase(question) if is_of_years else None
    return f"papers {phrase.words}" if phrase and phrase.kinds == {"years"} else None


_HOW_MANY = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|then),? )*how many(?: ones)?"
    r"(?P<them> (?:of|among) (?:them|these|those)(?: (?:papers|articles|works|studies))?)?"
    r" (?P<said>(?:are|were|was|is|come|came|appeared|have been) .+)$",
    re.IGNORECASE,
)


def counts_some(question: str) -> bool:
    """Does a question ask how many papers are as their records have to say, without calling them papers?

    >>> counts_some("how many are from 2021?"), counts_some("how many of them are by Smith?"), counts_some("how many are blue?")
    (True, True, False)
    """
    return _some_counted(question) is not None


def _some_counted(question: str) -> re.Match[str] | None:
    found = _HOW_MANY.match(question)
    return found if found and understanding.understood(f"How many papers {found['said']}", any_name).asks_nothing_else else None


def counted(question: str, turns: Sequence[Turn]) -> str | None:
    """ "How many are from 2021?": of the papers that were just listed, or else of the library. "Of them" are always those that were listed.

    >>> counted("how many are from 2021?", [Turn("Which papers deal with tides?")]), counted("how many are from 2021?", [Turn("What is TIDE-7?")])
    ('How many papers from 2021 deal with tides?', 'How many papers are from 2021?')
    """
    found = _some_counted(question)
    if found is None:
        return None
    back = range(len(turns) - 1, max(-1, len(turns) - 1 - (LOOKED_BACK if found["them"] else 1)), -1)
    listed = next(filter(None, (papers_asked_for(turns[i].understood_as) for i in back)), None)
    if listed is None:
        return None if found["them"] else f"How many papers {found['said']}"
    phrase = _phrase(_BEING.sub("", found["said"]))
    return _among(listed.asked("How many"), phrase) if phrase else None


def _among(question: str, phrase: Phrase) -> str:
    """A question with one phrase more, which what it says already still holds for: what is counted among papers is never more than these."""
    for old in list(_said(question)):
        if old.kinds == phrase.kinds == {"author"} and (name := phrase.words.removeprefix("by ")) not in old.words:
            return question.replace(old.words, f"{old.words} and {name}", 1)
    return _put_in(question, phrase.words)


_BEING = re.compile(r"^(?:are|were|was|is|come|came|have been) (?=\S)", re.IGNORECASE)

_SORTED = re.compile(
    r"^(?:(?:and|but|so|then|now|ok(?:ay)?|please|(?:can|could|would) you)[, ]+)*(?:(?:sort|order|rank|arrange|list|show)(?: me)?"
    rf"(?: (?:them|these|those|it|that|all|the (?:list|papers|results|ones)))?(?: again)? )?(?P<order>{ORDER})(?:,? (?:please|instead))*[\s?.!]*$",
    re.IGNORECASE,
)


def sorted_anew(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Sort them by year", "newest first": the last question for papers, in that order.

    >>> sorted_anew("sort them by year", [Turn("Which papers deal with tides?")])
    'Which papers deal with tides, by year?'
    """
    match = _SORTED.match(question)
    asked = next((turn.understood_as for turn in reversed(turns[-LOOKED_BACK:]) if _is_list(turn.understood_as)), "") if match else ""
    if not match or not asked:
        return None
    body, mark = re.match(r"^(.*?)([\s?.!]*)$", order_of(asked)[1]).groups()  # type: ignore[union-attr]
    return f"{body}, {match['order']}{mark}"


_FIRST = re.compile(
    r"^(?:(?:and|but|so|then|now|ok(?:ay)?)[, ]+)*(?:(?:which|what)(?: one| paper)?(?: of (?:them|these|those))? is |what about |show me )?the "
    r"(?P<which>newest|latest|most recent|oldest|earliest)(?: one)?(?: of (?:them|these|those))?[\s?.!]*$",
    re.IGNORECASE,
)


def first_of_them(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Which is the newest?", "the oldest one": of the papers that were asked for last.

    >>> first_of_them("which of them is the newest?", [Turn("Which papers deal with tides?")])
    'Which is the newest of the papers that deal with tides?'
    """
    match = _FIRST.match(question)
    asked = next((turn.understood_as for turn in reversed(turns[-LOOKED_BACK:]) if _is_list(turn.understood_as)), "") if match else ""
    if not match or not asked:
        return None
    listed = papers_asked_for(asked)
    return f"Which is the {match['which'].lower()} of {listed.phrase if listed else 'the papers'}?"


def is_about_order(question: str) -> bool:
    """Does a follow-up ask for another order, or for the first in it?"""
    return bool(_SORTED.match(question) or _FIRST.match(question))


def _is_list(question: str) -> bool:
    return papers_asked_for(question) is not None or asks_for_all(question)


def says_nothing_else(question: str) -> bool:
    """Does a follow-up say what papers must be, and nothing else?

    >>> says_nothing_else("and since 2023?"), says_nothing_else("Which papers since 2023 deal with tides?")
    (True, False)
    """
    return len(question.split()) <= _MOST_WORDS and bool(_ANYTHING.match(question) or _is_relative(question) or _phrase(question))


def _bare(question: str) -> str:
    return _CLOSING.sub("", _OPENING.sub("", question))


def _is_relative(question: str) -> bool:
    """ "Older ones?", "and after that?"."""
    bare = _bare(question)
    return bool(_OLDER.match(bare) or _NEWER.match(bare))


def _beside(question: str, asked: str) -> Phrase | None:
    """The years before or after those that a question was about."""
    years = next((said.filters for said in _said(asked) if "years" in said.kinds), Filters())
    if _OLDER.match(_bare(question)) and years.year_from:
        return Phrase(f"before {years.year_from}", Filters(year_to=years.year_from - 1))
    if _NEWER.match(_bare(question)) and years.year_to:
        return Phrase(f"since {years.year_to + 1}", Filters(year_from=years.year_to + 1))
    return None


def _phrase(question: str) -> Phrase | None:
    """The phrase that a follow-up is made of, if it is made of nothing else."""
    tail = _CLOSING.sub("", _LEFT_OUT.sub("excluding ", _OPENING.sub("", question)))
    plain = _ONLY.sub("", tail)
    is_year = re.fullmatch(r"(?:19|20)\d\d(?:s)?", plain)
    tries = [f"from {plain}" if is_year else "", tail, plain, f"only {plain}" if tail != plain else ""]
    for words in filter(None, tries):
        if found := _filters(words):
            return Phrase(words, found)
    return Phrase(plain, Filters(venue=plain)) if _VENUE.match(plain) else None


def _filters(words: str) -> Filters | None:
    """What a phrase asks of papers, if it asks for nothing else."""
    found = understanding.understood(f"papers {words}", any_name)
    return found.filters if found.asks_nothing_else else None


def _question_for_papers(turns: Sequence[Turn]) -> str:
    """The last question, or the one before it if only that one speaks of papers."""
    last = turns[-1].understood_as
    if _PAPERS.search(last) or len(turns) < 2:
        return last
    before = turns[-2].understood_as
    return before if papers_asked_for(before) else last


def _said(question: str) -> Iterator[Phrase]:
    """The phrases of a question that say what the papers must be."""
    for words in understanding.understood(question, any_name).phrases:
        if (filters := _filters(words)) and words in question:
            yield Phrase(words, filters)


def _with(question: str, phrase: Phrase) -> str:
    """A question with one phrase more, in the place of those that speak of the same."""
    for old in list(_said(question)):
        if old.kinds & phrase.kinds:
            question = _without(question, old.words)
            phrase = _both(old, phrase)
    return _put_in(question, phrase.words)


def _both(old: Phrase, new: Phrase) -> Phrase:
    """ "since 2020" and "before 2023" together; of two other phrases about one thing, the new one."""
    first = new.filters.year_from or old.filters.year_from
    last = new.filters.year_to or old.filters.year_to
    one_each = (new.filters.year_from is None) != (new.filters.year_to is None) and (old.filters.year_from is None) != (old.filters.year_to is None)
    if one_each and first is not None and last is not None and first <= last and (new.filters.year_from is None) == (old.filters.year_to is None):
        return Phrase(f"from {first} to {last}", Filters(year_from=first, year_to=last))
    return new


def _without(question: str, words: str) -> str:
    cut = re.sub(rf",?\s*{re.escape(words)}", "", question, count=1)
    return " ".join(_IN_PAPERS.sub("", cut).split())


def _put_in(question: str, words: str) -> str:
    """Behind the papers that it says something of, or else at the end."""
    body, mark = re.match(r"^(.*?)([\s?.!]*)$", question).groups()  # type: ignore[union-attr]
    noun = _PAPERS.search(masked(body))
    if noun and not _ALWAYS_LAST.search(words):
        return f"{body[: noun.end()]} {words}{body[noun.end() :]}{mark}"
    return f"{body}, {words}{mark}" if noun else f"{body}, in papers {words}{mark}"


def without_filters(question: str) -> str:
    """A question that stands alone, without what it says of the papers: what a conversation goes on with after that was taken back.

    >>> without_filters("Which papers since 2023 by Smith deal with tides?"), without_filters("How does TIDE-7 work?")
    ('Which papers deal with tides?', 'How does TIDE-7 work?')
    """
    for phrase in _said(question):
        question = _without(question, phrase.words)
    return question


def _widened(turns: Sequence[Turn], kind: str) -> str | None:
    """The last question for papers without what it says of their years, authors..., or of anything (kind "")."""
    question = asked = _question_for_papers(turns)
    for phrase in _said(asked):
        if not kind or _CALLED[kind] in phrase.kinds:
            question = _without(question, phrase.words)
    return question if question != asked else None
