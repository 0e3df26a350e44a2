"""The figures of rankings: of each its own, and how much more or less than the product's it is, with intervals over the questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.figures import Figure
from eval.metrics import retrieval as metrics
from eval.metrics import stats
from eval.metrics.stats import Array
from eval.rankings import PLAIN
from eval.retrieval import PRODUCT, RANKINGS, Asked, Found


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a ranking, in [0, 1], higher is better. `score` takes paper ids, best first, and the grade of each relevant paper."""

    name: str
    formula: str
    score: Callable[[Sequence[str], Mapping[str, float]], float]


def _recall(k: int) -> Measure:
    formula = f"relevant papers among the first {k} / relevant papers (trec_eval: recall_{k})"
    return Measure(f"recall@{k}", formula, lambda ranked, grades: metrics.recall_at(ranked, grades, k))


MEASURES = (
    Measure(
        "nDCG@10",
        "sum over the first 10 of grade / log2(place + 1), divided by that of the best possible ranking (trec_eval: ndcg_cut_10)",
        lambda ranked, grades: metrics.ndcg_at(ranked, grades, 10),
    ),
    _recall(10),
    _recall(50),
    _recall(100),
    Measure(
        "MRR@10",
        "1 / place of the first relevant paper among the first 10, else 0 (MS MARCO's; trec_eval: recip_rank of the first 10)",
        lambda ranked, grades: metrics.reciprocal_rank(ranked, grades, 10),
    ),
    Measure("success@1", "1 if the first paper is relevant, else 0 (trec_eval: success_1)", metrics.success_at_1),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the product is than a plain ranking, over the same questions: mean and paired bootstrap interval; + is better."""

    metric: str
    ranking: str
    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds a question, over the `n` that did not fail."""

    ranking: str
    p50: float | None
    p95: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Figures:
    """All that is measured of a run. A figure's scope is the ranking; n_na: questions that no document answers."""

    figures: tuple[Figure, ...]
    differences: tuple[Difference, ...]
    latencies: tuple[Latency, ...]


def measure(asked: Sequence[Asked], *, n_na: int = 0, resamples: int = stats.RESAMPLES) -> Figures:
    """The figures of some questions. `n_na`: how many more there were that no document answers. Without a question there is no figure.

    `resamples`: how often the questions are drawn anew for an interval.
    """
    latencies = tuple(_latency(name, [one.found[name] for one in asked]) for name in RANKINGS)
    if not asked:
        return Figures((), (), latencies)
    scored = {name: np.array([scores(one, name) for one in asked]) for name in RANKINGS}
    figures = [figure for name in RANKINGS for figure in _figures(name, scored[name], asked, n_na, resamples)]
    differences = [
        Difference(metric, name, value, interval) for name in PLAIN for metric, value, interval in _means(scored[PRODUCT] - scored[name], resamples)
    ]
    return Figures(tuple(figures), tuple(differences), latencies)


def scores(asked: Asked, ranking: str) -> list[float]:
    """What a ranking reached on a question, in the order of MEASURES: 0 if it failed."""
    found = asked.found[ranking]
    return [0.0 if found.error else measure.score(found.papers, asked.grades) for measure in MEASURES]


def _figures(ranking: str, scored: Array, asked: Sequence[Asked], n_na: int, resamples: int) -> Iterator[Figure]:
    n_error = sum(bool(one.found[ranking].error) for one in asked)
    for metric, value, interval in _means(scored, resamples):
        yield Figure(metric, ranking, value, len(asked) - n_error, len(asked), n_error, n_na, interval)


def _means(values: Array, resamples: int) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """(measure, mean over the questions, its interval). `values`: a row for each question, a column for each measure."""
    for one, mean, (low, high) in zip(MEASURES, values.mean(axis=0), stats.bootstrap(values, resamples=resamples), strict=True):
        yield one.name, float(mean), (float(low), float(high))


def _latency(ranking: str, found: Sequence[Found]) -> Latency:
    milliseconds = [one.seconds * 1000 for one in found if not one.error]
    if not milliseconds:
        return Latency(ranking, None, None, 0)
    return Latency(ranking, stats.percentile(milliseconds, 50), stats.percentile(milliseconds, 95), len(milliseconds))
