"""What becomes of a chat as it goes on. Pure functions; nothing here knows what a question or an answer is made of."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from eval.metrics import stats
from eval.metrics.stats import Array


def slope(turns: Sequence[float], values: Sequence[float]) -> float | None:
    """Least squares: by how much values change a turn; below 0 they decay. None where all questions are of one turn, or there is none.

    sum((t - mean t) (v - mean v)) / sum((t - mean t)²)

    >>> slope([2, 3, 4], [1.0, 0.5, 0.0])
    -0.5
    """
    found = _slopes(np.asarray(turns, dtype=np.float64), np.asarray(values, dtype=np.float64), np.ones((1, len(turns))))
    return None if not len(turns) or math.isnan(found[0]) else float(found[0])


def slope_interval(
    turns: Sequence[float], values: Sequence[float], clusters: Sequence[int], *, resamples: int = stats.RESAMPLES, seed: int = stats.SEED
) -> tuple[float, float] | None:
    """The 95 % interval of `slope`: clusters of questions are drawn with replacement. Draws of which all questions are of one turn count for nothing;
    None where that is so of all questions together.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 9 and 13; by clusters: Field and Welsh, JRSS B 69 (2007).

    >>> slope_interval([1, 2, 1, 2], [1.0, 0.0, 1.0, 0.0], [0, 0, 1, 1])
    (-1.0, -1.0)
    """
    if slope(turns, values) is None:
        return None
    of, count = stats.numbered(np.asarray(clusters, dtype=np.int64))
    at, reached = np.asarray(turns, dtype=np.float64), np.asarray(values, dtype=np.float64)
    found = np.concatenate([_slopes(at, reached, times[:, of]) for times in stats.cluster_draws(count, resamples, seed)])
    ordered = np.sort(found[~np.isnan(found)])
    last = ordered.size - 1
    return float(ordered[math.floor(last * 0.025)]), float(ordered[math.ceil(last * 0.975)])


def _slopes(turns: Array, values: Array, times: Array) -> Array:
    """The slope for each row of `times`, that says how often each question counts; NaN where all that count are of one turn."""
    total = times.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_turn, mean_value = times @ turns / total, times @ values / total
        spread = times @ turns**2 - total * mean_turn**2
        found: Array = np.where(spread > 1e-9, (times @ (turns * values) - total * mean_turn * mean_value) / spread, np.nan)
    return np.round(found, 12) + 0.0


def contaminated(cited: Collection[str], earlier: Collection[str], right: Collection[str]) -> float:
    """After a change of topic: 1 if an answer cites papers of the earlier topic and no other one, else 0; right ones are of no earlier topic.

    Lower is better. Raises ValueError for an answer that cites nothing.

    >>> contaminated(["old"], ["old"], ["new"]), contaminated(["old", "new"], ["old"], ["new"]), contaminated(["old"], ["old"], ["old"])
    (1.0, 0.0, 0.0)
    """
    if not cited:
        raise ValueError("an answer that cites nothing")
    return float(all(paper in earlier and paper not in right for paper in cited))
