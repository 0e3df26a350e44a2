"""Two runs on one page: which questions are said to have changed, how, in which order, and that both answers stand side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from eval import floors, run_directory, running, sides
from eval.__main__ import main
from eval.comparison import OtherData
from eval.datasets.loader import Kind
from eval.items import Item
from eval.report import anchors, changes, headline, page, slices
from eval.report.changes import Changes, What
from eval.report.page import Extras
from eval.run_directory import Run
from eval.summary import Summary
from tests.eval.making import answered, crashed, question, refused, unanswerable
from tests.eval.runs import items, store
from tests.eval.test_page import HOSTILE, LIBRARY, made


def summary(run: Run) -> Summary:
    return running.summarised(run, floors.load())


def compared(tmp_path: Path, before: Sequence[Item], after: Sequence[Item]) -> Changes:
    run = run_directory.load(store(tmp_path / "after", after))
    return changes.of(run, store(tmp_path / "before", before))


def what(found: Changes) -> dict[str, What]:
    return {one.after.item.question.id: one.what for one in found.shown}


# --------------------------------------------------------------------------------------------------------------- what is said


def test_a_question_is_lost_won_worse_better_both_or_in_other_words(tmp_path: Path) -> None:
    asked = {name: question(name) for name in ("lost", "won", "mixed", "words", "same", "crash")}
    before = [
        answered(asked["lost"]),
        answered(asked["won"], "It is slow."),
        answered(asked["mixed"], "It is slow.", cites=("p1",), ranked=("p2", "p1")),
        answered(asked["words"]),
        answered(asked["same"]),
        answered(asked["crash"], "It is slow."),
    ]
    after = [
        answered(asked["lost"], "It is slow."),
        answered(asked["won"]),
        answered(asked["mixed"], "It is slow.", cites=("p1", "p2"), ranked=("p1", "p2")),
        answered(asked["words"], "It is very fast."),
        answered(asked["same"]),
        crashed(asked["crash"]),
    ]
    found = compared(tmp_path, before, after)
    # a crash of what was wrong anyway is worse: where the search and the citations were right they are lost too
    assert what(found) == {
        "lost": What.LOST,
        "crash": What.WORSE,
        "mixed": What.MIXED,
        "won": What.WON,
        "words": What.OTHER,
    }
    assert list(found.counts) == [What.LOST, What.WORSE, What.MIXED, What.WON, What.OTHER]


def test_the_orders_are_places_and_no_place_is_taken_twice(tmp_path: Path) -> None:
    found = compared(tmp_path, items("+-++", unanswerables="+"), items("-+--", unanswerables="-"))
    for name in changes.SORTED_BY:
        assert sorted(one.order[name] for one in found.shown) == list(range(len(found.shown)))
    by_id = sorted(found.shown, key=lambda one: one.order["id"])
    assert [one.after.item.question.id for one in by_id] == ["q0", "q1", "q2", "q3", "u0"]
    by_gain = sorted(found.shown, key=lambda one: one.order["gain"])
    assert by_gain[-1].what is What.WON
    by_kind = sorted(found.shown, key=lambda one: one.order["kind"])
    assert [str(one.after.item.question.kind) for one in by_kind] == sorted(str(one.after.item.question.kind) for one in found.shown)


def test_a_figure_of_a_question_that_does_not_apply_or_failed_is_shown_as_such(tmp_path: Path) -> None:
    found = compared(tmp_path, items("++"), items("+!"))
    (one,) = found.shown
    assert {"error"} == {moved.after for moved in one.moved}
    assert all(moved.gain < 0 for moved in one.moved)


def test_the_same_run_twice_changes_nothing_and_says_so(tmp_path: Path) -> None:
    found = compared(tmp_path, items("+-"), items("+-"))
    assert (found.shown, found.left_out, found.counts) == ((), 0, {})
    assert "No question changed." in shown(tmp_path / "after", tmp_path / "before")


def test_more_than_the_page_holds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST", 2)
    found = compared(tmp_path, items("+++++"), items("----+"))
    assert (len(found.shown), found.left_out, found.counts) == (2, 2, {What.LOST: 4})
    assert "2 more questions changed" in shown(tmp_path / "after", tmp_path / "before")


def test_other_questions_are_refused_unless_that_is_allowed(tmp_path: Path) -> None:
    run = run_directory.load(store(tmp_path / "after", items("++")))
    before = store(tmp_path / "before", items("+-+"), data_sha256="e" * 64)
    with pytest.raises(OtherData, match="--allow-other-data"):
        changes.of(run, before)
    found = changes.of(run, before, allow_other_data=True)
    assert what(found) == {"q1": What.WON}
    assert not found.judgement.passed  # not the same questions: no gate is passed by that


# ------------------------------------------------------------------------------------------------------------------- the page


def shown(after: Path, before: Path) -> str:
    run = run_directory.load(after)
    return page.render(run, summary(run), Extras(changes.of(run, before)))


def test_the_table_has_both_values_the_difference_its_interval_and_p(tmp_path: Path) -> None:
    before, after = store(tmp_path / "before", items("+" * 10)), store(tmp_path / "after", items("-" * 8 + "++"))
    text = shown(after, before)
    row = next(line for line in text.split("<tr>") if "right paper and fact, or rightly refused" in line)
    cells = [re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
    difference = changes.of(run_directory.load(after), before).by_key["right.all"]
    assert difference.p_holm is not None
    assert cells[1][0] == "0.200"
    assert cells[2] == ["1.000"]
    assert cells[3] == ["-0.800", "-1.000", "to", "-0.500"]
    assert cells[4] == [f"{difference.p_holm:.3f}".removeprefix("0")]
    assert cells[5] == ["REGRESSED", "0", "up,", "8", "down"]
    assert "FAIL" in re.findall(r"<title>(.*?)</title>", text)[0]


def test_a_baseline_of_scores_has_no_text_and_the_page_says_so(tmp_path: Path) -> None:
    run = run_directory.load(store(tmp_path / "after", items("+-")))
    sides.write(sides.side(items("++"), run.manifest["about"], name="a baseline"), tmp_path / "baseline.jsonl")
    found = changes.of(run, tmp_path / "baseline.jsonl")
    assert what(found) == {"q1": What.LOST}
    assert "keeps the scores of 2 questions and no text" in found.about
    assert "The baseline keeps scores and no text." in page.render(run, summary(run), Extras(found))


def test_the_figures_of_the_whole_set_are_held_against_those_of_the_other_run(tmp_path: Path) -> None:
    found = compared(tmp_path, items("++", unanswerables="+"), items("+-", unanswerables="-"))
    assert found.values["aurc.all"] is not None
    text = shown(tmp_path / "after", tmp_path / "before")
    row = next(line for line in text.split("<tr>") if "area under risk and coverage" in line)
    assert f"{found.values['aurc.all']:.3f}" in row


def test_the_command_writes_the_same_bytes_twice_and_nothing_of_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = replace(question("hostile"), text=HOSTILE)
    before, after = answered(hostile), replace(answered(hostile, HOSTILE), own_words=HOSTILE, understood_as=HOSTILE)
    store(tmp_path / "before", [before]), store(tmp_path / "after", [after])
    written = []
    for name in ("one.html", "two.html"):
        out = tmp_path / "pages" / name
        assert main(["report", str(tmp_path / "after"), "--baseline", str(tmp_path / "before"), "--out", str(out)]) == 0
        written.append(out.read_bytes())
    assert written[0] == written[1]
    assert b"<script" not in written[0]
    assert b"{{ 7*7 }}" in written[0]
    assert main(["report", str(tmp_path / "after"), "--baseline", str(tmp_path / "nowhere")]) == 2
    assert "expected a run's directory, or a baseline" in capsys.readouterr().err


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (375, "dark")])
def test_a_browser_sorts_and_leaves_out_without_a_script(chromium: str, tmp_path: Path, width: int, scheme: str) -> None:
    before, after = items("+-++", unanswerables="+"), items("-+-+", unanswerables="-")
    (tmp_path / "page.html").write_text(shown(store(tmp_path / "after", after), store(tmp_path / "before", before)), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light", java_script_enabled=False
        )
        seen = context.new_page()
        seen.goto((tmp_path / "page.html").as_uri())
        assert ids(seen) == ["q0", "q2", "u0", "q1"]
        seen.get_by_label("number").check()
        assert ids(seen) == ["q0", "q1", "q2", "u0"]
        seen.get_by_label("right before, wrong now").uncheck()
        assert ids(seen) == ["q1"]
        browser.close()


def ids(seen: Page) -> list[str]:
    """The questions that are seen, from top to bottom."""
    found = []
    for one in seen.locator(".change").all():
        if one.is_visible():
            box = one.bounding_box()
            assert box is not None
            found.append((box["y"], one.locator("summary > .soft").inner_text()))
    return [name for _, name in sorted(found)]


# ------------------------------------------------------------------------------------------------------- what stands beside it


def test_one_list_says_what_stands_at_the_top() -> None:
    known = items("+-", unanswerables="+")
    keys = [row.figure.key for row in headline.of(made(known), summary(made(known)))]
    expected = [key for key in (*sides.HEADLINE, *sides.OF_THE_SET) if key in keys]
    assert keys[: len(expected)] == expected
    assert set(sides.HEADLINE) - set(keys) <= {"fact_in_first_sentence.single"}


def test_anchors_are_what_refusing_and_quoting_the_first_paper_reach() -> None:
    # p1 says "It is fast.": quoting it answers the first question; nothing should be quoted for the last one
    asked = [answered(question("a"), "It is slow."), answered(question("b"), ranked=("p2", "p1")), refused(unanswerable("c"))]
    held = anchors.of(made(asked), ["right.all", "refused.unanswerable", "over_refused.answerable", "quotes_verbatim.all", "words_median.all"])
    assert held["right.all"].refusing == pytest.approx(1 / 3)
    assert held["right.all"].quoting == pytest.approx(1 / 3)
    assert (held["refused.unanswerable"].refusing, held["refused.unanswerable"].quoting) == (1.0, 0.0)
    assert (held["over_refused.answerable"].refusing, held["over_refused.answerable"].quoting) == (1.0, 0.0)
    assert (held["quotes_verbatim.all"].refusing, held["quotes_verbatim.all"].quoting) == (None, 1.0)
    assert held["words_median.all"].quoting == 6  # "Tides are old. It is fast.", of p2 three, of p1 again: 6, 3, 6
    assert anchors.quotation(replace(asked[0], retrieved=()), LIBRARY).status == "abstained"


def test_a_mean_of_shares_has_an_interval_and_what_is_always_the_same_has_none() -> None:
    asked = [question(str(n), papers=(f"p{n}",)) for n in range(12)]
    run = made([answered(one, cites=one.papers if n % 3 else (*one.papers, "other")) for n, one in enumerate(asked)])
    found = {row.figure.key: row.figure for row in headline.of(run, summary(run))}
    precision = found["citation_precision.answerable"]
    assert precision.value == pytest.approx(10 / 12)
    assert precision.interval is not None
    assert precision.interval[0] < 10 / 12 < precision.interval[1]
    assert found["quotes_verbatim.all"].interval is None
    about_one = made([answered(question(str(n)), cites=("p1",) if n % 3 else ("p1", "p2")) for n in range(12)])
    assert {row.figure.key: row.figure for row in headline.of(about_one, summary(about_one))}["citation_precision.answerable"].interval is None


def test_slices_are_by_kind_turn_papers_and_whether_there_is_an_answer() -> None:
    asked = [answered(question("a")), answered(question("b", kind=Kind.FOLLOWUP)), refused(unanswerable("c"))]
    found = slices.of(asked)
    assert {by: [(one.name, one.count) for one in group] for by, group in found.items()} == {
        "kind": [("fact", 1), ("followup", 1), ("off-topic", 1)],
        "answerable": [("yes", 2), ("no", 1)],
        "turn": [("1", 2), ("2", 1)],
    }
    assert list(slices.of(asked[:1])) == ["kind"]


def test_where_a_missing_fact_stands_is_shown_beside_the_answer() -> None:
    run = made([answered(question("a"), "Tides are old.")])
    text = page.render(run, summary(run))
    assert re.search(r"<b>fast</b> stands in TIDE-7: It is fast\.", text)


def test_the_threshold_is_marked_where_the_settings_say_it() -> None:
    run = made([replace(answered(question("a")), confidence=0.9), replace(refused(question("b")), confidence=0.2)])
    with_threshold = {**run.manifest, "about": {**run.manifest["about"], "settings": {**run.manifest["about"]["settings"], "min_confidence": 0.5}}}
    text = page.render(replace(run, manifest=with_threshold), summary(run))
    assert "threshold 0.5 at 0.5" in text  # half of the questions are above it
    assert "RAG_QA_MIN_CONFIDENCE=0.5 python -m eval run" in text
    assert "threshold" not in re.sub(r"<table.*?</table>", "", page.render(run, summary(run)), flags=re.DOTALL)
