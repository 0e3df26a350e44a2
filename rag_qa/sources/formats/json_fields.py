"""An object of JSON -> FIELDS: the shapes in which Zotero, Crossref, OpenAlex, Semantic Scholar, OpenReview and the like write a work.

One way for all: a field is looked for at the paths where any of them has it, and a value is a text in whatever it is wrapped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag_qa.sources.formats import cells
from rag_qa.sources.formats.columns import Certainty, extra_name, is_common_extra, letters, meaning
from rag_qa.sources.formats.json_values import Value

Object = Mapping[str, Value]
Fields = dict[str, list[str]]

# --------------------------------------------------------------------------------------------------------------------------- wrappers

_WRAPPERS = (
    "metadata content attributes info data _source citingPaper citedPaper paper bibjson row work article publication document doc item record csl "
    "original_record"
).split()
_MERGED = "metadata"
"""Merged even if it has no title: BEIR keeps authors and address there."""

_NOT_A_TITLE = frozenset(letters(name) for name in ("display name", "name", "headline", "ti", "t1", "title s"))
"""Names that mean a title only of an object that is surely a work."""
_OF_A_WORK = frozenset(
    "abstract abstractNote abstract_inverted_index abstract_s authorships author authors creator creators authFullName_s container-title "
    "publication_year datePublished year doi DOI itemType paperId AB AU".split()
)


def unwrapped(found: Object) -> Object:
    """An object with what databases wrap the work in at the top level: OpenReview's content, DBLP's info, DataCite's attributes...

    >>> unwrapped({"id": "x", "content": {"title": {"value": "Tides"}}})
    {'id': 'x', 'title': 'Tides'}
    """
    for name in _WRAPPERS:
        inner = found.get(name)
        if isinstance(inner, dict) and (name == _MERGED or has_title_or_abstract(inner)):
            found = {**found, **{key: _bare(value) for key, value in inner.items()}}
            del found[name]
    return found


def _bare(value: Value) -> Value:
    """OpenReview's second version says of each value who may read it."""
    return value["value"] if isinstance(value, dict) and "value" in value and value.keys() <= {"value", "readers"} else value


def has_title_or_abstract(found: Object) -> bool:
    """Is it a work, by its own keys?

    >>> [has_title_or_abstract(found) for found in ({"title": None}, {"title": {"id": 3}, "count": 1}, {"_id": 1, "text": ""})]
    [True, False, True]
    """
    return any(_tells(found, key) for key in found) or {"_id", "text"} <= found.keys()


def is_surely_work(found: Object) -> bool:
    """Does it have, besides a title, what only works have: authors, an abstract, a DOI...?"""
    return not _OF_A_WORK.isdisjoint(found)


def _tells(found: Object, key: str) -> bool:
    plain = key.removeprefix("dc:")
    said = meaning(plain)
    if said is None or said.field not in ("title", "abstract") or said.certainty == Certainty.LAST_RESORT:
        return key == "abstract_inverted_index"
    if said.field == "title" and letters(plain) in _NOT_A_TITLE and not is_surely_work(found):
        return False
    value = found[key]
    return value is None or bool(texts(value)) or value in ("", [])


# ------------------------------------------------------------------------------------------------------------------------------ texts

_TEXT_KEYS = (
    "value",
    "_",
    "#text",
    "text",
    "$",
    "content",
    "name",
    "display_name",
    "title",
    "term",
    "keyword",
    "subject",
    "tag",
    "label",
    "p",
    "description",
)


def texts(value: Value) -> list[str]:
    """The texts in a value, in whatever they are wrapped.

    >>> texts({"value": "Tides"}), texts([{"tag": "moss"}, "bog", None]), texts(2019.0), texts({"other": 1})
    (['Tides'], ['moss', 'bog'], ['2019'], [])
    """
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [_number(value)] if math.isfinite(value) else []
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    inner = next((value[key] for key in _TEXT_KEYS if key in value and value[key] not in (None, "")), None)
    return texts(inner)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else str(value)


