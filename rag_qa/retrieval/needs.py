"""Needs in a person's own words ("my net was handed to me finished, and I'd like error bars"): how much a question is one, and what it is then
compared by. No paper holds its words, so the few that are met by chance must not decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rag_qa.index.store import Near

# Best keyword score of any paper, as a share of what an ideal one gets: nearly all needs stay below the upper one, and few other questions.
_NO_WORDS, _WORDS = 0.15, 0.25
_COMMON = 10  # place of the paper whose keyword score so many others reach that it tells none of them apart
_AS_PAPERS_SAY = "We propose a method for this problem: "


def share(keyword: Sequence[float]) -> float:
    """How much a question is a need, in [0, 1], by the keyword scores that papers get for it, best first.

    >>> round(share([0.12, 0.1]), 2), round(share([0.2, 0.1]), 2), round(share([0.6, 0.1]), 2), round(share([]), 2)
    (1.0, 0.5, 0.0, 1.0)
    """
    best = max(keyword, default=0.0)
    return min(1.0, max(0.0, (_WORDS - best) / (_WORDS - _NO_WORDS)))


def as_papers_say(question: str) -> str:
    """A need as a paper begins to speak of one: its vector lies nearer to those of abstracts, less near to small talk.

    >>> as_papers_say("Can I have error bars?")
    'We propose a method for this problem: Can I have error bars?'
    """
    return _AS_PAPERS_SAY + question


def ahead(keyword: Mapping[str, float]) -> dict[str, float]:
    """How far the keyword score of each paper is above one that many papers reach: a word that a single paper holds still tells, those that are
    everywhere do not.

    >>> ahead({"a": 0.2, "b": 0.1})
    {'a': 0.2, 'b': 0.1}
    >>> ahead({str(i): 0.1 for i in range(10)} | {"a": 0.25})["a"]
    0.15
    """
    ordered = sorted(keyword.values(), reverse=True)
    common = ordered[_COMMON - 1] if len(ordered) >= _COMMON else 0.0
    return {paper_id: max(0.0, score - common) for paper_id, score in keyword.items()}


def whole(near: Sequence[Near], passages: Mapping[str, int]) -> dict[str, float]:
    """The mean cosine of all passages of each paper, which has so many. Those that are not among the near ones count as the last of these.

    >>> near = [Near("a:0", "a", 0.5), Near("b:0", "b", 0.5), Near("b:1", "b", 0.25)]
    >>> whole(near, {"a": 1, "b": 3, "c": 2})
    {'a': 0.5, 'b': 0.3333333333333333, 'c': 0.25}
    """
    lowest = near[-1].similarity if near else 0.0
    cosines: defaultdict[str, list[float]] = defaultdict(list)
    for one in near:
        cosines[one.paper_id].append(one.similarity)
    return {paper_id: (sum(cosines[paper_id]) + lowest * max(0, many - len(cosines[paper_id]))) / max(many, 1) for paper_id, many in passages.items()}
