"""Hits in the order in which reading them puts them: the search weighs words and meanings, and reading question and abstract together tells more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_qa.comprehension import Comprehended
from rag_qa.retrieval.hits import Hit

READ = 5
"""How many of the first hits are read."""

FEATURES = ("about", "says")
"""What reading adds to the score of a hit: the logarithms of the probabilities that the question is about it, and that it says what is asked."""

_LEAST = -6.0  # logarithm below which one probability is as small as another


def ranked(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in the order of their scores, equal ones by id: the order in which they come does not count."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.paper.id))


def reread(
    question: str, hits: Sequence[Hit], read: Callable[[str, Sequence[str]], Sequence[Comprehended]], weights: NDArray[np.float64]
) -> list[Hit]:
    """The hits, best first, with what reading adds to the scores of the first ones; the others lose as much as the least likely of those. Hits that
    have been read keep the score of the search in `scores`, as "found", and are read from there again.

    `weights`: shape (len(FEATURES),), in units of the score.
    """
    found = ranked([replace(hit, score=hit.scores.get("found", hit.score)) for hit in hits])
    if len(found) < 2 or not weights.any():
        return found
    read_first = read(question, [hit.paper.abstract for hit in found[:READ]])
    added = [float(features(one) @ weights) for one in read_first]
    every = [*added, *[min(added)] * (len(found) - len(added))]
    return ranked([_moved(hit, more) for hit, more in zip(found, every, strict=True)])


def _moved(hit: Hit, more: float) -> Hit:
    return replace(hit, score=max(0.0, hit.score + more), scores={**hit.scores, "found": hit.score})


def features(read: Comprehended) -> NDArray[np.float64]:
    """What reading says of a paper, in the order of FEATURES.

    >>> features(Comprehended(about=0.0, says=-20.0, sentences=np.zeros(1))).round(2).tolist()
    [-0.69, -6.0]
    """
    return np.array([max(_LEAST, -float(np.logaddexp(0.0, -one))) for one in (read.about, read.says)])
