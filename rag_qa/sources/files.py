"""Paths that a person names -> files, and files -> papers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from rag_qa.sources import documents, kinds, records
from rag_qa.sources.documents import File
from rag_qa.sources.formats import (
    atom,
    bibtex,
    cff,
    cnki,
    cochrane,
    cssci,
    elements,
    endnote_xml,
    json_records,
    labelled,
    medline,
    note_express,
    ovid,
    plain,
    pubmed_text,
    pubmed_xml,
    refer,
    refworks,
    ris,
    table,
    web_of_science,
)
from rag_qa.sources.reader import FORMATS, Format, Problem, Trouble, register

# In the order in which they are asked whether a file is theirs: what can't be mistaken first.
for _format_of_a_module in (
    pubmed_xml.FORMAT,
    endnote_xml.FORMAT,
    atom.FORMAT,
    json_records.FORMAT,
    cff.FORMAT,
    web_of_science.FORMAT,
    medline.FORMAT,
    pubmed_text.FORMAT,
    ovid.FORMAT,
    note_express.FORMAT,
    cnki.FORMAT,
    cssci.FORMAT,
    cochrane.FORMAT,
    refworks.FORMAT,
    ris.FORMAT,
    refer.FORMAT,
    bibtex.FORMAT,
    table.FORMAT,
    plain.FORMAT,
    plain.MARKDOWN,
):
    register(_format_of_a_module)

STDIN = Path("-")
"""How standard input is named among paths; a file of that name is ./-"""

_ARCHIVES = (".gz", ".zip")
_NOT_ABSTRACTS = frozenset("authors changelog code_of_conduct contributing copying install licence license notice readme security todo".split())
"""Names of texts that lie in many folders; they are read when they are named themselves."""

_BY_ITS_NAME = "by its name not a list of papers; name the file itself to read it"


def find(paths: Sequence[str | Path]) -> Iterator[Path | Problem]:
    """Every file that the paths mean, each once, absolute, folders in sorted order; what can't be read is a Problem.

    A file that is named itself is always read, whatever its suffix; in folders only files of a known format (by name or by content) and archives
    are, and the others are a Problem of kind IGNORED that says what they are (hidden ones are not even mentioned). "-" is STDIN and stays as it is.
    """
    seen: set[str] = set()
    for given in paths:
        for found in _expand(given):
            # one file may be reached by several names
            key = found.path if isinstance(found, Problem) else os.path.realpath(found)
            if key not in seen:
                seen.add(key)
                yield found


def _expand(given: str | Path) -> Iterator[Path | Problem]:
    if str(given) == str(STDIN):
        yield STDIN
        return
    path = Path(given).expanduser()
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
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not _is_index(Path(parent, name)))
        for name in sorted([*names, *links]):
            if not name.startswith("."):
                is_empty = False
                yield _in_folder_checked(Path(parent, name))
    yield from problems
    if is_empty and not problems:
        yield Problem(_shown(folder), None, f"the folder holds no file; put files with references or abstracts into it ({_known()})", Trouble.FAILED)


def _is_index(folder: Path) -> bool:
    """Is it an index of ours? Its files are no papers."""
    return (folder / "catalog.db").exists() and (folder / "manifest.json").exists()


def _in_folder_checked(path: Path) -> Path | Problem:
    if path.is_symlink() and path.is_dir():
        return Problem(_shown(path), None, "a link to another folder; name that folder itself to read it", Trouble.IGNORED)
    checked = _checked(path)
    return checked if isinstance(checked, Problem) else _unless_other(path) or path


def _unless_other(path: Path) -> Problem | None:
    """The Problem that a file of a folder is of no known format."""
    if _is_about_the_folder(path.name):
        return Problem(_shown(path), None, _BY_ITS_NAME, Trouble.IGNORED)
    if path.suffix.lower() in _ARCHIVES or documents.suffix_of(path.name) in _suffixes():
        return None
    what = _other(path)
    return Problem(_shown(path), None, what, Trouble.IGNORED) if what else None


def _is_about_the_folder(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.stem in _NOT_ABSTRACTS and path.suffix in ("", *plain.FORMAT.suffixes, *plain.MARKDOWN.suffixes)


def _other(path: Path) -> str | None:
    """What a file is that no format knows; None: a format knows it, or it has to be opened to say why not."""
    try:
        part = documents.peek(path)
        kind = kinds.of_bytes(part.content, part.suffix)
        if kind is kinds.ZIP:
            return None
        if kind:
            return f"{kind.name}: {kind.advice}"
        head = part.head()
    except SourceError:
        return None
    recognised = _format(head, part.suffix)
    return None if isinstance(recognised, Format) else f"{recognised.name}: {recognised.advice}"


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


def listed() -> Iterator[tuple[str, str]]:
    """(name of a format, suffixes that its files usually have) for each, in the order of their names; for the help and the documents."""
    for name in sorted(FORMATS, key=str.lower):
        yield name, " ".join(FORMATS[name].suffixes)


def has_gone(path: str) -> bool:
    """Is there certainly no such file any more? (One that may not be looked at is there.)"""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def fingerprint(path: Path) -> str:
    """The SHA-256 of the bytes of a file, in hexadecimal: as long as it is the same, so is what is read. Raises SourceError."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(path, None, found=f"a file that can't be opened ({error.strerror})", expected="a readable file") from None


