"""Intervals and percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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


RESAMPLES = 10_000
SEED = 0
_AT_ONCE = 200  # resamples whose draws are held at a time


def bootstrap(values: Array, *, resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """95 % intervals of the means of columns: (low, high) of each, shape (columns, 2). `values`: a row for each question, at least one.

    The 2.5th and the 97.5th percentile of the mean over as many questions, drawn with replacement. All columns see the same draws, so that the
    interval of a column of differences is that of a paired bootstrap. The same values and seed give the same interval. Raises ValueError for no row.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; for paired differences of retrieval figures: Sakai,
    Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.

    >>> bootstrap(np.array([[0.0, 1.0], [1.0, 1.0]] * 50)).round(2).tolist()
    [[0.4, 0.6], [1.0, 1.0]]
    """
    if not len(values):
        raise ValueError("no question to draw from")
    draws = np.random.default_rng(seed)
    means = [_resampled_means(values, draws, min(_AT_ONCE, resamples - start)) for start in range(0, resamples, _AT_ONCE)]
    intervals: Array = np.quantile(np.concatenate(means), [0.025, 0.975], axis=0).T
    return intervals


def _resampled_means(values: Array, draws: np.random.Generator, count: int) -> Array:
    """Shape (count, columns)."""
    rows = len(values)
    drawn = draws.integers(0, rows, size=(count, rows)) + np.arange(count)[:, None] * rows
    times = np.bincount(drawn.ravel(), minlength=count * rows).reshape(count, rows)
    means: Array = times @ values / rows
    return means


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
