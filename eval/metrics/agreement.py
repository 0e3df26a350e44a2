"""How far an automatic check agrees with people. Higher is better."""

from __future__ import annotations

from collections.abc import Sequence


def balanced_accuracy(said: Sequence[bool], truth: Sequence[bool]) -> float:
    """Mean of the share of true cases that were called true and of false ones that were called false; 0.5 for a guess. Raises ValueError if there
    is none of either.

    >>> balanced_accuracy([True, True, False], [True, False, False])
    0.75
    """
    right = {label: [one == label for one, other in zip(said, truth, strict=True) if other == label] for label in (True, False)}
    if not all(right.values()):
        raise ValueError("balanced accuracy needs cases of both kinds")
    return sum(sum(found) / len(found) for found in right.values()) / 2


def kappa(said: Sequence[bool], truth: Sequence[bool]) -> float:
    """Cohen's kappa: agreement beyond chance; 1 for full agreement, 0 for that of chance. Raises ValueError for no case.

    Source: J. Cohen, A coefficient of agreement for nominal scales, 1960.

    >>> kappa([True, True, False, False], [True, False, False, False])
    0.5
    """
    if not said:
        raise ValueError("nothing to agree on")
    n = len(said)
    agreed = sum(one == other for one, other in zip(said, truth, strict=True)) / n
    by_chance = sum(said) / n * sum(truth) / n + (1 - sum(said) / n) * (1 - sum(truth) / n)
    return 1.0 if by_chance == 1.0 else (agreed - by_chance) / (1 - by_chance)
