"""Text with HTML, JATS, MathML and entities in it -> the text that a person reads.

Abstracts are full of "<" that is no markup (p < 0.05, Si<100>, <mean>), so only elements that publishers are known to use count as such. What
stands above or below the line keeps its meaning: 10<sup>-3</sup> is 10⁻³ and never 10-3, while CO<sub>2</sub> is CO2, as one types it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


def plain(text: str) -> str:
    r"""The text without its markup, entities as characters; text without markup is returned as it is.

    Titles of sections begin a line and end with a colon; apart from those, white space is as in the source if there are only elements within
    lines (<i>), and layout (one blank for any) if there are paragraphs.

    >>> plain("CO<sub>2</sub> at 10<sup>-3</sup> &lt; p")
    'CO2 at 10⁻³ < p'
    >>> plain("<jats:title>Aim</jats:title> <jats:p>To do <jats:italic>E. coli</jats:italic>.</jats:p><h4>Methods</h4><p>We did.</p>")
    'Aim: To do E. coli.\nMethods: We did.'
    >>> plain("<mean> of a<b and c>d where n > 3")
    '<mean> of a<b and c>d where n > 3'
    """
    if "<" not in text and "&" not in text:
        return text
    text = _unescaped(text)
    return _without_tags(_without_comments(text)) if "<" in text else text


# ------------------------------------------------------------------------------------------------------------------- entities

_ENTITY = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|&(?:lt|gt|amp|quot|nbsp)(?![A-Za-z0-9=;])|&#(?:[0-9]{2,7}|[xX][0-9A-Fa-f]{2,6})(?![\w;])"
)
_ROUNDS = 3
"""How often an entity may have been escaped again: &amp;amp;lt;."""
# The Greek letters of ISO 8879, which older databases write (&mgr; is μ) and HTML does not know.
_ISO_GREEK = dict(
    zip("a b g d e z ee th i k l m n x o p r s sf t u ph kh ps oh".split(), "αβγδεζηθικλμνξοπρσςτυφχψω", strict=True)
)  # fmt: skip


def _unescaped(text: str) -> str:
    for _ in range(_ROUNDS):
        before, text = text, _ENTITY.sub(_character, text)
        if text == before:
            break
    return text


def _character(found: re.Match[str]) -> str:
    written = found.group()
    character = html.unescape(written if written.endswith(";") else f"{written};")
    if not character.startswith("&") or len(character) == 1:
        return character
    letter = _ISO_GREEK.get(written[1:-3].lower(), "") if written.endswith("gr;") else ""
    return (letter.upper() if written[1].isupper() else letter) or written


# ---------------------------------------------------------------------------------------------------------------------- names

_PREFIXES = frozenset("jats mml m ce ja sb xocs html xhtml h o w ns0 ns1 ns2 ns3 ns4".split())
"""Of an element that is markup whatever its name."""

_MATH = frozenset(
    """math mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup msubsup munder mover munderover
    mmultiscripts mprescripts none mtable mtr mlabeledtr mtd maligngroup malignmark maction semantics annotation annotation-xml""".split()
)
_TITLES = frozenset("title h1 h2 h3 h4 h5 h6 heading section-title".split())
_BLOCKS = _TITLES | frozenset(
    """p div br hr li ul ol dl dt dd table tbody thead tr td th blockquote pre center section article abstract sec list list-item def-list def-item
    disp-quote disp-formula boxed-text statement trans-abstract abstracttext simple-para abstract-sec abstractsection para break html body
    head""".split()
)
_INLINE = frozenset(
    """a b i u em strong span font small big tt code pre strike del ins abbr acronym cite img sub sup inf style script wbr nobr italic bold underline
    overline monospace roman sc scp smallcaps it emph emphasis superscript subscript ext-link xref uri email named-content styled-content fixed-case
    abbrev term def label caption inline-formula inline-graphic inline-supplementary-material graphic alternatives tex-math tex dispformula
    inlineequation equationsource copyrightinformation private-char institution fn related-article chem-struct""".split()
)
_KNOWN = _MATH | _BLOCKS | _INLINE

# Words and letters that stand between such brackets in prose too ("the <title> of a page", a mean <b>): markup only if they are closed somewhere.
_IN_PAIRS = frozenset(
    """a b i u it title code table list label caption section article abstract html body head heading para center term def tex none ms
    statement pre small big font cite""".split()
)
_DROPPED = frozenset("script annotation annotation-xml copyrightinformation mphantom inline-graphic graphic".split())
_SUPERSCRIPTS = frozenset({"sup", "superscript"})
_SUBSCRIPTS = frozenset({"sub", "inf", "subscript"})
_FORMULAS = frozenset("inline-formula disp-formula dispformula alternatives inlineequation".split())
_TEX = frozenset("tex-math tex equationsource".split())
_UNDERLINED = frozenset({"u", "underline"})
# Registries of DOIs lost the blanks around these in many records: "in<jats:italic>Arabidopsis</jats:italic>and".
_PARTED = frozenset("italic monospace styled-content named-content ext-link".split())
_FRAMED = _DROPPED | _PARTED | _SUPERSCRIPTS | _SUBSCRIPTS | _UNDERLINED | _FORMULAS | _TEX | _TITLES | {"math", "style", "abstracttext"}
"""What can be told only when it ends. All the other elements are taken off where they stand."""

# ----------------------------------------------------------------------------------------------------------------------- tags

_TAG = re.compile(
    r"<(?P<close>/?)(?:(?P<prefix>[A-Za-z][A-Za-z0-9]{0,9}):)?(?P<name>[A-Za-z][A-Za-z0-9-]{0,39})"
    r"(?P<attributes>(?:\s++[A-Za-z_][\w:.-]*+\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=]++))*+)\s*+(?P<empty>/?)>"
)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w:.-]*+)\s*+=\s*+(?:\"([^\"<]*+)\"|'([^'<]*+)'|([^\s\"'<>=]++))")
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_DECLARATION = re.compile(r"<(?:\?[A-Za-z][^<>]{0,200}|!DOCTYPE[^<>]{0,500})>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    attributes: Mapping[str, str]
    closes: bool
    is_empty: bool
    start: int
    end: int


def _without_comments(text: str) -> str:
    """The text without comments and declarations; what a CDATA section holds stays."""
    parts = []
    rest = _CDATA.sub("", _DECLARATION.sub("", text)) if "<!" in text or "<?" in text else text
    while (start := rest.find("<!--")) >= 0 and (end := rest.find("-->", start)) >= 0:
        parts.append(rest[:start])
        rest = rest[end + 3 :]
    return "".join([*parts, rest])


def _tags(text: str) -> Iterator[_Tag]:
    """What is markup in a text, in order: known elements, and any within a formula."""
    found = list(_TAG.finditer(text))
    closed = {match["name"].lower() for match in found if match["close"]}
    is_math = False
    for match in found:
        if is_math or _is_markup(match, closed):
            tag = _Tag(match["name"].lower(), _attributes(match), bool(match["close"]), bool(match["empty"]), match.start(), match.end())
            is_math = not tag.closes and "math" in closed if tag.name == "math" else is_math
            yield tag


def _is_markup(match: re.Match[str], closed: set[str]) -> bool:
    name = match["name"].lower()
    if match["prefix"]:
        return match["prefix"].lower() in _PREFIXES
    if name not in _KNOWN:
        return False
    if match["close"] or match["attributes"] or match["empty"]:
        return True
    if name == "img":
        return False
    if name in _IN_PAIRS and name not in closed:
        # <i>Escherichia<i>, and an abstract that was cut off before the end of the italics; but not x<b>y
        around = match.string[max(match.start() - 1, 0) : match.start()], match.string[match.end() : match.end() + 1]
        return name in ("i", "b") and around[0].isalnum() is not around[1].isalnum()
    return True


def _attributes(match: re.Match[str]) -> dict[str, str]:
    if not match["attributes"]:
        return {}
    return {each[1].lower(): each[2] or each[3] or each[4] or "" for each in _ATTRIBUTE.finditer(match["attributes"])}


# -------------------------------------------------------------------------------------------------------------------- reading

_MAX_DEPTH = 60
"""Elements in elements that are told apart; deeper ones are taken off."""
_SPACE = re.compile(r"\s+")
_LAYOUT = re.compile(r"[ \t\r\n]+")
_LINE_END = re.compile(r"[ \t\r]*\n\s*")
_BLANKS = re.compile(r"[ \t]{2,}")
_PRESCRIPTS = "\x00"  # stands for <mprescripts/> among the parts of a formula


@dataclass(slots=True)
class _Frame:
    """An open element: what it holds so far, child by child."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    is_math: bool = False
    parts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, part: str, kind: str = "") -> None:
        if part or self.is_math:  # a child of a formula has its place, even if it is empty
            self.parts.append(part)
            self.kinds.append(kind)

    def last(self) -> str:
        """The last character so far."""
        return self.parts[-1][-1:] if self.parts else ""


