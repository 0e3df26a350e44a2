"""Questions made by rules: what a sentence is asked, what is never proposed, and which proposals are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from eval import make_questions
from eval.datasets.loader import Kind
from eval.make_questions import MakingError
from eval.metrics import facts
from eval.proposals import patterns, rules, several, unanswered
from eval.proposals.choosing import chosen
from eval.proposals.masked import masked
from eval.proposals.patterns import Asked
from eval.proposals.proposal import Proposal, Rest, fault
from eval.proposals.several import Neighbours
from eval.proposals.subjects import Subject, subjects
from rag_qa.papers import Paper

TIDE = Subject(Paper("p1", "We propose TIDE-7, a model of tides."), "TIDE-7", is_name=True)
TITLED = Subject(Paper("p2", "Moss grows.", title="Moss under snow"), "“Moss under snow”", is_title=True)


def of(sentence: str, subject: Subject = TIDE) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is asked of a sentence: kind, question, the first alias of each fact."""
    return [(str(one.kind), one.question, tuple(group[0] for group in one.facts)) for one in patterns.asked(sentence, subject)]


SENTENCES = [
    ("We propose TIDE-7, a fast model of coastal tides that needs no data.", ("definition", "What is {x}?", ("fast model of coastal tides",))),
    ("We present a novel graph network called TIDE-7.", ("definition", "What is {x}?", ("graph network",))),
    ("TIDE-7 is an open benchmark for tidal forecasts.", ("definition", "What is {x}?", ("open benchmark for tidal forecasts",))),
    (
        r"It reduces the cost of training by up to 30\%.",
        ("number", "By how much does {x} reduce the cost of training?", (r"30\%",)),
    ),
    (r"TIDE-7 achieves a maximum speedup of $1.67 \times$ over rivals.", ("number", "What speedup does {x} achieve?", (r"$1.67 \times$",))),
    ("It attains 91.2% accuracy on all of them.", ("number", "What accuracy does {x} achieve?", ("91.2%",))),
    ("TIDE-7 is 1.5× faster than its rivals.", ("number", "How much faster is {x}?", ("1.5×",))),
    ("Experiments on five tidal datasets show it.", ("number", "On how many tidal datasets is {x} tested?", ("five tidal datasets",))),
    ("It contains 592K labelled waves.", ("number", "How many labelled waves does {x} comprise?", ("592K labelled waves",))),
    ("We followed 41 patients for a year.", ("number", "How many patients are reported on in the work on {x}?", ("41 patients",))),
    ("TIDE-7 improves forecasts by averaging ten thousand runs.", None),
    ("TIDE-7 improves forecasts by averaging several runs.", ("how", "How does {x} improve forecasts?", ("averaging several runs",))),
    ("TIDE-7 leverages ridge regression to foresee floods.", ("fact", "What does {x} leverage?", ("ridge regression",))),
    ("TIDE-7 outperforms TREE-3 on all coasts.", ("fact", "What does {x} outperform?", ("TREE-3",))),
    ("To reduce the cost of forecasts, we introduce TIDE-7.", ("why", "What is {x} meant to reduce?", ("cost of forecasts",))),
    ("It was tried on benchmarks such as GLUE, SQuAD and WMT.", ("list", "Which benchmarks are named in the work on {x}?", ("GLUE", "SQuAD", "WMT"))),
    # what leans on other sentences, says nothing, or is not the paper's own
    ("To address these issues, we introduce TIDE-7.", None),
    ("We propose TIDE-7, a novel framework that is simple.", None),
    ("TREE-3 leverages ridge regression.", None),
    ("It was published in 2024 by 2 authors.", None),
    ("Results improve by 2 to 3 points.", None),
    ("Previous work reduces it by 30%.", None),
]


@pytest.mark.parametrize(("sentence", "expected"), SENTENCES)
def test_a_sentence_is_asked_what_it_answers(sentence: str, expected: tuple[str, str, tuple[str, ...]] | None) -> None:
    assert of(sentence) == ([] if expected is None else [expected])


