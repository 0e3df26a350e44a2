"""Small, real, predictable stand-ins: three papers, an engine that answers from them, an embedder that counts words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from rag_qa.answering.answer import Answer, AnswerEvent, Evidence, Sentence, Source, Status, Step, Usage, Verdict
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.summaries import Comparison, Library, Summariser, Summary, topic_of
from rag_qa.calibration import cases, fitting
from rag_qa.calibration.cases import Case
from rag_qa.calibration.fitting import Trial
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Vectors
from rag_qa.engine import FROM_LIBRARY, Calibration, IndexInfo, IndexReport, PaperRecord, Progress, Threshold
from rag_qa.errors import ConnectionRefused, EmptyIndexError, QuestionError, SourceError
from rag_qa.index.catalog import Catalog, Known
from rag_qa.index.changes import Fate, Outcome
from rag_qa.index.database import Database
from rag_qa.index.holdings import Holdings, holdings
from rag_qa.papers import Origin, Paper, called
from rag_qa.retrieval.filters import EVERYTHING, Filters, Narrowing
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.searches import Search
from rag_qa.settings import Settings, load
from rag_qa.sources.reader import Problem, Trouble

TIDE = Paper(
    "p1",
    "Coastal floods are hard to foresee. We propose TIDE-7, a model of tides that is 1.5× faster than its rivals. An extension uses ridges.",
    year=2024,
    venue="ICLR",
    collection="ICLR 2024 Papers",
    origins=(Origin("sea.txt", 3), Origin("water.txt", 9)),
)
MOSS = Paper(
    "p2",
    "Mosses store carbon. In our study of 40 bogs, moss grew by 12% a year; it did not grow under snow.",
    title="Moss under snow",
    authors=("A. Bryo", "C. Sphag"),
    year=2021,
    venue="Bog Letters",
    doi="10.1000/moss",
    origins=(Origin("land.txt", 5),),
)
WOLF = Paper("p3", "Wolves return to <b>valleys</b> at $\\alpha$ = 0.3; see [1] and https://wolf.example.", origins=(Origin("land.txt", 8),))
PAPERS = (TIDE, MOSS, WOLF)


SUMMARISER = Summariser(
    Library(
        lambda ids: {paper_id: np.ones((1, 1), np.float32) for paper_id in ids},
        lambda words: np.zeros((len(words), 1), np.float32),
        lambda: Corpus(len(PAPERS), lambda _: 1),
    )
)
"""The real summariser over the three papers; no two words are synonyms, and all papers are near each other."""


def evidence(source: int, paper: Paper, quote: str) -> Evidence:
    """A quote with its place in the abstract."""
    start = paper.abstract.index(quote)
    return Evidence(source, start, start + len(quote), quote)


def supported(text: str, *proofs: Evidence, lead: str = "") -> Sentence:
    """A sentence that is backed by what it cites."""
    return Sentence(text, tuple(dict.fromkeys(proof.source for proof in proofs)), Verdict(Status.SUPPORTED, proofs), lead=lead)


def whole(paper: Paper) -> Passage:
    """An abstract as one passage."""
    return Passage(f"{paper.id}:0", paper.id, 0, paper.abstract, 0, len(paper.abstract))


def holdings_of(papers: Sequence[Paper], most: int = 200) -> Holdings:
    """What an index of these papers says that they can be narrowed by."""
    database = Database(None)
    catalog = Catalog(database)
    for paper in papers:
        catalog.hold(paper, Known(paper.id, paper.id, "any"))
    catalog.finish([(paper.id, [], np.zeros((0, 1), np.float32)) for paper in papers])
    return holdings(database, most)


class FakeEngine:
    """Answers by a word of the question: "tide", "compare", "invent", "wolf"; "broken" raises; anything else is refused.

    A question with history has "its" replaced by the name of the method. `asked` holds every question with its history,
    `most_words` how long each answer might be.
    """

    def __init__(self, settings: Settings | None = None, *, is_empty: bool = False) -> None:
        self.settings = settings or load()
        self.is_empty = is_empty
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.is_calibrated = False
        self.most_words: list[int | None] = []

    def index(
        self,
        paths: Sequence[str | Path],
        *,
        rebuild: bool = False,
        dry_run: bool = False,
        mapping: Mapping[str, str] | None = None,
        stdin: BinaryIO | None = None,
        progress: Progress | None = None,
    ) -> IndexReport:
        failed = tuple(Problem(str(path), None, "no such file or folder", Trouble.FAILED) for path in paths if not Path(path).exists())
        if paths and len(failed) == len(paths):
            raise SourceError(paths[0], None, found="no such file or folder", expected="a text file with abstracts")
        for done in range(len(PAPERS) + 1):
            if progress:
                progress("embedding", done, len(PAPERS))
        return replace(self._report(), failed=failed, is_preview=dry_run)

    def sync(self, *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport:
        self.info()
        return replace(self._report(), is_preview=dry_run)

    def remove(self, paths: Sequence[str | Path], *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport:
        self.info()
        return IndexReport(removed=1, papers=2, passages=4, is_preview=dry_run)

    def _report(self) -> IndexReport:
        fates = (
            Fate("sea.txt", 3, Outcome.ADDED, "p1", "", ""),
            Fate("land.txt", 5, Outcome.ADDED, "p2", "Moss under snow", ""),
            Fate("land.txt", 8, Outcome.UNCHANGED, "p3", "", ""),
            Fate("water.txt", 9, Outcome.MERGED, "p1", "", "same abstract"),
        )
        skipped = (Problem("land.txt", 1, "a heading, not an abstract", Trouble.NOT_A_PAPER),)
        return IndexReport(2, 0, 1, 0, 1, 5, skipped=skipped, records=fates, papers=3, passages=5, embedded=4, seconds=0.25)

    def records(self, paper_id: str) -> list[PaperRecord]:
        self.info()
        return [PaperRecord(replace(paper, origins=(origin,)), "") for paper in PAPERS if paper.id == paper_id for origin in paper.origins]

    def problems(self) -> list[Problem]:
        self.info()
        return list(self._report().skipped)

    def info(self) -> IndexInfo:
        if self.is_empty:
            raise EmptyIndexError("There is no index yet: run rag-qa index PATH first")
        return IndexInfo(Path("data"), 3, 5, "word-count", 2, "sentences-1", ("sea.txt", "land.txt"))

    def papers(self) -> list[Paper]:
        self.info()
        return list(PAPERS)

    def some_papers(self, most: int) -> list[Paper]:
        return self.papers()[:most]

    def holdings(self) -> Holdings:
        self.info()
        return holdings_of(PAPERS)

    def search(
        self, question: str, *, k: int | None = None, everything: bool = False, filters: Filters | None = None, reads_filters: bool = True
    ) -> Search:
        self._check(question)
        papers = [paper for paper in PAPERS if not filters or filters.accepts(paper)][:k]
        hits = [
            Hit(paper, (whole(paper),), 1.0 / rank, rank, {"keyword": rank, "dense": rank}, {"keyword": 2.0 / rank, "dense": 0.5}, ("we",))
            for rank, paper in enumerate(papers, 1)
        ]
        return Search(question, tuple(hits), Narrowing(filters or EVERYTHING), "" if hits else "No paper passes.")

    def ask(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Answer:
        *_, last = self.stream(question, history=history, filters=filters, reads_filters=reads_filters, most_words=most_words)
        assert isinstance(last, Answer)
        return last

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]:
        self._check(question)
        self.asked.append((question, tuple(history)))
        self.most_words.append(most_words)
        if "broken" in question:
            raise ConnectionRefused("http://127.0.0.1:9/v1 does not answer: is the server running?")
        narrowing = Narrowing(filters or EVERYTHING, ("since 2023",) if reads_filters and "since 2023" in question else ())
        answer = replace(answer_to(question, question.replace("its", "TIDE-7's") if history else question), narrowing=narrowing)
        yield Step("searching", answer.understood_as, narrowing)
        yield from answer.sentences
        yield answer

    def summarise(self, names: Sequence[str]) -> Summary:
        return SUMMARISER.papers(self._named(names))

    def summarise_topic(self, topic: str, *, k: int | None = None, filters: Filters | None = None, reads_filters: bool = True) -> Summary:
        wanted = topic_of(topic)
        found = self.search(wanted, filters=filters, reads_filters=reads_filters)
        summary = SUMMARISER.topic(wanted, [hit for hit in found.hits if wanted.casefold() in hit.paper.abstract.casefold()], most=k or len(PAPERS))
        return replace(summary, narrowing=found.narrowing)

    def write_summary(self, summary: Summary) -> Answer:
        return replace(summary.answer, model="tiny-chat")

    def compare(self, names: Sequence[str], aspects: Sequence[str] = ()) -> Comparison:
        return SUMMARISER.compare(self._named(names), [one for name in aspects if (one := SUMMARISER.aspect(name))])

    def calibrate(
        self,
        questions: Sequence[Path] = (),
        *,
        risk: float = 0.1,
        delta: float = 0.1,
        unanswerable: float = 0.25,
        from_library: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration:
        made = [Case(f"{number} tides?", ("p1",)) for number in range(80)]
        asked = [case for path in questions for case in cases.resolved(cases.read(path), self.papers(), path)] or made
        found = fitting.calibrated(
            cases.with_papers_left_out(asked, unanswerable),
            self._tried,
            source=", ".join(path.name for path in questions) or FROM_LIBRARY,
            risk=risk,
            delta=delta,
            lowest=0.0,
            progress=progress,
        )
        self.is_calibrated = found.certified is not None and not dry_run and bool(questions or from_library)
        return replace(found, is_written=self.is_calibrated)

    def _tried(self, case: Case) -> Trial | None:
        answer = answer_to(case.question, case.question)
        return Trial(0.1 if answer.abstained or case.without else 0.95, tuple(source.paper.id for source in answer.sources[:1]))

    def threshold(self) -> Threshold:
        self.info()
        return Threshold(self.settings.min_confidence, is_set="min_confidence" in self.settings.model_fields_set)

    def forget_calibration(self) -> bool:
        was, self.is_calibrated = self.is_calibrated, False
        return was

    def _named(self, names: Sequence[str]) -> list[Paper]:
        found = [called(self.papers(), name)[:1] for name in names]
        if [] in found:
            raise QuestionError(f"No paper is called {names[found.index([])]!r}: rag-qa papers lists them")
        return [one[0] for one in found]

    def _check(self, question: str) -> None:
        self.info()
        if not question.strip():
            raise QuestionError("The question is empty: type what you want to know")


def answer_to(question: str, understood_as: str) -> Answer:
    """The answer of the fake engine to a question."""
    asked = understood_as.casefold()
    fast = supported("TIDE-7 is 1.5× faster than its rivals.", evidence(1, TIDE, "a model of tides that is 1.5× faster than its rivals"))
    sources: tuple[Source, ...] = (Source(TIDE, 0.9, 1),)
    if "compare" in asked:
        grew = supported("Moss grew by 12% a year.", evidence(2, MOSS, "moss grew by 12% a year"), lead="Moss:")
        both = supported("Both were measured.", evidence(1, TIDE, "TIDE-7"), evidence(2, MOSS, "In our study of 40 bogs"))
        return _answer(question, understood_as, (fast, grew, both), (*sources, Source(MOSS, 0.7, 2)))
    if "invent" in asked:
        wrong = Sentence("TIDE-7 is 9× faster.", (1,), Verdict(Status.UNSUPPORTED, why="9× does not stand in [1]"))
        bare = Sentence("Everyone likes it.", removed=("[7]",))
        usage = Usage(prompt_tokens=120, completion_tokens=9)
        return _answer(question, understood_as, (fast, wrong, bare), sources, model="tiny-chat", usage=usage, notice="The reply was cut short.")
    if "wolf" in asked:
        quoted = supported(WOLF.abstract, evidence(1, WOLF, WOLF.abstract))
        return _answer(question, understood_as, (quoted,), (Source(WOLF, 0.8, 1),))
    if "tide" in asked:
        return _answer(question, understood_as, (fast,), sources)
    related = (Source(MOSS, 0.2),)
    return Answer(question, understood_as, abstained="None of the papers says this.", related=related, confidence=0.1, timings={"search": 0.01})


def _answer(
    question: str,
    understood_as: str,
    sentences: tuple[Sentence, ...],
    sources: tuple[Source, ...],
    *,
    model: str = "extractive",
    usage: Usage | None = None,
    notice: str = "",
) -> Answer:
    timings = {"search": 0.01, "answer": 0.02}
    return Answer(question, understood_as, sentences, sources, confidence=0.9, model=model, usage=usage, timings=timings, notice=notice)


class WordCountEmbedder:
    """A text becomes the unit vector of (number of words, 1): texts of like length are close. A token is a word."""

    name = "word-count"
    dimensions = 2
    max_tokens = 64

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        raw = np.array([[len(text.split()), 1.0] for text in texts], np.float32).reshape(len(texts), 2)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


class RememberingEmbedder:
    """Another embedder that is asked for each text once. `asked` counts the texts that it had to be asked for."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vectors] = {}
        self.name = inner.name
        self.dimensions = inner.dimensions
        self.max_tokens = inner.max_tokens
        self.asked = 0

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self.asked += len(new)
            self._known.update(zip(new, self._inner.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._inner.embed([])
