"""Vectors of single words: which mean about the same."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from rag_qa.embedding.static import WordVectors


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


def test_making_one_loads_nothing(project: Path) -> None:
    code = "import sys; from rag_qa.embedding.static import WordVectors; WordVectors(); sys.exit('wordllama' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0
