"""What a sentence says of a topic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.retrieval import topics
from rag_qa.retrieval.spellings import Form

RARE = {"multimod": 3.0, "larg": 1.0, "languag": 1.0, "model": 1.0}


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        ("molecules", "we study molecular design"),
        ("toxicity", "toxic text is avoided"),
        ("memorization", "networks memorize what they see"),
        ("rats", "a rat's maze"),
        ("robots", "robotic hands grasp"),
        ("fairness", "a fair split"),
        ("equivariance", "equivariant layers"),
        ("speech or audio", "audio of birds"),
        ("climate, energy or the environment", "wind energy"),
        ("parameter-efficient fine-tuning", "parameter efficient fine-tuning of models"),
        ("retrieval of proteins", "proteins and their retrieval of proteins"),
        ("datasets", "a data set of tides"),
        ("combinatorial optimization problems such as routing", "combinatorial optimization is hard"),
    ],
)
def test_the_whole_topic_is_spoken_of(topic: str, sentence: str) -> None:
    assert topics.topic(topic, {}).spoken(sentence).is_whole


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [("memorization", "memory is scarce"), ("continual learning", "continuous learning"), ("rats", "high rates"), ("cats", "cate estimation")],
)
def test_what_only_looks_like_it_is_not_it(topic: str, sentence: str) -> None:
    assert not topics.topic(topic, {}).spoken(sentence).is_whole


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    topic = topics.topic("multimodal large language models", RARE)
    assert topic.spoken("large language models are large").share == pytest.approx(0.5)
    assert topic.spoken("multimodal data").share == pytest.approx(0.5)
    assert topic.spoken("multimodal data").rarest
    assert not topic.spoken("large language models").rarest


LLM = {"large-language-models": Form("llm", ("large-language-models", "large-lm"))}


def test_a_short_form_stands_for_its_own_words_alone() -> None:
    topic = topics.topic("multimodal large-language-models", RARE, LLM)
    assert not topic.spoken("llms are slow").is_whole
    assert topic.spoken("multimodal llms are slow").is_whole


@pytest.mark.parametrize("sentence", ["llms are slow", "an llm-based boat", "large language modelling", "a large-language model", "large lms"])
def test_a_form_is_found_in_each_of_its_spellings(sentence: str) -> None:
    assert topics.topic("large-language-models", RARE, LLM).spoken(sentence).is_whole


@pytest.mark.parametrize("sentence", ["a large model of language", "language models", "large boats, a language and models", "a llama"])
def test_words_of_a_form_that_stand_apart_are_not_it(sentence: str) -> None:
    assert topics.topic("large-language-models", RARE, LLM).spoken(sentence).share == 0.0


def test_small_words_may_stand_within_a_form() -> None:
    topic = topics.topic("mixture-of-experts", {}, {"mixture-of-experts": Form("moe", ("mixture-experts",))})
    assert all(topic.spoken(one).is_whole for one in ("mixtures of experts", "mixture-of-experts", "a mixture of the experts", "sparse moes"))
    assert topic.spoken("a mixture of paint for experts").share == 0.0


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("it works without any training", True),
        ("a training-free method", True),
        ("no additional training is needed", True),
        ("training takes an hour", False),
    ],
)
def test_what_a_paper_does_without(sentence: str, holds: bool) -> None:
    assert topics.topic("need no training", {}).spoken(sentence).is_whole == holds


def test_a_benchmark_that_is_brought_is_told_from_one_that_is_used() -> None:
    topic = topics.topic("benchmark", {}, is_brought=True)
    assert topic.spoken("we introduce tidebench, a benchmark of tides").is_whole
    used = topic.spoken("it is best on each benchmark")
    assert not used.is_whole
    assert used.share < topic.spoken("we release a benchmark").share


def test_a_topic_of_words_that_say_nothing() -> None:
    assert topics.topic("of the", {}).spoken("a wind orchestra of the sea") == topics.Spoken()


def test_a_very_long_topic() -> None:
    assert topics.topic("tide moss " * 5000, {}).spoken("tide moss " * 50).share > 0.9


@given(st.text(max_size=60), st.text(max_size=120))
def test_any_topic_and_any_sentence(topic: str, sentence: str) -> None:
    spoken = topics.topic(topic, {}).spoken(text.folded(sentence))
    assert 0.0 <= spoken.share <= 1.0 + 1e-9
    assert all(times >= 0 for times in spoken.times)


@given(st.text(max_size=200))
def test_as_many_folded_sentences_as_sentences(abstract: str) -> None:
    assert len(topics.folded_sentences(abstract)) == len(text.sentences(abstract))
