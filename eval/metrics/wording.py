"""How two wordings of a sentence differ, word by word: the fewest words out and in that make one of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

How = Literal["same", "out", "in"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring words that stand in both, in the first alone ("out") or in the second alone ("in")."""

    how: How
    text: str


def pieces(before: str, after: str) -> list[Piece]:
    """The difference, from the first word to the last. Words are what stands between spaces; what is out stands before what is in.

    Source: a longest common subsequence (Wagner and Fischer, The string-to-string correction problem, JACM 21, 1974).

    >>> [(piece.how, piece.text) for piece in pieces("It is 3 times faster.", "It is 2 times faster.")]
    [('same', 'It is'), ('out', '3'), ('in', '2'), ('same', 'times faster.')]
    """
    steps = _steps(before.split(), after.split())
    found: list[Piece] = []
    for how, word in steps:
        if found and found[-1].how == how:
            found[-1] = Piece(how, f"{found[-1].text} {word}")
        else:
            found.append(Piece(how, word))
    return found


def _steps(one: Sequence[str], other: Sequence[str]) -> list[tuple[How, str]]:
    common = _common(one, other)
    found: list[tuple[How, str]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(("same", one[i]))
            i, j = i + 1, j + 1
        elif common[i + 1][j] >= common[i][j + 1]:
            found.append(("out", one[i]))
            i += 1
        else:
            found.append(("in", other[j]))
            j += 1
    return found + [("out", word) for word in one[i:]] + [("in", word) for word in other[j:]]


def _common(one: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """[i][j]: length of the longest common subsequence of the words from i and from j on."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            table[i][j] = table[i + 1][j + 1] + 1 if one[i] == other[j] else max(table[i + 1][j], table[i][j + 1])
    return table


def share_changed(before: str, after: str) -> float:
    """Words out and in / words of both. Range 0 (the same) to 1 (no word is kept); lower is better. Raises ValueError where there is no word.

    >>> share_changed("It is 3 times faster.", "It is 2 times faster."), share_changed("It is.", "")
    (0.2, 1.0)
    """
    total = len(before.split()) + len(after.split())
    if not total:
        raise ValueError("neither has a word")
    return sum(len(piece.text.split()) for piece in pieces(before, after) if piece.how != "same") / total