def at(found: Value | Object, path: str) -> Value:
    """What stands at a path; through a list it leads to all its elements.

    >>> at({"titles": [{"title": "A"}, {"title": "B"}]}, "titles.title"), at({"a.b": 1}, "a.b"), at({}, "a.b")
    (['A', 'B'], 1, None)
    """
    if isinstance(found, list):
        inner: list[Value] = [value for part in found if (value := at(part, path)) is not None]
        return inner or None
    if not isinstance(found, Mapping):
        return None
    if path in found:
        return found[path]
    head, dot, rest = path.partition(".")
    return at(found.get(head), rest) if dot else None


def _first(found: Object, paths: Iterable[str]) -> list[str]:
    return next((values for path in paths if (values := texts(at(found, path)))), [])


# ------------------------------------------------------------------------------------------------------------------------------ titles

_TITLES = ("title", "titles", "title_display", "title_s", "dc:title", "paper_title", "display_name", "headline")
_ORIGINAL = ("original-title", "original_title", "titleTranslated", "translatedTitle")


def _titles(found: Object) -> Fields:
    value = next((value for path in _TITLES if texts(value := found.get(path))), None)
    if isinstance(value, list) and any(isinstance(part, dict) and "titleType" in part for part in value):
        return _datacite_titles(value)
    all_titles = texts(value) or texts(_similar(found, "title", upto=Certainty.LAST_RESORT)[1])
    others = [*all_titles[1:], *_first(found, _ORIGINAL)]
    parts = [*all_titles[:1], *_first(found, ("subtitle", "titles.subtitle", "subTitle_s"))]
    return {"title": parts, "translated_title": others}


def _datacite_titles(titles: Sequence[Value]) -> Fields:
    """Crossref has one title and perhaps a subtitle; DataCite says what each of several is."""
    kinds = [(str(part.get("titleType") or ""), texts(part)) for part in titles if isinstance(part, dict)]
    main = [text for kind, found in kinds if not kind for text in found][:1] or kinds[0][1]
    return {
        "title": [*main, *(text for kind, found in kinds if kind == "Subtitle" for text in found)],
        "translated_title": [text for kind, found in kinds if kind in ("TranslatedTitle", "AlternativeTitle") for text in found],
    }


def _similar(found: Object, field: str, *, upto: Certainty = Certainty.SIMILAR) -> tuple[str, Value]:
    """The key that means the field by its name, and what it holds; surer ones first; ("", None) if there is none."""
    said = [(told, key) for key in found if (told := meaning(key)) and told.field == field and told.certainty <= upto]
    return next(((key, found[key]) for _, key in sorted(said) if found[key] not in (None, "", [], {})), ("", None))


# --------------------------------------------------------------------------------------------------------------------------- abstracts

_ABSTRACTS = (
    "abstract",
    "abstractText",
    "abstractNote",
    "abstract_inverted_index",
    "abstracts",
    "dc:description",
    "abstract_s",
    "descriptions",
    "summary",
)
_LESSER_ABSTRACTS = ("description", "text", "excerpt", "body", "dcdescription")
"""Zenodo's, BEIR's and others': only where there is no abstract."""
_MOST_WORDS = 100_000
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?")
_SECTION_KEYS = ("label", "Label", "@Label", "heading", "nlmCategory", "section")


def _abstracts(found: Object) -> list[str]:
    # Crossref describes data sets and databases, which have no abstract
    for key in _ABSTRACTS if "indexed" in found else (*_ABSTRACTS, *_LESSER_ABSTRACTS):
        if values := _abstracts_of(key, found.get(key)):
            return values
    return _abstracts_of(*_similar(found, "abstract"))


def _abstracts_of(key: str, value: Value) -> list[str]:
    """One text an abstract. A list holds its paragraphs or sections, unless it says that they are in several languages or from several sources."""
    if isinstance(value, dict):
        return _wrapped_abstract(value)
    if not isinstance(value, list):
        return texts(value)
    if key == "descriptions":
        value = _abstracts_among(value)
    several = key.endswith("_s") or any(isinstance(part, dict) and not _SEVERAL.isdisjoint(part) for part in value)
    found = texts(value) if several else ["\n".join(dict.fromkeys(_sections(value)))]
    return [text for text in found if text]


