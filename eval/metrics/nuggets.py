"""Does an answer hold the pieces of information (nuggets) that a right answer has? Figures over graded matches of one answer.

A nugget is a group of aliases. It is met (1) where an alias stands in the text; half met (0.5) where most words of one stand close together and its
numbers are there. A nugget with a number is met where the number stands with its unit, written in any way, close to an alias (or anywhere, if it
has none); half met where the number stands alone. Range [0, 1], higher is better.
Source: V_strict, V, A_strict and A of the TREC 2024 RAG track (Pradeep et al. 2024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from eval.metrics.facts import stands_in
from eval.metrics.support import numbers, sentences, stems

_PARTLY = 0.6
"""Share of an alias's words that must stand in two neighbouring sentences."""


def match(text: str, aliases: Sequence[str], number: str = "") -> float:
    """1 if an alias stands in the text, 0.5 if one nearly does, otherwise 0; of a number, see the top of this module.

    >>> [match("It learns the shape of bodies first.", [alias]) for alias in ("shape of bodies", "body shape at first", "colour")]
    [1.0, 0.5, 0.0]
    >>> [match("It is $1.67 \\\\times$ faster.", aliases, "1.67x") for aliases in (["faster"], ["smaller"], [])]
    [1.0, 0.5, 1.0]
    """
    if number:
        return _match_number(text, aliases, number)
    if any(stands_in(alias, text) for alias in aliases):
        return 1.0
    return 0.5 if any(_nearly(text, alias) for alias in aliases) else 0.0


def _match_number(text: str, aliases: Sequence[str], number: str) -> float:
    near = [window for window in _windows(text) if numbers(number) <= numbers(window)]
    if not near:
        return 0.0
    return 1.0 if not aliases or any(stands_in(alias, window) for alias in aliases for window in near) else 0.5


def _nearly(text: str, alias: str) -> bool:
    wanted = set(stems(alias))
    if len(wanted) < 2 or not numbers(alias) <= numbers(text):
        return False
    return any(len(wanted & set(stems(window))) >= _PARTLY * len(wanted) for window in _windows(text))


def _windows(text: str) -> list[str]:
    """One sentence, and two neighbours."""
    single = sentences(text)
    return [*single, *(f"{one} {other}" for one, other in pairwise(single))]


def strict(matches: Sequence[float]) -> float:
    """Nuggets that are met / nuggets. Over vital ones: V_strict; over all: A_strict. Raises ValueError for none.

    >>> strict([1.0, 0.5, 0.0])
    0.3333333333333333
    """
    _need(matches)
    return sum(match == 1.0 for match in matches) / len(matches)


def graded(matches: Sequence[float]) -> float:
    """The same with half points. Over vital ones: V; over all: A. Raises ValueError for none.

    >>> graded([1.0, 0.5, 0.0])
    0.5
    """
    _need(matches)
    return math.fsum(matches) / len(matches)


def _need(matches: Sequence[float]) -> None:
    if not matches:
        raise ValueError("no nugget is asked for")
