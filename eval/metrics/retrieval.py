"""How well a ranking finds the papers that answer. `ranked`: paper ids, best first; a repeated id counts at its first place only.

All are in [0, 1], higher is better. A question that no paper answers has no retrieval figure: they raise ValueError when nothing is relevant.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def success_at_1(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 if the first paper is relevant, otherwise 0 (trec_eval: success_1).

    >>> success_at_1(["a", "b"], {"b"})
    0.0
    """
    _check(relevant)
    return float(bool(ranked) and ranked[0] in relevant)


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant papers among the first k / relevant papers (trec_eval: recall_k).

    >>> recall_at(["a", "b", "c"], {"b", "x"}, k=3)
    0.5
    """
    _check(relevant)
    wanted = set(relevant)
    return len(wanted & set(_distinct(ranked)[:k])) / len(wanted)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 / place (from 1) of the first relevant paper among the first k, otherwise 0; its mean is MRR@k.

    Source: Voorhees, The TREC-8 question answering track report, 1999; with a cut-off as in MS MARCO's script.

    >>> reciprocal_rank(["a", "b", "c"], {"b", "c"}, k=10)
    0.5
    """
    _check(relevant)
    places = (place for place, paper in enumerate(_distinct(ranked)[:k], start=1) if paper in relevant)
    return 1 / first if (first := next(places, 0)) else 0.0


def ndcg_at(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Sum over the first k of gain / log2(place + 1), divided by the same sum of the best possible ranking (trec_eval: ndcg_cut_k, linear gain).

    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20 (2002).

    >>> round(ndcg_at(["a", "b"], {"b": 1}, k=10), 4)
    0.6309
    """
    _check(gains)
    reached = _discounted([gains.get(paper, 0.0) for paper in _distinct(ranked)[:k]])
    return reached / _discounted(sorted(gains.values(), reverse=True)[:k])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def _distinct(ranked: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ranked))


def _check(relevant: Collection[str]) -> None:
    if not relevant:
        raise ValueError("nothing is relevant: the question has no retrieval figure")
