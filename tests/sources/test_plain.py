"""Plain text: paragraphs, headings, lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.papers import Origin
from rag_qa.sources import plain
from rag_qa.sources.plain import Collection, collection_of
from rag_qa.sources.reader import Problem

TIDE = "We study the tides of the northern sea in winter."
MOSS = "Mosses store carbon, and so do bogs that grow slowly."
PATH = Path("a.txt")


def abstracts(content: str) -> list[tuple[int, str]]:
    return [(paper.origins[0].line, paper.abstract) for paper in plain.read(PATH, content).papers]


def test_a_heading_and_paragraphs() -> None:
    reading = plain.read(PATH, f"ICLR 2025 Papers\n\n{TIDE}\n\n{MOSS}\n")

    first, second = reading.papers
    assert (first.abstract, first.origins, first.title) == (TIDE, (Origin("a.txt", 3),), None)
    assert (second.abstract, second.origins) == (MOSS, (Origin("a.txt", 5),))
    assert {(paper.collection, paper.venue, paper.year) for paper in reading.papers} == {("ICLR 2025 Papers", "ICLR", 2025)}
    assert reading.skipped == []


def test_without_a_heading_nothing_is_said_of_the_papers() -> None:
    (paper,) = plain.read(PATH, TIDE).papers

    assert (paper.collection, paper.venue, paper.year) == (None, None, None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_hard_wrapped_paragraphs_with_any_line_ends(end: str) -> None:
    content = end.join(["ICLR 2025 Papers", "", "We study the tides", "  of the northern at-", "lantic in all winters.", " \t", "", MOSS])

    assert abstracts(content) == [(3, "We study the tides of the northern at- lantic in all winters."), (8, MOSS)]


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_character_that_is_no_line_end_for_an_editor_is_none_here(odd: str) -> None:
    assert abstracts(f"We study the tides{odd}of the northern sea.\n\n{MOSS}{odd}\n") == [(1, "We study the tides of the northern sea."), (3, MOSS)]


def test_a_short_paragraph_is_reported_with_its_line() -> None:
    reading = plain.read(PATH, f"{TIDE}\n\nNeurIPS 2024\n\n{MOSS}\n\n{'x' * 70}")

    assert [paper.abstract for paper in reading.papers] == [TIDE, MOSS]
    assert reading.skipped == [
        Problem("a.txt", 3, "2 words are too few for an abstract: 'NeurIPS 2024'"),
        Problem("a.txt", 7, f"1 words are too few for an abstract: '{'x' * 57}...'"),
    ]


@pytest.mark.parametrize("content", ["", "\n\n", "ICLR 2025 Papers", "ICLR 2025 Papers\n\nToo short.", "one\n\ntwo\n\nthree"])
def test_a_file_without_abstracts_is_an_error(content: str) -> None:
    with pytest.raises(
        SourceError, match=r"^a\.txt: found no abstract, expected abstracts as paragraphs of at least 8 words, separated by blank lines$"
    ):
        plain.read(PATH, content)


def test_a_long_first_paragraph_or_one_with_a_full_stop_is_an_abstract() -> None:
    assert abstracts("Eight words that end with one full stop.") == [(1, "Eight words that end with one full stop.")]
    assert len(abstracts("word " * 13)) == 1


def test_the_same_abstract_twice_in_a_file_is_two_records() -> None:
    first, second = plain.read(PATH, f"{TIDE}\n\n{TIDE}").papers

    assert first.id == second.id
    assert (first.origins[0].line, second.origins[0].line) == (1, 3)


@pytest.mark.parametrize(
    ("heading", "venue", "year"),
    [
        ("ICLR 2025 Papers", "ICLR", 2025),
        ("NeurIPS, 2023", "NeurIPS", 2023),
        ("ICML2024", "ICML", 2024),
        ("Annual Meeting of the ACL (2023)", "Annual Meeting of the ACL", 2023),
        ("Papers from 2019", None, 2019),
        ("2021", None, 2021),
        ("2021 ICLR papers", None, 2021),
        ("My reading list", None, None),
        ("Room 12025", None, None),
    ],
)
def test_what_a_heading_says(heading: str, venue: str | None, year: int | None) -> None:
    assert collection_of(heading) == Collection(heading, venue, year)


@given(st.text(st.one_of(st.sampled_from("ab \n\r\f."), st.characters(exclude_categories=["Cs"])), max_size=200))
def test_any_text_is_read_or_refused(content: str) -> None:
    try:
        reading = plain.read(PATH, content)
    except SourceError:
        return
    for paper in reading.papers:
        assert len(paper.abstract.split()) >= plain.MIN_WORDS
        assert paper.abstract == " ".join(paper.abstract.split())
        assert set(paper.abstract.split()) <= set(content.split())
