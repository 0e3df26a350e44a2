"""Questions about several papers: two that are near each other, all that share a topic, and what is asked next in a conversation."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from eval.datasets.loader import Kind
from eval.proposals.proposal import Proposal, Rest
from rag_qa import text
from rag_qa.papers import Paper
from rag_qa.quantities import quantities

_FEWEST, _MOST = 2, 6
"""Papers of a set that is asked for."""
_NEAR_WORDS = 12  # of an abstract, the rarest ones, by which its neighbours are found
_LETTERS = 4  # of a word of a topic, at least


class Neighbours:
    """Which papers are near each other: cosine of tf-idf vectors over their rarest words (Salton and Buckley 1988)."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        counts = {paper.id: Counter(term for term in text.terms(paper.abstract) if term not in text.STOPWORDS) for paper in papers}
        frequency = Counter(term for count in counts.values() for term in count)
        self._vectors = {}
        self._holding: dict[str, list[str]] = defaultdict(list)
        for paper_id, count in counts.items():
            weights = {term: n * math.log(len(papers) / frequency[term]) for term, n in count.items() if 1 < frequency[term] < len(papers)}
            kept = sorted(weights, key=lambda term: (-weights[term], term))[:_NEAR_WORDS]
            length = math.sqrt(sum(weights[term] ** 2 for term in kept)) or 1.0
            self._vectors[paper_id] = {term: weights[term] / length for term in kept}
            for term in kept:
                self._holding[term].append(paper_id)

    def of(self, paper_id: str, most: int = 10) -> list[str]:
        """The papers that share rare words with one, nearest first."""
        scores: Counter[str] = Counter()
        for term, weight in self._vectors[paper_id].items():
            for other in self._holding[term]:
                if other != paper_id:
                    scores[other] += weight * self._vectors[other][term]  # type: ignore[assignment]
        return sorted(scores, key=lambda other: (-scores[other], other))[:most]


def comparisons(definitions: Mapping[str, Proposal], called: Mapping[str, str], near: Neighbours) -> Iterator[Proposal]:
    """For each paper that says what it is (`definitions`: id -> proposal), the nearest other one that does; `called`: id -> name."""
    for one in sorted(definitions):
        other = next((paper for paper in near.of(one) if paper in definitions), None)
        if other is not None and (one < other or one not in near.of(other)[:1]):
            first, second = definitions[one], definitions[other]
            yield Proposal(
                Kind.MULTI,
                f"What are {called[one]} and {called[other]}, and how do they differ?",
                (one, other),
                (*first.facts, *second.facts),
                (*first.rests_on, *second.rests_on),
            )


def follow_ups(proposals: Sequence[Proposal], called: Mapping[str, str]) -> Iterator[Proposal]:
    """Questions about a paper by name, asked after "What is NAME?" and without the name."""
    for one in proposals:
        name = called.get(one.papers[0], "") if len(one.papers) == 1 else ""
        pattern = rf"(?<!\w){re.escape(name)}(?![\w’'-])"
        if not name or one.kind is Kind.DEFINITION or "the work on" in one.question or len(re.findall(pattern, one.question)) != 1:
            continue
        yield replace(one, kind=Kind.FOLLOWUP, question=re.sub(pattern, "it", one.question), history=(f"What is {name}?",))


