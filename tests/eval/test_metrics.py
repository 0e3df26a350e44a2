"""Each metric against values worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import abstention, citations, facts, length, retrieval, stats

PAPERS = st.lists(st.sampled_from("abcdefghijkl"), max_size=15)
RELEVANT = st.sets(st.sampled_from("abcdefghijkl"), min_size=1)

# --------------------------------------------------------------------------------------------------------------- retrieval


def test_retrieval_of_a_ranking_worked_by_hand() -> None:
    # places 2 and 4 of four are relevant, and x is not found at all
    ranked, relevant = ["a", "b", "c", "d"], {"b", "d", "x"}
    assert retrieval.success_at_1(ranked, relevant) == 0
    assert retrieval.success_at_1(ranked, {"a"}) == 1
    assert retrieval.recall_at(ranked, relevant, 2) == pytest.approx(1 / 3)
    assert retrieval.recall_at(ranked, relevant, 5) == pytest.approx(2 / 3)
    assert retrieval.reciprocal_rank(ranked, relevant, 10) == 1 / 2
    assert retrieval.reciprocal_rank(ranked, {"d"}, 3) == 0
    # 1/log2(3) + 1/log2(5) = 0.63093 + 0.43068 = 1.06161; ideal 1 + 0.63093 + 0.5 = 2.13093
    assert retrieval.ndcg_at(ranked, dict.fromkeys(relevant, 1), 10) == pytest.approx(1.06161 / 2.13093, abs=1e-5)


def test_ndcg_with_grades_is_linear_in_them() -> None:
    # 2/log2(3) + 1/log2(5) = 1.26186 + 0.43068 = 1.69254; ideal 2 + 1/log2(3) = 2.63093
    assert retrieval.ndcg_at(["a", "b", "c", "d"], {"b": 2, "d": 1}, 10) == pytest.approx(1.69254 / 2.63093, abs=1e-5)


def test_ideal_of_ndcg_ends_at_the_cut_off() -> None:
    assert retrieval.ndcg_at(["a", "b"], dict.fromkeys("abcd", 1), 2) == pytest.approx(1.0)


def test_a_paper_that_is_ranked_twice_counts_once() -> None:
    assert retrieval.ndcg_at(["a", "a", "a"], {"a": 1, "b": 1}, 10) == pytest.approx(1 / 1.63093, abs=1e-5)
    assert retrieval.recall_at(["a", "a", "b"], {"b"}, 2) == 1


@given(PAPERS, RELEVANT)
def test_retrieval_figures_stay_in_their_range_and_reward_the_best_ranking(ranked: list[str], relevant: set[str]) -> None:
    best = sorted(relevant)
    gains = dict.fromkeys(relevant, 1.0)
    for value in (
        retrieval.success_at_1(ranked, relevant),
        retrieval.recall_at(ranked, relevant, 5),
        retrieval.reciprocal_rank(ranked, relevant, 10),
        retrieval.ndcg_at(ranked, gains, 10),
    ):
        assert 0 <= value <= 1 + 1e-12
    assert retrieval.ndcg_at(best, gains, 10) == pytest.approx(1.0)
    assert retrieval.ndcg_at([], gains, 10) == retrieval.reciprocal_rank([], relevant, 10) == 0


def test_without_a_relevant_paper_there_is_no_retrieval_figure() -> None:
    with pytest.raises(ValueError, match="nothing is relevant"):
        retrieval.recall_at(["a"], set(), 5)


# --------------------------------------------------------------------------------------------------------------- citations


def test_citations_worked_by_hand() -> None:
    cited, gold = ["b", "a", "c"], {"a", "d"}
    assert citations.all_cited(cited, gold) == 0
    assert citations.all_cited(cited, {"a", "c"}) == 1
    assert citations.any_cited(cited, gold) == 1
    assert citations.any_cited(cited, {"d"}) == 0
    assert citations.cited_first(cited, gold) == 0
    assert citations.cited_first(cited, {"b"}) == 1
    assert citations.gold_share(cited, gold) == 1 / 2
    assert citations.precision(cited, gold) == pytest.approx(1 / 3)


def test_an_answer_that_cites_nothing_misses_everything() -> None:
    assert citations.all_cited([], {"a"}) == citations.any_cited([], {"a"}) == citations.cited_first([], {"a"}) == citations.precision([], {"a"}) == 0


def test_a_made_up_citation_stays_in_the_denominator() -> None:
    assert citations.valid_share([1, 2, 9], {1, 2}) == pytest.approx(2 / 3)


def test_a_quote_is_verbatim_to_the_character() -> None:
    assert citations.verbatim_share([("3x faster", "3x faster")]) == 1
    assert citations.verbatim_share([("3x faster", "3x  faster"), ("a", "a"), ("b", None), ("", "")]) == 1 / 4


@pytest.mark.parametrize(
    "call", [lambda: citations.precision(["a"], set()), lambda: citations.valid_share([], {1}), lambda: citations.verbatim_share([])]
)
def test_nothing_to_measure_is_an_error_and_not_a_score(call: object) -> None:
    with pytest.raises(ValueError, match=r"no paper is gold|nothing is (cited|quoted)"):
        call()  # type: ignore[operator]


# ------------------------------------------------------------------------------------------------------------------- facts


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("$1.67 \\times$", "an improvement of $1.67 \\times$ [2] over"),
        ("1.67×", "an improvement of $1.67 \\times$ over"),
        ("30%", "reduce time by approximately 30\\% [1][2]."),
        ("Fragmented at  training", "FTCT (Fragmented at\nTraining, Chained at Testing)"),
        ("expressivity", "leads to reduced expres- sivity"),
        ("single-quantizer", "a single‑quantizer codec"),
        ("fi", "the ﬁnal"),
        ("Neyman-orthogonal", "that is *Neyman-orthogonal*"),
        ("\\min (k, d_{avg})", "to $\\tilde{O}(n\\cdot \\min (k, d_{avg}))$, where"),
        ("O(log T)", "only uses $O\\left(\\log T\\right)$ bits"),
        ("$\\approx 16$", "between ≈ 16 and ≈ 25"),
        ("GFlowNet", "GFlowNets are used"),
        ("SSM", "two SSMs"),
        ("values in", "values in [2, 3] are kept"),
    ],
)
def test_an_alias_is_found_in_any_dress(alias: str, text: str) -> None:
    assert facts.stands_in(alias, text)


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("4x", "a 64x speed-up"),
        ("1.6", "by 1.67"),
        ("67", "by 1.67"),
        ("125", "more than 125,000 models"),
        ("20", "in 2020"),
        ("RAPID", "it rapidly converges"),
        ("PC", "the PCA of it"),
        ("rank", "a crank"),
        ("80%", "a rate of 8 % and 0%"),
        ("increase", "it does not de- crease"),
    ],
)
def test_an_alias_is_not_found_inside_another_word_or_number(alias: str, text: str) -> None:
    assert not facts.stands_in(alias, text)


def test_every_group_must_be_met_by_one_of_its_aliases() -> None:
    groups = [["GIES"], ["DCDI", "differentiable"], ["PC"]]
    assert facts.groups_met("GIES and a differentiable method [1].", groups) == [True, True, False]
    assert facts.all_facts("GIES and a differentiable method [1].", groups) == 0
    assert facts.fact_share("GIES and a differentiable method [1].", groups) == pytest.approx(2 / 3)
    assert facts.all_facts("GIES, DCDI, PC", groups) == facts.fact_share("GIES, DCDI, PC", groups) == 1


@given(st.text(st.characters(categories=("L", "N", "P", "Z")), max_size=60))
def test_a_text_is_folded_to_single_blanks_and_no_marks(text: str) -> None:
    folded = facts.fold(text)
    assert folded == " ".join(folded.split())
    assert not set("*`{}\\") & set(folded)


# -------------------------------------------------------------------------------------------------- abstention and length


def test_decisions() -> None:
    assert abstention.refusal(True) == 1
    assert abstention.refusal(False) == 0
    table = {(True, False): 1, (True, True): 0, (False, True): 1, (False, False): 0}
    for (answerable, abstained), right in table.items():
        assert abstention.right_decision(answerable=answerable, abstained=abstained) == right


def test_words_are_what_stands_between_white_space() -> None:
    assert length.words("  state-of-the-art: 1.67 ×\nfaster ") == 4
    assert length.words("") == 0


# ------------------------------------------------------------------------------------------------------------------- stats


def test_wilson_worked_by_hand() -> None:
    z2 = stats.Z95**2
    # for p = 0 the interval is (0, z²/(n+z²)), for p = 1 its mirror image
    assert stats.wilson(0, 20) == pytest.approx((0, z2 / (20 + z2)))
    assert stats.wilson(20, 20) == pytest.approx((20 / (20 + z2), 1))
    # n = 10, p = 0.9: (0.9 + 0.19207 ± 1.95996 sqrt(0.009 + 0.0096036)) / 1.38415
    assert stats.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_proportion_and_stays_in_the_unit_interval(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = stats.wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1


def test_wilson_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 successes of 0"):
        stats.wilson(0, 0)


def test_percentiles_worked_by_hand() -> None:
    assert stats.percentile([40, 10, 30, 20], 50) == 25
    assert stats.percentile([10, 20, 30], 90) == pytest.approx(28)
    assert stats.percentile(range(1, 22), 95) == 20
    assert stats.percentile([7], 95) == 7


def test_an_infinite_value_is_larger_than_all() -> None:
    assert stats.percentile([1, 2, math.inf], 50) == 2
    assert stats.percentile([1, math.inf], 50) == math.inf
    assert stats.percentile([math.inf, math.inf], 75) == math.inf


def test_bootstrap_intervals_of_known_spread() -> None:
    # the mean of 400 draws of a fair coin: 0.5 ± 1.96 * 0.5 / 20; a constant has no spread
    values = np.array([[0.0, 0.25], [1.0, 0.25]] * 200)
    found = stats.bootstrap(values)
    assert found.shape == (2, 2)
    assert found[0] == pytest.approx([0.5 - 0.049, 0.5 + 0.049], abs=0.004)
    assert found[1] == pytest.approx([0.25, 0.25])


def test_columns_of_a_bootstrap_see_the_same_draws() -> None:
    first = np.random.default_rng(1).random(80)
    found = stats.bootstrap(np.stack([first, 1 - first, first + 2], axis=1))
    assert found[1] == pytest.approx(1 - found[0][::-1])
    assert found[2] == pytest.approx(found[0] + 2)


def test_a_bootstrap_is_the_same_each_time_and_another_with_another_seed() -> None:
    values = np.random.default_rng(2).random((50, 1))
    assert stats.bootstrap(values).tolist() == stats.bootstrap(values).tolist()
    assert stats.bootstrap(values).tolist() != stats.bootstrap(values, seed=1).tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_bootstrap_interval_lies_among_the_values_around_their_mean(values: list[float]) -> None:
    ((low, high),) = stats.bootstrap(np.array(values)[:, None], resamples=500).tolist()
    tiny = 1e-9
    assert min(values) - tiny <= low <= high <= max(values) + tiny
    if len(set(values)) == 1:
        assert (low, high) == pytest.approx((values[0], values[0]))


def test_a_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    draws = np.random.default_rng(3)
    samples = draws.random((60, 200))  # 200 samples of 60 questions whose true mean is 0.5
    inside = sum(low <= 0.5 <= high for low, high in stats.bootstrap(samples, resamples=1000).tolist())
    assert 0.90 <= inside / 200 <= 0.99


def test_a_bootstrap_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no question"):
        stats.bootstrap(np.zeros((0, 3)))
