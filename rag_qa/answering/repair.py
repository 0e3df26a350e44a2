"""What a chat model makes of its sentences that did not pass the check, when it is shown the evidence and the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from rag_qa.answering import prompts
from rag_qa.answering.citations import Cited, parse
from rag_qa.answering.draft import Judged
from rag_qa.answering.prompts import Flaw
from rag_qa.answering.refusals import NOT_ANSWERED, THOUGHT_END, refuses
from rag_qa.answering.reply import of_object

MOST_REPAIRED = 10
"""Sentences of one answer that the model is asked to put right."""

_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]*)?[*_\"(]*(?:sentence[ \t]*)?(\d{1,2})[*_\")]*[:.)][*_]*[ \t]+(.*\S)", re.IGNORECASE | re.MULTILINE)
_TAKEN_BACK = re.compile(r"\W*taken[_ ]?back\W*", re.IGNORECASE)


def flaw(judged: Judged) -> Flaw:
    """What a model is shown of a sentence that does not hold."""
    cited, verdict = judged.cited, judged.verdict
    markers = "".join(f"[{n}]" for n in cited.numbers) + "".join(cited.removed)
    quotes = tuple((evidence.source, evidence.quote) for evidence in verdict.evidence)
    return Flaw(f"{cited.text} {markers}".strip(), verdict.why or "the abstracts do not say this", quotes)


def corrections(reply: str, count: int, sources: Collection[int]) -> dict[int, list[Cited]]:
    """Number of a sentence, from 1 to `count` -> what the model has in its place: nothing if it takes it back. What it says nothing of is not there.

    >>> corrections("1: It is fast [2].\\n2: TAKEN_BACK\\n7: What?", 3, {1, 2})
    {1: [Cited(text='It is fast.', numbers=(2,), removed=())], 2: []}
    >>> corrections('{"repairs": [{"number": 1, "text": "It is fast.", "sources": [2]}, {"number": 2, "text": "", "sour', 3, {1, 2})
    {1: [Cited(text='It is fast.', numbers=(2,), removed=())]}
    """
    reply = THOUGHT_END.sub("", reply)
    found = dict(_of_json(reply, sources)) or dict(_of_lines(reply, sources))
    return {number: _of_use(sentences) for number, sentences in found.items() if 1 <= number <= count and not _is_echo(sentences)}


def _of_json(reply: str, sources: Collection[int]) -> Iterator[tuple[int, list[Cited]]]:
    for opening in re.finditer(r"\{", reply):
        value = _object_at(reply, opening.start())
        if isinstance(value.get("text"), str) and isinstance(value.get("number"), int):
            yield value["number"], list(of_object(value["text"], value.get("sources"), sources))


def _object_at(reply: str, start: int) -> dict[str, Any]:
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(reply, start)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _of_lines(reply: str, sources: Collection[int]) -> Iterator[tuple[int, list[Cited]]]:
    for number, said in _LINE.findall(reply):
        yield int(number), parse(said, sources)


def _is_echo(sentences: Sequence[Cited]) -> bool:
    return any(prompts.is_echo(cited.text) for cited in sentences)


def _of_use(sentences: Sequence[Cited]) -> list[Cited]:
    """Nothing, if a model takes a sentence back in whatever words."""
    said = " ".join(cited.text for cited in sentences)
    return [] if _TAKEN_BACK.fullmatch(said) or NOT_ANSWERED.search(said) or refuses(said) else list(sentences)