_SEVERAL = frozenset("lang language @lang xml:lang locale source descriptionType".split())
_SECTION = frozenset(_SECTION_KEYS)


def _wrapped_abstract(value: dict[str, Value]) -> list[str]:
    if positions := [part for part in value.values() if isinstance(part, list) and part and all(isinstance(place, int) for place in part)]:
        return [_in_word_order(value)] if len(positions) == len(value) else []
    if inner := texts(value):
        return ["\n".join(inner)] if "p" in value else inner
    filled = {key: parts for key, part in value.items() if (parts := texts(part))}
    if filled and all(map(_LANGUAGE.fullmatch, filled)):
        return [" ".join(parts) for parts in filled.values()]
    return ["\n".join(f"{key}: {' '.join(parts)}" for key, parts in filled.items())] if filled else []


def _in_word_order(index: Mapping[str, Value]) -> str:
    """OpenAlex's index of the words of an abstract, as a text again.

    >>> _in_word_order({"tides": [1, 3], "We": [0], "and": [2]})
    'We tides and tides'
    """
    places = sorted(
        (place, word) for word, found in index.items() if isinstance(found, list) for place in found[:_MOST_WORDS] if isinstance(place, int)
    )
    return " ".join(word for _, word in places)


def _sections(value: Sequence[Value]) -> Iterator[str]:
    for part in value:
        if isinstance(part, dict):
            label = next((text for key in _SECTION_KEYS for text in texts(part.get(key)) if text.casefold() != "abstract"), "")
            body = " ".join(texts({key: inner for key, inner in part.items() if key not in _SECTION}))
        else:
            label, body = "", " ".join(texts(part))
        if body:
            yield f"{label}: {body}" if label else body


def _abstracts_among(descriptions: Sequence[Value]) -> list[Value]:
    """DataCite's descriptions that are abstracts; the first, if none says so."""
    said = [part for part in descriptions if isinstance(part, dict) and part.get("descriptionType") == "Abstract"]
    return list(said or descriptions[:1])


# ------------------------------------------------------------------------------------------------------------------------------ people

_PEOPLE = (
    "authors_parsed authorships author authors authorList creators creator authFullName_s author_display dc:creator authorString author_names "
    "contributors names"
).split()
_FAMILY = tuple("family familyName family_name last_name lastName surname lastname last LastName".split())
_GIVEN = tuple("given givenName given-name given_name first_name firstName forename firstname first ForeName FirstName initials Initials".split())
_WHOLE = (
    "author literal full_name fullName name display_name displayName raw_author_name authname preferred_name creator text collectiveName $ value"
).split()
_INNER = ("author", "authors", "creator", "creators")
_NOT_AUTHORS = frozenset("editor seriesEditor translator contributor reviewedAuthor bookAuthor commenter recipient guest castMember".split())
_DBLP_NUMBER = re.compile(r" \d{4}$")


def _people(found: Object) -> list[str]:
    named = next((people for key in _PEOPLE if (people := _persons(found.get(key)))), None)
    return named or _persons(_similar(found, "author", upto=Certainty.LAST_RESORT)[1])


def _persons(value: Value) -> list[str]:
    if isinstance(value, str):
        return cells.people(value, commas_divide=True)
    if isinstance(value, dict):
        inner = next((value[key] for key in _INNER if isinstance(value.get(key), list | dict)), None)
        if inner is not None and not any(value.get(key) for key in _FAMILY):
            return _persons(inner)
        return list(filter(None, [person(value)]))
    if not isinstance(value, list):
        return []
    if len(value) == 1 and isinstance(value[0], str):
        return cells.people(value[0], commas_divide=True)
    return [name for part in value if (name := _person(part)) and any(character.isalpha() for character in name)]


def _person(part: Value) -> str:
    if isinstance(part, dict):
        return person(part)
    if isinstance(part, list):
        # arXiv's [family, given, suffix]
        return ", ".join(text for inner in part[:3] for text in texts(inner))
    return " ".join(texts(part))


