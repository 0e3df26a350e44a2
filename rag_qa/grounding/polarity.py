"""Which way two sentences say that things go, softly: what goes up, down or not at all near the words that both have, and how far they agree.

The rules of `rag_qa.disagreement` find a contradiction that they can name. This finds more of them and names none: it gives features, no verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.statements import Statement, Token, against, are_alike, statement

Array = NDArray[np.float64]

_UP = """increase increasing rise rose risen raise grow grew grown growth boost more higher high large larger great greater greatest big bigger expand
    expansion enlarge amplify maximize longer heavier elevated elevate heighten augment multiply double triple intensify strengthen reinforce
    improve improvement better best outperform exceed surpass superior enhance enhancement enhancer beat gain promote promotion stimulate
    stimulation induce induction inducer activate activation activator active facilitate encourage trigger elicit evoke confer upregulate
    upregulation favour favor foster fast faster accelerate acceleration speedup quick rapid efficient effective efficacy benefit beneficial
    advantage useful valuable successful success positive positively essential necessary required require crucial critical important sufficient
    contribute contributor enable allow permit support cause lead drive mediate produce provide restore rescue recover recruit develop advance
    overexpression overexpress excess abundant abundance enrich accumulate accumulation extensive majority most dominant prevalent widespread
    common frequent likely robust stable stabilize reliable accurate adequate strong stronger potent potentiate powerful sensitive severe
    aggressive susceptibility susceptible vulnerability prone exacerbate aggravate prolong extend sustain maintain retain preserve start initiate
    begin unlock help assist aid able ability capable depend dependent rely"""
_DOWN = """decrease decreasing reduce reduction lower low less few fewer seldom smaller drop decline fall fell fallen shrink shrinkage contract cut
    save minimize minimal diminish halve lessen shorter shorten trim halt stop terminate curtail worse worst underperform degrade degradation
    inferior deteriorate hurt damage harm harmful detrimental toxic weaken weak blunt worsen lag collapse decay destroy destruction inhibit
    inhibition inhibitor inhibitory suppress suppression suppressor block blocker blockade impair impairment attenuate attenuation disrupt
    disruption impede abolish hinder forbid downregulate downregulation discourage deactivate inactivate inactivation inactive slow slower
    decelerate delay prevent prevention protect protection protective avoid loss lose lack absence absent deficiency deficient deficit deplete
    depletion knockout knockdown delete deletion ablate ablation abrogate antagonize antagonist oppose counteract contrary reject deny negative
    negatively ineffective inefficient insensitive fail failure unable incapable inability unlikely useless unnecessary resistant resistance poor
    poorer poorly rare rarely scarce scarcity minority negligible incomplete inaccurate unstable instability limit limited insufficient silence
    remove removal eliminate discontinue discontinuation dissociate dissociation restrict restrain alleviate ameliorate mitigate mild milder safe
    safer unsafe dispensable unrelated unassociated independent reverse repress repression free mutant dysfunction defect defective disable"""
_UP_PREFIXES, _DOWN_PREFIXES = ("hyper", "over", "up"), ("hypo", "under", "down", "anti")
_LONGER_BY = 3  # letters: "upon" and "under" are no words with a prefix
_SIGNS = {text.stem(word): 1.0 for word in _UP.split()} | {text.stem(word): -1.0 for word in _DOWN.split()}
_NOTHING = frozenset("no not never cannot without neither nor none hardly fails failed fail unable".split())
_NO_EFFECT = frozenset(
    text.stem(word)
    for word in """little similar unchanged unaffected same comparable equal equivalent independent irrelevant unrelated irrespective regardless
    dispensable negligible insignificant""".split()
)

_REACH = 2.0  # words: how far the pull of a word on its neighbours goes (it falls to 1/e)
_WIDE_REACH = 4.0
_SHARPNESS = 1.5
_NEAR_ENOUGH = 0.7  # of one word right beside it
_SENTENCES = 5  # that are looked at, those that cover most of the claim
_PREFERENCE = 4.0  # how much more a sentence counts that covers more: e to the power of it for a sentence that covers all against nothing


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """The words of a sentence and what pulls at them. `sign`: 1 up, -1 down, turned round where it is denied; `void`: 1 where a word says that there
    is nothing ("no", "unchanged"); `anchors`: places of telling words that are neither; `lean`: how much the signs pull at each word, -1 to 1.
    """

    tokens: Sequence[Token]
    sign: Array
    void: Array
    anchors: tuple[int, ...]
    lean: Array

    @property
    def parity(self) -> float:
        """Up or down, all in all; 0 where no word says so."""
        return _product(self.sign)


@lru_cache(maxsize=4096)
def pull(folded: str) -> Pull:
    """What pulls at the words of a folded sentence.

    >>> p = pull("it does not reduce the cost of labels")
    >>> [p.tokens[i].text for i in p.anchors], p.parity
    (['cost', 'labels'], 1.0)
    """
    said = statement(folded)
    tokens = said.tokens
    sign = np.array([_sign(token) * (-1.0 if i in said.denied else 1.0) for i, token in enumerate(tokens)])
    void = np.array([float(token.text in _NOTHING or token.stem in _NO_EFFECT) for token in tokens])
    places = np.arange(len(tokens))
    clauses = np.array([token.clause for token in tokens])
    away = np.abs(places[:, None] - places) + np.abs(clauses[:, None] - clauses) if tokens else np.zeros((0, 0))
    near = np.exp(-away / _REACH) * (away > 0)
    anchors = tuple(i for i, token in enumerate(tokens) if token.is_content and not sign[i] and not void[i])
    return Pull(tokens, sign, void, anchors, np.tanh(_SHARPNESS * near @ sign))


def _sign(token: Token) -> float:
    if token.stem in _SIGNS:
        return _SIGNS[token.stem]
    for prefixes, sign in ((_UP_PREFIXES, 1.0), (_DOWN_PREFIXES, -1.0)):
        if any(token.text.startswith(prefix) and len(token.text) > len(prefix) + _LONGER_BY for prefix in prefixes):
            return sign
    return 0.0


def _product(signs: Array) -> float:
    there = signs[signs != 0]
    return float(np.prod(there)) if there.size else 0.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a claim and an abstract say that things go. `opposing`: words of both are pulled opposite ways, 0 to 1. `parity`: both go up, or both down,
    all in all, -1 to 1 (higher: more alike). `turned`: something named goes the other way, 0 to 1. `nothing_alone`: only the claim says that there is
    nothing ("no effect"), 0 to 1.
    """

    opposing: float
    parity: float
    turned: float
    nothing_alone: float


