"""Calibrating a real engine over the shipped abstracts: what it keeps, when that is in force, and papers that are left out."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag_qa.calibration import kept
from rag_qa.calibration.cases import Case, Kind
from rag_qa.engine import FROM_LIBRARY, Engine
from rag_qa.errors import SettingsError, SourceError
from rag_qa.llm.scripted import ScriptedChat
from rag_qa.settings import DEFAULT_THRESHOLD, load
from tests.fakes import RememberingEmbedder

LAX: dict[str, Any] = {"risk": 0.9, "delta": 0.9}
"""So little is promised that a handful of questions will do."""
QUESTIONS = [
    ("What is DP-CATE?", "DP-CATE", ""),
    ("How does NetMoE make training faster?", "NetMoE", ""),
    ("Which kind of codec does GenSE use?", "Semantic information refers to the meaning", ""),
    ("From which field did the authors of DITTO borrow an idea?", "Language models are aligned to emulate", ""),
    ("Which optimal transport solver does PEARL use?", "The in-context learning (ICL) capability of", ""),
    ("How do I bake sourdough bread at home?", "", "no"),
    ("Thanks!", "", "no"),
    ("Which papers deal with differential privacy?", "DP-CATE", ""),
]

Make = Callable[..., Engine]


@pytest.fixture
def make(seed_folder: Path, tmp_path: Path, embedder: RememberingEmbedder) -> Make:
    """Makes engines over one copy of the index of the shipped abstracts."""
    folder = tmp_path / "data"
    shutil.copytree(seed_folder, folder)

    def made(**settings: object) -> Engine:
        return Engine(load(data_dir=folder, answerer="extractive", **settings), embedder=embedder)

    return made


def questions(rows: Sequence[tuple[str, str, str]] = QUESTIONS) -> list[Path]:
    with Path("my.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("question", "papers", "answerable"), *rows])
    return [Path("my.csv")]


def test_a_threshold_is_found_kept_and_in_force_until_it_is_forgotten(make: Make) -> None:
    engine = make()
    assert (engine.threshold().value, engine.threshold().kept) == (DEFAULT_THRESHOLD, None)

    found = engine.calibrate(questions(), unanswerable=0.4, **LAX)

    assert found.is_written
    assert found.certified
    assert found.undecided == 2  # small talk, and a list of papers
    assert found.counts == {Kind.NAMED: 4, Kind.LEFT_OUT: 1, Kind.UNANSWERABLE: 1}
    for one in (engine, make()):
        now = one.threshold()
        assert now.value == found.certified.threshold
        assert now.kept
        assert (now.kept.cases, now.kept.papers, now.kept.source) == (6, 46, "my.csv")
        assert (now.is_set, now.other_scorer, now.has_other_papers) == (False, (), False)
    assert engine.forget_calibration()
    assert (engine.threshold().value, engine.forget_calibration()) == (DEFAULT_THRESHOLD, False)


def test_questions_are_refused_below_it(make: Make) -> None:
    engine = make()
    sure = engine.ask("What is DP-CATE?").confidence
    calibrated = engine.calibrate(questions(), **LAX)
    assert calibrated.certified
    threshold = engine.threshold().kept
    assert threshold

    for value, is_refused in ((min(1.0, sure + 0.01), True), (sure, False)):
        kept.write(engine.settings.data_dir, replace(threshold, threshold=value))
        assert (make().ask("What is DP-CATE?").abstained is not None) is is_refused


def test_a_question_that_cant_be_asked_is_told_with_its_place_before_any_is_asked(make: Make) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a question was asked")

    for question, says in (("word " * 401, "401 words, and 400 are the most"), ("???", "no word in the question")):
        with pytest.raises(SourceError, match=rf"^my\.csv:3: found a question that can't be asked.*{says}"):
            make().calibrate(questions([QUESTIONS[0], (question, "", "no")]), progress=never)


def test_a_question_of_two_files_is_asked_once(make: Make) -> None:
    mine = questions(QUESTIONS[:3])
    other = Path("other.jsonl")
    other.write_text('{"question": "what is DP-CATE?", "papers": ["DP-CATE"]}\n', encoding="utf-8")

    assert len(make().calibrate([*mine, other], dry_run=True, **LAX).outcomes) == 3

    other.write_text('\n{"question": "what is DP-CATE?", "answerable": false}\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"^other\.jsonl:2: found the question of my\.csv:2"):
        make().calibrate([*mine, other])


def test_two_runs_say_the_same(make: Make) -> None:
    assert make().calibrate(questions(), dry_run=True, **LAX) == make().calibrate(questions(), dry_run=True, **LAX)


def test_a_dry_run_keeps_nothing(make: Make) -> None:
    engine = make()

    assert engine.calibrate(questions(), dry_run=True, **LAX).certified
    assert engine.threshold().kept is None


def test_too_few_questions_promise_nothing_and_change_nothing(make: Make) -> None:
    engine = make()
    engine.calibrate(questions(), **LAX)
    before = engine.threshold()

    found = engine.calibrate(questions())

    assert (found.certified, found.is_written) == (None, False)
    assert "of the questions are answered: at least 22 answers are needed" in found.refusal
    assert engine.threshold() == before


def test_a_setting_counts_more_than_what_was_calibrated(make: Make) -> None:
    make().calibrate(questions(), **LAX)
    now = make(min_confidence=DEFAULT_THRESHOLD).threshold()

    assert (now.value, now.is_set, now.kept) == (DEFAULT_THRESHOLD, True, None)


def test_with_another_answerer_it_is_not_in_force(make: Make) -> None:
    make().calibrate(questions(), **LAX)
    now = make(top_k=5).threshold()

    assert now.value == DEFAULT_THRESHOLD
    assert now.kept
    assert now.other_scorer == ("another number of papers looked at (RAG_QA_TOP_K)",)


def test_where_a_chat_model_answers_it_is_not_in_force(make: Make, embedder: RememberingEmbedder) -> None:
    engine = make()
    engine.calibrate(questions(), **LAX)
    talking = Engine(load(data_dir=engine.settings.data_dir), embedder=embedder, chat_model=ScriptedChat([]))

    assert (talking.threshold().value, talking.threshold().kept) == (DEFAULT_THRESHOLD, None)


def test_with_other_papers_nothing_is_promised_any_more(make: Make) -> None:
    engine = make()
    engine.calibrate(questions(), **LAX)
    threshold = engine.threshold().kept
    assert threshold
    kept.write(engine.settings.data_dir, replace(threshold, sketch=("p0", "p1")))

    assert (engine.threshold().has_other_papers, engine.threshold().value) == (True, threshold.threshold)


def test_a_broken_file_is_told_and_not_passed_over(make: Make) -> None:
    engine = make()
    (engine.settings.data_dir / kept.NAME).write_text("{")

    with pytest.raises(SettingsError, match="rag-qa calibrate --reset"):
        engine.ask("What is DP-CATE?")
    engine.forget_calibration()
    assert engine.ask("What is DP-CATE?").abstained is None


def test_a_paper_that_is_left_out_is_as_if_it_had_never_been_there(make: Make) -> None:
    tried = make()._questions.tried
    paper = next(paper.id for paper in make().papers() if paper.label == "DP-CATE")
    with_it, without = (tried(Case("What is DP-CATE?", (paper,), without=gone)) for gone in (frozenset[str](), frozenset({paper})))

    assert with_it
    assert without
    assert with_it.first == (paper,)
    assert paper not in without.first
    assert without.confidence < DEFAULT_THRESHOLD < with_it.confidence


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_a_question_is_answered_where_its_trial_says_so_and_nowhere_else(threshold: float, seed_engine: Engine, make: Make) -> None:
    """Also one of several parts, of which one may be answered and another not."""
    asked = [question for question, _, _ in QUESTIONS[:6]] + [
        "What is DP-CATE and which learning rate does NetMoE use?",
        "How does NetMoE make training faster, and how is bread baked?",
        "Which optimal transport solver does PEARL use and from which field did the authors of DITTO borrow an idea?",
    ]
    at_threshold = make(min_confidence=threshold)

    for question in asked:
        trial = seed_engine._questions.tried(Case(question))
        answer = at_threshold.ask(question)
        assert trial
        assert (answer.abstained is None) is (trial.confidence >= threshold), question
        assert answer.abstained or answer.sources[0].paper.id in trial.first, question


def test_made_questions_are_looked_at_and_kept_on_demand(make: Make) -> None:
    engine = make()
    stages: list[tuple[str, int, int]] = []

    found = engine.calibrate(risk=0.3, progress=lambda *stage: stages.append(stage))

    assert found.source == FROM_LIBRARY
    assert found.certified
    assert found.certified.threshold >= DEFAULT_THRESHOLD
    assert not found.is_written
    assert engine.threshold().kept is None
    assert [done for _, done, _ in stages] == list(range(stages[0][2] + 1))
    assert engine.calibrate(risk=0.3, from_library=True).is_written


def test_a_paper_that_is_not_there_is_told_with_its_line(make: Make) -> None:
    with pytest.raises(SourceError, match=r"my\.csv:2: found the paper 'NoSuch'"):
        make().calibrate(questions([("What is it?", "NoSuch", "")]))
