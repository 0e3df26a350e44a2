"""Does it answer what the papers answer, and refuse the rest?"""

from __future__ import annotations


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
