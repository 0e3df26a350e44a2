"""Web of Science's own format (.ciw, .isi, .txt), also for the databases beside it: PT begins a record, ER ends it, indented lines continue a value.

What is read as what:
- A tag is two capitals or digits at the beginning of a line, and a blank. Lines are joined by one blank, since they are broken at blanks; in a list
  of persons each line is one.
- Some copies have lost the indentation. There a line is a tag only if it is one that is known and that the record does not have yet: the format
  writes a tag once.
- A record ends at ER, at the next PT, at EF or with the file; what is missing of PT and ER is told.
- AF, full names, stand for AU where they are as many. AB and the abstracts in other languages (X4, Y4: SciELO; Z4: KCI, CSCD) are all given.
- CR, what the paper cites, is left out, and so are the DOIs in it. D2 is the DOI of the book, not of the chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.tagged import Record, Stray, Value
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "Web of Science"
_EXPECTED = "records that begin with a line `PT J` and end with a line `ER`"
_KNOWN = frozenset(
    "AA AB AC AD AE AF AN AR AU AW BA BD BE BF BH BN BP BR BS C1 C2 C3 CA CC CH CI CL CN CO CR CT CY D2 DA DE DG DI DS DT EA EC EF EI EM EP ER EY FN "
    "FT FU FX GA GE GI GP HC HO HP ID IP IS J9 JI LA LD LS MA MC MI MQ NM NR NT OA OI OR P2 PA PC PD PG PI PL PM PN PS PT PU PV PY RC RG RI RN RP S1 "
    "SA SC SD SE SI SN SO SP SS ST SU TA TC TI TM TN U1 U2 UR UT VL VR WC WE X1 X4 X5 Y1 Y4 Y5 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 Z9 ZA ZB ZR ZS".split()
)
_TAG = re.compile(r"([A-Z][A-Z0-9])(?:[ \xa0]+(.*)|)$", re.S)
_FIRST = frozenset("AU TI UT AN DT SO AF".split())
"""With one of them a record may begin that has lost its PT."""

_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}(?:FN [^\n]{3,80}|VR \d[\d.]*|PT [A-Z][ \t]*)$", re.M)
_KINDS = {"J": "Journal", "B": "Book", "S": "Book in series", "P": "Patent", "C": "Conference"}
_MARKS = re.compile(r"\s*(?:\[[^\]]*\]|\([^()]*@[^()]*\))")
"""What BIOSIS and Zoological Record write after a name: "[Reprint Author]", "(a.stillman@uconn.edu)"."""
_LONGEST_NAME = 500
_DOI_OF_INSPEC = re.compile(r"\[(10\.\d{4,9}/[^\]\s]+)\]")

_NAMES = {
    "AN": "accession", "AR": "article number", "BE": "editor", "BN": "isbn", "C1": "affiliation", "C3": "affiliation", "CL": "conference place",
    "CT": "conference", "CY": "conference date", "D2": "book doi", "EI": "eissn", "EM": "email", "FU": "funding", "FX": "funding text",
    "HO": "conference host", "IS": "issue", "MA": "meeting abstract", "NT": "note", "OA": "open access", "OI": "orcid", "OR": "organism",
    "PG": "page count", "PI": "publisher city", "PN": "number", "PU": "publisher", "RI": "researcher id", "RP": "reprint address",
    "SC": "research area", "SE": "series", "SI": "special issue", "SN": "issn", "SP": "sponsor", "SU": "supplement", "TC": "times cited",
    "UT": "id", "VL": "volume", "WC": "category", "DA": "exported", "NR": "references",
}  # fmt: skip
_USED = frozenset(
    "PT ER EF FN VR CR AB X4 Y4 Z4 TI FT X1 Y1 Z1 AU AF BA BF CA GP SO JI J9 Z3 PY EY EA PD DI PM DE ID X5 Y5 Z5 DT LA BP EP PS UR TA".split()
)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a Web of Science file. Raises SourceError when it holds none."""
    reading = _Reading(document.path)
    is_empty = True
    for found in reading.records(document):
        if isinstance(found, Problem):
            yield found
            continue
        is_empty = False
        yield from tagged.told(document.path, found)
        yield _raw(found, document.mapping)
    if is_empty:
        raise SourceError(document.path, None, found="no Web of Science record", expected=_EXPECTED)


def _tag(line: str) -> tuple[str, str] | None:
    match = _TAG.match(line.rstrip(tagged.BLANKS))
    return (match[1], (match[2] or "").strip(tagged.BLANKS)) if match else None


