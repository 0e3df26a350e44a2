"""A first question that only means something after another one: "How does it work?", "the second one?"."""

from __future__ import annotations

import re

from rag_qa import text
from rag_qa.chat.lists import OF_SEVERAL, ORDINAL, OTHERS
from rag_qa.chat.pointing import GENERIC, depends, is_one_name, masked, replaced
from rag_qa.chat.turns import OF_RECORDS, asks_for_all, papers_asked_for

_MOST_WORDS = 9
_EXAMPLE = "name the method, the paper or the subject, for example “How does … work?” or “Which papers deal with …?”."
_POINTS = re.compile(
    r"\b(?:it|its|they|their|them|he|she|his|her|(?:this|that|the) (?:one|paper|method|approach|model|study)|this|that|these|those)\b", re.IGNORECASE
)


def unclear(question: str) -> str | None:
    """What to say to it; None for a question that can be searched for.

    >>> unclear("How does it work?")
    'I cannot tell what “it” is, since nothing was said before: name the method, the paper or the subject, for example “How does … work?” or “Which \
papers deal with …?”.'
    >>> unclear("How does pruning work?") is None
    True
    """
    if not _is_unclear(question):
        return None
    points = _POINTS.search(masked(question))
    if points is None:
        return f"I cannot tell what that is about, since nothing was said before: {_EXAMPLE}"
    return f"I cannot tell what “{points.group()}” is, since nothing was said before: {_EXAMPLE}"


def _is_unclear(question: str) -> bool:
    plain = masked(question)
    if text.names(plain) or len(question.split()) > _MOST_WORDS or papers_asked_for(question) or asks_for_all(question):
        return False
    left = [word for word in text.content_words(plain) if word not in GENERIC]
    if left and len(question.split()) <= _OF_A_RECORD and OF_RECORDS.issuperset(left):
        return True
    several = OF_SEVERAL.search(plain)
    if ORDINAL.search(plain) or OTHERS.search(plain) or (several and not several["alone"]):
        return len(left) <= _OF_A_PLACE
    return depends(question) and not left


_OF_A_RECORD = 3  # "doi?", "and the year?"
_OF_A_PLACE = 2  # "which of the two is faster?"


def cleared(question: str, said: str) -> str | None:
    """An unclear question, asked of what somebody names in return; None if they name nothing.

    >>> cleared("How does it work?", "MOSS-2")
    'How does MOSS-2 work?'
    """
    return replaced(question, said.strip(" .!?"), also_elliptic=True) if is_one_name(said) and _is_unclear(question) else None
