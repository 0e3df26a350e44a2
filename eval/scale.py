"""How building, searching, disk and memory grow with the number of papers: the product's own indexer and engine, each in a process of its own.

The corpus is a BEIR folder's `corpus.jsonl`, repeated as often as is needed: a copy's sentences come by turns from two of its papers, so that the
words are real and no two records are one work. Without such a file it is text that nobody wrote (`eval.synthetic`).

A hundred thousand abstracts embedded by MiniLM take hours on two cores. `--embedder minilm-like` builds with vectors that lie much as MiniLM's do and
cost a hundredth of them, and has MiniLM itself embed every question: all of a query is measured as it is, and of building all but the embedding.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles
from types import FrameType
from typing import Any

import numpy as np

from eval import corpus, synthetic
from rag_qa import settings, text
from rag_qa.embedding.embedder import EMBEDDERS, Embedder, Vectors
from rag_qa.engine import Engine
from rag_qa.interfaces import app
from rag_qa.retrieval.filters import Filters

ML_PAPERS = corpus.ROOT.parent / "shared" / "data" / "ml_papers" / "corpus.jsonl"
HELP = "build time, disk, memory and query time at several sizes"

_EMBEDDERS = "who embeds; minilm-like: something quick that resembles MiniLM, and MiniLM itself the questions; none: vectors that cost nothing"
_FITTED_ON = 500  # abstracts
_FILE = 10_000  # records in one file
_YEARS = (2005, 2025)
_VENUES = 40
_KINDS: Mapping[str, Filters] = {
    "plain": Filters(),
    "years": Filters(year_from=2020, year_to=2024),
    "venue": Filters(venue="Venue 7"),
    "years and venue": Filters(year_from=2020, year_to=2024, venue="Venue 7"),
}
_WARM_UP = 25
_ASKED = 20  # whole answers, so that the serving process holds what they need


class ScaleError(Exception):
    """A size could not be measured."""


# ------------------------------------------------------------------------------------------------------------------ options


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `python -m eval scale` understands."""
    parser.add_argument("--papers", type=int, nargs="+", default=[1_000, 10_000, 100_000], metavar="N", help="sizes (default: 1000 10000 100000)")
    parser.add_argument("--embedder", choices=["static", "minilm", "minilm-like", "none"], default="static", help=_EMBEDDERS)
    parser.add_argument("--data", type=Path, default=ML_PAPERS, metavar="FILE", help="a corpus.jsonl to repeat (default: that of ../shared/data)")
    parser.add_argument("--questions", type=int, default=200, metavar="N", help="questions of each kind (default: 200)")
    parser.add_argument("--chroma", metavar="URL", help="a Chroma server that keeps the vectors (default: the library in the process)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keep corpora and indexes here (default: a temporary directory)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all figures into this file, as JSON")


