"""`python -m eval gate RUN`: is a run as good as its baseline? Exit codes: 0 it passes, 1 it fails, 2 it could not be judged."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from pathlib import Path

from eval import compare, floors, judgement, run_directory, scoring, sides
from eval.judgement import Judgement, Rules
from eval.report import differences, junit, markdown
from eval.run_directory import Run
from eval.sides import HEADLINE, Side
from rag_qa.errors import RagQAError

HELP = "is a run as good as its baseline?"
PASSED, FAILED, NOT_JUDGED = 0, 1, 2
BASELINES = Path(__file__).with_name("baselines")


class NoBaseline(RagQAError):
    """There is nothing to hold a run against, or nothing that could become a baseline."""


def add_options(gate: argparse.ArgumentParser) -> None:
    """The options of `gate`."""
    gate.add_argument("run", type=Path, metavar="RUN", help="a directory that `run --out` wrote")
    gate.add_argument("--baseline", type=Path, metavar="B", help="a baseline or another run (default: the one in eval/baselines of RUN's questions)")
    gate.add_argument(
        "--margin",
        nargs="+",
        type=_margin,
        default=[],
        metavar="N",
        help=f"how much worse a figure may be (default: {judgement.MARGIN}; of words: this share of the baseline's); FIGURE=N for one figure",
    )
    gate.add_argument("--strict", action="store_true", help="fail where there are too few questions to tell")
    gate.add_argument("--allow-errors", type=_count, default=0, metavar="N", help="questions that may end in an error (default: 0)")
    gate.add_argument("--floors", type=Path, metavar="FILE", help=floors.HELP)
    gate.add_argument("--json", type=Path, metavar="FILE", help="write everything into this file")
    gate.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML into this file")
    gate.add_argument("--markdown", type=Path, metavar="FILE", help="write a summary for a pull request into this file")
    gate.add_argument("--renew", action="store_true", help="make RUN the baseline, after saying how it stands against the one before")


def _margin(given: str) -> tuple[str, float]:
    """A margin and the figure that it is for, "" for all.

    >>> _margin("0.02"), _margin("right.all=0.1")
    (('', 0.02), ('right.all', 0.1))
    """
    key, _, number = given.rpartition("=")
    margin = float(number)
    if not margin > 0:
        raise argparse.ArgumentTypeError(f"a margin of {number} is never kept: it has to be above 0")
    if key and key not in HEADLINE:
        raise argparse.ArgumentTypeError(f"{key} is no figure that is judged: {', '.join(HEADLINE)}")
    return key, margin


def _count(given: str) -> int:
    if (number := int(given)) < 0:
        raise argparse.ArgumentTypeError(f"{given} is less than 0")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Judge, print, write what is asked for. Raises RagQAError for what cannot be judged; a fault of the harness itself is no failed gate either."""
    try:
        return _run(arguments)
    except (RagQAError, OSError):
        raise
    except Exception:  # noqa: BLE001  the interpreter would end with 1, which means that the gate failed
        traceback.print_exc()
        return NOT_JUDGED


def _run(arguments: argparse.Namespace) -> int:
    stored = run_directory.load(arguments.run)
    now = sides.of_run(stored)
    path = arguments.baseline or BASELINES / f"{Path(now.about['data']).stem}.jsonl"
    if arguments.renew and not path.exists():
        return _renew(stored, now, path)
    if not path.exists():
        raise NoBaseline(f"{path}: no such baseline; name one with --baseline, or make RUN the baseline with --renew")
    found = judgement.judge(sides.load(path), now, _checks(stored, arguments.floors), _rules(arguments), asked=int(stored.manifest["questions"]))
    _write(found, arguments)
    sys.stdout.write(differences.of_judgement(found) + "\n")
    if arguments.renew:
        return _renew(stored, now, path)
    return PASSED if found.passed else FAILED


def _rules(arguments: argparse.Namespace) -> Rules:
    margins = dict(arguments.margin)
    return Rules(margins.pop("", judgement.MARGIN), margins, arguments.strict, arguments.allow_errors)


def _checks(stored: Run, given: Path | None) -> list[floors.Check]:
    figures = scoring.figures(stored.items, stored.timings, stored.library)
    return floors.check(floors.chosen(given, stored.manifest["about"]), figures, [item.question for item in stored.items])


def _write(found: Judgement, arguments: argparse.Namespace) -> None:
    if arguments.json is not None:
        compare.write(arguments.json, json.dumps(judgement.to_json(found), ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    if arguments.junit is not None:
        compare.write(arguments.junit, junit.render(found))
    if arguments.markdown is not None:
        compare.write(arguments.markdown, markdown.of_judgement(found))


def _renew(stored: Run, now: Side, path: Path) -> int:
    if path.is_dir():
        raise NoBaseline(f"{path} is a run, and stays one: name a file with --baseline to renew")
    if now.errors or not stored.is_complete:
        raise NoBaseline(
            f"{stored.directory} is no baseline: {len(now.errors)} errors, {len(now.items)} of {stored.manifest['questions']} questions asked"
        )
    sides.write(now, path)
    sys.stdout.write(f"{sides.shown(path)} is renewed: {len(now.items)} questions\n")
    return PASSED
