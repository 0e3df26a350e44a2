"""Static vectors (wordllama), installed as a package: of single words, and of whole texts as the mean of their tokens. Only door to wordllama."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag_qa.embedding.embedder import Vectors, register
from rag_qa.errors import IndexingError, MissingExtraError

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

WEIGHTS = ("weights/l2_supercat_256.safetensors", "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5")
"""(file in the package, sha256)."""

_DIMENSIONS = 256
_MANY_WORDS = 20_000  # vectors of words that are kept: about 20 MB
_MANY_TEXTS = 256  # tokenized at once
_CHARACTERS_PER_TOKEN = 4.6  # measured on abstracts


class WordVectors:
    """Vectors of single words. A dot product of two is their cosine similarity (higher is closer); synonyms reach about 0.5 to 0.7."""

    dimensions = _DIMENSIONS

    def __init__(self) -> None:
        self._known: dict[str, Vectors] = {}

    def of(self, words: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(words), 256); a word that has none gets zeros."""
        if len(self._known) > _MANY_WORDS:
            self._known = {}
        known = self._known  # another thread may begin a new one meanwhile
        new = list(dict.fromkeys(word for word in words if word not in known))
        known.update(zip(new, _pooled(new), strict=True))
        return np.stack([known[word] for word in words]) if words else np.zeros((0, self.dimensions), np.float32)


class StaticEmbedder:
    """Texts as the normalised mean of their tokens' vectors: a thousand abstracts a second and more, however long they are.

    It knows nothing of the order of words, so it ranks a little worse than a model that reads sentences. The weights are checked against their
    sha256 when they are first used.
    """

    name = "wordllama-l2-supercat-256"
    dimensions = _DIMENSIONS
    max_tokens = 1_000_000
    """There is no window."""

    def __init__(self) -> None:
        self._is_checked = False

    def count_tokens(self, text: str) -> int:
        """About how many tokens a text has, by its length. Without a window nothing depends on the exact number, and counting would take longer than
        embedding."""
        return round(len(text) / _CHARACTERS_PER_TOKEN)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 256). Raises MissingExtraError or IndexingError for a package that is not the one that we know."""
        if not self._is_checked:
            _check_weights()
            self._is_checked = True
        return _pooled([text or " " for text in texts])  # a text without any token means no more than a blank


def _pooled(texts: Sequence[str]) -> Vectors:
    """Unit vectors, shape (len(texts), 256); zeros where no token is known. Each depends on its own text alone, also in its last bit."""
    model = _model()
    found = np.zeros((len(texts), _DIMENSIONS), np.float32)
    for start in range(0, len(texts), _MANY_TEXTS):
        some = texts[start : start + _MANY_TEXTS]
        for row, one in enumerate(model.tokenizer.encode_batch_fast(list(some), add_special_tokens=False), start):
            if one.ids:
                found[row] = model.embedding[np.array(one.ids)].mean(axis=0)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: Vectors = found / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


_LOADING = threading.Lock()


def _model() -> WordLlamaInference:
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> WordLlamaInference:
    folder = _folder()
    with _logging_as_it_was():
        from wordllama import WordLlama

    # its own folder holds the weights; anywhere else it would try to download them
    model = WordLlama.load(cache_dir=folder, disable_download=True)
    model.tokenizer.no_padding()
    return model


def _folder() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("The package wordllama with the word vectors is not installed: pip install wordllama")
    return Path(spec.submodule_search_locations[0])


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Importing it turns on the messages of every library of the program: each request over HTTP would be a line on the terminal."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def _check_weights() -> None:
    file, sha256 = WEIGHTS
    path = _folder() / file
    if not path.is_file():
        raise MissingExtraError(f"{path} is missing: pip install --force-reinstall wordllama")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        expected = f"the file that rag_qa was tested with (sha256 {found}, expected {sha256})"
        raise IndexingError(f"{path} is not {expected}: pip install wordllama==0.4.0.post1, or choose another RAG_QA_EMBEDDER")


register("static", StaticEmbedder)
