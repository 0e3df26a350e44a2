"""Questions that no paper answers: a detail that others give and this one leaves out, and questions of other worlds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eval.datasets.loader import Kind
from eval.proposals.masked import masked
from eval.proposals.proposal import Proposal, Rest, shared
from eval.proposals.several import Neighbours
from rag_qa import text
from rag_qa.papers import Paper

OFF_TOPIC = (
    "How long does a sourdough loaf have to prove before it is baked?",
    "Who won the football world cup in 1974?",
    "Which key is Schubert's Unfinished Symphony written in?",
    "What is the best time of year to prune apple trees?",
    "How many players does a volleyball team have on court?",
    "Which river flows through Vienna?",
    "How do I remove red wine stains from a tablecloth?",
    "When was the Treaty of Westphalia signed?",
    "What does a plumber charge for fixing a dripping tap?",
    "Who painted the ceiling of the Sistine Chapel?",
    "How is a bowline knot tied?",
    "Which visa do I need for a holiday in Japan?",
    "What was the price of gold in 1980?",
    "How often should a cat be taken to the vet?",
    "Which chess opening begins with pawn to e4 and pawn to c5?",
    "How high is Mont Blanc?",
    "What is the capital of Mongolia?",
    "How do I change the oil of a motorcycle?",
    "Who wrote The Brothers Karamazov?",
    "Which tax form is needed for a small inheritance?",
)
"""About nothing that a library of papers is likely to be about; those with which a library has two words in common are left out of its questions."""


def off_topic(papers: Sequence[Paper]) -> Iterator[Proposal]:
    """Questions with which no abstract has two words in common."""
    for question in OFF_TOPIC:
        if all(len(shared(question, paper.abstract)) < 2 for paper in papers):
            yield Proposal(Kind.OFF_TOPIC, question)


def details(
    counts: Mapping[str, Sequence[tuple[str, str, str]]], called: Mapping[str, str], papers: Mapping[str, Paper], near: Neighbours
) -> Iterator[Proposal]:
    """A number of things that a near paper gives, asked of one that counts nothing and has none of the words.

    `counts`: paper id -> (question with {x}, what is counted, sentence) of those that give a number. `called`: id -> what questions call a paper.
    """
    for about in sorted(called):
        abstract = papers[about].abstract
        if _counts_things(abstract):
            continue
        for other in near.of(about):
            for question, thing, sentence in counts.get(other, ()):
                if not shared(thing, abstract):
                    asked_of = called.get(other, papers[other].label)
                    note = f"No word of “{thing}” stands in the abstract of {called[about]}; the question is one to {asked_of}."
                    yield Proposal(
                        Kind.DETAIL,
                        question.replace("{x}", called[about]),
                        rests_on=(Rest(papers[other].label, sentence),),
                        note=note,
                        about=about,
                        absent=thing,
                    )


def _counts_things(abstract: str) -> bool:
    """Is there a number without a unit in it: of what, one can't be sure?"""
    return any(not number.unit for start, end in text.sentences(abstract) for number in masked(abstract[start:end]).numbers)
