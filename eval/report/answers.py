"""An answer as the page shows it: each sentence with the harness's own verdict and the best passage of what it cites, and what it was made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eval import grounded
from eval.items import Item, ItemSentence
from eval.metrics import attribution, facts
from eval.metrics.support import Label, Support, rarity_in, sentences
from eval.run_directory import Run

_FOUND = 5  # papers of the ranking that are shown
_MOST_WANTED = 4  # passages with missing facts


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of an answer. `support` is None where it claims nothing; `labels`: of the papers that it cites."""

    sentence: ItemSentence
    support: Support | None
    labels: tuple[str, ...]

    @property
    def colour(self) -> str:
        """A class of the page's style."""
        if not self.sentence.citations:
            return "uncited"
        label = self.support.label if self.support else None
        return "" if label is None else "partial-label" if label is Label.PARTIAL else str(label)


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper of the ranking, from place 1 on."""

    label: str
    is_right: bool
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """A fact that an answer lacks, as it stands in a sentence of a right paper."""

    fact: str
    paper: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What one system said to a question. `wanted`: where the facts stand that it lacks."""

    item: Item
    sentences: tuple[ShownSentence, ...]
    found: tuple[FoundPaper, ...]
    wanted: tuple[Wanted, ...]


def shower(run: Run) -> Callable[[Item], ShownAnswer]:
    """Shows items of a run, with the papers of the run as evidence."""
    rarity = rarity_in(run.library.values())

    def shown(item: Item) -> ShownAnswer:
        check = grounded.checker(run.library, item.question.text, rarity, None)
        return ShownAnswer(item, tuple(_sentences(item, check, run.labels)), tuple(_found(item)), tuple(_wanted(item, run)))

    return shown


def _sentences(item: Item, check: attribution.Check, labels: Mapping[str, str]) -> Sequence[ShownSentence]:
    papers = {source.n: source.paper for source in item.sources}
    shown = []
    for sentence in item.sentences:
        cited = tuple(papers[number] for number in sentence.citations if number in papers)
        support = check(sentence.text, cited) if attribution.claims_something(sentence.text) else None
        shown.append(ShownSentence(sentence, support, tuple(labels.get(paper, paper) for paper in cited)))
    return shown


def _found(item: Item) -> Sequence[FoundPaper]:
    return [FoundPaper(hit.label, hit.paper in item.question.papers, hit.paper in item.cited) for hit in (item.retrieved or ())[:_FOUND]]


def _wanted(item: Item, run: Run) -> Sequence[Wanted]:
    if item.status == "error":
        return []
    met = facts.groups_met(item.prose, item.question.facts)
    missing = [group for group, is_met in zip(item.question.facts, met, strict=True) if not is_met]
    places = (place for group in missing for place in _places(group, item.question.papers, run))
    return [place for place, _ in zip(places, range(_MOST_WANTED), strict=False)]


def _places(group: Sequence[str], papers: Sequence[str], run: Run) -> Sequence[Wanted]:
    """The first sentence of each right paper that holds the fact."""
    found = []
    for paper in papers:
        holding = ((alias, one) for one in sentences(run.library.get(paper, "")) for alias in group if facts.stands_in(alias, one))
        if (first := next(holding, None)) is not None:
            alias, sentence = first
            found.append(Wanted(alias, run.labels.get(paper, paper), sentence))
    return found
