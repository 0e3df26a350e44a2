"""Questions of a person's own: a table or JSON lines with as many labels as there are, and what is measured without the others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from eval import scoring
from eval.__main__ import main
from eval.datasets import loader
from eval.datasets.loader import Kind, Question
from eval.figures import NotApplicable
from rag_qa.errors import SourceError
from tests.eval.making import answered, crashed, refused
from tests.fakes import FakeEngine

TABLE = "question,papers,facts,answerable\nHow fast is TIDE-7?,p1,1.5 times | 1.5×; rivals,\nWho paid?,,,no\n\nWhat is it good for?,,,\n"


def written(tmp_path: Path, text: str, name: str = "own.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_is_read_with_what_it_has(tmp_path: Path) -> None:
    fast, paid, good = loader.load(written(tmp_path, TABLE))
    assert fast == Question("q2", Kind.OPEN, "How fast is TIDE-7?", (), ("p1",), (("1.5 times", "1.5×"), ("rivals",)), True, 2)
    assert (paid.answerable, paid.papers, paid.line) == (False, (), 3)
    assert (good.answerable, good.id) == (None, "q5")


def test_json_lines_with_a_question_alone(tmp_path: Path) -> None:
    only, labelled = loader.load(
        written(tmp_path, '{"question": "Why?"}\n{"question": "And then?", "history": ["Why?"], "facts": [["so"]]}', "own.jsonl")
    )
    assert (only.kind, only.answerable, only.id) == (Kind.OPEN, None, "q1")
    assert (labelled.history, labelled.answerable) == (("Why?",), True)


def test_tabs_too(tmp_path: Path) -> None:
    assert loader.load(written(tmp_path, "id\tquestion\nA\tWhy, then?\n", "own.tsv"))[0].text == "Why, then?"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ask\nWhy?\n", "own.csv:1: found the column 'ask'"),
        ("id\nWhy?\n", "own.csv:1: found no column question"),
        ("question,answerable\nWhy?,perhaps\n", "own.csv:2: found answerable = 'perhaps'"),
        ("question,papers,answerable\nWhy?,p1,no\n", "own.csv:2: found an unanswerable question with papers or facts in q2"),
        ("question\nWhy?,or not\n", "own.csv:2: found 2 cells"),
        ("question,question\nWhy?,How?\n", "own.csv:1: found the column 'question' twice"),
        (f"question\nWhy?\n{'word ' * 30_000}\n", "own.csv:3: found a row that is no row of a table (field larger than field limit (131072))"),
        (
            'question,answerable\n"Why?,yes\nHow?,no\n',
            "own.csv:2: found a row that is no row of a table (unexpected end of data), expected cells, with",
        ),
        ("question,id\nWhy?,a\nHow?,a\n", "own.csv:3: found the id 'a' of line 2 again"),
    ],
)
def test_a_bad_table_is_reported_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SourceError) as raised:
        loader.load(written(tmp_path, text))
    assert says in str(raised.value)


def test_lines_that_hold_too_much_in_each_other_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"question": "Why?"}\n' + "[" * 100_000 + "]" * 100_000 + "\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"own\.jsonl:2: found .*recursion.*, expected one JSON object a line"):
        loader.load(path)


def test_ragchecker_29_a_missing_field_is_not_applicable_and_never_0() -> None:
    bare = Question("q", Kind.OPEN, "Why?", answerable=None)
    library = {"p1": "It is fast.", "p2": "It is slow."}
    for item in (answered(bare), refused(bare)):
        for metric, _ in scoring.plan(library):
            score = metric.score(item)
            if metric.name in ("right", "right_decision", "success_at_1", "right_paper_cited", "fact_in_answer", "context_recall"):
                assert score == NotApplicable("missing_field"), metric.name
    figures = {figure.key: figure for figure in scoring.figures([answered(bare), refused(bare)], library=library)}
    assert (figures["groundedness.all"].value, figures["quotes_verbatim.all"].value) == (1, 1)
    assert (figures["right.all"].value, figures["right.all"].n_na, figures["aurc.all"].value, figures["aurc.all"].n_na) == (None, 2, None, 2)
    assert scoring.faults(answered(bare)) == []
    assert scoring.faults(crashed(bare)) == ["error: ValueError: boom"]


def test_facts_without_papers_and_papers_without_facts() -> None:
    facts_alone = Question("q", Kind.OPEN, "How fast?", facts=(("fast",),))
    papers_alone = Question("q", Kind.OPEN, "How fast?", papers=("p1",))
    assert scoring.RIGHT.score(answered(facts_alone)) == scoring.RIGHT.score(answered(papers_alone)) == 1
    assert scoring.RIGHT.score(answered(facts_alone, "It is slow.")) == scoring.RIGHT.score(answered(papers_alone, cites=("p2",))) == 0


def test_a_run_over_bare_questions_measures_what_needs_no_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = written(tmp_path, "question\nHow fast is the tide?\n")
    (tmp_path / "corpus.txt").write_text("the fake engine knows its papers")
    code = main(["run", "--data", str(data), "--papers", str(tmp_path / "corpus.txt"), "--out", str(tmp_path / "run")], make_system=FakeEngine)
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.endswith("\n\nNOT JUDGED: no floors are set for these questions; give some with --floors FILE\n")
    assert "right_paper_cited.single is" not in printed
    assert "nDCG@10" not in printed
    assert re.search(r"^\d+ figures need papers, facts, answerable or kinds that these questions do not have", printed, re.MULTILINE)
    figures = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["figures"]
    assert [one["na"] for one in figures if (one["metric"], one["scope"]) == ("right", "all")] == [{"missing_field": 1}]
    assert main(["report", str(tmp_path / "run")]) == 0
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<h1>NOT JUDGED: no floors" in text
    assert '<span class="sub">missing_field 1</span>' in text
