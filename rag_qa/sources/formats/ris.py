"""RIS, as reference managers, databases and publishers write it: `TY  - JOUR` begins a record, `ER  -` ends it, and each line between has a tag.

What is read as what:
- A tag is two capitals or digits (a few dialects have longer ones: PMID), white space of two or more, and a dash. With less white space it is a
  tag only if RIS knows it, and after an abstract only if the TY of the record is so too; in small letters only if the TY is. So a line of an abstract
  that begins with "AB initio" or "T1 - weighted" is none.
- A line without a tag continues the value before it, over blank lines too. Under KW and UR each such line is a value of its own.
- A record ends at ER, at the next TY or with the file. Tags directly after ER are the record's (Ovid writes NL there), unless they are a title, an
  abstract or an author: then they begin a record that lacks its TY. A missing ER, and a missing TY where other records have one, are told.
- Text between records is told, except what databases write there (record numbers, provider lines, links); so is a record of another format.
- What a paper cites (Ovid writes it under M1) is not what it is: it is left out, with its DOIs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.tagged import Record, Stray
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "RIS"
_EXPECTED = "records that begin with a line `TY  - JOUR` (or another type) and end with a line `ER  - `"
_KNOWN = frozenset(
    "A1 A2 A3 A4 A5 AB AD AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DI DO DOI DP ED EP ER ET H1 H2 ID IS J1 J2 JA JF JO KW L1 L2 L3 "
    "L4 LA LB LK M1 M2 M3 N1 N2 NV OP PB PM PMCID PMID PP PY RI RN RP SE SN SP ST T1 T2 T3 TA TI TT TY U1 U2 U3 U4 U5 UR VL VO Y1 Y2".split()
)
_WIDE = re.compile(r"([A-Za-z][A-Za-z0-9]{1,4})(?:[ \xa0]{2,8}|[ \xa0]{0,4}\t\s{0,4})[-–—](.*)", re.S)
_NARROW = re.compile(r"([A-Za-z][A-Za-z0-9]|PMC?ID|DOI)[ \xa0]?[-–—](?:\s(.*))?$", re.S)
_TEXTS = frozenset("AB N1 N2".split())
_IDENTIFYING = frozenset("TI T1 CT BT AB N2 AU A1".split())
"""Where one of them begins after ER, another record begins."""

_BOOKS = frozenset("BOOK EDBOOK EBOOK WHOLE".split())
_MARKED_PMID = re.compile(r"(?:\b(?:PMID:?|PUBMED)\s*(\d{1,8})\b|\b(\d{1,8})\s*(?:\[pmid\]|\(PMID\)))", re.I)
_PMCID = re.compile(r"PMC\d+")
_FROM_PUBMED = re.compile(r"\b(?:NLM|PubMed|MEDLINE)\b", re.I)
_ARXIV = re.compile(r"arXiv:\s*(?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?:v\d+)?", re.I)
_RESERVED = re.compile(r"(?:©|\(c\)|copyright\b|[\"“]?copyright of\b)", re.I)
_SECTION = re.compile(r"(?:background|objectives?|aims?|methods?|results?|conclusions?|discussion|purpose|introduction)\b", re.I)
_CITED = re.compile(r"[^\W\d_].{2,300}?\((?:1[5-9]|20)\d\d[a-z]?\)", re.S)
"""How a reference begins: names, and a year."""

_NOTICE = re.compile(
    r"(?:partial )?(?:retraction|erratum|corrigendum|correction|corrected and republished|expression of concern) (?:in|of|for|from)\b.*", re.I
)
_NOTED_TYPES = frozenset(
    "retracted publication|retraction of publication|published erratum|expression of concern|corrected and republished article|duplicate publication"
    "|preprint|editorial|letter|review|systematic review|meta-analysis|case reports|comment|news".split("|")
)
"""The types of PubMed that EndNote writes into its notes, a line each, and that tell more than "Journal Article"."""

_NAMES = {
    "A2": "editor", "ED": "editor", "A3": "series editor", "A4": "translator", "TA": "translated author", "AD": "affiliation", "AN": "accession",
    "C7": "article number", "CN": "call number", "CP": "issue", "CY": "address", "PP": "address", "DB": "database", "DP": "provider",
    "ET": "edition", "ID": "id", "IS": "issue", "LB": "label", "N1": "note", "RN": "note", "NV": "volumes", "OP": "original publication",
    "PB": "publisher", "PU": "publisher", "SE": "section", "VL": "volume", "VO": "volume", "Y2": "accessed", "T3": "series",
}  # fmt: skip
_USED = frozenset(
    "TY ER TI T1 CT BT ST AB N2 AU A1 PY DA Y1 YR JF JO T2 J1 J2 JA J9 JI C3 DO DI DOI PM PMID PMCID UR LK US L1 L2 L3 KW LA TT SP EP SN M1 "
    "M3".split()
)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of an RIS file. Raises SourceError when it holds none."""
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
        raise SourceError(document.path, None, found="no RIS record", expected=_EXPECTED)


