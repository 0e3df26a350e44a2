"""Standard output and error of one command: coloured and live where they are terminals, plain everywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from rag_qa.engine import Progress
from rag_qa.interfaces import render
from rag_qa.interfaces.render import Kind, Line

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.status import Status

MAX_WIDTH = 100
"""Longer lines are hard to read, however wide the terminal is."""
MIN_WIDTH = 20

STYLES = {
    Kind.TEXT: "",
    Kind.UNDERSTOOD: "italic",
    Kind.WARNING: "yellow",
    Kind.REFUSAL: "bold yellow",
    Kind.HEADING: "bold",
    Kind.SOURCE: "cyan",
    Kind.ORIGIN: "dim",
    Kind.QUOTE: "green",
    Kind.NOTE: "italic",
}


def width() -> int | None:
    """Characters in a line of standard output; None when it is no terminal (and COLUMNS is not set): then nothing is folded."""
    columns = shutil.get_terminal_size((0, 0)).columns
    return min(max(columns, MIN_WIDTH), MAX_WIDTH) if columns else None


def write(lines: Iterable[Line]) -> None:
    """Print lines on standard output."""
    if sys.stdout.isatty():
        _write_styled(lines)
        return
    for line in lines:
        typer.echo(line.text)


def _write_styled(lines: Iterable[Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    # Text, not markup: "[1]" and "[bold]" in an abstract are words. Console knows NO_COLOR and TERM=dumb.
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text(line.text, style=STYLES[line.kind]))


def write_json(value: object) -> None:
    """Print one object as one line of JSON, without delay. An output that can't hold every character gets escapes instead."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    typer.echo(render.to_json(value, ascii_only=not is_unicode))


def complain(message: str) -> None:
    """Print a message as one line on standard error."""
    typer.echo(render.one_line(message), err=True)


@contextmanager
def progress() -> Iterator[Progress | None]:
    """A progress bar for each stage on standard error; None when that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        stages: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(render.one_line(stage))
            bars.update(stages[stage], completed=done, total=total or None)

        yield show


class Waiting:
    """A spinner on standard error while an answer is being made; nothing when that is no terminal."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def show(self, message: str) -> None:
        """Say what is being waited for."""
        if not sys.stderr.isatty():
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status("")
        from rich.text import Text

        self._status.update(Text(render.one_line(message)))
        self._status.start()

    def hide(self) -> None:
        """Make room: something is about to be printed."""
        if self._status is not None:
            self._status.stop()


@contextmanager
def waiting() -> Iterator[Waiting]:
    """A spinner that is gone afterwards, whatever happens."""
    spinner = Waiting()
    try:
        yield spinner
    finally:
        spinner.hide()
