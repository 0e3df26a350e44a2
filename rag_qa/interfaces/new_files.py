"""A file that was not there before: written whole, or not at all."""

from __future__ import annotations

from pathlib import Path

from rag_qa.errors import RagQAError


def require_new(file: Path) -> None:
    """Say early that a file can't be made. Raises RagQAError."""
    if file.exists():
        raise RagQAError(f"{file} exists already: name a new file, or delete it first")
    if not file.absolute().parent.is_dir():
        raise RagQAError(f"{file} can't be written: there is no folder {file.absolute().parent}")


def write_new(file: Path, content: str) -> None:
    """Write a new file in UTF-8, with the line ends as they are. Raises RagQAError."""
    require_new(file)
    try:
        with file.open("x", encoding="utf-8", newline="") as out:
            out.write(content)
    except FileExistsError:
        raise RagQAError(f"{file} exists already: name a new file, or delete it first") from None
    except OSError as error:
        if file.is_file():
            file.unlink()  # nothing half-written stays
        raise RagQAError(f"{file} can't be written ({error.strerror}): name another file") from None
