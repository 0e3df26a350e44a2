"""How well the check of sentences tells what an abstract bears out from what it does not: against labels of people, on edits by rule, on paraphrases.

The edits (`eval.edits`) and the paraphrases are of the shipped abstracts; the labelled pairs are not part of the project.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval import corpus, edits
from eval.metrics import stats
from rag_qa.answering.answer import Status
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import SourceError
from rag_qa.grounding import GroundingCheck
from rag_qa.papers import Paper
from rag_qa.sources import files

PAIRS = corpus.ROOT.parent / "shared" / "data" / "grounding" / "pairs.jsonl"
"""Where sentences and abstracts that people have labelled are looked for; they are not part of the project."""
PARAPHRASES = Path(__file__).resolve().parent / "datasets" / "paraphrases.jsonl"
SEED = 11

SUPPORTED, CONTRADICTED, NOT_ENOUGH = "supported", "contradicted", "not enough"
_LABELS = {
    "support": SUPPORTED, "supports": SUPPORTED, "own_conclusion": SUPPORTED,
    "contradict": CONTRADICTED, "refutes": CONTRADICTED,
    "not_enough_info": NOT_ENOUGH, "neutral": NOT_ENOUGH, "other_papers_conclusion": NOT_ENOUGH,
}  # fmt: skip

Array = NDArray[np.float64]


# ------------------------------------------------------------------------------------------------------------------- labels


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
        record = _record(path, number, line) if line.strip() else {}
        if (record.get("set"), record.get("split")) == (name, split):
            found.append(_pair(path, number, record))
    return found


def _record(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
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


# -------------------------------------------------------------------------------------------------------------------- flags


@dataclass(frozen=True, slots=True)
class Flagged:
    """How many sentences of a kind got another verdict than supported, and those that got the wrong one, a line each."""

    kind: str
    sentences: int
    flagged: int
    wrong: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Share that was flagged."""
        return self.flagged / self.sentences if self.sentences else 0.0


Judged = tuple[str, str, Paper]
"""(kind, sentence, the paper that is cited)."""


def flags(check: GroundingCheck, judged: Iterable[Judged], given: Sequence[Paper], *, should_be: bool) -> list[Flagged]:
    """Judge sentences, and count by kind. `should_be`: is it right to flag them?"""
    counted: dict[str, list[tuple[str, bool, str]]] = defaultdict(list)
    for kind, sentence, paper in judged:
        verdict = check(sentence, [(1, paper)], given)
        counted[kind].append((sentence, verdict.status is not Status.SUPPORTED, verdict.why))
    return [
        Flagged(
            kind,
            len(found),
            sum(is_flagged for _, is_flagged, _ in found),
            tuple(f"{sentence} [{why or 'supported'}]" for sentence, is_flagged, why in found if is_flagged is not should_be),
        )
        for kind, found in counted.items()
    ]


def edited(papers: Sequence[Paper], *, seed: int = SEED) -> list[Judged]:
    """Sentences of papers with one thing changed, each to be held against the paper that it came from, or "swapped paper" against another."""
    made = [(edit.kind, edit.sentence, edit.cited) for edit in edits.edits(papers, seed=seed)]
    return sorted(made, key=lambda one: edits.KINDS.index(one[0]))


def untouched(papers: Sequence[Paper]) -> list[Judged]:
    """Every sentence of the papers as it stands."""
    return [("untouched", sentence, paper) for paper in papers for sentence in edits.sentences(paper.abstract)]


def paraphrases(path: Path, papers: Sequence[Paper]) -> list[Judged]:
    """Sentences of papers said in other words, by hand. Raises SourceError for one whose paper is not there."""
    found: list[Judged] = []
    order: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(path, number, line)
        named = [paper for paper in papers if paper.abstract.startswith(str(record.get("paper")))]
        if len(named) != 1 or not isinstance(record.get("sentence"), str):
            raise SourceError(path, number, found=f"the paper {record.get('paper')!r}", expected="a sentence, and the first words of one abstract")
        kind = order.setdefault(named[0].id, PARAPHRASE_KINDS[len(order) % 2])
        found.append((kind, record["sentence"], named[0]))
    return sorted(found, key=lambda one: PARAPHRASE_KINDS.index(one[0]))


