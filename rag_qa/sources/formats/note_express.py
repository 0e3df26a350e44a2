"""NoteExpress, as CNKI, Wanfang and other Chinese databases write it (.net): `{Reference Type}: Journal Article` begins a record.

What is read as what:
- A line `{Name}: value` is a field; the colon may be a Chinese one. A line without a name continues the value before it.
- Authors and keywords have a line each, or stand in one with semicolons, of which CNKI writes two.
- An abstract and its translation are two abstracts.
- Secondary Title is the newspaper or the conference, Tertiary Title the proceedings, Tertiary Author the supervisor of a thesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_qa.sources.formats import labelled, tagged
from rag_qa.sources.formats.labelled import Style
from rag_qa.sources.formats.tagged import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "NoteExpress"
_LABEL = re.compile(r"[ \t]{0,9}\{([^\W\d_][^{}\n]{0,40})\}[ \t]?[:：](.*)", re.S)
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}\{Reference Type\}[ \t]?[:：]", re.M)
_TYPE = "REFERENCE TYPE"
_NAMES = {
    "AUTHOR ADDRESS": "affiliation", "DATABASE PROVIDER": "provider", "NOTES": "note", "PLACE PUBLISHED": "address", "SUBSIDIARY AUTHOR": "editor",
    "SUBSIDIARY AUTHOR,": "editor", "SECONDARY AUTHOR": "editor", "TRANSLATED JOURNAL": "translated venue",
}  # fmt: skip
_USED = frozenset(
    "ABSTRACT|AUTHOR|DATE|DOI|ISBN|ISBN/ISSN|ISSN|JOURNAL|KEYWORDS|LANGUAGE|LINK|PMID|REFERENCE TYPE|SECONDARY TITLE|TERTIARY AUTHOR"
    "|TERTIARY TITLE|TITLE|TRANSLATED ABSTRACT|TRANSLATED AUTHOR|TRANSLATED KEYWORDS|TRANSLATED TITLE|TYPE OF WORK|URL|YEAR".split("|")
)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a NoteExpress file. Raises SourceError when it holds none."""
    return labelled.read(document, _STYLE, _raw)


def _label(line: str) -> tuple[str, str] | None:
    """
    >>> _label("{Title}: On tides"), _label("{ISBN/ISSN}:1234-5678"), _label("{Abstract}：潮汐"), _label("{x} is a set")
    (('TITLE', 'On tides'), ('ISBN/ISSN', '1234-5678'), ('ABSTRACT', '潮汐'), None)
    """
    match = _LABEL.fullmatch(line)
    return (match[1].strip().upper(), match[2].strip(tagged.BLANKS)) if match else None


def _begins(label: str, _open: Record | None) -> bool:
    return label == _TYPE


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    numbers = tagged.one_a_line(record.texts("ISBN/ISSN", "ISSN", "ISBN"))
    known = {
        "title": record.texts("TITLE"),
        "translated_title": record.texts("TRANSLATED TITLE"),
        "abstract": labelled.without_marks(record.texts("ABSTRACT", "TRANSLATED ABSTRACT")),
        "author": labelled.people(record.texts("AUTHOR")),
        "translated author": labelled.people(record.texts("TRANSLATED AUTHOR")),
        "year": record.texts("YEAR", "DATE"),
        "venue": record.texts("JOURNAL", "SECONDARY TITLE", "TERTIARY TITLE"),
        "doi": record.texts("DOI"),
        "pmid": record.texts("PMID"),
        "url": tagged.addresses(record.texts("URL", "LINK")),
        "keyword": labelled.words(record.texts("KEYWORDS", "TRANSLATED KEYWORDS")),
        "language": record.texts("LANGUAGE"),
        "type": record.texts(_TYPE),
        "work type": record.texts("TYPE OF WORK"),
        "supervisor": labelled.people(record.texts("TERTIARY AUTHOR")),
        "isbn": [number for number in numbers if tagged.is_isbn(number)],
        "issn": [number for number in numbers if not tagged.is_isbn(number)],
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"))


def _claims(head: str) -> bool:
    return tagged.leads(head, _BEGINS, _label)


_STYLE = Style(_NAME, "records that begin with a line `{Reference Type}: Journal Article` (or another type)", _label, _begins)
FORMAT = Format(_NAME, (".net",), _claims, read)
