"""Settings: where they come from, what they hide, and how a wrong one is said. `.env.example` is held to them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rag_qa.errors import SettingsError
from rag_qa.settings import Settings, environment_name, load

SECRETS = ["OPENAI_API_KEY", "RAG_QA_EMBEDDING_API_KEY", "RAG_QA_CHROMA_TOKEN"]
UNREADABLE = Path("/proc/self/mem")
VALUES = {  # another value than the default for each setting
    "OPENAI_API_KEY": "sk-1",
    "OPENAI_BASE_URL": "http://127.0.0.1:8080/v1",
    "RAG_QA_DATA_DIR": "elsewhere",
    "RAG_QA_LANGUAGE": "de",
    "RAG_QA_CHROMA_URL": "http://127.0.0.1:8000",
    "RAG_QA_CHROMA_TOKEN": "tok-1",
    "RAG_QA_EMBEDDER": "openai",
    "RAG_QA_EMBEDDING_MODEL": "nomic-embed-text",
    "RAG_QA_EMBEDDING_BASE_URL": "http://127.0.0.1:8081/v1",
    "RAG_QA_EMBEDDING_API_KEY": "sk-2",
    "RAG_QA_RERANKER": "llm",
    "RAG_QA_RERANKER_MODEL": "mistral",
    "RAG_QA_RERANKER_DEPTH": "50",
    "RAG_QA_ANSWERER": "extractive",
    "RAG_QA_LLM_MODEL": "llama3",
    "RAG_QA_LLM_CONTEXT_TOKENS": "4096",
    "RAG_QA_LLM_MAX_OUTPUT_TOKENS": "100",
    "RAG_QA_LLM_TIMEOUT": "5.5",
    "RAG_QA_LLM_DEADLINE": "30.5",
    "RAG_QA_LLM_RETRIES": "0",
    "RAG_QA_LLM_PRICE": "0.4/1.6",
    "RAG_QA_UNSUPPORTED": "drop",
    "RAG_QA_TOP_K": "3",
    "RAG_QA_MIN_CONFIDENCE": "0.25",
    "RAG_QA_FEEDBACK": "off",
    "RAG_QA_HOST": "0.0.0.0",
    "RAG_QA_PORT": "8000",
    "RAG_QA_REPORT": "runs/now",
}


def shown(value: Any) -> str:
    """A setting as one would write it in the environment; nothing for None."""
    if value is None:
        return ""
    return str(value.get_secret_value() if hasattr(value, "get_secret_value") else value)


def current() -> dict[str, str]:
    """Every setting in force, by variable."""
    return {environment_name(name): shown(getattr(load(), name)) for name in Settings.model_fields}


def test_the_examples_here_know_every_setting() -> None:
    defaults = current()
    assert VALUES.keys() == defaults.keys()
    assert not [name for name, value in VALUES.items() if value == defaults[name]]


@pytest.mark.parametrize("name", VALUES)
def test_a_variable_sets_its_setting_and_no_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = current() | {name: VALUES[name]}
    monkeypatch.setenv(name, VALUES[name])
    assert current() == expected


def test_the_file_sets_all_of_them() -> None:
    Path(".env").write_text("".join(f"{name}={value}\n" for name, value in VALUES.items()))
    assert current() == VALUES


def test_the_environment_wins_over_the_file_and_an_override_over_both(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("RAG_QA_TOP_K=3\nRAG_QA_PORT=8000\nOPENAI_API_KEY=of-the-file\n")
    monkeypatch.setenv("RAG_QA_TOP_K", "4")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    settings = load()
    assert (settings.top_k, settings.port, shown(settings.openai_api_key)) == (4, 8000, "of-the-environment")
    assert (load(top_k=5).top_k, load(top_k=None).top_k) == (5, 4)


def test_an_empty_variable_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("RAG_QA_TOP_K", "")
    assert (load().openai_api_key, load().top_k, load().uses_llm) == (None, Settings().top_k, False)


def test_what_others_keep_in_the_file_does_not_disturb() -> None:
    Path(".env").write_text("SOMEBODY_ELSES=1\nRAG_QA_TOP_K=3\n")
    assert load().top_k == 3


@pytest.mark.parametrize(
    ("variables", "uses_llm"),
    [
        ({}, False),
        ({"OPENAI_API_KEY": "sk-1"}, True),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, True),
        ({"OPENAI_API_KEY": "sk-1", "RAG_QA_ANSWERER": "extractive"}, False),
        ({"RAG_QA_ANSWERER": "llm"}, True),
    ],
)
def test_a_chat_model_answers_if_one_is_configured_or_asked_for(variables: dict[str, str], uses_llm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert load().uses_llm is uses_llm


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load().top_k = 3  # type: ignore[misc]


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_never_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "sk-very-secret")
    settings = load()
    for text in (repr(settings), str(settings), settings.model_dump_json(), repr(settings.model_dump())):
        assert "very-secret" not in text
        assert "****" in text


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_not_shown_by_the_error_about_another_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "sk-very-secret")
    monkeypatch.setenv("RAG_QA_PORT", "many")
    with pytest.raises(SettingsError) as raised:
        load()
    assert "very-secret" not in str(raised.value)
    assert raised.value.__suppress_context__  # the error of the library below shows its input


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("RAG_QA_TOP_K", "many", "integer"),
        ("RAG_QA_TOP_K", "0", "greater than or equal to 1"),
        ("RAG_QA_PORT", "99999", "less than or equal to 65535"),
        ("RAG_QA_LLM_TIMEOUT", "-1", "greater than 0"),
        ("RAG_QA_MIN_CONFIDENCE", "1.5", "less than or equal to 1"),
        ("RAG_QA_ANSWERER", "gpt", "'auto', 'extractive' or 'llm'"),
        ("RAG_QA_EMBEDDER", "bert", "'minilm', 'static', 'openai' or 'sentence-transformers'"),
        ("RAG_QA_CHROMA_URL", "localhost:8000", "expected an address such as http://localhost:8000"),
        ("RAG_QA_CHROMA_URL", "http://me:secret@localhost:8000", "expected an address such as http://localhost:8000"),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_wrong_value_is_said_in_one_line(name: str, value: str, says: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if place == "environment":
        monkeypatch.setenv(name, value)
    else:
        Path(".env").write_text(f"{name}={value}\n")
    with pytest.raises(SettingsError) as raised:
        load()
    message = str(raised.value)
    assert message.startswith(f"{name} is '{value}': ")
    assert says in message
    assert "\n" not in message


def test_two_wrong_values_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_QA_TOP_K", "many")
    monkeypatch.setenv("RAG_QA_ANSWERER", "gpt")
    with pytest.raises(SettingsError, match=r"^(?=.*RAG_QA_TOP_K)(?=.*RAG_QA_ANSWERER)"):
        load()


def test_a_file_that_is_not_text_is_named() -> None:
    Path(".env").write_bytes("RAG_QA_LLM_MODEL=café\n".encode("latin-1"))
    with pytest.raises(SettingsError, match=r"^\.env\b.*UTF-8"):
        load()


@pytest.mark.skipif(not UNREADABLE.is_file(), reason=f"needs {UNREADABLE}, a file that can be opened and not read, even by root")
def test_a_file_that_cannot_be_read_is_named() -> None:
    Path(".env").symlink_to(UNREADABLE)
    with pytest.raises(SettingsError, match=r"^\.env cannot be read \(.+\)"):
        load()


def example(project: Path) -> dict[str, tuple[str, str]]:
    """`.env.example` as {variable: (the comment above it, what is behind it)}."""
    text = (project / ".env.example").read_text(encoding="utf-8")
    return {name: (meaning, default) for meaning, name, default in re.findall(r"^# (.+)\n#(\w+)=(.*)$", text, flags=re.MULTILINE)}


def test_the_example_file_lists_every_setting_with_its_meaning_and_default(project: Path) -> None:
    fields = Settings.model_fields.items()
    assert example(project) == {environment_name(name): (field.description, shown(field.default)) for name, field in fields}


def test_the_example_file_has_no_line_that_this_test_does_not_know(project: Path) -> None:
    text = (project / ".env.example").read_text(encoding="utf-8")
    assert re.findall(r"^[^#\n].*", text, flags=re.MULTILINE) == []
    assert len(re.findall(r"^#\S", text, flags=re.MULTILINE)) == len(example(project))


def test_the_example_file_with_everything_uncommented_is_the_default(project: Path) -> None:
    before = current()
    text = (project / ".env.example").read_text(encoding="utf-8")
    Path(".env").write_text(re.sub(r"^#(?=\w)", "", text, flags=re.MULTILINE))
    assert current() == before
