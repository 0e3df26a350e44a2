"""Fit how sure the answerer is that the library answers: `python -m eval.fit_confidence` writes rag_qa/answering/confidence_weights.json.

Two models, as `rag_qa.answering.confidence` has them. Whether the right paper was found: boosted trees, of the answerable questions against the same
ones with their papers taken out of what was found, and against those on another subject. Whether it says what is asked: logistic regression and more
trees, of the answerable questions against those for a detail that no abstract gives and those with a false premise. The line that puts both together
is fitted on what each says of questions by an author whose questions it did not see. The questions: see `eval.practice`. It uses the shipped weights
of sentences: fit those first (`eval.fit_sentences`).

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eval import corpus, practice
from eval.boosting import boosted
from eval.datasets.loader import Kind, Question
from eval.learning import Array, logistic
from eval.practice import Example
from rag_qa.answering import confidence, evidence, reread
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.signals import FEATURES, SPEAK_AGAINST, SPEAK_FOR
from rag_qa.answering.weights import ConfidenceWeights, shipped, to_data
from rag_qa.retrieval.hits import Hit

SHIPPED = corpus.ROOT / "rag_qa" / "answering" / "confidence_weights.json"

REFUSED_AT_MOST = 0.04
"""Share of the answerable development questions, by authors that the fit did not see, that may be refused: sets where a confidence of 0.5 lies."""

# How much a question counts, against an answerable one: those whose papers were taken away are many and all alike.
_LEFT_OUT = 0.5
_UNANSWERABLE = 4.0
_PREMISE = 6.0  # they are few, and the hardest
_OFF_TOPIC, _MANY_OFF_TOPIC = 6.0, 0.7  # none should go by; in each set they are few, and many in one of their own
_L2, _L2_LACKING = 40.0, 800.0

_OF_PAPER = (Kind.DETAIL, Kind.PREMISE)  # kinds of unanswerable questions about a paper that is there


@dataclass(frozen=True, slots=True)
class Judged:
    """A question (or one with its papers taken away) as the confidence sees it."""

    question: Question
    left_out: bool
    features: Array
    lacking: Array

    @property
    def answerable(self) -> bool:
        """Does the library answer it?"""
        return bool(self.question.answerable) and not self.left_out

    @property
    def is_here(self) -> bool:
        """Is the paper there that the question is about?"""
        return self.answerable or (self.question.kind in _OF_PAPER and not self.left_out)

    @property
    def author(self) -> str:
        """Who wrote the question: the letters in front of its number."""
        return self.question.id.partition("-")[0]


def judged(answerer: ExtractiveAnswerer, found: Sequence[Example]) -> list[Judged]:
    """Features of every question, and of every answerable one without its papers."""
    rows = []
    for example in found:
        rows += _judged(answerer, example.question, example.hits, left_out=False)
        if example.question.answerable:
            others = [hit for hit in example.every if hit.paper.id not in example.question.papers]
            rows += _judged(answerer, example.question, others[: len(example.hits)], left_out=True)
    return rows


def _judged(answerer: ExtractiveAnswerer, question: Question, hits: Sequence[Hit], *, left_out: bool) -> list[Judged]:
    """One row, or none where there is nothing to judge."""
    reading = answerer.read(question.text, hits)
    if reading is None:
        return []
    return [Judged(question, left_out, reading.assessment.features, reading.assessment.lacking)]


# -------------------------------------------------------------------------------------------------------------- the models


def fit_confidence(rows: Sequence[Judged]) -> ConfidenceWeights:
    """Both models, put together on a scale of their own."""
    here = [row for row in rows if row.answerable or not row.is_here]
    trees = boosted(*_columns(here), np.array([_counts(row) for row in here]))
    said = [row for row in rows if row.is_here]
    x, y = _columns(said)
    wide = np.hstack([x, np.stack([row.lacking for row in said])])
    penalties = np.r_[np.full(x.shape[1], _L2), np.full(wide.shape[1] - x.shape[1], _L2_LACKING)]
    counts = np.array([_counts(row) for row in said])
    fitted = _held_to_signs(wide, y, counts, penalties)
    return ConfidenceWeights(trees, boosted(x, y, counts), fitted[: x.shape[1]], float(fitted[-1]), fitted[x.shape[1] : -1], 1.0, 0.0)


def _held_to_signs(x: Array, y: Array, counts: Array, penalties: Array) -> Array:
    """A logistic regression in which no feature counts the wrong way: those that would are left out, until none does."""
    signs = np.zeros(x.shape[1])
    signs[: len(FEATURES)] = [(name in SPEAK_FOR) - float(name in SPEAK_AGAINST) for name in FEATURES]
    kept = np.arange(x.shape[1])
    while True:
        fitted = logistic(x[:, kept], y, counts, l2=penalties[kept])
        wrong = fitted[:-1] * signs[kept] < 0
        if not wrong.any():
            break
        kept = kept[~wrong]
    weights = np.zeros(x.shape[1] + 1)
    weights[kept], weights[-1] = fitted[:-1], fitted[-1]
    return weights


def _columns(rows: Sequence[Judged]) -> tuple[Array, Array]:
    """(features, 1 for answerable and 0 for others) of the rows."""
    return np.stack([row.features for row in rows]), np.array([float(row.answerable) for row in rows])


def _counts(row: Judged) -> float:
    if row.answerable:
        return 1.0
    if row.left_out:
        return _LEFT_OUT
    off_topic = _MANY_OFF_TOPIC if row.author == practice.OFF_TOPIC_AUTHOR else _OFF_TOPIC
    return {Kind.PREMISE: _PREMISE, Kind.OFF_TOPIC: off_topic}.get(row.question.kind, _UNANSWERABLE)


def log_odds(rows: Sequence[Judged], weights: ConfidenceWeights) -> Array:
    """Log-odds of the confidence of each row."""
    sure = np.clip([confidence.confidence(row.features, row.lacking, weights) for row in rows], 1e-12, 1 - 1e-12)
    found: Array = np.log(sure) - np.log1p(-sure)
    return found


def cross_validated(rows: Sequence[Judged]) -> Array:
    """Log-odds of each row by weights that were fitted on questions by other authors."""
    found = np.zeros(len(rows))
    for author in sorted({row.author for row in rows}):
        weights = fit_confidence([row for row in rows if row.author != author])
        test = [i for i, row in enumerate(rows) if row.author == author]
        found[test] = log_odds([rows[i] for i in test], weights)
    return found


def at_operating_point(weights: ConfidenceWeights, held_out: Array, rows: Sequence[Judged]) -> tuple[ConfidenceWeights, Array]:
    """The weights on the scale on which the confidence is a probability, moved so that a threshold of 0.5 refuses REFUSED_AT_MOST of the
    answerable; and the cross-validated confidences on that scale. `held_out`: their log-odds on the old one.
    """
    answerable = np.array([row.answerable for row in rows])
    counts = np.array([_counts(row) for row in rows])
    slope = float(logistic(held_out[:, None], answerable.astype(float), counts, l2=0.0)[0])
    border = float(np.sort(held_out[answerable])[int(REFUSED_AT_MOST * answerable.sum())])
    moved = replace(weights, slope=weights.slope * slope, bias=slope * (weights.bias - border))
    sure: Array = 1.0 / (1.0 + np.exp(-slope * (held_out - border)))
    return moved, sure


def summary(rows: Sequence[Judged], held_out: Array) -> list[str]:
    """Cross-validated share refused at 0.5, by kind of question."""
    kinds: dict[str, list[bool]] = {}
    for row, sure in zip(rows, held_out, strict=True):
        kinds.setdefault("right paper taken away" if row.left_out else str(row.question.kind), []).append(bool(sure < 0.5))
    return [f"{kind:24} refused {sum(refused):4d} of {len(refused):4d}" for kind, refused in kinds.items()]


# ---------------------------------------------------------------------------------------------------------------- the file


def to_json(weights: ConfidenceWeights, origin: str) -> str:
    """The weights as they are shipped, a tree a line: `rag_qa.answering.weights` reads them."""
    text = json.dumps({"origin": origin, "confidence": to_data(weights, confidence.FEATURES)}, ensure_ascii=False)
    for begins in ('"confidence"', '{"levels"', '"said_by_trees"', '"said"', '"said_bias"', '"lacking"', '"slope"'):
        text = re.sub(rf" ({re.escape(begins)})", r"\n\1", text).replace(f"[{begins}", f"[\n{begins}")
    return text + "\n"


def fit(papers: Path) -> tuple[str, list[str]]:
    """(weights as they are shipped, what cross-validation says of them). Raises DataAbsent without the data set, RagQAError."""
    weights = shipped(evidence.FEATURES, confidence.FEATURES, reread.FEATURES)
    rows: list[Judged] = []
    said = []
    for questions in (*practice.QUESTIONS, practice.FOLLOW_UPS):
        with practice.practising([questions, practice.OFF_TOPIC], papers=papers, whole=False) as practised:
            answerer = practised.answerer(weights)
            rows += [row for found in practised.examples.values() for row in judged(answerer, found)]
            said.append(practised.said)
    moved, held_out = at_operating_point(fit_confidence(rows), cross_validated(rows), rows)
    return to_json(moved, f"python -m eval.fit_confidence, {'; '.join(said)}"), summary(rows, held_out)


def main(*, papers: Path = corpus.ICLR, to: Path = SHIPPED) -> int:
    """Fit, write the weights, and say how it ended (see the exit codes above)."""
    return practice.written(fit, papers=papers, to=to)


if __name__ == "__main__":
    sys.exit(main())
