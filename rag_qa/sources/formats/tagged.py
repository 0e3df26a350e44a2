"""What the line-tagged formats (RIS, MEDLINE, Web of Science, Refer) share: records of tagged values, and text that stands in no record.

Own code, since the libraries lose records: rispy 0.10 takes a record without ER and the next one for one, says nothing of a record without TY or of
one that is cut off, keeps the first of two abstracts, and dies on a Web of Science tag that it does not know; nbib 0.3 gives up the whole file at one
odd line and drops the abstracts in other languages and the notices of retraction. Neither knows the line of a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rag_qa.sources.reader import Problem, Trouble

BLANKS = "".join(map(chr, range(33))) + "\x7f\x85\xa0\u200b\u200e\ufeff"
"""Characters that leave a line empty: white space, control characters such as the end-of-file mark of DOS, byte order marks between joined files."""

STARTS = {
    "RIS": re.compile(r"^[ \t\ufeff]{0,9}TY[ \t\xa0]{0,4}[-–—][ \t\xa0]{0,9}(?:[^\W\d][^\n]{0,60})?$", re.M | re.I),
    "MEDLINE": re.compile(r"^[ \t\ufeff]{0,9}(?:PMID ?- ?\d+|OWN {1,2}- ?ERIC)[ \t]*$", re.M),
    "Web of Science": re.compile(r"^[ \t\ufeff]{0,9}PT [A-Z][ \t]*$", re.M),
    "Refer": re.compile(r"^[ \t\ufeff]{0,9}%0(?: [^\n]*)?$", re.M),
    "BibTeX": re.compile(r"^[ \t\ufeff]{0,9}@[A-Za-z]+\s{0,3}[{(]", re.M),
}
"""How a record of each format begins: for what a file holds of another one."""

_HEADING = re.compile(r"FN (?:ISI|Clarivate|Thomson|Web of)\b")

_PREFACE = 30
"""So many lines of another kind may stand before the first record (who exported it, and when)."""
_SAMPLE = 300
_NOISE = re.compile(
    r"(?:(?:Provider|Database|Content|Source|Export(?:ed)?|Date|Link to (?:the )?[\w ]{1,40})\s*:|Record #\d+ of \d+|<?\d+\.?\s*>?$"
    r"|[\W_]+$|(?:https?|ftp)://\S+$|EF$|(?:FN|VR) |[%#*] |</?pre>$)",
    re.I,
)
"""What databases write between records: headings, record numbers, links, rules, comments."""


_DOI = re.compile(r"(?:doi:?\s{0,9}|(?:https?:)?//(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.I)
_PERSON = re.compile(r"(?:&#?\w{1,10};|[^;])+")
_ADDRESS = re.compile(r"\s*(?:https?:|ftp:|www\.|//)", re.I)


@dataclass(slots=True)
class Value:
    """What stands under one tag: the rest of its line, and the lines that continue it."""

    tag: str
    line: int
    lines: list[str]


@dataclass(slots=True)
class Record:
    """A record as it is being read. `line`: where it begins. `repairs`: (line, what was put right)."""

    line: int
    values: list[Value] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    repairs: list[tuple[int, str]] = field(default_factory=list)

    def add(self, tag: str, line: int, text: str) -> None:
        """Begin another value."""
        self.values.append(Value(tag, line, [text]))
        self.tags.add(tag)

    def extend(self, text: str, *, blank_lines: int = 0) -> None:
        """Continue the last value."""
        self.values[-1].lines += [""] * blank_lines + [text]

    def has(self, *tags: str) -> bool:
        """Is any of the tags there, even without a value?"""
        return not self.tags.isdisjoint(tags)

    def texts(self, *tags: str, joint: str = "\n") -> list[str]:
        """The values under the first of the tags, then those under the second...: what is preferred comes first. Empty ones are left out."""
        return [text for tag in tags if tag in self.tags for value in self.values if value.tag == tag and (text := joined(value, joint))]

    def in_order(self, *tags: str, joint: str = "\n") -> list[str]:
        """The values under any of the tags, as they follow each other in the file."""
        return [text for value in self.values if value.tag in tags and (text := joined(value, joint))]


def joined(value: Value, joint: str = "\n") -> str:
    """A value with the lines that continue it.

    >>> joined(Value("TI", 1, ["On tides ", "      and winds"]), " ")
    'On tides and winds'
    """
    return joint.join(line.strip(BLANKS) for line in value.lines).strip(BLANKS)


def fields_of(known: Mapping[str, Sequence[str]], record: Record, names: Mapping[str, str], used: frozenset[str], joint: str) -> dict[str, list[str]]:
    """The fields of a Raw: `known` without the empty ones and repetitions, then what stands under tags that are not in `used`, by their names."""
    fields = {name: list(dict.fromkeys(filter(None, texts))) for name, texts in known.items() if any(texts)}
    for value in record.values:
        text = "" if value.tag in used else joined(value, joint)
        if text:
            fields.setdefault(names.get(value.tag, value.tag.lower()), []).append(text)
    return fields


def by_hand(fields: dict[str, list[str]], record: Record, mapping: Mapping[str, str], joint: str) -> dict[str, list[str]]:
    """The fields, those that a person mapped to a tag by hand taken from there."""
    chosen = {name: record.texts(own.strip().lstrip("%").upper(), joint=joint) for name, own in mapping.items()}
    return {**fields, **{name: texts for name, texts in chosen.items() if texts}}


def starts(line: str, *, except_: str) -> str | None:
    """The format of which a record begins on this line, unless it is `except_`.

    >>> starts("@article{a,", except_="RIS")
    'BibTeX'
    """
    return next((name for name, pattern in STARTS.items() if name != except_ and pattern.match(line)), None)


def leads(head: str, begins: re.Pattern[str], is_tagged: Callable[[str], object], *, least: float = 0.2) -> bool:
    """Does this text begin with a record that `begins` finds, before those of all formats, and have `least` of the lines from there a tag?"""
    head = with_line_feeds(head)
    first = begins.search(head)
    if not first or any((other := pattern.search(head)) and other.start() < first.start() for pattern in STARTS.values()):
        return False
    if sum(bool(line.strip(BLANKS)) for line in head[: first.start()].split("\n")) > _PREFACE:
        return False
    return is_dense(head[first.start() :], is_tagged, least=least)


def leaves(line: str, *, own: str) -> bool:
    """Does something of another format begin on this line: a record, or the heading of a file that was appended?"""
    return starts(line, except_=own) is not None or (own != "Web of Science" and _HEADING.match(line) is not None)


def with_line_feeds(text: str) -> str:
    """The same lines, which end as patterns expect it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_dense(text: str, is_tagged: Callable[[str], object], *, least: float) -> bool:
    """Have at least so many of its first lines a tag?"""
    lines = [line for line in with_line_feeds(text[:65_536]).split("\n") if line.strip(BLANKS)][:_SAMPLE]
    return sum(bool(is_tagged(line)) for line in lines) >= max(1.0, least * len(lines))


