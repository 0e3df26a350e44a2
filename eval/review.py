"""`python -m eval review FILE`: look through proposed questions in the terminal, one key and Enter each.

Each decision is in the file before the next question is shown, so it can be left at any time. A line that is not decided on stays as it is, byte for
byte, also if somebody edits the file meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import shutil
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.datasets import loader, own
from eval.datasets.loader import Status
from eval.proposals.proposal import counted
from rag_qa.errors import RagQAError, SourceError

HELP = "accept, reject or edit proposed questions, one after the other; what is decided is kept at once"

Say = Callable[[str], None]
Ask = Callable[[str], str]
"""Shows a prompt and gives what was typed. Raises EOFError when nothing more comes."""

_WIDTH = 100
_BOM = "\ufeff"
_PROMPT = "a accept, r reject, e edit, s skip, b back, q quit > "


class ReviewError(RagQAError):
    """A file that can't be looked through; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Line:
    """A proposal as it stands in the file."""

    raw: str
    record: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """What was said of it."""
        return Status(self.record.get("status", Status.ACCEPTED))


class Proposals:
    """A file of proposals, whose decisions are written one at a time."""

    def __init__(self, path: Path) -> None:
        if own.is_table(path):
            raise ReviewError(f"{path} is a table, and what is looked through are JSON lines: the questions of a table count as accepted")
        self.path = path
        loader.ids(path)  # a fault of the file is told before anything is asked

    def lines(self) -> list[Line]:
        """All questions, as the file has them now. Raises SourceError."""
        return [Line(raw, json.loads(raw.removeprefix(_BOM))) for raw in self._raw() if raw.removeprefix(_BOM).strip()]

    def replace(self, line: Line, record: Mapping[str, Any]) -> Line:
        """Put a record in the place of a line; all others stay as they are. Raises SourceError for a record that is no question, and ReviewError if
        the line is not there any more.
        """
        raw = self._raw()
        if line.raw not in raw:
            raise ReviewError(f"{self.path} was changed meanwhile, and this question does not stand in it as it did: begin again, all else is kept")
        at = raw.index(line.raw)
        loader.checked(self.path, at + 1, record)
        mark, end = _BOM if line.raw.startswith(_BOM) else "", "\r" if line.raw.endswith("\r") else ""
        raw[at] = new = mark + json.dumps(record, ensure_ascii=False) + end
        self._write("\n".join(raw))
        return Line(new, record)

    def _raw(self) -> list[str]:
        try:
            return self.path.read_bytes().decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise SourceError(self.path, None, found=f"bytes that are not UTF-8 (at byte {error.start})", expected="UTF-8 text") from None
        except OSError as error:
            raise SourceError(self.path, None, found=error.strerror or str(error), expected="a readable file of questions") from None

    def _write(self, content: str) -> None:
        """The old file or the new one, never a part."""
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            temporary.write_bytes(content.encode("utf-8", "backslashreplace"))
            shutil.copymode(self.path, temporary)
            temporary.replace(self.path.resolve())  # a link stays one
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise ReviewError(f"{self.path} can't be written ({error.strerror}): what was decided before is kept") from None


# ------------------------------------------------------------------------------------------------------------------ looking


def review(proposals: Proposals, ask: Ask, say: Say) -> list[str]:
    """Ask about each proposal until all are decided on or the person leaves; gives what to tell at the end. Raises RagQAError."""
    waiting = [line for line in proposals.lines() if line.status is Status.PROPOSED]
    if not waiting:
        return [f"Nothing to decide: {_counts(proposals.lines())}."]
    some = counted(len(waiting), "proposal")
    say(f"{some} to look at. What you decide is in {proposals.path} at once: q or Ctrl-C leaves, and the same command goes on.")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        _go_through(_Looking(proposals, waiting, ask, say))
    return ["", f"{_counts(proposals.lines())} in {proposals.path}.", f"Ask what is accepted: python -m eval run --data {proposals.path}"]


@dataclass(slots=True)
class _Looking:
    proposals: Proposals
    lines: list[Line]
    ask: Ask
    say: Say

    def decide(self, at: int, status: Status) -> None:
        line = self.lines[at]
        self.lines[at] = self.proposals.replace(line, {**line.record, "status": str(status)})

    def edit(self, at: int) -> None:
        """Take new values for the fields; what is no question is told, and nothing changes."""
        line = self.lines[at]
        edited = {**line.record, **_typed(line.record, self.ask)}
        try:
            self.lines[at] = self.proposals.replace(line, edited)
        except SourceError as error:
            self.say(f"Not changed: {error}")


