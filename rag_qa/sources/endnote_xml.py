"""EndNote XML, as EndNote, Bookends, JabRef, Zotero and others write it, and that of EndNote 7 with its names in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from rag_qa.sources import elements
from rag_qa.sources.elements import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

_ROOTS = frozenset({"xml", "records", "record"})
_RECORD = re.compile(r"<record[\s>]", re.IGNORECASE)
_OWN = re.compile(r"<(?:ref-type|rec-number|source-app|reference_type|refnum|contributors)[\s>]", re.IGNORECASE)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a file, in its order. Raises SourceError when it has none."""
    for found in elements.records(document, ("record",)):
        yield _raw(found, document.path) if isinstance(found, Record) else found


def _claims(head: str) -> bool:
    return elements.root(head).lower() in _ROOTS and bool(_RECORD.search(head) and _OWN.search(head))


def _raw(record: Record, path: str) -> Raw | Problem:
    given = dict(_values(record.element))
    key = next((given[name][0] for name in ("rec-number", "refnum", "label") if given.get(name)), "")
    fields = _fields(given)
    if not fields:
        return Problem(path, record.line, "<record> holds nothing that EndNote says of a paper", Trouble.NOT_A_PAPER)
    return Raw(record.line, fields, markup="xml", key=key)


# --------------------------------------------------------------------------------------------------------------------- values

_GROUPS = frozenset("contributors titles periodical dates pub-dates copyright-dates urls keywords".split())
_PEOPLE = frozenset("authors secondary-authors tertiary-authors subsidiary-authors translated-authors".split())


def _values(element: Element) -> Iterator[tuple[str, list[str]]]:
    """(name, values) of each field of a record, whatever group it stands in."""
    found: dict[str, list[str]] = {}
    for name, child in _leaves(element):
        found.setdefault(name, []).extend(value for value in _texts(name, child) if value)
    yield from found.items()


def _leaves(element: Element) -> Iterator[tuple[str, Element]]:
    for child in element:
        name = child.tag.lower().replace("_", "-")
        if name in _GROUPS:
            yield from _leaves(child)
        elif name in _PEOPLE or name.endswith("-urls"):
            yield from ((name, each) for each in child)
        else:
            yield name, child


def _texts(name: str, element: Element) -> list[str]:
    text = _styled(element)
    if name == "ref-type":
        return [element.get("name") or _REF_TYPES.get(text, text)]
    return [_OLD_TYPES.get(text, text) if name == "reference-type" else text]


_REF_TYPES = {
    "5": "Book Section",
    "6": "Book",
    "10": "Conference Proceedings",
    "12": "Web Page",
    "13": "Generic",
    "17": "Journal Article",
    "25": "Patent",
    "27": "Report",
    "28": "Edited Book",
    "32": "Thesis",
    "34": "Unpublished Work",
    "43": "Electronic Article",
    "47": "Conference Paper",
    "59": "Dataset",
}
"""What the numbers mean, for files that leave the names out."""
_OLD_TYPES = {
    "0": "Journal Article",
    "1": "Book",
    "2": "Thesis",
    "3": "Conference Proceedings",
    "7": "Book Section",
    "9": "Edited Book",
    "10": "Report",
    "15": "Patent",
}
"""What they meant in EndNote 7."""


# The letters of the font Symbol, in which EndNote writes Greek ones.
_SYMBOL = str.maketrans("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ")
_LAYOUT = re.compile(r"[ \t\n]+")
_BREAK = re.compile(r" *\r+ *")


def _styled(element: Element) -> str:
    """What stands in a field: the text of all its runs, those above and below the line as <sup> and <sub>.

    EndNote writes the ends of lines as &#13;, so that those are not layout, which all the other white space is.
    """
    parts = [element.text or ""]
    for run in element:
        parts.append(_run(run) if run.tag.lower() == "style" else elements.inner(run))
        # between two runs, a pretty-printer puts lines that the text has not
        parts.append("" if run.tail is None or (run.tail.isspace() and "\n" in run.tail) else run.tail)
    return _BREAK.sub("\n", _LAYOUT.sub(" ", "".join(parts)).strip())


