"""Tables: CSV, TSV and their like, from any database, by the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from rag_qa.errors import SourceError
from rag_qa.sources.formats import cells as values
from rag_qa.sources.formats.columns import (
    FIRST_PAGE,
    KEYS,
    LAST_PAGE,
    Certainty,
    extra_name,
    in_order,
    is_common_extra,
    letters,
    meaning,
    spelt_out,
)
from rag_qa.sources.formats.rows import Dialect, Fault, Mend, Row, rows
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

_DELIMITERS = (",", "\t", ";", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=(\\t|.)"?\s*', re.IGNORECASE)
_HEADER_LINES = 60
"""The header is looked for in so many lines: databases put what was searched, and when, above it."""
_NAME_LENGTH = 100
_MARKUP = re.compile(r"[<>{}=]")
_SAMPLE = 200
"""Rows by which the separator of authors is judged."""

_SCOPUS_EID = re.compile(r"2-s2\.0-\d+")
_ONLY_A_LINE = "\n"
"""The delimiter of a table with one column."""


@dataclass(frozen=True, slots=True)
class Header:
    """The names of the columns as the file has them, and the last line that they stand on. `score`: how many are known."""

    line: int
    last_line: int
    names: tuple[str, ...]
    dialect: Dialect
    score: int = 0


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a table. Raises SourceError when it has no column for a title or an abstract, or lacks a column that was named by hand."""
    header = _with_row_names(document, _header(document))
    layout = _layout(header.names, document.mapping)
    below = ((number, line) for number, line in document.lines() if number > header.last_line)
    found = rows(below, header.dialect, len(header.names), mend=_mend(header.names))
    first = list(islice(found, _SAMPLE))
    commas_divide = values.commas_divide(_sample(first, layout))
    is_empty = True
    for row in chain(first, found):
        if isinstance(row, Fault):
            yield Problem(document.path, row.line, f"malformed row: {row.reason}", Trouble.MALFORMED)
        elif fields := _fields(row, header, layout, commas_divide=commas_divide):
            yield Raw(row.line, fields, "plain", next(iter(_filled(row.cells, layout.keys)), ""))
        else:
            continue
        is_empty = False
    if is_empty:
        raise SourceError(document.path, header.line, found="the names of columns, and no row below them", expected="a row for each paper")


# ------------------------------------------------------------------------------------------------------------------------------- header


def _header(document: Document) -> Header:
    """The line that names the columns. Raises SourceError."""
    head = _lines(document.head())
    dialect, lines = _told(head)
    found = _candidates(lines, dialect, _escaped(document.head()))
    if document.mapping:
        return _mapped(document, found)
    known = [header for header in found if header.score]
    if known:
        return max(known, key=lambda header: (header.score, -header.line, len(header.names)))
    best = max(found, key=lambda header: (len(header.names), -header.line), default=None)
    columns = f"no column for a title or an abstract among {_listed(best.names)}" if best else "no line with the names of columns"
    raise SourceError(
        document.path,
        best.line if best else None,
        found=columns,
        expected="a first line that names the columns, one of them title or abstract",
        hint="Say which they are: --map title=NAME --map abstract=NAME",
    )


def _lines(head: str) -> list[tuple[int, str]]:
    """The numbered lines of the beginning of a file, but the last, which may not be whole, unless it is the only one."""
    found = list(islice(enumerate(re.split(r"\r\n|\r|\n", head), start=1), _HEADER_LINES * 4))
    return found[:-1] if len(found) > 1 and found[-1][1] else found


def _told(lines: list[tuple[int, str]]) -> tuple[str, list[tuple[int, str]]]:
    """The delimiter, if the first line says it as Excel does (sep=;), and the lines below."""
    if lines and (said := _SEPARATOR_LINE.fullmatch(lines[0][1])):
        return "\t" if said[1] == r"\t" else said[1], lines[1:]
    return "", lines


def _escaped(head: str) -> bool:
    r"""Are quotation marks inside cells escaped by a backslash, and never doubled?

    >>> _escaped('"a \\"b\\" c","d"'), _escaped('"a ""b"" c \\"","d"'), _escaped("M\\\"uller,x")
    (True, False, False)
    """
    inside = re.search(r'"[^"\n]*[^"\\\n]\\"[^",;|\t\r\n][^"\n]*', head)
    return bool(inside) and not re.search(r'[^",;|\t\r\n]""|""[^",;|\t\r\n]', head)