def agreement(claim: Statement, sentences: Sequence[Statement], covered: Array) -> Agreement:
    """Hold a claim against the sentences of an abstract. `covered`: share of the claim that each of them covers, 0 to 1."""
    order = np.argsort(-covered, kind="stable")[:_SENTENCES]
    counts = np.exp(_PREFERENCE * (covered[order] - covered[order[0]]))
    counts /= counts.sum()
    one = pull(claim.folded)
    pairs = [_Pair(one, pull(sentences[i].folded)) for i in order]
    says_nothing = min(float(one.void.sum()), 1.0)
    most = float(covered[order[0]]) or 1.0
    nothing = max(float(covered[i]) / most * pair.nothing() for i, pair in zip(order, pairs, strict=True))
    return Agreement(
        opposing=float(counts @ np.array([pair.opposing for pair in pairs])),
        parity=float(counts @ np.array([pair.parity for pair in pairs])),
        turned=float(np.tanh(counts @ np.array([_turned(claim, sentences[i]) for i in order]))),
        nothing_alone=says_nothing * (1 - nothing),
    )


class _Pair:
    """A claim and one sentence of an abstract."""

    def __init__(self, claim: Pull, there: Pull) -> None:
        self._claim, self._there = claim, there
        by_stem: dict[str, list[int]] = {}
        for j, token in enumerate(there.tokens):
            by_stem.setdefault(token.stem, []).append(j)
        matched = ((i, _places(claim.tokens[i], there, by_stem)) for i in claim.anchors)
        self._met = [(i, places) for i, places in matched if places]

    @property
    def opposing(self) -> float:
        """How far words of both are pulled opposite ways."""
        pulls = [max(-self._claim.lean[i] * float(self._there.lean[places].mean()), 0.0) for i, places in self._met]
        return float(np.mean(pulls)) if pulls else 0.0

    @property
    def parity(self) -> float:
        """Do both say up, or both down, from the first to the last word that both have, and one more on either side?"""
        firsts = [places[0] for _, places in self._met]
        if not firsts:
            return 0.0
        return _product(self._there.sign[max(0, min(firsts) - 1) : max(firsts) + 2]) * self._claim.parity

    def nothing(self) -> float:
        """Does the sentence say that there is nothing, near words that both have? 0 to 1."""
        shared = np.array(sorted({j for _, places in self._met for j in places}), int)
        voids = np.flatnonzero(self._there.void)
        if not shared.size or not voids.size:
            return 0.0
        near = np.exp(-np.abs(voids[:, None] - shared) / _WIDE_REACH).sum(axis=1)
        return float(min(1.0, _NEAR_ENOUGH * near.max()))


def _places(token: Token, there: Pull, by_stem: dict[str, list[int]]) -> list[int]:
    return by_stem.get(token.stem) or [j for j, other in enumerate(there.tokens) if other.is_content and are_alike(token.stem, other.stem)]


def _turned(claim: Statement, there: Statement) -> float:
    """How much of what goes one way in the claim goes the other way there."""
    found = 0.0
    for one in claim.directions:
        for other in there.directions:
            shared = len(one.objects & other.objects)
            if shared and against(one, other) != ((one.at in claim.denied) != (other.at in there.denied)):
                found += shared / len(one.objects)
    return found
