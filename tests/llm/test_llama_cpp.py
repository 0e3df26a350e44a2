"""A real model behind a real server: llama.cpp with a small model, in this process. What it says is nonsense; that it arrives is what counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from rag_qa import tokens
from rag_qa.answering.answer import Answer, Sentence, Status, Verdict
from rag_qa.answering.generative import GenerativeAnswerer
from rag_qa.answering.rewriting import rewrite_follow_up
from rag_qa.chunking import passages
from rag_qa.errors import ContextTooLong
from rag_qa.llm.chat_model import Message
from rag_qa.llm.openai_api import OpenAIChat
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from tests.llama import WEIGHTS, WINDOW

ABSTRACT = "We propose TIDE-7, a model of tides. It is 1.5× faster than its rivals. An extension of TIDE-7 uses ridge regression."


@pytest.fixture
def chat(real_model: str) -> OpenAIChat:
    """The client, which is told nothing but the address."""
    return OpenAIChat(base_url=real_model, context_tokens=WINDOW, timeout=300.0)


def uncited_or_unsupported(text: str, cited: Sequence[tuple[int, Paper]], papers: Sequence[Paper]) -> Verdict:
    """The least of a check: believes nothing."""
    return Verdict(Status.UNSUPPORTED if cited else Status.UNCITED)


def test_it_is_named_by_its_file_and_streams_with_usage(chat: OpenAIChat) -> None:
    assert chat.name == WEIGHTS
    pieces = list(chat.stream([Message("user", "Count from one to five.")], max_tokens=24))
    assert len([piece for piece in pieces if piece.text]) > 3
    assert "".join(piece.text for piece in pieces).strip()
    assert pieces[-1].prompt_tokens
    assert 0 < (pieces[-1].completion_tokens or 0) <= 24


def test_it_is_held_to_a_schema(chat: OpenAIChat) -> None:
    schema = {
        "type": "object",
        "properties": {"sources": {"type": "array", "items": {"type": "integer", "enum": [4, 7]}, "minItems": 2, "maxItems": 2}},
        "required": ["sources"],
        "additionalProperties": False,
    }
    pieces = list(chat.stream_json([Message("user", "Reply with JSON. Which numbers are your sources?")], max_tokens=40, schema=schema))
    reply = "".join(piece.text for piece in pieces)
    # it may fill what is left with blanks, but nothing else can stand there
    assert re.match(r'\s*\{\s*"sources"\s*:\s*\[[\s\d,]*(?:$|\]\s*(?:$|\}))', reply), reply
    assert set(re.findall(r"\d+", reply)) <= {"4", "7"}


def test_an_answer_end_to_end(chat: OpenAIChat) -> None:
    paper = Paper("p1", ABSTRACT)
    hits = [Hit(paper, tuple(passages(paper, count_tokens=tokens.count, max_tokens=256)), 1.0, 1)]
    instead = Answer("What is TIDE-7?", "What is TIDE-7?", abstained="Nothing.")
    answerer = GenerativeAnswerer(chat, uncited_or_unsupported, max_output_tokens=48)
    *before, answer = answerer.stream("What is TIDE-7?", hits, fallback=lambda: instead)
    assert isinstance(answer, Answer)
    assert answer.usage is not None
    assert 0 < (answer.usage.completion_tokens or 0) <= 2 * 48, "for an answer, and to put it right"
    if answer.abstained is None:
        assert answer.model == WEIGHTS
        assert [event for event in before if isinstance(event, Sentence)] == list(answer.sentences)
        assert answer.notice
    else:
        assert answer.sources == ()


def test_a_follow_up_is_rewritten_or_left_to_the_rules(chat: OpenAIChat) -> None:
    rewritten = rewrite_follow_up(chat, "Which regression does its extension use?", ["What is TIDE-7?"])
    assert rewritten == "" or "regression" in rewritten


def test_a_prompt_longer_than_its_window_is_reported_as_that(chat: OpenAIChat) -> None:
    with pytest.raises(ContextTooLong, match=WEIGHTS):
        list(chat.stream([Message("user", "tide " * 2 * WINDOW)], max_tokens=4))
