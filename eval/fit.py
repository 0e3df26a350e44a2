"""Fit the weights of the extractive answerer on development questions: which sentence answers, and whether the library answers at all.

`python -m eval.fit` writes rag_qa/answering/weights.json. The questions are those of `iclr_dev.jsonl`, over other papers than the seeds; the shipped
question sets over the seeds are never fitted on. Two models, both small and linear:

- the sentence: list-wise logistic regression over the sentences of the right paper (softmax; the sentences that hold an asked fact are the target);
- the confidence: L2-regularised logistic regression of answerable against not, for questions that name something in the best paper and for those that
  do not. Unanswerable are the questions written to be so and, with a lower weight, the answerable ones with their papers taken out of what was found.

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
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
from rag_qa.answering.weights import Weights, parse
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.retrieval.hits import Hit
from rag_qa.settings import load

Array = NDArray[np.float64]

QUESTIONS = Path(__file__).resolve().parent / "datasets" / "iclr_dev.jsonl"
SHIPPED = Path(__file__).resolve().parents[1] / "rag_qa" / "answering" / "weights.json"

FITTED, COULD_NOT_FIT = 0, 2
FOLDS = 5
REFUSED_AT_MOST = 0.08
"""Share of the answerable development questions that may be refused: sets where a confidence of 0.5 lies."""

# How much a question counts, against an answerable one: those whose papers were taken away are many and all alike.
_LEFT_OUT = 0.25
_UNANSWERABLE = 2.0

_RATE, _MOMENTUM, _SPREAD = 0.05, 0.9, 0.99  # of Adam (Kingma and Ba 2015)
_NEWTON_STEPS = 50
_TINY = 1e-6  # keeps a feature that never changes from being divided by nothing


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what was found for it: `hits` are what the engine answers from, `every` all papers of the library, best first."""

    question: Question
    hits: Sequence[Hit]
    every: Sequence[Hit]


def examples(engine: Engine, questions: Sequence[Question]) -> list[Example]:
    """Questions that stand alone, with what was found for them."""
    papers = len(engine.papers())
    alone = [question for question in questions if not question.history]
    rankings = [engine.search(question.text, k=papers) for question in alone]
    return [Example(question, every[: engine.settings.top_k], every) for question, every in zip(alone, rankings, strict=True)]


# ------------------------------------------------------------------------------------------------------------ the sentence


def sentence_rows(answerer: ExtractiveAnswerer, found: Sequence[Example]) -> dict[str, list[tuple[Array, Array]]]:
    """(features, target) of the sentences of the right paper, for every answerable question about one paper, by kind of question.

    Shapes (sentences, features) and (sentences,); a target sums up to 1.
    """
    rows: dict[str, list[tuple[Array, Array]]] = {"anchored": [], "free": []}
    for example in found:
        right = [hit for hit in example.every if hit.paper.id in example.question.papers]
        if not example.question.answerable or len(example.question.papers) != 1 or not right:
            continue
        reading = answerer.read(example.question.text, right)
        if reading is None:
            continue
        candidates = reading.sentences_of(0)
        target = np.array([_held(candidate, example.question) for candidate in candidates])
        if target.sum() > 0:
            features = np.stack([candidate.features for candidate in candidates])
            rows[_kind(reading.assessment.anchored)].append((features, target / target.sum()))
    return rows


def _kind(anchored: bool) -> str:
    return "anchored" if anchored else "free"


def _held(candidate: Candidate, question: Question) -> float:
    """Share of the asked facts that a sentence holds."""
    return float(np.mean(facts.groups_met(candidate.quote, question.facts)))


def fit_sentence(rows: Sequence[tuple[Array, Array]], *, l2: float = 5.0, steps: int = 500) -> Array:
    """Weights, shape (features,), by list-wise cross-entropy (ListNet top-one: Cao et al. 2007), by Adam on standardised features."""
    mean, spread = _moments(np.vstack([features for features, _ in rows]))
    scaled = [((features - mean) / spread, target) for features, target in rows]
    weights = np.zeros(len(mean))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        gradient = l2 * weights / len(rows)
        for features, target in scaled:
            gradient += features.T @ (_softmax(features @ weights) - target) / len(rows)
        first = _MOMENTUM * first + (1 - _MOMENTUM) * gradient
        second = _SPREAD * second + (1 - _SPREAD) * gradient**2
        weights -= _RATE * (first / (1 - _MOMENTUM**step)) / (np.sqrt(second / (1 - _SPREAD**step)) + 1e-8)
    fitted: Array = weights / spread
    return fitted


