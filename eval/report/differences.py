"""Two runs held against each other, and a run against its baseline, as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from eval import scoring
from eval.comparison import NO_QUESTION, Comparison, Difference, Reached, is_share
from eval.floors import counted
from eval.judgement import Judgement, Verdict
from eval.report.table import table
from eval.sides import HEADLINE

SHOWN_IDS = 8  # of the questions that changed
_ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}

# ------------------------------------------------------------------------------------------------------------------- cells


def title(metric: str) -> str:
    """What a metric is called, with an arrow that says which way is better."""
    known = scoring.metrics().get(metric)
    return f"{known.title} {_ARROWS[known.direction]}".rstrip() if known else metric


def value(metric: str, reached: Reached) -> str:
    """Three decimals for shares, one for words; "-" for nothing.

    >>> value("right", Reached(0.97, 10, 0)), value("words_median", Reached(53.0, 10, 0)), value("right", Reached(None, 0, 0))
    ('0.970', '53.0', '-')
    """
    if reached.value is None:
        return "-"
    return f"{reached.value:.{_decimals(metric)}f}"


def _decimals(metric: str) -> int:
    return 3 if is_share(metric) else 1


def signed(metric: str, number: float | None) -> str:
    """A difference with its sign; one that would be rounded to 0 keeps its first digit.

    >>> signed("right", 0.0213), signed("words_median", -2.5), signed("right", None), signed("right", 0.0), signed("mrr_at_10", -0.00042)
    ('+0.021', '-2.5', '', '0', '-0.0004')
    """
    if number is None:
        return ""
    if not number or not math.isfinite(number):
        return f"{number:+.0f}" if number else "0"
    shown = f"{number:+.{_decimals(metric)}f}"
    return shown if float(shown) else f"{number:+.1g}"


def interval(one: Difference) -> str:
    """Both ends of an interval; nothing where nothing changed."""
    return f"{signed(one.metric, one.interval[0])} to {signed(one.metric, one.interval[1])}" if one.interval and one.changed else ""


def chance(p: float | None) -> str:
    """A p value.

    >>> chance(0.0004), chance(0.25), chance(None)
    ('<.001', '.250', '')
    """
    if p is None:
        return ""
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def flips(one: Difference) -> str:
    """How many questions are better and worse.

    >>> flips(Difference("right", "all", Reached(0, 3, 0), Reached(0, 3, 0), better=("a", "b"), worse=("c",)))
    '2 up, 1 down'
    """
    return f"{len(one.better)} up, {len(one.worse)} down" if one.better or one.worse else ""


def ids(names: Sequence[str]) -> str:
    """Some names, and how many more there are.

    >>> ids([str(n) for n in range(10)])
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    more = len(names) - SHOWN_IDS
    return ", ".join(names[:SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")


# -------------------------------------------------------------------------------------------------------------- comparison


def of_comparison(comparison: Comparison, *, everything: bool = False) -> str:
    """The whole report; figures that are the same on both sides are only counted unless `everything` is asked for."""
    told = [one for one in comparison.differences if one.lacks != NO_QUESTION]
    headline = [one for one in told if one.key in HEADLINE]
    others = [one for one in told if one.key not in HEADLINE and (everything or one.changed)]
    same = len(told) - len(headline) - len(others)
    parts = ["\n".join(_about(comparison)), _table(headline, "p (Holm)")]
    parts += [_table(others, "p")] if others else []
    parts += [f"{same} more figures are the same on both sides."] if same else []
    return "\n\n".join([*parts, "\n".join(_changed(headline)) or "No question changed in a headline figure.", _KEY])


_KEY = (
    "delta: after less before, + is better. Interval: 95 %, paired bootstrap over papers. p: McNemar where values are 0 or 1, otherwise sign flips;\n"
    "Holm: corrected for the figures of the first table. needed: questions that it takes to see such a difference in four of five cases."
)


def _about(comparison: Comparison) -> Iterator[str]:
    yield f"before: {comparison.before.name}"
    yield f"after:  {comparison.after.name}"
    yield f"{comparison.questions} questions of {comparison.before.about.get('data', 'a set without a name')}"
    yield from (f"! {note}" for note in comparison.notes)


def _table(found: Sequence[Difference], heading: str) -> str:
    rows = [["", "over", "before", "after", "delta", "95 % interval", heading, "questions", "needed"]]
    for one in found:
        p = one.p_holm if one.p_holm is not None else one.p
        told = [
            signed(one.metric, one.delta),
            interval(one),
            chance(p) if one.changed else "",
            one.lacks or flips(one),
            f"{one.needed:,}" if one.needed else "",
        ]
        rows.append([title(one.metric), one.scope, value(one.metric, one.before), value(one.metric, one.after), *told])
    return table(rows, left=(0, 1))


def _changed(found: Sequence[Difference]) -> Iterator[str]:
    for one in found:
        if one.worse:
            yield f"worse in {one.key}: {ids(one.worse)}"
        if one.better:
            yield f"better in {one.key}: {ids(one.better)}"


# -------------------------------------------------------------------------------------------------------------------- gate


def of_judgement(judgement: Judgement) -> str:
    """The whole report, the verdict last."""
    parts = [f"{judgement.after.name} against {judgement.before.name}: {len(judgement.after.items)} questions"]
    parts += ["\n".join(f"! {note}" for note in judgement.notes)] if judgement.notes else []
    parts += [_verdicts(judgement.verdicts)] if judgement.verdicts else []
    worse = [f"worse in {one.difference.key}: {ids(one.difference.worse)}" for one in judgement.verdicts if one.difference.worse]
    parts += ["\n".join(worse)] if worse else []
    return "\n\n".join([*parts, "\n".join(verdict_lines(judgement))])


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    rows = [["", "over", "baseline", "now", "delta", "95 % interval", "errors", "outcome"]]
    for verdict in verdicts:
        one = verdict.difference
        told = [signed(one.metric, one.delta), interval(one), str(one.after.n_error), verdict.said]
        rows.append([title(one.metric), one.scope, value(one.metric, one.before), value(one.metric, one.after), *told])
    return table(rows, left=(0, 1, 7))


def verdict_lines(judgement: Judgement) -> list[str]:
    """The verdict, and why, in one line for each reason."""
    if not judgement.passed:
        return [f"  {reason}" for reason in judgement.reasons] + [f"FAIL: {len(judgement.reasons)} reasons" if len(judgement.reasons) > 1 else "FAIL"]
    unsure = sum(one.outcome == "INCONCLUSIVE" for one in judgement.verdicts)
    held = sum(one.outcome == "OK" for one in judgement.verdicts)
    floors = counted(judgement.floors) if judgement.floors else "no floors are set for these questions"
    said = f"PASS: {held} of {len(judgement.verdicts)} figures are as good as in the baseline, {floors}"
    return [f"{said}; {unsure} inconclusive" if unsure else said]
