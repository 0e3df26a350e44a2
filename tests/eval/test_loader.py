"""Files of questions: what is read, and what a bad line says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval.datasets import loader
from eval.datasets.loader import Kind, Nugget
from eval.items import from_json, to_json
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from tests.eval.making import answered, write_questions
from tests.fakes import MOSS, PAPERS, TIDE


def test_a_question_is_read_and_its_papers_are_found(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "How fast?", "papers": ["coastal  floods ARE", "p2"], "kind": "multi"}])
    (question,) = loader.resolve(loader.load(path), PAPERS, path=path)
    assert (question.id, question.kind, question.text, question.line) == ("t-1", Kind.MULTI, "How fast?", 1)
    assert question.papers == (TIDE.id, MOSS.id)
    assert question.facts == (("1.5",),)


def test_ids_of_the_outside_world_are_found_by_their_abstract(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "How much?", "papers": ["X9"]}])
    (question,) = loader.resolve(loader.load(path), PAPERS, path=path, abstracts={"X9": MOSS.abstract})
    assert question.papers == (MOSS.id,)


def test_a_paper_that_is_not_there_is_an_error_at_its_line(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "How?"}, {"question": "How fast?", "papers": ["Deserts are"]}])
    with pytest.raises(SourceError, match="found the paper 'Deserts are', which fits 0 of 3 papers") as caught:
        loader.resolve(loader.load(path), PAPERS, path=path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_first_words_that_fit_two_papers_are_an_error(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "How fast?", "papers": ["Coastal"]}])
    twin = Paper("p9", "Coastal towns grow.")
    with pytest.raises(SourceError, match="'Coastal', which fits 2 of 4 papers, expected an id or the first words of exactly one abstract"):
        loader.resolve(loader.load(path), [*PAPERS, twin], path=path)


def test_sets_and_questions_that_are_answered_in_part(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"question": "Which papers are about water?", "kind": "set", "facts": [], "papers": ["p1"], "maybe": ["Moss"]},
        {"question": "How fast, and at what price?", "kind": "partial", "missing": [["price", "cost"]]},
        {"question": "Hello!", "kind": "greeting", "papers": [], "facts": [], "answerable": False},
    ]
    path = write_questions(tmp_path / "q.jsonl", records)
    asked, partial, greeting = loader.resolve(loader.load(path), [replace(TIDE, id="p1"), MOSS], path=path)
    assert (asked.papers, asked.maybe, asked.facts) == (("p1",), (MOSS.id,), ())
    assert partial.missing == (("price", "cost"),)
    assert (greeting.kind, greeting.answerable) == (Kind.GREETING, False)


def test_nuggets_and_a_change_of_subject(tmp_path: Path) -> None:
    nuggets = [{"text": "by design", "vital": True}, {"number": "30%", "aliases": ["time"], "vital": False}, {"number": "32", "vital": False}]
    record = {"question": "And sand?", "kind": "followup", "history": ["How fast is TIDE-7?"], "nuggets": nuggets, "topic_switch": True}
    asked, other = loader.load(write_questions(tmp_path / "q.jsonl", [record, {"question": "How fast?"}]))
    assert asked.nuggets == (Nugget(("by design",)), Nugget(("time",), vital=False, number="30%"), Nugget((), vital=False, number="32"))
    assert (asked.topic_switch, other.topic_switch) == (True, False)
    assert from_json(to_json(answered(asked))).question == asked


BAD: list[tuple[dict[str, Any], str]] = [
    ({"id": ""}, "found id = '', expected id as a text that is not empty"),
    ({"question": " "}, "expected question as a text that is not empty"),
    ({"kind": "riddle"}, "found kind = 'riddle', expected kind as one of fact, number, definition"),
    ({"answerable": "yes"}, "found answerable = 'yes', expected answerable as true or false"),
    ({"papers": "p1"}, "expected papers as a list of texts"),
    ({"facts": ["1.5"]}, "expected facts as a list of groups"),
    ({"facts": [[]]}, "expected facts as a list of groups"),
    ({"facts": [["$"]]}, "each a list of at least one alias that is not empty"),
    ({"tags": []}, "found the key 'tags', expected keys id, kind, question"),
    ({"facts": []}, "an answerable question without papers or without facts"),
    ({"answerable": False}, "an unanswerable question with papers or facts"),
    ({"kind": "detail"}, "found answerable = True for the kind detail"),
    ({"answerable": False, "papers": [], "facts": []}, "found answerable = False for the kind fact"),
    ({"kind": "followup"}, "found 0 earlier questions for the kind followup"),
    ({"history": ["What is it?"]}, "found 1 earlier questions for the kind fact"),
    ({"kind": "multi"}, "found 1 papers for the kind multi"),
    ({"papers": ["a", "a"]}, "found the same paper twice"),
    ({"kind": "set", "maybe": ["Coastal floods are hard"]}, "found the same paper twice"),
    ({"maybe": ["p2"]}, "found papers that may count for the kind fact"),
    ({"kind": "set", "maybe": "p2"}, "expected maybe as a list of texts"),
    ({"kind": "set", "papers": []}, "an answerable question without papers or without facts"),
    ({"kind": "partial"}, "found 0 missing parts for the kind partial"),
    ({"missing": [["price"]]}, "found 1 missing parts for the kind fact"),
    ({"kind": "partial", "missing": ["price"]}, "expected missing as a list of groups"),
    ({"kind": "greeting"}, "found answerable = True for the kind greeting"),
    ({"nuggets": [{"text": "by design"}]}, "expected nuggets as a list of"),
    ({"nuggets": [{"vital": True}]}, "expected nuggets as a list of"),
    ({"nuggets": [{"text": "$", "vital": False}]}, "expected nuggets as a list of"),
    ({"nuggets": [{"number": "fast", "vital": False}]}, 'or with "number": "30%"'),
    ({"nuggets": [{"number": "1 of 2", "vital": False}]}, "expected nuggets as a list of"),
    ({"nuggets": [{"number": "30%", "text": "time", "vital": False}]}, "expected nuggets as a list of"),
    ({"topic_switch": "yes"}, "expected topic_switch as true or false"),
    ({"topic_switch": True}, "found topic_switch without a history"),
]


@pytest.mark.parametrize(("change", "says"), BAD)
def test_a_bad_line_says_where_and_what_was_expected(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "Is this fine?"}, {"question": "And this?", **change}])
    with pytest.raises(SourceError) as caught:
        loader.load(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert says in str(caught.value)


@pytest.mark.parametrize(("line", "says"), [('{"id": "a"', "expected one JSON object a line"), ("[1]", "found list, expected a JSON object")])
def test_a_line_that_is_no_object(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(SourceError, match=says) as caught:
        loader.load(path)
    assert caught.value.line == 2


def test_an_id_may_stand_once(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "a?", "id": "x"}, {"question": "b?", "id": "x"}])
    with pytest.raises(SourceError, match=r"q\.jsonl:2: found the id 'x' of line 1 again"):
        loader.load(path)


def test_only_the_kinds_that_are_asked_for(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.jsonl", [{"question": "a?"}, {"question": "b?", "kind": "number"}])
    assert [question.id for question in loader.load(path, kinds=["number"])] == ["t-2"]
    with pytest.raises(SourceError, match="found no question of kind why, expected one of the kinds in it: fact, number"):
        loader.load(path, kinds=["why"])


def test_a_file_that_is_missing_empty_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="expected a readable file of questions"):
        loader.load(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(SourceError, match="found no question"):
        loader.load(tmp_path / "empty.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}')
    with pytest.raises(SourceError, match="bytes that are not UTF-8"):
        loader.load(tmp_path / "latin.jsonl")
