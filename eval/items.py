"""What is kept of one question and its answer: everything that scoring needs, so that a stored run can be scored again without the system.

Written as one JSON object a line. It holds nothing measured by a clock, so that the same system on the same data writes the same bytes;
timings go to a file of their own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from eval.datasets.loader import Kind, Nugget, Question
from rag_qa.answering.answer import Answer, Evidence, Sentence, Source
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Status = Literal["answered", "abstained", "error"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A span shown as evidence. `found` is what stands at `start:end` in the abstract as indexed; None if there is no such paper or place."""

    paper: str | None
    start: int
    end: int
    quote: str
    found: str | None


@dataclass(frozen=True, slots=True)
class ItemSentence:
    """A sentence of an answer as the system gave it, with its own verdict."""

    text: str
    lead: str
    citations: tuple[int, ...]
    verdict: str
    why: str
    removed: tuple[str, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A paper of the ranking or of a source list. `n` is its number in the answer, None where it has none."""

    paper: str
    label: str
    score: float
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One question asked once. With status "error" nothing but the question and `error` is filled, and every figure counts it as its worst value.

    `own_words`: what the system says besides the sentences of its answer: a preface, what is not answered, a notice, or a refusal.
    `retrieved` is None where the search failed while the question was answered, and `retrieval_error` says why; or where a system does not say what
    it found.
    """

    question: Question
    status: Status
    error: str = ""
    understood_as: str = ""
    text: str = ""
    sentences: tuple[ItemSentence, ...] = ()
    sources: tuple[Ranked, ...] = ()
    related: tuple[Ranked, ...] = ()
    retrieved: tuple[Ranked, ...] | None = None
    retrieval_error: str = ""
    confidence: float = 0.0
    model: str = ""
    own_words: str = ""

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the papers that sentences cite, each once, in reading order. Numbers that stand for no source are not among them."""
        paper_of = {source.n: source.paper for source in self.sources}
        numbers = [number for sentence in self.sentences for number in sentence.citations]
        return tuple(dict.fromkeys(paper_of[number] for number in numbers if number in paper_of))

    @property
    def prose(self) -> str:
        """The answer's sentences with our labels in front and without markers; empty for a refusal."""
        return " ".join(part for sentence in self.sentences for part in (sentence.lead, sentence.text) if part)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that a question took from end to end, and by stage as the system says; tokens and dollars that its answer cost, None where unknown."""

    id: str
    seconds: float
    stages: Mapping[str, float]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


def failed(question: Question, error: Exception) -> Item:
    """The item of a question on which the system raised."""
    return Item(question, "error", error=describe(error))


def describe(error: Exception) -> str:
    """One line for an exception.

    >>> describe(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    return " ".join(f"{type(error).__name__}: {error}".split())


def from_answer(question: Question, answer: Answer, abstracts: Mapping[str, str], *, hits: Sequence[Hit] | None, retrieval_error: str = "") -> Item:
    """Keep what scoring needs. `abstracts`: paper id -> abstract as indexed. Raises ValueError for a score that is not a number."""
    return Item(
        question,
        "answered" if answer.abstained is None else "abstained",
        understood_as=answer.understood_as,
        text=answer.text,
        sentences=tuple(_sentence(sentence, answer.sources, abstracts) for sentence in answer.sentences),
        sources=tuple(_ranked(source.paper, source.score, source.n) for source in answer.sources),
        related=tuple(_ranked(source.paper, source.score, source.n) for source in answer.related),
        retrieved=None if hits is None else tuple(_ranked(hit.paper, hit.score) for hit in hits),
        retrieval_error=retrieval_error or ("the search gave nothing" if hits is None else ""),
        confidence=_finite(answer.confidence),
        model=answer.model,
        own_words=" ".join(filter(None, (answer.preface, answer.abstained, answer.left_open, answer.notice))),
    )


def _sentence(sentence: Sentence, sources: Sequence[Source], abstracts: Mapping[str, str]) -> ItemSentence:
    verdict = sentence.verdict
    quotes = tuple(_quote(evidence, sources, abstracts) for evidence in verdict.evidence)
    return ItemSentence(sentence.text, sentence.lead, sentence.citations, str(verdict.status), verdict.why, sentence.removed, quotes)


def _quote(evidence: Evidence, sources: Sequence[Source], abstracts: Mapping[str, str]) -> Quote:
    paper = next((source.paper.id for source in sources if source.n == evidence.source), None)
    abstract = abstracts.get(paper or "")
    in_place = abstract is not None and 0 <= evidence.start <= evidence.end <= len(abstract)
    found = abstract[evidence.start : evidence.end] if abstract is not None and in_place else None
    return Quote(paper, evidence.start, evidence.end, evidence.quote, found)


def _ranked(paper: Paper, score: float, n: int | None = None) -> Ranked:
    return Ranked(paper.id, paper.label, _finite(score), n)


def _finite(value: float) -> float:
    """Rounded, so that the last bits of a sum over threads do not make two runs differ."""
    if not math.isfinite(value):
        raise ValueError(f"the system gave {value} where a number is needed")
    return round(float(value), 6)


# ------------------------------------------------------------------------------------------------------------------ JSON lines


def to_json(item: Item) -> dict[str, Any]:
    """A dictionary of plain values; `from_json` makes the same item of it."""
    record = asdict(item)
    record["question"]["kind"] = str(item.question.kind)
    return record


def from_json(record: Mapping[str, Any]) -> Item:
    """The item of a dictionary made by `to_json`, also after a way through JSON."""
    question = record["question"]
    plain = {name: record[name] for name in ("status", "error", "understood_as", "text", "retrieval_error", "confidence", "model")}
    return Item(
        question=Question(
            id=question["id"],
            kind=Kind(question["kind"]),
            text=question["text"],
            history=tuple(question["history"]),
            papers=tuple(question["papers"]),
            facts=tuple(tuple(group) for group in question["facts"]),
            answerable=question["answerable"],
            line=question["line"],
            # runs that were stored before there were such questions
            maybe=tuple(question.get("maybe", ())),
            missing=tuple(tuple(group) for group in question.get("missing", ())),
            reference=question.get("reference", ""),
            nuggets=tuple(Nugget(tuple(one["aliases"]), one["vital"], one.get("number", "")) for one in question.get("nuggets", ())),
            topic_switch=question.get("topic_switch", False),
        ),
        sentences=tuple(_sentence_from(one) for one in record["sentences"]),
        sources=tuple(Ranked(**one) for one in record["sources"]),
        related=tuple(Ranked(**one) for one in record["related"]),
        retrieved=None if record["retrieved"] is None else tuple(Ranked(**one) for one in record["retrieved"]),
        own_words=record.get("own_words", ""),  # a run that was stored before it was kept
        **plain,
    )


def _sentence_from(record: Mapping[str, Any]) -> ItemSentence:
    lists = {"citations": tuple(record["citations"]), "removed": tuple(record["removed"]), "quotes": tuple(Quote(**one) for one in record["quotes"])}
    return ItemSentence(**{**record, **lists})


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line; a value that is not a number raises ValueError instead of being written as NaN."""
    text = "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)
    # a lone surrogate of a broken input becomes \udXXX, which JSON reads back
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects that `write_lines` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
