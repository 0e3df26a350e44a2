"""Fit the weights of the extractive answerer on development questions: which sentence answers, and whether the library answers at all.

`python -m eval.fit` writes rag_qa/answering/weights.json. The questions are those of `iclr_dev.jsonl`, over other papers than the seeds, and for the
sentence those of `iclr_sentences.jsonl` too, over papers that the former do not ask about; the shipped
question sets over the seeds are never fitted on. Two models, both small and linear, and one number:

- the sentence: list-wise logistic regression over the sentences of the right paper (softmax; the sentences that hold an asked fact are the target),
  with weights for every question and smaller ones that are added for those that name something and those that do not, and for each kind;
- how sharply the scores of the papers tell the right one from the others, for questions in free words: it is printed, and stands in
  `rag_qa.answering.composing`;
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
SENTENCES = QUESTIONS.with_name("iclr_sentences.jsonl")
SHIPPED = Path(__file__).resolve().parents[1] / "rag_qa" / "answering" / "weights.json"

FITTED, COULD_NOT_FIT = 0, 2
FOLDS = 5
REFUSED_AT_MOST = 0.08
"""Share of the answerable development questions that may be refused: sets where a confidence of 0.5 lies."""

# How much a question counts, against an answerable one: those whose papers were taken away are many and all alike.
_LEFT_OUT = 0.25
_UNANSWERABLE = 2.0

# What is added for a group of questions is shrunk the more, the smaller its factor (Daumé 2007, with a penalty for the copies); a question of
# `iclr_sentences.jsonl` counts as much as this: its style is that of one hand.
_FOR_GROUP = 0.5
_OTHER_HAND = 0.3

_RATE, _MOMENTUM, _SPREAD = 0.03, 0.9, 0.99  # of Adam (Kingma and Ba 2015)
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


@dataclass(frozen=True, slots=True)
class Row:
    """The sentences of the right paper as one question sees them: features, shape (sentences, features); `target`: which answer, summing to 1.
    `groups`: what the question belongs to ("every", "anchored" or "free", its kind); `counts`: how much it counts.
    """

    features: Array
    target: Array
    groups: tuple[str, ...]
    counts: float = 1.0


def sentence_rows(answerer: ExtractiveAnswerer, found: Sequence[Example], *, counts: float = 1.0) -> list[Row]:
    """A row for every answerable question about one paper."""
    rows = []
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
            groups = ("every", _kind(reading.assessment.anchored), str(reading.question.kind))
            rows.append(Row(features, target / target.sum(), groups, counts))
    return rows


def _kind(anchored: bool) -> str:
    return "anchored" if anchored else "free"


def _held(candidate: Candidate, question: Question) -> float:
    """Share of the asked facts that a sentence holds."""
    return float(np.mean(facts.groups_met(candidate.quote, question.facts)))


def fit_sentence(rows: Sequence[Row], *, l2: float = 20.0, steps: int = 300) -> dict[str, Array]:
    """Weights by group, shape (features,) each, by list-wise cross-entropy (ListNet top-one: Cao et al. 2007), by Adam on standardised features."""
    _, spread = _moments(np.vstack([row.features for row in rows]))
    names = list(dict.fromkeys(name for row in rows for name in row.groups))
    factors = {name: 1.0 if name == "every" else _FOR_GROUP for name in names}
    features, target, counts = _padded([(row.features - row.features.mean(axis=0)) / spread for row in rows], rows)
    member = np.array([[factors[name] if name in row.groups else 0.0 for name in names] for row in rows])
    weights = np.zeros((len(names), features.shape[2]))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        scores = np.einsum("qsf,qf->qs", features, member @ weights)
        shares = _softmax(np.where(target < 0, -np.inf, scores))
        missed = np.einsum("qs,qsf->qf", (shares - np.maximum(target, 0.0)) * counts[:, None], features)
        gradient = (l2 * weights + member.T @ missed) / counts.sum()
        first = _MOMENTUM * first + (1 - _MOMENTUM) * gradient
        second = _SPREAD * second + (1 - _SPREAD) * gradient**2
        weights -= _RATE * (first / (1 - _MOMENTUM**step)) / (np.sqrt(second / (1 - _SPREAD**step)) + 1e-8)
    return {name: factors[name] * weights[i] / spread for i, name in enumerate(names)}


def _padded(scaled: Sequence[Array], rows: Sequence[Row]) -> tuple[Array, Array, Array]:
    """(features, targets, counts) of all rows in one array each, as long as the longest; a target of -1 marks places where there is no sentence."""
    longest = max(len(row.target) for row in rows)
    features = np.zeros((len(rows), longest, scaled[0].shape[1]))
    target = np.full((len(rows), longest), -1.0)
    for i, row in enumerate(rows):
        features[i, : len(row.target)] = scaled[i]
        target[i, : len(row.target)] = row.target
    return features, target, np.array([row.counts for row in rows])


def _moments(features: Array) -> tuple[Array, Array]:
    """Mean and spread of each column."""
    return features.mean(axis=0), features.std(axis=0) + _TINY


def _softmax(scores: Array) -> Array:
    """Along the last axis."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = odds / odds.sum(axis=-1, keepdims=True)
    return shares


