"""What papers can be narrowed by, in the form in which the keyword index compares it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from rag_qa import text
from rag_qa.papers import Paper

Conditions = Mapping[str, str | tuple[int | None, int | None] | frozenset[str]]
"""Field -> value, as a person would write it, (least, greatest) with None for open, or folded values not to have.

Fields: year, venue, collection, author, type, language, keyword, notice.
"""

NAMED = ("venue", "collection", "type", "language", "keyword", "notice")
"""Fields with a name as a whole."""

_YEAR_OR_COUNT = re.compile(r"\(.*?\)|\b(?:19|20)\d\d\b|\b\d+(?:st|nd|rd|th)\b|[’']\d\d\b")
_OPENING = re.compile(r"^(?:the )?(?:proceedings of (?:the )?)?")
_IN_BRACKETS = re.compile(r"\(([^()]{2,20})\)")
_SMALL_WORDS = frozenset("a an and at for in of on the to und der die das für de la le les et des y".split())
_LEAST_INITIALS = 3
# Called so by everybody, and not for its initials.
_CALLED = {"neural information processing systems": ("neurips", "nips")}


def folded(name: str) -> str:
    """A name as conditions compare it.

    >>> folded("  The  Lancet ")
    'the lancet'
    """
    return " ".join(text.fold(name).text.split())


def venue_forms(venue: str) -> frozenset[str]:
    """The names under which a venue is found: its own, that without year and number, the one in brackets, its initials.

    >>> sorted(venue_forms("37th International Conference on Machine Learning (ICML 2020)"))
    ['37th international conference on machine learning (icml 2020)', 'icml', 'icml 2020', 'international conference on machine learning']
    """
    forms = {folded(venue), _without_year(venue)}
    for inner in _IN_BRACKETS.findall(venue):
        forms |= {folded(inner), _without_year(inner)}
    plain = _without_year(venue)
    words = [word for word in re.split(r"[\s&:/-]+", plain) if word.isalpha() and word not in _SMALL_WORDS]
    if len(words) >= _LEAST_INITIALS:
        forms.add("".join(word[0] for word in words))
    forms |= {short for name, shorts in _CALLED.items() if name in plain for short in shorts}
    return frozenset(map(wanted_venue, forms)) - {""}


def wanted_venue(name: str) -> str:
    """A venue as it is looked for.

    >>> wanted_venue("The Lancet")
    'lancet'
    """
    return folded(name).removeprefix("the ")


def _without_year(name: str) -> str:
    plain = " ".join(_YEAR_OR_COUNT.sub(" ", folded(name)).split()).strip(" ,.:-")
    return _OPENING.sub("", plain)


def author_terms(name: str) -> list[str]:
    """What the index holds of an author: every word, also the parts of a double name, and every two of them, so that a given and a family name are
    not those of two people.

    >>> author_terms("Marx, Karl")
    ['marx', 'karl', 'karl+marx']
    """
    words = _words(name)
    return _with_pairs([*words, *(part for word in words if "-" in word for part in word.split("-") if part)])


def wanted_author(name: str) -> list[str]:
    """The terms that an author of this name has, whatever else the name holds.

    >>> wanted_author("Karl Marx")
    ['karl', 'marx', 'karl+marx']
    """
    return _with_pairs(_words(name))


def is_by(wanted: str, name: str) -> bool:
    """Is an author the wanted one?

    >>> is_by("Karl Marx", "Marx, Karl H."), is_by("Karl Marx", "Marx, Groucho"), is_by("Jones", "Smith-Jones, A.")
    (True, False, True)
    """
    return set(wanted_author(wanted)) <= set(author_terms(name))


def _words(name: str) -> list[str]:
    """Folded words without accents: nobody types all of them, and sources leave them out."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text.fold(name).text) if not unicodedata.combining(char))
    return [found.text for found in text.words(plain)]


def _with_pairs(words: Sequence[str]) -> list[str]:
    single = list(dict.fromkeys(words))
    return [*single, *(f"{one}+{other}" for one, other in combinations(sorted(single), 2))]


def names(paper: Paper) -> Iterator[tuple[str, str]]:
    """(field, value) that the index holds of a paper."""
    for venue in {form for name in venues(paper) for form in venue_forms(name)}:
        yield "venue", venue
    for field, value in (("collection", paper.collection), ("type", paper.type), ("language", paper.language)):
        if value:
            yield field, folded(value)
    for keyword in paper.keywords:
        yield "keyword", folded(keyword)
    for notice in paper.notices:
        yield "notice", notice.value
    yield "author", " ".join(term for name in paper.authors for term in author_terms(name))


def venues(paper: Paper) -> Sequence[str]:
    """Where a work was published, in any of its versions."""
    return list(dict.fromkeys(venue for venue in (paper.venue, *(version.venue for version in paper.versions)) if venue))
