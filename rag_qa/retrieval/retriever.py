"""Question -> hits: filters, a dense and a keyword ranking, fusion, near copies put together, the best passages of each paper."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from rag_qa import text
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Vectors
from rag_qa.index.store import Near, Store
from rag_qa.papers import Paper
from rag_qa.retrieval import copies, fusion, needs, terms
from rag_qa.retrieval.filters import Filters, conditions
from rag_qa.retrieval.hits import Asked, Hit
from rag_qa.retrieval.reranking.order import DEPTH, reordered
from rag_qa.retrieval.reranking.reranker import Reranker
from rag_qa.retrieval.terms import Added

_MOST_PASSING = 2000
_LOOKS = 3  # at an index that is being changed all the time
_DEPTH = 50  # papers taken from each ranking
_PASSAGES_PER_PAPER = 3
_BM25_CEILING = 2.2  # k1 + 1: what a term that fills a paper is worth, in units of its rarity
_MAY_BE_NAMED = 10  # papers, from the best on
# Mean and spread of the cosines of unrelated sentences by MiniLM, on which the weights were fitted; the spread is the same in every field.
_UNRELATED, _SPREAD = 0.15, 0.11

T = TypeVar("T")
Ranking = Sequence[tuple[str, float]]
"""(paper id, score), best first: higher is better."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is found for a question, and not yet put together. `keyword`: papers by BM25; `dense`: by the cosine of their best passage; `near`: these
    passages. `sentences`: vectors of the sentences of the papers that either found; `best`: cosine of the best one of each. `scores`: what is fused,
    each in [0, 1] (see fusion.WEIGHTS). `asked`: terms of the question, each with its weight times its rarity; `also`: what was searched besides;
    `vector`: unit vector of the question; `need`: how much it is one in a person's own words, in [0, 1] (see needs).
    """

    keyword: Ranking
    dense: Ranking
    near: Sequence[Near]
    sentences: Mapping[str, Vectors]
    best: Mapping[str, float]
    scores: Mapping[str, Mapping[str, float]]
    asked: Mapping[str, float]
    also: Sequence[Added]
    vector: Vectors
    need: float = 0.0


class Retriever:
    """Searches a store. `reranker`: judges the first `depth` papers of each search once more."""

    def __init__(self, store: Store, embedder: Embedder, *, reranker: Reranker | None = None, depth: int = DEPTH) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker
        self._reranked = depth

    def search(self, question: str, *, k: int, filters: Filters | None = None) -> list[Hit]:
        """The k most relevant papers, best first; fewer if the index holds fewer. Near copies of a paper take no place (see Hit.copies).

        Raises EmptyIndexError, StaleIndexError, and what a re-ranker on this machine raises; one that is remote may fail (see Hit.notice).
        """
        if self._reranker is None:
            return self._ranked(question, k, filters)
        hits = self._ranked(question, max(k, self._reranked), filters)
        return reordered(question, hits, self._reranker, depth=self._reranked)[:k]

    def steadily(self, look: Callable[[], T]) -> T:
        """What a look at one state of the index gives. If another process has changed it meanwhile, what was seen first and last may not belong
        together, and it is looked at again, a few times.
        """
        self._store.open()
        for _ in range(_LOOKS - 1):
            before = self._store.generation
            seen = look()
            if self._store.generation == before:
                return seen
        return look()

    def _ranked(self, question: str, k: int, filters: Filters | None) -> list[Hit]:
        hits = self.steadily(lambda: self._once_ranked(question, k, filters))
        return [hit for hit in hits if hit.passages]

    def _once_ranked(self, question: str, k: int, filters: Filters | None) -> list[Hit]:
        found = self.find(question, max(_DEPTH, k), filters, leaning=fusion.leans(self._embedder.name))
        weights = fusion.weights(self._embedder.name, found.need)
        likely = [paper_id for paper_id, _ in fusion.fuse(found.scores, weights)[: 2 * k + _MAY_BE_NAMED]]
        papers = self._store.get(likely)
        # a paper that another process has just removed may still be in a ranking
        likely = [paper_id for paper_id in likely if paper_id in papers]
        named = {paper_id: _named(question, papers[paper_id], found.asked) for paper_id in likely[:_MAY_BE_NAMED]}
        found = replace(found, scores={**found.scores, "named": {paper_id: score for paper_id, score in named.items() if score}})
        fused = {paper_id: score for paper_id, score in fusion.fuse(found.scores, weights) if paper_id in papers}
        groups = copies.grouped([papers[paper_id] for paper_id in fused], found.sentences)[:k]
        return self.hits(question, groups, fused, found)

    def count(self, filters: Filters) -> int:
        """How many papers pass. Raises EmptyIndexError, StaleIndexError."""
        self._store.open()
        return self._store.meeting(conditions(filters))

    def passing(self, filters: Filters) -> list[Paper]:
        """Papers that pass, the latest first; of very many, some. Raises EmptyIndexError, StaleIndexError."""
        self._store.open()
        ids = sorted(self._store.ids_meeting(conditions(filters)))[:_MOST_PASSING]
        return sorted(self._store.get(ids).values(), key=lambda paper: (-(paper.year or 0), paper.id))

    def find(self, question: str, depth: int, filters: Filters | None = None, *, leaning: bool = False) -> Found:
        """What there is on a question: of either ranking that many papers. `leaning`: lean on meaning as far as no paper has its words.

        Raises EmptyIndexError, StaleIndexError.
        """
        self._store.open()
        narrowing = conditions(filters or Filters())
        weights, also = terms.query_terms(question), terms.added(question, self._store)
        asked = {term: weight * self.rarity(term) for term, weight in weights.items()}
        # of both more than the candidates: a candidate of the one is further down in the other
        keyword = self._store.by_keywords({**terms.weights(also), **weights}, 2 * depth, narrowing)
        told = {paper_id: score / _most(asked) for paper_id, score in keyword}
        need = needs.share(list(told.values())) if leaning else 0.0
        vector = self._vector(question, need)
        near = self._store.near(vector, depth * _PASSAGES_PER_PAPER, narrowing)
        dense = _best_of_each(near)
        sentences = self._store.sentence_vectors(list(dict.fromkeys(paper_id for paper_id, _ in (*dense[:depth], *keyword[:depth]))))
        best = {paper_id: float((vectors @ vector).max()) for paper_id, vectors in sentences.items() if len(vectors)}
        # a passage that was not found is no nearer than the last one that was, nor than the best sentence of its paper
        lowest = near[-1].similarity if near else 0.0
        passage = {paper_id: min(lowest, cosine) for paper_id, cosine in best.items()} | {one: cosine for one, cosine in dense if one in best}
        scores = {
            "passage": self._on_scale(passage),
            "sentence": self._on_scale(best),
            "keyword": {paper_id: score for paper_id, score in told.items() if paper_id in best},
        }
        if need:
            scores["whole"] = self._on_scale(needs.whole(near, self._passages_of(list(best))))
            scores["ahead"] = {paper_id: score for paper_id, score in needs.ahead(told).items() if paper_id in best}
        return Found(keyword, dense, near, sentences, best, scores, asked, also, vector, need)

    def _vector(self, question: str, need: float) -> Vectors:
        """Unit vector of a question: of a need, the direction between it and how a paper would speak of it, if that fits the embedder's window."""
        asked = text.joined(question)
        said = needs.as_papers_say(asked) if need else ""
        if not said or self._embedder.count_tokens(said) > self._embedder.max_tokens:
            plain: Vectors = self._embedder.embed([asked])[0]
            return plain
        plain, as_said = self._embedder.embed([asked, said])
        mixed: Vectors = plain + np.float32(need) * as_said
        return mixed / np.float32(max(float(np.linalg.norm(mixed)), 1e-9))

    def _passages_of(self, paper_ids: Sequence[str]) -> dict[str, int]:
        """How many passages each paper has."""
        return {paper_id: len(passages) for paper_id, passages in self._store.passages(self._store.get(paper_ids)).items()}

    def _on_scale(self, cosines: Mapping[str, float]) -> dict[str, float]:
        """Cosines as MiniLM would give them: others keep all of theirs within a narrow range."""
        mean, spread = self._store.unrelated() or (_UNRELATED, _SPREAD)
        return {paper_id: _UNRELATED + (cosine - mean) * _SPREAD / spread for paper_id, cosine in cosines.items()}

    def rarity(self, term: str) -> float:
        """Of a term, as BM25 has it: 0 where every paper holds it, higher is rarer."""
        size, holding = len(self._store), self._store.document_frequency(term)
        return math.log(1 + (size - holding + 0.5) / (holding + 0.5))

    def hits(self, question: str, groups: Sequence[Sequence[Paper]], fused: Mapping[str, float], found: Found) -> list[Hit]:
        """A hit for each group of papers, in the order of the groups: its first paper, with the others as near copies. `fused`: their scores."""
        best = {group[0].id: group[0] for group in groups}
        passages = self._store.passages(best)
        similarity = {n.passage_id: n.similarity for n in found.near}
        wanted = list(dict.fromkeys(text.content_words(question)))
        asked = self._asked(wanted, list(best))
        also = {one.label: self._all_held(one.terms, list(best)) for one in found.also}
        places, scores = _places(found), _single_scores(found)
        return [
            Hit(
                paper=paper,
                passages=_best_passages(passages[paper.id], similarity, [one.word for one in asked[paper.id] if one.is_matched]),
                score=fused[paper.id],
                rank=rank,
                ranks={name: of[paper.id] for name, of in places.items() if paper.id in of},
                scores={name: round(of[paper.id], 6) for name, of in scores.items() if paper.id in of},
                matched=tuple(one.word for one in asked[paper.id] if one.is_matched),
                asked=asked[paper.id],
                also=tuple(label for label, held in also.items() if paper.id in held),
                library=len(self._store),
                copies=tuple(others),
            )
            for rank, (paper, *others) in enumerate(groups, 1)
        ]

    def _asked(self, wanted: Sequence[str], paper_ids: Sequence[str]) -> dict[str, tuple[Asked, ...]]:
        """What each of the papers holds of the words of a question."""
        held = {word: set().union(*(self._store.holding(term, paper_ids) for term in text.word_terms(word))) for word in wanted}
        papers = {word: self._papers_with(word) for word in wanted}
        return {paper_id: tuple(Asked(word, papers[word], paper_id in held[word]) for word in wanted) for paper_id in paper_ids}

    def _all_held(self, every: Sequence[str], paper_ids: Sequence[str]) -> set[str]:
        return set(paper_ids).intersection(*(self._store.holding(term, paper_ids) for term in every))

    def _papers_with(self, word: str) -> int:
        """How many papers hold a word; of a compound that stands nowhere, its rarest part."""
        whole, *parts = (self._store.document_frequency(term) for term in text.word_terms(word))
        return whole or min(parts, default=0)


