"""Questions about several things at once: the question about each of them, and the paper that each is about."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.sides import names_in, papers_of, sides
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

NAMES = ("Moss-7", "TIDE", "Peat")


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("How do TIDE and Moss-7 save energy?", ["How do TIDE save energy?", "How do Moss-7 save energy?"]),
        ("What do TIDE, Moss-7 and Peat each measure?", ["What do TIDE measure?", "What do Moss-7 measure?", "What do Peat measure?"]),
        ("What is the memory of TIDE and of Moss-7?", ["What is the memory of TIDE?", "What is the memory of Moss-7?"]),
        ("compare TIDE and Moss-7", ["What is TIDE?", "What is Moss-7?"]),
        ("Compare TIDE with Moss-7 in speed", ["TIDE in speed", "Moss-7 in speed"]),
        ("TIDE vs Moss-7: how fast is each?", ["TIDE: how fast is it?", "Moss-7: how fast is it?"]),
        ("TIDE vs Moss-7: what is stored in each case?", ["TIDE: what is stored?", "Moss-7: what is stored?"]),
        ("TIDE vs Moss-7: what does each one drink?", ["TIDE: what does it drink?", "Moss-7: what does it drink?"]),
        (
            "Compare how the coast paper and the bog paper go about measuring depth.",
            ["how the coast paper go about measuring depth.", "how the bog paper go about measuring depth."],
        ),
        (
            "What do the paper on coasts and the one on bogs each measure?",
            ["What do the paper on coasts measure?", "What do the one on bogs measure?"],
        ),
        (
            "two papers on carbon, one on bogs and the other on seagrass: what does each find?",
            ["two papers on carbon, one on bogs: what does it find?", "two papers on carbon, one on seagrass: what does it find?"],
        ),
        ("sea walls versus salt marshes: which gain is reported?", ["sea walls: which gain is reported?", "salt marshes: which gain is reported?"]),
    ],
)
def test_the_question_about_each_side(question: str, alone: list[str]) -> None:
    assert [side.alone for side in sides(question, NAMES)] == alone


@pytest.mark.parametrize(
    "question",
    [
        "How fast is TIDE?",
        "How is TIDE trained with Moss-7?",
        "How do precision and recall change?",
        "Which machine does TIDE run on, and how do bogs freeze?",
        "Why would one train only one layer at a time?",
        "",
    ],
)
def test_other_questions_have_no_sides(question: str) -> None:
    assert sides(question, NAMES) == ()


def test_a_name_may_be_any_word_with_a_capital_within_the_sentence() -> None:
    assert names_in("How do Pacmann and TIDE use GPUs?") == ["TIDE", "Pacmann"]


# ------------------------------------------------------------------------------------------------------------- their papers

TIDES = Paper("p1", "We propose TIDE, a model of coastal tides. TIDE is faster than Ebb.")
MOSSES = Paper("p2", "We propose Moss-7, which stores carbon in bogs.")
OTHER = Paper("p3", "Rivers carry sand. Nothing else is said.")


def found(*papers: Paper) -> list[Hit]:
    return [Hit(paper, (), 0.8 / rank, rank) for rank, paper in enumerate(papers, 1)]


def labels(question: str, *rankings: list[Hit]) -> list[str]:
    return [hit.paper.id for hit in papers_of(sides(question, names_in(question)), rankings)]


def test_a_name_is_known_as_one_types_it() -> None:
    assert [side.alone for side in sides("how fast are beta-moss and tide", ["β-Moss", "TIDE"])] == ["how fast are beta-moss", "how fast are tide"]


def test_each_name_has_the_paper_that_is_called_so() -> None:
    assert labels("How do TIDE and Moss-7 work?", found(OTHER, TIDES), found(TIDES, MOSSES)) == ["p1", "p2"]


def test_what_the_other_paper_speaks_of_has_none() -> None:
    assert labels("How fast are TIDE and Ebb?", found(TIDES, OTHER), found(TIDES, OTHER)) == []


def test_a_name_that_no_paper_knows_has_none() -> None:
    assert labels("How do TIDE and Marsh-2 work?", found(TIDES, MOSSES), found(MOSSES, OTHER)) == []


def test_a_description_has_the_best_paper_that_holds_its_words() -> None:
    question = "What do models of coastal tides and storage of carbon in bogs each need?"

    assert labels(question, found(TIDES, MOSSES), found(MOSSES, TIDES)) == ["p1", "p2"]
    assert labels(question, found(TIDES, OTHER), found(OTHER, TIDES)) == []


def test_the_order_of_hits_does_not_count() -> None:
    rankings = found(OTHER, TIDES, MOSSES), found(TIDES, OTHER, MOSSES)
    shuffled = [random.Random(2).sample(ranking, len(ranking)) for ranking in rankings]

    assert labels("How do TIDE and Moss-7 work?", *shuffled) == labels("How do TIDE and Moss-7 work?", *rankings) == ["p1", "p2"]


@given(st.text(alphabet="how do and each both vs one other TIDE Moss-7 ,:?", max_size=80))
def test_any_text_has_no_side_or_several(question: str) -> None:
    found_sides = sides(question, NAMES)

    assert len(found_sides) != 1
    assert all(side.said.casefold() in " ".join(question.split()).casefold() for side in found_sides)


def test_both_papers_answer_what_is_asked_each_under_its_label(seed_engine: Engine) -> None:
    answer = seed_engine.ask("What speed-up do NetMoE and SeedLM report?")

    assert [source.paper.label for source in answer.sources] == ["NetMoE", "SeedLM"]
    assert "1.67" in answer.text
    assert "4x" in answer.text
    assert [sentence.lead.split(":")[0] for sentence in answer.sentences if ":" in sentence.lead] == ["NetMoE", "SeedLM"]


@pytest.mark.parametrize("question", ["What speed-up do NetMoE and SeedLM report?", "How much faster is NetMoE, and what does SeedLM compress?"])
def test_who_else_answers_gets_the_best_paper_on_each_first(seed_engine: Engine, question: str) -> None:
    only_one = [hit for hit in seed_engine.search(question) if hit.paper.label != "SeedLM"]

    widened = seed_engine.extractive().widened(question, only_one, seed_engine.search)

    assert [hit.paper.label for hit in widened[:2]] == ["NetMoE", "SeedLM"]
    assert len({hit.paper.id for hit in widened}) == len(widened)


def test_for_any_other_question_there_is_what_was_found(seed_engine: Engine) -> None:
    hits = list(seed_engine.search("How much faster is NetMoE?"))

    assert seed_engine.extractive().widened("How much faster is NetMoE?", hits, seed_engine.search) == hits
