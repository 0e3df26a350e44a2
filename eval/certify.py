"""`python -m eval certify RUN`: thresholds of confidence with a guarantee, from a stored run, and what they are worth on held-out questions.

Ten questions about one paper are no ten witnesses: of each paper one question is drawn, and of those without one as many as keep their share. Half
of what was drawn calibrates, the rest is held out. That is done again and again with other seeds, to see how often a guarantee is broken. Nothing of
the product's own calibration is used.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from eval import run_directory, scoring, sides, summary
from eval.figures import Failed, Metric, NotApplicable
from eval.items import Item
from eval.metrics import guarantees
from rag_qa.errors import RagQAError

HELP = "a threshold of confidence with a guarantee, from a stored run, and how often it was broken on held-out questions"
FILE = "certified.json"
SPLITS, SEED = 100, 0
LEVEL = 0.1
BY_CHANCE = 0.05
"""A held-out share above the promised one that would come about in fewer cases than this, if the guarantee held, is beyond chance."""

Kind = Literal["learn-then-test", "conformal risk control"]
WRONG: Mapping[str, tuple[Metric, str]] = {
    "right": (scoring.RIGHT, "an answer without a right paper or an asked fact, or to a question that no paper answers"),
    "paper": (scoring.CITED, "an answer that does not cite every right paper, or to a question that no paper answers"),
}
"""What counts as a wrong answer: the figure that is 0 for it, and in words."""


class CertifyError(RagQAError):
    """A run of which nothing can be certified; the message says why and what to do."""


# --------------------------------------------------------------------------------------------------------------- outcomes


@dataclass(frozen=True, slots=True)
class Outcome:
    """How sure the system was, in [0, 1], or `guarantees.NEVER` where it refused; is its answer wrong; `cluster`: questions about one paper, or one
    question without a paper.
    """

    confidence: float
    is_wrong: bool
    cluster: int
    has_paper: bool = True


def outcomes(items: Sequence[Item], wrong: str = "right") -> list[Outcome]:
    """Of every item that has the labels it takes. A crash is a wrong answer, and a sure one; a refusal is none, whatever the threshold."""
    clusters = sides.clusters([item.question for item in items])
    found = [_outcome(item, WRONG[wrong][0], cluster) for item, cluster in zip(items, clusters, strict=True)]
    return [one for one in found if one is not None]


def _outcome(item: Item, metric: Metric, cluster: int) -> Outcome | None:
    has_paper = bool(item.question.papers)
    if item.status == "error":
        return Outcome(1.0, True, cluster, has_paper)
    if item.question.answerable is False:
        score: object = 0.0
    elif isinstance(score := metric.score(item), NotApplicable):
        return None
    sure = guarantees.NEVER if item.status == "abstained" else min(1.0, max(0.0, item.confidence))
    return Outcome(sure, isinstance(score, Failed) or score != 1.0, cluster, has_paper)


# ----------------------------------------------------------------------------------------------------------------- splits


@dataclass(frozen=True, slots=True)
class Fold:
    """What a threshold does on some questions: how many there are, how many of them it answers, and wrong answers among them."""

    questions: int
    answered: int
    wrong: int

    @property
    def of_answers(self) -> float | None:
        """Share of wrong ones among the answers; None without an answer."""
        return self.wrong / self.answered if self.answered else None

    @property
    def of_questions(self) -> float:
        """Share of all questions that get a wrong answer."""
        return self.wrong / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True)
class Split:
    """One split. `threshold` is None where nothing can be promised, and then nothing is answered. `there`: calibration answers (of
    learn-then-test) or questions (of conformal risk control); with fewer than `needed` of them nothing can be promised.
    """

    seed: int
    threshold: float | None
    calibration: Fold
    held_out: Fold
    there: int
    needed: int
    tried: tuple[guarantees.Tried, ...] = ()


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One kind of guarantee over all splits; the first one is what is printed. `bound`: the share that is promised; `delta`: of learn-then-test."""

    kind: Kind
    bound: float
    delta: float | None
    splits: tuple[Split, ...]

    @property
    def threshold(self) -> float | None:
        """That of the first split."""
        return self.splits[0].threshold

    @property
    def certified(self) -> int:
        """Splits in which something could be promised."""
        return sum(split.threshold is not None for split in self.splits)

    @property
    def mean(self) -> float:
        """Mean over the splits of the held-out share of what is bounded; where nothing is answered nothing is wrong."""
        return math.fsum(self.share(split) for split in self.splits) / len(self.splits)

    @property
    def above(self) -> int:
        """Splits whose held-out share lies above the bound."""
        return sum(self.share(split) > self.bound for split in self.splits)

    @property
    def beyond_chance(self) -> int:
        """Splits whose held-out share lies so far above that a true share at the bound would seldom give it."""
        return sum(guarantees.upper_tail(split.held_out.wrong, self._of(split), self.bound) <= BY_CHANCE for split in self.splits)

    @property
    def is_contradicted(self) -> bool:
        """Do the splits speak against it? Of learn-then-test: in more than delta of them, and what chance explains, the share is beyond chance; of
        conformal risk control: the mean lies more than two standard errors above the bound.
        """
        if self.delta is not None:
            return self.beyond_chance > (self.delta + BY_CHANCE) * len(self.splits)
        spread = math.fsum((self.share(split) - self.mean) ** 2 for split in self.splits) / max(1, len(self.splits) - 1)
        return self.mean > self.bound + 2 * math.sqrt(spread / len(self.splits))

    def share(self, split: Split) -> float:
        """What is bounded, on the held-out questions of a split."""
        return (split.held_out.of_answers or 0.0) if self.delta is not None else split.held_out.of_questions

    def _of(self, split: Split) -> int:
        return split.held_out.answered if self.delta is not None else split.held_out.questions


