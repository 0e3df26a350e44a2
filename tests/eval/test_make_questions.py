"""`python -m eval make-questions`: files and libraries in, proposals out, and what a run makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eval.__main__ import main
from eval.datasets import loader
from eval.datasets.loader import Kind, Status
from rag_qa.engine import Engine
from rag_qa.errors import SourceError
from rag_qa.settings import load
from tests.eval.making import write_questions
from tests.fakes import FakeEngine

SEA = """We propose TIDE-7, a fast model of salty tides. TIDE-7 is 1.5× faster than its rivals. It is tried on five datasets.

We propose MOON-2, a slow theory of salty tides. MOON-2 leverages lunar orbits to foresee floods. It is proved by hand and by heart.
"""


@pytest.fixture
def sea(tmp_path: Path) -> Path:
    path = tmp_path / "sea.txt"
    path.write_text(SEA, encoding="utf-8")
    return path


def made(*arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and the proposals in q.jsonl."""
    code = main(["make-questions", "--out", "q.jsonl", *map(str, arguments)])
    out = Path("q.jsonl")
    return code, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.is_file() else []


def test_questions_are_proposed_from_files(sea: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, records = made("--papers", sea, "--count", "6")
    assert code == 0
    assert {record["status"] for record in records} == {"proposed"}
    assert {record["question"]: record["facts"] for record in records if record["kind"] == "definition"}.items() <= {
        "What is TIDE-7?": [["fast model of salty tides"]],
        "What is MOON-2?": [["slow theory of salty tides"]],
    }.items()
    told = capsys.readouterr().out
    assert told.startswith("6 questions about 2 of 2 papers, proposed into q.jsonl\n")
    assert "None of them is asked before you have accepted it: python -m eval review q.jsonl" in told


def test_the_same_command_proposes_the_same(sea: Path) -> None:
    _, first = made("--papers", sea, "--count", "4", "--seed", "3")
    Path("q.jsonl").unlink()
    assert made("--papers", sea, "--count", "4", "--seed", "3") == (0, first)


def test_only_kinds_that_are_asked_for(sea: Path) -> None:
    _, records = made("--papers", sea, "--kinds", "number", "fact")
    assert {record["kind"] for record in records} == {"number", "fact"}


def test_a_library_is_asked_about_as_it_is_and_by_the_ids_that_it_has(sea: Path, tmp_path: Path) -> None:
    engine = Engine(load(data_dir=tmp_path / "data", embedder="static", answerer="extractive"))
    engine.index([sea])
    code, records = made("--library", tmp_path / "data", "--kinds", "definition")
    assert code == 0
    assert {paper for record in records for paper in record["papers"]} == {paper.id for paper in engine.papers()}


def test_a_library_is_asked_as_it_is(sea: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RAG_QA_EMBEDDER", "static")
    monkeypatch.setenv("RAG_QA_DATA_DIR", str(tmp_path / "data"))
    Engine(load()).index([sea])
    _, records = made("--library", "--kinds", "definition", "off-topic")
    Path("q.jsonl").write_text("".join(json.dumps({**record, "status": "accepted"}) + "\n" for record in records), encoding="utf-8")
    sea.unlink()  # nothing is read again
    assert main(["run", "--data", "q.jsonl", "--library", "--only-failures"]) in (0, 1)
    assert f"{len(records)} questions of q.jsonl over 2 papers" in capsys.readouterr().out
    assert main(["run", "--data", "q.jsonl", "--library", "--papers", "x"]) == 2
    assert "--library asks an index as it is" in capsys.readouterr().err


def test_a_file_that_is_there_is_not_written_over(sea: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.jsonl").write_text("mine\n")
    assert main(["make-questions", "--papers", str(sea), "--out", "q.jsonl"]) == 2
    assert Path("q.jsonl").read_text() == "mine\n"
    assert capsys.readouterr().err == "error: q.jsonl exists already: name a new file, or delete it first\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--library", "nowhere"], "There is no index"), (["--papers", "nowhere.txt"], "nowhere.txt")],
)
def test_papers_that_are_not_there_are_an_error_in_one_line(arguments: Sequence[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert made(*arguments) == (2, [])
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert says in error
    assert error.count("\n") == 1


# ------------------------------------------------------------------------------------------------------------------ what a run asks


def file(tmp_path: Path, *statuses: str | None) -> Path:
    records = [{"question": f"How fast is number {n}?"} | ({} if status is None else {"status": status}) for n, status in enumerate(statuses)]
    return write_questions(tmp_path / "mixed.jsonl", records)


def test_what_is_not_accepted_is_not_asked_and_counted(tmp_path: Path) -> None:
    path = file(tmp_path, "accepted", "proposed", None, "rejected", "proposed")
    assert [question.line for question in loader.load(path)] == [1, 3]
    assert loader.left_out(path) == {Status.PROPOSED: 2, Status.REJECTED: 1}


def test_a_run_says_how_many_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "accepted", "proposed", "proposed", "rejected")
    (tmp_path / "corpus.txt").write_text("the fake engine knows its papers")
    main(["run", "--data", str(path), "--papers", str(tmp_path / "corpus.txt")], make_system=FakeEngine)
    told = capsys.readouterr().out
    assert told.startswith(f"3 questions of {path} are not asked: 2 proposed, 1 rejected (python -m eval review {path})\n\n1 questions of ")


def test_a_file_of_proposals_alone_says_what_to_do(tmp_path: Path) -> None:
    path = file(tmp_path, "proposed")
    with pytest.raises(SourceError, match=r"found no question that is accepted, but 1 others, expected some accepted: python -m eval review .*mixed"):
        loader.load(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": "perhaps"}, "found status = 'perhaps', expected status as one of proposed, accepted, rejected"),
        ({"rests_on": ["It is."]}, 'expected rests_on as a list of {"paper": "...", "sentence": "..."}'),
        ({"note": 3}, "found note = 3, expected note as a text"),
        ({"status": "rejected", "facts": []}, "an answerable question without papers or without facts"),
    ],
)
def test_a_fault_in_what_is_proposed_is_told_also_where_it_is_left_out(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "Fine?"}, {"question": "And this?", "status": "proposed", **change}])
    with pytest.raises(SourceError) as caught:
        loader.load(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


def test_a_question_can_be_checked_before_it_is_in_a_file() -> None:
    record = {"id": "x", "question": "How fast is it?", "status": "proposed"}
    assert loader.checked(Path("x.jsonl"), 4, record).kind is Kind.OPEN
    with pytest.raises(SourceError, match=r"x\.jsonl:4: found the key 'fact'"):
        loader.checked(Path("x.jsonl"), 4, {**record, "fact": "fast"})
