"""Any model of sentence-transformers, which is installed as an extra. Only door to sentence_transformers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from rag_qa.embedding.embedder import Vectors, register
from rag_qa.errors import IndexingError, MissingExtraError

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
INSTALL = "pip install 'rag-qa[sentence-transformers]'"

_SPECIAL_TOKENS = 2  # one at the beginning and one at the end
_WINDOW = 256  # of a model that does not say what its own is
_NO_WINDOW = 1_000_000
_CHARACTERS_PER_TOKEN = 4  # of a model whose tokenizer is not to be had: rather too many tokens than too few


class TransformerEmbedder:
    """A model by its name on the Hugging Face hub, or the folder that holds it. Loaded, and fetched if it has to be, when it is first used.

    Questions and abstracts are embedded alike: a model that wants a prefix for each ("query: ") works less well than it could.
    """

    def __init__(self, model: str = DEFAULT_MODEL, *, batch: int = 32) -> None:
        self._name = model
        self._batch = batch
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`sentence-transformers:MODEL`."""
        return f"sentence-transformers:{self._name}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector. Raises MissingExtraError, or IndexingError if the model can't be loaded."""
        return int(self.embed(["length"]).shape[1])

    @cached_property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in the model's own tokens."""
        window = getattr(self._model, "max_seq_length", None) or _WINDOW
        return int(min(window, _NO_WINDOW)) - _SPECIAL_TOKENS  # a static model says that its window is infinite

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's own tokens, without the special ones."""
        tokenizer = getattr(self._model, "tokenizer", None)
        encode = getattr(tokenizer, "encode", None)
        if encode is None:
            return -(-len(text) // _CHARACTERS_PER_TOKEN)
        # those of transformers warn of a text that is longer than the window, which is what we want to know
        quiet = {"verbose": False} if hasattr(tokenizer, "model_max_length") else {}
        return len(encode(text, add_special_tokens=False, **quiet))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions). Texts longer than `max_tokens` are cut: callers keep within it."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        model = self._model
        with self._lock:  # it is not safe to use from several threads
            found = model.encode([text or " " for text in texts], batch_size=self._batch, show_progress_bar=False)
        vectors = np.asarray(found, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise IndexingError(f"The embedding model {self._name} gave a vector that is not a number: choose another with RAG_QA_EMBEDDING_MODEL")
        unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
        return unit

    @property
    def _model(self) -> Any:
        with self._lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> Any:
        try:
            return loaded("SentenceTransformer", self._name, otherwise="RAG_QA_EMBEDDER")
        except LoadingError as error:
            raise IndexingError(
                f"The embedding model {self._name} can't be loaded ({error}): name another with RAG_QA_EMBEDDING_MODEL, or the folder that holds it"
            ) from None


class LoadingError(Exception):
    """A model can't be loaded; the message is the reason in one line."""


def loaded(kind: str, model: str, *, otherwise: str) -> Any:
    """A model of sentence-transformers. `kind`: its class there. `otherwise`: the setting by which one does without.

    Raises MissingExtraError when the package is not installed or can't be used, and LoadingError.
    """
    try:
        package = import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtraError(_missing(error, otherwise)) from None
    try:
        return getattr(package, kind)(model)
    except Exception as error:  # noqa: BLE001  # whatever torch, transformers and the hub raise
        raise LoadingError(" ".join(str(error).split())[:200] or type(error).__name__) from None


def _missing(error: ImportError, otherwise: str) -> str:
    what: Any = getattr(error, "name", None)
    if what and what.split(".")[0] != "sentence_transformers":
        return f"sentence-transformers can't be used here ({' '.join(str(error).split())[:200]}): {INSTALL}"
    return f"The package sentence-transformers is not installed: {INSTALL}   (or choose another {otherwise})"


register("sentence-transformers", TransformerEmbedder)
