"""A phrase of a question that says what the papers must be, and what makes it one: it speaks of papers and nothing denies it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rag_qa.retrieval.filters import Filters
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class Phrase:
    """`start:end` is its slice of the question. `instead`: what is left in its place. `named`: what is shown of it, if not all."""

    start: int
    end: int
    filters: Filters
    instead: str = " "
    named: str = ""


Knows = Callable[[str, str], bool]
"""Does the library know a name: of a "venue", an "author", a "type", a "language" (ISO 639-1)?"""

PAPERS = any_of(
    "papers?|articles?|study|studies|works?|publications?|preprints?|abstracts?|reviews?", "research|literature|trials?|surveys?|evidence"
)
PUBLISHED = any_of("published|appeared|appearing|written|presented|accepted|authored|printed")
# In front of a phrase, and part of it: "that were published in 2020".
BEING = any_of("were|was|are|is|have been|has been")
PREFIX = rf"(?:(?:that|which) (?={BEING}|{PUBLISHED}))?(?:{BEING} )?(?:{PUBLISHED} )?"
_EVERYTHING = (
    r"^(?:(?:list|show|find|give)(?: me)? )?everything\b(?! (?:has|is|that|else|\w+ed (?!in|since|by))\b)"
    r"|^(?:is there|do (?:you|we|i) (?:have|know)|have (?:you|we)(?: got)?|(?:list|show|find|give)(?: me)?) (?:any|some)thing"
    r"(?= (?:by|from|in|since)\b|\s*$)"
)
SPEAKS_OF_PAPERS = re.compile(rf"\b(?:{PAPERS}|{PUBLISHED})\b|{_EVERYTHING}", re.IGNORECASE)
POLITE = (
    r"(?:(?:hi|hello|hey|please|ok|okay|so|and|also|now|well|then)\b[,!.]? ?|(?:can|could|would) you (?:please )?"
    r"|i(?:'m| am) (?:looking|searching) for |i (?:need|want|(?:'d|would) (?:like|love))(?: to (?:see|find|read|have|get))? "
    r"|i'd (?:like|love)(?: to (?:see|find|read|have|get))? "
    r"|(?:an?|the) (?:full |complete )?(?:list|overview|collection) of (?=(?:all|every|the|papers|abstracts|articles|studies|works)\b))*"
)
_SEVERAL = any_of("papers|articles|studies|works|publications|preprints|abstracts|reviews", "research|literature|evidence|everything")
_ASKS_FOR_PAPERS = re.compile(
    rf"^{POLITE}(?:(?:in )?(?:which|what)(?: of)?|how many(?: of)?|(?:list|show|find|give|get|search|look)(?: for)?(?: me)?|(?:are|is) there"
    rf"|do (?:you|we) have|all|any|every|count)?\b(?: ?(?:all|any|the|these|other|recent|new|me)\b)* ?{_SEVERAL}\b"
    r"(?! (?:say|says|find|found|agree|differ|conclude|do|does|did)\b)",
    re.IGNORECASE,
)

_DENYING = any_of(
    "not|cannot|never|excluding|except(?: for)?|without|other than|apart from|besides|ignoring|leaving out|instead of|rather than|outside(?: of)?",
    r"no|nor|none|neither|nothing|(?:do|does|did|is|are|was|were)n't|non",
)
_BETWEEN = rf"(?:(?:any|all|the|those|these|only|just|ones|{PAPERS}|that|which|are|were|was|is|been|be|have|has|{PUBLISHED})[ -])*"
_DENIED = re.compile(rf"\b{_DENYING}[ -]{_BETWEEN}$|\b(?:not|never)\b[^,;:?!]{{1,40}} (?:or|nor) $", re.IGNORECASE)
# "no papers since 2020" denies the papers and not the year
_NO_PAPERS = re.compile(rf"\b(?:no|none)\b(?= (?:of (?:the )?)?{PAPERS}\b)", re.IGNORECASE)


def is_denied(before: str) -> bool:
    """Does what stands before a phrase turn it round?

    >>> is_denied("papers not "), is_denied("tides, excluding papers "), is_denied("papers on tides ")
    (True, True, False)
    """
    return bool(_DENIED.search(_NO_PAPERS.sub("", before).replace("’", "'")))


def asks_for_papers(question: str) -> bool:
    """Is it papers that are asked for, and not what they say?

    >>> asks_for_papers("Which papers deal with tides?"), asks_for_papers("What do papers say about tides?")
    (True, False)
    """
    return bool(_ASKS_FOR_PAPERS.match(question))


_CLAUSE = re.compile(
    r"[,;:.?!]|\b(?:that|which|who|deals?|shows?|reports?|finds?|says?|uses?|discuss(?:es)?|address(?:es)?|examines?|investigates?|mentions?|considers?"
    r"|describes?|explores?|concerns?|(?<=papers )(?:study|cover|look|focus|treat))\b",
    re.IGNORECASE,
)


def clause_before(before: str) -> str:
    """The clause that ends where a phrase begins.

    >>> clause_before("What do studies show of sleep ")
    ' of sleep '
    """
    return _CLAUSE.split(before)[-1]