def test_a_number_is_a_fact_in_words_and_in_digits() -> None:
    (one,) = patterns.asked("Experiments on five datasets show it.", TIDE)
    assert one == Asked(Kind.NUMBER, "On how many datasets is {x} tested?", (("five datasets", "5 datasets"),), "datasets")


def test_an_abbreviation_is_spelled_out() -> None:
    subject = Subject(Paper("p1", ""), "TMN", is_name=True)
    assert of("We present Tidal Moss Nets (TMN).", subject) == [("definition", "What does {x} stand for?", ("Tidal Moss Nets",))]


def test_a_finding_is_asked_for_only_where_a_title_says_of_which_paper() -> None:
    sentence = "We find that moss grows twelve percent faster under snow than elsewhere."
    assert of(sentence) == []
    assert of("We find that moss grows much faster under snow than elsewhere.", TITLED) == [
        ("fact", "What do the results of {x} show?", ("moss grows much faster under snow than elsewhere",))
    ]


def test_masks_come_off_as_they_were_written() -> None:
    sentence = r"It is $\sim$44\% smaller, $1.67 \times$ faster, in 2024, on five tasks."
    one = masked(sentence)
    assert one.open(one.text) == sentence
    assert one.written == (r"44\%", r"$1.67 \times$", "five")


# -------------------------------------------------------------------------------------------------------- what papers are called


def test_a_paper_is_called_what_tells_it_from_all_others() -> None:
    papers = [
        Paper("p1", "We propose TIDE-7, a model of tides."),
        Paper("p2", "We propose MOSS-2, a model of moss. Unlike TREE-3, it is fast."),
        Paper("p3", "We propose TREE-3, a model of trees.", title="On trees"),
        Paper("p4", "We present a sparse clustering algorithm for large graphs, which is fast."),
        Paper("p5", "Nothing is proposed here."),
        Paper("p6", "Nor here.", title="Twice"),
        Paper("p7", "Nor there.", title="Twice"),
    ]
    called = {one.paper.id: one.called for one in subjects(papers)}
    assert called == {"p1": "TIDE-7", "p2": "MOSS-2", "p3": "“On trees”", "p4": "the sparse clustering algorithm for large graphs"}


# ------------------------------------------------------------------------------------------------------------- what must hold

GOOD = Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p1",), (("ridge regression",),))
LIBRARY = {"p1": Paper("p1", "TIDE-7 leverages ridge regression. It is 1.5× faster."), "p2": Paper("p2", "Moss grows under snow.")}
DETAIL = Proposal(Kind.DETAIL, "On how many datasets is MOSS-2 tested?", about="p2", absent="datasets")


def test_what_holds_has_no_fault() -> None:
    assert fault(GOOD, LIBRARY) == fault(DETAIL, LIBRARY) == fault(Proposal(Kind.OFF_TOPIC, "How high is Mont Blanc?"), LIBRARY) == ""


