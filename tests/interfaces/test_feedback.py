"""What people say of answers: what is kept of it, where, and what happens when it can't be."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rag_qa.errors import RagQAError
from rag_qa.interfaces import app, cards, cli, feedback
from rag_qa.interfaces.feedback import Reason, Verdict, Vote
from rag_qa.settings import load
from tests.fakes import FakeEngine, answer_to
from tests.interfaces.test_app import ScriptedEngine, talk

BAD = Vote("k1", Verdict.BAD, Reason.FACT, "  it is 1.67\u2028 \ud800  ")
NOW = datetime(2026, 12, 1, 12, 30, 5, 99, tzinfo=UTC)


def kept(folder: Path = Path(".rag_qa")) -> list[dict[str, Any]]:
    """The lines of the file."""
    return [json.loads(line) for line in (folder / feedback.NAME).read_text(encoding="utf-8").splitlines()]


def test_a_record_says_what_was_asked_answered_and_thought() -> None:
    record = feedback.record(BAD, answer_to("And its speed?", "And TIDE-7's speed?"), ["What is tide?"], load(), NOW)
    settings = record.pop("settings")
    assert record == {
        "version": 1,
        "date": "2026-12-01T12:30:05+00:00",
        "key": "k1",
        "verdict": "bad",
        "reason": "fact",
        "comment": "it is 1.67\u2028 \ud800",
        "question": "And its speed?",
        "understood_as": "And TIDE-7's speed?",
        "history": ["What is tide?"],
        "narrowed_to": "",
        "answer": "TIDE-7 is 1.5× faster than its rivals. [1]",
        "is_refusal": False,
        "sources": [{"n": 1, "paper_id": "p1", "label": "TIDE-7"}],
        "quotes": [{"paper_id": "p1", "start": 55, "end": 107, "quote": "a model of tides that is 1.5× faster than its rivals"}],
        "confidence": 0.9,
        "model": "extractive",
    }
    assert settings == feedback.fingerprint(load())


def test_the_fingerprint_changes_with_what_answers_depend_on_and_tells_no_secret() -> None:
    usual = feedback.fingerprint(load())
    assert feedback.fingerprint(load(top_k=3)) != usual
    assert feedback.fingerprint(load(data_dir=Path("elsewhere"), port=1, openai_api_key="sk-secret")) == usual


def test_lines_are_appended_for_the_owner_alone(tmp_path: Path) -> None:
    settings = load(data_dir=tmp_path / "new" / "data")
    for key in ("a", "b"):
        feedback.keep(Vote(key, Verdict.GOOD), answer_to("tide", "tide"), [], settings)
    assert [line["key"] for line in kept(tmp_path / "new" / "data")] == ["a", "b"]
    assert stat.S_IMODE(feedback.file_of(settings).stat().st_mode) == 0o600


def test_any_character_is_kept_in_one_line_and_a_book_is_cut() -> None:
    settings = load()
    feedback.keep(BAD, answer_to("tide", "tide"), [], settings)
    feedback.keep(Vote("k2", Verdict.BAD, None, "x" * 5000), answer_to("tide", "tide"), [], settings)
    first, second = kept()
    assert first["comment"] == "it is 1.67\u2028 \ud800"
    assert len(second["comment"]) == feedback.LONGEST_COMMENT


def test_a_line_that_was_cut_short_does_not_spoil_the_next() -> None:
    file = feedback.file_of(load())
    file.parent.mkdir()
    file.write_text('{"key": "broken", "verd', encoding="utf-8")
    feedback.keep(Vote("whole", Verdict.GOOD), answer_to("tide", "tide"), [], load())
    broken, whole = file.read_text(encoding="utf-8").splitlines()
    assert broken == '{"key": "broken", "verd'
    assert json.loads(whole)["key"] == "whole"


def test_many_at_once_are_all_kept() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: feedback.keep(Vote(f"k{n}", Verdict.GOOD), answer_to("tide", "tide"), [], load()), range(200)))
    assert {line["key"] for line in kept()} == {f"k{n}" for n in range(200)}


def test_what_can_not_be_kept_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RagQAError, match=r"your feedback could not be kept in .*feedback\.jsonl \(.*\): free its disk, or choose another folder"):
        feedback.keep(Vote("k", Verdict.GOOD), answer_to("tide", "tide"), [], load(data_dir=tmp_path / "file"))


# ---------------------------------------------------------------------------------------------------------------------- page


def test_a_vote_on_the_page_is_kept_with_the_questions_before_it() -> None:
    engine = ScriptedEngine()
    turns = talk(engine, "What is tide?", "And its speed?")
    said = {"turn": "2", "verdict": "bad", "reason": "paper", "comment": "wrong one"}
    assert app.voted(turns, engine.settings, said) == (True, "Thank you: this is kept.")
    assert app.voted(turns, engine.settings, {**said, "verdict": "taken back", "reason": "", "comment": ""}) == (True, "Taken back.")
    first, second = kept()
    assert (first["question"], first["history"], first["reason"], first["comment"]) == ("And its speed?", ["What is tide?"], "paper", "wrong one")
    assert (second["verdict"], second["key"]) == ("taken back", first["key"])


def test_two_answers_are_two_whatever_was_asked() -> None:
    one, other = talk(ScriptedEngine(), "tide", "tide")
    assert one.key != other.key


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"turn": "9", "verdict": "good"}, "There is no such answer any more."),
        ({"turn": "1", "verdict": "great"}, "This can't be said of an answer."),
        ({"turn": "1", "verdict": "bad", "reason": "weather"}, "This can't be said of an answer."),
        ({"verdict": "good"}, "There is no such answer any more."),
    ],
)
def test_what_the_page_can_not_have_sent_is_not_kept(said: dict[str, str], told: str) -> None:
    engine = ScriptedEngine()
    assert app.voted(talk(engine, "tide"), engine.settings, said) == (False, told)
    assert not Path(".rag_qa").exists()


def test_a_visitor_is_told_that_it_was_not_kept_and_the_log_where(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("no folder")
    engine = ScriptedEngine(settings=load(data_dir=tmp_path / "file"))
    assert app.voted(talk(engine, "tide"), engine.settings, {"turn": "1", "verdict": "good"}) == (
        False,
        "This could not be kept. The log of the program says more.",
    )
    assert str(tmp_path) in caplog.text


def test_turned_off_nobody_is_asked_and_nothing_is_kept() -> None:
    engine = ScriptedEngine(settings=load(feedback="off"))
    turns = talk(engine, "tide")
    assert app.voted(turns, engine.settings, {"turn": "1", "verdict": "good"}) == (False, "There is no such answer any more.")
    assert "data-vote" not in "".join(app.Library(engine).conversation_html(turns))
    assert "data-vote" in "".join(app.Library(ScriptedEngine()).conversation_html(turns))
    assert not Path(".rag_qa").exists()


def test_the_page_offers_the_reasons_that_there_are() -> None:
    offered = {name for name, _ in (*cards._REASONS, *cards._REASONS_OF_REFUSAL)}
    assert offered == set(Reason)


def test_a_refusal_is_judged_by_other_reasons_and_a_greeting_not_at_all() -> None:
    engine = ScriptedEngine()
    answered, refused = app.Library(engine).conversation_html(talk(engine, "tide", "Who was the first?"))
    assert 'value="refuse"' in answered
    assert 'value="answer"' not in answered
    assert 'value="answer"' in refused
    assert 'value="refuse"' not in refused


# ------------------------------------------------------------------------------------------------------------------ terminal


def chat(typed: str, **env: str) -> tuple[str, str]:
    """What a conversation prints, and its complaints."""
    result = CliRunner(env=env).invoke(cli.build_app(FakeEngine, lambda _engine, _open: None), ["chat"], input=typed)
    assert result.exit_code == 0
    return result.stdout, result.stderr


def test_the_terminal_keeps_what_is_said_of_the_last_answer() -> None:
    told, _ = chat("tide\n/good short and right\nAnd its tide speed?\n/bad fact: it is 1.67\n/bad I want more\n/bad\n")
    lines = kept()
    assert [(line["verdict"], line["reason"], line["comment"]) for line in lines] == [
        ("good", None, "short and right"),
        ("bad", "fact", "it is 1.67"),
        ("bad", "other", "I want more"),
        ("bad", None, ""),
    ]
    assert [line["history"] for line in lines] == [[], ["tide"], ["tide"], ["tide"]]
    assert lines[0]["key"] != lines[1]["key"] == lines[2]["key"]
    assert f"Kept in {Path('.rag_qa/feedback.jsonl').absolute()}, with the question and the answer." in told.replace("\n", " ").replace("  ", " ")


def test_there_has_to_be_an_answer_and_it_has_to_be_wanted() -> None:
    assert "There is no answer yet." in chat("/good\n")[0]
    assert "Nothing is kept: RAG_QA_FEEDBACK is off." in chat("tide\n/bad\n", RAG_QA_FEEDBACK="off")[0]
    assert not Path(".rag_qa").exists()


def test_what_can_not_be_kept_is_a_line_and_the_conversation_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    told, complained = chat("tide\n/good\ntide again\n", RAG_QA_DATA_DIR=str(tmp_path / "file"))
    assert complained.startswith("error: your feedback could not be kept in ")
    assert told.count("TIDE-7 is 1.5× faster") >= 2
