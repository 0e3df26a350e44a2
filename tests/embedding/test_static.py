"""Vectors of single words and of whole texts: which mean about the same, and how they hold against the library that they come from."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from rag_qa.embedding import static
from rag_qa.embedding.embedder import EMBEDDERS
from rag_qa.embedding.static import StaticEmbedder, WordVectors
from rag_qa.errors import IndexingError, MissingExtraError


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return WordVectors()


def test_synonyms_are_close_and_others_are_not(words: WordVectors) -> None:
    fast, quick, wolf = words.of(["fast", "quick", "wolf"])

    assert fast @ quick > 0.5
    assert abs(fast @ wolf) < 0.3
    assert fast @ fast == pytest.approx(1.0, abs=1e-5)


def test_one_vector_for_each_word_in_order_also_for_odd_ones(words: WordVectors) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = words.of(["tide", "", "xyzzyq", "α-svrg", "tide"])

    assert found.shape == (5, words.dimensions)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0, 0.0, 1.0, 1.0, 1.0], abs=1e-5)
    assert np.array_equal(found[0], found[4])
    assert words.of([]).shape == (0, words.dimensions)


def test_a_word_has_the_same_vector_alone_and_among_others(words: WordVectors) -> None:
    assert np.allclose(WordVectors().of(["moss"])[0], words.of(["bog", "moss"])[1], atol=1e-6)


def test_words_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "_MANY_WORDS", 3)
    words = WordVectors()
    for many in (["a", "b", "c", "d"], ["e", "f"], ["a", "e"]):
        assert np.allclose(words.of(many), WordVectors().of(many))
    assert len(words._known) <= 4


# ------------------------------------------------------------------------------------------------------------------- texts


TEXTS = ["We study tides.", "The sea rises twice a day.", "Graph neural networks pass messages along edges.", "tide", "We study tides. " * 300]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_it_is_known_by_its_name(embedder: StaticEmbedder) -> None:
    assert EMBEDDERS["static"] is StaticEmbedder
    assert (embedder.name, embedder.dimensions) == ("wordllama-l2-supercat-256", 256)


def test_the_vectors_are_those_of_the_library(embedder: StaticEmbedder) -> None:
    from wordllama import WordLlama

    library = WordLlama.load(cache_dir=static._folder(), disable_download=True)

    assert np.allclose(embedder.embed(TEXTS), library.embed(TEXTS, norm=True), atol=1e-6)


def test_what_means_about_the_same_is_close(embedder: StaticEmbedder) -> None:
    similar = embedder.embed(TEXTS) @ embedder.embed(["How fast do the tides of the sea rise?"])[0]

    assert min(similar[0], similar[1]) > 0.3 > similar[2]


def test_a_vector_does_not_depend_on_its_neighbours(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal(embedder.embed(TEXTS[1:2] * 1000)[-1], vectors[1])


@pytest.mark.parametrize("odd", ["", " ", "\n", "😀", "x" * 1000, "שלום", "\x00", "\u200b"])
def test_any_text_has_a_vector(odd: str, embedder: StaticEmbedder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector = embedder.embed([odd])

    assert vector.shape == (1, 256)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_no_text_has_none(embedder: StaticEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 256)


def test_tokens_are_estimated_and_there_is_no_window(embedder: StaticEmbedder) -> None:
    abstract = "We study how tides rise in estuaries, and show that a model of twelve constituents is enough. " * 10
    exact = len(static._model().tokenizer.encode(abstract, add_special_tokens=False).ids)

    assert embedder.count_tokens(abstract) == pytest.approx(exact, rel=0.2)
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens(abstract * 1000) < embedder.max_tokens


def test_the_weights_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "wordllama"
    (package / "weights").mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)

    with pytest.raises(MissingExtraError, match=r"weights/l2_supercat_256\.safetensors is missing: pip install --force-reinstall wordllama$"):
        StaticEmbedder().embed(["x"])

    (package / static.WEIGHTS[0]).write_text("x")
    with pytest.raises(
        IndexingError, match=r"^.*is not the file that rag_qa was tested with \(sha256 \w{64}, expected \w{64}\): pip install wordllama=="
    ):
        StaticEmbedder().embed(["x"])


# -------------------------------------------------------------------------------------------------------------- the library


def test_using_it_leaves_the_messages_of_other_libraries_off(project: Path) -> None:
    code = (
        "import logging; from rag_qa.embedding.static import StaticEmbedder; StaticEmbedder().embed(['x'])\n"
        "logging.getLogger('httpx').info('a request'); print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=project, capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("[] 30\n", "")


def test_making_one_loads_nothing(project: Path) -> None:
    code = (
        "import sys; from rag_qa.embedding.static import StaticEmbedder, WordVectors; WordVectors(); StaticEmbedder().count_tokens('x')\n"
        "sys.exit('wordllama' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0
