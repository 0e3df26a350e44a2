"""`python -m eval feedback`: what people said of answers (see rag_qa.interfaces.feedback) becomes cases that a run asks.

A good answer is a regression case, accepted: the papers that it cites, and the words that it quotes. A bad one is a case to look at, proposed, with
what is known of the right answer and nothing else. Votes on the same question are one case; those that contradict each other are said.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from eval.datasets import loader
from eval.datasets.loader import Status
from eval.metrics import facts
from eval.proposals.proposal import counted
from rag_qa import settings, text
from rag_qa.errors import RagQAError, SourceError
from rag_qa.interfaces import new_files
from rag_qa.interfaces.feedback import Reason, Verdict, file_of

HELP = "turn what people said of answers, on the page and in the chat, into cases that a run asks"


class FeedbackError(RagQAError):
    """There is nothing to make cases of; the message says what to do."""


class _Source(BaseModel):
    paper_id: str
    label: str


class _Quote(BaseModel):
    paper_id: str
    quote: str


class Vote(BaseModel):
    """A line of the file, as far as a case needs it; what a later version adds is left aside."""

    model_config = ConfigDict(frozen=True)

    date: str
    key: str
    verdict: Verdict
    reason: Reason | None
    comment: str
    question: str
    history: tuple[str, ...]
    narrowed_to: str
    answer: str
    is_refusal: bool
    sources: tuple[_Source, ...]
    quotes: tuple[_Quote, ...]

    @property
    def asked(self) -> tuple[str, ...]:
        """What makes two questions the same: their words, those before them, and the papers that they are asked of."""
        return (*map(text.folded, self.history), text.folded(self.question), self.narrowed_to)


@dataclass(frozen=True, slots=True)
class Case:
    """A line for a file of questions, and whether the votes behind it contradict each other."""

    record: Mapping[str, Any]
    votes: int
    contradicts_itself: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """The last vote on each answer, and the lines that are none, with the reason."""

    votes: Sequence[Vote]
    unread: Sequence[str] = ()


# ---------------------------------------------------------------------------------------------------------------- reading


def read(path: Path) -> Read:
    """The votes of a file; of several on one answer the last, and none that was taken back. Raises SourceError for a file that can't be read.

    A line that is no vote (one that was cut short) is told and does not hide the others.
    """
    try:
        content = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SourceError(path, None, found=error.strerror or str(error), expected="a readable file of feedback") from None
    last: dict[str, Vote] = {}
    unread: list[str] = []
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            vote = Vote.model_validate_json(line)
        except ValidationError as error:
            unread.append(f"{path}:{number}: {_first(error)}")
        else:
            last[vote.key] = vote
    return Read([vote for vote in last.values() if vote.verdict is not Verdict.TAKEN_BACK], unread)


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg']}" if where else problem["msg"]


# ------------------------------------------------------------------------------------------------------------------ cases


def cases(votes: Sequence[Vote]) -> list[Case]:
    """One case for each question, in the order in which they were first judged."""
    same: dict[tuple[str, ...], list[Vote]] = defaultdict(list)
    for vote in votes:
        same[vote.asked].append(vote)
    return [_case(some) for some in same.values()]


def _case(votes: Sequence[Vote]) -> Case:
    """The last vote says what is known; the others say how sure that is."""
    verdicts = Counter(vote.verdict for vote in votes)
    last = votes[-1]
    known = _known(last)
    contradicts_itself = len(verdicts) > 1
    if contradicts_itself:
        # one of them is wrong, and which one is not for us to say
        known = {"answerable": None}
    is_sure = last.verdict is Verdict.GOOD and not contradicts_itself and not last.narrowed_to
    record: dict[str, Any] = {
        "id": "f-" + sha256("\n".join(last.asked).encode("utf-8", "surrogatepass")).hexdigest()[:8],
        "question": last.question,
        "history": list(last.history),
        **known,
        "status": str(Status.ACCEPTED if is_sure else Status.PROPOSED),
        "rests_on": [] if last.is_refusal else [{"paper": _label(last, one.paper_id), "sentence": one.quote} for one in last.quotes],
        "note": " ".join(_notes(votes, verdicts)),
    }
    return Case({key: value for key, value in record.items() if value or key == "answerable"}, len(votes), contradicts_itself)


def _known(vote: Vote) -> dict[str, Any]:
    """What a vote says of the right answer; what it does not say is left out, and so measured by nothing."""
    papers = list(dict.fromkeys(source.paper_id for source in vote.sources))
    if vote.verdict is Verdict.GOOD:
        return {"answerable": False} if vote.is_refusal else {"answerable": True, "papers": papers, **_facts(vote)}
    match vote.reason:
        case Reason.REFUSE:
            return {"answerable": False}
        case Reason.ANSWER:
            return {"answerable": True}
        case Reason.FACT:
            return {"answerable": True, "papers": papers}  # what was complained of is not the paper
        case Reason.PAPER:
            return {"answerable": True}
    return {"answerable": None}


def _facts(vote: Vote) -> dict[str, Any]:
    """The first quote is what a right answer has to hold, and further ones are welcome. Only words that stand in the answer itself can be asked of
    another one: a model says things in its own.
    """
    quoted = [one.quote for one in vote.quotes if facts.stands_in(one.quote, vote.answer)]
    quoted = list(dict.fromkeys(quoted))
    if not quoted:
        return {}
    welcome = [{"text": one, "vital": False} for one in quoted[1:]]
    return {"facts": [quoted[:1]], **({"nuggets": welcome} if welcome else {})}


def _label(vote: Vote, paper_id: str) -> str:
    return next((source.label for source in vote.sources if source.paper_id == paper_id), paper_id)


def _notes(votes: Sequence[Vote], verdicts: Mapping[Verdict, int]) -> Iterator[str]:
    """What whoever looks the case through should know."""
    if len(verdicts) > 1:
        yield f"Contradictory: {verdicts[Verdict.GOOD]} called the answer good, {verdicts[Verdict.BAD]} bad."
    elif len(votes) > 1:
        yield f"{len(votes)} votes."
    last = votes[-1]
    if last.narrowed_to:
        yield f"Asked of some papers alone ({last.narrowed_to}); a run asks it of all of them."
    for vote in votes:
        if vote.verdict is Verdict.BAD:
            comment = f": {' '.join(vote.comment.split())}" if vote.comment.strip() else ""
            yield f"{vote.date[:10]}, {_WRONG[vote.reason]}{comment}."
    if last.verdict is Verdict.BAD or len(verdicts) > 1:
        yield f"It said: {' '.join(last.answer.split())}"


_WRONG = {
    Reason.PAPER: "the wrong paper",
    Reason.FACT: "a wrong or missing fact",
    Reason.REFUSE: "should have been refused",
    Reason.ANSWER: "should have been answered",
    Reason.OTHER: "something else is wrong",
    None: "no reason given",
}


# ---------------------------------------------------------------------------------------------------------------- command


@dataclass(frozen=True, slots=True)
class Made:
    """What was done. `known`: cases that the file held already, and that were left as they are."""

    read: Read
    cases: Sequence[Case]
    known: int = 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="what was kept (default: feedback.jsonl of RAG_QA_DATA_DIR)")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="write the cases into this new file, as JSON lines")
    parser.add_argument(
        "--add", action="store_true", help="the file may be there: add the cases that it does not hold, and leave the others as they are"
    )


def run(arguments: argparse.Namespace) -> Made:
    """Read, make cases, write. Raises RagQAError."""
    out: Path = arguments.out
    is_there = arguments.add and out.is_file()
    if not is_there:
        new_files.require_new(out)
    path = arguments.file or file_of(settings.load())
    if not path.is_file():
        raise FeedbackError(f"{path} is not there: nobody has said anything of an answer yet (the thumbs below it, or /good and /bad in rag-qa chat)")
    found = read(path)
    held = loader.ids(out) if is_there else set()
    made = cases(found.votes)
    new = [case for case in made if case.record["id"] not in held]
    lines_ = "".join(json.dumps(case.record, ensure_ascii=False) + "\n" for case in new)
    if is_there:
        _append(out, lines_)
    elif new:
        new_files.write_new(out, lines_)
    else:
        raise FeedbackError(f"{path} holds no vote that counts: {len(found.unread)} lines can't be read, the others were taken back")
    return Made(found, new, len(made) - len(new))


def _append(out: Path, lines_: str) -> None:
    ends = out.read_bytes()[-1:] in (b"\n", b"")
    with out.open("a", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(("" if ends else "\n") + lines_)


def lines(found: Made, out: Path) -> list[str]:
    """What was done, for the person, and what to do next."""
    accepted = sum(case.record["status"] == Status.ACCEPTED for case in found.cases)
    added, seen = counted(len(found.cases), "new case"), counted(len(found.read.votes), "vote")
    there = f"; {found.known} were there already" if found.known else ""
    told = [f"{seen}, {added} in {out}: {accepted} accepted, {len(found.cases) - accepted} to be looked at{there}"]
    told += [f"  contradictory votes: {case.record['question']}" for case in found.cases if case.contradicts_itself]
    told += [f"  not read: {line}" for line in found.read.unread]
    if accepted < len(found.cases):
        told.append(f"What is to be looked at is not asked before you have accepted it: python -m eval review {out}")
    return told
