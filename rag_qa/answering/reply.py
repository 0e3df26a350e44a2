"""From a model's reply, as it streams in, to its sentences, whether it is JSON or marked text.

Which of the two a reply is, is seen from its beginning, not from what the server was asked for: models write JSON into text, and text where JSON was
asked for. JSON that turns up later ("Here is the answer: {...") makes what came before it void. Of broken JSON, what can be read counts. Every
decision falls at a fixed letter, so that any cutting of a reply into pieces gives the same sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_qa.answering.citations import CitationParser, Cited, parse


@dataclass(frozen=True, slots=True)
class Restart:
    """What came so far was not the answer."""


Found = Cited | Restart

_FENCE = r"\s*(?:```\w*\s*)?"
_JSON = re.compile(rf'{_FENCE}(?:\[\s*)?\{{\s*["}}]')
_MAY_BE_JSON = re.compile(rf"{_FENCE}(?:`{{0,2}}|\[?\s*\{{?\s*)")
_LATE_JSON = re.compile(r'(?:\[\s*)?\{\s*"(?:sentences|missing)"\s*:$')
_LATEST = 60  # as long as the match of _LATE_JSON may be


class ReplyReader:
    """Takes a reply in pieces and gives its finished sentences; `sources` are the numbers that may be cited.

    >>> reader = ReplyReader({1, 2})
    >>> reader.feed('{"sentences": [{"text": "It is fast.", "sources": [2]}, {"text": "It')
    [Cited(text='It is fast.', numbers=(2,), removed=())]
    >>> reader.close(), reader.is_torn
    ([], True)
    """

    def __init__(self, sources: Collection[int]) -> None:
        self._sources = sources
        self._begun = ""
        self._text: CitationParser | None = None
        self._json: _JsonReader | None = None

    @property
    def is_torn(self) -> bool:
        """Is a part of it unreadable, because JSON broke off or is no JSON?"""
        return self._json is not None and self._json.is_torn

    @property
    def missing(self) -> str:
        """What the reply says that is missing, where it has a place of its own for that; known when it is over."""
        return self._json.missing if self._json else ""

    def feed(self, piece: str) -> list[Found]:
        """What this piece finishes."""
        return [found for char in piece for found in self._take_in(char)]

    def close(self) -> list[Found]:
        """What is left when the reply is over."""
        found: list[Found] = []
        if self._json is None and self._text is None:
            found += self._as_text()
        if self._text is not None:
            found += self._text.close()
        if self._json is not None:
            found += self._json.close()
        return found

    def _take_in(self, char: str) -> Sequence[Found]:
        if self._json is not None:
            return self._json.feed(char)
        self._begun += char
        if self._text is None:
            return self._decide()
        self._begun = self._begun[-_LATEST:]
        if char == ":" and (late := _LATE_JSON.search(self._begun)):
            self._text = None
            return [Restart(), *self._as_json(late.group())]
        return self._text.feed(char)

    def _decide(self) -> Sequence[Found]:
        if _JSON.fullmatch(self._begun):
            return self._as_json(self._begun)
        return [] if _MAY_BE_JSON.fullmatch(self._begun) else self._as_text()

    def _as_json(self, begun: str) -> list[Cited]:
        self._json = _JsonReader(self._sources)
        return [found for char in begun for found in self._json.feed(char)]

    def _as_text(self) -> list[Cited]:
        self._text = CitationParser(self._sources)
        return self._text.feed(self._begun)


class _JsonReader:
    """Reads the objects of a JSON text as they are closed: each innermost one with a text is a sentence, and the outermost says what is missing."""

    def __init__(self, sources: Collection[int]) -> None:
        self.missing = ""
        self._sources = sources
        self._text = ""
        self._open: list[int] = []
        self._in_string = self._is_escaped = False
        self._has_sentences = self._is_unreadable = False

    @property
    def is_torn(self) -> bool:
        return bool(self._open) or self._in_string or self._is_unreadable

    def feed(self, char: str) -> list[Cited]:
        self._text += char
        if self._in_string:
            self._in_string = self._is_escaped or char != '"'
            self._is_escaped = char == "\\" and not self._is_escaped
        elif char == '"':
            self._in_string = bool(self._open)  # outside of all objects stands nothing that counts
        elif char == "{":
            self._open.append(len(self._text) - 1)
        elif char == "}" and self._open:
            return self._closed(self._text[self._open.pop() :])
        return []

    def close(self) -> list[Cited]:
        """What is whole in an object that was broken off, if it is known what it cites."""
        begun = _BEGUN.match(self._text[self._open[-1] :]) if self._open else None
        if begun is None:
            return []
        sentences = list(of_object(_unescaped(begun["text"]), begun["sources"], self._sources))
        return sentences if begun["end"] else sentences[:-1]

    def _closed(self, raw: str) -> list[Cited]:
        try:
            value = json.loads(raw, strict=False)
        except (ValueError, RecursionError):
            # an outer object that is no JSON takes nothing away from the sentences that were read in it
            self._is_unreadable = self._is_unreadable or raw.count("{") == 1 or not self._has_sentences
            return []
        if not isinstance(value, dict):
            return []
        if isinstance(value.get("missing"), str):
            self.missing = " ".join(cited.text for cited in parse(value["missing"], ()))
        if (said := _first(value, _TEXT)) is not None:
            self._has_sentences = True
            return list(of_object(said, _first(value, _SOURCES, kind=object), self._sources))
        if self._open or self._has_sentences:
            return []
        return [cited for said in _strings(value) for cited in parse(said, self._sources)]


_STRING = r'(?:[^"\\]|\\.)*'
_BEGUN = re.compile(rf'\{{\s*"sources"\s*:\s*(?P<sources>\[[^\]]*\])\s*,\s*"text"\s*:\s*"(?P<text>{_STRING})(?P<end>"?)', re.DOTALL)


def _unescaped(raw: str) -> str:
    """The inside of a JSON string, which may be broken off in the middle of an escape."""
    for cut in range(7):
        try:
            return str(json.loads(f'"{raw[: len(raw) - cut]}"', strict=False))
        except ValueError:
            continue
    return ""


_TEXT = ("text", "sentence", "claim")
_SOURCES = ("sources", "source", "citations", "abstracts")


def _first(value: Mapping[str, Any], names: Sequence[str], kind: type = str) -> Any:
    """What an object holds under the first of these names; models do not always take ours."""
    return next((value[name] for name in names if name in value and isinstance(value[name], kind)), None)


def of_object(said: str, given: object, sources: Collection[int]) -> Iterator[Cited]:
    """The sentences of one text. Those that hold no marker of their own cite what is given beside it."""
    numbers, removed = _numbers(given, sources)
    for cited in parse(said, sources):
        yield cited if cited.numbers or cited.removed else Cited(cited.text, numbers, removed)


def _numbers(given: object, sources: Collection[int]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Of numbers, or texts that hold numbers: those of sources, once each, and the others as markers."""
    written = [str(one) for one in (given if isinstance(given, list) else [given]) if isinstance(one, int | str) and not isinstance(one, bool)]
    found = dict.fromkeys(number for one in written for number in re.findall(r"-?\d+", one))
    known = [int(number) for number in found if len(number) < 9 and int(number) in sources]
    return tuple(dict.fromkeys(known)), tuple(f"[{number}]" for number in found if len(number) >= 9 or int(number) not in sources)


def _strings(value: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an object that has no sentences as we asked for them: {"answer": "It is fast [1]."}, {"sentences": ["It is fast [1]."]}."""
    for name in ("sentences", "answer", "response", "content"):
        found = value.get(name)
        yield from (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str))
