"""Delimited text (CSV, TSV...) -> rows with the physical line at which each begins.

The csv module reads well-formed files alike. It can't say where a row that spans lines began to go wrong, swallows the rest of a file after a
quotation mark that is not closed, and joins a field whose inner quotation marks are not doubled in silence; people's tables have all three.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

MAX_LINES = 10_000
"""A row of more lines is taken for one whose quotation mark is not closed."""

MAX_CHARACTERS = 16_000_000
"""So is a longer one; a single line of more is no row either."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What stands between cells, and whether quotation marks inside a quoted cell are escaped by a backslash, rather than doubled."""

    delimiter: str
    has_backslashes: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row. `line`: where it begins, from 1."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that can't be read, and why. `is_line`: it is a line without any separator."""

    line: int
    reason: str
    is_line: bool = False


class _Unreadable(Exception):
    """Why a row can't be read."""


Numbered = tuple[int, str]


@dataclass(slots=True)
class _Lines:
    """Numbered lines, of which those of a row that went wrong can be put back."""

    numbered: Iterator[Numbered]
    waiting: deque[Numbered] = field(default_factory=deque)
    taken: list[Numbered] = field(default_factory=list)
    characters: int = 0

    def begin(self) -> Numbered | None:
        """The first line of the next row; None at the end."""
        self.taken, self.characters = [], 0
        return self._next()

    def more(self) -> str:
        """One more line of the row. Raises _Unreadable at the end of the file, and where the row is too long to be one."""
        if len(self.taken) >= MAX_LINES or self.characters > MAX_CHARACTERS:
            raise _Unreadable(f"a quotation mark is not closed within {len(self.taken):,} lines")
        if (found := self._next()) is None:
            raise _Unreadable("a quotation mark is not closed before the file ends")
        return found[1]

    def put_back(self) -> None:
        """All lines of the row but the first are to be read again."""
        self.waiting.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]

    def _next(self) -> Numbered | None:
        found = self.waiting.popleft() if self.waiting else next(self.numbered, None)
        if found is not None:
            self.taken.append(found)
            self.characters += len(found[1])
        return found


@dataclass(frozen=True, slots=True)
class _Patterns:
    body: re.Pattern[str]
    closing: re.Pattern[str]
    undoubled: re.Pattern[str]
    delimiter: str

    def plain(self, body: str) -> str:
        """What the inside of a quoted cell says."""
        return body.replace('""', '"')


@dataclass(frozen=True, slots=True)
class _EscapedPatterns(_Patterns):
    def plain(self, body: str) -> str:
        return _ESCAPED.sub(r"\1", body.replace('""', '"'))


_OPENING = re.compile(r' *+"')
_ESCAPED = re.compile(r'\\(["\\])')


@lru_cache(maxsize=16)
def _patterns(dialect: Dialect) -> _Patterns:
    end = rf" *+(?={re.escape(dialect.delimiter)}|\Z)"
    closing = re.compile(f'"{end}')
    undoubled = re.compile(rf' *+"((?:[^"]++|"(?!{end}))*+)"{end}|(?! *+")([^{re.escape(dialect.delimiter)}]*+)')
    if dialect.has_backslashes:
        body = re.compile(r'[^"\\]*+(?:(?:\\.|""|\\\Z)[^"\\]*+)*+', re.DOTALL)
        return _EscapedPatterns(body, closing, undoubled, dialect.delimiter)
    return _Patterns(re.compile(r'[^"]*+(?:""[^"]*+)*+'), closing, undoubled, dialect.delimiter)


Mend = Callable[[list[str]], list[str] | None]
"""A row that is wider than the header -> as wide as it, if it is known what its surplus is."""


def rows(numbered: Iterable[Numbered], dialect: Dialect, width: int, *, mend: Mend | None = None) -> Iterator[Row | Fault]:
    """Rows in order; one that can't be read is a Fault, and reading goes on at the next line that begins a row.

    `width`: how many cells a row has by the header. A row may have fewer, and then lacks its last ones; what it has beyond must be empty or `mend`ed.
    Lines of white space are no rows.

    >>> list(rows([(1, 'a,b'), (2, '"c'), (3, 'd",e')], Dialect(","), 2))
    [Row(line=1, cells=['a', 'b']), Row(line=2, cells=['c\\nd', 'e'])]
    """
    yield from _whole(_in_order(numbered, dialect, width, mend), width)


