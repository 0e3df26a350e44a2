"""The shipped question sets are well-formed: a figure is worth no more than its labels."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from eval import corpus
from eval.datasets import loader
from eval.datasets.loader import UNANSWERABLE, Kind, Nugget, Question
from eval.metrics import nuggets
from eval.metrics.facts import stands_in
from rag_qa.papers import Paper, paper_id

DATASETS = Path(loader.__file__).parent
SEEDS = [DATASETS / "seeds.jsonl", DATASETS / "seeds_heldout.jsonl"]
MORE = DATASETS / "seeds_more.jsonl"
ICLR = DATASETS / "iclr_dev.jsonl"
ICLR_SENTENCES = DATASETS / "iclr_sentences.jsonl"
ICLR_MORE = DATASETS / "iclr_more.jsonl"
ICLR_DIALOGUES = DATASETS / "iclr_dialogues.jsonl"
ICLR_BLIND = DATASETS / "iclr_blind.jsonl"
ICLR_ALL = DATASETS / "iclr2025.jsonl"
OFF_TOPIC = DATASETS / "off_topic.jsonl"
SEEDS_UNSEEN, ICLR_UNSEEN = DATASETS / "seeds_unseen.jsonl", DATASETS / "iclr_unseen.jsonl"
SEEDS_FRESH, ICLR_FRESH = DATASETS / "seeds_fresh.jsonl", DATASETS / "iclr_fresh.jsonl"
ASKED = set(map(Kind, "fact number definition how why list yesno paraphrase multi followup off-topic detail premise".split()))
"""The kinds that every set over the seeds has to hold."""


@pytest.fixture(scope="session")
def seed_papers(seeds: Path) -> list[Paper]:
    """The shipped abstracts, read without the product's reader: paragraphs after the first line of each file."""
    paragraphs = [part for file in sorted(seeds.glob("*.txt")) for part in re.split(r"\n\s*\n", file.read_text(encoding="utf-8"))[1:]]
    papers = {paper_id(text): Paper(paper_id(text), text) for text in map(str.strip, paragraphs) if text}
    return list(papers.values())


def _without_alias(questions: list[Question], abstracts: dict[str, str]) -> list[str]:
    """Groups of facts of which no alias stands in a named abstract."""
    return [
        f"{question.id}: {group}"
        for question in questions
        for group in question.facts
        if not any(stands_in(alias, abstracts[paper]) for alias in group for paper in question.papers)
    ]


def test_the_seeds_are_46_papers(seed_papers: list[Paper]) -> None:
    assert len(seed_papers) == 46


@pytest.mark.parametrize("path", [*SEEDS, MORE, SEEDS_UNSEEN, SEEDS_FRESH], ids=lambda path: path.stem)
def test_questions_over_the_seeds_name_one_paper_each_and_facts_that_stand_in_it(path: Path, seed_papers: list[Paper]) -> None:
    questions = loader.resolve(loader.load(path), seed_papers, path=path)
    assert _without_alias(questions, {paper.id: paper.abstract for paper in seed_papers}) == []


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_questions_over_the_seeds_are_many_and_of_every_kind(path: Path, seed_papers: list[Paper]) -> None:
    questions = loader.resolve(loader.load(path), seed_papers, path=path)
    kinds = Counter(question.kind for question in questions)
    assert len(questions) >= 60
    assert sum(not question.answerable for question in questions) >= 12
    assert set(kinds) >= ASKED
    assert kinds[Kind.FOLLOWUP] >= 10
    assert all(kinds[kind] >= 3 for kind in UNANSWERABLE & ASKED)
    assert {paper for question in questions for paper in question.papers} == {paper.id for paper in seed_papers}


def test_the_seed_questions_are_300_and_more_with_sets_partly_answerable_ones_and_greetings() -> None:
    questions = loader.load(SEEDS[0])
    kinds = Counter(question.kind for question in questions)
    assert len(questions) >= 300
    assert set(kinds) == (ASKED | {Kind.SET, Kind.PARTIAL, Kind.GREETING})
    assert kinds[Kind.SET] >= 15
    assert kinds[Kind.PARTIAL] >= 8


