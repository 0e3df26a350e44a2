"""How quick indexing is beside the bare model: the same token batches through onnxruntime alone, the embedder, the whole index, and other libraries.

All of them take turns within one run, so that what else the machine does hits them alike; what counts are the ratios within a round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from eval import peer, scale
from rag_qa import onnx_door, settings
from rag_qa.embedding import minilm
from rag_qa.embedding.minilm import Batch, MiniLM
from rag_qa.engine import Engine

HELP = "how quick indexing is, beside the bare model and other libraries"

BARE, SIDE_BY_SIDE, EMBEDDER, INDEX, WHOLE = "onnxruntime", "onnxruntime, side by side", "embedder", "index", "embedder: abstracts"
"""What is timed; peers come with the names of their libraries, and ": abstracts" for abstracts as a whole."""
_ABSTRACTS = ": abstracts"
_OURS = (EMBEDDER, INDEX, WHOLE)
_INT8 = ("avx512_vnni", "avx_vnni", "asimddp", "i8mm")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done: the texts that the index embeds and the batches it makes of them, abstracts as a whole, and the tokens of both."""

    corpus: Path
    texts: Sequence[str]
    batches: Sequence[Batch]
    abstracts: Sequence[str]
    tokens: int
    abstract_tokens: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of everything that was timed in each round, those of all cores together that were at work on it, and seconds of the parts of an index.

    What else the machine does counts in the first and hardly in the second.
    """

    rounds: list[dict[str, float]] = field(default_factory=list)
    processor: list[dict[str, float]] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `python -m eval indexing` understands."""
    parser.add_argument("--papers", type=int, default=200, metavar="N", help="abstracts to index (default: 200)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each is timed (default: 3)")
    parser.add_argument("--data", type=Path, default=scale.ML_PAPERS, metavar="FILE", help="a corpus.jsonl (default: that of ../shared/data)")
    parser.add_argument("--peer-python", type=Path, metavar="FILE", help="the Python of an environment with the peers")
    parser.add_argument("--peers", nargs="+", choices=list(peer.PEERS), default=list(peer.PEERS), metavar="NAME", help="which of them (default: all)")
    parser.add_argument("--peer-model", type=Path, metavar="FOLDER", help="all-MiniLM-L6-v2 for the peers, with onnx/model.onnx for chromadb")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all figures into this file, as JSON")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure, and write the figures where they are wanted. Raises ScaleError."""
    if min(arguments.papers, arguments.rounds) < 1:
        raise scale.ScaleError("--papers and --rounds must be at least 1")
    if arguments.peer_python and not arguments.peer_model:
        raise scale.ScaleError("--peer-python needs --peer-model FOLDER: all-MiniLM-L6-v2 as its authors publish it")
    with tempfile.TemporaryDirectory(prefix="rag-qa-indexing-", ignore_cleanup_errors=True) as temporary, ExitStack() as opened:
        model = Watched()
        work = _work(model, Path(temporary), arguments.papers, arguments.data)
        timed = _own(model, work, Path(temporary))
        if arguments.peer_python:
            for name in arguments.peers:
                embed = opened.enter_context(_peer(arguments.peer_python, name, arguments.peer_model))
                timed |= {name: partial(embed, work.texts), name + _ABSTRACTS: partial(embed, work.abstracts)}
        measured = _in_turns(timed, arguments.rounds)
    found = figures(work, measured)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return found


# --------------------------------------------------------------------------------------------------------------------- work


