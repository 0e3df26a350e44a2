"""How sure we are that the papers that were found answer a question: from evidence, not from one similarity.

Questions come in two kinds. One names something that stands in the best paper (a method, a rare word): then what else it asks about must be
there too, and a word that is missing tells. The other describes a need in its own words: then only meaning can tell. Each kind has its own weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import demands, evidence
from rag_qa.answering.evidence import Candidate, Corpus, Matcher
from rag_qa.answering.question import Kind, Question
from rag_qa.retrieval.hits import Hit

MET = 0.4
"""A word whose best (soft) match is below this counts as missing."""

FEATURES = (
    "paper", "margin", "best_cosine", "third_cosine", "focus_cosine", "exact", "soft", "soft_answer", "rest", "rest_sentence", "head", "head_answer", "missing", "missing_rarity",
    "pairs", "unmet", "no_number", "wrong_unit", "number_apart", "no_name", "name_far", "unknown_name", "sentence_score", "words", "listing_gap", "how_gap", "mostly_missing", "all_missing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assessment:
    """`anchored`: the question names something that stands in the best paper. `missing`: its words that do not, most telling first."""

    confidence: float
    anchored: bool
    missing: tuple[str, ...]
    unmet: str | None
    features: NDArray[np.float64]


def assess(
    question: Question,
    hits: Sequence[Hit],
    best: Sequence[Candidate],
    chosen: Sequence[Candidate],
    focus_cosines: NDArray[np.float32],
    matcher: Matcher,
    corpus: Corpus,
    weights: Mapping[str, NDArray[np.float64]],
) -> Assessment:
    """Judge an answer before it is given.

    `best`: all sentences of the best paper, `chosen`: those that would answer, `focus_cosines`: of the sentences of the best paper to the question
    without the names in it. `weights`: for "anchored" and "free" questions, shape (len(FEATURES) + 1,), the last one the bias.
    """
    view = _evidence(question, best, chosen, matcher)
    anchored = evidence.is_anchored(question, best[0].paper, matcher)
    values = _values(question, hits, best, chosen, focus_cosines, matcher, corpus, view)
    features = np.array([values[name] for name in FEATURES])
    weight = weights["anchored" if anchored else "free"]
    confidence = float(1.0 / (1.0 + np.exp(-(features @ weight[:-1] + weight[-1]))))
    missing = sorted(np.flatnonzero(view.soft < MET), key=lambda i: -matcher.rarity[i])
    return Assessment(round(confidence, 6), anchored, tuple(matcher.words[i] for i in missing), view.unmet, features)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """How the words of the question are met; one entry a word."""

    anchor: NDArray[np.bool_]
    exact: NDArray[np.float64]
    soft: NDArray[np.float64]
    answer: NDArray[np.float64]
    sentences: NDArray[np.float64]
    unmet: str | None
    demand_met: bool


def _evidence(question: Question, best: Sequence[Candidate], chosen: Sequence[Candidate], matcher: Matcher) -> _Evidence:
    sentences = [candidate.sentence for candidate in best]
    terms: set[str] = set().union(*(s.terms for s in sentences))
    met = matcher.soft(sentences)
    answer = met[[_place(best, candidate) for candidate in chosen]].max(axis=0)
    folded = text.fold(question.text).text
    return _Evidence(
        anchor=evidence.anchors(question, best[0].paper, matcher),
        exact=matcher.exact(terms),
        soft=met.max(axis=0),
        answer=answer,
        sentences=met,
        unmet=demands.unmet(folded, [s.folded for s in sentences]),
        demand_met=demands.met(folded, [s.folded for s in sentences]),
    )


def _place(candidates: Sequence[Candidate], one: Candidate) -> int:
    return next(i for i, candidate in enumerate(candidates) if candidate.index == one.index)


def _values(
    question: Question,
    hits: Sequence[Hit],
    best: Sequence[Candidate],
    chosen: Sequence[Candidate],
    focus_cosines: NDArray[np.float32],
    matcher: Matcher,
    corpus: Corpus,
    view: _Evidence,
) -> dict[str, float]:
    cosines = np.sort([c.features[0] for c in best])[::-1]
    rest = ~view.anchor
    head = np.array([word in question.head for word in matcher.words], bool)
    # "people" in "how many people took part" is met by whatever meets the demand for participants
    missing = (view.soft < MET) & rest & ~(head & view.demand_met)
    about = [c for c, met in zip(best, _head_met(view, head), strict=True) if met]
    rarest = np.log(1 + corpus.size / 0.5)
    new_number = any(c.sentence.numbers - question.numbers for c in chosen)
    known = [name for name in question.names if any(corpus.document_frequency(term) for term in text.word_terms(name)[:1])]
    return {
        "paper": hits[0].score,
        "margin": hits[0].score - (hits[1].score if len(hits) > 1 else 0.0),
        "best_cosine": float(cosines[0]),
        "third_cosine": float(cosines[min(2, len(cosines) - 1)]),
        "focus_cosine": float(focus_cosines.max()),
        "exact": matcher.weighted(view.exact),
        "soft": matcher.weighted(view.soft),
        "soft_answer": matcher.weighted(view.answer),
        "rest": _share(matcher.rarity, view.soft, rest),
        "rest_sentence": max(_share(matcher.rarity, row, rest) for row in view.sentences),
        "head": _share(matcher.rarity, view.soft, head),
        "head_answer": _share(matcher.rarity, view.answer, head),
        "missing": float(missing.mean()) if missing.size else 1.0,
        "missing_rarity": float(matcher.rarity[missing].max() / rarest) if missing.any() else 0.0,
        "pairs": _pairs(question, best),
        "unmet": float(view.unmet is not None),
        "no_number": float(question.wants_number and not new_number),
        "wrong_unit": float(question.wants_number and not any(_right_unit(c, question) for c in best)),
        "number_apart": float(_counts(question) and not view.demand_met and not any(c.sentence.numbers - question.numbers for c in about)),
        "no_name": float(question.wants_name and not any(_holds_new_name(c, question) for c in chosen)),
        "name_far": float(question.wants_name and not any(_holds_new_name(c, question) for c in about)),
        "unknown_name": float(len(known) < len(question.names)),
        "sentence_score": max(c.score for c in chosen),
        "words": min(len(matcher.words), 12) / 12,
        "listing_gap": float(question.kind is Kind.PAPERS) * (1.0 - max(_share(matcher.rarity, row, np.ones_like(rest)) for row in view.sentences)),
        "mostly_missing": max(0.0, 0.5 - _share(matcher.rarity, view.soft, rest)) * float(rest.sum() > 1),
        "all_missing": float(missing.mean() if missing.size else 1.0) ** 2,
        "how_gap": float(question.kind is Kind.HOW) * float(missing.mean() if missing.size else 1.0),
    }


def _head_met(view: _Evidence, head: NDArray[np.bool_]) -> list[bool]:
    """For each sentence of the best paper: does it speak of the kind of thing that is asked for?"""
    return [bool(not head.any() or row[head].max() >= MET) for row in view.sentences]


_SHARES = re.compile(r"\b(?:percent\w*|share|fraction|proportion|rate|portion|accurac\w*)\b")
_FACTORS = re.compile(r"\b(?:factor|times|faster|speed-?ups?|fold|smaller|larger|bigger|quicker)\b")


def _counts(question: Question) -> bool:
    """Does a question ask for a number of things ("how many GPUs"), and not for a share or a factor, which no text calls by that word?"""
    asked = question.text.lower()
    return question.wants_number and not _SHARES.search(asked) and not _FACTORS.search(asked)


def _right_unit(candidate: Candidate, question: Question) -> bool:
    """Does a sentence hold a number of the kind that is asked for: "30%" for "what share", "1.67×" for "how much faster"?"""
    asked, folded = question.text.lower(), candidate.sentence.folded
    if _SHARES.search(asked):
        return bool(re.search(r"\d ?%|\d percent|\d\.\d|\bhalf\b|\bthirds?\b|\bquarter\b|\d/\d", folded))
    if _FACTORS.search(asked):
        return bool(re.search(r"\d|\btwice\b|\bhalf\b|orders? of magnitude", folded))
    return bool(candidate.sentence.numbers - question.numbers)


def _share(rarity: NDArray[np.float64], met: NDArray[np.float64], mask: NDArray[np.bool_]) -> float:
    """Weighted share that is met of the words in the mask; 1 when there are none."""
    total = float(rarity[mask].sum())
    return float((rarity * met)[mask].sum()) / total if total > 0 else 1.0


def _pairs(question: Question, best: Sequence[Candidate]) -> float:
    """Share of neighbouring content words of the question that are near neighbours in a sentence; 0.5 for a question of one word."""
    asked = [text.stem(word) for word in question.words]
    pairs = list(zip(asked, asked[1:], strict=False))
    if not pairs:
        return 0.5
    there: set[tuple[str, str]] = set()
    for candidate in best:
        stems = [text.stem(w.text) for w in text.words(candidate.sentence.folded) if w.text not in text.STOPWORDS]
        there.update(zip(stems, stems[1:], strict=False))
        there.update(zip(stems, stems[2:], strict=False))
    return sum(pair in there or pair[::-1] in there for pair in pairs) / len(pairs)


_FIELD_ACRONYMS = frozenset(
    "llm llms vlm vlms lm lms rl ml ai nlp gpu gpus cpu cpus tpu mlp mlps cnn cnns rnn rnns gnn gnns dnn dnns rag sota ood id sgd mdp mse kl dp fl rlhf ssl vit api url qa 2d 3d i ii iii".split()
)


def _holds_new_name(candidate: Candidate, question: Question) -> bool:
    """Does a sentence name something that the question does not: a data set, a model, a system, and not the paper's own method or a word of the field?"""
    asked = question.text.casefold()
    known = {short for short in text.acronyms(candidate.paper.abstract)} | _FIELD_ACRONYMS
    own = text.fold(candidate.paper.label).text
    for token in candidate.quote.split()[1:]:
        plain = token.strip("\"'()[]{},.;:*$“”‘’").removesuffix("'s").removesuffix("’s")
        folded = text.fold(plain).text
        generic = all(part in known or part.removesuffix("s") in known or len(part) < 3 for part in folded.split("-")[-1:])
        if plain[:1].isupper() and len(plain) > 1 and not generic and folded not in asked and folded not in own:
            return True
    return False
