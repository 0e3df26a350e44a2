"""Raw -> Paper, in the same way for all formats: markup, dates, names, identifiers, abstracts that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rag_qa.papers import TYPES, Notice, Origin, Paper, paper_id
from rag_qa.sources.fields import abstracts, characters, dates, document_types, identifiers, keywords, languages, latex, markup, names, notices
from rag_qa.sources.fields.abstracts import Abstracts
from rag_qa.sources.fields.identifiers import Arxiv
from rag_qa.sources.reader import FIELDS, Problem, Raw, Trouble

_LONGEST_EXTRA = 2000
_LONGEST_READ = 4000
"""Characters of a value that are looked at for an identifier, a notice, or what goes into `extra`."""
_REMARKS = ("note", "notes", "extra", "annote", "comment", "comments", "remarks")
_PLACES = ("howpublished", "link", "links", "adsurl", "ee", "bdsk-url-1")
_PROVIDERS = ("provider", "library catalog")
_OWN = ["rag-qa"]
"""What `rag_qa.exports` names there: its values are plain text, as they were here."""
_EVENTS = ("conference", "conference name", "conference title", "conference date", "event")
_NOTHING = frozenset("nan NaN null NULL None none undefined n/a N/A NA <NA> #N/A (null)".split())
_MARKED = re.compile(r"[<&\\]")
_LATEX = re.compile(r"[<&\\{}$~`]|--|''")


def paper(raw: Raw, path: str, *, language: str = "en") -> Iterator[Paper | Problem]:
    """The Paper that a record describes, or the Problem that it is none; before it, a Problem of kind REPAIRED for each thing put right.

    A record without an abstract is a Paper with the abstract "" (another source may have it), unless it has no title either. `language`: ISO 639-1,
    which of several abstracts is read.

    What has no place of its own goes into `extra` under the reader's name for it. Names of our own there: date (what is more than a year), copyright,
    notice, abstract_note ("truncated"), arxiv_version, publication_type, translated_title, other_urls, other_venues, and `doi_as_read` and the like
    for what could not be used, or was changed.
    """
    record = _Record(raw, path, is_text=raw.markup == "text" or _is_own(raw))
    title = _title(record)
    found = abstracts.of(record.texts("abstract"), title=title, language=language)
    if not title and not found.text:
        yield Problem(path, raw.line, f"neither title nor abstract{_called(raw)}", Trouble.NOT_A_PAPER)
        return
    made = _paper(record, title or "", found)
    yield from record.problems()
    yield made


def _paper(record: _Record, title: str, found: Abstracts) -> Paper:
    keys = _keys(record)
    read = notices.of_title(title)
    types, venue, url = record.lines("type"), _venue(record), _url(record)
    dated = record.lines("year")
    year = dates.year(dated)
    made = Paper(
        id=paper_id(found.text, doi=keys.doi, pmid=keys.pmid, arxiv=keys.arxiv, title=read.title),
        abstract=found.text,
        title=read.title or None,
        authors=_authors(record),
        year=year,
        venue=venue,
        doi=keys.doi,
        pmid=keys.pmid,
        arxiv=keys.arxiv,
        url=url,
        collection=next(iter(record.lines("collection")), None),
        keywords=keywords.of(record.lines("keyword")),
        language=_language(record),
        type=_type(record, types, venue, keys),
        notices=_notices(record, types, read.notices | found.notices),
        other_abstracts=found.others,
        origins=(Origin(record.path, record.raw.line),),
        extra=record.extra,
    )
    _tell(record, "notice", [read.mark, *found.remarks])
    _tell(record, "publication_type", types if any(map(document_types.says_more, types)) else ())
    _tell(record, "date", [date for date in dated if dates.is_more(date)][:1])
    _tell(record, "copyright", found.rights)
    _tell(record, "abstract_note", ["truncated"] if found.is_truncated else ())
    _tell_others(record, (read.title, found.text, venue, keys.doi, keys.pmid, keys.arxiv, url, str(year)))
    return made


def _type(record: _Record, words: Sequence[str], venue: str | None, keys: _Keys) -> str | None:
    if record.is_text and len(told := TYPES.intersection(words)) == 1:
        return next(iter(told))
    is_on_arxiv = keys.arxiv is not None and (keys.doi is None or keys.doi.startswith("10.48550/"))
    is_of_conference = any(name in record.raw.fields for name in _EVENTS)
    return document_types.of(words, venue=venue, is_on_arxiv=is_on_arxiv, is_of_conference=is_of_conference)


def _is_own(raw: Raw) -> bool:
    return raw.markup == "plain" and any(raw.fields.get(name) == _OWN for name in _PROVIDERS)


def _called(raw: Raw) -> str:
    """What a record without a title is called in a message."""
    if raw.key:
        return f" ({raw.key})"
    told = [f"{name} {values[0].strip()[:40]!r}" for name, values in raw.fields.items() if values and values[0].strip()]
    return f"; it has {', '.join(told[:3])}" if told else "; it is empty"


# ------------------------------------------------------------------------------------------------------------------- cleaning


@dataclass(slots=True)
class _Repair:
    before: str
    after: str
    times: int = 1


@dataclass(slots=True)
class _Record:
    """A record on its way: its values without markup, and what was put right in them."""

    raw: Raw
    path: str
    is_text: bool = False
    """Does every character count as it stands, once what the format itself escapes is read?"""
    extra: dict[str, str] = field(default_factory=dict)
    repairs: dict[str, _Repair] = field(default_factory=dict)
    lost: str = ""
    language: str | None = None
    """The one that its title tells."""

    def texts(self, name: str, *, upto: int | None = None) -> list[str]:
        """The values of a field as plain text, line feeds as they are; without empty ones. `upto`: how many characters of each are looked at."""
        values = self.raw.fields.get(name)
        if not values:
            return []
        cleaned = [self.clean(name, value[:upto]) for value in values]
        return [value for value in cleaned if value and value not in _NOTHING]

    def lines(self, name: str, *, upto: int | None = None) -> list[str]:
        """The values of a field, each on one line."""
        return [" ".join(value.split()) if "\n" in value else value for value in self.texts(name, upto=upto)]

    def as_read(self, *fields: str) -> list[str]:
        """The values of fields as they stand in the file, cut to what an identifier may need."""
        return [
            value[:_LONGEST_READ] for name in fields for value in self.raw.fields.get(name, ()) if value.strip() and value.strip() not in _NOTHING
        ]

    def problems(self) -> Iterator[Problem]:
        """What was put right, by field, and that characters were lost before."""
        for name, repair in self.repairs.items():
            more = f" (and {repair.times - 1} more)" if repair.times > 1 else ""
            reason = f"{name}: text that was decoded wrongly is put right, {repair.before!r} -> {repair.after!r}{more}"
            yield Problem(self.path, self.raw.line, reason, Trouble.REPAIRED)
        if self.lost:
            reason = f"{self.lost}: characters were lost before this file was written (shown as \ufffd); compare it with the publisher's page"
            yield Problem(self.path, self.raw.line, reason, Trouble.REPAIRED)

    def clean(self, name: str, value: str) -> str:
        """A value of a field as plain text."""
        if self.is_text:
            return self._repaired(name, value).strip()
        is_latex = self.raw.markup == "latex"
        if value.isascii() and not (_LATEX if is_latex else _MARKED).search(value):
            return characters.tidy(value)
        text = characters.with_line_ends(self._repaired(name, value))
        text = latex.plain(text) if is_latex else characters.untexed(text)
        if _MARKED.search(text):
            text = self._repaired(name, markup.plain(text))
        text = characters.tidy(text)
        if characters.LOST in text and not self.lost:
            self.lost = f"{name}: {_around(text, text.index(characters.LOST))!r}"
        return text

    def _repaired(self, name: str, text: str) -> str:
        after = characters.repaired(text)
        if after == text:
            return text
        if name in self.repairs:
            self.repairs[name].times += 1
        else:
            at = next((i for i, (old, new) in enumerate(zip(text, after, strict=False)) if old != new), 0)
            self.repairs[name] = _Repair(_around(text, at), _around(after, at))
        return after


def _around(text: str, at: int) -> str:
    """A few words around a place."""
    start, end = max(0, at - 20), at + 30
    return " ".join(f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}".split())


# ---------------------------------------------------------------------------------------------------------------------- title

_BRACKETED = re.compile(r"\[([^\[\]]{3,}(?:\[[^\[\]]*\][^\[\]]*)*)\]\.?")
_LANGUAGE = re.compile(r"[.?!\]]\s*\[([A-Z][a-z]{3,12})\]\.?$")
_FOOTNOTE = re.compile(r"(?<=\w)\s*[*†‡☆★✩⁎]+$")
_SPACED_COLON = re.compile(r"\s+:\s+")
_NO_TITLE = frozenset(
    "no title|no title available|no title found|not available|title not available|title unavailable|untitled|ohne titel|sans titre".split("|")
)
_ABBREVIATED = re.compile(
    r"(?:\.\.|…|\b(?:[A-Za-z]\.){2,}|\b(?:et al|inc|ltd|co|corp|jr|sr|etc|vs|sp|spp|var|no|vol|ed|eds|st|u\.s|ph\.d))\.?$", re.IGNORECASE
)


def _title(record: _Record) -> str | None:
    """The parts of a title joined, without what databases put around it."""
    title = _joined(record.lines("title")) or _joined(record.lines("translated_title"))
    if title.strip("[](). ").casefold() in _NO_TITLE:
        _tell(record, "title_as_read", [title])
        return None
    title, as_read = _without_language(record, title), title
    if translated := _BRACKETED.fullmatch(title):  # as PubMed marks what it translated
        title = translated.group(1)
    _tell(record, "title_as_read", [as_read] if title != as_read else ())
    return _without_stop(_FOOTNOTE.sub("", _SPACED_COLON.sub(": ", title)).rstrip(" :;,")) or None


def _without_language(record: _Record, title: str) -> str:
    """ "On tides. [French]" -> "On tides"."""
    found = _LANGUAGE.search(title)
    if not found or not (code := languages.code(found.group(1))):
        return title
    record.language = code
    return title[: found.start()] + found.group(0)[0]


def _joined(parts: Sequence[str]) -> str:
    title = ""
    for part in parts:
        if not title:
            title = part
        elif part.casefold() not in title.casefold():
            title = f"{title.rstrip(' .')}{'' if title.endswith(('?', '!', ':', '-', '–', '—')) else ':'} {part}"
    return title


def _without_stop(title: str) -> str:
    """ "On tides." -> "On tides"; not "... in the U.S."."""
    if title.endswith("..") and not title.endswith("..."):
        title = title[:-1]  # a title that ends in "." in a style that adds one
    return title[:-1].rstrip() if title.endswith(".") and not _ABBREVIATED.search(title[-12:]) else title


# ---------------------------------------------------------------------------------------------------------------- identifiers


@dataclass(frozen=True, slots=True)
class _Keys:
    doi: str | None
    pmid: str | None
    arxiv: str | None


def _keys(record: _Record) -> _Keys:
    """From their fields, from the addresses of the record, and from remarks that begin with them."""
    own, pages = record.as_read("doi"), record.as_read("url", *_PLACES)
    remarks = [identifiers.of_remark(text) for text in record.as_read(*_REMARKS)]
    doi = _first(map(identifiers.doi, own)) or _first(map(identifiers.doi, pages)) or _first(remark.doi for remark in remarks)
    pmids = record.as_read("pmid")
    pmid = _first(map(identifiers.pmid, pmids)) or _first(map(identifiers.pmid_of_address, pages)) or _first(remark.pmid for remark in remarks)
    arxivs = record.as_read("arxiv")
    arxiv = (
        _first_arxiv(map(identifiers.arxiv, arxivs))
        or _first_arxiv(map(identifiers.arxiv_named, [*own, *pages, *record.as_read("venue")]))
        or _first_arxiv(remark.arxiv for remark in remarks)
    )
    _tell_as_read(record, "doi", own if own and not _first(map(identifiers.doi, own)) else ())
    _tell_as_read(record, "pmid", pmids if pmids and not _first(map(identifiers.pmid, pmids)) else ())
    _tell_as_read(record, "arxiv", arxivs if arxivs and not arxiv else ())
    _tell(record, "arxiv_version", [arxiv.version] if arxiv and arxiv.version else ())
    return _Keys(doi, pmid, arxiv.id if arxiv else None)


def _first(found: Iterable[str | None]) -> str | None:
    return next(filter(None, found), None)


def _first_arxiv(found: Iterable[Arxiv | None]) -> Arxiv | None:
    return next(filter(None, found), None)


def _url(record: _Record) -> str | None:
    values = record.as_read("url")
    found = list(dict.fromkeys(address for value in values for address in identifiers.urls(value)))
    _tell(record, "other_urls", found[1:])
    _tell_as_read(record, "url", values if values and not found else ())
    return found[0] if found else None


# ----------------------------------------------------------------------------------------------------------------- other fields


def _authors(record: _Record) -> tuple[str, ...]:
    values = record.lines("author")
    if record.raw.markup != "latex":
        return names.people(values)
    # BibTeX has the names of bodies in braces, which are gone from the plain text
    bodies = {" ".join(record.clean("author", value).split()) for value in record.raw.fields.get("author", ()) if _is_braced(value)}
    return names.people(values, bodies={body for body in bodies if "," not in body})


def _is_braced(value: str) -> bool:
    """ "{World Health Organization}"; not "{Van} {Dyke}"."""
    value = value.strip()
    return value.startswith("{") and value.endswith("}") and "{" not in value[1:-1] and "}" not in value[1:-1]


def _venue(record: _Record) -> str | None:
    found = list(dict.fromkeys(filter(None, map(_plain_venue, record.lines("venue")))))
    _tell(record, "other_venues", found[1:])
    return found[0] if found else None


def _plain_venue(venue: str) -> str:
    if venue.casefold().startswith("arxiv") and document_types.is_server(venue):
        return "arXiv"
    return (venue[:-1] if venue.endswith(".") and "." not in venue[:-1] else venue).rstrip(" ,;:")


def _language(record: _Record) -> str | None:
    values = record.lines("language")
    found = _first(map(languages.code, values))
    _tell(record, "language_as_read", values if not found or len(values) > 1 or ";" in values[0] else ())
    return found or record.language


def _notices(record: _Record, types: Sequence[str], told: frozenset[Notice]) -> tuple[Notice, ...]:
    texts = record.lines("notice", upto=_LONGEST_READ)
    remarks = [line for name in _REMARKS if name in record.raw.fields for text in record.texts(name, upto=_LONGEST_READ) for line in text.split("\n")]
    said = [*texts, *filter(notices.is_one, remarks)]
    found = told | notices.of_types(types) | {notice for text in said for notice in notices.of_text(text)}
    _tell(record, "notice", [text for text in texts if not notices.is_nothing(text)])
    return tuple(notice for notice in Notice if notice in found)


# ----------------------------------------------------------------------------------------------------------------------- extra


def _tell(record: _Record, name: str, values: Iterable[str]) -> None:
    """Put values into `extra`, after those that are there under this name."""
    told = [" ".join(value.split()) if "\n" in value else value for value in values if value]
    if not told:
        return
    joined = "; ".join(dict.fromkeys([record.extra[name], *told] if name in record.extra else told))
    record.extra[name] = joined if len(joined) <= _LONGEST_EXTRA else joined[: _LONGEST_EXTRA - 1].rstrip() + "…"


def _tell_as_read(record: _Record, name: str, values: Iterable[str]) -> None:
    _tell(record, f"{name}_as_read", map(characters.one_line, values))


def _tell_others(record: _Record, told: Iterable[str | None]) -> None:
    """The fields that we have no place for, unless they repeat what is told elsewhere."""
    known = {value.casefold() for value in told if value}
    for name in record.raw.fields:
        if (name in FIELDS and name != "translated_title") or (name in _PROVIDERS and record.is_text):
            continue
        _tell(record, name, [value for value in record.lines(name, upto=_LONGEST_READ) if value.casefold() not in known])
