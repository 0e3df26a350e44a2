"""Vectors on a real Chroma server that several processes share: the same index, no file of Chroma in its folder."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

from rag_qa.engine import Engine
from rag_qa.errors import IndexingError
from rag_qa.index.store import ChromaServer, Store
from rag_qa.settings import load
from tests.index.making import BagEmbedder, Reader, abstract, built, paper, seen, update
from tests.index.served import chroma_server, free_port
from tests.scripted_server import ScriptedServer

FILES = {"a.txt": [paper(abstract(number), f"a.txt:{number}") for number in (1, 2, 3)]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    with chroma_server(tmp_path_factory.mktemp("server")) as url:
        yield ChromaServer(url)


@pytest.fixture
def folder(tmp_path: Path, server: ChromaServer) -> Path:
    made = tmp_path / "index"
    update(Store(made, BagEmbedder(), server=server), FILES)
    return made


def collections(server: ChromaServer) -> set[str]:
    """The names of all collections of a server."""
    with urlopen(f"{server.url}/api/v2/tenants/default_tenant/databases/default_database/collections") as reply:
        return {one["name"] for one in json.load(reply)}


def elsewhere(code: str, *arguments: object) -> None:
    """Do it in another process."""
    subprocess.run([sys.executable, "-c", OPENING + code, *map(str, arguments)], check=True)


def shown(index: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is seen of an index, with scores as exact as a server gives them: it rounds otherwise than the library does."""
    found = [
        [replace(hit, score=round(hit.score, 4), scores={name: round(score, 4) for name, score in hit.scores.items()}) for hit in hits]
        for hits in index["found"]
    ]
    return {**index, "found": found}


OPENING = """
import json, sys, time
from pathlib import Path
from rag_qa.index.store import ChromaServer, Store
from tests.index.making import BagEmbedder, Reader, abstract, paper, update

folder, server = Path(sys.argv[1]), ChromaServer(sys.argv[2])
"""


# ------------------------------------------------------------------------------------------------------- as with a folder


def test_it_shows_what_an_index_in_a_folder_shows(folder: Path, server: ChromaServer, tmp_path: Path) -> None:
    embedder = BagEmbedder()
    store = Store(folder, embedder, server=server)
    assert shown(seen(store, embedder)) == shown(built(tmp_path / "clean", FILES))
    assert not (folder / "chroma").exists()

    changed = {"a.txt": [paper(abstract(2), "a.txt:1"), paper(abstract(3).replace("study", "survey"), "a.txt:2"), paper(abstract(4), "a.txt:3")]}
    assert update(store, changed).embedded == 2

    assert shown(seen(store, embedder)) == shown(built(tmp_path / "clean-2", changed))


def test_the_engine_uses_the_server_of_the_settings(server: ChromaServer, tmp_path: Path) -> None:
    (tmp_path / "tides.txt").write_text(f"{abstract(1)}\n\n{abstract(2)}\n")
    engine = Engine(load(data_dir=tmp_path / "data", chroma_url=f"{server.url}/", answerer="extractive"), embedder=BagEmbedder())

    assert engine.index([tmp_path / "tides.txt"]).added == 2

    assert {hit.paper.abstract for hit in engine.search("a region by a method")} == {abstract(1), abstract(2)}
    assert not (tmp_path / "data" / "index" / "chroma").exists()


def test_two_indexes_on_one_server_know_nothing_of_each_other(folder: Path, server: ChromaServer, tmp_path: Path) -> None:
    other = tmp_path / "other" / "index"
    update(Store(other, BagEmbedder(), server=server), {"a.txt": [paper(abstract(number), f"a.txt:{number}") for number in (3, 4)]})
    assert (Reader(folder, server=server).found(), Reader(other, server=server).found()) == ({1, 2, 3}, {3, 4})

    update(Store(other, BagEmbedder(), server=server), {"a.txt": [paper(abstract(4), "a.txt:1")]})
    Store(other, BagEmbedder(), server=server).rebuild()

    assert (Reader(folder, server=server).found(), Reader(other, server=server).found()) == ({1, 2, 3}, {4})


