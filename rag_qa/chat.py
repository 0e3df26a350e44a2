"""Conversation: a follow-up -> a question that stands alone. Rules, no model; an LLM may do the rewriting with these rules to fall back to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question as it was understood, and the papers that answered it, best first."""

    understood_as: str
    papers: tuple[Paper, ...] = ()


_OBJECT = (
    r"(?:method|approach|framework|model|algorithm|paper|abstract|study|work|system|technique|metric|benchmark|attack|policy|architecture|tool|idea|dataset|task|"
    r"loss|optimi[sz]er|evaluation|module|network|design|scheme|strategy|procedure|concept|extension|analysis)"
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_REFERENCE = re.compile(rf"\b(?:this|that|these|those|the (?:same|said|proposed|above|latter|former))(?: (?:new|proposed|same))? {_OBJECT}s?\b|\bthe (?:authors|paper|abstract)\b(?! (?:on|about|of|that|which)\b)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they|them|this one|that one|he|she)\b|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.,!]|\b(?:is|are|was|were|do|does|did|work|works|help|helps|compare|mean|means|matter|possible|better|have|has|can)\b))", re.IGNORECASE)
# "does that size compare": a thing named before, not a subject to be put in its place
_DEMONSTRATIVE = re.compile(r"\b(?:do|does|did|is|are|was|were|can|could|with|of|to|by|for|in|on|from|about|behind) (?:this|that|these|those) [a-z]{3,}", re.IGNORECASE)
# "is it possible to ...", "it takes long": the word refers to nothing
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|be|makes?|made|can|could|does|takes?|find) it\b.{0,25}\b(?:possible|worth|true|better|easy|hard|easier|harder|enough|feasible|so|too|necessary|take|matter|make sense|cheaper|useful|safe|sensible|to)\b"
    r"|\bit (?:is|was|'s|takes|would|seems|turns)\b.{0,25}\b(?:possible|that|to|worth|too|long|hard|easy)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\bthe (first|second|third|fourth|fifth|last|other) (?:one|paper|abstract|method|approach|work|study|result|source|of (?:them|these|those))\b|\b(?:paper|source|number) (\d)\b", re.IGNORECASE)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "other": 1, "last": -1}
_INSTEAD = re.compile(r"^(?:and |but |ok(?:ay)?,? |so )*(?:what|how) about ((?:in|for|with|on|at) )?(?:the )?(.+?)\??$|^and ((?:in|for|with|on|at) )?(?:the )?((?:[\w\u0370-\u03ff-]+ ?){1,4})\?$", re.IGNORECASE)
_ONLY_QUESTION = re.compile(r"^(?:and |but |so |ok(?:ay)?,? )*(?:why|how|how so|why not|why is that|how come|really|since when|where|who|when)(?: exactly)?\s*\??$", re.IGNORECASE)
_OPENS_LIKE_A_FOLLOW_UP = re.compile(r"^(?:and|but|so|also|then|or|ok(?:ay)?)\b[, ]|^(?:any|anything|what) (?:other|others|else|more)\b|\b(?:instead|as well|too|else)\s*\??$", re.IGNORECASE)
# Words that every paper could be asked about: alone they make no question
_GENERIC = frozenset(
    """method methods approach approaches model models result results experiment experiments dataset datasets data benchmark benchmarks baseline baselines evaluation evaluated
    evaluate tested test tests performance improvement improvements gain gains better worse good well limitation limitations limits drawback drawbacks advantage advantages code metric metrics
    training trained train contribution contributions problem problems task tasks technique example examples detail details large big much fast long many work works outperform
    compare compared help helps size number speed cost idea goal purpose application applications component components step steps parts""".split()
)
_BACKWARD_DEFINITE = re.compile(
    r"\bthe \w+ (?:\w+ed|found|shown|made) (?:with|by|to|on|in|for|from)\b|\bthe (?:results?|experiments?|improvements?|gains?|speed-?ups?|baselines?|limitations?|main \w+|datasets?|benchmarks?|code|authors?|extension|evaluation|savings?|reduction|guarantees?|assumptions?|components?|modules?|contributions?)\b(?! (?:of|in|from|for) (?:the )?[a-z$]*[A-Z])"
)


def stand_alone(question: str, turns: Sequence[Turn]) -> str:
    """The question with what it takes from the earlier turns written out; unchanged when it takes nothing.

    >>> stand_alone("Which kind of regression does its extension use?", [Turn("What is DP-CATE?")])
    "Which kind of regression does DP-CATE's extension use?"
    >>> stand_alone("What about NetMoE?", [Turn("What is DP-CATE?")])
    'What is NetMoE?'
    >>> stand_alone("What is rank collapse?", [Turn("What is DP-CATE?")])
    'What is rank collapse?'
    """
    question = " ".join(question.split())
    if not turns or not question:
        return question
    last = turns[-1]
    if other := _asks_the_same_of(question, last):
        return other
    if chosen := _ordinal(question, turns):
        return chosen
    if _ONLY_QUESTION.match(question):
        return f"{question.rstrip('? ')}: {last.understood_as}"
    if not depends(question):
        return question
    return _with_subject(question, last)


_GREETING = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings)(?: there| all| everyone)?[\s!.,]*$", re.IGNORECASE)
_THANKS = re.compile(r"^(?:ok(?:ay)?,? )?(?:thanks?(?: you)?|thank you|thx|cheers|great|perfect|nice|good|got it|bye|goodbye)(?:,? (?:so|very|a lot|much|again|thanks|job|work|bye))*[\s!.,]*$", re.IGNORECASE)


