"""The diagnosis: what it finds, what it asks of servers (scripted ones on this machine), and that it never shows a secret."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from rag_qa.engine import IndexInfo
from rag_qa.errors import StaleIndexError
from rag_qa.interfaces import cli
from rag_qa.interfaces.doctor import Answered, Check, State, data_folder, diagnose, installed, is_usable, probe, shown_settings, without_secrets
from rag_qa.interfaces.render import EngineLike
from rag_qa.settings import Settings, load
from tests.fakes import FakeEngine

MODELS = b'{"object": "list", "data": [{"id": "tiny"}, {"id": "small"}]}'


@dataclass
class Script:
    """What a server replies, and the requests that it got as (path, Authorization)."""

    status: int = 200
    body: bytes = MODELS
    location: str = ""
    delay: float = 0.0
    url: str = ""
    requests: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Callable[[Script], Script]]:
    """Starts servers that follow a script."""
    running: list[ThreadingHTTPServer] = []

    def started(script: Script) -> Script:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                script.requests.append((self.path, self.headers["Authorization"]))
                time.sleep(script.delay)
                self.send_response(script.status)
                if script.location:
                    self.send_header("Location", script.location)
                self.send_header("Content-Length", str(len(script.body)))
                self.end_headers()
                self.wfile.write(script.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name in the base class)
                pass

        running.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        script.url = f"http://127.0.0.1:{running[-1].server_port}/v1"
        return script

    yield started
    for one in running:
        one.shutdown()
        one.server_close()


def run(*args: str, make_engine: Callable[[Settings], EngineLike] = FakeEngine, env: dict[str, str] | None = None) -> Result:
    return CliRunner(env=env).invoke(cli.build_app(make_engine), ["doctor", *args])


def named(checks: list[Check], name: str) -> Check:
    (found,) = [check for check in checks if check.name == name]
    return found


# -------------------------------------------------------------------------------------------------------------- the whole


def test_all_is_well_offline() -> None:
    result = run()

    assert (result.exit_code, result.stderr) == (0, "")
    assert "✗" not in result.stdout
    assert result.stdout.endswith("\n\nReady to use.\n")


def test_the_diagnosis_as_json() -> None:
    value = json.loads(run("--json").stdout)

    assert set(value) == {"usable", "version", "python", "checks", "settings"}
    assert value["usable"] is True
    assert all(set(check) == {"name", "state", "detail"} for check in value["checks"])
    assert {"data folder", "weights", "tokenizer", "index", "search", "answers"} <= {check["name"] for check in value["checks"]}
    assert value["settings"]["RAG_QA_TOP_K"] == "8"


def test_an_index_that_is_not_there_yet_is_a_warning_with_what_to_do() -> None:
    checks = diagnose(FakeEngine(is_empty=True))

    assert named(checks, "index") == Check("index", State.WARNING, "There is no index yet: run rag-qa index PATH first")
    assert is_usable(checks)
    assert "search" not in {check.name for check in checks}


class StaleEngine(FakeEngine):
    def info(self) -> IndexInfo:
        raise StaleIndexError("built with X, opened with Y: run rag-qa index PATH")


class UnsearchableEngine(FakeEngine):
    def search(self, *args: object, **kwargs: object) -> list[object]:  # type: ignore[override]
        raise StaleIndexError("built with X, opened with Y: run rag-qa index PATH")


@pytest.mark.parametrize(("engine", "name"), [(StaleEngine, "index"), (UnsearchableEngine, "search")])
def test_an_index_that_cannot_be_used_is_a_failure(engine: Callable[[Settings], EngineLike], name: str) -> None:
    result = run(make_engine=engine)

    assert result.exit_code == 2
    assert any(line.split() == f"✗ {name} built with X, opened with Y: run rag-qa index PATH".split() for line in result.stdout.splitlines())
    assert result.stdout.endswith("Not usable: see each line with ✗.\n")
    assert json.loads(run("--json", make_engine=engine).stdout)["usable"] is False


# --------------------------------------------------------------------------------------------------------- what is in place


def test_versions_are_those_of_the_libraries_that_the_package_needs() -> None:
    checks = installed("typer")

    assert {"rich", "shellingham"} <= {check.name for check in checks}
    assert all(check.state is State.OK and check.detail[0].isdigit() for check in checks)


def test_a_library_that_is_missing_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "needy-1.0.dist-info"
    folder.mkdir()
    needs = ("no-such-library>=2", 'other[x]; extra == "dev"', "rich (>=1)")
    head = "Metadata-Version: 2.1\nName: needy\nVersion: 1.0\n"
    (folder / "METADATA").write_text(head + "".join(f"Requires-Dist: {need}\n" for need in needs))
    monkeypatch.syspath_prepend(tmp_path)

    missing, rich = installed("needy")

    assert missing == Check("no-such-library", State.FAILED, "not installed: pip install no-such-library")
    assert (rich.name, rich.state) == ("rich", State.OK)


def test_a_program_that_is_not_installed_is_only_a_warning() -> None:
    (check,) = installed("no-such-program")

    assert check.state is State.WARNING


def test_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert data_folder(tmp_path) == Check("data folder", State.OK, str(tmp_path))
    assert data_folder(tmp_path / "a" / "b") == Check("data folder", State.OK, f"{tmp_path}/a/b (made when it is needed)")
    assert data_folder(tmp_path / "file" / "b").state is State.FAILED


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    assert data_folder(tmp_path / "a").state is State.FAILED


# -------------------------------------------------------------------------------------------------------------- the servers


def test_a_server_that_lists_its_models(server: Callable[[Script], Script]) -> None:
    script = server(Script())

    assert probe(script.url + "/", SecretStr("sk-1")) == Answered(True, "answers; models: tiny, small", ("tiny", "small"))
    assert script.requests == [("/v1/models", "Bearer sk-1")]


@pytest.mark.parametrize(
    ("script", "is_fine", "detail"),
    [
        (Script(401), False, "answers, but refuses the key (HTTP 401)"),
        (Script(403), False, "answers, but refuses the key (HTTP 403)"),
        (Script(404), True, "answers, but does not list its models (HTTP 404)"),
        (Script(503), False, "answers with a failure of its own (HTTP 503)"),
        (Script(body=b"<html>"), False, "answers, but not as an OpenAI-compatible server does; does the address end in /v1?"),
        (Script(body=b'{"data": 3}'), False, "answers, but not as an OpenAI-compatible server does; does the address end in /v1?"),
        (Script(body=b"\xff"), False, "answers, but not as an OpenAI-compatible server does; does the address end in /v1?"),
        (Script(body=b'{"data": []}'), True, "answers; models: none"),
        (Script(delay=2.0), False, "gave no answer within 0.2 s"),
    ],
)
def test_what_servers_do(script: Script, is_fine: bool, detail: str, server: Callable[[Script], Script]) -> None:
    begin = time.perf_counter()
    answer = probe(server(script).url, None, patience=0.2 if script.delay else 5.0)

    assert (answer.is_fine, answer.detail) == (is_fine, detail)
    assert time.perf_counter() - begin < 1.5


def test_a_server_that_is_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    answer = probe(f"http://127.0.0.1:{port}/v1", None)

    assert not answer.is_fine
    assert answer.detail.startswith("does not answer: ")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "localhost:8000", "", "http://[", "http://127.0.0.1:port/v1", "http://a b/"])
def test_what_is_no_address_is_said_and_never_opened(url: str) -> None:
    answer = probe(url, SecretStr("sk-1"))

    assert not answer.is_fine
    assert answer.detail.startswith(("is not an address", "does not answer"))


def test_a_key_is_not_sent_on_to_where_a_server_redirects(server: Callable[[Script], Script]) -> None:
    other = server(Script())
    first = server(Script(302, location=f"{other.url}/models"))

    probe(first.url, SecretStr("sk-1"))

    assert first.requests == [("/v1/models", "Bearer sk-1")]
    assert other.requests == [("/v1/models", None)]


def test_a_chat_server_that_is_away_is_a_warning_because_it_works_without() -> None:
    checks = diagnose(FakeEngine(load(openai_base_url="http://127.0.0.1:9/v1")))

    check = named(checks, "chat model")
    assert check.state is State.WARNING
    assert check.detail.startswith("http://127.0.0.1:9/v1 does not answer: ")
    assert is_usable(checks)


def test_a_model_that_the_server_does_not_have_is_named(server: Callable[[Script], Script]) -> None:
    url = server(Script()).url

    missing = named(diagnose(FakeEngine(load(openai_base_url=url, llm_model="huge"))), "chat model")
    there = named(diagnose(FakeEngine(load(openai_base_url=url, llm_model="tiny"))), "chat model")

    assert missing == Check("chat model", State.WARNING, f"{url} does not list 'huge'; it has tiny, small")
    assert there.state is State.OK


def test_an_embeddings_server_is_needed_when_it_is_chosen(server: Callable[[Script], Script]) -> None:
    script = server(Script())
    settings = {"embedder": "openai", "embedding_api_key": SecretStr("sk-2"), "answerer": "extractive"}

    up = diagnose(FakeEngine(load(**settings, embedding_base_url=script.url)))
    down = diagnose(FakeEngine(load(**settings, embedding_base_url="http://127.0.0.1:9/v1")))

    assert script.requests == [("/v1/models", "Bearer sk-2")]
    assert named(up, "embeddings").state is State.OK
    assert named(down, "embeddings").state is State.FAILED
    assert not is_usable(down)
    assert not {"weights", "search"} & {check.name for check in up}


# -------------------------------------------------------------------------------------------------------------- the secrets


def test_no_secret_is_shown(server: Callable[[Script], Script]) -> None:
    url = server(Script()).url.replace("//", "//me:hunter2@") + "?key=hush"
    env = {"OPENAI_API_KEY": "sk-secret\nline", "RAG_QA_EMBEDDING_API_KEY": "sk-other", "OPENAI_BASE_URL": url}

    for result in (run(env=env), run("--json", env=env)):
        assert result.exit_code == 0
        assert not any(secret in result.output for secret in ("sk-secret", "sk-other", "hunter2", "hush"))
        assert "set (hidden)" in result.output


def test_every_variable_is_listed() -> None:
    shown = shown_settings(load())

    assert len(shown) == len(Settings.model_fields)
    assert {"OPENAI_API_KEY": "not set", "RAG_QA_EMBEDDER": "minilm", "RAG_QA_DATA_DIR": ".rag_qa"}.items() <= shown.items()


@pytest.mark.parametrize(
    ("url", "shown"),
    [("http://host/v1", "http://host/v1"), ("http://u@host", "http://***@host"), ("http://[", "***"), ("http://h?k=1#x", "http://h?***")],
)
def test_addresses_are_shown_without_secrets(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


# ------------------------------------------------------------------------------------------- other embedders, vectors elsewhere


def checks_of(**chosen: object) -> list[Check]:
    return diagnose(FakeEngine(load(**chosen)), patience=5.0)


def test_the_weights_of_static_vectors() -> None:
    checks = checks_of(embedder="static")

    assert named(checks, "weights").state is State.OK
    assert named(checks, "weights").detail.endswith("weights/l2_supercat_256.safetensors (16.4 MB)")
    assert named(checks, "search").state is State.OK


def test_a_model_of_sentence_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remedy = "sentence-transformers is not installed: pip install 'rag-qa[sentence-transformers]'"
    assert named(checks_of(embedder="sentence-transformers"), "embeddings") == Check("embeddings", State.FAILED, remedy)

    (tmp_path / "sentence_transformers.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    check = named(checks_of(embedder="sentence-transformers", embedding_model="e5"), "embeddings")
    assert check == Check("embeddings", State.OK, "e5, by sentence-transformers (fetched when it is first used)")


@pytest.mark.parametrize(
    ("script", "state", "detail"),
    [
        (Script(body=b'{"nanosecond heartbeat": 1}'), State.OK, "answers"),
        (Script(404), State.FAILED, "answers, but not as a Chroma server does (HTTP 404)"),
        (Script(body=b"hello"), State.FAILED, "answers, but not as a Chroma server does (HTTP 200)"),
        (Script(401), State.FAILED, "answers, but refuses the token (HTTP 401)"),
    ],
)
def test_a_chroma_server(script: Script, state: State, detail: str, server: Callable[[Script], Script]) -> None:
    url = server(script).url.removesuffix("/v1")

    assert named(checks_of(chroma_url=url, chroma_token="tok-1"), "vectors") == Check("vectors", state, f"the Chroma server at {url} {detail}")
    assert script.requests == [("/api/v2/heartbeat", "Bearer tok-1")]
    assert "vectors" not in {check.name for check in checks_of()}


def test_where_the_vectors_of_a_server_are_kept(tmp_path: Path, server: Callable[[Script], Script]) -> None:
    def detail() -> str:
        return named(checks_of(embedder="openai", embedding_base_url=url, data_dir=tmp_path), "embeddings").detail

    url = server(Script()).url
    assert detail().endswith(f"; its vectors are kept in {tmp_path / 'vectors.db'}")
    (tmp_path / "vectors.db").write_bytes(bytes(1_500_000))
    assert detail().endswith("vectors.db (1.5 MB)")


# ------------------------------------------------------------------------------------------------------------- re-rankers


def test_no_reranker_no_line() -> None:
    assert "re-ranker" not in {check.name for check in checks_of()}


def test_a_reranker_on_a_server_is_missed_and_not_needed(server: Callable[[Script], Script]) -> None:
    url = server(Script()).url

    here = checks_of(reranker="llm", reranker_model="tiny", openai_base_url=url)
    unknown = checks_of(reranker="llm", reranker_model="huge", openai_base_url=url)
    down = checks_of(reranker="llm", openai_base_url="http://127.0.0.1:9/v1")

    assert named(here, "re-ranker") == Check("re-ranker", State.OK, f"tiny at {url} answers; models: tiny, small")
    assert named(unknown, "re-ranker") == Check("re-ranker", State.WARNING, f"{url} does not list 'huge'; it has tiny, small")
    assert named(down, "re-ranker").state is State.WARNING
    assert is_usable(down)
    assert "search" not in {check.name for check in here}  # it would be asked, and may cost money


def test_a_cross_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    remedy = "sentence-transformers is not installed: pip install 'rag-qa[sentence-transformers]'"
    assert named(checks_of(reranker="cross-encoder"), "re-ranker") == Check("re-ranker", State.FAILED, remedy)

    monkeypatch.delitem(sys.modules, "sentence_transformers")
    (tmp_path / "sentence_transformers.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    check = named(checks_of(reranker="cross-encoder", reranker_model="bge"), "re-ranker")
    assert check == Check("re-ranker", State.OK, "bge, by sentence-transformers (fetched when it is first used)")
