"""The import contracts of pyproject.toml hold, and each of them fails when it is broken; what they cannot say is checked here by reading the code."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

HEAVY = ("chromadb", "gradio", "onnxruntime", "openai", "tiktoken", "tokenizers", "wordllama")
QUICK_TO_START = ("rag_qa.engine", "rag_qa.interfaces.cli")

# For each contract, by its id: a module, and an import in it that the contract forbids. A module that is not there yet is made.
VIOLATIONS = [
    ("ladder", "rag_qa/papers.py", "import rag_qa.engine"),
    ("ladder", "rag_qa/retrieval/hits.py", "def late() -> None:\n    import rag_qa.answering.answer"),
    ("ladder", "rag_qa/chunking.py", "import rag_qa.sources"),
    ("ladder", "rag_qa/embedding/embedder.py", "import rag_qa.llm.chat_model"),
    ("ladder", "rag_qa/helpers.py", "import rag_qa.errors"),
    ("sources", "rag_qa/sources/records.py", "import rag_qa.sources.formats.bibtex"),
    ("readers", "rag_qa/sources/formats/plain.py", "import rag_qa.sources.formats.bibtex"),
    ("embedders", "rag_qa/embedding/minilm.py", "import rag_qa.embedding.openai_api"),
    ("chat-models", "rag_qa/llm/scripted.py", "import rag_qa.llm.openai_api"),
    ("index-parts", "rag_qa/index/keywords.py", "import rag_qa.index.vectors"),
    ("retrieval-parts", "rag_qa/retrieval/fusion.py", "import rag_qa.retrieval.retriever"),
    ("answerers", "rag_qa/answering/extractive.py", "import rag_qa.answering.generative"),
    ("interfaces", "rag_qa/interfaces/app.py", "import rag_qa.interfaces.cli"),
    ("interfaces", "rag_qa/interfaces/cards.py", "import rag_qa.interfaces.terminal"),
    ("settings", "rag_qa/retrieval/hits.py", "import rag_qa.settings"),
    ("store", "rag_qa/engine.py", "import rag_qa.index.vectors"),
    ("product", "rag_qa/engine.py", "import eval"),
    ("product", "rag_qa/text.py", "import tests.conftest"),
    ("evaluation", "eval/__init__.py", "import tests.conftest"),
    ("door-chromadb", "rag_qa/index/keywords.py", "import chromadb"),
    ("door-gradio", "rag_qa/interfaces/cli.py", "def late() -> None:\n    import gradio.themes"),
    ("door-gradio", "rag_qa/engine.py", "import uvicorn"),
    ("door-openai", "rag_qa/llm/openai_api.py", "from openai import OpenAI"),
    ("door-tiktoken", "eval/__init__.py", "import tiktoken"),
    ("door-tantivy", "rag_qa/index/vectors.py", "import tantivy"),
    ("door-onnxruntime", "rag_qa/engine.py", "import onnxruntime"),
    ("door-tokenizers", "rag_qa/chunking.py", "import tokenizers"),
    ("door-typer", "rag_qa/interfaces/render.py", "import typer"),
    ("door-rich", "rag_qa/engine.py", "from rich.console import Console"),
    ("door-wordllama", "rag_qa/embedding/minilm.py", "import wordllama"),
]


def contracts(project: Path) -> dict[str, str]:
    """The names of the contracts by their ids."""
    tables = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return {table["id"]: table["name"] for table in tables}


def broken(folder: Path) -> list[str]:
    """The names of the contracts that the packages in this folder break."""
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    names = [line.rpartition(" BROKEN")[0] for line in run.stdout.splitlines() if " BROKEN" in line]
    assert (run.returncode == 0) == (not names), run.stdout + run.stderr
    return names


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A folder with the code and the contracts, to break."""
    for package in ("rag_qa", "eval"):
        shutil.copytree(project / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(project / "pyproject.toml", tmp_path)
    return tmp_path


def add(module: Path, code: str) -> None:
    """Append code to a module; make the module if it is not there."""
    with module.open("a", encoding="utf-8") as file:
        file.write(f"\n{code}\n")


def test_the_contracts_hold(project: Path) -> None:
    assert broken(project) == []


def test_every_contract_is_tried(project: Path) -> None:
    assert contracts(project).keys() == {contract for contract, _, _ in VIOLATIONS}


@pytest.mark.parametrize(("contract", "module", "code"), VIOLATIONS)
def test_a_contract_that_is_broken_fails_by_name(contract: str, module: str, code: str, project: Path, copy: Path) -> None:
    imported = copy / (code.split()[-1].replace(".", "/") + ".py")
    if imported.parent.is_dir():
        add(imported, "")
    add(copy / module, code)
    assert contracts(project)[contract] in broken(copy)


def modules(project: Path, *packages: str) -> list[Path]:
    """The source files of our packages."""
    return [path for package in packages for path in sorted((project / package).rglob("*.py"))]


def late_imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, top-level package) of each import inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in {inner for function in functions for inner in ast.walk(function)}:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, (node.module or ".").partition(".")[0]


def test_an_import_inside_a_function_loads_a_foreign_library_and_nothing_of_ours(project: Path) -> None:
    ours = {"rag_qa", "eval", "", *sys.stdlib_module_names}
    late = [f"{path.relative_to(project)}:{line}: {name}" for path in modules(project, "rag_qa", "eval") for line, name in late_imports(path)]
    assert [entry for entry in late if entry.rpartition(" ")[2] in ours] == []


def test_the_late_imports_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "late.py"
    path.write_text(
        "import os\ndef outer():\n    import chromadb.errors\n    class Inner:\n        async def f(self):\n            from rag_qa import text\n"
    )
    assert sorted(late_imports(path)) == [(3, "chromadb"), (6, "rag_qa")]


def environment_reads(path: Path) -> list[int]:
    """Lines that read the environment: `os.environ`, `os.getenv`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")]


def test_the_environment_is_read_by_the_settings_alone(project: Path) -> None:
    reads = [f"{path.relative_to(project)}:{line}" for path in modules(project, "rag_qa") for line in environment_reads(path)]
    assert [read for read in reads if not read.startswith("rag_qa/settings.py")] == []


@pytest.mark.parametrize("module", QUICK_TO_START)
def test_starting_loads_no_heavy_library(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(set(sys.modules) & set({HEAVY!r})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@pytest.fixture(scope="module")
def picture(project: Path) -> str:
    """The page that describes all this to people."""
    return (project / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_documentation_draws_the_same_ladder(project: Path, picture: str) -> None:
    tables = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(table["layers"] for table in tables if table["id"] == "ladder")
    drawn = picture.partition("<!-- ladder")[2].split("\n\n")[1]
    assert [line.strip() for line in drawn.splitlines()] == [re.sub("[()]", "", layer) for layer in layers]


def test_the_documentation_names_every_module(project: Path, picture: str) -> None:
    named = set(re.findall(r"`(\w+)/?`", picture))
    assert [str(path) for path in modules(project, "rag_qa") if path.stem not in named | {"__init__", "__main__"}] == []
