"""A model's reply, JSON or marked text, whole or broken, in whatever pieces: which sentences it holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.citations import Cited, parse
from rag_qa.answering.reply import Found, ReplyReader, Restart

SOURCES = {1, 2, 3}
FAST = Cited("It is fast.", (2,))
SMALL = Cited("It is small.", (1, 3))


def as_json(*sentences: tuple[str, object], missing: object = "") -> str:
    return json.dumps({"sentences": [{"text": text, "sources": sources} for text, sources in sentences], "missing": missing})


WHOLE = as_json(("It is fast.", [2]), ("It is small.", [1, 3]), missing="its price [7]")


def read(*pieces: str) -> tuple[list[Found], ReplyReader]:
    reader = ReplyReader(SOURCES)
    found = [found for piece in pieces for found in reader.feed(piece)]
    return [*found, *reader.close()], reader


# -------------------------------------------------------------------------------------------------------------------- JSON


def test_sentences_and_what_is_missing() -> None:
    found, reader = read(WHOLE)
    assert found == [FAST, SMALL]
    assert reader.missing == "its price", "what is no answer cites nothing"
    assert not reader.is_torn


def test_a_sentence_is_there_as_soon_as_its_object_is_closed() -> None:
    reader = ReplyReader(SOURCES)
    begun = '{"sentences": [{"text": "It is fast.", "sources": [2]'
    assert reader.feed(begun) == []
    assert reader.feed("}") == [FAST]


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{WHOLE}\n```",
        f"\n\n {WHOLE}\n\nI hope this helps [1].",
        WHOLE.replace(": ", ":").replace(", ", ","),
        json.dumps(json.loads(WHOLE), indent=4),
        f"[{WHOLE}]",
        WHOLE.replace("text", "sentence").replace("sources", "citations"),
        as_json(("It is fast.", ["2"]), ("It is small.", "[1] [3]"), missing="its price"),
        as_json(("It is fast [2].", []), ("It is small. [1][3]", [2]), missing="its price"),
        as_json(("It is fast. [2] It is small [1, 3].", [1]), missing="its price"),
        '{"sentences": ["It is fast [2].", "It is small [1][3]."], "missing": "its price"}',
        '{"answer": "It is fast [2]. It is small [1][3].", "missing": "its price"}',
        '{"missing": "its price", "sentences": [{"sources": [2], "text": "It is fast."}, {"text": "It is small.", "sources": [1, 3]}]}',
        '{"reply": {"sentences": [{"text": "It is fast.", "sources": [2]}, {"text": "It is small.", "sources": [1, 3]}]}, "missing": "its price"}',
    ],
)
def test_the_same_in_the_ways_of_many_models(reply: str) -> None:
    found, reader = read(reply)
    assert found == [FAST, SMALL]
    assert reader.missing == "its price"
    assert not reader.is_torn


@pytest.mark.parametrize("opening", ["Here is the answer: ", "Sure [1]! ", "The user asks. I look at [2].\n\n</think>\n", "Answer:\n```json\n"])
def test_json_that_turns_up_later_makes_what_came_before_void(opening: str) -> None:
    found, _ = read(opening + WHOLE)
    assert found[found.index(Restart()) :] == [Restart(), FAST, SMALL]


def test_numbers_that_are_no_sources_are_reported_and_what_is_no_number_is_nothing() -> None:
    found, _ = read(as_json(("It is fast.", [2, 9, 0, -1, 2, 99999999999]), ("So it is.", {"a": 1}), ("It is.", [True, None, 1.5])))
    assert found == [Cited("It is fast.", (2,), ("[9]", "[0]", "[-1]", "[99999999999]")), Cited("So it is."), Cited("It is.")]


def test_what_a_text_may_hold() -> None:
    text = 'It holds "quotes", {braces}, $x_{1}$, \\alpha, a\ttab, [0, 1], x[1] and é.'
    found, _ = read(as_json((text, [1])))
    assert found == [Cited(text, (1,))]
    raw = '{"sentences": [{"text": "It is\nfast.", "sources": [2]}], "missing": ""}'
    assert read(raw)[0] == [FAST]


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_json_cut_anywhere_holds_the_sentences_that_were_whole(end: int) -> None:
    found, reader = read(WHOLE[:end])
    first, second = WHOLE.index("}") + 1, WHOLE.index("}", WHOLE.index("}") + 1) + 1
    if end >= 2:  # "{" alone could be any text
        assert reader.is_torn
        assert found == [FAST, SMALL][: (end >= first) + (end >= second)]


@pytest.mark.parametrize(
    ("reply", "sentences"),
    [
        ('{"sentences": [{"text": "It is fast.", "sources": [2]}, {"text": It is small, "sources": [1]}]}', [FAST]),
        ('{"sentences": [{"text": "It is fast.", "sources": [2]}, {"text": "It is "small".", "sources": [1]}]}', [FAST]),
        ('{"sentences": [{"text": "It is fast.", "sources": [2,]}]}', []),
        ('{"sentences: [{text: It is fast.}]}', []),
        ("{'sentences': [{'text': 'It is fast.', 'sources': [2]}]}", []),
    ],
)
def test_broken_json_gives_what_can_be_read(reply: str, sentences: list[Cited]) -> None:
    found, reader = read(reply)
    if reply.startswith('{"'):
        assert found == sentences
        assert reader.is_torn


def test_of_a_text_that_is_cut_off_the_whole_sentences_count_if_it_is_known_what_they_cite() -> None:
    begun = r'{"sentences": [{"sources": [2], "text": "It is fast. It has \u00e9 and \"quotes\". It is sm'
    expected = [FAST, Cited('It has é and "quotes".', (2,))]
    for cut in (0, 1, 2, 5):
        found, reader = read(begun[: len(begun) - cut])
        assert found == expected
        assert reader.is_torn
    assert read(begun[: begun.index("It has") + 14])[0] == [FAST], "broken off in an escape"
    assert read('{"sentences": [{"sources": [2], "text": "It is fast."')[0] == [FAST]
    assert read('{"sentences": [{"text": "It is fast. It is small. It')[0] == []


def test_a_comma_too_many_around_sentences_takes_nothing_away() -> None:
    found, reader = read('{"sentences": [{"text": "It is fast.", "sources": [2]},], "missing": "",}')
    assert found == [FAST]
    assert not reader.is_torn


@pytest.mark.parametrize(
    "reply", ["{}", '{"sentences": [], "missing": ""}', '{"sentences": [{"text": "...", "sources": [1]}]}', '{"text": ""}', "[{}]"]
)
def test_json_without_a_sentence(reply: str) -> None:
    found, reader = read(reply)
    assert found == []
    assert not reader.is_torn


def test_deep_nesting_is_no_danger() -> None:
    assert read('{"a":' * 20_000)[0] == []
    assert read('{"a":' * 3000 + "1" + "}" * 3000)[0] == []


# -------------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "reply",
    [
        "It is fast [2]. It is small [1][3].",
        "[2] It is fast. [3] It is small.",
        "{x} is a set [1]. [0, 1] is an interval.",
        "```python\nx = 1\n``` It is fast [2].",
        "`x` is fast [2].",
        '"It is fast" [2].',
        "[think] is a tag.",
        "{",
        "",
        "[1]",
        'The key {"a": 1} is JSON [2]. It is small.',
    ],
)
def test_any_other_text_is_read_for_markers(reply: str) -> None:
    assert read(reply)[0] == parse(reply, SOURCES)


# ------------------------------------------------------------------------------------------------------------------ pieces


@given(
    st.sampled_from([WHOLE, f"Sure [1]. It is:\n```json\n{WHOLE}\n```", "It is fast [2]. It is small. [1][3] So.", WHOLE[:70]]),
    st.lists(st.integers(0, 200), max_size=12),
)
def test_any_cutting_gives_the_same_sentences(reply: str, cuts: list[int]) -> None:
    cuts = sorted(min(cut, len(reply)) for cut in cuts)
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    (found, cut), (expected, whole) = read(*pieces), read(reply)
    assert (found, cut.missing, cut.is_torn) == (expected, whole.missing, whole.is_torn)


@given(st.text(max_size=80))
def test_no_text_is_too_odd(reply: str) -> None:
    for odd in (reply, "{" + reply, '{"sentences": [{"text": "' + reply, '{"sentences": [' + reply + "]}"):
        read(odd)
