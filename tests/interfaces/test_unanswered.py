"""What of a question is not answered is said by every interface, kept in JSON and counted by the harness."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from eval.datasets.loader import Kind, Question
from eval.items import from_answer
from eval.scoring import MISSING
from rag_qa.answering.answer import Answer
from rag_qa.interfaces import answer_exports, cards, markdown, render
from tests.fakes import FakeEngine

WHOLE = FakeEngine().ask("What is the tide model?")
PART = replace(WHOLE, unanswered=("how *much* does it <weigh>",))
SAID = "Not answered by these papers: “how *much* does it <weigh>”."


def test_the_text_of_an_answer_ends_with_what_it_leaves_open() -> None:
    assert PART.text == f"{WHOLE.text} {SAID}"


def test_the_terminal_says_it_below_the_sentences() -> None:
    lines = render.plain(render.answer_lines(PART)).splitlines()

    assert lines.index(WHOLE.sentences[-1].marked) < lines.index(SAID) < lines.index("Sources")
    assert SAID not in render.plain(render.answer_lines(WHOLE))


def test_markdown_says_it_letter_by_letter() -> None:
    said = r"*Not answered by these papers: “how \*much\* does it &#60;weigh&#62;”.*"

    assert said in markdown.body(PART)
    assert said in answer_exports.export([PART], "md")


def test_the_page_and_html_say_it_without_mark_up() -> None:
    shown = "Not answered by these papers: “how *much* does it &lt;weigh&gt;”."

    assert f'<p class="rq-notice" role="note" dir="auto">{shown}</p>' in cards.turn_html(cards.Turn(1, PART.question, answer=PART))
    assert f'<p class="said">{shown}</p>' in answer_exports.export([PART], "html")


def test_json_holds_the_parts() -> None:
    assert render.answer_json(PART)["unanswered"] == ["how *much* does it <weigh>"]


def test_an_exported_answer_is_read_back_with_it_and_an_older_one_without() -> None:
    exported = json.loads(answer_exports.export([PART], "json"))
    assert answer_exports.read(json.dumps(exported)) == [PART]

    del exported["answers"][0]["unanswered"]
    assert answer_exports.read(json.dumps(exported)) == [WHOLE]


def test_a_refusal_says_itself_what_is_missing() -> None:
    refused = Answer("q", "q", abstained="Nothing says “this” or “that”.", unanswered=("this", "that"))

    assert refused.text == "Nothing says “this” or “that”."
    assert refused.left_open == ""


@pytest.mark.parametrize(("missing", "named"), [("much", 1.0), ("colour", 0.0)])
def test_the_harness_counts_what_is_named(missing: str, named: float) -> None:
    question = Question("q-1", Kind.PARTIAL, PART.question, missing=((missing,),))

    assert MISSING.score(from_answer(question, PART, {}, hits=())) == named
