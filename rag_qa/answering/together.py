"""The answers of the parts of a question -> one answer: nothing is said twice, and several papers stand each under its label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag_qa.answering.composing import Shown
from rag_qa.retrieval.hits import Hit


def merged_groups(parts: Iterable[Sequence[Sequence[Shown]]]) -> list[list[Shown]]:
    """Groups of sentences, one a paper, of several parts -> one group a paper, in reading order, each sentence once."""
    by_paper: dict[str, dict[int, Shown]] = {}
    for groups in parts:
        for group in groups:
            for shown in group:
                by_paper.setdefault(shown.candidate.paper.id, {}).setdefault(shown.candidate.index, shown)
    return [list(group.values()) for group in by_paper.values()]


def averaged(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Several rankings as one: a paper has the mean of its scores, and 0 where it is not found."""
    found: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for ranking in rankings:
        for hit in ranking:
            found.setdefault(hit.paper.id, hit)
            scores[hit.paper.id] = scores.get(hit.paper.id, 0.0) + hit.score / len(rankings)
    return [replace(hit, score=scores[paper_id]) for paper_id, hit in found.items()]
