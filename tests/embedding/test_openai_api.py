"""The embedder against a real HTTP server: order, count, length and values of the vectors are checked, not believed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import numpy as np
import pytest

from rag_qa import tokens
from rag_qa.embedding import minilm as minilm  # makes itself known
from rag_qa.embedding.embedder import EMBEDDERS, Priced
from rag_qa.embedding.openai_api import AT_ONCE, MAX_REQUEST_TOKENS, MAX_TEXTS, NAMES, OpenAIEmbedder
from rag_qa.errors import AuthError, BadReply, ConnectionRefused, ContextTooLong, ProviderError
from rag_qa.openai_door import Door
from tests.scripted_server import Reply, ScriptedServer, failure, json_reply, vectors


def embedder(server: ScriptedServer, pauses: list[float] | None = None) -> OpenAIEmbedder:
    sleep = (pauses if pauses is not None else []).append
    return OpenAIEmbedder("tiny", door=Door(base_url=server.url, api_key="sk-secret", timeout=5.0, names=NAMES, sleep=sleep))


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts() -> None:
    with ScriptedServer(embeddings=[vectors((3, 4), (0, 2), (5, 0), order=(2, 0, 1))]) as server:
        found = embedder(server).embed(["a", "b", "c"])
        body = server.requests[0].body
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.array([[0.6, 0.8], [0, 1], [1, 0]]), rtol=1e-6)
    assert body == {"model": "tiny", "input": ["a", "b", "c"], "encoding_format": "float"}


def test_the_length_of_a_vector_is_learned_from_a_short_text_once() -> None:
    with ScriptedServer(embeddings=[vectors((1, 0, 0)), vectors((0, 1, 0))]) as server:
        model = embedder(server)
        assert model.dimensions == 3
        assert model.dimensions == 3
        assert model.embed(["a"]).shape == (1, 3)
        assert model.embed([]).shape == (0, 3)
        assert len(server.requests) == 2
        assert tokens.count(server.requests[0].body["input"][0]) <= 2


def test_the_name_tells_servers_apart() -> None:
    with ScriptedServer() as server:
        assert embedder(server).name == f"openai:tiny@{server.url.split('/')[2]}"
    assert OpenAIEmbedder("text-embedding-3-small", api_key="k").name == "openai:text-embedding-3-small"


def test_counts_and_limits_of_tokens() -> None:
    model = OpenAIEmbedder(api_key="k")
    assert model.max_tokens == 8191
    assert model.count_tokens("Ask a pile of papers.") == tokens.count("Ask a pile of papers.")


def test_many_texts_go_in_several_requests() -> None:
    texts = [f"text {i}" for i in range(MAX_TEXTS + 2)]
    replies = [vectors(*((i + 1, 1) for i in range(MAX_TEXTS))), vectors((1, 0), (0, 1))]
    with ScriptedServer(embeddings=replies) as server:
        found = embedder(server).embed(texts)
        assert [len(request.body["input"]) for request in server.requests] == [MAX_TEXTS, 2]
    assert found.shape == (MAX_TEXTS + 2, 2)
    np.testing.assert_allclose(found[-1], [0, 1])


class CountingServer:
    """Gives each text the vector (its number, 1), a moment later; notes how many requests it had at once."""

    def __init__(self, pause: float = 0.05, fails_on: str = "") -> None:
        self.most = self.now = self.asked = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                with server._lock:
                    server.asked += 1
                    server.now += 1
                    server.most = max(server.most, server.now)
                time.sleep(pause)
                with server._lock:
                    server.now -= 1
                status = 400 if fails_on in texts else 200
                body = json.dumps({"data": [{"index": i, "embedding": [int(text.split()[-1]), 1]} for i, text in enumerate(texts)]}).encode()
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


def counting(server: CountingServer, timeout: float = 10.0) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", base_url=server.url, api_key="k", timeout=timeout, retries=0)


def test_several_requests_are_under_way_at_once_and_keep_their_order() -> None:
    texts = [f"text {number}" for number in range(MAX_TEXTS * 20)]
    with CountingServer() as server:
        found = counting(server).embed(texts)

    np.testing.assert_allclose(found[:, 0] / found[:, 1], np.arange(len(texts)), rtol=1e-3)
    assert (server.asked, 2 <= server.most <= AT_ONCE) == (20, True)


def test_a_slow_server_is_asked_one_thing_after_the_other() -> None:
    with CountingServer(pause=0.2) as server:
        counting(server, timeout=1.0).embed([f"text {number}" for number in range(MAX_TEXTS * 4)])

    assert (server.asked, server.most) == (4, 1)


def test_after_a_failure_nothing_more_is_sent() -> None:
    texts = [f"text {number}" for number in range(MAX_TEXTS * 60)]
    with CountingServer(fails_on=f"text {MAX_TEXTS * 3}") as server:
        with pytest.raises(ProviderError):
            counting(server).embed(texts)
        time.sleep(0.3)
        asked = server.asked
        time.sleep(0.3)

        assert server.asked == asked < 40


def test_what_it_costs_is_known_of_openai_alone() -> None:
    assert OpenAIEmbedder("text-embedding-3-small", api_key="k").dollars(3_000_000) == pytest.approx(0.06)
    assert OpenAIEmbedder("text-embedding-9", api_key="k").dollars(3_000_000) is None
    assert OpenAIEmbedder("text-embedding-3-small", base_url="http://localhost:1/v1").dollars(3_000_000) is None
    assert isinstance(OpenAIEmbedder(api_key="k"), Priced)
    assert not isinstance(EMBEDDERS["minilm"](), Priced)


def test_long_texts_go_in_several_requests() -> None:
    long = "word " * (MAX_REQUEST_TOKENS // 2 + 100)
    with ScriptedServer(embeddings=[vectors((1, 0))] * 2) as server:
        assert embedder(server).embed([long, long]).shape == (2, 2)


def test_an_empty_text_is_sent_as_a_blank() -> None:
    with ScriptedServer(embeddings=[vectors((1, 0))]) as server:
        embedder(server).embed([""])
        assert server.requests[0].body["input"] == [" "]


def test_vectors_without_an_index_are_taken_as_they_come() -> None:
    with ScriptedServer(embeddings=[json_reply({"data": [{"embedding": [2, 0]}, {"embedding": [0, 2]}]})]) as server:
        np.testing.assert_allclose(embedder(server).embed(["a", "b"]), [[1, 0], [0, 1]])


def numbered(*rows: tuple[object, object]) -> Reply:
    return json_reply({"data": [{"index": index, "embedding": row} for index, row in rows]})


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (vectors((1, 0)), "1 vectors for 2 texts"),
        (vectors((1, 0), (1, 0), (1, 0)), "3 vectors for 2 texts"),
        (numbered((0, [1, 0]), (0, [1, 0])), "numbers do not match"),
        (numbered((0, [1, 0]), (2, [1, 0])), "numbers do not match"),
        (numbered((0, [1, 0]), ([], [1, 0])), "numbers do not match"),
        (numbered((0, [1, 0]), (1, [1, 0, 0])), "not of one length"),
        (numbered((0, [1, 0]), (1, [float("nan"), 0])), "not a number"),
        (numbered((0, [1, 0]), (1, [float("inf"), 0])), "not a number"),
        (numbered((0, [1, 0]), (1, [0, 0])), "zero"),
        (numbered((0, [1, 0]), (1, ["a", "b"])), "not lists of numbers"),
        (numbered((0, [1, 0]), (1, None)), "not lists of numbers"),
        (numbered((0, []), (1, [])), "not lists of numbers"),
        (numbered((0, 1), (1, 2)), "not lists of numbers"),
        (json_reply({"data": None}), "0 vectors for 2 texts"),
        (json_reply([1, 2]), "0 vectors for 2 texts"),
        (Reply([b"<html>hello</html>"], headers={"Content-Type": "text/html"}), "web page"),
        (Reply([b"{"]), "not JSON"),
    ],
)
def test_nonsense_is_not_believed(reply: Reply, words: str) -> None:
    with ScriptedServer(embeddings=[reply]) as server:
        with pytest.raises(BadReply) as caught:
            embedder(server).embed(["a", "b"])
        assert words in str(caught.value)
        assert server.url in str(caught.value)
        assert "tiny" in str(caught.value)


def test_another_length_than_before_is_noticed() -> None:
    with ScriptedServer(embeddings=[vectors((1, 0)), vectors((1, 0, 0))]) as server:
        model = embedder(server)
        model.embed(["a"])
        with pytest.raises(BadReply, match="length 3 after vectors of length 2"):
            model.embed(["b"])


@pytest.mark.parametrize(
    ("replies", "kind", "words"),
    [
        ([failure(401, "bad key")], AuthError, "RAG_QA_EMBEDDING_API_KEY"),
        ([failure(404, "no such model")], BadReply, "RAG_QA_EMBEDDING_MODEL"),
        ([failure(413, "inputs must have less than 512 tokens")], ContextTooLong, "RAG_QA_EMBEDDING_MODEL"),
        ([failure(400, "input is too large to process. increase the physical batch size")], ContextTooLong, "longer window"),
        ([failure(500, "oops")] * 3, BadReply, "oops"),
    ],
)
def test_faults(replies: Sequence[Reply], kind: type[ProviderError], words: str) -> None:
    with ScriptedServer(embeddings=replies) as server:
        with pytest.raises(kind) as caught:
            embedder(server).embed(["a"])
        assert words in str(caught.value)
        assert "sk-secret" not in str(caught.value)


def test_a_passing_fault_is_waited_out() -> None:
    pauses: list[float] = []
    with ScriptedServer(embeddings=[failure(429, "slow down", Retry_After="2"), failure(500, "oops"), vectors((1, 0))]) as server:
        assert embedder(server, pauses).embed(["a"]).shape == (1, 2)
    assert pauses == [2.0, 1.0]


def test_a_server_that_is_down() -> None:
    with ScriptedServer() as server:
        pass
    with pytest.raises(ConnectionRefused, match="RAG_QA_EMBEDDING_BASE_URL"):
        embedder(server).embed(["a"])


def test_it_is_registered() -> None:
    assert EMBEDDERS["openai"] is OpenAIEmbedder
