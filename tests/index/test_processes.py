"""Two processes on one index: a reader follows a writer, and two writers do not mix."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rag_qa.errors import EmptyIndexError, IndexBusyError
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, Reader, abstract, paper, update

WRITER = """
import sys
from pathlib import Path
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, abstract, paper, update

def wait():
    print("waiting", flush=True)
    sys.stdin.readline()

folder, path, numbers, todo = Path(sys.argv[1]), sys.argv[2], map(int, sys.argv[3].split()), sys.argv[4]
store = Store(folder, BagEmbedder(before_embedding=wait if todo == "slowly" else None))
if todo == "rebuild":
    store.rebuild()
else:
    update(store, {path: [paper(abstract(number), f"{path}:{number}") for number in numbers]})
"""


@contextmanager
def writing(folder: Path, path: str, *numbers: int) -> Iterator[subprocess.Popen[str]]:
    """Another process that updates a file, and waits for a line before it embeds each batch."""
    command = [sys.executable, "-c", WRITER, str(folder), path, " ".join(map(str, numbers)), "slowly"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        yield process
        process.communicate("\n" * 9)
    assert process.returncode == 0


def go_on(process: subprocess.Popen[str]) -> None:
    """Let it embed a batch and come to the next."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "waiting\n"


def elsewhere(folder: Path, path: str, *numbers: int, todo: str = "update") -> None:
    """Do it in another process."""
    subprocess.run([sys.executable, "-c", WRITER, str(folder), path, " ".join(map(str, numbers)), todo], check=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "index"
    update(Store(made, BagEmbedder()), {"a.txt": [paper(abstract(number), f"a.txt:{number}") for number in (1, 2, 3)]})
    return made


def test_a_reader_finds_what_another_process_added_and_not_what_it_removed(folder: Path) -> None:
    reader = Reader(folder)
    assert reader.found() == {1, 2, 3}

    elsewhere(folder, "a.txt", 2, 3, 4)
    assert reader.found() == {2, 3, 4}

    elsewhere(folder, "a.txt", todo="rebuild")
    assert reader.found() == {2, 3, 4}

    elsewhere(folder, "a.txt")
    with pytest.raises(EmptyIndexError, match="holds no paper"):
        reader.found()

    elsewhere(folder, "a.txt", 7)
    assert reader.found() == {7}


def test_a_reader_follows_an_index_that_was_deleted_and_made_again(folder: Path) -> None:
    reader = Reader(folder)
    assert reader.found() == {1, 2, 3}

    shutil.rmtree(folder)
    elsewhere(folder, "b.txt", 8)

    assert reader.found() == {8}


def test_a_search_during_indexing_finds_whole_papers(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "index")
    with pytest.raises(EmptyIndexError, match="There is no index"):
        reader.found()

    with writing(tmp_path / "index", "a.txt", *range(70)) as process:
        with pytest.raises(EmptyIndexError, match="is not ready: wait until rag-qa index is done; if it was interrupted, run it again"):
            reader.found()
        go_on(process)
        first = reader.found()
        assert len(first) == 32
        go_on(process)
        assert len(reader.found()) == 64
        assert first < reader.found()

    assert reader.found() == set(range(70))


def test_a_search_during_an_update_finds_what_takes_a_place_in_a_file_or_what_had_it(folder: Path) -> None:
    reader = Reader(folder)
    assert reader.found() == {1, 2, 3}

    with writing(folder, "a.txt", 4, 2):  # 1 may have been edited; nothing has come in the place of 3
        assert reader.found() == {1, 2}

    assert reader.found() == {2, 4}


def test_two_writers_do_not_mix(folder: Path) -> None:
    second = Store(folder, BagEmbedder(), patience=0.1)

    with writing(folder, "b.txt", 5, 6):
        for attempt in (lambda: update(second, {"c.txt": [paper(abstract(9), "c.txt:1")]}), second.rebuild):
            with pytest.raises(IndexBusyError) as error:
                attempt()
            assert str(error.value) == f"Another rag-qa index is writing to {folder}: wait until it is done and run this again"

    update(second, {"c.txt": [paper(abstract(9), "c.txt:1")]})  # it knows what the first wrote
    assert Reader(folder).found() == {1, 2, 3, 5, 6, 9}


def test_a_writer_waits_a_moment_for_another(folder: Path) -> None:
    with writing(folder, "b.txt", 5) as process:
        threading.Timer(0.3, print, ["\n"], {"file": process.stdin, "flush": True}).start()
        update(Store(folder, BagEmbedder(), patience=20), {"c.txt": [paper(abstract(9), "c.txt:1")]})

    assert Reader(folder).found() == {1, 2, 3, 5, 9}


def test_threads_search_while_another_thread_writes(folder: Path) -> None:
    reader, writer = Reader(folder), Store(folder, BagEmbedder())
    errors: list[BaseException] = []
    stopped = threading.Event()

    def read() -> None:
        try:
            while not stopped.is_set():
                assert reader.found() >= {1, 2, 3}
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for last in range(10, 16):
            update(writer, {"b.txt": [paper(abstract(number), f"b.txt:{number}") for number in range(10, last)]})
    finally:
        stopped.set()
        for thread in threads:
            thread.join()

    assert errors == []
    assert reader.found() == {1, 2, 3, *range(10, 15)}


def test_nothing_heavy_is_loaded_before_it_is_needed(project: Path, tmp_path: Path) -> None:
    code = """
import sys
from rag_qa.engine import Engine
from rag_qa.errors import EmptyIndexError
from rag_qa.settings import load

engine = Engine(load(data_dir="nowhere"))
for attempt in (engine.info, engine.papers):
    try:
        attempt()
    except EmptyIndexError:
        pass
print(engine.index(["gone.txt"]).failed[0].reason)
print(sorted({"chromadb", "gradio", "onnxruntime", "tokenizers", "openai", "tiktoken", "wordllama", "rich"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)

    assert done.stdout == "no such file or folder\n[]\n"
    assert not (tmp_path / "nowhere").exists()


def test_info_and_papers_need_no_chroma(folder: Path) -> None:
    code = """
import sys
from pathlib import Path
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, update

store = Store(Path(sys.argv[1]), BagEmbedder())
print(store.manifest().embedder, store.count(), len(store.papers()), "chromadb" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True)

    assert done.stdout == "bag (3, 6) 3 False\n"
