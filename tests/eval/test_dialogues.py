"""Chats: figures worked by hand, systems that forget, mix up and leak on purpose, and the product over the shipped abstracts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import cards, chats, dialogues, schema, scoring, turn_figures
from eval.__main__ import main
from eval.datasets.loader import Kind, Question
from eval.figures import Figure
from eval.items import Item
from eval.metrics import turns
from eval.turn_figures import Asked, Padded, Switch
from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Verdict
from rag_qa.engine import IndexReport
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit
from rag_qa.settings import Settings
from tests.eval.making import answered, crashed, question, refused, unanswerable, write_questions


def chat(identifier: str, *, turn: int = 2, paper: str = "p1", fact: str = "fast") -> Question:
    """A follow-up that is the so-manieth question of its chat."""
    return replace(
        question(identifier, papers=(paper,), facts=((fact,),), kind=Kind.FOLLOWUP), history=tuple(f"{identifier} {n}?" for n in range(1, turn))
    )


def said(asked: Question, text: str = "It is fast.", *, ranked: Sequence[str] = ("p1",), cites: Sequence[str] = ("p1",)) -> Item:
    return answered(asked, text, ranked=ranked, cites=cites)


RIGHT, WRONG = "It is fast.", "It is slow."

# --------------------------------------------------------------------------------------------------------- worked by hand

A, B, C, D = (chat(name, turn=turn, paper=f"p{name}") for name, turn in (("a", 2), ("b", 2), ("c", 3), ("d", 4)))
NEW = chat("new", turn=3, paper="p9")


def of(asked: Question, text: str = RIGHT, *, place: int = 1, cites: Sequence[str] | None = None) -> Item:
    """An answer whose right paper is ranked at a place, or nowhere (0)."""
    ranked = [asked.papers[0] if n == place else f"x{n}" for n in range(1, 11)]
    return answered(asked, text, ranked=ranked, cites=asked.papers if cites is None else cites)


ASKED = Asked(
    followups=[of(A), of(B, place=2), of(C, place=4), of(D, WRONG, place=0)],
    alone={"a": of(A, place=1), "b": of(B, place=1), "c": of(C, place=10), "d": of(D, place=0)},
    padded=[Padded(of(A), 0), Padded(of(replace(A, id="a +2", history=("1", "2", *A.history)), WRONG), 2)],
    labelled=[Switch(of(NEW, cites=("old",)), frozenset({"old"}), of(NEW))],
    made=[
        Switch(of(replace(NEW, id="1"), cites=("old", "older")), frozenset({"old", "older"}), of(NEW)),
        Switch(of(replace(NEW, id="2"), cites=("old", "p9")), frozenset({"old", "p9"}), of(NEW)),
        Switch(of(replace(NEW, id="3"), WRONG, cites=("p9",)), frozenset({"old"}), of(NEW)),
        Switch(refused(replace(NEW, id="4")), frozenset({"old"}), of(NEW, WRONG)),
    ],
    pairs={"a and b": True, "c and d": False, "e and f": None},
)
BY_HAND = {
    # right at turns 2, 2, 3, 4 is 1, 1, 1, 0: sum((t - 2.75) (v - .75)) / sum((t - 2.75)²) = -1.25 / 2.75
    "turn_decay.followup": (-1.25 / 2.75, 4, 0),
    # right at turn 2, and not at turn 4
    "turn_decay.padded": (-1 / 2, 2, 0),
    "recall_alone_at_5.followup": ((1 + 1 + 0 + 0) / 4, 4, 0),
    "mrr_alone_at_10.followup": ((1 + 1 + 1 / 10 + 0) / 4, 4, 0),
    # recall@5 with the history is 1, 1, 1, 0
    "rewrite_gain_recall.followup": (3 / 4 - 2 / 4, 4, 0),
    # MRR with the history is 1, 1/2, 1/4, 0
    "rewrite_gain_mrr.followup": ((1 + 1 / 2 + 1 / 4) / 4 - (1 + 1 + 1 / 10) / 4, 4, 0),
    # c and d need their history: with it the right paper is at 4, and nowhere
    "coreference_at_1.followup": (0, 2, 0),
    "coreference_at_5.followup": (1 / 2, 2, 0),
    # a and b do not: with it the right paper is at 1, and at 2
    "rewrite_harm.followup": (1 / 2, 2, 0),
    "switch_contamination.labelled": (1, 1, 0),
    # both cited papers are of the earlier topic; one is right; the right one is cited; a refusal is no answer
    "switch_contamination.made": (1 / 3, 3, 0),
    # right alone, and not after the change, where another paper is cited
    "switch_cost.labelled": (1, 1, 0),
    # alone 1, 1, 1, 0; after the change 0 (another paper), 1, 0 (no fact), 0 (refused)
    "switch_cost.made": ((1 + 0 + 1 + 0) / 4, 4, 0),
    "citation_carry_over.followup": (1, 4, 0),
    # the third pair crashed
    "session_isolation.pairs": (1 / 3, 3, 1),
}


def by_key(asked: Asked) -> dict[str, Figure]:
    return {one.key: one for one in turn_figures.figures(asked)}


@pytest.mark.parametrize("key", BY_HAND)
def test_a_figure_of_dialogues_is_what_its_formula_says(key: str) -> None:
    figure, (value, eligible, errors) = by_key(ASKED)[key], BY_HAND[key]
    assert figure.value is not None
    assert figure.value == pytest.approx(value)
    assert (figure.n_scored, figure.n_eligible, figure.n_error) == (eligible - errors, eligible, errors)
    assert figure.interval is not None
    assert figure.interval[0] <= figure.value <= figure.interval[1]


def test_no_figure_of_dialogues_is_without_an_example_worked_by_hand_and_a_card() -> None:
    assert {f"{one.name}.{scope}" for one in turn_figures.DEFINITIONS.values() for scope in one.over} == set(BY_HAND) == set(by_key(ASKED))
    assert set(turn_figures.DEFINITIONS) <= {card.name for card in cards.cards()}


def test_the_questions_behind_the_figures_are_told() -> None:
    found = {what: [one.partition(":")[0] for one in questions] for what, questions in dialogues.faults(ASKED).items()}
    assert list(found.values()) == [["new", "1"], ["d"], ["b"], ["new", "1", "3"], [], ["c and d"], []]


def test_citations_of_numbers_from_an_earlier_list_are_found() -> None:
    good = of(A)
    stray = replace(good, sentences=(replace(good.sentences[0], citations=(1, 3)),))
    figure = by_key(replace(ASKED, followups=[stray, refused(B), *ASKED.followups[2:]]))["citation_carry_over.followup"]
    assert figure.value == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert (figure.n_eligible, figure.n_na) == (3, 1)
    assert turn_figures.carried_over(stray) == (3,)
    assert turn_figures.carried_over(good) == ()


def test_a_crash_never_makes_a_figure_better() -> None:
    whole = by_key(ASKED)
    for place in range(4):
        followups = [crashed(item.question) if i == place else item for i, item in enumerate(ASKED.followups)]
        alone = {**ASKED.alone, ASKED.followups[place].question.id: crashed(ASKED.followups[place].question)}
        broken = [crashed(one.item.question) if i == place else one.item for i, one in enumerate(ASKED.made)]
        for worse in (
            replace(ASKED, followups=followups),
            replace(ASKED, alone=alone),
            replace(ASKED, made=[replace(one, item=item) for one, item in zip(ASKED.made, broken, strict=True)]),
            replace(ASKED, made=[replace(one, alone=crashed(one.alone.question)) if i == place else one for i, one in enumerate(ASKED.made)]),
        ):
            for key, figure in by_key(worse).items():
                sign = -1 if turn_figures.DEFINITIONS[figure.metric].direction == "lower" else 1
                before = whole[key]
                if figure.n_error == before.n_error or key.startswith("turn_decay"):
                    continue  # of the slope a crash late in a chat is a loss, and early in it a gain
                assert figure.value is not None
                assert before.value is not None
                if figure.n_eligible == before.n_eligible:
                    assert sign * figure.value <= sign * before.value + 1e-12, key


def test_without_dialogues_there_are_no_figures_and_no_zeros() -> None:
    for figure in turn_figures.figures(Asked([])):
        assert (figure.value, figure.n_eligible, figure.interval) == (None, 0, None)


def test_headline_figures_are_taken_turn_by_turn() -> None:
    late = [of(chat(f"l{n}", turn=n, paper=f"pl{n}"), WRONG) for n in (4, 5, 9)]
    odd = refused(replace(unanswerable("u", Kind.FOLLOWUP), history=("1", "2")))
    found = turn_figures.by_turn([*ASKED.followups[:3], *late, odd], {"pa": "It is fast."})
    assert list(found) == ["turn 2", "turn 3", "turn 4+"]
    values = {(name, one.metric): (one.value, one.n_eligible) for name, figures in found.items() for one in figures}
    assert values["turn 2", "right"] == (1.0, 2)
    assert values["turn 3", "right"] == (1.0, 2)
    assert values["turn 4+", "right"] == (0.0, 3)
    # c of turn 3 is answerable and not refused, u is not and is
    assert values["turn 3", "refused"] == (1.0, 1)
    assert values["turn 3", "over_refused"] == (0.0, 1)


# --------------------------------------------------------------------------------------------------------------- the slope


@given(st.lists(st.tuples(st.integers(2, 9), st.floats(0, 1)), min_size=2, max_size=30))
def test_the_slope_is_that_of_the_line_that_fits_best(points: list[tuple[int, float]]) -> None:
    when, values = [turn for turn, _ in points], [value for _, value in points]
    found = turns.slope(when, values)
    if len(set(when)) == 1:
        assert found is None
        assert turns.slope_interval(when, values, range(len(when)), resamples=50) is None
        return
    assert found == pytest.approx(float(np.polyfit(when, values, 1)[0]), abs=1e-6)
    interval = turns.slope_interval(when, values, range(len(when)), resamples=50)
    assert interval is not None
    assert interval[0] <= interval[1]


def test_the_interval_of_a_slope_covers_the_true_one_in_about_95_of_100_cases() -> None:
    draws, covered = np.random.default_rng(4), 0
    when = np.repeat([2.0, 3.0, 4.0], 40)
    for seed in range(200):
        values = (draws.random(120) < 1.1 - 0.15 * when).astype(float)
        low, high = turns.slope_interval(when.tolist(), values.tolist(), range(120), resamples=300, seed=seed) or (0.0, 0.0)
        covered += low <= -0.15 <= high
    assert 180 <= covered <= 199


def test_questions_about_one_paper_are_drawn_together() -> None:
    when, values = [2.0, 3.0] * 20, [1.0, 0.0, 0.0, 1.0] * 10
    apart = turns.slope_interval(when, values, range(40), resamples=500)
    together = turns.slope_interval(when, values, [i // 2 % 2 for i in range(40)], resamples=500)
    assert apart is not None
    assert together == (-1.0, 1.0)
    assert apart[0] > -1


# ------------------------------------------------------------------------------------------------------------ making chats


def test_a_chat_is_asked_from_its_first_question() -> None:
    made = chats.turns_of(D)
    assert [one.id for one in made] == ["d#1", "d#2", "d#3", "d"]
    assert [one.history for one in made] == [(), ("d 1?",), ("d 1?", "d 2?"), ("d 1?", "d 2?", "d 3?")]
    assert all(one.answerable is None and not one.papers for one in made[:-1])
    assert made[-1] is D


def test_padding_is_talk_about_other_papers_and_always_the_same() -> None:
    same, begun_alike = chat("same", paper="pd"), replace(D, id="alike", papers=("other",))
    many = [A, B, C, D, same, begun_alike]
    for more in (2, 4):
        made = chats.padded(D, many, more)
        assert made is not None
        assert made.history[more:] == D.history
        assert len(made.history) == more + 3
        assert not any(text.startswith(("d ", "same ")) for text in made.history[:more])
        assert made == chats.padded(D, many, more)
    assert chats.padded(D, [D, same, begun_alike], 2) is None


def test_a_change_of_topic_is_made_of_a_question_about_another_paper() -> None:
    single, own, several = question("s", papers=("p7",)), question("o", papers=("pa",)), question("m", papers=("p7", "p8"))
    made = chats.switched(A, [A, B, single, own, several, unanswerable()])
    assert made is not None
    other, after = made
    assert other is single
    assert (after.history, after.text, after.papers, after.kind, after.topic_switch) == (("a 1?", A.text), single.text, ("p7",), Kind.FOLLOWUP, True)
    assert chats.switched(A, [A, B, own, several]) is None


def test_pairs_hold_each_chat_once_and_begin_differently() -> None:
    twin = replace(A, id="twin")
    found = chats.pairs([A, twin, B, C, D])
    ids = [one.id for pair in found for one in pair]
    assert len(ids) == len(set(ids)) == 4
    assert all(one.history[0] != other.history[0] for one, other in found)
    assert chats.pairs([A, twin]) == []
    assert found == chats.pairs([A, twin, B, C, D])


# ------------------------------------------------------------------------------------------------------ systems, on purpose

TIDE = Paper("p1", "TIDE-7 is a model of tides in harbours. TIDE-7 needs 40 gauges.")
MOSS = Paper("p2", "MOSS-2 counts mosses on bark. MOSS-2 costs 30 euros.")
SOUP = Paper("p3", "SOUP-3 cooks soups for hours. SOUP-3 saves 25 percent of salt.")
PAPERS = (TIDE, MOSS, SOUP)
QUESTIONS = [
    Question("t", Kind.FOLLOWUP, "how many does it need?", ("what is TIDE-7",), ("p1",), (("40 gauges",),), True, 1),
    Question("m", Kind.FOLLOWUP, "and what does it cost?", ("what is MOSS-2", "where does it count"), ("p2",), (("30 euros",),), True, 2),
    Question("w", Kind.FOLLOWUP, "how much salt saves SOUP-3", ("what is MOSS-2",), ("p3",), (("25 percent",),), True, 3, topic_switch=True),
    Question("s", Kind.NUMBER, "how much salt saves SOUP-3", (), ("p3",), (("25 percent",),), True, 4),
]


class Talker:
    """Answers with the last sentence of the paper that is named; a question without a name is about the one that was named last before it."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.said: list[str] = []

    def index(self, paths: Sequence[str | Path]) -> IndexReport:
        return IndexReport()

    def papers(self) -> list[Paper]:
        return list(PAPERS)

    def understood(self, asked: str, history: Sequence[str]) -> str:
        named = next((word for text in reversed(self.before(history)) for word in text.split() if "-" in word), "")
        return asked if "-" in asked or not named else f"{named}: {asked}"

    def before(self, history: Sequence[str]) -> Sequence[str]:
        return history

    def search(self, asked: str, *, k: int | None = None) -> Sequence[Hit]:
        found = [paper for paper in PAPERS if any(word.rstrip(":") in paper.abstract for word in asked.split() if "-" in word)]
        return [Hit(paper=paper, passages=(), rank=n, score=1.0) for n, paper in enumerate(found, start=1)]

    def ask(self, asked: str, *, history: Sequence[str] = ()) -> Answer:
        understood = self.understood(asked, history)
        self.said.append(asked)
        hits = self.search(understood)
        if not hits:
            return Answer(asked, understood, abstained="Nothing is named.")
        paper = hits[0].paper
        start = paper.abstract.index(". ") + 2
        evidence = Evidence(1, start, len(paper.abstract), paper.abstract[start:])
        return Answer(asked, understood, (Sentence(evidence.quote, (1,), Verdict(Status.SUPPORTED, (evidence,))),), (Source(paper, 1.0, 1),))


