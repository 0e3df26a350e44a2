"""Bytes -> text: which encoding a file is in, and its lines in it. Pure functions of bytes."""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper

from rag_qa.sources import charsets, kinds

_CHUNK = 1 << 20
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
)
_BEYOND_ASCII = bytes(range(128, 256))
_EVIDENCE = 1 << 18  # bytes of lines that are not UTF-8, to judge by


class LineTooLong(ValueError):
    """A line is longer than allowed; `number` counts from 1."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


# ------------------------------------------------------------------------------------------------------------ how to decode


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the bytes of a file become text.

    `codec`: what it is in, Python's name. `why`: how that is known; "" for UTF-8, which needs no reason. `start`: bytes of the byte order mark.
    `steps`: (codec, errors) to try on each line, the last one always succeeds. `damaged`: numbers of the lines that are not quite in it.
    `has_zeros`: there are stray zero bytes, which are left out.
    """

    codec: str = "utf-8"
    why: str = ""
    start: int = 0
    steps: tuple[tuple[str, str], ...] = (("utf-8", "replace"),)
    damaged: Sequence[int] = field(default_factory=tuple)
    has_zeros: bool = False

    @property
    def name(self) -> str:
        """What people call the encoding."""
        return _NAMES.get(self.codec, self.codec)

    @property
    def is_plain(self) -> bool:
        """Is it UTF-8 without a fault?"""
        return self.codec == "utf-8" and not self.damaged and not self.has_zeros

    @property
    def is_wide(self) -> bool:
        """Has it two or four bytes for each character, so that lines end with more than one byte?"""
        return self.codec.startswith(("utf-16", "utf-32"))

    def decoded(self, raw: bytes) -> str:
        """Some of the bytes, a line at least, as text."""
        text = self._first_success(raw.replace(b"\0", b"") if self.has_zeros and not self.is_wide else raw)
        # byte order marks are found in the middle too, where files were joined
        return text.replace("\ufeff", "") if "\ufeff" in text else text

    def _first_success(self, raw: bytes) -> str:
        for codec, errors in self.steps[:-1]:
            try:
                return raw.decode(codec, errors)
            except UnicodeDecodeError:
                continue
        return raw.decode(*self.steps[-1])


_NAMES = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16 (little endian)",
    "utf-16-be": "UTF-16 (big endian)",
    "utf-32-le": "UTF-32 (little endian)",
    "utf-32-be": "UTF-32 (big endian)",
    "cp1252": "Windows-1252 (Western European)",
    "iso8859-15": "ISO-8859-15 (Western European)",
    "mac-roman": "Mac Roman (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859-2": "ISO-8859-2 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp874": "Windows-874 (Thai)",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (traditional Chinese)",
    "cp932": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "iso2022_jp": "ISO-2022-JP (Japanese)",
    "cp949": "EUC-KR (Korean)",
}


