"""What users of other tools for evaluation complain about, where no other test holds it; docs/evaluation.md says which test is whose."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import cards, grounded, judging, scoring, trust
from eval import items as item_module
from eval.datasets.loader import Kind
from eval.figures import Metric, NotApplicable, measure
from eval.items import Item, ItemSentence, Quote, Ranked
from eval.judging import Judged
from eval.metrics.support import Label
from eval.summary import summarise, to_json
from eval.trust import Agreement
from tests.eval.making import answered, crashed, hits, question, refused, unanswerable

LIBRARY = {"p1": "Tides are old. It is fast.", "p2": "Mosses are green. It is slow."}
METRICS = {metric.name: metric for metric, _ in scoring.plan(LIBRARY)}

texts = st.one_of(
    st.sampled_from(["", "It is fast.", "Tides are not old.", "“Mosses are green. It is slow.”", "I cannot say."]), st.text(max_size=30)
)
sentences = st.builds(
    ItemSentence,
    texts,
    st.just(""),
    st.lists(st.integers(1, 4), max_size=3).map(tuple),
    st.sampled_from(["", "supported", "contradicted"]),
    st.just(""),
    st.just(()),
    st.lists(st.builds(Quote, st.just("p1"), st.just(0), st.just(4), texts, st.none() | texts), max_size=2).map(tuple),
)
asked = st.sampled_from(
    [
        question(),
        question(papers=("p1", "p2"), kind=Kind.MULTI),
        question(kind=Kind.SET, facts=()),
        unanswerable(),
        replace(question(), answerable=None),
    ]
)
answers = st.builds(
    lambda one, said, ranked, sure: Item(
        one,
        "answered" if said else "abstained",
        sentences=tuple(said),
        sources=(Ranked("p1", "p1", 1.0, 1), Ranked("p2", "p2", 0.5, 2)) if said else (),
        retrieved=None if ranked is None else hits(ranked),
        confidence=sure,
    ),
    asked,
    st.lists(sentences, max_size=3),
    st.none() | st.lists(st.sampled_from(["p1", "p2", "p9"]), unique=True, max_size=3),
    st.floats(0, 1),
)


@given(st.lists(answers | asked.map(crashed), max_size=4))
def test_trulens_658_every_value_lies_in_its_range(found: list[Item]) -> None:
    for figure in scoring.figures([replace(one, question=replace(one.question, id=str(n))) for n, one in enumerate(found)], library=LIBRARY):
        high = 1 if scoring.metrics()[figure.metric].range == "0 to 1" else math.inf
        assert figure.value is None or 0 <= figure.value <= high, figure


def test_trulens_658_a_value_outside_its_range_is_an_error_and_not_put_right() -> None:
    for value in (1.5, -0.1, math.nan):
        wild = Metric("wild", "wild", lambda _, value=value: value, "none")  # type: ignore[misc]
        with pytest.raises(ArithmeticError, match="wild of q is"):
            measure(wild, "all", [answered(question())])


def test_ragas_580_nothing_that_is_no_number_is_ever_written(tmp_path: Path) -> None:
    odd = [refused(question("a")), refused(unanswerable("b")), crashed(question("c")), replace(answered(question("d")), retrieved=None, sentences=())]
    summary = to_json(summarise(odd, [], [], {"data": "few"}, LIBRARY))
    assert not re.search(r"NaN|Infinity", json.dumps(summary))
    with pytest.raises(ValueError, match="JSON compliant"):
        item_module.write_lines(tmp_path / "items.jsonl", [{"value": math.nan}])


def test_ragas_580_refusals_are_counted_and_have_no_groundedness() -> None:
    items = [answered(question("a")), refused(question("b")), refused(unanswerable("c"))]
    figures = {one.key: one for one in scoring.figures(items, library=LIBRARY)}
    assert (figures["groundedness.all"].value, figures["groundedness.all"].n_scored, figures["groundedness.all"].n_na) == (1, 1, 2)


OF_DECISIONS = {"refused": 1.0, "over_refused": 1.0, "right_decision": 1.0, "right": 1.0, "conditional": 1.0}
"""What a right refusal is worth to those figures that are about refusing; over_refused is taken over answerable questions only."""


@pytest.mark.parametrize("name", METRICS)
def test_ragas_2806_a_right_refusal_is_the_same_to_every_metric(name: str) -> None:
    score = METRICS[name].score(refused(unanswerable()))
    if name in OF_DECISIONS:
        assert score == OF_DECISIONS[name]
        return
    reasons = {"abstained", "unanswerable", "nothing_missing"}
    assert isinstance(score, NotApplicable)
    assert score.reason in reasons


def test_ragas_793_a_made_up_answer_without_a_context_is_not_grounded() -> None:
    made_up = replace(answered(question(), cites=()), retrieved=())
    assert METRICS["groundedness"].score(made_up) == METRICS["citation_recall"].score(made_up) == 0
    for library in ({"p1": " \n", "p2": ""}, {}):
        blank = {metric.name: metric for metric in grounded.metrics(library)}
        assert blank["groundedness"].score(answered(question())) == 0


def test_promptfoo_2468_a_sentence_without_a_verdict_counts_against_the_answer() -> None:
    found = judging.result([Judged(None, 0.0, 3), Judged(Label.SUPPORTED, 1.0, 0)], [], [])
    assert (found.supported, found.errors) == (0.5, 1)


def test_gem_a_reply_that_cannot_be_read_has_no_middle_mark() -> None:
    found = judging.result([Judged(None, 0.0, 3)] * 4, [], [])
    assert (found.supported, found.errors) == (0, 4)


def test_giskard_1924_the_context_is_what_the_system_found_and_not_what_the_labels_say() -> None:
    lost = answered(question(), cites=("p2",), ranked=("p2",))
    assert grounded.context(lost) == ["p2"]
    assert METRICS["context_recall"].score(lost) == 0
    assert METRICS["groundedness"].score(lost) == 0
    assert METRICS["context_recall"].score(answered(question())) == 1


def test_mtrag_17_a_figure_that_is_the_same_for_every_answer_is_said_to_tell_nothing() -> None:
    half = Metric("half", "half", lambda _: 0.5, "always 0.5")
    many = [answered(question(str(n))) for n in range(10)]
    assert measure(half, "all", many).constant
    assert not measure(half, "all", many[:9]).constant
    # all right is a result
    assert not measure(METRICS["right"], "all", many).constant


def test_ragchecker_20_the_page_of_trust_says_which_check_was_held_against_which_labels() -> None:
    one = Agreement("scifact dev", 321, 0.7, 0.8, 0.6, 0.6, 0.3, 0.1)
    people = trust.tables([one], [])[0]
    assert people["title"] == "The checker of sentences against people"
    assert people["heads"][0] == "labels of people"
    assert people["rows"][0][:3] == ["scifact dev", "321", "0.700"]


def test_ragchecker_29_each_metric_says_what_it_needs() -> None:
    needed = {card.name: card.needs for card in cards.cards()}
    assert needed["recall_at_5"] == ("papers", "the ranking")
    assert needed["fact_in_answer"] == ("facts",)
    assert needed["groundedness"] == ("an answer",)
    assert needed["quote_fidelity"] == ("quotation marks", "an answer")
    assert needed["valid_citations"] == ("citations", "an answer")
    assert all(isinstance(one, str) for card in cards.cards() for one in asdict(card)["needs"])


def test_ragchecker_26_the_formulas_of_the_document_are_those_of_the_code() -> None:
    document = cards.DOCUMENT.read_text(encoding="utf-8")
    assert cards.written_into(document) == document, "run python -m eval.cards --write"


def test_each_complaint_has_its_test(project: Path) -> None:
    document = cards.DOCUMENT.read_text(encoding="utf-8")
    part = document.partition("## What users of other tools complain about")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(rows) >= 30
    known = {name for path in (project / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))}
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert set(named) <= known, row
