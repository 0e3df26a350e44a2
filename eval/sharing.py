"""Do two processes that search one Chroma server see what a third one indexes: at once, whole, and nothing that has gone?

A server is started, an index is begun on it, and two processes search it again and again, in turn for a paper that has just been committed and for
any. Meanwhile a third one adds papers, and then takes some away and changes others. Of every search it is noted what it found, when, and whether each
paper was whole.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from eval import corpus, scale
from rag_qa import settings, text
from rag_qa.engine import Engine
from rag_qa.index.store import Store
from rag_qa.papers import Paper

HELP = "two processes search a Chroma server while a third indexes: errors, half and stale papers, time until new ones are found"

_SEARCHERS = 2
_AT_ONCE = 20  # papers of each search
_EVERY = 20  # of the papers that are to come, each so many-th is waited for
_PATIENCE = 60.0  # seconds for a server to start
_AFTERWARDS = 3.0  # seconds of searching after the last change
_LOOK = 0.02  # seconds between two looks at what was committed


# ------------------------------------------------------------------------------------------------------------------ options


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `python -m eval sharing` understands."""
    parser.add_argument("--papers", type=int, default=600, metavar="N", help="papers that are added while others search (default: 600)")
    parser.add_argument("--before", type=int, default=100, metavar="N", help="papers that are there before (default: 100)")
    parser.add_argument("--embedder", choices=["minilm", "static"], default="minilm", help="who embeds (default: minilm)")
    parser.add_argument("--data", type=Path, default=scale.ML_PAPERS, metavar="FILE", help="a corpus.jsonl (default: that of ../shared/data)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures into this file")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The figures. Raises ScaleError if a process fails."""
    with (
        tempfile.TemporaryDirectory(prefix="rag-qa-sharing-", ignore_cleanup_errors=True) as temporary,
        chroma_server(Path(temporary) / "server") as url,
    ):
        figures = _measured(arguments, Path(temporary), url)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return figures


def _measured(arguments: argparse.Namespace, folder: Path, url: str) -> dict[str, Any]:
    scale.write_corpus(folder / "made", arguments.before + arguments.papers, arguments.data)
    records = [json.loads(line) for path in sorted((folder / "made").glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    first, later = records[: arguments.before], records[arguments.before :]
    changed = _changed(later)
    asked = {"folder": str(folder), "embedder": arguments.embedder, "chroma": url, "new": [one["title"] for one in later[::_EVERY]]}
    (folder / "corpus").mkdir()
    _index(asked, "first", first)
    with _searching(asked) as looks, _watching(folder / "data" / "index" / "catalog.db", folder / "committed") as committed:
        begun = time.time()
        _index(asked, "later", later)
        added = time.time()
        time.sleep(_AFTERWARDS)
        _index(asked, "later", changed)
        ended = time.time()
        time.sleep(_AFTERWARDS)
    known = {_digest(one["title"], one["abstract"]) for one in (*records, *changed)}
    now = {_digest(one["title"], one["abstract"]) for one in (*first, *changed)}
    appeared = {title: at for title, at in committed.items() if title in set(asked["new"])}
    return {
        "added": len(later),
        "then removed": len(later) - len(changed),
        "then changed": sum(one not in later for one in changed),
        "seconds to add": round(added - begun, 1),
        "seconds to change": round(ended - added - _AFTERWARDS, 1),
        "searches": [len(one) for one in looks],
        "searches during changes": [sum(look.at < added or added + _AFTERWARDS < look.at < ended for look in one) for one in looks],
        "errors": [look.error for one in looks for look in one if look.error],
        "half papers": sum(look.half for one in looks for look in one),
        "papers that never were": sum(found not in known for one in looks for look in one for found in look.found),
        "stale papers": sum(found not in now for one in looks for look in one if look.at > ended for found in look.found),
        "waited for": len(appeared),
        "never found by both": sum(len(_found(looks, title)) < len(looks) for title in appeared),
        "seconds until found by both": _spread([max(at) - appeared[title] for title in appeared if len(at := _found(looks, title)) == len(looks)]),
    }


def _changed(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of ten records the first has gone, and the second says something else."""
    kept = [(number % 10, one) for number, one in enumerate(records) if number % 10]
    return [{**one, "abstract": f"{one['abstract']} All of this was revised."} if place == 1 else one for place, one in kept]


