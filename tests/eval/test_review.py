"""Looking through proposals: what each key does, and that nothing is lost however one leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval import review
from eval.__main__ import main
from eval.datasets import loader
from eval.review import Proposals, ReviewError
from rag_qa.errors import SourceError
from tests.eval.making import write_questions


def proposal(number: int, **other: Any) -> dict[str, Any]:
    """A proposal as make-questions writes it."""
    rest = [{"paper": "TIDE-7", "sentence": "It is 1.5× faster."}]
    return {"question": f"How fast is number {number}?", "status": "proposed", "rests_on": rest, **other}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "q.jsonl", [proposal(n) for n in range(1, 5)])


def looked(path: Path, *typed: str) -> tuple[list[str], str]:
    """The statuses afterwards, and all that was shown. What was typed last is the end of it."""
    answers = iter(typed)
    told: list[str] = []

    def ask(prompt: str) -> str:
        told.append(prompt)
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    told += review.review(Proposals(path), ask, told.append)
    return statuses(path), "\n".join(told)


def statuses(path: Path) -> list[str]:
    return [json.loads(line).get("status", "") for line in path.read_text(encoding="utf-8-sig").splitlines() if line]


def test_a_key_and_enter_decide_each(path: Path) -> None:
    found, told = looked(path, "a", "r", "s", "A")
    assert found == ["accepted", "rejected", "proposed", "accepted"]
    assert told.startswith("4 proposals to look at. What you decide is in ")
    assert "2 accepted, 1 rejected, 1 to decide in " in told
    assert [question.id for question in loader.load(path)] == ["t-1", "t-4"]


def test_a_proposal_is_shown_with_what_it_rests_on(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [proposal(1, kind="followup", history=["What is \x1b[31mTIDE-7?"], note="From the page.")])
    _, told = looked(path)
    assert "1 of 1 (followup)\nAfter      What is �[31mTIDE-7?\nQuestion   How fast is number 1?\nFact       1.5\n" in told
    assert "Rests on   TIDE-7: “It is 1.5× faster.”\nNote       From the page." in told


def test_one_can_leave_at_any_time_and_go_on(path: Path) -> None:
    assert looked(path, "a")[0] == ["accepted", "proposed", "proposed", "proposed"]
    found, told = looked(path, "r", "q")
    assert found == ["accepted", "rejected", "proposed", "proposed"]
    assert told.startswith("3 proposals to look at.")
    assert looked(path, "a", "a")[0] == ["accepted", "rejected", "accepted", "accepted"]
    assert looked(path)[1] == "Nothing to decide: 3 accepted, 1 rejected, 0 to decide."


def test_one_can_go_back_and_decide_anew(path: Path) -> None:
    found, told = looked(path, "b", "a", "b", "r", "what?", "", "q")
    assert found == ["rejected", "proposed", "proposed", "proposed"]
    assert "1 of 4 (fact), accepted" in told
    assert "There is no 'w'." in told
    assert "Type one of the letters, then Enter." in told


def test_a_question_is_edited_and_then_decided_on(path: Path) -> None:
    found, told = looked(path, "e", "How quick is it?", "number", "1.5× | 1.5 times; fast", "", "", "a", "q")
    assert found[0] == "accepted"
    (question,) = loader.load(path)
    assert (question.text, question.kind, question.facts) == ("How quick is it?", "number", (("1.5×", "1.5 times"), ("fast",)))
    assert "facts [1.5] (Enter keeps it, - empties it) > " in told


def test_an_answerable_question_becomes_one_that_is_to_be_refused(path: Path) -> None:
    looked(path, "e", "", "detail", "-", "-", "no", "a", "q")
    (question,) = loader.load(path)
    assert (question.kind, question.answerable, question.papers, question.facts) == ("detail", False, (), ())


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (("", "", "-", "", ""), "an answerable question without papers or without facts"),
        (("-", "", "", "", ""), "found question = '', expected question as a text that is not empty"),
        (("", "riddle", "", "", ""), "found kind = 'riddle'"),
        (("", "", "", "", "perhaps"), "found answerable = 'perhaps'"),
    ],
)
def test_an_edit_that_makes_no_question_changes_nothing(path: Path, typed: tuple[str, ...], says: str) -> None:
    before = path.read_bytes()
    _, told = looked(path, "e", *typed, "q")
    assert f"Not changed: {path}:1: " in told
    assert says in told
    assert path.read_bytes() == before


def test_what_is_not_decided_on_stays_byte_for_byte(path: Path) -> None:
    path.chmod(0o640)
    odd = (
        '\ufeff{"id":"x",  "question":"Why?"}\r\n\n' + path.read_text(encoding="utf-8").replace("\n", "\r\n") + '{"id": "y", "question": "\\u00fc?"}'
    )
    path.write_bytes(odd.encode())
    looked(path, "s", "r", "q")
    before, after = odd.split("\n"), path.read_bytes().decode().split("\n")
    assert before[:3] + before[4:] == after[:3] + after[4:]
    assert json.loads(after[3]) == json.loads(before[3]) | {"status": "rejected"}
    assert after[3].endswith("}\r")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_line_that_somebody_else_edits_meanwhile_is_not_lost(path: Path) -> None:
    proposals = Proposals(path)
    first, second = proposals.lines()[:2]
    path.write_text(path.read_text(encoding="utf-8").replace("number 2", "the second"), encoding="utf-8")
    proposals.replace(first, {**first.record, "status": "accepted"})
    assert "the second" in path.read_text(encoding="utf-8")
    with pytest.raises(ReviewError, match="was changed meanwhile, and this question does not stand in it as it did: begin again, all else is kept"):
        proposals.replace(second, {**second.record, "status": "accepted"})
    assert statuses(path) == ["accepted", "proposed", "proposed", "proposed"]


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    looked(link, "a", "q")
    assert link.is_symlink()
    assert statuses(path)[0] == "accepted"


def test_a_file_that_can_not_be_looked_through_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("question\nWhy?\n")
    with pytest.raises(ReviewError, match="is a table, and what is looked through are JSON lines"):
        Proposals(table)
    with pytest.raises(SourceError, match=r"q\.jsonl:2: found status = 'maybe'"):
        Proposals(write_questions(tmp_path / "q.jsonl", [proposal(1), proposal(2, status="maybe")]))
    assert main(["review", str(tmp_path / "nowhere.jsonl")]) == 2


def test_a_disk_that_is_full_leaves_the_file_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    whole: Callable[..., int] = Path.write_bytes

    def half(self: Path, data: bytes) -> int:
        whole(self, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(ReviewError, match=r"can't be written \(No space left on device\): what was decided before is kept"):
        looked(path, "a")
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_ctrl_c_keeps_what_was_decided(path: Path, project: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-u", "-m", "eval", "review", str(path)],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert program.stdin
    program.stdin.write(b"a\n")
    program.stdin.flush()
    deadline = time.monotonic() + 60
    while statuses(path)[0] != "accepted":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (0, b"")
    assert b"1 accepted, 0 rejected, 3 to decide" in out
    assert statuses(path) == ["accepted", "proposed", "proposed", "proposed"]
