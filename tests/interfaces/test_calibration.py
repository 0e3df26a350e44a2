"""The command `calibrate`, and a calibration as text, JSON and picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from rag_qa.calibration import fitting
from rag_qa.calibration.cases import Case
from rag_qa.calibration.fitting import Calibration, Trial
from rag_qa.engine import Threshold
from rag_qa.interfaces import calibration_views as views
from rag_qa.interfaces import cli, doctor, render
from rag_qa.interfaces.render import EngineLike
from rag_qa.settings import Settings
from tests.calibration.test_kept import ONE
from tests.fakes import FakeEngine

SVG = "{http://www.w3.org/2000/svg}"


def run(*args: str, engine: Callable[[Settings], EngineLike] = FakeEngine) -> Result:
    return CliRunner().invoke(cli.build_app(engine), ["calibrate", *args])


def calibration(right: int = 90, wrong: int = 10, *, source: str = "my.csv", confidence: float = 0.95) -> Calibration:
    """Surely answered questions, and others that should have been refused and nearly were."""
    asked = [Case(f"Right {n}?", ("p1",)) for n in range(right)] + [Case(f"Wrong {n}?", answerable=False) for n in range(wrong)]

    def tried(case: Case) -> Trial:
        return Trial(confidence if case.answerable else 0.2, ("p1",))

    return fitting.calibrated(asked, tried, source=source, risk=0.05, delta=0.1, lowest=0.0, progress=None)


# ---------------------------------------------------------------------------------------------------------------- the command


def test_questions_of_a_person_give_a_threshold_and_it_is_kept() -> None:
    rows = "".join(f"{n} tides?,p1,\n" for n in range(60)) + "".join(f"{n} moons?,,no\n" for n in range(20))
    Path("my.csv").write_text("question,papers,answerable\n" + rows)

    result = run("--questions", "my.csv")

    assert result.exit_code == 0, result.output
    assert "80 questions of my.csv: 60 answerable, the paper known, 20 not answerable" in result.stdout
    assert re.search(
        r"^Threshold 0\.12: with probability 90 %, at most 10 % of the answers to such questions are wrong\.$", result.stdout, re.MULTILINE
    )
    assert re.search(r"^0\.12 +60 of 80 \(75 %\) +0 of 60 \(0 %\) +0 of 60 \(0 %\) +20 of 20 \(100 %\) +certified$", result.stdout, re.MULTILINE)
    assert result.stdout.endswith("Kept: questions are refused below it from now on (rag-qa calibrate --reset: the default again).\n")


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("RAG_QA_MIN_CONFIDENCE", "0.3", "Kept, but RAG_QA_MIN_CONFIDENCE is set to 0.30, and that counts."),
        ("OPENAI_API_KEY", "sk-1", "Kept, for answers without a language model; one is configured"),
    ],
)
def test_where_another_threshold_counts_it_is_said(variable: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)

    assert run("--from-library").stdout.splitlines()[-1].startswith(says)


def test_questions_made_from_the_library_are_named_as_what_they_are() -> None:
    result = run()

    assert "easier than those of people" in result.stdout
    assert result.stdout.endswith("Nothing was changed: questions are refused below 0.50, the default; rag-qa calibrate finds one for these papers\n")


def test_too_few_questions_get_a_reason_and_how_many_it_takes() -> None:
    Path("my.csv").write_text("question,papers\nHow high are the tides?,p1\n")

    result = run("--questions", "my.csv", "--unanswerable", "0")

    assert result.exit_code == 0
    assert "Nothing can be promised: at most 1 of the questions are answered: at least 22 answers are needed to promise anything" in result.stdout
    assert re.search(r"About \d\d such questions would do", result.stdout)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--risk", "0"), "0.0 is not between 0 and 1"),
        (("--delta", "1"), "1.0 is not between 0 and 1"),
        (("--unanswerable", "1"), "1.0 is not between 0 and 1"),
        (("--picture", "a.png"), "a.png is no picture that can be drawn"),
        (("--questions", "my.csv", "--from-library"), "goes without --questions"),
        (("--questions", "none.csv"), "none.csv: found No such file"),
    ],
)
def test_what_cannot_be_done_is_told(args: Sequence[str], says: str) -> None:
    result = run(*args)

    assert result.exit_code == 2
    assert says in " ".join(re.sub("[│╭╮╰╯─]", " ", result.output).split())


def test_a_picture_that_is_there_is_not_written_over() -> None:
    Path("a.svg").write_text("mine")

    assert run("--picture", "a.svg").exit_code == 2
    assert Path("a.svg").read_text() == "mine"


def test_interrupted_it_changes_nothing_and_says_so() -> None:
    class Interrupted(FakeEngine):
        def _tried(self, case: Case) -> Trial | None:
            raise KeyboardInterrupt

    result = run(engine=Interrupted)

    assert (result.exit_code, result.stderr) == (130, "Interrupted: the threshold is as it was.\n")


def test_reset_says_what_is_in_force_then() -> None:
    assert run("--reset").stdout.startswith("Nothing was calibrated: questions are refused below 0.50, the default")
    assert json.loads(run("--reset", "--json").stdout) == {"forgotten": False}


def test_json_has_every_figure() -> None:
    value = json.loads(run("--json").stdout)

    assert value["threshold"] == value["certified"]["threshold"]
    assert value["certified"]["answered"] + value["certified"]["answerable_refused"] + value["certified"]["others_refused"] == 80
    assert value["questions"] == {"named": 60, "left_out": 20}
    assert value["why_none"] is None
    assert not value["written"]
    assert [point["coverage"] for point in value["curve"]] == [0.75, 1.0]
    assert len(value["tests"]) == 47


# -------------------------------------------------------------------------------------------------------------------- picture


@pytest.mark.parametrize("found", [calibration(), calibration(5, 5), calibration(0, 0), calibration(60, 60, confidence=0.2)])
def test_a_picture_is_well_formed_stands_alone_and_keeps_inside(found: Calibration) -> None:
    drawn = views.picture(found, "svg")
    root = ET.fromstring(drawn)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    xs = [float(element.attrib[name]) for element in root.iter() for name in ("x1", "x2", "cx") if name in element.attrib]
    ys = [float(element.attrib[name]) for element in root.iter() for name in ("y1", "y2", "cy") if name in element.attrib]

    assert all(0 <= x <= width for x in xs)
    assert all(0 <= y <= height for y in ys)
    assert "prefers-color-scheme: dark" in drawn
    assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?(?!#)", drawn)


def test_the_picture_shows_the_curve_the_bound_the_perfect_one_and_the_threshold() -> None:
    found = calibration()
    root = ET.fromstring(views.picture(found, "svg"))
    classes = {element.attrib.get("class") for element in root.iter()}

    assert {"curve", "oracle", "bound", "chosen", "dot"} <= classes
    assert {"chosen", "dot"}.isdisjoint({element.attrib.get("class") for element in ET.fromstring(views.picture(calibration(5, 5), "svg")).iter()})
    (curve,) = [element.attrib["points"].split() for element in root.iter(f"{SVG}polyline") if element.attrib["class"] == "curve"]
    assert len(curve) == len(found.curve.points)


def test_a_page_shows_a_name_letter_by_letter_and_the_figures() -> None:
    page = views.picture(calibration(source="<script>alert(1)</script>.csv"), "html")

    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "90 of 100 (90\N{NO-BREAK SPACE}%)" in page
    assert 'name="viewport"' in page


def test_a_page_without_a_threshold_says_why() -> None:
    page = views.picture(calibration(5, 5), "html")

    assert "<h1>Nothing can be promised</h1>" in page
    assert "answers are needed to promise anything" in page


# ------------------------------------------------------------------------------------------------------------------- in force


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (Threshold(0.4, is_set=True), "refused below 0.40 (RAG_QA_MIN_CONFIDENCE)"),
        (Threshold(0.5), "refused below 0.50, the default; rag-qa calibrate finds one for these papers"),
        (
            Threshold(0.62, kept=ONE),
            "refused below 0.62: at most 10 % of the answers wrong, with probability 90 %, by 200 questions (my.csv) on 2026-11-30",
        ),
        (
            Threshold(0.5, kept=ONE, other_scorer=("another embedder",)),
            "refused below 0.50, the default: the calibrated 0.62 was found with another embedder; run rag-qa calibrate again",
        ),
        (
            Threshold(0.62, kept=ONE, has_other_papers=True),
            "refused below 0.62, calibrated for other papers (3 then), so nothing is promised any more; run rag-qa calibrate again",
        ),
    ],
)
def test_what_is_in_force_is_told_in_words(now: Threshold, says: str) -> None:
    assert views.threshold_text(now) == says


def test_the_doctor_says_when_it_no_longer_holds() -> None:
    class Stale(FakeEngine):
        def threshold(self) -> Threshold:
            return replace(super().threshold(), kept=ONE, has_other_papers=True)

    def refusals(engine: Any) -> list[doctor.State]:
        return [check.state for check in doctor.diagnose(engine) if check.name == "refusals"]

    assert refusals(FakeEngine(Settings())) == [doctor.State.OK]
    assert refusals(Stale(Settings())) == [doctor.State.WARNING]
    assert refusals(FakeEngine(Settings(), is_empty=True)) == []


def test_the_text_fits_the_width() -> None:
    lines = render.plain(views.calibration_lines(calibration(), 80)).splitlines()

    assert max(map(len, lines)) <= 100
    assert any("#" in line for line in lines)
