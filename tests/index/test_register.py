"""Which records are one work, decided anew whenever a file changes: what comes of it is what a clean build gives, and costs what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rag_qa.index.catalog import Catalog
from rag_qa.index.database import Database, Row
from rag_qa.index.register import Register
from rag_qa.papers import Origin, Paper, paper_id

TIDES, MOSSES = "On the tides of the northern bays", "Mosses of old forests in the southern bogs"
BOOK = "10.1000/book"


def record(title: str = TIDES, abstract: str = "We measure tides.", *, doi: str | None = None, year: int | None = 2020, **more: object) -> Paper:
    """A record as a reader makes it; where it stands is told by `Library.read`."""
    id_ = paper_id(abstract, doi=doi, title=title)
    return Paper(id_, abstract, title=title, doi=doi, year=year, authors=("Marx, Karl", "Berg, Anna"), **more)  # type: ignore[arg-type]


class Library:
    """The sources of an index and its papers, without vectors and keywords."""

    def __init__(self, database: Database | None = None) -> None:
        self.database = database or Database(None)
        self.register = Register(self.database)
        self.catalog = Catalog(self.database)

    def read(self, files: Mapping[str, Sequence[Paper]]) -> Library:
        """Files as they are now, one without records has gone; and what the store does then, but for embedding."""
        for path, records in files.items():
            if records:
                self.register.plan(path, [replace(one, origins=(Origin(path, line),)) for line, one in enumerate(records, start=1)])
            else:
                self.register.drop(path)
        self.register.settle(self.catalog)
        self.catalog.drop(self.catalog.leaving())
        self.catalog.finish((id_, [], np.zeros((0, 1), np.float32)) for id_ in self.catalog.pending())
        return self

    def known(self) -> Mapping[str, Iterable[Row]]:
        """All that is known of papers and records."""
        papers = "SELECT id, plain_id, content_hash, record, state, digest FROM papers ORDER BY id"
        records = "SELECT path, ordinal, line, keys, hash, record, paper_id, reason FROM records ORDER BY path, ordinal"
        return {"papers": self.database.rows(papers), "records": self.database.rows(records)}

    def ids(self) -> dict[str, str]:
        """The id of each paper by its title."""
        return {paper.title or "": paper.id for paper in self.catalog.papers()}


# ------------------------------------------------------------------------------------------------------------------------ ids


def test_chapters_that_share_the_doi_of_their_book_are_two_papers() -> None:
    chapters = [record(TIDES, doi=BOOK), record(MOSSES, "We count mosses.", doi=BOOK)]

    ids = Library().read({"a.ris": chapters}).ids()

    assert len(set(ids.values())) == 2
    assert paper_id("", doi=BOOK) not in ids.values()
    # whatever file the other is in
    assert Library().read({"a.ris": chapters[:1]}).read({"b.ris": chapters[1:]}).ids() == ids


def test_what_was_told_apart_gets_its_plain_id_back_when_it_is_alone() -> None:
    library = Library().read({"a.ris": [record(TIDES, doi=BOOK)], "b.ris": [record(MOSSES, "We count mosses.", doi=BOOK)]})

    assert library.read({"b.ris": []}).ids() == {TIDES: paper_id("", doi=BOOK)}


def test_a_record_that_loses_its_copy_stands_alone_again() -> None:
    alone = Library().read({"a.ris": [record(abstract="We measure tides.")]}).known()
    library = Library().read({"a.ris": [record(abstract="We measure tides.")], "b.ris": [record(doi="10.1000/tides")]})
    assert library.ids() == {TIDES: paper_id("", doi="10.1000/tides")}

    assert library.read({"b.ris": []}).known() == alone


# --------------------------------------------------------------------------------------------------------------------- in step

RECORDS = st.builds(
    record,
    st.sampled_from([TIDES, TIDES.upper(), f"{TIDES}: part II", MOSSES, "Editorial"]),
    st.sampled_from(["", "We measure tides.", "We measure tides. They rise.", "We count mosses."]),
    doi=st.sampled_from([None, "10.1000/tides", BOOK, "10.48550/arxiv.1801.00001"]),
    year=st.sampled_from([None, 2019, 2020]),
    venue=st.sampled_from([None, "Journal of Tides", "arXiv"]),
    type=st.sampled_from([None, "article", "preprint"]),
)
FILES = st.dictionaries(st.sampled_from(["a.ris", "b.ris", "c.ris"]), st.lists(RECORDS, max_size=3), min_size=1)


@given(st.lists(FILES, min_size=2, max_size=4))
@example([{"a.ris": [record(doi=BOOK)]}, {"b.ris": [record(MOSSES, "We count mosses.", doi=BOOK)]}, {"a.ris": []}, {"a.ris": [record(abstract="")]}])
def test_whatever_was_read_before_the_index_is_that_of_a_clean_build(readings: list[dict[str, list[Paper]]]) -> None:
    library = Library()
    now: dict[str, list[Paper]] = {}
    for files in readings:
        library.read(files)
        now |= files

    clean = Library().read({path: records for path, records in now.items() if records})

    assert library.known() == clean.known()


def test_others_are_told_once_of_all_that_has_changed_and_not_if_nothing_has() -> None:
    library = Library()
    library.register.plan("a.ris", [replace(record(doi=f"10.1000/{n}"), origins=(Origin("a.ris", n),)) for n in range(9)])

    library.register.settle(library.catalog)
    assert library.database.generation == 1
    library.register.settle(library.catalog)
    library.register.plan("a.ris", [replace(record(doi=f"10.1000/{n}"), origins=(Origin("a.ris", n),)) for n in range(9)])
    library.register.settle(library.catalog)
    assert library.database.generation == 1


# -------------------------------------------------------------------------------------------------------------------- a copy


def test_a_copy_is_changed_without_a_trace(tmp_path: Path) -> None:
    library = Library(Database(tmp_path / "catalog.db")).read({"a.ris": [record(doi=BOOK)], "b.ris": [record(MOSSES, "We count mosses.")]})
    before = library.known()

    copy = Library(library.database.in_memory())
    assert copy.known() == before
    assert len(copy.read({"a.ris": []}).ids()) == 1

    assert library.known() == before
    assert {path.name for path in tmp_path.iterdir()} <= {"catalog.db", "catalog.db-wal", "catalog.db-shm"}
