"""The command line over a fake engine: every command, every error, and real processes where signals, pipes and terminals matter."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from rag_qa import __version__
from rag_qa.answering.answer import Answer, AnswerEvent, Step
from rag_qa.engine import MOST_WORDS_LONGER, IndexReport
from rag_qa.errors import StaleIndexError
from rag_qa.interfaces import answer_exports, cli, render
from rag_qa.interfaces.render import EngineLike
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.searches import Search
from rag_qa.settings import Settings
from rag_qa.sources.reader import Problem
from tests.fakes import FakeEngine

COMMANDS = ("index", "sync", "remove", "ask", "chat", "search", "summarise", "compare", "papers", "calibrate", "serve", "doctor")


class Shell:
    """Runs commands; `engine` is the last engine that was made, `served` what was asked of the page."""

    def __init__(self, make: Callable[[Settings], EngineLike] = FakeEngine) -> None:
        self._make = make
        self.engine: Any = None
        self.served: list[tuple[str, int, bool]] = []

    def __call__(self, *args: str, typed: str | bytes | None = None, env: dict[str, str] | None = None) -> Result:
        return CliRunner(env=env).invoke(cli.build_app(self._made, self._serve), list(args), input=typed)

    def _made(self, settings: Settings) -> EngineLike:
        self.engine = self._make(settings)
        return self.engine  # type: ignore[no-any-return]

    def _serve(self, engine: EngineLike, open_browser: bool) -> None:
        self.served.append((engine.settings.host, engine.settings.port, open_browser))


@pytest.fixture
def shell() -> Shell:
    return Shell()


def objects(result: Result) -> list[Any]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# --------------------------------------------------------------------------------------------------------------------- help


def test_without_arguments_the_help_is_printed(shell: Shell) -> None:
    result = shell()

    assert result.exit_code == 0
    assert all(re.search(rf"^  {command} +\w", result.stdout, re.MULTILINE) for command in COMMANDS)
    assert result.stdout == shell("--help").stdout


def test_the_help_points_to_the_settings(shell: Shell) -> None:
    text = shell("--help").stdout

    assert all(word in text for word in ("RAG_QA_", "OPENAI_API_KEY", "OPENAI_BASE_URL", ".env.example"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_explained(command: str, shell: Shell) -> None:
    group: Any = get_command(cli.build_app(FakeEngine))
    found = group.commands[command]

    assert set(group.commands) == set(COMMANDS)
    assert found.help.strip()
    assert [parameter.name for parameter in found.params if not parameter.help] == []
    assert f"Examples:\n    rag-qa {command}" in shell(command, "--help").stdout


def examples() -> list[str]:
    group: Any = get_command(cli.build_app(FakeEngine))
    texts = [group.epilog, *(command.epilog for command in group.commands.values())]
    return re.findall(r"^ +rag-qa (.*)$", "\n".join(texts), re.MULTILINE)


@pytest.mark.parametrize("example", examples())
def test_every_example_of_the_help_works(example: str, shell: Shell) -> None:
    Path("seeds").mkdir()
    Path("more").mkdir()
    for name in ("my-library.ris", "more/*.bib", "export.csv.gz", "papers.csv"):
        Path(name).touch()
    Path("questions.jsonl").write_text('{"question": "tide"}')
    Path("my-questions.csv").write_text("question,papers\ntide,p1\n")

    result = shell(*shlex.split(example.partition(" > ")[0]), typed="/quit\n")

    assert (result.exit_code, result.stderr) == (0, "")


def test_there_are_examples() -> None:
    assert len(examples()) >= 2 * len(COMMANDS)


def test_version(shell: Shell) -> None:
    assert shell("--version").stdout == f"rag-qa {__version__}\n"


# ---------------------------------------------------------------------------------------------------------------------- ask


def test_ask_prints_the_answer_as_rendered(shell: Shell) -> None:
    result = shell("ask", "compare tide and moss", env={"COLUMNS": "40"})

    assert result.exit_code == 0
    assert result.stdout == render.plain(render.answer_lines(shell.engine.ask("compare tide and moss"), 40)) + "\n"
    assert result.stderr == ""


def test_ask_json_is_the_contract(shell: Shell) -> None:
    result = shell("ask", "compare tide and moss", "--json")

    (value,) = objects(result)
    assert value == render.answer_json(FakeEngine().ask("compare tide and moss"))
    abstracts = {source["n"]: source["abstract"] for source in value["sources"]}
    proofs = [proof for sentence in value["sentences"] for proof in sentence["evidence"]]
    assert len(proofs) == 4
    assert all(abstracts[proof["source"]][proof["start"] : proof["end"]] == proof["quote"] for proof in proofs)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_refusal_is_no_error(options: tuple[str, ...], shell: Shell) -> None:
    result = shell("ask", "How far is the moon?", *options)

    assert (result.exit_code, result.stderr) == (0, "")
    assert "None of the papers says this." in result.stdout


def test_history_is_passed_in_order_and_the_understood_question_shown(shell: Shell) -> None:
    result = shell("ask", "How fast is its tide model?", "--history", "first?", "--history", "second?")

    assert shell.engine.asked == [("How fast is its tide model?", ("first?", "second?"))]
    assert result.stdout.startswith("Understood as: How fast is TIDE-7's tide model?\n\n")


def test_options_become_settings(shell: Shell) -> None:
    shell("ask", "tide", "--answerer", "llm", "--k", "3", "--data-dir", "here")

    settings = shell.engine.settings
    assert (settings.answerer, settings.top_k, settings.data_dir) == ("llm", 3, Path("here"))


@pytest.mark.parametrize("args", [("--data-dir", "d", "papers"), ("papers", "--data-dir", "d"), ("--data-dir", "x", "papers", "--data-dir", "d")])
def test_the_data_folder_is_chosen_before_or_after_the_command(args: tuple[str, ...], shell: Shell) -> None:
    shell(*args, env={"RAG_QA_DATA_DIR": "other"})

    assert shell.engine.settings.data_dir == Path("d")


# ------------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("ask", "broken"), "error: http://127.0.0.1:9/v1 does not answer: is the server running?\n"),
        (("ask", "broken", "--json"), "error: http://127.0.0.1:9/v1 does not answer: is the server running?\n"),
        (("ask", "  "), "error: The question is empty: type what you want to know\n"),
        (("search", "", "--json"), "error: The question is empty: type what you want to know\n"),
        (("index", "nowhere"), "error: nowhere: found no such file or folder, expected a text file with abstracts\n"),
        (("index", "nowhere", "--json"), "error: nowhere: found no such file or folder, expected a text file with abstracts\n"),
    ],
)
def test_an_error_is_one_line_on_standard_error(args: tuple[str, ...], expected: str, shell: Shell) -> None:
    result = shell(*args)

    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


@pytest.mark.parametrize("command", ["ask tide", "ask tide --json", "search tide", "papers", "papers --json", "chat", "ask --batch -"])
def test_without_an_index_each_command_says_what_to_run(command: str) -> None:
    result = Shell(lambda settings: FakeEngine(settings, is_empty=True))(*command.split(), typed='{"question": "tide"}\n' * 2)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: There is no index yet: run rag-qa index PATH first\n"


def test_an_error_of_many_lines_is_printed_as_one_without_control_characters() -> None:
    class Stale(FakeEngine):
        def papers(self) -> Any:
            raise StaleIndexError("built with\n  another\x1b[2J model")

    assert Shell(Stale)("papers").stderr == "error: built with another�[2J model\n"


def test_a_bad_setting_is_named(shell: Shell) -> None:
    result = shell("papers", env={"RAG_QA_TOP_K": "0"})

    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(r"error: RAG_QA_TOP_K is '0': .*\n", result.stderr)


@pytest.mark.parametrize(
    "args",
    [
        ("ask",),
        ("ask", "tide", "--batch", "x"),
        ("ask", "--batch", "x", "--history", "y"),
        ("ask", "tide", "--k", "0"),
        ("ask", "tide", "--answerer", "magic"),
        ("ask", "tide", "moss"),
        ("search", "tide", "-k", "many"),
        ("search", "tide", "--year-from", "2025", "--year-to", "2024"),
        ("serve", "--port", "70000"),
        ("index",),
        ("index", "x", "--map", "title"),
        ("index", "x", "--map", "colour=Farbe"),
        ("index", "--rebuild", "--dry-run"),
        ("remove",),
        ("papers", "--year", "long ago"),
        ("papers", "--show", "p99"),
        ("fly",),
        ("--fly",),
    ],
)
def test_wrong_use_exits_with_2_and_says_how(args: tuple[str, ...], shell: Shell) -> None:
    result = shell(*args)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: ")
    assert "\nError: " in result.stderr


def test_an_interrupted_command_says_that_nothing_is_lost() -> None:
    class Interrupted(FakeEngine):
        def index(self, paths: Sequence[str | Path], **options: Any) -> IndexReport:
            raise KeyboardInterrupt

    result = Shell(Interrupted)("index", ".")

    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Interrupted: what was done is kept; run the same command again to go on.\n"


# -------------------------------------------------------------------------------------------------------------------- batch


def test_a_batch_answers_each_line_with_its_id_in_order(shell: Shell) -> None:
    lines = [
        '{"id": "a", "question": "tide"}',
        "",
        '{"id": 7, "question": "its tide?", "history": ["What is TIDE-7?"], "gold": [1]}',
        '{"question": "moon"}',
    ]
    Path("q.jsonl").write_text("\ufeff" + "\n".join(lines), encoding="utf-8")

    result = shell("ask", "--batch", "q.jsonl", "--json")

    assert (result.exit_code, result.stderr) == (0, "")
    first, second, third = objects(result)
    assert first == {"id": "a", **render.answer_json(FakeEngine().ask("tide"))}
    assert list(first)[:2] == ["id", "question"]
    assert (second["id"], second["understood_as"]) == (7, "TIDE-7's tide?")
    assert "id" not in third
    assert third["abstained"]
    assert shell.engine.asked == [("tide", ()), ("its tide?", ("What is TIDE-7?",)), ("moon", ())]


def test_a_batch_without_the_json_option_is_the_same(shell: Shell) -> None:
    lines = '{"id": 1, "question": "tide"}\n'

    assert shell("ask", "--batch", "-", typed=lines).stdout == shell("ask", "--batch", "-", "--json", typed=lines).stdout != ""


@pytest.mark.parametrize(
    ("line", "request_id", "reason"),
    [
        ('{"id": 1', None, "the line is not JSON: "),
        ("[1, 2]", None, "the line is [1, 2], not an object"),
        ('{"id": 1}', 1, 'there is no "question"'),
        ('{"id": 1, "question": null}', 1, '"question" is null, not a text'),
        ('{"id": 1, "question": ["tide"]}', 1, '"question" is ["tide"], not a text'),
        ('{"id": 1, "question": "tide", "history": "earlier"}', 1, '"history" is "earlier", not a list of texts'),
        ('{"id": 1, "question": "tide", "history": [1]}', 1, '"history" is [1], not a list of texts'),
        ('{"id": 1.5, "question": "tide"}', None, '"id" is 1.5, not a text or a whole number'),
        ('{"id": NaN, "question": "tide"}', None, '"id" is NaN, not a text or a whole number'),
        ('{"id": true, "question": "tide"}', None, '"id" is true, not a text or a whole number'),
        ('{"id": {"a": 1}, "question": "tide"}', None, '"id" is {"a": 1}, not a text or a whole number'),
        ('{"id": "x", "question": " "}', "x", "The question is empty"),
        ('{"id": "x", "question": "broken"}', "x", "http://127.0.0.1:9/v1 does not answer"),
        ("[" * 100_000, None, "the line is not JSON that can be read"),
        ('{"id": ' + "9" * 5000 + "}", None, "the line is not JSON that can be read"),
    ],
)
def test_a_bad_line_is_reported_in_its_place_and_the_others_are_answered(line: str, request_id: object, reason: str, shell: Shell) -> None:
    result = shell("ask", "--batch", "-", "--json", typed=f'{{"id": "first", "question": "tide"}}\n{line}\n{{"id": "last", "question": "moon"}}\n')

    first, bad, last = objects(result)
    assert (first["id"], last["id"]) == ("first", "last")
    assert set(bad) == {"line", "error"} | ({"id"} if request_id is not None else set())
    assert (bad.get("id"), bad["line"]) == (request_id, 2)
    assert bad["error"].startswith(reason)
    assert result.exit_code == 2
    assert result.stderr == "error: 1 of 3 questions of - got no answer (line 2)\n"


def test_a_line_that_is_not_utf_8_does_not_hide_the_next(shell: Shell) -> None:
    result = shell("ask", "--batch", "-", typed=b'{"question": "caf\xe9"}\n{"question": "tide"}\n')

    bad, good = objects(result)
    assert bad["error"].startswith("byte 18 of the line is not UTF-8")
    assert good["question"] == "tide"


def test_half_a_character_becomes_a_whole_one(shell: Shell) -> None:
    result = shell("ask", "--batch", "-", typed='{"id": "\\ud800", "question": "tide \\ud83c\\udf0a \\udc00"}\n')

    (value,) = objects(result)
    assert shell.engine.asked == [("tide 🌊 �", ())]
    assert value["id"] == "\ud800"  # given back as it came


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("gone.jsonl", "error: gone.jsonl: found a file that can't be opened (No such file or directory), expected a file of JSON lines\n"),
        (".", "error: .: found a file that can't be opened (Is a directory), expected a file of JSON lines\n"),
        ("empty.jsonl", 'error: empty.jsonl: found no line, expected lines such as {"id": "q1", "question": "What is DP-CATE?"}\n'),
    ],
)
def test_a_batch_that_cannot_be_read(file: str, expected: str, shell: Shell) -> None:
    Path("empty.jsonl").write_text("\n \n")

    result = shell("ask", "--batch", file)

    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


# --------------------------------------------------------------------------------------------------------------------- chat


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_longer_answer_is_asked_for(shell: Shell, options: tuple[str, ...]) -> None:
    shell("ask", "tide", *options)
    assert shell.engine.most_words == [None]
    shell("ask", "tide", "--longer", *options)
    assert shell.engine.most_words == [MOST_WORDS_LONGER]
    shell("ask", "--batch", "-", "--longer", typed='{"question": "tide"}')
    assert shell.engine.most_words == [MOST_WORDS_LONGER]


def test_a_conversation_understands_follow_ups(shell: Shell) -> None:
    result = shell("chat", typed="What is the tide model?\n\nAnd its tide speed?\n/quit\nnot asked\n")

    assert result.exit_code == 0
    assert shell.engine.asked == [("What is the tide model?", ()), ("And its tide speed?", ("What is the tide model?",))]
    assert "Understood as: And TIDE-7's tide speed?" in result.stdout
    assert result.stdout.startswith("3 papers. ")


def test_an_error_is_one_line_and_the_conversation_goes_on(shell: Shell) -> None:
    result = shell("chat", typed="broken\ntide\n")

    assert result.exit_code == 0
    assert result.stderr == "error: http://127.0.0.1:9/v1 does not answer: is the server running?\n"
    assert shell.engine.asked[1] == ("tide", ())  # a question without an answer is no history
    assert "TIDE-7 is 1.5× faster" in result.stdout


def test_new_forgets_the_conversation(shell: Shell) -> None:
    result = shell("chat", typed="tide\n/new\n/sources\ntide again\n")

    assert shell.engine.asked == [("tide", ()), ("tide again", ())]
    assert "There is no answer yet." in result.stdout


def test_sources_shows_the_abstracts_with_the_evidence_marked(shell: Shell) -> None:
    result = shell("chat", typed="tide\n/sources\nmoon\n/sources\n")

    assert "We propose TIDE-7, »a model of tides that is 1.5× faster than its rivals«. An extension uses ridges." in result.stdout
    assert "The last answer cites nothing." in result.stdout


def test_the_last_answer_is_given_longer_in_the_place_of_the_short_one(shell: Shell, tmp_path: Path) -> None:
    result = shell("chat", typed=f"/longer\nmoon\ntide\n/longer\n/export {tmp_path / 'talk.json'}\nmoss\n")

    assert result.stdout.count("There is no answer yet.") == 1
    assert shell.engine.asked == [("moon", ()), ("tide", ("moon",)), ("tide", ("moon",)), ("moss", ("moon", "tide"))]
    assert shell.engine.most_words == [None, None, MOST_WORDS_LONGER, None]
    assert len(answer_exports.read((tmp_path / "talk.json").read_text())) == 2


def test_help_lists_the_commands_and_an_unknown_one_is_named(shell: Shell) -> None:
    result = shell("chat", typed="/help\n/fly\ntide\n")

    assert all(command in result.stdout for command in ("/sources", "/longer", "/new", "/export", "/good", "/bad", "/help", "/quit"))
    assert result.stderr == "There is no command '/fly': /help lists the commands.\n"
    assert "TIDE-7 is 1.5× faster" in result.stdout


# ------------------------------------------------------------------------------------------------------------ index, search


def test_index_prints_a_report_and_the_failures_on_standard_error(shell: Shell) -> None:
    result = shell("index", ".", "gone.txt")

    assert result.exit_code == 0
    assert re.search(r"^all +5 +2 +0 +1 +1 +1$", result.stdout, re.MULTILINE)
    assert result.stdout.endswith("not a paper: 1\n  land.txt:1: a heading, not an abstract\n")
    assert result.stderr == "failed gone.txt: no such file or folder\n"


def test_a_preview_a_sync_and_a_removal_print_reports(shell: Shell) -> None:
    assert shell("index", ".", "--dry-run").stdout.startswith("Preview: nothing is written.\n")
    assert re.search(r"^all +5 ", shell("sync").stdout, re.MULTILINE)
    assert shell("remove", "land.txt").stdout == "1 removed.\nThe index holds 2 papers in 4 passages; 0 embedded in 0.0 s.\n"


def test_columns_and_standard_input_are_handed_on() -> None:
    seen: list[tuple[Any, Any]] = []

    class Watched(FakeEngine):
        def index(self, paths: Sequence[str | Path], **options: Any) -> IndexReport:
            seen.append((options["mapping"], options["stdin"].read()))
            return IndexReport()

    Shell(Watched)("index", "-", "--map", "title=Titel", "--map", "abstract = Darum", typed="TY  - JOUR")

    assert seen == [({"title": "Titel", "abstract": "Darum"}, b"TY  - JOUR")]


def test_papers_are_chosen_by_author_title_year_and_venue(shell: Shell) -> None:
    def labels(*args: str) -> list[str]:
        (found,) = objects(shell("papers", "--json", *args))
        return [paper["paper_id"] for paper in found["papers"]]

    assert labels("--author", "bryo") == ["p2"]
    assert labels("--title", "snow moss") == ["p2"]
    assert labels("--year", "2022-") == labels("--year", "2024") == labels("--venue", "iclr") == ["p1"]
    assert labels("--year", "2020-2021") == ["p2"]
    assert labels("--author", "nobody") == []


def test_one_paper_is_shown_by_any_of_its_ids(shell: Shell) -> None:
    assert shell("papers", "--show", "10.1000/MOSS").stdout.startswith("Moss under snow\nid         p2\n")
    (found,) = objects(shell("papers", "--show", "p1", "--json"))
    assert [record["origins"] for record in found["records"]] == [[{"path": "sea.txt", "line": 3}], [{"path": "water.txt", "line": 9}]]


def test_papers_are_exported_into_a_new_file(shell: Shell) -> None:
    assert shell("papers", "--export", "out.ris").stdout == "3 papers written to out.ris\n"
    assert Path("out.ris").read_text(encoding="utf-8").count("TY  - ") == 3
    again = shell("papers", "--export", "out.ris")
    assert (again.exit_code, again.stderr) == (2, "error: out.ris exists already: name a new file, or delete it first\n")
    assert shell("papers", "moss", "--export", "-", "--format", "csv").stdout.count("10.1000/moss") == 1
    assert "no format 'docx'" in shell("papers", "--export", "out.docx").stderr


def test_problems_are_listed(shell: Shell) -> None:
    assert shell("papers", "--problems").stdout == "not a paper: 1\n  land.txt:1: a heading, not an abstract\n"
    (found,) = objects(shell("papers", "--problems", "--json"))
    assert found["problems"] == [{"path": "land.txt", "line": 1, "kind": "not a paper", "reason": "a heading, not an abstract"}]


def test_index_json(shell: Shell) -> None:
    (report,) = objects(shell("index", ".", "gone.txt", "--json"))

    assert (report["added"], report["merged"], report["papers"], report["seconds"]) == (2, 1, 3, 0.25)
    assert report["skipped"] == [{"path": "land.txt", "line": 1, "reason": "a heading, not an abstract", "kind": "not a paper"}]
    assert report["failed"] == [{"path": "gone.txt", "line": None, "reason": "no such file or folder", "kind": "failed"}]


def test_index_fails_if_nothing_could_be_read() -> None:
    class Unread(FakeEngine):
        def index(self, paths: Sequence[str | Path], **options: Any) -> IndexReport:
            return IndexReport(failed=(Problem("a.pdf", 1, "binary"),))

    result = Shell(Unread)("index", "a.pdf")

    assert (result.exit_code, result.stderr) == (2, "failed a.pdf:1: binary\n")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--rebuild"], ([], True)),
        (["--rebuild", "a.txt", "b.txt"], ([Path("a.txt"), Path("b.txt")], True)),
        (["a.txt"], ([Path("a.txt")], False)),
    ],
)
def test_an_index_is_rebuilt_with_or_without_paths(args: list[str], expected: tuple[list[Path], bool]) -> None:
    seen: list[tuple[list[Path], bool]] = []

    class Watched(FakeEngine):
        def index(self, paths: Sequence[str | Path], **options: Any) -> IndexReport:
            seen.append(([Path(path) for path in paths], options["rebuild"]))
            return IndexReport(papers=3, embedded=3)

    result = Shell(Watched)("index", *args)

    assert (result.exit_code, result.stderr, seen) == (0, "", [expected])
    assert "The index holds 3 papers" in result.stdout


def test_search_prints_hits_and_passes_the_filters_on() -> None:
    seen: list[tuple[int | None, Filters | None, bool]] = []

    class Watched(FakeEngine):
        def search(self, question: str, *, k: int | None = None, filters: Filters | None = None, reads_filters: bool = True, **_: Any) -> Search:
            seen.append((k, filters, reads_filters))
            return super().search(question, k=k, filters=filters)

    shell = Shell(Watched)
    options = ("-k", "2", "--year-from", "2020", "--year-to", "2022", "--venue", "Bog Letters", "--collection", "C", "--author", "Smith")
    more = ("--type", "article", "--exclude-type", "review", "--language", "en", "--keyword", "bog", "--not-retracted", "--no-filters")
    result = shell("search", "moss", *options, *more)

    filters = Filters(2020, 2022, "Bog Letters", "C", "Smith", "article", ("review",), "en", "bog", True)
    assert seen == [(2, filters, False)]
    said = "from 2020 to 2022, in Bog Letters, in the collection C, by Smith, of type article, in the language en, marked with the keyword bog"
    assert (result.exit_code, result.stdout) == (0, f"Only papers: {said}, no review, not retracted\n\nNo paper passes.\n")
    assert shell("search", "moss", "--year-to", "2022").stdout.startswith("Only papers: up to 2022\n\n1. Moss under snow (Bog Letters 2021)\n")


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (("--language", "klingon"), "'klingon' is no language"),
        (("--venue", ""), "there is no word in ''"),
        (("--author", " , "), "there is no word in ' , '"),
        (("--year-from", "99999"), "less than or equal to 2999"),
        (("--type", "nonsense"), "'nonsense' is not one of"),
        (("--year-from", "2024", "--year-to", "2020"), "no year is both"),
    ],
)
def test_a_filter_that_can_be_none_is_refused(option: tuple[str, ...], complaint: str, shell: Shell) -> None:
    result = shell("search", "moss", *option)

    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in " ".join(result.stderr.replace("│", " ").split())


def test_filters_are_read_as_people_write_them(shell: Shell) -> None:
    (found,) = objects(shell("search", "moss", "--json", "--language", "German", "--type", "Review"))

    assert found["narrowing"]["filters"] == {"language": "de", "type": "review"}


def test_search_json(shell: Shell) -> None:
    (value,) = objects(shell("search", "moss", "--json", "-k", "99"))

    assert value == render.search_json("moss", FakeEngine().search("moss"))


@pytest.mark.parametrize(
    ("wanted", "ids"), [("", ["p1", "p2", "p3"]), ("WOLVES", ["p3"]), ("iclr", ["p1"]), ("bryo", ["p2"]), ("alpha = 0.3", ["p3"]), ("?!", [])]
)
def test_papers_lists_those_that_contain_a_text(wanted: str, ids: list[str], shell: Shell) -> None:
    (value,) = objects(shell("papers", wanted, "--json"))

    assert [paper["paper_id"] for paper in value["papers"]] == ids
    plain = shell("papers", wanted)
    assert (plain.exit_code, len(plain.stdout.splitlines())) == (0, len(ids) or 1)


# -------------------------------------------------------------------------------------------------------------------- serve


def test_serve_passes_address_and_port_on(shell: Shell) -> None:
    shell("serve")
    shell("serve", "--host", "0.0.0.0", "--port", "0", "--open")

    assert shell.served == [("127.0.0.1", 7860, False), ("0.0.0.0", 0, True)]


def test_ctrl_c_stops_the_page_in_peace() -> None:
    def interrupted(engine: EngineLike, open_browser: bool) -> None:
        raise KeyboardInterrupt

    result = CliRunner().invoke(cli.build_app(FakeEngine, interrupted), ["serve"])

    assert (result.exit_code, result.stderr) == (0, "Stopped.\n")


# ------------------------------------------------------------------------------------------------------- as a real process


class Program:
    """The command line in a process of its own; a stream that is not given is a pipe."""

    def __init__(self, project: Path, args: Sequence[str | bytes], engine: str, env: dict[str, str], streams: dict[str, int]) -> None:
        lines = (
            # a test run that a shell put into the background hands down an ignored Ctrl-C
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)",
            f"import sys; sys.path.insert(0, {str(project)!r})",
            "from rag_qa.interfaces.cli import main",
            "from tests.interfaces.test_cli import *",
            f"main({engine})",
        )
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | streams
        command: list[str | bytes] = [sys.executable, "-c", "\n".join(lines), *args]
        self.process: subprocess.Popen[bytes] = subprocess.Popen(command, env={**os.environ, **env}, **pipes)  # type: ignore[call-overload]
        self._deadline = threading.Timer(60, self.process.kill)  # a program that hangs ends the test's reading, which then fails
        self._deadline.start()
        self.stdin, self.stdout, self.stderr = (cast(IO[bytes], stream) for stream in (self.process.stdin, self.process.stdout, self.process.stderr))

    def finish(self) -> tuple[bytes, bytes]:
        """Everything that it prints, when it has ended."""
        return self.process.communicate(timeout=30)

    def exit_code(self) -> int:
        """How it ended."""
        return self.process.wait(30)

    def end(self) -> None:
        """Leave nothing running and nothing open."""
        self._deadline.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                if stream:
                    stream.close()


class Start(Protocol):
    """Starts the command line over FakeEngine, or over another engine of this file."""

    def __call__(self, *args: str | bytes, engine: str = "FakeEngine", env: dict[str, str] | None = None, **streams: int) -> Program: ...


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """Starts programs; all are gone after the test."""
    running: list[Program] = []

    def started(*args: str | bytes, engine: str = "FakeEngine", env: dict[str, str] | None = None, **streams: int) -> Program:
        running.append(Program(project, args, engine, env or {}, streams))
        return running[-1]

    yield started
    for program in running:
        program.end()


class SlowEngine(FakeEngine):
    """Begins to answer and never ends."""

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]:
        yield Step("searching")
        sys.stderr.write("busy\n")
        sys.stderr.flush()
        signal.pause()


class BuggyEngine(FakeEngine):
    """Has a bug."""

    def papers(self) -> Any:
        return 1 / 0


class ManyPapers(FakeEngine):
    """Has more papers than fit into a pipe."""

    def papers(self) -> Any:
        return super().papers() * 20_000


class Fickle(FakeEngine):
    """Streams sentences that are not those of its answer."""

    def stream(
        self,
        question: str,
        *,
        history: Sequence[str] = (),
        filters: Filters | None = None,
        reads_filters: bool = True,
        most_words: int | None = None,
    ) -> Iterator[AnswerEvent]:
        *first, last = super().stream(question, history=history)
        assert isinstance(last, Answer)
        yield from first[:-1]
        yield last


def test_nothing_heavy_is_imported_at_start(project: Path) -> None:
    heavy = {"gradio", "chromadb", "onnxruntime", "openai", "tiktoken", "tokenizers", "rich"}
    code = f"import sys, rag_qa.interfaces.cli; print(*{heavy} & set(sys.modules))"

    assert subprocess.run([sys.executable, "-c", code], cwd=project, check=True, capture_output=True).stdout == b"\n"


def test_python_m_rag_qa(project: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "rag_qa", "--version"], cwd=project, check=True, capture_output=True, text=True)

    assert done.stdout == f"rag-qa {__version__}\n"


def test_a_real_ctrl_c(start: Start) -> None:
    program = start("ask", "tide", engine="SlowEngine")
    assert program.stderr.readline() == b"busy\n"
    program.process.send_signal(signal.SIGINT)

    output, errors = program.finish()

    assert (program.exit_code(), output) == (130, b"")
    assert errors == b"Interrupted: what was done is kept; run the same command again to go on.\n"


def test_a_bug_prints_a_plain_traceback(start: Start) -> None:
    program = start("papers", engine="BuggyEngine")

    output, errors = program.finish()

    assert (program.exit_code(), output) == (1, b"")
    assert errors.startswith(b"Traceback (most recent call last)")
    assert errors.endswith(b"ZeroDivisionError: division by zero\n")


def test_a_reader_that_has_enough_is_no_error(start: Start) -> None:
    program = start("papers", engine="ManyPapers")
    assert program.stdout.readline().startswith(b"TIDE-7")
    program.stdout.close()

    assert program.stderr.read() == b""
    assert program.exit_code() == 141


def test_a_batch_answers_each_line_before_it_reads_the_next(start: Start) -> None:
    program = start("ask", "--batch", "-", "--json")
    for number in range(3):
        program.stdin.write(b'{"id": %d, "question": "tide"}\n' % number)
        program.stdin.flush()
        assert json.loads(program.stdout.readline())["id"] == number
    program.stdin.close()

    assert program.exit_code() == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_the_same_whatever_the_output_can_hold(encoding: str, start: Start) -> None:
    program = start("ask", "tide", "--json", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})

    output, errors = program.finish()

    assert (json.loads(output), errors) == (render.answer_json(FakeEngine().ask("tide")), b"")


def test_text_for_an_output_that_cannot_hold_it_is_no_crash(start: Start) -> None:
    output, errors = start("ask", "tide", env={"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}).finish()

    assert ("?a model of tides that is 1.5× faster than its rivals?".encode("latin-1") in output, errors) == (True, b"")


def test_a_question_that_is_not_utf_8_is_answered(start: Start) -> None:
    output, errors = start("ask", b"tide caf\xe9", "--json").finish()

    assert (json.loads(output)["question"], errors) == ("tide caf�", b"")


# ---------------------------------------------------------------------------------------------------------- on a terminal


def read_all(terminal: int) -> bytes:
    """What a program wrote to its terminal until it closed it."""
    pieces = []
    with contextlib.suppress(OSError):  # how Linux says that the other side is closed
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    return b"".join(pieces)


def without_colours(output: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()).replace("\r", "")


@pytest.mark.parametrize("question", ["compare tide and moss", "invent tide", "Where does the wolf live?", "How far is the moon?"])
def test_what_streams_to_a_terminal_ends_as_the_same_answer(question: str, start: Start) -> None:
    ours, theirs = os.openpty()
    program = start("ask", question, stdout=theirs, env={"TERM": "xterm", "COLUMNS": "60"})
    os.close(theirs)
    output = read_all(ours)

    assert program.exit_code() == 0
    assert without_colours(output) == render.plain(render.answer_lines(FakeEngine().ask(question), 60)) + "\n"
    assert b"\x1b[" in output


def test_no_color_is_respected(start: Start) -> None:
    ours, theirs = os.openpty()
    start("ask", "invent tide", stdout=theirs, env={"TERM": "xterm", "NO_COLOR": "1"})
    os.close(theirs)

    assert not re.search(rb"\x1b\[[0-9;]*[34][0-7][;m]", read_all(ours))


def test_a_follow_up_on_a_terminal_says_how_it_was_understood_first(start: Start) -> None:
    ours, theirs = os.openpty()
    start("ask", "How fast is its tide model?", "--history", "What is TIDE-7?", stdout=theirs, env={"COLUMNS": "60"})
    os.close(theirs)

    assert without_colours(read_all(ours)).startswith("Understood as: How fast is TIDE-7's tide model?\n\nTIDE-7 is")


def test_an_answer_that_changed_while_it_streamed_is_printed_again(start: Start) -> None:
    ours, theirs = os.openpty()
    start("ask", "compare tide and moss", engine="Fickle", stdout=theirs)
    os.close(theirs)

    shown = without_colours(read_all(ours))
    final = render.plain(render.answer_lines(FakeEngine().ask("compare tide and moss")))
    assert shown.endswith(f"\n\nThe answer has changed. It is now:\n{final}\n")


def test_progress_is_shown_only_on_a_terminal(start: Start) -> None:
    ours, theirs = os.openpty()
    program = start("index", ".", stderr=theirs, env={"TERM": "xterm"})
    os.close(theirs)

    assert "embedding" in without_colours(read_all(ours))
    assert program.stdout.read().startswith(b"file ")


def until_it_asks(terminal: int) -> None:
    seen = b""
    while b"> " not in seen:
        seen += os.read(terminal, 1024)


def test_ctrl_d_leaves_a_conversation_cleanly(start: Start) -> None:
    ours, theirs = os.openpty()
    program = start("chat", stdin=theirs, stdout=theirs)
    os.close(theirs)
    until_it_asks(ours)
    os.write(ours, b"\x04")

    read_all(ours)
    assert (program.exit_code(), program.stderr.read()) == (0, b"")


def test_ctrl_c_leaves_a_conversation_cleanly(start: Start) -> None:
    ours, theirs = os.openpty()
    program = start("chat", stdin=theirs, stdout=theirs)
    os.close(theirs)
    until_it_asks(ours)
    while program.process.poll() is None:
        program.process.send_signal(signal.SIGINT)  # again if it came between the prompt and the wait for a key, where Python only notes it
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.process.wait(2)

    assert (program.exit_code(), program.stderr.read()) == (0, b"")
