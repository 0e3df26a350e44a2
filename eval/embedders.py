"""The embedder of a benchmark: made by name, its vectors kept between runs, and the time that a question takes known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from rag_qa.embedding.cache import Cached
from rag_qa.embedding.embedder import EMBEDDERS, Embedder, Vectors
from rag_qa.errors import SettingsError
from rag_qa.settings import Settings

CHOICES = ("minilm", "static", "openai", "sentence-transformers")
_OF_THE_PROGRAM = ("minilm", "static")  # one model each
_TOO_QUICK_TO_KEEP = "static"
_COSTS_MONEY = "openai"


@dataclass(frozen=True, slots=True)
class Embedders:
    """One model: `for_index` embeds a corpus, `for_questions` the questions. `cached`: the one that keeps vectors, if one does.

    Questions are embedded anew in each run, as in the product, so that their time is a true one; only those of a model that costs money are kept.
    """

    for_index: Embedder
    for_questions: Embedder
    cached: Cached | None = None


def chosen(name: str, settings: Settings, vectors: Path) -> Embedders:
    """The embedder of this name; `vectors` is the file in which vectors are kept. Raises SettingsError for one that this version does not have."""
    inner = _made(name, settings)
    if name == _TOO_QUICK_TO_KEEP:
        return Embedders(inner, inner)
    cached = Cached(inner, vectors)
    return Embedders(cached, cached if name == _COSTS_MONEY else inner, cached)


def _made(name: str, settings: Settings) -> Embedder:
    if name not in EMBEDDERS:
        raise SettingsError(f"There is no embedder {name!r} in this version: choose one of {', '.join(sorted(EMBEDDERS))}")
    named = [settings.embedding_model] if settings.embedding_model and name not in _OF_THE_PROGRAM else []
    if name != _COSTS_MONEY:
        return EMBEDDERS[name](*named)
    key = settings.embedding_api_key or settings.openai_api_key
    return EMBEDDERS[name](
        *named,
        base_url=settings.embedding_base_url or settings.openai_base_url,
        api_key=key.get_secret_value() if key else None,
        timeout=settings.llm_timeout,
        retries=settings.llm_retries,
    )


class Clocked:
    """An embedder that is asked for each text once, and knows how long that took: several rankings need the vector of a question, and each of
    them has to pay for it.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, tuple[Vectors, float]] = {}

    @property
    def name(self) -> str:
        """That of the other embedder."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in the model's own tokens."""
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's own tokens."""
        return self._embedder.count_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions)."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            started = perf_counter()
            vectors = self._embedder.embed(new)
            seconds = (perf_counter() - started) / len(new)
            self._known.update((text, (vector, seconds)) for text, vector in zip(new, vectors, strict=True))
        return np.stack([self._known[text][0] for text in texts]) if texts else self._embedder.embed([])

    def seconds(self, text: str) -> float:
        """How long a text took that was embedded."""
        return self._known[text][1]
