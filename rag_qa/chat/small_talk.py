"""Small talk: what asks nothing of the papers, and the friendly line that it gets."""

from __future__ import annotations

import re

_GREETING = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings)(?: there| all| everyone)?[\s!.,]*$", re.IGNORECASE)
_THANKS = re.compile(
    r"^(?:ok(?:ay)?,? )?(?:(?:many )?thanks?(?: you)?|thx|cheers|great|perfect|nice|good|cool|got it|bye|goodbye|well done)"
    r"(?:,? (?:so|very|a lot|much|again|thanks?|you|job|work|bye|to|for (?:your|the) \w+))*[\s!.,]*$",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^(?:ok(?:ay)?|alright|all right|fine|right|i see|understood|makes sense|hm+|interesting|wow|never ?mind|forget it)[\s!.,]*$", re.IGNORECASE
)
# No answer ends with a question of ours, so there is nothing that a yes could mean.
_YES_OR_NO = re.compile(
    r"^(?:(?:yes|yeah|yep|yup|no|nope|nah|sure|of course|not really|go ahead|please do|do it|do that|please|i do|that'?s (?:right|it|wrong)"
    r"|correct|exactly)\b[\s,!.]*)+(?:please|thanks|thank you)?[\s!.,]*$",
    re.IGNORECASE,
)


def small_talk(question: str) -> str | None:
    """A friendly line for a greeting, thanks, assent, or a yes or no, which ask nothing of the papers.

    >>> small_talk("Hello!"), small_talk("Hello world models?")
    ('Hello! Ask me anything about the papers in this library.', None)
    >>> small_talk("yes please")
    'Tell me in words what you want to know, such as “tell me more”, “any others?” or “what are its limitations?”.'
    """
    if _GREETING.match(question):
        return "Hello! Ask me anything about the papers in this library."
    if _THANKS.match(question):
        return "You are welcome. Ask on whenever you like."
    if _YES_OR_NO.match(question):
        return "Tell me in words what you want to know, such as “tell me more”, “any others?” or “what are its limitations?”."
    if _ASSENT.match(question):
        return "Ask on whenever you like."
    return None
