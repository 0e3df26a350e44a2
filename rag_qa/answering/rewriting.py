"""A follow-up question, put by a chat model so that it stands alone."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from rag_qa import text as texts
from rag_qa.answering import prompts
from rag_qa.answering.refusals import NOT_ANSWERED, THOUGHT_END, refuses
from rag_qa.errors import BadReply
from rag_qa.llm.chat_model import ChatModel

REWRITE_TOKENS = 120
_LABEL = re.compile(r"^\W*(?:the )?(?:last |rewritten |stand-?alone |final |new )*(?:question|rewrite|answer)(?: on its own)?\s*:\s*", re.IGNORECASE)
_QUOTES = " \t\"'“”‘’`*"


def rewrite_follow_up(model: ChatModel, question: str, history: Sequence[str]) -> str:
    """The question so that it stands alone, or "" when the model's reply is of no use. `history`: earlier questions, oldest first.

    Of no use is a reply that is empty, is far longer than a question, leaves most of the question out, or brings in a name or a number that neither
    the question nor an earlier one holds. Raises ProviderError other than BadReply.
    """
    if not history:
        return ""
    limit = 200 + 2 * len(question)
    try:
        reply = _short_reply(model, question, history, limit)
    except BadReply:
        return ""
    lines = [line for line in THOUGHT_END.sub("", reply).splitlines() if line.strip()]
    if not lines or len(reply) > limit:
        return ""
    rewritten = _LABEL.sub("", lines[0]).strip(_QUOTES)
    return rewritten if _is_of_use(rewritten, question, history) else ""


def _short_reply(model: ChatModel, question: str, history: Sequence[str], limit: int) -> str:
    """The reply, read no further than it is of use."""
    pieces = model.stream(prompts.rewrite_prompt(question, history), max_tokens=REWRITE_TOKENS)
    reply = ""
    try:
        for piece in pieces:
            reply += piece.text
            if len(reply) > limit:
                break
    finally:
        if isinstance(pieces, Generator):
            pieces.close()
    return reply


def _is_of_use(rewritten: str, question: str, history: Sequence[str]) -> bool:
    if not rewritten or refuses(rewritten) or NOT_ANSWERED.search(rewritten):
        return False
    known = set(texts.terms(" ".join([question, *history])))
    new = [word for word in rewritten.split() if texts.is_name(word.strip(".,;:?!()[]\"'")) or any(char.isdigit() for char in word)]
    if any(not known & set(texts.terms(word)) for word in new):
        return False
    asked = {texts.stem(word) for word in texts.content_words(question)}
    kept = {texts.stem(word) for word in texts.content_words(rewritten)}
    return bool(kept) and 2 * len(asked & kept) >= len(asked)
