"""Hits in the order of a re-ranker: the same hits, whatever it says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import MissingExtraError, ProviderError
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.reranking.order import DEPTH, reordered


class Scripted:
    """Gives the scores that it was given, or raises."""

    name = "scripted"

    def __init__(self, scores: Sequence[float] | Exception) -> None:
        self._scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, list(texts)))
        if isinstance(self._scores, Exception):
            raise self._scores
        return self._scores


def hits(count: int) -> list[Hit]:
    """The first is 0.9, the next 0.8 and so on; found by words and by meaning in this order."""
    return [
        Hit(Paper(f"p{i}", f"Abstract {i}.", title=f"Title {i}"), (), round(1 - i / 10, 1), i, {"dense": i}, {"dense": 0.5})
        for i in range(1, count + 1)
    ]


def ids(found: Sequence[Hit]) -> list[str]:
    return [hit.paper.id for hit in found]


def test_the_best_by_the_reranker_comes_first_and_scores_still_fall() -> None:
    judge = Scripted([0.1, 0.5, 0.7])

    found = reordered("Why?", hits(3), judge)

    assert judge.asked == [("Why?", ["Title 1. Abstract 1.", "Title 2. Abstract 2.", "Title 3. Abstract 3."])]
    assert ids(found) == ["p3", "p2", "p1"]
    assert [hit.rank for hit in found] == [1, 2, 3]
    assert [hit.score for hit in found] == [0.9, 0.8, 0.7]
    assert found[0].ranks == {"dense": 3, "fused": 3, "rerank": 1}
    assert found[0].scores == {"dense": 0.5, "fused": 0.7, "rerank": 0.7}
    assert found[0].notice == ""


def test_the_same_score_leaves_the_order_as_it_was() -> None:
    assert ids(reordered("Why?", hits(4), Scripted([0, 1, 0, 1]))) == ["p2", "p4", "p1", "p3"]


def test_only_so_many_are_judged_and_the_others_follow_untouched() -> None:
    before = hits(5)

    found = reordered("Why?", before, Scripted([1, 2]), depth=2)

    assert ids(found) == ["p2", "p1", "p3", "p4", "p5"]
    assert found[2:] == before[2:]


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_is_asked_where_there_is_nothing_to_order(count: int) -> None:
    judge = Scripted([])

    assert reordered("Why?", hits(count), judge) == hits(count)
    assert judge.asked == []


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (ProviderError("nobody answers"), "nobody answers"),
        ([1.0], "the re-ranker gave 1 scores for 3 papers"),
        ([1.0, float("nan"), 2.0], "the re-ranker gave a score that is not a number"),
    ],
)
def test_a_reranker_that_fails_changes_nothing_and_every_hit_says_so(scores: Sequence[float] | Exception, why: str) -> None:
    found = reordered("Why?", hits(3), Scripted(scores))

    assert ids(found) == ["p1", "p2", "p3"]
    assert {hit.notice for hit in found} == {f"Not re-ranked: {why}"}
    assert all("rerank" not in hit.ranks for hit in found)


def test_what_is_not_installed_is_no_failure_of_a_model() -> None:
    with pytest.raises(MissingExtraError):
        reordered("Why?", hits(3), Scripted(MissingExtraError("pip install it")))


@given(st.lists(st.floats(), max_size=8), st.integers(0, 8), st.integers(1, 8))
def test_whatever_it_says_no_hit_is_lost_or_added(scores: list[float], count: int, depth: int) -> None:
    found = reordered("Why?", hits(count), Scripted(scores), depth=depth)

    assert sorted(ids(found)) == sorted(ids(hits(count)))
    assert [hit.rank for hit in found] == list(range(1, count + 1))
    assert [hit.score for hit in found] == [hit.score for hit in hits(count)]


def test_enough_are_judged_for_the_most_that_can_be_asked_of_a_question() -> None:
    assert DEPTH >= 8  # RAG_QA_TOP_K
