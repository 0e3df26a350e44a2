"""MEDLINE, as PubMed (.nbib, .txt) and ERIC write it: a tag in four columns, a dash, a value, which indented lines continue.

What is read as what:
- A record begins at PMID; ERIC has none: there, at a tag after a blank line that the record before has already and that a record has once (OWN, TI).
- PubMed breaks lines at spaces, so lines are joined by one. A line that is neither indented nor tagged continues a text (its indentation was lost);
  after a value that is no text, such as PMID, it is left out, which is told.
- FAU, a full name, stands for the AU under it. CN, a body, is an author too.
- AB and OAB are abstracts: OAB is in another language, or of another body.
- Notices say their direction, as PubMed shows it: "Retraction in: ..." stands in the paper, "Retraction of: ..." in the notice.
- Nothing ends a record; but PubMed ends each with SO: if only the last of a file lacks it, the file may have been cut off, which is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.tagged import Record, Stray
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "MEDLINE"
_EXPECTED = "records that begin with a line `PMID- 12345678`"
_KNOWN = frozenset(
    "AB AD AID AU AUID BTI CDAT CI CIN CN COI COIS CON CP CRDT CRF CRI CTDT CTI CY DA DCOM DDIN DEP DP DRDT DRIN DT ECF ECI ED EDAT EFR EIN EN ET "
    "FAU FED FIR FPS GN GR GS HL IP IR IRAD IS ISBN ISSN JID JT KW LA LID LR MH MHDA MID NM NT OAB OABL OCI OID ORI OT OTO OWN PB PD PG PHST PL PMC "
    "PMCR PMID PRIN PROF PS PST PT PU PUBM PY RF RIN RN ROF RPF RPI SB SE SFM SI SO SPIN STAT TA TI TT UIN UOF VI VTI".split()
)
"""Those of PubMed, of ERIC and of library catalogues."""
_FULL = re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) *-(?: (.*)|()$|(\S.*))", re.S)
_LOOSE = re.compile(r"([A-Z]{2,4})\s{0,2}-(?:\s+(.*))?$", re.S)
_ONCE = frozenset("BTI DP JT OWN PMC PMID SO STAT TA TI".split())
_NO_TEXT = frozenset("CRDT DA DCOM DEP DP EDAT IP IS JID LA LR MHDA OWN PG PHST PMC PMID PST STAT VI".split())
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}(?:PMID ?- ?\d+|OWN {1,2}- ?[A-Z]+)[ \t]*$", re.M)
_ELSEWHERE = re.compile(r"(?:publisher: )?abstract available from the publisher\.?", re.I)
"""What PubMed and PMC write under OAB where they know of an abstract in another language, and have none."""
_MARK = re.compile(r"\[(\w{1,20})\]$")

_NOTICES = {
    "RIN": "Retraction in", "ROF": "Retraction of", "PRIN": "Partial retraction in", "PROF": "Partial retraction of", "EIN": "Erratum in",
    "EFR": "Erratum for", "ECI": "Expression of concern in", "ECF": "Expression of concern for", "CRI": "Corrected and republished in",
    "CRF": "Corrected and republished from", "RPI": "Republished in", "RPF": "Republished from", "UIN": "Update in", "UOF": "Update of",
}  # fmt: skip
_NAMES = {
    "AD": "affiliation", "CI": "copyright", "CIN": "comment in", "CON": "comment on", "COIS": "conflict of interest", "CTI": "collection title",
    "CY": "address", "EN": "edition", "ET": "edition", "FIR": "investigator", "GN": "note", "GR": "grant", "IP": "issue", "IS": "issn",
    "ISBN": "isbn", "ISSN": "issn", "JID": "nlm id", "NM": "substance", "NT": "note", "OID": "other id", "OWN": "owner", "PB": "publisher",
    "PG": "pages", "PL": "address", "PMC": "pmcid", "PU": "publisher", "RN": "registry number", "SB": "subset", "SE": "series", "SO": "source",
    "STAT": "status", "VI": "volume", "VTI": "volume title",
}  # fmt: skip
_USED = frozenset("TI BTI TT AB OAB OABL FAU AU CN FED ED DP JT TA AID LID PMID MH OT OTO KW PY LA PT".split()) | frozenset(_NOTICES)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a MEDLINE file. Raises SourceError when it holds none."""
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
        raise SourceError(document.path, None, found="no MEDLINE record", expected=_EXPECTED)


def _tag(line: str) -> tuple[str, str] | None:
    """(tag, rest of the line) if the line has a tag: in four columns, or else one that MEDLINE knows.

    >>> _tag("TI  - On tides"), _tag("ISSN - 1234-5678"), _tag("HIV - infected"), _tag("POST-operative")
    (('TI', 'On tides'), ('ISSN', '1234-5678'), None, None)
    """
    match = _FULL.match(line)
    if match and (match[1] in _KNOWN or (match[4] is None and len(match[1]) != 3)):
        return match[1], (match[2] or match[4] or "").strip(tagged.BLANKS)
    match = _LOOSE.match(line)
    return (match[1], (match[2] or "").strip(tagged.BLANKS)) if match and match[1] in _KNOWN else None


