"""Fit the weights of the extractive answerer on development questions: which sentence answers, and whether the library answers at all.

`python -m eval.fit` writes rag_qa/answering/weights.json. The questions are those of `iclr_dev.jsonl`, over other papers than the seeds; the shipped
question sets over the seeds are never fitted on. Two models, both small and linear:

- the sentence: list-wise logistic regression over the sentences of the right paper (softmax; the sentences that hold an asked fact are the target);
- the confidence: L2-regularised logistic regression of answerable against not, for questions that name something in the best paper and for those that
  do not. Unanswerable are the questions written to be so and, with a lower weight, the answerable ones with their papers taken out of what was found.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval import corpus
from eval.datasets import loader
from eval.datasets.loader import Question
from eval.metrics import facts
from rag_qa.answering import confidence, evidence
from rag_qa.answering.evidence import Candidate
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.weights import parse
from rag_qa.engine import Engine
from rag_qa.retrieval.hits import Hit
from rag_qa.settings import load

Array = NDArray[np.float64]

FOLDS = 5
_LEFT_OUT = 0.25  # weight of a question whose papers were taken away, against one written to be unanswerable
_UNANSWERABLE = 2.0


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what was found for it."""

    question: Question
    hits: Sequence[Hit]
    every: Sequence[Hit]


def examples(engine: Engine, questions: Sequence[Question]) -> list[Example]:
    """Questions that stand alone, with their hits. `every` holds all papers of the library, so that the right one is always among them."""
    found = []
    for question in questions:
        if question.history:
            continue
        every = engine.search(question.text, k=len(engine.papers()))
        found.append(Example(question, every[: engine.settings.top_k], every))
    return found


# ------------------------------------------------------------------------------------------------------------ the sentence


def sentence_rows(answerer: ExtractiveAnswerer, found: Sequence[Example]) -> dict[str, list[tuple[Array, Array]]]:
    """(features, target) of the sentences of the right paper, for every answerable question about one paper, by kind of question."""
    rows: dict[str, list[tuple[Array, Array]]] = {"anchored": [], "free": []}
    for example in found:
        right = [hit for hit in example.every if hit.paper.id in example.question.papers]
        if not example.question.answerable or len(example.question.papers) != 1 or not right:
            continue
        reading = answerer.read(example.question.text, right)
        if reading is None:
            continue
        target = np.array([_held(candidate, example.question) for candidate in reading.sentences_of(0)])
        if target.sum() > 0:
            kind = "anchored" if reading.assessment.anchored else "free"
            rows[kind].append((np.stack([c.features for c in reading.sentences_of(0)]), target / target.sum()))
    return rows


def _held(candidate: Candidate, question: Question) -> float:
    """Share of the asked facts that a sentence holds."""
    return float(np.mean(facts.groups_met(candidate.quote, question.facts)))