class Forgetful(Talker):
    """Knows nothing of what was said before."""

    def before(self, history: Sequence[str]) -> Sequence[str]:
        return ()


class Leaking(Talker):
    """Takes whatever it was asked last, by whomever, for what was said before."""

    def before(self, history: Sequence[str]) -> Sequence[str]:
        return self.said[-1:]


class Stubborn(Talker):
    """Never leaves the topic that a chat began with."""

    def understood(self, asked: str, history: Sequence[str]) -> str:
        return f"{history[0].split()[-1]}: {asked.replace('-', '')}" if history else asked


class Crashing(Talker):
    """Cannot stand MOSS-2."""

    def ask(self, asked: str, *, history: Sequence[str] = ()) -> Answer:
        if "MOSS-2" in self.understood(asked, history):
            raise ValueError("boom")
        return super().ask(asked, history=history)


def figures_of(system: type[Talker], questions: Sequence[Question] = QUESTIONS) -> Mapping[str, Figure]:
    return by_key(dialogues.ask((system(), system()), questions, PAPERS))


def test_a_system_that_understands_its_chats_reaches_everything() -> None:
    found = figures_of(Talker)
    assert {key: found[key].value for key in ("coreference_at_1.followup", "session_isolation.pairs", "citation_carry_over.followup")} == {
        "coreference_at_1.followup": 1,
        "session_isolation.pairs": 1,
        "citation_carry_over.followup": 1,
    }
    # t and m need their history, the third one stands alone
    assert found["coreference_at_1.followup"].n_eligible == 2
    assert found["rewrite_gain_recall.followup"].value == pytest.approx(2 / 3)
    assert found["switch_contamination.made"].value == 0
    assert found["switch_contamination.made"].n_eligible == 2
    assert found["switch_cost.labelled"].value == 0
    assert found["turn_decay.padded"].value == 0


