"""The one door to the `openai` package, for chat and embeddings alike: plain JSON in, plain JSON out, our own errors.

A Door speaks to one server: OpenAI's, or any that is compatible. It leaves to the package what the package is for (addresses, headers, the
reading of event streams) and keeps to itself what a person notices:

- every exception of the package becomes one of ours (`TRANSLATIONS`; a test walks the package's exceptions and fails on a new one), in one
  line that names the address and the model, and what to do, and never the key;
- `retrying` sends a request again that failed for a passing reason. It waits as long as the server asks (Retry-After) or twice as long each
  time, at most MAX_WAIT seconds in total, and starts no try after `timeout` seconds were spent on trying;
- whatever the server does, a stream is over at its deadline: the connection is shut down, also while nothing comes.

The package is imported when the first request is made: it takes a second to load.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rag_qa.errors import AuthError, BadReply, ConnectionRefused, ContextTooLong, ProviderError, ProviderTimeout, RateLimitError, SettingsError

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
Json = Mapping[str, Any]

OPENAI_URL = "https://api.openai.com/v1"
MAX_WAIT = 30.0
"""Seconds that all pauses between tries of one request may take together."""
FIRST_PAUSE = 0.5
CONNECT_TIMEOUT = 10.0
NO_KEY = "no-key"
"""Sent in place of a key that nobody gave: a local server does not look at it."""


class RequestRejected(BadReply):
    """The server did not like the request itself (a parameter that it does not know). `reason` is what it said."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Names:
    """The settings that an error message tells a person to look at."""

    key: str = "OPENAI_API_KEY"
    url: str = "OPENAI_BASE_URL"
    model: str = "RAG_QA_LLM_MODEL"
    shorter: str = "shorten the question, or lower RAG_QA_TOP_K or RAG_QA_LLM_CONTEXT_TOKENS"
    timeout: str = "RAG_QA_LLM_TIMEOUT"
    deadline: str = "RAG_QA_LLM_DEADLINE"


