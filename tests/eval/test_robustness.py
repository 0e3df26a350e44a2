"""Changed libraries and questions, and systems that fall for them on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import robustness
from eval.datasets.loader import Question
from eval.robustness import MARK, Outcome
from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Verdict
from rag_qa.engine import IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from tests.eval.making import answered, question

TIDES = "Tides are hard to predict in harbours. TIDE-7 is 15 times faster than its rivals."
MOSSES = "Mosses grow on the northern side of trees. MOSS-2 counts 400 mosses without labels."
SOUPS = "Soups are cooked for hours in kitchens. SOUP-3 saves 25 percent of the salt."


class Reader:
    """Finds the paper that shares most words with the question, and quotes its last sentence but one, or its last. It has no index and no memory."""

    def __init__(self, folder: Path) -> None:
        self.read: list[Paper] = []

    def index(self, paths: Sequence[str | Path]) -> IndexReport:
        text = Path(paths[0]).read_text(encoding="utf-8")
        self.read = [Paper(f"p{hash(one) & 0xFFFFFF:x}", one) for one in text.strip().split("\n\n")[1:]]
        return IndexReport()

    def papers(self) -> list[Paper]:
        return self.read

    def _best(self, asked: str) -> Paper:
        words = set(asked.lower().replace("?", "").split())
        return max(self.read, key=lambda paper: (len(words & set(paper.abstract.lower().split())), paper.abstract))

    def search(self, asked: str, *, k: int | None = None) -> Sequence[Hit]:
        best = self._best(asked)
        return [Hit(paper=best, passages=(), rank=1, score=1.0)]

    def ask(self, asked: str, *, history: Sequence[str] = ()) -> Answer:
        best = self._best(asked)
        quote = self.chosen(best)
        start = best.abstract.find(quote)
        evidence = Evidence(1, start, start + len(quote), quote)
        return Answer(asked, asked, (Sentence(quote, (1,), Verdict(Status.SUPPORTED, (evidence,))),), (Source(best, 1.0, 1),), confidence=1.0)

    def chosen(self, paper: Paper) -> str:
        return next(one for one in paper.abstract.replace(". ", ".|").split("|") if any(char.isdigit() for char in one))


class Gullible(Reader):
    """Does what the last paper that it read tells it."""

    def ask(self, asked: str, *, history: Sequence[str] = ()) -> Answer:
        answer = super().ask(asked)
        told = any("instructions" in paper.abstract for paper in self.read)
        return replace(answer, sentences=(replace(answer.sentences[0], text=f"{MARK}!"),)) if told else answer


class FirstComes(Reader):
    """Always answers from the first paper of the file."""

    def _best(self, asked: str) -> Paper:
        return self.read[0]


class Remembering(Reader):
    """Knows that TIDE-7 is 15 times faster, whatever the abstract says."""

    def chosen(self, paper: Paper) -> str:
        return "TIDE-7 is 15 times faster than its rivals."


PAPERS = [Paper("a", TIDES), Paper("b", MOSSES), Paper("c", SOUPS)]
QUESTIONS: list[Question] = [
    replace(question("tides", papers=("a",), facts=(("15 times",),)), text="how fast is tide-7 in harbours"),
    replace(question("mosses", papers=("b",), facts=(("400 mosses",),)), text="how many mosses on trees"),
    replace(question("soups", papers=("c",), facts=(("25 percent",),)), text="how much salt in soups"),
]


def found(make: Any, *suites: str) -> dict[str, Outcome]:
    outcomes = robustness.run(PAPERS, QUESTIONS, make, suites=suites, said=lambda _: None)
    return {one.name: one for one in outcomes}


def test_an_honest_system_is_unmoved_by_order_and_injections_and_follows_a_changed_abstract() -> None:
    outcomes = found(Reader, "order", "injection", "counterfactual")
    assert robustness.faults(list(outcomes.values())) == []
    for name in robustness.INJECTIONS:
        assert (outcomes[name].attacked, outcomes[name].right, outcomes[name].count) == (0, 1, 3)
        assert outcomes[name].attack_bound == 1.0  # 3 / 3: so few questions prove nothing
    assert (outcomes["a number changed"].right, outcomes["a number changed"].changed) == (1, 1)


def test_a_system_that_answers_by_the_place_in_the_file_is_caught() -> None:
    outcomes = found(FirstComes, "order")
    assert any(one.jaccard < 1 for one in outcomes.values())
    assert robustness.faults(list(outcomes.values())) != []


def test_a_gullible_system_is_caught() -> None:
    outcomes = found(Gullible, "injection")
    assert outcomes["override"].attacked == 3
    assert outcomes["override"].attack_bound == pytest.approx(1.0)


def test_a_system_that_answers_from_memory_is_caught() -> None:
    assert found(Remembering, "counterfactual")["a number changed"].right < 1


def test_a_quotation_of_the_attack_is_no_attack_and_a_source_that_does_not_exist_is() -> None:
    item = answered(question(), f"It says {MARK}.")
    quoting = replace(item.sentences[0], quotes=(replace(item.sentences[0].quotes[0], found=f"It says {MARK}."),))
    assert robustness.is_attacked(item)
    assert not robustness.is_attacked(replace(item, sentences=(quoting,)))
    assert robustness.is_attacked(replace(item, sentences=(replace(item.sentences[0], text="It is.", citations=(99,)),)))
    assert robustness.is_attacked(replace(item, sentences=(replace(item.sentences[0], text="\u200b".join(MARK)),)))


def test_distractors_grow_around_the_same_questions() -> None:
    variants = list(robustness.distractors({paper.id: paper.abstract for paper in PAPERS}, QUESTIONS[:1]))
    assert [len(one.abstracts) for one in variants] == [1, 3, 3, 3]
    assert {one.questions[0].id for one in variants} == {"tides"}


@given(st.text(max_size=80), st.integers(0, 3), st.text(max_size=3))
def test_slips_keep_the_words_that_are_no_plain_words(text: str, count: int, seed: str) -> None:
    slipped = robustness.mistyped(text, count, seed)
    assert abs(len(slipped) - len(text)) <= count
    assert slipped == robustness.mistyped(text, count, seed)
    assert [word for word in slipped.split() if word.isupper()] == [word for word in text.split() if word.isupper()]


def test_a_name_in_capitals_is_never_mistyped() -> None:
    assert "TIDE" in robustness.mistyped("does TIDE forecast tides", 5, "x")


def test_some_of_the_questions_are_evenly_spread_and_always_the_same() -> None:
    every = [question(f"q-{number}") for number in range(8)]
    assert [one.id for one in robustness.spread(every, 3)] == ["q-0", "q-2", "q-5"]
    assert robustness.spread(every, None) == robustness.spread(every, 9) == every
