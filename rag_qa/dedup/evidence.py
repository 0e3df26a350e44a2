"""What speaks for two records being one work, and what against it. No answer depends on the order of the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from rag_qa.dedup import compared, titles
from rag_qa.dedup.compared import Keys
from rag_qa.dedup.titles import Likeness


class Match(NamedTuple):
    """Two records are one work. `strength`: of the evidence, more is better; `reason`: which it is, in words that a person reads."""

    strength: tuple[int, int]
    reason: str

    @property
    def is_by_identifier(self) -> bool:
        """Do they share an identifier?"""
        return self.strength[0] >= _BY_IDENTIFIER


_BY_IDENTIFIER = 6


def match(one: Keys, other: Keys) -> Match | None:
    """The evidence that two records are one work, None if there is too little, or something against it.

    >>> match(Keys(doi="10.1000/x", title="on tides"), Keys(doi="10.1000/x", title="on tides")).reason
    'same DOI 10.1000/x'
    >>> match(Keys(doi="10.1000/x", title="on tides"), Keys(doi="10.1000/x", title="on mosses"))
    """
    if contradict(one, other):
        return None
    return _by_identifier(one, other) or _by_content(one, other)


def are_apart(one: Keys, other: Keys) -> bool:
    """Can they not be one work, whatever a third record says?"""
    if contradict(one, other):
        return True
    return titles.likeness(one.title, other.title) is Likeness.DIFFERENT and not match(one, other)


# -------------------------------------------------------------------------------------------------------------- identifiers


def contradict(one: Keys, other: Keys) -> bool:
    """Do their identifiers, or what they say that they are, make them two works, whatever else they share?"""
    if _differ_in_kind(one, other) or _differ(one.arxiv, other.arxiv) or titles.are_numbered_apart(one.title, other.title):
        return True
    if one.is_preprint == other.is_preprint and (_differ(one.pmid, other.pmid) or _are_neighbours(one, other)):
        return True
    if _differ(one.doi, other.doi):
        # a slip in one of the DOIs
        return not (one.pmid and one.pmid == other.pmid and titles.likeness(one.title, other.title) >= Likeness.NEAR)
    # one work may be in several archives
    return _differ(one.preprint_doi, other.preprint_doi) and _prefix(one.preprint_doi) == _prefix(other.preprint_doi)


def _differ_in_kind(one: Keys, other: Keys) -> bool:
    """A notice may carry the DOI of its article. "Letter: ..." in front of a title is left out by some databases, and then the DOI tells."""
    if one.kind == other.kind:
        return False
    shares_identifier = bool((one.doi and one.doi == other.doi) or (one.pmid and one.pmid == other.pmid))
    return not shares_identifier or not {one.kind, other.kind}.isdisjoint(_NOTICES)


_NOTICES = frozenset(("retraction", "correction", "concern"))


def _are_neighbours(one: Keys, other: Keys) -> bool:
    """Two abstracts of one supplement, which may share its DOI: on different pages, and with different words."""
    return _differ(one.page, other.page) and _abstract(one, other) is False


def _differ(one: str, other: str) -> bool:
    return bool(one and other and one != other)


def _prefix(doi: str) -> str:
    return doi.partition("/")[0]


def _by_identifier(one: Keys, other: Keys) -> Match | None:
    shared = (
        (9, "PMID", one.pmid, other.pmid),
        (8, "DOI", one.doi, other.doi),
        (7, "arXiv id", one.arxiv, other.arxiv),
        (6, "DOI", one.preprint_doi, other.preprint_doi),
    )
    for strength, name, value, other_value in shared:
        if value and value == other_value and _can_share_identifier(one, other):
            return Match((strength, _agreements(one, other)), f"same {name} {value}")
    return None


def _can_share_identifier(one: Keys, other: Keys) -> bool:
    """Chapters carry the DOI of their book, abstracts that of their supplement: where the titles are different, more must be the same."""
    if titles.likeness(one.title, other.title) > Likeness.DIFFERENT or (one.is_long and other.is_long and one.abstract == other.abstract):
        return True
    found = agreement(one, other)
    return bool(found.first_author and found.years and (found.place or found.abstract))


# -------------------------------------------------------------------------------------------------------------- agreements


class Agreement(NamedTuple):
    """Do two records say the same of each of these? None: one of them says nothing, or what they say can't be compared."""

    years: bool | None
    close_years: bool | None
    """At most one apart: in print and online."""
    authors: bool | None
    first_author: bool | None
    volume: bool | None
    page: bool | None
    place: bool | None
    """Volume and first page, or at least volume and journal to tell them apart."""
    venue: bool | None
    abstract: bool | None


