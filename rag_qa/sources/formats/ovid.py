"""Ovid's own citations (.txt, .cit), of any database there: `<1>` begins a record, and its fields have tags or whole names.

What is read as what:
- In one form a line is `TI  - title`, as in MEDLINE; in the other a line at the left edge is the name of a field and the indented ones under it are
  its value. A record is in the form of its first line.
- A line that is neither continues the value before it, over blank lines too.
- Marks of Ovid's are left out: numbers of institutions and degrees after a name, and the kind of document after a title ("[Review]"), which is the
  type.
- Many databases name the journal in the source line or in a link alone: it is taken from there.
- What the paper cites (RF, References) is left out, with its DOIs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.tagged import Record, Stray
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "Ovid"
_EXPECTED = "records that begin with a line `<1>`"
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}< {0,3}\d+ {0,3}\.? {0,3}>[ \t]*$", re.M)
_TAG = re.compile(r" ?([A-Z][A-Z0-9]{1,5})\s{0,2}-(?:\s+(.*)|)$", re.S)
_KINDS_OF_FIELD = {
    "TI": "title, article title, chapter title", "TT": "original title, vernacular title, translated title", "BT": "book title", "JN": "journal name",
    "SO": "source", "AF": "authors full name, author full name", "AU": "author, authors, author(s)", "AB": "abstract", "DB": "database",
    "KW": "author keywords, keyword heading, key words, keywords, key phrase identifiers, key concepts",
    "MH": "subject headings, mesh subject headings, medical subject headings, index terms, emtree headings", "LG": "language",
    "PT": "publication type, document type", "DO": "doi number, digital object identifier, doi",
    "YR": "year of publication, publication year, year, date of publication, publication date", "IS": "issn, issn print, issn electronic",
    "UI": "unique identifier", "AN": "accession number", "PM": "pubmed id, pmid, pubmed identifier", "CM": "comments, comment", "PB": "publisher",
    "XL": "link to the ovid full text or citation, link to the external link resolver, link to full text", "IN": "institution, institutions",
    "RF": "references, cited references", "ED": "editor, editors, book editors", "AD": "author e-mail, correspondence address",
}  # fmt: skip
_TAGS = {name: tag for tag, names in _KINDS_OF_FIELD.items() for name in names.split(", ")}
_KIND = re.compile(r"(.*[.?!\"'\w\)])\.?\s*\[([A-Z][A-Za-z ,/&:-]{2,40})\]\.?", re.S)
_MARKS = re.compile(r"(?:\s*\[[^\]]*\]|\s+(?:\([\w,*+]{1,6}\)|[\d*+,;#$@^&]+))+$")
_INNER_MARK = re.compile(r";[^\];\n]{0,99}\]")
_DEGREES = re.compile(
    r"(?:[,;]?\s+(?:M\.?D|Ph\.?D|R\.?N|MPH|MSc|BSc|MBBS|FACSM|FAAN|FRCPC?|MS|MA|BA|BS|DVM|DPhil|PharmD|DrPH|EdD|PsyD|ScD|MBA|FACP)\b\.?)+$"
)
_SOURCE_ENDS = re.compile(
    r"\.\s+(?=Vol\b|\d|[A-Z][a-z]+ \d{4}\b)|,?\s+(?=\d+\s?[(,:;])|\.?$|,?\s+(?=(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December|Spring|Summer|Autumn|Fall|Winter)[ /,]+(?:\w+[ /,]+)?(?:19|20)\d\d)"
)
"""Where in "Ecohydrology. 8(6):1048-1064, September 2015." the name of the journal ends."""

_LONGEST = 500
"""Names and sources that are longer are something else."""
_NOTICE = re.compile(r"(?:partial )?(?:retraction|erratum|corrected and republished|expression of concern) (?:in|of|for|from)\b[^\n]*", re.I)
_NAMES = {
    "AD": "affiliation", "AN": "accession", "CM": "comment", "DB": "database", "ED": "editor", "IB": "isbn", "IN": "affiliation", "IP": "issue",
    "IS": "issn", "PB": "publisher", "PG": "pages", "PU": "publisher", "SO": "source", "UI": "id", "VN": "provider", "VO": "volume", "CY": "address",
}  # fmt: skip
_USED = frozenset("TI TT AB AU AF YR DP JN BT DO DI PM KW MH DE ID LG LA PT DT XL RF".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of an Ovid file. Raises SourceError when it holds none."""
    reading = _Reading(document.path)
    is_empty = True
    for found in reading.records(document):
        if isinstance(found, Problem):
            yield found
            continue
        is_empty = False
        yield _raw(found, document.mapping)
    if is_empty:
        raise SourceError(document.path, None, found="no Ovid record", expected=_EXPECTED)


def _tag(line: str) -> tuple[str, str] | None:
    match = _TAG.match(line)
    return (match[1], (match[2] or "").strip(tagged.BLANKS)) if match else None


