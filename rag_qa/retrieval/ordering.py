"""In which order a question wants the papers of a list: "newest first", "sorted by year"."""

from __future__ import annotations

import re
from enum import StrEnum


class Order(StrEnum):
    """How the papers of a list stand. By default the surest come first."""

    NEWEST = "newest first"
    OLDEST = "oldest first"


_YEAR = r"(?:the )?(?:year|years|date|age|publication date|publication year|time)(?: of publication| they (?:were published|appeared))?"
_DOWN = r"(?:newest|latest|most recent|youngest|new)(?: (?:ones|papers))?(?: (?:come|comes|go|goes))? first|newest to oldest|new to old|descending"
_UP = r"(?:oldest|earliest|old)(?: (?:ones|papers))?(?: (?:come|comes|go|goes))? first|oldest to newest|old to new|ascending|chronological(?:ly)?"
_HOW = rf"(?:(?P<down>{_DOWN})|(?P<up>{_UP}))"
ORDER = (
    rf"(?:(?:(?:sorted|ordered|ranked|arranged|sort|order|rank) )?by {_YEAR}(?:,? (?:(?:with )?the |from |in )?{_HOW}(?: order)?)?"
    rf"|(?:with )?(?:the |from |in )?(?:sorted |ordered )?{_HOW}(?: order)?)".replace("(?P<down>", "(?P<down1>", 1).replace("(?P<up>", "(?P<up1>", 1)
)
_AT_END = re.compile(rf",? (?:and )?{ORDER}(?: please)?(?P<end>[\s?.!]*)$", re.IGNORECASE)


def order_of(question: str) -> tuple[Order | None, str]:
    """The order that a question ends with, and the question without it.

    >>> order_of("Which papers deal with tides, newest first?"), order_of("papers on tides sorted by year")
    ((<Order.NEWEST: 'newest first'>, 'Which papers deal with tides?'), (<Order.OLDEST: 'oldest first'>, 'papers on tides'))
    >>> order_of("Which tides come first?")
    (None, 'Which tides come first?')
    """
    found = _AT_END.search(question)
    if found is None:
        return None, question
    return (Order.NEWEST if found["down"] or found["down1"] else Order.OLDEST), question[: found.start()] + found["end"].strip()
