"""What tells whether the papers that were found answer a question: features of the question, the best paper and the ranking, as numbers.

What each feature is stands in the function that makes it. Besides them there is a vector: the meaning of the words that the best paper lacks. Some
things abstracts do not give (learning rates, GPUs, exact scores), and their words lie close together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import cues, demands, evidence
from rag_qa.answering.cues import FACTOR_ASKED, SHARE_ASKED, Asks
from rag_qa.answering.evidence import Candidate, Corpus, Matcher, WordSimilarity
from rag_qa.answering.matching import NUMBER_WORDS
from rag_qa.answering.question import Kind, Question
from rag_qa.comprehension import Comprehended
from rag_qa.retrieval.hits import Hit
from rag_qa.text import any_word

Array = NDArray[np.float64]

MET = 0.4
"""A word whose best (soft) match is below this counts as missing."""

FEATURES = tuple(
    """
    paper margin lead keyword_first dense_first dense keyword sentence_score_found named keyword_margin dense_margin
    about says about_next says_next says_lead read_sure read_chosen
    best_cosine focus_cosine cosine_lead cosine_chosen
    soft soft_answer rest rest_sentence rest_pair rest_apart head_answer pairs
    missing missing_rarity missing_words missing_known gap_known gap_unknown gap_names gap_head gap_chosen
    unmet wrong_unit no_number no_name name_far unknown_name listing_gap how_gap
    sentence_score score_lead likeliest undecided
    number_local number_near number_unit number_chosen number_counted number_rest number_any counts
    name_rest name_typed name_asked head_told head_rest head_any
    anchored words
    definition number why how list yes_no papers comparison overview other
    asks_result asks_evaluation asks_problem asks_condition in_own_words plural entity question_word typed
    """.split()
)
"""Names of the features of a question and what was found for it."""

SPEAK_FOR = frozenset(
    """
    paper margin lead keyword_first dense_first dense keyword sentence_score_found named keyword_margin dense_margin
    about says says_lead read_sure read_chosen
    best_cosine focus_cosine cosine_lead cosine_chosen
    soft soft_answer rest rest_sentence rest_pair head_answer pairs
    sentence_score score_lead likeliest
    number_local number_near number_unit number_chosen number_counted number_rest number_any
    name_rest name_typed head_told head_rest anchored
    """.split()
)
SPEAK_AGAINST = frozenset(
    """
    missing missing_rarity missing_words missing_known gap_known gap_unknown gap_names gap_head gap_chosen
    unmet wrong_unit no_number no_name name_far unknown_name listing_gap how_gap undecided
    """.split()
)
"""Features that can only speak for an answer, or against one, in the line of the confidence, whatever a fit may say. All others may do either."""

_OF_SENTENCE = {name: place for place, name in enumerate(evidence.FEATURES)}
_SHORT_QUESTION, _LONG_QUESTION = 4, 12
"""Content words between which the length of a question counts: a long one is less like a sentence that answers it, a very short one is a topic."""
_CERTAIN = 8.0  # log-odds beyond which nothing more is told
_NO_MATTER = 0.5  # of a feature that only some questions have
_BEFORE, _AFTER = 2, 3  # words around a thing that say more of it
_COUNTS_UP_TO = 4  # words after a number, of which one may be what it counts: "two previously unseen robot hands"
_MISSING_RANK = 99

_HOLDS_A_SHARE = re.compile(r"\d ?%|\d percent|\d\.\d|\d/\d|\bhalf\b|\bthirds?\b|\bquarter\b")
_HOLDS_A_FACTOR = re.compile(r"\d|\btwice\b|\bhalf\b|orders? of magnitude")
_COUNTED = re.compile(r"\b(?:how many|number of) ((?:[\w-]+ ){0,3}[\w-]+)")
_EXTREME_ASKED = re.compile(any_word("longest|largest|biggest|greatest|highest|maximum|max|most"))
_EXTREME_TOLD = re.compile(any_word("longest|largest|biggest|greatest|highest|maximum|max|up to|at most|as (?:many|much|long|large|high) as"))
_FORM = {
    Kind.LIST: re.compile(any_word("building|blocks|ingredients|components|parts|pieces|stages|steps|elements|aspects|list|main")),
    Kind.NUMBER: re.compile(
        any_word(
            "numbers?|amounts?|counts?|percent|percentages?|extent|factor|times|total",
            "longest|shortest|largest|smallest|biggest|greatest|highest|lowest|maximum|max|minimum",
        )
    ),
    Kind.DEFINITION: re.compile(any_word("measures?|stands?|refers?|denotes?|definition|purpose|job|function")),
}
_IS_TOLD_NEXT = re.compile(any_word("called|named|namely|including|such as|termed|like"))


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what was found for it, and what would be answered. `best`: all sentences of the best paper, `chosen`: those that would answer;
    `focus_cosines`: of the sentences of the best paper to the question without the names in it. `read`: what reading the question with the best paper
    gives, `others`: with the next ones. `similarity`: words -> unit vectors.
    """

    question: Question
    hits: Sequence[Hit]
    best: Sequence[Candidate]
    chosen: Sequence[Candidate]
    focus_cosines: NDArray[np.float32]
    read: Comprehended
    others: Sequence[Comprehended]
    matcher: Matcher
    corpus: Corpus
    similarity: WordSimilarity


