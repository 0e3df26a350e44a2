"""Paper -> passages: slices of the abstract, cut on sentence borders, that fit into the embedder's window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rag_qa import text
from rag_qa.papers import Paper

CHUNKER = "sentences-3"
"""Version of the rules below, and of what is embedded of a passage: another one needs another index."""

TARGET_TOKENS = 128
"""Passages of this length, a few sentences, are specific enough to rank and long enough to be understood."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of an abstract: `abstract[start:end] == text`. `id` is the paper's id and the passage's number in it."""

    id: str
    paper_id: str
    ordinal: int
    text: str
    start: int
    end: int


def passages(paper: Paper, *, count_tokens: Callable[[str], int], max_tokens: int) -> list[Passage]:
    """Cut a paper into passages of at most `max_tokens` (tokens as `count_tokens` counts them), whole sentences as long as they fit.

    Passages do not overlap, are in order, and hold every character of the abstract but white space. A sentence that alone is too long is cut.

    >>> paper = Paper("p1", "One two three. Four five six. Seven.")
    >>> [p.text for p in passages(paper, count_tokens=lambda s: len(s.split()), max_tokens=5)]
    ['One two three.', 'Four five six. Seven.']
    """
    limit = min(TARGET_TOKENS, max_tokens)
    found: list[Passage] = []
    for start, end in _packed(paper.abstract, count_tokens, limit, max_tokens):
        found.append(Passage(f"{paper.id}:{len(found)}", paper.id, len(found), paper.abstract[start:end], start, end))
    return found


def _packed(abstract: str, count_tokens: Callable[[str], int], limit: int, hard_limit: int) -> Iterator[tuple[int, int]]:
    """Neighbouring pieces put together as long as they stay within `limit`."""
    start = end = -1
    for sentence in text.sentences(abstract):
        for piece in fitting(abstract, sentence, count_tokens=count_tokens, max_tokens=hard_limit):
            if start >= 0 and count_tokens(abstract[start : piece.end]) > limit:
                yield start, end
                start = -1
            start, end = (piece.start if start < 0 else start), piece.end
    if start >= 0:
        yield start, end


def fitting(whole: str, span: text.Span, *, count_tokens: Callable[[str], int], max_tokens: int) -> Iterator[text.Span]:
    """A slice of a text as it is if it fits, otherwise halves of it, cut at a blank where there is one, until they fit.

    >>> fits = fitting("one two three four", text.Span(0, 18), count_tokens=lambda s: len(s.split()), max_tokens=2)
    >>> ["one two three four"[a:b] for a, b in fits]
    ['one two', 'three four']
    """
    if span.end - span.start <= 1 or count_tokens(whole[span.start : span.end]) <= max_tokens:
        yield span
        return
    for half in _halves(whole, span):
        yield from fitting(whole, half, count_tokens=count_tokens, max_tokens=max_tokens)


def _halves(whole: str, span: text.Span) -> tuple[text.Span, text.Span]:
    """Both without white space at the cut; a sentence neither begins nor ends with any, so none of them is empty."""
    middle = (span.start + span.end) // 2
    left_end = right_start = next((i for i in range(middle, span.start, -1) if whole[i].isspace()), middle)
    while whole[left_end - 1].isspace():
        left_end -= 1
    while whole[right_start].isspace():
        right_start += 1
    return text.Span(span.start, left_end), text.Span(right_start, span.end)
