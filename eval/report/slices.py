"""How a run does by slices of its questions: a heat map by kind, by whether they can be answered, by turn, and by how many papers they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eval import scoring
from eval.datasets.loader import Kind, Question
from eval.figures import Figure, Metric, measure
from eval.items import Item

METRICS = ("success_at_1", "right_paper_cited", "fact_in_answer", "fact_in_first_sentence", "right_decision", "right")
"""The columns."""

_TURNS, _PAPERS = 4, 3  # these and more are one slice


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the questions, and their figures in the order of `METRICS`."""

    name: str
    count: int
    figures: tuple[Figure, ...]


def of(items: Sequence[Item]) -> dict[str, list[Slice]]:
    """By each criterion the slices that hold a question, except where that is but one: then it is the whole run."""
    known = scoring.metrics()
    metrics = [metric for name in METRICS if isinstance(metric := known[name], Metric)]
    found = {}
    for by, (names, name_of) in _CRITERIA.items():
        groups = {name: [item for item in items if name_of(item.question) == name] for name in names}
        full = {name: group for name, group in groups.items() if group}
        if len(full) > 1 or by == "kind":
            found[by] = [Slice(name, len(group), tuple(measure(one, name, group) for one in metrics)) for name, group in full.items()]
    return found


def _or_more(number: int, most: int) -> str:
    """A number, of which the last one stands for all that are larger.

    >>> _or_more(2, 3), _or_more(5, 3)
    ('2', '3 and more')
    """
    return str(number) if number < most else f"{most} and more"


def _numbers(most: int) -> list[str]:
    return [_or_more(number, most) for number in range(1, most + 1)]


_CRITERIA: dict[str, tuple[Sequence[str], Callable[[Question], str]]] = {
    "kind": ([str(kind) for kind in Kind], lambda question: str(question.kind)),
    "answerable": (("yes", "no"), lambda question: {True: "yes", False: "no", None: ""}[question.answerable]),
    "turn": (_numbers(_TURNS), lambda question: _or_more(len(question.history) + 1, _TURNS)),
    "papers needed": (_numbers(_PAPERS), lambda question: _or_more(len(question.papers), _PAPERS) if question.papers else ""),
}
