"""A run as one HTML file that needs nothing from outside: `python -m eval report`. A pure function of what the run left: the same bytes each time."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from eval import cards, causes, floors, grounded, run_directory, scoring, selective
from eval.causes import Cause
from eval.datasets.loader import Kind
from eval.figures import Figure, Metric, measure
from eval.items import Item, ItemSentence
from eval.metrics import abstention, attribution, facts, retrieval
from eval.metrics.support import Label, Support, rarity_in
from eval.report import measured, plots
from eval.report.plots import Axes, Line
from eval.run_directory import Run
from eval.summary import Summary
from rag_qa.errors import SourceError

_TRUST = "what `python -m eval trust --out` wrote"
HELP = "write a run as one HTML file: what went wrong first, with the evidence beside it"

_HEADLINE = (
    *("right.all", "right_paper_first.single", "fact_in_answer.single", "fact_in_first_sentence.single", "words_median.all"),
    *("refused.unanswerable", "over_refused.answerable", "right.followup", "right.set", "right.partial"),
    *("citation_recall.all", "citation_support_precision.all", "groundedness.all", "contradicted.all", "quotes_verbatim.all"),
    *("success_at_1.answerable", "recall_at_5.answerable", "ndcg_at_10.answerable", "aurc.all", "calibration_error.all", "latency_p50_ms.all"),
)
_DEPTHS = tuple(range(1, 11))
_SLICES = ("success_at_1", "right_paper_cited", "fact_in_answer", "fact_in_first_sentence", "right_decision", "right")
_MOST_FAILURES = 200

# -------------------------------------------------------------------------------------------------------------- what is shown


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of an answer, how the harness's own checker judges it, and the best passage of what it cites."""

    sentence: ItemSentence
    support: Support | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that went wrong. `found`: (label, id, is right, is cited) of the papers that were ranked first."""

    item: Item
    cause: Cause
    faults: Sequence[str]
    sentences: Sequence[ShownSentence]
    found: Sequence[tuple[str, str, bool, bool]]
    missed: Sequence[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of the headline table."""

    figure: Figure
    title: str
    arrow: str
    floor: str
    outcome: str


def failures(run: Run) -> list[Failure]:
    """What went wrong, crashes and answers that should not be there first."""
    rarity = rarity_in(run.library.values())
    wrong = [(item, why) for item in run.items if (why := causes.cause(item)) is not None]
    order = list(Cause)
    return [_failure(run, item, why, rarity) for item, why in sorted(wrong, key=lambda pair: order.index(pair[1]))][:_MOST_FAILURES]


def _failure(run: Run, item: Item, why: Cause, rarity: Any) -> Failure:
    check = grounded.checker(run.library, item.question.text, rarity, None)
    papers = {source.n: source.paper for source in item.sources}
    shown = []
    for sentence in item.sentences:
        cited = tuple(papers[number] for number in sentence.citations if number in papers)
        support = check(sentence.text, cited) if attribution.claims_something(sentence.text) else None
        shown.append(ShownSentence(sentence, support, tuple(run.labels.get(paper, paper) for paper in cited)))
    found = [(hit.label, hit.paper, hit.paper in item.question.papers, hit.paper in item.cited) for hit in (item.retrieved or ())[:5]]
    met = facts.groups_met(item.prose, item.question.facts)
    missed = [" / ".join(group) for group, is_met in zip(item.question.facts, met, strict=True) if not is_met]
    return Failure(item, why, scoring.faults(item), shown, found, missed)


def headline(summary: Summary) -> list[Row]:
    """The figures that stand at the top, and every one that has a floor."""
    checks = {check.floor.key: check for check in summary.checks}
    by_key = {figure.key: figure for figure in summary.figures}
    keys = dict.fromkeys([*_HEADLINE, *checks])
    return [_row(by_key[key], checks.get(key)) for key in keys if key in by_key and (by_key[key].n_eligible or key in checks)]


def _row(figure: Figure, check: floors.Check | None) -> Row:
    metric = scoring.metrics()[figure.metric]
    arrow = {"higher": "↑", "lower": "↓", "neither": ""}[metric.direction]
    return Row(figure, metric.title, arrow, str(check.floor) if check else "", check.outcome if check else "")


# -------------------------------------------------------------------------------------------------------------------- plots


def risk_coverage(items: Sequence[Item]) -> str:
    """Risk among the surest, beside that of a perfect order."""
    found = selective.curve(items)
    ours = abstention.risk_coverage(found.confidence, found.wrong)
    oracle = abstention.risk_coverage([float(right) for right in found.right], found.wrong)
    highest = max(point.risk for point in ours)
    axes = Axes("coverage: share of questions, surest first", "risk", to_y=1.0 if highest > 0.5 else 0.5)
    return plots.plot(
        "Risk and coverage",
        axes,
        [
            Line("this run", [(point.coverage, point.risk) for point in ours]),
            Line("perfect order", [(point.coverage, point.risk) for point in oracle], "other"),
        ],
    )


