"""What is compared when a sentence of an answer is checked: the claim, the sentences of an abstract, and how well these cover it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering.evidence import SentenceTerms, WordSimilarity, sentence_terms
from rag_qa.papers import Paper
from rag_qa.quantities import lists_as_many, quantities
from rag_qa.statements import Statement, are_opposite, is_alike_to_one, statement

MET = 0.4
"""A word whose best match is below this is missing."""
MET_EXACTLY = 0.85
"""From here on a word itself is there, or one that research prose uses for it; below, only one that is near by its vector."""

_MOST_SENTENCES = 3  # sentences of evidence
_FURTHER_SENTENCE_ADDS = 0.08  # each further sentence of evidence must cover this much more

Met = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a claim that tells something. `at`: where it begins in the folded claim; names and numbers have no synonyms. `value`: of a number."""

    text: str
    terms: tuple[str, ...]
    weight: float
    at: int
    has_synonyms: bool
    is_denied: bool
    value: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer. `names`: as written, those of methods, data sets, people."""

    sentence: str
    said: Statement
    words: tuple[Word, ...]
    weights: NDArray[np.float64]
    names: tuple[str, ...]

    def without(self, names: Sequence[str]) -> Claim:
        """The claim with some names left out."""
        kept = [token for token in self.sentence.split() if not any(name in token for name in names)]
        return claim(" ".join(kept)) if names else self


@dataclass(frozen=True, slots=True)
class AbstractSentence:
    """A sentence of an abstract."""

    terms: SentenceTerms
    said: Statement
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class View:
    """A claim held against a paper. `chosen`: places of the sentences that cover most of it together, best first; `met`: how well each word of the
    claim is met by them, 0 to 1; `each`: by every sentence, shape (sentences, words); `coverage`: the share of the claim's weight that is met.
    """

    claim: Claim
    paper: Paper
    sentences: Sequence[AbstractSentence]
    places: Sequence[int]
    met: Met
    each: Met
    coverage: float
    similarity: WordSimilarity | None

    @property
    def chosen(self) -> list[AbstractSentence]:
        """The sentences that cover most of the claim together, best first."""
        return [self.sentences[i] for i in self.places]

    def missing(self, among: Sequence[int] | None = None) -> list[str]:
        """Words of the claim that are not met; `among`: places of the words to look at."""
        return [self.claim.words[i].text for i in self.missing_places(range(len(self.claim.words)) if among is None else among)]

    def missing_places(self, among: Sequence[int]) -> list[int]:
        """Places of the words of the claim that are not met."""
        return [i for i in among if self.met[i] < MET]

    def share(self, among: Sequence[int]) -> float:
        """Share that is met of the weight of some words of the claim."""
        return share(self.met[list(among)], self.claim.weights[list(among)])

    def likeness(self, one: Sequence[str], other: Sequence[str]) -> float:
        """Cosine of the two nearest words of two groups; 1 where it is not known."""
        return float((self.similarity(one) @ self.similarity(other).T).max()) if self.similarity else 1.0


def view(made: Claim, paper: Paper, similarity: WordSimilarity | None) -> View | None:
    """Hold a claim against a paper; None if the abstract has no sentence."""
    sentences = sentences_of(paper.abstract)
    if not sentences:
        return None
    met = _met(made, sentences, similarity)
    places = _chosen(met, made.weights)
    joint: Met = met[places].max(axis=0)
    return View(made, paper, sentences, places, joint, met, share(joint, made.weights), similarity)


def may_cover(made: Claim, paper: Paper) -> bool:
    """Quick look: is half of the claim there, word for word?"""
    there: frozenset[str] = frozenset().union(*(sentence.terms.terms for sentence in sentences_of(paper.abstract)))
    return share(np.array([float(word.terms[0] in there) for word in made.words]), made.weights) >= 0.5


def share(met: Met, weights: NDArray[np.float64]) -> float:
    """Share of the weight that is met; 0 where there is none."""
    total = float(weights.sum())
    return float((met * weights).sum()) / total if total else 0.0


# ---------------------------------------------------------------------------------------------------------- taking apart

COMMON = frozenset(
    """method methods approach approaches model models result results performance task tasks data show shows also new based according author
    authors paper abstract study work propose proposes proposed introduce introduces introduced present presents presented demonstrate
    demonstrates demonstrated find finds found achieve achieves achieved called name named framework technique various different several
    particular specifically namely fact order via thus therefore instead already whose currently existing previous prior even good look looks looked
    ones run runs running way ways case cases put puts keep keeps become becomes let lets help helps big lot lots whole others""".split()
)
"""Words that a sentence about a paper has anyway: they tell little."""
_ANSWER = re.compile(r"^(?:yes|no)[,.;:–—-]+\s+(?=\S)", re.IGNORECASE)
_DENYING = frozenset("never cannot without neither nor none hardly".split())


@lru_cache(maxsize=2048)
def claim(sentence: str) -> Claim:
    """Take a sentence of an answer apart."""
    plain = _ANSWER.sub("", " ".join(sentence.split()))
    said = statement(text.fold(plain).text)
    denied = {said.tokens[i].start for i in said.denied}
    capitals = {text.fold(token).text for token in _capitalised(plain)}
    values = {at: q.value for q in said.quantities for at in range(q.start, q.end)}
    counts = {at for q in said.quantities for at in range(q.start, q.end) if lists_as_many(said.folded, q)}
    words: dict[str, Word] = {}
    for word in text.words(said.folded):
        if word.start not in counts and word.text not in text.STOPWORDS and word.text not in _DENYING and word.text not in words:
            value = values.get(word.start, "")
            fixed = bool(value) or any(c.isdigit() for c in word.text) or word.text in capitals
            words[word.text] = Word(word.text, text.word_terms(word.text), _weight(word.text), word.start, not fixed, word.start in denied, value)
    found = tuple(words.values())
    return Claim(plain, said, found, np.array([word.weight for word in found]), tuple(names(plain)))


def _weight(word: str) -> float:
    if word in COMMON or word in text.QUESTION_WORDS:
        return 0.4
    return 1.5 if any(c.isdigit() for c in word) or "-" in word else 1.0


@lru_cache(maxsize=1024)
def sentences_of(abstract: str) -> tuple[AbstractSentence, ...]:
    """The sentences of an abstract, taken apart."""
    said = ((terms, statement(terms.folded)) for terms in sentence_terms(abstract))
    return tuple(AbstractSentence(terms, one, one.stems) for terms, one in said)


# --------------------------------------------------------------------------------------------------------------- covering


def _met(made: Claim, sentences: Sequence[AbstractSentence], similarity: WordSimilarity | None) -> Met:
    """How well each sentence meets each word of the claim, 0 to 1; shape (sentences, words)."""
    met = np.array([[_exact(word, sentence) for word in made.words] for sentence in sentences])
    there = list(dict.fromkeys(word for sentence in sentences for word in sentence.terms.words))
    if similarity is None or not there:
        return met
    near = 0.8 * np.clip((similarity([word.text for word in made.words]) @ similarity(there).T - 0.35) / 0.35, 0.0, 1.0)
    near[[not word.has_synonyms for word in made.words]] = 0.0
    place = {word: column for column, word in enumerate(there)}
    for row, sentence in zip(met, sentences, strict=True):
        if sentence.terms.words:
            np.maximum(row, near[:, [place[word] for word in sentence.terms.words]].max(axis=1), out=row)
    return met


def _exact(word: Word, sentence: AbstractSentence) -> float:
    whole, *parts = word.terms
    there = sentence.terms.terms
    if whole in there or (parts and all(part in there for part in parts)):
        return 1.0
    if not word.has_synonyms:
        return float(bool(word.value) and any(quantity.value == word.value for quantity in sentence.said.quantities))
    stems = sentence.stems
    alike = is_alike_to_one(whole, stems) or (word.is_denied and any(are_opposite(whole, stem) for stem in stems))
    return MET_EXACTLY if alike else 0.0


def _chosen(met: Met, weights: NDArray[np.float64]) -> list[int]:
    """The sentence that covers most, and further ones as long as each adds enough; best first."""
    chosen = [int(np.argmax(met @ weights))]
    while len(chosen) < min(_MOST_SENTENCES, len(met)):
        there = met[chosen].max(axis=0)
        covered = [share(np.maximum(there, row), weights) for row in met]
        best = int(np.argmax(covered))
        if covered[best] - share(there, weights) < _FURTHER_SENTENCE_ADDS:
            break
        chosen.append(best)
    return chosen


# ------------------------------------------------------------------------------------------------------------------ names

_STRIPPED = "\"'“”‘’()[]{},.;:*!?"


def names(sentence: str) -> list[str]:
    """Names of methods, data sets, models, people in a sentence, as written: what has a capital and does not owe it to the place where it stands.

    >>> names("NetMoE beats GPT-4o and the Newton method by 2 points on 125K samples.")
    ['NetMoE', 'GPT-4o', 'Newton']
    """
    tokens = [_plain(token) for token in sentence.split()]
    named = [*(token for token in tokens if text.is_name(token)), *_capitalised(sentence)]
    return list(dict.fromkeys(name for name in named if not (name[0].isdigit() and quantities(text.fold(name).text))))


def _capitalised(sentence: str) -> list[str]:
    """Words with a capital that do not begin the sentence or a part of it."""
    raw = sentence.split()
    pairs = ((before, _plain(token)) for before, token in pairwise(raw))
    return [token for before, token in pairs if before[-1] not in ".:!?" and token[:1].isupper() and len(token) > 1]


def _plain(token: str) -> str:
    return token.strip(_STRIPPED).removesuffix("'s").removesuffix("’s")


def name_stands(name: str, paper: Paper) -> bool:
    """Does a paper hold a name, as it is written or, for a plain word with a capital, in another form ("Transformers" for "transformer")?"""
    whole = f"{paper.title}\n\n{paper.abstract}" if paper.title else paper.abstract
    wanted = text.fold(name).text
    forms = {wanted, wanted.removesuffix("s"), wanted.replace("-", " "), wanted.replace("-", "")}
    if any(re.search(rf"(?<![^\W_]){re.escape(form)}", text.fold(whole).text) for form in forms if form):
        return True
    return not text.is_name(name) and (text.word_terms(wanted)[-1] in _stems(whole) or _is_spelled_out(wanted, whole))


@lru_cache(maxsize=1024)
def _stems(whole: str) -> frozenset[str]:
    return frozenset(text.terms(whole))


def _is_spelled_out(word: str, whole: str) -> bool:
    """May a capital be that of a long form ("Language" for LLM), of which the paper has the letters only?"""
    return any(word[0].upper() in short for short in re.findall(r"\b[A-Z]{2,6}(?=s?\b)", whole))
