"""Figures with their counts: value, interval, n_scored / n_eligible / n_error. Errors count as the worst value; nothing is left out in silence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from eval.items import Item
from eval.metrics import stats

Direction = Literal["higher", "lower", "neither"]
_BOUNDS = {"0 to 1": (0.0, 1.0), "-1 to 1": (-1.0, 1.0), "0 up": (0.0, math.inf)}
Aggregate = Literal["mean", "p50", "p90", "p95"]

ENOUGH = 10
"""Answers that may have one and the same value by chance are fewer."""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """An item to which a metric does not apply, and why ("abstained", "no_quotes"). It is counted, and is in no mean."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """An item that the metric applies to and for which there is no value: it counts as the worst one."""

    reason: str


Score = float | NotApplicable | Failed
"""What a metric says of one item. Shares within an answer (of sentences, of quotes) are one value too: every question weighs the same, and an
answer that crashes cannot take its many bad sentences out of the count.
"""


@dataclass(frozen=True, slots=True)
class Metric:
    """One thing that is measured. `worst` is what an error counts as (None: larger than every value).

    `score` sees items with status answered or abstained only; one with status error counts as `worst` without being looked at.
    `binary`: every value is 0 or 1, so that the mean is a proportion with a Wilson interval.
    """

    name: str
    title: str
    score: Callable[[Item], Score]
    formula: str
    aggregate: Aggregate = "mean"
    direction: Direction = "higher"
    worst: float | None = 0.0
    range: str = "0 to 1"
    binary: bool = False
    version: str = "1"


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value over a scope. `value` is None where nothing was eligible, or an error made it infinite.

    n_eligible = n_scored + n_error; `value` is over all of them. `constant`: of ten answers and more each has the same value, and it is neither the
    worst nor the best there is: a figure that tells nothing apart is more likely broken than right.
    `na`: reason -> items to which it does not apply for it.
    """

    metric: str
    scope: str
    value: float | None
    n_scored: int
    n_eligible: int
    n_error: int
    n_na: int
    interval: tuple[float, float] | None = None
    constant: bool = False
    na: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """What a floor names it by.

        >>> Figure("refused", "all", 0.5, 2, 2, 0, 0).key
        'refused.all'
        """
        return f"{self.metric}.{self.scope}"

    @property
    def counts(self) -> str:
        """scored/eligible/errors.

        >>> Figure("refused", "all", 0.5, 2, 3, 1, 0).counts
        '2/3/1'
        """
        return f"{self.n_scored}/{self.n_eligible}/{self.n_error}"


def measure(metric: Metric, scope: str, items: Sequence[Item]) -> Figure:
    """The figure of a metric over some items."""
    values: list[float] = []
    errors = 0
    reasons: Counter[str] = Counter()
    for item in items:
        score = Failed(item.error) if item.status == "error" else metric.score(item)
        if isinstance(score, Failed):
            errors += 1
        elif isinstance(score, NotApplicable):
            reasons[score.reason] += 1
        else:
            values.append(_checked(metric, item, score))
    worst = math.inf if metric.worst is None else metric.worst
    value = _aggregate(metric.aggregate, values + [worst] * errors)
    eligible = len(values) + errors
    # the mean of numbers in [0, 1] times n is the number of successes again, up to rounding
    interval = stats.wilson(round(value * eligible), eligible) if metric.binary and value is not None else None
    constant = _is_constant(metric, values)
    return Figure(metric.name, scope, value, len(values), eligible, errors, reasons.total(), interval, constant, dict(sorted(reasons.items())))


def _is_constant(metric: Metric, values: Sequence[float]) -> bool:
    return len(values) >= ENOUGH and len(set(values)) == 1 and values[0] not in _BOUNDS[metric.range]


def _checked(metric: Metric, item: Item, score: float) -> float:
    low, high = _BOUNDS[metric.range]
    inside = low <= score <= high
    if not math.isfinite(score) or not inside:
        raise ArithmeticError(f"{metric.name} of {item.question.id} is {score}, outside {metric.range}")
    return float(score)


def _aggregate(how: Aggregate, values: Sequence[float]) -> float | None:
    if not values:
        return None
    value = math.fsum(values) / len(values) if how == "mean" else stats.percentile(values, float(how[1:]))
    return value if math.isfinite(value) else None
