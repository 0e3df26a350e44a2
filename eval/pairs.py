"""Sentences held against abstracts, with the labels of people: what automatic checks are measured by."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval import corpus
from rag_qa.errors import SourceError
from rag_qa.papers import Paper

PAIRS = corpus.ROOT.parent / "shared" / "data" / "grounding" / "pairs.jsonl"
"""Where sentences and abstracts that people have labelled are looked for; they are not part of the project."""

SUPPORTED, CONTRADICTED, NOT_ENOUGH = "supported", "contradicted", "not enough"
_LABELS = {
    "support": SUPPORTED, "supports": SUPPORTED, "own_conclusion": SUPPORTED,
    "contradict": CONTRADICTED, "refutes": CONTRADICTED,
    "not_enough_info": NOT_ENOUGH, "neutral": NOT_ENOUGH, "other_papers_conclusion": NOT_ENOUGH,
}  # fmt: skip

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and an abstract, and what people say of them: SUPPORTED, CONTRADICTED or NOT_ENOUGH."""

    name: str
    split: str
    paper: Paper
    sentence: str
    label: str


def load(path: Path, name: str, split: str) -> list[Pair]:
    """The pairs of one split of one set, in order. Raises DataAbsent without the file, SourceError for a line that is no pair."""
    if not path.is_file():
        raise corpus.DataAbsent(f"{path} is not there, so the check cannot be held against the labels of people")
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        record = record_of(path, number, line) if line.strip() else {}
        if (record.get("set"), record.get("split")) == (name, split):
            found.append(_pair(path, number, record))
    return found


def record_of(path: Path, number: int, line: str) -> Mapping[str, Any]:
    """The object of a line. Raises SourceError."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(path, number, found=f"{line.strip()[:60]!r} ({error})", expected="one JSON object a line") from error
    if not isinstance(record, dict):
        raise SourceError(path, number, found=type(record).__name__, expected="a JSON object")
    return record


def _pair(path: Path, number: int, record: Mapping[str, Any]) -> Pair:
    missing = [key for key in ("id", "source", "sentence", "label") if not isinstance(record.get(key), str)]
    label = _LABELS.get(str(record.get("label")).casefold())
    if missing or label is None:
        found = f"no {missing[0]}" if missing else f"the label {record['label']!r}"
        raise SourceError(path, number, found=found, expected=f"a source, a sentence, and a label of {', '.join(sorted(_LABELS))}")
    paper = Paper(record["id"], record["source"], title=record.get("title") or None)
    return Pair(record["set"], record["split"], paper, record["sentence"], label)


def auroc(higher: Sequence[float] | Array, lower: Sequence[float] | Array) -> float:
    """Probability that one of `higher` scores above one of `lower`, ties counting half. Raises ValueError if either is empty.

    >>> auroc([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    if not len(higher) or not len(lower):
        raise ValueError("nothing to compare")
    difference = np.asarray(higher, float)[:, None] - np.asarray(lower, float)[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


@dataclass(frozen=True, slots=True)
class Separation:
    """AUROC of supported sentences against all others, against those without evidence, and against contradicted ones."""

    pairs: int
    all: float
    not_enough: float
    contradicted: float


def separation(pairs: Sequence[Pair], scores: Sequence[float] | Array) -> Separation:
    """How well scores (higher: better borne out) tell the pairs apart."""
    by_label: dict[str, list[float]] = defaultdict(list)
    for pair, score in zip(pairs, scores, strict=True):
        by_label[pair.label].append(float(score))
    good, bad, none = (by_label[label] for label in (SUPPORTED, CONTRADICTED, NOT_ENOUGH))
    return Separation(len(pairs), auroc(good, bad + none), auroc(good, none), auroc(good, bad))
