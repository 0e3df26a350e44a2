"""What a judgement says of differences that can be counted, and `python -m eval gate` with its exit codes and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import scoring, sides
from eval.__main__ import main
from eval.floors import Floor, check
from eval.items import Item
from eval.judgement import Judgement, Outcome, Rules, Verdict, judge, outcome_of
from eval.metrics import stats
from eval.report import differences, junit, markdown
from eval.sides import Side
from tests.eval.making import answered, crashed, question
from tests.eval.runs import items, side, store

FACT, REFUSED = "fact_in_answer.answerable", "refused.unanswerable"


def judged(before: list[Item], after: list[Item], **rules: Any) -> Judgement:
    return judge(side(before, name="before"), side(after, name="after"), [], Rules(**rules))


def of(found: Judgement, key: str) -> Verdict:
    (one,) = [one for one in found.verdicts if one.difference.key == key]
    return one


# ---------------------------------------------------------------------------------------------------------------- outcomes


@pytest.mark.parametrize(
    ("interval", "outcome"),
    [
        ((-0.2, -1e-9), Outcome.REGRESSED),
        ((-0.2, 0), Outcome.INCONCLUSIVE),
        ((-0.05, 0), Outcome.INCONCLUSIVE),
        ((-0.049, 0), Outcome.OK),
        ((-0.02, -0.01), Outcome.REGRESSED),  # by less than the margin, and for certain
        ((0, 0), Outcome.OK),
        ((0.1, 0.2), Outcome.OK),
        ((float("-inf"), float("-inf")), Outcome.REGRESSED),
    ],
)
def test_what_an_interval_says(interval: tuple[float, float], outcome: Outcome) -> None:
    assert outcome_of(interval, 0.05) is outcome


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0.001, 1), st.floats(0, 1))
def test_nothing_better_is_judged_worse(low: float, width: float, margin: float, better: float) -> None:
    order = [Outcome.REGRESSED, Outcome.INCONCLUSIVE, Outcome.OK]
    before, after = outcome_of((low, low + width), margin), outcome_of((low + better, low + width + better), margin)
    assert order.index(before) <= order.index(after)


def test_systems_that_differ_by_chance_alone_are_seldom_judged_worse() -> None:
    # one question of ten flips, as often to the better as to the worse; nominal are 2.5 % of cases
    draws = np.random.default_rng(5)
    regressed = 0
    for _ in range(300):
        change = np.where(draws.random(110) < 0.1, np.where(draws.random(110) < 0.5, 1.0, -1.0), 0.0)
        spread = stats.paired_bootstrap(stats.Paired(np.zeros(110), change, np.arange(110)), resamples=500)
        regressed += outcome_of((spread.low, spread.high), 0.05) is Outcome.REGRESSED
    assert regressed / 300 <= 0.06


def test_worse_by_more_than_chance_fails() -> None:
    found = judged(items("+" * 20), items("+" * 14 + "-" * 6))
    assert of(found, FACT).outcome is Outcome.REGRESSED
    assert not found.passed
    assert found.reasons == ["REGRESSED: right.all, fact_in_answer.answerable, fact_in_first_sentence.single"]


def test_as_good_passes() -> None:
    found = judged(items("+++-", unanswerables="+-"), items("+++-", unanswerables="+-"))
    assert {one.outcome for one in found.verdicts} == {Outcome.OK}
    assert found.passed


def test_better_passes() -> None:
    found = judged(items("----------"), items("++++++++++"))
    assert found.passed
    assert of(found, FACT).difference.delta == 1


def test_too_few_questions_to_tell_warn_and_fail_when_strict() -> None:
    before, after = items("+" * 20), items("+" * 19 + "-")
    found, strict = judged(before, after), judged(before, after, strict=True)
    # one of twenty: variance 0.05 - 0.0025; 7.84 * 0.0475 / 0.05² = 149 to tell it from 0
    assert of(found, FACT).outcome is Outcome.INCONCLUSIVE
    assert of(found, FACT).needed == pytest.approx(149, abs=8)
    assert of(found, FACT).said == f"INCONCLUSIVE: {of(found, FACT).needed} questions needed"
    assert found.passed
    assert not strict.passed
    assert strict.reasons == ["INCONCLUSIVE: right.all, fact_in_answer.answerable, fact_in_first_sentence.single"]
    assert differences.verdict_lines(found)[-1].endswith("3 inconclusive")


def test_what_is_nearer_to_nothing_than_to_the_margin_is_to_be_told_from_the_margin() -> None:
    verdict = of(judged(items("+" * 20), items("+" * 19 + "-"), margin=0.14), FACT)
    assert verdict.outcome is Outcome.INCONCLUSIVE  # the interval is about -0.15 to 0
    assert verdict.needed == pytest.approx(7.84 * 0.0475 / 0.09**2, abs=5)  # 46


def test_a_margin_of_ones_own_for_a_figure() -> None:
    before, after = items("+" * 20), items("+" * 19 + "-")
    found = judged(before, after, margins={FACT: 0.2})
    assert of(found, FACT).outcome is Outcome.OK
    assert of(found, "right.all").outcome is Outcome.INCONCLUSIVE
    assert of(judged(before, after, margin=0.2), "right.all").outcome is Outcome.OK


def test_a_margin_of_words_is_a_share_of_them() -> None:
    asked = [question(f"q{n}", papers=(f"p{n}",)) for n in range(10)]

    def words(count: int) -> list[Item]:
        return [answered(one, "fast " * count) for one in asked]

    key = "words_median.all"
    assert of(judged(words(100), words(104)), key).margin == 5
    # longer for certain is worse for certain, whatever the margin
    assert of(judged(words(100), words(104)), key).outcome is Outcome.REGRESSED
    assert of(judged(words(100), words(96)), key).outcome is Outcome.OK


def test_agentv_882_thresholds_are_on_figures_and_never_on_single_questions() -> None:
    # each of the ten questions has another outcome than before, and the figure is the same: that is no regression of any question
    found = judged(items("+-" * 100), items("-+" * 100), margin=0.3)
    assert len(of(found, FACT).difference.worse) == 100
    assert of(found, FACT).outcome is Outcome.OK
    assert found.passed


# -------------------------------------------------------------------------------------------------------- floors, conditions


@pytest.mark.parametrize(("least", "passes"), [(0.5, True), (0.76, False)])
def test_a_missed_floor_fails_whatever_the_baseline(least: float, passes: bool) -> None:
    made = items("+++-")
    checks = check([Floor("fact_in_answer", "single", at_least=least)], scoring.figures(made), [item.question for item in made])
    found = judge(side(made), side(made), checks, Rules())
    assert found.passed is passes
    assert found.reasons == ([] if passes else ["floor missed: fact_in_answer.single >= 0.76"])


def without(one: Side, metric: str) -> Side:
    return replace(one, versions={name: version for name, version in one.versions.items() if name != metric})


def test_a_missing_metric_fails_and_a_new_one_does_not() -> None:
    whole, partly = side(items("++")), without(side(items("++")), "right")
    missing, new = judge(whole, partly, [], Rules()), judge(partly, whole, [], Rules(strict=True))
    assert of(missing, "right.all").outcome is Outcome.MISSING
    assert missing.reasons == ["MISSING: right.all"]
    assert of(new, "right.all").said == "NEW: not measured before"
    assert new.passed


def test_a_metric_of_another_version_is_missing() -> None:
    now = side(items("++"))
    found = judge(now, replace(now, versions={**now.versions, "right": "2"}), [], Rules())
    assert of(found, "right.all").said == "MISSING: version 1 of the metric before, 2 after"
    assert not found.passed


def test_a_figure_that_was_judged_and_is_gone_from_the_code_fails() -> None:
    now = side(items("++"))
    old = replace(now, judged=("elegance.all", *now.judged), versions={**now.versions, "elegance": "1"})
    assert judge(old, now, [], Rules()).reasons == ["MISSING: elegance.all"]


def test_a_figure_that_errors_make_infinite_is_missing() -> None:
    found = judged(items("++++"), items("+!!!"), allowed_errors=4)
    assert of(found, "words_median.all").outcome is Outcome.MISSING


def test_other_questions_fail_and_no_figure_is_compared() -> None:
    found = judge(side(items("++"), name="old"), side(items("++"), name="new", data_sha256="e" * 64), [], Rules())
    assert found.verdicts == ()
    assert found.reasons == ["data is not the same: dddddddd in old, eeeeeeee in new"]
    assert judged(items("+++"), items("++")).reasons == ["1 questions are in before alone (q2)"]


def test_ragas_2044_errors_fail_unless_they_are_allowed() -> None:
    before, after = items("+" * 40 + "-"), items("+" * 40 + "!")
    assert judged(before, after).reasons == ["1 of 41 questions ended in an error, 0 may (q40)"]
    assert judged(before, after, allowed_errors=1).conditions["no more errors than allowed"] == ""


def test_a_failed_search_is_an_error_though_the_answer_came() -> None:
    blind = replace(items("+")[0], retrieved=None, retrieval_error="OSError: gone")
    assert "1 of 1 questions ended in an error, 0 may (q0)" in judged(items("+"), [blind]).reasons


def test_a_run_that_was_interrupted_fails() -> None:
    found = judge(side(items("++")), side(items("++")), [], Rules(), asked=3)
    assert found.reasons == ["PARTIAL: 2 of 3 questions were asked"]


def test_trulens_1649_every_judged_figure_is_told_though_all_questions_ended_in_an_error() -> None:
    before = items("++", unanswerables="+")
    told = {one.difference.key for one in judged(before, before).verdicts}
    after = judged(before, [crashed(item.question) for item in before])
    assert {one.difference.key for one in after.verdicts} == told
    assert {one.outcome for one in after.verdicts} <= {Outcome.REGRESSED, Outcome.MISSING}


@pytest.mark.parametrize("allowed", [0, 5])
@pytest.mark.parametrize("after", ["+" * 30 + "-" * 10, "+" * 20 + "-" * 20])
def test_trulens_pr_2698_a_crash_of_the_worst_questions_never_makes_a_run_pass(after: str, allowed: int) -> None:
    before = items("+" * 30 + "-" * 10, unanswerables="+++++-")
    honest = items(after, unanswerables="++++--")
    worst = [item.question.id for item in honest if not scoring.RIGHT.score(item)][-5:]
    crashing = [crashed(item.question) if item.question.id in worst else item for item in honest]
    told, hidden = judged(before, honest), judged(before, crashing, allowed_errors=allowed)
    assert hidden.passed <= told.passed
    assert hidden.passed is False or allowed == 5
    for one in hidden.verdicts:
        seen = of(told, one.difference.key).difference.delta
        assert one.difference.delta is None or seen is None or one.difference.delta <= seen, one.difference.key


# ------------------------------------------------------------------------------------------------------------- the reports

FAILING = judge(
    side(items("+" * 20, unanswerables="++"), name="before"),
    side(items("+" * 13 + "-" * 6 + "!", unanswerables="+-"), name="after"),
    check([Floor("fact_in_answer", "single", at_least=0.9), Floor("right", "set", at_least=0.5)], scoring.figures(items("+-")), [question()]),
    Rules(),
)


def test_junit_has_a_test_for_each_condition_figure_and_floor() -> None:
    root = ET.fromstring(junit.render(FAILING))
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert len(cases) == 3 + len(FAILING.verdicts) + 2 == int(root.attrib["tests"])
    (suite,) = root.findall("testsuite")
    assert int(suite.attrib["failures"]) == len(root.findall(".//failure")) == int(root.attrib["failures"])
    assert int(suite.attrib["skipped"]) == len(root.findall(".//skipped"))
    failures = {name: failed.attrib["message"] for name, case in cases.items() if (failed := case.find("failure")) is not None}
    assert failures["no more errors than allowed"] == "1 of 22 questions ended in an error, 0 may (q19)"
    assert failures[FACT] == "REGRESSED"
    assert failures["fact_in_answer.single >= 0.9"] == "0.5, to be >= 0.9"
    skipped = {name: told.attrib["message"] for name, case in cases.items() if (told := case.find("skipped")) is not None}
    assert skipped[REFUSED].startswith("INCONCLUSIVE: ")
    assert skipped["right.set >= 0.5"] == "no question is about it"
    assert cases[FACT].findtext("system-out", "").startswith("baseline 1.000, now 0.650, delta -0.350, 95 % -")
    assert cases["valid_citations.all"].find("failure") is None


def test_junit_holds_what_xml_cannot() -> None:
    odd = judge(side(items("++"), name="a"), side(items("++"), name="b\x00<&>", data_sha256="e" * 64), [], Rules())
    root = ET.fromstring(junit.render(odd))
    assert [failure.attrib["message"] for failure in root.iter("failure")] == ["data is not the same: dddddddd in a, eeeeeeee in b?<&>"]


def test_markdown_says_the_verdict_first() -> None:
    text = markdown.of_judgement(FAILING)
    assert text.startswith("## Evaluation: FAIL\n\n`after` against `before`, 22 questions (data dddddddd)\n\n- 1 of 22 questions ended in an error")
    assert "| asked fact in the answer (all) ↑ | answerable | 1.000 | 0.650 | -0.350 |" in text
    assert "| **REGRESSED** |" in text
    assert "- worse in fact_in_answer.answerable: q13, q14, q15, q16, q17, q18, q19" in text
    assert markdown.of_judgement(judged(items("+"), items("+"))).startswith("## Evaluation: PASS\n")


def test_the_report_ends_with_the_verdict_and_why() -> None:
    lines = differences.of_judgement(FAILING).splitlines()
    assert lines[0] == "after against before: 22 questions"
    assert lines[-1] == "FAIL: 3 reasons"
    assert lines[-2] == "  floor missed: fact_in_answer.single >= 0.9"
    assert differences.of_judgement(judged(items("++"), items("++"))).splitlines()[-1].startswith("PASS: ")


# ------------------------------------------------------------------------------------------------------------- the command

NO_FLOORS = '[[floor]]\nmetric = "right"\nscope = "all"\nat_least = 0.1\n'


@pytest.fixture
def gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Judge a stored run against tmp_path/baseline.jsonl; gives the exit code and what was printed."""
    floors = tmp_path / "floors.toml"
    floors.write_text(NO_FLOORS)
    sides.write(side(items("+" * 20), name="b", papers_sha256="f" * 64), tmp_path / "baseline.jsonl")

    def run_gate(run: Path, *options: str) -> tuple[int, str]:
        code = main(["gate", str(run), "--baseline", str(tmp_path / "baseline.jsonl"), "--floors", str(floors), *options])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run_gate


