"""The measure of how well records of one work are found, on tables that one can count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval import duplicates
from rag_qa.errors import SourceError

HEAD = "author,title,year,journal,abstract,doi,pages,volume,record_id,source"
TIDES = 'Adeli K.,"Effects of tidal mixing on coastal plankton, and of rain",2008,Mar Ecol,,10.1000/tides,221-228,19'
TIDES_AGAIN = "Adeli K.,EFFECTS OF TIDAL MIXING ON COASTAL PLANKTON AND OF RAIN,2008,Marine Ecology,,,221-8,19"
MOSSES = "Brandt A.,Mosses of old forests keep the water of the soil,2011,Forests,,10.1000/mosses,7-9,3"
SHEEP = "Brandt A.,Sheep in old forests eat the mosses of the soil,2012,Forests,,10.1000/sheep,11,4"


def table(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text("\r\n".join([HEAD, *rows]) + "\r\n", encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three works. The second copy of the first is not found: it has nothing in common but a title that is translated."""
    rows = (
        f"{TIDES},1,unique",
        f"{MOSSES},2,unique",
        f"{TIDES_AGAIN},3,duplicate",
        'Adeli K.,"Effects of tidal mixing on coastal\nplanktons, and rain",1908,Mar Ecol,,,22,,4,duplicate',
        f"{SHEEP},5,unique",
        f"{MOSSES},6,duplicate",
    )
    return table(tmp_path, *rows)


def test_a_copy_is_of_the_kept_record_that_it_resembles_most(path: Path) -> None:
    records = duplicates.load(path)

    assert [record.work for record in records] == [0, 1, 0, 0, 4, 1]
    assert [record.paper.origins[0].line for record in records] == [2, 3, 4, 5, 7, 8]


def test_pairs_are_counted(path: Path) -> None:
    figures = duplicates.measure(duplicates.load(path))

    assert (figures.records, figures.works, figures.groups) == (6, 3, 4)
    assert (figures.right_pairs, figures.wrong_pairs, figures.missed_pairs) == (2, 0, 2)  # of the four: three of the tides, one of the mosses
    assert (figures.precision, figures.recall, figures.f1) == (1.0, 0.5, 2 / 3)
    assert figures.merged_in_error == ()
    assert [len(work) for work in figures.split] == [3]


def test_a_wrong_merge_is_told_with_its_records(tmp_path: Path) -> None:
    path = table(tmp_path, f"{TIDES},1,unique", f"{TIDES_AGAIN},2,unique", f"{MOSSES},3,unique")

    figures = duplicates.measure(duplicates.load(path), "held out")

    assert (figures.right_pairs, figures.wrong_pairs, figures.missed_pairs) == (0, 1, 0)
    assert (figures.precision, figures.recall, figures.f1) == (0.0, None, 0.0)
    told = "\n".join(duplicates.lines([figures]))
    assert "held out: works merged in error, 1 of 1" in told
    assert f"{path}:2  Effects of tidal mixing on coastal plankton, and of rain | Adeli" in told
    assert "[same title, year, volume and page]" in told


def test_nothing_found_is_no_precision(tmp_path: Path) -> None:
    figures = duplicates.measure(duplicates.load(table(tmp_path, f"{TIDES},1,unique", f"{MOSSES},2,unique")))

    assert (figures.precision, figures.recall, figures.f1) == (None, None, None)
    assert "none" in duplicates.lines([figures])[1]


def test_the_halves_share_no_work_and_are_all(path: Path) -> None:
    development, held_out, whole = duplicates.run(path)

    assert [figures.scope for figures in (development, held_out, whole)] == ["development", "held out", "all"]
    assert development.records + held_out.records == whole.records
    assert development.works + held_out.works == whole.works
    for record in duplicates.load(path):
        assert record.half == duplicates.load(path)[record.work].half


@pytest.mark.parametrize(("journal", "label", "found"), [("Mar Ecol", "maybe", "0 labels"), ("duplicate", "unique", "2 labels")])
def test_a_table_without_clear_labels_is_refused(tmp_path: Path, journal: str, label: str, found: str) -> None:
    with pytest.raises(SourceError, match=f":2: found {found}"):
        duplicates.load(table(tmp_path, f"{TIDES},1,{label}".replace("Mar Ecol", journal)))


def test_a_labelled_record_that_is_not_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=":3: found a labelled record that the program does not read"):
        duplicates.load(table(tmp_path, f"{TIDES},1,unique", ",,2008,Mar Ecol,,,,,2,unique"))


def test_works_in_several_files_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    one, other = table(tmp_path, f"{TIDES},1,unique", f"{MOSSES},2,unique"), table(tmp_path / "a", f"{TIDES_AGAIN},1,unique")
    other = other.rename(tmp_path / "other.csv")

    assert duplicates.across([one, other]) == {("labelled.csv",): 1, ("labelled.csv", "other.csv"): 1}


def test_the_labelled_exports(shared_data: Path) -> None:
    records = duplicates.load(shared_data / "exports" / "asysd_labelled_duplicates_latin1.csv")

    assert len(records) == 1845
    assert len({record.work for record in records}) == 584
    development = duplicates.measure([record for record in records if record.half == "development"], "development")
    assert development.precision is not None
    assert development.recall is not None
    assert development.precision >= 0.999
    assert development.recall >= 0.99
