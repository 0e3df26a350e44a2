"""The fit of sentences: what it takes from real questions, and that what it writes is what the program reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import corpus, fit_confidence, fit_sentences, practice
from eval.datasets import loader
from rag_qa.answering import confidence, evidence
from rag_qa.answering.weights import blank, parse
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.fakes import RememberingEmbedder


def test_scores_that_tell_much_are_sharp() -> None:
    told = [(np.array([0.5, 0.4, 0.3]), 0)] * 9 + [(np.array([0.5, 0.4, 0.3]), 1)]
    vague = [(np.array([0.5, 0.4, 0.3]), place % 2) for place in range(10)]
    assert fit_sentences.fit_sharpness(told) > fit_sentences.fit_sharpness(vague)
    # of equally good places the likelihood is greatest where the scores of both count alike: as little as the grid allows
    assert fit_sentences.fit_sharpness(vague) <= 10


def test_what_is_written_is_what_is_read() -> None:
    weights = {name: np.arange(len(evidence.FEATURES)) / sign for name, sign in (("every", 7.0), ("free", -3.0), ("why", 5.0))}
    written = json.loads(fit_sentences.to_json(weights, "by hand"))
    read = parse(written["sentence"], evidence.FEATURES)
    assert written["origin"] == "by hand"
    assert read.keys() == weights.keys()
    assert all(np.allclose(read[name], weights[name], atol=5e-5, rtol=0) for name in weights)


def test_without_the_data_set_nothing_is_fitted_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_sentences.main(papers=tmp_path / "none.jsonl", to=tmp_path / "weights.json") == 0
    assert capsys.readouterr().out.startswith("SKIPPED: ")
    assert not (tmp_path / "weights.json").exists()


@pytest.mark.skipif(not corpus.ICLR.is_file(), reason="the data set of ICLR 2025 papers is not on this machine")
def test_features_of_real_questions_have_the_shapes_that_the_fits_need(tmp_path: Path, embedder: RememberingEmbedder) -> None:
    chosen = [q for q in loader.load(practice.QUESTIONS[0]) if len(q.papers) == 1 and not q.history][:6]
    ids = tmp_path / "few_papers.txt"
    ids.write_text("\n".join(dict.fromkeys(q.papers[0] for q in chosen)), encoding="utf-8")
    made = corpus.from_ids(ids, tmp_path, papers=corpus.ICLR)
    engine = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=embedder)
    engine.index([made.path])
    asked = loader.resolve(chosen, engine.papers(), path=practice.QUESTIONS[0], abstracts=made.abstracts)

    found = practice.examples(engine, asked)
    sentences = fit_sentences.sentence_rows(engine.extractive(blank(evidence.FEATURES, confidence.FEATURES)), found)
    assert sentences
    for row in sentences:
        assert row.features.shape == (len(row.target), len(evidence.FEATURES))
        assert row.target.sum() == pytest.approx(1.0)
        assert row.groups[0] == "every"

    judged = fit_confidence.judged(engine.extractive(blank(evidence.FEATURES, confidence.FEATURES)), found)
    assert [(row.left_out, row.answerable) for row in judged] == [(False, True), (True, False)] * len(asked)
    assert all(row.features.shape == (len(confidence.FEATURES),) for row in judged)
