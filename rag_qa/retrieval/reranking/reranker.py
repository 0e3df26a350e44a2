"""What every re-ranker can do, and the registry of those that we know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol


class Reranker(Protocol):
    """Judges texts by a question."""

    @property
    def name(self) -> str:
        """Names the kind and the model."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text (a title and an abstract) answers a question: higher is better, comparable within one call.

        Raises ProviderError from a remote model, which then has no say.
        """
        ...


RERANKERS: dict[str, Callable[..., Reranker]] = {}


def register(name: str, factory: Callable[..., Reranker]) -> None:
    """Make a re-ranker available under a name."""
    RERANKERS[name] = factory
