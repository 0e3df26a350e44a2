"""JSON text -> values one after the other, each with its place: a fault in one costs neither its neighbours nor the whole file.

The json module reads a document whole or not at all. Here the extent of a value is found first, by its brackets and strings alone, and the value
is decoded by itself: so memory is for one value, the place of each is known, and what is malformed is left out by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

MAX_DEPTH = 100
"""Values nested more deeply are refused."""

_PATIENCE = 20
"""How often the length of the text may be read in vain; from then on an object is taken to end where the next one seems to begin."""

Value = dict[str, "Value"] | list["Value"] | str | int | float | bool | None


class Malformed(ValueError):
    """What is wrong with a value, and where in the text that was seen. `is_in_list`: the text ended between the elements of a list in it."""

    def __init__(self, why: str, at: int, *, is_in_list: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.at = at
        self.is_in_list = is_in_list


@dataclass(frozen=True, slots=True)
class Span:
    """A value in a text: where it begins and ends. `fault`: why it can't be read; then `end` is where the next one may begin."""

    start: int
    end: int
    fault: str = ""


# ------------------------------------------------------------------------------------------------------------------------------- extent

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*+(?:[,:\]}]|\Z))'


def _without_deep_ones(levels: int) -> str:
    """What has no brackets, but those around what is so itself, `levels` deep: passed over at once, as most of a record is so."""
    inner = rf"|\{{{_without_deep_ones(levels - 1)}\}}|\[{_without_deep_ones(levels - 1)}\]" if levels else ""
    return rf'(?:[^"{{}}\[\]]++|{_STRING}{inner})*+'


_TO_BRACKET = re.compile(_without_deep_ones(3), re.DOTALL)
_SCALAR = re.compile(rf"{_STRING}|[^\s,\[\]{{}}\"]++", re.DOTALL)
_SPACE = re.compile(r"[\s\x1e\ufeff]*+")
_CLOSING = {"{": "}", "[": "]"}
_BAD_STRING = "a string is not closed, or holds a quotation mark without a backslash before it"


def after_space(text: str, position: int) -> int:
    """The next place that is not white space."""
    found = _SPACE.match(text, position)
    return found.end() if found else position


def end_of(text: str, start: int, stop: int | None = None) -> int:
    """Where the value that begins at `start` ends, judged by brackets and strings alone. Raises Malformed, also if that is not before `stop`.

    A string must be followed by what may follow a string: otherwise its quotation marks are not those that they seem.

    >>> end_of('[{"a": "}"}, 2]', 1)
    11
    """
    stop = len(text) if stop is None else stop
    if text[start : start + 1] not in _CLOSING:
        scalar = _SCALAR.match(text, start, stop)
        if not scalar:
            raise Malformed(_BAD_STRING if text[start : start + 1] == '"' else f"{text[start : start + 1]} out of place", start)
        return scalar.end()
    expected = [_CLOSING[text[start]]]
    position = start + 1
    while True:
        found = _TO_BRACKET.match(text, position, stop)
        position = found.end() if found else position
        if position >= stop:
            why = "the file ends inside it" if stop == len(text) else "it is not closed where the next one begins"
            raise Malformed(why, stop, is_in_list=expected[-1:] == ["]"])
        bracket = text[position]
        if bracket in _CLOSING:
            expected.append(_CLOSING[bracket])
        elif not expected or bracket != expected.pop():
            raise Malformed(_BAD_STRING if bracket == '"' else f"{bracket} out of place", position)
        position += 1
        if not expected:
            return position
        if len(expected) > MAX_DEPTH:
            raise Malformed(f"nested more than {MAX_DEPTH} deep", position)


# ------------------------------------------------------------------------------------------------------------------------------- decode