def person(found: Object) -> str:
    """ "Family, Given" where the parts are known, and else the name as it is; "" for an editor or a translator.

    >>> person({"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}), person({"author": {"display_name": "Eva Green"}})
    ('van Gogh, Vincent', 'Eva Green')
    """
    if str(found.get("creatorType") or "author") in _NOT_AUTHORS:
        return ""
    family = _first(found, _FAMILY)[:1]
    if family:
        family = [*texts(found.get("dropping-particle")), *texts(found.get("non-dropping-particle")), *family]
        given = [*_first(found, _GIVEN)[:1], *_first(found, ("middle", "middle_name", "middleName"))]
        parts = [" ".join(family), " ".join(given), *texts(found.get("suffix"))]
        return ", ".join(filter(None, parts))
    if raw := _as_in_the_paper(found):
        return raw
    inner = next((found[key] for key in _WHOLE if texts(found.get(key)) or isinstance(found.get(key), dict)), None)
    if isinstance(inner, dict):
        return person(inner)
    name = next(iter(texts(inner)), "")
    return _DBLP_NUMBER.sub("", name) if "@pid" in found else name


_SPELT_OUT = re.compile(r"[^\W\d_]{2,}\S*\s+(?:\S+\s+)*[^\W\d_]{2,}")


def _as_in_the_paper(found: Object) -> str:
    """The name of an author of OpenAlex as the paper has it, if that is spelt out, else "": the service may take the person for another one."""
    raw = next(iter(texts(found.get("raw_author_name"))), "")
    return raw if _SPELT_OUT.fullmatch(raw) and "," not in raw else ""


# ------------------------------------------------------------------------------------------------------------------- all other fields

_PATHS: dict[str, str] = {
    "year": "year issued published published-print published-online publicationYear publication_year year_published yearPublished pubYear "
    "issue.issue.pubYear publicationdateyear publicationDate publication_date date_published pubdate pubDate prism:coverDate coverDate "
    "onlineDate date datePublished firstPublicationDate producedDateY_i publicationDateY_i publicationDate_s publication_info.year "
    "source.publishYear preprint_date earliest_date publishedDate published_date venueid venue pdate versions.created update_date",
    "venue": "container-title journal.title journal.name journal.display_name journalTitle journalInfo.journal.title journals.title "
    "publicationTitle proceedingsTitle bookTitle publicationName prism:publicationName publication_title fulljournalname journal "
    "primary_location.source.display_name host_venue.display_name source.title source.sourceTitle source.display_name publication_info.journal_title "
    "container.title journalTitle_s conferenceTitle_s bookTitle_s booktitle venue publicationVenue.name conferenceName conference "
    "meeting.title isPartOf issue.issue.journal.shortTitle pub journal_title",
    "doi": "DOI doi externalIds.DOI externalids.doi ids.doi identifiers.doi prism:doi dois.value doiId_s article_doi",
    "pmid": "PMID pmid externalIds.PubMed ids.pmid identifiers.pmid pubmed-id pubmed_id pubmedId",
    "arxiv": "externalIds.ArXiv identifiers.arxiv arxiv_id arxivId arxiv arxiv_eprints.value eprint",
    "url": "ee URL url html_url article_url link landing_page_url primary_location.landing_page_url links.self_html links.html uri_s doi_url "
    "entry_id articleUrl pdf_url",
    "keyword": "keywords keywords.authorKeywords keyword keywordList.keyword subject subjects tags fieldsOfStudy authkeywords mesh_terms "
    "index_terms.author_terms.terms index_terms.ieee_terms.terms keyword_s categories",
    "language": "language languages lang language_s original_language",
    "type": "entryType pubtype publicationTypes pubTypeList.pubType itemType resource_type.subtype resource_type.type types.resourceTypeGeneral type "
    "publication_types publication_type subtypeDescription document_type documentType docType_s article_type articleType content_type "
    "contentType genre ENTRYTYPE @type",
    "notice": "notice notices retraction_nature",
    "collection": "collection",
}
_BY_ROOT: dict[str, list[tuple[str, int, str]]] = {}
for _field, _paths in _PATHS.items():
    for _rank, _path in enumerate(_paths.split()):
        for _root in {_path, _path.partition(".")[0]}:
            _BY_ROOT.setdefault(_root, []).append((_field, _rank, _path))