def fit_sentence(rows: Sequence[tuple[Array, Array]], *, l2: float = 5.0, steps: int = 500) -> Array:
    """Weights by list-wise cross-entropy (ListNet top-one: Cao et al. 2007), by Adam on standardised features."""
    stacked = np.vstack([features for features, _ in rows])
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0) + 1e-6
    scaled = [((features - mean) / spread, target) for features, target in rows]
    weights = np.zeros(stacked.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        gradient = l2 * weights / len(rows)
        for features, target in scaled:
            gradient += features.T @ (_softmax(features @ weights) - target) / len(rows)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    fitted: Array = weights / spread
    return fitted


def _softmax(scores: Array) -> Array:
    odds = np.exp(scores - scores.max())
    shares: Array = odds / odds.sum()
    return shares


# ---------------------------------------------------------------------------------------------------------- the confidence


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
        without = [hit for hit in example.every if hit.paper.id not in example.question.papers][: len(example.hits)]
        for left_out, hits in ((False, example.hits), (True, without)):
            if left_out and not example.question.answerable:
                continue
            reading = answerer.read(example.question.text, hits)
            if reading is not None:
                a = reading.assessment
                rows.append(Judged(example.question, left_out, example.question.answerable and not left_out, a.anchored, a.features))
    return rows


def fit_confidence(rows: Sequence[Judged], *, l2: float = 10.0) -> dict[str, Array]:
    """Weights and a bias for either kind of question."""
    return {kind: _logistic([r for r in rows if r.anchored == anchored], l2) for kind, anchored in (("anchored", True), ("free", False))}


def _logistic(rows: Sequence[Judged], l2: float) -> Array:
    """L2-regularised logistic regression by Newton's method; shape (features + 1,), the last one the bias."""
    x = np.stack([row.features for row in rows])
    y = np.array([float(row.answerable) for row in rows])
    sample = np.array([1.0 if r.answerable else _LEFT_OUT if r.left_out else _UNANSWERABLE for r in rows])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    penalty = np.r_[np.full(x.shape[1], l2), 1e-6]
    weights = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-z @ weights))
        gradient = z.T @ (sample * (p - y)) + penalty * weights
        hessian = (z * (sample * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
        weights -= np.linalg.solve(hessian, gradient)
    fitted: Array = np.r_[weights[:-1] / spread, weights[-1] - float((weights[:-1] * mean / spread).sum())]
    return fitted


def confidences(rows: Sequence[Judged], weights: dict[str, Array]) -> Array:
    """Confidence of each row."""
    logits = [float(r.features @ weights[_kind(r)][:-1] + weights[_kind(r)][-1]) for r in rows]
    found: Array = 1.0 / (1.0 + np.exp(-np.array(logits)))
    return found


def _kind(row: Judged) -> str:
    return "anchored" if row.anchored else "free"


def cross_validated(rows: Sequence[Judged], *, l2: float = 10.0) -> Array:
    """Confidence of each row by weights that were fitted without its question."""
    fold = {question: i % FOLDS for i, question in enumerate(dict.fromkeys(row.question.id for row in rows))}
    found = np.zeros(len(rows))
    for held in range(FOLDS):
        weights = fit_confidence([row for row in rows if fold[row.question.id] != held], l2=l2)
        test = [i for i, row in enumerate(rows) if fold[row.question.id] == held]
        found[test] = confidences([rows[i] for i in test], weights)
    return found


# ---------------------------------------------------------------------------------------------------------------- the file


def to_json(sentence: dict[str, Array], by_kind: dict[str, Array], origin: str) -> str:
    """The weights as they are shipped."""
    named = {
        "origin": origin,
        "sentence": {
            kind: {name: round(float(w), 4) for name, w in zip(evidence.FEATURES, weights, strict=True)} for kind, weights in sentence.items()
        },
        "confidence": {
            kind: {name: round(float(w), 4) for name, w in zip((*confidence.FEATURES, "bias"), weights, strict=True)}
            for kind, weights in by_kind.items()
        },
    }
    return json.dumps(named, indent=2) + "\n"


REFUSED_AT_MOST = 0.05
"""Share of the answerable development questions that may be refused: sets where a confidence of 0.5 lies."""


def at_operating_point(by_kind: dict[str, Array], rows: Sequence[Judged], l2: float = 10.0) -> tuple[dict[str, Array], Array]:
    """The weights with their biases moved so that a threshold of 0.5 refuses at most REFUSED_AT_MOST of the answerable, and the cross-validated confidences
    on that scale.
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


def main() -> None:
    """Fit, print what cross-validation says, write the weights."""
    with tempfile.TemporaryDirectory() as folder:
        made = corpus.from_ids(DATASETS / "iclr_dev_papers.txt", Path(folder), papers=corpus.ICLR)
        engine = Engine(load(data_dir=folder))
        engine.index([made.path])
        path = DATASETS / "iclr_dev.jsonl"
        questions = loader.resolve(loader.load(path), engine.papers(), path=path, abstracts=made.abstracts)
        found = examples(engine, questions)
        blank = parse(
            {"origin": "", **{part: {"anchored": {}, "free": {}} for part in ("sentence", "confidence")}}, evidence.FEATURES, confidence.FEATURES
        )
        sentence = {kind: fit_sentence(rows) for kind, rows in sentence_rows(engine.extractive(blank), found).items()}
        judgments = judged(engine.extractive(replace(blank, sentence=sentence)), found)
        by_kind, held_out = at_operating_point(fit_confidence(judgments), judgments)
    print("\n".join(summary(judgments, held_out)))
    origin = f"python -m eval.fit, {len(questions)} questions of eval/datasets/iclr_dev.jsonl over {len(made.abstracts)} ICLR 2025 abstracts"
    SHIPPED.write_text(to_json(sentence, by_kind, origin), encoding="utf-8")


DATASETS = Path(__file__).resolve().parent / "datasets"
SHIPPED = Path(__file__).resolve().parents[1] / "rag_qa" / "answering" / "weights.json"

if __name__ == "__main__":
    main()
