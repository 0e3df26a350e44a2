"""What a run took: milliseconds by stage, tokens, dollars. Nothing here is judged by a gate, and what nobody said is None and never 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval import scoring
from eval.items import Item, Timing
from eval.metrics import stats

WHOLE = "total"


def spending(items: Sequence[Item], timings: Sequence[Timing], cold: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Everything, with its unit in its name. `cold`: seconds and stages of the first question, which is in none of the other figures."""
    return {
        "warm_ms": milliseconds(timings),
        "cold_ms": None if not cold else {WHOLE: 1000 * cold["seconds"], **{name: 1000 * value for name, value in _parts(cold["stages"])}},
        "cost": cost(items, timings),
    }


def milliseconds(timings: Sequence[Timing]) -> dict[str, dict[str, float]]:
    """Median, 95th percentile, maximum and count, of the whole and of each stage, warm.

    >>> milliseconds([Timing("a", 0.02, {"answer": 0.01}), Timing("b", 0.04, {})])["total"]
    {'n': 2, 'p50': 30.0, 'p95': 39.0, 'max': 40.0}
    """
    stages = dict.fromkeys(name for timing in timings for name, _ in _parts(timing.stages))
    values = {WHOLE: [timing.seconds for timing in timings]}
    values |= {stage: [timing.stages[stage] for timing in timings if stage in timing.stages] for stage in stages}
    return {name: _spread(seconds) for name, seconds in values.items() if seconds}


def _parts(stages: Mapping[str, float]) -> list[tuple[str, float]]:
    """Without the system's own sum, in place of which the harness's clock counts."""
    return [(name, seconds) for name, seconds in stages.items() if name != WHOLE]


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    spread = {"p50": stats.percentile(seconds, 50), "p95": stats.percentile(seconds, 95), "max": max(seconds)}
    return {"n": len(seconds), **{name: round(1000 * value, 3) for name, value in spread.items()}}


def cost(items: Sequence[Item], timings: Sequence[Timing]) -> dict[str, Any]:
    """Sums over all questions, and the dollars that a right answer took; None where the answer to one question did not say.

    A question that crashed has no timing, and so makes the sums unknown if the others have them.
    """
    right = sum(item.status != "error" and scoring.RIGHT.score(item) == 1 for item in items)
    asked = len(items)
    dollars = _sum([timing.cost_usd for timing in timings], asked)
    return {
        "questions": asked,
        "questions_with_tokens": sum(timing.prompt_tokens is not None for timing in timings),
        "prompt_tokens": _sum([timing.prompt_tokens for timing in timings], asked),
        "completion_tokens": _sum([timing.completion_tokens for timing in timings], asked),
        "cost_usd": dollars,
        "right_answers": right,
        "usd_per_right_answer": None if dollars is None or not right else dollars / right,
    }


def _sum(values: Sequence[float | None], expected: int) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == expected else None
