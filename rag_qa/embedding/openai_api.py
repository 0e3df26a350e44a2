"""Embeddings from any server that speaks OpenAI's embeddings endpoint."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from rag_qa import tokens
from rag_qa.embedding.embedder import Vectors, register
from rag_qa.errors import BadReply
from rag_qa.openai_door import Door, Names

DEFAULT_MODEL = "text-embedding-3-small"
MAX_TEXTS = 64
MAX_REQUEST_TOKENS = 100_000
"""OpenAI takes 300,000 tokens and 2,048 texts in one request; smaller ones keep a slow local server within its time."""
AT_ONCE = 8
"""Requests that are under way at the same time, at most: a server that is slow gets fewer, down to one after the other."""
DOLLARS: Mapping[str, float] = {"text-embedding-3-small": 0.02, "text-embedding-3-large": 0.13, "text-embedding-ada-002": 0.10}
"""What OpenAI takes for a million tokens, by its price list when this was written."""
NAMES = Names(
    key="RAG_QA_EMBEDDING_API_KEY (or OPENAI_API_KEY)",
    url="RAG_QA_EMBEDDING_BASE_URL (or OPENAI_BASE_URL)",
    model="RAG_QA_EMBEDDING_MODEL",
    shorter="choose a model with a longer window (RAG_QA_EMBEDDING_MODEL)",
)


class OpenAIEmbedder:
    """An embedding model on a compatible server. Safe to use from several threads.

    `max_tokens`: longest text that the model embeds whole (8191 for OpenAI's models). `timeout` and `retries` as for a chat model.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_tokens: int = 8191,
        timeout: float = 60.0,
        retries: int = 2,
        door: Door | None = None,
    ) -> None:
        self._door = door or Door(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries, names=NAMES)
        self._model = model
        self._max_tokens = max_tokens
        self._dimensions: int | None = None
        self._slowest: float | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`openai:MODEL`, with the server where it is not OpenAI's: two servers may call different models the same."""
        return f"openai:{self._model}" + ("" if self._door.is_openai else f"@{self._door.host}")

    @property
    def dimensions(self) -> int:
        """Length of a vector; asks the server the first time. Raises ProviderError."""
        with self._lock:
            known = self._dimensions
        return known if known is not None else int(self.embed(["length"]).shape[1])

    @property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in tokens."""
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        """Length of a text in tokens of OpenAI's tokenizer; another server's may count differently."""
        return tokens.count(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions). Raises ProviderError: BadReply if the server sends anything else than one finite,
        non-zero vector for each text, all of one length."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        batches = list(_batches(texts))
        done: list[Vectors] = []
        if len(batches) == 1 or self._slowest is None:
            done.append(self._sent(batches.pop(0)))  # how long it takes is not known yet
        return np.concatenate([*done, *self._sent_together(batches)])

    def dollars(self, tokens: int) -> float | None:
        """What it costs to embed so many tokens; None if that is not known."""
        price = DOLLARS.get(self._model) if self._door.is_openai else None
        return None if price is None else price * tokens / 1_000_000

    def _sent_together(self, batches: Sequence[Sequence[str]]) -> list[Vectors]:
        """The vectors of each batch. After a failure nothing more is sent."""
        if not batches:
            return []
        executor = ThreadPoolExecutor(_at_once(self._slowest or 0.0, self._door.timeout), thread_name_prefix="embedding")
        try:
            return [future.result() for future in [executor.submit(self._sent, batch) for batch in batches]]
        finally:
            executor.shutdown(wait=False, cancel_futures=True)

    def _sent(self, batch: Sequence[str]) -> Vectors:
        begun = time.monotonic()
        vectors = self._door.retrying(partial(self._request, batch))
        with self._lock:
            self._slowest = max(self._slowest or 0.0, time.monotonic() - begun)
        return vectors

    def _request(self, texts: Sequence[str]) -> Vectors:
        # an empty text is refused by some servers: a blank has no meaning either
        body = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        rows = self._rows(self._door.post("/embeddings", body), len(texts))
        try:
            found = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise self._bad("sent vectors that are not lists of numbers, or not of one length") from None
        if found.ndim != 2 or not found.shape[1]:
            raise self._bad("sent vectors that are not lists of numbers")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._bad("sent a vector that is zero, infinite or not a number")
        self._check_dimensions(found.shape[1])
        unit: Vectors = (found / lengths).astype(np.float32)
        return unit

    def _rows(self, reply: object, count: int) -> list[object]:
        """The vectors in the order of the texts, by the index that each carries (or as they come where none carries one)."""
        data = reply.get("data") if isinstance(reply, Mapping) else None
        entries = [entry for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []
        if len(entries) != count:
            raise self._bad(f"sent {len(entries)} vectors for {count} texts")
        if all(entry.get("index") is None for entry in entries):
            return [entry.get("embedding") for entry in entries]
        by_index = {entry["index"]: entry.get("embedding") for entry in entries if isinstance(entry.get("index"), int)}
        if set(by_index) != set(range(count)):
            raise self._bad("sent vectors whose numbers do not match the texts")
        return [by_index[i] for i in range(count)]

    def _check_dimensions(self, found: int) -> None:
        with self._lock:
            if self._dimensions is None:
                self._dimensions = found
            expected = self._dimensions
        if found != expected:
            raise self._bad(f"sent vectors of length {found} after vectors of length {expected}: was the model changed?")

    def _bad(self, what: str) -> BadReply:
        return BadReply(f"{self._door.subject(self._model)} {what}")


def _at_once(seconds: float, timeout: float) -> int:
    """How many requests to send at once to a server that takes so long for one: if it works them off one after the other, the last must still be
    answered long before the timeout.

    >>> _at_once(0.5, 60), _at_once(5.0, 60), _at_once(20.0, 60)
    (8, 4, 1)
    """
    return max(1, min(AT_ONCE, int(timeout / max(3 * seconds, 1e-3))))


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = tokens.count(text)
        if batch and (len(batch) == MAX_TEXTS or size + length > MAX_REQUEST_TOKENS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


register("openai", OpenAIEmbedder)
