"""BibTeX and BibLaTeX, as reference managers, databases and people write them.

Own code. bibtexparser 2.1 was tried on 460 real files. It is fast and keeps what is well-formed, but it gives up a record without a key (EndNote,
RePEc and JabRef write these), one in which a comma is missing, and one with a comment behind a field; it cuts a quoted value at a quote inside its
braces, takes a brace behind a backslash for none, leaves abbreviations that are joined by "#" as they are, and its line numbers drift. A guard around
it would have to read all of that itself. The tests hold our reading against its own.

A record that is not well-formed ends at the next line that begins with "@word{". If each of its fields is whole, it is read line by line and said to
be repaired; if not, it is a Problem. Nothing else is lost with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

Fields = list[tuple[str, str]]
"""(name in lower case, value) in the order of the file."""

_WORD = r"[^\W\d][^\s=,{}\"#%()@]{0,99}+"
_NAME = _WORD + r"(?:[ \t\xa0]{1,3}+[^\s=,{}\"#%()@]{1,99}+){0,3}?"  # "funding_text 1"
_HEADER = re.compile(r"^(?:[^\S\n]|\ufeff)*+@[^\S\n]*+([^\W\d][\w.-]{0,50})\s*+([{(])", re.MULTILINE)
_HEADER_IN_LINE = re.compile(r"@([A-Za-z]{2,30})[^\S\n]*+([{])(?=\s*+[^\s,{}\"=]*+\s*+,)")
_HEADER_BEHIND = re.compile(rf"[}})][^\S\n]*+(?={_HEADER_IN_LINE.pattern})")
_FIELD = re.compile(rf"({_NAME})\s*+=\s*+")
_FIELD_LINE = re.compile(rf"^[^\S\n]*+,?[^\S\n]*+({_NAME})[^\S\n]*+=[^\S\n]*+(?=[\w{{\"])", re.MULTILINE)
_FIELD_BEHIND = re.compile(rf"[}}\"]\s*+,\s*+{_NAME}\s*+=\s*+[\w{{\"]")
_HOLDS_FIELD = re.compile(rf"{_FIELD_BEHIND.pattern}|,\s*+{_WORD}\s*+=\s*+[{{\"]")
_NO_KEY = re.compile(rf"[\s,]*+(?={_WORD}\s*+=\s*+[{{\"\w])")
_KEY = {closer: re.compile(rf"\s*+([^,\n{closer}]*+)[^\S\n]*+") for closer in "})"}
_KEY_BEFORE_FIELD = re.compile(rf"(\S++)[^\S\n]++(?={_WORD}[^\S\n]*+=)")
_BETWEEN = re.compile(r"(?:[\s,]++|%[^\n]*+)*+")
_BARE = re.compile(r"[^\s,{}\"#=%()]++")
_FLAT = re.compile(r"\{([^{}\\]*+)\}")
_BRACES = re.compile(r"[{}]")
_MARKS = {False: re.compile(r"[{}\"]"), True: re.compile(r"\\[{}\"\\]|[{}\"]")}
"""By whether a backslash takes a brace or a quote its meaning."""

_NO_RECORDS = frozenset({"comment", "string", "preamble"})
_NOT_PAPERS = {"xdata": "data for other records", "set": "a set of other records"}
_SETTINGS = re.compile(r"control|\w*bstctl")
_MONTHS = "January February March April May June July August September October November December".split()
_EXPECTED = "records such as @article{key, title = {...}}"


@dataclass(frozen=True, slots=True)
class _Block:
    """`@kind{...}`: where it begins, what is the first character inside, what closes it, and where the next block begins."""

    kind: str
    start: int
    inside: int
    closer: str
    limit: int

    @property
    def is_record(self) -> bool:
        return self.kind not in _NO_RECORDS


@dataclass(frozen=True, slots=True)
class _Entry:
    """A record: `end` is behind its last brace; `repair` says what was put right."""

    kind: str
    key: str
    fields: Fields
    end: int
    repair: str = ""


class _BrokenError(Exception):
    """A block is not well-formed at this place of the text."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(what)
        self.at = at
        self.what = what


# ---------------------------------------------------------------------------------------------------------------- reading


