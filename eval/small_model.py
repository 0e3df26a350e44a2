"""What the check says of the sentences of a chat model, over the shipped abstracts: of a small real one that runs in this process, or of any server.

    python -m eval.small_model --out verdicts.jsonl                          # llama.cpp and the small model, from packages
    python -m eval.small_model --out verdicts.jsonl --server http://localhost:11434/v1

    python -m eval.small_model --out verdicts.jsonl --again                  # asks nobody: the sentences of the file, checked anew
    python -m eval.small_model --read                                        # asks nobody: 40 sentences that were read by hand, and the check

Answerable questions of the shipped set are asked. Each line of the file is one question: what became of it, and every sentence that was checked,
as it was first written or as it was put right, with its verdict, its reason, and the abstracts that it cites, for a person to read and judge.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval import corpus
from eval.datasets import loader
from eval.llama_server import WINDOW, Absent, served
from rag_qa import settings
from rag_qa.answering.answer import Answer, Status, Verdict
from rag_qa.answering.draft import Check
from rag_qa.answering.generative import GenerativeAnswerer
from rag_qa.embedding.static import WordVectors
from rag_qa.engine import Engine
from rag_qa.errors import NoAnswer, ProviderError, SourceError
from rag_qa.grounding import GroundingCheck
from rag_qa.llm.chat_model import ChatModel, Message, Piece
from rag_qa.llm.openai_api import OpenAIChat
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.sources import files

QUESTIONS = Path(__file__).parent / "datasets" / "seeds.jsonl"
READ = Path(__file__).parent / "datasets" / "model_sentences.jsonl"
"""Sentences of the small model, drawn by chance from one run, and whether the abstract that they cite bears them out, as a person says."""


@dataclass(slots=True)
class Recorder:
    """The check, with everything that it was asked."""

    check: Check
    seen: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, text: str, cited: Sequence[tuple[int, Paper]], given: Sequence[Paper]) -> Verdict:
        """The verdict of the check itself."""
        verdict = self.check(text, cited, given)
        quotes = [evidence.quote for evidence in verdict.evidence]
        papers = [{"label": paper.label, "abstract": paper.abstract} for _, paper in cited]
        self.seen.append({"sentence": text, "status": str(verdict.status), "why": verdict.why, "evidence": quotes, "cited": papers})
        return verdict


class InText:
    """The same model, which nobody can hold to JSON: it then writes more of its own."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name
        self.context_tokens = model.context_tokens

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[Piece]:
        """What the model says."""
        yield from self._model.stream(messages, max_tokens=max_tokens)


def asked(hits: Sequence[Hit], model: ChatModel, check: Check, question: loader.Question, *, reply_tokens: int, repairs: bool) -> dict[str, Any]:
    """What became of one question."""
    recorder, started = Recorder(check), time.perf_counter()
    answerer = GenerativeAnswerer(model, recorder, max_output_tokens=reply_tokens, repairs=repairs)
    final: list[dict[str, str]] = []
    try:
        *_, answer = answerer.stream(question.text, hits)
    except NoAnswer as none:
        outcome, notice = "no answer", str(none)
    except ProviderError as error:
        outcome, notice = "error", str(error)
    else:
        assert isinstance(answer, Answer)
        outcome, notice = ("refused" if answer.abstained else "answered"), answer.notice
        final = [{"sentence": sentence.text, "status": str(sentence.verdict.status)} for sentence in answer.sentences]
    seconds = round(time.perf_counter() - started, 1)
    return {
        "id": question.id,
        "question": question.text,
        "outcome": outcome,
        "notice": notice,
        "seconds": seconds,
        "checked": recorder.seen,
        "final": final,
    }


