"""How sure we are that the papers that were found answer a question: from evidence, not from one similarity.

Questions come in two kinds. One names something that stands in the best paper (a method, a rare word): then what else it asks about must be
there too, and a word that is missing tells. The other describes a need in its own words: then only meaning can tell. Each kind has its own weights.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import demands, evidence
from rag_qa.answering.evidence import Candidate, Corpus, Matcher
from rag_qa.answering.question import Kind, Question
from rag_qa.retrieval.hits import Hit
from rag_qa.text import any_word

MET = 0.4
"""A word whose best (soft) match is below this counts as missing."""

FEATURES = tuple(
    """
    paper margin best_cosine third_cosine focus_cosine
    exact soft soft_answer rest rest_sentence head head_answer
    missing missing_rarity pairs
    unmet no_number wrong_unit number_apart no_name name_far unknown_name
    sentence_score words
    listing_gap how_gap mostly_missing all_missing
    """.split()
)
"""Names of the features of a question and what was found for it; what each is stands in the functions that make them, below."""

_COSINE = evidence.FEATURES.index("cosine")

# ------------------------------------------------------------------------------------------------------------- word lists

_SHARES = re.compile(any_word(r"percent\w*|share|fraction|proportion|portion|rate|accurac\w*"))
_FACTORS = re.compile(any_word("factor|times|fold", "faster|quicker|speed-?ups?", "smaller|larger|bigger"))
_HOLDS_A_SHARE = re.compile(r"\d ?%|\d percent|\d\.\d|\d/\d|\bhalf\b|\bthirds?\b|\bquarter\b")
_HOLDS_A_FACTOR = re.compile(r"\d|\btwice\b|\bhalf\b|orders? of magnitude")
_LACKING = 0.5  # what remains of the confidence when a demand is not met
# Content words between which the length of a question counts: a long one is less similar to a sentence that answers it, a very short one is a topic.
_SHORT_QUESTION, _LONG_QUESTION = 4, 12
# Capitals that name nothing in particular: words of the field, and the numbers of a list.
_FIELD_ACRONYMS = frozenset(
    """
    ai ml nlp rl rlhf ssl fl dp qa rag api url
    lm lms llm llms vlm vlms vit mlp mlps cnn cnns rnn rnns gnn gnns dnn dnns
    cpu cpus gpu gpus tpu
    sgd mdp mse kl id ood sota 2d 3d
    i ii iii
    """.split()
)

# ------------------------------------------------------------------------------------------------------------- judging


@dataclass(frozen=True, slots=True)
class Assessment:
    """`anchored`: the question names something that stands in the best paper. `missing`: its words that do not, most telling first."""

    confidence: float
    anchored: bool
    missing: tuple[str, ...]
    unmet: str | None
    features: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what was found for it, and what would be answered. `best`: all sentences of the best paper, `chosen`: those that would answer;
    `focus_cosines`: of the sentences of the best paper to the question without the names in it.
    """

    question: Question
    hits: Sequence[Hit]
    best: Sequence[Candidate]
    chosen: Sequence[Candidate]
    focus_cosines: NDArray[np.float32]
    matcher: Matcher
    corpus: Corpus


def assess(case: Case, weights: Mapping[str, NDArray[np.float64]]) -> Assessment:
    """Judge an answer before it is given. `weights`: for "anchored" and "free" questions, shape (len(FEATURES) + 1,), the last one the bias."""
    met = _met(case)
    anchored = evidence.is_anchored(case.question, case.best[0].paper, case.matcher)
    values = {**_closeness(case), **_coverage(case, met), **_gaps(case, met), **_numbers(case, met), **_names(case, met), **_kinds(case, met)}
    features = np.array([values[name] for name in FEATURES])
    weight = weights["anchored" if anchored else "free"]
    confidence = float(1.0 / (1.0 + np.exp(-(features @ weight[:-1] + weight[-1]))))
    if met.unmet:
        # no weight can make up for it: the abstract does not hold the kind of thing that is asked for
        confidence *= _LACKING
    missing = sorted(np.flatnonzero(met.soft < MET), key=lambda i: -case.matcher.rarity[i])
    return Assessment(round(confidence, 6), anchored, tuple(case.matcher.words[i] for i in missing), met.unmet, features)


