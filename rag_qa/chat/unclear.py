"""A first question that only means something after another one: "How does it work?", "the second one?"."""

from __future__ import annotations

import re

from rag_qa import text
from rag_qa.chat.instead import is_question
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
    if asked := _field_alone(question):
        return f"Of which paper? Nothing was said before: name it, for example “{asked.format('…')}”."
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
_FIELDS = (
    (re.compile(r"doi", re.IGNORECASE), "What is the DOI of {}?"),
    (re.compile(r"years?|dates?", re.IGNORECASE), "What is the year of {}?"),
    (re.compile(r"authors?", re.IGNORECASE), "Who are the authors of {}?"),
    (re.compile(r"journal|venue", re.IGNORECASE), "What is the journal of {}?"),
    (re.compile(r"title", re.IGNORECASE), "What is the title of {}?"),
)


def _field_alone(question: str) -> str:
    """What asks a paper for the one field of a record that a question consists of; "" if it consists of anything else.

    >>> _field_alone("and the doi?"), _field_alone("who wrote it?")
    ('What is the DOI of {}?', '')
    """
    words = text.content_words(question) or [word.text for word in text.words(text.fold(question).text) if word.text not in text.STOPWORDS]
    return next((asked for field, asked in _FIELDS if len(words) == 1 and field.fullmatch(words[0])), "")


_OF_A_PLACE = 2  # "which of the two is faster?"


def cleared(question: str, said: str) -> str | None:
    """An unclear question, asked of what somebody names in return; None if they name nothing.

    >>> cleared("How does it work?", "MOSS-2")
    'How does MOSS-2 work?'
    >>> cleared("doi?", "MOSS-2")
    'What is the DOI of MOSS-2?'
    """
    name = said.strip(" .!?")
    if not _is_unclear(question):
        return None
    if asked := _field_alone(question):
        return asked.format(name) if _may_be_a_paper(said) else None
    return replaced(question, name, also_elliptic=True) if is_one_name(said) else None


def _may_be_a_paper(said: str) -> bool:
    """Can something that is said name a paper, so that it is no question of its own? A title is longer than a name.

    >>> _may_be_a_paper("Copper gauges in narrow bays"), _may_be_a_paper("papers by Smith"), _may_be_a_paper("is it any good?")
    (True, False, False)
    """
    is_other = is_question(said) or papers_asked_for(said) or asks_for_all(said) or depends(said)
    return not is_other and bool(text.content_words(masked(said)) or text.names(said)) and len(said.split()) <= _MOST_OF_A_TITLE


_MOST_OF_A_TITLE = 30