def _named(line: str) -> tuple[str, str] | None:
    name = line.strip(tagged.BLANKS)
    return None if line[:1] in " \t" or len(name) > 50 else (_TAGS.get(name.lower(), name), "")


@dataclass(slots=True)
class _Reading:
    """Lines -> records."""

    path: str
    record: Record | None = None
    has_names: bool | None = None
    """Does this record have whole names for its fields? None: not seen yet."""
    blank_lines: int = 0
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
        if _BEGINS.match(line):
            yield from self._take()
            self.record, self.has_names = Record(number), None
        elif not self.record or (self.blank_lines and tagged.leaves(line, own=_NAME)):
            yield from self._leave(number, line)
        else:
            self._within(self.record, number, line)

    def _within(self, record: Record, number: int, line: str) -> None:
        if self.has_names is None:
            self.has_names = not _tag(line)
        found = _named(line) if self.has_names else _tag(line)
        if found:
            record.add(found[0], number, found[1])
        elif record.values:
            record.extend(line, blank_lines=self.blank_lines)

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
    titles = record.texts("TI")
    title, kind = _without_kind(titles[0]) if titles and len(titles[0]) < 4 * _LONGEST else ("".join(titles[:1]), "")
    known = {
        "title": [title] if title else [],
        "translated_title": [*titles[1:], *record.texts("TT")],
        "abstract": record.texts("AB"),
        "author": [name for text in (record.texts("AF") or record.texts("AU")) if not text.endswith("[Ed]") for name in _persons(text)],
        "year": record.texts("YR", "DP") or record.texts("SO"),
        "venue": _venues(record),
        "doi": record.texts("DO", "DI") or _from_links(record, r"[?&]id=doi:([^&\s]+)"),
        "pmid": _pmids(record),
        "keyword": tagged.one_a_line(record.texts("KW", "MH", "DE", "ID")),
        "language": [text.rstrip(".") for text in record.texts("LG", "LA")],
        "type": [*([kind] if kind else []), *(text.rstrip(".") for text in record.texts("PT", "DT"))],
        "notice": [found for text in record.texts("CM") for found in _NOTICE.findall(text)],
        "url": tagged.addresses(record.texts("XL")[:1]),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"), "plain", next(iter(record.texts("UI", "AN")), ""))


def _without_kind(title: str) -> tuple[str, str]:
    """A title, and the kind of document that Ovid writes after it.

    >>> _without_kind("Tides of the sea.  [Review]"), _without_kind("[Spiders of Sakhalin.]")
    (('Tides of the sea.', 'Review'), ('[Spiders of Sakhalin.]', ''))
    """
    match = None if title.startswith("[") else _KIND.fullmatch(title)
    if not match:
        return title, ""
    return match[1].strip(), "" if match[2] == "References" else match[2]


def _persons(text: str) -> list[str]:
    """Names without marks and degrees.

    >>> _persons("Verbeek, Jan MD *;  Hermans, Erik MD, PhD 1,2")
    ['Verbeek, Jan', 'Hermans, Erik']
    """
    names = [name.strip(tagged.BLANKS) for name in re.split(r";\s|\n", _INNER_MARK.sub("]", text))]
    return [_without_marks(name) if len(name) < _LONGEST else name for name in names if name]


def _without_marks(name: str) -> str:
    name = _MARKS.sub("", name)
    return _DEGREES.sub("", name).rstrip(" ,;") if "," in name else name


def _venues(record: Record) -> list[str]:
    named = record.texts("JN") or _from_links(record, r"[?&](?:title|stitle)=([^&\s]+)")
    if named:
        return named
    return [venue for text in record.texts("SO") if (venue := _SOURCE_ENDS.split(text[:_LONGEST], maxsplit=1)[0].strip(" ."))] or record.texts("BT")


def _pmids(record: Record) -> list[str]:
    is_medline = any(re.search(r"MEDLINE|PubMed", text, re.I) for text in record.texts("DB"))
    numbers = [text for text in record.texts("UI", "AN") if is_medline and re.fullmatch(r"\d{1,8}", text)]
    return record.texts("PM") or _from_links(record, r"[?&]id=pmid:(\d+)") or numbers


def _from_links(record: Record, pattern: str) -> list[str]:
    found = [unquote_plus(match) for text in record.texts("XL") for match in re.findall(pattern, text)]
    return [text for text in found[:1] if text.strip()]


def _claims(head: str) -> bool:
    lines = [line for line in tagged.with_line_feeds(head[:4000]).split("\n") if line.strip(tagged.BLANKS)][:3]
    if len(lines) < 2 or not _BEGINS.match(lines[0]):
        return False
    return bool(_tag(lines[1])) or (_named(lines[1]) or ("", ""))[0] in _KINDS_OF_FIELD or lines[1].strip() == "Score"


FORMAT = Format(_NAME, (".cit",), _claims, read)
