"""The scripted chat model plays its transcript, and no more."""

from __future__ import annotations

import pytest

from rag_qa.errors import BadReply, ProviderTimeout
from rag_qa.llm.chat_model import CHAT_MODELS, Message, Piece
from rag_qa.llm.scripted import ScriptedChat

ASK = [Message("user", "Is it fast?")]


def test_a_text_comes_word_by_word_and_joined_is_the_text() -> None:
    pieces = list(ScriptedChat([" It  is\nfast [1]. "]).stream(ASK, max_tokens=5))
    assert "".join(piece.text for piece in pieces) == " It  is\nfast [1]. "
    assert pieces[-1] == Piece("", 3, 4)


def test_pieces_come_as_they_are_and_an_error_when_its_turn_comes() -> None:
    chat = ScriptedChat([["It is", " fa", ProviderTimeout("silence")], "Yes."])
    pieces = chat.stream(ASK, max_tokens=5)
    assert [next(pieces).text, next(pieces).text] == ["It is", " fa"]
    with pytest.raises(ProviderTimeout, match="silence"):
        next(pieces)
    assert "".join(piece.text for piece in chat.stream(ASK, max_tokens=6)) == "Yes."
    assert (chat.prompts, chat.limits) == ([tuple(ASK), tuple(ASK)], [5, 6])


def test_a_reply_that_is_not_heard_to_its_end_is_counted() -> None:
    chat = ScriptedChat(["It is fast."])
    pieces = chat.stream(ASK, max_tokens=5)
    next(pieces)
    pieces.close()
    assert chat.closed == 1


def test_the_transcript_ends() -> None:
    with pytest.raises(BadReply, match="scripted holds 0 replies"):
        list(ScriptedChat([]).stream(ASK, max_tokens=5))


def test_it_is_registered() -> None:
    assert CHAT_MODELS["scripted"] is ScriptedChat
