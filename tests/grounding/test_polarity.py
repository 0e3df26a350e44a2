"""Which way two sentences say that things go, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.grounding.polarity import Agreement, agreement, pull
from rag_qa.statements import statement


def agree(claim: str, *sentences: str) -> Agreement:
    """The agreement of a claim with sentences that cover it equally."""
    said = [statement(text.fold(sentence).text) for sentence in sentences]
    return agreement(statement(text.fold(claim).text), said, np.ones(len(said)))


@pytest.mark.parametrize(
    ("sentence", "parity"),
    [
        ("Moss raises the water level.", 1.0),
        ("Moss lowers the water level.", -1.0),
        ("Moss does not lower the water level.", 1.0),
        ("A lack of moss lowers the water level.", 1.0),
        ("Moss stands in water.", 0.0),
    ],
)
def test_up_or_down_all_in_all(sentence: str, parity: float) -> None:
    assert pull(text.fold(sentence).text).parity == parity


def test_a_prefix_gives_a_direction_and_a_short_word_that_begins_alike_does_not() -> None:
    assert pull("hyperactive moss").parity == 1.0
    assert pull("underexposed moss").parity == -1.0
    assert pull("the moss upon it").parity == 0.0


def test_what_is_pulled_the_other_way_opposes() -> None:
    against = agree("Moss raises the water level.", "Moss lowers the water level.")
    alike = agree("Moss raises the water level.", "Moss increases the level of the water.")
    assert against.opposing > 0.2
    assert alike.opposing == 0.0
    assert (against.parity, alike.parity) == (-1.0, 1.0)
    assert against.turned > 0.5
    assert alike.turned == 0.0


def test_nothing_found_is_nothing_only_where_the_other_says_so_too() -> None:
    assert agree("Moss has no effect on the water level.", "The water level was unchanged under moss.").nothing_alone < 0.5
    assert agree("Moss has no effect on the water level.", "Moss raises the water level.").nothing_alone == 1.0
    assert agree("Moss raises the water level.", "Moss has no effect on the water level.").nothing_alone == 0.0


def test_the_sentence_that_covers_more_counts_more() -> None:
    claim, same, other = (statement(f"moss {verb} the water level.") for verb in ("raises", "increases", "lowers"))
    assert agreement(claim, [same, other], np.array([1.0, 0.2])).parity > 0
    assert agreement(claim, [same, other], np.array([0.2, 1.0])).parity < 0


WORDS = st.lists(st.sampled_from("moss water level raises lowers no not unchanged , without hyperactive 5 the".split()), max_size=12).map(" ".join)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_any_sentences_give_figures_within_their_bounds(claim: str, sentences: list[str]) -> None:
    found = agree(claim, *sentences)
    assert 0 <= found.opposing <= 1
    assert -1 <= found.parity <= 1
    assert 0 <= found.turned <= 1
    assert 0 <= found.nothing_alone <= 1
