"""A question taken apart: its kind, its words, its names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.answering.question import Kind, analyse


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is DP-CATE?", Kind.DEFINITION),
        ("what is rank collapse", Kind.DEFINITION),
        ("What does SVRG stand for?", Kind.DEFINITION),
        ("what does tide-gauge risk quantify?", Kind.DEFINITION),
        ("neural functional networks - what are they?", Kind.DEFINITION),
        ("In PEARL, what is the P-Net's job?", Kind.DEFINITION),
        ("Tell me about differential privacy", Kind.OVERVIEW),
        ("How many GPUs does NetMoE use?", Kind.NUMBER),
        ("By how much does PAL improve?", Kind.NUMBER),
        ("What percentage of inference time is saved?", Kind.NUMBER),
        ("How fast is SeedLM?", Kind.NUMBER),
        ("What success rate do the hands reach?", Kind.NUMBER),
        ("Why are gating functions a problem?", Kind.WHY),
        ("For what reason do they fail?", Kind.WHY),
        ("How does GenSE keep the timbre?", Kind.HOW),
        ("Is DP-CATE doubly robust?", Kind.YES_NO),
        ("Does it need calibration data?", Kind.YES_NO),
        ("Which papers are about differential privacy?", Kind.PAPERS),
        ("What is the difference between SeedLM and RaNA?", Kind.COMPARISON),
        ("Compare SeedLM with RaNA", Kind.COMPARISON),
        ("List the differentiation strategies of MoS", Kind.LIST),
        ("Which two modules does VIE-DM have?", Kind.LIST),
        ("PEARL optimal transport solver", Kind.OTHER),
    ],
)
def test_kind(question: str, kind: Kind) -> None:
    assert analyse(question).kind is kind
    assert analyse(f"{question} ").kind is kind


def test_words_are_folded_once_each_and_carry_meaning() -> None:
    question = analyse("How does the α-SVRG method decay the decay of α-SVRG?")
    assert question.words.count("alpha-svrg") == 1
    assert "decay" in question.words
    assert not set(question.words) & (text.STOPWORDS | text.QUESTION_WORDS)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is DP-CATE?", ("dp-cate",)),
        ("Is GPT-4o better than NetMoE's model?", ("gpt-4o", "netmoe")),
        ("How many GPUs and LLMs are used?", ()),
        ("what is netmoe", ()),
        ("DITTO or DITTO?", ("ditto",)),
    ],
)
def test_names(question: str, names: tuple[str, ...]) -> None:
    assert analyse(question).names == names


def test_numbers_and_what_is_counted() -> None:
    question = analyse("How many GPUs train the 2.5B model in 2024?")
    assert question.wants_number
    assert "2024" in question.numbers
    assert question.head[0] == "gpus"
    assert not analyse("Why is it slow?").wants_number


def test_what_must_be_named() -> None:
    assert analyse("On which speech datasets was it evaluated?").wants_name
    assert analyse("On which speech datasets was it evaluated?").head == ("speech", "datasets")
    assert not analyse("Why is it slow?").wants_name


@given(st.text(max_size=80))
def test_any_text_can_be_taken_apart(question: str) -> None:
    taken = analyse(question)
    assert taken.text == question
    assert taken.kind in Kind
    assert len(set(taken.words)) == len(taken.words)
    assert len(set(taken.names)) == len(taken.names)