@dataclass(slots=True)
class _Reading:
    """Lines -> records."""

    path: str
    record: Record | None = None
    blank_lines: int = 0
    complete: int = 0
    """How many records of this file have ended as PubMed ends them."""
    incomplete: int = 0
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
        if self.record and self.complete and not self.incomplete and not self.record.has("SO"):
            self.record.repairs.append(
                (self.record.line, "this record, the last, does not end with SO as the others do: the file may have been cut off")
            )
        yield from self._take()

    def _line(self, number: int, line: str) -> Iterator[Record | Problem]:
        if (self.blank_lines or not self.record) and tagged.leaves(line, own=_NAME):
            yield from self._leave(number, line)
        elif found := _tag(line):
            yield from self._tagged(number, *found, line)
        elif self.record and (line[:1] in " \t" or not self.blank_lines):
            self._continue(self.record, number, line)
        else:
            yield from self._leave(number, line)

    def _leave(self, number: int, line: str) -> Iterator[Record | Problem]:
        if self.record:
            yield from self._take()
        self.stray.add(number, line)

    def _tagged(self, number: int, tag: str, rest: str, line: str) -> Iterator[Record | Problem]:
        if not self.record and self.stray.foreign and tag not in ("PMID", "OWN"):
            self.stray.add(number, line)
            return
        if self._is_new(tag):
            yield from self._take()
            self.record = Record(number)
        if self.record:
            self.record.add(tag, number, rest)

    def _is_new(self, tag: str) -> bool:
        if not self.record:
            return True
        if tag == "PMID":
            return bool(self.blank_lines) or self.record.has("PMID")
        return bool(self.blank_lines) and tag in _ONCE and self.record.has(tag)

    @staticmethod
    def _continue(record: Record, number: int, line: str) -> None:
        if line[:1] in " \t" or record.values[-1].tag not in _NO_TEXT:
            record.extend(line)
        else:
            record.repairs.append((number, f"a line without a tag was left out: {tagged.clip(line)!r}"))

    def _take(self) -> Iterator[Record | Problem]:
        """The record that is complete, after what stood before it."""
        record, self.record = self.record, None
        yield from self.stray.problems()
        if record:
            self.complete += record.has("PMID") and record.has("SO")
            self.incomplete += _is_cut_off(record)
            yield record


def _is_cut_off(record: Record) -> bool:
    return record.has("PMID") and not record.has("SO")


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    title = record.texts("TI", joint=" ")
    book = record.texts("BTI", joint=" ")
    pmid = record.texts("PMID", joint=" ")
    known = {
        "title": title or book,
        "translated_title": record.texts("TT", joint=" "),
        "abstract": [text for text in record.texts("AB", "OAB", joint=" ") if not _ELSEWHERE.fullmatch(text)],
        "author": _people(record, "FAU", "AU", "CN"),
        "year": record.texts("DP", "DEP", "PY"),
        "venue": [*record.texts("JT", joint=" "), *(book if title else []), *record.texts("TA", joint=" ")],
        "pmid": pmid,
        "keyword": [text.replace("*", "") for text in record.texts("MH", joint=" ")] + record.texts("OT", "KW", joint=" "),
        "language": record.texts("LA"),
        "type": record.texts("PT", joint=" "),
        "notice": [f"{_NOTICES[value.tag]}: {tagged.joined(value, ' ')}" for value in record.values if value.tag in _NOTICES],
        "editor": _people(record, "FED", "ED", ""),
        **_identifiers(record),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, " ")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, " "), "plain", next(iter([*pmid, *record.texts("OID")]), ""))


def _people(record: Record, full: str, short: str, body: str) -> list[str]:
    """Names in order; the short form after a full one is the same person."""
    people: list[str] = []
    has_full = False
    for value in record.values:
        name = tagged.joined(value, " ")
        if value.tag in (full, body) or (value.tag == short and not has_full):
            people.append(name)
        if value.tag in (full, short):
            has_full = value.tag == full and bool(name)
    return [name for name in people if name and name.rstrip(".").lower() != "et al"]


def _identifiers(record: Record) -> dict[str, list[str]]:
    """AID and LID say what they are in brackets; those of ERIC are addresses."""
    found: dict[str, list[str]] = {"doi": [], "url": []}
    for text in record.texts("LID", "AID", joint=" "):
        mark = _MARK.search(text[-22:])
        name = mark[1].lower() if mark else _name_of(text)
        found.setdefault(name, []).append(text.removesuffix(mark[0]).strip() if mark else text)
    return found


def _name_of(identifier: str) -> str:
    if tagged.is_doi(identifier):
        return "doi"
    return "url" if tagged.addresses([identifier]) else "article id"


def _claims(head: str) -> bool:
    return tagged.leads(head, _BEGINS, _is_of_a_record, least=0.3) or _is_headless(head)


def _is_of_a_record(line: str) -> bool:
    return line.startswith("    ") or _tag(line) is not None


def _is_headless(head: str) -> bool:
    """Records without PMID, such as those of a library catalogue: a title, and nearly each line has a tag that MEDLINE knows."""
    text = tagged.with_line_feeds(head).lstrip(tagged.BLANKS)
    has_title = re.search(r"^(?:TI|BTI)\s{0,2}-", text, re.M)
    if not has_title or re.search(r"^(?:TY|ER)\s{0,2}-", text, re.M) or not _tag(text.split("\n", 1)[0]):
        return False
    return text.count("\n") > 3 and tagged.is_dense(text, _is_of_a_record, least=0.9)


FORMAT = Format(_NAME, (".nbib", ".medline"), _claims, read)
