"""The index as others see it: kept in step with files, whatever was there before; complete or not found at all."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag_qa import text
from rag_qa.chunking import CHUNKER
from rag_qa.errors import EmptyIndexError, IndexBusyError, IndexingError, StaleIndexError
from rag_qa.index.manifest import FORMAT
from rag_qa.index.store import Store
from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.retriever import Retriever
from rag_qa.sources.reader import Trouble
from tests.index.making import BagEmbedder, Counted, abstract, built, paper, seen, update

TIDES, MOSSES, WOLVES, STORMS = (abstract(number) for number in range(4))


@pytest.fixture
def embedder() -> BagEmbedder:
    return BagEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: BagEmbedder) -> Store:
    return Store(tmp_path / "index", embedder)


def search(store: Store, embedder: BagEmbedder, question: str = "tides and mosses and wolves and storms") -> list[str]:
    return [hit.paper.abstract for hit in Retriever(store, embedder).search(question, k=50)]


# ------------------------------------------------------------------------------------------------------------ step by step


def test_papers_are_found_with_passages_and_sentence_vectors(store: Store, embedder: BagEmbedder) -> None:
    changes = update(store, {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")]})
    store.open()

    assert changes == Counted(added=2, embedded=2)
    assert (store.count(), len(store), store.sources()) == ((2, 4), 2, ["a.txt"])
    papers = {one.id: one for one in store.papers()}
    for id_, passages in store.passages(papers).items():
        assert [papers[id_].abstract[p.start : p.end] for p in passages] == [p.text for p in passages]
        assert " ".join(p.text for p in passages) == papers[id_].abstract
    for id_, vectors in store.sentence_vectors(list(papers)).items():
        expected = embedder.embed([papers[id_].abstract[a:b] for a, b in text.sentences(papers[id_].abstract)])
        assert np.allclose(vectors, expected, atol=1e-3)


def test_a_second_run_embeds_nothing_and_changes_nothing(store: Store, embedder: BagEmbedder) -> None:
    files = {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")], "b.txt": [paper(TIDES, "b.txt:1")]}
    update(store, files)
    before, generation, embedded = seen(store, embedder), store._database.generation, len(embedder.embedded)

    changes = update(store, files)

    assert changes == Counted(unchanged=2)
    assert store._database.generation == generation  # other processes have nothing to look for
    assert embedder.embedded[embedded:] == []
    assert seen(store, embedder) == before


def test_an_edited_paper_is_embedded_and_the_old_one_is_gone_everywhere(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    update(store, {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")]})
    old = embedder.embedded[:]
    edited = paper(TIDES.replace("study", "survey"))

    changes = update(store, {"a.txt": [edited, paper(MOSSES, "a.txt:3")]})

    assert changes == Counted(updated=1, unchanged=1, embedded=1)
    assert all("survey" in one for one in embedder.embedded[len(old) :])
    assert TIDES not in search(store, embedder)
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": [edited, paper(MOSSES, "a.txt:3")]})


def test_a_paper_whose_layout_changed_keeps_its_id_and_moves_its_offsets(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    update(store, {"a.txt": [paper("We study the at- tention of wolves. They howl.")]})
    whole = paper("We study the attention of wolves. They howl.")

    changes = update(store, {"a.txt": [whole]})

    assert changes == Counted(updated=1, embedded=1)
    assert store.papers() == [whole]
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": [whole]})


def test_a_paper_of_fewer_passages_than_before_leaves_none_behind(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    three = "\n\n".join(" ".join(f"word{7 * part + i}" for i in range(7)) for part in range(3))
    update(store, {"a.txt": [paper(three)]})
    assert store.count() == (1, 3)

    update(store, {"a.txt": [paper(" ".join(three.split()))]})

    assert store.count() == (1, 2)
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": [paper(" ".join(three.split()))]})


def test_a_removed_paper_leaves(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    update(store, {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")]})

    assert update(store, {"a.txt": [paper(MOSSES, "a.txt:1")]}) == Counted(unchanged=1, removed=1)
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": [paper(MOSSES, "a.txt:1")]})

    assert update(store, {"a.txt": []}) == Counted(removed=1)
    assert (store.count(), len(store), store._vectors.ids(), store.sources()) == ((0, 0), 0, [], [])


def test_a_paper_stays_as_long_as_another_file_holds_it(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    update(store, {"a.txt": [paper(TIDES)], "b.txt": [paper(TIDES, "b.txt:7"), paper(MOSSES, "b.txt:9")]})
    assert [one.origins for one in store.papers()] == [(Origin("a.txt", 1), Origin("b.txt", 7)), (Origin("b.txt", 9),)]
    embedded = len(embedder.embedded)

    changes = update(store, {"a.txt": []})

    assert (changes, len(embedder.embedded)) == (Counted(), embedded)
    assert seen(store, embedder) == built(tmp_path / "clean", {"b.txt": [paper(TIDES, "b.txt:7"), paper(MOSSES, "b.txt:9")]})


def test_a_paper_that_comes_back_is_found_again(store: Store, embedder: BagEmbedder) -> None:
    for papers in ([paper(TIDES)], [], [paper(TIDES)]):
        update(store, {"a.txt": papers, "b.txt": [paper(MOSSES, "b.txt:1")]})

    assert set(search(store, embedder)) == {TIDES, MOSSES}


def test_the_same_abstract_under_two_headings_does_not_flip(store: Store, embedder: BagEmbedder) -> None:
    long = abstract(0, sentences=4)
    first = paper(long, "a.txt:3", year=2024, venue="ICLR", collection="ICLR 2024")
    second = paper(long, "b.txt:3", year=2025, venue="NeurIPS", collection="NeurIPS 2025")
    update(store, {"b.txt": [second], "a.txt": [first]})
    before, embedded = seen(store, embedder), len(embedder.embedded)
    assert [(one.year, one.venue, one.collection) for one in store.papers()] == [(2025, "NeurIPS", "NeurIPS 2025")]

    for files, unchanged in ({"a.txt": [first]}, 1), ({"b.txt": [second]}, 0), ({"b.txt": [second], "a.txt": [first]}, 1):
        assert update(store, files) == Counted(unchanged=unchanged)  # the record in b.txt is merged into the one in a.txt

    assert embedder.embedded[embedded:] == []
    assert seen(store, embedder) == before


def test_a_paper_twice_in_a_file_has_two_origins(store: Store) -> None:
    update(store, {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3"), paper(TIDES, "a.txt:5")]})

    assert [one.origins for one in store.papers()] == [(Origin("a.txt", 1), Origin("a.txt", 5)), (Origin("a.txt", 3),)]
    assert store._vectors.ids() == store._catalog.passage_ids()


def test_the_order_of_files_does_not_matter(tmp_path: Path, embedder: BagEmbedder) -> None:
    files = {
        "a.txt": [paper(TIDES, "a.txt:1", year=2020), paper(MOSSES, "a.txt:3")],
        "b.txt": [paper(WOLVES, "b.txt:1"), paper(TIDES, "b.txt:3", year=2021)],
        "c.txt": [paper(STORMS, "c.txt:1"), paper(MOSSES, "c.txt:3", venue="X")],
    }
    shown = []
    for number, order in enumerate(itertools.permutations(files)):
        store = Store(tmp_path / str(number), embedder)
        for path in order:
            update(store, {path: files[path]})
        shown.append(seen(store, embedder))

    assert all(one == shown[0] for one in shown)
    assert shown[0] == built(tmp_path / "clean", files)


def test_edits_in_two_files_at_once_are_counted_once(store: Store) -> None:
    both = {"a.txt": [paper(TIDES)], "b.txt": [paper(TIDES, "b.txt:1")]}
    update(store, both)

    assert update(store, {"a.txt": [paper(WOLVES)], "b.txt": [paper(WOLVES, "b.txt:1")]}) == Counted(updated=1, embedded=1)
    assert update(store, {"a.txt": [paper(WOLVES), paper(STORMS, "a.txt:2")]}) == Counted(added=1, unchanged=1, embedded=1)
    assert update(store, {"a.txt": []}) == Counted(removed=1)


def test_a_change_of_heading_updates_the_papers_of_the_file(store: Store, embedder: BagEmbedder) -> None:
    update(store, {"a.txt": [paper(TIDES, year=2024), paper(MOSSES, "a.txt:3", year=2024)]})

    assert update(store, {"a.txt": [paper(TIDES, year=2025), paper(MOSSES, "a.txt:3", year=2025)]}) == Counted(updated=2, embedded=2)
    assert [hit.paper.year for hit in Retriever(store, embedder).search("tides", k=9, filters=Filters(year_from=2025))] == [2025, 2025]


# --------------------------------------------------------------------------------------------------------- search and size


def test_filters_hold_in_both_rankings(store: Store, embedder: BagEmbedder) -> None:
    update(
        store,
        {
            "a.txt": [paper(TIDES, "a.txt:1", year=2023, venue="ICLR", collection="ICLR 2023 Papers")],
            "b.txt": [paper(MOSSES, "b.txt:1", year=2025, venue="NeurIPS", collection="NeurIPS 2025")],
            "c.txt": [paper(WOLVES, "c.txt:1")],
        },
    )
    for filters, expected in [
        (Filters(year_from=2024), {MOSSES}),
        (Filters(year_to=2024), {TIDES}),
        (Filters(year_from=2023, year_to=2025), {TIDES, MOSSES}),
        (Filters(venue="iclr"), {TIDES}),
        (Filters(collection="NEURIPS 2025"), {MOSSES}),
        (Filters(venue="ICLR", year_from=2024), set()),
        (Filters(year_from=10**30), set()),
        (Filters(), {TIDES, MOSSES, WOLVES}),
    ]:
        hits = Retriever(store, embedder).search("study of region and method", k=9, filters=filters)
        assert {hit.paper.abstract for hit in hits} == expected
        assert all(set(hit.ranks) == {"keyword", "dense"} for hit in hits)


@pytest.mark.parametrize("k", [3, 50, 1000, 10**9])
def test_k_larger_than_the_corpus(k: int, store: Store, embedder: BagEmbedder) -> None:
    update(store, {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3"), paper(WOLVES, "a.txt:5")]})

    assert len(Retriever(store, embedder).search("tides", k=k)) == 3


def test_more_papers_than_one_batch(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    papers = [paper(abstract(number), f"a.txt:{number}") for number in range(1, 100)]
    seen_progress: list[tuple[str, int, int]] = []

    update(store, {"a.txt": papers}, progress=lambda *step: seen_progress.append(step))

    assert store.count()[0] == 99
    assert seen_progress[:2] == [("reading a.txt", 0, 0), ("comparing", 0, 0)]
    assert seen_progress[2:] == [("embedding", done, 99) for done in (0, 32, 64, 96, 99)]
    assert len(store.get([one.id for one in papers] * 700)) == 99  # more ids than SQLite takes at once


def test_a_sentence_longer_than_the_window_is_embedded_whole(store: Store, embedder: BagEmbedder) -> None:
    long = "We study " + " ".join(f"thing{i}" for i in range(5000)) + " at last."
    update(store, {"a.txt": [paper(f"{long} Then we rest.")]})

    (one,) = store.papers()
    (vectors,) = store.sentence_vectors([one.id]).values()
    assert vectors.shape == (2, embedder.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 1.0], abs=1e-2)
    assert "at last." in " ".join(embedder.embedded)


def test_a_record_without_an_abstract_is_known_and_not_found(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    bare = Paper(paper_id("", doi="10.1000/x"), "", title="On tides and how they rise", doi="10.1000/x", origins=(Origin("a.txt", 1),))
    update(store, {"a.txt": [bare, paper(MOSSES, "a.txt:2")]})

    assert store.count() == (1, 2)
    assert [(problem.line, problem.kind) for problem in store.problems()] == [(1, Trouble.NO_ABSTRACT)]
    assert search(store, embedder) == [MOSSES]

    # another file has it
    whole = replace(bare, abstract=TIDES, origins=(Origin("b.txt", 7),))
    assert update(store, {"b.txt": [whole]}) == Counted(added=0, embedded=1)  # merged into the record that came first
    assert [(one.abstract, one.origins) for one in store.papers()][1] == (TIDES, (Origin("b.txt", 7), Origin("a.txt", 1)))
    assert store.problems() == []

    # and has it no longer
    assert update(store, {"b.txt": []}) == Counted(removed=1)
    assert seen(store, embedder) == built(tmp_path / "clean", {"a.txt": [bare, paper(MOSSES, "a.txt:2")]})
    assert len(store.problems()) == 1


# ------------------------------------------------------------------------------------------------------- what may be wrong


def open_of(store: Store, kind: type[IndexingError]) -> str:
    with pytest.raises(kind) as error:
        store.open()
    assert type(error.value) is kind
    assert "\n" not in str(error.value)
    return str(error.value)


def test_no_index(store: Store) -> None:
    for attempt in (store.open, store.manifest):
        with pytest.raises(EmptyIndexError, match=r"^There is no index in .*/index: make one with: rag-qa index PATH  \(for the shipped abstracts: "):
            attempt()
    assert not store.exists
    assert not store.folder.exists()  # looking makes nothing


def test_an_empty_index(store: Store) -> None:
    update(store, {"a.txt": []})

    assert (
        open_of(store, EmptyIndexError)
        == f"The index in {store.folder} holds no paper: add some with: rag-qa index PATH  (what was left out: rag-qa papers --problems)"
    )


def test_a_deleted_index_that_was_open(store: Store, embedder: BagEmbedder) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    assert search(store, embedder) == [TIDES]

    shutil.rmtree(store.folder)
    assert "There is no index" in open_of(store, EmptyIndexError)

    update(Store(store.folder, embedder), {"b.txt": [paper(MOSSES, "b.txt:1")]})
    assert search(store, embedder) == [MOSSES]


def test_an_index_of_another_model(store: Store, tmp_path: Path) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    other = Store(store.folder, BagEmbedder("sack", dimensions=8))

    for attempt in (other.open, lambda: update(other, {"a.txt": [paper(MOSSES)]})):
        with pytest.raises(StaleIndexError, match=r"embedding model bag \(16 dimensions\).* ask for sack \(8 dimensions\).*rag-qa index --rebuild"):
            attempt()

    assert other.papers() == store.papers()  # listing needs no model


def change_manifest(store: Store, **changed: object) -> None:
    path = store.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def test_an_index_of_another_format_is_not_touched(store: Store) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    store.open()

    change_manifest(store, format=FORMAT + 1)

    assert f"Delete the folder {store.folder} and index your files again" in open_of(store, StaleIndexError)
    with pytest.raises(StaleIndexError):
        store.rebuild()


def test_an_index_cut_by_other_rules_also_if_it_was_open(store: Store, embedder: BagEmbedder) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    store.open()

    change_manifest(store, chunker="sentences-0")

    assert "cut into passages by other rules" in open_of(store, StaleIndexError)
    assert store.rebuild() == 1
    assert search(store, embedder) == [TIDES]
    assert (store.manifest().chunker, store.manifest().format) == (CHUNKER, FORMAT)


def test_a_rebuild_with_another_model(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    files = {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")], "b.txt": [paper(TIDES, "b.txt:5")]}
    update(store, files)
    store.open()
    other = BagEmbedder("sack", dimensions=8, max_tokens=30)
    rebuilt = Store(store.folder, other)

    assert rebuilt.rebuild() == 2

    clean = Store(tmp_path / "clean", BagEmbedder("sack", dimensions=8, max_tokens=30))
    update(clean, files)
    assert seen(rebuilt, other) == seen(clean, other)
    assert "sack (8 dimensions)" in open_of(store, StaleIndexError)  # and who has it open with the old one is told


def test_there_must_be_something_to_rebuild(store: Store) -> None:
    with pytest.raises(EmptyIndexError, match=r"There is no index in .* to make again: make one with: rag-qa index PATH"):
        store.rebuild()
    assert not store.folder.exists()


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage" * 1000)


def in_the_middle(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 20000)


@pytest.mark.parametrize("damage", [garbage, in_the_middle])
def test_a_broken_catalog_is_one_clear_line(damage: Callable[[Path], None], store: Store) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    store._database.close()
    for log in store.folder.glob("catalog.db-*"):
        log.unlink()
    damage(store.folder / "catalog.db")
    broken = Store(store.folder, BagEmbedder())

    for attempt in (broken.open, broken.count, broken.papers, lambda: update(broken, {"a.txt": []}), broken.rebuild):
        with pytest.raises(IndexingError) as error:
            attempt()
        assert str(error.value).startswith(f"The catalog {store.folder}/catalog.db can't be used (")
        assert str(error.value).endswith(f"delete the folder {store.folder} and run rag-qa index PATH again")
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: shutil.rmtree(folder / "chroma"),
        lambda folder: shutil.rmtree(folder / "keywords"),
        lambda folder: garbage(folder / "chroma" / "chroma.sqlite3"),
        lambda folder: garbage(folder / "keywords" / "meta.json"),
        lambda folder: garbage(folder / "manifest.json"),
    ],
    ids=["no vectors", "no keywords", "broken vectors", "broken keywords", "broken manifest"],
)
def test_a_lost_part_is_noticed_and_made_again(damage: Callable[[Path], None], store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    files = {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")]}
    update(store, files)
    damage(store.folder)
    broken = Store(store.folder, embedder)

    assert "rag-qa index --rebuild" in open_of(broken, IndexingError)
    with pytest.raises(IndexingError, match="rag-qa index --rebuild"):
        update(broken, files)

    broken.rebuild()
    assert seen(broken, embedder) == built(tmp_path / "clean", files)


def test_without_its_manifest_all_is_made_again(store: Store, embedder: BagEmbedder, tmp_path: Path) -> None:
    files = {"a.txt": [paper(TIDES), paper(MOSSES, "a.txt:3")]}
    update(store, files)
    (store.folder / "manifest.json").unlink()
    other = BagEmbedder("sack", dimensions=8)

    fresh = Store(store.folder, other)
    update(fresh, {"b.txt": [paper(WOLVES, "b.txt:1")]})

    assert set(search(fresh, other)) == {TIDES, MOSSES, WOLVES}


@pytest.mark.parametrize("place", ["index", "."])
def test_a_file_in_the_place_of_a_folder(place: str, tmp_path: Path, embedder: BagEmbedder) -> None:
    (tmp_path / "data").write_text("x") if place == "." else (tmp_path / "data").mkdir()
    if place == "index":
        (tmp_path / "data" / "index").write_text("x")

    with pytest.raises(IndexingError, match=r"/data/index can't be written to \(.*\): choose another folder with --data-dir or RAG_QA_DATA_DIR$"):
        update(Store(tmp_path / "data" / "index", embedder), {"a.txt": [paper(TIDES)]})


def test_a_catalog_that_another_program_holds_is_busy_not_broken(store: Store) -> None:
    update(store, {"a.txt": [paper(TIDES)]})
    store._database._db.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(store.folder / "catalog.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(IndexBusyError, match=r"Another process is writing to .*: wait until it is done and try again"):
        update(store, {"a.txt": [paper(MOSSES)]})

    other.close()
    assert update(store, {"a.txt": [paper(MOSSES)]}) == Counted(updated=1, embedded=1)


# ------------------------------------------------------------------------------------------------------- what is embedded


def test_a_title_stands_before_each_passage_where_both_fit(store: Store, embedder: BagEmbedder) -> None:
    one = replace(paper("Moss grows on old stone. Wolves run over the wide and empty snow in the winter."), title="On life")
    update(store, {"a.txt": [one]})
    assert embedder.embedded[:2] == ["On life. Moss grows on old stone.", "Wolves run over the wide and empty snow in the winter."]
    # a sentence stands for itself
    assert embedder.embedded[2:] == ["Moss grows on old stone.", "Wolves run over the wide and empty snow in the winter."]


def test_a_question_as_title_gets_no_further_full_stop(store: Store, embedder: BagEmbedder) -> None:
    update(store, {"a.txt": [replace(paper("Moss does."), title="Who needs no roots?")]})
    assert embedder.embedded[0] == "Who needs no roots? Moss does."


def test_cosines_of_unrelated_sentences(store: Store, embedder: BagEmbedder) -> None:
    papers = [paper(abstract(number)) for number in range(20)]
    update(store, {"a.txt": papers[:15]})
    store.open()
    assert store.unrelated() is None  # too few

    update(store, {"b.txt": papers[15:]})
    store.open()
    found = store.unrelated()
    assert found is not None
    vectors = store.sentence_vectors([one.id for one in papers])
    cosines = [float(a @ b) for one, other in itertools.permutations(vectors, 2) for a in vectors[one] for b in vectors[other]]
    assert found == pytest.approx((float(np.mean(cosines)), float(np.std(cosines))), rel=1e-3)
