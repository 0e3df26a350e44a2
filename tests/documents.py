"""The documents that people read, run: every command and every Python block in them is executed, and what they show is what came out.

    python -m tests.documents             say which blocks are not what comes out
    python -m tests.documents --refresh   write what comes out into them

In a document

- a `console` block is run: a line "$ ..." is a command, and what follows is what it prints. Behind `rag-qa chat`, a line "> ..." is typed;
- a `python` block is run, those of one document in one go; a `text` block directly behind it is what it prints;
- any other block is shown and not run.

Comments in front of a block say more (a pattern is a regular expression that is searched for in a line):

    <!-- file: NAME -->         the block is what this file holds; the commands find it
    <!-- hide: PATTERN -->      a line with this pattern is left out; "..." stands for lines that are left out
    <!-- hide: A ... B -->      so is everything from a line with A to before a line with B, or without B to the end of that output
    <!-- vary: PATTERN -->      what matches may be another each time: a duration, a version

The commands run in a folder with nothing but `seeds/`, shown as HOME, with an index made by the first of them, on a screen of WIDTH characters.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.conftest import PROJECT, is_unwanted

HOME = "/home/ada/rag_qa"
"""What the documents call the folder in which their commands are run."""
WIDTH = 100
LEFT_OUT = "..."
REFRESH = "make readme"
PATIENCE = 120  # seconds for a command on a busy machine

_DIRECTIVE = re.compile(r"<!-- (file|hide|vary): (.+?) -->")
_END_OF_REPLY = "/(end of reply)"  # the chat complains of it, and so shows where its reply to the line before ended


def documents() -> list[Path]:
    """The README and the pages that it leads to."""
    return [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `line`: the line of its fence, from 1. `is_result`: it is what the Python block before it prints."""

    document: Path
    line: int
    language: str
    lines: tuple[str, ...]
    directives: tuple[tuple[str, str], ...] = ()
    is_result: bool = False

    def __str__(self) -> str:
        path = self.document.relative_to(PROJECT) if self.document.is_relative_to(PROJECT) else self.document
        return f"{path}:{self.line}"

    def values(self, directive: str) -> list[str]:
        """What the comments in front of the block say."""
        return [value for name, value in self.directives if name == directive]

    @property
    def is_checked(self) -> bool:
        """Does it show what something prints?"""
        return self.language == "console" or self.is_result

    def accepts(self, shown: Sequence[str]) -> bool:
        """Is this what the block shows, but for what may vary?"""
        return self._masked(self.lines) == self._masked(shown)

    def _masked(self, lines: Iterable[str]) -> list[str]:
        masked = list(lines)
        for pattern in self.values("vary"):
            masked = [re.sub(pattern, "(varies)", line) for line in masked]
        return masked

    def without_hidden(self, output: Sequence[str]) -> list[str]:
        """Output as the block shows it: hidden lines are one line of dots."""
        hidden = {i for value in self.values("hide") for i in _hidden(output, *f"{value} ".partition(" ... "))}
        return [LEFT_OUT if i in hidden else line for i, line in enumerate(output) if i not in hidden or i - 1 not in hidden]


def _hidden(lines: Sequence[str], first: str, to: str, last: str) -> Iterator[int]:
    """Places of the lines that a `hide` comment leaves out."""
    first, last = first.rstrip(), last.rstrip()
    inside = False
    for i, line in enumerate(lines):
        found = re.search(first, line) is not None
        inside = found or bool(inside and to and not (last and re.search(last, line)))
        if inside:
            yield i


def blocks(document: Path) -> list[Block]:
    """All fenced blocks of a document, in order."""
    found: list[Block] = []
    directives: list[tuple[str, str]] = []
    before: Token | None = None
    for token in MarkdownIt().parse(document.read_text(encoding="utf-8")):
        if token.type == "html_block":
            directives += _DIRECTIVE.findall(token.content)
            continue
        if token.type == "fence":
            is_result = token.info == "text" and before is not None and before.type == "fence" and before.info == "python"
            assert token.map
            content = tuple(token.content.splitlines())
            found.append(Block(document, token.map[0] + 1, token.info, content, tuple(directives), is_result))
        directives, before = [], token
    return found


# ------------------------------------------------------------------------------------------------------------------- running


