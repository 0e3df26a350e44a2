"""The retriever over a small real index: what it finds, in which order, and what it says of each hit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from rag_qa import text
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import ConnectionRefused, EmptyIndexError
from rag_qa.index.store import Store
from rag_qa.papers import Origin, Paper
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.retriever import Retriever
from tests.index.making import update

TOPICS = ("tide", "moss", "wolf", "snow")


class TopicEmbedder:
    """A text becomes the unit vector of how often it speaks of each topic. A token is a word."""

    name = "topics"
    dimensions = len(TOPICS) + 1
    max_tokens = 12

    def __init__(self, *, is_down: bool = False) -> None:
        self.is_down = is_down

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_down:
            raise ConnectionRefused("http://127.0.0.1:9/v1 does not answer")
        raw = np.array([[*(one.casefold().count(topic) for topic in TOPICS), 0.1] for one in texts], np.float32).reshape(len(texts), self.dimensions)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


def paper(name: str, abstract: str, **known: object) -> Paper:
    """A paper as it was read from a file."""
    return Paper(name, abstract, origins=(Origin("sea.txt", 1),), **known)  # type: ignore[arg-type]


TIDE = paper("p1", "Tide follows tide in the bay. A gauge counts each tide twice. Boats wait for the tide at noon.", year=2024, venue="ICLR")
MOSS = paper("p2", "Moss grows on stone. Wet moss is soft. Old moss is dry. The gauge of moss is a ruler. Moss needs no roots at all.", year=2021)
WOLF = paper("p3", "A wolf walks through snow. The wolf is grey.", title="Zanzibar", venue="Bog Letters", collection="Land")
BARE = paper("p4", "Nothing of all this is told in here.")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An index of four papers."""
    store = Store(tmp_path / "index", TopicEmbedder())
    update(store, {"sea.txt": [TIDE, MOSS, WOLF, BARE]})
    return store


@pytest.fixture
def retriever(store: Store) -> Retriever:
    """Searches it."""
    return Retriever(store, TopicEmbedder())


def found(hits: Sequence[Hit]) -> list[str]:
    """Which papers were hit."""
    names = {one.abstract: one.id for one in (TIDE, MOSS, WOLF, BARE)}
    return [names[hit.paper.abstract] for hit in hits]


def test_the_paper_that_speaks_of_it_comes_first(retriever: Retriever) -> None:
    assert found(retriever.search("When is the tide?", k=4))[0] == "p1"
    assert found(retriever.search("soft moss", k=4))[0] == "p2"
    assert found(retriever.search("Are there wolves? A wolf?", k=4))[0] == "p3"


def test_a_hit_says_how_it_was_found(retriever: Retriever) -> None:
    first, *others = retriever.search("a gauge for the tide", k=4)
    assert first.paper == TIDE
    assert first.rank == 1
    assert first.ranks == {"keyword": 1, "dense": 1}
    assert first.scores["keyword"] > 0
    assert 0 < first.scores["dense"] <= 1
    assert first.matched == ("gauge", "tide")
    assert [hit.rank for hit in others] == [2, 3, 4]
    by_words = next(hit for hit in others if hit.paper == MOSS)
    assert by_words.matched == ("gauge",)
    assert next(hit for hit in others if hit.paper == BARE).matched == ()
    assert "keyword" not in next(hit for hit in others if hit.paper == BARE).ranks


def test_scores_are_shares_that_fall(retriever: Retriever) -> None:
    for question in ("tide", "gauge moss", "what is it?", "xylophone"):
        scores = [hit.score for hit in retriever.search(question, k=10)]
        assert scores == sorted(scores, reverse=True)
        assert all(0.0 <= score <= 1.0 for score in scores)


def test_no_paper_comes_twice_and_no_more_than_there_are(retriever: Retriever) -> None:
    assert sorted(found(retriever.search("moss", k=100))) == ["p1", "p2", "p3", "p4"]
    assert len(retriever.search("moss", k=1)) == 1


