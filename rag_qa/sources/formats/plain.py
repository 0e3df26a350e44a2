"""Plain text and Markdown of abstracts: paragraphs separated by blank lines; a short first line names the collection they are from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

MIN_WORDS = 8
"""A paragraph with fewer words is a heading or a remnant, not an abstract."""

_HEADING_WORDS = 12
_EXPECTED = "abstracts as paragraphs of at least 8 words, separated by blank lines"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NO_VENUE = frozenset("abstracts accepted articles from in my of papers preprints reading list the".split())
# Scripts that put no blank between words: two characters are about a word.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Collection:
    """What a heading says of the papers under it.

    `venue` and `year` are None where the heading does not tell.
    """

    name: str
    venue: str | None
    year: int | None


# ------------------------------------------------------------------------------------------------------------- plain text


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a plain-text file. Raises SourceError when it holds no abstract."""
    paragraphs = _paragraphs(document.lines())
    first = next(paragraphs, None)
    collection = collection_of(first[1]) if first and _is_heading(first[1]) else None
    rest = paragraphs if collection or not first else chain([first], paragraphs)
    yield from _with_any((_record(document, line, paragraph, collection) for line, paragraph in rest), document)


def _record(document: Document, line: int, paragraph: str, collection: Collection | None) -> Raw | Problem:
    if is_abstract(paragraph):
        return Raw(line, {"abstract": [paragraph], **(_fields(collection) if collection else {})}, "text")
    what = "a row of numbers is no abstract" if _length(paragraph) >= MIN_WORDS else f"{_length(paragraph)} words are too few for an abstract"
    return Problem(document.path, line, f"{what}: {_clip(paragraph)!r}", Trouble.NOT_A_PAPER)


def _with_any(records: Iterable[Raw | Problem], document: Document) -> Iterator[Raw | Problem]:
    """The same records. Raises SourceError when there is none."""
    is_empty = True
    for record in records:
        is_empty = is_empty and isinstance(record, Problem)
        yield record
    if is_empty:
        raise SourceError(document.path, None, found="no abstract", expected=_EXPECTED)


def is_abstract(paragraph: str) -> bool:
    """Is it long enough, and not a list of numbers?"""
    return _length(paragraph) >= MIN_WORDS and len(_LETTERS.findall(paragraph)) >= MIN_WORDS


_LETTERS = re.compile(r"[^\W\d_]")


def _length(paragraph: str) -> int:
    """In words."""
    return len(paragraph.split()) + len(_UNSPACED.findall(paragraph)) // 2


def _fields(collection: Collection) -> dict[str, list[str]]:
    told = {"collection": collection.name, "venue": collection.venue, "year": collection.year}
    return {name: [str(value)] for name, value in told.items() if value}


def collection_of(heading: str) -> Collection:
    """What the first line of a file says of its papers.

    >>> collection_of("ICLR 2025 Papers")
    Collection(name='ICLR 2025 Papers', venue='ICLR', year=2025)
    """
    match = _YEAR.search(heading)
    if not match:
        return Collection(heading, None, None)
    venue = heading[: match.start()].strip(" ,:-–—'’([")
    names_one = any(word.lower() not in _NO_VENUE for word in venue.split())
    return Collection(heading, venue if names_one else None, int(match.group()))


def _is_heading(paragraph: str) -> bool:
    return _length(paragraph) <= _HEADING_WORDS and not paragraph.rstrip().endswith((".", "!", "?", "。"))


