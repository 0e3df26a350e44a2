"""`python -m eval make-questions`: propose questions about a library, for a person to look through (`python -m eval review`)."""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval import corpus
from eval.arguments import at_least_one
from eval.datasets.loader import Kind
from eval.proposals import rules
from eval.proposals.choosing import chosen
from eval.proposals.proposal import Proposal, counted, each_once, fault
from eval.proposals.written import KINDS as WRITTEN_KINDS
from eval.proposals.written import Written, written
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.interfaces import new_files
from rag_qa.llm.chat_model import ChatModel
from rag_qa.papers import Paper
from rag_qa.parts import Parts
from rag_qa.settings import Settings

HELP = "propose questions about a library, each with its paper and fact, for a person to look through"
MOST_PAPERS = 3000
"""Of a larger library, so many papers are drawn by lot."""
COUNT = 50


class MakingError(RagQAError):
    """No question could be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was proposed. `rejected`: proposals that did not hold, by the reason. `papers`: of how many it was made, out of `library`. `written`: what
    a chat model did, if one was asked.
    """

    proposals: Sequence[Proposal]
    rejected: Mapping[str, int]
    papers: int
    library: int
    written: Written | None = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--papers", type=Path, nargs="+", metavar="PATH", help="files and folders of abstracts (default: seeds/)")
    source.add_argument(
        "--library",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="DIR",
        help="the papers of an index instead: that of the data folder DIR, without one that of RAG_QA_DATA_DIR",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="write the proposals into this new file, as JSON lines")
    parser.add_argument("--count", type=at_least_one, default=COUNT, metavar="N", help=f"questions at most (default: {COUNT})")
    parser.add_argument(
        "--kinds", nargs="+", default=list(rules.KINDS), choices=list(rules.KINDS), metavar="KIND", help=f"only these kinds: {', '.join(rules.KINDS)}"
    )
    parser.add_argument(
        "--writer",
        choices=["auto", "rules", "llm"],
        default="auto",
        help="who writes questions about one paper. rules: nobody, offline. llm: the chat model of the settings. auto (default): llm if one is set",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other questions for another number (default: 0)")


def run(arguments: argparse.Namespace) -> Made:
    """Propose, check, write. Raises RagQAError."""
    new_files.require_new(arguments.out)
    chosen_settings = settings.load()
    asks_model = arguments.writer == "llm" or (arguments.writer == "auto" and chosen_settings.uses_llm)
    model = Parts(chosen_settings).chat_model if asks_model else None
    kinds = [Kind(kind) for kind in arguments.kinds]
    found = make(_papers(arguments), arguments.count, kinds, arguments.seed, model=model, reply_tokens=chosen_settings.llm_max_output_tokens)
    lines = [json.dumps(one.to_record(), ensure_ascii=False) + "\n" for one in found.proposals]
    new_files.write_new(arguments.out, "".join(lines))
    return found


def make(
    papers: Sequence[Paper],
    count: int,
    kinds: Sequence[Kind] = rules.KINDS,
    seed: int = 0,
    *,
    model: ChatModel | None = None,
    reply_tokens: int = 600,
) -> Made:
    """Propose at most `count` questions: by rules, and what a model can write better by that one, as far as it comes. Raises MakingError when there
    is none, and ProviderError when the model does not answer at all.
    """
    looked_at = sample(papers, seed)
    by_id = {paper.id: paper for paper in papers}
    said = written(model, looked_at, count, seed, reply_tokens=reply_tokens) if model and set(kinds) & set(WRITTEN_KINDS) else None
    rejected = Counter(said.rejected) if said else Counter[str]()
    sound = [one for one in said.proposals if one.kind in kinds] if said else []
    has_enough = len(sound) >= count
    for one in rules.proposals(looked_at, is_sample=len(looked_at) < len(papers)):
        if one.kind not in kinds or (has_enough and one.kind in WRITTEN_KINDS):
            continue
        if why := fault(one, by_id):
            rejected[why] += 1
        else:
            sound.append(one)
    taken = chosen(each_once(sound), count, seed)
    if not taken:
        raise MakingError(f"no question of kind {', '.join(kinds)} could be made of {len(papers)} papers: ask for other kinds, or of more papers")
    return Made(taken, rejected, len(looked_at), len(papers), said)


def sample(papers: Sequence[Paper], seed: int) -> list[Paper]:
    """All papers with an abstract, in the order of their ids, or MOST_PAPERS of them, drawn by lot."""
    known = sorted((paper for paper in papers if paper.abstract.strip()), key=lambda paper: paper.id)
    if len(known) <= MOST_PAPERS:
        return known
    return sorted(random.Random(seed).sample(known, MOST_PAPERS), key=lambda paper: paper.id)


def _papers(arguments: argparse.Namespace) -> list[Paper]:
    if arguments.library is not None:
        folder = None if arguments.library == Path() else arguments.library
        return Engine(settings.load(data_dir=folder, answerer="extractive")).papers()
    with tempfile.TemporaryDirectory(prefix="rag-qa-eval-", ignore_cleanup_errors=True) as temporary:
        return read(arguments.papers or [corpus.SEEDS], settings.load(data_dir=Path(temporary), embedder="static", answerer="extractive"))


def read(paths: Sequence[Path], chosen_settings: Settings) -> list[Paper]:
    """The papers of some files as an index has them: copies are one paper. Raises RagQAError."""
    engine = Engine(chosen_settings)
    report = engine.index(paths)
    if report.failed:
        worst = report.failed[0]
        raise MakingError(f"{worst.path} could not be read: {worst.reason}")
    return engine.papers()


def lines(found: Made, out: Path) -> list[str]:
    """What was done, for the person, and what to do next."""
    kinds = Counter(one.kind for one in found.proposals)
    touched = {paper for one in found.proposals for paper in one.touched}
    told = [
        f"{counted(len(found.proposals), 'question')} about {len(touched)} of {found.library} papers, proposed into {out}",
        "  " + ", ".join(f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind]),
    ]
    if found.papers < found.library:
        told.append(f"  made of {found.papers} papers that were drawn by lot, so none of the kind set")
    if said := found.written:
        tokens = "" if said.prompt_tokens is None or said.completion_tokens is None else f", {said.prompt_tokens + said.completion_tokens:,} tokens"
        told.append(f"  {len(said.proposals)} of those that {said.model} wrote hold ({counted(said.requests, 'request')}{tokens})")
        told += [f"  it was not asked any further: {said.stopped}"] if said.stopped else []
    if found.rejected:
        reasons = ", ".join(f"{number} {why}" for why, number in sorted(found.rejected.items()))
        told.append(f"  {sum(found.rejected.values())} others did not hold: {reasons}")
    return [*told, f"None of them is asked before you have accepted it: python -m eval review {out}"]