_BY_NAME = ("year", "venue", "doi", "pmid", "arxiv", "url", "keyword", "language", "type")
"""Fields that are found by the likeness of a key too."""
_LISTS = frozenset(("keyword", "type"))
_IDENTIFIERS = ("external_ids", "articleids", "identifier", "identifiers", "externalIds")
_VENUE_YEAR = re.compile(r"(?:19|20)\d\d")


def fields_of(found: Object, mapping: Mapping[str, str]) -> Fields:
    """The values of an object by field; `mapping` says by hand at which path a field stands."""
    if _is_own(found):
        return {**_own(found), **{field: _by_hand(found, field, path) for field, path in mapping.items()}}
    fields: Fields = {**_titles(found), "abstract": _abstracts(found), "author": _people(found)}
    paths = _paths_in(found)
    for field in _PATHS:
        fields[field] = _values(found, field, paths.get(field, ()))
    fields["venue"] = fields["venue"] or _published_in(found) or _source(found)
    fields["type"] = _datacite_types(found) or [*fields["type"], *_genre(found)]
    fields["notice"] += _notices(found)
    fields["provider"] = [_OURS] if found.get("source") == _OURS else []
    for name, number in _numbers(found):
        fields[name] = fields[name] or [number]
    if forum := found.get("forum"):
        fields["url"] = fields["url"] or [f"https://openreview.net/forum?id={text}" for text in texts(forum)]
    for field in _BY_NAME:
        fields[field] = fields[field] or texts(_similar(found, field)[1])
    fields |= {field: _by_hand(found, field, path) for field, path in mapping.items()}
    return {field: values for field, values in {**_extra(found, mapping), **fields}.items() if values}


def _paths_in(found: Object) -> Mapping[str, Sequence[str]]:
    """The paths of each field that begin at a key of the object, in order of preference."""
    there: dict[str, list[str]] = {}
    for field, _, path in sorted({place for key in found for place in _BY_ROOT.get(key, ())}):
        there.setdefault(field, []).append(path)
    return there


def _by_hand(found: Object, field: str, path: str) -> list[str]:
    value = at(found, path)
    return _persons(value) if field == "author" else _abstracts_of(field, value) if field == "abstract" else texts(value)


def _values(found: Object, field: str, paths: Sequence[str]) -> list[str]:
    if field == "year":
        values = next((dates for path in paths if (dates := list(_dates(path, at(found, path))))), [])
    else:
        values = _first(found, paths)
    if field == "venue":
        values = [value for value in values if not cells.is_database(value)]
    return [part for value in values for part in cells.parts(value)] if field in _LISTS else values


def _dates(path: str, value: Value) -> Iterator[str]:
    """
    >>> list(_dates("issued", {"date-parts": [[2016, 12, 20]]})), list(_dates("venueid", "ICLR.cc/2025/Conference"))
    (['2016-12-20'], ['2025'])
    """
    if path in ("venueid", "venue", "conference"):
        yield from (year[0] for text in texts(value) if (year := _VENUE_YEAR.search(text)))
        return
    if path == "versions.created" and isinstance(value, list):
        value = value[0]
    if not isinstance(value, dict):
        # bioRxiv has under "published" the DOI of the article that a preprint became
        yield from (text for text in texts(value)[:1] if not text.startswith(("10.", "NA")))
        return
    ranges = value.get("date-parts")
    parts = ranges[0] if isinstance(ranges, list) and ranges else []
    if date := "-".join(texts(parts)):
        yield date
    else:
        yield from _first(value, ("raw", "literal", "year", "start", "date", "value", "edtf"))[:1]


# What DataCite says of anything that consists of words: then its other words tell more.
_ANY_TEXT = frozenset(("text", "other", "collection"))


