"""A folder of Chroma stays whole whenever the process that writes to it is killed, and while others open it."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag_qa.embedding.embedder import Vectors
from rag_qa.errors import IndexingError
from rag_qa.index.checkpoint import Checkpoint
from rag_qa.index.vectors import Folder, VectorStore, threshold_of

THRESHOLD = 100
DIMENSIONS = 32


def vectors(first: int, last: int) -> Vectors:
    """Passages with these numbers: always the same."""
    made = np.stack([np.random.default_rng(number).standard_normal(DIMENSIONS, np.float32) for number in range(first, last)])
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def put(store: VectorStore, first: int, last: int) -> None:
    names = [f"p{number}" for number in range(first, last)]
    store.put([f"{name}:0" for name in names], vectors(first, last), names)


def opened(folder: Path) -> VectorStore:
    return VectorStore(Folder(folder, threshold=THRESHOLD))


def check(folder: Path) -> int:
    """Each passage is there, and is the one that is nearest to itself; their number."""
    store = opened(folder)
    ids = store.ids()
    assert ids == sorted(f"p{number}:0" for number in range(len(ids)))
    for number in range(0, len(ids), 7):
        assert store.query(vectors(number, number + 1)[0], 1)[0].passage_id == f"p{number}:0"
    store.close()
    assert not folder.with_name("chroma.kept").exists()
    return len(ids)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "chroma"


WRITER = """
import sys
from pathlib import Path
from tests.index.test_checkpoint import opened, put

folder, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
store = opened(folder)
print(len(store), flush=True)
for start in range(first, last, 100):
    put(store, start, start + 100)
    print(start + 100, flush=True)
"""


def test_a_process_that_is_killed_while_it_writes(folder: Path) -> None:
    chance, there, interrupted = random.Random(7), 0, 0
    for _ in range(6):
        command = [sys.executable, "-c", WRITER, str(folder), str(there), str(there + 3000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == f"{there}\n"
            for _ in range(chance.randint(0, 8)):
                process.stdout.readline()
            time.sleep(chance.random() / 20)
            process.kill()
        interrupted += folder.with_name("chroma.kept").exists()
        there = check(folder)

    assert there > 0
    assert interrupted > 0  # at least one in the middle of a write that would have left a broken graph


def test_processes_open_it_while_another_writes(folder: Path) -> None:
    put(opened(folder), 0, 100)
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder), "100", "3000"], stdout=subprocess.PIPE, text=True) as writer:
        seen = [100]
        while writer.poll() is None:
            store = opened(folder)
            seen.append(len(store))
            assert len(store.query(vectors(0, 1)[0], 50)) == 50
            store.close()
    assert writer.returncode == 0
    assert seen == sorted(seen)
    assert check(folder) == 3000


def break_off_after(write: Callable[[], object], checkpoint: Checkpoint) -> None:
    """Write, and do not come to the end."""

    def begin() -> None:
        with checkpoint.changing(THRESHOLD):
            write()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin()


@pytest.mark.parametrize("broken", ["all", "header.bin", "data_level0.bin", "link_lists.bin", "index_metadata.pickle"])
def test_a_write_that_was_not_finished_is_undone(broken: str, folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 250)
    checkpoint = Checkpoint(folder, THRESHOLD)
    before = checkpoint.written

    def write_half() -> None:
        (graph,) = (path for path in folder.iterdir() if path.is_dir())
        for path in graph.iterdir():
            if broken in ("all", path.name):
                path.write_bytes(b"\xff" * (path.stat().st_size // 2))

    break_off_after(write_half, checkpoint)
    store.close()

    assert check(folder) == 250
    assert checkpoint.written == before


def test_a_write_that_was_finished_is_kept(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 250)
    checkpoint = Checkpoint(folder, THRESHOLD)
    collection = store._opened
    assert collection is not None
    break_off_after(lambda: collection.upsert([f"p{number}:0" for number in range(250, 400)], vectors(250, 400)), checkpoint)
    store.close()

    assert checkpoint.written == 400
    assert check(folder) == 400


def test_what_is_copied_is_copied_only_when_the_graph_is_written(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 60)
    checkpoint = Checkpoint(folder, THRESHOLD)
    assert (checkpoint.written, checkpoint.logged) == (0, 60)
    with checkpoint.changing(39):
        assert not folder.with_name("chroma.kept").exists()
    with checkpoint.changing(40):
        assert folder.with_name("chroma.kept").exists()
    assert sorted(path.name for path in folder.parent.iterdir()) == ["chroma", "chroma.lock"]

    put(store, 60, 100)

    assert (checkpoint.written, checkpoint.logged) == (100, 0)


def test_settling_leaves_nothing_to_be_worked_in(folder: Path) -> None:
    store = VectorStore(Folder(folder, threshold=900))
    put(store, 0, 400)
    store.settle()
    assert Checkpoint(folder, 900).logged == 400  # too little to matter

    put(store, 400, 600)
    store.settle()

    assert Checkpoint(folder, 900).logged == 0
    assert check(folder) == 600


def test_the_more_there_are_the_more_are_gathered_before_the_graph_is_written(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 2100)
    store.settle()
    put(store, 2100, 2101)

    assert store._opened is not None
    assert threshold_of(store._opened) == 2 * THRESHOLD
    assert check(folder) == 2101


def test_a_long_build_writes_the_graph_more_and_more_seldom(folder: Path) -> None:
    written: list[int] = []
    store, checkpoint = opened(folder), Checkpoint(folder, THRESHOLD)
    for start in range(0, 6000, 50):
        put(store, start, start + 50)
        if not written or checkpoint.written != written[-1]:
            written.append(checkpoint.written)
    store.close()

    assert [later - earlier for earlier, later in itertools.pairwise(written)][:15] == [THRESHOLD] * 15
    assert written[-1] - written[-2] == 4 * THRESHOLD
    assert len(written) < 40  # of 60
    assert check(folder) == 6000


def test_opening_keeps_nothing_back_where_it_writes_nothing(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 2100)
    put(store, 2100, 2250)
    store.close()

    checkpoint = Checkpoint(folder, THRESHOLD)
    assert checkpoint.logged > THRESHOLD
    before = checkpoint.written
    with checkpoint.opening():
        assert not folder.with_name("chroma.kept").exists()
    assert check(folder) == 2250
    assert checkpoint.written == before


def test_removing_counts_as_a_change(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 250)
    checkpoint = Checkpoint(folder, THRESHOLD)
    before = checkpoint.written

    store.delete_papers([f"p{number}" for number in range(100, 250)])

    assert checkpoint.written > before
    assert check(folder) == 100


def test_files_that_would_crash_the_process_are_one_clear_line(folder: Path) -> None:
    put(opened(folder), 0, 250)
    (graph,) = (path for path in folder.iterdir() if path.is_dir())
    with (graph / "link_lists.bin").open("r+b") as file:
        file.truncate(10**12)  # a file with a hole: it takes no room

    with pytest.raises(IndexingError, match=r"^The files of Chroma in .* are broken: make the index again with: rag-qa index --rebuild$"):
        len(opened(folder))


def test_discarding_leaves_nothing(folder: Path) -> None:
    store = opened(folder)
    put(store, 0, 250)
    folder.with_name("chroma.kept").mkdir()

    store.discard()

    assert [path.name for path in folder.parent.iterdir()] == ["chroma.lock"]
    put(store, 0, 10)
    assert check(folder) == 10
