"""Paths that a person names -> files, and files -> papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rag_qa.errors import SourceError
from rag_qa.sources import plain
from rag_qa.sources.reader import READERS, Problem, Reading, register

register(".txt", plain.read)


def find(paths: Sequence[str | Path]) -> Iterator[Path | Problem]:
    """Every file that the paths mean, each once, absolute, folders in sorted order; what can't be read is a Problem.

    A file that is named itself is always read, whatever its suffix; in folders only files of a known format are, and the others are reported.
    """
    seen: set[Path] = set()
    for given in paths:
        path = Path(given).expanduser()
        for found in _expand(path):
            key = Path(found.path) if isinstance(found, Problem) else found
            if key not in seen:
                seen.add(key)
                yield found


def _expand(path: Path) -> Iterator[Path | Problem]:
    try:
        if not path.exists():
            yield Problem(str(path), None, "no such file or folder")
        elif not path.is_dir():
            yield path.resolve()
        else:
            yield from _in_folder(path.resolve())
    except OSError as error:
        yield Problem(str(path), None, f"can't be opened: {error.strerror}")


def _in_folder(folder: Path) -> Iterator[Path | Problem]:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not any(part.startswith(".") for part in p.relative_to(folder).parts))
    if not files:
        yield Problem(str(folder), None, f"the folder holds no file; put files with abstracts into it ({', '.join(sorted(READERS))})")
    for file in files:
        if file.suffix.lower() in READERS:
            yield file
        else:
            yield Problem(str(file), None, f"not a known format in a folder ({', '.join(sorted(READERS))}); name the file itself to read it as plain text")


def read(path: Path) -> Reading:
    """Papers of one file. Raises SourceError."""
    return READERS.get(path.suffix.lower(), plain.read)(path, _decoded(path))


def _decoded(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(path, None, found=f"a file that can't be opened ({error.strerror})", expected="a readable text file") from None
    if not raw.strip():
        raise SourceError(path, None, found="an empty file", expected="abstracts, one a paragraph")
    if b"\x00" in raw:
        line = raw[: raw.index(b"\x00")].count(b"\n") + 1
        raise SourceError(path, line, found="a zero byte, so a binary file", expected="UTF-8 text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        byte = raw[error.start]
        hint = f"Convert it, for example: iconv -f LATIN1 -t UTF-8 {path.name} > converted-{path.name}"
        raise SourceError(path, line, found=f"byte 0x{byte:02x}, which is not UTF-8", expected="UTF-8 text", hint=hint) from None
