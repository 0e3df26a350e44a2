"""Feeds of preprints: the Atom feeds of arXiv's search, and what arXiv and other archives offer for harvesting (OAI-PMH)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from rag_qa.errors import SourceError
from rag_qa.sources.formats import elements
from rag_qa.sources.formats.elements import Record, first, texts
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

Fields = dict[str, list[str]]

# Feeds of news begin in these ways too. They are claimed, so that who has one reads that it can't be used, and why.
_ROOTS = frozenset({"feed", "rss", "RDF", "OAI-PMH", "ListRecords", "arXiv", "arXivRaw"})
_RECORDS = ("entry", "record")
_BARE = ("arXiv", "arXivRaw", "dc")

_ARXIV = re.compile(r"arxiv\.org/abs/(.+)", re.IGNORECASE)
_ERROR = re.compile(r"arxiv\.org/api/errors", re.IGNORECASE)
_WITHDRAWING = (
    r"(?:paper|article|submission|manuscript|work|preprint|version)\s+(?:has\s+been|have\s+been|was|is|is\s+being)\s+(?:\w+\s+)?withdrawn\b"
)
_WITHDRAWN_COMMENT = re.compile(rf"^\W*(?:paper\s+)?withdrawn\b|\b{_WITHDRAWING}|\bwithdrawn\s+by\b", re.IGNORECASE)
_WITHDRAWN_ABSTRACT = re.compile(rf"^\W*(?:paper\s+)?withdrawn\b|\bthis\s+{_WITHDRAWING}", re.IGNORECASE)  # others may write about withdrawals


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a file, in its order. Raises SourceError when it has none, or is a feed of something else."""
    held: list[Problem] = []  # until there is a paper: a feed of something else is refused as a whole
    is_of_papers = False
    for found in elements.records(document, _RECORDS, bare=_BARE):
        result = _read(found, document.path) if isinstance(found, Record) else found
        if isinstance(result, Problem) and not is_of_papers:
            held.append(result)
            continue
        is_of_papers = True
        yield from held
        held = []
        yield result
    if strange := next((problem for problem in held if problem.reason == _NOT_ARXIV), None):
        expected = "papers of arXiv, or records that an archive offers for harvesting"
        raise SourceError(document.path, strange.line, found="a feed of something else than papers", expected=expected)
    yield from held


_NOT_ARXIV = "an entry that is not of arXiv"


def _read(record: Record, path: str) -> Raw | Problem:
    element = record.element
    match element.tag.lower():
        case "entry":
            return _entry(record, path)
        case "record":
            return _harvested(record, path)
        case _:
            return _raw(record.line, _metadata(element))


def _claims(head: str) -> bool:
    return elements.root(head) in _ROOTS


def _raw(line: int, fields: Fields) -> Raw:
    given = {name: found for name, values in fields.items() if (found := [value for value in values if value])}
    key = next((given[name][0] for name in ("arxiv", "id", "doi") if name in given), "")
    return Raw(line, given, markup="xml", key=key)


# ----------------------------------------------------------------------------------------------------------------------- Atom


def _entry(record: Record, path: str) -> Raw | Problem:
    element = record.element
    address = first(element, "id")
    if _ERROR.search(address):
        return Problem(path, record.line, f"not a paper, but an error of arXiv: {first(element, 'summary')!r}; ask it again", Trouble.NOT_A_PAPER)
    arxiv = _ARXIV.search(address)
    if not arxiv:
        return Problem(path, record.line, _NOT_ARXIV, Trouble.NOT_A_PAPER)
    summary, comments = first(element, "summary"), texts(element, "comment")
    return _raw(
        record.line,
        {
            "title": texts(element, "title"),
            "abstract": [summary],
            "author": texts(element, "author/name"),
            "year": [first(element, "published"), first(element, "updated")],
            "arxiv": [arxiv.group(1)],
            "doi": texts(element, "doi"),
            "url": [address],
            "type": ["preprint"],
            "notice": _withdrawals(summary, comments),
            "comment": comments,
            "journal reference": texts(element, "journal_ref"),
            "category": _categories(element),
            "affiliation": list(dict.fromkeys(texts(element, "author/affiliation"))),
        },
    )


