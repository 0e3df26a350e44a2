"""Development questions with what is found for them: what the weights of the answerer are fitted on.

All are over other papers than the seeds; the question sets over the seeds, and those that are kept for reporting, are never fitted on.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from eval import corpus
from eval.datasets import loader
from eval.datasets.loader import Kind, Question
from rag_qa.answering.extractive import ExtractiveAnswerer
from rag_qa.answering.weights import Weights
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.retrieval.hits import Hit
from rag_qa.settings import load

_FOLDER = Path(__file__).resolve().parent / "datasets"
QUESTIONS = (_FOLDER / "iclr_dev.jsonl", _FOLDER / "iclr_more.jsonl")
"""Sets with unanswerable questions among them; each has its own papers beside it."""
OFF_TOPIC, OFF_TOPIC_AUTHOR = _FOLDER / "off_topic.jsonl", "z"
"""Questions that no library of the field answers: they are asked of the papers of each of QUESTIONS."""
FOLLOW_UPS = _FOLDER / "iclr_dialogues.jsonl"
"""A set of which the follow-ups are taken, as the program understands them; it has its own papers beside it."""
SENTENCES = _FOLDER / "iclr_sentences.jsonl"
"""A set of answerable questions over the papers of the first of QUESTIONS."""


_KINDS = {FOLLOW_UPS: (Kind.FOLLOWUP,)}

FURTHER = 12
"""Papers beyond those that are answered from: more than any question is about, so that its own can be taken away."""


FITTED, COULD_NOT_FIT = 0, 2
"""Exit codes of the commands that fit: the weights are written (or the data is not on this machine, which is said); they could not be fitted."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what was found for it: `hits` are what the engine answers from, `every` more papers of the library, best first."""

    question: Question
    hits: Sequence[Hit]
    every: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Practice:
    """The examples over one set of papers, by the names of the files of questions, and who answers from them."""

    examples: Mapping[str, Sequence[Example]]
    answerer: Callable[[Weights], ExtractiveAnswerer]
    papers: int

    @property
    def said(self) -> str:
        """What it is, in words."""
        sets = " and ".join(f"{len(found)} questions of {name}" for name, found in self.examples.items())
        return f"{sets} over {self.papers} ICLR 2025 abstracts"


@contextmanager
def practising(files: Sequence[Path], *, papers: Path, whole: bool = True) -> Iterator[Practice]:
    """Index the papers that stand beside the first file, and search for every question of the files over them: for all papers, or, unless it must be
    the `whole` ranking, for a few more than are answered from, which is many times as quick.

    Raises corpus.DataAbsent without the data set, RagQAError.
    """
    ids = files[0].with_name(f"{files[0].stem}_papers.txt")
    with tempfile.TemporaryDirectory(prefix="rag-qa-fit-", ignore_cleanup_errors=True) as folder:
        made = corpus.from_ids(ids, Path(folder), papers=papers)
        engine = Engine(load(data_dir=folder, answerer="extractive", embedder="minilm"))
        engine.index([made.path])
        asked = {
            path.name: loader.resolve(loader.load(path, kinds=_KINDS.get(path, ())), engine.papers(), path=path, abstracts=made.abstracts)
            for path in files
        }
        found = {name: examples(engine, questions, whole=whole) for name, questions in asked.items()}
        yield Practice(found, engine.extractive, len(made.abstracts))


def examples(engine: Engine, questions: Sequence[Question], *, whole: bool = True) -> list[Example]:
    """Questions with what was found for them; of a follow-up, with what was found for the question that it was understood as."""
    papers = len(engine.papers()) if whole else engine.settings.top_k + FURTHER
    alone = [_alone(engine, question) for question in questions]
    rankings = [engine.search(question.text, k=papers) for question in alone]
    return [Example(question, every[: engine.settings.top_k], every) for question, every in zip(alone, rankings, strict=True)]


def _alone(engine: Engine, question: Question) -> Question:
    """The question so that it stands alone."""
    if not question.history:
        return question
    answer = engine.ask(question.text, history=question.history)
    return replace(question, text=answer.understood_as or question.text)


def written(fit: Callable[[Path], tuple[str, Sequence[str]]], *, papers: Path, to: Path) -> int:
    """Fit on the papers of a data set, write the weights, print what is said of them, and give the exit code. `fit` gives (weights, lines)."""
    try:
        weights, said = fit(papers)
        to.write_text(weights, encoding="utf-8")
    except corpus.DataAbsent as absent:
        print(f"SKIPPED: {absent}")
        return FITTED
    except (RagQAError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT_FIT
    print("\n".join(said))
    return FITTED