@dataclass(frozen=True, slots=True)
class Met:
    """How the best paper meets the words of the question; arrays have one entry a word, `sentences` one such row a sentence.

    `rest`: words that name nothing. `head`: words of the phrase after the question word. `known`: words that some paper of the library holds.
    `soft`: how well the paper meets each word, `answer`: the chosen sentences. `missing`: words of the rest that are not met. `unmet`: what the
    question demands and the paper lacks; `demand_met`: it demands something, and the paper holds it.
    """

    rest: NDArray[np.bool_]
    head: NDArray[np.bool_]
    known: NDArray[np.bool_]
    soft: Array
    answer: Array
    sentences: Array
    missing: NDArray[np.bool_]
    unmet: str | None
    demand_met: bool

    @property
    def missing_share(self) -> float:
        """Share of the words that are missing; 1 for a question without words."""
        return float(self.missing.mean()) if self.missing.size else 1.0


def met(case: Case) -> Met:
    """How the best paper meets the words of the question."""
    question, matcher = case.question, case.matcher
    sentences = [candidate.sentence for candidate in case.best]
    asked, read = _demanding(question), [sentence.folded for sentence in sentences]
    called = text.fold(text.name_of(case.best[0].paper.abstract) or "").text
    by_sentence = matcher.soft(sentences)
    by_sentence[:, _form(question)] = 1.0
    soft = by_sentence.max(axis=0)
    rest = ~evidence.anchors(question, case.best[0].paper, matcher)
    head = np.array([word in question.head for word in matcher.words], bool)
    demand_met = demands.met(asked, read, called=called)
    return Met(
        rest=rest,
        head=head,
        known=matcher.rarity < _rarest(case.corpus) - 1e-9,
        soft=soft,
        answer=by_sentence[[_place(case.best, candidate) for candidate in case.chosen]].max(axis=0),
        sentences=by_sentence,
        # "people" in "how many people took part" is met by whatever meets the demand for participants
        missing=(soft < MET) & rest & ~(head & demand_met),
        unmet=demands.unmet(asked, read, called=called),
        demand_met=demand_met,
    )


def _demanding(question: Question) -> str:
    """What of a question can demand something, folded. Who tells a need in own words tells of circumstances too: "and the GPU is always full"."""
    asking = question.asking if cues.asks(question).in_own_words else None
    return text.fold(asking or question.text).text


def _form(question: Question) -> NDArray[np.bool_]:
    """Which words of a question only say what form the answer has: no abstract calls parts "parts", or a number a number."""
    pattern = _FORM.get(question.kind)
    return np.array([bool(pattern and pattern.fullmatch(word)) for word in question.words], bool)


