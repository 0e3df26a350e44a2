"""What an answer is: value types that every answerer makes and every interface renders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rag_qa.papers import Paper
from rag_qa.retrieval.filters import NOT_NARROWED, Narrowing


class Status(StrEnum):
    """How a sentence stands to what it cites."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"
    UNKNOWN_CITATION = "unknown-citation"
    RECORD = "record"
    """It tells what the record of the cited paper says (its authors, its year), and quotes no abstract."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim span of a cited abstract: `abstract[start:end] == quote`, `source` is the number in the source list."""

    source: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check says of one sentence; `why` is a reason in words, empty when it is simply supported."""

    status: Status
    evidence: tuple[Evidence, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without its markers, and the numbers of the sources that it cites.

    `removed` holds markers of the model for sources that do not exist; they are not in `text`.
    `lead` is text of ours in front of the sentence (a label of a group), never part of what is checked.
    """

    text: str
    citations: tuple[int, ...] = ()
    verdict: Verdict = Verdict(Status.UNCITED)
    removed: tuple[str, ...] = ()
    lead: str = ""

    @property
    def marked(self) -> str:
        """The sentence as shown, with its markers.

        >>> Sentence("It is fast.", (1, 2)).marked
        'It is fast. [1][2]'
        """
        markers = "".join(f"[{n}]" for n in self.citations)
        return " ".join(part for part in (self.lead, self.text, markers) if part)


@dataclass(frozen=True, slots=True)
class Source:
    """A cited paper. `n` is its number in reading order, from 1; None for a related paper that is not cited.

    `score` is the retriever's (higher is better, comparable within one answer only).
    """

    paper: Paper
    score: float
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model was paid for; None where the server did not say. `cost_usd` None: unknown, never 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A checked answer, or a refusal (`abstained` holds its reason; then there are no sentences and no sources).

    `confidence` in [0, 1] says how sure we are that the library answers the question (higher is surer).
    `timings` are seconds by stage. `narrowing`: what the papers had to be to be looked at. `preface`: words of ours before the
    sentences, such as how many papers there are; they say nothing of what a paper says. `unanswered`: what of a question that asks several things
    the papers do not answer, in its own words. `is_aside`: nothing was asked of the papers (a greeting, "What are you?"), so that `abstained` says
    something in return and refuses nothing.
    """

    question: str
    understood_as: str
    sentences: tuple[Sentence, ...] = ()
    sources: tuple[Source, ...] = ()
    abstained: str | None = None
    related: tuple[Source, ...] = ()
    confidence: float = 0.0
    model: str = "extractive"
    usage: Usage | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    notice: str = ""
    preface: str = ""
    narrowing: Narrowing = NOT_NARROWED
    unanswered: tuple[str, ...] = ()
    is_aside: bool = False

    @property
    def text(self) -> str:
        """The answer with its markers and what of the question it leaves open, or the refusal."""
        if self.abstained is not None:
            return self.abstained
        return " ".join(part for part in (self.preface, *(sentence.marked for sentence in self.sentences), self.left_open) if part)

    @property
    def left_open(self) -> str:
        """What of the question is not answered, in words; "" if all of it is. A refusal says it itself.

        >>> Answer("What is it and how fast is it?", "", (Sentence("It is a moss.", (1,)),), unanswered=("how fast is it",)).left_open
        'Not answered by these papers: “how fast is it”.'
        """
        if self.abstained is not None or not self.unanswered:
            return ""
        return f"Not answered by these papers: {', '.join(f'“{part}”' for part in self.unanswered)}."


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the work has begun: something to show while a person waits."""

    name: str
    understood_as: str = ""
    narrowing: Narrowing = NOT_NARROWED
    preface: str = ""


AnswerEvent = Step | Sentence | Answer
"""What streams out of an answerer: steps, then checked sentences with final numbers, then the whole answer."""
