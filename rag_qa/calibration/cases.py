"""Questions to calibrate on: those of a person, with their papers taken away for some of them, or made from the library itself."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from rag_qa import text
from rag_qa.errors import SourceError
from rag_qa.papers import Paper, known_as

MOST_MADE = 300
"""Questions that are made from a library at most."""
_AIM, _MOST_OF_PAPER = 150, 3  # of a small library, several questions a paper are made

_FEWEST_WORDS, _MOST_WORDS = 4, 8  # of a question that is made
_TRUE, _FALSE = frozenset({"true", "yes", "y", "1"}), frozenset({"false", "no", "n", "0"})
_ACCEPTED = "accepted"
_KEYS = "question, and papers (ids or first words of abstracts) or answerable (true or false)"


class Rows(Iterator[list[str]], Protocol):
    """The rows of a table, and how many lines of the file have been read."""

    line_num: int


class Kind(StrEnum):
    """What is known of a question."""

    NAMED = "answerable, the paper known"
    UNNAMED = "answerable, no paper named"
    LEFT_OUT = "its papers left out"
    UNANSWERABLE = "not answerable"


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and when it is right to answer it. `papers`: those of which one has to be cited first, as the file names them, or their ids after
    `resolved`; none if that is not known. `without`: papers that are not there when it is asked. `line`: where it stands in its file.
    """

    question: str
    papers: tuple[str, ...] = ()
    answerable: bool = True
    history: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    line: int = 0

    @property
    def kind(self) -> Kind:
        """What is known of it.

        >>> Case("What is DP-CATE?", ("p1",)).kind
        <Kind.NAMED: 'answerable, the paper known'>
        """
        if self.without:
            return Kind.LEFT_OUT
        if not self.answerable:
            return Kind.UNANSWERABLE
        return Kind.NAMED if self.papers else Kind.UNNAMED

    def is_wrong(self, first: Collection[str]) -> bool:
        """Is it an error to answer and cite one of these papers first: should it have been refused, or is one of them not right?

        >>> Case("What is DP-CATE?", ("p1", "p2")).is_wrong(["p1"]), Case("Who?", answerable=False).is_wrong(["p1"])
        (False, True)
        """
        return not self.answerable or bool(self.papers and not (first and set(first) <= set(self.papers)))


# ------------------------------------------------------------------------------------------------------- a person's questions


def read(path: Path) -> list[Case]:
    """The questions of a file, each once: JSON lines, or a table with a heading (.csv, .tsv). Other keys and columns are left aside, and so is a
    question that has only been proposed, or was rejected (`status`).

    Raises SourceError with the line of a question that can't be used, or of which something else is said than before.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(path, None, found=f"bytes that are not UTF-8 (at byte {error.start})", expected="UTF-8 text") from None
    except OSError as error:
        raise SourceError(path, None, found=error.strerror or str(error), expected="a readable file of questions") from None
    records = _rows(path, content) if path.suffix.lower() in (".csv", ".tsv") else _objects(path, content)
    cases = [_case(path, line, record) for line, record in records if record.get("status", _ACCEPTED) == _ACCEPTED]
    if not cases:
        raise SourceError(path, None, found="no question", expected=f"JSON lines, or a table, with {_KEYS}, and with the status {_ACCEPTED} if any")
    return each_once((path, case) for case in cases)


def each_once(cases: Iterable[tuple[Path, Case]]) -> list[Case]:
    """Cases of files, each once: what is asked twice says no more than what is asked once.

    Raises SourceError where another answer is said to be right the second time.
    """
    once: dict[tuple[str, tuple[str, ...]], tuple[Path, Case]] = {}
    for path, case in cases:
        before, first = once.setdefault((text.folded(case.question), case.history), (path, case))
        if (set(case.papers), case.answerable) != (set(first.papers), first.answerable):
            raise SourceError(
                path,
                case.line,
                found=f"the question of {before}:{first.line} with other papers, or answerable there and not here",
                expected="the same of the same question, or the question once",
            )
    return [case for _, case in once.values()]


def _objects(path: Path, content: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(path, number, found=f"{line.strip()[:60]!r} ({error})", expected="one JSON object a line") from None
        if not isinstance(record, dict):
            raise SourceError(path, number, found=type(record).__name__, expected="a JSON object")
        yield number, record


def _rows(path: Path, content: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    reader = csv.reader(io.StringIO(content, newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
    rows = _whole_rows(path, reader)
    _, heading = next(rows, (1, []))
    columns = [name.strip().lower() for name in heading]
    if "question" not in columns:
        raise SourceError(path, 1, found=f"the columns {', '.join(columns)!r}", expected=f"a heading with {_KEYS}")
    if twice := next((name for name in columns if name and columns.count(name) > 1), ""):
        raise SourceError(path, 1, found=f"the column {twice!r} twice", expected="each column once")
    for line, row in rows:
        if any(cell.strip() for cell in row[len(columns) :]):
            raise SourceError(path, line, found=f"{len(row)} cells", expected=f"{len(columns)}, as in line 1: put a text that has commas in quotes")
        cells = dict(zip(columns, map(str.strip, row), strict=False))
        if any(cells.values()):
            papers = [name.strip() for name in cells.get("papers", "").split(";") if name.strip()]
            yield line, {"question": cells.get("question"), "papers": papers, "answerable": cells.get("answerable") or None}


def _whole_rows(path: Path, reader: Rows) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, each with the line that it begins in."""
    above = 0
    try:
        for row in reader:
            yield above + 1, row
            above = reader.line_num
    except csv.Error as error:
        raise SourceError(path, above + 1, found=f"a row that is no row of a table ({error})", expected="cells, with each quote closed") from None


