"""Answers without a model: the sentences of the abstracts that answer, verbatim, each with its citation; or a refusal."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import confidence, evidence
from rag_qa.answering.answer import Answer, AnswerEvent, Evidence, Sentence, Source, Status, Verdict
from rag_qa.answering.confidence import Assessment
from rag_qa.answering.evidence import Candidate, Corpus, Matcher, WordSimilarity
from rag_qa.answering.question import Kind, Question, analyse
from rag_qa.answering.weights import Weights, shipped
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.text import any_of, any_word

MAX_WORDS = 85
"""An answer from one paper grows to about this many words, never by half a sentence."""

_MAX_WORDS_OF_SEVERAL = 145
_MAX_SENTENCES = 3
_MAX_SENTENCES_OF_SEVERAL = 6
_ENOUGH = 0.85  # sentences are added until one of them is the answer with this probability
_SHARPNESS = 37.0  # exp(this * score) is proportional to the probability that a paper is the right one; fitted with fusion.WEIGHTS
_ALTERNATIVES = 4  # papers that an answer to a question in free words is made from, at most
_LIKELY = 0.05  # ... if one is the right one with at least this probability
_RELATED = 3
_SEVERAL = 4  # papers in an answer that lists papers
_SET_CUT = 0.8  # a paper joins a list when its score reaches this share of the best one's,
_SET_LEAST = 0.55  # or this share and it holds
_SET_COVERS = 0.6  # this much of the question's words, by rarity, and less than the best one by no more than
_SET_SLACK = 0.15  # this

_NOTHING_FOUND = "No paper in this library has anything to do with the question."

# Where a clause ends: at a mark, or at a comma before a question.
_CLAUSE_END = re.compile(
    r"[;:.!?—]\s|\s-+\s|,\s(?=(?:and |but |so )?" + any_of("what|which|how|why|who|where|when", "is|are|do|does|can|could") + r"\b)"
)
_CLAUSE_WORDS = 3  # fewer make no clause
_ASKS = re.compile(any_word("what|which|how|why|who|where|when") + r"|^(?:is|are|do|does|did|can|could|has|have)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Corner:
    """What the answerer asks of the rest of the program.

    `embed`: texts -> unit vectors. `sentence_vectors`: paper ids -> unit vectors of their sentences. `similarity`: words -> unit vectors.
    `corpus`: what is known of all papers together, at this moment.
    """

    embed: Callable[[Sequence[str]], Vectors]
    sentence_vectors: Callable[[Sequence[str]], Mapping[str, Vectors]]
    similarity: WordSimilarity
    corpus: Callable[[], Corpus]


@dataclass(frozen=True, slots=True)
class Reading:
    """The evidence for a question, judged. `sentences_of(i)`: the sentences of hit i that could answer, in order. `covers`: share of the
    question's words, by rarity, that stand in any of some papers.
    """

    question: Question
    covers: Callable[[Sequence[Paper]], float]
    sentences_of: Callable[[int], Sequence[Candidate]]
    assessment: Assessment


class ExtractiveAnswerer:
    """Picks sentences and decides whether they answer. The same question on the same index gives the same answer."""

    def __init__(self, corner: Corner, *, min_confidence: float = 0.5, weights: Weights | None = None) -> None:
        self._corner = corner
        self._min_confidence = min_confidence
        self._weights = weights or shipped(evidence.FEATURES, confidence.FEATURES)

    def stream(self, question: str, hits: Sequence[Hit], *, asked: str | None = None) -> Iterator[AnswerEvent]:
        """Sentences, then the Answer. `question` stands alone; `asked` is what the person typed, if it differs."""
        answer = self.answer(question, hits, asked=asked)
        yield from answer.sentences
        yield answer

    def answer(self, question: str, hits: Sequence[Hit], *, asked: str | None = None) -> Answer:
        """Sentences of the hits that answer the question, or a refusal."""
        started = time.perf_counter()
        asked = asked or question
        reading = self.read(question, hits)
        if reading is None:
            return refusal(asked, question, _NOTHING_FOUND, hits)
        sure = _confidence(reading, hits)
        if sure < self._min_confidence:
            return refusal(asked, question, _reason(reading), hits, sure)
        groups = _groups(reading, hits)
        sentences, sources = _cited(groups, hits)
        timings = {"answer": round(time.perf_counter() - started, 6)}
        related = _related(hits, {source.paper.id for source in sources})
        return Answer(asked, question, tuple(sentences), tuple(sources), related=related, confidence=sure, timings=timings)

    def read(self, question: str, hits: Sequence[Hit]) -> Reading | None:
        """The evidence for a question, judged; None when there is nothing to judge."""
        asked = analyse(question)
        if not hits or not asked.words:
            return None
        corpus = self._corner.corpus()
        matcher = Matcher(asked, corpus, self._corner.similarity)
        whole_and_focus = self._corner.embed([text.joined(question), _focus(asked)])
        vectors = self._corner.sentence_vectors([hit.paper.id for hit in hits])

        @cache  # most questions are answered from the best paper: the sentences of the others are weighed when they are asked for
        def sentences_of(i: int) -> list[Candidate]:
            return self._candidates(asked, whole_and_focus, hits[i].paper, vectors[hits[i].paper.id], matcher)

        best = sentences_of(0)
        focus_cosines = vectors[hits[0].paper.id] @ whole_and_focus[1]
        case = confidence.Case(asked, hits, best, _choose(best), focus_cosines, matcher, corpus)
        assessment = confidence.assess(case, self._weights.confidence)

        def covers(papers: Sequence[Paper]) -> float:
            return matcher.weighted(matcher.exact(set().union(*(evidence.terms_of(paper) for paper in papers))))

        return Reading(asked, covers, sentences_of, assessment)

    def _candidates(self, question: Question, asked: Vectors, paper: Paper, vectors: Vectors, matcher: Matcher) -> list[Candidate]:
        kind = "anchored" if evidence.is_anchored(question, paper, matcher) else "free"
        every = evidence.candidates(question, asked, paper, vectors, matcher, self._weights.sentence[kind])
        return [c for c in every if not evidence.is_beside_the_point(question, c.sentence.folded)] or every


def refusal(asked: str, question: str, reason: str, hits: Sequence[Hit], sure: float = 0.0) -> Answer:
    """An answer that says that there is none: no sentences, no citation; the nearest papers as related."""
    return Answer(asked, question, abstained=reason, related=_related(hits, set()), confidence=sure)


def _related(hits: Sequence[Hit], cited: set[str]) -> tuple[Source, ...]:
    return tuple(Source(hit.paper, hit.score) for hit in hits if hit.paper.id not in cited)[:_RELATED]


def _focus(question: Question) -> str:
    """What is asked, without the circumstances and without the names of methods: the clause that holds the question word, or the last one."""
    clauses = [clause.strip() for clause in _CLAUSE_END.split(text.joined(question.text)) if len(clause.split()) >= _CLAUSE_WORDS]
    asking = [clause for clause in clauses if _ASKS.search(clause)]
    clause = (asking or clauses or [question.text])[-1]
    kept = [token for token in clause.split() if text.fold(token.strip("?,.;:'\"()")).text.removesuffix("'s") not in question.names]
    return " ".join(kept) or question.text


def _reason(reading: Reading) -> str:
    judged = reading.assessment
    missing = [f"“{words}”" for words in _phrases(judged.missing, reading.question)]
    if judged.unmet:
        return f"These papers do not answer this: they do not give {judged.unmet}."
    if missing:
        return f"These papers do not answer this: they say nothing about {_listed(missing[:3])}."
    return "These papers do not answer this: they touch on the subject but do not say what is asked."


def _phrases(missing: Sequence[str], question: Question) -> list[str]:
    """Missing words as the question spells them and in its order, neighbours together; the phrase after the question word whole: "learning
    rate", though only the rate is missing.
    """
    named = set(missing)
    if named.intersection(question.head):
        named.update(question.head)
    folded = text.fold(question.text)
    spans: list[tuple[int, int]] = []
    for word in text.words(folded.text):
        if word.text not in named:
            continue
        if spans and not folded.text[spans[-1][1] : word.start].strip():
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    phrases = (question.text[slice(*folded.span(start, end))] for start, end in spans)
    return list(dict.fromkeys(phrases))


def _listed(items: Sequence[str]) -> str:
    """Items as one says them.

    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


