"""Sentences with one thing changed: each kind by hand, and what holds for all of them on the shipped abstracts."""

from __future__ import annotations

import random
import re

import pytest

from eval import edits
from eval.edits import Around
from rag_qa.papers import Paper


def around(abstract: str = "", names: tuple[str, ...] = (), seed: int = 1) -> Around:
    return Around(abstract, names, random.Random(seed))


@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        ("Moss is 12.5% wetter.", r"Moss is \d\d\.\d% wetter\."),
        ("We measured three meadows.", r"We measured (?:two|four|five|six|seven|eight|nine|ten|twelve) meadows\."),
        ("It is up to $1.67 \\times$ faster.", r"It is up to \$\d\.\d\d \\times\$ faster\."),
        ("We release 125,000 samples.", r"We release \d{3},\d{3} samples\."),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_a_number_becomes_another_one_of_its_form(sentence: str, pattern: str, seed: int) -> None:
    changed = edits.another_number(sentence, around(sentence, seed=seed))
    assert changed != sentence
    assert re.fullmatch(pattern, changed)


@pytest.mark.parametrize("sentence", ["We compare GPT-4 with ResNet50.", "First, (2) it is fast.", "Moss is wet."])
def test_the_number_of_a_name_or_of_a_point_is_none(sentence: str) -> None:
    assert edits.another_number(sentence, around(sentence)) == ""


def test_the_new_number_does_not_stand_in_the_abstract() -> None:
    abstract = f"It is 2% wetter, and {', '.join(f'{n}%' for n in range(1, 10) if n not in (2, 7))} elsewhere."
    assert {edits.another_number("It is 2% wetter.", around(abstract, seed=seed)) for seed in range(9)} <= {"It is 7% wetter.", ""}


@pytest.mark.parametrize(
    ("sentence", "changed"),
    [
        ("It takes 3 hours.", {"It takes 3 days."}),
        ("It saves 30\\% of it.", {"It saves 30× of it.", "It saves 30 points of it."}),
        ("A model of 7B parameters.", {"A model of 7M parameters."}),
        ("It is wet.", {""}),
    ],
)
def test_a_unit_becomes_another_one(sentence: str, changed: set[str]) -> None:
    assert {edits.another_unit(sentence, around(seed=seed)) for seed in range(9)} == changed


@pytest.mark.parametrize(
    ("sentence", "changed"),
    [
        ("It does not rely on labels.", "It rely on labels."),
        ("Moss is wet.", "Moss is not wet."),
        ("Moss outperforms grass.", "Moss does not outperform grass."),
        ("We show a meadow.", "We do not show a meadow."),
        ("It works without labels.", "It works with labels."),
        ("It can only rain.", ""),
    ],
)
def test_a_denial_comes_or_goes(sentence: str, changed: str) -> None:
    assert edits.denied(sentence, around()) == changed


def test_a_direction_is_turned() -> None:
    assert edits.turned("It needs fewer labels.", around()) == "It needs more labels."
    assert edits.turned("It is higher-order.", around()) == ""


def test_a_name_is_swapped_for_one_of_another_abstract() -> None:
    assert edits.another_method("NetMoE is fast.", around(names=("TideNet",))) == "TideNet is fast."
    assert edits.another_method("LLMs are fast.", around(names=("TideNet",))) == ""


def test_an_ending_is_added_before_the_full_stop() -> None:
    changed = edits.prolonged("Moss is wet.", around())
    assert changed.startswith("Moss is wet")
    assert changed.endswith(".")
    assert len(changed.split()) > 5


def test_sentences_end_where_they_end() -> None:
    text = (
        "We train it with RL. It follows Smith et al. Then we test it on many of the old meadows of the land. "
        "It was 3.5 metres long and as wide as the old one was before."
    )
    assert edits.sentences(text) == [
        "It follows Smith et al. Then we test it on many of the old meadows of the land.",
        "It was 3.5 metres long and as wide as the old one was before.",
    ]


def test_all_kinds_are_made_of_the_shipped_abstracts_and_the_same_again(seed_papers: list[Paper]) -> None:
    made = list(edits.edits(seed_papers, seed=3))
    assert {one.kind for one in made} == set(edits.KINDS)
    assert made == list(edits.edits(seed_papers, seed=3))
    assert [one.sentence for one in made] != [one.sentence for one in edits.edits(seed_papers, seed=4)]
    for one in made:
        assert (one.sentence == one.original) == (one.kind == "swapped paper")
        assert (one.original in " ".join(one.cited.abstract.split())) == (one.kind != "swapped paper")


def test_a_paper_alone_is_not_swapped() -> None:
    paper = Paper("p1", "We show that moss is better than grass in all of the 14 meadows that we measured.")
    assert "swapped paper" not in {one.kind for one in edits.edits([paper], seed=1)}
