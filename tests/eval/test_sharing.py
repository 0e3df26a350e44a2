"""Whether what is seen of a shared index is judged rightly, and a small run of the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import sharing
from eval.__main__ import main
from eval.sharing import Look
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, abstract, paper, update

MADE = [paper(abstract(number, sentences=6), f"a.txt:{number}") for number in range(1, 5)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An index of four papers with several passages each."""
    store = Store(tmp_path / "index", BagEmbedder())
    update(store, {"a.txt": MADE})
    return store


def test_a_paper_is_whole_if_each_passage_has_its_vector(store: Store) -> None:
    assert [sharing._is_whole(store, one) for one in MADE] == [True] * 4

    store._vectors.delete_papers([MADE[1].id])

    assert [sharing._is_whole(store, one) for one in MADE] == [True, False, True, True]


def test_a_paper_is_not_whole_if_a_passage_or_a_sentence_is_lost(store: Store) -> None:
    with store._database.transaction() as database:
        database.execute("DELETE FROM passages WHERE paper_id = ? AND ordinal = 1", (MADE[0].id,))
        database.execute("UPDATE papers SET sentence_vectors = NULL WHERE id = ?", (MADE[2].id,))

    assert [sharing._is_whole(store, one) for one in MADE] == [False, True, False, True]


def test_a_paper_that_was_changed_since_it_was_found_is_not_judged(store: Store) -> None:
    update(store, {"a.txt": MADE[1:]})

    assert sharing._is_whole(store, MADE[0])


def test_each_process_finds_a_paper_when_its_first_search_with_it_is_over() -> None:
    one = [Look(1.0, 0.5, [], [], 0, ""), Look(2.0, 0.5, [], ["Tides"], 0, ""), Look(3.0, 0.5, [], ["Tides"], 0, "")]
    other = [Look(5.0, 0.25, [], ["Tides", "Mosses"], 0, "")]

    assert sharing._found([one, other], "Tides") == [2.5, 5.25]
    assert sharing._found([one, other], "Mosses") == [5.25]


def test_of_ten_records_one_goes_and_one_changes() -> None:
    records = [{"id": number, "abstract": "Tides rise."} for number in range(20)]

    changed = sharing._changed(records)

    assert [one["id"] for one in changed] == [number for number in range(20) if number not in (0, 10)]
    assert [one["id"] for one in changed if one["abstract"] != "Tides rise."] == [1, 11]


def test_a_small_run_of_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["sharing", "--papers", "40", "--before", "20", "--embedder", "static", "--data", str(tmp_path / "nothing"), "--json"]

    assert main([*command, str(tmp_path / "out.json")]) == 0

    figures = json.loads((tmp_path / "out.json").read_text())
    assert (figures["added"], figures["then removed"], figures["then changed"]) == (40, 4, 4)
    assert figures["errors"] == []
    assert figures["half papers"] == figures["papers that never were"] == figures["stale papers"] == figures["never found by both"] == 0
    assert figures["waited for"] == 2
    assert 0 < figures["seconds until found by both"]["max"] < 20
    assert min(figures["searches"]) > 5
    assert capsys.readouterr().out.splitlines()[0].split() == ["added", "40"]
