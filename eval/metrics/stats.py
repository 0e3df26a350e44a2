"""Intervals and percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
"""The standard normal quantile of 97.5 %: a two-sided interval of 95 %."""


def wilson(successes: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval for a proportion: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n). Range [0, 1]. Raises ValueError for n = 0.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).

    >>> [round(x, 3) for x in wilson(9, 10)]
    [0.596, 0.982]
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    p = successes / n
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # rounding must not push an end past 0, 1 or the proportion itself
    return min(p, max(0.0, (middle - half) / scale)), max(p, min(1.0, (middle + half) / scale))


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile (q in [0, 100]), linear between neighbours. An infinite value counts as larger than all. Raises ValueError for no values.

    >>> percentile([10, 20, 30, 40], 50)
    25.0
    """
    if not values or not 0 <= q <= 100:
        raise ValueError(f"percentile {q} of {len(values)} values")
    ordered = sorted(values)
    place = (len(ordered) - 1) * q / 100
    below = math.floor(place)
    low, weight = ordered[below], place - below
    if weight == 0:
        return float(low)
    return float(low + (ordered[below + 1] - low) * weight) if math.isfinite(ordered[below + 1]) else math.inf
