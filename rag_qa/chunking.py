"""Paper -> passages: slices of the abstract, cut on sentence borders, that fit into the embedder's window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rag_qa import text
from rag_qa.papers import Paper

CHUNKER = "sentences-2"
"""Version of the rules below: another one needs another index."""

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

    Passages do not overlap, are in order, and hold every character of the abstract but white space.

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
    start = end = None
    for span in text.sentences(abstract):
        for piece in _fitting(abstract, span, count_tokens, hard_limit):
            if start is not None and end is not None and count_tokens(abstract[start : piece.end]) > limit:
                yield start, end
                start = None
            start, end = (piece.start if start is None else start), piece.end
    if start is not None and end is not None:
        yield start, end


def _fitting(abstract: str, span: text.Span, count_tokens: Callable[[str], int], limit: int) -> Iterator[text.Span]:
    """The sentence itself if it fits, otherwise halves of it (at a blank where there is one) until they fit."""
    if span.end - span.start <= 1 or count_tokens(abstract[span.start : span.end]) <= limit:
        yield span
        return
    middle = (span.start + span.end) // 2
    blank = abstract.rfind(" ", span.start + 1, middle)
    cut = blank if blank > span.start else middle
    yield from _fitting(abstract, text.Span(span.start, cut), count_tokens, limit)
    right = cut
    while right < span.end and abstract[right].isspace():
        right += 1
    if right < span.end:
        yield from _fitting(abstract, text.Span(right, span.end), count_tokens, limit)
