"""Does the confidence of an answer tell right from wrong? Figures over all items together, by risk and coverage.

Every item with labels counts, answered or refused, with the confidence that it came with: it is wrong where the question is unanswerable, or where
the paper that is ranked first is none of the right ones (so that a refusal has an outcome too: what would have been answered from). An item that
crashed counts as wrong and sure, the worst there is. A set without an unanswerable question or a wrong item has these figures too: easy ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eval.figures import Direction, Figure
from eval.items import Item
from eval.metrics import abstention

RISK, COVERAGE = 0.05, 0.8


@dataclass(frozen=True, slots=True)
class Curve:
    """What the figures are made of: confidences and outcomes of the items, in their order, and which of them crashed.

    `abstained`: a crash counts as the wrong decision, whichever that is.
    """

    confidence: tuple[float, ...]
    wrong: tuple[bool, ...]
    crashed: tuple[bool, ...]
    answerable: tuple[bool, ...] = ()
    abstained: tuple[bool, ...] = ()

    @property
    def right(self) -> tuple[bool, ...]:
        """The other way round."""
        return tuple(not one for one in self.wrong)


@dataclass(frozen=True, slots=True)
class SetMetric:
    """A figure of a whole set. Its range is 0 to 1."""

    name: str
    title: str
    value: Callable[[Curve], float | None]
    formula: str
    direction: Direction = "lower"
    version: str = "1"
    range: str = "0 to 1"


def _excess(curve: Curve) -> float:
    """The oracle can't reorder what crashed, nor may it profit from it: there it counts as right."""
    oracle = [wrong and not crashed for wrong, crashed in zip(curve.wrong, curve.crashed, strict=True)]
    return abstention.aurc(curve.confidence, curve.wrong) - abstention.aurc([float(not wrong) for wrong in oracle], oracle)


def _brier(curve: Curve) -> float:
    return math.fsum(abstention.brier(sure, right) for sure, right in zip(curve.confidence, curve.right, strict=True)) / len(curve.wrong)


def _refusing(place: int) -> Callable[[Curve], float | None]:
    """Precision (0) or F1 (2); of a set in which everything is answerable there is none."""

    def value(curve: Curve) -> float | None:
        return None if all(curve.answerable) else abstention.precision_recall_f1(curve.answerable, curve.abstained)[place]

    return value


METRICS = (
    SetMetric(
        "aurc",
        "area under risk and coverage",
        lambda curve: abstention.aurc(curve.confidence, curve.wrong),
        "mean over k of the share of wrong items among the k surest",
    ),
    SetMetric("excess_aurc", "AURC beyond a perfect order", _excess, "AURC less that of an oracle that puts every wrong item last"),
    SetMetric(
        "augrc",
        "risk of an undetected error",
        lambda curve: abstention.augrc(curve.confidence, curve.wrong),
        "mean over k of (wrong items among the k surest) / items",
    ),
    SetMetric(
        "coverage_at_risk_05",
        "coverage at a risk of 5 %",
        lambda curve: abstention.coverage_at_risk(curve.confidence, curve.wrong, RISK),
        "greatest share of items, surest first, of which at most 5 % are wrong",
        "higher",
    ),
    SetMetric(
        "risk_at_coverage_80",
        "risk at a coverage of 80 %",
        lambda curve: abstention.risk_at_coverage(curve.confidence, curve.wrong, COVERAGE),
        "share of wrong items among the surest 80 %",
    ),
    SetMetric(
        "calibration_error",
        "calibration error",
        lambda curve: abstention.calibration_error(curve.confidence, curve.right),
        "mean of |confidence - share right| over ten bins of equal mass",
    ),
    SetMetric("brier", "Brier score", _brier, "mean of (confidence - right)²"),
    SetMetric("refusal_precision", "refusals that are right", _refusing(0), "refused and unanswerable / refused, 0 if nothing is refused", "higher"),
    SetMetric("refusal_f1", "F1 of refusing", _refusing(2), "harmonic mean of refusal_precision and of refused / unanswerable", "higher"),
)


def curve(items: Sequence[Item]) -> Curve:
    """Confidences and outcomes of the items of which an outcome is known."""
    items = [item for item in items if _is_known(item)]
    return Curve(
        tuple(1.0 if item.status == "error" else min(1.0, max(0.0, item.confidence)) for item in items),
        tuple(_is_wrong(item) for item in items),
        tuple(item.status == "error" for item in items),
        tuple(item.question.answerable is not False for item in items),
        tuple(item.question.answerable is not False if item.status == "error" else item.status == "abstained" for item in items),
    )


def _is_known(item: Item) -> bool:
    return item.question.answerable is False or bool(item.question.papers)


def _is_wrong(item: Item) -> bool:
    first = item.retrieved[0].paper if item.retrieved else next(iter(item.cited), None)
    return item.status == "error" or not item.question.answerable or first not in (*item.question.papers, *item.question.maybe)


def figures(items: Sequence[Item]) -> list[Figure]:
    """Each figure, over all items."""
    found = curve(items)
    known, crashed = len(found.wrong), sum(found.crashed)
    counts = (known - crashed, known, crashed, len(items) - known)
    values = {one.name: one.value(found) if known else None for one in METRICS}
    missing = {"missing_field": len(items) - known} if known < len(items) else {}

    def figure(name: str, value: float | None) -> Figure:
        if value is None:
            none_to_refuse = {"all_answerable": known} if known else {}
            return Figure(name, "all", None, 0, 0, 0, len(items), na={**none_to_refuse, **missing})
        return Figure(name, "all", value, *counts, na=missing)

    return [figure(name, value) for name, value in values.items()]
