"""The nearest passages under conditions: those that looking at every passage gives, however many papers meet the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_qa.embedding.embedder import Vectors
from rag_qa.index.store import Store
from rag_qa.index.vectors import Folder, Near, VectorStore
from tests.index.making import BagEmbedder, abstract, paper, update

Conditions = dict[str, str | tuple[int | None, int | None]]
PAPERS = 3000
LIMIT = 30
QUESTION = "glaciers in region 17 by method"


def year(number: int) -> int:
    return 2000 + number % 10


def venue(number: int) -> str:
    return "Rare" if number % 300 == 7 else "Small" if number % 33 == 1 else f"Venue {number % 2}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("near") / "index", BagEmbedder(dimensions=64))
    records = [paper(abstract(number), f"a.txt:{number + 1}", year=year(number), venue=venue(number)) for number in range(PAPERS)]
    update(made, {"a.txt": records})
    made.open()
    return made


def by_looking_at_all(store: Store, conditions: Conditions) -> list[tuple[str, float]]:
    """Passages of the papers that meet the conditions, nearest first."""
    embedder = BagEmbedder(dimensions=64)
    (question,) = embedder.embed([QUESTION])
    meeting = {one.id: one for one in store.papers() if all(_meets(one, field, wanted) for field, wanted in conditions.items())}
    passages = [passage for group in store.passages(meeting).values() for passage in group]
    cosines = (embedder.embed([passage.text for passage in passages]) @ question).tolist() if passages else []
    return sorted(((passage.id, cosine) for passage, cosine in zip(passages, cosines, strict=True)), key=lambda pair: (-round(pair[1], 5), pair[0]))


def _meets(one: object, field: str, wanted: str | tuple[int | None, int | None]) -> bool:
    value = getattr(one, field)
    if isinstance(wanted, str):
        return str(value).casefold() == wanted
    return (wanted[0] is None or value >= wanted[0]) and (wanted[1] is None or value <= wanted[1])


@pytest.mark.parametrize(
    ("conditions", "papers"),
    [
        ({}, 3000),
        ({"year": (2001, None)}, 2700),
        ({"venue": "venue 1"}, 1445),
        ({"year": (2002, 2004)}, 900),
        ({"year": (2003, 2003)}, 300),
        ({"venue": "small"}, 90),
        ({"venue": "rare"}, 10),
        ({"venue": "small", "year": (None, 2001)}, 19),
        ({"venue": "rare", "year": (2007, 2007)}, 10),
        ({"venue": "rare", "year": (2008, None)}, 0),
        ({"venue": "unheard"}, 0),
    ],
)
def test_the_nearest_under_conditions_are_those_that_looking_at_all_gives(conditions: Conditions, papers: int, store: Store) -> None:
    embedder = BagEmbedder(dimensions=64)
    expected = by_looking_at_all(store, conditions)
    assert len({id_.split(":")[0] for id_, _ in expected}) == papers

    found = store.near(embedder.embed([QUESTION])[0], LIMIT, {**conditions})

    assert LIMIT // 3 <= len(found) <= LIMIT or len(found) == len(expected)
    assert [one.similarity for one in found] == pytest.approx([cosine for _, cosine in expected[: len(found)]], abs=1e-3)
    known = dict(expected)
    assert all(one.similarity == pytest.approx(known[one.passage_id], abs=1e-3) for one in found)  # and each meets the conditions


def test_far_from_the_question_they_are_found_too(tmp_path: Path) -> None:
    """Papers that meet the conditions, and are many, but none of which is among the nearest that are looked at first."""
    embedder = BagEmbedder(dimensions=64)
    store = Store(tmp_path / "index", embedder)
    near = [paper(f"Tides rise in bay {number}. Tides fall.", f"a.txt:{number + 1}", year=2001) for number in range(300)]
    far = [paper(f"Wolves howl on hill {number}. They rest.", f"b.txt:{number + 1}", year=2002) for number in range(100)]
    update(store, {"a.txt": near, "b.txt": far})
    store.open()

    found = store.near(embedder.embed(["Tides rise and fall in bays"])[0], LIMIT, {"year": (2002, None)})

    assert len(found) >= LIMIT // 3
    assert {one.paper_id for one in found} <= {one.id for one in far}


class Forgetful(VectorStore):
    """Its graph does not lead to the last one of the nearest."""

    def query(self, vector: Vectors, limit: int, ids: Sequence[str] | None = None) -> list[Near]:
        return super().query(vector, limit, ids)[:-1]


def test_where_all_are_wanted_all_are_found_though_the_graph_does_not_lead_there(tmp_path: Path) -> None:
    embedder = BagEmbedder()
    store = Store(tmp_path / "index", embedder)
    update(store, {"a.txt": [paper(abstract(number), f"a.txt:{number}") for number in range(20)]})
    every = store.near(embedder.embed(["tides"])[0], 10_000)
    vars(store)["_vectors"] = Forgetful(Folder(store.folder / "chroma"))

    found = store.near(embedder.embed(["tides"])[0], 10_000)
    assert {one.passage_id: pytest.approx(one.similarity, abs=1e-5) for one in every} == {one.passage_id: one.similarity for one in found}
    assert len(found) == store.count()[1]
