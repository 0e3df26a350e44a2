"""What a search finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag_qa.chunking import Passage
from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Asked:
    """A word of a question: in how many papers of the library it stands, and whether this one is among them."""

    word: str
    papers: int
    is_matched: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found, with its best passages (best first, a few at most).

    `score` in [0, 1] is fused from the single rankings: higher is better, comparable within one search only.
    `ranks` says at which place (from 1) each ranking that found the paper has it, `scores` with which score: "keyword" is BM25 (higher is
    better, no upper bound), "dense" the cosine similarity of the best passage. Besides, "sentence" is that of the best sentence, and "named" is
    above 0 where the question calls the paper by the name of its method. `matched` are words of the question that stand in the paper, `asked` all
    of them, of a library of so many papers; `also`: what was searched besides and stands in it, such as "moe" for mixture of experts.
    `copies`: papers that say the same in nearly the same words, and so have no place of their own.

    A hit that was re-ranked has "rerank" in both, and "fused": what it had before. The scores are then handed out anew in the new order, so that
    `score` still falls from rank to rank. `notice`, the same for all hits of a search, says what went wrong with its ranking, if anything did.
    """

    paper: Paper
    passages: tuple[Passage, ...]
    score: float
    rank: int
    ranks: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    matched: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    also: tuple[str, ...] = ()
    library: int = 0
    copies: tuple[Paper, ...] = ()
    notice: str = ""