@pytest.mark.parametrize(
    ("proposal", "why"),
    [
        (Proposal(Kind.FACT, "Tell me of TIDE-7.", ("p1",), (("ridge regression",),)), "it is no question"),
        (Proposal(Kind.FACT, "What " + "very " * 40 + "long thing is it?", ("p1",), (("ridge regression",),)), "the question is too long"),
        (
            Proposal(Kind.FACT, "What does this paper leverage?", ("p1",), (("ridge regression",),)),
            "the question points to a paper that is not in view",
        ),
        (Proposal(Kind.FACT, "What is it?", ("p1",), (("ridge regression",),)), "the question holds no word to search for"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p1",), (("lasso regression",),)), "the fact does not stand in the paper word for word"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p2",), (("ridge regression",),)), "the fact does not stand in the paper word for word"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p1",), (("Ridge Regression",),)), "the fact does not stand in the paper word for word"),
        (Proposal(Kind.FACT, "Does TIDE-7 use Ridge regression?", ("p1",), (("ridge regression",),)), "the fact stands in the question"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p9",), (("ridge regression",),)), "it names no paper of the library"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p1",)), "it has no fact"),
        (Proposal(Kind.FACT, "What does TIDE-7 leverage?", ("p1",), (("$",),)), "the fact is empty or too long"),
        (
            Proposal(Kind.DETAIL, "On how many coasts is TIDE-7 tested?", about="p1", absent="regression"),
            "what is asked for does not stand in the question",
        ),
        (Proposal(Kind.DETAIL, "How is snow measured?", about="p2", absent="snow"), "what is asked for stands in the paper"),
        (Proposal(Kind.DETAIL, "How is snow measured?", about="p9", absent="snow"), "it names no paper of the library"),
        (Proposal(Kind.OFF_TOPIC, "How high is Mont Blanc?", ("p1",)), "it has facts, though no paper is to answer it"),
    ],
)
def test_what_does_not_hold_is_told_why(proposal: Proposal, why: str) -> None:
    assert fault(proposal, LIBRARY) == why


# ------------------------------------------------------------------------------------------------------------- several papers

SHORES = [
    Paper("p1", "We study coral bleaching at sea. Coral bleaching follows heat.", title="Heat"),
    Paper("p2", "Fish live longer. We report on coral bleaching in bays."),
    Paper("p3", "Of corals, bleaching agents are known; hair is fair."),
    Paper("p4", "Wolves return. Coral bleaching is not their concern."),
]


def test_a_set_is_of_papers_that_are_about_something_and_the_others_may_count() -> None:
    (one,) = several.sets(SHORES)
    assert (one.kind, one.question, one.papers, one.maybe) == (Kind.SET, "Which papers deal with coral bleaching?", ("p1", "p2"), ("p3", "p4"))
    assert one.rests_on == (Rest("Heat", "We study coral bleaching at sea."), Rest(SHORES[1].label, "We report on coral bleaching in bays."))


def test_the_nearest_paper_shares_the_rarest_words() -> None:
    papers = [Paper("a", "salty tides and moons"), Paper("b", "salty tides and boats"), Paper("c", "green moss and boats"), Paper("d", "grey wolves")]
    assert Neighbours(papers).of("a") == ["b"]
    assert Neighbours(papers).of("b")[0] == "a"
    assert Neighbours(papers).of("d") == []


def test_a_detail_is_asked_of_a_near_paper_that_counts_nothing_and_has_none_of_its_words() -> None:
    papers = {
        "p1": Paper("p1", "We propose TIDE-7, a model of salty tides. It is tried on five datasets."),
        "p2": Paper("p2", "We propose MOON-2, a theory of salty tides. It is proved."),
        "p3": Paper("p3", "We propose STAR-3, a theory of salty tides. Many datasets support it."),
        "p4": Paper("p4", "We propose WIND-4, a theory of salty tides. It is tried on three coasts."),
        "p5": Paper("p5", "Wolves return."),
    }
    found = [one for one in rules.proposals(list(papers.values())) if one.kind is Kind.DETAIL]
    assert [(one.about, one.question, one.rests_on) for one in found] == [
        ("p2", "On how many datasets is MOON-2 tested?", (Rest("TIDE-7", "It is tried on five datasets."),))
    ]
    assert "No word of “datasets”" in found[0].note
    assert fault(found[0], papers) == ""


def test_questions_of_other_worlds_are_left_out_where_the_library_is_of_that_world() -> None:
    asked = {one.question for one in unanswered.off_topic([Paper("p1", "We prune apple trees in winter.")])}
    assert set(unanswered.OFF_TOPIC) - asked == {"What is the best time of year to prune apple trees?"}


