"""`python -m eval retrieval` over a tiny folder whose figures can be worked by hand, with all that can go wrong in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval import beir, embedders, ranking_figures, retrieval
from eval.__main__ import main
from eval.beir import Beir
from eval.embedders import Embedders
from eval.rankings import PLAIN
from eval.report import rankings
from eval.retrieval import PRODUCT, RANKINGS, Asked, Coverage, Found, Run
from rag_qa.embedding.cache import Cached
from rag_qa.embedding.embedder import EMBEDDERS
from rag_qa.errors import SettingsError, SourceError
from rag_qa.papers import Origin, Paper
from rag_qa.settings import load
from tests.eval.making import judged, write_beir
from tests.fakes import WordCountEmbedder
from tests.scripted_server import ScriptedServer, spoken

WHALES = "Whales cross the ocean in large groups and sing at night."
DOCUMENTS = [
    ("whale", "Songs of whales", WHALES),
    ("fox", "Foxes of the city", "Foxes look for food in the bins of our cities."),
    ("bare", "On owls that nobody described", ""),
    ("copy", "Songs of whales", WHALES.replace(" ", "  ")),
    ("moss", "Moss under snow", "Mosses grow by twelve percent a year, and not under snow."),
]
QUERIES = {
    "one": "Which whales sing?",
    "both": "How do whales cross the ocean?",
    "bare": "What do foxes say of owls?",
    "none": "Who eats soup?",
    "long": "moss " * 500,
    "far": "Do mosses grow under snow?",
}
JUDGMENTS = [
    ("one", "whale", 1),
    ("both", "whale", 1),
    ("both", "copy", 2),
    ("both", "fox", 0),
    ("bare", "bare", 1),
    ("none", "moss", 0),
    ("long", "moss", 1),
    ("lost", "moss", 1),
    ("far", "moss", 1),
    ("far", "nowhere", 1),
]


@pytest.fixture
def collection(tmp_path: Path) -> Beir:
    """Five documents: two are one work, one has no text. Seven questions: one without an answer, one too long, one without its text."""
    return beir.load(write_beir(tmp_path / "animals", DOCUMENTS, QUERIES, JUDGMENTS), "test")


def _run(collection: Beir, cache: Path) -> Run:
    return retrieval.run(collection, Embedders(WordCountEmbedder(), WordCountEmbedder()), load(), cache)


@pytest.fixture
def asked(collection: Beir, tmp_path: Path) -> Run:
    """The folder, asked."""
    return _run(collection, tmp_path / "cache")


def _by_id(run: Run) -> dict[str, Asked]:
    return {one.question.id: one for one in run.asked}


# ------------------------------------------------------------------------------------------------------- documents and papers


def test_documents_of_one_work_are_one_paper_and_one_without_a_text_is_none(asked: Run) -> None:
    coverage = asked.coverage
    assert (coverage.documents, coverage.papers, coverage.merged) == (5, 3, 1)
    assert coverage.paper_of["whale"] == coverage.paper_of["copy"]
    assert len(set(coverage.paper_of.values())) == 3
    assert coverage.left_out == {"bare": "no abstract, so it is no evidence: 'On owls that nobody described'"}


def test_a_merged_document_counts_for_its_paper_with_the_higher_grade(asked: Run) -> None:
    whale = asked.coverage.paper_of["whale"]
    assert _by_id(asked)["both"].grades == {whale: 2.0}
    assert _by_id(asked)["one"].grades == {whale: 1.0}


def test_a_document_that_no_search_can_find_stays_relevant(asked: Run) -> None:
    assert _by_id(asked)["bare"].grades == {"in no paper: bare": 1.0}
    assert _by_id(asked)["far"].grades == {asked.coverage.paper_of["moss"]: 1.0, "in no paper: nowhere": 1.0}


def test_documents_are_found_again_by_their_lines_alone() -> None:
    collection = Beir(Path("/x/sea"), "test", {"a": 1, "b": 3, "c": 4}, ())
    corpus = str(collection.corpus)
    papers = [
        Paper("p1", "One.", origins=(Origin(corpus, 1), Origin("/other/corpus.jsonl", 3))),
        Paper("p2", "Two.", origins=(Origin(corpus, 4), Origin(corpus, 9))),
    ]
    found = retrieval.covered(collection, papers, {3: "not a paper"})
    assert found == Coverage(3, 2, {"a": "p1", "c": "p2"}, {"b": "not a paper"})


def test_a_corpus_that_the_product_cannot_read_is_not_measured(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "empty", [("d1", "", "")], {"q": "What?"}, [("q", "d1", 1)])
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "colour": "red"}\n')
    with pytest.raises(SourceError, match=r"corpus\.jsonl: found .*colour"):
        _run(beir.load(folder, "test"), tmp_path / "cache")


# -------------------------------------------------------------------------------------------------------------- what is asked


def test_every_answerable_question_is_asked_of_every_ranking(asked: Run) -> None:
    assert list(_by_id(asked)) == ["one", "both", "bare", "long", "lost", "far"]
    assert all(tuple(one.found) == RANKINGS for one in asked.asked)
    whale = asked.coverage.paper_of["whale"]
    found = _by_id(asked)["one"].found
    assert found[PRODUCT].papers[0] == found["keyword"].papers[0] == whale
    assert all(one.seconds > 0 for one in found.values())


def test_a_search_that_refuses_costs_the_product_and_not_the_others(asked: Run) -> None:
    found = _by_id(asked)["long"].found
    assert found[PRODUCT].error.startswith("QuestionError: The question has 500 words")
    assert not any(found[name].error for name in PLAIN)


def test_a_question_without_its_text_is_an_error_everywhere(asked: Run) -> None:
    assert {one.error for one in _by_id(asked)["lost"].found.values()} == {"the folder has judgments for this question, and not its text"}


def test_progress_is_told(collection: Beir, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    model = Embedders(WordCountEmbedder(), WordCountEmbedder())
    retrieval.run(collection, model, load(), tmp_path / "cache", progress=lambda *now: told.append(now))
    assert [now for now in told if now[0] == "asking"] == [("asking", done, 6) for done in range(7)]


# ------------------------------------------------------------------------------------------------------------------- figures


def _made(question: str, *papers: str, error: str = "", **grades: float) -> Asked:
    """A question for which the product found these papers, or failed, and the keywords found "a" alone."""
    found = Found(papers, 0.25, error)
    return Asked(judged(question), grades, {**dict.fromkeys(RANKINGS, found), "keyword": Found(("a",), 0.5)})


def test_figures_and_differences_worked_by_hand() -> None:
    asked = [_made("1", "a", "b", a=1.0), _made("2", "b", "a", a=1.0), _made("3", error="it broke", a=1.0), _made("4", "c", b=1.0)]
    found = ranking_figures.measure(asked, n_na=2)
    by_key = {figure.key: figure for figure in found.figures}
    first = by_key["success@1.product"]
    assert (first.value, first.n_scored, first.n_eligible, first.n_error, first.n_na) == (0.25, 3, 4, 1, 2)
    assert by_key["MRR@10.product"].value == (1 + 1 / 2) / 4
    assert by_key["nDCG@10.product"].value == pytest.approx((1 + 0.63093) / 4, abs=1e-5)
    assert by_key["recall@100.product"].value == 0.5
    assert by_key["success@1.keyword"].value == 0.75
    differences = {(one.metric, one.ranking): one for one in found.differences}
    assert differences["success@1", "keyword"].value == -0.5
    assert differences["success@1", "dense"].value == 0
    assert differences["success@1", "dense"].interval == pytest.approx((0.0, 0.0))
    assert differences["success@1", "keyword"].interval == pytest.approx((-1.0, 0.0))


def test_an_interval_of_differences_is_paired() -> None:
    """Each question is a little better: the difference is sure, although the questions differ far more among themselves."""
    asked = [_made(str(n), *(f"x{i}" for i in range(n % 9)), "b", b=1.0) for n in range(60)]
    one_better = [replace(one, found={**one.found, "dense": Found(("x", *one.found[PRODUCT].papers))}) for one in asked]
    found = ranking_figures.measure(one_better)
    mrr = next(one for one in found.differences if (one.metric, one.ranking) == ("MRR@10", "dense"))
    spread = next(figure.interval for figure in found.figures if figure.key == "MRR@10.product")
    assert spread is not None
    assert 0 < mrr.interval[0] < mrr.value < mrr.interval[1]
    assert mrr.interval[1] - mrr.interval[0] < spread[1] - spread[0]


def test_latency_is_that_of_the_questions_that_did_not_fail() -> None:
    asked = [_made("1", "a", a=1.0), _made("2", error="it broke", a=1.0)]
    found = {one.ranking: one for one in ranking_figures.measure(asked).latencies}
    assert (found[PRODUCT].p50, found[PRODUCT].p95, found[PRODUCT].n) == (250, 250, 1)
    assert (found["keyword"].p50, found["keyword"].n) == (500, 2)


def test_no_question_no_figure() -> None:
    found = ranking_figures.measure([])
    assert (found.figures, found.differences) == ((), ())
    assert {(one.p50, one.n) for one in found.latencies} == {(None, 0)}


# ---------------------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of `collection`."""
    return write_beir(tmp_path / "animals", DOCUMENTS, QUERIES, JUDGMENTS)


