"""Questions of a folder in the layout of BEIR, with the answers that somebody has written to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import beir, run_directory
from eval.__main__ import main
from eval.datasets import folder
from eval.datasets.loader import Kind
from rag_qa.errors import SourceError
from tests.eval.making import write_beir
from tests.fakes import PAPERS, FakeEngine


def made(path: Path, answers: str = "") -> beir.Beir:
    documents = [(f"d{n}", "", paper.abstract) for n, paper in enumerate(PAPERS)]
    write_beir(path, documents, {"1": "How fast is the tide?", "2": "What of moss?"}, [("1", "d0", 1), ("1", "d1", 0), ("2", "d1", 1)])
    if answers:
        (path / folder.ANSWERS).write_text(answers, encoding="utf-8")
    return beir.load(path, "test")


def test_questions_have_the_papers_with_a_grade_and_the_written_answer(tmp_path: Path) -> None:
    first, second = folder.questions(made(tmp_path, '{"id": "1", "answer": "Half again as fast."}\n'))
    assert (first.id, first.kind, first.papers, first.reference, first.answerable) == ("1", Kind.OPEN, ("d0",), "Half again as fast.", True)
    assert second.reference == ""


def test_a_bad_answer_is_reported_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"qa\.jsonl:2"):
        folder.questions(made(tmp_path, '{"id": "1", "answer": "So."}\n{"id": "2"}\n'))


def test_a_run_over_a_folder(tmp_path: Path) -> None:
    made(tmp_path / "beir", '{"id": "1", "answer": "It is 1.5× faster than its rivals."}\n')
    main(["run", "--data", str(tmp_path / "beir"), "--out", str(tmp_path / "run")], make_system=FakeEngine)
    stored = run_directory.load(tmp_path / "run")
    assert stored.items[0].question.papers == ("p1",)
    figures = {figure["metric"]: figure for figure in json.loads((tmp_path / "run" / "summary.json").read_text())["figures"]}
    assert figures["information"]["value"] > 0.3
