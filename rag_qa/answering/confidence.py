"""How sure we are that the papers that were found answer a question: from evidence, not from one similarity.

Two things must be true, and each has a fitted model of its own. The right paper must be among those that were found: small trees weigh what was found
(see `trees`). And the paper must say what is asked: a logistic regression, which also knows the meaning of what the paper lacks, and more trees weigh
the same numbers, each as much as the other. How sure we are is what both say together, on a scale on which 0.5 is where a question is refused by
default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_qa.answering import signals
from rag_qa.answering.signals import FEATURES as FEATURES
from rag_qa.answering.signals import MET
from rag_qa.answering.signals import Case as Case
from rag_qa.answering.weights import ConfidenceWeights

_TINY = 1e-9
_UNMET = 0.5  # what remains of the confidence when a demand is not met


@dataclass(frozen=True, slots=True)
class Assessment:
    """`anchored`: the question names something that stands in the best paper. `missing`: its words that do not, most telling first. `unmet`: the
    kind of thing that is asked for and that the paper lacks. `features` and `lacking`: what the models see (see `signals`).
    """

    confidence: float
    anchored: bool
    missing: tuple[str, ...]
    unmet: str | None
    features: NDArray[np.float64]
    lacking: NDArray[np.float64]


def assess(case: Case, weights: ConfidenceWeights) -> Assessment:
    """Judge an answer before it is given."""
    words = signals.met(case)
    features, lacking = signals.features(case, words), signals.lacking(case, words)
    sure = confidence(features, lacking, weights)
    # no weight can make up for it: the abstract does not hold the kind of thing that is asked for
    sure *= _UNMET if words.unmet else 1.0
    absent = sorted(np.flatnonzero(words.soft < MET), key=lambda i: -case.matcher.rarity[i])
    return Assessment(
        confidence=round(sure, 6),
        anchored=bool(features[FEATURES.index("anchored")]),
        missing=tuple(case.matcher.words[i] for i in absent),
        unmet=words.unmet,
        features=features,
        lacking=lacking,
    )


def confidence(features: NDArray[np.float64], lacking: NDArray[np.float64], weights: ConfidenceWeights) -> float:
    """In [0, 1], higher is surer. Meanings by other word vectors than those that the weights were fitted with say nothing."""
    said = float(features @ weights.said) + weights.said_bias
    if len(lacking) == len(weights.lacking):
        said += float(lacking @ weights.lacking)
    said = (said + weights.said_by_trees.score(features)) / 2
    together = np.log(_probability(weights.here.score(features)) + _TINY) + np.log(_probability(said) + _TINY)
    return _probability(weights.slope * float(together) + weights.bias)


def _probability(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -50.0, 50.0))))