class Door:
    """One server. Safe to use from several threads. `timeout` is in seconds without a sign of the server."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        names: Names | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.names = names or Names()
        self.timeout = timeout
        self._url = _checked_url(base_url, self.names.url) if base_url else OPENAI_URL
        self._key = _checked_key(api_key, self.names.key)
        self._retries = retries
        self._sleep = sleep
        self._lock = threading.Lock()
        self._made: openai.OpenAI | None = None

    @property
    def host(self) -> str:
        """Host and port of the server.

        >>> Door(base_url="http://me:secret@localhost:8080/v1").host
        'localhost:8080'
        """
        return urlsplit(self._url).netloc.rpartition("@")[2]

    @property
    def is_openai(self) -> bool:
        """Is it OpenAI's own server?"""
        return (urlsplit(self._url).hostname or "").endswith("api.openai.com")

    def subject(self, model: str = "") -> str:
        """How a message begins: who failed.

        >>> Door(base_url="http://localhost:8080/v1").subject("tiny")
        'The model server at http://localhost:8080/v1 (model tiny)'
        """
        parts = urlsplit(self._url)
        address = f"{parts.scheme}://{self.host}{parts.path}"
        return f"The model server at {address}" + (f" (model {shown(model)})" if model else "")

    # ------------------------------------------------------------------------------------------------------------ requests

    def get(self, path: str) -> object:
        """One request without a body; the decoded JSON. Raises ProviderError."""
        return self._once("", lambda client: client.get(path, cast_to=object))

    def post(self, path: str, body: Json) -> object:
        """One request; the decoded JSON. Raises ProviderError."""
        return self._once(str(body.get("model", "")), lambda client: client.post(path, cast_to=object, body=dict(body)))

    def stream(self, path: str, body: Json, *, until: float | None = None) -> Generator[object, None, None]:
        """One request whose reply is a stream of events; the decoded JSON of each. Closing the generator hangs up. Raises ProviderError.

        A server that answers with JSON instead of events is asked again, without streaming, and gives one object. `until`: reading of
        `time.monotonic` at which it must be over, or else it is a ProviderTimeout.
        """
        import openai

        model = str(body.get("model", ""))
        with _Translated(self, model, until):
            events = self._client.post(
                path,
                cast_to=object,
                body={**body, "stream": True},
                options={"timeout": self._waits(model, until)},
                stream=True,
                stream_cls=openai.Stream[object],
            )
        try:
            kind = events.response.headers.get("content-type", "")
            if "html" in kind:
                raise BadReply(self._not_json("a web page", model))
            if "json" not in kind:
                yield from self._events(events, model, until)
                return
        finally:
            events.close()
        whole = {name: value for name, value in body.items() if name != "stream_options"}
        yield self._once(
            model, lambda client: client.post(path, cast_to=object, body=whole, options={"timeout": self._waits(model, until)}), until=until
        )

    def _events(self, events: openai.Stream[object], model: str, until: float | None) -> Generator[object, None, None]:
        with _shut_at(until, events.response):
            while True:
                try:
                    with _Translated(self, model, until):
                        event = next(events, _END)
                except ConnectionRefused as broken:
                    error = BadReply(f"{self.subject(model)} broke off in the middle of its reply: try again")
                    error.retryable = True
                    raise error from broken
                if _is_over(until):
                    raise self.late(model)
                if event is _END:
                    return
                yield event

    def _waits(self, model: str, until: float | None) -> openai.Timeout:
        """How long a request may wait for a sign. Raises ProviderTimeout if its time is over."""
        import openai

        left = self.timeout if until is None else min(self.timeout, until - time.monotonic())
        if left <= 0:
            raise self.late(model)
        return openai.Timeout(left, connect=min(left, CONNECT_TIMEOUT))

    def late(self, model: str) -> ProviderTimeout:
        """The error for a reply that was not whole at its deadline."""
        error = ProviderTimeout(f"{self.subject(model)} did not finish in the time that it has: try again, or raise {self.names.deadline}")
        error.retryable = False  # there is no time left
        return error

    def _once(self, model: str, request: Callable[[openai.OpenAI], object], *, until: float | None = None) -> object:
        with _Translated(self, model, until):
            reply = request(self._client)
        # the package hands a body over as text if it does not call itself JSON
        return self._decoded(reply, model) if isinstance(reply, str) else reply

    def _decoded(self, text: str, model: str) -> object:
        try:
            return json.loads(text)
        except ValueError:
            found = "a web page" if text.lstrip()[:1] == "<" else "something that is not JSON"
            raise BadReply(self._not_json(found, model)) from None

    def _not_json(self, found: str, model: str) -> str:
        return f"{self.subject(model)} answered with {found}, not with a reply: is {self.names.url} right, with its /v1?"

    @property
    def _client(self) -> openai.OpenAI:
        import openai

        if self.is_openai and not self.has_key:
            raise AuthError(f"OpenAI wants a key: set {self.names.key} to yours, or {self.names.url} to the address of another server")
        with self._lock:
            if self._made is None:
                waits = openai.Timeout(self.timeout, connect=min(self.timeout, CONNECT_TIMEOUT))
                self._made = openai.OpenAI(api_key=self._key or NO_KEY, base_url=self._url, timeout=waits, max_retries=0)
            return self._made

    # ------------------------------------------------------------------------------------------------------------- retries

    def retrying(self, request: Callable[[], T], *, until: float | None = None) -> T:
        """The result of `request`, which is called again as long as it fails for a passing reason and there are tries and time left.

        `until`: reading of `time.monotonic` after which nothing is tried again.
        """
        waited = spent = 0.0
        tries = 0
        while True:
            started = time.monotonic()
            try:
                return request()
            except ProviderError as error:
                spent += time.monotonic() - started
                pause = _pause(error, tries)
                if not error.retryable or tries >= self._retries or spent >= self.timeout or waited + pause > MAX_WAIT or _is_over(until, pause):
                    raise
            self._sleep(pause)
            waited += pause
            tries += 1

    # -------------------------------------------------------------------------------------------------------- translations

    def translated(self, error: Exception, model: str) -> ProviderError:
        """Our error for one of the package's."""
        for kind in type(error).__mro__:
            if translation := TRANSLATIONS.get(kind.__name__):
                return translation(Failure(self, model, error))
        return BadReply(self._not_json("something that is not JSON", model))

    def clean(self, text: str) -> str:
        """What a server said, as a part of one line: no line breaks, not too long, and without the key should it be in there."""
        if self._key:
            text = text.replace(self._key, "***")
        text = " ".join(text.split())
        return text if len(text) <= 240 else text[:240] + "…"

    @property
    def has_key(self) -> bool:
        """Was a key given?"""
        return bool(self._key)


_END = object()


class _Translated:
    """Within this block, whatever the package raises becomes an error of ours."""

    def __init__(self, door: Door, model: str, until: float | None = None) -> None:
        self._door = door
        self._model = model
        self._until = until

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import openai

        # ValueError: JSON or UTF-8 that cannot be decoded, and InvalidWebhookSignatureError
        if not isinstance(error, openai.OpenAIError | ValueError):
            return
        if _is_over(self._until):
            raise self._door.late(self._model) from error
        raise self._door.translated(error, self._model) from error


def _is_over(until: float | None, pause: float = 0.0) -> bool:
    """Is it, after a pause of so many seconds, later than that?"""
    return until is not None and time.monotonic() + pause >= until


