"""Hits in the order of a re-ranker: the same hits, whatever it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rag_qa.errors import BadReply, ProviderError
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.reranking.reranker import Reranker

DEPTH = 20
"""How many hits are judged unless a setting says otherwise: the right paper is among them for nearly all questions, and more costs more."""


def reordered(question: str, hits: Sequence[Hit], reranker: Reranker, *, depth: int = DEPTH) -> list[Hit]:
    """The hits, the first `depth` of them in the order of the re-ranker's scores; those with the same score stay as they were.

    None is lost or added. A re-ranker that fails, or whose scores make no sense, changes nothing, and each hit says so (Hit.notice). Raises what is
    no failure of a model, such as MissingExtraError.
    """
    head, tail = hits[:depth], hits[depth:]
    if len(head) < 2:
        return list(hits)
    try:
        scores = _checked(reranker.scores(question, [shown(hit.paper) for hit in head]), len(head))
    except ProviderError as error:
        return [replace(hit, notice=f"Not re-ranked: {error}") for hit in hits]
    order = sorted(range(len(head)), key=lambda i: -scores[i])
    return [*(_moved(head, i, place, scores[i]) for place, i in enumerate(order, 1)), *tail]


def shown(paper: Paper) -> str:
    """What a re-ranker reads of a paper.

    >>> shown(Paper("p1", "We propose a model of tides.", title="Tides"))
    'Tides. We propose a model of tides.'
    """
    if not paper.title:
        return paper.abstract
    return f"{paper.title}{'' if paper.title.endswith(('.', '?', '!')) else '.'} {paper.abstract}"


def _checked(scores: Sequence[float], count: int) -> list[float]:
    found = [float(score) for score in scores]
    if len(found) != count:
        raise BadReply(f"the re-ranker gave {len(found)} scores for {count} papers")
    if not all(map(math.isfinite, found)):
        raise BadReply("the re-ranker gave a score that is not a number")
    return found


def _moved(hits: Sequence[Hit], i: int, place: int, score: float) -> Hit:
    """The hit at `i`, at its new place (from 1), with the fused score that belongs there."""
    hit = hits[i]
    return replace(
        hit,
        rank=place,
        score=hits[place - 1].score,
        ranks={**hit.ranks, "fused": i + 1, "rerank": place},
        scores={**hit.scores, "fused": hit.score, "rerank": round(score, 6)},
    )
