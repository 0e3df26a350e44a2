"""Follow-ups by rules: what they take from earlier turns, and that a question that takes nothing stays as it is."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import chat
from rag_qa.chat import Turn, stand_alone
from rag_qa.conversation import Conversations, said_before
from rag_qa.papers import Paper

TIDE = Paper("p1", "Floods are hard to foresee. We propose TIDE-7, a model of tides. An extension of TIDE-7 uses ridges.", title="TIDE-7")
MOSS = Paper("p2", "We present MOSS-2, which models moss under snow. MOSS-2 needs snow data and grows moss on peat.", title="MOSS-2")
WOLF = Paper("p3", "Wolves return to valleys, and nobody has a model of them.")

ABOUT_TIDE = [Turn("What is TIDE-7?", (TIDE,))]
FAST_TIDE = [Turn("How much faster is TIDE-7 on river data?", (TIDE,))]
LISTED = [Turn("Which papers model water?", (TIDE, MOSS, WOLF))]
COMPARED = [Turn("What is the difference between TIDE-7 and MOSS-2?", (TIDE, MOSS))]
NAMELESS = [Turn("Which paper is about wolves?", (WOLF,))]
REFUSED = [Turn("What is the capital of France?")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which kind of ridge does its extension use?", "Which kind of ridge does TIDE-7's extension use?"),
        ("Is it faster than a tide table?", "Is TIDE-7 faster than a tide table?"),
        ("How does it scale?", "How does TIDE-7 scale?"),
        ("does it need river gauges", "does TIDE-7 need river gauges"),
        ("And how many gauges did they use?", "And how many gauges did TIDE-7 use?"),
        ("How is it different from MOSS-2?", "How is TIDE-7 different from MOSS-2?"),
        ("What problem does this paper solve?", "What problem does TIDE-7 solve?"),
        ("What gauges does the method use?", "What gauges does TIDE-7 use?"),
        ("What do the authors conclude?", "What do the authors of TIDE-7 conclude?"),
        ("What are its limitations?", "What are TIDE-7's limitations?"),
        ("Who wrote it?", "Who wrote TIDE-7?"),
        ("And on what rivers did they show it?", "And on what rivers did they show TIDE-7?"),
        ("What does that approach assume?", "What does TIDE-7 assume?"),
        ("Great. And does it forecast floods?", "And does TIDE-7 forecast floods?"),
    ],
)
def test_a_pronoun_becomes_the_name(question: str, expected: str) -> None:
    assert stand_alone(question, ABOUT_TIDE) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("why?", "why: What is TIDE-7?"),
        ("Why?", "Why: What is TIDE-7?"),
        ("but how?", "but how: What is TIDE-7?"),
        ("Hm, are you certain of that?", "are you sure: What is TIDE-7?"),
        ("is that correct?", "are you sure: What is TIDE-7?"),
        ("How do you know?", "where does that come from: What is TIDE-7?"),
        ("what is your source for that", "where does that come from: What is TIDE-7?"),
        ("Could you put it in plain language please?", "in plain language: What is TIDE-7?"),
        ("why not?", "why not: What is TIDE-7?"),
        ("really?", "are you sure: What is TIDE-7?"),
        ("tell me more", "tell me more about TIDE-7"),
        ("Can you elaborate?", "tell me more about TIDE-7"),
        ("go on", "tell me more about TIDE-7"),
        ("more details please", "tell me more about TIDE-7"),
        ("in one sentence?", "in one sentence: What is TIDE-7?"),
        ("Could you explain that in simpler terms?", "in simpler terms: What is TIDE-7?"),
        ("limitations?", "TIDE-7: limitations?"),
        ("Which dataset?", "TIDE-7: Which dataset?"),
        ("on how many rivers", "TIDE-7: on how many rivers"),
        ("What do the experiments show?", "TIDE-7: What do the experiments show?"),
    ],
)
def test_a_fragment_goes_on_with_the_last_question(question: str, expected: str) -> None:
    assert stand_alone(question, ABOUT_TIDE) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What about MOSS-2?", "How much faster is MOSS-2 on river data?"),
        ("and MOSS-2?", "How much faster is MOSS-2 on river data?"),
        ("how about MOSS-2", "How much faster is MOSS-2 on river data?"),
        ("And on lake data?", "How much faster is TIDE-7 on lake data?"),
        ("and on the lake data?", "How much faster is TIDE-7 on the lake data?"),
        ("what about on images?", "How much faster is TIDE-7 on images?"),
        ("compared to what?", "TIDE-7 faster river data: compared to what?"),
    ],
)
def test_the_same_is_asked_of_something_else(question: str, expected: str) -> None:
    assert stand_alone(question, FAST_TIDE) == expected


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        (LISTED, "What does the first one propose?", "What does TIDE-7 propose?"),
        (LISTED, "What does the second one propose?", "What does MOSS-2 propose?"),
        (LISTED, "Tell me more about the second", "Tell me more about MOSS-2"),
        (LISTED, "what does the third paper say?", "what does “Wolves return to valleys, and nobody has a model” say?"),
        (LISTED, "And the last one?", "tell me more about “Wolves return to valleys, and nobody has a model”"),
        (LISTED, "What is paper 2 about?", "What is MOSS-2 about?"),
        (LISTED, "Does [2] need snow?", "Does MOSS-2 need snow?"),
        (COMPARED, "How fast is the former?", "How fast is TIDE-7?"),
        (COMPARED, "How fast is the latter?", "How fast is MOSS-2?"),
        (COMPARED, "Which one is faster?", "Which of TIDE-7 and MOSS-2 is faster?"),
        (COMPARED, "Which of the two needs snow?", "Which of TIDE-7 and MOSS-2 needs snow?"),
        (COMPARED, "Are both of them fast?", "Are both of TIDE-7 and MOSS-2 fast?"),
        (COMPARED, "Do they need snow?", "Do TIDE-7 and MOSS-2 need snow?"),
        (COMPARED, "and what are their limits in winter?", "and what are TIDE-7 and MOSS-2's limits in winter?"),
        (
            [Turn("List the two rewiring strategies ComMa and FeaSt.", (TIDE,))],
            "What does the second strategy maximise?",
            "What does FeaSt maximise?",
        ),
    ],
)
def test_a_place_in_a_list(turns: list[Turn], question: str, expected: str) -> None:
    assert stand_alone(question, turns) == expected


def test_a_place_beyond_the_list_is_not_made_up() -> None:
    assert "fifth" in stand_alone("What does the fifth one propose?", LISTED)
    assert "[9]" in stand_alone("What does [9] say?", LISTED)


def test_a_list_further_back_can_still_be_pointed_at() -> None:
    turns = [*LISTED, Turn("What does TIDE-7 propose?", (TIDE,))]
    assert stand_alone("and the second one?", turns) == "What does MOSS-2 propose?"


@pytest.mark.parametrize(
    "question", ["Any others?", "are there any others?", "others?", "And any more?", "what about other papers?", "Are there other papers on this?"]
)
def test_others_are_asked_for_with_the_question_before(question: str) -> None:
    understood = stand_alone(question, LISTED)
    assert understood == "Which other papers model water?"
    assert chat.asks_for_others(understood)
    assert not chat.asks_for_others(LISTED[0].understood_as)
    again = [*LISTED, Turn(understood, (WOLF,))]
    assert stand_alone(question, again) == understood


@pytest.mark.parametrize(
    "question",
    [
        "What is rank collapse?",
        "Which papers are about rank collapse?",
        "How many demonstrations does DITTO need?",
        "Does SeedLM need calibration data or is it data-free?",
        "What are clean-label backdoor attacks and why are they stealthy?",
        "If I prune a speech model, does it still recognise speakers?",
        "When a robot hand changes, can it keep its policy?",
        "Is it possible to prune a speech model?",
        "Is it true that language models memorise?",
        "How long does it take to train a speech model?",
        "How do LLM agents and humans compare in their decisions?",
        "How do large language models represent their own uncertainty?",
        "What is the main result of the COMET paper?",
        "PEARL optimal transport solver",
        "speech enhancement language model tokens",
        "Which architecture scales better for time series, encoder-only or decoder-only?",
        "Which other poker bots play against Pluribus?",
        "What is the first paper to study rank collapse?",
        "What happens to momentum in the late stages of training?",
        "WHAT IS RANK COLLAPSE IN SEQUENCE MODELS?",
    ],
)
@pytest.mark.parametrize("turns", [ABOUT_TIDE, LISTED, COMPARED, REFUSED], ids=["one", "list", "comparison", "refused"])
def test_a_question_that_stands_alone_takes_nothing(question: str, turns: list[Turn]) -> None:
    assert stand_alone(question, turns) == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("OK, something else: which optimizer does it need?", "which optimizer does it need?"),
        ("New topic: what is rank collapse?", "what is rank collapse?"),
        ("Let's leave that. What is its use?", "What is its use?"),
        ("On another note, how often may each batch be used?", "how often may each batch be used?"),
        ("By the way, what is a coreset?", "what is a coreset?"),
    ],
)
def test_a_new_topic_takes_nothing_even_with_a_pronoun(question: str, rest: str) -> None:
    assert stand_alone(question, ABOUT_TIDE) == rest


def test_where_there_is_no_name_the_words_of_the_question_stand_in() -> None:
    assert stand_alone("By how much do they grow?", NAMELESS) == "wolves: By how much do they grow?"


def test_after_a_refusal_a_pronoun_is_that_of_the_last_answer_only_if_its_paper_has_to_do_with_it() -> None:
    turns = [*ABOUT_TIDE, *REFUSED]
    assert stand_alone("Does it model ridges?", turns) == "Does TIDE-7 model ridges?"
    assert stand_alone("Is it bigger than Madrid?", turns).startswith("capital france: ")


@pytest.mark.parametrize("question", ["What is it about?", "why?", "the second one?", "Any others?", "and on images?"])
def test_at_the_beginning_of_a_conversation_there_is_nothing_to_take(question: str) -> None:
    assert stand_alone(question, []) == question


@pytest.mark.parametrize(
    "talk", ["Hello", "hi there!", "Good morning", "thanks!", "Thank you very much", "ok", "Yes.", "no", "I see", "bye", "many thanks", "Wow!"]
)
def test_small_talk_asks_nothing(talk: str) -> None:
    assert chat.small_talk(talk)


@pytest.mark.parametrize("answer", ["yes", "Yes, please!", "no", "please do", "go ahead", "not really", "yes yes", "No thanks"])
def test_a_yes_or_no_is_told_what_can_be_asked(answer: str) -> None:
    assert "“any others?”" in (chat.small_talk(answer) or "")


@pytest.mark.parametrize(
    "question",
    [
        "Hello world models?",
        "Thanks to what does DITTO work?",
        "No-regret learning",
        "Good policies?",
        "Is it ok?",
        "why?",
        "yes, tell me more",
        "No-regret learning?",
    ],
)
def test_a_question_is_no_small_talk(question: str) -> None:
    assert chat.small_talk(question) is None


@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from("it what about the second one why and they ?.,'[2]")), max_size=60),
    st.sampled_from([[], ABOUT_TIDE, FAST_TIDE, LISTED, COMPARED, NAMELESS, REFUSED]),
)
def test_any_text_is_understood_as_something_on_one_line(question: str, turns: list[Turn]) -> None:
    understood = stand_alone(question, turns)
    assert "\n" not in understood
    assert bool(understood) == bool(question.split())


# ----------------------------------------------------------------------------------------------------------- conversation


class Library:
    """Answers by a word of the question, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, frozenset[str]]] = []

    def papers_for(self, question: str, shown: frozenset[str]) -> tuple[Paper, ...]:
        self.asked.append((question, shown))
        words = question.casefold()
        if "water" in words:
            return tuple(paper for paper in (TIDE, MOSS, WOLF) if paper.id not in shown)[:2]
        return tuple(paper for paper in (TIDE, MOSS) if (paper.title or "").casefold() in words)

    def name_of(self, word: str) -> str | None:
        return {"tide-7": "TIDE-7", "moss-2": "MOSS-2"}.get(word)


