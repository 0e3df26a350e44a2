"""A run that is interrupted, hangs, or asks several questions at a time; and one that is scored again."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval import run_directory
from eval.__main__ import main
from eval.report import page
from eval.runner import System
from rag_qa.answering.answer import Answer
from rag_qa.settings import Settings
from tests.eval.making import write_questions
from tests.fakes import FakeEngine

QUESTIONS: list[dict[str, Any]] = [{"question": f"How fast is tide number {n}?"} for n in range(6)]

Run = Callable[..., int]


class Counting(FakeEngine):
    """Counts what it is asked, and how many questions at once."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def ask(self, question: str, **options: Any) -> Answer:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        try:
            return super().ask(question, **options)
        finally:
            with self.lock:
                self.now -= 1


def remembered(systems: list[Counting]) -> Callable[[Settings], Counting]:
    """Makes systems and keeps them."""

    def make(settings: Settings) -> Counting:
        systems.append(Counting(settings))
        return systems[-1]

    return make


class Interrupted(FakeEngine):
    """The person presses Ctrl-C at the fourth question."""

    def ask(self, question: str, **options: Any) -> Answer:
        if "number 3" in question:
            raise KeyboardInterrupt
        return super().ask(question, **options)


class Hanging(FakeEngine):
    """Never answers the second question."""

    def ask(self, question: str, **options: Any) -> Answer:
        if "number 1" in question:
            threading.Event().wait()
        return super().ask(question, **options)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    (tmp_path / "corpus.txt").write_text("anything: the fake engine knows its papers")

    def run(make_system: Callable[[Settings], System], *options: str, out: str = "run", questions: list[dict[str, Any]] | None = None) -> int:
        data = write_questions(tmp_path / "questions.jsonl", questions or QUESTIONS)
        command = ["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--out", str(tmp_path / out), *options]
        return main(command, make_system=make_system)

    return run


def items(folder: Path) -> bytes:
    return (folder / run_directory.ITEMS).read_bytes()


def test_trulens_1884_an_interrupted_run_is_kept_scored_as_partial_and_gone_on_with(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted)
    stored = run_directory.load(tmp_path / "run")
    assert [item.question.id for item in stored.items] == ["t-1", "t-2", "t-3"]
    assert not stored.is_complete

    main(["score", str(tmp_path / "run")])
    assert capsys.readouterr().out.startswith("PARTIAL: 3 of 6 questions were asked.\n")
    assert json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["about"]["is_complete"] is False

    systems: list[Counting] = []
    run(remembered(systems))
    # the first one once more to warm up
    assert [question for question, _ in systems[0].asked] == [f"How fast is tide number {n}?" for n in (3, 3, 4, 5)]
    run(FakeEngine, out="at once")
    assert items(tmp_path / "run") == items(tmp_path / "at once")
    assert run_directory.load(tmp_path / "run").is_complete
    assert len(run_directory.load(tmp_path / "run").timings) == 6


def test_a_line_that_was_cut_by_the_interruption_is_asked_again(run: Run, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted)
    partial = tmp_path / "run" / run_directory.PARTIAL
    partial.write_bytes(partial.read_bytes()[:-40])
    run(FakeEngine)
    assert [item.status for item in run_directory.load(tmp_path / "run").items] == ["answered"] * 6


def test_another_run_is_not_written_over_unless_it_is_said(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(FakeEngine)
    before = items(tmp_path / "run")
    assert run(FakeEngine, questions=QUESTIONS[:2]) == 2
    assert "holds another run (other questions, papers or settings); name another directory, or say --fresh" in capsys.readouterr().err
    assert items(tmp_path / "run") == before
    run(FakeEngine, "--fresh", questions=QUESTIONS[:2])
    assert len(run_directory.load(tmp_path / "run").items) == 2


def test_deepeval_2232_a_question_that_hangs_costs_its_item_and_the_run_ends(run: Run, tmp_path: Path) -> None:
    started = time.monotonic()
    run(Hanging, "--deadline", "0.5")
    assert time.monotonic() - started < 20
    second = run_directory.load(tmp_path / "run").items[1]
    assert (second.status, second.error) == ("error", "OutOfTime: no answer within 0.5 s")


def test_several_at_a_time_are_never_more_than_allowed_and_end_in_the_same_bytes(run: Run, tmp_path: Path) -> None:
    systems: list[Counting] = []
    run(remembered(systems), "--concurrency", "3", out="three")
    assert 1 < systems[0].most <= 3
    run(FakeEngine, out="one")
    assert items(tmp_path / "three") == items(tmp_path / "one")


def test_the_commands_that_make_it_again_name_the_files_as_they_were_given(run: Run, tmp_path: Path) -> None:
    run(FakeEngine)
    again = page.again(run_directory.load(tmp_path / "run"))
    assert f" --data {tmp_path}/questions.jsonl --papers {tmp_path}/corpus.txt " in again


def test_a_run_that_is_scored_again_has_the_same_figures(run: Run, tmp_path: Path) -> None:
    run(FakeEngine)
    path = tmp_path / "run" / run_directory.SUMMARY
    before = path.read_bytes()
    path.unlink()
    assert main(["score", str(tmp_path / "run")]) in (0, 1)
    assert path.read_bytes() == before


def test_the_manifest_says_what_was_run_on_what(run: Run, tmp_path: Path) -> None:
    run(FakeEngine)
    manifest = run_directory.load(tmp_path / "run").manifest
    assert (manifest["questions"], manifest["models"], manifest["about"]["papers"]) == (6, ["extractive"], 3)
    assert len(manifest["papers_sha256"]) == len(manifest["configuration_sha256"]) == 64
    assert manifest["started"] <= manifest["finished"]
    assert "chromadb" in manifest["versions"]


def test_a_directory_of_no_run_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}: no manifest.json in it; expected a directory that `python -m eval run --out` wrote\n"


