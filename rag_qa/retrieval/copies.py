"""Papers that say the same in nearly the same words: only the best of them takes a place in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rag_qa import text
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

_SAME_SUBJECT = 0.97  # cosine of two abstracts as wholes; papers on one subject, of different authors, reach 0.96
_SAME_WORDS = 0.9
_CLOSE = 50  # places


def grouped(papers: Sequence[Paper], sentences: Mapping[str, Vectors]) -> list[list[Paper]]:
    """Papers in order, each with its near copies among those that follow. `sentences`: unit vectors of the sentences of each.

    Near copies come close to each other in any ranking, so each is compared with those just before it.
    """
    means = np.stack([_direction(sentences[paper.id]) for paper in papers]) if papers else np.zeros((0, 0), np.float32)
    groups: list[list[Paper]] = []
    member: list[list[Paper]] = []  # the group of each
    for i, paper in enumerate(papers):
        before = range(max(0, i - _CLOSE), i)
        alike = (before[j] for j in np.flatnonzero(means[before.start : i] @ means[i] >= _SAME_SUBJECT))
        group = next((member[j] for j in alike if _same_words(member[j][0], paper)), None)
        if group is None:
            groups.append(group := [])
        group.append(paper)
        member.append(group)
    return groups


def _direction(vectors: Vectors) -> Vectors:
    total = vectors.sum(axis=0, dtype=np.float32)
    unit: Vectors = total / max(float(np.linalg.norm(total)), 1e-9)
    return unit


def _same_words(one: Paper, other: Paper) -> bool:
    """Nearly: most words, each as often as it stands (Dice), and all numbers. A correction that says 15 % where it was 12 % is no copy."""
    a, b = Counter(text.terms(one.abstract)), Counter(text.terms(other.abstract))
    return _numbers(a) == _numbers(b) and 2 * (a & b).total() >= _SAME_WORDS * (a.total() + b.total())


def _numbers(terms: Iterable[str]) -> set[str]:
    return {term for term in terms if any(char.isdigit() for char in term)}
