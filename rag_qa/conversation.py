"""What was said and answered before: remembered while the program runs, and found again from the earlier questions where it is not.

A conversation is nothing but its questions. So an answer does not depend on what this process happens to remember, and a history that comes with a
question (from a file, from a page that was loaded anew) is as good as one that was lived through.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from rag_qa import chat, text
from rag_qa.chat import Turn
from rag_qa.papers import Paper

_REMEMBERED = 256  # turns, of all conversations
_FOLLOWED = 8  # turns back that a question can still lean on
_KEY = 16  # questions that tell one conversation from another
_TOLD = 3  # earlier questions that a chat model is told
_LONGEST = 400  # words of an earlier question; a longer one was refused and says nothing


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as it is understood.

    `shown`: ids of papers that were answered before and are not wanted again ("any others?"). `leans`: the rules took it for a follow-up and are not
    sure how to put it, so that it is worth asking a chat model.
    """

    question: str
    shown: frozenset[str] = frozenset()
    leans: bool = False


def _never(_question: str, _turn: Turn) -> bool:
    return False


def _nobody(_name: str) -> bool:
    return False


class Conversations:
    """Understands questions in the light of earlier ones.

    `papers_for` gives the papers that answer a question by themselves, best first, without those with some ids; `name_of` gives a word as the
    library writes it if it is the name of a paper ("netmoe": NetMoE), `leads_to` whether the search for a question comes upon the paper of a
    turn first, or nearly, and `is_author` whether a name is that of an author alone. They are asked only as far as needed. Safe to use from several
    threads.
    """

    def __init__(
        self,
        papers_for: Callable[[str, frozenset[str]], tuple[Paper, ...]],
        name_of: Callable[[str], str | None],
        leads_to: Callable[[str, Turn], bool] = _never,
        is_author: Callable[[str], bool] = _nobody,
    ) -> None:
        self._papers_for = papers_for
        self._name_of = name_of
        self._leads_to = leads_to
        self._is_author = is_author
        self._turns: OrderedDict[tuple[str, ...], Turn] = OrderedDict()
        self._lock = threading.Lock()

    def understand(self, question: str, history: Sequence[str] = ()) -> Understood:
        """The question so that it stands alone. `history`: earlier questions, oldest first; those that ask nothing are passed over."""
        plain = self._in_small_letters(question)
        said = said_before(history)
        if not said:
            cleared = chat.cleared(" ".join(history[-1].split()), self._with_names(plain)) if history else None
            return Understood(cleared or chat.stand_alone(plain, ()))
        turns = _Turns(self, said, _FOLLOWED)
        named = self._with_names(plain)
        understood = self._stand_alone(named, turns)
        if understood == named:
            return Understood(plain, _shown(plain, turns))
        return Understood(understood, _shown(understood, turns), leans=not chat.is_settled_by_rules(named))

    def before(self, history: Sequence[str]) -> list[str]:
        """The last few questions of a conversation as they were understood, oldest first."""
        return [turn.understood_as for turn in _Turns(self, said_before(history), _FOLLOWED)[-_TOLD:]]

    def remember(self, question: str, history: Sequence[str], understood: str, papers: Sequence[Paper]) -> None:
        """Note what a question was answered with."""
        self._note((*said_before(history), question), Turn(self._with_names(chat.asked_again(understood)[1]), tuple(papers)))

    def forget(self) -> None:
        """Forget everything: the papers have changed."""
        with self._lock:
            self._turns.clear()

    def _note(self, questions: tuple[str, ...], turn: Turn) -> None:
        with self._lock:
            self._turns[questions[-_KEY:]] = turn
            while len(self._turns) > _REMEMBERED:
                self._turns.popitem(last=False)

    def turn(self, questions: tuple[str, ...], depth: int) -> Turn:
        """What the last of these questions was about. `depth`: how many turns back it may lean on."""
        with self._lock:
            if known := self._turns.get(questions[-_KEY:]):
                return known
        before = _Turns(self, questions[:-1], depth - 1)
        understood = self._stand_alone(self._with_names(self._in_small_letters(questions[-1])), before)
        turn = Turn(chat.asked_again(understood)[1], self._papers_for(understood, _shown(understood, before)))
        self._note(questions, turn)
        return turn

    def _stand_alone(self, question: str, turns: Sequence[Turn]) -> str:
        understood = chat.stand_alone(question, turns, speaks_of=self._leads_to)
        name = chat.asked_instead(question)
        # after a question that is for no papers an author can't be asked about instead of what it was about
        return f"papers by {name}" if name and not chat.is_for_papers(understood) and self._is_author(name) else understood

    def _in_small_letters(self, question: str) -> str:
        """A question typed in capitals altogether, as others are typed: capitals are how names are told."""
        is_loud = not any(char.islower() for char in question) and sum(word.isalpha() for word in question.split()) > 1
        return self._with_names(question.lower()) if is_loud else question

    def _with_names(self, question: str) -> str:
        """The names of papers as the library writes them."""

        def named(match: re.Match[str]) -> str:
            word = match.group()
            ordinary = word in text.STOPWORDS or word in text.QUESTION_WORDS or any(char.isupper() for char in word)
            return word if ordinary else self._name_of(word) or word

        return re.sub(r"[^\W_][\w-]+[^\W_]", named, question)


class _Turns(Sequence[Turn]):
    """The last turns of a conversation, oldest first, each found when it is looked at."""

    def __init__(self, conversations: Conversations, said: tuple[str, ...], depth: int) -> None:
        self._conversations = conversations
        self._said = said
        self._depth = depth

    def __len__(self) -> int:
        return min(len(self._said), max(0, self._depth))

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | Sequence[Turn]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        back = len(self) - range(len(self))[index] - 1
        return self._conversations.turn(self._said[: len(self._said) - back], self._depth - back)


def _shown(understood: str, turns: Sequence[Turn]) -> frozenset[str]:
    """Ids of the papers that a question for other ones leaves out: those of the question before, and of those before that which asked the same."""
    if not chat.asks_for_others(understood):
        return frozenset()
    asked_first = chat.last_list(turns)
    shown: set[str] = set()
    for i in range(len(turns) - 1, -1, -1):
        shown.update(paper.id for paper in turns[i].papers)
        if asked_first is None or (turns[i].understood_as == asked_first.understood_as and not chat.asks_for_others(turns[i].understood_as)):
            break
        if turns[i].understood_as == asked_first.understood_as:
            asked_first = chat.last_list(turns[:i])
    return frozenset(shown)


def said_before(history: Iterable[str]) -> tuple[str, ...]:
    """The earlier questions that asked something of the papers, each on one line.

    >>> said_before(["hello", "What is  DP-CATE?", "", "thanks!"])
    ('What is DP-CATE?',)
    """
    said: list[str] = []
    for line in (" ".join(question.split()) for question in history):
        is_first = not said
        asks = 0 < len(text.words(text.fold(line[:8000]).text)) <= _LONGEST and not chat.small_talk(line)
        if asks and not chat.is_aside(line, is_first=is_first) and not (is_first and chat.unclear(line)):
            said.append(line)
    return tuple(said)
