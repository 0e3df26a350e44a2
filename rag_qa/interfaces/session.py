"""What every command of the command line is given: how an engine is made, the global options, how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rag_qa.interfaces.render import EngineLike
from rag_qa.settings import Settings, load

MakeEngine = Callable[[Settings], EngineLike]
ServePage = Callable[[EngineLike, bool], None]
"""Serves the chat page (engine, open a browser?) where the engine's settings say, until it is stopped."""

FAILED = 2
"""Exit code when something is wrong."""


@dataclass(frozen=True, slots=True)
class Session:
    """What the commands are given: how an engine is made, how the page is served, and the global options."""

    make_engine: MakeEngine
    serve_page: ServePage
    data_dir: Path | None

    def open(self, *, data_dir: Path | None, **overrides: object) -> EngineLike:
        """An engine; an option on the command line wins over the environment. Raises SettingsError."""
        return self.make_engine(load(data_dir=data_dir or self.data_dir, **overrides))


def session_of(ctx: typer.Context) -> Session:
    """The session that the program put into its context."""
    session = ctx.obj
    assert isinstance(session, Session)
    return session


DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Folder of the index (RAG_QA_DATA_DIR; .rag_qa if neither is given).", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
