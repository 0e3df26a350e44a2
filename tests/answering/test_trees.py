"""Trees are read and summed as they were written."""

from __future__ import annotations

import numpy as np
import pytest

from rag_qa.answering.trees import NO_TREES, Trees, from_data, to_data

NAMES = ("depth", "speed")
# a river is deep above 2 and fast above 1; the second tree asks for the depth twice
TREES = Trees(
    0.5,
    np.array([[0, 1], [0, 0]]),
    np.array([[2.0, 1.0], [3.0, 4.0]]),
    np.array([[0.0, 1.0, 10.0, 100.0], [0.0, -1.0, 5.0, -2.0]]),
)


@pytest.mark.parametrize(
    ("depth", "speed", "score"),
    [
        (1.0, 0.0, 0.5),  # neither deep nor fast
        (2.0, 0.0, 0.5),  # a border belongs to what lies below it
        (2.5, 0.0, 1.5),
        (1.0, 2.0, 10.5),
        (3.5, 2.0, 0.5 + 100 - 1),
        (5.0, 2.0, 0.5 + 100 - 2),
    ],
)
def test_every_tree_adds_the_leaf_that_its_answers_lead_to(depth: float, speed: float, score: float) -> None:
    assert TREES.score(np.array([depth, speed])) == pytest.approx(score)


def test_no_trees_say_nothing() -> None:
    assert NO_TREES.score(np.array([1.0, 2.0])) == 0.0


def test_what_is_written_is_what_is_read_in_any_order_of_the_features() -> None:
    read = from_data(to_data(TREES, NAMES), ("speed", "depth"))
    for depth in (1.0, 2.5, 3.5, 5.0):
        assert read.score(np.array([2.0, depth])) == pytest.approx(TREES.score(np.array([depth, 2.0])))
    assert from_data(to_data(NO_TREES, NAMES), NAMES).score(np.zeros(2)) == 0.0


def test_a_question_for_no_feature_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError, match="unknown features: speed"):
        from_data(to_data(TREES, NAMES), ("depth",))
