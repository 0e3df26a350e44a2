"""The benchmark command, against a program of a few lines that does as little as rag-qa may."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from eval.__main__ import main
from tests.eval.making import write_questions

PROGRAM = """
import json, os, sys
arguments = sys.argv[1:]
assert os.environ["RAG_QA_ANSWERER"] == "extractive" and "OPENAI_API_KEY" not in os.environ
with open({log!r}, "a") as log:
    print(*arguments[:2], file=log)
if arguments[0] == {fails_at!r}:
    sys.exit("no index today")
if "--batch" in arguments:
    lines = open(arguments[arguments.index("--batch") + 1]).read().splitlines()
    for line in lines[: len(lines) - {drops}]:
        print(json.dumps({{"id": json.loads(line)["id"]}}))
"""


def _bench(tmp_path: Path, *, fails_at: str = "", drops: int = 0, runs: str = "3") -> int:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(log=str(tmp_path / "log"), fails_at=fails_at, drops=drops))
    data = write_questions(tmp_path / "q.jsonl", [{"question": "How fast is it?"}, {"question": "How big is it?"}])
    command = shlex.join([sys.executable, str(program)])
    return main(["bench", "--data", str(data), "--papers", str(tmp_path), "--runs", runs, "--command", command])


def test_milliseconds_of_cold_starts_and_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert _bench(tmp_path) == 0
    cold, batch = capsys.readouterr().out.splitlines()
    assert cold.startswith("cold start of `ask`: ")
    assert "ms (median of 3: " in cold
    assert batch.startswith("`ask --batch`: ")
    assert "ms a question (2 questions in " in batch
    assert (tmp_path / "log").read_text().splitlines() == [f"index {tmp_path}", *["ask How fast is it?"] * 3, "ask --batch"]


def test_a_program_that_fails_is_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _bench(tmp_path, fails_at="index") == 2
    assert "ended with 1: no index today" in capsys.readouterr().err


def test_a_program_that_drops_answers_is_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _bench(tmp_path, drops=1) == 2
    assert "`ask --batch` was asked 2 questions and printed 1 answers" in capsys.readouterr().err


def test_a_program_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "q.jsonl", [{"question": "How fast is it?"}])
    assert main(["bench", "--data", str(data), "--command", str(tmp_path / "nothing")]) == 2
    assert "No such file or directory" in capsys.readouterr().err
