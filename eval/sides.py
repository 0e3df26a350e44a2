"""One side of a comparison: what a system reached on each question, from a run's directory or from a baseline, which keeps the scores alone.

A baseline is a file of JSON lines without a word of the questions or answers. Its first line says what was measured, with the hash of the questions
and the versions of the metrics; then comes a line for each question: `scores` in the order of the metrics, null where a metric does not apply and
"error" where it failed. So a renewed baseline shows in a diff which questions changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eval import items as item_module
from eval import run_directory, scoring
from eval.datasets.loader import Question
from eval.figures import Failed, Metric, NotApplicable, Score
from eval.items import Item
from eval.metrics.stats import Array
from eval.run_directory import Run
from rag_qa.errors import SourceError

FORM = 1
"""Version of the form of a baseline."""

HEADLINE = (
    "right.all",
    "success_at_1.answerable",
    "recall_at_5.answerable",
    "right_paper_cited.answerable",
    "citation_precision.answerable",
    "valid_citations.all",
    "quotes_verbatim.all",
    "cited_sentences_quoted.all",
    "citation_recall.all",
    "citation_support_precision.all",
    "misattributed.all",
    "groundedness.all",
    "contradicted.all",
    "fact_in_answer.answerable",
    "fact_in_first_sentence.single",
    "refused.unanswerable",
    "over_refused.answerable",
    "words_median.all",
)
"""The figures that stand at the top of every report and are judged: each by the gate, and together by Holm's correction. Whoever adds a metric that
matters adds it here.
"""

OF_THE_SET = ("aurc.all", "calibration_error.all", "latency_p50_ms.all", "latency_p95_ms.all")
"""What stands beside them at the top and is not judged: no single question has it, or a clock measures it."""

_DATA = ("data_sha256", "papers_sha256")
_ABOUT = ("data", *_DATA, "chosen_kinds", "papers", "settings", "models")


@dataclass(frozen=True, slots=True)
class Scored:
    """What a system reached on one question. `cluster`: questions about one paper have the same number. `scores`: by the metric's name."""

    id: str
    cluster: int
    scopes: tuple[str, ...]
    status: str
    scores: Mapping[str, Score]

    @property
    def failed(self) -> bool:
        """Did the system, or a metric, raise?"""
        return self.status == "error" or any(isinstance(score, Failed) for score in self.scores.values())

    def failed_in(self, metric: str) -> bool:
        """Did one metric fail?"""
        return isinstance(self.scores.get(metric), Failed)


@dataclass(frozen=True, slots=True)
class Side:
    """A run or a baseline. `about`: what was measured on what; `versions`: of each metric that was scored; `judged`: keys of the headline figures."""

    name: str
    about: Mapping[str, Any]
    versions: Mapping[str, str]
    items: tuple[Scored, ...]
    judged: tuple[str, ...] = HEADLINE

    @property
    def ids(self) -> frozenset[str]:
        """Of its questions."""
        return frozenset(item.id for item in self.items)

    @property
    def data(self) -> dict[str, str]:
        """Hashes of the questions, and of the papers where they are known."""
        return {name: self.about[name] for name in _DATA if self.about.get(name)}

    @property
    def errors(self) -> list[str]:
        """Ids of the questions on which something raised."""
        return [item.id for item in self.items if item.failed]

    def values(self, metric: Metric, items: Sequence[Scored]) -> Array:
        """What a metric says of some items: an error is its worst value, NaN is what it does not apply to."""
        return np.array([_number(item.scores.get(metric.name), metric) for item in items], dtype=np.float64)


def _number(score: Score | None, metric: Metric) -> float:
    if score is None or isinstance(score, NotApplicable):
        return np.nan
    if isinstance(score, Failed):
        return np.inf if metric.worst is None else metric.worst
    return score


def load(path: Path) -> Side:
    """A run's directory or a baseline's file. Raises RunDirectoryError, SourceError."""
    return of_run(run_directory.load(path)) if path.is_dir() else read(path)


# --------------------------------------------------------------------------------------------------------------------- run


def of_run(run: Run) -> Side:
    """A stored run, scored again from its items."""
    about = {**run.manifest["about"], "models": sorted({item.model for item in run.items if item.model})}
    about |= {name: run.manifest[name] for name in ("papers_sha256",) if name in run.manifest}
    return side(run.items, about, name=str(run.directory), library=run.library)


def side(items: Sequence[Item], about: Mapping[str, Any], *, name: str, library: Mapping[str, str] | None = None) -> Side:
    """The scores of the items of a run, with every metric of the plan (see `scoring.plan` for `library`)."""
    plan = {metric.name: metric for metric, _ in scoring.plan(library)}
    numbers = clusters([item.question for item in items])
    scored = tuple(
        Scored(item.question.id, cluster, _scopes(item.question), item.status, {metric.name: _score(metric, item) for metric in plan.values()})
        for item, cluster in zip(items, numbers, strict=True)
    )
    return Side(name, {key: about[key] for key in _ABOUT if key in about}, {metric.name: metric.version for metric in plan.values()}, scored)


def _score(metric: Metric, item: Item) -> Score:
    return Failed(item.error) if item.status == "error" else metric.score(item)


def _scopes(question: Question) -> tuple[str, ...]:
    return tuple(name for name, belongs in scoring.SCOPES.items() if belongs(question))


def clusters(questions: Sequence[Question]) -> list[int]:
    """A number for the first right paper of each question; a question without one is a cluster of its own."""
    names = [f"paper {question.papers[0]}" if question.papers else f"question {question.id}" for question in questions]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


# ---------------------------------------------------------------------------------------------------------------- baseline


def write(one: Side, path: Path) -> None:
    """Write a baseline: the same bytes for the same scores."""
    names = list(one.versions)
    head = {"baseline": FORM, "about": dict(one.about), "judged": one.judged, "metrics": dict(one.versions)}
    records = [
        {
            "id": item.id,
            "cluster": item.cluster,
            "scopes": item.scopes,
            "status": item.status,
            "scores": [_plain(item.scores[name]) for name in names],
        }
        for item in one.items
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    item_module.write_lines(path, [head, *records])


def _plain(score: Score) -> float | int | str | None:
    if isinstance(score, NotApplicable):
        return None
    if isinstance(score, Failed):
        return "error"
    rounded = round(score, 12)
    return int(rounded) if rounded == int(rounded) else rounded


def read(path: Path) -> Side:
    """Read a baseline. Raises SourceError for what is none, or one of another form."""
    try:
        head, *records = item_module.read_lines(path)
        if head["baseline"] != FORM:
            raise SourceError(path, 1, found=f"a baseline of form {head['baseline']}", expected=f"form {FORM}", hint="Renew it")
        names = list(head["metrics"])
        items = tuple(_scored(record, names) for record in records)
        return Side(shown(path), head["about"], head["metrics"], items, tuple(head["judged"]))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SourceError(
            path, None, found=repr(error), expected="a run's directory, or a baseline that `python -m eval gate --renew` wrote"
        ) from error


def shown(path: Path) -> str:
    """A path as one would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _scored(record: Mapping[str, Any], names: Sequence[str]) -> Scored:
    scores = {name: _from_plain(value) for name, value in zip(names, record["scores"], strict=True)}
    return Scored(record["id"], record["cluster"], tuple(record["scopes"]), record["status"], scores)


def _from_plain(value: float | str | None) -> Score:
    if value is None:
        return NotApplicable("as the baseline says")
    return Failed("as the baseline says") if isinstance(value, str) else float(value)
