"""Where the index of a benchmark lies between two runs: used again as long as neither the corpus nor what makes an index has changed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import rag_qa

MADE_BY = ("chunking.py", "dedup", "embedding", "errors.py", "index", "library.py", "onnx_door.py", "papers.py", "sources", "text.py")
"""The parts of the product that decide what an index holds. What only searches it is not among them."""

_UNUSED = 24 * 3600  # seconds after which an index of an older corpus or code is removed


def folder(cache: Path, name: str, corpus: Path, embedder: str) -> Path:
    """The data folder for the index of a corpus by an embedder; another one as soon as the corpus or the code differs.

    Indexes of the same corpus file and embedder that no run has used for a day are removed.
    """
    which = _short(str(corpus.resolve()), embedder)
    found = cache / "indexes" / f"{name}-{which}-{_short(file_hash(corpus), code_hash())}"
    found.mkdir(parents=True, exist_ok=True)
    os.utime(found)
    for other in found.parent.glob(f"{name}-{which}-*"):
        if time.time() - other.stat().st_mtime > _UNUSED:
            shutil.rmtree(other, ignore_errors=True)
    return found


def file_hash(path: Path) -> str:
    """sha256 of the bytes of a file."""
    with path.open("rb") as file:
        found = sha256()
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def code_hash() -> str:
    """sha256 of the code that makes an index."""
    found = sha256()
    for path in code():
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def code() -> Iterator[Path]:
    """The files of MADE_BY, in a fixed order."""
    root = Path(rag_qa.__file__).parent
    for part in MADE_BY:
        yield from sorted((root / part).rglob("*.py")) if (root / part).is_dir() else [root / part]


def _short(*values: str) -> str:
    return sha256("\0".join(values).encode()).hexdigest()[:8]
