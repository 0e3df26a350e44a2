"""Chat models behind any server that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, llama.cpp, LM Studio.

Servers differ in which parameters they know and in what they put into a reply. A parameter that a server rejects is left out from then on
(`Dialect`), and so is the wish for JSON where the server has no way to see to it. What is not the answer is not handed out: reasoning (own fields,
or `<think>...</think>` in front), second choices, tool calls. A whole reply without an answer is a NoAnswer.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag_qa.errors import BadReply, NoAnswer, ProviderError
from rag_qa.llm.chat_model import Message, Piece, register
from rag_qa.llm.thoughts import ThoughtFilter
from rag_qa.openai_door import ABOUT_FORM, Door, RequestRejected, shown

DEFAULT_MODEL = "gpt-4.1-mini"
DOLLARS = {
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6),
}
"""What OpenAI takes for a million tokens read and a million written, by its price list when this was written."""
Price = tuple[float, float]
MOST_DIALECTS = 6
"""How many ways to put one request are tried: a server names one parameter at a time that it does not like."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server is sent: the name of the parameter that limits the reply, the temperature, the wish for usage figures, system messages, the
    form of a reply.
    """

    limit: str = "max_tokens"
    temperature: bool = True
    usage: bool = True
    system: bool = True
    form: bool = True

    def parameters(self, max_tokens: int, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The optional parameters themselves. `schema`: of the JSON that the reply should be, if any."""
        found: dict[str, Any] = {self.limit: max_tokens}
        if schema is not None and self.form:
            found["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
        if self.temperature:
            found["temperature"] = 0
        if self.usage:
            found["stream_options"] = {"include_usage": True}
        return found

    def messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        """The messages; where the server's model knows no system message, its text stands in front of the one that follows."""
        sent: list[dict[str, str]] = []
        held = ""
        for message in messages:
            if message.role == "system" and not self.system:
                held += message.content + "\n\n"
                continue
            sent.append({"role": message.role, "content": held + message.content})
            held = ""
        return sent

    def without(self, reason: str) -> Dialect:
        """What is left after a server complained; everything optional goes if it did not say what it does not like.

        >>> Dialect().without("Unsupported value: 'temperature' does not support 0 with this model.")
        Dialect(limit='max_tokens', temperature=False, usage=True, system=True, form=True)
        """
        simpler = self
        if re.search(r"\bsystem\b.{0,20}\brole|\brole.{0,20}\bsystem\b|system (?:message|prompt)s?", reason, re.IGNORECASE):
            simpler = replace(simpler, system=False)
        if "stream_options" in reason or "include_usage" in reason:
            simpler = replace(simpler, usage=False)
        if "temperature" in reason:
            simpler = replace(simpler, temperature=False)
        if ABOUT_FORM.search(reason):
            simpler = replace(simpler, form=False)
        if self.limit in reason:
            simpler = replace(simpler, limit=_other_limit(self.limit))
        return simpler if simpler != self else Dialect("max_tokens", temperature=False, usage=False, system=self.system, form=False)


def _other_limit(name: str) -> str:
    return "max_tokens" if name == "max_completion_tokens" else "max_completion_tokens"


class OpenAIChat:
    """A chat model on a compatible server. Safe to use from several threads.

    `model` None: OpenAI's DEFAULT_MODEL, or the first that a server at `base_url` lists. `api_key` may be missing for a server that wants none.
    `timeout`: seconds without a sign of the server; `deadline`: seconds for a whole reply, if it is not said otherwise; `retries`: how often a
    request that failed for a passing reason is sent again. `price`: dollars for a million tokens read and a million written.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        context_tokens: int = 8192,
        timeout: float = 60.0,
        deadline: float | None = None,
        retries: int = 2,
        price: Price | None = None,
        door: Door | None = None,
    ) -> None:
        self._door = door or Door(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries)
        self._deadline = deadline
        self._price = price
        self._model = model
        self._context_tokens = context_tokens
        self._dialect = Dialect("max_completion_tokens" if self._door.is_openai else "max_tokens")
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name as a person knows it. Asks the server if no model was set (ProviderError)."""
        return shown(self._resolved())

    @property
    def context_tokens(self) -> int:
        """Size of the window, prompt and reply together, as it was set."""
        return self._context_tokens

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Generator[Piece, None, None]:
        """The reply in pieces as they arrive. Closing the generator hangs up. Raises ProviderError.

        A request is sent again only before its first piece was handed out.
        """
        yield from self._stream(_Asked(messages, max_tokens), None)

    def stream_json(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        schema: Mapping[str, Any],
        otherwise: Sequence[Message] | None = None,
        until: float | None = None,
    ) -> Generator[Piece, None, None]:
        """As `stream`: JSON of this schema if the server can see to that. One that says that it can't, or then says nothing, is asked without it
        from then on, with the messages `otherwise`. `until`: reading of `time.monotonic` at which the reply must be whole.
        """
        yield from self._stream(_Asked(messages, max_tokens, schema, otherwise or messages), until)

    def dollars(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Price of so many tokens by the price that was set, or by OpenAI's list; None if neither knows."""
        price = self._price or (DOLLARS.get(self._resolved()) if self._door.is_openai else None)
        return None if price is None else (price[0] * prompt_tokens + price[1] * completion_tokens) / 1_000_000

    def _stream(self, asked: _Asked, until: float | None) -> Generator[Piece, None, None]:
        if until is None and self._deadline is not None:
            until = time.monotonic() + self._deadline
        model = self._resolved()
        first, rest = self._door.retrying(lambda: self._begin(model, asked, until), until=until)
        try:
            yield from first
            yield from rest
        finally:
            rest.close()

    def _resolved(self) -> str:
        with self._lock:
            if self._model is None:
                self._model = DEFAULT_MODEL if self._door.is_openai else self._door.retrying(self._first_listed)
            return self._model

    def _first_listed(self) -> str:
        listed = self._door.get("/models")
        for entry in _list(_mapping(listed).get("data")):
            if name := _mapping(entry).get("id"):
                return str(name)
        raise BadReply(f"{self._door.subject()} lists no model: load one there, or name one with {self._door.names.model}")

    def _begin(self, model: str, asked: _Asked, until: float | None) -> tuple[list[Piece], Generator[Piece, None, None]]:
        """Open a stream and read up to its first piece of text."""
        dialect = self._dialect
        for _ in range(MOST_DIALECTS):
            try:
                opened = self._opened({"model": model, **asked.body(dialect)}, until)
            except (RequestRejected, _Silence) as rejected:
                simpler = dialect.without(rejected.reason) if isinstance(rejected, RequestRejected) else asked.formless(dialect)
                if simpler == dialect:
                    raise
                dialect, last = simpler, rejected
            else:
                self._dialect = dialect
                return opened
        raise last

    def _opened(self, body: Mapping[str, Any], until: float | None) -> tuple[list[Piece], Generator[Piece, None, None]]:
        pieces = _pieces(self._door.stream("/chat/completions", body, until=until), _Complaints(self._door, str(body["model"])))
        return [piece for piece in (next(pieces, None),) if piece], pieces


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, in whatever dialect: with a schema, `otherwise` is what is said to a server that can't hold its model to that."""

    messages: Sequence[Message]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    otherwise: Sequence[Message] = ()

    def body(self, dialect: Dialect) -> dict[str, Any]:
        """What is sent."""
        said = self.messages if self.schema is None or dialect.form else self.otherwise
        return {"messages": dialect.messages(said), **dialect.parameters(self.max_tokens, self.schema)}

    def formless(self, dialect: Dialect) -> Dialect:
        """What is left to try when the server said nothing: some take the wish for a form and then are silent."""
        return replace(dialect, form=False) if self.schema is not None else dialect


# ------------------------------------------------------------------------------------------------------------ reading a reply


class _Silence(NoAnswer):
    """A reply without a word."""


class _Complaints:
    """The errors of one reply, in words that name the server and the model."""

    def __init__(self, door: Door, model: str) -> None:
        self._door = door
        self._model = model

    def of(self, kind: type[BadReply], what: str) -> ProviderError:
        return kind(f"{self._door.subject(self._model)} {what}")

    def quote(self, text: str) -> str:
        return self._door.clean(text)


@dataclass(slots=True)
class _Seen:
    """What a reply has held so far."""

    text: bool = False
    reasoning: bool = False
    tool: bool = False
    refusal: str = ""
    finish: str = ""
    events: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def _pieces(events: Generator[object, None, None], complaints: _Complaints) -> Generator[Piece, None, None]:
    seen = _Seen()
    thoughts = ThoughtFilter()
    try:
        for event in events:
            if text := thoughts.feed(_read(event, seen)):
                seen.text = seen.text or bool(text.strip())
                yield Piece(text)
    finally:
        events.close()
    if text := thoughts.close():
        seen.text = seen.text or bool(text.strip())
        yield Piece(text)
    seen.reasoning = seen.reasoning or thoughts.has_thought
    if problem := _problem(seen, complaints.quote):
        raise complaints.of(*problem)
    is_cut = seen.finish in _CUT
    if is_cut or seen.prompt_tokens is not None or seen.completion_tokens is not None:
        yield Piece("", seen.prompt_tokens, seen.completion_tokens, is_cut)


_CUT = ("length", "max_tokens")


def _read(event: object, seen: _Seen) -> str:
    """The text of one event; what else it says is noted in `seen`. Only the first choice counts."""
    seen.events += 1
    chunk = _mapping(event)
    used = _mapping(chunk.get("usage"))
    seen.prompt_tokens = _whole(used.get("prompt_tokens"), seen.prompt_tokens)
    seen.completion_tokens = _whole(used.get("completion_tokens"), seen.completion_tokens)
    text = ""
    for entry in _list(chunk.get("choices")):
        choice = _mapping(entry)
        if choice.get("index") not in (0, None):
            continue
        said = _mapping(choice.get("delta") or choice.get("message"))
        text += _text(said.get("content"))
        seen.refusal += _text(said.get("refusal"))
        seen.tool = seen.tool or bool(said.get("tool_calls") or said.get("function_call"))
        seen.reasoning = seen.reasoning or bool(said.get("reasoning_content") or said.get("reasoning"))
        seen.finish = str(choice.get("finish_reason") or seen.finish)
        break  # not all servers number their choices
    return text


def _problem(seen: _Seen, quote: Callable[[str], str]) -> tuple[type[BadReply], str] | None:
    """Why a reply that has come to its end is no answer, if it is none."""
    if seen.refusal.strip():
        return NoAnswer, f"refused to answer: {quote(seen.refusal)}"
    if seen.finish == "content_filter":
        return NoAnswer, "withheld its reply because of a content filter"
    if seen.tool and not seen.text:
        return NoAnswer, "called a tool instead of answering: choose a model that answers in text"
    if seen.events and not seen.finish:
        return BadReply, "stopped in the middle of its reply: try again"
    if seen.text:
        return None
    if seen.reasoning:
        return NoAnswer, "sent its reasoning and no answer: raise RAG_QA_LLM_MAX_OUTPUT_TOKENS, or choose a model that thinks less"
    return _Silence, "sent an empty reply"


def _text(content: object) -> str:
    """Text of a content field: a string, or a list of parts of which only those of type text count."""
    if isinstance(content, str):
        return content
    parts = (_mapping(part) for part in _list(content))
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str) and part.get("type") in ("text", "output_text", None))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Iterator[object]:
    return iter(value if isinstance(value, list) else ())


def _whole(value: object, otherwise: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


register("openai", OpenAIChat)
