"""The chat page, served on this machine. Only door to gradio, and to the web server that it brings along.

Gradio takes seconds to import, so that happens where the page is built. Annotations are not postponed here (no `from __future__ import annotations`):
gradio reads them off the handlers, and could not find the names of a library that is imported inside a function.
"""

import asyncio
import contextlib
import logging
import os
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlsplit

from rag_qa import text
from rag_qa.answering.answer import AnswerEvent, Sentence, Step
from rag_qa.chat import without_filters
from rag_qa.engine import EVERY_PAPER, MOST_WORDS_LONGER, IndexInfo, Scope
from rag_qa.errors import EmptyIndexError, ProviderError, QuestionError, RagQAError, SettingsError
from rag_qa.index.store import Holdings
from rag_qa.interfaces import answer_exports, cards, feedback, filter_panel, report_tab
from rag_qa.interfaces.cards import Failure, Turn
from rag_qa.interfaces.feedback import Reason, Verdict, Vote
from rag_qa.papers import Paper
from rag_qa.retrieval.filters import EVERYTHING, Filters, from_mapping
from rag_qa.settings import Settings

if TYPE_CHECKING:
    import gradio as gr

logger = logging.getLogger(__name__)

EXAMPLES = (
    ("DP-CATE", "What is DP-CATE?"),
    ("NetMoE", "How much faster is NetMoE than current training systems?"),
    ("SeedLM", "How can pseudo-random generators shrink the weights of a language model?"),
    ("DP-CATE", "How many GPUs was DP-CATE trained on?"),
)
"""Questions to begin with, each with the label of the paper that it needs. The last one shows a refusal."""

_LOOKED_AT = 500  # papers that questions are made of, and among which those of EXAMPLES are looked for

OFFERED = 4
"""How many questions an empty conversation offers."""

AT_ONCE = 8
"""Questions that are worked on at the same time, over all visitors; more wait."""

PORTS_TRIED = 100
"""How many ports are tried, from the one that was asked for upwards."""

# What the browser may load: this server alone. Gradio needs inline scripts and compiles its templates.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'"
)


class Asked(Protocol):
    """What the page needs of an engine."""

    @property
    def settings(self) -> Settings:
        """What was chosen."""
        ...

    def info(self) -> IndexInfo:
        """What the index holds. Raises EmptyIndexError when there is none."""
        ...

    def some_papers(self, most: int) -> list[Paper]:
        """Some papers."""
        ...

    def holdings(self) -> Holdings:
        """What the papers can be narrowed by."""
        ...

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]:
        """An answer as it comes about; the last event is the whole Answer."""
        ...


# ------------------------------------------------------------------------------------------------------------- conversation


Turns = tuple[Turn, ...]


def converse(
    engine: Asked, question: str, turns: Turns, scope: Scope = EVERY_PAPER, *, instead_of: int = 0, is_longer: bool = False
) -> Generator[Turns, None, None]:
    """Ask a question after earlier turns; each item is the whole conversation at that moment.

    `is_longer`: a longer answer is wanted. `instead_of`: the number of the turn in place of which it is asked (0: none). It is understood as it was
    there, and later questions refer to this answer, and not to that one. Never raises: what goes wrong ends up in the last turn, below what was shown
    already.
    """
    turns = tuple(replace(earlier, counts=False) if earlier.number == instead_of else earlier for earlier in turns)
    before = turns[: instead_of - 1] if instead_of else turns
    history = [_goes_on(earlier) for earlier in before if earlier.counts]
    turn = Turn(len(turns) + 1, question, scope, is_longer, status="Looking…", history=tuple(history), key=feedback.new_key())
    most_words = MOST_WORDS_LONGER if is_longer else None
    yield (*turns, turn)
    try:
        for event in engine.stream(question, history=history, filters=scope.filters, reads_filters=scope.reads_filters, most_words=most_words):
            turn = _advanced(turn, event)
            yield (*turns, turn)
        if turn.answer is None:
            turn = replace(turn, failure=Failure("The answer broke off before it was complete.", retryable=True))
    except RagQAError as error:
        turn = replace(turn, failure=_failure(error), counts=not isinstance(error, QuestionError))
    except Exception as error:
        logger.exception("a question could not be answered")
        turn = replace(turn, failure=Failure(f"Something went wrong inside rag_qa ({type(error).__name__}). The log of the program says more."))
    yield (*turns, replace(turn, status=""))


