"""What a refusal says: what of the question the papers lack, in the question's own words."""

from __future__ import annotations

from collections.abc import Sequence

from rag_qa import text
from rag_qa.answering.confidence import Assessment
from rag_qa.answering.question import Question


def reason(question: Question, judged: Assessment) -> str:
    """Why a question is not answered, in one sentence that names what is missing in the question's own words."""
    missing = [f"“{words}”" for words in _phrases(judged.missing, question)]
    if judged.unmet:
        return f"These papers do not answer this: they do not give {judged.unmet}."
    if missing:
        return f"These papers do not answer this: they say nothing about {_listed(missing[:3])}."
    return "These papers do not answer this: they touch on the subject but do not say what is asked."


def _phrases(missing: Sequence[str], question: Question) -> list[str]:
    """Missing words as the question spells them and in its order, neighbours together; the phrase after the question word whole: "learning
    rate", though only the rate is missing.
    """
    named = set(missing)
    if named.intersection(question.head):
        named.update(question.head)
    folded = text.fold(question.text)
    spans: list[tuple[int, int]] = []
    for word in text.words(folded.text):
        if word.text not in named:
            continue
        if spans and not folded.text[spans[-1][1] : word.start].strip():
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    phrases = (question.text[slice(*folded.span(start, end))] for start, end in spans)
    return list(dict.fromkeys(phrases))


def _listed(items: Sequence[str]) -> str:
    """Items as one says them.

    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"
