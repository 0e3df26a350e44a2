"""What the keyword index is asked for, with a dictionary that can be read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.retrieval.terms import added, query_terms, weights

EXPLAINED = {
    "moe": {"mixtur expert": 3, "margin error": 1},
    "mixtur expert": {"moe": 3},
    "ann": {"approxim nearest neighbor": 2, "artifici neural network": 2, "annot": 1},
    "speech tag": {"pos": 1},
    "llm": {"larg languag model": 4},
    "larg languag model": {"llm": 4},
}


@dataclass(frozen=True)
class Papers:
    """A library of which these forms and terms are all that is known."""

    forms: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: EXPLAINED)
    terms: Mapping[str, int] = field(default_factory=lambda: {"dataset": 7, "finetun": 2, "llm": 3, "llms": 9})

    def document_frequency(self, term: str) -> int:
        return self.terms.get(term, 0)

    def explained(self, form: str) -> Mapping[str, int]:
        return self.forms.get(form, {})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is k-means clustering?", {"kmean", "k", "mean", "cluster"}),
        ("clusters, clustered clustering", {"cluster"}),
        ("what is it?", {"what", "is", "it"}),
        ("α-SVRG", {"alphasvrg", "alpha", "svrg"}),
        ("at- tention", {"attent"}),
    ],
)
def test_what_a_question_is_searched_by(question: str, expected: set[str]) -> None:
    assert set(query_terms(question)) == expected


def test_a_part_of_a_compound_counts_less_than_the_whole() -> None:
    terms = query_terms("k-means")
    assert terms["kmean"] > terms["k"] == terms["mean"] > 0


def test_british_and_american_spelling_are_searched_alike() -> None:
    assert query_terms("generalisation behaviour") == query_terms("generalization behavior")
    assert text.terms("generalisation")[0] in query_terms("generalization")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How fast is MoE training?", {"moe spelled out": ("mixtur", "expert")}),
        ("Are MoEs fast?", {"moes spelled out": ("mixtur", "expert")}),
        ("How fast is a mixture of experts?", {"moe": ("moe",)}),
        ("mixture-of-experts layers", {"moe": ("moe",)}),
        ("Are LLMs fast?", {"llms spelled out": ("larg", "languag", "model"), "llm": ("llm",)}),
        ("large language models", {"llm": ("llm",), "llms": ("llms",)}),  # a stemmer does not know that one is the plural of the other
        ("part-of-speech tagging", {"pos": ("pos",)}),
        ("Which data sets are there?", {"datasets": ("dataset",)}),
        ("fine tuning", {"finetuning": ("finetun",)}),
        ("fine-tuning", {}),  # the compound is a term itself
        ("the data in sets", {}),
        ("ann indexes", {}),  # its papers do not agree what it stands for
        ("experts of a mixture", {}),
        ("", {}),
        ("???", {}),
    ],
)
def test_what_is_searched_besides(question: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert {one.label: one.terms for one in added(question, Papers())} == expected


def test_nothing_is_added_that_the_question_holds() -> None:
    assert added("mixture of experts (MoE)", Papers()) == []
    assert [one.terms for one in added("Which experts does MoE have?", Papers())] == [("mixtur",)]


def test_what_is_added_counts_less_than_what_is_asked() -> None:
    also = weights(added("MoE", Papers()))
    assert set(also) == {"mixtur", "expert"}
    assert 0 < max(also.values()) < min(query_terms("MoE").values())


@given(st.lists(st.sampled_from(["MoE", "mixture", "of", "experts", "data", "set", "k-means", "the", "?", "ann"]), max_size=12).map(" ".join))
def test_a_term_is_asked_or_added_and_never_both(question: str) -> None:
    assert not weights(added(question, Papers())).keys() & query_terms(question).keys()
