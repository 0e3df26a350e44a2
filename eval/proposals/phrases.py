"""Stretches of words of a sentence that can be a fact or be taken over into a question, and those that can't; with the word lists for it."""

from __future__ import annotations

import re

from rag_qa import text

WORDS = r"[\w\\$/'’-]+(?: [\w\\$/'’-]+)"
"""Two words side by side; with * behind it, one word or more, without a mark between them."""
_MOST_OF_FACT = 7  # words

_ENDS = (
    r"[,;:.()]| [-–—]|—|\b(?:that|which|who|where|while|when|whose|to|by|via|using|and then|thereby|thus|because|since|as|in order|without|whereas"
    r"|aimed|capable|able|based on|built|called|named|termed|dubbed|enabling|allowing|including|such|tailored|specifically|designed)\b"
)
_STOPS_OF_DEFINITION = re.compile(_ENDS)
_STOPS = re.compile(_ENDS + r"|\b(?:for|with|from|leading|resulting|achieving|trained|used|proposed|inspired|in the|on the|of the)\b")
_LEANS = re.compile(
    r"\b(?:it|its|they|their|them|this|these|that|those|such|our|we|us|which|above|following|former|latter|same|here|both|each|one|ones|itself)\b"
)
_PARTICIPLE = re.compile(r" \w+(?:ed|en)$")
_EMPTY = re.compile(r"^(?:(?:an?|the|novel|new|first|simple|general) )+")
_HOLLOW = frozenset(
    """ability accuracy approach approaches baseline baselines capability challenge challenges comparable competitive comprehensive cost effective
    efficient existing fine-grained framework frameworks general gain gains improvement improvements interpretable issue issues limitations mechanism
    method methodology methods model models module modules novel performance pipeline prior problem problems process results robust shortcomings
    simple solution step strategy streamlined strong superior system systematic technique techniques unified unique way""".split()
)
"""Words that say nothing of a paper by themselves: every one has them."""

VERBS = frozenset(
    """accelerate address adopt analyze apply build capture combine compress construct convert decompose decouple decrease detect divide eliminate
    employ encode enable enhance estimate exploit extend extract generate identify improve increase incorporate infer integrate introduce learn
    leverage lower maintain merge minimize mitigate optimize outperform parameterize partition predict preserve prune raise rank rearrange
    reconstruct reduce remove replace represent require retrieve select separate shrink solve speed surpass train transform tune update use utilise
    utilize""".split()
)
"""What methods do: regular verbs, few of which are nouns too."""


def forms(verb: str) -> list[str]:
    """The forms of a regular verb.

    >>> forms("improve")
    ['improve', 'improves', 'improved', 'improving']
    """
    stem = verb.removesuffix("e")
    return [verb, f"{verb}es" if verb.endswith(("ss", "sh", "ch", "x")) else f"{verb}s", f"{stem}ed", f"{stem}ing"]


THIRD_PERSON = {forms(verb)[1]: verb for verb in sorted(VERBS)}
"""Third person -> verb."""


def phrase(found: str, most: int = _MOST_OF_FACT) -> str:
    """The beginning of a stretch of words, up to where it goes on with something else; "" if that leans on what was said before, is
    hollow or too long.

    >>> phrase("a fast model of tides that needs little data"), phrase("a novel method that is fast")
    ('fast model of tides', '')
    """
    return _cut(found, _STOPS, most)


def definition(found: str) -> str:
    """The same of what says what something is: it goes on where it says what for.

    >>> definition("a fast model for tides that needs little data")
    'fast model for tides'
    """
    whole = _cut(found, _STOPS_OF_DEFINITION, 9) or phrase(found)
    return whole if len(text.content_words(whole)) > 1 else ""


def _cut(found: str, stops: re.Pattern[str], most: int) -> str:
    end = stops.search(found)
    part = _EMPTY.sub("", found[: end.start()] if end else found).strip()
    if verb := next((word for word in re.findall(r"(?<= and )\w+", part) if word in THIRD_PERSON), ""):
        part = part.partition(f" and {verb}")[0]
    if end:
        part = _PARTICIPLE.sub("", part)  # "reconstruction driven by"
    return part if _is_whole(part) and is_plain(part, most) and says_something(part) else ""


def _is_whole(part: str) -> bool:
    words = part.casefold().split()
    return bool(words) and words[0] not in text.STOPWORDS and words[-1] not in text.STOPWORDS


def is_plain(words: str, most: int = 9) -> bool:
    """Can words be taken over: no number, no half of a formula, nothing that leans on another sentence, not too many?

    >>> is_plain("the cost of training"), is_plain("its cost")
    (True, False)
    """
    return 0 < len(words.split()) <= most and "⟦" not in words and not words.count("$") % 2 and not _LEANS.search(words.casefold())


def says_something(words: str) -> bool:
    """Is there a word that not every paper has?"""
    return any(word not in _HOLLOW for word in text.content_words(words))