@dataclass(frozen=True, slots=True)
class _Style:
    """How a record writes its tags, as its TY line shows."""

    is_narrow: bool = False
    is_small: bool = False
    is_indented: bool = False


def _tag(line: str, style: _Style) -> tuple[str, str] | None:
    """(tag, rest of the line) if the line has a tag."""
    text = line.strip(tagged.BLANKS)
    if text == "ER":
        return "ER", ""
    if not any(dash in text[:14] for dash in "-–—"):
        return None
    is_wide = _WIDE.match(text)
    match = is_wide or _NARROW.match(text)
    if not match:
        return None
    tag, rest = match[1].upper(), (match[2] or "").strip(tagged.BLANKS)
    return (tag, rest) if _is_meant(match[1], tag, rest, style, is_wide=bool(is_wide), is_indented=line[:1] in " \t") else None


def _is_meant(written: str, tag: str, rest: str, style: _Style, *, is_wide: bool, is_indented: bool) -> bool:
    if written != tag and not (style.is_small and tag in _KNOWN):
        return False
    if is_indented and not style.is_indented:
        return is_wide and tag in _KNOWN
    if not is_wide and not style.is_narrow and tag in ("ER", "TY"):
        return not rest  # "ER - positive tumours"
    return is_wide or tag in _KNOWN


_START = re.compile(r"([ \t\ufeff]{0,9})(TY)([ \t\xa0]{0,8})[-–—][ \t\xa0]{0,9}([^\W\d].{0,60})?$", re.I)


@dataclass(slots=True)
class _Reading:
    """Lines -> records. One that ended stays here until something else begins, for the tags that Ovid writes after ER."""

    path: str
    record: Record | None = None
    is_open: bool = False
    style: _Style = _Style()
    blank_lines: int = 0
    have_ended: bool = False
    """Has a record of this file had an ER, so that a record without one is an exception?"""
    have_begun: bool = False
    """The same of TY."""
    told_no_end: bool = False
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
        if self.record and self.is_open:
            self._miss_end("this record has no end (ER): the file may have been cut off")
        yield from self._take()

    def _line(self, number: int, line: str) -> Iterator[Record | Problem]:
        start = _START.match(line.rstrip(tagged.BLANKS)) if "TY" in line[:12].upper() else None
        if start and self._may_start(_style(start)):
            yield from self._begin(number, start[4] or "", _style(start))
        elif (self.blank_lines or not self.is_open) and tagged.leaves(line, own=_NAME):
            yield from self._leave(number, line)
        elif (found := _tag(line, self.style)) and not self._is_text(line, found[0]):
            yield from self._tagged(number, *found, line)
        elif self.record and self.is_open:
            self.record.extend(line, blank_lines=self.blank_lines)
        else:
            self.stray.add(number, line)

    def _is_text(self, line: str, tag: str) -> bool:
        """In an abstract "T1 - weighted images" and "CT - guided biopsy" are text, unless all tags of the record are written so."""
        if not (self.record and self.is_open) or self.style.is_narrow or tag == "ER":
            return False
        return self.record.values[-1].tag in _TEXTS and not _WIDE.match(line.strip(tagged.BLANKS))

    def _may_start(self, style: _Style) -> bool:
        """Inside a record a TY must look like that of the record: else it is text."""
        return not self.is_open or (style.is_small == self.style.is_small and (self.style.is_indented or not style.is_indented))

    def _begin(self, number: int, kind: str, style: _Style) -> Iterator[Record | Problem]:
        if self.is_open:
            self._miss_end(f"this record has no end (ER): the next one begins at line {number}")
        yield from self._take()
        self.record, self.is_open, self.style, self.have_begun = Record(number), True, style, True
        self.record.add("TY", number, kind)

    def _tagged(self, number: int, tag: str, rest: str, line: str) -> Iterator[Record | Problem]:
        if tag == "ER":
            self.have_ended = self.have_ended or self.is_open
            self.is_open = False
        elif self.record and (self.is_open or not (self.blank_lines or tag in _IDENTIFYING or not self.have_begun)):
            self.record.add(tag, number, rest)
        elif self.stray.foreign or tag not in _KNOWN or not _WIDE.match(line):
            self.stray.add(number, line)
        else:
            yield from self._take()
            self.record, self.is_open, self.style = Record(number), True, _Style()
            self.record.add(tag, number, rest)
            if self.have_begun:
                self.record.repairs.append((number, "this record has no type (TY)"))

    def _miss_end(self, repair: str) -> None:
        # where no record has an end, that is how the file is written: said once
        if self.record and (self.have_ended or not self.told_no_end):
            self.record.repairs.append((self.record.line, repair))
            self.told_no_end = True

    def _leave(self, number: int, line: str) -> Iterator[Record | Problem]:
        if self.is_open:
            self._miss_end(f"this record has no end (ER): something else begins at line {number}")
        if self.record:
            yield from self._take()
        self.is_open = False
        self.stray.add(number, line)

    def _take(self) -> Iterator[Record | Problem]:
        """The record that is complete, and what stood after it."""
        record, self.record = self.record, None
        if record:
            yield record
        yield from self.stray.problems()


