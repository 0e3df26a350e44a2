"""Papers that say the same in nearly the same words: only the best of them takes a place in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from rag_qa import text
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

_SAME_SUBJECT = 0.85  # cosine of two abstracts as wholes; one sentence more takes three from 1 to 0.92, and at times to 0.87
_SAME_WORDS = (
    0.8  # Dice of the words of two abstracts, without stop words; of 13,000 papers on one field, the two most alike that are no copies reach 0.64
)
_SAME_SENTENCE = 0.9
_HELD = 0.9  # share of the shorter abstract, in words, whose sentences stand in the longer one
_ADDED = 0.3  # what the longer one may have besides, as a share of itself: a paper in one sentence is no copy of all that hold it
_CLOSE = 50  # places

Counts = Counter[str]


def grouped(papers: Sequence[Paper], sentences: Mapping[str, Vectors]) -> list[list[Paper]]:
    """Papers in order, each with its near copies among those that follow. `sentences`: unit vectors of the sentences of each.

    Near copies come close to each other in any ranking, so each is compared with those just before it. All of a group are copies of each other: a
    paper and its correction don't come together by a third one that leaves out what was corrected.
    """
    means = np.stack([_direction(sentences[paper.id]) for paper in papers]) if papers else np.zeros((0, 0), np.float32)
    groups: list[list[Paper]] = []
    member: list[list[Paper]] = []  # the group of each
    for i, paper in enumerate(papers):
        before = range(max(0, i - _CLOSE), i)
        alike = (before[j] for j in np.flatnonzero(means[before.start : i] @ means[i] >= _SAME_SUBJECT))
        near = {id(member[j]): member[j] for j in alike}.values()
        group = next((one for one in near if all(is_copy(other.abstract, paper.abstract) for other in one)), None)
        if group is None:
            groups.append(group := [])
        group.append(paper)
        member.append(group)
    return groups


def is_copy(one: str, other: str) -> bool:
    """Do two abstracts say the same in nearly the same words, or one what the other says and a little more? A correction that says 15 % where it was
    12 % is no copy.

    >>> tide = "We count the tides of the bay by a gauge of brass. It holds in 12 % of the years."
    >>> is_copy(tide, tide + " The gauge is old."), is_copy(tide, tide.replace("12", "15"))
    (True, False)
    """
    first, second = _counts(one), _counts(other)
    if 2 * first.total() < second.total() or 2 * second.total() < first.total():
        return False
    if _dice(first, second) >= _SAME_WORDS and _numbers(first) == _numbers(second):
        return True
    shorter, longer = sorted((one, other), key=lambda abstract: _counts(abstract).total())
    return _is_held(list(_sentence_counts(shorter)), list(_sentence_counts(longer)))


def _is_held(shorter: list[Counts], longer: list[Counts]) -> bool:
    """Do nearly all sentences of an abstract stand in a longer one? What is left of it must bring no number of its own."""
    size, whole = sum(one.total() for one in shorter), sum(one.total() for one in longer)
    left: Counts = Counter()
    for sentence in shorter:
        same = next((one for one in longer if _is_same_sentence(sentence, one)), None)
        if same is None:
            left += sentence
        else:
            longer.remove(same)
    besides = sum(longer, Counter[str]())
    return left.total() <= (1 - _HELD) * size and besides.total() <= _ADDED * whole and _numbers(left) <= _numbers(besides)


def _is_same_sentence(one: Counts, other: Counts) -> bool:
    return _dice(one, other) >= _SAME_SENTENCE and _numbers(one) == _numbers(other)


def _dice(one: Counts, other: Counts) -> float:
    """Share of the words that both have, each as often as it stands there."""
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


def _direction(vectors: Vectors) -> Vectors:
    total = vectors.sum(axis=0, dtype=np.float32)
    unit: Vectors = total / max(float(np.linalg.norm(total)), 1e-9)
    return unit


@lru_cache(maxsize=4096)
def _counts(abstract: str) -> Counts:
    return sum(_sentence_counts(abstract), Counter[str]())


@lru_cache(maxsize=4096)
def _sentence_counts(abstract: str) -> tuple[Counts, ...]:
    return tuple(Counter(_content(abstract[start:end])) for start, end in text.sentences(abstract))


def _content(sentence: str) -> Iterator[str]:
    for word in text.words(text.folded(sentence)):
        if word.text not in text.STOPWORDS:
            yield from text.word_terms(word.text)


def _numbers(terms: Counts) -> Counts:
    return Counter({term: times for term, times in terms.items() if any(char.isdigit() for char in term)})
