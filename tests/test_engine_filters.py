"""What narrows a search and an answer: options, and what the question itself says of the papers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rag_qa.engine import Engine
from rag_qa.retrieval.filters import Filters, words
from rag_qa.settings import load
from tests.index.making import BagEmbedder

ABSTRACTS = {
    "tides": "We measure tides with a gauge of copper. The gauge reads 12 cm in the bay.",
    "storms": "We count tides after storms. Storms raise the tide by 30 cm in the bay.",
    "review": "We review what is known about tides. Most tides of the bay are small.",
}
RECORDS = (
    {"title": "A gauge", "abstract": ABSTRACTS["tides"], "year": 2020, "authors": ["Smith, Ada"], "venue": "Sea Letters", "type": "article"},
    {"title": "Storms", "abstract": ABSTRACTS["storms"], "year": 2024, "authors": ["Jones, Karl"], "venue": "Sea Letters", "type": "article"},
    {"title": "What is known", "abstract": ABSTRACTS["review"], "year": 2023, "authors": ["Smith, Karl"], "venue": "Reviews", "type": "review"},
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    root = tmp_path_factory.mktemp("filters")
    (root / "library.json").write_text(json.dumps(RECORDS))
    made = Engine(load(data_dir=root / "data", answerer="extractive"), embedder=BagEmbedder())
    assert made.index([root / "library.json"]).papers == 3
    return made


@pytest.mark.parametrize(
    ("question", "filters", "found", "said"),
    [
        ("tides of the bay", Filters(), {"A gauge", "Storms", "What is known"}, ""),
        ("papers since 2023 on tides", Filters(), {"Storms", "What is known"}, "from 2023 on"),
        ("papers by Smith on tides", Filters(), {"A gauge", "What is known"}, "by Smith"),
        ("papers by Karl Smith on tides", Filters(), {"What is known"}, "by Karl Smith"),
        ("papers on tides, excluding reviews", Filters(), {"A gauge", "Storms"}, "no review"),
        ("papers in Sea Letters on tides", Filters(), {"A gauge", "Storms"}, "in Sea Letters"),
        ("papers in Sea Letters since 2023 on tides", Filters(), {"Storms"}, "from 2023 on, in Sea Letters"),
        ("papers since 2023 on tides", Filters(author="smith"), {"What is known"}, "from 2023 on, by smith"),
        ("papers since 2023 on tides", Filters(year_from=2024), {"Storms"}, "from 2024 on"),
        ("tides", Filters(year_from=2020, year_to=2020), {"A gauge"}, "from 2020"),
    ],
)
def test_what_a_search_is_narrowed_to(question: str, filters: Filters, found: set[str], said: str, engine: Engine) -> None:
    result = engine.search(question, filters=filters)

    assert {hit.paper.title for hit in result} == found
    assert words(result.narrowing.filters) == said
    assert all(result.narrowing.filters.accepts(hit.paper) for hit in result)
    assert not any(phrase in result.question for phrase in result.narrowing.phrases)


def test_what_was_understood_can_be_undone(engine: Engine) -> None:
    result = engine.search("papers since 2023 on tides", reads_filters=False)

    assert (len(result), result.narrowing.filters, result.question) == (3, Filters(), "papers on tides")
    named = engine.search("papers by Smith on tides", reads_filters=False)
    assert (len(named), named.narrowing.filters, named.question) == (3, Filters(), "papers on tides")
    assert engine.ask("What do papers since 2023 say about tides in the bay?", reads_filters=False).abstained is None


def test_an_answer_is_narrowed_in_the_same_way(engine: Engine) -> None:
    question = "What do papers since 2023, excluding reviews, say about tides in the bay?"
    answer = engine.ask(question)

    assert [source.paper.title for source in answer.sources] == ["Storms"]
    assert answer.narrowing.filters == Filters(year_from=2023, exclude_types=("review",))
    assert answer.narrowing.phrases == ("excluding reviews", "since 2023")
    assert answer.understood_as == question
    everything = engine.ask("What do papers say about tides in the bay?", reads_filters=False)
    assert {source.paper.title for source in (*everything.sources, *everything.related)} == {"A gauge", "Storms", "What is known"}


def test_a_filter_that_leaves_nothing_says_so_and_which_it_is(engine: Engine) -> None:
    said = "No paper of this library is from 2030 on, by Smith. One by one: from 2030 on: none; by Smith: 2."
    question = "What do papers since 2030 by Smith say about tides?"
    answer = engine.ask(question)
    result = engine.search(question)

    assert (answer.abstained, answer.related, answer.sources) == (said, (), ())
    assert (result.nothing_passes, result.hits) == (said, ())


def test_a_library_without_years_says_that_it_has_none(tmp_path: Path) -> None:
    path = tmp_path / "tides.txt"
    path.write_text(ABSTRACTS["tides"] * 3 + "\n")
    engine = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=BagEmbedder())
    engine.index([path])

    assert engine.search("tides", filters=Filters(year_from=2020)).nothing_passes == (
        "No paper of this library is from 2020 on. It is not known of any of them when it was published."
    )


def test_a_conversation_stays_within_its_filters(engine: Engine, tmp_path: Path) -> None:
    questions = ["What do papers since 2023 say about tides?", "Any others?"]
    lived = [engine.ask(question, history=questions[:i], filters=Filters(author="Karl")) for i, question in enumerate(questions)]
    again = Engine(engine.settings, embedder=BagEmbedder()).ask(questions[1], history=questions[:1], filters=Filters(author="Karl"))

    for answer in lived:
        assert all(source.paper.year in (2023, 2024) for source in (*answer.sources, *answer.related))
    assert replace(lived[1], timings={}) == replace(again, timings={})


def test_what_there_is_to_choose_from_is_counted(engine: Engine) -> None:
    found = engine.holdings()

    assert (found.years, found.venues, found.types) == ((2020, 2024), (("Sea Letters", 2), ("Reviews", 1)), (("article", 2), ("review", 1)))
    assert found.authors == (("Jones, Karl", 1), ("Smith, Ada", 1), ("Smith, Karl", 1))
    assert engine.holdings(most=1).venues == (("Sea Letters", 2),)
    assert (len(engine.some_papers(2)), {paper.title for paper in engine.some_papers(9)}) == (2, {"A gauge", "Storms", "What is known"})


def test_what_is_said_of_authors_and_not_used_is_told(engine: Engine) -> None:
    said = "Not used to choose papers: “by Smith or Jones” (only authors whom the library knows can be chosen or left out)."
    question = "Which papers by Smith or Jones deal with tides?"

    assert engine.search(question).narrowing.notice == said
    assert engine.ask(question).notice == said


def test_only_retracted_papers_are_listed(tmp_path: Path) -> None:
    records = [{**RECORDS[0], "notices": ["retracted"]}, RECORDS[1]]
    (tmp_path / "library.json").write_text(json.dumps(records))
    made = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=BagEmbedder())
    made.index([tmp_path / "library.json"])
    retracted = [paper.title for paper in made.papers() if paper.is_retracted]
    assert retracted == ["A gauge"]
    for question in ("Show me only the retracted papers", "Which papers have been retracted?", "retracted papers"):
        assert [source.paper.title for source in made.ask(question).sources] == retracted
    assert [source.paper.title for source in made.ask("only retracted ones", history=["list all papers"]).sources] == retracted
