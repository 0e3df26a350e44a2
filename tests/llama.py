"""A small real model for tests, which skip where its packages are missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from eval import llama_server
from eval.llama_server import WEIGHTS, WINDOW

__all__ = ["WEIGHTS", "WINDOW", "served"]


@contextmanager
def served() -> Iterator[str]:
    """The address of the server while it runs; skips the test where the packages are missing."""
    with ExitStack() as stack:
        try:
            address = stack.enter_context(llama_server.served())
        except llama_server.Absent as absent:
            pytest.skip(str(absent))
        yield address
