"""`python -m eval trust`: how far the automatic checks can be trusted; `python -m eval calibrate`: the thresholds of the checker.

Against people: the checker's verdicts and its strength on pairs of a sentence and an abstract that people have labelled (SciFact, HealthVer, or a
file of one's own in the same form). Against manipulations: right answers spoilt in known ways, and the way each figure has to move
(`eval.manipulations`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eval import corpus, manipulations, pairs, run_directory, scoring
from eval.figures import Metric, measure
from eval.items import Item
from eval.manipulations import SUITE, Sign
from eval.metrics import agreement, support
from eval.metrics.support import Label, Support, Thresholds
from eval.pairs import CONTRADICTED, NOT_ENOUGH, SUPPORTED, Pair
from eval.report.table import table
from rag_qa.errors import RagQAError

HELP = "how far the automatic checks agree with people, and whether they notice spoilt answers"
CALIBRATE_HELP = "fit the thresholds of the harness's own checker on sentences that people have labelled"

LABELLED = (("scifact", "train"), ("scifact", "dev"), ("healthver", "dev"))
FITTED_ON = LABELLED[0]
BLIND_SPOTS = (
    "A paraphrase without a common word counts as unsupported: half and more of what people call supported in HealthVer.",
    "A contradiction in other words than the lists of denials and directions know is not seen.",
    "What follows only from two sentences that stand far apart is not seen.",
    "Facts are judged as text: an answer can hold the right words and say the wrong thing with them.",
)

# --------------------------------------------------------------------------------------------------------- against people


@dataclass(frozen=True, slots=True)
class Agreement:
    """The checker against the labels of one set. AUROC: of its strength, supported against all others and against either kind of them."""

    name: str
    count: int
    auroc: float
    auroc_not_enough: float
    auroc_contradicted: float
    balanced_accuracy: float
    kappa: float
    contradictions_called_supported: float


def judged(found: Sequence[Pair], thresholds: Thresholds | None = None) -> list[Support]:
    """The checker's verdict on each pair; words are weighed by how rare they are among the abstracts of the pairs."""
    rarity = support.rarity_in({pair.paper.abstract for pair in found})
    return [support.check(pair.sentence, [pair.paper.abstract], rarity=rarity, thresholds=thresholds) for pair in found]


def agreement_on(name: str, found: Sequence[Pair], verdicts: Sequence[Support]) -> Agreement:
    """How far verdicts agree with people on one set."""
    apart = pairs.separation(found, [one.strength for one in verdicts])
    said, truth = [one.label is Label.SUPPORTED for one in verdicts], [pair.label == SUPPORTED for pair in found]
    against = [is_supported for is_supported, pair in zip(said, found, strict=True) if pair.label == CONTRADICTED]
    return Agreement(
        name,
        len(found),
        apart.all,
        apart.not_enough,
        apart.contradicted,
        agreement.balanced_accuracy(said, truth),
        agreement.kappa(said, truth),
        sum(against) / len(against),
    )


FALSELY_SUPPORTED_AT_MOST = 0.1
"""Of the sentences that people do not call supported, this share may be: praising what is wrong is worse than doubting what is right."""


def fitted(found: Sequence[Pair], verdicts: Sequence[Support]) -> Thresholds:
    """Thresholds on a grid of hundredths. `supported`: the greatest balanced accuracy of supported sentences without a flag against all others, as
    long as at most FALSELY_SUPPORTED_AT_MOST of the others pass; `partial`: that of sentences of which the abstract speaks (supported or
    contradicted) against those of which it has not enough.
    """
    grid = [step / 100 for step in range(10, 101)]
    truth = [pair.label == SUPPORTED for pair in found]
    spoken_of = [pair.label != NOT_ENOUGH for pair in found]

    def passed(bound: float) -> list[bool]:
        return [one.cover >= bound and not one.flags for one in verdicts]

    def falsely(bound: float) -> float:
        return sum(one and not other for one, other in zip(passed(bound), truth, strict=True)) / truth.count(False)

    strict = [bound for bound in grid if falsely(bound) <= FALSELY_SUPPORTED_AT_MOST] or grid[-1:]
    supported = max(strict, key=lambda bound: (agreement.balanced_accuracy(passed(bound), truth), -bound))
    partial = max(grid, key=lambda bound: (agreement.balanced_accuracy([one.cover >= bound for one in verdicts], spoken_of), -bound))
    return Thresholds(supported, min(partial, supported))


# -------------------------------------------------------------------------------------------------- against manipulations


@dataclass(frozen=True, slots=True)
class Reaction:
    """How a figure moved when answers were spoilt, and whether it moved as it has to."""

    manipulation: str
    metric: str
    before: float
    after: float
    required: Sign

    @property
    def holds(self) -> bool:
        """Did it?"""
        return self.required.holds(self.before, self.after)


def reactions(items: Sequence[Item], library: Mapping[str, str]) -> list[Reaction]:
    """Every required figure before and after every manipulation."""
    metrics = {metric.name: metric for metric, _ in scoring.plan(library)}
    before = {name: _value(metrics[name], items) for name in {name for one in SUITE for name in one.required}}
    found = []
    for manipulation in SUITE:
        spoilt = manipulations.spoilt(items, manipulation, library)
        for name, required in manipulation.required.items():
            found.append(Reaction(manipulation.name, name, before[name], _value(metrics[name], spoilt), required))
    return found


