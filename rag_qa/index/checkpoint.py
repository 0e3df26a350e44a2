"""What keeps a folder of Chroma whole when a process is killed while it writes.

Chroma logs every change in its SQLite file, which is safe, and from time to time writes the graph of all vectors over the files that it had before.
Who is killed in the middle of that leaves files that make Chroma crash, and the process with it. So the files are copied before each such write,
and put back by the next one who opens the folder if the write was not finished: the log still holds what was to be written.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock

from rag_qa.errors import IndexBusyError, IndexingError

_PATIENCE = 60.0  # seconds; the graph of a million vectors is written in some
_SEQUENCE = "sequence.json"
_DATABASE = "chroma.sqlite3"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of a folder of Chroma. `threshold`: so many changes in the log make Chroma write the graph, at the change that reaches it."""

    folder: Path
    threshold: int

    @contextmanager
    def opening(self) -> Iterator[None]:
        """While somebody opens the folder: nobody else writes the graph, and a write that was not finished is undone first.

        Raises IndexBusyError, and IndexingError for files that Chroma would crash with.
        """
        with self._locked():
            self._put_back()
            self._check()
            if self.logged < self._gathered:
                yield
                return
            with self._kept_back():  # opening it writes the graph
                yield

    @contextmanager
    def changing(self, changes: int) -> Iterator[None]:
        """While the one process that writes makes so many changes. Raises IndexBusyError."""
        if self.logged + changes < self.threshold:
            yield
            return
        with self._locked(), self._kept_back():
            yield

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = filelock.FileLock(self.folder.with_name(f"{self.folder.name}.lock"), timeout=_PATIENCE)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise IndexBusyError(f"Another process is writing to {self.folder}: wait until it is done and try again") from None
        try:
            yield
        finally:
            lock.release()

    @property
    def _kept(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.kept")

    @contextmanager
    def _kept_back(self) -> Iterator[None]:
        """Keep a copy of the graph's files for as long as this lasts; if it ends in an error, or not at all, until the folder is opened again."""
        new = self._kept.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        for graph in self._graphs():
            shutil.copytree(graph, new / graph.name)
        (new / _SEQUENCE).write_text(json.dumps(self.written))
        new.rename(self._kept)
        yield
        self._forget()

    @property
    def written(self) -> int:
        """Number of the last change that the files of the graph hold."""
        sql = "SELECT seq_id FROM max_seq_id JOIN segments ON segments.id = segment_id WHERE scope = 'VECTOR'"
        return self._number(sql)

    @property
    def logged(self) -> int:
        """How many changes the log holds that the files of the graph do not: they are worked in whenever the folder is opened."""
        return max(0, self._number("SELECT max(seq_id) FROM embeddings_queue") - self.written)

    @property
    def _gathered(self) -> int:
        """`threshold` as the folder has it by now; it grows with the vectors."""
        said = self._found("SELECT schema_str FROM collections") or ""
        return min(map(int, re.findall(r'"sync_threshold":\s*(\d+)', str(said))), default=self.threshold)

    def remove(self) -> None:
        """Remove the folder with all that belongs to it."""
        for path in (self.folder, self._kept, self._kept.with_suffix(".new"), self._kept.with_suffix(".old")):
            remove(path)

    def _put_back(self) -> None:
        if not self._kept.is_dir():
            return
        if json.loads((self._kept / _SEQUENCE).read_text()) == self.written:
            for graph in self._graphs():
                shutil.rmtree(graph)
            for graph in self._kept.iterdir():
                if graph.is_dir():
                    shutil.copytree(graph, self.folder / graph.name)
        self._forget()

    def _forget(self) -> None:
        old = self._kept.with_suffix(".old")
        shutil.rmtree(old, ignore_errors=True)
        self._kept.rename(old)  # at once: what is half removed is not put back
        shutil.rmtree(old, ignore_errors=True)

    def _check(self) -> None:
        """Raises IndexingError for files that can't be: Chroma would crash with them."""
        for graph in self._graphs():
            sizes = {path.name: path.stat().st_size for path in graph.iterdir()}
            # links between a sixteenth of the vectors, and of those none
            if sizes.get("link_lists.bin", 0) > sizes.get("data_level0.bin", 0):
                raise IndexingError(f"The files of Chroma in {graph} are broken: make the index again with: rag-qa index --rebuild")

    def _graphs(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if path.is_dir()] if self.folder.is_dir() else []

    def _number(self, sql: str) -> int:
        return int(self._found(sql) or 0)

    def _found(self, sql: str) -> Any:
        """The first value of the first row; None if there is none."""
        path = self.folder / _DATABASE
        if not path.exists():
            return None
        try:
            with closing(sqlite3.connect(path, timeout=10)) as database:
                found = database.execute(sql).fetchone()
        except sqlite3.Error as error:
            raise IndexingError(f"Chroma can't use {self.folder} ({error}): make it again with: rag-qa index --rebuild") from None
        return found[0] if found else None


def remove(folder: Path) -> None:
    """Remove a folder, or a file in its place, if it is there. Raises IndexingError."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        folder.unlink()
    except OSError as error:
        raise IndexingError(f"{folder} can't be removed ({error.strerror or error}): remove it yourself and run this again") from None