class Watched(MiniLM):
    """The packaged model; it keeps the texts that it was given since `texts` was last emptied, and the batches that it made of them."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.made: list[Batch] = []

    def batches(self, texts: Sequence[str]) -> list[Batch]:
        """As the model makes them."""
        made = super().batches(texts)
        self.texts += texts
        self.made += made
        return made


def _work(model: Watched, folder: Path, papers: int, data: Path) -> Work:
    """Index once, which also loads everything, and see what is embedded."""
    corpus = folder / "corpus"
    scale.write_corpus(corpus, papers, data)
    engine = _index(model, corpus, folder)
    texts, batches = list(model.texts), list(model.made)
    abstracts = [paper.abstract for paper in engine.papers()]
    tokens = sum(batch.feed["input_ids"].size for batch in batches)
    return Work(corpus, texts, batches, abstracts, tokens, sum(batch.feed["input_ids"].size for batch in model.batches(abstracts)))


def _own(model: MiniLM, work: Work, folder: Path) -> dict[str, Callable[[], object]]:
    feeds = [batch.feed for batch in work.batches]
    bare, single = minilm.session(threads=0), minilm.session(threads=1)

    def side_by_side() -> None:
        with ThreadPoolExecutor(onnx_door.cores()) as pool:
            list(pool.map(partial(single.run, None), feeds))

    return {
        BARE: lambda: [bare.run(None, feed) for feed in feeds],
        SIDE_BY_SIDE: side_by_side,
        EMBEDDER: lambda: model.embed(work.texts),
        INDEX: lambda: _index(model, work.corpus, folder),
        WHOLE: lambda: model.embed(work.abstracts),
    }


def _index(model: MiniLM, corpus: Path, folder: Path) -> Engine:
    """A new index of the whole corpus."""
    data = Path(tempfile.mkdtemp(dir=folder))
    engine = Engine(settings.load(data_dir=data, answerer="extractive", embedder="minilm", chroma_url=None), embedder=model)
    report = engine.index([corpus])
    if report.failed or report.papers < report.read * 0.99:
        raise scale.ScaleError(f"{report.papers} papers of {report.read} records")
    return engine


# -------------------------------------------------------------------------------------------------------------------- timing


def _in_turns(timed: Mapping[str, Callable[[], object]], rounds: int) -> Measured:
    """Everything once in each round, each time another one first."""
    measured = Measured()
    names = list(timed)
    for number in range(rounds):
        first = number % len(names)
        spent = {name: _spent(timed[name], measured.parts if name == INDEX else {}) for name in [*names[first:], *names[:first]]}
        measured.rounds.append({name: spent[name][0] for name in names})
        measured.processor.append({name: spent[name][1] for name in names})
    return measured


def _spent(work: Callable[[], object], parts: dict[str, float]) -> tuple[float, float]:
    """Seconds, and seconds of all cores; a peer says so itself. Adds to the seconds of the parts of the program."""
    with scale.sampled() as sampled:
        begun, used = time.perf_counter(), time.process_time()
        said = work()
        seconds, processor = time.perf_counter() - begun, time.process_time() - used
    for part, some in sampled.items():
        parts[part] = parts.get(part, 0.0) + some
    return (said["seconds"], said["processor"]) if isinstance(said, dict) else (seconds, processor)


@contextmanager
def _peer(python: Path, name: str, model: Path) -> Iterator[Callable[[Sequence[str]], dict[str, float]]]:
    """Embeds texts with another library, and gives the seconds that it took, of the clock and of all cores. Raises ScaleError."""
    command = [str(python), str(Path(peer.__file__)), name, str(model)]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, _started(command, said) as process:

        def answer() -> dict[str, float]:
            assert process.stdout is not None
            if line := process.stdout.readline():
                answered: dict[str, float] = json.loads(line)
                return answered
            process.wait()
            said.seek(0)
            raise scale.ScaleError(f"{name} can't be measured with {python}: {(said.read().strip().splitlines() or ['it ended'])[-1]}")

        def embed(texts: Sequence[str]) -> dict[str, float]:
            assert process.stdin is not None
            process.stdin.write(json.dumps(list(texts)) + "\n")
            process.stdin.flush()
            answered = answer()
            if answered["texts"] != len(texts):
                raise scale.ScaleError(f"{name} gave {answered['texts']} vectors for {len(texts)} texts")
            return answered

        answer()  # it is loaded
        yield embed


@contextmanager
def _started(command: Sequence[str], errors: Any) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8") as process:
        try:
            yield process
        finally:
            process.kill()


# ------------------------------------------------------------------------------------------------------------------- figures


def figures(work: Work, measured: Measured) -> dict[str, Any]:
    """Everything for a machine: seconds, texts and tokens a second (medians), and how quick each is beside the others of its round."""
    rows = {name: _row(name, work, measured) for name in measured.rounds[0]}
    total = sum(measured.parts.values())
    return {
        "papers": len(work.abstracts),
        "texts": len(work.texts),
        "tokens": work.tokens,
        "abstract_tokens": work.abstract_tokens,
        "batches": len(work.batches),
        "timed": rows,
        "index_share": {part: round(spent / total, 3) for part, spent in sorted(measured.parts.items(), key=lambda pair: -pair[1])},
        "machine": machine(),
    }


def _row(name: str, work: Work, measured: Measured) -> dict[str, Any]:
    whole = name.endswith(_ABSTRACTS)
    rounds = measured.rounds
    seconds = statistics.median(one[name] for one in rounds)
    others = [other for other in rounds[0] if other.endswith(_ABSTRACTS) == whole and other not in _OURS] if name in _OURS else []
    return {
        "seconds": round(seconds, 3),
        "processor_seconds": round(statistics.median(one[name] for one in measured.processor), 3),
        "texts_per_second": round((len(work.abstracts) if whole else len(work.texts)) / seconds, 1),
        "tokens_per_second": round((work.abstract_tokens if whole else work.tokens) / seconds),
        "speed_of": {other: spread(ratios(rounds, name, other)) for other in others},
        "thrift_of": {other: spread(ratios(measured.processor, name, other)) for other in others},
    }


def ratios(rounds: Sequence[Mapping[str, float]], name: str, other: str) -> list[float]:
    """How quick something is, round by round, if another is 1: more is quicker.

    >>> ratios([{"index": 4.0, "bare": 3.0}, {"index": 5.0, "bare": 5.0}], "index", "bare")
    [0.75, 1.0]
    """
    return [one[other] / one[name] for one in rounds]


def spread(found: Sequence[float]) -> dict[str, float]:
    """Median, least and greatest.

    >>> spread([0.75, 1.0, 0.8])
    {'median': 0.8, 'least': 0.75, 'greatest': 1.0}
    """
    return {"median": round(statistics.median(found), 3), "least": round(min(found), 3), "greatest": round(max(found), 3)}


def machine() -> dict[str, Any]:
    """What it was measured on; the load is that of all processes, this one's included."""
    path = Path("/proc/cpuinfo")
    words = set(path.read_text(encoding="utf-8").split()) if path.is_file() else set()
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"system": platform.machine(), "cores": onnx_door.cores(), "int8_instructions": sorted(words.intersection(_INT8)), "load": load}


