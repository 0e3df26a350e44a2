"""Fitted weights of the evidence and of the confidence: data, made by `eval.fit_sentences` and `eval.fit_confidence`, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from rag_qa.answering import trees
from rag_qa.answering.trees import NO_TREES, Trees

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """How sure we are, from the features of signals.FEATURES. `here`: log-odds that the right paper was found. Log-odds that it says what is asked:
    the mean of what `said_by_trees` says and of the line of `said`, `said_bias` and `lacking`, the weights of signals.lacking. The sum of the
    logarithms of both probabilities goes through a line (`slope`, `bias`) to the log-odds of the confidence.
    """

    here: Trees
    said_by_trees: Trees
    said: Vector
    said_bias: float
    lacking: Vector
    slope: float
    bias: float


@dataclass(frozen=True, slots=True)
class Weights:
    """`sentence`: one weight a feature of evidence.FEATURES, for every question ("every") and what is added for some: "anchored" or "free" (see
    matching.is_anchored), and the kinds of `question`. `paper`: one weight a feature of reread.FEATURES, in units of the score of a hit.
    """

    sentence: Mapping[str, Vector]
    confidence: ConfidenceWeights
    paper: Vector

    def of_sentence(self, *, anchored: bool, kind: str) -> Vector:
        """The weights of the sentence for one question; zeros where there are none."""
        named = ("every", "anchored" if anchored else "free", kind)
        found: Vector = np.sum([self.sentence[name] for name in named if name in self.sentence], axis=0)
        return found


def parse(data: Mapping[str, object], features: Sequence[str]) -> dict[str, Vector]:
    """Weights by group of questions from their JSON form, by the names of the features; one that is missing counts 0. Raises KeyError for an
    unknown one.

    >>> parse({"every": {"second": 2.0}}, ("first", "second"))["every"].tolist()
    [0.0, 2.0]
    """
    return {group: _vector(named, features) for group, named in data.items()}


def _vector(named: object, features: Sequence[str]) -> Vector:
    assert isinstance(named, dict)
    if unknown := set(named) - set(features):
        raise KeyError(f"weights for unknown features: {', '.join(sorted(unknown))}")
    return np.array([float(named.get(name, 0.0)) for name in features])


def to_data(weights: ConfidenceWeights, features: Sequence[str]) -> dict[str, object]:
    """The JSON form of the weights of the confidence, rounded."""
    return {
        "here": trees.to_data(weights.here, features),
        "said_by_trees": trees.to_data(weights.said_by_trees, features),
        "said": {name: round(float(weight), 4) for name, weight in zip(features, weights.said, strict=True)},
        "said_bias": round(weights.said_bias, 4),
        "lacking": [round(float(weight), 3) for weight in weights.lacking],
        "slope": round(weights.slope, 4),
        "bias": round(weights.bias, 4),
    }


def from_data(data: Mapping[str, object], features: Sequence[str]) -> ConfidenceWeights:
    """The weights of the confidence from their JSON form. Raises KeyError for an unknown feature."""
    here, by_trees, lacking = data["here"], data["said_by_trees"], data["lacking"]
    assert isinstance(here, dict)
    assert isinstance(by_trees, dict)
    assert isinstance(lacking, list)
    numbers = {name: float(str(data[name])) for name in ("said_bias", "slope", "bias")}
    return ConfidenceWeights(
        here=trees.from_data(here, features),
        said_by_trees=trees.from_data(by_trees, features),
        said=_vector(data["said"], features),
        lacking=np.array(lacking, np.float64),
        **numbers,
    )


def blank(sentence_features: Sequence[str], confidence_features: Sequence[str], paper_features: Sequence[str]) -> Weights:
    """Weights of nothing: every feature counts 0."""
    nothing = ConfidenceWeights(NO_TREES, NO_TREES, np.zeros(len(confidence_features)), 0.0, np.zeros(0), 1.0, 0.0)
    return Weights({"every": np.zeros(len(sentence_features))}, nothing, np.zeros(len(paper_features)))


@cache
def shipped(sentence_features: tuple[str, ...], confidence_features: tuple[str, ...], paper_features: tuple[str, ...]) -> Weights:
    """The weights that come with the program."""
    of_sentences = _read("sentence_weights.json")
    return Weights(
        parse(of_sentences["sentence"], sentence_features),
        from_data(_read("confidence_weights.json")["confidence"], confidence_features),
        _vector(of_sentences.get("paper", {}), paper_features),
    )


def _read(name: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads(files("rag_qa.answering").joinpath(name).read_text(encoding="utf-8"))
    return found
