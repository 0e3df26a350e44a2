"""The command line `rag-qa`: parses input, calls the engine, renders what it returns. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer
from typer.core import TyperGroup

from rag_qa import __version__
from rag_qa.engine import EVERY_PAPER, Engine, Scope
from rag_qa.errors import RagQAError, SourceError
from rag_qa.interfaces import (
    answer_display,
    batch,
    calibration_commands,
    doctor,
    filter_options,
    library_commands,
    render,
    summary_commands,
    terminal,
    terminal_chat,
)
from rag_qa.interfaces import app as page
from rag_qa.interfaces.answer_display import Asked
from rag_qa.interfaces.render import EngineLike, Kind, Line
from rag_qa.interfaces.session import FAILED, DataDir, Json, MakeEngine, ServePage, Session, session_of

INTERRUPTED = 130
BROKEN_PIPE = 141


class Commands(TyperGroup):
    """The one place where errors become a line and an exit code; anything that is not ours is a bug and keeps its traceback."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        """Run a command."""
        try:
            return super().invoke(ctx)
        except RagQAError as error:
            terminal.complain(f"error: {error}")
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            terminal.complain("Interrupted: what was done is kept; run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # whoever read us has enough ("| head"); what is still buffered must not complain at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None


Answerer = Annotated[
    Literal["auto", "extractive", "llm"] | None,
    typer.Option(
        "--answerer",
        help="extractive: sentences of the abstracts, no model. llm: a chat model. auto: llm if one is configured (RAG_QA_ANSWERER).",
        show_default=False,
    ),
]
TopK = Annotated[
    int | None,
    typer.Option("--k", "-k", metavar="N", min=1, max=50, help="How many papers are looked at for an answer (RAG_QA_TOP_K).", show_default=False),
]

# ---------------------------------------------------------------------------------------------------------------- commands


def ask(
    ctx: typer.Context,
    question: Annotated[str | None, typer.Argument(metavar="QUESTION", help="What you want to know, in plain language.", show_default=False)] = None,
    as_json: Json = False,
    batch_file: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE.jsonl",
            help='Answer a file of lines {"id", "question", "history"}, one JSON object a line; "-" reads standard input.',
            show_default=False,
        ),
    ] = None,
    history: Annotated[
        list[str] | None,
        typer.Option(
            "--history", metavar="EARLIER", help="An earlier question of the same conversation; repeat it, oldest first.", show_default=False
        ),
    ] = None,
    longer: Annotated[bool, typer.Option("--longer", help="A longer answer, of up to about 250 words.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help=f"Write the answer into a new file too, whose name says the format: {answer_display.EXPORTS}.",
            show_default=False,
        ),
    ] = None,
    answerer: Answerer = None,
    k: TopK = None,
    scope: Scope = EVERY_PAPER,
    data_dir: DataDir = None,
) -> None:
    """Ask a question.

    Prints the answer, its sources, and the words of each source that back it. A question that the papers do not answer is refused:
    that is an answer too, not an error. What the question itself says of the papers ("since 2023", "by Smith", "excluding reviews") narrows
    the search.
    """
    if (question is None) == (batch_file is None):
        raise typer.BadParameter('give either a QUESTION, such as rag-qa ask "What is DP-CATE?", or --batch FILE.jsonl', param_hint="QUESTION")
    if export is not None:
        _require_exportable(export, question)
    engine = session_of(ctx).open(data_dir=data_dir, answerer=answerer, top_k=k)
    earlier = [render.whole_characters(one) for one in history or ()]
    if question is None:
        if earlier:
            raise typer.BadParameter('with --batch, each line has its own "history"', param_hint="--history")
        _ask_batch(engine, str(batch_file), scope, is_longer=longer)
        return
    asked = Asked(render.whole_characters(question), tuple(earlier), scope, longer)
    answer = answer_display.show_json(engine, asked) if as_json else answer_display.show(engine, asked)
    if export is not None:
        answer_display.export([answer], export, quiet=as_json)


def chat(ctx: typer.Context, answerer: Answerer = None, k: TopK = None, scope: Scope = EVERY_PAPER, data_dir: DataDir = None) -> None:
    """Talk with the papers in the terminal.

    Follow-up questions are understood. /sources shows the abstracts behind the last answer, /longer gives a longer one, /new begins anew, /help lists
    all; Ctrl-D leaves.
    """
    engine = session_of(ctx).open(data_dir=data_dir, answerer=answerer, top_k=k)
    papers = engine.info().papers
    terminal.write([Line(f"{papers} papers. Ask a question; /help lists the commands, /quit leaves.", Kind.NOTE)])
    terminal_chat.talk(engine, scope)


def search(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question, or just words.", show_default=False)],
    as_json: Json = False,
    k: Annotated[
        int | None, typer.Option("--k", "-k", metavar="N", min=1, help="How many papers at most (RAG_QA_TOP_K).", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The whole ranked list of the library.")] = False,
    scope: Scope = EVERY_PAPER,
    data_dir: DataDir = None,
) -> None:
    """Find papers, without an answer.

    Says of each paper which words of the question stand in it, how near its meaning comes, and where it ranks by either; and shows its best
    passages. A question for every paper that qualifies ("Which papers deal with privacy?") gets those, each with the sentence that says so.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    question = render.whole_characters(question)
    found = engine.search(question, k=k, everything=everything, filters=scope.filters, reads_filters=scope.reads_filters)
    if as_json:
        terminal.write_json(render.search_json(question, found))
    else:
        terminal.write(render.search_lines(found, terminal.width()))


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Address to listen on (RAG_QA_HOST); 0.0.0.0 lets others in.", show_default=False)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="Port (RAG_QA_PORT); the next free one if it is taken.", show_default=False),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="PATH", help="A report of the evaluation, or its run: what Evaluation shows (RAG_QA_REPORT).", show_default=False
        ),
    ] = None,
    answerer: Answerer = None,
    k: TopK = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the chat page on this machine.

    Prints its address and goes on until Ctrl-C.
    """
    session = session_of(ctx)
    engine = session.open(data_dir=data_dir, answerer=answerer, top_k=k, host=host, port=port, report=report)
    try:
        session.serve_page(engine, open_browser)
    except KeyboardInterrupt:
        terminal.complain("Stopped.")


def diagnose(ctx: typer.Context, as_json: Json = False, data_dir: DataDir = None) -> None:
    """Check installation, settings and index.

    Says what is installed, configured, indexed and reachable, and lists each RAG_QA_ and OPENAI_ variable with its value; secrets are hidden.
    Exits with 0 when the program can be used offline.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    checks = doctor.diagnose(engine)
    if as_json:
        terminal.write_json(doctor.diagnosis_json(engine.settings, checks))
    else:
        terminal.write(doctor.diagnosis_lines(engine.settings, checks))
    if not doctor.is_usable(checks):
        raise typer.Exit(FAILED)


