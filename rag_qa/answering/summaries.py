"""What papers say, told by sentences of their abstracts: a summary of some papers or of a topic, and papers side by side.

Every sentence is one of an abstract, verbatim, and is its own evidence. What an abstract does not say is said to be missing. The same papers in the
same index give the same summary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag_qa import text
from rag_qa.answering import agreement, aspects, evidence, roles, themes
from rag_qa.answering.agreement import Finding, Pair
from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Verdict
from rag_qa.answering.aspects import Aspect
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.roles import Part, Role
from rag_qa.answering.themes import Theme
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.filters import NOT_NARROWED, Narrowing
from rag_qa.retrieval.hits import Hit
from rag_qa.text import Span

MOST_PAPERS = 12
"""Papers that a summary of a topic is made of, unless more are asked for."""
_ENOUGH = ((0.5, 0.6), (0.65, 0.4))
"""A paper is of the topic that reaches such a share of the best score and holds such a share of the words of the topic, by rarity."""
_FEWEST_COVERED = 0.5  # where not even this stands in any paper, nothing in the library is about the topic
_MOST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a summary. `note`: words of ours, such as what is missing; they say nothing of what a paper says."""

    heading: str
    sentences: tuple[Sentence, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of papers, or why there is none (`abstained`; then there are no sections and no sources). `subject`: of what."""

    subject: str
    sections: tuple[Section, ...] = ()
    sources: tuple[Source, ...] = ()
    abstained: str | None = None
    related: tuple[Source, ...] = ()
    narrowing: Narrowing = NOT_NARROWED

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, in order."""
        return tuple(sentence for section in self.sections for sentence in section.sentences)

    @property
    def answer(self) -> Answer:
        """The same as an Answer: headings lead their first sentence, notes are its notice."""
        asked = f"Summarise {self.subject}"
        notice = " ".join(f"{section.heading}: {section.note}" for section in self.sections if section.note)
        sentences = tuple(sentence for section in self.sections for sentence in _led(section))
        return Answer(asked, asked, sentences, self.sources, self.abstained, self.related, notice=notice, narrowing=self.narrowing)


_ABOUT_PAPERS = re.compile(
    r"^(?:please )?(?:(?:can|could) you )?"
    r"(?:summari[sz]e|sum up|give (?:me )?an? (?:summary|overview|synopsis) of|(?:an? )?(?:summary|overview) of)?\s*(?:what )?"
    r"(?:(?:do |does )?(?:all |some |of )*(?:the|these|those|my|our|this)?\s*"
    r"(?:papers?|abstracts?|articles?|studies|library|literature|publications?)\b\s*(?:in (?:this|the|my) (?:library|index) )?(?:here )?"
    r"(?:say|says|tell|tells|report|know|find|found)?\s*(?:us )?(?:about|on|of|dealing with|concerning)\b)?\s*",
    re.IGNORECASE,
)


def topic_of(asked: str) -> str:
    """The topic that a request for a summary names.

    >>> topic_of("summarise what these papers say about differential privacy"), topic_of("Summary of the papers on graphs?"), topic_of("tides")
    ('differential privacy', 'graphs', 'tides')
    """
    return _ABOUT_PAPERS.sub("", " ".join(asked.split()), count=1).strip(" ?.!") or asked.strip()


def _led(section: Section) -> tuple[Sentence, ...]:
    if not section.sentences:
        return ()
    first, *others = section.sentences
    lead = " ".join(part for part in (f"{section.heading}:", first.lead) if part)
    return (replace(first, lead=lead), *others)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two findings of different papers on one subject. `why`: what tells that they agree, or contradict each other."""

    one: Evidence
    other: Evidence
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Papers side by side: `cells[i][j]` is what paper i says of aspect j, or None if its abstract says nothing of it."""

    aspects: tuple[str, ...]
    sources: tuple[Source, ...]
    cells: tuple[tuple[Evidence | None, ...], ...]
    agreements: tuple[Contrast, ...] = ()
    contradictions: tuple[Contrast, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """What a summary needs to know of all papers. `sentence_vectors`: paper ids -> unit vectors of their sentences. `similarity`: of words."""

    sentence_vectors: Callable[[Sequence[str]], Mapping[str, Vectors]]
    similarity: evidence.WordSimilarity
    corpus: Callable[[], Corpus]


class Summariser:
    """Summarises and compares papers without a model."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def papers(self, papers: Sequence[Paper]) -> Summary:
        """The problem, method, result and limits of each paper, and what their findings have in common."""
        sources = tuple(Source(paper, 0.0, n) for n, paper in enumerate(papers, 1))
        if len(papers) == 1:
            return Summary(f"“{papers[0].label}”", _aspect_sections(sources[0]), sources)
        sections = [_paper_section(source) for source in sources]
        subject = ", ".join(f"“{paper.label}”" for paper in papers)
        return Summary(subject, (*sections, *self._in_common(sources)), sources)

    def topic(self, topic: str, hits: Sequence[Hit], *, narrowing: Narrowing = NOT_NARROWED, nothing_passes: str = "") -> Summary:
        """What the papers that were found for a topic say about it: by theme one sentence of each paper, then agreement and contradictions."""
        subject = f"“{topic}”"
        members = [hit for hit in hits if _belongs(hit, hits[0])]
        if nothing_passes or not members:
            reason = nothing_passes or f"No paper of this library deals with {subject}."
            return Summary(subject, abstained=reason, related=_related(hits, ()), narrowing=narrowing)
        papers = [hit.paper for hit in members]
        vectors = self._library.sentence_vectors([paper.id for paper in papers])
        found = themes.themes(papers, vectors, topic, self._library.corpus().rarity)
        scores = {hit.paper.id: hit.score for hit in members}
        order = [paper for theme in found for paper in theme.papers]
        sources = tuple(Source(paper, scores[paper.id], n) for n, paper in enumerate(order, 1))
        by_id = {source.paper.id: source for source in sources}
        wanted = text.content_words(topic)
        sections = [
            Section(_theme_heading(i, theme, len(found)), tuple(_speaks(by_id[paper.id], wanted) for paper in theme.papers))
            for i, theme in enumerate(found, 1)
        ]
        return Summary(subject, (*sections, *self._in_common(sources)), sources, related=_related(hits, papers), narrowing=narrowing)

    def compare(self, papers: Sequence[Paper], wanted: Sequence[Aspect] = ()) -> Comparison:
        """Papers by aspects (problem, method, result and limits, if none is wanted), a sentence behind each cell."""
        wanted = wanted or aspects.DEFAULT
        sources = tuple(Source(paper, 0.0, n) for n, paper in enumerate(papers, 1))
        cells = tuple(_cells(source, wanted) for source in sources)
        agreed, opposed = self._pairs(sources)
        return Comparison(tuple(one.name for one in wanted), sources, cells, agreed, opposed)

    def aspect(self, name: str) -> Aspect | None:
        """The aspect that a person calls by a name; None if the name holds no word."""
        return aspects.aspect(name, self._library.similarity)

    def _in_common(self, sources: Sequence[Source]) -> list[Section]:
        if len(sources) < 2:
            return []
        agreed, opposed = self._pairs(sources)
        return [
            _pair_section("Agreement", agreed, sources, "no two of these abstracts report the same in nearly the same words."),
            _pair_section("Contradictions", opposed, sources, "none is plain from these abstracts."),
        ]

    def _pairs(self, sources: Sequence[Source]) -> tuple[tuple[Contrast, ...], tuple[Contrast, ...]]:
        """What the findings of the papers have in common, and where they say the opposite."""
        found = agreement.findings([source.paper for source in sources], self._library.corpus().rarity)
        numbers = {source.paper.id: source.n or 0 for source in sources}
        agreed, opposed = agreement.agreements(found), agreement.contradictions(found)
        return _contrasts(agreed, numbers), _contrasts(opposed, numbers)


# ------------------------------------------------------------------------------------------------------------------ papers


def _aspect_sections(source: Source) -> tuple[Section, ...]:
    """A section for each aspect of one paper."""
    quotes = _cells(source, aspects.DEFAULT)
    return tuple(
        Section(one.name.capitalize(), (_said(quote),) if quote else (), "" if quote else _missing([one.name]))
        for one, quote in zip(aspects.DEFAULT, quotes, strict=True)
    )


def _paper_section(source: Source) -> Section:
    """One paper of several, its aspects one after the other."""
    quotes = _cells(source, aspects.DEFAULT)
    told = [(one.name, quote) for one, quote in zip(aspects.DEFAULT, quotes, strict=True)]
    sentences = tuple(_said(quote, f"{name.capitalize()}:") for name, quote in told if quote)
    missing = [name for name, quote in told if not quote]
    return Section(source.paper.label, sentences, _missing(missing) if missing else "")


def _missing(names: Sequence[str]) -> str:
    return f"no sentence of the abstract was found that gives its {_or(names)}."


def _cells(source: Source, wanted: Sequence[Aspect]) -> tuple[Evidence | None, ...]:
    """What a paper says of each aspect. A sentence has one role only, but may hold several other things ("1.7× faster on 4 data sets")."""
    used: list[Span] = []
    cells: list[Evidence | None] = []
    for one in wanted:
        span = one.quoted(source.paper.abstract, used if one in aspects.DEFAULT else ())
        cells.append(_evidence(source, span) if span else None)
        used += [span] if span and one in aspects.DEFAULT else []
    return tuple(cells)


def _evidence(source: Source, span: Span) -> Evidence:
    return Evidence(source.n or 0, span.start, span.end, source.paper.abstract[span.start : span.end])


def _said(quote: Evidence, lead: str = "") -> Sentence:
    """A sentence of an abstract, which is its own evidence."""
    return Sentence(quote.quote, (quote.source,), Verdict(Status.SUPPORTED, (quote,)), lead=lead)


def _or(items: Sequence[str]) -> str:
    """Items as one says them.

    >>> _or(["problem", "result", "limits"])
    'problem, result or limits'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


# ------------------------------------------------------------------------------------------------------------------- topics


def _belongs(hit: Hit, best: Hit) -> bool:
    """Is a paper about the topic? It holds most of the words of the topic and ranks not too far behind the best one, or near it with fewer words."""
    held = _covered(hit)
    if hit.rank == 1:
        return held >= _FEWEST_COVERED
    return any(hit.score >= share * best.score and held >= least for share, least in _ENOUGH)


def _covered(hit: Hit) -> float:
    """Share of the words that were searched for that stand in a paper, each by its rarity; 1 if nothing is known of them."""
    weights = [
        (math.log(1 + (hit.library - one.papers + 0.5) / (one.papers + 0.5)), one.is_matched or _is_spelled_out(one.word, hit)) for one in hit.asked
    ]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, held in weights if held) / total if total else 1.0


def _is_spelled_out(word: str, hit: Hit) -> bool:
    """Does another form of a word stand in the paper: what it is short for, or its short form?"""
    return any(word in label.split() for label in hit.also)


def _speaks(source: Source, wanted: Sequence[str]) -> Sentence:
    """What the paper itself does, in the sentence that says most of the topic."""
    terms = [set(text.word_terms(word)) for word in wanted]
    short = {name: {text.stem(word) for word in long} for name, long in text.acronyms(source.paper.abstract).items()}

    def score(part: Part) -> float:
        words = [word.text for word in text.words(part.folded)]
        held = {term for word in words for term in text.word_terms(word)}.union(*(short[name] for name in short if name in words))
        met = sum(bool(own & held) for own in terms) / len(terms) if terms else 0.0
        return _OF_TOPIC * met + _OWN.get(part.role, 0.0) + _PROPOSES * aspects.proposes(part.folded) - 0.2 * evidence.leans(part.folded)

    parts = roles.parts(source.paper.abstract)
    best = max(parts, key=lambda part: (round(score(part), 6), -part.span.start))
    quote = _evidence(source, best.span)
    # a paper without a name is called by its first words, which need not stand there twice
    return _said(quote, "" if quote.quote.startswith(source.paper.label.rstrip("…")) else f"{source.paper.label}:")


_OF_TOPIC = 0.6
_PROPOSES = 0.2
_OWN = {Role.METHOD: 0.7, Role.RESULT: 0.55, Role.AIM: 0.6, Role.CONCLUSION: 0.5, Role.LIMIT: 0.2, Role.AVAILABILITY: -1.0}
"""How much rather a sentence of a role is shown than background: what a paper did says more than what is known of the field."""


def _theme_heading(number: int, theme: Theme, count: int) -> str:
    if count == 1:
        return "The papers"
    if theme.terms:
        return f"Theme {number}: {', '.join(theme.terms)}"
    return f"Theme {number}" if theme.is_group else "Other papers"


def _related(hits: Sequence[Hit], cited: Sequence[Paper]) -> tuple[Source, ...]:
    known = {paper.id for paper in cited}
    return tuple(Source(hit.paper, hit.score) for hit in hits if hit.paper.id not in known)[:3]


# ------------------------------------------------------------------------------------------------------- what they have in common


def _contrasts(pairs: Sequence[Pair], numbers: Mapping[str, int]) -> tuple[Contrast, ...]:
    return tuple(Contrast(_found(pair.one, numbers), _found(pair.other, numbers), pair.why) for pair in pairs[:_MOST_PAIRS])


def _found(finding: Finding, numbers: Mapping[str, int]) -> Evidence:
    return Evidence(numbers[finding.paper.id], finding.span.start, finding.span.end, finding.quote)


def _pair_section(heading: str, pairs: Sequence[Contrast], sources: Sequence[Source], nothing: str) -> Section:
    labels = {source.n: source.paper.label for source in sources}
    sentences = [_said(side, f"{labels[side.source]}:") for pair in pairs for side in (pair.one, pair.other)]
    return Section(heading, tuple(sentences), "; ".join(dict.fromkeys(pair.why for pair in pairs)) + "." if pairs else nothing)
