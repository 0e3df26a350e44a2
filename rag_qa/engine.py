"""Everything the program does, over its parts; interfaces call nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from rag_qa.answering.answer import Answer, AnswerEvent
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.summaries import MOST_PAPERS, Comparison, Summary, topic_of
from rag_qa.answering.weights import Weights
from rag_qa.calibration import cases, fitting, kept
from rag_qa.calibration.cases import Case as Case
from rag_qa.calibration.fitting import Calibration as Calibration
from rag_qa.calibration.kept import MOST_CHANGED, Kept
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Priced
from rag_qa.errors import QuestionError, SourceError
from rag_qa.index.changes import Changes, Fate, Outcome
from rag_qa.index.register import Root
from rag_qa.index.store import Announce, Holdings, Workload
from rag_qa.library import Reading
from rag_qa.llm.chat_model import ChatModel
from rag_qa.papers import Paper, called
from rag_qa.parts import KEPT_VECTORS as KEPT_VECTORS
from rag_qa.parts import Parts
from rag_qa.questions import EVERY_PAPER as EVERY_PAPER
from rag_qa.questions import MAX_QUESTION_WORDS as MAX_QUESTION_WORDS
from rag_qa.questions import MOST_WORDS_LONGER as MOST_WORDS_LONGER
from rag_qa.questions import NEAREST, Questions, checked
from rag_qa.questions import Scope as Scope
from rag_qa.retrieval.filters import EVERYTHING, Filters
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.searches import Search
from rag_qa.retrieval.set_questions import SetQuestion
from rag_qa.settings import DEFAULT_THRESHOLD, Settings
from rag_qa.sources.reader import Problem, Trouble


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of every record of the files that were read.

    `read` records are `added + updated + unchanged + merged` and those in `skipped`. Nothing is dropped silently: `skipped` (no abstract, not a
    paper, malformed) and `failed` (a whole file) give the reason, `repaired` says what was read otherwise than it stands, `ignored` names the files
    that were left aside, and `records` says what each other record became. `is_preview`: this is what would happen; nothing was written.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    merged: int = 0
    read: int = 0
    skipped: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    repaired: tuple[Problem, ...] = ()
    ignored: tuple[Problem, ...] = ()
    records: tuple[Fate, ...] = ()
    papers: int = 0
    passages: int = 0
    embedded: int = 0
    seconds: float = 0.0
    is_preview: bool = False


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """A record that a paper was made of, as it was read. `reason`: why it is the same work as the first one, "" for that one."""

    paper: Paper
    reason: str


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index holds and what built it."""

    path: Path
    papers: int
    passages: int
    embedder: str
    dimensions: int
    chunker: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """Below which confidence a question is refused. `is_set`: by a setting. `kept`: what was calibrated, if anything; it is not in force if the
    confidence is made otherwise now (`other_scorer`: in what), and nothing is promised any more if much of the library has changed.
    """

    value: float
    is_set: bool = False
    kept: Kept | None = None
    other_scorer: tuple[str, ...] = ()
    has_other_papers: bool = False


Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) while work goes on."""

Notice = Callable[[str], None]
"""Called with a line that a person should see before the work goes on."""

DEFAULT_RISK = DEFAULT_DELTA = 0.1
NOT_ANSWERABLE = 0.25
"""Share of the questions of a calibration that is not to be answered: where fewer are, papers are left out."""
FROM_LIBRARY = "the abstracts' own words"

_MANY_TEXTS = 1000
"""More than this are not sent to a server unannounced."""


class Engine:
    """Everything the program does. Cheap to make: a stage is loaded when first used. Safe to use from several threads.

    `embedder` and `chat_model` stand in for the ones that the settings name.
    """

    def __init__(self, settings: Settings, *, embedder: Embedder | None = None, chat_model: ChatModel | None = None) -> None:
        self.settings = settings
        self._parts = Parts(settings, embedder, chat_model)
        self._questions = Questions(self._parts)

    # ------------------------------------------------------------------------------------------------------------ the index

    def index(
        self,
        paths: Sequence[str | Path],
        *,
        rebuild: bool = False,
        dry_run: bool = False,
        mapping: Mapping[str, str] | None = None,
        stdin: BinaryIO | None = None,
        progress: Progress | None = None,
        notice: Notice | None = None,
    ) -> IndexReport:
        """Read files and folders into the index, and remember them for `sync`. A second call with the same files embeds nothing.

        A file that can't be read keeps what the index had of it; one that has gone from a folder that was read takes its papers with it.
        The path "-" reads `stdin`. `mapping`: field -> column or key, for tables and JSON whose names are not understood. `dry_run`: say what would
        happen and write nothing. `rebuild` makes the index anew, with the embedder of the settings, from the papers that it knows (and reads
        `paths`, if any, too). `notice` is told what is about to be sent to an embeddings server, and what it costs, if it is much. Raises
        IndexBusyError, StaleIndexError, ProviderError, and EmptyIndexError when there is nothing to rebuild.
        """
        rebuilt = 0
        if rebuild and not dry_run and (self._parts.store.exists or not paths):
            rebuilt = self._parts.store.rebuild(progress=progress, announce=self._announcing(notice))
        named = [Root(str(path), dict(mapping or {})) for path in paths]
        known, sources = (self._parts.store.roots(), self._parts.store.sources()) if self._parts.store.exists else ([], [])
        reading = Reading.of(named, known, sources, stdin=stdin, language=self.settings.language)
        return self._take(reading, dry_run=dry_run, rebuilt=rebuilt, progress=progress, notice=notice)

    def sync(self, *, dry_run: bool = False, progress: Progress | None = None, notice: Notice | None = None) -> IndexReport:
        """Read again what was ever indexed: what is new, edited or gone there is so in the index. Raises EmptyIndexError."""
        self._parts.store.manifest()
        reading = Reading.again(self._parts.store.roots(), self._parts.store.sources(), language=self.settings.language)
        return self._take(reading, dry_run=dry_run, progress=progress, notice=notice)

    def remove(self, paths: Sequence[str | Path], *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport:
        """Take files and folders out of the index; `sync` leaves them alone from then on. A paper that another file holds stays.

        Raises EmptyIndexError, and SourceError for what is not in the index.
        """
        self._parts.store.manifest()
        reading = Reading.without([str(path) for path in paths], self._parts.store.roots(), self._parts.store.sources())
        return self._take(reading, dry_run=dry_run, progress=progress)

    def _take(self, reading: Reading, *, dry_run: bool, rebuilt: int = 0, progress: Progress | None, notice: Notice | None = None) -> IndexReport:
        started = time.perf_counter()
        if dry_run:
            changes = self._parts.store.preview(reading.sources, gone=reading.gone, progress=progress)
        elif reading.sources or reading.gone or reading.forgotten:
            changes = self._parts.store.update(
                reading.sources,
                gone=reading.gone,
                roots=reading.roots,
                forget=reading.forgotten,
                progress=progress,
                announce=self._announcing(notice),
            )
        else:
            changes = Changes()
        papers, passages = self._parts.store.count() if self._parts.store.exists else (0, 0)
        self._questions.forget()
        return replace(
            _report(changes, reading.problems),
            papers=papers,
            passages=passages,
            embedded=rebuilt + changes.embedded,
            seconds=round(time.perf_counter() - started, 3),
            is_preview=dry_run,
        )

    def _announcing(self, notice: Notice | None) -> Announce | None:
        """Tells `notice` of a large run with an embedder that may cost money."""
        embedder = self._parts.embedder
        if notice is None or not isinstance(embedder, Priced):
            return None

        def announce(work: Workload) -> None:
            if work.texts > _MANY_TEXTS:
                notice(_cost_line(work, embedder.name, embedder.dollars(work.tokens)))

        return announce

    def info(self) -> IndexInfo:
        """What the index holds. Raises EmptyIndexError when there is none."""
        store = self._parts.store
        manifest = store.manifest()
        store.require_papers()
        papers, passages = store.count()
        return IndexInfo(store.folder, papers, passages, manifest.embedder, manifest.dimensions, manifest.chunker, tuple(store.sources()))

    def papers(self) -> list[Paper]:
        """All papers, in the order of their origins. Raises EmptyIndexError."""
        self._parts.store.manifest()
        self._parts.store.require_papers()
        return self._parts.store.papers()

    def some_papers(self, most: int) -> list[Paper]:
        """Some papers, those that were indexed first. Raises EmptyIndexError."""
        self._parts.store.manifest()
        self._parts.store.require_papers()
        return self._parts.store.some(most)

    def holdings(self, most: int = 200) -> Holdings:
        """What the papers can be narrowed by, and how many there are of each: of every field the `most` frequent values. Raises EmptyIndexError."""
        self._parts.store.manifest()
        return self._parts.store.holdings(most)

    def records(self, paper_id: str) -> list[PaperRecord]:
        """The records that a paper was made of, in the order of their places. Raises EmptyIndexError."""
        self._parts.store.manifest()
        return [PaperRecord(paper, reason) for paper, reason in self._parts.store.records(paper_id)]

    def problems(self) -> list[Problem]:
        """Every record and file that is not in the index, or not as it stands in its file, as the last reading found it. Raises EmptyIndexError."""
        self._parts.store.manifest()
        return self._parts.store.problems()

    # -------------------------------------------------------------------------------------------------------------- questions

    def search(
        self, question: str, *, k: int | None = None, everything: bool = False, filters: Filters | None = None, reads_filters: bool = True
    ) -> Search:
        """The most relevant papers, best first: `k` of them, or `everything`: the whole ranked list. Without either, a question for every paper that
        qualifies ("Which papers deal with tides?") gets those.

        `filters`: what a paper must be to be found. With `reads_filters`, what the question itself says of the papers ("since 2023", "by Smith") is
        one too; the result says what was understood. Raises QuestionError, EmptyIndexError, StaleIndexError.
        """
        return self._questions.search(question, Scope(filters or EVERYTHING, reads_filters), k=k, everything=everything)

    def ask(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Answer:
        """A checked answer. `history`: earlier questions of the same conversation, oldest first. `filters`, `reads_filters`: as for `search`.

        `most_words`: about how many words of the papers it may have (None: as few as answer, 120 at most); `MOST_WORDS_LONGER` gives one that
        goes on where it could stop. Lists of papers and summaries are as long as they are.
        """
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
    ) -> Generator[AnswerEvent, None, None]:
        """The same answer as it comes about; the last event is the Answer itself. Raises RagQAError, also in the middle.

        Closing the generator stops the work, and hangs up on a chat model.
        """
        yield from self._questions.stream(question, Scope(filters or EVERYTHING, reads_filters), history=history, most_words=most_words)

    @property
    def reranker(self) -> str:
        """Who judges the first papers of a search once more, by kind and model; "" if nobody does. Raises ProviderError."""
        return self._parts.reranker.name if self._parts.reranker else ""

    @property
    def uses_llm(self) -> bool:
        """Does a chat model write the answers?"""
        return self._parts.uses_llm

    def extractive(self, weights: Weights | None = None) -> ExtractiveAnswerer:
        """The answerer that needs no model, with the shipped weights or others (to fit them)."""
        return self._parts.extractive_with(weights)

    # ------------------------------------------------------------------------------------------------------------ calibration

    def calibrate(
        self,
        questions: Sequence[Path] = (),
        *,
        risk: float = DEFAULT_RISK,
        delta: float = DEFAULT_DELTA,
        unanswerable: float = NOT_ANSWERABLE,
        from_library: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration:
        """Find the lowest threshold of which can be promised, with probability 1 - `delta`, that at most a share `risk` of the offline answers is
        wrong, on files of questions (see calibration.cases) or on some made from the library; keep it in the data folder, unless there is none or
        `dry_run` is set. `unanswerable`: share of the questions that is not to be answered; where fewer are, papers are left out.

        Questions that are made say little of those of people: by them no threshold below the default is chosen, and it is kept only with
        `from_library`. Raises SourceError, EmptyIndexError.
        """
        papers = self.papers()
        asked = _asked_of(questions, papers) or cases.made(papers)
        found = fitting.calibrated(
            cases.with_papers_left_out(asked, unanswerable),
            self._questions.tried,
            source=", ".join(path.name for path in questions) or FROM_LIBRARY,
            risk=risk,
            delta=delta,
            lowest=0.0 if questions else DEFAULT_THRESHOLD,
            progress=progress,
        )
        if dry_run or not (questions or from_library) or (one := found.certified) is None:
            return found
        refused, answerable = found.over_refused(one.threshold)
        threshold = Kept(
            threshold=one.threshold,
            risk=risk,
            delta=delta,
            cases=len(found.outcomes),
            answered=one.answered,
            wrong=one.wrong,
            answerable=answerable,
            over_refused=refused,
            source=found.source,
            made=datetime.now(UTC).date().isoformat(),
            scorer=self._parts.scorer,
            papers=len(papers),
            sketch=kept.sketched(paper.id for paper in papers),
        )
        kept.write(self._parts.data_dir, threshold)
        self._parts.forget_threshold()
        return replace(found, is_written=True)

    def threshold(self) -> Threshold:
        """Below which confidence a question is refused, and what is promised of it. Raises SettingsError, EmptyIndexError."""
        calibrated = self._parts.calibrated()
        if calibrated is None:
            is_set = "min_confidence" in self.settings.model_fields_set
            return Threshold(self.settings.min_confidence, is_set=is_set)
        other = tuple(calibrated.other_scorer(self._parts.scorer))
        changed = calibrated.changed_share(paper.id for paper in self.papers())
        return Threshold(self._parts.min_confidence, kept=calibrated, other_scorer=other, has_other_papers=changed > MOST_CHANGED)

    def forget_calibration(self) -> bool:
        """Go back to the default threshold; was there another? Raises RagQAError."""
        self._parts.forget_threshold()
        return kept.forget(self._parts.data_dir)

    # -------------------------------------------------------------------------------------------------------------- summaries

    def named(self, names: Sequence[str]) -> list[Paper]:
        """The papers that names mean, each once: labels, ids, DOIs, PMIDs or arXiv ids. Raises EmptyIndexError, and QuestionError for what means
        no paper or several.
        """
        known = self.papers()
        found = [_only(called(known, name), name) for name in names]
        return list({paper.id: paper for paper in found}.values())

    def summarise(self, names: Sequence[str]) -> Summary:
        """The problem, the method, the result and the limits of each paper, in sentences of its abstract. Raises as `named`."""
        if not (papers := self.named(names)):
            raise QuestionError("Name one paper at least to summarise: rag-qa papers lists them")
        return self._parts.summariser.papers(papers)

    def summarise_topic(self, topic: str, *, k: int | None = None, filters: Filters | None = None, reads_filters: bool = True) -> Summary:
        """What the papers of a topic say about it, by theme, with what they agree on and where they contradict each other. `k`: of so many
        papers at most.

        `filters`, `reads_filters`: as for `search`. Raises QuestionError, EmptyIndexError, StaleIndexError.
        """
        narrowed = self._questions.narrowed(topic_of(checked(topic)), Scope(filters or EVERYTHING, reads_filters))
        subject = narrowed.question
        if nothing := self._questions.nothing_passes(narrowed.filters):
            return Summary(f"“{subject}”", abstained=nothing, narrowing=narrowed.narrowing)
        if narrowed.asks_nothing_else:
            raise QuestionError(f"There is no topic in {topic!r}, only which papers are meant: name one, such as: privacy {topic}")
        found = self._parts.sets.members(SetQuestion(subject), filters=narrowed.filters, beyond=NEAREST)
        told = self._parts.summariser.topic(subject, [one.hit for one in found.members], [one.hit for one in found.beyond], most=k or MOST_PAPERS)
        return replace(told, narrowing=narrowed.narrowing)

    def write_summary(self, summary: Summary) -> Answer:
        """The papers of a summary summed up by the chat model in words of its own, each sentence checked against the abstract that it cites.

        Without a model, and where it says nothing of use, the sentences of the summary itself. Raises ProviderError.
        """
        if not self.uses_llm or summary.abstained is not None:
            return summary.answer
        hits = [
            Hit(paper, (Passage(f"{paper.id}:0", paper.id, 0, paper.abstract, 0, len(paper.abstract)),), 1.0 / n, n)
            for n, paper in enumerate((source.paper for source in summary.sources), 1)
        ]
        told = summary.answer
        *_, last = self._parts.generative.stream(summary.request, hits, asked=told.question, confidence=1.0, fallback=lambda: told)
        assert isinstance(last, Answer)
        return replace(last, understood_as=told.question, narrowing=summary.narrowing)

    def compare(self, names: Sequence[str], aspects: Sequence[str] = ()) -> Comparison:
        """Papers side by side: what each says of each aspect (problem, method, result and limits, if none is given). Raises as `named`, and
        QuestionError for fewer than two papers or an aspect without a word.
        """
        papers = self.named(names)
        if len(papers) < 2:
            raise QuestionError(f"Name two papers at least to compare, and not {len(papers)}: rag-qa papers lists them")
        wanted = [(name, self._parts.summariser.aspect(name)) for name in aspects]
        if empty := next((name for name, one in wanted if one is None), None):
            raise QuestionError(f"There is no word in the aspect {empty!r}: ask for example for: data set")
        return self._parts.summariser.compare(papers, [one for _, one in wanted if one])


def _asked_of(files: Sequence[Path], papers: Sequence[Paper]) -> list[Case]:
    """The questions of some files, each once, with the ids of their papers. Raises SourceError: a fault is told before any question is asked."""
    found = [(path, case) for path in files for case in cases.resolved(cases.read(path), papers, path)]
    for path, case in found:
        try:
            checked(case.question)
        except QuestionError as error:
            raise SourceError(path, case.line, found="a question that can't be asked", expected="one in words", hint=str(error)) from None
    return cases.each_once(found)


def _only(found: Sequence[Paper], name: str) -> Paper:
    """The one paper that a name means. Raises QuestionError."""
    if not found:
        raise QuestionError(f"No paper is called {name!r}: rag-qa papers lists them, rag-qa papers --json their ids")
    if len(found) > 1:
        several = ", ".join(f"{paper.label!r} ({paper.id})" for paper in found[:3])
        raise QuestionError(f"{len(found)} papers are called {name!r}, such as {several}: name one by its id")
    return found[0]


def _cost_line(work: Workload, model: str, dollars: float | None) -> str:
    """What is about to be sent, for a person.

    >>> _cost_line(Workload(2000, 21000, 1_500_000), "openai:text-embedding-3-small", 0.03)
    'Sending about 21,000 texts of 2,000 papers (1,500,000 tokens) to openai:text-embedding-3-small: about $0.03'
    """
    price = "its price is not known here" if dollars is None else f"about ${max(dollars, 0.01):,.2f}"
    return f"Sending about {work.texts:,} texts of {work.papers:,} papers ({work.tokens:,} tokens) to {model}: {price}"


_SKIPPED = (Trouble.NO_ABSTRACT, Trouble.NOT_A_PAPER, Trouble.MALFORMED)


def _report(changes: Changes, problems: Sequence[Problem]) -> IndexReport:
    without = [
        Problem(fate.path, fate.line, f"no abstract, so it is no evidence: {fate.title or 'without title'!r}", Trouble.NO_ABSTRACT)
        for fate in changes.records
        if fate.outcome is Outcome.NO_ABSTRACT
    ]
    all_problems = sorted({*problems, *changes.problems, *without}, key=lambda problem: (problem.path, problem.line or 0, problem.reason))
    skipped = tuple(problem for problem in all_problems if problem.kind in _SKIPPED)
    return IndexReport(
        added=changes.count(Outcome.ADDED),
        updated=changes.count(Outcome.UPDATED),
        unchanged=changes.count(Outcome.UNCHANGED),
        merged=changes.count(Outcome.MERGED),
        removed=changes.removed,
        read=len(changes.records) - len(without) + len(skipped),
        skipped=skipped,
        failed=tuple(problem for problem in all_problems if problem.kind is Trouble.FAILED),
        repaired=tuple(problem for problem in all_problems if problem.kind is Trouble.REPAIRED),
        ignored=tuple(problem for problem in all_problems if problem.kind is Trouble.IGNORED),
        records=tuple(fate for fate in changes.records if fate.outcome is not Outcome.NO_ABSTRACT),
    )
