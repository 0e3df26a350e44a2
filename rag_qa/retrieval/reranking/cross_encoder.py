"""Any cross-encoder of sentence-transformers, which is installed as an extra: a model that reads the question and the text together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rag_qa.embedding.transformer import LoadingError, loaded
from rag_qa.errors import SettingsError
from rag_qa.retrieval.reranking.reranker import register

DEFAULT_MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"


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
            return loaded("CrossEncoder", self._model_name, otherwise="RAG_QA_RERANKER")
        except LoadingError as error:
            raise SettingsError(
                f"The re-ranking model {self._model_name} can't be loaded ({error}): name another with RAG_QA_RERANKER_MODEL, or the folder that "
                "holds it"
            ) from None


register("cross-encoder", CrossEncoderReranker)
