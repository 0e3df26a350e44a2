"""What built an index, and what is said when it does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag_qa.chunking import CHUNKER
from rag_qa.errors import IndexingError, StaleIndexError
from rag_qa.index import manifest
from rag_qa.index.manifest import FORMAT, Manifest

BUILT = Manifest("MiniLM", 384)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert manifest.read(tmp_path) is None
    BUILT.write(tmp_path)

    assert manifest.read(tmp_path) == BUILT
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_the_same_builder_is_welcome(tmp_path: Path) -> None:
    BUILT.require(Manifest("MiniLM", 384), tmp_path)


def test_another_model_is_named_with_both_and_the_command() -> None:
    with pytest.raises(StaleIndexError) as error:
        BUILT.require(Manifest("openai:text-embedding-3-small", 1536), Path("/data/index"))

    assert str(error.value) == (
        "The index in /data/index was built with the embedding model MiniLM (384 dimensions), and the settings now ask for "
        "openai:text-embedding-3-small (1536 dimensions). Make it again with: rag-qa index --rebuild   (or set RAG_QA_EMBEDDER and its model back)"
    )


@pytest.mark.parametrize("other", [Manifest("MiniLM", 256), Manifest("MiniLM-2", 384)])
def test_other_dimensions_or_another_name(other: Manifest) -> None:
    with pytest.raises(StaleIndexError, match=rf"MiniLM \(384 dimensions\).*{other.embedder} \({other.dimensions} dimensions\).*index --rebuild"):
        BUILT.require(other, Path("x"))


def test_other_rules_of_cutting_are_named_with_both_and_the_command() -> None:
    with pytest.raises(StaleIndexError) as error:
        Manifest("MiniLM", 384, chunker="sentences-0").require(BUILT, Path("x"))

    assert str(error.value) == (
        f"The index in x was cut into passages by other rules (sentences-0) than those of this version of rag_qa ({CHUNKER}). "
        "Make it again with: rag-qa index --rebuild"
    )


def test_another_format_is_named_with_both_and_what_to_do() -> None:
    with pytest.raises(StaleIndexError) as error:
        Manifest("MiniLM", 384, format=1).require(BUILT, Path("x"))

    assert str(error.value) == (
        f"The index in x was built by another version of rag_qa (format 1; this one uses format {FORMAT}). "
        "Delete the folder x and index your files again"
    )


def test_a_later_version_may_say_more(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"embedder": "MiniLM", "dimensions": 384, "chunker": "c", "format": 99, "new": [1]}))

    found = manifest.read(tmp_path)

    assert found is not None
    with pytest.raises(StaleIndexError, match="format 99"):
        found.require(BUILT, tmp_path)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"embedder": "x"}', '{"embedder": 3, "dimensions": 4, "chunker": "c", "format": 1}', "\ud800", "[" * 100_000]
)
def test_a_broken_one_is_one_clear_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(content.encode("utf-8", "surrogatepass"))

    with pytest.raises(IndexingError) as error:
        manifest.read(tmp_path)

    assert str(error.value).startswith(f"{tmp_path}/manifest.json ")
    assert str(error.value).endswith(". Make it again with: rag-qa index --rebuild")
    assert "\n" not in str(error.value)


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()

    with pytest.raises(IndexingError, match="can't be read"):
        manifest.read(tmp_path)