# -------------------------------------------------------------------------------------------------------------- the paper


def paper_rows(answerer: ExtractiveAnswerer, found: Sequence[Example]) -> list[tuple[Array, int]]:
    """(scores of what was found, place of the right paper) for every answerable question in free words about one paper that was found."""
    rows = []
    for example in found:
        places = [i for i, hit in enumerate(example.hits) if hit.paper.id in example.question.papers]
        if not example.question.answerable or len(example.question.papers) != 1 or not places:
            continue
        reading = answerer.read(example.question.text, example.hits)
        if reading is not None and not reading.assessment.anchored:
            rows.append((np.array([hit.score for hit in example.hits]), places[0]))
    return rows


def fit_sharpness(rows: Sequence[tuple[Array, int]]) -> float:
    """The factor by which softmax makes probabilities of scores, of greatest likelihood on a grid from 1 to 100. Higher: the scores tell more."""
    grid = np.arange(1.0, 101.0)
    likelihood = [sum(float(np.log(_softmax(factor * scores)[place])) for scores, place in rows) for factor in grid]
    return float(grid[int(np.argmax(likelihood))])


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
    return parse({"origin": "", "sentence": {"every": {}}, "confidence": empty}, evidence.FEATURES, confidence.FEATURES)


def fit(questions: Path, sentences: Path, papers: Path) -> tuple[str, list[str]]:
    """(weights as they are shipped, what cross-validation says of them), from sets of questions over ids of a data set of papers; of `sentences` only
    the weights of the sentence are made.

    Raises DataAbsent without that data set, RagQAError.
    """
    with tempfile.TemporaryDirectory(prefix="rag-qa-fit-", ignore_cleanup_errors=True) as folder:
        made = corpus.from_ids(questions.with_name(f"{questions.stem}_papers.txt"), Path(folder), papers=papers)
        engine = Engine(load(data_dir=folder, answerer="extractive", embedder="minilm"))
        engine.index([made.path])
        found, more = (
            examples(engine, loader.resolve(loader.load(path), engine.papers(), path=path, abstracts=made.abstracts))
            for path in (questions, sentences)
        )
        nothing = engine.extractive(blank())
        sentence = fit_sentence([*sentence_rows(nothing, found), *sentence_rows(nothing, more, counts=_OTHER_HAND)])
        # the confidence sees the scores of the sentences: these have to be fitted first
        answerer = engine.extractive(replace(blank(), sentence=sentence))
        judgments, sharpness = judged(answerer, found), fit_sharpness(paper_rows(answerer, found))
    by_kind, held_out = at_operating_point(fit_confidence(judgments), judgments)
    sets = f"{len(found)} questions of eval/datasets/{questions.name} and {len(more)} of {sentences.name}"
    origin = f"python -m eval.fit, {sets} over {len(made.abstracts)} ICLR 2025 abstracts"
    return to_json(sentence, by_kind, origin), [*summary(judgments, held_out), f"{'sharpness of the scores':24} {sharpness:.0f}"]


def main(*, papers: Path = corpus.ICLR, to: Path = SHIPPED) -> int:
    """Fit, write the weights, print what cross-validation says of them, and say how it ended (see the exit codes above)."""
    try:
        weights, said = fit(QUESTIONS, SENTENCES, papers)
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
