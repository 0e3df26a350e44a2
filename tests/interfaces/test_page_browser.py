"""The page in a real Chromium, over a scripted engine: what a person sees, clicks and types."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Step, Verdict
from rag_qa.engine import MOST_WORDS_LONGER, Engine, Scope
from rag_qa.errors import EmptyIndexError, ProviderTimeout
from rag_qa.interfaces import app, feedback
from rag_qa.interfaces.answer_exports import export, file_name
from rag_qa.interfaces.cards import FORMATS
from rag_qa.papers import Origin, Paper
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.settings import load
from tests.fakes import PAPERS, TIDE, answer_to
from tests.index.making import BagEmbedder
from tests.interfaces.test_app import FAST, Item, ScriptedEngine

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 10_000  # milliseconds
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

# gradio counts its events with calls that its own pandas disapproves of
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:gradio.queueing")

HOSTILE = (
    '<img src=x onerror="window.pwned=1"><script>window.pwned=2</script> [x](javascript:window.pwned=3) ![](http://evil.example/a.png) $x^2$ $$y$$ '
    "**b** ${window.pwned=4} {{value}} `${window.pwned=5}` </p></article> <a href='http://evil.example/'>y</a> <iframe src='http://evil.example/'></iframe>"
)
NASTY = Paper("p7", HOSTILE, title=HOSTILE, venue=HOSTILE, origins=(Origin(HOSTILE, 1),))
LONG = Paper(
    "p8", "It begins. " + "Nothing of this matters. " * 40 + "The yield rose by 12 %. " + "Nothing of that matters. " * 40 + "It ends.", year=2025
)


def proof(n: int, paper: Paper, quote: str) -> Evidence:
    start = paper.abstract.index(quote)
    return Evidence(n, start, start + len(quote), quote)


def nasty_answer() -> Answer:
    whole = Evidence(1, 0, len(HOSTILE), HOSTILE)
    sentences = (Sentence(HOSTILE, (1,), Verdict(Status.UNSUPPORTED, (whole,), HOSTILE), lead=HOSTILE),)
    return Answer(HOSTILE, HOSTILE + "?", sentences, (Source(NASTY, 1.0, 1),), model=HOSTILE, notice=HOSTILE)


def long_answer() -> Answer:
    sentence = Sentence("The yield rose.", (1,), Verdict(Status.SUPPORTED, (proof(1, LONG, "The yield rose by 12 %."),)))
    return Answer("yield", "yield", (sentence,), (Source(LONG, 1.0, 1),))


def many_sources() -> Answer:
    papers = [Paper(f"m{n}", f"We study it. Method {n} works.", title=f"On method {n}") for n in range(1, 31)]
    proofs = [proof(n, paper, f"Method {n} works.") for n, paper in enumerate(papers, 1)]
    sentences = tuple(Sentence(one.quote, (one.source,), Verdict(Status.SUPPORTED, (one,)), lead="It says:") for one in proofs)
    return Answer("many", "many", sentences, tuple(Source(paper, 0.5, n) for n, paper in enumerate(papers, 1)))


FORMULA = Paper("p9", r"The norm is $\ell_\infty$. It is up to $1.78\times$ faster for $\frac{1}{2}$ & <b>more</b>.", title="FORMULA")


def formula_answer() -> Answer:
    quote = FORMULA.abstract.split(". ", 1)[1]
    sentence = Sentence(quote, (1,), Verdict(Status.SUPPORTED, (proof(1, FORMULA, quote),)))
    return Answer("formula", "formula", (sentence,), (Source(FORMULA, 1.0, 1),))


SINCE = Narrowing(Filters(year_from=2023), ("since 2023",))


class Stage:
    """The engine behind the page, and the gates that hold its answers back until a test has looked."""

    def __init__(self, folder: Path) -> None:
        self.gates = {name: threading.Event() for name in ("searched", "written", "never", "held", "narrowed")}
        answer = answer_to("slow tide", "What is slow about the tide?")
        script: dict[str, list[Item]] = {
            "slow tide": [self.gates["searched"], Step("searching", answer.understood_as), FAST, self.gates["written"], answer],
            "endless": [FAST, self.gates["never"], FAST],
            "held": [FAST, self.gates["held"], FAST],
            "breaks": [Step("searching"), FAST, ProviderTimeout("the server gave no sign for 60 s")],
            "bug": [FAST, ZeroDivisionError("detail")],
            "down": [ProviderTimeout("nobody answers at <b>http://box/v1</b>")],
            HOSTILE: [nasty_answer()],
            "yield": [long_answer()],
            "many": [many_sources()],
            "formula": [formula_answer()],
            "tide since 2023": [Step("searching", "tide", SINCE), self.gates["narrowed"], replace(answer, narrowing=SINCE)],
        }
        self.engine = ScriptedEngine(script, papers=[*PAPERS, NASTY], settings=load(data_dir=folder))


@pytest.fixture(scope="module")
def serving() -> Iterator[Callable[[app.Asked], str]]:
    """Serves an engine in a thread of its own; gives the address."""
    with ExitStack() as stack:

        def serve(engine: app.Asked) -> str:
            listener = stack.enter_context(app.listen("127.0.0.1", 0))
            server = app.server(engine)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
            thread.start()
            stack.callback(thread.join, 10)
            stack.callback(setattr, server, "should_exit", True)
            return app.address(listener)

        yield serve


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("page"))
    yield stage
    for gate in stage.gates.values():
        gate.set()


@pytest.fixture(scope="module")
def address(serving: Callable[[app.Asked], str], stage: Stage) -> str:
    return serving(stage.engine)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def desktop(browser: Browser) -> BrowserContext:
    """A browser profile with a cache that the tests share; each page is a session of its own."""
    return browser.new_context(viewport={"width": 1200, "height": 860})


@dataclass
class Watched:
    """What a page did besides showing itself."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismissed)

    def load_anew(self, page: Page) -> None:
        """Reload. Gradio reports each connection that ends with the page that is left: that is no error of the page that follows."""
        assert self.complaints == []
        page.reload()
        expect(page.locator(".rq-welcome")).to_be_visible()
        self.complaints.clear()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _dismissed(self, dialog: Dialog) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()


