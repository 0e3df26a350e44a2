"""Follow-ups over the shipped abstracts: what the search has to say where the words do not tell."""

from __future__ import annotations

import pytest

from rag_qa.engine import Engine


@pytest.mark.parametrize(
    ("earlier", "question", "understood"),
    [
        ("What is NetMoE?", "how is the communication made cheaper?", "NetMoE: how is the communication made cheaper?"),
        ("What is Transformer-NFN?", "How many checkpoints were published?", "Transformer-NFN: How many checkpoints were published?"),
        # nearly the first one will do
        ("What is GenSE?", "which tokens are generated first?", "GenSE: which tokens are generated first?"),
        # leads elsewhere, or says enough
        ("What is SeedLM?", "How many checkpoints were published?", "How many checkpoints were published?"),
        ("What is NetMoE?", "what is model merging?", "what is model merging?"),
    ],
)
def test_a_question_that_names_nothing_goes_on_with_the_paper_that_it_leads_to(
    seed_engine: Engine, earlier: str, question: str, understood: str
) -> None:
    assert seed_engine.ask(question, history=[earlier]).understood_as == understood


def test_it_goes_on_with_a_turn_that_was_refused(seed_engine: Engine) -> None:
    refused = "What learning rate does NetMoE use?"
    assert seed_engine.ask(refused).abstained
    assert seed_engine.ask("how is the communication made cheaper?", history=[refused]).understood_as.startswith("NetMoE")


def test_a_return_to_the_first_question(seed_engine: Engine) -> None:
    history = ["What is NetMoE?", "What is SeedLM?", "which bits per weight were tested?"]
    assert seed_engine.ask("back to the first one: why does it work?", history=history).understood_as == "why does NetMoE work?"


UNNAMED = "“Red-teaming, or identifying prompts that elicit harmful responses, is”"


def test_a_paper_without_a_name_is_told_of_by_its_first_words(seed_engine: Engine) -> None:
    told = seed_engine.ask(f"tell me more about {UNNAMED}")
    assert told.abstained is None
    assert {source.paper.label.rstrip("…") for source in told.sources} == {UNNAMED.strip("“”")}


def test_a_question_about_a_paper_without_a_name_is_answered_from_it_alone(seed_engine: Engine) -> None:
    answer = seed_engine.ask(f"What does {UNNAMED} propose?")
    assert {source.paper.label.rstrip("…") for source in answer.sources} == {UNNAMED.strip("“”")}
    assert answer.understood_as == f"What does {UNNAMED} propose?"
