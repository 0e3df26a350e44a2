"""RefWorks tagged, as RefWorks, ProQuest, CNKI, Wanfang and publishers write it: `RT Journal Article` begins a record, and each line has a tag.

What is read as what:
- A tag is two capitals or digits that RefWorks knows, and a blank. CNKI leaves the blank out before Chinese, and writes one tag small (vo).
- A line without a tag continues the value before it, over blank lines too: some write abstracts on several lines.
- Before the first record stands at most the heading of RefWorks, with its list of tags.
- Page numbers are the first (SP) and the last (OP); CNKI has both under OP.
- PB and A3 of a thesis are its university and supervisor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_qa.sources.formats import labelled, tagged
from rag_qa.sources.formats.labelled import Style
from rag_qa.sources.formats.tagged import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "RefWorks"
_KNOWN = frozenset(
    "A1 A2 A3 A4 A5 A6 AB AD AN AU AV C1 CL CN CR DB DO DS ED FD ID IP IS JF JO K1 LA LK LL NO OL OP OT PB PMCID PMID PP RD RT SF SL SN SP SR ST T1 "
    "T2 T3 U1 U10 U11 U12 U13 U14 U15 U2 U3 U4 U5 U6 U7 U8 U9 UL URL VO WP WT WV YR".split()
)
_TAG = re.compile(r"[ \t]{0,3}([A-Z][A-Z0-9]{1,4})(?:[ \t\xa0]+(.*)|)", re.S)
_NO_BLANK = re.compile(r"([A-Z][A-Z0-9])(?=[\u3000-\u9fff])(.*)", re.S)
_SMALL = re.compile(r"(vo) +(\d{1,6})[ \t]*")
_TYPES = (
    "abstract|artwork|bills?/resolutions?|book(?:, (?:whole|section|edited))?|case/court decisions|computer program|conference proceedings?"
    "|dissertation(?:/thesis)?(?:, unpublished)?|generic|grant|hearing|journal(?:, electronic|(?: article)?)|laws/statutes|magazine article|map"
    "|monograph|motion picture|music score|newspaper article|online discussion forum/blogs|other article|patent|personal communication|preprint"
    "|report|sound recording|standard|thesis|unpublished material|unknown|video/ ?dvd|web page"
)
_BEGINS = re.compile(rf"^[ \t\ufeff]{{0,9}}RT (?:{_TYPES})[ \t]*$", re.M | re.I)
_HEADING = re.compile(r"refworks\b", re.I)
_NOTICE = re.compile(
    r"(?:partial )?(?:retraction|erratum|corrigendum|correction|corrected and republished|expression of concern) (?:in|of|for|from)\b[^\n;]*", re.I
)
_PUBMED = re.compile(r"\b(?:NLM|PubMed|MEDLINE)\b", re.I)
_THESIS = re.compile(r"dissertation|thesis", re.I)
_WHOLE = re.compile(r"book(?:, (?:whole|edited))?$|dissertation|thesis|report|patent|standard", re.I)
"""What is no part of something larger: its second title is a series."""

_NAMES = {
    "A2": "editor", "A4": "translator", "AD": "affiliation", "AN": "accession", "AV": "availability", "CL": "classification",
    "CN": "call number", "DB": "database", "DS": "provider", "ED": "edition", "ID": "id", "IS": "issue", "NO": "note", "PB": "publisher",
    "PMCID": "pmcid", "PP": "address", "RD": "accessed", "SF": "subfile", "SR": "source type", "ST": "short title", "VO": "volume",
}  # fmt: skip
_USED = frozenset("A1 A3 AB AU CR DO FD JF JO K1 LA LK LL OL OP OT PMID RT SL SN SP T1 T2 T3 UL URL WT YR".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a RefWorks file. Raises SourceError when it holds none."""
    return labelled.read(document, _STYLE, _raw)


def _label(line: str) -> tuple[str, str] | None:
    """
    >>> _label("T1 On tides"), _label("A1林行众"), _label("vo 49"), _label("DNA is long")
    (('T1', 'On tides'), ('A1', '林行众'), ('VO', '49'), None)
    """
    match = _TAG.fullmatch(line) or _NO_BLANK.fullmatch(line) or _SMALL.fullmatch(line)
    if not match or match[1].upper() not in _KNOWN:
        return None
    return match[1].upper(), (match[2] or "").strip(tagged.BLANKS)


def _begins(label: str, _open: Record | None) -> bool:
    return label == "RT"


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    types = record.texts("RT")
    is_whole, is_thesis = any(map(_WHOLE.match, types)), any(map(_THESIS.match, types))
    numbers = tagged.one_a_line(record.texts("SN"))
    known = {
        "title": record.texts("T1")[:1],
        "translated_title": [*record.texts("T1")[1:], *record.texts("OT")],
        "abstract": labelled.without_marks(record.texts("AB")),
        "author": labelled.people(record.in_order("A1", "AU")),
        "year": record.texts("YR", "FD"),
        "venue": [*record.texts("JF"), *([] if is_whole else record.texts("T2")), *record.texts("WT", "JO")],
        "series": [*(record.texts("T2") if is_whole else []), *record.texts("T3")],
        "supervisor" if is_thesis else "series editor": labelled.people(record.texts("A3")),
        "doi": record.texts("DO") or [text for text in record.texts("NO") if tagged.is_doi(text)],
        "pmid": record.texts("PMID") or _pmids(record),
        "url": tagged.addresses(record.texts("LK", "UL", "URL")),
        "keyword": labelled.words(record.texts("K1")),
        "language": labelled.words(record.texts("LA")),
        "type": types,
        "notice": [notice for text in record.texts("NO") for notice in _NOTICE.findall(text)],
        "pages": _pages(record),
        "isbn": [number for number in numbers if tagged.is_isbn(number)],
        "issn": [number for number in numbers if not tagged.is_isbn(number)],
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"), "plain", next(iter(record.texts("AN", "ID")), ""))


def _pmids(record: Record) -> list[str]:
    """The accession number of a record that comes from PubMed."""
    is_from_pubmed = _PUBMED.search(" ".join(record.texts("DB", "DS")))
    return [text for text in record.texts("AN") if is_from_pubmed and re.fullmatch(r"\d{1,8}", text)]


def _pages(record: Record) -> list[str]:
    first, last = record.texts("SP")[:1], record.texts("OP")[:1]
    return ["-".join(dict.fromkeys(first + last))] if first and "-" not in first[0] else (first or last)


def _claims(head: str) -> bool:
    return tagged.leads(_without_heading(head), _BEGINS, _label, least=0.3)


def _without_heading(head: str) -> str:
    """RefWorks lists all its tags above the first record."""
    head = tagged.with_line_feeds(head)
    first = _BEGINS.search(head)
    return head[first.start() :] if first and _HEADING.match(head.lstrip(tagged.BLANKS)) else head


_STYLE = Style(_NAME, "records that begin with a line `RT Journal Article` (or another type)", _label, _begins, heading=_HEADING)
FORMAT = Format(_NAME, (".refworks",), _claims, read)