# ------------------------------------------------------------------------------------------------------------------ choosing


def _groups(reading: Reading, hits: Sequence[Hit]) -> list[list[Candidate]]:
    """Sentences to show, by paper."""
    if several := _papers_asked_for(reading, hits):
        return [_choose(reading.sentences_of(i), most=1) for i in several]
    likely = [1.0] if reading.assessment.anchored else _likely_papers(hits)
    if len(likely) > 1:
        return _from_several(reading, likely)
    every = reading.sentences_of(0)
    return [_readable(reading.question, _choose(every), every)]


def _from_several(reading: Reading, likely: Sequence[float]) -> list[list[Candidate]]:
    """Sentences of the first papers, of which each is the right one with the probability that stands in `likely`.

    Each of them speaks once; then the likeliest further sentences do, whosever they are.
    """
    ranked = [[(share * odds, candidate) for odds, candidate in _ranked(reading.sentences_of(i))] for i, share in enumerate(likely)]
    first = [one[0] for one in ranked]
    further = sorted((pair for one in ranked for pair in one[1:]), key=lambda pair: -pair[0])
    chosen = _until_enough(first + further, _MAX_SENTENCES_OF_SEVERAL, _MAX_WORDS_OF_SEVERAL, at_least=len(first))
    groups = [[c for c in chosen if c.paper.id == best.paper.id] for _, best in first]
    return [_readable(reading.question, group, group) for group in groups]


def _confidence(reading: Reading, hits: Sequence[Hit]) -> float:
    """How sure we are that the library answers. A question that names several papers is judged by what they hold together: none of them alone
    holds the names of the others.
    """
    named = _papers_named(reading.question, hits)
    if len(named) < 2:
        return reading.assessment.confidence
    return max(reading.assessment.confidence, round(reading.covers([hits[i].paper for i in named]), 6))


