"""How well papers are found: a BEIR folder through the product's own indexer and search, beside the plain rankings of the same index.

Figures are over papers. A document that the product took for the same work as another one counts for their paper, which counts once, with the higher
grade; one that is in no paper (it has no text) stays among the relevant ones, where no ranking can find it. A question that fails counts as 0.
A document with the id of the question stays in, other than with BEIR's own script: in collections of questions about one abstract it is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from eval import kept_index
from eval.beir import Beir, Judged
from eval.embedders import Clocked, Embedders
from eval.items import describe
from eval.rankings import PLAIN, Parts
from rag_qa.engine import Engine
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from rag_qa.settings import Settings

PRODUCT = "product"
RANKINGS = (PRODUCT, *PLAIN)
RERANKERS = ("none", "llm", "cross-encoder")
DEPTH = 100
"""How many papers of a ranking are looked at."""
_WARM_UP = "What is measured here?"

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a corpus can be found: `papers` of `documents`. `paper_of`: document -> paper id, `left_out`: document in no paper -> why."""

    documents: int
    papers: int
    paper_of: Mapping[str, str]
    left_out: Mapping[str, str]

    @property
    def merged(self) -> int:
        """Documents beyond the first of their paper."""
        return len(self.paper_of) - self.papers

    def grades(self, question: Judged) -> dict[str, float]:
        """The relevant papers of a question with their grades. A document in no paper keeps its own place, which nothing that is found can take."""
        grades: dict[str, float] = {}
        for document, grade in question.grades.items():
            paper = self.paper_of.get(document, f"in no paper: {document}")
            grades[paper] = max(grade, grades.get(paper, 0.0))
        return grades


@dataclass(frozen=True, slots=True)
class Found:
    """What a ranking gave: paper ids, best first, and the seconds that it took; or the error that it ended with. `notice`: why it is not the one
    that was wanted, such as that of a re-ranker that failed.
    """

    papers: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that some document answers, its relevant papers with their grades, and what each of RANKINGS found."""

    question: Judged
    grades: Mapping[str, float]
    found: Mapping[str, Found]


@dataclass(frozen=True, slots=True)
class Run:
    """A collection that was asked. `index_seconds`: reading, embedding and opening; `computed`: texts whose vectors were not known before, None
    where none are kept; `keeps_questions`: vectors of questions may be known from earlier runs.
    `reranker`: who judged the first papers of the product once more, "" for nobody.
    """

    collection: Beir
    coverage: Coverage
    asked: tuple[Asked, ...]
    embedder: str
    index_seconds: float
    computed: int | None
    keeps_questions: bool = False
    reranker: str = ""


def run(collection: Beir, embedders: Embedders, settings: Settings, cache: Path, *, progress: Progress | None = None) -> Run:
    """Index the corpus, unless it is indexed from an earlier run, and ask every question of the split that a document answers.

    `settings`: what the product searches with; the index lies in a folder of its own here, never on a server.
    Raises RagQAError when nothing can be asked.
    """
    progress = progress or _silent
    folder = kept_index.folder(cache, collection.name, collection.corpus, embedders.for_index.name)
    chosen = settings.model_copy(update={"data_dir": folder, "chroma_url": None})
    started = perf_counter()
    coverage = _index(Engine(chosen, embedder=embedders.for_index), collection, progress)
    seconds = perf_counter() - started
    clocked = Clocked(embedders.for_questions)
    searched, parts = Engine(chosen, embedder=clocked), Parts(chosen.data_dir, clocked)
    # what is loaded at first use, the model and the index, is in no question's time
    searched.search(_WARM_UP, k=DEPTH)
    parts.rank(_WARM_UP, DEPTH)
    asked = []
    questions = [question for question in collection.questions if question.grades]
    for done, question in enumerate(questions):
        progress("asking", done, len(questions))
        asked.append(Asked(question, coverage.grades(question), _ask(searched, parts, question.text)))
    progress("asking", len(questions), len(questions))
    cached = embedders.cached
    return Run(
        collection,
        coverage,
        tuple(asked),
        clocked.name,
        seconds,
        computed=cached.computed if cached else None,
        keeps_questions=cached is embedders.for_questions,
        reranker=searched.reranker,
    )


# ----------------------------------------------------------------------------------------------------------------- the index


def _index(engine: Engine, collection: Beir, progress: Progress) -> Coverage:
    report = engine.index([collection.corpus], progress=progress)
    if report.failed:
        raise SourceError(collection.corpus, report.failed[0].line, found=report.failed[0].reason, expected="a file that the product can index")
    reasons = {problem.line: problem.reason for problem in engine.problems() if problem.path == str(collection.corpus)}
    return covered(collection, engine.papers(), reasons)


def covered(collection: Beir, papers: Sequence[Paper], reasons: Mapping[int | None, str]) -> Coverage:
    """Which document became which paper, by the line at which it stands. `reasons`: line -> why the product left out what stands there."""
    at_line = {origin.line: paper.id for paper in papers for origin in paper.origins if origin.path == str(collection.corpus)}
    paper_of = {document: at_line[line] for document, line in collection.lines.items() if line in at_line}
    left_out = {document: reasons.get(line, "no reason given") for document, line in collection.lines.items() if line not in at_line}
    return Coverage(len(collection.lines), len(set(paper_of.values())), paper_of, left_out)


# ------------------------------------------------------------------------------------------------------------- the questions

T = TypeVar("T")


def _ask(engine: Engine, parts: Parts, question: str | None) -> dict[str, Found]:
    """What each ranking finds. The product is asked first and pays for the vector of the question; the others are charged for it too."""
    if question is None:
        return dict.fromkeys(RANKINGS, Found(error="the folder has judgments for this question, and not its text"))
    started = perf_counter()
    hits, error = _tried(lambda: engine.search(question, k=DEPTH))
    seconds = perf_counter() - started
    notice = next((hit.notice for hit in hits or ()), "")
    found = {PRODUCT: Found(error=error) if hits is None else Found(tuple(hit.paper.id for hit in hits), seconds, notice=notice)}
    plain, error = _tried(lambda: parts.rank(question, DEPTH))
    if plain is None:
        return found | dict.fromkeys(PLAIN, Found(error=error))
    return found | {name: Found(tuple(paper for paper, _ in one.ranking), one.seconds) for name, one in plain.items()}


def _tried(do: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return do(), ""
    except Exception as error:  # noqa: BLE001  whatever a system raises counts against it
        return None, describe(error)


def _silent(_stage: str, _done: int, _total: int) -> None:
    return
