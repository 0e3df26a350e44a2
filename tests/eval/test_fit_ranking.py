"""The fit of the ranking finds the weights by which the data was made; the development sets hold what they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import development, fit_ranking
from eval.beir import Beir
from eval.corpus import DataAbsent
from eval.datasets import loader
from eval.fit_ranking import Listed

TRUE = np.array([0.5, 0.1, 0.4])


def lists(seed: int, many: int = 60) -> list[Listed]:
    """Questions of ten candidates each; the relevant one is the best by TRUE weights and a little chance."""
    draw = np.random.default_rng(seed)
    made = []
    for number in range(many):
        features = draw.uniform(size=(10, 3))
        best = int((features @ TRUE + draw.normal(scale=0.02, size=10)).argmax())
        made.append(Listed(f"question {seed} {number}", [f"p{i}" for i in range(10)], features, {f"p{best}": 1.0}))
    return made


def test_the_fit_finds_the_weights_by_which_the_data_was_made() -> None:
    weights = fit_ranking.fit(lists(1, many=200))
    assert weights.sum() == pytest.approx(1.0)
    assert weights == pytest.approx(TRUE, abs=0.06)


def test_a_question_whose_paper_is_no_candidate_teaches_nothing_and_counts_as_0() -> None:
    missed = Listed("?", ["p1"], np.ones((1, 3)), {"elsewhere": 1.0})
    assert fit_ranking.fit([*lists(1), missed]) == pytest.approx(fit_ranking.fit(lists(1)))
    assert missed.ndcg(TRUE) == 0.0


def test_ndcg_of_candidates_by_hand() -> None:
    one = Listed("?", ["far", "near"], np.array([[0.1, 0.0, 0.0], [0.9, 0.0, 0.0]]), {"far": 1.0})
    assert one.ndcg(TRUE) == pytest.approx(1 / np.log2(3))
    assert one.ndcg(-TRUE) == 1.0


def test_cross_validation_judges_every_question_once() -> None:
    figures = fit_ranking.cross_validated({"one": lists(1), "other": lists(2)})
    assert set(figures) == {"one", "other"}
    assert all(0.9 < value <= 1.0 for value in figures.values())


def test_the_report_names_every_set() -> None:
    said = fit_ranking.report({"one": lists(1), "other": lists(2)})
    assert [line.split("  ")[0] for line in said[:3]] == ["all sets", "without one", "without other"]
    assert len(said) == 6


def test_without_the_data_it_says_so_and_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_ranking.main(["--cache", str(tmp_path)], data=tmp_path / "nowhere") == fit_ranking.FITTED
    assert capsys.readouterr().out.startswith("SKIPPED: ")
    with pytest.raises(DataAbsent):
        development.sets(tmp_path, tmp_path / "nowhere")


# ------------------------------------------------------------------------------------------------------ the development sets


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data sets with a few records each; U+2028 is no end of a line."""
    folder = tmp_path / "data"
    own = development.QUESTIONS.with_name("iclr_dev_papers.txt").read_text(encoding="utf-8").split()
    claims = [{"_id": "1", "text": "Tides rise."}, {"_id": "2", "text": "Moss\u2028grows."}]
    write(folder / "scifact/beir/corpus.jsonl", [{"_id": "d1", "title": "Tides", "text": "They rise."}])
    write(folder / "scifact/beir/queries.jsonl", claims)
    qrels = folder / "scifact/beir/qrels"
    qrels.mkdir()
    (qrels / "train.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n")
    (qrels / "test.tsv").write_text("query-id\tcorpus-id\tscore\n2\td1\t1\n")
    write(folder / "pubmedqa/beir/corpus.jsonl", [{"_id": id_, "title": "", "text": f"Abstract {id_}."} for id_ in ("a", "b")])
    write(folder / "pubmedqa/beir/queries.jsonl", [{"_id": id_, "text": f"What of\u2028{id_}?"} for id_ in ("a", "b")])
    write(folder / "pubmedqa/beir/qa.jsonl", [{"id": "a", "split": "dev"}, {"id": "b", "split": "test"}])
    write(folder / "iclr2025/papers.jsonl", [{"id": id_, "abstract": f"We  study {id_}. {LONG}"} for id_ in own])
    known = f"We study {own[0]}. {LONG}"
    others = [("x", "On moss", f"Moss. {LONG}"), ("y", "Copy", known), ("z", "Short", "Moss.")]
    write(folder / "ml_papers/corpus.jsonl", [{"_id": id_, "title": title, "text": text} for id_, title, text in others])
    return folder


LONG = "moss on stone " * 30


def write(path: Path, records: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n", encoding="utf-8")


def documents(collection: Beir) -> list[dict[str, str]]:
    return [json.loads(line) for line in collection.corpus.read_text(encoding="utf-8").split("\n") if line]


def test_only_development_questions_are_asked(tmp_path: Path, data: Path) -> None:
    scifact, pubmedqa, own, among, titles = development.sets(tmp_path / "made", data)

    assert [question.text for question in scifact.questions] == ["Tides rise."]
    assert [(question.text, dict(question.grades)) for question in pubmedqa.questions] == [("What of\u2028a?", {"a": 1.0})]
    asked = [question for question in loader.load(development.QUESTIONS) if question.answerable and not question.history]
    assert [(one.text, set(one.grades)) for one in own.questions] == [(one.text, set(one.papers)) for one in asked]
    assert [one.text for one in among.questions] == [one.text for one in own.questions]
    assert [(one.text, dict(one.grades)) for one in titles.questions] == [("On moss", {"x": 1.0})]


def test_the_others_are_abstracts_without_titles_and_none_is_known_already(tmp_path: Path, data: Path) -> None:
    _, _, own, among, titles = development.sets(tmp_path / "made", data)
    assert {document["_id"] for document in documents(among)} - {document["_id"] for document in documents(own)} == {"x"}
    assert documents(titles) == documents(among)
    assert {document["title"] for document in documents(among)} == {""}
