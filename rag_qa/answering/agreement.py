"""What the findings of several papers have in common: two that report the same, and two that report the opposite of the same thing.

Only clear cases are named. Two sentences must speak of the same subject in mostly the same words, and then one must say up where the other says down,
or deny what the other affirms. What two abstracts say against each other in words of their own is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from rag_qa import text
from rag_qa.answering import roles
from rag_qa.answering.roles import Role
from rag_qa.papers import Paper
from rag_qa.statements import Direction, Statement, Token, against, are_alike, statement
from rag_qa.text import Span

Rarity = Callable[[str], float]
"""A folded word -> how rare it is in the library, at least 0."""

SAME_SUBJECT = 0.4
"""Share of their weight that two findings must have in common to be held against each other (Dice coefficient, words by rarity)."""
_FEWEST_SHARED = 3
"""Words that two findings must share, besides those that say what happens to it."""

_FINDINGS = (Role.RESULT, Role.CONCLUSION)
# Words that any report of a result holds: they say nothing of its subject.
_REPORTING = frozenset(
    text.stem(word)
    for word in """show demonstrate find found finding findings result results experiment experiments suggest indicate reveal observe report study
    studies work paper method approach framework model models propose proposed significantly significant significance effective effectively
    effectiveness improve improvement achieve outperform state art existing extensive various different compared data conclude association
    evaluation dataset datasets task tasks performance baseline baselines benchmark benchmarks superior evaluate method methods novel new""".split()
)
_HEDGES = re.compile(r"\b(?:may|might|could|whether|unclear|unknown|hypothesi\w+|if)\b")


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence that reports what was found, `paper.abstract[start:end]`."""

    paper: Paper
    span: Span
    said: Statement
    weights: dict[str, float]
    """Stems of what it is about -> rarity."""

    @property
    def quote(self) -> str:
        """The sentence, verbatim."""
        return self.paper.abstract[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two findings of different papers on one subject. `why`: what tells that they agree, or that they do not, in words."""

    one: Finding
    other: Finding
    why: str


def findings(papers: Sequence[Paper], rarity: Rarity) -> list[Finding]:
    """The sentences of papers that report what was found."""
    return [
        Finding(paper, part.span, statement(part.folded), _weights(part.folded, rarity))
        for paper in papers
        for part in roles.parts(paper.abstract)
        if part.role in _FINDINGS and not _HEDGES.search(part.folded)
    ]


def _weights(folded: str, rarity: Rarity) -> dict[str, float]:
    said = statement(folded)
    about = [token for token in said.tokens if token.is_content and token.stem not in _REPORTING and not token.text[0].isdigit()]
    moving = {direction.at for direction in said.directions}
    return {token.stem: rarity(token.text) for i, token in enumerate(said.tokens) if token in about and i not in moving}


def contradictions(found: Sequence[Finding]) -> list[Pair]:
    """Pairs that report the opposite of the same thing, the nearest first."""
    return _paired(found, _opposed)


def agreements(found: Sequence[Finding]) -> list[Pair]:
    """Pairs that report the same, the nearest first."""
    return _paired(found, _alike)


def _paired(found: Sequence[Finding], tells: Callable[[Finding, Finding], str]) -> list[Pair]:
    """Pairs of findings of different papers on one subject of which something can be told; each two papers once."""
    near = [(shared, one, other) for one, other in combinations(found, 2) if (shared := _shared(one, other)) >= SAME_SUBJECT]
    best: dict[frozenset[str], tuple[float, Pair]] = {}
    for shared, one, other in near:
        both = frozenset((one.paper.id, other.paper.id))
        if (both not in best or shared > best[both][0]) and (why := tells(one, other)):
            best[both] = (shared, Pair(one, other, why))
    return [pair for _, pair in sorted(best.values(), key=lambda item: -item[0])]


def _shared(one: Finding, other: Finding) -> float:
    """How much of what two findings are about is the same, in [0, 1]; 0 for two of one paper or with too few words in common."""
    if one.paper.id == other.paper.id:
        return 0.0
    common = [stem for stem in one.weights if stem in other.weights]
    if len(common) < _FEWEST_SHARED:
        return 0.0
    total = sum(one.weights.values()) + sum(other.weights.values())
    return sum(one.weights[stem] + other.weights[stem] for stem in common) / total if total else 0.0


def _opposed(one: Finding, other: Finding) -> str:
    """Why two findings on one subject can't both hold; "" if nothing says so."""
    for first, second in _same_objects(one.said, other.said):
        if against(first, second) != (_is_denied(one.said, first.at) != _is_denied(other.said, second.at)):
            return f"“{_words(one.said, first)}” against “{_words(other.said, second)}”"
    for i, j in _same_relations(one.said, other.said):
        if _is_denied(one.said, i) != _is_denied(other.said, j):
            return f"“{_told(one.said, i)}” against “{_told(other.said, j)}”"
    return ""


def _alike(one: Finding, other: Finding) -> str:
    """What two findings on one subject both say; "" if they say nothing of one thing, or the opposite."""
    if _opposed(one, other) or one.said.folded == other.said.folded:
        return ""
    for first, second in _same_objects(one.said, other.said):
        if _is_denied(one.said, first.at) == _is_denied(other.said, second.at):
            return f"“{_words(one.said, first)}” and “{_words(other.said, second)}”"
    return next((f"“{_told(one.said, i)}” and “{_told(other.said, j)}”" for i, j in _same_relations(one.said, other.said)), "")


# ---------------------------------------------------------------------------------------------------------- what is the same

_NEAR = 8  # telling words on either side of what happens, among which its subject and its object are looked for
# What one thing has to do with another; a denied one is a finding too ("no association", "did not affect").
_RELATIONS = frozenset(
    text.stem(word)
    for word in """associated association correlate correlated correlation affect affects influence influences predict predicts predictive
    cause causes caused contribute contributes prevent prevents protect protects protective alter alters difference differ differs benefit
    beneficial effect effects effective improve improves improved reduce reduces reduced increase increases increased""".split()
)


def _same_objects(one: Statement, other: Statement) -> Iterator[tuple[Direction, Direction]]:
    """Directions of the same thing on both sides, with something of the same in front of them."""
    for first in one.directions:
        for second in other.directions:
            both = first.objects & second.objects
            if both and len(both) >= min(len(first.objects), len(second.objects)) and _before(one, first.at) & _before(other, second.at) - both:
                yield first, second


def _same_relations(one: Statement, other: Statement) -> Iterator[tuple[int, int]]:
    """Places where both sides say that the same things have to do, or not, with each other."""
    for i, token in enumerate(one.tokens):
        for j, there in enumerate(other.tokens):
            if token.stem in _RELATIONS and are_alike(token.stem, there.stem) and _same_things(one, i, other, j):
                yield i, j


def _same_things(one: Statement, i: int, other: Statement, j: int) -> bool:
    """Do both relations hold between the same two things, in either order?"""
    behind, there_behind = _behind(one, i), _behind(other, j)
    before, there_before = _before(one, i) or behind, _before(other, j) or there_behind  # "no association of A with B"
    straight = before & there_before and behind & there_behind and len((before & there_before) | (behind & there_behind)) > 1
    crossed = before & there_behind and behind & there_before and len((before & there_behind) | (behind & there_before)) > 1
    return bool(straight or crossed)


def _before(said: Statement, at: int) -> frozenset[str]:
    return _telling([said.tokens[i] for i in range(at - 1, -1, -1)])


def _behind(said: Statement, at: int) -> frozenset[str]:
    return _telling(said.tokens[at + 1 :])


def _telling(tokens: Sequence[Token]) -> frozenset[str]:
    """Stems of the nearest words that say what a sentence is about."""
    about = [one.stem for one in tokens if one.is_content and one.stem not in _REPORTING | _RELATIONS and one.text[0].isalpha()]
    return frozenset(about[:_NEAR])


def _is_denied(said: Statement, at: int) -> bool:
    return at in said.denied


# ------------------------------------------------------------------------------------------------------------------ in words


def _words(said: Statement, direction: Direction) -> str:
    """What goes up or down, and the word that says so, as they stand in the sentence."""
    places = [i for i, token in enumerate(said.tokens) if i == direction.at or (token.stem in direction.objects and abs(i - direction.at) <= _NEAR)]
    denied = next((f"{denial.word} " for denial in said.denials if direction.at in denial.scope), "")
    return denied + said.folded[said.tokens[places[0]].start : said.tokens[places[-1]].end]


def _told(said: Statement, at: int) -> str:
    """A relation with the word that denies it."""
    word = next((denial.word for denial in said.denials if at in denial.scope), "")
    return f"{word} {said.tokens[at].text}".strip()
