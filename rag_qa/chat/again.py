"""Follow-ups that ask for the last answer once more: in other words, whether it is sure, where it comes from.

They are understood as what they ask, a colon, and the last question. What can be done about them depends on who answers.
"""

from __future__ import annotations

import re
from enum import StrEnum

from rag_qa.text import any_of


class Again(StrEnum):
    """Why the last answer is asked for once more."""

    SURE = "are you sure"
    SOURCE = "where does that come from"
    WORDS = "in other words"
    SHORTER = "shorter"


_AND = r"^(?:(?:and|but|so|ok(?:ay)?|hm+|wait|well|really|please),? )*"
_THAT = "(?:that|this|(?:that|this|the|your) answer)"
_ABOUT_IT = "(?: (?:about|of) (?:it|that|this))?"
_SURE = re.compile(
    _AND
    + any_of(
        "really|seriously|for sure",
        f"(?:are|r) you (?:really |quite |absolutely )?(?:sure|certain|confident|serious){_ABOUT_IT}",
        f"how (?:sure|certain|confident) are you{_ABOUT_IT}|how (?:reliable|trustworthy|certain) is {_THAT}",
        f"is {_THAT} (?:really )?(?:true|right|correct|reliable|certain)",
        f"(?:can|should) i (?:trust|believe|rely on) {_THAT}",
        "i (?:doubt|don['’]t believe) (?:it|that|this|you)",
    )
    + r"[\s?.!]*$",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    _AND
    + any_of(
        f"where (?:does|did) (?:it|the information|{_THAT}) come from|where (?:is|are) (?:that|this|it|these) from",
        "what(?: is|['’]s| are) (?:the|your) (?:sources?|references?|evidence)(?: (?:for|of) (?:that|this|it))?",
        "how do you know(?: (?:that|this|it))?|(?:who|where does it) says? (?:so|that|this)",
        "(?:sources?|references?|evidence|citation needed|says who)(?: please)?",
        "where did you (?:get|find|read|take) (?:that|this|it)(?: from)?",
    )
    + r"[\s?.!]*$",
    re.IGNORECASE,
)
_SAY = "(?:explain|say|put|summari[sz]e|describe|rephrase|repeat|write|give|tell|express|formulate)(?: me)?"
_HOW = any_of(
    "(?:something )?simpler|more simply|simply|again|shorter|more briefly|briefly|differently",
    "(?:in|using|with) (?:a few|one|two|three|simple|simpler|plain|easier|other|different|your own|short|fewer|more|\\d+)"
    " (?:words?|sentences?|lines?|terms|language|english|bullets?|bullet points|points|paragraphs?)",
    "like i(?:['’]m| am) (?:five|5|a child)|(?:for|to) (?:a (?:child|beginner|layman|layperson)|beginners|non-?experts|laymen)",
    "as (?:a list|bullet points)",
)
_WORDS = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|please),? )*(?:(?:can|could|would) you )?(?:please )?"
    rf"(?:{_SAY})?\s*(?:it|that|this|them|the answer)?(?: to me)?\s*(?P<how>{_HOW})(?: please)?[\s?.!]*$",
    re.IGNORECASE,
)
_SHORTER = re.compile(r"shorter|briefly|\b(?:a few|one|two|three|short|fewer)\b", re.IGNORECASE)
_ASKED = re.compile(r"^(?P<how>[^:?]{4,40}): (?P<question>\S.*)$")


def once_more(question: str, last: str) -> str | None:
    """The last question, with what is asked of its answer in front.

    >>> once_more("But is that really true?", "What is TIDE-7?"), once_more("say it in simpler words", "What is TIDE-7?")
    ('are you sure: What is TIDE-7?', 'in simpler words: What is TIDE-7?')
    """
    last = asked_again(last)[1]
    if _SURE.match(question):
        return f"{Again.SURE.value}: {last}"
    if _SOURCE.match(question):
        return f"{Again.SOURCE.value}: {last}"
    found = _WORDS.match(question)
    return f"{found['how']}: {last}" if found else None


def asks_again(question: str) -> bool:
    """Does a follow-up ask for the last answer once more?"""
    return any(pattern.match(question) for pattern in (_SURE, _SOURCE, _WORDS))


def asked_again(understood: str) -> tuple[Again | None, str]:
    """What is asked of the last answer, and the question that it answered; None and the question as it is for any other.

    >>> asked_again("in simpler words: What is TIDE-7?"), asked_again("TIDE-7: how fast?")
    ((<Again.WORDS: 'in other words'>, 'What is TIDE-7?'), (None, 'TIDE-7: how fast?'))
    """
    found = _ASKED.match(understood)
    if found is None:
        return None, understood
    how = found["how"].lower()
    kind = next((one for one in (Again.SURE, Again.SOURCE) if how == one.value), None)
    if kind is None and not _WORDS.match(how):
        return None, understood
    question = asked_again(found["question"])[1]
    return kind or (Again.SHORTER if _SHORTER.search(how) else Again.WORDS), question
