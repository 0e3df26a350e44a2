"""How an answer is put together: what comes first, what is brought along, and that the order of the hits does not count."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa import text
from rag_qa.answering import composing, cues
from rag_qa.answering.answer import Answer
from rag_qa.answering.composing import BEFORE_THIS, Found, composed, papers_named
from rag_qa.answering.evidence import Candidate, sentence_terms
from rag_qa.answering.question import analyse
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

TIDE = Paper("p1", "Tides are hard to foresee. We propose TIDE, a model of tides. It needs no moon. This is odd. Rivers are harder still.")
MOSS = Paper("p2", "Moss grows in the shade of most old trees. We measured moss for a year. It grew by 3 cm.", title="Moss in the shade")


def found(question: str, scores: Sequence[Sequence[float]], *, anchored: bool = True, papers: Sequence[Paper] = (TIDE, MOSS)) -> Found:
    """`scores[i]`: of the sentences of paper i."""
    hits = [Hit(paper, (), 0.5 - 0.01 * rank, rank) for rank, paper in enumerate(papers[: len(scores)], 1)]
    made = [
        [Candidate(hit.paper, i, one, np.zeros(1), score) for i, (one, score) in enumerate(zip(sentence_terms(hit.paper.abstract), own, strict=True))]
        for hit, own in zip(hits, scores, strict=True)
    ]
    return Found(analyse(question), hits, lambda i: made[i], lambda _: 1.0, anchored)


def shown(question: str, scores: Sequence[Sequence[float]], *, anchored: bool = True, most_words: int = 120) -> list[str]:
    """The sentences as they are shown, with what stands in front of them."""
    sentences, _ = composed(found(question, scores, anchored=anchored), most_words)
    return [sentence.marked for sentence in sentences]


def test_it_stands_for_the_method_and_is_told_so() -> None:
    assert shown("What does TIDE need?", [[0, 0, 9, 0, 0]]) == ["[TIDE] It needs no moon. [1]"]


def test_a_sentence_that_leans_on_another_brings_it() -> None:
    assert shown("Is TIDE odd?", [[0, 0, 0, 9, 0]]) == ["This is odd. [1]", f"{BEFORE_THIS} [TIDE] It needs no moon. [1]"]


def test_a_sentence_that_stands_alone_stands_alone() -> None:
    assert shown("Are rivers harder?", [[0, 0, 0, 0, 9]]) == ["Rivers are harder still. [1]"]


def test_the_likeliest_comes_first_and_the_others_as_they_stand_in_the_abstract() -> None:
    assert shown("rivers and tides and TIDE", [[5, 5.1, 0, 0, 5.2]]) == [
        "Rivers are harder still. [1]",
        "Tides are hard to foresee. [1]",
        "We propose TIDE, a model of tides. [1]",
    ]


def test_few_words_are_few_words_and_many_bring_more() -> None:
    scores = [[5, 5, 5, 5, 5.1]]
    assert shown("rivers and tides", scores, most_words=5) == ["Rivers are harder still. [1]"]
    assert len(shown("rivers and tides", scores, most_words=120)) > 2


def test_several_papers_speak_each_under_its_label() -> None:
    assert shown("What grows or moves?", [[9, 0, 0, 0, 0], [9, 0, 0]], anchored=False) == [
        "TIDE: Tides are hard to foresee. [1]",
        "Moss in the shade: Moss grows in the shade of most old trees. [2]",
    ]


def test_a_definition_goes_on_where_the_abstract_does() -> None:
    assert shown("What is TIDE?", [[0, 9, 0, 0, 0]]) == ["We propose TIDE, a model of tides. [1]", "It needs no moon. [1]"]


def test_who_tells_a_need_hears_what_the_paper_does_about_it() -> None:
    assert shown("i want to know about rivers", [[0, 0, 0, 0, 9]], anchored=False) == [
        "Rivers are harder still. [1]",
        "We propose TIDE, a model of tides. [1]",
    ]


def test_a_comparison_takes_one_paper_for_each_side() -> None:
    sentences, sources = composed(found("Compare moss in the shade with tides that are hard to foresee", [[9, 0, 0, 0, 0], [9, 0, 0]]))
    assert [source.paper for source in sources] == [TIDE, MOSS]
    assert [sentence.citations for sentence in sentences] == [(1,), (2,)]


@pytest.mark.parametrize(("question", "named"), [("Is TIDE fast?", [0]), ("is tide fast", []), ("Tides and moss in the shade", [1]), ("moss", [])])
def test_a_name_that_is_a_word_counts_with_its_capitals(question: str, named: list[int]) -> None:
    assert papers_named(analyse(question), [Hit(TIDE, (), 0.5, 1), Hit(MOSS, (), 0.4, 2)]) == named


def test_a_name_that_is_no_word_needs_no_capitals() -> None:
    swell = Paper("p3", "Waves are hard to foresee. We propose SwelNet, a model of waves.")
    hits = [Hit(TIDE, (), 0.5, 1), Hit(swell, (), 0.4, 2)]
    assert papers_named(analyse("swelnet and tide: what do they need"), hits) == [1]


@pytest.fixture(scope="module")
def answers(seed_engine: Engine) -> list[Answer]:
    """Answers of many kinds over the shipped abstracts."""
    asked = (
        *("What is DP-CATE?", "What does RMP-SAM do?", "How does NetMoE work?", "Why do gating functions collapse?", "Which losses does GenSE use?"),
        *("What is the difference between SeedLM and RaNA?", "What is known about differential privacy?", "noisy voice recordings made clean"),
        *(
            "How much faster is SeedLM on an FPGA?",
            "a way to compress models without data",
            "Tell me about mixture of experts",
            "is there a cure for rank collapse?",
        ),
    )
    return [seed_engine.ask(question) for question in asked]


def test_nothing_leans_on_what_is_not_there(answers: list[Answer]) -> None:
    leaning = 0
    for answer in answers:
        spans = {(proof.source, proof.start) for sentence in answer.sentences for proof in sentence.verdict.evidence}
        for sentence in answer.sentences:
            (proof,) = sentence.verdict.evidence
            if not cues.needs_antecedent(text.fold(sentence.text).text) or proof.start == 0:
                continue
            leaning += 1
            before = [span.start for span in text.sentences(answer.sources[proof.source - 1].paper.abstract) if span.start < proof.start][-1]
            assert "[" in sentence.lead.removeprefix(BEFORE_THIS) or (proof.source, before) in spans, sentence.marked
    assert leaning


def test_the_order_of_the_hits_does_not_count(seed_engine: Engine) -> None:
    answerer, draw = seed_engine.extractive(), random.Random(5)
    for question in ("What is the difference between SeedLM and RaNA?", "noisy voice recordings made clean", "How does NetMoE work?"):
        hits = list(seed_engine.search(question, k=8))
        expected = answerer.answer(question, hits)
        for _ in range(4):
            draw.shuffle(hits)
            again = answerer.answer(question, hits)
            assert (again.sentences, again.sources, again.confidence) == (expected.sentences, expected.sources, expected.confidence)
            assert again.related == expected.related


def test_an_answer_keeps_within_its_words(seed_engine: Engine) -> None:
    answerer, question = seed_engine.extractive(), "noisy voice recordings made clean"
    hits = list(seed_engine.search(question, k=8))
    lengths = [sum(len(one.text.split()) for one in answerer.answer(question, hits, most_words=most).sentences) for most in (40, 120, 240)]
    assert lengths == sorted(lengths)
    assert lengths[1] <= composing.MOST_WORDS + 40  # what the first sentence leans on comes along in any case
