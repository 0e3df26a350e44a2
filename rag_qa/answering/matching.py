"""How well the words of a question are met by pieces of text: the same words, their stems, the long forms of short ones, synonyms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering.question import Question
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


NUMBER_WORDS = frozenset(
    """
    two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion
    half third quarter twice double triple
    """.split()
)


@lru_cache(maxsize=8192)
def sentence_terms(abstract: str) -> tuple[SentenceTerms, ...]:
    """The sentences of an abstract, compared forms."""
    short_forms = text.acronyms(abstract)
    return tuple(_sentence_terms(abstract, span, short_forms) for span in text.sentences(abstract))


def _sentence_terms(abstract: str, span: text.Span, short_forms: Mapping[str, tuple[str, ...]]) -> SentenceTerms:
    folded = text.fold(abstract[span.start : span.end]).text
    words = [w.text for w in text.words(folded)]
    terms = _with_long_forms(frozenset(term for word in words for term in text.word_terms(word)), short_forms)
    numbers = frozenset(w for w in words if w[0].isdigit() or w in NUMBER_WORDS)
    content = tuple(dict.fromkeys(w for w in words if w not in text.STOPWORDS))
    return SentenceTerms(span, folded, content, terms, numbers)


def _with_long_forms(terms: frozenset[str], short_forms: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Terms, and those of the long form where the short one stands, and the other way round."""
    for short, long in short_forms.items():
        short_term = text.stem(short)
        long_terms = {text.stem(word) for word in long if word not in text.STOPWORDS}
        if short_term in terms:
            terms |= long_terms
        elif long_terms and long_terms <= terms:
            terms |= {short_term}
    return terms


_UNRELATED, _SYNONYMS = 0.35, 0.7  # cosines of word vectors: up to the first two words have nothing in common, from the second on they mean the same
_SYNONYM_COUNTS = 0.8  # of a word that stands there itself


def _nearness(cosines: NDArray[np.float64] | Vectors) -> NDArray[np.float64]:
    """How much words of these cosines count for each other."""
    near: NDArray[np.float64] = _SYNONYM_COUNTS * np.clip((cosines - _UNRELATED) / (_SYNONYMS - _UNRELATED), 0.0, 1.0)
    return near


_SPLIT_FROM, _PART = 7, 3  # letters of a word that may be two, and of each


def _other_forms(question: Question) -> list[list[frozenset[str]]]:
    """For each word of a question the terms that are the same in another spelling: two words for one ("data sets" for "datasets"), and one for it and
    its neighbour.
    """
    there = [word.text for word in text.words(text.fold(question.text).text)]
    forms: dict[str, list[frozenset[str]]] = {word: [] for word in question.words}
    for word in question.words:
        if word.isalpha() and len(word) >= _SPLIT_FROM:
            borders = range(_PART, len(word) - _PART + 1)
            forms[word] += [frozenset({text.stem(word[:i]), text.stem(word[i:])}) for i in borders]
    for first, second in pairwise(there):
        if first in forms and second in forms and first.isalpha() and second.isalpha():
            for word in (first, second):
                forms[word].append(frozenset({text.stem(first + second)}))
    return [forms[word] for word in question.words]


class Matcher:
    """How well the words of one question are met by pieces of text: exactly (same stem) or softly (a synonym)."""

    def __init__(self, question: Question, corpus: Corpus, similarity: WordSimilarity) -> None:
        self.words = question.words
        # "out-of-distribution" is met by "distribution" and "out" however they are joined; "of" need not be there
        self._terms = [
            (text.word_terms(word)[0], *(text.stem(part) for part in word.split("-") if "-" in word and part and part not in text.STOPWORDS))
            for word in question.words
        ]
        self._other_forms = _other_forms(question)
        self.rarity = np.array([corpus.rarity(word) for word in question.words])
        self._similarity = similarity
        self._vectors = similarity(list(question.words))

    def exact(self, terms: frozenset[str] | set[str]) -> NDArray[np.float64]:
        """1 for each word of the question that is met, 0 for the others."""
        return np.array(
            [
                float(whole in terms or (bool(parts) and all(p in terms for p in parts)) or any(form <= terms for form in forms))
                for (whole, *parts), forms in zip(self._terms, self._other_forms, strict=True)
            ]
        )

    def soft(self, sentences: Sequence[SentenceTerms], near: Sequence[NDArray[np.float64]] | None = None) -> NDArray[np.float64]:
        """As `exact`, for each sentence, shape (sentences, words); for words that are not met how near the nearest word comes.

        `near`: what `word_by_word` gives, where it is known already.
        """
        met = np.stack([self.exact(sentence.terms) for sentence in sentences])
        for row, one in zip(met, self.word_by_word(sentences) if near is None else near, strict=True):
            if one.size:
                np.maximum(row, one.max(axis=1), out=row)
        return met

    def word_by_word(self, sentences: Sequence[SentenceTerms]) -> list[NDArray[np.float64]]:
        """For each sentence how near each of its content words comes to each word of the question, shape (words of the question, words)."""
        there = list(dict.fromkeys(word for sentence in sentences for word in sentence.words))
        if not self.words or not there:
            return [np.zeros((len(self.words), 0)) for _ in sentences]
        near = _nearness(self._vectors @ self._similarity(there).T)
        place = {word: column for column, word in enumerate(there)}
        return [near[:, [place[word] for word in sentence.words]] for sentence in sentences]

    def near(self, words: Sequence[str]) -> NDArray[np.float64]:
        """How near each of some folded words comes to each word of the question, shape (words of the question, words); 1 for the same stem."""
        found = _nearness(self._vectors @ self._similarity(list(words)).T)
        for column, word in enumerate(words):
            np.maximum(found[:, column], self.exact(frozenset(text.word_terms(word))), out=found[:, column])
        return found

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
    called = {text.stem(w.text) for w in text.words(text.fold(name).text)} if len(name.split()) <= 4 else set()
    return np.array([word in question.names or text.stem(word) in called for word in matcher.words], bool)


def is_anchored(question: Question, paper: Paper, matcher: Matcher) -> bool:
    """Does the question name something that stands in the paper?"""
    return bool((anchors(question, paper, matcher) & (matcher.exact(terms_of(paper)) > 0)).any())
