"""The promise of a threshold: exact p-values, the order of the tests, and by simulation that it is kept as often as is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.calibration import learn_then_test as ltt
from rag_qa.calibration.learn_then_test import GRID, STARTS, Outcome, Step

RISK, DELTA = 0.1, 0.1
SETS, QUESTIONS = 400, 150
SLACK = 3 * sqrt(DELTA * (1 - DELTA) / SETS)
"""Three standard errors of a share of DELTA among so many sets."""

RiskOf = Callable[[float], float]


def outcomes(right: int, wrong: int, confidence: float = 0.95) -> list[Outcome]:
    return [Outcome(confidence, False)] * right + [Outcome(confidence, True)] * wrong


# ---------------------------------------------------------------------------------------------------------------- p-values


@given(st.integers(0, 60), st.data(), st.sampled_from([Fraction(1, 10), Fraction(1, 20), Fraction(1, 3)]))
def test_a_p_value_is_the_exact_binomial_tail(answered: int, data: st.DataObject, risk: Fraction) -> None:
    wrong = data.draw(st.integers(0, answered))
    exact = sum(comb(answered, k) * risk**k * (1 - risk) ** (answered - k) for k in range(wrong + 1))

    assert ltt.p_value(wrong, answered, float(risk)) == pytest.approx(float(exact), rel=1e-9)


def test_many_answers_do_not_overflow() -> None:
    assert ltt.p_value(1000, 10_000, 0.1) == pytest.approx(0.5, abs=0.02)
    assert ltt.p_value(500, 10_000, 0.1) < 1e-50


@given(st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_fewer_answers_than_the_fewest_promise_nothing_though_all_are_right(risk: float, delta: float) -> None:
    fewest = ltt.fewest(risk, delta)

    assert ltt.p_value(0, fewest, risk) <= delta * (1 + 1e-9)
    assert fewest == 1 or ltt.p_value(0, fewest - 1, risk) > delta


# --------------------------------------------------------------------------------------------------------------- the order


def test_the_shares_of_delta_are_of_thresholds_that_are_tried_and_spend_it_once() -> None:
    assert set(STARTS) <= set(GRID)
    assert sum(STARTS.values()) == pytest.approx(1.0)
    assert list(GRID) == sorted(GRID, reverse=True)


def test_with_errors_nowhere_the_lowest_threshold_is_certified() -> None:
    found = ltt.sequence(outcomes(100, 0), risk=RISK, delta=DELTA)

    assert all(step.is_certified for step in found)
    assert ltt.chosen(found) == Step(GRID[-1], 100, 0, ltt.p_value(0, 100, RISK), DELTA)


def test_the_tests_stop_where_the_errors_begin_and_begin_again_at_the_next_start() -> None:
    mixed = [*outcomes(100, 0), *outcomes(0, 30, confidence=0.85), *outcomes(400, 0, confidence=0.75)]
    levels = {step.threshold: (round(step.level, 6), step.is_certified) for step in ltt.sequence(mixed, risk=RISK, delta=DELTA)}

    assert levels[0.86] == (0.02, True)
    assert levels[0.84] == (0.02, False)
    assert levels[0.82] == (0.0, False)  # what was brought is lost
    assert levels[0.8] == (0.07, False)
    assert levels[0.78] == (0.0, False)
    assert levels[0.7] == (0.01, True)  # a start has a share of its own


def test_no_threshold_below_the_lowest_is_tried() -> None:
    found = ltt.chosen(ltt.sequence(outcomes(100, 0), risk=RISK, delta=DELTA, lowest=0.5))

    assert found
    assert found.threshold == 0.5


def test_a_question_that_is_never_answered_counts_for_no_threshold() -> None:
    assert ltt.counted([Outcome(-1.0, True)], GRID[-1]) == (0, 0)


# -------------------------------------------------------------------------------------------------------------- simulation


def increasing(confidence: float) -> float:
    """Below 0.6, more than RISK of the answers from there on are wrong: the mean of it from t to 1 is 0.25 (1 - t)."""
    return 0.5 * (1 - confidence)


def just_too_much(_: float) -> float:
    """The hardest: every threshold has hardly more errors than are allowed."""
    return 0.101


def worst_at_the_top(confidence: float) -> float:
    """The confidence is misleading: the surest answers are the worst."""
    return 0.35 if confidence > 0.85 else 0.05


def drawn(risk_of: RiskOf, rng: np.random.Generator, questions: int = QUESTIONS) -> list[Outcome]:
    """Questions of a known distribution: confidences all alike between 0 and 1, wrong as often as is said."""
    return [Outcome(float(one), bool(rng.random() < risk_of(float(one)))) for one in rng.random(questions)]


def true_risk(risk_of: RiskOf, threshold: float) -> float:
    """Share of wrong ones among all that a threshold answers."""
    return float(np.mean([risk_of(one) for one in np.linspace(threshold, 1, 2001)]))


def by_tests(sample: Sequence[Outcome]) -> float | None:
    found = ltt.chosen(ltt.sequence(sample, risk=RISK, delta=DELTA))
    return found.threshold if found else None


def naively(sample: Sequence[Outcome]) -> float | None:
    """The lowest threshold at which no more than RISK of the answers were seen to be wrong."""
    counts = {threshold: ltt.counted(sample, threshold) for threshold in GRID}
    return min((threshold for threshold, (answered, wrong) in counts.items() if wrong <= RISK * answered), default=None)


def broken_promises(risk_of: RiskOf, choose: Callable[[Sequence[Outcome]], float | None]) -> float:
    """Share of many drawn sets for which a threshold is chosen of whose answers truly more than RISK are wrong."""
    rng = np.random.default_rng(7)
    chosen = [choose(drawn(risk_of, rng)) for _ in range(SETS)]
    too_risky = {threshold for threshold in GRID if true_risk(risk_of, threshold) > RISK}
    return sum(threshold in too_risky for threshold in chosen) / SETS


@pytest.mark.parametrize("risk_of", [increasing, just_too_much, worst_at_the_top])
def test_the_promise_is_broken_no_more_often_than_is_said(risk_of: RiskOf) -> None:
    assert broken_promises(risk_of, by_tests) <= DELTA + SLACK


@pytest.mark.parametrize("risk_of", [increasing, just_too_much])
def test_without_tests_it_would_be_broken_much_more_often(risk_of: RiskOf) -> None:
    assert broken_promises(risk_of, naively) > 2 * DELTA + SLACK


def test_a_good_confidence_is_rewarded() -> None:
    rng = np.random.default_rng(7)
    chosen = [by_tests(drawn(lambda confidence: 0.02 if confidence > 0.3 else 0.5, rng, 500)) for _ in range(50)]

    assert sum(threshold is not None and threshold <= 0.4 for threshold in chosen) >= 45


# --------------------------------------------------------------------------------------------------------- how many it takes


def test_so_many_as_are_said_to_be_needed_do() -> None:
    few = [*outcomes(8, 0), *outcomes(0, 8, confidence=0.1)]
    needed = ltt.needed(few, risk=RISK, delta=DELTA)

    assert needed
    assert ltt.chosen(ltt.sequence(few, risk=RISK, delta=DELTA)) is None
    more = few * (needed // len(few) + 1)
    assert ltt.chosen(ltt.sequence(more, risk=RISK, delta=DELTA))
    assert ltt.chosen(ltt.sequence(few * (needed // len(few) // 2), risk=RISK, delta=DELTA)) is None


def test_where_the_surest_are_wrong_too_often_no_number_does() -> None:
    assert ltt.needed(outcomes(5, 5), risk=RISK, delta=DELTA) is None
    assert ltt.needed([], risk=RISK, delta=DELTA) is None
