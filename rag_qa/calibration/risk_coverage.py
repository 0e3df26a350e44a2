"""Risk against coverage: what share of the answers is wrong, if so many of the questions are answered, the surest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rag_qa.calibration.learn_then_test import Outcome


@dataclass(frozen=True, slots=True)
class Point:
    """`coverage`: share of the questions that is answered from this threshold on. `risk`: share of these answers that is wrong. Both 0 to 1."""

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A point for each confidence that occurs, from the surest on. `aurc`: the mean risk over all coverages, 0 (best) to 1; `oracle_aurc`: that of
    a confidence that puts every right answer before every wrong one.
    """

    points: tuple[Point, ...]
    oracle: tuple[Point, ...]
    aurc: float
    oracle_aurc: float

    def coverage_at(self, risk: float) -> float:
        """The largest coverage with at most so much risk; 0 if there is none."""
        return max((point.coverage for point in self.points if point.risk <= risk), default=0.0)


def curve(outcomes: Sequence[Outcome]) -> Curve:
    """The curve of some questions. Those that are never answered count as questions.

    >>> found = curve([Outcome(0.9, False), Outcome(0.6, True), Outcome(0.3, False), Outcome(0.3, False)])
    >>> [(point.coverage, round(point.risk, 2)) for point in found.points], round(found.aurc, 3), found.coverage_at(0.3)
    ([(0.25, 0.0), (0.5, 0.5), (1.0, 0.25)], 0.271, 1.0)
    """
    answered = [one for one in outcomes if one.confidence >= 0]
    perfect = [Outcome(float(not one.is_wrong), one.is_wrong) for one in answered]
    return Curve(_points(answered, len(outcomes)), _oracle(answered, len(outcomes)), _aurc(answered), _aurc(perfect))


def _groups(outcomes: Sequence[Outcome]) -> list[tuple[float, int, int]]:
    """(confidence, questions, wrong ones) for each confidence, from the surest on."""
    ordered = sorted(outcomes, key=lambda one: -one.confidence)
    groups = [(confidence, list(group)) for confidence, group in groupby(ordered, key=lambda one: one.confidence)]
    return [(confidence, len(group), sum(one.is_wrong for one in group)) for confidence, group in groups]


def _points(outcomes: Sequence[Outcome], questions: int) -> tuple[Point, ...]:
    points, answered, wrong = [], 0, 0
    for confidence, some, bad in _groups(outcomes):
        answered, wrong = answered + some, wrong + bad
        points.append(Point(confidence, answered / questions, wrong / answered))
    return tuple(points)


def _oracle(outcomes: Sequence[Outcome], questions: int) -> tuple[Point, ...]:
    """The curve of a perfect confidence: no risk until the right answers are used up."""
    right = sum(not one.is_wrong for one in outcomes)
    return tuple(Point(0.0, k / questions, max(0, k - right) / k) for k in range(1, len(outcomes) + 1) if k >= right or k == 1)


def _aurc(outcomes: Sequence[Outcome]) -> float:
    """Mean over k of the share of wrong ones among the k surest; where several are equally sure, as many of them are wrong as on average."""
    total, answered, wrong = 0.0, 0, 0
    for _, some, bad in _groups(outcomes):
        total += sum((wrong + bad * j / some) / (answered + j) for j in range(1, some + 1))
        answered, wrong = answered + some, wrong + bad
    return total / answered if answered else 0.0