def test_a_system_without_a_memory_gains_nothing() -> None:
    found = figures_of(Forgetful)
    assert found["rewrite_gain_recall.followup"].value == 0
    assert found["coreference_at_5.followup"].value == 0


def test_a_system_that_mixes_up_its_chats_is_caught() -> None:
    asked = dialogues.ask((Leaking(), Leaking()), QUESTIONS, PAPERS)
    assert by_key(asked)["session_isolation.pairs"].value == 0
    found = dialogues.result(asked, {}, {})
    assert not found.holds
    assert found.faults["other answers when asked in turns"] == list(asked.pairs)


def test_a_system_that_stays_with_the_first_topic_is_caught() -> None:
    found = figures_of(Stubborn)
    assert found["switch_contamination.labelled"].value == 1
    assert found["switch_contamination.made"].value == 1
    assert found["switch_cost.made"].value == 1


def test_crashes_are_counted_and_are_no_isolation() -> None:
    found = figures_of(Crashing)
    assert (found["session_isolation.pairs"].value, found["session_isolation.pairs"].n_error) == (0, 1)
    assert found["coreference_at_1.followup"].n_error == 1
    assert found["citation_carry_over.followup"].n_error == 1


def test_the_second_system_is_asked_two_chats_in_turns() -> None:
    first, second = Talker(), Talker()
    dialogues.ask((first, second), QUESTIONS, PAPERS)
    ((one, other),) = chats.pairs(QUESTIONS[:3])
    assert second.said[1:] == [turn.text for turn in chats.in_turns(one, other)]  # the very first one is asked once more, to warm up
    assert first.said[1:3] == [turn.text for turn in chats.turns_of(QUESTIONS[0])]


