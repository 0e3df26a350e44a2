"""From a model's text, as it streams in, to sentences with the sources that they cite.

`rag_qa.answering.markers` says what a marker is and what a text is without them; this module says which sentence a marker belongs to and when a
sentence is finished.

- A marker belongs to the sentence that it stands in, and behind a full stop to the sentence before it: "It is fast. [1] Next" cites for "It is
  fast." At the beginning of a line it belongs to the sentence behind it; a text that begins with a marker has them all in front: "[1] It is fast. [2]
  It is good."
- A sentence is finished when the first word of the next one is complete, since only then it is known that no marker follows and that the full
  stop was none of an abbreviation. So what is finished never changes.
- The parser looks at its text at fixed places, after every white space, however the text arrives: any cutting of the text into pieces gives the
  same sentences.
- A line that announces a list of references ("References:") ends the text: the list of sources is ours to write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rag_qa import text as texts
from rag_qa.answering import markers


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence without its markers. `numbers`: the sources that it cites, as the model was given them, in the order of the text, once each.

    `removed`: markers for sources that do not exist, each as [n].
    """

    text: str
    numbers: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()


class Numbering:
    """Numbers in reading order, from 1 without a gap.

    >>> numbering = Numbering()
    >>> numbering.renumber((5, 2)), numbering.renumber((2, 7)), numbering.order
    ((1, 2), (2, 3), [5, 2, 7])
    """

    def __init__(self) -> None:
        self._new: dict[int, int] = {}

    def renumber(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """The new numbers of old ones, given out at their first use."""
        return tuple(self._new.setdefault(number, len(self._new) + 1) for number in numbers)

    @property
    def order(self) -> list[int]:
        """The old numbers in the order of the new ones."""
        return list(self._new)


def parse(text: str, sources: Collection[int]) -> list[Cited]:
    """All sentences of a whole text.

    >>> parse("DP-CATE is private [2]. It is fast. [1, 9]", {1, 2})
    [Cited(text='DP-CATE is private.', numbers=(2,), removed=()), Cited(text='It is fast.', numbers=(1,), removed=('[9]',))]
    """
    parser = CitationParser(sources)
    return [*parser.feed(text), *parser.close()]


_REFERENCES = re.compile(
    r"(?:^|\n)[ \t]*(?:#+[ \t]*)?\**(?:references|sources|citations|bibliography|works cited)\**[ \t]*:?\**[ \t\r]*\n", re.IGNORECASE
)
_REFERENCES_AT_END = re.compile(_REFERENCES.pattern.removesuffix(r"\n") + r"$", re.IGNORECASE)
# What may turn out to be a marker, or the introduction of one.
_OPENING = re.compile(r"[\s*_\\]*[\[(（【［〔<]")
_INTRODUCING = re.compile(r"\s*\**(?:sources?|references?|citations?|refs?\.?)(?:[\W\d_]|and|or)*$", re.IGNORECASE)
_LONGEST_MARKER = 80
_OPEN_REGION = re.compile(r"`|\$(?=\S)|\\[(\[]")
_PARENTHESIS = 300  # how far the sentence splitter looks for the end of a parenthesis
_LONGEST_REGION = 200
_ENDS = frozenset(".!?…。！？\n")
_MOST_WAITING = 1500  # a text in which no sentence ends for so long is looked at more seldom
_SELDOM = 97
_LONGEST_OPENER = 40  # a first word longer than this is not waited for


class CitationParser:
    """Takes a text in pieces and gives its finished sentences; `sources` are the numbers that may be cited."""

    def __init__(self, sources: Collection[int]) -> None:
        self._sources = sources
        self._text = ""
        self._start = 0
        self._is_over = False
        self._leads = False
        self._may_end = False

    def feed(self, piece: str) -> list[Cited]:
        """The sentences that this piece finishes."""
        return [sentence for char in piece for sentence in self._take_in(char)]

    def close(self) -> list[Cited]:
        """The sentences that are left when the text is over."""
        if self._is_over:
            return []
        self._is_over = True
        if heading := _REFERENCES_AT_END.search(self._text, self._start):
            self._text = self._text[: heading.start()]
        clean = markers.clean(self._text, self._sources, self._start, leads=self._leads)
        return list(_sentences(clean, _spans(clean)))

    def _take_in(self, char: str) -> list[Cited]:
        if self._is_over:
            return []
        self._text += char
        self._may_end = self._may_end or char in _ENDS
        # white space ends a word; a full stop of a script without blanks ends a sentence by itself
        if not self._may_end or not (char.isspace() or self._text[-2:-1] in ("。", "！", "？")):
            return []
        if char == "\n" and (heading := _REFERENCES.search(self._text, self._start)):
            self._text = self._text[: heading.start()]
            return self.close()
        waiting = len(self._text) - self._start
        return self._finished() if waiting < _MOST_WAITING or waiting % _SELDOM == 0 else []

    def _finished(self) -> list[Cited]:
        """The first sentence of what is left, if it is finished."""
        clean = markers.clean(self._text, self._sources, self._start, leads=self._leads)
        spans = _spans(clean)
        if len(spans) < 2 or not _is_settled(clean, spans[0], spans[1]):
            return []
        next_start = _raw_start(clean, spans[0], spans[1])
        if _may_become_marker(self._text[next_start:]) or _has_open_region(self._text[self._start : next_start]):
            return []
        self._start, self._leads = next_start, clean.leads
        self._may_end = any(char in _ENDS for char in self._text[next_start:])
        return [next(_sentences(clean, spans))]


def _spans(clean: markers.Clean) -> list[texts.Span]:
    """The sentences; what holds no letter and no digit is none."""
    return [span for span in texts.sentences(clean.masked) if any(char.isalnum() for char in clean.text[span.start : span.end])]


def _is_settled(clean: markers.Clean, first: texts.Span, second: texts.Span) -> bool:
    """Will the splitter end the first sentence here whatever comes?"""
    begun = clean.masked[second.start :]
    if not (re.search(r"\s", begun) or len(begun) > _LONGEST_OPENER or clean.masked[first.end - 1] in "。！？"):
        return False
    sentence = clean.masked[first.start : first.end]
    return sentence.count("(") <= sentence.count(")") or len(clean.masked) > first.end + _PARENTHESIS


def _may_become_marker(begun: str) -> bool:
    """Does a text begin with brackets that are not closed yet, or with "Sources:"?"""
    if _INTRODUCING.match(begun):
        return True
    opened, closed = (sum(begun.count(char) for char in chars) for chars in ("[(（【［〔<", "])）】］〕>"))
    return bool(_OPENING.match(begun)) and opened > closed and len(begun) < _LONGEST_MARKER and "\n" not in begun


def _has_open_region(text: str) -> bool:
    """Has code or maths begun that has not ended?"""
    closed = markers.regions(text)
    begun = [match.start() for match in _OPEN_REGION.finditer(text) if not any(a <= match.start() < b for a, b in closed)]
    return any(len(text) - at < _LONGEST_REGION and "\n" not in text[at:] for at in begun)


def _raw_start(clean: markers.Clean, first: texts.Span, second: texts.Span) -> int:
    """Where in the raw text the second sentence begins, with the markers in front that belong to it."""
    ahead = [placed.marker.start for placed in clean.placed if placed.forward and first.end <= placed.at <= second.start]
    return min([clean.raw[second.start], *ahead])


def _sentences(clean: markers.Clean, spans: Sequence[texts.Span]) -> Iterator[Cited]:
    # a marker never belongs to an earlier sentence than the marker before it
    owners = list(accumulate((_owner(placed, spans) for placed in clean.placed), max))
    for i, span in enumerate(spans):
        own = [placed.marker for placed, owner in zip(clean.placed, owners, strict=True) if owner == i]
        numbers = tuple(dict.fromkeys(n for marker in own for n in marker.numbers))
        removed = tuple(dict.fromkeys(name for marker in own for name in marker.removed))
        yield Cited(clean.text[span.start : span.end], numbers, removed)


def _owner(placed: markers.Placed, spans: Sequence[texts.Span]) -> int:
    """The number of the sentence that a marker belongs to."""
    if placed.forward:
        return next((i for i, span in enumerate(spans) if span.end > placed.at), len(spans) - 1)
    return max((i for i, span in enumerate(spans) if span.start < placed.at), default=0)
