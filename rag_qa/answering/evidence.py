"""Which sentences of the papers that were found speak to a question, and how strongly: features of (question, sentence) pairs, weighted.

Weights are fitted on development questions (see `python -m eval.fit`), never on the shipped question set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering.question import Kind, Question
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.text import any_of, any_word

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
    numbers = frozenset(w for w in words if w[0].isdigit() or w in _NUMBER_WORDS)
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
        """As `exact`, for each sentence, shape (sentences, words); for words that are not met how near the nearest word comes."""
        met = np.stack([self.exact(sentence.terms) for sentence in sentences])
        there = list(dict.fromkeys(word for sentence in sentences for word in sentence.words))
        if not self.words or not there:
            return met
        cosines = self._vectors @ self._similarity(there).T
        near = _SYNONYM_COUNTS * np.clip((cosines - _UNRELATED) / (_SYNONYMS - _UNRELATED), 0.0, 1.0)
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


FEATURES = tuple(
    """
    cosine neighbour focus
    exact soft context local bigrams
    number_wanted number_missing
    defines introduces reason means enumerates counted finding
    contribution names_own lean_context
    entity result_wanted named proposes
    position first leans length
    """.split()
)
"""Names of the features of a sentence; what each is stands in `_View`."""

# ------------------------------------------------------------------------------------------------------------- word lists
# They see folded text. A word without its end stands for all that begin so.

_PROPOSES = re.compile(
    r"\b(?:we|our|this (?:paper|work|study|article))\b.{0,60}\b"
    + any_of(
        "propose|introduce|present|devise|formulate",
        "develop|design|establish",
        "provide|release",
        "show|demonstrate|study|investigate|explore",
    )
)
_REASON = re.compile(
    r"\b"
    + any_of(
        "because|since|due to|owing to|therefore|thus|reason|caused?|motivated",
        "leads? to|result(?:s|ing)? in",
        "in order to|so that|address",
        "hinder|limit|suffer|fail|lack|overlook|challenge|costly",
    )
)
_MEANS = re.compile(
    any_word(
        "by|via|through|using|uses?|with a|based on",
        "first|then|specifically|consists?",
        r"algorithm|mechanism|leverag\w+|employ\w*|adopt\w*|combin\w+|integrat\w+|formulat\w+",
    )
)
# a word that opens a list, or the marks of one: "(i)", "1)", "a, b and c"
_ENUMERATION = re.compile(
    any_of(
        r"\b(?:namely|including|include|such as|e\.g\.|i\.e\.|contains?|consists? of|:)",
        r"\([ivx]+\)|\b1\)",
    )
    + r".*|,[^,]+,? (?:and|or) "
)
_RESULT = re.compile(
    any_word(
        r"results?|experiment\w*|evaluat\w+|demonstrat\w+",
        r"outperform\w*|improv\w+|achiev\w+|reduc\w+|accelerat\w+|gains?",
        r"better|higher|lower|faster|superior|comparable|state-of-the-art|significant\w*",
    )
)
_RESULT_ASKED = re.compile(
    any_word(
        r"results?|experiments?|evaluat\w+|tested|benchmarks?|datasets?|compared?|baselines?",
        r"outperform\w*|improv\w+|achiev\w+|perform\w*|reduc\w+|gains?|savings?|success",
        r"better|faster|speed\w*|accura\w+|effective\w*|work(?:s|ed)? (?:well|better)",
    )
)
_FINDING = re.compile(
    r"\b"
    + any_of(
        "find|found|finding|show|reveal|demonstrate|observe|discover|result|experiment",
        "prove|confirm|suggest|indicate",
        "can|allow|enable|without",
    )
    + r"\w*\b"
)
_ENTITY_ASKED = re.compile(
    r"\b(?:which|what|name|called|whose)\b.*"
    + any_word(
        "name|called|data ?sets?|corpus|corpora|languages?|domains?|tasks?|benchmarks?|metrics?|baselines?|competitors?",
        "models?|llms?|architectures?|networks?|modules?|components?",
        "methods?|algorithms?|technique|loss|optimizers?|optimisers?",
        "tools?|framework|system|simulators?|robots?|companies",
    )
)
_AVAILABILITY = re.compile(
    r"\b(?:codes?|demos?|videos?|implementation|project page)\b.{0,60}\b(?:available|publicly|released|visit|found at)\b|https?://|github\.com"
)
_AVAILABILITY_ASKED = re.compile(
    any_word(
        "code|open.?source|demo|website|page|link|url|repo|repository|github",
        "available|availability|released?|download|where",
    )
)
_LEANS = re.compile(
    "^"
    + any_of(
        "it|its|they|their|this|these|that|those|such",
        "here|hence|thus|however|moreover|furthermore|additionally",
        "to (?:this|that) end|in (?:this|that) way",
        "we (?:call|term|name|refer to|denote) (?:this|it|these|them)",
    )
    + r"\b"
)
_CAPITALISED = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w-]*[A-Za-z]\b")
_COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, **{str(n): n for n in range(2, 9)}}
_NAMED_AS = any_of(
    "called|termed|named|dubbed|coined|known as|referred to as|defined as",
    r"propos\w+|introduc\w+|present\w*|develop\w*",
)


# ------------------------------------------------------------------------------------------------------------- candidates


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
        """Features of sentence i by name; most lie between 0 and 1."""
        return {**self._meaning(i), **self._words_met(i), **self._kind_met(i), **self._proposal(i), **self._asked_for(i), **self._form(i)}

    def _meaning(self, i: int) -> dict[str, float]:
        """How close a sentence, and the nearer of its neighbours, come to the question."""
        around = [float(self.cosines[j]) for j in (i - 1, i + 1) if 0 <= j < len(self.sentences)]
        return {"cosine": float(self.cosines[i]), "neighbour": max(around, default=0.0), "focus": float(self.focus[i])}

    def _words_met(self, i: int) -> dict[str, float]:
        """Which share of the question's words a sentence meets, alone and (`context`) how much more with the one before it."""
        alone = self.matcher.weighted(self.met[i])
        return {
            "exact": self.matcher.weighted(self.matcher.exact(self.sentences[i].terms)),
            "soft": alone,
            "context": self.matcher.weighted(np.maximum(self.met[i], self._before(i))) - alone,
            "local": self._local(i),
            "bigrams": _bigram_overlap(self.question, self.sentences[i]),
        }

    def _kind_met(self, i: int) -> dict[str, float]:
        """Does a sentence speak in the way in which questions of this kind are answered?"""
        folded, kind = self.sentences[i].folded, self.question.kind
        new_number = bool(self.sentences[i].numbers - self.question.numbers)
        return {
            "number_wanted": float(self.question.wants_number and new_number),
            "number_missing": float(self.question.wants_number and not new_number),
            "defines": float(kind is Kind.DEFINITION and _defines(self.question, folded)),
            "introduces": float(kind is Kind.DEFINITION and bool(_PROPOSES.search(folded))),
            "reason": float(kind is Kind.WHY and bool(_REASON.search(folded))),
            "means": float(kind is Kind.HOW and bool(_MEANS.search(folded))),
            "enumerates": float(kind is Kind.LIST and bool(_ENUMERATION.search(folded))),
            "counted": float(_holds_count(self.question.text.lower(), folded)),
            "finding": float(kind is Kind.YES_NO and bool(_FINDING.search(folded))),
        }

    def _proposal(self, i: int) -> dict[str, float]:
        """Does a sentence say what the paper proposes? That matters the more, the fewer of the question's words the paper holds."""
        folded = self.sentences[i].folded
        proposes = float(bool(_PROPOSES.search(folded)))
        absent = 1.0 - self.matcher.weighted(self.met.max(axis=0))
        return {
            "proposes": proposes,
            "contribution": proposes * absent,
            "names_own": float(i == self._first_named()) * absent,
            "lean_context": float(leans(folded)) * self.matcher.weighted(self._before(i)),
        }

    def _asked_for(self, i: int) -> dict[str, float]:
        """Does a sentence hold a name or a result where one is asked for, and does it speak of the method that the question names?"""
        asked, folded = self.question.text.lower(), self.sentences[i].folded
        span = self.sentences[i].span
        return {
            "entity": float(bool(_ENTITY_ASKED.search(asked)) and _new_names(self.paper.abstract[span.start : span.end], self.question)),
            "result_wanted": float(bool(_RESULT_ASKED.search(asked)) and bool(_RESULT.search(folded))),
            "named": float(any(name in folded for name in self.question.names)),
        }

    def _form(self, i: int) -> dict[str, float]:
        """Where a sentence stands, how it begins, and how long it is."""
        sentence = self.sentences[i]
        return {
            "position": i / max(1, len(self.sentences) - 1),
            "first": float(i == 0),
            "leans": float(leans(sentence.folded)),
            "length": math.log(max(3, len(sentence.words))) - 2.5,
        }

    def _before(self, i: int) -> NDArray[np.float64]:
        return self.met[i - 1] if i else np.zeros_like(self.met[i])

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
        rf"\b{_NAMED_AS} (?:the |an? |our )?\"?{subject}",
        rf"\b{subject}, an? \b",
    )
    return any(re.search(form, folded) for form in forms)


