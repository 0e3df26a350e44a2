"""Thresholds of confidence with a guarantee, from outcomes of questions like those to come. A question is answered where its confidence >= threshold.

Two kinds: conformal risk control bounds the wrong answers among all questions, in the mean; learn-then-test bounds them among the answers that are
given, up to a probability of being mistaken. Both suppose independent questions, and nothing of what the confidence is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

NEVER = -math.inf
"""The confidence of a question that is refused whatever the threshold."""
NOTHING = math.inf
"""The threshold that answers nothing."""
STEPS = 20
"""Thresholds that learn-then-test tries: those at which 1/20, 2/20 ... of the questions would be answered."""
_BEGINNINGS, _SLACK = (2, 1), 1.3  # the most that simulated questions allow; a beginning with barely enough answers fails by one wrong one


@dataclass(frozen=True, slots=True)
class Tried:
    """A threshold that was tested: calibration questions that it answers, wrong ones among them, the p-value, and its highest level."""

    threshold: float
    answered: int
    wrong: int
    p: float
    level: float

    @property
    def is_certified(self) -> bool:
        """Was it shown that at most the allowed share is wrong?"""
        return self.p <= self.level


def counted(confidence: Sequence[float], wrong: Sequence[bool], threshold: float) -> tuple[int, int]:
    """(questions that are answered, wrong ones among them).

    >>> counted([0.9, 0.5, NEVER], [False, True, True], 0.5)
    (2, 1)
    """
    answered = [is_wrong for sure, is_wrong in zip(confidence, wrong, strict=True) if sure >= threshold]
    return len(answered), sum(answered)


def fewest_answers(epsilon: float, delta: float) -> int:
    """So many answers it takes to promise anything of the share of wrong ones, even if all are right: ln(delta) / ln(1 - epsilon).

    >>> fewest_answers(0.1, 0.1), fewest_answers(0.05, 0.1)
    (22, 45)
    """
    return math.ceil(math.log(delta) / math.log1p(-epsilon) - 1e-9)


def fewest_questions(alpha: float) -> int:
    """So many questions it takes to promise anything of the risk over all, even by answering nothing: 1 / alpha - 1.

    >>> fewest_questions(0.1)
    9
    """
    return math.ceil(1 / alpha - 1 - 1e-9)


def conformal(confidence: Sequence[float], wrong: Sequence[bool], alpha: float) -> float | None:
    """The lowest threshold with (wrong answers + 1) / (questions + 1) <= alpha; `NOTHING` where only that will do; None for too few questions.

    The guarantee: of one more question like these, the probability that it gets a wrong answer is at most alpha, in the mean over all that could have
    been drawn. A refusal is no wrong answer. Nothing is said of the share of wrong ones among the answers, which is larger.

    Source: Angelopoulos, Bates, Fisch, Lei and Schuster, Conformal risk control, ICLR 2024; the loss is 1 for a wrong answer, and at most 1.

    >>> conformal([0.9, 0.8, 0.7, 0.6], [False, False, True, True], 0.4), conformal([0.9], [False], 0.1)
    (0.7, None)
    """
    questions = len(confidence)
    if questions < fewest_questions(alpha):
        return None
    candidates = sorted({0.0, NOTHING, *(sure for sure in confidence if sure != NEVER)})
    return next(one for one in candidates if counted(confidence, wrong, one)[1] + 1 <= alpha * (questions + 1) + 1e-9)


def lower_tail(wrong: int, answered: int, rate: float) -> float:
    """Probability of so few wrong answers or fewer, if each is wrong with probability `rate`, which lies between 0 and 1. 1 for no answers.

    >>> round(lower_tail(0, 22, 0.1), 4), round(lower_tail(1, 2, 0.5), 4)
    (0.0985, 0.75)
    """
    if wrong >= answered:
        return 1.0
    return min(1.0, math.fsum(_probability(k, answered, rate) for k in range(wrong + 1)))


def upper_tail(wrong: int, answered: int, rate: float) -> float:
    """Probability of so many wrong answers or more, if each is wrong with probability `rate`.

    >>> round(upper_tail(1, 2, 0.5), 4), upper_tail(0, 0, 0.1)
    (0.75, 1.0)
    """
    return min(1.0, math.fsum(_probability(k, answered, rate) for k in range(wrong, answered + 1)))


def _probability(k: int, n: int, rate: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(choose + k * math.log(rate) + (n - k) * math.log1p(-rate))


def grid(confidence: Sequence[float], steps: int = STEPS) -> list[float]:
    """Thresholds that answer 1 / steps, 2 / steps ... of some questions, the highest first; those that are never answered count among the questions.

    >>> grid([0.9, 0.7, 0.7, NEVER], steps=4)
    [0.9, 0.7]
    """
    ordered = sorted(confidence, reverse=True)
    places = [math.ceil(len(ordered) * step / steps) - 1 for step in range(1, steps + 1)]
    return sorted({ordered[place] for place in places if ordered and ordered[place] != NEVER}, reverse=True)


def learned(confidence: Sequence[float], wrong: Sequence[bool], others: Sequence[float], *, epsilon: float, delta: float) -> list[Tried]:
    """Every threshold that was tested, in the order of the tests; the lowest certified one is to be used.

    The guarantee: with probability 1 - delta over the choice of these questions, at most `epsilon` of the answers above any certified threshold are
    wrong. `others`: confidences of other questions, whose outcomes nobody looks at: which thresholds are tried, and where the tests begin, is read
    off them, so that it does not depend on the outcomes that are tested. From each of up to two beginnings the tests go down while p, the exact
    binomial one, is at most delta over the number of beginnings.

    Source: Angelopoulos, Bates, Candès, Jordan and Lei, Learn then test, Annals of Applied Statistics 19 (2025): fixed sequence testing with several
    beginnings.

    >>> sure = [1 - i / 100 for i in range(60)]
    >>> tried = learned(sure, [False] * 60, sure, epsilon=0.1, delta=0.1)
    >>> best(tried).answered
    60
    """
    thresholds = grid(others)
    tried: dict[float, Tried] = {}
    begins = _beginnings(thresholds, len(confidence), others, epsilon, delta)
    for begin in begins:
        for threshold in thresholds[begin:]:
            answered, errors = counted(confidence, wrong, threshold)
            one = Tried(threshold, answered, errors, lower_tail(errors, answered, epsilon), delta / len(begins))
            tried[threshold] = one
            if not one.is_certified:
                break
    return sorted(tried.values(), key=lambda one: -one.threshold)


def _beginnings(thresholds: Sequence[float], questions: int, others: Sequence[float], epsilon: float, delta: float) -> list[int]:
    """Places in the list of thresholds, evenly spaced among those that will answer enough; the last one where none does."""
    for count in _BEGINNINGS:
        needed = _SLACK * fewest_answers(epsilon, delta / count)
        enough = [i for i, one in enumerate(thresholds) if sum(sure >= one for sure in others) * questions >= needed * len(others)]
        if len(enough) >= count:
            return [enough[i * len(enough) // count] for i in range(count)]
    return [len(thresholds) - 1] if thresholds else []


def best(tried: Sequence[Tried]) -> Tried | None:
    """The lowest certified threshold, which answers most; None if none is."""
    return min((one for one in tried if one.is_certified), key=lambda one: one.threshold, default=None)
