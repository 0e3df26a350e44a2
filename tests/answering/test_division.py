"""Which questions ask several things, and what each part asks by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.division import MOST, divided, left_over

NAMES = ("Moss-7", "TIDE", "Peat")


def alone(question: str) -> list[str]:
    return [part.alone for part in divided(question, NAMES)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What does Moss-7 store, and on which GPUs does it run?", ["What does Moss-7 store?", "on which GPUs does Moss-7 run?"]),
        ("How fast is TIDE and how large is its memory?", ["How fast is TIDE?", "how large is TIDE's memory?"]),
        ("How fast is TIDE? And who wrote it?", ["How fast is TIDE?", "who wrote TIDE?"]),
        ("What is TIDE; also, is there a demo?", ["What is TIDE?", "TIDE: is there a demo?"]),
        ("How many hours did it run, and what does TIDE predict?", ["How many hours did TIDE run?", "what does TIDE predict?"]),
        ("What does TIDE predict, and which sensors did they use?", ["What does TIDE predict?", "TIDE: which sensors did they use?"]),
        ("tide: learning rate? and what batch size", ["tide: learning rate?", "tide: what batch size?"]),
        ("Please tell me what TIDE predicts and how fast it is.", ["what TIDE predicts?", "how fast TIDE is?"]),
        ("Tell me the error of TIDE, plus the weight of the buoy.", ["the error of TIDE?", "TIDE: the weight of the buoy?"]),
        ("How long does TIDE train, and on which machine?", ["How long does TIDE train?", "on which machine does TIDE train?"]),
        ("What does TIDE predict, and what does Moss-7 store?", ["What does TIDE predict?", "what does Moss-7 store?"]),
        ("Which lakes were sampled, and did they freeze?", ["Which lakes were sampled?", "did they freeze?"]),
        ("Say of which lakes TIDE has records, also how deep they lie.", ["of which lakes TIDE has records?", "TIDE: how deep they lie?"]),
        ("Along which coast was TIDE tried, and what did it cost?", ["Along which coast was TIDE tried?", "what did TIDE cost?"]),
        ("TIDE - which buoys? and how many storms", ["TIDE: which buoys?", "TIDE: how many storms?"]),
        (
            "Both TIDE and Peat deal with water. What does the first foresee, and where does the second one grow?",
            ["What does TIDE foresee?", "where does Peat grow?"],
        ),
        ("mean error of TIDE + depth of the lakes", ["mean error of TIDE?", "TIDE: depth of the lakes?"]),
    ],
)
def test_parts_that_are_questions_of_their_own(question: str, parts: list[str]) -> None:
    assert alone(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is the precision and recall of TIDE?",
        "How do TIDE and Moss-7 differ?",
        "How do TIDE and Moss-7 compare to Peat, and which is better?",
        "What do TIDE and Moss-7 each predict, and how fast are they?",
        "TIDE and Moss-7 both store something. What does each store?",
        "How and why does peat grow?",
        "What determines when and how peat grows?",
        "Is there a model that is small and which is trained on peat?",
        "Can one tell what was measured and how often?",
        "Which tool, and in which version, is called by TIDE?",
        "Which papers study peat, and what do they propose?",
        "My boat drifts when the wind turns. Can I hold it in place?",
        "I train models of peat and of moss, and I am short of data.",
        "Who is who?",
        "Does wind + rain help TIDE?",
        "TIDE + Peat",
        "How do TIDE and Peat differ, the first of June and the second?",
        "peat - its age and depth",
        "",
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    assert alone(question) == []


def test_a_part_says_which_paper_it_is_about_and_keeps_the_words_of_the_question() -> None:
    first, second = divided("What does TIDE predict, and how fast is it?", NAMES)

    assert (first.said, first.subject) == ("What does TIDE predict", "TIDE")
    assert (second.said, second.subject) == ("how fast is it", "TIDE")


def test_a_text_of_many_questions_is_not_taken_apart() -> None:
    assert len(divided("Who? ".replace("Who", "Who sails") * MOST)) == MOST
    assert [part.said for part in divided("Who sails? " * (MOST + 2))] == ["Who sails"] * MOST
    assert left_over("Who sails? " * MOST + "Who rows? Who swims?") == ("Who rows", "Who swims")
    assert left_over("Who sails? Who rows?") == left_over("Who sails, rows and swims?") == ()


@given(st.text(alphabet="what how and which is it, ?;:TIDE", max_size=80))
def test_any_text_has_no_part_or_several_that_stand_in_it(question: str) -> None:
    parts = divided(question, NAMES)

    assert len(parts) != 1
    assert all(part.said in " ".join(question.split()) for part in parts)
