"""Any cross-encoder, played by a tiny package of the name sentence_transformers; a real one with random weights where the extra is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_qa.errors import MissingExtraError, SettingsError
from rag_qa.retrieval.reranking.cross_encoder import DEFAULT_MODEL, CrossEncoderReranker
from rag_qa.retrieval.reranking.reranker import RERANKERS

PACKAGE = """
import numpy

class CrossEncoder:
    loaded = []

    def __init__(self, name):
        if name == "nobody/knows":
            raise OSError("nobody/knows is not a local folder\\nand is not a valid model identifier")
        self.loaded.append(name)
        self.labels = 3 if name == "three" else 1

    def predict(self, pairs, batch_size, show_progress_bar):
        assert show_progress_bar is False
        shared = [float(len(set(question.split()) & set(text.split()))) for question, text in pairs]
        return numpy.array(shared, numpy.float32) if self.labels == 1 else numpy.zeros((len(pairs), self.labels))
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
def test_each_text_is_judged_with_the_question() -> None:
    model = CrossEncoderReranker("tiny")

    assert model.scores("is moss soft", ["moss is soft", "the tide", "moss"]) == [3.0, 0.0, 1.0]
    assert model.scores("is moss soft", []) == []
    assert model.name == "cross-encoder:tiny"
    assert CrossEncoderReranker().name == f"cross-encoder:{DEFAULT_MODEL}"


@pytest.mark.usefixtures("package")
def test_it_is_loaded_once_and_only_when_it_is_used() -> None:
    model = CrossEncoderReranker("tiny")
    assert model.name
    assert "sentence_transformers" not in sys.modules

    model.scores("x", ["x"])
    model.scores("x", ["y"])

    assert sys.modules["sentence_transformers"].CrossEncoder.loaded == ["tiny"]


@pytest.mark.usefixtures("package")
def test_a_model_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(SettingsError) as error:
        CrossEncoderReranker("nobody/knows").scores("x", ["x"])

    assert str(error.value) == (
        "The re-ranking model nobody/knows can't be loaded (nobody/knows is not a local folder and is not a valid model identifier): "
        "name another with RAG_QA_RERANKER_MODEL, or the folder that holds it"
    )


@pytest.mark.usefixtures("package")
def test_a_model_that_classifies_is_none_that_ranks() -> None:
    with pytest.raises(SettingsError, match="The re-ranking model three gives 3 numbers for a text, and one is needed: name another with RAG_QA_RER"):
        CrossEncoderReranker("three").scores("x", ["x", "y"])


def test_it_is_not_installed(project: Path) -> None:
    code = """
        import sys
        sys.modules["sentence_transformers"] = None
        from rag_qa.retrieval.reranking.cross_encoder import CrossEncoderReranker
        from rag_qa.errors import MissingExtraError
        try:
            CrossEncoderReranker("tiny").scores("x", ["x"])
        except MissingExtraError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True, text=True, cwd=project)

    assert done.stdout == (
        "The package sentence-transformers is not installed: pip install 'rag-qa[sentence-transformers]'   (or choose another RAG_QA_RERANKER)\n"
    )


def test_a_package_that_is_broken_says_what_is_missing(package: None, tmp_path: Path) -> None:
    (tmp_path / "packages" / "sentence_transformers.py").write_text("import torch_of_another_planet\n")

    with pytest.raises(MissingExtraError, match=r"can't be used here \(No module named 'torch_of_another_planet'\): pip install"):
        CrossEncoderReranker("tiny").scores("x", ["x"])


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra: pip install sentence-transformers")
def test_a_real_one_with_random_weights(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the extra: pip install sentence-transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "moss", "is", "soft", "tide"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    model = CrossEncoderReranker(str(tmp_path))

    found = model.scores("is moss soft", ["moss is soft", "tide", "moss " * 500, ""])

    assert len(set(found)) > 1
    assert found == pytest.approx([model.scores("is moss soft", [text])[0] for text in ("moss is soft", "tide", "moss " * 500, "")], abs=1e-5)


def test_it_is_registered() -> None:
    assert RERANKERS["cross-encoder"] is CrossEncoderReranker
