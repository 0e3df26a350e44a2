"""The product with one thing broken each: systems around a real engine, for the tests of what must not go unnoticed."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Verdict
from rag_qa.engine import Engine, IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.retriever import Retriever

Asked = tuple[str, tuple[str, ...]]


class Remembering:
    """The engine; what it was asked once costs nothing again, so that many broken ones around it are tried quickly."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._answers: dict[Asked, Answer] = {}
        self._hits: dict[tuple[str, int | None], Sequence[Hit]] = {}

    def index(self, paths: Sequence[str | Path]) -> IndexReport:
        raise AssertionError("it is indexed")

    def papers(self) -> list[Paper]:
        return self._engine.papers()

    def search(self, question: str, *, k: int | None = None) -> Sequence[Hit]:
        if (question, k) not in self._hits:
            self._hits[question, k] = list(self._engine.search(question, k=k))
        return self._hits[question, k]

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        asked = (question, tuple(history))
        if asked not in self._answers:
            self._answers[asked] = self._engine.ask(question, history=history)
        return self._answers[asked]


class Broken:
    """A system around another: what it spoils, it spoils in the same way each time."""

    def __init__(self, product: Remembering) -> None:
        self._product = product

    def index(self, paths: Sequence[str | Path]) -> IndexReport:
        return self._product.index(paths)

    def papers(self) -> list[Paper]:
        return self._product.papers()

    def search(self, question: str, *, k: int | None = None) -> Sequence[Hit]:
        return self._product.search(question, k=k)

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        return self.spoil(self._product.ask(question, history=history))

    def spoil(self, answer: Answer) -> Answer:
        return answer


class CitationsShuffled(Broken):
    """The numbers stand for other papers: each source is the one that was ranked behind it."""

    def spoil(self, answer: Answer) -> Answer:
        ranked = [hit.paper for hit in self._product.search(answer.understood_as or answer.question, k=10)]
        sources = tuple(replace(source, paper=_behind(ranked, source)) for source in answer.sources)
        return replace(answer, sources=sources)


def _behind(ranked: Sequence[Paper], source: Source) -> Paper:
    at = next((place for place, paper in enumerate(ranked) if paper.id == source.paper.id), -1)
    return ranked[(at + 1) % len(ranked)]


class NumbersChanged(Broken):
    """Every number in a sentence is another one; the quotes beside it stay right."""

    def spoil(self, answer: Answer) -> Answer:
        return replace(answer, sentences=tuple(replace(sentence, text=_another_number(sentence.text)) for sentence in answer.sentences))


def _another_number(text: str) -> str:
    """Each digit one up, 9 becomes 1."""
    return re.sub(r"\d", lambda digit: str(int(digit.group()) % 9 + 1), text)


class NeverRefusing(Broken):
    """Where the product refuses, the first sentence of the first paper is the answer, rightly cited and quoted."""

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        answer = self._product.ask(question, history=history)
        if answer.abstained is None:
            return answer
        first = self._product.search(answer.understood_as or question, k=10)[0].paper
        text = first.abstract.partition(". ")[0]
        sentence = Sentence(text, (1,), Verdict(Status.SUPPORTED, (Evidence(1, 0, len(text), text),)))
        return replace(answer, abstained=None, sentences=(sentence,), sources=(Source(first, 1.0, 1),), related=())


class Crashing(Broken):
    """Raises on some questions."""

    def __init__(self, product: Any, questions: Sequence[str]) -> None:
        super().__init__(product)
        self._questions = questions

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Answer:
        if question in self._questions:
            raise RuntimeError("the worst questions are too hard")
        return super().ask(question, history=history)


class RandomRetriever:
    """Finds papers, and puts them in an order by chance, as sure as before."""

    def __init__(self, retriever: Retriever, papers: int) -> None:
        self._retriever = retriever
        self._papers = papers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._retriever, name)

    def search(self, question: str, *, k: int, **options: Any) -> list[Hit]:
        hits = self._retriever.search(question, k=self._papers, **options)
        mixed = random.Random(zlib.crc32(question.encode())).sample(hits, len(hits))
        return [replace(hit, rank=place.rank, score=place.score) for hit, place in zip(mixed, hits, strict=True)][:k]


def with_random_retriever(engine: Engine) -> Engine:
    """An engine of its own, spoiled."""
    parts = engine._parts
    vars(parts)["retriever"] = RandomRetriever(parts.retriever, len(engine.papers()))
    return engine
