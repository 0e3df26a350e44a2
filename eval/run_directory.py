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
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from eval import items as item_module
from eval.items import Item, Timing, write_lines
from rag_qa.errors import RagQAError
from rag_qa.papers import Paper

T = TypeVar("T")

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
    manifest = _manifest(directory)
    there = directory / ITEMS if (directory / ITEMS).is_file() else directory / PARTIAL
    items = _items(there)
    _require_all(there, items, manifest)
    papers = _each(directory / PAPERS, lambda record: (str(record["id"]), str(record["label"]), str(record["abstract"])))
    if (expected := manifest["about"].get("papers", len(papers))) != len(papers):
        raise RunDirectoryError(f"{directory / PAPERS}: found {len(papers)} papers, expected the {expected} of {MANIFEST}{_AGAIN}")
    library = {identifier: abstract for identifier, _, abstract in papers}
    timings = _each(directory / TIMINGS, _timing) if (directory / TIMINGS).is_file() else []
    return Run(directory, tuple(items), tuple(timings), library, {identifier: label for identifier, label, _ in papers}, manifest)


def _items(path: Path) -> list[Item]:
    if not path.is_file():
        return []
    return _whole_lines(path, item_module.from_json) if path.name == PARTIAL else _each(path, item_module.from_json)


_AGAIN = "; run it again with --fresh"
_SCHEMA = 1
_NO_RUN = "expected a directory that `python -m eval run --out` wrote"


def _manifest(directory: Path) -> Mapping[str, Any]:
    path = directory / MANIFEST
    if not path.is_file():
        raise RunDirectoryError(f"{directory}: no {MANIFEST} in it; {_NO_RUN}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunDirectoryError(f"{path} can't be read ({error}){_AGAIN}") from error
    if not (isinstance(found, dict) and isinstance(found.get("about"), dict) and isinstance(found.get("questions"), int)):
        raise RunDirectoryError(f"{path}: found no description of a run, {_NO_RUN}{_AGAIN}")
    if (schema := found.get("schema", _SCHEMA)) != _SCHEMA:
        raise RunDirectoryError(f"{path}: found schema {schema!r} of another version, expected {_SCHEMA}{_AGAIN}")
    return found


def _each(path: Path, make: Callable[[dict[str, Any]], T]) -> list[T]:
    """What the lines of a file hold. Raises RunDirectoryError with the line that is none."""
    found, number = [], 0
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):  # noqa: B007 (the error tells it)
            if line:
                found.append(make(json.loads(line)))
    except OSError as error:
        raise RunDirectoryError(f"{path} can't be read ({error.strerror}){_AGAIN}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        where = f"{path}:{number}" if number else str(path)
        raise RunDirectoryError(f"{where} can't be read ({error!r}), expected a line that a run wrote{_AGAIN}") from error
    return found


def _timing(record: Mapping[str, Any]) -> Timing:
    return Timing(**record)


def _require_all(path: Path, items: Sequence[Item], manifest: Mapping[str, Any]) -> None:
    """Each question once, and in a run that came to its end all of them. Raises RunDirectoryError."""
    twice = [identifier for identifier, count in Counter(item.question.id for item in items).items() if count > 1]
    if twice:
        raise RunDirectoryError(f"{path}: found the question {twice[0]} twice, expected each once{_AGAIN}")
    expected = manifest["questions"]
    if (manifest.get("finished") or path.name == ITEMS) and len(items) != expected:
        raise RunDirectoryError(f"{path}: found {len(items)} questions, expected the {expected} of {MANIFEST}{_AGAIN}")
    if not items and expected:
        raise RunDirectoryError(f"{path}: found no answer yet, expected at least one; go on with the same `python -m eval run`")


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
            self._go_on(_manifest(directory), manifest)
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
        self.done = {item.question.id: item for item in _whole_lines(partial, item_module.from_json)}
        kept = _whole_lines(self._directory / TIMINGS, _timing) if (self._directory / TIMINGS).is_file() else []
        self.timings = {timing.id: timing for timing in kept if timing.id in self.done}
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


def _whole_lines(path: Path, make: Callable[[dict[str, Any]], T]) -> list[T]:
    """What the lines of a file hold that are whole: an interruption may have cut the last one. The others are asked again."""
    found = []
    for line in path.read_bytes().split(b"\n"):
        try:
            found.append(make(json.loads(line.decode("utf-8"))))
        except (ValueError, LookupError, TypeError, AttributeError):
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