def _case(path: Path, line: int, record: Mapping[str, object]) -> Case:
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise SourceError(path, line, found="no question" if question is None else f"question = {question!r}", expected="a question in words")
    papers, history = _texts(path, line, record, "papers"), _texts(path, line, record, "history")
    answerable = _truth(path, line, record.get("answerable"))
    if answerable is None and not papers:
        raise SourceError(
            path, line, found="neither papers nor answerable", expected="the papers that answer it, or whether any does (true or false)"
        )
    if answerable is False and papers:
        raise SourceError(path, line, found="papers for a question that is not answerable", expected="one of the two")
    return Case(question, papers, answerable is not False, history, line=line)


def _texts(path: Path, line: int, record: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = record.get(key) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise SourceError(path, line, found=f"{key} = {value!r}", expected=f"{key} as a list of texts")
    return tuple(value)


def _truth(path: Path, line: int, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    folded = str(value).lower()
    if folded not in _TRUE | _FALSE:
        raise SourceError(path, line, found=f"answerable = {value!r}", expected="true or false")
    return folded in _TRUE


def resolved(cases: Sequence[Case], papers: Sequence[Paper], path: Path) -> list[Case]:
    """The cases with the ids of their papers: a name is an id, DOI, PMID, arXiv id or label of a paper, or the first words of its abstract.

    Raises SourceError for a name that means no paper, or several.
    """
    beginnings = [(text.folded(paper.abstract), paper.id) for paper in papers]
    known: dict[str, list[str]] = {}
    for paper in papers:
        for name in known_as(paper):
            known.setdefault(name, []).append(paper.id)

    def meant(name: str, case: Case) -> str:
        wanted = text.folded(name)
        found = known.get(wanted) or [paper_id for beginning, paper_id in beginnings if beginning.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        what = f"the paper {name!r}, which means {len(found) or 'none'} of {len(papers)} papers"
        raise SourceError(path, case.line, found=what, expected="an id (rag-qa papers --json lists them), or the first words of one abstract")

    return [replace(case, papers=tuple(dict.fromkeys(meant(name, case) for name in case.papers))) for case in cases]


# ----------------------------------------------------------------------------------------------------- made from the library


def made(papers: Sequence[Paper]) -> list[Case]:
    """Questions of some words of one sentence of an abstract, without the name of its method: one for each paper, several if there are few papers;
    of very many papers, for some of them.

    They are easier than those of people: they have the abstract's own words.
    """
    chosen = sorted(papers, key=lambda paper: paper.id)[:MOST_MADE]  # ids are made of hashes: as good as drawn by lot
    most = min(_MOST_OF_PAPER, math.ceil(_AIM / max(1, len(chosen))))
    return [Case(question, (paper.id,)) for paper in chosen for question in _questions(paper)[:most]]


def _questions(paper: Paper) -> list[str]:
    """Words of each sentence that has enough of them, in an order that is drawn by lot and the same each time.

    >>> _questions(Paper("p1", "Tides are hard. We present TIDE-7, which predicts coastal floods eight hours ahead from satellite images."))
    ['predicts coastal floods eight hours ahead satellite images']
    """
    names = {word.text for word in text.words(text.folded(text.name_of(paper.abstract) or ""))}
    sentences = [paper.abstract[start:end] for start, end in text.sentences(paper.abstract)]
    words = [[word for word in dict.fromkeys(text.content_words(one)) if word not in names] for one in sentences]
    long = [some for some in words if len(some) >= _FEWEST_WORDS]
    # the first sentence says what everybody knows
    fit = long[1:] or long
    return sorted((" ".join(some[:_MOST_WORDS]) for some in fit), key=_lot)


def with_papers_left_out(cases: Sequence[Case], share: float) -> list[Case]:
    """The cases, of which a share (0 to 1) is not to be answered: as many as are missing are asked with their papers left out, drawn by lot and the
    same each time. A question is asked with its papers or without, never both: two such cases would not be independent.
    """
    wanted = math.ceil(share * len(cases)) - sum(not case.answerable for case in cases)
    drawn = sorted((case for case in cases if case.kind is Kind.NAMED), key=lambda case: _lot(case.question))[: max(0, wanted)]
    left_out = set(map(id, drawn))
    return [replace(case, answerable=False, without=frozenset(case.papers)) if id(case) in left_out else case for case in cases]


def _lot(name: str) -> int:
    """A number that only chance could have to do with a text, the same each time."""
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])
