"""How long the installed program takes, measured from outside: a cold start of one question, and a question of a batch."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from eval.datasets.loader import Question


class BenchError(Exception):
    """The program could not be run, or did not answer."""


@dataclass(frozen=True, slots=True)
class BenchReport:
    """Milliseconds. `cold`: each cold start; `batch_total`: the whole batch with its start, of `questions` questions."""

    cold: Sequence[float]
    batch_total: float
    questions: int

    @property
    def per_question(self) -> float:
        """Milliseconds a question of the batch, its start-up included."""
        return self.batch_total / self.questions

    def __str__(self) -> str:
        spread = f"median of {len(self.cold)}: {min(self.cold):.0f} to {max(self.cold):.0f}"
        batch = f"{self.questions} questions in {self.batch_total:.0f} ms, start-up included"
        return (
            f"cold start of `ask`:  {statistics.median(self.cold):.0f} ms ({spread})\n"
            f"`ask --batch`:        {self.per_question:.1f} ms a question ({batch})"
        )


def program() -> list[str]:
    """The command `rag-qa` of this environment; where it is not installed, the same as a module."""
    installed = Path(sys.executable).with_name("rag-qa")
    return [str(installed)] if installed.is_file() else [sys.executable, "-m", "rag_qa"]


def bench(command: Sequence[str], questions: Sequence[Question], corpus: Path, directory: Path, *, runs: int) -> BenchReport:
    """Index the corpus (not timed), then measure. `directory`: an empty one for the index. Raises BenchError."""
    environment = _environment(directory)
    _timed([*command, "index", str(corpus)], environment)
    cold = [_timed([*command, "ask", _stand_alone(questions).text, "--json"], environment)[0] for _ in range(runs)]
    batch = directory / "batch.jsonl"
    records = [{"id": one.id, "question": one.text, "history": list(one.history)} for one in questions]
    batch.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    total, output = _timed([*command, "ask", "--batch", str(batch), "--json"], environment)
    answered = _ids(output)
    if answered != [one.id for one in questions]:
        raise BenchError(f"`ask --batch` was asked {len(questions)} questions and printed {len(answered)} answers, or in another order")
    return BenchReport(cold, total, len(questions))


def _stand_alone(questions: Sequence[Question]) -> Question:
    return next((one for one in questions if one.answerable and not one.history), questions[0])


def _environment(directory: Path) -> dict[str, str]:
    """That of this process, without a model server, and with an index of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "RAG_QA_"))}
    return {**kept, "RAG_QA_DATA_DIR": str(directory / "index"), "RAG_QA_ANSWERER": "extractive", "RAG_QA_EMBEDDER": "minilm"}


def _timed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, str]:
    """Milliseconds that a command took, and what it printed."""
    started = perf_counter()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{' '.join(command)}: {error}") from error
    milliseconds = (perf_counter() - started) * 1000
    if done.returncode != 0:
        raise BenchError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return milliseconds, done.stdout


def _ids(output: str) -> list[str]:
    try:
        return [str(json.loads(line).get("id")) for line in output.splitlines() if line.strip()]
    except (ValueError, AttributeError) as error:
        raise BenchError(f"`ask --batch --json` printed a line that is not a JSON object: {error}") from error