def _moments(features: Array) -> tuple[Array, Array]:
    """Mean and spread of each column."""
    return features.mean(axis=0), features.std(axis=0) + _TINY


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
    return [Judged(question, left_out, question.answerable and not left_out, assessment.anchored, assessment.features)]


def fit_confidence(rows: Sequence[Judged], *, l2: float = 10.0) -> dict[str, Array]:
    """Weights for either kind of question, shape (features + 1,), the last one the bias."""
    return {_kind(anchored): _logistic([row for row in rows if row.anchored == anchored], l2) for anchored in (True, False)}


def _logistic(rows: Sequence[Judged], l2: float) -> Array:
    """L2-regularised logistic regression by Newton's method on standardised features."""
    x = np.stack([row.features for row in rows])
    y = np.array([float(row.answerable) for row in rows])
    sample = np.array([_counts(row) for row in rows])
    mean, spread = _moments(x)
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    penalty = np.r_[np.full(x.shape[1], l2), _TINY]  # the bias is free
    weights = np.zeros(z.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-z @ weights))
        gradient = z.T @ (sample * (p - y)) + penalty * weights
        hessian = (z * (sample * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
        weights -= np.linalg.solve(hessian, gradient)
    fitted: Array = np.r_[weights[:-1] / spread, weights[-1] - float((weights[:-1] * mean / spread).sum())]
    return fitted


def _counts(row: Judged) -> float:
    if row.answerable:
        return 1.0
    return _LEFT_OUT if row.left_out else _UNANSWERABLE


def confidences(rows: Sequence[Judged], weights: Mapping[str, Array]) -> Array:
    """Confidence of each row."""
    logits = [float(row.features @ weights[_kind(row.anchored)][:-1] + weights[_kind(row.anchored)][-1]) for row in rows]
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


def to_json(sentence: Mapping[str, Array], by_kind: Mapping[str, Array], origin: str) -> str:
    """The weights as they are shipped: `weights.parse` reads them. `sentence` and `by_kind` (those of the confidence) by kind of question."""
    named = {
        "origin": origin,
        "sentence": {kind: _named(evidence.FEATURES, weights) for kind, weights in sentence.items()},
        "confidence": {kind: _named((*confidence.FEATURES, "bias"), weights) for kind, weights in by_kind.items()},
    }
    return json.dumps(named, indent=2) + "\n"


def _named(features: Sequence[str], weights: Array) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(features, weights, strict=True)}


def blank() -> Weights:
    """Weights of nothing: every feature counts 0."""
    empty: dict[str, dict[str, float]] = {"anchored": {}, "free": {}}
    return parse({"origin": "", "sentence": empty, "confidence": empty}, evidence.FEATURES, confidence.FEATURES)


def fit(questions: Path, papers: Path) -> tuple[str, list[str]]:
    """(weights as they are shipped, what cross-validation says of them), from a set of questions over ids of a data set of papers.

    Raises DataAbsent without that data set, RagQAError.
    """
    with tempfile.TemporaryDirectory(prefix="rag-qa-fit-", ignore_cleanup_errors=True) as folder:
        made = corpus.from_ids(questions.with_name(f"{questions.stem}_papers.txt"), Path(folder), papers=papers)
        engine = Engine(load(data_dir=folder, answerer="extractive", embedder="minilm"))
        engine.index([made.path])
        asked = loader.resolve(loader.load(questions), engine.papers(), path=questions, abstracts=made.abstracts)
        found = examples(engine, asked)
        nothing = blank()
        sentence = {kind: fit_sentence(rows) for kind, rows in sentence_rows(engine.extractive(nothing), found).items()}
        # the confidence sees the scores of the sentences: these have to be fitted first
        judgments = judged(engine.extractive(replace(nothing, sentence=sentence)), found)
    by_kind, held_out = at_operating_point(fit_confidence(judgments), judgments)
    origin = f"python -m eval.fit, {len(asked)} questions of eval/datasets/{questions.name} over {len(made.abstracts)} ICLR 2025 abstracts"
    return to_json(sentence, by_kind, origin), summary(judgments, held_out)


def main(*, papers: Path = corpus.ICLR, to: Path = SHIPPED) -> int:
    """Fit, write the weights, print what cross-validation says of them, and say how it ended (see the exit codes above)."""
    try:
        weights, said = fit(QUESTIONS, papers)
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
