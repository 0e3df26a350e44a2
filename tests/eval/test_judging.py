"""A model as a judge: how its replies are read, that a bad one costs one vote alone, and that nothing of one model is taken for another's."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import judging
from eval.judging import Judge, Judged, Kept, ParseError, Vote
from eval.metrics import corrected
from eval.metrics.support import Label
from eval.systems.chat import Chat
from tests.scripted_server import Reply, Request, ScriptedServer, failure, json_reply

EVIDENCE = ["Tides rise twice a day. TIDE-7 is fast."]
GOOD = '{"label": "supported", "evidence": [2]}'


def judge(complete: Callable[[str, str], str], of: str = "model", kept: Kept | None = None, votes: int = 3) -> Judge:
    return Judge(complete, [of], kept or Kept(":memory:"), votes=votes, concurrency=1)


def scripted(*replies: str) -> Callable[[str, str], str]:
    left = list(replies)
    return lambda _instructions, _prompt: left.pop(0)


@pytest.mark.parametrize("reply", [GOOD, f"Sure!\n```json\n{GOOD}\n```", '{"evidence": [2, 2], "label": "supported"}'])
def test_a_clear_verdict_is_read(reply: str) -> None:
    assert judging.parse(reply, 2) == Vote(Label.SUPPORTED, (2,))


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "supported",
        "On a scale of 0 to 3, I give 2.",
        "2/3",
        "-1",
        f"{GOOD} or {GOOD}",
        '{"label": "mostly", "evidence": [1]}',
        '{"label": "supported", "evidence": [7]}',
        '{"label": "supported", "evidence": [0]}',
        '{"label": "supported", "evidence": []}',
        '{"label": "supported", "evidence": ["2"]}',
        '{"label": "supported", "evidence": [true]}',
        '{"label": ["supported"], "evidence": [1]}',
        '{"label": "supported", "evi',
    ],
)
def test_trulens_738_what_is_not_clear_is_an_error_and_no_number(reply: str) -> None:
    with pytest.raises(ParseError):
        judging.parse(reply, 2)


@given(st.text(max_size=60))
def test_any_reply_is_a_vote_or_a_parse_error(reply: str) -> None:
    with suppress(ParseError):
        assert judging.parse(reply, 3).label in Label


def test_deepeval_929_bad_replies_cost_their_votes_and_never_the_sentence_or_the_run() -> None:
    asked = judge(scripted(GOOD, "{", GOOD, "what?", "{}", "no")).judged([("TIDE-7 is fast.", EVIDENCE), ("It is slow.", EVIDENCE)])
    assert asked == [Judged(Label.SUPPORTED, 2 / 3, 1), Judged(None, 0.0, 3)]
    found = judging.result(asked, [], [])
    assert (found.sentences, found.errors, found.supported) == (2, 1, 0.5)


def test_ragas_2044_a_model_that_crashes_counts_as_errors() -> None:
    def crash(_instructions: str, _prompt: str) -> str:
        raise TimeoutError("no answer")

    assert judge(crash).judged([("TIDE-7 is fast.", EVIDENCE)]) == [Judged(None, 0.0, 3)]


def test_a_tie_is_decided_by_the_stricter_label() -> None:
    no = '{"label": "contradicted", "evidence": [2]}'
    assert judge(scripted(GOOD, no), votes=2).judged([("TIDE-7 is slow.", EVIDENCE)])[0].label is Label.CONTRADICTED


def test_ragas_793_without_evidence_no_model_is_asked() -> None:
    assert judge(scripted()).judged([("Soup is hot.", ["", " "])]) == [Judged(Label.UNSUPPORTED, 1.0, 0)]


def test_ragas_2983_replies_of_one_model_are_not_given_out_as_those_of_another() -> None:
    kept = Kept(":memory:")
    no = '{"label": "unsupported", "evidence": []}'
    case = [("TIDE-7 is fast.", EVIDENCE)]
    assert judge(scripted(GOOD), "model A", kept, 1).judged(case)[0].label is Label.SUPPORTED
    assert judge(scripted(no), "model B", kept, 1).judged(case)[0].label is Label.UNSUPPORTED
    assert judge(scripted(), "model A", kept, 1).judged(case)[0].label is Label.SUPPORTED  # kept: nobody is asked again


def test_the_mean_is_corrected_by_what_people_say() -> None:
    # the judge calls three of four supported, and on labelled pairs it is too kind in one of four
    found = corrected.mean([1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 1])
    assert (found.raw, found.value) == (0.75, 0.5)
    # variances 1/4 and 1/4 over 4 and 4: half-width 1.96 * sqrt(1/16 + 1/16)
    assert found.high - found.value == pytest.approx(1.96 * (1 / 8) ** 0.5, abs=1e-3)
    with pytest.raises(ValueError, match="at least two"):
        corrected.mean([1.0], [1.0], [1.0])


def chat_reply(text: str, used: tuple[int, int] | None = (5, 3)) -> dict[str, object]:
    usage = {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)} if used else None
    message = {"role": "assistant", "content": text}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [{"index": 0, "message": message}], "usage": usage}


class Timing(ScriptedServer):
    """Notes when each request came."""

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(chat=replies)
        self.came: list[float] = []

    def _next(self, request: Request) -> Reply:
        self.came.append(time.monotonic())
        return super()._next(request)


def test_ragas_456_a_server_that_asks_for_patience_gets_it_and_every_sentence_its_verdict() -> None:
    replies = [failure(429, "slow down", retry_after="0")] * 2 + [json_reply(chat_reply(GOOD)) for _ in range(6)]
    with ScriptedServer(chat=replies) as server:
        chat = Chat(base_url=server.url, key="k", model="tiny", concurrency=2)
        asked = Judge(chat.complete, ["tiny"], Kept(":memory:"), votes=1, concurrency=6).judged(
            [(f"TIDE-7 is fast {n}.", EVIDENCE) for n in range(6)]
        )
        assert [one.label for one in asked] == [Label.SUPPORTED] * 6
        assert len(server.requests) == 8
        assert (chat.spent.requests, chat.spent.prompt_tokens, chat.spent.completion_tokens) == (6, 30, 18)


def test_deepeval_1132_no_more_requests_at_a_time_than_allowed() -> None:
    with Timing([Reply([0.1, json.dumps(chat_reply(GOOD)).encode()]) for _ in range(6)]) as server:
        chat = Chat(base_url=server.url, key="k", model="tiny", concurrency=2)
        Judge(chat.complete, ["tiny"], Kept(":memory:"), votes=1, concurrency=6).judged([(f"It is {n}.", EVIDENCE) for n in range(6)])
    came = sorted(server.came)
    # each takes a tenth of a second: a third one within that time would be one too many
    assert all(third - first > 0.08 for first, third in zip(came, came[2:], strict=False))


def test_ragas_540_tokens_that_a_server_does_not_count_are_unknown_and_not_0() -> None:
    with ScriptedServer(chat=[json_reply(chat_reply(GOOD)), json_reply(chat_reply(GOOD, None))]) as server:
        chat = Chat(base_url=server.url, key="k", model="tiny")
        for _ in range(2):
            chat.complete("a", "b")
        assert (chat.spent.requests, chat.spent.prompt_tokens, chat.spent.completion_tokens) == (2, None, None)


def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    case = [("TIDE-7 is fast.", EVIDENCE)]
    judge(scripted(GOOD), kept=Kept(tmp_path / "judge.db"), votes=1).judged(case)
    assert judge(scripted(), kept=Kept(tmp_path / "judge.db"), votes=1).judged(case)[0].label is Label.SUPPORTED


def test_the_file_holds_no_number_that_is_none() -> None:
    found = judging.result([Judged(Label.SUPPORTED, 1.0, 0)], [], [])
    record = judging.as_json(
        found, "tiny", [("It is.", [])], [Judged(Label.SUPPORTED, 1.0, 0)], Chat(base_url="http://127.0.0.1:9/v1", key="k", model="t")
    )
    assert json.loads(json.dumps(record, allow_nan=False))["corrected"] is None
