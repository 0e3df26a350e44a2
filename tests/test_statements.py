"""A sentence taken apart: what it denies, which way things go, what is compared with what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.statements import Statement, against, are_alike, are_opposite, are_opposite_in_place, is_alike_to_one, statement


def take(sentence: str) -> Statement:
    """A sentence taken apart."""
    return statement(text.fold(sentence).text)


def words(said: Statement, places: object) -> list[str]:
    """The words at some places."""
    assert isinstance(places, tuple | frozenset | set)
    return [said.tokens[i].text for i in sorted(places)]


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("It does not rely on labels.", ["rely", "labels"]),
        ("It cannot be trained, and it is slow.", ["trained"]),
        ("It works without altering the model.", ["altering", "model"]),
        ("We compress activations rather than soft prompts.", ["soft", "prompts"]),
        ("Unlike methods that rely on data, ours is free.", ["methods", "rely", "data"]),
        ("It isn't robust.", ["robust"]),
        ("A non-linear map.", ["linear"]),
        ("It fails to converge.", ["converge"]),
        ("It goes to some rather than all of them.", ["all"]),
        ("It is not only fast but also small.", []),
        ("It helps with and without tuning.", []),
        ("No fewer than ten.", []),
        ("It is fast.", []),
    ],
)
def test_denial(sentence: str, denied: list[str]) -> None:
    said = take(sentence)
    assert words(said, said.denied) == denied


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It reduces memory access.", [("reduces", -1, {"memori", "access"})]),
        ("Memory access is reduced by half.", [("reduced", -1, {"memori", "access"})]),
        ("It is more accurate.", [("more", 1, {"accur"})]),
        ("It holds more than 5.", []),
        ("A significant performance drop.", [("drop", -1, {"perform", "signific"})]),
        ("It has fewer parameters.", [("fewer", -1, {"paramet"})]),
        ("It speeds up training.", [("speeds", 1, {"train"})]),
        ("It minimizes All-to-All communication.", [("minimizes", -1, {"communic"})]),
        ("It stays as it was.", []),
    ],
)
def test_direction(sentence: str, expected: list[tuple[str, int, set[str]]]) -> None:
    assert [(d.word, d.sign, set(d.objects)) for d in take(sentence).directions if d.objects] == expected


def test_directions_against_each_other() -> None:
    (reduces,), (increases,), (improves,), (slows,) = (
        take(f"It {verb} the loss.").directions for verb in ("reduces", "increases", "improves", "slows")
    )
    assert against(reduces, increases)
    assert not against(reduces, improves)  # less loss is better
    assert not against(reduces, slows)
    (worse,), (better,) = take("It is worse at the task.").directions, take("It is better at the task.").directions
    assert against(worse, better)


@pytest.mark.parametrize(
    ("sentence", "greater", "lesser"),
    [
        ("NetMoE outperforms FastMoE.", "netmo", "fastmo"),
        ("NetMoE is outperformed by FastMoE.", "fastmo", "netmo"),
        ("NetMoE underperforms FastMoE.", "fastmo", "netmo"),
        ("NetMoE is faster than FastMoE.", "netmo", "fastmo"),
        ("NetMoE needs less memory than FastMoE.", "fastmo", "netmo"),
        ("The rate rises from three to seven.", "seven", "three"),
    ],
)
def test_comparison(sentence: str, greater: str, lesser: str) -> None:
    comparison = take(sentence).comparisons[0]
    assert greater in comparison.greater
    assert lesser in comparison.lesser


def test_more_than_a_number_and_rather_than_compare_nothing() -> None:
    assert take("It holds more than 5 parts.").comparisons == ()
    assert take("It uses this rather than that.").comparisons == ()


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("Does it work?", ["does", "it", "work"]),
        ("We test whether it works, and it does.", ["it", "works"]),
        ("How it works remains unclear.", ["how", "it", "works"]),
        ("It works under uncertain conditions.", []),
    ],
)
def test_what_is_asked_is_not_said(sentence: str, asked: list[str]) -> None:
    said = take(sentence)
    assert words(said, said.asked) == asked


def test_word_lists_hold_stems_and_are_symmetric() -> None:
    for one, other in (("online", "offline"), ("seen", "unseen"), ("symmetric", "asymmetric"), ("parametric", "nonparametric")):
        a, b = text.stem(one), text.stem(other)
        assert are_opposite(a, b)
        assert are_opposite(b, a)
        assert not are_alike(a, b)
    assert are_opposite_in_place(text.stem("higher"), text.stem("lower"))
    assert not are_opposite(text.stem("higher"), text.stem("lower"))
    assert are_alike(text.stem("attains"), text.stem("achieved"))
    assert not are_alike(text.stem("attains"), text.stem("loses"))


STEMS = st.sampled_from("attain achiev moss train trainer rout router propos develop low drop wet".split())


@given(STEMS, st.frozensets(STEMS, max_size=4))
def test_one_of_many_is_alike_as_each_is(stem: str, stems: frozenset[str]) -> None:
    assert is_alike_to_one(stem, stems) == any(are_alike(stem, other) for other in stems)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("abc not than from to compared ,.-'")), max_size=80))
def test_any_text_can_be_taken_apart(written: str) -> None:
    said = take(written)
    for token in said.tokens:
        assert said.folded[token.start : token.end] == token.text
    places = {i for denial in (*said.denials, *said.doubts) for i in denial.scope} | said.asked
    assert all(0 <= i < len(said.tokens) for i in places)
