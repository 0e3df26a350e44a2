"""`python -m eval doctor`: is everything there that the harness needs? It asks nobody over the network."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eval import corpus, floors, pairs, summary
from eval.datasets import loader
from eval.metrics import support
from rag_qa import settings
from rag_qa.errors import RagQAError

HELP = "check that the harness has what it needs; asks nobody over the network"

Outcome = Literal["ok", "absent", "wrong"]
_SETS = Path(loader.__file__).parent
_PACKAGES = {"jinja2": "report", "pydantic": "schema", "ir_measures": "the parity tests"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. "absent": something can't be measured, and is said to be skipped; "wrong": nothing can be trusted."""

    what: str
    outcome: Outcome
    detail: str


def findings() -> list[Finding]:
    """Everything that is looked at, in order."""
    return [*_question_sets(), *_files(), *_packages(), _floors(), _thresholds(), _model()]


def _question_sets() -> list[Finding]:
    found = []
    for path in sorted(_SETS.glob("*.jsonl")):
        if path.with_name(f"{path.stem}_papers.txt").is_file() or path.stem.startswith("seeds"):
            what = f"questions {path.name}"
            found.append(_tried(what, lambda path=path: f"{len(loader.load(path))} questions, {summary.sha256(path)[:12]}"))  # type: ignore[misc]
    return found


def _files() -> list[Finding]:
    wanted = {"the shipped abstracts": corpus.SEEDS, "ICLR 2025 abstracts": corpus.ICLR, "labelled pairs": pairs.PAIRS}
    return [
        Finding(what, "ok" if path.exists() else "absent", str(path) if path.exists() else f"{path} is not there: what needs it is skipped")
        for what, path in wanted.items()
    ]


def _packages() -> list[Finding]:
    found = []
    for name, needed_for in _PACKAGES.items():
        is_there = importlib.util.find_spec(name) is not None
        found.append(Finding(f"package {name}", "ok" if is_there else "absent", f"for {needed_for}" if is_there else f"pip install {name}"))
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    return [*found, Finding("a browser", "ok" if browser else "absent", browser or "for the tests of the pages: apt install chromium")]


def _floors() -> Finding:
    return _tried("floors", lambda: f"{len(floors.load())} in {floors.SHIPPED.name}")


def _thresholds() -> Finding:
    return _tried("thresholds of the checker", lambda: str(json.loads(support.SHIPPED.read_text(encoding="utf-8"))["origin"]))


def _model() -> Finding:
    try:
        chosen = settings.load()
    except RagQAError as error:
        return Finding("settings", "wrong", str(error))
    if not chosen.uses_llm:
        return Finding("chat model", "ok", "none is set up: everything runs offline")
    price = chosen.llm_price or "unknown, so cost is unknown and not 0"
    return Finding("chat model", "ok", f"{chosen.llm_model or 'none named'}; price {price}; it was not asked")


def _tried(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "ok", look())
    except (RagQAError, OSError, ValueError, KeyError) as error:
        return Finding(what, "wrong", str(error))


def lines(found: Sequence[Finding]) -> list[str]:
    """As text, and in the last line how it ended."""
    wide = max(len(one.what) for one in found)
    rows = [f"{one.outcome:7} {one.what:{wide}}  {one.detail}" for one in found]
    wrong = sum(one.outcome == "wrong" for one in found)
    return [*rows, f"{wrong} wrong" if wrong else "Everything that is there can be measured."]
