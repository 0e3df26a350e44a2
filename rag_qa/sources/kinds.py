"""What a file is that no reader takes, and what its owner can do about it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_EXPORT = "export the references from your reference manager as RIS or BibTeX"
_UNPACK = "unpack it and name the folder"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: what it is, with its article, and what to do instead of reading it."""

    name: str
    advice: str


ZIP = Kind("a zip archive", _UNPACK)
GZIP = Kind("a gzip file", "unpack it")
_IMAGE_ADVICE = "abstracts have to be text"
_SHEET = "save it as CSV"

_ENDNOTE = Kind("an EndNote library", "in EndNote, use File > Export with the output style RefMan (RIS)")

_SIGNATURES: tuple[tuple[int, bytes, Kind], ...] = (
    (0, b"\x1f\x8b\x08", GZIP),
    (0, b"%PDF-", Kind("a PDF", f"{_EXPORT}, or save the abstracts as text")),
    (0, b"SQLite format 3\0", Kind("a database (SQLite, as Zotero, EndNote and Citavi keep theirs in)", _EXPORT)),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind("an old Office file (Word or Excel)", "save a sheet as CSV, a text as plain text")),
    (4, b"Standard Jet DB", Kind("an Access database", "export its table as CSV")),
    (4, b"Standard ACE DB", Kind("an Access database", "export its table as CSV")),
    (0, b"\x89PNG\r\n", Kind("a PNG image", _IMAGE_ADVICE)),
    (0, b"\xff\xd8\xff", Kind("a JPEG image", _IMAGE_ADVICE)),
    (0, b"GIF89a", Kind("a GIF image", _IMAGE_ADVICE)),
    (0, b"GIF87a", Kind("a GIF image", _IMAGE_ADVICE)),
    (0, b"II*\0", Kind("a TIFF image", _IMAGE_ADVICE)),
    (0, b"MM\0*", Kind("a TIFF image", _IMAGE_ADVICE)),
    (8, b"WEBPVP8", Kind("a WebP image", _IMAGE_ADVICE)),
    (0, b"AT&TFORM", Kind("a DjVu document", f"{_EXPORT}, or save the abstracts as text")),
    (4, b"1AY&SY", Kind("a bzip2 file", "unpack it (bunzip2)")),
    (0, b"\xfd7zXZ\0", Kind("an xz file", "unpack it (unxz)")),
    (0, b"\x28\xb5\x2f\xfd", Kind("a Zstandard file", "unpack it (unzstd)")),
    (0, b"7z\xbc\xaf\x27\x1c", Kind("a 7-Zip archive", _UNPACK)),
    (0, b"Rar!\x1a\x07", Kind("a RAR archive", _UNPACK)),
    (257, b"ustar", Kind("a tar archive", f"{_UNPACK} (tar -xf)")),
    (0, b"PAR1\x15", Kind("a Parquet table", _SHEET)),
)

