"""Paths that a person names -> files, and files -> papers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rag_qa.papers import Paper
from rag_qa.sources import documents, plain, records
from rag_qa.sources.reader import FORMATS, Document, Format, Problem, Trouble, register

for _format_of_a_module in (plain.FORMAT,):
    register(_format_of_a_module)


def find(paths: Sequence[str | Path]) -> Iterator[Path | Problem]:
    """Every file that the paths mean, each once, absolute, folders in sorted order; what can't be read is a Problem.

    A file that is named itself is always read, whatever its suffix; in folders only files of a known format are, and the others are a Problem
    of kind IGNORED (hidden ones are not even mentioned).
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
            yield Problem(_shown(path), None, "no such file or folder", Trouble.FAILED)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other
        yield Problem(_shown(path), None, f"can't be opened: {getattr(error, 'strerror', None) or error}", Trouble.FAILED)


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
        yield Problem(_shown(folder), None, f"the folder holds no file; put files with abstracts into it ({_known()})", Trouble.FAILED)


def _in_folder_checked(path: Path) -> Path | Problem:
    if path.is_symlink() and path.is_dir():
        return Problem(_shown(path), None, "a link to another folder; name that folder itself to read it", Trouble.IGNORED)
    if path.suffix.lower() not in _suffixes():
        return Problem(
            _shown(path), None, f"not a known format in a folder ({_known()}); name the file itself to read it as plain text", Trouble.IGNORED
        )
    return _checked(path)


def _checked(path: Path) -> Path | Problem:
    if not path.exists():
        return Problem(_shown(path), None, "a link that leads nowhere", Trouble.FAILED)
    if not path.is_file():
        return Problem(_shown(path), None, "not a file (a pipe or a device): save what it gives into a file and name that", Trouble.FAILED)
    if _shown(path) != str(path):
        return Problem(_shown(path), None, "the name of the file is not UTF-8: rename it", Trouble.FAILED)
    return path


def _unopened(error: OSError) -> Problem:
    return Problem(_shown(Path(error.filename)), None, f"can't be opened: {error.strerror}", Trouble.FAILED)


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "replace").decode()


def _known() -> str:
    return ", ".join(sorted(_suffixes()))


def _suffixes() -> frozenset[str]:
    return frozenset(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)


def has_gone(path: str) -> bool:
    """Is there certainly no such file any more? (One that may not be looked at is there.)"""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def read(path: Path, *, mapping: Mapping[str, str] | None = None, language: str = "en") -> Iterator[Paper | Problem]:
    """What a file holds, in its order: papers (those without an abstract too), and a Problem for each record that was left out or put right.

    Raises SourceError, also in the middle, when the file as a whole can't be read.
    """
    for document in documents.opened(path, mapping):
        for raw in _format(document).read(document):
            if isinstance(raw, Problem):
                yield raw
            else:
                yield from records.paper(raw, document.path, language=language)


def _format(document: Document) -> Format:
    """By content, and where that does not tell, by name; what nothing claims is plain text."""
    head = document.head()
    claimed = [format_ for format_ in FORMATS.values() if format_.claims(head)]
    named = [format_ for format_ in FORMATS.values() if document.suffix in format_.suffixes]
    return next(iter(claimed or named), plain.FORMAT)
