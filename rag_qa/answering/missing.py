"""What a refusal says: what of the question the papers lack, in the question's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag_qa import text
from rag_qa.answering.confidence import Assessment
from rag_qa.answering.question import Kind, Question
from rag_qa.text import any_of, any_word

_THESE = "These papers do not answer this"
_REFUSED = f"{_THESE}:"
_MOST_PHRASES = 3

_HOW_MUCH = any_of("many|much|long|often|far|fast|old|deep", "large|big|small|high|low")
_ASKS = re.compile(rf"\b(?:how {_HOW_MUCH}|which|what|whose)\b(?! {any_of('is|are|was|were', 'does|do|did')}\b)")
# Kinds of question whose asking phrase says what is missing: "how many image pairs", "which solver". How and why are asked of something else.
_OF_A_THING = (Kind.NUMBER, Kind.LIST, Kind.OTHER, Kind.DEFINITION, Kind.YES_NO, Kind.COMPARISON)
# Words that say little alone: a refusal that named "reach" would not say what is missing.
_PARTICIPLE = re.compile(r"\w{3,}ed")
_VERB = re.compile(
    any_word(
        r"\w+ed|\w+(?:iz|is|fi)es",
        "reach|reaches|run|runs|win|wins|won|wrote|writes?|lies?|leads?|cuts?|drops?|picks?|plugs?|steers?|turns?|needs?|requires?|gets?|beats?",
        "contains?|holds?|places?|selects?|clusters?|measures?|embeds?|handles?|works?|learns?|finds?|costs?|recommends?|transcribes?|solves?|performs?",
    )
)
_WEAK = re.compile(
    any_of(
        _VERB.pattern,
        any_word(
            r"\w+ly|user|best|better|worst|higher|highest|lower|lowest|most|exact|total|overall|later|first|last|final|second|per|average|real|whole|full",
            "numbers?|values?|share|percent|percentage|size|amount|sets?|methods?|models?|approach|system|way|settings?",
        ),
    )
)


def reason(question: Question, judged: Assessment) -> str:
    """Why a question is not answered, in one sentence that names what is missing in the question's own words."""
    if judged.unmet:
        return f"{_REFUSED} they do not give {judged.unmet}."
    asked = _asked(question, judged.missing)
    telling, others = _phrases([word for word in judged.missing if not (asked and word in question.head)], question)
    if asked and telling:
        return f"{_REFUSED} they do not say “{asked}”, and nothing about {_quoted(telling[: _MOST_PHRASES - 1])}."
    if asked:
        return f"{_REFUSED} they do not say “{asked}”."
    if telling or others:
        return f"{_REFUSED} they say nothing about {_quoted((telling or others)[:_MOST_PHRASES])}."
    return f"{_REFUSED} they touch on the subject but do not say what is asked."


def among(reason: str, chosen: int, library: int, filters: str) -> str:
    """A reason that says of which papers it holds, where not all were looked at. `filters`: what these had to be, in words.

    >>> among("These papers do not answer this: they say nothing about “tides”.", 2, 46, "from 2020 on")
    'The papers chosen (2 of 46: from 2020 on) do not answer this: they say nothing about “tides”.'
    """
    return reason.replace(_THESE, f"The papers chosen ({chosen:,} of {library:,}: {filters}) do not answer this", 1)


def in_another_language(asked: str, abstracts: str) -> str:
    """What a refusal says of a question in another language than the abstracts. Both are named in English.

    >>> in_another_language("German", "English")
    'The question seems to be in German, and the abstracts are in English: I find little across languages, so please ask in English.'
    """
    return f"The question seems to be in {asked}, and the abstracts are in {abstracts}: I find little across languages, so please ask in {abstracts}."


def _asked(question: Question, missing: Sequence[str]) -> str:
    """The phrase that asks, where the papers speak of the thing but do not say what is asked of it: "how many image pairs"; "" elsewhere."""
    thing = _thing(question)
    if question.kind not in _OF_A_THING or not thing or any(word in missing and not _WEAK.fullmatch(word) for word in thing):
        return ""
    folded = text.fold(question.text)
    asks = _ASKS.search(folded.text)
    last = next((word for word in text.words(folded.text) if asks and word.start >= asks.end() and word.text == thing[-1]), None)
    if asks is None or last is None:
        return ""
    phrase = question.text[slice(*folded.span(asks.start(), last.end))]
    return phrase[0].lower() + phrase[1:]


def _thing(question: Question) -> tuple[str, ...]:
    """The words after the question word that name a thing, without a verb that follows: "participants" of "participants played"."""
    words = question.head
    verb = next((place for place, word in enumerate(words) if place and _VERB.fullmatch(word)), len(words))
    return words[:verb]


def _phrases(missing: Sequence[str], question: Question) -> tuple[list[str], list[str]]:
    """(phrases that tell something alone, others) of missing words, as the question spells them and in its order: neighbours together, and the thing
    that is asked for whole ("learning rate", though only the rate is missing).
    """
    thing = _thing(question)
    named = {*missing, *(thing if set(missing).intersection(thing) else ())}
    folded = text.fold(question.text)
    spans: list[list[text.Word]] = []
    for word in text.words(folded.text):
        if word.text not in named:
            continue
        if spans and not folded.text[spans[-1][-1].end : word.start].strip() and not _is_border(spans[-1][-1].text, word.text, thing):
            spans[-1].append(word)
        else:
            spans.append([word])
    telling = [words for words in spans if not all(_WEAK.fullmatch(word.text) for word in words)]
    others = [words for words in spans if words not in telling]
    return list(_spelled(telling, question, folded)), list(_spelled(others, question, folded))


def _is_border(word: str, following: str, thing: Sequence[str]) -> bool:
    """Does a phrase end between two words: where the thing that is asked for does, and around a verb?"""
    if word in thing and following in thing:
        return False
    is_verb = _VERB.fullmatch(word) and not _PARTICIPLE.fullmatch(word)  # "labelled samples" are one
    return word in thing or following in thing or bool(is_verb or _VERB.fullmatch(following))


def _spelled(phrases: Sequence[Sequence[text.Word]], question: Question, folded: text.Folded) -> Iterator[str]:
    """Each phrase as the question spells it, once."""
    yield from dict.fromkeys(question.text[slice(*folded.span(words[0].start, words[-1].end))] for words in phrases)


def _quoted(items: Sequence[str]) -> str:
    """Items as one says them.

    >>> _quoted(["a", "b", "c"])
    '“a”, “b” or “c”'
    """
    quoted = [f"“{item}”" for item in items]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
