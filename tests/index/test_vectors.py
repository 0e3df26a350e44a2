"""Chroma behind its door: nearest first, filters, other processes, faults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexingError
from rag_qa.index.vectors import Near, VectorStore


def axis(number: int, dimensions: int = 4) -> Vectors:
    vector: Vectors = np.eye(dimensions, dtype=np.float32)[number]
    return vector


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    made = VectorStore(tmp_path / "chroma")
    vectors = np.stack([axis(0), axis(1), (axis(0) + axis(1)) / np.sqrt(2), -axis(0)])
    made.put(["a:0", "a:1", "b:0", "c:0"], vectors, ["a", "a", "b", "c"])
    return made


def ids(found: list[Near]) -> list[str]:
    return [near.passage_id for near in found]


def test_the_nearest_come_first_with_their_cosine(store: VectorStore) -> None:
    found = store.query(axis(0), 10)

    assert ids(found) == ["a:0", "b:0", "a:1", "c:0"]
    assert [near.similarity for near in found] == pytest.approx([1.0, 0.7071, 0.0, -1.0], abs=1e-3)
    assert [near.paper_id for near in found] == ["a", "b", "a", "c"]


def test_as_many_as_are_asked_for_and_are_there(store: VectorStore) -> None:
    assert len(store.query(axis(0), 2)) == 2
    assert len(store.query(axis(0), 10**15)) == 4
    assert store.query(axis(0), 0) == []


def test_ties_are_broken_by_id(tmp_path: Path) -> None:
    store = VectorStore(tmp_path)
    store.put(["c:0", "a:0", "b:0"], np.stack([axis(0)] * 3), list("cab"))

    assert ids(store.query(axis(0), 3)) == ["a:0", "b:0", "c:0"]


def test_the_nearest_of_some(store: VectorStore) -> None:
    found = store.query_among(axis(0), 9, ["c:0", "b:0", "a:1", "unheard:0"])

    assert [(near.passage_id, near.paper_id) for near in found] == [("b:0", "b"), ("a:1", "a"), ("c:0", "c")]
    assert [near.similarity for near in found] == pytest.approx([0.7071, 0.0, -1.0], abs=1e-3)
    assert ids(store.query_among(axis(0), 1, ["c:0", "b:0"])) == ["b:0"]
    assert store.query_among(axis(0), 9, ["unheard:0"]) == store.query_among(axis(0), 9, []) == store.query_among(axis(0), 0, ["a:0"]) == []


def test_the_nearest_of_many(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "many")
    vectors = np.random.default_rng(3).standard_normal((2000, 16), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = [f"p{number}" for number in range(2000)]
    store.put([f"{name}:0" for name in names], vectors, names)

    found = store.query(vectors[5], 20, [f"p{number}:0" for number in range(0, 2000, 5)])

    expected = sorted(range(0, 2000, 5), key=lambda number: -float(vectors[number] @ vectors[5]))[:20]
    assert len(set(ids(found)) & {f"p{number}:0" for number in expected}) >= 19  # of a graph, nearly all
    assert found[0].passage_id == "p5:0"


def test_a_passage_is_replaced_and_papers_are_removed(store: VectorStore) -> None:
    store.put(["a:0"], -axis(0)[None], ["a"])
    assert ids(store.query(axis(0), 9))[-2:] == ["a:0", "c:0"]

    store.delete_papers(["a", "c", "unheard"])

    assert (store.ids(), len(store)) == (["b:0"], 1)
    store.delete_papers([])
    assert len(store) == 1


def test_more_than_chroma_takes_at_once(tmp_path: Path) -> None:
    store = VectorStore(tmp_path)
    names = [f"p{i}" for i in range(6000)]
    store.put([f"{name}:0" for name in names], np.ones((6000, 2), np.float32), names)
    assert len(store) == 6000

    store.delete_papers(names[:5900])

    assert len(store) == 100


def test_looking_makes_nothing(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "nowhere")

    assert (store.query(axis(0), 3), store.ids(), len(store)) == ([], [], 0)
    store.delete_papers(["a"])
    store.close()
    assert not (tmp_path / "nowhere").exists()


def test_what_another_process_wrote_is_seen_after_closing(store: VectorStore, tmp_path: Path) -> None:
    assert len(store.query(axis(2), 9)) == 4
    code = (
        "import sys, numpy as np; from pathlib import Path; from rag_qa.index.vectors import VectorStore; store = VectorStore(Path(sys.argv[1]))\n"
        "store.put(['d:0'], np.eye(4, dtype=np.float32)[2:3], ['d']); store.delete_papers(['a'])"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "chroma")], check=True)

    store.close()

    assert ids(store.query(axis(2), 9)) == ["d:0", "b:0", "c:0"]


def test_two_in_one_process_do_not_close_each_other(store: VectorStore, tmp_path: Path) -> None:
    other = VectorStore(tmp_path / "chroma")
    assert len(other) == 4

    other.close()
    other.close()

    assert ids(store.query(axis(0), 1)) == ["a:0"]
    assert ids(other.query(axis(0), 1)) == ["a:0"]


def test_opening_again_and_again_leaves_no_file_open(store: VectorStore) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("needs /proc to count open files")
    store.query(axis(0), 1)
    before = len(list(descriptors.iterdir()))

    for _ in range(5):
        store.close()
        store.query(axis(0), 1)

    assert len(list(descriptors.iterdir())) < before + 5  # one that stays open each time would be seen; threads of others come and go


def message(store: VectorStore, tmp_path: Path) -> str:
    with pytest.raises(IndexingError) as error:
        store.put(["x:0"], axis(0)[None], ["x"])
    found = str(error.value)
    assert found.startswith(f"Chroma can't use {tmp_path}/chroma (")
    assert found.endswith("): make it again with: rag-qa index --rebuild")
    assert "\n" not in found
    return found


@pytest.mark.parametrize(("at", "junk"), [(0, b"garbage" * 1000), (40960, b"\xff" * 60000)])
def test_a_broken_database_is_one_clear_line(at: int, junk: bytes, store: VectorStore, tmp_path: Path) -> None:
    store.close()
    with (tmp_path / "chroma" / "chroma.sqlite3").open("r+b") as database:
        database.seek(at)
        database.write(junk)

    message(store, tmp_path)
    message(store, tmp_path)  # and says so again


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("x")

    message(VectorStore(tmp_path / "chroma"), tmp_path)


def test_vectors_of_another_length(store: VectorStore) -> None:
    with pytest.raises(IndexingError, match="dimension of 4, got 5"):
        store.query(np.ones(5, np.float32), 3)
    with pytest.raises(IndexingError, match="dimension of 4, got 5"):
        store.put(["x:0"], np.ones((1, 5), np.float32), ["x"])
    assert len(store) == 4
