"""What each sentence of an abstract does there."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import fit_roles
from rag_qa.answering import roles
from rag_qa.answering.roles import LEARNED, Role, parts, role_of_label

PLAIN = (
    "Coastal floods are a threat to many cities. However, existing models of tides are costly and fail near estuaries. "
    "In this paper, we propose TIDE-7, a model of tides that couples rivers and the sea. "
    "Experiments on 12 harbours show that TIDE-7 significantly outperforms its rivals, by 14%. "
    "A limitation of our study is that no harbour lies in the tropics. Code is available at https://tide.example."
)


def test_the_roles_of_a_plain_abstract() -> None:
    assert [part.role for part in parts(PLAIN)] == [Role.BACKGROUND, Role.PROBLEM, Role.METHOD, Role.RESULT, Role.LIMIT, Role.AVAILABILITY]


def test_the_label_of_a_section_decides_and_is_no_part_of_the_sentence() -> None:
    abstract = "OBJECTIVE: Moss grows.\nMETHODS: We find 9 bogs. They outperform.\nRESULTS: We propose nothing.\nMETHODS AND FINDINGS: It was wet."
    found = parts(abstract)

    assert [part.role for part in found[:4]] == [Role.AIM, Role.METHOD, Role.METHOD, Role.RESULT]
    assert [abstract[slice(*part.span)] for part in found] == [
        "Moss grows.",
        "We find 9 bogs.",
        "They outperform.",
        "We propose nothing.",
        "It was wet.",
    ]


@pytest.mark.parametrize(
    ("label", "role"),
    [("Main Outcome Measures", Role.METHOD), ("CONCLUSIONS AND RELEVANCE", Role.CONCLUSION), ("Findings", Role.RESULT), ("Tides", None)],
)
def test_labels(label: str, role: Role | None) -> None:
    assert role_of_label(label) is role


def test_what_is_limited_at_the_beginning_is_the_work_of_others() -> None:
    first, *_ = parts("Further research is needed on tides. We looked at 9 bays. Tides were found to turn. They turned twice a day.")

    assert first.role is not Role.LIMIT


@given(st.text(max_size=300))
def test_parts_are_slices_in_order_whatever_the_text(abstract: str) -> None:
    found = parts(abstract)

    assert all(0 <= part.span.start < part.span.end <= len(abstract) and 0 <= part.sure <= 1 for part in found)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))


def test_the_shipped_weights_name_every_feature_and_role() -> None:
    assert roles.shipped().shape == (len(roles.FEATURES), len(LEARNED))
    assert np.abs(roles.shipped()).max(axis=0).min() > 0.5
    with pytest.raises(ValueError, match="loudness"):
        roles.parse('{"loudness": {"aim": 1}}')


def test_a_fit_tells_two_kinds_apart() -> None:
    made = [
        fit_roles.Labelled("ml_papers", "However, tides are unclear. We propose TIDE, a model.", (Role.PROBLEM, Role.METHOD)),
        fit_roles.Labelled("ml_papers", "However, moss fails. We introduce MOSS, a method.", (Role.PROBLEM, Role.METHOD)),
    ]
    weights = fit_roles.fit(made, 0.3)

    assert fit_roles.accuracy(fit_roles.verdicts(made, weights)) == 1.0
    assert np.array_equal(roles.parse(fit_roles.as_json(weights)), np.round(weights, 3))


def test_roles_of_abstracts_that_were_not_fitted_on(shared_data: Path) -> None:
    fitted_on, held_out = fit_roles.halves(fit_roles.load(data=shared_data))
    told = fit_roles.accuracy(fit_roles.verdicts(held_out, fit_roles.fit(fitted_on, 1.0)))

    assert told >= 0.75
