"""Several scores of one paper -> one."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS = {"passage": 0.37, "sentence": 0.20, "keyword": 0.43, "named": 0.30}
"""The first three are fitted by a list-wise regression on development questions of several fields (`python -m eval.fit_ranking`); what else was
tried, and brought nothing on all of them, stands in docs/retrieval.md. The last lifts a paper that the question calls by the name of its method, by
the share of the question that the name is.

Each score has an absolute scale in [0, 1]: cosine of the best passage and of the best sentence, and BM25 as a share of what a paper with every word
of the question would get. Scaling within a ranking (min-max, reciprocal ranks) would lift the best of several bad keyword matches to 1 and drown a
good match in meaning; with absolute scales a question in other words than the paper's leans on meaning by itself, and one that holds a rare name on
words.
"""

OF_EMBEDDERS: Mapping[str, dict[str, float]] = {
    "wordllama-l2-supercat-256": {"passage": 0.24, "sentence": 0.20, "keyword": 0.56, "named": 0.30},
}
"""Other weights where a model tells less, fitted in the same way. To lean on such a model (see IN_OWN_WORDS) finds no more."""

IN_OWN_WORDS = {"passage": 0.26, "sentence": 0.13, "whole": 0.26, "ahead": 0.52, "named": 0.30}
"""Weights for a need in a person's own words, whose words no paper holds: the mean of all passages beside the best one, and of the keyword score only
what is ahead of many papers (see needs).
"""


_MEASURED = "all-MiniLM-L6-v2-int8"


def leans(embedder: str) -> bool:
    """Is an embedder, by its name, the one for which it was measured that leaning on meaning helps where words don't tell? With others a question
    would be embedded twice, and paid twice, for nothing that is known.

    >>> leans("all-MiniLM-L6-v2-int8"), leans("wordllama-l2-supercat-256")
    (True, False)
    """
    return embedder == _MEASURED


def weights(embedder: str, need: float = 0.0) -> Mapping[str, float]:
    """The weights for vectors of an embedder, by its name. `need`: how much the question is a need in own words, in [0, 1].

    >>> round(weights("all-MiniLM-L6-v2-int8", 0.5)["keyword"], 3)
    0.215
    """
    plain = OF_EMBEDDERS.get(embedder, WEIGHTS)
    if not need:
        return plain
    return {name: (1 - need) * plain.get(name, 0.0) + need * IN_OWN_WORDS.get(name, 0.0) for name in plain | IN_OWN_WORDS}


def fuse(scores: Mapping[str, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS) -> list[tuple[str, float]]:
    """Weighted sum of the scores (name -> paper id -> score in [0, 1]), at most 1; a score that a paper lacks counts as 0.

    Best first, ties by id.

    >>> fuse({"passage": {"x": 0.5, "y": 0.4}, "sentence": {"x": 0.5, "y": 0.4}, "keyword": {"y": 1.0}})
    [('y', 0.658), ('x', 0.285)]
    """
    fused: dict[str, float] = {}
    for name, found in scores.items():
        for paper_id, score in found.items():
            fused[paper_id] = fused.get(paper_id, 0.0) + weights[name] * min(1.0, max(0.0, score))
    return sorted(((paper_id, round(min(1.0, score), 6)) for paper_id, score in fused.items()), key=lambda pair: (-pair[1], pair[0]))
