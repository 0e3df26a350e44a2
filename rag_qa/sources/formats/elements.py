"""XML as the readers need it: record elements one by one, safely, each with its physical line, and a fault in one never costs the next.

The file is cut at the tags of its records, and every record is parsed by itself: what is wrong with one stays with it, a file that was cut off
keeps all but its last record, several downloads pasted into one file are read as one, and there are never more elements in memory than those of
one record. Since no document type ever reaches the parser, no entity is expanded and nothing outside of the file is read.

The only module that touches an XML library. It builds a tree with the parser's own events: `ElementTree.parse` wants a whole document without a
fault, and refuses a record whose prefixes are declared on the element around it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Problem, Trouble

MAX_BYTES = 20_000_000
"""Of one record."""
MAX_TAGS = 1_000_000
"""In one record."""
MAX_DEPTH = 100
"""Elements in elements, in one record."""

READABLE = "XML of PubMed, Europe PMC, EndNote or arXiv"
_HINT = "Export the records as one of these, or as RIS or BibTeX."

# --------------------------------------------------------------------------------------------------------------- recognising

_BEFORE_ROOT = re.compile(
    r"\s++|\ufeff|<\?(?:[^?]|\?(?!>))*+\?>|<!--(?:[^-]|-(?!->))*+-->|<!DOCTYPE[^\[>]*+(?:\[(?:[^\]]|\](?!\s*>))*+\]\s*)?>", re.IGNORECASE
)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)(?=[\s/>])")


def root(head: str) -> str:
    """The name, without a prefix, of the element that a text begins with; "" if it does not begin with one.

    >>> root('<?xml version="1.0"?>\\n<!DOCTYPE x SYSTEM "x.dtd">\\n<atom:feed>'), root("A study of <i>E. coli</i>")
    ('feed', '')
    """
    at = 0
    while before := _BEFORE_ROOT.match(head, at):
        at = before.end()
    found = _ROOT.match(head, at)
    return found.group(1) if found else ""


# -------------------------------------------------------------------------------------------------------------------- cutting


@dataclass(frozen=True, slots=True)
class Record:
    """A record element. `line`: of its start tag. All names in it are without prefixes."""

    line: int
    element: Element


@dataclass(frozen=True, slots=True)
class _Piece:
    """The bytes of one record, or what is wrong with them."""

    start: int
    end: int
    name: str
    fault: str = ""


def records(document: Document, names: Sequence[str], *, bare: Sequence[str] = ()) -> Iterator[Record | Problem]:
    """The elements of these names, in file order, and a Problem for each that can't be read, with the line where it begins.

    `bare`: elements that are records only where they are not inside of one (a MedlineCitation without its PubmedArticle). Names are compared
    without case and prefix. After the records comes a Problem of kind REPAIRED if some were not quite XML. Raises SourceError if there is none.
    """
    source = _Source.of(document)
    lines = _Lines(source.content)
    mended: list[int] = []
    is_empty = True
    for piece in _pieces(source.content, names, bare):
        is_empty = False
        line = lines.at(piece.start)
        read = piece.fault or _read(source, piece, line)
        if isinstance(read, str):
            yield Problem(document.path, line, read, Trouble.MALFORMED)
            continue
        if read.mended:
            mended.append(line)
        yield Record(line, read.element)
    if is_empty:
        raise SourceError(document.path, None, found=source.found(), expected=READABLE, hint=_HINT)
    if mended:
        yield Problem(document.path, mended[0], _mended_reason(len(mended)), Trouble.REPAIRED)


def _mended_reason(count: int) -> str:
    begins = f"{count} records from here on are" if count > 1 else "the record is"
    return f"{begins} not quite XML (a bare & or <, entities of HTML, control characters): read as what was meant"


def _pieces(content: bytes, names: Sequence[str], bare: Sequence[str]) -> Iterator[_Piece]:
    """Where each record begins and ends, in one pass."""
    spelled = {name.lower(): name for name in (*names, *bare)}
    outer = {name.lower() for name in names}
    open_: _Piece | None = None
    for tag in _tags(content, [*names, *bare]):
        if open_ and tag.closes and tag.name == open_.name:
            yield _Piece(open_.start, tag.end, open_.name)
            open_ = None
        elif open_ and not tag.closes and (tag.name in outer or tag.name == open_.name):
            yield _unclosed(open_, spelled[open_.name], tag.start)
            open_ = None
        if not open_ and not tag.closes:
            open_ = _Piece(tag.start, tag.end, tag.name)
            if tag.is_empty:
                yield open_
                open_ = None
    if open_:
        yield _unclosed(open_, spelled[open_.name], len(content))


def _unclosed(piece: _Piece, name: str, end: int) -> _Piece:
    fault = f"the record has no end (</{name}>): the file was cut off here, or a tag was lost; export it again"
    return _Piece(piece.start, end, piece.name, fault)


_LONGEST_TAG = 2_000  # bytes; without a limit, tags that have no end would make the search quadratic


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str
    closes: bool = False
    is_empty: bool = False


def _tags(content: bytes, names: Sequence[str]) -> Iterator[_Tag]:
    """The tags of these names, outside of comments and CDATA sections."""
    tag = re.compile(rb"<(?:(!--)|(!\[CDATA\[)|(/?)(?:[\w.-]{1,40}:)?(%b)(?=[\s/>]))" % "|".join(names).encode(), re.IGNORECASE)
    ends = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
    unclosed: set[bytes] = set()  # once there is no more end, don't look for it again
    at = 0
    while found := tag.search(content, at):
        at = found.end()
        if name := found.group(4):
            end = content.find(b">", at, at + _LONGEST_TAG) + 1 or at
            yield _Tag(found.start(), end, name.decode().lower(), bool(found.group(3)), content[end - 2 : end - 1] == b"/")
            continue
        opening = bytes(found.group().upper())
        end = -1 if opening in unclosed else content.find(ends[opening], at)
        if end < 0:
            unclosed.add(opening)
        at = max(at, end)


# -------------------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Read:
    element: Element
    mended: bool


def _read(source: _Source, piece: _Piece, line: int) -> _Read | str:
    """The element of a piece, or what is wrong with it."""
    size = piece.end - piece.start
    if size > MAX_BYTES:
        return f"the record has {size // 1_000_000} MB; no more than {MAX_BYTES // 1_000_000} MB are read"
    if source.content.count(b"<", piece.start, piece.end) > MAX_TAGS:
        return f"the record has more than {MAX_TAGS:,} tags, which no paper has"
    element = _parsed(source.content[piece.start : piece.end])
    if isinstance(element, Element):
        return _checked(element, mended=False)
    text = source.text(piece.start, piece.end)
    if foreign := source.declared_in(text):
        return f"the record uses the entity &{foreign}; which the file itself defines; such entities are never read, since they can hold anything"
    again = _parsed(_mended(text).encode())
    if isinstance(again, Element):
        return _checked(again, mended=True)
    return f"not well-formed XML at line {line + element.lineno - 1}: {expat.ErrorString(element.code)}"


def _checked(element: Element, *, mended: bool) -> _Read | str:
    """The element with plain names, unless it is too deep to be walked through."""
    level, depth = [element], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return f"the record has elements in elements more than {MAX_DEPTH} deep, which no paper has"
        for each in level:
            each.tag = each.tag.rpartition(":")[2]
        level = [child for each in level for child in each]
    return _Read(element, mended)


def _parsed(content: bytes) -> Element | expat.ExpatError:
    builder = TreeBuilder()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        return error
    return builder.close()


_REFERENCE = re.compile(r"&(?:#(?:[0-9]{1,7}|[xX][0-9A-Fa-f]{1,6})|([A-Za-z][\w.-]{0,40}));|&")
_STRAY = re.compile(r"<(?!/?[A-Za-z_:]|[!?])")
_UNCLOSED = re.compile(r"<((?:br|hr)\s*)>(?!\s*</(?:br|hr)\s*>)", re.IGNORECASE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XML_ENTITIES = frozenset("amp lt gt quot apos".split())


def _mended(text: str) -> str:
    """The text of a record with what people and programs get wrong put right, outside of CDATA sections.

    >>> _mended("<t>R&D of CO&nbsp;at p < 0.05 &amp; less</t>")
    '<t>R&amp;D of CO\\xa0at p &lt; 0.05 &amp; less</t>'
    """
    sections = _FORBIDDEN.sub(" ", text).split("<![CDATA[")
    parts = [_mended_text(sections[0])]
    for section in sections[1:]:
        inside, end, outside = section.partition("]]>")
        parts.append(f"<![CDATA[{inside}{end}{_mended_text(outside)}")
    return "".join(parts)


def _mended_text(text: str) -> str:
    text = _REFERENCE.sub(_reference, _STRAY.sub("&lt;", text))
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # &#55357;&#56832; are the halves of one character
    return _UNCLOSED.sub(r"<\1/>", text)


def _reference(found: re.Match[str]) -> str:
    """What a reference should have been: itself, a character, or an ampersand that was not escaped."""
    written, name = found.group(), found.group(1)
    if name:
        return written if name in _XML_ENTITIES else html.escape(html5.get(f"{name};", written))
    if written == "&":
        return "&amp;"
    return _character(int(written[3:-1], 16) if written[2] in "xX" else int(written[2:-1]), written)


def _character(code: int, written: str) -> str:
    if 0xD800 <= code < 0xE000:
        return chr(code)
    if code in (0xFFFE, 0xFFFF) or code > 0x10FFFF or (code < 0x20 and code not in (9, 10, 13)):
        return " "
    return written


# ----------------------------------------------------------------------------------------------------------- files and lines

_ENTITY = re.compile(rb"<!ENTITY\s+(?:%\s+)?([\w.:-]{1,40})")
_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class _Source:
    """A file in UTF-8, and the entities that it defines itself."""

    content: bytes
    entities: frozenset[str]

    @classmethod
    def of(cls, document: Document) -> _Source:
        content = document.raw()
        entities = frozenset(name.decode() for name in _ENTITY.findall(content[:_HEAD]))
        return cls(content, entities - _XML_ENTITIES)

    def text(self, start: int, end: int) -> str:
        return self.content[start:end].decode("utf-8", "replace")

    def declared_in(self, text: str) -> str:
        """An entity of the file's own that a text uses; "" if there is none."""
        if not self.entities:
            return ""
        used = (found.group(1) for found in _REFERENCE.finditer(text) if found.group(1))
        return next((name for name in used if name in self.entities and f"{name};" not in html5), "")

    def found(self) -> str:
        """What the file is, if it has none of the records that were expected."""
        name = root(self.text(0, _HEAD))
        return f"XML that begins with <{name}> and holds no record that can be read" if name else "a text that is not XML"


