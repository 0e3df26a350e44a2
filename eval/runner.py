"""Ask a system every question of a set and keep what it did. One crash costs one item, never the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Protocol

from eval.datasets.loader import Question
from eval.items import Item, Timing, describe, failed, from_answer
from rag_qa.answering.answer import Answer
from rag_qa.engine import IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

DEPTH = 10
"""How many papers of the ranking are kept: the deepest cut-off of the retrieval figures."""


class System(Protocol):
    """What is evaluated; `rag_qa.engine.Engine` is one."""

    def index(self, paths: Sequence[str | Path]) -> IndexReport:
        """Read a corpus."""
        ...

    def papers(self) -> list[Paper]:
        """Every paper that was read."""
        ...

    def search(self, question: str, *, k: int | None = None) -> Sequence[Hit]:
        """The most relevant papers, best first."""
        ...

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        """An answer; `history` holds the earlier questions of the same conversation, oldest first."""
        ...


Progress = Callable[[int, int], None]
"""Called with (done, total)."""


def run(
    system: System, questions: Sequence[Question], papers: Sequence[Paper], *, progress: Progress | None = None
) -> tuple[list[Item], list[Timing]]:
    """Ask every question in order. The questions name papers by id (see `loader.resolve`).

    The first question is asked once before the clock counts, so that latencies are those of a warm system.
    """
    abstracts = {paper.id: paper.abstract for paper in papers}
    _warm_up(system, questions)
    items: list[Item] = []
    timings: list[Timing] = []
    for done, question in enumerate(questions, start=1):
        item, timing = _ask(system, question, abstracts)
        items.append(item)
        timings += [timing] if timing is not None else []
        if progress is not None:
            progress(done, len(questions))
    return items, timings


def _warm_up(system: System, questions: Sequence[Question]) -> None:
    # what it raises now it raises again, and is counted, when the question is asked
    with suppress(Exception):
        system.ask(questions[0].text, history=questions[0].history)


def _ask(system: System, question: Question, abstracts: Mapping[str, str]) -> tuple[Item, Timing | None]:
    started = perf_counter()
    try:
        answer = system.ask(question.text, history=question.history)
        seconds = perf_counter() - started
        hits, retrieval_error = _search(system, answer.understood_as or question.text)
        item = from_answer(question, answer, abstracts, hits=hits, retrieval_error=retrieval_error)
    except Exception as error:  # noqa: BLE001  whatever a system raises counts against it
        return failed(question, error), None
    return item, Timing(question.id, seconds, dict(answer.timings))


def _search(system: System, question: str) -> tuple[Sequence[Hit] | None, str]:
    """The ranking for the question as understood, so that a follow-up is searched as it was answered."""
    try:
        return system.search(question, k=DEPTH), ""
    except Exception as error:  # noqa: BLE001  whatever a system raises counts against it
        return None, describe(error)
