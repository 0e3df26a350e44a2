"""`python -m eval compare A B`: two runs, or a baseline and a run, held against each other question by question."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from eval import comparison, sides
from eval.report import differences, markdown

HELP = "hold two runs against each other, question by question"


def add_options(compare: argparse.ArgumentParser) -> None:
    """The options of `compare`."""
    compare.add_argument("before", type=Path, metavar="A", help="a directory that `run --out` wrote, or a baseline")
    compare.add_argument("after", type=Path, metavar="B", help="another one: differences are B less A, signed so that + is better")
    compare.add_argument("--all", dest="everything", action="store_true", help="show the figures too that are the same on both sides")
    compare.add_argument("--allow-other-data", action="store_true", help="compare what both were asked, though questions or papers are not the same")
    compare.add_argument("--json", type=Path, metavar="FILE", help="write everything into this file, with the questions that changed in each figure")
    compare.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables for a pull request into this file")


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; always 0. Raises RagQAError for what cannot be compared."""
    found = comparison.compare(sides.load(arguments.before), sides.load(arguments.after), allow_other_data=arguments.allow_other_data)
    if arguments.json is not None:
        write(arguments.json, json.dumps(comparison.to_json(found), ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    if arguments.markdown is not None:
        write(arguments.markdown, markdown.of_comparison(found))
    sys.stdout.write(differences.of_comparison(found, everything=arguments.everything) + "\n")
    return 0


def write(path: Path, text: str) -> None:
    """Write a text, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
