"""Which sentences of the papers that were found speak to a question, and how strongly: features of (question, sentence) pairs, weighted.

Weights are fitted on development questions (see `python -m eval.fit_sentences`), never on the shipped question set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering import cues, roles
from rag_qa.answering.cues import Asks, Says
from rag_qa.answering.cues import is_beside_the_point as is_beside_the_point
from rag_qa.answering.cues import leans as leans
from rag_qa.answering.matching import NUMBER_WORDS
from rag_qa.answering.matching import Corpus as Corpus
from rag_qa.answering.matching import Matcher as Matcher
from rag_qa.answering.matching import SentenceTerms as SentenceTerms
from rag_qa.answering.matching import WordSimilarity as WordSimilarity
from rag_qa.answering.matching import anchors as anchors
from rag_qa.answering.matching import is_anchored as is_anchored
from rag_qa.answering.matching import sentence_terms as sentence_terms
from rag_qa.answering.matching import terms_of as terms_of
from rag_qa.answering.question import Kind, Question
from rag_qa.comprehension import Comprehended
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

FEATURES = tuple(
    """
    cosine neighbour focus read read_share
    subject defines_subject subject_first
    window window_rest after_best
    role_background role_problem role_aim role_method role_result role_conclusion
    exact soft context local bigrams rest head share share_rest above
    number_wanted number_missing number_near number_local unit
    defines introduces explains_next explains
    reason cause problem why_problem means way specific finding condition
    enumerates counted list
    contribution names_own lean_context proposes
    entity name names typed typed_name
    result_wanted experiment_unasked experiment_defines experiment_checks evaluation named
    background background_why need_proposes need_first need_experiment need_background
    position first leans length
    """.split()
)
"""Names of the features of a sentence; what each is stands in `_View`."""


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


def candidates(
    question: Question,
    asked: Vectors,
    paper: Paper,
    vectors: Vectors,
    matcher: Matcher,
    read: Comprehended,
    weights: NDArray[np.float64],
) -> list[Candidate]:
    """Every sentence of a paper with its features and score, in order.

    `asked`: vectors of the question and of its focus, shape (2, dimensions); `vectors`: of the sentences, shape (sentences, dimensions);
    `read`: what reading question and paper together gives; `weights`: shape (len(FEATURES),).
    """
    sentences = sentence_terms(paper.abstract)
    view = _view(question, paper, sentences, vectors @ asked[0], vectors @ asked[1], matcher, read)
    found = []
    for i, sentence in enumerate(sentences):
        values = view.features(i)
        features = np.array([values[name] for name in FEATURES])
        found.append(Candidate(paper, i, sentence, features, float(features @ weights)))
    return found


def _view(
    question: Question,
    paper: Paper,
    sentences: Sequence[SentenceTerms],
    cosines: NDArray[np.float32],
    focus: NDArray[np.float32],
    matcher: Matcher,
    read: Comprehended,
) -> _View:
    near = matcher.word_by_word(sentences)
    met = matcher.soft(sentences, near)
    subject = cues.subject(question)
    # what a sentence has of each word, against the other sentences: a word that all meet tells nothing
    strength = np.expm1(_STEEP * met)
    return _View(
        question=question,
        paper=paper,
        sentences=sentences,
        cosines=cosines,
        focus=focus,
        read=read.shares,
        met=met,
        near=near,
        roles=_roles(paper.abstract),
        share=strength / (strength.sum(axis=0) + 1e-9),
        rest=~anchors(question, paper, matcher),
        head=np.array([word in question.head for word in matcher.words], bool),
        matcher=matcher,
        asks=cues.asks(question),
        says=[cues.says(sentence.folded) for sentence in sentences],
        subject=subject,
        defines=[cues.defines(question.words, sentence.folded) for sentence in sentences],
        defines_subject=[cues.defines(subject, sentence.folded) for sentence in sentences],
    )


@lru_cache(maxsize=4096)
def _roles(abstract: str) -> NDArray[np.float64]:
    """Probability of each learned role for each sentence, shape (sentences, roles)."""
    return roles.probabilities([sentence.folded for sentence in sentence_terms(abstract)], roles.shipped())


_STEEP = 4.0
_LEAST_READ = 3e-4  # probability below which one sentence is as unlikely as another
_CLAUSE = 6  # content words of about one clause
_SPOKEN_OF = 0.8  # share of its words that is met where a thing is spoken of
_NEAR, _AROUND = (3, 5), (7, 8)  # words before and after a number that say what it counts, or what it is about


@dataclass(frozen=True, slots=True)
class _View:
    """A paper as one question sees it. `met[i, j]`: how well sentence i meets word j of the question; `share[i, j]`: as a share of what all sentences
    do. `rest`: words that name nothing; `head`: those after the question word. `read`: probability of each sentence to answer, as it was read.
    """

    question: Question
    paper: Paper
    sentences: Sequence[SentenceTerms]
    cosines: NDArray[np.float32]
    focus: NDArray[np.float32]
    read: NDArray[np.float64]
    met: NDArray[np.float64]
    near: Sequence[NDArray[np.float64]]
    roles: NDArray[np.float64]
    share: NDArray[np.float64]
    rest: NDArray[np.bool_]
    head: NDArray[np.bool_]
    matcher: Matcher
    asks: Asks
    says: Sequence[Says]
    subject: tuple[str, ...]
    defines: Sequence[bool]
    defines_subject: Sequence[bool]

    def features(self, i: int) -> dict[str, float]:
        """Features of sentence i by name; most lie between 0 and 1."""
        return {
            **self._meaning(i),
            **self._as_read(i),
            **self._words_met(i),
            **self._words_told_apart(i),
            **self._close_together(i),
            **self._subject(i),
            **self._role_in_abstract(i),
            **self._numbers(i),
            **self._definition(i),
            **self._kind_met(i),
            **self._list(i),
            **self._proposal(i),
            **self._names(i),
            **self._results(i),
            **self._role(i),
            **self._form(i),
        }

    def _meaning(self, i: int) -> dict[str, float]:
        """How close a sentence, and the nearer of its neighbours, come to the question."""
        around = [float(self.cosines[j]) for j in (i - 1, i + 1) if 0 <= j < len(self.sentences)]
        return {"cosine": float(self.cosines[i]), "neighbour": max(around, default=0.0), "focus": float(self.focus[i])}

    def _as_read(self, i: int) -> dict[str, float]:
        """How likely a sentence is to answer, for who reads question and abstract together."""
        share = float(self.read[i])
        return {"read": math.log(max(share, _LEAST_READ)), "read_share": share}

    def _words_met(self, i: int) -> dict[str, float]:
        """Which share of the question's words a sentence meets, alone and (`context`) how much more with the one before it."""
        alone = self.matcher.weighted(self.met[i])
        return {
            "exact": self.matcher.weighted(self.matcher.exact(self.sentences[i].terms)),
            "soft": alone,
            "context": self.matcher.weighted(np.maximum(self.met[i], self._before(i))) - alone,
            "local": self._local(i),
            "bigrams": _bigram_overlap(self.question, self.sentences[i]),
            "rest": self._weighted(self.met[i], self.rest),
            "head": self._weighted(self.met[i], self.head),
        }

    def _words_told_apart(self, i: int) -> dict[str, float]:
        """How much more of the question's words a sentence meets than the other sentences do."""
        every = np.ones_like(self.rest)
        return {
            "share": self._weighted(self.share[i], every),
            "share_rest": self._weighted(self.share[i], self.rest),
            "above": self._weighted(np.maximum(self.met[i] - self.met.mean(axis=0), 0.0), every),
        }

    def _close_together(self, i: int) -> dict[str, float]:
        """How much of the question the densest part of a sentence meets; and does the sentence before meet most of all?"""
        every = np.ones_like(self.rest)
        best = int(np.argmax(self.met @ self.matcher.rarity)) if self.matcher.words else -1
        return {
            "window": self._densest(i, every),
            "window_rest": self._densest(i, self.rest),
            "after_best": float(i > 0 and i - 1 == best),
        }

    def _densest(self, i: int, mask: NDArray[np.bool_]) -> float:
        near = self.near[i]
        if not near.shape[1] or not mask.any():
            return 0.0
        width = min(_CLAUSE, near.shape[1])
        parts = np.lib.stride_tricks.sliding_window_view(near[mask], width, axis=1).max(axis=2)
        rarity = self.matcher.rarity[mask]
        return float((rarity @ parts).max()) / (float(rarity.sum()) + 1e-9)

    def _subject(self, i: int) -> dict[str, float]:
        """Does a sentence speak of the thing of which is asked what it is, say what it is, or speak of it before all others?"""
        mask = np.array([word in self.subject for word in self.matcher.words], bool)
        met = self.met[:, mask].mean(axis=1) if mask.any() else np.zeros(len(self.sentences))
        first = int(np.argmax(met >= _SPOKEN_OF)) if (met >= _SPOKEN_OF).any() else -1
        return {"subject": float(met[i]), "defines_subject": float(self.defines_subject[i]), "subject_first": float(i == first)}

    def _role_in_abstract(self, i: int) -> dict[str, float]:
        """How likely a sentence does each thing in its abstract."""
        return {f"role_{role}": float(share) for role, share in zip(roles.LEARNED, self.roles[i], strict=True)}

    def _numbers(self, i: int) -> dict[str, float]:
        """Does a sentence hold a number where one is asked for, near to what is to be counted or about which it is asked?"""
        wanted = self.question.wants_number
        new = bool(self.sentences[i].numbers - self.question.numbers)
        near, around = self._beside_numbers(i) if wanted and new else (0.0, 0.0)
        return {
            "number_wanted": float(wanted and new),
            "number_missing": float(wanted and not new),
            "number_near": near,
            "number_local": around,
            "unit": float(wanted and new and cues.holds_unit(self.question, self.sentences[i].folded)),
        }

    def _beside_numbers(self, i: int) -> tuple[float, float]:
        """How near a word beside a new number comes to what is counted, and how much of the question the words around one meet; best number each."""
        words = [word.text for word in text.words(self.sentences[i].folded)]
        places = [place for place, word in enumerate(words) if _is_number(word) and word not in self.question.numbers]
        if not places or not self.matcher.words:
            return 0.0, 0.0
        near = self.matcher.near(words)
        counted = self.head if self.head.any() else self.rest if self.rest.any() else np.ones_like(self.rest)
        beside = [near[counted][:, _window(place, _NEAR)].max() for place in places]
        around = [self._weighted(near[:, _window(place, _AROUND)].max(axis=1), self.rest) for place in places]
        return float(max(beside)), max(around)

    def _definition(self, i: int) -> dict[str, float]:
        """Does a sentence say what the subject of the question is, or go on where the one before it does?"""
        wanted = self.question.kind is Kind.DEFINITION
        goes_on = i > 0 and self.defines[i - 1] and self.says[i].goes_on
        return {
            "defines": float(wanted and self.defines[i]),
            "introduces": float(wanted and self.says[i].proposes),
            "explains_next": float(wanted and goes_on),
            "explains": float(wanted and self.says[i].explains) * float(self.met[i].max(initial=0.0)),
        }

    def _kind_met(self, i: int) -> dict[str, float]:
        """Does a sentence speak in the way in which questions of this kind are answered?"""
        kind, asks, says = self.question.kind, self.asks, self.says[i]
        return {
            "reason": float(kind is Kind.WHY and says.reason),
            "cause": float(kind is Kind.WHY and says.cause),
            "problem": float(asks.problem and says.problem),
            "why_problem": float(kind is Kind.WHY and says.problem),
            "means": float(kind is Kind.HOW and says.means),
            "way": float(kind is Kind.HOW and says.way),
            "specific": float(kind in (Kind.HOW, Kind.OTHER, Kind.DEFINITION) and says.specific),
            "finding": float(kind is Kind.YES_NO and says.finding),
            "condition": float(asks.condition and says.condition),
        }

    def _list(self, i: int) -> dict[str, float]:
        """Does a sentence list things where several are asked for, as many as are asked for?"""
        folded = self.sentences[i].folded
        is_list = self.question.kind is Kind.LIST or (self.asks.plural and self.asks.question_word)
        return {
            "enumerates": float(self.question.kind is Kind.LIST and self.says[i].enumerates),
            "counted": float(cues.holds_count(self.question, folded)),
            "list": float(is_list and max(cues.lengths_of_lists(folded), default=0) >= 3),
        }

    def _proposal(self, i: int) -> dict[str, float]:
        """Does a sentence say what the paper proposes? That matters the more, the fewer of the question's words the paper holds."""
        proposes = float(self.says[i].proposes)
        absent = 1.0 - self.matcher.weighted(self.met.max(axis=0))
        return {
            "proposes": proposes,
            "contribution": proposes * absent,
            "names_own": float(i == self._first_named()) * absent,
            "lean_context": float(leans(self.sentences[i].folded)) * self.matcher.weighted(self._before(i)),
        }

    def _names(self, i: int) -> dict[str, float]:
        """Does a sentence hold a name, or several, where names are asked for, and a word for that kind of thing?"""
        found = cues.new_names(self.question, self.paper, self._quote(i))
        typed = any(kind.search(self.sentences[i].folded) for kind in self.asks.types)
        return {
            "entity": float(self.asks.entity and bool(found)),
            "name": float(bool(found)),
            "names": float(self.asks.entity and self.asks.plural and len(found) > 1),
            "typed": float(typed),
            "typed_name": float(typed and bool(found)),
        }

    def _results(self, i: int) -> dict[str, float]:
        """Does a sentence tell of results, asked for or not, and does it speak of the method that the question names?"""
        kind, says, asks = self.question.kind, self.says[i], self.asks
        return {
            "result_wanted": float(asks.result and says.result),
            "experiment_unasked": float(says.experiment and not (asks.result or asks.evaluation)),
            "experiment_defines": float(kind is Kind.DEFINITION and says.experiment),
            "experiment_checks": float(kind is Kind.YES_NO and says.experiment),
            "evaluation": float(asks.evaluation and says.setting and says.experiment),
            "named": float(any(name in self.sentences[i].folded for name in self.question.names)),
        }

    def _role(self, i: int) -> dict[str, float]:
        """Is a sentence background, the proposal or its test? Who tells a need in own words looks for the proposal."""
        proposal = next((j for j, says in enumerate(self.says) if says.proposes), 0)
        background, need = float(i < proposal), float(self.asks.in_own_words)
        why = self.asks.problem or self.question.kind is Kind.WHY
        return {
            "background": background,
            "background_why": background * float(why),
            "need_proposes": need * float(self.says[i].proposes),
            "need_first": need * float(i == proposal and self.says[i].proposes),
            "need_experiment": need * float(self.says[i].experiment),
            "need_background": need * background,
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

    def _quote(self, i: int) -> str:
        span = self.sentences[i].span
        return self.paper.abstract[span.start : span.end]

    def _weighted(self, met: NDArray[np.float64], mask: NDArray[np.bool_]) -> float:
        """Share of the masked words that is met, each counting by its rarity; 0 where there are none."""
        total = float(self.matcher.rarity[mask].sum())
        return float((self.matcher.rarity * met)[mask].sum()) / total if total > 0 else 0.0

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


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBER_WORDS


def _window(place: int, reach: tuple[int, int]) -> slice:
    """Places from some before to some after a place."""
    return slice(max(0, place - reach[0]), place + reach[1])


def _bigram_overlap(question: Question, sentence: SentenceTerms) -> float:
    """Share of the neighbouring content words of the question that are neighbours in the sentence; 0 for a question of one word."""
    pairs = set(pairwise(text.stem(word) for word in question.words))
    there = set(pairwise(text.stem(word.text) for word in text.words(sentence.folded)))
    return len(pairs & there) / len(pairs) if pairs else 0.0
