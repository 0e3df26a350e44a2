"""Intervals and percentiles; what a difference of two systems is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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


# ------------------------------------------------------------------------------------------------------- two systems, in pairs

Aggregate = Literal["mean", "p50", "p90", "p95"]

_MOST_EXACT = 13  # clusters that differ: so many sign flips (2 ** 13) are all tried, beyond that RESAMPLES of them are drawn
_TINY = 1e-12


def aggregate(values: Array, how: Aggregate) -> float:
    """A mean or percentile of the values that are no NaN; NaN where there is none.

    >>> aggregate(np.array([1.0, np.nan, 2.0]), "mean")
    1.5
    """
    return float(_aggregates(values, np.ones((1, len(values))), how)[0])


@dataclass(frozen=True, slots=True)
class Paired:
    """What two systems reached on the same questions: a value for each question, NaN where the question is not eligible, infinite for an error of
    a metric without a worst value. `clusters`: a number for each question; questions of one number (about one paper) are drawn together.
    """

    before: Array
    after: Array
    clusters: NDArray[np.int64]
    aggregate: Aggregate = "mean"

    @property
    def delta(self) -> float:
        """Aggregate after less aggregate before. NaN where nothing is eligible on a side, or where both are infinite.

        >>> Paired(np.array([0.0, 1.0, np.nan]), np.array([1.0, 1.0, 1.0]), np.arange(3)).delta
        0.5
        """
        return float(_differences(self, np.ones((1, len(self.before))))[0])


@dataclass(frozen=True, slots=True)
class Spread:
    """What chance makes of a difference: its 95 % interval, and the variance of one question's difference (for `items_needed`)."""

    low: float
    high: float
    variance: float


def paired_bootstrap(paired: Paired, *, resamples: int = RESAMPLES, seed: int = SEED) -> Spread:
    """The 95 % interval of a difference of two systems: clusters of questions are drawn with replacement, each with both its values.

    The ends are values that were drawn (the interval is rounded outwards, never interpolated), so that errors, which may be infinite, don't spoil it.
    The variance is that of the drawn differences times the number of eligible questions: with clusters it is larger than that of single questions.
    Draws in which a side has no eligible question count for nothing. Raises ValueError where that is so of all questions together.

    Source: paired bootstrap as in `bootstrap`; by clusters: Field and Welsh, Bootstrapping clustered data, JRSS B 69 (2007).

    >>> spread = paired_bootstrap(Paired(np.zeros(100), np.array([0.0, 1.0] * 50), np.arange(100)))
    >>> round(spread.low, 2), round(spread.high, 2), round(spread.variance, 2)
    (0.4, 0.6, 0.25)
    """
    of, count = numbered(paired.clusters)
    if not count or math.isnan(paired.delta):
        raise ValueError("no question to draw from")
    deltas = np.concatenate([_differences(paired, times[:, of]) for times in cluster_draws(count, resamples, seed)])
    deltas = np.sort(deltas[~np.isnan(deltas)])
    last = deltas.size - 1
    low, high = deltas[math.floor(last * 0.025)], deltas[math.ceil(last * 0.975)]
    eligible = int(np.sum(~np.isnan(paired.before) | ~np.isnan(paired.after)))
    variance = float(deltas.var()) * eligible if np.isfinite(deltas).all() else math.inf
    return Spread(float(low), float(high), variance)


def numbered(clusters: NDArray[np.int64]) -> tuple[NDArray[np.intp], int]:
    """Cluster numbers from 0 without a gap, in the order of their numbers, and how many there are."""
    names, of = np.unique(clusters, return_inverse=True)
    return of, len(names)


def cluster_draws(clusters: int, resamples: int, seed: int) -> Iterator[Array]:
    """How often each cluster is drawn, a row for each resample: as many draws as there are clusters."""
    draws = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        count = min(_AT_ONCE, resamples - start)
        drawn = draws.integers(0, clusters, size=(count, clusters)) + np.arange(count)[:, None] * clusters
        yield np.bincount(drawn.ravel(), minlength=count * clusters).reshape(count, clusters).astype(np.float64)


def _differences(paired: Paired, times: Array) -> Array:
    """Differences of the aggregates, one for each row of `times` (how often each question counts)."""
    with np.errstate(invalid="ignore"):
        return _rounded(_aggregates(paired.after, times, paired.aggregate) - _aggregates(paired.before, times, paired.aggregate))


def _rounded(differences: Array) -> Array:
    """Sums of the same values in another order are no difference."""
    rounded: Array = np.round(differences, 12) + 0.0
    return rounded