def summary(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The figures, a line each."""
    outcomes = Counter(str(record["outcome"]) for record in records)
    lines = [f"{len(records)} questions: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())]
    for name, key in (("checked in all, first versions and corrections", "checked"), ("in the answers that are left", "final")):
        statuses = Counter(str(sentence["status"]) for record in records for sentence in record[key])
        flagged = sum(statuses.values()) - statuses[Status.SUPPORTED]
        lines.append(
            f"{sum(statuses.values())} sentences {name}: {flagged} flagged ("
            + ", ".join(f"{count} {status}" for status, count in statuses.most_common())
            + ")"
        )
    return lines


def again(record: Mapping[str, Any], check: Check) -> dict[str, Any]:
    """A record with its sentences checked anew. What an abstract that was given and not cited says plays no part, and what became of them neither."""
    checked = []
    for one in record["checked"]:
        cited = [(n, Paper(str(n), paper["abstract"])) for n, paper in enumerate(one["cited"], 1)]
        verdict = check(one["sentence"], cited, [])
        quotes = [evidence.quote for evidence in verdict.evidence]
        checked.append({**one, "status": str(verdict.status), "why": verdict.why, "evidence": quotes})
    statuses = {one["sentence"]: one["status"] for one in checked}
    final = [{**one, "status": statuses.get(one["sentence"], one["status"])} for one in record["final"]]
    return {**record, "checked": checked, "final": final}


def read_by_hand(path: Path, papers: Sequence[Paper], check: Check) -> list[str]:
    """How the check stands to what a person says of the same sentences; each verdict that differs on a line. Raises SourceError."""
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    wrong = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        record = json.loads(line)
        paper = next((paper for paper in papers if paper.abstract.startswith(record["paper"])), None)
        if paper is None:
            raise SourceError(path, number, found=f"the paper {record['paper']!r}", expected="the first words of an abstract")
        supported = check(record["sentence"], [(1, paper)], []).status is Status.SUPPORTED
        total[supported] += 1
        right[supported] += supported == record["holds"]
        if supported != record["holds"]:
            wrong.append(f"  {record['sentence']} ({'supported' if supported else 'flagged'}; {record.get('because', 'it holds')})")
    figures = f"{right[False]} of {total[False]} flags and {right[True]} of {total[True]} 'supported'"
    return [f"{sum(total.values())} verdicts read by hand, {sum(right.values())} right: {figures}", *wrong]


def _chosen(count: int) -> list[loader.Question]:
    """As many answerable questions as wanted, spread over the set."""
    fit = [q for q in loader.load(QUESTIONS) if q.answerable and not q.history and len(q.papers) <= 2]
    return fit[:: max(1, len(fit) // count)][:count]


def main(argv: Sequence[str] | None = None) -> int:
    """Ask, write the file line by line, print the figures. Exit code 2: the model is not there."""
    parser = argparse.ArgumentParser(prog="python -m eval.small_model", description="What the check says of the sentences of a chat model.")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("verdicts.jsonl"),
        metavar="FILE",
        help="a line for each question; questions that it holds are not asked again",
    )
    parser.add_argument("--questions", type=int, default=40, metavar="N", help="how many are asked (default: 40)")
    parser.add_argument("--papers", type=int, default=2, metavar="K", help="abstracts that the model is given (default: 2)")
    parser.add_argument("--reply-tokens", type=int, default=128, metavar="N", help="longest reply (default: 128)")
    parser.add_argument("--no-repairs", action="store_true", help="do not have the model put right what does not hold: half the time")
    parser.add_argument("--text", action="store_true", help="ask for marked text, also where the server could see to JSON")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of the small model (default: 2)")
    parser.add_argument("--server", metavar="URL", help="an OpenAI-compatible server (default: the small model, in this process)")
    parser.add_argument("--again", action="store_true", help="check the sentences of FILE anew and ask nothing")
    parser.add_argument("--read", action="store_true", help="hold the check against sentences that were read by hand and ask nothing")
    arguments = parser.parse_args(argv)
    if arguments.read:
        papers = [paper for path in sorted(corpus.SEEDS.glob("*.txt")) for paper in files.read(path) if isinstance(paper, Paper)]
        sys.stdout.write("\n".join([*read_by_hand(READ, papers, GroundingCheck(WordVectors().of)), ""]))
        return 0
    if arguments.again:
        sys.stdout.write("\n".join([*summary(_checked_again(arguments.out)), ""]))
        return 0
    try:
        with nullcontext(arguments.server) if arguments.server else served(arguments.threads) as address:
            sys.stdout.write("\n".join([*summary(_run(arguments, address)), ""]))
    except Absent as absent:
        sys.stderr.write(f"error: {absent}\n")
        return 2
    return 0


def _checked_again(path: Path) -> list[dict[str, Any]]:
    check = GroundingCheck(WordVectors().of)
    records = [again(json.loads(line), check) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return records


def _run(arguments: argparse.Namespace, address: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in arguments.out.read_text(encoding="utf-8").splitlines()] if arguments.out.exists() else []
    known = {record["id"] for record in records}
    check = GroundingCheck(WordVectors().of)
    structured = OpenAIChat(base_url=address, context_tokens=WINDOW, timeout=600.0)
    model = InText(structured) if arguments.text else structured
    with tempfile.TemporaryDirectory() as folder, arguments.out.open("a", encoding="utf-8") as out:
        engine = Engine(settings.load(data_dir=folder, answerer="extractive"))
        engine.index([corpus.SEEDS])
        for question in _chosen(arguments.questions):
            if question.id in known:
                continue
            record = asked(
                list(engine.search(question.text, k=arguments.papers)),
                model,
                check,
                question,
                reply_tokens=arguments.reply_tokens,
                repairs=not arguments.no_repairs,
            )
            records.append(record)
            out.write(json.dumps(records[-1], ensure_ascii=False) + "\n")
            out.flush()
    return records


if __name__ == "__main__":
    sys.exit(main())
