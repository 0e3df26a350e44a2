"""The mean of an automatic judge, corrected by labels of people (prediction-powered inference)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from eval.metrics.stats import Z95


@dataclass(frozen=True, slots=True)
class Corrected:
    """`raw`: the judge's mean over what nobody labelled; `value`: with what people say of it where they did; 95 % interval."""

    raw: float
    value: float
    low: float
    high: float


def mean(judged: Sequence[float], judged_labelled: Sequence[float], labels: Sequence[float]) -> Corrected:
    """mean(judged) + mean(labels - judged_labelled), with a normal interval from both variances.

    `judged`: the judge's scores of unlabelled cases; `judged_labelled`, `labels`: its scores and people's of the same labelled cases. The correction
    is right where labelled and unlabelled cases are of one kind. Raises ValueError for fewer than two of either.

    Source: Angelopoulos et al., Prediction-powered inference, Science 382 (2023), estimator of a mean.

    >>> round(mean([1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]).value, 3)
    0.5
    """
    if len(judged) < 2 or len(labels) < 2 or len(labels) != len(judged_labelled):
        raise ValueError("a corrected mean needs at least two unlabelled and two labelled cases")
    raw, raw_variance = _moments(judged)
    bias, bias_variance = _moments([label - one for label, one in zip(labels, judged_labelled, strict=True)])
    half = Z95 * math.sqrt(raw_variance / len(judged) + bias_variance / len(labels))
    return Corrected(raw, raw + bias, raw + bias - half, raw + bias + half)


def _moments(values: Sequence[float]) -> tuple[float, float]:
    middle = math.fsum(values) / len(values)
    return middle, math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
