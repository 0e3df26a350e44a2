"""One Answer, the same everywhere: as JSON, and as plain text for a terminal.

Everything here is a pure function of what the engine returned. Text that comes from abstracts, questions or models is never trusted: control
characters do not reach a terminal.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol

from rag_qa import chat
from rag_qa.answering.answer import Answer, AnswerEvent, Evidence, Sentence, Source, Status, Usage
from rag_qa.answering.summaries import Comparison, Summary
from rag_qa.engine import Calibration, IndexInfo, IndexReport, PaperRecord, Progress, Threshold
from rag_qa.index.store import Holdings
from rag_qa.papers import Notice, Paper, Version
from rag_qa.retrieval import explanation, filters
from rag_qa.retrieval.filters import NOT_NARROWED, Filters, Narrowing
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.searches import Search
from rag_qa.retrieval.sets import PaperSet
from rag_qa.settings import Settings
from rag_qa.sources.reader import Problem

JsonObject = dict[str, object]


class EngineLike(Protocol):
    """What an interface needs of the engine: `rag_qa.engine.Engine`, or a fake with the same methods."""

    @property
    def settings(self) -> Settings: ...

    def index(
        self,
        paths: Sequence[str | Path],
        *,
        rebuild: bool = False,
        dry_run: bool = False,
        mapping: Mapping[str, str] | None = None,
        stdin: BinaryIO | None = None,
        progress: Progress | None = None,
    ) -> IndexReport: ...

    def sync(self, *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport: ...

    def remove(self, paths: Sequence[str | Path], *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport: ...

    def info(self) -> IndexInfo: ...

    def papers(self) -> list[Paper]: ...

    def some_papers(self, most: int) -> list[Paper]: ...

    def holdings(self) -> Holdings: ...

    def records(self, paper_id: str) -> list[PaperRecord]: ...

    def problems(self) -> list[Problem]: ...

    def search(
        self, question: str, *, k: int | None = None, everything: bool = False, filters: Filters | None = None, reads_filters: bool = True
    ) -> Search: ...

    def ask(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Answer: ...

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]: ...

    def summarise(self, names: Sequence[str]) -> Summary: ...

    def summarise_topic(self, topic: str, *, k: int | None = None, filters: Filters | None = None, reads_filters: bool = True) -> Summary: ...

    def write_summary(self, summary: Summary) -> Answer: ...

    def compare(self, names: Sequence[str], aspects: Sequence[str] = ()) -> Comparison: ...

    def calibrate(
        self,
        questions: Sequence[Path] = (),
        *,
        risk: float = ...,
        delta: float = ...,
        unanswerable: float = ...,
        from_library: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration: ...

    def threshold(self) -> Threshold: ...

    def forget_calibration(self) -> bool: ...


# -------------------------------------------------------------------------------------------------------------------- JSON

# Legal inside a JSON string, but half a character to UTF-8 (the surrogates) or a line end to many readers of JSON lines (the others).
_UNSAFE_IN_JSON = re.compile("[\x7f\x85\u2028\u2029\ud800-\udfff]")


def to_json(value: object, *, ascii_only: bool = False) -> str:
    """JSON in one line, never NaN or Infinity; readable characters stay as they are unless `ascii_only`.

    >>> to_json({"gain": "1.67×", "why": None})
    '{"gain": "1.67×", "why": null}'
    """
    line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", line)


def answer_json(answer: Answer) -> JsonObject:
    """The answer as an object that other programs build on; `abstract[start:end] == quote` for every piece of evidence."""
    usage = answer.usage
    return {
        "question": answer.question,
        "understood_as": answer.understood_as,
        "answer": answer.text,
        "preface": answer.preface,
        "abstained": answer.abstained,
        "unanswered": list(answer.unanswered),
        "confidence": float(answer.confidence),
        "sentences": [_sentence_json(sentence) for sentence in answer.sentences],
        "sources": [{"n": source.n, **_source_json(source)} for source in answer.sources],
        "related": [_source_json(source) for source in answer.related],
        "model": answer.model,
        "notice": answer.notice,
        "narrowing": narrowing_json(answer.narrowing),
        "timings": {stage: float(seconds) for stage, seconds in answer.timings.items()},
        "usage": None if usage is None else asdict(usage),
    }


def narrowing_json(narrowing: Narrowing) -> JsonObject:
    """The filters that were in effect, and the words of the question that they were taken from.

    >>> narrowing_json(Narrowing(Filters(year_from=2023), ("since 2023",)))
    {'filters': {'year_from': 2023}, 'phrases': ['since 2023'], 'unread': []}
    """
    filters = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(narrowing.filters).items() if value}
    return {"filters": filters, "phrases": list(narrowing.phrases), "unread": list(narrowing.unread)}


def _sentence_json(sentence: Sentence) -> JsonObject:
    return {
        "text": sentence.text,
        "citations": list(sentence.citations),
        "verdict": sentence.verdict.status.value,
        "why": sentence.verdict.why,
        "evidence": [{"source": e.source, "start": e.start, "end": e.end, "quote": e.quote} for e in sentence.verdict.evidence],
    }


def _source_json(source: Source) -> JsonObject:
    return {**_identity_json(source.paper), "score": float(source.score)}


def _identity_json(paper: Paper) -> JsonObject:
    return {
        "paper_id": paper.id,
        "title": paper.title,
        "label": paper.label,
        "abstract": paper.abstract,
        "origins": [{"path": origin.path, "line": origin.line} for origin in paper.origins],
    }


def paper_json(paper: Paper) -> JsonObject:
    """Everything that is known of a paper."""
    return {
        **_identity_json(paper),
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "collection": paper.collection,
        "doi": paper.doi,
        "pmid": paper.pmid,
        "arxiv": paper.arxiv,
        "url": paper.url,
        "keywords": list(paper.keywords),
        "language": paper.language,
        "type": paper.type,
        "notices": [notice.value for notice in paper.notices],
        "other_abstracts": list(paper.other_abstracts),
        "versions": [asdict(version) for version in paper.versions],
        "extra": dict(paper.extra),
    }


def hit_json(hit: Hit) -> JsonObject:
    """A hit with its paper; a passage is a slice of the abstract, `abstract[start:end] == text`."""
    return {
        "rank": hit.rank,
        "score": float(hit.score),
        "ranks": dict(hit.ranks),
        "scores": {name: float(score) for name, score in hit.scores.items()},
        "matched": list(hit.matched),
        "why": explanation.explained(hit),
        "copies": [paper.id for paper in hit.copies],
        "passages": [{"start": p.start, "end": p.end, "text": p.text} for p in hit.passages],
        **paper_json(hit.paper),
    }


def search_json(question: str, found: Search) -> JsonObject:
    """The result of a search, best first. `question`: as it was asked."""
    return {
        "question": question,
        "searched_for": found.question,
        "narrowing": narrowing_json(found.narrowing),
        "nothing_passes": found.nothing_passes or None,
        "set": _set_json(found.paper_set),
        "hits": [hit_json(hit) for hit in found.hits],
    }


def _set_json(found: PaperSet | None) -> JsonObject | None:
    """Which papers qualify, where all that do were asked for, and why."""
    if found is None:
        return None
    members = [
        {"paper_id": one.hit.paper.id, "probability": one.probability, "start": one.start, "end": one.end, "reason": one.reason}
        for one in found.members
    ]
    return {"topic": found.topic, "total": found.total, "library": found.library, "is_cut_short": found.is_cut_short, "members": members}


# -------------------------------------------------------------------------------------------------------------- plain text


class Kind(StrEnum):
    """What a line of plain text is: a terminal may colour it."""

    TEXT = "text"
    UNDERSTOOD = "understood"
    WARNING = "warning"
    REFUSAL = "refusal"
    HEADING = "heading"
    SOURCE = "source"
    ORIGIN = "origin"
    QUOTE = "quote"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of plain text, without its line end."""

    text: str
    kind: Kind = Kind.TEXT


