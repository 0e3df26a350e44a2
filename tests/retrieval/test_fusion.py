"""Several scores of one paper, fused; no test here knows the fitted weights."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.retrieval.fusion import WEIGHTS, fuse

ids = st.sampled_from("abcdefg")
scores = st.fixed_dictionaries({name: st.dictionaries(ids, st.floats(-2, 3)) for name in WEIGHTS})


def test_every_ranking_counts_for_something() -> None:
    assert all(weight > 0 for weight in WEIGHTS.values())


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({}) == []
    assert fuse({name: {} for name in WEIGHTS}) == []


def test_a_score_that_a_paper_lacks_counts_as_none() -> None:
    one, *others = WEIGHTS
    everywhere = {one: {"a": 1.0, "b": 1.0}, **{name: {"b": 0.5} for name in others}}
    assert [paper for paper, _ in fuse(everywhere)] == ["b", "a"]
    assert dict(fuse({one: {"a": 1.0}})) == {"a": pytest.approx(WEIGHTS[one])}


def test_equal_scores_are_put_in_the_order_of_their_ids() -> None:
    one = next(iter(WEIGHTS))
    assert [paper for paper, _ in fuse({one: {"c": 0.5, "a": 0.5, "b": 0.5}})] == ["a", "b", "c"]


@given(scores)
def test_fused_scores_are_shares_and_fall(given_scores: Mapping[str, Mapping[str, float]]) -> None:
    fused = fuse(given_scores)
    assert {paper for paper, _ in fused} == {paper for found in given_scores.values() for paper in found}
    values = [score for _, score in fused]
    assert values == sorted(values, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in values)


@given(scores, ids, st.sampled_from(sorted(WEIGHTS)))
def test_a_higher_score_never_costs_a_place(given_scores: Mapping[str, Mapping[str, float]], paper: str, name: str) -> None:
    before = dict(fuse(given_scores)).get(paper, 0.0)
    raised = {**given_scores, name: {**given_scores[name], paper: given_scores[name].get(paper, 0.0) + 0.5}}
    assert dict(fuse(raised))[paper] >= before
