"""The fit of sentences: what it takes from real questions, and that what it writes is what the program reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from eval import corpus, fit_confidence, fit_sentences, practice
from eval.datasets import loader
from eval.fit_sentences import PaperRow
from rag_qa.answering import confidence, evidence, reread
from rag_qa.answering.weights import blank, parse
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.fakes import RememberingEmbedder


def found(place: int, *, about: Sequence[float] = (0.0, 0.0, 0.0)) -> PaperRow:
    """Three papers that were found for a question in free words, of which one is right; the log-probabilities that it is about each."""
    return PaperRow(np.array([0.5, 0.4, 0.3]), np.array([[one, 0.0] for one in about]), place, is_free=True)


NOTHING_READ = np.zeros(2)


def test_scores_that_tell_much_are_sharp() -> None:
    told = [found(0)] * 9 + [found(1)]
    vague = [found(place % 2) for place in range(10)]
    assert fit_sentences.fit_sharpness(told, NOTHING_READ) > fit_sentences.fit_sharpness(vague, NOTHING_READ)
    # of equally good places the likelihood is greatest where the scores of both count alike: as little as the grid allows
    assert fit_sentences.fit_sharpness(vague, NOTHING_READ) <= 10


def test_reading_counts_as_far_as_it_tells_the_right_paper() -> None:
    right_first, right_second = found(0, about=(-0.1, -3.0, -3.0)), found(1, about=(-3.0, -0.1, -3.0))
    rows = [right_first, right_second, right_first] * 10
    about, says = fit_sentences.fit_papers(rows)
    assert about > 0.03  # so that what is read outweighs the score
    assert says == 0.0
    assert fit_sentences.firsts(rows, np.array([about, says])) == "right paper first 20 of 30, as read 30"


def test_what_is_written_is_what_is_read() -> None:
    weights = {name: np.arange(len(evidence.FEATURES)) / sign for name, sign in (("every", 7.0), ("free", -3.0), ("why", 5.0))}
    written = json.loads(fit_sentences.to_json(weights, np.array([0.25, 0.5]), "by hand"))
    read = parse(written["sentence"], evidence.FEATURES)
    assert written["origin"] == "by hand"
    assert written["paper"] == {"about": 0.25, "says": 0.5}
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
    sentences = fit_sentences.sentence_rows(engine.extractive(blank(evidence.FEATURES, confidence.FEATURES, reread.FEATURES)), found)
    assert sentences
    for row in sentences:
        assert row.features.shape == (len(row.target), len(evidence.FEATURES))
        assert row.target.sum() == pytest.approx(1.0)
        assert row.groups[0] == "every"

    judged = fit_confidence.judged(engine.extractive(blank(evidence.FEATURES, confidence.FEATURES, reread.FEATURES)), found)
    assert [(row.left_out, row.answerable) for row in judged] == [(False, True), (True, False)] * len(asked)
    assert all(row.features.shape == (len(confidence.FEATURES),) for row in judged)
