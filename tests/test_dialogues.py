"""Dialogues for developing: how a follow-up is understood after what was said before. Papers and people are made up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_qa.chat import Turn, small_talk, stand_alone
from rag_qa.papers import Paper

TIDE = Paper("p1", "We propose TIDE-7, a model of tides. TIDE-7 uses copper gauges and is fast.", title="TIDE-7", authors=("Smith, Ada",), year=2021)
MOSS = Paper("p2", "We present MOSS-2, which models moss under snow. MOSS-2 needs snow data.", title="MOSS-2", authors=("Jones, Karl",), year=2024)
GEM = Paper("p3", "GEM learns to map gemstones with reinforcement learning. GEM is slow.", title="GEM: mapping gemstones by reward", year=2019)
SNOW = Paper(
    "p4", "Snow falls on the valley. We count its flakes with a camera.", title="How snow falls on the valley and what its flakes tell us", year=2023
)

UNNAMED = Paper("p5", "We propose LLMs that count flakes. LLMs count quickly.")
TIDE_AND_GAUGE = Paper("p6", "We present TIDE-8, and a copper gauge, GAUGE-2, that lasts. TIDE-8 is fast.", title="TIDE-8")

TIDES = Turn("What is TIDE-7?", (TIDE,))
FAST = Turn("How fast is TIDE-7 on river data?", (TIDE,))
COLLAPSE = Turn("What is rank collapse?", (SNOW,))
COMPARED = Turn("Compare TIDE-7 and MOSS-2", (TIDE, MOSS))
COMPARED_ANEW = Turn("Compare MOSS-2 and TIDE-7", (TIDE, MOSS))
PRIVACY = Turn("Which papers deal with privacy?", (TIDE, MOSS, GEM, SNOW))
SINCE = Turn("Which papers since 2023 deal with privacy?", (MOSS, SNOW))
SMITH = Turn("Which papers by Smith study privacy?", (TIDE,))
COUNT = Turn("How many papers use reinforcement learning?", (GEM, MOSS))
ON = Turn("Are there any papers on snow?", (SNOW, MOSS))
SAID = Turn("What do the papers say about privacy?", (TIDE, MOSS, GEM))
ONE = Turn("What does TIDE-7 propose?", (TIDE,))
SNOWFALL = Turn("Which paper counts flakes?", (SNOW,))
REFUSED = Turn("What is the capital of France?")

DIALOGUES = [
    # pronouns
    ([TIDES], "How does it work?", "How does TIDE-7 work?"),
    ([TIDES], "and its limitations?", "and TIDE-7's limitations?"),
    ([TIDES], "Can you summarise it?", "Can you summarise TIDE-7?"),
    ([SNOWFALL], "What does it need?", "counts flakes: What does it need?"),
    ([PRIVACY], "What data do they use?", "What data do the papers that deal with privacy use?"),
    ([ON], "What do they say about flakes?", "What do the papers on snow say about flakes?"),
    ([TIDES], "Is there a variant of it with a camera?", "Is there a variant of TIDE-7 with a camera?"),
    (
        [TIDES],
        "What other weaknesses of those sparse approaches do they name?",
        "TIDE-7: What other weaknesses of those sparse approaches do they name?",
    ),
    # comparisons
    ([TIDES], "compare it with GEM", "compare TIDE-7 with GEM"),
    ([TIDES], "compare with GEM", "compare TIDE-7 with GEM"),
    ([TIDES], "How does it compare to GEM?", "How does TIDE-7 compare to GEM?"),
    ([FAST], "compared to GEM?", "How fast is TIDE-7 on river data compared to GEM?"),
    ([TIDES], "compared to GEM?", "compare TIDE-7 with GEM"),
    ([PRIVACY], "compare the first two", "compare TIDE-7 and MOSS-2"),
    ([PRIVACY], "Compare the first two papers", "Compare TIDE-7 and MOSS-2"),
    ([PRIVACY], "compare the first one with the third", "compare TIDE-7 with “GEM: mapping gemstones by reward”"),
    ([PRIVACY], "compare the first and the second one", "compare TIDE-7 and MOSS-2"),
    ([PRIVACY, ONE], "compare it with the second one", "compare TIDE-7 with MOSS-2"),
    ([COMPARED], "Which of them is faster?", "Which of TIDE-7 and MOSS-2 is faster?"),
    ([COMPARED], "Do both need snow?", "Do both TIDE-7 and MOSS-2 need snow?"),
    (
        [PRIVACY],
        "How do the last two differ?",
        "How do “GEM: mapping gemstones by reward” and “How snow falls on the valley and what its flakes tell us” differ?",
    ),
    # places
    ([PRIVACY], "What does the 2nd one need?", "What does MOSS-2 need?"),
    ([PRIVACY], "the second paper", "tell me more about MOSS-2"),
    ([PRIVACY], "second one?", "tell me more about MOSS-2"),
    ([PRIVACY], "tell me more about number two", "tell me more about MOSS-2"),
    ([PRIVACY], "What about the last one?", "tell me more about “How snow falls on the valley and what its flakes tell us”"),
    ([PRIVACY, ONE], "and the second one?", "What does MOSS-2 propose?"),
    ([PRIVACY, ONE], "What about the third?", "What does “GEM: mapping gemstones by reward” propose?"),
    # others
    ([PRIVACY], "any others?", "Which other papers deal with privacy?"),
    ([PRIVACY], "what else?", "Which other papers deal with privacy?"),
    ([COUNT], "any others?", "Which other papers use reinforcement learning?"),
    ([ON], "more?", "Are there any other papers on snow?"),
    ([TIDES], "what else?", "tell me more about TIDE-7"),
    # sets
    ([PRIVACY], "which of these use RL?", "Which papers deal with privacy and use RL?"),
    ([PRIVACY], "how many of them are about vision?", "How many papers deal with privacy and are about vision?"),
    ([PRIVACY], "Do any of them use reinforcement learning?", "Do any papers deal with privacy and use reinforcement learning?"),
    ([PRIVACY], "any of them on vision?", "Which papers deal with privacy and are on vision?"),
    ([PRIVACY], "and which use RL?", "Which papers deal with privacy and use RL?"),
    ([PRIVACY], "Of those, which use RL?", "Which papers deal with privacy and use RL?"),
    ([ON], "which of them need cameras?", "Which papers on snow need cameras?"),
    ([PRIVACY], "which of them is the fastest?", "which of the papers that deal with privacy is the fastest?"),
    ([PRIVACY], "how many are there?", "How many papers deal with privacy?"),
    ([PRIVACY], "how many of these are since 2023?", "How many papers since 2023 deal with privacy?"),
    ([PRIVACY], "and how many were published before 2019?", "How many papers before 2019 deal with privacy?"),
    ([PRIVACY, TIDES], "how many of them are by Jones?", "How many papers by Jones deal with privacy?"),
    ([SMITH], "how many of those are by Jones?", "How many papers by Smith and Jones study privacy?"),
    ([SINCE], "how many of them are from 2010?", "How many papers from 2010 since 2023 deal with privacy?"),
    ([TIDES], "how many are from 2019?", "How many papers are from 2019?"),
    ([PRIVACY, TIDES], "and how many were published in 2019?", "How many papers were published in 2019?"),
    ([], "how many are since 2022?", "How many papers are since 2022?"),
    ([COUNT], "which ones?", "Which papers use reinforcement learning?"),
    ([COUNT], "list them", "Which papers use reinforcement learning?"),
    ([PRIVACY, ONE], "which of these use RL?", "Which papers deal with privacy and use RL?"),
    ([PRIVACY], "What about fairness?", "Which papers deal with fairness?"),
    ([PRIVACY], "and fairness?", "Which papers deal with fairness?"),
    ([COUNT], "and supervised learning?", "How many papers use supervised learning?"),
    ([SAID], "and about fairness?", "What do the papers say about fairness?"),
    ([SAID], "and fairness?", "What do the papers say about fairness?"),
    (
        [Turn("Which papers deal with privacy?", (TIDE,))],
        "which of them is the fastest?",
        "which of the papers that deal with privacy is the fastest?",
    ),
    ([Turn("Which papers deal with privacy?", (TIDE,))], "what do they have in common?", "what do the papers that deal with privacy have in common?"),
    ([Turn("Which papers deal with privacy?", (TIDE,))], "Does it need gauges?", "Does TIDE-7 need gauges?"),
    # filters
    ([PRIVACY], "and since 2023?", "Which papers since 2023 deal with privacy?"),
    ([PRIVACY], "only reviews", "Which papers deal with privacy, only reviews?"),
    ([PRIVACY], "no reviews please", "Which papers deal with privacy, no reviews?"),
    ([PRIVACY], "the same by Smith", "Which papers by Smith deal with privacy?"),
    ([PRIVACY], "only those since 2023", "Which papers since 2023 deal with privacy?"),
    ([PRIVACY], "just the ones from 2024", "Which papers from 2024 deal with privacy?"),
    ([PRIVACY], "and in Nature?", "Which papers in Nature deal with privacy?"),
    ([SINCE], "and before 2020?", "Which papers before 2020 deal with privacy?"),
    ([SINCE], "and until 2024?", "Which papers from 2023 to 2024 deal with privacy?"),
    ([SINCE], "by Smith?", "Which papers by Smith since 2023 deal with privacy?"),
    ([SINCE], "any year", "Which papers deal with privacy?"),
    ([SINCE], "and fairness?", "Which papers since 2023 deal with fairness?"),
    ([SINCE], "any others?", "Which other papers since 2023 deal with privacy?"),
    ([SINCE], "which of them use RL?", "Which papers since 2023 deal with privacy and use RL?"),
    ([SMITH], "and by Jones?", "Which papers by Jones study privacy?"),
    ([SMITH], "drop the author filter", "Which papers study privacy?"),
    ([SAID], "and since 2023?", "What do the papers since 2023 say about privacy?"),
    ([PRIVACY, ONE], "and since 2023?", "Which papers since 2023 deal with privacy?"),
    # ellipsis
    ([FAST], "and on lake data?", "How fast is TIDE-7 on lake data?"),
    ([FAST], "on ImageNet?", "How fast is TIDE-7 on ImageNet?"),
    ([Turn("How accurate is TIDE-7?", (TIDE,))], "and for images?", "How accurate is TIDE-7 for images?"),
    ([FAST], "what about GEM?", "How fast is GEM on river data?"),
    ([FAST], "the same for GEM", "How fast is GEM on river data?"),
    ([FAST], "and lake data?", "How fast is TIDE-7 on lake data?"),
    ([COLLAPSE], "and mode collapse?", "What is mode collapse?"),
    ([TIDES], "why?", "why: What is TIDE-7?"),
    # corrections
    ([TIDES], "no, I meant MOSS-2", "What is MOSS-2?"),
    ([PRIVACY, ONE], "No, I mean the second one", "What does MOSS-2 propose?"),
    ([COMPARED, ONE], "I mean the other one", "What does MOSS-2 propose?"),
    ([FAST], "sorry, I meant lake data", "How fast is TIDE-7 on lake data?"),
    ([FAST], "no, on lake data", "How fast is TIDE-7 on lake data?"),
    ([PRIVACY], "I meant differential privacy", "Which papers deal with differential privacy?"),
    ([PRIVACY], "no, only reviews", "Which papers deal with privacy, only reviews?"),
    ([TIDES], "No, how fast is it?", "how fast is TIDE-7?"),
    ([COMPARED], "no, I meant GEM", "Compare TIDE-7 and GEM"),
    ([Turn("compare TIDE-7 with MOSS-2", (TIDE, MOSS))], "and GEM?", "compare TIDE-7 with GEM"),
    # as others put it
    ([TIDES], "is MOSS-2 better?", "is MOSS-2 better than TIDE-7?"),
    ([TIDES], "vs MOSS-2?", "compare TIDE-7 with MOSS-2"),
    ([TIDES], "for example?", "tell me more about TIDE-7"),
    ([TIDES], "ok forget that, what is rank collapse?", "what is rank collapse?"),
    ([PRIVACY], "show me the rest", "Which other papers deal with privacy?"),
    ([PRIVACY], "is that all?", "Which other papers deal with privacy?"),
    ([PRIVACY], "narrow it down to vision", "Which papers deal with privacy and are about vision?"),
    ([PRIVACY], "only the ones that use RL", "Which papers deal with privacy and use RL?"),
    ([PRIVACY], "just those with experiments on images", "Which papers deal with privacy and have experiments on images?"),
    ([PRIVACY], "exclude reviews", "Which papers deal with privacy, excluding reviews?"),
    ([PRIVACY], "anything newer than 2022?", "Which papers newer than 2022 deal with privacy?"),
    ([PRIVACY], "and papers about robustness?", "Which papers deal with robustness?"),
    ([SINCE], "what about older ones?", "Which papers before 2023 deal with privacy?"),
    ([COMPARED], "why is the second slower?", "why is MOSS-2 slower?"),
    ([COMPARED], "is the first one faster?", "is TIDE-7 faster?"),
    ([Turn("Which papers deal with privacy?", (TIDE, MOSS)), ONE], "and the others?", "What does MOSS-2 propose?"),
    ([FAST], "sorry I meant how accurate it is", "how accurate TIDE-7 is"),
    ([FAST], "not speed, accuracy", "TIDE-7 fast river data: accuracy"),
    ([PRIVACY], "do any mention text?", "Do any papers deal with privacy and mention text?"),
    ([PRIVACY], "any of those theoretical?", "Which papers deal with privacy and are theoretical?"),
    ([PRIVACY], "how do the first and the second compare?", "how do TIDE-7 and MOSS-2 compare?"),
    ([PRIVACY], "are there any from before 2020?", "Which papers before 2020 deal with privacy?"),
    ([PRIVACY], "could you list only the reviews", "Which papers deal with privacy, only the reviews?"),
    ([FAST], "no wait, lake data", "How fast is TIDE-7 on lake data?"),
    # others, of an earlier list or on a topic
    ([PRIVACY, ONE], "any others?", "Which other papers deal with privacy?"),
    ([PRIVACY, ONE], "what else?", "Which other papers deal with privacy?"),
    ([TIDES], "any others on red teaming?", "Which other papers are on red teaming?"),
    ([PRIVACY], "are there more about floods", "Which other papers are about floods?"),
    ([Turn("Is TIDE-7 about tides?", (TIDE,))], "any others about that?", "Which other papers are about tides?"),
    # the better of two
    ([COMPARED], "which is quicker on large maps?", "which of TIDE-7 and MOSS-2 is quicker on large maps?"),
    ([COMPARED], "and which needs more snow?", "and which of TIDE-7 and MOSS-2 needs more snow?"),
    ([TIDES], "which is quicker on large maps?", "which is quicker on large maps?"),
    # one named in front, the same of another
    ([TIDES], "And MOSS-2, what's its drawback?", "what's MOSS-2's drawback?"),
    ([TIDES], "what about MOSS-2, does it need gauges?", "does MOSS-2 need gauges?"),
    ([FAST], "could MOSS-2 do the same?", "How fast is MOSS-2 on river data?"),
    ([FAST], "is that true for MOSS-2 as well?", "How fast is MOSS-2 on river data?"),
    ([FAST], "does the same hold for MOSS-2", "How fast is MOSS-2 on river data?"),
    # another number
    ([Turn("How fast is TIDE-7 at 512 gauges?", (TIDE,))], "no, I meant with 128", "How fast is TIDE-7 at 128 gauges?"),
    ([Turn("How fast is TIDE-7 with 4 gauges in 2 rivers?", (TIDE,))], "and with 8 gauges?", "How fast is TIDE-7 with 8 gauges in 2 rivers?"),
    # back to what was spoken of
    ([TIDES, COLLAPSE], "back to the first one", "What is TIDE-7?"),
    ([TIDES, COLLAPSE], "Going back to the first question: is it fast?", "is TIDE-7 fast?"),
    ([TIDES, COLLAPSE], "back to TIDE-7, how fast is it?", "how fast is TIDE-7?"),
    ([COLLAPSE, TIDES], "let's go back to rank collapse", "tell me more about rank collapse"),
    ([TIDES], "returning to MOSS-2: does it grow?", "does MOSS-2 grow?"),
    # words that lean
    ([TIDES], "how well do the best ones do?", "TIDE-7: how well do the best ones do?"),
    ([TIDES], "why is theirs better than known bounds?", "TIDE-7: why is theirs better than known bounds?"),
    ([TIDES], "who has to do these by hand?", "TIDE-7: who has to do these by hand?"),
    ([TIDES], "this copper, what does it cost?", "TIDE-7: this copper, what does it cost?"),
    ([TIDES], "what about the weather tomorrow?", "TIDE-7: what about the weather tomorrow?"),
    # what stands in front is what it is about, however often
    ([Turn("counting flakes by eye: how many?", (UNNAMED,))], "and is it reliable?", "counting flakes by eye: and is it reliable?"),
    ([Turn("How are flakes counted with LLMs?", (UNNAMED,))], "is it reliable?", "flakes counted llms: is it reliable?"),
    ([Turn("Is GAUGE-2 robust?", (TIDE_AND_GAUGE,))], "why does it last?", "why does GAUGE-2 last?"),
    ([COMPARED_ANEW], "What does the second paper say about it?", "What does TIDE-7 say about it?"),
    (
        [COMPARED_ANEW, Turn("How do MOSS-2 and TIDE-7 use routing?", (TIDE, MOSS))],
        "What does the first say about it?",
        "What does MOSS-2 say about routing?",
    ),
    ([TIDES], "Leaving tides aside: which techniques grow moss?", "which techniques grow moss?"),
    ([TIDES], "I have another question, is it fast?", "is TIDE-7 fast?"),
    # what goes on from question to question
    ([Turn("how so: counting flakes by eye: how many?", (UNNAMED,))], "and is it reliable?", "counting flakes by eye: and is it reliable?"),
    ([Turn("tell me more about “How it snows”", (UNNAMED,))], "is it reliable?", "snows: is it reliable?"),
    ([Turn("tell me more about “How it snows”")], "is it reliable?", "is “How it snows” reliable?"),
    ([Turn("Is TIDE-7 fast versus other models?", (TIDE, MOSS))], "does it need gauges?", "does TIDE-7 need gauges?"),
    ([COLLAPSE], "what fixes them?", "rank collapse: what fixes them?"),
    ([TIDES], "the data set's size?", "TIDE-7: the data set's size?"),
    ([PRIVACY], "any similar papers?", "Which other papers deal with privacy?"),
    ([COLLAPSE], "papers like this?", "Which other papers are about rank collapse?"),
    ([TIDES], "something simpler please", "something simpler: What is TIDE-7?"),
    ([PRIVACY, ONE, TIDES, FAST, TIDES], "which of these use RL?", "Which papers deal with privacy and use RL?"),
    (
        [PRIVACY, Turn("How do tides rise?", (TIDE, MOSS))],
        "and the fourth?",
        "“How snow falls on the valley and what its flakes tell us”: How do tides rise?",
    ),
    # assent in front of a question
    ([TIDES], "yes, tell me more", "tell me more about TIDE-7"),
    ([PRIVACY], "yes please, the second one", "tell me more about MOSS-2"),
    # nothing carried over
    ([PRIVACY], "Which papers deal with fairness?", "Which papers deal with fairness?"),
    ([SINCE], "Which papers deal with fairness?", "Which papers deal with fairness?"),
    ([TIDES], "New topic: what is rank collapse?", "what is rank collapse?"),
    ([REFUSED], "What is rank collapse?", "What is rank collapse?"),
    ([PRIVACY], "What is the first step of rank collapse?", "What is the first step of rank collapse?"),
    ([PRIVACY], "papers on moss", "papers on moss"),
    ([PRIVACY], "moss under snow", "moss under snow"),
]


@pytest.mark.parametrize(("turns", "question", "expected"), DIALOGUES)
def test_a_dialogue(turns: list[Turn], question: str, expected: str) -> None:
    assert stand_alone(question, turns) == expected


TURNS = [TIDES, FAST, COLLAPSE, COMPARED, PRIVACY, SINCE, SMITH, COUNT, ON, SAID, ONE, SNOWFALL, REFUSED]
PIECES = (
    "it its they them this that one which of them how many and what about the second the first two compare with any others since 2023 by Smith only"
    " reviews no, I meant TIDE-7 on data ? , : “ ” why tell me more is does deal privacy papers Which number 2 [3] yes"
).split()
question_like = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join) | st.text(max_size=40) | st.sampled_from([d[1] for d in DIALOGUES])
some_turns = st.lists(st.sampled_from(TURNS), min_size=1, max_size=3)


@settings(max_examples=150)
@given(question_like, some_turns)
def test_whatever_is_typed_is_understood_as_something_on_one_line(question: str, turns: list[Turn]) -> None:
    understood = stand_alone(question, turns)
    assert "\n" not in understood
    assert bool(understood) == bool(question.split())


@settings(max_examples=150)
@given(question_like, some_turns)
def test_what_was_understood_is_understood_as_it_is(question: str, turns: list[Turn]) -> None:
    understood = stand_alone(question, turns)
    assert stand_alone(understood, turns) == understood


@pytest.mark.parametrize(("turns", "question", "expected"), DIALOGUES)
def test_a_dialogue_understood_again_stays_as_it_is(turns: list[Turn], question: str, expected: str) -> None:
    assert stand_alone(expected, turns) == expected


# Read alone they are understood; after something else was said, by nobody for sure.
LEAN_EITHER_WAY = {
    "Which works work out how much training data, or the people who supplied it, contributed to a diffusion model?",
    "Which of these works introduces a watermarking scheme for LLM output?",
    "How does word2vec learn its embeddings?",
    "How much faster than their teachers can the distilled, specialised force fields become?",
    "What do the authors mean by reward misspecification?",
    "Which of these works deal with differential privacy?",
    "Which ones give a GitHub link to their code?",
}
# Known faults: what they point to stands in the question itself, and is looked for in what was said before.
POINT_WITHIN = {
    "Both COMET and NetMoE are about experts. What does the first use in place of a trained router, and what does the second move around?",
    "How many pretraining tokens were searched in the procedural knowledge study, and with what optimiser were those models pretrained?",
    "fsgdm and alpha-svrg both change something as training goes on, what is it in each case",
    "Are there papers about speech or audio? List them all please.",
}


def stands_alone(file: Path) -> Iterator[str]:
    """The questions of a set that have no history and are no small talk."""
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if not record.get("history") and not small_talk(record["question"]):
            yield " ".join(record["question"].split())


@pytest.mark.parametrize("name", ["seeds", "iclr_dev", "sets_dev"])
@pytest.mark.parametrize("turns", [[TIDES], [PRIVACY], [COMPARED], [PRIVACY, ONE], [SINCE], [REFUSED]])
def test_a_question_of_the_development_sets_takes_nothing_from_another_conversation(name: str, turns: list[Turn], project: Path) -> None:
    questions = list(stands_alone(project / "eval" / "datasets" / f"{name}.jsonl"))
    assert len(questions) > 90
    taken = [question for question in questions if stand_alone(question, turns) != stand_alone(question, [])]
    assert [question for question in taken if question not in LEAN_EITHER_WAY | POINT_WITHIN] == []


@pytest.mark.xfail(strict=True, reason="what a question points to within itself is looked for in what was said before")
def test_what_a_question_points_to_within_itself_is_not_looked_for_before_it() -> None:
    assert [question for question in POINT_WITHIN if stand_alone(question, [PRIVACY]) != stand_alone(question, [])] == []
