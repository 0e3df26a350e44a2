"""The plain rankings, worked by hand over a tiny index, and the two ways to put rankings together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.embedders import Clocked
from eval.rankings import DENSE, KEYWORD, MIN_MAX, PLAIN, RRF, Parts, min_max, rrf
from rag_qa.embedding.embedder import Vectors
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.eval.making import write_beir

RANKING = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 30), max_size=8).map(
    lambda scores: sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
)


class Directions:
    """A text that speaks of the sea points to the right, any other one up; more words turn it a little to the middle. A token is a word."""

    name = "directions"
    dimensions = 2
    max_tokens = 8

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        aside = [0.01 * len(text.split()) for text in texts]
        raw = np.array([(1, a) if "sea" in t.lower() else (a, 1) for t, a in zip(texts, aside, strict=True)], np.float32).reshape(len(texts), 2)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


def _indexed(folder: Path, abstracts: Sequence[str]) -> Path:
    """A data folder with an index of these abstracts."""
    corpus = write_beir(folder / "beir", [(str(number), "", abstract) for number, abstract in enumerate(abstracts)], {}, []) / "corpus.jsonl"
    Engine(load(data_dir=folder / "data"), embedder=Directions()).index([corpus])
    return folder / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index of four abstracts; that of the sea has two passages."""
    whales = "Whales cross the sea in groups. They sing at night near ice floes."
    return _indexed(tmp_path, [whales, "Foxes hunt at night.", "Owls hunt mice.", "Fog hides owls and mice."])


def _first_words(folder: Path, ranking: Sequence[tuple[str, float]]) -> list[str]:
    labels = {paper.id: paper.abstract.split()[0] for paper in Engine(load(data_dir=folder), embedder=Directions()).papers()}
    return [labels[paper] for paper, _ in ranking]


def test_each_part_alone(folder: Path) -> None:
    found = Parts(folder, Clocked(Directions())).rank("Which animals of the sea hunt at night?", 10)
    assert tuple(found) == PLAIN
    # "hunt" and "night" in a short text, in one with more words, and "hunt" alone; no word of the question stands in the last
    assert _first_words(folder, found[KEYWORD].ranking) == ["Foxes", "Whales", "Owls"]
    # the passage that speaks of the sea is near, of the others the longest is nearest
    assert _first_words(folder, found[DENSE].ranking) == ["Whales", "Fog", "Foxes", "Owls"]
    assert _first_words(folder, found[RRF].ranking)[0] == "Whales"
    assert _first_words(folder, found[MIN_MAX].ranking)[0] == "Whales"


def test_a_paper_of_many_passages_takes_one_place(folder: Path) -> None:
    ranking = Parts(folder, Clocked(Directions())).rank("the sea", 10)[DENSE].ranking
    assert len({paper for paper, _ in ranking}) == len(ranking) == 4


def test_depth_bounds_every_ranking(folder: Path) -> None:
    found = Parts(folder, Clocked(Directions())).rank("What hunts mice at night in the sea?", 2)
    assert {name: len(one.ranking) for name, one in found.items()} == dict.fromkeys(PLAIN, 2)


def test_enough_passages_are_looked_at_for_the_papers_that_are_wanted(tmp_path: Path) -> None:
    many = " ".join(f"The sea number {number} has waves and wind." for number in range(30))
    data = _indexed(tmp_path, [many, "Foxes hunt at night.", "Owls hunt mice."])
    # the first 30 passages are all of one paper
    assert len(Parts(data, Clocked(Directions())).rank("the sea", 3)[DENSE].ranking) == 3


def test_the_vector_of_a_question_is_made_once_and_paid_for_by_all_that_need_it(folder: Path) -> None:
    inner = Directions()
    clocked = Clocked(inner)
    found = Parts(folder, clocked).rank("What hunts?", 10)
    assert inner.calls == [["What hunts?"]]
    embedding = clocked.seconds("What hunts?")
    assert embedding > 0
    assert found[DENSE].seconds > embedding
    assert found[RRF].seconds > found[KEYWORD].seconds + found[DENSE].seconds
    assert found[MIN_MAX].seconds > found[KEYWORD].seconds + found[DENSE].seconds


def test_a_clocked_embedder_gives_what_the_other_gives() -> None:
    inner = Directions()
    clocked = Clocked(inner)
    texts = ["the sea", "a fox", "the sea", "an owl at night"]
    assert clocked.embed(texts).tobytes() == Directions().embed(texts).tobytes()
    assert clocked.embed([]).shape == (0, 2)
    assert (clocked.name, clocked.dimensions, clocked.max_tokens, clocked.count_tokens("a fox")) == ("directions", 2, 8, 2)
    clocked.embed(["a fox", "new"])
    assert inner.calls == [["the sea", "a fox", "an owl at night"], [], ["new"]]


def test_rrf_worked_by_hand() -> None:
    found = rrf([[("a", 9.0), ("b", 8.0), ("c", 1.0)], [("c", 0.9), ("d", 0.1)]])
    assert [paper for paper, _ in found] == ["c", "a", "b", "d"]
    assert dict(found) == pytest.approx({"a": 1 / 61, "b": 1 / 62, "c": 1 / 63 + 1 / 61, "d": 1 / 62})


def test_min_max_worked_by_hand() -> None:
    found = min_max([[("a", 12.0), ("b", 9.0), ("c", 4.0)], [("c", 0.9), ("a", 0.8), ("d", 0.5)]])
    # a: (1 + 0.75) / 2, b: (5/8 + 0) / 2, c: (0 + 1) / 2
    assert found == [("a", pytest.approx(0.875)), ("c", 0.5), ("b", 0.3125), ("d", 0.0)]


def test_scores_that_do_not_differ_are_the_best_there_is() -> None:
    assert min_max([[("a", 3.0), ("b", 3.0)], []]) == [("a", 0.5), ("b", 0.5)]
    assert min_max([[], []]) == rrf([[], []]) == []


@given(RANKING, RANKING)
def test_fusion_holds_each_paper_once_and_does_not_care_which_ranking_comes_first(
    one: list[tuple[str, float]], other: list[tuple[str, float]]
) -> None:
    for fuse in (rrf, min_max):
        found = fuse([one, other])
        assert sorted(paper for paper, _ in found) == sorted({paper for paper, _ in [*one, *other]})
        assert dict(found) == pytest.approx(dict(fuse([other, one])))
        assert all(0 <= score <= 1 for _, score in found)
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
