"""The whole way with a real model: the shipped abstracts, llama.cpp behind its server, and the check that does not believe what it makes up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag_qa import text
from rag_qa.answering.answer import Answer, Sentence, Status
from rag_qa.answering.generative import INSTEAD
from rag_qa.embedding.static import WordVectors
from rag_qa.engine import Engine
from rag_qa.grounding import GroundingCheck
from rag_qa.llm.chat_model import Message
from rag_qa.llm.openai_api import OpenAIChat
from rag_qa.papers import Paper
from rag_qa.settings import load
from tests.fakes import RememberingEmbedder
from tests.llama import WEIGHTS, WINDOW


@pytest.fixture(scope="module")
def engine(real_model: str, seed_folder: Path, embedder: RememberingEmbedder) -> Engine:
    """An engine that is told of the server as a person would tell it."""
    settings = load(
        data_dir=seed_folder,
        openai_base_url=real_model,
        llm_context_tokens=WINDOW,
        llm_max_output_tokens=48,
        llm_timeout=300.0,
        llm_deadline=900.0,
        top_k=1,
    )
    return Engine(settings, embedder=embedder)


def assert_kept(answer: Answer) -> None:
    """What holds of every answer, however little sense it makes: only what stands in an abstract is called supported."""
    by_number = {source.n: source.paper for source in answer.sources}
    assert list(by_number) == list(range(1, len(answer.sources) + 1))
    for sentence in answer.sentences:
        assert set(sentence.citations) <= set(by_number)
        assert sentence.verdict.why or sentence.verdict.status is Status.SUPPORTED
        for proof in sentence.verdict.evidence:
            assert by_number[proof.source].abstract[proof.start : proof.end] == proof.quote
        if sentence.verdict.status is Status.SUPPORTED:
            proof_text = text.fold(" ".join(proof.quote for proof in sentence.verdict.evidence)).text
            assert all(number in proof_text for number in re.findall(r"\d+", sentence.text))
    if not any(sentence.verdict.status is Status.SUPPORTED for sentence in answer.sentences):
        assert answer.abstained or answer.notice


def test_a_streamed_answer_and_a_follow_up(engine: Engine) -> None:
    *before, answer = engine.stream("What is DP-CATE?")
    assert isinstance(answer, Answer)
    # so small a model does not always write a sentence
    assert answer.model == WEIGHTS or answer.notice.endswith(INSTEAD)
    assert answer.usage is not None
    assert answer.timings["total"] > 0
    if answer.abstained is None:
        assert [event for event in before if isinstance(event, Sentence)] == list(answer.sentences)
    assert_kept(answer)
    followed = engine.ask("Which kind of regression does its extension use?", history=["What is DP-CATE?"])
    assert "regression" in followed.understood_as
    assert "DP-CATE" in followed.understood_as
    assert_kept(followed)


def test_what_it_makes_up_is_not_believed(real_model: str, seed_papers: list[Paper], word_vectors: WordVectors) -> None:
    chat = OpenAIChat(base_url=real_model, context_tokens=WINDOW, timeout=300.0)
    asked = "Write three short sentences with numbers about how much the system NetMoE speeds up training, and on which hardware it was measured."
    said = "".join(piece.text for piece in chat.stream([Message("user", asked)], max_tokens=96))
    sentences = [said[start:end] for start, end in text.sentences(said) if len(said[start:end].split()) > 4]
    assert sentences
    paper = next(paper for paper in seed_papers if "NetMoE" in paper.abstract)
    check = GroundingCheck(word_vectors.of)
    # it never saw the abstract: cited to it, each sentence must be found out
    for sentence in sentences:
        verdict = check(sentence, [(1, paper)], seed_papers)
        assert verdict.status in (Status.UNSUPPORTED, Status.CONTRADICTED), sentence
        assert verdict.why
