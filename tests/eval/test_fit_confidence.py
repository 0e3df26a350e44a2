"""The fit of the confidence finds what was put into the data, and what it writes is what the program reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import fit_confidence as fit
from eval.fit_confidence import Judged
from rag_qa.answering import confidence
from rag_qa.answering.weights import parse
from tests.eval.making import question, unanswerable


def judgments(anchored_sign: float = 1.0) -> list[Judged]:
    """Forty questions of either kind. A high first feature makes them answerable, a low one where `anchored_sign` is -1 and they are anchored."""
    draw = np.random.default_rng(8)
    made = []
    for number in range(80):
        anchored, features = number % 2 == 0, draw.normal(size=2)
        answerable = bool(features[0] * (anchored_sign if anchored else 1.0) > 0)
        asked = question(f"q{number}") if answerable else unanswerable(f"q{number}")
        made.append(Judged(asked, False, answerable, anchored, features))
    return made


def test_the_logistic_fit_recovers_the_sign_for_either_kind_of_question() -> None:
    weights = fit.fit_confidence(judgments(anchored_sign=-1.0), l2=1.0)
    assert weights["anchored"][0] < -abs(weights["anchored"][1])
    assert weights["free"][0] > abs(weights["free"][1])


def test_confidence_rises_with_what_makes_a_question_answerable() -> None:
    made = judgments()
    found = fit.confidences(made, fit.fit_confidence(made, l2=1.0))
    assert np.all((found > 0) & (found < 1))
    assert min(p for p, row in zip(found, made, strict=True) if row.features[0] > 1) > 0.8
    assert max(p for p, row in zip(found, made, strict=True) if row.features[0] < -1) < 0.2


def test_no_question_is_judged_by_weights_that_saw_it() -> None:
    # the one question whose label is wrong: fitted with it the model can bend to it, without it it cannot know
    made = judgments()
    odd = [*made, Judged(question("odd"), False, True, True, np.array([-6.0, 9.0]))]
    held_out = fit.cross_validated(odd, l2=0.1)[-1]
    assert held_out < fit.confidences(odd, fit.fit_confidence(odd, l2=0.1))[-1]


def test_the_operating_point_refuses_few_of_the_answerable() -> None:
    made = judgments()
    weights = fit.fit_confidence(made, l2=1.0)
    moved, held_out = fit.at_operating_point(weights, made, l2=1.0)
    answerable = [p for p, row in zip(held_out, made, strict=True) if row.answerable]
    # the border itself may fall on either side of 0.5 by rounding
    assert sum(p < 0.5 - 1e-9 for p in answerable) == int(fit.REFUSED_AT_MOST * len(answerable))
    assert all(np.array_equal(moved[kind][:-1], weights[kind][:-1]) for kind in weights)


def test_what_is_written_is_what_is_read() -> None:
    weights = {kind: np.arange(len(confidence.FEATURES) + 1) / sign for kind, sign in (("anchored", -9.0), ("free", 11.0))}
    written = json.loads(fit.to_json(weights, "by hand"))
    read = parse(written["confidence"], (*confidence.FEATURES, "bias"))
    assert written["origin"] == "by hand"
    assert all(np.allclose(read[kind], weights[kind], atol=5e-5, rtol=0) for kind in weights)


def test_without_the_data_set_nothing_is_fitted_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.main(papers=tmp_path / "none.jsonl", to=tmp_path / "weights.json") == 0
    assert capsys.readouterr().out.startswith("SKIPPED: ")
    assert not (tmp_path / "weights.json").exists()
