"""Right answers spoilt in known ways, and what the metrics have to say of it: one that does not react, or the wrong way, is not to be trusted.

Right answers are made from the labels: the sentences of the right abstract that hold the asked fact, each citing it. Every manipulation is made by
rule and seed.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from eval import edits
from eval.datasets.loader import Kind, Question
from eval.items import Item, ItemSentence, Quote, Ranked
from eval.metrics import facts
from eval.metrics.support import sentences

SEED = 5


class Sign(StrEnum):
    """How the mean of a metric has to move."""

    DOWN = "down"
    UP = "up"
    NOT_UP = "not up"
    NOT_DOWN = "not down"
    SAME = "same"

    def holds(self, before: float, after: float) -> bool:
        """Does it?

        >>> Sign.NOT_UP.holds(0.5, 0.5), Sign.DOWN.holds(0.5, 0.5)
        (True, False)
        """
        slack = 1e-9
        return {
            Sign.DOWN: after < before - slack,
            Sign.UP: after > before + slack,
            Sign.NOT_UP: after <= before + slack,
            Sign.NOT_DOWN: after >= before - slack,
            Sign.SAME: abs(after - before) <= slack,
        }[self]


def right_answers(questions: Sequence[Question], library: Mapping[str, str]) -> list[Item]:
    """A right answer to every question about one paper whose facts stand in its abstract: the sentences that hold them, and one more."""
    return [item for question in questions if (item := _right_answer(question, library)) is not None]


def _right_answer(question: Question, library: Mapping[str, str]) -> Item | None:
    if len(question.papers) != 1 or not question.facts or question.kind in (Kind.FOLLOWUP, Kind.PARTIAL):
        return None
    paper = question.papers[0]
    there = sentences(library[paper])
    chosen = [one for one in there if any(facts.groups_met(one, question.facts))]
    if not all(facts.groups_met(" ".join(chosen), question.facts)):
        return None
    chosen += [one for one in there if one not in chosen][:1]
    others = [other for other in library if other != paper]
    start = zlib.crc32(question.id.encode()) % max(1, len(others))
    found = (paper, *(others[start:] + others[:start])[:4])
    return Item(
        question,
        "answered",
        text=" ".join(chosen),
        sentences=tuple(_sentence(one, paper, library) for one in chosen),
        sources=(Ranked(paper, paper, 1.0, 1),),
        retrieved=tuple(Ranked(one, one, 1.0 / place) for place, one in enumerate(found, start=1)),
        confidence=1.0,
        model="labels",
    )


def _sentence(text: str, paper: str, library: Mapping[str, str]) -> ItemSentence:
    start = library[paper].find(text)
    return ItemSentence(text, "", (1,), "supported", "", (), (Quote(paper, start, start + len(text), text, text),))


# ----------------------------------------------------------------------------------------------------------- manipulations

Change = Callable[[Item, Mapping[str, str], random.Random], Item]
_PLATITUDE = "This is an interesting and important question, and many researchers have worked on it with remarkable success in recent years."


def _with(item: Item, changed: Sequence[ItemSentence]) -> Item:
    return replace(item, sentences=tuple(changed), text=" ".join(one.text for one in changed))


def boilerplate(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """A platitude in front, with the same citation."""
    return _with(item, [ItemSentence(_PLATITUDE, "", (1,), "supported", "", (), ()), *item.sentences])


def stuffing(item: Item, library: Mapping[str, str], _order: random.Random) -> Item:
    """The whole abstract of another paper that was found, cited as the right one."""
    other = library[item.retrieved[1].paper] if item.retrieved and len(item.retrieved) > 1 else _PLATITUDE
    return _with(item, [*item.sentences, *(ItemSentence(one, "", (1,), "supported", "", (), ()) for one in sentences(other))])


def echo(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """Nothing but the question, as a statement."""
    return _with(item, [ItemSentence(item.question.text.rstrip("?") + ".", "", (1,), "supported", "", (), ())])


def duplicates(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """Everything said twice."""
    return _with(item, [*item.sentences, *item.sentences])


def half(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """The first half of the sentences dropped, where the facts stand."""
    return _with(item, item.sentences[(len(item.sentences) + 1) // 2 :])


def off_topic(item: Item, library: Mapping[str, str], order: random.Random) -> Item:
    """The sentences of another paper that was not found, cited as the right one."""
    found = {hit.paper for hit in item.retrieved or ()}
    others = [paper for paper in library if paper not in found]
    if not others:
        return item
    return _with(item, [ItemSentence(one, "", (1,), "supported", "", (), ()) for one in sentences(library[order.choice(others)])[:2]])


def wrong_citation(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """The right sentences with the citation of another paper that was found."""
    if not item.retrieved or len(item.retrieved) < 2:
        return item
    return replace(item, sources=(Ranked(item.retrieved[1].paper, "", 1.0, 1),))


def made_up_citation(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """One more citation of each sentence, of a source that does not exist."""
    return _with(item, [replace(one, citations=(*one.citations, 9)) for one in item.sentences])


def misquoted(item: Item, _library: Mapping[str, str], _order: random.Random) -> Item:
    """Quotes with one letter changed."""
    return _with(item, [replace(one, quotes=tuple(replace(quote, quote=f"{quote.quote[:-2]}X.") for quote in one.quotes)) for one in item.sentences])


def edited(kind: str) -> Change:
    """One thing changed in every sentence in which the rule finds a hold (see `eval.edits`)."""

    def change(item: Item, library: Mapping[str, str], order: random.Random) -> Item:
        abstract = library[item.question.papers[0]]
        around = edits.Around(abstract, ("MossNet", "TIDE-7"), order)
        changed = [edits.CHANGES[kind](one.text, around) or one.text for one in item.sentences]
        return _with(item, [replace(one, text=re.sub(r"\s+", " ", text)) for one, text in zip(item.sentences, changed, strict=True)])

    return change


@dataclass(frozen=True, slots=True)
class Manipulation:
    """A way to spoil answers, and how each figure has to move. `says`: what it does, in words."""

    name: str
    says: str
    change: Change
    required: Mapping[str, Sign]


_EDIT = {"citation_recall": Sign.DOWN, "groundedness": Sign.DOWN, "worst_sentence": Sign.DOWN}

SUITE = (
    Manipulation(
        "boilerplate",
        "a platitude in front, with a citation",
        boilerplate,
        {
            "citation_recall": Sign.DOWN,
            "groundedness": Sign.DOWN,
            "fact_in_answer": Sign.SAME,
            "fact_in_first_sentence": Sign.DOWN,
            "words_median": Sign.UP,
        },
    ),
    Manipulation(
        "stuffing",
        "the abstract of another paper behind the answer, cited as the right one",
        stuffing,
        {"citation_recall": Sign.DOWN, "misattributed": Sign.UP, "fact_in_answer": Sign.NOT_DOWN, "information": Sign.DOWN, "words_median": Sign.UP},
    ),
    Manipulation(
        "echo",
        "the question as a statement",
        echo,
        {"fact_in_answer": Sign.DOWN, "information": Sign.DOWN, "groundedness": Sign.DOWN, "citation_recall": Sign.DOWN},
    ),
    Manipulation(
        "duplicates",
        "every sentence twice",
        duplicates,
        {
            "fact_in_answer": Sign.SAME,
            "information": Sign.NOT_UP,
            "citation_recall": Sign.NOT_UP,
            "groundedness": Sign.NOT_UP,
            "words_median": Sign.UP,
        },
    ),
    Manipulation(
        "half", "the half that holds the facts dropped", half, {"fact_in_answer": Sign.DOWN, "information": Sign.DOWN, "words_median": Sign.DOWN}
    ),
    Manipulation(
        "off-topic",
        "sentences of a paper that was not found",
        off_topic,
        {"fact_in_answer": Sign.DOWN, "groundedness": Sign.DOWN, "citation_recall": Sign.DOWN},
    ),
    Manipulation(
        "wrong citation",
        "the right sentences, another paper cited",
        wrong_citation,
        {
            "citation_recall": Sign.DOWN,
            "misattributed": Sign.UP,
            "right_paper_cited": Sign.DOWN,
            "groundedness": Sign.NOT_UP,
            "fact_in_answer": Sign.SAME,
        },
    ),
    Manipulation(
        "made-up citation",
        "a citation of a source that does not exist",
        made_up_citation,
        {"valid_citations": Sign.DOWN, "citation_support_precision": Sign.DOWN, "citation_recall": Sign.DOWN},
    ),
    Manipulation("misquoted", "quotes with a letter changed", misquoted, {"quotes_verbatim": Sign.DOWN}),
    Manipulation("number", "numbers changed", edited("number"), {**_EDIT, "contradicted": Sign.UP}),
    Manipulation("unit", "units changed", edited("unit"), _EDIT),
    Manipulation("negation", "denials put in or taken out", edited("negation"), {**_EDIT, "contradicted": Sign.UP}),
    Manipulation("direction", "directions turned round", edited("direction"), {**_EDIT, "contradicted": Sign.UP}),
    Manipulation("swapped method", "names replaced", edited("swapped method"), _EDIT),
    Manipulation("invented ending", "an ending made up", edited("invented ending"), _EDIT),
)


def spoilt(items: Sequence[Item], manipulation: Manipulation, library: Mapping[str, str], *, seed: int = SEED) -> list[Item]:
    """Every item after a manipulation; an equal seed gives equal items, whatever their order."""
    return [manipulation.change(item, library, random.Random(zlib.crc32(f"{seed} {item.question.id}".encode()))) for item in items]
