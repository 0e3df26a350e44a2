"""Boosted trees learn what a straight line can't, the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from eval.boosting import Growth, boosted
from eval.learning import Array

GROWTH = Growth(trees=30, depth=2, rate=0.3, l2=1.0, rows=1.0, features=1.0)


def crossed(size: int = 400) -> tuple[Array, Array]:
    """Two features of which exactly one must be high, and one that tells nothing."""
    x = np.random.default_rng(4).uniform(-1, 1, (size, 3))
    return x, ((x[:, 0] > 0) != (x[:, 1] > 0)).astype(float)


def test_two_features_that_tell_only_together_are_learned() -> None:
    x, y = crossed()
    trees = boosted(x, y, np.ones(len(x)), GROWTH)
    unseen, right = np.array([[0.7, -0.7, 0.0], [-0.7, 0.7, 0.0], [0.7, 0.7, 0.0], [-0.7, -0.7, 0.0]]), [True, True, False, False]
    assert [trees.score(row) > 0 for row in unseen] == right
    assert all(abs(trees.score(row)) > 2 for row in unseen)


def test_what_tells_nothing_changes_next_to_nothing() -> None:
    x, y = crossed()
    trees = boosted(x, y, np.ones(len(x)), GROWTH)
    low, high = (trees.score(np.array([0.7, -0.7, value])) for value in (-0.9, 0.9))
    assert abs(low - high) < 0.5 * abs(low)


def test_the_same_data_gives_the_same_trees_though_they_are_drawn() -> None:
    x, y = crossed()
    first, second = (boosted(x, y, np.ones(len(x)), Growth(trees=5)) for _ in range(2))
    assert np.array_equal(first.features, second.features)
    assert np.array_equal(first.leaves, second.leaves)


def test_a_row_that_counts_more_weighs_more() -> None:
    x, y = np.zeros((2, 1)), np.array([0.0, 1.0])
    assert boosted(x, y, np.array([1.0, 3.0]), GROWTH).score(np.zeros(1)) == pytest.approx(np.log(3), abs=0.01)


def test_a_feature_that_never_changes_splits_nothing() -> None:
    x, y = np.zeros((10, 1)), np.array([0.0, 1.0] * 5)
    trees = boosted(x, y, np.ones(10), GROWTH)
    assert np.isfinite(trees.borders).all()
    assert trees.score(np.zeros(1)) == pytest.approx(0.0)
