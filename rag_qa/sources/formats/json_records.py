"""JSON and JSON Lines: the records of any service or program, wherever in the file they are.

A record is an object with a title or an abstract (`json_fields` knows where each has them); other objects are opened until lists of such objects are
found. The papers that cite a paper, or that it cites, are records too where the file has a place for their abstracts, as Semantic Scholar has;
a mere list of references is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import json_fields
from rag_qa.sources.formats.columns import Certainty, meaning
from rag_qa.sources.formats.json_fields import Object
from rag_qa.sources.formats.json_values import Malformed, Span, Value, decode, elements, everything, members
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

_SMALL = 4_000_000
"""An object of fewer characters is decoded to see what it is; in a larger one, the keys are looked at first."""
_DEPTH = 6
"""Lists of records are looked for so many levels down."""
_TRIED = 5
"""Elements by which it is judged whether a list is one of records."""

_ENOUGH = 10_000
"""After so many values none of which is a record, the file is taken to hold none."""

_CITED = ("citations", "references", "citing", "cited", "citingPapers", "citedPapers", "recommendedPapers", "related")
_NO_PAPERS = frozenset(("attachment", "note", "annotation"))
"""Zotero's items that belong to another one."""
_NO_RECORDS = frozenset("facets aggregations filters collections attachments files query config meta links request error errors".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a JSON file. Raises SourceError when nothing in it has a title or an abstract, or lacks a key that was named by hand."""
    file = _File(document.text(), dict(document.mapping))
    lines, mapping = _Lines(file.text), file.mapping
    seen, found_by_hand, first_fault = _Seen(), set[str](), ""
    is_empty = True
    for found in _found(file):
        line = lines.at(found.start)
        if isinstance(found, _Record):
            is_empty = False
            found_by_hand.update(field for field, path in mapping.items() if json_fields.at(found.value, path) is not None)
            yield _raw(line, found, mapping)
            continue
        seen.add(found)
        first_fault = first_fault or f"line {line}: {found.why}"
        if is_empty and seen.count > _ENOUGH:
            break
        yield Problem(document.path, line, found.why, found.kind)
    if is_empty:
        raise SourceError(document.path, None, found=seen.said(first_fault), expected="objects with a title or an abstract", hint=_HINT)
    if missing := sorted(mapping.keys() - found_by_hand):
        found_keys = f"no record with {mapping[missing[0]]!r}; they have {', '.join(_keys(file))}"
        raise SourceError(document.path, None, found=found_keys, expected="the keys that --map names", hint=_HINT)


_HINT = "Say by hand where they are, with dots for keys inside others: --map title=KEY --map abstract=KEY.KEY"


# ------------------------------------------------------------------------------------------------------------------- what is in a file


@dataclass(slots=True)
class _File:
    """A text, and what was said by hand of it. The places of the members of its large objects are found once."""

    text: str
    mapping: Mapping[str, str]
    _large: dict[Span, list[tuple[str, Span]]] = field(default_factory=dict)

    def members(self, span: Span) -> Iterable[tuple[str, Span]]:
        """Key and place of each value of an object."""
        if span.end - span.start < _SMALL:
            return members(self.text, span)
        if span not in self._large:
            self._large[span] = list(members(self.text, span))
        return self._large[span]


@dataclass(frozen=True, slots=True)
class _Record:
    start: int
    value: Object


@dataclass(frozen=True, slots=True)
class _NoRecord:
    """Where something stands that can't be read or is no record, and why."""

    start: int
    why: str
    kind: Trouble = Trouble.MALFORMED
    keys: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What was found instead of records."""

    keys: tuple[str, ...] = ()
    faults: int = 0
    count: int = 0

    def add(self, found: _NoRecord) -> None:
        """Remember the keys of the first object, and count what is malformed."""
        self.keys = self.keys or found.keys
        self.faults += found.kind is Trouble.MALFORMED
        self.count += 1

    def said(self, first_fault: str) -> str:
        """What to tell of a file without records."""
        if self.keys:
            return f"objects with other keys: {', '.join(self.keys[:40])}"
        if self.faults:
            return f"nothing that can be read as JSON ({first_fault})"
        return "no object"


def _found(file: _File) -> Iterator[_Record | _NoRecord]:
    for span in everything(file.text):
        yield from _of(file, span, 0)


def _of(file: _File, span: Span, depth: int) -> Iterator[_Record | _NoRecord]:
    """The records that a value is or holds."""
    sign = file.text[span.start : span.start + 1]
    if sign == "[" and depth < _DEPTH:
        for element in elements(file.text, span):
            yield from _of(file, element, depth + 1)
    elif sign == "{":
        yield from _of_object(file, span, depth)
    elif span.fault:
        yield _NoRecord(span.start, f"not valid JSON: {span.fault}")
    else:
        yield _NoRecord(span.start, f"{file.text[span.start : min(span.end, span.start + 40)]!r}, where a record was expected", Trouble.NOT_A_PAPER)


def _of_object(file: _File, span: Span, depth: int) -> Iterator[_Record | _NoRecord]:
    try:
        value = _decoded(file, span)
    except Malformed as error:
        lists = [inner for inner in _lists_within(file, span, depth) if file.text[inner.start] == "["]
        for inner in lists:
            yield from _of(file, inner, depth + 1)
        # a list that is cut off has said so itself
        if not any(inner.fault for inner in lists):
            yield _NoRecord(span.start, f"not valid JSON: {error.why}{_where(file, span, error)}")
        return
    if value is not None and _is_record(file, value) and not _is_envelope(file, span, value, depth):
        yield from _record(file, span, value)
        return
    if lists := _lists_within(file, span, depth):
        for inner in lists:
            yield from _of(file, inner, depth + 1)
        return
    keys = tuple(value) if value is not None else tuple(key for key, _ in file.members(span))
    why = f"neither a title nor an abstract among the keys {', '.join(keys[:20])}" if keys else "an empty object"
    yield _NoRecord(span.start, why, Trouble.NOT_A_PAPER, _paths(value) if value else keys)


def _decoded(file: _File, span: Span) -> Object | None:
    """The object; None if it is too large to be one record, by its size and its keys. Raises Malformed."""
    if span.fault:
        raise Malformed(span.fault, span.start)
    if span.end - span.start > _SMALL and not any(map(_is_telling, (key for key, _ in file.members(span)))):
        return None
    value = decode(file.text, span)
    return value if isinstance(value, dict) else None


def _is_telling(key: str) -> bool:
    said = meaning(key)
    return said is not None and said.field in ("title", "abstract") and said.certainty < Certainty.LAST_RESORT


def _where(file: _File, span: Span, error: Malformed) -> str:
    """The line of a fault that is further down than the record's first line."""
    below = _newlines(file.text, span.start, min(error.at, span.end))
    return f" ({below} {'line' if below == 1 else 'lines'} below)" if below else ""


def _is_record(file: _File, value: Object) -> bool:
    by_hand = [file.mapping[field] for field in ("title", "abstract") if field in file.mapping]
    if by_hand:
        return any(json_fields.at(value, path) is not None for path in by_hand)
    return json_fields.has_title_or_abstract(json_fields.unwrapped(value))


def _is_envelope(file: _File, span: Span, value: Object, depth: int) -> bool:
    """Is it a list of works that has a title itself, such as a reading list? It has nothing else that a work has."""
    if json_fields.is_surely_work(json_fields.unwrapped(value)):
        return False
    lists = {key for key, inner in value.items() if isinstance(inner, list) and inner and isinstance(inner[0], dict)} - _NO_RECORDS
    return any(key in lists and _holds_records(file, inner, depth) for key, inner in file.members(span)) if lists else False


def _record(file: _File, span: Span, value: Object) -> Iterator[_Record | _NoRecord]:
    """A record, and the papers that it cites or that cite it, if they come with abstracts."""
    if str(value.get("itemType") or "") in _NO_PAPERS:
        yield _NoRecord(span.start, f"{value['itemType']} of another item", Trouble.NOT_A_PAPER, tuple(value))
        return
    if value.get("replyto") and "content" in value:
        yield _NoRecord(span.start, "a review or a comment on another note", Trouble.NOT_A_PAPER, tuple(value))
        return
    yield _Record(span.start, value)
    if any(_are_records(value.get(key)) for key in _CITED):
        for key, inner in file.members(span):
            if key in _CITED and _are_records(value[key]):
                yield from _cited(file, inner)


def _are_records(value: Value) -> bool:
    return isinstance(value, list) and any(isinstance(part, dict) and "abstract" in part and "title" in part for part in value)


def _cited(file: _File, span: Span) -> Iterator[_Record | _NoRecord]:
    for element in elements(file.text, span):
        value = decode(file.text, element)
        if isinstance(value, dict):
            yield _Record(element.start, value)


# ------------------------------------------------------------------------------------------------------------------------ lists within


def _lists_within(file: _File, span: Span, depth: int) -> list[Span]:
    """The lists of records nearest to the top, and if there are none, the objects that are records."""
    if depth >= _DEPTH:
        return []
    lists, objects = [], []
    for key, inner in file.members(span):
        sign = file.text[inner.start : inner.start + 1]
        if key in _NO_RECORDS:
            continue
        if sign == "[" and _holds_records(file, inner, depth + 1):
            lists.append(inner)
        elif sign == "{":
            objects.append(inner)
    if lists:
        return lists
    records = [inner for inner in objects if _looks_like_record(file, inner)]
    nested = [found for inner in objects if inner not in records for found in _lists_within(file, inner, depth + 1)] if len(records) < 2 else []
    return nested or records


def _holds_records(file: _File, span: Span, depth: int) -> bool:
    """Are there records among the first elements of a list?"""
    if depth >= _DEPTH:
        return False
    for count, element in enumerate(elements(file.text, span)):
        if count >= _TRIED:
            break
        if _looks_like_record(file, element):
            return True
        sign = file.text[element.start : element.start + 1]
        if sign == "{" and _lists_within(file, element, depth + 1):
            return True
        if sign == "[" and _holds_records(file, element, depth + 1):
            return True
    return False


def _looks_like_record(file: _File, span: Span) -> bool:
    """Is the value a record, or one that can't be read?"""
    if file.text[span.start : span.start + 1] != "{":
        return False
    try:
        value = _decoded(file, span)
    except Malformed:
        return any(_is_telling(key) for key, _ in file.members(span))
    return value is not None and _is_record(file, value)


# ---------------------------------------------------------------------------------------------------------------------------- messages


def _paths(value: Object) -> tuple[str, ...]:
    """The keys of an object, and those one level down.

    >>> _paths({"id": 1, "meta": {"name": "x"}, "tags": [{"tag": 1}]})
    ('id', 'meta.name', 'tags.tag')
    """
    found: list[str] = []
    for key, inner in value.items():
        part = inner[0] if isinstance(inner, list) and inner else inner
        found += [f"{key}.{name}" for name in list(part)[:8]] if isinstance(part, dict) and part else [key]
    return tuple(dict.fromkeys(found))


def _keys(file: _File) -> list[str]:
    first = next((found for found in _found(file) if isinstance(found, _Record)), None)
    return list(_paths(first.value))[:40] if first else []


def _raw(line: int, found: _Record, mapping: Mapping[str, str]) -> Raw:
    value = json_fields.unwrapped(found.value)
    by_hand = {field: path for field, path in mapping.items() if json_fields.at(value, path) is not None}
    if len(by_hand) < len(mapping):
        # a path from the top of the record, where what is wrapped has been merged
        value = {**value, **{path: inner for path in mapping.values() if (inner := json_fields.at(found.value, path)) is not None}}
    return Raw(line, json_fields.fields_of(value, mapping), "plain", json_fields.key_of(value))


def _newlines(text: str, start: int, end: int) -> int:
    """Line ends between two places: LF, CR LF and CR, each one."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


@dataclass(slots=True)
class _Lines:
    """The line of a place, counted on from the place before, so that all together take one pass."""

    text: str
    position: int = 0
    line: int = 1

    def at(self, position: int) -> int:
        """The line of a place, from 1."""
        if position >= self.position:
            self.line += _newlines(self.text, self.position, position)
        else:
            self.line -= _newlines(self.text, position, self.position)
        self.position = position
        return self.line


# ------------------------------------------------------------------------------------------------------------------------------ claims

_BEGINS = re.compile(r'[\s\x1e\ufeff]*+(?:\[\s*+)*+(?:\{\s*+(?:"[^"\n]{0,200}"\s*+:|\}\s*+[\]}\s]*+\Z)|\]\s*+\Z)')


def _claims(head: str) -> bool:
    """Does it begin as an object of JSON, or a list of them, does?"""
    return _BEGINS.match(head) is not None


FORMAT = Format("JSON", (".json", ".jsonl", ".ndjson", ".jsonlines"), _claims, read)
"""JSON, JSON Lines, and JSON texts one after the other."""
