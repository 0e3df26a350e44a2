"""Spoilt answers, what the figures have to say of them, and agreement with people, on examples worked by hand."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eval import manipulations, scoring, trust
from eval.__main__ import main
from eval.figures import measure
from eval.items import Item
from eval.manipulations import SUITE, Manipulation, Sign
from eval.metrics import agreement
from eval.metrics.support import SHIPPED, Label, Support, Thresholds
from eval.pairs import CONTRADICTED, NOT_ENOUGH, SUPPORTED, Pair
from rag_qa.papers import Paper
from tests.eval.making import question, unanswerable, write_questions
from tests.fakes import FakeEngine

LIBRARY = {
    "p1": "Tides are hard to predict for the small harbours. We propose TIDE-7, a model of tides that is 1.5 times faster than its rivals. "
    "It reduces the error on TideBench by 30% and improves the forecast of storms.",
    "p2": "Mosses grow slowly on the northern side of trees. MOSS-2 counts mosses in 400 photographs and does not need any labels.",
    "p3": "Rivers carry sand to the sea in every season of the year. Their mouths move by 3 metres in 10 years.",
    "p4": "Winds shape the dunes of the desert over many decades. Sand travels 40 metres in one storm of the winter.",
    "p5": "Soups are cooked for hours in most of the kitchens. Salt is added at the end by 9 of 10 cooks.",
    "p6": "Clocks lose seconds when the room is warm in summer. A heavier pendulum helps against that in 7 of 8 clocks.",
}


def answers() -> list[Item]:
    asked = [
        question("speed", facts=(("1.5",),)),
        question("error", facts=(("30%",),)),
        question("labels", papers=("p2",), facts=(("does not need any labels",),)),
        question("sand", papers=("p3",), facts=(("3 metres",),)),
    ]
    return manipulations.right_answers(asked, LIBRARY)


def test_right_answers_are_made_of_the_sentences_that_hold_the_facts() -> None:
    first = answers()[0]
    assert first.sentences[0].text == "We propose TIDE-7, a model of tides that is 1.5 times faster than its rivals."
    assert first.cited == ("p1",)
    assert scoring.faults(first) == []
    for metric, _ in scoring.plan(LIBRARY):
        if metric.name in ("citation_recall", "citation_support_precision", "groundedness", "quotes_verbatim", "fact_in_answer"):
            assert measure(metric, "all", answers()).value == 1, metric.name


def test_questions_without_one_paper_or_a_fact_in_it_make_no_answer() -> None:
    asked = [unanswerable(), question("two", papers=("p1", "p2")), question("elsewhere", facts=(("soup",),))]
    assert manipulations.right_answers(asked, LIBRARY) == []


@pytest.mark.parametrize("one", SUITE, ids=lambda one: one.name)
def test_every_figure_reacts_as_it_has_to(one: Manipulation) -> None:
    found = [reaction for reaction in trust.reactions(answers(), LIBRARY) if reaction.manipulation == one.name]
    assert len(found) == len(one.required) > 0
    # the rules for units and directions find no hold in some of these sentences; in that case nothing was spoilt, and nothing can react
    if manipulations.spoilt(answers(), one, LIBRARY) != answers():
        assert [(reaction.metric, reaction.before, reaction.after) for reaction in found if not reaction.holds] == []


def test_a_figure_that_does_not_react_is_reported() -> None:
    reaction = trust.Reaction("number", "groundedness", 1.0, 1.0, Sign.DOWN)
    assert not reaction.holds
    found = trust.Trust([], [reaction])
    assert not found.holds
    assert "0 of 1 figures react" in found.said
    assert any(line.endswith("NO") for line in trust.lines(found))


def test_spoiling_does_not_depend_on_the_order_of_the_answers() -> None:
    for one in SUITE:
        forward, backward = (manipulations.spoilt(items, one, LIBRARY) for items in (answers(), answers()[::-1]))
        assert forward == backward[::-1]


def pair(sentence: str, label: str) -> Pair:
    return Pair("set", "dev", Paper("p1", LIBRARY["p1"]), sentence, label)


PAIRS = [
    pair("TIDE-7 is a model of tides that is faster than its rivals.", SUPPORTED),
    pair("Small harbours make tides hard to predict.", SUPPORTED),
    pair("TIDE-7 is a model of tides that is slower than its rivals.", CONTRADICTED),
    pair("Mosses grow on trees.", NOT_ENOUGH),
]


def test_agreement_with_people_worked_by_hand() -> None:
    # one of two supported is called so, one of two others is: half and half
    verdicts = [Support(Label.SUPPORTED, 0.9), Support(Label.PARTIAL, 0.4), Support(Label.SUPPORTED, 0.6), Support(Label.UNSUPPORTED, 0.1)]
    found = trust.agreement_on("set dev", PAIRS, verdicts)
    assert (found.balanced_accuracy, found.kappa, found.contradictions_called_supported) == (0.5, 0.0, 1.0)
    # pairs of supported and other that are in order: 0.9 > 0.6, 0.9 > 0.1, 0.4 > 0.1, and 0.4 < 0.6 is not
    assert found.auroc == 3 / 4
    assert (found.auroc_not_enough, found.auroc_contradicted) == (1.0, 0.5)


def test_thresholds_are_where_the_labels_part_and_let_few_wrong_sentences_pass() -> None:
    verdicts = [Support(Label.SUPPORTED, cover) for cover in (0.9, 0.7, 0.5, 0.2)]
    chosen = trust.fitted(PAIRS, verdicts)
    assert chosen == Thresholds(0.51, 0.21)


def test_chance_agreement_is_none() -> None:
    assert agreement.kappa([True, False] * 2, [True, True, False, False]) == 0
    with pytest.raises(ValueError, match="both kinds"):
        agreement.balanced_accuracy([True], [True])


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    (tmp_path / "corpus.txt").write_text("the fake engine knows its papers")
    data = write_questions(tmp_path / "questions.jsonl", [{"question": "How fast is the tide?"}])
    main(["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--out", str(tmp_path / "run")], make_system=FakeEngine)
    return tmp_path / "run"


def test_the_command_writes_what_the_report_shows(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["trust", str(stored), "--pairs", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "trust.json")])
    assert "The labels of people are not on this machine" in capsys.readouterr().out
    assert [table["title"] for table in json.loads((tmp_path / "trust.json").read_text())["tables"]][1] == "Spoilt answers"
    assert main(["report", str(stored), "--trust", str(tmp_path / "trust.json")]) == 0
    assert "How far the automatic checks can be trusted" in (stored / "report.html").read_text(encoding="utf-8")


def test_the_shipped_thresholds_are_those_that_the_labels_give(shared_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "thresholds.json"
    trust.calibrate(argparse.Namespace(pairs=shared_data / "grounding" / "pairs.jsonl", out=out))
    assert json.loads(out.read_text()) == json.loads(SHIPPED.read_text())


def test_what_was_spoilt_differs_only_where_it_was_meant_to() -> None:
    change: Callable[..., Item] = manipulations.wrong_citation
    before = answers()[0]
    after = change(before, LIBRARY, None)
    assert replace(after, sources=before.sources) == before
    assert after.cited != before.cited
