"""Needs in a person's own words: how much a question is one, and what is then compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.embedding.embedder import Vectors
from rag_qa.index.store import Near, Store
from rag_qa.retrieval import fusion, needs
from rag_qa.retrieval.retriever import Retriever
from tests.index.making import update
from tests.retrieval.test_retriever import BARE, MOSS, TIDE, WOLF, TopicEmbedder

shares = st.floats(0, 1)


class Listening(TopicEmbedder):
    """The same embedder, which remembers what it was asked for. "fur" is its word for a wolf, which no abstract has. Its name is that of the one with
    which leaning on meaning was measured.
    """

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.heard += texts
        return super().embed([text.replace("fur", "wolf") for text in texts])


@pytest.fixture
def listening() -> Listening:
    """Embeds the questions of a test."""
    return Listening()


@pytest.fixture
def retriever(tmp_path: Path, listening: Listening) -> Retriever:
    """Searches an index of four papers."""
    store = Store(tmp_path / "index", listening)
    update(store, {"sea.txt": [TIDE, MOSS, WOLF, BARE]})
    return Retriever(store, listening)


def test_a_question_with_a_word_of_the_papers_is_no_need(retriever: Retriever, listening: Listening) -> None:
    retriever.search("moss", k=4)
    assert "moss" in listening.heard
    assert needs.as_papers_say("moss") not in listening.heard


def test_a_need_is_also_embedded_as_papers_speak_of_one(retriever: Retriever, listening: Listening) -> None:
    retriever.search("my neighbour sells fur", k=4)
    assert needs.as_papers_say("my neighbour sells fur") in listening.heard


def test_a_need_finds_by_meaning_what_shares_no_word_with_it(retriever: Retriever) -> None:
    first, *_ = retriever.search("my neighbour sells fur", k=4)
    assert first.paper.abstract == WOLF.abstract


def test_only_those_who_ask_lean_on_meaning(retriever: Retriever) -> None:
    assert retriever.find("my neighbour sells fur", 4).need == 0
    assert set(retriever.find("my neighbour sells fur", 4).scores) == {"passage", "sentence", "keyword"}
    assert retriever.find("my neighbour sells fur", 4, leaning=True).need == 1
    assert retriever.find("moss", 4, leaning=True).need == 0


@given(shares, shares)
def test_more_words_make_it_less_of_a_need(one: float, other: float) -> None:
    assert needs.share([max(one, other)]) <= needs.share([min(one, other)])
    assert 0 <= needs.share([one]) <= 1


@given(st.dictionaries(st.sampled_from("abcdefghijklmnop"), shares))
def test_what_many_papers_reach_tells_none_of_them_apart(keyword: dict[str, float]) -> None:
    found = needs.ahead(keyword)
    assert found.keys() == keyword.keys()
    assert all(0 <= found[paper] <= keyword[paper] for paper in keyword)
    assert sum(score > 0 for score in found.values()) < 10


def test_a_passage_that_is_not_near_counts_as_the_last_that_is() -> None:
    near = [Near("a:0", "a", 0.75), Near("b:0", "b", 0.25)]
    assert needs.whole(near, {"a": 1, "b": 2, "c": 3}) == {"a": 0.75, "b": 0.25, "c": 0.25}
    assert needs.whole(near, {"a": 2}) == {"a": 0.5}
    assert needs.whole([], {"a": 2}) == {"a": 0.0}


@pytest.mark.parametrize("embedder", ["all-MiniLM-L6-v2-int8", "wordllama-l2-supercat-256"])
def test_weights_go_over_from_one_to_the_other(embedder: str) -> None:
    plain, leaning = fusion.weights(embedder), fusion.weights(embedder, 1.0)
    between = fusion.weights(embedder, 0.25)
    assert fusion.weights(embedder, 0.0) == plain
    assert {name: weight for name, weight in leaning.items() if weight} == fusion.IN_OWN_WORDS
    assert between["keyword"] == pytest.approx(0.75 * plain["keyword"])
    assert between["whole"] == pytest.approx(0.25 * leaning["whole"])
