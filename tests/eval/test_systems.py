"""Other systems than the product: recorded answers, a plain endpoint, and how their text is taken apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as property_of
from hypothesis import strategies as st

from eval import run_directory, scoring
from eval.__main__ import main
from eval.cards import DOCUMENT
from eval.datasets.loader import Question
from eval.figures import NotApplicable
from eval.systems import given
from eval.systems.chat import Written
from eval.systems.endpoint import Endpoint
from eval.systems.given import Given, cited_sentences
from eval.systems.recorded import NotRecorded, Recorded
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from tests.documents import blocks
from tests.eval.making import question, write_questions
from tests.fakes import FakeEngine
from tests.llama import WEIGHTS

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


EXAMPLES = Path(__file__).parents[2] / "eval" / "examples"


def test_ragchecker_3_the_example_that_is_shipped_runs_and_is_what_the_document_shows(
    seed_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {name: block.lines for block in blocks(DOCUMENT) for name in block.values("file")}
    for name in ("asked.jsonl", "recorded.jsonl", "floors.toml"):
        assert tuple((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) == shown[name]
    files = ["--data", str(EXAMPLES / "asked.jsonl"), "--system", str(EXAMPLES / "recorded.jsonl"), "--floors", str(EXAMPLES / "floors.toml")]
    assert main(["run", *files, "--data-dir", str(seed_folder), "--out", str(tmp_path / "run")]) == 1
    printed = capsys.readouterr().out
    assert "fail          groundedness.all is 0.500, to be >= 0.9" in printed
    assert printed.endswith("FAIL: 1 of 3 floors hold\n")
    assert main(["report", str(tmp_path / "run")]) == 0


def test_a_real_model_behind_an_endpoint(
    real_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"OPENAI_BASE_URL": real_model, "RAG_QA_LLM_MODEL": WEIGHTS, "RAG_QA_LLM_PRICE": "1/2", "RAG_QA_LLM_MAX_OUTPUT_TOKENS": "32"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "corpus.txt").write_text("Tides rise twice a day. TIDE-7 is fast by design.\n\nMosses are green all year long and store carbon.\n")
    asked: list[dict[str, Any]] = [
        {"question": "How fast is TIDE-7?", "papers": ["Tides rise"], "facts": [["fast"]]},
        {"question": "What do mosses store?", "papers": ["Mosses are"], "facts": [["carbon"]]},
        {"question": "How long must an egg boil?", "kind": "off-topic", "papers": [], "facts": [], "answerable": False},
    ]
    data = write_questions(tmp_path / "questions.jsonl", asked)
    command = ["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--system", "endpoint", "--out", str(tmp_path / "run")]
    assert main(command) in (0, 1)
    stored = run_directory.load(tmp_path / "run")
    assert [item.error for item in stored.items] == ["", "", ""]
    assert all(item.model == WEIGHTS for item in stored.items)
    # so small a model says what it likes; what it was given, and what that took, is known
    assert [item.retrieved[0].paper in item.question.papers for item in stored.items[:2] if item.retrieved] == [True, True]
    assert all(timing.prompt_tokens and timing.completion_tokens and timing.cost_usd for timing in stored.timings)
    assert "USD" in capsys.readouterr().out
    assert all(figure.n_error == 0 for figure in scoring.figures(stored.items, stored.timings, stored.library))