def features(case: Case, words: Met) -> Array:
    """The numbers of a case, in the order of FEATURES."""
    asks = cues.asks(case.question)
    values = {
        **_ranking(case.hits, float(case.matcher.rarity.sum())),
        **_closeness(case),
        **_as_read(case),
        **_coverage(case, words),
        **_gaps(case, words),
        **_scores(case),
        **_numbers(case, words),
        **_names(case, words, asks),
        **_heads(case, words),
        **_kinds(case, words),
        **_asks(asks),
    }
    return np.array([values[name] for name in FEATURES])


def lacking(case: Case, words: Met) -> Array:
    """The meaning of the words of a question that the best paper lacks, shape (dimensions of the word vectors,): those without a subject of their own
    too, since they say how it is asked.
    """
    every = [word.text for word in text.words(text.fold(case.question.text).text)]
    held = dict(zip(case.matcher.words, words.soft, strict=True))
    is_head = np.array([word in case.question.head for word in every])
    lack = np.array([1.0 - held.get(word, 0.0) for word in every]) * ~(is_head & words.demand_met)
    summed: Array = lack @ case.similarity(every).astype(np.float64) / np.sqrt(max(1, len(every)))
    return summed


def _place(candidates: Sequence[Candidate], one: Candidate) -> int:
    return next(i for i, candidate in enumerate(candidates) if candidate.index == one.index)


def _rarest(corpus: Corpus) -> float:
    """Rarity of a word that no paper holds."""
    return float(np.log(1 + (corpus.size + 0.5) / 0.5))


# --------------------------------------------------------------------------------------------------------- what was found


def _ranking(hits: Sequence[Hit], rarity: float) -> dict[str, float]:
    """How far up the best paper ranks, alone and by either ranking, and how far it leads. Scores of keywords grow with the library, as does the
    `rarity` of all words of the question: they are shares of it.
    """
    most = rarity or 1.0
    first, *others = hits
    scores = np.array([hit.score for hit in others])
    return {
        "paper": first.score,
        "margin": first.score - (others[0].score if others else 0.0),
        "lead": float((first.score - scores.mean()) / (scores.std() + 0.02)) if len(scores) > 1 else 3.0,
        "keyword_first": float(first.ranks.get("keyword", _MISSING_RANK) == 1),
        "dense_first": float(first.ranks.get("dense", _MISSING_RANK) == 1),
        "dense": first.scores.get("dense", 0.0),
        "keyword": first.scores.get("keyword", 0.0) / most,
        "sentence_score_found": first.scores.get("sentence", 0.0),
        "named": float(first.scores.get("named", 0.0) > 0),
        "keyword_margin": _margin("keyword", first.scores, others) / most,
        "dense_margin": _margin("dense", first.scores, others),
    }


def _margin(ranking: str, scores: Mapping[str, float], others: Sequence[Hit]) -> float:
    return scores.get(ranking, 0.0) - max((hit.scores.get(ranking, 0.0) for hit in others), default=0.0)


def _closeness(case: Case) -> dict[str, float]:
    """How close the sentences of the best paper come to the question, and how much closer the closest does than the others."""
    cosines = np.array([candidate.features[_OF_SENTENCE["cosine"]] for candidate in case.best])
    return {
        "best_cosine": float(cosines.max()),
        "focus_cosine": float(case.focus_cosines.max()),
        "cosine_lead": float((cosines.max() - cosines.mean()) / (cosines.std() + 0.02)),
        "cosine_chosen": float(case.chosen[0].features[_OF_SENTENCE["cosine"]]),
    }


def _as_read(case: Case) -> dict[str, float]:
    """What reading the question with the best paper and the next ones gives: log-odds that it is about them, that they say it, and where."""
    shares = case.read.shares
    about = max((other.about for other in case.others), default=-_CERTAIN)
    says = max((other.says for other in case.others), default=-_CERTAIN)
    return {
        "about": _clipped(case.read.about),
        "says": _clipped(case.read.says),
        "about_next": _clipped(about),
        "says_next": _clipped(says),
        "says_lead": _clipped(case.read.says) - _clipped(says),
        "read_sure": float(shares.max(initial=0.0)),
        "read_chosen": float(shares[case.chosen[0].index]),
    }