def _places(found: Found) -> dict[str, dict[str, int]]:
    rankings = {"keyword": found.keyword, "dense": found.dense}
    return {name: {paper_id: rank for rank, (paper_id, _) in enumerate(ranking, 1)} for name, ranking in rankings.items()}


def _single_scores(found: Found) -> dict[str, Mapping[str, float]]:
    return {"keyword": dict(found.keyword), "dense": dict(found.dense), "sentence": found.best, "named": found.scores.get("named", {})}


def _most(asked: Mapping[str, float]) -> float:
    """BM25 of an ideal paper, in which every term of the question stands often."""
    return sum(asked.values()) * _BM25_CEILING or 1.0


def _named(question: str, paper: Paper, asked: Mapping[str, float]) -> float:
    """How much of a question is the name of a paper's method: its share of the question's terms, each by its rarity; half of that where only the
    capitals differ ("comet" for COMET).

    >>> netmoe = Paper("p1", "We develop NetMoE, which is fast.")
    >>> _named("How does NetMoE scale?", netmoe, {"netmo": 6.0, "scale": 2.0}), _named("What does it scale?", netmoe, {"scale": 2.0})
    (0.75, 0.0)
    """
    name = text.name_of(paper.abstract)
    if not name or not (called := _called(question, name)):
        return 0.0
    own = set(text.terms(name))
    return called * sum(weight for term, weight in asked.items() if term in own) / (sum(asked.values()) or 1.0)


