"""The harness judges the product with nothing of the product's own judgement."""

from __future__ import annotations

import ast
from pathlib import Path

ALLOWED = {"rag_qa", "rag_qa.answering.answer", "rag_qa.engine", "rag_qa.errors", "rag_qa.papers", "rag_qa.retrieval.hits", "rag_qa.settings"}
"""Value types, the engine and its settings: no text folding, no grounding, no ranking."""
FITTING = {
    "eval/boosting.py",
    "eval/practice.py",
    "eval/fit_sentences.py",
    "eval/fit_confidence.py",
    "eval/fit_ranking.py",
    "eval/fit_grounding.py",
    "eval/fit_sets.py",
    "eval/fit_roles.py",
    "eval/fit_comprehension.py",
}
"""They set the product's weights on development questions, and so have to know its parts; they judge nothing."""

PARTS = {
    "eval/duplicates.py",
    "eval/grounding.py",
    "eval/readers.py",
    "eval/formats.py",
    "eval/embedders.py",
    "eval/rankings.py",
    "eval/scale.py",
    "eval/indexing.py",
    "eval/sharing.py",
    "eval/refusals.py",
    "eval/small_model.py",
}
"""Measure one part of the product against labels of people, or its speed, and so have to call that part; they judge no answer."""

PROPOSING = {
    "eval/feedback.py",
    "eval/make_questions.py",
    "eval/proposals/masked.py",
    "eval/proposals/several.py",
    "eval/proposals/written.py",
}
"""Make questions of a library, or of what people said of answers, for a person to accept; they judge no answer."""


def _imported(source: str) -> set[str]:
    tree = ast.walk(ast.parse(source))
    froms = {node.module or "" for node in tree if isinstance(node, ast.ImportFrom)}
    plain = {alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import) for alias in node.names}
    return {name for name in froms | plain if name.split(".")[0] == "rag_qa"}


def test_eval_imports_value_types_and_the_engine_only(project: Path) -> None:
    found = {path.relative_to(project).as_posix(): _imported(path.read_text(encoding="utf-8")) - ALLOWED for path in (project / "eval").rglob("*.py")}
    assert {path: names for path, names in found.items() if names and path not in FITTING | PARTS | PROPOSING} == {}


def test_the_metrics_import_nothing_of_the_product(project: Path) -> None:
    found = {path.name: _imported(path.read_text(encoding="utf-8")) for path in (project / "eval" / "metrics").glob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}
