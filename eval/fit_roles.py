"""Fit the weights that tell the roles of sentences (see `rag_qa.answering.roles`), and say how well they do on abstracts that they have not seen.

`python -m eval.fit_roles` writes rag_qa/answering/role_weights.json. `datasets/roles.jsonl` holds, for abstracts of two fields that it refers to by
id, one letter a sentence. To say how well it does, every second abstract is fitted on and the others are held out; what is written is fitted on all.
The model is multinomial logistic regression with an L2 penalty, which is chosen by cross-validation within the first half.

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval import corpus
from rag_qa import text
from rag_qa.answering import roles
from rag_qa.answering.roles import LEARNED, Role

Array = NDArray[np.float64]

LABELS = Path(__file__).resolve().parent / "datasets" / "roles.jsonl"
SHIPPED = Path(__file__).resolve().parents[1] / "rag_qa" / "answering" / "role_weights.json"
FILES = {"ml_papers": "ml_papers/corpus.jsonl", "pubmedqa": "pubmedqa/beir/corpus.jsonl", "scifact": "scifact/beir/corpus.jsonl"}
LETTERS: Mapping[str, Role] = {
    "B": Role.BACKGROUND,
    "P": Role.PROBLEM,
    "A": Role.AIM,
    "M": Role.METHOD,
    "R": Role.RESULT,
    "C": Role.CONCLUSION,
    "L": Role.LIMIT,
    "X": Role.AVAILABILITY,
}
FITTED, COULD_NOT_FIT = 0, 2
PENALTIES = (0.3, 1.0, 3.0, 10.0)
FOLDS = 5
_STEPS, _RATE = 600, 0.5


@dataclass(frozen=True, slots=True)
class Labelled:
    """An abstract, and the role of each of its sentences."""

    set: str
    abstract: str
    roles: tuple[Role, ...]

    @property
    def folded(self) -> list[str]:
        """Its sentences, folded."""
        return [text.folded(self.abstract[start:end]) for start, end in text.sentences(self.abstract)]


def load(path: Path = LABELS, data: Path = corpus.ROOT.parent / "shared" / "data") -> list[Labelled]:
    """The labelled abstracts, in the order of the file. Raises DataAbsent, and ValueError where the labels do not fit the sentences."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = dict(_texts({(line["set"], line["id"]) for line in lines}, data))
    found = []
    for line in lines:
        abstract, given = texts[line["set"], line["id"]], tuple(LETTERS[letter] for letter in line["roles"])
        if len(text.sentences(abstract)) != len(given):
            raise ValueError(f"{line['set']} {line['id']}: {len(given)} labels for {len(text.sentences(abstract))} sentences")
        found.append(Labelled(line["set"], abstract, given))
    return found


def _texts(wanted: set[tuple[str, str]], data: Path) -> Iterator[tuple[tuple[str, str], str]]:
    for name, file in FILES.items():
        if not (data / file).exists():
            raise corpus.DataAbsent(f"{data / file} is not on this machine")
        with (data / file).open(encoding="utf-8") as lines:
            records = map(json.loads, lines)
            yield from (((name, one["_id"]), one["text"]) for one in records if (name, one["_id"]) in wanted)


def fit(found: Sequence[Labelled], penalty: float) -> Array:
    """Weights, shape (features, roles), by gradient descent with momentum; the same abstracts give the same weights."""
    rows, targets = _rows(found)
    weights = np.zeros((rows.shape[1], len(LEARNED)))
    velocity = np.zeros_like(weights)
    for _ in range(_STEPS):
        scores = rows @ weights
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        slope = rows.T @ (odds / odds.sum(axis=1, keepdims=True) - targets) + penalty * weights
        velocity = 0.9 * velocity - _RATE / len(rows) * slope
        weights = weights + velocity
    return weights


def _rows(found: Sequence[Labelled]) -> tuple[Array, Array]:
    pairs = [(row, LEARNED.index(role)) for one in found for row, role in zip(roles.features(one.folded), one.roles, strict=True) if role in LEARNED]
    targets = np.zeros((len(pairs), len(LEARNED)))
    targets[np.arange(len(pairs)), [role for _, role in pairs]] = 1.0
    return np.array([row for row, _ in pairs]), targets


def verdicts(found: Sequence[Labelled], weights: Array) -> list[tuple[Role, Role]]:
    """(role given, role told) of every sentence with a learned role."""
    pairs = []
    for one in found:
        told = [LEARNED[i] for i in roles.probabilities(one.folded, weights).argmax(axis=1)]
        pairs += [(role, guess) for role, guess in zip(one.roles, told, strict=True) if role in LEARNED]
    return pairs


def accuracy(pairs: Sequence[tuple[Role, Role]]) -> float:
    """Share of the sentences whose role is told right."""
    return sum(given == told for given, told in pairs) / len(pairs)


def halves(found: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """Every second abstract is fitted on, the others are held out."""
    return list(found[::2]), list(found[1::2])


def best_penalty(found: Sequence[Labelled]) -> float:
    """The penalty with the best accuracy in cross-validation."""
    reached = {}
    for penalty in PENALTIES:
        pairs = []
        for fold in range(FOLDS):
            weights = fit([one for i, one in enumerate(found) if i % FOLDS != fold], penalty)
            pairs += verdicts([one for i, one in enumerate(found) if i % FOLDS == fold], weights)
        reached[penalty] = accuracy(pairs)
    return max(PENALTIES, key=lambda penalty: reached[penalty])


def as_json(weights: Array) -> str:
    """The weights as `roles.parse` reads them."""
    table = {
        name: {role.value: round(float(value), 3) for role, value in zip(LEARNED, row, strict=True)}
        for name, row in zip(roles.FEATURES, weights, strict=True)
    }
    return json.dumps(table, indent=1) + "\n"


def report(held_out: Sequence[Labelled], weights: Array) -> list[str]:
    """How well the roles of abstracts that were not fitted on are told."""
    lines = []
    for name in ("all", *FILES):
        pairs = verdicts([one for one in held_out if name in ("all", one.set)], weights)
        lines.append(f"{name:10} {accuracy(pairs):.3f} of {len(pairs)} sentences")
    pairs = verdicts(held_out, weights)
    for role in LEARNED:
        told, given = [a for a, b in pairs if b is role], [b for a, b in pairs if a is role]
        precision, recall = told.count(role) / max(1, len(told)), given.count(role) / max(1, len(given))
        lines.append(f"{role.value:10} precision {precision:.2f}, recall {recall:.2f} ({len(given)} sentences)")
    return lines


def main() -> int:
    """Fit, write, report."""
    try:
        found = load()
    except corpus.DataAbsent as absent:
        sys.stdout.write(f"SKIPPED: {absent}\n")
        return FITTED
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return COULD_NOT_FIT
    fitted_on, held_out = halves(found)
    penalty = best_penalty(fitted_on)
    weights = fit(fitted_on, penalty)
    SHIPPED.write_text(as_json(fit(found, penalty)), encoding="utf-8")
    there = accuracy(verdicts(fitted_on, weights))
    heading = f"fitted on {len(fitted_on)} abstracts (penalty {penalty}), accuracy there {there:.3f}; held out:"
    sys.stdout.write("\n".join([heading, *report(held_out, weights)]) + "\n")
    return FITTED


if __name__ == "__main__":
    sys.exit(main())