def reliability(items: Sequence[Item]) -> str:
    """Confidence against how often it is right."""
    found = selective.curve(items)
    bins = abstention.reliability(found.confidence, found.right)
    lines = [Line("perfect", [(0.0, 0.0), (1.0, 1.0)], "other"), Line("this run", [(one.confidence, one.right) for one in bins])]
    return plots.plot(
        "Reliability", Axes("confidence", "share right"), [*lines, Line("ten bins", [(b.confidence, b.right) for b in bins], dots=True)]
    )


def by_depth(items: Sequence[Item]) -> str:
    """nDCG and recall by how many papers are looked at."""
    ranked = [([hit.paper for hit in item.retrieved or ()], item.question.papers) for item in items if item.question.papers]
    if not ranked:
        return ""

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    ndcg = [(float(k), mean([retrieval.ndcg_at(found, dict.fromkeys(right, 1.0), k) for found, right in ranked])) for k in _DEPTHS]
    recall = [(float(k), mean([retrieval.recall_at(found, right, k) for found, right in ranked])) for k in _DEPTHS]
    return plots.plot(
        "Ranking by depth", Axes("papers looked at", "nDCG, recall", to_x=10), [Line("nDCG@k", ndcg), Line("recall@k", recall, "other")]
    )


def latencies(run: Run) -> str:
    """Share of questions that were answered within a time."""
    seconds = sorted(timing.seconds * 1000 for timing in run.timings)
    if not seconds:
        return ""
    steps = [(value, (place + 1) / len(seconds)) for place, value in enumerate(seconds)]
    return plots.plot("Latency", Axes("milliseconds, warm", "share of questions", to_x=_round_up(seconds[-1])), [Line("this run", steps)])


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 ...

    >>> _round_up(37.0), _round_up(501.0)
    (50, 1000)
    """
    step = 1
    while True:
        for factor in (1, 2, 5):
            if value <= factor * step:
                return factor * step
        step *= 10


# ------------------------------------------------------------------------------------------------------------------ tables


def slices(items: Sequence[Item]) -> list[tuple[str, int, list[Figure]]]:
    """(kind, questions, figures) for each kind of question: a heat map."""
    known = scoring.metrics()
    metrics = [metric for name in _SLICES if isinstance(metric := known[name], Metric)]
    groups = {kind: [item for item in items if item.question.kind is kind] for kind in Kind}
    return [(str(kind), len(group), [measure(metric, str(kind), group) for metric in metrics]) for kind, group in groups.items() if group]


def number(value: float | None) -> str:
    """A figure as it is shown.

    >>> number(0.9), number(61.04), number(None)
    ('0.900', '61.0', '–')
    """
    if value is None:
        return "–"
    return f"{value:.3f}" if value <= 1 else f"{value:.1f}"


def shade(figure: Figure) -> str:
    """How green a cell of the heat map is, from 0 to 4; "none" without a value."""
    return "none" if figure.value is None else str(min(4, int(figure.value * 5)))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": number, "shade": shade}
    return environment.get_template("page.html.j2")


def render(run: Run, summary: Summary, *, differences: str = "", trust: Mapping[str, Any] | None = None) -> str:
    """The whole page. `differences`: the comparison with another run, as text; `trust`: what `python -m eval trust` wrote."""
    wrong = failures(run)
    counts = causes.counted(run.items)
    known = [risk_coverage(run.items), reliability(run.items)] if selective.curve(run.items).wrong else []
    pictures = [*known, by_depth(run.items), latencies(run)]
    return _template().render(
        about=summary.about,
        manifest=run.manifest,
        passed=summary.passed,
        is_complete=run.is_complete,
        not_held=[check for check in summary.checks if check.outcome == "fail"],
        checks=summary.checks,
        rows=headline(summary),
        figures=summary.figures,
        titles={name: metric.title for name, metric in scoring.metrics().items()},
        failures=wrong,
        wrong=sum(counts.values()),
        causes=plots.bars("Where errors arose", [(cause.value, count) for cause, count in counts.items()]) if counts else "",
        plots=[picture for picture in pictures if picture],
        slice_titles=[scoring.metrics()[name].title for name in _SLICES],
        slices=slices(run.items),
        cards=cards.cards(),
        labels=Label,
        spending=summary.spending,
        differences=differences,
        trust=trust,
        measured=measured.of(run.directory),
    )


# ----------------------------------------------------------------------------------------------------------------- command


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("run", type=Path, metavar="DIR", help="a directory that `run --out` wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the page (default: DIR/report.html)")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="what `trust --out` wrote: how far the checks can be trusted")
    parser.add_argument("--floors", type=Path, default=floors.SHIPPED, metavar="FILE", help="floors (default: eval/floors.toml)")


def write(arguments: argparse.Namespace, summarised: Any) -> Path:
    """Write the page and give its place. Raises RagQAError."""
    run = run_directory.load(arguments.run)
    path: Path = arguments.out or arguments.run / "report.html"
    trust = _trust(arguments.trust) if arguments.trust else None
    path.write_text(render(run, summarised(run, floors.load(arguments.floors)), trust=trust), encoding="utf-8")
    return path


def _trust(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(path, None, found=str(error), expected=_TRUST) from None
    if not isinstance(found, dict) or not isinstance(found.get("said"), str) or not isinstance(found.get("tables"), list):
        raise SourceError(path, None, found="other JSON", expected=_TRUST)
    return found