def _holds_count(asked: str, folded: str) -> bool:
    """A question for three things is answered by a sentence that says three, or lists three."""
    wanted = next(iter(_counts_in(asked)), None)
    return wanted is not None and (wanted in _counts_in(folded) or wanted in _lengths_of_lists(folded))


def _counts_in(folded: str) -> list[int]:
    return [_COUNTS[word] for word in re.findall(r"[a-z]+|\d+", folded) if word in _COUNTS]


def _lengths_of_lists(folded: str) -> list[int]:
    """How many things each enumeration holds.

    >>> _lengths_of_lists("it learns shape, colour, and size")
    [3]
    """
    return [match.group(1).count(",") + 2 for match in re.finditer(r"((?:[^,;:.]+, ){0,9}[^,;:.]+),? and [^,;.]+", folded)]


def _new_names(raw: str, question: Question) -> bool:
    """Does a sentence hold a capitalised word, not at its beginning, that the question does not hold?"""
    asked = question.text.lower()
    return any(name.lower() not in asked for name in _CAPITALISED.findall(raw))


def _bigram_overlap(question: Question, sentence: SentenceTerms) -> float:
    """Share of the neighbouring content words of the question that are neighbours in the sentence; 0 for a question of one word."""
    pairs = set(pairwise(text.stem(word) for word in question.words))
    there = set(pairwise(text.stem(word.text) for word in text.words(sentence.folded)))
    return len(pairs & there) / len(pairs) if pairs else 0.0
