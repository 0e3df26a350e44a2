"""Fit the weights of the check of sentences: `python -m eval.fit_grounding` writes rag_qa/grounding/weights.json.

Two logistic regressions on sentences that people have labelled (SciFact, training split): does the abstract speak to the sentence at all, and if so,
does it say so or the reverse. For the second, supported sentences also stand there turned round by rule (`eval.edits`), as contradicted ones, with a
lower weight. How rare a word is comes from a corpus of abstracts. Cross-validated by abstract and sentence: what shares either is in one fold.

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from eval import corpus, edits
from eval.pairs import CONTRADICTED, NOT_ENOUGH, PAIRS, SUPPORTED, Array, Pair, Separation, load, separation
from rag_qa import text
from rag_qa.answering.evidence import WordSimilarity
from rag_qa.claims import claim, view
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import RagQAError
from rag_qa.grounding.likelihood import FEATURES, Rarity, Weights, combine, features

SHIPPED = corpus.ROOT / "rag_qa" / "grounding" / "weights.json"
ABSTRACTS = corpus.ROOT.parent / "shared" / "data" / "ml_papers" / "corpus.jsonl"
"""Abstracts in which words are counted; they are not part of the project, the thousand counts are."""

ABOUT = ("covered", "covered by two", "a name is missing")
SAYS_SO = ("direction turned", "comparison turned", "opposing", "parity", "turned", "nothing_alone")
FOLDS = 10
FITTED, COULD_NOT_FIT = 0, 2

_LISTED = 1000  # words whose rarity is told; all others are the rarest
_RAREST = 0.3  # of the abstracts that the last of them stands in
_ABOUT_L2, _SAYS_SO_L2 = 5.0, 10.0
_EMPHASIS = 0.6
_TURNED_ROUND = 0.25  # how much a sentence counts that was turned round by rule
_NEWTON_STEPS = 30
_TINY = 1e-6  # keeps a feature that never changes from being divided by nothing


@dataclass(frozen=True, slots=True)
class Row:
    """A pair as the models see it. `fold`: of its group; `is_made`: turned round by rule."""

    features: Array
    label: str
    fold: int
    is_made: bool = False


def rarity(abstracts: Sequence[str]) -> Rarity:
    """How rare the commonest words of some abstracts are, by their stems."""
    counts = Counter(term for abstract in abstracts for term in set(text.terms(abstract)))
    dull = {text.stem(word) for word in text.STOPWORDS}
    common = [(stem, count) for stem, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if stem not in dull and len(stem) > 1]
    known = {stem: round(_rarity(count, len(abstracts)), 2) for stem, count in common[:_LISTED]}
    return Rarity(known, round(_rarity(_RAREST * common[:_LISTED][-1][1], len(abstracts)), 2))


def _rarity(count: float, abstracts: int) -> float:
    """Inverse document frequency (formula: BM25, Robertson)."""
    return math.log(1 + (abstracts - count + 0.5) / (count + 0.5))


# --------------------------------------------------------------------------------------------------------------------- rows


def rows(pairs: Sequence[Pair], rare: Rarity, similarity: WordSimilarity) -> list[Row]:
    """The pairs, and after them every supported one turned round by rule, where a rule finds a hold."""
    fold = _folds(pairs)
    order = random.Random(7)
    made = [Row(_features(pair, rare, similarity), pair.label, place) for pair, place in zip(pairs, fold, strict=True)]
    for pair, place in zip(pairs, fold, strict=True):
        around = edits.Around(pair.paper.abstract, (), order)
        others = [change(pair.sentence, around) for change in (edits.turned, edits.denied) if pair.label == SUPPORTED]
        wrong = (replace(pair, sentence=other) for other in others if other)
        made += [Row(_features(other, rare, similarity), CONTRADICTED, place, is_made=True) for other in wrong]
    return made


def _features(pair: Pair, rare: Rarity, similarity: WordSimilarity) -> Array:
    seen = view(claim(pair.sentence), pair.paper, similarity)
    assert seen is not None
    return features(seen, rare)


def _folds(pairs: Sequence[Pair]) -> list[int]:
    """A fold for each pair; pairs of one abstract or one sentence, also by way of others, are in the same."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    keys = [(f"abstract {pair.paper.abstract}", f"sentence {pair.sentence}") for pair in pairs]
    for abstract, sentence in keys:
        parent[root(abstract)] = root(sentence)
    return [sha256(root(abstract).encode()).digest()[0] % FOLDS for abstract, _ in keys]


# ------------------------------------------------------------------------------------------------------------------ fitting


