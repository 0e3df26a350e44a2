"""What the model that reads a question and an abstract together gives, and that it depends on nothing but both."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.comprehension import WINDOW, Comprehended, Comprehension, joined, tokens_of, windows

TIDES = "Tides are hard to foresee. We propose TIDE-7, a recurrent network, which is trained on 32 rivers. It reduces the cost of a forecast by 30%."
WOLVES = "Wolves have returned to valleys in the Alps. We counted 14 packs with cameras in winter. Hunters reported fewer deer."


@pytest.mark.parametrize(
    ("question", "sentence"),
    [("How many rivers was TIDE-7 trained on?", 1), ("By how much does the cost of a forecast fall?", 2), ("Why TIDE-7?", 0)],
)
def test_the_sentence_that_answers_is_the_likeliest(question: str, sentence: int, read_together: Comprehension) -> None:
    (read,) = read_together.read(question, [TIDES])
    assert int(np.argmax(read.shares)) == sentence
    assert read.shares.sum() == pytest.approx(1.0)


def test_what_the_abstract_says_is_told_from_what_it_leaves_out_and_from_another_subject(read_together: Comprehension) -> None:
    (said,) = read_together.read("How many packs were counted?", [WOLVES])
    (left_out,) = read_together.read("Which brand of camera was used to count the packs of wolves?", [WOLVES])
    (other,) = read_together.read("How many packs of wolves were counted?", [TIDES])
    assert said.says > left_out.says > other.says
    assert min(said.about, left_out.about) > other.about


def test_the_same_pair_gives_the_same_whatever_it_is_read_with(read_together: Comprehension) -> None:
    alone, together = Comprehension().read("How many packs?", [WOLVES]), Comprehension().read("How many packs?", [TIDES, WOLVES, TIDES])
    assert same(alone[0], together[1])
    assert same(together[0], together[2])
    assert same(read_together.read("How many\n packs?", [WOLVES])[0], alone[0])


def same(one: Comprehended, other: Comprehended) -> bool:
    """The same to the last bit."""
    return (one.about, one.says) == (other.about, other.says) and np.array_equal(one.sentences, other.sentences)


class Forgetful(Comprehension):
    """As if others had asked so much meanwhile that what was known is forgotten."""

    def _computed(self, question: str, abstracts: Sequence[str]) -> list[Comprehended]:
        self._known.clear()
        return super()._computed(question, abstracts)


def test_what_is_forgotten_while_it_is_read_is_not_missed(read_together: Comprehension) -> None:
    model = Forgetful()
    model.read("How many packs?", [WOLVES])
    found = model.read("How many packs?", [WOLVES, TIDES])
    assert all(same(one, other) for one, other in zip(found, read_together.read("How many packs?", [WOLVES, TIDES]), strict=True))


def test_threads_at_once_get_what_one_gets(read_together: Comprehension) -> None:
    wanted = read_together.read("How many rivers?", [TIDES, WOLVES])
    model, found = Comprehension(), []
    threads = [threading.Thread(target=lambda: found.append(model.read("How many rivers?", [TIDES, WOLVES]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(same(one, other) for read in found for one, other in zip(read, wanted, strict=True))


def test_every_sentence_of_an_abstract_longer_than_the_window_is_read(read_together: Comprehension) -> None:
    long = " ".join(f"The {place}th river of the valley was measured {place} times in the winter of the year {1800 + place}." for place in range(60))
    assert len(tokens_of("x", long)[1]) > 2 * WINDOW
    (read,) = read_together.read("How often was the 57th river measured?", [long])
    assert np.isfinite(read.sentences).all()
    assert len(read.sentences) == len(text.sentences(long)) == 60


@pytest.mark.parametrize("abstract", ["", " ", "?", "A", "\u200b", "\x00.", "α" * 3000, "word " * 2000])
@pytest.mark.parametrize("question", ["", "Why?", "why " * 300])
def test_no_text_is_too_short_or_too_long(question: str, abstract: str, read_together: Comprehension) -> None:
    (read,) = read_together.read(question, [abstract])
    assert len(read.sentences) == len(text.sentences(abstract))
    assert np.isfinite(read.shares).all()


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(9, 20))
def test_windows_hold_every_sentence_whole(lengths: list[int], room: int) -> None:
    sentence_of = [place for place, length in enumerate(lengths) for _ in range(length)]
    parts = windows(sentence_of, room)
    assert [token for start, end in parts for token in range(start, end)] == list(range(len(sentence_of)))
    assert all(end - start <= room for start, end in parts)
    assert all(start == 0 or sentence_of[start] != sentence_of[start - 1] for start, _ in parts)


def test_both_together_are_as_long_as_they_are() -> None:
    ids, types = joined([1, 2], [3])
    assert len(ids) == len(types) == 6
