"""Answers without a model: properties that hold whichever sentences are picked, over the shipped abstracts and over three made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from rag_qa import text
from rag_qa.answering.answer import Answer, Sentence, Status
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.extractive import Corner, ExtractiveAnswerer, refusal
from rag_qa.comprehension import Comprehension
from rag_qa.embedding.embedder import Vectors
from rag_qa.embedding.static import WordVectors
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.settings import load
from tests.fakes import MOSS, PAPERS, TIDE, WOLF, RememberingEmbedder

SETS = ("Which papers study differential privacy?", "Which papers are about reinforcement learning?", "What are the papers on mixture of experts?")
COMPARISONS = ("What is the difference between SeedLM and RaNA?", "Compare NetMoE with COMET")


@pytest.fixture(scope="module")
def questions(project: Path) -> list[str]:
    """The shipped questions that need no history, are no thanks, and ask for no list of papers: such a list is given however sure it is."""
    lines = (project / "eval" / "datasets" / "seeds.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if not entry["history"]]
    return [entry["question"] for entry in entries if entry["kind"] not in ("set", "greeting")]


@pytest.fixture(scope="module")
def answers(seed_engine: Engine, questions: list[str]) -> list[Answer]:
    """Their answers."""
    return [seed_engine.ask(question) for question in (*questions, *SETS, *COMPARISONS)]


def test_every_sentence_is_a_whole_sentence_of_the_paper_that_it_cites(answers: list[Answer]) -> None:
    for answer in answers:
        for sentence in answer.sentences:
            (proof,) = sentence.verdict.evidence
            abstract = answer.sources[proof.source - 1].paper.abstract
            assert sentence.citations == (proof.source,)
            assert sentence.verdict.status is Status.SUPPORTED
            assert sentence.text == proof.quote == abstract[proof.start : proof.end]
            assert text.Span(proof.start, proof.end) in text.sentences(abstract)


def test_no_sentence_twice_and_the_sentences_of_a_paper_together(answers: list[Answer]) -> None:
    for answer in answers:
        spans = [(proof.source, proof.start) for sentence in answer.sentences for proof in sentence.verdict.evidence]
        assert len(set(spans)) == len(spans)
        order = [source for source, _ in spans]
        assert order == sorted(order)


def test_answers_are_short(answers: list[Answer]) -> None:
    lengths = sorted(len(" ".join(s.text for s in answer.sentences).split()) for answer in answers if answer.sentences)
    assert lengths[len(lengths) // 2] <= 80
    assert all(len(answer.sentences) <= 8 for answer in answers)


def test_confidence_decides_and_is_a_share(answers: list[Answer]) -> None:
    for answer in answers:
        assert 0.0 <= answer.confidence <= 1.0
        assert (answer.abstained is None) == (answer.confidence >= 0.5)


def test_related_papers_are_none_of_the_cited(answers: list[Answer]) -> None:
    for answer in answers:
        cited = {source.paper.id for source in answer.sources}
        related = [source.paper.id for source in answer.related]
        assert not cited & set(related)
        assert len(set(related)) == len(related) <= 3


@pytest.fixture(scope="module")
def bold_engine(seed_folder: Path, embedder: RememberingEmbedder) -> Engine:
    """An engine that answers everything: whether it is sure enough is another matter, and fitted."""
    return Engine(load(data_dir=seed_folder, answerer="extractive", min_confidence=0.0), embedder=embedder)


def test_a_question_for_papers_gets_several_each_with_its_label(bold_engine: Engine) -> None:
    for question in SETS:
        answer = bold_engine.ask(question)
        assert len(answer.sources) > 1, question
        assert len({source.paper.id for source in answer.sources}) == len(answer.sources)
        for sentence, source in zip(answer.sentences, answer.sources, strict=True):
            # a paper that is called by its first words is not told them twice
            assert sentence.lead.startswith(f"{source.paper.label}:") or sentence.text.startswith(source.paper.label.rstrip("…"))


def test_a_comparison_speaks_of_both(bold_engine: Engine) -> None:
    assert {source.paper.label for source in bold_engine.ask(COMPARISONS[0]).sources} == {"SeedLM", "RaNA"}
    assert {source.paper.label for source in bold_engine.ask(COMPARISONS[1]).sources} == {"NetMoE", "COMET"}


def test_a_refusal_names_what_is_missing_in_the_words_of_the_question(seed_engine: Engine) -> None:
    assert "sourdough" in (seed_engine.ask("How do I bake sourdough bread?").abstained or "")
    assert "licence" in (seed_engine.ask("Under which licence is NetMoE released?").abstained or "")


def test_the_code_is_not_the_answer_to_another_question(seed_engine: Engine) -> None:
    assert "github" not in seed_engine.ask("What is MoS?").text.casefold()
    assert "github.com/Forence1999/MoS" in seed_engine.ask("Where is the code of MoS available?").text


# -------------------------------------------------------------------------------------------------------------- by hand


class CountedVectors:
    """A text becomes the unit vector of its letters: texts that share words are close."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        raw = np.array([[one.casefold().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"] for one in texts], np.float32)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors

    def of_sentences(self, papers: Mapping[str, Paper]) -> Callable[[Sequence[str]], Mapping[str, Vectors]]:
        def vectors(paper_ids: Sequence[str]) -> Mapping[str, Vectors]:
            abstracts = {paper_id: papers[paper_id].abstract for paper_id in paper_ids}
            return {paper_id: self.embed([abstract[a:b] for a, b in text.sentences(abstract)]) for paper_id, abstract in abstracts.items()}

        return vectors


