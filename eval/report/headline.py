"""The table at the top of the page: each figure with its interval, what it is held against, and what it was in another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eval import floors, scoring, sides
from eval.comparison import Difference
from eval.figures import Figure
from eval.judgement import Verdict
from eval.metrics import stats
from eval.metrics.stats import Paired
from eval.report import anchors, differences
from eval.report.anchors import Anchors
from eval.report.changes import Changes
from eval.run_directory import Run
from eval.sides import HEADLINE, OF_THE_SET
from eval.summary import Summary


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of the headline table. `verdict`, `difference`: against the other run, if there is one; `was`: the other run's value."""

    figure: Figure
    title: str
    arrow: str
    floor: str
    outcome: str
    anchors: Anchors | None
    difference: Difference | None = None
    verdict: Verdict | None = None
    was: str = ""
    delta: str = ""


def of(run: Run, summary: Summary, changed: Changes | None = None) -> list[Row]:
    """The figures that stand at the top, and every one that has a floor."""
    checks = {check.floor.key: check for check in summary.checks}
    by_key = {figure.key: figure for figure in summary.figures}
    keys = [key for key in dict.fromkeys([*HEADLINE, *OF_THE_SET, *checks]) if key in by_key and (by_key[key].n_eligible or key in checks)]
    held = anchors.of(run, keys)
    measured = with_intervals(run, [by_key[key] for key in keys])
    rows = [_row(figure, checks.get(figure.key), held.get(figure.key)) for figure in measured]
    return [_compared(row, changed) for row in rows] if changed else rows


def _compared(row: Row, changed: Changes) -> Row:
    key, now = row.figure.key, row.figure.value
    if (one := changed.by_key.get(key)) is not None:
        verdict = next((verdict for verdict in changed.judgement.verdicts if verdict.difference.key == key), None)
        was, delta = differences.value(one.metric, one.before), differences.signed(one.metric, one.delta)
        return replace(row, difference=one, verdict=verdict, was=was, delta=delta)
    before = changed.values.get(key)
    if before is None or now is None:
        return row
    sign = -1.0 if scoring.metrics()[row.figure.metric].direction == "lower" else 1.0
    return replace(row, was=number(before), delta=differences.signed(row.figure.metric, sign * (now - before)))


def _row(figure: Figure, check: floors.Check | None, held: Anchors | None) -> Row:
    metric = scoring.metrics()[figure.metric]
    arrow = {"higher": "↑", "lower": "↓", "neither": ""}[metric.direction]
    return Row(figure, metric.title, arrow, str(check.floor) if check else "", check.outcome if check else "", held)


def with_intervals(run: Run, figures: Sequence[Figure]) -> list[Figure]:
    """The figures, those that are no proportions too with a 95 % interval: a bootstrap in which the questions about one paper are drawn together.

    None where every question has the same value, or all are about one paper: what was drawn again would say that nothing else can be.
    """
    side, plan = sides.of_run(run), {metric.name: metric for metric, _ in scoring.plan(run.library)}
    found = []
    for figure in figures:
        metric = plan.get(figure.metric)
        if metric is not None and figure.interval is None and figure.value is not None:
            within = [item for item in side.items if figure.scope in item.scopes]
            values, clusters = side.values(metric, within), np.array([item.cluster for item in within], dtype=np.int64)
            if len(set(values[~np.isnan(values)].tolist())) > 1 and len(set(clusters.tolist())) > 1:
                nothing = np.where(np.isnan(values), np.nan, 0.0)
                spread = stats.paired_bootstrap(Paired(nothing, values, clusters, metric.aggregate))
                figure = replace(figure, interval=(spread.low, spread.high))
        found.append(figure)
    return found


def number(value: float | None) -> str:
    """A figure as it is shown.

    >>> number(0.9), number(61.04), number(None)
    ('0.900', '61.0', '–')
    """
    if value is None:
        return "–"
    return f"{value:.3f}" if value <= 1 else f"{value:.1f}"
