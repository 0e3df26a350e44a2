"""Vectors that are kept: what is asked for, what comes out, and what the file survives."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.embedding.cache import Cached
from rag_qa.embedding.embedder import Remembering, Vectors
from rag_qa.errors import ConnectionRefused, IndexBusyError, IndexingError


class Recording:
    """Makes of a text the direction of its characters' codes, and remembers what it was asked for."""

    max_tokens = 9

    def __init__(self, name: str = "codes", dimensions: int = 5) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        raw = np.array([[float(ord(c) % 97) for c in (text + "?" * self.dimensions)[: self.dimensions]] for text in texts], np.float32)
        vectors: Vectors = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return vectors


class Away(Recording):
    """A remote model that does not answer."""

    @property
    def dimensions(self) -> int:
        raise ConnectionRefused("nobody answers")

    @dimensions.setter
    def dimensions(self, value: int) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ConnectionRefused("nobody answers")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where vectors are kept; the folder is not there yet."""
    return tmp_path / "deep" / "vectors.db"


@pytest.fixture
def filled(path: Path) -> Path:
    """A file with the vectors of many texts."""
    with closing(Cached(Recording(), path)) as cached:
        cached.embed([f"text {number}" for number in range(2000)])
    return path


# ------------------------------------------------------------------------------------------------------------- what is asked


def test_only_what_is_missing_is_asked_for_once_and_in_order(path: Path) -> None:
    inner = Recording()
    cached = Cached(inner, path)
    cached.embed(["b", "a"])
    assert inner.asked == ["b", "a"]
    cached.embed(["c", "a", "d", "c", "b"])
    assert inner.asked == ["b", "a", "c", "d"]
    assert cached.computed == 4


def test_vectors_come_in_the_order_of_the_texts(path: Path) -> None:
    cached = Cached(Recording(), path)
    alone = {text: cached.embed([text])[0] for text in "dcba"}
    found = cached.embed(["a", "c", "e", "a"])
    assert found.shape == (4, 5)
    assert found[0] is not found[3]
    assert found[[0, 1, 3]].tolist() == [alone["a"].tolist(), alone["c"].tolist(), alone["a"].tolist()]


def test_another_run_asks_nothing_and_gets_the_very_same_vectors(path: Path) -> None:
    texts = ["tides", "mosses", ""]
    fresh = Cached(Recording(), path).embed(texts)
    inner = Recording()
    kept = Cached(inner, path).embed(texts)
    assert inner.asked == []
    assert kept.tobytes() == fresh.tobytes()
    assert kept.dtype == np.float32


def test_what_would_be_asked_for_is_known_before(path: Path) -> None:
    inner = Recording()
    cached = Cached(inner, path)
    assert cached.missing(["a", "b", "a"]) == ["a", "b"]
    assert not path.exists()
    cached.embed(["a"])
    assert cached.missing(["a", "b", "a"]) == ["b"]
    assert inner.asked == ["a"]
    assert isinstance(cached, Remembering)


def test_who_only_searches_makes_no_file(path: Path) -> None:
    assert Cached(Recording(), path).dimensions == 5
    assert not path.parent.exists()


def test_more_texts_than_sqlite_takes_in_one_query(filled: Path) -> None:
    inner = Recording()
    texts = [f"text {number}" for number in range(2001)]
    assert Cached(inner, filled).embed(texts).shape == (2001, 5)
    assert inner.asked == ["text 2000"]


def test_models_do_not_share_vectors(path: Path) -> None:
    Cached(Recording("one"), path).embed(["a"])
    other = Recording("two", dimensions=3)
    assert Cached(other, path).embed(["a"]).shape == (1, 3)
    assert other.asked == ["a"]


def test_no_text_no_question(path: Path) -> None:
    inner = Recording()
    assert Cached(inner, path).embed([]).shape == (0, 5)
    assert inner.asked == []


def test_half_a_character_is_a_text_too(path: Path) -> None:
    cached = Cached(Recording(), path)
    assert cached.embed(["\ud800", "\ud801"]).tobytes() == cached.embed(["\ud800", "\ud801"]).tobytes()
    assert cached.computed == 2


def test_it_stands_in_for_the_other_embedder(path: Path) -> None:
    cached = Cached(Recording("codes"), path)
    assert (cached.name, cached.dimensions, cached.max_tokens, cached.count_tokens("four")) == ("codes", 5, 9, 4)


def test_a_remote_model_is_not_needed_for_what_is_kept(path: Path) -> None:
    kept = Cached(Recording(), path).embed(["a"])
    offline = Cached(Away(), path)
    assert offline.embed(["a"]).tobytes() == kept.tobytes()
    assert offline.dimensions == 5
    with pytest.raises(ConnectionRefused):
        offline.embed(["a", "b"])


@given(st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4).filter(lambda numbers: np.linalg.norm(numbers) > 0.01))
def test_rounding_turns_a_vector_by_less_than_a_thousandth(numbers: list[float]) -> None:
    exact: Vectors = np.array([numbers], np.float32) / np.linalg.norm(numbers).astype(np.float32)

    class Given(Recording):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return exact

    with closing(Cached(Given(), Path(":memory:"))) as cached:
        found = cached.embed(["x"])
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(found - exact) < 0.001


# --------------------------------------------------------------------------------------------------------- others at the file

_CHILD = """
import sys
from pathlib import Path
from rag_qa.embedding.cache import Cached
from tests.embedding.test_cache import Recording
cached = Cached(Recording(), Path(sys.argv[1]))
for start in range(0, 600, 40):
    cached.embed([f"text {number}" for number in range(start, start + 80)])
