"""Floors: those that are shipped, those that are badly written, and which runs stand above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval import floors, running, scoring
from eval.floors import Floor
from rag_qa.errors import SourceError
from tests.eval.making import answered, crashed, question, refused, unanswerable


def test_the_shipped_floors_are_those_that_were_promised() -> None:
    shipped = {floor.key: str(floor) for floor in floors.load()}
    assert shipped == {
        "right_paper_cited.single": ">= 0.91",
        "fact_in_answer.single": ">= 0.86",
        "words_median.single": "<= 60",
        "refused.unanswerable": ">= 0.78",
        "over_refused.answerable": "<= 0.08",
        "right.followup": ">= 0.78",
        "quotes_verbatim.all": ">= 1",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[floor]\n", "expected a TOML file of floors"),
        ("", r"expected \[\[floor\]\] tables and nothing else"),
        ('[[floor]]\nmetric = "right"\nscope = "all"\n', "a number for either at_least or at_most"),
        ('[[floor]]\nmetric = "right"\nscope = "all"\nat_least = 1\nat_most = 1\n', "a number for either at_least or at_most"),
        ('[[floor]]\nmetric = "right"\nscope = "all"\nat_least = "much"\n', "a number for either at_least or at_most"),
        (
            '[[floor]]\nmetric = "right"\nscope = "sometimes"\nat_least = 1\n',
            "found the figure 'right.sometimes' in floor 1, expected one of success_at_1",
        ),
    ],
)
def test_a_bad_file_of_floors_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "floors.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=says):
        floors.load(path)


def test_a_floor_holds_at_its_own_value() -> None:
    assert Floor("right", "all", at_least=0.5).holds(0.5)
    assert not Floor("right", "all", at_least=0.5).holds(0.4999)
    assert Floor("words_median", "all", at_most=80).holds(80)
    assert not Floor("words_median", "all", at_most=80).holds(80.5)


def test_what_no_question_asks_is_not_measured_and_what_a_system_withholds_fails() -> None:
    bounds = [Floor("refused", "unanswerable", at_least=0.5), Floor("quotes_verbatim", "all", at_least=1.0), Floor("right", "single", at_least=0.0)]
    # one refusal: nobody asked for the unanswerable, and there is no quote to look at
    items = [refused(question())]
    checks = floors.check(bounds, scoring.figures(items), [item.question for item in items])
    assert [(check.value, check.outcome) for check in checks] == [(None, "not measured"), (None, "fail"), (0, "pass")]


def test_the_shipped_floors_are_for_the_product_on_the_questions_that_they_were_set_on() -> None:
    seeds = {"data": running.shown(running.SEED_QUESTIONS)}
    assert floors.chosen(None, seeds) == floors.chosen(None, {**seeds, "system": "product"}) == floors.load()
    for about in ({**seeds, "system": "endpoint"}, {"data": "seeds.jsonl"}, {"data": "eval/datasets/seeds_more.jsonl"}, {"data": "own.csv"}):
        assert floors.chosen(None, about) == []
        assert floors.chosen(floors.SHIPPED, about) == floors.load()


def test_a_crash_breaks_a_floor() -> None:
    bounds = [Floor("refused", "unanswerable", at_least=1.0), Floor("right", "single", at_least=1.0)]
    for items, outcomes in (
        ([answered(question()), refused(unanswerable())], ["pass", "pass"]),
        ([crashed(question()), crashed(unanswerable())], ["fail", "fail"]),
    ):
        checks = floors.check(bounds, scoring.figures(items), [item.question for item in items])
        assert [check.outcome for check in checks] == outcomes
