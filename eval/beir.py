"""A folder in the layout of BEIR (Thakur et al., NeurIPS 2021 Datasets and Benchmarks): documents, questions, judgments.

`corpus.jsonl` (_id, title, text), `queries.jsonl` (_id, text), `qrels/<split>.tsv` (question, document, grade, below a line of names).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from rag_qa.errors import SourceError

CORPUS, QUERIES, ALL_QUERIES = "corpus.jsonl", "queries.jsonl", "queries_all.jsonl"


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and the documents that answer it. `text`: None where no file of the folder has it. `grades`: document -> grade above 0."""

    id: str
    text: str | None
    grades: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Beir:
    """A folder and one of its splits. `lines`: document -> the physical line (from 1) of `corpus.jsonl` at which it stands."""

    folder: Path
    split: str
    lines: Mapping[str, int]
    questions: tuple[Judged, ...]

    @property
    def name(self) -> str:
        """What the collection is called: BEIR's own folders are called so themselves.

        >>> Beir(Path("data/scifact"), "test", {}, ()).name, Beir(Path("data/scifact/beir"), "test", {}, ()).name
        ('scifact', 'scifact')
        """
        return self.folder.parent.name if self.folder.name == "beir" else self.folder.name

    @property
    def corpus(self) -> Path:
        """The file with the documents."""
        return self.folder / CORPUS

    @property
    def judgments(self) -> Path:
        """The file with the judgments of the split."""
        return _judgments(self.folder, self.split)

    def limited(self, most: int | None) -> Beir:
        """The same with so many of the questions, chosen by a hash of their ids: the same ones each time, and not the first of one subject."""
        if most is None or most >= len(self.questions):
            return self
        chosen = {question.id for question in sorted(self.questions, key=lambda one: sha256(one.id.encode()).digest())[:most]}
        return replace(self, questions=tuple(question for question in self.questions if question.id in chosen))


def load(folder: Path, split: str) -> Beir:
    """Read a folder. The questions come in the order of the judgments. Raises SourceError."""
    folder = folder.resolve()
    grades = _grades(folder, split)
    texts = _texts(folder, grades)
    questions = tuple(
        Judged(id_, texts.get(id_), {document: grade for document, grade in graded.items() if grade > 0}) for id_, graded in grades.items()
    )
    return Beir(folder, split, _lines(folder / CORPUS), questions)


def _judgments(folder: Path, split: str) -> Path:
    return folder / "qrels" / f"{split}.tsv"


def _lines(path: Path) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, record in records(path):
        document = str(record["_id"])
        if document in lines:
            raise SourceError(path, number, found=f"the id {document!r} of line {lines[document]} again", expected="ids that differ")
        lines[document] = number
    return lines


def _texts(folder: Path, wanted: Mapping[str, object]) -> dict[str, str]:
    """Questions by id; `queries_all.jsonl` is asked for those that `queries.jsonl` lacks."""
    texts: dict[str, str] = {}
    for name in (QUERIES, ALL_QUERIES):
        if name == QUERIES or ((folder / name).is_file() and not wanted.keys() <= texts.keys()):
            found = {str(record["_id"]): str(record.get("text") or "") for _, record in records(folder / name)}
            texts = {**found, **texts}
    return texts


def records(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """(physical line, object with an _id) of each line that is not blank. Raises SourceError."""
    for number, line in _read(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(path, number, found=str(error), expected="a JSON object") from None
        if not isinstance(record, dict) or not isinstance(record.get("_id"), str | int):
            raise SourceError(path, number, found=line.strip()[:60], expected="a JSON object with an _id")
        yield number, record


def _grades(folder: Path, split: str) -> dict[str, dict[str, float]]:
    """Question -> document -> grade."""
    path = _judgments(folder, split)
    if (folder / "qrels").is_dir() and not path.is_file():
        there = ", ".join(sorted(found.stem for found in path.parent.glob("*.tsv"))) or "none"
        raise SourceError(path, None, found="no such file", expected=f"judgments of a split (there are: {there})")
    grades: dict[str, dict[str, float]] = {}
    for number, line in _read(path):
        parts = line.split("\t")
        if number == 1 and not _is_grade(parts[-1]):
            continue  # the names of the columns
        if len(parts) != 3 or not _is_grade(parts[2]):
            raise SourceError(path, number, found=repr(line.rstrip()[:60]), expected="question, document and grade, with tabs between them")
        graded = grades.setdefault(parts[0], {})
        if parts[1] in graded:
            raise SourceError(path, number, found=f"{parts[0]} and {parts[1]} again", expected="each pair once")
        graded[parts[1]] = float(parts[2])
    if not grades:
        raise SourceError(path, None, found="no judgment", expected="lines of question, document and grade")
    return grades


def _is_grade(value: str) -> bool:
    return value.strip().lstrip("+-").replace(".", "", 1).isdecimal()


def _read(path: Path) -> Iterator[tuple[int, str]]:
    """(physical line, text) of each line that is not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else str(error)
        expected = f"a folder in the layout of BEIR: {CORPUS}, {QUERIES}, qrels/SPLIT.tsv"
        raise SourceError(path, None, found=reason, expected=expected) from None