def _go_through(looking: _Looking) -> None:
    at = 0
    while at < len(looking.lines):
        looking.say("\n".join(shown(looking.lines[at].record, at + 1, len(looking.lines))))
        match looking.ask(_PROMPT).strip().lower()[:1]:
            case "a":
                looking.decide(at, Status.ACCEPTED)
                at += 1
            case "r":
                looking.decide(at, Status.REJECTED)
                at += 1
            case "s":
                at += 1
            case "b":
                at = max(0, at - 1)
            case "e":
                looking.edit(at)
            case "q":
                return
            case other:
                looking.say(f"There is no {other!r}." if other else "Type one of the letters, then Enter.")


def _counts(lines: Sequence[Line]) -> str:
    found = Counter(line.status for line in lines)
    return f"{found[Status.ACCEPTED]} accepted, {found[Status.REJECTED]} rejected, {found[Status.PROPOSED]} to decide"


# ------------------------------------------------------------------------------------------------------------------- showing


def shown(record: Mapping[str, Any], number: int, of: int) -> list[str]:
    """A proposal as lines for a terminal.

    >>> shown({"question": "How fast is it?", "papers": ["p1"], "facts": [["4x", "4×"]], "answerable": True}, 1, 2)[1:4]
    ['1 of 2 (open)', 'Question   How fast is it?', 'Fact       4x or 4×']
    """
    status = record.get("status", Status.ACCEPTED)
    head = f"{number} of {of} ({record.get('kind', own.KIND)})" + ("" if status == Status.PROPOSED or "status" not in record else f", {status}")
    told = ["", head]
    told += [line for earlier in record.get("history", ()) for line in _field("After", earlier)]
    told += _field("Question", record["question"])
    told += [line for group in record.get("facts", ()) for line in _field("Fact", " or ".join(group))]
    told += _field("Answerable", _ANSWERABLE[record.get("answerable", True if record.get("papers") else None)])
    told += _field("Papers", ", ".join(record.get("papers", ())))
    told += _field("Perhaps", ", ".join(record.get("maybe", ())))
    told += [line for rest in record.get("rests_on", ()) for line in _field("Rests on", f"{rest['paper']}: “{rest['sentence']}”")]
    return [*told, *_field("Note", record.get("note", ""))]


_ANSWERABLE = {True: "", False: "no: it is to be refused", None: "not known"}


def _field(name: str, value: str) -> list[str]:
    plain = _harmless(value)
    return textwrap.wrap(plain, _WIDTH, initial_indent=f"{name:<11}", subsequent_indent=" " * 11, break_long_words=False) if plain else []


def _harmless(value: str) -> str:
    """Foreign text without what a terminal would obey.

    >>> _harmless("red \\x1b[31m\\n")
    'red �[31m'
    """
    return " ".join("".join("�" if unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() else char for char in value).split())


# ------------------------------------------------------------------------------------------------------------------- editing

_FIELDS = ("question", "kind", "facts", "papers", "answerable")


def _typed(record: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """New values for some fields, as in a table: Enter keeps a value, a single - empties it.

    >>> answers = iter(["", "", "4x | 4×; fast", "", "-"])
    >>> _typed({"question": "How fast?", "facts": [["5x"]], "answerable": True}, lambda prompt: next(answers))
    {'facts': [['4x', '4×'], ['fast']], 'answerable': None}
    """
    changed: dict[str, Any] = {}
    for name in _FIELDS:
        typed = ask(f"{name} [{_cell(name, record.get(name))}] (Enter keeps it, - empties it) > ").strip()
        if typed:
            changed[name] = _value(name, "" if typed == "-" else typed)
    return changed


def _cell(name: str, value: Any) -> str:
    """A value as one would write it in a table."""
    match name:
        case "facts":
            return "; ".join(" | ".join(group) for group in value or ())
        case "papers":
            return "; ".join(value or ())
        case "answerable":
            return {True: "yes", False: "no", None: ""}[value]
    return _harmless(value or "")


def _value(name: str, cell: str) -> Any:
    match name:
        case "facts":
            return [own.parts(group, "|") for group in own.parts(cell, ";")]
        case "papers":
            return own.parts(cell, ";")
        case "answerable":
            return own.SAID.get(cell.lower(), cell) if cell else None
    return cell


# ------------------------------------------------------------------------------------------------------------------- command


def add_options(parser: argparse.ArgumentParser) -> None:
    """The option of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what make-questions or feedback wrote")


def run(arguments: argparse.Namespace, ask: Ask, say: Say) -> list[str]:
    """Look through a file; gives what to tell at the end. Raises RagQAError."""
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")  # the arrow keys
    return review(Proposals(arguments.file), ask, say)