def learn_then_test(found: Sequence[Outcome], epsilon: float, delta: float, *, splits: int = SPLITS) -> Guarantee:
    """At most `epsilon` of the answers are wrong, with probability 1 - `delta`."""
    return Guarantee("learn-then-test", epsilon, delta, tuple(_learned(found, seed, epsilon, delta) for seed in range(SEED, SEED + splits)))


def _learned(found: Sequence[Outcome], seed: int, epsilon: float, delta: float) -> Split:
    calibrating, held_out = halves(found, seed)
    sure, wrong = _columns(calibrating)
    tried = guarantees.learned(sure, wrong, [one.confidence for one in held_out], epsilon=epsilon, delta=delta)
    chosen = guarantees.best(tried)
    threshold = chosen.threshold if chosen else None
    there, needed = _fold(calibrating, 0.0).answered, guarantees.fewest_answers(epsilon, delta)
    return Split(seed, threshold, _fold(calibrating, threshold), _fold(held_out, threshold), there, needed, tuple(tried))


def conformal(found: Sequence[Outcome], alpha: float, *, splits: int = SPLITS) -> Guarantee:
    """At most `alpha` of all questions get a wrong answer, in the mean."""
    return Guarantee("conformal risk control", alpha, None, tuple(_conformal(found, seed, alpha) for seed in range(SEED, SEED + splits)))


def _conformal(found: Sequence[Outcome], seed: int, alpha: float) -> Split:
    calibrating, held_out = halves(found, seed)
    threshold = guarantees.conformal(*_columns(calibrating), alpha)
    there, needed = len(calibrating), guarantees.fewest_questions(alpha)
    return Split(seed, threshold, _fold(calibrating, threshold), _fold(held_out, threshold), there, needed)


def halves(found: Sequence[Outcome], seed: int) -> tuple[list[Outcome], list[Outcome]]:
    """What `drawn` gives in two halves by chance; the first one calibrates and is the larger by one where they are odd."""
    chance = random.Random(seed)
    one_each = drawn(found, chance)
    chance.shuffle(one_each)
    middle = (len(one_each) + 1) // 2
    return one_each[:middle], one_each[middle:]


def drawn(found: Sequence[Outcome], chance: random.Random) -> list[Outcome]:
    """One question of each paper, and of the questions without a paper so many that their share is that of the whole set: what is promised of “all
    questions” is promised of such a mixture.
    """
    papers: dict[int, list[Outcome]] = defaultdict(list)
    for one in found:
        if one.has_paper:
            papers[one.cluster].append(one)
    without = [one for one in found if not one.has_paper]
    with_paper = len(found) - len(without)
    count = round(len(without) * len(papers) / with_paper) if papers else len(without)
    return [*(chance.choice(papers[cluster]) for cluster in sorted(papers)), *chance.sample(without, count)]


