"""Measuring at several sizes: the corpus that is made, and a small run of the whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from eval import scale
from eval.__main__ import main
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.index.making import BagEmbedder

WORDS = "tides mosses wolves storms rivers glaciers forests dunes reefs marshes".split()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A BEIR corpus of ten documents, and two that are too poor."""
    path = tmp_path / "corpus.jsonl"
    documents = [
        {
            "_id": f"d{at}",
            "title": f"On {word} and their past in region {at}",
            "text": " ".join(f"Sentence {n} on {word} is number {at * 7 + n}." for n in range(8)),
        }
        for at, word in enumerate(WORDS)
    ]
    poor = [{"_id": "x", "title": "", "text": "A long text. " * 50}, {"_id": "y", "title": "Short", "text": "Short."}]
    path.write_text("".join(json.dumps(one) + "\n" for one in [*documents, *poor]))
    return path


def records(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def test_a_corpus_is_as_large_as_is_asked_for_and_no_two_are_one_work(data: Path, tmp_path: Path) -> None:
    scale.write_corpus(tmp_path / "made" / "corpus", 45, data)

    made = records(tmp_path / "made" / "corpus")
    assert len(made) == len({str(one["title"]) for one in made}) == len({str(one["abstract"]) for one in made}) == 45
    assert made[0]["title"] == "On tides and their past in region 0"
    assert {one["year"] for one in made} == set(range(2005, 2026))

    engine = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=BagEmbedder(max_tokens=1000))
    assert engine.index([tmp_path / "made" / "corpus"]).papers == 45
    assert len(json.loads((tmp_path / "made" / "questions.json").read_text())) == 45


def test_without_data_it_is_text_that_nobody_wrote(tmp_path: Path) -> None:
    scale.write_corpus(tmp_path / "corpus", 30, tmp_path / "nowhere.jsonl")

    assert len({str(one["abstract"]) for one in records(tmp_path / "corpus")}) == 30


def test_time_is_told_by_part() -> None:
    with scale.sampled(0.005) as seconds:
        begun = time.perf_counter()
        while time.perf_counter() - begun < 0.3:
            BagEmbedder().embed(["tides"] * 10)
        scale.crossed(("a b", "A. B."), ("c d", "C. D."), 1)

    assert sum(seconds.values()) == pytest.approx(0.3, abs=0.2)
    assert set(seconds) == {"other"}  # the embedder is one of the tests'


def test_a_part_is_that_of_the_innermost_frame_of_the_program() -> None:
    code = compile("def inner(look): return look()", "/x/rag_qa/text.py", "exec")
    outer = compile("def outer(inner, look): return inner(look)", "/x/rag_qa/index/keywords.py", "exec")
    names: dict[str, object] = {}
    exec(code, names)
    exec(outer, names)
    import sys

    assert names["outer"](names["inner"], lambda: scale._part(sys._getframe())) == "keywords"  # type: ignore[operator]
    assert scale._part(None) == "other"


def test_a_small_run_of_the_whole(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["scale", "--papers", "30", "--embedder", "none", "--data", str(data), "--questions", "4"]

    assert main([*command, "--folder", str(tmp_path / "kept"), "--out", str(tmp_path / "out.json")]) == 0

    (figures,) = json.loads((tmp_path / "out.json").read_text())
    assert (figures["papers"], figures["indexed"], figures["embedder"]) == (30, 30, "none")
    assert figures["build_s"] == pytest.approx(sum(figures["build_parts_s"].values()), abs=0.5)
    assert {"vectors", "keywords"} <= set(figures["build_parts_s"])
    assert set(figures["disk_mb"]) >= {"catalogue", "vectors", "keywords"}
    assert set(figures["query_ms"]) == {"plain", "years", "venue", "years and venue"}
    assert all(0 < kind["p50"] <= kind["p95"] for kind in figures["query_ms"].values())
    assert figures["serve_mb"]["peak"] >= figures["serve_mb"]["searching"] > 50
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["papers", "30"]
    assert any(line.startswith("query_ms: plain: p50 ") for line in lines)


def test_the_likeness_of_minilm_lies_where_minilm_would_have_put_it() -> None:
    texts = [
        f"{word.capitalize()} {verb} in the {place}." for word in WORDS for verb in ("rise", "fall", "move") for place in ("north", "city", "sea")
    ]

    likeness, minilm = scale.Likeness(texts[::2]), scale.Asking()

    own = (likeness.embed(texts[1::2]) * minilm.embed(texts[1::2])).sum(axis=1)
    others = likeness.embed(texts[1::2]) @ minilm.embed(texts[1::2]).T
    assert own.mean() > others.mean() + 0.15
    assert (likeness.embed(texts[:3]) == likeness.embed(texts[:3])).all()
    assert (likeness.name, likeness.dimensions, likeness.max_tokens) == ("minilm-like", minilm.dimensions, minilm.max_tokens)
    assert likeness.count_tokens(texts[0]) == minilm.count_tokens(texts[0]) > 4


def test_a_build_that_fails_is_one_line(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kept" / "30-none" / "corpus").mkdir(parents=True)  # with nothing in it

    assert main(["scale", "--papers", "30", "--embedder", "none", "--data", str(data), "--folder", str(tmp_path / "kept")]) == 2
    assert capsys.readouterr().err.startswith("error: build ended with 1")