def test_progress_goes_on_over_both_systems() -> None:
    seen: list[tuple[int, int]] = []
    dialogues.ask((Talker(), Talker()), QUESTIONS, PAPERS, lambda done, total: seen.append((done, total)))
    assert seen == [(done, len(seen)) for done in range(1, len(seen) + 1)]


def test_the_earlier_topic_of_a_labelled_change_is_what_was_cited_before_it() -> None:
    asked = dialogues.ask((Talker(), Talker()), QUESTIONS, PAPERS)
    (switch,) = asked.labelled
    assert switch.earlier == {"p2"}
    assert {one.earlier for one in asked.made} == {frozenset({"p1"}), frozenset({"p2"})}


# ----------------------------------------------------------------------------------------------------------------- command

RECORDS: list[dict[str, Any]] = [
    {
        "id": one.id,
        "kind": str(one.kind),
        "question": one.text,
        "history": list(one.history),
        "papers": list(one.papers),
        "facts": [list(group) for group in one.facts],
        **({"topic_switch": True} if one.topic_switch else {}),
    }
    for one in QUESTIONS
]


def test_the_command_prints_every_figure_and_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "q.jsonl", RECORDS)
    assert main(["dialogues", "--data", str(data), "--papers", str(tmp_path)], make_system=Talker) == 0
    out = capsys.readouterr().out
    assert "3 follow-ups of q.jsonl over 3 papers, in chats of 2 to 3 turns" in out
    for one in turn_figures.DEFINITIONS.values():
        assert one.title in out
    assert "turn 2" in out
    assert "answered from the earlier topic" not in out.replace("answers from the earlier topic", "")


