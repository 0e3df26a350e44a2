"""Files as readers see them: opened, taken out of archives, decompressed and decoded."""

from __future__ import annotations

import gzip
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import SEEK_END, BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from rag_qa.errors import SourceError
from rag_qa.sources import decoding, kinds
from rag_qa.sources.decoding import Decoding
from rag_qa.sources.reader import Problem, Trouble

HEAD = 65_536
"""Bytes of a file that are looked at to recognise it."""

STDIN = "<stdin>"
_CHUNK = 1 << 20
_VISIBLE = re.compile(rb"[^\s\x00]")
_XML_ENCODING = re.compile(r"(\ufeff?\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"'])([^\"'>]{0,40})")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read; beyond it a file is refused, so that a hostile or mistaken one can't take all memory. In bytes where nothing else is said.

    `ratio`: to how many times its size a compressed file may grow once it has grown to `spared`; text grows about five times, a bomb a thousand.
    """

    file: int = 1 << 30
    archive: int = 1 << 32
    """All the files in it together, decompressed."""
    text: int = 1 << 29
    """Of a file that has to be held as one text, such as JSON or XML."""
    line: int = 20_000_000
    members: int = 10_000
    """Files in an archive."""
    spared: int = 1 << 26
    ratio: int = 200

    def grown(self, compressed: int) -> int:
        """How large something of this size may become."""
        return min(self.file, max(self.spared, self.ratio * compressed))


LIMITS = Limits()


@dataclass(slots=True)
class File:
    """A Document over bytes that are in memory. `member`: its name in the archive that it is from."""

    path: str
    content: bytes
    mapping: Mapping[str, str] = field(default_factory=dict)
    member: str = ""
    limits: Limits = LIMITS
    _found: Decoding | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def suffix(self) -> str:
        """Lower case, with the dot, without that of a compression."""
        return suffix_of(self.member or self.path)

    @property
    def decoding(self) -> Decoding:
        """How it is decoded. Raises SourceError if it is no text."""
        if self._found is None:
            kind = kinds.of_bytes(self.content[:HEAD], self.suffix)
            if kind:
                raise refusal(self.path, kind)
            self._found = decoding.found(self.content)
        return self._found

    def problems(self) -> Iterator[Problem]:
        """What had to be put right to read it as text. Raises SourceError if it is none."""
        for line, reason in decoding.repairs(self.content, self.decoding):
            yield Problem(self.path, line, reason, Trouble.REPAIRED)

    def head(self) -> str:
        """The first part, decoded. Raises SourceError if it is no text."""
        whole = self.decoding
        part = self.content[: whole.start + HEAD]
        # a character at the end may be cut in two
        return decoding.text(part, whole).rstrip("\ufffd") if len(part) < len(self.content) else decoding.text(part, whole)

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number from 1, line without its end). Raises SourceError for an empty file, one that is no text, and at a line that is too long."""
        self._refuse_empty()
        try:
            yield from decoding.lines(self.content, self.decoding, self.limits.line)
        except decoding.LineTooLong as error:
            found, expected = f"a line of more than {_size(self.limits.line)}", "one record or field on it"
            raise SourceError(self.path, error.number, found=found, expected=expected) from None

    def text(self) -> str:
        """All of it, decoded. Raises SourceError for an empty file, a very large one, and one that is no text."""
        self._refuse_empty()
        self._refuse_large()
        return decoding.text(self.content, self.decoding)

    def raw(self) -> bytes:
        """The bytes as an XML parser takes them: in UTF-8 or as they are, and what the file says of its encoding is true. Raises SourceError."""
        self._refuse_empty()
        self._refuse_large()
        says = _XML_ENCODING.match(self.content[:1000].decode("utf-8", "replace"))
        if self.decoding.is_plain and (not says or says.group(2).lower() == "utf-8"):
            return self.content
        return _XML_ENCODING.sub(r"\1UTF-8", self.text(), count=1).encode("utf-8", "replace")

    def _refuse_empty(self) -> None:
        if not _VISIBLE.search(self.content, self.decoding.start):
            raise SourceError(self.path, None, found="an empty file", expected="references or abstracts")

    def _refuse_large(self) -> None:
        if len(self.content) > self.limits.text:
            found = f"a file of {_size(len(self.content))}, which has to be read as a whole"
            raise SourceError(self.path, None, found=found, expected=f"at most {_size(self.limits.text)}", hint="Split it, or export it in parts.")


def suffix_of(name: str) -> str:
    """Lower case, with the dot, without that of a compression.

    >>> suffix_of("folder/My.BIB.gz")
    '.bib'
    """
    path = PurePosixPath(name.lower())
    return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix


