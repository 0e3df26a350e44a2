"""What a difference of two systems is worth, worked by hand and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import stats
from eval.metrics.stats import Aggregate, Paired

NAN, INF = math.nan, math.inf


def paired(before: Sequence[float], after: Sequence[float], clusters: Sequence[int] | None = None, aggregate: Aggregate = "mean") -> Paired:
    return Paired(np.array(before, float), np.array(after, float), np.array(range(len(before)) if clusters is None else clusters), aggregate)


# ------------------------------------------------------------------------------------------------------------------- delta


def test_a_difference_is_that_of_the_two_figures() -> None:
    assert paired([0, 1, 0, 1], [1, 1, 0, 1]).delta == 0.25
    # a question that is not eligible on one side is in the other side's figure alone: (0 + 1) / 2 against (1 + 1 + 0) / 3
    assert paired([0, 1, NAN], [1, 1, 0]).delta == pytest.approx(2 / 3 - 1 / 2)
    assert math.isnan(paired([NAN], [1]).delta)
    assert math.isnan(paired([], []).delta)


def test_a_difference_of_medians_and_of_infinite_ones() -> None:
    assert paired([10, 20, 30, 40], [10, 20, 50, 60], aggregate="p50").delta == 35 - 25
    assert paired([10, 20, 30], [10, INF, INF], aggregate="p50").delta == INF
    assert math.isnan(paired([INF], [INF], aggregate="p50").delta)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(1, 4)), min_size=1, max_size=12), st.sampled_from([0, 50, 90, 95]))
def test_a_percentile_of_repeated_values_is_that_of_the_list_of_them(pairs: list[tuple[float, int]], q: int) -> None:
    values, times = (np.array(column, float) for column in zip(*pairs, strict=True))
    (found,) = stats._percentiles(values, times[None, :], q)
    assert found == pytest.approx(stats.percentile([value for value, count in pairs for _ in range(count)], q))


# --------------------------------------------------------------------------------------------------------------- bootstrap


def test_an_interval_that_can_be_counted() -> None:
    # two questions, one of which is better by 1: the mean of two draws is 0, 1/2 or 1 with 1/4, 1/2, 1/4
    spread = stats.paired_bootstrap(paired([0, 0], [0, 1]))
    assert (spread.low, spread.high) == (0, 1)
    assert spread.variance == pytest.approx(0.25, rel=0.05)  # (1/4 * 1/4 + 0 * 1/2 + 1/4 * 1/4) * 2


def test_an_interval_of_known_spread() -> None:
    # 400 questions, of which a half is better by 1: 0.5 ± 1.96 * 0.5 / 20
    spread = stats.paired_bootstrap(paired([0, 0] * 200, [0, 1] * 200))
    assert (spread.low, spread.high) == pytest.approx((0.451, 0.549), abs=0.004)
    assert spread.variance == pytest.approx(0.25, rel=0.05)


def test_questions_about_one_paper_are_drawn_together() -> None:
    # ten papers of forty questions each, and all questions of a paper agree: 400 questions tell no more than 10
    outcome = [float(paper % 2) for paper in range(10) for _ in range(40)]
    by_paper = stats.paired_bootstrap(paired([0] * 400, outcome, [paper for paper in range(10) for _ in range(40)]))
    one_each = stats.paired_bootstrap(paired([0] * 10, [0, 1] * 5))
    assert (by_paper.low, by_paper.high) == (one_each.low, one_each.high)
    assert by_paper.variance == pytest.approx(40 * one_each.variance)


def test_systems_that_do_the_same_differ_by_nothing() -> None:
    values = list(np.random.default_rng(1).random(50))
    assert stats.paired_bootstrap(paired(values, values)) == stats.Spread(0, 0, 0)
    assert stats.paired_bootstrap(paired(values, values, aggregate="p90")) == stats.Spread(0, 0, 0)


def test_an_interval_is_the_same_each_time_and_in_any_order_of_the_clusters_names() -> None:
    one = paired([0, 1, 0, 1, 1], [1, 1, 0, 0, 1], [3, 3, 7, 9, 9])
    other = paired([0, 1, 0, 1, 1], [1, 1, 0, 0, 1], [0, 0, 1, 2, 2])
    assert stats.paired_bootstrap(one) == stats.paired_bootstrap(one) == stats.paired_bootstrap(other)
    assert stats.paired_bootstrap(one) != stats.paired_bootstrap(one, seed=1)


def test_an_infinite_error_does_not_spoil_an_interval() -> None:
    spread = stats.paired_bootstrap(paired([10, 20, 30] * 10, [10, 20, INF] * 10, aggregate="p50"))
    assert spread.low == 0
    assert spread.high == INF
    assert spread.variance == INF


@pytest.mark.parametrize("nothing", [paired([], []), paired([NAN, NAN], [1, 1]), paired([INF], [INF], aggregate="p50")])
def test_a_bootstrap_without_a_pair_is_an_error(nothing: Paired) -> None:
    with pytest.raises(ValueError, match="no question to draw from"):
        stats.paired_bootstrap(nothing)


@pytest.mark.parametrize("true", [0.0, 0.1])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(true: float) -> None:
    # 300 experiments of 60 papers with two questions each, that lean the same way: a question is better by chance of its paper
    draws = np.random.default_rng(20)
    clusters = np.repeat(np.arange(60), 2)
    inside = 0
    for _ in range(300):
        chance = np.clip(true + draws.normal(0, 0.2, 60), -1, 1)
        difference = np.where(draws.random(120) < np.abs(chance)[clusters], np.sign(chance)[clusters], 0.0)
        spread = stats.paired_bootstrap(Paired(np.zeros(120), difference, clusters), resamples=500)
        inside += spread.low <= true <= spread.high
    assert 0.91 <= inside / 300 <= 0.985


# --------------------------------------------------------------------------------------------------------------- sign flips


def test_sign_flips_that_can_be_counted() -> None:
    assert stats.sign_flip(paired([0, 0, 0, 5], [1, 1, 1, 5])) == 2 / 8
    # sums of ±1 ±2 ±3: 6, 4, 2, 0, 0, -2, -4, -6; seen 1 + 3 - 2 = 2: six of the eight are as large
    assert stats.sign_flip(paired([0, 2, 0], [1, 0, 3])) == 6 / 8
    assert stats.sign_flip(paired([0, 1], [0, 1])) == 1


def test_a_paper_flips_as_a_whole() -> None:
    assert stats.sign_flip(paired([0] * 6, [1] * 6, [0, 0, 0, 1, 1, 1])) == 2 / 4
    assert stats.sign_flip(paired([0] * 6, [1] * 6)) == 2 / 64


def test_many_papers_are_sampled() -> None:
    # 20 of 20 are better: 2 / 2**20 exactly, of which 10,000 flips see nothing
    assert stats.sign_flip(paired([0] * 20, [1] * 20)) == 1 / 10_001
    # 12 better, 8 worse: 2 * P(X <= 8 of 20) = 0.5034
    assert stats.sign_flip(paired([0] * 12 + [1] * 8, [1] * 12 + [0] * 8)) == pytest.approx(0.5034, abs=0.015)


def test_the_sides_are_swapped_where_they_do_not_hold_the_same_questions() -> None:
    # refusing the second question leaves (1) against (1, 0); the other way round it is the same difference
    assert stats.sign_flip(paired([1, 0], [1, NAN])) == 1


def test_flips_of_a_median() -> None:
    # the medians of the eight flips: 20-10 and 10-20 when the middle one decides; all are as large as what was seen
    assert stats.sign_flip(paired([10, 10, 10], [20, 20, 20], aggregate="p50")) == 1
    assert stats.sign_flip(paired([10] * 5, [10, 10, 10, 10, 20], aggregate="p50")) == 1


# ------------------------------------------------------------------------------------------------ McNemar, Holm, how many


def test_mcnemar_worked_by_hand() -> None:
    assert stats.mcnemar(0, 5) == stats.mcnemar(5, 0) == 2 / 32
    assert stats.mcnemar(1, 5) == 2 * (1 + 6) / 64
    assert stats.mcnemar(0, 0) == stats.mcnemar(2, 2) == 1
    assert stats.mcnemar(0, 2000) == pytest.approx(0, abs=1e-300)
    with pytest.raises(ValueError, match="-1 better"):
        stats.mcnemar(-1, 2)


@given(st.integers(0, 6), st.integers(0, 6))
def test_mcnemar_is_the_sign_flip_of_single_questions(better: int, worse: int) -> None:
    before, after = [0.0] * better + [1.0] * worse, [1.0] * better + [0.0] * worse
    assert stats.sign_flip(paired(before, after)) == pytest.approx(stats.mcnemar(better, worse))


def test_holm_worked_by_hand() -> None:
    # sorted .005 * 4, .01 * 3, .03 * 2, .04 * 1 = .02, .03, .06, .04; none below the one before
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.6, 0.7]) == [1, 1]
    assert stats.holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_makes_a_p_smaller_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = stats.holm(p_values)
    assert all(p <= one <= 1 for p, one in zip(p_values, adjusted, strict=True))
    assert [one for _, one in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)


def test_how_many_questions_a_difference_takes() -> None:
    assert stats.items_needed(0.10, 0.05) == stats.items_needed(0.10, -0.05) == 314  # 7.84 * 0.1 / 0.0025 = 313.6
    assert stats.items_needed(0.25, 0.5) == 8  # 7.84 exactly
    assert stats.items_needed(0.0, 0.1) == 1
    assert stats.items_needed(0.1, 0.0) is stats.items_needed(INF, 0.1) is stats.items_needed(0.1, INF) is None
