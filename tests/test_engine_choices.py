"""What a person can choose for finding papers: an embeddings server, whose vectors are paid for once, and a re-ranker."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import pytest

from rag_qa.engine import KEPT_VECTORS, Engine
from rag_qa.errors import BadReply, MissingExtraError
from rag_qa.llm.scripted import ScriptedChat
from rag_qa.retrieval.reranking.order import DEPTH
from rag_qa.settings import load
from tests.index.making import BagEmbedder, abstract
from tests.scripted_server import ScriptedServer, failure, spoken

COLOURS = ("red", "green", "blue")
QUESTION = "Which storms are studied in region 3?"


class Embeddings:
    """An embeddings server that counts colours, and the texts that it was sent. After `patience` requests it refuses all."""

    def __init__(self, patience: int = 1_000_000) -> None:
        self.texts: list[str] = []
        self.patience = patience
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                with server._lock:
                    server.patience -= 1
                    status = 200 if server.patience >= 0 else 400
                    server.texts += texts if status == 200 else []
                rows = [{"index": i, "embedding": [1, *(text.casefold().count(colour) for colour in COLOURS)]} for i, text in enumerate(texts)]
                body = json.dumps({"data": rows}).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def library(folder: Path, papers: int) -> Path:
    path = folder / "papers.txt"
    path.write_text("\n\n".join(map(abstract, range(papers))) + "\n")
    return path


def remote(folder: Path, server: Embeddings) -> Engine:
    """A new engine, as of a new process."""
    return Engine(
        load(data_dir=folder / "data", embedder="openai", embedding_model="tiny", embedding_base_url=server.url, answerer="extractive", llm_retries=0)
    )


# ------------------------------------------------------------------------------------------------- vectors that cost money


def test_a_rebuild_does_not_pay_again(tmp_path: Path) -> None:
    path = library(tmp_path, 6)
    said: list[str] = []
    with Embeddings() as server:
        assert remote(tmp_path, server).index([path]).added == 6
        paid = [text for text in server.texts if text != "length"]
        assert len(paid) == len(set(paid)) > 6
        server.texts.clear()

        report = remote(tmp_path, server).index([], rebuild=True, notice=said.append)

        assert report.embedded == 6
        assert server.texts == []
        assert remote(tmp_path, server).search("Which one is red?")
        assert server.texts == ["Which one is red?"]
    assert (tmp_path / "data" / KEPT_VECTORS).is_file()
    assert said == []


@pytest.mark.parametrize(("patience", "kept", "lost"), [(5, 192, (0,)), (4, 96, (32, 64))])
def test_an_import_that_broke_off_goes_on_where_it_was(patience: int, kept: int, lost: tuple[int, ...], tmp_path: Path) -> None:
    path = library(tmp_path, 80)
    with Embeddings(patience) as server:
        with pytest.raises(BadReply):
            remote(tmp_path, server).index([path])
        paid = set(server.texts) - {"length"}
        server.patience, server.texts = 1_000_000, []

        assert remote(tmp_path, server).index([path]).papers == 80

        # 32 papers at a time, of three texts each, in requests of 64: what was under way with the one that failed is paid twice
        again = paid.intersection(server.texts)
        assert len(again) in lost
        assert len(paid - again) == kept


def test_a_few_more_papers_cost_what_is_new_in_them(tmp_path: Path) -> None:
    with Embeddings() as server:
        remote(tmp_path, server).index([library(tmp_path, 6)])
        before = set(server.texts)
        server.texts.clear()

        remote(tmp_path, server).index([library(tmp_path, 7)])

        assert server.texts
        assert not before.intersection(server.texts)


def test_an_announcement_counts_what_is_new(tmp_path: Path) -> None:
    said: list[str] = []
    with Embeddings() as server:
        remote(tmp_path, server).index([library(tmp_path, 400)], notice=said.append)
        remote(tmp_path, server).index([], rebuild=True, notice=said.append)
        remote(tmp_path, server).index([library(tmp_path, 410)], rebuild=True, notice=said.append)

    assert len(said) == 1
    assert "texts of 400 papers" in said[0]


def test_what_searches_leave_behind_is_nothing(tmp_path: Path) -> None:
    with Embeddings() as server:
        remote(tmp_path, server).index([library(tmp_path, 3)])
        (tmp_path / "data" / KEPT_VECTORS).unlink()

        assert remote(tmp_path, server).search("Which one is red?")

    assert not (tmp_path / "data" / KEPT_VECTORS).exists()


def test_no_other_embedder_keeps_vectors_there(tmp_path: Path) -> None:
    Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=BagEmbedder()).index([library(tmp_path, 3)])

    assert not (tmp_path / "data" / KEPT_VECTORS).exists()


# ------------------------------------------------------------------------------------------------------------- re-rankers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with twelve papers."""
    Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=BagEmbedder()).index([library(tmp_path, 12)])
    return tmp_path / "data"


