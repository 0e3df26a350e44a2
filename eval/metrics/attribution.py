"""Do the cited papers bear the sentences out? Figures of one answer, by a checker that is handed in.

Range [0, 1]; higher is better for recall, precision, F1, groundedness and the worst sentence, lower for the others. An answer without a sentence that
claims something has none of these figures: they raise NoClaims.

Sources: recall and precision as in ALCE (Gao et al., EMNLP 2023), but a citation of a paper that does not exist stays in the denominator of
precision; graded support (1, 0.5, 0) as in TREC RAG 2024.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eval.metrics.support import Label, Support

Check = Callable[[str, Sequence[str]], Support]
"""(sentence, ids of papers) -> how far these bear it out."""


class NoClaims(ValueError):
    """The answer says nothing that could be borne out."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer and the papers that it cites; None for a citation of a paper that does not exist."""

    text: str
    cited: tuple[str | None, ...]

    @property
    def papers(self) -> tuple[str, ...]:
        """The papers that exist, each once."""
        return tuple(dict.fromkeys(paper for paper in self.cited if paper is not None))

    @property
    def is_valid(self) -> bool:
        """Does it cite something, and nothing that does not exist?"""
        return bool(self.cited) and None not in self.cited


_NO_CLAIM = re.compile(
    r"^\W*$|^[^.!?]*\?\W*$"
    r"|\b(?:i|we) (?:can ?not|can't|could not|couldn't|am not able to|are not able to) (?:answer|find|say|tell)\b"
    r"|\b(?:do|does) not (?:answer|say|mention|provide|contain|address|give|specify) (?:this|that|it|the question|enough|any information)\b"
    r"|\b(?:no|not enough|insufficient) (?:information|evidence|paper|abstract)s? (?:in|to|about|answers?|mentions?)\b"
    r"|^(?:here (?:is|are)|the following|in summary|overview|sources?|references?)\b[^.]{0,60}:?$|^#{1,6} ",
    re.IGNORECASE,
)


def claims_something(text: str) -> bool:
    """Is a sentence declarative, and not a heading, a question, a hedge or a refusal?

    >>> [claims_something(one) for one in ("Tides rise twice a day.", "The abstracts do not say this.", "Why?", "Here are the papers:")]
    [True, False, False, False]
    """
    return not _NO_CLAIM.search(text.strip())


def recall(claims: Sequence[Claim], check: Check) -> float:
    """Share of sentences that cite only papers that exist, and that these together bear out."""
    _need(claims)
    return sum(_is_borne_out(claim, check) for claim in claims) / len(claims)


def precision(claims: Sequence[Claim], check: Check) -> float:
    """Share of citations that are needed: the paper exists, its sentence is borne out, and it bears it out alone or the others do not without it.

    0 where sentences cite nothing at all.
    """
    _need(claims)
    cited = sum(len(claim.cited) for claim in claims)
    return sum(_is_needed(claim, paper, check) for claim in claims for paper in claim.cited) / cited if cited else 0.0


def over_cited(claims: Sequence[Claim], check: Check) -> float:
    """Share of citations of existing papers that add nothing to a sentence that is borne out; 0 where none exists."""
    _need(claims)
    there = [(claim, paper) for claim in claims for paper in claim.cited if paper is not None]
    idle = [_is_borne_out(claim, check) and not _is_needed(claim, paper, check) for claim, paper in there]
    return sum(idle) / len(there) if there else 0.0


def f1(one: float, other: float) -> float:
    """Harmonic mean.

    >>> f1(1.0, 0.5), f1(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    return 2 * one * other / (one + other) if one + other else 0.0


def graded_recall(claims: Sequence[Claim], check: Check) -> float:
    """As recall, with 0.5 for a sentence that its papers bear out in part."""
    _need(claims)
    return math.fsum(check(claim.text, claim.papers).graded if claim.is_valid else 0.0 for claim in claims) / len(claims)


def misattributed(claims: Sequence[Claim], others: Sequence[str], check: Check) -> float:
    """Share of sentences that their own citations do not bear out, but another paper that was found does (`others`: ids of those found)."""
    _need(claims)
    return sum(not _supported(check(c.text, c.papers)) and any(_supported(check(c.text, [o])) for o in others) for c in claims) / len(claims)


def uncited(claims: Sequence[Claim]) -> float:
    """Share of sentences that cite nothing."""
    _need(claims)
    return sum(not claim.cited for claim in claims) / len(claims)


def grounded(claims: Sequence[Claim], context: Sequence[str], check: Check) -> float:
    """Share of sentences that the papers which were found bear out, whichever the sentence cites. Without papers: 0."""
    _need(claims)
    return sum(_supported(check(claim.text, context)) for claim in claims) / len(claims)


def contradicted(claims: Sequence[Claim], context: Sequence[str], check: Check) -> float:
    """Share of sentences that go against what was found (a number, a denial, a direction)."""
    _need(claims)
    return sum(check(claim.text, context).label is Label.CONTRADICTED for claim in claims) / len(claims)


def worst(claims: Sequence[Claim], context: Sequence[str], check: Check) -> float:
    """How far the worst sentence is borne out."""
    _need(claims)
    return min(check(claim.text, context).strength for claim in claims)


def _supported(support: Support) -> bool:
    return support.label is Label.SUPPORTED


def _is_borne_out(claim: Claim, check: Check) -> bool:
    return claim.is_valid and _supported(check(claim.text, claim.papers))


def _is_needed(claim: Claim, paper: str | None, check: Check) -> bool:
    if paper is None or not _is_borne_out(claim, check):
        return False
    others = [one for one in claim.papers if one != paper]
    return _supported(check(claim.text, [paper])) or not _supported(check(claim.text, others))


def _need(claims: Sequence[Claim]) -> None:
    if not claims:
        raise NoClaims("no sentence claims anything")