_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[\]}}])", re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def decode(text: str, span: Span) -> Value:
    r"""The value. A comma before a closing bracket is passed over, NaN is a number that is none. Raises Malformed.

    A key that comes twice keeps its first text and gets the second as another one, so that neither is lost.

    >>> decode('[{"a": 1, "a": 2,}]', Span(1, 18))
    {'a': 2}
    >>> decode('{"t": "A", "t": "B"}', Span(0, 20))
    {'t': ['A', 'B']}
    """
    raw = text[span.start : span.end]
    try:
        return _decoded(raw)
    except ValueError as error:
        repaired = _TRAILING_COMMA.sub(r"\1", raw)
        if repaired != raw:
            return decode(repaired, Span(0, len(repaired)))
        at = error.pos if isinstance(error, json.JSONDecodeError) else 0
        why = error.msg if isinstance(error, json.JSONDecodeError) else "a number that is too long"
        raise Malformed(why[:1].lower() + why[1:], span.start + at) from None
    except RecursionError:
        raise Malformed("nested too deep", span.start) from None


def _decoded(raw: str) -> Value:
    # strict=False: line breaks and tabs inside a string, which many writers leave as they are
    value: Value = json.loads(_lone_surrogates_replaced(raw), strict=False, object_pairs_hook=_object)
    return value


_LONE = re.compile(
    r"(?<!\\)((?:\\\\)*+)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})",
)


def _lone_surrogates_replaced(raw: str) -> str:
    """Half of a pair of escapes is no character, and can't be stored or shown."""
    if "\\ud" not in raw and "\\uD" not in raw:
        return raw
    return _LONE.sub(lambda match: match[0] if match[2] else f"{match[1]}\\ufffd", raw)


def _object(pairs: list[tuple[str, Value]]) -> Value:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    texts: dict[str, list[Value]] = {}
    for key, value in pairs:
        if isinstance(value, str) and value not in texts.get(key, ()):
            texts.setdefault(key, []).append(value)
    return found | {key: several for key, several in texts.items() if len(several) > 1}


# ------------------------------------------------------------------------------------------------------------------------------ members


