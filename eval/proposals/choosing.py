"""Which of many proposals are taken: spread over kinds and papers, and the same ones for the same seed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from eval.datasets.loader import Kind
from eval.proposals.proposal import Proposal


def chosen(proposals: Sequence[Proposal], count: int, seed: int) -> list[Proposal]:
    """At most `count` of them: of each kind in turn, the one whose papers have been asked about least so far; among those, one drawn by lot."""
    draw = random.Random(seed)
    waiting: dict[Kind, list[Proposal]] = defaultdict(list)
    for one in sorted(proposals, key=lambda one: (one.question, one.history)):
        waiting[one.kind].append(one)
    for kind in sorted(waiting):
        draw.shuffle(waiting[kind])
    asked: Counter[str] = Counter()
    taken: list[Proposal] = []
    kinds = [kind for kind in Kind if kind in waiting]
    while kinds and len(taken) < count:
        for kind in kinds[: count - len(taken)]:
            least = min(range(len(waiting[kind])), key=lambda at: max((asked[paper] for paper in waiting[kind][at].touched), default=0))
            one = waiting[kind].pop(least)
            asked.update(one.touched)
            taken.append(one)
        kinds = [kind for kind in kinds if waiting[kind]]
    return taken