PARAPHRASE_KINDS = ("paraphrase, looked at", "paraphrase, unseen")
"""Those of every other abstract were read while the check was developed; the others were only counted."""


def seed_papers() -> list[Paper]:
    """The shipped abstracts, each once."""
    found = (paper for path in sorted(corpus.SEEDS.glob("*.txt")) for paper in files.read(path) if isinstance(paper, Paper))
    return list({paper.id: paper for paper in found}.values())


# ------------------------------------------------------------------------------------------------------------------- report


@dataclass(frozen=True, slots=True)
class Figures:
    """All that is measured. `milliseconds`: of one sentence whose abstract has been seen before: median and 95th percentile."""

    separations: Mapping[str, Separation]
    caught: Sequence[Flagged]
    alarms: Sequence[Flagged]
    milliseconds: tuple[float, float]


def measure(check: GroundingCheck, pairs: Mapping[str, Sequence[Pair]], papers: Sequence[Paper], given: int = 8) -> Figures:
    """Everything: `pairs` by the name of their set, and the edits and paraphrases of some papers. `given`: papers that an answer is made from."""
    separations = {name: separation(some, [check.score(pair.sentence, pair.paper) for pair in some]) for name, some in pairs.items()}
    caught = flags(check, edited(papers), papers[:given], should_be=True)
    alarms = flags(check, [*untouched(papers), *paraphrases(PARAPHRASES, papers)], papers[:given], should_be=False)
    return Figures(separations, caught, alarms, _taken(check, papers, given))


def _taken(check: GroundingCheck, papers: Sequence[Paper], given: int) -> tuple[float, float]:
    taken = []
    for kind, sentence, paper in edited(papers, seed=SEED + 1):
        started = time.perf_counter()
        check(f"{sentence} ({kind})" if kind == "swapped paper" else sentence, [(1, paper)], papers[:given])
        taken.append(1000 * (time.perf_counter() - started))
    return stats.percentile(taken, 50), stats.percentile(taken, 95)


def run(path: Path = PAIRS, *, make: Callable[[], GroundingCheck] | None = None) -> Figures:
    """Measure the shipped check; without the labelled pairs the rest is measured all the same."""
    check = make() if make else GroundingCheck(WordVectors().of)
    sets = {"SciFact dev": ("scifact", "dev"), "HealthVer dev": ("healthver", "dev")} if path.is_file() else {}
    return measure(check, {name: load(path, *of) for name, of in sets.items()}, seed_papers())


def lines(figures: Figures, *, failures: bool = False) -> list[str]:
    """The figures as text; with `failures` every sentence that got the wrong verdict, for a person to judge."""
    told = ["AUROC             pairs      all   not enough   contradicted"]
    told += [
        f"{name:16}{found.pairs:7}{found.all:9.3f}{found.not_enough:13.3f}{found.contradicted:15.3f}" for name, found in figures.separations.items()
    ]
    if not figures.separations:
        told.append("(the labelled pairs are not on this machine)")
    told += ["", "flagged                  sentences   flagged    share   95 % interval"]
    for group, found in (("edits: to be flagged", figures.caught), ("true: not to be flagged", figures.alarms)):
        told += [group, *(_row(one) for one in found)]
    median, most = figures.milliseconds
    told += ["", f"one sentence: {median:.1f} ms (median), {most:.1f} ms (95th percentile)"]
    if failures:
        for one in (*figures.caught, *figures.alarms):
            told += ["", f"{one.kind}: {len(one.wrong)} wrong verdicts", *(f"  {line}" for line in one.wrong)]
    return told


def _row(found: Flagged) -> str:
    low, high = stats.wilson(found.flagged, found.sentences)
    return f"  {found.kind:22}{found.sentences:9}{found.flagged:10}{found.share:9.1%}   {low:.1%} to {high:.1%}"