def _without_tags(text: str) -> str:
    tags = list(_tags(text))
    if not tags:
        return text
    reader = _Reader(text, is_layout=any(tag.name in _BLOCKS for tag in tags))
    at = 0
    for tag in tags:
        reader.text(text[at : tag.start])
        reader.tag(tag)
        at = tag.end
    reader.text(text[at:])
    return reader.result()


class _Reader:
    """Reads texts and tags in order. `is_layout`: white space is layout, since the text has paragraphs."""

    def __init__(self, source: str, *, is_layout: bool) -> None:
        self._source = source
        self._is_layout = is_layout
        self._stack = [_Frame("")]
        self._open: dict[str, int] = {}
        self._has_begun = False

    def text(self, text: str) -> None:
        top = self._stack[-1]
        if top.is_math:
            text = _SPACE.sub(" ", text)
            if text.isspace() and top.name != "mtext":
                return
        elif self._is_layout:
            text = _LAYOUT.sub(" ", text)
        if text:
            top.add(text)
            self._has_begun = self._has_begun or (len(self._stack) == 1 and not text.isspace())

    def tag(self, tag: _Tag) -> None:
        if not (tag.name in _FRAMED or self._stack[-1].is_math):
            if tag.name in _BLOCKS:
                self._stack[-1].add(" ")
        elif tag.closes:
            self._close(tag)
        elif tag.is_empty:
            self._stack[-1].add(_PRESCRIPTS if tag.name == "mprescripts" else "")
        elif len(self._stack) <= _MAX_DEPTH:
            self._stack.append(_Frame(tag.name, tag.attributes, is_math=self._stack[-1].is_math or tag.name == "math"))
            self._open[tag.name] = self._open.get(tag.name, 0) + 1

    def _close(self, tag: _Tag) -> None:
        if not self._open.get(tag.name):
            return
        while self._stack[-1].name != tag.name:
            self._drop_frame()
        frame = self._pop()
        parent = self._stack[-1]
        kind = "tex" if frame.name in _TEX else "math" if frame.name == "math" else ""
        parent.add(self._rendered(frame, parent, tag), kind)

    def _pop(self) -> _Frame:
        frame = self._stack.pop()
        self._open[frame.name] -= 1
        return frame

    def _drop_frame(self) -> None:
        """An element that was never closed is taken off, as if it were not there; but 10<sup>-3 is not 10-3."""
        frame = self._pop()
        content = "".join(frame.parts)
        if frame.name in _SUPERSCRIPTS:
            word, blank, rest = content.partition(" ")
            content = _raised(word, self._stack[-1].last()) + blank + rest
        self._stack[-1].add(content)

    def result(self) -> str:
        while len(self._stack) > 1:
            self._drop_frame()
        text = "".join(self._stack[0].parts).replace(_PRESCRIPTS, "")
        return _BLANKS.sub(" ", _LINE_END.sub("\n", text)).strip() if self._is_layout else text

    def _rendered(self, frame: _Frame, parent: _Frame, tag: _Tag) -> str:
        """What stands for an element that has ended."""
        name, content = frame.name, "".join(frame.parts)
        if frame.is_math:
            return _formula(frame)
        if name in _SUPERSCRIPTS:
            return self._raised(content, parent)
        if name in _SUBSCRIPTS:
            return _lowered(content, parent.last(), self._source[tag.end : tag.end + 1])
        if name in _TITLES:
            return self._title(content)
        if name in _PARTED:
            return _parted(content, parent.last(), self._source[tag.end : tag.end + 2])
        return _of_other(frame, content)

    def _raised(self, content: str, parent: _Frame) -> str:
        raised = _raised(content, parent.last())
        # "10 <sup>-3</sup>": no number is written with a blank before its exponent, but pretty-printers put one there
        if raised[:1] == "⁻" and len(raised) > 1 and parent.parts and re.search(r"\d\s+$", parent.parts[-1][-20:]):
            parent.parts[-1] = parent.parts[-1].rstrip()
        return raised

    def _title(self, content: str) -> str:
        label = " ".join(content.split())
        if not label or (label.casefold().rstrip(".:") in _OF_ALL and not self._has_begun):
            return " "
        self._has_begun = True
        return f"\n{label} " if label[-1] in "?!" else f"\n{label.rstrip(' .:')}: "


