"""Answers written by a chat model from numbered abstracts, every sentence checked before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from rag_qa.answering.answer import AnswerEvent, Verdict
from rag_qa.llm.chat_model import ChatModel
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Check = Callable[[str, Sequence[tuple[int, Paper]], Sequence[Paper]], Verdict]
"""Judges one sentence: (text, [(number in the answer's source list, paper cited)], all papers given to the model) -> Verdict."""


class GenerativeAnswerer:
    """Asks a chat model, over the papers found, and checks what it says."""

    def __init__(self, model: ChatModel, check: Check, *, max_output_tokens: int = 600) -> None:
        self._model = model
        self._check = check
        self._max_output_tokens = max_output_tokens

    def stream(self, question: str, hits: Sequence[Hit], *, asked: str | None = None) -> Generator[AnswerEvent, None, None]:
        """Checked sentences as they are finished, then the Answer. Raises ProviderError, also in the middle.

        `question` stands alone; `asked` is what the person typed, if it differs. `hits`: at least one, best first.
        Closing the generator ends the request.
        """
        raise NotImplementedError


def rewrite_follow_up(model: ChatModel, question: str, history: Sequence[str]) -> str:
    """The question so that it stands alone, or "" when the model's reply is of no use. `history`: earlier questions, oldest first."""
    raise NotImplementedError