def read(document: Document) -> Iterator[Raw | Problem]:
    """Every record of a BibTeX file. Raises SourceError when it holds none."""
    text = document.text().replace("\r\n", "\n").replace("\r", "\n")
    is_empty = True
    for found in _Library(document.path, text).records():
        is_empty = False
        yield found
    if is_empty:
        raise SourceError(document.path, None, found="no BibTeX record", expected=_EXPECTED)


class _Library:
    """One file: its text, its abbreviations, and its records by key."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.lines = _Lines(text)
        self.macros = _Macros(len(text))
        self._closings: dict[int, int] | None = None
        self._by_key: dict[str, _Block] | None = None
        self._donors: dict[str, Fields] = {}
        self._gifts_left = 1_000_000 + len(text) // 10
        self._tried = 0

    def records(self) -> Iterator[Raw | Problem]:
        """Raw records and Problems in the order of the file."""
        for block in self._headers():
            if block.kind == "string":  # an abbreviation may be used before it is defined
                self._define(block)
        at = 0
        for block in self._headers():
            if block.start < at:
                continue  # inside a comment, or quoted in a note
            yield from self._in_line(at, block.start)
            at, found = self._read(block)
            yield from found
        yield from self._in_line(at, len(self.text))

    def _headers(self) -> Iterator[_Block]:
        """What begins at the beginning of a line."""
        for header, following in _with_next(filter(_is_header, _HEADER.finditer(self.text))):
            yield _block(header, following.start() if following else len(self.text))

    def _in_line(self, at: int, upto: int) -> Iterator[Raw | Problem]:
        """Records that begin in the middle of a line, behind the end of another."""
        while header := _HEADER_IN_LINE.search(self.text, at, upto):
            at = header.end()
            if self._is_in_prose(header.start()):
                continue
            following = _HEADER_IN_LINE.search(self.text, self._closing(header.end() - 1) or at, upto)
            at, found = self._read(_block(header, following.start() if following else upto))
            yield from found

    def _is_in_prose(self, at: int) -> bool:
        before = self.text[max(0, at - 200) : at].rpartition("\n")[2]
        return before.lstrip().startswith("%") or before[-1:].isalnum()

    def _read(self, block: _Block) -> tuple[int, list[Raw | Problem]]:
        """Where the block ends, and what it gives."""
        if block.kind == "string":
            return self._define(block)
        if not block.is_record:
            return self._end_of_free(block), []
        line = self.lines.of(block.start)
        try:
            entry = self._entry(block)
        except _BrokenError as error:
            return self._resume(block), [Problem(self.path, line, f"@{block.kind} can't be read: {error.what} (line {self.lines.of(error.at)})")]
        return entry.end, list(self._found(entry, line))

    def _found(self, entry: _Entry, line: int) -> Iterator[Raw | Problem]:
        called = f"@{entry.kind}{{{entry.key}}}"
        if entry.kind in _NOT_PAPERS or _SETTINGS.fullmatch(entry.kind):
            reason = _NOT_PAPERS.get(entry.kind, "settings of a style")
            yield Problem(self.path, line, f"{called} is {reason}", Trouble.NOT_A_PAPER)
            return
        if entry.repair:
            yield Problem(self.path, line, f"{called}: {entry.repair}", Trouble.REPAIRED)
        yield Raw(line, _by_field(entry.kind, entry.key, self._filled(entry.fields)), "latex", entry.key)

    # ------------------------------------------------------------------------------------------------------------ blocks

    def _entry(self, block: _Block) -> _Entry:
        """The record of a block. Raises _BrokenError."""
        try:
            return self._well_formed(block, block.limit, escapes=False)
        except _BrokenError as error:
            first = error
        for upto, escapes in ((block.limit, True), *((end, False) for end in self._end_of_quoting(block))):
            try:
                return self._well_formed(block, upto, escapes=escapes)
            except _BrokenError:
                continue
        return self._by_lines(block, first)

    def _well_formed(self, block: _Block, limit: int, *, escapes: bool) -> _Entry:
        scanner = _Scanner(self.text, block.inside, limit, block.closer, self.macros, escapes=escapes)
        key = scanner.key()
        fields = scanner.fields()
        if limit == block.limit and _is_cut(self.text, scanner.at, limit):
            raise _BrokenError(scanner.at, "found a brace too many, which ends the record before its last fields; take it away")
        return _Entry(block.kind, key, fields, scanner.at)

    def _end_of_quoting(self, block: _Block) -> Iterator[int]:
        """Where a record ends in which a note quotes BibTeX, with "@word{" at the beginning of a line."""
        end = self._closing(block.inside - 1)
        if end is None or block.start < self._tried or not block.limit < end < block.limit + _LONGEST_QUOTE:
            return
        self._tried = end  # blocks inside of one another are not all tried up to the same end
        values = [field.end() for field in _FIELD_LINE.finditer(self.text, block.inside, block.limit)]
        if values and self.text[values[-1]] == "{" and not self.text[values[-1] : block.limit].rstrip().endswith("}"):
            yield end

    def _by_lines(self, block: _Block, error: _BrokenError) -> _Entry:
        """The record, if each of its fields begins a line and is whole. Raises the error that was found before if not."""
        scanner = _Scanner(self.text, block.inside, block.limit, block.closer, self.macros)
        try:
            key = scanner.key()
        except _BrokenError:
            raise error from None
        end = self._resume(block)
        body = self.text[scanner.at : end]
        fields: Fields = []
        for start, following in _with_next(_FIELD_LINE.finditer(body)):
            value = body[start.end() : following.start() if following else len(body)]
            whole = self._whole(value.rstrip(", \t\n") if following else _without_end(value, block.closer))
            if whole is None:
                where = scanner.at + start.start(1)
                raise _BrokenError(where, f"found {_name(start[1])!r} without its end, or with braces that don't match")
            fields.append((_name(start[1]), whole))
        if not fields:
            raise error
        return _Entry(block.kind, key, fields, end, f"{error.what} (line {self.lines.of(error.at)}); its fields were read line by line")

    def _resume(self, block: _Block) -> int:
        """Where reading goes on behind a record that is broken: at the next block, which may begin behind a brace in the same line."""
        following = _HEADER_BEHIND.search(self.text, block.inside, block.limit)
        return following.end() if following else block.limit

    def _whole(self, value: str) -> str | None:
        """What stands between the braces or quotes of a value, though those inside may not match."""
        if value[:1] in ("{", '"'):
            is_whole = len(value) > 1 and value[-1] == ("}" if value[0] == "{" else '"') and not _HOLDS_FIELD.search(value)
            return value[1:-1] if is_whole else None
        return self.macros.get(value) if _BARE.fullmatch(value) else None

    def _define(self, block: _Block) -> tuple[int, list[Raw | Problem]]:
        """Remember an abbreviation."""
        scanner = _Scanner(self.text, block.inside, block.limit, block.closer, self.macros)
        try:
            fields = scanner.fields()
        except _BrokenError as error:
            reason = f"@string can't be read: {error.what}; where it is used, its name stands"
            return block.limit, [Problem(self.path, self.lines.of(block.start), reason, Trouble.REPAIRED)]
        for name, value in fields:
            self.macros.define(name, value)
        return scanner.at, []

    def _end_of_free(self, block: _Block) -> int:
        """Where a comment or a preamble ends: at its brace, and if that is missing, where the next block begins."""
        if block.closer != "}":
            return block.limit
        depth = 1
        for brace in _BRACES.finditer(self.text, block.inside, block.limit):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return brace.end()
        return self._closing(block.inside - 1) or block.limit

    def _closing(self, brace: int) -> int | None:
        """Behind the brace that closes the one with which a block begins, wherever that is."""
        if self._closings is None:
            self._closings = _closings(self.text)
        return self._closings.get(brace)

    # ------------------------------------------------------------------------------------------------------------ inheritance

    def _filled(self, fields: Fields, depth: int = 0) -> Fields:
        """The fields with what the record takes from others: all from `xdata`, and from `crossref` what holds for the whole volume."""
        values = dict(fields)
        if "xdata" not in values and "crossref" not in values:
            return fields
        filled = list(fields)
        for key in values.get("xdata", "").split(",")[:_MOST_DONORS]:
            filled += self._gifts(self._donor(key, depth), filled)
        if "crossref" in values:
            filled += self._gifts(_of_volume(self._donor(values["crossref"], depth)), filled)
        return filled

    def _gifts(self, offered: Fields, have: Fields) -> Fields:
        names = {name for name, _ in have}
        if names & {"year", "date"}:
            names |= {"year", "date"}
        gifts = [(name, value) for name, value in offered if name not in names]
        self._gifts_left -= len(gifts)
        return gifts if self._gifts_left > 0 else []

    def _donor(self, key: str, depth: int) -> Fields:
        """The fields of the record with this key, itself filled; none if there is no such record."""
        key = key.strip().lower()
        if key in self._donors:
            return self._donors[key]
        self._donors[key] = []  # records that refer to each other end here
        block = self._index().get(key)
        if block and depth < _LONGEST_CHAIN:
            try:
                fields = [found for found in self._entry(block).fields if len(found[1]) <= _LONGEST_GIFT]
            except _BrokenError:
                fields = []
            self._donors[key] = self._filled(fields[:_MOST_GIFTS], depth + 1)
        return self._donors[key]

    def _index(self) -> dict[str, _Block]:
        if self._by_key is None:
            self._by_key = {}
            for block in self._headers():
                found = _KEY[block.closer].match(self.text, block.inside, block.limit)
                if block.is_record and found and found[1].strip():
                    self._by_key.setdefault(found[1].strip().lower(), block)
        return self._by_key


_LONGEST_QUOTE = 20_000  # characters of BibTeX that a note may quote
_MOST_DONORS = 20  # records from which one takes fields,
_LONGEST_CHAIN = 10  # which take them from others, one behind the other,
_MOST_GIFTS = 100  # fields of each,
_LONGEST_GIFT = 10_000  # of so many characters: more is an attack on the memory


def _with_next(matches: Iterable[re.Match[str]]) -> Iterator[tuple[re.Match[str], re.Match[str] | None]]:
    """Each match with the one behind it; None behind the last."""
    previous: re.Match[str] | None = None
    for match in matches:
        if previous:
            yield previous, match
        previous = match
    if previous:
        yield previous, None


def _is_header(header: re.Match[str]) -> bool:
    """Round brackets open a block only with a key or a field behind them: "@home (see" is prose."""
    return header[2] == "{" or header[1].lower() in _NO_RECORDS or bool(re.compile(r"\s*+[^\s,(){}=\"]*+\s*+[,=]").match(header.string, header.end()))


def _block(header: re.Match[str], limit: int) -> _Block:
    return _Block(header[1].lower(), header.start(), header.end(), "}" if header[2] == "{" else ")", limit)


def _closings(text: str) -> dict[int, int]:
    """For each brace with which a block begins the place behind the one that closes it; in one pass, whatever is open in between."""
    opened = {header.end() - 1 for pattern in (_HEADER, _HEADER_IN_LINE) for header in pattern.finditer(text)}
    closings: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    depth = 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            if brace.start() in opened:
                waiting.append((depth, brace.start()))
            depth += 1
            continue
        depth -= 1
        if waiting and waiting[-1][0] == depth:
            closings[waiting.pop()[1]] = brace.end()
    return closings


def _without_end(value: str, closer: str) -> str:
    """The last value of a record without what ends the record, where that is there."""
    value = value[: _end_of_text(value)]
    inner = value.removesuffix(closer).rstrip(", \t\n")
    is_whole = len(inner) > 1 and inner.endswith(("}", '"')) if inner[:1] in ("{", '"') else bool(inner)
    return inner if is_whole else value


def _end_of_text(text: str) -> int:
    """Where blanks and comments begin that reach to the end."""
    end = len(text)
    while end:
        while end and text[end - 1].isspace():
            end -= 1
        start = text.rfind("\n", 0, end) + 1
        if not text.startswith("%", start):
            break
        end = start
    return end


def _is_cut(text: str, at: int, limit: int) -> bool:
    """Did a brace too many end a record here? Then fields of it follow, behind a comma or before a brace that closes nothing."""
    if _FIELD_BEHIND.match(text, at - 1, limit):
        return True
    if text.find("}", at, limit) < 0 or not _FIELD_LINE.search(text, at, limit):
        return False
    depth = 0
    for brace in _BRACES.finditer(text, at, limit):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return True
    return False


class _Lines:
    """Line numbers of places that are asked for roughly in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def of(self, at: int) -> int:
        """The line of a character, from 1."""
        if at < self.at:
            return self.line - self.text.count("\n", at, self.at)
        self.line += self.text.count("\n", self.at, at)
        self.at = at
        return self.line


