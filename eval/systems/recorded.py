"""Answers that any system gave earlier, from a file of JSON lines: `python -m eval run --system answers.jsonl`.

    {"question": "How fast is TIDE-7?", "answer": "It is 1.5 times faster [1].", "sources": {"1": "p1"}, "retrieved": ["p1", "p2"], "confidence": 0.9}
    {"question": "What is soup?", "answer": "The papers do not say.", "abstained": true}

`id` may stand instead of `question`. Papers are named by id or by the first words of their abstract. `sources`, `retrieved`, `abstained`,
`confidence` and `model` may be left out; what is not said is not applicable, and never 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.datasets import loader
from eval.datasets.loader import Question
from eval.systems.given import Given
from rag_qa.errors import SourceError
from rag_qa.papers import Paper

_KEYS = ("id", "question", "answer", "sources", "retrieved", "abstained", "confidence", "model")


class NotRecorded(Exception):
    """The file has no answer to a question: that counts as an error."""


class Recorded:
    """Gives the recorded answers. Raises SourceError for a line that can't be read."""

    def __init__(self, path: Path, papers: Sequence[Paper], abstracts: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._named = loader.Named(papers, path, abstracts)
        self._answers: dict[str, Given] = {}
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(path, None, found=str(error), expected="a file of answers, one JSON object a line") from error
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                self._read(number, line)

    def give(self, question: Question) -> Given:
        """The answer by the question's id, or else by its text. Raises NotRecorded."""
        for key in (question.id, question.text):
            if key in self._answers:
                return self._answers[key]
        raise NotRecorded(f"{self._path.name} has no answer to it")

    def _read(self, number: int, line: str) -> None:
        record = self._record(number, line)
        key = record.get("id") or record.get("question")
        if not isinstance(key, str) or not isinstance(record.get("answer"), str):
            raise self._fault(number, line.strip()[:60], "an object with question (or id) and answer")
        if key in self._answers:
            raise self._fault(number, f"a second answer to {key!r}", "one answer to each question")
        sources = record.get("sources", {})
        retrieved = record.get("retrieved")
        if not isinstance(sources, dict) or not all(str(n).isdecimal() for n in sources) or not isinstance(retrieved, list | None):
            raise self._fault(number, f"sources = {sources!r}", 'sources as {"1": "paper"} and retrieved as a list of papers')
        confidence = record.get("confidence")
        if confidence is not None and not (isinstance(confidence, int | float) and 0 <= confidence <= 1):
            raise self._fault(number, f"confidence = {confidence!r}", "a number from 0 to 1")
        self._answers[key] = Given(
            record["answer"],
            {int(n): self._paper(paper, number) for n, paper in sources.items()},
            None if retrieved is None else tuple(self._paper(paper, number) for paper in retrieved),
            bool(record.get("abstained", False)),
            confidence,
            str(record.get("model", "recorded")),
        )

    def _record(self, number: int, line: str) -> Mapping[str, Any]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._fault(number, str(error), "one JSON object a line") from error
        unknown = [key for key in record if key not in _KEYS] if isinstance(record, dict) else ["no object"]
        if unknown:
            raise self._fault(number, f"the key {unknown[0]!r}", f"an object with the keys {', '.join(_KEYS)}")
        found: Mapping[str, Any] = record
        return found

    def _paper(self, name: object, number: int) -> str:
        return self._named.id_of(str(name), number)

    def _fault(self, number: int, found: str, expected: str) -> SourceError:
        return SourceError(self._path, number, found=found, expected=expected)
