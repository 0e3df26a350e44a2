"""The fit of the sets finds the weights by which the data was made; the questions are what their README says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import fit_sets
from eval.fit_sets import Asked, Outcome, outcome
from rag_qa.retrieval import sets
from rag_qa.retrieval.set_questions import asked_for_set

MANY = len(sets.WEIGHTS)


def questions(many: int, seed: int = 1) -> list[Asked]:
    """Of 30 papers each; those are members whose first measure, with a little chance, is high."""
    draw = np.random.default_rng(seed)
    made = []
    for number in range(many):
        measures = draw.uniform(size=(30, MANY))
        truth = (measures[:, 0] + draw.normal(scale=0.05, size=30) > 0.7).astype(float)
        made.append(Asked("sea", f"topic {number}", measures, measures[:, 1], truth, int(truth.sum()), is_held_out=number % 4 == 0))
    return made


def test_the_fit_finds_the_measure_that_decides() -> None:
    weights = fit_sets.fit(questions(60))
    assert len(weights) == MANY + 1
    assert weights[0] > 5 * np.abs(weights[1:-1]).max()


def test_papers_that_count_either_way_teach_nothing() -> None:
    plain = questions(20)
    either = [
        Asked(one.corpus, one.topic, np.vstack([one.measures, np.ones((1, MANY))]), np.r_[one.scores, 1], np.r_[one.truth, 0.5], one.members, False)
        for one in plain
    ]
    assert fit_sets.fit(either) == pytest.approx(fit_sets.fit(plain))


def test_outcomes_by_hand() -> None:
    one = Asked("sea", "tide", np.zeros((3, MANY)), np.zeros(3), np.array([1.0, 0.0, 0.5]), 4, False)
    assert outcome(one, np.array([True, True, True])) == Outcome(0.25, 0.5, 2 * 0.5 * 0.25 / 0.75, 1)
    assert outcome(one, np.array([False, False, True])) == Outcome(0.0, 0.0, 0.0, 0)
    nothing = Asked("sea", "snow", np.zeros((1, MANY)), np.zeros(1), np.zeros(1), 0, False)
    assert outcome(nothing, np.array([False])) == Outcome(1.0, 1.0, 0.0, 0)


def test_cross_validation_judges_every_question_once() -> None:
    asked = questions(20)
    found = fit_sets.cross_validated(asked)
    assert [len(one) for one in found] == [30] * 20
    assert np.mean([outcome(one, chance >= 0.5).f1 for one, chance in zip(asked, found, strict=True)]) > 0.8


def test_held_out_questions_are_shown_only_when_asked_for() -> None:
    asked = questions(20)
    assert any("sea: 15 questions, cross-validated" in line for line in fit_sets.report(asked, held_out=False))
    assert any("sea: 5 questions, held out" in line for line in fit_sets.report(asked, held_out=True))


def test_without_the_data_nothing_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_sets.main([], data=tmp_path) == fit_sets.FITTED
    assert capsys.readouterr().out.startswith("SKIPPED: ")


def test_every_question_is_understood_and_names_papers_of_its_list() -> None:
    known = {name: set(path.read_text(encoding="utf-8").split()) for name, path in (("iclr", fit_sets.ICLR), ("field", fit_sets.FIELD))}
    records = [json.loads(line) for line in fit_sets.QUESTIONS.read_text(encoding="utf-8").splitlines()]
    assert len({record["id"] for record in records}) == len(records)
    for record in records:
        assert asked_for_set(record["question"]), record["id"]
        assert record["part"] in ("dev", "held-out"), record["id"]
        assert {*record["papers"], *record["either"]} <= known[record["corpus"]], record["id"]
        assert not {*record["papers"]} & {*record["either"]}, record["id"]
