"""The check: a sentence and the papers that it cites -> a verdict with the evidence span. Offline, no model.

Exact match after folding comes first. Otherwise the sentence must be covered by one or two sentences of a paper that it cites, its numbers with
their units, its names, its negation and its direction must agree with them, and the verdict says in words what does not.

What it cannot see: a paraphrase that shares hardly a word with the abstract is called unsupported, and a contradiction that is told
without a number, a name, a negation or a word of direction ("weak" for "strong") can pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.answering.answer import Evidence, Status, Verdict
from rag_qa.answering.evidence import SentenceTerms, WordSimilarity, sentence_terms
from rag_qa.papers import Paper

SUPPORTED_FROM = 0.62
"""Share of a sentence's weight that its evidence must cover."""

_SECOND_SENTENCE_ADDS = 0.12  # a second sentence of evidence must cover this much more
_SAME_CLAIM_FROM = 0.5  # two sentences are about the same thing from here on, so that their negations and directions can be compared

_NEGATION = re.compile(r"\b(?:not|no|never|cannot|neither|nor|none|hardly|without)\b|n't\b")
_QUANTITY = re.compile(r"(?<![\w.])(?P<sign>[-+−~<>≤≥]?)\s?\$?(?P<value>\d+(?:[.,]\d+)*)\s?(?P<unit>%|×|percentage[- ]points?|percent|points?|times|fold|x\b|billion|million|thousand|[bkm]\b|bits?|gpus?|hours?|days?)?")
_UNITS = {"percent": "%", "x": "×", "times": "×", "fold": "×", "b": "billion", "m": "million", "k": "thousand"}
_NUMBER_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_UP = "increas|improv|rais|higher|more|larger|greater|faster|better|outperform|gain|boost|enhanc|accelerat|grow|rise|exceed|surpass|superior|strengthen|maximi"
_DOWN = "decreas|reduc|lower|less|fewer|smaller|slower|worse|underperform|loss|drop|degrad|diminish|declin|shrink|fall|inferior|weaken|minimi|hurt"
_DIRECTIONS = (("up", re.compile(rf"\b(?:{_UP})\w*\b")), ("down", re.compile(rf"\b(?:{_DOWN})\w*\b")))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, as compared: "67%", "1.67×"."""

    value: str
    unit: str

    def __str__(self) -> str:
        return f"{self.value} {self.unit}" if self.unit.isalpha() else f"{self.value}{self.unit}"


class GroundingCheck:
    """Judges sentences. `similarity` (words -> unit vectors) lets synonyms count; without it only equal stems do."""

    def __init__(self, similarity: WordSimilarity | None = None) -> None:
        self._similarity = similarity

    def __call__(self, sentence: str, cited: Sequence[tuple[int, Paper]], given: Sequence[Paper] = ()) -> Verdict:
        """A verdict for a sentence without its markers. `cited`: (number in the source list, paper); `given`: all papers that could be cited."""
        if not cited:
            return Verdict(Status.UNCITED, why="it cites nothing")
        if found := _verbatim(sentence, cited):
            return Verdict(Status.SUPPORTED, (found,))
        claim = _claim(sentence)
        if not claim.words:
            return Verdict(Status.UNSUPPORTED, why="it says nothing that could be checked")
        names = _names(sentence)
        best = max((self._compare(claim, names, n, paper) for n, paper in cited), key=lambda m: (m.agrees, m.coverage))
        if best.agrees:
            return Verdict(Status.SUPPORTED, tuple(best.evidence))
        elsewhere = [paper for paper in given if all(paper.id != other.id for _, other in cited)]
        for paper in elsewhere:
            if self._compare(claim, names, 0, paper).agrees or _verbatim(sentence, [(0, paper)]):
                return Verdict(Status.UNSUPPORTED, tuple(best.evidence), f"this is said by another paper ({paper.label}), not by the one cited")
        return Verdict(best.status, tuple(best.evidence), best.why)

    def _compare(self, claim: SentenceTerms, names: Sequence[str], n: int, paper: Paper) -> _Match:
        sentences = sentence_terms(paper.abstract)
        weights = np.array([_weight(word) for word in claim.words])
        met = np.stack([self._met(claim.words, s) for s in sentences])
        chosen = _windows(met, weights)
        coverage = _coverage(met[chosen].max(axis=0), weights)
        evidence = [_evidence(n, paper, sentences[i].span) for i in sorted(chosen)]
        problem = _disagreement(claim, names, [sentences[i] for i in chosen], paper, coverage)
        if problem:
            return _Match(coverage, False, *problem, evidence)
        if coverage < SUPPORTED_FROM:
            missing = [word for word, m in zip(claim.words, met[chosen].max(axis=0), strict=True) if m < 0.4]
            return _Match(coverage, False, Status.UNSUPPORTED, f"the abstract says nothing about {_quoted(missing)}" if missing else "the abstract does not say this", evidence)
        return _Match(coverage, True, Status.SUPPORTED, "", evidence)

    def _met(self, words: Sequence[str], sentence: SentenceTerms) -> NDArray[np.float64]:
        exact = np.array([float(_stands(word, sentence.terms)) for word in words])
        if self._similarity is None or not sentence.words:
            return exact
        nearest = (self._similarity(list(words)) @ self._similarity(list(sentence.words)).T).max(axis=1)
        # names and numbers have no synonyms
        soft = np.where([word[0].isdigit() for word in words], 0.0, 0.8 * np.clip((nearest - 0.35) / 0.35, 0.0, 1.0))
        return np.maximum(exact, soft)


@dataclass(frozen=True, slots=True)
class _Match:
    coverage: float
    agrees: bool
    status: Status
    why: str
    evidence: Sequence[Evidence]


@lru_cache(maxsize=1024)
def _claim(sentence: str) -> SentenceTerms:
    """The sentence in the form in which abstracts are compared."""
    found = sentence_terms(" ".join(sentence.split()))
    words = tuple(dict.fromkeys(w for s in found for w in s.words))
    terms = frozenset().union(*(s.terms for s in found)) if found else frozenset()
    return SentenceTerms(text.Span(0, len(sentence)), text.fold(sentence).text, words, terms, frozenset().union(*(s.numbers for s in found)) if found else frozenset())


def _verbatim(sentence: str, cited: Sequence[tuple[int, Paper]]) -> Evidence | None:
    """Where the sentence stands word for word in a cited abstract (after folding), from its first word to its last."""
    wanted = text.fold(sentence).text.strip(" .;:,!?\"'")
    if len(wanted.split()) < 3:
        return None
    for n, paper in cited:
        folded = text.fold(paper.abstract)
        at = folded.text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if not (at and folded.text[at - 1].isalnum()) and not (end < len(folded.text) and folded.text[end].isalnum()):
                start, stop = folded.span(at, end)
                return _evidence(n, paper, _with_full_stop(paper.abstract, start, stop))
            at = folded.text.find(wanted, at + 1)
    return None


def _with_full_stop(abstract: str, start: int, end: int) -> text.Span:
    while end < len(abstract) and abstract[end] in ".!?)\"'”’":
        end += 1
    return text.Span(start, end)


def _evidence(n: int, paper: Paper, span: text.Span) -> Evidence:
    return Evidence(n, span.start, span.end, paper.abstract[span.start : span.end])


def _stands(word: str, terms: frozenset[str]) -> bool:
    whole, *parts = text.word_terms(word)
    return whole in terms or (bool(parts) and all(part in terms for part in parts)) or _NUMBER_WORDS.get(word, "") in terms


def _weight(word: str) -> float:
    """Long and rare-looking words tell more than short ones; words of every abstract tell least."""
    if word in text.QUESTION_WORDS or word in _COMMON:
        return 0.5
    return 1.5 if any(c.isdigit() for c in word) or "-" in word else 1.0


_COMMON = frozenset("method methods approach approaches model models result results performance task tasks data show shows also new based".split())


def _coverage(met: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return float((met * weights).sum() / weights.sum())


def _windows(met: NDArray[np.float64], weights: NDArray[np.float64]) -> list[int]:
    """The sentence that covers most, and a second one if it adds enough."""
    single = [_coverage(row, weights) for row in met]
    best = int(np.argmax(single))
    added = [_coverage(np.maximum(met[best], row), weights) - single[best] for row in met]
    second = int(np.argmax(added))
    return [best, second] if added[second] >= _SECOND_SENTENCE_ADDS else [best]


def _disagreement(claim: SentenceTerms, names: Sequence[str], evidence: Sequence[SentenceTerms], paper: Paper, coverage: float) -> tuple[Status, str] | None:
    """What in the claim goes against its evidence: (status, reason), or None."""
    folded = " ".join(s.folded for s in evidence)
    if problem := _number_problem(claim, folded, coverage):
        return problem
    if names := [name for name in names if not _name_stands(name, paper)]:
        return Status.UNSUPPORTED, f"{_quoted(names)} does not stand in the cited abstract"
    if coverage < _SAME_CLAIM_FROM:
        return None
    first = evidence[0].folded
    if bool(_NEGATION.search(claim.folded)) != bool(_NEGATION.search(folded)) and bool(_NEGATION.search(claim.folded)) != bool(_NEGATION.search(first)):
        said = "denies" if _NEGATION.search(claim.folded) else "affirms"
        return Status.CONTRADICTED, f"the sentence {said} what the abstract {'affirms' if said == 'denies' else 'denies'}"
    return _direction_problem(claim.folded, folded)


def _number_problem(claim: SentenceTerms, evidence: str, coverage: float) -> tuple[Status, str] | None:
    there = list(_quantities(evidence))
    for quantity in _quantities(claim.folded):
        if quantity in there or (not quantity.unit and any(quantity.value == other.value for other in there)):
            continue
        same_value = [other for other in there if other.value == quantity.value]
        same_unit = [other for other in there if other.unit == quantity.unit and quantity.unit]
        for other in (*same_value, *same_unit):
            return Status.CONTRADICTED, f"the abstract says {other}, the sentence says {quantity}"
        status = Status.CONTRADICTED if coverage >= _SAME_CLAIM_FROM and there else Status.UNSUPPORTED
        return status, f"the number {quantity} does not stand in the evidence"
    return None


def _quantities(folded: str) -> Iterator[Quantity]:
    """Numbers with their units in a folded text.

    >>> [str(q) for q in _quantities("a gain of 1.67× with 32 gpus and 30 percent less")]
    ['1.67×', '32 gpus', '30%']
    """
    for match in _QUANTITY.finditer(folded):
        unit = (match["unit"] or "").replace("-", " ")
        value = match["value"].replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", match["value"]) else match["value"]
        yield Quantity(value, _UNITS.get(unit, unit))
    for word in text.words(folded):
        if word.text in _NUMBER_WORDS:
            yield Quantity(_NUMBER_WORDS[word.text], "")


def _direction_problem(claim: str, evidence: str) -> tuple[Status, str] | None:
    said = {name: bool(pattern.search(claim)) for name, pattern in _DIRECTIONS}
    there = {name: bool(pattern.search(evidence)) for name, pattern in _DIRECTIONS}
    for way, other in (("up", "down"), ("down", "up")):
        if said[way] and not said[other] and there[other] and not there[way]:
            word = dict(_DIRECTIONS)[way].search(claim)
            against = dict(_DIRECTIONS)[other].search(evidence)
            assert word and against
            return Status.CONTRADICTED, f"the sentence says “{word.group()}” where the abstract says “{against.group()}”"
    return None


def _names(sentence: str) -> list[str]:
    """Names of methods, data sets and models in a sentence, as written.

    >>> _names("NetMoE beats GPT-4o by 2 points.")
    ['NetMoE', 'GPT-4o']
    """
    tokens = (token.strip("\"'“”‘’()[]{},.;:*!?").removesuffix("'s").removesuffix("’s") for token in sentence.split())
    return [token for token in tokens if text.is_name(token)]


def _name_stands(name: str, paper: Paper) -> bool:
    folded = text.fold(f"{paper.title or ''} {paper.abstract}").text
    wanted = text.fold(name).text
    return any(re.search(rf"(?<![^\W_]){re.escape(form)}", folded) for form in {wanted, wanted.removesuffix("s"), wanted.replace("-", " ")})


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:4])