class _Macros:
    """The abbreviations of a file."""

    def __init__(self, size: int) -> None:
        self._values = {month[:3].lower(): month for month in _MONTHS}
        self._left = 4 * size + 1_000_000  # characters; abbreviations of abbreviations could fill the memory

    def define(self, name: str, value: str) -> None:
        """Give a name its text."""
        self._values[name] = value

    def get(self, name: str) -> str:
        """What a word without quotes stands for: itself if it is a number or not defined."""
        value = self._values.get(name.lower(), name)
        self._left -= len(value)
        return value if self._left > 0 else name


class _Scanner:
    """Reads the inside of one block from left to right. `escapes`: a backslash takes a brace or quote its meaning, which in BibTeX it does not."""

    def __init__(self, text: str, at: int, limit: int, closer: str, macros: _Macros, *, escapes: bool = False) -> None:
        self.text = text
        self.at = at
        self.limit = limit
        self.closer = closer
        self.macros = macros
        self.escapes = escapes

    def key(self) -> str:
        """The citation key, "" if there is none; the place is then at the first field. Raises _BrokenError."""
        if found := _NO_KEY.match(self.text, self.at, self.limit):
            self.at = found.end()
            return ""
        found = _KEY[self.closer].match(self.text, self.at, self.limit)
        if not found:
            raise _BrokenError(self.at, "found no key")
        key = found[1]
        if before := _KEY_BEFORE_FIELD.match(key):
            key, self.at = before[1], found.start(1) + before.end()
        else:
            self.at = found.end()
        if "{" in key or '"' in key:
            raise _BrokenError(found.start(1), f"found {_clip(key)!r}, expected a key and a comma")
        return key.strip()

    def fields(self) -> Fields:
        """All fields up to the end of the block; the place is then behind it. Raises _BrokenError."""
        fields: Fields = []
        while True:
            self._skip()
            if self.at >= self.limit:
                raise _BrokenError(self.at, f"found its end missing, expected {self.closer!r}")
            if self.text[self.at] == self.closer:
                self.at += 1
                return fields
            found = _FIELD.match(self.text, self.at, self.limit)
            if not found:
                raise _BrokenError(self.at, f"found {_clip(self.text[self.at : self.limit])!r}, expected a field or {self.closer!r}")
            self.at = found.end()
            fields.append((_name(found[1]), self._value(found[1])))

    def _skip(self) -> None:
        if between := _BETWEEN.match(self.text, self.at, self.limit):
            self.at = between.end()

    def _value(self, name: str) -> str:
        parts = [self._part(name)]
        while (found := _JOINED.match(self.text, self.at, self.limit)) is not None:
            self.at = found.end()
            parts.append(self._part(name))
        return "".join(parts)

    def _part(self, name: str) -> str:
        if flat := _FLAT.match(self.text, self.at, self.limit):
            self.at = flat.end()
            return flat[1]
        opener = self.text[self.at : min(self.at + 1, self.limit)]
        if opener in ("{", '"'):
            return self._enclosed(name, opener)
        if bare := _BARE.match(self.text, self.at, self.limit):
            self.at = bare.end()
            return self.macros.get(bare[0])
        return ""  # "year = ,"

    def _enclosed(self, name: str, opener: str) -> str:
        start, depth = self.at + 1, 0
        for mark in _MARKS[self.escapes].finditer(self.text, start, self.limit):
            if depth == 0 and mark[0] == ("}" if opener == "{" else '"'):
                self.at = mark.end()
                return self.text[start : mark.start()]
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if depth < 0:
                raise _BrokenError(mark.start(), f"found '}}' inside the quotes of {name!r}, expected '{{' before it")
        closer = "}" if opener == "{" else '"'
        raise _BrokenError(start, f"found {name!r} without its end, expected {closer!r}")


