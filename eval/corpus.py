"""The abstracts that a question set is about: files and folders that the system reads itself, or ids of a data set, made into such a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rag_qa.errors import SourceError

ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT / "seeds"
ICLR = ROOT.parent / "shared" / "data" / "iclr2025" / "papers.jsonl"
"""Where the data set of ICLR 2025 papers is looked for; it is not part of the project."""
LABELLED_DUPLICATES = ROOT.parent / "shared" / "data" / "exports" / "asysd_labelled_duplicates_latin1.csv"
"""Where records whose copies people have labelled are looked for; they are not part of the project either."""

COLLECTION = "ICLR 2025 Papers"
_LABEL = re.compile(r"^(?i:abstract)[:.]? (?=[A-Z])")
"""What some abstracts begin with, and no reader keeps."""


class DataAbsent(Exception):
    """The data set that a question set is about is not on this machine: nothing can be measured, and nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What to index. `abstracts`: ids that the questions use for papers -> abstract; empty where they use first words."""

    path: Path
    abstracts: Mapping[str, str] = field(default_factory=dict)


def ids_beside(data: Path) -> Path | None:
    """The list of ids that belongs to a question set (`iclr_dev.jsonl`: `iclr_dev_papers.txt`), if there is one."""
    ids = data.with_name(f"{data.stem}_papers.txt")
    return ids if ids.is_file() else None


def from_ids(ids: Path, directory: Path, *, papers: Path) -> Corpus:
    """Write the abstracts of some ids as a file of the seeds' form into a directory: a line that names the collection, then one abstract a
    paragraph with single blanks inside. Raises DataAbsent without the data set, SourceError for an id that is not in it.
    """
    if not papers.is_file():
        raise DataAbsent(f"{papers} is not there, so the corpus of {ids.name} cannot be made")
    wanted = [line.strip() for line in ids.read_text(encoding="utf-8").splitlines() if line.strip()]
    known = _abstracts(papers)
    for number, identifier in enumerate(wanted, start=1):
        if identifier not in known:
            raise SourceError(ids, number, found=f"the id {identifier!r}", expected=f"an id of {papers}")
    abstracts = {identifier: known[identifier] for identifier in wanted}
    path = directory / f"{ids.stem}.txt"
    path.write_text("\n\n".join([COLLECTION, *abstracts.values()]) + "\n", encoding="utf-8")
    return Corpus(path, abstracts)


def _abstracts(papers: Path) -> dict[str, str]:
    found = {}
    for number, line in enumerate(papers.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            found[str(record["id"])] = _LABEL.sub("", " ".join(record["abstract"].split()))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise SourceError(papers, number, found=repr(error), expected="an object with an id and an abstract") from error
    return found
