"""What is known against a paper, or what notice it is itself: from its type, its notices, its title and its abstract."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from rag_qa.papers import Notice

_CORRECTION = r"(?:errat(?:um|a)|corrigend(?:um|a)|corrections?|addend(?:um|a)|publisher(?:'s)? correction|author correction)"
_RETRACTION = r"(?:retractions?|withdrawals?|removals?)"

# ---------------------------------------------------------------------------------------------------------------- type and notice

_TYPES = {
    "retractedpublication": Notice.RETRACTED, "retracted": Notice.RETRACTED, "retractedarticle": Notice.RETRACTED, "withdrawn": Notice.RETRACTED,
    "withdrawnpublication": Notice.RETRACTED, "withdrawnarticle": Notice.RETRACTED, "retractedpaper": Notice.RETRACTED,
    "retractionofpublication": Notice.IS_RETRACTION, "retraction": Notice.IS_RETRACTION, "retractionnotice": Notice.IS_RETRACTION,
    "itemwithdrawal": Notice.IS_RETRACTION, "withdrawal": Notice.IS_RETRACTION,
    "publishederratum": Notice.IS_CORRECTION, "erratum": Notice.IS_CORRECTION, "errata": Notice.IS_CORRECTION, "corrigendum": Notice.IS_CORRECTION,
    "correction": Notice.IS_CORRECTION, "addendum": Notice.IS_CORRECTION, "correctionaddition": Notice.IS_CORRECTION,
    "authorcorrection": Notice.IS_CORRECTION,
    "publishercorrection": Notice.IS_CORRECTION,
    "correctedandrepublishedarticle": Notice.CORRECTED,
    "expressionofconcern": Notice.IS_CONCERN, "publicationwithexpressionofconcern": Notice.CONCERN,
}  # fmt: skip

# The direction is in the little word: "Retraction in" stands in the paper, "Retraction of" in the notice.
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), notice)
    for pattern, notice in (
        (r"\bpartial\s?retraction\s?in\b|\bPRIN\b", Notice.CORRECTED),
        (
            rf"(?<!partial )\b{_RETRACTION}\s?(?:in|by)\b|\bRIN\b|\bretracted\b(?! and republished)|\bwithdrawn\b|\bupdated-?by\b.*{_RETRACTION}",
            Notice.RETRACTED,
        ),
        (rf"\b{_RETRACTION}\s?(?:of|for|to|notice|note)\b|\bROF\b|\b(?:update-?to|updates)\b.*{_RETRACTION}|\bthis retracts\b", Notice.IS_RETRACTION),
        (
            rf"\b{_CORRECTION}\s?(?:in|by)\b|\bEIN\b|\b(?:corrected ?and republished (?:in|from)|retracted ?and republished)\b"
            rf"|\bupdated-?by\b.*{_CORRECTION}",
            Notice.CORRECTED,
        ),
        (rf"\b{_CORRECTION}\s?(?:of|for|to)\b|\bEFR\b|\b(?:update-?to|updates)\b.*{_CORRECTION}|\bthis corrects\b", Notice.IS_CORRECTION),
        (r"\bexpressions? of ?concern ?(?:in|by|about|on this)\b|\bECI\b|\bupdated-?by\b.*concern", Notice.CONCERN),
        (r"\bexpressions? of ?concern ?(?:of|for|to)\b|\bECF\b|\b(?:update-?to|updates)\b.*concern", Notice.IS_CONCERN),
    )
)
# A word alone in a field about notices is said of the paper itself.
_ALONE = (
    (re.compile(r"(?:is |has been )?retract(?:ion|ed)|withdraw(?:n|al)|true|yes|1|removal", re.IGNORECASE), Notice.RETRACTED),
    (re.compile(rf"{_CORRECTION}|corrected", re.IGNORECASE), Notice.CORRECTED),
    (re.compile(r"(?:editorial )?(?:expression of )?concern", re.IGNORECASE), Notice.CONCERN),
)
_NOTHING = re.compile(r"(?:false|no|none|0|n/?a|null|nan|not retracted|0\.0)?", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_LETTER = re.compile(r"[\W_]+")


def of_types(words: Iterable[str]) -> set[Notice]:
    """What words for the type of a document tell.

    >>> of_types(["Journal Article", "Retracted Publication"])
    {<Notice.RETRACTED: 'retracted'>}
    """
    names = (_NOT_LETTER.sub("", part.casefold()) for word in words for part in word.split(";"))
    return {_TYPES[name] for name in names if name in _TYPES}


def of_text(text: str) -> set[Notice]:
    """What a source says in a field about notices.

    >>> of_text("Retraction in: Nature. 2010;1:2"), of_text("ErratumFor"), of_text("False")
    ({<Notice.RETRACTED: 'retracted'>}, {<Notice.IS_CORRECTION: 'correction notice'>}, set())
    """
    plain = _CAMEL.sub(" ", text.strip())
    if _NOTHING.fullmatch(plain):
        return set()
    if own := _OWN.get(plain.casefold()):
        return {own}
    alone = {notice for pattern, notice in _ALONE if pattern.fullmatch(plain.strip(" .:;[]()"))}
    return alone or {notice for pattern, notice in _PATTERNS if pattern.search(plain)}


_OWN: dict[str, Notice] = {notice.value: notice for notice in Notice}
_SURE = re.compile(
    rf"(?:partial )?(?:{_RETRACTION}|{_CORRECTION}|corrected and republished|expression of concern) (?:in|of|for|from|to):", re.IGNORECASE
)


def is_one(line: str) -> bool:
    """Is a line among a record's remarks plainly such a notice?

    >>> is_one("Retraction in: Nature. 2010"), is_one("Correction of errors in: maps")
    (True, False)
    """
    return _SURE.match(line) is not None


def is_nothing(text: str) -> bool:
    """Does a field about notices say that there is none?"""
    return _NOTHING.fullmatch(text.strip()) is not None


# ------------------------------------------------------------------------------------------------------------------------- title

_RETRACTED_TITLE = re.compile(
    r"^\W{0,3}(?:(?:retracted|withdrawn)(?: (?:article|paper|chapter|publication|manuscript))?|temporary removal|article withdrawn|removed)"
    r"\s?(?:[:\])}>]+|[-–—]\s)\s*[:.]?\s*",
    re.IGNORECASE,
)
_RETRACTED_END = re.compile(
    r"\s*[\[(](?:this article has been )?(?:retracted|withdrawn)\b(?: (?:article|paper|in|by|publication))?"
    r"[^\[\]()]{0,200}(?:\([^()]{0,60}\)[^()]{0,60})?[\])]\.?$",
    re.IGNORECASE,
)
_CONCERN_TITLE = re.compile(r"^notice of violation of ieee publication principles\W+(?=\w)", re.IGNORECASE)
_IS_NOTICE = tuple(
    (re.compile(pattern, re.IGNORECASE), notice)
    for pattern, notice in (
        (r"^\W?retraction(?: (?:notice|note|statement))?(?::|\.?$| (?:to|of|for):)|^\W?retraction (?:notice|note|statement)\b", Notice.IS_RETRACTION),
        (r"^\W?(?:notice|statement|note|announcement) (?:of|on|about) (?:retraction|withdrawal|removal)\b", Notice.IS_RETRACTION),
        (r"\(retraction of\b|^\W?withdrawal notice", Notice.IS_RETRACTION),
        (r"^\W?(?:errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a))\b(?!\s(?:in|and)\s)", Notice.IS_CORRECTION),
        (r"^\W?corrigenda and addenda|^\W?(?:author|publisher)(?:['’]?s?)? correction\b", Notice.IS_CORRECTION),
        (r"^\W?corrections?(?::|\.?$| to:| (?:to|for) [“\"‘'«]| for [A-Z][\w'-]+ et al)", Notice.IS_CORRECTION),
        (r"\b(?:corrigend|errat|addend)um[.:)\]]*$|[\[(](?:corrigend|errat|addend)um\b|\(correction (?:to|of)\b", Notice.IS_CORRECTION),
        (r"^\W?(?:editorial |editors?['’]?s? )?(?:expression|note|notice) of (?:editorial )?concern\b", Notice.IS_CONCERN),
    )
)
_NOTICE_WORDS = "retract withdr errat corrig correct addend concern remov violation".split()


class Title(NamedTuple):
    """A title without the mark of its retraction, what was taken off it, and what it tells."""

    title: str
    mark: str
    notices: frozenset[Notice]


def of_title(title: str) -> Title:
    """What a title tells. That of a notice stays whole, or it would be taken for the paper that it is about.

    >>> of_title("RETRACTED ARTICLE: On tides").title, of_title("Erratum to: On tides").title
    ('On tides', 'Erratum to: On tides')
    """
    if not any(map(title.casefold().__contains__, _NOTICE_WORDS)):
        return Title(title, "", frozenset())
    for pattern, notice in ((_RETRACTED_TITLE, Notice.RETRACTED), (_RETRACTED_END, Notice.RETRACTED), (_CONCERN_TITLE, Notice.CONCERN)):
        found = pattern.search(title)
        if found and (kept := title[: found.start()] + title[found.end() :]):
            return Title(kept, found.group().strip(), frozenset({notice}))
    return Title(title, "", frozenset(notice for pattern, notice in _IS_NOTICE if pattern.search(title)))


# ---------------------------------------------------------------------------------------------------------------------- abstract

_THIS = r"(?:this|the (?:above|following)) (?:article|paper|manuscript|work|submission|preprint|publication|entry)"
_WITHDRAWN = re.compile(
    rf"^\W{{0,3}}(?:{_THIS} (?:has been|was|is|have been) (?:\w+ )?(?:withdrawn|retracted|removed)|withdrawn (?:by|due|because|at)"
    r"|(?:retracted|withdrawn)\.?$)",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"^\W{0,3}this (?P<what>corrects|retracts|updates|is an expression of concern|expresses concern)\b.{0,30}\barticles?\b", re.IGNORECASE
)
_POINTED = {"corrects": Notice.IS_CORRECTION, "updates": Notice.IS_CORRECTION, "retracts": Notice.IS_RETRACTION}
_LONGEST_NOTICE = 90


class Abstract(NamedTuple):
    """An abstract, "" if it is only a notice; what it tells."""

    text: str
    notices: frozenset[Notice]


def of_abstract(text: str) -> Abstract:
    """What stands in the place of the abstract of a withdrawn paper or of a correction.

    >>> of_abstract("[This corrects the article DOI: 10.1000/x.]")
    Abstract(text='', notices=frozenset({<Notice.IS_CORRECTION: 'correction notice'>}))
    """
    if pointer := _POINTER.match(text):
        return Abstract("" if len(text) < 300 else text, frozenset({_POINTED.get(pointer["what"].lower(), Notice.IS_CONCERN)}))
    if _WITHDRAWN.match(text):
        return Abstract("" if len(text.split()) <= _LONGEST_NOTICE else text, frozenset({Notice.RETRACTED}))
    return Abstract(text, frozenset())