_IN_ZIP: tuple[tuple[re.Pattern[bytes], Kind], ...] = (
    (re.compile(rb"xl/(?:workbook|worksheets|styles|theme|_rels|sharedStrings)"), Kind("an Excel sheet", _SHEET)),
    (re.compile(rb"word/(?:document|styles|_rels|numbering)"), Kind("a Word document", "save it as plain text, or its table as CSV")),
    (re.compile(rb"ppt/(?:presentation|slides|_rels)"), Kind("a PowerPoint file", "save the abstracts as plain text")),
    (re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet"), Kind("an OpenDocument sheet", _SHEET)),
    (re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument"), Kind("an OpenDocument text", "save it as plain text")),
    (re.compile(rb"mimetypeapplication/epub"), Kind("an e-book", "save the abstracts as plain text")),
    (re.compile(rb"sdb/sdb\.eni"), _ENDNOTE),
)

_MARC = re.compile(rb"\d{5}[a-z][a-z ].{13}4500", re.DOTALL)
_MARC_KIND = Kind("a MARC file", "export the records as RIS")
_BINARY = Kind("a binary file", "only text can be read, such as an export from a reference manager")

# A few stray ones occur in exports that are text; more than one in two hundred bytes is no text. From Ctrl-Z on they are the end of a DOS file,
# the shifts of Japanese mail and separators.
_CONTROL = bytes(set(range(26)) - set(b"\t\n\v\f\r"))
_TEXT_BYTES_FOR_A_CONTROL = 200
_ASCII = bytes(range(128))


def of_bytes(head: bytes, suffix: str = "") -> Kind | None:
    """What a file is that begins so (give 64 KB or so) and is not text; None: it may be text.

    >>> of_bytes(b"%PDF-1.7").name
    'a PDF'
    >>> of_bytes(b"TY  - JOUR")
    """
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return next((kind for names, kind in _IN_ZIP if names.search(head)), ZIP)
    for offset, signature, kind in _SIGNATURES:
        if head.startswith(signature, offset):
            return kind
    if _MARC.match(head):
        return _MARC_KIND
    if not _is_binary(head):
        return None
    return _ENDNOTE if suffix == ".enl" else _BINARY


def _is_binary(head: bytes) -> bool:
    if is_wide(head):
        return False
    return _controls(head) * _TEXT_BYTES_FOR_A_CONTROL > len(head)


def _controls(part: bytes) -> int:
    return len(part) - len(part.translate(None, _CONTROL))


def is_wide(head: bytes) -> bool:
    """Does this begin like UTF-16 or UTF-32, where zero bytes are part of the text?"""
    return head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or zeros_side(head) is not None


# Control characters, private use and the scripts that few write in are left out, so that of numbers or of bytes read in pairs half are none of these.
_ORDINARY = re.compile(
    "[\t\n\r\x20-\x7e\xa0-\u052f\u0590-\u06ff\u0900-\u09ff\u0e00-\u0e7f\u1e00-\u22ff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uffee"
    "\U0001f300-\U0001faff]"
)
_PUNCTUATION = re.compile("[\u2000-\u20ff]")


def zeros_side(head: bytes) -> int | None:
    """In UTF-16 without a byte order mark: 0 if the first byte of most pairs is zero (big endian), 1 if the second is; None: it isn't UTF-16.

    In Chinese few are zero; then the characters tell.

    >>> zeros_side("@article".encode("utf-16-le"))
    1
    """
    sample = head[: min(4096, len(head) // 2 * 2)]
    counts = [sample[side::2].count(0) for side in (0, 1)]
    sides = [side for side in (0, 1) if counts[side] and _reads_as_wide(sample, side)]
    side = max(sides, key=counts.__getitem__, default=None)
    if side is None or len(sample) < 4:
        return None
    has_many = counts[side] * 8 >= len(sample) and counts[1 - side] * 100 <= len(sample)
    return side if has_many or not _is_narrow(sample.replace(b"\0", b"")) else None


def _reads_as_wide(sample: bytes, side: int) -> bool:
    """Are the pairs of bytes nearly all characters that people write? Pairs with a space are U+20xx, which is rare."""
    text = sample.decode(("utf-16-be", "utf-16-le")[side], "replace")
    return "\0" not in text and len(_ORDINARY.findall(text)) * 50 >= len(text) * 49 and len(_PUNCTUATION.findall(text)) * 12 <= len(text)


def _is_narrow(sample: bytes) -> bool:
    """Is it mostly ASCII, or UTF-8 without many control characters, but for a character that is cut at the end?"""
    if 7 * (_controls(sample) + len(sample.translate(None, _ASCII))) < len(sample):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return _controls(sample) * _TEXT_BYTES_FOR_A_CONTROL <= len(sample)


_TEXTS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,2000}-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE),
        Kind("an HTML page", "on the web site, use its export (RIS, BibTeX or CSV) instead of saving the page"),
    ),
    (re.compile(r"\{\\rtf\d"), Kind("an RTF document", "save it as plain text, or use the export of your reference manager")),
    (re.compile(r"%!PS"), Kind("a PostScript file", f"{_EXPORT}, or save the abstracts as text")),
    (re.compile(r"version https://git-lfs\.github\.com/spec/"), Kind("a pointer of Git LFS, not the file itself", "fetch the file (git lfs pull)")),
    (
        re.compile(
            r"(?:From [^\n]{1,200}\n)?(?:(?:From|To|Cc|Date|Subject|Sender|Received|Reply-To|Return-Path|Delivered-To|Message-ID|MIME-Version"
            r"|X-[\w-]{1,40}): [^\n]*+\n(?:[ \t][^\n]*+\n)*+){3}",
            re.IGNORECASE,
        ),
        Kind("an e-mail", "save the abstracts that are in it as plain text, or export the references that it lists as RIS or BibTeX"),
    ),
    (
        re.compile(r"(?:[^\n]{0,200}\n){0,9}NEP: New Economics Papers\b"),
        Kind("a report of New Economics Papers (RePEc)", "on ideas.repec.org, export the papers as RIS or BibTeX"),
    ),
    (re.compile(r"\s*\\documentclass\b"), Kind("a LaTeX document", "name its .bib file, or save the abstracts as text")),
)


def of_text(head: str) -> Kind | None:
    """What a text is that begins so and that no reader of references takes; None: nothing that is known.

    >>> of_text("<!DOCTYPE html><title>Sign in</title>").name
    'an HTML page'
    """
    return next((kind for beginning, kind in _TEXTS if beginning.match(head)), None)