_BLANK = Line("")
# Control characters (a terminal obeys them), marks that turn the direction of text around, and halves of characters; not tab and line ends.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

COMPLAINTS: Mapping[Status, str] = {
    Status.UNSUPPORTED: "not supported by what it cites",
    Status.CONTRADICTED: "contradicted by what it cites",
    Status.UNCITED: "cites no source",
    Status.UNKNOWN_CITATION: "cites a source that does not exist",
}
"""What is said of a sentence that is not supported."""


def printable(text: str) -> str:
    """Text that cannot steer a terminal: each control character becomes a replacement mark.

    >>> printable("red: \\x1b[31m")
    'red: �[31m'
    """
    return _UNPRINTABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Printable text in a single line.

    >>> one_line("a\\n  b")
    'a b'
    """
    return printable(" ".join(text.split()))


def whole_characters(text: str) -> str:
    """Text without halves of characters (lone surrogates: bytes of a command line that are not UTF-8, or "\\ud800" in JSON), which nothing can store.

    >>> whole_characters("caf\\udce9")
    'caf�'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plain(lines: Iterable[Line]) -> str:
    """Lines as one text."""
    return "\n".join(line.text for line in lines)


def answer_lines(answer: Answer, width: int | None = None) -> list[Line]:
    """An answer for a terminal, folded at `width` characters; None folds nothing, so that quotes stay byte for byte."""
    return [*opening_lines(answer.question, answer.understood_as, answer.narrowing, width), *body_lines(answer, width), *closing_lines(answer, width)]


