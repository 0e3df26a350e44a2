"""How models say that they do not answer, in our word for it or in their own."""

from __future__ import annotations

import re

_SOURCE_NOUN = r"(?:sources?|abstracts?|papers?|documents?|passages?|context|excerpts?|articles?)"
_SAYS = (
    r"(?:contain|mention|provide|answer|say|specify|state|include|address|discuss|report|describe|cover|give|tell|indicate|name|offer|disclose"
    r"|detail|list|identify|explain)"
)
_REFUSAL = re.compile(
    rf"""\bI(?:['’]m|\s+am)?\s+(?:cannot|can\s?not|can['’]t|could\s?n[o'’]t|unable|sorry|not\s+able|(?:do\s+not|don['’]t)\s+(?:know|have|see|find))\b
    |\bwe\s+(?:cannot|can['’]t)\s+(?:answer|determine|tell|say)\b
    |\bit(?:\s+is|['’]s)\s+(?:not\s+possible|impossible)\s+to\s+(?:answer|say|tell|determine)\b
    |\b(?:question\s+)?(?:cannot|can['’]t|could\s+not)\s+be\s+answered\b
    |\b(?:unable|not\s+able)\s+to\s+(?:answer|determine|find)\b
    |\b(?:the|these|this|those|any|provided|given|of|above|following)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\s+(?:[\w-]+\s+){{0,3}}?
        (?:do(?:es)?\s+not|don['’]t|doesn['’]t|did\s+not|fails?\s+to)\s+(?:\w+ly\s+|seem\s+to\s+|appear\s+to\s+)?{_SAYS}\b
    |^\W*{_SOURCE_NOUN}\s+(?:do(?:es)?\s+not|don['’]t|doesn['’]t)\s+(?:\w+ly\s+)?{_SAYS}\b
    |\b(?:none|neither)\s+of\s+(?:the|these)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\s+(?:\w+ly\s+)?{_SAYS}
    |\bno\s+(?:\w+\s+)?(?:information|mention|answer|details?)\b.{{0,60}}\b(?:in|from|by)\s+(?:the|these|this|any)\b.{{0,30}}\b{_SOURCE_NOUN}\b
    |\bnot\s+(?:\w+ly\s+)?(?:mentioned|answered|specified|stated|provided|available|addressed|given|discussed|reported|covered|described)
        \s+(?:in|by)\s+(?:the|any|these|this)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\b
    |\b(?:not\s+enough|insufficient|no\s+sufficient)\s+information\s+(?:in|to\s+answer|to\s+determine|from)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT_REFUSAL = re.compile(
    r"\W*(?:unknown|unanswered|n/?a|none|nothing|no answer|no information"
    r"|not (?:answered|stated|mentioned|specified|available|given|provided|known))\W*",
    re.IGNORECASE,
)
_CONCEDES = re.compile(r"\W*(?:while|although|though|even though|whereas)\b", re.IGNORECASE)
_LATEST_REFUSAL = 70
"""A refusal begins within this many characters of its sentence; what comes later is an aside of a sentence that says something."""
NOT_ANSWERED = re.compile(r"NOT[_ -]?ANSWERED\W*", re.IGNORECASE)
"""Our own word for it, as a model may write it."""
THOUGHT_END = re.compile(r".*</(?:think|thinking|thought|reasoning)>\s*", re.DOTALL | re.IGNORECASE)
"""All up to the end of reasoning whose beginning was not marked."""


def refuses(sentence: str) -> bool:
    """Does a sentence say that the question is not answered?

    >>> refuses("I cannot answer this from the abstracts."), refuses("Language models cannot answer such questions.")
    (True, False)
    """
    if _SHORT_REFUSAL.fullmatch(sentence):
        return True
    found = _REFUSAL.search(sentence)
    return found is not None and found.start() <= _LATEST_REFUSAL and not _CONCEDES.match(sentence)


def is_nothing(missing: str) -> bool:
    """Does a model say of what is missing that nothing is?

    >>> is_nothing("None."), is_nothing("The size of the data set")
    (True, False)
    """
    return not re.search(r"\w", missing) or _NOTHING.fullmatch(missing) is not None


_NOTHING = re.compile(r"\W*(?:none|nothing(?: is missing)?|no|null|empty|n/?a|not applicable|no missing information)\W*", re.IGNORECASE)
