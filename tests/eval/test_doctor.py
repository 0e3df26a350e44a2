"""The doctor finds what is missing and what is wrong, and asks nobody."""

from __future__ import annotations

import pytest

from eval import doctor
from eval.__main__ import main
from eval.doctor import Finding


def test_ragchecker_18_everything_of_the_project_is_found_without_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "questions seeds.jsonl" in printed
    assert "none is set up: everything runs offline" in printed
    assert printed.endswith("Everything that is there can be measured.\n")


def test_settings_that_are_wrong_end_with_2(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_QA_TOP_K", "many")
    assert main(["doctor"]) == 2
    assert "wrong   settings" in capsys.readouterr().out


def test_an_unknown_price_is_said_to_be_unknown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    main(["doctor"])
    assert "price unknown, so cost is unknown and not 0; it was not asked" in capsys.readouterr().out


def test_what_is_absent_is_not_wrong() -> None:
    assert doctor.lines([Finding("a", "absent", "x"), Finding("b", "ok", "y")])[-1] == "Everything that is there can be measured."
    assert doctor.lines([Finding("a", "wrong", "x")])[-1] == "1 wrong"
