"""Composition root: Settings -> Engine. Picks every backend; interfaces call nothing else."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from rag_qa import chat, text
from rag_qa.answering import listing
from rag_qa.answering.answer import Answer, AnswerEvent, Step
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.extractive import Corner, ExtractiveAnswerer, refusal
from rag_qa.answering.generative import GenerativeAnswerer
from rag_qa.answering.rewriting import rewrite_follow_up
from rag_qa.answering.summaries import MOST_PAPERS, Comparison, Library, Summariser, Summary, asks_for_summary, topic_of
from rag_qa.answering.weights import Weights
from rag_qa.chunking import Passage
from rag_qa.conversation import Conversations
from rag_qa.embedding import minilm, openai_api, static, transformer
from rag_qa.embedding.cache import Cached
from rag_qa.embedding.embedder import EMBEDDERS, Embedder, Priced
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import ProviderError, QuestionError
from rag_qa.grounding import GroundingCheck
from rag_qa.index.changes import Changes, Fate, Outcome
from rag_qa.index.register import Root
from rag_qa.index.store import Announce, ChromaServer, Holdings, Store, Workload
from rag_qa.library import Reading
from rag_qa.llm import openai_api as chat_api
from rag_qa.llm.chat_model import CHAT_MODELS, ChatModel
from rag_qa.papers import Paper, called, known_as
from rag_qa.retrieval import understanding
from rag_qa.retrieval.filters import EVERYTHING, Filters, nothing_passes
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.reranking import cross_encoder
from rag_qa.retrieval.reranking import llm as llm_reranking
from rag_qa.retrieval.reranking.reranker import RERANKERS, Reranker
from rag_qa.retrieval.retriever import Retriever
from rag_qa.retrieval.searches import Search
from rag_qa.retrieval.set_questions import SetQuestion, asked_for_set
from rag_qa.retrieval.sets import Sets
from rag_qa.retrieval.understanding import Understood
from rag_qa.settings import Settings
from rag_qa.sources.reader import Problem, Trouble

MAX_QUESTION_WORDS = 400
"""A question longer than this is a text pasted by mistake."""

_MOST_WITH_NAME = 5  # papers that speak of a method by name
_NEAREST = 3  # papers named in a refusal
_MOST_SUMMED_UP = 5
"""Papers that the answer to a request for a summary is made of, so that it stays short."""
_SURELY_OF_TOPIC = 0.5
"""A request for a summary of which no paper is as surely of the topic is answered as any other question."""
_HOPELESS = 0.2
"""Below this share of `min_confidence` there is no evidence that a chat model could answer from: it is not asked."""
_UNRELATED = 0.15
"""Nor is it asked when no paper comes near the question (score of the best hit) and the evidence would not do for an answer either."""


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


Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) while work goes on."""

Notice = Callable[[str], None]
"""Called with a line that a person should see before the work goes on."""

KEPT_VECTORS = "vectors.db"
"""The file of the data folder with the vectors that an embeddings server was asked for."""
_MANY_TEXTS = 1000
"""More than this are not sent to a server unannounced."""


T = TypeVar("T")


