"""The gate: the offline product on the shipped questions stands above every floor, and gives the same answers twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.__main__ import main


def test_the_offline_product_stands_above_its_floors_on_the_seed_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["run", "--out", str(tmp_path / "run"), "--data-dir", str(tmp_path / "index")])
    assert code == 0, capsys.readouterr().out


def test_two_runs_on_the_real_engine_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        # the second run opens the index that the first one made, as a restart does
        main(["run", "--kinds", "multi", "set", "partial", "premise", "--out", str(tmp_path / name), "--data-dir", str(tmp_path / "index")])
    assert (tmp_path / "first" / "items.jsonl").read_bytes() == (tmp_path / "second" / "items.jsonl").read_bytes()
