"""The harness's own checker of sentences, on pairs that one can judge by reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import support
from eval.metrics.support import Flag, Label, check

TIDES = (
    "Tides are hard to predict. We propose TIDE-7, a model of tides that is 1.5x faster than its rivals. "
    "It reduces the error on TideBench by 30\\% and does not need labelled data."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "We propose TIDE-7, a model of tides that is 1.5x faster than its rivals.",
        "we propose tide-7,  a model of tides",
        "It reduces the error on TideBench by 30%",
    ],
)
def test_what_stands_there_is_supported_in_any_spelling_of_blanks_case_and_latex(sentence: str) -> None:
    found = check(sentence, [TIDES])
    assert (found.label, found.cover, found.flags) == (Label.SUPPORTED, 1.0, ())
    assert found.window in support.sentences(TIDES)


@pytest.mark.parametrize(
    ("sentence", "flag"),
    [
        ("TIDE-7 models tides 1.7x faster than rivals.", Flag.NUMERIC),
        ("TIDE-7 reduces the error on TideBench by 40%.", Flag.NUMERIC),
        ("TIDE-9 reduces the error on TideBench by 30%.", Flag.ENTITY),
        ("TIDE-7 reduces the error and needs labelled data.", Flag.NEGATION),
        ("TIDE-7 is a model of tides that is slower than its rivals.", Flag.DIRECTION),
        ("TIDE-7 increases the error on TideBench and does not need labelled data.", Flag.DIRECTION),
    ],
)
def test_what_was_changed_is_flagged_and_not_supported(sentence: str, flag: Flag) -> None:
    found = check(sentence, [TIDES])
    assert flag in found.flags
    assert found.label is not Label.SUPPORTED


def test_other_words_are_supported_and_other_subjects_are_not() -> None:
    assert check("TIDE-7 is a tide model faster than rivals.", [TIDES]).label is Label.SUPPORTED
    assert check("Mosses grow on the northern side of trees.", [TIDES]).label is Label.UNSUPPORTED


def test_a_turned_number_contradicts_and_a_foreign_name_does_not() -> None:
    assert check("TIDE-7 reduces the error on TideBench by 40%.", [TIDES]).label is Label.CONTRADICTED
    assert check("TIDE-7 reduces the error on MossBench by 30%.", [TIDES]).label is Label.PARTIAL


def test_a_name_of_the_question_is_known() -> None:
    assert Flag.ENTITY not in check("For ACME, TIDE-7 is a model of tides.", [TIDES], question="What should ACME use?").flags


def test_deepeval_2248_blank_evidence_bears_out_nothing() -> None:
    assert check("Tides are hard to predict.", ["", "  \n"]).label is Label.UNSUPPORTED
    assert check("Tides are hard to predict.", []).strength == 0


def test_the_best_of_several_texts_counts() -> None:
    assert check("Tides are hard to predict.", ["Mosses are green.", TIDES]).label is Label.SUPPORTED


def test_rare_words_weigh_more() -> None:
    rarity = support.rarity_in(["the model is fast", "the model is small", "the model of tides"])
    assert rarity("tid") > rarity("model") > 0
    assert check("model tides", ["A model."], rarity=rarity).cover < check("model tides", ["The tides."], rarity=rarity).cover


def test_a_sentence_without_content_is_no_claim() -> None:
    assert check("It is.", [TIDES]).label is Label.UNSUPPORTED


@given(st.text(max_size=80), st.lists(st.text(max_size=120), max_size=3))
def test_any_text_has_a_verdict_in_range_and_the_same_one_twice(sentence: str, evidence: list[str]) -> None:
    found = check(sentence, evidence)
    assert 0 <= found.strength <= found.cover <= 1
    assert found == check(sentence, evidence)
    assert found == check(sentence, evidence[::-1]) or found.cover == check(sentence, evidence[::-1]).cover