def _style(start: re.Match[str]) -> _Style:
    gap = start[3]
    return _Style(is_narrow=len(gap) < 2 and "\t" not in gap, is_small=start[2] != "TY", is_indented=bool(start[1].strip("\ufeff")))


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    kind = _kind(record)
    known = {
        "title": _titles(record, kind)[:1],
        "translated_title": [*_titles(record, kind)[1:], *record.texts("TT")],
        "abstract": _abstracts(record),
        "author": _authors(record),
        "year": record.texts("PY", "DA", "Y1", "YR"),
        "venue": _venues(record, kind),
        "doi": _dois(record),
        "pmid": _pmids(record),
        "arxiv": [text for text in record.texts("AN", "N1", "M1", "T2", "JF", "JO", "ID") if _ARXIV.match(text)],
        "url": _urls(record),
        "keyword": tagged.one_a_line(record.texts("KW")),
        "language": record.texts("LA"),
        "type": [*([kind] if kind else []), *_work_types(record), *(line for line in _noted(record) if line.lower() in _NOTED_TYPES)],
        "notice": [line for line in _noted(record) if _NOTICE.fullmatch(line) and line.lower() not in _NOTED_TYPES],
        **_others(record, kind),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"), "plain", next(iter(record.texts("AN", "ID")), ""))


def _kind(record: Record) -> str:
    return next((value.lines[0] for value in record.values if value.tag == "TY"), "").strip(tagged.BLANKS)


def _work_types(record: Record) -> list[str]:
    """M3 is the type of the work in Scopus, Embase and EBSCO; publishers have the DOI there, and PsycInfo a class such as "Health [3300]"."""
    return [text for text in record.texts("M3") if not tagged.is_doi(text) and "[" not in text]


def _noted(record: Record) -> list[str]:
    return [line.strip() for text in record.texts("N1", "RN") for line in text.split("\n")]


def _titles(record: Record, kind: str) -> list[str]:
    """The title, and after it other titles (in another language). Where TI and T1 differ in that one is cut off, it is the whole one."""
    for tags in (("TI", "T1"), ("CT",), ("BT",), ("ST",)):
        found = list(dict.fromkeys(record.texts(*tags)))
        if found and not (tags == ("BT",) and kind == "CHAP"):
            cut_off = {text for text in found[:9] for other in found[:9] if text != other and other.startswith(text.rstrip(". …"))}
            return [text for text in found if text not in cut_off]
    return []


def _abstracts(record: Record) -> list[str]:
    """AB and N2. EBSCO has the copyright line under another AB, and some have a section each: these are parts of the abstract before."""
    abstracts: list[list[str]] = []
    for text in record.texts("AB", "N2"):
        is_section = bool(abstracts) and _SECTION.match(text) and _SECTION.match(abstracts[-1][-1]) and text[:100] != abstracts[-1][-1][:100]
        if abstracts and (is_section or _RESERVED.match(text)):
            abstracts[-1].append(text)
        else:
            abstracts.append([text])
    return ["\n".join(parts) for parts in abstracts]


def _authors(record: Record) -> list[str]:
    return [name for text in record.in_order("AU", "A1") for name in tagged.people(text)]


def _venues(record: Record, kind: str) -> list[str]:
    """Full names before abbreviations. T2 of a whole book is its series, and C3 of a conference its proceedings."""
    if _is_book(record, kind):
        return []
    proceedings = record.texts("C3") if kind in ("CONF", "CPAPER") else []
    book = record.texts("BT") if record.has("TI", "T1", "CT") or kind == "CHAP" else []
    return [*record.texts("JF", "T2", "JO"), *book, *(proceedings if len(proceedings) == 1 else []), *record.texts("J2", "JA", "J1", "JI", "J9")]


def _is_book(record: Record, kind: str) -> bool:
    return kind in _BOOKS and not any("chapter" in text.lower() for text in record.texts("M3"))  # as Scopus writes chapters


def _dois(record: Record) -> list[str]:
    """Under DO, and else where publishers and databases put it: a DOI that stands alone in a value."""
    told = record.texts("DO", "DI", "DOI")
    return told or [text for text in record.texts("M3", "L3", "N1", "SE", "L1", "L2") if tagged.is_doi(text)]


def _pmids(record: Record) -> list[str]:
    """PubMed ids: marked as such, or the accession number of a record that comes from PubMed."""
    told = record.texts("PMID", "PM")
    marked = [next(filter(None, match)) for text in record.texts("C2", "C3", "U1", "N1", "AN", "C5") for match in _MARKED_PMID.findall(text)]
    return told + marked + _unmarked_pmids(record)


def _unmarked_pmids(record: Record) -> list[str]:
    source = " ".join(record.texts("DB", "DP"))
    if _FROM_PUBMED.search(source):
        links = [match[1] for text in record.texts("L2", "UR") if (match := re.search(r"\bovid[^\n]{0,500}?[?&]AN=(\d{1,8})(?!\d)", text))]
        return [text for text in record.texts("AN") if re.fullmatch(r"\d{1,8}", text)] + links
    tag = {"Scopus": "C2", "Embase": "C5"}.get(source.split()[0] if source else "", "")
    return [text for text in record.texts(tag) if re.fullmatch(r"\d{7,8}", text)]


def _urls(record: Record) -> list[str]:
    return tagged.addresses(record.texts("UR", "LK", "US", "L2", "L1"))


def _others(record: Record, kind: str) -> dict[str, list[str]]:
    """What needs more than another name."""
    numbers = tagged.one_a_line(record.texts("SN"))
    return {
        "pages": _pages(record),
        "isbn": [number for number in numbers if tagged.is_isbn(number)],
        "issn": [number for number in numbers if not tagged.is_isbn(number)],
        "series": record.texts("T2", "JF") if _is_book(record, kind) else [],
        "number": _numbers(record),
        "class": [text for text in record.texts("M3") if "[" in text],
        "conference": record.texts("C3") if kind in ("CONF", "CPAPER") else [],
        "affiliation": [] if kind in ("CONF", "CPAPER") else record.texts("C3"),
        "pmcid": [match[0] for text in record.texts("PMCID", "C2", "U2", "AN", "N1") if (match := _PMCID.match(text))],
        "file": [text for text in record.texts("L1", "L2", "L3") if not re.match(r"(?:https?:|//|doi|10\.)", text, re.I)],
    }


def _numbers(record: Record) -> list[str]:
    texts = record.texts("M1")
    cited = [text for text in texts if _CITED.match(text)]
    return [] if len(cited) > max(2, len(texts) / 2) else [text for text in texts if text not in cited]


def _pages(record: Record) -> list[str]:
    first, last = record.texts("SP"), record.texts("EP")
    if not first or not last or "-" in first[0] or (first[0], last[0]) == ("No", "Specified"):  # "No Specified Pagination", says Ovid
        return [] if last[:1] == ["Specified"] else first
    return [first[0] if first[0] == last[0] else f"{first[0]}-{last[0]}"]


def _claims(head: str) -> bool:
    if tagged.leads(head, tagged.STARTS[_NAME], lambda line: _tag(line, _Style(is_narrow=True, is_small=True))):
        return True
    return _is_headless(head)


def _is_headless(head: str) -> bool:
    """RIS without any TY (CiteSource writes it): tags from the first line on, and ends."""
    head = tagged.with_line_feeds(head)
    first = head.lstrip(tagged.BLANKS).split("\n", 1)[0]
    if not _tag(first, _Style()) or not re.search(r"^ER  - *$", head, re.M) or re.search(r"^PMID ?-", head, re.M):
        return False
    return tagged.is_dense(head, lambda line: _tag(line, _Style()), least=0.5)


FORMAT = Format(_NAME, (".ris",), _claims, read)