def _made_once(make: Callable[[Any], T]) -> cached_property[T]:
    """A part that is made when it is first used, by one thread (from Python 3.12 on, functools' own may make it twice)."""
    lock = threading.RLock()

    def made(engine: Any) -> T:
        with lock:
            parts: dict[str, T] = vars(engine)
            if make.__name__ not in parts:
                parts[make.__name__] = make(engine)
            return parts[make.__name__]

    return cached_property(made)


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that a conversation is about: those that pass, and those that a question itself asks for, if it is read for that."""

    filters: Filters = EVERYTHING
    reads_filters: bool = True


EVERY_PAPER = Scope()
_MOST_SCOPES = 16
"""Scopes of which conversations are remembered."""


class Engine:
    """Everything the program does. Cheap to make: a stage is loaded when first used. Safe to use from several threads.

    `embedder` and `chat_model` stand in for the ones that the settings name.
    """

    def __init__(self, settings: Settings, *, embedder: Embedder | None = None, chat_model: ChatModel | None = None) -> None:
        self.settings = settings
        self._given_embedder = embedder
        self._given_chat_model = chat_model
        self._scopes: dict[Scope, Conversations] = {}
        self._lock = threading.Lock()

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
        if rebuild and not dry_run and (self._store.exists or not paths):
            rebuilt = self._store.rebuild(progress=progress, announce=self._announcing(notice))
        named = [Root(str(path), dict(mapping or {})) for path in paths]
        known, sources = (self._store.roots(), self._store.sources()) if self._store.exists else ([], [])
        reading = Reading.of(named, known, sources, stdin=stdin, language=self.settings.language)
        return self._take(reading, dry_run=dry_run, rebuilt=rebuilt, progress=progress, notice=notice)

    def sync(self, *, dry_run: bool = False, progress: Progress | None = None, notice: Notice | None = None) -> IndexReport:
        """Read again what was ever indexed: what is new, edited or gone there is so in the index. Raises EmptyIndexError."""
        self._store.manifest()
        reading = Reading.again(self._store.roots(), self._store.sources(), language=self.settings.language)
        return self._take(reading, dry_run=dry_run, progress=progress, notice=notice)

    def remove(self, paths: Sequence[str | Path], *, dry_run: bool = False, progress: Progress | None = None) -> IndexReport:
        """Take files and folders out of the index; `sync` leaves them alone from then on. A paper that another file holds stays.

        Raises EmptyIndexError, and SourceError for what is not in the index.
        """
        self._store.manifest()
        reading = Reading.without([str(path) for path in paths], self._store.roots(), self._store.sources())
        return self._take(reading, dry_run=dry_run, progress=progress)

    def _take(self, reading: Reading, *, dry_run: bool, rebuilt: int = 0, progress: Progress | None, notice: Notice | None = None) -> IndexReport:
        started = time.perf_counter()
        if dry_run:
            changes = self._store.preview(reading.sources, gone=reading.gone, progress=progress)
        elif reading.sources or reading.gone or reading.forgotten:
            changes = self._store.update(
                reading.sources,
                gone=reading.gone,
                roots=reading.roots,
                forget=reading.forgotten,
                progress=progress,
                announce=self._announcing(notice),
            )
        else:
            changes = Changes()
        papers, passages = self._store.count() if self._store.exists else (0, 0)
        with self._lock:
            self._scopes.clear()
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
        embedder = self._embedder
        if notice is None or not isinstance(embedder, Priced):
            return None

        def announce(work: Workload) -> None:
            if work.texts > _MANY_TEXTS:
                notice(_cost_line(work, embedder.name, embedder.dollars(work.tokens)))

        return announce

    def info(self) -> IndexInfo:
        """What the index holds. Raises EmptyIndexError when there is none."""
        manifest = self._store.manifest()
        self._store.require_papers()
        papers, passages = self._store.count()
        return IndexInfo(self._store.folder, papers, passages, manifest.embedder, manifest.dimensions, manifest.chunker, tuple(self._store.sources()))

    def papers(self) -> list[Paper]:
        """All papers, in the order of their origins. Raises EmptyIndexError."""
        self._store.manifest()
        self._store.require_papers()
        return self._store.papers()

    def some_papers(self, most: int) -> list[Paper]:
        """Some papers, those that were indexed first. Raises EmptyIndexError."""
        self._store.manifest()
        self._store.require_papers()
        return self._store.some(most)

    def holdings(self, most: int = 200) -> Holdings:
        """What the papers can be narrowed by, and how many there are of each: of every field the `most` frequent values. Raises EmptyIndexError."""
        self._store.manifest()
        return self._store.holdings(most)

    def records(self, paper_id: str) -> list[PaperRecord]:
        """The records that a paper was made of, in the order of their places. Raises EmptyIndexError."""
        self._store.manifest()
        return [PaperRecord(paper, reason) for paper, reason in self._store.records(paper_id)]

    def problems(self) -> list[Problem]:
        """Every record and file that is not in the index, or not as it stands in its file, as the last reading found it. Raises EmptyIndexError."""
        self._store.manifest()
        return self._store.problems()

    # -------------------------------------------------------------------------------------------------------------- questions

    def search(
        self, question: str, *, k: int | None = None, everything: bool = False, filters: Filters | None = None, reads_filters: bool = True
    ) -> Search:
        """The most relevant papers, best first: `k` of them, or `everything`: the whole ranked list. Without either, a question for every paper that
        qualifies ("Which papers deal with tides?") gets those.

        `filters`: what a paper must be to be found. With `reads_filters`, what the question itself says of the papers ("since 2023", "by Smith") is
        one too; the result says what was understood. Raises QuestionError, EmptyIndexError, StaleIndexError.
        """
        narrowed = self._narrowed(_checked(question), Scope(filters or EVERYTHING, reads_filters))
        if nothing := self._nothing_passes(narrowed.filters):
            return Search(narrowed.question, (), narrowed.narrowing, nothing)
        asked = asked_for_set(narrowed.question)
        if asked and k is None:
            found = self._sets.members(asked, filters=narrowed.filters, beyond=len(self._store) if everything else 0)
            hits = tuple(replace(member.hit, rank=rank) for rank, member in enumerate((*found.members, *found.beyond), 1))
            return Search(narrowed.question, hits, narrowed.narrowing, paper_set=found)
        most = len(self._store) if everything else k or self.settings.top_k
        return Search(narrowed.question, tuple(self._retriever.search(narrowed.question, k=most, filters=narrowed.filters)), narrowed.narrowing)

    def ask(self, question: str, *, history: Sequence[str] = (), filters: Filters | None = None, reads_filters: bool = True) -> Answer:
        """A checked answer. `history`: earlier questions of the same conversation, oldest first. `filters`, `reads_filters`: as for `search`."""
        *_, last = self.stream(question, history=history, filters=filters, reads_filters=reads_filters)
        assert isinstance(last, Answer)
        return last

    def stream(
        self, question: str, *, history: Sequence[str] = (), filters: Filters | None = None, reads_filters: bool = True
    ) -> Generator[AnswerEvent, None, None]:
        """The same answer as it comes about; the last event is the Answer itself. Raises RagQAError, also in the middle.

        Closing the generator stops the work, and hangs up on a chat model.
        """
        started = time.perf_counter()
        asked = _checked(question)
        if friendly := chat.small_talk(asked):
            yield Answer(asked, asked, abstained=friendly)
            return
        self._store.open()
        yield Step("Reading the question")
        scope = Scope(filters or EVERYTHING, reads_filters)
        conversations = self._conversations(scope)
        understood, shown = self._understood(asked, history, conversations)
        narrowed = self._narrowed(understood, scope)
        yield Step("Searching the papers", understood, narrowed.narrowing)
        understanding = time.perf_counter()
        with closing(self._answers(asked, narrowed, shown)) as events:
            for event in events:
                if isinstance(event, Step):
                    event = replace(event, understood_as=understood, narrowing=narrowed.narrowing)
                if isinstance(event, Answer):
                    timings = {"understand": round(understanding - started, 6), **event.timings, "total": round(time.perf_counter() - started, 6)}
                    event = replace(event, understood_as=understood, narrowing=narrowed.narrowing, timings=timings)
                    conversations.remember(asked, history, understood, [source.paper for source in event.sources])
                yield event

    def _narrowed(self, question: str, scope: Scope) -> Understood:
        """What a question says of the papers, and what is set besides, which counts where both speak of the same."""
        self._store.open()
        if not scope.reads_filters:
            # years and types are still no words to search for; what was taken for a name may be one
            found = understanding.understood(question, lambda _field, _name: False)
            return Understood(question if found.asks_nothing_else else found.question, scope.filters)
        found = understanding.understood(question, self._store.knows)
        return replace(found, filters=found.filters.and_also(scope.filters))

    def _nothing_passes(self, filters: Filters) -> str:
        """What to say if no paper passes; "" if one does."""
        if filters.is_empty or self._retriever.count(filters):
            return ""
        return nothing_passes(filters, self._retriever.count)

    def _hits(self, narrowed: Understood, shown: frozenset[str] = frozenset()) -> list[Hit]:
        """What there is on a question, without papers that were shown before and are not wanted again."""
        hits = self._retriever.search(narrowed.question, k=self.settings.top_k + len(shown), filters=narrowed.filters)
        return [hit for hit in hits if hit.paper.id not in shown][: self.settings.top_k]

    def _answers(self, asked: str, narrowed: Understood, shown: frozenset[str]) -> Generator[AnswerEvent, None, None]:
        """What a question that stands alone is answered with. `shown`: ids of papers that are not wanted again."""
        started = time.perf_counter()
        if listed := self._listed(asked, narrowed, shown):
            yield Step("Listing the papers", preface=listed.preface)
            yield from listed.sentences
            yield replace(listed, timings={"retrieve": round(time.perf_counter() - started, 6)})
            return
        if summed_up := self._summed_up(asked, narrowed):
            yield Step("Summing up the papers", preface=summed_up.preface)
            yield from summed_up.sentences
            yield replace(summed_up, timings={"retrieve": round(time.perf_counter() - started, 6)})
            return
        hits = self._hits(narrowed, shown)
        searched = round(time.perf_counter() - started, 6)
        with closing(self._from_hits(asked, narrowed.question, hits)) as events:
            for event in events:
                if isinstance(event, Answer):
                    notice = " ".join(filter(None, [event.notice, *(hit.notice for hit in hits[:1])]))
                    event = replace(event, notice=notice, timings={"retrieve": searched, **event.timings})
                yield event

    def _listed(self, asked: str, narrowed: Understood, shown: frozenset[str] = frozenset()) -> Answer | None:
        """The answer to a question for papers, and not for what they say; None for any other. With a chat model, too: it would leave some out."""
        question, filters = narrowed.question, narrowed.filters
        if nothing := self._nothing_passes(filters):
            return refusal(asked, question, nothing, ())
        if narrowed.asks_nothing_else:
            told = [paper for paper in self._retriever.passing(filters) if paper.id not in shown]
            return listing.all_of(asked, question, told, self._retriever.count(filters), len(self._store))
        if wanted := asked_for_set(question):
            return listing.listed(asked, question, self._sets.members(wanted, filters=filters, beyond=_NEAREST), shown)
        return None

    def _summed_up(self, asked: str, narrowed: Understood) -> Answer | None:
        """The answer to a request for a summary of a paper or of a topic; None for any other, and with a chat model, which writes it."""
        if self.uses_llm or not asks_for_summary(narrowed.question):
            return None
        subject = topic_of(narrowed.question)
        if paper := self._paper_named(subject):
            told, sure = self._summariser.papers([paper]), 1.0
        else:
            found = self._sets.members(SetQuestion(subject), filters=narrowed.filters, beyond=_NEAREST)
            sure = max((one.probability for one in found.members), default=0.0)
            told = self._summariser.topic(subject, [one.hit for one in found.members], [one.hit for one in found.beyond], most=_MOST_SUMMED_UP)
        return replace(told.answer, question=asked, confidence=sure) if sure >= _SURELY_OF_TOPIC else None

    def _paper_named(self, name: str) -> Paper | None:
        """The one paper that is called so, and nothing else."""
        folded = text.folded(name)
        words = [word for word in text.words(folded) if word.text not in text.STOPWORDS]
        terms = {term: 1.0 for word in words for term in text.word_terms(word.text)}
        near = self._store.by_keywords(terms, _MOST_WITH_NAME) if terms else []
        found = [paper for paper in self._store.get([paper_id for paper_id, _ in near]).values() if folded in known_as(paper)]
        return found[0] if len(found) == 1 else None

    def _from_hits(self, asked: str, understood: str, hits: Sequence[Hit]) -> Generator[AnswerEvent, None, None]:
        if not self.uses_llm:
            yield from self._extractive.stream(understood, hits, asked=asked)
            return
        reading = self._extractive.read(understood, hits)
        if reading is None or not self._is_worth_asking(reading.assessment.confidence, hits[0].score):
            # no evidence: the model would answer from memory
            refused = self._extractive.answer(understood, hits, asked=asked) if reading else refusal(asked, understood, _NOTHING, hits)
            yield replace(refused, model=self._model_name)
            return
        confidence, fallback = reading.assessment.confidence, partial(self._extractive.answer, understood, hits, asked=asked)
        with closing(self._generative.stream(understood, hits, asked=asked, confidence=confidence, fallback=fallback)) as events:
            yield from events

    def _is_worth_asking(self, confidence: float, best_score: float) -> bool:
        """Is there evidence that a chat model could answer from?"""
        least = self.settings.min_confidence
        return confidence >= least or (confidence >= _HOPELESS * least and best_score >= _UNRELATED)

    @property
    def _model_name(self) -> str:
        """Who answers. A refusal for which the model is not needed does not fail because its server, which knows the name, is down."""
        try:
            return self._chat_model.name
        except ProviderError:
            return self.settings.llm_model or "llm"

    @property
    def reranker(self) -> str:
        """Who judges the first papers of a search once more, by kind and model; "" if nobody does. Raises ProviderError."""
        return self._reranker.name if self._reranker else ""

    @property
    def uses_llm(self) -> bool:
        """Does a chat model write the answers?"""
        return self._given_chat_model is not None or self.settings.uses_llm

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
        return self._summariser.papers(papers)

    def summarise_topic(self, topic: str, *, k: int | None = None, filters: Filters | None = None, reads_filters: bool = True) -> Summary:
        """What the papers of a topic say about it, by theme, with what they agree on and where they contradict each other. `k`: of so many
        papers at most.

        `filters`, `reads_filters`: as for `search`. Raises QuestionError, EmptyIndexError, StaleIndexError.
        """
        narrowed = self._narrowed(topic_of(_checked(topic)), Scope(filters or EVERYTHING, reads_filters))
        subject = narrowed.question
        if nothing := self._nothing_passes(narrowed.filters):
            return Summary(f"“{subject}”", abstained=nothing, narrowing=narrowed.narrowing)
        if narrowed.asks_nothing_else:
            raise QuestionError(f"There is no topic in {topic!r}, only which papers are meant: name one, such as: privacy {topic}")
        found = self._sets.members(SetQuestion(subject), filters=narrowed.filters, beyond=_NEAREST)
        told = self._summariser.topic(subject, [one.hit for one in found.members], [one.hit for one in found.beyond], most=k or MOST_PAPERS)
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
        *_, last = self._generative.stream(summary.request, hits, asked=told.question, confidence=1.0, fallback=lambda: told)
        assert isinstance(last, Answer)
        return replace(last, understood_as=told.question, narrowing=summary.narrowing)

    def compare(self, names: Sequence[str], aspects: Sequence[str] = ()) -> Comparison:
        """Papers side by side: what each says of each aspect (problem, method, result and limits, if none is given). Raises as `named`, and
        QuestionError for fewer than two papers or an aspect without a word.
        """
        papers = self.named(names)
        if len(papers) < 2:
            raise QuestionError(f"Name two papers at least to compare, and not {len(papers)}: rag-qa papers lists them")
        wanted = [(name, self._summariser.aspect(name)) for name in aspects]
        if empty := next((name for name, one in wanted if one is None), None):
            raise QuestionError(f"There is no word in the aspect {empty!r}: ask for example for: data set")
        return self._summariser.compare(papers, [one for _, one in wanted if one])

    # ----------------------------------------------------------------------------------------------------------- conversation

    def _understood(self, question: str, history: Sequence[str], conversations: Conversations) -> tuple[str, frozenset[str]]:
        """The question so that it stands alone, and ids of papers that it does not want again. The model is asked only where the rules see a
        follow-up, and they stand in when it fails.
        """
        understood = conversations.understand(question, history)
        if not understood.leans or not self.uses_llm:
            return understood.question, understood.shown
        try:
            rewritten = rewrite_follow_up(self._chat_model, question, conversations.before(history))
        except ProviderError:
            rewritten = ""
        return rewritten or understood.question, understood.shown

    def _papers_for(self, scope: Scope, understood: str, shown: frozenset[str]) -> tuple[Paper, ...]:
        """The papers that answer a question offline."""
        narrowed = self._narrowed(understood, scope)
        listed = self._listed(understood, narrowed, shown)
        answer = listed or self._extractive.answer(narrowed.question, self._hits(narrowed, shown))
        return tuple(source.paper for source in answer.sources)

    def _conversations(self, scope: Scope) -> Conversations:
        """What was said and answered within a scope."""
        with self._lock:
            known = self._scopes.pop(scope, None) or Conversations(partial(self._papers_for, scope), self._name_of)
            self._scopes[scope] = known  # the last used is the last
            for oldest in list(self._scopes)[:-_MOST_SCOPES]:
                del self._scopes[oldest]
            return known

    def _name_of(self, word: str) -> str | None:
        """A word as the paper that is called so writes it."""
        folded = text.fold(word).text
        term = text.word_terms(folded)[0]
        if not 0 < self._store.document_frequency(term) <= _MOST_WITH_NAME:
            return None
        found = self._store.get([paper_id for paper_id, _ in self._store.by_keywords({term: 1.0}, _MOST_WITH_NAME)])
        return next((paper.label for paper in found.values() if text.fold(paper.label).text == folded), None)

    # ----------------------------------------------------------------------------------------------------------------- parts

    @_made_once
    def _embedder(self) -> Embedder:
        if self._given_embedder is not None:
            return self._given_embedder
        settings = self.settings
        if settings.embedder == "sentence-transformers":
            return EMBEDDERS[settings.embedder](settings.embedding_model or transformer.DEFAULT_MODEL)
        if settings.embedder != "openai":
            return EMBEDDERS[settings.embedder]()
        key = settings.embedding_api_key or settings.openai_api_key
        return EMBEDDERS["openai"](
            settings.embedding_model or openai_api.DEFAULT_MODEL,
            base_url=settings.embedding_base_url or settings.openai_base_url,
            api_key=key.get_secret_value() if key else None,
            timeout=settings.llm_timeout,
            retries=settings.llm_retries,
        )

    @_made_once
    def _store(self) -> Store:
        url, token = self.settings.chroma_url, self.settings.chroma_token
        server = ChromaServer(url.rstrip("/"), token.get_secret_value() if token else "") if url else None
        return Store((self.settings.data_dir.expanduser() / "index").absolute(), self._embedder_of_index, server=server)

    @_made_once
    def _embedder_of_index(self) -> Embedder:
        """Vectors that cost money are kept: a rebuild, or an import that was interrupted, does not pay for them again."""
        if self._given_embedder is not None or self.settings.embedder != "openai":
            return self._embedder
        return Cached(self._embedder, self.settings.data_dir.expanduser().absolute() / KEPT_VECTORS)

    @_made_once
    def _retriever(self) -> Retriever:
        return Retriever(self._store, self._embedder, reranker=self._reranker, depth=self.settings.reranker_depth)

    @_made_once
    def _reranker(self) -> Reranker | None:
        settings = self.settings
        match settings.reranker:
            case "none":
                return None
            case "llm":
                model = self._remote_chat(settings.reranker_model) if settings.reranker_model else self._chat_model
                return RERANKERS["llm"](model, reply_tokens=settings.llm_max_output_tokens)
        return RERANKERS[settings.reranker](settings.reranker_model or cross_encoder.DEFAULT_MODEL)

    @_made_once
    def _sets(self) -> Sets:
        return Sets(self._store, self._retriever)

    @_made_once
    def _words(self) -> WordVectors:
        return WordVectors()

    @_made_once
    def _extractive(self) -> ExtractiveAnswerer:
        return self.extractive()

    def extractive(self, weights: Weights | None = None) -> ExtractiveAnswerer:
        """The answerer that needs no model, with the shipped weights or others (to fit them)."""
        corner = Corner(
            embed=self._embedder.embed,
            sentence_vectors=self._store.sentence_vectors,
            similarity=self._words.of,
            corpus=lambda: Corpus(len(self._store), self._store.document_frequency),
        )
        return ExtractiveAnswerer(corner, min_confidence=self.settings.min_confidence, weights=weights)

    @_made_once
    def _summariser(self) -> Summariser:
        return Summariser(Library(self._store.sentence_vectors, self._words.of, lambda: Corpus(len(self._store), self._store.document_frequency)))

    @_made_once
    def _generative(self) -> GenerativeAnswerer:
        check = GroundingCheck(self._words.of)
        settings = self.settings
        return GenerativeAnswerer(
            self._chat_model,
            check,
            max_output_tokens=settings.llm_max_output_tokens,
            unsupported=settings.unsupported,
            deadline=settings.llm_deadline,
        )

    @_made_once
    def _chat_model(self) -> ChatModel:
        if self._given_chat_model is not None:
            return self._given_chat_model
        return self._remote_chat(self.settings.llm_model)

    def _remote_chat(self, model: str | None) -> ChatModel:
        settings = self.settings
        return CHAT_MODELS["openai"](
            model,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key.get_secret_value() if settings.openai_api_key else None,
            context_tokens=settings.llm_context_tokens,
            timeout=settings.llm_timeout,
            deadline=settings.llm_deadline,
            retries=settings.llm_retries,
            price=settings.dollars,
        )


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


_NOTHING = "No paper in this library has anything to do with the question."

# the modules make themselves known to the registries
_BACKENDS = (minilm, openai_api, static, transformer, chat_api, llm_reranking, cross_encoder)


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


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _checked(question: str) -> str:
    """The question on one line, without control characters and broken ones. Raises QuestionError."""
    plain = " ".join(_UNPRINTABLE.sub(" ", question).split())
    if not plain:
        raise QuestionError('The question is empty: type what you want to know, for example: rag-qa ask "What is DP-CATE?"')
    words = text.words(text.fold(plain).text)
    if not words:
        raise QuestionError(f"There is no word in the question {plain[:40]!r}: ask in words, for example: What is differential privacy?")
    if len(words) > MAX_QUESTION_WORDS:
        raise QuestionError(
            f"The question has {len(words):,} words, and {MAX_QUESTION_WORDS} are the most: ask what you want to know in a sentence or two"
        )
    return plain
