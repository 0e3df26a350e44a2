"""What other commands found on a run and left in its directory, as parts of its page; what was found on other answers is said to be stale."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval import certify, correcting, dialogues, run_directory, summary, turn_figures
from eval.report import plots
from eval.report.plots import Axes, Line
from rag_qa.errors import SourceError


@dataclass(frozen=True, slots=True)
class Measured:
    """What `python -m eval dialogues`, `certify` and `correct` left, None where they left nothing.

    `pictures`: of the guarantees; `stale`: the commands whose files are of other answers.
    """

    dialogues: Mapping[str, Any] | None
    certified: Mapping[str, Any] | None
    corrected: Mapping[str, Any] | None
    pictures: tuple[str, ...]
    stale: tuple[str, ...]

    def correction(self, question: str, place: int) -> Mapping[str, Any] | None:
        """What was found of a sentence of an answer."""
        found = self.corrected["corrections"] if self.corrected else ()
        return next((one for one in found if (one["question"], one["place"]) == (question, place)), None)

    def title(self, figure: Mapping[str, Any]) -> str:
        """What a figure of dialogues is called, and where it is to go."""
        arrow = {"higher": "↑", "lower": "↓", "neither": ""}[figure["direction"]]
        return f"{turn_figures.title(figure['metric'])} {arrow}"


def of(directory: Path) -> Measured:
    """What stands in a directory. Raises SourceError for a file that no command wrote."""
    items = directory / run_directory.ITEMS
    digest = summary.sha256(items) if items.is_file() else ""
    files = {"dialogues": (dialogues.FILE, "figures"), "certify": (certify.FILE, "guarantees"), "correct": (correcting.FILE, "corrections")}
    found = {command: _read(directory / name, command, key) for command, (name, key) in files.items()}
    stale = tuple(command for command, one in found.items() if one is not None and one.get("items_sha256") != digest)
    shown = {command: None if command in stale else one for command, one in found.items()}
    certified = shown["certify"]
    pictures = tuple(picture(one) for one in certified["guarantees"]) if certified else ()
    return Measured(shown["dialogues"], certified, shown["correct"], pictures, stale)


def _read(path: Path, command: str, key: str) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(path, None, found=str(error), expected=f"what `python -m eval {command}` wrote; run it again") from None
    if not isinstance(found, dict) or not isinstance(found.get(key), list):
        raise SourceError(path, None, found="other JSON", expected=f"what `python -m eval {command}` wrote; run it again")
    return found


def picture(one: Mapping[str, Any]) -> str:
    """What became of the held-out questions of each split: how many are answered, and what share is wrong."""
    of = "answered" if one["delta"] is not None else "questions"
    folds = [split["held_out"] for split in one["splits"] if split["threshold"] is not None]
    points = [(fold["answered"] / fold["questions"], fold["wrong"] / fold[of]) for fold in folds if fold["questions"] and fold[of]]
    highest = max([one["bound"], *(y for _, y in points)])
    to_y = next(top for top in (0.1, 0.2, 0.5, 1.0) if highest < top or top == 1.0)
    axes = Axes("share of held-out questions that are answered", "wrong answers / " + ("answers" if of == "answered" else "questions"), to_y=to_y)
    bound = [(0.0, one["bound"]), (1.0, one["bound"])]
    title = f"{one['kind'].capitalize()}: {len(one['splits'])} splits"
    return plots.plot(title, axes, [Line("promised", bound, "bound"), Line("splits", points, dots=True)])