def environment(folder: Path) -> dict[str, str]:
    """A clean environment for programs that run in a folder: no settings, no network, `rag-qa` and `python` as here."""
    kept = {name: value for name, value in os.environ.items() if not is_unwanted(name)}
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    installed = Path(sys.executable).with_name("rag-qa")
    python = shlex.quote(sys.executable)
    for name, program in (("python", python), ("rag-qa", shlex.quote(str(installed)) if installed.exists() else f"{python} -m rag_qa")):
        (programs / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (programs / name).chmod(0o755)
    return {
        **kept,
        "PATH": os.pathsep.join([str(programs), kept.get("PATH", os.defpath)]),
        "PYTHONPATH": os.pathsep.join([str(PROJECT / "tests" / "guard"), str(PROJECT)]),
        "PYTHONUTF8": "1",
        "COLUMNS": str(WIDTH),
    }


def run(found: Sequence[Block], seeds: Path = PROJECT / "seeds") -> dict[Block, list[str]]:
    """What each block that is checked should show. All run in one new folder: first the commands, in order, then the Python."""
    with tempfile.TemporaryDirectory(prefix="rag-qa-documents-", ignore_cleanup_errors=True) as name:
        top = Path(name).resolve()
        home = top / "rag_qa"
        shutil.copytree(seeds, home / "seeds")
        for block in found:
            for file in block.values("file"):
                (home / file).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        variables = environment(top)
        results = {block: _transcript(block, home, variables) for block in found if block.language == "console"}
        return results | _python_results(found, home, variables)


def _transcript(block: Block, home: Path, variables: Mapping[str, str]) -> list[str]:
    """The commands of a block, each with what it prints."""
    shown: list[str] = []
    for command, typed in commands(block):
        *replies, rest = _outputs(command, typed, home, variables)
        shown.append(f"$ {command}")
        for reply, line in zip(replies, typed, strict=True):
            shown += [*block.without_hidden(reply), f"> {line}"]
        shown += block.without_hidden(rest)
    return _without_blank_end(shown)


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that are typed while it runs."""
    found: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> "):
            found[-1][1].append(line[2:])
    return found


def _outputs(command: str, typed: Sequence[str], home: Path, variables: Mapping[str, str]) -> list[list[str]]:
    """What a command prints before each line that is typed, and behind the last."""
    given = "".join(f"{line}\n{_END_OF_REPLY}\n" for line in typed)
    ended = subprocess.run(
        ["bash", "-c", command], cwd=home, env=variables, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE
    )
    outputs: list[list[str]] = [[]]
    for line in ended.stdout.replace(str(home), HOME).splitlines():
        if _END_OF_REPLY in line:
            outputs.append([])
        else:
            outputs[-1].append(line.rstrip())
    if not typed or len(outputs) <= len(typed):  # a program that ends too early says everything at once
        return [*([] for _ in typed), [line for output in outputs for line in output]]
    # before the first line that is typed stands the one that the program says when it starts
    return (
        [outputs[0][:1], outputs[0][1:], *outputs[1:-2], outputs[-2] + outputs[-1]]
        if len(typed) > 1
        else [outputs[0][:1], outputs[0][1:] + outputs[1]]
    )


_DRIVER = """
import contextlib, io, json, sys, traceback
outputs = []
for document in json.load(sys.stdin):
    names = {"__name__": "document"}
    for place, code in document:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(code, place, "exec"), names)
            except Exception:
                traceback.print_exc(file=printed)
        outputs.append(printed.getvalue())
json.dump(outputs, sys.stdout)
"""


def _python_results(found: Sequence[Block], home: Path, variables: Mapping[str, str]) -> dict[Block, list[str]]:
    """What the Python blocks print, by the block that shows it; a block that prints something nobody shows, or fails, is a result of its own."""
    code = [block for block in found if block.language == "python"]
    if not code:
        return {}
    by_document = [[(str(b), "\n".join(b.lines)) for b in code if b.document == document] for document in dict.fromkeys(b.document for b in code)]
    given = json.dumps(by_document)
    ended = subprocess.run(
        [sys.executable, "-c", _DRIVER], cwd=home, env=dict(variables), input=given, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stderr
    results: dict[Block, list[str]] = {}
    for block, output in zip(code, json.loads(ended.stdout), strict=True):
        behind = found[found.index(block) + 1 :][:1]
        shows = behind[0] if behind and behind[0].is_result else block
        lines = [line.rstrip() for line in output.replace(str(home), HOME).splitlines()]
        results[shows] = _without_blank_end(shows.without_hidden(lines))
    return results


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines.pop()
    return lines


# ------------------------------------------------------------------------------------------------------- comparing, refreshing


def difference(block: Block, shown: Sequence[str]) -> str:
    """How a block differs from what comes out, as a text; nothing if it does not."""
    if not block.is_checked:  # Python whose output nobody shows
        return "\n".join(["prints, and no text block behind it shows it:", *shown]) if shown else ""
    if block.accepts(shown):
        return ""
    return "\n".join(difflib.unified_diff(block.lines, shown, f"{block}, as it stands", "as it comes out", lineterm=""))


def refreshed(document: Path, results: Mapping[Block, Sequence[str]]) -> str:
    """The text of a document with what came out in its blocks; a block that is right but for what varies stays as it is."""
    lines = document.read_text(encoding="utf-8").splitlines()
    changed = {block: shown for block, shown in results.items() if block.document == document and not block.accepts(shown)}
    for block in sorted(changed, key=lambda block: block.line, reverse=True):
        lines[block.line : block.line + len(block.lines)] = changed[block]
    return "\n".join(lines) + "\n"


def has_crashed(shown: Sequence[str]) -> bool:
    """Did a program end in a traceback? Nobody wants to read that in a document."""
    return any(line.startswith("Traceback (most recent call last)") for line in shown)


def main(arguments: Sequence[str]) -> int:
    """Compare or, with --refresh, rewrite all documents; 1 if a block is not as it should be afterwards."""
    results = run([block for document in documents() for block in blocks(document)])
    problems = {block: text for block, shown in results.items() if (text := difference(block, shown))}
    if "--refresh" in arguments:
        sound = {block: shown for block, shown in results.items() if block.is_checked and not has_crashed(shown)}
        for document in documents():
            if (text := refreshed(document, sound)) != document.read_text(encoding="utf-8"):
                document.write_text(text, encoding="utf-8")
                sys.stdout.write(f"refreshed {document.relative_to(PROJECT)}: read it with git diff\n")
        problems = {block: text for block, text in problems.items() if block not in sound}
    for block, text in problems.items():
        sys.stdout.write(f"{block}: {text}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