def _clipped(log_odds: float) -> float:
    return min(_CERTAIN, max(-_CERTAIN, log_odds))


def _scores(case: Case) -> dict[str, float]:
    """How likely the likeliest sentence is to answer, and how far it leads."""
    scores = np.array([candidate.score for candidate in case.best])
    odds = np.exp(scores - scores.max())
    shares = odds / odds.sum()
    return {
        "sentence_score": max(candidate.score for candidate in case.chosen),
        "score_lead": float(scores.max() - scores.mean()),
        "likeliest": float(shares.max()),
        "undecided": float(-(shares * np.log(shares + 1e-9)).sum() / np.log(max(len(shares), 2))),
    }


# ------------------------------------------------------------------------------------------------- the words of the question


def _coverage(case: Case, words: Met) -> dict[str, float]:
    """Which share of the question's words, of those that name nothing, and of those after the question word the paper meets, by one sentence, by two
    neighbours, and more by all together.
    """
    rarity, weighted = case.matcher.rarity, case.matcher.weighted
    rows = [_share(rarity, row, words.rest) for row in words.sentences]
    neighbours = [_share(rarity, np.maximum(one, other), words.rest) for one, other in pairwise(words.sentences)]
    whole = _share(rarity, words.soft, words.rest)
    return {
        "soft": weighted(words.soft),
        "soft_answer": weighted(words.answer),
        "rest": whole,
        "rest_sentence": max(rows),
        "rest_pair": max(neighbours, default=max(rows)),
        "rest_apart": whole - max(rows),
        "head_answer": _share(rarity, words.answer, words.head),
        "pairs": _pairs(case.question, case.best),
    }


def _gaps(case: Case, words: Met) -> dict[str, float]:
    """What of the question the paper lacks: how many words, how rare the rarest; words that other papers hold tell more than those that none does."""
    rarity = case.matcher.rarity
    total, lack, chosen = float(rarity.sum()) or 1.0, (1.0 - words.soft) * rarity, words.sentences[_place(case.best, case.chosen[0])]
    absent = (words.soft < MET) & words.rest
    return {
        "missing": words.missing_share,
        "missing_rarity": float(rarity[words.missing].max() / _rarest(case.corpus)) if words.missing.any() else 0.0,
        "missing_words": float(absent.sum()),
        "missing_known": float((absent & words.known).sum()),
        "gap_known": float(lack[words.known & words.rest].sum()) / total,
        "gap_unknown": float(lack[~words.known & words.rest].sum()) / total,
        "gap_names": float(lack[~words.rest].sum()) / total,
        "gap_head": 0.0 if words.demand_met else float(lack[words.head].sum()) / total,
        "gap_chosen": 1.0 - _share(rarity, chosen, words.rest),
        "unmet": float(words.unmet is not None),
    }


def _share(rarity: Array, held: Array, mask: NDArray[np.bool_]) -> float:
    """Weighted share that is met of the words in the mask; 1 when there are none."""
    total = float(rarity[mask].sum())
    return float((rarity * held)[mask].sum()) / total if total > 0 else 1.0


def _pairs(question: Question, best: Sequence[Candidate]) -> float:
    """Share of neighbouring content words of the question that are near neighbours in a sentence; 0.5 for a question of one word."""
    pairs = list(pairwise(text.stem(word) for word in question.words))
    if not pairs:
        return _NO_MATTER
    there: set[tuple[str, str]] = set()
    for candidate in best:
        stems = [text.stem(word.text) for word in text.words(candidate.sentence.folded) if word.text not in text.STOPWORDS]
        there.update(pairwise(stems))
        there.update(zip(stems, stems[2:], strict=False))
    return sum(pair in there or pair[::-1] in there for pair in pairs) / len(pairs)


# ---------------------------------------------------------------------------------------- what kind of thing is asked for


