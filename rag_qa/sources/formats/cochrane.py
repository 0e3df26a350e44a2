"""The Cochrane Library's own text: `Record #1 of 271` begins a record, and each of its lines a label (`TI: `).

What is read as what:
- Names are written "Family Given A" or "Family GA", without a comma: where they are spelt out, one is put in.
- PM and XR are the numbers of the record in other databases: "PUBMED 12345".
- The headings say how many records there are: if the last ones are missing, the file may have been cut off, which is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rag_qa.sources.fields import names
from rag_qa.sources.formats import labelled, tagged
from rag_qa.sources.formats.labelled import Style
from rag_qa.sources.formats.tagged import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

_NAME = "Cochrane"
_HEADING = re.compile(r"[ \t]{0,9}Record #(\d{1,9} of \d{1,9})[ \t]*")
_COUNT = re.compile(r"\d{1,9}")
_LABEL = re.compile(r"([A-Z][A-Z0-9]{1,4}):(?:[ \t]+(.*)|)", re.S)
_KNOWN = frozenset("AB AD AU CC CN CY DOI DT ED ID IS ISBN ISSN KW KY LA NO PB PG PM PT PU SN SO ST TI TT UR URL US VL XR YR".split())
"""Any other word in capitals may be a part of an abstract ("AIM: ")."""
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}Record #\d{1,9} of \d{1,9}[ \t]*\n{1,9}ID:", re.M)
_NUMBER = "#"
_PUBMED = re.compile(r"\bPUBMED\s{1,9}(\d{1,8})\b", re.I)
_CHECK_TAG = "[checkword]"
_INITIALS = re.compile(r"[^\W\d_a-z]{1,4}")
_PARTICLES = frozenset("al bin da das de del della den der di do dos du el ibn la le les los st ter ten van von zu zur".split())
_JOINTS = frozenset("da das de del dos e i la las los y".split())
_NAMES = {
    "AD": "affiliation", "CC": "group", "CN": "call number", "CY": "address", "ED": "editor", "ID": "id", "IS": "issue", "ISBN": "isbn",
    "ISSN": "issn", "NO": "issue", "PB": "publisher", "PG": "pages", "PU": "publisher", "SN": "issn", "ST": "status", "VL": "volume",
    "XR": "accession", _NUMBER: "record number",
}  # fmt: skip
_USED = frozenset("AB AU DOI DT KW KY LA PM PT SO TI TT UR URL US YR".split())


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of an export of the Cochrane Library. Raises SourceError when it holds none."""
    last: Raw | None = None
    for found in labelled.read(document, _STYLE, _raw):
        last = found if isinstance(found, Raw) else last
        yield found
    if last and (missing := _missing(last)):
        yield Problem(document.path, last.line, missing, Trouble.REPAIRED)


def _missing(last: Raw) -> str:
    """What to say if the last record is not the last of those that there should be."""
    number, count = map(int, _COUNT.findall(last.fields["record number"][-1])[:2])
    return f"the last record is number {number} of {count}: the file may have been cut off" if number < count else ""


def _label(line: str) -> tuple[str, str] | None:
    """
    >>> _label("TI: On tides"), _label("Record #2 of 9"), _label("AIM: to study tides")
    (('TI', 'On tides'), ('#', '2 of 9'), None)
    """
    if heading := _HEADING.fullmatch(line):
        return _NUMBER, heading[1]
    match = _LABEL.match(line)
    return (match[1], (match[2] or "").strip(tagged.BLANKS)) if match and match[1] in _KNOWN else None


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    known = {
        "title": record.texts("TI")[:1],
        "translated_title": [*record.texts("TI")[1:], *record.texts("TT")],
        "abstract": record.texts("AB"),
        "author": [_person(name) for name in labelled.people(record.texts("AU"))],
        "year": record.texts("YR"),
        "venue": record.texts("SO"),
        "doi": record.texts("DOI"),
        "pmid": [match for text in record.texts("PM", "XR") for match in _PUBMED.findall(text)],
        "keyword": [word.replace(_CHECK_TAG, "") for word in labelled.words(record.texts("KY", "KW"))],
        "language": record.texts("LA"),
        "type": record.texts("PT", "DT"),
        "url": tagged.addresses(record.texts("US", "UR", "URL")),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"), "plain", next(iter(record.texts("ID")), ""))


def _person(name: str) -> str:
    """A name with a comma behind the family name.

    >>> _person("Crowther Caroline A"), _person("van den Donk Maureen"), _person("Smith JA"), _person("World Health Organization")
    ('Crowther, Caroline A', 'van den Donk, Maureen', 'Smith JA', 'World Health Organization')
    """
    words = name.split()
    given = next((at for at, word in reversed(list(enumerate(words))) if not _INITIALS.fullmatch(word)), 0)
    first = next((at for at, word in enumerate(words) if word.casefold() not in _PARTICLES), 0)
    end = _end_of_family(words, first)
    is_plain = "," in name or end > given  # initials alone are plain without a comma
    if is_plain or "," not in (names.person(" ".join(words[first:])) or ""):  # nor has a body one
        return name
    return f"{' '.join(words[:end])}, {' '.join(words[end:])}"


def _end_of_family(words: Sequence[str], first: int) -> int:
    """Behind which of the words the family name ends, the particles before it over: "Piedad", "Roqué i Figuls", "Pineda de la Losa"."""
    end = first + 1
    while end < len(words) and words[end] in _JOINTS:
        end += next((at for at, word in enumerate(words[end:]) if word not in _JOINTS), 0) + 1
    return end


def _claims(head: str) -> bool:
    return tagged.leads(head, _BEGINS, _label)


def _begins(label: str, _open: Record | None) -> bool:
    return label == _NUMBER


_STYLE = Style(_NAME, "records that begin with a line `Record #1 of 9`", _label, _begins)
FORMAT = Format(_NAME, (), _claims, read)
