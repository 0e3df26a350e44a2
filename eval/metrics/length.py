"""How long is an answer?"""

from __future__ import annotations


def words(text: str) -> int:
    """Pieces of a text between white space. Lower is better as long as the facts are there.

    >>> words("NetMoE is 1.67 times faster.")
    5
    """
    return len(text.split())