def _goes_on(turn: Turn) -> str:
    """What the conversation goes on with after a turn: its question, without what it said of the papers where that was taken back."""
    if turn.scope.reads_filters or turn.answer is None:
        return turn.question
    without = without_filters(turn.answer.understood_as or turn.question)
    return without if text.content_words(without) else turn.question


def _advanced(turn: Turn, event: AnswerEvent) -> Turn:
    if isinstance(event, Step):
        narrowing = turn.narrowing if event.narrowing.filters.is_empty else event.narrowing
        understood = event.understood_as or turn.understood_as
        return replace(turn, status=_status(event.name), understood_as=understood, narrowing=narrowing, preface=event.preface or turn.preface)
    if isinstance(event, Sentence):
        return replace(turn, status="Writing and checking…", sentences=(*turn.sentences, event))
    return replace(turn, status="", answer=event)


def _status(step: str) -> str:
    words = step.replace("_", " ").replace("-", " ").strip(" .…")
    return f"{words[:1].upper()}{words[1:]}…" if words else "Looking…"


def _failure(error: RagQAError) -> Failure:
    message = " ".join(str(error).split()) or type(error).__name__
    return Failure(message, retryable=isinstance(error, ProviderError) and error.retryable)


def stopped(turns: Turns) -> Turns:
    """The conversation when no more will come: a last turn that still waits for something was stopped by the person."""
    if not turns or not turns[-1].status:
        return turns
    return (*turns[:-1], replace(turns[-1], status="", stopped=True))


async def in_background(work: Generator[Turns, None, None]) -> AsyncGenerator[Turns, None]:
    """The items of a generator that runs in a thread of its own.

    Whoever leaves is free at once, whatever the work waits for; the work itself is ended at its next item.
    """
    loop = asyncio.get_running_loop()
    items: asyncio.Queue[Turns | None] = asyncio.Queue()
    abandoned = threading.Event()

    def hand_over(item: Turns | None) -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(items.put_nowait, item)

    def produce() -> None:
        with contextlib.closing(work):
            for item in work:
                if abandoned.is_set():
                    break
                hand_over(item)
        hand_over(None)

    threading.Thread(target=produce, daemon=True).start()
    try:
        while (item := await items.get()) is not None:
            yield item
    finally:
        abandoned.set()


# --------------------------------------------------------------------------------------------------- what the page works with


def facts(engine: Asked) -> list[str]:
    """What the head of the page says: how many papers, who answers, which embedder."""
    answerer = _answerer(engine.settings)
    try:
        info = engine.info()
    except RagQAError:
        return [answerer]
    return [f"{info.papers:,} {'paper' if info.papers == 1 else 'papers'}", answerer, f"embedder {info.embedder}"]


def _answerer(settings: Settings) -> str:
    if not settings.uses_llm:
        return "extractive answers"
    if settings.llm_model:
        return f"answers by {settings.llm_model}"
    # the host alone: an address may hold a password
    host = urlsplit(settings.openai_base_url).hostname if settings.openai_base_url else "OpenAI"
    return f"answers by a model at {host}"


@dataclass(frozen=True, slots=True)
class Overview:
    """What the page shows of the papers before anything is asked: questions to begin with, and what they can be filtered by."""

    examples: tuple[str, ...]
    choices: Holdings