@dataclass(slots=True)
class _Reading:
    """Lines -> records."""

    path: str
    record: Record | None = None
    blank_lines: int = 0
    is_flush: bool | None = None
    """Has this file lost its indentation? None: not seen yet."""
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
        yield from self._miss_end("this record has no end (ER): the file may have been cut off")
        yield from self.stray.problems()

    def _line(self, number: int, line: str) -> Iterator[Record | Problem]:
        found = _tag(line)
        if (self.blank_lines or not self.record) and tagged.leaves(line, own=_NAME):
            yield from self._miss_end(f"this record has no end (ER): something else begins at line {number}")
            self.stray.add(number, line)
        elif self.record and (not found or not self._is_tag(self.record, found[0])):
            self._continue(self.record, line)
        elif found:
            yield from self._tagged(number, *found, line)
        else:
            self.stray.add(number, line)

    def _is_tag(self, record: Record, tag: str) -> bool:
        if tag in ("PT", "ER", "EF") or self.is_flush is False:
            return True
        return not record.has(tag) and (tag in _KNOWN or not self.is_flush)

    def _continue(self, record: Record, line: str) -> None:
        if self.is_flush is None or line[:1] in " \t":
            self.is_flush = line[:1] not in " \t"
        record.extend(line)

    def _tagged(self, number: int, tag: str, rest: str, line: str) -> Iterator[Record | Problem]:
        if tag == "PT":
            yield from self._miss_end(f"this record has no end (ER): the next one begins at line {number}")
            yield from self.stray.problems()
            self.record = Record(number)
            self.record.add(tag, number, rest)
        elif tag == "ER":
            yield from self._end()
        elif tag == "EF":
            yield from self._miss_end(f"this record has no end (ER): the file says that it ends at line {number}")
        elif self.record:
            self.record.add(tag, number, rest)
        elif tag in _FIRST and not self.stray.foreign:
            yield from self.stray.problems()
            self.record = Record(number, repairs=[(number, "this record has no beginning (PT)")])
            self.record.add(tag, number, rest)
        else:
            self.stray.add(number, line)

    def _end(self) -> Iterator[Record | Problem]:
        record, self.record = self.record, None
        if record:
            yield record

    def _miss_end(self, repair: str) -> Iterator[Record | Problem]:
        if self.record:
            self.record.repairs.append((self.record.line, repair))
        yield from self._end()


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    titles = record.texts("TI", joint=" ") or record.texts("X1", "Y1", "Z1", "FT", joint=" ")
    identifiers = record.texts("ID", joint=" ")
    is_inspec = any(_DOI_OF_INSPEC.search(text) for text in identifiers)
    known = {
        "title": titles[:1],
        "translated_title": [text for text in record.texts("X1", "Y1", "Z1", "FT", joint=" ") if text not in titles[:1]],
        "abstract": record.texts("AB", "X4", "Y4", "Z4", joint=" "),
        "author": _authors(record),
        "year": record.texts("PY", "EY", "EA", "PD"),
        "venue": record.texts("SO", "Z3", "JI", "J9", joint=" "),
        "doi": record.texts("DI") or [match[1] for text in identifiers if (match := _DOI_OF_INSPEC.search(text))],
        "pmid": record.texts("PM") or [text.removeprefix("MEDLINE:") for text in record.texts("UT") if text.startswith("MEDLINE:")],
        "url": record.texts("UR"),
        "keyword": [*record.texts("DE", joint=" "), *([] if is_inspec else identifiers), *record.texts("X5", "Y5", "Z5", joint=" ")],
        "language": record.texts("LA", joint=" "),
        "type": _types(record),
        "editor": [person for value in record.values if value.tag == "BE" for person in _persons(value)],
        "pages": _pages(record),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED | {"BE"}, " ")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, " "), "plain", next(iter(record.texts("UT", "AN")), ""))


def _persons(value: Value) -> list[str]:
    """One a line; MEDLINE in Web of Science has all on one line, divided by semicolons."""
    names = [_MARKS.sub("", name[:_LONGEST_NAME]) + name[_LONGEST_NAME:] for line in value.lines for name in tagged.people(line)]
    return [name.strip(tagged.BLANKS) for name in names if name.strip(tagged.BLANKS)]


def _authors(record: Record) -> list[str]:
    """Persons, by their full names where all have one; authors of a book; then bodies."""
    persons = {tag: [person for value in record.values if value.tag == tag for person in _persons(value)] for tag in ("AU", "AF", "BA", "BF")}
    bodies = record.texts("CA", joint=" ") or ([] if persons["AU"] else record.texts("GP", joint=" "))
    for full, short in (("AF", "AU"), ("BF", "BA")):
        if persons[full] or persons[short]:
            return [*(persons[full] if len(persons[full]) >= len(persons[short]) else persons[short]), *bodies]
    return bodies


def _types(record: Record) -> list[str]:
    """Of the document, and else of the publication."""
    kinds = [kind.strip() for text in record.texts("DT", joint=" ") for kind in text.split(";")]
    return [kind for kind in kinds if kind.strip("- ")] or [_KINDS.get(text, text) for text in record.texts("PT")]


def _pages(record: Record) -> list[str]:
    first, last = record.texts("BP"), record.texts("EP")
    if not first:
        return record.texts("PS")
    return [first[0] if not last or first[0] == last[0] or "-" in first[0] else f"{first[0]}-{last[0]}"]


def _claims(head: str) -> bool:
    return tagged.leads(head, _BEGINS, lambda line: _tag(line) or line.startswith("   "), least=0.4) and "PT " in head


FORMAT = Format(_NAME, (".ciw", ".isi"), _claims, read)
