"""The rankings that the product is made of, each alone, over the same index: what a search would be worth without the rest.

Keywords alone and vectors alone come from the product's own store. The two usual ways to put them together are written here, so that a change of the
product's own fusion never moves what it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from eval.embedders import Clocked
from rag_qa import text
from rag_qa.embedding.embedder import Vectors
from rag_qa.index.store import Near, Store

Ranking = Sequence[tuple[str, float]]
"""(paper id, score), best first: higher is better."""

KEYWORD, DENSE, RRF, MIN_MAX = "keyword", "dense", "RRF", "min-max"
PLAIN = (KEYWORD, DENSE, RRF, MIN_MAX)

_RRF_K = 60
_PASSAGES_PER_PAPER = 3


@dataclass(frozen=True, slots=True)
class Timed:
    """A ranking and the seconds that it took, the vector of the question included where it needs one."""

    ranking: Ranking
    seconds: float


class Parts:
    """Asks the parts of an index. `embedder`: the one that made it."""

    def __init__(self, data_dir: Path, embedder: Clocked) -> None:
        self._store = Store((data_dir / "index").absolute(), embedder)
        self._embedder = embedder

    def rank(self, question: str, depth: int) -> dict[str, Timed]:
        """The plain rankings by name, of at most `depth` papers. Raises EmptyIndexError, StaleIndexError, ProviderError."""
        self._store.open()
        keyword = _timed(lambda: self._keyword(question, depth))
        dense = self._dense(question, depth)
        both = (keyword.ranking, dense.ranking)
        fused = {RRF: _timed(lambda: rrf(both)), MIN_MAX: _timed(lambda: min_max(both))}
        made_of = keyword.seconds + dense.seconds
        found = {KEYWORD: keyword, DENSE: dense, **{name: Timed(one.ranking, one.seconds + made_of) for name, one in fused.items()}}
        return {name: Timed(one.ranking[:depth], one.seconds) for name, one in found.items()}

    def _keyword(self, question: str, depth: int) -> Ranking:
        """BM25 of the words that carry meaning (of all, where none does), each weighing the same."""
        words = text.content_words(question)
        terms = text.terms(" ".join(words) if words else question)
        return self._store.by_keywords(dict.fromkeys(terms, 1.0), depth)

    def _dense(self, question: str, depth: int) -> Timed:
        """Cosine of the question and the best passage of a paper."""
        asked = text.joined(question)
        vector = self._embedder.embed([asked])[0]
        found = _timed(lambda: self._near(vector, depth))
        return Timed(found.ranking, found.seconds + self._embedder.seconds(asked))

    def _near(self, vector: Vectors, depth: int) -> Ranking:
        limit = depth * _PASSAGES_PER_PAPER
        while True:
            near = self._store.near(vector, limit)
            best = _best_of_each(near)
            if len(best) >= depth or len(near) < limit:
                return best
            limit *= 2  # papers of many passages


def _best_of_each(near: Sequence[Near]) -> Ranking:
    best: dict[str, float] = {}
    for found in near:
        best.setdefault(found.paper_id, found.similarity)
    return list(best.items())


def _timed(rank: Callable[[], Ranking]) -> Timed:
    started = perf_counter()
    ranking = rank()
    return Timed(ranking, perf_counter() - started)


# -------------------------------------------------------------------------------------------------------------------- fusion


def rrf(rankings: Sequence[Ranking], k: int = _RRF_K) -> Ranking:
    """Reciprocal rank fusion: the sum of 1 / (k + place) over the rankings that have a paper, place from 1. Ties by id.

    Source: Cormack, Clarke and Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning methods, SIGIR 2009 (k = 60).

    >>> rrf([[("a", 9.0), ("b", 8.0)], [("b", 0.7), ("c", 0.6)]])[0] == ("b", 1 / 62 + 1 / 61)
    True
    """
    return _summed([{paper: 1 / (k + place) for place, (paper, _) in enumerate(ranking, start=1)} for ranking in rankings])


def min_max(rankings: Sequence[Ranking]) -> Ranking:
    """The mean of the scores, each ranking's own first scaled so that its best paper has 1 and its last 0; a paper that it lacks has 0. Ties by id.

    Source: CombSUM (Fox and Shaw, Combination of multiple searches, TREC-2, 1994) of scores normalised as in Lee, Analyses of multiple evidence
    combination, SIGIR 1997.

    >>> min_max([[("a", 9.0), ("b", 8.0), ("c", 5.0)], [("b", 0.7), ("c", 0.2)]])
    [('b', 0.875), ('a', 0.5), ('c', 0.0)]
    """
    return _summed([{paper: _scaled(score, ranking) / len(rankings) for paper, score in ranking} for ranking in rankings])


def _scaled(score: float, ranking: Ranking) -> float:
    best, last = ranking[0][1], ranking[-1][1]
    return (score - last) / (best - last) if best > last else 1.0


def _summed(rankings: Sequence[Mapping[str, float]]) -> Ranking:
    total: dict[str, float] = {}
    for ranking in rankings:
        for paper, score in ranking.items():
            total[paper] = total.get(paper, 0.0) + score
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
