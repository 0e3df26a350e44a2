"""Keywords: lists in one value, and the marks of MeSH."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DIVIDERS = ((";", re.compile(r"\s*;\s*")), ("|", re.compile(r"\s*\|+\s*")), (" • ", re.compile(r"\s•\s")), (" · ", re.compile(r"\s·\s")))
_COMMA = re.compile(r",(?!\d)\s*")
_SUBHEADING = re.compile(r"/[a-z]{2} \[([^\]]{2,60})\]")  # Ovid: "*Stroke/th [Therapy]"
_STARS = re.compile(r"(?:(?<=^)|(?<=/))\*+|\*+$")
_LONGEST = 6
"""Words of a keyword that stands in a list with commas."""


def of(values: Sequence[str]) -> tuple[str, ...]:
    """Each keyword once, in order. Commas divide only where there is nothing else and plainly a list: "Neoplasms, Second" is one keyword.

    >>> of(["*Dogs/genetics; Animals", "dogs/genetics"]), of(["tide, moon, sea"]), of(["Diabetes Mellitus, Type 2", "Humans"])
    (('Dogs/genetics', 'Animals'), ('tide', 'moon', 'sea'), ('Diabetes Mellitus, Type 2', 'Humans'))
    """
    found: dict[str, str] = {}
    for value in values:
        for part in _each(value, is_only=len(values) == 1):
            keyword = _plain(part)
            if keyword:
                found.setdefault(keyword.casefold(), keyword)
    return tuple(found.values())


def _each(value: str, *, is_only: bool) -> list[str]:
    for sign, divider in _DIVIDERS:
        if sign in value:
            return divider.split(value)
    if is_only and value.count(",") >= 2:
        parts = _COMMA.split(value)
        if len(parts) > 2 and all(len(part.split()) <= _LONGEST for part in parts):
            return parts
    return [value]


def _plain(part: str) -> str:
    if "/" in part:
        part = _SUBHEADING.sub(lambda match: "/" + match.group(1).lower(), part)
    if "*" in part:
        part = _STARS.sub("", part.strip())
    part = part.strip(" ,;:")
    return part if part.endswith("..") else part.removesuffix(".").rstrip()
