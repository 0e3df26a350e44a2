"""A proposed question, and what it has to hold before anybody looks at it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from eval.datasets.loader import UNANSWERABLE, Kind, Status
from eval.metrics import facts
from rag_qa import text
from rag_qa.papers import Paper

MOST_WORDS = 40
"""Of a question: a longer one is a text."""
MOST_FACT_WORDS = 12
"""Of a fact: nobody says more than that word for word."""

_NEEDS_THE_PAPER = re.compile(
    r"\b(?:th(?:is|e) (?:abstract|paper|study|article|passage|text|work)s?(?! on\b| of\b| “)|the authors?|these (?:results|findings)|mentioned|above"
    r")\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rest:
    """A sentence that a proposal rests on, verbatim, and what its paper is called. For what no paper answers: where its wording comes from."""

    paper: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question with what a right answer holds. `papers`: ids. `facts`: groups of aliases, of which the first stands in a paper verbatim.

    `maybe`: papers that may count, of a set. `absent`: what is asked for and must not stand in the paper `about` (an id), of a detail.
    """

    kind: Kind
    question: str
    papers: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    rests_on: tuple[Rest, ...] = ()
    history: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    note: str = ""
    about: str = ""
    absent: str = ""

    @property
    def is_answerable(self) -> bool:
        """Does a paper answer it?"""
        return self.kind not in UNANSWERABLE

    @property
    def touched(self) -> tuple[str, ...]:
        """The papers that it is about, whether they answer it or not."""
        return self.papers or ((self.about,) if self.about else ())

    @property
    def id(self) -> str:
        """Made of what is asked, so that the same question has the same id each time."""
        asked = "\n".join((*self.history, self.question))
        return "m-" + sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def to_record(self) -> dict[str, Any]:
        """A line of a file of questions (see eval.datasets.loader)."""
        record: dict[str, Any] = {
            "id": self.id,
            "kind": str(self.kind),
            "question": self.question,
            "history": list(self.history),
            "papers": list(self.papers),
            "facts": [list(group) for group in self.facts],
            "answerable": self.is_answerable,
        }
        if self.maybe:
            record["maybe"] = list(self.maybe)
        record["status"] = str(Status.PROPOSED)
        record["rests_on"] = [{"paper": rest.paper, "sentence": rest.sentence} for rest in self.rests_on]
        if self.note:
            record["note"] = self.note
        return record


def fault(proposal: Proposal, papers: Mapping[str, Paper]) -> str:
    """Why a proposal can't be used, in words that can be counted; "" if it can. `papers`: the library, by id.

    Nothing of it is taken on trust, whoever made it.
    """
    return _fault_of_question(proposal) or _fault_of_facts(proposal, papers) or _fault_of_detail(proposal, papers)


def _fault_of_question(proposal: Proposal) -> str:
    question = proposal.question
    if not question.strip() or not question.rstrip().endswith("?"):
        return "it is no question"
    if len(question.split()) > MOST_WORDS:
        return "the question is too long"
    if _NEEDS_THE_PAPER.search(question):
        return "the question points to a paper that is not in view"
    return "" if text.content_words(" ".join((*proposal.history, question))) else "the question holds no word to search for"


def _fault_of_facts(proposal: Proposal, papers: Mapping[str, Paper]) -> str:
    if not proposal.is_answerable:
        return "it has facts, though no paper is to answer it" if proposal.facts or proposal.papers else ""
    if not proposal.papers or any(paper not in papers for paper in proposal.papers):
        return "it names no paper of the library"
    if proposal.kind is not Kind.SET and not proposal.facts:
        return "it has no fact"
    abstracts = [papers[paper].abstract for paper in proposal.papers]
    for group in proposal.facts:
        if not facts.fold(group[0]) or len(group[0].split()) > MOST_FACT_WORDS:
            return "the fact is empty or too long"
        if not any(group[0] in abstract for abstract in abstracts):
            return "the fact does not stand in the paper word for word"
        if any(facts.stands_in(alias, proposal.question) for alias in group):
            return "the fact stands in the question"
    return ""


def _fault_of_detail(proposal: Proposal, papers: Mapping[str, Paper]) -> str:
    if proposal.kind is not Kind.DETAIL:
        return ""
    if proposal.about not in papers:
        return "it names no paper of the library"
    if not facts.stands_in(proposal.absent, proposal.question):
        return "what is asked for does not stand in the question"
    if shared(proposal.absent, papers[proposal.about].abstract):
        return "what is asked for stands in the paper"
    return ""


def shared(words: str, abstract: str) -> set[str]:
    """Stems that a few words have in common with an abstract.

    >>> shared("learning rates", "We learn the tides.")
    {'learn'}
    """
    return set(_stems(words) & _stems(abstract))


@lru_cache(maxsize=8192)
def _stems(words: str) -> frozenset[str]:
    return frozenset(text.stem(word) for word in text.content_words(words))


def counted(number: int, noun: str) -> str:
    """A number of things, for a person.

    >>> counted(1, "vote"), counted(2, "vote")
    ('1 vote', '2 votes')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def each_once(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Without those that ask the same again."""
    return list({(text.folded(one.question), one.history): one for one in reversed(proposals)}.values())[::-1]
