"""Whatever stops indexing, wherever: the next run gives the index that a clean run gives, and a search in between finds whole papers only."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from rag_qa import text
from rag_qa.errors import EmptyIndexError, ProviderError, StaleIndexError
from rag_qa.index import catalog, changes, database, keywords, register, vectors
from rag_qa.index import store as store_module
from rag_qa.index.store import Store
from rag_qa.papers import Paper
from rag_qa.retrieval.retriever import Retriever
from tests.index.making import QUESTIONS, BagEmbedder, abstract, built, paper, seen, update

Files = Mapping[str, Sequence[Paper]]

BEFORE: Files = {
    "a.txt": [paper(abstract(number), f"a.txt:{number}") for number in range(1, 4)],
    "b.txt": [paper(abstract(1), "b.txt:1"), paper(abstract(4), "b.txt:2", year=2024)],
}
# one paper edited, one removed, one added, one under another heading, one in a second place
AFTER: Files = {
    "a.txt": [paper(abstract(1), "a.txt:1"), paper(abstract(2).replace("study", "survey"), "a.txt:2"), paper(abstract(9), "a.txt:4")],
    "b.txt": [paper(abstract(4), "b.txt:1", year=2025)],
}

Place = tuple[str, int]  # file and line
SOURCES = {module.__file__ for module in (store_module, catalog, changes, database, keywords, register, vectors)}
FEWER: Files = {"a.txt": BEFORE["a.txt"][:1], "b.txt": BEFORE["b.txt"]}
WRITERS = frozenset(
    """_begin_anew _catch_up _add_all _remove _clear_away _add discard remove writing _writer _one_write _new_writer _take take hold leave _leave plan
    drop fail settle _decide succeed note announce transaction _roll_back put delete_papers replace_all finish withdraw drop forget_built""".split()
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the index from before."""
    folder = tmp_path_factory.mktemp("before") / "index"
    built(folder, BEFORE)
    return folder


def copied(made: Path, to: Path) -> Path:
    return Path(shutil.copytree(made, to))


def check_between(folder: Path) -> None:
    """A search finds papers that are whole, or says that there is none yet."""
    embedder = BagEmbedder()
    store = Store(folder, embedder)
    try:
        hits = [hit for question in QUESTIONS for hit in Retriever(store, embedder).search(question, k=20)]
    except EmptyIndexError:
        return
    known = {one.id: one for papers in (*BEFORE.values(), *AFTER.values()) for one in papers}
    for hit in hits:
        assert hit.paper.abstract == known[hit.paper.id].abstract
        passages = store.passages({hit.paper.id: hit.paper})[hit.paper.id]
        assert " ".join(passage.text for passage in passages) == hit.paper.abstract
        assert len(store.sentence_vectors([hit.paper.id])[hit.paper.id]) == len(text.sentences(hit.paper.abstract))


# ------------------------------------------------------------------------------------- an embedder or a caller that raises


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ProviderError("the server is down")])
@pytest.mark.parametrize(
    ("who", "calls"), [("embedder", 0), ("embedder", 1), ("embedder", 2), ("progress", 0), ("progress", 1), ("progress", 2), ("progress", 3)]
)
def test_an_embedder_or_a_progress_bar_that_raises(who: str, calls: int, error: BaseException, tmp_path: Path) -> None:
    papers = [paper(abstract(number), f"a.txt:{number}") for number in range(70)]  # three batches
    left = iter(range(calls))

    def fail_at_last(stage: str = "embedding", *_: object) -> None:
        if stage == "embedding" and next(left, None) is None:
            raise error

    store = Store(tmp_path / "index", BagEmbedder(before_embedding=fail_at_last if who == "embedder" else None))
    with pytest.raises(type(error)):
        update(store, {"a.txt": papers}, progress=fail_at_last if who == "progress" else None)

    done = min(32 * calls, 70)
    assert store.count()[0] == done
    embedder = BagEmbedder()
    if done:
        assert len(Retriever(Store(store.folder, embedder), embedder).search("tides in a region", k=100)) == done
    changes = update(Store(store.folder, embedder), {"a.txt": papers})
    assert (changes.added, changes.unchanged, changes.embedded) == (70 - done, done, 70 - done)
    assert seen(Store(store.folder, embedder), embedder) == built(tmp_path / "clean", {"a.txt": papers})


# ------------------------------------------------------------------------------------------------- Ctrl-C at every line


