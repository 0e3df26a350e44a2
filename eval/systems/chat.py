"""Requests to an OpenAI-compatible endpoint from the harness itself, for a system that is nothing but a model, and for judges. A door to `openai`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SECONDS, RETRIES = 120.0, 5


@dataclass
class Spent:
    """Tokens so far; None once a server did not say how many."""

    requests: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Written:
    """A reply, and its tokens; None where the server did not say how many."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chat:
    """A model behind an endpoint. Retries on 429 and 5xx as long as the server's Retry-After says; at most `concurrency` requests at a time."""

    def __init__(self, *, base_url: str | None, key: str | None, model: str, concurrency: int = 4, max_tokens: int = 400) -> None:
        import openai

        self.model = model
        self.spent = Spent()
        self._client = openai.OpenAI(base_url=base_url, api_key=key or "none", timeout=SECONDS, max_retries=RETRIES)
        self._free = threading.BoundedSemaphore(concurrency)
        self._counting = threading.Lock()
        self._max_tokens = max_tokens
        self._holds_to_schemas = True

    def complete(self, instructions: str, prompt: str, *, schema: Mapping[str, Any] | None = None) -> str:
        """What the model writes, at temperature 0; "" where it writes nothing. Raises what `openai` raises.

        `schema`: of the JSON that it is to write, where the server can hold it to that; one that refuses is asked without.
        """
        return self.write(instructions, prompt, schema=schema).text

    def write(self, instructions: str, prompt: str, *, schema: Mapping[str, Any] | None = None) -> Written:
        """The same with the tokens that it took."""
        import openai

        with self._free:
            try:
                reply = self._asked(instructions, prompt, schema if self._holds_to_schemas else None)
            except openai.BadRequestError:
                if schema is None or not self._holds_to_schemas:
                    raise
                reply = self._asked(instructions, prompt, None)
                self._holds_to_schemas = False  # the schema was what it refused
        usage = reply.usage
        text = (reply.choices[0].message.content or "") if reply.choices else ""
        written = Written(text, usage.prompt_tokens if usage else None, usage.completion_tokens if usage else None)
        with self._counting:
            self.spent.requests += 1
            self.spent.prompt_tokens = _sum(self.spent.prompt_tokens, written.prompt_tokens)
            self.spent.completion_tokens = _sum(self.spent.completion_tokens, written.completion_tokens)
        return written

    def _asked(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None) -> Any:
        form = {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}} if schema else {}
        return self._client.chat.completions.create(
            model=self.model,
            temperature=0,
            max_tokens=self._max_tokens,
            messages=[{"role": "system", "content": instructions}, {"role": "user", "content": prompt}],
            extra_body=form,
        )


def _sum(before: int | None, more: int | None) -> int | None:
    return None if before is None or more is None else before + more