def run(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure every size, and write the figures where they are wanted. Raises ScaleError."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="rag-qa-scale-", ignore_cleanup_errors=True) as temporary:
        for size in arguments.papers:
            folder = (arguments.folder or Path(temporary)) / f"{size}-{arguments.embedder}"
            found.append(_measured(arguments, size, folder))
            if arguments.out is not None:
                arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
            if arguments.folder is None:
                shutil.rmtree(folder)
    return found


def _measured(arguments: argparse.Namespace, size: int, folder: Path) -> dict[str, Any]:
    asked = {"folder": str(folder), "embedder": arguments.embedder, "chroma": arguments.chroma, "questions": arguments.questions}
    if not (folder / "corpus").exists():
        write_corpus(folder / "corpus", size, arguments.data)
    return {
        "papers": size,
        "embedder": arguments.embedder,
        **_built(folder, asked),
        "disk_mb": disk(folder / "data" / "index"),
        **_child("serve", asked),
    }


def _built(folder: Path, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of building the index, which is not built twice in a folder that is kept."""
    figures = folder / "built.json"
    if not figures.is_file():
        shutil.rmtree(folder / "data", ignore_errors=True)
        figures.write_text(json.dumps(_child("build", asked)), encoding="utf-8")
    found: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
    return found


def _child(what: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a process of its own measures, so that its memory is its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "RAG_QA_"))}
    command = [sys.executable, "-m", "eval.scale", what, json.dumps(asked)]
    done = subprocess.run(command, env=environment, cwd=corpus.ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise ScaleError(f"{what} ended with {done.returncode}: {done.stdout[-500:]}")
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


# ------------------------------------------------------------------------------------------------------------------- corpus


def write_corpus(folder: Path, size: int, data: Path) -> None:
    """Write `size` records, in files of JSON lines, and `questions.json` beside the folder."""
    folder.mkdir(parents=True)
    records = _repeated(_read(data), size) if data.is_file() else _synthetic(size)
    questions = []
    for at, record in enumerate(records):
        with (folder / f"part{at // _FILE:03}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        if at % max(1, size // 1000) == 0:
            questions.append(record["title"])
    (folder.parent / "questions.json").write_text(json.dumps(questions), encoding="utf-8")


def _read(data: Path) -> list[tuple[str, str]]:
    """(title, abstract) of the documents of a BEIR corpus that have both."""
    with data.open(encoding="utf-8") as lines:
        documents = (json.loads(line) for line in lines)
        return [(one["title"], one["text"]) for one in documents if one.get("title", "").strip() and len(one.get("text", "")) > 200]


def _repeated(documents: Sequence[tuple[str, str]], size: int) -> Iterator[dict[str, Any]]:
    for at in range(size):
        copy, which = divmod(at, len(documents))
        title, abstract = documents[which] if not copy else crossed(documents[which], documents[(which + 37 * copy) % len(documents)], copy)
        yield _record(at, title, abstract)


def crossed(one: tuple[str, str], other: tuple[str, str], copy: int) -> tuple[str, str]:
    """A title and an abstract of the words of two others.

    >>> crossed(("Tides of the sea", "Tides rise. They fall."), ("Mosses in bogs", "Mosses grow. They store carbon."), 3)
    ('Tides of in bogs 3', 'Tides rise. They store carbon.')
    """
    halves = (one[0].split(), other[0].split())
    title = [*halves[0][: (len(halves[0]) + 1) // 2], *halves[1][len(halves[1]) // 2 :], str(copy)]
    spans = [[body[a:b] for a, b in text.sentences(body)] for body in (one[1], other[1])]
    length = max(map(len, spans))
    sentences = [spans[at % 2][at] for at in range(length) if at < len(spans[at % 2])]
    return " ".join(title), " ".join(sentences)


def _synthetic(size: int) -> Iterator[dict[str, Any]]:
    for at, paper in enumerate(synthetic.papers(size)):
        yield _record(at, paper.title or f"Title {at}", paper.abstract or f"Nothing is known of the work with the number {at}.")


def _record(at: int, title: str, abstract: str) -> dict[str, Any]:
    """A year and a venue that each tell a part of the papers, and do not depend on each other."""
    least, greatest = _YEARS
    year, venue = least + at % (greatest - least + 1), zlib.crc32(str(at).encode()) % _VENUES
    return {"id": f"s{at}", "title": title, "abstract": abstract, "year": year, "venue": f"Venue {venue}", "doi": f"10.1000/scale.{at}"}


# -------------------------------------------------------------------------------------------------------------------- build


def build(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Index the corpus, in this process: seconds in all and by part, of this process's processor time, and its largest memory."""
    folder, engine, begun = Path(asked["folder"]), _engine(asked, building=True), time.process_time()
    with sampled() as seconds:
        report = engine.index([folder / "corpus"])
    if report.papers < report.read * 0.99 or report.failed:
        raise ScaleError(f"{report.papers} papers of {report.read} records")
    total = sum(seconds.values())
    return {
        "indexed": report.papers,
        "passages": report.passages,
        "build_s": round(total, 1),
        "build_cpu_s": round(time.process_time() - begun, 1),
        "build_parts_s": {part: round(spent, 1) for part, spent in sorted(seconds.items(), key=lambda pair: -pair[1])},
        "build_peak_mb": _megabytes("VmHWM"),
    }


_PARTS = {
    "rag_qa/sources": "reading",
    "rag_qa/library.py": "reading",
    "rag_qa/dedup": "comparing",
    "rag_qa/index/register.py": "comparing",
    "rag_qa/index/changes.py": "comparing",
    "rag_qa/chunking.py": "cutting",
    "rag_qa/embedding": "embedding",
    "rag_qa/index/vectors.py": "vectors",
    "rag_qa/index/keywords.py": "keywords",
    "rag_qa/index/catalog.py": "catalogue",
}


@contextmanager
def sampled(every: float = 0.01) -> Iterator[dict[str, float]]:
    """Seconds by part of the program in which this thread spends them, looked at a hundred times a second: costs next to nothing.

    By a signal, and not from another thread: that one would be let in just where this one does not compute.
    """
    seconds: dict[str, float] = defaultdict(float)
    before = time.perf_counter()

    def look(_signal: int, frame: FrameType | None) -> None:
        nonlocal before
        now = time.perf_counter()
        seconds[_part(frame)] += now - before
        before = now

    kept = signal.signal(signal.SIGALRM, look)
    signal.siginterrupt(signal.SIGALRM, False)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield seconds
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)


def _part(frame: FrameType | None) -> str:
    """The part that the innermost frame of the program belongs to; what many of them use (text, papers, SQLite) counts for who uses it."""
    while frame is not None:
        file = frame.f_code.co_filename.replace(os.sep, "/")
        for path, part in _PARTS.items():
            if path in file:
                return part
        frame = frame.f_back
    return "other"


# -------------------------------------------------------------------------------------------------------------------- serve


def serve(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Search the index, in this process, with the page built as `rag-qa serve` builds it: milliseconds of each kind of query, and the memory then."""
    questions = json.loads((Path(asked["folder"]) / "questions.json").read_text(encoding="utf-8"))
    engine = _engine(asked)
    app.application(engine)
    opening = _milliseconds(lambda: engine.search(questions[0]))
    turn = itertools.cycle(questions)  # other ones each time: what was asked before is quicker
    for one in itertools.islice(turn, _WARM_UP):
        engine.search(one)
    queries, processor = {}, {}
    for name, filters in _KINDS.items():
        chosen = list(itertools.islice(turn, asked["questions"]))
        begun = time.process_time()
        queries[name] = _spread([_milliseconds(partial(_search, engine, one, filters)) for one in chosen])
        processor[name] = round((time.process_time() - begun) * 1000 / len(chosen), 1)
    searching = _megabytes("VmRSS")
    answers = [_milliseconds(partial(_ask, engine, one)) for one in chosen[:_ASKED]]
    page = _milliseconds(lambda: app.Library(engine).opening_html())
    return {
        "first_query_ms": round(opening, 1),
        "query_ms": queries,
        "query_cpu_ms": processor,
        "answer_ms": _spread(answers),
        "open_page_ms": round(page, 1),
        "serve_mb": {"searching": searching, "after the page was opened": _megabytes("VmRSS"), "peak": _megabytes("VmHWM")},
    }


def _search(engine: Engine, question: str, filters: Filters) -> None:
    engine.search(question, filters=filters)


def _ask(engine: Engine, question: str) -> None:
    engine.ask(f"What is known about {question}?")


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _spread(milliseconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile.

    >>> _spread([1.0, 2.0, 3.0])
    {'p50': 2.0, 'p95': 2.9}
    """
    cuts = quantiles(milliseconds, n=100, method="inclusive")
    return {"p50": round(cuts[49], 1), "p95": round(cuts[94], 1)}


def _megabytes(what: str) -> int:
    """Memory that this process holds now (VmRSS), or the most that it ever held (VmHWM); 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((round(int(line.split()[1]) / 1024) for line in lines if line.startswith(what)), 0)


# ------------------------------------------------------------------------------------------------------------------- parts


def disk(index: Path) -> dict[str, float]:
    """Megabytes by part of an index."""
    sizes: Counter[str] = Counter()
    for path in (path for path in index.rglob("*") if path.is_file()):
        first = path.relative_to(index).parts[0]
        sizes[{"chroma": "vectors", "keywords": "keywords"}.get(first, "catalogue" if first.startswith("catalog.db") else "other")] += (
            path.stat().st_size
        )
    return {part: round(size / 1e6, 1) for part, size in sizes.most_common()}


def _engine(asked: Mapping[str, Any], *, building: bool = False) -> Engine:
    given = _stand_in(asked["embedder"], Path(asked["folder"]), building=building)
    embedder = "minilm" if given else asked["embedder"]
    chosen = settings.load(data_dir=Path(asked["folder"]) / "data", answerer="extractive", embedder=embedder, chroma_url=asked["chroma"])
    return Engine(chosen, embedder=given)


def _stand_in(name: str, folder: Path, *, building: bool) -> Embedder | None:
    if name == "none":
        return Costless()
    if name != "minilm-like":
        return None
    return Likeness(_some_texts(folder / "corpus")) if building else Asking()


def _some_texts(folder: Path) -> list[str]:
    """Sentences of the first abstracts of the corpus."""
    with next(iter(sorted(folder.glob("*.jsonl")))).open(encoding="utf-8") as lines:
        abstracts = [json.loads(line)["abstract"] for line in itertools.islice(lines, _FITTED_ON)]
    return [text.joined(abstract[a:b]) for abstract in abstracts for a, b in text.sentences(abstract)]


class Asking:
    """MiniLM under the name of its likeness: embeds the questions."""

    name = "minilm-like"

    def __init__(self) -> None:
        self._model = EMBEDDERS["minilm"]()
        self.dimensions, self.max_tokens = self._model.dimensions, self._model.max_tokens

    def count_tokens(self, part: str) -> int:
        """As MiniLM does."""
        return self._model.count_tokens(part)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As MiniLM does."""
        return self._model.embed(texts)


class Likeness(Asking):
    """Vectors of words, turned into the space of MiniLM by a linear map that is fitted on some texts; what it can't tell is added by chance."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._words = EMBEDDERS["static"]()
        wanted, given = self._model.embed(texts), self._words.embed(texts)
        self._map = np.linalg.solve(given.T @ given + np.eye(given.shape[1], dtype=np.float32), given.T @ wanted)
        self._rest = float((wanted - given @ self._map).std())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The same vector for a text each time."""
        chance = [np.random.default_rng(zlib.crc32(one.encode())).standard_normal(self.dimensions, dtype=np.float32) for one in texts]
        vectors = self._words.embed(texts) @ self._map + self._rest * np.stack(chance)
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


class Costless:
    """Vectors that cost next to nothing and mean nothing: what is left is the work of the index itself."""

    name = "none"
    dimensions = 384
    max_tokens = 254

    def count_tokens(self, part: str) -> int:
        """About."""
        return len(part) // 5

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, by its letters."""
        vectors = np.stack([np.random.default_rng(zlib.crc32(one.encode())).standard_normal(self.dimensions, dtype=np.float32) for one in texts])
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def table(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The figures for a person, a column for each size.

    >>> table([{"papers": 1000, "disk": {"vectors": 1.5}}, {"papers": 10000}])
    ['papers                1,000        10,000', 'disk: vectors           1.5              ']
    """
    columns = [dict(_flat(one)) for one in found]
    names = list(dict.fromkeys(name for column in columns for name in column))
    wide = max(map(len, names))
    return [f"{name:<{wide}}" + "".join(f"{_shown(column.get(name, '')):>14}" for column in columns) for name in names]


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", value


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"build": build, "serve": serve}[sys.argv[1]](json.loads(sys.argv[2]))) + "\n")
