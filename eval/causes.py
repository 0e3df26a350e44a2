"""Where an error arose: in the search, in the ranking, in the choice of what is used, in the quotation, the citation, or the decision to answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from eval import scoring
from eval.figures import Failed, NotApplicable
from eval.grounded import CONTEXT
from eval.items import Item
from eval.metrics import facts


class Cause(StrEnum):
    """The first of these that holds is the cause; they are in the order in which an answer comes about."""

    CRASH = "it crashed"
    SHOULD_HAVE_ABSTAINED = "it should have refused"
    NOT_FOUND = "a right paper was not found"
    RANKED_TOO_LOW = "a right paper was ranked too low"
    OVER_REFUSED = "it refused, though it had a right paper"
    NOT_USED = "a right paper was found and not used"
    MISQUOTED = "a quote is not in its abstract"
    OTHER_SENTENCE = "the right paper, another sentence"
    WRONG_CITATION = "the fact, with the wrong paper"
    NOT_NAMED = "what is not answered is not named"


def cause(item: Item) -> Cause | None:
    """Why an answer is wrong; None for a right one.

    >>> from eval.datasets.loader import Kind, Question
    >>> cause(Item(Question("q", Kind.OFF_TOPIC, "Soup?", answerable=False), "answered")).value
    'it should have refused'
    """
    if item.status == "error":
        return Cause.CRASH
    if _misquotes(item):
        return Cause.MISQUOTED
    right = scoring.RIGHT.score(item)
    if right == 1.0 or isinstance(right, Failed | NotApplicable):
        return None
    return _of_wrong(item) if item.question.answerable else Cause.SHOULD_HAVE_ABSTAINED


def _of_wrong(item: Item) -> Cause:
    question = item.question
    ranked = [hit.paper for hit in item.retrieved or ()]
    missing = [paper for paper in question.papers if paper not in item.cited]
    holds_facts = not question.facts or all(facts.groups_met(item.prose, question.facts))
    if missing and holds_facts and item.status == "answered" and question.facts:
        return Cause.WRONG_CITATION
    if any(paper not in ranked for paper in missing):
        return Cause.NOT_FOUND
    if any(paper not in ranked[: max(CONTEXT, len(question.papers))] for paper in missing):
        return Cause.RANKED_TOO_LOW
    if item.status == "abstained":
        return Cause.OVER_REFUSED
    if missing:
        return Cause.NOT_USED
    return Cause.NOT_NAMED if holds_facts else Cause.OTHER_SENTENCE


def _misquotes(item: Item) -> bool:
    return any(not quote.quote or quote.quote != quote.found for sentence in item.sentences for quote in sentence.quotes)


def counted(items: Sequence[Item]) -> dict[Cause, int]:
    """How many items went wrong for each cause, in the order of the causes; those that none did are left out."""
    found = Counter(filter(None, map(cause, items)))
    return {one: found[one] for one in Cause if found[one]}