def _numbers(case: Case, words: Met) -> dict[str, float]:
    """Where a number is asked for: does a new one stand in the paper, in the answer, beside the thing that is counted, in a sentence on the rest of
    the question, and is it of the kind that is asked for?
    """
    question = case.question
    wanted = ("number_local", "number_near", "number_unit", "number_chosen", "number_counted", "number_rest", "number_any")
    counted = None if _unit(question) else _COUNTED.search(text.fold(question.text).text)
    if not question.wants_number:
        return {**dict.fromkeys(wanted, _NO_MATTER), "counts": float(counted is not None), "wrong_unit": 0.0, "no_number": 0.0}
    holding = [i for i, candidate in enumerate(case.best) if candidate.sentence.numbers - question.numbers]
    right = [candidate for candidate in case.best if _right_unit(candidate, question)]
    extreme = _EXTREME_ASKED.search(question.text.lower()) and any(_EXTREME_TOLD.search(candidate.sentence.folded) for candidate in right)
    is_met = bool(extreme or words.demand_met)
    return {
        "number_local": _highest(case.best, "number_local"),
        "number_near": 1.0 if is_met else _highest(case.best, "number_near"),
        "number_unit": _highest(case.best, "unit"),
        "number_chosen": float(bool(case.chosen[0].sentence.numbers - question.numbers)),
        "number_counted": float(bool(right)) if _unit(question) or is_met else _counted(case, counted),
        "number_rest": max((_share(case.matcher.rarity, words.sentences[i], words.rest) for i in holding), default=0.0),
        "number_any": float(bool(holding)),
        "counts": float(counted is not None),
        "wrong_unit": float(not right),
        "no_number": float(not any(candidate.sentence.numbers - question.numbers for candidate in case.chosen)),
    }


def _highest(candidates: Sequence[Candidate], name: str) -> float:
    return float(max(candidate.features[_OF_SENTENCE[name]] for candidate in candidates))


def _counted(case: Case, counted: re.Match[str] | None) -> float:
    """How near a word that follows a new number comes to the things that are to be counted: "eight GPUs". Any will do where none are."""
    if not counted:
        return _NO_MATTER
    things = text.content_words(counted.group(1))
    rows = [i for i, word in enumerate(case.matcher.words) if word in things]
    following = sorted({word for candidate in case.best for word in _after_numbers(candidate, case.question)}) if rows else []
    return float(case.matcher.near(following)[rows].max()) if following else 0.0


def _after_numbers(candidate: Candidate, question: Question) -> Iterator[str]:
    """The words after each number that the question does not hold."""
    there = [word.text for word in text.words(candidate.sentence.folded)]
    for place, word in enumerate(there):
        if (word[0].isdigit() or word in NUMBER_WORDS) and word not in question.numbers:
            yield from there[place + 1 : place + 1 + _COUNTS_UP_TO]


def _unit(question: Question) -> re.Pattern[str] | None:
    """What a number must look like, where a share or a factor is asked for: no text calls those by the word of the question."""
    asked = question.text.lower()
    if SHARE_ASKED.search(asked):
        return _HOLDS_A_SHARE
    return _HOLDS_A_FACTOR if FACTOR_ASKED.search(asked) else None


def _right_unit(candidate: Candidate, question: Question) -> bool:
    """Does a sentence hold a number of the kind that is asked for: "30%" for "what share", "1.67×" for "how much faster"?"""
    unit = _unit(question)
    return bool(unit.search(candidate.sentence.folded)) if unit else bool(candidate.sentence.numbers - question.numbers)