def _western(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not UTF-8 among text that is: Windows-1252, or the remnant of a character that was cut off."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    odd = error.object[error.start : error.end]
    return (odd.decode("cp1252", "replace") if len(odd) == 1 else "\ufffd"), error.end


_WESTERN = "rag_qa.western"
codecs.register_error(_WESTERN, _western)


# --------------------------------------------------------------------------------------------------------- finding it out

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def found(content: bytes) -> Decoding:
    """How to decode the content of a text file.

    A byte order mark decides, then UTF-8 if all of it is, then what the file says of itself if the bytes agree, then what makes most sense.

    >>> found("naïve".encode("latin-1")).codec
    'cp1252'
    """
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return _wide(codec, "by its byte order mark", len(mark))
    side = kinds.zeros_side(content[:4096])
    if side is not None:
        return _wide(("utf-16-be", "utf-16-le")[side], "by its zero bytes")
    start = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    if not is_utf8(content):
        return _mixed(content, start)
    if b"\x1b$" in content and _agrees(content, "iso2022_jp"):
        return Decoding("iso2022_jp", "by its shifts", steps=(("iso2022_jp", "replace"),))
    return Decoding(start=start, has_zeros=b"\0" in content)


def _wide(codec: str, why: str, start: int = 0) -> Decoding:
    return Decoding(codec, why, start, ((codec, "replace"),))


def is_utf8(content: bytes) -> bool:
    """Is all of it UTF-8? Without making a text of it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), _CHUNK):
            decoder.decode(content[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _mixed(content: bytes, start: int) -> Decoding:
    """Not, or not all, UTF-8: either UTF-8 with some broken bytes, or an old encoding, perhaps with some lines in UTF-8."""
    damaged, evidence = array("L"), bytearray()
    good = bad = 0
    for number, line in _foreign_lines(content):
        sequences = _SEQUENCE.findall(line)
        broken = _count_foreign(line) - sum(map(len, sequences))
        good, bad = good + len(sequences), bad + broken
        if broken:
            damaged.append(number)
            evidence += line[: max(0, _EVIDENCE - len(evidence))]
    has_zeros = b"\0" in content
    if good >= bad:
        return Decoding(start=start, steps=(("utf-8", _WESTERN),), damaged=damaged, has_zeros=has_zeros)
    codec, why = _old(bytes(evidence), declared(content[:4096]))
    steps = (
        (("utf-8", "strict"), (codec, "replace"))
        if codec not in charsets.IDEOGRAPHIC
        else ((codec, "strict"), ("utf-8", "strict"), (codec, "replace"))
    )
    damaged = array("L", (number for number, line in _foreign_lines(content) if not _fits(line, steps)))
    return Decoding(codec, why, start, steps, damaged, has_zeros)


def _old(evidence: bytes, declares: str | None) -> tuple[str, str]:
    """The codec of lines that are not UTF-8, and how that is known."""
    if declares and not charsets.is_judged(declares) and _agrees(evidence, declares):
        return declares, _DECLARED
    codec = charsets.likeliest(evidence, declares)
    return codec, _DECLARED if declares and charsets.widest(declares) == codec else _JUDGED


_DECLARED = "as it says of itself"
_JUDGED = "by its letters"


def _agrees(raw: bytes, codec: str) -> bool:
    """Are the bytes text in this encoding? The control characters U+0080 to U+009F are none."""
    try:
        return not any("\x80" <= character <= "\x9f" for character in raw.decode(codec))
    except UnicodeDecodeError:
        return False


def _fits(line: bytes, steps: Iterable[tuple[str, str]]) -> bool:
    return any(_agrees(line, codec) for codec, _ in steps)


def _foreign_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, line) of the lines that are not all ASCII."""
    for number, match in enumerate(_LINE.finditer(content), start=1):
        line = match.group()
        if not line.isascii():
            yield number, line


def _count_foreign(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _BEYOND_ASCII))


# ---------------------------------------------------------------------------------------------- what a file says of itself

_DECLARATIONS = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        rb"\A(?:\xef\xbb\xbf)?\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([\w.:-]{1,40})",
        rb"^%+ *Encoding: *([\w.-]{1,40})",  # JabRef
        rb"^%+ *! *TeX +encoding *= *([\w.-]{1,40})",
        rb"^%+ *Saved with string encoding +([\w.() -]{1,60}?)\s*$",  # BibDesk
        rb"\A(?:[^\n]*\n)?(?:%|#|;|//|<!--)[^\n]{0,200}?coding[:=] *([\w.-]{1,40})",  # Emacs, vim: in the first two lines
    )
)
_SYNONYMS = {
    "x-macroman": "mac-roman",
    "x-sjis": "cp932",
    "x-windows-949": "cp949",
    "x-gbk": "gb18030",
    "unicode (utf-8)": "utf-8",
    "western (mac os roman)": "mac-roman",
    "western (iso latin 1)": "iso8859-1",
    "western (windows latin 1)": "cp1252",
    "central european (iso latin 2)": "iso8859-2",
}
_END_OF_LINE = re.compile(r"-(?:unix|dos|mac)$")
_LATIN = re.compile(r"^latin-(\d+)$")
# Python has codecs that are no character sets, such as unicode_escape.
_CHARACTER_SET = re.compile(r"(?:ascii|utf-|cp|iso8859-|iso2022|mac-|koi8|gb|big5|shift_jis|euc|johab|hz|tis-620|ptcp154|kz1048|hp-roman8).*")


def declared(head: bytes) -> str | None:
    """The Python codec that a file names in its first lines; None if it names none that is known.

    >>> declared(b"% -*- coding: latin-9-unix -*-")
    'iso8859-15'
    """
    for declaration in _DECLARATIONS:
        if match := declaration.search(head):
            return codec_of(match.group(1).decode("ascii", "replace"))
    return None


