"""What a question says of the papers that may answer it, and what it only seems to say."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.papers import Notice, Paper
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.understanding import Understood, understood

NAMES = {
    "venue": {
        "neurips",
        "iclr",
        "nature",
        "the lancet",
        "the",
        "dogs",
        "uk",
        "veterinary record",
        "plos one",
        "global change biology",
        "elife",
        "pain",
    },
    "author": {"smith", "karl marx", "van der berg", "rusbridge", "clare rusbridge", "clare", "c. rusbridge", "volk", "häggström", "german", "the"},
    "type": {"review", "preprint"},
    "language": {"de", "es"},
}
TODAY = date(2026, 3, 1)


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
    assert understood(question, knows) == Understood(question, Filters())


@pytest.mark.parametrize(
    ("question", "left", "filters"),
    [
        ("papers by C. Rusbridge since 2015 on pain", "papers on pain", Filters(author="C. Rusbridge", year_from=2015)),
        ("papers by Clare Rusbridge on pain", "papers on pain", Filters(author="Clare Rusbridge")),
        ("papers written by Dr. Volk about epilepsy", "papers about epilepsy", Filters(author="Volk")),
        ("papers by Volk and colleagues about epilepsy", "papers about epilepsy", Filters(author="Volk")),
        ("What has Clare Rusbridge written about pain?", "Which papers are about pain?", Filters(author="Clare Rusbridge")),
        ("What does Clare Rusbridge say about pain?", "What do papers say about pain?", Filters(author="Clare Rusbridge")),
        ("What did Häggström find about murmurs?", "What do papers find about murmurs?", Filters(author="Häggström")),
        ("Which papers has Volk published on epilepsy?", "Which papers are on epilepsy?", Filters(author="Volk")),
        ("papers published in PLoS One about restoration", "papers about restoration", Filters(venue="PLoS One")),
        ("Which papers that were published in eLife deal with moss?", "Which papers deal with moss?", Filters(venue="eLife")),
        ("In Nature, which papers deal with moss?", "which papers deal with moss?", Filters(venue="Nature")),
        ("Which papers in Nature on Mars deal with dust?", "Which papers on Mars deal with dust?", Filters(venue="Nature")),
        ("papers in Global change biology about dunes", "papers about dunes", Filters(venue="Global change biology")),
        ("In PLoS one, which papers deal with dunes?", "which papers deal with dunes?", Filters(venue="PLoS one")),
        ("papers since 2020 by Smith and in Nature on tides", "papers on tides", Filters(year_from=2020, author="Smith", venue="Nature")),
    ],
)
def test_names_and_what_goes_with_them(question: str, left: str | None, filters: Filters) -> None:
    found = understood(question, knows)

    assert found.filters == filters
    assert left is None or found.question == left


def test_of_a_question_to_an_author_the_name_is_shown() -> None:
    assert understood("What has Clare Rusbridge written about pain?", knows).phrases == ("Clare Rusbridge",)
    assert understood("What has Clare Rusbridge written?", knows).asks_nothing_else


@pytest.mark.parametrize(
    "question",
    [
        "Which papers in the UK deal with dogs?",
        "Which papers in dogs deal with epilepsy?",
        "Which papers in the dogs of The Hague deal with epilepsy?",
        "papers in Nature Reserves",
        "papers in Nature and Society",
        "Which papers at Pain Clinics deal with backs?",
        "papers by Clare Short on pain",
        "papers by Rusbridge or Volk",
        "papers by Rusbridge, Volk and Smith on pain",
        "papers by Rusbridge but not Volk",
        "papers in Nature or Veterinary Record on tides",
        "Which papers deal with the method proposed by Smith?",
        "papers by The Who",
        "What did Parkinson find about tremor?",
        "What has changed in medicine?",
        "What do Volk antibodies do?",
    ],
)
def test_what_only_seems_to_be_a_name(question: str) -> None:
    # "UK" alone may be a journal of this library; "the UK" is searched for as it is
    known = {**NAMES, "venue": NAMES["venue"] - {"uk"}}

    found = understood(question, lambda field, name: name.lower() in known[field])

    assert (found.question, found.filters, found.phrases) == (question, Filters(), ())


@pytest.mark.parametrize(
    "question",
    [
        "papers not in Veterinary Record on epilepsy",
        "papers not published in Veterinary Record on epilepsy",
        "excluding papers by Volk",
        "papers on epilepsy, excluding papers by Volk",
        "papers on epilepsy except those by Volk",
        "papers on epilepsy without the ones in Nature",
        "papers not by Smith or in Nature",
        "papers not in English on dogs",
        "papers that aren't in English on dogs",
        "papers on dogs not since 2020",
        "papers not from 2019 on dogs",
        "Which papers excluding ICLR deal with diffusion?",
        "What is known about sleep, not only reviews?",
        "non-German papers on tides",
    ],
)
def test_what_is_denied_is_no_filter(question: str) -> None:
    found = understood(question, knows)

    assert (found.question, found.filters, found.phrases) == (question, Filters(), ())


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("papers by Rusbridge or Volk on pain", ("by Rusbridge or Volk",)),
        ("papers by Nobody on pain", ("by Nobody",)),
        ("papers since 2020 but not by Volk or Rusbridge", ("not by Volk or Rusbridge",)),
        ("papers by Volk on pain", ()),
        ("Which papers deal with the method proposed by Nobody?", ()),
        ("Which cells are affected by Nobody?", ()),
        ("papers by hand", ()),
    ],
)
def test_authors_that_no_filter_is_read_from_are_told(question: str, unread: tuple[str, ...]) -> None:
    assert understood(question, knows).unread == unread


@pytest.mark.parametrize(
    ("question", "left", "filters"),
    [
        ("papers by Rusbridge and Volk on pain", "papers on pain", Filters(author="Rusbridge", also_by=("Volk",))),
        ("papers on epilepsy that were not written by Volk", "papers on epilepsy", Filters(not_by=("Volk",))),
        ("papers by Rusbridge on pain, not by Volk", "papers on pain", Filters(author="Rusbridge", not_by=("Volk",))),
        ("papers on pain from March 2019", "papers on pain", Filters(year_from=2019, year_to=2019)),
    ],
)
def test_authors_together_and_left_out(question: str, left: str, filters: Filters) -> None:
    found = understood(question, knows)
    assert (found.question, found.filters) == (left, filters)


def test_what_is_denied_stays_beside_a_filter() -> None:
    found = understood("papers since 2020 but not by Volk or Rusbridge", knows)

    assert (found.question, found.filters) == ("papers but not by Volk or Rusbridge", Filters(year_from=2020))


@pytest.mark.parametrize(
    ("phrase", "first", "last"),
    [
        ("since 2024", 2024, None),
        ("before 2000", None, 1999),
        ("from 2000 to 2005", 2000, 2005),
        ("in 2012", 2012, 2012),
        ("in 2012 or 2013", 2012, 2013),
        ("(2011-2015)", 2011, 2015),
        ("2011–2015", 2011, 2015),
        ("2011 to 2015", 2011, 2015),
        ("from between 2011 and 2015", 2011, 2015),
        ("up to 2010", None, 2010),
        ("2010 onwards", 2010, None),
        ("from 2010 onwards", 2010, None),
        ("from the 1990s", 1990, 1999),
        ("since the 1990s", 1990, None),
        ("before the 1990s", None, 1989),
        ("after the 1990s", 2000, None),
        ("in the last two years", 2024, None),
        ("from the past 10 years", 2016, None),
        ("from last year", 2025, 2025),
        ("published this year", 2026, 2026),
        ("published 2015", 2015, 2015),
        ("within the last decade", 2016, None),
        ("since 2015 and before 2020", 2015, 2019),
        ("from 2020 before 2010", 2020, 2009),
    ],
)
@pytest.mark.parametrize("question", ["Which papers deal with sparse autoencoders {}?", "papers {} on sparse autoencoders", "list papers on moss {}"])
def test_years_of_a_question_for_papers(question: str, phrase: str, first: int | None, last: int | None) -> None:
    found = understood(question.format(phrase), knows, TODAY)

    assert (found.filters, found.question) == (Filters(year_from=first, year_to=last), " ".join(question.format("").split()).replace(" ?", "?"))


@pytest.mark.parametrize(
    ("question", "left", "first"),
    [
        ("heart disease since 2015", "heart disease", 2015),
        ("sparse autoencoders 2015 onwards", "sparse autoencoders", 2015),
        ("climate change adaptation since 2015", "climate change adaptation", 2015),
        ("since 2023, what about dogs?", "what about dogs?", 2023),
        ("Since 2023, which papers deal with dogs?", "which papers deal with dogs?", 2023),
        ("Which papers were published since 2023 and deal with dogs?", "Which papers deal with dogs?", 2023),
        ("Which papers deal with dogs and are from 2023 onwards?", "Which papers deal with dogs?", 2023),
        ("papers that are from 2023 on, about dogs", "papers, about dogs", 2023),
        ("What is known about dogs? Only papers since 2023.", "What is known about dogs?", 2023),
        ("everything since 2023 about dogs", "everything about dogs", 2023),
        ("everything about dogs since 2023", "everything about dogs", 2023),
    ],
)
def test_years_at_either_end(question: str, left: str, first: int) -> None:
    found = understood(question, knows)

    assert (found.question, found.filters) == (left, Filters(year_from=first))


@pytest.mark.parametrize(
    "question",
    [
        "Which papers deal with the crisis of 2008?",
        "Which papers study changes in temperature since 1950?",
        "How many papers deal with deaths from 2000 to 2005?",
        "Which papers use data from 2012?",
        "Which papers follow people born before 1950?",
        "papers on the pandemic in 2020",
        "malaria incidence since 2010",
        "evidence from 2019-20 bushfires",
        "studies of 2000 children",
        "studies from 2000 hospitals on sleep",
        "Which papers follow people up after 2000 days?",
        "papers on weight loss in the last year of life",
        "Olympic champions in 2012",
        "Since 2020, how has malaria incidence changed?",
        "What do papers say about malaria since 2010?",
        "Did malaria disappear before 2000?",
        "malaria has come back since 2000",
        "How has sleep changed in the last two years?",
        "Has everything changed since 2010?",
        "everything changed since 2010",
        "Which guidelines published in 2020 matter?",
        "dogs in the 1990s",
    ],
)
def test_when_something_happened_is_no_year_of_papers(question: str) -> None:
    found = understood(question, knows)

    assert (found.question, found.filters, found.phrases) == (question, Filters(), ())


@pytest.mark.parametrize(
    ("question", "left", "filters"),
    [
        ("preprints on deep learning", "papers on deep learning", Filters(type="preprint")),
        ("systematic reviews of moss", "papers of moss", Filters(type="review")),
        ("reviews of mitral disease since 2015", "papers of mitral disease", Filters(type="review", year_from=2015)),
        ("Which reviews deal with mitral disease?", "Which papers deal with mitral disease?", Filters(type="review")),
        ("What do reviews of mitral disease say?", "What do papers of mitral disease say?", Filters(type="review")),
        ("Which papers on moss are reviews?", "Which papers on moss?", Filters(type="review")),
        ("show me papers that are not reviews and deal with moss", "show me papers that deal with moss", Filters(exclude_types=("review",))),
        ("retracted papers about moss", "papers about moss", Filters()),
        ("Which papers are in German?", None, Filters(language="de")),
        ("Which papers on dogs are in German?", "Which papers on dogs?", Filters(language="de")),
        ("papers written in French on epilepsy", "papers on epilepsy", Filters(language="fr")),
        ("Which papers that are written in French deal with epilepsy?", "Which papers deal with epilepsy?", Filters(language="fr")),
        ("What do Spanish-language papers say about dogs?", "What do papers say about dogs?", Filters(language="es")),
        ("German papers on tides", "papers on tides", Filters(language="de")),
    ],
)
def test_kinds_of_papers(question: str, left: str | None, filters: Filters) -> None:
    found = understood(question, knows)

    assert found.filters == filters
    assert left is None or found.question == left


@pytest.mark.parametrize(
    "question",
    [
        "papers on German shepherds",
        "papers in German shepherds",
        "Which papers in Japanese quail deal with sleep?",
        "French papers on tides",  # from France, or in French? This library has none in French
        "papers in English and German on tides",
        "Which poems written in French are cited?",
        "case reports about tides",
        "Review of the pitot tube",
        "studies of German-language articles",
        "Farms: a case study in Italian",
        "editorials on tides",  # a type that this library has none of
        "data sets for object detection",
        "letters to patients",
        "surveys on vaccination",
        "Which models use only data sets?",
        "Which products have no reviews?",
        "Why are retracted papers still cited?",
        "How many retracted papers are there on moss?",
    ],
)
def test_what_only_seems_to_be_a_kind_of_paper(question: str) -> None:
    found = understood(question, knows)

    assert (found.question, found.filters, found.phrases) == (question, Filters(), ())


@pytest.mark.parametrize(
    "question", ["How many papers are there?", "how many papers are there in total", "How many papers does the library hold?", "List all papers"]
)
def test_all_papers_are_asked_for_without_a_filter(question: str) -> None:
    assert understood(question, knows) == Understood(question, Filters(), asks_nothing_else=True)


@pytest.mark.parametrize(
    "question", ["How many papers deal with moss?", "Which papers?", "List all papers on moss", "papers", "How many dogs are there?"]
)
def test_more_is_asked_for_than_all_papers(question: str) -> None:
    assert not understood(question, knows).asks_nothing_else


def test_politeness_asks_for_nothing() -> None:
    assert understood("Can you list all papers by Smith since 2015?", knows).asks_nothing_else


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