def _value(metric: Metric, items: Sequence[Item]) -> float:
    value = measure(metric, "all", items).value
    assert value is not None
    return value


# ----------------------------------------------------------------------------------------------------------------- the page


def tables(agreements: Sequence[Agreement], moved: Sequence[Reaction]) -> list[dict[str, Any]]:
    """What is shown, as tables of text."""
    people = [
        [
            one.name,
            str(one.count),
            *(f"{value:.3f}" for value in (one.auroc, one.auroc_not_enough, one.auroc_contradicted, one.balanced_accuracy, one.kappa)),
            f"{one.contradictions_called_supported:.1%}",
        ]
        for one in agreements
    ]
    titles = {name: metric.title for name, metric in scoring.metrics().items()}
    signs = [
        [one.manipulation, titles[one.metric], f"{one.before:.3f}", f"{one.after:.3f}", one.required.value, "yes" if one.holds else "NO"]
        for one in moved
    ]
    heads = ["labels of people", "pairs", "AUROC", "vs not enough", "vs contradicted", "balanced acc.", "kappa", "contradicted, called supported"]
    return [
        {"title": "The checker of sentences against people", "heads": heads, "rows": people},
        {"title": "Spoilt answers", "heads": ["answers with", "figure", "right answers", "spoilt", "has to go", "does"], "rows": signs},
        {"title": "What the checks can't see", "heads": [""], "rows": [[one] for one in BLIND_SPOTS]},
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `trust`."""
    parser.add_argument("run", type=Path, metavar="DIR", help="a run: its questions and papers make the answers that are spoilt")
    parser.add_argument("--pairs", type=Path, default=pairs.PAIRS, metavar="FILE", help="labelled pairs (default: those of ../shared/data)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables as JSON, for `report --trust`")


def add_calibrate_options(parser: argparse.ArgumentParser) -> None:
    """The options of `calibrate`."""
    parser.add_argument("--pairs", type=Path, default=pairs.PAIRS, metavar="FILE", help="labelled pairs (default: those of ../shared/data)")
    parser.add_argument("--out", type=Path, default=support.SHIPPED, metavar="FILE", help="the thresholds (default: those that the harness uses)")


@dataclass(frozen=True, slots=True)
class Trust:
    """What the command found."""

    agreements: Sequence[Agreement]
    reactions: Sequence[Reaction]

    @property
    def holds(self) -> bool:
        """Does every figure react as it has to?"""
        return all(one.holds for one in self.reactions)

    @property
    def said(self) -> str:
        """In one line."""
        right = sum(one.holds for one in self.reactions)
        people = "" if self.agreements else " The labels of people are not on this machine, so the checker was not held against them."
        return f"{right} of {len(self.reactions)} figures react to spoilt answers as they have to.{people}"


def run(arguments: argparse.Namespace) -> Trust:
    """Measure. Raises RagQAError."""
    stored = run_directory.load(arguments.run)
    answers = manipulations.right_answers([item.question for item in stored.items], stored.library)
    if not answers:
        raise TrustError(f"{arguments.run}: no question about one paper whose facts stand in its abstract; expected at least one to make answers of")
    agreements = []
    for name, split in LABELLED if arguments.pairs.is_file() else ():
        if found := pairs.load(arguments.pairs, name, split):
            agreements.append(agreement_on(f"{name} {split}", found, judged(found)))
    return Trust(agreements, reactions(answers, stored.library))


class TrustError(RagQAError):
    """Nothing could be measured; the message says why."""


def as_json(trust: Trust) -> dict[str, Any]:
    """What the report shows."""
    return {"said": trust.said, "tables": tables(trust.agreements, trust.reactions)}


def lines(trust: Trust) -> list[str]:
    """As text."""
    found = []
    for one in tables(trust.agreements, trust.reactions):
        if one["rows"]:
            found += [one["title"], table([one["heads"], *one["rows"]], left=(0, 1) if len(one["heads"]) == 6 else (0,)), ""]
    return [*found, trust.said]


def calibrate(arguments: argparse.Namespace) -> str:
    """Fit the thresholds, write them, and say how well they do. Raises corpus.DataAbsent, RagQAError."""
    found = pairs.load(arguments.pairs, *FITTED_ON)
    if not found:
        raise corpus.DataAbsent(f"{arguments.pairs} has no pairs of {' '.join(FITTED_ON)}")
    chosen = fitted(found, judged(found))
    reached = agreement_on(" ".join(FITTED_ON), found, judged(found, chosen))
    record = {
        "supported": chosen.supported,
        "partial": chosen.partial,
        "origin": f"python -m eval calibrate, {len(found)} pairs of {reached.name}",
        "auroc": round(float(np.float64(reached.auroc)), 3),
        "balanced_accuracy": round(reached.balanced_accuracy, 3),
    }
    arguments.out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return f"supported from a cover of {chosen.supported:g}, partly from {chosen.partial:g}: {json.dumps(record)}"