def _run(run: Element) -> str:
    text = "".join(run.itertext())
    if run.get("font", "").lower() == "symbol":
        text = text.translate(_SYMBOL)
    tag = next((tag for face, tag in (("superscript", "sup"), ("subscript", "sub")) if face in run.get("face", "")), "")
    return f"<{tag}>{text}</{tag}>" if tag and text.strip() else text


# --------------------------------------------------------------------------------------------------------------------- fields

_NAMES = {
    "authors": "author",
    "secondary-authors": "editor",
    "tertiary-authors": "series editor",
    "subsidiary-authors": "translator",
    "translated-authors": "translated author",
    "translated-title": "translated_title",
    "tertiary-title": "series",
    "alt-title": "other title",
    "short-title": "short title",
    "full-title": "venue",
    "abbr-1": "journal abbreviation",
    "electronic-resource-num": "doi",
    "number": "issue",
    "pub-location": "address",
    "auth-address": "affiliation",
    "related-urls": "url",
    "web-urls": "url",
    "text-urls": "url",
    "image-urls": "image",
    "pdf-urls": "file",
    "accession-num": "accession number",
    "notes": "note",
    "research-notes": "research note",
    "remote-database-name": "database",
    "remote-database-provider": "database provider",
    # EndNote 7
    "place-published": "address",
    "accession-number": "accession number",
}
_ABOUT_THE_LIBRARY = frozenset("database source-app foreign-keys rec-number refnum alt-periodical modified-date added-date".split())
_READ_APART = frozenset("secondary-title work-type ref-type reference-type".split())
# What is no part of something larger: its second title is a series, its maker's name, a department.
_WHOLE = re.compile(r"book$|edited book|thesis|report|patent|computer program|web page|map|film|statute|standard|dataset", re.IGNORECASE)
_PUBMED = re.compile(r"\b(?:nlm|pubmed|medline)\b", re.IGNORECASE)
_NOTICE = re.compile(
    r"^[^\w\n]*((?:retract|errat|corrig|expression of concern|update)\w*[^\n:]{0,20}\b(?:in|of|for)\b[^\n]*)", re.IGNORECASE | re.MULTILINE
)


def _fields(given: dict[str, list[str]]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}

    def put(name: str, values: list[str]) -> None:
        fields.setdefault(name, []).extend(value for value in values if value not in fields.get(name, ()))

    put("type", _types(given))
    put("series" if _WHOLE.search(" ".join(fields["type"])) else "venue", given.get("secondary-title", []))
    for name, values in given.items():
        if name not in _ABOUT_THE_LIBRARY | _READ_APART:
            put(_name(name, given), values)
    put("keyword", [word for value in fields.pop("keyword", ()) for word in value.split("\n")])
    put("notice", [notice for note in fields.get("note", ()) for notice in _NOTICE.findall(note)])
    return {name: values for name, values in fields.items() if values}


def _types(given: dict[str, list[str]]) -> list[str]:
    """The kinds of document, the one that says least at the end."""
    return [kind for name in ("work-type", "ref-type", "reference-type") for value in given.get(name, ()) for kind in re.split(r"[;\n]\s*", value)]


def _name(name: str, given: dict[str, list[str]]) -> str:
    value = " ".join(given[name])
    source = " ".join(given.get("remote-database-name", []) + given.get("remote-database-provider", []))
    match name:
        case "accession-num" if value.isdigit() and _PUBMED.search(source):
            return "pmid"
        case "custom2" if re.fullmatch(r"PMC\d+", value):
            return "pmcid"
        case "isbn" if re.fullmatch(r"\d{4}-?\d{3}[\dXx]\b.*", value, re.DOTALL):
            return "issn"
        case _:
            return _NAMES.get(name, name)


FORMAT = Format("EndNote XML", (".xml",), _claims, read)
