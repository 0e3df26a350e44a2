"""What every chat model can do, and the registry of those that we know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a streamed reply; the last one may carry the tokens used (None: the server did not say).

    `is_cut`: the reply ends here because it came to its length limit.
    """

    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    is_cut: bool = False


class ChatModel(Protocol):
    """A model that continues a conversation. `stream` raises ProviderError (see errors)."""

    @property
    def name(self) -> str:
        """The model's name as a person knows it."""
        ...

    @property
    def context_tokens(self) -> int:
        """Size of the window, prompt and reply together."""
        ...

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[Piece]:
        """The reply in pieces as they arrive; joined they are the whole reply."""
        ...


@runtime_checkable
class Structured(Protocol):
    """A chat model whose server may be able to hold it to a form."""

    def stream_json(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        schema: Mapping[str, Any],
        otherwise: Sequence[Message] | None = None,
        until: float | None = None,
    ) -> Iterator[Piece]:
        """As `stream`: JSON of this schema where the server can see to that, and whatever the model says to `otherwise` (without it, to
        `messages`) where it can't. `until`: reading of `time.monotonic` at which the reply must be whole, or else it is a ProviderTimeout.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """A chat model that may know what it costs."""

    def dollars(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Price of so many tokens; None if it is not known."""
        ...


CHAT_MODELS: dict[str, Callable[..., ChatModel]] = {}


def register(name: str, factory: Callable[..., ChatModel]) -> None:
    """Make a chat model available under a name."""
    CHAT_MODELS[name] = factory