def _candidates(lines: Sequence[tuple[int, str]], told: str, has_backslashes: bool) -> list[Header]:
    filled = [index for index, (_, line) in enumerate(lines) if line.strip()][:_HEADER_LINES]
    dialects = [Dialect(delimiter, has_backslashes) for delimiter in ((told,) if told else (*_DELIMITERS, _ONLY_A_LINE))]
    found = (_candidate(lines[index : index + 5], dialect) for index in filled for dialect in dialects)
    return [header for header in found if header]


def _candidate(lines: Sequence[tuple[int, str]], dialect: Dialect) -> Header | None:
    """The first of these lines as the names of columns; those of a row that spans lines are taken together."""
    number, text = lines[0]
    if '"' not in text:
        names, last = text.split(dialect.delimiter), number
    else:
        found = rows(lines, dialect, text.count(dialect.delimiter) + 1)
        row, below = next(found, None), next(found, None)
        if not isinstance(row, Row):
            return None
        names, last = list(row.cells), below.line - 1 if below else lines[-1][0]
    while names and not names[-1].strip():
        names.pop()
    if not names or (len(names) < 2 and dialect.delimiter != _ONLY_A_LINE):
        return None
    return Header(number, last, tuple(names), dialect, _score(names))


def _score(names: Sequence[str]) -> int:
    """How many of the names are known; 0 if they can't be a header: none for a title or an abstract, or texts that are no names."""
    filled = [name.strip() for name in names if name.strip()]
    if any(len(name) > _NAME_LENGTH or len(name.split()) > 12 or _MARKUP.search(name) for name in filled):
        return 0
    meanings = [found for name in spelt_out(filled) if (found := meaning(name))]
    if not any(found.field in ("title", "abstract") and found.certainty < Certainty.LAST_RESORT for found in meanings):
        return 0
    return len(meanings) + sum(map(is_common_extra, filled))


def _mapped(document: Document, found: Sequence[Header]) -> Header:
    """The first line that has all columns that were named by hand. Raises SourceError."""
    wanted = document.mapping.values()
    complete = [header for header in found if all(_place(header.names, name) is not None for name in wanted)]
    if complete:
        return max(complete, key=lambda header: (-header.line, len(header.names)))
    best = max(found, key=lambda header: (header.score, len(header.names)), default=None)
    names = best.names if best else ()
    missing = next(name for name in wanted if _place(names, name) is None)
    raise SourceError(
        document.path,
        best.line if best else None,
        found=f"no column {missing!r} among {_listed(names)}",
        expected="the columns that --map names",
        hint="Name a column as it stands in this file: --map title=NAME",
    )


def _with_row_names(document: Document, header: Header) -> Header:
    """R writes the names of the rows as a column that the header does not name: then every row has one cell more."""
    below = (line for line in _lines(document.head()) if line[0] > header.last_line)
    found = list(islice(rows(below, header.dialect, len(header.names) + 1), 20))
    widths = {len(row.cells) for row in found if isinstance(row, Row)}
    is_filled = all(row.cells[0].strip() and row.cells[-1].strip() for row in found if isinstance(row, Row))
    return replace(header, names=("", *header.names)) if widths == {len(header.names) + 1} and is_filled else header


def _mend(names: Sequence[str]) -> Mend | None:
    """Scopus names one column of funding texts and writes as many as a record has. What follows them is counted from the end, the EID."""
    texts = [index for index, name in enumerate(names) if letters(name).startswith("fundingtext")]
    if not texts or letters(names[-1]) != "eid":
        return None
    left, right = texts[-1] + 1, len(names) - texts[-1] - 1
    return lambda cells: [*cells[:left], *cells[-right:]] if _SCOPUS_EID.fullmatch(cells[-1].strip()) else None


def _place(names: Sequence[str], wanted: str) -> int | None:
    """Which column is called so; the exact name before one that differs in case, spaces or signs only."""
    for form in (str, str.strip, letters):
        if (place := next((index for index, name in enumerate(names) if form(name) == form(wanted)), None)) is not None:
            return place
    return None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(" ".join(name.split())[:60] for name in names[:40] if name.strip())
    return f"{shown}..." if len(names) > 40 else shown


