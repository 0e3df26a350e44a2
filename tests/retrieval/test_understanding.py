"""What a question says of the papers that may answer it, and what it only seems to say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.papers import Notice, Paper
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.understanding import understood

NAMES = {"venue": {"neurips", "iclr", "nature", "the lancet"}, "author": {"smith", "karl marx", "van der berg"}}


def knows(field: str, name: str) -> bool:
    return name.lower() in NAMES[field]


@pytest.mark.parametrize(
    ("question", "left", "filters"),
    [
        ("Which papers since 2023 deal with diffusion?", "Which papers deal with diffusion?", Filters(year_from=2023)),
        ("Which studies after 2019 deal with sleep?", "Which studies deal with sleep?", Filters(year_from=2020)),
        ("studies before 2015 on sleep apnea in children", "studies on sleep apnea in children", Filters(year_to=2014)),
        ("articles up to 2015 on sleep", "articles on sleep", Filters(year_to=2015)),
        (
            "What do studies published between 2019 and 2021 say about sleep?",
            "What do studies say about sleep?",
            Filters(year_from=2019, year_to=2021),
        ),
        ("What do papers from 2021 to 2019 say about sleep?", "What do papers say about sleep?", Filters(year_from=2019, year_to=2021)),
        ("papers since 2024 on attention", "papers on attention", Filters(year_from=2024)),
        ("papers from 2024 on attention", "papers on attention", Filters(year_from=2024, year_to=2024)),
        ("papers from 2024 onwards about attention", "papers about attention", Filters(year_from=2024)),
        ("Which papers published in 2024 use attention?", "Which papers use attention?", Filters(year_from=2024, year_to=2024)),
        ("papers by Smith on tides", "papers on tides", Filters(author="Smith")),
        ("papers by van der Berg et al. about moss", "papers about moss", Filters(author="van der Berg")),
        ("Which papers by Karl Marx deal with labour?", "Which papers deal with labour?", Filters(author="Karl Marx")),
        ("Which papers in NeurIPS use attention?", "Which papers use attention?", Filters(venue="NeurIPS")),
        ("Which studies in The Lancet deal with sleep?", "Which studies deal with sleep?", Filters(venue="The Lancet")),
        ("Which papers at ICLR 2025 deal with privacy?", "Which papers deal with privacy?", Filters(venue="ICLR", year_from=2025, year_to=2025)),
        ("What is known about sleep, excluding reviews?", "What is known about sleep?", Filters(exclude_types=("review",))),
        ("What is known about sleep, not reviews and no preprints?", None, Filters(exclude_types=("review", "preprint"))),
        ("Which statins work, only systematic reviews?", "Which statins work?", Filters(type="review")),
        ("What is known about sleep, excluding retracted papers?", "What is known about sleep?", Filters(without_retracted=True)),
        ("papers in German on tides", "papers on tides", Filters(language="de")),
    ],
)
def test_what_a_question_says_of_papers(question: str, left: str | None, filters: Filters) -> None:
    found = understood(question, knows)

    assert found.filters == filters
    assert left is None or found.question == left
    assert found.phrases


@pytest.mark.parametrize(
    "question",
    [
        "How has malaria incidence changed since 2010?",
        "What did researchers find in 2020?",
        "What happened in Nature?",
        "Is sleep affected by Smith antibodies?",
        "Which cells are affected by Jones?",
        "Which papers in Paris deal with sleep?",
        "How do reviews by customers change sales?",
        "How is text translated into German?",
        "Which methods work without data?",
        "How many of 2000 patients died?",
    ],
)
def test_what_only_seems_to_speak_of_papers_is_left_alone(question: str) -> None:
    assert understood(question, knows) == understood(question, knows).__class__(question, Filters())


def test_a_question_of_nothing_but_filters_is_searched_as_it_is() -> None:
    found = understood("papers by Smith since 2020", knows)

    assert (found.question, found.filters) == ("papers by Smith since 2020", Filters(year_from=2020, author="Smith"))


@given(st.text(max_size=60), st.sampled_from(["papers since 2020", "by Smith", "excluding reviews", "in NeurIPS", "not retracted", ""]))
def test_any_question_is_understood_somehow(some: str, phrase: str) -> None:
    found = understood(f"{some} {phrase} {some}", knows)

    assert found.question or not f"{some}{phrase}".strip()
    assert all(" ".join(part.split()) for part in found.phrases)


PAPER = Paper(
    "p1",
    "We ...",
    authors=("Smith, Ada", "van der Berg, Anna"),
    year=2021,
    venue="NeurIPS",
    collection="Mine",
    type="review",
    language="en",
    keywords=("Sleep", "Statins"),
    notices=(Notice.RETRACTED,),
)


@pytest.mark.parametrize(
    ("filters", "is_accepted"),
    [
        (Filters(), True),
        (Filters(year_from=2021, year_to=2021), True),
        (Filters(year_from=2022), False),
        (Filters(venue="neurips", collection="mine"), True),
        (Filters(author="SMITH"), True),
        (Filters(author="ada smith"), True),
        (Filters(author="anna smith"), False),
        (Filters(author="berg"), True),
        (Filters(author="marx"), False),
        (Filters(type="review"), True),
        (Filters(type="article"), False),
        (Filters(exclude_types=("review",)), False),
        (Filters(exclude_types=("preprint",)), True),
        (Filters(language="de"), False),
        (Filters(keyword="statins"), True),
        (Filters(keyword="stat"), False),
        (Filters(without_retracted=True), False),
    ],
)
def test_a_filter_accepts_what_it_says(filters: Filters, is_accepted: bool) -> None:
    assert filters.accepts(PAPER) is is_accepted
