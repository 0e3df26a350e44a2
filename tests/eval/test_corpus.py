"""The corpus of a question set that is about ids of a data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import corpus
from eval.__main__ import main
from rag_qa.errors import SourceError
from tests.eval.making import write_questions
from tests.fakes import MOSS, TIDE, FakeEngine


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A data set of three papers, one of them with line breaks in its abstract."""
    records = [
        {"id": "X1", "abstract": TIDE.abstract.replace(". ", ".\n\n")},
        {"id": "X2", "abstract": MOSS.abstract},
        {"id": "X3", "abstract": "Unused."},
    ]
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def test_the_file_has_the_form_of_the_seeds(tmp_path: Path, papers: Path) -> None:
    ids = tmp_path / "mine_papers.txt"
    ids.write_text("X2\nX1\n")
    made = corpus.from_ids(ids, tmp_path, papers=papers)
    assert made.path.read_text(encoding="utf-8") == f"ICLR 2025 Papers\n\n{MOSS.abstract}\n\n{TIDE.abstract}\n"
    assert dict(made.abstracts) == {"X2": MOSS.abstract, "X1": TIDE.abstract}


def test_a_label_before_an_abstract_is_no_part_of_it(tmp_path: Path) -> None:
    records = [
        {"id": "A", "abstract": "Abstract: Tides rise."},
        {"id": "B", "abstract": "ABSTRACT Moss grows."},
        {"id": "C", "abstract": "Abstract reasoning is."},
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    (tmp_path / "mine_papers.txt").write_text("A\nB\nC\n")
    made = corpus.from_ids(tmp_path / "mine_papers.txt", tmp_path, papers=tmp_path / "papers.jsonl")
    assert list(made.abstracts.values()) == ["Tides rise.", "Moss grows.", "Abstract reasoning is."]


def test_an_id_that_is_not_in_the_data_set(tmp_path: Path, papers: Path) -> None:
    ids = tmp_path / "mine_papers.txt"
    ids.write_text("X1\nX9\n")
    with pytest.raises(SourceError, match=r"mine_papers\.txt:2: found the id 'X9'"):
        corpus.from_ids(ids, tmp_path, papers=papers)


def test_a_bad_record_of_the_data_set(tmp_path: Path, papers: Path) -> None:
    ids = tmp_path / "mine_papers.txt"
    ids.write_text("X1\n")
    papers.write_text('{"id": "X1"}\n')
    with pytest.raises(SourceError, match=r"papers\.jsonl:1: found KeyError\('abstract'\), expected an object with an id and an abstract"):
        corpus.from_ids(ids, tmp_path, papers=papers)


def test_a_question_set_has_the_list_of_ids_beside_it(tmp_path: Path) -> None:
    assert corpus.ids_beside(tmp_path / "mine.jsonl") is None
    (tmp_path / "mine_papers.txt").write_text("X1\n")
    assert corpus.ids_beside(tmp_path / "mine.jsonl") == tmp_path / "mine_papers.txt"


def test_without_the_data_set_a_run_says_so_and_measures_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "mine.jsonl", [{"question": "How fast?", "papers": ["X1"]}])
    (tmp_path / "mine_papers.txt").write_text("X1\n")
    code = main(["run", "--data", str(data), "--dataset", str(tmp_path / "none.jsonl")], make_system=FakeEngine)
    assert code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("SKIPPED: ")
    assert printed.endswith("none.jsonl is not there, so the corpus of mine_papers.txt cannot be made\n")


def test_ids_of_the_data_set_stand_for_their_papers(tmp_path: Path, papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "mine.jsonl", [{"question": "How fast is the tide?", "papers": ["X1"]}])
    (tmp_path / "mine_papers.txt").write_text("X1\nX2\n")
    code = main(["run", "--data", str(data), "--dataset", str(papers)], make_system=FakeEngine)
    assert code == 0, capsys.readouterr().out
