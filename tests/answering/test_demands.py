"""Kinds of thing that a question asks for and that an abstract may lack."""

from __future__ import annotations

import pytest

from rag_qa import text
from rag_qa.answering.demands import DEMANDS, unmet

ABSTRACT = [
    text.fold(sentence).text
    for sentence in (
        "We propose TIDE, a model of tides.",
        "TIDE is trained on 32 GPUs and saves 30% of the time.",
        "It outperforms its rivals on the RIVER benchmark.",
    )
]


@pytest.mark.parametrize(
    "question",
    [
        "Who are the authors of TIDE?",
        "Who wrote the TIDE paper?",
        "Which university do the authors come from?",
        "Under which licence is TIDE released?",
        "What learning rate was used?",
        "What batch size was used to train TIDE?",
        "How many epochs was it trained for?",
        "Which optimizer trains TIDE?",
        "When was TIDE published?",
        "Who funded the work?",
        "What is the e-mail address of the authors?",
        "How many layers does TIDE have?",
        "Which programming language is TIDE written in?",
        "What FID does TIDE reach?",
        "What is the BLEU score?",
    ],
)
def test_what_the_abstract_lacks_is_named(question: str) -> None:
    missing = unmet(text.fold(question).text, ABSTRACT)
    assert missing
    assert missing == missing.strip()


@pytest.mark.parametrize(
    "question",
    [
        "What is TIDE?",
        "How many GPUs is TIDE trained on?",
        "How much time does it save?",
        "Which benchmark is it tested on?",
        "Why does it outperform its rivals?",
        "Which papers model tides?",
        "What do the authors name their model?",
        "",
    ],
)
def test_other_questions_demand_nothing_that_is_missing(question: str) -> None:
    assert unmet(text.fold(question).text, ABSTRACT) is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What learning rate was used?", "we use a learning rate of 0.1."),
        ("Under which licence is it released?", "it is released under the mit licence."),
        ("What batch size was used?", "each batch holds 64 samples."),
        ("How many epochs was it trained for?", "we train for 3 epochs."),
        ("What FID does it reach?", "it reaches an fid of 2.3."),
        ("What FID-50k does it reach?", "its fid-50k is 2.3."),
        ("How many layers does it have?", "it has 12 layers."),
    ],
)
def test_a_sentence_that_holds_it_meets_the_demand(question: str, sentence: str) -> None:
    assert unmet(text.fold(question).text, ABSTRACT)
    assert unmet(text.fold(question).text, [*ABSTRACT, sentence]) is None


def test_the_number_in_the_name_of_a_metric_is_no_figure() -> None:
    assert unmet("what fid-50k does it reach?", ["it is judged by fid-50k alone."]) == "a figure for FID"


def test_who_wrote_it_is_in_no_abstract() -> None:
    assert unmet("who are the authors of tide?", ["the authors are a. bryo and c. sphag."])


def test_demands_have_names_that_complete_a_sentence() -> None:
    names = [demand.name for demand in DEMANDS]
    assert all(names)
    assert all(name[0].islower() for name in names)


@pytest.mark.parametrize(
    "question",
    ["What does MoS say about routing?", "In which respects is TIDE better? I recall three."],
)
def test_a_name_or_a_verb_that_looks_like_a_metric_is_none(question: str) -> None:
    assert unmet(text.fold(question).text, ABSTRACT) is None


@pytest.mark.parametrize("question", ["What are the limitations of TIDE?", "Which drawbacks does TIDE have?", "Name the weaknesses of TIDE"])
def test_limits_are_told_by_sentences_about_limits_alone(question: str) -> None:
    folded = text.fold(question).text
    assert unmet(folded, ABSTRACT) == "its limits"
    assert unmet(folded, [*ABSTRACT, text.fold("TIDE is limited to calm seas.").text]) is None