class Open(Protocol):
    def __call__(self, url: str = ..., context: BrowserContext | None = ...) -> Page: ...


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def open_page(desktop: BrowserContext, address: str, watched: Watched) -> Iterator[Open]:
    """Opens the page. At the end of the test: no other host was asked for anything, and no error was logged."""
    pages: list[Page] = []

    def open_page(url: str = address, context: BrowserContext | None = None) -> Page:
        page = (context or desktop).new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        watched.watch(page)
        page.goto(url)
        expect(page.locator(".rq-welcome")).to_be_visible(timeout=PATIENCE)
        return page

    yield open_page
    complaints = list(watched.complaints)  # those of the test, not of the connections that closing ends
    for page in pages:
        page.close()
    assert watched.requests
    assert [url for url in watched.requests if not url.startswith(("http://127.0.0.1:", "data:", "blob:"))] == []
    assert complaints == []


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_label("Your question").press("Enter")


def answered(page: Page, question: str) -> None:
    """Ask and wait for the end."""
    before = page.locator(".rq-turn").count()
    ask(page, question)
    expect(page.locator(".rq-turn")).to_have_count(before + 1)
    expect(page.locator(".rq-turn").last).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def has_no_sideways_scrolling(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def contrast(page: Page, selector: str) -> float:
    """Contrast (WCAG 2, from 1 to 21) of the text of the first such element with what is painted behind it."""
    colour, backgrounds = page.locator(selector).first.evaluate(
        """(node) => {
            const behind = [];
            for (let at = node; at; at = at.parentElement) behind.push(getComputedStyle(at).backgroundColor);
            return [getComputedStyle(node).color, behind];
        }"""
    )
    seen = next(layer for layer in backgrounds if not layer.endswith(", 0)"))
    lighter, darker = sorted((_luminance(colour), _luminance(seen)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    assert colour.startswith("rgb("), f"{colour} is not opaque"
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# ----------------------------------------------------------------------------------------------------------------- answering


def test_an_answer_streams_and_ends_with_its_evidence(open_page: Open, stage: Stage) -> None:
    page = open_page()
    ask(page, "slow tide")
    turn = page.locator(".rq-turn")
    expect(turn.locator(".rq-status")).to_have_text("Looking…")
    expect(page.get_by_label("Your question")).to_have_value("")
    stage.gates["searched"].set()
    expect(turn.locator(".rq-understood")).to_have_text("Understood as What is slow about the tide?")
    expect(turn.locator(".rq-answer")).to_have_text("TIDE-7 is 1.5× faster than its rivals. [1]")
    expect(turn.locator(".rq-card")).to_have_count(0)
    page.get_by_label("Your question").type("typed meanwhile")
    stage.gates["written"].set()
    expect(turn.locator(".rq-card h4")).to_have_text("TIDE-7")
    found = proof(1, TIDE, "a model of tides that is 1.5× faster than its rivals")
    assert turn.locator("mark").all_text_contents() == [TIDE.abstract[found.start : found.end]]
    assert turn.locator(".rq-card .rq-abstract p").text_content() == TIDE.abstract
    expect(turn.locator(".rq-card .rq-meta")).to_have_text("ICLR 2024 · sea.txt:3 · water.txt:9")
    expect(page.get_by_label("Your question")).to_have_value("typed meanwhile")


def test_a_marker_scrolls_to_its_card_and_flashes_the_evidence(open_page: Open) -> None:
    page = open_page()
    page.set_viewport_size({"width": 800, "height": 420})
    answered(page, "Compare tide and moss")
    card = page.locator("#t1-s2")
    expect(card).not_to_be_in_viewport()
    marker = page.get_by_role("link", name="Source 2: Moss under snow").first
    marker.focus()
    marker.press("Enter")
    expect(card.locator("mark").nth(1)).to_be_in_viewport(ratio=1)
    expect(card).to_have_class(re.compile("rq-flash"))
    expect(card.locator("mark.rq-flash")).to_have_text("moss grew by 12% a year")
    expect(card).to_be_focused()
    assert page.url.count("#") == 0


def test_a_long_abstract_opens_and_stays_open(open_page: Open) -> None:
    page = open_page()
    answered(page, "yield")
    card = page.locator("#t1-s1")
    end = card.get_by_text("It ends.")
    expect(card.locator("mark")).to_be_visible()
    expect(end).to_be_hidden()
    card.get_by_text("Show the whole abstract").click()
    expect(end).to_be_visible()
    answered(page, "tide")
    expect(end).to_be_visible()
    card.get_by_text("Show less").click()
    expect(end).to_be_hidden()


def test_a_refusal_looks_like_one(open_page: Open) -> None:
    page = open_page()
    answered(page, "Who was the first?")
    refusal = page.get_by_role("region", name="Not answered")
    expect(refusal.get_by_role("heading", name="Not answered by these papers")).to_be_visible()
    expect(refusal).to_contain_text("None of the papers says this.")
    expect(refusal).to_contain_text("Related, does not answer this")
    refusal.get_by_text("Moss under snow").click()
    expect(refusal).to_contain_text("Mosses store carbon.")
    assert page.locator(".rq-card, .rq-marker, mark").count() == 0


def test_sentences_that_do_not_hold_are_flagged_in_words(open_page: Open) -> None:
    page = open_page()
    answered(page, "Invent something")
    flags = page.locator(".rq-flag")
    assert flags.all_text_contents() == ["Not backed by its source: 9× does not stand in [1]", "Cites no source: there is no source [7]"]
    expect(flags.first.locator("svg")).to_be_visible()
    assert page.locator(".rq-doubted").first.evaluate("(node) => getComputedStyle(node).textDecorationLine") == "underline"
    expect(page.locator(".rq-notice")).to_have_text("The reply was cut short.")


# ------------------------------------------------------------------------------------------------------------ what goes wrong


def test_an_error_is_a_message_and_the_input_stays_usable(open_page: Open, stage: Stage) -> None:
    page = open_page()
    answered(page, "down")
    failure = page.get_by_role("alert").filter(has_text="This did not work")
    expect(failure).to_contain_text("nobody answers at <b>http://box/v1</b>")
    before = len(stage.engine.asked)
    failure.get_by_role("button", name="Ask again").click()
    expect(page.locator(".rq-failure")).to_have_count(2)
    assert stage.engine.asked[before:] == [("down", ["down"])]
    answered(page, "tide")
    expect(page.locator(".rq-turn").last.locator(".rq-card")).to_have_count(1)


@pytest.mark.parametrize(
    ("question", "message"), [("breaks", "the server gave no sign for 60 s"), ("bug", "Something went wrong inside rag_qa (ZeroDivisionError)")]
)
def test_an_error_half_way_keeps_what_was_shown(open_page: Open, question: str, message: str) -> None:
    page = open_page()
    answered(page, question)
    expect(page.locator(".rq-answer")).to_have_text("TIDE-7 is 1.5× faster than its rivals. [1]")
    expect(page.locator(".rq-failure")).to_contain_text(message)
    page.get_by_role("link", name="Source 1").click()
    expect(page.locator("#t1-s1 mark")).to_have_text("a model of tides that is 1.5× faster than its rivals")
    assert "Traceback" not in page.inner_text("body")


def test_an_answer_can_be_stopped(open_page: Open, stage: Stage) -> None:
    page = open_page()
    ask(page, "endless")
    expect(page.locator(".rq-answer")).to_contain_text("TIDE-7")
    finished = stage.engine.finished
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".rq-status")).to_have_text("Stopped.")
    expect(page.locator(".rq-answer")).to_have_text("TIDE-7 is 1.5× faster than its rivals. [1]")
    answered(page, "tide")  # though the engine has not come back from the first question yet
    assert stage.engine.asked[-1] == ("tide", ["endless"])
    assert stage.engine.finished == finished + 1
    stage.gates["never"].set()  # now it does, to find that nobody waits
    eventually(lambda: stage.engine.finished == finished + 2)
    answered(page, "moss")
    expect(page.locator(".rq-status").first).to_have_text("Stopped.")
    expect(page.locator(".rq-card")).to_have_count(2)


def test_without_an_index_the_page_opens_and_says_what_to_run(open_page: Open, serving: Callable[[app.Asked], str]) -> None:
    page = open_page(serving(ScriptedEngine(missing=EmptyIndexError("There is no index in .rag_qa"))))
    expect(page.get_by_role("alert")).to_contain_text("There is no index in .rag_qa")
    expect(page.get_by_role("alert").locator("code")).to_have_text("rag-qa index PATH...")
    answered(page, "tide")
    expect(page.locator(".rq-failure")).to_contain_text("There is no index in .rag_qa")


# ---------------------------------------------------------------------------------------------------------------- conversation


def test_follow_ups_know_the_questions_of_their_own_tab_alone(open_page: Open, stage: Stage) -> None:
    page, other = open_page(), open_page()
    before = len(stage.engine.asked)
    answered(page, "What is tide?")
    answered(other, "What is moss?")
    answered(page, "How fast is its model?")
    assert stage.engine.asked[before:] == [("What is tide?", []), ("What is moss?", []), ("How fast is its model?", ["What is tide?"])]
    expect(page.locator(".rq-turn").last.locator(".rq-understood")).to_have_text("Understood as How fast is TIDE-7's model?")
    expect(other.locator(".rq-turn")).to_have_count(1)


def test_a_new_conversation_begins_with_nothing(open_page: Open, stage: Stage) -> None:
    page = open_page()
    answered(page, "tide")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".rq-turn")).to_have_count(0)
    expect(page.locator(".rq-example")).to_have_count(2)
    answered(page, "moss")
    assert stage.engine.asked[-1] == ("moss", [])