# stored runs hold the papers, and so have the figures that need them too: of those the baseline of the fixture knows nothing


@pytest.mark.parametrize(("after", "code"), [("+" * 20, 0), ("+" * 19 + "-", 0), ("+" * 12 + "-" * 8, 1), ("+" * 19 + "!", 1)])
def test_the_command_ends_with_one_if_the_gate_fails(gate: Callable[..., tuple[int, str]], tmp_path: Path, after: str, code: int) -> None:
    ended, printed = gate(store(tmp_path / "run", items(after)))
    assert ended == code, printed
    assert printed.splitlines()[-1].startswith("PASS" if code == 0 else "FAIL")


def test_the_command_is_strict_if_asked(gate: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run = store(tmp_path / "run", items("+" * 19 + "-"))
    assert gate(run, "--strict")[0] == 1
    assert gate(run, "--strict", "--margin", "0.3")[0] == 0
    assert gate(run, "--strict", "--margin", "0.3", f"{FACT}=0.01")[0] == 1


def test_the_command_writes_what_it_is_asked_for(gate: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run = store(tmp_path / "run", items("+" * 12 + "-" * 8))
    gate(run, "--json", str(tmp_path / "o/g.json"), "--junit", str(tmp_path / "o/g.xml"), "--markdown", str(tmp_path / "o/g.md"))
    record = json.loads((tmp_path / "o/g.json").read_text())
    assert (record["verdict"], record["run"]) == ("FAIL", str(run))
    assert {one["metric"]: one["outcome"] for one in record["figures"]}["fact_in_answer"] == "REGRESSED"
    assert ET.parse(tmp_path / "o/g.xml").getroot().tag == "testsuites"
    assert (tmp_path / "o/g.md").read_text().startswith("## Evaluation: FAIL")


def test_the_command_says_that_a_run_was_interrupted(gate: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, printed = gate(store(tmp_path / "run", items("+" * 20), questions=30))
    assert code == 1
    assert "PARTIAL: 20 of 30 questions were asked" in printed


def test_the_command_renews_the_baseline(gate: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    run = store(tmp_path / "run", items("+" * 12 + "-" * 8))
    code, printed = gate(run, "--renew")
    assert code == 0
    assert "REGRESSED" in printed  # it is said what one is about to accept
    assert printed.splitlines()[-1] == "baseline.jsonl is renewed: 20 questions"
    assert gate(run)[0] == 0
    assert gate(store(tmp_path / "better", items("+" * 20)))[0] == 0
    (tmp_path / "baseline.jsonl").unlink()
    assert gate(run, "--renew")[0] == 0
    assert gate(run)[0] == 0


@pytest.mark.parametrize(("made", "questions"), [("+" * 19 + "!", None), ("+" * 20, 30)])
def test_a_run_with_errors_or_that_is_not_whole_becomes_no_baseline(
    gate: Callable[..., tuple[int, str]], tmp_path: Path, made: str, questions: int | None
) -> None:
    before = (tmp_path / "baseline.jsonl").read_text()
    code, printed = gate(store(tmp_path / "run", items(made), questions=questions), "--renew")
    assert code == 2
    assert "is no baseline" in printed
    assert (tmp_path / "baseline.jsonl").read_text() == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--baseline", "nowhere.jsonl"], "nowhere.jsonl: no such baseline; name one with --baseline, or make RUN the baseline with --renew"),
        (["--floors", "nowhere.toml"], "expected a TOML file of floors"),
        (["--junit", "/dev/null/x.xml"], "error: "),
    ],
)
def test_what_cannot_be_judged_ends_with_two(gate: Callable[..., tuple[int, str]], tmp_path: Path, options: list[str], says: str) -> None:
    code, printed = gate(store(tmp_path / "run", items("+" * 20)), *options)
    assert code == 2
    assert says in printed


@pytest.mark.parametrize("margin", ["0", "-0.1", "x", "nan", "right.everywhere=0.1"])
def test_a_margin_that_means_nothing_is_refused(gate: Callable[..., tuple[int, str]], tmp_path: Path, margin: str) -> None:
    with pytest.raises(SystemExit) as ended:
        gate(tmp_path, "--margin", margin)
    assert ended.value.code == 2


def test_deepeval_770_the_process_ends_with_what_happened(tmp_path: Path, project: Path) -> None:
    (tmp_path / "floors.toml").write_text(NO_FLOORS)
    good, bad = store(tmp_path / "good", items("+" * 20)), store(tmp_path / "bad", items("+" * 12 + "-" * 8))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "manifest.json").write_text("{}")
    (tmp_path / "damaged" / "papers.jsonl").write_text("")
    for run, code in ((good, 0), (bad, 1), (tmp_path / "damaged", 2), (tmp_path / "nowhere", 2)):
        command = [sys.executable, "-m", "eval", "gate", str(run), "--baseline", str(good), "--floors", str(tmp_path / "floors.toml")]
        ended = subprocess.run(command, cwd=project, env=dict(os.environ), capture_output=True, text=True)
        assert ended.returncode == code, ended.stdout + ended.stderr
