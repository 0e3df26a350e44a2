"""The index as the rest of the program sees it: papers, their vectors and their keywords, kept in step."""

from __future__ import annotations

import itertools
import math
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import filelock
import numpy as np

from rag_qa import chunking, text
from rag_qa.chunking import Passage
from rag_qa.embedding.embedder import Embedder, Remembering, Vectors
from rag_qa.errors import EmptyIndexError, IndexBusyError, IndexingError
from rag_qa.index import manifest
from rag_qa.index.catalog import Catalog, Step
from rag_qa.index.changes import Changes, Plan, Progress, Source
from rag_qa.index.checkpoint import remove
from rag_qa.index.conditions import Conditions as Conditions
from rag_qa.index.conditions import folded as folded
from rag_qa.index.conditions import is_by as is_by
from rag_qa.index.conditions import venue_forms as venue_forms
from rag_qa.index.conditions import venues as venues
from rag_qa.index.conditions import wanted_venue as wanted_venue
from rag_qa.index.database import Database
from rag_qa.index.holdings import Counts as Counts
from rag_qa.index.holdings import Holdings as Holdings
from rag_qa.index.holdings import holdings, papers_by_file, papers_by_year
from rag_qa.index.keywords import KeywordIndex
from rag_qa.index.manifest import Manifest
from rag_qa.index.register import Register, Root
from rag_qa.index.vectors import ChromaServer as ChromaServer
from rag_qa.index.vectors import Folder, Place, Shelf, VectorStore
from rag_qa.index.vectors import Near as Near
from rag_qa.papers import Paper
from rag_qa.sources.reader import Problem, Trouble

# Papers between two commits, which are what an interruption can cost: few at first, so that something can be found at once, and then as many as are
# worked on in some seconds.
_BATCH = 32
_FIRST_BATCHES = 4
_MOST_IN_BATCH = 2048
_BATCH_SECONDS = 5.0
# Removed papers count in the keyword statistics until the postings are made anew, which takes about a millisecond a paper: worth it from this
# share of the papers on, so that what was edited is ranked as if it had been so from the beginning.
_TOLERATED = 0.02

_ENDS = (".", "?", "!", "。", "？", "！")

_ANY, _FEWEST = 64, 16  # papers whose sentences are compared
_LEAST_SPREAD = 0.01  # less is no model's, but that of texts that are all the same

_SAMPLE = 300  # papers from which the work on all of them is estimated
# Of the neighbours that are looked at, at least a third of what is wanted must meet the conditions. Where that is cheap, all of it should.
_ENOUGH = 3
_FEW = 5.0
_SOME = 30
_SPARE = 1.3
_CHEAP = 1500


@dataclass(frozen=True, slots=True)
class Workload:
    """What is about to be embedded. Of many papers, `texts` and `tokens` are estimated from some of them."""

    papers: int
    texts: int
    tokens: int


Announce = Callable[[Workload], None]
"""Called once before anything is embedded."""