def test_a_new_conversation_leaves_an_unfinished_answer_behind(open_page: Open, stage: Stage) -> None:
    page = open_page()
    ask(page, "held")
    expect(page.locator(".rq-answer")).to_contain_text("TIDE-7")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".rq-example")).to_have_count(2)
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    stage.gates["held"].set()
    answered(page, "tide")
    assert stage.engine.asked[-1] == ("tide", [])
    expect(page.locator(".rq-turn")).to_have_count(1)


def test_an_example_is_asked_by_a_click(open_page: Open, stage: Stage) -> None:
    page = open_page()
    expect(page.locator(".rq-facts")).to_have_text("4 papersextractive answersembedder word-count")
    page.get_by_role("button", name="What is TIDE-7?").click()
    expect(page.locator(".rq-card")).to_have_count(1)
    assert stage.engine.asked[-1] == ("What is TIDE-7?", [])
    expect(page.get_by_label("Your question")).to_be_focused()


def test_enter_sends_and_shift_enter_begins_a_line(open_page: Open, stage: Stage) -> None:
    page = open_page()
    before = len(stage.engine.asked)
    box = page.get_by_label("Your question")
    ask(page, "   ")
    page.wait_for_timeout(300)
    expect(page.locator(".rq-welcome")).to_be_visible()
    box.fill("tide")
    box.press("Shift+Enter")
    box.type("and moss")
    box.press("Enter")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(1)
    assert stage.engine.asked[before:] == [("tide\nand moss", [])]


