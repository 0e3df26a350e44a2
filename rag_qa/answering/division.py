"""A question that asks several things -> its parts, each a question of its own. Rules, no model.

A question is divided where a new one begins: behind a question mark, a semicolon or "and". A list ("precision and recall") is none, and what is asked
of several things together ("how do A and B differ") is one question. What one part calls by name and another "it" is handed on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_qa import text
from rag_qa.answering.question import Kind, analyse
from rag_qa.text import any_of, any_word

MOST = 4
"""Of a text that asks more than this so many parts are answered, the first ones."""

# ------------------------------------------------------------------------------------------------------------- word lists

_PREPOSITION = any_of(
    "in|on|by|with|to|for|from|at|under|over|of|after|among|through|during|up to|against|within|into|since|until",
    "about|above|across|along|around|before|behind|below|between|beyond|beside|besides|outside|per|towards?|upon|via|without",
)
_ASKING = any_of("what|which|how|why|who|whose|whom|where|when", "what's|who's|how's")
_AUXILIARY = any_of("do|does|did|is|are|was|were|can|could|has|have|will|would|should")
_SUBJECT = any_of("it|they|this|that|these|those|there|the|a|an|its|their|one|you|we|i|any|all|both|every")
_OPENING = rf"(?:(?:also|then|if so|secondly|finally|exactly|roughly),? )*(?:{_PREPOSITION} )?(?:exactly )?{_ASKING}\b"
_INVERTED = rf"(?:(?:also|then|if so),? )?{_AUXILIARY} (?:also )?(?:{_SUBJECT}\b|(?-i:[\w-]*[A-Z]))"
# "a model that is small and which is trained ...": goes on with the clause before it
_RELATIVE = rf"(?:which|who|where|when) (?:is|are|was|were|has|have|can|could|will|would|do not|does not)\b(?! (?:{_SUBJECT})\b)"
_JOINT = re.compile(
    r"[?;!]+\s+(?i:(?:and|but|also|plus),?\s+)*"
    rf"|,?\s+(?:and|but|plus|as well as),?\s+(?:also\s+)?(?=(?i:{_OPENING}|{_INVERTED}))(?!(?i:{_RELATIVE}))"
    rf"|,\s+and\s+(?=(?i:{_RELATIVE}))"
    r"|,?\s+plus\s+(?=(?i:the|its|their)\b)"
    rf"|,?\s+also,?\s+(?=(?i:{_OPENING}))"
)
# "its precision + the weight of the buoy", as people type into a search box
_ADDED = re.compile(r"\s\+\s")
_REQUEST = re.compile(
    r"^(?:(?:hi|hello|hey|please|so)\b[,!]? )*(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:tell me|explain|describe|say|i(?:'d like| want| would like) to know|do you know)\b(?: me)?(?: about)?,? ",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?P<label>[^,:;?]{1,60}?)(?::|\s[-\u2013\u2014])\s+(?=\S)")
_IS_QUESTION = re.compile(rf"^(?:{_OPENING}|{_INVERTED}|(?:{_AUXILIARY})\b)", re.IGNORECASE)
_NOUN_PHRASE = re.compile(r"^(?:the |its |their )?(?:[\w-]+ ){1,3}of\b", re.IGNORECASE)
_HOLDS_QUESTION = re.compile(any_word(_ASKING), re.IGNORECASE)
_HOLDS_AUXILIARY = re.compile(any_word(_AUXILIARY), re.IGNORECASE)
_ENDS_OPEN = re.compile(rf"\b(?:{_ASKING}|the|a|an|and|or|whether|if)$", re.IGNORECASE)
# what is asked of several things together
_TOGETHER = re.compile(
    r"\b(?:do|does|did|is|are|of|in|for|they|papers?) each\b|\beach (?:of|one|other)\b|\beach$|\band [\w-]+ each\b"
    r"|\bboth\b|\brespectively\b|\bthe (?:former|latter|two|first|second)\b|\bthe others?(?: one)?$|\bin one\b"
    r"|\bdiffer|\bcompared? .*\b(?:and|with|to)\b",
    re.IGNORECASE,
)
# "A and B are about tides. What does the first measure, and what does the second foresee?"
_FIRST = re.compile(r"\bthe (?:first|former)(?: (?:one|paper|method|model))?\b(?! (?:time|of|to|that|who|which)\b)", re.IGNORECASE)
_SECOND = re.compile(r"\bthe (?:second|latter|other)(?: (?:one|paper|method|model))?\b(?! (?:of|to|that|who|which)\b)", re.IGNORECASE)
_PREAMBLE = re.compile(r"^.*[.:!]\s+(?=\S)")
# "on how many robots", "which brand"
_CUT_SHORT = re.compile(rf"(?:(?:{_PREPOSITION} (?:exactly )?{_ASKING}(?: [\w-]+){{1,4}})|(?:{_ASKING}(?: many| much)?(?: [\w-]+)))$", re.IGNORECASE)
# "which model and which data set show": the verb is still to come
_CUT_OFF = re.compile(rf"^(?:{_PREPOSITION} )?(?:which|how (?:many|much))(?: (?!{_AUXILIARY}\b)(?-i:[a-z-]+)){{1,3}}$", re.IGNORECASE)
_GOES_ON = re.compile(rf", {_AUXILIARY}\b", re.IGNORECASE)
_OWNING = re.compile(r"\bits\b", re.IGNORECASE)
_STANDING_FOR = re.compile(
    r"\bit\b(?! (?:is|was) \w+ (?:that|to)\b)|\b(?:this|that|the) (?:method|model|paper|approach|system|study)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked. `said`: in the words of the question. `alone`: the same as a question that needs no other to be understood. `subject`:
    the name of which it speaks; "" if it calls nothing by a known name.
    """

    said: str
    alone: str
    subject: str = ""


