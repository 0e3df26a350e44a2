"""Follow-ups as a chat model puts them: what is of use, and what is not."""

from __future__ import annotations

import pytest

from rag_qa import tokens
from rag_qa.answering.rewriting import rewrite_follow_up
from rag_qa.errors import BadReply, ProviderTimeout
from rag_qa.llm.scripted import ScriptedChat

HISTORY = ["What is DP-CATE?"]
FOLLOW_UP = "Which kind of regression does its extension use?"
REWRITTEN = "Which kind of regression does the extension of DP-CATE use?"


@pytest.mark.parametrize(
    "reply",
    [
        REWRITTEN,
        f'"{REWRITTEN}"',
        f"Question: {REWRITTEN}",
        f"**Rewritten question:** {REWRITTEN}",
        f"\n{REWRITTEN}\n\nI replaced a word.",
        f"The word is unclear.</think>{REWRITTEN}",
    ],
)
def test_a_follow_up_is_rewritten(reply: str) -> None:
    chat = ScriptedChat([reply])
    assert rewrite_follow_up(chat, FOLLOW_UP, HISTORY) == REWRITTEN
    assert "What is DP-CATE?" in chat.prompts[0][1].content
    assert chat.limits[0] <= 200


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "I cannot answer this.",
        "NOT_ANSWERED",
        "It uses RKHS regression.",
        "Which kind of regression does the extension of NetMoE use?",
        "Which kind of regression does the extension of DP-CATE use in 2025?",
        "What is love?",
        REWRITTEN + " " + "And so on. " * 60,
        "???",
    ],
)
def test_a_rewriting_of_no_use_is_none(reply: str) -> None:
    assert rewrite_follow_up(ScriptedChat([[reply]]), FOLLOW_UP, HISTORY) == ""


def test_a_reply_without_end_is_not_heard_to_its_end() -> None:
    chat = ScriptedChat(["word " * 5000])
    assert rewrite_follow_up(chat, FOLLOW_UP, HISTORY) == ""
    assert chat.closed == 1


def test_an_empty_reply_of_a_server_is_none_and_other_faults_are_errors() -> None:
    assert rewrite_follow_up(ScriptedChat([[BadReply("empty")]]), FOLLOW_UP, HISTORY) == ""
    with pytest.raises(ProviderTimeout):
        rewrite_follow_up(ScriptedChat([[ProviderTimeout("silence")]]), FOLLOW_UP, HISTORY)


def test_without_history_nobody_is_asked() -> None:
    chat = ScriptedChat(["Never."])
    assert rewrite_follow_up(chat, FOLLOW_UP, []) == ""
    assert chat.prompts == []


def test_only_the_latest_of_a_long_history_is_told() -> None:
    chat = ScriptedChat([REWRITTEN])
    rewrite_follow_up(chat, FOLLOW_UP, [f"Question number {i} " + "word " * 500 for i in range(50)] + HISTORY)
    assert sum(tokens.count(message.content) for message in chat.prompts[0]) < 900
    assert "What is DP-CATE?" in chat.prompts[0][1].content