@dataclass(frozen=True, slots=True)
class _Met:
    """How the best paper meets the words of the question; arrays have one entry a word, `sentences` one such row a sentence.

    `rest`: words that name nothing. `head`: words of the phrase after the question word. `exact`, `soft`: how well the paper meets each word,
    `answer`: the chosen sentences. `missing`: words of the rest that are not met. `unmet`: what the question demands and the paper lacks.
    """

    rest: NDArray[np.bool_]
    head: NDArray[np.bool_]
    exact: NDArray[np.float64]
    soft: NDArray[np.float64]
    answer: NDArray[np.float64]
    sentences: NDArray[np.float64]
    missing: NDArray[np.bool_]
    unmet: str | None
    demand_met: bool

    @property
    def missing_share(self) -> float:
        """Share of the words that are missing; 1 for a question without words."""
        return float(self.missing.mean()) if self.missing.size else 1.0


def _met(case: Case) -> _Met:
    question, matcher = case.question, case.matcher
    sentences = [candidate.sentence for candidate in case.best]
    asked, read = text.fold(question.text).text, [sentence.folded for sentence in sentences]
    by_sentence = matcher.soft(sentences)
    soft = by_sentence.max(axis=0)
    rest = ~evidence.anchors(question, case.best[0].paper, matcher)
    head = np.array([word in question.head for word in matcher.words], bool)
    demand_met = demands.met(asked, read)
    return _Met(
        rest=rest,
        head=head,
        exact=matcher.exact({term for sentence in sentences for term in sentence.terms}),
        soft=soft,
        answer=by_sentence[[_place(case.best, candidate) for candidate in case.chosen]].max(axis=0),
        sentences=by_sentence,
        # "people" in "how many people took part" is met by whatever meets the demand for participants
        missing=(soft < MET) & rest & ~(head & demand_met),
        unmet=demands.unmet(asked, read),
        demand_met=demand_met,
    )


def _place(candidates: Sequence[Candidate], one: Candidate) -> int:
    return next(i for i, candidate in enumerate(candidates) if candidate.index == one.index)


# ------------------------------------------------------------------------------------------------------------- features


def _closeness(case: Case) -> dict[str, float]:
    """How far up the best paper ranks and how far it leads, and how close its sentences come to the question."""
    first, *others = case.hits
    cosines = np.sort([candidate.features[_COSINE] for candidate in case.best])[::-1]
    return {
        "paper": first.score,
        "margin": first.score - (others[0].score if others else 0.0),
        "best_cosine": float(cosines[0]),
        "third_cosine": float(cosines[min(2, len(cosines) - 1)]),
        "focus_cosine": float(case.focus_cosines.max()),
        "sentence_score": max(candidate.score for candidate in case.chosen),
        "words": min(max(len(case.matcher.words), _SHORT_QUESTION), _LONG_QUESTION) / _LONG_QUESTION,
    }


def _coverage(case: Case, met: _Met) -> dict[str, float]:
    """Which share of the question's words, of those that name nothing, and of those after the question word the paper meets."""
    rarity, weighted = case.matcher.rarity, case.matcher.weighted
    return {
        "exact": weighted(met.exact),
        "soft": weighted(met.soft),
        "soft_answer": weighted(met.answer),
        "rest": _share(rarity, met.soft, met.rest),
        "rest_sentence": max(_share(rarity, row, met.rest) for row in met.sentences),
        "head": _share(rarity, met.soft, met.head),
        "head_answer": _share(rarity, met.answer, met.head),
        "pairs": _pairs(case.question, case.best),
    }


def _gaps(case: Case, met: _Met) -> dict[str, float]:
    """What of the question the paper lacks: how many words, how rare the rarest, a thing that is demanded."""
    rarity = case.matcher.rarity
    rarest = np.log(1 + case.corpus.size / 0.5)  # a word that no paper holds
    return {
        "missing": met.missing_share,
        "missing_rarity": float(rarity[met.missing].max() / rarest) if met.missing.any() else 0.0,
        "mostly_missing": max(0.0, 0.5 - _share(rarity, met.soft, met.rest)) * float(met.rest.sum() > 1),
        "all_missing": met.missing_share**2,
        "unmet": float(met.unmet is not None),
    }


def _numbers(case: Case, met: _Met) -> dict[str, float]:
    """Is a number asked for that the answer, the paper, or what it says of the things to be counted, does not hold?"""
    question = case.question
    counted = any(_new_number(candidate, question) for candidate in _about(case, met))
    return {
        "no_number": float(question.wants_number and not any(_new_number(candidate, question) for candidate in case.chosen)),
        "wrong_unit": float(question.wants_number and not any(_right_unit(candidate, question) for candidate in case.best)),
        "number_apart": float(_counts(question) and not met.demand_met and not counted),
    }


