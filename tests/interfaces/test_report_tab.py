"""The tab that shows a report of the evaluation: what is handed out, what is not, and that nothing in a report runs or reaches the page around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright
from typer.testing import CliRunner

from eval import floors, running
from eval.report import page
from rag_qa.interfaces import app, report_tab
from rag_qa.interfaces.cli import build_app
from rag_qa.settings import Settings, load
from tests.eval.runs import items
from tests.eval.test_page import made
from tests.interfaces.test_app import ScriptedEngine

# gradio counts its events with calls that its own pandas disapproves of
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:gradio.queueing")

HOSTILE = (
    report_tab.MARK.decode()
    + '<h1>Report</h1><script>parent.document.title = "pwned"; document.body.append("ran")</script><img src="x" onerror="parent.pwned = 1">'
    + '<form action="/"><button>Send</button></form><img src="http://evil.example/x.png"><a href="#end">Down</a>'
    + '<p id="end" style="margin-top: 300vh">The end</p>'
)


def written(folder: Path, text: str = HOSTILE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "report.html").write_text(text, encoding="utf-8")
    return folder


def real_report() -> str:
    run = made(items("+-"))
    return page.render(run, running.summarised(run, floors.load()))


# ---------------------------------------------------------------------------------------------------------- what is handed out


def test_a_report_is_found_by_its_file_or_its_run(tmp_path: Path) -> None:
    text = real_report()
    folder = written(tmp_path / "run", text)
    assert report_tab.read(folder).content.decode() == report_tab.read(folder / "report.html").content.decode() == text
    assert "<iframe" in report_tab.panel_html(folder)


def test_what_is_read_is_what_stands_there_now(tmp_path: Path) -> None:
    folder = written(tmp_path / "run")
    before = report_tab.read(folder)
    written(folder, HOSTILE + "later")
    assert report_tab.read(folder).content == before.content + b"later"


def test_without_a_report_it_says_in_one_line_how_one_is_made(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("key", encoding="utf-8")
    for named, why in ((None, "No report is named"), (tmp_path, "cannot be read (No such file"), (tmp_path / "secret.txt", "is no report")):
        told = report_tab.panel_html(named)
        assert why in told
        assert "python -m eval run --out runs/now &amp;&amp; python -m eval report runs/now" in told
        assert "<iframe" not in told
        assert report_tab.read(named).content == b""


def test_a_name_stays_text() -> None:
    assert "<b>" not in report_tab.panel_html(Path("<b>"))


def test_the_option_names_it(tmp_path: Path) -> None:
    served: list[Settings] = []

    def serve(engine: Any, _open_browser: bool) -> None:
        served.append(engine.settings)

    program = build_app(lambda settings: ScriptedEngine(settings=settings), serve)  # type: ignore[arg-type,return-value]
    result = CliRunner().invoke(program, ["serve", "--report", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert [one.report for one in served] == [tmp_path]


# ------------------------------------------------------------------------------------------------------------------- a browser


@contextmanager
def served(report: Path | None) -> Iterator[str]:
    with app.listen("127.0.0.1", 0) as listener:
        server = app.server(ScriptedEngine(settings=load(report=report)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield app.address(listener)
        server.should_exit = True
        thread.join(10)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (375, "dark")])
def test_the_tab_shows_a_report_and_nothing_in_it_runs_or_gets_out(chromium: str, tmp_path: Path, width: int, scheme: str) -> None:
    with served(written(tmp_path / "run")) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        seen = browser.new_page(viewport={"width": width, "height": 760}, color_scheme="dark" if scheme == "dark" else "light")
        asked: list[str] = []
        stopped: dict[str, str | None] = {}
        seen.on("request", lambda request: asked.append(request.url))
        seen.on("requestfailed", lambda request: stopped.update({request.url: request.failure}))
        seen.goto(address)
        expect(seen.locator(".rq-welcome")).to_be_visible()
        expect(seen.locator("#rq-report iframe")).to_be_attached()
        assert f"{address}{report_tab.ADDRESS}" not in asked  # nobody has looked at it yet
        question = seen.get_by_label("Your question")
        question.fill("half a question")
        seen.get_by_label("Evaluation").check()
        frame = seen.frame_locator("#rq-report iframe")
        expect(frame.get_by_role("heading", name="Report")).to_be_visible()
        expect(question).to_be_hidden()
        frame.get_by_role("link", name="Down").click()
        expect(frame.get_by_text("The end")).to_be_in_viewport()
        assert seen.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert seen.evaluate("[window.pwned ?? 0, document.title]") == [0, "rag_qa"]
        assert frame.locator("body").inner_text().count("ran") == 0
        frame.get_by_role("button", name="Send").click()
        expect(frame.get_by_text("The end")).to_be_attached()  # the form went nowhere
        seen.get_by_label("Chat").check()
        expect(question).to_have_value("half a question")
        # the browser did not ask for the pictures
        assert {url for url, why in stopped.items() if why == "csp"} == {"http://evil.example/x.png", f"{address}x"}
        browser.close()


def test_the_page_says_how_to_make_a_report_where_there_is_none(chromium: str) -> None:
    with served(None) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        seen = browser.new_page()
        seen.goto(address)
        seen.get_by_label("Evaluation").check()
        expect(seen.get_by_role("heading", name="No evaluation to show")).to_be_visible()
        expect(seen.locator("pre code").filter(has_text="python -m eval report runs/now")).to_be_visible()
        response = seen.request.get(f"{address}{report_tab.ADDRESS}")
        assert (response.status, response.headers["content-type"]) == (404, "text/plain; charset=utf-8")
        browser.close()
