"""Several scores of one paper -> one."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS = {"passage": 0.30, "sentences": 0.39, "keyword": 0.31, "named": 0.25}
"""The first three, which add up to 1, are fitted by a list-wise regression on the development questions. The last lifts the paper that a
question calls by the name of its method: whoever names it means it, whatever else the question says.

Each score has an absolute scale in [0, 1]: cosine of the best passage, mean cosine of the best three sentences, and BM25 as a share of what a
paper with every word of the question would get. Scaling within a ranking (min-max, reciprocal ranks) would lift the best of several bad
keyword matches to 1 and drown a good match in meaning; with absolute scales a question in other words than the paper's leans on meaning by itself.
"""


def fuse(scores: Mapping[str, Mapping[str, float]]) -> list[tuple[str, float]]:
    """Weighted sum of the scores (name -> paper id -> score in [0, 1]), at most 1; a score that a paper lacks counts as 0.

    Best first, ties by id.

    >>> fuse({"passage": {"x": 0.5, "y": 0.4}, "sentences": {"x": 0.5, "y": 0.4}, "keyword": {"y": 1.0}})
    [('y', 0.586), ('x', 0.345)]
    """
    fused: dict[str, float] = {}
    for name, found in scores.items():
        for paper_id, score in found.items():
            fused[paper_id] = fused.get(paper_id, 0.0) + WEIGHTS[name] * min(1.0, max(0.0, score))
    return sorted(((paper_id, round(min(1.0, score), 6)) for paper_id, score in fused.items()), key=lambda pair: (-pair[1], pair[0]))