@pytest.fixture
def library() -> Library:
    """Three papers."""
    return Library()


@pytest.fixture
def conversations(library: Library) -> Conversations:
    """Conversations about them."""
    return Conversations(library.papers_for, library.name_of)


def test_a_history_alone_is_enough(conversations: Conversations, library: Library) -> None:
    understood = conversations.understand("Which ridges does its extension use?", ["What is TIDE-7?"])
    assert understood.question == "Which ridges does TIDE-7's extension use?"
    assert understood.leans
    assert library.asked == [("What is TIDE-7?", frozenset())]
    assert conversations.before(["hello", "What is TIDE-7?", "Does it need gauges?"]) == ["What is TIDE-7?", "Does TIDE-7 need gauges?"]


def test_follow_ups_of_follow_ups(conversations: Conversations) -> None:
    history = ["What is TIDE-7?", "Does it need gauges?", "why?"]
    assert conversations.understand("Who measures the water in it?", history).question == "Who measures the water in TIDE-7?"
    assert conversations.understand("why?", history[:2]).question == "why: Does TIDE-7 need gauges?"


def test_a_question_that_stands_alone_costs_nothing_however_long_the_history(conversations: Conversations, library: Library) -> None:
    understood = conversations.understand("What is rank collapse?", [f"What is TIDE-{n}?" for n in range(30)])
    assert understood.question == "What is rank collapse?"
    assert not understood.leans
    assert library.asked == []


