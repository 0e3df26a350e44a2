"""Other systems than the product: recorded answers, a plain endpoint, and how their text is taken apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given as property_of
from hypothesis import strategies as st

from eval import run_directory, scoring
from eval.__main__ import main
from eval.datasets.loader import Question
from eval.figures import NotApplicable
from eval.systems import given
from eval.systems.chat import Written
from eval.systems.endpoint import Endpoint
from eval.systems.given import Given, cited_sentences
from eval.systems.recorded import NotRecorded, Recorded
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from tests.eval.making import question, write_questions
from tests.fakes import FakeEngine

PAPERS = [Paper("p1", "Tides are hard to predict. TIDE-7 is fast."), Paper("p2", "Mosses are green.")]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("It is fast. [1]", [("It is fast.", (1,))]),
        ("It is fast [1][2]. And small.", [("It is fast.", (1, 2)), ("And small.", ())]),
        ("It is fast [2-4, 7].", [("It is fast.", (2, 3, 4, 7))]),
        ("It is fast.[1] It is small.[2]", [("It is fast.", (1,)), ("It is small.", (2,))]),
        ("", []),
    ],
)
def test_markers_before_and_after_the_full_stop(text: str, cited: list[tuple[str, tuple[int, ...]]]) -> None:
    assert cited_sentences(text) == cited


@property_of(st.text(max_size=100))
def test_any_text_is_taken_apart_and_no_range_explodes(text: str) -> None:
    assert all(len(numbers) < 10_000 for _, numbers in cited_sentences(f"{text} [1-999999999]."))


def test_an_item_of_another_system_has_no_verdicts_or_quotes_of_its_own() -> None:
    item = given.item(question(), Given("TIDE-7 is fast [1]. It is cheap [9].", {1: "p1"}), {"p1": "TIDE-7"})
    assert item.cited == ("p1",)
    assert scoring.VALID.score(item) == 1 / 2
    assert scoring.VERBATIM.score(item) == NotApplicable("no_quotes")
    assert scoring.QUOTED.score(item) == scoring.VERDICTS[0].score(item) == NotApplicable("no_verdicts")
    assert scoring.RETRIEVAL[0].score(item) == NotApplicable("missing_field")
    assert (item.confidence, given.item(question(), Given("No.", {}, abstained=True), {}).confidence) == (1, 0)


def recorded(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_recorded_answers_are_found_by_id_or_question_and_papers_by_their_first_words(tmp_path: Path) -> None:
    lines = (
        '{"id": "q", "answer": "Fast [1].", "sources": {"1": "Tides are"}, "retrieved": ["p2"], "confidence": 0.4}',
        '{"question": "Why?", "answer": "So."}',
    )
    answers = Recorded(recorded(tmp_path, *lines), PAPERS)
    assert answers.give(question("q")) == Given("Fast [1].", {1: "p1"}, ("p2",), confidence=0.4, model="recorded")
    assert answers.give(Question("other", question().kind, "Why?")).text == "So."
    with pytest.raises(NotRecorded):
        answers.give(question("missing"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "answers.jsonl:2"),
        ('{"answer": "x"}', "an object with question (or id) and answer"),
        ('{"id": "q", "answer": "x", "score": 1}', "the key 'score'"),
        ('{"id": "q", "answer": "x", "sources": {"one": "p1"}}', "sources"),
        ('{"id": "q", "answer": "x", "sources": {"1": "Soup is"}}', "the paper 'Soup is', which fits 0 of 2 papers"),
        ('{"id": "q", "answer": "x", "confidence": 7}', "a number from 0 to 1"),
        ('{"id": "a", "answer": "y"}', "a second answer to 'a'"),
    ],
)
def test_a_bad_line_is_reported(tmp_path: Path, line: str, says: str) -> None:
    with pytest.raises(SourceError) as raised:
        Recorded(recorded(tmp_path, '{"id": "a", "answer": "x"}', line), PAPERS)
    assert says in str(raised.value)
    assert "answers.jsonl:2" in str(raised.value)


def test_an_endpoint_gets_numbered_abstracts_and_its_refusal_is_one() -> None:
    prompts: list[str] = []

    def write(_instructions: str, prompt: str) -> Written:
        prompts.append(prompt)
        return Written("TIDE-7 is fast [1]." if "fast" in prompt.split("Question:")[1] else "The abstracts do not answer this.")

    system = Endpoint(write, lambda _question: PAPERS, "model")
    fast = system.give(question())
    assert fast == Given("TIDE-7 is fast [1].", {1: "p1", 2: "p2"}, ("p1", "p2"), model="model")
    assert prompts[0].startswith("[1] Tides are hard to predict. TIDE-7 is fast.\n\n[2] Mosses are green.")
    assert system.give(Question("q", question().kind, "What is soup?")).abstained


def test_a_run_of_recorded_answers_counts_a_missing_one_as_an_error(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("the fake engine knows its papers")
    data = write_questions(tmp_path / "questions.jsonl", [{"question": "How fast is the tide?"}, {"question": "How slow?"}])
    answers = recorded(tmp_path, json.dumps({"id": "t-1", "answer": "It is 1.5 times faster [1].", "sources": {"1": "p1"}}))
    command = ["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--system", str(answers), "--out", str(tmp_path / "run")]
    main(command, make_system=FakeEngine)
    stored = run_directory.load(tmp_path / "run")
    assert [item.status for item in stored.items] == ["answered", "error"]
    assert stored.manifest["about"]["system"] == "answers.jsonl"
    assert scoring.RIGHT.score(stored.items[0]) == 1
