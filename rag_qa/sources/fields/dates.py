"""The year in any form of date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2}|2100)(?![0-9])")
_COMPACT = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2})(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])?(?![0-9])")
# Seconds or milliseconds since 1970, as OpenReview has them; from 1990 on, for ten digits may be anything else.
_MOMENT = re.compile(r"([0-9]{9,10})([0-9]{3})?(?:\.0)?")
_FIRST_MOMENT = 631_152_000
_YEAR_ALONE = re.compile(r"[^0-9A-Za-z]*[0-9]{4}(?:\.0)?[^0-9A-Za-z]*(?:nan|undefined|null|none|n\.?d\.?)?[^0-9A-Za-z]*", re.IGNORECASE)


def year(dates: Iterable[str]) -> int | None:
    """The first year from 1500 to 2100 in any of the dates.

    >>> year(["2014//"]), year(["20190103"]), year(["in press", "c2003"]), year(["12/03/15"]), year(["1546300800000"])
    (2014, 2019, 2003, None, 2019)
    """
    return next((found for date in dates if (found := _year(date)) is not None), None)


def _year(date: str) -> int | None:
    found = _YEAR.search(date) or _COMPACT.search(date)
    if found:
        return int(found.group(1))
    moment = _MOMENT.fullmatch(date.strip())
    if not moment or int(moment.group(1)) < _FIRST_MOMENT:
        return None
    told = datetime.fromtimestamp(int(moment.group(1)), tz=UTC).year
    return told if told <= 2100 else None


def is_more(date: str) -> bool:
    """Does the date say more than a year?

    >>> is_more("2019 Jan 3"), is_more("2019///"), is_more("2019///nan"), is_more("in press")
    (True, False, False, True)
    """
    return any(char.isalnum() for char in date) and not _YEAR_ALONE.fullmatch(date)
