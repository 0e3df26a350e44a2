"""A small model that reads a question and an abstract together, word by word: is it about this paper, does the abstract say what is asked, and where?

It is all-MiniLM-L6-v2 made to read both at once, fitted by `eval.fit_comprehension` on questions by hand over other abstracts than any that the
product is measured on. Works with no key and no network.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_qa import onnx_door, text

MODEL = ("rag_qa", "comprehension.onnx", "da246cf34e0085893e3e728adcb50d8022a9243468eb5629a60c4147dc824c7e")
"""(package, file in it, sha256): token scores and scores of the pair, from the tokens of both."""

MOST_OF_QUESTION, WINDOW = 64, 400
"""Tokens of a question, and of question and abstract together, that the model was fitted to read."""
SPECIAL_TOKENS = 3
"""[CLS] question [SEP] abstract [SEP]"""

_CLS, _SEP = 101, 102
_REMEMBERED = 4096  # pairs: a question is read again for each of its parts, and for each turn that asks for more

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comprehended:
    """What the model makes of a question and an abstract. `about`: log-odds that the question is about this paper; `says`: that the abstract says
    what is asked. `sentences`: shape (sentences of the abstract,), exp of it is proportional to the probability that this one answers.
    """

    about: float
    says: float
    sentences: Array

    @property
    def shares(self) -> Array:
        """Probability of each sentence to be the one that answers, if one does. Of those of which no word was read, one is as likely as another.

        >>> Comprehended(0.0, 0.0, np.array([1.0, 1.0])).shares.tolist(), Comprehended(0.0, 0.0, np.full(2, -np.inf)).shares.tolist()
        ([0.5, 0.5], [0.5, 0.5])
        """
        most = self.sentences.max(initial=-np.inf)
        odds = np.exp(self.sentences - most) if np.isfinite(most) else np.ones_like(self.sentences)
        shares: Array = odds / odds.sum()
        return shares


class Comprehension:
    """Reads pairs of question and abstract. Loaded when it is first used. Safe to use from several threads. `model`: another than the shipped one."""

    def __init__(self, model: Path | None = None) -> None:
        self._model = model
        self._threads = onnx_door.cores()
        self._known: OrderedDict[tuple[str, str], Comprehended] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, question: str, abstracts: Sequence[str]) -> list[Comprehended]:
        """What it makes of the question with each abstract. The same pair gives the same, whatever it is read together with."""
        question = text.joined(question)
        with self._lock:
            found = {one: self._known[question, one] for one in abstracts if (question, one) in self._known}
        new = [one for one in dict.fromkeys(abstracts) if one not in found]
        found |= zip(new, self._computed(question, new), strict=True)
        with self._lock:
            self._known.update({(question, one): found[one] for one in new})
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return [found[one] for one in abstracts]

    def _computed(self, question: str, abstracts: Sequence[str]) -> list[Comprehended]:
        """Abstracts side by side leave no core idle."""
        if min(len(abstracts), self._threads) < 2:
            return [self._pair(question, one) for one in abstracts]
        _ = self._session  # opened once, and not by each thread
        with ThreadPoolExecutor(self._threads, thread_name_prefix="comprehension") as pool:
            return list(pool.map(lambda one: self._pair(question, one), abstracts))

    def _pair(self, question: str, abstract: str) -> Comprehended:
        asked, said, sentence_of = tokens_of(question, abstract)
        scores, pairs = np.full(len(text.sentences(abstract)), -np.inf), []
        for start, end in windows(sentence_of, WINDOW - SPECIAL_TOKENS - len(asked)):
            tokens, pair = self._run(asked, said[start:end])
            pairs.append(pair)
            by_sentence(tokens, sentence_of[start:end], scores)
        about, says = np.max(pairs, axis=0) if pairs else (-np.inf, -np.inf)
        return Comprehended(float(about), float(says), scores)

    def _run(self, asked: Sequence[int], said: Sequence[int]) -> tuple[Array, Array]:
        """(scores of the tokens of the abstract, shape (tokens, 2); scores of the pair, shape (2,))."""
        ids, types = (np.array([one], np.int64) for one in joined(asked, said))
        tokens, pair = self._session.run(None, {"input_ids": ids, "token_type_ids": types})
        return np.asarray(tokens[0, -len(said) - 1 : -1], np.float64), np.asarray(pair[0], np.float64)

    @cached_property
    def _session(self) -> onnx_door.Session:
        return onnx_door.session(self._model or onnx_door.checked(*MODEL), threads=1)


@cache
def shared() -> Comprehension:
    """The one of this process: it is loaded once, however many libraries are open."""
    return Comprehension()


def tokens_of(question: str, abstract: str) -> tuple[list[int], list[int], list[int]]:
    """(tokens of the question, as many as are read; tokens of the abstract; the sentence of each of these)."""
    tokenizer = onnx_door.tokenizer()
    asked: list[int] = tokenizer.encode(question, add_special_tokens=False).ids[:MOST_OF_QUESTION]
    said = tokenizer.encode(abstract, add_special_tokens=False)
    starts = np.array([start for start, _ in said.offsets], np.int64)
    sentences = np.array([span.start for span in text.sentences(abstract)], np.int64)
    places = np.maximum(np.searchsorted(sentences, starts, side="right") - 1, 0)
    return asked, list(said.ids), [int(place) for place in places]


def joined(asked: Sequence[int], said: Sequence[int]) -> tuple[list[int], list[int]]:
    """(tokens of both as the model reads them, which of them belong to what is said).

    >>> joined([7], [8, 9])
    ([101, 7, 102, 8, 9, 102], [0, 0, 0, 1, 1, 1])
    """
    return [_CLS, *asked, _SEP, *said, _SEP], [0] * (len(asked) + 2) + [1] * (len(said) + 1)


def windows(sentence_of: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Parts of a text of at most `room` tokens, as (first token, the one after the last): whole sentences, as many as fit. `sentence_of`: the
    sentence of each token. A sentence that is too long for a window is read as far as it fits.

    >>> windows([0, 0, 0, 1, 1, 2, 2, 2], 5)
    [(0, 5), (5, 8)]
    """
    borders = [i for i, one in enumerate(sentence_of) if i and one != sentence_of[i - 1]] + [len(sentence_of)]
    found: list[tuple[int, int]] = []
    start = end = 0
    for border in borders:
        if border - start > room and end > start:
            found.append((start, end))
            start = end
        end = border
    found.append((start, end))
    return [(first, min(last, first + room)) for first, last in found if last > first]


def by_sentence(tokens: Array, sentence_of: Sequence[int], scores: Array) -> None:
    """Writes the score of each sentence that the tokens belong to: the mean of their first score and the greatest second one.

    >>> scores = np.zeros(3)
    >>> by_sentence(np.array([[1.0, 0.0], [3.0, 5.0], [0.0, 1.0]]), [0, 0, 2], scores)
    >>> scores.tolist()
    [7.0, 0.0, 1.0]
    """
    places = np.asarray(sentence_of)
    for one in set(sentence_of):
        own = tokens[places == one]
        scores[one] = own[:, 0].mean() + own[:, 1].max()