class Library:
    """The papers of an engine as the page sees them: looked at once for each state of the index, and never for a question. Safe to use from several
    threads.
    """

    def __init__(self, engine: Asked) -> None:
        self._engine = engine
        self._seen: tuple[IndexInfo, Overview] | None = None
        self._lock = threading.Lock()

    def overview(self) -> Overview:
        """What there is now. Raises what the engine raises when it can't say."""
        info = self._engine.info()
        with self._lock:
            if self._seen is None or self._seen[0] != info:
                papers = self._engine.some_papers(_LOOKED_AT)
                self._seen = info, Overview(tuple(examples(papers)), self._engine.holdings())
            return self._seen[1]

    def read_ahead(self) -> None:
        """So that the first visitor does not wait. What is wrong is told to whoever comes."""
        with contextlib.suppress(Exception):
            self.overview()

    def opening_html(self) -> str:
        """The empty conversation: example questions, or what to run when there is nothing to ask."""
        try:
            if self._engine.info().papers:
                return cards.welcome_html(self.overview().examples)
            return cards.no_library_html("No papers yet", "The index holds no paper.", "rag-qa index PATH...")
        except EmptyIndexError as error:
            command = "" if "rag-qa index" in str(error) else "rag-qa index PATH..."
            return cards.no_library_html("No papers yet", str(error), command)
        except RagQAError as error:
            return cards.no_library_html("The papers cannot be asked", str(error))
        except Exception as error:
            logger.exception("the index could not be read")
            return cards.no_library_html(
                "The papers cannot be asked", f"Something went wrong inside rag_qa ({type(error).__name__}). The log of the program says more."
            )

    def conversation_html(self, turns: Turns) -> list[str]:
        """The conversation, a piece of HTML for each turn, so that only that of the turn that changed need be sent."""
        takes_votes = feedback.is_kept(self._engine.settings)
        return [cards.turn_html(turn, takes_votes=takes_votes) for turn in turns] if turns else [self.opening_html()]

    def panel_html(self) -> str:
        """The panel of filters; "" when there is nothing to filter."""
        try:
            return filter_panel.panel_html(self.overview().choices)
        except RagQAError:  # the empty conversation tells of it
            return ""


def examples(papers: Sequence[Paper]) -> list[str]:
    """Questions to begin with: those written for the shipped abstracts as far as their papers are here, otherwise made from names and titles."""
    labels = {paper.label for paper in papers}
    fitting = [question for label, question in EXAMPLES if label in labels]
    if len(fitting) == len(EXAMPLES):
        return fitting
    neutral = (question for paper in papers if (question := _neutral_question(paper)))
    return list(dict.fromkeys([*fitting, *neutral]))[:OFFERED]


def _neutral_question(paper: Paper) -> str:
    if paper.title:
        return f"What does “{paper.title}” report?" if len(paper.title) <= 110 else ""
    name = text.name_of(paper.abstract)
    return f"What is {name}?" if name else ""


# --------------------------------------------------------------------------------------------------------------------- page


Chosen = Mapping[str, Any] | None
"""What is chosen in the panel of filters, as the browser sends it."""


def scope_of(chosen: Chosen, undo: str = "") -> Scope:
    """Which papers a question is asked of. `undo`: what is not to narrow it this time, "question" (what it says itself) or "filters" or both.

    Raises FilterError for what the panel can't have sent.

    >>> scope_of({"year_from": 2020}, "question") == Scope(Filters(year_from=2020), reads_filters=False)
    True
    """
    undone = undo.split()
    return Scope(EVERYTHING if "filters" in undone else from_mapping(chosen or {}), reads_filters="question" not in undone)


@dataclass(frozen=True, slots=True)
class Offer:
    """A question that the page offers by a button. `undo`: as for `scope_of`. `instead_of`, `is_longer`: as for `converse`."""

    question: str
    undo: str = ""
    instead_of: int = 0
    is_longer: bool = False


def ask_again(engine: Asked, turns: Turns, chosen: Chosen, offer: Offer) -> Generator[Turns, None, None]:
    """Ask what was offered. A longer answer is made of the papers that the shorter one was made of, whatever is chosen now."""
    scope = turns[offer.instead_of - 1].scope if offer.is_longer else scope_of(chosen, offer.undo)
    return converse(engine, offer.question, turns, scope, instead_of=offer.instead_of, is_longer=offer.is_longer)


async def updates(
    asked: Generator[Turns, None, None], view: Callable[[Turns], list[str]], first: Any, later: Any
) -> AsyncGenerator[tuple[Any, ...], None]:
    """What the page is told while a question is answered: the conversation as it is seen, the conversation, and what becomes of the question box.

    That is emptied once, and not again: what is typed meanwhile stays.
    """
    async with contextlib.aclosing(in_background(asked)) as states:
        box = first
        async for now in states:
            yield view(now), now, box
            box = later