def codec_of(name: str) -> str | None:
    """The Python codec of a name that editors, XML or Java use; None for an unknown one."""
    plain = _END_OF_LINE.sub("", name.lower().strip())
    try:
        codec = codecs.lookup(_SYNONYMS.get(plain, _LATIN.sub(r"latin\1", plain))).name
    except (LookupError, ValueError):
        return None
    return codec if _CHARACTER_SET.fullmatch(codec) else None


# ------------------------------------------------------------------------------------------------------------ text, lines


def text(content: bytes, decoding: Decoding) -> str:
    """All of it, line ends as they are."""
    if len(decoding.steps) == 1:
        return decoding.decoded(content[decoding.start :])
    return "".join(decoding.decoded(match.group()) for match in _LINE.finditer(content, decoding.start))


def lines(content: bytes, decoding: Decoding, longest: int) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end); CR LF, LF and CR end a line. One line is held at a time.

    Raises LineTooLong at a line of more than `longest` bytes (of characters, in UTF-16 and UTF-32).
    """
    return _wide_lines(content, decoding, longest) if decoding.is_wide else _narrow_lines(content, decoding, longest)


def _narrow_lines(content: bytes, decoding: Decoding, longest: int) -> Iterator[tuple[int, str]]:
    # no byte of a longer character looks like a line end in any of these encodings
    for number, match in enumerate(_LINE.finditer(content, decoding.start), start=1):
        begin, end = match.span()
        if begin == end:
            return
        if end - begin > longest:
            raise LineTooLong(number)
        yield number, decoding.decoded(content[begin:end].rstrip(b"\r\n"))


def _wide_lines(content: bytes, decoding: Decoding, longest: int) -> Iterator[tuple[int, str]]:
    raw = BytesIO(content)
    raw.seek(decoding.start)
    # newline=None: the three line ends, and no other character
    reader = TextIOWrapper(raw, decoding.codec, "replace", newline=None)
    for number, line in enumerate(iter(lambda: reader.readline(longest + 1), ""), start=1):
        if len(line) > longest:
            raise LineTooLong(number)
        yield number, line.removesuffix("\n").replace("\ufeff", "")


# ------------------------------------------------------------------------------------------------------- what was put right

_SHOWN_LINES = 20
_SHOWN = 40


def repairs(content: bytes, decoding: Decoding) -> Iterator[tuple[int | None, str]]:
    """(line or None for the whole file, what was put right): how it was read if it isn't UTF-8, and what was broken in it."""
    if decoding.codec != "utf-8":
        advice = ": look at a word with an accent to see whether that is right" if decoding.why == _JUDGED else ""
        yield None, f"not UTF-8; read as {decoding.name}, {decoding.why}{advice}"
    if decoding.has_zeros and not decoding.is_wide:
        yield _line_of(content, content.index(b"\0")), f"{content.count(0)} zero bytes were left out"
    shown = frozenset(decoding.damaged[:_SHOWN_LINES])
    for number, line in _foreign_lines(content) if shown else ():
        if number in shown:
            yield number, _damage(line, decoding)
    if len(decoding.damaged) > _SHOWN_LINES:
        yield (
            decoding.damaged[_SHOWN_LINES],
            f"so have {len(decoding.damaged) - _SHOWN_LINES} lines from here on, the last one is {decoding.damaged[-1]}",
        )


def _damage(line: bytes, decoding: Decoding) -> str:
    start, end = _odd_bytes(line, decoding.codec)
    odd = " ".join(f"0x{byte:02x}" for byte in line[start:end])
    word = line[line.rfind(b" ", 0, start) + 1 :].partition(b" ")[0]
    shown = f" in {decoding.decoded(word).strip()!r}" if len(word) <= _SHOWN else ""
    read = "read as Windows-1252" if decoding.codec == "utf-8" and end - start == 1 else "which can't be read"
    return f"{odd} is not {decoding.name}, {read}{shown}"


def _odd_bytes(line: bytes, codec: str) -> tuple[int, int]:
    try:
        line.decode(codec)
    except UnicodeDecodeError as error:
        return error.start, error.end
    return 0, 0  # control characters


def _line_of(content: bytes, at: int) -> int:
    return content[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