def divided(question: str, names: Sequence[str] = ()) -> tuple[Part, ...]:
    """The parts of a question that asks several things, `MOST` of them at most (see `left_over`); nothing for one that asks one thing. `names`: what
    papers are called that it may be about.

    >>> [part.alone for part in divided("What does SeedLM compress, and on which GPUs does it run?", ["SeedLM"])]
    ['What does SeedLM compress?', 'on which GPUs does SeedLM run?']
    >>> divided("How do precision and recall differ?")
    ()
    """
    label, pieces = _pieces(question, names)
    subjects = [_named(piece, names) or _named(label, names) for piece in pieces]
    if analyse(question).kind is Kind.PAPERS and not _is_of_several(subjects):
        return ()
    return tuple(_part(pieces, subjects, i, label) for i in range(min(len(pieces), MOST)))


def left_over(question: str) -> tuple[str, ...]:
    """What a question asks beyond the parts into which it is divided, in its own words.

    >>> left_over("Who swims? Who flies? Who runs? Who digs? Who climbs? Who sleeps?")
    ('Who climbs', 'Who sleeps')
    """
    return tuple(_pieces(question)[1][MOST:])


def _pieces(question: str, names: Sequence[str] = ()) -> tuple[str, list[str]]:
    """What stands in front of a colon, and the pieces of a question that asks several things; none for any other."""
    plain = _REQUEST.sub("", " ".join(question.split()))
    label, asked = _unlabelled(_called_by_name(plain, names) or plain)
    pieces = _cut(asked, _JOINT)
    if len(pieces) > 1 and _are_questions(pieces, label):
        return label, pieces
    added = _cut(asked, _ADDED)
    return label, added if len(added) == 2 and all(_is_phrase(piece) for piece in added) else []


def _called_by_name(question: str, names: Sequence[str]) -> str | None:
    """The same question with the first and the second of two things called by their names, without what is said of both before; None if it does not
    speak of two things so.

    >>> _called_by_name("Peat and Tide are old: what does the first store, and what does the other foresee?", ["Peat", "Tide"])
    'what does Peat store, and what does Tide foresee?'
    """
    first = _FIRST.search(question)
    second = _SECOND.search(question, first.end()) if first else None
    if first is None or second is None:
        return None
    before = question[: first.start()]
    named = sorted((place, name) for name in dict.fromkeys(names) if (place := _place_of(name, before)) >= 0)
    if len(named) != 2:
        return None
    told = f"{before}{named[0][1]}{question[first.end() : second.start()]}{named[1][1]}{question[second.end() :]}"
    said_of_both = _PREAMBLE.match(before)
    return told[said_of_both.end() :] if said_of_both else told