_JOINED = re.compile(r"\s*+#\s*+")


def _name(name: str) -> str:
    return " ".join(name.lower().split())


def _clip(text: str) -> str:
    line = text.split("\n", 1)[0].strip()
    return line if len(line) <= 40 else line[:37] + "..."


# ---------------------------------------------------------------------------------------------------------------- fields

_SAME = {
    "abstractnote": "abstract", "journal": "venue", "journaltitle": "venue", "booktitle": "venue", "date": "year", "subtitle": "title",
    "group-author": "author", "pubmedid": "pmid", "pubmed-id": "pmid", "pubmed_id": "pmid", "arxivid": "arxiv", "link": "url", "ee": "url",
    "keywords": "keyword", "author_keywords": "keyword", "author-keywords": "keyword", "keywords-plus": "keyword", "langid": "language",
    "hyphenation": "language", "document_type": "type", "documenttype": "type", "entrysubtype": "type", "pubtype": "type", "location": "address",
    "city": "address", "number": "issue",
}  # fmt: skip
_ONE_VALUE = frozenset(("title", "subtitle"))
_NUMBERED = frozenset("techreport report patent standard manual legislation".split())  # their number is not that of an issue
_IN_BOOKS = frozenset("inproceedings conference incollection inbook bookinbook suppbook inreference".split())
_OF_THE_FILE = re.compile(r"file|localfile|local-url|attachments?|bdsk-file-\d+|pdf|__markedentry")
_VOLUME = frozenset("booktitle booksubtitle journal journaltitle year date month publisher series volume address location editor issn isbn".split())

_ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?"
_ARXIV = re.compile(rf"(?:\barxiv\s?[:/]\s?|\babs/)({_ARXIV_ID})(?!\w)", re.IGNORECASE)
_BARE_ARXIV = re.compile(_ARXIV_ID)
_PMID = re.compile(r"^\s*+PMID:?\s*+(\d{1,8})\b", re.MULTILINE)
_KEY_PMID = re.compile(r"PMID:(\d{1,8})")
_KEY_DOI = re.compile(r"(?:doi:)?(?:https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S{1,200}", re.IGNORECASE)
_NOTICE = re.compile(r"retract|withdr[ae]w|errat|corrigend|\bcorrect(?:ion|ed)\b|expression of concern", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s{}]{1,2000}")
_AND = re.compile(r"(?:(?<=\s)|(?<=[}]))and(?=[\s{])", re.IGNORECASE)
_SEMICOLON = re.compile(r"&#?\w{1,10};|;\s++")
_NO_AUTHORS = frozenset(("others", "et al", "et al.", "{others}", "{et al.}", "{et al}"))

# What the Astrophysics Data System writes for a journal, unless it is told to write its name.
_JOURNALS = {
    "aj": "The Astronomical Journal", "apj": "The Astrophysical Journal", "apjl": "The Astrophysical Journal Letters",
    "apjs": "The Astrophysical Journal Supplement Series", "aap": "Astronomy and Astrophysics", "aapr": "The Astronomy and Astrophysics Review",
    "aaps": "Astronomy and Astrophysics Supplement Series", "mnras": "Monthly Notices of the Royal Astronomical Society",
    "araa": "Annual Review of Astronomy and Astrophysics", "nat": "Nature", "prl": "Physical Review Letters", "prd": "Physical Review D",
    "pra": "Physical Review A", "prb": "Physical Review B", "prc": "Physical Review C", "pre": "Physical Review E", "physrep": "Physics Reports",
    "pasp": "Publications of the Astronomical Society of the Pacific", "pasj": "Publications of the Astronomical Society of Japan",
    "pasa": "Publications of the Astronomical Society of Australia", "solphys": "Solar Physics", "ssr": "Space Science Reviews",
    "jcap": "Journal of Cosmology and Astroparticle Physics", "icarus": "Icarus", "planss": "Planetary and Space Science",
    "grl": "Geophysical Research Letters", "jgr": "Journal of Geophysical Research", "apss": "Astrophysics and Space Science",
    "memsai": "Memorie della Società Astronomica Italiana", "baas": "Bulletin of the American Astronomical Society", "na": "New Astronomy",
    "nar": "New Astronomy Reviews", "actaa": "Acta Astronomica", "ao": "Applied Optics", "procspie": "Proceedings of SPIE",
    "rmxaa": "Revista Mexicana de Astronomía y Astrofísica", "iaucirc": "IAU Circulars",
}  # fmt: skip