def _main(folder: Path, tmp_path: Path, *options: str) -> int:
    return main(["retrieval", "--data", str(folder), "--cache", str(tmp_path / "cache"), *options])


def _told(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_command_with_the_default_embedder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "figures.json"
    assert _main(folder, tmp_path, "--json", str(out)) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0] == "animals, test: 6 questions (1 more that no document answers)"
    assert lines[1] == "5 documents: 3 papers, 1 merged with one of them, 1 left out"
    assert lines[2] == "5 relevant documents: 1 in no paper, missed, 2 merged with others, 1 not in the corpus, missed"
    assert lines[3].startswith("embedded by all-MiniLM-L6-v2-int8; index ready after ")
    assert "texts embedded" in lines[3]
    assert next(line.split() for line in lines if line.startswith("scored")) == ["scored/eligible/errors", "4/6/2", *["5/6/1"] * 4]
    assert "2 questions failed in some ranking:\n  long (product): QuestionError: " in printed
    assert "left out: bare: no abstract, so it is no evidence" in printed
    found = _told(out)
    assert found["about"]["sha256"].keys() == {"corpus", "judgments", "indexing code"}
    assert found["coverage"]["relevant"] == {"found": 1, "merged with others": 2, "in no paper, missed": 1, "not in the corpus, missed": 1}
    figures = {(one["metric"], one["scope"]): one for one in found["figures"]}
    assert len(figures) == 6 * 5
    # two questions find their paper first, "far" half of what is relevant, and three nothing
    assert figures["success@1", "product"]["value"] == pytest.approx(3 / 6)
    assert figures["recall@100", "product"]["value"] == pytest.approx(2.5 / 6)
    assert {one["id"]: "errors" in one for one in found["questions"]} == {
        "one": False,
        "both": False,
        "bare": False,
        "long": True,
        "lost": True,
        "far": False,
    }
    mean = sum(one["scores"]["RRF"]["nDCG@10"] for one in found["questions"]) / 6
    assert figures["nDCG@10", "RRF"]["value"] == pytest.approx(mean, abs=1e-12)