def test_a_follow_up_is_understood_from_its_history_alone() -> None:
    found = list(
        several.follow_ups([GOOD, Proposal(Kind.NUMBER, "How many waves does TIDE-7’s data comprise?", ("p1",), (("1.5×",),))], {"p1": "TIDE-7"})
    )
    assert [(one.question, one.history, one.facts) for one in found] == [("What does it leverage?", ("What is TIDE-7?",), (("ridge regression",),))]


def test_two_numbers_for_one_question_give_none_and_two_definitions_one() -> None:
    def made(abstract: str) -> list[tuple[str, tuple[tuple[str, ...], ...]]]:
        found = rules.proposals([Paper("p1", f"We propose TIDE-7, a model of salty tides. {abstract}"), Paper("p2", "Wolves.")])
        return [(one.question, one.facts) for one in found if one.kind in (Kind.NUMBER, Kind.DEFINITION)]

    definition = ("What is TIDE-7?", (("model of salty tides",),))
    assert made("TIDE-7 is 1.5× faster. TIDE-7 is a general tool for ports.") == [definition, ("How much faster is TIDE-7?", (("1.5×",),))]
    assert made("TIDE-7 is 1.5× faster at sea. On land TIDE-7 is 3× faster.") == [definition]


# ------------------------------------------------------------------------------------------------------------- which are taken


def some(kind: Kind, *papers: str) -> list[Proposal]:
    return [Proposal(kind, f"What {kind} of {paper} number {n}?", (paper,), (("x",),)) for n, paper in enumerate(papers)]


def test_proposals_are_spread_over_kinds_and_papers() -> None:
    many = [*some(Kind.FACT, "a", "a", "a", "b", "c"), *some(Kind.NUMBER, "a", "b", "c", "c"), *some(Kind.WHY, "d")]
    taken = chosen(many, 7, 0)
    assert Counter(one.kind for one in taken) == {Kind.FACT: 3, Kind.NUMBER: 3, Kind.WHY: 1}
    assert max(Counter(paper for one in taken for paper in one.papers).values()) == 2
    assert len(chosen(many, 99, 0)) == len(many)


def test_the_same_seed_takes_the_same_whatever_their_order_and_another_one_others() -> None:
    many = some(Kind.FACT, *"abcdefghij")
    assert chosen(many, 3, 1) == chosen(many[::-1], 3, 1)
    assert chosen(many, 3, 1) != chosen(many, 3, 2)


def test_of_a_large_library_some_papers_are_drawn_and_no_set_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_questions, "MOST_PAPERS", 3)
    drawn = make_questions.sample(SHORES, 0)
    assert len(drawn) == 3
    assert [one for one in rules.proposals(drawn, is_sample=True) if one.kind is Kind.SET] == []


def test_a_library_that_gives_no_question_is_an_error() -> None:
    with pytest.raises(MakingError, match="no question of kind why could be made of 1 papers: ask for other kinds, or of more papers"):
        make_questions.make([Paper("p1", "Moss.")], 5, [Kind.WHY])


def test_every_proposal_for_the_shipped_abstracts_holds(seed_papers: Sequence[Paper]) -> None:
    found = make_questions.make(seed_papers, 1000)
    by_id = {paper.id: paper for paper in seed_papers}
    assert [one.question for one in found.proposals if fault(one, by_id)] == []
    for one in found.proposals:
        for rest in one.rests_on:
            assert any(rest.sentence in paper.abstract for paper in seed_papers)
        if len(one.papers) == 1:
            assert all(facts.stands_in(group[0], one.rests_on[0].sentence) for group in one.facts), one.question
    assert len({one.id for one in found.proposals}) == len(found.proposals)
    assert {one.kind for one in found.proposals} >= {
        Kind.DEFINITION,
        Kind.NUMBER,
        Kind.FACT,
        Kind.MULTI,
        Kind.SET,
        Kind.FOLLOWUP,
        Kind.DETAIL,
        Kind.OFF_TOPIC,
    }