def _in_order(numbered: Iterable[Numbered], dialect: Dialect, width: int, mend: Mend | None) -> Iterator[Row | Fault]:
    lines = _Lines(iter(numbered))
    good = quoted = 0
    lost: _Lost | None = None
    while (first := lines.begin()) is not None:
        number, text = first
        if not text.strip():
            continue
        read = _mended(_row(lines, number, text, dialect, width), width, mend)
        # if all rows so far begin with a quotation mark, a line that does not goes on with the row before it
        if lost and not _is_start(read, text, dialect, width, begin_quoted=0 < quoted == good):
            lines.put_back()
            lost.until = number
            continue
        if lost:
            yield lost.fault()
        # without quotation marks the fault stays on its line
        lost = _Lost(read, number) if isinstance(read, Fault) and '"' in text else None
        if lost:
            continue
        if isinstance(read, Fault):
            yield read
            continue
        good, quoted = good + 1, quoted + text.lstrip().startswith('"')
        yield read
    if lost:
        yield lost.fault()


@dataclass(slots=True)
class _Lost:
    """A row that went wrong, and the last of the lines that were left out since."""

    row: Fault
    until: int

    def fault(self) -> Fault:
        if self.until == self.row.line:
            return self.row
        return Fault(self.row.line, f"{self.row.reason}; left out as far as line {self.until}, after which a whole row begins or the file ends")


def _whole(found: Iterable[Row | Fault], width: int) -> Iterator[Row | Fault]:
    """The rows, without those that are the parts of one with line breaks in a cell that is not in quotation marks: these are one Fault."""
    first: Row | None = None
    parts = until = 0
    for read in found:
        if first and parts < width and _goes_on(read, parts, width, is_next=until == first.line):
            parts, until = parts + _count(read) - 1, read.line
            continue
        if first:
            yield _as_one(first, until)
            first = None
        if isinstance(read, Row) and 1 < len(read.cells) < width:
            first, parts, until = read, len(read.cells), read.line
        else:
            yield read
    if first:
        yield _as_one(first, until)


def _goes_on(read: Row | Fault, parts: int, width: int, *, is_next: bool) -> bool:
    """Does this go on with a row of which there are `parts` cells? It has no separator, or is just what is missing and begins inside a sentence.

    `is_next`: nothing has gone on with that row yet.
    """
    if isinstance(read, Fault):
        return read.is_line
    return parts + len(read.cells) - 1 == width and (not is_next or read.cells[0][:1].islower())


def _count(read: Row | Fault) -> int:
    return len(read.cells) if isinstance(read, Row) else 1


def _as_one(first: Row, until: int) -> Row | Fault:
    if until == first.line:
        return first
    return Fault(first.line, f"a line break inside a cell that is not in quotation marks; left out as far as line {until}")


def _is_start(read: Row | Fault, text: str, dialect: Dialect, width: int, *, begin_quoted: bool) -> bool:
    """After a row that went wrong: does this line begin a new row, and not go on with that one?"""
    if begin_quoted and not text.lstrip().startswith('"'):
        return False
    if isinstance(read, Row):
        return len(read.cells) >= width
    return begin_quoted or (width > 1 and text.count(dialect.delimiter) >= width - 1)


def _mended(read: Row | Fault, width: int, mend: Mend | None) -> Row | Fault:
    """A row as wide as the header or narrower. A line without any separator is no row of three or more columns."""
    if isinstance(read, Fault):
        return read
    cells = _without_empty_end(list(read.cells), width)
    if len(cells) > width:
        mended = mend(cells) if mend else None
        return Row(read.line, mended) if mended else Fault(read.line, _too_wide(len(cells), width))
    if len(cells) == 1 and width > 2:
        why = f"one cell, where the header has {width}: a line break inside a cell that is not in quotation marks, or a remark?"
        return Fault(read.line, why, is_line=True)
    return Row(read.line, cells)


def _without_empty_end(cells: list[str], width: int) -> list[str]:
    """A separator may end a line, after which nothing comes."""
    return cells[:width] if len(cells) > width and not any(cell.strip() for cell in cells[width:]) else cells


