"""What every reader does, and the registry of formats: a new format is one new module that offers a `Format`.

A reader turns a `Document` into `Raw` records in the order of the file, and a `Problem` for each that it can't read; `rag_qa.sources.records`
turns every Raw into a Paper, in the same way for all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol


class Trouble(StrEnum):
    """Why something of a source is not in the index, or not as it stands in the file."""

    NO_ABSTRACT = "no abstract"
    NOT_A_PAPER = "not a paper"
    MALFORMED = "malformed"
    FAILED = "failed"
    """A whole file that can't be read."""
    IGNORED = "ignored"
    """A file that was left aside on purpose, such as one of another format in a folder."""
    REPAIRED = "repaired"
    """Read, and not quite as it stands in the file: what was put right."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that was not read, or not as it stands, and why. `line` counts from 1; None: the file as a whole.

    `reason` says what was found, what was expected and, where it is not plain, what to do.
    """

    path: str
    line: int | None
    reason: str
    kind: Trouble = Trouble.MALFORMED

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


FIELDS = frozenset("title abstract author year venue doi pmid arxiv url keyword language type notice translated_title collection".split())
"""The names that `Raw.fields` knows; any other name becomes a key of Paper.extra.

title            several values are parts of one title (title, subtitle), in order
abstract         one value for each abstract of the record; two may be in two languages, or one the same as the other or its beginning
author           one person or body a value, in order: "Family, Given", or as the file has it
year             a year or any date in which one stands ("2014//", "2019 Jan 3", "1990-05")
venue            journal, conference or book; the first value counts
doi, pmid, arxiv as the file has it, also as an address; found in `url` too
keyword          one keyword a value, or several divided by ";"
language         a name or a code
type             the file's own word for the kind of document ("JOUR", "article", "Journal Article", "Erratum")
notice           what the file says of a retraction or correction, as it says it
"""


@dataclass(frozen=True, slots=True)
class Raw:
    """One record as the file has it: values by field, in order, white space and markup untouched.

    `line`: where the record begins, from 1. `markup`: what the values are written in: "latex" (BibTeX), "xml" (entities are already characters, and
    elements inside a text such as <i> are still there), "plain" (what databases call so: it may hold HTML tags and entities), or "text" (what a
    person wrote into a text file: every character counts as it stands).
    `key`: what the file itself calls the record (citation key, accession number), for messages.
    """

    line: int
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    markup: Literal["plain", "latex", "xml", "text"] = "plain"
    key: str = ""


class Document(Protocol):
    """A file to read: named as it is shown in messages, decoded, and free to be read more than once."""

    @property
    def path(self) -> str:
        """How it is shown: a path, the member of an archive as `papers.zip!inner.ris`, or <stdin>."""

    @property
    def suffix(self) -> str:
        """Lower case, with the dot, without that of a compression: .bib for my.bib.gz; "" if there is none."""

    @property
    def mapping(self) -> Mapping[str, str]:
        """What `--map field=column` said by hand: one of FIELDS -> the file's own name for it."""

    def head(self) -> str:
        """The first 64 KB or so, decoded, to recognise the format by."""

    def text(self) -> str:
        """All of it, line ends as they are, without a byte order mark. Raises SourceError."""

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number from 1, line without its end), holding one line at a time; LF, CR LF and CR end a line. Raises SourceError, also in the middle."""

    def raw(self) -> bytes:
        """All of it as UTF-8 bytes, for parsers that want bytes. Raises SourceError."""


Reader = Callable[[Document], Iterator[Raw | Problem]]
"""Yields records in file order, and may add a Problem of kind REPAIRED, which is no record. Raises SourceError when the file as a whole is not what
it should be: then nothing of it counts, so a fault in one record is a Problem, not an error. Memory is for one record at a time where the format
allows it."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: how it is called, recognised and read.

    `claims`: does this text, the head of a file, look like it? Strict: true only if a person would call it so at a glance, since it is asked for
    every file, whatever its name. `suffixes`: names that it usually has; they decide only where no format claims the content.
    """

    name: str
    suffixes: tuple[str, ...]
    claims: Callable[[str], bool]
    read: Reader


FORMATS: dict[str, Format] = {}
"""By name, in the order in which they are asked whether a file is theirs."""


def register(format_: Format) -> None:
    """Make a format known."""
    FORMATS[format_.name] = format_
