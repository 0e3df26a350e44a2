"""The report: what stands in it, that nothing in it comes from outside or gets out of its place, and that a browser shows it whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import markupsafe
import pytest
from playwright.sync_api import sync_playwright

from eval import cards, floors, run_directory, running
from eval.__main__ import main
from eval.items import Item, ItemSentence, Timing
from eval.report import page, plots, terminal
from eval.report.plots import Axes, Line
from eval.run_directory import Run
from eval.summary import to_json
from tests.eval.making import answered, crashed, question, refused, unanswerable

LIBRARY = {"p1": "Tides are old. It is fast.", "p2": "Mosses are green."}
HOSTILE = '<script>window.pwned=1</script><img src="http://evil.example/x.png">{{ 7*7 }}'
MANIFEST = {
    "questions": 5,
    "about": {
        "data": "questions.jsonl",
        "data_sha256": "ab" * 32,
        "chosen_kinds": [],
        "papers": 2,
        "settings": {"answerer": "extractive", "embedder": "minilm"},
    },
    "papers_sha256": "cd" * 32,
    "configuration_sha256": "ef" * 32,
    "revision": "0123456789abcdef+",
    "versions": {"python": "3.11"},
    "started": "2026-11-30T10:00:00+00:00",
}


def made(items: Sequence[Item]) -> Run:
    timings = tuple(Timing(item.question.id, 0.02 * (place + 1), {}) for place, item in enumerate(items))
    return Run(Path("nowhere"), tuple(items), timings, LIBRARY, {"p1": "TIDE-7", "p2": "MOSS"}, MANIFEST)


def items() -> list[Item]:
    wrong = answered(question("wrong"), "It is 3 times slower than mosses.", cites=("p1",))
    hostile = replace(question("hostile"), text=HOSTILE)
    sentence = ItemSentence(HOSTILE, HOSTILE, (1,), "supported", HOSTILE, (), ())
    return [
        answered(question("right")),
        wrong,
        refused(unanswerable("refused")),
        replace(answered(hostile), sentences=(sentence,), understood_as=HOSTILE, own_words=HOSTILE),
        crashed(question("crashed")),
    ]


def rendered(found: Sequence[Item]) -> str:
    run = made(found)
    return page.render(run, running.summarised(run, floors.load()))


def test_it_says_what_went_wrong_first_with_cause_evidence_and_numbers() -> None:
    text = rendered(items())
    assert text.index('id="failures"') < text.index('id="causes"') < text.index('id="every"')
    for said in ("FAIL", "it crashed", "the right paper, another sentence", "3 of 5 questions", "numeric", "TIDE-7", "0.400", "01234567"):
        assert said in text, said
    assert "Files of the checkout differed from that revision." in text


def test_the_same_run_gives_the_same_bytes() -> None:
    assert rendered(items()) == rendered(items())


def test_foreign_text_stays_text_and_nothing_is_fetched() -> None:
    text = rendered(items())
    assert "<script" not in text
    assert "&lt;script&gt;window.pwned=1" in text
    assert "{{ 7*7 }}" in text
    assert re.findall(r'(?:src|href)="(?!#)', text.replace(HOSTILE, "")) == []
    assert "url(" not in text
    assert "@import" not in text


def heads(text: str) -> tuple[str, str]:
    """The title and the headline."""
    found = [re.search(f"<{tag}>(.*?)</{tag}>", text) for tag in ("title", "h1")]
    title, headline = (one.group(1) if one else "" for one in found)
    return title, headline


def test_a_partial_run_says_so_in_title_and_headline_and_never_passes() -> None:
    text = rendered([answered(question())])
    assert "PARTIAL: 1 of 5 questions were asked." in text
    title, headline = heads(text)
    assert (title, headline) == ("PARTIAL · questions.jsonl", "PARTIAL: 5 of 7 floors hold, 2 not measured")
    title, headline = heads(rendered(items()[:2]))
    assert title.startswith("PARTIAL, FAIL · ")
    assert headline.startswith("PARTIAL, FAIL: ")


def test_the_headline_counts_floors_that_were_measured_and_held() -> None:
    bounds = [floors.Floor("right", "single", at_least=0.5), floors.Floor("refused", "unanswerable", at_least=0.5)]
    for found, held, said in (
        (answered(question()), bounds, "PASS: 1 of 2 floors hold, 1 not measured"),
        (answered(question()), bounds[1:], "NOT JUDGED: 0 of 1 floors hold, 1 not measured"),
        (answered(question()), [], "NOT JUDGED: no floors are set for these questions; give some with --floors FILE"),
        (refused(question()), bounds, "FAIL: 0 of 2 floors hold, 1 not measured"),
    ):
        run = replace(made([found]), manifest={**MANIFEST, "questions": 1})
        summary = running.summarised(run, held)
        assert heads(page.render(run, summary))[1] == said
        assert terminal.render(summary, run.items).splitlines()[-1] == said
        assert to_json(summary)["verdict"] == said.split(":")[0]


def test_trulens_1649_every_metric_is_there_though_all_crashed() -> None:
    text = rendered([crashed(question(str(n))) for n in range(5)])
    for title in ("groundedness", "citation recall (ALCE)", "nDCG@10", "words, median", "area under risk and coverage"):
        assert title in text


def test_ragas_2013_every_metric_has_a_card_with_formula_and_direction() -> None:
    found = cards.cards()
    assert len(found) == len({card.name for card in found}) > 30
    assert all(card.formula and card.direction and card.range and card.version for card in found)
    text = rendered(items())
    assert all(str(markupsafe.escape(card.formula)) in text for card in found)


def test_a_plot_says_in_words_what_it_shows_and_keeps_its_points_inside() -> None:
    drawn = plots.plot("Risk <1>", Axes("x", "y"), [Line("a", [(0.0, 0.0), (2.0, 3.0)]), Line("b", [])])
    assert 'aria-label="Risk &lt;1&gt;: a ends at 3"' in drawn
    points = re.search(r'points="([^"]+)"', drawn)
    assert points is not None
    assert all(0 <= float(x) <= 420 and 0 <= float(y) <= 250 for x, y in (pair.split(",") for pair in points.group(1).split()))


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (375, "dark")])
def test_a_browser_shows_it_without_scrolling_sideways_and_without_asking_anybody(chromium: str, tmp_path: Path, width: int, scheme: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(rendered(items()), encoding="utf-8")
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light")
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto(path.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert shown.evaluate("window.pwned") is None
        assert shown.locator("details.item").count() == 3
        assert shown.locator("svg.plot").count() == 5
        assert shown.evaluate("[...document.querySelectorAll('pre')].every(one => one.scrollWidth <= one.clientWidth)")
        shown.evaluate("[...document.querySelectorAll('.plots > div')].slice(1).forEach(one => one.remove())")
        assert shown.evaluate("document.querySelector('.plots svg').getBoundingClientRect().width") <= 34 * 16
        shadows = "['nav p', '.scroll'].map(one => getComputedStyle(document.querySelector(one)).backgroundAttachment)"
        assert shown.evaluate(shadows) == ["local, local, scroll, scroll"] * 2
        browser.close()
    assert asked == [path.as_uri()]


def test_the_command_writes_it_beside_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert run_directory.MANIFEST in capsys.readouterr().err