def _index(asked: Mapping[str, Any], name: str, records: Sequence[Mapping[str, Any]]) -> None:
    """In a process of its own."""
    file = Path(asked["folder"]) / "corpus" / f"{name}.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    done = subprocess.run(_command("index", asked, str(file)), env=_environment(), cwd=corpus.ROOT, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise scale.ScaleError(f"indexing ended with {done.returncode}: {done.stderr[-500:]}")


def _command(what: str, asked: Mapping[str, Any], *more: str) -> list[str]:
    return [sys.executable, "-m", "eval.sharing", what, json.dumps(asked), *more]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "RAG_QA_"))}


# ---------------------------------------------------------------------------------------------------------------- observing


class Look(NamedTuple):
    """A search: when it began, how long it took, digests of the papers that it found, how many of them were not whole, and what went wrong."""

    at: float
    seconds: float
    found: Sequence[str]
    titles: Sequence[str]
    half: int
    error: str


@contextmanager
def _searching(asked: Mapping[str, Any]) -> Iterator[list[list[Look]]]:
    """Processes that search; what each of them found is there when they have ended."""
    looks: list[list[Look]] = []
    folder = Path(asked["folder"])
    files = [folder / f"looks-{number}.jsonl" for number in range(_SEARCHERS)]
    processes = [subprocess.Popen(_command("search", asked, str(file)), env=_environment(), cwd=corpus.ROOT) for file in files]
    try:
        _wait_until(lambda: all(file.exists() and file.stat().st_size for file in files), processes, "a process that searches did not begin")
        yield looks
    finally:
        (folder / "stop").touch()
        codes = [process.wait(_PATIENCE) for process in processes]
    if any(codes):
        raise scale.ScaleError("a process that searched broke down")
    looks += [[Look(*json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()] for file in files]


@contextmanager
def _watching(catalog: Path, out: Path) -> Iterator[Mapping[str, float]]:
    """When each paper, by its title, could be found for the first time, as the file of the index has it; `out` gets the titles, one a line."""
    committed: dict[str, float] = {}
    is_over = threading.Event()

    def watch() -> None:
        known: set[str] = set()
        reading = sqlite3.connect(f"{catalog.as_uri()}?mode=ro", uri=True, timeout=10)
        with contextlib.closing(reading) as database, out.open("w", encoding="utf-8", buffering=1) as titles:
            while not is_over.wait(_LOOK):
                new = {id_ for (id_,) in database.execute("SELECT id FROM papers WHERE state = 'indexed'")} - known
                at = time.time()
                for id_ in new:
                    (record,) = database.execute("SELECT record FROM papers WHERE id = ?", (id_,)).fetchone() or ("{}",)
                    title = json.loads(record).get("title", "")
                    committed.setdefault(title, at)
                    titles.write(f"{title}\n")
                known |= new

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield committed
    finally:
        is_over.set()
        thread.join()


def _found(looks: Sequence[Sequence[Look]], title: str) -> list[float]:
    """When a search of each process was over that found a paper for the first time, of those processes that did."""
    first = (next((look.at + look.seconds for look in of if title in look.titles), None) for of in looks)
    return [at for at in first if at is not None]


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    """
    >>> _spread([0.1, 0.2, 1.5])
    {'p50': 0.2, 'max': 1.5}
    """
    return {"p50": round(median(seconds), 2), "max": round(max(seconds), 2)} if seconds else {}


def _digest(title: str | None, abstract: str) -> str:
    return hashlib.sha256(f"{title}\n{abstract}".encode()).hexdigest()[:16]


# --------------------------------------------------------------------------------------------------- the processes themselves


def _engine(asked: Mapping[str, Any]) -> Engine:
    folder = Path(asked["folder"]) / "data"
    return Engine(settings.load(data_dir=folder, answerer="extractive", embedder=asked["embedder"], chroma_url=asked["chroma"]))


def index(asked: Mapping[str, Any], file: Path) -> None:
    """Bring the index in step with a file."""
    report = _engine(asked).index([file])
    if report.failed:
        raise scale.ScaleError(str(report.failed[0]))


def search(asked: Mapping[str, Any], out: Path) -> None:
    """Search until it is said that it is enough: for one that was committed and has not been found, for any, and so on; a line for each search."""
    folder = Path(asked["folder"])
    engine, found, turn = _engine(asked), set[str](), itertools.count()
    with out.open("w", encoding="utf-8", buffering=1) as lines:
        while not (folder / "stop").exists():
            number = next(turn)
            missing = [title for title in _committed(folder / "committed", asked["new"]) if title not in found]
            look = _look(engine, missing[0] if missing and number % 2 else asked["new"][number // 2 % len(asked["new"])])
            found.update(look.titles)
            lines.write(json.dumps(look) + "\n")


def _committed(file: Path, wanted: Sequence[str]) -> list[str]:
    titles = set(file.read_text(encoding="utf-8").splitlines()) if file.exists() else set()
    return [title for title in wanted if title in titles]


def _look(engine: Engine, question: str) -> Look:
    at, begun = time.time(), time.perf_counter()
    try:
        hits = engine.search(question, k=_AT_ONCE)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        return Look(at, time.perf_counter() - begun, (), (), 0, f"{type(error).__name__}: {error}"[:300])
    seconds = time.perf_counter() - begun
    papers, store = [hit.paper for hit in hits], engine._parts.store  # noqa: SLF001 - to look behind what was found
    half = sum(not _is_whole(store, hit.paper) or not hit.passages or "sentence" not in hit.scores for hit in hits)
    return Look(at, seconds, [_digest(one.title, one.abstract) for one in papers], [one.title or "" for one in papers], half, "")


def _is_whole(store: Store, paper: Paper) -> bool:
    """Does the index hold each passage with its vector, and a vector of each sentence? A paper that was changed since it was found is not judged."""
    passages = store._catalog.passages({paper.id: paper})[paper.id]  # noqa: SLF001 - as they were written, not cut anew
    anything = np.zeros(store.manifest().dimensions, np.float32)
    there = store._vectors.query_among(anything, len(passages), [passage.id for passage in passages])  # noqa: SLF001 - nobody else has to know
    sentences = store.sentence_vectors([paper.id]).get(paper.id, ())
    return (
        "".join("".join(passage.text.split()) for passage in passages) == "".join(paper.abstract.split())
        and len(there) == len(passages) > 0
        and len(sentences) == len(text.sentences(paper.abstract))
    ) or store.get([paper.id]).get(paper.id) != paper


# --------------------------------------------------------------------------------------------------------------- the server


def free_port() -> int:
    """A port on which nobody listens just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def chroma_server(folder: Path, *, port: int = 0) -> Iterator[str]:
    """`chroma run` over a folder; its address while it runs. Raises ScaleError if it does not start."""
    port = port or free_port()
    run_it = "from chromadb.cli.cli import app; app()"
    command = [sys.executable, "-c", run_it, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    with (folder / "log").open("w") as log, subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log) as process:
        try:
            _wait_until(lambda: _answers(f"http://127.0.0.1:{port}/api/v2/heartbeat"), [process], "the Chroma server did not start")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
        return True
    return False


def _wait_until(holds: Callable[[], bool], processes: Sequence[subprocess.Popen[Any]], otherwise: str) -> None:
    last = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > last or any(process.poll() is not None for process in processes):
            raise scale.ScaleError(otherwise)
        time.sleep(0.05)


if __name__ == "__main__":
    {"index": index, "search": search}[sys.argv[1]](json.loads(sys.argv[2]), Path(sys.argv[3]))