def test_the_answer_is_announced_and_focus_can_be_seen(open_page: Open) -> None:
    page = open_page()
    answered(page, "tide")
    expect(page.locator(".rq-answer")).to_have_attribute("aria-live", "polite")
    expect(page.get_by_role("link", name="Source 1: TIDE-7")).to_be_visible()
    page.get_by_label("Your question").focus()
    for _ in range(8):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.className") == "rq-marker":
            break
    outline = page.evaluate("(() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)] })()")
    assert outline == ["solid", 2]
    assert page.evaluate("document.activeElement.textContent") == "[1]"


# ------------------------------------------------------------------------------------------------------------------- filters

BAY = (
    {"title": "A gauge", "abstract": "We measure tides with a gauge. The gauge reads 12 cm in the bay.", "year": 2020, "authors": ["Smith, Ada"]},
    {"title": "Storms", "abstract": "We count tides after storms. Storms raise the tides by 30 cm in the bay.", "year": 2024, "type": "article"},
    {"title": "Known", "abstract": "We review what is known of tides. Most tides of the bay are small.", "year": 2023, "type": "review"},
)
WHAT = "What is said of tides in the bay?"


@pytest.fixture(scope="module")
def bay(serving: Callable[[app.Asked], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page over a real engine and a library of three papers."""
    root = tmp_path_factory.mktemp("bay")
    (root / "bay.json").write_text(json.dumps(BAY))
    engine = Engine(load(data_dir=root / "data", answerer="extractive"), embedder=BagEmbedder())
    assert engine.index([root / "bay.json"]).papers == 3
    return serving(engine)


def cited(page: Page) -> list[str]:
    """Titles of the papers that the last answer cites."""
    return page.locator(".rq-turn").last.locator(".rq-card h4").all_text_contents()


def open_filters(page: Page) -> None:
    page.locator("summary", has_text="Filter papers").click()


def test_filters_hold_for_the_whole_conversation_until_they_are_cleared(open_page: Open, bay: str) -> None:
    page = open_page(bay)
    answered(page, WHAT)
    assert set(cited(page)) == {"Known", "Storms"}
    expect(page.locator(".rq-narrowed")).to_have_count(0)
    open_filters(page)
    page.get_by_label("Type", exact=True).select_option("review")
    expect(page.locator(".rq-in-effect")).to_have_text("of type review")
    for _ in range(2):
        answered(page, WHAT)
        assert cited(page) == ["Known"]
        expect(page.locator(".rq-turn").last.locator(".rq-narrowed")).to_have_text("Only papers of type review as chosen in the filters")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".rq-in-effect")).to_have_text("of type review")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.locator(".rq-in-effect")).to_have_count(0)
    answered(page, WHAT)
    assert set(cited(page)) == {"Known", "Storms"}


def test_types_are_left_out(open_page: Open, bay: str) -> None:
    page = open_page(bay)
    open_filters(page)
    for box in ("review (1)", "article (1)"):
        page.get_by_label(box).check()
    expect(page.locator(".rq-in-effect")).to_have_text("no article, no review")
    page.get_by_label("article (1)").uncheck()
    expect(page.locator(".rq-in-effect")).to_have_text("no review")
    answered(page, WHAT)
    assert set(cited(page)) == {"Storms", "A gauge"}


def test_a_refusal_for_which_the_filters_are_the_cause_clears_them_and_asks_again(open_page: Open, bay: str) -> None:
    page = open_page(bay)
    open_filters(page)
    page.get_by_label("To year").fill("1999")
    answered(page, WHAT)
    refusal = page.get_by_role("region", name="Not answered")
    expect(refusal).to_contain_text("No paper of this library is up to 1999.")
    refusal.get_by_role("button", name="Clear the filters and ask again").press("Enter")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(2)
    assert set(cited(page)) == {"Known", "Storms"}
    expect(page.locator(".rq-in-effect")).to_have_count(0)
    open_filters(page)
    expect(page.get_by_label("To year")).to_have_value("")


def test_what_was_read_from_the_question_is_shown_and_taken_back_by_the_keyboard(open_page: Open, bay: str) -> None:
    page = open_page(bay)
    answered(page, "What do papers since 2030 say about tides in the bay?")
    expect(page.locator(".rq-narrowed")).to_have_text("Only papers from 2030 on as the question says: “since 2030”")
    undo = page.get_by_role("button", name="Search all papers")
    for _ in range(8):
        if undo.evaluate("(node) => node === document.activeElement"):
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(2)
    expect(page.locator(".rq-turn").last.locator("h2")).to_have_text("What do papers since 2030 say about tides in the bay?")
    expect(page.locator(".rq-turn").last.locator(".rq-understood")).to_have_text("All papers whatever the question says of them")
    expect(page.locator(".rq-turn").last).not_to_contain_text("No paper of this library")


def test_what_narrows_stands_there_before_the_answer_and_does_not_move_it(open_page: Open, stage: Stage) -> None:
    page = open_page()
    page.set_viewport_size({"width": 375, "height": 667})
    ask(page, "tide since 2023")
    undo = page.get_by_role("button", name="Search all papers")
    expect(undo).to_be_disabled()
    before = page.locator(".rq-answer").bounding_box()
    stage.gates["narrowed"].set()
    expect(undo).to_be_enabled()
    after = page.locator(".rq-answer").bounding_box()
    assert before
    assert after
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    undo.click()
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(2)
    assert (stage.engine.asked[-1], stage.engine.scopes[-1]) == (("tide since 2023", []), Scope(reads_filters=False))


def test_a_filter_counts_for_a_question_that_is_sent_at_once(open_page: Open, stage: Stage) -> None:
    page = open_page()
    open_filters(page)
    page.get_by_label("From year").fill("2024")
    page.get_by_label("Venue").fill(" ICLR ")
    page.evaluate("document.querySelector('#rq-question textarea').focus()")
    ask(page, "tide")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(1)
    assert stage.engine.scopes[-1] == Scope(Filters(year_from=2024, venue="ICLR"))


def test_the_panel_is_worked_by_the_keyboard(open_page: Open, stage: Stage) -> None:
    page = open_page()
    page.get_by_label("Your question").press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("2020")
    expect(page.get_by_label("From year")).to_have_value("2020")
    expect(page.locator(".rq-in-effect")).to_have_text("from 2020 on")
    expect(page.get_by_label("From year")).to_be_visible()  # though the server has sent something new
    page.keyboard.press("Escape")
    expect(page.get_by_label("From year")).to_be_hidden()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    page.get_by_label("From year").press("Enter")
    expect(page.get_by_label("From year")).to_be_hidden()
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type("tide")
    page.keyboard.press("Enter")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(1)
    assert stage.engine.scopes[-1] == Scope(Filters(year_from=2020))


def test_nothing_moves_when_the_panel_opens_and_it_closes_when_one_turns_away(open_page: Open) -> None:
    page = open_page()
    answered(page, "Compare tide and moss")
    places = [page.locator(selector).first.bounding_box() for selector in (".rq-card", "#rq-question", "summary")]
    open_filters(page)
    page.get_by_label("Venue").fill("ICLR")
    expect(page.locator(".rq-in-effect")).to_be_visible()
    assert [page.locator(selector).first.bounding_box() for selector in (".rq-card", "#rq-question", "summary")] == places
    expect(page.locator("form.rq-panel")).to_be_in_viewport(ratio=1)
    page.locator("h1").click()
    expect(page.locator("form.rq-panel")).to_be_hidden()


def test_filters_are_those_of_a_tab_until_it_is_loaded_anew(open_page: Open, stage: Stage, watched: Watched) -> None:
    page, other = open_page(), open_page()
    open_filters(page)
    page.get_by_label("Venue").fill("ICLR")
    answered(page, "tide")
    answered(other, "tide")
    assert stage.engine.scopes[-2:] == [Scope(Filters(venue="ICLR")), Scope()]
    watched.load_anew(page)
    answered(page, "moss")
    assert stage.engine.scopes[-1] == Scope()


def test_a_marker_opens_the_sources_that_are_folded_away(open_page: Open) -> None:
    page = open_page()
    answered(page, "many")
    expect(page.locator("#t1-s10")).to_be_visible()
    expect(page.locator("#t1-s11")).to_be_hidden()
    page.get_by_text("Show 20 more").click()
    page.get_by_role("link", name="Source 27: On method 27").click()
    expect(page.locator("#t1-s27 mark")).to_be_in_viewport(ratio=1)
    answered(page, "tide")
    expect(page.locator("#t1-s27")).to_be_visible()


# -------------------------------------------------------------------------------------------------------------------- files


def downloaded(page: Page, click: Callable[[], None]) -> tuple[str, str]:
    """Name and content of the file that comes of a click."""
    with page.expect_download() as waited:
        click()
    return waited.value.suggested_filename, waited.value.path().read_text(encoding="utf-8")


def open_downloads(page: Page, turn: int) -> None:
    page.get_by_label(f"Download answer {turn}", exact=True).press("Enter")


def test_an_answer_is_downloaded_in_every_format(open_page: Open) -> None:
    page = open_page()
    answered(page, "Compare tide and moss")
    open_downloads(page, 1)
    answer = answer_to("Compare tide and moss", "Compare tide and moss")
    for name, called in FORMATS:
        button = page.locator("#t1-save").get_by_role("button", name=called, exact=True)
        file, content = downloaded(page, partial(button.press, "Enter"))
        assert file == file_name([answer], name)
        assert content.strip() == export([answer], name).strip()
        expect(page.get_by_role("status").filter(has_text=f"Saved as {file}")).to_be_visible()
    expect(button).to_be_visible()  # what was opened stays open


def test_the_whole_chat_is_downloaded_by_the_keyboard(open_page: Open) -> None:
    page = open_page()
    menu = page.get_by_text("Download chat")
    expect(menu).to_be_hidden()  # there is nothing to save yet
    for question in ("tide", "Who was the first?"):
        answered(page, question)
    menu.press("Enter")
    page.keyboard.press("Tab")
    file, content = downloaded(page, partial(page.keyboard.press, "Enter"))
    answers = [answer_to(question, question) for question in ("tide", "Who was the first?")]
    assert (file, content) == ("2-answers-tide.md", export(answers, "md"))
    expect(page.locator("#rq-files").get_by_role("button", name="Markdown")).to_be_hidden()
    menu.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#rq-files").get_by_role("button", name="Markdown")).to_be_hidden()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_what_can_not_be_downloaded_is_one_line(open_page: Open) -> None:
    page = open_page()
    answered(page, "Who was the first?")
    page.get_by_text("Download chat").click()
    page.locator("#rq-files").get_by_role("button", name="BibTeX").click()
    expect(page.get_by_role("status").filter(has_text="Nothing is cited, so there is no paper to write as bib")).to_be_in_viewport(ratio=1)


def test_a_downloaded_page_carries_nothing_out(open_page: Open, desktop: BrowserContext, tmp_path: Path) -> None:
    page = open_page()
    answered(page, HOSTILE)
    open_downloads(page, 1)
    _, content = downloaded(page, page.locator("#t1-save").get_by_role("button", name="HTML").click)
    (tmp_path / "saved.html").write_text(content, encoding="utf-8")
    opened = desktop.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto((tmp_path / "saved.html").as_uri())
    assert opened.locator("h2").text_content() == HOSTILE
    assert opened.locator("mark").text_content() == HOSTILE
    assert opened.evaluate("window.pwned") is None
    assert opened.locator("img, script, iframe").count() == 0
    assert asked == [(tmp_path / "saved.html").as_uri()]
    opened.close()


def test_a_longer_answer_is_asked_for_by_a_button(open_page: Open, stage: Stage) -> None:
    page = open_page()
    answered(page, "tide")
    before = len(stage.engine.asked)
    page.get_by_role("button", name="Longer answer").press("Enter")
    expect(page.locator(".rq-turn[aria-busy=false]")).to_have_count(2)
    assert stage.engine.asked[before:] == [("tide", [])]
    assert stage.engine.most_words[before:] == [MOST_WORDS_LONGER]
    expect(page.locator(".rq-turn").last.locator(".rq-understood")).to_have_text("A longer answer")
    expect(page.get_by_role("button", name="Longer answer")).to_have_count(0)
    answered(page, "moss")
    assert stage.engine.asked[-1] == ("moss", ["tide"])


# ------------------------------------------------------------------------------------------------------------------- feedback


def votes(stage: Stage, before: int = 0) -> list[tuple[str, str, str | None, str]]:
    """What was kept of what people said: question, verdict, reason, words; without the first lines."""
    file = feedback.file_of(stage.engine.settings)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    return [(line["question"], line["verdict"], line["reason"], line["comment"]) for line in lines[before:]]


def test_a_thumb_is_kept_and_can_be_taken_back(open_page: Open, stage: Stage) -> None:
    before = len(votes(stage))
    page = open_page()
    answered(page, "tide")
    good, bad = page.get_by_role("button", name="Good answer", exact=True), page.get_by_role("button", name="Not a good answer")
    good.press("Enter")
    expect(good).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("status").filter(has_text="Thank you: this is kept.")).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("In your words")).to_be_hidden()
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("status").filter(has_text="Taken back.")).to_be_visible()
    eventually(lambda: len(votes(stage, before)) == 3)
    assert [vote[1] for vote in votes(stage, before)] == ["good", "bad", "taken back"]


def test_what_is_wrong_need_not_be_said_and_is_kept_if_it_is(open_page: Open, stage: Stage) -> None:
    before = len(votes(stage))
    page = open_page()
    answered(page, "tide")
    page.get_by_role("button", name="Not a good answer").click()
    eventually(lambda: votes(stage, before) == [("tide", "bad", None, "")])
    page.get_by_label("Wrong or missing fact").check()
    page.get_by_label("In your words").fill("it is <b>1.67×</b>")
    answered(page, "Who was the first?")  # an answer that comes meanwhile takes nothing of it
    expect(page.get_by_label("In your words").first).to_have_value("it is <b>1.67×</b>")
    expect(page.get_by_label("Wrong or missing fact")).to_be_checked()
    page.get_by_label("In your words").first.press("Enter")
    expect(page.get_by_label("In your words").first).to_be_hidden()
    eventually(lambda: votes(stage, before)[1:] == [("tide", "bad", "fact", "it is <b>1.67×</b>")])
    page.get_by_role("button", name="Not a good answer").last.click()
    page.get_by_label("Should have been answered").check()
    page.get_by_role("button", name="Send").click()
    eventually(lambda: votes(stage, before)[-1] == ("Who was the first?", "bad", "answer", ""))


def test_a_new_conversation_knows_no_votes(open_page: Open) -> None:
    page = open_page()
    answered(page, "tide")
    page.get_by_role("button", name="Good answer", exact=True).click()
    expect(page.get_by_role("button", name="Good answer", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".rq-welcome")).to_be_visible()
    answered(page, "moss and tide")
    expect(page.get_by_role("button", name="Good answer", exact=True)).to_have_attribute("aria-pressed", "false")


def test_a_vote_that_was_not_kept_is_told_and_does_not_look_kept(open_page: Open, stage: Stage) -> None:
    page = open_page()
    answered(page, "tide")
    folder = feedback.file_of(stage.engine.settings).parent
    whole = stage.engine.settings
    (folder / "file").parent.mkdir(exist_ok=True)
    (folder / "file").write_text("no folder")
    stage.engine.settings = load(data_dir=folder / "file")
    try:
        page.get_by_role("button", name="Good answer", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="This could not be kept.")).to_be_visible()
        expect(page.get_by_role("button", name="Good answer", exact=True)).to_have_attribute("aria-pressed", "false")
    finally:
        stage.engine.settings = whole


def test_turned_off_there_is_no_thumb(open_page: Open, serving: Callable[[app.Asked], str]) -> None:
    page = open_page(serving(ScriptedEngine(settings=load(feedback="off"))))
    answered(page, "tide")
    expect(page.locator(".rq-actions")).to_be_visible()
    assert page.locator("[data-vote], .rq-why").count() == 0


# ------------------------------------------------------------------------------------------------------------- safety and looks


def test_foreign_text_is_shown_letter_by_letter_and_carries_nothing_out(open_page: Open, stage: Stage) -> None:
    page = open_page()
    answered(page, HOSTILE)
    assert stage.engine.asked[-1] == (HOSTILE, [])
    turn = page.locator(".rq-turn")
    assert turn.locator("mark").text_content() == HOSTILE
    assert turn.locator("h2").text_content() == HOSTILE
    assert turn.locator("h4").text_content() == HOSTILE
    expect(turn.locator(".rq-flag")).to_contain_text("${window.pwned=4} {{value}}")
    assert turn.locator("img, script, iframe, b, strong, em, code, .katex").count() == 0
    assert [link.get_attribute("href") for link in turn.locator("a").all()] == ["#t1-s1"]
    assert page.evaluate("window.pwned") is None


def test_a_formula_is_shown_as_it_is_read_and_copied_as_it_stands(open_page: Open) -> None:
    page = open_page()
    answered(page, "formula")
    sentence = page.locator(".rq-answer .rq-sentence").last
    expect(sentence).to_be_visible(timeout=PATIENCE)
    quote = formula_answer().sentences[0].text
    seen = "el => [...el.querySelectorAll('.rq-formula')].map(one => getComputedStyle(one, '::after').content + getComputedStyle(one).fontSize)"
    assert sentence.evaluate(seen) == ['"1.78×"0px']
    assert (sentence.text_content() or "").startswith(quote)
    copied = sentence.evaluate("el => { getSelection().selectAllChildren(el); return getSelection().toString(); }")
    assert copied.startswith(quote)
    # below the answer stands the abstract, letter by letter
    assert page.locator(".rq-card .rq-formula").count() == 0
    expect(page.locator(".rq-card mark").last).to_have_text(quote)


def test_a_phone_scrolls_downwards_only(open_page: Open, browser: Browser) -> None:
    page = open_page(context=browser.new_context(viewport={"width": 375, "height": 667}, has_touch=True, is_mobile=True))
    assert has_no_sideways_scrolling(page)
    open_filters(page)
    page.get_by_label("Venue").fill(HOSTILE)
    expect(page.locator(".rq-in-effect")).to_be_visible()
    assert has_no_sideways_scrolling(page)
    for part in ("form.rq-panel", ".rq-unfilter", "#rq-question"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    for number, question in enumerate(("Compare tide and moss", "Invent something", "Who was the first?", "breaks", "x" * 500, HOSTILE), 1):
        answered(page, question)
        assert has_no_sideways_scrolling(page), question
        expect(page.locator(".rq-turn").last.locator("h2")).to_be_in_viewport()
        if question != "breaks":
            open_downloads(page, number)
            page.locator('button[data-vote="bad"]').last.click()
            expect(page.locator(".rq-why").last).to_be_visible()
            assert has_no_sideways_scrolling(page), question
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_in_viewport(ratio=1)
    page.get_by_text("Download chat").press("Enter")
    for _, called in FORMATS:
        expect(page.locator("#rq-files").get_by_role("button", name=called, exact=True)).to_be_in_viewport(ratio=1)
    assert has_no_sideways_scrolling(page)


OPENING = (".rq-welcome p", ".rq-example", ".rq-facts", "#rq-clear")
ANSWERED = (
    *("mark", ".rq-abstract p", ".rq-meta", ".rq-n", ".rq-label", ".rq-answer", ".rq-marker", ".rq-flag", ".rq-notice", ".rq-doubt", ".rq-writer"),
    *(
        ".rq-longer",
        ".rq-why legend",
        ".rq-why label",
        ".rq-comment",
        ".rq-say button",
        ".rq-stays",
        ".rq-save summary",
        ".rq-formats button",
        ".rq-question",
        ".rq-refusal h3",
        ".rq-refusal p",
        ".rq-refusal h4",
        ".rq-failure h3",
        ".rq-failure p",
        ".rq-again",
        "#rq-question button",
    ),
)


def faint(page: Page, selectors: Sequence[str]) -> dict[str, float]:
    """Elements whose text stands out too little, in the light and in the dark."""
    found: dict[str, float] = {}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body.dark")).to_have_count(1 if scheme == "dark" else 0)
        page.wait_for_timeout(200)  # colours change in a moment, not at once
        found |= {f"{scheme} {selector}": ratio for selector in selectors if (ratio := contrast(page, selector)) < 4.5}
    return found


PANEL = (".rq-filters summary", ".rq-panel label", ".rq-panel select", ".rq-panel input", ".rq-panel-end button", "[type=submit]", ".rq-in-effect")
NARROWED = (".rq-narrowed", ".rq-as", ".rq-chip", ".rq-undo", ".rq-unfilter")


def test_the_filters_can_be_read_in_light_and_in_dark(open_page: Open, stage: Stage) -> None:
    stage.gates["narrowed"].set()
    page = open_page()
    open_filters(page)
    page.get_by_label("Venue").fill("Nowhere")
    expect(page.locator(".rq-in-effect")).to_have_text("in Nowhere")
    assert faint(page, PANEL) == {}
    answered(page, "tide since 2023")
    assert faint(page, NARROWED) == {}


def test_everything_can_be_read_in_light_and_in_dark(open_page: Open) -> None:
    page = open_page()
    assert faint(page, OPENING) == {}
    for question in ("Invent something", "Who was the first?", "down"):
        answered(page, question)
    page.locator('button[data-vote="bad"]').first.click()
    assert faint(page, ANSWERED) == {}