def _where(nugget: Nugget, question: Question, abstracts: dict[str, str]) -> list[str]:
    """The right papers in which a nugget stands."""
    return [paper for paper in question.papers if nuggets.match(abstracts[paper], nugget.aliases, nugget.number) == 1]


def test_every_answerable_seed_question_has_nuggets_that_stand_in_its_papers(seed_papers: list[Paper]) -> None:
    questions = loader.resolve(loader.load(SEEDS[0]), seed_papers, path=SEEDS[0])
    abstracts = {paper.id: paper.abstract for paper in seed_papers}
    asked = [question for question in questions if question.answerable]
    assert [question.id for question in asked if not 1 <= len(question.nuggets) <= max(3, len(question.papers))] == []
    assert [(question.id, one) for question in asked for one in question.nuggets if not _where(one, question, abstracts)] == []
    assert all(1 <= len(alias.split()) <= 12 for question in asked for one in question.nuggets for alias in one.aliases)
    assert sum(bool(one.number) for question in asked for one in question.nuggets) >= 20


def test_a_nugget_of_a_seed_question_says_neither_what_is_asked_nor_what_the_question_says() -> None:
    known = {question.id: [question.text, *(alias for group in question.facts for alias in group)] for question in loader.load(SEEDS[0])}
    assert [
        (question.id, alias)
        for question in loader.load(SEEDS[0])
        for one in question.nuggets
        for alias in one.aliases
        if not one.number and any(stands_in(alias, text) for text in known[question.id])
    ] == []


def test_the_dialogues_over_the_seeds_are_whole_and_some_leave_their_subject() -> None:
    asked = {(question.history, question.text): question for question in loader.load(SEEDS[0])}
    ends = [question for question in asked.values() if not any(history == (*question.history, question.text) for history, _ in asked)]
    # every turn before the last one is a question of the set too, with the history that it had
    whole = [end for end in ends if end.history and all((end.history[:n], turn) in asked for n, turn in enumerate(end.history))]
    assert len(whole) >= 12
    assert {len(end.history) + 1 for end in whole} == {3, 4, 5}
    turns = [[asked[end.history[:n], turn] for n, turn in enumerate((*end.history, end.text))] for end in whole]
    assert sum(any(turn.topic_switch for turn in dialogue) for dialogue in turns) >= 4


def test_a_question_that_leaves_the_subject_is_about_another_paper_than_the_one_before_it() -> None:
    asked = {(question.history, question.text): question for question in loader.load(SEEDS[0])}
    switches = [question for question in asked.values() if question.topic_switch]
    assert len(switches) >= 8
    before = [(asked.get((question.history[:-1], question.history[-1])), question) for question in switches]
    assert sum(one is not None for one, _ in before) >= 4
    assert [question.id for one, question in before if one and set(one.papers) & set(question.papers)] == []


def test_the_further_questions_hold_what_the_first_lack(seed_papers: list[Paper]) -> None:
    questions = loader.resolve(loader.load(MORE), seed_papers, path=MORE)
    kinds = Counter(question.kind for question in questions)
    assert set(kinds) == (ASKED | {Kind.SET, Kind.PARTIAL, Kind.GREETING})
    assert kinds[Kind.SET] >= 15
    assert {paper for question in questions for paper in question.papers} == {paper.id for paper in seed_papers}


def test_no_question_is_asked_twice() -> None:
    asked = Counter(
        (" ".join(question.text.casefold().split()), question.history)
        for path in [
            *SEEDS,
            MORE,
            ICLR,
            ICLR_SENTENCES,
            ICLR_MORE,
            ICLR_DIALOGUES,
            ICLR_ALL,
            ICLR_BLIND,
            OFF_TOPIC,
            SEEDS_UNSEEN,
            ICLR_UNSEEN,
            ICLR_FRESH,
        ]
        for question in loader.load(path)
        if question.kind is not Kind.GREETING  # there are only so many ways to greet
    )
    assert [text for text, count in asked.items() if count > 1] == []


