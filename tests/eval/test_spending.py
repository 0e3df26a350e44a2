"""What a run took: by stage, and in tokens and dollars; what nobody said is unknown, and a sum is the sum of its items."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval import run_directory, runner, spending
from eval.__main__ import main
from eval.datasets.loader import Question
from eval.items import Item, Timing
from eval.systems.chat import Written
from eval.systems.endpoint import Endpoint
from rag_qa.answering.answer import Answer, Usage
from tests.eval.making import answered, crashed, question, write_questions
from tests.fakes import TIDE, FakeEngine

ITEMS = [answered(question("a")), answered(question("b"), "It is slow.")]


def test_milliseconds_by_stage_worked_by_hand() -> None:
    timings = [Timing(str(n), n / 1000, {"search": n / 2000, "total": n / 1000}) for n in (10, 20, 30, 40)]
    found = spending.spending([], timings, {"seconds": 1.5, "stages": {"search": 1.2, "total": 1.4}})
    assert found["warm_ms"] == {"total": {"n": 4, "p50": 25, "p95": 38.5, "max": 40}, "search": {"n": 4, "p50": 12.5, "p95": 19.25, "max": 20}}
    assert found["cold_ms"] == {"total": 1500, "search": 1200}
    assert spending.spending([], [])["cold_ms"] is None


def test_deepeval_2722_a_priced_model_costs_something_and_an_unknown_price_is_unknown() -> None:
    priced = [Timing("a", 0.1, {}, 100, 10, 0.02), Timing("b", 0.1, {}, 200, 20, 0.04)]
    cost = spending.cost(ITEMS, priced)
    assert cost["cost_usd"] == pytest.approx(0.06)
    assert (cost["right_answers"], cost["usd_per_right_answer"]) == (1, pytest.approx(0.06))
    unknown = spending.cost(ITEMS, [priced[0], replace(priced[1], cost_usd=None)])
    assert (unknown["cost_usd"], unknown["usd_per_right_answer"], unknown["prompt_tokens"]) == (None, None, 300)


def test_trulens_2759_a_sum_of_tokens_is_the_sum_of_the_items_and_units_stand_in_the_names() -> None:
    cost = spending.cost(ITEMS, [Timing("a", 0.1, {}, 100, 10, 0.5), Timing("b", 0.1, {}, 7, 3, 0.25)])
    assert (cost["prompt_tokens"], cost["completion_tokens"], cost["cost_usd"]) == (107, 13, 0.75)
    assert all("usd" in name for name in cost if "cost" in name or "per" in name)
    assert set(spending.spending(ITEMS, [])) == {"warm_ms", "cold_ms", "cost"}


def test_ragas_540_what_a_crash_cost_is_unknown_and_so_is_the_sum() -> None:
    assert spending.cost([*ITEMS, crashed(question("c"))], [Timing("a", 0.1, {}, 1, 1), Timing("b", 0.1, {}, 1, 1)])["prompt_tokens"] is None
    assert spending.cost([], [])["cost_usd"] is None


def test_an_endpoint_says_what_it_took() -> None:
    def write(_instructions: str, _prompt: str) -> Written:
        return Written("TIDE-7 is fast [1].", 2_000_000, 1_000_000)

    def timing(price: tuple[float, float] | None, written: Callable[[str, str], Written] = write) -> Timing:
        asked: Sequence[Question] = [question()]
        _, (found,) = runner.run(Endpoint(written, lambda _: [TIDE], "model", price), asked, [TIDE])
        return found

    assert (timing((0.5, 2.0)).cost_usd, timing((0.5, 2.0)).prompt_tokens) == (3.0, 2_000_000)
    assert timing(None).cost_usd is None
    assert timing((0.5, 2.0), lambda _i, _p: Written("It is fast [1].")).cost_usd is None


class Paid(FakeEngine):
    """Answers as the fake engine does, for money."""

    def ask(self, question: str, **options: Any) -> Answer:
        return replace(super().ask(question, **options), usage=Usage(120, 30, 0.002))


def test_ragas_540_a_run_says_what_it_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "corpus.txt").write_text("the fake engine knows its papers")
    data = write_questions(tmp_path / "questions.jsonl", [{"question": "How fast is the tide?"}, {"question": "How quick is the tide?"}])
    command = ["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--out", str(tmp_path / "run")]
    main(command, make_system=Paid)
    assert "240 tokens read, 60 written; 0.004000 USD, 0.00" in capsys.readouterr().out
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["spending"]["cost"]["cost_usd"] == pytest.approx(0.004)
    assert set(summary["spending"]["warm_ms"]) == {"total", "search", "answer"}
    assert summary["spending"]["cold_ms"]["search"] == 10
    assert run_directory.load(tmp_path / "run").timings[0].prompt_tokens == 120
    assert main(["report", str(tmp_path / "run")]) == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "2 of 2 questions say their tokens: 240 read, 60 written; 0.004000 USD" in page
    main(command, make_system=FakeEngine)
    assert "USD" not in capsys.readouterr().out


def test_an_item_holds_nothing_that_a_bill_measures() -> None:
    assert not {"cost_usd", "prompt_tokens", "seconds"} & set(Item.__dataclass_fields__)
