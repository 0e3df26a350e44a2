"""Summaries of papers and of a topic, and papers side by side: every sentence verbatim, with its span and its number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa.answering.answer import Evidence, Source, Status
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.summaries import Library, Summariser, Summary, topic_of
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

TIDE = Paper(
    "tide",
    "Floods are a threat. However, models of tides fail near estuaries. We propose TIDE-7, a model of tides that couples rivers and the sea. "
    "Experiments on two data sets show that TIDE-7 is 1.5× faster than its rivals. A limitation of our study is that it was run once.",
)
SALT = Paper(
    "salt", "OBJECTIVE: To study salt.\nMETHODS: We followed 40 adults.\nRESULTS: Salt intake increased blood pressure in adults.", title="Salt"
)
SUGAR = Paper("sugar", "METHODS: We followed 90 adults.\nRESULTS: Salt intake reduced blood pressure in adults.", title="Salt again", year=2020)
PAPERS = (TIDE, SALT, SUGAR)


def sentence_vectors(ids: Sequence[str]) -> dict[str, Vectors]:
    return {paper_id: np.array([[1.0, 0.0] if paper_id == "tide" else [0.0, 1.0]], np.float32) for paper_id in ids}


SUMMARISER = Summariser(Library(sentence_vectors, lambda words: np.zeros((len(words), 1), np.float32), lambda: Corpus(3, lambda _: 1)))


def hit(paper: Paper, rank: int, score: float) -> Hit:
    return Hit(paper, (), score, rank)


def holds_together(summary: Summary) -> None:
    """Numbers run from 1 in reading order, each source is cited, and every sentence stands in the abstract that it cites."""
    cited = [n for sentence in summary.sentences for n in sentence.citations]
    assert list(dict.fromkeys(cited)) == [source.n for source in summary.sources] == list(range(1, len(summary.sources) + 1))
    for sentence in summary.sentences:
        (evidence,) = sentence.verdict.evidence
        abstract = summary.sources[evidence.source - 1].paper.abstract
        assert sentence.verdict.status is Status.SUPPORTED
        assert abstract[evidence.start : evidence.end] == evidence.quote == sentence.text


def test_one_paper_by_problem_method_result_and_limits() -> None:
    summary = SUMMARISER.papers([TIDE])

    holds_together(summary)
    assert [(section.heading, section.sentences[0].text[:24]) for section in summary.sections] == [
        ("Problem", "However, models of tides"),
        ("Method", "We propose TIDE-7, a mod"),
        ("Result", "Experiments on two data "),
        ("Limits", "A limitation of our stud"),
    ]


def test_what_an_abstract_does_not_say_is_said_to_be_missing() -> None:
    summary = SUMMARISER.papers([SALT])
    limits = summary.sections[-1]

    assert limits.sentences == ()
    assert limits.note == "no sentence of the abstract was found that gives its limits."
    assert "Limits: no sentence" in summary.answer.notice


def test_several_papers_with_what_contradicts() -> None:
    summary = SUMMARISER.papers([SALT, SUGAR])
    by_heading = {section.heading: section for section in summary.sections}

    holds_together(summary)
    assert list(by_heading) == ["Salt", "Salt again", "Agreement", "Contradictions"]
    assert "problem or limits" in by_heading["Salt again"].note
    assert [sentence.marked for sentence in by_heading["Contradictions"].sentences] == [
        "Salt: Salt intake increased blood pressure in adults. [1]",
        "Salt again: Salt intake reduced blood pressure in adults. [2]",
    ]
    assert "“increased blood pressure in adults” against “reduced blood pressure in adults”" in by_heading["Contradictions"].note
    assert by_heading["Agreement"].sentences == ()


def test_a_topic_by_theme_and_what_is_near_but_not_of_it() -> None:
    summary = SUMMARISER.topic("salt", [hit(SALT, 1, 0.8), hit(SUGAR, 2, 0.7)], [hit(TIDE, 3, 0.1)])

    holds_together(summary)
    assert [source.paper.id for source in summary.sources] == ["salt", "sugar"]
    assert summary.related == (Source(TIDE, 0.1),)
    assert summary.sections[0].heading == "The papers"
    assert summary.sections[0].sentences[0].lead == "Salt:"
    assert [section.heading for section in summary.sections[1:]] == ["Agreement", "Contradictions"]


def test_a_large_topic_is_told_by_those_that_are_most_surely_of_it() -> None:
    summary = SUMMARISER.topic("salt", [hit(SALT, 1, 0.8), hit(SUGAR, 2, 0.7)], most=1)

    assert [source.paper.id for source in summary.sources] == ["salt"]
    assert summary.note == "1 of 2 papers of the topic, those that are most surely of it."
    assert summary.answer.preface == summary.note


def test_a_topic_of_which_nothing_is_there_is_refused_without_a_citation() -> None:
    summary = SUMMARISER.topic("moss", [], [hit(TIDE, 1, 0.2)])

    assert summary.abstained == "No paper of this library deals with “moss”."
    assert (summary.sections, summary.sources, summary.answer.sentences) == ((), (), ())
    assert summary.related == (Source(TIDE, 0.2),)


def test_papers_side_by_side() -> None:
    wanted = [SUMMARISER.aspect(name) for name in ("sample size", "speed-up")]
    table = SUMMARISER.compare([SALT, TIDE, SUGAR], [one for one in wanted if one])

    assert table.aspects == ("sample size", "speed-up")
    assert [[cell.quote if cell else None for cell in row] for row in table.cells] == [
        ["We followed 40 adults.", None],
        [None, "Experiments on two data sets show that TIDE-7 is 1.5× faster than its rivals."],
        ["We followed 90 adults.", None],
    ]
    assert [(pair.one.source, pair.other.source) for pair in table.contradictions] == [(1, 3)]


def test_a_table_without_aspects_has_the_usual_ones() -> None:
    table = SUMMARISER.compare([SALT, SUGAR])

    assert table.aspects == ("problem", "method", "result", "limits")
    assert table.cells[1][:1] == (None,)
    assert isinstance(table.cells[0][0], Evidence)
    assert table == SUMMARISER.compare([SALT, SUGAR])


def test_the_answer_of_a_summary_has_its_headings_as_leads() -> None:
    answer = SUMMARISER.papers([TIDE]).answer

    assert answer.question == "Summarise “TIDE-7”"
    assert [sentence.lead for sentence in answer.sentences] == ["Problem:", "Method:", "Result:", "Limits:"]


def test_the_answer_of_a_topic_says_nothing_of_what_is_not_there() -> None:
    answer = SUMMARISER.topic("tides", [hit(TIDE, 1, 0.8)]).answer

    assert [sentence.lead for sentence in answer.sentences] == ["TIDE-7:"]
    assert answer.notice == ""


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("What do the papers say about tides?", "tides"),
        ("please summarize these abstracts on moss", "moss"),
        ("graph neural networks", "graph neural networks"),
        ("studies of sleep", "sleep"),
        ("the papers", "the papers"),
        ("Give me an overview of what is here on making boats cheaper.", "making boats cheaper"),
        ("overview of the papers that ask how boats float, keep it short pls", "boats float"),
        ("in vitro models", "in vitro models"),
    ],
)
def test_the_topic_of_a_request(asked: str, topic: str) -> None:
    assert topic_of(asked) == topic
