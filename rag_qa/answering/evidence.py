"""Which sentences of the papers that were found speak to a question, and how strongly: features of (question, sentence) pairs, weighted.

Weights are fitted on development questions (see `python -m eval fit`), never on the shipped question set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering.question import Kind, Question
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

WordSimilarity = Callable[[Sequence[str]], Vectors]
"""Words -> unit vectors, shape (words, dimensions): synonyms are close."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is known of all papers together: how many there are, and in how many a term stands."""

    size: int
    document_frequency: Callable[[str], int]

    def rarity(self, word: str) -> float:
        """Inverse document frequency of a folded word, at least 0; a word that no paper holds is the rarest (formula: BM25, Robertson)."""
        seen = max((self.document_frequency(term) for term in text.word_terms(word)[:1]), default=0)
        if not seen and "-" in word:
            seen = min(self.document_frequency(term) for term in text.word_terms(word)[1:] or ("",))
        return math.log(1 + (self.size - seen + 0.5) / (seen + 0.5))


@dataclass(frozen=True, slots=True)
class SentenceTerms:
    """A sentence of an abstract in the form in which it is compared. Short forms that the abstract explains count as what they stand for."""

    span: text.Span
    folded: str
    words: tuple[str, ...]
    terms: frozenset[str]
    numbers: frozenset[str]


_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion half twice double triple quarter third".split()
)


@lru_cache(maxsize=8192)
def sentence_terms(abstract: str) -> tuple[SentenceTerms, ...]:
    """The sentences of an abstract, compared forms."""
    short_forms = text.acronyms(abstract)
    return tuple(_sentence_terms(abstract, span, short_forms) for span in text.sentences(abstract))


def _sentence_terms(abstract: str, span: text.Span, short_forms: Mapping[str, tuple[str, ...]]) -> SentenceTerms:
    folded = text.fold(abstract[span.start : span.end]).text
    words = [w.text for w in text.words(folded)]
    terms = {term for word in words for term in text.word_terms(word)}
    for short, long in short_forms.items():
        short_term = text.stem(short)
        long_terms = {text.stem(word) for word in long if word not in text.STOPWORDS}
        if short_term in terms:
            terms |= long_terms
        elif long_terms and long_terms <= terms:
            terms.add(short_term)
    numbers = frozenset(w for w in words if w[0].isdigit() or w in _NUMBER_WORDS)
    content = tuple(dict.fromkeys(w for w in words if w not in text.STOPWORDS))
    return SentenceTerms(span, folded, content, frozenset(terms), numbers)


class Matcher:
    """How well the words of one question are met by pieces of text: exactly (same stem) or softly (a synonym)."""

    def __init__(self, question: Question, corpus: Corpus, similarity: WordSimilarity) -> None:
        self.words = question.words
        # "out-of-distribution" is met by "distribution" and "out" however they are joined; "of" need not be there
        self._terms = [
            (text.word_terms(word)[0], *(text.stem(part) for part in word.split("-") if "-" in word and part and part not in text.STOPWORDS))
            for word in question.words
        ]
        self.rarity = np.array([corpus.rarity(word) for word in question.words])
        self._similarity = similarity
        self._vectors = similarity(list(question.words))

    def exact(self, terms: frozenset[str] | set[str]) -> NDArray[np.float64]:
        """1 for each word of the question that is met, 0 for the others."""
        return np.array([float(whole in terms or (bool(parts) and all(p in terms for p in parts))) for whole, *parts in self._terms])

    def soft(self, sentences: Sequence[SentenceTerms]) -> NDArray[np.float64]:
        """As `exact`, for each sentence, shape (sentences, words); for words that are not met how near the nearest word comes, 0 to 0.8."""
        met = np.stack([self.exact(sentence.terms) for sentence in sentences])
        there = list(dict.fromkeys(word for sentence in sentences for word in sentence.words))
        if not self.words or not there:
            return met
        near = 0.8 * np.clip((self._vectors @ self._similarity(there).T - 0.35) / 0.35, 0.0, 1.0)
        place = {word: column for column, word in enumerate(there)}
        for row, sentence in zip(met, sentences, strict=True):
            if sentence.words:
                np.maximum(row, near[:, [place[word] for word in sentence.words]].max(axis=1), out=row)
        return met

    def weighted(self, met: NDArray[np.float64]) -> float:
        """Share of the question that is met, each word counting by its rarity; 0 for a question without words."""
        total = float(self.rarity.sum())
        return float((self.rarity * met).sum()) / total if total else 0.0


