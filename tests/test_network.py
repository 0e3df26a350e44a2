"""The guard that keeps the tests on this machine: it refuses, it lets the machine itself through, and it cannot be slept through."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guard.sitecustomize import NetworkBlocked

# Addresses that are nobody's (RFC 5737, RFC 3849, RFC 2606): if the guard failed, nobody would be bothered.
NOBODY = ("192.0.2.1", 80)
NOBODY_6 = ("2001:db8::1", 80)
NO_NAME = "nobody.invalid"


def connect_ex() -> object:
    with socket.socket() as one:
        return one.connect_ex(NOBODY)


def connect_6() -> object:
    with socket.socket(socket.AF_INET6) as one:
        return one.connect_ex(NOBODY_6)


def send_datagram() -> object:
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        return one.sendto(b"hello", NOBODY)


ATTEMPTS: list[Callable[[], object]] = [
    lambda: socket.create_connection(NOBODY, timeout=1),
    connect_ex,
    connect_6,
    send_datagram,
    lambda: socket.getaddrinfo(NO_NAME, 443),
    lambda: socket.gethostbyname(NO_NAME),
    lambda: socket.gethostbyaddr(NOBODY[0]),
    lambda: asyncio.run(asyncio.open_connection(*NOBODY)),
    lambda: urllib.request.urlopen(f"http://{NO_NAME}/", timeout=1),
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_another_machine_is_refused(attempt: Callable[[], object], network_log: Path) -> None:
    with pytest.raises(NetworkBlocked, match="may only reach this machine"):
        attempt()
    assert network_log.read_text().count("\n") == 1
    network_log.write_text("")


@pytest.fixture
def greeter() -> Iterator[int]:
    """A port of this machine at which one caller is let in."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_let_through(greeter: int, host: str) -> None:
    with socket.create_connection((host, greeter), timeout=5) as caller:
        assert caller.getpeername() == ("127.0.0.1", greeter)


def test_a_python_child_is_held_too(network_log: Path) -> None:
    child = subprocess.run([sys.executable, "-c", f"import socket; socket.create_connection({NOBODY!r}, 1)"], capture_output=True, text=True)
    assert child.returncode == 1
    assert "NetworkBlocked: a test may only reach this machine" in child.stderr
    assert "'192.0.2.1'" in network_log.read_text()
    network_log.write_text("")


SWALLOWS = f"""
import contextlib, socket, subprocess, sys

def test_in_the_process():
    with contextlib.suppress(Exception):
        socket.create_connection({NOBODY!r}, 1)

def test_in_a_child():
    subprocess.run([sys.executable, "-c", "import socket; socket.gethostbyname('{NO_NAME}')"], stderr=subprocess.DEVNULL)

def test_not_at_all():
    pass
"""


def test_a_swallowed_refusal_still_fails_the_test(project: Path, tmp_path: Path) -> None:
    (tmp_path / "test_swallows.py").write_text(SWALLOWS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(tmp_path), "-c", "/dev/null", str(tmp_path)]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert "3 passed, 2 errors" in run.stdout
    # The lines of the tracebacks alone: where CI is set, pytest's summary says the whole message once more.
    assert len(re.findall(r"^E +AssertionError: the test reached for the network:", run.stdout, re.MULTILINE)) == 2


def test_no_developer_setting_is_seen(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_sees.py").write_text(
        "import os\ndef test_sees(): assert not {'OPENAI_API_KEY', 'RAG_QA_TOP_K', 'https_proxy', 'HF_HOME'} & set(os.environ)\n"
        "def test_elsewhere(tmp_path): assert os.getcwd() == str(tmp_path)\n"
    )
    for name in ("OPENAI_API_KEY", "RAG_QA_TOP_K", "https_proxy", "HF_HOME"):
        monkeypatch.setenv(name, "1")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(tmp_path), "-c", "/dev/null", str(tmp_path)]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert "2 passed" in run.stdout, run.stdout
