"""Fit the weights by which the scores of a paper are put together: `python -m eval.fit_ranking` prints what rag_qa/retrieval/fusion.py holds.

List-wise logistic regression (softmax over the candidates of a question; the relevant ones are the target) over the development sets of
`eval/development.py`, each with as many questions; cross-validated by question, and fitted again without each set in turn. The weight of a paper's
name is not fitted: only few questions hold one.

Exit codes: 0 the weights are printed (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from eval import corpus, development, embedders, kept_index, retrieval
from eval.beir import Beir
from eval.learning import Array, Row, listwise
from eval.metrics.retrieval import ndcg_at
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.index.store import Store
from rag_qa.retrieval.retriever import Retriever

SCORES = ("passage", "sentence", "keyword")
FITTED, COULD_NOT_FIT = 0, 2
FOLDS = 5
EACH = 300
"""Questions of a set that weights are fitted on: as many of each."""

_DEPTH = 50  # as a search
_CACHE = corpus.ROOT / ".rag_qa" / "eval"
_L2 = 0.1
_STEPS = 500


@dataclass(frozen=True, slots=True)
class Listed:
    """The candidates of a question: `features` of shape (candidates, len(SCORES)). `gains`: relevant papers with their grades."""

    question: str
    papers: Sequence[str]
    features: Array
    gains: Mapping[str, float]

    @property
    def target(self) -> Array:
        """What share of the question each candidate answers; all 0 where none does."""
        found = np.array([self.gains.get(paper, 0.0) for paper in self.papers])
        shares: Array = found / max(found.sum(), 1.0)
        return shares

    def ndcg(self, weights: Array) -> float:
        """nDCG@10 of the candidates in the order that weights of shape (len(SCORES),) give."""
        order = np.argsort(-(self.features @ weights), kind="stable")
        return ndcg_at([self.papers[i] for i in order], self.gains, 10)


def listed(retriever: Retriever, questions: Sequence[tuple[str, Mapping[str, float]]]) -> list[Listed]:
    """Candidates of each question (text, gains) with their scores."""
    found = []
    for question, gains in questions:
        scores = retriever.find(question, _DEPTH).scores
        papers = list(scores["sentence"])
        features = np.array([[scores[name].get(paper, 0.0) for name in SCORES] for paper in papers]).reshape(len(papers), len(SCORES))
        found.append(Listed(question, papers, features, gains))
    return found


def fit(lists: Sequence[Listed]) -> Array:
    """Weights of shape (len(SCORES),) that add up to 1."""
    rows = [Row(one.features, one.target, ("every",)) for one in lists if one.target.any()]
    weights = listwise(rows, l2=_L2, steps=_STEPS)["every"]
    shares: Array = weights / weights.sum()
    return shares


def cross_validated(sets: Mapping[str, Sequence[Listed]]) -> dict[str, float]:
    """Mean nDCG@10 of each set, each question by weights that were fitted without it."""
    held_out: dict[str, list[float]] = {name: [] for name in sets}
    for fold in range(FOLDS):
        weights = fit([one for lists in sets.values() for one in _chosen(lists) if _fold(one) != fold])
        for name, lists in sets.items():
            held_out[name] += [one.ndcg(weights) for one in lists if _fold(one) == fold]
    return {name: float(np.mean(values)) for name, values in held_out.items()}


def _chosen(lists: Sequence[Listed]) -> list[Listed]:
    return sorted(lists, key=_hash)[:EACH]


def _hash(one: Listed) -> int:
    return int.from_bytes(sha256(one.question.encode()).digest()[:8], "big")


def _fold(one: Listed) -> int:
    return _hash(one) % FOLDS


def report(sets: Mapping[str, Sequence[Listed]]) -> list[str]:
    """What is printed: weights of all sets and of all but each, and cross-validated figures."""
    every = [one for lists in sets.values() for one in _chosen(lists)]
    lines = [f"{'all sets':28} {_said(fit(every))}"]
    for left_out in sets:
        others = [one for name, lists in sets.items() if name != left_out for one in _chosen(lists)]
        lines.append(f"{f'without {left_out}':28} {_said(fit(others))}")
    figures = cross_validated(sets)
    return [*lines, "", *(f"nDCG@10, cross-validated: {name:20} {figures[name]:.4f}   {len(lists)} questions" for name, lists in sets.items())]


def _said(weights: Array) -> str:
    return "  ".join(f"{name} {weight:.2f}" for name, weight in zip(SCORES, weights, strict=True))


def collect(collection: Beir, embedder: str, cache: Path) -> list[Listed]:
    """Index a set and list the candidates of its questions. Raises RagQAError."""
    chosen = settings.load()
    models = embedders.chosen(embedder, chosen, cache / "vectors.db")
    folder = kept_index.folder(cache, collection.name, collection.corpus, models.for_index.name)
    engine = Engine(chosen.model_copy(update={"data_dir": folder, "chroma_url": None}), embedder=models.for_index)
    engine.index([collection.corpus])
    coverage = retrieval.covered(collection, engine.papers(), {})
    asked = [(question.text, coverage.grades(question)) for question in collection.questions if question.text and question.grades]
    return listed(Retriever(Store((folder / "index").absolute(), models.for_index), models.for_index), asked)


def main(argv: Sequence[str] | None = None, *, data: Path = development.DATA) -> int:
    """Fit, print, and say how it ended (see the exit codes above). `data`: where the data sets lie."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.fit_ranking", description="Fit the weights by which the scores of a paper are put together."
    )
    parser.add_argument("--embedder", choices=embedders.CHOICES, default="minilm", help="who embeds (default: minilm, offline)")
    parser.add_argument("--cache", type=Path, default=_CACHE, metavar="DIR", help="keep vectors and indexes here (default: .rag_qa/eval)")
    arguments = parser.parse_args(argv)
    try:
        sets = development.sets(arguments.cache / "development", data)
        lists = {one.name: collect(one, arguments.embedder, arguments.cache) for one in sets}
    except corpus.DataAbsent as absent:
        sys.stdout.write(f"SKIPPED: {absent}\n")
        return FITTED
    except (RagQAError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return COULD_NOT_FIT
    sys.stdout.write("\n".join(report(lists)) + "\n")
    return FITTED


if __name__ == "__main__":
    sys.exit(main())
