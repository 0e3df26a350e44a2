"""Answers as files: what is exported reads back, shows exactly what was said, and carries nothing out."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from rag_qa.answering.answer import Answer, Source
from rag_qa.errors import RagQAError
from rag_qa.interfaces import answer_exports, cli, new_files
from rag_qa.interfaces.answer_exports import WRITERS, cited, export, file_name, read
from rag_qa.papers import Notice, Origin, Paper, Version
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.sources import files
from tests.fakes import MOSS, TIDE, FakeEngine, evidence, supported

ENGINE = FakeEngine()
ONE = ENGINE.ask("tide")
TWO = ENGINE.ask("compare them")
FLAGGED = ENGINE.ask("invent something")
REFUSED = ENGINE.ask("nothing of this")
WILD = replace(
    ENGINE.ask("wolf?"),
    question='<script>alert("1")</script> & [x](http://evil.example) ![i](http://evil.example/p.png)',
    narrowing=Narrowing(Filters(year_from=2023, exclude_types=("review",)), ("since 2023",)),
    preface="One paper.",
)
EVERY = (ONE, TWO, FLAGGED, REFUSED, WILD)
WHOLE = Paper(
    "p9",
    "Mosses grow. They grew by 12%.",
    title="Moss & tides",
    authors=("Bryo, Ada",),
    year=2021,
    venue="Bogs",
    doi="10.1000/m",
    arxiv="2101.00001",
    notices=(Notice.RETRACTED,),
    versions=(Version(2020, arxiv="2101.00001"), Version(2021, "Bogs", doi="10.1000/m")),
    origins=(Origin("a.bib", 3),),
    extra={"issn": "1234"},
)
OF_WHOLE = Answer("How much?", "How much?", (supported("They grew by 12%.", evidence(1, WHOLE, "They grew by 12%.")),), (Source(WHOLE, 0.5, 1),))


# --------------------------------------------------------------------------------------------------------------------- JSON


@pytest.mark.parametrize("answer", [*EVERY, OF_WHOLE], ids=lambda answer: answer.question[:12])
def test_json_gives_the_same_answer_back(answer: Answer) -> None:
    assert read(export([answer], "json")) == [answer]


def test_json_holds_a_whole_conversation() -> None:
    assert read(export(EVERY, "json")) == list(EVERY)


@given(st.text(), st.text(), st.floats(0, 1), st.one_of(st.none(), st.text()))
def test_any_text_crosses_json(question: str, notice: str, confidence: float, abstained: str | None) -> None:
    answer = Answer(question, question, abstained=abstained, notice=notice, confidence=confidence)

    assert read(export([answer], "json")) == [answer]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda whole: whole.update(version=9), "version 9"),
        (lambda whole: whole.update(format="else"), "no exported answers"),
        (lambda whole: whole["answers"][0].update(loudness=3), "answers[0] holds 'loudness'"),
        (lambda whole: whole["answers"][0].pop("question"), "answers[0] lacks 'question'"),
        (lambda whole: whole["answers"][0].update(confidence="high"), "answers[0].confidence is 'high', and a float was expected"),
        (lambda whole: whole["answers"][0]["sentences"][0]["verdict"].update(status="fine"), "status is 'fine'"),
        (lambda whole: whole["answers"][0]["sentences"][0]["verdict"]["evidence"][0].update(start=3), "was changed"),
    ],
)
def test_a_file_that_was_changed_is_named(change: object, said: str) -> None:
    whole = json.loads(export([ONE], "json"))
    change(whole)  # type: ignore[operator]

    with pytest.raises(RagQAError, match=re.escape(said)):
        read(json.dumps(whole), "talk.json")


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(RagQAError, match=r"x\.json is no JSON"):
        read("## A heading", "x.json")


# ---------------------------------------------------------------------------------------------------------- BibTeX and RIS


@pytest.mark.parametrize("name", ["bib", "ris"])
def test_what_is_cited_reads_back_as_the_same_papers(name: str) -> None:
    found = [one for one in files.read_stream(io.BytesIO(export([TWO, OF_WHOLE, ONE], name).encode())) if isinstance(one, Paper)]

    def told(paper: Paper) -> tuple[object, ...]:
        return paper.title, paper.abstract, paper.year, paper.venue, paper.doi, paper.arxiv, paper.notices

    assert [told(paper) for paper in found] == [told(paper) for paper in (TIDE, MOSS, WHOLE)]
    assert found[2].authors == WHOLE.authors


@pytest.mark.parametrize("name", ["bib", "ris"])
def test_a_refusal_cites_nothing_and_related_papers_are_not_cited(name: str) -> None:
    assert cited([REFUSED]) == []
    with pytest.raises(RagQAError, match=f"no paper to write as {name}"):
        export([REFUSED], name)


@given(st.lists(st.text(), min_size=1, max_size=3), st.sampled_from(list(WRITERS)))
def test_a_file_name_is_one_that_every_system_takes(questions: list[str], name: str) -> None:
    made = file_name([Answer(question, question) for question in questions], name)

    stem, dot, suffix = made.rpartition(".")
    assert (dot, suffix) == (".", name)
    assert re.fullmatch(r"[^\W_]+(-[^\W_]+)*", stem), made
    assert len(made.encode()) <= 255


# ------------------------------------------------------------------------------------------------------- to be read by people


class Seen(HTMLParser):
    """What a page shows and loads: its text, the highlighted parts, tags and addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.marked: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id" and value]

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["style"]:
            return
        self.text += data
        if self.lasttag == "mark" and self.rawdata:
            self.marked.append(data)


