"""The door to the openai package: every exception of the package is ours behind it, keys stay hidden, waiting has a limit."""

from __future__ import annotations

import email.utils
import inspect
import json
import time
from collections.abc import Iterator, Mapping

import httpx2  # the HTTP library that the package stands on
import openai
import pytest
from openai import _exceptions

from rag_qa import errors
from rag_qa.errors import AuthError, BadReply, ConnectionRefused, ProviderError, RateLimitError, SettingsError
from rag_qa.openai_door import MAX_WAIT, TRANSLATIONS, Door, RequestRejected, retry_after
from tests.scripted_server import Reply, ScriptedServer, failure, json_reply

SECRET = "sk-very-secret"
REQUEST = httpx2.Request("POST", "http://127.0.0.1:9/v1/chat/completions")


def door(url: str = "http://127.0.0.1:9/v1", **options: object) -> Door:
    return Door(base_url=url, api_key=SECRET, **options)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------- translation


def package_exceptions() -> list[type[Exception]]:
    """Every exception class that the package shows or keeps in its module of exceptions."""
    found: set[type[Exception]] = set()
    for name in [*openai.__all__, *dir(openai), *dir(_exceptions)]:
        value = getattr(openai, name, None) or getattr(_exceptions, name, None)
        if inspect.isclass(value) and issubclass(value, Exception) and value.__module__.startswith("openai") and not name.startswith("_"):
            found.add(value)
    return sorted(found, key=lambda kind: kind.__name__)


def test_every_exception_of_the_package_is_translated() -> None:
    assert len(package_exceptions()) > 15
    missing = {kind.__name__ for kind in package_exceptions()} - set(TRANSLATIONS)
    assert not missing, f"rag_qa.openai_door.TRANSLATIONS does not say what these become: {missing}"


def test_no_translation_is_of_an_exception_that_is_gone() -> None:
    assert set(TRANSLATIONS) <= {kind.__name__ for kind in package_exceptions()}


def made(kind: type[Exception]) -> Exception:
    """An exception of the package, made as the package makes it."""
    status = getattr(kind, "status_code", 418)
    known: Mapping[str, object] = {
        "message": f"it said {SECRET}",
        "request": REQUEST,
        "body": {"message": f"it said\n{SECRET}"},
        "response": httpx2.Response(status if isinstance(status, int) else 418, request=REQUEST),
        "unsent_messages": [],
        "completion": openai.types.chat.ChatCompletion(id="c", choices=[], created=1, model="tiny", object="chat.completion"),
    }
    if "__init__" not in {name for base in kind.__mro__ if base.__module__.startswith("openai") for name in vars(base)}:
        return kind(str(known["message"]))
    parameters = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in known.items() if name in parameters})


@pytest.mark.parametrize("kind", package_exceptions(), ids=lambda kind: kind.__name__)
def test_a_translation_is_one_clear_line_without_the_key(kind: type[Exception]) -> None:
    ours = door().translated(made(kind), "tiny")
    assert isinstance(ours, ProviderError)
    message = str(ours)
    assert "http://127.0.0.1:9/v1" in message
    assert "tiny" in message
    assert SECRET not in message
    assert "\n" not in message


def test_a_subclass_that_nobody_knows_is_treated_as_its_base() -> None:
    class Novel(openai.AuthenticationError):
        pass

    assert isinstance(door().translated(Novel("no", response=httpx2.Response(401, request=REQUEST), body=None), "tiny"), AuthError)


def test_the_tree_of_errors_is_not_widened_in_secret() -> None:
    """What others see are the classes of `errors`; the door's own kind of BadReply stays a BadReply."""
    assert issubclass(RequestRejected, BadReply)
    named = {type(door().translated(made(kind), "tiny")).__name__ for kind in package_exceptions()}
    assert named - {"RequestRejected"} <= set(vars(errors))


# ------------------------------------------------------------------------------------------------------------- bad settings


@pytest.mark.parametrize(
    "url", ["localhost:8080/v1", "ftp://host/v1", "http://", "http://[::1/v1", "http://host:99999/v1", "nonsense", "http://me:pw@/v1"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match=r"OPENAI_BASE_URL is .* expected an address such as") as caught:
        Door(base_url=url)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-é", "sk-a\nb", "sk a", "sk-\u200b1"])
def test_a_key_that_cannot_be_one(key: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        Door(api_key=key)
    assert key not in str(caught.value)


def test_blanks_around_a_key_and_an_address_do_no_harm() -> None:
    with ScriptedServer(models=[json_reply({"data": []})]) as server:
        Door(base_url=f" {server.url}\n", api_key=f" {SECRET}\n").get("/models")
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_password_in_the_address_is_not_shown() -> None:
    assert door("http://me:secret@localhost:8080/v1").subject("tiny") == "The model server at http://localhost:8080/v1 (model tiny)"


# -------------------------------------------------------------------------------------------------------------------- retries


class Failing:
    """Raises each of its errors once, then returns."""

    def __init__(self, *raised: ProviderError, takes: float = 0.0) -> None:
        self._raised: Iterator[ProviderError] = iter(raised)
        self._takes = takes
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        time.sleep(self._takes)
        for error in self._raised:
            raise error
        return "done"


def test_pauses_double() -> None:
    pauses: list[float] = []
    request = Failing(*(ConnectionRefused("down") for _ in range(4)))
    assert door(retries=4, sleep=pauses.append).retrying(request) == "done"
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_all_pauses_together_have_a_limit() -> None:
    pauses: list[float] = []
    request = Failing(*(ConnectionRefused("down") for _ in range(10)))
    with pytest.raises(ConnectionRefused):
        door(retries=10, sleep=pauses.append).retrying(request)
    assert sum(pauses) <= MAX_WAIT
    assert len(pauses) == 5


def test_a_server_says_how_long() -> None:
    pauses: list[float] = []
    request = Failing(RateLimitError("slow", 7.0), RateLimitError("slow", None))
    assert door(retries=2, sleep=pauses.append).retrying(request) == "done"
    assert pauses == [7.0, 1.0]


def test_what_will_fail_again_is_not_tried_again() -> None:
    request = Failing(AuthError("no"))
    with pytest.raises(AuthError):
        door(retries=5, sleep=lambda _: None).retrying(request)
    assert request.calls == 1


def test_no_try_begins_after_the_deadline() -> None:
    request = Failing(*(ConnectionRefused("down") for _ in range(9)), takes=0.12)
    with pytest.raises(ConnectionRefused):
        door(retries=9, timeout=0.2, sleep=lambda _: None).retrying(request)
    assert request.calls == 2


def test_retry_after_may_be_a_date() -> None:
    soon = email.utils.formatdate(time.time() + 20, usegmt=True)
    past = email.utils.formatdate(time.time() - 20, usegmt=True)
    assert 17 < (retry_after(None, soon) or 0) <= 20
    assert retry_after(None, past) == 0
    for nonsense in (None, "", "soon", "nan", "inf", "-1"):
        assert retry_after(None, nonsense) is None


# ------------------------------------------------------------------------------------------------------------------- replies


def test_json_that_does_not_call_itself_so_is_read() -> None:
    with ScriptedServer(models=[Reply([json.dumps({"data": [1]}).encode()], headers={"Content-Type": "text/plain"})]) as server:
        assert door(server.url).get("/models") == {"data": [1]}


def test_the_servers_words_are_cut_short() -> None:
    with ScriptedServer(models=[failure(400, "word " * 500)]) as server, pytest.raises(RequestRejected) as caught:
        door(server.url).get("/models")
    assert len(str(caught.value)) < 400
