"""Read a file of questions, and find the papers that it names.

One JSON object a line:

    {"id": "s-001", "kind": "fact", "question": "...", "history": [],
     "papers": ["first words of the abstract"], "facts": [["alias", "alias"]], "answerable": true}   (in one line)

Optional keys: `maybe` (for a set: papers that count neither way), `missing` (for a question of which one part is answered: aliases of the other
part), `reference` (a written answer), `topic_switch` (for a follow-up: true if it leaves the subject of the question before it) and `nuggets`:
[{"text": "...", "vital": true}, {"aliases": ["...", "..."], "vital": false}, {"number": "30%", "aliases": ["inference time"], "vital": false}].
A question that was proposed (see `eval.proposals`, `eval.feedback`) has a `status`, what it `rests_on`, and perhaps a `note`. Only what is accepted
is asked; a line without `status` was never in doubt.
A line without `kind`, or a table, is a question of a person's own, with as many labels as there are (see `own`).

A bad line is reported as file:line with what was found and what was expected; nothing is skipped.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from eval.datasets import own
from eval.metrics import facts
from eval.metrics.support import numbers
from rag_qa.errors import SourceError
from rag_qa.papers import Paper


class Kind(StrEnum):
    """What a question asks for, or why it cannot be answered (the last five)."""

    FACT = "fact"
    NUMBER = "number"
    DEFINITION = "definition"
    HOW = "how"
    WHY = "why"
    LIST = "list"
    YESNO = "yesno"
    PARAPHRASE = "paraphrase"
    MULTI = "multi"
    SET = "set"
    PARTIAL = "partial"
    FOLLOWUP = "followup"
    OFF_TOPIC = "off-topic"
    DETAIL = "detail"
    PREMISE = "premise"
    ABSENT = "absent"
    GREETING = "greeting"
    OPEN = "open"
    """Anything, with as many labels as there are."""


class Status(StrEnum):
    """What a person has said of a question that was proposed."""

    PROPOSED = "proposed"
    """Nothing yet."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"


UNANSWERABLE = frozenset({Kind.OFF_TOPIC, Kind.DETAIL, Kind.PREMISE, Kind.ABSENT, Kind.GREETING})
"""Kinds that no abstract answers. A follow-up may be unanswerable too; every other kind is answerable."""


@dataclass(frozen=True, slots=True)
class Nugget:
    """A piece of information of a right answer: one of its aliases says it. `vital`: an answer without it is none; otherwise it is welcome.
    `number`: a number with its unit that has to stand near an alias, or anywhere if there is none (see `metrics.nuggets`); "" for none.
    """

    aliases: tuple[str, ...]
    vital: bool = True
    number: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question and what a right answer to it is.

    `papers`: the papers that answer it; as the file names them, or their ids after `resolve`. `facts`: groups of aliases; a right answer
    holds one alias of every group. `maybe`: papers of which people would disagree whether they belong to the set that is asked for; citing
    them is neither right nor wrong. `missing`: groups of aliases of the part that no abstract answers; a right answer says so and names it.
    `reference`: an answer that somebody has written. `nuggets`: pieces of information beside the facts, which are the vital ones where no
    nugget is. `topic_switch`: does a follow-up leave the subject of the question before it? `answerable`: None where nobody has said. `line` is
    where it stands in its file.
    """

    id: str
    kind: Kind
    text: str
    history: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    answerable: bool | None = True
    line: int = 0
    maybe: tuple[str, ...] = ()
    missing: tuple[tuple[str, ...], ...] = ()
    reference: str = ""
    nuggets: tuple[Nugget, ...] = ()
    topic_switch: bool = False


def load(path: Path, *, kinds: Collection[str] = ()) -> list[Question]:
    """The questions of a file, in its order, without those that are only proposed or were rejected (see `left_out`); only those of `kinds` if any are
    named. Raises SourceError, also for a fault in what is left out.
    """
    every = list(_every(path))
    if not every:
        raise SourceError(path, None, found="no question", expected="one JSON object a line")
    questions = [question for question, status in every if status is Status.ACCEPTED]
    if not questions:
        raise SourceError(
            path, None, found=f"no question that is accepted, but {len(every)} others", expected=f"some accepted: python -m eval review {path}"
        )
    chosen = [question for question in questions if not kinds or question.kind in kinds]
    if not chosen:
        there = ", ".join(kind for kind in Kind if any(question.kind is kind for question in questions))
        raise SourceError(path, None, found=f"no question of kind {', '.join(sorted(kinds))}", expected=f"one of the kinds in it: {there}")
    return chosen


def left_out(path: Path) -> Counter[Status]:
    """How many questions of a file `load` leaves out, by what is said of them. Raises SourceError."""
    return Counter(status for _, status in _every(path) if status is not Status.ACCEPTED)


def ids(path: Path) -> set[str]:
    """The ids of all questions of a file, also of those that `load` leaves out. Raises SourceError."""
    return {question.id for question, _ in _every(path)}


def _every(path: Path) -> list[tuple[Question, Status]]:
    read = [(_question(path, number, record), _status(path, number, record)) for number, record in _records(path)]
    _check_unique(path, [question for question, _ in read])
    return read


def _status(path: Path, number: int, record: Mapping[str, Any]) -> Status:
    reader = _Reader(path, number, record)
    reader.remarks()
    return reader.status()


def checked(path: Path, number: int, record: Mapping[str, Any]) -> Question:
    """The question of one record, as a line of a file holds it. Raises SourceError with the line `number`."""
    known = _checked_keys(path, number, dict(record))
    completed = known if "kind" in known else own.completed(known, number)
    _status(path, number, completed)
    return _question(path, number, completed)


def resolve(questions: Sequence[Question], papers: Sequence[Paper], *, path: Path, abstracts: Mapping[str, str] | None = None) -> list[Question]:
    """The questions with the ids of their papers. Raises SourceError when a name fits no paper, or several.

    A name is a paper's id, a key of `abstracts` (ids of the outside world -> abstract), or the first words of an abstract.
    """
    named = Named(papers, path, abstracts)

    def find(name: str, question: Question) -> str:
        return named.id_of(name, question.line)

    def with_ids(question: Question) -> Question:
        papers, maybe = (tuple(find(name, question) for name in names) for names in (question.papers, question.maybe))
        return replace(question, papers=papers, maybe=maybe)

    return [with_ids(question) for question in questions]


class Named:
    """Papers by what a file calls them."""

    def __init__(self, papers: Sequence[Paper], path: Path, abstracts: Mapping[str, str] | None = None) -> None:
        self._texts = [(_folded(paper.abstract), paper.id) for paper in papers]
        self._known = {paper.id for paper in papers}
        self._path = path
        self._abstracts = abstracts or {}

    def id_of(self, name: str, line: int) -> str:
        """The id of a paper that a line of the file names (see `resolve`). Raises SourceError when the name fits no paper, or several."""
        if name in self._known:
            return name
        wanted = _folded(self._abstracts.get(name, name))
        found = [identifier for text, identifier in self._texts if text.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        what = f"the paper {name!r}, which fits {len(found)} of {len(self._texts)} papers"
        raise SourceError(self._path, line, found=what, expected="an id or the first words of exactly one abstract of the corpus")


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(physical line, object) of each question."""
    text = _text(path)
    if own.is_table(path):
        yield from ((number, own.completed(record, number)) for number, record in own.rows(path, text))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            record = _record(path, number, line)
            yield number, record if "kind" in record else own.completed(record, number)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(path, None, found=f"bytes that are not UTF-8 (at byte {error.start})", expected="UTF-8 text") from error
    except OSError as error:
        raise SourceError(path, None, found=error.strerror or str(error), expected="a readable file of questions") from error


