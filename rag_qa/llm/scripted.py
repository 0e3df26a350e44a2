"""A chat model that says what a transcript says: for tests and demonstrations, with no server."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from rag_qa.errors import BadReply, ProviderError
from rag_qa.llm.chat_model import Message, Piece, register

Reply = str | Sequence[str | ProviderError]
"""One reply: a text, handed out word by word, or the very pieces; an error among them is raised when its turn comes."""


class ScriptedChat:
    """Each call of `stream` plays the next reply; `prompts` holds what was asked, `closed` how many replies were not heard to their end.

    >>> chat = ScriptedChat(["It is fast [1]."])
    >>> [piece.text for piece in chat.stream([Message("user", "Is it?")], max_tokens=9)]
    ['It ', 'is ', 'fast ', '[1].', '']
    """

    def __init__(self, replies: Sequence[Reply], *, name: str = "scripted", context_tokens: int = 8192) -> None:
        self._replies = list(replies)
        self._name = name
        self._context_tokens = context_tokens
        self.prompts: list[tuple[Message, ...]] = []
        self.limits: list[int] = []
        self.closed = 0

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """The window that it was given."""
        return self._context_tokens

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> Generator[Piece, None, None]:
        """The next reply of the transcript; its last piece says how many words it was. Raises BadReply when the transcript has ended."""
        if len(self.prompts) >= len(self._replies):
            raise BadReply(f"The transcript of the model {self._name} holds {len(self._replies)} replies, and another one was asked for")
        reply = self._replies[len(self.prompts)]
        self.prompts.append(tuple(messages))
        self.limits.append(max_tokens)
        pieces = re.findall(r"\S+\s*|\s+", reply) if isinstance(reply, str) else reply
        try:
            for piece in pieces:
                if isinstance(piece, ProviderError):
                    raise piece
                yield Piece(piece)
        except GeneratorExit:
            self.closed += 1
            raise
        prompt_words = sum(len(message.content.split()) for message in messages)
        yield Piece("", prompt_words, len("".join(str(piece) for piece in pieces).split()))


register("scripted", ScriptedChat)
