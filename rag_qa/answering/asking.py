"""All that a chat model is asked for one answer: within one deadline, and with what it used added up."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_qa.answering.answer import Usage
from rag_qa.errors import ProviderTimeout
from rag_qa.llm.chat_model import ChatModel, Message, Piece, Priced, Structured


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to ask: as JSON of a schema, and in other words for a model that can't be held to it."""

    as_json: Sequence[Message]
    as_text: Sequence[Message]
    schema: Mapping[str, Any]
    max_tokens: int


class Asking:
    """Asks a model, one request after the other. `seconds`: for all of them together, None for as long as they take."""

    def __init__(self, model: ChatModel, *, seconds: float | None = None) -> None:
        self._model = model
        self._until = None if seconds is None else time.monotonic() + seconds
        self._used: list[tuple[int | None, int | None]] = []

    def stream(self, request: Request) -> Generator[Piece, None, None]:
        """The reply in pieces. Closing the generator hangs up. Raises ProviderError."""
        used: tuple[int | None, int | None] = (None, None)
        is_answered = False
        pieces = self._pieces(request)
        try:
            for piece in pieces:
                is_answered = True
                if self._until is not None and time.monotonic() >= self._until:
                    raise ProviderTimeout(
                        f"The model {self._model.name} did not finish in the time that it has: try again, or raise RAG_QA_LLM_DEADLINE"
                    )
                if piece.prompt_tokens is not None or piece.completion_tokens is not None:
                    used = piece.prompt_tokens, piece.completion_tokens
                yield piece
        finally:
            if is_answered:
                self._used.append(used)
            if isinstance(pieces, Generator):
                pieces.close()

    def _pieces(self, request: Request) -> Iterator[Piece]:
        if not isinstance(self._model, Structured):
            return self._model.stream(request.as_text, max_tokens=request.max_tokens)
        return self._model.stream_json(
            request.as_json, max_tokens=request.max_tokens, schema=request.schema, otherwise=request.as_text, until=self._until
        )

    @property
    def usage(self) -> Usage | None:
        """Tokens of all requests together, and their price. What is unknown of one is unknown of all; None if nothing is known."""
        prompt, completion = (_sum([used[i] for used in self._used]) for i in (0, 1))
        if all(used == (None, None) for used in self._used):
            return None
        if prompt is None or completion is None or not isinstance(self._model, Priced):
            return Usage(prompt, completion)
        return Usage(prompt, completion, self._model.dollars(prompt, completion))


def _sum(counts: Sequence[int | None]) -> int | None:
    return None if any(count is None for count in counts) else sum(count for count in counts if count is not None)
