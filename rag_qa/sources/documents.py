"""Files as readers see them: opened, decompressed and decoded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from rag_qa.errors import SourceError

_HEAD = 65_536
_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines takes a form feed for one too, and an editor would show another number


@dataclass(slots=True)
class File:
    """A Document over bytes that are in memory."""

    path: str
    content: bytes
    mapping: Mapping[str, str] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        """Lower case, with the dot."""
        return PurePosixPath(self.path).suffix.lower()

    def head(self) -> str:
        """The first part, decoded."""
        return self.text()[:_HEAD]

    def raw(self) -> bytes:
        """The bytes."""
        return self.content

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number from 1, line without its end)."""
        yield from enumerate(_LINE_END.split(self.text()), start=1)

    def text(self) -> str:
        """All of it, decoded. Raises SourceError."""
        raw = self.content.removeprefix(codecs.BOM_UTF8)
        if not raw.strip():
            raise SourceError(self.path, None, found="an empty file", expected="abstracts, one a paragraph")
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise SourceError(self.path, 1, found="UTF-16 text", expected="UTF-8 text", hint=self._conversion("UTF-16"))
        if b"\x00" in raw:
            raise SourceError(self.path, _line(raw, raw.index(b"\x00")), found="a zero byte, so a binary file", expected="UTF-8 text")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"byte 0x{raw[error.start]:02x}, which is not UTF-8"
            raise SourceError(self.path, _line(raw, error.start), found=found, expected="UTF-8 text", hint=self._conversion("LATIN1")) from None

    def _conversion(self, encoding: str) -> str:
        name = PurePosixPath(self.path).name
        return f"Convert it, for example: iconv -f {encoding} -t UTF-8 {name} > converted-{name}"


def opened(path: Path, mapping: Mapping[str, str] | None = None) -> Iterator[File]:
    """The documents that a file holds: itself, or what an archive holds. Raises SourceError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(path, None, found=f"a file that can't be opened ({error.strerror})", expected="a readable text file") from None
    yield File(str(path), content, mapping or {})


def _line(raw: bytes, at: int) -> int:
    """The line of a byte, from 1; a line ends with CR LF, LF or CR."""
    return raw[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