def test_turn_twenty_costs_no_more_than_turn_two(conversations: Conversations, library: Library) -> None:
    history: list[str] = []
    costs = []
    for turn in range(30):
        question = f"What is TIDE-7 number {turn}?" if turn % 2 == 0 else "Does it need gauges?"
        before = len(library.asked)
        understood = conversations.understand(question, history)
        conversations.remember(question, history, understood.question, [TIDE])
        costs.append(len(library.asked) - before)
        history.append(question)
    assert costs == [0] * 30
    # and found again by a program that remembers nothing: only the turn that is leaned on
    fresh = Library()
    Conversations(fresh.papers_for, fresh.name_of).understand("Is it fast?", history)
    assert len(fresh.asked) <= 2


@pytest.mark.parametrize(
    "question",
    ["Does it need gauges?", "Which of these grow moss?", "the second one", "and since 2023?", "any others?", "why?", "No, I meant MOSS-2"],
)
def test_every_kind_of_follow_up_costs_the_same_after_two_turns_as_after_twenty(question: str) -> None:
    def cost(history: list[str]) -> int:
        fresh = Library()
        Conversations(fresh.papers_for, fresh.name_of).understand(question, history)
        return len(fresh.asked)

    last = "Which papers model water?"
    assert cost([*["Does it need gauges?"] * 19, last]) == cost(["Does it need gauges?", last]) <= 2