def members(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """Key and place of each value of an object, none of which is decoded; where it is malformed, its last one has a fault."""
    position = after_space(text, span.start + 1)
    while position < span.end and text[position] == '"':
        try:
            key_end = end_of(text, position, span.end)
            key = json.loads(text[position:key_end], strict=False)
        except ValueError:
            return
        colon = after_space(text, key_end)
        if text[colon : colon + 1] != ":":
            return
        value = after_space(text, colon + 1)
        try:
            end = end_of(text, value, span.end)
        except Malformed as error:
            yield key, Span(value, span.end, error.why)
            return
        yield key, Span(value, end)
        position = after_space(text, end)
        if text[position : position + 1] == ",":
            position = after_space(text, position + 1)


# ----------------------------------------------------------------------------------------------------------------------------- elements

_FIRST_KEY = re.compile(r'\{\s*+"([^"\\]{1,60})"\s*+:')
_KEY_AT_LINE_START = re.compile(r'[\n\r]"[^"\n\r]{1,60}"\s{0,9}:')


def everything(text: str) -> Iterator[Span]:
    """The values of a file in order: the elements of its lists, and the values beside each other (JSON Lines) outside of lists.

    >>> text = '{"a": 1}\\n{"a": 2}\\n[{"a": 3}, {"a": 4}]'
    >>> [decode(text, span) for span in everything(text)]
    [{'a': 1}, {'a': 2}, {'a': 3}, {'a': 4}]
    """
    whole = Span(0, len(text))
    position = after_space(text, 0)
    while position < len(text):
        is_list = text[position] == "["
        position = yield from _in_order(text, Span(position + is_list, whole.end), is_list=is_list)
        position = after_space(text, position)


def elements(text: str, span: Span) -> Iterator[Span]:
    """The elements of a list, in order.

    After one that can't be read, the next is looked for where a line begins as that one's did, or where an object begins with the same key.
    """
    yield from _in_order(text, Span(span.start + 1, span.end), is_list=True)


def _in_order(text: str, span: Span, *, is_list: bool) -> Generator[Span, None, int]:
    """The values from the beginning of `span`; returns where they end: behind the bracket of a list, before that of a next one otherwise."""
    has_keys_at_line_starts = _KEY_AT_LINE_START.search(text, span.start, span.start + 65_536) is not None
    reading = _Reading(text, span.end, has_keys_at_line_starts, is_first=not is_list and after_space(text, 0) == span.start)
    position = after_space(text, span.start)
    while position < span.end:
        sign = text[position]
        if sign == ",":
            position = after_space(text, position + 1)
        elif sign in "]}" and reading.restart:
            # it may be that of an object that can't be read
            position = reading.next_start(position)
        elif sign == ("]" if is_list else "["):
            return position + is_list
        else:
            found = reading.value(position, is_list=is_list)
            yield found
            position = after_space(text, found.end)
    if is_list and not reading.restart:
        yield Span(span.end, span.end, "the list is not closed: the file may be cut off here")
    return span.end


@dataclass(slots=True)
class _Reading:
    """What is remembered from value to value. `is_first`: is it the file's first value? `restart`: how an object begins, since one was malformed."""

    text: str
    stop: int
    has_keys_at_line_starts: bool
    is_first: bool = False
    restart: re.Pattern[str] | None = None
    budget: int = 0

    def __post_init__(self) -> None:
        self.budget = _PATIENCE * len(self.text) + 100_000

    def value(self, position: int, *, is_list: bool) -> Span:
        """The value at this place."""
        is_first, self.is_first = self.is_first, False
        stop = self._next_line(position)
        try:
            end = end_of(self.text, position, stop)
            if not _may_follow(self.text, end, stop, is_list=is_list):
                raise Malformed("it does not end where the next one begins", end)
        except Malformed as error:
            self.budget -= error.at - position + MAX_DEPTH
            if is_first and stop < self.stop and error.is_in_list:
                return self._whole(position)
            self.restart = _restart(self.text, position)
            return Span(position, self.next_start(position), error.why)
        return Span(position, end)

    def _whole(self, position: int) -> Span:
        """The first value of a file, with a list in it whose elements begin lines as the value does: it is the whole file."""
        try:
            return Span(position, end_of(self.text, position, self.stop))
        except Malformed as error:
            return Span(position, self.stop, error.why)

    def next_start(self, position: int) -> int:
        """Where the next value may begin after one that can't be read."""
        found = self.restart.search(self.text, position + 1, self.stop) if self.restart else None
        return found.end() if found else self.stop

    def _next_line(self, position: int) -> int:
        """Where a line begins with a bracket, indented as the one at `position`: no value goes on beyond, unless nothing is indented."""
        line, indent = _indent(self.text, position)
        if indent is None or self.has_keys_at_line_starts:
            return self.stop if self.budget > 0 else self._next_alike(position)
        found = self.text.find(f"{self.text[line - 1] if line else _line_end(self.text)}{indent}{self.text[position]}", position, self.stop)
        return self.stop if found < 0 else found + 1 + len(indent)

    def _next_alike(self, position: int) -> int:
        found = _restart(self.text, position).search(self.text, position + 1, self.stop)
        return found.end() if found else self.stop


_MOST_INDENT = 1_000


def _line_end(text: str) -> str:
    return "\n" if text.find("\n", 0, 1_000_000) >= 0 else "\r"


def _indent(text: str, position: int) -> tuple[int, str | None]:
    """Where the line begins, and the white space before `position` on it; None: there is more than that before it."""
    # no further back than a line may be indented: a whole file may stand on one line
    start = max(0, position - _MOST_INDENT)
    line = max(text.rfind("\n", start, position), text.rfind("\r", start, position)) + 1
    if not line and start:
        return 0, None
    before = text[line:position]
    return line, None if before.strip(" \t") else before


def _may_follow(text: str, end: int, stop: int, *, is_list: bool) -> bool:
    """May a value end here? In a list a comma or a bracket follows, a missing comma is forgiven; outside of one, another value."""
    after = after_space(text, end)
    return after >= stop or text[after] in (",]{" if is_list else ",{[")


def _restart(text: str, position: int) -> re.Pattern[str]:
    """How the next object may begin: at a line that is indented as the one at `position`, or with the same key."""
    _, indent = _indent(text, position)
    starts = [] if indent is None else [rf"(?<=[\n\r]){re.escape(indent)}(?=[{{\[])"]
    if first := _FIRST_KEY.match(text, position):
        starts.append(rf'(?<=[\s,}}\]])(?=\{{\s*+"{re.escape(first[1])}"\s*+:)')
    return re.compile("|".join(starts) or r"(?!)")