def test_at_most_three_passages_the_nearest_first_each_a_slice(retriever: Retriever) -> None:
    hit = retriever.search("Why is moss dry?", k=1)[0]
    assert hit.paper == MOSS
    assert 1 < len(hit.passages) <= 3
    assert len({passage.id for passage in hit.passages}) == len(hit.passages)
    for passage in hit.passages:
        assert MOSS.abstract[passage.start : passage.end] == passage.text


def test_a_title_is_searched_too(retriever: Retriever) -> None:
    (hit,) = [hit for hit in retriever.search("zanzibar", k=4) if "keyword" in hit.ranks]
    assert hit.paper == WOLF
    assert hit.matched == ("zanzibar",)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(year_from=2022), {"p1"}),
        (Filters(year_to=2022), {"p2"}),
        (Filters(year_from=2021, year_to=2024), {"p1", "p2"}),
        (Filters(venue="bog letters"), {"p3"}),
        (Filters(collection="LAND"), {"p3"}),
        (Filters(venue="ICLR", year_from=2024), {"p1"}),
        (Filters(venue="nowhere"), set()),
        (Filters(), {"p1", "p2", "p3", "p4"}),
    ],
)
def test_filters_keep_what_they_accept_in_both_rankings(retriever: Retriever, filters: Filters, expected: set[str]) -> None:
    for question in ("gauge tide moss wolf", "what is it?"):
        hits = retriever.search(question, k=10, filters=filters)
        assert set(found(hits)) == expected
        assert all(filters.accepts(hit.paper) for hit in hits)


@pytest.mark.parametrize("question", ["what is it?", "???", "of the", "gauge:(", '"tide', "tide AND (moss", "😀 tide", "tide\ttide\n"])
def test_any_question_finds_something(retriever: Retriever, question: str) -> None:
    assert len(retriever.search(question, k=2)) == 2


def test_the_same_search_twice_and_after_opening_again(retriever: Retriever, store: Store) -> None:
    first = retriever.search("gauge moss snow", k=4)
    assert retriever.search("gauge moss snow", k=4) == first
    assert Retriever(Store(store.folder, TopicEmbedder()), TopicEmbedder()).search("gauge moss snow", k=4) == first


def test_a_paper_that_left_is_not_found(retriever: Retriever, store: Store) -> None:
    update(store, {"sea.txt": [TIDE, WOLF]})
    assert set(found(retriever.search("moss", k=10))) == {"p1", "p3"}


def test_an_empty_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmptyIndexError):
        Retriever(Store(tmp_path / "none", TopicEmbedder()), TopicEmbedder()).search("tide", k=1)


def test_an_embedder_that_is_down_is_reported(store: Store) -> None:
    with pytest.raises(ConnectionRefused):
        Retriever(store, TopicEmbedder(is_down=True)).search("tide", k=1)


def test_each_word_of_a_question_says_in_how_many_papers_it_stands(retriever: Retriever) -> None:
    first = retriever.search("a gauge for the tide and for zanzibar", k=1)[0]
    assert first.paper == TIDE
    assert [(one.word, one.papers, one.is_matched) for one in first.asked] == [("gauge", 2, True), ("tide", 1, True), ("zanzibar", 1, False)]
    assert first.library == 4


def test_the_best_sentence_is_scored_beside_the_best_passage(retriever: Retriever) -> None:
    first = retriever.search("tide", k=1)[0]
    vectors = TopicEmbedder().embed(["tide", *(TIDE.abstract[a:b] for a, b in text.sentences(TIDE.abstract))])
    assert first.scores["sentence"] == pytest.approx(float((vectors[1:] @ vectors[0]).max()), abs=1e-3)
    assert first.scores["dense"] <= first.scores["sentence"] + 1e-3  # no passage says more of it than its best sentence


def test_a_short_form_and_what_it_stands_for_find_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "index", TopicEmbedder())
    explains = paper("p1", "We use a tide gauge network (TGN) for boats.")
    short = paper("p2", "TGN is a pile of numbers, which we read.")
    update(store, {"sea.txt": [explains, short, BARE]})
    retriever = Retriever(store, TopicEmbedder())

    by_words = next(hit for hit in retriever.search("Who reads a tide gauge network?", k=3) if hit.paper.abstract == short.abstract)
    assert by_words.also == ("tgn",)
    assert "keyword" in by_words.ranks
    spelled_out = next(hit for hit in retriever.search("What is in the TGN?", k=3) if hit.paper.abstract == explains.abstract)
    assert spelled_out.also == ("tgn spelled out",)


