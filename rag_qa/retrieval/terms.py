"""Question -> what the keyword index is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from rag_qa import text

_PART = 0.5  # "k-means": the parts k and means count half of the whole
_ADDED = 0.4  # what a word counts that the question does not hold, but says otherwise
_LONGEST = 6  # words of a long form that are looked up
_MOST_OF_THEM = 0.5  # share of the papers that explain a short form which have to mean the same by it


class Dictionary(Protocol):
    """What the papers of a library say of words."""

    def document_frequency(self, term: str) -> int:
        """In how many papers a term stands."""
        ...

    def explained(self, form: str) -> Mapping[str, int]:
        """What a short form ("moe") stands for in the papers, or which short forms there are for a long one ("mixtur expert": stems without stop
        words): form -> how many papers explain it so.
        """
        ...


def query_terms(question: str) -> dict[str, float]:
    """What a question is searched by in the keyword index: term -> weight.

    >>> query_terms("What is k-means clustering?")
    {'kmean': 1.0, 'k': 0.5, 'mean': 0.5, 'cluster': 1.0}
    """
    weights: dict[str, float] = {}
    for word in text.content_words(question) or [w.text for w in text.words(text.fold(question).text)]:
        whole, *parts = text.word_terms(word)
        for term, weight in [(whole, 1.0), *((part, _PART) for part in parts)]:
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


@dataclass(frozen=True, slots=True)
class Added:
    """What is searched besides the words of a question. `label`: says what it is."""

    label: str
    terms: tuple[str, ...]


def added(question: str, dictionary: Dictionary) -> list[Added]:
    """The words of a short form that the papers explain, the short form of such words, and two words in one where the papers have it so ("data set":
    "dataset"). Nothing that the question holds itself.
    """
    asked = query_terms(question)
    words = [word.text for word in text.words(text.fold(question).text)]
    found = [*_explained(words, dictionary), *_joined(words, dictionary)]
    new = [Added(one.label, tuple(term for term in one.terms if term not in asked)) for one in found]
    return [one for one in dict.fromkeys(new) if one.terms]


def weights(also: Sequence[Added]) -> dict[str, float]:
    """Term -> weight.

    >>> weights([Added("moe spelled out", ("mixtur", "expert"))])
    {'mixtur': 0.4, 'expert': 0.4}
    """
    return {term: _ADDED for one in also for term in one.terms}


def _explained(words: Sequence[str], dictionary: Dictionary) -> Iterator[Added]:
    for word in words:
        if word not in text.STOPWORDS and (long := usual(dictionary.explained(text.word_terms(word)[0]))):
            yield Added(f"{word} spelled out", tuple(long.split()))
        elif word not in text.STOPWORDS and word.endswith("s") and (long := usual(dictionary.explained(word[:-1]))):
            yield from (Added(f"{word} spelled out", tuple(long.split())), Added(word[:-1], (word[:-1],)))
    for side_by_side in _neighbours([text.stem(part) for word in words for part in word.split("-") if part and part not in text.STOPWORDS]):
        if short := usual(dictionary.explained(side_by_side)):
            yield Added(short, (short,))
            yield from _plural(short, dictionary)


def _plural(short: str, dictionary: Dictionary) -> Iterator[Added]:
    """Of a short form, where the stemmer does not know it for one: LLMs."""
    plural = text.stem(f"{short}s")
    if plural != short and dictionary.document_frequency(plural):
        yield Added(plural, (plural,))


def _joined(words: Sequence[str], dictionary: Dictionary) -> Iterator[Added]:
    for one, other in pairwise(words):
        if one in text.STOPWORDS or other in text.STOPWORDS or "-" in one + other:
            continue
        term = text.stem(one + other)
        if dictionary.document_frequency(term):
            yield Added(one + other, (term,))


def _neighbours(parts: Sequence[str]) -> Iterator[str]:
    """Two and more words that stand side by side."""
    for start in range(len(parts)):
        for end in range(start + 2, min(start + _LONGEST, len(parts)) + 1):
            yield " ".join(parts[start:end])


def usual(explained: Mapping[str, int]) -> str:
    """The form that most papers give, or nothing where they do not agree.

    >>> usual({"mixtur expert": 3, "margin error": 1}), usual({"a b": 1, "c d": 1, "e f": 1}), usual({})
    ('mixtur expert', '', '')
    """
    best = min(explained, key=lambda form: (-explained[form], form), default="")
    return best if best and explained[best] >= _MOST_OF_THEM * sum(explained.values()) else ""