def _categories(element: Element) -> list[str]:
    """The codes of arXiv's categories, the primary one first; they are no words that anyone searches for."""
    found = [*element.iterfind("primary_category"), *element.iterfind("category")]
    return list(dict.fromkeys(term for each in found if (term := each.get("term"))))


def _withdrawals(abstract: str, comments: list[str]) -> list[str]:
    told = [text for text in comments if _WITHDRAWN_COMMENT.search(text)] + ([abstract] if _WITHDRAWN_ABSTRACT.search(abstract) else [])
    return [f"Withdrawn: {told[0][:300]}"] if told else []


# -------------------------------------------------------------------------------------------------------------------- OAI-PMH


def _harvested(record: Record, path: str) -> Raw | Problem:
    header = record.element.find("header")
    identifier = first(record.element, "header/identifier")
    if header is not None and header.get("status") == "deleted":
        return Problem(path, record.line, f"the archive has deleted this record ({identifier})", Trouble.NOT_A_PAPER)
    metadata = next(iter(record.element.iterfind("metadata/*")), None)
    if metadata is None or metadata.tag.lower() not in _METADATA:
        tag = "nothing" if metadata is None else f"<{metadata.tag}>"
        return Problem(path, record.line, f"a record of {tag}, expected <arXiv> or <oai_dc:dc>; harvest it as oai_dc", Trouble.MALFORMED)
    return _raw(record.line, {**_metadata(metadata), "id": [identifier]})


def _metadata(element: Element) -> Fields:
    return _METADATA[element.tag.lower()](element)


def _arxiv(element: Element) -> Fields:
    abstract, comments = first(element, "abstract"), texts(element, "comments")
    people = [", ".join(filter(None, (first(author, "keyname"), _given_names(author)))) for author in element.iterfind("authors/author")]
    return {
        "title": texts(element, "title"),
        "abstract": [abstract],
        "author": people or re.split(r",\s+(?:and\s+)?|\s+and\s+", first(element, "authors")),
        "year": texts(element, "created") or texts(element, "version/date"),
        "arxiv": texts(element, "id"),
        "doi": texts(element, "doi"),
        "type": ["preprint"],
        "notice": _withdrawals(abstract, comments),
        "comment": comments,
        "journal reference": texts(element, "journal-ref"),
        "category": first(element, "categories").split(),
        "license": texts(element, "license"),
    }


def _given_names(author: Element) -> str:
    return " ".join(filter(None, (first(author, "forenames"), first(author, "suffix"))))


def _dublin_core(element: Element) -> Fields:
    identifiers = texts(element, "identifier")
    descriptions = texts(element, "description")
    return {
        "title": texts(element, "title")[:1],
        "translated_title": texts(element, "title")[1:],
        "abstract": [text for text in descriptions if not text.startswith("Comment:")],
        "author": texts(element, "creator"),
        "year": texts(element, "date"),
        "venue": texts(element, "source"),
        "doi": [text for text in identifiers if re.match(r"(?:doi:|https?://(?:dx\.)?doi\.org/|10\.)", text, re.IGNORECASE)],
        "url": [text for text in identifiers if "://" in text],
        "keyword": texts(element, "subject"),
        "language": texts(element, "language"),
        "type": texts(element, "type"),
        "notice": _withdrawals("", descriptions),
        "comment": [text for text in descriptions if text.startswith("Comment:")],
        "publisher": texts(element, "publisher"),
        "identifier": identifiers,
        "relation": texts(element, "relation"),
        "rights": texts(element, "rights"),
    }


_METADATA = {"arxiv": _arxiv, "arxivraw": _arxiv, "dc": _dublin_core}

FORMAT = Format("arXiv Atom", (".atom", ".xml"), _claims, read)
