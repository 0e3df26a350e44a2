"""What narrows a search."""

from __future__ import annotations

import pytest

from rag_qa.papers import Paper
from rag_qa.retrieval.filters import Filters

PAPER = Paper("p1", "We ...", year=2024, venue="ICLR", collection="ICLR 2024 Papers")
BARE = Paper("p2", "They ...")


@pytest.mark.parametrize(
    ("filters", "accepted"),
    [
        (Filters(), True),
        (Filters(year_from=2024, year_to=2024), True),
        (Filters(year_from=2023), True),
        (Filters(year_from=2025), False),
        (Filters(year_to=2023), False),
        (Filters(venue="iclr"), True),
        (Filters(venue="ICML"), False),
        (Filters(collection="iclr 2024 papers"), True),
        (Filters(collection="ICLR"), False),
        (Filters(venue=""), True),
        (Filters(venue="ICLR", year_from=2025), False),
    ],
)
def test_a_paper_with_everything(filters: Filters, accepted: bool) -> None:
    assert filters.accepts(PAPER) is accepted


@pytest.mark.parametrize("filters", [Filters(year_from=1), Filters(year_to=9999), Filters(venue="ICLR"), Filters(collection="x")])
def test_what_is_not_known_of_a_paper_passes_no_filter(filters: Filters) -> None:
    assert not filters.accepts(BARE)
    assert Filters().accepts(BARE)
