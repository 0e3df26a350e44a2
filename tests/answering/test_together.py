"""Questions that ask several things: each part is answered by itself, nothing is said twice, and what is not answered is named."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.answer import Answer, Sentence
from rag_qa.answering.composing import MOST_WORDS, Shown
from rag_qa.answering.evidence import Candidate
from rag_qa.answering.matching import sentence_terms
from rag_qa.answering.together import averaged, merged_groups
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from tests.fakes import MOSS, TIDE, WOLF

HALF = "How much faster is NetMoE, and under which licence is it released?"
BOTH = "What is SeedLM and how much faster is it on FPGAs?"
NONE = "Who are the authors of NetMoE, and under which licence is it released?"
TWO_PAPERS = "How much faster is NetMoE, and what does SeedLM compress?"


def test_the_part_that_is_answered_is_answered_and_the_other_named(seed_engine: Engine) -> None:
    answer = seed_engine.ask(HALF)

    assert answer.abstained is None
    assert answer.unanswered == ("under which licence is it released",)
    assert "1.67" in answer.sentences[0].text
    assert answer.text.endswith("Not answered by these papers: “under which licence is it released”.")


def test_nothing_is_named_where_both_parts_are_answered(seed_engine: Engine) -> None:
    answer = seed_engine.ask(BOTH)

    assert answer.unanswered == ()
    assert [source.paper.label for source in answer.sources] == ["SeedLM"]
    assert "post-training compression" in answer.text
    assert "4x" in answer.text


def test_without_any_answer_the_refusal_names_the_parts(seed_engine: Engine) -> None:
    answer = seed_engine.ask(NONE)

    assert answer.abstained == (
        "These papers do not answer this: they say neither “Who are the authors of NetMoE” nor “under which licence is it released”."
    )
    assert answer.unanswered == ("Who are the authors of NetMoE", "under which licence is it released")
    assert (answer.sentences, answer.sources) == ((), ())


def test_parts_about_two_papers_stand_each_under_its_label(seed_engine: Engine) -> None:
    answer = seed_engine.ask(TWO_PAPERS)

    assert [source.paper.label for source in answer.sources] == ["NetMoE", "SeedLM"]
    for source in answer.sources:
        first = next(sentence for sentence in answer.sentences if sentence.citations == (source.n,))
        assert first.lead.startswith(f"{source.paper.label}:")


@pytest.mark.parametrize("question", [HALF, BOTH, NONE, TWO_PAPERS])
def test_the_order_of_what_was_found_does_not_count(seed_engine: Engine, question: str) -> None:
    hits = list(seed_engine.search(question))
    shuffled = random.Random(3).sample(hits, len(hits))

    def search(part: str) -> list[Hit]:
        found = list(seed_engine.search(part))
        return random.Random(5).sample(found, len(found))

    straight = seed_engine.extractive().answer(question, hits, search=seed_engine.search)
    assert replace(seed_engine.extractive().answer(question, shuffled, search=search), timings={}) == replace(straight, timings={})


@pytest.mark.parametrize("question", [HALF, BOTH, TWO_PAPERS])
def test_no_sentence_twice_and_not_too_many_words(seed_engine: Engine, question: str) -> None:
    answer = seed_engine.ask(question)

    quotes = [sentence.text for sentence in answer.sentences]
    assert len(set(quotes)) == len(quotes)
    assert len(" ".join(quotes).split()) <= 1.5 * MOST_WORDS


def test_what_is_streamed_is_the_answer(seed_engine: Engine) -> None:
    *_, last = events = list(seed_engine.stream(HALF))

    assert isinstance(last, Answer)
    assert tuple(event for event in events if isinstance(event, Sentence)) == last.sentences
    assert last.unanswered == ("under which licence is it released",)


# ---------------------------------------------------------------------------------------------------------------- by hand


def shown(paper: Paper, index: int) -> Shown:
    return Shown(Candidate(paper, index, sentence_terms(paper.abstract)[index], np.zeros(1), 0.0))


def test_one_group_a_paper_and_each_sentence_once() -> None:
    first, again, moss = shown(TIDE, 1), shown(TIDE, 1), shown(MOSS, 0)

    merged = merged_groups([[[first], [moss]], [[again, shown(TIDE, 0)]]])

    assert [[(one.candidate.paper.id, one.candidate.index) for one in group] for group in merged] == [[("p1", 1), ("p1", 0)], [("p2", 0)]]


def hit(paper: Paper, score: float) -> Hit:
    return Hit(paper, (), score, 1)


def test_a_paper_has_the_mean_of_its_scores() -> None:
    found = averaged([[hit(TIDE, 0.8), hit(MOSS, 0.4)], [hit(WOLF, 0.6), hit(TIDE, 0.2)]])

    assert {one.paper.id: one.score for one in found} == {"p1": pytest.approx(0.5), "p2": pytest.approx(0.2), "p3": pytest.approx(0.3)}


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_a_mean_stays_a_share_and_no_paper_stands_twice(scores: list[float]) -> None:
    ranking = [hit(paper, score) for paper, score in zip((TIDE, MOSS, WOLF), scores, strict=True)]

    found = averaged([ranking, ranking[:1]])

    assert len({one.paper.id for one in found}) == len(found) == 3
    assert all(0 <= one.score <= 1 for one in found)
