"""Two sides held against each other, with differences that can be counted, and `python -m eval compare`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from eval import comparison, scoring, sides
from eval.__main__ import main
from eval.comparison import Comparison, Difference, OtherData, compare
from eval.report import differences, markdown
from eval.sides import Side
from rag_qa.errors import SourceError
from tests.eval.making import answered, question, refused
from tests.eval.runs import items, side, store


def of(found: Comparison, key: str) -> Difference:
    (one,) = [one for one in found.differences if one.key == key]
    return one


# -------------------------------------------------------------------------------------------------------------- the figures


def test_a_difference_worked_by_hand() -> None:
    # of eight facts 4 were right, now 6 are: three flipped to right, one to wrong
    one = of(compare(side(items("++++----")), side(items("+++-+++-"))), "fact_in_answer.answerable")
    assert (one.before.value, one.after.value, one.delta) == (0.5, 0.75, 0.25)
    assert (one.better, one.worse) == (("q4", "q5", "q6"), ("q3",))
    assert (one.p, one.test) == (2 * (1 + 4) / 16, "McNemar")
    # differences 0 0 0 -1 1 1 1 0: mean of squares 4/8 less (2/8)² = 0.4375; 7.84 * 0.4375 / 0.25² = 54.9
    assert one.variance == pytest.approx(0.4375, rel=0.05)
    assert one.needed == pytest.approx(55, abs=3)
    assert one.interval is not None
    assert one.interval[0] < 0 < 0.25 < one.interval[1]


def test_plus_is_better_where_less_is_better() -> None:
    asked = question("q")
    found = compare(side([refused(asked)]), side([answered(asked)]))
    refusals = of(found, "over_refused.answerable")
    assert (refusals.before.value, refusals.after.value, refusals.delta, refusals.better) == (1, 0, 1, ("q",))
    assert of(compare(side([answered(asked)]), side([refused(asked)])), "over_refused.answerable").delta == -1


def test_words_are_compared_by_their_median() -> None:
    asked = [question(f"q{n}", papers=(f"p{n}",)) for n in range(3)]
    short, long = ([answered(one, "It is fast. " + "And so. " * n) for one in asked] for n in (0, 5))
    one = of(compare(side(short), side(long)), "words_median.all")
    assert (one.before.value, one.after.value, one.delta, one.interval) == (3, 13, -10, (-10, -10))
    assert one.test == "sign flip"


def test_an_error_is_the_worst_value_on_both_sides() -> None:
    right, crash = side(items("++")), side(items("+!"))
    worse, better = of(compare(right, crash), "fact_in_answer.answerable"), of(compare(crash, right), "fact_in_answer.answerable")
    assert (worse.after.value, worse.after.n_eligible, worse.after.n_error, worse.delta, worse.worse) == (0.5, 2, 1, -0.5, ("q1",))
    assert (better.delta, better.better) == (0.5, ("q1",))
    assert of(compare(side(items("+-")), crash), "fact_in_answer.answerable").delta == 0
    assert compare(right, crash).notes == ("1 of 2 questions of a run ended in an error (q1)",)


def test_a_question_that_a_metric_does_not_apply_to_any_more_is_in_the_other_figure_alone() -> None:
    asked = [question("a", papers=("p1",)), question("b", papers=("p2",))]
    both = side([answered(asked[0], cites=("p1",)), answered(asked[1], cites=("p1", "p2"))])
    one_refused = side([answered(asked[0], cites=("p1",)), refused(asked[1])])
    one = of(compare(both, one_refused), "citation_precision.answerable")
    assert (one.before.value, one.after.value, one.delta) == (0.75, 1, 0.25)
    assert (one.before.n_eligible, one.after.n_eligible) == (2, 1)
    assert (one.better, one.worse) == ((), ())
    assert one.changed


def test_questions_about_one_paper_are_no_independent_witnesses() -> None:
    alone = compare(side(items("+" * 12)), side(items("+" * 6 + "-" * 6)))
    together = ["same" if n >= 6 else f"p{n}" for n in range(12)]
    of_one_paper = compare(side(items("+" * 12, papers=together)), side(items("+" * 6 + "-" * 6, papers=together)))
    narrow, wide = (of(found, "fact_in_answer.answerable").interval for found in (alone, of_one_paper))
    assert narrow is not None
    assert wide is not None
    assert narrow[1] < 0  # six papers of twelve: more than chance
    assert wide[1] == 0  # one paper of seven: it may well not have been drawn


def test_holm_is_over_the_headline_figures_alone() -> None:
    found = compare(side(items("+" * 10)), side(items("-" * 10)))
    headline = [one for one in found.differences if one.key in sides.HEADLINE and one.p is not None]
    changed = of(found, "fact_in_answer.answerable")
    assert changed.p == 2 / 1024
    assert changed.p_holm == pytest.approx(2 / 1024 * len(headline))
    assert of(found, "fact_share.answerable").p_holm is None


def test_trulens_809_a_shown_figure_is_that_of_the_single_questions() -> None:
    made = items("++-+!-+", unanswerables="+-!")
    figures = {figure.key: figure for figure in scoring.figures(made)}
    for one in compare(side(items("+++++++", unanswerables="+++")), side(made)).differences:
        figure = figures[one.key]
        assert one.after.value == (None if figure.value is None else pytest.approx(figure.value, abs=1e-12)), one.key
        assert (one.after.n_eligible, one.after.n_error) == (figure.n_eligible, figure.n_error), one.key


def test_deepeval_1265_the_order_of_the_questions_changes_nothing() -> None:
    before, after = items("++-+-+", unanswerables="+-"), items("+-++-+", unanswerables="++")
    turned = compare(side(before[::-1]), side(after))
    for one in compare(side(before), side(after)).differences:
        other = of(turned, one.key)
        assert (one.before.value, one.after.value, one.p) == (other.before.value, other.after.value, other.p)
        assert sorted(one.worse) == sorted(other.worse)


def test_the_same_twice_differs_in_nothing() -> None:
    found = compare(side(items("++-!", unanswerables="+-")), side(items("++-!", unanswerables="+-")))
    assert not any(one.changed for one in found.differences)
    assert {one.delta for one in found.differences if not one.lacks} == {0.0}
    assert {one.p for one in found.differences if not one.lacks} == {1.0}
    assert {one.needed for one in found.differences} == {None}


# --------------------------------------------------------------------------------------------------- what can't be compared


def without(one: Side, metric: str) -> Side:
    return replace(one, versions={name: version for name, version in one.versions.items() if name != metric})


def test_a_metric_that_one_side_lacks_is_said() -> None:
    old, new = side(items("++")), side(items("+-"))
    assert of(compare(old, without(new, "right")), "right.all").lacks == "not measured after"
    assert of(compare(without(old, "right"), new), "right.all").lacks == "not measured before"
    changed = replace(new, versions={**new.versions, "right": "2"})
    assert of(compare(old, changed), "right.all").lacks == "version 1 of the metric before, 2 after"
    assert of(compare(old, without(new, "right")), "right.all").delta is None
    assert "not measured after" in differences.of_comparison(compare(old, without(new, "right")))


def test_a_figure_that_was_judged_and_that_nobody_measures_any_more_is_said() -> None:
    old = side(items("++"))
    old = replace(old, judged=("elegance.all", *old.judged), versions={**old.versions, "elegance": "1"})
    assert of(compare(old, side(items("++"))), "elegance.all").lacks == "no such metric any more"


def test_what_is_judged_is_measured() -> None:
    assert set(sides.HEADLINE) <= {f"{metric.name}.{scope}" for metric, scopes in scoring.plan({}) for scope in scopes}


def test_a_figure_that_no_question_is_about_is_not_told() -> None:
    found = compare(side(items("++")), side(items("+-")))
    assert of(found, "right.set").lacks == comparison.NO_QUESTION
    assert "over set" not in differences.of_comparison(found)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (side(items("++"), name="b", data_sha256="e" * 64), "data is not the same: dddddddd in a run, eeeeeeee in b: pass --allow-other-data"),
        (side(items("+++"), name="b"), "1 questions are in b alone (q2)"),
        (side(items("+"), name="b"), "1 questions are in a run alone (q1)"),
    ],
)
def test_other_questions_are_refused(other: Side, says: str) -> None:
    with pytest.raises(OtherData) as refusal:
        compare(side(items("++")), other)
    assert says in str(refusal.value)


def test_other_papers_are_refused_where_both_hashes_are_known() -> None:
    known, other = side(items("++"), papers_sha256="1" * 64), side(items("++"), papers_sha256="2" * 64)
    with pytest.raises(OtherData, match="papers is not the same"):
        compare(known, other)
    assert compare(known, side(items("++"))).questions == 2


def test_what_both_were_asked_is_compared_if_that_is_allowed() -> None:
    found = compare(side(items("+++")), side(items("+-"), name="b", data_sha256="e" * 64), allow_other_data=True)
    assert found.questions == 2
    assert of(found, "fact_in_answer.answerable").delta == -0.5
    assert found.notes[0].startswith("data is not the same")
    assert found.notes[1] == "1 questions are in a run alone (q2)"
    with pytest.raises(OtherData, match="no question in common"):
        compare(side(items("+")), side(items("", unanswerables="+")), allow_other_data=True)


def test_other_settings_are_said() -> None:
    found = compare(side(items("+"), models=["extractive"]), side(items("+"), settings={"answerer": "llm"}, models=["tiny"]))
    assert found.notes == ("models: extractive before, tiny after", "answerer: extractive before, llm after")


# --------------------------------------------------------------------------------------------------------------- baselines


def test_a_baseline_holds_the_scores_and_no_word_of_the_answers(tmp_path: Path) -> None:
    made = side(items("+-!", unanswerables="+-"), name="b.jsonl")
    sides.write(made, tmp_path / "b.jsonl")
    again = sides.load(tmp_path / "b.jsonl")
    assert again.about == made.about
    assert again.versions == made.versions
    assert not any(one.changed for one in compare(made, again).differences)
    assert not any(one.changed for one in compare(again, made).differences)
    text = (tmp_path / "b.jsonl").read_text()
    assert "fast" not in text
    sides.write(again, tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "ValueError"),
        ('{"baseline": 7}\n', "found a baseline of form 7, expected form 1. Renew it"),
        ("{}\n", "KeyError('baseline'), expected a run's directory, or a baseline"),
        (
            '{"baseline": 1, "about": {}, "metrics": {"right": "1"}}\n{"id": "q", "cluster": 0, "scopes": [], "status": "", "scores": []}\n',
            "ValueError",
        ),
        ("a,b\n", "JSONDecodeError"),
    ],
)
def test_what_is_no_baseline_is_said(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "b.jsonl").write_text(text)
    with pytest.raises(SourceError) as refusal:
        sides.load(tmp_path / "b.jsonl")
    assert says in str(refusal.value)


# ------------------------------------------------------------------------------------------------------------- the command


def test_the_command_says_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = store(tmp_path / "a", items("++++++++", unanswerables="++"))
    after = store(tmp_path / "b", items("+++++++-", unanswerables="+-"))
    code = main(["compare", str(before), str(after), "--json", str(tmp_path / "o" / "c.json"), "--markdown", str(tmp_path / "c.md")])
    printed = capsys.readouterr().out
    assert code == 0
    assert "10 questions of few.jsonl" in printed
    (fact,) = [line for line in printed.splitlines() if line.startswith("asked fact in the answer (all) ↑") and "answerable" in line]
    told = re.split(r"  +", fact)
    assert told[1:-1] == ["answerable", "1.000", "0.875", "-0.125", "-0.375 to 0", "1.000", "0 up, 1 down"]
    assert float(told[-1]) == pytest.approx(7.84 * 7 / 64 / (1 / 8) ** 2, abs=4)  # 54.9
    assert "worse in refused.unanswerable: u1" in printed
    assert "more figures are the same on both sides." in printed
    record = json.loads((tmp_path / "o" / "c.json").read_text())
    (told,) = [one for one in record["differences"] if (one["metric"], one["scope"]) == ("refused", "unanswerable")]
    assert (told["before"]["value"], told["after"]["value"], told["delta"], told["worse"]) == (1, 0.5, -0.5, ["u1"])
    table = (tmp_path / "c.md").read_text()
    assert "| unanswerable refused ↑ | unanswerable | 1.000 | 0.500 | -0.500 |" in table
    assert "- worse in refused.unanswerable: u1" in table


def test_the_command_shows_what_is_the_same_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = store(tmp_path / "a", items("++", unanswerables="+"))
    main(["compare", str(run), str(run)])
    short = capsys.readouterr().out
    main(["compare", str(run), str(run), "--all"])
    full = capsys.readouterr().out
    assert "No question changed in a headline figure." in short
    assert "recall@10" not in short
    assert "recall@10" in full


def test_the_command_takes_a_baseline_for_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = store(tmp_path / "run", items("++", unanswerables="+"))
    sides.write(sides.load(run), tmp_path / "baseline.jsonl")
    assert main(["compare", str(tmp_path / "baseline.jsonl"), str(run)]) == 0
    assert "No question changed in a headline figure." in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--allow-other-data"]])
def test_the_command_refuses_other_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    code = main(["compare", str(store(tmp_path / "a", items("++"))), str(store(tmp_path / "b", items("+++"))), *options])
    printed = capsys.readouterr()
    assert code == (0 if options else 2)
    assert "1 questions are in" in printed.out + printed.err


def test_the_command_needs_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path), str(tmp_path)]) == 2
    assert "expected a directory that `python -m eval run --out` wrote" in capsys.readouterr().err


def test_a_figure_of_other_questions_with_the_same_value_is_only_told_if_it_might_have_been_another() -> None:
    asked = [question(f"q{n}", papers=(f"p{n}",)) for n in range(3)]
    cites = [("p0",), ("p1", "x"), ("p2", "x", "y")]
    all_three = [answered(one, cites=paper) for one, paper in zip(asked, cites, strict=True)]
    same = compare(side(all_three), side([all_three[0], refused(asked[1]), all_three[2]]))
    # precision 1, 1/2, 1/3 (mean 0.611) against 1, 1/3 (mean 0.667)
    assert of(same, "citation_precision.answerable").changed
    perfect = [answered(one, cites=one.papers) for one in asked]
    assert not of(compare(side(perfect), side([*perfect[:2], refused(asked[2])])), "citation_precision.answerable").changed


def test_a_table_of_many_and_infinite_values() -> None:
    found = compare(side(items("++++")), side(items("+!!!")))
    one = of(found, "words_median.all")
    assert (one.before.value, one.after.value, one.delta) == (3, None, float("-inf"))
    json.dumps(comparison.to_json(found), allow_nan=False)
    assert "-inf" in differences.of_comparison(found)
    assert "| -inf |" in markdown.of_comparison(found)
