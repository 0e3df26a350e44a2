"""Any sentence-transformers model, played by a tiny package of that name: what is asked of it, and what is made of what it gives."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag_qa.embedding.embedder import EMBEDDERS
from rag_qa.embedding.transformer import DEFAULT_MODEL, TransformerEmbedder
from rag_qa.engine import Engine
from rag_qa.errors import IndexingError, MissingExtraError
from rag_qa.settings import load
from tests.index.making import abstract

PACKAGE = """
import numpy

class Tokenizer:
    def encode(self, text, add_special_tokens=True):
        return text.split() + ["[CLS]", "[SEP]"] * add_special_tokens

class SentenceTransformer:
    loaded = []

    def __init__(self, name):
        if name == "nobody/knows":
            raise OSError("nobody/knows is not a local folder\\nand is not a valid model identifier")
        self.loaded.append(name)
        self.max_seq_length = 10
        self.tokenizer = Tokenizer()
        self.broken = name == "broken"

    def encode(self, texts, batch_size, show_progress_bar):
        assert show_progress_bar is False
        if self.broken:
            return numpy.full((len(texts), 3), numpy.nan)
        return numpy.array([[len(text), text.count("e"), 2.0] for text in texts])
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package sentence_transformers that is only there for the test."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "sentence_transformers.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    yield
    sys.modules.pop("sentence_transformers", None)


@pytest.mark.usefixtures("package")
def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts() -> None:
    vectors = TransformerEmbedder("tiny").embed(["see", "a tree"])

    assert vectors.dtype == np.float32
    expected = np.array([[3, 2, 2], [6, 2, 2]], float)
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-6)
    assert TransformerEmbedder("tiny").embed([]).shape == (0, 3)
    assert TransformerEmbedder("tiny").embed([""]).shape == (1, 3)


@pytest.mark.usefixtures("package")
def test_what_it_says_of_itself() -> None:
    model = TransformerEmbedder("intfloat/e5-small-v2")

    assert model.name == "sentence-transformers:intfloat/e5-small-v2"
    assert (model.dimensions, model.max_tokens) == (3, 8)  # two tokens are the model's own
    assert model.count_tokens("we study tides") == 3


@pytest.mark.usefixtures("package")
def test_a_model_without_a_tokenizer_or_a_window(tmp_path: Path) -> None:
    plain = PACKAGE.replace("self.tokenizer = Tokenizer()", "").replace("self.max_seq_length = 10", "self.max_seq_length = None")
    (tmp_path / "packages" / "sentence_transformers.py").write_text(plain)
    model = TransformerEmbedder("tiny")

    assert (model.max_tokens, model.count_tokens("we study tides")) == (254, 4)


@pytest.mark.usefixtures("package")
def test_a_static_model_has_no_window(tmp_path: Path) -> None:
    (tmp_path / "packages" / "sentence_transformers.py").write_text(PACKAGE.replace("max_seq_length = 10", "max_seq_length = float('inf')"))

    assert TransformerEmbedder("tiny").max_tokens > 100_000


@pytest.mark.usefixtures("package")
def test_a_tokenizer_that_splits_words_and_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "packages" / "sentence_transformers.py").write_text(PACKAGE.replace("def encode(self, text, add", "def tokenize(self, text, add"))

    assert TransformerEmbedder("tiny").count_tokens("we study tides") == 4


@pytest.mark.usefixtures("package")
def test_a_tokenizer_that_would_warn_of_a_long_text_does_not(tmp_path: Path) -> None:
    code = PACKAGE.replace("add_special_tokens=True):", "add_special_tokens=True, verbose=True):\n        assert not verbose").replace(
        "class Tokenizer:", "class Tokenizer:\n    model_max_length = 2"
    )
    (tmp_path / "packages" / "sentence_transformers.py").write_text(code)

    assert TransformerEmbedder("tiny").count_tokens("we study tides") == 3


@pytest.mark.usefixtures("package")
def test_a_model_that_is_loaded_once_and_only_when_it_is_used() -> None:
    model = TransformerEmbedder("tiny")
    assert model.name
    assert "sentence_transformers" not in sys.modules

    model.embed(["x"])
    model.embed(["y"])

    assert sys.modules["sentence_transformers"].SentenceTransformer.loaded == ["tiny"]


@pytest.mark.usefixtures("package")
def test_a_model_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(IndexingError) as error:
        TransformerEmbedder("nobody/knows").embed(["x"])

    assert str(error.value) == (
        "The embedding model nobody/knows can't be loaded (nobody/knows is not a local folder and is not a valid model identifier): "
        "name another with RAG_QA_EMBEDDING_MODEL, or the folder that holds it"
    )


@pytest.mark.usefixtures("package")
def test_vectors_that_are_no_numbers_are_not_believed() -> None:
    with pytest.raises(IndexingError, match="The embedding model broken gave a vector that is not a number"):
        TransformerEmbedder("broken").embed(["x"])


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(("model", "name"), [(None, DEFAULT_MODEL), ("tiny", "tiny")])
def test_the_engine_takes_the_model_of_the_settings_and_the_index_remembers_it(model: str | None, name: str, tmp_path: Path) -> None:
    (tmp_path / "tides.txt").write_text(f"{abstract(0)}\n\n{abstract(4)}\n")
    engine = Engine(load(data_dir=tmp_path / "data", embedder="sentence-transformers", embedding_model=model, answerer="extractive"))

    assert engine.index([tmp_path / "tides.txt"]).added == 2

    assert (engine.info().embedder, engine.info().dimensions) == (f"sentence-transformers:{name}", 3)
    assert engine.search("tides")[0].paper.abstract == abstract(0)


def test_it_is_not_installed(project: Path) -> None:
    code = """
        import sys
        sys.modules["sentence_transformers"] = None
        from rag_qa.embedding.transformer import TransformerEmbedder
        from rag_qa.errors import MissingExtraError
        try:
            TransformerEmbedder("tiny").embed(["x"])
        except MissingExtraError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True, text=True, cwd=project)

    assert done.stdout == (
        "The package sentence-transformers is not installed: pip install 'rag-qa[sentence-transformers]'   (or choose another RAG_QA_EMBEDDER)\n"
    )


def test_a_package_that_is_broken_says_what_is_missing(package: None, tmp_path: Path) -> None:
    (tmp_path / "packages" / "sentence_transformers.py").write_text("import torch_of_another_planet\n")

    with pytest.raises(MissingExtraError, match=r"can't be used here \(No module named 'torch_of_another_planet'\): pip install"):
        TransformerEmbedder("tiny").embed(["x"])


def test_it_is_registered() -> None:
    assert EMBEDDERS["sentence-transformers"] is TransformerEmbedder