def test_going_on_where_the_search_leads_costs_the_same_after_two_turns_as_after_twenty() -> None:
    def cost(history: list[str]) -> tuple[int, int]:
        fresh, search = Library(), Search("people")
        Conversations(fresh.papers_for, fresh.name_of, search.leads_to).understand("how many people took part?", history)
        return len(fresh.asked), len(search.asked)

    assert cost([*["What is MOSS-2?"] * 19, "What is TIDE-7?"]) == cost(["What is MOSS-2?", "What is TIDE-7?"]) == (1, 1)


def test_what_was_taken_back_does_not_come_back() -> None:
    since = "Which papers since 2023 by Smith model water?"
    assert stand_alone("which of them use gauges?", [Turn(since, (TIDE,))]) == "Which papers since 2023 by Smith model water and use gauges?"
    taken_back = [Turn(chat.without_filters(since), (TIDE,))]
    assert stand_alone("which of them use gauges?", taken_back) == "Which papers model water and use gauges?"
    assert "2023" not in stand_alone("any others?", taken_back)


def test_a_long_chain_of_follow_ups_is_followed_only_so_far(conversations: Conversations, library: Library) -> None:
    conversations.understand("why?", ["What is TIDE-7?", *["Does it need gauges?"] * 40])
    assert len(library.asked) <= 8


def test_history_entries_that_ask_nothing_are_passed_over(conversations: Conversations) -> None:
    history = ["What is TIDE-7?", "", "   ", "thanks!", "hello", "…", "word " * 500, "😀"]
    assert said_before(history) == ("What is TIDE-7?",)
    assert conversations.understand("Does it need gauges?", history).question == "Does TIDE-7 need gauges?"
    assert conversations.understand("What is it about?", ["hello", ""]).question == "What is it about?"


def test_what_was_remembered_is_what_would_be_found_again(conversations: Conversations, library: Library) -> None:
    history: list[str] = []
    lived = []
    for question in ["Which papers model water?", "What does the second one need?", "any others?", "Does it model valleys?", "why?"]:
        understood = conversations.understand(question, history)
        lived.append((understood.question, understood.shown))
        conversations.remember(question, history, understood.question, library.papers_for(understood.question, understood.shown))
        history.append(question)
    for number, question in enumerate(history):
        fresh = Library()
        again = Conversations(fresh.papers_for, fresh.name_of).understand(question, history[:number])
        assert (again.question, again.shown) == lived[number]


