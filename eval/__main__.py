"""`python -m eval COMMAND`: measure the product, from the root of the project; `--help` lists the commands.

Exit codes: 0 every floor holds (or the data is not on this machine, which is said), 1 a floor does not hold, 2 the harness could not measure, 130
interrupted.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval import (
    beir,
    bench,
    certify,
    compare,
    corpus,
    correcting,
    dialogues,
    doctor,
    duplicates,
    embedders,
    feedback,
    formats,
    gate,
    grounding,
    indexing,
    judging,
    make_questions,
    ranking_figures,
    readers,
    retrieval,
    review,
    robustness,
    running,
    scale,
    schema,
    sharing,
    trust,
)
from eval.arguments import at_least_one
from eval.datasets import loader
from eval.report import page, rankings
from rag_qa import settings
from rag_qa.engine import Engine
from rag_qa.errors import RagQAError

PASSED, BELOW_A_FLOOR, COULD_NOT_MEASURE, INTERRUPTED = 0, 1, 2, 130
CACHE = corpus.ROOT / ".rag_qa" / "eval"


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it is for, its options, and what it does with them; it gives the exit code."""

    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None, *, make_system: running.MakeSystem = Engine) -> int:
    """Run a command and say how it ended (see the exit codes above). `make_system` makes what is evaluated."""
    arguments = _parser().parse_args(argv)
    try:
        asks = ASKING.get(arguments.command)
        return asks(arguments, make_system) if asks else COMMANDS[arguments.command].run(arguments)
    except corpus.DataAbsent as absent:
        print(f"SKIPPED: {absent}")
        return PASSED
    except (RagQAError, bench.BenchError, scale.ScaleError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT_MEASURE
    except Exception:  # noqa: BLE001  a fault of the harness is no failed gate
        traceback.print_exc()
        return COULD_NOT_MEASURE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eval", description="Measure the product on questions with known answers.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.add_options(commands.add_parser(name, help=command.help, description=command.help))
    return parser


def _bench_options(timed: argparse.ArgumentParser) -> None:
    timed.add_argument("--data", type=Path, default=running.SEED_QUESTIONS, metavar="FILE", help="questions (default: eval/datasets/seeds.jsonl)")
    timed.add_argument("--papers", type=Path, default=corpus.SEEDS, metavar="PATH", help="abstracts to index (default: seeds/)")
    timed.add_argument("--runs", type=int, default=5, metavar="N", help="cold starts to take the median of (default: 5)")
    timed.add_argument("--command", dest="program", metavar="COMMAND", help="the program to time (default: rag-qa of this environment)")


def _duplicates_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=corpus.LABELLED_DUPLICATES, metavar="FILE", help="a table of records that people have labelled")


def _duplicates(arguments: argparse.Namespace) -> int:
    if not arguments.data.exists():
        raise corpus.DataAbsent(f"{arguments.data} is not on this machine")
    print("\n".join(duplicates.lines(duplicates.run(arguments.data))))
    return PASSED


def _readers_options(parser: argparse.ArgumentParser) -> None:
    names = list(formats.FORMATS)
    parser.add_argument("--formats", nargs="+", default=names, choices=names, metavar="NAME", help="only these formats")
    parser.add_argument("--count", type=at_least_one, default=5000, metavar="N", help="records of each format (default: 5000)")
    parser.add_argument("--runs", type=at_least_one, default=3, metavar="N", help="readings to take the fastest of (default: 3)")
    parser.add_argument("--records", type=at_least_one, metavar="N", help="instead: read and compare a library of N records, one in five a copy")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON, in bytes and seconds")


def _readers(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="rag-qa-readers-", ignore_cleanup_errors=True) as temporary:
        if arguments.records is not None:
            report = readers.of_library(arguments.records, Path(temporary))
            print(json.dumps(readers.library_json(report), indent=2) if arguments.json else readers.library_table(report))
            return BELOW_A_FLOOR if report.faults else PASSED
        found = readers.speeds(arguments.formats, arguments.count, Path(temporary), runs=arguments.runs)
    print(json.dumps(readers.speed_json(found), indent=2) if arguments.json else readers.speed_table(found))
    return PASSED


