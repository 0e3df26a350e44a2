"""Rows of cells as text."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    """Columns of equal width with a line below the first row; the columns `left` begin at the left, the others end at the right.

    >>> print(table([["", "n"], ["all", "12"]], left=(0,)))
          n
    -------
    all  12
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if column in left else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
