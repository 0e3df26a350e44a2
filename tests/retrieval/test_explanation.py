"""A ranking in words."""

from __future__ import annotations

from dataclasses import replace

from rag_qa.papers import Paper
from rag_qa.retrieval.explanation import explained
from rag_qa.retrieval.hits import Asked, Hit

PAPER = Paper("p1", "NetMoE trains experts.")
HIT = Hit(
    PAPER,
    (),
    0.61,
    1,
    ranks={"keyword": 1, "dense": 12},
    scores={"keyword": 9.1, "dense": 0.504, "sentence": 0.62},
    matched=("netmoe", "experts"),
    asked=(Asked("netmoe", 1, True), Asked("cost", 31, False), Asked("experts", 12, True)),
    library=180,
)


def test_words_meaning_and_places() -> None:
    assert explained(HIT) == (
        "Words: netmoe (in 1 of 180 papers), experts (12); not cost (31). "
        "Meaning: best passage 0.50, best sentence 0.62 (1 is the same). 1st by words, 12th by meaning."
    )


def test_a_paper_that_only_meaning_led_to() -> None:
    hit = replace(HIT, ranks={"dense": 2}, scores={"dense": 0.5, "sentence": 0.4}, asked=(Asked("cost", 31, False),))
    assert explained(hit) == (
        "Words: none; not cost (in 31 of 180 papers). Meaning: best passage 0.50, best sentence 0.40 (1 is the same). "
        "Not found by words, 2nd by meaning."
    )


def test_what_else_there_is_to_say() -> None:
    said = explained(replace(HIT, also=("moe",), scores={**HIT.scores, "named": 0.4}, copies=(PAPER, PAPER)))
    assert "; not cost (31); also moe. " in said
    assert said.endswith("12th by meaning. The question calls its method by name. 2 near copies of it left out.")
    assert explained(replace(HIT, copies=(PAPER,))).endswith("1 near copy of it left out.")


def test_what_a_reranker_did() -> None:
    moved = replace(HIT, ranks={**HIT.ranks, "fused": 7, "rerank": 1}, scores={**HIT.scores, "fused": 0.4, "rerank": 0.9})
    assert explained(moved).endswith("12th by meaning. 1st by the re-ranker (0.90), 7th before.")
    stayed = replace(moved, ranks={**moved.ranks, "fused": 1})
    assert explained(stayed).endswith("12th by meaning. 1st by the re-ranker (0.90).")


def test_what_went_wrong_with_a_reranker_is_said_once() -> None:
    first = replace(HIT, notice="Not re-ranked: nobody answers")
    assert explained(first).endswith("12th by meaning. Not re-ranked: nobody answers.")
    assert "Not re-ranked" not in explained(replace(first, rank=2))


def test_a_question_without_words() -> None:
    assert explained(replace(HIT, asked=())).startswith("Meaning: ")
