"""Answers without a model: the sentences of the abstracts that answer, verbatim, each with its citation; or a refusal."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress

from rag_qa import text
from rag_qa.answering import composing, confidence, evidence, missing, reread
from rag_qa.answering.answer import Answer, AnswerEvent, Source
from rag_qa.answering.composing import MOST_WORDS, Found
from rag_qa.answering.confidence import Assessment
from rag_qa.answering.division import MOST, Part, divided, left_over
from rag_qa.answering.evidence import Candidate, Corpus, Matcher, WordSimilarity
from rag_qa.answering.question import Question, analyse
from rag_qa.answering.reread import ranked
from rag_qa.answering.sides import Side, beside, names_in, names_of_papers, papers_of, sides, spoken_of_by_any
from rag_qa.answering.together import averaged, merged_groups
from rag_qa.answering.weights import Weights, shipped
from rag_qa.comprehension import Comprehended
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.foreign import language_of
from rag_qa.retrieval.hits import Hit

SearchFor = Callable[[str], Sequence[Hit]]
"""A question -> what there is on it, among the papers that are looked at."""

_HOPELESS = 0.5  # share of the least confidence below which a part is not answered in any company
_RELATED = 3
_WHAT_PAPERS_SAY = re.compile(
    r"^what (?:do|did) (?:(?:the|these|those|any|my|your) )?(?:papers|studies|abstracts|authors) (?:find|say|report|show)(?: out)?\b", re.IGNORECASE
)
_DOUBT = 0.2  # what is lost of the way from the least confidence to certainty where a part is not answered: it tells against the others
_NOTHING_FOUND = "No paper in this library has anything to do with the question."


@dataclass(frozen=True, slots=True)
class Corner:
    """What the answerer asks of the rest of the program.

    `embed`: texts -> unit vectors. `sentence_vectors`: paper ids -> unit vectors of their sentences. `similarity`: words -> unit vectors.
    `corpus`: what is known of all papers together, at this moment. `read`: a question and abstracts -> what reading it with each of them gives.
    """

    embed: Callable[[Sequence[str]], Vectors]
    sentence_vectors: Callable[[Sequence[str]], Mapping[str, Vectors]]
    similarity: WordSimilarity
    corpus: Callable[[], Corpus]
    read: Callable[[str, Sequence[str]], Sequence[Comprehended]]


@dataclass(frozen=True, slots=True)
class Reading:
    """The evidence for a question, judged. `hits`: best first, as they are once they are read. `sentences_of(i)`: the sentences of hit i that could
    answer, in order. `covers`: share of the question's words, by rarity, that stand in any of some papers.
    """

    question: Question
    hits: Sequence[Hit]
    covers: Callable[[Sequence[Paper]], float]
    sentences_of: Callable[[int], Sequence[Candidate]]
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Judged:
    """A reading of hits, and how sure we are that they answer."""

    reading: Reading
    sure: float

    @property
    def hits(self) -> Sequence[Hit]:
        """The hits, best first."""
        return self.reading.hits

    @property
    def found(self) -> Found:
        """What the sentences to show are chosen from."""
        reading = self.reading
        return Found(reading.question, reading.hits, reading.sentences_of, reading.covers, reading.assessment.anchored)


class ExtractiveAnswerer:
    """Picks sentences and decides whether they answer. The same question on the same index gives the same answer."""

    def __init__(self, corner: Corner, *, min_confidence: float = 0.5, weights: Weights | None = None) -> None:
        self._corner = corner
        self._min_confidence = min_confidence
        self._weights = weights or shipped(evidence.FEATURES, confidence.FEATURES, reread.FEATURES)

    def stream(
        self, question: str, hits: Sequence[Hit], *, asked: str | None = None, most_words: int = MOST_WORDS, search: SearchFor | None = None
    ) -> Iterator[AnswerEvent]:
        """Sentences, then the Answer. `question` stands alone; `asked` is what the person typed, if it differs. The others: as for `answer`."""
        answer = self.answer(question, hits, asked=asked, most_words=most_words, search=search)
        yield from answer.sentences
        yield answer

    def answer(
        self, question: str, hits: Sequence[Hit], *, asked: str | None = None, most_words: int = MOST_WORDS, search: SearchFor | None = None
    ) -> Answer:
        """Sentences of the hits that answer the question, about `most_words` words of them at most, or a refusal. The order of the hits does not
        count: their ranks do. `search` finds what there is on a part of the question; without it the hits are all that there is.
        """
        started = time.perf_counter()
        asked, hits = asked or question, ranked(hits)
        answer = (
            self._of_parts(asked, question, hits, most_words, search)
            or self._of_sides(asked, question, hits, most_words, search)
            or self._of_whole(asked, question, hits, most_words)
        )
        if later := left_over(question):
            asked_later = ", ".join(f"“{one}”" for one in later)
            answer = replace(answer, notice=f"The first {MOST} questions are answered at a time; ask the others afterwards: {asked_later}.")
        return replace(answer, timings={"answer": round(time.perf_counter() - started, 6)}) if answer.abstained is None else answer

    def widened(self, question: str, hits: Sequence[Hit], search: SearchFor) -> list[Hit]:
        """What there is on a question, for somebody else to answer from: of one that asks several things, or about several papers, the best paper on
        each comes first.
        """
        names = names_of_papers(question, ranked(hits))
        alone = [one.alone for one in divided(question, names) or sides(question, [*names, *names_in(question)])]
        best = [hit for part in alone for hit in ranked(search(part))[:1]]
        return list({hit.paper.id: hit for hit in (*best, *hits)}.values())

    def _of_whole(self, asked: str, question: str, hits: Sequence[Hit], most_words: int) -> Answer:
        judged = self._judged(question, hits)
        if judged is None:
            return refusal(asked, question, _NOTHING_FOUND, hits)
        if judged.sure < self._min_confidence:
            return refusal(asked, question, missing.reason(judged.reading.question, judged.reading.assessment), hits, judged.sure)
        sentences, sources = composing.composed(judged.found, most_words)
        papers = [source.paper for source in sources]
        related = _related(hits, {paper.id for paper in papers})
        names = [*names_of_papers(question, hits), *names_in(question)]
        return Answer(asked, question, sentences, sources, related=related, confidence=judged.sure, unanswered=beside(question, names, papers))

    def _of_parts(self, asked: str, question: str, hits: Sequence[Hit], most_words: int, search: SearchFor | None) -> Answer | None:
        """The answer to a question that asks several things: what answers each, and which are not answered. None for any other question."""
        parts = divided(question, names_of_papers(question, hits))
        if not parts:
            return None
        judged = [self._judged(part.alone, _hits_of(part, hits, search)) for part in parts]
        sure = max((one.sure for one in judged if one), default=0.0)
        least = self._least(parts, judged)
        answered = [one for one in judged if one and one.sure >= least]
        if len(answered) < len(parts):
            sure = round(max(0.0, sure - _DOUBT * (1.0 - self._min_confidence)), 6)
        if sure < self._min_confidence:
            answered = []
        unanswered = tuple(part.said for part, one in zip(parts, judged, strict=True) if not any(one is other for other in answered))
        if not answered and (whole := self._of_whole(asked, question, hits, most_words)).abstained is None:
            return whole  # what no part says by itself, they may say together
        if not answered:
            return replace(refusal(asked, question, _nothing_of(unanswered), hits, sure), unanswered=unanswered)
        groups = merged_groups(composing.groups_of(one.found, most_words // len(answered)) for one in answered)
        scores = {hit.paper.id: hit.score for one in answered for hit in one.hits}
        sentences, sources = composing.put_together(groups, scores)
        related = _related(hits, {source.paper.id for source in sources})
        return Answer(asked, question, sentences, sources, related=related, confidence=sure, unanswered=unanswered)

    def _least(self, parts: Sequence[Part], judged: Sequence[Judged | None]) -> float:
        """How sure we must be of a part. Parts that each name a paper of their own stand or fall together, unless one is hopeless."""
        of_several = len({part.subject for part in parts}) == len(parts) and all(part.subject for part in parts)
        mean = sum(one.sure for one in judged if one) / len(judged)
        return self._min_confidence * (_HOPELESS if of_several and mean >= self._min_confidence else 1.0)

    def _of_sides(self, asked: str, question: str, hits: Sequence[Hit], most_words: int, search: SearchFor | None) -> Answer | None:
        """The answer to a question about several papers at once: what each of them says to it. None for any other question, and if not each of its
        sides has a paper of its own.
        """
        asked_of: Sequence[Side] = sides(question, [*names_of_papers(question, hits), *names_in(question)])
        found = [search(side.alone) if search else hits for side in asked_of]
        spoken_of = spoken_of_by_any(question, asked_of, found)
        unknown = tuple(side.said for side, known in zip(asked_of, spoken_of, strict=True) if not known)
        asked_of, found = list(compress(asked_of, spoken_of)), list(compress(found, spoken_of))
        papers = papers_of(asked_of, found)
        whole = self._judged(question, hits) if papers else None
        if whole is None:
            return None
        judged = (self._judged(side.alone, [hit]) for side, hit in zip(asked_of, papers, strict=True))
        spoken = [one for one in judged if one]
        sure = max(whole.sure, round(sum(one.sure for one in spoken) / len(papers), 6))
        if sure < self._min_confidence:
            return None
        groups = merged_groups(composing.groups_of(one.found, most_words // len(papers)) for one in spoken)
        sentences, sources = composing.put_together(groups, {hit.paper.id: hit.score for hit in papers})
        related = _related(hits, {hit.paper.id for hit in papers})
        return Answer(asked, question, sentences, sources, related=related, confidence=sure, unanswered=unknown)

    def comprehended(self, question: str, hits: Sequence[Hit]) -> Sequence[Comprehended]:
        """What reading the question with each of the first hits gives."""
        return self._corner.read(_to_be_read(question), [hit.paper.abstract for hit in hits[: reread.READ]])

    def _judged(self, question: str, hits: Sequence[Hit]) -> Judged | None:
        reading = self.read(question, hits)
        return Judged(reading, _confidence(reading)) if reading else None

    def read(self, question: str, hits: Sequence[Hit]) -> Reading | None:
        """The evidence for a question, judged; None when there is nothing to judge."""
        asked = analyse(question)
        hits = reread.reread(_to_be_read(question), hits, self._corner.read, self._weights.paper)
        if not hits or not asked.words:
            return None
        corpus = self._corner.corpus()
        matcher = Matcher(asked, corpus, self._corner.similarity)
        whole_and_focus = self._corner.embed([text.joined(question), asked.focus])
        vectors = self._corner.sentence_vectors([hit.paper.id for hit in hits])

        @cache  # most questions are answered from the best paper: the sentences of the others are weighed when they are asked for
        def sentences_of(i: int) -> list[Candidate]:
            paper = hits[i].paper
            (read,) = self._corner.read(_to_be_read(question), [paper.abstract])
            return self._candidates(asked, whole_and_focus, paper, vectors[paper.id], matcher, read)

        best = sentences_of(0)
        focus_cosines = vectors[hits[0].paper.id] @ whole_and_focus[1]
        first, *others = self.comprehended(question, hits)
        case = confidence.Case(asked, hits, best, composing.likeliest(best), focus_cosines, first, others, matcher, corpus, self._corner.similarity)
        assessment = confidence.assess(case, self._weights.confidence)

        def covers(papers: Sequence[Paper]) -> float:
            return matcher.weighted(matcher.exact(set().union(*(evidence.terms_of(paper) for paper in papers))))

        return Reading(asked, hits, covers, sentences_of, assessment)

    def _candidates(
        self, question: Question, asked: Vectors, paper: Paper, vectors: Vectors, matcher: Matcher, read: Comprehended
    ) -> list[Candidate]:
        weights = self._weights.of_sentence(anchored=evidence.is_anchored(question, paper, matcher), kind=question.kind)
        every = evidence.candidates(question, asked, paper, vectors, matcher, read, weights)
        return [c for c in every if not evidence.is_beside_the_point(question, c.sentence.folded)] or every


def _to_be_read(question: str) -> str:
    """A question as it is read together with one abstract: of one in another language the names in it, since only English is read; and no abstract
    speaks of what papers say.

    >>> _to_be_read("What do these papers find about gauges?"), _to_be_read("Comment NetMoE réduit-il le coût de la communication ?")
    ('what is found about gauges?', 'NetMoE')
    """
    if language_of(question) and (names := text.names(question)):
        return " ".join(names)
    return _WHAT_PAPERS_SAY.sub("what is found", question)


def refusal(asked: str, question: str, reason: str, hits: Sequence[Hit], sure: float = 0.0) -> Answer:
    """An answer that says that there is none: no sentences, no citation; the nearest papers as related."""
    return Answer(asked, question, abstained=reason, related=_related(hits, set()), confidence=sure)


def _related(hits: Sequence[Hit], cited: set[str]) -> tuple[Source, ...]:
    return tuple(Source(hit.paper, hit.score) for hit in hits if hit.paper.id not in cited)[:_RELATED]


def _hits_of(part: Part, hits: Sequence[Hit], search: SearchFor | None) -> Sequence[Hit]:
    """What there is on a part of a question. What is called by a name is searched for by it; what is described may be so in another part."""
    if search is None:
        return hits
    own = search(part.alone)
    return own if part.subject else averaged([hits, own])


def _nothing_of(parts: Sequence[str]) -> str:
    return f"These papers do not answer this: they say neither {' nor '.join(f'“{part}”' for part in parts)}."


def _confidence(reading: Reading) -> float:
    """How sure we are that the library answers. A question that names several papers is judged by what they hold together: none of them alone
    holds the names of the others.
    """
    named = composing.papers_named(reading.question, reading.hits)
    if len(named) < 2:
        return reading.assessment.confidence
    return max(reading.assessment.confidence, round(reading.covers([reading.hits[i].paper for i in named]), 6))
