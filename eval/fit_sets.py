"""Fit when a paper is a member of an asked set: `python -m eval.fit_sets` prints what rag_qa/retrieval/sets.py holds.

L2-regularised logistic regression over the papers of each question of `sets_dev.jsonl` ("Which papers deal with ...?"), whose abstracts were all
read for it; every question weighs nearly as much as another. Cross-validated by topic, beside what the first k papers of the ranking, or those from
a score on, would give. Papers that may be counted either way count neither for nor against. The held-out questions are looked at with --held-out
alone.

Exit codes: 0 the weights are printed (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval import corpus, development, embedders, kept_index
from eval.learning import Array, logistic
from eval.metrics.stats import bootstrap
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.index.store import Store
from rag_qa.retrieval import fusion, sets
from rag_qa.retrieval.retriever import Retriever
from rag_qa.retrieval.set_questions import asked_for_set

FITTED, COULD_NOT_FIT = 0, 2
FOLDS = 5
QUESTIONS = Path(__file__).parent / "datasets" / "sets_dev.jsonl"
FIELD = QUESTIONS.with_name("sets_dev_field_papers.txt")
ICLR = QUESTIONS.with_name("iclr_dev_papers.txt")

_DEPTH = 400  # as a set question
_CACHE = corpus.ROOT / ".rag_qa" / "eval"
_L2 = 3.0
_EVENLY = 0.7  # exponent by which the papers of a question with many members weigh less
_STEPS = 50
_TINY = 1e-6
_TOP = (5, 10, 20)
_CUTS = (0.1, sets.CUT, 0.25, 0.4, 0.5)

Document = Mapping[str, str]
Choice = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Asked:
    """A set question over a corpus: of each judged candidate its measures, its score in the ranking, and is it a member (1, 0; 0.5 either way).
    `members`: how many there are, found or not; `topic`: the same for questions on one topic.
    """

    corpus: str
    topic: str
    measures: Array
    scores: Array
    truth: Array
    members: int
    is_held_out: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """Recall, precision and F1 of a question that has members; `wrong`: how many papers were taken that are none."""

    recall: float
    precision: float
    f1: float
    wrong: int


def outcome(asked: Asked, chosen: Choice) -> Outcome:
    """How well a choice among the candidates (booleans) meets a question.

    >>> one = Asked("c", "t", np.zeros((4, 1)), np.zeros(4), np.array([1.0, 0.5, 0.0, 1.0]), 2, False)
    >>> outcome(one, np.array([True, True, True, False]))
    Outcome(recall=0.5, precision=0.5, f1=0.5, wrong=1)
    """
    right, wrong = int((chosen & (asked.truth == 1)).sum()), int((chosen & (asked.truth == 0)).sum())
    recall = right / asked.members if asked.members else 1.0
    precision = right / (right + wrong) if right + wrong else float(not asked.members)
    return Outcome(recall, precision, 2 * precision * recall / (precision + recall) if right else 0.0, wrong)


# ---------------------------------------------------------------------------------------------------------------- the model


def fit(asked: Sequence[Asked]) -> Array:
    """Weights of the measures, and the bias last."""
    known = [one.truth != 0.5 for one in asked]
    x = np.vstack([one.measures[keep] for one, keep in zip(asked, known, strict=True)])
    y = np.concatenate([one.truth[keep] for one, keep in zip(asked, known, strict=True)])
    counts = np.concatenate([np.full(keep.sum(), max(1, one.members) ** -_EVENLY) for one, keep in zip(asked, known, strict=True)])
    return logistic(x, y, counts, l2=_L2)


def chances(asked: Asked, weights: Array) -> Array:
    """The probability of each candidate."""
    found: Array = 1.0 / (1.0 + np.exp(-(asked.measures @ weights[:-1] + weights[-1])))
    return found


def cross_validated(asked: Sequence[Asked]) -> list[Array]:
    """Probabilities of each question by weights that were fitted without its topic."""
    found: dict[int, Array] = {}
    for fold in range(FOLDS):
        weights = fit([one for one in asked if _fold(one) != fold])
        found |= {i: chances(one, weights) for i, one in enumerate(asked) if _fold(one) == fold}
    return [found[i] for i in range(len(asked))]


def _fold(asked: Asked) -> int:
    return int.from_bytes(sha256(asked.topic.encode()).digest()[:8], "big") % FOLDS


# --------------------------------------------------------------------------------------------------------------- the report


def report(asked: Sequence[Asked], *, held_out: bool) -> list[str]:
    """What is printed: the weights, and figures of each corpus by them and by plainer ways."""
    dev = [one for one in asked if not one.is_held_out]
    weights = fit(dev)
    lines = [f"{name:16} {weight:.2f}" for name, weight in zip((*sets.WEIGHTS, "bias"), weights, strict=True)]
    judged, by_model = dev, cross_validated(dev)
    if held_out:
        judged = [one for one in asked if one.is_held_out]
        by_model = [chances(one, weights) for one in judged]
    level = _best_level(dev)
    for name in dict.fromkeys(one.corpus for one in judged):
        pairs = [(one, chance) for one, chance in zip(judged, by_model, strict=True) if one.corpus == name]
        lines += ["", f"{name}: {len(pairs)} questions, {'held out' if held_out else 'cross-validated by topic'}"]
        lines += [_line(f"probability {cut:.2f}", [(one, chance >= cut) for one, chance in pairs]) for cut in _CUTS]
        lines += [_line(f"the first {k}", [(one, _first(one, k)) for one, _ in pairs]) for k in _TOP]
        lines.append(_line(f"score {level:.2f}", [(one, one.scores >= level) for one, _ in pairs]))
    return lines


def _line(name: str, chosen: Sequence[tuple[Asked, Choice]]) -> str:
    met = [outcome(one, choice) for one, choice in chosen if one.members]
    empty = [outcome(one, choice).wrong for one, choice in chosen if not one.members]
    said = "  ".join(f"{what} {_said([getattr(one, what) for one in met])}" for what in ("recall", "precision", "f1"))
    return f"{name:18} {said}  of no paper: {sum(not wrong for wrong in empty)} of {len(empty)} left empty"


def _said(values: Sequence[float]) -> str:
    means = bootstrap(np.array(values))
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{np.mean(values):.3f} ({low:.3f} to {high:.3f})"


def _first(asked: Asked, k: int) -> Choice:
    chosen = np.zeros(len(asked.scores), bool)
    chosen[np.argsort(-asked.scores, kind="stable")[:k]] = True
    return chosen


def _best_level(asked: Sequence[Asked]) -> float:
    """The score of the ranking from which on all papers give the best F1."""
    with_members = [one for one in asked if one.members]
    levels = np.arange(0.2, 0.8, 0.02)
    return float(max(levels, key=lambda level: np.mean([outcome(one, one.scores >= level).f1 for one in with_members])))


# --------------------------------------------------------------------------------------------------------------- the data


def collect(name: str, documents: Sequence[Document], others: Sequence[Document], *, questions: str, embedder: str, cache: Path) -> list[Asked]:
    """Index a corpus, with other abstracts that nobody judged, and measure its questions. Raises RagQAError."""
    chosen = settings.load()
    models = embedders.chosen(embedder, chosen, cache / "vectors.db")
    path = cache / "sets" / name / "corpus.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in (*documents, *others)), encoding="utf-8")
    folder = kept_index.folder(cache, name, path, models.for_index.name)
    engine = Engine(chosen.model_copy(update={"data_dir": folder, "chroma_url": None}), embedder=models.for_index)
    engine.index([path])
    paper_of = {development.plain(paper.abstract): paper.id for paper in engine.papers()}
    judged = {document["_id"]: paper_of.get(development.plain(document["text"]), document["_id"]) for document in documents}
    retriever = Retriever(Store((folder / "index").absolute(), models.for_index), models.for_index)
    finder = sets.Sets(Store((folder / "index").absolute(), models.for_index), retriever)
    return [_measured(finder, retriever, name, question, judged) for question in _lines(QUESTIONS) if question["corpus"] == questions]


def _measured(finder: sets.Sets, retriever: Retriever, name: str, question: Mapping[str, Any], judged: Mapping[str, str]) -> Asked:
    wanted = asked_for_set(question["question"])
    if wanted is None:
        raise ValueError(f"{question['id']} is not understood as a question for a set: {question['question']}")
    wording = finder.wording(wanted.topic)
    found = retriever.find(wording.text, _DEPTH)
    candidates = finder.judged(wanted, wording, found)
    fused = dict(fusion.fuse(found.scores))
    of = {paper.id: i for i, paper in enumerate(candidates.papers)}
    known = [paper for paper in judged.values() if paper in of]
    members, either = {judged[one] for one in question["papers"]}, {judged[one] for one in question["either"]}
    return Asked(
        name,
        question["id"].partition("-")[2],
        candidates.measures[[of[paper] for paper in known]],
        np.array([fused[paper] for paper in known]),
        np.array([1.0 if paper in members else 0.5 if paper in either else 0.0 for paper in known]),
        len(members),
        question["part"] != "dev",
    )


def _corpora(data: Path, others: int) -> dict[str, tuple[str, list[Document], list[Document]]]:
    """Name -> which questions are about it, its documents, and so many others of the field."""
    iclr = {str(record["id"]): record for record in _lines(data / "iclr2025" / "papers.jsonl")}
    field = {str(record["_id"]): record for record in _lines(data / "ml_papers" / "corpus.jsonl")}
    own: list[Document] = [_document(one, "", iclr[one]["abstract"]) for one in ICLR.read_text(encoding="utf-8").split()]
    titled: list[Document] = [_document(one, field[one]["title"], field[one]["text"]) for one in FIELD.read_text(encoding="utf-8").split()]
    known = {development.plain(document["text"]) for document in (*own, *titled)} | {development.plain(one["abstract"]) for one in iclr.values()}
    rest = sorted(field, key=lambda one: sha256(one.encode()).digest())
    unknown = [_document(one, field[one]["title"], field[one]["text"]) for one in rest if development.plain(field[one]["text"]) not in known]
    return {
        "iclr": ("iclr", own, unknown[:others]),
        "field": ("field", titled, unknown[:others]),
        "field-untitled": ("field", [{**document, "title": ""} for document in titled], unknown[:others]),
    }


def _document(identifier: str, title: str, abstract: str) -> Document:
    return {"_id": identifier, "title": title, "text": " ".join(abstract.split())}


def _lines(path: Path) -> list[Any]:
    if not path.exists():
        raise corpus.DataAbsent(f"{path} is not there, so there is nothing to fit on")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def main(argv: Sequence[str] | None = None, *, data: Path = development.DATA) -> int:
    """Fit, print, and say how it ended (see the exit codes above). `data`: where the data sets lie."""
    parser = argparse.ArgumentParser(prog="python -m eval.fit_sets", description="Fit when a paper is a member of an asked set.")
    parser.add_argument("--embedder", choices=embedders.CHOICES, default="minilm", help="who embeds (default: minilm, offline)")
    parser.add_argument("--cache", type=Path, default=_CACHE, metavar="DIR", help="keep vectors and indexes here (default: .rag_qa/eval)")
    parser.add_argument("--others", type=int, default=0, metavar="N", help="among so many other abstracts, which nobody judged (default: 0)")
    parser.add_argument("--held-out", action="store_true", help="figures of the held-out questions, by the weights of the others")
    arguments = parser.parse_args(argv)
    try:
        asked = list(_every(_corpora(data, arguments.others), arguments))
    except corpus.DataAbsent as absent:
        sys.stdout.write(f"SKIPPED: {absent}\n")
        return FITTED
    except (RagQAError, OSError, ValueError) as error:
        sys.stderr.write(f"error: {error}\n")
        return COULD_NOT_FIT
    sys.stdout.write("\n".join(report(asked, held_out=arguments.held_out)) + "\n")
    return FITTED


def _every(corpora: Mapping[str, tuple[str, list[Document], list[Document]]], arguments: argparse.Namespace) -> Iterable[Asked]:
    for name, (questions, documents, others) in corpora.items():
        among = f"{name}-{arguments.others}" if arguments.others else name
        yield from collect(among, documents, others, questions=questions, embedder=arguments.embedder, cache=arguments.cache)


if __name__ == "__main__":
    sys.exit(main())