def read(path: Path, *, mapping: Mapping[str, str] | None = None, language: str = "en") -> Iterator[Paper | Problem]:
    """What a file holds, in its order: papers (those without an abstract too), and a Problem for each record that was left out or put right.

    Of an archive, a file that can't be read is a Problem of kind FAILED, and the others are read. `mapping`: field -> the file's own name for it.
    `language`: ISO 639-1, in which abstracts are read where a record has several.
    Raises SourceError, also in the middle, when the file as a whole can't be read: then nothing of it counts.
    """
    return _papers(documents.opened(path, mapping), str(path), language)


def read_stream(stream: BinaryIO, *, mapping: Mapping[str, str] | None = None, language: str = "en") -> Iterator[Paper | Problem]:
    """What standard input holds; like `read`. It is shown as <stdin>."""
    return _papers(documents.received(stream, mapping), documents.STDIN, language)


def _papers(opened: Iterator[File | Problem], name: str, language: str) -> Iterator[Paper | Problem]:
    has_any = False
    for document in opened:
        for result in _results(document, language):
            has_any = has_any or not isinstance(result, Problem) or result.kind not in (Trouble.IGNORED, Trouble.REPAIRED)
            yield result
    if not has_any:
        raise SourceError(name, None, found="no record in it", expected=f"at least one, in a format that is known ({_known()})")


def _results(document: File | Problem, language: str) -> Iterable[Paper | Problem]:
    if isinstance(document, Problem):
        return (document,)
    return _of_member(document, language) if document.member else _of_file(document, language)


def _of_file(document: File, language: str) -> Iterator[Paper | Problem]:
    head = document.head()
    recognised = _format(head, document.suffix)
    if recognised is UNKNOWN and plain.reads_as_prose(head):
        recognised = plain.FORMAT
    if isinstance(recognised, kinds.Kind):
        raise documents.refusal(document.path, recognised)
    yield from _in_format(document, recognised, language)


def _of_member(document: File, language: str) -> list[Paper | Problem]:
    """All at once, since nothing of a file counts that turns out to be unreadable in its middle."""
    if _is_about_the_folder(document.member):
        return [Problem(document.path, None, _BY_ITS_NAME, Trouble.IGNORED)]
    try:
        recognised = _format(document.head(), document.suffix)
        if isinstance(recognised, kinds.Kind):
            return [Problem(document.path, None, f"{recognised.name}: {recognised.advice}", Trouble.IGNORED)]
        return list(_in_format(document, recognised, language))
    except SourceError as error:
        return [Problem(document.path, error.line, error.what, Trouble.FAILED)]


def _in_format(document: File, format_: Format, language: str) -> Iterator[Paper | Problem]:
    yield from document.problems()
    for raw in format_.read(document):
        if isinstance(raw, Problem):
            yield raw
        else:
            yield from records.paper(raw, document.path, language=language)


UNKNOWN = kinds.Kind(
    "text of no known format",
    f"known are {', '.join(FORMATS)}; abstracts as plain text are paragraphs of at least {plain.MIN_WORDS} words, separated by blank lines",
)
EMPTY = kinds.Kind("an empty file", "there is nothing to read in it")


def _format(head: str, suffix: str) -> Format | kinds.Kind:
    """By content, and where that does not tell, by name. A Kind: what it is instead."""
    claimed = [format_ for format_ in FORMATS.values() if format_.claims(head)]
    named = [format_ for format_ in FORMATS.values() if suffix in format_.suffixes]
    if claimed:
        return next((format_ for format_ in claimed if format_ in named), claimed[0])
    if not head.strip():
        return EMPTY
    if kind := kinds.of_text(head):
        return kind
    if named and named[0] is not plain.FORMAT:
        return named[0]
    return _of_records(head) or (named[0] if named else UNKNOWN)


def _of_records(head: str) -> kinds.Kind | None:
    """What would be taken for prose, and is records in a format that is not known."""
    if (name := elements.root(head)) and _is_xml(head):
        return kinds.Kind(f"XML that begins with <{name}>", f"known are {elements.READABLE}: export the records as one of these, or as RIS or BibTeX")
    if labels := labelled.unknown(head):
        shown = ", ".join(repr(label) for label in labels[:4])
        return kinds.Kind(
            f"records of no known format, whose lines begin with {shown}",
            f"known are {', '.join(FORMATS)}: export them as one of these; to have the abstracts alone, save them without the other lines",
        )
    return None


def _is_xml(head: str) -> bool:
    """Is it declared, or does most of it consist of elements? A paragraph may begin with <i>."""
    lines = [line.lstrip("\ufeff \t") for line in head.splitlines() if line.strip()]
    return lines[0].startswith("<?xml") or 2 * sum(line.startswith("<") for line in lines) > len(lines) > 1
