"""The page's panel of filters: what a library has to choose from, and the panel as HTML. Pure functions of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rag_qa.index.store import Counts, Holdings
from rag_qa.interfaces.cards import escape
from rag_qa.interfaces.render import author_name
from rag_qa.retrieval.filters import LANGUAGES, Filters, words

MOST_LISTED = 40
"""A field with more values than this is typed into; the others are lists."""


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


def panel_html(choices: Holdings) -> str:
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


def _fields(choices: Holdings) -> Iterator[str]:
    if choices.years:
        yield _year("From year", "year_from", choices.years[0])
        yield _year("To year", "year_to", choices.years[1])
    if choices.venues:
        yield _typed("Venue", "venue", choices.venues)
    if choices.authors:
        yield _typed("Author", "author", tuple((author_name(name), count) for name, count in choices.authors))
    if choices.collections:
        yield (_typed if len(choices.collections) > MOST_LISTED else _listed)("Collection", "collection", choices.collections)
    if choices.keywords:
        yield _typed("Keyword", "keyword", choices.keywords)
    if choices.types:
        yield _listed("Type", "type", choices.types)
    if choices.languages:
        yield _listed("Language", "language", choices.languages, LANGUAGES)


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


def _left_out(choices: Holdings) -> Iterator[str]:
    if len(choices.types) > 1:
        for value, count in choices.types:
            yield _box("exclude_types", value, f"{value} ({count:,})")
    if choices.retracted:
        yield _box("without_retracted", "on", f"retracted ({choices.retracted:,})")


def _box(name: str, value: str, label: str) -> str:
    return f'<label><input type="checkbox" name="{name}" value="{escape(value)}">{escape(label)}</label>'