def test_a_paper_that_is_called_by_name_comes_before_those_that_use_its_method(tmp_path: Path) -> None:
    store = Store(tmp_path / "index", TopicEmbedder())
    own = paper("p1", "We introduce MossNet, a net for wolves in snow and for boats in the bay of some other sea. It counts them.")
    uses = paper("p2", "Stone is counted with MossNet, and with MossNet again, since MossNet counts stone.")
    update(store, {"sea.txt": [own, uses, TIDE, BARE]})

    hits = Retriever(store, TopicEmbedder()).search("What is MossNet?", k=2)

    assert [hit.paper.abstract for hit in hits] == [own.abstract, uses.abstract]
    assert hits[0].scores["named"] == 1.0
    assert "named" not in hits[1].scores


def test_near_copies_take_no_place(tmp_path: Path) -> None:
    store = Store(tmp_path / "index", TopicEmbedder())
    long = "Tide follows tide in the bay and a gauge of brass counts each tide twice for the boats that wait for it from noon to night"
    first, copy = paper("p1", f"{long}."), paper("p2", f"Here {long}.")
    update(store, {"sea.txt": [first, copy, MOSS, BARE]})

    hits = Retriever(store, TopicEmbedder()).search("a gauge for the tide", k=2)

    assert {hits[0].paper.abstract, *(one.abstract for one in hits[0].copies)} == {first.abstract, copy.abstract}
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[1].copies == ()


class Narrow:
    """The same embedder with all its cosines between 0.9 and 1, as those of some models are."""

    name = "narrow"
    dimensions = TopicEmbedder.dimensions + 1
    max_tokens = TopicEmbedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        wide = TopicEmbedder().embed(texts)
        vectors: Vectors = np.concatenate([wide * 0.1**0.5, np.full((len(texts), 1), 0.9**0.5, np.float32)], axis=1)
        return vectors


def test_meaning_counts_as_much_with_an_embedder_of_narrow_cosines(tmp_path: Path) -> None:
    papers = [paper(f"p{i}", f"The {topic} of {place} is told of in {place}.") for i, (topic, place) in enumerate(PLACES)]
    orders = []
    for embedder in (TopicEmbedder(), Narrow()):
        store = Store(tmp_path / embedder.name, embedder)
        update(store, {"sea.txt": papers})
        orders.append([hit.paper.id for hit in Retriever(store, embedder).search("Which moss is told of in Oslo and Rome?", k=8)])
    assert orders[0] == orders[1]


PLACES = [(topic, place) for topic in TOPICS for place in ("Oslo", "Rome", "Bern", "Kiel", "Graz")]


class Restless(Store):
    """Somebody else changes the index between one reading of it and the next, so many times."""

    change: Callable[[], object] = staticmethod(int)
    times = 0

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        if self.times:
            self.times -= 1
            self.change()
        return super().passages(papers)


@pytest.mark.parametrize("times", [1, 2])
def test_what_changes_during_a_search_is_found_as_it_is_after_it(times: int, tmp_path: Path) -> None:
    writer = Store(tmp_path / "index", TopicEmbedder())
    old = paper("p1", "A tide rises. " * 9, title="Tides")
    new = paper("p1", "Of the tide, and of it alone, something new is said here.", title="Tides")
    update(writer, {"sea.txt": [old]})
    versions = itertools.cycle([new, old])
    reader = Restless(tmp_path / "index", TopicEmbedder())
    reader.change, reader.times = lambda: update(writer, {"sea.txt": [next(versions)]}), times

    (hit,) = Retriever(reader, TopicEmbedder()).search("tide", k=4)

    assert hit.paper.abstract == (new if times == 1 else old).abstract
    assert hit.passages
    assert all(hit.paper.abstract[passage.start : passage.end] == passage.text for passage in hit.passages)
