"""Timing the index beside the bare model: a small run of the whole, and peers that are programs of a few lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from eval import indexing
from eval.__main__ import main
from eval.indexing import BARE, EMBEDDER, INDEX, SIDE_BY_SIDE, WHOLE, Measured, Work

SENTENCE_TRANSFORMERS = """
class SentenceTransformer:
    def __init__(self, folder, device):
        assert (device, open(folder + "/config.json").read()) == ("cpu", "{}")

    def encode(self, texts, normalize_embeddings, show_progress_bar):
        return [[1.0]] * (len(texts) - LOST * (len(texts) > 1))
"""
CHROMADB = """
class ONNXMiniLM_L6_V2:
    def __call__(self, texts):
        assert (self.DOWNLOAD_PATH / "onnx" / "model.onnx").read_text() == "a model"
        return [[1.0]] * len(texts)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """What the peers take for the model."""
    folder = tmp_path / "model"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_text("a model")
    for name in ("config.json", "special_tokens_map.json", "tokenizer_config.json", "tokenizer.json", "vocab.txt"):
        (folder / name).write_text("{}")
    return folder


def python(tmp_path: Path, *, lost: int = 0) -> Path:
    """A Python with other libraries of these names, one of which may lose texts."""
    packages = tmp_path / "packages"
    (packages / "chromadb" / "utils").mkdir(parents=True)
    for package in ("chromadb", "chromadb/utils"):
        (packages / package / "__init__.py").touch()
    (packages / "chromadb" / "utils" / "embedding_functions.py").write_text(CHROMADB)
    (packages / "sentence_transformers.py").write_text(f"LOST = {lost}\n{SENTENCE_TRANSFORMERS}")
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    return program


def _run(tmp_path: Path, *options: str | Path) -> int:
    return main(["indexing", "--papers", "3", "--rounds", "2", "--data", str(tmp_path / "nowhere"), *map(str, options)])


def test_the_index_and_the_peers_beside_the_bare_model(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, "--peer-python", python(tmp_path), "--peer-model", model, "--out", tmp_path / "out.json") == 0

    found = json.loads((tmp_path / "out.json").read_text())
    peers = ["sentence-transformers", "sentence-transformers: abstracts", "chromadb", "chromadb: abstracts"]
    assert list(found["timed"]) == [BARE, SIDE_BY_SIDE, EMBEDDER, INDEX, WHOLE, *peers]
    assert list(found["timed"][INDEX]["speed_of"]) == [BARE, SIDE_BY_SIDE, "sentence-transformers", "chromadb"]
    assert list(found["timed"][WHOLE]["speed_of"]) == ["sentence-transformers: abstracts", "chromadb: abstracts"]
    assert found["tokens"] > found["abstract_tokens"] > found["papers"] == 3
    assert sum(found["index_share"].values()) == pytest.approx(1.0, abs=0.01)
    said = capsys.readouterr().out
    assert said.startswith(f"3 abstracts of {found['abstract_tokens']} tokens; embedded: {found['texts']} texts of {found['tokens']} tokens")
    assert "time of an index: " in said


def test_a_peer_that_is_not_there(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program := tmp_path / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    program.chmod(0o755)

    assert _run(tmp_path, "--peer-python", program, "--peer-model", model) == 2
    expected = f"error: sentence-transformers can't be measured with {program}: ModuleNotFoundError: No module named 'sentence_transformers'\n"
    assert capsys.readouterr().err == expected


def test_a_peer_that_loses_texts_is_not_measured(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, "--peer-python", python(tmp_path, lost=1), "--peer-model", model, "--peers", "sentence-transformers") == 2
    assert "error: sentence-transformers gave " in capsys.readouterr().err


def test_what_it_needs_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, "--peer-python", sys.executable) == 2
    assert main(["indexing", "--rounds", "0"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: --peer-python needs --peer-model FOLDER: all-MiniLM-L6-v2 as its authors publish it",
        "error: --papers and --rounds must be at least 1",
    ]


def test_speeds_are_compared_within_a_round() -> None:
    work = Work(Path(), ["a", "b"], [], ["a"], tokens=100, abstract_tokens=30)
    rounds = [{BARE: 1.0, INDEX: 2.0, WHOLE: 3.0, "chromadb": 4.0}, {BARE: 30.0, INDEX: 20.0, WHOLE: 3.0, "chromadb": 10.0}]
    processor = [{name: 2 * seconds for name, seconds in one.items()} for one in rounds]
    found = indexing.figures(work, Measured(rounds, processor, {"embedding": 9.0, "reading": 1.0}))
    timed = found["timed"]

    assert found["index_share"] == {"embedding": 0.9, "reading": 0.1}

    assert timed[INDEX]["speed_of"] == {
        BARE: {"median": 1.0, "least": 0.5, "greatest": 1.5},
        "chromadb": {"median": 1.25, "least": 0.5, "greatest": 2.0},
    }
    assert (timed[BARE]["seconds"], timed[BARE]["processor_seconds"], timed[BARE]["speed_of"]) == (15.5, 31.0, {})
    assert (timed[BARE]["texts_per_second"], timed[BARE]["tokens_per_second"]) == (0.1, 6)
    assert timed[WHOLE]["tokens_per_second"] == 10


def test_what_is_timed_bare_is_what_the_index_embeds() -> None:
    model = indexing.Watched()
    model.embed(["The sea rises.", "The tide falls.", "Mosses."])

    assert model.texts == ["The sea rises.", "The tide falls.", "Mosses."]
    assert [(batch.places, batch.feed["input_ids"].shape) for batch in model.made] == [([0, 1], (2, 6)), ([2], (1, 5))]
