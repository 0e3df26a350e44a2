"""A run as one HTML file that needs nothing from outside: `python -m eval report`. A pure function of what the run left: the same bytes each time."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from eval import cards, causes, floors, run_directory, scoring
from eval.causes import Cause
from eval.figures import Figure
from eval.metrics import wording
from eval.report import answers, changes, differences, headline, measured, pictures, plots, robust, slices
from eval.report.answers import ShownAnswer
from eval.report.changes import Changes
from eval.report.robust import Robustness
from eval.run_directory import Run
from eval.summary import Summary
from rag_qa.errors import SourceError

_TRUST = "what `python -m eval trust --out` wrote"
HELP = "write a run as one HTML file: what went wrong first, with the evidence beside it"

_MOST_FAILURES = 200
_OPTIONS = ("answerer", "embedder")  # settings that `run` has options for; the others are variables

# -------------------------------------------------------------------------------------------------------------- what is shown


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that went wrong, why, and what was said to it."""

    cause: Cause
    faults: Sequence[str]
    shown: ShownAnswer


def failures(run: Run) -> list[Failure]:
    """What went wrong, crashes and answers that should not be there first."""
    shown = answers.shower(run)
    wrong = [(item, why) for item in run.items if (why := causes.cause(item)) is not None]
    order = list(Cause)
    first = sorted(wrong, key=lambda pair: order.index(pair[1]))[:_MOST_FAILURES]
    return [Failure(why, scoring.faults(item), shown(item)) for item, why in first]


# ------------------------------------------------------------------------------------------------------------------ tables


def shade(figure: Figure) -> str:
    """How green a cell of the heat map is, from 0 to 4; "none" without a value."""
    return "none" if figure.value is None else str(min(4, int(figure.value * 5)))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "number": headline.number,
        "wording": wording.pieces,
        "shade": shade,
        "interval": differences.interval,
        "chance": differences.chance,
    }
    return environment.get_template("page.html.j2")


@dataclass(frozen=True, slots=True)
class Extras:
    """What a page can show besides the run. `changed`: against another run; `trust`, `robustness`: what those commands wrote."""

    changed: Changes | None = None
    trust: Mapping[str, Any] | None = None
    robustness: Robustness | None = None


def render(run: Run, summary: Summary, extras: Extras | None = None) -> str:
    """The whole page."""
    more = extras or Extras()
    wrong = failures(run)
    counts = causes.counted(run.items)
    return _template().render(
        about=summary.about,
        manifest=run.manifest,
        verdict=verdict(summary, more.changed),
        is_complete=run.is_complete,
        not_held=[check for check in summary.checks if check.outcome == "fail"],
        counted=floors.counted(summary.checks),
        rows=headline.of(run, summary, more.changed),
        figures=summary.figures,
        titles={name: metric.title for name, metric in scoring.metrics().items()},
        failures=wrong,
        wrong=sum(counts.values()),
        causes=plots.bars("Where errors arose", [(cause.value, count) for cause, count in counts.items()]) if counts else "",
        plots=pictures.of(run),
        slice_titles=[scoring.metrics()[name].title for name in slices.METRICS],
        slices=slices.of(run.items),
        cards=cards.cards(),
        spending=summary.spending,
        changed=more.changed,
        sorted_by=changes.SORTED_BY,
        trust=more.trust,
        robustness=more.robustness,
        again=again(run),
        measured=measured.of(run.directory),
    )


def verdict(summary: Summary, changed: Changes | None) -> str:
    """The word of the headline. PARTIAL stands in it whatever the floors say; another run that it is held against judges where no floor does."""
    found = summary.verdict
    if changed is not None and found in ("PASS", "NOT JUDGED"):
        found = "PASS" if changed.judgement.passed else "FAIL"
    elif changed is not None and not changed.judgement.passed:
        found = "FAIL"
    return found if summary.about.get("is_complete", True) or found == "PARTIAL" else f"PARTIAL, {found}"


def again(run: Run) -> str:
    """The commands that make such a run and its page once more."""
    about, revision = run.manifest["about"], (run.manifest.get("revision") or "REVISION").replace("+", "")
    chosen, given = about["settings"], run.manifest.get("given") or {}  # paths as they were given; a run of an earlier version has names alone
    others = {name: value for name, value in chosen.items() if name not in _OPTIONS and value is not None}
    variables = "".join(f"RAG_QA_{name.upper()}={shlex.quote(str(value))} " for name, value in others.items())
    data = shlex.quote(given.get("data") or about["data"])
    papers = f" --papers {shlex.quote(given['papers'])}" if given.get("papers") else ""
    kinds = f" --kinds {' '.join(about['chosen_kinds'])}" if about.get("chosen_kinds") else ""
    system = f" --system {shlex.quote(about['system'])}" if about.get("system", "product") != "product" else ""
    models = "".join(f" --{name} {shlex.quote(str(chosen[name]))}" for name in _OPTIONS if name in chosen)
    run_again = f"{variables}python -m eval run --data {data}{papers}{kinds}{system}{models} --out runs/again"
    return f"git checkout {revision}\n{run_again}\npython -m eval report runs/again"


# ----------------------------------------------------------------------------------------------------------------- command


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("run", type=Path, metavar="DIR", help="a directory that `run --out` wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the page (default: DIR/report.html)")
    parser.add_argument("--baseline", type=Path, metavar="B", help="hold it against another run, or a baseline: what got worse, with both answers")
    parser.add_argument("--allow-other-data", action="store_true", help="compare what both were asked, though questions or papers are not the same")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="what `trust --out` wrote: how far the checks can be trusted")
    parser.add_argument("--robustness", type=Path, metavar="FILE", help="what `robustness --out` wrote: what became of changed papers and questions")
    parser.add_argument("--floors", type=Path, metavar="FILE", help=floors.HELP)


def write(arguments: argparse.Namespace, summarised: Any) -> Path:
    """Write the page and give its place. Raises RagQAError."""
    run = run_directory.load(arguments.run)
    path: Path = arguments.out or arguments.run / "report.html"
    summary = summarised(run, floors.chosen(arguments.floors, run.manifest["about"]))
    changed = changes.of(run, arguments.baseline, allow_other_data=arguments.allow_other_data) if arguments.baseline else None
    trust, changes_made = arguments.trust, arguments.robustness
    extras = Extras(changed, _trust(trust) if trust else None, robust.load(changes_made) if changes_made else None)
    text = render(run, summary, extras)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def _trust(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(path, None, found=str(error), expected=_TRUST) from None
    if not isinstance(found, dict) or not isinstance(found.get("said"), str) or not isinstance(found.get("tables"), list):
        raise SourceError(path, None, found="other JSON", expected=_TRUST)
    return found
