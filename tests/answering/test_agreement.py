"""Findings that agree, findings that contradict each other, and the many pairs of which neither can be said."""

from __future__ import annotations

import pytest

from rag_qa.answering.agreement import agreements, contradictions, findings
from rag_qa.papers import Paper


def found(*sentences: str) -> list[tuple[str, str]]:
    """("agree" or "contradict", why) for papers with one finding each."""
    papers = [Paper(f"p{n}", f"BACKGROUND: We looked.\nRESULTS: {sentence}") for n, sentence in enumerate(sentences)]
    told = findings(papers, lambda _: 1.0)
    return [("contradict", pair.why) for pair in contradictions(told)] + [("agree", pair.why) for pair in agreements(told)]


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Serum corin levels were higher in stroke patients.", "Serum corin levels were lower in stroke patients.", "“higher"),
        ("Pioglitazone use was associated with bladder cancer.", "Pioglitazone use was not associated with bladder cancer.", "not associated"),
        ("Salt intake increased blood pressure in adults.", "Salt intake reduced blood pressure in adults.", "increased blood pressure"),
        ("Drug A did not reduce pain in older adults.", "Drug A reduced pain in older adults.", "not reduce"),
    ],
)
def test_clear_contradictions(one: str, other: str, why: str) -> None:
    ((kind, said),) = found(one, other)

    assert kind == "contradict"
    assert why in said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Salt intake increased blood pressure in adults.", "In adults, salt intake raised blood pressure."),
        ("Pioglitazone use was not associated with bladder cancer.", "No association of pioglitazone use with bladder cancer was seen."),
    ],
)
def test_clear_agreements(one: str, other: str) -> None:
    assert [kind for kind, _ in found(one, other)] == ["agree"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alendronate reduced the risk of fractures among women.", "Women with osteoporosis have a greater risk of fractures."),  # another subject
        ("Salt intake increased blood pressure in adults.", "Sugar intake reduced body weight in adults."),
        ("Salt intake may increase blood pressure in adults.", "Salt intake reduced blood pressure in adults."),  # only supposed
        ("No exon was skipped during splicing in vitro.", "The exon was skipped during splicing in vitro."),  # no relation of two things
    ],
)
def test_what_is_not_clear_is_neither(one: str, other: str) -> None:
    assert found(one, other) == []


def test_a_paper_does_not_contradict_itself() -> None:
    paper = Paper("p1", "BACKGROUND: We looked.\nRESULTS: Salt intake increased blood pressure. Salt intake reduced blood pressure.")
    told = findings([paper], lambda _: 1.0)

    assert contradictions(told) == agreements(told) == []
