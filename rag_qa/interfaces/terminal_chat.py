"""A conversation in the terminal: what is typed, what it remembers, and its commands."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rag_qa.answering.answer import Answer
from rag_qa.engine import Scope
from rag_qa.errors import RagQAError
from rag_qa.interfaces import answer_display, answer_exports, feedback, render, terminal
from rag_qa.interfaces.answer_display import Asked
from rag_qa.interfaces.feedback import Reason, Verdict, Vote
from rag_qa.interfaces.render import EngineLike, Kind, Line


def talk(engine: EngineLike, scope: Scope) -> None:
    """Answer what is typed until the person leaves."""
    conversation = Conversation(engine, scope)
    with contextlib.suppress(KeyboardInterrupt):
        while (line := _typed_line()) is not None and conversation.reply(line):
            pass
    terminal.write([Line("")])


@dataclass(slots=True)
class Conversation:
    """A talk in the terminal: the papers that it is about, and the questions so far with their answers. `key`: of the last answer, for feedback."""

    engine: EngineLike
    scope: Scope
    asked: list[Asked] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    key: str = ""

    def reply(self, line: str) -> bool:
        """Do what a line says; False ends the conversation. An error is one line, and the conversation goes on."""
        line = render.whole_characters(line).strip()
        if line == "/quit":
            return False
        try:
            if line.startswith("/"):
                self._obey(line)
            elif line:
                self._answer(Asked(line, tuple(earlier.question for earlier in self.asked), self.scope))
        except RagQAError as error:
            terminal.complain(f"error: {error}")
        return True

    def _answer(self, asked: Asked) -> None:
        answer = answer_display.show(self.engine, asked)
        self.asked.append(asked)
        self.answers.append(answer)
        self.key = feedback.new_key()
        terminal.write([Line("")])

    def _obey(self, command: str) -> None:
        name, _, rest = command.partition(" ")
        if obey := self._commands.get(name):
            obey(rest.strip())
        else:
            terminal.complain(f"There is no command {command!r}: /help lists the commands.")

    @property
    def _commands(self) -> Mapping[str, Callable[[str], None]]:
        return {
            "/new": self._begin_anew,
            "/sources": self._show_sources,
            "/longer": self._answer_longer,
            "/export": self._export,
            "/good": lambda comment: self._judge(Verdict.GOOD, None, comment),
            "/bad": lambda said: self._judge(Verdict.BAD, *_reason(said)),
            "/help": _help,
        }

    def _begin_anew(self, _: str) -> None:
        self.asked, self.answers = [], []
        terminal.write([Line("A new conversation.", Kind.NOTE)])

    def _show_sources(self, _: str) -> None:
        if self.answers and self.answers[-1].sources:
            terminal.write(render.abstract_lines(self.answers[-1], terminal.width()))
        else:
            terminal.write([Line("The last answer cites nothing." if self.answers else "There is no answer yet.", Kind.NOTE)])

    def _answer_longer(self, _: str) -> None:
        """The last question once more, in the place where it was asked."""
        if not self.asked:
            terminal.write([Line("There is no answer yet.", Kind.NOTE)])
            return
        longer = replace(self.asked[-1], is_longer=True)
        answer = answer_display.show(self.engine, longer)
        self.asked[-1], self.answers[-1] = longer, answer
        self.key = feedback.new_key()
        terminal.write([Line("")])

    def _export(self, name: str) -> None:
        if not name:
            raise RagQAError(f"Name a new file, such as /export talk.html: its name says the format, {answer_display.EXPORTS}")
        answer_display.export(self.answers, Path(name).expanduser())

    def _judge(self, verdict: Verdict, reason: Reason | None, comment: str) -> None:
        """Keep what the person says of the last answer."""
        settings = self.engine.settings
        if not feedback.is_kept(settings):
            terminal.write([Line("Nothing is kept: RAG_QA_FEEDBACK is off.", Kind.NOTE)])
        elif not self.answers:
            terminal.write([Line("There is no answer yet.", Kind.NOTE)])
        else:
            path = feedback.keep(Vote(self.key, verdict, reason, comment), self.answers[-1], self.asked[-1].history, settings)
            terminal.write([Line(f"Kept in {path}, with the question and the answer. It is sent nowhere.", Kind.NOTE)])


def _reason(said: str) -> tuple[Reason | None, str]:
    """What is wrong, and the rest in the person's words.

    >>> _reason("fact: it is 1.67"), _reason("I want more"), _reason("")
    ((<Reason.FACT: 'fact'>, 'it is 1.67'), (<Reason.OTHER: 'other'>, 'I want more'), (None, ''))
    """
    first, _, rest = said.partition(" ")
    name = first.rstrip(":,").lower()
    if name in list(Reason):
        return Reason(name), rest.strip()
    return (Reason.OTHER, said) if said else (None, "")


def _help(_: str) -> None:
    terminal.write(
        [
            Line("/sources  the abstracts behind the last answer, the evidence between » and «"),
            Line("/longer   the last answer, longer"),
            Line("/new      begin a new conversation"),
            Line(f"/export   FILE: write the conversation into a new file ({', '.join(answer_exports.WRITERS)})"),
            Line("/good     the last answer is good; what you say behind it is kept with it"),
            Line(f"/bad      it is not; behind it: {', '.join(Reason)} (what is wrong, or should have been done), or your words"),
            Line("/help     this list"),
            Line("/quit     leave (or Ctrl-D)"),
        ]
    )


def _typed_line() -> str | None:
    """The next line that the person types; None when there is none."""
    is_typed = sys.stdin.isatty() and sys.stdout.isatty()
    if is_typed:
        with contextlib.suppress(ImportError):
            importlib.import_module("readline")  # the arrow keys; when imported it may write to the terminal, so only here
    try:
        return input("> " if is_typed else "")
    except EOFError:
        return None
