"""What `python -m eval robustness --out` wrote, as a part of the page: what became of the answers when papers or questions were changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval import robustness
from eval.report import plots
from eval.report.plots import Axes, Dot, Line
from eval.robustness import Outcome
from rag_qa.errors import SourceError

_EXPECTED = "what `python -m eval robustness --out` wrote"


@dataclass(frozen=True, slots=True)
class Robustness:
    """What was asked of which questions, what may not be, and what became of each variant, by suite; with the pictures of those that have one."""

    about: str
    faults: tuple[str, ...]
    suites: Mapping[str, tuple[Outcome, ...]]
    pictures: tuple[str, ...]


def load(path: Path) -> Robustness:
    """Read a file. Raises SourceError for what is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        outcomes = [_outcome(one) for one in found["outcomes"]]
        return of(outcomes, f"{found['system']} on {found['data']} ({found['data_sha256'][:12]})")
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise SourceError(path, None, found=repr(error), expected=_EXPECTED) from None


def _outcome(record: Mapping[str, Any]) -> Outcome:
    return Outcome(**{name: value for name, value in record.items() if name != "attack_bound"})


def of(outcomes: Sequence[Outcome], about: str) -> Robustness:
    """The outcomes by suite, in the order in which they come."""
    suites = {name: tuple(one for one in outcomes if one.suite == name) for name in dict.fromkeys(one.suite for one in outcomes)}
    drawn = [picture(suites[name]) for name, picture in _PICTURES.items() if name in suites]
    return Robustness(about, tuple(robustness.faults(outcomes)), suites, tuple(drawn))


def _orders(outcomes: Sequence[Outcome]) -> str:
    """A dot for each order of the papers; all lie on the line where the order does not matter."""
    last = float(len(outcomes) + 1)
    dots = [
        Dot(place, one.right, "main" if one.right == one.before else "bad", f"{one.name}: {one.right:.3f}") for place, one in enumerate(outcomes, 1)
    ]
    usual = Line("usual order", [(0.0, outcomes[0].before), (last, outcomes[0].before)], "other")
    return plots.plot("Other orders of the papers", Axes("order", "right", to_x=last), [usual], dots=dots)


def _distractors(outcomes: Sequence[Outcome]) -> str:
    """How many are right among few papers, and among more and more similar ones; beside the whole library."""
    points = [(_number(one.name), one.right) for one in outcomes]
    last = max([1.0, *(x for x, _ in points)])
    whole = Line("all papers", [(0.0, outcomes[0].before), (last, outcomes[0].before)], "other")
    return plots.plot("Similar papers added", Axes("added for each paper that is asked about", "right", to_x=last), [Line("right", points), whole])


def _typos(outcomes: Sequence[Outcome]) -> str:
    points = [(0.0, outcomes[0].before), *((_number(one.name), one.right) for one in outcomes)]
    return plots.plot("Slips of the fingers", Axes("slips in a question", "right", to_x=points[-1][0]), [Line("right", points)])


def _number(name: str) -> float:
    """The first number in the name of a variant.

    >>> _number("+10 a paper")
    10.0
    """
    return float(re.findall(r"\d+", name)[0])


_PICTURES: Mapping[str, Callable[[Sequence[Outcome]], str]] = {"order": _orders, "distractors": _distractors, "typos": _typos}
