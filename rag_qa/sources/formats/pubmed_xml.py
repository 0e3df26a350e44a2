"""PubMed XML (efetch, the yearly baseline, books) and the XML of Europe PMC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from xml.etree.ElementTree import Element

from rag_qa.sources.formats import elements
from rag_qa.sources.formats.elements import Record, first, inner, texts
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

Fields = dict[str, list[str]]

_ROOTS = frozenset("PubmedArticleSet PubmedArticle PubmedBookArticleSet PubmedBookArticle MedlineCitationSet MedlineCitation BookDocumentSet".split())
_EUROPE_PMC = re.compile(r"<(?:abstractText|authorString|pubYear|pmid)>")  # many a service answers with a list of results
_RECORDS = ("PubmedArticle", "PubmedBookArticle", "result")
_BARE = ("MedlineCitation", "BookDocument")

# Links to other papers that tell something about this one. The others (comments, reprints, data) are no notice.
_NOTICES = re.compile("Retract|Erratum|Concern|Corrected|Update|Withdraw")
_NO_LABEL = frozenset({"", "UNLABELLED", "UNASSIGNED"})
_NO_TITLE = re.compile(r"\W*(?:not available|in process citation)\W*", re.IGNORECASE)


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a file, in its order. Raises SourceError when it has none."""
    for found in elements.records(document, _RECORDS, bare=_BARE):
        yield _raw(found, document.path) if isinstance(found, Record) else found


def _raw(record: Record, path: str) -> Raw | Problem:
    found = _KINDS[record.element.tag.lower()](record.element)
    fields = {name: values for name, given in found.items() if (values := [value for value in given if value])}
    if not fields:
        return Problem(path, record.line, f"<{record.element.tag}> holds nothing that PubMed says of a paper", Trouble.NOT_A_PAPER)
    key = next((f"{name} {fields[name][0]}" for name in ("pmid", "id") if name in fields), "")
    return Raw(record.line, fields, markup="xml", key=key)


def _claims(head: str) -> bool:
    name = elements.root(head)
    return name in _ROOTS or (name in ("responseWrapper", "resultList") and "<result>" in head and bool(_EUROPE_PMC.search(head)))


# ------------------------------------------------------------------------------------------------------------------- articles


def _article(element: Element) -> Fields:
    """Of a PubmedArticle."""
    fields = _citation(found) if (found := element.find("MedlineCitation")) is not None else {}
    # only of the paper itself: its references have ids too
    return _merged(fields, _identifiers(element, "PubmedData/ArticleIdList/ArticleId"))


def _citation(element: Element) -> Fields:
    """Of a MedlineCitation."""
    title, original = first(element, "Article/ArticleTitle"), first(element, "Article/VernacularTitle")
    if _NO_TITLE.fullmatch(title):
        title = ""
    fields: Fields = {
        "title": _given(title or original),
        "translated_title": _given(original if title else ""),
        "abstract": [*_abstracts(element, "Article/Abstract"), *_other_abstracts(element)],
        "author": _authors(element, "Article/AuthorList"),
        "year": _dates(element, "Article/Journal/JournalIssue/PubDate", "Article/ArticleDate"),
        "venue": texts(element, "Article/Journal/Title") or texts(element, "MedlineJournalInfo/MedlineTA"),
        "pmid": texts(element, "PMID")[:1],
        "keyword": [*texts(element, "KeywordList/Keyword"), *texts(element, "MeshHeadingList/MeshHeading/DescriptorName")],
        "language": texts(element, "Article/Language"),
        "type": _types(texts(element, "Article/PublicationTypeList/PublicationType")),
        **_links(element),
        **_others(element, _MORE_OF_AN_ARTICLE),
        "pages": _pages(element, "Article/Pagination"),
        "plain language summary": list(_other_abstracts(element, plain=True)),
    }
    return _merged(fields, _identifiers(element, "Article/ELocationID"))


_MORE_OF_AN_ARTICLE = {
    "volume": "Article/Journal/JournalIssue/Volume",
    "issue": "Article/Journal/JournalIssue/Issue",
    "issn": "Article/Journal/ISSN",
    "journal abbreviation": "Article/Journal/ISOAbbreviation",
    "affiliation": "Article/AuthorList/Author//Affiliation",
    "copyright": "Article/Abstract/CopyrightInformation",
    "databank": "Article/DataBankList/DataBank/AccessionNumberList/AccessionNumber",
    "grant": "Article/GrantList/Grant/GrantID",
    "chemical": "ChemicalList/Chemical/NameOfSubstance",
    "country": "MedlineJournalInfo/Country",
    "nlm id": "MedlineJournalInfo/NlmUniqueID",
    "note": "GeneralNote",
}


