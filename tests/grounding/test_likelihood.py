"""How likely an abstract bears a sentence out: its features by hand, its weights from their file."""

from __future__ import annotations

import numpy as np
import pytest

from rag_qa.claims import View, claim, view
from rag_qa.embedding.static import WordVectors
from rag_qa.grounding import GroundingCheck
from rag_qa.grounding.likelihood import FEATURES, Rarity, Weights, combine, features, likelihood, parse, shipped
from rag_qa.papers import Paper

ABSTRACT = "Moss keeps the soil wet. We measured 14 meadows with TIDE-7 over six years. Meadows with moss lost 23% less water than meadows without."
PLAIN = Rarity({}, 1.0)
"""All words tell as much."""


def held(sentence: str, abstract: str = ABSTRACT, vectors: WordVectors | None = None) -> View:
    """A sentence held against an abstract."""
    seen = view(claim(sentence), Paper("p1", abstract), vectors.of if vectors else None)
    assert seen is not None
    return seen


def feature(name: str, sentence: str, rarity: Rarity = PLAIN) -> float:
    """One feature of a sentence, without word vectors."""
    return float(features(held(sentence), rarity)[FEATURES.index(name)])


def test_covered_is_the_share_of_the_words_that_are_there() -> None:
    assert feature("covered", "Moss keeps the soil wet.") == 1.0
    assert feature("covered", "Moss keeps the soil frozen.") == pytest.approx(3 / 4)  # "keeps" counts as much as "moss" here
    assert feature("covered", "Whales sing.") == 0.0


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rarity = Rarity({"moss": 0.5, "keep": 0.5, "soil": 0.5}, 2.0)
    assert feature("covered", "Moss keeps the soil frozen.", rarity) == pytest.approx(1.5 / 3.5)


def test_two_sentences_that_follow_each_other_cover_together() -> None:
    assert feature("covered by two", "Moss, wet soil and 14 meadows.") == 1.0
    assert feature("covered by two", "Soil lost water.") < feature("covered", "Soil lost water.") == 1.0  # the first and the last


def test_a_name_that_is_not_there_is_missing() -> None:
    assert feature("a name is missing", "TIDE-7 measured meadows.") == 0.0
    assert feature("a name is missing", "MOSS-9 measured meadows.") == 1.0


def test_a_direction_that_is_turned_shows() -> None:
    assert feature("direction turned", "Meadows with moss lost more water.") == 1.0
    assert feature("direction turned", "Meadows with moss lost less water.") == 0.0


def weights(about: dict[str, float], says_so: dict[str, float], emphasis: float = 1.0) -> Weights:
    """Weights by name, as from a file."""
    rarity = {"rarest": 1.0, "stems": {"moss": 0.5}}
    return parse({"origin": "a test", "about": about, "says so": says_so, "emphasis": emphasis, "rarity": rarity})


def test_the_likelihood_is_that_it_speaks_to_it_times_that_it_says_so() -> None:
    nothing = np.zeros(len(FEATURES))
    assert combine(nothing, weights({}, {})) == pytest.approx(0.25)
    assert combine(nothing, weights({"bias": 50.0}, {})) == pytest.approx(0.5)
    assert combine(nothing, weights({"bias": 50.0}, {}, emphasis=2.0)) == pytest.approx(0.25)
    one = np.eye(len(FEATURES))[FEATURES.index("covered")]
    assert combine(one, weights({"covered": 1.0, "bias": -1.0}, {"bias": 50.0})) == pytest.approx(0.5)


def test_weights_of_an_unknown_feature_are_refused() -> None:
    with pytest.raises(KeyError, match="length of the nose"):
        weights({"length of the nose": 1.0}, {})


def test_the_shipped_weights_say_where_they_come_from_and_know_which_way_is_up() -> None:
    found = shipped()
    assert "eval.fit_grounding" in found.origin
    about, says_so = (dict(zip((*FEATURES, "bias"), one, strict=True)) for one in (found.about, found.says_so))
    assert about["covered"] > 0 > about["a name is missing"]
    assert says_so["parity"] > 0 > says_so["opposing"]
    assert found.rarity.of("model") < found.rarity.of("moss") == found.rarity.rarest


def test_a_sentence_of_the_abstract_is_likelier_than_its_reverse_and_than_another_subject(word_vectors: WordVectors) -> None:
    true, turned, other = (
        likelihood(held(sentence, vectors=word_vectors), shipped())
        for sentence in ("Moss reduced the loss of water.", "Moss increased the loss of water.", "Whales sing to each other at night.")
    )
    assert true > turned > other
    assert true > 0.5 > other


def test_other_weights_make_another_check(word_vectors: WordVectors) -> None:
    paper = Paper("p1", ABSTRACT)
    sentence = "The soil stays moist, and 14 meadows were looked at."
    assert GroundingCheck(word_vectors.of).score(sentence, paper) != GroundingCheck(word_vectors.of, weights=weights({}, {})).score(sentence, paper)
    assert GroundingCheck(word_vectors.of, weights=weights({}, {})).score(sentence, paper) == pytest.approx(0.25)