@pytest.fixture
def answerer(word_vectors: WordVectors, read_together: Comprehension) -> Callable[..., ExtractiveAnswerer]:
    """Makes an answerer over three papers."""

    def make(min_confidence: float = 0.0, papers: Sequence[Paper] = PAPERS) -> ExtractiveAnswerer:
        counted = CountedVectors()
        known = {paper.id: paper for paper in papers}
        frequency = {term: sum(term in text.terms(paper.abstract) for paper in papers) for paper in papers for term in text.terms(paper.abstract)}
        corpus = Corpus(len(papers), lambda term: frequency.get(term, 0))
        corner = Corner(counted.embed, counted.of_sentences(known), word_vectors.of, lambda: corpus, read_together.read)
        return ExtractiveAnswerer(corner, min_confidence=min_confidence)

    return make


def hits(*papers: Paper) -> list[Hit]:
    """Papers as a search finds them, best first."""
    return [Hit(paper, (), 0.8 / rank, rank) for rank, paper in enumerate(papers, 1)]


def test_nothing_found_is_a_refusal(answerer: Callable[..., ExtractiveAnswerer]) -> None:
    answer = answerer().answer("How fast is TIDE-7?", [])
    assert answer.abstained
    assert answer.related == ()


def test_a_question_without_a_telling_word_is_a_refusal(answerer: Callable[..., ExtractiveAnswerer]) -> None:
    answer = answerer().answer("what is it?", hits(TIDE, MOSS))
    assert answer.abstained
    assert [source.paper for source in answer.related] == [TIDE, MOSS]


@pytest.mark.parametrize("question", ["How fast is TIDE-7?", "What is TIDE-7?", "How much did moss grow?", "Where do wolves return to?"])
def test_the_threshold_refuses_what_it_is_not_sure_of(answerer: Callable[..., ExtractiveAnswerer], question: str) -> None:
    found = hits(TIDE, MOSS, WOLF)
    willing, unwilling = answerer(0.0).answer(question, found), answerer(1.0).answer(question, found)
    assert willing.abstained is None
    assert unwilling.abstained
    assert (unwilling.sentences, unwilling.sources) == ((), ())
    assert willing.confidence == unwilling.confidence


def test_markers_markup_and_maths_of_an_abstract_stay_as_they_are(answerer: Callable[..., ExtractiveAnswerer]) -> None:
    answer = answerer().answer("Do wolves return to valleys?", hits(WOLF))
    assert answer.sentences[0].text == WOLF.abstract
    assert "[1]" in answer.sentences[0].text
    assert "<b>valleys</b>" in answer.text
    assert answer.sentences[0].citations == (1,)


def test_an_abstract_of_one_word_and_one_without_a_full_stop(answerer: Callable[..., ExtractiveAnswerer]) -> None:
    for abstract in ("Tides", "Tides rise and fall", "Tides rise.\n\n\nTides fall.   "):
        paper = Paper("p9", abstract)
        answer = answerer(papers=[paper]).answer("Do tides rise?", hits(paper))
        for sentence in answer.sentences:
            (proof,) = sentence.verdict.evidence
            assert abstract[proof.start : proof.end] == sentence.text


def test_a_stream_is_its_sentences_and_then_the_answer(answerer: Callable[..., ExtractiveAnswerer]) -> None:
    *before, last = answerer().stream("How fast is TIDE-7?", hits(TIDE, MOSS), asked="how fast")
    assert isinstance(last, Answer)
    assert [event for event in before if isinstance(event, Sentence)] == list(last.sentences) == before
    assert last.question == "how fast"
    assert last.understood_as == "How fast is TIDE-7?"


def test_a_refusal_made_by_hand() -> None:
    answer = refusal("asked", "understood", "because", hits(TIDE, MOSS, WOLF, Paper("p4", "x")), 0.25)
    assert (answer.question, answer.understood_as, answer.abstained) == ("asked", "understood", "because")
    assert len(answer.related) == 3
    assert answer.confidence == 0.25


def test_what_no_abstract_holds_is_refused_though_the_paper_is_named(seed_engine: Engine) -> None:
    assert "authors" in (seed_engine.ask("Who are the authors of DP-CATE?").abstained or "")


def test_a_paper_that_is_called_by_name_comes_first_whatever_else_is_asked(seed_engine: Engine) -> None:
    for question in ("Does GenSE use a GAN?", "does gense use a gan"):
        assert seed_engine.search(question)[0].paper.label == "GenSE"
