"""What built an index: kept beside it, compared before every use."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rag_qa.chunking import CHUNKER
from rag_qa.errors import IndexingError, StaleIndexError

FORMAT = 6
"""Version of the files of an index, of what the readers make of a file, and of the words in its keyword postings."""

NAME = "manifest.json"
_REBUILD = "Make it again with: rag-qa index --rebuild"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Two indexes whose manifests differ in `build` alone can be searched by the same code and the same model.

    `build`: made anew whenever the vectors are, so that it names them wherever they lie.
    """

    embedder: str
    dimensions: int
    chunker: str = CHUNKER
    format: int = FORMAT
    build: str = ""

    def write(self, folder: Path) -> None:
        """Write it so that a reader sees the old one or the new one, never a part."""
        temporary = folder / (NAME + ".new")
        temporary.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        temporary.replace(folder / NAME)

    def require(self, wanted: Manifest, folder: Path) -> None:
        """Raises StaleIndexError, naming both, unless this index is what `wanted` says."""
        self.require_format(folder)
        if self.chunker != wanted.chunker:
            raise StaleIndexError(
                f"The index in {folder} was cut into passages by other rules ({self.chunker}) than those of this version of rag_qa "
                f"({wanted.chunker}). {_REBUILD}"
            )
        if (self.embedder, self.dimensions) != (wanted.embedder, wanted.dimensions):
            raise StaleIndexError(
                f"The index in {folder} was built with the embedding model {self.embedder} ({self.dimensions} dimensions), and the settings "
                f"now ask for {wanted.embedder} ({wanted.dimensions} dimensions). {_REBUILD}   (or set RAG_QA_EMBEDDER and its model back)"
            )

    def require_format(self, folder: Path) -> None:
        """Raises StaleIndexError unless this version of rag_qa can work with these files at all."""
        if self.format != FORMAT:
            raise StaleIndexError(
                f"The index in {folder} was built by another version of rag_qa (format {self.format}; this one uses format {FORMAT}). "
                f"Delete the folder {folder} and index your files again"
            )


def read(folder: Path) -> Manifest | None:
    """The manifest of an index, or None when there is none. Raises IndexingError when it can't be understood."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError, RecursionError) as error:
        raise IndexingError(f"{path} can't be read ({' '.join(str(error).split())}). {_REBUILD}") from None
    match found:
        # what a later version adds is left aside: its format is another one
        case {"embedder": str(embedder), "dimensions": int(dimensions), "chunker": str(chunker), "format": int(version)}:
            return Manifest(embedder, dimensions, chunker, version, str(found.get("build", "")))
    raise IndexingError(f"{path} does not say what built the index: found {json.dumps(found)[:80]}. {_REBUILD}")
