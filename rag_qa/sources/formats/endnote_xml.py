"""EndNote XML, as EndNote, Bookends, JabRef, Zotero and others write it, and that of EndNote 7 with its names in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from rag_qa.sources.formats import elements
from rag_qa.sources.formats.elements import Record
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
    given = _with_pmid(dict(_values(record.element)), record.element)
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


_PUBMED = re.compile(r"\b(?:nlm|pubmed|medline)\b", re.IGNORECASE)
_PUBMED_ADDRESS = re.compile(r"\bpubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d{1,8})\b", re.IGNORECASE)
_PMID = re.compile(r"\d{1,8}")
_MENDELEY_TYPES = {"0": "Journal Article", "31": "Generic"}


def _with_pmid(given: dict[str, list[str]], element: Element) -> dict[str, list[str]]:
    """The values, the accession number under "pmid" where it certainly is one."""
    numbers = given.get("accession-num", [])
    if not numbers or not all(map(_PMID.fullmatch, numbers)) or not (_is_of_pubmed(given) or _is_by_mendeley(element)):
        return given
    return {"pmid" if name == "accession-num" else name: values for name, values in given.items()}


def _is_of_pubmed(given: dict[str, list[str]]) -> bool:
    """Is the accession number that of PubMed: by the database that it is said to be from, or since an address there has it?"""
    source = " ".join(given.get("remote-database-name", []) + given.get("remote-database-provider", []))
    addresses = " ".join(value for name, values in given.items() if name.endswith("-urls") for value in values)
    return _PUBMED.search(source) is not None or not set(given["accession-num"]).isdisjoint(_PUBMED_ADDRESS.findall(addresses))


def _is_by_mendeley(element: Element) -> bool:
    """Mendeley has its own numbers for the kinds of documents, and its library is in no folder. It has no accession number but the PMID."""
    kind, library = element.find("ref-type"), element.find("database")
    if kind is None or library is None or kind.get("name") != _MENDELEY_TYPES.get(_styled(kind)):
        return False
    return library.get("path") == library.get("name") == _styled(library)


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
            put(_name(name, " ".join(values)), values)
    put("keyword", [word for value in fields.pop("keyword", ()) for word in value.split("\n")])
    put("notice", [notice for note in fields.get("note", ()) for notice in _NOTICE.findall(note)])
    return {name: values for name, values in fields.items() if values}


def _types(given: dict[str, list[str]]) -> list[str]:
    """The kinds of document, the one that says least at the end."""
    return [kind for name in ("work-type", "ref-type", "reference-type") for value in given.get(name, ()) for kind in re.split(r"[;\n]\s*", value)]


def _name(name: str, value: str) -> str:
    match name:
        case "custom2" if re.fullmatch(r"PMC\d+", value):
            return "pmcid"
        case "isbn" if re.fullmatch(r"\d{4}-?\d{3}[\dXx]\b.*", value, re.DOTALL):
            return "issn"
        case _:
            return _NAMES.get(name, name)


FORMAT = Format("EndNote XML", (".xml",), _claims, read)
