"""The risk-coverage curve: by hand, against a perfect confidence, and whatever the scale of the confidence is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.calibration.learn_then_test import Outcome
from rag_qa.calibration.risk_coverage import Point, curve

OUTCOMES = st.lists(st.builds(Outcome, st.sampled_from([0.1, 0.2, 0.5, 0.8]), st.booleans()), min_size=1, max_size=30)


def test_the_curve_by_hand() -> None:
    found = curve([Outcome(0.8, False), Outcome(0.9, True), Outcome(0.5, False), Outcome(0.4, False)])

    assert found.points == (Point(0.9, 0.25, 1.0), Point(0.8, 0.5, 0.5), Point(0.5, 0.75, 1 / 3), Point(0.4, 1.0, 0.25))
    assert found.aurc == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert found.oracle_aurc == pytest.approx((0 + 0 + 0 + 1 / 4) / 4)
    assert (found.coverage_at(0.25), found.coverage_at(0.24)) == (1.0, 0.0)


def test_what_is_never_answered_is_beyond_the_curve() -> None:
    found = curve([Outcome(0.8, False), Outcome(-1.0, True)])

    assert found.points == (Point(0.8, 0.5, 0.0),)
    assert found.aurc == 0.0


def test_there_is_a_curve_of_nothing() -> None:
    found = curve([])

    assert (found.points, found.oracle, found.aurc, found.coverage_at(1.0)) == ((), (), 0.0, 0.0)


@given(OUTCOMES)
def test_no_confidence_is_better_than_the_perfect_one(outcomes: list[Outcome]) -> None:
    found = curve(outcomes)

    assert found.oracle_aurc <= found.aurc + 1e-12
    assert found.oracle[-1].risk == pytest.approx(found.points[-1].risk)


@given(OUTCOMES)
def test_neither_the_scale_nor_the_order_of_the_questions_counts(outcomes: list[Outcome]) -> None:
    squared = [Outcome(one.confidence**2, one.is_wrong) for one in reversed(outcomes)]

    assert curve(squared).aurc == pytest.approx(curve(outcomes).aurc)
    assert [(p.coverage, p.risk) for p in curve(squared).points] == [(p.coverage, p.risk) for p in curve(outcomes).points]
