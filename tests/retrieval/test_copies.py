"""Which papers are near copies; the vectors of their sentences are made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.copies import grouped

WORDS = "tides rise in the bay twice a day and a gauge of brass counts each of them for the harbour master who writes them down by hand"
FIRST = Paper("p1", f"We show that {WORDS}.")
EDITED = Paper("p2", f"Here we show that {WORDS}.")
OTHER = Paper("p3", "Moss grows on stone where the wolves of the north have never been.")
EAST, NORTH = np.array([[1.0, 0.0]], np.float32), np.array([[0.0, 1.0]], np.float32)


def ids(papers: Sequence[Paper], vectors: dict[str, Vectors]) -> list[list[str]]:
    return [[paper.id for paper in group] for group in grouped(papers, vectors)]


def test_a_near_copy_takes_no_place() -> None:
    vectors = {"p1": EAST, "p2": EAST, "p3": EAST}
    assert ids([FIRST, OTHER, EDITED], vectors) == [["p1", "p2"], ["p3"]]
    assert ids([EDITED, FIRST, OTHER], vectors) == [["p2", "p1"], ["p3"]]  # the best of them stands for all


def test_the_same_words_of_another_meaning_are_another_paper() -> None:
    assert ids([FIRST, EDITED], {"p1": EAST, "p2": NORTH}) == [["p1"], ["p2"]]


def test_the_meaning_of_a_paper_is_that_of_all_its_sentences() -> None:
    both = np.concatenate([EAST, NORTH])
    assert ids([FIRST, EDITED], {"p1": both, "p2": both[::-1]}) == [["p1", "p2"]]
    assert ids([FIRST, EDITED], {"p1": both, "p2": EAST}) == [["p1"], ["p2"]]


def test_other_numbers_are_another_paper() -> None:
    twelve, fifteen = Paper("p1", f"By 12%: {WORDS}."), Paper("p2", f"By 15%: {WORDS}.")
    assert ids([twelve, fifteen], {"p1": EAST, "p2": EAST}) == [["p1"], ["p2"]]


def test_a_copy_of_a_copy_belongs_to_the_first() -> None:
    third = Paper("p4", f"Here we now show that {WORDS}.")
    assert ids([FIRST, EDITED, third], {"p1": EAST, "p2": EAST, "p4": EAST}) == [["p1", "p2", "p4"]]


def test_no_papers_no_groups() -> None:
    assert grouped([], {}) == []


@pytest.mark.parametrize("length", [3, 120])
def test_every_paper_is_in_one_group_and_the_order_is_kept(length: int) -> None:
    papers = [Paper(f"p{i:03}", f"{WORDS} {'wolf ' * (i % 9)}" if i % 3 else f"Moss {i}.") for i in range(length)]
    groups = ids(papers, {paper.id: EAST for paper in papers})
    assert sorted(one for group in groups for one in group) == [paper.id for paper in papers]
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    assert all(group == sorted(group) for group in groups)
    assert max(map(len, groups)) > 1 or length == 3