class Store:
    """An index in a folder. Reading follows what other processes write; writing is for one process at a time.

    `patience`: seconds to wait for another process that writes. `server`: keeps the vectors in the place of the folder; all else stays in it.
    Every method raises IndexingError when the files are broken, or the server is not there.
    """

    def __init__(self, folder: Path, embedder: Embedder, *, patience: float = 2.0, server: ChromaServer | None = None) -> None:
        self._folder = folder
        self._embedder = embedder
        self._patience = patience
        self._server = server
        self._seen_generation = -1
        self._unrelated: tuple[int, tuple[float, float] | None] = (-1, None)
        self._lock = threading.Lock()

    # ------------------------------------------------------------------------------------------------------------- opening

    @property
    def folder(self) -> Path:
        """Where the index lies."""
        return self._folder

    @property
    def exists(self) -> bool:
        """Has anything ever been indexed here?"""
        return self._database_path.exists()

    def manifest(self) -> Manifest:
        """What built the index. Raises EmptyIndexError when there is none."""
        found = manifest.read(self._folder)
        if found is None or not self.exists:
            raise EmptyIndexError(
                f"There is no index in {self._folder}: make one with: rag-qa index PATH  (for the shipped abstracts: rag-qa index seeds)"
            )
        return found

    def open(self) -> None:
        """Make sure that this index can be searched with this embedder, and follow what other processes wrote.

        Raises EmptyIndexError or StaleIndexError.
        """
        with self._lock:
            self.manifest().require(self._wanted(), self._folder)
            if not self._database.is_current:
                self._let_go()  # the folder was deleted and made again
            while (generation := self._database.generation) != self._seen_generation:
                self.require_papers()
                try:
                    self._look_anew()
                except IndexingError:
                    if generation == self._database.generation:
                        raise
                    # somebody wrote while we looked: look again
                else:
                    self._seen_generation = generation

    @property
    def generation(self) -> int:
        """Another number whenever anything that can be found has changed, made by any process."""
        return self._database.generation

    def require_papers(self) -> None:
        """Raises EmptyIndexError unless there is a paper to be found."""
        if self._catalog.count()[0]:
            return
        if self._catalog.pending():
            raise EmptyIndexError(f"The index in {self._folder} is not ready: wait until rag-qa index is done; if it was interrupted, run it again")
        raise EmptyIndexError(
            f"The index in {self._folder} holds no paper: add some with: rag-qa index PATH  (what was left out: rag-qa papers --problems)"
        )

    def _look_anew(self) -> None:
        """See what another process wrote, and that vectors and keywords of all that can be found are there (those of unfinished work may be, too)."""
        if self._vectors.place == self._place:
            self._vectors.refresh()
        else:
            self._let_go_of("_vectors")  # it was made again, under another name
        self._keywords.close()
        papers, passages = self._catalog.settled()
        words, vectors = len(self._keywords), len(self._vectors)
        if words < papers or vectors < passages:
            raise IndexingError(
                f"The index in {self._folder} has lost a part: it lists {papers} papers in {passages} passages; there are keywords of {words} "
                f"papers, and {vectors} of its vectors in {self._vectors.place}. Make it again with: rag-qa index --rebuild{self._or_elsewhere}"
            )

    @property
    def _or_elsewhere(self) -> str:
        return "   (or correct RAG_QA_CHROMA_URL)" if self._server else ""

    def _wanted(self) -> Manifest:
        return Manifest(self._embedder.name, self._embedder.dimensions)

    @property
    def _database_path(self) -> Path:
        return self._folder / "catalog.db"

    @cached_property
    def _database(self) -> Database:
        return Database(self._database_path)

    @property
    def _catalog(self) -> Catalog:
        return Catalog(self._database)

    @property
    def _register(self) -> Register:
        return Register(self._database)

    @cached_property
    def _vectors(self) -> VectorStore:
        return VectorStore(self._place)

    @property
    def _place(self) -> Place:
        """Where the vectors of the index lie: in a folder of it, or on the server under a name that is made anew with them."""
        if self._server is None:
            return Folder(self._folder / "chroma")
        built = self._built()
        return Shelf(self._server, f"rag_qa-{built.build}" if built and built.build else "", owner=str(self._folder))

    def _built(self) -> Manifest | None:
        """What built the index, as far as that can be told."""
        try:
            return manifest.read(self._folder)
        except IndexingError:
            return None

    @cached_property
    def _keywords(self) -> KeywordIndex:
        return KeywordIndex(self._folder / "keywords")

    def _let_go(self) -> None:
        """Forget what is open, so that the next use opens it anew."""
        for part in ("_database", "_vectors", "_keywords"):
            self._let_go_of(part)
        self._seen_generation = -1

    def _let_go_of(self, part: str) -> None:
        opened = self.__dict__.pop(part, None)
        if opened is not None:
            opened.close()

    # ------------------------------------------------------------------------------------------------------------- reading

    def count(self) -> tuple[int, int]:
        """(papers, passages) that can be found."""
        return self._catalog.count()

    def sources(self) -> list[str]:
        """Files that were read, sorted."""
        return sorted(self._register.sources())

    def roots(self) -> list[Root]:
        """Files and folders that a person named, sorted."""
        return self._register.roots()

    def problems(self) -> list[Problem]:
        """What was not read, or not as it stands: records and files; and records of works of which no source has an abstract."""
        known = self._catalog.wanted_hashes()
        without = (
            Problem(entry.place, entry.line, f"no abstract, so it is no evidence: {entry.title or 'without title'!r}", Trouble.NO_ABSTRACT)
            for entry in self._register.entries(self.sources())
            if entry.paper_id not in known
        )
        return sorted([*self._register.problems(), *without], key=lambda problem: (problem.path, problem.line or 0))

    def records(self, paper_id: str) -> list[tuple[Paper, str]]:
        """The records that a paper was made of, as they were read, and why each is the same work."""
        return self._register.records(paper_id)

    def papers(self) -> list[Paper]:
        """All papers in the order of their origins."""
        return self._catalog.papers()

    def some(self, most: int) -> list[Paper]:
        """Some papers: those that were there first."""
        return self._catalog.some(most)

    def holdings(self, most: int) -> Holdings:
        """What the papers can be narrowed by, of each field the `most` frequent values."""
        with closing(Database(self._database_path)) as database:  # one of its own: it takes a second where there are many, and nobody else waits
            return holdings(database, most)

    def papers_by_year(self) -> Counts:
        """How many papers each year has, the years in order."""
        with closing(Database(self._database_path)) as database:
            return papers_by_year(database)

    def papers_by_file(self) -> Counts:
        """How many papers each file has, those with the most first."""
        with closing(Database(self._database_path)) as database:
            return papers_by_file(database)

    def without_abstract(self) -> list[str]:
        """Titles of the records that were read, of works of which no source has an abstract."""
        known = self._catalog.wanted_hashes()
        return [entry.title or "without title" for entry in self._register.entries(self.sources()) if entry.paper_id not in known]

    def get(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """Papers by id."""
        return self._catalog.get(paper_ids)

    def passages(self, papers: Mapping[str, Paper]) -> dict[str, list[Passage]]:
        """Passages by paper, in order; also of a paper that has been changed or has left since it was found."""
        found = self._catalog.passages(papers)
        return {paper_id: passages if _is_whole(papers[paper_id], passages) else self._cut(papers[paper_id]) for paper_id, passages in found.items()}

    def sentence_vectors(self, paper_ids: Sequence[str]) -> dict[str, Vectors]:
        """Unit vectors of the sentences of papers, shape (sentences, dimensions)."""
        return self._catalog.sentence_vectors(paper_ids, self._embedder.dimensions)

    def near(self, vector: Vectors, limit: int, conditions: Conditions | None = None) -> list[Near]:
        """Passages nearest to a vector of shape (dimensions,), best first. With conditions, of papers that meet them; where few do, these may be only
        a third of `limit` though there are more.
        """
        try:
            return self._near(vector, limit, conditions or {})
        except IndexingError:
            self._seen_generation = -1
        # It was made again since, or its server has come back; if something is lost, this says what.
        self.open()
        return self._near(vector, limit, conditions or {})

    def _near(self, vector: Vectors, limit: int, conditions: Conditions) -> list[Near]:
        if not conditions:
            near = self._vectors.query(vector, limit)
            # where all are wanted, the graph may not lead to each of them
            return near if len(near) in (limit, len(self._vectors)) else self._vectors.query_among(vector, limit, self._vectors.ids())
        papers, every = self._keywords.count(conditions), len(self)
        # Chroma's own conditions take a time that grows with all that meets them; so few are looked at one by one, some are looked for in the graph,
        # and of many enough are among the nearest. The limits are where one begins to be quicker than the other.
        if papers**2 <= _FEW * every:
            return self._vectors.query_among(vector, limit, self._passage_ids(self._keywords.meeting(conditions)))
        if papers * _SOME <= every:
            return self._vectors.query(vector, limit, self._passage_ids(self._keywords.meeting(conditions)))
        share = papers / every
        asked = math.ceil(max(min(_CHEAP, _SPARE * limit / share), limit / 2 / share))
        while True:
            near = self._vectors.query(vector, asked)
            meeting = set(self._keywords.meeting(conditions, list({one.paper_id for one in near})))
            found = [one for one in near if one.paper_id in meeting]
            if len(found) * _ENOUGH >= limit or len(near) < asked:
                return found[:limit]
            asked *= 4

    def _passage_ids(self, paper_ids: Sequence[str]) -> list[str]:
        return [id_ for (id_,) in self._database.chosen("SELECT id FROM passages WHERE paper_id IN ({})", paper_ids)]

    def meeting(self, conditions: Conditions) -> int:
        """How many papers meet all conditions."""
        return self._keywords.count(conditions)

    def ids_meeting(self, conditions: Conditions) -> list[str]:
        """Ids of the papers that meet all conditions, in no order."""
        return self._keywords.meeting(conditions)

    def by_keywords(self, terms: Mapping[str, float], limit: int, conditions: Conditions | None = None) -> list[tuple[str, float]]:
        """(paper id, BM25) of the papers that hold any of the weighted terms, best first."""
        return self._keywords.search(terms, limit, conditions)

    def knows(self, field: str, name: str) -> bool:
        """Is there a paper of this venue, or by an author with all these words in the name?"""
        return self._keywords.knows(field, name)

    def document_frequency(self, term: str) -> int:
        """In how many papers a term stands."""
        return self._keywords.document_frequency(term)

    def holding(self, term: str, among: Sequence[str]) -> set[str]:
        """Which of some papers hold a term, in the title or the abstract."""
        return self._keywords.holding(term, among)

    def explained(self, form: str) -> Mapping[str, int]:
        """What a short form, as a term ("moe"), stands for in the papers, or which short forms there are for a long one (the terms of its words,
        without stop words: "mixtur expert"): form -> how many papers explain it so.
        """
        return self._keywords.explained(form)

    def unrelated(self) -> tuple[float, float] | None:
        """Mean and standard deviation of the cosine similarity of sentences that have nothing to do with each other, by which a similarity of this
        embedder is to be judged; None where there are too few papers to tell.
        """
        generation, found = self._unrelated
        if generation != self._seen_generation:
            generation = self._seen_generation
            # ids are hashes: the first ones are any
            ids = [id_ for (id_,) in self._database.rows(f"SELECT id FROM found ORDER BY id LIMIT {_ANY}")]
            vectors = self.sentence_vectors(ids)
            found = _of_unrelated([vectors[id_] for id_ in ids if id_ in vectors])
            self._unrelated = (generation, found)
        return found

    def __len__(self) -> int:
        return len(self._keywords)

    # ------------------------------------------------------------------------------------------------------------- writing

    def update(
        self,
        sources: Iterable[Source],
        *,
        gone: Sequence[str] = (),
        roots: Sequence[Root] = (),
        forget: Sequence[str] = (),
        progress: Progress | None = None,
        announce: Announce | None = None,
    ) -> Changes:
        """Bring the index in step with what these files hold now, and with files that have `gone`.

        A paper that no file holds any more leaves. A file that can't be read keeps what it had. Work that an earlier run left is finished.
        `roots`: to be remembered as what a person named; `forget`: to be forgotten. Raises IndexBusyError, StaleIndexError.
        """
        progress = progress or _silent
        with self._writing():
            plan = Plan(self._catalog, self._register)
            plan.take(sources, gone, progress)
            with self._database.transaction():
                self._register.remember(roots)
                for path in forget:
                    self._register.forget_root(path)
            progress("comparing", 0, 0)
            with self._database.transaction():
                plan.settle()
            return plan.changes(self._catch_up(progress, announce))

    def preview(self, sources: Iterable[Source], *, gone: Sequence[str] = (), progress: Progress | None = None) -> Changes:
        """What `update` would do; nothing is written. Raises StaleIndexError."""
        if self.exists:
            self.manifest().require(self._wanted(), self._folder)
        database = self._database.in_memory() if self.exists else Database(None)
        plan = Plan(Catalog(database), Register(database))
        plan.take(sources, gone, progress or _silent)
        with database.transaction():
            plan.settle()
        return plan.changes(0)

    def rebuild(self, *, progress: Progress | None = None, announce: Announce | None = None) -> int:
        """Make vectors and keywords again from the papers that the index knows, with this embedder. Returns the number of papers.

        Raises IndexBusyError, and EmptyIndexError when there is no index.
        """
        if not self.exists:
            raise EmptyIndexError(f"There is no index in {self._folder} to make again: make one with: rag-qa index PATH")
        with self._locked():
            self._require_format()
            self._vectors.require()
            self._begin_anew()
            return self._catch_up(progress or _silent, announce)

    def _require_format(self) -> None:
        """Raises StaleIndexError if the files are those of another version. A manifest that can't be read is made anew with the rest."""
        try:
            found = manifest.read(self._folder)
        except IndexingError:
            return
        if found is not None:
            found.require_format(self._folder)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._locked():
            if not self._database.is_current:
                self._let_go()
            found = manifest.read(self._folder)
            if found is None:
                self._begin_anew()  # nobody knows what built the vectors that may be there
            else:
                found.require(self._wanted(), self._folder)
                self._look_anew()
                if self._server and not found.build:
                    self._begin_anew()  # an empty index without a name for a collection
            yield

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = filelock.FileLock(self._folder / "write.lock", timeout=self._patience)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except filelock.Timeout:
            raise IndexBusyError(f"Another rag-qa index is writing to {self._folder}: wait until it is done and run this again") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise IndexingError(f"{self._folder} can't be written to ({reason}): choose another folder with --data-dir or RAG_QA_DATA_DIR") from None
        try:
            yield
        finally:
            lock.release()

    def _begin_anew(self) -> None:
        """No vectors and no keywords, and all papers to be done. In this order: wherever it stops, nothing wrong is found or kept."""
        self._let_go()
        self._catalog.forget_built()
        self._vectors.discard()
        for part in ("chroma", "keywords"):
            remove(self._folder / part)
        replace(self._wanted(), build=uuid.uuid4().hex[:16]).write(self._folder)
        self._let_go_of("_vectors")

    def _catch_up(self, progress: Progress, announce: Announce | None) -> int:
        """Remove what is leaving, unless something takes its place, then embed what is pending; safe to stop at any point and to begin again."""
        steps = self._catalog.steps()
        pending = [paper_id for step in steps for paper_id in step.pending]
        if announce and pending:
            announce(self._workload(sorted(pending)))
        if steps:
            with self._keywords.writing():
                self._remove([paper_id for step in steps if not step.pending for paper_id in step.leaving])
                self._add_all([step for step in steps if step.pending], progress)
            self._vectors.settle()
            # only now, since a search that has just begun may still need what was withdrawn
            self._catalog.drop([paper_id for step in steps for paper_id in step.leaving])
        if self._keywords.deleted > len(self._keywords) * _TOLERATED:
            self._keywords.replace_all(self._catalog.papers())
            self._catalog.announce()
        progress("embedding", len(pending), len(pending))
        return len(pending)

    def _add_all(self, steps: Sequence[Step], progress: Progress) -> None:
        left, total = deque(steps), sum(len(step.pending) for step in steps)
        done, size, number = 0, _BATCH, 0
        while left:
            progress("embedding", done, total)
            begun = time.monotonic()
            batch = _taken(left, size)
            self._add(self._catalog.to_add(batch.pending), batch.leaving)
            done, number = done + len(batch.pending), number + 1
            if number >= _FIRST_BATCHES:
                size = _next_size(size, time.monotonic() - begun)

    def _workload(self, pending: Sequence[str]) -> Workload:
        some = pending[:: math.ceil(len(pending) / _SAMPLE)]
        texts = [part for paper in self._catalog.to_add(some) for part in self._parts(paper).texts]
        if isinstance(self._embedder, Remembering):
            texts = self._embedder.missing(texts)
        scale = len(pending) / len(some)
        return Workload(len(pending), round(len(texts) * scale), round(sum(map(self._embedder.count_tokens, texts)) * scale))

    def _remove(self, paper_ids: Sequence[str]) -> None:
        if paper_ids:
            self._catalog.withdraw(paper_ids)
            self._clear_away(paper_ids)

    def _clear_away(self, paper_ids: Sequence[str]) -> None:
        self._vectors.delete_papers(paper_ids)
        self._keywords.delete_papers(paper_ids)

    def _add(self, papers: Sequence[Paper], replaced: Sequence[str]) -> None:
        """What was there before is found, and nothing new is, until the catalog says that all is finished."""
        parts = [self._parts(paper) for paper in papers]
        passages = [passage for one in parts for passage in one.passages]
        vectors = iter(self._embedder.embed([part for one in parts for part in one.texts]))
        of_passages, of_sentences = [], []
        for one in parts:
            of_passages += list(itertools.islice(vectors, len(one.passages)))
            of_sentences.append(_means(one.sentences, vectors, self._embedder.dimensions))
        if passages:
            self._vectors.put([passage.id for passage in passages], np.stack(of_passages), [passage.paper_id for passage in passages])
        self._vectors.delete_papers([paper.id for paper in papers], but={passage.id for passage in passages})
        self._keywords.put(papers)
        self._catalog.finish(zip((paper.id for paper in papers), (one.passages for one in parts), of_sentences, strict=True), replaced=replaced)
        if replaced:
            self._clear_away(replaced)

    def _parts(self, paper: Paper) -> _Parts:
        """What of a paper is embedded."""
        passages = self._cut(paper)
        return _Parts(passages, [self._headed(passage, paper.title) for passage in passages], self._sentence_pieces(paper.abstract))

    def _cut(self, paper: Paper) -> list[Passage]:
        return chunking.passages(paper, count_tokens=self._count_tokens, max_tokens=self._embedder.max_tokens)

    def _headed(self, passage: Passage, title: str | None) -> str:
        """What is embedded for a passage: the title in front of it, where both fit into the embedder's window."""
        alone = text.joined(passage.text)
        if not title:
            return alone
        title = text.joined(title)
        headed = f"{title}{'' if title.endswith(_ENDS) else '.'} {alone}"
        return headed if self._embedder.count_tokens(headed) <= self._embedder.max_tokens else alone

    def _count_tokens(self, part: str) -> int:
        return self._embedder.count_tokens(text.joined(part))

    def _sentence_pieces(self, abstract: str) -> list[list[str]]:
        """What is embedded for each sentence: itself, or the pieces of one that is longer than the embedder's window."""
        fits = partial(chunking.fitting, abstract, count_tokens=self._count_tokens, max_tokens=self._embedder.max_tokens)
        return [[text.joined(abstract[a:b]) for a, b in fits(span)] for span in text.sentences(abstract)]


def _is_whole(paper: Paper, passages: Sequence[Passage]) -> bool:
    """Do passages hold all of an abstract, and nothing twice?

    >>> paper = Paper("p1", "One. Two.")
    >>> _is_whole(paper, [Passage("p1:0", "p1", 0, "One.", 0, 4)]), _is_whole(paper, [Passage("p1:0", "p1", 0, "One. Two.", 0, 9)])
    (False, True)
    """
    # neither begins nor ends with white space
    return " ".join(passage.text for passage in passages) == paper.abstract or (
        "".join("".join(passage.text.split()) for passage in passages) == "".join(paper.abstract.split())
    )


def _of_unrelated(sentences: Sequence[Vectors]) -> tuple[float, float] | None:
    """Mean and standard deviation of the cosines of sentences of different papers. `sentences`: unit vectors by paper."""
    if len(sentences) < _FEWEST:
        return None
    every = np.concatenate(sentences)
    paper = np.repeat(np.arange(len(sentences)), [len(group) for group in sentences])
    cosines = (every @ every.T)[paper[:, None] != paper[None, :]]
    return float(cosines.mean()), max(float(cosines.std()), _LEAST_SPREAD)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The passages of a paper, what is embedded for each of them, and for each of its sentences the pieces that are."""

    passages: Sequence[Passage]
    headed: Sequence[str]
    sentences: Sequence[Sequence[str]]

    @property
    def texts(self) -> list[str]:
        """What the embedder gets: the passages, then the pieces."""
        return [*self.headed, *(piece for pieces in self.sentences for piece in pieces)]


def _means(groups: Sequence[Sequence[str]], vectors: Iterator[Vectors], dimensions: int) -> Vectors:
    """One unit vector for each group of pieces, shape (len(groups), dimensions): the direction of their sum. Takes what it needs of `vectors`."""
    sums = np.array([np.sum([next(vectors) for _ in pieces], axis=0) for pieces in groups], np.float32).reshape(len(groups), dimensions)
    unit: Vectors = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return unit


def _taken(steps: deque[Step], size: int) -> Step:
    """So many steps as one, from the first on, that so many papers are added; at least one step, and none in part.

    >>> left = deque([Step(("a", "b"), ("x",)), Step(("c",)), Step(("d",))])
    >>> _taken(left, 2), _taken(left, 9)
    (Step(pending=('a', 'b'), leaving=('x',)), Step(pending=('c', 'd'), leaving=()))
    """
    pending, leaving = list[str](), list[str]()
    while steps and (not pending or len(pending) + len(steps[0].pending) <= size):
        step = steps.popleft()
        pending += step.pending
        leaving += step.leaving
    return Step(tuple(pending), tuple(leaving))


def _next_size(size: int, seconds: float) -> int:
    """How many papers to take at once, if so many took so long: grows and falls by a factor of two at most.

    >>> _next_size(32, 0.1), _next_size(2048, 60.0), _next_size(100, 4.0)
    (64, 1024, 125)
    """
    factor = min(2.0, max(0.5, _BATCH_SECONDS / max(seconds, 1e-3)))
    return min(_MOST_IN_BATCH, max(_BATCH, round(size * factor)))


def _silent(_stage: str, _done: int, _total: int) -> None:
    return
