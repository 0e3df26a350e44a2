"""How well the check of sentences tells what an abstract bears out from what it does not: against labels of people, on edits by rule, on paraphrases.

The edits (`eval.edits`) and the paraphrases are of the shipped abstracts; the labelled pairs are not part of the project.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval import corpus, edits
from eval.metrics import stats
from eval.pairs import PAIRS, Pair, Separation, load, record_of, separation
from rag_qa.answering.answer import Status
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import SourceError
from rag_qa.grounding import GroundingCheck
from rag_qa.papers import Paper
from rag_qa.sources import files

PARAPHRASES = Path(__file__).resolve().parent / "datasets" / "paraphrases.jsonl"
SEED = 11
_A_PAPER = 12  # sentences of each paper that are edited


# -------------------------------------------------------------------------------------------------------------------- flags


@dataclass(frozen=True, slots=True)
class Flagged:
    """How many sentences of a kind got another verdict than supported, and those that got the wrong one, a line each."""

    kind: str
    sentences: int
    flagged: int
    wrong: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Share that was flagged."""
        return self.flagged / self.sentences if self.sentences else 0.0


Judged = tuple[str, str, Paper]
"""(kind, sentence, the paper that is cited)."""


def flags(check: GroundingCheck, judged: Iterable[Judged], given: Sequence[Paper], *, should_be: bool) -> list[Flagged]:
    """Judge sentences, and count by kind. `should_be`: is it right to flag them?"""
    counted: dict[str, list[tuple[str, bool, str]]] = defaultdict(list)
    for kind, sentence, paper in judged:
        verdict = check(sentence, [(1, paper)], given)
        counted[kind].append((sentence, verdict.status is not Status.SUPPORTED, verdict.why))
    return [
        Flagged(
            kind,
            len(found),
            sum(is_flagged for _, is_flagged, _ in found),
            tuple(f"{sentence} [{why or 'supported'}]" for sentence, is_flagged, why in found if is_flagged is not should_be),
        )
        for kind, found in counted.items()
    ]


def edited(papers: Sequence[Paper], *, seed: int = SEED) -> list[Judged]:
    """Sentences of papers with one thing changed, each to be held against the paper that it came from, or "swapped paper" against another."""
    made = [(edit.kind, edit.sentence, edit.cited) for edit in edits.edits(papers, seed=seed, a_paper=_A_PAPER)]
    return sorted(made, key=lambda one: edits.KINDS.index(one[0]))


def edited_paraphrases(reworded: Sequence[Judged], papers: Sequence[Paper], *, seed: int = SEED) -> list[Judged]:
    """Paraphrases with one thing changed: much harder than sentences of an abstract, which are all but one word there."""
    order = random.Random(seed)
    made: list[Judged] = []
    for _, sentence, paper in reworded:
        names = sorted({name for other in papers for name in edits.name_like(other.abstract) if name.casefold() not in paper.abstract.casefold()})
        found = edits.changes(sentence, edits.Around(paper.abstract, names, order))
        made += [(f"{kind}, paraphrased", changed, paper) for kind, changed in found]
    return sorted(made, key=lambda one: edits.KINDS.index(one[0].removesuffix(", paraphrased")))


def untouched(papers: Sequence[Paper]) -> list[Judged]:
    """Every sentence of the papers as it stands."""
    return [(UNTOUCHED, sentence, paper) for paper in papers for sentence in edits.sentences(paper.abstract)]


def paraphrases(path: Path, papers: Sequence[Paper]) -> list[Judged]:
    """Sentences of papers said in other words, by hand. Raises SourceError for one whose paper is not there."""
    found: list[Judged] = []
    order: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        record = record_of(path, number, line)
        named = [paper for paper in papers if paper.abstract.startswith(str(record.get("paper")))]
        if len(named) != 1 or not isinstance(record.get("sentence"), str):
            raise SourceError(path, number, found=f"the paper {record.get('paper')!r}", expected="a sentence, and the first words of one abstract")
        kind = order.setdefault(named[0].id, PARAPHRASE_KINDS[len(order) % 2])
        found.append((kind, record["sentence"], named[0]))
    return sorted(found, key=lambda one: PARAPHRASE_KINDS.index(one[0]))


UNTOUCHED = "untouched"
PARAPHRASE_KINDS = ("paraphrase, looked at", "paraphrase, unseen")
"""Those of every other abstract were read while the check was developed; the others were only counted."""


# ------------------------------------------------------------------------------------------------------------------- report

HELP = "how well sentences are checked: on labels of people, on edits by rule, on paraphrases"
CAUGHT_FROM, UNTOUCHED_UP_TO, PARAPHRASED_UP_TO = 0.97, 0.03, 0.15
"""Floors: share of every kind of edit that is flagged, and the most that may be of true sentences. Held on the shipped abstracts."""
GIVEN = 8
"""Papers that an answer could cite."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All that is measured. `milliseconds`: of a sentence whose abstract has been seen before, median and 95th percentile."""

    separations: Mapping[str, Separation]
    caught: Sequence[Flagged]
    caught_reworded: Sequence[Flagged]
    alarms: Sequence[Flagged]
    milliseconds: tuple[float, float]

    @property
    def faults(self) -> list[str]:
        """Floors that do not hold, a line each."""
        low = [f"{one.kind}: {one.share:.1%} flagged, at least {CAUGHT_FROM:.0%} are wanted" for one in self.caught if one.share < CAUGHT_FROM]
        most = {one.kind: UNTOUCHED_UP_TO if one.kind == UNTOUCHED else PARAPHRASED_UP_TO for one in self.alarms}
        high = [one for one in together(self.alarms) if one.share > most[one.kind]]
        return [*low, *(f"{one.kind}: {one.share:.1%} flagged, at most {most[one.kind]:.0%} are wanted" for one in high)]


