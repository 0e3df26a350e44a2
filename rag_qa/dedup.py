"""Group records of one work, and say what was merged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rag_qa.papers import Paper


def merge(papers: Iterable[Paper]) -> list[Paper]:
    """Papers with one id become one paper with all their origins; fields that one lacks come from the others.

    The order of first appearance is kept.

    >>> from rag_qa.papers import Origin
    >>> one, two = (Paper("p1", "We ...", origins=(Origin(path, 3),)) for path in ("a.txt", "b.txt"))
    >>> [len(paper.origins) for paper in merge([one, two])]
    [2]
    """
    merged: dict[str, Paper] = {}
    for paper in papers:
        known = merged.get(paper.id)
        merged[paper.id] = _united(known, paper) if known else paper
    return list(merged.values())


def _united(first: Paper, second: Paper) -> Paper:
    filled = replace(
        first,
        title=first.title or second.title,
        authors=first.authors or second.authors,
        year=first.year or second.year,
        venue=first.venue or second.venue,
        doi=first.doi or second.doi,
        pmid=first.pmid or second.pmid,
        arxiv=first.arxiv or second.arxiv,
        url=first.url or second.url,
        collection=first.collection or second.collection,
        extra={**second.extra, **first.extra},
    )
    return filled.with_origins(first.origins + second.origins)
