"""Numbers of a text with their units and bounds, in the form in which two texts are compared: "1.67 ×", "30 percent", "fewer than ten days"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_UNIT_WORDS = {
    "%": "%", "percent": "%", "per cent": "%", "pct": "%",
    "percentage point": "percentage points", "percentage points": "percentage points", "% points": "percentage points",
    "pp": "percentage points", "point": "points", "points": "points", "pts": "points",
    "×": "×", "x": "×", "times": "×", "fold": "×",
    "bit": "bits", "bits": "bits", "byte": "bytes", "bytes": "bytes", "kb": "kilobytes", "mb": "megabytes", "gb": "gigabytes", "tb": "terabytes",
    "ms": "milliseconds", "millisecond": "milliseconds", "milliseconds": "milliseconds", "s": "seconds", "second": "seconds", "seconds": "seconds",
    "minute": "minutes", "minutes": "minutes", "h": "hours", "hour": "hours", "hours": "hours", "day": "days", "days": "days",
    "week": "weeks", "weeks": "weeks", "month": "months", "months": "months", "year": "years", "years": "years",
    "hz": "hertz", "khz": "kilohertz", "mhz": "megahertz", "ghz": "gigahertz", "db": "decibels", "mm": "millimetres", "cm": "centimetres",
    "km": "kilometres", "mg": "milligrams", "kg": "kilograms",
}  # fmt: skip
_MAGNITUDES = {"k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "hundred": 2, "trillion": 12}
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(), start=2)
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "dozen": "12"}
_MULTIPLES = {"twice": "2", "double": "2", "doubles": "2", "doubled": "2", "doubling": "2", "twofold": "2"}
_MULTIPLES |= {"triple": "3", "triples": "3", "tripled": "3", "threefold": "3", "fourfold": "4", "fivefold": "5", "tenfold": "10"}

_UNIT = "|".join(re.escape(unit).replace(r"\ ", "[- ]") for unit in sorted(_UNIT_WORDS, key=len, reverse=True))
_DIGITS = re.compile(
    # not the end of a name ("gpt-4", "llama3", "v2"); a possessive match, so that no part of a number is taken for the whole
    r"(?<![\w.^])(?<![^\W\d_]-)(?P<value>\d++(?:[.,]\d++)*+(?:\^-?\d++|e-?\d++)?+)"
    r"(?:(?P<attached>k|m|bn?)(?!\w)|[- ]?(?P<magnitude>hundred|thousand|million|billion|trillion)\b)?"
    rf"(?:(?:-?\s?)(?P<unit>{_UNIT})(?!\w))?(?![^\W\d_])"
)
# the number of a point in a list: "1) We", "(2) it"
_ENUMERATOR = re.compile(r"(?:^|(?<=\s)|\s)(?:\d{1,2}|\([1-9])\)\s|^\d{1,2}\.\s")
_WORDS = re.compile(
    rf"\b(?:(?P<multiple>{'|'.join(_MULTIPLES)})|(?P<one>one|a)[- ](?P<of>hundred|thousand|million|billion)"
    rf"|(?P<word>{'|'.join(_NUMBER_WORDS)})(?:[- ](?P<magnitude>hundred|thousand|million|billion))?(?:[- ](?P<unit>{_UNIT})(?!\w))?)\b"
)
# "3- and 4-bit", "two or three layers": the unit of the last number belongs to the others
_SHARED = re.compile(r"-?\s?(?:,|and|or|to|-|/)\s?$")
_BOUNDS = (
    ("at most", r"up to|at most|no more than|not more than|maximum (?:[\w-]+ ){0,3}of|≤|within|reach(?:es|ing)?(?: up to)?"),
    ("less than", r"fewer than|less than|under|below|<|nearly|almost|close to|approach(?:es|ing)?(?: an?)?|just short of"),
    ("at least", r"at least|no less than|no fewer than|minimum of|≥|not less than"),
    ("more than", r"more than|over|above|exceed(?:s|ing)?|>|greater than|higher than|larger than|in excess of|upwards of|well over"),
    ("about", r"about|approximately|around|roughly|some|circa|~|approx\.?|on the order of"),
)
_BOUND = tuple((name, re.compile(rf"(?:^|[\s($]|\b)(?:{pattern})\s?(?:an?\s)?$")) for name, pattern in _BOUNDS)
_FACTOR = re.compile(r"\bfactors? of (?:about |approximately |around |roughly |up to |at least |nearly |over |more than )?$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as compared: `value` with its magnitude written out and without separators, `unit` in one form ("" for a bare number), `bound` one of
    "", "at most", "less than", "at least", "more than", "about". `start:end` is its slice of the text.
    """

    value: str
    unit: str = ""
    bound: str = ""
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        number = f"{self.value}{self.unit}" if self.unit in ("%", "×") else f"{self.value} {self.unit}".strip()
        return f"{self.bound} {number}".strip()

    def same_unit(self, other: Quantity) -> bool:
        """Are both measured alike? Percentage points may be called points or per cent, but points are not per cent.

        >>> Quantity("8", "%").same_unit(Quantity("8", "percentage points")), Quantity("8", "%").same_unit(Quantity("8", "points"))
        (True, False)
        """
        units = {self.unit, other.unit}
        return len(units) == 1 or units in ({"percentage points", "points"}, {"percentage points", "%"})


