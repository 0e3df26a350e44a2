"""The questions of a folder in the layout of BEIR: each is answered by the papers that its judgments name, the grades above 0.

Beside it may stand `qa.jsonl` (id, answer): an answer that somebody has written, against which the information of an answer is measured.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from eval import beir
from eval.beir import Beir
from eval.corpus import Corpus
from eval.datasets.loader import Kind, Question
from rag_qa.errors import SourceError
from rag_qa.papers import Paper

ANSWERS = "qa.jsonl"


def questions(collection: Beir) -> list[Question]:
    """Those that have a text, in the order of the judgments; ids of papers as the folder has them."""
    references = _references(collection.folder / ANSWERS)
    return [
        Question(one.id, Kind.OPEN, one.text, papers=tuple(one.grades), line=number, reference=references.get(one.id, ""))
        for number, one in enumerate(collection.questions, start=1)
        if one.text and one.grades
    ]


def corpus(collection: Beir) -> Corpus:
    """Its documents, and the abstract of each by its id. Raises SourceError."""
    abstracts = {str(record["_id"]): str(record.get("text") or "") for _, record in beir.records(collection.corpus)}
    return Corpus(collection.corpus, abstracts)


def as_read(collection: Beir, raw: Corpus, papers: Sequence[Paper]) -> Corpus:
    """The same with the abstracts as a system has read them, by the lines at which they stand: readers clean texts up."""
    read = {origin.line: paper.abstract for paper in papers for origin in paper.origins if Path(origin.path).name == beir.CORPUS}
    return Corpus(raw.path, {**raw.abstracts, **{document: read[line] for document, line in collection.lines.items() if line in read}})


def _references(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            found[str(record["id"])] = str(record["answer"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SourceError(path, number, found=repr(error), expected="an object with id and answer") from error
    return found
