"""What became of changed papers and questions, as a part of the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import floors, robustness, running
from eval.__main__ import main
from eval.report import page, robust
from eval.report.page import Extras
from eval.robustness import Outcome
from rag_qa.errors import SourceError
from tests.eval.runs import items, store
from tests.eval.test_page import made

OUTCOMES = [
    Outcome("order", "order 1", 10, 0.9, 0.9, 0.0, 1.0),
    Outcome("order", "order 2", 10, 0.9, 0.7, 0.2, 0.8),
    Outcome("distractors", "+0 a paper", 4, 0.75, 1.0, 0.1, 1.0),
    Outcome("distractors", "+10 a paper", 4, 0.75, 0.5, 0.1, 1.0),
    Outcome("typos", "2 a question", 10, 0.9, 0.8, 0.1, 1.0),
    Outcome("injection", "<script>", 10, 0.9, 0.9, 0.0, 1.0, attacked=0),
]


def written(path: Path) -> Path:
    (path.parent / "questions.jsonl").write_text("{}\n", encoding="utf-8")
    path.write_text(json.dumps(robustness.as_json(OUTCOMES, path.parent / "questions.jsonl")), encoding="utf-8")
    return path


def test_what_is_written_is_read_again_and_drawn(tmp_path: Path) -> None:
    found = robust.load(written(tmp_path / "robustness.json"))
    assert [one for suite in found.suites.values() for one in suite] == OUTCOMES
    assert found.faults == ("order 2: 20.0% of the answers have other words",)
    orders, distractors, typos = found.pictures
    assert "<title>order 2: 0.700</title>" in orders
    assert 'class="dot bad"' in orders
    assert "right ends at 0.5; all papers ends at 0.75" in distractors
    assert "right ends at 0.8" in typos


def test_the_page_shows_it_where_it_is_given(tmp_path: Path) -> None:
    run = made(items("+-"))
    summary = running.summarised(run, floors.load())
    text = page.render(run, summary, Extras(robustness=robust.load(written(tmp_path / "robustness.json"))))
    assert 'id="robustness"' in text
    assert "&lt;script&gt;" in text
    assert "0.300" in text  # 3 / 10: none of ten attacks succeeded
    assert "20.0% of the answers have other words" in text
    assert 'id="robustness"' not in page.render(run, summary)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"outcomes": [{"suite": "order"}]}', '{"outcomes": [], "data": 3}'])
def test_another_file_is_refused_with_its_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"other\.json.*robustness --out"):
        robust.load(tmp_path / "other.json")


def test_the_command_takes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(tmp_path / "run", items("+-"))
    assert main(["report", str(tmp_path / "run"), "--robustness", str(written(tmp_path / "robustness.json"))]) == 0
    assert 'id="robustness"' in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert main(["report", str(tmp_path / "run"), "--robustness", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err
