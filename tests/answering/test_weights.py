"""Weights are read by the names of their features."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rag_qa.answering import confidence, evidence, reread
from rag_qa.answering.question import Kind
from rag_qa.answering.trees import Trees
from rag_qa.answering.weights import ConfidenceWeights, Weights, blank, from_data, parse, shipped, to_data
from rag_qa.embedding.static import WordVectors

SENTENCE = {"anchored": {"second": 2.0, "first": 1.0}}


def test_the_order_is_that_of_the_features_and_not_of_the_file() -> None:
    assert parse(SENTENCE, ("first", "second"))["anchored"].tolist() == [1.0, 2.0]


def test_a_feature_without_a_weight_counts_nothing() -> None:
    assert parse(SENTENCE, ("first", "new", "second"))["anchored"].tolist() == [1.0, 0.0, 2.0]


def test_a_weight_of_no_feature_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError, match="unknown features: second"):
        parse(SENTENCE, ("first",))


def test_blank_weights_are_there_for_every_question_and_weigh_nothing() -> None:
    weights = blank(("first", "second"), ("sure",), ("about",))
    assert weights.of_sentence(anchored=False, kind="why").tolist() == [0.0, 0.0]
    assert weights.confidence.said.tolist() == [0.0]
    assert weights.confidence.here.score(np.array([7.0])) == 0.0


def test_a_sentence_is_weighed_for_every_question_and_a_little_differently_for_some() -> None:
    groups = {"every": {"first": 1.0}, "anchored": {"second": 2.0}, "why": {"first": 0.5}}
    weights = Weights(parse(groups, ("first", "second")), blank((), (), ()).confidence, np.zeros(0))
    assert weights.of_sentence(anchored=True, kind="why").tolist() == [1.5, 2.0]
    assert weights.of_sentence(anchored=False, kind="number").tolist() == [1.0, 0.0]


def test_the_shipped_weights_know_every_feature_and_both_kinds_of_question() -> None:
    weights = shipped(evidence.FEATURES, confidence.FEATURES, reread.FEATURES)
    assert weights.sentence.keys() >= {"every", "anchored", "free", *(Kind(name) for name in ("number", "why", "how", "list", "definition"))}
    assert {len(vector) for vector in weights.sentence.values()} == {len(evidence.FEATURES)}
    judging = weights.confidence
    assert len(weights.paper) == len(reread.FEATURES)
    assert (weights.paper >= 0).all()
    assert weights.paper.any()
    assert len(judging.said) == len(confidence.FEATURES)
    assert judging.said.any()
    assert len(judging.here.leaves) > 1
    assert len(judging.said_by_trees.leaves) > 1
    assert len(judging.lacking) == WordVectors.dimensions
    assert judging.slope > 0


def test_weights_of_the_confidence_are_read_as_they_were_written() -> None:
    trees = Trees(0.5, np.array([[1]]), np.array([[0.25]]), np.array([[-1.0, 1.0]]))
    more = Trees(0.25, np.array([[0]]), np.array([[0.5]]), np.array([[3.0, 2.0]]))
    written = to_data(ConfidenceWeights(trees, more, np.array([1.5, -2.0]), 0.75, np.array([0.125]), 2.0, -0.5), ("first", "second"))
    read = from_data(json.loads(json.dumps(written)), ("second", "first"))
    assert read.said.tolist() == [-2.0, 1.5]
    assert read.lacking.tolist() == [0.125]
    assert (read.said_bias, read.slope, read.bias) == (0.75, 2.0, -0.5)
    assert read.here.score(np.array([0.5, 0.0])) == 1.5
    assert read.said_by_trees.score(np.array([0.5, 0.0])) == 3.25