def test_the_command_fails_where_chats_disturb_each_other_and_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "q.jsonl", RECORDS)
    assert main(["dialogues", "--data", str(data), "--papers", str(tmp_path)], make_system=Leaking) == 1
    assert "other answers when asked in turns: 1" in capsys.readouterr().out


def test_a_limit_keeps_some_followups_and_every_other_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "q.jsonl", RECORDS)
    assert main(["dialogues", "--data", str(data), "--papers", str(tmp_path), "--limit", "1"], make_system=Talker) == 0
    assert "1 follow-ups of q.jsonl" in capsys.readouterr().out


def test_without_a_followup_there_is_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_questions(tmp_path / "q.jsonl", RECORDS[-1:])
    assert main(["dialogues", "--data", str(data), "--papers", str(tmp_path)], make_system=Talker) == 2
    assert "found no question with a history, expected follow-ups" in capsys.readouterr().err


def test_the_figures_are_left_beside_a_run_of_the_same_questions_and_shown_in_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = write_questions(tmp_path / "q.jsonl", RECORDS), tmp_path / "run"
    asked = ["--data", str(data), "--papers", str(tmp_path)]
    main(["run", *asked, "--out", str(run)], make_system=Stubborn)
    assert main(["dialogues", *asked, "--out", str(run)], make_system=Stubborn) == 0
    kept = json.loads((run / dialogues.FILE).read_text(encoding="utf-8"))
    jsonschema.validate(kept, schema.of_dialogues())
    assert [one["metric"] for one in kept["figures"]][:2] == ["turn_decay", "turn_decay"]
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    for words in ('id="dialogues"', "chats that do not disturb each other ↑", "answered from the earlier topic: 3", "turn 3"):
        assert words in page, words
    main(["run", *asked, "--out", str(run), "--fresh"], make_system=Talker)
    assert main(["report", str(run)]) == 0
    assert "<code>python -m eval dialogues</code> left here was found on other answers" in (run / "report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    other = write_questions(tmp_path / "other.jsonl", RECORDS[:3])
    assert main(["dialogues", "--data", str(other), "--papers", str(tmp_path), "--out", str(run)], make_system=Talker) == 2
    assert "found a run of other data" in capsys.readouterr().err


def test_two_measurements_leave_the_same_bytes(tmp_path: Path) -> None:
    data, run = write_questions(tmp_path / "q.jsonl", RECORDS), tmp_path / "run"
    asked = ["--data", str(data), "--papers", str(tmp_path)]
    main(["run", *asked, "--out", str(run)], make_system=Talker)
    kept = []
    for _ in range(2):
        assert main(["dialogues", *asked, "--out", str(run)], make_system=Talker) == 0
        kept.append((run / dialogues.FILE).read_bytes())
    assert kept[0] == kept[1]


def test_every_headline_figure_of_a_turn_is_one_that_a_run_has() -> None:
    assert {key.partition(".")[0] for key in turn_figures.BY_TURN} <= set(scoring.metrics())


def test_chats_of_the_product_do_not_disturb_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dialogues", "--limit", "4"]) == 0
    told = {line.split("  ")[0].strip(): line.split() for line in capsys.readouterr().out.splitlines()}
    pairs = told["chats that do not disturb each other ↑"]
    assert pairs[-1].endswith("/0")
    assert int(pairs[-1].split("/")[0]) >= 1
