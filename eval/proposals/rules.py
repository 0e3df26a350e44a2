"""All questions that rules can make of a library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from eval.datasets.loader import Kind
from eval.proposals import patterns, several, unanswered
from eval.proposals.proposal import Proposal, Rest, each_once
from eval.proposals.subjects import Subject, subjects
from rag_qa import text
from rag_qa.papers import Paper

KINDS = (
    *(Kind.DEFINITION, Kind.NUMBER, Kind.FACT, Kind.HOW, Kind.WHY, Kind.LIST, Kind.MULTI, Kind.SET, Kind.FOLLOWUP),
    *(Kind.DETAIL, Kind.OFF_TOPIC),
)
"""The kinds of questions that are proposed."""


def proposals(papers: Sequence[Paper], *, is_sample: bool = False) -> list[Proposal]:
    """Every question that the rules find, in the order of the papers. `is_sample`: these are not all papers, so no set of them is whole."""
    by_id = {paper.id: paper for paper in papers}
    known = subjects(papers)
    called = {one.paper.id: one.called for one in known}
    asked = [(one, question, sentence) for one in known for question, sentence in _asked(one)]
    single = _unambiguous(_proposal(*one) for one in asked)
    counts: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for subject, question, sentence in asked:
        if question.thing:
            counts[subject.paper.id].append((question.question, question.thing, sentence))
    near = several.Neighbours(papers)
    definitions = {one.papers[0]: one for one in single if one.question.startswith("What is ") and one.kind is Kind.DEFINITION}
    names = {one.paper.id: one.called for one in known if one.is_name}
    return each_once(
        [
            *single,
            *several.comparisons(definitions, called, near),
            *([] if is_sample else several.sets(papers)),
            *several.follow_ups(single, names),
            *unanswered.details(counts, called, by_id, near),
            *unanswered.off_topic(papers),
        ]
    )


def _asked(subject: Subject) -> Iterator[tuple[patterns.Asked, str]]:
    abstract = subject.paper.abstract
    for start, end in text.sentences(abstract):
        yield from ((question, abstract[start:end]) for question in patterns.asked(abstract[start:end], subject))


def _proposal(subject: Subject, asked: patterns.Asked, sentence: str) -> Proposal:
    question = asked.question.replace("{x}", subject.called)
    return Proposal(asked.kind, question, (subject.paper.id,), asked.facts, (Rest(subject.paper.label, sentence),))


def _unambiguous(found: Iterable[Proposal]) -> list[Proposal]:
    """Of a paper, questions that have one answer. Two definitions say the same in other words; two numbers can't both be meant."""
    by_question: dict[str, list[Proposal]] = defaultdict(list)
    for one in found:
        by_question[one.question].append(one)
    return [several_[0] for several_ in by_question.values() if len(several_) == 1 or several_[0].kind is Kind.DEFINITION]
