"""The command that finds the threshold below which a question is refused: calibrate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rag_qa.engine import DEFAULT_DELTA, DEFAULT_RISK, NOT_ANSWERABLE, Calibration
from rag_qa.interfaces import calibration_views, new_files, terminal
from rag_qa.interfaces.render import EngineLike, Kind, Line
from rag_qa.interfaces.session import DataDir, Json, session_of
from rag_qa.settings import load

INTERRUPTED = 130
_PICTURES = ("html", "svg")
_QUESTIONS_HELP = (
    "Questions with what is known of them: a table (.csv) or JSON lines with question, and papers (ids or first words of abstracts; in a table, ; "
    "between them) or answerable (true or false); repeat it for several files. Without it, questions are made from the abstracts."
)


def calibrate(
    ctx: typer.Context,
    questions: Annotated[list[Path] | None, typer.Option("--questions", metavar="FILE", help=_QUESTIONS_HELP, show_default=False)] = None,
    risk: Annotated[float, typer.Option("--risk", metavar="SHARE", help="Allowed share of wrong ones among the answers, 0 to 1.")] = DEFAULT_RISK,
    delta: Annotated[float, typer.Option("--delta", metavar="P", help="Probability that the promise is false, 0 to 1.")] = DEFAULT_DELTA,
    unanswerable: Annotated[
        float,
        typer.Option(
            "--unanswerable",
            metavar="SHARE",
            help="Share of the questions that the papers do not answer, 0 to 1; where the file has fewer, some are asked with their papers left out.",
        ),
    ] = NOT_ANSWERABLE,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the risk-coverage curve into a new file: .html or .svg.", show_default=False),
    ] = None,
    from_library: Annotated[
        bool, typer.Option("--from-library", help="Keep the threshold that questions made from the abstracts give, though they say little of yours.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be chosen, and keep nothing.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Forget what was calibrated: the default threshold again.")] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Choose when to refuse, with a promise.

    Asks questions of which is known what answers them, and finds the lowest threshold of which can be promised that at most --risk of the answers
    is wrong: given though no paper answers, or citing a paper first that does not. The threshold is kept in the data folder and is in force from
    then on, unless RAG_QA_MIN_CONFIDENCE is set. Where the questions are too few, nothing is promised and nothing changes. Without --questions, some
    are made from the abstracts, only to look at. It is about answers without a language model.
    """
    for name, value in (("--risk", risk), ("--delta", delta)):
        if not 0 < value < 1:
            raise typer.BadParameter(f"{value} is not between 0 and 1: write 0.1 for one in ten", param_hint=name)
    if not 0 <= unanswerable < 1:
        raise typer.BadParameter(f"{unanswerable} is not between 0 and 1: write 0.25 for a quarter", param_hint="--unanswerable")
    if picture is not None:
        _require_drawable(picture)
    if questions and from_library:
        raise typer.BadParameter("goes without --questions: leave one of the two out", param_hint="--from-library")
    engine = session_of(ctx).open(data_dir=data_dir, answerer="extractive")
    if reset:
        _reset(engine, as_json=as_json)
        return
    try:
        with terminal.progress() as progress:
            found = engine.calibrate(
                questions or (),
                risk=risk,
                delta=delta,
                unanswerable=unanswerable,
                from_library=from_library,
                dry_run=dry_run,
                progress=progress,
            )
    except KeyboardInterrupt:
        terminal.complain("Interrupted: the threshold is as it was.")
        raise typer.Exit(INTERRUPTED) from None
    if picture is not None:
        new_files.write_new(picture, calibration_views.picture(found, _format_of(picture)))
    _show(engine, found, picture, as_json=as_json)


def _format_of(picture: Path) -> str:
    return picture.suffix.lower().removeprefix(".")


def _require_drawable(picture: Path) -> None:
    """Say before the work that the picture can't be written."""
    if _format_of(picture) not in _PICTURES:
        raise typer.BadParameter(f"{picture} is no picture that can be drawn: end its name with .html or .svg", param_hint="--picture")
    new_files.require_new(picture)


def _reset(engine: EngineLike, *, as_json: bool) -> None:
    was_kept = engine.forget_calibration()
    if as_json:
        terminal.write_json({"forgotten": was_kept})
        return
    said = "Forgotten" if was_kept else "Nothing was calibrated"
    terminal.write([Line(f"{said}: questions are {calibration_views.threshold_text(engine.threshold())}", Kind.NOTE)])


def _show(engine: EngineLike, found: Calibration, picture: Path | None, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json(calibration_views.calibration_json(found))
        return
    written = [f"Drawn into {picture}"] if picture else []
    terminal.write([*calibration_views.calibration_lines(found, terminal.width()), Line(""), *(Line(one, Kind.NOTE) for one in written)])
    terminal.write([Line(_what_changes(engine, found), Kind.NOTE)])


def _what_changes(engine: EngineLike, found: Calibration) -> str:
    now = engine.threshold()
    if not found.is_written:
        return f"Nothing was changed: questions are {calibration_views.threshold_text(now)}"
    if now.is_set:
        return f"Kept, but RAG_QA_MIN_CONFIDENCE is set to {now.value:.2f}, and that counts."
    if load().uses_llm:
        return "Kept, for answers without a language model; one is configured, and its answers are not refused by this threshold."
    return "Kept: questions are refused below it from now on (rag-qa calibrate --reset: the default again)."
