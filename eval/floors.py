"""The floors under the figures, and whether a run stands above them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval import selective
from eval.datasets.loader import Question
from eval.figures import Figure
from eval.scoring import SCOPES, latency_metrics, plan
from rag_qa.errors import SourceError

SHIPPED = Path(__file__).with_name("floors.toml")
SET_FOR = "eval/datasets/seeds.jsonl"
"""The questions that the shipped floors were set on, as a run's manifest names them."""
HELP = f"floors (default: eval/floors.toml for the product on {SET_FOR}, none for other questions and systems)"


@dataclass(frozen=True, slots=True)
class Floor:
    """A bound that a figure must keep: `value >= at_least`, or `value <= at_most`."""

    metric: str
    scope: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def key(self) -> str:
        """The figure that it is about.

        >>> Floor("refused", "unanswerable", at_least=0.85).key
        'refused.unanswerable'
        """
        return f"{self.metric}.{self.scope}"

    def holds(self, value: float | None) -> bool:
        """Is a value on the right side? No value never is.

        >>> Floor("words_median", "all", at_most=80).holds(80), Floor("words_median", "all", at_most=80).holds(None)
        (True, False)
        """
        if value is None:
            return False
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)

    def __str__(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"


@dataclass(frozen=True, slots=True)
class Check:
    """What became of a floor: "pass", "fail", or "not measured" where no question of the run is about it."""

    floor: Floor
    value: float | None
    outcome: str


def load(path: Path = SHIPPED) -> list[Floor]:
    """The floors of a file. Raises SourceError for one that names no figure, or has no bound or two."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(path, None, found=str(error), expected="a TOML file of floors") from error
    records = content.get("floor")
    if set(content) != {"floor"} or not isinstance(records, list) or not records:
        raise SourceError(path, None, found=f"tables {sorted(content)}", expected="[[floor]] tables and nothing else")
    return [_floor(path, place, record) for place, record in enumerate(records, start=1)]


def chosen(given: Path | None, about: Mapping[str, Any]) -> list[Floor]:
    """The floors of a run: those of the file that was given, or else the shipped ones where they were set for what was run. Raises SourceError.

    What the product reaches on some questions says nothing of others, or of another system. `about`: of the manifest of the run.

    >>> chosen(None, {"data": "own.csv"})
    []
    """
    if given is not None:
        return load(given)
    return load() if about["data"] == SET_FOR and about.get("system", "product") == "product" else []


def counted(checks: Sequence[Check]) -> str:
    """How many hold, and how many nothing was measured for.

    >>> floor = Floor("refused", "unanswerable", at_least=0.85)
    >>> counted([Check(floor, 0.9, "pass"), Check(floor, None, "not measured")])
    '1 of 2 floors hold, 1 not measured'
    """
    if not checks:
        return "no floors are set for these questions; give some with --floors FILE"
    idle = sum(one.outcome == "not measured" for one in checks)
    said = f"{sum(one.outcome == 'pass' for one in checks)} of {len(checks)} floors hold"
    return f"{said}, {idle} not measured" if idle else said


def _floor(path: Path, place: int, record: dict[str, Any]) -> Floor:
    bounds = sorted(set(record) - {"metric", "scope"})
    numbers = [bound for bound in bounds if isinstance(record[bound], (int, float)) and not isinstance(record[bound], bool)]
    if bounds not in (["at_least"], ["at_most"]) or len(numbers) != 1:
        raise SourceError(path, None, found=f"{record} as floor {place}", expected="metric, scope, and a number for either at_least or at_most")
    floor = Floor(str(record.get("metric")), str(record.get("scope")), record.get("at_least"), record.get("at_most"))
    if floor.key not in _known():
        raise SourceError(path, None, found=f"the figure {floor.key!r} in floor {place}", expected=f"one of {', '.join(_known())}")
    return floor


def _known() -> list[str]:
    of_items = [f"{metric.name}.{scope}" for metric, scopes in plan({}) for scope in scopes]
    of_sets = [f"{metric.name}.all" for metric in selective.METRICS]
    return [*of_items, *of_sets, *(f"{metric.name}.all" for metric in latency_metrics(()))]


def check(floors: Sequence[Floor], figures: Sequence[Figure], questions: Sequence[Question]) -> list[Check]:
    """Hold the figures against the floors.

    A figure that is missing although questions of its scope were asked fails: a system does not pass by giving nothing to measure.
    """
    by_key = {figure.key: figure for figure in figures}
    checks = []
    for floor in floors:
        asked = any(SCOPES[floor.scope](question) for question in questions)
        value = by_key[floor.key].value
        outcome = "not measured" if not asked else "pass" if floor.holds(value) else "fail"
        checks.append(Check(floor, value, outcome))
    return checks
