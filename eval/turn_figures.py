"""What is measured of dialogues, from what was asked in them (see `eval.dialogues`): every figure with its counts, interval and direction.

An error counts as the worst value, as in every figure; intervals are Wilson's for shares of questions, otherwise a bootstrap over papers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from eval import grounded, scoring, sides
from eval.figures import Direction, Failed, Figure, Metric, NotApplicable, Score, measure
from eval.items import Item
from eval.metrics import retrieval, stats, turns
from eval.metrics.stats import Paired

LATER = 4
"""Turns from this one on are taken together."""


@dataclass(frozen=True, slots=True)
class Switch:
    """An answer after a change of topic. `earlier`: papers of the topic before; `alone`: the same question asked without a history."""

    item: Item
    earlier: frozenset[str]
    alone: Item


@dataclass(frozen=True, slots=True)
class Padded:
    """A follow-up that was asked after `more` turns of another chat."""

    item: Item
    more: int


@dataclass(frozen=True, slots=True)
class Asked:
    """All that was asked. `followups`: the last turns of the chats, with their history; `alone`: id -> the same without it; `padded`: the same after
    turns of another chat, and without any; `labelled`, `made`: changes of topic that a question set marks, or that were made by putting a question
    about another paper after a chat; `pairs`: of two chats that were asked one after the other and in turns, are the transcripts the same? None
    where a turn of them crashed.
    """

    followups: Sequence[Item]
    alone: Mapping[str, Item] = field(default_factory=dict)
    padded: Sequence[Padded] = ()
    labelled: Sequence[Switch] = ()
    made: Sequence[Switch] = ()
    pairs: Mapping[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a figure of dialogues is; `over`: the scopes it is taken over."""

    name: str
    title: str
    formula: str
    over: tuple[str, ...]
    direction: Direction = "higher"
    range: str = "0 to 1"
    version: str = "1"
    needs: tuple[str, ...] = ("a history", "papers", "the ranking")


DEFINITIONS = {
    one.name: one
    for one in (
        Definition(
            "turn_decay",
            "change of right a turn",
            "least squares slope of right by the turn that is asked; “padded”: the same questions, after turns of another chat",
            ("followup", "padded"),
            range="-1 to 1",
            needs=("a history", "answerable"),
        ),
        Definition("recall_alone_at_5", "recall@5 of the last turn alone", "recall@5 where the question is asked without its history", ("followup",)),
        Definition("mrr_alone_at_10", "MRR@10 of the last turn alone", "MRR@10 where the question is asked without its history", ("followup",)),
        Definition("rewrite_gain_recall", "rewrite gain, recall@5", "recall@5 less that of the last turn alone", ("followup",), range="-1 to 1"),
        Definition("rewrite_gain_mrr", "rewrite gain, MRR@10", "MRR@10 less that of the last turn alone", ("followup",), range="-1 to 1"),
        Definition(
            "coreference_at_1",
            "coreference resolved, right paper first",
            "1 if a right paper is ranked first; of the questions of which the last turn alone ranks none first",
            ("followup",),
        ),
        Definition(
            "coreference_at_5",
            "coreference resolved, right paper among 5",
            "1 if a right paper is among the first 5; of the questions of which the last turn alone ranks none first",
            ("followup",),
        ),
        Definition(
            "rewrite_harm",
            "spoilt by the history",
            "1 if no right paper is ranked first; of the questions of which the last turn alone ranks one first",
            ("followup",),
            "lower",
        ),
        Definition(
            "switch_contamination",
            "answers from the earlier topic",
            "1 if every cited paper belongs to the topic before the change, over answers with citations",
            ("labelled", "made"),
            "lower",
            needs=("a change of topic", "an answer", "citations"),
        ),
        Definition(
            "switch_cost",
            "what a change of topic costs",
            "right where the question is asked alone, less right where it is asked after another topic",
            ("labelled", "made"),
            "lower",
            "-1 to 1",
            needs=("a change of topic", "answerable"),
        ),
        Definition(
            "citation_carry_over",
            "citations of the answer's own sources",
            "citations in a later turn whose number is in the source list of that answer / citations",
            ("followup",),
            needs=("a history", "an answer", "citations"),
        ),
        Definition(
            "session_isolation",
            "chats that do not disturb each other",
            "1 if two chats asked in turns say the same, byte for byte, as asked one after the other",
            ("pairs",),
            needs=("two chats",),
        ),
    )
}
"""Every figure of dialogues beside those of each turn."""

