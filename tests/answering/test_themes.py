"""The papers of a topic, grouped and called by what they share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_qa.answering.themes import Theme, themes
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

SEA = [Paper(f"s{n}", f"We forecast spring tides in harbour {n}. Spring tides are strong.") for n in range(5)]
BOG = [Paper(f"b{n}", f"In region {n}, peat bogs are wet. Peat bogs grow.") for n in range(5)]


def vectors(papers: Sequence[Paper]) -> dict[str, Vectors]:
    sea, bog = np.array([[0.6, 0.8, 0.0]], np.float32), np.array([[0.6, 0.0, 0.8]], np.float32)
    return {paper.id: sea if paper.id.startswith("s") else bog for paper in papers}


def grouped(papers: Sequence[Paper], topic: str = "nature") -> list[Theme]:
    return themes(papers, vectors(papers), topic, lambda _: 1.0)


def test_near_papers_make_a_theme_and_it_is_called_by_what_they_share() -> None:
    mixed = [SEA[0], BOG[0], SEA[1], BOG[1], SEA[2], BOG[2]]

    assert [(theme.terms[:1], theme.papers) for theme in grouped(mixed)] == [(("spring tides",), tuple(SEA[:3])), (("peat bogs",), tuple(BOG[:3]))]


def test_the_words_of_the_topic_call_no_theme() -> None:
    (theme,) = grouped(SEA, "spring tides")

    assert not {"spring", "tides", "spring tides"} & set(theme.terms)


def test_a_short_form_of_the_topic_calls_no_theme_either() -> None:
    papers = [Paper(f"s{n}", f"Large tide models (LTMs) are new. We study LTMs in harbour {n}.") for n in range(2)]
    (theme,) = grouped(papers, "large tide models")

    assert "ltms" not in theme.terms


def test_a_single_word_calls_a_theme_only_if_it_stands_in_a_title() -> None:
    papers = [Paper(f"s{n}", f"Harbour walls erode in town {n}. Erosion detects {n} walls.", title=f"Erosion of walls, part {n}") for n in range(2)]
    (theme,) = grouped(papers)

    assert theme.terms == ("erosion", "walls")  # and not "town", "erode" or "detects"


def test_papers_that_stand_alone_come_last_without_terms() -> None:
    first, last = grouped([BOG[0], *SEA])

    assert first.papers == tuple(SEA)
    assert last == Theme((), (BOG[0],), is_group=False)


def test_few_papers_are_one_theme() -> None:
    assert [theme.papers for theme in grouped(SEA[:2])] == [tuple(SEA[:2])]
    assert grouped([SEA[0]]) == [Theme((), (SEA[0],), is_group=False)]
