"""An answer as any system can give it: text with numbers in brackets, and which paper each number stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from eval.datasets.loader import Question
from eval.items import Item, ItemSentence, Ranked
from eval.metrics.support import sentences

_MARKER = re.compile(r"\s*\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_AFTER_END = re.compile(r"([.!?])((?:\s*\[\d+(?:\s*[,;–-]\s*\d+)*\])+)")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_MOST_IN_RANGE = 50


@dataclass(frozen=True, slots=True)
class Given:
    """What a system said. `sources`: number in the text -> id of a paper; `retrieved`: ids, best first, None where the system does not say.

    `confidence`: 0 to 1; None where it has none, then 1 for an answer and 0 for a refusal. Tokens and cost: None where it
    does not say.
    """

    text: str
    sources: Mapping[int, str]
    retrieved: tuple[str, ...] | None = None
    abstained: bool = False
    confidence: float | None = None
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


def cited_sentences(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """The sentences of a text without their markers, and the numbers that each cites; a marker behind the full stop belongs to the sentence before.

    >>> cited_sentences("It is fast [1, 3]. It is small.[2-4] Why?")
    [('It is fast.', (1, 3)), ('It is small.', (2, 3, 4)), ('Why?', ())]
    """
    moved = _AFTER_END.sub(lambda match: match.group(2) + match.group(1), text)
    return [(_MARKER.sub("", sentence).strip(), _numbers(sentence)) for sentence in sentences(moved)]


def _numbers(sentence: str) -> tuple[int, ...]:
    found: list[int] = []
    for match in _MARKER.finditer(sentence):
        for part in re.split(r"\s*[,;]\s*", match.group(1)):
            span = _RANGE.fullmatch(part)
            first, last = (int(span.group(1)), int(span.group(2))) if span else (int(part), int(part))
            found += range(first, min(last, first + _MOST_IN_RANGE) + 1)
    return tuple(dict.fromkeys(found))


def item(question: Question, given: Given, labels: Mapping[str, str]) -> Item:
    """What is kept of it. `labels`: id -> what a paper is called. It has no quotes and no verdicts of its own."""
    confidence = float(not given.abstained) if given.confidence is None else given.confidence

    def ranked(paper: str, place: int, n: int | None = None) -> Ranked:
        return Ranked(paper, labels.get(paper, paper), round(1 / place, 6), n)

    return Item(
        question,
        "abstained" if given.abstained else "answered",
        understood_as=question.text,
        text=given.text,
        sentences=() if given.abstained else tuple(ItemSentence(one, "", cited, "", "", (), ()) for one, cited in cited_sentences(given.text)),
        sources=tuple(ranked(paper, 1, n) for n, paper in sorted(given.sources.items())),
        retrieved=None if given.retrieved is None else tuple(ranked(paper, place) for place, paper in enumerate(given.retrieved, start=1)),
        confidence=round(confidence, 6),
        model=given.model,
        own_words=given.text if given.abstained else "",
    )
