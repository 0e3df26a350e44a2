"""Every setting, in one frozen object: environment over `.env` over default. The only reader of the environment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag_qa.errors import SettingsError

DEFAULT_THRESHOLD = 0.5
"""The confidence from which on a question is answered, if nothing else is set or calibrated."""


class Settings(BaseSettings):
    """What a person can choose. Every field is described in `.env.example` too."""

    model_config = SettingsConfigDict(
        env_prefix="RAG_QA_", env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, populate_by_name=True, env_ignore_empty=True
    )

    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("openai_api_key", "OPENAI_API_KEY"),
        description="Key of OpenAI, or of the server named by OPENAI_BASE_URL.",
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias=AliasChoices("openai_base_url", "OPENAI_BASE_URL"),
        description="Address of an OpenAI-compatible server (Ollama, vLLM, llama.cpp, LM Studio), with its /v1.",
    )
    data_dir: Path = Field(Path(".rag_qa"), description="Where the index lives.")
    language: str = Field(
        "en", pattern="^[a-z]{2}$", description="Reading language (two letters): of a paper with abstracts in several languages, this one is read."
    )
    chroma_url: str | None = Field(
        None, description="Address of a Chroma server (chroma run) that keeps the vectors, such as http://localhost:8000; without one, DATA_DIR does."
    )
    chroma_token: SecretStr | None = Field(None, description="Token that the Chroma server wants, if it does.")
    embedder: Literal["minilm", "static", "openai", "sentence-transformers"] = Field(
        "minilm",
        description="minilm: offline, installed with the program. static: also, a hundred times faster, ranks a little worse. "
        "openai: an embeddings endpoint. sentence-transformers: any of its models, an extra to install.",
    )
    embedding_model: str | None = Field(
        None, description="Embedding model (openai, sentence-transformers); without one, text-embedding-3-small, or all-MiniLM-L6-v2."
    )
    embedding_base_url: str | None = Field(None, description="Address of the embeddings endpoint, if it is not OPENAI_BASE_URL.")
    embedding_api_key: SecretStr | None = Field(None, description="Key of the embeddings endpoint, if it is not OPENAI_API_KEY.")
    reranker: Literal["none", "llm", "cross-encoder"] = Field(
        "none",
        description="Who puts the first papers of a search in order once more. none: nobody. llm: the chat model, which is asked for every search. "
        "cross-encoder: a model of sentence-transformers, an extra to install.",
    )
    reranker_model: str | None = Field(
        None, description="Re-ranking model; without one, RAG_QA_LLM_MODEL (llm), or ms-marco-MiniLM-L6-v2 (cross-encoder)."
    )
    reranker_depth: int = Field(20, ge=2, le=200, description="How many papers of a search the re-ranker judges.")
    answerer: Literal["auto", "extractive", "llm"] = Field(
        "auto", description="extractive: sentences of the abstracts, no model. llm: a chat model. auto: llm if a key or a base URL is set."
    )
    llm_model: str | None = Field(
        None, description="Chat model; without one, gpt-4.1-mini at OpenAI, or the first model that the server at OPENAI_BASE_URL lists."
    )
    llm_context_tokens: int = Field(8192, ge=1024, description="Window of the chat model in tokens, prompt and answer together.")
    llm_max_output_tokens: int = Field(600, ge=32, description="Longest answer of the chat model in tokens.")
    llm_timeout: float = Field(60.0, gt=0, description="Seconds without a sign of the chat model or the embeddings endpoint after which we give up.")
    llm_deadline: float = Field(
        300.0,
        gt=0,
        description="Seconds that the chat model has for one answer, all that it is asked for it together. What has come by then is shown.",
    )
    llm_retries: int = Field(2, ge=0, le=10, description="How often a request that failed for a passing reason is sent again.")
    llm_price: str | None = Field(
        None,
        description="Dollars for a million tokens that the chat model reads and a million that it writes, such as 0.4/1.6; "
        "without it, the price is known of some models at OpenAI.",
    )
    unsupported: Literal["show", "drop"] = Field(
        "show",
        description="What becomes of a sentence of the chat model that the abstracts do not bear out, when it could not put it right. "
        "show: it is marked, with the reason. drop: it is left out, and the answer says how many are.",
    )
    top_k: int = Field(8, ge=1, le=50, description="How many papers are looked at for an answer.")
    min_confidence: float = Field(
        DEFAULT_THRESHOLD,
        ge=0.0,
        le=1.0,
        description="Below this confidence (0 to 1) a question is refused. Lower answers more and errs more. If it is not set, what rag-qa calibrate "
        "has found counts.",
    )
    feedback: Literal["on", "off"] = Field(
        "on",
        description="on: what people say of answers is kept in DATA_DIR, with the question and the answer, and sent nowhere. off: nobody is asked.",
    )
    host: str = Field("127.0.0.1", description="Address on which the page is served. 0.0.0.0 lets others in.")
    port: int = Field(7860, ge=0, le=65535, description="Port of the page; the next free one if it is taken.")

    report: Path | None = Field(
        None, description="What the page shows under Evaluation: a report that python -m eval report wrote, or the directory of its run."
    )

    @field_validator("chroma_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", value):
            raise ValueError("expected an address such as http://localhost:8000")
        return value

    @field_validator("llm_price")
    @classmethod
    def _is_price(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"\d+(\.\d+)?\s*/\s*\d+(\.\d+)?", value.strip()):
            raise ValueError("expected two prices such as 0.4/1.6: dollars for a million tokens read, and for a million written")
        return value

    @property
    def dollars(self) -> tuple[float, float] | None:
        """Price of a million tokens read and of a million written, if it was set."""
        if self.llm_price is None:
            return None
        read, written = self.llm_price.split("/")
        return float(read), float(written)

    @property
    def uses_llm(self) -> bool:
        """Does a chat model answer, or do the abstracts' own sentences?"""
        if self.answerer == "auto":
            return self.openai_api_key is not None or self.openai_base_url is not None
        return self.answerer == "llm"


def environment_name(field: str) -> str:
    """The variable that sets a field.

    >>> environment_name("openai_api_key"), environment_name("data_dir")
    ('OPENAI_API_KEY', 'RAG_QA_DATA_DIR')
    """
    return field.upper() if field.startswith("openai_") else f"RAG_QA_{field.upper()}"


def load(**overrides: object) -> Settings:
    """Settings from the environment, `.env` and the defaults; `overrides` win (None means not given). Raises SettingsError."""
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError("; ".join(_explain(problem) for problem in error.errors())) from None
    except UnicodeDecodeError as error:
        raise SettingsError(f".env holds a byte that is not UTF-8 (0x{error.object[error.start]:02x}): save the file as UTF-8") from None
    except OSError as error:
        raise SettingsError(f".env cannot be read ({error.strerror}): make it readable, or remove it") from None


def _explain(problem: object) -> str:
    assert isinstance(problem, dict)
    field = str(problem["loc"][0]) if problem["loc"] else "settings"
    field = field.removeprefix("RAG_QA_").lower()
    shown = "***" if field.endswith(("api_key", "token")) else repr(problem.get("input"))
    return f"{environment_name(field)} is {shown}: {str(problem['msg']).removeprefix('Value error, ')}"
