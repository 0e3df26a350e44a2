"""What papers say, told by sentences of their abstracts: a summary of some papers or of a topic, and papers side by side.

Every sentence is one of an abstract, verbatim, and is its own evidence. What an abstract does not say is said to be missing. The same papers in the
same index give the same summary.
"""

from __future__ import annotations

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
_MOST_PAIRS = 5
_EVERY = "The papers"
"""The heading of papers that are one theme."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a summary. `note`: words of ours, such as what is missing; they say nothing of what a paper says. `is_common`: of several papers
    together, and left out of an answer if there is nothing.
    """

    heading: str
    sentences: tuple[Sentence, ...] = ()
    note: str = ""
    is_common: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of papers, or why there is none (`abstained`; then there are no sections and no sources). `subject`: of what. `note`: words of ours
    about the whole.
    """

    subject: str
    sections: tuple[Section, ...] = ()
    sources: tuple[Source, ...] = ()
    abstained: str | None = None
    related: tuple[Source, ...] = ()
    narrowing: Narrowing = NOT_NARROWED
    note: str = ""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, in order."""
        return tuple(sentence for section in self.sections for sentence in section.sentences)

    @property
    def request(self) -> str:
        """What a chat model is asked so that it writes this summary in words of its own."""
        wanted = "the problem, the method, the result and the limits"
        if len(self.sources) == 1:
            return f"Summarise {self.subject}: {wanted}, as far as the abstract gives them."
        return (
            f"Summarise what these papers say on {self.subject}: {wanted} of each, what they agree on, and how they differ or contradict each other."
        )

    @property
    def answer(self) -> Answer:
        """The same as an Answer: headings lead their first sentence, and notes are its preface and its notice."""
        asked = f"Summarise {self.subject}"
        shown = [section for section in self.sections if section.sentences or not section.is_common]
        notice = " ".join(f"{section.heading}: {section.note}" for section in shown if section.note)
        sentences = tuple(sentence for section in shown for sentence in _led(section))
        return Answer(asked, asked, sentences, self.sources, self.abstained, self.related, notice=notice, preface=self.note, narrowing=self.narrowing)


_PAPERS = r"(?:papers?|abstracts?|articles?|studies|literature|publications?)"
_REQUEST = re.compile(
    r"^(?:please |(?:can|could|would) you |i (?:want|need) )*"
    r"(?:summari[sz]|sum(?: it)? up\b|give\b|an? (?:\w+ )?(?:summary|overview|synopsis)|summary|overview|synopsis"
    r"|what (?:is|are|do|does|these|those|the|my|our)\b"
    rf"|(?:the |these |those |my |our |all )*{_PAPERS}\b)",
    re.IGNORECASE,
)
# What leads from the request to the topic.
_LEADING = frozenset(
    """
    please can could would you i want need give me us a an the short brief quick summarise summarize sum it up summary overview synopsis of what is
    are there here these those this my our all some papers paper abstracts abstract articles studies literature publications library index
    say says said tell tells report reports know about on regarding concerning that which who deal deals dealing with do does in ask asks discuss
    discusses for have has how
    """.split()
)
_TRAILING = re.compile(
    r"(?:[\s?.!,;:]+|\b(?:please|pls|plz|briefly|in short|for me|thanks|thank you|here|keep it (?:short|brief)"
    r"|in (?:a few|two|three) (?:words|sentences)|in (?:this|the|my) (?:library|index|collection))\b)+$",
    re.IGNORECASE,
)


def topic_of(asked: str) -> str:
    """The topic that a request for a summary names; what is no request is a topic already.

    >>> topic_of("summarise what these papers say about differential privacy"), topic_of("Overview of what is here on graphs, pls")
    ('differential privacy', 'graphs')
    >>> topic_of("in vitro models"), topic_of("the papers")
    ('in vitro models', 'the papers')
    """
    plain = " ".join(asked.split())
    words = _TRAILING.sub("", plain).split()
    while _REQUEST.match(plain) and words and words[0].lower().strip(",:") in _LEADING:
        words = words[1:]
    return " ".join(words) or plain


_SUMMARY = re.compile(
    r"^(?:please |(?:can|could|would) you |i (?:want|need) )*(?:(?:give|write|make) (?:me |us )?)?"
    r"(?:summari[sz]e\b|sum up\b|(?:an? |the )?(?:\w+ )?(?:summary|overview|synopsis) (?:of|on|about)\b)",
    re.IGNORECASE,
)


def asks_for_summary(question: str) -> bool:
    """Does a question want a summary, of a paper or of a topic?

    >>> asks_for_summary("Please summarise NetMoE"), asks_for_summary("a short overview of pruning"), asks_for_summary("What is a summary?")
    (True, True, False)
    """
    return bool(_SUMMARY.match(" ".join(question.split())))


def _led(section: Section) -> tuple[Sentence, ...]:
    if not section.sentences:
        return ()
    first, *others = section.sentences
    heading = "" if section.heading == _EVERY else f"{section.heading}:"
    lead = " ".join(part for part in (heading, first.lead) if part)
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

    def topic(self, topic: str, members: Sequence[Hit], near: Sequence[Hit] = (), *, most: int = MOST_PAPERS) -> Summary:
        """What the papers of a topic say about it: by theme a sentence of each of them, then agreement and contradictions.

        `members`: the papers of the topic, best first, of which `most` are told of; `near`: others that come near it.
        """
        subject, related = f"“{topic}”", tuple(Source(hit.paper, hit.score) for hit in near)
        if not members:
            return Summary(subject, abstained=f"No paper of this library deals with {subject}.", related=related)
        told = members[:most]
        vectors = self._library.sentence_vectors([hit.paper.id for hit in told])
        found = themes.themes([hit.paper for hit in told], vectors, topic, self._library.corpus().rarity)
        scores = {hit.paper.id: hit.score for hit in told}
        sources = tuple(Source(paper, scores[paper.id], n) for n, paper in enumerate((paper for theme in found for paper in theme.papers), 1))
        by_id = {source.paper.id: source for source in sources}
        wanted = text.content_words(topic)
        sections = [
            Section(_theme_heading(i, theme, len(found)), tuple(_speaks(by_id[paper.id], wanted) for paper in theme.papers))
            for i, theme in enumerate(found, 1)
        ]
        note = f"{len(told)} of {len(members)} papers of the topic, those that are most surely of it." if len(told) < len(members) else ""
        return Summary(subject, (*sections, *self._in_common(sources)), sources, related=related, note=note)

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
        return _EVERY
    if theme.terms:
        return f"Theme {number}: {', '.join(theme.terms)}"
    return f"Theme {number}" if theme.is_group else "Other papers"


# ------------------------------------------------------------------------------------------------------- what they have in common


def _contrasts(pairs: Sequence[Pair], numbers: Mapping[str, int]) -> tuple[Contrast, ...]:
    return tuple(Contrast(_found(pair.one, numbers), _found(pair.other, numbers), pair.why) for pair in pairs[:_MOST_PAIRS])


def _found(finding: Finding, numbers: Mapping[str, int]) -> Evidence:
    return Evidence(numbers[finding.paper.id], finding.span.start, finding.span.end, finding.quote)


def _pair_section(heading: str, pairs: Sequence[Contrast], sources: Sequence[Source], nothing: str) -> Section:
    labels = {source.n: source.paper.label for source in sources}
    sentences = [_said(side, f"{labels[side.source]}:") for pair in pairs for side in (pair.one, pair.other)]
    return Section(heading, tuple(sentences), "; ".join(dict.fromkeys(pair.why for pair in pairs)) + "." if pairs else nothing, is_common=True)
