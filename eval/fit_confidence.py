"""Fit how sure the answerer is that the library answers: `python -m eval.fit_confidence` writes rag_qa/answering/confidence_weights.json.

L2-regularised logistic regression of answerable against not, for questions that name something in the best paper and for those that do not.
Unanswerable are the questions written to be so and, with a lower weight, the answerable ones with their papers taken out of what was found. The
questions: see `eval.practice`. It uses the shipped weights of sentences: fit those first (`eval.fit_sentences`).

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval import corpus, practice
from eval.datasets.loader import Question
from eval.fit_sentences import named
from eval.learning import Array, logistic
from eval.practice import Example
from rag_qa.answering import confidence, evidence
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.weights import shipped
from rag_qa.errors import RagQAError
from rag_qa.retrieval.hits import Hit

SHIPPED = corpus.ROOT / "rag_qa" / "answering" / "confidence_weights.json"

FITTED, COULD_NOT_FIT = 0, 2
FOLDS = 5
REFUSED_AT_MOST = 0.08
"""Share of the answerable development questions that may be refused: sets where a confidence of 0.5 lies."""

# How much a question counts, against an answerable one: those whose papers were taken away are many and all alike.
_LEFT_OUT = 0.25
_UNANSWERABLE = 2.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A question (or one with its papers taken away) as the confidence sees it."""

    question: Question
    left_out: bool
    answerable: bool
    anchored: bool
    features: Array


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
    assessment = reading.assessment
    return [Judged(question, left_out, bool(question.answerable) and not left_out, assessment.anchored, assessment.features)]


def fit_confidence(rows: Sequence[Judged], *, l2: float = 10.0) -> dict[str, Array]:
    """Weights for either kind of question, shape (features + 1,), the last one the bias."""
    return {named(anchored=anchored): _of_group([row for row in rows if row.anchored == anchored], l2) for anchored in (True, False)}


def _of_group(rows: Sequence[Judged], l2: float) -> Array:
    answerable = np.array([float(row.answerable) for row in rows])
    return logistic(np.stack([row.features for row in rows]), answerable, np.array([_counts(row) for row in rows]), l2=l2)


def _counts(row: Judged) -> float:
    if row.answerable:
        return 1.0
    return _LEFT_OUT if row.left_out else _UNANSWERABLE


def confidences(rows: Sequence[Judged], weights: Mapping[str, Array]) -> Array:
    """Confidence of each row."""
    logits = [float(row.features @ weights[named(anchored=row.anchored)][:-1] + weights[named(anchored=row.anchored)][-1]) for row in rows]
    found: Array = 1.0 / (1.0 + np.exp(-np.array(logits)))
    return found


def cross_validated(rows: Sequence[Judged], *, l2: float = 10.0) -> Array:
    """Confidence of each row by weights that were fitted without its question."""
    fold = {question: i % FOLDS for i, question in enumerate(dict.fromkeys(row.question.id for row in rows))}
    found = np.zeros(len(rows))
    for held in range(FOLDS):
        weights = fit_confidence([row for row in rows if fold[row.question.id] != held], l2=l2)
        test = [i for i, row in enumerate(rows) if fold[row.question.id] == held]
        found[test] = confidences([rows[i] for i in test], weights)
    return found


def at_operating_point(by_kind: Mapping[str, Array], rows: Sequence[Judged], l2: float = 10.0) -> tuple[dict[str, Array], Array]:
    """The weights with their biases moved so that a threshold of 0.5 refuses at most REFUSED_AT_MOST of the answerable, and the cross-validated
    confidences on that scale.
    """
    held_out = cross_validated(rows, l2=l2)
    answerable = np.sort([p for p, row in zip(held_out, rows, strict=True) if row.answerable])
    border = float(answerable[int(REFUSED_AT_MOST * len(answerable))])
    shift = float(np.log(border / (1 - border)))
    moved = {kind: np.r_[weights[:-1], weights[-1] - shift] for kind, weights in by_kind.items()}
    odds = held_out / (1 - held_out) * np.exp(-shift)
    return moved, odds / (1 + odds)


def summary(rows: Sequence[Judged], held_out: Array) -> list[str]:
    """Cross-validated share refused at 0.5, by kind of question."""
    kinds: dict[str, list[bool]] = {}
    for row, sure in zip(rows, held_out, strict=True):
        kinds.setdefault("right paper taken away" if row.left_out else str(row.question.kind), []).append(bool(sure < 0.5))
    return [f"{kind:24} refused {sum(refused):4d} of {len(refused):4d}" for kind, refused in kinds.items()]


# ---------------------------------------------------------------------------------------------------------------- the file


def to_json(weights: Mapping[str, Array], origin: str) -> str:
    """The weights as they are shipped: `rag_qa.answering.weights` reads them."""
    names = (*confidence.FEATURES, "bias")
    groups = {name: dict(zip(names, [round(float(weight), 4) for weight in vector], strict=True)) for name, vector in weights.items()}
    return json.dumps({"origin": origin, "confidence": groups}, indent=2) + "\n"


def fit(papers: Path) -> tuple[str, list[str]]:
    """(weights as they are shipped, what cross-validation says of them). Raises DataAbsent without the data set, RagQAError."""
    weights = shipped(evidence.FEATURES, confidence.FEATURES)
    judgments: list[Judged] = []
    said = []
    for questions in practice.QUESTIONS:
        with practice.practising([questions], papers=papers) as practised:
            judgments += judged(practised.answerer(weights), practised.examples[questions.name])
            said.append(practised.said)
    by_kind, held_out = at_operating_point(fit_confidence(judgments), judgments)
    return to_json(by_kind, f"python -m eval.fit_confidence, {'; '.join(said)}"), summary(judgments, held_out)


def main(*, papers: Path = corpus.ICLR, to: Path = SHIPPED) -> int:
    """Fit, write the weights, print what cross-validation says of them, and say how it ended (see the exit codes above)."""
    try:
        weights, said = fit(papers)
        to.write_text(weights, encoding="utf-8")
    except corpus.DataAbsent as absent:
        print(f"SKIPPED: {absent}")
        return FITTED
    except (RagQAError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT_FIT
    print("\n".join(said))
    return FITTED


if __name__ == "__main__":
    sys.exit(main())