BY_TURN: tuple[str, ...] = tuple(dict.fromkeys(key for key in sides.HEADLINE if key.partition(".")[2] != "single"))
"""The figures of a run that are taken turn by turn; of `metric.scope` within the questions of that scope."""

# ---------------------------------------------------------------------------------------------------------------- by turn


def turn(item: Item) -> int:
    """Which question of its chat it is, from 1: the number of earlier questions and one."""
    return len(item.question.history) + 1


def turn_name(number: int) -> str:
    """The scope of a turn.

    >>> turn_name(2), turn_name(7)
    ('turn 2', 'turn 4+')
    """
    return f"turn {LATER}+" if number >= LATER else f"turn {number}"


def by_turn(items: Sequence[Item], library: Mapping[str, str]) -> dict[str, list[Figure]]:
    """Headline figures of each turn that there is, over "turn 2" and so on; a figure of unanswerable questions is over those of the turn."""
    known = {metric.name: metric for metric in [*scoring.metrics().values(), *grounded.metrics(library)] if isinstance(metric, Metric)}
    names = dict.fromkeys(turn_name(number) for number in sorted({turn(item) for item in items}))
    groups = {name: [item for item in items if turn_name(turn(item)) == name] for name in names}
    wanted = [(known[name], scope) for name, _, scope in (key.partition(".") for key in BY_TURN)]
    return {name: [_measured(metric, name, scoring.within(group, scope)) for metric, scope in wanted] for name, group in groups.items()}


# ---------------------------------------------------------------------------------------------------------------- figures


def figures(asked: Asked) -> list[Figure]:
    """Every figure, in the order of the definitions."""
    found = [
        _decay("followup", asked.followups, [turn(item) for item in asked.followups]),
        _decay("padded", [one.item for one in asked.padded], [turn(one.item) for one in asked.padded]),
        *(_measured(metric, "followup", asked.followups) for metric in _of_rankings(asked.alone)),
        *(_gain(name, metric, asked) for name, metric in _GAINS.items()),
        *(_contamination(scope, switches) for scope, switches in (("labelled", asked.labelled), ("made", asked.made))),
        *(_cost(scope, switches) for scope, switches in (("labelled", asked.labelled), ("made", asked.made))),
        _measured(CARRY_OVER, "followup", [item for item in asked.followups if turn(item) > 1]),
        _isolation(asked.pairs),
    ]
    order = list(DEFINITIONS)
    return sorted(found, key=lambda one: order.index(one.metric))


def _metric(name: str, score: Callable[[Item], Score], *, binary: bool = False) -> Metric:
    one = DEFINITIONS[name]
    worst = 1.0 if one.direction == "lower" else 0.0
    return Metric(name, one.title, score, one.formula, "mean", one.direction, worst, one.range, binary, one.version)


def _measured(metric: Metric, scope: str, items: Sequence[Item]) -> Figure:
    """The figure, with an interval also where values are no yes or no."""
    found = measure(metric, scope, items)
    if metric.binary or metric.aggregate != "mean" or found.value is None:
        return found
    values = _values(metric, items)
    spread = stats.paired_bootstrap(Paired(np.where(np.isnan(values), np.nan, 0.0), values, _clusters(items)))
    return replace(found, interval=(spread.low, spread.high))


def _values(metric: Metric, items: Sequence[Item], *, error: float | None = None) -> stats.Array:
    """A value for each item, NaN where the metric does not apply; `error`: what an error counts as, if not the worst."""
    worst = error if error is not None else metric.worst if metric.worst is not None else np.inf

    def value(item: Item) -> float:
        score: Score = Failed(item.error) if item.status == "error" else metric.score(item)
        return np.nan if isinstance(score, NotApplicable) else worst if isinstance(score, Failed) else score

    return np.array([value(item) for item in items], dtype=np.float64)


