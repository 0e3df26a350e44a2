"""What is kept of the sentences of a chat model, and the figures of it; a script plays the model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.datasets.loader import Kind, Question
from eval.small_model import READ, InText, again, asked, read_by_hand, summary
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import ProviderTimeout, SourceError
from rag_qa.grounding import GroundingCheck
from rag_qa.llm.chat_model import Structured
from rag_qa.llm.openai_api import OpenAIChat
from rag_qa.llm.scripted import Reply, ScriptedChat
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

PAPER = Paper("p1", "Mosses store carbon in wet soils. They did not grow under snow.")
QUESTION = Question("q1", Kind.FACT, "What do mosses store?")


def record(*replies: Reply, repairs: bool = True) -> dict[str, object]:
    hits = [Hit(PAPER, (), 1.0, 1)]
    return asked(hits, ScriptedChat(replies), GroundingCheck(), QUESTION, reply_tokens=100, repairs=repairs)


def test_every_sentence_that_was_checked_is_kept_with_what_it_cites() -> None:
    found = record("Mosses store carbon in wet soils [1]. Wolves sell their gold to bankers [1].", "1: They did not grow under snow [1].")
    checked = found["checked"]
    assert isinstance(checked, list)
    assert [(one["sentence"], one["status"]) for one in checked] == [
        ("Mosses store carbon in wet soils.", "supported"),
        ("Wolves sell their gold to bankers.", "unsupported"),
        ("They did not grow under snow.", "supported"),
    ]
    assert "gold" in checked[1]["why"]
    assert checked[2]["cited"][0]["abstract"] == PAPER.abstract
    assert found["final"] == [
        {"sentence": "Mosses store carbon in wet soils.", "status": "supported"},
        {"sentence": "They did not grow under snow.", "status": "supported"},
    ]
    assert found["outcome"] == "answered"


def test_what_else_may_become_of_a_question() -> None:
    assert record("NOT_ANSWERED: the price")["outcome"] == "refused"
    assert record("...")["outcome"] == "no answer"
    assert record([ProviderTimeout("silence")])["outcome"] == "error"


def test_the_figures() -> None:
    records = [record("Mosses store carbon in wet soils [1]. Wolves sell their gold to bankers [1].", ""), record("NOT_ANSWERED")]
    assert summary(records) == [
        "2 questions: 1 answered, 1 refused",
        "2 sentences checked in all, first versions and corrections: 1 flagged (1 supported, 1 unsupported)",
        "2 sentences in the answers that are left: 1 flagged (1 supported, 1 unsupported)",
    ]


def test_a_model_in_text_is_not_asked_for_json() -> None:
    assert not isinstance(InText(ScriptedChat([])), Structured)
    assert isinstance(OpenAIChat("tiny", base_url="http://127.0.0.1:9/v1"), Structured)


def test_sentences_are_checked_anew_without_the_model() -> None:
    found = record("Mosses store carbon in wet soils [1]. Wolves sell their gold to bankers [1].", "")
    changed = {**found, "checked": [{**one, "status": "uncited", "why": "", "evidence": []} for one in found["checked"]]}  # type: ignore[attr-defined]
    assert again(changed, GroundingCheck()) == found


def test_the_check_is_held_against_what_a_person_says(tmp_path: Path) -> None:
    path = tmp_path / "read.jsonl"
    said = [("Mosses store carbon in wet soils.", True), ("Wolves sell their gold to bankers.", False), ("They did not grow under snow.", False)]
    path.write_text("".join(json.dumps({"paper": "Mosses store", "sentence": text, "holds": holds}) + "\n" for text, holds in said), encoding="utf-8")
    assert read_by_hand(path, [PAPER], GroundingCheck()) == [
        "3 verdicts read by hand, 2 right: 1 of 1 flags and 1 of 2 'supported'",
        "  They did not grow under snow. (supported; it holds)",
    ]
    with pytest.raises(SourceError, match="first words of an abstract"):
        read_by_hand(path, [], GroundingCheck())


def test_every_sentence_that_was_read_is_of_a_shipped_abstract(seed_papers: list[Paper], word_vectors: WordVectors) -> None:
    figures, *_ = read_by_hand(READ, seed_papers, GroundingCheck(word_vectors.of))
    assert figures.startswith("40 verdicts read by hand")