def _called(question: str, name: str) -> float:
    """Does a name stand in a question? 1 if it does, 0.5 if only in other capitals, 0 if not.

    >>> _called("How does NetMoE scale?", "NetMoE"), _called("how does netmoe scale?", "NetMoE"), _called("How does it scale?", "NetMoE")
    (1.0, 0.5, 0.0)
    """
    if name in question and re.search(rf"(?<![\w-]){re.escape(name)}(?:s|'s|’s)?(?![\w-])", question):
        return 1.0
    wanted, plain = text.fold(name).text, text.fold(question).text
    return 0.5 if wanted in plain and re.search(rf"(?<![\w-]){re.escape(wanted)}(?:s|'s)?(?![\w-])", plain) else 0.0


def _best_of_each(near: Iterable[Near]) -> list[tuple[str, float]]:
    """Papers by their best passage."""
    best: dict[str, float] = {}
    for found in near:
        best.setdefault(found.paper_id, round(found.similarity, 6))
    return list(best.items())


def _best_passages(passages: Sequence[Passage], similarity: Mapping[str, float], matched: Sequence[str]) -> tuple[Passage, ...]:
    """Passages that the dense ranking found, most similar first; after them, those that hold most of the words, which all stand in the paper."""
    near = sorted((one for one in passages if one.id in similarity), key=lambda one: (-similarity[one.id], one.ordinal))
    others = [one for one in passages if one.id not in similarity]
    if matched and len(others) > 1 and len(near) < _PASSAGES_PER_PAPER:  # to look into them takes most of the time of a search
        terms = {term for word in matched for term in text.word_terms(word)}
        others.sort(key=lambda one: (-len(terms.intersection(text.terms(one.text))), one.ordinal))
    return (*near, *others)[:_PASSAGES_PER_PAPER]