def _columns(found: Sequence[Outcome]) -> tuple[list[float], list[bool]]:
    return [one.confidence for one in found], [one.is_wrong for one in found]


def _fold(found: Sequence[Outcome], threshold: float | None) -> Fold:
    return Fold(len(found), *guarantees.counted(*_columns(found), guarantees.NOTHING if threshold is None else threshold))


# ---------------------------------------------------------------------------------------------------------------- command


@dataclass(frozen=True, slots=True)
class Certified:
    """What was found on a run. `left_out`: items without the labels that it takes; `drawn`: questions of each split."""

    directory: Path
    wrong: str
    questions: int
    left_out: int
    drawn: int
    guarantees: tuple[Guarantee, ...]

    @property
    def holds(self) -> bool:
        """Can every guarantee that was asked for be given, and do the splits bear it out?"""
        return all(one.threshold is not None and not one.is_contradicted for one in self.guarantees)


def _share(value: str) -> float:
    if not 0 < (number := float(value)) < 1:
        raise argparse.ArgumentTypeError(f"{value} is no share: it has to lie between 0 and 1")
    return number


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("run", type=Path, metavar="DIR", help="a directory that `run --out` wrote, of any system that gives a confidence")
    parser.add_argument("--alpha", type=_share, metavar="A", help="at most this share of all questions may get a wrong answer, in the mean")
    parser.add_argument("--epsilon", type=_share, metavar="E", help="at most this share of the answers may be wrong")
    parser.add_argument("--delta", type=_share, metavar="D", help=f"with --epsilon: the probability of being mistaken (default: {LEVEL:g})")
    parser.add_argument("--wrong", choices=list(WRONG), default="right", help="what a wrong answer is: not right (default), or of another paper")


def run(arguments: argparse.Namespace) -> Certified:
    """Certify, and leave `certified.json` in the directory of the run, for its report. Without a level both kinds, at 0.1. Raises RagQAError."""
    if arguments.delta is not None and arguments.epsilon is None:
        raise CertifyError("--delta belongs to --epsilon: name that too")
    stored = run_directory.load(arguments.run)
    if not stored.is_complete:
        raise CertifyError(
            f"{arguments.run}: {len(stored.items)} of {stored.manifest['questions']} questions were asked, expected all; finish the run"
        )
    neither = arguments.alpha is None and arguments.epsilon is None
    epsilon, alpha = LEVEL if neither else arguments.epsilon, LEVEL if neither else arguments.alpha
    found = certified(stored.directory, stored.items, alpha=alpha, epsilon=epsilon, delta=arguments.delta or LEVEL, wrong=arguments.wrong)
    text = json.dumps(as_json(found, summary.sha256(stored.directory / run_directory.ITEMS)), allow_nan=False, indent=2)
    (stored.directory / FILE).write_text(text + "\n", encoding="utf-8")
    return found


def certified(
    directory: Path, items: Sequence[Item], *, alpha: float | None, epsilon: float | None, delta: float = LEVEL, wrong: str = "right"
) -> Certified:
    """The guarantees that are asked for. Raises CertifyError where the items have no labels, or all the same confidence."""
    found = outcomes(items, wrong)
    sure = {one.confidence for one in found if one.confidence != guarantees.NEVER}
    count = len(drawn(found, random.Random(SEED)))
    if count < 2:
        raise CertifyError(f"{directory}: {len(found)} of {len(items)} questions say what a right answer is, expected at least two about two papers")
    if len(sure) < 2:
        raise CertifyError(f"{directory}: found the same confidence for every answer, expected a system that is sure of some more than of others")
    both = [
        *([learn_then_test(found, epsilon, delta)] if epsilon is not None else []),
        *([conformal(found, alpha)] if alpha is not None else []),
    ]
    return Certified(directory, wrong, len(found), len(items) - len(found), count, tuple(both))


# ------------------------------------------------------------------------------------------------------------------- words


def promise(one: Guarantee) -> str:
    """What a guarantee says, or why there is none."""
    split = one.splits[0]
    if split.threshold is None:
        return f"no guarantee: {_why_none(one, split)}"
    above = f"answers with a confidence of {split.threshold:.3f} and more" if split.threshold else "every answer of the run"
    bound = _percent(one.bound)
    if one.delta is not None:
        sure = f"with a probability of {_percent(1 - one.delta)} over the choice of the calibration questions"
        return f"{above}: {sure}, at most {bound} of the answers that are given are wrong"
    if split.threshold == guarantees.NOTHING:
        return f"only by answering nothing is it certain that at most {bound} of all questions get a wrong answer"
    mean = "in the mean over what could have been asked; among the answers that are given the share of wrong ones is larger"
    return f"{above}: at most {bound} of all questions, refused ones among them, get a wrong answer, {mean}"


