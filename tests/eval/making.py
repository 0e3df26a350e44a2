"""Items and questions made by hand for the tests of the harness."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.beir import Judged
from eval.datasets.loader import Kind, Question
from eval.items import Item, ItemSentence, Quote, Ranked


def question(
    identifier: str = "q", *, papers: Sequence[str] = ("p1",), facts: Sequence[Sequence[str]] = (("fast",),), kind: Kind = Kind.FACT
) -> Question:
    """A question; without papers and facts an unanswerable one."""
    history = ("What is it?",) if kind is Kind.FOLLOWUP else ()
    return Question(identifier, kind, "How fast is it?", history, tuple(papers), tuple(tuple(group) for group in facts), bool(papers), 1)


def unanswerable(identifier: str = "u", kind: Kind = Kind.OFF_TOPIC) -> Question:
    """A question that no paper answers."""
    return question(identifier, papers=(), facts=(), kind=kind)


def answered(
    asked: Question, text: str = "It is fast.", *, cites: Sequence[str] = ("p1",), ranked: Sequence[str] = ("p1", "p2"), found: str = "fast"
) -> Item:
    """An answer of one sentence that cites papers and quotes "fast" from the first of them, where `found` stands."""
    quotes = (Quote(cites[0], 0, 4, "fast", found),) if cites else ()
    sentence = ItemSentence(text, "", tuple(range(1, len(cites) + 1)), "supported", "", (), quotes)
    sources = tuple(Ranked(paper, paper, 0.5, n) for n, paper in enumerate(cites, start=1))
    return Item(asked, "answered", text=text, sentences=(sentence,), sources=sources, retrieved=hits(ranked), model="fake")


def refused(asked: Question, *, ranked: Sequence[str] = ("p1", "p2")) -> Item:
    """A refusal, whose own words hold the asked fact by chance."""
    return Item(asked, "abstained", text="No paper says how fast it is.", retrieved=hits(ranked), model="fake")


def crashed(asked: Question) -> Item:
    """A question on which the system raised."""
    return Item(asked, "error", error="ValueError: boom")


def hits(papers: Sequence[str]) -> tuple[Ranked, ...]:
    """A ranking."""
    return tuple(Ranked(paper, paper, 1 / place) for place, paper in enumerate(papers, start=1))


def judged(identifier: str = "q", text: str | None = "How fast is it?", **grades: float) -> Judged:
    """A question of a BEIR folder."""
    return Judged(identifier, text, grades)


def write_beir(
    folder: Path,
    documents: Sequence[tuple[str, str, str]],
    queries: Mapping[str, str],
    judgments: Sequence[tuple[str, str, int]],
    split: str = "test",
) -> Path:
    """A BEIR folder: documents as (id, title, text), queries by id, judgments as (query, document, grade)."""
    (folder / "qrels").mkdir(parents=True)
    corpus = [json.dumps({"_id": id_, "title": title, "text": text}) for id_, title, text in documents]
    (folder / "corpus.jsonl").write_text("\n".join(corpus) + "\n", encoding="utf-8")
    asked = [json.dumps({"_id": id_, "text": text}) for id_, text in queries.items()]
    (folder / "queries.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")
    lines = ["query-id\tcorpus-id\tscore", *(f"{query}\t{document}\t{grade}" for query, document, grade in judgments)]
    (folder / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_questions(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    """A file of questions; fields that are not given are those of an answerable question about TIDE-7 of `tests.fakes`."""
    usual = {"kind": "fact", "history": [], "papers": ["Coastal floods are hard"], "facts": [["1.5"]], "answerable": True}
    lines = [json.dumps({"id": f"t-{number}", **usual, **record}) for number, record in enumerate(records, start=1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
