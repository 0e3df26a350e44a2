"""Keeps the tests on this machine: whatever reaches for another one is refused and written down.

`conftest.py` imports this into the test process and puts its folder on PYTHONPATH: Python imports a `sitecustomize` that it finds there when it
starts, so the Python programs that a test starts are held too. It is an audit hook and sees sockets whoever opens them in Python or its C modules.
It does not see code that talks to the operating system itself (a browser, a Rust or C++ library, uvloop), nor a child with an environment of its own.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

LOG = "NETWORK_GUARD_LOG"
"""Environment variable: the file to which each refused attempt adds a line."""


class NetworkBlocked(RuntimeError):
    """Something reached for another machine. Not an OSError, so that no client takes it for a fault of the net and tries again."""


def is_local(host: object) -> bool:
    """Is this host the machine itself? Names are not looked up: only `localhost` is known.

    >>> [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "", None)]
    [True, True, True, True, True, True]
    >>> [is_local(host) for host in ("192.0.2.1", "2001:db8::1", "example.org", "localhost.example.org", "::ffff:192.0.2.1")]
    [False, False, False, False, False]
    """
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback or address.is_unspecified)


def _refuse_peer(_socket: object, address: object) -> None:
    # other families of sockets (Unix, netlink) have addresses of another shape, and cannot leave the machine
    if isinstance(address, tuple) and address and isinstance(address[0], str):
        _refuse_host(*address[:2])


def _refuse_host(host: object, *_details: object) -> None:
    if not is_local(host):
        _refuse(f"{host!r}, from {' '.join(sys.argv)[:200]!r}")


def _refuse(what: str) -> None:
    if log := os.environ.get(LOG):
        with Path(log).open("a", encoding="utf-8") as lines:
            lines.write(what + "\n")
    raise NetworkBlocked(f"a test may only reach this machine, and something reached for {what}")


_CHECKS: Mapping[str, Callable[..., None]] = {
    "socket.connect": _refuse_peer,
    "socket.sendto": _refuse_peer,
    "socket.sendmsg": _refuse_peer,
    "socket.getaddrinfo": _refuse_host,
    "socket.gethostbyname": _refuse_host,
    "socket.gethostbyaddr": _refuse_host,
}


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if check := _CHECKS.get(event):
        check(*arguments)


sys.addaudithook(_hook)