def _other_abstracts(element: Element, *, plain: bool = False) -> Iterator[str]:
    """Abstracts in other languages, or with `plain` those for laymen."""
    for other in element.iterfind("OtherAbstract"):
        if (other.get("Type") == "plain-language-summary") is plain:
            yield from _given(_abstract(other))


# ---------------------------------------------------------------------------------------------------------------------- books


def _book_article(element: Element) -> Fields:
    """Of a PubmedBookArticle."""
    fields = _book(found) if (found := element.find("BookDocument")) is not None else {}
    return _merged(fields, _identifiers(element, "PubmedBookData/ArticleIdList/ArticleId"))


def _book(element: Element) -> Fields:
    """Of a BookDocument: a chapter if it has a title of its own, else the book."""
    chapter, book = first(element, "ArticleTitle"), first(element, "Book/BookTitle")
    fields = {
        "title": _given(chapter or book),
        "translated_title": texts(element, "VernacularTitle"),
        "abstract": _abstracts(element, "Abstract"),
        "author": _authors(element, "AuthorList") or _authors(element, "Book/AuthorList"),
        "year": _dates(element, "Book/PubDate", "ContributionDate"),
        "venue": _given(book if chapter else ""),
        "pmid": texts(element, "PMID")[:1],
        "keyword": texts(element, "KeywordList/Keyword"),
        "language": texts(element, "Language"),
        "type": [*texts(element, "PublicationType"), *_kind_of_book(chapter, book)],
        **_links(element),
        **_others(element, _MORE_OF_A_BOOK),
        "editor": _authors(element, "Book/AuthorList", editors=True),
        "pages": _pages(element, "Pagination"),
    }
    return _merged(fields, _identifiers(element, "ArticleIdList/ArticleId", "ELocationID", *(() if chapter else ("Book/ELocationID",))))


_MORE_OF_A_BOOK = {
    "publisher": "Book/Publisher/PublisherName",
    "address": "Book/Publisher/PublisherLocation",
    "series": "Book/CollectionTitle",
    "volume": "Book/Volume",
    "edition": "Book/Edition",
    "isbn": "Book/Isbn",
    "affiliation": "AuthorList/Author//Affiliation",
    "copyright": "Abstract/CopyrightInformation",
    "grant": "GrantList/Grant/GrantID",
}


def _kind_of_book(chapter: str, book: str) -> list[str]:
    if not book:
        return []
    return ["Book Chapter"] if chapter else ["Book"]


# ----------------------------------------------------------------------------------------------------------------- Europe PMC


def _result(element: Element) -> Fields:
    """Of a result of Europe PMC."""
    is_pubmed = first(element, "source") == "MED"
    return {
        "title": texts(element, "title"),
        "abstract": texts(element, "abstractText"),
        "author": list(map(_european_name, element.iterfind("authorList/author"))) or first(element, "authorString").rstrip(".").split(", "),
        "year": texts(element, "pubYear") or texts(element, "firstPublicationDate"),
        "venue": [*texts(element, "journalInfo/journal/title"), *texts(element, "journalTitle"), *texts(element, "bookOrReportDetails/publisher")][
            :1
        ],
        "doi": texts(element, "doi") or texts(element, "DOI"),
        "pmid": texts(element, "pmid") or (texts(element, "id") if is_pubmed else []),
        "keyword": [*texts(element, "keywordList/keyword"), *texts(element, "meshHeadingList/meshHeading/descriptorName")],
        "language": texts(element, "language"),
        "type": _types([*texts(element, "pubTypeList/pubType"), *re.split(r";\s*", first(element, "pubType"))]),
        "notice": [_european_link(link) for link in element.iterfind("commentCorrectionList/commentCorrection")],
        **_others(element, _MORE_OF_A_RESULT),
        "id": [] if is_pubmed else [" ".join([*texts(element, "source"), *texts(element, "id")])],
    }


_MORE_OF_A_RESULT = {
    "pmcid": "pmcid",
    "volume": "journalInfo/volume",
    "issue": "journalInfo/issue",
    "issn": "journalInfo/journal/ISSN",
    "pages": "pageInfo",
    "affiliation": "affiliation",
}


