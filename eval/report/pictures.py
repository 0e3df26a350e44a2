"""The plots of one run."""

from __future__ import annotations

from collections.abc import Sequence

from eval import selective
from eval.items import Item
from eval.metrics import abstention, retrieval
from eval.report import plots
from eval.report.plots import Axes, Line
from eval.run_directory import Run

_DEPTHS = tuple(range(1, 11))


def of(run: Run) -> list[str]:
    """Those for which the run has something."""
    sure = [risk_coverage(run.items, _threshold(run)), reliability(run.items)] if selective.curve(run.items).wrong else []
    return [picture for picture in (*sure, by_depth(run.items), latencies(run)) if picture]


def _threshold(run: Run) -> float | None:
    found = run.manifest["about"].get("settings", {}).get("min_confidence")
    return float(found) if isinstance(found, float | int) else None


def risk_coverage(items: Sequence[Item], threshold: float | None = None) -> str:
    """Risk among the surest, beside that of a perfect order. `threshold`: the confidence below which the system refuses, which is marked."""
    found = selective.curve(items)
    ours = abstention.risk_coverage(found.confidence, found.wrong)
    oracle = abstention.risk_coverage([float(right) for right in found.right], found.wrong)
    highest = max(point.risk for point in ours)
    axes = Axes("coverage: share of questions, surest first", "risk", to_y=1.0 if highest > 0.5 else 0.5)
    lines = [
        Line("this run", [(point.coverage, point.risk) for point in ours]),
        Line("perfect order", [(point.coverage, point.risk) for point in oracle], "other"),
    ]
    if threshold is None:
        return plots.plot("Risk and coverage", axes, lines)
    above = sum(one >= threshold for one in found.confidence) / len(found.confidence)
    return plots.plot("Risk and coverage", axes, lines, at=(above, f"threshold {threshold:g}"))


def reliability(items: Sequence[Item]) -> str:
    """Confidence against how often it is right."""
    found = selective.curve(items)
    bins = abstention.reliability(found.confidence, found.right)
    lines = [Line("perfect", [(0.0, 0.0), (1.0, 1.0)], "other"), Line("this run", [(one.confidence, one.right) for one in bins])]
    return plots.plot(
        "Reliability", Axes("confidence", "share right"), [*lines, Line("ten bins", [(b.confidence, b.right) for b in bins], dots=True)]
    )


def by_depth(items: Sequence[Item]) -> str:
    """nDCG and recall by how many papers are looked at."""
    ranked = [([hit.paper for hit in item.retrieved or ()], item.question.papers) for item in items if item.question.papers]
    if not ranked:
        return ""

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    ndcg = [(float(k), mean([retrieval.ndcg_at(found, dict.fromkeys(right, 1.0), k) for found, right in ranked])) for k in _DEPTHS]
    recall = [(float(k), mean([retrieval.recall_at(found, right, k) for found, right in ranked])) for k in _DEPTHS]
    return plots.plot(
        "Ranking by depth", Axes("papers looked at", "nDCG, recall", to_x=10), [Line("nDCG@k", ndcg), Line("recall@k", recall, "other")]
    )


def latencies(run: Run) -> str:
    """Share of questions that were answered within a time."""
    seconds = sorted(timing.seconds * 1000 for timing in run.timings)
    if not seconds:
        return ""
    steps = [(value, (place + 1) / len(seconds)) for place, value in enumerate(seconds)]
    return plots.plot("Latency", Axes("milliseconds, warm", "share of questions", to_x=_round_up(seconds[-1])), [Line("this run", steps)])


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 ...

    >>> _round_up(37.0), _round_up(501.0)
    (50, 1000)
    """
    step = 1
    while True:
        for factor in (1, 2, 5):
            if value <= factor * step:
                return factor * step
        step *= 10
