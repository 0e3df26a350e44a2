"""What every test stands on: no network, nothing of the developer's environment, a folder of its own, and the places of the data."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from rag_qa.comprehension import Comprehension, shared
from rag_qa.embedding.embedder import EMBEDDERS
from rag_qa.embedding.static import WordVectors
from rag_qa.engine import Engine
from rag_qa.papers import Paper
from rag_qa.settings import load
from rag_qa.sources import files
from tests.fakes import RememberingEmbedder
from tests.guard import sitecustomize as guard
from tests.llama import served

PROJECT = Path(__file__).resolve().parent.parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Variables that change what the program does or shows. Set on a developer's machine, they would make a test pass or fail there alone.
UNWANTED_PREFIXES = ("OPENAI_", "RAG_QA_", "GRADIO_", "CHROMA_", "TIKTOKEN_", "HF_")
UNWANTED = frozenset(
    "http_proxy https_proxy all_proxy no_proxy columns lines no_color force_color py_colors clicolor clicolor_force term github_actions "
    "terminal_width anonymized_telemetry".split()
)

# The machine may be busy, so no test has a deadline; where a change is judged, the same examples are tried each time.
hypothesis.settings.register_profile("rag_qa", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("rag_qa")


def is_unwanted(variable: str) -> bool:
    """Must a test not see this variable?"""
    return variable.upper().startswith(UNWANTED_PREFIXES) or variable.lower() in UNWANTED


def pytest_configure() -> None:
    """Clean the environment once, for the tests, the doctests and all that they start, and tell children where the guard is."""
    for variable in filter(is_unwanted, list(os.environ)):
        del os.environ[variable]
    handle, os.environ[guard.LOG] = tempfile.mkstemp(prefix="network-guard-", suffix=".log")
    os.close(handle)
    own = os.environ.get("PYTHONPATH")
    # the project too: a child runs in another folder, and our packages need not be installed
    os.environ["PYTHONPATH"] = os.pathsep.join([str(PROJECT / "tests" / "guard"), str(PROJECT), *([own] if own else [])])


def pytest_unconfigure() -> None:
    """Remove the guard's file."""
    Path(os.environ.pop(guard.LOG)).unlink(missing_ok=True)


@pytest.fixture(scope="session")
def network_log() -> Path:
    """The file with a line for each attempt to reach another machine that the running test made; a test that means to provoke one empties it."""
    return Path(os.environ[guard.LOG])


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a new folder: no `.env` of the developer is read, and no index is left in the project."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _stays_on_this_machine(network_log: Path) -> Iterator[None]:
    """Fail a test that reached for the network even if the code under test swallowed the refusal."""
    network_log.write_text("")
    yield
    attempts = network_log.read_text(encoding="utf-8")
    assert not attempts, f"the test reached for the network:\n{attempts}"


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project, absolute (a test runs in a folder of its own)."""
    return PROJECT


@pytest.fixture(scope="session")
def seeds() -> Path:
    """The folder of the shipped abstracts."""
    return PROJECT / "seeds"


@pytest.fixture(scope="session")
def seed_papers(seeds: Path) -> list[Paper]:
    """The shipped abstracts, each once."""
    found = (paper for path in sorted(seeds.glob("*.txt")) for paper in files.read(path) if isinstance(paper, Paper))
    return list({paper.id: paper for paper in found}.values())


@pytest.fixture(scope="session")
def embedder() -> RememberingEmbedder:
    """The real embedder; what it has embedded once in this run costs nothing again."""
    return RememberingEmbedder(EMBEDDERS["minilm"]())


@pytest.fixture(scope="session")
def word_vectors() -> WordVectors:
    """The real vectors of single words."""
    return WordVectors()


@pytest.fixture(scope="session")
def read_together() -> Comprehension:
    """The real model that reads a question and an abstract together."""
    return shared()


@pytest.fixture(scope="session")
def seed_folder(seeds: Path, embedder: RememberingEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of the shipped abstracts, made once for all tests; nobody changes it."""
    folder = tmp_path_factory.mktemp("seeds") / "data"
    Engine(load(data_dir=folder, answerer="extractive"), embedder=embedder).index([seeds])
    return folder


@pytest.fixture(scope="session")
def seed_engine(seed_folder: Path, embedder: RememberingEmbedder) -> Engine:
    """The offline engine over the shipped abstracts. It remembers conversations: a test that counts work makes an engine of its own."""
    return Engine(load(data_dir=seed_folder, answerer="extractive"), embedder=embedder)


@pytest.fixture(scope="session")
def real_model() -> Iterator[str]:
    """The address of a server with a small real model; a test that wants it skips where its packages are missing."""
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the larger real collections, which are not part of the project: a test that wants them skips without."""
    folder = PROJECT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the collections of ../shared/data, which are not here")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program file of a Chromium; a test that looks at the page skips without."""
    for name in CHROMIUM_NAMES:
        if program := shutil.which(name):
            return program
    pytest.skip(f"needs a Chromium ({', '.join(CHROMIUM_NAMES)}), and none is installed")
