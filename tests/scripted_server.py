"""A small real HTTP server on the loopback address that plays a script: each request takes the next reply of its path.

    with ScriptedServer(chat=[failure(429, "slow down", retry_after="0"), spoken("It is ", "fast [1].")]) as server:
        OpenAIChat("tiny", base_url=server.url, api_key="k")

A reply is a status, headers and steps; a step is bytes to send, a number of seconds to wait, or CUT, which breaks the connection. Every
request is kept in `requests`. A request for which no reply is left gets status 599, which no client takes for anything else.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Cut:
    """Breaks the connection in the middle of a reply."""


CUT = Cut()
Step = bytes | float | Cut


@dataclass(frozen=True)
class Reply:
    """What is sent for one request."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


@dataclass(frozen=True)
class Request:
    """What came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def json_reply(value: object, status: int = 200, **headers: str) -> Reply:
    """A reply that is one JSON value."""
    extra = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply([json.dumps(value).encode()], status, {"Content-Type": "application/json", **extra})


def failure(status: int, message: str, code: str | None = None, kind: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    return json_reply({"error": {"message": message, "type": kind, "param": None, "code": code}}, status, **headers)


def events(*steps: object, done: bool = True) -> Reply:
    """A stream of events. A dict or list becomes an event of its JSON; bytes, a number and CUT are steps as they are."""
    raw = [step if isinstance(step, bytes | float | Cut) else f"data: {json.dumps(step)}\n\n".encode() for step in steps]
    return Reply([*raw, *([b"data: [DONE]\n\n"] if done else [])], headers={"Content-Type": "text/event-stream"})


def chunk(delta: Mapping[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    """One chunk of a streamed chat reply."""
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": index, "delta": dict(delta), "finish_reason": finish}],
    }


def usage(prompt: int, completion: int) -> dict[str, Any]:
    """The last chunk, which says what was used."""
    return {"id": "c1", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}}


def spoken(*texts: str, finish: str = "stop", used: tuple[int, int] | None = (11, 7)) -> Reply:
    """A streamed chat reply as a good server sends it."""
    end = [usage(*used)] if used else []
    return events(chunk({"role": "assistant", "content": ""}), *(chunk({"content": text}) for text in texts), chunk({}, finish), *end)


def models(*names: str) -> Reply:
    """What /v1/models lists."""
    return json_reply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


def vectors(*rows: Sequence[float], order: Iterable[int] | None = None) -> Reply:
    """An embeddings reply; `order` shuffles the rows, each of which keeps its index."""
    data = [{"object": "embedding", "index": i, "embedding": list(row)} for i, row in enumerate(rows)]
    data = [data[i] for i in order] if order is not None else data
    return json_reply({"object": "list", "data": data, "model": "tiny", "usage": {"prompt_tokens": 1, "total_tokens": 1}})


class ScriptedServer:
    """Plays the script from `with` to its end. `broken_off` is set when a client hangs up in the middle of a reply."""

    def __init__(self, *, chat: Sequence[Reply] = (), models: Sequence[Reply] = (), embeddings: Sequence[Reply] = ()) -> None:
        self._left = {"/v1/chat/completions": list(chat), "/v1/models": list(models), "/v1/embeddings": list(embeddings)}
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.broken_off = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """The address to give a client."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            left = self._left.get(request.path, [])
            return left.pop(0) if left else failure(599, f"the script has no reply left for {request.path}")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._play(server._next(Request(self.path, dict(self.headers), {})))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self._play(server._next(Request(self.path, dict(self.headers), json.loads(body))))

            def _play(self, reply: Reply) -> None:
                self.close_connection = True
                try:
                    self.send_response(reply.status)
                    for name, value in {**reply.headers, "Transfer-Encoding": "chunked", "Connection": "close"}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    _send(self, reply.steps)
                except OSError:
                    server.broken_off.set()

            def log_message(self, *args: object) -> None:
                """Keep the output of the tests clean."""

        return Handler


def _send(handler: BaseHTTPRequestHandler, steps: Iterable[Step]) -> None:
    for step in steps:
        if isinstance(step, Cut):
            # closing with a linger of zero seconds resets the connection: the client sees it break, not end
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            return
        if isinstance(step, float):
            time.sleep(step)
            continue
        handler.wfile.write(f"{len(step):x}\r\n".encode() + step + b"\r\n")
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")
