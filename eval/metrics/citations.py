"""Are the right papers cited, only they, and word for word? `cited`: ids of the papers that sentences cite, in reading order.

All are in [0, 1], higher is better. What has no gold paper or no quote has no figure: they raise ValueError.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence


def all_cited(cited: Sequence[str], gold: Collection[str]) -> float:
    """1 if every gold paper is cited, otherwise 0.

    >>> all_cited(["a", "b"], {"a", "c"})
    0.0
    """
    _check(gold)
    return float(set(gold) <= set(cited))


def any_cited(cited: Sequence[str], gold: Collection[str]) -> float:
    """1 if at least one gold paper is cited, otherwise 0.

    >>> any_cited(["a", "b"], {"a", "c"})
    1.0
    """
    _check(gold)
    return float(bool(set(gold) & set(cited)))


def cited_first(cited: Sequence[str], gold: Collection[str]) -> float:
    """1 if the paper cited first is gold, otherwise 0 (also when nothing is cited).

    >>> cited_first(["b", "a"], {"a"})
    0.0
    """
    _check(gold)
    return float(bool(cited) and cited[0] in gold)


def precision(cited: Sequence[str], gold: Collection[str]) -> float:
    """Distinct cited papers that are gold / distinct cited papers; 0 when an answer cites nothing.

    >>> precision(["a", "b", "a"], {"a", "c"})
    0.5
    """
    _check(gold)
    distinct = set(cited)
    return len(distinct & set(gold)) / len(distinct) if distinct else 0.0


def gold_share(cited: Sequence[str], gold: Collection[str]) -> float:
    """Gold papers that are cited / gold papers.

    >>> gold_share(["a", "b"], {"a", "c"})
    0.5
    """
    _check(gold)
    return len(set(gold) & set(cited)) / len(set(gold))


def valid_share(numbers: Sequence[int], sources: Collection[int]) -> float:
    """Citations whose number stands in the source list / citations. A made-up number stays in the denominator.

    >>> valid_share([1, 2, 7, 1], {1, 2})
    0.75
    """
    if not numbers:
        raise ValueError("nothing is cited")
    return sum(number in sources for number in numbers) / len(numbers)


def verbatim_share(quotes: Sequence[tuple[str, str | None]]) -> float:
    """Quotes that are, character for character, what stands at their place in the abstract / quotes.

    Each pair is (quote as shown, `abstract[start:end]` of the cited paper, or None where there is no such paper or place).

    >>> verbatim_share([("is fast", "is fast"), ("is slow", "is fast"), ("", "")])
    0.3333333333333333
    """
    if not quotes:
        raise ValueError("nothing is quoted")
    return sum(bool(quote) and quote == found for quote, found in quotes) / len(quotes)


_SPAN = re.compile(r"“([^“”]+)”|\"([^\"]+)\"")
_LEFT_OUT = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\.{3}|…)\s*")
LEAST_WORDS = 5
"""Shorter quotations are names and terms."""


def quoted_spans(text: str) -> list[tuple[int, int, str]]:
    """(start, end, words) of what stands in double quotation marks and is at least LEAST_WORDS words long.

    >>> quoted_spans('It “rises twice a day at most” and is “fast”.')
    [(3, 30, 'rises twice a day at most')]
    """
    found = [(match.start(), match.end(), (match[1] or match[2]).strip(" .,;:!?")) for match in _SPAN.finditer(text)]
    return [one for one in found if len(one[2].split()) >= LEAST_WORDS]


def stands_verbatim(span: str, abstracts: Sequence[str]) -> bool:
    """Do the words of a quotation stand in one of the abstracts, but for white space and marks of quotation? What an ellipsis leaves out may.

    >>> stands_verbatim("Tides  rise … a day", ["Tides rise twice a day."]), stands_verbatim("Tides rise daily", ["Tides rise twice a day."])
    (True, False)
    """
    parts = [_plain(part) for part in _LEFT_OUT.split(span) if part.strip()]
    return any(all(part in _plain(abstract) for part in parts) for abstract in abstracts)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split())


_QUOTES = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})


def _check(gold: Collection[str]) -> None:
    if not gold:
        raise ValueError("no paper is gold: the question has no citation figure")