def opening_lines(question: str, understood_as: str, narrowing: Narrowing = NOT_NARROWED, width: int | None = None) -> list[Line]:
    """How the question was understood, if that is not how it was asked, and which papers alone were looked at."""
    lines: list[Line] = []
    if is_reworded(question, understood_as):
        lines += wrapped(f"Understood as: {understood_as}", width, Kind.UNDERSTOOD)
    if said := narrowing_said(narrowing):
        undo = " (--no-filters: search all)" if narrowing.phrases else ""
        lines += wrapped(f"{said}{undo}", width, Kind.UNDERSTOOD)
    return [*lines, _BLANK] if lines else []


def narrowing_said(narrowing: Narrowing) -> str:
    """Which papers alone are looked at, and what in the question says so; "" for all.

    >>> narrowing_said(Narrowing(Filters(year_from=2023), ("since 2023",)))
    'Only papers: from 2023 on, as the question says: “since 2023”'
    """
    if narrowing.filters.is_empty:
        return ""
    phrases = ", ".join(f"“{phrase}”" for phrase in narrowing.phrases)
    return f"Only papers: {filters.words(narrowing.filters)}" + (f", as the question says: {phrases}" if phrases else "")


def is_reworded(question: str, understood_as: str) -> bool:
    """Was the question understood as another one than the one asked? White space does not count."""
    return bool(understood_as.strip()) and question.split() != understood_as.split()


def is_small_talk(answer: Answer) -> bool:
    """Is it a greeting returned, or what the program says of itself? Nothing was asked of the papers, so nothing was refused."""
    return answer.abstained is not None and (answer.is_aside or answer.abstained == chat.small_talk(answer.question))


def body_lines(answer: Answer, width: int | None = None) -> list[Line]:
    """The sentences, each on a new line, or the refusal."""
    if is_small_talk(answer):
        return wrapped(answer.text, width)
    if answer.abstained is not None:
        return wrapped(f"No answer. {answer.abstained}", width, Kind.REFUSAL)
    return [*preface_lines(answer.preface, width), *(line for sentence in answer.sentences for line in sentence_lines(sentence, width))]


def preface_lines(preface: str, width: int | None = None) -> list[Line]:
    """Words of ours before the sentences."""
    return [*wrapped(preface, width, Kind.NOTE), _BLANK] if preface else []


def sentence_lines(sentence: Sentence, width: int | None = None) -> list[Line]:
    """A sentence with its markers, and under it a warning if it is not supported."""
    lines = wrapped(sentence.marked, width)
    if sentence.verdict.status is Status.RECORD:
        lines += wrapped(f"({sentence.verdict.why})", width, Kind.NOTE, indent="  ")
    if warning := warning_of(sentence):
        lines += wrapped(f"⚠ {warning}", width, Kind.WARNING, indent="  ")
    return lines


def warning_of(sentence: Sentence) -> str:
    """What is to be said against a sentence; nothing if it is supported.

    >>> warning_of(Sentence("It is fast."))
    'cites no source'
    """
    verdict = sentence.verdict
    if verdict.status in (Status.SUPPORTED, Status.RECORD):
        return ""
    complaint = COMPLAINTS[verdict.status]
    return f"{complaint}: {verdict.why}" if verdict.why else complaint


def closing_lines(answer: Answer, width: int | None = None) -> list[Line]:
    """What follows the sentences: what is not answered, a notice, the sources with their evidence, related papers, the chat model."""
    lines: list[Line] = []
    if answer.left_open:
        lines += [_BLANK, *wrapped(answer.left_open, width, Kind.NOTE)]
    if answer.notice:
        lines += [_BLANK, *wrapped(f"Note: {answer.notice}", width, Kind.NOTE)]
    if answer.sources:
        lines += [_BLANK, Line("Sources", Kind.HEADING), *source_lines(answer, width)]
    if answer.related:
        heading = "Related, but does not answer this" if answer.abstained is not None else "Related"
        lines += [_BLANK, Line(heading, Kind.HEADING), *(line for source in answer.related for line in _related_lines(source, width))]
    if byline := writer_said(answer):
        lines += [_BLANK, *wrapped(byline, width, Kind.ORIGIN)]
    return lines


