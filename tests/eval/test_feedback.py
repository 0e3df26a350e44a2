"""Votes on answers become cases: what is taken for known, what is not, and what a run makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval import feedback as made
from eval.__main__ import main
from eval.datasets import loader
from eval.datasets.loader import Nugget, Status
from rag_qa.answering.answer import Answer
from rag_qa.engine import Engine
from rag_qa.interfaces import feedback
from rag_qa.interfaces.feedback import Reason, Verdict, Vote
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.settings import load
from tests.fakes import MOSS, TIDE, answer_to, evidence, supported

QUOTE = "a model of tides that is 1.5× faster than its rivals"


def say(
    verdict: Verdict,
    question: str = "tide",
    *,
    reason: Reason | None = None,
    key: str = "",
    comment: str = "",
    history: Sequence[str] = (),
    **other: Any,
) -> None:
    """Somebody judges the answer of the fake engine. `other`: fields of the answer."""
    vote = Vote(key or feedback.new_key(), verdict, reason, comment)
    feedback.keep(vote, replace(answer_to(question, question), **other), history, load())


def records() -> list[dict[str, Any]]:
    """The cases that the command makes."""
    Path("cases.jsonl").unlink(missing_ok=True)
    assert main(["feedback", "--out", "cases.jsonl"]) == 0
    return [json.loads(line) for line in Path("cases.jsonl").read_text(encoding="utf-8").splitlines()]


def known(record: dict[str, Any]) -> dict[str, Any]:
    """What a case takes for known."""
    return {key: record[key] for key in ("answerable", "papers", "facts", "nuggets", "status") if key in record}


def test_a_good_answer_is_an_accepted_case_of_its_papers_and_quotes() -> None:
    both = (supported(f"It is {QUOTE}.", evidence(1, TIDE, QUOTE)), supported("We propose TIDE-7.", evidence(1, TIDE, "We propose TIDE-7")))
    say(Verdict.GOOD, history=["What is new?"], sentences=both)
    (record,) = records()
    assert known(record) == {
        "answerable": True,
        "papers": ["p1"],
        "facts": [[QUOTE]],
        "nuggets": [{"text": "We propose TIDE-7", "vital": False}],
        "status": "accepted",
    }
    (question,) = loader.load(Path("cases.jsonl"))
    assert (question.text, question.history, question.facts, question.nuggets) == (
        "tide",
        ("What is new?",),
        ((QUOTE,),),
        (Nugget(("We propose TIDE-7",), vital=False),),
    )


def test_words_that_a_model_said_otherwise_are_no_fact() -> None:
    say(Verdict.GOOD)  # the fake answer says less than its quote
    (record,) = records()
    assert known(record) == {"answerable": True, "papers": ["p1"], "status": "accepted"}


def test_a_good_refusal_is_a_case_that_is_to_be_refused() -> None:
    say(Verdict.GOOD, "Who was the first?")
    assert known(records()[0]) == {"answerable": False, "status": "accepted"}


@pytest.mark.parametrize(
    ("reason", "question", "expected"),
    [
        (Reason.PAPER, "tide", {"answerable": True}),
        (Reason.FACT, "tide", {"answerable": True, "papers": ["p1"]}),
        (Reason.REFUSE, "tide", {"answerable": False}),
        (Reason.ANSWER, "Who was the first?", {"answerable": True}),
        (Reason.OTHER, "tide", {"answerable": None}),
        (None, "tide", {"answerable": None}),
    ],
)
def test_a_bad_answer_is_a_case_to_look_at_with_what_is_known(reason: Reason | None, question: str, expected: dict[str, Any]) -> None:
    say(Verdict.BAD, question, reason=reason, comment="not\nthis one")
    (record,) = records()
    assert known(record) == {**expected, "status": "proposed"}
    assert ": not this one. It said: " in record["note"]
    assert loader.left_out(Path("cases.jsonl")) == {Status.PROPOSED: 1}


def test_the_last_word_on_an_answer_counts_and_what_is_taken_back_does_not() -> None:
    say(Verdict.GOOD, key="a")
    say(Verdict.BAD, key="a")
    say(Verdict.BAD, key="a", reason=Reason.REFUSE)
    say(Verdict.GOOD, "moss and tide", key="b")
    say(Verdict.TAKEN_BACK, "moss and tide", key="b")
    (record,) = records()
    assert known(record) == {"answerable": False, "status": "proposed"}
    assert "votes" not in record["note"]


def test_votes_on_the_same_question_are_one_case_and_another_history_is_another_question() -> None:
    say(Verdict.GOOD, "What of the tide?")
    say(Verdict.GOOD, "what of  the TIDE?")
    say(Verdict.GOOD, "What of the tide?", history=["And moss?"])
    first, second = records()
    assert (first["note"], first["id"] != second["id"]) == ("2 votes.", True)
    assert second["history"] == ["And moss?"]


def test_votes_that_contradict_each_other_are_said_and_decide_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    say(Verdict.BAD, reason=Reason.REFUSE)
    say(Verdict.GOOD)
    say(Verdict.GOOD)
    (record,) = records()
    assert known(record) == {"answerable": None, "status": "proposed"}
    assert record["note"].startswith("Contradictory: 2 called the answer good, 1 bad.")
    assert "1 new case in cases.jsonl: 0 accepted, 1 to be looked at\n  contradictory votes: tide\n" in capsys.readouterr().out


def test_a_question_asked_of_some_papers_alone_is_looked_at_first() -> None:
    say(Verdict.GOOD, narrowing=Narrowing(Filters(year_from=2023)))
    say(Verdict.GOOD)
    narrowed, whole = records()
    assert (narrowed["status"], whole["status"]) == ("proposed", "accepted")
    assert "Asked of some papers alone (from 2023 on)" in narrowed["note"]


def test_a_broken_line_is_told_and_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    say(Verdict.GOOD)
    file = feedback.file_of(load())
    file.write_text('{"key": "cut sho\n' + file.read_text(encoding="utf-8") + '{"key": "k"}\n', encoding="utf-8")
    assert len(records()) == 1
    told = capsys.readouterr().out
    assert f"  not read: {file}:1: Invalid JSON" in told
    assert f"  not read: {file}:3: date: Field required" in told


def test_cases_are_added_to_those_that_were_looked_at_and_these_stay(capsys: pytest.CaptureFixture[str]) -> None:
    say(Verdict.BAD)
    (record,) = records()
    reviewed = {**record, "status": "rejected"}
    Path("cases.jsonl").write_text(json.dumps(reviewed), encoding="utf-8")  # without the end of the line
    say(Verdict.GOOD)
    say(Verdict.GOOD, "Who was the first?")
    assert main(["feedback", "--out", "cases.jsonl"]) == 2
    assert "cases.jsonl exists already" in capsys.readouterr().err
    assert main(["feedback", "--out", "cases.jsonl", "--add"]) == 0
    assert "3 votes, 1 new case in cases.jsonl: 1 accepted, 0 to be looked at; 1 were there already" in capsys.readouterr().out
    first, second = map(json.loads, Path("cases.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first, second["question"]) == (reviewed, "Who was the first?")


def test_without_feedback_it_says_how_it_comes_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feedback", "--out", "cases.jsonl"]) == 2
    assert "feedback.jsonl is not there: nobody has said anything of an answer yet" in capsys.readouterr().err
    say(Verdict.GOOD, key="a")
    say(Verdict.TAKEN_BACK, key="a")
    assert main(["feedback", "--out", "cases.jsonl"]) == 2
    assert "holds no vote that counts" in capsys.readouterr().err
    assert not Path("cases.jsonl").exists()


def test_every_reason_has_words() -> None:
    assert set(made._WRONG) == {*Reason, None}


def test_answers_of_the_real_product_that_are_called_good_pass_as_cases(seed_engine: Engine, seeds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = load()
    for question in ("How much faster is NetMoE?", "What is SeedLM?", "What learning rate does NetMoE use?"):
        answer: Answer = seed_engine.ask(question)
        feedback.keep(Vote(feedback.new_key(), Verdict.GOOD), answer, [], settings)
    assert len(records()) == 3
    capsys.readouterr()
    Path("floors.toml").write_text('[[floor]]\nmetric = "right"\nscope = "all"\nat_least = 1.0\n', encoding="utf-8")
    code = main(["run", "--data", "cases.jsonl", "--papers", str(seeds), "--floors", "floors.toml", "--only-failures"])
    assert (code, "3 questions of cases.jsonl over 46 papers" in capsys.readouterr().out) == (0, True)


def test_a_case_names_papers_by_ids_that_are_found_again() -> None:
    say(Verdict.GOOD, "compare")
    records()
    (question,) = loader.resolve(loader.load(Path("cases.jsonl")), [TIDE, MOSS], path=Path("cases.jsonl"))
    assert question.papers == ("p1", "p2")