@dataclass(frozen=True, slots=True)
class Saved:
    """What the browser is to save: a file by its name, or nothing, and what is told the person of it."""

    name: str
    content: str
    said: str


def saved(turns: Turns, name: str, number: int = 0) -> Saved:
    """The answer of a turn, or of all turns (0), as a file in a format. What can't be written is told."""
    answers = [turn.answer for turn in turns if turn.answer and number in (0, turn.number)]
    try:
        content = answer_exports.export(answers, name)
    except RagQAError as error:
        return Saved("", "", " ".join(str(error).split()))
    file = answer_exports.file_name(answers, name)
    return Saved(file, content, f"Saved as {file}")


def voted(turns: Turns, settings: Settings, said: Mapping[str, str]) -> tuple[bool, str]:
    """Keep what a person says of the answer of a turn (`said`: turn, verdict, reason, comment); was it kept, and what is told the person?"""
    turn = next((turn for turn in turns if str(turn.number) == said.get("turn")), None)
    if turn is None or turn.answer is None or not feedback.is_kept(settings):
        return False, "There is no such answer any more."
    try:
        reason = Reason(said["reason"]) if said.get("reason") else None
        vote = Vote(turn.key, Verdict(said.get("verdict", "")), reason, str(said.get("comment", "")))
        feedback.keep(vote, turn.answer, turn.history, settings)
    except ValueError:
        return False, "This can't be said of an answer."
    except RagQAError as error:
        logger.error("%s", error)  # its path is not for visitors
        return False, "This could not be kept. The log of the program says more."
    return True, "Taken back." if vote.verdict is Verdict.TAKEN_BACK else "Thank you: this is kept."


def _said(chosen: Chosen) -> str:
    return filter_panel.said(scope_of(chosen).filters)


