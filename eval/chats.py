"""Chats made of the follow-ups of a question set: turn by turn, without what was said before, after other talk, and two at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from eval.datasets.loader import Kind, Question

SEED = 5


def turns_of(question: Question) -> list[Question]:
    """A chat from its first question on. Of the earlier ones nobody has said what answers them; the last one is the question itself.

    >>> asked = Question("q", Kind.FOLLOWUP, "and b?", ("What is a?",), ("p",), (("x",),), True, 1)
    >>> [(one.id, one.text, one.history) for one in turns_of(asked)]
    [('q#1', 'What is a?', ()), ('q', 'and b?', ('What is a?',))]
    """
    said = question.history
    earlier = [Question(f"{question.id}#{n}", Kind.OPEN, text, said[: n - 1], (), (), None, question.line) for n, text in enumerate(said, start=1)]
    return [*earlier, question]


def said_in(question: Question) -> tuple[str, ...]:
    """Every question of the chat that a follow-up ends.

    >>> said_in(Question("q", Kind.FOLLOWUP, "and b?", ("What is a?",), (), (), True, 1))
    ('What is a?', 'and b?')
    """
    return (*question.history, question.text)


def alone(question: Question) -> Question:
    """The last turn without what was said before."""
    return replace(question, id=f"{question.id} alone", history=(), topic_switch=False)


def padded(question: Question, chats: Sequence[Question], more: int) -> Question | None:
    """The same question after `more` turns of other chats about other papers; None where they don't have so many."""
    others = _about_others(question, chats)
    random.Random(f"{SEED} {question.id}").shuffle(others)
    talk = [text for other in others for text in said_in(other)][:more]
    return replace(question, id=f"{question.id} +{more}", history=(*talk, *question.history)) if len(talk) == more else None


def _about_others(question: Question, questions: Sequence[Question]) -> list[Question]:
    first = said_in(question)[0]
    return [one for one in questions if one.papers and said_in(one)[0] != first and not set(one.papers) & set(question.papers)]


def switched(chat: Question, questions: Sequence[Question]) -> tuple[Question, Question] | None:
    """A question about another paper that stands by itself, and the same after a chat; None where there is none. The first is as the set has it."""
    others = [one for one in _about_others(chat, questions) if one.answerable and len(one.papers) == 1 and not one.history]
    if not others or not chat.papers:
        return None
    other = random.Random(f"{SEED} {chat.id}").choice(others)
    return other, replace(other, id=f"{chat.id} > {other.id}", kind=Kind.FOLLOWUP, history=said_in(chat), topic_switch=True)


def pairs(chats: Sequence[Question]) -> list[tuple[Question, Question]]:
    """Two and two by chance, each chat once at most, and no two that begin with the same question."""
    left = list(chats)
    random.Random(SEED).shuffle(left)
    found = []
    while left:
        one = left.pop()
        if (other := next((chat for chat in left if said_in(chat)[0] != said_in(one)[0]), None)) is not None:
            left.remove(other)
            found.append((one, other))
    return found


def in_turns(one: Question, other: Question) -> list[Question]:
    """The turns of two chats by turns, the longer one's rest at the end.

    >>> a, b = (Question(name, Kind.FOLLOWUP, "?", ("!",) * n, (), (), True, 1) for name, n in (("a", 2), ("b", 1)))
    >>> [turn.id for turn in in_turns(a, b)]
    ['a#1', 'b#1', 'a#2', 'b', 'a']
    """
    both = (turns_of(one), turns_of(other))
    longest = max(map(len, both))
    return [chat[place] for place in range(longest) for chat in both if place < len(chat)]
