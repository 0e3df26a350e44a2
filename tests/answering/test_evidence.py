"""Which sentences speak to a question: what is measured, not how it is weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_qa import text
from rag_qa.answering.evidence import FEATURES, Corpus, Matcher, anchors, candidates, is_anchored, is_beside_the_point, leans, sentence_terms
from rag_qa.answering.question import analyse
from rag_qa.comprehension import Comprehended
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper

ABSTRACT = (
    "Tides are hard to foresee. We propose TIDE-7, a mixture of experts (MoE) for tides. It reduces cost by 30% on 32 rivers, since rivers are slow. "
    "The code is available at https://tide.example."
)
PAPER = Paper("p1", ABSTRACT)


def spelling(words: Sequence[str]) -> Vectors:
    """Words that begin alike are close."""
    vectors = np.zeros((len(words), 27), np.float32)
    for row, word in zip(vectors, words, strict=True):
        row[ord(word[0]) - ord("a") if word[:1].isascii() and word[:1].isalpha() else 26] = 1.0
    return vectors


CORPUS = Corpus(10, lambda term: {"tide": 1, "cost": 5, "river": 10}.get(term, 0))


def matcher_for(question: str) -> Matcher:
    """The matcher of a question over a small corpus."""
    return Matcher(analyse(question), CORPUS, spelling)


def test_rarity_falls_with_the_number_of_papers_and_is_never_negative() -> None:
    unknown, rare, common, everywhere = (CORPUS.rarity(word) for word in ("unknown", "tides", "costs", "rivers"))
    assert unknown > rare > common > everywhere >= 0


def test_a_compound_that_is_unknown_is_as_rare_as_its_commonest_part_allows() -> None:
    assert CORPUS.rarity("tide-river") <= CORPUS.rarity("unknown")


def test_sentences_keep_their_place_and_their_numbers() -> None:
    sentences = sentence_terms(ABSTRACT)
    assert [ABSTRACT[s.span.start : s.span.end].split()[0] for s in sentences] == ["Tides", "We", "It", "The"]
    assert sentences[2].numbers >= {"30", "32"}
    assert sentences[0].numbers == frozenset()
    assert all(s.folded == text.fold(ABSTRACT[s.span.start : s.span.end]).text for s in sentences)


def test_a_short_form_and_what_it_stands_for_are_one() -> None:
    first, second = sentence_terms("We study a mixture of experts (MoE). MoE layers are fast.")
    assert {text.stem("moe"), text.stem("experts")} <= first.terms
    assert {text.stem("moe"), text.stem("mixture"), text.stem("experts")} <= second.terms


def test_words_are_met_exactly_or_nearly() -> None:
    matcher = matcher_for("river costs zebra")
    sentence = sentence_terms(ABSTRACT)[2]
    assert list(matcher.exact(sentence.terms)) == [1.0, 1.0, 0.0]
    (soft,) = matcher.soft([sentence])
    assert list(soft[:2]) == [1.0, 1.0]
    assert 0.0 <= soft[2] <= 0.8
    assert matcher.weighted(np.ones(3)) == pytest.approx(1.0)
    assert matcher.weighted(np.zeros(3)) == 0.0


@pytest.mark.parametrize(
    ("question", "sentence", "met"),
    [
        ("gauge sets", "We release two gaugesets.", [1.0, 1.0]),
        ("gaugesets", "We release two gauge sets.", [1.0]),
        ("sets for gauge makers", "We release two gaugesets.", [0.0, 0.0, 0.0]),
        ("gaugesets", "We release a gauge.", [0.0]),
    ],
)
def test_a_word_that_is_written_as_two_is_the_same(question: str, sentence: str, met: list[float]) -> None:
    (terms,) = sentence_terms(sentence)
    assert list(matcher_for(question).exact(terms.terms)) == met


def test_a_question_without_words_meets_nothing() -> None:
    matcher = matcher_for("what is it?")
    assert matcher.weighted(matcher.exact(frozenset({"tide"}))) == 0.0


def test_a_question_that_names_the_method_is_anchored_in_its_paper() -> None:
    assert is_anchored(analyse("How fast is TIDE-7?"), PAPER, matcher_for("How fast is TIDE-7?"))
    assert list(anchors(analyse("cost of TIDE-7"), PAPER, matcher_for("cost of TIDE-7"))) == [False, True]
    eddy = Paper("p2", "We propose EDDY, a model of rivers. EDDY is fast.")
    assert is_anchored(analyse("users of EDDYs map"), eddy, matcher_for("users of EDDYs map"))
    assert not is_anchored(analyse("How fast is MOSS-2?"), PAPER, matcher_for("How fast is MOSS-2?"))
    assert not is_anchored(analyse("cheap forecasts"), PAPER, matcher_for("cheap forecasts"))


def equally(count: int) -> Comprehended:
    """Reading tells nothing."""
    return Comprehended(0.0, 0.0, np.zeros(count))


def scored(question: str) -> list[dict[str, float]]:
    """The features of each sentence of the paper, by name."""
    asked, dimensions = analyse(question), 3
    count = len(sentence_terms(ABSTRACT))
    vectors = np.eye(count, dimensions, dtype=np.float32)
    found = candidates(asked, np.stack([vectors[0], vectors[0]]), PAPER, vectors, matcher_for(question), equally(count), np.ones(len(FEATURES)))
    assert [candidate.index for candidate in found] == list(range(count))
    for candidate in found:
        assert ABSTRACT[candidate.sentence.span.start : candidate.sentence.span.end] == candidate.quote
        assert np.isfinite(candidate.features).all()
        assert candidate.score == pytest.approx(float(candidate.features.sum()))
    return [dict(zip(FEATURES, candidate.features, strict=True)) for candidate in found]


def test_more_words_of_the_question_are_more_evidence() -> None:
    features = scored("By how much does it reduce cost on rivers?")
    assert features[2]["exact"] == max(one["exact"] for one in features) > features[0]["exact"]


def test_a_question_for_a_number_wants_one() -> None:
    features = scored("How much cost does it save?")
    assert features[2]["number_wanted"] == 1.0
    assert features[0]["number_wanted"] == 0.0


@pytest.mark.parametrize("sentence", ["It reduces cost.", "This is new.", "To this end, we go on.", "However, it fails."])
def test_a_sentence_that_points_back(sentence: str) -> None:
    assert leans(text.fold(sentence).text)
    assert not leans(text.fold("TIDE reduces cost.").text)


@pytest.mark.parametrize(
    "sentence",
    [
        "We searched MEDLINE and Embase up to May 2016.",
        "A systematic search was conducted in two databases.",
        "The review followed the PRISMA statement.",
        "PROSPERO registration number: CRD42015017327.",
        "Keywords: tides, rivers",
    ],
)
def test_how_a_review_was_done_matters_only_to_who_asks(sentence: str) -> None:
    folded = text.fold(sentence).text
    assert is_beside_the_point(analyse("Do rivers lower the tide?"), folded)
    assert not is_beside_the_point(analyse("Which databases were searched, and by which protocol or keywords?"), folded)
    assert not is_beside_the_point(analyse("Do rivers lower the tide?"), "we search for tides in rivers.")


def test_where_the_code_is_matters_only_to_who_asks() -> None:
    sentence = text.fold("The code is available at https://tide.example.").text
    assert is_beside_the_point(analyse("How fast is TIDE-7?"), sentence)
    assert not is_beside_the_point(analyse("Where is the code of TIDE-7?"), sentence)
    assert not is_beside_the_point(analyse("How fast is TIDE-7?"), "it reduces cost.")


@pytest.mark.parametrize("question", ["What is TIDE-7?", "what's TIDE-7 in the forecasting of rivers?", "Could you define TIDE-7 for me?"])
def test_the_sentence_that_says_what_a_thing_is_is_known_whatever_circumstances_are_named(question: str) -> None:
    features = scored(question)
    assert [one["defines_subject"] for one in features] == [0.0, 1.0, 0.0, 0.0]


def test_words_that_stand_together_are_more_evidence_than_words_that_are_scattered() -> None:
    near, apart = "Slow rivers flood. ", "Slow bays, cold winds, high tides, warm lakes, old boats and rivers flood."
    matcher = matcher_for("slow rivers")
    paper = Paper("p2", near + apart)
    vectors = np.eye(2, 3, dtype=np.float32)
    asked = np.stack([vectors[0], vectors[0]])
    together, scattered = candidates(analyse("slow rivers"), asked, paper, vectors, matcher, equally(2), np.ones(len(FEATURES)))
    place = FEATURES.index("window")
    assert together.features[place] > scattered.features[place]
