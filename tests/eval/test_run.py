"""`python -m eval run` over the fake engine: what is written, what is printed, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval import floors
from eval import items as item_module
from eval.__main__ import main, process
from eval.runner import System
from rag_qa.answering.answer import Answer
from rag_qa.engine import IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.searches import Search
from rag_qa.settings import Settings
from rag_qa.sources.reader import Problem
from tests.eval.making import write_questions
from tests.fakes import FakeEngine

RIGHT = {"question": "How fast is the tide model?"}
FOLLOWUP = {"question": "How fast is its tide?", "kind": "followup", "history": ["What is TIDE-7?"]}
MULTI = {"question": "compare tide and moss", "kind": "multi", "papers": ["p1", "p2"], "facts": [["1.5"], ["12%"]]}
REFUSED = {"question": "What is soup?", "kind": "off-topic", "papers": [], "facts": [], "answerable": False}
GOOD = [RIGHT, FOLLOWUP, MULTI, REFUSED]
OVER_REFUSED = {"question": "How quick are the floods?"}
INVENTED = {"question": "Who measured the tide?", "kind": "detail", "papers": [], "facts": [], "answerable": False}
BROKEN = {"question": "Is the tide broken?"}


class Sabotaged(FakeEngine):
    """The fake engine with one thing wrong."""

    def ask(self, question: str, **options: Any) -> Answer:
        return self.spoil(super().ask(question, **options))

    def spoil(self, answer: Answer) -> Answer:
        return answer


class Misquoting(Sabotaged):
    """Moves every quote one character on, and leaves its words."""

    def spoil(self, answer: Answer) -> Answer:
        sentences = []
        for sentence in answer.sentences:
            moved = tuple(replace(one, start=one.start + 1, end=one.end + 1) for one in sentence.verdict.evidence)
            sentences.append(replace(sentence, verdict=replace(sentence.verdict, evidence=moved)))
        return replace(answer, sentences=tuple(sentences))


class NotANumber(Sabotaged):
    """Is not sure how sure it is."""

    def spoil(self, answer: Answer) -> Answer:
        return replace(answer, confidence=float("nan"))


class Unreadable(FakeEngine):
    """Could not read a file of the corpus."""

    def index(self, paths: Sequence[str | Path], **options: Any) -> IndexReport:
        return replace(super().index(paths, **options), failed=(Problem("bad.txt", 3, "bytes that are not UTF-8"),))


class Bare(FakeEngine):
    """Read no paper."""

    def papers(self) -> list[Paper]:
        return []


class Blind(FakeEngine):
    """Answers, and cannot search."""

    def search(self, question: str, **options: Any) -> Search:
        raise OSError("the index is\ngone")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run some questions; gives the exit code and what was printed."""
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("anything: the fake engine knows its papers")

    def run_questions(records: Sequence[dict[str, Any]], *options: str, make_system: Callable[[Settings], System] = FakeEngine) -> tuple[int, str]:
        data = write_questions(tmp_path / "questions.jsonl", records)
        files = ["--data", str(data), "--papers", str(corpus), "--out", str(tmp_path / "out"), "--floors", str(floors.SHIPPED)]
        code = main(["run", *files, *options], make_system=make_system)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run_questions


