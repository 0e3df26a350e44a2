"""Citations against a checker that one can look up: a table of which papers bear out which sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import attribution
from eval.metrics.attribution import Claim, NoClaims, claims_something
from eval.metrics.support import Label, Support

SUPPORTS = {"one": [{"a"}, {"b", "c"}], "two": [{"b"}], "none": []}
"""Sentence -> sets of papers, each of which bears it out when all of it is there."""


def check(sentence: str, papers: Sequence[str]) -> Support:
    borne_out = any(needed <= set(papers) for needed in SUPPORTS[sentence])
    partly = any(needed & set(papers) for needed in SUPPORTS[sentence])
    return Support(Label.SUPPORTED, 1.0) if borne_out else Support(Label.PARTIAL, 0.4) if partly else Support(Label.UNSUPPORTED, 0.1)


def test_recall_and_precision_worked_by_hand() -> None:
    claims = [
        Claim("one", ("a", "b")),  # borne out; a alone bears it out, b adds nothing
        Claim("one", ("b", "c")),  # borne out by both together: both are needed
        Claim("two", ("a",)),  # not borne out
        Claim("two", ("b", None)),  # b bears it out, but a paper that does not exist is cited too
    ]
    assert attribution.recall(claims, check) == 2 / 4
    # needed: a; b, c; none; none. 7 citations, the made-up one among them
    assert attribution.precision(claims, check) == pytest.approx(3 / 7)
    # of the 6 citations of existing papers, b of the first sentence is idle
    assert attribution.over_cited(claims, check) == pytest.approx(1 / 6)


def test_graded_recall_counts_half_for_half() -> None:
    assert attribution.graded_recall([Claim("one", ("b",)), Claim("one", ("a",)), Claim("none", ("a",))], check) == pytest.approx((0.5 + 1 + 0) / 3)


def test_a_made_up_citation_lowers_precision_and_cannot_be_diluted_away() -> None:
    honest, padded = [Claim("two", ("b",))], [Claim("two", ("b", None))]
    assert attribution.precision(honest, check) == 1
    assert attribution.precision(padded, check) == 0


def test_what_another_found_paper_bears_out_is_misattributed() -> None:
    claims = [Claim("two", ("a",)), Claim("none", ("a",)), Claim("two", ("b",))]
    assert attribution.misattributed(claims, ["a", "b"], check) == pytest.approx(1 / 3)


def test_groundedness_looks_at_all_that_was_found_and_nothing_found_bears_out_nothing() -> None:
    claims = [Claim("two", ("a",)), Claim("none", ())]
    assert attribution.grounded(claims, ["a", "b"], check) == 1 / 2
    assert attribution.worst(claims, ["a", "b"], check) == pytest.approx(0.1)
    assert attribution.uncited(claims) == 1 / 2
    assert attribution.grounded(claims, [], check) == 0  # ragas 793: a made-up answer without context


def test_an_answer_that_claims_nothing_has_no_figure() -> None:
    for figure in (attribution.recall, attribution.precision, attribution.graded_recall):
        with pytest.raises(NoClaims):
            figure([], check)
    with pytest.raises(NoClaims):
        attribution.grounded([], ["a"], check)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot answer this from the papers.",
        "The abstracts do not mention any information on that.",
        "There is no information in these papers to answer the question.",
        "Which one do you mean?",
        "Sources:",
        "## Results",
        "...",
    ],
)
def test_ragas_878_i_do_not_know_is_no_claim(text: str) -> None:
    assert not claims_something(text)


@pytest.mark.parametrize("text", ["Tides do not answer to the moon alone.", "No faster model than TIDE-7 is known [1].", "It is 3 times faster."])
def test_what_sounds_a_little_like_it_is_a_claim(text: str) -> None:
    assert claims_something(text)


CLAIMS = st.lists(
    st.builds(Claim, st.sampled_from(list(SUPPORTS)), st.lists(st.sampled_from(["a", "b", "c", None]), max_size=4, unique=True).map(tuple)),
    min_size=1,
    max_size=6,
)


@given(CLAIMS)
def test_figures_stay_in_range(claims: list[Claim]) -> None:
    for figure in (attribution.recall, attribution.precision, attribution.over_cited, attribution.graded_recall):
        assert 0 <= figure(claims, check) <= 1
    assert attribution.graded_recall(claims, check) >= attribution.recall(claims, check)
    assert attribution.recall(claims, check) <= 1 - attribution.uncited(claims)
