"""How well records of one work are found, measured on a table of records that people have labelled.

The table says of each record whether it is the one that was kept ("unique") or a copy ("duplicate"), and not of which record it is a copy. A copy is
taken to be one of the kept record that it resembles most, by measures of its own that share no code with `rag_qa.dedup`. Half of the works, chosen by
a hash, are there to develop on; the others are looked at when nothing is changed any more.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz, process

from rag_qa import dedup
from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from rag_qa.sources import documents, files
from rag_qa.sources.reader import Problem

KEPT, COPY = "unique", "duplicate"
HALVES = ("development", "held out")

Row = Mapping[str, str]


# ------------------------------------------------------------------------------------------------------------------- labels


@dataclass(frozen=True, slots=True)
class Labelled:
    """A record, the work that it is of (the place of its kept record in the table), and the half that this work is in."""

    paper: Paper
    work: int
    half: str


def load(path: Path) -> list[Labelled]:
    """The labelled records of a table, in order. Raises SourceError for a table without labels, or one whose records are not all read."""
    rows = _rows(path)
    papers = {paper.origins[0].line: paper for paper in files.read(path) if isinstance(paper, Paper)}
    for line in rows:
        if line not in papers:
            raise SourceError(path, line, found="a labelled record that the program does not read", expected="every record to be read")
    of_work = works(list(rows.values()))
    kept = list(rows.values())
    return [Labelled(papers[line], work, _half(kept[work])) for line, work in zip(rows, of_work, strict=True)]


def _rows(path: Path) -> dict[int, Row]:
    """Rows by the line at which they begin."""
    (document,) = documents.opened(path)
    if isinstance(document, Problem):
        raise SourceError(path, document.line, found=document.reason, expected="a table of labelled records")
    reader = csv.DictReader(io.StringIO(document.text(), newline=""))
    rows: dict[int, Row] = {}
    begins = 2  # below the names of the columns
    for row in reader:
        rows[begins] = {name: value or "" for name, value in row.items()}
        begins = reader.line_num + 1
    return {line: {**row, _LABEL: _label(path, line, row)} for line, row in rows.items()}


_LABEL = "what people say"


def _label(path: Path, line: int, row: Row) -> str:
    found = [value for value in row.values() if value in (KEPT, COPY)]
    if len(found) != 1:
        raise SourceError(path, line, found=f"{len(found)} labels", expected=f"one column that says {KEPT} or {COPY}")
    return found[0]


def _half(row: Row) -> str:
    return HALVES[sha256(f"dev{row['record_id']}".encode()).digest()[0] % 2]


def works(rows: Sequence[Row]) -> list[int]:
    """For each row, the place of the kept row that it is a copy of: itself if it was kept, else the one that it resembles most."""
    kept = [at for at, row in enumerate(rows) if row[_LABEL] == KEPT]
    copies = [at for at, row in enumerate(rows) if row[_LABEL] == COPY]
    names = [_plain(row["title"]) for row in rows]
    alike = process.cdist([names[at] for at in copies], [names[at] for at in kept], scorer=fuzz.ratio, dtype=np.float32)
    of_work = {at: at for at in kept}
    for copy, scores in zip(copies, alike, strict=True):
        nearest = [kept[at] for at in np.argsort(-scores, kind="stable")[:_NEAREST]]
        of_work[copy] = max(nearest, key=lambda at: _resemblance(rows[copy], rows[at]))
    return [of_work[at] for at in range(len(rows))]


_NEAREST = 8  # titles that are looked at closely
_DOI = re.compile(r"10\.\d{4,}/\S+")
_NUMBER = re.compile(r"\d+")


def _resemblance(one: Row, other: Row) -> float:
    """How much two rows look like records of one work; only its order counts."""
    score = sum(weight * fuzz.ratio(_plain(one[name])[:400], _plain(other[name])[:400]) for name, weight in _TEXTS)
    score += 10 * (one["year"] == other["year"])
    for name, pattern, weight in _VALUES:
        a, b = pattern.search(one[name]), pattern.search(other[name])
        if a and b:
            score += weight if a.group().lower() == b.group().lower() else -weight / 3
    return score


_TEXTS = (("title", 1.0), ("author", 0.1), ("abstract", 0.1), ("journal", 0.05))
_VALUES = (("doi", _DOI, 20), ("pages", _NUMBER, 10), ("volume", _NUMBER, 6))


def _plain(value: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKD", value).casefold()))


# ------------------------------------------------------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found among the records of some works. A pair is two records of one group.

    `merged_in_error`: groups with records of several works, and `split`: works with records in several groups; the records of each, as lines.
    """

    scope: str
    records: int
    works: int
    groups: int
    right_pairs: int
    wrong_pairs: int
    missed_pairs: int
    merged_in_error: tuple[tuple[str, ...], ...] = ()
    split: tuple[tuple[str, ...], ...] = ()

    @property
    def precision(self) -> float | None:
        """Share of the pairs that were found which are right; None where none was found."""
        return _share(self.right_pairs, self.wrong_pairs)

    @property
    def recall(self) -> float | None:
        """Share of the right pairs that was found."""
        return _share(self.right_pairs, self.missed_pairs)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both."""
        return _share(2 * self.right_pairs, self.wrong_pairs + self.missed_pairs)


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def measure(records: Sequence[Labelled], scope: str = "all") -> Figures:
    """Group the records and hold the groups against the labels."""
    groups = dedup.group([dedup.keys(record.paper) for record in records])
    found = Counter[str]()
    of_group: dict[int, int] = {}
    merged_in_error = []
    for number, group in enumerate(groups):
        of_group.update(dict.fromkeys(group.members, number))
        is_right = [records[a].work == records[b].work for a, b in combinations(group.members, 2)]
        found["right"] += sum(is_right)
        found["wrong"] += len(is_right) - sum(is_right)
        if not all(is_right):
            merged_in_error.append(tuple(_line(records[at].paper, reason) for at, reason in zip(group.members, group.reasons, strict=True)))
    members: dict[int, list[int]] = defaultdict(list)
    for at, record in enumerate(records):
        members[record.work].append(at)
    split = [ats for ats in members.values() if len({of_group[at] for at in ats}) > 1]
    pairs = sum(len(ats) * (len(ats) - 1) // 2 for ats in members.values())
    return Figures(
        scope=scope,
        records=len(records),
        works=len(members),
        groups=len(groups),
        right_pairs=found["right"],
        wrong_pairs=found["wrong"],
        missed_pairs=pairs - found["right"],
        merged_in_error=tuple(merged_in_error),
        split=tuple(tuple(_line(records[at].paper, f"group {of_group[at]}") for at in ats) for ats in split),
    )


def run(path: Path) -> list[Figures]:
    """Measure both halves of a labelled table, and the whole."""
    records = load(path)
    halves = [measure([record for record in records if record.half == half], half) for half in HALVES]
    return [*halves, measure(records)]


def across(paths: Sequence[Path]) -> Counter[tuple[str, ...]]:
    """How many works were found in which files: the names of the files that have one -> works."""
    papers = [paper for path in paths for paper in files.read(path) if isinstance(paper, Paper)]
    groups = dedup.group([dedup.keys(paper) for paper in papers])
    return Counter(tuple(sorted({Path(papers[at].origins[0].path).name for at in group.members})) for group in groups)


# -------------------------------------------------------------------------------------------------------------------- lines


def lines(figures: Sequence[Figures]) -> list[str]:
    """The figures as a table, and of the last ones, those of the whole, every wrong merge and missed one with its records, for a person to judge."""
    head = ("", "records", "works", "groups", "precision", "recall", "    F1", "right", "wrong", "missed", "merged in error", "split")
    table = [
        f"{row[0]:12}" + "".join(f"{value:>{len(name) + 3}}" for name, value in zip(head[1:], row[1:], strict=True)) for row in map(_row, figures)
    ]
    names = " " * 12 + "".join(f"   {name}" for name in head[1:])
    return [names, *table, "right, wrong, missed: pairs of records of one work", *(_told(figures[-1]) if figures else [])]


def _row(found: Figures) -> tuple[str, ...]:
    counts = (found.right_pairs, found.wrong_pairs, found.missed_pairs, len(found.merged_in_error), len(found.split))
    shares = (found.precision, found.recall, found.f1)
    return (found.scope, *map(str, (found.records, found.works, found.groups)), *map(_shown, shares), *map(str, counts))


def _told(found: Figures) -> list[str]:
    told = []
    for title, groups in (
        (f"{found.scope}: works merged in error", found.merged_in_error),
        (f"{found.scope}: works not found together", found.split),
    ):
        for number, group in enumerate(groups, start=1):
            told += [f"{title}, {number} of {len(groups)}", *(f"  {line}" for line in group)]
    return told


def _shown(share: float | None) -> str:
    return "none" if share is None else f"{share:.4f}"


def _line(paper: Paper, remark: str) -> str:
    place = " ".join(f"{name} {paper.extra[name]}" for name in ("volume", "pages") if name in paper.extra)
    about = (paper.title or paper.label, paper.authors[0] if paper.authors else "", str(paper.year or ""), paper.venue or "", place, paper.doi or "")
    return f"{paper.origins[0]}  {' | '.join(filter(None, about))}  [{remark}]"
