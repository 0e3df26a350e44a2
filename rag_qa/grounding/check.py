"""The check: a sentence and the papers that it cites -> a verdict with the evidence span. Offline, no model.

Exact match after folding comes first. Otherwise the sentence must be likely to be borne out by a paper that it cites (`likelihood`) or covered by a
few sentences of it, each part of it; and its numbers with their units, its names, its denials, its directions and who is compared with whom must
agree with them (`rag_qa.disagreement`). The verdict says in words what does not.

What it cannot see is told in docs/citations.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.answering.answer import Evidence, Status, Verdict
from rag_qa.answering.evidence import WordSimilarity
from rag_qa.claims import Claim, claim, may_cover, name_stands, view
from rag_qa.disagreement import problems
from rag_qa.grounding import likelihood
from rag_qa.grounding.likelihood import Weights
from rag_qa.papers import Paper

_SHOWN_FROM = 0.25  # evidence that covers less of a sentence has nothing to do with it


class GroundingCheck:
    """Judges sentences. `similarity` (words -> unit vectors) lets synonyms count; without it only equal stems and a list of synonyms do. `weights`:
    of the likelihood, the shipped ones if none are given.
    """

    def __init__(self, similarity: WordSimilarity | None = None, *, weights: Weights | None = None) -> None:
        self._similarity = similarity
        self._weights = weights or likelihood.shipped()

    def __call__(self, sentence: str, cited: Sequence[tuple[int, Paper]], given: Sequence[Paper] = ()) -> Verdict:
        """A verdict for a sentence without its markers. `cited`: (number in the source list, paper); `given`: all papers that could be cited."""
        if not cited:
            return Verdict(Status.UNCITED, why="it cites nothing")
        if found := _verbatim(sentence, cited):
            return Verdict(Status.SUPPORTED, (found,))
        made = claim(sentence)
        if not made.words:
            return Verdict(Status.UNSUPPORTED, why="it says nothing that could be checked")
        best = self._best(made, cited)
        if best.status is Status.SUPPORTED:
            return Verdict(Status.SUPPORTED, best.evidence)
        evidence = best.evidence if best.coverage >= _SHOWN_FROM else ()
        if other := self._said_by_another(made, cited, given):
            return Verdict(Status.UNSUPPORTED, evidence, f"this is said by another paper ({other.label}), not by the one cited")
        return Verdict(best.status, evidence, best.why)

    def score(self, sentence: str, paper: Paper) -> float:
        """How likely a paper bears a sentence out, 0 to 1; 1 if it stands there word for word."""
        if _verbatim(sentence, [(1, paper)]):
            return 1.0
        made = claim(sentence)
        seen = view(made, paper, self._similarity) if made.words else None
        return likelihood.likelihood(seen, self._weights) if seen else 0.0

    def _best(self, made: Claim, cited: Sequence[tuple[int, Paper]]) -> _Match:
        best = self._of_one(made, cited)
        if best.status is Status.SUPPORTED or len(cited) == 1:
            return best
        return self._of_all(made, cited) or best

    def _of_one(self, made: Claim, cited: Sequence[tuple[int, Paper]]) -> _Match:
        """The paper that bears a claim out best."""
        return max((self._compare(made, n, paper) for n, paper in cited), key=lambda match: (match.status is Status.SUPPORTED, match.coverage))

    def _of_all(self, made: Claim, cited: Sequence[tuple[int, Paper]]) -> _Match | None:
        """Several papers together: each part of the sentence is borne out by one of them, or each of them bears out what it says of all ("both")."""
        for way in (self._by_parts(made, cited), self._by_papers(made, cited)):
            matches = list(way)
            if matches and all(match.status is Status.SUPPORTED for match in matches):
                evidence = dict.fromkeys(one for match in matches for one in match.evidence)
                return _Match(min(match.coverage for match in matches), Status.SUPPORTED, "", tuple(evidence))
        return None

    def _by_parts(self, made: Claim, cited: Sequence[tuple[int, Paper]]) -> Iterator[_Match]:
        parts = [claim(part) for part in _PART.split(made.sentence)]
        if len(parts) > 1 and all(len(part.words) > 1 for part in parts):
            yield from (self._of_one(part, cited) for part in parts)

    def _by_papers(self, made: Claim, cited: Sequence[tuple[int, Paper]]) -> Iterator[_Match]:
        known = [name for name in made.names if any(name_stands(name, paper) for _, paper in cited)]
        for n, paper in cited:
            yield self._compare(made.without([name for name in known if not name_stands(name, paper)]), n, paper)

    def _said_by_another(self, made: Claim, cited: Sequence[tuple[int, Paper]], given: Sequence[Paper]) -> Paper | None:
        known = {paper.id for _, paper in cited}
        others = (paper for paper in given if paper.id not in known and may_cover(made, paper))
        return next((paper for paper in others if self._says(made, paper)), None)

    def _says(self, made: Claim, paper: Paper) -> bool:
        return _verbatim(made.sentence, [(0, paper)]) is not None or self._compare(made, 0, paper).status is Status.SUPPORTED

    def _compare(self, made: Claim, n: int, paper: Paper) -> _Match:
        seen = view(made, paper, self._similarity) if made.words else None
        if seen is None:
            return _Match(0.0, Status.UNSUPPORTED, "the abstract does not say this", ())
        found = problems(seen, lambda: likelihood.likelihood(seen, self._weights))
        status, why = next(found, (Status.SUPPORTED, ""))
        evidence = tuple(_evidence(n, paper, seen.sentences[i].terms.span) for i in sorted(seen.places))
        return _Match(seen.coverage, status, why, evidence)


_PART = re.compile(
    r"\s*[,;:]\s+(?=(?:and|but|while|whereas|which|where|so|although|because|as|since|even|thereby|who|thus)\b)|\s*[;:]\s+"
    r"|\s+(?=(?:while|whereas|which|because|although|but)\b)"
)


@dataclass(frozen=True, slots=True)
class _Match:
    coverage: float
    status: Status
    why: str
    evidence: tuple[Evidence, ...]


# --------------------------------------------------------------------------------------------------------------- verbatim

_FEWEST_WORDS = 3
_REPORTS = re.compile(
    r"^(?:according to (?:the )?(?:paper|abstract|author|study|authors|studies), "
    r"|(?:in (?:this|the) (?:paper|study|work), )?(?:the )?(?:authors?|paper|study|abstract|work|results?|experiments?) (?:also |further )?"
    r"(?:show|find|report|state|say|demonstrate|suggest|note|argue|indicate|reveal|conclude|confirm)(?:s|ed)? that )"
)
_TAKES_BACK = re.compile(
    r"\b(?:no|not|never|cannot|without|neither|nor|none|fails?|unable|whether|if|unlike|rather than|instead of|hypothesi[sz]e|assum\w+|lack\w*)\b"
    r"|n't\b"
)


def _verbatim(sentence: str, cited: Sequence[tuple[int, Paper]]) -> Evidence | None:
    """Where the sentence stands word for word in a cited abstract (after folding), from its first word to its last."""
    wanted = _REPORTS.sub("", text.fold(sentence).text.strip(" .;:,!?\"'"))
    if len(wanted.split()) < _FEWEST_WORDS:
        return None
    for n, paper in cited:
        folded = text.fold(paper.abstract)
        at = folded.text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if _says_so(folded.text, at, end):
                start, stop = folded.span(at, end)
                return _evidence(n, paper, _with_full_stop(paper.abstract, start, stop))
            at = folded.text.find(wanted, at + 1)
    return None


def _says_so(folded: str, at: int, end: int) -> bool:
    """Does a slice begin and end with whole words, and does nothing in front of it in its clause take it back ("it is not known whether ...")?"""
    if (at and folded[at - 1].isalnum()) or (end < len(folded) and folded[end].isalnum()):
        return False
    before = re.split(r"[.!?:;]\s|, ", folded[:at])[-1]
    return not _TAKES_BACK.search(before)


def _with_full_stop(abstract: str, start: int, end: int) -> text.Span:
    while end < len(abstract) and abstract[end] in ".!?)}$*`\"'”’":
        end += 1
    return text.Span(start, end)


def _evidence(n: int, paper: Paper, span: text.Span) -> Evidence:
    return Evidence(n, span.start, span.end, paper.abstract[span.start : span.end])
