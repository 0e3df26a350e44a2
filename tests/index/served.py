"""A real Chroma server in a process of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a server may take to start."""


def free_port() -> int:
    """A port on which nobody listens just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def chroma_server(folder: Path, *, port: int = 0) -> Iterator[str]:
    """`chroma run` over a folder; its address while it runs."""
    port = port or free_port()
    command = [
        sys.executable,
        "-c",
        "from chromadb.cli.cli import app; app()",
        "run",
        "--path",
        str(folder),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log").open("w") as log, subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(f"{url}/api/v2/heartbeat", process, folder / "log")
            yield url
        finally:
            process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.05)
    raise AssertionError(f"the Chroma server did not start: {log.read_text(errors='replace')[-500:]}")
