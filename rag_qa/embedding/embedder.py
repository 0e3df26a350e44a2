"""What every embedder can do, and the registry of those that we know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors. A dot product of two vectors is their cosine similarity (higher is closer)."""

    @property
    def name(self) -> str:
        """Names the model so exactly that vectors under one name can be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in the model's own tokens."""
        ...

    def count_tokens(self, text: str) -> int:
        """Length of a text in the model's own tokens."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions). Raises ProviderError from a remote model."""
        ...


@runtime_checkable
class Priced(Protocol):
    """An embedder that sends texts to a server, which may cost money."""

    def dollars(self, tokens: int) -> float | None:
        """What it costs to embed so many tokens; None if that is not known."""
        ...


@runtime_checkable
class Remembering(Protocol):
    """An embedder for which a text that it has embedded before costs nothing."""

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts that it would have to embed, each once."""
        ...


EMBEDDERS: dict[str, Callable[..., Embedder]] = {}


def register(name: str, factory: Callable[..., Embedder]) -> None:
    """Make an embedder available under a name."""
    EMBEDDERS[name] = factory
