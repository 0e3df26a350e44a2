"""The shipped threshold on question sets: their papers are found by the ids of the outside world, and what is absent or wrong is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import refusals
from rag_qa.calibration.cases import Kind

ABSTRACTS = {
    "tides": "Coastal floods are hard to foresee. We propose TIDE-7, a model of tides that is faster than its rivals on forty gauges.",
    "moss": "Mosses store carbon. In our study of forty bogs, moss grew by 12% a year, and it did not grow under snow in winter.",
    "wolves": "Wolves return to the valleys of the Alps. We follow nine packs with collars and find that they avoid roads by night.",
}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A set of three questions with its papers beside it, and the data set in which these stand."""
    asked = [
        {"id": "1", "kind": "fact", "question": "How fast does moss grow?", "papers": ["moss"], "facts": [["12%"]], "answerable": True},
        {"id": "2", "kind": "fact", "question": "What is TIDE-7?", "papers": ["tides"], "facts": [["a model of tides"]], "answerable": True},
        {"id": "3", "kind": "off-topic", "question": "How is bread baked?", "answerable": False},
    ]
    (tmp_path / "papers.jsonl").write_text("".join(json.dumps({"id": id_, "abstract": text}) + "\n" for id_, text in ABSTRACTS.items()))
    (tmp_path / "asked_papers.txt").write_text("\n".join(ABSTRACTS) + "\n")
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    return tmp_path / "asked.jsonl"


def test_the_questions_of_a_set_are_tried_out_over_its_papers(questions: Path) -> None:
    found = refusals.calibrated([questions], papers=questions.with_name("papers.jsonl"))

    assert found.counts == {Kind.NAMED: 2, Kind.UNANSWERABLE: 1}
    assert [one.is_wrong for one in found.outcomes] == [False, False, True]
    assert not found.is_written


def test_it_is_shown_as_the_command_shows_it(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusals.main([[questions]], papers=questions.with_name("papers.jsonl")) == refusals.SHOWN
    shown = capsys.readouterr().out

    assert shown.startswith("3 questions of asked.jsonl: 2 answerable, the paper known, 1 not answerable\n")
    assert "default" in shown


def test_data_that_is_not_there_is_said_and_no_failure(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusals.main([[questions]], papers=questions.with_name("none.jsonl")) == refusals.SHOWN
    assert capsys.readouterr().out.startswith("SKIPPED: ")


def test_a_set_that_cannot_be_used_is_a_failure(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions.write_text("{}\n")

    assert refusals.main([[questions]], papers=questions.with_name("papers.jsonl")) == refusals.FAILED
    assert capsys.readouterr().err.startswith("error: ")


def test_no_set_that_is_for_reporting_is_among_them() -> None:
    assert {path.name for files in refusals.SETS for path in files}.isdisjoint({"seeds_heldout.jsonl", "iclr2025.jsonl"})
    assert all(path.is_file() for files in refusals.SETS for path in files)
