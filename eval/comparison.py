"""Two systems on the same questions: by how much does each figure differ, and is that more than chance?

A difference is that of the two figures as the summaries show them, signed so that + is better. Its interval is that of a paired bootstrap in which
the questions about one paper are drawn together. Errors count as the worst value on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from eval import scoring
from eval.figures import Metric
from eval.metrics import stats
from eval.metrics.stats import Array, Paired
from eval.sides import HEADLINE, Scored, Side
from rag_qa.errors import RagQAError

NO_QUESTION = "no question"
"""Of a figure that no question of either side is about."""
NOT_FINITE = "not finite"
"""Of a figure that errors make infinite on both sides."""

_TINY = 1e-12
_METRICS: Mapping[str, Metric] = {metric.name: metric for metric, _ in scoring.plan({})}


class OtherData(RagQAError):
    """The two sides were not asked the same questions about the same papers."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A figure of one side: `value` is None where no question is eligible, or an error made it infinite."""

    value: float | None
    n_eligible: int
    n_error: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How a figure differs. Where it cannot be told, `delta` is None and `lacks` says why.

    `delta`, `interval`: after less before, times -1 where lower is better. `p`: two-sided, by `test`; `p_holm`: corrected for the headline figures,
    None for the others. `better`, `worse`: ids of the questions whose value changed. `variance`: of one question's difference; `needed`: questions
    that it would take to see this difference.
    """

    metric: str
    scope: str
    before: Reached
    after: Reached
    delta: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    test: Literal["", "McNemar", "sign flip"] = ""
    p_holm: float | None = None
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    variance: float | None = None
    needed: int | None = None
    lacks: str = ""

    @property
    def key(self) -> str:
        """As a figure's key."""
        return f"{self.metric}.{self.scope}"

    @property
    def changed(self) -> bool:
        """Is there anything to tell of it?"""
        same = (self.before.value, self.before.n_error) == (self.after.value, self.after.n_error) and self.interval in (None, (0.0, 0.0))
        return bool(self.better or self.worse) or self.lacks not in ("", NO_QUESTION, NOT_FINITE) or not same


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is told of two sides. `notes`: what else differs between them, in words."""

    before: Side
    after: Side
    questions: int
    notes: tuple[str, ...]
    differences: tuple[Difference, ...]


def compare(before: Side, after: Side, *, allow_other_data: bool = False, only: Sequence[str] = ()) -> Comparison:
    """Hold two sides against each other, on the questions that both were asked; `only`: the figures with these keys.

    Raises OtherData if the questions or the papers are not the same on both, unless that is allowed.
    """
    others = other_data(before, after)
    if others and not allow_other_data:
        raise OtherData("; ".join(others) + ": pass --allow-other-data to compare the questions that both have")
    pairs = _pairs(before, after)
    if not pairs:
        raise OtherData(f"{before.name} and {after.name} have no question in common")
    keys = [key for key in _keys(before, after) if not only or key in only]
    found = [_difference(before, after, pairs, *key.rsplit(".", 1)) for key in keys]
    return Comparison(before, after, len(pairs), (*others, *_notes(before, after)), tuple(_corrected(found)))


def other_data(before: Side, after: Side) -> list[str]:
    """In which respect two sides were not asked the same, in words."""
    found = [
        f"{name.removesuffix('_sha256')} is not the same: {value[:8]} in {before.name}, {after.data[name][:8]} in {after.name}"
        for name, value in before.data.items()
        if after.data.get(name, value) != value
    ]
    found += [f"{len(ids)} questions are in {one.name} alone ({few(ids)})" for one, ids in _alone(before, after) if ids]
    return found


def _alone(before: Side, after: Side) -> Iterator[tuple[Side, list[str]]]:
    for one, other in ((before, after), (after, before)):
        yield one, [item.id for item in one.items if item.id not in other.ids]


def few(ids: Sequence[str]) -> str:
    """Some of many.

    >>> few(["a", "b", "c", "d"])
    'a, b, c, ...'
    """
    return ", ".join([*ids[:3], *(["..."] if len(ids) > 3 else [])])


def is_share(metric: str) -> bool:
    """Is a metric between 0 and 1? One that is not known is taken for one."""
    return metric not in _METRICS or _METRICS[metric].range == "0 to 1"


def _notes(before: Side, after: Side) -> list[str]:
    """What differs and may well differ."""
    old, new = (_flat(one.about) for one in (before, after))
    notes = [f"{name}: {_shown(old.get(name))} before, {_shown(new.get(name))} after" for name in {**old, **new} if old.get(name) != new.get(name)]
    notes += [
        f"{len(one.errors)} of {len(one.items)} questions of {one.name} ended in an error ({few(one.errors)})"
        for one in (before, after)
        if one.errors
    ]
    return notes


def _flat(about: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in about.items() if name not in ("data", "settings") and not name.endswith("sha256")}
    return plain | dict(about.get("settings", {}))


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else "not said" if value is None else str(value)


def _pairs(before: Side, after: Side) -> list[tuple[Scored, Scored]]:
    new = {item.id: item for item in after.items}
    return [(item, new[item.id]) for item in before.items if item.id in new]


def _keys(before: Side, after: Side) -> list[str]:
    """The headline figures, every other one that a side has, and those that were judged before and that nobody measures any more."""
    known = [
        f"{metric.name}.{scope}" for metric, scopes in scoring.plan({}) for scope in scopes if metric.name in {**before.versions, **after.versions}
    ]
    gone = [key for key in before.judged if key not in known and key.rsplit(".", 1)[0] in before.versions]
    return [key for key in HEADLINE if key in known] + [key for key in known if key not in HEADLINE] + gone


def _difference(before: Side, after: Side, pairs: Sequence[tuple[Scored, Scored]], name: str, scope: str) -> Difference:
    metric = _METRICS.get(name)
    within = [pair for pair in pairs if scope in pair[1].scopes]
    old, new = [pair[0] for pair in within], [pair[1] for pair in within]
    bare = Difference(name, scope, _reached(before, metric, old), _reached(after, metric, new))
    if metric is None or (lacks := _lacks(before, after, name)):
        return replace(bare, lacks=lacks if metric else "no such metric any more")
    clusters = np.array([item.cluster for item in old], dtype=np.int64)
    paired = Paired(before.values(metric, old), after.values(metric, new), clusters, metric.aggregate)
    if math.isnan(paired.delta):
        return replace(bare, lacks=_nothing(bare))
    return _measured(bare, metric, paired, [item.id for item in old])


def _lacks(before: Side, after: Side, name: str) -> str:
    old, new = before.versions.get(name), after.versions.get(name)
    if new is None:
        return "not measured after"
    if old is None:
        return "not measured before"
    return "" if old == new else f"version {old} of the metric before, {new} after"


def _nothing(bare: Difference) -> str:
    if not bare.before.n_eligible and not bare.after.n_eligible:
        return NO_QUESTION
    return "no question before" if not bare.before.n_eligible else "no question after" if not bare.after.n_eligible else NOT_FINITE


def _reached(side: Side, metric: Metric | None, items: Sequence[Scored]) -> Reached:
    if metric is None or metric.name not in side.versions:
        return Reached(None, 0, 0)
    values = side.values(metric, items)
    value = stats.aggregate(values, metric.aggregate)
    return Reached(
        round(value, 12) if math.isfinite(value) else None, int(np.sum(~np.isnan(values))), sum(item.failed_in(metric.name) for item in items)
    )


def _measured(bare: Difference, metric: Metric, paired: Paired, ids: Sequence[str]) -> Difference:
    sign = -1.0 if metric.direction == "lower" else 1.0
    better, worse = _flips(paired.before, paired.after, sign, ids)
    unchanged = np.array_equal(paired.before, paired.after, equal_nan=True)
    spread = stats.Spread(0.0, 0.0, 0.0) if unchanged else stats.paired_bootstrap(paired)
    delta = sign * paired.delta + 0.0
    low, high = sorted((sign * spread.low + 0.0, sign * spread.high + 0.0))
    return replace(
        bare,
        delta=delta,
        interval=(low, high),
        p=stats.mcnemar(len(better), len(worse)) if metric.binary else stats.sign_flip(paired),
        test="McNemar" if metric.binary else "sign flip",
        better=better,
        worse=worse,
        variance=spread.variance,
        needed=stats.items_needed(spread.variance, delta),
    )


def _flips(before: Array, after: Array, sign: float, ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Questions that are better and worse; one that is eligible on one side only is neither."""
    with np.errstate(invalid="ignore"):
        change = sign * (after - before)
    return tuple(np.array(ids)[change > _TINY].tolist()), tuple(np.array(ids)[change < -_TINY].tolist())


def _corrected(found: Sequence[Difference]) -> Iterator[Difference]:
    headline = [one.p for one in found if one.key in HEADLINE and one.p is not None]
    adjusted = iter(stats.holm(headline))
    for one in found:
        yield replace(one, p_holm=next(adjusted)) if one.key in HEADLINE and one.p is not None else one


def to_json(comparison: Comparison) -> dict[str, Any]:
    """A dictionary of plain values; a figure that an error made infinite is null."""
    return {
        "before": {"name": comparison.before.name, "about": dict(comparison.before.about)},
        "after": {"name": comparison.after.name, "about": dict(comparison.after.about)},
        "questions": comparison.questions,
        "notes": list(comparison.notes),
        "bootstrap": {"resamples": stats.RESAMPLES, "seed": stats.SEED, "level": 0.95, "clusters": "the first right paper of a question"},
        "headline": list(HEADLINE),
        "differences": [difference_json(one) for one in comparison.differences],
    }


def difference_json(one: Difference) -> dict[str, Any]:
    """A dictionary of plain values; what is infinite is null."""
    plain = asdict(one)
    interval = [_finite(end) for end in one.interval] if one.interval else None
    return {**plain, "delta": _finite(one.delta), "interval": interval, "variance": _finite(one.variance)}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