def _datacite_types(found: Object) -> list[str]:
    """The words of DataCite for a type: the general one, and the authors' own; if that is only a text, what citation styles call it too."""
    said = found.get("types")
    if not isinstance(said, dict):
        return []
    general, own = texts(said.get("resourceTypeGeneral")), texts(said.get("resourceType"))
    if general and letters(general[0]) not in _ANY_TEXT:
        return list(dict.fromkeys((*general, *own)))
    return [*own, *texts(said.get("citeproc"))]


def _genre(found: Object) -> list[str]:
    """CSL has few types, and a word of one's own beside them: an "article" of the genre "preprint"."""
    return texts(found.get("genre")) if "type" in found and isinstance(found.get("genre"), str) else []


def _published_in(found: Object) -> list[str]:
    """The book or journal that DataCite's record names as the one it is in."""
    related = found.get("relatedItems")
    parts = [part for part in related if isinstance(part, dict) and part.get("relationType") == "IsPublishedIn"] if isinstance(related, list) else []
    return [title for part in parts for title in texts(at(part, "titles.title"))[:1]]


def _source(found: Object) -> list[str]:
    """Publish or Perish, PubMed and datasets call the journal "source"; CSL and Crossref call the database so."""
    if "issued" in found or isinstance(found.get("source"), dict) or found.get("source") == _OURS:
        return []
    values = _first(found, ("source", "publication", "series"))
    return [value for value in values if len(value) < _LONGEST_VENUE and not cells.is_database(value)]


_LONGEST_VENUE = 300


def _notices(found: Object) -> Iterator[str]:
    """What Crossref, OpenAlex and Europe PMC say of a retraction or a correction, with its direction."""
    for key in ("update-to", "updated-by"):
        links = found.get(key)
        for link in links if isinstance(links, list) else ():
            if isinstance(link, dict):
                yield f"{key}: {' '.join([*texts(link.get('type') or link.get('label')), *texts(link.get('DOI'))])}"
    if any(found.get(key) in (True, "true", "True", 1) for key in ("is_retracted", "isRetracted", "retracted")):
        yield "is retracted"
    corrections = at(found, "commentCorrectionList.commentCorrection")
    for link in corrections if isinstance(corrections, list) else ():
        if isinstance(link, dict) and (kind := texts(link.get("type"))):
            yield f"{kind[0]}: {' '.join(texts(link.get('reference')))}"


_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?10\.\d{4,9}/\S+", re.IGNORECASE)
_ARXIV_ID = re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")
_ARXIV_KEYS = ("authors_parsed", "journal-ref", "update_date")


def _numbers(found: Object) -> Iterator[tuple[str, str]]:
    """Numbers of the work in lists of identifiers, and in what it is called."""
    for key in _IDENTIFIERS:
        listed = found.get(key)
        for part in listed if isinstance(listed, list) else ():
            if isinstance(part, dict):
                kind = letters(" ".join(_first(part, ("type", "idtype", "identifierType"))))
                value = _first(part, ("value", "id", "identifier"))[:1]
                yield from ((name, number) for number in value for name in _KINDS.get(kind, ()))
    for key in _ARCHIVES:
        yield from (("arxiv", name) for name in texts(found.get(key))[:1] if name.casefold().startswith("arxiv:"))
    for name in texts(found.get("id"))[:1]:
        if _DOI.fullmatch(name):
            yield "doi", name
        elif name.startswith(("http://", "https://")):
            yield "url", name
        elif _ARXIV_ID.fullmatch(name) and any(key in found for key in _ARXIV_KEYS):
            yield "arxiv", name


_ARCHIVES = ("number", "archive_location", "archiveLocation", "archiveID")
"""Where CSL and Zotero have the number of a preprint, with the name of its server."""
_KINDS = {"doi": ("doi",), "pmid": ("pmid",), "pubmed": ("pmid",), "arxiv": ("arxiv",)}

# ----------------------------------------------------------------------------------------------------------------- our own JSON Lines

_OURS = "rag-qa"
_OWN_NAMES = {"title": "title", "authors": "author", "keywords": "keyword", "notices": "notice"} | {
    name: name for name in "year venue doi pmid arxiv url collection language type".split()
}


