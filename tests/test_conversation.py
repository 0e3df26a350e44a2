"""Follow-ups over the shipped abstracts: what the search has to say where the words do not tell."""

from __future__ import annotations

import pytest

from rag_qa.answering.answer import Answer, Sentence, Step
from rag_qa.engine import MOST_WORDS_LONGER, Engine


@pytest.mark.parametrize(
    ("earlier", "question", "understood"),
    [
        ("What is NetMoE?", "how is the communication made cheaper?", "NetMoE: how is the communication made cheaper?"),
        ("What is Transformer-NFN?", "How many checkpoints were published?", "Transformer-NFN: How many checkpoints were published?"),
        # nearly the first one will do
        ("What is GenSE?", "which tokens are generated first?", "GenSE: which tokens are generated first?"),
        # leads elsewhere, or says enough
        ("What is SeedLM?", "How many checkpoints were published?", "How many checkpoints were published?"),
        ("What is NetMoE?", "what is model merging?", "what is model merging?"),
    ],
)
def test_a_question_that_names_nothing_goes_on_with_the_paper_that_it_leads_to(
    seed_engine: Engine, earlier: str, question: str, understood: str
) -> None:
    assert seed_engine.ask(question, history=[earlier]).understood_as == understood


def test_it_goes_on_with_a_turn_that_was_refused(seed_engine: Engine) -> None:
    refused = "What learning rate does NetMoE use?"
    assert seed_engine.ask(refused).abstained
    assert seed_engine.ask("how is the communication made cheaper?", history=[refused]).understood_as.startswith("NetMoE")


def test_a_return_to_the_first_question(seed_engine: Engine) -> None:
    history = ["What is NetMoE?", "What is SeedLM?", "which bits per weight were tested?"]
    assert seed_engine.ask("back to the first one: why does it work?", history=history).understood_as == "why does NetMoE work?"


UNNAMED = "“Red-teaming, or identifying prompts that elicit harmful responses, is”"


def test_a_paper_without_a_name_is_told_of_by_its_first_words(seed_engine: Engine) -> None:
    told = seed_engine.ask(f"tell me more about {UNNAMED}")
    assert told.abstained is None
    assert {source.paper.label.rstrip("…") for source in told.sources} == {UNNAMED.strip("“”")}


def test_a_question_about_a_paper_without_a_name_is_answered_from_it_alone(seed_engine: Engine) -> None:
    answer = seed_engine.ask(f"What does {UNNAMED} propose?")
    assert {source.paper.label.rstrip("…") for source in answer.sources} == {UNNAMED.strip("“”")}
    assert answer.understood_as == f"What does {UNNAMED} propose?"


def test_without_a_model_an_answer_is_not_put_in_other_words_but_told_again(seed_engine: Engine) -> None:
    first = seed_engine.ask("What is SeedLM?")
    again = seed_engine.ask("could you say that more simply?", history=["What is SeedLM?"])
    assert again.sentences == first.sentences
    assert "without a chat model" in again.preface
    shorter = seed_engine.ask("shorter please", history=["What is SeedLM?"])
    assert shorter.sentences == first.sentences[:1]


def test_doubt_is_answered_with_how_sure_it_is_and_the_same_sentences(seed_engine: Engine) -> None:
    first = seed_engine.ask("What is SeedLM?")
    sure = seed_engine.ask("Are you sure about that?", history=["What is SeedLM?"])
    assert f"{100 * first.confidence:.0f} %" in sure.preface
    assert sure.sentences == first.sentences
    source = seed_engine.ask("how do you know?", history=["What is SeedLM?", "Are you sure about that?"])
    assert (source.sentences, source.sources) == (first.sentences, first.sources)
    # and the conversation goes on as if nothing had been said
    assert seed_engine.ask("is it fast?", history=["What is SeedLM?", "really?"]).understood_as == "is SeedLM fast?"


def test_a_refusal_in_doubt_stays_one(seed_engine: Engine) -> None:
    answer = seed_engine.ask("Are you sure?", history=["How heavy is the moon rover?"])
    assert answer.abstained
    assert "sure" not in answer.abstained
    assert (answer.sentences, answer.preface) == ((), "")