def _names(case: Case, met: _Met) -> dict[str, float]:
    """Is a name asked for that the answer does not hold, nor a sentence on that kind of thing; does the question name what no paper knows?"""
    question = case.question
    known = [name for name in question.names if any(case.corpus.document_frequency(term) for term in text.word_terms(name)[:1])]
    return {
        "no_name": float(question.wants_name and not any(_holds_new_name(candidate, question) for candidate in case.chosen)),
        "name_far": float(question.wants_name and not any(_holds_new_name(candidate, question) for candidate in _about(case, met))),
        "unknown_name": float(len(known) < len(question.names)),
    }


def _kinds(case: Case, met: _Met) -> dict[str, float]:
    """What is missing counts otherwise when papers are asked for, which one sentence has to qualify, or for a way to do something."""
    every = np.ones_like(met.rest)
    fullest = max(_share(case.matcher.rarity, row, every) for row in met.sentences)
    return {
        "listing_gap": float(case.question.kind is Kind.PAPERS) * (1.0 - fullest),
        "how_gap": float(case.question.kind is Kind.HOW) * met.missing_share,
    }


def _about(case: Case, met: _Met) -> list[Candidate]:
    """The sentences of the best paper that speak of the kind of thing that is asked for."""
    if not met.head.any():
        return list(case.best)
    return [candidate for candidate, row in zip(case.best, met.sentences, strict=True) if row[met.head].max() >= MET]


def _counts(question: Question) -> bool:
    """Does a question ask for a number of things ("how many GPUs"), and not for a share or a factor, which no text calls by that word?"""
    asked = question.text.lower()
    return question.wants_number and not _SHARES.search(asked) and not _FACTORS.search(asked)


def _right_unit(candidate: Candidate, question: Question) -> bool:
    """Does a sentence hold a number of the kind that is asked for: "30%" for "what share", "1.67×" for "how much faster"?"""
    asked, folded = question.text.lower(), candidate.sentence.folded
    if _SHARES.search(asked):
        return bool(_HOLDS_A_SHARE.search(folded))
    if _FACTORS.search(asked):
        return bool(_HOLDS_A_FACTOR.search(folded))
    return _new_number(candidate, question)


def _new_number(candidate: Candidate, question: Question) -> bool:
    """Does a sentence hold a number that the question does not?"""
    return bool(candidate.sentence.numbers - question.numbers)


def _share(rarity: NDArray[np.float64], met: NDArray[np.float64], mask: NDArray[np.bool_]) -> float:
    """Weighted share that is met of the words in the mask; 1 when there are none."""
    total = float(rarity[mask].sum())
    return float((rarity * met)[mask].sum()) / total if total > 0 else 1.0


def _pairs(question: Question, best: Sequence[Candidate]) -> float:
    """Share of neighbouring content words of the question that are near neighbours in a sentence; 0.5 for a question of one word."""
    pairs = list(pairwise(text.stem(word) for word in question.words))
    if not pairs:
        return 0.5
    there: set[tuple[str, str]] = set()
    for candidate in best:
        stems = [text.stem(word.text) for word in text.words(candidate.sentence.folded) if word.text not in text.STOPWORDS]
        there.update(pairwise(stems))
        there.update(zip(stems, stems[2:], strict=False))
    return sum(pair in there or pair[::-1] in there for pair in pairs) / len(pairs)


def _holds_new_name(candidate: Candidate, question: Question) -> bool:
    """Does a sentence name something that the question does not: a data set, a model, a system, and not the paper's own method or a word of the
    field? Its first word has a capital anyway.
    """
    asked = question.text.casefold()
    known = {*text.acronyms(candidate.paper.abstract), *_FIELD_ACRONYMS}
    own = text.fold(candidate.paper.label).text
    for token in candidate.quote.split()[1:]:
        plain = token.strip("\"'()[]{},.;:*$“”‘’").removesuffix("'s").removesuffix("’s")
        folded = text.fold(plain).text
        has_capital = plain[:1].isupper() and len(plain) > 1
        if has_capital and not _is_generic(folded, known) and folded not in asked and folded not in own:
            return True
    return False


def _is_generic(folded: str, known: Collection[str]) -> bool:
    """Is a word, or the last part of a compound, a known short form, or too short for a name?"""
    last = folded.split("-")[-1]
    return last in known or last.removesuffix("s") in known or len(last) < 3
