"""The commands that fill and show a library: index, sync, remove, papers."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from rag_qa import exports, text
from rag_qa.engine import IndexReport
from rag_qa.interfaces import render, reports, terminal
from rag_qa.interfaces.new_files import write_new
from rag_qa.interfaces.render import EngineLike, Kind, Line
from rag_qa.interfaces.session import FAILED, DataDir, Json, session_of
from rag_qa.papers import Paper, known_as
from rag_qa.sources.reader import FIELDS

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")]

_FORMATS = ", ".join(exports.WRITERS)
_EXPORT_HELP = f'Write the papers into a new file, whose name says the format: {_FORMATS}; "-" with --format: standard output.'
_MAPPABLE = "abstract arxiv author doi keyword language pmid title type url venue year"


def index(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help='Files of any format, or folders of such files; "-" reads standard input.', show_default=False),
    ] = None,
    dry_run: DryRun = False,
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=COLUMN", help=f"Which column or key holds a field; repeat it. Fields: {_MAPPABLE}.", show_default=False),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Embed all papers of the index anew, for instance with another model; PATHs are read besides.")
    ] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Read papers into the index.

    Reads what reference managers and databases export: BibTeX, RIS, MEDLINE/NBIB, PubMed XML, EndNote XML and tagged, Web of Science, CSV and TSV,
    JSON and JSONL, arXiv Atom, plain text and Markdown of abstracts, also in gzip and zip. The format is seen from the content. The same work in
    several files becomes one paper. Run it again after files have changed: only what is new or edited is worked on. Ctrl-C loses nothing.
    """
    if not paths and not rebuild:
        raise typer.BadParameter("name files or folders with abstracts, such as rag-qa index seeds (or give --rebuild)", param_hint="PATH")
    if rebuild and dry_run:
        raise typer.BadParameter("--rebuild writes: leave one of the two out", param_hint="--dry-run")
    engine = session_of(ctx).open(data_dir=data_dir)
    columns = _mapping(mapping or ())
    with terminal.progress() as progress:
        stdin = sys.stdin.buffer
        report = engine.index(paths or (), rebuild=rebuild, dry_run=dry_run, mapping=columns, stdin=stdin, progress=progress)
    _show(report, as_json=as_json)


def _mapping(given: Sequence[str]) -> dict[str, str]:
    columns = {}
    for one in given:
        field, equals, column = (part.strip() for part in one.partition("="))
        if not equals or not column or field not in FIELDS:
            raise typer.BadParameter(
                f"{one!r} is not FIELD=COLUMN with one of the fields {_MAPPABLE}; write for example title=Titel", param_hint="--map"
            )
        columns[field] = column
    return columns