def _by_field(kind: str, key: str, fields: Fields) -> dict[str, list[str]]:
    """The names of Raw.fields for those of the file."""
    found: dict[str, list[str]] = {}
    have: set[str] = set()
    for name, value in _ordered(kind, fields):
        if not value.strip() or _OF_THE_FILE.fullmatch(name):
            continue
        if name in _ONE_VALUE and name in have:
            _add(found, f"{name} (second)", [value])
            continue
        have.add(name)
        target = _target(kind, name)
        _add(found, target, _values(target, value))
    _add(found, "type", [kind])
    _identify(key, found)
    notes = [value for name in ("note", "addendum", "pubstate", "relatedtype", "relatedstring") for value in found.get(name, ())]
    _add(found, "notice", [note for note in notes if _NOTICE.search(note)])
    return found


def _ordered(kind: str, fields: Fields) -> Fields:
    """First what counts: the title before its subtitle, the book of a chapter before its journal, a date before a year."""
    first = ("title", "booktitle", "date") if kind in _IN_BOOKS else ("title", "date", "journal", "journaltitle")
    rank = {name: place for place, name in enumerate(first)}
    return sorted(fields, key=lambda field: rank.get(field[0], len(rank)))


def _target(kind: str, name: str) -> str:
    if name == "number" and kind in _NUMBERED:
        return name
    return f"{name} (field)" if name in _NOT_IN_FILES else _SAME.get(name, name)


