"""Paths that a person names -> files, and files -> papers."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rag_qa.errors import SourceError
from rag_qa.sources import plain
from rag_qa.sources.reader import READERS, Ignored, Problem, Reading, register

register(".txt", plain.read)


def find(paths: Sequence[str | Path]) -> Iterator[Path | Problem]:
    """Every file that the paths mean, each once, absolute, folders in sorted order; what can't be read is a Problem.

    A file that is named itself is always read, whatever its suffix; in folders only files of a known format are, and the others are Ignored
    (hidden ones are not even mentioned).
    """
    seen: set[str] = set()
    for given in paths:
        for found in _expand(Path(given).expanduser()):
            # one file may be reached by several names
            key = found.path if isinstance(found, Problem) else os.path.realpath(found)
            if key not in seen:
                seen.add(key)
                yield found


def _expand(path: Path) -> Iterator[Path | Problem]:
    try:
        if path.is_dir():
            yield from _in_folder(path.resolve())
        elif path.exists() or path.is_symlink():
            yield _checked(path.parent.resolve() / path.name)
        else:
            yield Problem(_shown(path), None, "no such file or folder")
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other
        yield Problem(_shown(path), None, f"can't be opened: {getattr(error, 'strerror', None) or error}")


def _in_folder(folder: Path) -> Iterator[Path | Problem]:
    problems: list[Problem] = []
    is_empty = True
    for parent, folders, names in os.walk(folder, onerror=lambda error: problems.append(_unopened(error))):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted([*names, *links]):
            if not name.startswith("."):
                is_empty = False
                yield _in_folder_checked(Path(parent, name))
    yield from problems
    if is_empty and not problems:
        yield Problem(_shown(folder), None, f"the folder holds no file; put files with abstracts into it ({_known()})")


def _in_folder_checked(path: Path) -> Path | Problem:
    if path.is_symlink() and path.is_dir():
        return Ignored(_shown(path), None, "a link to another folder; name that folder itself to read it")
    if path.suffix.lower() not in READERS:
        return Ignored(_shown(path), None, f"not a known format in a folder ({_known()}); name the file itself to read it as plain text")
    return _checked(path)


def _checked(path: Path) -> Path | Problem:
    if not path.exists():
        return Problem(_shown(path), None, "a link that leads nowhere")
    if not path.is_file():
        return Problem(_shown(path), None, "not a file (a pipe or a device): save what it gives into a file and name that")
    if _shown(path) != str(path):
        return Problem(_shown(path), None, "the name of the file is not UTF-8: rename it")
    return path


def _unopened(error: OSError) -> Problem:
    return Problem(_shown(Path(error.filename)), None, f"can't be opened: {error.strerror}")


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "replace").decode()


def _known() -> str:
    return ", ".join(sorted(READERS))


def has_gone(path: str) -> bool:
    """Is there certainly no such file any more? (One that may not be looked at is there.)"""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def read(path: Path) -> Reading:
    """Papers of one file. Raises SourceError."""
    return READERS.get(path.suffix.lower(), plain.read)(path, _decoded(path))


def _decoded(path: Path) -> str:
    try:
        raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise SourceError(path, None, found=f"a file that can't be opened ({error.strerror})", expected="a readable text file") from None
    if not raw.strip():
        raise SourceError(path, None, found="an empty file", expected="abstracts, one a paragraph")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(path, 1, found="UTF-16 text", expected="UTF-8 text", hint=_conversion(path, "UTF-16"))
    if b"\x00" in raw:
        raise SourceError(path, _line(raw, raw.index(b"\x00")), found="a zero byte, so a binary file", expected="UTF-8 text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x}, which is not UTF-8"
        raise SourceError(path, _line(raw, error.start), found=found, expected="UTF-8 text", hint=_conversion(path, "LATIN1")) from None


def _line(raw: bytes, at: int) -> int:
    """The line of a byte, from 1; a line ends with CR LF, LF or CR."""
    return raw[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1


def _conversion(path: Path, encoding: str) -> str:
    return f"Convert it, for example: iconv -f {encoding} -t UTF-8 {path.name} > converted-{path.name}"
