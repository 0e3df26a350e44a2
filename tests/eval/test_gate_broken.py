"""The product on the shipped questions: as it is it passes its gate each time, broken on purpose it fails by the figures that are about it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from eval import gate, runner, scoring, sides
from eval.__main__ import main
from eval.datasets import loader
from eval.datasets.loader import Question
from eval.items import Item, to_json, write_lines
from eval.judgement import Judgement, Outcome, Rules, judge
from eval.running import SEED_QUESTIONS
from eval.sides import Side
from rag_qa.embedding.embedder import Embedder
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.settings import load
from tests.eval.broken import CitationsShuffled, Crashing, NeverRefusing, NumbersChanged, Remembering, with_random_retriever


@dataclass(frozen=True)
class Product:
    """The offline product over the shipped abstracts, with what it reaches on the shipped questions."""

    system: Remembering
    questions: Sequence[Question]
    papers: Sequence[Paper]
    items: Sequence[Item]

    def side(self, items: Sequence[Item], name: str) -> Side:
        """The scores of some items of it."""
        library: Mapping[str, str] = {paper.id: paper.abstract for paper in self.papers}
        return sides.side(items, {"data": "seeds"}, name=name, library=library)

    def asked(self, system: runner.System) -> list[Item]:
        """What another system answers."""
        return runner.run(system, self.questions, self.papers)[0]

    def judged(self, system: runner.System, rules: Rules = Rules()) -> Judgement:  # noqa: B008  it is frozen
        """Another system, held against the product."""
        return judge(self.side(self.items, "the product"), self.side(self.asked(system), "a broken one"), [], rules)

    def worst(self, items: Sequence[Item], count: int) -> list[str]:
        """The questions that come out worst."""

        def quality(item: Item) -> tuple[float, float]:
            right, met = scoring.RIGHT.score(item), scoring.FACT_SHARE.score(item)
            return tuple(score if isinstance(score, float) else 1.0 for score in (right, met))  # type: ignore[return-value]

        return [item.question.text for item in sorted(items, key=quality)[:count]]


@pytest.fixture(scope="module")
def product(seed_folder: Path, embedder: Embedder, seed_papers: list[Paper]) -> Product:
    questions = loader.resolve(loader.load(SEED_QUESTIONS), seed_papers, path=SEED_QUESTIONS)
    system = Remembering(Engine(load(data_dir=seed_folder, answerer="extractive"), embedder=embedder))
    return Product(system, questions, seed_papers, runner.run(system, questions, seed_papers)[0])


# What is broken, and the figures that are about it: each of them must fall. Whoever breaks the product in another way adds a line.
BREAKAGES: Mapping[str, tuple[Callable[[Remembering], runner.System], set[str]]] = {
    "citations shuffled": (
        CitationsShuffled,
        {"right_paper_cited.answerable", "citation_precision.answerable", "citation_recall.all", "misattributed.all", "quotes_verbatim.all"},
    ),
    "numbers changed": (NumbersChanged, {"fact_in_answer.answerable", "contradicted.all", "groundedness.all", "citation_recall.all"}),
    "refusals off": (NeverRefusing, {"refused.unanswerable"}),
}


def regressed(found: Judgement) -> set[str]:
    return {one.difference.key for one in found.verdicts if one.outcome is Outcome.REGRESSED}


@pytest.fixture(scope="module")
def judgements(product: Product) -> Mapping[str, Judgement]:
    """Of each broken product, by what is broken."""
    return {name: product.judged(system(product.system)) for name, (system, _) in BREAKAGES.items()}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_product_is_caught_by_the_figures_that_are_about_it(judgements: Mapping[str, Judgement], name: str) -> None:
    assert not judgements[name].passed
    assert BREAKAGES[name][1] <= regressed(judgements[name])


def test_a_breakage_lowers_no_figure_that_is_not_about_it(judgements: Mapping[str, Judgement]) -> None:
    fallen = {name: regressed(found) for name, found in judgements.items()}
    assert fallen["refusals off"] <= {"refused.unanswerable", "right.all"}
    assert not fallen["citations shuffled"] & {"refused.unanswerable", "fact_in_answer.answerable", "success_at_1.answerable"}
    assert not fallen["numbers changed"] & {"refused.unanswerable", "right_paper_cited.answerable", "quotes_verbatim.all"}


def test_a_random_retriever_is_caught_by_the_figures_of_the_ranking(product: Product, seed_folder: Path, embedder: Embedder, tmp_path: Path) -> None:
    own = Path(shutil.copytree(seed_folder, tmp_path / "data"))
    found = product.judged(with_random_retriever(Engine(load(data_dir=own, answerer="extractive"), embedder=embedder)))
    assert {"success_at_1.answerable", "recall_at_5.answerable", "right_paper_cited.answerable"} <= regressed(found)


def test_trulens_pr_2698_five_worst_questions_that_crash_are_caught(product: Product) -> None:
    worst = product.worst(product.items, 5)
    crashing = Crashing(product.system, worst)
    found = product.judged(crashing)
    assert not found.passed
    assert found.reasons[0].startswith(f"5 of {len(product.questions)} questions ended in an error, 0 may (")
    # and where that is allowed, nothing looks better for it
    allowed = product.judged(crashing, Rules(allowed_errors=5))
    assert all((one.difference.delta or 0) <= 0 for one in allowed.verdicts)


def test_trulens_pr_2698_a_broken_product_does_not_pass_by_crashing_where_it_is_worst(product: Product, judgements: Mapping[str, Judgement]) -> None:
    broken = NumbersChanged(product.system)
    told = judgements["numbers changed"]
    hidden = product.judged(Crashing(broken, product.worst(product.asked(broken), 5)), Rules(allowed_errors=5))
    assert not hidden.passed
    assert regressed(told) <= regressed(hidden)


# --------------------------------------------------------------------------------------------------------------- as it is


@pytest.fixture(scope="module")
def run(seed_folder: Path, tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """A run of the product in a process of its own, in which hashes of texts come out another way than here."""
    folder = tmp_path_factory.mktemp("run")
    shutil.copytree(seed_folder, folder / "data")
    # whether it stands above its floors is another test's affair
    _python(project, "-m", "eval", "run", "--out", str(folder / "run"), "--data-dir", str(folder / "data"), "--only-failures", codes=(0, 1))
    return folder / "run"


def _python(project: Path, *arguments: str, codes: Sequence[int] = (0,)) -> None:
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    ended = subprocess.run([sys.executable, *arguments], cwd=project, env={**os.environ, "PYTHONHASHSEED": other}, capture_output=True, text=True)
    assert ended.returncode in codes, ended.stdout + ended.stderr


def test_ragas_240_two_processes_give_the_same_items(product: Product, run: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "items.jsonl", [to_json(item) for item in product.items])
    assert (tmp_path / "items.jsonl").read_bytes() == (run / "items.jsonl").read_bytes()


def test_two_processes_give_the_same_baseline(run: Path, tmp_path: Path, project: Path) -> None:
    _python(project, "-m", "eval", "gate", str(run), "--baseline", str(tmp_path / "there"), "--renew")
    sides.write(sides.load(run), tmp_path / "here")
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()


def test_the_unchanged_product_passes_twenty_times_of_twenty(product: Product, run: Path, tmp_path: Path) -> None:
    sides.write(sides.load(run), tmp_path / "baseline")
    now = product.side(product.items, "now")
    for seed in range(20):  # the questions in another order each time
        shuffled = replace(now, items=tuple(random.Random(seed).sample(now.items, len(now.items))))
        found = judge(sides.load(tmp_path / "baseline"), shuffled, [], Rules(strict=True))
        assert found.reasons == []
        assert {one.outcome for one in found.verdicts} == {Outcome.OK}


def test_the_offline_product_is_as_good_as_the_committed_baseline(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["gate", str(run)])
    assert code == 0, capsys.readouterr().out + "\nIf this is as it should be: make baseline"


def test_the_committed_baseline_is_small_and_says_what_it_is(project: Path) -> None:
    path = gate.BASELINES / "seeds.jsonl"
    baseline = sides.load(path)
    assert path.stat().st_size < 500 * len(baseline.items)
    assert len(baseline.items) == len(loader.load(SEED_QUESTIONS))
    assert baseline.errors == []
    assert set(baseline.data) == {"data_sha256", "papers_sha256"}
    assert baseline.judged == sides.HEADLINE
