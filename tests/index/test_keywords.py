"""The keyword index: BM25 as a naive scorer computes it, filters, removal, faults."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.errors import IndexBusyError, IndexingError
from rag_qa.index.keywords import KeywordIndex
from rag_qa.papers import Notice, Paper, Version

K1, B = 1.2, 0.75
CORPUS = [
    Paper("p0", "Tides rise. Tides fall, and tides rise again."),
    Paper("p1", "Mosses store carbon; tides do not."),
    Paper("p2", "k-means clustering of wolves"),
    Paper("p3", "Wolves, wolves and more wolves: means of counting them in the carbon forest by night and day."),
    Paper("p4", "Nothing of this.", title="On tides"),
]


def bm25(papers: list[Paper], terms: dict[str, float]) -> list[tuple[str, float]]:
    """BM25 in a few lines; tantivy keeps the lengths of papers exactly up to 40 terms."""
    bags = {paper.id: Counter(text.terms(paper.title or "") * 2 + text.terms(paper.abstract)) for paper in papers}
    average = sum(bag.total() for bag in bags.values()) / len(bags)
    scores: dict[str, float] = {}
    for term, weight in terms.items():
        holding = [id_ for id_, bag in bags.items() if term in bag]
        rarity = math.log(1 + (len(bags) - len(holding) + 0.5) / (len(holding) + 0.5))
        for id_ in holding:
            frequency = bags[id_][term]
            norm = K1 * (1 - B + B * bags[id_].total() / average)
            scores[id_] = scores.get(id_, 0.0) + weight * rarity * frequency * (K1 + 1) / (frequency + norm)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def check(index: KeywordIndex, papers: list[Paper], terms: dict[str, float]) -> None:
    found, expected = index.search(terms, 50), bm25(papers, terms)
    assert dict(found) == pytest.approx(dict(expected), rel=1e-4)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], rel=1e-4)


@pytest.fixture
def index(tmp_path: Path) -> KeywordIndex:
    made = KeywordIndex(tmp_path / "keywords")
    made.put(CORPUS)
    return made


@pytest.mark.parametrize("question", ["tides", "wolves carbon", "k-means", "tides rise and fall", "nothing", "of"])
def test_bm25_as_a_naive_scorer_computes_it(question: str, index: KeywordIndex) -> None:
    terms = text.terms(question)

    check(index, CORPUS, dict.fromkeys(terms, 1.0))
    check(index, CORPUS, {term: 0.5 + i for i, term in enumerate(terms)})


WORDS = st.lists(st.sampled_from(["tide", "moss", "wolf", "k-mean", "carbon"]), min_size=1, max_size=15).map(" ".join)


@settings(max_examples=15)
@given(abstracts=st.lists(WORDS, min_size=1, max_size=6), question=WORDS)
def test_bm25_for_any_corpus(abstracts: list[str], question: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    papers = [Paper(f"p{i}", abstract) for i, abstract in enumerate(abstracts)]
    index = KeywordIndex(tmp_path_factory.mktemp("any"))
    index.put(papers)

    check(index, papers, dict.fromkeys(text.terms(question), 1.0))


def test_what_was_edited_or_removed_counts_until_all_is_written_anew(index: KeywordIndex) -> None:
    index.put(CORPUS[:2])
    index.delete_papers(["p3"])
    assert (len(index), index.deleted) == (4, 3)
    assert not [id_ for id_, _ in index.search({"wolv": 1.0}, 5) if id_ == "p3"]

    kept = [CORPUS[0], CORPUS[1], CORPUS[2], CORPUS[4]]
    index.replace_all(kept)

    assert (len(index), index.deleted) == (4, 0)
    check(index, kept, {"tide": 1.0, "carbon": 1.0, "wolv": 1.0})
    assert index.document_frequency("tide") == 3


def test_papers_with_one_score_come_in_the_order_of_their_ids(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path)
    same = [Paper(f"p{i:02}", "Tides rise.") for i in range(30)]
    for part in (same[20:], same[:10], same[10:20]):
        index.put(part)

    assert [id_ for id_, _ in index.search({"tide": 1.0}, 5)] == ["p00", "p01", "p02", "p03", "p04"]


def test_nothing_is_found_where_nothing_is(index: KeywordIndex, tmp_path: Path) -> None:
    assert index.search({}, 5) == []
    assert index.search({"tide": 1.0}, 0) == []
    assert index.search({"unheard": 1.0}, 5) == []
    nowhere = KeywordIndex(tmp_path / "nowhere")
    assert (nowhere.search({"tide": 1.0}, 5), len(nowhere), nowhere.document_frequency("tide"), nowhere.deleted) == ([], 0, 0, 0)
    assert not (tmp_path / "nowhere").exists()  # looking makes nothing


def test_more_than_there_is(index: KeywordIndex) -> None:
    assert len(index.search({"tide": 1.0}, 10**12)) == 3


def test_a_filter_narrows_and_does_not_change_the_score(tmp_path: Path) -> None:
    papers = [
        Paper("a", "Tides rise.", year=2023, venue="ICLR", collection="ICLR 2023 Papers"),
        Paper("b", "Tides rise.", year=2025, venue="iclr"),
        Paper("c", "Tides rise.", venue="NeurIPS"),
        Paper("d", "Tides rise."),
    ]
    index = KeywordIndex(tmp_path)
    index.put(papers)
    plain = dict(index.search({"tide": 1.0}, 9))

    def narrowed(**filters: str | tuple[int | None, int | None]) -> list[str]:
        found = index.search({"tide": 1.0}, 9, filters)
        assert all(score == pytest.approx(plain[id_]) for id_, score in found)
        return [id_ for id_, _ in found]

    assert narrowed(year=(2024, None)) == ["b"]
    assert narrowed(year=(None, 2023)) == ["a"]
    assert narrowed(year=(2023, 2025)) == ["a", "b"]
    assert narrowed(year=(-(10**30), 10**30)) == ["a", "b"]
    assert narrowed(venue="iclr") == ["a", "b"]
    assert narrowed(venue="iclr", year=(2025, 2025)) == ["b"]
    assert narrowed(collection="iclr 2023 papers") == ["a"]
    assert narrowed(venue="unheard") == []


def test_another_one_sees_what_was_written_when_it_opens_again(index: KeywordIndex, tmp_path: Path) -> None:
    other = KeywordIndex(tmp_path / "keywords")
    assert len(other) == 5

    index.delete_papers(["p0"])
    assert len(other) == 5
    other.close()

    assert len(other) == 4


def test_two_writers(index: KeywordIndex, tmp_path: Path) -> None:
    with index._writer(), pytest.raises(IndexBusyError, match=r"^Another process is writing to .*/keywords: wait until it is done and try again$"):
        KeywordIndex(tmp_path / "keywords").put(CORPUS)

    KeywordIndex(tmp_path / "keywords").put(CORPUS)


def test_a_write_that_is_broken_off_changes_nothing(index: KeywordIndex) -> None:
    def broken() -> None:
        with index._writer() as writer:
            writer.delete_all_documents()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()

    check(index, CORPUS, {"tide": 1.0})
    index.put(CORPUS[:1])  # and the next one may write
    assert len(index) == 5


@pytest.mark.parametrize("pattern", ["meta.json", ".managed.json", "*.term", "*.store", "*.idx", "*.fieldnorm", "*.pos"])
def test_broken_files_are_one_clear_line(pattern: str, index: KeywordIndex, tmp_path: Path) -> None:
    for path in (tmp_path / "keywords").glob(pattern):
        path.write_bytes(b"\xff" * 40)

    with pytest.raises(IndexingError) as error:
        KeywordIndex(tmp_path / "keywords").search({"tide": 1.0}, 5)

    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"The keyword index {tmp_path}/keywords can't be used (")
    assert str(error.value).endswith("): make it again with: rag-qa index --rebuild")


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "keywords").write_text("x")

    with pytest.raises(IndexingError, match="can't be used"):
        KeywordIndex(tmp_path / "keywords").put(CORPUS)


def test_conditions_on_names_types_and_notices(tmp_path: Path) -> None:
    papers = [
        Paper(
            "p1",
            "Tides rise.",
            authors=("Smith, Ada", "van der Berg, Anna"),
            venue="The  Lancet",
            type="review",
            language="en",
            keywords=("Sea level",),
        ),
        Paper(
            "p2",
            "Tides fall.",
            authors=("Berg, Jo",),
            venue="arXiv",
            versions=(Version(2020, "Nature"),),
            type="article",
            notices=(Notice.RETRACTED,),
        ),
        Paper("p3", "Tides turn."),
    ]
    index = KeywordIndex(tmp_path / "keywords")
    index.put(papers)

    def found(**conditions: str | tuple[int | None, int | None] | frozenset[str]) -> list[str]:
        return sorted(paper_id for paper_id, _ in index.search({"tide": 1.0}, 10, conditions))

    assert found(venue="the lancet") == found(author="smith") == found(author="berg anna") == found(keyword="sea level") == ["p1"]
    assert found(venue="nature") == found(venue="arxiv") == found(author="berg jo") == ["p2"]
    assert found(author="berg") == ["p1", "p2"]
    assert found(type=frozenset({"review"})) == ["p2", "p3"]
    assert found(type="review", language="en") == ["p1"]
    assert found(notice=frozenset({"retracted"})) == ["p1", "p3"]
    assert (index.knows("author", "Anna Berg"), index.knows("venue", "Nature"), index.knows("venue", "Science"), index.knows("venue", "")) == (
        True,
        True,
        False,
        False,
    )


def test_a_word_of_the_title_counts_twice(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path)
    index.put([Paper("p1", "Mosses grow.", title="Tides"), Paper("p2", "Mosses grow, tides rise.")])
    assert [id_ for id_, _ in index.search({"tide": 1.0}, 2)] == ["p1", "p2"]


def test_which_of_some_papers_hold_a_term(index: KeywordIndex, tmp_path: Path) -> None:
    assert index.holding("tide", ["p0", "p2", "p4", "nobody"]) == {"p0", "p4"}
    assert index.holding("tide", []) == index.holding("unheard", ["p0"]) == set()
    assert KeywordIndex(tmp_path / "nowhere").holding("tide", ["p0"]) == set()


def test_short_forms_and_what_they_stand_for(tmp_path: Path) -> None:
    index = KeywordIndex(tmp_path)
    assert index.explained("moe") == {}
    index.put(
        [
            Paper("p1", "A mixture of experts (MoE) is fast."),
            Paper("p2", "Mixtures of experts (MoEs) are fast.", title="Graph neural networks (GNNs)"),
            Paper("p3", "The margin of error (MoE) is small."),
            Paper("p4", "MoE is not explained."),
        ]
    )
    assert index.explained("moe") == {"mixtur expert": 2, "margin error": 1}
    assert index.explained("mixtur expert") == {"moe": 2}
    assert index.explained("graph neural network") == {"gnn": 1}
    assert index.explained("expert") == {}

    index.delete_papers(["p2"])
    index.replace_all([Paper("p3", "The margin of error (MoE) is small.")])
    assert index.explained("moe") == {"margin error": 1}
