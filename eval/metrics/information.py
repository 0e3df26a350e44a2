"""How much an answer tells about a reference: the bits that it saves when the reference is written down by a model of single words.

After GEM (Xu et al., ICLR 2025: scores that can't be raised by empty words), without a language model: log2 of how much likelier each word of the
reference becomes once the answer is known, a mean per word. An answer that says the reference word for word tells most; saying it twice tells no
more, and what is said besides dilutes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from eval.metrics.support import stems

_KNOWN = 0.5
"""How much of the mixture is the answer, and not the background."""


def background(texts: Iterable[str]) -> Callable[[str], float]:
    """Probability of a stem among some texts, with one more of each and one for what was never seen (Laplace); above 0."""
    counts = Counter(one for text in texts for one in stems(text))
    total = sum(counts.values()) + len(counts) + 1
    return lambda one: (counts[one] + 1) / total


def gain(answer: str, reference: str, probability: Callable[[str], float]) -> float:
    """Bits a word that the answer saves on the reference: 0 for an answer that tells nothing of it (never less), higher is better.

    Raises ValueError for a reference without a word.

    >>> p = lambda stem: 0.01
    >>> gain("tides rise", "tides rise", p) > gain("tides rise and mosses grow on trees", "tides rise", p) > gain("soup", "tides rise", p) == 0
    True
    """
    wanted = stems(reference)
    if not wanted:
        raise ValueError("the reference says nothing")
    said = Counter(stems(answer))
    total = sum(said.values())
    return max(0.0, math.fsum(_saved(one, said, total, probability) for one in wanted) / len(wanted))


def _saved(one: str, said: Counter[str], total: int, probability: Callable[[str], float]) -> float:
    before = probability(one)
    after = _KNOWN * said[one] / total + (1 - _KNOWN) * before if total else before
    return math.log2(after / before)


def share(answer: str, reference: str, probability: Callable[[str], float]) -> float:
    """The gain as a share of that of the reference itself: 0 to 1, higher is better."""
    most = gain(reference, reference, probability)
    return min(1.0, gain(answer, reference, probability) / most) if most > 0 else 0.0
