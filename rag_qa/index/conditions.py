"""What papers can be narrowed by, in the form in which the keyword index compares it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from rag_qa import text
from rag_qa.papers import Paper

Conditions = Mapping[str, str | tuple[int | None, int | None] | frozenset[str]]
"""Field -> value, as a person would write it, (least, greatest) with None for open, or folded values not to have.

Fields: year, venue, collection, author, type, language, keyword, notice; also_by: authors, all of whom are wanted; not_by: authors who are not.
"""

NAMED = ("venue", "collection", "type", "language", "keyword", "notice")
"""Fields with a name as a whole."""

_YEAR_OR_COUNT = re.compile(r"\(.*?\)|\b(?:19|20)\d\d\b|\b\d+(?:st|nd|rd|th)\b|[’']\d\d\b")
_PRESENTED = re.compile(r"[\s,:(-]+(?:conference )?(?:poster|oral|spotlight|talk|notable|main (?:track|conference))\b.*$")
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
    initials = "".join(word[0] for word in words)
    if len(words) >= _LEAST_INITIALS and initials not in text.STOPWORDS:
        forms.add(initials)
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
    return _OPENING.sub("", _PRESENTED.sub("", plain))


def author_terms(name: str) -> list[str]:
    """What the index holds of an author: every word, also the parts of a double name; every two of them, so that a given and a family name are not
    those of two people, each also as its initial ("K. Marx" asks for Karl Marx); and "k#marx" where the name itself has no more than that.

    >>> author_terms("Marx, Karl")
    ['marx', 'karl', 'karl+marx', 'k+marx', 'karl+m']
    >>> author_terms("Marx, K.")
    ['marx', 'k', 'k+marx', 'k+m', 'k#marx']
    """
    words = _words(name)
    words = list(dict.fromkeys([*words, *(part for word in words if "-" in word for part in word.split("-") if part)]))
    pairs: list[str] = []
    for one, other in permutations(words, 2):
        pairs += [_pair(one, other), _pair(one, other[0])]
        pairs += [f"{one}#{other}"] if len(one) == 1 < len(other) else []
    return list(dict.fromkeys([*words, *pairs]))


def wanted_author(name: str) -> list[tuple[str, ...]]:
    """What an author of this name has: of each of these one at least. "Karl Marx" is also a "K. Marx" of whom no more is known.

    >>> wanted_author("Marx"), wanted_author("Karl Marx")
    ([('marx',)], [('karl+marx', 'k#marx', 'm#karl')])
    """
    words = list(dict.fromkeys(_words(name)))
    if len(words) < 2:
        return [(word,) for word in words]
    return [
        (_pair(one, other), *(f"{a[0]}#{b}" for a, b in ((one, other), (other, one)) if len(a) > 1 < len(b))) for one, other in combinations(words, 2)
    ]


def is_by(wanted: str, name: str) -> bool:
    """Is an author the wanted one?

    >>> is_by("Karl Marx", "Marx, Karl H."), is_by("Karl Marx", "Marx, Groucho"), is_by("Jones", "Smith-Jones, A."), is_by("Karl Marx", "Marx K")
    (True, False, True, True)
    """
    terms = set(author_terms(name))
    return all(terms.intersection(some) for some in wanted_author(wanted))


def _words(name: str) -> list[str]:
    """Folded words without accents: nobody types all of them, and sources leave them out."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text.fold(name).text) if not unicodedata.combining(char))
    return [found.text for found in text.words(plain)]


def _pair(one: str, other: str) -> str:
    return "+".join(sorted((one, other)))


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
