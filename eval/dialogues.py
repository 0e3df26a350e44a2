"""`python -m eval dialogues`: what becomes of a chat as it goes on? The follow-ups of a question set are asked

- turn by turn, each chat from its first question, one chat after the other, and again two chats in turns;
- alone, without what was said before, to see what understanding them from their history gains;
- after two and four turns of other chats;
- and a question about another paper is put after each chat, to see whether its answer still comes from the earlier topic.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval import chats, corpus, items, run_directory, runner, running, summary, turn_figures
from eval.arguments import at_least_one
from eval.datasets import loader
from eval.datasets.loader import Question
from eval.figures import Figure
from eval.items import Item
from eval.report.table import table
from eval.turn_figures import DEFINITIONS, Asked, Padded, Switch
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.papers import Paper

HELP = "what becomes of a chat as it goes on: figures by turn, what the history gains, changes of topic, chats side by side"
FILE = "dialogues.json"
PADDING = (2, 4)
"""Turns of other chats before a follow-up."""
MOST_SHOWN = 10
"""Questions that are listed with what went wrong, of each kind."""


# ------------------------------------------------------------------------------------------------------------------- asking


def ask(
    systems: tuple[runner.System, runner.System], questions: Sequence[Question], papers: Sequence[Paper], progress: runner.Progress | None = None
) -> Asked:
    """Ask everything. `systems`: two of the same kind over the same papers, that share no memory: the second one is asked two chats in turns."""
    followups = [question for question in questions if question.history]
    padded = [(more, one) for question in followups for more in PADDING if (one := chats.padded(question, followups, more)) is not None]
    switches = [(chat, *made) for chat in followups if not chat.topic_switch and (made := chats.switched(chat, questions)) is not None]
    others = {other.id: other for _, other, _ in switches}
    first = [
        *(turn for chat in followups for turn in chats.turns_of(chat)),
        *(chats.alone(question) for question in followups),
        *(question for _, question in padded),
        *others.values(),
        *(question for _, _, question in switches),
    ]
    pairs = chats.pairs(followups)
    second = [turn for one, other in pairs for turn in chats.in_turns(one, other)]
    total = len(first) + len(second)
    serial = _by_id(runner.run(systems[0], first, papers, progress=_part(progress, 0, total))[0])
    in_turns = _by_id(runner.run(systems[1], second, papers, progress=_part(progress, len(first), total))[0])
    return Asked(
        [serial[question.id] for question in followups],
        {question.id: serial[chats.alone(question).id] for question in followups},
        [*(Padded(serial[question.id], 0) for question in followups), *(Padded(serial[one.id], more) for more, one in padded)],
        [Switch(serial[one.id], _earlier(one, followups, serial), serial[chats.alone(one).id]) for one in followups if one.topic_switch],
        [Switch(serial[made.id], _topic(chat, serial), serial[other.id]) for chat, other, made in switches],
        {f"{one.id} and {other.id}": _is_same((one, other), serial, in_turns) for one, other in pairs},
    )


def _part(progress: runner.Progress | None, before: int, total: int) -> runner.Progress | None:
    """Progress of a part of all questions, before which so many were asked."""
    return None if progress is None else lambda done, _count: progress(before + done, total)


def _by_id(found: Iterable[Item]) -> dict[str, Item]:
    return {item.question.id: item for item in found}


def _topic(chat: Question, found: Mapping[str, Item]) -> frozenset[str]:
    """What a chat was about: the right papers of its last question, and what its answers cited."""
    return frozenset(chat.papers).union(*(found[turn.id].cited for turn in chats.turns_of(chat)))


def _earlier(switch: Question, followups: Sequence[Question], found: Mapping[str, Item]) -> frozenset[str]:
    """What a chat was about before its last question: what its answers cited, and the right papers of follow-ups that it goes on from."""
    before = [one.papers for one in followups if switch.history[: len(chats.said_in(one))] == chats.said_in(one)]
    return frozenset().union(*(found[turn.id].cited for turn in chats.turns_of(switch)[:-1]), *before)


def _is_same(pair: tuple[Question, Question], serial: Mapping[str, Item], in_turns: Mapping[str, Item]) -> bool | None:
    """Are both transcripts the same? None where a turn crashed."""
    turns = [turn.id for chat in pair for turn in chats.turns_of(chat)]
    if any(found[one].status == "error" for one in turns for found in (serial, in_turns)):
        return None
    return [transcript(serial[one]) for one in turns] == [transcript(in_turns[one]) for one in turns]


def transcript(item: Item) -> bytes:
    """Everything that was answered, as it would be written."""
    return json.dumps(items.to_json(item), ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")


# ------------------------------------------------------------------------------------------------------------------- result


@dataclass(frozen=True, slots=True)
class Found:
    """What was found. `about`: on what; `by_turn`: scope -> headline figures; `faults`: what is wrong -> the questions."""

    about: Mapping[str, Any]
    figures: Sequence[Figure]
    by_turn: Mapping[str, Sequence[Figure]]
    faults: Mapping[str, Sequence[str]]

    @property
    def holds(self) -> bool:
        """What may not be: chats that disturb each other, and citations that point outside their answer."""
        values = {one.metric: one.value for one in self.figures}
        return all(values[name] in (None, 1.0) for name in ("session_isolation", "citation_carry_over"))


def result(asked: Asked, library: Mapping[str, str], about: Mapping[str, Any]) -> Found:
    """All figures of what was asked. `library`: paper id -> abstract."""
    return Found(about, turn_figures.figures(asked), turn_figures.by_turn(asked.followups, library), faults(asked))


def faults(asked: Asked) -> dict[str, list[str]]:
    """The questions behind the figures, in words."""
    switches = [*asked.labelled, *asked.made]
    both = [(item, asked.alone[item.question.id]) for item in asked.followups]
    return {
        "answered from the earlier topic": [_told(one.item) for one in switches if turn_figures.contamination(one) == 1.0],
        "not resolved: no right paper among the first 5": [_told(item) for item, alone in both if turn_figures.is_lost(item, alone)],
        "spoilt by the history: a right paper is first without it alone": [
            _told(item) for item, alone in both if turn_figures.is_spoilt(item, alone)
        ],
        "right alone, and not after a change of topic": [_told(one.item) for one in switches if turn_figures.is_lost_by_switch(one)],
        "cites a number that is none of its sources": [_told(item) for item in asked.followups if turn_figures.carried_over(item)],
        "other answers when asked in turns": [pair for pair, same in asked.pairs.items() if same is False],
        "crashed": [_told(item) for item in asked.followups if item.status == "error"],
    }


def _told(item: Item) -> str:
    question = item.question
    understood = f"; understood as: {item.understood_as}" if item.understood_as and item.understood_as != question.text else ""
    return f"{question.id}: {' | '.join(question.history)} | {question.text}{understood}{f'; {item.error}' if item.error else ''}"


def as_json(found: Found, items_sha256: str | None = None) -> dict[str, Any]:
    """Everything, for the report. `items_sha256`: of the answers of the run that it belongs to."""
    return {
        "items_sha256": items_sha256,
        "about": dict(found.about),
        "figures": [turn_figures.plain(one) for one in found.figures],
        "by_turn": {name: [turn_figures.plain(one) for one in figures] for name, figures in found.by_turn.items()},
        "faults": {what: list(questions) for what, questions in found.faults.items()},
    }


# --------------------------------------------------------------------------------------------------------------------- text


def lines(found: Found) -> list[str]:
    """As text: by turn, every figure, what went wrong."""
    about = found.about
    heading = f"{about['followups']} follow-ups of {about['data']} over {about['papers']} papers, in chats of {about['turns']} turns"
    said = [heading, "", _by_turn(found.by_turn), "", _figures(found.figures)]
    for what, questions in found.faults.items():
        if questions:
            more = [f"  and {len(questions) - MOST_SHOWN} more"] if len(questions) > MOST_SHOWN else []
            said += ["", f"{what}: {len(questions)}", *(f"  {one}" for one in questions[:MOST_SHOWN]), *more]
    return said


def _by_turn(by_turn: Mapping[str, Sequence[Figure]]) -> str:
    def row(figures: Sequence[Figure]) -> list[str]:
        return [_title(figures[0]), *(f"{_number(one)} of {one.n_eligible}" if one.n_eligible else "-" for one in figures)]

    return table([["", *by_turn], *(row(figures) for figures in zip(*by_turn.values(), strict=True))], left=(0,))


def _figures(figures: Sequence[Figure]) -> str:
    rows = [["", "over", "value", "95 % interval", "scored/eligible/errors"]]
    for one in figures:
        interval = f"{one.interval[0]:.3f} to {one.interval[1]:.3f}" if one.interval else ""
        rows.append([_title(one), one.scope, _number(one), interval, one.counts])
    return table(rows, left=(0, 1))


def _title(figure: Figure) -> str:
    plain = turn_figures.plain(figure)
    arrow = {"higher": "↑", "lower": "↓", "neither": ""}[plain["direction"]]
    return f"{turn_figures.title(figure.metric)} {arrow}"


def _number(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    is_signed = figure.metric in DEFINITIONS and DEFINITIONS[figure.metric].range.startswith("-")
    return f"{figure.value:+.3f}" if is_signed else f"{figure.value:.3f}" if figure.value <= 1 else f"{figure.value:.1f}"


# ------------------------------------------------------------------------------------------------------------------ command


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--data", type=Path, default=running.SEED_QUESTIONS, metavar="FILE", help="questions (default: eval/datasets/seeds.jsonl)")
    parser.add_argument("--papers", type=Path, metavar="PATH", help="abstracts to index (default: seeds/, or those of FILE's list of ids)")
    parser.add_argument("--dataset", type=Path, default=corpus.ICLR, metavar="FILE", help="where those ids are looked up (default: as for run)")
    parser.add_argument("--answerer", choices=["extractive", "llm", "auto"], default="extractive", help="who answers (default: extractive, offline)")
    parser.add_argument("--embedder", choices=["minilm", "openai"], default="minilm", help="who embeds (default: minilm, offline)")
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="only N of the follow-ups, always the same ones")
    parser.add_argument("--out", type=Path, metavar="DIR", help="a directory that `run --out` wrote for the same questions: for its report")


def run(arguments: argparse.Namespace, make_system: running.MakeSystem = Engine) -> Found:
    """Ask and measure; with `--out` leave `dialogues.json` beside the run. Raises RagQAError, corpus.DataAbsent."""
    questions = loader.load(arguments.data)
    if not any(question.history for question in questions):
        raise running.HarnessError(f"{arguments.data}: found no question with a history, expected follow-ups: there is no dialogue to measure")
    stored = run_directory.load(arguments.out) if arguments.out else None
    with tempfile.TemporaryDirectory(prefix="rag-qa-dialogues-", ignore_cleanup_errors=True) as temporary:
        source = running.corpus_of(arguments, Path(temporary))
        chosen = settings.load(data_dir=Path(temporary) / "index", answerer=arguments.answerer, embedder=arguments.embedder)
        systems = (make_system(chosen), make_system(chosen))
        papers, _ = (running.indexed(system, source.path) for system in systems)
        resolved = _limited(loader.resolve(questions, papers, path=arguments.data, abstracts=source.abstracts), arguments.limit)
        about = _about(arguments, chosen, papers, resolved)
        if stored is not None:
            _require_same(stored, about)
        with running.counter() as progress:
            asked = ask(systems, resolved, papers, progress)
    found = result(asked, {paper.id: paper.abstract for paper in papers}, about)
    if stored is not None:
        text = json.dumps(as_json(found, summary.sha256(stored.directory / run_directory.ITEMS)), ensure_ascii=False, allow_nan=False, indent=2)
        (stored.directory / FILE).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    return found


def _limited(questions: Sequence[Question], limit: int | None) -> list[Question]:
    """All questions, but of the follow-ups only so many, evenly spread over the set."""
    followups = [question for question in questions if question.history]
    count = min(limit or len(followups), len(followups))
    kept = {followups[place * len(followups) // count].id for place in range(count)}
    return [question for question in questions if not question.history or question.id in kept]


def _about(arguments: argparse.Namespace, chosen: settings.Settings, papers: Sequence[Paper], questions: Sequence[Question]) -> dict[str, Any]:
    followups = [question for question in questions if question.history]
    lengths = sorted({len(question.history) + 1 for question in followups})
    return {
        "data": running.shown(arguments.data),
        "data_sha256": running.hash_of_data(arguments),
        "papers": len(papers),
        "settings": {name: getattr(chosen, name) for name in running.CONFIGURATION},
        "followups": len(followups),
        "turns": str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}",
        "seed": chats.SEED,
    }


def _require_same(stored: run_directory.Run, about: Mapping[str, Any]) -> None:
    """Raises HarnessError for a run of other questions, papers or settings."""
    if not stored.is_complete:
        raise running.HarnessError(
            f"{stored.directory}: not every question was asked, expected a whole run; go on with the same `python -m eval run`"
        )
    for name in ("data_sha256", "papers", "settings"):
        if stored.manifest["about"].get(name) != about[name]:
            expected = f"expected those of {about['data']}; name the directory of a run of the same"
            raise running.HarnessError(f"{stored.directory}: found a run of other {name.removesuffix('_sha256')}, {expected}")