def _paragraphs(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(first line, text on one line) of each paragraph."""
    first, lines = 0, []
    for number, line in numbered:
        if line.strip():
            first = first or number
            lines.append(" ".join(line.split()))
            continue
        if lines:
            yield first, " ".join(lines)
        first, lines = 0, []
    if lines:
        yield first, " ".join(lines)


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_ALPHABETIC = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NO_PROSE = re.compile(r"[{}<>=|\\;_]")
_SENTENCE_ENDS = (".", "!", "?", "。", ":", ")", '"', "”")


def reads_as_prose(head: str) -> bool:
    """Does this text, the head of a file, look like paragraphs of sentences, and not like a table, a program or a log?

    >>> reads_as_prose("We study the tides of the northern sea in winter.")
    True
    >>> reads_as_prose("id;t0;t1;level\\n1;0.5;0.7;12\\n2;0.6;0.8;13")
    False
    """
    paragraphs = [paragraph for _, paragraph in _paragraphs(enumerate(head.splitlines(), start=1)) if is_abstract(paragraph)]
    return 2 * sum(map(_is_prose, paragraphs)) > len(paragraphs)


def _is_prose(paragraph: str) -> bool:
    """A sentence end or many words, and mostly words."""
    words = paragraph.split()
    if not paragraph.endswith(_SENTENCE_ENDS) and len(words) < 3 * MIN_WORDS:
        return False
    are_words = 10 * sum(bool(_ALPHABETIC.match(word)) for word in words) > 7 * len(words) or len(_UNSPACED.findall(paragraph)) * 2 > len(paragraph)
    return are_words and 8 * len(_NO_PROSE.findall(paragraph)) < len(words) + len(_UNSPACED.findall(paragraph))


# --------------------------------------------------------------------------------------------------------------- Markdown


class _Part(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    FENCED = "fenced block"
    UNDERLINE = "underline"
    """What makes a heading of the line above it."""
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of a Markdown file, put on one line. `line`: where it begins; `level` of a heading: 1 is the highest."""

    part: _Part
    line: int
    text: str = ""
    level: int = 0


_ATX = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r" {0,3}(?:> ?)+")
_COMMENT = re.compile(r"\s*<!--[^>]*-->\s*$")
_FRONT_MATTER_LINES = 200
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]*+)[^()]*+\)")
_STARS = re.compile(r"(\*{1,3}|`)(?=\S)([^*`]+)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_]+)(?<=\S)\1(?!\w)")
_NO_TITLE = re.compile(r"(?:abstract|summary|tl;?dr)[.:]?", re.IGNORECASE)
_MOST_NAMES = 60  # words


def read_markdown(document: Document) -> Iterator[Raw | Problem]:
    """Records of a Markdown file. Raises SourceError when it holds no abstract.

    A heading over an abstract is its title if every abstract has one of its own. The first heading names the collection if it is no title.
    """
    blocks = [block for block in _blocks(document.lines()) if not (block.part is _Part.HEADING and _NO_TITLE.fullmatch(block.text))]
    introduction = _introduction(blocks)
    titles = _titles([block for block in blocks if block is not introduction])
    title_lines = {title.line for title in titles.values()}
    rest = iter(block for block in blocks if block.line not in title_lines)
    collection = None
    if blocks and blocks[0].part is _Part.HEADING and blocks[0].line not in title_lines:
        collection = collection_of(_unmarked(next(rest).text))
    records = (
        _not_an_abstract(document, block, "an introduction")
        if block is introduction
        else _of_block(document, block, titles.get(block.line), collection)
        for block in rest
    )
    # an abstract is where its title is, and a line of names or a block of code may stand between the two
    yield from sorted(_with_any(records, document), key=lambda record: record.line or 0)


def _not_an_abstract(document: Document, block: _Block, what: str) -> Problem:
    return Problem(document.path, block.line, f"{what}, not an abstract: {_clip(block.text)!r}", Trouble.NOT_A_PAPER)


def _of_block(document: Document, block: _Block, title: _Block | None, collection: Collection | None) -> Raw | Problem:
    if block.part is not _Part.PARAGRAPH:
        return _not_an_abstract(document, block, f"a {block.part}")
    if _is_names(block.text):
        return _not_an_abstract(document, block, "a line of names")
    record = _record(document, title.line if title else block.line, block.text, collection)
    if isinstance(record, Problem) or not title:
        return record
    addresses = [match.group(2) for match in _LINK.finditer(title.text)]
    return Raw(record.line, {**record.fields, "title": [_unmarked(title.text)], **({"url": addresses} if addresses else {})}, record.markup)


def _introduction(blocks: list[_Block]) -> _Block | None:
    """The paragraph under the only heading of the highest level, if deeper ones follow: it tells of the list, not of a paper."""
    headings = [block for block in blocks if block.part is _Part.HEADING]
    is_title_of_all = len(headings) > 2 and blocks[0] is headings[0] and all(block.level > headings[0].level for block in headings[1:])
    return blocks[1] if is_title_of_all and blocks[1].part is _Part.PARAGRAPH and blocks[2] is headings[1] else None


