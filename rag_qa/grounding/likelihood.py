"""How likely an abstract bears a sentence out: features of the two, and two small logistic regressions with fitted weights.

One judges whether the abstract speaks to the sentence at all, the other whether it then says so rather than the reverse. The weights are data, made
by `python -m eval.fit_grounding`, never by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from rag_qa.claims import MET_EXACTLY, View, name_stands, share
from rag_qa.disagreement import comparison_problem, direction_problem
from rag_qa.grounding.polarity import Agreement, agreement

Array = NDArray[np.float64]

FEATURES = (
    "covered",  # share of the claim's weight that the abstract has or comes near to, a word counting by its rarity
    "covered by two",  # the same, by two sentences that follow each other
    "a name is missing",
    "direction turned",  # a rule of rag_qa.disagreement says so
    "comparison turned",
    *(one.name for one in fields(Agreement)),
)


@dataclass(frozen=True, slots=True)
class Rarity:
    """How much a word tells, by its stem: the logarithm of how few abstracts have it. Stems that are not listed are the rarest."""

    known: Mapping[str, float]
    rarest: float

    def of(self, stem: str) -> float:
        """Rarity of a stem, over 0 (higher is rarer)."""
        return self.known.get(stem, self.rarest)


@dataclass(frozen=True, slots=True)
class Weights:
    """`about` judges whether an abstract speaks to a claim, `says_so` whether it then bears it out; one weight a feature, and a bias. `emphasis`: how
    much the second counts beside the first.
    """

    origin: str
    about: Array
    says_so: Array
    emphasis: float
    rarity: Rarity


def parse(data: Mapping[str, object]) -> Weights:
    """Weights from their JSON form, by the name of the feature; one that is missing counts 0. Raises KeyError for an unknown one."""
    rarity = _mapping(data["rarity"])
    known = {stem: float(str(value)) for stem, value in _mapping(rarity["stems"]).items()}
    return Weights(
        str(data["origin"]),
        _vector(_mapping(data["about"])),
        _vector(_mapping(data["says so"])),
        float(str(data["emphasis"])),
        Rarity(known, float(str(rarity["rarest"]))),
    )


def _mapping(data: object) -> Mapping[str, object]:
    assert isinstance(data, dict)
    return data


def _vector(named: Mapping[str, object]) -> Array:
    names = (*FEATURES, "bias")
    if unknown := set(named) - set(names):
        raise KeyError(f"weights for unknown features: {', '.join(sorted(unknown))}")
    return np.array([float(str(named.get(name, 0.0))) for name in names])


@cache
def shipped() -> Weights:
    """The weights that come with the program."""
    return parse(json.loads(files("rag_qa.grounding").joinpath("weights.json").read_text(encoding="utf-8")))


def likelihood(view: View, weights: Weights) -> float:
    """How likely the abstract bears the claim out, 0 to 1: that it speaks to it, times that it then says so (to the power of the emphasis)."""
    return combine(features(view, weights.rarity), weights)


def combine(row: Array, weights: Weights) -> float:
    """The likelihood from the features of a claim and an abstract."""
    about, says_so = (float(row @ one[:-1] + one[-1]) for one in (weights.about, weights.says_so))
    return float(np.exp(_log_sigmoid(about) + weights.emphasis * _log_sigmoid(says_so)))


def _log_sigmoid(logit: float) -> float:
    return -float(np.logaddexp(0.0, -logit))


# --------------------------------------------------------------------------------------------------------------- features


def features(view: View, rarity: Rarity) -> Array:
    """Features of a claim held against an abstract, in the order of FEATURES."""
    rare = np.array([rarity.of(word.terms[0]) for word in view.claim.words])
    near = _near(view)
    by_two = max(share(near[i : i + 2].max(axis=0), rare) for i in range(max(len(near) - 1, 1)))
    evenly = view.each @ view.claim.weights / view.claim.weights.sum()
    way = agreement(view.claim.said, [sentence.said for sentence in view.sentences], evenly)
    return np.array(
        [
            share(near.max(axis=0), rare),
            by_two,
            float(any(not name_stands(name, view.paper) for name in view.claim.names)),
            float(direction_problem(view) is not None),
            float(comparison_problem(view) is not None),
            *astuple(way),
        ]
    )


def _near(view: View) -> Array:
    """How near each sentence comes to each word of the claim, by cosine or because the word stands there; shape (sentences, words)."""
    near: Array = np.where(view.each >= MET_EXACTLY, view.each, 0.0)
    there = list(dict.fromkeys(word for sentence in view.sentences for word in sentence.terms.words))
    if view.similarity is None or not there:
        return near
    cosines = view.similarity([word.text for word in view.claim.words]) @ view.similarity(there).T
    place = {word: column for column, word in enumerate(there)}
    for row, sentence in zip(near, view.sentences, strict=True):
        if sentence.terms.words:
            np.maximum(row, cosines[:, [place[word] for word in sentence.terms.words]].max(axis=1), out=row)
    return near
