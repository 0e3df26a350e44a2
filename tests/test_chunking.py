"""Passages are slices of the abstract that fit into the embedder's window and lose nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import chunking, text
from rag_qa.chunking import Passage
from rag_qa.embedding.minilm import MiniLM
from rag_qa.papers import Paper
from rag_qa.sources import files

ABSTRACTS = st.text(st.one_of(st.sampled_from("ab. \n(1"), st.characters()), max_size=200)


def words(written: str) -> int:
    return len(written.split())


def cut(abstract: str, max_tokens: int, count: object = words) -> list[Passage]:
    assert callable(count)
    return chunking.passages(Paper("p1", abstract), count_tokens=count, max_tokens=max_tokens)


def check(abstract: str, found: list[Passage]) -> None:
    """What holds for every abstract: slices in order, nothing between them but white space, ids by number."""
    at = 0
    for number, passage in enumerate(found):
        assert abstract[passage.start : passage.end] == passage.text == passage.text.strip() != ""
        assert (passage.id, passage.paper_id, passage.ordinal) == (f"p1:{number}", "p1", number)
        assert passage.start >= at
        assert abstract[at : passage.start].strip() == ""
        at = passage.end
    assert abstract[at:].strip() == ""


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


@given(ABSTRACTS, st.integers(1, 12))
def test_passages_are_slices_and_lose_nothing(abstract: str, limit: int) -> None:
    found = cut(abstract, limit)

    check(abstract, found)
    assert all(words(passage.text) <= limit for passage in found)


@given(ABSTRACTS, st.integers(1, 30))
def test_a_text_without_blanks_is_cut_too(abstract: str, limit: int) -> None:
    found = cut(abstract, limit, len)

    check(abstract, found)
    assert all(len(passage.text) <= limit for passage in found)


@given(ABSTRACTS, st.integers(1, 12))
def test_the_same_abstract_is_cut_the_same(abstract: str, limit: int) -> None:
    assert cut(abstract, limit) == cut(abstract, limit)


def test_whole_sentences_go_together_as_long_as_they_fit() -> None:
    abstract = "One two three. Four five six. Seven. Eight nine ten eleven twelve thirteen."

    assert [p.text for p in cut(abstract, 7)] == ["One two three. Four five six. Seven.", "Eight nine ten eleven twelve thirteen."]
    assert [p.text for p in cut(abstract, 4)] == ["One two three.", "Four five six. Seven.", "Eight nine ten", "eleven twelve thirteen."]


def test_a_passage_is_short_even_if_the_window_is_long() -> None:
    abstract = " ".join(f"Sentence {i} has six words here." for i in range(100))

    assert max(words(p.text) for p in cut(abstract, 8000)) <= chunking.TARGET_TOKENS


def test_a_sentence_longer_than_the_target_stays_whole_while_it_fits() -> None:
    assert len(cut("word " * (chunking.TARGET_TOKENS + 1), 8000)) == 1


@pytest.mark.parametrize("empty", ["", "  \n "])
def test_nothing_has_no_passages(empty: str) -> None:
    assert cut(empty, 5) == []


def test_every_shipped_abstract_fits_the_real_window(seeds: Path, minilm: MiniLM) -> None:
    papers = [paper for file in files.find([seeds]) if isinstance(file, Path) for paper in files.read(file) if isinstance(paper, Paper)]

    for paper in papers:
        found = chunking.passages(Paper("p1", paper.abstract), count_tokens=minilm.count_tokens, max_tokens=minilm.max_tokens)
        check(paper.abstract, found)
        assert all(minilm.count_tokens(passage.text) <= minilm.max_tokens for passage in found)
        assert {p.start for p in found} <= {start for start, _ in text.sentences(paper.abstract)}


@pytest.mark.parametrize("gap", [" ", "", "\n", "😀"])
def test_a_sentence_of_5000_words_without_a_full_stop_is_cut_within_the_real_window(gap: str, minilm: MiniLM) -> None:
    chosen = random.Random(3)
    abstract = gap.join(chosen.choice(["attention", "collapse", "heterogeneous", "α", "1.67", "model"]) for _ in range(5000))

    found = chunking.passages(Paper("p1", abstract), count_tokens=minilm.count_tokens, max_tokens=minilm.max_tokens)

    check(abstract, found)
    assert len(found) > 1
    assert all(0 < minilm.count_tokens(passage.text) <= minilm.max_tokens for passage in found)
