"""The two fits find what was put into the data, and what they write is what the program reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import corpus, fit
from eval.datasets import loader
from eval.fit import Judged, Row
from rag_qa.answering import confidence, evidence
from rag_qa.answering.weights import parse
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.eval.making import question, unanswerable
from tests.fakes import RememberingEmbedder


def rows() -> list[Row]:
    """Thirty lists of three sentences. Where the first feature is highest, there the answer is, unless the second one, which counts half, speaks
    against it; the third is noise, the fourth never changes. For every other question, a "why", the second counts the other way."""
    draw = np.random.default_rng(7)
    made = []
    for number in range(60):
        why = number % 2 == 1
        features = np.c_[draw.normal(size=(3, 3)), np.ones(3)]
        answer = (features @ [2.0, 1.0 if why else -1.0, 0.0, 0.0]).argmax()
        made.append(Row(features, np.eye(3)[answer], ("every", "why" if why else "how")))
    return made


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


def test_the_listwise_fit_recovers_sign_and_order_and_what_some_questions_add() -> None:
    fitted = fit.fit_sentence(rows(), l2=0.5)
    first, second, noise, constant = fitted["every"]
    assert first > abs(second)
    assert first > abs(noise)
    assert constant == pytest.approx(0.0, abs=1e-9)
    assert fitted["why"][1] > 0.0 > fitted["how"][1]


def test_the_listwise_fit_puts_the_right_sentence_first() -> None:
    fitted = fit.fit_sentence(rows(), l2=0.5)
    right = [bool((row.features @ sum(fitted[name] for name in row.groups)).argmax() == row.target.argmax()) for row in rows()]
    assert sum(right) >= 55


def test_a_stronger_penalty_makes_smaller_weights() -> None:
    assert np.abs(fit.fit_sentence(rows(), l2=50.0)["every"]).sum() < np.abs(fit.fit_sentence(rows(), l2=0.5)["every"]).sum()


def test_a_row_that_does_not_count_changes_nothing() -> None:
    alone, other = rows(), Row(np.eye(3, 4), np.eye(3)[2], ("every",), 0.0)
    with_other = fit.fit_sentence([*alone, other], l2=0.5)
    # only the spread of the features, by which they are put on one scale, is of all rows
    assert np.sign(with_other["every"][:2]).tolist() == np.sign(fit.fit_sentence(alone, l2=0.5)["every"][:2]).tolist()


def test_scores_that_tell_much_are_sharp() -> None:
    told = [(np.array([0.5, 0.4, 0.3]), 0)] * 9 + [(np.array([0.5, 0.4, 0.3]), 1)]
    vague = [(np.array([0.5, 0.4, 0.3]), place % 2) for place in range(10)]
    assert fit.fit_sharpness(told) > fit.fit_sharpness(vague)
    # of equally good places the likelihood is greatest where the scores of both count alike: as little as the grid allows
    assert fit.fit_sharpness(vague) <= 10


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
    sentence = {name: np.arange(len(evidence.FEATURES)) / sign for name, sign in (("every", 7.0), ("free", -3.0), ("why", 5.0))}
    sure = {kind: np.arange(len(confidence.FEATURES) + 1) / sign for kind, sign in (("anchored", -9.0), ("free", 11.0))}
    read = parse(json.loads(fit.to_json(sentence, sure, "by hand")), evidence.FEATURES, confidence.FEATURES)
    assert read.origin == "by hand"
    for given, found in ((sentence, read.sentence), (sure, read.confidence)):
        assert found.keys() == given.keys()
        assert all(np.allclose(found[kind], given[kind], atol=5e-5, rtol=0) for kind in given)


def test_without_the_data_set_nothing_is_fitted_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.main(papers=tmp_path / "none.jsonl", to=tmp_path / "weights.json") == 0
    assert capsys.readouterr().out.startswith("SKIPPED: ")
    assert not (tmp_path / "weights.json").exists()


@pytest.mark.skipif(not corpus.ICLR.is_file(), reason="the data set of ICLR 2025 papers is not on this machine")
def test_features_of_real_questions_have_the_shapes_that_the_fits_need(tmp_path: Path, embedder: RememberingEmbedder) -> None:
    chosen = [q for q in loader.load(fit.QUESTIONS) if len(q.papers) == 1 and not q.history][:6]
    ids = tmp_path / "few_papers.txt"
    ids.write_text("\n".join(dict.fromkeys(q.papers[0] for q in chosen)), encoding="utf-8")
    made = corpus.from_ids(ids, tmp_path, papers=corpus.ICLR)
    engine = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=embedder)
    engine.index([made.path])
    asked = loader.resolve(chosen, engine.papers(), path=fit.QUESTIONS, abstracts=made.abstracts)

    found = fit.examples(engine, asked)
    sentences = fit.sentence_rows(engine.extractive(fit.blank()), found)
    assert sentences
    for row in sentences:
        assert row.features.shape == (len(row.target), len(evidence.FEATURES))
        assert row.target.sum() == pytest.approx(1.0)
        assert row.groups[0] == "every"

    judged = fit.judged(engine.extractive(fit.blank()), found)
    assert [(row.left_out, row.answerable) for row in judged] == [(False, True), (True, False)] * len(asked)
    assert all(row.features.shape == (len(confidence.FEATURES),) for row in judged)
