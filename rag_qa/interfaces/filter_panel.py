"""The page's panel of filters: what a library has to choose from, and the panel as HTML. Pure functions of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rag_qa.interfaces.cards import escape
from rag_qa.interfaces.render import author_name
from rag_qa.papers import Paper
from rag_qa.retrieval.filters import Filters, words

MOST_SUGGESTED = 200
"""Values that a field suggests: the most frequent ones. Any other can be typed."""

MOST_LISTED = 40
"""A field with more values than this is typed into; the others are lists."""

Counts = tuple[tuple[str, int], ...]
"""Values, each with the number of its papers, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the papers of a library have to choose from. A field of which nothing is known is empty. `years`: the first and the last."""

    years: tuple[int, int] | None = None
    venues: Counts = ()
    collections: Counts = ()
    types: Counts = ()
    languages: Counts = ()
    authors: Counts = ()
    keywords: Counts = ()
    retracted: int = 0


class _Tally:
    """Counts names without regard to capitals; each is called as it was written first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._written: dict[str, str] = {}
        self._keys: dict[str, str] = {}  # the same names come again and again

    def add(self, names: Iterable[str | None]) -> None:
        """The names of one paper; a name that it has twice counts once."""
        self._counts.update({key for name in names if name and (key := self._keys.get(name) or self._key(name))})

    def _key(self, name: str) -> str:
        written = " ".join(name.split())
        key = self._keys[name] = written.casefold()
        self._written.setdefault(key, written)
        return key

    def most(self) -> Counts:
        ranked = sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple((self._written[key], count) for key, count in ranked[:MOST_SUGGESTED])


def choices_of(papers: Iterable[Paper]) -> Choices:
    """What papers have to choose from.

    >>> choices_of([Paper("p1", "We ...", year=2024, venue="ICLR"), Paper("p2", "They ...", venue="Iclr")]).venues
    (('ICLR', 2),)
    """
    tallies = {name: _Tally() for name in ("venues", "collections", "types", "languages", "authors", "keywords")}
    years: set[int] = set()
    retracted = 0
    for paper in papers:
        for name, values in _values(paper):
            tallies[name].add(values)
        if paper.year is not None:
            years.add(paper.year)
        retracted += paper.is_retracted
    return Choices((min(years), max(years)) if years else None, **{name: tally.most() for name, tally in tallies.items()}, retracted=retracted)


def _values(paper: Paper) -> Iterator[tuple[str, Iterable[str | None]]]:
    yield "venues", (paper.venue, *(version.venue for version in paper.versions))
    yield "collections", (paper.collection,)
    yield "types", (paper.type,)
    yield "languages", (paper.language,)
    yield "authors", map(author_name, paper.authors)
    yield "keywords", paper.keywords


def said(filters: Filters) -> str:
    """What is in effect, as the panel says it beside its name, with the button that takes it back; "" for nothing.

    >>> said(Filters(year_from=2023))[:49]
    '<span class="rq-in-effect">from 2023 on</span><bu'
    """
    if filters.is_empty:
        return ""
    shown = words(filters)
    if filters.year_from is not None and filters.year_to is not None and filters.year_from > filters.year_to:
        shown = f"No year is both {filters.year_from} or later and {filters.year_to} or earlier"
    return f'<span class="rq-in-effect">{escape(shown)}</span><button type="button" class="rq-unfilter" aria-label="Clear filters">Clear</button>'


# ------------------------------------------------------------------------------------------------------------------- HTML

_LANGUAGES: Mapping[str, str] = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}


def panel_html(choices: Choices) -> str:
    """The panel, closed; "" when there is nothing by which these papers could be filtered."""
    fields = "".join(_fields(choices))
    without = "".join(_left_out(choices))
    if without:
        without = f'<fieldset class="rq-leave-out"><legend>Leave out</legend>{without}</fieldset>'
    if not fields and not without:
        return ""
    end = '<p class="rq-panel-end"><button type="reset">Clear</button><button type="submit">Done</button></p>'
    form = f'<form class="rq-panel" autocomplete="off" aria-label="Filter papers"><div class="rq-fields">{fields}</div>{without}{end}</form>'
    return f'<details class="rq-filters"><summary>Filter papers</summary>{form}</details>'


def _fields(choices: Choices) -> Iterator[str]:
    if choices.years:
        yield _year("From year", "year_from", choices.years[0])
        yield _year("To year", "year_to", choices.years[1])
    if choices.venues:
        yield _typed("Venue", "venue", choices.venues)
    if choices.authors:
        yield _typed("Author", "author", choices.authors)
    if choices.collections:
        yield (_typed if len(choices.collections) > MOST_LISTED else _listed)("Collection", "collection", choices.collections)
    if choices.keywords:
        yield _typed("Keyword", "keyword", choices.keywords)
    if choices.types:
        yield _listed("Type", "type", choices.types)
    if choices.languages:
        yield _listed("Language", "language", choices.languages, _LANGUAGES)


def _year(label: str, name: str, example: int) -> str:
    return _field(label, name, f'<input type="number" {_named(name)} step="1" inputmode="numeric" placeholder="{example}">')


def _field(label: str, name: str, control: str) -> str:
    return f'<div><label for="rq-by-{name}">{label}</label>{control}</div>'


def _named(name: str) -> str:
    return f'id="rq-by-{name}" name="{name}"'


def _typed(label: str, name: str, counts: Counts) -> str:
    """A field for any text, with suggestions."""
    options = "".join(f'<option value="{escape(value)}">{_papers(count)}</option>' for value, count in counts)
    control = f'<input type="text" {_named(name)} list="rq-known-{name}" placeholder="Any" spellcheck="false" autocapitalize="off">'
    return _field(label, name, f'{control}<datalist id="rq-known-{name}">{options}</datalist>')


def _papers(count: int) -> str:
    return f"{count:,} {'paper' if count == 1 else 'papers'}"


def _listed(label: str, name: str, counts: Counts, called: Mapping[str, str] | None = None) -> str:
    """A field to choose one value from."""
    names = called or {}
    options = "".join(f'<option value="{escape(value)}">{escape(names.get(value, value))} ({count:,})</option>' for value, count in counts)
    return _field(label, name, f'<select {_named(name)}><option value="">Any</option>{options}</select>')


def _left_out(choices: Choices) -> Iterator[str]:
    if len(choices.types) > 1:
        for value, count in choices.types:
            yield _box("exclude_types", value, f"{value} ({count:,})")
    if choices.retracted:
        yield _box("without_retracted", "on", f"retracted ({choices.retracted:,})")


def _box(name: str, value: str, label: str) -> str:
    return f'<label><input type="checkbox" name="{name}" value="{escape(value)}">{escape(label)}</label>'