def _clusters(items: Sequence[Item]) -> Any:
    return np.array(sides.clusters([item.question for item in items]), dtype=np.int64)


def _decay(scope: str, items: Sequence[Item], at: Sequence[int]) -> Figure:
    """The slope of `right` over questions of which it is known."""
    metric = scoring.RIGHT
    values = _values(metric, items)
    counts = measure(metric, scope, items)
    there = [place for place, value in enumerate(values) if not np.isnan(value)]
    when, reached, clusters = [at[i] for i in there], [float(values[i]) for i in there], [int(_clusters(items)[i]) for i in there]
    value = turns.slope(when, reached)
    interval = turns.slope_interval(when, reached, clusters)
    if value is None:
        return Figure("turn_decay", scope, None, 0, 0, 0, len(items))
    return Figure("turn_decay", scope, value, counts.n_scored, counts.n_eligible, counts.n_error, counts.n_na, interval)


# --------------------------------------------------------------------------------------------- the last turn alone, and rewritten


def _of_rankings(alone: Mapping[str, Item]) -> list[Metric]:
    """Metrics of follow-ups by what their last turn alone found: id -> the item of that."""

    def without_history(function: Callable[[Item], Score], item: Item) -> Score:
        other = alone[item.question.id]
        return Failed(other.error) if other.status == "error" else function(other)

    def needs_history(item: Item) -> Score | bool:
        first = without_history(scoring.RETRIEVAL[0].score, item)
        return first if isinstance(first, (Failed, NotApplicable)) else not _any_right(alone[item.question.id], 1)

    def resolved(k: int, item: Item) -> Score:
        needs = needs_history(item)
        if not isinstance(needs, bool):
            return needs
        return _found(item, k) if needs else NotApplicable("stands_alone")

    def harmed(item: Item) -> Score:
        needs = needs_history(item)
        if not isinstance(needs, bool):
            return needs
        if needs:
            return NotApplicable("needs_history")
        found = _found(item, 1)
        return found if isinstance(found, (Failed, NotApplicable)) else 1 - found

    return [
        _metric("recall_alone_at_5", partial(without_history, _RECALL.score)),
        _metric("mrr_alone_at_10", partial(without_history, _MRR.score)),
        _metric("coreference_at_1", partial(resolved, 1), binary=True),
        _metric("coreference_at_5", partial(resolved, 5), binary=True),
        _metric("rewrite_harm", harmed, binary=True),
    ]


_RECALL = next(one for one in scoring.RETRIEVAL if one.name == "recall_at_5")
_MRR = next(one for one in scoring.RETRIEVAL if one.name == "mrr_at_10")
_GAINS = {"rewrite_gain_recall": _RECALL, "rewrite_gain_mrr": _MRR}


def _any_right(item: Item, k: int) -> bool:
    return retrieval.reciprocal_rank([hit.paper for hit in item.retrieved or ()], item.question.papers, k=k) > 0


def _found(item: Item, k: int) -> Score:
    """Is a right paper among the first k of the question as it was understood?"""
    if item.retrieved is None:
        return Failed(item.retrieval_error) if item.retrieval_error else NotApplicable("missing_field")
    return float(_any_right(item, k))


def _gain(name: str, metric: Metric, asked: Asked) -> Figure:
    return _difference(name, "followup", metric, [asked.alone[item.question.id] for item in asked.followups], asked.followups)


