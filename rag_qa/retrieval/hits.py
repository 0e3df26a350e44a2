"""What a search finds, and what narrows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag_qa.chunking import Passage
from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found, with its best passages (best first, a few at most).

    `score` in [0, 1] is fused from the single rankings: higher is better, comparable within one search only.
    `ranks` says at which place (from 1) each ranking that found the paper has it, `scores` with which score: "keyword" is BM25 (higher is
    better, no upper bound), "dense" the cosine similarity of the best passage. `matched` are words of the question that stand in the paper.
    """

    paper: Paper
    passages: tuple[Passage, ...]
    score: float
    rank: int
    ranks: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a paper must be to be found at all; None or empty means anything. Years are inclusive."""

    year_from: int | None = None
    year_to: int | None = None
    venue: str | None = None
    collection: str | None = None

    def accepts(self, paper: Paper) -> bool:
        """Does a paper pass? A paper without a year passes no filter by year.

        >>> Filters(year_from=2024).accepts(Paper("p1", "We ...", year=2025))
        True
        """
        if self.year_from is not None and (paper.year is None or paper.year < self.year_from):
            return False
        if self.year_to is not None and (paper.year is None or paper.year > self.year_to):
            return False
        if self.venue and (paper.venue or "").casefold() != self.venue.casefold():
            return False
        return not (self.collection and (paper.collection or "").casefold() != self.collection.casefold())