def _names(case: Case, words: Met, asks: Asks) -> dict[str, float]:
    """Where a name is asked for: does a new one stand in a sentence on that kind of thing, on the rest of the question? Does the question itself name
    what no paper knows?
    """
    question = case.question
    known = [name for name in question.names if any(case.corpus.document_frequency(term) for term in text.word_terms(name)[:1])]
    asked = (question.wants_name or asks.entity) and not question.wants_number
    new = [bool(cues.new_names(question, candidate.paper, candidate.quote)) for candidate in case.best] if asked else []
    rests = [_share(case.matcher.rarity, row, words.rest) for row in words.sentences]
    typed = [any(kind.search(candidate.sentence.folded) for kind in asks.types) for candidate in case.best]
    about = words.sentences[:, words.head].max(axis=1) >= MET if words.head.any() else np.ones(len(case.best), bool)
    return {
        "name_rest": max((rest for rest, is_new in zip(rests, new, strict=True) if is_new), default=0.0) if asked else _NO_MATTER,
        "name_typed": max((rest for rest, a, b in zip(rests, new, typed, strict=True) if a and b), default=0.0) if asked else _NO_MATTER,
        "name_asked": float(asked),
        "no_name": float(asked and question.wants_name and not any(cues.new_names(question, one.paper, one.quote) for one in case.chosen)),
        "name_far": float(asked and question.wants_name and not any(a and b for a, b in zip(new, about, strict=True))),
        "unknown_name": float(len(known) < len(question.names)),
    }


def _heads(case: Case, words: Met) -> dict[str, float]:
    """Does a sentence on the rest of the question speak of the thing that is asked for, and say more of it ("an option network" for "which
    network")?
    """
    heads = np.flatnonzero(words.head)
    if not len(heads):
        return {"head_told": _NO_MATTER, "head_rest": _NO_MATTER, "head_any": 0.0}
    told, rest = 0.0, 0.0
    for candidate, row in zip(case.best, words.sentences, strict=True):
        if row[heads[-1]] < MET:
            continue
        share = _share(case.matcher.rarity, row, words.rest)
        rest = max(rest, float(row[heads[-1]]) * share)
        told = max(told, _told(case, candidate, int(heads[-1])) * share)
    return {"head_told": told, "head_rest": rest, "head_any": 1.0}


def _told(case: Case, candidate: Candidate, head: int) -> float:
    """How near a word of a sentence comes to the thing that is asked for, if new words stand before it, or it is said what it is called."""
    there = [word.text for word in text.words(candidate.sentence.folded)]
    near = case.matcher.near(there)
    is_new = (near.max(axis=0) < MET) & np.array([word not in text.STOPWORDS and word not in text.QUESTION_WORDS for word in there], bool)
    return max((float(near[head, i]) for i in np.flatnonzero(near[head] >= MET) if _says_more(there, is_new, int(i))), default=0.0)


def _says_more(there: Sequence[str], is_new: NDArray[np.bool_], place: int) -> bool:
    before, after = slice(max(0, place - _BEFORE), place), slice(place + 1, place + 1 + _AFTER)
    return bool(is_new[before].any()) or bool(_IS_TOLD_NEXT.search(" ".join(there[after])))


def _kinds(case: Case, words: Met) -> dict[str, float]:
    """The kind of question. What is missing counts otherwise when papers are asked for, which one sentence has to qualify, or for a way to do
    something.
    """
    every, kind = np.ones_like(words.rest), case.question.kind
    fullest = max(_share(case.matcher.rarity, row, every) for row in words.sentences)
    return {
        **{one.value.replace("-", "_"): float(kind is one) for one in Kind},
        "listing_gap": float(kind is Kind.PAPERS) * (1.0 - fullest),
        "how_gap": float(kind is Kind.HOW) * words.missing_share,
        "anchored": float(evidence.is_anchored(case.question, case.best[0].paper, case.matcher)),
        "words": min(max(len(case.matcher.words), _SHORT_QUESTION), _LONG_QUESTION) / _LONG_QUESTION,
    }


def _asks(asks: Asks) -> dict[str, float]:
    """What is asked for beside the kind of question."""
    return {
        "asks_result": float(asks.result),
        "asks_evaluation": float(asks.evaluation),
        "asks_problem": float(asks.problem),
        "asks_condition": float(asks.condition),
        "in_own_words": float(asks.in_own_words),
        "plural": float(asks.plural),
        "entity": float(asks.entity),
        "question_word": float(asks.question_word),
        "typed": float(bool(asks.types)),
    }
