"""The order of the hits after they are read: what reading adds, and that nothing is lost or counted twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rag_qa.answering.reread import FEATURES, READ, ranked, reread
from rag_qa.comprehension import Comprehended
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Reader = Callable[[str, Sequence[str]], Sequence[Comprehended]]
WEIGHTS = np.array([0.05, 0.05])


def hits(*scores: float) -> list[Hit]:
    """Papers p1, p2, ... with these scores."""
    return [Hit(Paper(f"p{place}", f"Abstract {place}."), (), score, place) for place, score in enumerate(scores, 1)]


def about(*papers: int) -> Reader:
    """Reads every question as one about these papers."""

    def read(question: str, abstracts: Sequence[str]) -> list[Comprehended]:
        right = {f"Abstract {paper}." for paper in papers}
        return [Comprehended(4.0 if one in right else -4.0, 2.0 if one in right else -2.0, np.zeros(1)) for one in abstracts]

    return read


def ids(found: Sequence[Hit]) -> list[str]:
    return [hit.paper.id for hit in found]


def test_the_paper_that_the_question_is_about_comes_first_if_the_search_was_not_sure() -> None:
    assert ids(reread("?", hits(0.6, 0.55, 0.2), about(2), WEIGHTS)) == ["p2", "p1", "p3"]
    assert ids(reread("?", hits(0.9, 0.3, 0.2), about(2), WEIGHTS))[0] == "p1"


def test_reading_again_counts_once_and_for_its_own_question() -> None:
    once = reread("?", hits(0.6, 0.55, 0.2), about(2), WEIGHTS)
    assert reread("?", once, about(2), WEIGHTS) == once
    assert ids(reread("another?", once, about(1), WEIGHTS)) == ["p1", "p2", "p3"]


def test_hits_that_are_not_read_stay_behind_the_read_ones_that_were_before_them() -> None:
    many = hits(*(0.5 - place / 100 for place in range(READ + 4)))
    found = reread("?", many, about(), WEIGHTS)
    assert ids(found) == ids(many)
    assert sorted(ids(found)) == sorted(ids(many))


def test_without_weights_or_with_one_hit_nothing_is_read() -> None:
    def fails(question: str, abstracts: Sequence[str]) -> list[Comprehended]:
        raise AssertionError

    assert reread("?", hits(0.5, 0.4), fails, np.zeros(len(FEATURES))) == hits(0.5, 0.4)
    assert reread("?", hits(0.5), fails, WEIGHTS) == hits(0.5)
    assert reread("?", [], fails, WEIGHTS) == []


def test_equal_scores_are_ordered_by_id_whatever_order_they_come_in() -> None:
    equal = hits(0.5, 0.5, 0.5)
    assert ids(ranked(equal[::-1])) == ids(ranked(equal)) == ["p1", "p2", "p3"]
