"""The chat model against a real HTTP server that plays each fault, and each dialect of a compatible server."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag_qa.errors import AuthError, BadReply, ConnectionRefused, ContextTooLong, NoAnswer, ProviderError, ProviderTimeout, RateLimitError
from rag_qa.llm.chat_model import CHAT_MODELS, Message, Piece
from rag_qa.llm.openai_api import DEFAULT_MODEL, OpenAIChat
from rag_qa.llm.thoughts import ThoughtFilter
from rag_qa.openai_door import Door
from tests.scripted_server import CUT, Reply, ScriptedServer, chunk, events, failure, json_reply, models, spoken, usage

ASK = [Message("system", "Be brief."), Message("user", "Is it fast?")]
KEY = "sk-very-secret"


class Sleeper:
    """Takes note of the pauses instead of waiting."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


def chat(server: ScriptedServer, *, model: str | None = "tiny", sleeper: Sleeper | None = None, timeout: float = 5.0, retries: int = 2) -> OpenAIChat:
    return OpenAIChat(model, door=Door(base_url=server.url, api_key=KEY, timeout=timeout, retries=retries, sleep=sleeper or Sleeper()))


def said(server: ScriptedServer, **options: object) -> str:
    return "".join(piece.text for piece in chat(server, **options).stream(ASK, max_tokens=50))  # type: ignore[arg-type]


def failed(server: ScriptedServer, kind: type[ProviderError], **options: object) -> str:
    """The message of the error that a request ends in: one line that names the address and the model and not the key."""
    with pytest.raises(kind) as caught:
        said(server, **options)
    message = str(caught.value)
    assert server.url in message
    assert "tiny" in message
    assert KEY not in message
    assert "\n" not in message
    return message


# ------------------------------------------------------------------------------------------------------------- a good server


def test_text_comes_in_pieces_and_the_usage_last() -> None:
    with ScriptedServer(chat=[spoken("It is ", "fast [1].", used=(11, 7))]) as server:
        assert list(chat(server).stream(ASK, max_tokens=50)) == [Piece("It is "), Piece("fast [1]."), Piece("", 11, 7)]
        request = server.requests[0]
    assert request.body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it fast?"}]
    assert request.body["model"] == "tiny"
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0
    assert request.body["stream_options"] == {"include_usage": True}
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_pieces_arrive_while_the_server_still_speaks() -> None:
    with ScriptedServer(chat=[events(chunk({"content": "It"}), 1.5, chunk({"content": " is."}, "stop"))]) as server:
        pieces = chat(server).stream(ASK, max_tokens=50)
        started = time.monotonic()
        assert next(pieces) == Piece("It")
        assert time.monotonic() - started < 1.4
        assert list(pieces) == [Piece(" is.")]


def test_closing_the_generator_hangs_up() -> None:
    endless = events(*(step for _ in range(400) for step in (chunk({"content": "more "}), 0.02)))
    with ScriptedServer(chat=[endless]) as server:
        pieces = chat(server).stream(ASK, max_tokens=50)
        next(pieces)
        pieces.close()
        assert server.broken_off.wait(5.0)


def test_no_usage_from_the_server_is_no_usage() -> None:
    with ScriptedServer(chat=[spoken("Yes.", used=None)]) as server:
        assert list(chat(server).stream(ASK, max_tokens=50)) == [Piece("Yes.")]


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "It is "}, {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "fast."}]
    with ScriptedServer(chat=[events(chunk({"content": parts}), chunk({"content": " Yes."}, "stop"))]) as server:
        assert said(server) == "It is fast. Yes."


def test_only_the_first_choice_counts() -> None:
    with ScriptedServer(
        chat=[events(chunk({"content": "Yes."}), chunk({"content": "No."}, index=1), chunk({}, "stop", 1), chunk({}, "stop"))]
    ) as server:
        assert said(server) == "Yes."


def test_of_choices_without_numbers_the_first_counts() -> None:
    several = {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}, {"delta": {"content": "No."}, "finish_reason": "stop"}]}
    with ScriptedServer(chat=[events(several)]) as server:
        assert said(server) == "Yes."