def build(engine: Asked, library: Library) -> "gr.Blocks":
    """The page over an engine. Conversations live in the visitor's session: two tabs do not mix."""
    import gradio as gr

    view = library.conversation_html
    working: dict[str, Any] = {"submit_btn": False, "stop_btn": "Stop"}
    ready: dict[str, Any] = {"submit_btn": "Ask", "stop_btn": False}

    async def ask(question: str, turns: Turns, chosen: Chosen) -> AsyncGenerator[tuple[Any, ...], None]:
        if not question.strip():
            yield gr.skip(), gr.skip(), gr.skip()
            return
        asked = converse(engine, question.strip(), turns, scope_of(chosen))
        async with contextlib.aclosing(updates(asked, view, gr.update(value="", **working), gr.skip())) as states:
            async for state in states:
                yield state

    async def ask_offered(event: gr.EventData, turns: Turns, chosen: Chosen) -> AsyncGenerator[tuple[Any, ...], None]:
        asked = ask_again(engine, turns, chosen, Offer(str(event.question), str(event.undo), int(event.turn), bool(event.longer)))
        async with contextlib.aclosing(updates(asked, view, gr.update(value="", **working), gr.skip())) as states:
            async for state in states:
                yield state

    def finish(turns: Turns) -> tuple[Any, ...]:
        now = stopped(turns)
        return (gr.skip(), gr.skip(), gr.update(**ready)) if now == turns else (view(now), now, gr.update(**ready))

    def save(event: gr.EventData, turns: Turns) -> Any:
        file = saved(turns, str(event.format), int(event.turn))
        # a number that is another one each time: the same file can be saved twice
        return gr.update(value={"name": file.name, "content": file.content, "number": time.monotonic_ns()}, said=cards.escape(file.said))

    def start_over() -> tuple[Any, ...]:
        return view(()), (), gr.update(value="", **ready)

    with gr.Blocks(title="rag_qa", analytics_enabled=False) as page:
        turns = gr.State(())
        with gr.Row(elem_id="rq-top"):
            header = gr.HTML(cards.header_html(()), apply_default_css=False, elem_id="rq-header")
            gr.HTML(report_tab.SWITCH, apply_default_css=False, elem_id="rq-views")
            # its value is the file that the browser is to save: nothing is written here
            files = gr.HTML(
                {},
                html_template='${menu}<p class="rq-saved" role="status">${said}</p>',
                js_on_load=_packaged("files.js"),
                apply_default_css=False,
                elem_id="rq-files",
                menu=cards.chat_files_html(),
                said="",
            )
            # its value says whether the last vote was kept
            votes = gr.HTML(
                {},
                html_template='<p class="rq-saved" role="status">${said}</p>',
                js_on_load=_packaged("votes.js"),
                apply_default_css=False,
                elem_id="rq-votes",
                said="",
            )
            clear = gr.Button("New conversation", size="sm", elem_id="rq-clear", min_width=0)
        # `value` reaches the page as an argument of the template. Never put foreign text into a template itself, nor into {{...}} of it:
        # the result is evaluated as JavaScript.
        conversation = gr.HTML(
            [],
            html_template="${(value || []).join('')}",
            js_on_load=_packaged("page.js"),
            apply_default_css=False,
            elem_id="rq-conversation",
        )
        report = gr.HTML("", apply_default_css=False, elem_id="rq-report")
        with gr.Column(elem_id="rq-composer", scale=0, min_width=0):
            # its value is what is chosen; as for the conversation, nothing but the names of arguments stands in the template
            panel = gr.HTML(
                {},
                html_template='${form}<p class="rq-filtered" role="status">${said}</p>',
                js_on_load=_packaged("filters.js"),
                apply_default_css=False,
                elem_id="rq-filters",
                form="",
                said="",
            )
            question = gr.Textbox(
                label="Your question",
                show_label=False,
                placeholder="Ask about the papers…",
                lines=1,
                max_lines=6,
                autofocus=True,
                elem_id="rq-question",
                html_attributes=gr.InputHTMLAttributes(enterkeyhint="send", autocomplete="off"),
                **ready,
            )

        seen = [conversation, turns, question]
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        at_once: dict[str, Any] = {"concurrency_limit": AT_ONCE, "concurrency_id": "ask"}
        # one after the other: a stopped answer must not come back into a conversation that was just cleared
        in_turn: dict[str, Any] = {"concurrency_limit": 1, "concurrency_id": "settle"}
        asking = [
            question.submit(ask, [question, turns, panel], seen, **quiet, **at_once),
            conversation.ask(ask_offered, [turns, panel], seen, **quiet, **at_once),
        ]
        for event in asking:  # also when it is cancelled
            event.then(finish, [turns], seen, **quiet, **in_turn)
        question.stop(None, cancels=asking, **quiet)
        clear.click(None, cancels=asking, **quiet).then(start_over, None, seen, **quiet, **in_turn)
        page.load(lambda: cards.header_html(facts(engine)), None, [header], **quiet)
        page.load(view, [turns], [conversation], **quiet)
        page.load(lambda: report_tab.panel_html(engine.settings.report), None, [report], **quiet)
        files.save(save, [turns], [files], **quiet, **at_once | {"concurrency_id": "save"})
        conversation.vote(_voting(engine), [turns], [votes], **quiet, **at_once | {"concurrency_id": "vote"})
        panel.narrow(lambda chosen: gr.update(said=_said(chosen)), [panel], [panel], **quiet)
        page.load(lambda: gr.update(form=library.panel_html()), None, [panel], **quiet)
    page.queue(api_open=False)
    return cast("gr.Blocks", page)


def _voting(engine: Asked) -> Callable[..., Any]:
    """What the page does when somebody says what they think of an answer."""
    import gradio as gr

    def vote(event: gr.EventData, turns: Turns) -> Any:
        said = {name: str(getattr(event, name)) for name in ("turn", "verdict", "reason", "comment")}
        is_kept, told = voted(turns, engine.settings, said)
        return gr.update(value={"turn": said["turn"], "is_kept": is_kept, "number": time.monotonic_ns()}, said=cards.escape(told))

    return vote


def _packaged(name: str) -> str:
    return (resources.files("rag_qa.interfaces") / name).read_text(encoding="utf-8")


