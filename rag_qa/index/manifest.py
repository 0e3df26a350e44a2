"""What built an index: kept beside it, compared before every use."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from rag_qa.chunking import CHUNKER
from rag_qa.errors import IndexingError, StaleIndexError

FORMAT = 2
"""Version of the files of an index and of the words in its keyword postings."""

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Two indexes with equal manifests can be searched by the same code and the same model."""

    embedder: str
    dimensions: int
    chunker: str = CHUNKER
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it so that a reader sees the old one or the new one, never a part."""
        temporary = folder / (NAME + ".new")
        temporary.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        os.replace(temporary, folder / NAME)

    def require(self, wanted: Manifest, folder: Path) -> None:
        """Raises StaleIndexError, naming both, unless this index is what `wanted` says."""
        for name, found, expected in (
            ("the embedding model", f"{self.embedder} ({self.dimensions} dimensions)", f"{wanted.embedder} ({wanted.dimensions} dimensions)"),
            ("the chunker", self.chunker, wanted.chunker),
            ("index format", self.format, wanted.format),
        ):
            if found != expected:
                raise StaleIndexError(
                    f"The index in {folder} was built with {name} {found}, and the settings now ask for {expected}. "
                    f"Rebuild it with: rag-qa index --rebuild   (or set RAG_QA_EMBEDDER back)"
                )


def read(folder: Path) -> Manifest | None:
    """The manifest of an index, or None when there is none. Raises IndexingError when it can't be understood."""
    try:
        return Manifest(**json.loads((folder / NAME).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, OSError) as error:
        raise IndexingError(f"{folder / NAME} can't be read ({error}): delete {folder} and run rag-qa index again") from None