def agreement(one: Keys, other: Keys) -> Agreement:
    """What two records agree on."""
    venue = are_same_venue(one.venue, other.venue)
    return Agreement(
        years=one.year == other.year if one.year and other.year else None,
        close_years=abs(one.year - other.year) <= 1 if one.year and other.year else None,
        authors=_authors(one, other),
        first_author=_first_author(one, other),
        volume=one.volume == other.volume if one.volume and other.volume else None,
        page=one.page == other.page if one.page and other.page else None,
        place=_place(one, other, venue),
        venue=venue,
        abstract=_abstract(one, other),
    )


def are_unlike(found: Sequence[Agreement]) -> bool:
    """Given what each record of one group and each of another agree on: do the groups contradict each other in years, authors or places?"""
    return any(
        False in values and True not in values
        for values in ([one.close_years for one in found], [one.authors for one in found], [one.place for one in found])
    )


def _agreements(one: Keys, other: Keys) -> int:
    """How many more things they agree on than they do not, to prefer one match to another."""
    found = agreement(one, other)
    equal_titles = titles.likeness(one.title, other.title) is Likeness.EQUAL
    return 2 * equal_titles + sum(value is True for value in found) - sum(value is False for value in found)


def _authors(one: Keys, other: Keys) -> bool | None:
    """Has each list half of the names of the shorter one? Lists may be cut, and sorted in another way."""
    if not one.authors or not other.authors:
        return None
    fewer = min(len(one.authors), len(other.authors))
    if fewer == 1 and _first_author(one, other):
        return True
    left, right = set(one.authors), set(other.authors)
    alike = sum(any(is_name_alike(name, known) for known in right - left) for name in left - right)
    return len(left & right) + alike >= (fewer + 1) // 2


def is_name_alike(one: str, other: str) -> bool:
    """Are they the same family name in two spellings, or one of them a part of the other that lost its hyphen?

    >>> is_name_alike("mueller", "muller"), is_name_alike("danielsmcqueen", "mcqueen"), is_name_alike("li", "ali")
    (True, True, False)
    """
    shorter, longer = sorted((one, other), key=len)
    return Levenshtein.distance(one, other) <= len(shorter) // 5 or (len(shorter) >= _LONG_NAME and longer.endswith(shorter))


_LONG_NAME = 6


def _first_author(one: Keys, other: Keys) -> bool | None:
    if not one.authors or not other.authors:
        return None
    a, b = one.authors[0], other.authors[0]
    # which word is the family name is not always clear
    return a in other.first_author.split() or b in one.first_author.split() or is_name_alike(a, b)


def _place(one: Keys, other: Keys, venue: bool | None) -> bool | None:
    if not (one.volume and other.volume):
        return None
    same_volume = one.volume == other.volume
    if venue is False and not same_volume:
        return False
    if not (one.page and other.page):
        return None
    # databases write articles without pages in many ways, and supplements too
    same_page = one.page == other.page
    return same_page if same_volume == same_page else None


def _abstract(one: Keys, other: Keys) -> bool | None:
    if not one.is_long or not other.is_long:
        return None
    if one.abstract == other.abstract:
        return True
    share = compared.resemblance(one.sketch, other.sketch) or 0.0
    return None if _UNLIKE < share < _ALIKE else share >= _ALIKE