def _retrieval_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="a folder in the layout of BEIR")
    parser.add_argument("--split", default="test", metavar="NAME", help="the judgments in qrels/NAME.tsv (default: test)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, and what each question reached, into this file")
    parser.add_argument("--embedder", choices=embedders.CHOICES, default="minilm", help="who embeds (default: minilm, offline)")
    parser.add_argument("--reranker", choices=retrieval.RERANKERS, default="none", help="who judges the first papers once more (default: none)")
    parser.add_argument("--limit-queries", type=at_least_one, metavar="N", help="ask only N of the questions, always the same ones")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="keep vectors and indexes here (default: .rag_qa/eval)")


def _retrieval(arguments: argparse.Namespace) -> int:
    collection = beir.load(arguments.data, arguments.split).limited(arguments.limit_queries)
    chosen = settings.load().model_copy(update={"embedder": arguments.embedder, "reranker": arguments.reranker})
    model = embedders.chosen(arguments.embedder, chosen, arguments.cache / "vectors.db")
    with running.counter() as count:
        asked = retrieval.run(collection, model, chosen, arguments.cache, progress=count and (lambda _stage, done, total: count(done, total)))
    figures = ranking_figures.measure(asked.asked, n_na=len(collection.questions) - len(asked.asked))
    if arguments.json is not None:
        rankings.write(rankings.to_json(asked, figures, chosen), arguments.json)
    print(rankings.render(asked, figures))
    return PASSED


def _bench(arguments: argparse.Namespace) -> int:
    if arguments.runs < 1:
        raise running.HarnessError(f"--runs is {arguments.runs}: at least 1 cold start is needed")
    questions = loader.load(arguments.data)
    command = shlex.split(arguments.program) if arguments.program else bench.program()
    with tempfile.TemporaryDirectory(prefix="rag-qa-bench-", ignore_cleanup_errors=True) as temporary:
        print(bench.bench(command, questions, arguments.papers, Path(temporary), runs=arguments.runs))
    return PASSED


def _scale(arguments: argparse.Namespace) -> int:
    print("\n".join(scale.table(scale.run(arguments))))
    return PASSED


def _sharing(arguments: argparse.Namespace) -> int:
    print("\n".join(scale.table([sharing.run(arguments)])))
    return PASSED


def _indexing(arguments: argparse.Namespace) -> int:
    print("\n".join(indexing.table(indexing.run(arguments))))
    return PASSED


def _report(arguments: argparse.Namespace) -> int:
    print(page.write(arguments, running.summarised))
    return PASSED