def _parted(content: str, before: str, after: str) -> str:
    """A word with the blanks that it has lost, if it clearly has: not the <i>n</i>th, nor the plural of an <i>abstract</i>s."""
    if len(content) < 4:
        return content
    left = " " if before.isalpha() and content[0].isalpha() else ""
    right = " " if content[-1].isalpha() and after.isalpha() and len(after) > 1 else ""
    return f"{left}{content}{right}"


_OF_ALL = frozenset("abstract resumen resumo résumé zusammenfassung riassunto 摘要".split())
"""Titles of the abstract as a whole, not of a part of it."""


_WITH_A_LINE_BELOW = {"<": "≤", ">": "≥", "+": "±"}


def _of_other(frame: _Frame, content: str) -> str:
    if frame.name in _DROPPED or (frame.name == "style" and "{" in content):
        return ""
    if frame.name in _UNDERLINED:
        return _WITH_A_LINE_BELOW.get(content.strip(), content)
    if frame.name in _TEX:
        return _tex(content)
    if frame.name == "abstracttext":
        label = frame.attributes.get("label", "").strip().rstrip(":")
        return f"\n{label}: {content} " if label and label != "UNLABELLED" else f" {content} "
    if "tex" in frame.kinds and "math" in frame.kinds:  # the same twice, for readers with and without TeX
        return "".join(part for part, kind in zip(frame.parts, frame.kinds, strict=True) if kind != "tex" and not part.isspace())
    return content


