"""Rows of delimited text: the csv module's reading, and what it gets wrong."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats.rows import MAX_LINES, Dialect, Fault, Row, rows


def read(content: str, width: int, dialect: Dialect | None = None) -> list[tuple[int, list[str]] | int]:
    """(line, cells) of each row, and the line of each that can't be read."""
    found = rows(enumerate(content.split("\n"), start=1), dialect or Dialect(","), width)
    return [row.line if isinstance(row, Fault) else (row.line, list(row.cells)) for row in found]


def reasons(content: str, width: int) -> list[str]:
    return [row.reason for row in rows(enumerate(content.split("\n"), start=1), Dialect(","), width) if isinstance(row, Fault)]


def test_the_line_of_a_row_is_where_it_begins() -> None:
    assert read('a,b\n"c\n\nd",e\n\nf,g', 2) == [(1, ["a", "b"]), (2, ["c\n\nd", "e"]), (6, ["f", "g"])]


def test_quotation_marks_and_separators_inside_a_cell() -> None:
    assert read('"say ""hi"", then","x"\n"","y"\n"a" , "b"', 2) == [(1, ['say "hi", then', "x"]), (2, ["", "y"]), (3, ["a", "b"])]


def test_a_row_may_lack_its_last_cells_and_have_empty_ones_beyond() -> None:
    assert read("a,b\na,b,c,,", 3) == [(1, ["a", "b"]), (2, ["a", "b", "c"])]


def test_a_row_with_too_many_cells_is_reported_alone() -> None:
    assert read("a,b\nTides, waves,x\nc,d", 2) == [(1, ["a", "b"]), 2, (3, ["c", "d"])]
    assert reasons("Tides, waves,x", 2) == ["3 cells, where the header has 2: a separator inside a cell that is not in quotation marks?"]


def test_a_line_without_any_separator_is_no_row() -> None:
    assert read("a,b,c\nExported on Monday\nd,e,f", 3) == [(1, ["a", "b", "c"]), 2, (3, ["d", "e", "f"])]


def test_line_breaks_in_a_cell_without_quotation_marks_make_one_fault() -> None:
    content = "T0,a,2019,d\nT1,We study\nthe tides\nof the sea,2020,d\nT2,b,2021,d"

    assert read(content, 4) == [(1, ["T0", "a", "2019", "d"]), 2, (5, ["T2", "b", "2021", "d"])]
    assert reasons(content, 4) == ["a line break inside a cell that is not in quotation marks; left out as far as line 4"]
    assert read("T1,We study\nthe tides,2020\nT2,b,2021", 3) == [1, (3, ["T2", "b", "2021"])]
    # two papers that lack their last cell
    assert read("T1,a\nT2,b\n", 3) == [(1, ["T1", "a"]), (2, ["T2", "b"])]


def test_a_quotation_mark_that_is_not_closed_costs_its_row_alone() -> None:
    assert read('"T1","abstract one\n"T2","abstract two"\n"T3","abstract three"', 2) == [
        1,
        (2, ["T2", "abstract two"]),
        (3, ["T3", "abstract three"]),
    ]
    # where no other mark follows, the file ends
    assert read('T0,a,1\n"T1,b,2\nT2,c,3\nT3,d,4', 3) == [(1, ["T0", "a", "1"]), 2, (3, ["T2", "c", "3"]), (4, ["T3", "d", "4"])]


def test_what_went_on_below_a_broken_row_is_no_row() -> None:
    content = '"T0","a"\n"T1","first line\nsecond "line", of it\nthird line"\n"T2","b"'

    assert read(content, 2) == [(1, ["T0", "a"]), 2, (5, ["T2", "b"])]
    assert reasons(content, 2)[0].endswith("left out as far as line 4, after which a whole row begins or the file ends")


def test_a_file_that_is_cut_off_inside_a_cell() -> None:
    assert read('a,b\nc,"d and so', 2) == [(1, ["a", "b"]), 2]


def test_marks_that_a_writer_does_not_double() -> None:
    assert read('"On "Tides" again","x"', 2) == [(1, ['On "Tides" again', "x"])]
    # IEEE Xplore
    assert read('"A","Conference on "Computer as a Tool"","2007"', 3) == [(1, ["A", 'Conference on "Computer as a Tool"', "2007"])]
    # here nobody can tell where the cell ends
    assert read('"On "Tides", again","x"', 2) == [1]
    assert read('"Smart" cities: a review,2020', 2) == [(1, ['"Smart" cities: a review', "2020"])]


def test_a_table_with_tabs_may_not_quote_at_all() -> None:
    assert read('"Smart" cities\tA\n"Open\tB\n"C\tD', 2, Dialect("\t")) == [(1, ['"Smart" cities', "A"]), (2, ['"Open', "B"]), (3, ['"C', "D"])]
    assert read('"a\tb"\t"c ""d"""', 2, Dialect("\t")) == [(1, ["a\tb", 'c "d"'])]


def test_marks_that_are_escaped_by_a_backslash() -> None:
    content = '"say \\"hi\\", then","x"\n"c:\\\\","\\alpha"'

    assert read(content, 2, Dialect(",", has_backslashes=True)) == [(1, ['say "hi", then', "x"]), (2, ["c:\\", "\\alpha"])]


def test_a_cell_that_never_ends_is_given_up() -> None:
    content = 'T0,a\n"T1,b\n' + "x,y\n" * (MAX_LINES + 5) + '"T2","c"'

    assert read(content, 2)[:3] == [(1, ["T0", "a"]), 2, (3, ["x", "y"])]
    assert "not closed within 10,000 lines" in reasons(content, 2)[0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@given(
    table=st.lists(
        st.lists(st.text(st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"]), max_size=12), min_size=3, max_size=3), max_size=6
    )
)
def test_what_the_csv_module_writes_is_read_as_it_was(delimiter: str, table: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(table)

    found = list(rows(enumerate(buffer.getvalue().split("\n"), start=1), Dialect(delimiter), 3))

    assert [list(row.cells) if isinstance(row, Row) else row for row in found] == table


@given(st.text(alphabet=st.sampled_from('ab",\n "\\'), max_size=60), st.integers(1, 4))
def test_any_text_gives_rows_in_order_and_none_wider_than_the_header(content: str, width: int) -> None:
    found = list(rows(enumerate(content.split("\n"), start=1), Dialect(","), width))
    lines = [row.line for row in found]

    assert lines == sorted(set(lines))
    assert all(len(row.cells) <= width for row in found if isinstance(row, Row))


@given(st.lists(st.sampled_from(['"a","b"', "c,d", '"e,f', '"g "h"",i', "j", "k,l,m", '"n""",o']), max_size=8))
def test_whole_rows_are_read_whatever_stands_between_them(lines: list[str]) -> None:
    content = [line for broken in lines for line in (broken, '"whole","row"')]
    found = list(rows(enumerate(content, start=1), Dialect(","), 2))

    assert [row.line for row in found if isinstance(row, Row) and list(row.cells) == ["whole", "row"]] == list(range(2, len(content) + 1, 2))
