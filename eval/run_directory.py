"""What a run leaves in its directory, so that it can be scored, compared and reported again without the system.

    items.jsonl      one line a question, in the order of the questions: the answer and what it rests on; nothing measured by a clock
    papers.jsonl     the papers that were asked about: id, label, abstract
    timings.jsonl    seconds a question, by stage
    manifest.json    what was run on what: revision, hashes, settings, seeds, models, dates; whether it is complete
    summary.json     every figure

While a run goes on, finished items stand in items.partial.jsonl; a run that was interrupted goes on from there when what it is made of is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval import items as item_module
from eval.items import Item, Timing, read_lines, write_lines
from rag_qa.errors import RagQAError
from rag_qa.papers import Paper

ITEMS, PARTIAL, PAPERS, TIMINGS = "items.jsonl", "items.partial.jsonl", "papers.jsonl", "timings.jsonl"
MANIFEST, SUMMARY = "manifest.json", "summary.json"


class RunDirectoryError(RagQAError):
    """A directory that is none of a run, or of another one; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run. `library`: paper id -> abstract; `labels`: paper id -> what it is called. `is_complete`: every question was asked."""

    directory: Path
    items: tuple[Item, ...]
    timings: tuple[Timing, ...]
    library: Mapping[str, str]
    labels: Mapping[str, str]
    manifest: Mapping[str, Any]

    @property
    def is_complete(self) -> bool:
        """Was every question asked?"""
        return len(self.items) == int(self.manifest["questions"])


def load(directory: Path) -> Run:
    """Read what stands in a directory, of an interrupted run as far as it came. Raises RunDirectoryError."""
    manifest_path = directory / MANIFEST
    if not manifest_path.is_file():
        raise RunDirectoryError(f"{directory}: no {MANIFEST} in it; expected a directory that `python -m eval run --out` wrote")
    there = directory / ITEMS if (directory / ITEMS).is_file() else directory / PARTIAL
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
        records = read_lines(there) if there.is_file() else []
        papers = read_lines(directory / PAPERS)
        timings = read_lines(directory / TIMINGS) if (directory / TIMINGS).is_file() else []
        return Run(
            directory,
            tuple(item_module.from_json(record) for record in records),
            tuple(Timing(**record) for record in timings),
            {paper["id"]: paper["abstract"] for paper in papers},
            {paper["id"]: paper["label"] for paper in papers},
            manifest,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunDirectoryError(f"{directory}: {there.name} can't be read ({error}); run it again with --fresh") from error


class Writer:
    """Keeps a run while it goes on. Items come in any order; at the end they stand in that of the questions."""

    def __init__(self, directory: Path, manifest: Mapping[str, Any], papers: Sequence[Paper], *, fresh: bool = False) -> None:
        """Begin, or go on where a run of the same made-of ended. Raises RunDirectoryError for a directory that holds another run."""
        self._directory = directory
        self.done: dict[str, Item] = {}
        self.timings: dict[str, Timing] = {}
        directory.mkdir(parents=True, exist_ok=True)
        earlier = directory / MANIFEST
        if earlier.is_file() and not fresh:
            self._go_on(json.loads(earlier.read_text(encoding="utf-8")), manifest)
        else:
            for name in (ITEMS, PARTIAL, TIMINGS, SUMMARY):
                (directory / name).unlink(missing_ok=True)
        self.manifest = dict(manifest)
        _write_json(directory / MANIFEST, self.manifest)
        write_lines(directory / PAPERS, ({"id": paper.id, "label": paper.label, "abstract": paper.abstract} for paper in papers))

    def _go_on(self, earlier: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
        if earlier.get("made_of") != manifest["made_of"]:
            raise RunDirectoryError(
                f"{self._directory} holds another run (other questions, papers or settings); name another directory, or say --fresh"
            )
        partial = self._directory / PARTIAL
        if not partial.is_file():
            (self._directory / ITEMS).unlink(missing_ok=True)  # a whole run is run anew
            return
        self.done = {item.question.id: item for item in map(item_module.from_json, _whole_lines(partial))}
        kept = _whole_lines(self._directory / TIMINGS) if (self._directory / TIMINGS).is_file() else []
        self.timings = {record["id"]: Timing(**record) for record in kept if record["id"] in self.done}
        write_lines(partial, map(item_module.to_json, self.done.values()))  # without a last line that was cut
        write_lines(self._directory / TIMINGS, map(asdict, self.timings.values()))

    def keep(self, item: Item, timing: Timing | None) -> None:
        """Write one item at once."""
        self.done[item.question.id] = item
        _append(self._directory / PARTIAL, item_module.to_json(item))
        if timing is not None:
            self.timings[item.question.id] = timing
            _append(self._directory / TIMINGS, asdict(timing))

    def finish(self, order: Sequence[str], **more: Any) -> None:
        """All questions were asked: put the items in order and complete the manifest."""
        ordered = [self.done[identifier] for identifier in order]
        write_lines(self._directory / TIMINGS, (asdict(self.timings[one]) for one in order if one in self.timings))
        whole = self._directory / f"{ITEMS}.new"
        write_lines(whole, map(item_module.to_json, ordered))
        whole.replace(self._directory / ITEMS)
        (self._directory / PARTIAL).unlink(missing_ok=True)
        self.manifest |= more
        _write_json(self._directory / MANIFEST, self.manifest)


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file whose last line may have been cut by an interruption."""
    found = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _append(path: Path, record: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")


def _write_json(path: Path, record: Mapping[str, Any]) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n", encoding="utf-8")
    new.replace(path)


def hash_of(parts: Iterable[str]) -> str:
    """SHA-256 over some texts in order, hexadecimal.

    >>> hash_of(["a", "b"]) == hash_of(["ab"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def hash_of_papers(papers: Sequence[Paper]) -> str:
    """What was asked about, whatever the order."""
    return hash_of(part for paper in sorted(papers, key=lambda one: one.id) for part in (paper.id, paper.abstract))