def _question(path: Path, number: int, record: Mapping[str, Any]) -> Question:
    read = _Reader(path, number, record)
    question = Question(
        id=read.string("id"),
        kind=read.kind(),
        text=read.string("question"),
        history=tuple(read.strings("history")),
        papers=tuple(read.strings("papers")),
        facts=tuple(tuple(group) for group in read.groups("facts")),
        answerable=read.boolean("answerable"),
        line=number,
        maybe=tuple(read.strings("maybe")),
        missing=tuple(tuple(group) for group in read.groups("missing")),
        reference=read.string("reference") if "reference" in record else "",
        nuggets=tuple(read.nuggets("nuggets")),
        topic_switch="topic_switch" in record and bool(read.boolean("topic_switch")),
    )
    check = _check_own_labels if question.kind is Kind.OPEN else _check_labels
    check(path, question)
    _check_switch(path, question)
    return question


_KEYS = (
    *("id", "kind", "question", "history", "papers", "facts", "answerable", "maybe", "missing", "reference", "nuggets", "topic_switch"),
    *("status", "rests_on", "note"),
)


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(path, number, found=f"{line.strip()[:60]!r} ({error})", expected="one JSON object a line") from error
    if not isinstance(record, dict):
        raise SourceError(path, number, found=type(record).__name__, expected="a JSON object")
    return _checked_keys(path, number, record)


