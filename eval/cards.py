"""What each metric is, from the metrics themselves: for the report, and as the table in docs/evaluation.md.

python -m eval.cards             print the table
python -m eval.cards --write     write it into docs/evaluation.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eval import corpus, scoring
from eval.datasets.loader import Kind, Question
from eval.figures import Metric, NotApplicable
from eval.items import Item, ItemSentence, Quote, Ranked
from eval.selective import SetMetric
from eval.turn_figures import DEFINITIONS

DOCUMENT = corpus.ROOT / "docs" / "evaluation.md"
BEGIN, END = "<!-- cards: python -m eval.cards --write -->", "<!-- end of cards -->"

_LIBRARY = {"p": "Tides rise twice a day."}
_QUESTION = Question("q", Kind.PARTIAL, "How often?", ("What?",), ("p",), (("twice",),), True, 0, (), (("why",),))
_WHOLE = Item(
    _QUESTION,
    "answered",
    sentences=(ItemSentence("“Tides rise twice a day.”", "", (1,), "supported", "", (), (Quote("p", 0, 5, "Tides", "Tides"),)),),
    sources=(Ranked("p", "p", 1.0, 1),),
    retrieved=(Ranked("p", "p", 1.0),),
    own_words="why",
)
_WITHOUT: Mapping[str, Callable[[Item], Item]] = {
    "papers": lambda item: replace(item, question=replace(item.question, papers=())),
    "facts": lambda item: replace(item, question=replace(item.question, facts=())),
    "missing": lambda item: replace(item, question=replace(item.question, missing=())),
    "answerable": lambda item: replace(item, question=replace(item.question, answerable=None)),
    "the ranking": lambda item: replace(item, retrieved=None),
    "citations": lambda item: _with_sentence(item, citations=()),
    "quotes with places": lambda item: _with_sentence(item, quotes=()),
    "quotation marks": lambda item: _with_sentence(item, text="Tides rise twice a day."),
    "the system's own verdicts": lambda item: _with_sentence(item, verdict=""),
    "an answer": lambda item: replace(item, status="abstained", sentences=(), sources=()),
}


def _with_sentence(item: Item, **changed: object) -> Item:
    return replace(item, sentences=tuple(replace(one, **changed) for one in item.sentences))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Card:
    """A metric in words. `needs`: without one of these it does not apply to a question, which is counted, and never is 0. `over`: its scopes."""

    name: str
    title: str
    formula: str
    direction: str
    range: str
    version: str
    needs: tuple[str, ...]
    over: tuple[str, ...]


def needs(metric: Metric | SetMetric) -> tuple[str, ...]:
    """What a metric can't do without, found by taking it away.

    >>> needs(scoring.FACT)
    ('facts',)
    """
    if isinstance(metric, SetMetric):
        return ("papers or answerable",)
    if metric.name.startswith("latency"):
        return ("a clock",)
    return tuple(what for what, without in _WITHOUT.items() if isinstance(metric.score(without(_WHOLE)), NotApplicable))


def cards() -> list[Card]:
    """One of every metric."""
    over = {metric.name: scopes for metric, scopes in scoring.plan(_LIBRARY)}
    single = {metric.name: metric for metric, _ in scoring.plan(_LIBRARY)}
    of_answers = [
        Card(name, one.title, one.formula, one.direction, one.range, one.version, needs(single.get(name, one)), over.get(name, ("all",)))
        for name, one in scoring.metrics().items()
    ]
    of_dialogues = [
        Card(one.name, one.title, one.formula, one.direction, one.range, one.version, one.needs, one.over) for one in DEFINITIONS.values()
    ]
    return [*of_answers, *of_dialogues]


def table(found: Sequence[Card]) -> str:
    """As a table in Markdown."""
    lines = ["| figure | what it is | over | of one question, or of the set | better | range | needs |", "|---|---|---|---|---|---|---|"]
    for one in found:
        cells = (f"`{one.name}`", one.title, ", ".join(one.over), one.formula, one.direction, one.range, ", ".join(one.needs))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines)


def written_into(text: str) -> str:
    """A document with the table between its marks. Raises ValueError where they are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n\n{table(cards())}\n\n{END}{after}"


def main(argv: Sequence[str], document: Path = DOCUMENT) -> int:
    """Print the table, or write it into the document."""
    if "--write" in argv:
        document.write_text(written_into(document.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(f"{table(cards())}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
