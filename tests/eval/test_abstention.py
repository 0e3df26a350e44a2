"""Risk, coverage and calibration against values worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import abstention

# surest first: right, wrong, right, wrong
SURE, WRONG = [0.9, 0.7, 0.5, 0.3], [False, True, False, True]

JUDGED = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()), min_size=1, max_size=30)


def test_the_curve_and_its_areas_worked_by_hand() -> None:
    points = abstention.risk_coverage(SURE, WRONG)
    assert [point.coverage for point in points] == [0.25, 0.5, 0.75, 1.0]
    assert [point.risk for point in points] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert abstention.aurc(SURE, WRONG) == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    # the oracle: right, right, wrong, wrong: 0, 0, 1/3, 1/2
    assert abstention.excess_aurc(SURE, WRONG) == pytest.approx(abstention.aurc(SURE, WRONG) - (1 / 3 + 1 / 2) / 4)
    # errors among the first k: 0, 1, 1, 2 of 4 items
    assert abstention.augrc(SURE, WRONG) == pytest.approx((0 + 1 + 1 + 2) / 4 / 4)


def test_the_order_of_the_items_does_not_matter() -> None:
    assert abstention.aurc(SURE[::-1], WRONG[::-1]) == abstention.aurc(SURE, WRONG)


def test_one_confidence_for_all_is_the_worst_order_and_no_threshold() -> None:
    assert abstention.aurc([0.5, 0.5], [False, True]) == pytest.approx((1 + 1 / 2) / 2)
    assert abstention.coverage_at_risk([0.5, 0.5], [False, True], 0.05) == 0


def test_coverage_at_a_risk_and_risk_at_a_coverage() -> None:
    assert abstention.coverage_at_risk(SURE, WRONG, 0.05) == 0.25
    assert abstention.coverage_at_risk(SURE, WRONG, 0.4) == 0.75
    assert abstention.risk_at_coverage(SURE, WRONG, 0.5) == 1 / 2
    assert abstention.risk_at_coverage(SURE, WRONG, 0.8) == 1 / 2


def test_an_answer_is_worth_nothing_where_refusing_was_right() -> None:
    assert abstention.conditional(answerable=False, abstained=False, quality=1.0) == 0
    assert abstention.conditional(answerable=True, abstained=True, quality=1.0) == 0


def test_precision_and_recall_of_refusing() -> None:
    # refused: one that is answerable, two of three that are not
    assert abstention.precision_recall_f1([True, False, False, False], [True, True, True, False]) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert abstention.precision_recall_f1([True], [False]) == (0, 0, 0)


def test_calibration_worked_by_hand() -> None:
    # two bins of two: mean confidence 0.2 with none right, 0.8 with one right of two
    assert abstention.calibration_error([0.1, 0.3, 0.7, 0.9], [False, False, True, False], bins=2) == pytest.approx((0.2 + 0.3) / 2)
    assert abstention.brier(0.8, True) == pytest.approx(0.04)


def test_equal_confidences_share_a_bin() -> None:
    assert [one.count for one in abstention.reliability([0.5] * 4, [True, False] * 2, bins=4)] == [4]


@pytest.mark.parametrize("function", [abstention.aurc, abstention.augrc, abstention.calibration_error])
def test_no_item_has_no_figure(function: object) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match="no item"):
        function([], [])


@given(JUDGED)
def test_figures_stay_in_their_range(judged: list[tuple[float, bool]]) -> None:
    sure, wrong = [one for one, _ in judged], [one for _, one in judged]
    right = [not one for one in wrong]
    for value in (abstention.aurc(sure, wrong), abstention.augrc(sure, wrong), abstention.calibration_error(sure, right)):
        assert 0 <= value <= 1
    assert abstention.excess_aurc(sure, wrong) >= -1e-12
    assert sum(one.count for one in abstention.reliability(sure, right)) == len(judged)


@given(JUDGED)
def test_errors_that_are_put_last_are_never_worse(judged: list[tuple[float, bool]]) -> None:
    wrong = [one for _, one in judged]
    oracle = [float(not one) for one in wrong]
    assert abstention.aurc(oracle, wrong) <= abstention.aurc([one for one, _ in judged], wrong) + 1e-12
    assert math.isclose(abstention.excess_aurc(oracle, wrong), 0, abs_tol=1e-12)