print(cached.embed([f"text {number}" for number in range(680)]).sum())
"""


def test_many_processes_at_once(path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    outcomes = [child.communicate(timeout=120) for child in children]
    assert [error for _, error in outcomes] == ["", "", ""]
    assert len({printed for printed, _ in outcomes}) == 1
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM vectors").fetchone() == (680,)


def test_many_threads_at_once(path: Path) -> None:
    cached = Cached(Recording(), path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda start: cached.embed([f"text {number}" for number in range(start, start + 50)]), range(0, 200, 5)))
    again = Cached(Recording(), path).embed([f"text {number}" for number in range(245)])
    assert all(vectors.tobytes() == again[5 * i : 5 * i + 50].tobytes() for i, vectors in enumerate(found))


_KILLED = """
import os, signal, sys
from pathlib import Path
from rag_qa.embedding.cache import Cached
from tests.embedding.test_cache import Recording
class Dies(Recording):
    def embed(self, texts):
        if self.asked:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts)
Cached(Dies(), Path(sys.argv[1])).embed([f"text {number}" for number in range(2000)])
"""


def test_a_kill_costs_what_was_not_kept_yet(path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False).returncode == -9
    inner = Recording()
    found = Cached(inner, path).embed([f"text {number}" for number in range(2000)])
    assert inner.asked == [f"text {number}" for number in range(1024, 2000)]
    assert found.tobytes() == Cached(Recording(), path.with_name("other.db")).embed([f"text {number}" for number in range(2000)]).tobytes()


def test_another_process_that_holds_the_file(filled: Path) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexBusyError, match=r"Another process holds the cache of vectors .*vectors\.db: wait until"):
            Cached(Recording(), filled, patience=0.05).embed(["text 1"])


# ------------------------------------------------------------------------------------------------------------- a broken file


def test_a_file_that_is_something_else(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("dear diary, " * 500)
    with pytest.raises(IndexingError) as caught:
        Cached(Recording(), path).embed(["a"])
    advice = "delete it, and the vectors are computed again"
    assert str(caught.value) == f"The cache of vectors {path} can't be used (file is not a database): {advice}"
    path.unlink()
    assert Cached(Recording(), path).embed(["a"]).shape == (1, 5)


def test_a_file_that_was_overwritten_in_the_middle(filled: Path) -> None:
    content = bytearray(filled.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    filled.write_bytes(content)
    with pytest.raises(IndexingError, match=r"\(database disk image is malformed\): delete it, and the vectors are computed again") as caught:
        Cached(Recording(), filled).embed(["text 1"])
    assert "\n" not in str(caught.value)


def test_a_folder_in_the_place_of_the_file(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(IndexingError, match="see to its folder and the space on its disk"):
        Cached(Recording(), path).embed(["a"])


def test_a_file_where_the_folder_should_be(path: Path) -> None:
    path.parent.write_text("")
    with pytest.raises(IndexingError, match="see to its folder"):
        Cached(Recording(), path).embed(["a"])


def test_a_model_that_was_changed_under_its_name(path: Path) -> None:
    Cached(Recording(dimensions=5), path).embed(["a"])
    with pytest.raises(IndexingError, match=r"vectors of different lengths \(3 and 5 numbers\): was the model changed\? Delete the file"):
        Cached(Recording(dimensions=3), path).embed(["a", "b"])