def refusal(path: str, kind: kinds.Kind) -> SourceError:
    """The error that a file is of a kind that can't be read."""
    return SourceError(path, None, found=kind.name, expected="references or abstracts as text", hint=f"{kind.advice[:1].upper()}{kind.advice[1:]}.")


# ---------------------------------------------------------------------------------------------------------------- opening


def opened(path: Path, mapping: Mapping[str, str] | None = None, *, limits: Limits = LIMITS) -> Iterator[File | Problem]:
    """The documents that a file holds: itself, or what an archive holds; a Problem for each member that is left aside or can't be read.

    One document is held at a time. Raises SourceError when the file can't be opened, is damaged or too large.
    """
    try:
        with path.open("rb") as stream:
            yield from _documents(str(path), stream, mapping or {}, limits)
    except OSError as error:
        raise SourceError(path, None, found=f"a file that can't be opened ({error.strerror})", expected="a readable text file") from None


def received(stream: BinaryIO, mapping: Mapping[str, str] | None = None, *, limits: Limits = LIMITS) -> Iterator[File | Problem]:
    """The documents that standard input holds; like `opened`."""
    content = _read(stream, limits.file)
    if content is None:
        raise _too_large(STDIN, limits.file)
    yield from _documents(STDIN, BytesIO(content), mapping or {}, limits)


def peek(path: Path) -> File:
    """The first part of a file, decompressed if it is gzip. Raises SourceError when it can't be opened or decompressed."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        if kinds.of_bytes(head) is kinds.GZIP:
            with gzip.open(path) as unpacked:
                head = unpacked.read(HEAD)
    except (OSError, EOFError, zlib.error) as error:
        found = f"a file that can't be opened ({getattr(error, 'strerror', None) or error})"
        raise SourceError(path, None, found=found, expected="a readable file") from None
    return File(str(path), head)


def _documents(name: str, stream: IO[bytes], mapping: Mapping[str, str], limits: Limits) -> Iterator[File | Problem]:
    kind = kinds.of_bytes(stream.read(HEAD), suffix_of(name))
    stream.seek(0)
    if kind is kinds.ZIP:
        yield from _members(name, stream, mapping, limits)
        return
    if kind and kind is not kinds.GZIP:
        raise refusal(name, kind)
    content = _read(stream, limits.file)
    if content is None:
        raise _too_large(name, limits.file)
    yield File(name, _gunzipped(name, content, limits) if kind else content, mapping, limits=limits)


def _read(stream: IO[bytes] | gzip.GzipFile, most: int) -> bytes | None:
    """All of it; None if it is more."""
    # grows without a second copy, unlike bytes that are joined
    held = BytesIO()
    while chunk := stream.read(_CHUNK):
        if held.write(chunk) and held.tell() > most:
            return None
    return held.getvalue()


def _gunzipped(name: str, content: bytes, limits: Limits) -> bytes:
    most = limits.grown(len(content))
    try:
        with gzip.open(BytesIO(content)) as stream:
            unpacked = _read(stream, most)
    except (OSError, EOFError, zlib.error) as error:
        found = f"a gzip file that is damaged or cut off ({error})"
        raise SourceError(name, None, found=found, expected="a whole one", hint="Copy or download it again.") from None
    if unpacked is None:
        raise _too_large(name, most)
    kind = kinds.of_bytes(unpacked[:HEAD])
    if kind:
        raise refusal(name, kinds.Kind(f"{kind.name}, compressed by gzip", kind.advice))
    return unpacked


def _too_large(name: str, most: int) -> SourceError:
    return SourceError(
        name, None, found=f"more than {_size(most)}", expected=f"at most {_size(most)}", hint="Split it, or export fewer records at a time."
    )


def _size(count: int) -> str:
    """A number of bytes as people write it.

    >>> _size(536_870_912)
    '537 MB'
    """
    return f"{count / 1e6:.0f} MB" if count >= 1_000_000 else f"{count:,} bytes"


# --------------------------------------------------------------------------------------------------------------- archives

_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, KeyError, struct.error)
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The others can't be stopped while they grow."""
_TAIL = 1 << 17
_UTF_8_NAME = 0x800
_ENCRYPTED = 0x1
_UNPACKED = "unpack the archive and name the folder"