@pytest.mark.parametrize("finish", ["length", "max_tokens"])
def test_a_reply_that_came_to_its_limit_says_so(finish: str) -> None:
    with ScriptedServer(chat=[spoken("It is", finish=finish, used=None), spoken("It is", finish=finish)]) as server:
        model = chat(server)
        assert list(model.stream(ASK, max_tokens=2)) == [Piece("It is"), Piece("", is_cut=True)]
        assert list(model.stream(ASK, max_tokens=2))[-1] == Piece("", 11, 7, is_cut=True)


def test_a_server_that_cannot_stream_is_asked_without() -> None:
    whole = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes [1]."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3},
    }
    with ScriptedServer(chat=[json_reply(whole), json_reply(whole)]) as server:
        assert list(chat(server).stream(ASK, max_tokens=50)) == [Piece("Yes [1]."), Piece("", 3, None)]
        assert "stream" not in server.requests[1].body
        assert "stream_options" not in server.requests[1].body


@pytest.mark.parametrize(
    "texts", [("<think>hm</think>Yes.",), ("<th", "ink>h", "m</thi", "nk>\n\n", "Yes."), (" \n", "Yes."), ("<thinking>a\n</thinking> Yes.",)]
)
def test_thoughts_are_not_the_answer(texts: tuple[str, ...]) -> None:
    reasoning = chunk({"content": None, "reasoning_content": "Let me see."})
    with ScriptedServer(chat=[events(reasoning, *(chunk({"content": text}) for text in texts), chunk({}, "stop"))]) as server:
        assert said(server) == "Yes."


@pytest.mark.parametrize(
    "thoughts",
    [
        "<think>a</think>\n<think>b</think>",
        "<Think>a</THINK>",
        "[THINK]a [1] b[/THINK]",
        "◁think▷a◁/think▷",
        "<seed:think>a</seed:think>",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>",
    ],
)
def test_thoughts_in_the_formats_of_many_models(thoughts: str) -> None:
    reply = f"{thoughts}\n [1] Yes."
    whole, by_letter = ThoughtFilter(), ThoughtFilter()
    assert whole.feed(reply) + whole.close() == "[1] Yes."
    assert "".join(map(by_letter.feed, reply)) + by_letter.close() == "[1] Yes."


@pytest.mark.parametrize("reply", ["<think>a", "<think>a</think>", "<think>a</think> <think>b"])
def test_nothing_but_thoughts(reply: str) -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed(reply) + thoughts.close() == ""
    assert thoughts.has_thought


def test_a_tag_that_is_no_thought_stays() -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed("<th") + thoughts.feed("eta> is ") + thoughts.feed("<think>.") + thoughts.close() == "<theta> is <think>."
    short = ThoughtFilter()
    assert short.feed("<th") + short.close() == "<th"


# ------------------------------------------------------------------------------------------------------------- which model


def test_without_a_name_the_first_model_that_the_server_lists() -> None:
    with ScriptedServer(models=[models("/models/small.gguf", "other")], chat=[spoken("Yes.")]) as server:
        model = chat(server, model=None)
        assert model.name == "small.gguf"
        assert "".join(piece.text for piece in model.stream(ASK, max_tokens=5)) == "Yes."
        assert server.requests[-1].body["model"] == "/models/small.gguf"
        assert [request.path for request in server.requests] == ["/v1/models", "/v1/chat/completions"]


def test_without_a_name_and_an_address_openai_and_its_default() -> None:
    assert OpenAIChat(api_key=KEY).name == DEFAULT_MODEL
    assert OpenAIChat(base_url="https://api.openai.com/v1", api_key=KEY).name == DEFAULT_MODEL


@pytest.mark.parametrize("reply", [models(), json_reply([1]), json_reply({"data": None}), Reply([b"nonsense"]), failure(404, "no such page")])
def test_a_server_that_lists_no_model(reply: Reply) -> None:
    with ScriptedServer(models=[reply]) as server, pytest.raises(BadReply, match=r"RAG_QA_LLM_MODEL|OPENAI_BASE_URL"):
        _ = chat(server, model=None).name


def test_openai_without_a_key_is_not_even_asked() -> None:
    with pytest.raises(AuthError, match="OPENAI_API_KEY"):
        list(OpenAIChat().stream(ASK, max_tokens=5))


