"""What became of the records of a library, as a table and as JSON; one paper with its sources and versions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import PurePath

from rag_qa.engine import IndexReport, PaperRecord
from rag_qa.interfaces.render import JsonObject, Kind, Line, columns, one_line, paper_json, venue_and_year
from rag_qa.papers import Paper, Version
from rag_qa.sources.reader import Problem, Trouble

SHOWN_FILES = 40
SHOWN_PROBLEMS = 10
"""How many are listed in a table; the JSON holds all."""

_COUNTED = ("read", "added", "updated", "unchanged", "merged")
_SKIPPED = (Trouble.NO_ABSTRACT, Trouble.NOT_A_PAPER, Trouble.MALFORMED)


def report_json(report: IndexReport) -> JsonObject:
    """The report of an indexing run, every record with its file and line."""
    return asdict(report)


def report_lines(report: IndexReport) -> list[Line]:
    """The report of an indexing run: a table of counts by file, what the index holds now, and what was left out, file and line."""
    lines = [Line("Preview: nothing is written.", Kind.WARNING)] if report.is_preview else []
    lines += _table(report)
    lines += _summary(report)
    for kind, problems in _by_kind([*report.skipped, *report.repaired, *report.ignored]):
        lines += problem_lines(kind, problems, limit=SHOWN_PROBLEMS, rest="--json lists them" if report.is_preview else "rag-qa papers --problems")
    return lines


def _table(report: IndexReport) -> list[Line]:
    counts: dict[str, Counter[str]] = {}
    for fate in report.records:
        counts.setdefault(fate.path, Counter()).update(["read", fate.outcome.value])
    for problem in report.skipped:
        counts.setdefault(problem.path, Counter()).update(["read", "skipped"])
    names = _short_names(list(counts))
    shown = sorted(counts)[:SHOWN_FILES]
    rows = [[names[path], *(str(counts[path][name]) for name in (*_COUNTED, "skipped"))] for path in shown]
    if len(counts) > len(shown):
        left: Counter[str] = sum((counts[path] for path in sorted(counts)[SHOWN_FILES:]), Counter())
        rows.append([f"{len(counts) - len(shown)} more files", *(str(left[name]) for name in (*_COUNTED, "skipped"))])
    total = ["all", *(str(getattr(report, name)) for name in _COUNTED), str(len(report.skipped))]
    body = [*rows, total] if len(rows) != 1 else rows
    return [Line(row) for row in _aligned([["file", *_COUNTED, "skipped"], *body])] if rows else []


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose first column stands left and the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(size) if i == 0 else cell.rjust(size) for i, (cell, size) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


def _short_names(paths: Sequence[str]) -> dict[str, str]:
    """Paths without the folder that they share."""
    folder = os.path.commonpath([str(PurePath(path).parent) for path in paths]) if paths and all(PurePath(p).is_absolute() for p in paths) else ""
    return {path: one_line(os.path.relpath(path, folder) if folder else path) for path in paths}


def _summary(report: IndexReport) -> Iterator[Line]:
    other = [f"{report.removed} removed" if report.removed else "", f"{len(report.failed)} failed" if report.failed else ""]
    if any(other):
        yield Line(f"{', '.join(part for part in other if part)}.")
    if report.is_preview:
        return
    total = f"The index holds {_count(report.papers, 'paper')} in {_count(report.passages, 'passage')}"
    yield Line(f"{total}; {report.embedded} embedded in {report.seconds:.1f} s.", Kind.HEADING)


def problem_lines(kind: Trouble, problems: Sequence[Problem], *, limit: int | None = None, rest: str = "") -> list[Line]:
    """Problems of one kind under a heading, at most `limit` of them; `rest` says where the others are."""
    shown = problems[:limit]
    lines = [Line(f"{kind.value}: {len(problems)}", Kind.HEADING), *(Line(f"  {problem_text(problem)}", Kind.WARNING) for problem in shown)]
    if len(shown) < len(problems):
        lines.append(Line(f"  and {len(problems) - len(shown)} more: {rest}", Kind.NOTE))
    return lines


def all_problem_lines(problems: Sequence[Problem]) -> list[Line]:
    """Everything that is not in the index, or not as it stands, by kind."""
    return [line for kind, some in _by_kind(problems) for line in problem_lines(kind, some)]


def problem_json(problem: Problem) -> JsonObject:
    """A problem as an object."""
    return {"path": problem.path, "line": problem.line, "kind": problem.kind.value, "reason": problem.reason}


def _by_kind(problems: Iterable[Problem]) -> Iterator[tuple[Trouble, list[Problem]]]:
    found = list(problems)
    for kind in Trouble:
        if some := [problem for problem in found if problem.kind is kind]:
            yield kind, some


def problem_text(problem: Problem) -> str:
    """A problem in one line.

    >>> problem_text(Problem("a.txt", 3, "a heading"))
    'a.txt:3: a heading'
    """
    return one_line(str(problem))


# -------------------------------------------------------------------------------------------------------------- one paper


def paper_details(paper: Paper, records: Sequence[PaperRecord]) -> list[Line]:
    """Everything that is known of a paper: its fields, its versions, and the records that it was made of."""
    fields = [(name, value) for name, value in _fields(paper) if value]
    lines = [Line(one_line(paper.label), Kind.HEADING), *(Line(row) for row in columns([(name, one_line(value)) for name, value in fields]))]
    if paper.versions:
        lines += [Line("versions", Kind.HEADING), *(Line(f"  {one_line(version_text(version))}") for version in paper.versions)]
    lines += [Line("sources", Kind.HEADING), *(Line(f"  {_record_text(record)}", Kind.ORIGIN) for record in records)]
    lines += [Line("abstract", Kind.HEADING), *(Line(f"  {one_line(part)}", Kind.QUOTE) for part in paper.abstract.split("\n"))]
    for other in paper.other_abstracts:
        lines += [Line("other abstract", Kind.HEADING), *(Line(f"  {one_line(part)}") for part in other.split("\n"))]
    return lines


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    yield "id", paper.id
    yield "authors", "; ".join(paper.authors)
    yield "published", venue_and_year(paper)
    for name in ("type", "language", "doi", "pmid", "arxiv", "url", "collection"):
        yield name, getattr(paper, name) or ""
    yield "keywords", "; ".join(paper.keywords)
    yield "notices", "; ".join(notice.value for notice in paper.notices)
    yield from sorted(paper.extra.items())


def _record_text(record: PaperRecord) -> str:
    places = ", ".join(one_line(str(origin)) for origin in record.paper.origins)
    return f"{places} ({one_line(record.reason)})" if record.reason else places


def version_text(version: Version) -> str:
    """One version in a line.

    >>> version_text(Version(year=2023, venue="arXiv", type="preprint", arxiv="2301.00001"))
    'preprint, arXiv 2023, arXiv:2301.00001'
    """
    ids = (
        f"doi:{version.doi}" if version.doi else "",
        f"PMID {version.pmid}" if version.pmid else "",
        f"arXiv:{version.arxiv}" if version.arxiv else "",
    )
    return ", ".join(part for part in (version.type or "", venue_and_year(version), *ids) if part)


def details_json(paper: Paper, records: Sequence[PaperRecord]) -> JsonObject:
    """A paper with the records that it was made of."""
    return {**paper_json(paper), "records": [{"reason": record.reason, **paper_json(record.paper)} for record in records]}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
