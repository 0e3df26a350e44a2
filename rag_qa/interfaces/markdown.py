"""Answers as Markdown: what comes from a paper, a person or a model is shown letter by letter."""

from __future__ import annotations

import re

from rag_qa.answering.answer import Answer, Sentence, Status
from rag_qa.interfaces import render

# Entities where a backslash is not enough everywhere: some renderers look for formulas, links or HTML before they read backslashes.
_ENTITIES = {char: f"&#{ord(char)};" for char in "&<>$|~@^:."}
_SPECIAL = re.compile(
    r"[\\`*_{}\[\]()#!&<>$|~@^]"  # anywhere
    r"|:(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):"  # bare addresses, which some renderers turn into links
    r"|^[-+=]|^\d+[.)]",  # at the beginning: a list, a rule
    re.IGNORECASE,
)


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, in one paragraph: no HTML, link, image, list, heading, table or formula comes of it.

    >>> escape("a <b> [x](http://y) costs $5")
    'a &#60;b&#62; \\\\[x\\\\]\\\\(http&#58;//y\\\\) costs &#36;5'
    """
    return _SPECIAL.sub(lambda match: _entity(match.group()), render.one_line(text))


def _entity(found: str) -> str:
    number, mark = found[:-1], found[-1]  # a number only in "1." or "1)"
    return number + _ENTITIES.get(mark, f"\\{mark}")


def sentence(one: Sentence) -> str:
    """A sentence with its markers, and a warning if it is not supported."""
    shown = " ".join(escape(part) for part in (one.lead, one.text) if part)
    markers = "".join(f"[{n}]" for n in one.citations)
    warning = render.warning_of(one)
    record = f"*({escape(one.verdict.why)})*" if one.verdict.status is Status.RECORD else ""
    return " ".join(part for part in (shown, markers, record, f"⚠ *{escape(warning)}*" if warning else "") if part)


def body(answer: Answer) -> str:
    """How the question was understood, and the sentences or the refusal, without the sources."""
    blocks = []
    if render.is_reworded(answer.question, answer.understood_as):
        blocks.append(f"*Understood as: {escape(answer.understood_as)}*")
    if said := render.narrowing_said(answer.narrowing):
        blocks.append(f"*{escape(said)}*")
    if render.is_small_talk(answer):
        blocks.append(escape(answer.text))
    elif answer.abstained is not None:
        blocks.append(f"**No answer.** {escape(answer.abstained)}")
    else:
        blocks += [f"*{escape(answer.preface)}*"] if answer.preface else []
        blocks += ["\n\n".join(sentence(one) for one in answer.sentences)] if answer.sentences else []
    if answer.left_open:
        blocks.append(f"*{escape(answer.left_open)}*")
    if answer.notice:
        blocks.append(f"*Note: {escape(answer.notice)}*")
    return "\n\n".join(blocks)
