"""Many questions at once: lines of JSON in, one answer or one error a line out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag_qa.engine import EVERY_PAPER, Scope
from rag_qa.errors import RagQAError
from rag_qa.interfaces import render
from rag_qa.interfaces.render import EngineLike, JsonObject
from rag_qa.retrieval.filters import EVERYTHING, FilterError, Filters, from_mapping

_EXPECTED = 'expected a line such as {"id": "q1", "question": "What is DP-CATE?", "history": ["earlier question"]}'


@dataclass(frozen=True, slots=True)
class Request:
    """One question of a batch; `id` is given back with its answer (None: not given)."""

    id: str | int | None
    question: str
    history: tuple[str, ...] = ()
    filters: Filters = EVERYTHING


class BadLineError(ValueError):
    """A line is no question. `id`: the line's id, as far as it could be read."""

    def __init__(self, message: str, id: str | int | None = None) -> None:  # noqa: A002 (the name of the field)
        super().__init__(f"{message}; {_EXPECTED}")
        self.id = id


@dataclass(frozen=True, slots=True)
class Reply:
    """What is printed for one line of a batch, and whether it is an answer."""

    line: int
    is_answer: bool
    value: JsonObject


def replies(engine: EngineLike, lines: Iterable[bytes], scope: Scope = EVERY_PAPER, *, most_words: int | None = None) -> Iterator[Reply]:
    """Answers in the order of the lines, each as soon as it is there; empty lines are passed over.

    `scope`: the papers that are looked at; the filters of a line come on top of it. `most_words`: as for `Engine.ask`. A line that is no question,
    and a question that can't be answered, becomes {"id"?, "line", "error"}: the others are not lost.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _reply(engine, number, line, scope, most_words)


def _reply(engine: EngineLike, number: int, line: bytes, scope: Scope, most_words: int | None) -> Reply:
    try:
        request = parsed(line)
    except BadLineError as error:
        return _failure(number, error.id, str(error))
    try:
        filters = scope.filters.and_also(request.filters)
        answer = engine.ask(request.question, history=request.history, filters=filters, reads_filters=scope.reads_filters, most_words=most_words)
    except RagQAError as error:
        return _failure(number, request.id, render.one_line(str(error)))
    return Reply(number, True, {**_id(request.id), **render.answer_json(answer)})


def _failure(number: int, request_id: str | int | None, message: str) -> Reply:
    return Reply(number, False, {**_id(request_id), "line": number, "error": message})


def _id(request_id: str | int | None) -> JsonObject:
    return {} if request_id is None else {"id": request_id}


def parsed(line: bytes) -> Request:
    """The question in a line. Raises BadLineError.

    >>> parsed(b'{"id": 7, "question": "Why?", "history": ["What?"]}').history
    ('What?',)
    """
    value = _object(line)
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | None):
        raise BadLineError(f'"id" is {_shown(request_id)}, not a text or a whole number')
    if "question" not in value:
        raise BadLineError('there is no "question"', request_id)
    question = value["question"]
    if not isinstance(question, str):
        raise BadLineError(f'"question" is {_shown(question)}, not a text', request_id)
    history = value.get("history")
    history = [] if history is None else history
    if not isinstance(history, list) or not all(isinstance(earlier, str) for earlier in history):
        raise BadLineError(f'"history" is {_shown(history)}, not a list of texts', request_id)
    earlier = tuple(render.whole_characters(one) for one in history)
    return Request(request_id, render.whole_characters(question), earlier, _filters(value.get("filters"), request_id))


def _filters(value: object, request_id: str | int | None) -> Filters:
    if value is None:
        return EVERYTHING
    if not isinstance(value, dict):
        raise BadLineError(f'"filters" is {_shown(value)}, not an object', request_id)
    try:
        return from_mapping(value)
    except FilterError as error:
        raise BadLineError(str(error), request_id) from None


def _object(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadLineError(f"byte {error.start + 1} of the line is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadLineError(f"the line is not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):  # a number with thousands of digits, thousands of brackets
        raise BadLineError("the line is not JSON that can be read") from None
    if not isinstance(value, dict):
        raise BadLineError(f"the line is {_shown(value)}, not an object")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