def test_others_leave_out_what_was_shown(conversations: Conversations) -> None:
    history = ["Which papers model water?"]
    understood = conversations.understand("any others?", history)
    assert understood.shown == {"p1", "p2"}
    further = conversations.understand("any others?", [*history, "any others?"])
    assert further.shown == {"p1", "p2", "p3"}
    assert conversations.understand("Which papers are about wolves?", history).shown == frozenset()


def test_others_of_an_earlier_list_leave_out_what_was_shown_since(conversations: Conversations) -> None:
    history = ["Which papers model water?", "What is TIDE-7?"]
    understood = conversations.understand("any others?", history)
    assert understood.question == "Which other papers model water?"
    assert understood.shown == {"p1", "p2"}
    further = conversations.understand("any others?", [*history, "any others?"])
    assert further.shown == {"p1", "p2", "p3"}


def test_a_question_for_other_papers_that_stands_alone_leaves_out_what_was_shown(conversations: Conversations) -> None:
    understood = conversations.understand("Are there any other papers on moss?", ["What is TIDE-7?"])
    assert understood.question == "Are there any other papers on moss?"
    assert understood.shown == {"p1"}


class Search:
    """Leads from any question with a word of it to TIDE-7, and notes what was asked."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked: list[str] = []

    def leads_to(self, question: str, turn: Turn) -> bool:
        self.asked.append(question)
        return turn.papers[:1] == (TIDE,) and any(word in question for word in self.words)


def test_a_question_that_names_nothing_goes_on_where_the_search_leads_to_the_last_paper(library: Library) -> None:
    search = Search("people")
    conversations = Conversations(library.papers_for, library.name_of, search.leads_to)
    understood = conversations.understand("how many people took part?", ["What is TIDE-7?"])
    assert (understood.question, understood.leans) == ("TIDE-7: how many people took part?", True)
    assert conversations.understand("how many wolves came back?", ["What is TIDE-7?"]).question == "how many wolves came back?"
    again = conversations.understand("TIDE-7: how many people took part?", ["What is TIDE-7?"])
    assert again.question == "TIDE-7: how many people took part?"
    # and so did what was asked before
    assert conversations.before(["What is TIDE-7?", "how many people took part?"])[-1] == "TIDE-7: how many people took part?"


@pytest.mark.parametrize(
    "question",
    [
        "What is rank collapse?",
        "Which papers are about people?",
        "How many people does MOSS-2 need?",
        "Does it need people?",
        "New topic: how many people took part?",
        "tell me about people in floods",
        "How do people who live near a river learn when water comes, and from whom do they hear it first?",
    ],
)
def test_the_search_is_not_asked_where_the_words_tell(library: Library, question: str) -> None:
    search = Search("people")
    Conversations(library.papers_for, library.name_of, search.leads_to).understand(question, ["What is TIDE-7?"])
    assert search.asked == []


def test_names_in_small_letters_and_questions_in_capitals(conversations: Conversations) -> None:
    assert conversations.understand("what about moss-2?", ["How fast is tide-7?"]).question == "How fast is MOSS-2?"
    assert conversations.understand("WHAT IS TIDE-7?").question == "what is TIDE-7?"
    assert conversations.understand("DOES IT NEED GAUGES?", ["What is TIDE-7?"]).question == "does TIDE-7 need gauges?"


@pytest.mark.parametrize(
    "question", ["What does the second one propose?", "any others?", "New topic: what is it?", "which of these grow?", "only since 2023"]
)
def test_where_the_rules_know_better_a_model_is_not_asked(conversations: Conversations, question: str) -> None:
    assert not conversations.understand(question, ["Which papers model water?"]).leans


def test_forgetting(conversations: Conversations, library: Library) -> None:
    conversations.remember("What is TIDE-7?", [], "What is TIDE-7?", [TIDE])
    conversations.forget()
    conversations.understand("Does it work?", ["What is TIDE-7?"])
    assert len(library.asked) == 1


def test_understanding_is_quick(conversations: Conversations) -> None:
    history = [f"What is TIDE-{n}?" for n in range(1000)]
    started = time.perf_counter()
    conversations.understand("Does it need gauges?", history)
    assert time.perf_counter() - started < 1.0


def test_names_are_looked_up_for_plain_words_alone() -> None:
    looked_up: list[str] = []

    def name_of(word: str) -> str | None:
        looked_up.append(word)
        return None

    def nothing(_question: str, _shown: frozenset[str]) -> Sequence[Paper]:
        return ()

    conversations = Conversations(lambda question, shown: tuple(nothing(question, shown)), name_of)
    conversations.understand("What does netmoe do with DP-CATE?", ["hm what is ridge"])
    assert looked_up == ["netmoe"]
    conversations.understand("Does it?", ["hm what is ridge"])
    assert looked_up == ["netmoe", "ridge"]


def words_of(question: str) -> Iterator[str]:
    """The words of a question."""
    return (match.group() for match in re.finditer(r"[\w-]+", question))


@pytest.mark.parametrize("question", ["Is it fast?", "what about MOSS-2?", "and on images?", "limitations?", "Which one is faster?"])
@pytest.mark.parametrize("turns", [ABOUT_TIDE, FAST_TIDE, LISTED, COMPARED])
def test_nothing_is_made_up(question: str, turns: list[Turn]) -> None:
    """Every word of the understood question comes from the question, from earlier questions, or is a name of their papers."""
    known = {word.casefold() for text in (question, *(turn.understood_as for turn in turns)) for word in words_of(text)}
    known |= {word.casefold() for turn in turns for paper in turn.papers for word in words_of(paper.label)}
    assert {word.casefold() for word in words_of(stand_alone(question, turns))} <= known | set("of and s the that tell me more about".split())


def test_what_is_asked_of_an_answer_is_not_heaped_up() -> None:
    once = Turn(stand_alone("in other words?", ABOUT_TIDE), (TIDE,))
    twice = Turn(stand_alone("are you sure?", [*ABOUT_TIDE, once]), (TIDE,))
    assert twice.understood_as == "are you sure: What is TIDE-7?"
    assert stand_alone("why?", [*ABOUT_TIDE, once, twice]) == "why: What is TIDE-7?"
    assert stand_alone("How does it scale?", [*ABOUT_TIDE, once, twice]) == "How does TIDE-7 scale?"
    assert chat.asked_again(twice.understood_as) == (chat.Again.SURE, "What is TIDE-7?")
    assert stand_alone("are you sure?", [Turn("How fast is the rover?")]) == "are you sure: How fast is the rover?"


@pytest.mark.parametrize("question", ["in two trials: what grew?", "for cells: how many divide?", "TIDE-7: how fast is it?", "Is it reliable?"])
def test_a_question_with_something_in_front_asks_nothing_of_an_answer(question: str) -> None:
    assert chat.asked_again(question) == (None, question)


@pytest.mark.parametrize(
    ("last", "question", "expected"),
    [
        ("How heavy is the arctic buoy?", "What about MOSS-2?", "How heavy is MOSS-2?"),
        ("How deep can the old probe dive under ice?", "and TIDE-7?", "How deep can TIDE-7 dive under ice?"),
        ("How many sensors does the arctic buoy use in winter?", "what about MOSS-2?", "How many sensors does MOSS-2 use in winter?"),
        ("How accurate are the satellites on rivers?", "What about TIDE-7?", "How accurate are TIDE-7 on rivers?"),
    ],
)
def test_what_was_asked_of_something_described_is_asked_of_a_name(last: str, question: str, expected: str) -> None:
    assert stand_alone(question, [Turn(last)]) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which of the two is slower?", "which of TIDE-7 and MOSS-2 is slower?"),
        ("Do both need gauges?", "Do both TIDE-7 and MOSS-2 need gauges?"),
    ],
)
def test_the_two_are_those_asked_about_one_after_the_other(question: str, expected: str) -> None:
    about_moss = Turn("What is MOSS-2?", (MOSS,))
    assert stand_alone(question, [*ABOUT_TIDE, about_moss]) == expected
    assert stand_alone(question, [*ABOUT_TIDE, *COMPARED]) == expected
    # there is one alone
    assert stand_alone("which of the two is slower?", ABOUT_TIDE) != expected
