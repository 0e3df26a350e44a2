"""Folders in the layout of BEIR: what is read, and what is said of one that can't be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import beir
from rag_qa.errors import SourceError
from tests.eval.making import judged, write_beir

DOCUMENTS = [("d1", "Tides", "The sea rises."), ("d2", "", "Moss grows.")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents and two questions, one of them with a grade of 0."""
    return write_beir(tmp_path / "sea", DOCUMENTS, {"q1": "What rises?", "q2": "What grows?"}, [("q2", "d2", 2), ("q2", "d1", 0), ("q1", "d1", 1)])


def test_documents_questions_and_judgments(folder: Path) -> None:
    found = beir.load(folder, "test")
    assert found.lines == {"d1": 1, "d2": 2}
    assert found.questions == (judged("q2", "What grows?", d2=2.0), judged("q1", "What rises?", d1=1.0))
    assert (found.name, found.corpus, found.judgments) == ("sea", folder / "corpus.jsonl", folder / "qrels" / "test.tsv")


def test_lines_are_physical_ones(folder: Path) -> None:
    # a line separator inside a text is no line end, a blank line is a line
    lines = ["", json.dumps({"_id": "d1", "text": "one\u2028two"}, ensure_ascii=False), "  ", '{"_id": 7, "text": "x"}']
    (folder / "corpus.jsonl").write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8", newline="")
    assert beir.load(folder, "test").lines == {"d1": 2, "7": 4}


def test_questions_that_only_the_other_file_has(folder: Path) -> None:
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq8\td1\t1\nq9\td1\t1\n")
    (folder / "queries_all.jsonl").write_text('{"_id": "q8", "text": "From all?"}\n{"_id": "q1", "text": "not this"}\n')
    assert [question.text for question in beir.load(folder, "train").questions] == ["What rises?", "From all?", None]


def test_judgments_without_a_line_of_names(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").write_text("q1\td2\t1\nq1\td1\t-1\n")
    assert beir.load(folder, "test").questions == (judged("q1", "What rises?", d2=1.0),)


def test_a_few_questions_are_the_same_ones_each_time(tmp_path: Path) -> None:
    ids = [f"q{number}" for number in range(40)]
    folder = write_beir(tmp_path / "many", DOCUMENTS, dict.fromkeys(ids, "What?"), [(id_, "d1", 1) for id_ in ids])
    found = beir.load(folder, "test")
    some = [question.id for question in found.limited(10).questions]
    assert len(some) == 10
    assert some == [question.id for question in beir.load(folder, "test").limited(10).questions] == sorted(some, key=ids.index)
    assert some != ids[:10]
    assert set(some) < {question.id for question in found.limited(20).questions}
    assert found.limited(None) == found.limited(40) == found


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": "x"}\n{"_id": "d1", "text": "y"}\n', r"corpus\.jsonl:2: found the id 'd1' of line 1 again"),
        ("corpus.jsonl", '{"_id": "d1"}\n{"id": "d2"}\n', r"corpus\.jsonl:2: found \{\"id\": \"d2\"\}, expected a JSON object with an _id"),
        ("corpus.jsonl", '{"_id": "d1"\n', r"corpus\.jsonl:1: found Expecting .*, expected a JSON object"),
        ("queries.jsonl", "[1]\n", r"queries\.jsonl:1: found \[1\], expected a JSON object with an _id"),
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1 d1 1\n",
            r"test\.tsv:2: found 'q1 d1 1', expected question, document and grade, with tabs",
        ),
        ("qrels/test.tsv", "q1\td1\t1\nq1\td1\t2\n", r"test\.tsv:2: found q1 and d1 again, expected each pair once"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", r"test\.tsv: found no judgment"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder: Path, file: str, content: str, message: str) -> None:
    (folder / file).write_text(content)
    with pytest.raises(SourceError, match=message):
        beir.load(folder, "test")


def test_a_split_that_is_not_there(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"dev\.tsv: found no such file, expected judgments of a split \(there are: test\)"):
        beir.load(folder, "dev")


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_folder_that_is_none(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(SourceError, match="no such file"):
        beir.load(folder, "test")


def test_bytes_that_are_not_utf8(folder: Path) -> None:
    (folder / "corpus.jsonl").write_bytes(b'{"_id": "d1", "text": "\xff"}\n')
    with pytest.raises(SourceError, match=r"corpus\.jsonl: found .*0xff"):
        beir.load(folder, "test")


def test_the_collections_are_read(shared_data: Path) -> None:
    """(documents, questions of a split) of the shared collections; nothing is asked."""
    sizes = {}
    for name, split in (("scifact", "train"), ("pubmedqa", "test"), ("cranfield", "test"), ("iclr2025", "test")):
        found = beir.load(shared_data / name / "beir", split)
        sizes[found.name] = (len(found.lines), len(found.questions), sum(question.text is None for question in found.questions))
    assert sizes == {"scifact": (5183, 809, 0), "pubmedqa": (1000, 1000, 0), "cranfield": (1400, 225, 0), "iclr2025": (2133, 2133, 0)}