def writer_said(answer: Answer) -> str:
    """Which chat model wrote an answer, and what that used and cost; "" if none was asked.

    >>> writer_said(Answer("Why?", "Why?", (Sentence("So."),), model="tiny-chat", usage=Usage(1200, 90, 0.0021)))
    'Written by tiny-chat (1,200 tokens read, 90 written, $0.0021)'
    """
    if answer.model != "extractive" and answer.abstained is None:
        return f"Written by {one_line(answer.model)} ({usage_said(answer.usage)})"
    return "" if answer.usage is None else f"A chat model was asked ({usage_said(answer.usage)})"


def usage_said(usage: Usage | None) -> str:
    """What a chat model used and cost, as far as it is known.

    >>> usage_said(Usage(1200, 90)), usage_said(None)
    ('1,200 tokens read, 90 written, cost unknown', 'cost unknown')
    """
    read, written, cost = (usage.prompt_tokens, usage.completion_tokens, usage.cost_usd) if usage else (None, None, None)
    parts = [f"{read:,} tokens read" if read is not None else "", f"{written:,} written" if written is not None else ""]
    return ", ".join([*filter(None, parts), "cost unknown" if cost is None else dollars(cost)])


def dollars(cost: float) -> str:
    """A price in US dollars, to two digits that count if it is under a cent; what costs something is never $0.

    >>> dollars(1.5), dollars(0.0021499), dollars(0.000001), dollars(0.0)
    ('$1.50', '$0.0021', 'under $0.0001', '$0.00')
    """
    if 0 < cost < 0.0001:
        return "under $0.0001"
    return f"${cost:.2f}" if cost >= 0.01 or not cost else f"${cost:.{3 - math.floor(math.log10(cost)) - 2}f}"


def source_lines(answer: Answer, width: int | None = None) -> list[Line]:
    """The cited papers: label, where each was read, and the evidence in its own words."""
    lines: list[Line] = []
    for source in answer.sources:
        lines += _head_lines(f"[{source.n}] ", source.paper, width)
        for evidence in evidence_of(answer, source):
            lines += wrapped(f"“{evidence.quote}”", width, Kind.QUOTE, indent="    ")
    return lines


def abstract_lines(answer: Answer, width: int | None = None) -> list[Line]:
    """The cited papers with their whole abstracts, the evidence between » and «."""
    lines: list[Line] = []
    for source in answer.sources:
        spans = [(evidence.start, evidence.end) for evidence in evidence_of(answer, source)]
        lines += _head_lines(f"[{source.n}] ", source.paper, width)
        lines += wrapped(highlighted(source.paper.abstract, spans), width, indent="    ")
    return lines


def highlighted(abstract: str, spans: Iterable[tuple[int, int]], before: str = "»", after: str = "«") -> str:
    """An abstract with marks around spans of it; spans that overlap or touch are marked as one.

    >>> highlighted("one two three", [(4, 7), (5, 9)])
    'one »two t«hree'
    """
    out, position = [], 0
    for start, end in merged(spans):
        out += [abstract[position:start], before, abstract[start:end], after]
        position = end
    return "".join([*out, abstract[position:]])


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch as one.

    >>> merged([(5, 9), (0, 2), (4, 7), (2, 3)])
    [(0, 3), (4, 9)]
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def evidence_of(answer: Answer, source: Source) -> list[Evidence]:
    """What an answer quotes from one source, in the order of the abstract, each span once."""
    found = {(e.start, e.end): e for s in answer.sentences for e in s.verdict.evidence if e.source == source.n}
    return [found[span] for span in sorted(found)]


def _related_lines(source: Source, width: int | None) -> list[Line]:
    return _head_lines("- ", source.paper, width)


def _head_lines(mark: str, paper: Paper, width: int | None) -> list[Line]:
    head = wrapped(f"{mark}{_named(paper)}", width, Kind.SOURCE, hang=" " * len(mark))
    return [*head, *(Line(f"    {one_line(str(origin))}", Kind.ORIGIN) for origin in paper.origins)]