@lru_cache(maxsize=16384)
def quantities(folded: str) -> tuple[Quantity, ...]:
    """Numbers in a folded text, in order.

    >>> [str(q) for q in quantities("up to 1.67× with 32 gpus, 30 percent less than at 3- and 4-bit, gpt-4o on 125k of two million")]
    ['at most 1.67×', '32', '30%', '3 bits', '4 bits', '125000', '2000000']
    """
    found = sorted([*_in_digits(folded), *_in_words(folded)], key=lambda q: q.start)
    for i in range(len(found) - 2, -1, -1):
        if not found[i].unit and found[i + 1].unit and _SHARED.fullmatch(folded, found[i].end, found[i + 1].start):
            found[i] = Quantity(found[i].value, found[i + 1].unit, found[i].bound, found[i].start, found[i].end)
    return tuple(found)


def listed(folded: str) -> int:
    """How many points a text counts up: "(1) ... (2) ...", "i) ... ii) ..."; 0 if it counts none.

    >>> listed("it has limits: (i) it is slow; (ii) it is costly."), listed("it is slow.")
    (2, 0)
    """
    numbers = {number for match in _POINT.finditer(folded) if (number := _POINTS.get(match.group(1)))}
    return len(numbers) if numbers == set(range(1, len(numbers) + 1)) else 0


def lists_as_many(folded: str, quantity: Quantity) -> bool:
    """Does a sentence itself list as many things as it says there are: "two variants are Bayesian MAP and Nested MAP"?

    >>> two, = quantities("there are two parts: a head and a tail")
    >>> lists_as_many("there are two parts: a head and a tail", two)
    True
    """
    if quantity.unit or quantity.bound or not re.fullmatch(r"[2-9]", quantity.value):
        return False
    lists = (match for match in _LIST_FOLLOWS.finditer(folded, quantity.end) if not _ELSEWHERE.search(folded, quantity.end, match.start()))
    tails = [folded[match.end() :].rstrip(" .") for match in lists]
    return any(len(_ITEMS.split(tail)) == int(quantity.value) for tail in tails)


_LIST_FOLLOWS = re.compile(r":\s|\b(?:are|namely|including|i\.e\.,?)\s")
_ELSEWHERE = re.compile(r"\bthat\b|[.;]\s")  # "on six data sets we show that it is fast, small and cheap" lists no data sets
_ITEMS = re.compile(r",\s*(?:and\s|or\s)?|\s(?:and|or)\s")
_POINTS = {
    name: number for names in ("1 2 3 4 5 6 7 8 9", "i ii iii iv v vi vii viii", "a b c d e f g h") for number, name in enumerate(names.split(), 1)
}
_POINT = re.compile(r"(?:^|[\s(])([1-9]|[ivx]{1,4}|[a-h])\)\s")


def _in_digits(folded: str) -> Iterator[Quantity]:
    for match in _DIGITS.finditer(folded):
        if _ENUMERATOR.match(folded, max(0, match.start() - 1)) or _ENUMERATOR.match(folded, match.start()):
            continue
        value = _plain(match["value"], _MAGNITUDES.get(match["attached"] or match["magnitude"] or "", 0))
        negative = re.search(r"(?:^|[\s(=~<>≤≥])-\s?$", folded[max(0, match.start() - 3) : match.start()])
        unit = _UNIT_WORDS.get((match["unit"] or "").replace("-", " "), "") or _by_factor(folded, match.start())
        yield Quantity(("-" if negative else "") + value, unit, _bound(folded, match.start()), match.start(), match.end())


def _in_words(folded: str) -> Iterator[Quantity]:
    for match in _WORDS.finditer(folded):
        bound = _bound(folded, match.start())
        if match["multiple"]:
            yield Quantity(_MULTIPLES[match["multiple"]], "×", bound, match.start(), match.end())
        elif match["of"]:
            yield Quantity(_plain("1", _MAGNITUDES[match["of"]]), "", bound, match.start(), match.end())
        else:
            value = _plain(_NUMBER_WORDS[match["word"]], _MAGNITUDES.get(match["magnitude"] or "", 0))
            unit = _UNIT_WORDS.get((match["unit"] or "").replace("-", " "), "") or _by_factor(folded, match.start())
            yield Quantity(value, unit, bound, match.start(), match.end())


def _plain(value: str, zeros: int) -> str:
    """A number without separators and with its zeros.

    >>> _plain("125,000", 0), _plain("2.5", 9), _plain("1.670", 0)
    ('125000', '2500000000', '1.67')
    """
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", value):
        value = value.replace(",", "")
    if not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return value
    whole, _, part = value.partition(".")
    whole, part = whole + part[:zeros].ljust(zeros, "0"), part[zeros:].rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{part}" if part else whole


def _by_factor(folded: str, start: int) -> str:
    return "×" if _FACTOR.search(folded[max(0, start - 40) : start]) else ""


def _bound(folded: str, start: int) -> str:
    before = folded[max(0, start - 48) : start]
    return next((name for name, pattern in _BOUND if pattern.search(before)), "")
