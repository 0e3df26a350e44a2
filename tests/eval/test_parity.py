"""The retrieval figures agree with those of another harness, ir-measures, which asks trec_eval."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from eval.ranking_figures import MEASURES, measure
from eval.rankings import PLAIN
from eval.retrieval import PRODUCT, RANKINGS, Asked, Found
from tests.eval.making import judged

THEIRS = {"nDCG@10": nDCG @ 10, "recall@10": R @ 10, "recall@50": R @ 50, "recall@100": R @ 100, "MRR@10": RR @ 10, "success@1": Success @ 1}

_PAPERS = [f"p{number}" for number in range(120)]
_SCORES = st.dictionaries(st.sampled_from(_PAPERS), st.integers(0, 9), max_size=120)
"""Few scores for many papers: most of them are ties."""
_GRADES = st.dictionaries(st.sampled_from(_PAPERS), st.integers(1, 3), min_size=1, max_size=30)
_RUNS = st.lists(st.tuples(_SCORES, _GRADES), min_size=1, max_size=8)

Runs = list[tuple[dict[str, int], dict[str, int]]]


def _ranked(scores: dict[str, int], *, is_trec_eval: bool = True) -> tuple[str, ...]:
    """By score from the highest down; ties by id, for trec_eval from the highest down, for MS MARCO's script (reciprocal rank) from the lowest up."""
    papers = sorted(scores, reverse=is_trec_eval)
    return tuple(sorted(papers, key=lambda paper: -scores[paper]))


def _theirs(runs: Runs) -> dict[str, float]:
    qrels = {str(number): grades for number, (_, grades) in enumerate(runs)}
    scored = {str(number): {paper: float(score) for paper, score in scores.items()} for number, (scores, _) in enumerate(runs)}
    found = ir_measures.calc_aggregate(list(THEIRS.values()), qrels, scored)
    return {name: float(found[measure]) for name, measure in THEIRS.items()}


def _ours(runs: Runs, *, is_trec_eval: bool) -> dict[str, float]:
    found = [Found(_ranked(scores, is_trec_eval=is_trec_eval)) for scores, _ in runs]
    asked = [Asked(judged(str(n)), dict(grades), dict.fromkeys(RANKINGS, found[n])) for n, (_, grades) in enumerate(runs)]
    return {figure.metric: figure.value or 0.0 for figure in measure(asked, resamples=1).figures if figure.scope == PRODUCT}


def test_every_figure_is_compared() -> None:
    assert THEIRS.keys() == {one.name for one in MEASURES}


@given(_RUNS)
def test_means_over_questions_agree_with_ir_measures(runs: Runs) -> None:
    ours = _ours(runs, is_trec_eval=True) | {"MRR@10": _ours(runs, is_trec_eval=False)["MRR@10"]}
    assert ours == pytest.approx(_theirs(runs), abs=1e-6)


def test_a_question_that_failed_counts_as_one_that_the_run_lacks() -> None:
    good, failed = ({"p1": 2, "p2": 1}, {"p2": 1}), ({"p1": 1}, {"p1": 1})
    qrels = {"0": good[1], "1": failed[1]}
    theirs = ir_measures.calc_aggregate(list(THEIRS.values()), qrels, {"0": {"p1": 2.0, "p2": 1.0}})
    found = [Found(_ranked(good[0])), Found(error="it broke")]
    asked = [Asked(judged(str(n)), dict(run[1]), dict.fromkeys(RANKINGS, found[n])) for n, run in enumerate((good, failed))]
    figures = [figure for figure in measure(asked).figures if figure.scope in PLAIN]
    assert len(figures) == len(PLAIN) * len(THEIRS)
    for figure in figures:
        assert figure.value == pytest.approx(theirs[THEIRS[figure.metric]], abs=1e-6)
        assert (figure.n_scored, figure.n_eligible, figure.n_error) == (1, 2, 1)