def _named(paper: Paper) -> str:
    where = venue_and_year(paper)
    named = f"{paper.label} ({where})" if where else paper.label
    return one_line(f"{named} {warning}" if (warning := warning_about(paper)) else named)


_WARNINGS = {Notice.RETRACTED: "RETRACTED", Notice.CONCERN: "EXPRESSION OF CONCERN", Notice.IS_RETRACTION: "RETRACTION NOTICE"}


def warning_about(paper: Paper) -> str:
    """What a reader has to know before trusting a paper, or "".

    >>> warning_about(Paper("p1", "We ...", notices=(Notice.RETRACTED,)))
    '[RETRACTED]'
    """
    return " ".join(f"[{_WARNINGS[notice]}]" for notice in paper.notices if notice in _WARNINGS)


def author_name(author: str) -> str:
    """An author as people are called.

    >>> author_name("Marx, Karl"), author_name("World Health Organization")
    ('Karl Marx', 'World Health Organization')
    """
    family, _, given = author.partition(", ")
    return f"{given} {family}".strip()


def venue_and_year(paper: Paper | Version) -> str:
    """Where and when a paper or a version of it appeared, as far as that is known.

    >>> venue_and_year(Paper("p1", "We ...", venue="ICLR", year=2025))
    'ICLR 2025'
    """
    return " ".join(part for part in (paper.venue or "", str(paper.year or "")) if part)


def search_lines(found: Search, width: int | None = None) -> list[Line]:
    """The result of a search: how each paper ranked and why, and its best passages."""
    lines = opening_lines("", "", found.narrowing, width)
    if notice := found.narrowing.notice:
        lines += [*wrapped(notice, width, Kind.NOTE), _BLANK]
    if not found.hits:
        return [*lines, *wrapped(found.nothing_passes or "No paper matches.", width, Kind.REFUSAL)]
    if found.paper_set:
        return [*lines, *_set_lines(found, found.paper_set, width)]
    for hit in found.hits:
        lines += [_BLANK] if hit.rank > 1 else []
        lines += [*_hit_lines(hit, width), *(line for passage in hit.passages for line in wrapped(passage.text, width, Kind.QUOTE, indent="    "))]
    return lines


def _set_lines(found: Search, papers: PaperSet, width: int | None) -> list[Line]:
    """What qualifies, each paper with the sentence that says so; then, if they were asked for, those that do not."""
    reasons = {member.hit.paper.id: member.reason for member in (*papers.members, *papers.beyond)}
    count = f"{'at least ' if papers.is_cut_short else ''}{papers.total:,} of {papers.library:,} papers"
    lines = [*wrapped(f"For “{papers.topic}”: {count} (--all: the whole ranked list)", width, Kind.NOTE)]
    for hit in found.hits:
        if hit.rank == len(papers.members) + 1:
            lines += [_BLANK, Line("These do not seem to belong to it", Kind.HEADING)]
        lines += [_BLANK, *_hit_lines(hit, width, "probability"), *wrapped(f"“{reasons[hit.paper.id]}”", width, Kind.QUOTE, indent="    ")]
    return lines


def _hit_lines(hit: Hit, width: int | None, what: str = "score") -> list[Line]:
    why = wrapped(f"{what} {hit.score:.3f}. {explanation.explained(hit)}", width, Kind.ORIGIN, indent="    ")
    return [*_head_lines(f"{hit.rank}. ", hit.paper, width), *why]


def paper_lines(papers: Sequence[Paper]) -> list[Line]:
    """A table of papers: label, year, venue, where each was read."""
    rows = [
        (one_line(p.label), str(p.year or "-"), one_line(p.venue or "-"), ", ".join(one_line(str(origin)) for origin in p.origins)) for p in papers
    ]
    return [Line(row) for row in columns(rows)]


def columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[str]:
    """Rows of a table with their cells one below the other.

    >>> columns([("added", "46"), ("failed", "0")])
    ['added   46', 'failed  0']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [gap.join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in rows]


def wrapped(text: str, width: int | None, kind: Kind = Kind.TEXT, *, indent: str = "", hang: str = "") -> list[Line]:
    """Text in lines of at most `width` characters (a longer word stands alone); `indent` is before each line, `hang` before all but the first."""
    if width is None:
        return [Line(indent + printable(text), kind)]
    folded = textwrap.wrap(
        one_line(text), width, initial_indent=indent, subsequent_indent=indent + hang, break_long_words=False, break_on_hyphens=False
    )
    return [Line(line, kind) for line in folded] or [Line(indent, kind)]