@contextmanager
def _shut_at(until: float | None, response: Any) -> Iterator[None]:
    """Within this block, the connection of a response is shut down at that time: whoever waits for it waits no longer."""
    if until is None:
        yield
        return
    timer = threading.Timer(max(0.0, until - time.monotonic()), _shut_down, [response])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut_down(response: Any) -> None:
    with suppress(OSError, AttributeError, KeyError):  # it may be closed, or there is none behind a proxy of some kind
        response.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def shown(model: str) -> str:
    """A model's name as a person knows it: the file's name where a server names a model by its file.

    >>> shown("/models/tiny.gguf"), shown("qwen/qwen3-8b")
    ('tiny.gguf', 'qwen/qwen3-8b')
    """
    return re.split(r"[/\\]", model)[-1] if re.match(r"/|[A-Za-z]:\\", model) else model


def _checked_url(url: str, setting: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_usable = False
    if not is_usable:
        shown = re.sub(r"//[^/@]*@", "//***@", url)
        raise SettingsError(f"{setting} is {shown!r}: expected an address such as http://localhost:11434/v1")
    return url


def _checked_key(key: str | None, setting: str) -> str:
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(f"{setting} holds blanks or characters that no key has: copy it again (it is not shown here)")
    return key


def _pause(error: ProviderError, tries: int) -> float:
    """Seconds to wait before the next try."""
    asked = error.retry_after if isinstance(error, RateLimitError) else None
    return FIRST_PAUSE * 2.0**tries if asked is None else asked


# ------------------------------------------------------------------------------------------------------------- what went wrong


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of the package, with what is needed to say what happened."""

    door: Door
    model: str
    error: Exception

    @property
    def who(self) -> str:
        """The server and the model."""
        return self.door.subject(self.model)

    @property
    def status(self) -> int:
        """HTTP status, 0 if there is none."""
        return int(getattr(self.error, "status_code", 0))

    @property
    def codes(self) -> str:
        """The code and the type that the server gave its error."""
        return f"{getattr(self.error, 'code', None) or ''} {getattr(self.error, 'type', None) or ''}"

    @property
    def said(self) -> str:
        """The server's own words, as a part of one line; may be empty."""
        body = getattr(self.error, "body", None)
        if isinstance(body, Mapping):
            body = body.get("message") or body.get("detail") or body.get("error")
        text = body if isinstance(body, str) else ""
        return "" if text.lstrip().startswith("<") else self.door.clean(text)

    @property
    def quoted(self) -> str:
        """Status and words in brackets."""
        parts = [str(self.status)] if self.status else []
        return f" ({': '.join([*parts, *([self.said] if self.said else [])])})" if parts or self.said else ""

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asks to wait, if it does."""
        headers = getattr(getattr(self.error, "response", None), "headers", {})
        return retry_after(headers.get("retry-after-ms"), headers.get("retry-after"))


def retry_after(milliseconds: str | None, seconds: str | None) -> float | None:
    """Seconds to wait from the two headers that say so: a number, or the date when the wait is over. None if neither makes sense.

    >>> retry_after(None, "2"), retry_after("250", "2"), retry_after(None, "soon"), retry_after(None, "-3")
    (2.0, 0.25, None, None)
    """
    for value, unit in ((milliseconds, 0.001), (seconds, 1.0)):
        try:
            wait = float(value or "") * unit
        except ValueError:
            continue
        if 0 <= wait < float("inf"):
            return wait
    try:
        return max(0.0, parsedate_to_datetime(seconds or "").timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


_TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|maximum context|max_model_len|n_ctx|(?:prompt|input)\b.{0,30}\btoo (?:long|large)|too many tokens"
    r"|exceeds? (?:the )?(?:available )?context|must have less than \d+ tokens",
    re.IGNORECASE,
)


ABOUT_FORM = re.compile(r"response.?format|json.?(?:schema|object|mode)|structured.?output|\bgrammar\b|requested parameters", re.IGNORECASE)
"""Words of a server that has no way to hold its model to a form."""


def _rejection(failure: Failure) -> RequestRejected | None:
    """The error for a request that asks for what the server can't do, whatever the status with which it says so."""
    if failure.status in (401, 403, 408, 429) or not ABOUT_FORM.search(failure.said):
        return None
    return RequestRejected(f"{failure.who} does not accept the request{failure.quoted}", failure.said)


def _is_too_long(failure: Failure) -> bool:
    return failure.status == 413 or bool(_TOO_LONG.search(f"{failure.codes} {failure.said}"))


def _too_long(failure: Failure) -> ProviderError:
    return ContextTooLong(f"{failure.who} says that the text is longer than the model's window{failure.quoted}: {failure.door.names.shorter}")


def _auth(failure: Failure) -> ProviderError:
    names = failure.door.names
    if not failure.door.has_key:
        return AuthError(f"{failure.who} wants a key: set {names.key}")
    if failure.status == 403:
        return AuthError(f"{failure.who} does not let this key do that{failure.quoted}: check what {names.key} may use, and {names.model}")
    return AuthError(f"{failure.who} does not accept the key{failure.quoted}: check {names.key}")


def _rate_limit(failure: Failure) -> ProviderError:
    if "insufficient_quota" in failure.codes:
        return AuthError(f"{failure.who} says that the account has no credit left{failure.quoted}")
    wait = failure.retry_after
    when = "later" if wait is None else f"in {wait:.0f} s"
    return RateLimitError(f"{failure.who} has too many requests{failure.quoted}: try again {when}", wait)


def _timeout(failure: Failure) -> ProviderError:
    return ProviderTimeout(f"{failure.who} gave no sign for {failure.door.timeout:g} s: try again, or raise {failure.door.names.timeout}")


def _connection(failure: Failure) -> ProviderError:
    cause = failure.error.__cause__
    why = failure.door.clean(str(cause)) if cause else ""
    return ConnectionRefused(f"{failure.who} cannot be reached{f' ({why})' if why else ''}: is it running, and is {failure.door.names.url} right?")


def _not_found(failure: Failure) -> ProviderError:
    if rejection := _rejection(failure):
        return rejection
    names = failure.door.names
    return BadReply(f"{failure.who} knows no such model or address{failure.quoted}: check {names.model} and {names.url}")


def _rejected(failure: Failure) -> ProviderError:
    if _is_too_long(failure):
        return _too_long(failure)
    return RequestRejected(f"{failure.who} does not accept the request{failure.quoted}", failure.said)


def _server_error(failure: Failure) -> ProviderError:
    if _is_too_long(failure):
        return _too_long(failure)
    if rejection := _rejection(failure):
        return rejection
    if failure.retry_after is not None:
        return _rate_limit(failure)
    error = BadReply(f"{failure.who} failed{failure.quoted}: try again later")
    error.retryable = True
    return error


def _status(failure: Failure) -> ProviderError:
    if _is_too_long(failure):
        return _too_long(failure)
    if failure.status == 408:
        return _timeout(failure)
    if rejection := _rejection(failure):
        return rejection
    return BadReply(f"{failure.who} answered with an error{failure.quoted}")


def _in_stream(failure: Failure) -> ProviderError:
    """An error that came as an event of a stream that had begun well."""
    if _is_too_long(failure):
        return _too_long(failure)
    if rejection := _rejection(failure):
        return rejection
    if "rate_limit" in failure.codes:
        return _rate_limit(failure)
    return BadReply(f"{failure.who} failed while it answered{failure.quoted}")


def _filtered(failure: Failure) -> ProviderError:
    return BadReply(f"{failure.who} withheld its reply because of a content filter")


def _cut(failure: Failure) -> ProviderError:
    return BadReply(f"{failure.who} came to its length limit before it had answered")


def _nonsense(failure: Failure) -> ProviderError:
    return BadReply(f"{failure.who} answered with something that is not a reply: {failure.door.clean(str(failure.error))}")


def _hung_up(failure: Failure) -> ProviderError:
    return ConnectionRefused(f"{failure.who} broke the connection: {failure.door.clean(str(failure.error))}")


def _client_fault(failure: Failure) -> ProviderError:
    return ProviderError(f"The request to {failure.who[0].lower()}{failure.who[1:]} could not be made: {failure.door.clean(str(failure.error))}")


TRANSLATIONS: Mapping[str, Callable[[Failure], ProviderError]] = {
    "OpenAIError": _client_fault,
    "SubjectTokenProviderError": _auth,
    "APIError": _in_stream,
    "APIResponseValidationError": _nonsense,
    "APIStatusError": _status,
    "APIConnectionError": _connection,
    "APITimeoutError": _timeout,
    "BadRequestError": _rejected,
    "AuthenticationError": _auth,
    "OAuthError": _auth,
    "PermissionDeniedError": _auth,
    "NotFoundError": _not_found,
    "ConflictError": _server_error,
    "UnprocessableEntityError": _rejected,
    "RateLimitError": _rate_limit,
    "InternalServerError": _server_error,
    "LengthFinishReasonError": _cut,
    "ContentFilterFinishReasonError": _filtered,
    "InvalidWebhookSignatureError": _nonsense,
    "WebSocketConnectionClosedError": _hung_up,
    "WebSocketQueueFullError": _hung_up,
}
"""Every exception class of the package, by name, with what makes ours of it. A subclass that is not listed is treated as its base."""
