"""The fit of the check finds what was put into the data, and what it writes is what the program reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eval import fit_grounding
from eval.fit_grounding import Row
from eval.pairs import CONTRADICTED, NOT_ENOUGH, SUPPORTED, Pair
from rag_qa.embedding.static import WordVectors
from rag_qa.grounding.likelihood import FEATURES, Rarity, parse, shipped
from rag_qa.papers import Paper

RARE = Rarity({"moss": 0.5}, 2.0)


def rows() -> list[Row]:
    """Where "covered" is low there is not enough; where it is high, a low "parity" goes against it. All else is noise."""
    draw = np.random.default_rng(5)
    made = []
    for number in range(300):
        features = draw.normal(size=len(FEATURES))
        says_so = SUPPORTED if features[FEATURES.index("parity")] > 0 else CONTRADICTED
        made.append(Row(features, says_so if features[FEATURES.index("covered")] > 0 else NOT_ENOUGH, number % fit_grounding.FOLDS))
    return made


def test_each_model_finds_its_feature() -> None:
    found = fit_grounding.fit(rows(), RARE)
    about, says_so = (dict(zip((*FEATURES, "bias"), one, strict=True)) for one in (found.about, found.says_so))
    assert about["covered"] > 5 * abs(about["a name is missing"])
    assert about["parity"] == 0.0
    assert says_so["parity"] > 5 * abs(says_so["opposing"])
    assert says_so["covered"] == 0.0


def test_cross_validated_likelihoods_tell_the_labels_apart() -> None:
    made = rows()
    likely = fit_grounding.cross_validated(made, RARE)
    good = [value for value, row in zip(likely, made, strict=True) if row.label == SUPPORTED]
    bad = [value for value, row in zip(likely, made, strict=True) if row.label != SUPPORTED]
    assert min(np.median(good), 0.6) > np.median(bad)


def test_made_rows_count_less_and_are_not_judged() -> None:
    made = rows()
    wrong = [Row(row.features, CONTRADICTED, row.fold, is_made=True) for row in made if row.label == SUPPORTED]
    assert len(fit_grounding.cross_validated([*made, *wrong], RARE)) == len(made)
    plain, shaken = fit_grounding.fit(made, RARE), fit_grounding.fit([*made, *wrong], RARE)
    parity = FEATURES.index("parity")
    assert 0 < shaken.says_so[parity] < plain.says_so[parity]
    assert np.array_equal(plain.about, shaken.about)


def test_the_logistic_regression_recovers_sign_and_bias() -> None:
    draw = np.random.default_rng(6)
    x = draw.normal(size=(400, 2))
    y = (1 / (1 + np.exp(-(2 * x[:, 0] - x[:, 1] + 1))) > draw.random(400)).astype(float)
    first, second, bias = fit_grounding.logistic(x, y, np.ones(400), l2=0.1)
    assert (first, second, bias) == (pytest.approx(2, abs=0.6), pytest.approx(-1, abs=0.5), pytest.approx(1, abs=0.5))


def test_pairs_that_share_an_abstract_or_a_sentence_are_in_one_fold() -> None:
    def pair(abstract: str, sentence: str) -> Pair:
        return Pair("a", "train", Paper("p", abstract), sentence, SUPPORTED)

    chain = [pair("one", "a"), pair("one", "b"), pair("two", "b"), pair("two", "c")]
    others = [pair(f"abstract {n}", f"sentence {n}") for n in range(40)]
    folds = fit_grounding._folds([*chain, *others])
    assert len(set(folds[:4])) == 1
    assert len(set(folds[4:])) > 5


def test_rarity_is_by_how_many_abstracts_have_a_word() -> None:
    found = fit_grounding.rarity(["Moss is wet moss.", "Moss is dry.", "Grass is wet.", "Moss and the sea."])
    assert found.of("moss") < found.of("wet") < found.of("sea") < found.rarest
    assert "is" not in found.known


def test_a_supported_pair_also_stands_there_turned_round(word_vectors: WordVectors) -> None:
    abstract = "Moss reduces the loss of water in meadows."
    told = [Pair("a", "train", Paper("p", abstract), "Moss reduces the loss of water.", label) for label in (SUPPORTED, NOT_ENOUGH)]
    made = fit_grounding.rows(told, RARE, word_vectors.of)
    assert [(row.label, row.is_made) for row in made] == [(SUPPORTED, False), (NOT_ENOUGH, False), (CONTRADICTED, True), (CONTRADICTED, True)]
    assert made[2].features[FEATURES.index("direction turned")] == 1.0


def test_what_is_written_is_what_is_read() -> None:
    found = fit_grounding.fit(rows(), RARE, origin="a test")
    read = parse(json.loads(fit_grounding.to_json(found)))
    assert np.allclose(read.about, found.about, atol=1e-4)
    assert np.allclose(read.says_so, found.says_so, atol=1e-4)
    assert (read.origin, read.emphasis, read.rarity) == ("a test", found.emphasis, RARE)


def test_without_the_data_it_says_so_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "weights.json"
    assert fit_grounding.main(pairs=tmp_path / "none.jsonl", abstracts=tmp_path / "none.jsonl", to=to) == fit_grounding.FITTED
    assert "SKIPPED" in capsys.readouterr().out
    assert not to.exists()


@pytest.mark.benchmark
def test_the_shipped_weights_are_those_that_it_makes(shared_data: Path) -> None:
    weights, found = fit_grounding.run()
    again = parse(json.loads(weights))
    assert np.allclose(again.about, shipped().about, atol=1e-3)
    assert np.allclose(again.says_so, shipped().says_so, atol=1e-3)
    assert found.all > 0.83
