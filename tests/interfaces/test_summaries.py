"""Summaries and tables on the command line and as files: markers, sources, empty cells, and nothing of an abstract carried out."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner, Result

from rag_qa.answering.answer import Evidence, Source
from rag_qa.answering.summaries import Comparison, Contrast
from rag_qa.interfaces import cli, render, summary_views
from rag_qa.papers import Paper
from tests.fakes import MOSS, TIDE, WOLF, FakeEngine


def run(*arguments: str, is_empty: bool = False) -> Result:
    return CliRunner().invoke(cli.build_app(lambda settings: FakeEngine(settings, is_empty=is_empty)), list(arguments))


# ------------------------------------------------------------------------------------------------------------------ summarise


def test_a_paper_by_its_label_or_doi() -> None:
    result = run("summarise", "TIDE-7")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Problem",
        "Coastal floods are hard to foresee. [1]",
        "",
        "Method",
        "We propose TIDE-7, a model of tides that is 1.5× faster than its rivals. [1]",
        "",
        "Result",
        "An extension uses ridges. [1]",
        "",
        "Limits",
        "(No sentence of the abstract was found that gives its limits.)",
        "",
        "Sources",
        "[1] TIDE-7. ICLR 2024.",
        "    sea.txt:3",
        "    water.txt:9",
    ]
    assert run("summarise", "--paper", "10.1000/MOSS").stdout == run("summarise", "moss under snow").stdout


def test_several_papers_and_a_topic_are_told_apart() -> None:
    several = run("summarise", "TIDE-7", "Moss under snow").stdout
    topic = run("summarise", "what these papers say about carbon").stdout

    assert several.index("TIDE-7\n") < several.index("Moss under snow\n") < several.index("Agreement") < several.index("Contradictions")
    assert topic.startswith("The papers\n")
    assert "[1] A. Bryo, C. Sphag. Moss under snow. Bog Letters 2021. doi:10.1000/moss." in topic


def test_a_topic_of_which_nothing_is_there() -> None:
    result = run("summarise", "volcanoes")

    assert result.exit_code == 0
    assert result.stdout == "No summary. No paper of this library deals with “volcanoes”.\n"


def test_a_summary_in_every_format() -> None:
    table = list(csv.reader(io.StringIO(run("summarise", "TIDE-7", "--format", "csv").stdout)))
    whole = json.loads(run("summarise", "TIDE-7", "--format", "json").stdout)
    document = run("summarise", "TIDE-7", "--format", "md").stdout

    assert table[0] == ["Section", "Paper", "Year", "DOI", "Sentence", "Start", "End"]
    assert all(TIDE.abstract[int(row[5]) : int(row[6])] == row[4] for row in table[1:])
    assert [section["heading"] for section in whole["sections"]] == ["Problem", "Method", "Result", "Limits"]
    assert whole["sources"][0]["n"] == 1
    assert document.startswith("# Summary of “TIDE-7”\n\n## Problem\n\n")
    assert "- [1] TIDE-7. ICLR 2024." in document


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["summarise"], "give a topic or papers"),
        (["summarise", "tides", "--paper", "TIDE-7"], "give a topic or papers"),
        (["summarise", "--paper", "NOPE"], "No paper is called 'NOPE'"),
        (["summarise", "tides", "--format", "docx"], "docx"),
        (["compare", "TIDE-7", "NOPE"], "No paper is called 'NOPE'"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], said: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_without_an_index_there_is_nothing_to_sum_up() -> None:
    assert "There is no index yet" in run("summarise", "tides", is_empty=True).stderr


@pytest.mark.parametrize(("name", "begins"), [("text", "Problem: "), ("md", "## Summarise “TIDE-7”"), ("json", '{"question": "Summarise')])
def test_a_model_writes_it_where_it_is_asked_to(name: str, begins: str) -> None:
    result = run("summarise", "TIDE-7", "--answerer", "llm", "--format", name)

    assert result.stdout.startswith(begins)
    assert "tiny-chat" in result.stdout or name == "md"


def test_what_a_model_writes_is_no_table() -> None:
    assert "csv is for the sentences" in " ".join(run("summarise", "TIDE-7", "--answerer", "llm", "--format", "csv").stderr.split())


# -------------------------------------------------------------------------------------------------------------------- compare


def test_papers_side_by_side_with_empty_cells() -> None:
    table = list(csv.reader(io.StringIO(run("compare", "TIDE-7", "p2", "--aspect", "speed-up", "--aspect", "bogs", "--format", "csv").stdout)))

    assert table == [
        ["Paper", "Year", "DOI", "speed-up", "bogs"],
        ["TIDE-7", "2024", "", "We propose TIDE-7, a model of tides that is 1.5× faster than its rivals.", ""],
        ["Moss under snow", "2021", "10.1000/moss", "", "In our study of 40 bogs, moss grew by 12% a year; it did not grow under snow."],
    ]


def test_a_table_for_a_terminal() -> None:
    assert run("compare", "TIDE-7", "p2", "--aspect", "bogs").stdout.splitlines()[:3] == [
        "Bogs",
        "TIDE-7: —",
        "Moss under snow: In our study of 40 bogs, moss grew by 12% a year; it did not grow under snow. [2]",
    ]


ONE = Paper("a", "Salt | raises <b>pressure</b>.", title="A|B")
OTHER = Paper("b", "Salt lowers pressure.")
TABLE = Comparison(
    ("result",),
    (Source(ONE, 0.0, 1), Source(OTHER, 0.0, 2)),
    ((Evidence(1, 0, len(ONE.abstract), ONE.abstract),), (None,)),
    contradictions=(Contrast(Evidence(1, 0, len(ONE.abstract), ONE.abstract), Evidence(2, 0, 21, OTHER.abstract), "“raises” against “lowers”"),),
)


def test_a_markdown_table_keeps_its_cells_and_shows_foreign_text_as_it_is() -> None:
    document = summary_views.comparison_markdown(TABLE)
    rows = [line for line in document.splitlines() if line.startswith("|")]

    assert [row.count("|") for row in rows] == [3, 3, 3, 3]
    assert "<b>" not in document
    assert rows[3].endswith("| — |")
    assert "## Contradictions" in document
    assert "*“raises” against “lowers”*" in document


def test_contradictions_are_shown_as_such_everywhere() -> None:
    lines = render.plain(summary_views.comparison_lines(TABLE))
    whole = summary_views.comparison_json(TABLE)

    assert (
        "Contradictions\nA|B: Salt | raises <b>pressure</b>. [1]\nSalt lowers pressure: Salt lowers pressure. [2]\n(“raises” against “lowers”)"
        in lines
    )
    assert whole["rows"] == [{"source": 1, "cells": [{"source": 1, "start": 0, "end": 30, "quote": ONE.abstract}]}, {"source": 2, "cells": [None]}]
    assert whole["contradictions"][0]["why"] == "“raises” against “lowers”"  # type: ignore[index]


def test_what_an_abstract_holds_does_not_steer_a_terminal() -> None:
    evil = replace(WOLF, title="red \x1b[31m")
    table = Comparison(("result",), (Source(evil, 0.0, 1), Source(MOSS, 0.0, 2)), ((None,), (None,)))

    assert "\x1b" not in render.plain(summary_views.comparison_lines(table)) + summary_views.comparison_csv(table)