def test_a_rebuild_leaves_no_other_collection_behind(folder: Path, server: ChromaServer) -> None:
    before, reader = collections(server), Reader(folder, server=server)
    assert reader.found() == {1, 2, 3}

    elsewhere("Store(folder, BagEmbedder(), server=server).rebuild()", folder, server.url)

    assert len(collections(server)) == len(before)
    assert collections(server) != before
    assert reader.found() == {1, 2, 3}  # who had it open finds the new one


def test_a_rebuild_of_a_copy_leaves_the_collection_of_the_original(folder: Path, server: ChromaServer, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))

    Store(copy, BagEmbedder(), server=server).rebuild()

    assert Reader(folder, server=server).found() == Reader(copy, server=server).found() == {1, 2, 3}


# ------------------------------------------------------------------------------------------------------- several processes


class Look(NamedTuple):
    """What a process found, and when."""

    at: float
    found: frozenset[int]


LOOKING = """
reader = Reader(folder, server=server)
while True:
    print(json.dumps([time.time(), sorted(reader.found())]), flush=True)
    time.sleep(0.02)
"""
WRITING = """
files = json.loads(sys.argv[3])
store = Store(folder, BagEmbedder(before_embedding=lambda: time.sleep(0.2)), server=server)
update(store, {path: [paper(abstract(number), f"{path}:{number}") for number in numbers] for path, numbers in files.items()})
"""


