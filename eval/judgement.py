"""Is a run as good as its baseline? One rule for all: thresholds are on figures, which are aggregates over questions, and never on single questions.

Of each headline figure, with the interval of its signed difference to the baseline:

    REGRESSED      the interval lies below 0: worse by more than chance
    OK             its lower end is above -margin: not worse by as much as the margin
    INCONCLUSIVE   otherwise: too few questions to tell; how many it would take, if the difference is as large as seen, is said
    MISSING        the baseline has it and the run does not, or not in the same version
    NEW            the other way round

A run fails by a figure that is REGRESSED or MISSING (when strict, INCONCLUSIVE too), by a floor that is missed, and by a condition that does not
hold: every question asked, the baseline's questions and papers, no errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from eval import comparison
from eval.comparison import NO_QUESTION, Comparison, Difference
from eval.floors import Check
from eval.metrics import stats
from eval.sides import HEADLINE, Side

MARGIN = 0.05


class Outcome(StrEnum):
    """What becomes of a figure."""

    REGRESSED = "REGRESSED"
    MISSING = "MISSING"
    INCONCLUSIVE = "INCONCLUSIVE"
    OK = "OK"
    NEW = "NEW"


@dataclass(frozen=True, slots=True)
class Rules:
    """`margin`: how much worse a figure may be for certain, in its unit; for figures that are no shares (words), as a share of the baseline's value.
    `margins`: by key, for those that have their own. `allowed_errors`: questions that may end in an error.
    """

    margin: float = MARGIN
    margins: Mapping[str, float] = field(default_factory=dict)
    strict: bool = False
    allowed_errors: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one figure. `needed`: questions that would settle what is inconclusive, one way or the other, if the difference is as large as seen."""

    difference: Difference
    outcome: Outcome
    margin: float
    needed: int | None = None

    @property
    def said(self) -> str:
        """The outcome and what is to be known of it."""
        if self.outcome is Outcome.INCONCLUSIVE:
            return f"INCONCLUSIVE: {self.needed:,} questions needed" if self.needed else "INCONCLUSIVE"
        return f"{self.outcome}: {self.difference.lacks}" if self.difference.lacks else str(self.outcome)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a run. `conditions`: each with what is wrong, "" where it holds. `strict`: does what is inconclusive fail?"""

    before: Side
    after: Side
    conditions: Mapping[str, str]
    verdicts: tuple[Verdict, ...]
    floors: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    strict: bool = False

    def fails(self, verdict: Verdict) -> bool:
        """Does a figure fail the run?"""
        return verdict.outcome in (Outcome.REGRESSED, Outcome.MISSING) or (self.strict and verdict.outcome is Outcome.INCONCLUSIVE)

    @property
    def reasons(self) -> list[str]:
        """Why the run fails, nothing where it passes."""
        found = [wrong for wrong in self.conditions.values() if wrong]
        for outcome in Outcome:
            keys = [one.difference.key for one in self.verdicts if one.outcome is outcome and self.fails(one)]
            found += [f"{outcome}: {', '.join(keys)}"] if keys else []
        missed = [f"{one.floor.key} {one.floor}" for one in self.floors if one.outcome == "fail"]
        return found + ([f"floor missed: {', '.join(missed)}"] if missed else [])

    @property
    def passed(self) -> bool:
        """Does the run pass?"""
        return not self.reasons


def judge(
    before: Side, after: Side, checks: Sequence[Check], rules: Rules, *, asked: int | None = None, compared: Comparison | None = None
) -> Judgement:
    """Hold a run against its baseline. `checks`: what became of its floors; `asked`: questions that the run was to ask, if not those that it has;
    `compared`: the two sides in their headline figures, if they were held against each other already.
    """
    others = comparison.other_data(before, after)
    if compared is None and not others:
        compared = comparison.compare(before, after, only=(*HEADLINE, *before.judged))
    found = [_verdict(one, rules) for one in compared.differences if one.lacks != NO_QUESTION] if compared else []
    return Judgement(
        before,
        after,
        _conditions(after, others, rules, len(after.items) if asked is None else asked),
        tuple(found),
        tuple(checks),
        compared.notes if compared else (),
        rules.strict,
    )


def _conditions(after: Side, others: Sequence[str], rules: Rules, asked: int) -> dict[str, str]:
    done, errors = len(after.items), after.errors
    too_many = f"{len(errors)} of {done} questions ended in an error, {rules.allowed_errors} may ({comparison.few(errors)})"
    return {
        "every question was asked": "" if done == asked else f"PARTIAL: {done} of {asked} questions were asked",
        "questions and papers are the baseline's": "; ".join(others),
        "no more errors than allowed": too_many if len(errors) > rules.allowed_errors else "",
    }


def _verdict(one: Difference, rules: Rules) -> Verdict:
    margin = _margin(one, rules)
    if one.lacks or one.interval is None or one.after.value is None:
        return Verdict(one, Outcome.NEW if one.before.value is None and one.after.value is not None else Outcome.MISSING, margin)
    outcome = outcome_of(one.interval, margin)
    return Verdict(one, outcome, margin, _needed(one, margin) if outcome is Outcome.INCONCLUSIVE else None)


def _needed(one: Difference, margin: float) -> int | None:
    """Questions that would settle it: told apart from 0 if it is worse by so much, or from the margin, whichever is easier."""
    delta = one.delta or 0.0
    return stats.items_needed(one.variance or 0.0, max(-delta, delta + margin))


def _margin(one: Difference, rules: Rules) -> float:
    margin = rules.margins.get(one.key, rules.margin)
    return margin if comparison.is_share(one.metric) or one.before.value is None else margin * one.before.value


def outcome_of(interval: tuple[float, float], margin: float) -> Outcome:
    """What the interval of a signed difference says.

    >>> [str(outcome_of(interval, 0.05)) for interval in ((-0.2, -0.01), (-0.04, 0.01), (-0.2, 0.1))]
    ['REGRESSED', 'OK', 'INCONCLUSIVE']
    """
    low, high = interval
    if high < 0:
        return Outcome.REGRESSED
    return Outcome.OK if low > -margin else Outcome.INCONCLUSIVE


def to_json(judgement: Judgement) -> dict[str, Any]:
    """A dictionary of plain values."""
    return {
        "verdict": "PASS" if judgement.passed else "FAIL",
        "reasons": judgement.reasons,
        "strict": judgement.strict,
        "run": judgement.after.name,
        "baseline": judgement.before.name,
        "data": judgement.before.data,
        "conditions": dict(judgement.conditions),
        "figures": [
            {**comparison.difference_json(one.difference), "outcome": str(one.outcome), "margin": one.margin, "needed": one.needed}
            for one in judgement.verdicts
        ],
        "floors": [{"figure": one.floor.key, "bound": str(one.floor), "value": one.value, "outcome": one.outcome} for one in judgement.floors],
        "notes": list(judgement.notes),
    }