def test_a_second_run_uses_the_index_and_says_the_same(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert _main(folder, tmp_path, "--json", str(one)) == 0
    (index,) = (tmp_path / "cache" / "indexes").iterdir()
    before = (index / "index" / "catalog.db").stat().st_ino
    capsys.readouterr()
    assert _main(folder, tmp_path, "--json", str(two)) == 0
    assert "(all vectors known)" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "cache" / "indexes").iterdir()] == [index.name]
    assert (index / "index" / "catalog.db").stat().st_ino == before
    first, second = _told(one), _told(two)
    for name in ("figures", "product_minus", "coverage", "definitions"):
        assert first[name] == second[name]


def test_a_corpus_that_changed_is_indexed_anew(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main(folder, tmp_path) == 0
    corpus = folder / "corpus.jsonl"
    corpus.write_text(corpus.read_text() + '{"_id": "elk", "title": "Elks", "text": "Elks wade through rivers in autumn."}\n')
    capsys.readouterr()
    assert _main(folder, tmp_path) == 0
    printed = capsys.readouterr().out
    assert "6 documents: 4 papers" in printed
    assert len(list((tmp_path / "cache" / "indexes").iterdir())) == 2


def test_fewer_questions(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert _main(folder, tmp_path, "--limit-queries", "2", "--json", str(out)) == 0
    assert len(_told(out)["questions"]) <= 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--split", "dev"], "dev.tsv: found no such file, expected judgments of a split (there are: test)"),
        (["--data", "nowhere"], "found no such file, expected a folder in the layout of BEIR"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(
    options: Sequence[str], said: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _main(folder, tmp_path, *options) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


# -------------------------------------------------------------------------------------------------------------- a re-ranker


def test_a_reranker_has_its_say_and_is_recorded(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "figures.json"
    replies = [*[spoken('{"3": 10}')] * 4, spoken("I like whales.")]  # the first is for what is loaded at first use
    with ScriptedServer(chat=replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("RAG_QA_RERANKER_MODEL", "tiny")
        assert _main(folder, tmp_path, "--reranker", "llm", "--json", str(out)) == 0
        assert len(server.requests) == 5

    told = _told(out)
    assert told["about"]["reranker"] == {"name": "llm:tiny", "papers": 20}
    assert {"reranker": "llm", "reranker_model": "tiny"}.items() <= told["about"]["settings"].items()
    # of three papers the one that ranked third comes first: where the first of the keywords was right, it is the second now
    reached = [
        (one["scores"]["keyword"]["success@1"], one["scores"]["product"]["MRR@10"]) for one in told["questions"] if one["id"] in ("one", "far")
    ]
    assert (1.0, 0.5) in reached
    noticed = [one["notices"] for one in told["questions"] if "notices" in one]
    assert noticed == [{"product": "Not re-ranked: the reply of the model tiny holds no grade"}]


def test_what_went_wrong_with_a_reranker_is_told(asked: Run) -> None:
    one = asked.asked[0]
    found = {**one.found, PRODUCT: replace(one.found[PRODUCT], notice="Not re-ranked: nobody answers")}
    run = replace(asked, asked=(replace(one, found=found), *asked.asked[1:]), reranker="llm:tiny")

    said = rankings.render(run, ranking_figures.measure(run.asked))

    assert "\nproduct: re-ranked by llm:tiny\n" in said
    assert f"1 questions with a notice:\n  {one.question.id}: Not re-ranked: nobody answers" in said
    assert "re-ranked" not in rankings.render(asked, ranking_figures.measure(asked.asked))
    assert rankings.to_json(asked, ranking_figures.measure(asked.asked), load())["about"]["reranker"] is None


# --------------------------------------------------------------------------------------------------------------- the embedders


def test_vectors_are_kept_where_they_are_dear_and_questions_only_where_they_cost_money(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    minilm = embedders.chosen("minilm", load(), path)
    assert isinstance(minilm.for_index, Cached)
    assert minilm.cached is minilm.for_index
    assert not isinstance(minilm.for_questions, Cached)
    assert minilm.for_questions.name == minilm.for_index.name
    remote = embedders.chosen("openai", load(openai_base_url="http://127.0.0.1:9/v1", embedding_model="tiny"), path)
    assert remote.cached is remote.for_index is remote.for_questions
    assert remote.for_index.name == "openai:tiny@127.0.0.1:9"


def test_an_embedder_that_this_version_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"There is no embedder 'tarot' in this version: choose one of {', '.join(sorted(EMBEDDERS))}"):
        embedders.chosen("tarot", load(), tmp_path / "vectors.db")


def test_kept_vectors_of_questions_are_told(asked: Run) -> None:
    figures = ranking_figures.measure(asked.asked, n_na=1)
    assert "the embedding of the question included" in rankings.render(asked, figures)
    assert "with vectors of questions that were kept from earlier runs" in rankings.render(replace(asked, keeps_questions=True), figures)


def test_settings_that_are_not_the_defaults_are_told_without_keys(asked: Run) -> None:
    figures = ranking_figures.measure(asked.asked)
    told = rankings.to_json(asked, figures, load(openai_api_key="secret", top_k=3))
    assert told["about"]["settings"] == {"top_k": 3}
    assert "secret" not in json.dumps(told)