def _trust(arguments: argparse.Namespace) -> int:
    found = trust.run(arguments)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(trust.as_json(found), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print("\n".join(trust.lines(found)))
    return PASSED if found.holds else BELOW_A_FLOOR


def _calibrate(arguments: argparse.Namespace) -> int:
    print(trust.calibrate(arguments))
    return PASSED


def _certify(arguments: argparse.Namespace) -> int:
    found = certify.run(arguments)
    print("\n".join(certify.lines(found)))
    return PASSED if found.holds else BELOW_A_FLOOR


def _dialogues(arguments: argparse.Namespace, make_system: running.MakeSystem = Engine) -> int:
    found = dialogues.run(arguments, make_system)
    print("\n".join(dialogues.lines(found)))
    return PASSED if found.holds else BELOW_A_FLOOR


def _robustness(arguments: argparse.Namespace) -> int:
    found = robustness.of_shipped(arguments, said=lambda line: print(line, file=sys.stderr))
    if arguments.out is not None:
        told = robustness.as_json(found, robustness.asked_of(arguments))
        compare.write(arguments.out, json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    print("\n".join([*robustness.lines(found), *robustness.faults(found)]))
    return BELOW_A_FLOOR if robustness.faults(found) else PASSED


def _doctor(_arguments: argparse.Namespace) -> int:
    found = doctor.findings()
    print("\n".join(doctor.lines(found)))
    return COULD_NOT_MEASURE if any(one.outcome == "wrong" for one in found) else PASSED


def _judge(arguments: argparse.Namespace) -> int:
    print("\n".join(judging.lines(judging.run(arguments))))
    return PASSED


def _correct(arguments: argparse.Namespace) -> int:
    print("\n".join(correcting.lines(correcting.run(arguments))))
    return PASSED


def _schema(arguments: argparse.Namespace) -> int:
    print(schema.text(arguments))
    return PASSED


def _grounding(arguments: argparse.Namespace) -> int:
    figures = grounding.run(arguments)
    print("\n".join(grounding.lines(figures, failures=arguments.failures)))
    return BELOW_A_FLOOR if figures.faults else PASSED


def _make_questions(arguments: argparse.Namespace) -> int:
    print("\n".join(make_questions.lines(make_questions.run(arguments), arguments.out)))
    return PASSED


def _feedback(arguments: argparse.Namespace) -> int:
    print("\n".join(feedback.lines(feedback.run(arguments), arguments.out)))
    return PASSED


def _review(arguments: argparse.Namespace) -> int:
    print("\n".join(review.run(arguments, input, print)))
    return PASSED


COMMANDS: dict[str, Command] = {
    "run": Command(running.HELP, running.add_options, running.run),
    "report": Command(page.HELP, page.add_options, _report),
    "trust": Command(trust.HELP, trust.add_options, _trust),
    "calibrate": Command(trust.CALIBRATE_HELP, trust.add_calibrate_options, _calibrate),
    "certify": Command(certify.HELP, certify.add_options, _certify),
    "robustness": Command(robustness.HELP, robustness.add_options, _robustness),
    "dialogues": Command(dialogues.HELP, dialogues.add_options, _dialogues),
    "doctor": Command(doctor.HELP, lambda _: None, _doctor),
    "judge": Command(judging.HELP, judging.add_options, _judge),
    "correct": Command(correcting.HELP, correcting.add_options, _correct),
    "schema": Command(schema.HELP, schema.add_options, _schema),
    "score": Command(running.SCORE_HELP, running.add_score_options, running.score),
    "compare": Command(compare.HELP, compare.add_options, compare.run),
    "gate": Command(gate.HELP, gate.add_options, gate.run),
    "make-questions": Command(make_questions.HELP, make_questions.add_options, _make_questions),
    "review": Command(review.HELP, review.add_options, _review),
    "feedback": Command(feedback.HELP, feedback.add_options, _feedback),
    "readers": Command("how fast records are read in each format, or a whole library is read and compared", _readers_options, _readers),
    "bench": Command("time a cold start and a batch of the installed program", _bench_options, _bench),
    "retrieval": Command("how well papers are found, on a BEIR folder, beside the plain rankings", _retrieval_options, _retrieval),
    "scale": Command(scale.HELP, scale.add_options, _scale),
    "sharing": Command(sharing.HELP, sharing.add_options, _sharing),
    "indexing": Command(indexing.HELP, indexing.add_options, _indexing),
    "grounding": Command(grounding.HELP, grounding.add_options, _grounding),
    "duplicates": Command("how well records of one work are found, on records that people have labelled", _duplicates_options, _duplicates),
}

ASKING: dict[str, Callable[[argparse.Namespace, running.MakeSystem], int]] = {"run": running.run, "dialogues": _dialogues}
"""The commands that ask a system of the caller's making."""


def process(run: Callable[[], int] = main) -> int:
    """The whole process: what `run` returns; an interruption is told in one line and ends with 130."""
    try:
        return run()
    except KeyboardInterrupt:
        print(
            "Interrupted. What was answered stands in the directory of --out, if one was named: the same command goes on from there.", file=sys.stderr
        )
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(process())
