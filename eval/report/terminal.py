"""A run as text: the verdict, the figures, the figures by kind, and what went wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from eval import scoring
from eval.figures import Figure
from eval.floors import counted
from eval.items import Item
from eval.report.table import table
from eval.summary import Summary

WIDTH = 118


def render(summary: Summary, items: Sequence[Item], *, only_failures: bool = False) -> str:
    """The whole report; `only_failures` leaves the tables out."""
    tables = [] if only_failures else [_headline(summary), _by_kind(summary), *_spending(summary)]
    return "\n\n".join([_about(summary), *tables, *_constant(summary), _failures(items), _verdict(summary)])


def _constant(summary: Summary) -> list[str]:
    """What no answer differs in, as one paragraph."""
    same = [f"! {one.key} is {_number(one.value)} for each of {one.n_scored} answers: it tells nothing" for one in summary.figures if one.constant]
    return ["\n".join(same)] if same else []


def _about(summary: Summary) -> str:
    about = summary.about
    status = ", ".join(f"{count} {name}" for name, count in about["status"].items())
    models = ", ".join(about["models"]) or "nothing"
    partial = "" if about.get("is_complete", True) else f"PARTIAL: {about['questions']} of {about['of']} questions were asked.\n"
    return f"{partial}{about['questions']} questions of {about['data']} over {about['papers']} papers, answered by {models}: {status}"


def _verdict(summary: Summary) -> str:
    not_held = [check for check in summary.checks if check.outcome != "pass"]
    lines = [f"  {check.outcome:<12}  {check.floor.key} is {_number(check.value)}, to be {check.floor}" for check in not_held]
    return "\n".join([*lines, f"{summary.verdict}: {counted(summary.checks)}"])


def _headline(summary: Summary) -> str:
    known = scoring.metrics()
    floors = {check.floor.key: check for check in summary.checks}
    rows = [["", "over", "value", "95 % interval", "scored/eligible/errors", "floor"]]
    unlabelled = [figure for figure in _unlabelled(summary.figures) if figure.key not in floors]
    for figure in (one for one in summary.figures if one not in unlabelled):
        metric = known[figure.metric]
        check = floors.get(figure.key)
        floor = f"{check.floor}  {check.outcome}" if check else ""
        arrow = {"higher": "↑", "lower": "↓", "neither": ""}[metric.direction]
        rows.append([f"{metric.title} {arrow}", figure.scope, _number(figure.value), _interval(figure), figure.counts, floor])
    told = f"{len(unlabelled)} figures need papers, facts, answerable or kinds that these questions do not have (na in summary.json)"
    return "\n".join([table(rows, left=(0, 1, 5)), *([told] if unlabelled else [])])


def _unlabelled(figures: Sequence[Figure]) -> list[Figure]:
    """Figures without a value because the questions of the run lack a label; none where every question has what it is measured by."""
    if not any("missing_field" in figure.na for figure in figures):
        return []
    return [one for one in figures if not one.n_eligible and (not one.n_na or "missing_field" in one.na)]


def _by_kind(summary: Summary) -> str:
    heads = ["", "n", "first", "recall@5", "cited", "fact", "fact in 1st", "words", "decision", "right", "errors"]
    rows = [["by kind", *heads[1:]]]
    for kind, figures in summary.by_kind.items():
        # every question has a decision, so that its figure counts them all
        total = next(figure for figure in figures if figure.metric == scoring.DECISION.name)
        rows.append([kind, str(total.n_eligible), *(_number(figure.value) for figure in figures), str(total.n_error)])
    return table(rows, left=(0,))


def _spending(summary: Summary) -> list[str]:
    if not summary.spending:
        return []
    first = summary.spending["cold_ms"] or {}
    rows = [["milliseconds", "n", "p50", "p95", "max", "first question"]]
    for stage, one in summary.spending["warm_ms"].items():
        cold = _number(first[stage]) if stage in first else "-"
        rows.append([stage, str(one["n"]), *(f"{one[name]:.1f}" for name in ("p50", "p95", "max")), cold])
    return [table(rows, left=(0,)), *_cost(summary.spending["cost"])]


def _cost(cost: Mapping[str, Any]) -> list[str]:
    """A line where a system told of tokens."""
    if not cost["questions_with_tokens"]:
        return []
    read, written, dollars, each = (cost[name] for name in ("prompt_tokens", "completion_tokens", "cost_usd", "usd_per_right_answer"))
    tokens = "tokens unknown" if read is None or written is None else f"{read} tokens read, {written} written"
    price = "cost unknown" if dollars is None else f"{dollars:.6f} USD"
    right = f", {each:.6f} USD for each of {cost['right_answers']} right answers" if each is not None else ""
    return [f"{tokens}; {price}{right}"]


def _failures(items: Sequence[Item]) -> str:
    wrong = [(item, faults) for item in items if (faults := scoring.faults(item))]
    if not wrong:
        return "Nothing went wrong."
    return "\n\n".join([f"{len(wrong)} of {len(items)} questions went wrong:", *(_failure(item, faults) for item, faults in wrong)])


def _failure(item: Item, faults: Sequence[str]) -> str:
    question = item.question
    lines = [f"{question.id} ({question.kind}) {question.text}"]
    lines += [f"  after: {earlier}" for earlier in question.history]
    if item.understood_as and item.understood_as != question.text:
        lines.append(f"  understood as: {item.understood_as}")
    lines += [f"  - {fault}" for fault in faults]
    lines += textwrap.wrap(item.text, WIDTH, initial_indent="  > ", subsequent_indent="    ", break_long_words=False)
    return "\n".join(lines)


def _number(value: float | None) -> str:
    """Three decimals for shares, one for words and milliseconds.

    >>> _number(0.97), _number(61.0), _number(None)
    ('0.970', '61.0', '-')
    """
    if value is None:
        return "-"
    return f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def _interval(figure: Figure) -> str:
    return f"{figure.interval[0]:.3f}-{figure.interval[1]:.3f}" if figure.interval else ""
