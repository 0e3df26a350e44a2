"""Which sentences answer, of which papers, and how they are put together: the one that holds the asked fact first, then what is needed to understand
it; several papers each under its label.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import cues
from rag_qa.answering.answer import Evidence, Sentence, Source, Status, Verdict
from rag_qa.answering.evidence import Candidate
from rag_qa.answering.matching import terms_of
from rag_qa.answering.question import Kind, Question
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.slips import english

MOST_WORDS = 120
"""An answer grows to about this many words, never by half a sentence."""
MOST_WORDS_LONGER = 250
"""... and to this many when a longer one is asked for."""

BEFORE_THIS = "[said just before:]"
"""What stands in front of a sentence that the one before it in the answer leans on."""

_ENOUGH = 0.9  # sentences are added until one of them is the answer with this probability
_MOST_OF_ONE = 5  # sentences of one paper,
_MOST_OF_EACH = 2  # of each of several that are asked for by name,
_MOST_OF_SEVERAL = 5  # and of several together
_USUAL_SHARE = 0.97  # of the words: what further sentences of one paper may fill; the rest is for what the first one leans on
_SHARPNESS = 35.0  # exp(this * score) is proportional to the probability that a paper is the right one; fitted by `python -m eval.fit_sentences`
_ALTERNATIVES = 4  # papers that an answer to a question in free words is made from, at most
_LIKELY = 0.05  # ... if one is the right one with at least this probability
_SEVERAL = 4  # papers in an answer that lists papers
_SET_CUT = 0.8  # a paper joins a list when its score reaches this share of the best one's,
_SET_LEAST = 0.55  # or this share and it holds
_SET_COVERS = 0.6  # this much of the question's words, by rarity, and less than the best one by no more than
_SET_SLACK = 0.15  # this
_SIDE_COVERS = 0.5  # share of the words of one side of a comparison that a paper on it holds

_BETWEEN_SIDES = re.compile(r",? (?:and|versus|vs\.?|or|with|to|from|than|against|,) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer is made from. `sentences_of(i)`: the sentences of hit i that could answer, in order. `covers`: share of the question's words, by
    rarity, that stand in any of some papers. `anchored`: the question names something that stands in the best paper.
    """

    question: Question
    hits: Sequence[Hit]
    sentences_of: Callable[[int], Sequence[Candidate]]
    covers: Callable[[Sequence[Paper]], float]
    anchored: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence as it is shown, with words of ours in front of it."""

    candidate: Candidate
    lead: str = ""


def composed(found: Found, most_words: int = MOST_WORDS) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
    """Sentences with their citations, and the sources, numbered from 1 in reading order. Where there are several papers, the first sentence of
    each says whose it is.
    """
    return put_together(groups_of(found, most_words), {hit.paper.id: hit.score for hit in found.hits})


def put_together(groups: Sequence[Sequence[Shown]], scores: Mapping[str, float]) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
    """See `composed`: groups of sentences, one a paper, with the scores of the papers by their ids."""
    papers = [group[0].candidate.paper for group in groups]
    sources = tuple(Source(paper, scores[paper.id], n) for n, paper in enumerate(papers, start=1))
    labelled = [_labelled(group) if len(groups) > 1 else group for group in groups]
    return tuple(_sentence(shown, n) for n, group in enumerate(labelled, start=1) for shown in group), sources


def likeliest(candidates: Sequence[Candidate], most_words: int = MOST_WORDS) -> list[Candidate]:
    """The sentences of one paper that are likely to answer, best first."""
    times = _times_the_usual(most_words)
    return _until_enough(_ranked(candidates), _MOST_OF_ONE * times, round(most_words * _USUAL_SHARE), goes_on=times > 1)


def _times_the_usual(most_words: int) -> int:
    """How many times the usual number of sentences there may be. More than once: a longer answer is wanted, though a shorter one would do."""
    return max(1, most_words // MOST_WORDS)


# -------------------------------------------------------------------------------------------------------------- which papers


def papers_named(question: Question, hits: Sequence[Hit]) -> list[int]:
    """Which hits a question calls by name."""
    folded = text.fold(question.text).text
    return [i for i, hit in enumerate(hits) if _is_named(hit.paper, question, folded)]


def _is_named(paper: Paper, question: Question, folded: str) -> bool:
    """Is a paper called by the name of its method? A name that is a word too ("AGE") counts where it has the same capitals, no other needs them."""
    name = text.name_of(paper.abstract) or paper.title or ""
    plain = text.fold(name).text
    if {plain, plain.removesuffix("s")} & set(question.names):
        return True
    if not plain or not re.search(rf"(?<![\w-]){re.escape(plain)}(?:s|'s)?(?![\w-])", folded):
        return False
    return " " in plain or name in question.text or plain not in english()


def _papers_asked_for(found: Found) -> list[int]:
    """Which hits a question wants each by itself: those that it names or compares, or all that are on its topic; none when it asks for one answer."""
    question, hits = found.question, found.hits
    named = papers_named(question, hits)
    if len(named) > 1:
        return named[:_SEVERAL]
    if question.kind is Kind.COMPARISON:
        return _sides(question, hits, named)
    if question.kind is Kind.PAPERS or (question.kind is Kind.OVERVIEW and not named):
        return [i for i, hit in enumerate(hits) if _qualifies(hit, hits[0], found.covers)][:_SEVERAL]
    return []


def _sides(question: Question, hits: Sequence[Hit], named: Sequence[int]) -> list[int]:
    """For each side of a comparison the paper that holds most of its words; none unless there are two."""
    chosen = list(named)
    for side in _BETWEEN_SIDES.split(question.text):
        words = [text.stem(word) for word in text.content_words(side)]
        shares = {i: _share_held(words, hit.paper) for i, hit in enumerate(hits) if i not in chosen}
        best = max(shares, key=lambda i: (shares[i], -i), default=None)
        if words and best is not None and shares[best] >= _SIDE_COVERS:
            chosen.append(best)
    return sorted(chosen[:_SEVERAL]) if len(chosen) > 1 else []


def _share_held(stems: Sequence[str], paper: Paper) -> float:
    held = terms_of(paper)
    return sum(stem in held for stem in stems) / len(stems) if stems else 0.0


def _qualifies(hit: Hit, best: Hit, covers: Callable[[Sequence[Paper]], float]) -> bool:
    """Does a paper belong to a list? It ranks close to the best one, or holds about as much of what the question is about."""
    if hit.score >= _SET_CUT * best.score:
        return True
    return hit.score >= _SET_LEAST * best.score and covers([hit.paper]) >= max(_SET_COVERS, covers([best.paper]) - _SET_SLACK)


def likely_papers(scores: Sequence[float], sharpness: float = _SHARPNESS) -> list[float]:
    """Probabilities to be the right one of the best papers, from their scores, best first; those that are too unlikely are left out.

    >>> [round(one, 2) for one in likely_papers([0.6, 0.58, 0.3])]
    [0.67, 0.33]
    """
    odds = np.exp(sharpness * (np.array(scores) - scores[0]))
    shares = odds / odds.sum()
    return [float(share) for share in shares[:_ALTERNATIVES] if share >= _LIKELY] or [1.0]


# ----------------------------------------------------------------------------------------------------------- which sentences


def groups_of(found: Found, most_words: int = MOST_WORDS) -> list[list[Shown]]:
    """Sentences to show, by paper, as they are before they are labelled."""
    times = _times_the_usual(most_words)
    if several := _papers_asked_for(found):
        each = most_words // len(several)
        most = 1 if found.question.kind is Kind.PAPERS else _MOST_OF_EACH
        chosen = [_until_enough(_ranked(found.sentences_of(i)), most * times, each, goes_on=times > 1) for i in several]
        return [_readable(found, group, found.sentences_of(i), each) for i, group in zip(several, chosen, strict=True)]
    likely = [1.0] if found.anchored else likely_papers([hit.score for hit in found.hits])
    if len(likely) > 1:
        return _of_likely(found, likely, most_words)
    every = found.sentences_of(0)
    return [_readable(found, likeliest(every, most_words), every, most_words)]


def _of_likely(found: Found, likely: Sequence[float], most_words: int) -> list[list[Shown]]:
    """Sentences of the first papers, of which each is the right one with the probability that stands in `likely`.

    Each of them speaks once; then the likeliest further sentences do, whosever they are.
    """
    ranked = [[(share * odds, candidate) for odds, candidate in _ranked(found.sentences_of(i))] for i, share in enumerate(likely)]
    first = [one[0] for one in ranked]
    further = sorted((pair for one in ranked for pair in one[1:]), key=lambda pair: -pair[0])
    times = _times_the_usual(most_words)
    chosen = _until_enough(first + further, _MOST_OF_SEVERAL * times, most_words, at_least=len(first), goes_on=times > 1)
    room = most_words - sum(map(_length, chosen))  # for what they lean on
    groups = [[c for c in chosen if c.paper.id == best.paper.id] for _, best in first]
    return [_readable(found, group, found.sentences_of(i), sum(map(_length, group)) + room // len(groups)) for i, group in enumerate(groups)]


def _ranked(candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """(probability to be the one that answers, sentence), best first."""
    shares = _probabilities(candidates)
    order = sorted(range(len(candidates)), key=lambda i: (-shares[i], i))
    return [(float(shares[i]), candidates[i]) for i in order]


def _probabilities(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    scores = np.array([c.score for c in candidates])
    odds = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


def _until_enough(
    ranked: Sequence[tuple[float, Candidate]], most: int, most_words: int, *, at_least: int = 1, goes_on: bool = False
) -> list[Candidate]:
    """Sentences in this order until one of them is very likely the answer (unless it `goes_on`), or the answer would grow too long."""
    chosen: list[Candidate] = []
    enough = math.inf if goes_on else _ENOUGH
    length, sure = 0, 0.0
    for probability, candidate in ranked[:most]:
        words = _length(candidate)
        if len(chosen) >= at_least and (sure >= enough or length + words > most_words):
            break
        chosen.append(candidate)
        length += words
        sure += probability
    return chosen


def _length(candidate: Candidate) -> int:
    return len(candidate.quote.split())


# --------------------------------------------------------------------------------------------------------- put together


def _readable(found: Found, chosen: Sequence[Candidate], every: Sequence[Candidate], most_words: int) -> list[Shown]:
    """The best sentence first, with what it leans on; then the others in the order of the abstract, and of those that can't be understood without the
    sentence before them only as many as there is room for.
    """
    by_index = {candidate.index: candidate for candidate in every}
    best, *others = chosen
    shown = list(_with_antecedents(best, by_index))
    for candidate in _explaining(found, best, by_index):
        # the best sentence may lean on it, and then it stands there already
        added = [] if candidate.index in _indices(shown) else _beside(candidate, shown, by_index)
        shown += [one for one in added if _words(shown) + _length(candidate) <= most_words]
    for candidate in sorted(others, key=lambda c: c.index):
        added = [] if candidate.index in _indices(shown) else _beside(candidate, shown, by_index)
        if added and _words(shown) + _words(added) <= most_words:
            shown += added
    return shown


def _explaining(found: Found, best: Candidate, by_index: dict[int, Candidate]) -> Iterator[Candidate]:
    """What makes the best sentence understood: a definition goes on in the next sentence; who describes a need in own words has to be told what the
    paper does about it.
    """
    following = by_index.get(best.index + 1)
    if found.question.kind is Kind.DEFINITION and following and cues.needs_antecedent(following.sentence.folded):
        yield following
    proposals = [one for one in by_index.values() if cues.says(one.sentence.folded).proposes]
    if not found.anchored and cues.asks(found.question).in_own_words and proposals and best not in proposals:
        yield proposals[0]


def _with_antecedents(candidate: Candidate, by_index: dict[int, Candidate]) -> Iterator[Shown]:
    """A sentence, and after it what it leans on, back to a sentence that can stand alone."""
    lead = ""
    while True:
        name = _stands_for(candidate)
        yield Shown(candidate, " ".join(part for part in (lead, name and f"[{name}]") if part))
        before = by_index.get(candidate.index - 1)
        if name or before is None or not cues.needs_antecedent(candidate.sentence.folded):
            return
        candidate, lead = before, BEFORE_THIS


def _beside(candidate: Candidate, shown: Sequence[Shown], by_index: dict[int, Candidate]) -> list[Shown]:
    """A further sentence: after the one that it leans on, if that is the last one shown, or with it."""
    follows = shown[-1].candidate.index == candidate.index - 1
    if follows or not cues.needs_antecedent(candidate.sentence.folded):
        return [Shown(candidate)]
    known = _indices(shown)
    return [one for one in _with_antecedents(candidate, by_index) if one.candidate.index not in known]


def _stands_for(candidate: Candidate) -> str:
    """The name of the method that a sentence calls "it" or "this framework"; "" where it calls it by name, or speaks of something else.

    Only if the sentence before speaks of the method too, or proposes it: "it" stands for what was named last.
    """
    name = text.name_of(candidate.paper.abstract)
    folded = candidate.sentence.folded
    if not name or not cues.speaks_of_method(folded) or text.fold(name).text in folded:
        return ""
    before = text.sentences(candidate.paper.abstract)[max(0, candidate.index - 2) : candidate.index]
    return name if any(name in candidate.paper.abstract[start:end] for start, end in before) else ""


def _indices(shown: Sequence[Shown]) -> set[int]:
    return {one.candidate.index for one in shown}


def _words(shown: Sequence[Shown]) -> int:
    return sum(_length(one.candidate) for one in shown)


def _labelled(group: Sequence[Shown]) -> list[Shown]:
    """The sentences of one paper among several: the first says whose they are."""
    first, *others = group
    label = first.candidate.paper.label
    if first.candidate.quote.startswith(label.rstrip("…")):
        return list(group)  # a paper without title or name is called by its first words: they are not said twice
    lead = "" if first.lead == f"[{label}]" else first.lead
    return [Shown(first.candidate, f"{label}: {lead}".strip()), *others]


def _sentence(shown: Shown, source: int) -> Sentence:
    """A sentence of an abstract, which is its own evidence."""
    quote, span = shown.candidate.quote, shown.candidate.sentence.span
    verdict = Verdict(Status.SUPPORTED, (Evidence(source, span.start, span.end, quote),))
    return Sentence(quote, (source,), verdict, lead=shown.lead)
