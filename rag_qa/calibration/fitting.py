"""Cases and how each is answered -> the threshold, what is promised of it, and the curve."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag_qa.calibration import learn_then_test, risk_coverage
from rag_qa.calibration.cases import Case, Kind
from rag_qa.calibration.learn_then_test import Outcome, Step
from rag_qa.calibration.risk_coverage import Curve

Progress = Callable[[str, int, int], None]
STAGE = "Asking the questions"


@dataclass(frozen=True, slots=True)
class Trial:
    """How a question is answered: up to which threshold (its confidence, 0 to 1; below 0: it is always refused), and the papers that are cited first,
    at that threshold and if nothing is refused.
    """

    confidence: float
    first: tuple[str, ...] = ()


Try = Callable[[Case], Trial | None]
"""How a case is answered; None if the threshold has no say in it: small talk, a list of papers, a summary, a filter that no paper passes."""

AnswerAt = Callable[[float], tuple[float, str] | None]
"""Threshold -> (confidence, the paper that is cited first) of an answer, or None where the question is refused."""


def trial(answer_at: AnswerAt) -> Trial:
    """Try a question out. A question of several parts may be refused though one of them is sure enough, since the threshold decides of each of them;
    then the highest threshold of the grid that answers it is its confidence.

    >>> trial(lambda threshold: (0.7, "p1") if threshold <= 0.7 else None)
    Trial(confidence=0.7, first=('p1',))
    >>> trial(lambda threshold: (0.7, "p1") if threshold < 0.51 else None)
    Trial(confidence=0.5, first=('p1',))
    """
    if (lax := answer_at(0.0)) is None:
        return Trial(-1.0)
    sure, first = lax
    if strict := answer_at(sure):
        return Trial(sure, tuple(dict.fromkeys([strict[1], first])))
    lower = sorted(one for one in learn_then_test.GRID if one < sure)
    answered = bisect_left(lower, True, key=lambda threshold: answer_at(threshold) is None)
    highest = lower[answered - 1] if answered else 0.0
    strict = answer_at(highest)
    return Trial(highest, tuple(dict.fromkeys([strict[1] if strict else first, first])))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What came of the questions. `threshold`: the lowest that is certified, or None; then `refusal` says why. `lowest`: no lower one was tried.

    `counts`: of each kind, how many questions the threshold decides. `undecided`: those in which it has no say. `source`: where they come from.
    """

    source: str
    risk: float
    delta: float
    counts: Mapping[Kind, int]
    undecided: int
    outcomes: tuple[Outcome, ...]
    answerable: tuple[bool, ...]
    steps: tuple[Step, ...]
    curve: Curve
    lowest: float = 0.0
    is_written: bool = False

    @property
    def certified(self) -> Step | None:
        """The threshold that is certified, with its figures."""
        return learn_then_test.chosen(self.steps)

    def over_refused(self, threshold: float) -> tuple[int, int]:
        """(answerable questions that a threshold refuses, answerable questions)."""
        sure = [one.confidence for one, answerable in zip(self.outcomes, self.answerable, strict=True) if answerable]
        return sum(one < threshold for one in sure), len(sure)

    def refused(self, threshold: float) -> tuple[int, int]:
        """(questions that a threshold rightly refuses, questions that should be refused)."""
        sure = [one.confidence for one, answerable in zip(self.outcomes, self.answerable, strict=True) if not answerable]
        return sum(one < threshold for one in sure), len(sure)

    @property
    def refusal(self) -> str:
        """Why nothing is promised, and how many questions it would take; "" if something is."""
        if self.certified:
            return ""
        fewest = learn_then_test.fewest(self.risk, self.delta)
        most = max((one.answered for one in self.steps), default=0)
        if most < fewest:
            why = f"at most {most} of the questions are answered: at least {fewest} answers are needed to promise anything"
        else:
            why = f"so few wrong answers as would be needed to promise at most {self.risk:.0%} were found at no threshold"
        needed = learn_then_test.needed(self.outcomes, risk=self.risk, delta=self.delta)
        if needed is not None:
            return f"{why}. About {needed:,} such questions would do, if they are answered like these."
        sure = min(learn_then_test.STARTS)
        if not learn_then_test.counted(self.outcomes, sure)[0]:
            return f"{why}. None of these is answered with a confidence of {sure} or more, where the tests begin."
        return f"{why}. No number of such questions would do: of the surest answers, too, {self.risk:.0%} or more are wrong; try a higher --risk."


def calibrated(cases: Sequence[Case], try_: Try, *, source: str, risk: float, delta: float, lowest: float, progress: Progress | None) -> Calibration:
    """Ask every case, and find the lowest threshold of which it can be promised that at most a share `risk` of its answers is wrong."""
    decided: list[tuple[Case, Trial]] = []
    for done, case in enumerate(cases):
        if progress:
            progress(STAGE, done, len(cases))
        if trial := try_(case):
            decided.append((case, trial))
    if progress:
        progress(STAGE, len(cases), len(cases))
    outcomes = tuple(Outcome(trial.confidence, case.is_wrong(trial.first)) for case, trial in decided)
    return Calibration(
        source=source,
        risk=risk,
        delta=delta,
        counts=Counter(case.kind for case, _ in decided),
        undecided=len(cases) - len(decided),
        outcomes=outcomes,
        answerable=tuple(case.answerable for case, _ in decided),
        steps=tuple(learn_then_test.sequence(outcomes, risk=risk, delta=delta, lowest=lowest)),
        curve=risk_coverage.curve(outcomes),
        lowest=lowest,
    )
