"""Every paper that qualifies, as an answer: each with the sentence that says so, and nothing of ours in between."""

from __future__ import annotations

from dataclasses import replace

from rag_qa.answering.answer import Answer, Status
from rag_qa.answering.listing import MOST, Passing, all_of, listed
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.sets import Member, PaperSet

TIDES = Paper("p1", "Tides are old. We present a gauge for tides.", title="A gauge")
MOSSES = Paper("p2", "Mosses grow. In this work we count tides of moss.", title="Moss")
SNOW = Paper("p3", "Snow falls.", title="Snow")


def member(paper: Paper, start: int, end: int, probability: float) -> Member:
    return Member(Hit(paper, (), probability, 1), probability, start, end)


FOUND = PaperSet("tides", (member(TIDES, 15, 44, 0.9), member(MOSSES, 13, 49, 0.6)), (member(SNOW, 0, 11, 0.1),), 3, 3, False)


def check_verbatim(answer: Answer) -> None:
    for sentence in answer.sentences:
        (evidence,) = sentence.verdict.evidence
        paper = answer.sources[evidence.source - 1].paper
        assert paper.abstract[evidence.start : evidence.end] == evidence.quote == sentence.text
        assert (sentence.verdict.status, sentence.citations) == (Status.SUPPORTED, (evidence.source,))
        assert sentence.lead in (f"{paper.label}:", "")


def test_each_paper_speaks_once_in_its_own_words() -> None:
    answer = listed("Which papers deal with tides?", "Which papers deal with tides?", FOUND)

    check_verbatim(answer)
    assert answer.preface == "2 of 3 papers deal with “tides”:"
    assert [sentence.text for sentence in answer.sentences] == ["We present a gauge for tides.", "In this work we count tides of moss."]
    assert [(source.n, source.paper.id) for source in answer.sources] == [(1, "p1"), (2, "p2")]
    assert ([source.paper.id for source in answer.related], answer.confidence, answer.abstained) == (["p3"], 0.9, None)
    assert answer.text.startswith("2 of 3 papers deal with “tides”: A gauge: We present a gauge for tides. [1] Moss:")


def test_a_set_without_members_is_refused() -> None:
    answer = listed("papers on tides", "papers on tides", replace(FOUND, members=()))

    assert answer.abstained == "No paper of this library deals with “tides”, as far as the abstracts say."
    assert (answer.sentences, answer.sources, answer.preface, [source.paper.id for source in answer.related]) == ((), (), "", ["p3"])


def test_of_papers_that_pass_filters_only_these_are_counted() -> None:
    passing = Passing(2, "by Smith, from 2020 on")

    assert listed("q", "q", FOUND, passing=passing).preface == "2 of the 2 papers (by Smith, from 2020 on) deal with “tides”:"
    assert listed("q", "q", replace(FOUND, members=()), passing=passing).abstained == (
        "No paper of the 2 (by Smith, from 2020 on) deals with “tides”, as far as the abstracts say."
    )


def test_papers_that_were_told_before_are_left_out() -> None:
    answer = listed("any others?", "papers on tides", FOUND, frozenset({"p1"}))

    assert (answer.preface, [source.paper.id for source in answer.sources]) == ("1 other of 3 papers deals with “tides”:", ["p2"])
    assert listed("any others?", "papers on tides", FOUND, frozenset({"p1", "p2"})).abstained == (
        "No paper of this library but those already shown deals with “tides”, as far as the abstracts say."
    )


def test_near_copies_and_what_is_not_shown_are_counted() -> None:
    hit = replace(FOUND.members[0].hit, copies=(SNOW,))
    many = tuple(member(replace(TIDES, id=f"q{i}"), 15, 44, 0.9) for i in range(MOST + 5))

    with_copy = replace(FOUND, members=(replace(FOUND.members[0], hit=hit),))
    assert listed("q", "q", with_copy).preface == (
        "2 of 3 papers deal with “tides”; one of them says the same as another in nearly the same words, and is not shown:"
    )
    answer = listed("q", "q", replace(FOUND, members=many, library=900, is_cut_short=True))
    assert answer.preface == f"At least {MOST + 5} of 900 papers deal with “tides”; the surest {MOST} are shown:"
    assert len(answer.sentences) == len(answer.sources) == MOST


def test_papers_asked_for_by_filters_alone_say_what_they_do() -> None:
    answer = all_of("papers by Smith", "papers by Smith", [TIDES, SNOW], 2, 3)

    check_verbatim(answer)
    assert answer.preface == "2 of 3 papers are as asked:"
    assert [sentence.text for sentence in answer.sentences] == ["We present a gauge for tides.", "Snow falls."]