# ------------------------------------------------------------------------------------------------------------------------------- layout


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns make which field.

    `fields`: for each field its columns in order of preference, those of one name together. `extra`: the others, by the name that they get.
    """

    fields: Mapping[str, Sequence[Sequence[int]]]
    extra: Mapping[int, str]
    keys: Sequence[int]
    pages: Sequence[int] = ()
    has_glued_authors: bool = False


def _layout(names: Sequence[str], mapping: Mapping[str, str]) -> _Layout:
    by_hand = {field: place for field, name in mapping.items() if (place := _place(names, name)) is not None}
    plain = spelt_out([name.strip() for name in names])
    grouped: dict[str, dict[tuple[int, int], list[int]]] = {}
    for index, name in enumerate(plain):
        if index not in by_hand.values() and (found := meaning(name)):
            grouped.setdefault(found.field, {}).setdefault((found.certainty, found.rank), []).append(index)
    fields = {field: _preferred(groups) for field, groups in grouped.items() if field not in by_hand}
    fields |= {field: [[place]] for field, place in by_hand.items()}
    used = {index for groups in fields.values() for group in groups for index in group}
    compared = {letters(name) for name in plain}
    pages = [*in_order(plain, FIRST_PAGE)[:1], *in_order(plain, LAST_PAGE)[:1]]
    return _Layout(
        fields=fields,
        extra={index: extra_name(name) for index, name in enumerate(plain) if index not in used and name},
        keys=in_order(plain, KEYS),
        pages=pages if len(pages) == 2 and "pages" not in map(extra_name, plain) else (),
        has_glued_authors={"itemtitle", "itemdoi", "contenttype"} <= compared,
    )


def _preferred(groups: Mapping[tuple[int, int], list[int]]) -> list[list[int]]:
    """The columns in order of preference; those of the last resort only if there are no others."""
    sure = {rank: columns for rank, columns in groups.items() if rank[0] < Certainty.LAST_RESORT}
    return [columns for _, columns in sorted((sure or groups).items())]


def _sample(found: Iterable[Row | Fault], layout: _Layout) -> Iterator[str]:
    places = [index for group in layout.fields.get("author", ())[:1] for index in group]
    return (row.cells[index] for row in found if isinstance(row, Row) for index in places if index < len(row.cells))


# ------------------------------------------------------------------------------------------------------------------------------- values

_ALL_COLUMNS = frozenset(("abstract", "keyword"))
"""Fields to which every column adds its values. Of the others one column counts, the first that holds something."""
_LISTS = frozenset(("keyword", "type"))
_NUMBER = re.compile(r"(\d+)\.0")
_RULE = re.compile(r":?-{2,}:?")
_TRUE, _FALSE = frozenset("true 1 1.0 yes y t x".split()), frozenset("false 0 0.0 no n f".split())
_EMBASE_SOURCE = re.compile(r"(.{1,300}?) \((\d{4})\) (?:\S.*|\S)", re.DOTALL)


def _fields(row: Row, header: Header, layout: _Layout, *, commas_divide: bool) -> dict[str, list[str]]:
    """The values of a row by field; nothing for a row that is no record: empty, the header once more, or the rule of a Markdown table."""
    cells = row.cells
    filled = [cell for cell in cells if cell.strip()]
    if not filled or tuple(cells) == header.names or all(_RULE.fullmatch(cell.strip()) for cell in filled):
        return {}
    fields = {field: found for field, groups in layout.fields.items() if (found := _values(field, cells, groups))}
    if authors := fields.get("author"):
        fields["author"] = _people(authors, layout, commas_divide=commas_divide)
    fields = {field: found for field, found in _repaired(fields).items() if found}
    for index, name in layout.extra.items():
        if index < len(cells) and not values.is_missing(cells[index]):
            fields.setdefault(name, []).append(cells[index])
    if len(pages := _filled(cells, layout.pages)) == 2:
        fields["pages"] = ["-".join(pages)]
    if address := next((key for key in _filled(cells, layout.keys) if key.startswith(("http://", "https://"))), None):
        fields.setdefault("url", [address])
    return fields or {"row": list(filled)}


def _values(field: str, cells: Sequence[str], groups: Sequence[Sequence[int]]) -> list[str]:
    found: list[str] = []
    for group in groups:
        here = [cells[index] for index in group if index < len(cells) and not values.is_missing(cells[index])]
        found += here if field in _ALL_COLUMNS or field == "author" else here[:1]
        if found and field not in _ALL_COLUMNS:
            break
    return [part for cell in found for part in values.parts(cell)] if field in _LISTS else found


def _people(found: Sequence[str], layout: _Layout, *, commas_divide: bool) -> list[str]:
    if layout.has_glued_authors:
        return [name for cell in found for name in values.glued_people(cell)]
    return [name for cell in found for name in values.people(cell, commas_divide=commas_divide)]


def _repaired(fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """What tables alone do: whole numbers written as 2019.0, yes and no, a journal with its year."""
    for name in ("year", "pmid"):
        if name in fields:
            fields[name] = [_NUMBER.sub(r"\1", value) if _NUMBER.fullmatch(value.strip()) else value for value in fields[name]]
    if "notice" in fields:
        fields["notice"] = [notice for value in fields["notice"] if (notice := _notice(value))]
    fields["venue"] = [venue for venue in fields.get("venue", ()) if not values.is_database(venue)]
    if (venue := fields["venue"]) and (source := _EMBASE_SOURCE.fullmatch(venue[0])):
        fields["venue"], fields["source"] = [source[1]], [venue[0]]
        fields.setdefault("year", [source[2]])
    if "title" not in fields and "translated_title" in fields:
        fields["title"] = fields.pop("translated_title")
    return fields


def _notice(value: str) -> str:
    """
    >>> _notice("True"), _notice("0"), _notice("Retraction")
    ('retracted', '', 'Retraction')
    """
    folded = value.strip().casefold()
    if folded in _TRUE:
        return "retracted"
    return "" if folded in _FALSE else value


def _filled(cells: Sequence[str], places: Sequence[int]) -> list[str]:
    return [cells[index].strip() for index in places if index < len(cells) and not values.is_missing(cells[index])]


# ------------------------------------------------------------------------------------------------------------------------------- claims


def _claims(head: str) -> bool:
    """Does a line name columns that are mostly known, one of them surely a title or an abstract, and are the lines below it as wide?

    Prose and programs have commas too, so that a table of other columns, or one far down in a text, is recognised by its suffix alone.
    """
    told, lines = _told(_lines(head))
    known = [header for header in _candidates(lines, told, has_backslashes=False) if header.score and len(header.names) > 1]
    if not known:
        return False
    header = max(known, key=lambda header: (header.score, -header.line, len(header.names)))
    below = rows((line for line in lines if line[0] > header.last_line), header.dialect, _ANY_WIDTH)
    are_wide = [isinstance(row, Row) and len(row.cells) >= len(header.names) for row in islice(below, 10)]
    above = [text for number, text in lines if number < header.line and text.strip()]
    return _is_sure(header.names) and _is_preface(above) and sum(are_wide) * 2 >= len(are_wide)


_ANY_WIDTH = 1_000_000
_MANY = 5
_LONGEST_PREFACE = 20  # lines
_OF_PROGRAM = re.compile(r"[;{(]\s*$")


def _is_sure(names: Sequence[str]) -> bool:
    filled = [name.strip() for name in names if name.strip()]
    known = [found for name in spelt_out(filled) if (found := meaning(name)) and found.certainty is Certainty.KNOWN]
    count = len(known) + sum(map(is_common_extra, filled))
    is_known = count > 1 and (count >= _MANY or count * 3 >= len(filled))
    # a few names of two letters may be anything, such as classes of characters
    is_told = len(filled) >= _MANY or any(len(name) > 2 or not name.isascii() for name in filled)
    is_call = any(name.count("(") != name.count(")") for name in filled)
    return len(filled) > 1 and is_known and is_told and not is_call and any(found.field in ("title", "abstract") for found in known)


def _is_preface(lines: Sequence[str]) -> bool:
    """Is this what databases write above a table: little, and no program?"""
    return len(lines) <= _LONGEST_PREFACE and sum(bool(_OF_PROGRAM.search(line)) for line in lines) < 2


FORMAT = Format("table", (".csv", ".tsv", ".tab"), _claims, read)