def reranking(folder: Path, chat: ScriptedChat | None = None, **chosen: object) -> Engine:
    return Engine(load(**{"data_dir": folder, "answerer": "extractive", "reranker": "llm", **chosen}), embedder=BagEmbedder(), chat_model=chat)


def test_none_is_asked_unless_it_is_chosen(folder: Path) -> None:
    chat = ScriptedChat([])

    found = reranking(folder, chat, reranker="none").search(QUESTION)

    assert chat.prompts == []
    assert all("rerank" not in hit.ranks for hit in found)


def test_the_chat_model_has_the_last_word_on_the_first_papers(folder: Path) -> None:
    before = [hit.paper.id for hit in reranking(folder, reranker="none").search(QUESTION, k=5)]
    chat = ScriptedChat(['{"4": 10, "2": 7}'])

    found = reranking(folder, chat, reranker_depth=4).search(QUESTION, k=5)

    assert [hit.paper.id for hit in found] == [before[3], before[1], before[0], before[2], before[4]]
    assert [hit.rank for hit in found] == [1, 2, 3, 4, 5]
    assert [hit.scores.get("rerank") for hit in found] == [1.0, 0.7, 0.0, 0.0, None]
    assert [hit.ranks.get("fused") for hit in found] == [4, 2, 1, 3, None]


def test_a_paper_that_ranked_too_low_is_found_by_it(folder: Path) -> None:
    deep = [hit.paper.id for hit in reranking(folder, reranker="none").search(QUESTION, k=10)]
    chat = ScriptedChat(['{"9": 10}'])

    found = reranking(folder, chat, reranker_depth=10).search(QUESTION, k=2)

    assert [hit.paper.id for hit in found] == [deep[8], deep[0]]


def test_a_model_that_talks_nonsense_changes_nothing_and_it_is_said(folder: Path) -> None:
    before = [hit.paper.id for hit in reranking(folder, reranker="none").search(QUESTION)]

    found = reranking(folder, ScriptedChat(["What a lovely day."])).search(QUESTION)

    assert [hit.paper.id for hit in found] == before
    assert {hit.notice for hit in found} == {"Not re-ranked: the reply of the model scripted holds no grade"}


def test_another_model_of_the_same_server_can_judge(folder: Path) -> None:
    with ScriptedServer(chat=[spoken('{"2": 10}')]) as server:
        engine = reranking(folder, openai_base_url=server.url, llm_model="large", reranker_model="small")
        found = engine.search(QUESTION)
        assert [request.body["model"] for request in server.requests] == ["small"]
    assert found[0].ranks["fused"] == 2


def test_without_one_of_its_own_it_is_the_model_that_answers(folder: Path) -> None:
    with ScriptedServer(chat=[spoken('{"2": 10}')]) as server:
        reranking(folder, openai_base_url=server.url, llm_model="large").search(QUESTION)
        assert [request.body["model"] for request in server.requests] == ["large"]


def test_a_server_that_is_down_leaves_an_answer(folder: Path) -> None:
    with ScriptedServer(chat=[failure(500, "oops")]) as server:
        answer = reranking(folder, openai_base_url=server.url, llm_model="large", llm_retries=0).ask(QUESTION)
    assert answer.sources or answer.related


def test_a_cross_encoder_that_is_not_installed_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="pip install 'rag-qa"):
        reranking(folder, reranker="cross-encoder").search(QUESTION)


def test_as_many_are_judged_as_the_setting_says_and_that_is_the_default_of_the_parts() -> None:
    assert load().reranker_depth == DEPTH