def table(found: Mapping[str, Any]) -> list[str]:
    """The figures for a person."""
    about, rows = found["machine"], found["timed"]
    wide = max(map(len, rows))
    lines = [
        f"{found['papers']} abstracts of {found['abstract_tokens']} tokens; embedded: {found['texts']} texts of {found['tokens']} tokens "
        f"in {found['batches']} runs of the model",
        f"{about['cores']} cores ({about['system']}; int8 instructions: {', '.join(about['int8_instructions']) or 'none'}), load {about['load']}",
        "",
        f"{'':<{wide}}{'seconds':>10}{'of cores':>10}{'texts/s':>10}{'tokens/s':>10}   quicker by, of cores (least to greatest), than",
    ]
    for name, row in rows.items():
        numbers = f"{row['seconds']:>10.2f}{row['processor_seconds']:>10.2f}{row['texts_per_second']:>10.1f}{row['tokens_per_second']:>10}"
        beside = [f"{_shown(ratio)}  {_shown(row['thrift_of'][other])}  {other}" for other, ratio in row["speed_of"].items()]
        lines += [f"{name:<{wide}}{numbers}   {''.join(beside[:1])}".rstrip(), *(" " * (wide + 43) + one for one in beside[1:])]
    share = ", ".join(f"{part} {100 * some:.1f} %" for part, some in found["index_share"].items())
    return [*lines, "", f"time of an index: {share}"]


def _shown(ratio: Mapping[str, float]) -> str:
    return f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['greatest']:.2f})"
