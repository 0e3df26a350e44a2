"""What several commands read from the command line in the same way."""

from __future__ import annotations

import argparse


def at_least_one(value: str) -> int:
    """A number from 1 on. Raises argparse.ArgumentTypeError for a smaller one, ValueError for what is no number: argparse says both in one line.

    >>> at_least_one("3")
    3
    """
    if (number := int(value)) < 1:
        raise argparse.ArgumentTypeError(f"{value} is less than 1")
    return number
