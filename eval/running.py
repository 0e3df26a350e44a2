"""`python -m eval run`: ask every question of a set, score the answers, hold them against the floors; `python -m eval score`: score a run again."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from eval import beir, corpus, floors, run_directory, runner, spending, summary
from eval.arguments import at_least_one
from eval.datasets import folder, loader
from eval.items import Timing
from eval.metrics import stats
from eval.report import terminal
from eval.systems.chat import Chat
from eval.systems.endpoint import MOST_TOKENS, Endpoint
from eval.systems.recorded import Recorded
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError
from rag_qa.papers import Paper
from rag_qa.settings import Settings

HELP = "ask every question of a set, score the answers, hold them against the floors"
SCORE_HELP = "score a stored run again, without the system"
PASSED, BELOW_A_FLOOR = 0, 1
SEED_QUESTIONS = Path(__file__).parent / "datasets" / "seeds.jsonl"

MakeSystem = Callable[[Settings], runner.System]
CONFIGURATION = ("answerer", "embedder", "reranker", "top_k", "min_confidence")
_PACKAGES = ("chromadb", "gradio", "numpy", "onnxruntime", "openai", "tantivy", "tiktoken")


class HarnessError(RagQAError):
    """Nothing could be measured; the message says why and what to do."""


def add_options(run: argparse.ArgumentParser) -> None:
    """The options of `run`."""
    run.add_argument(
        "--data",
        type=Path,
        default=SEED_QUESTIONS,
        metavar="FILE",
        help="questions, or a folder in the layout of BEIR (default: eval/datasets/seeds.jsonl)",
    )
    run.add_argument("--split", default="test", metavar="NAME", help="of a folder: the judgments in qrels/NAME.tsv (default: test)")
    run.add_argument("--papers", type=Path, metavar="PATH", help="abstracts to index (default: seeds/, or those of FILE's list of ids)")
    run.add_argument(
        "--library",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="DIR",
        help="ask an index as it is instead: that of the data folder DIR, without one that of RAG_QA_DATA_DIR, with the embedder of the settings",
    )
    run.add_argument(
        "--dataset", type=Path, default=corpus.ICLR, metavar="FILE", help="where those ids are looked up (default: that of ../shared/data)"
    )
    run.add_argument("--kinds", nargs="+", default=[], choices=list(loader.Kind), metavar="KIND", help="only these kinds of questions")
    run.add_argument("--out", type=Path, metavar="DIR", help="keep the run in this directory; the same command goes on with one that was interrupted")
    run.add_argument("--fresh", action="store_true", help="forget what stands in that directory")
    run.add_argument("--floors", type=Path, metavar="FILE", help=floors.HELP)
    run.add_argument("--data-dir", type=Path, metavar="DIR", help="keep the index here (default: a temporary directory)")
    run.add_argument(
        "--system",
        default="product",
        metavar="NAME",
        help="what answers: product (default), endpoint (the first papers in one prompt to the model of the settings), or a file of recorded answers",
    )
    run.add_argument("--answerer", choices=["extractive", "llm", "auto"], default="extractive", help="who answers (default: extractive, offline)")
    run.add_argument("--embedder", choices=["minilm", "openai"], default="minilm", help="who embeds (default: minilm, offline)")
    run.add_argument("--concurrency", type=at_least_one, default=1, metavar="N", help="questions asked at a time (default: 1)")
    run.add_argument("--deadline", type=_seconds, metavar="SECONDS", help="give a question up after so long: it counts as an error (default: never)")
    run.add_argument("--only-failures", action="store_true", help="print no tables, only what went wrong")


def _seconds(value: str) -> float:
    if not 0 < (number := float(value)) <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{value} is no time that one can wait: it has to be above 0")
    return number


def add_score_options(score: argparse.ArgumentParser) -> None:
    """The options of `score`."""
    score.add_argument("run", type=Path, metavar="DIR", help="a directory that `run --out` wrote")
    score.add_argument("--floors", type=Path, metavar="FILE", help=floors.HELP)
    score.add_argument("--only-failures", action="store_true", help="print no tables, only what went wrong")


def run(arguments: argparse.Namespace, make_system: MakeSystem = Engine) -> int:
    """Ask, score, print; 1 when a floor does not hold, otherwise 0. Raises RagQAError, corpus.DataAbsent."""
    if arguments.floors is not None:
        floors.load(arguments.floors)  # a fault in it is told before anything is asked
    collection = beir.load(arguments.data, arguments.split) if arguments.data.is_dir() else None
    questions = folder.questions(collection) if collection else loader.load(arguments.data, kinds=arguments.kinds)
    if collection is None and (left_out := loader.left_out(arguments.data)):
        said = ", ".join(f"{number} {status}" for status, number in sorted(left_out.items()))
        print(f"{left_out.total()} questions of {arguments.data} are not asked: {said} (python -m eval review {arguments.data})\n")
    with tempfile.TemporaryDirectory(prefix="rag-qa-eval-", ignore_cleanup_errors=True) as temporary:
        chosen = _settings(arguments, Path(temporary) / "index")
        system = make_system(chosen)
        if arguments.library is not None:
            source, papers = corpus.Corpus(chosen.data_dir), system.papers()
        else:
            source = folder.corpus(collection) if collection else corpus_of(arguments, Path(temporary))
            papers = indexed(system, source.path)
        source = folder.as_read(collection, source, papers) if collection else source
        resolved = loader.resolve(questions, papers, path=arguments.data, abstracts=source.abstracts)
        manifest = _manifest(arguments, chosen, papers, len(resolved))
        writer = run_directory.Writer(arguments.out or Path(temporary) / "run", manifest, papers, fresh=arguments.fresh)
        cold: list[Timing] = []
        waiting = [question for question in resolved if question.id not in writer.done]
        with counter() as progress:
            runner.run(
                _answering(arguments.system, system, chosen, papers, source.abstracts),
                waiting,
                papers,
                keep=writer.keep,
                progress=progress,
                concurrency=arguments.concurrency,
                deadline=arguments.deadline,
                on_cold=cold.append,
            )
        models = sorted({item.model for item in writer.done.values() if item.model})
        first = {"seconds": cold[0].seconds, "stages": dict(cold[0].stages)} if cold else None
        writer.finish([question.id for question in resolved], models=models, cold=first, finished=_now())
        stored = run_directory.load(arguments.out or Path(temporary) / "run")
        return _scored(stored, arguments.floors, only_failures=arguments.only_failures)


def _settings(arguments: argparse.Namespace, temporary: Path) -> Settings:
    """What the product is run with. Raises HarnessError for a library and papers to index, and SettingsError."""
    if arguments.library is None:
        return settings.load(data_dir=arguments.data_dir or temporary, answerer=arguments.answerer, embedder=arguments.embedder)
    if arguments.papers or arguments.data_dir or arguments.data.is_dir():
        raise HarnessError("--library asks an index as it is: leave --papers, --data-dir and a folder of questions with documents away, or --library")
    return settings.load(data_dir=None if arguments.library == Path() else arguments.library, answerer=arguments.answerer)


def _answering(
    name: str, product: runner.System, chosen: Settings, papers: Sequence[Paper], abstracts: Mapping[str, str]
) -> runner.System | runner.Giver:
    """What is asked; the product reads the papers in any case, so that all systems name them alike."""
    if name == "product":
        return product
    if name != "endpoint":
        return Recorded(Path(name), papers, abstracts)
    if not chosen.llm_model:
        raise HarnessError("--system endpoint needs a model: set RAG_QA_LLM_MODEL (and OPENAI_BASE_URL, OPENAI_API_KEY)")
    key = chosen.openai_api_key.get_secret_value() if chosen.openai_api_key else None
    most = min(MOST_TOKENS, chosen.llm_max_output_tokens)
    chat = Chat(base_url=chosen.openai_base_url, key=key, model=chosen.llm_model, max_tokens=most)
    return Endpoint(chat.write, lambda question: [hit.paper for hit in product.search(question, k=runner.DEPTH)], chosen.llm_model, chosen.dollars)


def score(arguments: argparse.Namespace) -> int:
    """Score a stored run, write its summary anew, print it. Raises RagQAError."""
    return _scored(run_directory.load(arguments.run), arguments.floors, only_failures=arguments.only_failures)


def _scored(stored: run_directory.Run, given: Path | None, *, only_failures: bool) -> int:
    result = summarised(stored, floors.chosen(given, stored.manifest["about"]))
    summary.write(result, stored.directory / run_directory.SUMMARY)
    print(terminal.render(result, stored.items, only_failures=only_failures))
    return PASSED if result.passed else BELOW_A_FLOOR


def summarised(stored: run_directory.Run, bounds: Sequence[floors.Floor]) -> summary.Summary:
    """The figures of a stored run."""
    about = {**stored.manifest["about"], "is_complete": stored.is_complete, "of": stored.manifest["questions"]}
    took = spending.spending(stored.items, stored.timings, stored.manifest.get("cold"))
    return summary.summarise(stored.items, stored.timings, bounds, about, stored.library, took)


def _manifest(arguments: argparse.Namespace, chosen: Settings, papers: Sequence[Paper], questions: int) -> dict[str, Any]:
    configuration = {name: getattr(chosen, name) for name in CONFIGURATION}
    about = {
        "data": shown(arguments.data),
        "data_sha256": hash_of_data(arguments),
        "chosen_kinds": list(arguments.kinds),
        "papers": len(papers),
        "settings": configuration,
        "system": arguments.system if arguments.system in ("product", "endpoint") else shown(Path(arguments.system)),
    }
    papers_hash = run_directory.hash_of_papers(papers)
    return {
        "schema": 1,
        "made_of": run_directory.hash_of([repr(sorted(about.items())), papers_hash]),
        "about": about,
        "given": {"data": str(arguments.data), "papers": None if arguments.papers is None else str(arguments.papers)},
        "questions": questions,
        "papers_sha256": papers_hash,
        "configuration_sha256": run_directory.hash_of([repr(sorted(configuration.items()))]),
        "revision": _revision(),
        "versions": {"python": sys.version.split()[0], **{name: found for name in ("rag-qa", *_PACKAGES) if (found := _version(name))}},
        "seeds": {"bootstrap": stats.SEED},
        "models": [],
        "cold": None,
        "started": _now(),
        "finished": None,
    }


def hash_of_data(arguments: argparse.Namespace) -> str:
    """Which questions are asked."""
    if not arguments.data.is_dir():
        return summary.sha256(arguments.data)
    parts = [arguments.data / beir.QUERIES, arguments.data / "qrels" / f"{arguments.split}.tsv"]
    return run_directory.hash_of(summary.sha256(part) for part in parts)


def _revision() -> str | None:
    """The commit of the project's checkout, with a + where files differ from it; None without git."""
    try:
        found = subprocess.run(["git", "-C", str(corpus.ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run(["git", "-C", str(corpus.ROOT), "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip() + ("+" if changed.stdout.strip() else "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def corpus_of(arguments: argparse.Namespace, directory: Path) -> corpus.Corpus:
    """What to index, as `--papers` and `--data` say; a file that has to be made goes into the directory. Raises corpus.DataAbsent, SourceError."""
    if arguments.papers is not None:
        return corpus.Corpus(arguments.papers)
    ids = corpus.ids_beside(arguments.data)
    return corpus.Corpus(corpus.SEEDS) if ids is None else corpus.from_ids(ids, directory, papers=arguments.dataset)


def indexed(system: runner.System, path: Path) -> list[Paper]:
    """Let a system read a corpus, and the papers that it has then. Raises HarnessError where a file could not be read."""
    report = system.index([path])
    if report.failed:
        worst = report.failed[0]
        raise HarnessError(f"{len(report.failed)} files of the corpus could not be read, the first is {worst.path}: {worst.reason}")
    papers = system.papers()
    if not papers:
        raise HarnessError(f"{path} gave no paper to ask about")
    return papers


@contextmanager
def counter() -> Iterator[runner.Progress | None]:
    """Counts on a terminal and is silent elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    yield lambda done, total: print(f"\r{done} of {total}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def shown(path: Path) -> str:
    """A path from the root of the project where it lies in it, so that two machines write the same summary."""
    absolute = path.resolve()
    return absolute.relative_to(corpus.ROOT).as_posix() if absolute.is_relative_to(corpus.ROOT) else path.name
