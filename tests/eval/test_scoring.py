"""Figures over a handful of items worked by hand; what counts, what does not, and that a crash never helps."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from eval import items as item_module
from eval import scoring, selective
from eval.datasets.loader import Kind
from eval.figures import Figure, measure
from eval.items import Item, ItemSentence, Ranked, Timing
from eval.summary import summarise, to_json
from tests.eval.making import answered, crashed, question, refused, unanswerable

LIBRARY = {"p1": "Tides are old. It is fast.", "p2": "Mosses are green. It is slow."}


def _items() -> list[Item]:
    """Two right answers, one that cites the wrong paper first, a refusal too many, a good refusal, an answer too many, a right follow-up, a crash."""
    multi = question("multi", papers=("p1", "p2"), facts=(("fast",), ("slow",)), kind=Kind.MULTI)
    return [
        answered(question("right")),
        answered(question("wordy"), "Well, you ask. It is very fast, one may say.", cites=("p2", "p1"), ranked=("p2", "p1")),
        refused(question("over-refused"), ranked=("p2", "p3")),
        answered(multi, "It is fast.", cites=("p1",)),
        refused(unanswerable("refused")),
        answered(unanswerable("invented"), found="slow"),
        answered(question("followup", kind=Kind.FOLLOWUP)),
        crashed(question("crashed")),
    ]


def _figures(items: list[Item]) -> dict[str, Figure]:
    return {figure.key: figure for figure in scoring.figures(items, library=LIBRARY)}


@pytest.mark.parametrize(
    ("key", "value", "counts"),
    [
        # over the answerable: right, wordy, over-refused, multi, followup, crashed
        ("success_at_1.answerable", 3 / 6, "5/6/1"),
        ("recall_at_5.answerable", 4 / 6, "5/6/1"),
        ("mrr_at_10.answerable", (1 + 1 / 2 + 0 + 1 + 1 + 0) / 6, "5/6/1"),
        ("ndcg_at_10.answerable", (1 + 1 / math.log2(3) + 0 + 1 + 1 + 0) / 6, "5/6/1"),
        # single: right, wordy, over-refused, crashed
        ("right_paper_cited.single", 2 / 4, "3/4/1"),
        ("right_paper_first.single", 1 / 4, "3/4/1"),
        ("fact_in_answer.single", 2 / 4, "3/4/1"),
        ("fact_in_first_sentence.single", 2 / 4, "3/4/1"),
        ("right.single", 2 / 4, "3/4/1"),
        # the refusal says nothing that precision could be taken of
        ("citation_precision.single", (1 + 1 / 2 + 0) / 3, "2/3/1"),
        ("right_paper_cited.multi", 0, "1/1/0"),
        ("any_right_paper_cited.multi", 1, "1/1/0"),
        ("right_papers_share.multi", 1 / 2, "1/1/0"),
        ("fact_in_answer.multi", 0, "1/1/0"),
        ("fact_share.multi", 1 / 2, "1/1/0"),
        ("right.followup", 1, "1/1/0"),
        ("refused.unanswerable", 1 / 2, "2/2/0"),
        # the crash counts as refused
        ("over_refused.answerable", 2 / 6, "5/6/1"),
        ("right_decision.all", (1 + 1 + 0 + 1 + 1 + 0 + 1 + 0) / 8, "7/8/1"),
        # of five answers four quote what stands there, and the crash counts as a misquote
        ("quotes_verbatim.all", 4 / 6, "5/6/1"),
        ("valid_citations.all", 5 / 6, "5/6/1"),
        ("verdict_supported.all", 5 / 6, "5/6/1"),
        ("verdict_unsupported.all", 1 / 6, "5/6/1"),
        # words 3, 10 and the crash, which is longer than all
        ("words_median.single", 10, "2/3/1"),
        ("words_p90.single", None, "2/3/1"),
    ],
)
def test_figures_worked_by_hand(key: str, value: float | None, counts: str) -> None:
    figure = _figures(_items())[key]
    assert figure.value == (None if value is None else pytest.approx(value))
    assert figure.counts == counts


def test_a_proportion_comes_with_its_interval_and_a_mean_without() -> None:
    figures = _figures(_items())
    assert figures["right_paper_cited.single"].interval == pytest.approx((0.1500, 0.8500), abs=1e-4)
    assert figures["mrr_at_10.answerable"].interval is None


def test_a_refusal_holds_no_fact_by_chance() -> None:
    item = refused(question())
    assert "fast" in item.text
    assert _figures([item])["fact_in_answer.single"].value == 0


def test_a_crash_never_makes_a_figure_better() -> None:
    items = _items()
    before = _figures(items)
    known = scoring.metrics()
    for place, item in enumerate(items):
        after = _figures([*items[:place], crashed(item.question), *items[place + 1 :]])
        for key, figure in after.items():
            old, new = before[key].value, figure.value
            if old is None or new is None:
                continue
            better = new > old if known[figure.metric].direction == "higher" else new < old
            assert not better, f"{key} went from {old} to {new} when {item.question.id} crashed"


def test_every_figure_is_there_even_if_everything_crashed() -> None:
    figures = _figures([crashed(question("a")), crashed(unanswerable("b"))])
    of_sets = {f"{metric.name}.all" for metric in selective.METRICS} | {f"{metric.name}.all" for metric in scoring.latency_metrics(())}
    assert set(figures) == {f"{metric.name}.{scope}" for metric, scopes in scoring.plan({}) for scope in scopes} | of_sets
    assert figures["groundedness.all"].value == figures["context_recall.all"].value == 0
    assert figures["contradicted.all"].value == figures["aurc.all"].value == 1
    assert figures["right_paper_cited.single"].value == figures["refused.unanswerable"].value == 0
    assert figures["over_refused.answerable"].value == figures["verdict_contradicted.all"].value == 1
    assert figures["words_median.all"].value is None
    assert figures["latency_p50_ms.all"].counts == "0/2/2"


def test_a_failed_search_counts_against_the_ranking_and_not_against_the_answer() -> None:
    figures = _figures([replace(answered(question()), retrieved=None, retrieval_error="OSError: gone")])
    assert (figures["success_at_1.single"].value, figures["success_at_1.single"].counts) == (0, "0/1/1")
    assert (figures["right.single"].value, figures["right.single"].counts) == (1, "1/1/0")


def test_a_made_up_citation_and_a_quote_from_nowhere_are_counted() -> None:
    item = answered(question())
    sentence = replace(item.sentences[0], citations=(1, 7), quotes=(replace(item.sentences[0].quotes[0], paper=None, found=None),))
    figures = _figures([replace(item, sentences=(sentence,))])
    assert figures["valid_citations.all"].value == 1 / 2
    assert figures["quotes_verbatim.all"].value == 0


def test_cited_papers_are_in_reading_order_each_once() -> None:
    sentences = tuple(ItemSentence("It is.", "", numbers, "supported", "", (), ()) for numbers in [(2,), (1, 2), (9,)])
    item = Item(question(), "answered", sentences=sentences, sources=(Ranked("a", "a", 1, 1), Ranked("b", "b", 1, 2)))
    assert item.cited == ("b", "a")


def test_the_order_of_the_questions_changes_no_figure() -> None:
    assert {key: figure.value for key, figure in _figures(_items()).items()} == {
        key: pytest.approx(figure.value) if figure.value is not None else None for key, figure in _figures(_items()[::-1]).items()
    }


def test_kinds_are_shown_apart() -> None:
    by_kind = scoring.figures_by_kind(_items())
    assert list(by_kind) == ["fact", "multi", "followup", "off-topic"]
    decisions = {figure.metric: figure for figure in by_kind["off-topic"]}["right_decision"]
    assert (decisions.value, decisions.counts) == (1 / 2, "2/2/0")


def test_latencies_are_in_milliseconds_and_a_crash_is_slower_than_all() -> None:
    items = [answered(question("a")), answered(question("b")), crashed(question("c"))]
    timings = [Timing("a", 0.010, {}), Timing("b", 0.030, {})]
    p50, p95 = (measure(metric, "all", items) for metric in scoring.latency_metrics(timings))
    assert p50.value == pytest.approx(30)
    assert p50.counts == "2/3/1"
    assert p95.value is None


def test_what_went_wrong_is_said_in_words() -> None:
    faults = {item.question.id: scoring.faults(item) for item in _items()}
    assert faults["right"] == faults["refused"] == faults["followup"] == []
    assert faults["wordy"] == []
    assert faults["over-refused"] == ["refused, though the search ranks the right paper below 10"]
    assert faults["multi"] == ["1 of 2 right papers not cited; the search ranks the right papers 1 and 2", "fact missing: slow"]
    assert faults["invented"] == ["answered, though no abstract answers it", "quote not in its abstract at 0:4: 'fast'"]
    assert faults["crashed"] == ["error: ValueError: boom"]


def test_stored_items_give_the_same_summary() -> None:
    lines = [json.loads(json.dumps(item_module.to_json(item), allow_nan=False)) for item in _items()]
    again = [item_module.from_json(line) for line in lines]
    assert again == _items()
    assert to_json(summarise(again, [], [], {})) == to_json(summarise(_items(), [], [], {}))


def test_papers_that_may_count_and_sets_without_facts() -> None:
    asked = replace(question("set", papers=("p1", "p2"), facts=(), kind=Kind.SET), maybe=("p3",), missing=())
    item = answered(asked, cites=("p1", "p3", "p2"))
    figures = _figures([item])
    assert (figures["citation_precision.set"].value, figures["right_papers_share.set"].value) == (1.0, 1.0)
    assert (figures["fact_in_answer.set"].value, figures["fact_in_answer.set"].counts) == (None, "0/0/0")
    assert figures["right.set"].value == figures["right.all"].value == 1.0
    assert figures["right_papers_share.multi"].counts == figures["right_paper_first.single"].counts == "0/0/0"
    assert item_module.from_json(json.loads(json.dumps(item_module.to_json(item)))) == item
    wrong = _figures([answered(asked, cites=("p1", "p3", "p4"))])
    assert (wrong["citation_precision.set"].value, wrong["right_papers_share.set"].value) == (0.5, 0.5)


def test_the_part_that_is_not_answered_is_to_be_named_in_our_own_words() -> None:
    asked = replace(question("partial", kind=Kind.PARTIAL), missing=(("price", "cost"),))
    named = replace(answered(asked), own_words="The abstracts do not give a price.")
    silent, quoted = answered(asked), answered(asked, "It is fast and the price is low.")
    figures = _figures([named, silent, quoted])
    assert figures["missing_named.partial"].value == pytest.approx(1 / 3)
    assert figures["missing_named.partial"].counts == "3/3/0"
    assert figures["fact_in_answer.partial"].value == 1.0
    assert figures["right.partial"].value == pytest.approx(1 / 3)
    assert scoring.faults(named) == []
    assert scoring.faults(silent) == ["not said to be missing: price / cost"]
    assert item_module.from_json(json.loads(json.dumps(item_module.to_json(named)))) == named


def test_an_item_stored_without_the_newer_keys_is_read() -> None:
    record = item_module.to_json(answered(question("old")))
    del record["question"]["maybe"], record["question"]["missing"], record["own_words"]
    assert item_module.from_json(record) == answered(question("old"))
