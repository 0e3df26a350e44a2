"""What the model that reads question and abstract together is fitted on, and how that is put to it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from eval import corpus, fit_comprehension
from eval.fit_comprehension import DATA, HELD_OUT, QUESTIONS, SETS, Labelled, Pair, batches, encoded, pairs_of, report
from rag_qa import text
from rag_qa.comprehension import WINDOW, Comprehended

RECORDS = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
UNANSWERED = {"detail", "swap", "premise"}
HERE = pytest.mark.skipif(not all((DATA / file).is_file() for file in SETS.values()), reason="the data sets of abstracts are not on this machine")


def test_every_abstract_has_seven_questions_of_which_two_are_not_answered() -> None:
    kinds = Counter(kind for record in RECORDS for kind, _, _ in record["questions"])
    assert len(RECORDS) == 3840
    assert {len(record["questions"]) for record in RECORDS} == {7}
    assert sum(kinds[kind] for kind in UNANSWERED) == 2 * len(RECORDS)
    assert kinds["need"] == kinds["detail"] == len(RECORDS)
    wrong = [asked for record in RECORDS for kind, sentences, asked in record["questions"] if (kind in UNANSWERED) == bool(sentences)]
    assert wrong == []


def test_no_question_of_another_set_is_among_them() -> None:
    asked = {text.folded(asked) for record in RECORDS for _, _, asked in record["questions"]}
    others = [path for path in QUESTIONS.parent.glob("*.jsonl") if path != QUESTIONS]
    records = [json.loads(line) for path in others for line in path.read_text(encoding="utf-8").splitlines()]
    assert asked.isdisjoint({text.folded(record["question"]) for record in records if "question" in record})


@HERE
def test_the_papers_are_known_their_sentences_are_there_and_none_is_of_a_benchmark() -> None:
    labelled, papers, others = fit_comprehension.load()
    assert len(papers) == 3840
    assert not set(papers) & set(others)
    assert [one for one in labelled if any(place >= len(text.sentences(papers[one.paper])) for place in one.sentences)] == []
    judged = {line.split("\t")[1] for line in (DATA / "scifact/beir/qrels/test.tsv").read_text(encoding="utf-8").splitlines()}
    assert judged.isdisjoint({record["paper"].partition(":")[2] for record in RECORDS if record["paper"].startswith("scifact:")})
    iclr = {text.folded(json.loads(line)["abstract"])[:150] for line in corpus.ICLR.read_text(encoding="utf-8").splitlines()}
    assert iclr.isdisjoint({text.folded(paper)[:150] for paper in papers})
    assert len(papers) > HELD_OUT


def test_a_question_that_several_abstracts_may_answer_is_not_held_against_the_closest_ones() -> None:
    abstracts = [f"Abstract {place}." for place in range(9)]
    need, fact = Labelled("why?", 0, (0,), "need"), Labelled("why?", 0, (0,), "why")
    drawn = [
        {pair.abstract for seed in range(60) for pair in pairs_of([one], [range(1, 9)], abstracts, random.Random(seed)) if not pair.about}
        for one in (need, fact)
    ]
    assert drawn == [set(abstracts[5:]), set(abstracts[1:])]


def test_a_pair_is_put_to_the_model_with_the_sentence_of_each_token() -> None:
    made = encoded(Pair("How fast?", "It is slow. It was fast.", True, True, (1,)))
    assert len(made.ids) == len(made.types) == len(made.sentence_of)
    assert [place for place in made.sentence_of if place >= 0] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [kind for kind, place in zip(made.types, made.sentence_of, strict=True) if place >= 0] == [1] * 8
    assert len(encoded(Pair("How fast?", "It is slow. " * 400, True, False)).ids) == WINDOW


def test_every_pair_is_in_one_batch() -> None:
    pairs = [Pair(f"Question {place}?", "It is slow. " * (place % 40), True, False) for place in range(200)]
    found = batches(pairs, random.Random(1))
    assert sorted(one.pair.question for batch in found for one in batch) == sorted(pair.question for pair in pairs)
    assert all(len(batch) * max(len(one.ids) for one in batch) <= fit_comprehension.TOKENS for batch in found)


def test_the_report_counts_sentences_and_tells_answered_from_unanswered() -> None:
    labelled = [Labelled("a", 0, (1,), "num"), Labelled("b", 0, (0, 1), "why"), *(Labelled(kind, 0, (), kind) for kind in sorted(UNANSWERED))]
    read = [Comprehended(0.0, says, np.array([0.0, 1.0])) for says in (2.0, 1.0, 0.0, 1.5, 3.0)]
    assert report(labelled, read) == [
        "sentence right 1.000 of 2: num 1.00, why 1.00",
        "told from answered ones (AUROC): detail 1.000 of 1, swap 0.000 of 1, premise 0.500 of 1",
    ]


def test_without_the_data_nothing_is_fitted_or_written(tmp_path: Path) -> None:
    with pytest.raises(corpus.DataAbsent):
        fit_comprehension.load(data=tmp_path)
