"""The threshold in the data folder: read as it was written, or told why not; and does it still hold?"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.calibration import kept
from rag_qa.calibration.kept import Kept
from rag_qa.errors import RagQAError, SettingsError
from rag_qa.papers import paper_id

ONE = Kept(
    threshold=0.62,
    risk=0.1,
    delta=0.1,
    cases=200,
    answered=120,
    wrong=4,
    answerable=150,
    over_refused=30,
    source="my.csv",
    made="2026-11-30",
    scorer={"embedder": "minilm", "weights": "1"},
    papers=3,
    sketch=("p1", "p2", "p3"),
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert kept.read(tmp_path) is None
    kept.write(tmp_path, ONE)
    assert kept.read(tmp_path) == ONE
    kept.write(tmp_path, replace(ONE, threshold=0.7))
    assert kept.read(tmp_path) == replace(ONE, threshold=0.7)
    assert [path.name for path in tmp_path.iterdir()] == [kept.NAME]


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    kept.write(tmp_path, ONE)

    assert kept.forget(tmp_path)
    assert kept.read(tmp_path) is None
    assert not kept.forget(tmp_path)
    assert not kept.forget(tmp_path / "nowhere")


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RagQAError, match=r"calibration\.json can't be written \(No such file"):
        kept.write(tmp_path / "nowhere", ONE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"threshold": 0.5}),
        json.dumps({**asdict(ONE), "threshold": 7}),
        json.dumps({**asdict(ONE), "threshold": "high"}),
        "\xff",
    ],
)
def test_what_cannot_be_understood_is_told_with_what_to_do(content: str, tmp_path: Path) -> None:
    (tmp_path / kept.NAME).write_text(content, encoding="latin-1")
    with pytest.raises(SettingsError, match=r"calibration\.json .*rag-qa calibrate --reset$"):
        kept.read(tmp_path)


def test_another_scorer_is_told_by_what_is_another() -> None:
    assert ONE.other_scorer({"embedder": "minilm", "weights": "1"}) == []
    assert ONE.other_scorer({"embedder": "static", "weights": "1"}) == ["another embedder"]
    assert ONE.other_scorer({"embedder": "minilm"}) == ["another weights"]


def test_a_small_library_is_compared_exactly() -> None:
    assert ONE.changed_share(["p3", "p2", "p1"]) == 0.0
    assert ONE.changed_share(["p1", "p2", "p3", "p4"]) == pytest.approx(1 / 4)
    assert ONE.changed_share(["p9"]) == 1.0
    assert replace(ONE, sketch=()).changed_share([]) == 0.0


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_a_large_one_nearly(gone: int, new: int) -> None:
    ids = [paper_id(f"abstract {number}") for number in range(6000)]
    then, now = ids[:3000], ids[gone : 3000 + new]
    truth = (gone + new) / (3000 + new)

    assert replace(ONE, sketch=kept.sketched(then)).changed_share(now) == pytest.approx(truth, abs=0.12)
