"""The fit of the confidence finds what was put into the data, and what it writes is what the program reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from eval import fit_confidence as fit
from eval.datasets.loader import Kind, Question
from eval.fit_confidence import Judged
from eval.learning import Array
from rag_qa.answering import confidence
from rag_qa.answering.confidence import FEATURES
from rag_qa.answering.weights import from_data
from tests.eval.making import question, unanswerable

PAPER, REST = FEATURES.index("paper"), FEATURES.index("rest")
AUTHORS = ("a", "b", "c")


def row(asked: Question, *, paper: float, rest: float, lack: float = 0.0, left_out: bool = False) -> Judged:
    """A question for which the best paper has this score, and holds this share of its words."""
    features = np.zeros(len(FEATURES))
    features[PAPER], features[REST] = paper, rest
    return Judged(asked, left_out, features, np.array([lack]))


def judgments() -> Iterator[Judged]:
    """Questions by three authors: answered ones, the same without their papers (the best one ranks low), details (few of their words are there)."""
    draw = np.random.default_rng(8)
    for number in range(60):
        author = AUTHORS[number % 3]
        high, low, many, few = draw.uniform(0.6, 0.9), draw.uniform(0.2, 0.5), draw.uniform(0.6, 0.9), draw.uniform(0.1, 0.4)
        asked = question(f"{author}-{number}")
        yield row(asked, paper=high, rest=many)
        yield row(asked, paper=low, rest=many, left_out=True)
        yield row(unanswerable(f"{author}-{number}d", Kind.DETAIL), paper=high, rest=few, lack=1.0)


@cache
def held_out() -> tuple[float, ...]:
    """Log-odds by weights that saw no question by the same author."""
    return tuple(fit.cross_validated(list(judgments())))


def sure(rows: list[Judged], log_odds: Array) -> dict[str, list[float]]:
    """Log-odds of the answered questions, of those without their papers, and of details."""
    names = ["left out" if one.left_out else str(one.question.kind) for one in rows]
    return {name: [float(z) for z, other in zip(log_odds, names, strict=True) if other == name] for name in dict.fromkeys(names)}


def test_questions_are_answered_where_the_paper_is_there_and_says_it() -> None:
    found = sure(list(judgments()), np.array(held_out()))
    assert min(found["fact"]) > max(found["left out"])
    assert min(found["fact"]) > max(found["detail"])


def test_each_model_sees_what_it_is_to_tell() -> None:
    weights = fit.fit_confidence(list(judgments()))
    asked = question("a-1")
    here, gone, lacks = (row(asked, paper=paper, rest=rest).features for paper, rest in ((0.8, 0.8), (0.3, 0.8), (0.8, 0.2)))
    assert weights.here.score(here) > 0 > weights.here.score(gone)
    assert abs(weights.here.score(here) - weights.here.score(lacks)) < weights.here.score(here) - weights.here.score(gone)
    assert weights.said[REST] > 0
    assert weights.said_by_trees.score(here) > 0 > weights.said_by_trees.score(lacks)
    assert weights.lacking[0] < 0


def test_a_feature_that_can_only_speak_for_an_answer_never_counts_against_it() -> None:
    odd = [row(one.question, paper=one.features[PAPER], rest=1 - one.features[REST], left_out=one.left_out) for one in judgments()]
    assert fit.fit_confidence(odd).said[REST] == 0.0


def test_the_operating_point_refuses_few_of_the_answerable() -> None:
    rows = list(judgments())
    moved, found = fit.at_operating_point(fit.fit_confidence(rows), np.array(held_out()), rows)
    answerable = [p for p, one in zip(found, rows, strict=True) if one.answerable]
    # the border itself may fall on either side of 0.5 by rounding
    assert sum(p < 0.5 - 1e-9 for p in answerable) == int(fit.REFUSED_AT_MOST * len(answerable))
    assert moved.slope > 0
    assert any("detail" in line and "refused   60 of   60" in line for line in fit.summary(rows, found))


def test_what_is_written_is_what_is_read() -> None:
    rows = list(judgments())
    weights = fit.fit_confidence(rows)
    written = json.loads(fit.to_json(weights, "by hand"))
    read = from_data(written["confidence"], FEATURES)
    assert written["origin"] == "by hand"
    for one in rows[:9]:
        by_hand, as_read = (confidence.confidence(one.features, one.lacking, each) for each in (weights, read))
        assert by_hand == pytest.approx(as_read, abs=0.005)


def test_without_the_data_set_nothing_is_fitted_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.main(papers=tmp_path / "none.jsonl", to=tmp_path / "weights.json") == 0
    assert capsys.readouterr().out.startswith("SKIPPED: ")
    assert not (tmp_path / "weights.json").exists()
