"""What a person named, and what the index knows -> the files to read, the files that have gone, and what to remember."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from rag_qa.errors import SourceError
from rag_qa.index.changes import Source
from rag_qa.index.register import Root
from rag_qa.sources import files
from rag_qa.sources.reader import Problem, Trouble

STDIN = "-"
"""The path that means standard input."""
STDIN_SHOWN = "<stdin>"
"""How its records are located."""

_GONE = "has gone from the folder, and its papers from the index"
_KEPT = "; its papers stay in the index until you say: rag-qa remove {}"


@dataclass(slots=True)
class Reading:
    """One reading of a library.

    `gone`: files that are no longer there; `roots`: to be remembered; `forgotten`: roots that are not to be read again; `problems`: what is there and
    is not read.
    """

    sources: list[Source] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, named: Sequence[Root], known: Sequence[Root], sources: Sequence[str], *, stdin: BinaryIO | None, language: str) -> Reading:
        """What a person named just now. `known` and `sources`: roots and files that the index remembers. What was removed comes back if it is in
        what is named."""
        reading = cls()
        if any(root.path == STDIN for root in named) and stdin is not None:
            reading.sources.append(Source(STDIN_SHOWN, partial(files.read_stream, stdin, mapping=_named_mapping(named), language=language)))
        roots = [replace(root, path=_absolute(root.path)) for root in named if root.path != STDIN]
        reading._read(roots, _more_specific(roots, known), sources, (), language)
        reading.roots = [root for root in roots if not files.has_gone(root.path)]
        reading.forgotten = [root.path for root in known if root.is_excluded and any(_holds(new.path, root.path) for new in roots)]
        return reading

    @classmethod
    def again(cls, known: Sequence[Root], sources: Sequence[str], *, language: str) -> Reading:
        """What was ever named, without what was removed."""
        reading = cls()
        roots = [root for root in known if not root.is_excluded]
        reading._read(roots, roots, sources, [root.path for root in known if root.is_excluded], language)
        reading.problems = [_told_to_stay(problem, roots) for problem in reading.problems]
        return reading

    @classmethod
    def without(cls, paths: Sequence[str], known: Sequence[Root], sources: Sequence[str]) -> Reading:
        """Nothing of these files and folders. Raises SourceError for one that the index does not know."""
        reading = cls()
        for given in paths:
            path = STDIN_SHOWN if given in (STDIN, STDIN_SHOWN) else _absolute(given)
            gone = [source for source in sources if _holds(path, source)]
            forgotten = [root.path for root in known if _holds(path, root.path) and not root.is_excluded]
            if not gone and not forgotten:
                raise SourceError(given, None, found="no such file or folder in the index", expected=_known_names(sources))
            reading.gone += gone
            reading.forgotten += forgotten
            if any(_holds(root.path, path) for root in known if root.path not in reading.forgotten and not root.is_excluded):
                reading.roots.append(Root(path, is_excluded=True))
        return reading

    def _read(self, roots: Sequence[Root], mappings: Sequence[Root], sources: Sequence[str], excluded: Sequence[str], language: str) -> None:
        found: list[str] = []
        for one in files.find([root.path for root in roots]):
            if any(_holds(path, one.path if isinstance(one, Problem) else str(one)) for path in excluded):
                continue
            if isinstance(one, Problem):
                self.problems.append(one)
                continue
            found.append(str(one))
            self.sources.append(_source(one, _mapping(str(one), mappings), language))
        self.gone += _gone(roots, found, sources)
        self.problems += [Problem(path, None, _GONE, Trouble.IGNORED) for path in self.gone]


def _source(path: Path, mapping: Mapping[str, str], language: str) -> Source:
    how = hashlib.sha256(json.dumps([sorted(mapping.items()), language]).encode()).hexdigest()[:8]
    try:
        fingerprint = f"{files.fingerprint(path)}-{how}"
    except SourceError:
        fingerprint = ""  # reading it says what is wrong
    return Source(str(path), partial(files.read, path, mapping=mapping, language=language), fingerprint)


def _mapping(path: str, roots: Iterable[Root]) -> Mapping[str, str]:
    """What was said by hand of the columns of a file: what was said of itself, or of the nearest folder."""
    holding = [root for root in roots if _holds(root.path, path) and root.mapping]
    return max(holding, key=lambda root: len(root.path)).mapping if holding else {}


def _more_specific(roots: Sequence[Root], known: Sequence[Root]) -> list[Root]:
    """The roots that are named now, and those known before that are not named themselves."""
    names = {root.path for root in roots}
    return [*roots, *(root for root in known if root.path not in names)]


def _named_mapping(named: Sequence[Root]) -> Mapping[str, str]:
    return next(root.mapping for root in named if root.path == STDIN)


def _gone(roots: Sequence[Root], found: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Files that the index knows, that were in one of these folders, and are no longer. A folder in which no file is found may be a disk that is
    not there: it keeps what it had."""
    folders = [root.path for root in roots if Path(root.path).is_dir() and any(_holds(root.path, path) for path in found)]
    return [source for source in sources if any(_holds(folder, source) for folder in folders) and files.has_gone(source)]


def _told_to_stay(problem: Problem, roots: Sequence[Root]) -> Problem:
    is_root = problem.kind is Trouble.FAILED and any(root.path == problem.path for root in roots)
    return replace(problem, reason=problem.reason + _KEPT.format(problem.path)) if is_root else problem


def _known_names(sources: Sequence[str]) -> str:
    shown = ", ".join(sources[:5]) + (f" and {len(sources) - 5} more" if len(sources) > 5 else "")
    return f"a file that was indexed, or a folder of such files ({shown or 'there is none'})"


def _absolute(path: str) -> str:
    if not path.strip():
        raise SourceError("", None, found="an empty path", expected='the name of a file or a folder, such as "." for this one')
    given = Path(path).expanduser()
    return str(given.resolve() if given.is_dir() else given.parent.resolve() / given.name)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
