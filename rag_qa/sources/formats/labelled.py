"""What the formats share in which each line of a record begins with a label (Cochrane, RefWorks, NoteExpress, CNKI, CSSCI): lines -> records.

And how a text is known that is written so in a format that no reader knows, so that it is not taken for abstracts.

What is read as what:
- A record begins at a line that the format says; nothing need end it.
- A line without a label continues the value before it, over blank lines too; in Chinese, without a blank where a sentence was broken.
- Text before the first record is told, unless it is the heading that the format writes; so is a record of another format after a blank line, and
  what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.formats import tagged
from rag_qa.sources.formats.columns import Certainty, meaning
from rag_qa.sources.formats.tagged import Record, Stray
from rag_qa.sources.reader import Document, Problem, Raw

_NAME_IN_CHINESE = re.compile(r"[\u3400-\u9fff]{2,5}(?:·[\u3400-\u9fff]{1,8})*")
_BROKEN = re.compile(r"[\u3400-\u9fff，、；：（(《“]")
_LONGEST = 4000
"""Characters of a line that another one is put to: without a limit, a file of very short lines would take long."""
_CHINESE_COMMA = re.compile(r"[,，、]\s*")


@dataclass(frozen=True, slots=True)
class Style:
    """How a format writes its records.

    `label`: a line -> (label, the rest of the line), None if it has none. `begins`: does a line with this label begin a record, when this one is
    open? `heading`: how the file begins if it has a heading. `ends`: lines between records.
    """

    name: str
    expected: str
    label: Callable[[str], tuple[str, str] | None]
    begins: Callable[[str, Record | None], bool]
    heading: re.Pattern[str] | None = None
    ends: re.Pattern[str] | None = None


def read(document: Document, style: Style, raw: Callable[[Record, Mapping[str, str]], Raw]) -> Iterator[Raw | Problem]:
    """The records of a file, each made a Raw with the mapping of the document. Raises SourceError when there is none."""
    is_empty = True
    for found in _Reading(document.path, style).records(document):
        if isinstance(found, Problem):
            yield found
            continue
        is_empty = False
        yield from tagged.told(document.path, found)
        yield raw(found, document.mapping)
    if is_empty:
        raise SourceError(document.path, None, found=f"no {style.name} record", expected=style.expected)


@dataclass(slots=True)
class _Reading:
    """Lines -> records."""

    path: str
    style: Style
    record: Record | None = None
    blank_lines: int = 0
    is_in_heading: bool = False
    has_begun: bool = False
    stray: Stray = field(init=False)

    def __post_init__(self) -> None:
        self.stray = Stray(self.path, self.style.name)

    def records(self, document: Document) -> Iterator[Record | Problem]:
        """Records and what is between them, in the order of the file."""
        for number, line in document.lines():
            if not line.strip(tagged.BLANKS):
                self.blank_lines += 1
                continue
            yield from self._line(number, line.lstrip("\ufeff"))
            self.blank_lines = 0
        yield from self._take()

    def _line(self, number: int, line: str) -> Iterator[Record | Problem]:
        found = self.style.label(line)
        if found and self.style.begins(found[0], self.record):
            yield from self._take()
            self.record, self.has_begun = Record(number), True
            self.record.add(found[0], number, found[1])
        elif (self.blank_lines or not self.record) and tagged.leaves(line, own=self.style.name):
            yield from self._take()
            self.stray.add(number, line)
        elif self.style.ends and self.style.ends.fullmatch(line.strip(tagged.BLANKS)):
            yield from self._take()
        elif self.record:
            self._within(self.record, number, line, found)
        else:
            self._between(number, line)

    def _within(self, record: Record, number: int, line: str, found: tuple[str, str] | None) -> None:
        if found:
            record.add(found[0], number, found[1])
        elif self.blank_lines or not _goes_on(record.values[-1].lines[-1]):
            record.extend(line, blank_lines=self.blank_lines)
        else:
            record.values[-1].lines[-1] = record.values[-1].lines[-1].rstrip(tagged.BLANKS) + line.strip(tagged.BLANKS)

    def _between(self, number: int, line: str) -> None:
        if not self.has_begun and self.style.heading and self.style.heading.match(line):
            self.is_in_heading = True
        if self.has_begun or not self.is_in_heading:
            self.stray.add(number, line)

    def _take(self) -> Iterator[Record | Problem]:
        """The record that is complete, after what stood before it."""
        record, self.record = self.record, None
        yield from self.stray.problems()
        if record:
            yield record


def _goes_on(line: str) -> bool:
    """Was this line broken in Chinese, where no blank parts the words?"""
    return len(line) < _LONGEST and _BROKEN.search(line.rstrip(tagged.BLANKS)[-1:]) is not None


def people(texts: list[str]) -> list[str]:
    """The names in values that semicolons divide, and in Chinese commas too.

    >>> people(["薛婉钰;刘娜;", "谢昕,王小增", "Noor, Ada"])
    ['薛婉钰', '刘娜', '谢昕', '王小增', 'Noor, Ada']
    """
    names = [name for text in texts for name in tagged.people(text.replace("；", ";"))]
    return [part for name in names for part in _in_chinese(name)]


def _in_chinese(name: str) -> list[str]:
    parts = [part for part in _CHINESE_COMMA.split(name) if part]
    return parts if len(parts) > 1 and all(map(_NAME_IN_CHINESE.fullmatch, parts)) else [name]


def words(texts: list[str], signs: str = ";；") -> list[str]:
    """The keywords in values that any of the signs divide, also written twice.

    >>> words(["偏振态;;空间光调制器；矢量光场"])
    ['偏振态', '空间光调制器', '矢量光场']
    """
    parted = re.compile(f"[{re.escape(signs)}\n]+")
    return [word for text in texts for part in parted.split(text) if (word := part.strip(tagged.BLANKS))]


_BODY_TEXT = "<正>"
_LINE_END = "(#br)"


def without_marks(texts: list[str]) -> list[str]:
    """Abstracts without the marks of CNKI: one for a line end, and one that says that they are the beginning of the text, since there is none.

    >>> without_marks(["Abstract(#br)We study tides.", "<正>潮汐"])
    ['Abstract\\nWe study tides.', '潮汐']
    """
    return [text.removeprefix(_BODY_TEXT).replace(_LINE_END, "\n") for text in texts]


# ------------------------------------------------------------------------------------------------------------- unknown formats

_ANY_LABEL = re.compile(
    r"[ \t]{0,8}(?:"
    r"(?P<code>[A-Z][A-Z0-9]{1,5})(?:[ \t]{0,4}(?:[-:–—](?=\s|$)|[~=|])|(?<=^[A-Z][A-Z0-9])[ \t]+(?=\S))"  # "AU  - ", "ID: ", "TI~", "RT "
    r"|(?:[{<\[【]|--)(?P<enclosed>[^\W\d_][^{}<>\[\]【】]{0,40}?)(?:[}>\]】]|--)"  # "{Title}: ", "【题名】", "--TI--"
    r"|(?P<words>[^\W\d_][\w /()&-]{1,30}?)[ \t]{0,2}(?::(?!//)|：)"  # "Publication year: "
    r"|%(?P<sign>[A-Z0-9@])[ \t])"
)
_OF_A_RECORD = frozenset("title author abstract year venue doi pmid keyword".split())
_LINES = 300


def unknown(head: str) -> list[str]:
    """The labels of a text that is records and no prose: some mean a title or an author, and some another field of a record.

    And nearly a third of the lines begin with one or continue it, indented, or most paragraphs begin with one.

    >>> unknown("ID~17\\nAU~Noor, Ada\\nTI~On tides\\nAB~We study tides.\\n")
    ['ID', 'AU', 'TI', 'AB']
    >>> unknown("Background: We study tides.\\nResults: They are long.\\n")
    []
    """
    lines = [line.strip("\ufeff") for line in tagged.with_line_feeds(head).split("\n")][: 2 * _LINES]
    found = [_any_label(line) for line in lines]
    labels = list(dict.fromkeys(filter(None, found)))
    told = {known.field for label in labels if (known := meaning(label)) and known.certainty < Certainty.LAST_RESORT} & _OF_A_RECORD
    if len(told) < 2 or not told & {"title", "author"}:
        return []
    return labels if _are_most(lines, found) else []


def _any_label(line: str) -> str:
    match = _ANY_LABEL.match(line)
    return match[match.lastgroup].strip() if match and match.lastgroup else ""


def _are_most(lines: list[str], labels: list[str]) -> bool:
    """Do enough of the lines, with enough of the text, or of the paragraphs begin with a label?"""
    filled = paragraphs = within = beginning = length = labelled_length = 0
    is_continued = False
    for before, line, label in zip(["", *lines], lines, labels, strict=False):
        if not line.strip(tagged.BLANKS):
            continue
        is_continued = bool(label) or (is_continued and line[:1] in " \t")
        filled, within = filled + 1, within + is_continued
        length, labelled_length = length + len(line), labelled_length + is_continued * len(line)
        if not before.strip(tagged.BLANKS):
            paragraphs, beginning = paragraphs + 1, beginning + bool(label)
    return (within * 10 >= 3 * filled and labelled_length * 10 >= 3 * length) or beginning * 10 >= 6 * paragraphs