_ALIKE = 0.6
_UNLIKE = 0.15


def are_same_venue(one: str, other: str) -> bool | None:
    """Names of journals come shortened, "curr opin lipidol"; of acronyms nothing can be said, nor of "diabetes" and "diabetes care"."""
    shorter, longer = sorted((one.split(), other.split()), key=len)
    if not shorter or (len(shorter) == 1 and len(shorter[0]) <= _ACRONYM and len(longer) > 1):
        return None
    at = matched = 0
    for word in shorter:
        found = next((i for i in range(at, len(longer)) if _is_short_for(word, longer[i])), None)
        if found is not None:
            at, matched = found + 1, matched + 1
    if matched == len(longer):
        return True
    return None if 2 * matched >= len(shorter) else False


_ACRONYM = 7


def _is_short_for(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


# ------------------------------------------------------------------------------------------------------------------ content

_DISTINCT = 4  # words of a title that, with year and authors, tell a work from others
_TELLING = 6  # words of one that do so where year or authors are not known
_SEVERAL = 3  # authors
_ONLY_LIKE_ITSELF = frozenset("thesis dataset software patent".split())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two records whose identifiers do not settle it."""

    one: Keys
    other: Keys
    likeness: Likeness
    found: Agreement

    @property
    def is_across(self) -> bool:
        """May they be two forms of a work: a preprint and an article, or preprints in two archives?"""
        if self.one.is_preprint != self.other.is_preprint:
            return True
        return self.one.is_preprint and _differ(_archive(self.one), _archive(self.other))

    @property
    def is_generic(self) -> bool:
        return titles.is_generic(self.one.title) or titles.is_generic(self.other.title)

    @property
    def words(self) -> int:
        """Of the shorter title."""
        return min(self.one.title.count(" "), self.other.title.count(" ")) + 1

    @property
    def shared_authors(self) -> int:
        return len(set(self.one.authors) & set(self.other.authors))

    @property
    def years_apart(self) -> int | None:
        return abs(self.one.year - self.other.year) if self.one.year and self.other.year else None


def _archive(record: Keys) -> str:
    return "arxiv" if record.arxiv else _prefix(record.preprint_doi)


def _by_content(one: Keys, other: Keys) -> Match | None:
    pair = _Pair(one, other, titles.likeness(one.title, other.title), agreement(one, other))
    if pair.found.authors is False or not _are_forms_compatible(one, other) or (pair.found.place is False and not pair.is_across):
        return None
    for strength, rule in ((5, _same_abstract), (4, _same_title), (3, _preprint), (2, _near_title), (1, _title_alone)):
        if reason := rule(pair):
            return Match((strength, _agreements(one, other)), reason)
    return None


def _are_forms_compatible(one: Keys, other: Keys) -> bool:
    if one.form == other.form:
        return True
    if one.form and other.form:
        return False
    particular, plain = (one, other) if one.form else (other, one)
    return not (particular.form in _ONLY_LIKE_ITSELF and plain.venue)


def _same_abstract(pair: _Pair) -> str:
    """Letter for letter; short ones only where there is nothing else."""
    one, other, found = pair.one, pair.other, pair.found
    if not one.abstract or one.abstract != other.abstract:
        return ""
    if not (one.is_long and other.is_long) and not _is_all_there_is(pair):
        return ""
    if (one.title or other.title) and found.years is False and found.venue is False and not pair.is_across:
        return ""  # published twice
    is_retitled = found.place and found.first_author
    return "same abstract" if pair.likeness > Likeness.DIFFERENT or is_retitled else ""


def _is_all_there_is(pair: _Pair) -> bool:
    """Is there no title, or does it say the same too?"""
    return not (pair.one.title or pair.other.title) or (pair.likeness is Likeness.EQUAL and not pair.is_generic and pair.found.years is not False)


def _same_title(pair: _Pair) -> str:
    found = pair.found
    if pair.likeness is not Likeness.EQUAL or pair.is_across:
        return ""
    if found.years and found.place:
        return "same title, year, volume and page"
    if found.years and found.authors and (found.abstract or _is_same_in_year(pair)):
        return "same title, year and authors"
    if found.place and found.years is None and not pair.is_generic:
        return "same title, volume and page"
    return "same title and authors, a year apart" if _is_same_a_year_apart(pair) else ""


def _is_same_in_year(pair: _Pair) -> bool:
    """Two talks, or a talk and its paper, may have one title in two journals, or with another first author; two letters have, in one volume."""
    found = pair.found
    is_distinct = pair.words >= _DISTINCT or pair.shared_authors > 1 or pair.one == pair.other
    is_elsewhere = (found.venue is False and not found.page) or (found.volume is False and found.venue is None) or found.page is False
    return is_distinct and not pair.is_generic and bool(found.first_author) and not is_elsewhere


def _is_same_a_year_apart(pair: _Pair) -> bool:
    """Online first, and in print. A title that comes again every year comes in another volume."""
    found = pair.found
    if pair.years_apart != 1 or not found.authors or False in (found.volume, found.venue) or pair.is_generic or pair.one.kind:
        return False
    is_distinct = pair.shared_authors >= _SEVERAL and pair.words >= _DISTINCT
    return bool(found.place or found.abstract or (is_distinct and found.first_author))


def _preprint(pair: _Pair) -> str:
    """A preprint may be years older than the article, and its title and abstract may have changed; its authors are the same."""
    found = pair.found
    if not pair.is_across or pair.is_generic or not _is_later(pair):
        return ""
    if found.authors is None:
        is_telling = pair.likeness is Likeness.EQUAL and (found.abstract or (pair.words >= _TELLING and found.abstract is None))
        return "preprint of the same title" if is_telling else ""
    is_supported = found.abstract or (pair.shared_authors >= _SEVERAL and pair.words >= _DISTINCT)
    match pair.likeness:
        case Likeness.EQUAL if is_supported or pair.words >= _DISTINCT:
            return "preprint of the same title and authors"
        case Likeness.NEAR if is_supported:
            return "preprint of nearly the same title and the same authors"
        case Likeness.SIMILAR if found.abstract and pair.shared_authors > 1:
            return "preprint of the same authors, with nearly the same abstract and a similar title"
    return ""


_YEARS_UNTIL_PRINT = 5


def _is_later(pair: _Pair) -> bool:
    """Is the article no older than the preprint, and not much younger?"""
    if pair.years_apart is None:
        return True
    first, second = (pair.one, pair.other) if pair.one.is_preprint else (pair.other, pair.one)
    return -1 <= second.year - first.year <= _YEARS_UNTIL_PRINT or (second.is_preprint and pair.years_apart <= _YEARS_UNTIL_PRINT)


def _near_title(pair: _Pair) -> str:
    found = pair.found
    if pair.is_across or not (found.years and found.authors and found.first_author):
        return ""
    if pair.likeness is Likeness.NEAR and found.abstract:
        return "nearly the same title and abstract, same year and authors"
    if pair.likeness is Likeness.NEAR and found.place and found.abstract is None:
        return "nearly the same title, same year, authors, volume and page"
    if pair.likeness is Likeness.SIMILAR and found.place and found.abstract:
        return "similar title, nearly the same abstract, same year, authors, volume and page"
    return ""


def _title_alone(pair: _Pair) -> str:
    """Where one of the records does not know its year or its authors."""
    found = pair.found
    is_contradicted = False in (found.years, found.abstract, found.venue, found.volume)
    if pair.is_across or pair.likeness is not Likeness.EQUAL or is_contradicted or pair.is_generic or pair.one.kind:
        return ""
    if pair.words < _TELLING and not found.abstract:
        return ""
    said = [name for name, is_same in (("year", found.years), ("authors", found.authors)) if is_same]
    if len(said) > 1:
        return ""  # the other rules have decided
    return " and ".join(["same title", *said, *(["nearly the same abstract"] if found.abstract else [])])
