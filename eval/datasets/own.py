"""Questions of a person's own, with as many labels as there are: a table (CSV) or JSON lines in which `question` alone is enough.

What is not given stays unknown: figures that need it say so (na:missing_field), and the others are measured.

    question,papers,facts,answerable
    How fast is TIDE-7?,Tides are hard to predict,1.5 times | 1.5×,yes
    Who paid for it?,,,no
    What is it good for?,,,

`papers`: ids or first words of abstracts, with ; between them. `facts`: the aliases of one fact with | between them, facts with ; between them.
`reference`: an answer that somebody has written.
`history`: the earlier questions of the person, oldest first, with | between them. `answerable`: yes or no.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rag_qa.errors import SourceError

KIND = "open"
COLUMNS = ("id", "question", "papers", "facts", "answerable", "history", "reference")
SAID = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def is_table(path: Path) -> bool:
    """Is it a table and not JSON lines?"""
    return path.suffix.lower() in (".csv", ".tsv")


def rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(physical line, record) of each row of a table. Raises SourceError for a column that is not known or there twice, no column `question`, and for
    what is no row of a table.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
    try:
        yield from _records(path, reader)
    except csv.Error as error:
        raise SourceError(
            path, reader.line_num + 1, found=f"a row that is no row of a table ({error})", expected="cells, with each quote closed"
        ) from None


def _records(path: Path, reader: csv.DictReader[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    names = [name.strip().lower() for name in reader.fieldnames or ()]
    unknown = [name for name in names if name not in COLUMNS]
    if "question" not in names or unknown:
        found = f"the column {unknown[0]!r}" if unknown else "no column question"
        raise SourceError(path, 1, found=found, expected=f"columns {', '.join(COLUMNS)}, of which question alone is needed")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise SourceError(path, 1, found=f"the column {twice!r} twice", expected="each column once")
    reader.fieldnames = names
    for row in reader:
        if None in row:
            raise SourceError(path, reader.line_num, found=f"{len(names) + len(row[None])} cells", expected=f"{len(names)}, as in the first line")
        cells = {name: (value or "").strip() for name, value in row.items()}
        if any(cells.values()):
            yield reader.line_num, _of_row(path, reader.line_num, cells)


def _of_row(path: Path, number: int, cells: Mapping[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"question": cells["question"]}
    if cells.get("id"):
        record["id"] = cells["id"]
    if cells.get("reference"):
        record["reference"] = cells["reference"]
    if papers := parts(cells.get("papers", ""), ";"):
        record["papers"] = papers
    if groups := parts(cells.get("facts", ""), ";"):
        record["facts"] = [parts(group, "|") for group in groups]
    if history := parts(cells.get("history", ""), "|"):
        record["history"] = history
    if said := cells.get("answerable", "").lower():
        if said not in SAID:
            raise SourceError(path, number, found=f"answerable = {said!r}", expected="yes, no, or nothing where it is not known")
        record["answerable"] = SAID[said]
    return record


def parts(cell: str, mark: str) -> list[str]:
    """The parts of a cell.

    >>> parts("1.5 times | 1.5×", "|")
    ['1.5 times', '1.5×']
    """
    return [part.strip() for part in cell.split(mark) if part.strip()]


def completed(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A record with what it leaves out: an id by its line, and whether papers answer it, where its labels say so.

    >>> completed({"question": "Why?", "papers": ["Tides"]}, 3)["answerable"], completed({"question": "Why?"}, 4)["answerable"]
    (True, None)
    """
    answerable = True if any(record.get(label) for label in ("papers", "facts", "nuggets")) else None
    return {"id": f"q{number}", "kind": KIND, "answerable": answerable, "papers": [], "facts": [], "history": [], **record}