def _place_of(name: str, there: str) -> int:
    found = re.search(rf"(?<![\w-]){re.escape(text.fold(name).text)}(?![\w-])", text.fold(there).text)
    return found.start() if found else -1


def _cut(asked: str, joint: re.Pattern[str]) -> list[str]:
    return [piece for piece in (piece.strip(" ,;.?!") for piece in joint.split(asked)) if piece]


def _is_phrase(piece: str) -> bool:
    """Is a piece what one types into a search box: several words, and no verb that asks?

    >>> _is_phrase("F1 score on Pascal VOC"), _is_phrase("MiniLM"), _is_phrase("does it help")
    (True, False, False)
    """
    return len(text.content_words(piece)) > 1 and not _HOLDS_AUXILIARY.search(piece) and not _HOLDS_QUESTION.search(piece)


def _unlabelled(question: str) -> tuple[str, str]:
    """What stands in front of a colon, and the question."""
    label = _LABEL.match(question)
    if not label or _HOLDS_QUESTION.search(label["label"]):
        return "", question
    return label["label"], question[label.end() :]


def _are_questions(pieces: Sequence[str], label: str) -> bool:
    if any(_TOGETHER.search(piece) or not _asks(piece, label) for piece in pieces):
        return False
    if not label and _CUT_OFF.search(pieces[0]):
        return False
    return not any(_ENDS_OPEN.search(first) or _is_embedded(first, second) for first, second in pairwise(pieces))


def _asks(piece: str, label: str) -> bool:
    """Does a piece ask for something of its own? What stands behind a label need not be a whole sentence: "SeedLM: batch size?"."""
    if not text.content_words(piece):
        return False
    is_phrase = _NOUN_PHRASE.search(piece) is not None and not _HOLDS_AUXILIARY.search(piece)
    return bool(label) or is_phrase or _IS_QUESTION.search(piece) is not None


def _is_embedded(first: str, second: str) -> bool:
    """Is it one question after all, as in "can one tell what is known and how often", or "which tool, and in which version, is used"?"""
    if not _HOLDS_AUXILIARY.search(first) and _GOES_ON.search(second):
        return True
    is_yes_no = _IS_QUESTION.search(first) is not None and _HOLDS_AUXILIARY.match(first) is not None
    return is_yes_no and _HOLDS_QUESTION.search(first) is not None and not _HOLDS_AUXILIARY.search(second)


def _is_of_several(subjects: Sequence[str]) -> bool:
    return all(subjects) and len(set(subjects)) > 1


def _named(piece: str, names: Sequence[str]) -> str:
    """The name that stands in a piece, the first of several; "" for none."""
    folded = text.fold(piece).text
    found = [(at.start(), name) for name in names if (at := re.search(rf"(?<![\w-]){re.escape(text.fold(name).text)}(?![\w-])", folded))]
    return min(found)[1] if found else ""


def _part(pieces: Sequence[str], subjects: Sequence[str], i: int, label: str) -> Part:
    """A piece by itself; one without a subject has that of the piece before it, or else of the one after it, and one that is cut short ("and on which
    data?") the rest of what is asked before it.
    """
    piece = pieces[i]
    if label:
        return Part(piece, f"{label}: {piece}?", subjects[i])
    if i and not subjects[i] and _is_cut_short(piece) and (rest := _HOLDS_AUXILIARY.search(pieces[i - 1])):
        return Part(piece, f"{piece} {pieces[i - 1][rest.start() :]}?", subjects[i - 1])
    near = [subject for subject in (*reversed(subjects[:i]), *subjects[i:]) if subject]
    if subjects[i] or not near:
        return Part(piece, f"{piece}?", subjects[i])
    return Part(piece, _with_subject(piece, near[0]), near[0])


def _is_cut_short(piece: str) -> bool:
    return _CUT_SHORT.match(piece) is not None and not _HOLDS_AUXILIARY.search(piece)


def _with_subject(piece: str, subject: str) -> str:
    """
    >>> _with_subject("how fast is it", "Moss"), _with_subject("which GPUs did they use", "Moss")
    ('how fast is Moss?', 'Moss: which GPUs did they use?')
    """
    for pointing, name in ((_OWNING, f"{subject}'s"), (_STANDING_FOR, subject)):
        if found := pointing.search(piece):
            return f"{piece[: found.start()]}{name}{piece[found.end() :]}?"
    return f"{subject}: {piece}?"
