"""What a figure has to be held against: two systems that need no skill, on the very questions of a run.

One refuses everything. The other quotes the whole abstract that the search ranked first, each sentence with its citation, whatever is asked: it
holds every fact that the paper has, and makes one read all of it. A system that is worth something is better than both where they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from eval import scoring
from eval.figures import Metric, measure
from eval.items import Item, ItemSentence, Quote, Ranked
from eval.metrics.support import sentences
from eval.run_directory import Run


@dataclass(frozen=True, slots=True)
class Anchors:
    """A figure of either system, None where it has none."""

    refusing: float | None
    quoting: float | None


def of(run: Run, keys: Sequence[str]) -> dict[str, Anchors]:
    """The anchors of the figures with these keys; those that are not about single answers have none."""
    plan = {metric.name: metric for metric, _ in scoring.plan(run.library)}
    refusing, quoting = [refusal(item) for item in run.items], [quotation(item, run.library) for item in run.items]
    found = {}
    for key in keys:
        name, scope = key.rsplit(".", 1)
        if name in plan:
            found[key] = Anchors(_value(plan[name], scope, refusing), _value(plan[name], scope, quoting))
    return found


def _value(metric: Metric, scope: str, items: Sequence[Item]) -> float | None:
    belongs: Callable[..., bool] = scoring.SCOPES[scope]
    return measure(metric, scope, [item for item in items if belongs(item.question)]).value


def refusal(item: Item) -> Item:
    """The same search, and no answer."""
    return Item(item.question, "abstained", retrieved=item.retrieved, retrieval_error=item.retrieval_error)


def quotation(item: Item, library: Mapping[str, str]) -> Item:
    """The same search, and the first paper's abstract; a refusal where nothing was found."""
    first = item.retrieved[0] if item.retrieved else None
    abstract = library.get(first.paper, "") if first else ""
    if first is None or not abstract.strip():
        return refusal(item)
    quote = Quote(first.paper, 0, len(abstract), abstract, abstract)
    parts = tuple(ItemSentence(text, "", (1,), "", "", (), (quote,)) for text in sentences(abstract))
    source = Ranked(first.paper, first.label, first.score, 1)
    return replace(refusal(item), status="answered", text=abstract, sentences=parts, sources=(source,))