def _tex(content: str) -> str:
    """A formula in TeX without the document that some publishers wrap around it."""
    _, begin, rest = content.partition(r"\begin{document}")
    return (rest.partition(r"\end{document}")[0] if begin else content).strip()


# -------------------------------------------------------------------------------------------------- above and below the line

_UP = str.maketrans("0123456789+-−–()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾")
_DOWN = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_CAN_BE_UP = re.compile(r"[0-9+\-−–(),]*[0-9+\-−–][0-9+\-−–(),]*")
_WORD = re.compile(r"[^\W\d_]\w+")
_ONE_TERM = re.compile(r"[-−+]?[\w.]+")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_DEGREES = frozenset("o∘○◦º°")
_LONGEST_SCRIPT = 40
"""Characters; whatever is longer was not closed where it should be."""


def _raised(content: str, before: str, *, is_math: bool = False) -> str:
    """What stands for a superscript after a character: ¹²³ where that can be, else with "^" where it would be read otherwise.

    >>> _raised("2+", "a"), _raised("n", "2"), _raised("0.5", "0"), _raised("th", "5"), _raised("-/-", "E"), _raised("high", "4")
    ('²⁺', '^n', '^0.5', 'th', '-/-', 'high')
    """
    content = content.strip()
    if len(content) > _LONGEST_SCRIPT:
        return content
    if content in _DEGREES and content and (before.isdigit() or before == " "):
        return "°"
    if _CAN_BE_UP.fullmatch(content):
        return content.translate(_UP)
    return f"^{_grouped(content)}" if _needs_caret(content, before, is_math=is_math) else content