@pytest.mark.parametrize(
    ("path", "count", "papers"),
    [(ICLR, 510, 180), (ICLR_MORE, 1200, 360), (ICLR_DIALOGUES, 245, 90), (ICLR_BLIND, 119, 2133), (ICLR_UNSEEN, 132, 2133), (ICLR_FRESH, 79, 2133)],
)
def test_questions_over_iclr_papers_name_papers_of_their_list_and_facts_that_stand_in_them(
    path: Path, count: int, papers: int, shared_data: Path, tmp_path: Path
) -> None:
    ids = corpus.ids_beside(path)
    assert ids is not None
    made = corpus.from_ids(ids, tmp_path, papers=shared_data / "iclr2025" / "papers.jsonl")
    questions = loader.load(path)
    assert {paper for question in questions for paper in question.papers} <= set(made.abstracts)
    assert _without_alias(questions, dict(made.abstracts)) == []
    assert (len(questions), len(made.abstracts)) == (count, papers)


def test_questions_for_sentences_are_about_other_papers_and_each_fact_begins_one_sentence(shared_data: Path, tmp_path: Path) -> None:
    ids = corpus.ids_beside(ICLR)
    assert ids is not None
    made = corpus.from_ids(ids, tmp_path, papers=shared_data / "iclr2025" / "papers.jsonl")
    questions = loader.load(ICLR_SENTENCES)
    asked_about = {paper for question in loader.load(ICLR) for paper in question.papers}
    assert {paper for question in questions for paper in question.papers} <= set(made.abstracts) - asked_about
    assert _without_alias(questions, dict(made.abstracts)) == []
    assert all(len(question.papers) == len(question.facts) == 1 for question in questions)


def test_questions_over_all_iclr_papers_name_papers_and_facts_that_stand_in_them(shared_data: Path, tmp_path: Path) -> None:
    ids = corpus.ids_beside(ICLR_ALL)
    assert ids is not None
    made = corpus.from_ids(ids, tmp_path, papers=shared_data / "iclr2025" / "papers.jsonl")
    questions = loader.load(ICLR_ALL)
    assert {paper for question in questions for paper in (*question.papers, *question.maybe)} <= set(made.abstracts)
    assert _without_alias(questions, dict(made.abstracts)) == []
    assert len(made.abstracts) == 2133


def test_blind_questions_are_about_papers_that_no_other_set_asks_about() -> None:
    others = [loader.load(path) for path in (ICLR, ICLR_SENTENCES, ICLR_MORE, ICLR_DIALOGUES, ICLR_ALL)]
    asked_about = {paper for questions in others for question in questions for paper in question.papers}
    assert {paper for question in loader.load(ICLR_BLIND) for paper in question.papers} & asked_about == set()


def test_questions_on_something_else_are_answered_by_nothing() -> None:
    questions = loader.load(OFF_TOPIC)
    assert len(questions) == 200
    assert {(question.kind, question.answerable, question.papers, question.history) for question in questions} == {(Kind.OFF_TOPIC, False, (), ())}


def test_questions_over_all_iclr_papers_are_not_answered_by_those_that_were_fitted_on() -> None:
    lists = [corpus.ids_beside(path) for path in (ICLR, ICLR_MORE, ICLR_DIALOGUES)]
    fitted = {paper for ids in lists if ids for paper in ids.read_text(encoding="utf-8").split()}
    questions = loader.load(ICLR_ALL)
    assert [question.id for question in questions if question.kind is not Kind.SET and set(question.papers) & fitted] == []
    kinds = Counter(question.kind for question in questions)
    assert kinds[Kind.SET] >= 16
    assert kinds[Kind.PARAPHRASE] >= 12
    assert kinds[Kind.MULTI] >= 6
    assert sum(not question.answerable for question in questions) >= 18
    assert len(questions) >= 80
