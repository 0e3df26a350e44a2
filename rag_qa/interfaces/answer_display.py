"""Answers in a terminal, as they come about, and from there into a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_qa.answering.answer import Answer, AnswerEvent, Sentence, Step
from rag_qa.engine import EVERY_PAPER, MOST_WORDS_LONGER, Scope
from rag_qa.interfaces import answer_exports, new_files, render, terminal
from rag_qa.interfaces.render import EngineLike, Kind, Line

EXPORTS = "md, html or json for the answer, bib or ris for the papers that it cites"
"""The formats that the name of a file can say."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the earlier ones of its conversation, the papers that it is asked of, and whether a longer answer is wanted."""

    question: str
    history: tuple[str, ...] = ()
    scope: Scope = EVERY_PAPER
    is_longer: bool = False

    def answer(self, engine: EngineLike) -> Answer:
        """The whole answer of an engine."""
        scope = self.scope
        return engine.ask(
            self.question, history=self.history, filters=scope.filters, reads_filters=scope.reads_filters, most_words=words_wanted(self.is_longer)
        )

    def events(self, engine: EngineLike) -> Iterator[AnswerEvent]:
        """The answer as it comes about."""
        scope = self.scope
        return engine.stream(
            self.question, history=self.history, filters=scope.filters, reads_filters=scope.reads_filters, most_words=words_wanted(self.is_longer)
        )


def words_wanted(is_longer: bool) -> int | None:
    """How many words an answer may have; None: as few as answer."""
    return MOST_WORDS_LONGER if is_longer else None


def show_json(engine: EngineLike, asked: Asked) -> Answer:
    """Ask and print the answer as JSON."""
    answer = asked.answer(engine)
    terminal.write_json(render.answer_json(answer))
    return answer


def show(engine: EngineLike, asked: Asked) -> Answer:
    """Ask and print the answer, on a terminal as it comes about."""
    if sys.stdout.isatty():
        return _stream(engine, asked)
    answer = asked.answer(engine)
    terminal.write(render.answer_lines(answer, terminal.width()))
    return answer


def _stream(engine: EngineLike, asked: Asked) -> Answer:
    """Print sentences as they come; what stands on the terminal in the end is what `render.answer_lines` gives for the answer."""
    width = terminal.width()
    step = Step("")
    shown: list[Sentence] = []
    with terminal.waiting() as waiting:
        for event in asked.events(engine):
            if isinstance(event, Step):
                step = event if event.understood_as else step
                waiting.show(event.name)
                continue
            waiting.hide()
            if isinstance(event, Answer):
                terminal.write(_rest_of(event, shown, width))
                return event
            terminal.write([*([] if shown else _opening(asked, step, width)), *render.sentence_lines(event, width)])
            shown.append(event)
    raise AssertionError("the engine ended its stream without an answer")


def _opening(asked: Asked, step: Step, width: int | None) -> list[Line]:
    return [*render.opening_lines(asked.question, step.understood_as, step.narrowing, width), *render.preface_lines(step.preface, width)]


def _rest_of(answer: Answer, shown: Sequence[Sentence], width: int | None) -> list[Line]:
    if not shown:
        return render.answer_lines(answer, width)
    if tuple(shown) == answer.sentences:
        return render.closing_lines(answer, width)
    return [Line(""), Line("The answer has changed. It is now:", Kind.NOTE), *render.answer_lines(answer, width)]


def require_exportable(file: Path) -> None:
    """Say before the work that an answer can't be written. Raises RagQAError."""
    answer_exports.require_format(_format_of(file))
    new_files.require_new(file)


def export(answers: Sequence[Answer], file: Path, *, quiet: bool = False) -> None:
    """Write answers into a new file whose name says the format. Raises RagQAError."""
    new_files.write_new(file, answer_exports.export(answers, _format_of(file)))
    if not quiet:
        terminal.write([Line(""), Line(f"Written to {file}", Kind.NOTE)])


def _format_of(file: Path) -> str:
    return file.suffix.lower().removeprefix(".")