def together(alarms: Sequence[Flagged]) -> list[Flagged]:
    """Both halves of the paraphrases as one: each is too small for a floor of its own."""
    halves = [one for one in alarms if one.kind != UNTOUCHED]
    if not halves:
        return list(alarms)
    both = Flagged(halves[0].kind, sum(one.sentences for one in halves), sum(one.flagged for one in halves))
    return [*(one for one in alarms if one.kind == UNTOUCHED), both]


def measure(check: GroundingCheck, pairs: Mapping[str, Sequence[Pair]], papers: Sequence[Paper], reworded: Sequence[Judged]) -> Figures:
    """Everything: `pairs` by the name of their set, edits of some papers, and their sentences as they stand and `reworded`."""
    separations = {name: separation(some, [check.score(pair.sentence, pair.paper) for pair in some]) for name, some in pairs.items()}
    caught = flags(check, edited(papers), papers[:GIVEN], should_be=True)
    alarms = flags(check, [*untouched(papers), *reworded], papers[:GIVEN], should_be=False)
    caught_reworded = flags(check, edited_paraphrases(reworded, papers), papers[:GIVEN], should_be=True)
    return Figures(separations, caught, caught_reworded, alarms, _taken(check, papers))


def _taken(check: GroundingCheck, papers: Sequence[Paper]) -> tuple[float, float]:
    taken = []
    for kind, sentence, paper in edited(papers, seed=SEED + 1):  # other edits than those before: no sentence has been seen
        started = time.perf_counter()
        check(f"{sentence} ({kind})" if kind == "swapped paper" else sentence, [(1, paper)], papers[:GIVEN])
        taken.append(1000 * (time.perf_counter() - started))
    return stats.percentile(taken, 50), stats.percentile(taken, 95)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--data", type=Path, default=PAIRS, metavar="FILE", help="labelled pairs (default: those of ../shared/data, if there)")
    parser.add_argument("--papers", type=Path, default=corpus.SEEDS, metavar="PATH", help="abstracts whose sentences are edited (default: seeds/)")
    parser.add_argument("--count", type=int, metavar="N", help="edit only N of them, drawn by a seed")
    parser.add_argument("--failures", action="store_true", help="show every sentence that gets the wrong verdict")


def run(arguments: argparse.Namespace) -> Figures:
    """What the command measures. Raises SourceError."""
    return measured(arguments.data, papers=arguments.papers, count=arguments.count)


def measured(data: Path, *, papers: Path = corpus.SEEDS, count: int | None = None) -> Figures:
    """Figures of the shipped check; without the labelled pairs the rest is measured all the same. Paraphrases are of all shipped abstracts."""
    sets = {"SciFact dev": ("scifact", "dev"), "HealthVer dev": ("healthver", "dev")} if data.is_file() else {}
    chosen = _papers(papers)
    reworded = paraphrases(PARAPHRASES, chosen) if papers == corpus.SEEDS and count is None else []
    if count is not None:
        chosen = random.Random(SEED).sample(chosen, min(max(count, 1), len(chosen)))
    return measure(shipped_check(), {name: load(data, *of) for name, of in sets.items()}, chosen, reworded)


def shipped_check() -> GroundingCheck:
    """The check as the program makes it."""
    return GroundingCheck(WordVectors().of)


def _papers(path: Path) -> list[Paper]:
    """The abstracts of a file or a folder, each once."""
    paths = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    found = (paper for one in paths for paper in files.read(one) if isinstance(paper, Paper))
    return list({paper.id: paper for paper in found}.values())


def lines(figures: Figures, *, failures: bool = False) -> list[str]:
    """The figures as text; with `failures` every sentence that got the wrong verdict, for a person to judge."""
    told = ["AUROC             pairs      all   not enough   contradicted"]
    told += [
        f"{name:16}{found.pairs:7}{found.all:9.3f}{found.not_enough:13.3f}{found.contradicted:15.3f}" for name, found in figures.separations.items()
    ]
    if not figures.separations:
        told.append("(the labelled pairs are not on this machine)")
    told += ["", f"{'flagged':30}sentences   flagged    share   95 % interval"]
    for group, found in (
        ("edits: to be flagged", figures.caught),
        ("edits of paraphrases: to be flagged (no floor)", figures.caught_reworded),
        ("true: not to be flagged", figures.alarms),
    ):
        told += [group, *(_row(one) for one in found)] if found else []
    median, most = figures.milliseconds
    told += ["", f"one sentence: {median:.1f} ms (median), {most:.1f} ms (95th percentile)"]
    if failures:
        for one in (*figures.caught, *figures.caught_reworded, *figures.alarms):
            told += ["", f"{one.kind}: {len(one.wrong)} wrong verdicts", *(f"  {line}" for line in one.wrong)]
    return [*told, *(f"BELOW A FLOOR: {fault}" for fault in figures.faults)]


def _row(found: Flagged) -> str:
    low, high = stats.wilson(found.flagged, found.sentences)
    return f"  {found.kind:28}{found.sentences:9}{found.flagged:10}{found.share:9.1%}   {low:.1%} to {high:.1%}"