def links(seen: Seen) -> Iterator[str]:
    yield from (value for name, value in seen.attributes if name in ("href", "src") and value)


def test_a_page_highlights_the_evidence_in_the_abstract_and_markers_lead_to_it() -> None:
    page = export([TWO], "html")
    seen = Seen(page)

    assert "<mark>moss grew by 12% a year</mark>; it did not grow" in page
    assert list(links(seen)) == ["#a1-s1", "#a1-s2", "#a1-s1", "#a1-s2"]
    assert {link.removeprefix("#") for link in links(seen)} <= set(seen.ids)
    assert "Moss: Moss grew by 12% a year. [2]" in seen.text


def test_a_page_is_one_file_that_runs_and_loads_nothing() -> None:
    seen = Seen(export(EVERY, "html"))

    assert set(seen.tags) <= set("html head meta title style body main article h2 h3 p a bdi div mark strong span".split())
    assert all(link.startswith("#") for link in links(seen))
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert any("default-src 'none'" in str(value) for _, value in seen.attributes)


def test_a_page_shows_foreign_text_letter_by_letter() -> None:
    seen = Seen(export([WILD], "html"))

    assert WILD.question in seen.text
    assert WILD.sources[0].paper.abstract in seen.text
    assert "Only papers: from 2023 on" in seen.text
    assert "One paper." in seen.text


def test_a_page_says_what_does_not_hold_and_what_is_refused() -> None:
    assert "⚠ not supported by what it cites: 9× does not stand in [1]" in Seen(export([FLAGGED], "html")).text
    refused = Seen(export([REFUSED], "html")).text
    assert "No answer. None of the papers says this." in refused
    assert "Related, but does not answer this" in refused


def test_markdown_keeps_markers_evidence_and_whole_references() -> None:
    written = export([OF_WHOLE, ONE], "md")

    assert "## How much?\n\nThey grew by 12%. [1]" in written
    assert "- [1] Ada Bryo. Moss & tides. Bogs 2021. doi:10.1000/m, arXiv:2101.00001. \\[RETRACTED\\]. \\(a.bib:3\\)".replace("&", "&#38;") in written
    assert "> They grew by 12%." in written
    assert written.count("## ") == 2


def test_the_same_answers_give_the_same_file() -> None:
    assert all(export([ONE, TWO], name) == export([ONE, TWO], name) for name in answer_exports.WRITERS)


# -------------------------------------------------------------------------------------------------------------------- errors


def test_an_unknown_format_and_no_answer_are_said_in_a_line() -> None:
    with pytest.raises(RagQAError, match=r"'docx'.*md, html, json, bib, ris"):
        export([ONE], "docx")
    with pytest.raises(RagQAError, match="no answer yet"):
        export([], "md")


def test_a_new_file_is_new(tmp_path: Path) -> None:
    new_files.write_new(tmp_path / "a.md", "x\r\ny")

    assert (tmp_path / "a.md").read_bytes() == b"x\r\ny"
    with pytest.raises(RagQAError, match="exists already"):
        new_files.write_new(tmp_path / "a.md", "z")
    with pytest.raises(RagQAError, match="there is no folder"):
        new_files.write_new(tmp_path / "none" / "a.md", "z")
    assert (tmp_path / "a.md").read_bytes() == b"x\r\ny"


def test_every_field_of_an_answer_crosses() -> None:
    written = json.loads(export([ONE], "json"))["answers"][0]

    assert set(written) == {field.name for field in fields(Answer)}


# -------------------------------------------------------------------------------------------------------- the command line


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli.build_app(FakeEngine), list(arguments), input=typed)


def test_ask_shows_the_answer_and_writes_it() -> None:
    result = run("ask", "tide", "--export", "answer.JSON")

    assert result.exit_code == 0
    assert "TIDE-7 is 1.5× faster" in result.stdout
    assert result.stdout.endswith("\nWritten to answer.JSON\n")
    assert read(Path("answer.JSON").read_text(encoding="utf-8")) == [ONE]


def test_ask_with_json_prints_nothing_else() -> None:
    result = run("ask", "tide", "--json", "--export", "answer.html")

    assert json.loads(result.stdout)["question"] == "tide"
    assert Path("answer.html").read_text(encoding="utf-8") == export([ONE], "html")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tide", "--export", "answer.docx"], "There is no format 'docx'"),
        (["tide", "--export", "here.md"], "here.md exists already"),
        (["nothing of this", "--export", "answer.bib"], "Nothing is cited"),
        (["--batch", "x.jsonl", "--export", "answer.md"], "goes with one QUESTION"),
    ],
)
def test_what_can_not_be_written_is_one_line_and_leaves_no_file(arguments: list[str], said: str) -> None:
    Path("here.md").touch()
    result = run("ask", *arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert [path.name for path in Path().iterdir()] == ["here.md"]


def test_a_whole_chat_is_written_and_can_be_read_back() -> None:
    result = run("chat", typed="tide\ncompare its rivals\n/export talk.json\n/export talk.json\n/export\n/new\n/export later.md\n")

    assert "Written to talk.json" in result.stdout
    assert [answer.question for answer in read(Path("talk.json").read_text(encoding="utf-8"))] == ["tide", "compare its rivals"]
    assert [line.split(":")[1][:20] for line in result.stderr.splitlines()] == [
        " talk.json exists al",
        " Name a new file, su",
        " There is no answer ",
    ]
    assert not Path("later.md").exists()