def _european_link(link: Element) -> str:
    kind = first(link, "type")
    return f"{kind}: {first(link, 'reference')} {first(link, 'id')}" if _NOTICES.search(kind) else ""


def _european_name(author: Element) -> str:
    family, given = first(author, "lastName"), first(author, "firstName") or first(author, "initials")
    return _name(family, given) or first(author, "collectiveName") or first(author, "fullName")


# ---------------------------------------------------------------------------------------------------------------------- parts

_KINDS: dict[str, Callable[[Element], Fields]] = {
    "pubmedarticle": _article,
    "medlinecitation": _citation,
    "pubmedbookarticle": _book_article,
    "bookdocument": _book,
    "result": _result,
}


def _given(text: str) -> list[str]:
    return [text] if text else []


def _merged(fields: Fields, more: Fields) -> Fields:
    return fields | {name: list(dict.fromkeys([*fields.get(name, ()), *values])) for name, values in more.items()}


def _others(element: Element, paths: dict[str, str]) -> Fields:
    return {name: list(dict.fromkeys(texts(element, path))) for name, path in paths.items()}


def _abstracts(element: Element, path: str) -> list[str]:
    return [text for found in element.iterfind(path) if (text := _abstract(found))]


def _abstract(element: Element) -> str:
    """The sections of an abstract, a line each."""
    sections = ((found.get("Label", ""), inner(found)) for found in element.iterfind("AbstractText"))
    return "\n".join(text if label.strip().upper() in _NO_LABEL else f"{label.strip().rstrip(':')}: {text}" for label, text in sections if text)


def _authors(element: Element, path: str, *, editors: bool = False) -> list[str]:
    lists = (found for found in element.iterfind(path) if (found.get("Type") == "editors") is editors)
    # a name with ValidYN="N" is a misprint; the right one stands beside it
    return [name for found in lists for author in found.iterfind("Author") if author.get("ValidYN") != "N" and (name := _author(author))]


def _author(author: Element) -> str:
    given = first(author, "ForeName") or first(author, "FirstName") or first(author, "Initials")
    return _name(first(author, "LastName"), " ".join([given, *texts(author, "Suffix")]).strip()) or first(author, "CollectiveName")


def _name(family: str, given: str) -> str:
    return f"{family}, {given}" if family and given else family or given


def _dates(element: Element, *paths: str) -> list[str]:
    return [date for path in paths for found in element.iterfind(path) if (date := " ".join(texts(found, "*")))]


def _pages(element: Element, path: str) -> list[str]:
    return texts(element, f"{path}/MedlinePgn") or _given("-".join(texts(element, f"{path}/StartPage") + texts(element, f"{path}/EndPage")))


def _types(found: Iterable[str]) -> list[str]:
    """The kinds of document, the one that says least at the end."""
    return sorted(filter(None, found), key=lambda kind: kind.casefold() in ("journal article", "research-article"))


def _identifiers(element: Element, *paths: str) -> Fields:
    fields: Fields = {}
    for found in (found for path in paths for found in element.iterfind(path)):
        kind = found.get("IdType") or found.get("EIdType") or ""
        if (name := _IDENTIFIERS.get(kind)) and found.get("ValidYN") != "N" and (text := inner(found)):
            fields.setdefault(name, []).append(text)
    return fields


_IDENTIFIERS = {"doi": "doi", "pubmed": "pmid", "pmc": "pmcid", "pii": "pii", "bookaccession": "bookshelf id"}


def _links(element: Element) -> Fields:
    """Notices, and other papers that belong to this one, by what they are to it ("Erratum in", "Comment on")."""
    fields: Fields = {}
    for link in element.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        kind = link.get("RefType", "")
        if kind == "Cites":
            continue
        relation = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=and)(?=republished)|(?<=Corrected)(?=and)|(?<=Retracted)(?=and)", " ", kind).capitalize()
        source = " ".join([*texts(link, "RefSource"), *(f"PMID: {pmid}" for pmid in texts(link, "PMID")), *texts(link, "Note")])
        if _NOTICES.search(kind):
            fields.setdefault("notice", []).append(f"{relation}: {source}".strip())
        else:
            fields.setdefault(relation.lower(), []).append(source)
    return fields


FORMAT = Format("PubMed XML", (".xml",), _claims, read)