def test_a_local_server_needs_no_key() -> None:
    with ScriptedServer(chat=[spoken("Yes.")]) as server:
        assert "".join(piece.text for piece in OpenAIChat("tiny", base_url=server.url).stream(ASK, max_tokens=5)) == "Yes."


# ---------------------------------------------------------------------------------------------------------------- dialects


def test_a_rejected_parameter_is_left_out_from_then_on() -> None:
    refusal = failure(400, "Unsupported parameter: 'stream_options'", "unsupported_parameter")
    with ScriptedServer(chat=[refusal, spoken("Yes."), spoken("Again.")]) as server:
        model = chat(server)
        assert "".join(piece.text for piece in model.stream(ASK, max_tokens=5)) == "Yes."
        assert "".join(piece.text for piece in model.stream(ASK, max_tokens=5)) == "Again."
        assert ["stream_options" in request.body for request in server.requests] == [True, False, False]
        assert all(request.body["temperature"] == 0 for request in server.requests)


def test_the_other_name_of_the_limit() -> None:
    refusal = failure(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
    too = failure(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    with ScriptedServer(chat=[refusal, too, spoken("Yes.")]) as server:
        assert said(server) == "Yes."
        assert server.requests[-1].body["max_completion_tokens"] == 50
        assert not {"temperature", "max_tokens"} & set(server.requests[-1].body)


def test_a_model_without_a_system_role_gets_its_rules_from_the_user() -> None:
    with ScriptedServer(chat=[failure(400, "System role not supported"), spoken("Yes.")]) as server:
        assert said(server) == "Yes."
        assert server.requests[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nIs it fast?"}]


def test_a_server_that_does_not_say_what_it_does_not_like_gets_the_least() -> None:
    with ScriptedServer(chat=[failure(422, "Extra inputs are not permitted"), spoken("Yes.")]) as server:
        assert said(server) == "Yes."
        assert set(server.requests[-1].body) == {"model", "messages", "max_tokens", "stream"}


def test_a_server_that_likes_nothing_is_asked_no_more_than_needed() -> None:
    with ScriptedServer(chat=[failure(400, "no, because\nof reasons")] * 9) as server:
        assert "no, because of reasons" in failed(server, BadReply)
        assert len(server.requests) == 2


# ---------------------------------------------------------------------------------------------------------------- the form

SCHEMA = {"type": "object", "properties": {"fast": {"type": "boolean"}}, "required": ["fast"], "additionalProperties": False}
PLAINLY = [Message("user", "Is it fast? Say yes or no.")]


def formed(model: OpenAIChat, *, otherwise: list[Message] | None = PLAINLY) -> str:
    return "".join(piece.text for piece in model.stream_json(ASK, max_tokens=50, schema=SCHEMA, otherwise=otherwise))


def test_a_server_that_can_hold_its_model_to_json_is_asked_to() -> None:
    with ScriptedServer(chat=[spoken('{"fast": ', "true}"), spoken("Yes.")]) as server:
        model = chat(server)
        assert formed(model) == '{"fast": true}'
        assert "".join(piece.text for piece in model.stream(ASK, max_tokens=50)) == "Yes."
    form = server.requests[0].body["response_format"]
    assert (form["type"], form["json_schema"]["schema"], form["json_schema"]["strict"]) == ("json_schema", SCHEMA, True)
    assert server.requests[0].body["messages"][1]["content"] == "Is it fast?"
    assert "response_format" not in server.requests[1].body


@pytest.mark.parametrize(
    "refusal",
    [
        failure(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        failure(422, "json_schema is not permitted"),
        failure(400, "failed to parse grammar"),
        failure(404, "No endpoints found that can handle the requested parameters."),
        failure(501, "structured outputs are not implemented"),
        failure(500, "response_format is unsupported", Retry_After="1"),
        json_reply({"detail": "This engine has no structured output"}, 400),
        events({"error": {"message": "response_format: not supported"}}),
        spoken(),
    ],
)
def test_a_server_that_cannot_is_asked_otherwise_and_that_is_remembered(refusal: Reply) -> None:
    with ScriptedServer(chat=[refusal, spoken("Yes."), spoken("Yes again.")]) as server:
        model = chat(server)
        assert formed(model) == "Yes."
        assert formed(model) == "Yes again."
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    assert [request.body["messages"][-1]["content"] for request in server.requests[1:]] == ["Is it fast? Say yes or no."] * 2


def test_another_model_on_the_same_server_is_tried_anew() -> None:
    refusal = failure(400, "response_format is not supported by this model")
    with ScriptedServer(chat=[refusal, spoken("Yes."), spoken("{}")]) as server:
        assert formed(chat(server)) == "Yes."
        assert formed(chat(server, model="large")) == "{}"
    assert "response_format" in server.requests[2].body


def test_without_other_words_the_same_are_said_to_a_server_that_cannot() -> None:
    with ScriptedServer(chat=[failure(400, "no response_format here"), spoken("Yes.")]) as server:
        assert formed(chat(server), otherwise=None) == "Yes."
    assert server.requests[1].body["messages"][-1]["content"] == "Is it fast?"


def test_a_server_that_is_silent_either_way_is_asked_twice() -> None:
    with ScriptedServer(chat=[spoken(), spoken(), spoken("{}")]) as server:
        model = chat(server)
        with pytest.raises(NoAnswer, match="empty"):
            formed(model)
        assert len(server.requests) == 2
        assert formed(model) == "{}"
    assert "response_format" in server.requests[2].body


# ---------------------------------------------------------------------------------------------------------------- deadline


def rushed(server: ScriptedServer, seconds: float, *, sleeper: Sleeper | None = None) -> str:
    """What comes within so many seconds."""
    pieces = chat(server, sleeper=sleeper).stream_json(ASK, max_tokens=50, schema=SCHEMA, until=time.monotonic() + seconds)
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    "reply",
    [
        events(*(step for _ in range(100) for step in (chunk({"content": "more "}), 0.05))),
        events(chunk({"content": "It"}), 4.0, chunk({"content": " is."}, "stop")),
        events(4.0, chunk({"content": "It"}, "stop")),
    ],
    ids=["drips", "stalls in the middle", "stalls at once"],
)
def test_a_reply_is_over_at_its_deadline(reply: Reply) -> None:
    with ScriptedServer(chat=[reply] * 3) as server:
        started = time.monotonic()
        with pytest.raises(ProviderTimeout, match="RAG_QA_LLM_DEADLINE") as caught:
            rushed(server, 0.5)
        assert time.monotonic() - started < 2.0
        assert "\n" not in str(caught.value)
        assert not caught.value.retryable
        assert len(server.requests) == 1


def test_nothing_is_waited_for_beyond_the_deadline() -> None:
    sleeper = Sleeper()
    with ScriptedServer(chat=[failure(429, "slow down", Retry_After="20"), spoken("Never.")]) as server:
        with pytest.raises(RateLimitError, match="in 20 s"):
            rushed(server, 10.0, sleeper=sleeper)
        assert len(server.requests) == 1
    assert sleeper.pauses == []


def test_a_deadline_that_has_passed_asks_nobody() -> None:
    with ScriptedServer(chat=[spoken("Never.")]) as server:
        with pytest.raises(ProviderTimeout):
            rushed(server, -1.0)
        assert server.requests == []


def test_every_reply_has_the_deadline_that_was_set() -> None:
    with ScriptedServer(chat=[events(chunk({"content": "It"}), 4.0, chunk({}, "stop"))]) as server:
        started = time.monotonic()
        with pytest.raises(ProviderTimeout):
            list(OpenAIChat("tiny", base_url=server.url, deadline=0.5).stream(ASK, max_tokens=5))
        assert time.monotonic() - started < 2.0


# ------------------------------------------------------------------------------------------------------------------ prices


def test_the_price_is_what_was_set_or_what_openai_lists_or_unknown() -> None:
    assert OpenAIChat(api_key=KEY).dollars(1_000_000, 500_000) == pytest.approx(0.4 + 0.8)
    assert OpenAIChat("gpt-unheard-of", api_key=KEY).dollars(10, 10) is None
    assert OpenAIChat("gpt-4.1-mini", base_url="http://127.0.0.1:9/v1").dollars(10, 10) is None, "another server has prices of its own"
    assert OpenAIChat("tiny", base_url="http://127.0.0.1:9/v1", price=(1.0, 2.0)).dollars(1_000_000, 1_000_000) == 3.0
    assert OpenAIChat("tiny", base_url="http://127.0.0.1:9/v1", price=(0.0, 0.0)).dollars(10, 10) == 0.0


# ------------------------------------------------------------------------------------------------------------------ faults


def test_a_wrong_key() -> None:
    with ScriptedServer(chat=[failure(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key")]) as server:
        assert "OPENAI_API_KEY" in failed(server, AuthError)
        assert len(server.requests) == 1


def test_a_missing_key() -> None:
    with ScriptedServer(chat=[failure(401, "no key")]) as server, pytest.raises(AuthError, match="wants a key: set OPENAI_API_KEY"):
        list(OpenAIChat("tiny", base_url=server.url).stream(ASK, max_tokens=5))


def test_a_key_that_may_not_use_the_model() -> None:
    with ScriptedServer(chat=[failure(403, "Project has no access to model tiny")]) as server:
        assert "RAG_QA_LLM_MODEL" in failed(server, AuthError)


def test_an_unknown_model() -> None:
    with ScriptedServer(chat=[failure(404, "The model 'tiny' does not exist", "model_not_found")]) as server:
        assert "RAG_QA_LLM_MODEL" in failed(server, BadReply)


def test_a_server_that_is_down() -> None:
    with ScriptedServer() as server:
        pass
    sleeper = Sleeper()
    assert "is it running" in failed(server, ConnectionRefused, sleeper=sleeper)
    assert sleeper.pauses == [0.5, 1.0]


def test_a_server_that_is_slow_is_waited_for_once() -> None:
    with ScriptedServer(chat=[events(2.0, chunk({"content": "late"}, "stop"))] * 3) as server:
        started = time.monotonic()
        assert "0.3 s" in failed(server, ProviderTimeout, timeout=0.3)
        assert time.monotonic() - started < 1.5
        assert len(server.requests) == 1


def test_a_server_that_falls_silent_in_the_middle() -> None:
    with ScriptedServer(chat=[events(chunk({"content": "It"}), 2.0, chunk({"content": " is"}, "stop"))] * 2) as server:
        pieces = chat(server, timeout=0.3).stream(ASK, max_tokens=5)
        assert next(pieces) == Piece("It")
        with pytest.raises(ProviderTimeout):
            next(pieces)
        assert len(server.requests) == 1


def test_too_many_requests_then_success() -> None:
    sleeper = Sleeper()
    with ScriptedServer(chat=[failure(429, "slow down", Retry_After="3"), spoken("Yes.")]) as server:
        assert said(server, sleeper=sleeper) == "Yes."
    assert sleeper.pauses == [3.0]


def test_too_many_requests_for_longer_than_we_wait() -> None:
    sleeper = Sleeper()
    with ScriptedServer(chat=[failure(429, "slow down", Retry_After="20")] * 3) as server:
        assert "try again in 20 s" in failed(server, RateLimitError, sleeper=sleeper)
        assert len(server.requests) == 2
    assert sleeper.pauses == [20.0]


def test_no_credit_is_not_asked_for_again() -> None:
    with ScriptedServer(chat=[failure(429, "You exceeded your current quota", "insufficient_quota", "insufficient_quota")] * 2) as server:
        assert "no credit" in failed(server, AuthError)
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_error_then_success(status: int) -> None:
    sleeper = Sleeper()
    with ScriptedServer(chat=[failure(status, "oops"), Reply([b"<html>Bad gateway</html>"], status), spoken("Yes.")]) as server:
        assert said(server, sleeper=sleeper) == "Yes."
    assert sleeper.pauses == [0.5, 1.0]


def test_a_server_error_that_stays() -> None:
    with ScriptedServer(chat=[failure(500, "oops")] * 9) as server:
        assert "oops" in failed(server, BadReply, retries=1)
        assert len(server.requests) == 2


def test_loading_a_model_with_retry_after() -> None:
    sleeper = Sleeper()
    with ScriptedServer(chat=[failure(503, "Loading model", Retry_After="1"), spoken("Yes.")]) as server:
        assert said(server, sleeper=sleeper) == "Yes."
    assert sleeper.pauses == [1.0]


@pytest.mark.parametrize(
    "reply",
    [
        failure(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        failure(400, "request (9031 tokens) exceeds the available context size (4096 tokens)", None, "exceed_context_size_error"),
        json_reply({"object": "error", "message": "the prompt is too long for max_model_len"}, 400),
        failure(413, "Payload too large"),
        failure(500, "prompt is too long: 9000 tokens, context window of 4096"),
        events({"error": {"message": "context length exceeded", "code": "context_length_exceeded"}}),
    ],
)
def test_a_prompt_that_does_not_fit(reply: Reply) -> None:
    with ScriptedServer(chat=[reply]) as server:
        assert "RAG_QA_LLM_CONTEXT_TOKENS" in failed(server, ContextTooLong)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply([b"<html><body>Welcome</body></html>"], headers={"Content-Type": "text/html"}), "web page"),
        (events(b"data: {nonsense\n\n"), "not JSON"),
        (events(b"data: \xff\xfe\n\n"), "not JSON"),
        (Reply([b"what?"], headers={"Content-Type": "text/plain"}), "empty"),
        (events([1, 2], "text", 3, None), "stopped in the middle"),
        (events({"hello": "world"}), "stopped in the middle"),
        (events({"choices": [7]}, {"choices": "x"}, {"choices": [{"delta": 5, "finish_reason": "stop"}]}), "empty"),
        (events(), "empty"),
        (spoken(), "empty"),
        (spoken(" ", "\n"), "empty"),
        (events(chunk({"content": None, "refusal": "I will not"}), chunk({}, "stop")), "refused to answer: I will not"),
        (events(chunk({"tool_calls": [{"index": 0, "function": {"name": "look"}}]}), chunk({}, "tool_calls")), "called a tool"),
        (events(chunk({"reasoning_content": "Hm."}), chunk({}, "length")), "RAG_QA_LLM_MAX_OUTPUT_TOKENS"),
        (events(chunk({"content": "<think>Hm, and hm"}), chunk({}, "length")), "RAG_QA_LLM_MAX_OUTPUT_TOKENS"),
        (events(chunk({}), chunk({}, "content_filter")), "content filter"),
        (events({"error": {"message": "engine died"}}), "engine died"),
    ],
)
def test_what_is_no_answer(reply: Reply, words: str) -> None:
    with ScriptedServer(chat=[reply]) as server:
        assert words in failed(server, BadReply)
        assert len(server.requests) == 1


def test_nonsense_in_a_whole_reply() -> None:
    with ScriptedServer(chat=[json_reply("oh"), Reply([b"{"])]) as server:
        assert "not JSON" in failed(server, BadReply)


@pytest.mark.parametrize("ending", [CUT, b""])
def test_a_stream_that_stops_half_way_after_text(ending: bytes) -> None:
    """Cut or ended without a word: what was handed out stays handed out, nothing is asked again."""
    steps = [chunk({"content": "It is"})] + ([ending] if ending else [])
    with ScriptedServer(chat=[events(*steps, done=False), spoken("Never.")]) as server:
        pieces = chat(server).stream(ASK, max_tokens=5)
        assert next(pieces) == Piece("It is")
        with pytest.raises(BadReply, match="in the middle of its reply"):
            list(pieces)
        assert len(server.requests) == 1


def test_a_stream_that_breaks_before_any_text_is_asked_for_again() -> None:
    with ScriptedServer(chat=[events(chunk({"role": "assistant"}), CUT), spoken("Yes.")]) as server:
        assert said(server) == "Yes."


def test_an_error_in_the_middle_of_a_stream() -> None:
    with ScriptedServer(chat=[events(chunk({"content": "It"}), {"error": {"message": "rate limit", "type": "rate_limit_exceeded"}})]) as server:
        pieces = chat(server).stream(ASK, max_tokens=5)
        assert next(pieces) == Piece("It")
        with pytest.raises(RateLimitError):
            next(pieces)


def test_text_beside_a_tool_call_is_an_answer() -> None:
    with ScriptedServer(chat=[events(chunk({"content": "Yes."}), chunk({"tool_calls": [{}]}), chunk({}, "tool_calls"), usage(1, 2))]) as server:
        assert said(server) == "Yes."


# ----------------------------------------------------------------------------------------------------------------- the rest


def test_it_is_registered_and_loads_its_library_late(project: Path) -> None:
    assert CHAT_MODELS["openai"] is OpenAIChat
    code = "import sys, rag_qa.llm.openai_api, rag_qa.embedding.openai_api; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0
