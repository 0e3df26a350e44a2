"""Every paper that qualifies for a topic: which ones, with which reason, and what lies beyond."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag_qa.index.store import Store
from rag_qa.papers import Paper
from rag_qa.retrieval import sets
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.retriever import Retriever
from rag_qa.retrieval.set_questions import SetQuestion, asked_for_set
from rag_qa.retrieval.sets import Member, PaperSet, Sets
from tests.index.making import update
from tests.retrieval.test_retriever import TopicEmbedder, paper

FIRST = paper("t1", "Boats in snow are old. We propose a gauge of the tide, which counts each tide twice.", year=2024)
SECOND = paper("t2", "This paper studies the tide at noon. Nothing else but snow is in it.", title="The tide at noon", year=2021)
PASSING = paper("w1", "A wolf walks through snow. Wolves have been seen by many, one wolf at a time.")
SNOW = paper("s1", "We measure snow on a roof. Snow melts.")
MOSS = paper("m1", "Moss grows on stone. Wet moss is soft.")
PAPERS = {one.abstract: one.id for one in (FIRST, SECOND, PASSING, SNOW, MOSS)}


@pytest.fixture
def finder(tmp_path: Path) -> Sets:
    """Sets of an index of five papers."""
    return over(tmp_path, [FIRST, SECOND, PASSING, SNOW, MOSS])


def over(folder: Path, papers: list[Paper]) -> Sets:
    store = Store(folder / "index", TopicEmbedder())
    update(store, {"sea.txt": papers})
    return Sets(store, Retriever(store, TopicEmbedder()))


def names(members: tuple[Member, ...]) -> list[str]:
    return [PAPERS[member.hit.paper.abstract] for member in members]


def asked(question: str) -> SetQuestion:
    found = asked_for_set(question)
    assert found is not None
    return found


def test_every_paper_that_qualifies_and_no_other(finder: Sets) -> None:
    found = finder.members(asked("Which papers deal with the tide?"))
    assert sorted(names(found.members)) == ["t1", "t2"]
    assert (found.total, found.library, found.is_cut_short) == (2, 5, False)
    assert found.beyond == ()


def test_the_reason_is_the_sentence_that_says_so(finder: Sets) -> None:
    reasons = {PAPERS[one.hit.paper.abstract]: one.reason for one in finder.members(SetQuestion("tide")).members}
    assert reasons == {"t1": "We propose a gauge of the tide, which counts each tide twice.", "t2": "This paper studies the tide at noon."}


def test_best_first_and_the_rest_of_the_list_after_it(finder: Sets) -> None:
    found = finder.members(SetQuestion("tide"), beyond=10)
    every = [*found.members, *found.beyond]
    assert sorted(names(tuple(every))) == sorted(PAPERS.values())
    assert [one.probability for one in every] == sorted((one.probability for one in every), reverse=True)
    assert all(one.probability >= sets.CUT for one in found.members)
    assert all(one.probability < sets.CUT for one in found.beyond)
    assert [one.hit.rank for one in every] == [1, 2, 3, 4, 5]


def test_a_topic_that_no_paper_deals_with(finder: Sets) -> None:
    found = finder.members(SetQuestion("volcano"))
    assert (found.members, found.total) == ((), 0)


def test_a_lower_cut_takes_more(finder: Sets) -> None:
    assert finder.members(SetQuestion("tide"), cut=0.0).total == 5
    assert finder.members(SetQuestion("tide"), cut=1.1).total == 0


def test_filters_hold(finder: Sets) -> None:
    found = finder.members(SetQuestion("tide"), filters=Filters(year_from=2023))
    assert names(found.members) == ["t1"]
    assert finder.members(SetQuestion("tide"), filters=Filters(year_from=2030)) == PaperSet("tide", (), (), 0, 5, False)


def test_near_copies_are_one_member_and_counted(tmp_path: Path) -> None:
    long = "We propose a gauge of the tide at the old bay, where boats wait for the tide at noon and gulls count the wet stones of a long pier."
    copy = paper("t3", long.replace("gulls", "terns"))
    found = over(tmp_path, [paper("t1", long), copy, SNOW, MOSS]).members(SetQuestion("tide"))
    assert len(found.members) == 1
    assert found.total == 2
    assert len(found.members[0].hit.copies) == 1


def test_of_more_papers_than_are_looked_at_it_says_so(tmp_path: Path) -> None:
    many = [paper(f"t{i}", f"We study the tide number {i} of bay {i * 7}. It is a tide.") for i in range(12)]
    update(store := Store(tmp_path / "index", TopicEmbedder()), {"sea.txt": many})
    retriever = Retriever(store, TopicEmbedder())
    short = Sets(store, retriever, depth=3, deepest=3).members(SetQuestion("tide"))
    assert short.is_cut_short
    assert short.total < 12
    deep = Sets(store, retriever, depth=3).members(SetQuestion("tide"))
    assert (deep.total, deep.looked_at, deep.is_cut_short) == (12, 12, False)


def test_of_more_members_than_are_wanted_it_is_said_that_they_qualify(finder: Sets) -> None:
    whole = finder.members(SetQuestion("tide"), beyond=1)
    short = finder.members(SetQuestion("tide"), beyond=1, most=1)
    assert (len(whole.members), whole.rest) == (2, ())
    assert short.members == whole.members[:1]
    assert [PAPERS[one.paper.abstract] for one in short.rest] == names(whole.members[1:])
    assert [one.paper.abstract[one.start : one.end] for one in short.rest] == [whole.members[1].reason]
    assert [one.probability for one in short.rest] == [whole.members[1].probability]
    assert (short.total, short.looked_at) == (whole.total, whole.looked_at)
    assert names(short.beyond) == names(whole.beyond)


@pytest.mark.parametrize(
    ("question", "most"), [(SetQuestion("snow", also=("tide",)), None), (SetQuestion("snow", also=("tide",)), 1), (SetQuestion("tide"), 0)]
)
def test_how_many_qualify_does_not_depend_on_how_many_are_shown(finder: Sets, question: SetQuestion, most: int | None) -> None:
    every, some = finder.members(question), finder.members(question, most=most)
    assert some.total == every.total == 2
    assert len(some.members) == (2 if most is None else most)


def test_a_topic_that_papers_must_not_have(finder: Sets) -> None:
    assert sorted(names(finder.members(SetQuestion("snow")).members)) == ["s1", "t1", "t2", "w1"]
    found = finder.members(SetQuestion("snow", without="tide"), beyond=9)
    assert sorted(names(found.members)) == ["s1", "w1"]
    assert names(found.beyond) == ["m1"]
    assert finder.members(SetQuestion("snow", without="tide"), most=1).total == 2
    assert finder.members(SetQuestion("snow", without="volcano")).total == 4
    assert finder.members(SetQuestion("tide", without="tide")).total == 0
    assert finder.members(SetQuestion("snow", without="in Tide")).total == 4  # where it was published is nothing that papers deal with


def test_a_topic_that_is_itself_what_is_not_there_takes_nothing_away(finder: Sets) -> None:
    assert finder.members(SetQuestion("not use gauges", without="gauges")) == finder.members(SetQuestion("not use gauges"))


def test_probabilities_rise_with_what_speaks_for_a_paper() -> None:
    nothing = np.zeros((1, len(sets.WEIGHTS)))
    everything = np.ones((1, len(sets.WEIGHTS)))
    assert 0.0 < sets.probabilities(nothing)[0] < sets.CUT < sets.probabilities(everything)[0] < 1.0


NO_TIDE = paper("n1", "We measure snow without a tide. It works on every roof.")
NEVER_TIDE = paper("n2", "Our gauge of snow does not need a tide. It is small.")


@pytest.mark.parametrize("most", [None, 1])
def test_papers_that_do_not_do_something_are_those_that_say_so(tmp_path: Path, most: int | None) -> None:
    finder = over(tmp_path, [FIRST, SECOND, NO_TIDE, NEVER_TIDE])
    # the papers that are about tides are the opposite of what is asked for
    for question in ("Which papers do not need a tide?", "Which papers don't need a tide?", "papers without a tide"):
        found = finder.members(asked(question), most=most)
        shown = [one.hit.paper.abstract for one in found.members] + [one.paper.abstract for one in found.rest]
        assert sorted(shown) == [NEVER_TIDE.abstract, NO_TIDE.abstract], question
        assert found.total == 2
