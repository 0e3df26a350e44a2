"""Values of JSON one after the other: where they are, what is malformed, and that it costs nothing else."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats.json_values import MAX_DEPTH, Malformed, Span, Value, decode, elements, end_of, everything, members


def values(text: str) -> list[Value | str]:
    """The values of a file; of one that can't be read, the fault."""
    found: list[Value | str] = []
    for span in everything(text):
        try:
            found.append(span.fault or decode(text, span))
        except Malformed as error:
            found.append(error.why)
    return found


def kept(text: str) -> list[Value]:
    """The numbers `n` of the objects that can be read."""
    return [value["n"] for value in values(text) if isinstance(value, dict)]


@pytest.mark.parametrize(
    "text",
    [
        '[{"n": 1}, {"n": 2}]',
        '{"n": 1}\n{"n": 2}\n',
        '{"n": 1} {"n": 2}',
        '{"n": 1},\n{"n": 2},\n',
        '[{"n": 1,},\n {"n": 2},\n]',
        '\ufeff[\n  {\n    "n": 1\n  },\n  {\n    "n": 2\n  }\n]',
        '{\n"n": 1\n}\n{\n"n": 2\n}',
        '\x1e{"n": 1}\n\x1e{"n": 2}\n',
        '[{"n": 1}]\n[{"n": 2}]',
        '{"n": 1}\r{"n": 2}\r',
        '[{"n": 1} {"n": 2}]',
    ],
)
def test_lists_lines_and_objects_beside_each_other(text: str) -> None:
    assert kept(text) == [1, 2]


@pytest.mark.parametrize(
    "bad",
    [
        '{"n": 9 "m": 1}',
        '{"n": 9, "t": "a "quoted" word"}',
        '{"n": 9, "t": "not closed}',
        '{"n": 9, "t": {"m": 1}',
        '{"n": 9, "t": ["m"}',
        '{"n": 9, "t": undefined}',
        '{"n": 9}}',
        '{"n": ' + "9" * 5000 + "}",
        '{"n": 9, "t": ' + "[" * (MAX_DEPTH + 5) + "]" * (MAX_DEPTH + 5) + "}",
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        '{{"n": 1}}\n{bad}\n{{"n": 2}}\n{{"n": 3}}\n',
        '[\n  {{"n": 1}},\n  {bad},\n  {{"n": 2}},\n  {{"n": 3}}\n]',
        '[{{"n": 1}},{bad},{{"n": 2}},{{"n": 3}}]',
    ],
    ids=["lines", "list", "one line"],
)
def test_one_that_is_malformed_costs_no_other(form: str, bad: str) -> None:
    text = form.format(bad=bad)

    assert kept(text) == [1, 2, 3]
    assert len([value for value in values(text) if isinstance(value, str)]) == 1


def test_a_file_that_is_cut_off() -> None:
    assert values('[{"n": 1}, {"n": 2')[1:] == ["the file ends inside it"]
    assert values('[{"n": 1}, ')[1:] == ["the list is not closed: the file may be cut off here"]
    assert values('{"n": 1}\n{"n')[1:] == ["a string is not closed, or holds a quotation mark without a backslash before it"]


def test_a_value_ends_where_its_brackets_do() -> None:
    assert end_of(' {"a": "}]", "b": ["\\"{"]} x', 1) == 26
    assert end_of('"a\\"b", 1', 0) == 6
    assert end_of("null, 1", 0) == 4
    with pytest.raises(Malformed, match="out of place"):
        end_of("[}", 0)
    with pytest.raises(Malformed, match="nested more than 100 deep"):
        end_of("[" * 200, 0)


def test_what_is_forgiven_inside_a_value() -> None:
    text = '{"a": [1, 2,], "t": "line\nbreak\ttab", "x": NaN, }'
    found = decode(text, Span(0, len(text)))

    assert isinstance(found, dict)
    assert (found["a"], found["t"]) == ([1, 2], "line\nbreak\ttab")


def test_keys_that_come_twice_lose_no_text() -> None:
    text = '{"k": "a", "k": "b", "k": "a", "n": 1, "n": 2}'

    assert decode(text, Span(0, len(text))) == {"k": ["a", "b"], "n": 2}


def test_half_a_pair_of_escapes_is_no_character() -> None:
    text = '"\\ud835\\udc00 \\ud800 \\\\ud800"'

    assert decode(text, Span(0, len(text))) == "\U0001d400 \ufffd \\ud800"


def test_members_of_an_object_are_not_decoded() -> None:
    text = '{"a": [1, {"b": 2}], "c\\n": "d" }'

    assert [(key, text[span.start : span.end]) for key, span in members(text, Span(0, len(text)))] == [("a", '[1, {"b": 2}]'), ("c\n", '"d"')]


def test_the_last_member_of_an_object_that_is_cut_off_has_a_fault() -> None:
    text = '{"a": 1, "b": [{"n": 1}, {"n": 2'
    found = dict(members(text, Span(0, len(text))))

    assert found["a"].fault == ""
    assert found["b"].fault
    assert [decode(text, span) for span in elements(text, found["b"]) if not span.fault] == [{"n": 1}]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), _JSON, max_size=3), max_size=5), st.sampled_from([None, 0, 2]), st.booleans())
def test_what_the_json_module_writes_is_read_as_it_was(found: list[dict[str, Value]], indent: int | None, ascii_only: bool) -> None:
    as_list = json.dumps(found, indent=indent, ensure_ascii=ascii_only)
    as_lines = "\n".join(json.dumps(value, ensure_ascii=ascii_only) for value in found)

    assert values(as_list) == found
    assert values(as_lines) == found


@given(st.text(alphabet=st.sampled_from('{}[]",:\\ \nan1'), max_size=60))
def test_any_text_gives_spans_in_order(text: str) -> None:
    spans = list(everything(text))

    assert all(before.start < after.start for before, after in pairwise(spans))
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
    values(text)