def fit(found: Sequence[Row], rare: Rarity, *, origin: str = "") -> Weights:
    """Both models on all rows."""
    told = [row for row in found if not row.is_made]
    about = _fitted(told, ABOUT, [float(row.label != NOT_ENOUGH) for row in told], _ABOUT_L2)
    sides = [row for row in found if row.label != NOT_ENOUGH]
    says_so = _fitted(sides, SAYS_SO, [float(row.label == SUPPORTED) for row in sides], _SAYS_SO_L2)
    return Weights(origin, about, says_so, _EMPHASIS, rare)


def _fitted(found: Sequence[Row], names: Sequence[str], target: Sequence[float], l2: float) -> Array:
    """Weights of all FEATURES and the bias, those of other names 0."""
    places = [FEATURES.index(name) for name in names]
    weights = np.zeros(len(FEATURES) + 1)
    counts = np.array([_TURNED_ROUND if row.is_made else 1.0 for row in found])
    weights[[*places, len(FEATURES)]] = logistic(np.stack([row.features[places] for row in found]), np.array(target), counts, l2=l2)
    return weights


def logistic(x: Array, y: Array, counts: Array, *, l2: float) -> Array:
    """L2-regularised logistic regression by Newton's method on standardised features: weights, and last the bias. `counts`: how much a row counts."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + _TINY
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    penalty = np.r_[np.full(x.shape[1], l2), _TINY]  # the bias is free
    weights = np.zeros(z.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(z @ weights, -30, 30)))
        gradient = z.T @ (counts * (p - y)) + penalty * weights
        weights -= np.linalg.solve((z * (counts * p * (1 - p))[:, None]).T @ z + np.diag(penalty), gradient)
    fitted: Array = np.r_[weights[:-1] / spread, weights[-1] - float((weights[:-1] * mean / spread).sum())]
    return fitted


def cross_validated(found: Sequence[Row], rare: Rarity) -> Array:
    """Likelihood of each row that is not made, by weights that were fitted without its fold."""
    told = [row for row in found if not row.is_made]
    scores = np.zeros(len(told))
    for held in {row.fold for row in told}:
        weights = fit([row for row in found if row.fold != held], rare)
        for place, row in enumerate(told):
            if row.fold == held:
                scores[place] = combine(row.features, weights)
    return scores


def to_json(weights: Weights) -> str:
    """The weights as they are shipped: `likelihood.parse` reads them."""
    data = {
        "origin": weights.origin,
        "about": _named(weights.about),
        "says so": _named(weights.says_so),
        "emphasis": weights.emphasis,
        "rarity": {"rarest": weights.rarity.rarest, "stems": dict(weights.rarity.known)},
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _named(vector: Array) -> Mapping[str, float]:
    return {name: round(float(value), 4) for name, value in zip((*FEATURES, "bias"), vector, strict=True) if value}


def run(*, pairs: Path = PAIRS, abstracts: Path = ABSTRACTS) -> tuple[str, Separation]:
    """(weights as they are shipped, what cross-validation says of them). Raises DataAbsent without the data, SourceError for bad data."""
    if not abstracts.is_file():
        raise corpus.DataAbsent(f"{abstracts} is not there, so words cannot be counted")
    told = load(pairs, "scifact", "train")
    rare = rarity([json.loads(line)["text"] for line in abstracts.read_text(encoding="utf-8").splitlines() if line.strip()])
    found = rows(told, rare, WordVectors().of)
    origin = f"python -m eval.fit_grounding, {len(told)} pairs of SciFact train; rarity: {abstracts.parent.name}"
    return to_json(fit(found, rare, origin=origin)), separation(told, cross_validated(found, rare))


def main(*, pairs: Path = PAIRS, abstracts: Path = ABSTRACTS, to: Path = SHIPPED) -> int:
    """Fit, write the weights, tell what cross-validation says of them, and say how it ended (see the exit codes above)."""
    try:
        weights, found = run(pairs=pairs, abstracts=abstracts)
        to.write_text(weights, encoding="utf-8")
    except corpus.DataAbsent as absent:
        sys.stdout.write(f"SKIPPED: {absent}\n")
        return FITTED
    except (RagQAError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return COULD_NOT_FIT
    figures = f"all {found.all:.3f}, not enough {found.not_enough:.3f}, contradicted {found.contradicted:.3f}"
    sys.stdout.write(f"cross-validated AUROC over {found.pairs} pairs: {figures}\n")
    return FITTED


if __name__ == "__main__":
    sys.exit(main())
