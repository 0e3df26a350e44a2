"""What is measured of rankings, as text and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eval import kept_index
from eval.figures import Figure
from eval.metrics import stats
from eval.ranking_figures import MEASURES, Difference, Figures, Latency, scores
from eval.rankings import PLAIN
from eval.report.table import table
from eval.retrieval import DEPTH, RANKINGS, Asked, Run
from rag_qa.settings import Settings

_EXAMPLES = 3  # of what went wrong; the JSON has all

# --------------------------------------------------------------------------------------------------------------------- text


def render(run: Run, figures: Figures) -> str:
    """The whole report."""
    return "\n\n".join(
        ["\n".join(_about(run)), _headline(figures), _differences(figures), *_failures(run.asked), *_notices(run.asked), "\n".join(_notes(run))]
    )


def _about(run: Run) -> Iterator[str]:
    coverage, collection = run.coverage, run.collection
    without = len(collection.questions) - len(run.asked)
    yield f"{collection.name}, {collection.split}: {len(run.asked):,} questions" + (
        f" ({without:,} more that no document answers)" if without else ""
    )
    parts = f"{coverage.papers:,} papers, {coverage.merged:,} merged with one of them, {len(coverage.left_out):,} left out"
    yield f"{coverage.documents:,} documents: {parts}"
    relevant = Counter(_relevant(run))
    told = ", ".join(f"{count:,} {state}" for state, count in relevant.items() if state != "found")
    yield f"{relevant.total():,} relevant documents" + (f": {told}" if told else "")
    made = "all vectors known" if run.computed == 0 else f"{run.computed:,} texts embedded" if run.computed else "no vectors kept"
    yield f"embedded by {run.embedder}; index ready after {run.index_seconds:.1f} s ({made})"
    if run.reranker:
        yield f"product: re-ranked by {run.reranker}"


def _relevant(run: Run) -> Iterator[str]:
    """What became of each relevant document of the questions."""
    papers = Counter(run.coverage.paper_of.values())
    for document in sorted({document for one in run.asked for document in one.question.grades}):
        if document in run.coverage.paper_of:
            yield "found" if papers[run.coverage.paper_of[document]] == 1 else "merged with others"
        else:
            yield "in no paper, missed" if document in run.coverage.left_out else "not in the corpus, missed"


def _headline(figures: Figures) -> str:
    by_key = {(figure.metric, figure.scope): figure for figure in figures.figures}
    rows = [["", *RANKINGS]]
    rows += [[one.name, *(_shown(by_key[one.name, name]) for name in RANKINGS)] for one in MEASURES if by_key]
    rows += [["scored/eligible/errors", *(by_key[MEASURES[0].name, name].counts for name in RANKINGS)]] if by_key else []
    rows += [[f"{title} ms", *(_milliseconds(one, title) for one in figures.latencies)] for title in ("p50", "p95")]
    return table(rows, left=(0,))


def _differences(figures: Figures) -> str:
    by_key = {(one.metric, one.ranking): one for one in figures.differences}
    rows = [["product minus", *PLAIN]]
    rows += [[one.name, *(_signed(by_key[one.name, name]) for name in PLAIN)] for one in MEASURES if by_key]
    return table(rows, left=(0,))


def _shown(figure: Figure) -> str:
    """A mean and its interval.

    >>> _shown(Figure("nDCG@10", "dense", 0.64567, 3, 3, 0, 0, (0.61, 1.0)))
    '0.6457 .610-1.000'
    """
    low, high = (f"{end:.3f}".removeprefix("0") for end in figure.interval or (0.0, 1.0))
    return f"{figure.value:.4f} {low}-{high}"


def _signed(one: Difference) -> str:
    """A difference and its interval, and a star where that holds no 0.

    >>> _signed(Difference("nDCG@10", "dense", 0.04, (0.011, 0.07)))
    '+0.0400 (+0.011, +0.070)*'
    """
    low, high = one.interval
    return f"{one.value:+.4f} ({low:+.3f}, {high:+.3f})" + ("*" if low > 0 or high < 0 else " ")


def _milliseconds(one: Latency, title: str) -> str:
    value = one.p50 if title == "p50" else one.p95
    return "-" if value is None else f"{value:.1f}"


def _failures(asked: Sequence[Asked]) -> Iterator[str]:
    failed = [(one.question.id, name, found.error) for one in asked for name, found in one.found.items() if found.error]
    if failed:
        questions = len({id_ for id_, _, _ in failed})
        yield "\n".join(
            [f"{questions:,} questions failed in some ranking:", *(f"  {id_} ({name}): {error}" for id_, name, error in failed[:_EXAMPLES])]
        )


def _notices(asked: Sequence[Asked]) -> Iterator[str]:
    noticed = [(one.question.id, found.notice) for one in asked for found in one.found.values() if found.notice]
    if noticed:
        parts = [f"{len(noticed):,} questions with a notice:", *(f"  {id_}: {notice}" for id_, notice in noticed[:_EXAMPLES])]
        yield "\n".join(parts)


def _notes(run: Run) -> Iterator[str]:
    left_out = list(run.coverage.left_out.items())
    yield from (f"left out: {document}: {reason}" for document, reason in left_out[:_EXAMPLES])
    if len(left_out) > _EXAMPLES:
        yield f"and {len(left_out) - _EXAMPLES:,} more, which --json lists"
    yield f"Intervals: 95 %, {stats.RESAMPLES:,} bootstrap resamples of the questions; * holds no 0. Of each ranking the first {DEPTH} papers count."
    yield "p50, p95: milliseconds a question, one after the other, " + (
        "with vectors of questions that were kept from earlier runs" if run.keeps_questions else "the embedding of the question included"
    )


# --------------------------------------------------------------------------------------------------------------------- JSON


def to_json(run: Run, figures: Figures, settings: Settings) -> dict[str, Any]:
    """A dictionary of plain values: what was measured on what, every figure with its definition, and what each question reached."""
    return {
        "about": _made_of(run, settings),
        "coverage": {
            "documents": run.coverage.documents,
            "papers": run.coverage.papers,
            "merged": run.coverage.merged,
            "left_out": dict(run.coverage.left_out),
            "relevant": dict(Counter(_relevant(run))),
        },
        "definitions": {one.name: {"formula": one.formula, "range": "0 to 1", "direction": "higher"} for one in MEASURES},
        "figures": [asdict(figure) for figure in figures.figures],
        "product_minus": [asdict(one) for one in figures.differences],
        "latency_ms": [asdict(one) for one in figures.latencies],
        "questions": [_question(one) for one in run.asked],
    }


def _made_of(run: Run, settings: Settings) -> dict[str, Any]:
    collection = run.collection
    files = {"corpus": collection.corpus, "judgments": collection.judgments}
    return {
        "data": collection.name,
        "split": collection.split,
        "questions": len(run.asked),
        "questions_without_answer": len(collection.questions) - len(run.asked),
        "sha256": {name: kept_index.file_hash(path) for name, path in files.items()} | {"indexing code": kept_index.code_hash()},
        "embedder": run.embedder,
        "reranker": {"name": run.reranker, "papers": settings.reranker_depth} if run.reranker else None,
        "settings": _changed(settings),
        "depth": DEPTH,
        "bootstrap": {"resamples": stats.RESAMPLES, "seed": stats.SEED, "level": 0.95},
        "index_seconds": round(run.index_seconds, 3),
        "texts_embedded": run.computed,
        "question_vectors_kept": run.keeps_questions,
        "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
    }


def _changed(settings: Settings) -> dict[str, Any]:
    """The settings that are not the defaults, without keys and places."""
    fields = type(settings).model_fields
    given = settings.model_dump(mode="json")
    return {
        name: given[name]
        for name in fields
        if getattr(settings, name) != fields[name].default and not name.endswith("api_key") and name != "data_dir"
    }


def _question(asked: Asked) -> dict[str, Any]:
    reached = {name: dict(zip((one.name for one in MEASURES), scores(asked, name), strict=True)) for name in RANKINGS}
    errors = {name: found.error for name, found in asked.found.items() if found.error}
    milliseconds = {name: round(found.seconds * 1000, 3) for name, found in asked.found.items() if not found.error}
    notices = {name: found.notice for name, found in asked.found.items() if found.notice}
    record = {"id": asked.question.id, "relevant": len(asked.grades), "scores": reached, "milliseconds": milliseconds}
    return record | ({"errors": errors} if errors else {}) | ({"notices": notices} if notices else {})


def write(record: dict[str, Any], path: Path) -> None:
    """Write as JSON, a question a line; a value that is not a number raises ValueError instead of being written as NaN."""
    head = {name: value for name, value in record.items() if name != "questions"}
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, indent=2)
    lines = ",\n".join("    " + json.dumps(question, ensure_ascii=False, allow_nan=False) for question in record["questions"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{text.removesuffix(chr(10) + "}")},\n  "questions": [\n{lines}\n  ]\n}}\n', encoding="utf-8")
