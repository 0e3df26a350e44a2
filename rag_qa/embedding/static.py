"""Static word vectors (wordllama), installed as a package: which words mean about the same. Only door to wordllama."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import MissingExtraError

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference


class WordVectors:
    """Vectors of single words. A dot product of two is their cosine similarity (higher is closer); synonyms reach about 0.5 to 0.7."""

    dimensions = 256

    def __init__(self) -> None:
        self._known: dict[str, Vectors] = {}

    def of(self, words: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(words), 256); a word that has none gets zeros."""
        new = list(dict.fromkeys(word for word in words if word not in self._known))
        if new:
            with np.errstate(invalid="ignore"):  # what it does not know has length 0, and becomes NaN
                vectors = np.nan_to_num(np.asarray(self._model.embed(new, norm=True), np.float32))
            self._known.update(zip(new, vectors, strict=True))
        return np.stack([self._known[word] for word in words]) if words else np.zeros((0, self.dimensions), np.float32)

    @cached_property
    def _model(self) -> WordLlamaInference:
        spec = importlib.util.find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError("The package wordllama with the word vectors is not installed: pip install wordllama")
        from wordllama import WordLlama

        # its own folder holds the weights; anywhere else it would try to download them
        return WordLlama.load(cache_dir=Path(spec.submodule_search_locations[0]), disable_download=True)
