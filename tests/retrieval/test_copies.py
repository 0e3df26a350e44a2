"""Which papers are near copies; the vectors of their sentences are made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.copies import grouped, is_copy

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


TIDES = [
    "The tide of the old bay has been counted by hand since the first harbour master wrote it down.",
    "We build a gauge of brass that counts each tide by itself and sends the count to a tower on the hill.",
    "Over one winter it misses 12% of the tides that the harbour master has seen.",
    "We show why fog makes it miss them.",
]
ABSTRACT = " ".join(TIDES)
LONGER = f"{ABSTRACT} A version of this text was shown to fishermen."
REWORDED = (
    "The tides of the old bay have been counted by hand since the first harbour master wrote them down. "
    "We present a gauge made of brass which counts each tide by itself and sends the count to a tower on the hill. "
    "Over one winter it misses 12% of the tides that the harbour master saw. "
    "We show why fog makes it miss them."
)


def test_the_same_sentences_and_one_more_are_a_copy() -> None:
    near = np.array([[0.9, 0.43589]], np.float32)  # a sentence more turns the abstract as a whole
    papers = [Paper("p1", ABSTRACT), Paper("p2", LONGER), Paper("p3", REWORDED)]
    assert ids(papers, {"p1": EAST, "p2": near, "p3": EAST}) == [["p1", "p2", "p3"]]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (LONGER, True),
        (f"This is a preprint. {ABSTRACT}", True),
        (f"{ABSTRACT} It was read by 7 people.", True),  # a number that nothing of the shorter one speaks against
        (REWORDED, True),
        (f"{REWORDED} A version of this text was shown to fishermen.", True),
        (ABSTRACT.replace("12%", "15%"), False),
        (LONGER.replace("12%", "15%"), False),
        (LONGER.replace("12%", "15%") + " In the year before, 12% was said.", False),
        (" ".join(TIDES[:2]), False),  # half of it is another paper: what it finds is not in it
        (ABSTRACT + " Moss grows on stone." * 30, False),
        ("Moss grows on stone.", False),
        ("", False),
    ],
)
def test_copies_by_hand(other: str, same: bool) -> None:
    assert is_copy(ABSTRACT, other) == is_copy(other, ABSTRACT) == same


def test_a_third_paper_does_not_bring_a_paper_and_its_correction_together() -> None:
    short = f"{ABSTRACT} "
    twelve, fifteen = f"{short}It holds in 12 years.", f"{short}It holds in 15 years."
    assert is_copy(short, twelve)
    assert is_copy(short, fifteen)
    papers = [Paper("p1", short), Paper("p2", twelve), Paper("p3", fifteen)]
    assert ids(papers, dict.fromkeys(("p1", "p2", "p3"), EAST)) == [["p1", "p2"], ["p3"]]


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