def _titles(blocks: list[_Block]) -> dict[int, _Block]:
    """First line of an abstract -> the heading over it; nothing if an abstract has none."""
    found: dict[int, _Block] = {}
    heading: _Block | None = None
    for block in blocks:
        if block.part is _Part.HEADING:
            heading = block
        elif block.part is _Part.PARAGRAPH and is_abstract(block.text) and not _is_names(block.text):
            if heading is None:
                return {}
            found[block.line], heading = heading, None
    return found


def _is_names(paragraph: str) -> bool:
    """Is it a line of authors? They have capitals and commas, and no sentence."""
    words = _unmarked(paragraph).split()
    capitals = sum(word[0].isupper() for word in words)
    return "," in paragraph and not paragraph.endswith((".", "!", "?")) and len(words) <= _MOST_NAMES and 10 * capitals >= 7 * len(words)


def _unmarked(text: str) -> str:
    """A title without Markdown.

    >>> _unmarked("[**Tides** of the _sea_](https://example.org/1)")
    'Tides of the sea'
    """
    text = _LINK.sub(r"\1", text)
    for _ in range(2):  # marks within marks
        text = _UNDERSCORES.sub(r"\2", _STARS.sub(r"\2", text))
    return text.strip()


def _blocks(numbered: Iterable[tuple[int, str]]) -> Iterator[_Block]:
    """Headings, paragraphs and fenced blocks; front matter, rules and comments are left out."""
    held: list[_Block] = []
    for block in _unfenced(_after_front_matter(iter(numbered))):
        if block.part is _Part.PARAGRAPH:
            held.append(block)
            continue
        if block.part is _Part.UNDERLINE and len(held) == 1 and _is_heading(held[0].text):
            yield _Block(_Part.HEADING, held[0].line, held[0].text, block.level)
        elif held:
            yield _joined(held)
        held = []
        if block.part in (_Part.HEADING, _Part.FENCED):
            yield block
    if held:
        yield _joined(held)


def _joined(lines: list[_Block]) -> _Block:
    return _Block(_Part.PARAGRAPH, lines[0].line, " ".join(line.text for line in lines))


def _unfenced(numbered: Iterable[tuple[int, str]]) -> Iterator[_Block]:
    """Each line as a block, and each fenced block as one."""
    fence = ""
    for number, line in numbered:
        match = _FENCE.match(line)
        if not fence and match:
            fence = match.group(1)
            yield _Block(_Part.FENCED, number, line.strip())
        elif not fence:
            yield _of_line(number, line)
        elif match and match.group(1).startswith(fence):
            fence = ""


def _of_line(number: int, line: str) -> _Block:
    text = " ".join(_QUOTE.sub("", line, count=1).split())
    if not text or _COMMENT.match(line):
        return _Block(_Part.BLANK, number)
    if match := _ATX.match(line):
        heading = _without_closing(line[match.end() :].strip())
        return _Block(_Part.HEADING if heading else _Part.BLANK, number, " ".join(heading.split()), len(match.group(1)))
    if match := _UNDERLINE.match(line):
        return _Block(_Part.UNDERLINE, number, level=1 if match.group(1) else 2)
    return _Block(_Part.BLANK if _RULE.match(line) else _Part.PARAGRAPH, number, text)


def _without_closing(heading: str) -> str:
    """A heading may end as it begins: ## Title ##; but the one about C# does not."""
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else heading


def _after_front_matter(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines without the block between lines of --- at the beginning."""
    held = list(islice(numbered, 1))
    if held and held[0][1].rstrip() == "---":
        for number, line in islice(numbered, _FRONT_MATTER_LINES):
            held.append((number, line))
            if line.rstrip() in ("---", "..."):
                held = []
                break
    return chain(held, numbered)


def _claims(_head: str) -> bool:
    return False  # anything can be plain text


FORMAT = Format("plain text", (".txt", ".text"), _claims, read)
MARKDOWN = Format("Markdown", (".md", ".markdown"), _claims, read_markdown)