_NOT_IN_FILES = frozenset(("notice", "collection", "translated_title"))  # ours, and what a file so calls is something else


def _values(target: str, value: str) -> list[str]:
    if target in ("author", "editor", "translator"):
        return authors(value)
    if target == "keyword":
        return _keywords(value)
    if target == "venue":
        return [_JOURNALS.get(value.strip(" {}\\"), value) if value.lstrip(" {").startswith("\\") else value]
    return [value]


def _add(found: dict[str, list[str]], name: str, values: Sequence[str]) -> None:
    have = found.setdefault(name, []) if values else []
    have += [value for value in values if value not in have]


def authors(value: str) -> list[str]:
    """The persons and bodies of a list of names, as they are written.

    >>> authors("Curie, Marie and {Barnes and Noble} and others")
    ['Curie, Marie', '{Barnes and Noble}']
    """
    names = _split(value, _AND)
    if len(names) == 1:
        names = _split(value, _SEMICOLON)
    return [name for name in names if name and name.lower() not in _NO_AUTHORS]


def _keywords(value: str) -> list[str]:
    while value.startswith("{") and value.endswith("}") and value.find("}") == len(value) - 1:
        value = value[1:-1]
    return [value] if ";" in value else [keyword for keyword in _split(value, _COMMA) if keyword]


_COMMA = re.compile(",")


def _split(value: str, separator: re.Pattern[str]) -> list[str]:
    """The parts between separators that are in no braces; what the pattern finds of entities such as &uuml; is no separator."""
    parts, start, depth, at = [], 0, 0, 0
    for found in separator.finditer(value):
        depth += value.count("{", at, found.start()) - value.count("}", at, found.start())
        at = found.start()
        if depth <= 0 and not found[0].startswith("&"):
            parts.append(value[start : found.start()].strip())
            start = found.end()
    return [*parts, value[start:].strip()]


def _identify(key: str, found: dict[str, list[str]]) -> None:
    """Identifiers that stand in other fields."""
    target = _archive(found)
    if target:
        for name in ("archiveprefix", "eprinttype"):
            found.pop(name, None)
        _add(found, target, found.pop("eprint", []))
    if "arxiv" not in found:
        places = [value for name in ("venue", "volume", "issue", "number", "howpublished") for value in found.get(name, ())]
        places += [note for note in found.get("note", ()) if note.lstrip(" {").lower().startswith("arxiv")]
        _add(found, "arxiv", [match[1] for place in places if (match := _ARXIV.search(place))][:1])
    if "pmid" not in found:
        notes = [note for name in ("note", "annote", "annotation") for note in found.get(name, ())]
        _add(found, "pmid", [match[1] for text in notes if (match := _PMID.search(text))][:1] or _KEY_PMID.findall(key))
    if "doi" not in found and _KEY_DOI.fullmatch(key):
        _add(found, "doi", [key])
    if "url" not in found:
        _add(found, "url", [address for text in found.get("howpublished", ()) for address in _ADDRESS.findall(text)][:1])


