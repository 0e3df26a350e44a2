"""Any cross-encoder of sentence-transformers, which is installed as an extra: a model that reads the question and the text together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from rag_qa.errors import MissingExtraError, SettingsError
from rag_qa.retrieval.reranking.reranker import register

DEFAULT_MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"
INSTALL = "pip install 'rag-qa[sentence-transformers]'"


class CrossEncoderReranker:
    """A model by its name on the Hugging Face hub, or the folder that holds it. Loaded, and fetched if it has to be, when it is first used.

    A text that is longer than the model's window is cut at its end. Safe to use from several threads.
    """

    def __init__(self, model: str = DEFAULT_MODEL, *, batch: int = 32) -> None:
        self._model_name = model
        self._batch = batch
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`cross-encoder:MODEL`."""
        return f"cross-encoder:{self._model_name}"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """What the model gives each text for the question; the range is the model's own.

        Raises MissingExtraError, and SettingsError for a model that can't be loaded or that gives more than one number.
        """
        if not texts:
            return []
        with self._lock:  # it is not safe to use from several threads
            found = np.asarray(self._loaded.predict([(question, text) for text in texts], batch_size=self._batch, show_progress_bar=False), float)
        if found.size != len(texts):
            raise SettingsError(
                f"The re-ranking model {self._model_name} gives {found.size / len(texts):g} numbers for a text, and one is needed: "
                "name another with RAG_QA_RERANKER_MODEL"
            )
        return [float(score) for score in found.reshape(-1)]

    @cached_property
    def _loaded(self) -> Any:
        try:
            package = import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtraError(_missing(error)) from None
        try:
            return package.CrossEncoder(self._model_name)
        except Exception as error:  # noqa: BLE001  # whatever torch, transformers and the hub raise
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise SettingsError(
                f"The re-ranking model {self._model_name} can't be loaded ({reason}): name another with RAG_QA_RERANKER_MODEL, or the folder that "
                "holds it"
            ) from None


def _missing(error: ImportError) -> str:
    what: Any = getattr(error, "name", None)
    if what and what.split(".")[0] != "sentence_transformers":
        return f"sentence-transformers can't be used here ({' '.join(str(error).split())[:200]}): {INSTALL}"
    return f"The package sentence-transformers is not installed: {INSTALL}   (or choose another RAG_QA_RERANKER)"


register("cross-encoder", CrossEncoderReranker)