@dataclass(slots=True)
class _Lines:
    """Counts the lines of a file; asked for places in order. LF, CR LF and CR end a line."""

    content: bytes
    place: int = 0
    line: int = 1

    def at(self, place: int) -> int:
        part = self.content[self.place : place]  # a place is a "<", so that no CR LF is parted
        self.line += part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
        self.place = place
        return self.line


# ----------------------------------------------------------------------------------------------------------------------- text

_LAYOUT = re.compile(r"[ \t\r\n]+")


def inner(element: Element) -> str:
    """What stands in an element, elements such as <i> as tags, entities as characters, without its layout (white space as one blank).

    >>> inner(_parsed(b"<t> The\\n<i>TERT</i> gene, p &lt; 0.05</t>"))
    'The <i>TERT</i> gene, p < 0.05'
    """
    parts: list[str] = []
    _collect(element, parts)
    text = "".join(parts)
    return _LAYOUT.sub(_blank if "\n" in text else " ", text).strip(" ")


def _blank(layout: re.Match[str]) -> str:
    """A blank, but nothing where a pretty-printer has parted a bracket or a full stop from its word."""
    before, after = layout.string[layout.start() - 1 : layout.start()], layout.string[layout.end() : layout.end() + 1]
    return "" if "\n" in layout.group() and (before in ("(", "[") or after in (")", "]", ".", ",", ";")) else " "


def _collect(element: Element, parts: list[str]) -> None:
    parts.append(element.text or "")
    for child in element:
        attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in child.attrib.items() if not name.startswith("xmlns"))
        parts.append(f"<{child.tag}{attributes}>")
        _collect(child, parts)
        parts.append(f"</{child.tag}>")
        parts.append(child.tail or "")


def texts(element: Element, path: str) -> list[str]:
    """What stands in each element at a path ("Journal/Title"), without the empty ones."""
    return [text for found in element.iterfind(path) if (text := inner(found))]


def first(element: Element, path: str) -> str:
    """What stands in the first element at a path that is not empty; "" if there is none."""
    return next((text for found in element.iterfind(path) if (text := inner(found))), "")