def _members(name: str, stream: IO[bytes], mapping: Mapping[str, str], limits: Limits) -> Iterator[File | Problem]:
    left = limits.archive
    with _archive(name, stream, limits) as archive:
        for info in archive.infolist():
            shown = f"{name}!{_shown(info)}"
            if problem := _left_aside(info, archive, shown) or _unread_kind(info, archive, shown):
                yield problem
                continue
            content = _member(info, archive, shown, min(left, limits.grown(info.compress_size)), limits)
            if isinstance(content, Problem):
                yield content
                continue
            left -= len(content)
            yield File(shown, content, mapping, _shown(info), limits)


def _archive(name: str, stream: IO[bytes], limits: Limits) -> zipfile.ZipFile:
    """Raises SourceError when it is damaged or holds too many files."""
    try:
        # the list itself may fill the memory
        archive = zipfile.ZipFile(stream) if _directory_size(stream) <= 1024 * limits.members else None
    except _DAMAGE as error:
        found = f"a zip archive that is damaged or cut off ({error})"
        raise SourceError(name, None, found=found, expected="a whole one", hint="Copy or download it again.") from None
    if archive is None or len(archive.infolist()) > limits.members:
        raise SourceError(name, None, found=f"an archive of more than {limits.members:,} files", expected="fewer", hint=f"{_UNPACKED.capitalize()}.")
    return archive


def _directory_size(stream: IO[bytes]) -> int:
    """Bytes of the list of members, as the end of the archive says."""
    size = stream.seek(0, SEEK_END)
    stream.seek(max(0, size - _TAIL))
    tail = stream.read()
    sizes = [0]
    for signature, at, width in ((b"PK\x05\x06", 12, 4), (b"PK\x06\x06", 40, 8)):
        if (end := tail.rfind(signature)) >= 0:
            sizes.append(int.from_bytes(tail[end + at : end + at + width], "little"))
    stream.seek(0)
    # one that is larger than the file is a fault, or a sign that the other one counts
    return max(listed for listed in sizes if listed <= size)


def _shown(info: zipfile.ZipInfo) -> str:
    """The name of a member: as UTF-8 also where it forgot to say so, and without characters that would do things to a terminal."""
    name = info.filename
    if not info.flag_bits & _UTF_8_NAME:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return "".join(character if character.isprintable() else "\ufffd" for character in name.replace("\\", "/")) or "(nameless)"


def _left_aside(info: zipfile.ZipInfo, archive: zipfile.ZipFile, shown: str) -> Problem | None:
    """Why a member is not even looked at."""
    parts = PurePosixPath(_shown(info)).parts
    if info.filename.endswith("/"):  # is_dir() fails for a nameless one
        return Problem(shown, None, "a folder", Trouble.IGNORED)
    if any(part == "__MACOSX" or (part.startswith(".") and part.strip(".")) for part in parts):
        return Problem(shown, None, "a hidden file", Trouble.IGNORED)
    if stat.S_ISLNK(info.external_attr >> 16):
        return Problem(shown, None, "a link", Trouble.IGNORED)
    if archive.NameToInfo.get(info.filename) is not info:
        return Problem(shown, None, "an older one of two files with this name", Trouble.IGNORED)
    if info.flag_bits & _ENCRYPTED:
        return Problem(shown, None, f"it is encrypted: {_UNPACKED}", Trouble.FAILED)
    if info.compress_type not in _METHODS:
        return Problem(shown, None, f"compressed in an unusual way (method {info.compress_type}): {_UNPACKED}", Trouble.FAILED)
    return None


def _unread_kind(info: zipfile.ZipInfo, archive: zipfile.ZipFile, shown: str) -> Problem | None:
    """Is it a kind of file that is no text? Looks at its first part only, since archives hold large PDFs."""
    try:
        with archive.open(info) as member:
            kind = kinds.of_bytes(member.read(HEAD), suffix_of(shown))
    except _DAMAGE as error:
        return _damaged(shown, error)
    return Problem(shown, None, f"{kind.name}: {kind.advice}", Trouble.IGNORED) if kind and kind is not kinds.GZIP else None


def _member(info: zipfile.ZipInfo, archive: zipfile.ZipFile, shown: str, most: int, limits: Limits) -> bytes | Problem:
    try:
        with archive.open(info) as member:
            content = _read(member, most)
        if content is None:
            raise _too_large(shown, most)
        return _gunzipped(shown, content, limits) if kinds.of_bytes(content[:HEAD]) is kinds.GZIP else content
    except _DAMAGE as error:
        return _damaged(shown, error)
    except SourceError as error:
        return Problem(shown, None, error.what, Trouble.FAILED)


def _damaged(shown: str, error: Exception) -> Problem:
    return Problem(shown, None, f"it is damaged ({str(error) or 'it ends too early'}): copy or download the archive again", Trouble.FAILED)
