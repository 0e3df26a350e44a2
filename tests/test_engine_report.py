"""The report of an indexing run says what the index holds, whatever was read."""

from __future__ import annotations

from pathlib import Path

from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.fakes import WordCountEmbedder

ABSTRACT = "Coastal floods are hard to foresee, so we propose a model of tides that is fast."


def held(engine: Engine, *paths: str) -> tuple[int, int]:
    report = engine.index(paths)
    return report.read, report.papers


def test_a_file_that_is_missing_does_not_make_the_index_look_empty() -> None:
    Path("sea.txt").write_text(ABSTRACT)
    engine = Engine(load(), embedder=WordCountEmbedder())

    assert held(engine, "missing.txt") == (0, 0)
    assert not Path(".rag_qa").exists()
    assert held(engine, "sea.txt") == (1, 1)
    assert held(engine, "missing.txt") == (0, 1)
    assert held(Engine(load(), embedder=WordCountEmbedder()), "missing.txt") == (0, 1)
