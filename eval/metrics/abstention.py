"""Does it answer what the papers answer, and refuse the rest; and does its confidence know which is which?

Risk and coverage: the items are sorted by confidence, highest first; the risk at k is the share of errors among the first k. All are in [0, 1].
Items of equal confidence come in the worst order, errors first, so that nobody gains by giving everything the same confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


def refusal(abstained: bool) -> float:
    """1 for a refusal, 0 for an answer. Its mean over unanswerable questions is to be high, over answerable ones low (over-refusal).

    >>> refusal(True)
    1.0
    """
    return float(abstained)


def right_decision(*, answerable: bool, abstained: bool) -> float:
    """1 if an answerable question is answered or an unanswerable one refused, otherwise 0; its mean is abstention accuracy. Higher is better.

    Whether the answer is right is another figure.

    >>> right_decision(answerable=True, abstained=True)
    0.0
    """
    return float(answerable is not abstained)


def conditional(*, answerable: bool, abstained: bool, quality: float) -> float:
    """What an answer is worth when refusing is an answer too: unanswerable: 1 if refused, else 0; answerable: its quality, 0 if refused.

    Source: the conditional scores of MT-RAG (Katsis et al. 2025).

    >>> conditional(answerable=True, abstained=False, quality=0.5), conditional(answerable=False, abstained=True, quality=0.0)
    (0.5, 1.0)
    """
    if not answerable:
        return float(abstained)
    return 0.0 if abstained else quality


def precision_recall_f1(answerable: Sequence[bool], abstained: Sequence[bool]) -> tuple[float, float, float]:
    """Precision, recall and F1 of refusing: refusals that were right / refusals; unanswerable that were refused / unanswerable. Higher is better.

    A share of nothing is 0.

    >>> precision_recall_f1([True, False, False], [True, True, False])
    (0.5, 0.5, 0.5)
    """
    right = sum(refused and not asked for asked, refused in zip(answerable, abstained, strict=True))
    precision = right / max(1, sum(abstained))
    recall = right / max(1, len(answerable) - sum(answerable))
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """Among the `coverage` (share) that the system is surest of, `risk` is the share of errors. `confidence`: of the last of them."""

    coverage: float
    risk: float
    confidence: float


def risk_coverage(confidence: Sequence[float], wrong: Sequence[bool]) -> list[Point]:
    """The curve, one point an item, surest first. Raises ValueError for no items.

    Source: El-Yaniv and Wiener, On the foundations of noise-free selective classification, JMLR 11 (2010).

    >>> [(round(point.coverage, 2), round(point.risk, 2)) for point in risk_coverage([0.9, 0.5, 0.7], [False, True, False])]
    [(0.33, 0.0), (0.67, 0.0), (1.0, 0.33)]
    """
    if not confidence:
        raise ValueError("no item: there is no curve")
    order = sorted(zip(confidence, wrong, strict=True), key=lambda pair: (-pair[0], not pair[1]))
    points, errors = [], 0
    for k, (sure, is_wrong) in enumerate(order, start=1):
        errors += is_wrong
        points.append(Point(k / len(order), errors / k, sure))
    return points


def aurc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """Mean risk along the curve; lower is better, 0 for no errors. Source: Geifman, Uziel and El-Yaniv, ICLR 2019.

    >>> aurc([0.9, 0.8], [False, True]), aurc([0.9, 0.8], [True, False])
    (0.25, 0.75)
    """
    points = risk_coverage(confidence, wrong)
    return math.fsum(point.risk for point in points) / len(points)


def excess_aurc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """AURC less that of an oracle that puts every error last; lower is better, 0 for a perfect order. Source: as AURC (E-AURC).

    >>> excess_aurc([0.9, 0.8], [False, True])
    0.0
    """
    return aurc(confidence, wrong) - aurc([float(not is_wrong) for is_wrong in wrong], wrong)


def augrc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """Mean over k of (errors among the first k) / items: the risk of an undetected error; lower is better. Source: Traub et al., NeurIPS 2024.

    >>> augrc([0.9, 0.8], [True, False])
    0.5
    """
    points = risk_coverage(confidence, wrong)
    return math.fsum(point.risk * point.coverage for point in points) / len(points)


def coverage_at_risk(confidence: Sequence[float], wrong: Sequence[bool], most: float) -> float:
    """The greatest coverage at which the risk is at most `most`, at a border between different confidences; 0 where there is none. Higher is better.

    >>> coverage_at_risk([0.9, 0.8, 0.7], [False, True, False], 0.4)
    1.0
    """
    return max((point.coverage for point in _borders(confidence, wrong) if point.risk <= most), default=0.0)


def risk_at_coverage(confidence: Sequence[float], wrong: Sequence[bool], least: float) -> float:
    """The risk at the first border between different confidences at which the coverage is at least `least`. Lower is better.

    >>> risk_at_coverage([0.9, 0.8, 0.7], [False, True, False], 0.5)
    0.5
    """
    return next(point.risk for point in _borders(confidence, wrong) if point.coverage >= least - 1e-12)


def _borders(confidence: Sequence[float], wrong: Sequence[bool]) -> list[Point]:
    """Points at which a threshold can lie: items of equal confidence are answered or refused together."""
    points = risk_coverage(confidence, wrong)
    return [point for point, after in zip(points, [*points[1:], None], strict=True) if after is None or after.confidence != point.confidence]


@dataclass(frozen=True, slots=True)
class Bin:
    """Items of neighbouring confidence: how many, their mean confidence, and the share of them that is right."""

    count: int
    confidence: float
    right: float


def reliability(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Bins of about equal mass by confidence, lowest first, at most `bins`.

    >>> [(one.count, one.right) for one in reliability([0.1, 0.2, 0.8, 0.9], [False, False, True, True], bins=2)]
    [(2, 0.0), (2, 1.0)]
    """
    groups: list[list[tuple[float, bool]]] = [[]]
    for sure, is_right in sorted(zip(confidence, right, strict=True)):
        full = len(groups[-1]) >= len(confidence) / bins
        if full and groups[-1][-1][0] != sure:  # equal confidences stay together
            groups.append([])
        groups[-1].append((sure, is_right))
    return [_bin(group) for group in groups if group]


def _bin(group: Sequence[tuple[float, bool]]) -> Bin:
    return Bin(len(group), math.fsum(sure for sure, _ in group) / len(group), sum(is_right for _, is_right in group) / len(group))


def calibration_error(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error over bins of equal mass: mean of |confidence - share right|, by items; lower is better.

    Source: Naeini, Cooper and Hauskrecht, AAAI 2015. Raises ValueError for no items.

    >>> round(calibration_error([0.5, 0.5], [True, False]), 6)
    0.0
    """
    found = reliability(confidence, right, bins)
    if not found:
        raise ValueError("no item: there is no calibration")
    return math.fsum(one.count * abs(one.confidence - one.right) for one in found) / len(confidence)


def brier(confidence: float, right: bool) -> float:
    """(confidence - right)²; its mean is the Brier score; lower is better.

    >>> brier(0.5, True)
    0.25
    """
    return (confidence - float(right)) ** 2