@contextmanager
def looking(folder: Path, server: ChromaServer) -> Iterator[list[Look]]:
    """Another process that searches again and again; what it found is there when it has ended."""
    looks: list[Look] = []
    command = [sys.executable, "-c", OPENING + LOOKING, str(folder), server.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        looks.append(_look(process.stdout.readline()))  # it runs
        yield looks
        assert process.poll() is None, process.communicate()[1]
        process.terminate()
        output, errors = process.communicate()
    assert errors == ""
    looks += [_look(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]


def _look(line: str) -> Look:
    at, numbers = json.loads(line)
    return Look(at, frozenset(numbers))


def test_two_processes_search_while_a_third_indexes(folder: Path, server: ChromaServer) -> None:
    added = list(range(10, 150))  # five batches
    first, second, last = frozenset({1, 2, 3}), frozenset({1, 2, 3, *added}), frozenset({2, 3, *added[20:], 200})

    with looking(folder, server) as one, looking(folder, server) as other:
        elsewhere(WRITING, folder, server.url, json.dumps({"b.txt": added}))
        grown = time.time()
        time.sleep(2)
        elsewhere(WRITING, folder, server.url, json.dumps({"a.txt": [2, 3, 200], "b.txt": added[20:]}))
        changed = time.time()
        time.sleep(2)

    for looks in (one, other):
        growing = [look.found for look in looks if look.at < grown]
        assert growing[0] == first
        assert all(before <= after <= second for before, after in itertools.pairwise(growing))
        assert len(set(growing)) > 2  # batch by batch
        assert next(look.at for look in looks if look.found == second) - grown < 2
        assert next(look.at for look in looks if look.found == last) - changed < 2
        assert looks[-1].found == last
        assert all(look.found <= second | {200} for look in looks)


def test_a_process_that_is_killed_leaves_work_and_no_half_paper(folder: Path, server: ChromaServer, tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENING + WRITING, str(folder), server.url, json.dumps({"b.txt": list(range(10, 110))})]
    with subprocess.Popen(command) as process:
        time.sleep(1.2)
        process.kill()

    found = Reader(folder, server=server).found()
    assert found >= {1, 2, 3}

    elsewhere(WRITING, folder, server.url, json.dumps({"b.txt": list(range(10, 110))}))
    embedder = BagEmbedder()
    files = {**FILES, "b.txt": [paper(abstract(number), f"b.txt:{number}") for number in range(10, 110)]}
    assert shown(seen(Store(folder, embedder, server=server), embedder)) == shown(built(tmp_path / "clean", files))


# ------------------------------------------------------------------------------------------------------- what may be wrong


def line_of(attempt: Any) -> str:
    with pytest.raises(IndexingError) as error:
        attempt()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_server_that_is_down_is_one_clear_line(folder: Path, server: ChromaServer) -> None:
    down = ChromaServer(f"http://127.0.0.1:{free_port()}")
    store = Store(folder, BagEmbedder(), server=down)

    for attempt in (store.open, lambda: update(store, FILES), store.rebuild):
        assert line_of(attempt) == (
            f"The Chroma server at {down.url} can't be used (Connection refused): start it (chroma run --path FOLDER), or correct RAG_QA_CHROMA_URL"
        )

    assert Reader(folder, server=server).found() == {1, 2, 3}  # nothing was lost by trying


def test_no_such_host(folder: Path) -> None:
    store = Store(folder, BagEmbedder(), server=ChromaServer("http://localhost:1/"))

    assert "can't be used (" in line_of(store.open)


def test_a_server_of_another_kind(folder: Path) -> None:
    with ScriptedServer() as other:
        url = other.url.removesuffix("/v1")
        said = line_of(Store(folder, BagEmbedder(), server=ChromaServer(url, token="tok-secret")).open)
        headers = other.requests[0].headers

    assert said.startswith(f"The Chroma server at {url} can't be used (")
    assert said.endswith("or correct RAG_QA_CHROMA_URL")
    assert "tok-secret" not in said
    assert (headers["Authorization"], headers["X-Chroma-Token"]) == ("Bearer tok-secret", "tok-secret")


def test_a_server_that_lost_its_data_is_noticed_and_filled_again(tmp_path: Path) -> None:
    port, folder = free_port(), tmp_path / "index"
    with chroma_server(tmp_path / "server", port=port) as url:
        server = ChromaServer(url)
        update(Store(folder, BagEmbedder(), server=server), FILES)
        reader = Reader(folder, server=server)
        assert reader.found() == {1, 2, 3}

    assert "can't be used" in line_of(reader.found)
    with chroma_server(tmp_path / "server", port=port):
        assert reader.found() == {1, 2, 3}  # it was away

    with chroma_server(tmp_path / "empty", port=port):
        assert "rag-qa index --rebuild" in line_of(reader.found)
        store = Store(folder, BagEmbedder(), server=server)
        for attempt in (store.open, lambda: update(store, FILES)):
            assert line_of(attempt) == (
                f"The index in {folder} has lost a part: it lists 3 papers in 6 passages; there are keywords of 3 papers, and 0 of its vectors in "
                f"the Chroma server at {url}. Make it again with: rag-qa index --rebuild   (or correct RAG_QA_CHROMA_URL)"
            )

        store.rebuild()
        assert shown(seen(store, BagEmbedder())) == shown(built(tmp_path / "clean", FILES))
        assert reader.found() == {1, 2, 3}


def test_from_a_folder_to_a_server_and_back(server: ChromaServer, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    update(Store(folder, BagEmbedder()), FILES)
    served = Store(folder, BagEmbedder(), server=server)

    assert "0 of its vectors in the Chroma server" in line_of(served.open)
    served.rebuild()
    update(served, {"a.txt": FILES["a.txt"][:2]})
    assert Reader(folder, server=server).found() == {1, 2}

    # what the folder held is not what it should hold now
    back = Store(folder, BagEmbedder())
    assert f"0 of its vectors in {folder}/chroma. Make it again with: rag-qa index --rebuild" in line_of(back.open)
    back.rebuild()
    assert Reader(folder).found() == {1, 2}