def sets(papers: Sequence[Paper]) -> Iterator[Proposal]:
    """Two words side by side that some few papers are about: which papers deal with that? They have them in their titles, where they say what they
    do, or twice; papers that mention them besides, or have both words, but apart, may count.
    """
    holding: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    with_stem: dict[str, set[str]] = defaultdict(set)
    about: dict[str, set[tuple[str, str]]] = {}
    by_id = {paper.id: paper for paper in papers}
    for paper in papers:
        about[paper.id] = _about(paper)
        for word in text.content_words(paper.abstract):
            with_stem[text.stem(word)].add(paper.id)
        for stems, written in _pairs(paper.abstract):
            holding[stems][paper.id].append(written)
    for stems, found in sorted(holding.items()):
        if not _FEWEST <= len(found) <= 2 * _MOST:
            continue
        members = sorted(paper for paper, written in found.items() if len(written) > 1 or stems in about[paper])
        rest = (with_stem[stems[0]] & with_stem[stems[1]]) - set(members)
        if not _FEWEST <= len(members) <= _MOST or len(rest) > _MOST:
            continue
        usual = _usual(written for paper in members for written in found[paper])
        if any(_stands_alone(by_id[paper].abstract, usual) for paper in members):
            rests = tuple(Rest(by_id[paper].label, _sentence_with(by_id[paper].abstract, stems)) for paper in members)
            yield Proposal(Kind.SET, f"Which papers deal with {usual}?", tuple(members), rests_on=rests, maybe=tuple(sorted(rest)))


def _usual(written: Iterable[str]) -> str:
    """What is written most often; "" if nothing is."""
    return min(Counter(written).items(), key=lambda item: (-item[1], item[0]), default=("", 0))[0]


_SAYS_WHAT_IT_DOES = re.compile(r"\b(?:we|this (?:paper|study|work|article))\b", re.IGNORECASE)


def _about(paper: Paper) -> set[tuple[str, str]]:
    """The stems of every two words in its title, and where it says what it does."""
    said = (paper.abstract[start:end] for start, end in text.sentences(paper.abstract))
    does = next((sentence for sentence in said if _SAYS_WHAT_IT_DOES.search(sentence)), "")
    return {stems for words in (paper.title or "", does) for stems, _ in _pairs(words)}


def _pairs(abstract: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Stems of two words side by side in a sentence, with how they stand there."""
    for start, end in text.sentences(abstract):
        folded = text.folded(abstract[start:end])
        for first, second in zip(words := text.words(folded), words[1:], strict=False):
            pair = (first.text, second.text)
            if folded[first.end : second.start] == " " and all(_is_of_topic(word) for word in pair):
                yield (text.stem(pair[0]), text.stem(pair[1])), " ".join(pair)


_OF_PROSE = frozenset(
    """able abstract across addition address advances aims algorithm allows also although analysis analyze apply approach approaches art available
    based benchmark better building challenge challenges code compared comparable complex comprehensive consistently crucial current data dataset
    datasets demonstrate design despite development different diverse effective effectively effectiveness efficiency efficient enables enhance
    enhances evaluate evaluation existing experimental experiments extensive field first fixed framework further future general good high higher
    however idea important improve improved improvement improves including introduce key known lack large largely leads limited many method methods
    model models multiple need novel number often outperform outperforms over paper performance possible potential previous prior problem process
    promising propose proposed provide provides range real real-world recent recently remains require research result results same set several show
    shown significant significantly simple single specific standard state state-of-the-art strategy strong study such superior synthetic system
    systems task tasks technique techniques theoretical thus toward towards traditional two use used using various well whether wide widely work
    world yet""".split()
)
"""Words of research prose that name no topic."""


def _is_of_topic(word: str) -> bool:
    return len(word) >= _LETTERS and word.replace("-", "").isalpha() and word not in text.STOPWORDS and word not in _OF_PROSE and not quantities(word)


_BEFORE, _BEHIND = "of|in|for|on|with|as|by|via|using|through|about|the|a|an", "is|are|in|of|for|with|on|and|by|to|as|using|via|has|have|through|at"


def _stands_alone(abstract: str, pair: str) -> bool:
    """Are two words a thing that is spoken of, and no part of something longer: set off by small words or marks on both sides?"""
    return re.search(rf"(?:\b(?:{_BEFORE}) ){re.escape(pair)}(?: (?:{_BEHIND})\b|[,.;:)])", text.folded(abstract)) is not None


def _sentence_with(abstract: str, stems: tuple[str, str]) -> str:
    return next(abstract[start:end] for start, end in text.sentences(abstract) if any(found == stems for found, _ in _pairs(abstract[start:end])))
