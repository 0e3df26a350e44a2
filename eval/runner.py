"""Ask a system every question of a set and keep what it did. One crash costs one item, never the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Protocol, TypeVar, runtime_checkable

from eval.datasets.loader import Question
from eval.items import Item, Timing, describe, failed, from_answer
from eval.systems import given
from eval.systems.given import Given
from rag_qa.answering.answer import Answer, Usage
from rag_qa.engine import IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Value = TypeVar("Value")
Asked = tuple[Question, Item, Timing | None]

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


@runtime_checkable
class Giver(Protocol):
    """Any other system: it answers with text and numbers (see `eval.systems`)."""

    def give(self, question: Question) -> Given:
        """Its answer to a question; whatever it raises counts as an error."""
        ...


@dataclass(frozen=True, slots=True)
class Library:
    """What was asked about, by the ids of the papers."""

    abstracts: Mapping[str, str]
    labels: Mapping[str, str]


Progress = Callable[[int, int], None]
"""Called with (done, total)."""
Keep = Callable[[Item, Timing | None], None]
"""Called with each item as soon as it is there, and how long it took; always from the thread that called `run`."""


class OutOfTime(Exception):
    """A question took longer than its deadline."""


def run(
    system: System | Giver,
    questions: Sequence[Question],
    papers: Sequence[Paper],
    *,
    keep: Keep | None = None,
    progress: Progress | None = None,
    concurrency: int = 1,
    deadline: float | None = None,
    on_cold: Callable[[Timing], None] | None = None,
) -> tuple[list[Item], list[Timing]]:
    """Ask every question. The questions name papers by id (see `loader.resolve`). Items and timings come in the order of the questions.

    The first question is asked once before the clock counts, so that latencies are those of a warm system; `on_cold` is told how long that took.
    `concurrency`: how many are asked at a
    time at most; `deadline`: seconds after which a question counts as an error, and is left alone (its thread ends when the system does).
    """
    library = Library({paper.id: paper.abstract for paper in papers}, {paper.id: paper.label for paper in papers})
    if questions and (cold := _within(deadline, lambda: _warm_up(system, questions))) is not None and on_cold is not None:
        on_cold(cold)
    found: dict[str, tuple[Item, Timing | None]] = {}

    def asked(question: Question) -> tuple[Question, Item, Timing | None]:
        # the function waits for the answer, not the pool: a thread that hangs must not hold up the others, or the end of the program
        return question, *_in_time(system, question, library, deadline)

    for done, (question, item, timing) in enumerate(_mapped(asked, questions, concurrency), start=1):
        found[question.id] = item, timing
        if keep is not None:
            keep(item, timing)
        if progress is not None:
            progress(done, len(questions))
    items = [found[question.id][0] for question in questions]
    return items, [timing for question in questions if (timing := found[question.id][1]) is not None]


def _mapped(function: Callable[[Question], Asked], questions: Sequence[Question], concurrency: int) -> Iterator[Asked]:
    """Results as they come; one after the other where only one is asked at a time."""
    if concurrency == 1:
        yield from map(function, questions)
        return
    with ThreadPoolExecutor(concurrency) as pool:
        waiting = [pool.submit(function, question) for question in questions]
        for future in as_completed(waiting):
            yield future.result()


def _in_time(system: System | Giver, question: Question, library: Library, deadline: float | None) -> tuple[Item, Timing | None]:
    found = _within(deadline, lambda: _ask(system, question, library))
    return found if found is not None else (failed(question, OutOfTime(f"no answer within {deadline:g} s")), None)


def _within(deadline: float | None, function: Callable[[], Value]) -> Value | None:
    """What a function gives, or None when it takes too long."""
    if deadline is None:
        return function()
    results: SimpleQueue[Value] = SimpleQueue()
    Thread(target=lambda: results.put(function()), daemon=True).start()
    try:
        return results.get(timeout=deadline)
    except Empty:
        return None


def _warm_up(system: System | Giver, questions: Sequence[Question]) -> Timing | None:
    # what it raises now it raises again, and is counted, when the question is asked
    with suppress(Exception):
        if isinstance(system, Giver):
            return None
        started = perf_counter()
        answer = system.ask(questions[0].text, history=questions[0].history)
        return _timing(questions[0], perf_counter() - started, answer)
    return None


def _timing(question: Question, seconds: float, answer: Answer) -> Timing:
    used = answer.usage or Usage()
    return Timing(question.id, seconds, dict(answer.timings), used.prompt_tokens, used.completion_tokens, used.cost_usd)


def _ask(system: System | Giver, question: Question, library: Library) -> tuple[Item, Timing | None]:
    started = perf_counter()
    try:
        if isinstance(system, Giver):
            said = system.give(question)
            seconds = perf_counter() - started
            timing = Timing(question.id, seconds, {}, said.prompt_tokens, said.completion_tokens, said.cost_usd)
            return given.item(question, said, library.labels), timing
        answer = system.ask(question.text, history=question.history)
        seconds = perf_counter() - started
        hits, retrieval_error = _search(system, answer.understood_as or question.text)
        item = from_answer(question, answer, library.abstracts, hits=hits, retrieval_error=retrieval_error)
    except Exception as error:  # noqa: BLE001  whatever a system raises counts against it
        return failed(question, error), None
    return item, _timing(question, seconds, answer)


def _search(system: System, question: str) -> tuple[Sequence[Hit] | None, str]:
    """The ranking for the question as understood, so that a follow-up is searched as it was answered."""
    try:
        return system.search(question, k=DEPTH), ""
    except Exception as error:  # noqa: BLE001  whatever a system raises counts against it
        return None, describe(error)
