"""The page without a browser: how a conversation grows, what goes wrong in it, what the page says of its engine, and how it is served."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from rag_qa.answering.answer import AnswerEvent, Step
from rag_qa.engine import EVERY_PAPER, MOST_WORDS_LONGER, IndexInfo, Scope
from rag_qa.errors import AuthError, BadReply, EmptyIndexError, ProviderTimeout, QuestionError, RagQAError, SettingsError, StaleIndexError
from rag_qa.index.store import Holdings
from rag_qa.interfaces import answer_exports, app
from rag_qa.interfaces.cards import Turn
from rag_qa.papers import Paper
from rag_qa.retrieval.filters import EVERYTHING, FilterError, Filters, Narrowing
from rag_qa.settings import Settings, load
from tests.fakes import PAPERS, TIDE, FakeEngine, answer_to, evidence, holdings_of, supported

Item = AnswerEvent | Exception | threading.Event
FAST = supported("TIDE-7 is 1.5× faster than its rivals.", evidence(1, TIDE, "a model of tides that is 1.5× faster than its rivals"))


class ScriptedEngine:
    """Answers a question with the events that the script has for it: an exception is raised, a `threading.Event` waited for (10 s at most).

    A question that the script does not know is answered like the fake engine does. `asked` holds every question with its history, `scopes` what
    it was asked of, `most_words` how long an answer might be, `readings` how often its papers were looked at.
    """

    def __init__(
        self,
        script: Mapping[str, Sequence[Item]] | None = None,
        *,
        settings: Settings | None = None,
        papers: Sequence[Paper] = PAPERS,
        missing: RagQAError | None = None,
    ) -> None:
        self.settings = settings or load()
        self.script = dict(script or {})
        self.asked: list[tuple[str, list[str]]] = []
        self.scopes: list[Scope] = []
        self.most_words: list[int | None] = []
        self.readings = 0
        self.finished = 0
        self._papers = list(papers)
        self._missing = missing

    def hold(self, papers: Sequence[Paper]) -> None:
        """Other papers from now on."""
        self._papers = list(papers)

    def info(self) -> IndexInfo:
        if self._missing:
            raise self._missing
        return IndexInfo(Path("data"), len(self._papers), 5, "word-count", 2, "sentences-1", ("sea.txt",))

    def some_papers(self, most: int) -> list[Paper]:
        self.readings += 1
        return self._papers[:most]

    def holdings(self) -> Holdings:
        return holdings_of(self._papers)

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]:
        self.info()
        self.asked.append((question, list(history)))
        self.scopes.append(Scope(filters or EVERYTHING, reads_filters))
        self.most_words.append(most_words)
        try:
            for item in self.script.get(question) or list(FakeEngine().stream(question, history=history, filters=filters)):
                if isinstance(item, Exception):
                    raise item
                if isinstance(item, threading.Event):
                    assert item.wait(10)
                else:
                    yield item
        finally:
            self.finished += 1


def talk(engine: app.Asked, *questions: str) -> tuple[Turn, ...]:
    """Ask one question after the other; the conversation at its end."""
    turns: tuple[Turn, ...] = ()
    for question in questions:
        *_, turns = app.converse(engine, question, turns)
    return turns


# ------------------------------------------------------------------------------------------------------------- conversation


def test_an_answer_comes_about_step_by_step() -> None:
    answer = answer_to("What of tide?", "What of tide?")
    engine = ScriptedEngine({"What of tide?": [Step("looking_up", "What of the tide?"), *answer.sentences, answer]})
    seen = [turns[-1] for turns in app.converse(engine, "What of tide?", ())]
    assert [turn.status for turn in seen] == ["Looking…", "Looking up…", "Writing and checking…", "", ""]
    assert [turn.understood_as for turn in seen[:2]] == ["", "What of the tide?"]
    assert [len(turn.sentences) for turn in seen] == [0, 0, 1, 1, 1]
    assert [turn.answer for turn in seen] == [None, None, None, answer, answer]


def test_what_comes_before_a_list_is_known_before_its_sentences() -> None:
    engine = ScriptedEngine({"tide": [Step("listing", "tide", preface="1 of 3 papers:"), FAST, answer_to("tide", "tide")]})
    assert [turns[-1].preface for turns in app.converse(engine, "tide", ())][:3] == ["", "1 of 3 papers:", "1 of 3 papers:"]


def test_history_is_the_earlier_questions_of_this_conversation_alone() -> None:
    engine = ScriptedEngine()
    talk(engine, "What is tide?", "What does its extension use?")
    talk(engine, "And moss?")
    assert engine.asked == [("What is tide?", []), ("What does its extension use?", ["What is tide?"]), ("And moss?", [])]


def test_a_question_that_could_not_be_asked_is_no_history() -> None:
    engine = ScriptedEngine({"???": [QuestionError("The question holds no word")], "down": [ProviderTimeout("no answer in 60 s")]})
    talk(engine, "???", "down", "What is tide?")
    assert engine.asked[-1] == ("What is tide?", ["down"])


@pytest.mark.parametrize(
    ("error", "retryable"),
    [(ProviderTimeout("no answer\nin 60 s"), True), (AuthError("no answer in 60 s"), False), (EmptyIndexError("no answer in 60 s"), False)],
)
def test_an_error_becomes_one_readable_line(error: RagQAError, retryable: bool) -> None:
    (turn,) = talk(ScriptedEngine({"tide": [error]}), "tide")
    assert turn.failure is not None
    assert (turn.failure.message, turn.failure.retryable, turn.status) == ("no answer in 60 s", retryable, "")


def test_an_error_in_the_middle_keeps_what_was_shown() -> None:
    (turn,) = talk(ScriptedEngine({"tide": [Step("searching"), FAST, BadReply("the reply stops half-way")]}), "tide")
    assert turn.sentences == (FAST,)
    assert turn.failure is not None
    assert turn.failure.message == "the reply stops half-way"


def test_a_bug_is_named_and_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    (turn,) = talk(ScriptedEngine({"tide": [FAST, ZeroDivisionError("secret detail")]}), "tide")
    assert turn.sentences == (FAST,)
    assert turn.failure is not None
    assert turn.failure.message == "Something went wrong inside rag_qa (ZeroDivisionError). The log of the program says more."
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None
    assert "secret detail" in str(record.exc_info[1])


def test_a_stream_that_ends_without_an_answer_is_not_taken_for_one() -> None:
    (turn,) = talk(ScriptedEngine({"tide": [FAST]}), "tide")
    assert turn.failure is not None
    assert turn.failure.retryable


def test_leaving_a_conversation_ends_the_engine_s_work() -> None:
    engine = ScriptedEngine({"tide": [FAST, FAST, FAST]})
    running = app.converse(engine, "tide", ())
    next(running), next(running)
    assert engine.finished == 0
    running.close()
    assert engine.finished == 1


async def _leave_after(seconds: float, work: Generator[app.Turns, None, None]) -> list[app.Turns]:
    """Listen to a background work for a while; what came."""
    came: list[app.Turns] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), contextlib.aclosing(app.in_background(work)) as items:
            async for item in items:
                came = [*came, item]
    return came


def test_leaving_does_not_wait_for_a_silent_engine_and_ends_it_when_it_speaks() -> None:
    gate, ended = threading.Event(), threading.Event()

    def work() -> Generator[app.Turns, None, None]:
        try:
            yield ()
            assert gate.wait(10)
            while True:
                yield ()
        finally:
            ended.set()

    assert asyncio.run(_leave_after(0.2, work())) == [()]
    assert not ended.is_set()
    gate.set()
    assert ended.wait(10)


def test_background_work_hands_over_all_it_makes() -> None:
    turns = [(Turn(n, "q"),) for n in range(1, 50)]
    assert asyncio.run(_leave_after(10, (turn for turn in turns))) == turns


def test_a_stopped_turn_keeps_what_came_and_counts_as_history() -> None:
    engine = ScriptedEngine({"tide": [FAST, FAST]})
    running = app.converse(engine, "tide", ())
    next(running)
    turns = app.stopped(next(running))
    assert (turns[-1].stopped, turns[-1].status, turns[-1].sentences) == (True, "", (FAST,))
    talk_on = list(app.converse(engine, "moss", turns))
    assert talk_on[0][0] == turns[0]
    assert engine.asked[-1] == ("moss", ["tide"])


def test_stopping_when_nothing_runs_changes_nothing() -> None:
    turns = talk(ScriptedEngine(), "tide")
    assert app.stopped(turns) == turns
    assert app.stopped(()) == ()


# ------------------------------------------------------------------------------------------------------------------- filters


def test_a_question_is_asked_of_its_scope_and_the_turn_knows_it() -> None:
    engine = ScriptedEngine()
    scope = Scope(Filters(venue="ICLR"), reads_filters=False)
    *_, (turn,) = app.converse(engine, "tide", (), scope)
    assert (engine.scopes, turn.scope) == ([scope], scope)
    assert turn.answer is not None
    assert turn.answer.narrowing.filters == scope.filters


def test_what_narrows_is_known_before_the_answer() -> None:
    narrowing = Narrowing(Filters(year_from=2023), ("since 2023",))
    engine = ScriptedEngine({"tide": [Step("searching", "tide", narrowing), Step("writing", "tide"), answer_to("tide", "tide")]})
    assert [turns[-1].narrowing for turns in app.converse(engine, "tide", ())][1:3] == [narrowing, narrowing]


def test_a_conversation_does_not_go_on_with_what_was_taken_back() -> None:
    engine = ScriptedEngine()
    asked = "Which papers since 2023 deal with tide?"
    *_, turns = app.converse(engine, asked, (), EVERY_PAPER)
    *_, turns = app.converse(engine, asked, turns, Scope(reads_filters=False), instead_of=1)
    *_, turns = app.converse(engine, "And moss?", turns)
    assert engine.asked[-1] == ("And moss?", ["Which papers deal with tide?"])


def test_a_question_that_is_asked_again_takes_the_place_of_the_first_one() -> None:
    engine = ScriptedEngine()
    turns = talk(engine, "What is tide?", "And since 2023?", "Compare tide and moss")
    *_, turns = app.converse(engine, "And since 2023?", turns, Scope(reads_filters=False), instead_of=2)
    *_, turns = app.converse(engine, "And moss?", turns)
    assert engine.asked[-2:] == [
        ("And since 2023?", ["What is tide?"]),
        ("And moss?", ["What is tide?", "Compare tide and moss", "And since 2023?"]),
    ]
    assert [turn.counts for turn in turns] == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("chosen", "undo", "scope"),
    [
        ({}, "", Scope()),
        (None, "", Scope()),
        ({"year_from": 2020, "exclude_types": ["review"]}, "", Scope(Filters(year_from=2020, exclude_types=("review",)))),
        ({"year_from": 2020}, "question", Scope(Filters(year_from=2020), reads_filters=False)),
        ({"year_from": 2020}, "filters", Scope()),
        ({"year_from": 2020}, "filters question", Scope(reads_filters=False)),
    ],
)
def test_the_scope_is_what_is_chosen_without_what_is_taken_back(chosen: dict[str, object] | None, undo: str, scope: Scope) -> None:
    assert app.scope_of(chosen, undo) == scope


def test_what_the_panel_can_not_have_sent_is_refused_and_not_overlooked() -> None:
    with pytest.raises(FilterError):
        app.scope_of({"year_from": "2020"})


def test_a_longer_answer_is_made_of_the_papers_of_the_shorter_one() -> None:
    engine = ScriptedEngine()
    scope = Scope(Filters(venue="ICLR"))
    *_, turns = app.converse(engine, "tide", (), scope)
    *_, turns = app.ask_again(engine, turns, {"year_from": 2020}, app.Offer("tide", instead_of=1, is_longer=True))
    *_, turns = app.ask_again(engine, turns, {"year_from": 2020}, app.Offer("tide"))
    assert engine.most_words == [None, MOST_WORDS_LONGER, None]
    assert engine.scopes == [scope, scope, Scope(Filters(year_from=2020))]
    assert engine.asked[1] == ("tide", [])
    assert [(turn.is_longer, turn.counts) for turn in turns] == [(False, False), (True, True), (False, True)]


# -------------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("name", ["md", "html", "json", "bib", "ris"])
def test_one_answer_or_all_of_them_are_saved_as_they_are_exported(name: str) -> None:
    turns = talk(ScriptedEngine({"down": [ProviderTimeout("no answer")]}), "tide", "down", "Compare tide and moss")
    answers = [turn.answer for turn in turns if turn.answer]
    assert app.saved(turns, name, 3).content == answer_exports.export(answers[1:], name)
    whole = app.saved(turns, name)
    assert whole.content == answer_exports.export(answers, name)
    assert whole.name == answer_exports.file_name(answers, name)
    assert whole.said == f"Saved as {whole.name}"


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("md", 2, "There is no answer yet that could be written: ask a question first"),
        ("bib", 1, "Nothing is cited, so there is no paper to write as bib"),
        ("exe", 1, "There is no format 'exe' to write answers in: name a file that ends in one of md, html, json, bib, ris"),
    ],
)
def test_what_can_not_be_saved_is_told_in_one_line(name: str, number: int, said: str) -> None:
    turns = talk(ScriptedEngine({"down": [ProviderTimeout("no answer")]}), "Who was the first?", "down")
    assert app.saved(turns, name, number) == app.Saved("", "", said)


def test_the_papers_are_read_once_for_each_state_of_the_index() -> None:
    engine = ScriptedEngine()
    library = app.Library(engine)
    assert [library.overview() for _ in range(3)] == [library.overview()] * 3
    library.opening_html(), library.panel_html()
    assert engine.readings == 1
    engine.hold([TIDE])
    assert "Moss" not in library.panel_html()
    assert engine.readings == 2


def test_without_an_index_there_is_nothing_to_filter() -> None:
    library = app.Library(ScriptedEngine(missing=EmptyIndexError("nothing")))
    library.read_ahead()
    assert library.panel_html() == ""


# --------------------------------------------------------------------------------------------------- what the page works with


@pytest.mark.parametrize(
    ("settings", "answerer"),
    [
        ({}, "extractive answers"),
        ({"openai_api_key": "k"}, "answers by a model at OpenAI"),
        ({"openai_base_url": "http://ann:secret@box:8080/v1"}, "answers by a model at box"),
        ({"openai_base_url": "http://box/v1", "llm_model": "tiny-chat"}, "answers by tiny-chat"),
        ({"openai_api_key": "k", "answerer": "extractive"}, "extractive answers"),
    ],
)
def test_the_head_says_how_many_papers_who_answers_and_which_embedder(settings: dict[str, str], answerer: str) -> None:
    assert app.facts(ScriptedEngine(settings=load(**settings))) == ["3 papers", answerer, "embedder word-count"]


def test_the_head_of_one_paper_and_of_none() -> None:
    assert app.facts(ScriptedEngine(papers=[TIDE]))[0] == "1 paper"
    assert app.facts(ScriptedEngine(missing=EmptyIndexError("nothing"))) == ["extractive answers"]


def test_examples_of_the_shipped_abstracts() -> None:
    papers = [Paper(label, f"We study it. We propose {label}, a method. {label} works.") for label in ("DP-CATE", "NetMoE", "SeedLM")]
    assert app.examples(papers) == [question for _, question in app.EXAMPLES]


def test_the_examples_fit_the_seeds(seeds: Path) -> None:
    abstracts = [line for file in sorted(seeds.glob("*.txt")) for line in file.read_text(encoding="utf-8").splitlines() if len(line) > 200]
    assert app.examples([Paper(str(i), abstract) for i, abstract in enumerate(abstracts)]) == [question for _, question in app.EXAMPLES]


def test_examples_of_other_abstracts_are_made_from_their_names_and_titles() -> None:
    assert app.examples(PAPERS) == ["What is TIDE-7?", "What does “Moss under snow” report?"]
    assert app.examples([Paper("p", "Nothing here has a name.")]) == []
    assert len(app.examples([Paper(str(i), "We wait.", title=f"On waiting {i}") for i in range(9)])) == app.OFFERED


def opening(engine: app.Asked) -> str:
    return app.Library(engine).opening_html()


def test_without_an_index_the_page_says_what_to_run() -> None:
    page = opening(ScriptedEngine(missing=EmptyIndexError("There is no index in .rag_qa")))
    assert "No papers yet" in page
    assert "There is no index in .rag_qa" in page
    assert "<code>rag-qa index PATH...</code>" in page
    assert "rag-qa index PATH..." in opening(ScriptedEngine(papers=[]))


def test_a_message_that_says_what_to_run_is_enough() -> None:
    assert opening(ScriptedEngine(missing=EmptyIndexError("Nothing: run `rag-qa index seeds`"))).count("rag-qa index") == 1


def test_a_stale_index_and_a_bug_are_told_and_the_page_still_opens(caplog: pytest.LogCaptureFixture) -> None:
    assert "built with a, opened with b" in opening(ScriptedEngine(missing=StaleIndexError("built with a, opened with b")))
    assert not caplog.records

    class Broken(ScriptedEngine):
        def some_papers(self, most: int) -> list[Paper]:
            raise KeyError("x")

    assert "Something went wrong inside rag_qa (KeyError)" in opening(Broken())
    assert len(caplog.records) == 1


# ------------------------------------------------------------------------------------------------------------------ serving


def test_a_taken_port_is_passed_over() -> None:
    with app.listen("127.0.0.1", 0) as first, app.listen("127.0.0.1", first.getsockname()[1]) as second:
        assert second.getsockname()[1] > first.getsockname()[1]
        assert app.address(second) == f"http://127.0.0.1:{second.getsockname()[1]}/"


@pytest.mark.parametrize(("host", "named"), [("0.0.0.0", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]")])
def test_the_address_is_one_that_a_browser_can_open(host: str, named: str) -> None:
    try:
        listener = app.listen(host, 0)
    except SettingsError:
        pytest.skip(f"this machine has no {host}")
    with listener:
        assert app.address(listener) == f"http://{named}:{listener.getsockname()[1]}/"


def test_an_address_that_cannot_be_used_is_refused_in_one_line() -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # taken by another program already
            stack.enter_context(socket.create_server(("127.0.0.1", 65535)))
        with pytest.raises(SettingsError, match=r"^cannot serve at 127\.0\.0\.1:65535 \(.+\)\. Set RAG_QA_HOST and RAG_QA_PORT [^\n]+$"):
            app.listen("127.0.0.1", 65535)
    with pytest.raises(SettingsError, match=r"^RAG_QA_HOST is 'x+': no such address\. Use 127\.0\.0\.1, [^\n]+$"):
        app.listen("x" * 70, 7860)


def test_importing_the_page_does_not_load_gradio() -> None:
    check = "import sys, rag_qa.interfaces.app; sys.exit(any(name in sys.modules for name in ('gradio', 'fastapi', 'uvicorn')))"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0


SERVES = "from rag_qa.interfaces import app; from tests.interfaces.test_app import ScriptedEngine; app.serve(ScriptedEngine(), '127.0.0.1', {port})"


def test_the_page_is_served_until_ctrl_c(project: Path) -> None:
    with app.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-u", "-c", SERVES.format(port=port)]
        process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with process, contextlib.ExitStack() as stack:
            stack.callback(process.kill)
            assert process.stdout is not None
            found = int(process.stdout.readline().removeprefix(f"Port {port} is taken; using ").rstrip(".\n"))
            assert found > port
            address = f"http://127.0.0.1:{found}/"
            assert process.stdout.readline() == f"rag_qa is ready at {address} (Ctrl-C stops it)\n"
            _is_served(address)
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=10)
            assert (process.returncode, rest) == (0, "")


def _is_served(address: str) -> None:
    with urllib.request.urlopen(address) as reply:
        assert reply.headers["content-security-policy"].startswith("default-src 'self'; ")
        assert "http" not in reply.headers["content-security-policy"]
        assert "window.gradio_config" in reply.read().decode()
    for path in ("docs", "redoc", "openapi.json", "gradio_api/docs"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address + path)


def test_the_page_is_built_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    for engine in (ScriptedEngine(), ScriptedEngine(missing=EmptyIndexError("nothing"))):
        assert app.build(engine, app.Library(engine)).title == "rag_qa"
    assert capfd.readouterr() == ("", "")
