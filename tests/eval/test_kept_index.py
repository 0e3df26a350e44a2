"""Where the index of a benchmark lies, and when it is another one."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

from eval import kept_index


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus file."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("one\n")
    return path


def test_the_same_folder_for_the_same_corpus_and_embedder(tmp_path: Path, corpus: Path) -> None:
    found = kept_index.folder(tmp_path / "cache", "sea", corpus, "model")
    assert found.is_dir()
    assert found == kept_index.folder(tmp_path / "cache", "sea", corpus, "model")
    assert found != kept_index.folder(tmp_path / "cache", "sea", corpus, "other model")
    corpus.write_text("two\n")
    assert found != kept_index.folder(tmp_path / "cache", "sea", corpus, "model")


def test_what_no_run_has_used_for_a_day_is_removed(tmp_path: Path, corpus: Path) -> None:
    old = kept_index.folder(tmp_path / "cache", "sea", corpus, "model")
    (old / "index").mkdir()
    elsewhere = kept_index.folder(tmp_path / "cache", "sea", corpus, "other model")
    day = 24 * 3600
    for folder in (old, elsewhere):
        os.utime(folder, (time.time() - day - 60,) * 2)
    # a run that uses it makes it young again
    assert kept_index.folder(tmp_path / "cache", "sea", corpus, "model") == old
    corpus.write_text("two\n")
    kept_index.folder(tmp_path / "cache", "sea", corpus, "model")
    assert old.is_dir()
    os.utime(old, (time.time() - day - 60,) * 2)
    new = kept_index.folder(tmp_path / "cache", "sea", corpus, "model")
    assert not old.exists()
    assert new.is_dir()
    assert elsewhere.is_dir()


def _imported(path: Path) -> set[str]:
    """Modules of the product that a module imports, by their names."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("rag_qa.")}


def _file(project: Path, module: str) -> Path | None:
    path = project.joinpath(*module.split("."))
    return next((found for found in (path.with_suffix(".py"), path / "__init__.py") if found.is_file()), None)


def test_all_that_makes_an_index_is_known(project: Path) -> None:
    """What reads papers, cuts, embeds and stores them imports nothing beyond the code whose change asks for another index."""
    known = set(kept_index.code())
    reached, new = set[Path](), [path for part in ("sources", "index", "dedup") for path in (project / "rag_qa" / part).rglob("*.py")]
    new += [project / "rag_qa" / "library.py", project / "rag_qa" / "embedding" / "minilm.py"]
    while new:
        path = new.pop()
        reached.add(path)
        new += [found for name in _imported(path) if (found := _file(project, name)) and found not in reached]
    assert {path.relative_to(project).as_posix() for path in reached - known} <= {"rag_qa/__init__.py"}
    assert len(reached) > 40


def test_the_hash_of_a_file_is_that_of_its_bytes(corpus: Path) -> None:
    assert kept_index.file_hash(corpus) == "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"