@dataclass(slots=True)
class Stray:
    """Text that stands in no record, gathered until a record begins: what databases write there is passed over, and the rest told.

    From where a record of another format begins, everything is taken for that format.
    """

    path: str
    own: str
    foreign: list[tuple[int, str]] = field(default_factory=list)
    text: tuple[int, str] | None = None

    def add(self, number: int, line: str) -> None:
        """Put a line aside."""
        other = starts(line, except_=self.own)
        if other:
            self.foreign.append((number, other))
        elif not self.foreign and not self.text and not _NOISE.match(line.strip(BLANKS)):
            self.text = number, line.strip(BLANKS)

    def problems(self) -> Iterator[Problem]:
        """What was put aside, and forget it."""
        text, foreign = self.text, self.foreign
        self.text, self.foreign = None, []
        if text:
            yield Problem(self.path, text[0], f"text that is in no {self.own} record: {clip(text[1])!r}", Trouble.NOT_A_PAPER)
        for number, other in foreign:
            yield Problem(self.path, number, f"a record in {other} format among {self.own} records: put it into a file of its own to have it read")


def told(path: str, record: Record) -> Iterator[Problem]:
    """What was put right in a record."""
    for line, repair in record.repairs:
        yield Problem(path, line, repair, Trouble.REPAIRED)


def is_isbn(number: str) -> bool:
    """Is this the number of a book, and not of a journal?

    >>> is_isbn("978-3-642-00230-4 (print)"), is_isbn("1932-6208")
    (True, False)
    """
    return re.match(r"(?:97[89]\d{10}|\d{9}[\dXx])(?!\d)", re.sub(r"[\s-]", "", number)) is not None


def is_doi(text: str) -> bool:
    """Is this a DOI and nothing else, in one of the forms in which it is written?

    >>> is_doi("doi: 10.1016/j.neuron.2016.10.006"), is_doi("Neuron 2016, doi: 10.1016/j.neuron.2016.10.006")
    (True, False)
    """
    return _DOI.fullmatch(text) is not None


def people(text: str) -> list[str]:
    """The names in a value, which semicolons divide; the one at the end of an entity divides none.

    >>> people("G&ouml;del, Kurt; Tarski, Alfred")
    ['G&ouml;del, Kurt', 'Tarski, Alfred']
    """
    return [name.strip(BLANKS) for name in _PERSON.findall(text) if name.strip(BLANKS)]


def one_a_line(texts: Sequence[str]) -> list[str]:
    """Keywords of which each line is one; the asterisk of a main heading (PsycInfo, MEDLINE) is no part of the word.

    >>> one_a_line(["*Tides\\nWinds"])
    ['Tides', 'Winds']
    """
    return [word for text in texts for line in text.split("\n") if (word := line.strip(BLANKS + "*"))]


def addresses(texts: Sequence[str]) -> list[str]:
    """The web addresses among the lines of the values."""
    return [line.strip(BLANKS) for text in texts for line in text.split("\n") if _ADDRESS.match(line)]


def clip(text: str) -> str:
    """The beginning of a text, for a message."""
    return text if len(text) <= 60 else text[:57] + "..."