# ----------------------------------------------------------------------------------------------------------------- answers


def _require_exportable(file: Path, question: str | None) -> None:
    if question is None:
        raise typer.BadParameter("goes with one QUESTION: with --batch, the output is JSON already", param_hint="--export")
    answer_display.require_exportable(file)


def _ask_batch(engine: EngineLike, file: str, scope: Scope, *, is_longer: bool) -> None:
    engine.info()  # without an index, no line can be answered: that is one error, not one for each line
    total, failed = 0, []
    with _opened(file) as lines:
        for reply in batch.replies(engine, lines, scope, most_words=answer_display.words_wanted(is_longer)):
            terminal.write_json(reply.value)
            total += 1
            if not reply.is_answer:
                failed.append(reply.line)
    if not total:
        raise SourceError(file, None, found="no line", expected='lines such as {"id": "q1", "question": "What is DP-CATE?"}')
    if failed:
        where = ", ".join(map(str, failed[:10])) + ("..." if len(failed) > 10 else "")
        terminal.complain(f"error: {len(failed)} of {total} questions of {file} got no answer (line {where})")
        raise typer.Exit(FAILED)


@contextlib.contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        lines = Path(file).open("rb")  # noqa: SIM115 (closed below; only opening it is guarded)
    except OSError as error:
        raise SourceError(file, None, found=f"a file that can't be opened ({error.strerror})", expected="a file of JSON lines") from None
    with lines:
        yield lines


# --------------------------------------------------------------------------------------------------------------- the program

_MAIN_EPILOG = """\b
Begin with:
  rag-qa index seeds
  rag-qa ask "What is DP-CATE?"
  rag-qa chat

Settings come from the environment or a file .env: OPENAI_API_KEY and OPENAI_BASE_URL for a chat model, all others begin with RAG_QA_. \
"rag-qa doctor" lists each with its value, .env.example says what it means. Without any, everything works offline."""

_COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "index": (
        library_commands.index,
        (
            "rag-qa index seeds",
            "rag-qa index my-library.ris more/*.bib export.csv.gz --dry-run",
            'rag-qa index papers.csv --map title=Titel --map "abstract=Zusammenfassung"',
            "zcat export.ris.gz | rag-qa index -",
        ),
    ),
    "sync": (library_commands.sync, ("rag-qa sync", "rag-qa sync --dry-run")),
    "remove": (library_commands.remove, ("rag-qa remove old-export.ris", "rag-qa remove ~/papers/2019 --dry-run")),
    "ask": (
        filter_options.narrowed(ask),
        (
            'rag-qa ask "What is DP-CATE?"',
            'rag-qa ask "Which kind of regression does its extension use?" --history "What is DP-CATE?"',
            'rag-qa ask "Which papers since 2023 deal with privacy?" --exclude-type review',
            'rag-qa ask "What is DP-CATE?" --longer --export answer.html',
            "rag-qa ask --batch questions.jsonl --json > answers.jsonl",
        ),
    ),
    "chat": (filter_options.narrowed(chat), ("rag-qa chat", "rag-qa chat --answerer extractive")),
    "search": (
        filter_options.narrowed(search),
        ('rag-qa search "privacy of patient data" -k 3', "rag-qa search attention --venue ICLR --year-from 2024 --json"),
    ),
    "summarise": (
        filter_options.narrowed(summary_commands.summarise),
        (
            'rag-qa summarise "differential privacy"',
            "rag-qa summarise NetMoE RaNA --format md",
            'rag-qa summarise "what these papers say about pruning" --year-from 2024 --format csv',
        ),
    ),
    "compare": (
        summary_commands.compare,
        ("rag-qa compare TIDE-7 10.1000/moss", 'rag-qa compare TIDE-7 10.1000/moss --aspect "data set" --aspect speed-up --format csv > table.csv'),
    ),
    "papers": (
        library_commands.papers,
        (
            "rag-qa papers",
            "rag-qa papers diffusion --author Smith --year 2020-2024",
            "rag-qa papers --show 10.1000/moss",
            "rag-qa papers --export library.bib",
            "rag-qa papers --problems",
        ),
    ),
    "calibrate": (
        calibration_commands.calibrate,
        (
            "rag-qa calibrate --dry-run",
            "rag-qa calibrate --questions my-questions.csv --risk 0.05 --picture curve.html",
            "rag-qa calibrate --reset",
        ),
    ),
    "serve": (serve, ("rag-qa serve", "rag-qa serve --port 8080 --open")),
    "doctor": (diagnose, ("rag-qa doctor", "rag-qa doctor --json")),
}


def build_app(make_engine: MakeEngine = Engine, serve_page: ServePage | None = None) -> typer.Typer:
    """The command line over any engine; `serve_page` serves the chat page (the Gradio one if None)."""
    app = typer.Typer(
        name="rag-qa",
        cls=Commands,
        add_completion=False,
        rich_markup_mode=None,  # plain help: the same in a pipe, and no heavy import
        pretty_exceptions_enable=False,  # a traceback of ours must not print the values of variables: a key may be among them
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True, epilog=_MAIN_EPILOG)
    def options(
        ctx: typer.Context,
        data_dir: DataDir = None,
        version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    ) -> None:
        """Ask a pile of paper abstracts a question in plain language. Every sentence of the answer carries a citation and the words that back it."""
        ctx.obj = Session(make_engine, serve_page or _serve_gradio, data_dir)
        if version:
            typer.echo(f"rag-qa {__version__}")
            raise typer.Exit
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    for name, (command, examples) in _COMMANDS.items():
        app.command(name, epilog="\b\nExamples:\n" + "\n".join(f"  {example}" for example in examples))(command)
    return app


def _serve_gradio(engine: EngineLike, open_browser: bool) -> None:
    page.serve(engine, host=engine.settings.host, port=engine.settings.port, open_browser=open_browser)


def main(make_engine: MakeEngine = Engine) -> None:
    """The entry point of `rag-qa`."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show “ or α gets a question mark, not a crash
    build_app(make_engine)(prog_name="rag-qa")