def _too_wide(count: int, width: int) -> str:
    return f"{count} cells, where the header has {width}: a separator inside a cell that is not in quotation marks?"


def _row(lines: _Lines, number: int, text: str, dialect: Dialect, width: int) -> Row | Fault:
    if len(text) > MAX_CHARACTERS:
        return Fault(number, f"a line of {len(text):,} characters, longer than any record")
    if '"' not in text:
        return Row(number, text.split(dialect.delimiter))
    patterns = _patterns(dialect)
    try:
        cells, is_odd = _quoted_cells(lines, text, patterns)
    except _Unreadable as error:
        lines.put_back()
        return _undoubled(number, text, patterns, width) or _as_text(number, text, dialect, width) or Fault(number, str(error))
    if is_odd and len(_without_empty_end(cells, width)) != width:
        why = f"{len(cells)} cells, where the header has {width}, and a quotation mark inside a cell that is not doubled"
        return _undoubled(number, text, patterns, width) or _as_text(number, text, dialect, width) or Fault(number, why)
    return Row(number, cells)


def _undoubled(number: int, text: str, patterns: _Patterns, width: int) -> Row | None:
    """The first line alone, by a writer that doubles no quotation marks: one ends a cell where a separator follows. None: other than `width` cells.

    IEEE Xplore writes "Conference on "Computers as a Tool"","2007".
    """
    cells: list[str] = []
    position = 0
    while position <= len(text):
        match = patterns.undoubled.match(text, position)
        if not match:
            return None
        quoted, plain = match.groups()
        cells.append(plain if quoted is None else quoted)
        if match.end() < len(text) and text[match.end()] != patterns.delimiter:
            return None
        position = match.end() + 1
    return Row(number, cells) if len(_without_empty_end(cells, width)) == width else None


def _as_text(number: int, text: str, dialect: Dialect, width: int) -> Row | None:
    """The first line alone, its quotation marks read as text, if it has just as many cells as the header.

    Tables with tabs are often written without any quoting; elsewhere a title may begin with a word in quotation marks.
    """
    cells = _without_empty_end(text.split(dialect.delimiter), width)
    if len(cells) != width or width == 1:
        return None
    if dialect.delimiter != "\t" and any(cell.count('"') % 2 for cell in cells):
        return None
    return Row(number, [_unquoted(cell) for cell in cells])


def _unquoted(cell: str) -> str:
    bare = cell.strip()
    inner = bare[1:-1]
    if len(bare) > 1 and bare[0] == bare[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def _quoted_cells(lines: _Lines, text: str, patterns: _Patterns) -> tuple[list[str], bool]:
    """The cells of a row, and whether quotation marks inside a cell were not doubled."""
    cells: list[str] = []
    position, is_odd = 0, False
    while True:
        if opening := _OPENING.match(text, position):
            cell, text, position, odd = _quoted_cell(lines, text, opening.end(), patterns)
            is_odd = is_odd or odd
        else:
            end = text.find(patterns.delimiter, position)
            end = len(text) if end < 0 else end
            cell, position = text[position:end], end
        cells.append(cell)
        if position >= len(text):
            return cells, is_odd
        position += 1


def _quoted_cell(lines: _Lines, text: str, position: int, patterns: _Patterns) -> tuple[str, str, int, bool]:
    """The cell, the line on which it ends, where there, and whether it has quotation marks that are not doubled.

    One that is neither doubled nor followed by a separator is text, as long as the cell stays on its line: on a later line it is more likely
    that this cell was not closed, and the mark opens one of the next row.
    """
    pieces: list[str] = []
    is_odd = has_lines = False
    while True:
        body = patterns.body.match(text, position)
        position = body.end() if body else position
        pieces.append(patterns.plain(body[0]) if body else "")
        if position >= len(text):
            if is_odd:
                raise _Unreadable("a quotation mark is not closed on its line, and another is not doubled")
            text, position, has_lines = lines.more(), 0, True
            pieces.append("\n")
        elif closing := patterns.closing.match(text, position):
            return "".join(pieces), text, closing.end(), is_odd
        elif has_lines:
            raise _Unreadable(f"a quotation mark is not closed before line {lines.taken[-1][0]}, where another is")
        else:
            pieces.append(text[position])
            position, is_odd = position + 1, True
