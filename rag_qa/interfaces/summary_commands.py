"""The commands that sum papers up and set them side by side: summarise, compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated, Literal

import typer

from rag_qa import text
from rag_qa.answering.answer import Answer
from rag_qa.answering.summaries import MOST_PAPERS, Comparison, Summary
from rag_qa.engine import EVERY_PAPER, Scope
from rag_qa.interfaces import answer_exports, render, summary_views, terminal
from rag_qa.interfaces.render import EngineLike
from rag_qa.interfaces.session import DataDir, session_of
from rag_qa.papers import known_as


class Format(StrEnum):
    """How a summary or a table is printed."""

    TEXT = "text"
    MD = "md"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[
    Format, typer.Option("--format", metavar="NAME", help="text for the terminal, md for Markdown, csv for spreadsheets, json for programs.")
]


def summarise(
    ctx: typer.Context,
    subject: Annotated[
        list[str] | None,
        typer.Argument(metavar="TOPIC_OR_PAPER", help="A topic, or the labels, ids or DOIs of one or more papers.", show_default=False),
    ] = None,
    paper: Annotated[
        list[str] | None,
        typer.Option("--paper", metavar="PAPER", help="A paper by label, id, DOI, PMID or arXiv id; repeat it for several.", show_default=False),
    ] = None,
    k: Annotated[
        int,
        typer.Option("--k", "-k", metavar="N", min=1, max=50, help="How many papers of a topic at most."),
    ] = MOST_PAPERS,
    answerer: Annotated[
        Literal["extractive", "llm"],
        typer.Option("--answerer", help="extractive: sentences of the abstracts, no model. llm: a chat model writes, and each sentence is checked."),
    ] = "extractive",
    format_: FormatOption = Format.TEXT,
    scope: Scope = EVERY_PAPER,
    data_dir: DataDir = None,
) -> None:
    """Sum up papers, or what they say about a topic.

    Of a paper, its problem, method, result and limits; of a topic, one sentence of each paper, by theme; of several papers, also where their
    findings agree or contradict each other. Every sentence is one of an abstract, with its citation. What an abstract does not say is said to
    be missing.
    """
    words = [render.whole_characters(one) for one in subject or ()]
    names = [render.whole_characters(one) for one in paper or ()]
    if bool(words) == bool(names):
        raise typer.BadParameter(
            'give a topic or papers, such as rag-qa summarise "differential privacy" or rag-qa summarise --paper NetMoE', param_hint="TOPIC_OR_PAPER"
        )
    if answerer == "llm" and format_ is Format.CSV:
        raise typer.BadParameter("csv is for the sentences of the abstracts: take text, md or json for what a model writes", param_hint="--format")
    engine = session_of(ctx).open(data_dir=data_dir, answerer=answerer)
    summary = _summary(engine, words, names, k, scope)
    if answerer == "llm":
        _show_written(engine.write_summary(summary), format_)
    else:
        _show_summary(summary, format_)


def _summary(engine: EngineLike, words: Sequence[str], names: Sequence[str], k: int, scope: Scope) -> Summary:
    if names or _are_papers(engine, words):
        return engine.summarise(names or words)
    return engine.summarise_topic(" ".join(words), k=k, filters=scope.filters, reads_filters=scope.reads_filters)


def _are_papers(engine: EngineLike, words: Sequence[str]) -> bool:
    """Is each of them, as it stands, the label or id of a paper?"""
    known = frozenset().union(*map(known_as, engine.papers()))
    return all(text.folded(word).rstrip("… ") in known for word in words)


def compare(
    ctx: typer.Context,
    papers: Annotated[
        list[str], typer.Argument(metavar="PAPER", help="Two papers or more, by label, id, DOI, PMID or arXiv id.", show_default=False)
    ],
    aspect: Annotated[
        list[str] | None,
        typer.Option(
            "--aspect",
            metavar="WORDS",
            help='What to compare, such as "data set", "speed-up" or "sample size"; repeat it. Problem, method, result and limits if none is given.',
            show_default=False,
        ),
    ] = None,
    format_: FormatOption = Format.TEXT,
    data_dir: DataDir = None,
) -> None:
    """Set papers side by side, aspect by aspect.

    Behind each cell stands a sentence of the abstract; where the abstract says nothing, the cell is empty. Findings that clearly agree or
    contradict each other are shown below.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    names = [render.whole_characters(one) for one in papers]
    _show_comparison(engine.compare(names, [render.whole_characters(one) for one in aspect or ()]), format_)


def _show_summary(summary: Summary, format_: Format) -> None:
    written: dict[Format, Callable[[Summary], str]] = {Format.MD: summary_views.summary_markdown, Format.CSV: summary_views.summary_csv}
    if format_ is Format.JSON:
        terminal.write_json(summary_views.summary_json(summary))
    elif format_ in written:
        typer.echo(written[format_](summary), nl=False)
    else:
        terminal.write(summary_views.summary_lines(summary, terminal.width()))


def _show_written(answer: Answer, format_: Format) -> None:
    if format_ is Format.JSON:
        terminal.write_json(render.answer_json(answer))
    elif format_ is Format.MD:
        typer.echo(answer_exports.as_markdown([answer]), nl=False)
    else:
        terminal.write(render.answer_lines(answer, terminal.width()))


def _show_comparison(table: Comparison, format_: Format) -> None:
    written: dict[Format, Callable[[Comparison], str]] = {Format.MD: summary_views.comparison_markdown, Format.CSV: summary_views.comparison_csv}
    if format_ is Format.JSON:
        terminal.write_json(summary_views.comparison_json(table))
    elif format_ in written:
        typer.echo(written[format_](table), nl=False)
    else:
        terminal.write(summary_views.comparison_lines(table, terminal.width()))