def test_a_stream_of_doubt_ends_with_what_ask_gives(seed_engine: Engine) -> None:
    *before, last = seed_engine.stream("really?", history=["What is SeedLM?"])
    assert isinstance(last, Answer)
    assert [event for event in before if isinstance(event, Sentence)] == list(last.sentences)
    assert [event.preface for event in before if isinstance(event, Step)][-1] == last.preface


NO_MORE = "These abstracts say no more on it than was answered before."


@pytest.mark.parametrize(
    ("history", "question"),
    [
        (["What is NetMoE?"], "why?"),
        (["What is NetMoE?", "why?"], "why?"),
        (["How does NetMoE work?", "why?"], "why?"),
        (["What is NetMoE?", "tell me more"], "tell me more"),
        (["What is NetMoE?", "tell me more"], "anything else?"),
        (["Which paper introduces NetMoE?"], "why?"),
    ],
)
def test_what_was_answered_is_not_repeated_word_for_word(history: list[str], question: str, seed_engine: Engine) -> None:
    answer = seed_engine.ask(question, history=history)
    assert answer.abstained == NO_MORE
    assert (answer.sentences, answer.sources) == ((), ())
    assert [source.paper.label for source in answer.related][:1] == ["NetMoE"]
    assert {source.n for source in answer.related} == {None}


@pytest.mark.parametrize(
    ("history", "question"),
    [
        (["What is NetMoE?"], "What is NetMoE?"),
        (["What is NetMoE?"], "tell me more"),
        (["How does NetMoE work?"], "why?"),
        (["What is NetMoE?"], "in simpler words?"),
    ],
)
def test_what_brings_something_new_or_is_asked_for_again_is_answered(history: list[str], question: str, seed_engine: Engine) -> None:
    answer = seed_engine.ask(question, history=history)
    assert answer.abstained is None
    assert [source.paper.label for source in answer.sources] == ["NetMoE"]


def test_a_longer_answer_is_one_for_all_that(seed_engine: Engine) -> None:
    assert seed_engine.ask("why?", history=["What is NetMoE?"], most_words=MOST_WORDS_LONGER).abstained is None


def test_the_talk_goes_on_with_what_was_not_repeated(seed_engine: Engine) -> None:
    history = ["What is NetMoE?", "why?"]
    for engine_knows in (True, False):
        if engine_knows:
            assert seed_engine.ask("why?", history=history[:1]).abstained == NO_MORE
        answer = seed_engine.ask("does it need an optimiser?", history=history if engine_knows else ["Hello", *history])
        assert answer.understood_as == "does NetMoE need an optimiser?"


@pytest.mark.parametrize(
    ("earlier", "question", "understood"),
    [
        ("What is NetMoE?", "any others?", "Which other papers are about NetMoE?"),
        ("What is NetMoE?", "similar papers?", "Which other papers are about NetMoE?"),
        ("How does SeedLM compress weights?", "any other papers?", "Which other papers are about compress weights?"),
    ],
)
def test_others_after_one_paper_are_other_papers(earlier: str, question: str, understood: str, seed_engine: Engine) -> None:
    answer = seed_engine.ask(question, history=[earlier])
    assert answer.understood_as == understood
    assert not {source.paper.id for source in answer.sources} & {source.paper.id for source in seed_engine.ask(earlier).sources}


def test_no_sentence_says_why_papers_are_listed(seed_engine: Engine) -> None:
    answer = seed_engine.ask("why?", history=["Which papers deal with differential privacy?"])
    assert (answer.abstained, answer.sentences) == (NO_MORE, ())


@pytest.mark.parametrize(
    ("first", "understood"),
    [("list all papers", "list all other papers"), ("newest papers", "list all other papers, newest first")],
)
def test_others_than_the_first_of_all_papers_are_the_next(first: str, understood: str, seed_engine: Engine) -> None:
    pages = [seed_engine.ask(first), seed_engine.ask("any others?", history=[first]), seed_engine.ask("show more", history=[first, "any others?"])]
    assert [answer.understood_as for answer in pages[1:]] == [understood, understood]
    shown = [source.paper.id for answer in pages for source in answer.sources]
    assert len(shown) == len(set(shown)) == 30