def _aggregates(values: Array, times: Array, how: Aggregate) -> Array:
    """An aggregate of values for each row of `times`, that says how often each value counts; NaN for a row in which none counts."""
    eligible = ~np.isnan(values)
    values, times = values[eligible], times[:, eligible]
    if how == "mean":
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Array = times @ values / times.sum(axis=1)
        return means
    return _percentiles(values, times, float(how[1:]))


def _percentiles(values: Array, times: Array, q: float) -> Array:
    """`percentile` for each row of `times`."""
    order = np.argsort(values, kind="stable")
    ordered, upto = np.append(values[order], np.nan), np.cumsum(times[:, order], axis=1)
    total = upto[:, -1] if upto.shape[1] else np.zeros(len(times))
    place = np.maximum(total - 1, 0) * q / 100
    below = np.floor(place)
    low, high = (ordered[(upto <= at[:, None]).sum(axis=1)] for at in (below, np.minimum(below + 1, np.maximum(total - 1, 0))))
    weight = place - below
    with np.errstate(invalid="ignore"):
        between = np.where(np.isinf(high), np.inf, low + (high - low) * weight)
    found: Array = np.where(total == 0, np.nan, np.where(weight == 0, low, between))
    return found


def sign_flip(paired: Paired, *, resamples: int = RESAMPLES, seed: int = SEED) -> float:
    """Two-sided p of a difference if the two systems were one: how often does it come out as large when each cluster's two sides are swapped or not?

    For means of the same questions that is flipping the signs of the differences. Exact where at most 13 clusters differ, otherwise
    (1 + as large) / (1 + resamples). Range (0, 1]; 1 where nothing differs.

    Source: Fisher, The Design of Experiments (1935); for retrieval figures: Smucker, Allan and Carterette, CIKM 2007.

    >>> sign_flip(Paired(np.zeros(4), np.array([1.0, 1.0, 1.0, 0.0]), np.arange(4)))  # 2 of the 8 flips of three signs
    0.25
    """
    of, count = numbered(paired.clusters)
    differ = np.unique(of[~np.isclose(paired.before, paired.after, rtol=0, atol=_TINY, equal_nan=True)])
    if not differ.size:
        return 1.0
    exact = differ.size <= _MOST_EXACT
    flips = _all_flips(differ.size) if exact else _some_flips(differ.size, resamples, seed)
    seen = abs(paired.delta)
    as_large = total = 0
    for chosen in flips:
        swapped = np.zeros((len(chosen), count), dtype=bool)
        swapped[:, differ] = chosen
        deltas = np.abs(_swapped_differences(paired, swapped[:, of]))
        as_large += int(np.sum(~(deltas < seen)))  # NaN, where a side is left empty, counts against a difference
        total += len(chosen)
    return as_large / total if exact else (1 + as_large) / (1 + total)


def _all_flips(clusters: int) -> Iterator[NDArray[np.bool_]]:
    yield (np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1).astype(bool)


def _some_flips(clusters: int, resamples: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    draws = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        yield draws.random((min(_AT_ONCE, resamples - start), clusters)) < 0.5


def _swapped_differences(paired: Paired, swapped: NDArray[np.bool_]) -> Array:
    """The difference for each row of `swapped`: are the two sides of each question exchanged?"""
    both = np.concatenate([paired.before, paired.after])
    first = np.concatenate([~swapped, swapped], axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return _rounded(_aggregates(both, 1 - first, paired.aggregate) - _aggregates(both, first, paired.aggregate))


def mcnemar(better: int, worse: int) -> float:
    """Two-sided exact p of McNemar's test: of the questions that flipped, are as many better as worse? Range (0, 1].

    2 * P(X <= min) for X ~ Binomial(better + worse, 1/2), at most 1.

    Source: McNemar, Psychometrika 12 (1947); exact by the binomial.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    if better < 0 or worse < 0:
        raise ValueError(f"{better} better, {worse} worse")
    flipped = better + worse
    tail = sum(math.comb(flipped, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << flipped))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p of each of several tests, in the same order: below 0.05 each means that all of them together err in at most 5 % of cases.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for place, at in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[at]))
        adjusted[at] = least
    return adjusted


def items_needed(variance: float, delta: float) -> int | None:
    """Questions that it takes to see a difference: n = 7.84 * variance / delta², 7.84 = (1.96 + 0.84)²: at 5 %, in four of five cases.

    `variance` is that of one question's difference. None where no number of them would do: a difference of 0, or what is not finite.

    >>> items_needed(0.10, 0.05)  # one in ten flips
    314
    """
    if not delta or not math.isfinite(variance) or not math.isfinite(delta):
        return None
    return max(1, math.ceil(7.84 * variance / delta**2 - 1e-9))
