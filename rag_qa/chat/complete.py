"""Questions for papers that are complete by themselves, and so a fresh start whatever was said before: "papers by Smith"."""

from __future__ import annotations

import re

from rag_qa.chat.turns import any_name
from rag_qa.retrieval import understanding
from rag_qa.retrieval.names import cited
from rag_qa.retrieval.ordering import first_of
from rag_qa.retrieval.phrases import PAPERS, POLITE, PUBLISHED
from rag_qa.text import any_of

_ALL = r"(?:(?:all|every|each|any|some|other|the|your|our|my|of) )*"
_OPENING = any_of(
    r"how many|which|what|(?:list|show|find|give|get|name)(?: me)?|(?:are|is) there|do (?:you|we) (?:have|know(?: of)?)",
    r"(?:what is )?the (?:total )?number of|count",
)
_COMPLETE = re.compile(
    rf"^{POLITE}(?:{_OPENING}) {_ALL}(?:{PAPERS})\b(?= \S)"
    rf"|^{POLITE}(?:list|show|give|count)(?: me)? (?:all|every|each)(?: (?:of )?(?:the|your|my|our))? (?:{PAPERS})\b"
    rf"|^(?:please |all )*(?:the )?(?:{PAPERS})(?: {PUBLISHED})? by\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:and|but|also)\b|\b(?:only|just|others|more|them|these|those|same|it|that|this one)\b(?! (?:are|were|is|was)\b)", re.IGNORECASE
)


def is_complete(question: str) -> bool:
    """Does a question ask for papers by what their records say, and call them papers, for the newest or oldest, or for what one found whom it cites
    by author and year? Nothing that was said before is a part of it.

    >>> is_complete("papers by Smith"), is_complete("How many papers are from 2021?"), is_complete("only those by Smith")
    (True, True, False)
    """
    if _GOES_ON.search(question):
        return False
    if cited(question) or first_of(question):
        return True
    if not _COMPLETE.match(question):
        return False
    said = understanding.understood(question, any_name)
    return said.asks_nothing_else or said.asks_for_unread