def _checked_keys(path: Path, number: int, record: dict[str, Any]) -> dict[str, Any]:
    for key in record:
        if key not in _KEYS:
            raise SourceError(path, number, found=f"the key {key!r}", expected=f"keys {', '.join(_KEYS)}")
    return record


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to the fields of one line; raises SourceError with the place."""

    path: Path
    number: int
    record: Mapping[str, Any]

    def fail(self, key: str, expected: str) -> SourceError:
        found = f"{key} = {self.record[key]!r}" if key in self.record else f"no {key}"
        return SourceError(self.path, self.number, found=found, expected=expected)

    def string(self, key: str) -> str:
        value = self.record.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(key, f"{key} as a text that is not empty")
        return value

    def strings(self, key: str) -> list[str]:
        value = self.record.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise self.fail(key, f"{key} as a list of texts that are not empty")
        return value

    def groups(self, key: str) -> list[list[str]]:
        value = self.record.get(key, [])
        if not isinstance(value, list) or not all(_is_group(group) for group in value):
            raise self.fail(key, f"{key} as a list of groups, each a list of at least one alias that is not empty")
        return value

    def nuggets(self, key: str) -> list[Nugget]:
        value = self.record.get(key, [])
        if not isinstance(value, list) or not all(_is_nugget(one) for one in value):
            also = 'or with "aliases": ["..."] instead of text, or with "number": "30%"'
            raise self.fail(key, f'{key} as a list of {{"text": "...", "vital": true}}, {also}')
        return [_nugget(one) for one in value]

    def boolean(self, key: str) -> bool | None:
        value = self.record.get(key)
        if value is None and key in self.record and self.record.get("kind") == Kind.OPEN:
            return None
        if not isinstance(value, bool):
            raise self.fail(key, f"{key} as true or false")
        return value

    def status(self) -> Status:
        value = self.record.get("status", Status.ACCEPTED)
        if value not in list(Status):
            raise self.fail("status", f"status as one of {', '.join(Status)}")
        return Status(value)

    def remarks(self) -> None:
        """What is for people only has to have its form too, so that a review can show it."""
        said = self.record.get("rests_on", [])
        if not isinstance(said, list) or not all(_is_rest(one) for one in said):
            raise self.fail("rests_on", 'rests_on as a list of {"paper": "...", "sentence": "..."}')
        if not isinstance(self.record.get("note", ""), str):
            raise self.fail("note", "note as a text")

    def kind(self) -> Kind:
        value = self.record.get("kind")
        if value not in list(Kind):
            raise self.fail("kind", f"kind as one of {', '.join(Kind)}")
        return Kind(value)


def _is_group(group: object) -> bool:
    return isinstance(group, list) and bool(group) and all(isinstance(alias, str) and bool(facts.fold(alias)) for alias in group)


def _is_rest(one: object) -> bool:
    return isinstance(one, dict) and set(one) == {"paper", "sentence"} and all(isinstance(said, str) for said in one.values())


_SAYS = ({"text"}, {"aliases"}, {"number"}, {"number", "aliases"})
"""The keys of a nugget beside `vital`."""


def _is_nugget(one: object) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("vital"), bool) or set(one) - {"vital"} not in _SAYS:
        return False
    if "number" in one and not (isinstance(one["number"], str) and len(numbers(one["number"])) == 1):
        return False
    return ("aliases" not in one or _is_group(one["aliases"])) and ("text" not in one or _is_group([one["text"]]))


def _nugget(one: Mapping[str, Any]) -> Nugget:
    texts = [one["text"]] if "text" in one else one.get("aliases", ())
    return Nugget(tuple(texts), one["vital"], one.get("number", ""))


def _check_labels(path: Path, question: Question) -> None:
    """Labels that contradict each other are errors of the file, not of the system that is judged by them."""

    def fail(found: str, expected: str) -> SourceError:
        return SourceError(path, question.line, found=f"{found} in {question.id}", expected=expected)

    if question.answerable and not (question.papers and (question.facts or question.kind is Kind.SET)):
        raise fail("an answerable question without papers or without facts", "the papers that answer it and the facts of a right answer")
    if not question.answerable and (question.papers or question.facts or question.maybe or question.nuggets):
        raise fail("an unanswerable question with papers or facts", "empty lists")
    if question.kind is not Kind.FOLLOWUP and question.answerable == (question.kind in UNANSWERABLE):
        raise fail(f"answerable = {question.answerable} for the kind {question.kind}", f"only {', '.join(sorted(UNANSWERABLE))} to be unanswerable")
    if (question.kind is Kind.FOLLOWUP) != bool(question.history):
        raise fail(f"{len(question.history)} earlier questions for the kind {question.kind}", "a history for every follow-up and for nothing else")
    if (question.kind is Kind.MULTI) and len(question.papers) < 2:
        raise fail(f"{len(question.papers)} papers for the kind multi", "at least two")
    if (question.kind is Kind.PARTIAL) != bool(question.missing):
        raise fail(f"{len(question.missing)} missing parts for the kind {question.kind}", "what is missing for the kind partial and for nothing else")
    if question.maybe and question.kind is not Kind.SET:
        raise fail(f"papers that may count for the kind {question.kind}", "maybe for the kind set alone")
    named = [*question.papers, *question.maybe]
    if len(set(named)) < len(named):
        raise fail("the same paper twice", "each paper once")


def _check_switch(path: Path, question: Question) -> None:
    if question.topic_switch and not question.history:
        raise SourceError(path, question.line, found=f"topic_switch without a history in {question.id}", expected="topic_switch for follow-ups alone")


def _check_own_labels(path: Path, question: Question) -> None:
    if question.answerable is False and (question.papers or question.facts or question.nuggets):
        raise SourceError(path, question.line, found=f"an unanswerable question with papers or facts in {question.id}", expected="one or the other")
    if question.maybe or question.missing:
        raise SourceError(path, question.line, found=f"maybe or missing in {question.id}", expected="a kind (set, partial) for them")


def _check_unique(path: Path, questions: Sequence[Question]) -> None:
    first: dict[str, int] = {}
    for question in questions:
        if question.id in first:
            raise SourceError(path, question.line, found=f"the id {question.id!r} of line {first[question.id]} again", expected="ids that differ")
        first[question.id] = question.line
