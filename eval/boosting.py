"""Gradient boosting of small symmetric trees for how likely something is: what one straight line through all features can't tell.

Every level of a tree asks one question, the same in all its branches (oblivious trees: Prokhorenkova et al. 2018), so that a tree of three levels
has eight leaves. Newton steps on the logistic loss (Friedman 2001; Chen and Guestrin 2016); each tree sees some of the features and of the rows,
drawn by a seed: the same data gives the same trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.learning import Array
from rag_qa.answering.trees import Trees

_BINS = 32
_ABOVE_ALL = 1e9


@dataclass(frozen=True, slots=True)
class Growth:
    """How trees are grown: how many, how deep, how much each counts; `l2`: penalty on leaves; shares of rows and features that each sees."""

    trees: int = 160
    depth: int = 3
    rate: float = 0.08
    l2: float = 4.0
    rows: float = 0.7
    features: float = 0.4
    seed: int = 5


@dataclass(frozen=True, slots=True)
class _Slopes:
    """First and second derivative of the loss, for each row."""

    first: Array
    second: Array


def boosted(x: Array, y: Array, counts: Array, growth: Growth | None = None) -> Trees:
    """Trees whose sum is the log-odds that y is 1. `x`: shape (rows, features); `y`: 1 or 0 each; `counts`: how much each row counts."""
    growth = growth or Growth()
    draw = np.random.default_rng(growth.seed)
    edges = [_edges(column) for column in x.T]
    bins = np.stack([np.searchsorted(edge, column, side="left") for edge, column in zip(edges, x.T, strict=True)], axis=1)
    share = float((counts * y).sum() / counts.sum())
    bias = float(np.log(share / (1 - share)))
    scores = np.full(len(x), bias)
    asked, borders, leaves = [], [], []
    for _ in range(growth.trees):
        p = 1.0 / (1.0 + np.exp(-scores))
        slopes = _Slopes(counts * (p - y), np.maximum(counts * p * (1 - p), 1e-9))
        rows = np.flatnonzero(draw.random(len(x)) < growth.rows)
        seen = draw.permutation(x.shape[1])[: max(1, round(growth.features * x.shape[1]))]
        splits = _grown(bins[rows], _Slopes(slopes.first[rows], slopes.second[rows]), seen, growth)
        leaf = _leaf_of(bins, splits)
        first, second = (np.bincount(leaf[rows], weights=one[rows], minlength=2**growth.depth) for one in (slopes.first, slopes.second))
        values = -growth.rate * first / (second + growth.l2)
        scores += values[leaf]
        asked.append([feature for feature, _ in splits])
        borders.append([_border(edges[feature], at) for feature, at in splits])
        leaves.append(values)
    return Trees(bias, np.array(asked), np.array(borders), np.array(leaves))


def _edges(column: Array) -> Array:
    """Borders between bins of about equally many rows."""
    return np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)[1:-1]))


def _border(edges: Array, at: int) -> float:
    """Rows whose bin is above `at` lie above this value."""
    return float(edges[at]) if at < len(edges) else _ABOVE_ALL


def _grown(bins: NDArray[np.int64], slopes: _Slopes, seen: NDArray[np.int64], growth: Growth) -> list[tuple[int, int]]:
    """(feature, bin) of every level: rows above that bin go to the right. Each level is the one that gains most."""
    splits: list[tuple[int, int]] = []
    leaf = np.zeros(len(bins), np.int64)
    for level in range(growth.depth):
        gains = [_gains(bins[:, feature], leaf, 2**level, slopes, growth.l2) for feature in seen]
        best = int(np.argmax([gain.max() for gain in gains]))
        splits.append((int(seen[best]), int(gains[best].argmax())))
        leaf += (bins[:, splits[-1][0]] > splits[-1][1]) * 2**level
    return splits


def _gains(bins: NDArray[np.int64], leaf: NDArray[np.int64], leaves: int, slopes: _Slopes, l2: float) -> Array:
    """What each border of one feature gains, all leaves together."""
    place = leaf * (_BINS + 1) + bins
    first, second = (np.bincount(place, weights=one, minlength=leaves * (_BINS + 1)).reshape(leaves, -1) for one in (slopes.first, slopes.second))
    left, under = first.cumsum(axis=1), second.cumsum(axis=1)
    right, over = left[:, -1:] - left, under[:, -1:] - under
    gained: Array = (left**2 / (under + l2) + right**2 / (over + l2)).sum(axis=0)
    return gained


def _leaf_of(bins: NDArray[np.int64], splits: list[tuple[int, int]]) -> NDArray[np.int64]:
    """The leaf of every row."""
    leaf: NDArray[np.int64] = sum((bins[:, feature] > at) * 2**level for level, (feature, at) in enumerate(splits)) + np.zeros(len(bins), np.int64)
    return leaf
