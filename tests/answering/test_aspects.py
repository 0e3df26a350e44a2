"""What an abstract says of one aspect, or that it says nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa.answering.aspects import DEFAULT, aspect
from rag_qa.embedding.embedder import Vectors
from rag_qa.text import Span

TIDE = (
    "However, existing data sets of tides are small and models fail. We propose TIDE-7, a model that couples rivers and the sea. "
    "We evaluate it on two data sets of 4,100 harbours. TIDE-7 is 1.5× faster than its rivals and 14% more accurate. "
    "The survey included 312 participants from nine towns."
)


def quoted(name: str, abstract: str = TIDE) -> str | None:
    wanted = aspect(name)
    assert wanted
    span = wanted.quoted(abstract)
    return abstract[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("data set", "We evaluate it on two"),
        ("the datasets", "We evaluate it on two"),
        ("speed-up", "TIDE-7 is 1.5×"),
        ("Sample size", "The survey included 312"),
        ("method", "We propose TIDE-7"),
        ("harbours", "We evaluate it on two"),
        ("challenge", "However, existing data sets"),
    ],
)
def test_an_aspect_is_the_sentence_that_says_it(name: str, begins: str) -> None:
    assert (quoted(name) or "").startswith(begins)


@pytest.mark.parametrize("name", ["hardware", "limits", "p-value", "learning rate", "code"])
def test_what_the_abstract_does_not_say_is_none(name: str) -> None:
    assert quoted(name) is None


def test_what_is_said_of_others_is_not_said_of_the_paper() -> None:
    assert quoted("data set", "Existing data sets are small, which is a challenge. We propose TIDE-7, a model of tides.") is None


def test_a_name_without_a_word_is_no_aspect() -> None:
    assert aspect("?!") is None
    assert aspect("of the") is None


def test_a_synonym_is_met() -> None:
    def similarity(words: Sequence[str]) -> Vectors:
        return np.array([[1.0, 0.0] if word in ("price", "cost") else [0.0, 1.0] for word in words], np.float32)

    wanted = aspect("price", similarity)

    assert wanted
    assert wanted.quoted("We propose a boat. Its cost is nine crowns.")
    assert wanted.quoted("We propose a boat. Its sails are red.") is None


def test_the_default_aspects_take_different_sentences() -> None:
    used: list[Span] = []
    for one in DEFAULT:
        if span := one.quoted(TIDE, used):
            used.append(span)

    assert len(set(used)) == len(used) == 3