def _percent(share: float) -> str:
    """As people write it.

    >>> _percent(0.9), _percent(0.025)
    ('90 %', '2.5 %')
    """
    return f"{100 * share:.4g} %"


def _why_none(one: Guarantee, split: Split) -> str:
    if split.there < split.needed:
        what = "calibration questions" if one.delta is None else "answered calibration questions"
        formula = "1 / alpha - 1" if one.delta is None else "ln delta / ln (1 - epsilon)"
        return f"{split.there} {what}, at least {split.needed} are needed ({formula})"
    nearest = min(split.tried, key=lambda tried: tried.p)
    return (
        f"too few calibration answers or too many wrong ones; nearest came {nearest.threshold:.3f} with {nearest.wrong} of {nearest.answered} wrong, "
        f"p {nearest.p:.3f} where {nearest.level:.3f} is needed"
    )


def checked(one: Guarantee) -> str:
    """What the splits say of it."""
    count = len(one.splits)
    if not one.certified:
        return f"{count} splits: nothing could be promised in any of them"
    what = "of the answers" if one.delta is not None else "of all questions"
    allowed = f"delta allows {one.delta * count:g}; " if one.delta is not None else ""
    return (
        f"{count} splits: something could be promised in {one.certified}; the share {what} that is wrong, held out, lies above {one.bound:g} in "
        f"{one.above}, beyond chance in {one.beyond_chance} ({allowed}mean {one.mean:.3f}): "
        f"{'the splits speak against it' if one.is_contradicted else 'nothing speaks against it'}"
    )


def lines(found: Certified) -> list[str]:
    """As text."""
    left = f"; {found.left_out} without such labels are left out" if found.left_out else ""
    said = [
        f"{found.questions} questions of {found.directory}{left}",
        f"wrong: {WRONG[found.wrong][1]}",
        f"{found.drawn} questions are drawn, one a paper and as many without a paper as keep their share; half of them calibrate",
    ]
    for one in found.guarantees:
        level = f"epsilon {one.bound:g}, delta {one.delta:g}" if one.delta is not None else f"alpha {one.bound:g}"
        said += ["", f"{one.kind}, {level}", f"  {promise(one)}"]
        if one.threshold is not None:
            said += [
                f"  {name:<11}  {_told(fold)}" for name, fold in (("calibration", one.splits[0].calibration), ("held out", one.splits[0].held_out))
            ]
        said.append(f"  {checked(one)}")
    return said


def _told(fold: Fold) -> str:
    among = "" if fold.of_answers is None else f": {fold.of_answers:.3f} of the answers, {fold.of_questions:.3f} of all questions"
    return f"{fold.questions} questions, {fold.answered} answered, {fold.wrong} wrong{among}"


def as_json(found: Certified, items_sha256: str) -> dict[str, Any]:
    """Everything, for the report. `items_sha256`: of the answers that it was found on. A threshold that answers nothing is null."""
    return {
        "items_sha256": items_sha256,
        "wrong": found.wrong,
        "wrong_in_words": WRONG[found.wrong][1],
        "questions": found.questions,
        "left_out": found.left_out,
        "drawn": found.drawn,
        "guarantees": [_plain(one) for one in found.guarantees],
    }


def _plain(one: Guarantee) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "bound": one.bound,
        "delta": one.delta,
        "threshold": _finite(one.threshold),
        "promise": promise(one),
        "checked": checked(one),
        "certified": one.certified,
        "above": one.above,
        "beyond_chance": one.beyond_chance,
        "mean": one.mean,
        "is_contradicted": one.is_contradicted,
        "splits": [
            {
                "seed": split.seed,
                "threshold": _finite(split.threshold),
                "calibration": asdict(split.calibration),
                "held_out": asdict(split.held_out),
            }
            for split in one.splits
        ],
    }


def _finite(threshold: float | None) -> float | None:
    return threshold if threshold is not None and math.isfinite(threshold) else None
