"""What tells whether a question is answered: what is measured, not how it is weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa.answering import reread, signals
from rag_qa.answering.confidence import assess, confidence
from rag_qa.answering.evidence import FEATURES as OF_SENTENCE
from rag_qa.answering.evidence import Corpus, Matcher, candidates
from rag_qa.answering.question import analyse
from rag_qa.answering.signals import FEATURES, SPEAK_AGAINST, SPEAK_FOR, Case
from rag_qa.answering.weights import shipped
from rag_qa.comprehension import Comprehended
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

ABSTRACT = (
    "Tides are hard to foresee. We propose TIDE-7, which foresees tides with a recurrent network. "
    "It is trained on 32 rivers and reduces cost by 30%. It is compared with the RIPPLE model in a study with 16 participants."
)
READ = Comprehended(about=2.0, says=1.0, sentences=np.array([0.0, 3.0, 0.0, 0.0]))
KNOWN = {"tide": 3, "cost": 5, "river": 9, "salt": 2}


def alone(words: Sequence[str]) -> Vectors:
    """Every word has a direction of its own, or nearly so: none is like another."""
    draws = [np.random.default_rng(list(word.encode())).normal(size=64) for word in words]
    return np.stack([draw / np.linalg.norm(draw) for draw in draws]).astype(np.float32) if draws else np.zeros((0, 64), np.float32)


def case(question: str, *, hits: Sequence[Hit] = ()) -> Case:
    """A question and the paper on tides, whose sentences are all as close to it; the second one would answer."""
    paper, asked, corpus = Paper("p1", ABSTRACT), analyse(question), Corpus(10, lambda term: KNOWN.get(term, 0))
    matcher = Matcher(asked, corpus, alone)
    vectors = np.ones((4, 1), np.float32)
    every = candidates(asked, np.ones((2, 1), np.float32), paper, vectors, matcher, READ, np.zeros(len(OF_SENTENCE)))
    return Case(asked, hits or [Hit(paper, (), 0.8, 1)], every, every[1:2], vectors[:, 0], READ, [], matcher, corpus, alone)


def measured(question: str, *, hits: Sequence[Hit] = ()) -> dict[str, float]:
    """The features of a question by name."""
    made = case(question, hits=hits)
    return dict(zip(FEATURES, signals.features(made, signals.met(made)).tolist(), strict=True))


def test_every_feature_is_a_number() -> None:
    for question in ("What is TIDE-7?", "tides", "How many rivers?", "Which model is it compared with?", "Why?"):
        assert np.isfinite(list(measured(question).values())).all()


def test_a_question_whose_words_all_stand_there_lacks_nothing() -> None:
    found = measured("How does the recurrent network foresee tides?")
    assert found["rest"] == found["soft"] == found["rest_sentence"] == 1.0
    assert found["missing"] == found["missing_words"] == found["gap_known"] == found["gap_unknown"] == 0.0


def test_what_other_papers_speak_of_and_what_none_does_are_told_apart() -> None:
    salt, pepper = measured("How does salt change tides?"), measured("How does pepper change tides?")
    assert (salt["missing_known"], pepper["missing_known"]) == (1.0, 0.0)
    assert salt["gap_known"] > 0.0
    assert pepper["gap_unknown"] > salt["gap_unknown"]


@pytest.mark.parametrize(
    ("question", "counted", "unit"),
    [
        ("How many rivers is it trained on?", 1.0, 0.0),
        ("How many lakes is it trained on?", 0.0, 0.0),
        ("By what percentage does it reduce cost?", 1.0, 0.0),
        ("How many participants took part in the study?", 1.0, 0.0),
        ("What is the largest number of rivers?", 1.0, 0.0),
        ("How many of the 16, 30 and 32 lakes?", 0.0, 1.0),
    ],
)
def test_a_number_must_count_what_is_asked_for(question: str, counted: float, unit: float) -> None:
    found = measured(question)
    assert (found["number_counted"], found["wrong_unit"]) == (counted, unit)


def test_where_no_number_is_asked_for_none_matters() -> None:
    found = measured("What is TIDE-7?")
    assert {found[name] for name in FEATURES if name.startswith("number_")} == {0.5}
    assert found["no_number"] == found["wrong_unit"] == 0.0


def test_a_name_must_be_new_and_of_the_kind_that_is_asked_for() -> None:
    there, not_there = measured("Which model is it compared with?"), measured("Which optimizer is it compared with?")
    assert (there["name_far"], not_there["name_far"]) == (0.0, 1.0)
    assert there["name_typed"] > not_there["name_typed"]


def test_more_must_be_said_of_the_thing_than_the_question_does() -> None:
    assert measured("Which network does it use to foresee tides?")["head_told"] == 1.0  # a recurrent one
    assert measured("Which recurrent network does it use to foresee tides?")["head_told"] == 0.0
    assert measured("Which pump does it use to foresee tides?")["head_rest"] == 0.0


def test_a_ranking_is_seen_as_far_as_it_goes() -> None:
    paper, other = Paper("p1", ABSTRACT), Paper("p2", "Salt is salty.")
    first = Hit(paper, (), 0.8, 1, {"keyword": 1, "dense": 2}, {"keyword": 15.0, "dense": 0.5, "sentence": 0.6, "named": 1.0})
    second = Hit(other, (), 0.6, 2, {"dense": 1}, {"dense": 0.7})
    found = measured("What is TIDE-7?", hits=[first, second])
    assert found["margin"] == pytest.approx(0.2)
    assert (found["keyword_first"], found["dense_first"], found["named"]) == (1.0, 0.0, 1.0)
    rarity = Corpus(10, lambda term: KNOWN.get(term, 0)).rarity("tide-7")
    assert found["keyword_margin"] == pytest.approx(15.0 / rarity)
    assert found["dense_margin"] == pytest.approx(-0.2)
    assert measured("What is TIDE-7?")["margin"] == pytest.approx(0.8)  # alone


def test_the_meaning_of_what_is_lacking_is_that_of_the_words_that_are_not_there() -> None:
    made = case("recurrent learning rate")
    assert np.allclose(signals.lacking(made, signals.met(made)), alone(["learning", "rate"]).sum(axis=0) / np.sqrt(3), atol=1e-6)
    assert not signals.lacking(case("recurrent tides"), signals.met(case("recurrent tides"))).any()


def test_words_that_say_what_form_an_answer_has_are_not_looked_for() -> None:
    assert measured("What are the parts of TIDE-7?")["missing"] == measured("What is the largest number of rivers?")["missing"] == 0.0
    assert measured("Which pumps break into parts?")["missing"] > 0.0


def test_what_speaks_for_an_answer_does_not_speak_against_it() -> None:
    assert not SPEAK_FOR & SPEAK_AGAINST
    assert set(FEATURES) >= SPEAK_FOR | SPEAK_AGAINST
    assert len(FEATURES) == len(set(FEATURES))


def test_no_weight_makes_up_for_a_thing_that_is_asked_for_and_not_there() -> None:
    sure = shipped(OF_SENTENCE, FEATURES, reread.FEATURES).confidence
    found = assess(case("What learning rate trains TIDE-7?"), sure)
    undiminished = confidence(found.features, found.lacking, sure)
    assert found.unmet == "a learning rate"
    assert found.confidence == pytest.approx(undiminished / 2, abs=1e-6)
    met = assess(case("How many rivers is TIDE-7 trained on?"), sure)
    assert met.unmet is None
    assert met.confidence == pytest.approx(confidence(met.features, met.lacking, sure), abs=1e-6)


def test_circumstances_of_a_need_demand_nothing() -> None:
    full = "My one GPU is always full, and the tide comes. How could I foresee it?"
    assert signals.met(case(full)).unmet is None
    assert signals.met(case("I would foresee tides, if I can. On which GPU does it run?")).unmet == "the kind of GPU"
