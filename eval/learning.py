"""The two small linear models that the weights of the product are fitted with: which of a list is right, and how likely something is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# What is added for a group of questions is shrunk the more, the smaller its factor (Daumé 2007, with a penalty for the copies).
_FOR_GROUP = 0.5

_RATE, _MOMENTUM, _SPREAD = 0.03, 0.9, 0.99  # of Adam (Kingma and Ba 2015)
_NEWTON_STEPS = 50
_STILL = 1e-8  # a step as small as this changes nothing
_TINY = 1e-6  # keeps a feature that never changes from being divided by nothing


@dataclass(frozen=True, slots=True)
class Row:
    """Things to be ranked for one question, sentences or papers: features, shape (things, features); `target`: which are right, summing to 1.
    `groups`: what the question belongs to ("every", and for sentences "anchored" or "free", its kind); `counts`: how much it counts.
    """

    features: Array
    target: Array
    groups: tuple[str, ...]
    counts: float = 1.0


def listwise(rows: Sequence[Row], *, l2: float = 20.0, steps: int = 300) -> dict[str, Array]:
    """Weights by group, shape (features,) each, by list-wise cross-entropy (ListNet top-one: Cao et al. 2007), by Adam on standardised features."""
    _, spread = _moments(np.vstack([row.features for row in rows]))
    names = list(dict.fromkeys(name for row in rows for name in row.groups))
    factors = {name: 1.0 if name == "every" else _FOR_GROUP for name in names}
    features, target, counts = _padded([(row.features - row.features.mean(axis=0)) / spread for row in rows], rows)
    member = np.array([[factors[name] if name in row.groups else 0.0 for name in names] for row in rows])
    weights = np.zeros((len(names), features.shape[2]))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        scores = np.einsum("qsf,qf->qs", features, member @ weights)
        shares = softmax(np.where(target < 0, -np.inf, scores))
        missed = np.einsum("qs,qsf->qf", (shares - np.maximum(target, 0.0)) * counts[:, None], features)
        gradient = (l2 * weights + member.T @ missed) / counts.sum()
        first = _MOMENTUM * first + (1 - _MOMENTUM) * gradient
        second = _SPREAD * second + (1 - _SPREAD) * gradient**2
        weights -= _RATE * (first / (1 - _MOMENTUM**step)) / (np.sqrt(second / (1 - _SPREAD**step)) + 1e-8)
    return {name: factors[name] * weights[i] / spread for i, name in enumerate(names)}


def _padded(scaled: Sequence[Array], rows: Sequence[Row]) -> tuple[Array, Array, Array]:
    """(features, targets, counts) of all rows in one array each, as long as the longest; a target of -1 marks places where there is no sentence."""
    longest = max(len(row.target) for row in rows)
    features = np.zeros((len(rows), longest, scaled[0].shape[1]))
    target = np.full((len(rows), longest), -1.0)
    for i, row in enumerate(rows):
        features[i, : len(row.target)] = scaled[i]
        target[i, : len(row.target)] = row.target
    return features, target, np.array([row.counts for row in rows])


def _moments(features: Array) -> tuple[Array, Array]:
    """Mean and spread of each column."""
    return features.mean(axis=0), features.std(axis=0) + _TINY


def softmax(scores: Array) -> Array:
    """Along the last axis."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = odds / odds.sum(axis=-1, keepdims=True)
    return shares


def logistic(x: Array, y: Array, counts: Array, *, l2: float | Array) -> Array:
    """Weights of an L2-regularised logistic regression by Newton's method on standardised features, shape (features + 1,), the last one the bias.

    `x`: shape (rows, features); `y`: 1 or 0 each; `counts`: how much each row counts; `l2`: one penalty for all features, or one for each.
    """
    mean, spread = _moments(x)
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    penalty = np.r_[np.broadcast_to(l2, x.shape[1]), _TINY]  # the bias is free
    weights = np.zeros(z.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-z @ weights))
        gradient = z.T @ (counts * (p - y)) + penalty * weights
        hessian = (z * (counts * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < _STILL:
            break
    fitted: Array = np.r_[weights[:-1] / spread, weights[-1] - float((weights[:-1] * mean / spread).sum())]
    return fitted
