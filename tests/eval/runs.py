"""Sides and stored runs made of a few items, for the tests of what compares them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eval import sides
from eval.datasets.loader import Kind, Question
from eval.items import Item
from eval.run_directory import Writer
from eval.sides import Side
from tests.eval.making import answered, crashed, question, refused, unanswerable
from tests.fakes import PAPERS

ABOUT = {"data": "few.jsonl", "data_sha256": "d" * 64, "chosen_kinds": [], "papers": 3, "settings": {"answerer": "extractive"}}
MANIFEST = {
    "made_of": "tests",
    "papers_sha256": "f" * 64,
    "configuration_sha256": "c" * 64,
    "revision": "0123456789abcdef",
    "versions": {"python": "3.11"},
    "started": "2026-11-30T10:00:00+00:00",
}

RIGHT, WRONG, CRASH = "+", "-", "!"


def items(outcomes: str, *, unanswerables: str = "", papers: Sequence[str] = ()) -> list[Item]:
    """One question a character: "+" is answered rightly (or rightly refused), "-" wrongly, "!" crashes. Each is about a paper of its own if `papers`
    does not say otherwise.
    """
    asked = [question(f"q{n}", papers=(papers[n] if papers else f"p{n}",)) for n in range(len(outcomes))]
    odd = [unanswerable(f"u{n}", Kind.DETAIL) for n in range(len(unanswerables))]
    made = [_answer(one, outcome) for one, outcome in zip(asked, outcomes, strict=True)]
    return made + [_refusal(one, outcome) for one, outcome in zip(odd, unanswerables, strict=True)]


def _answer(asked: Question, outcome: str) -> Item:
    paper = asked.papers[0]
    text = "It is fast." if outcome == RIGHT else "It is slow."
    return crashed(asked) if outcome == CRASH else answered(asked, text, cites=(paper,), ranked=(paper, "other"))


def _refusal(asked: Question, outcome: str) -> Item:
    return crashed(asked) if outcome == CRASH else refused(asked) if outcome == RIGHT else answered(asked)


def side(made: Sequence[Item], *, name: str = "a run", **about: object) -> Side:
    """The scores of some items."""
    return sides.side(made, {**ABOUT, **about}, name=name)


def store(directory: Path, made: Sequence[Item], *, questions: int | None = None, **about: object) -> Path:
    """A directory as a run leaves it; with more `questions` than items as one leaves it that was interrupted."""
    manifest = {**MANIFEST, "about": {**ABOUT, **about}, "questions": questions or len(made)}
    writer = Writer(directory, manifest, PAPERS, fresh=True)
    for item in made:
        writer.keep(item, None)
    if questions is None:
        writer.finish([item.question.id for item in made])
    return directory
