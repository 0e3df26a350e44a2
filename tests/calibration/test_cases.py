"""Questions to calibrate on: read from files with the place of every fault, with papers left out, or made from abstracts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rag_qa.calibration import cases
from rag_qa.calibration.cases import Case, Kind
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from tests.fakes import MOSS, PAPERS, TIDE


def written(name: str, content: str) -> Path:
    path = Path(name)
    path.write_text(content, encoding="utf-8")
    return path


def test_json_lines_and_tables_say_the_same() -> None:
    lines = written(
        "a.jsonl",
        '{"question": "How fast is TIDE-7?", "papers": ["Coastal floods"], "id": "x"}\n\n'
        '{"question": "Who pays?", "answerable": false}\n{"question": "Does moss grow?", "answerable": true}\n',
    )
    table = written("a.csv", 'Question,papers,answerable\nHow fast is TIDE-7?,Coastal floods,\nWho pays?,,no\n"Does moss grow?",,yes\n')

    assert [(case.question, case.papers, case.answerable) for case in cases.read(lines)] == [
        ("How fast is TIDE-7?", ("Coastal floods",), True),
        ("Who pays?", (), False),
        ("Does moss grow?", (), True),
    ]
    assert [(c.question, c.papers, c.answerable) for c in cases.read(table)] == [(c.question, c.papers, c.answerable) for c in cases.read(lines)]
    assert [case.line for case in cases.read(lines)] == [1, 3, 4]
    assert [case.kind for case in cases.read(lines)] == [Kind.NAMED, Kind.UNANSWERABLE, Kind.UNNAMED]


def test_a_table_parts_papers_by_semicolons_and_a_cell_may_have_lines() -> None:
    table = written("a.tsv", 'question\tpapers\n"How\nfast?"\tp1; p2\nWho?\tp3\n')

    assert [(case.question, case.papers, case.line) for case in cases.read(table)] == [("How\nfast?", ("p1", "p2"), 2), ("Who?", ("p3",), 4)]


def test_a_question_that_is_asked_twice_counts_once() -> None:
    lines = written("a.jsonl", '{"question": "Who?", "answerable": false}\n{"question": "WHO? ", "answerable": false}\n')

    assert [case.line for case in cases.read(lines)] == [1]


def test_what_is_only_proposed_or_was_rejected_is_left_aside() -> None:
    record = '{{"question": "Number {}?", "answerable": false, "status": "{}"}}\n'
    lines = written("a.jsonl", "".join(record.format(n, status) for n, status in enumerate(("proposed", "accepted", "rejected"))))
    assert [case.question for case in cases.read(lines)] == ["Number 1?"]
    with pytest.raises(SourceError, match=r"found no question, expected .* and with the status accepted if any"):
        cases.read(written("b.jsonl", record.format(1, "proposed")))


def test_empty_cells_beyond_the_columns_are_no_fault() -> None:
    assert [case.question for case in cases.read(written("a.csv", "question,answerable,,\nWho?,yes,,,,\n"))] == ["Who?"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"question": "Who?", "answerable": true}\n{"question": "Who', "a.jsonl:2: found"),
        ("a.jsonl", "[1]\n", "a.jsonl:1: found list, expected a JSON object"),
        ("a.jsonl", '{"papers": ["p1"]}\n', "a.jsonl:1: found no question"),
        ("a.jsonl", '{"question": "Who?"}\n', "a.jsonl:1: found neither papers nor answerable"),
        ("a.jsonl", '{"question": "Who?", "papers": [1]}\n', "a.jsonl:1: found papers = [1], expected papers as a list of texts"),
        ("a.jsonl", '{"question": "Who?", "papers": ["p1"], "answerable": false}\n', "a.jsonl:1: found papers for a question that is not answerable"),
        ("a.csv", "question,answerable\n\nWho?,perhaps\n", "a.csv:3: found answerable = 'perhaps', expected true or false"),
        ("a.csv", "who,what\n1,2\n", "a.csv:1: found the columns 'who, what', expected a heading with question"),
        (
            "a.csv",
            "question,answerable\nWhat is TIDE-7, and why?,yes\n",
            "a.csv:2: found 3 cells, expected 2, as in line 1: put a text that has commas",
        ),
        ("a.csv", "question,question,answerable\nWho?,Why?,yes\n", "a.csv:1: found the column 'question' twice"),
        ("a.csv", f"question,answerable\nWho?,yes\n\n{'word ' * 30_000},yes\n", "a.csv:4: found a row that is no row of a table (field larger"),
        ("a.csv", "question,answerable\nWho?,yes\nwho?,no\n", "a.csv:3: found the question of a.csv:2 with other papers, or answerable"),
        ("a.jsonl", '{"question": "Who?", "papers": ["p1"]}\n{"question": "Who?", "papers": ["p2"]}\n', "a.jsonl:2: found the question of a.jsonl:1"),
        ("a.csv", "", "a.csv:1: found the columns"),
        ("a.jsonl", "\n", "a.jsonl: found no question"),
    ],
)
def test_a_fault_is_told_with_its_place(name: str, content: str, says: str) -> None:
    with pytest.raises(SourceError) as raised:
        cases.read(written(name, content))
    assert str(raised.value).startswith(says)


def test_a_file_that_is_not_there_or_no_text_is_told() -> None:
    Path("latin.csv").write_bytes(b"question\nM\xfcller?\n")
    for path, says in ((Path("none.csv"), "none.csv: found No such file"), (Path("latin.csv"), "latin.csv: found bytes that are not UTF-8")):
        with pytest.raises(SourceError, match=says):
            cases.read(path)


@pytest.mark.parametrize("name", ["p1", "TIDE-7", "coastal  FLOODS are hard", "Coastal floods are hard to foresee. We"])
def test_a_paper_is_named_by_its_id_its_label_or_first_words(name: str) -> None:
    (found,) = cases.resolved([Case("How fast?", (name,))], PAPERS, Path("a.csv"))

    assert found.papers == (TIDE.id,)


@pytest.mark.parametrize(("name", "says"), [("p9", "none of 3"), ("", "3 of 3")])
def test_a_name_of_no_paper_or_of_several_is_told(name: str, says: str) -> None:
    with pytest.raises(SourceError, match=rf"a\.csv:7: found the paper '{name}', which means {says} papers"):
        cases.resolved([Case("How fast?", (name,), line=7)], PAPERS, Path("a.csv"))


# ---------------------------------------------------------------------------------------------------------------- left out


def named(count: int) -> list[Case]:
    return [Case(f"Question {number}?", (f"p{number}",)) for number in range(count)]


def test_papers_are_left_out_until_a_share_is_not_to_be_answered() -> None:
    asked = [*named(17), Case("Who?", answerable=False), Case("Does it?")]
    found = cases.with_papers_left_out(asked, 0.25)

    assert Counter(case.kind for case in found) == {Kind.NAMED: 13, Kind.LEFT_OUT: 4, Kind.UNANSWERABLE: 1, Kind.UNNAMED: 1}
    assert [case.question for case in found] == [case.question for case in asked]
    assert all(case.without == frozenset(case.papers) and not case.answerable for case in found if case.kind is Kind.LEFT_OUT)
    assert found == cases.with_papers_left_out(asked, 0.25)


def test_where_enough_are_not_answerable_none_is_left_out() -> None:
    asked = [*named(3), Case("Who?", answerable=False)]

    assert cases.with_papers_left_out(asked, 0.25) == asked
    assert cases.with_papers_left_out(named(3), 0.0) == named(3)


def test_which_are_left_out_is_decided_by_the_question_and_not_by_its_place() -> None:
    left_out = [{c.question for c in cases.with_papers_left_out(asked, 0.3) if c.without} for asked in (named(20), named(20)[::-1])]

    assert left_out[0] == left_out[1]


@pytest.mark.parametrize(
    ("case", "first", "is_wrong"),
    [
        (Case("?", ("p1", "p2")), ["p2"], False),
        (Case("?", ("p1",)), ["p9", "p1"], True),
        (Case("?", ("p1",)), [], True),
        (Case("?"), ["p9"], False),
        (Case("?", answerable=False), ["p9"], True),
        (Case("?", ("p1",), answerable=False, without=frozenset({"p1"})), ["p1"], True),
    ],
)
def test_what_an_error_is(case: Case, first: list[str], is_wrong: bool) -> None:
    assert case.is_wrong(first) is is_wrong


# -------------------------------------------------------------------------------------------------------------------- made


def test_made_questions_have_words_of_one_sentence_and_not_the_name(seed_papers: list[Paper]) -> None:
    made = cases.made(seed_papers)
    papers = {paper.id: paper for paper in seed_papers}

    assert len(made) > 2 * len(seed_papers)
    assert {case.papers[0] for case in made} == set(papers)
    assert len({case.question for case in made}) == len(made)
    assert all(4 <= len(case.question.split()) <= 8 for case in made)
    assert not [case for case in made if papers[case.papers[0]].label.casefold() in case.question.split()]


def test_made_questions_are_the_same_each_time_and_of_many_papers_are_not_too_many() -> None:
    many = [Paper(f"p{n:04}", f"The wind blew. Number {n} of our towers measured cold winds over many hills.") for n in range(400)]

    assert cases.made(many) == cases.made(many[::-1])
    assert len(cases.made(many)) == cases.MOST_MADE


def test_of_too_short_an_abstract_nothing_is_made() -> None:
    assert cases.made([Paper("p1", "It rains.")]) == []
    assert cases.made([MOSS])