def terms_of(paper: Paper) -> set[str]:
    """All terms of an abstract."""
    return set().union(*(s.terms for s in sentence_terms(paper.abstract)))


def anchors(question: Question, paper: Paper, matcher: Matcher) -> NDArray[np.bool_]:
    """Which words of the question name something: a method, or what the paper is called. One entry a word."""
    name = text.name_of(paper.abstract) or paper.label
    called = {w.text for w in text.words(text.fold(name).text)} if len(name.split()) <= 4 else set()
    return np.array([word in question.names or word in called for word in matcher.words], bool)


def is_anchored(question: Question, paper: Paper, matcher: Matcher) -> bool:
    """Does the question name something that stands in the paper?"""
    return bool((anchors(question, paper, matcher) & (matcher.exact(terms_of(paper)) > 0)).any())


FEATURES = (
    "cosine", "neighbour", "focus", "exact", "soft", "context", "local", "bigrams", "number_wanted", "number_missing", "defines", "introduces", "reason",
    "means", "enumerates", "counted", "finding", "contribution", "names_own", "lean_context", "entity", "result_wanted", "named", "proposes", "position", "first", "leans", "length",
)  # fmt: skip

_PROPOSES = re.compile(
    r"\b(?:we|this (?:paper|work|study|article)|our)\b.{0,60}\b(?:propose|introduce|present|develop|design|show|study|investigate|explore|formulate|devise|provide|release|establish|demonstrate)"
)
_REASON = re.compile(
    r"\b(?:because|due to|since|reason|caused?|leads? to|result(?:s|ing)? in|therefore|thus|owing to|hinder|limit|motivated|suffer|fail|lack|overlook|challenge|costly|in order to|so that|address)"
)
_MEANS = re.compile(
    r"\b(?:by|via|using|through|uses?|leverag\w+|based on|consists?|employ\w*|with a|algorithm|combin\w+|integrat\w+|first|then|mechanism|specifically|adopt\w*|formulat\w+)\b"
)
_ENUMERATION = re.compile(
    r"(?:\b(?:namely|including|include|such as|e\.g\.|i\.e\.|contains?|consists? of|:)|\([ivx]+\)|\b1\)).*|,[^,]+,? (?:and|or) "
)
_RESULT = re.compile(
    r"\b(?:outperform\w*|improv\w+|achiev\w+|experiment\w*|results?|evaluat\w+|reduc\w+|accelerat\w+|better|higher|lower|state-of-the-art|significant\w*|demonstrat\w+|faster|gains?|superior|comparable)\b"
)
_RESULT_ASKED = re.compile(
    r"\b(?:outperform\w*|improv\w+|achiev\w+|results?|perform\w*|reduc\w+|faster|speed\w*|gains?|better|accura\w+|compared?|baselines?|evaluat\w+|experiments?|benchmarks?|tested|datasets?|success|savings?|effective\w*|work(?:s|ed)? (?:well|better))\b"
)
_FINDING = re.compile(
    r"\b(?:find|found|show|reveal|demonstrate|observe|prove|confirm|suggest|indicate|discover|result|finding|experiment|can|allow|enable|without)\w*\b"
)
_ENTITY_ASKED = re.compile(
    r"\b(?:which|what|name|called|whose)\b.*\b(?:data ?sets?|benchmarks?|models?|architectures?|methods?|algorithms?|tools?|modules?|networks?|framework|system|corpus|corpora|llms?|languages?|tasks?|"
    r"metrics?|baselines?|competitors?|name|called|technique|loss|optimizers?|optimisers?|components?|robots?|simulators?|domains?|companies)\b"
)
_CAPITALISED = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w-]*[A-Za-z]\b")
_AVAILABILITY = re.compile(
    r"\b(?:code|codes|demos?|videos?|implementation|project page)\b.{0,60}\b(?:available|released|visit|found at|publicly)\b|https?://|github\.com"
)
_COUNT_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 7,
    "8": 8,
    "both": 2,
}
_LEANS = re.compile(
    r"^(?:it|its|this|these|that|those|they|their|such|here|hence|thus|however|moreover|furthermore|additionally|to (?:this|that) end|in (?:this|that) way|we (?:call|term|name|refer to|denote) (?:this|it|these|them))\b"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a paper that may answer. `score`: higher is more likely to hold what is asked, comparable within one paper and question
    (exp(score) is proportional to the probability that this sentence of the paper is the one).
    """

    paper: Paper
    index: int
    sentence: SentenceTerms
    features: NDArray[np.float64]
    score: float

    @property
    def quote(self) -> str:
        """The sentence, verbatim."""
        return self.paper.abstract[self.sentence.span.start : self.sentence.span.end]


def candidates(question: Question, asked: Vectors, paper: Paper, vectors: Vectors, matcher: Matcher, weights: NDArray[np.float64]) -> list[Candidate]:
    """Every sentence of a paper with its features and score, in order.

    `asked`: vectors of the question and of its focus, shape (2, dimensions); `vectors`: of the sentences, shape (sentences, dimensions);
    `weights`: shape (len(FEATURES),).
    """
    sentences = sentence_terms(paper.abstract)
    met = matcher.soft(sentences)
    view = _View(question, paper, sentences, vectors @ asked[0], vectors @ asked[1], met, matcher)
    found = []
    for i, sentence in enumerate(sentences):
        values = view.features(i)
        features = np.array([values[name] for name in FEATURES])
        found.append(Candidate(paper, i, sentence, features, float(features @ weights)))
    return found


@dataclass(frozen=True, slots=True)
class _View:
    """A paper as one question sees it. `met[i, j]`: how well sentence i meets word j of the question."""

    question: Question
    paper: Paper
    sentences: Sequence[SentenceTerms]
    cosines: NDArray[np.float32]
    focus: NDArray[np.float32]
    met: NDArray[np.float64]
    matcher: Matcher

    def features(self, i: int) -> dict[str, float]:
        question, s = self.question, self.sentences[i]
        kind = question.kind
        asked = question.text.lower()
        soft = self.met[i]
        before = self.met[i - 1] if i else np.zeros_like(soft)
        raw = self.paper.abstract[s.span.start : s.span.end]
        new_numbers = bool(s.numbers - question.numbers)
        reason = bool(_REASON.search(s.folded))
        local = self._local(i)
        return {
            "cosine": float(self.cosines[i]),
            "neighbour": max((float(self.cosines[j]) for j in (i - 1, i + 1) if 0 <= j < len(self.sentences)), default=0.0),
            "focus": float(self.focus[i]),
            "exact": self.matcher.weighted(self.matcher.exact(s.terms)),
            "soft": self.matcher.weighted(soft),
            "context": self.matcher.weighted(np.maximum(soft, before)) - self.matcher.weighted(soft),
            "local": local,
            "bigrams": _bigram_overlap(question, s),
            "number_wanted": float(question.wants_number and new_numbers),
            "number_missing": float(question.wants_number and not new_numbers),
            "defines": float(kind is Kind.DEFINITION and _defines(question, s.folded)),
            "introduces": float(kind is Kind.DEFINITION and bool(_PROPOSES.search(s.folded))),
            "reason": float(kind is Kind.WHY and reason),
            "means": float(kind is Kind.HOW and bool(_MEANS.search(s.folded))),
            "enumerates": float(kind is Kind.LIST and bool(_ENUMERATION.search(s.folded))),
            "counted": float(_holds_count(asked, s.folded)),
            "finding": float(kind is Kind.YES_NO and bool(_FINDING.search(s.folded))),
            "contribution": float(bool(_PROPOSES.search(s.folded))) * (1.0 - self.matcher.weighted(self.met.max(axis=0))),
            "names_own": float(i == self._first_named()) * (1.0 - self.matcher.weighted(self.met.max(axis=0))),
            "lean_context": float(bool(_LEANS.search(s.folded))) * self.matcher.weighted(before),
            "entity": float(bool(_ENTITY_ASKED.search(asked)) and _new_names(raw, question)),
            "result_wanted": float(bool(_RESULT_ASKED.search(asked)) and bool(_RESULT.search(s.folded))),
            "named": float(any(name in s.folded for name in question.names)),
            "proposes": float(bool(_PROPOSES.search(s.folded))),
            "position": i / max(1, len(self.sentences) - 1),
            "first": float(i == 0),
            "leans": float(bool(_LEANS.search(s.folded))),
            "length": math.log(max(3, len(s.words))) - 2.5,
        }

    def _first_named(self) -> int:
        """The sentence in which the paper names what it proposes; -1 if it names nothing."""
        name = text.name_of(self.paper.abstract)
        folded = text.fold(name).text if name else None
        return next((i for i, s in enumerate(self.sentences) if folded and folded in s.folded), -1)

    def _local(self, i: int) -> float:
        """Share of the question that sentence i meets, words that stand in many sentences of this paper counting less."""
        size = len(self.sentences)
        rarity = np.log((size + 1) / (self.met.sum(axis=0) + 0.5)) * self.matcher.rarity
        total = float(rarity.sum())
        return float((rarity * self.met[i]).sum()) / total if total > 0 else 0.0


_AVAILABILITY_ASKED = re.compile(
    r"\b(?:code|available|availability|link|github|repository|repo|url|download|released?|open.?source|website|demo|page|where)\b"
)


def is_beside_the_point(question: Question, folded: str) -> bool:
    """Does a sentence only say where the code is, when nobody asked?"""
    return bool(_AVAILABILITY.search(folded)) and not _AVAILABILITY_ASKED.search(question.text.lower())


def leans(folded: str) -> bool:
    """Does a sentence begin with a word that points back ("It", "This method", "To this end")?"""
    return bool(_LEANS.search(folded))


def _defines(question: Question, folded: str) -> bool:
    """Does a sentence say what the subject of the question is: "X is a", "X, a", "X (long form)", "long form (X)", "called X", "we propose X"?"""
    subject = r"[ -]+".join(re.escape(word) for word in question.words)
    if not subject:
        return False
    forms = (
        rf"\b{subject}\w*\"?,? (?:is|are|refers? to|means?|denotes?|stands for|consists?|- |which (?:is|are)|(?:an?|the) )",
        rf"\b{subject}\w*\"? ?[(:]",
        rf"\(\"?{subject}\w{{0,2}}\"?[),;]",
        rf"\b(?:called|termed|named|dubbed|known as|referred to as|defined as|coined|propos\w+|introduc\w+|present\w*|develop\w*) (?:the |an? |our )?\"?{subject}",
        rf"\b{subject}, an? \b",
    )
    return any(re.search(form, folded) for form in forms)


def _holds_count(asked: str, folded: str) -> bool:
    """A question for three things is answered by a sentence that says three, or lists three."""
    wanted = next((_COUNT_WORDS[w] for w in re.findall(r"[a-z]+|\d+", asked) if w in _COUNT_WORDS), None)
    if wanted is None:
        return False
    if any(_COUNT_WORDS.get(w) == wanted for w in re.findall(r"[a-z]+|\d+", folded)):
        return True
    listed = [len(re.findall(r",", m.group(1))) + 2 for m in re.finditer(r"((?:[^,;:.]+, ){0,9}[^,;:.]+),? and [^,;.]+", folded)]
    return wanted in listed


def _new_names(raw: str, question: Question) -> bool:
    asked = question.text.lower()
    return any(name.lower() not in asked for name in _CAPITALISED.findall(raw))


def _bigram_overlap(question: Question, sentence: SentenceTerms) -> float:
    asked = [text.stem(word) for word in question.words]
    pairs = set(zip(asked, asked[1:], strict=False))
    there = [text.stem(w.text) for w in text.words(sentence.folded)]
    return len(pairs & set(zip(there, there[1:], strict=False))) / len(pairs) if pairs else 0.0