def _needs_caret(content: str, before: str, *, is_math: bool) -> bool:
    if not any(char.isalnum() for char in content) or not before.strip(" (["):
        return False  # marks such as * and ®; what stands before its base, as in ⁹⁹ᵐTc
    if is_math:
        return True
    if _WORD.fullmatch(content) or content in _ORDINALS:
        return False  # CD44high, FeIII, 5th
    return not ("/" in content and not any(char.isdigit() for char in content))  # Atg5fl/fl


def _lowered(content: str, before: str, after: str) -> str:
    """What stands for a subscript between two characters: itself, unless two numbers would become one.

    >>> _lowered("2", "O", "O"), _lowered("2.5", "M", " "), _lowered("10", "g", "2"), _lowered("trend", "p", "=")
    ('2', '2.5', '₁₀', 'trend')
    """
    content = content.strip()
    if not content or not ((before.isdigit() and content[0].isdigit()) or (after.isdigit() and content[-1].isdigit())):
        return content
    return content.translate(_DOWN) if content.isdecimal() else f"_{content}"


def _grouped(content: str) -> str:
    """In brackets, if it is more than one term."""
    return content if _ONE_TERM.fullmatch(content) or re.fullmatch(r"\([^()]*\)", content) else f"({content})"


# --------------------------------------------------------------------------------------------------------------------- MathML