def _difference(name: str, scope: str, metric: Metric, before: Sequence[Item], after: Sequence[Item]) -> Figure:
    """The mean of `after` less that of `before`, question by question. A question is an error where either side is one, and counts as what makes the
    figure worse: a crash of the last turn alone is no gain of the rewritten one.
    """
    gain = DEFINITIONS[name].direction == "higher"
    old, new = _values(metric, before, error=float(gain)), _values(metric, after, error=float(not gain))
    eligible = ~np.isnan(old) & ~np.isnan(new)
    old, new = np.where(eligible, old, np.nan), np.where(eligible, new, np.nan)
    count = int(eligible.sum())
    if not count:
        return Figure(name, scope, None, 0, 0, 0, len(after))
    pairs = zip(before, after, eligible, strict=True)
    errors = sum(bool(counts) and (_is_error(metric, one) or _is_error(metric, other)) for one, other, counts in pairs)
    paired = Paired(old, new, _clusters(after))
    spread = stats.paired_bootstrap(paired)
    return Figure(name, scope, paired.delta, count - errors, count, errors, len(after) - count, (spread.low, spread.high))


def _is_error(metric: Metric, item: Item) -> bool:
    return item.status == "error" or isinstance(metric.score(item), Failed)


# ------------------------------------------------------------------------------------------- change of topic, citations, sessions


def contamination(one: Switch) -> Score:
    """Does the answer come from the earlier topic alone?"""
    if one.item.status == "abstained":
        return NotApplicable("abstained")
    if not one.item.cited:
        return NotApplicable("no_citations")
    return turns.contaminated(one.item.cited, one.earlier, one.item.question.papers)


def _contamination(scope: str, switches: Sequence[Switch]) -> Figure:
    by_id = {one.item.question.id: one for one in switches}
    metric = _metric("switch_contamination", lambda item: contamination(by_id[item.question.id]), binary=True)
    return _measured(metric, scope, [one.item for one in switches])


def _cost(scope: str, switches: Sequence[Switch]) -> Figure:
    """`right` alone less `right` after the change: lower is better."""
    return _difference("switch_cost", scope, scoring.RIGHT, [one.item for one in switches], [one.alone for one in switches])


CARRY_OVER = replace(
    scoring.VALID,
    name="citation_carry_over",
    title=DEFINITIONS["citation_carry_over"].title,
    formula=DEFINITIONS["citation_carry_over"].formula,
)


def carried_over(item: Item) -> tuple[int, ...]:
    """Numbers that an answer cites and that are none of its own sources."""
    own = {source.n for source in item.sources}
    return tuple(number for sentence in item.sentences for number in sentence.citations if number not in own)


def _isolation(pairs: Mapping[str, bool | None]) -> Figure:
    count, errors = len(pairs), sum(same is None for same in pairs.values())
    if not count:
        return Figure("session_isolation", "pairs", None, 0, 0, 0, 0)
    same = sum(one is True for one in pairs.values())
    return Figure("session_isolation", "pairs", same / count, count - errors, count, errors, 0, stats.wilson(same, count))


def plain(figure: Figure) -> dict[str, Any]:
    """A figure with its definition, as in the summary of a run."""
    known: Mapping[str, Any] = {**scoring.metrics(), **DEFINITIONS}
    one = known[figure.metric]
    return {**asdict(figure), "direction": one.direction, "range": one.range, "formula": one.formula, "version": one.version}


def title(metric: str) -> str:
    """What a figure is called."""
    known: Mapping[str, Any] = {**scoring.metrics(), **DEFINITIONS}
    return str(known[metric].title)


def is_lost(item: Item, alone: Item) -> bool:
    """Does a question need its history, and is still no right paper among the first 5 when it is understood from it?"""
    return _are_ranked(item, alone) and not _any_right(alone, 1) and not _any_right(item, 5)


def is_spoilt(item: Item, alone: Item) -> bool:
    """Does a question rank a right paper first by itself, and no longer with its history?"""
    return _are_ranked(item, alone) and _any_right(alone, 1) and not _any_right(item, 1)


def _are_ranked(*found: Item) -> bool:
    return all(item.status != "error" and item.question.papers and item.retrieved is not None for item in found)


def is_lost_by_switch(one: Switch) -> bool:
    """Is a question answered rightly by itself, and not after another topic?"""
    return "error" not in (one.item.status, one.alone.status) and scoring.RIGHT.score(one.alone) == 1.0 and scoring.RIGHT.score(one.item) == 0.0