def _is_own(found: Object) -> bool:
    """Was it written by `rag_qa.exports`?"""
    return found.get("written_by") == _OURS


def _own(found: Object) -> Fields:
    extra = found.get("extra")
    fields = {str(name): texts(value) for name, value in extra.items()} if isinstance(extra, dict) else {}
    for key, name in _OWN_NAMES.items():
        fields[name] = [*texts(found.get(key)), *fields.get(name, ())]
    fields["abstract"] = [*texts(found.get("abstract")), *texts(found.get("other_abstracts"))]
    return {field: values for field, values in {**fields, "provider": [_OURS]}.items() if values}


# ------------------------------------------------------------------------------------------------------------------------------- extra

_TECHNICAL = frozenset(
    "indexed created deposited license link links resource content-domain relation reference references citations citationStyles assertion "
    "archive referenced_works related_works locations best_oa_location authorships counts_by_year abstract_inverted_index embedding versions "
    "files stats version details readers writers signatures nonreaders invitations openAccessPdf primary_location host_venue concepts topics "
    "primary_topic mesh attachments notes relations collections original-title subtitle short-title s2FieldsOfStudy update-to updated-by "
    "accessed publicationVenue _bibtex paperhash authorids supplementary_material cdate tcdate mdate tmdate odate pdate ddate replyto "
    "publishedIn history sortpubdate member prefix score references-count update-policy issn-type alternative-id state submitted "
    "revision modified updated conceptrecid recid".split()
)
"""What tells of the record, and not of the work."""
_USED = {*_BY_ROOT, *_TITLES, *_ABSTRACTS, *_LESSER_ABSTRACTS, *_PEOPLE}
_MOST_VALUES = 100
_NESTED = 20


def _extra(found: Object, mapping: Mapping[str, str]) -> Fields:
    """All other texts and numbers, also those one level down, by the name of their key."""
    by_hand = {path.partition(".")[0] for path in mapping.values()}
    extra: Fields = {}
    for key, value in found.items():
        if key in _TECHNICAL or key in by_hand or _is_used(key, value):
            continue
        if isinstance(value, dict):
            for inner, part in list(value.items())[:_NESTED]:
                if not isinstance(part, dict) and f"{key}.{inner}" not in _BY_ROOT:
                    _put(extra, inner if is_common_extra(inner) or key in ("metadata", "biblio") else f"{key}.{inner}", part)
        else:
            _put(extra, key, value)
    return _with_pages(extra)


def _is_used(key: str, value: Value) -> bool:
    """Is it a field, or another form of one?"""
    said = meaning(key)
    if said and said.certainty < Certainty.LAST_RESORT and not isinstance(value, dict):
        return True
    return key in _USED and not (isinstance(value, dict) and key in _BY_ROOT)


def _put(extra: Fields, key: str, value: Value) -> None:
    is_vector = isinstance(value, list) and (len(value) > _MOST_VALUES or any(isinstance(part, float | list) for part in value))
    values = [] if is_vector else [str(value).lower()] if isinstance(value, bool) else texts(value)
    name = extra_name(key)
    # a program that knows no volume may write 0
    if values and not (values == ["0"] and is_common_extra(key)):
        extra.setdefault(name, []).extend(part for part in values if part not in extra.get(name, ()))


_PAGES = (("startpage", "endpage"), ("start_page", "end_page"), ("first_page", "last_page"), ("startingPage", "endingPage"))


def _with_pages(extra: Fields) -> Fields:
    for first, last in _PAGES:
        start, end = extra.get(extra_name(first)), extra.get(extra_name(last))
        if start and end and start != ["0"]:
            extra.setdefault("pages", [f"{start[0]}-{end[0]}"])
    return extra


_KEYS = "citation-key citationKey citekey key id _id paperId uid eid lens_id recid recNumber @id ID DOI doi".split()


def key_of(found: Object) -> str:
    """What the file calls the record.

    >>> key_of({"id": 7, "title": "Tides"}), key_of({})
    ('7', '')
    """
    return next(iter(_first(found, _KEYS)), "")[:200]