def small_talk(question: str) -> str | None:
    """A friendly line for a greeting or thanks, which ask nothing of the papers.

    >>> small_talk("Hello!"), small_talk("Hello world models?")
    ('Hello! Ask me anything about the papers in this library.', None)
    """
    if _GREETING.match(question):
        return "Hello! Ask me anything about the papers in this library."
    if _THANKS.match(question):
        return "You are welcome. Ask on whenever you like."
    return None


def depends(question: str) -> bool:
    """Can the question not be understood without what was said before?

    >>> depends("How does it scale?"), depends("Is it possible to prune a speech model?"), depends("What is DP-CATE?")
    (True, False, False)
    """
    without = _EXPLETIVE.sub(" ", question)
    if _POSSESSIVE.search(without) or _REFERENCE.search(without) or _ORDINAL.search(without):
        return not _refers_inside(without)
    if _PRONOUN.search(without):
        return not _refers_inside(without)
    if _names(question):
        return False
    specific = [word for word in text.content_words(question) if word not in _GENERIC]
    if not specific or _OPENS_LIKE_A_FOLLOW_UP.search(question):
        return True
    if _DEMONSTRATIVE.search(question):
        return True
    return len(specific) <= 2 and bool(_BACKWARD_DEFINITE.search(question))


def _refers_inside(question: str) -> bool:
    """A pronoun after a clause of its own refers to that: "If I prune a speech model, does it still recognise speakers?"."""
    match = _POSSESSIVE.search(question) or _REFERENCE.search(question) or _PRONOUN.search(question)
    if not match:
        return False
    before = [word for word in text.content_words(question[: match.start()]) if word not in _GENERIC]
    named = _names(question[: match.start()])
    return bool(named) or len(before) >= 4


def _names(question: str) -> list[str]:
    return [token for token in re.findall(r"[\w\u0370-\u03ff$\\-]+", question) if text.is_name(token) and not re.fullmatch("[A-Z]+s", token)]


def _with_subject(question: str, last: Turn) -> str:
    subject, is_name = _subject(last)
    if not subject:
        return question
    if is_name and not _is_elliptic(question):
        replaced = _replaced(question, subject)
        if replaced != question:
            return replaced
    context = subject if is_name and not _is_elliptic(question) else _context(subject, last)
    return f"{context}: {question}"


def _replaced(question: str, subject: str) -> str:
    expletive = _EXPLETIVE.search(question)
    for pattern, replacement in ((_POSSESSIVE, f"{subject}'s"), (_REFERENCE, subject), (_PRONOUN, subject)):
        for match in pattern.finditer(question):
            if expletive and expletive.start() <= match.start() < expletive.end():
                continue
            return question[: match.start()] + replacement + question[match.end() :]
    return question


def _is_elliptic(question: str) -> bool:
    """Does the question bring next to nothing of its own: "and how large was it?"."""
    return not [word for word in text.content_words(question) if word not in _GENERIC and not text.is_name(word)]


def _subject(turn: Turn) -> tuple[str, bool]:
    """(what the turn was about, is that a name)."""
    asked = _names(turn.understood_as)
    labels = [name for paper in turn.papers[:1] if (name := paper.title or text.name_of(paper.abstract))]
    for name in asked:
        if any(name.casefold() in label.casefold() for label in labels):
            return name, True
    if labels and len(labels[0].split()) <= 6:
        return labels[0], True
    if asked:
        return asked[0], True
    return " ".join(text.content_words(turn.understood_as)[:10]), False


def _context(subject: str, turn: Turn) -> str:
    known = set(text.terms(subject))
    carried = [w for w in text.content_words(turn.understood_as) if not known.intersection(text.word_terms(w))]
    return " ".join(dict.fromkeys([subject, *carried[:8]]))


def _asks_the_same_of(question: str, last: Turn) -> str | None:
    """ "What about NetMoE?": the last question again, of another subject."""
    match = _INSTEAD.match(question)
    if not match:
        return None
    preposition, other = match.group(1) or match.group(3), (match.group(2) or match.group(4) or "").strip()
    if not other or _PRONOUN.fullmatch(other) or _POSSESSIVE.match(other) or _ORDINAL.search("the " + other):
        return None
    if preposition and (swapped := _swapped(last.understood_as, preposition.strip().lower(), other)):
        return swapped
    before = _names(last.understood_as)
    if before and _names(other) and not preposition:
        return last.understood_as.replace(before[0], other, 1)
    if _names(other) and not preposition:
        return f"{other}: {last.understood_as}"
    subject, _ = _subject(last)
    return f"{_context(subject, last)}: {question}" if subject else None


def _swapped(question: str, preposition: str, other: str) -> str | None:
    """The last question with its final "on ..." replaced: "and on images?" after "How accurate is it on text?"."""
    match = re.search(rf"^(.+) {preposition} [^?]+\?*$", question, re.IGNORECASE)
    return f"{match.group(1)} {preposition} {other}?" if match else None


def _ordinal(question: str, turns: Sequence[Turn]) -> str | None:
    match = _ORDINAL.search(question)
    if not match:
        return None
    named = _names(turns[-1].understood_as)
    papers = next((turn.papers for turn in reversed(turns) if len(turn.papers) > 1), turns[-1].papers)
    labels = named if len(named) > 1 and not match.group(2) else [paper.label.rstrip("…") for paper in papers]
    index = _ORDINALS[match.group(1).lower()] if match.group(1) else int(match.group(2)) - 1
    if index >= len(labels):
        return None
    label = labels[index]
    return question[: match.start()] + label + question[match.end() :]