def _all_gone(_: str) -> str:
    return ""


def _last_gone(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-1])


def _cut(text: str) -> str:
    first, second, *rest = text.splitlines(keepends=True)
    return "".join([first, second[:20] + "\n", *rest])


def _first_again(text: str) -> str:
    return text + text.splitlines(keepends=True)[0]


@pytest.mark.parametrize(
    ("name", "spoilt", "says"),
    [
        ("items.jsonl", _all_gone, "items.jsonl: found 0 questions, expected the 6 of manifest.json"),
        ("items.jsonl", _last_gone, "items.jsonl: found 5 questions, expected the 6 of manifest.json"),
        ("items.jsonl", _cut, "items.jsonl:2 can't be read (JSONDecodeError("),
        ("items.jsonl", _first_again, "items.jsonl: found the question t-1 twice, expected each once"),
        ("items.jsonl", lambda _: "{}\n", "items.jsonl:1 can't be read (KeyError('question')), expected a line that a run wrote"),
        ("papers.jsonl", _all_gone, "papers.jsonl: found 0 papers, expected the "),
        ("papers.jsonl", lambda _: "[1]\n", "papers.jsonl:1 can't be read (TypeError("),
        ("timings.jsonl", _cut, "timings.jsonl:2 can't be read (JSONDecodeError("),
        ("manifest.json", lambda _: "[]", "manifest.json: found no description of a run"),
        ("manifest.json", lambda _: "{}", "manifest.json: found no description of a run"),
        ("manifest.json", lambda text: text[:-9], "manifest.json can't be read ("),
        ("manifest.json", lambda text: text.replace('"schema": 1', '"schema": 2'), "manifest.json: found schema 2 of another version, expected 1"),
    ],
)
def test_a_damaged_run_is_never_scored_as_if_it_were_whole(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, spoilt: Callable[[str], str], says: str
) -> None:
    run(FakeEngine)
    path = tmp_path / "run" / name
    path.write_text(spoilt(path.read_text(encoding="utf-8")), encoding="utf-8")
    capsys.readouterr()

    assert main(["score", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {tmp_path / 'run'}/{says}")
    assert (said.count("\n"), "--fresh" in said) == (1, True)


def test_a_run_whose_manifest_is_damaged_is_not_gone_on_with(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(FakeEngine)
    (tmp_path / "run" / "manifest.json").write_text("[]", encoding="utf-8")
    capsys.readouterr()

    assert run(FakeEngine) == 2
    assert "manifest.json: found no description of a run" in capsys.readouterr().err


def test_a_run_without_an_answer_does_not_pass(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted)
    (tmp_path / "run" / "items.partial.jsonl").unlink()

    assert main(["score", str(tmp_path / "run")]) == 2
    assert "found no answer yet, expected at least one; go on with the same" in capsys.readouterr().err


def test_lines_of_an_interrupted_run_that_are_no_items_are_asked_again(run: Run, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted)
    partial = tmp_path / "run" / run_directory.PARTIAL
    partial.write_bytes(partial.read_bytes() + b'{}\n[1]\n\xff\n{"question":')
    assert len(run_directory.load(tmp_path / "run").items) == 3
    run(FakeEngine)
    assert len(run_directory.load(tmp_path / "run").items) == 6


@pytest.mark.parametrize("content", ["[]", "{", "{}", '{"said": 1, "tables": []}'])
def test_what_trust_did_not_write_is_not_shown(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    run(FakeEngine)
    (tmp_path / "trust.json").write_text(content, encoding="utf-8")
    capsys.readouterr()

    assert main(["report", str(tmp_path / "run"), "--trust", str(tmp_path / "trust.json")]) == 2
    assert "trust.json: found " in (said := capsys.readouterr().err)
    assert said.endswith("expected what `python -m eval trust --out` wrote\n")
