"""A refusal names what is missing, in the question's own words."""

from __future__ import annotations

import numpy as np
import pytest

from rag_qa.answering.confidence import Assessment
from rag_qa.answering.missing import reason
from rag_qa.answering.question import analyse


def said(question: str, *missing: str, unmet: str | None = None) -> str:
    """What is said after "These papers do not answer this:"."""
    told = reason(analyse(question), Assessment(0.1, True, missing, unmet, np.zeros(0), np.zeros(0)))
    return told.removeprefix("These papers do not answer this: ")


def test_a_thing_that_abstracts_often_lack_is_called_by_its_name() -> None:
    assert said("What learning rate was used?", "rate", unmet="a learning rate") == "they do not give a learning rate."


@pytest.mark.parametrize(
    ("question", "missing", "told"),
    [
        # the thing that is asked for is not there: it is named whole, though only one word of it is missing, and without the verb
        ("What success rate does TIDE reach?", ("rate", "reach"), "they say nothing about “success rate”."),
        ("Which harbour trials confirmed the model?", ("trials", "confirmed"), "they say nothing about “harbour trials”."),
        # it is there, but not what is asked of it
        ("How many image pairs does the set contain?", ("contain",), "they do not say “how many image pairs”."),
        ("By what percentage does it cut costs?", ("percentage", "cut"), "they do not say “what percentage”."),
        ("How many rivers has the Baltic set?", ("baltic",), "they do not say “how many rivers”, and nothing about “Baltic”."),
        # a premise: what no abstract speaks of
        ("How does TIDE steer the pipetting robot in the wet lab?", ("lab", "robot", "wet", "pipetting", "steer"), "“pipetting robot” or “wet lab”."),
        ("Why does TIDE need lidar?", ("lidar", "need"), "they say nothing about “lidar”."),
        # words that tell little are named where there are no others
        ("How does it reach this?", ("reach",), "they say nothing about “reach”."),
        # spelled as in the question, each once
        ("LIDAR, and lidar again?", ("lidar",), "they say nothing about “LIDAR” or “lidar”."),
    ],
)
def test_what_is_missing_is_named(question: str, missing: tuple[str, ...], told: str) -> None:
    assert said(question, *missing).endswith(told)


def test_at_most_three_phrases_are_named() -> None:
    told = said("Do alpha, beta, gamma, delta matter?", "alpha", "beta", "gamma", "delta")
    assert told == "they say nothing about “alpha”, “beta” or “gamma”."


def test_where_no_word_is_missing_a_refusal_says_so() -> None:
    assert said("Why is it so?") == "they touch on the subject but do not say what is asked."
