"""Two runs on one page: by how much each figure differs, which questions got worse or better, and both answers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from eval import comparison, run_directory, scoring, sides
from eval.comparison import Comparison, Difference
from eval.figures import Failed, NotApplicable, Score
from eval.items import Item
from eval.judgement import Judgement, Rules, judge
from eval.report import answers, differences, plots
from eval.report.answers import ShownAnswer
from eval.report.plots import Axes, Dot, Line
from eval.run_directory import Run
from eval.sides import HEADLINE, Scored, Side

MOST = 200  # questions that are shown

_DECIDING = "right.all"


class What(StrEnum):
    """What became of a question, the worst first. Length alone makes nothing better or worse."""

    LOST = "right before, wrong now"
    WORSE = "worse"
    MIXED = "better and worse"
    BETTER = "better"
    WON = "wrong before, right now"
    OTHER = "other words"


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure of one question: its values, as they are shown, and how much better it is now (below 0: worse)."""

    title: str
    before: str
    after: str
    gain: float


@dataclass(frozen=True, slots=True)
class Change:
    """A question of which something changed. `before` is None where the other side keeps scores alone. `order`: its place by each way of sorting."""

    what: What
    moved: tuple[Moved, ...]
    before: ShownAnswer | None
    after: ShownAnswer
    order: Mapping[str, int]

    @property
    def slug(self) -> str:
        """A class of the page's style."""
        return self.what.name.lower()

    def is_new(self, text: str) -> bool:
        """Does a sentence stand in one of the two answers alone?"""
        return self.before is not None and not all(any(text == one.sentence.text for one in side.sentences) for side in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that the page says of two runs.

    `judgement`: of the figures alone, the floors stand elsewhere; `values`: before, of the figures that are not judged; `left_out`: questions beyond
    those shown.
    """

    judgement: Judgement
    about: str
    by_key: Mapping[str, Difference]
    values: Mapping[str, float | None]
    counts: Mapping[What, int]
    shown: tuple[Change, ...]
    left_out: int
    pictures: tuple[str, ...]


SORTED_BY = {"what": "what became of it", "gain": "how much worse", "kind": "kind of question", "id": "number"}
"""Ways of sorting what changed; the first one is the usual one."""


def of(run: Run, baseline: Path, *, allow_other_data: bool = False) -> Changes:
    """Hold a run against another one, or against a baseline of scores. Raises RagQAError for what can't be compared."""
    earlier = run_directory.load(baseline) if baseline.is_dir() else None
    before, after = sides.of_run(earlier) if earlier else sides.read(baseline), sides.of_run(run)
    compared = comparison.compare(before, after, allow_other_data=allow_other_data, only=(*HEADLINE, *before.judged))
    judgement = judge(before, after, [], Rules(), asked=int(run.manifest["questions"]), compared=compared)
    found = changed(compared, run, earlier)
    return Changes(
        judgement,
        _about(before, earlier),
        {one.key: one for one in compared.differences},
        _of_the_set(earlier),
        {what: count for what in What if (count := sum(one.what is what for one in found))},
        tuple(with_answers(found[:MOST], run, earlier)),
        len(found[MOST:]),
        tuple(filter(None, (of_figures(compared), of_confidence(run, earlier)))),
    )


def _about(before: Side, earlier: Run | None) -> str:
    if earlier is None:
        return f"{before.name}, which keeps the scores of {len(before.items)} questions and no text"
    manifest = earlier.manifest
    revision, started = (manifest.get("revision") or "unknown")[:12], manifest.get("started", "at an unknown time")
    return f"{before.name}, revision {revision}, {started}, settings {manifest.get('configuration_sha256', 'unknown')[:12]}"


def _of_the_set(earlier: Run | None) -> dict[str, float | None]:
    if earlier is None:
        return {}
    figures = scoring.figures(earlier.items, earlier.timings)
    return {figure.key: figure.value for figure in figures if figure.key in sides.OF_THE_SET}


# --------------------------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True, slots=True)
class Found:
    """A question of which something changed."""

    what: What
    moved: tuple[Moved, ...]
    before: Item | None
    after: Item

    @property
    def gain(self) -> float:
        """By how much it is better in all figures together; below 0 worse. No figure counts for more than 1."""
        return sum(max(-1.0, min(1.0, one.gain)) for one in self.moved)


def changed(compared: Comparison, run: Run, earlier: Run | None) -> list[Found]:
    """The questions that changed in a headline figure or in their words, the worst first."""
    then = {item.question.id: item for item in earlier.items} if earlier else {}
    old, new = ({one.id: one for one in side.items} for side in (compared.before, compared.after))
    found = []
    for item in (one for one in run.items if one.question.id in old):
        name = item.question.id
        moved, before = _moved(compared, old[name], new[name]), then.get(name)
        if (what := _what(name, compared, moved, before, item)) is not None:
            found.append(Found(what, tuple(one for one, _ in moved), before, item))
    return sorted(found, key=_SORTS["what"])


_WORST_FIRST = {what: place for place, what in enumerate(What)}
_SORTS: Mapping[str, Callable[[Found], tuple[int | float | str, ...]]] = {
    "what": lambda one: (_WORST_FIRST[one.what], one.gain, one.after.question.id),
    "gain": lambda one: (one.gain, one.after.question.id),
    "kind": lambda one: (str(one.after.question.kind), _WORST_FIRST[one.what], one.after.question.id),
    "id": lambda one: (one.after.question.id,),
}


def with_answers(found: Sequence[Found], run: Run, earlier: Run | None) -> list[Change]:
    """The changes with both answers, and with their places by each way of sorting."""
    then, now = answers.shower(earlier) if earlier else None, answers.shower(run)
    places = {name: {one.after.question.id: place for place, one in enumerate(sorted(found, key=_SORTS[name]))} for name in SORTED_BY}
    return [
        Change(
            one.what,
            one.moved,
            then(one.before) if then and one.before else None,
            now(one.after),
            {name: at[one.after.question.id] for name, at in places.items()},
        )
        for one in found
    ]


def _moved(compared: Comparison, old: Scored, new: Scored) -> list[tuple[Moved, Difference]]:
    found = []
    for one in compared.differences:
        if old.id in one.better or old.id in one.worse:
            before, after = old.scores[one.metric], new.scores[one.metric]
            sign = 1.0 if old.id in one.better else -1.0
            by = abs(after - before) if isinstance(before, float | int) and isinstance(after, float | int) else 1.0
            found.append((Moved(differences.title(one.metric), _shown(before), _shown(after), sign * by), one))
    return found


def _shown(score: Score) -> str:
    if isinstance(score, NotApplicable):
        return "–"
    return "error" if isinstance(score, Failed) else f"{score:.3g}"


def _what(name: str, compared: Comparison, moved: Sequence[tuple[Moved, Difference]], before: Item | None, after: Item) -> What | None:
    decided = next((one for one in compared.differences if one.key == _DECIDING), None)
    if decided is not None and name in decided.worse:
        return What.LOST
    if decided is not None and name in decided.better:
        return What.WON
    gains = [one.gain for one, difference in moved if comparison.is_share(difference.metric)]
    if gains:
        return What.MIXED if min(gains) < 0 < max(gains) else What.WORSE if min(gains) < 0 else What.BETTER
    is_other = before is not None and (before.status, before.text) != (after.status, after.text)
    return What.OTHER if moved or is_other else None


# ---------------------------------------------------------------------------------------------------------------- pictures


def of_figures(compared: Comparison) -> str:
    """Each headline figure that is a share: before along x, now along y."""
    shares = [one for one in compared.differences if comparison.is_share(one.metric) and one.before.value is not None and one.after.value is not None]
    if not shares:
        return ""
    dots = [Dot(one.before.value or 0.0, one.after.value or 0.0, _class(one), _said(one)) for one in shares]
    return plots.plot("Figures, before and now", Axes("before", "now"), [_SAME], dots=_changed_last(dots))


_SAME = Line("the same", [(0.0, 0.0), (1.0, 1.0)], "other")


def _changed_last(dots: Sequence[Dot]) -> list[Dot]:
    """So that what changed is not covered by what did not."""
    return sorted(dots, key=lambda dot: dot.kind in ("good", "bad"))


def _class(one: Difference) -> str:
    return "main" if not one.delta else "good" if one.delta > 0 else "bad"


def _said(one: Difference) -> str:
    return f"{differences.title(one.metric)}, {one.scope}: {differences.value(one.metric, one.before)} → {differences.value(one.metric, one.after)}"


def of_confidence(run: Run, earlier: Run | None) -> str:
    """Each question by its confidence before and now, coloured by whether it was right; "" where the other side keeps none."""
    if earlier is None:
        return ""
    then = {item.question.id: item for item in earlier.items}
    pairs = [(then[item.question.id], item) for item in run.items if item.question.id in then]
    dots = [Dot(_within(before), _within(after), _outcome(before, after), f"{after.question.id}: {after.question.text}") for before, after in pairs]
    return plots.plot("Confidence, before and now", Axes("before", "now"), [_SAME], dots=_changed_last(dots))


def _within(item: Item) -> float:
    return min(1.0, max(0.0, item.confidence))


def _outcome(before: Item, after: Item) -> str:
    was, now = (item.status != "error" and scoring.RIGHT.score(item) == 1.0 for item in (before, after))
    return ("good" if now else "bad") if was != now else "main" if now else "half"