@contextmanager
def passing(do: Callable[[Place], None]) -> Iterator[None]:
    """Do something before each line of the code that writes when it is first reached."""
    noted: dict[Place, None] = {}

    def trace(frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code.co_filename not in SOURCES or code.co_name not in WRITERS:
            return None
        here = (Path(code.co_filename).name, frame.f_lineno)
        if event == "line" and here not in noted:
            noted[here] = None
            do(here)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def interrupted(at: Place) -> Iterator[None]:
    """Raise KeyboardInterrupt where a line of the code that writes is first reached."""

    def stop(here: Place) -> None:
        if here == at:
            raise KeyboardInterrupt

    with passing(stop):
        yield


def places_in(work: Callable[[], object]) -> list[Place]:
    passed: list[Place] = []
    with passing(passed.append):
        work()
    return passed


@pytest.mark.parametrize(
    ("files", "ours_at_least", "theirs_at_least"), [(AFTER, 15, 40), (FEWER, 8, 20)], ids=["all kinds of changes", "removal only"]
)
def test_an_update_interrupted_at_any_line_that_writes(files: Files, ours_at_least: int, theirs_at_least: int, made: Path, tmp_path: Path) -> None:
    clean = built(tmp_path / "clean", files)
    places = places_in(lambda: update(Store(copied(made, tmp_path / "whole"), BagEmbedder()), files))
    # between two lines of the store a part changes as a whole: of its parts, some lines are enough
    ours = [place for place in places if place[0] == "store.py"]
    theirs = [place for place in places if place[0] != "store.py"]
    assert len(ours) > ours_at_least
    assert len(theirs) > theirs_at_least

    for number, place in enumerate([*ours, *theirs[::8]]):
        folder = copied(made, tmp_path / str(number))
        with interrupted(place), pytest.raises(KeyboardInterrupt):
            update(Store(folder, BagEmbedder()), files)

        check_between(folder)
        embedder = BagEmbedder()
        store = Store(folder, embedder)
        update(store, files)
        assert seen(store, embedder) == clean, f"interrupted at {place}"


def test_a_rebuild_interrupted_at_any_line_that_writes(made: Path, tmp_path: Path) -> None:
    def other() -> BagEmbedder:
        return BagEmbedder("sack", dimensions=8)

    whole = Store(copied(made, tmp_path / "whole"), other())
    places = [place for place in places_in(whole.rebuild) if place[0] == "store.py"]
    shown = seen(whole, other())
    assert len(places) > 15

    for number, place in enumerate(places[::2]):
        folder = copied(made, tmp_path / str(number))
        with interrupted(place), pytest.raises(KeyboardInterrupt):
            Store(folder, other()).rebuild()

        with contextlib.suppress(StaleIndexError):
            check_between(folder)
        # to go on: the same command again; or, once the index is the new model's, indexing the files again
        if number % 2:
            Store(folder, other()).rebuild()
        else:
            with contextlib.suppress(StaleIndexError):
                update(Store(folder, other()), BEFORE)
            if other().name not in (folder / "manifest.json").read_text():
                Store(folder, other()).rebuild()
        assert seen(Store(folder, other()), other()) == shown, f"interrupted at {place}"


# ------------------------------------------------------------------------------------------------------------- kill -9

KILLED = """
import sys, time
from pathlib import Path
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, abstract, paper, update

store = Store(Path(sys.argv[1]), BagEmbedder(before_embedding=lambda: time.sleep(0.02)))
papers = [paper(abstract(number), f"a.txt:{number}") for number in range(100)]
update(store, {"a.txt": papers}, progress=lambda stage, done, total: stage == "embedding" and print(done, flush=True))
"""


@pytest.mark.parametrize(("after", "pause"), [(0, 0.0), (32, 0.05), (64, 0.1)])
def test_a_process_that_is_killed(after: int, pause: float, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "index")], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == after:
                break
        time.sleep(pause)
        process.kill()
    assert process.returncode == -signal.SIGKILL

    papers = [paper(abstract(number), f"a.txt:{number}") for number in range(100)]
    embedder = BagEmbedder()
    store = Store(tmp_path / "index", embedder)
    done = store.count()[0]
    assert done % 32 == 0 or done == 100
    assert done >= after
    if done:
        assert len(Retriever(store, embedder).search("tides in a region", k=200)) == done
    assert update(store, {"a.txt": papers}).embedded == 100 - done
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": papers})