def sync(ctx: typer.Context, dry_run: DryRun = False, as_json: Json = False, data_dir: DataDir = None) -> None:
    """Read again all files and folders that were indexed.

    What is new, edited or gone there is so in the index afterwards. A file that can't be read keeps what the index had of it.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    with terminal.progress() as progress:
        report = engine.sync(dry_run=dry_run, progress=progress)
    _show(report, as_json=as_json)


def remove(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files or folders that were indexed.", show_default=False)],
    dry_run: DryRun = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Take files or folders out of the index.

    The files themselves are not touched. A paper that another indexed file holds stays. `sync` leaves them alone from then on.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    with terminal.progress() as progress:
        report = engine.remove(paths, dry_run=dry_run, progress=progress)
    _show(report, as_json=as_json)


def _show(report: IndexReport, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json(reports.report_json(report))
    else:
        terminal.write(reports.report_lines(report))
    for problem in report.failed:
        terminal.complain(f"failed {reports.problem_text(problem)}")
    if report.failed and not report.read:
        raise typer.Exit(FAILED)


def papers(
    ctx: typer.Context,
    containing: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="Only papers that hold this text: in label, abstract, authors, venue, year or file name.", show_default=False
        ),
    ] = "",
    author: Annotated[str | None, typer.Option("--author", metavar="NAME", help="Only papers by this author.", show_default=False)] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="WORDS", help="Only papers with these words in the title.", show_default=False)
    ] = None,
    year: Annotated[
        str | None,
        typer.Option("--year", metavar="YEAR", help="Only papers of this year, or from one to another: 2020-2024, 2020-.", show_default=False),
    ] = None,
    venue: Annotated[
        str | None, typer.Option("--venue", metavar="VENUE", help="Only papers of venues that hold this text.", show_default=False)
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            "--show",
            metavar="ID",
            help="One paper with its sources and versions, by DOI, PMID, arXiv id, or the id that --json lists.",
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help=_EXPORT_HELP,
            show_default=False,
        ),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Format of --export, if the name of the file does not say it.", show_default=False)
    ] = None,
    problems: Annotated[
        bool, typer.Option("--problems", help="What is not in the index, or not as it stands in its file: file, line, reason.")
    ] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """List, show and export the papers of the index.

    For each its label, year, venue, and the file and line where it was read. A label is the title, or a name taken from the abstract.
    """
    engine = session_of(ctx).open(data_dir=data_dir)
    if problems:
        _show_problems(engine, as_json=as_json)
        return
    if show is not None:
        _show_one(engine, show, as_json=as_json)
        return
    years = _years(year)
    found = [paper for paper in engine.papers() if _contains(paper, containing) and _matches(paper, author, title, years, venue)]
    if export is not None:
        _export(found, export, format_)
    elif as_json:
        terminal.write_json({"papers": [render.paper_json(paper) for paper in found]})
    else:
        terminal.write(render.paper_lines(found) or [Line("No paper matches.", Kind.REFUSAL)])


def _show_problems(engine: EngineLike, *, as_json: bool) -> None:
    found = engine.problems()
    if as_json:
        terminal.write_json({"problems": [reports.problem_json(problem) for problem in found]})
    else:
        terminal.write(reports.all_problem_lines(found) or [Line("Every record is in the index as it stands in its file.", Kind.NOTE)])


def _show_one(engine: EngineLike, wanted: str, *, as_json: bool) -> None:
    name = text.folded(wanted)
    found = [paper for paper in engine.papers() if name in known_as(paper)]
    if not found:
        raise typer.BadParameter(f"no paper has the id {wanted!r}: rag-qa papers --json lists the ids", param_hint="--show")
    for paper in found:
        records = engine.records(paper.id)
        if as_json:
            terminal.write_json(reports.details_json(paper, records))
        else:
            terminal.write(reports.paper_details(paper, records))


def _contains(paper: Paper, wanted: str) -> bool:
    place = [paper.venue or "", paper.collection or "", str(paper.year or ""), *(origin.path for origin in paper.origins)]
    return _holds("\n".join([paper.label, paper.abstract, *paper.authors, *place]), wanted)


def _matches(paper: Paper, author: str | None, title: str | None, years: tuple[int, int] | None, venue: str | None) -> bool:
    if years and not (paper.year is not None and years[0] <= paper.year <= years[1]):
        return False
    words = text.fold(title or "").text.split()
    names = [name for one in paper.authors for name in (one, render.author_name(one))]
    return (
        (author is None or any(_holds(name, author) for name in names))
        and all(_holds(paper.title or "", word) for word in words)
        and (venue is None or _holds("\n".join([paper.venue or "", *(version.venue or "" for version in paper.versions)]), venue))
    )


def _holds(whole: str, wanted: str) -> bool:
    return text.fold(wanted).text in text.fold(whole).text


_YEARS = re.compile(r"(\d{4})(?:(-)(\d{4})?)?")


def _years(given: str | None) -> tuple[int, int] | None:
    """The first and the last year of "2020", "2020-2024" or "2020-"."""
    if given is None:
        return None
    match = _YEARS.fullmatch(given.strip())
    if not match:
        raise typer.BadParameter(f"{given!r} is no year: write 2020, 2020-2024 or 2020-", param_hint="--year")
    first, dash, last = match.groups()
    return int(first), int(last) if last else 9999 if dash else int(first)


def _export(found: Sequence[Paper], file: Path, format_: str | None) -> None:
    name = format_ or file.suffix.lower().removeprefix(".")
    content = exports.write(found, name)
    if str(file) == "-":
        typer.echo(content, nl=False)
        return
    write_new(file, content)
    terminal.write([Line(f"{len(found)} papers written to {file}", Kind.NOTE)])