def _summary(tmp_path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    return loaded


def _value(tmp_path: Path, metric: str, scope: str) -> float | None:
    (figure,) = [one for one in _summary(tmp_path)["figures"] if (one["metric"], one["scope"]) == (metric, scope)]
    value: float | None = figure["value"]
    return value


def test_a_good_system_passes(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, printed = run(GOOD)
    assert code == 0, printed
    assert printed.startswith("4 questions of questions.jsonl over 3 papers, answered by extractive: 3 answered, 1 abstained\n")
    assert printed.endswith("Nothing went wrong.\n\nPASS: 7 of 7 floors hold\n")
    summary = _summary(tmp_path)
    assert summary["verdict"] == "PASS"
    assert summary["about"]["settings"]["answerer"] == "extractive"
    assert _value(tmp_path, "right", "all") == 1
    assert _value(tmp_path, "quotes_verbatim", "all") == 1


def test_ragchecker_17_everything_needed_to_score_each_question_again_is_kept(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run(GOOD)
    first, followup, *_ = [item_module.from_json(line) for line in item_module.read_lines(tmp_path / "out" / "items.jsonl")]
    assert first.question.papers == first.cited == ("p1",)
    assert [hit.paper for hit in first.retrieved or ()] == ["p1", "p2", "p3"]
    assert [quote.quote for quote in first.sentences[0].quotes] == ["a model of tides that is 1.5× faster than its rivals"]
    assert first.sentences[0].quotes[0].found == first.sentences[0].quotes[0].quote
    assert followup.understood_as == "How fast is TIDE-7's tide?"
    timings = item_module.read_lines(tmp_path / "out" / "timings.jsonl")
    assert [timing["id"] for timing in timings] == ["t-1", "t-2", "t-3", "t-4"]
    assert timings[0]["stages"] == {"search": 0.01, "answer": 0.02}


@pytest.mark.parametrize(
    ("bad", "metric", "scope", "value", "says"),
    [
        (OVER_REFUSED, "over_refused", "answerable", 1 / 4, "refused, though the search ranks the right paper 1"),
        (INVENTED, "refused", "unanswerable", 1 / 2, "answered, though no abstract answers it"),
        (BROKEN, "right_paper_cited", "single", 1 / 2, "error: ConnectionRefused: http://127.0.0.1:9/v1 does not answer"),
        ({"question": "How fast is the tide?", "papers": ["Mosses"]}, "right_paper_cited", "single", 1 / 2, "1 of 1 right papers not cited"),
        ({"question": "How fast is the tide?", "facts": [["2.5"]]}, "fact_in_answer", "single", 1 / 2, "fact missing: 2.5"),
        ({**FOLLOWUP, "facts": [["2.5"]]}, "right", "followup", 1 / 2, "after: What is TIDE-7?"),
    ],
)
def test_each_fault_falls_below_its_floor(
    run: Callable[..., tuple[int, str]], tmp_path: Path, bad: dict[str, Any], metric: str, scope: str, value: float, says: str
) -> None:
    code, printed = run([*GOOD, {**bad, "id": "bad"}])
    assert code == 1
    assert _value(tmp_path, metric, scope) == pytest.approx(value)
    assert says in printed
    assert f"  fail          {metric}.{scope} is {value:.3f}, to be " in printed
    assert "FAIL: " in printed.splitlines()[-1]


def test_a_misquote_falls_below_its_floor(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, printed = run(GOOD, make_system=Misquoting)
    assert code == 1
    assert _value(tmp_path, "quotes_verbatim", "all") == 0
    assert "quote not in its abstract at " in printed


def test_a_crash_costs_its_item_and_not_the_run(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run([BROKEN, *GOOD])
    statuses = [line["status"] for line in item_module.read_lines(tmp_path / "out" / "items.jsonl")]
    assert statuses == ["error", "answered", "answered", "answered", "abstained"]


def test_what_is_not_a_number_is_an_error_of_its_item(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, printed = run(GOOD, make_system=NotANumber)
    assert code == 1
    assert "error: ValueError: the system gave nan where a number is needed" in printed
    assert "NaN" not in (tmp_path / "out" / "summary.json").read_text() + (tmp_path / "out" / "items.jsonl").read_text()


def test_a_failed_search_is_said_and_counted(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, printed = run(GOOD, make_system=Blind)
    assert code == 0  # no floor stands under the ranking by itself
    assert "search failed: OSError: the index is gone" in printed
    assert _value(tmp_path, "success_at_1", "answerable") == 0


def test_trulens_650_two_runs_write_the_same_bytes(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run([*GOOD, BROKEN, INVENTED])
    first = (tmp_path / "out" / "items.jsonl").read_bytes()
    run([*GOOD, BROKEN, INVENTED])
    assert (tmp_path / "out" / "items.jsonl").read_bytes() == first


def test_only_some_kinds(run: Callable[..., tuple[int, str]]) -> None:
    code, printed = run([*GOOD, BROKEN], "--kinds", "off-topic", "multi")
    assert code == 0, printed
    assert printed.startswith("2 questions of ")
    assert "  not measured  right_paper_cited.single is -, to be >= " in printed


def test_deepeval_1235_only_what_went_wrong_is_shown_if_asked(run: Callable[..., tuple[int, str]]) -> None:
    _, full = run([*GOOD, INVENTED])
    code, printed = run([*GOOD, INVENTED], "--only-failures")
    assert code == 1
    assert "recall@5" in full
    assert "recall@5" not in printed
    assert (
        "1 of 5 questions went wrong:\n\nt-5 (detail) Who measured the tide?\n  - answered, though no abstract answers it\n  > TIDE-7 is" in printed
    )


def test_an_earlier_question_is_handed_on(run: Callable[..., tuple[int, str]]) -> None:
    made: list[FakeEngine] = []

    def remember(settings: Settings) -> FakeEngine:
        made.append(FakeEngine(settings))
        return made[0]

    run([FOLLOWUP], make_system=remember)
    assert made[0].asked[-1] == ("How fast is its tide?", ("What is TIDE-7?",))
    assert made[0].settings.answerer == "extractive"


@pytest.mark.parametrize(
    ("make_system", "options", "says"),
    [
        (Unreadable, [], "error: 1 files of the corpus could not be read, the first is bad.txt: bytes that are not UTF-8"),
        (Bare, [], "gave no paper to ask about"),
        (FakeEngine, ["--papers", "nowhere"], "error: nowhere: found no such file or folder"),
        (FakeEngine, ["--data", "nowhere.jsonl"], "error: nowhere.jsonl: found No such file or directory, expected a readable file of questions"),
        (FakeEngine, ["--floors", "nowhere.toml"], "expected a TOML file of floors"),
        (FakeEngine, ["--kinds", "why"], "found no question of kind why"),
    ],
)
def test_what_cannot_be_measured_ends_with_two(
    run: Callable[..., tuple[int, str]], make_system: Callable[[Settings], System], options: list[str], says: str
) -> None:
    code, printed = run(GOOD, *options, make_system=make_system)
    assert code == 2
    assert says in printed


def test_a_question_about_a_paper_that_is_not_there_ends_with_two(run: Callable[..., tuple[int, str]]) -> None:
    code, printed = run([{"question": "How?", "papers": ["Deserts"]}])
    assert code == 2
    assert "questions.jsonl:1: found the paper 'Deserts', which fits 0 of 3 papers" in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--data", "nowhere.jsonl"],
        ["run", "--kinds", "riddle"],
        [],
        ["bench", "--runs", "0"],
        *(["run", "--deadline", value] for value in ("0", "-1", "nan", "inf")),
    ],
)
def test_the_process_ends_with_two_and_a_line_when_it_cannot_measure(project: Path, arguments: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-m", "eval", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupted_process_ends_with_130_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    assert process(interrupted) == 130
    said = capsys.readouterr().err
    assert said.startswith("Interrupted. ")
    assert said.count("\n") == 1