_RELATIONS = frozenset("= < > ≤ ≥ ≠ ≈ ≅ ≡ ∼ ∝ ≪ ≫ ⩽ ⩾ → ← ↔ ⇒ ⟶ ∈ :=".split())
_INVISIBLE = re.compile("[\u2061-\u2064\u200b]")
_ACCENTS = {"¯": "\u0304", "‾": "\u0304", "―": "\u0304", "_": "\u0304", "ˉ": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303"}
_ACCENTS |= {"∼": "\u0303", ".": "\u0307", "˙": "\u0307", "¨": "\u0308", "→": "\u20d7", "⃗": "\u20d7", "ˇ": "\u030c", "´": "\u0301"}


def _formula(frame: _Frame) -> str:
    parts = frame.parts
    if frame.name in _DROPPED:
        return ""
    if frame.name in ("mi", "mn", "mo", "ms"):
        return _INVISIBLE.sub("", "".join(parts)).strip()
    if frame.name == "mtext":
        return "".join(parts)
    if frame.name == "mfenced":
        return _fenced(parts, frame.attributes)
    wanted, render = _LAYOUTS.get(frame.name, (0, _row))
    return render(parts) if not wanted or wanted == len(parts) else _row(parts)


def _row(parts: Sequence[str]) -> str:
    """Terms side by side: words stay apart, and so do the sides of a relation.

    >>> _row(["p", "<", "0.05"]), _row(["sin", "x"]), _row(["2", "x"])
    ('p < 0.05', 'sin x', '2x')
    """
    out: list[str] = []
    terms = [part for part in parts if part and part != _PRESCRIPTS]
    for i, term in enumerate(terms):
        before = terms[i - 1] if i else ""
        if term in _RELATIONS and 0 < i < len(terms) - 1:
            out.append(f" {term} ")
        elif term == "," and i < len(terms) - 1:
            out.append(", ")
        else:
            out.append(f" {term}" if _are_words(before, term) else term)
    return "".join(out)


def _are_words(before: str, term: str) -> bool:
    """Would two terms be read as one word?"""
    if not (before[-1:].isalnum() and term[:1].isalnum()):
        return False
    has_script = "_" in before[-8:] or "^" in before[-8:]
    return has_script or (before[-2:].isalpha() and len(before) > 1) or (len(term) > 1 and term[:2].isalpha())


def _power(parts: Sequence[str]) -> str:
    base, up = parts
    base = _base(base)
    return base + _raised(up, base[-1:], is_math=True)


def _index(parts: Sequence[str]) -> str:
    base, down = parts
    base, down = _base(base), down.strip()
    if not down or (down[0].isdigit() and not base[-1:].isdigit()):
        return base + down
    return f"{base}_{_grouped(down)}"


def _base(base: str) -> str:
    return f"({base})" if re.search(r"[\w)] ?[-+−=/ ] ?[\w(]", base) and not re.fullmatch(r"\(.*\)|\[.*\]|\|.*\|", base) else base


def _both(parts: Sequence[str]) -> str:
    base, down, up = parts
    lowered = _index([base, down])
    return lowered + _raised(up, lowered[-1:], is_math=True)


def _over(parts: Sequence[str]) -> str:
    base, over = parts
    accent = _ACCENTS.get(over.strip(), "")
    return base + accent if accent and len(base) == 1 else base if accent else _power([base, over])


def _under(parts: Sequence[str]) -> str:
    base, under = parts
    return base if under.strip() in _ACCENTS else f"{base}_{_grouped(under)}"


def _under_over(parts: Sequence[str]) -> str:
    base, under, over = parts
    return f"{_under([base, under])}^{_grouped(over)}" if over else _under([base, under])


def _fraction(parts: Sequence[str]) -> str:
    above, below = parts
    return f"{_grouped(above)}/{_grouped(below)}"


def _root(parts: Sequence[str]) -> str:
    base, degree = parts
    signs = {"3": "∛", "4": "∜"}
    return f"{signs[degree]}{_grouped(base)}" if degree in signs else f"{_grouped(base)}^(1/{degree})"


def _square_root(parts: Sequence[str]) -> str:
    return f"√{_grouped(_row(parts))}"


def _fenced(parts: Sequence[str], attributes: Mapping[str, str]) -> str:
    separator = attributes.get("separators", ",").strip()[:1]
    return attributes.get("open", "(") + f"{separator} ".join(parts) + attributes.get("close", ")")


_MOST_SCRIPTS = 20  # no symbol has more


def _scripts(parts: Sequence[str]) -> str:
    """Of <mmultiscripts>: a base, pairs of what stands below and above after it, and such pairs before it."""
    at = parts.index(_PRESCRIPTS) if _PRESCRIPTS in parts else len(parts)
    base, after, before = "".join(parts[:1]), parts[1:at][:_MOST_SCRIPTS], parts[at + 1 :]
    left = "".join(_raised(up, "", is_math=True) + down for down, up in _pairs(before))
    for down, up in _pairs(after):
        base = _both([base, down, up])
    return left + base


def _pairs(parts: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(parts[::2], [*parts[1::2], ""], strict=False))


def _rows(parts: Sequence[str]) -> str:
    return "; ".join(parts)


def _cells(parts: Sequence[str]) -> str:
    return " ".join(parts)


def _first(parts: Sequence[str]) -> str:
    return next(iter(parts), "")


_LAYOUTS: dict[str, tuple[int, Callable[[Sequence[str]], str]]] = {
    "msup": (2, _power),
    "msub": (2, _index),
    "msubsup": (3, _both),
    "mover": (2, _over),
    "munder": (2, _under),
    "munderover": (3, _under_over),
    "mfrac": (2, _fraction),
    "mroot": (2, _root),
    "msqrt": (0, _square_root),
    "mmultiscripts": (0, _scripts),
    "mtable": (0, _rows),
    "mtr": (0, _cells),
    "semantics": (0, _first),
}
"""How many children an element has (0: any number), and how they are written on a line."""