def _theme() -> "gr.themes.Base":
    """Plain, with fonts that are on the reader's machine: gradio's own themes may fetch theirs from the network."""
    import gradio as gr

    generic = gr.themes.Font("sans-serif")
    theme = gr.themes.Base(font=[generic], font_mono=[gr.themes.Font("monospace")])
    return theme.set(
        body_background_fill="#faf9f6",
        body_background_fill_dark="#16181b",
        body_text_color="#22262b",
        body_text_color_dark="#e8e6e1",
    )


_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%231f5f5b'/%3E"
    "%3Cpath d='M9 9h4v3h-1v8h1v3H9zm14 0h-4v3h1v8h-1v3h4z' fill='%23fff'/%3E%3C/svg%3E"
)


def _head() -> str:
    # gradio rewrites the selectors of its `css` option, so the style sheet goes into the head as it is
    metas = '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
    return f'<link rel="icon" href="{_ICON}">{metas}<style>{_packaged("page.css")}</style>'


# ------------------------------------------------------------------------------------------------------------------ serving

Connection = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Guarded:
    """A web application whose answers tell the browser to load nothing from anywhere else."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI)."""

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"content-security-policy", POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                ]
            await send(message)

        await self._app(scope, receive, send_guarded)


def application(engine: Asked) -> Guarded:
    """The page as a web application: no analytics, no share link, no record of runs, no documentation pages, nothing from other hosts."""
    import fastapi
    import gradio as gr

    library = Library(engine)
    threading.Thread(target=library.read_ahead, daemon=True).start()
    app = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get(f"/{report_tab.ADDRESS}")
    def evaluation() -> fastapi.Response:
        found = report_tab.read(engine.settings.report)
        headers = {"content-security-policy": report_tab.POLICY, "cache-control": "no-store"}
        if found.problem:
            return fastapi.Response(found.problem, 404, headers, "text/plain; charset=utf-8")
        return fastapi.Response(found.content, 200, headers, "text/html; charset=utf-8")

    gr.mount_gradio_app(
        app,
        build(engine, library),
        path="/",
        footer_links=[],
        run_history=False,
        show_error=False,
        max_file_size=1,  # nothing is ever uploaded
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        mcp_server=False,
        theme=_theme(),
        head=_head(),
        app_kwargs={"docs_url": None, "redoc_url": None, "openapi_url": None},
    )
    return Guarded(app)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at `port`, or at the next free one (0: any). Raises SettingsError when there is none, or the host is not ours."""
    try:
        family, kind, protocol, _, _ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise SettingsError(f"RAG_QA_HOST is {host!r}: no such address. Use 127.0.0.1, or 0.0.0.0 to let others in") from None
    problem: OSError | None = None
    for candidate in range(port, min(port + PORTS_TRIED, 65536) if port else 1):
        listener = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # a port that was just left can be taken again at once; elsewhere this option would share a port in use
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, candidate))
            listener.listen(128)
            return listener
        except OSError as error:
            listener.close()
            problem = error
    reason = problem.strerror if problem else "no port left"
    raise SettingsError(
        f"cannot serve at {host}:{port} ({reason}). Set RAG_QA_HOST and RAG_QA_PORT to an address of this machine and a free port"
    ) from None


def address(listener: socket.socket) -> str:
    """Where a browser on this machine finds the page."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{host}:{port}/"


def server(engine: Asked) -> Any:
    """The web server of the page, not yet running (`run(sockets=[listener])` runs it, `should_exit = True` ends it)."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(application(engine), log_config=None, access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=1)
    )


def serve(engine: Asked, host: str, port: int, open_browser: bool = False, *, say: Callable[[str], None] = print) -> None:
    """Serve the page until Ctrl-C. `say` gets each line for the person. Raises SettingsError when the address cannot be used."""
    with contextlib.closing(listen(host, port)) as listener:
        found = listener.getsockname()[1]
        if port and found != port:
            say(f"Port {port} is taken; using {found}.")
        page = server(engine)
        url = address(listener)
        say(f"rag_qa is ready at {url} (Ctrl-C stops it)")
        if open_browser:
            # some browsers keep the caller waiting
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            page.run(sockets=[listener])
