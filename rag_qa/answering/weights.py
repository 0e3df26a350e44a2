"""Fitted weights of the evidence and of the confidence: data, made by `eval.fit_sentences` and `eval.fit_confidence`, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """`sentence`: one weight a feature of evidence.FEATURES, for every question ("every") and what is added for some: "anchored" or "free" (see
    confidence), and the kinds of `question`. `confidence`: for "anchored" and for "free" questions those of confidence.FEATURES and a bias.
    """

    sentence: Mapping[str, Vector]
    confidence: Mapping[str, Vector]

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


def blank(sentence_features: Sequence[str], confidence_features: Sequence[str]) -> Weights:
    """Weights of nothing: every feature counts 0."""
    nothing = np.zeros(len(confidence_features) + 1)
    return Weights({"every": np.zeros(len(sentence_features))}, {"anchored": nothing, "free": nothing})


@cache
def shipped(sentence_features: tuple[str, ...], confidence_features: tuple[str, ...]) -> Weights:
    """The weights that come with the program."""
    return Weights(
        parse(_read("sentence_weights.json")["sentence"], sentence_features),
        parse(_read("confidence_weights.json")["confidence"], (*confidence_features, "bias")),
    )


def _read(name: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads(files("rag_qa.answering").joinpath(name).read_text(encoding="utf-8"))
    return found
