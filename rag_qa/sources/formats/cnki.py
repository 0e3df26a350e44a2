"""CNKI's own text, of its reference manager (E-Study) and of its custom export: a line is `Title-题名: ...`, a label in two languages.

What is read as what:
- E-Study begins a record with `DataType: 1`, the custom export with `SrcDatabase-来源库: `; a record begins there, and where a title is repeated.
- Where an English label means two things, the Chinese one tells: PageCount-页码 are the pages, PageCount-页数 is their number; Source is the
  journal, but Source-学位授予单位 the university of a thesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_qa.sources.formats import labelled, tagged
from rag_qa.sources.formats.labelled import Style
from rag_qa.sources.formats.tagged import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "CNKI"
_LABEL = re.compile(r"[ \t]{0,3}([A-Za-z]{3,20})-([\u3400-\u9fff]{1,12}|DOI|ISSN|ISBN)[:：](.*)|DataType: *(\d{1,3})[ \t]*", re.S)
_BEGINS = re.compile(
    r"^[ \t\ufeff]{0,9}(?:DataType: *\d{1,3}[ \t]*\n{1,9}[A-Za-z]{3,20}-[\u3400-\u9fff]|(?:SrcDatabase|Title)-[\u3400-\u9fff]{1,12}[:：])", re.M
)
_FIRST = frozenset(("DATATYPE", "SRCDATABASE", "TITLE"))
_NUMBER_OF_PAGES, _UNIVERSITY = "PAGECOUNT-页数", "SOURCE-学位授予单位"
_NAMES = {
    "CITY": "address", "CLC": "classification", "FIRSTDUTY": "first author", "FUND": "fund", "ISBN": "isbn", "ISSN": "issn", "MEETING": "conference",
    "ORGAN": "affiliation", "PERIOD": "issue", "ROLL": "volume", "VOLUME": "volume", "DATATYPE": "data type", _NUMBER_OF_PAGES: "number of pages",
    _UNIVERSITY: "publisher",
}  # fmt: skip
_USED = frozenset("AUTHOR DOI KEYWORD LINK PAGE PAGECOUNT PUBTIME SOURCE SRCDATABASE SUMMARY TITLE URL YEAR".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a text of CNKI. Raises SourceError when it holds none."""
    return labelled.read(document, _STYLE, _raw)


def _label(line: str) -> tuple[str, str] | None:
    """
    >>> _label("Title-题名: 潮汐"), _label("DataType: 1"), _label("PageCount-页数: 3"), _label("X-ray: a method")
    (('TITLE', '潮汐'), ('DATATYPE', '1'), ('PAGECOUNT-页数', '3'), None)
    """
    match = _LABEL.fullmatch(line)
    if not match:
        return None
    if match[4]:
        return "DATATYPE", match[4]
    whole = f"{match[1].upper()}-{match[2]}"
    return whole if whole in _NAMES else match[1].upper(), match[3].strip(tagged.BLANKS)


def _begins(label: str, record: Record | None) -> bool:
    return label in _FIRST and (record is None or record.has(label))


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    known = {
        "title": record.texts("TITLE"),
        "abstract": labelled.without_marks(record.texts("SUMMARY")),
        "author": labelled.people(record.texts("AUTHOR")),
        "year": record.texts("YEAR", "PUBTIME"),
        "venue": record.texts("SOURCE"),
        "doi": record.texts("DOI"),
        "url": tagged.addresses(record.texts("URL", "LINK")),
        "keyword": labelled.words(record.texts("KEYWORD")),
        "type": record.texts("SRCDATABASE"),
        "pages": record.texts("PAGE", "PAGECOUNT"),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"))


def _claims(head: str) -> bool:
    return tagged.leads(head, _BEGINS, _label)


_STYLE = Style(_NAME, "records that begin with a line `DataType: 1` or `SrcDatabase-来源库: `", _label, _begins)
FORMAT = Format(_NAME, (), _claims, read)
