"""Follow-ups on the papers of a set: "which of them use gauges?", "how many are there?", "list them", "only those with code"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_qa.chat.turns import FINITE, LOOKED_BACK, Asked, Turn, papers_asked_for
from rag_qa.retrieval.set_questions import asked_for_set

_AND = r"^(?:(?:and|but|so|then|ok(?:ay)?|now),? )*"

_THEM = r"(?:them|(?:these|those)(?: (?:papers|ones|works|studies|articles|methods|approaches))?)"
_WHICH = r"(?P<which>which|what|how many|(?:do|does) any|(?:are|is|were) any|any|do (?:some|others)|who)"
_SOME_OF_THEM = re.compile(
    rf"{_AND}(?:{_WHICH}(?: ones?)? (?:of|among) {_THEM}"
    rf"|(?:of|among|from|out of) (?:all (?:of )?)?{_THEM},? (?P<which2>which|what|how many|(?:do|does) any)(?: ones?)?"
    r"|(?P<which3>which|any|how many) ones?|(?P<which4>any|are any|do any)"
    r"(?=\s+(?:on|about|with|without|using|for|that|which|in|of|from|by|use|deal|mention|address|study|consider|have|need|cover|discuss)\b)"
    r"|(?P<which5>which|how many)(?=\s+(?:of those )?(?:use(?! cases?\b)|deal|are|have|need"
    r"|don't|do not|address|apply|rely|require|study|propose|report)\b))"
    r"\s+(?P<condition>\S.*?)[\s?.!]*$",
    re.IGNORECASE,
)
_ONE_OF_THEM = re.compile(r"^(?:is|was|has|does|did|do|can|could|will|would)\b|\b(?:most|best|worst|first|last|least|\w+est)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"^(?:on|about|with|without|using|for|in|of|from|by|dealing)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?:that|which|who) ", re.IGNORECASE)
_ALL_OF_THEM = re.compile(
    rf"{_AND}(?:which(?: ones?| papers| are they| are these| are those)?|what are they|list (?:them|these|those|all|the papers)(?: all)?(?: of them)?"
    r"|show (?:me )?(?:them|these|those|all|the (?:papers|list))(?: all)?|name (?:them|these|those)|(?:give me )?(?:the list|all of them)"
    r"|what papers(?: are (?:they|these|those))?|(?:go )?back to the (?:list|papers))(?: please)?[\s?.!]*$",
    re.IGNORECASE,
)
# "only the ones that use gauges", "narrow it down to snow"
_NO_OTHERS = re.compile(
    rf"{_AND}(?:please )?(?:(?:only|just|keep(?: only| just)?|show me only) (?:the (?:ones?|papers)|those|them|papers)(?: papers)?"
    r" (?P<condition>(?:that|which|who|with|without|on|about|using|for|from|dealing) \S.*?)"
    r"|(?:narrow|limit|restrict|filter)(?: (?:it|this|that|them|these|those|the list|the results))?"
    r"(?: down)? to (?:papers (?:on|about) )?(?P<topic>\S.*?))"
    r"[\s?.!]*$",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"{_AND}(?:how many(?: (?:are there|are they|are these|is that|of them|papers|papers are there|in total))*|count them|in total)[\s?.!]*$",
    re.IGNORECASE,
)


def of_set(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Which of them use gauges?", "how many are there?", "list them" after a question for every paper that qualifies."""
    if not is_of_set(question):
        return None
    asked = _last_set(turns)
    if asked is None:
        return None
    if _COUNT.match(question):
        return asked.asked("How many")
    if _ALL_OF_THEM.match(question):
        return asked.asked("Which")
    if only := _NO_OTHERS.match(question):
        return asked.asked("Which", _what_they_do(only["condition"] or f"about {only['topic']}"))
    some = _SOME_OF_THEM.match(question)
    return _some_of(asked, some) if some else None


def is_of_set(question: str) -> bool:
    """Does a question ask for all of a set, their number, or some of them?"""
    return any(pattern.match(question) for pattern in (_COUNT, _ALL_OF_THEM, _SOME_OF_THEM, _NO_OTHERS))


def _last_set(turns: Sequence[Turn]) -> Asked | None:
    found = (papers_asked_for(turns[i].understood_as) for i in range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1))
    return next(filter(None, found), None)


def _some_of(asked: Asked, some: re.Match[str]) -> str | None:
    which = next(some[name] for name in ("which", "which2", "which3", "which4", "which5") if some[name]).lower()
    condition = _what_they_do(some["condition"])
    if which == "what" or _ONE_OF_THEM.search(condition):
        return None
    is_said = condition != some["condition"] or (which == "any" and FINITE.match(condition))
    if which in ("any", "are any", "is any", "were any") and not is_said:
        condition = f"are {condition}"
    opening = {"how many": "How many", "do any": "Do any", "does any": "Do any"}.get(which, "Which")
    understood = asked.asked(opening, condition)
    return understood if asked_for_set(understood) else None


def _what_they_do(condition: str) -> str:
    """What is said of papers, as what they do.

    >>> _what_they_do("that use gauges"), _what_they_do("with code"), _what_they_do("on tides"), _what_they_do("need gauges")
    ('use gauges', 'have code', 'are on tides', 'need gauges')
    """
    if _RELATIVE.match(condition):
        return _RELATIVE.sub("", condition)
    if _ATTRIBUTE.match(condition):
        return re.sub(r"^are with ", "have ", f"are {condition}")
    return condition