def _papers_named(question: Question, hits: Sequence[Hit]) -> list[int]:
    """Which hits a question calls by name."""
    return [i for i, hit in enumerate(hits) if any(name in _name_forms(hit.paper) for name in question.names)]


def _papers_asked_for(reading: Reading, hits: Sequence[Hit]) -> list[int]:
    """Which hits a question wants one sentence of each: those that it names, or all that qualify; none when it asks for one answer."""
    question = reading.question
    if len(named := _papers_named(question, hits)) > 1:
        return named[:_SEVERAL]
    if question.kind is Kind.PAPERS:
        return [i for i, hit in enumerate(hits) if _qualifies(hit, hits[0], reading.covers)][:_SEVERAL]
    return []


def _qualifies(hit: Hit, best: Hit, covers: Callable[[Sequence[Paper]], float]) -> bool:
    """Does a paper belong to a list? It ranks close to the best one, or holds about as much of what the question is about."""
    if hit.score >= _SET_CUT * best.score:
        return True
    return hit.score >= _SET_LEAST * best.score and covers([hit.paper]) >= max(_SET_COVERS, covers([best.paper]) - _SET_SLACK)


def _likely_papers(hits: Sequence[Hit]) -> list[float]:
    """Probabilities of the best hits to be the right one, best first; those that are too unlikely are left out."""
    odds = np.exp(_SHARPNESS * (np.array([hit.score for hit in hits]) - hits[0].score))
    shares = odds / odds.sum()
    return [float(share) for share in shares[:_ALTERNATIVES] if share >= _LIKELY] or [1.0]


def _name_forms(paper: Paper) -> set[str]:
    name = text.name_of(paper.abstract)
    folded = text.fold(name or paper.title or "").text
    return {folded, folded.removesuffix("s")} - {""}


def _probabilities(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    scores = np.array([c.score for c in candidates])
    odds = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


def _ranked(candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """(probability to be the one that answers, sentence), best first."""
    shares = _probabilities(candidates)
    order = sorted(range(len(candidates)), key=lambda i: (-shares[i], i))
    return [(float(shares[i]), candidates[i]) for i in order]


def _choose(candidates: Sequence[Candidate], most: int = _MAX_SENTENCES) -> list[Candidate]:
    """The likeliest sentences of one paper, best first."""
    return _until_enough(_ranked(candidates), most, MAX_WORDS)


def _until_enough(ranked: Sequence[tuple[float, Candidate]], most: int, most_words: int, *, at_least: int = 1) -> list[Candidate]:
    """Sentences in this order until one of them is very likely the answer, or the answer would grow too long."""
    chosen: list[Candidate] = []
    length, sure = 0, 0.0
    for probability, candidate in ranked[:most]:
        words = len(candidate.quote.split())
        if len(chosen) >= at_least and (sure >= _ENOUGH or length + words > most_words):
            break
        chosen.append(candidate)
        length += words
        sure += probability
    return chosen


def _readable(question: Question, chosen: Sequence[Candidate], every: Sequence[Candidate]) -> list[Candidate]:
    """The best sentence first, with the one that it leans on before it and, for a definition, the one that goes on to explain it; then the others
    in the order of the abstract.
    """
    by_index = {c.index: c for c in every}
    best = chosen[0]
    opening = [best]
    if evidence.leans(best.sentence.folded) and best.index - 1 in by_index:
        opening.insert(0, by_index[best.index - 1])
    following = by_index.get(best.index + 1)
    if question.kind is Kind.DEFINITION and following and evidence.leans(following.sentence.folded):
        opening.append(following)
    others = [c for c in chosen[1:] if c not in opening][: max(0, _MAX_SENTENCES - len(opening))]
    return [*opening, *sorted(others, key=lambda c: c.index)]


def _cited(groups: Sequence[Sequence[Candidate]], hits: Sequence[Hit]) -> tuple[list[Sentence], list[Source]]:
    """Sentences with their citations, and the sources, numbered from 1 in the order of the groups. Where there are several papers, the first
    sentence of each says whose it is.
    """
    scores = {hit.paper.id: hit.score for hit in hits}
    papers = [group[0].paper for group in groups]
    sources = [Source(paper, scores[paper.id], n) for n, paper in enumerate(papers, start=1)]
    sentences = []
    for n, group in enumerate(groups, start=1):
        lead = f"{papers[n - 1].label}:" if len(groups) > 1 else ""
        sentences += [_sentence(candidate, n, lead if i == 0 else "") for i, candidate in enumerate(group)]
    return sentences, sources


def _sentence(candidate: Candidate, source: int, lead: str) -> Sentence:
    """A sentence of an abstract, which is its own evidence."""
    quote, span = candidate.quote, candidate.sentence.span
    verdict = Verdict(Status.SUPPORTED, (Evidence(source, span.start, span.end, quote),))
    return Sentence(quote, (source,), verdict, lead=lead)
