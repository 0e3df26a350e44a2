"""Every figure of a run, worked by hand: of one answer, or of one small set. A metric that stands nowhere here fails a test."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from eval import grounded, scoring, selective
from eval.datasets.loader import Kind, Nugget
from eval.figures import Failed, Metric, NotApplicable, Score
from eval.items import Item, ItemSentence, Quote, Ranked, Timing
from eval.metrics import nuggets
from eval.metrics.support import Thresholds
from tests.eval.making import answered, crashed, hits, question, refused, unanswerable

LIBRARY = {"p1": "Tides rise twice a day. TIDE-7 is fast by design.", "p2": "Mosses are green all year long.", "p3": "Sand is not wet."}
STRICT = Thresholds(supported=0.9, partial=0.5)

ASKED = question(papers=("p1", "p2"), facts=(("fast by design",), ("purple",)), kind=Kind.MULTI)
"""Of its two facts the answer below holds one."""
NUGGETS = (Nugget(("fast by design",)), Nugget(("rise twice each day",)), Nugget(("purple",), vital=False), Nugget(("green all year",), vital=False))
ANSWER = Item(
    replace(ASKED, nuggets=NUGGETS),
    "answered",
    sentences=(
        ItemSentence(
            "Tides rise twice a day.", "", (1,), "supported", "", (), (Quote("p1", 0, 5, "Tides", "Tides"), Quote("p1", 6, 9, "ris", "RIS"))
        ),
        ItemSentence("TIDE-7 is fast by design.", "", (1, 3), "supported", "", (), ()),
        ItemSentence("Mosses are green all year long.", "", (1,), "unsupported", "", (), ()),
        ItemSentence("Sand is wet.", "", (3, 9), "contradicted", "", (), ()),
    ),
    sources=(Ranked("p1", "p1", 0.9, 1), Ranked("p2", "p2", 0.5, 2), Ranked("p3", "p3", 0.4, 3)),
    retrieved=hits(["p3", "p1", "p2"]),
    confidence=0.8,
)
"""Four sentences. 1: borne out. 2: borne out by one of its two citations. 3: another paper says so. 4: the paper says the contrary, and 9 is none."""

PARTIAL = replace(answered(question(kind=Kind.PARTIAL)), own_words="Nothing is said of its price.")
BY_HAND: list[tuple[str, Item, Score]] = [
    ("success_at_1", ANSWER, 0),
    ("recall_at_5", ANSWER, 1),
    ("recall_at_10", replace(ANSWER, retrieved=hits(["a", "b", "c", "d", "e", "p1"])), 1 / 2),
    ("mrr_at_10", ANSWER, 1 / 2),
    # places 2 and 3, where 1 and 2 are best
    ("ndcg_at_10", ANSWER, (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))),
    ("right_paper_cited", ANSWER, 0),
    ("right_paper_first", ANSWER, 1),
    ("any_right_paper_cited", ANSWER, 1),
    ("right_papers_share", ANSWER, 1 / 2),
    # cited are p1 and p3
    ("citation_precision", ANSWER, 1 / 2),
    # 1, 1, 3, 1, 3 exist and 9 does not
    ("valid_citations", ANSWER, 5 / 6),
    ("quotes_verbatim", ANSWER, 1 / 2),
    ("cited_sentences_quoted", ANSWER, 1 / 4),
    ("fact_in_answer", ANSWER, 0),
    ("fact_share", ANSWER, 1 / 2),
    ("fact_in_first_sentence", ANSWER, 0),
    ("missing_named", replace(PARTIAL, question=replace(PARTIAL.question, missing=(("price", "cost"),))), 1),
    ("words_median", ANSWER, 5 + 5 + 6 + 3),
    ("words_p90", ANSWER, 5 + 5 + 6 + 3),
    ("refused", refused(unanswerable()), 1),
    ("over_refused", refused(ASKED), 1),
    ("right_decision", refused(ASKED), 0),
    ("right", ANSWER, 0),
    ("conditional", ANSWER, 1 / 2),
    ("conditional", refused(ASKED), 0),
    ("conditional", refused(unanswerable()), 1),
    ("conditional", answered(unanswerable()), 0),
    # vital: "fast by design" stands there; of "rise twice each day" three of four words stand together
    ("nuggets_vital_strict", ANSWER, 1 / 2),
    ("nuggets_vital", ANSWER, (1 + 1 / 2) / 2),
    # of the others one stands there
    ("nuggets_all_strict", ANSWER, 2 / 4),
    ("nuggets_all", ANSWER, (1 + 1 / 2 + 0 + 1) / 4),
    ("verdict_supported", ANSWER, 2 / 4),
    ("verdict_unsupported", ANSWER, 1 / 4),
    ("verdict_contradicted", ANSWER, 1 / 4),
    ("verdict_uncited", ANSWER, 0),
    ("verdict_unknown_citation", ANSWER, 0),
    ("verdict_record", ANSWER, 0),
    # sentences 1 and 2 cite what exists and are borne out
    ("citation_recall", ANSWER, 2 / 4),
    # of 6 citations: 1 in each of the first two; without 3 the second is borne out as well, 1 does not bear out the third, 3 and 9 not the fourth
    ("citation_support_precision", ANSWER, 2 / 6),
    ("citation_f1", ANSWER, 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)),
    ("citation_recall_graded", ANSWER, 2 / 4),
    # the third
    ("misattributed", ANSWER, 1 / 4),
    # of 5 citations of existing papers the 3 in the second
    ("over_cited", ANSWER, 1 / 5),
    ("uncited", ANSWER, 0),
    ("uncited", replace(ANSWER, sentences=(*ANSWER.sentences[:1], replace(ANSWER.sentences[1], citations=()))), 1 / 2),
    ("groundedness", ANSWER, 3 / 4),
    ("contradicted", ANSWER, 1 / 4),
    # three that stand there word for word, and one of which no word does
    ("worst_sentence", replace(ANSWER, sentences=ANSWER.sentences[:3]), 1),
    ("worst_sentence", answered(ASKED, "Soup boils over."), 0),
    ("quote_fidelity", answered(ASKED, "They “rise twice a day. TIDE-7” and it “is slow by any design”."), 1 / 2),
    # an answer that is the sentence with the asked fact saves all that can be saved; one that shares no word with it nothing
    ("information", answered(ASKED, "TIDE-7 is fast by design."), 1),
    ("information", answered(ASKED, "Soup?"), 0),
    ("context_recall", ANSWER, 1 / 2),
    ("context_precision", ANSWER, 1 / 3),
    ("latency_p50_ms", ANSWER, 20),
    ("latency_p95_ms", ANSWER, 20),
]

SET = [
    replace(answered(question("a")), confidence=0.9),  # right
    replace(answered(unanswerable("b")), confidence=0.8),  # wrong
    replace(refused(unanswerable("c")), confidence=0.2),  # wrong if it were answered
    replace(refused(question("d")), confidence=0.4),  # right if it were answered
]
"""Surest first: right, wrong, right, wrong; risks 0, 1/2, 1/3, 1/2."""
OF_SET = {
    "aurc": (0 + 1 / 2 + 1 / 3 + 1 / 2) / 4,
    # a perfect order has risks 0, 0, 1/3, 1/2
    "excess_aurc": (0 + 1 / 2 + 1 / 3 + 1 / 2) / 4 - (1 / 3 + 1 / 2) / 4,
    "augrc": (0 + 1 + 1 + 2) / 4 / 4,
    "coverage_at_risk_05": 1 / 4,
    # the surest four of four, as three are not 80 %
    "risk_at_coverage_80": 1 / 2,
    # each in a bin of its own: off by .1, .8, .2 and .6
    "calibration_error": (0.1 + 0.8 + 0.2 + 0.6) / 4,
    "brier": (0.01 + 0.64 + 0.04 + 0.36) / 4,
    # of two refusals one is right, of two unanswerable questions one is refused
    "refusal_precision": 1 / 2,
    "refusal_f1": 1 / 2,
}


def _metrics() -> dict[str, Metric]:
    single = [metric for metric, _ in scoring.PLAN]
    return {one.name: one for one in (*single, *grounded.metrics(LIBRARY, STRICT), *scoring.latency_metrics([Timing("q", 0.02, {})]))}


@pytest.mark.parametrize(("name", "item", "value"), BY_HAND)
def test_ragchecker_36_a_figure_of_one_answer_is_what_its_formula_says(name: str, item: Item, value: float) -> None:
    assert _metrics()[name].score(item) == pytest.approx(value)


@pytest.mark.parametrize(("name", "value"), OF_SET.items())
def test_ragchecker_36_a_figure_of_a_set_is_what_its_formula_says(name: str, value: float) -> None:
    (figure,) = [one for one in selective.figures(SET) if one.metric == name]
    assert figure.value == pytest.approx(value)


def test_ragchecker_36_no_metric_is_without_an_example_worked_by_hand() -> None:
    worked = {name for name, _, _ in BY_HAND} | set(OF_SET)
    assert set(scoring.metrics()) == worked


def test_a_set_without_an_unanswerable_question_has_no_precision_of_refusing() -> None:
    figures = {one.metric: one for one in selective.figures([refused(question("a"))])}
    assert (figures["refusal_precision"].value, figures["refusal_precision"].n_eligible) == (None, 0)


def test_a_crash_is_the_wrong_decision() -> None:
    # the answerable one counts as refused, the unanswerable one as answered
    figures = {one.metric: one.value for one in selective.figures([crashed(question("a")), crashed(unanswerable("b")), refused(unanswerable("c"))])}
    assert (figures["refusal_precision"], figures["refusal_f1"]) == (1 / 2, 1 / 2)


def test_nuggets_worked_by_hand() -> None:
    text = "TIDE-7 learns the shape of bodies first. It takes 12 hours. Mosses are green."
    assert nuggets.match(text, ["the colour", "shape of bodies"]) == 1
    assert nuggets.match(text, ["the shape that bodies have at first"]) == 0.5
    # a window of two sentences holds what is said in two; another number is no near miss, and one word is met or not
    assert nuggets.match(text, ["bodies take 12 hours"]) == 0.5
    assert nuggets.match(text, ["bodies take 13 hours"]) == 0
    assert nuggets.match(text, ["lichen"]) == 0
    assert (nuggets.strict([1, 0.5, 0, 1]), nuggets.graded([1, 0.5, 0, 1])) == (1 / 2, 2.5 / 4)
    with pytest.raises(ValueError, match="no nugget"):
        nuggets.strict([])


def test_facts_are_the_vital_nuggets_of_a_question_without_others() -> None:
    item = replace(ANSWER, question=ASKED)
    assert _metrics()["nuggets_vital_strict"].score(item) == _metrics()["nuggets_all_strict"].score(item) == 1 / 2


def test_facts_stay_vital_beside_nuggets_that_are_welcome_alone() -> None:
    item = replace(ANSWER, question=replace(ASKED, nuggets=(Nugget(("green all year",), vital=False),)))
    assert _metrics()["nuggets_vital_strict"].score(item) == 1 / 2
    assert _metrics()["nuggets_all_strict"].score(item) == 2 / 3


def test_a_number_is_met_with_its_unit_near_what_it_is_about_and_half_met_elsewhere() -> None:
    text = r"TIDE-7 saves 30 percent of the time. It was tried on 8 coasts. Mosses are $1.5 \times$ as green."
    assert nuggets.match(text, ["time", "seconds"], "30%") == 1
    assert nuggets.match(text, ["Mosses"], "1.5x") == 1
    # two sentences are near, three are not
    assert nuggets.match(text, ["time"], "8") == 1
    assert nuggets.match(text, ["time"], "1.5 times") == 0.5
    assert nuggets.match(text, [], "8") == 1
    # another unit is another number, and so is a part of one
    assert nuggets.match(text, ["time"], "30") == 0
    assert nuggets.match(text, ["green"], "5x") == 0


def test_a_question_without_a_vital_nugget_has_no_figure_of_vital_ones() -> None:
    item = replace(ANSWER, question=replace(ASKED, facts=(), nuggets=(Nugget(("purple",), vital=False),)))
    assert _metrics()["nuggets_vital"].score(item) == NotApplicable("no_vital_nugget")
    assert _metrics()["nuggets_all"].score(item) == 0
    assert _metrics()["nuggets_all"].score(refused(unanswerable())) == NotApplicable("unanswerable")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("It “rise twice a day.”", NotApplicable("no_quotes")),  # four words are a term
        ('It "rise  twice a day. TIDE-7 is," they say.', 1),
        ("It “rise twice … fast by design”.", 1),
        ("It “rise thrice a day, TIDE-7 says”.", 0),
    ],
)
def test_quoted_words_stand_in_what_their_sentence_cites(text: str, score: Score) -> None:
    fidelity = _metrics()["quote_fidelity"]
    assert fidelity.score(answered(ASKED, text)) == score
    if score == 1:
        assert fidelity.score(answered(ASKED, text, cites=("p2",))) == 0


def test_a_quotation_over_a_full_stop_belongs_to_both_sentences() -> None:
    parts = tuple(ItemSentence(text, "", cited, "", "", (), ()) for text, cited in (("It “rise twice a day.", (1,)), ("TIDE-7 is” so.", ())))
    assert _metrics()["quote_fidelity"].score(replace(answered(ASKED), sentences=parts)) == 1


def test_a_failed_search_is_no_value() -> None:
    assert _metrics()["recall_at_5"].score(replace(ANSWER, retrieved=None, retrieval_error="OSError")) == Failed("OSError")
