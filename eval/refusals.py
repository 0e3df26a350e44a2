"""What the shipped threshold is worth, and what could be promised, on development questions: `python -m eval.refusals`.

It is what `rag-qa calibrate` shows, over the shipped abstracts and over other ones; nothing is kept. The question sets that
are for reporting alone are not asked. Exit codes: 0 it is shown (or the data is not on this machine, which is said), 2 it could not be found out.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from eval import corpus
from eval.datasets import loader
from rag_qa.engine import Calibration, Engine
from rag_qa.errors import RagQAError
from rag_qa.interfaces import calibration_views, render
from rag_qa.papers import Paper
from rag_qa.settings import load

_FOLDER = Path(__file__).resolve().parent / "datasets"
SETS = ((_FOLDER / "seeds.jsonl", _FOLDER / "seeds_more.jsonl"), (_FOLDER / "iclr_more.jsonl",))
"""Question sets that are asked together, each over the papers that stand beside the first of them, or over the shipped ones."""

SHOWN, FAILED = 0, 2


def calibrated(files: Sequence[Path], *, papers: Path = corpus.ICLR) -> Calibration:
    """What comes of the questions of some files. Raises corpus.DataAbsent without the data set, RagQAError."""
    ids = corpus.ids_beside(files[0])
    with tempfile.TemporaryDirectory(prefix="rag-qa-refusals-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        made = corpus.from_ids(ids, folder, papers=papers) if ids else corpus.Corpus(corpus.SEEDS)
        engine = Engine(load(data_dir=folder / "data", answerer="extractive", embedder="minilm"))
        engine.index([made.path])
        return engine.calibrate([_with_ids(path, engine.papers(), made.abstracts, folder) for path in files], dry_run=True)


def _with_ids(path: Path, papers: Sequence[Paper], abstracts: Mapping[str, str], folder: Path) -> Path:
    """The questions of a file in one with the ids that their papers have in the index."""
    asked = loader.resolve(loader.load(path), papers, path=path, abstracts=abstracts)
    copy = folder / path.name
    keys = [{"question": one.text, "history": one.history, "papers": one.papers, "answerable": one.answerable} for one in asked]
    copy.write_text("".join(f"{json.dumps(one)}\n" for one in keys), encoding="utf-8")
    return copy


def main(sets: Sequence[Sequence[Path]] = SETS, *, papers: Path = corpus.ICLR) -> int:
    """Show what comes of each group of sets, and say how it ended (see the exit codes above)."""
    for files in sets:
        try:
            found = calibrated(files, papers=papers)
        except corpus.DataAbsent as absent:
            sys.stdout.write(f"SKIPPED: {absent}\n")
            continue
        except (RagQAError, OSError) as error:
            sys.stderr.write(f"error: {error}\n")
            return FAILED
        sys.stdout.write(render.plain(calibration_views.calibration_lines(found, None)) + "\n\n")
    return SHOWN


if __name__ == "__main__":
    sys.exit(main())
