"""Question -> hits: filters, a dense and a keyword ranking, fusion, the best passages of each paper."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rag_qa import text
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Vectors
from rag_qa.index.store import Conditions, Near, Store, folded
from rag_qa.papers import Notice, Paper
from rag_qa.retrieval import fusion
from rag_qa.retrieval.hits import Filters, Hit

_DEPTH = 50  # papers taken from each ranking
_PASSAGES_PER_PAPER = 3
_BEST_SENTENCES = 3
_BM25_CEILING = 2.2  # k1 + 1: what a term that fills a paper is worth, in units of its rarity
_PART_WEIGHT = 0.5  # "k-means": the parts k and means count half of the whole


class Retriever:
    """Searches a store."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    def search(self, question: str, *, k: int, filters: Filters | None = None) -> list[Hit]:
        """The k most relevant papers, best first; fewer if the index holds fewer. Raises EmptyIndexError, StaleIndexError."""
        self._store.open()
        conditions = _conditions(filters or Filters())
        depth = max(_DEPTH, k)
        vector = self._embedder.embed([text.joined(question)])[0]
        terms = query_terms(question)
        near = self._store.near(vector, depth * _PASSAGES_PER_PAPER, conditions)
        rankings = {"keyword": self._store.by_keywords(terms, depth, conditions), "dense": _best_of_each(near)[:depth]}
        found = list(dict.fromkeys(paper_id for ranking in rankings.values() for paper_id, _ in ranking))
        papers = self._store.get(found)
        fused = fusion.fuse(
            {
                "passage": dict(rankings["dense"]),
                "sentences": self._sentence_scores(vector, list(papers)),
                "keyword": {paper_id: score / self._most(terms) for paper_id, score in rankings["keyword"]},
                "named": {paper_id: score for paper_id, paper in papers.items() if (score := _named(question, paper))},
            }
        )
        # a paper that another process has just removed may still be in a ranking
        fused = [(paper_id, score) for paper_id, score in fused if paper_id in papers][:k]
        return self._hits(question, fused, papers, rankings, near)

    def _sentence_scores(self, vector: Vectors, paper_ids: Sequence[str]) -> dict[str, float]:
        """Mean cosine of the sentences of a paper that are nearest to the question."""
        best = {paper_id: np.sort(vectors @ vector)[-_BEST_SENTENCES:] for paper_id, vectors in self._store.sentence_vectors(paper_ids).items()}
        return {paper_id: float(cosines.mean()) for paper_id, cosines in best.items() if cosines.size}

    def _most(self, terms: Mapping[str, float]) -> float:
        """BM25 of an ideal paper, in which every term of the question stands often."""
        size = len(self._store)
        rarity = {term: math.log(1 + (size - df + 0.5) / (df + 0.5)) for term in terms for df in (self._store.document_frequency(term),)}
        return sum(weight * rarity[term] for term, weight in terms.items()) * _BM25_CEILING or 1.0

    def _hits(
        self,
        question: str,
        fused: Sequence[tuple[str, float]],
        papers: Mapping[str, Paper],
        rankings: Mapping[str, Sequence[tuple[str, float]]],
        near: Sequence[Near],
    ) -> list[Hit]:
        ranks = {name: {paper_id: rank for rank, (paper_id, _) in enumerate(ranking, 1)} for name, ranking in rankings.items()}
        scores = {name: dict(ranking) for name, ranking in rankings.items()}
        passages = self._store.passages({paper_id: papers[paper_id] for paper_id, _ in fused})
        similarity = {n.passage_id: n.similarity for n in near}
        wanted = text.content_words(question)
        return [
            Hit(
                paper=papers[paper_id],
                passages=_best_passages(passages[paper_id], similarity, wanted),
                score=score,
                rank=rank,
                ranks={name: found[paper_id] for name, found in ranks.items() if paper_id in found},
                scores={name: round(found[paper_id], 6) for name, found in scores.items() if paper_id in found},
                matched=_matched(wanted, papers[paper_id]),
            )
            for rank, (paper_id, score) in enumerate(fused, 1)
        ]


def query_terms(question: str) -> dict[str, float]:
    """What a question is searched by in the keyword index: term -> weight.

    >>> query_terms("What is k-means clustering?")
    {'kmean': 1.0, 'k': 0.5, 'mean': 0.5, 'cluster': 1.0}
    """
    weights: dict[str, float] = {}
    for word in text.content_words(question) or [w.text for w in text.words(text.fold(question).text)]:
        whole, *parts = text.word_terms(word)
        for term, weight in [(whole, 1.0), *((part, _PART_WEIGHT) for part in parts)]:
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _named(question: str, paper: Paper) -> float:
    """Does a question call a paper by the name of its method? 1 if it does, 0.5 if only in other capitals ("comet" for COMET), 0 if not.

    >>> _named("How does NetMoE scale?", Paper("p1", "We develop NetMoE, which is fast."))
    1.0
    """
    name = text.name_of(paper.abstract)
    if not name:
        return 0.0
    if re.search(rf"(?<![\w-]){re.escape(name)}(?:s|'s|’s)?(?![\w-])", question):
        return 1.0
    wanted = text.fold(name).text
    return 0.5 if re.search(rf"(?<![\w-]){re.escape(wanted)}(?:s|'s)?(?![\w-])", text.fold(question).text) else 0.0


def _conditions(filters: Filters) -> Conditions:
    conditions: dict[str, str | tuple[int | None, int | None] | frozenset[str]] = {}
    if filters.year_from is not None or filters.year_to is not None:
        conditions["year"] = (filters.year_from, filters.year_to)
    for name in ("venue", "collection", "author", "language", "keyword", "type"):
        if value := getattr(filters, name):
            conditions[name] = folded(value.replace(",", " ") if name == "author" else value)
    if filters.exclude_types and not filters.type:
        conditions["type"] = frozenset(map(folded, filters.exclude_types))
    if filters.without_retracted:
        conditions["notice"] = frozenset({Notice.RETRACTED.value})
    return conditions


def _best_of_each(near: Iterable[Near]) -> list[tuple[str, float]]:
    """Papers by their best passage."""
    best: dict[str, float] = {}
    for found in near:
        best.setdefault(found.paper_id, round(found.similarity, 6))
    return list(best.items())


def _best_passages(passages: Sequence[Passage], similarity: Mapping[str, float], wanted: Sequence[str]) -> tuple[Passage, ...]:
    """Passages that the dense ranking found, most similar first; for a paper that only words led to, those that hold most of the words."""
    terms = {term for word in wanted for term in text.word_terms(word)}

    def order(passage: Passage) -> tuple[float, int, int]:
        return (-similarity.get(passage.id, -1.0), -len(terms & set(text.terms(passage.text))), passage.ordinal)

    return tuple(sorted(passages, key=order)[:_PASSAGES_PER_PAPER])


def _matched(wanted: Sequence[str], paper: Paper) -> tuple[str, ...]:
    there = set(text.terms(f"{paper.title or ''}\n\n{paper.abstract}"))
    return tuple(word for word in dict.fromkeys(wanted) if there.intersection(text.word_terms(word)))
