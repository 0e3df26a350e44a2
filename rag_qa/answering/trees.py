"""A sum of small decision trees, as fitted by `eval.boosting`: every level of a tree asks one question, the same in all its branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Trees:
    """`features`, `borders`: shape (trees, levels), which feature each level asks for and the value above which it goes on to the right;
    `leaves`: shape (trees, 2 ** levels), the first level counting 1, the second 2, the third 4.
    """

    bias: float
    features: NDArray[np.int64]
    borders: NDArray[np.float64]
    leaves: NDArray[np.float64]

    def score(self, values: NDArray[np.float64]) -> float:
        """The sum of the leaves that the values of the features lead to.

        >>> Trees(1.0, np.array([[0]]), np.array([[0.5]]), np.array([[-2.0, 3.0]])).score(np.array([0.7]))
        4.0
        """
        if not len(self.leaves):
            return self.bias
        branch = (values[self.features] > self.borders) @ (2 ** np.arange(self.features.shape[1]))
        return self.bias + float(self.leaves[np.arange(len(self.leaves)), branch].sum())


NO_TREES = Trees(0.0, np.zeros((0, 1), np.int64), np.zeros((0, 1)), np.zeros((0, 2)))
"""Every score is 0."""


def to_data(trees: Trees, names: Sequence[str]) -> dict[str, object]:
    """The JSON form, by the names of the features: each tree its levels, [name, border] each, and its leaves."""
    rows = [
        {"levels": [[names[f], round(float(b), 5)] for f, b in zip(features, borders, strict=True)], "leaves": [round(float(v), 4) for v in leaves]}
        for features, borders, leaves in zip(trees.features, trees.borders, trees.leaves, strict=True)
    ]
    return {"bias": round(trees.bias, 4), "trees": rows}


def from_data(data: Mapping[str, object], names: Sequence[str]) -> Trees:
    """Trees from their JSON form. Raises KeyError for an unknown feature."""
    rows, bias = data["trees"], data["bias"]
    assert isinstance(rows, list)
    assert isinstance(bias, int | float)
    place = {name: i for i, name in enumerate(names)}
    if unknown := {name for row in rows for name, _ in row["levels"]} - set(names):
        raise KeyError(f"trees of unknown features: {', '.join(sorted(unknown))}")
    if not rows:
        return NO_TREES
    features = np.array([[place[name] for name, _ in row["levels"]] for row in rows], np.int64)
    borders = np.array([[border for _, border in row["levels"]] for row in rows], np.float64)
    return Trees(float(bias), features, borders, np.array([row["leaves"] for row in rows], np.float64))