def _archive(found: dict[str, list[str]]) -> str:
    """The field that an eprint belongs to; "" if it is in no archive that we know."""
    eprint = found.get("eprint", [""])[0].strip()
    archive = " ".join([*found.get("archiveprefix", ()), *found.get("eprinttype", ())]).lower()
    if "pubmed" in archive or "pmid" in archive:
        return "pmid"
    if "arxiv" in archive or (not archive and (_BARE_ARXIV.fullmatch(eprint) or _ARXIV.match(eprint))):
        return "arxiv"
    return "url" if "arxiv.org/" in eprint else ""


def _of_volume(fields: Fields) -> Fields:
    """What a chapter takes from its book, or a paper from its proceedings: never what is the book's own, such as its DOI."""
    names = {name for name, _ in fields}
    taken = [field for field in fields if field[0] in _VOLUME]
    return taken if "booktitle" in names else taken + [("booktitle", value) for name, value in fields if name == "title"]


# ---------------------------------------------------------------------------------------------------------------- recognising


def _claims(head: str) -> bool:
    """Is most of it blocks, one of them with a key, a field or what only BibTeX has, and what is around them no program?"""
    head = head.replace("\r\n", "\n").replace("\r", "\n")
    headers = [header for header in _HEADER.finditer(head) if _is_header(header) and (header[2] == "{" or header[1].lower() in _USUAL)]
    if not any(_is_plain(header) for header in headers):
        return False
    outside = list(_outside(head, headers))
    length = sum(len(line.strip()) for line in outside)
    return _MOST_OUTSIDE * length <= len(head) and sum(bool(_OF_PROGRAM.search(line)) for line in outside) < 2


_MOST_OUTSIDE = 3  # this part of the text, at most, is outside of the blocks
_OF_PROGRAM = re.compile(r"[;{(]\s*+$|^\s*+(?:class|const|def|describe|from|function|import|let|module|package|require|var)\b[^.]*+$")


def _outside(head: str, headers: Sequence[re.Match[str]]) -> Iterator[str]:
    """The lines that stand in no block and are no comments."""
    at = 0
    for header, following in _with_next(headers):
        yield from _lines_of(head[at : header.start()])
        limit = following.start() if following else len(head)
        at = _closing_in(head, header.end(), limit)
        at = limit if _FIELD_BEHIND.match(head, at - 1, limit) else at
    yield from _lines_of(head[at:])


def _lines_of(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("%"))


_USUAL = frozenset("article book inbook incollection inproceedings mastersthesis misc phdthesis techreport string preamble comment".split())
"""Round brackets behind any other word are a program's: @fixture(scope="session")."""


def _is_plain(header: re.Match[str]) -> bool:
    kind = header[1].lower()
    if kind in _NO_RECORDS or _PLAIN.match(header.string, header.end()):
        return True
    return kind in _USUAL and bool(_KEY_ALONE.match(header.string, header.end()))


_PLAIN = re.compile(rf"\s*+(?:[^\s,{{}}()=\"]*+\s*+,\s*+(?:{_NAME}\s*+=|[}})])|{_WORD}\s*+=\s*+[{{\"]|[^\s,{{}}=\"]++\s*+{_WORD}\s*+=\s*+[{{\"])")
_KEY_ALONE = re.compile(r"\s*+[^\s,{}=\"@$]++\s*+\}[^\S\n]*+$", re.MULTILINE)
"""Behind other words that is a slice of Perl (@seen{@names} = ...) or a type in a comment (@param {string} name)."""


def _closing_in(text: str, at: int, upto: int) -> int:
    depth = 1
    for brace in _BRACES.finditer(text, at, upto):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return upto


FORMAT = Format("BibTeX", (".bib", ".bibtex"), _claims, read)
