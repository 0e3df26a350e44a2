"""Fit which sentence of a paper answers: `python -m eval.fit_sentences` writes rag_qa/answering/sentence_weights.json.

List-wise logistic regression over the sentences of the right paper (softmax; the sentences that hold an asked fact are the target), with weights for
every question and smaller ones that are added for those that name something and those that do not, and for each kind. Another one over the papers
that were found: what reading them with the question adds to the scores of the search (see `rag_qa.answering.reread`). Beside them one number is
printed, which stands in `rag_qa.answering.composing`: how sharply the scores of the papers tell the right one from the others, for questions in free
words. The questions: see `eval.practice`. The confidence sees the scores of sentences, so fit that one anew afterwards (`eval.fit_confidence`).

Exit codes: 0 the weights are written (or the data is not on this machine, which is said), 2 they could not be fitted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval import corpus, practice
from eval.datasets.loader import Question
from eval.learning import Array, Row, listwise, softmax
from eval.metrics import facts
from eval.practice import Example, Practice
from rag_qa.answering import confidence, evidence, reread
from rag_qa.answering.evidence import Candidate
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.weights import blank

SHIPPED = corpus.ROOT / "rag_qa" / "answering" / "sentence_weights.json"


_OTHER_HAND = 0.3
"""How much a question of SENTENCES counts: their style is that of one hand."""


# ------------------------------------------------------------------------------------------------------------ the sentence


def sentence_rows(answerer: ExtractiveAnswerer, found: Sequence[Example], *, counts: float = 1.0) -> list[Row]:
    """A row for every answerable question about one paper."""
    rows = []
    for example in found:
        right = [hit for hit in example.every if hit.paper.id in example.question.papers]
        if not example.question.answerable or len(example.question.papers) != 1 or not right:
            continue
        reading = answerer.read(example.question.text, right)
        if reading is None:
            continue
        candidates = reading.sentences_of(0)
        target = np.array([_held(candidate, example.question) for candidate in candidates])
        if target.sum() > 0:
            features = np.stack([candidate.features for candidate in candidates])
            groups = ("every", named(anchored=reading.assessment.anchored), str(reading.question.kind))
            rows.append(Row(features, target / target.sum(), groups, counts))
    return rows


def named(*, anchored: bool) -> str:
    """The group of a question that names something in the best paper, or does not."""
    return "anchored" if anchored else "free"


def _held(candidate: Candidate, question: Question) -> float:
    """Share of the asked facts that a sentence holds."""
    return float(np.mean(facts.groups_met(candidate.quote, question.facts)))


# -------------------------------------------------------------------------------------------------------------- the paper


@dataclass(frozen=True, slots=True)
class PaperRow:
    """Papers that were found for a question: their `scores`, shape (papers,), what reading says of the first ones, shape (papers read, 2), and the
    `place` of the right one. `is_free`: the question names nothing.
    """

    scores: Array
    read: Array
    place: int
    is_free: bool

    def reread(self, weights: Array) -> Array:
        """The scores with what reading adds (see `rag_qa.answering.reread`)."""
        added = self.read @ weights
        found: Array = self.scores + np.r_[added, np.full(len(self.scores) - len(added), added.min())]
        return found


def paper_rows(answerer: ExtractiveAnswerer, found: Sequence[Example]) -> list[PaperRow]:
    """A row for every answerable question about one paper that was found."""
    rows = []
    for example in found:
        hits = reread.ranked(example.hits)
        places = [i for i, hit in enumerate(hits) if hit.paper.id in example.question.papers]
        if not example.question.answerable or len(example.question.papers) != 1 or not places:
            continue
        reading = answerer.read(example.question.text, hits)
        if reading is not None:
            read = np.stack([reread.features(one) for one in answerer.comprehended(example.question.text, hits)])
            rows.append(PaperRow(np.array([hit.score for hit in hits]), read, places[0], not reading.assessment.anchored))
    return rows


def fit_papers(rows: Sequence[PaperRow]) -> Array:
    """What reading adds to the score of a paper, shape (2,): the weights of a list-wise regression, in units of the weight of the score."""
    among = [row for row in rows if row.place < len(row.read)]
    every = [Row(np.c_[row.scores[: len(row.read)], row.read], np.eye(len(row.read))[row.place], ("every",)) for row in among]
    score, *weights = listwise(every, l2=1.0)["every"]
    found: Array = np.maximum(np.array(weights) / score, 0.0)
    return found


def firsts(rows: Sequence[PaperRow], weights: Array) -> str:
    """Of how many questions the right paper comes first, before and after it is read."""
    before, after = (sum(int(np.argmax(row.reread(by))) == row.place for row in rows) for by in (np.zeros(2), weights))
    return f"right paper first {before} of {len(rows)}, as read {after}"


def fit_sharpness(rows: Sequence[PaperRow], weights: Array) -> float:
    """The factor by which softmax makes probabilities of scores, of greatest likelihood on a grid from 1 to 100. Higher: the scores tell more."""
    grid = np.arange(1.0, 101.0)
    scores = [(row.reread(weights), row.place) for row in rows if row.is_free]
    likelihood = [sum(float(np.log(softmax(factor * found)[place])) for found, place in scores) for factor in grid]
    return float(grid[int(np.argmax(likelihood))])


# ---------------------------------------------------------------------------------------------------------------- the file


def to_json(weights: Mapping[str, Array], papers: Array, origin: str) -> str:
    """The weights as they are shipped: `rag_qa.answering.weights` reads them."""
    groups = {name: dict(zip(evidence.FEATURES, [round(float(weight), 4) for weight in vector], strict=True)) for name, vector in weights.items()}
    read = dict(zip(reread.FEATURES, [round(float(weight), 5) for weight in papers], strict=True))
    return json.dumps({"origin": origin, "paper": read, "sentence": groups}, indent=2) + "\n"


def rows_of(practised: Practice) -> tuple[list[Row], list[PaperRow]]:
    """(rows of sentences, rows of papers) of one set of papers."""
    answerer = practised.answerer(blank(evidence.FEATURES, confidence.FEATURES, reread.FEATURES))
    counts = {practice.SENTENCES.name: _OTHER_HAND}
    sentences = [row for name, found in practised.examples.items() for row in sentence_rows(answerer, found, counts=counts.get(name, 1.0))]
    papers = [row for name, found in practised.examples.items() if name not in counts for row in paper_rows(answerer, found)]
    return sentences, papers


def fit(papers: Path) -> tuple[str, list[str]]:
    """(weights as they are shipped, how sharp the scores of papers are). Raises DataAbsent without the data set, RagQAError."""
    sentences: list[Row] = []
    ranked: list[PaperRow] = []
    said = []
    for i, questions in enumerate(practice.QUESTIONS):
        with practice.practising([questions, *([practice.SENTENCES] if i == 0 else [])], papers=papers) as practised:
            rows, more = rows_of(practised)
            said.append(practised.said)
        sentences += rows
        ranked += more
    papers_read = fit_papers(ranked)
    origin = f"python -m eval.fit_sentences, {'; '.join(said)}"
    lines = [firsts(ranked, papers_read), f"sharpness of the scores {fit_sharpness(ranked, papers_read):.0f}"]
    return to_json(listwise(sentences), papers_read, origin), lines


def main(*, papers: Path = corpus.ICLR, to: Path = SHIPPED) -> int:
    """Fit, write the weights, and say how it ended (see the exit codes above)."""
    return practice.written(fit, papers=papers, to=to)


if __name__ == "__main__":
    sys.exit(main())
