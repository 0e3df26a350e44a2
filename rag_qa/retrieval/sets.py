"""A topic -> every paper that qualifies, each with the probability that it does and the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.embedding.embedder import Vectors
from rag_qa.index.store import Store
from rag_qa.papers import Paper
from rag_qa.retrieval import copies, spellings, topics
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.retriever import Found, Retriever
from rag_qa.retrieval.set_questions import SetQuestion
from rag_qa.retrieval.spellings import StoredWords, Wording
from rag_qa.retrieval.topics import Spoken, Topic

Array = NDArray[np.float64]

WEIGHTS: Mapping[str, float] = {
    "title": 1.04,
    "words": 1.58,
    "whole": 2.15,
    "proposed": 1.38,
    "rarest": 0.80,
    "sentence": 0.77,
    "passage": 0.37,
    "passage_behind": 0.77,
    "keyword": 2.31,
}
"""What each measure of a paper adds to the log-odds that it qualifies; `python -m eval.fit_sets` prints them.

`title`, `words`: share of the topic's words in the title, and in the sentence that has most of them, by rarity; `whole`: 1 if they stand side
by side somewhere; `proposed`: 1 if they do so in what the paper says of itself; `rarest`: the same share, of sentences that hold the word that
tells the topic from others; `keyword`: BM25 as a share of what an ideal paper gets. `sentence`, `passage`: cosine of the nearest one, in standard
deviations above that of unrelated sentences; `passage_behind`: the same, less the mean of the three papers that are nearest.
"""
BIAS = -5.91
CUT = 0.15
"""Probability from which on a paper is a member."""

_DEPTH = 400  # papers taken from each ranking
_DEEPEST = 3200
_CROWDED = 0.4  # share of the candidates: where more are members, others may lie beyond
_UNRELATED, _SPREAD = 0.15, 0.11  # the scale that the scores of the retriever are on
_NEAREST = 3
_WHERE = re.compile(r"(?:in|by|from|at) [A-Z]")  # "not in Nature": of that, abstracts say nothing
_BM25_PER_WORDS = 1.2  # BM25 counts terms that only look like the topic's; it is believed as far as its words bear it out
_SATURATION = 1.2  # k1 of BM25


@dataclass(frozen=True, slots=True)
class Member:
    """A paper, the probability that it qualifies, and the sentence that says so: `hit.paper.abstract[start:end]`."""

    hit: Hit
    probability: float
    start: int
    end: int

    @property
    def reason(self) -> str:
        """The sentence that says why it qualifies, as the abstract has it."""
        return self.hit.paper.abstract[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Unshown:
    """A paper that qualifies, but is not shown, with its near copies: how its words and vectors match the question has not been looked up."""

    paper: Paper
    probability: float
    start: int
    end: int
    copies: tuple[Paper, ...] = ()

    @property
    def reason(self) -> str:
        """The sentence that says why it qualifies, as the abstract has it."""
        return self.paper.abstract[self.start : self.end]


@dataclass(frozen=True, slots=True)
class PaperSet:
    """What qualifies for a topic, best first; near copies of a paper are with it (see Hit.copies). `beyond`: the next ones of the ranked list, which
    do not. `looked_at`: so many papers of the library were judged one by one; `is_cut_short`: more may qualify than were looked at. `rest`: what
    qualifies after the members, if no more of them were wanted.
    """

    topic: str
    members: tuple[Member, ...]
    beyond: tuple[Member, ...]
    looked_at: int
    library: int
    is_cut_short: bool
    rest: tuple[Unshown, ...] = ()

    @property
    def total(self) -> int:
        """How many papers qualify, near copies counted, shown or not."""
        return sum(1 + len(member.hit.copies) for member in self.members) + sum(1 + len(one.copies) for one in self.rest)


@dataclass(frozen=True, slots=True)
class Judged:
    """Candidates of a topic: their measures, shape (papers, len(WEIGHTS)), in the order of WEIGHTS, and the sentence that speaks most of it."""

    papers: Sequence[Paper]
    measures: Array
    reasons: Sequence[text.Span]


@dataclass(frozen=True, slots=True)
class Read:
    """What an abstract says of a topic, sentence by sentence: nothing, if none of its words is there. `proposed`: which of the sentences speak of all
    of it as the work of the paper.
    """

    paper: Paper
    spans: Sequence[text.Span]
    title: Spoken
    spoken: Sequence[Spoken] = ()
    proposed: Sequence[bool] = ()


class Sets:
    """Finds the papers of a topic in a store. `depth`: papers taken from each ranking at first; while many of these are members, twice as many are,
    up to `deepest`.
    """

    def __init__(self, store: Store, retriever: Retriever, *, depth: int = _DEPTH, deepest: int = _DEEPEST) -> None:
        self._store = store
        self._retriever = retriever
        self._depth = depth
        self._deepest = deepest

    def members(self, asked: SetQuestion, *, filters: Filters | None = None, cut: float = CUT, beyond: int = 0, most: int | None = None) -> PaperSet:
        """Every paper that qualifies with a probability of `cut` at least, and `beyond` of those that do not. Of several topics, those that qualify
        for each, with what they say of the last one. `most`: so many members in full; of others it is only said that they qualify (PaperSet.rest).

        Raises EmptyIndexError, StaleIndexError.
        """
        return self._retriever.steadily(lambda: self._members(asked, filters=filters, cut=cut, beyond=beyond, most=most))

    def _members(self, asked: SetQuestion, *, filters: Filters | None, cut: float, beyond: int, most: int | None) -> PaperSet:
        is_one = not asked.also and not asked.without
        found = self._of_one_topic(asked, filters=filters, cut=cut, beyond=beyond, most=most if is_one else None)
        for topic in asked.also:
            found = _in_both(found, self._of_one_topic(SetQuestion(topic), filters=filters, cut=cut, beyond=0, most=None), beyond)
        if asked.without and not topics.is_absence(asked.topic) and not _WHERE.match(asked.without):
            found = _less(found, self._of_one_topic(SetQuestion(asked.without), filters=filters, cut=cut, beyond=0, most=0))
        if topics.is_absence(asked.topic):
            # abstracts say what a paper does: one that speaks of the thing and denies nothing is the opposite of what is asked for
            denying = tuple(one for one in found.members if topics.denies(one.reason))
            found = replace(found, members=denying, rest=tuple(one for one in found.rest if topics.denies(one.reason)))
        return _shortened(found, most)

    def _of_one_topic(self, asked: SetQuestion, *, filters: Filters | None, cut: float, beyond: int, most: int | None) -> PaperSet:
        depth, wording = self._depth, self.wording(asked.topic)
        read: dict[str, Read] = {}
        while True:
            found = self._retriever.find(wording.text, depth, filters)
            judged = self.judged(asked, wording, found, read)
            chances = probabilities(judged.measures)
            crowded = bool((chances >= cut).sum() > _CROWDED * len(chances)) and len(judged.papers) >= depth
            if not crowded or depth >= self._deepest:
                break
            depth *= 2
        return self._set(asked, found, judged, chances, cut=cut, beyond=beyond, most=most, is_cut_short=crowded)

    def wording(self, topic: str) -> Wording:
        """A topic as the library has it: what it is searched by, the same for every spelling of it."""
        return spellings.wording(topic, StoredWords(self._store))

    def judged(self, asked: SetQuestion, wording: Wording, found: Found, read: dict[str, Read] | None = None) -> Judged:
        """The measures of what was found for a topic. `read`: what its papers say of it, as far as they were read before; the others are added."""
        read = {} if read is None else read
        terms = [term for word in text.content_words(wording.marked) for term in text.word_terms(word)]
        rarity = {term: self._retriever.rarity(term) for term in terms}
        topic = topics.topic(wording.marked, rarity, wording.forms, is_brought=asked.brings)
        new = self._store.get([paper_id for paper_id in found.best if paper_id not in read])
        read |= {paper_id: _read(topic, paper) for paper_id, paper in new.items()}
        known = [read[paper_id] for paper_id in found.best if paper_id in read]
        mean, spread = self._store.unrelated() or (_UNRELATED, _SPREAD)
        rows, reasons = [], []
        for one in known:
            row, reason = _measured(topic, one, (found.sentences[one.paper.id] @ found.vector - mean) / spread, found)
            rows.append(row)
            reasons.append(reason)
        return Judged([one.paper for one in known], _behind(np.array(rows, float).reshape(len(rows), len(WEIGHTS))), reasons)

    def _set(
        self, asked: SetQuestion, found: Found, judged: Judged, chances: Array, *, cut: float, beyond: int, most: int | None, is_cut_short: bool
    ) -> PaperSet:
        order = sorted(range(len(judged.papers)), key=lambda i: (-chances[i], judged.papers[i].id))
        inside = [i for i in order if chances[i] >= cut]
        of = {judged.papers[i].id: i for i in order}
        scores = {judged.papers[i].id: round(float(chances[i]), 6) for i in order}
        groups = copies.grouped([judged.papers[i] for i in inside], found.sentences)
        shown, rest = groups[:most], groups[len(groups[:most]) :]
        next_ones = [[judged.papers[i]] for i in order[len(inside) : len(inside) + beyond]]
        hits = self._retriever.hits(asked.topic, [*shown, *next_ones], scores, found)
        members = tuple(Member(hit, hit.score, *judged.reasons[of[hit.paper.id]]) for hit in hits)
        return PaperSet(
            asked.topic,
            members[: len(shown)],
            members[len(shown) :],
            len(judged.papers),
            len(self._store),
            is_cut_short,
            tuple(Unshown(paper, scores[paper.id], *judged.reasons[of[paper.id]], tuple(others)) for paper, *others in rest),
        )


def _in_both(first: PaperSet, second: PaperSet, beyond: int) -> PaperSet:
    """The papers of two sets. Near copies of one paper may be told by another one of them in the other set."""
    held = {paper_id for member in first.members for paper_id in _ids(member)}
    inside = tuple(member for member in second.members if held & _ids(member))
    kept = {paper_id for member in inside for paper_id in _ids(member)}
    left = tuple(member for member in first.members if not kept & _ids(member))
    return PaperSet(
        f"{first.topic} and {second.topic}",
        inside,
        (*left, *first.beyond)[:beyond],
        first.looked_at,
        first.library,
        first.is_cut_short or second.is_cut_short,
    )


def _ids(member: Member) -> set[str]:
    return {member.hit.paper.id, *(copy.id for copy in member.hit.copies)}


def _less(found: PaperSet, other: PaperSet) -> PaperSet:
    """The papers of a set that are not in another one."""
    unwanted = {paper.id for one in other.rest for paper in (one.paper, *one.copies)}
    kept = tuple(member for member in found.members if not unwanted & _ids(member))
    beyond = tuple(one for one in found.beyond if not unwanted & _ids(one))
    return replace(found, topic=f"{found.topic}, but not {other.topic}", members=kept, beyond=beyond)


def _shortened(found: PaperSet, most: int | None) -> PaperSet:
    """A set with so many members in full."""
    shown = found.members[:most]
    rest = (Unshown(one.hit.paper, one.probability, one.start, one.end, one.hit.copies) for one in found.members[len(shown) :])
    return replace(found, members=shown, rest=(*rest, *found.rest))


def probabilities(measures: Array) -> Array:
    """That papers of these measures (see Judged) qualify."""
    odds = measures @ np.array(list(WEIGHTS.values())) + BIAS
    found: Array = 1.0 / (1.0 + np.exp(-odds))
    return found


def _read(topic: Topic, paper: Paper) -> Read:
    spans = text.sentences(paper.abstract)
    title = topic.spoken(text.folded(paper.title)) if paper.title else Spoken()
    folded = topics.folded_sentences(paper.abstract)
    if not topic.is_in(folded):
        return Read(paper, spans, title)
    spoken = [topic.spoken(sentence) for sentence in folded]
    proposed = [one.is_whole and topics.is_proposed(sentence) for one, sentence in zip(spoken, folded, strict=True)]
    return Read(paper, spans, title, spoken, proposed)


def _measured(topic: Topic, read: Read, similar: Vectors, found: Found) -> tuple[list[float], text.Span]:
    """Measures of a paper by itself, and its reason. `similar`: of each sentence, above unrelated ones."""
    title, spoken, proposed = read.title, read.spoken, read.proposed
    passage = (found.scores["passage"][read.paper.id] - _UNRELATED) / _SPREAD
    if not spoken:
        row = [title.share, 0.0, float(title.is_whole), 0.0, 0.0, float(similar.max()), passage, passage, 0.0]
        return row, read.spans[min(int(similar.argmax()), len(read.spans) - 1)]
    near = [float(similar[i]) if i < len(similar) else 0.0 for i in range(len(spoken))]
    best = max(range(len(spoken)), key=lambda i: spoken[i].share + 0.5 * spoken[i].is_whole + 0.1 * proposed[i] + 0.15 * near[i])
    row = [
        title.share,
        max(one.share for one in spoken),
        float(title.is_whole or any(one.is_whole for one in spoken)),
        float(any(proposed)),
        max(one.share * one.rarest for one in spoken),
        float(similar.max()),
        passage,
        passage,
        min(found.scores["keyword"].get(read.paper.id, 0.0), _BM25_PER_WORDS * _saturated(topic, spoken, title)),
    ]
    return row, read.spans[best]


def _saturated(topic: Topic, spoken: Sequence[Spoken], title: Spoken) -> float:
    """Share of the topic's words in the whole abstract, growing with how often they stand there."""
    times = [sum(held) for held in zip(*(one.times for one in spoken if one.times), strict=True)]
    held = sum(weight for weight, often in zip(topic.weights, times, strict=False) if often)
    share = max(title.share, held, *(one.share for one in spoken))
    often = sum(times) / max(1, len(topic.words))
    return float(share * often / (often + _SATURATION))


def _behind(measures: Array) -> Array:
    """The measures, with the one that compares with the nearest papers."""
    column = measures[:, list(WEIGHTS).index("passage_behind")]
    column -= np.sort(column)[-_NEAREST:].mean() if len(column) else 0.0
    return measures
