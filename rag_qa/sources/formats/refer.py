"""Refer, BibIX and EndNote's %-tagged export (.enw, .ref, "EndNote" of many publishers): `%T title`, a tag and a value a line.

What is read as what:
- A tag is % and one character, and a blank or nothing after it; a line without one continues the value before it, over blank lines too. Under %K and
  %U each such line is a value of its own.
- A record begins at %0 (several %0 on end are of one record), at %T or %A after a blank line, and at the tag that began the first record of the file
  when the record has it already: some write %T before %0, some no %0 and some no blank line. In a record without %0 (the Refer of old) any tag after
  a blank line begins the next.
- Nothing ends a record, so nothing tells of a file that was cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.tagged import Record, Stray
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "Refer"
_EXPECTED = "records of lines such as `%0 Journal Article`, `%T title`, `%X abstract`, divided by blank lines"
_TAG = re.compile(r"%([0-9A-Z@!?*+&()\[\]<>~^$=#:])(?:[ \t\xa0]+(.*)|)$", re.S)
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}%[0ABDJT](?:[ \t][^\n]*)?$", re.M)
_REPEATED = frozenset("AEYHQK?U")
"""They stand many times in a record, so that another one begins none."""
_PMCID = re.compile(r"PMC\d+")

_NAMES = {
    "?": "translator", "@": "issn", "(": "original publication", "[": "accessed", "+": "affiliation", "!": "short title", "~": "database",
    "*": "rights", "&": "section", "6": "volumes", "7": "edition", "C": "address", "E": "editor", "F": "label", "H": "translated author",
    "I": "publisher", "L": "call number", "M": "accession", "N": "issue", "O": "note", "P": "pages", "S": "series", "V": "volume", "W": "provider",
    "Y": "series editor", "Z": "note", ">": "file",
}  # fmt: skip
_USED = frozenset("0 9 T Q X A J B D 8 R U K G @ >".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a Refer file. Raises SourceError when it holds none."""
    reading = _Reading(document.path)
    is_empty = True
    for found in reading.records(document):
        if isinstance(found, Problem):
            yield found
            continue
        is_empty = False
        yield _raw(found, document.mapping)
    if is_empty:
        raise SourceError(document.path, None, found="no Refer record", expected=_EXPECTED)


def _tag(line: str) -> tuple[str, str] | None:
    """(character, rest of the line) if the line has a tag.

    >>> _tag("%T On tides"), _tag("%0"), _tag("% of them"), _tag("%T4 cells")
    (('T', 'On tides'), ('0', ''), None, None)
    """
    match = _TAG.match(line.strip(tagged.BLANKS))
    return (match[1], (match[2] or "").strip(tagged.BLANKS)) if match else None


@dataclass(slots=True)
class _Reading:
    """Lines -> records."""

    path: str
    record: Record | None = None
    blank_lines: int = 0
    first: str = ""
    """The tag that began the first record."""
    stray: Stray = field(init=False)

    def __post_init__(self) -> None:
        self.stray = Stray(self.path, _NAME)

    def records(self, document: Document) -> Iterator[Record | Problem]:
        """Records and what is between them, in the order of the file."""
        for number, line in document.lines():
            if not line.strip(tagged.BLANKS):
                self.blank_lines += 1
                continue
            yield from self._line(number, line.lstrip("\ufeff"))
            self.blank_lines = 0
        yield from self._take()

    def _line(self, number: int, line: str) -> Iterator[Record | Problem]:
        if (self.blank_lines or not self.record) and tagged.leaves(line, own=_NAME):
            yield from self._leave(number, line)
        elif found := _tag(line):
            yield from self._tagged(number, *found)
        elif self.record:
            self.record.extend(line, blank_lines=self.blank_lines)
        else:
            self.stray.add(number, line)

    def _tagged(self, number: int, tag: str, rest: str) -> Iterator[Record | Problem]:
        if not self.record or self._begins(self.record, tag):
            yield from self._take()
            self.record = Record(number)
            self.first = self.first or tag
        self.record.add(tag, number, rest)

    def _begins(self, record: Record, tag: str) -> bool:
        """Does another record begin with this tag?"""
        if record.tags == {"0"}:
            return tag == "0" and self.blank_lines > 0
        if record.has(tag) and (tag == "0" or (tag == self.first and tag not in _REPEATED)):
            return True
        return bool(self.blank_lines) and (tag in "0TA" or not record.has("0") or (record.has(tag) and tag not in _REPEATED))

    def _leave(self, number: int, line: str) -> Iterator[Record | Problem]:
        if self.record:
            yield from self._take()
        self.stray.add(number, line)

    def _take(self) -> Iterator[Record | Problem]:
        """The record that is complete, after what stood before it."""
        record, self.record = self.record, None
        yield from self.stray.problems()
        if record:
            yield record


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    titles = record.texts("T")
    numbers = record.texts("@")
    known = {
        "title": titles[:1],
        "translated_title": [*titles[1:], *record.texts("Q")],
        "abstract": record.texts("X"),
        "author": [name for text in record.texts("A") for name in tagged.people(text)],
        "year": record.texts("D", "8"),
        "venue": record.texts("J", "B"),
        "doi": [text for text in record.texts("R") if tagged.is_doi(text)],
        "pmid": _pmids(record),
        "url": tagged.addresses(record.texts("U", ">")),
        "keyword": tagged.one_a_line(record.texts("K")),
        "language": record.texts("G"),
        "type": record.texts("0", "9"),
        "pmcid": [text for text in record.texts("2", "M") if _PMCID.fullmatch(text)],
        "isbn": [number for number in numbers if tagged.is_isbn(number)],
        "issn": [number for number in numbers if not tagged.is_isbn(number)],
        "other id": [text for text in record.texts("R") if not tagged.is_doi(text)],
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"), "plain", next(iter(record.texts("M", "F")), ""))


def _pmids(record: Record) -> list[str]:
    """The accession number of a record that comes from PubMed, as EndNote writes it."""
    is_from_pubmed = any(re.search(r"\b(?:NLM|PubMed|MEDLINE)\b", text, re.I) for text in record.texts("W", "~"))
    return [text for text in record.texts("M") if is_from_pubmed and re.fullmatch(r"\d{1,8}", text)]


def _claims(head: str) -> bool:
    tags = {found[0] for line in tagged.with_line_feeds(head).split("\n")[:200] if (found := _tag(line))}
    return len(tags & set("0ABDJTX")) > 1 and tagged.leads(head, _BEGINS, _tag)


FORMAT = Format(_NAME, (".enw", ".ref"), _claims, read)
