"""Fitted weights of the evidence and of the confidence: data, made by `python -m eval.fit`, never by hand."""

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

    origin: str
    sentence: Mapping[str, Vector]
    confidence: Mapping[str, Vector]

    def of_sentence(self, *, anchored: bool, kind: str) -> Vector:
        """The weights of the sentence for one question; zeros where there are none."""
        named = ("every", "anchored" if anchored else "free", kind)
        found: Vector = np.sum([self.sentence[name] for name in named if name in self.sentence], axis=0)
        return found


def parse(data: Mapping[str, object], sentence_features: Sequence[str], confidence_features: Sequence[str]) -> Weights:
    """Weights from their JSON form, by the name of the feature; one that is missing counts 0. Raises KeyError for an unknown one."""
    sentence = {kind: _vector(named, sentence_features) for kind, named in _by_kind(data["sentence"]).items()}
    confidence = {kind: _vector(named, (*confidence_features, "bias")) for kind, named in _by_kind(data["confidence"]).items()}
    return Weights(str(data["origin"]), sentence, confidence)


def _by_kind(data: object) -> Mapping[str, object]:
    assert isinstance(data, dict)
    return data


def _vector(named: object, features: Sequence[str]) -> Vector:
    assert isinstance(named, dict)
    if unknown := set(named) - set(features):
        raise KeyError(f"weights for unknown features: {', '.join(sorted(unknown))}")
    return np.array([float(named.get(name, 0.0)) for name in features])


@cache
def shipped(sentence_features: tuple[str, ...], confidence_features: tuple[str, ...]) -> Weights:
    """The weights that come with the program."""
    text = files("rag_qa.answering").joinpath("weights.json").read_text(encoding="utf-8")
    return parse(json.loads(text), sentence_features, confidence_features)
