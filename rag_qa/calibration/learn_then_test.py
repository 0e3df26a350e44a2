"""Learn-then-test (Angelopoulos et al., 2021): the lowest threshold of which a share of errors among the answers can be promised.

For each threshold of a fixed grid, the hypothesis is that more than the allowed share of its answers is wrong. Given how many questions it
answers, the number of wrong ones is binomial, so the p-value is exact. The hypotheses are tested in a fixed order, from the safest threshold down,
by the fallback procedure (Wiens, 2003): some thresholds bring a share of delta; a threshold is tested at what has been brought and not lost; a test
that succeeds hands all of it on, one that fails loses it. The probability that any threshold is certified whose true share of errors is above the
allowed one is at most delta, whatever the confidence is worth: nothing is assumed of it but that questions to come are like those it was tried on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

STARTS = {0.94: 0.1, 0.9: 0.1, 0.8: 0.7, 0.7: 0.1}
"""Threshold -> the share of delta that it brings. Most lies where well-founded answers begin: far above, too few questions are answered to show
anything. Chosen once, on development questions; to choose it by the questions that are tested would break the promise.
"""
GRID = tuple(round(0.94 - 0.02 * i, 2) for i in range(47))
"""The thresholds that are tried, 0.94 to 0.02, from the safest on."""

_MOST_NEEDED = 100_000
_GROWTH = 1.02


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question: how sure the answerer was (below 0: it is refused by every threshold), and whether to answer it is an error."""

    confidence: float
    is_wrong: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A threshold: questions that it answers, wrong ones among them, the p-value, and the level at which it was tested (0: not at all)."""

    threshold: float
    answered: int
    wrong: int
    p: float
    level: float

    @property
    def is_certified(self) -> bool:
        """Was it shown that at most the allowed share is wrong?"""
        return self.level > 0 and self.p <= self.level


def sequence(outcomes: Sequence[Outcome], *, risk: float, delta: float, lowest: float = 0.0) -> list[Step]:
    """Every threshold of the grid down to `lowest`, in the order of the tests. `risk`: allowed share of wrong answers; `delta`: the probability that
    the promise is false.
    """
    found, level = [], 0.0
    for threshold in (one for one in GRID if one >= lowest):
        level = min(delta, level + delta * STARTS.get(threshold, 0.0))
        answered, wrong = counted(outcomes, threshold)
        one = Step(threshold, answered, wrong, p_value(wrong, answered, risk), level)
        found.append(one)
        level = level if one.is_certified else 0.0
    return found


def chosen(found: Sequence[Step]) -> Step | None:
    """The lowest certified threshold, which answers most; None if none is."""
    return min((one for one in found if one.is_certified), key=lambda one: one.threshold, default=None)


def counted(outcomes: Sequence[Outcome], threshold: float) -> tuple[int, int]:
    """(questions that a threshold answers, wrong ones among them).

    >>> counted([Outcome(0.9, False), Outcome(0.5, True), Outcome(0.4, True)], 0.5)
    (2, 1)
    """
    answered = [one for one in outcomes if one.confidence >= threshold]
    return len(answered), sum(one.is_wrong for one in answered)


def p_value(wrong: int, answered: int, risk: float) -> float:
    """Probability of so few wrong answers or fewer, if the true share of wrong ones were `risk` (0 to 1): small where the share must be lower.

    >>> round(p_value(0, 22, 0.1), 4), p_value(0, 0, 0.1)
    (0.0985, 1.0)
    """
    if wrong >= answered:
        return 1.0
    logs = [_log_choose(answered, k) + k * math.log(risk) + (answered - k) * math.log1p(-risk) for k in range(wrong + 1)]
    return min(1.0, math.fsum(map(math.exp, logs)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def fewest(risk: float, delta: float) -> int:
    """So many answers are needed to promise anything, even if all of them are right.

    >>> fewest(0.1, 0.1), fewest(0.05, 0.1)
    (22, 45)
    """
    return math.ceil(math.log(delta) / math.log1p(-risk))


def needed(outcomes: Sequence[Outcome], *, risk: float, delta: float) -> int | None:
    """About how many questions like these it would take to certify a threshold, if as many of them were answered and wrong as here; None if no
    number would do, because at every threshold that answers anything more than `risk` of the answers are wrong.
    """
    guesses = [_needed(len(outcomes), *counted(outcomes, start), risk, share * delta) for start, share in STARTS.items()]
    return min((one for one in guesses if one is not None), default=None)


def _needed(questions: int, answered: int, wrong: int, risk: float, level: float) -> int | None:
    """The same for one threshold."""
    if not answered or wrong / answered >= risk:
        return None
    size = float(fewest(risk, level))
    while p_value(math.ceil(size * wrong / answered), math.ceil(size), risk) > level:
        size *= _GROWTH
        if size > _MOST_NEEDED:
            return None
    return math.ceil(math.ceil(size) * questions / answered)
