"""Slips of the fingers are put right where the papers or English tell what is meant, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.retrieval.slips import english, mended

ABSTRACTS = (
    "We forecast tides with few annotations. Quantiles of the flood and the activation of alarms follow.",
    "Tinnitus after a flood, and schizophrenia, are a weather of the ear; witch trials are none.",
    "Mosses federate on trees, and TIDE-7 counts mosses with mossnet. Annotations help.",
)


class Library:
    """Three papers, and what stands in them."""

    def document_frequency(self, term: str) -> int:
        return len(self.texts_with(term, 10))

    def explained(self, form: str) -> Mapping[str, int]:
        return {}

    def texts_with(self, term: str, most: int) -> Sequence[str]:
        return [one for one in ABSTRACTS if term in text.terms(one)][:most]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("whcih paper forecsats tides?", "which paper forecasts tides?"),
        ("waht is teh tide", "what is the tide"),
        ("how many anotations are needed?", "how many annotations are needed?"),
        ("activaton of alarms", "activation of alarms"),
        ("Forecastt of the flood", "Forecast of the flood"),
        ("are mossses counted", "are mosses counted"),
        ("whre are they", "where are they"),
        ("the recieved quantilees", "the received quantiles"),
        # most of it is unknown, and it is English for all that
        ("wich papers deel with tinitus", "which papers deal with tinnitus"),
        ("wich papres deel abot tinitus", "which papers deal about tinnitus"),
        ("Wat is teh tide", "What is the tide"),
        ("how doe tides work", "how does tides work"),
        # as it sounds
        ("what is schizofrenia", "what is schizophrenia"),
        ("skizophrenia after a flood", "schizophrenia after a flood"),
        # a letter that was not doubled, of English alone
        ("are matresses of foam", "are mattresses of foam"),
    ],
)
def test_slips_are_put_right(typed: str, meant: str) -> None:
    assert mended(typed, Library()) == meant


@pytest.mark.parametrize(
    "question",
    [
        "What does TIDE-7 do on FloodBnech?",  # names
        "does Flodo work",  # a capital inside the question
        "which solver is federated?",  # English, though no paper has it
        "witch trials of tides",  # of the papers, and no question word
        "witch papers deal with tides",
        "wat zeggen de artikelen over getijden",  # another language
        "welche arbeiten behandeln gezeiten",
        "quels articles parlent des marees",
        "is a doe there",  # an animal
        "tides by zork",  # the first letter is no slip
        "is mossnet there",  # of the papers, though not English
        "what does “forecsats” mean",  # a quotation
        "see tides.jsonn or x_forecsat or /forecsat",  # files and code
        "tiddes-based",  # a compound
        "is blorptaxis there",  # nothing is near it
        "ist das Wetter schön",
        "soup",
    ],
)
def test_names_quotations_and_what_nothing_is_near_stay(question: str) -> None:
    assert mended(question, Library()) == question


def test_a_word_that_no_language_has_is_not_looked_at() -> None:
    class NeverAsked(Library):
        def document_frequency(self, term: str) -> int:
            asked.append(term)
            return super().document_frequency(term)

    asked: list[str] = []
    question = f"what is {'forecsats' * 2000}"

    assert mended(question, NeverAsked()) == question
    assert len(asked) <= 2  # are it and “what is” in a paper as they are?


@given(st.text(max_size=60))
def test_any_text_keeps_all_that_is_no_plain_word(question: str) -> None:
    found = mended(question, Library())
    assert [char for char in found if not char.isalpha()] == [char for char in question if not char.isalpha()]
    assert mended(found, Library()) == found or len(found) == len(mended(found, Library()))


def test_the_list_of_english_words_has_british_and_american_forms() -> None:
    assert {"colour", "color", "federated", "outliers"} <= set(english())
    assert english()["where"] > english()["outliers"]
