"""Records of one work become one paper."""

from __future__ import annotations

from itertools import permutations

from rag_qa import dedup
from rag_qa.papers import Origin, Paper

BARE = Paper("p1", "We study tides.", origins=(Origin("b.txt", 3),))
FULL = Paper(
    "p1",
    "We study  tides.",
    title="On tides",
    authors=("A", "B"),
    year=2024,
    venue="ICLR",
    doi="10.1/x",
    pmid="1",
    arxiv="2401.1",
    url="https://x",
    collection="C",
    origins=(Origin("a.txt", 5),),
    extra={"pages": "3", "note": "full"},
)
OTHER = Paper("p2", "We study mosses.", origins=(Origin("a.txt", 1),))


def test_what_one_record_lacks_comes_from_the_other() -> None:
    (merged,) = dedup.merge([BARE, FULL])

    assert merged.abstract == BARE.abstract
    assert (merged.title, merged.authors, merged.year, merged.venue) == ("On tides", ("A", "B"), 2024, "ICLR")
    assert (merged.doi, merged.pmid, merged.arxiv, merged.url, merged.collection) == ("10.1/x", "1", "2401.1", "https://x", "C")
    assert merged.origins == (Origin("a.txt", 5), Origin("b.txt", 3))


def test_where_both_say_something_the_first_wins() -> None:
    second = Paper("p1", "We study tides.", title="Tides", year=2020, extra={"note": "bare", "volume": "7"})

    (merged,) = dedup.merge([FULL, second])

    assert (merged.title, merged.year) == ("On tides", 2024)
    assert merged.extra == {"pages": "3", "note": "full", "volume": "7"}


def test_the_order_of_first_appearance_is_kept() -> None:
    assert [paper.id for paper in dedup.merge([OTHER, BARE, OTHER, FULL])] == ["p2", "p1"]
    assert dedup.merge([]) == []


def test_origins_do_not_depend_on_the_order() -> None:
    records = [BARE, FULL, BARE.with_origins((Origin("a.txt", 9),))]

    assert {dedup.merge(order)[0].origins for order in permutations(records)} == {(Origin("a.txt", 5), Origin("a.txt", 9), Origin("b.txt", 3))}


def test_merging_again_changes_nothing() -> None:
    once = dedup.merge([BARE, FULL, OTHER])

    assert dedup.merge(once) == once
