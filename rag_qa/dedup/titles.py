"""Titles: which words they are compared by, what they say that a record is, and how alike two are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from rag_qa import text

# ------------------------------------------------------------------------------------------------------------------- words

_ALPHANUMERIC = re.compile(r"[^\W_]+")
# What stands around the title of a work and is no part of it.
_RETRACTED = re.compile(r"^\W*(?:retracted(?: article| paper)?|withdrawn|removed)\W*[:.\]]\s*|\s[(\[]\s*(?:retracted|withdrawn)\b[^)\]]*[)\]]?\W*$")
_LANGUAGES = text.any_of(
    "chinese|czech|danish|dutch|english|french|german|hungarian|italian|japanese",
    "korean|norwegian|persian|polish|portuguese|russian|spanish|swedish|turkish",
)
_STATES = text.any_of("see comments?|version \\d[^)\\]]*|preprint|abstract|reprinted from[^)\\]]*|article in [a-z]+", f"(?:in )?{_LANGUAGES}")
# "[Erratum appears in Chest 1993;103:1640]" stands behind the title of the article itself.
_ELSEWHERE = text.any_of("(?:published )?erratum|corrigendum|correction|retraction|comment|republished|reprint|update|summary for patients")
_REMARK = re.compile(rf"\s*[(\[](?:{_STATES}[)\]]\W*$|{_ELSEWHERE}(?: appears)? in\b.*$)")


def words(title: str) -> str:
    """The words of a title, without accents and without remarks about its state or language.

    >>> words("RETRACTED: The β-cell & <i>its</i> fate [German]"), words("On tides. [Erratum appears in Tides 1993;3:16]")
    ('the beta cell and its fate', 'on tides')
    """
    return " ".join(plain_words(_REMARK.sub("", _RETRACTED.sub("", text.folded(title)))))


def plain_words(value: str) -> list[str]:
    """Words in small letters without accents, compounds in their parts, "&" as "and".

    >>> plain_words("García-Márquez & Sons")
    ['garcia', 'marquez', 'and', 'sons']
    """
    folded = text.folded(value).replace("&", " and ")
    return _ALPHANUMERIC.findall(folded if folded.isascii() else _without_accents(folded))


def _without_accents(value: str) -> str:
    return unicodedata.normalize("NFD", value).translate(_MARKS)


class _Marks(dict[int, int | None]):
    """None for an accent that stands for itself."""

    def __missing__(self, code: int) -> int | None:
        self[code] = found = None if unicodedata.combining(chr(code)) else code
        return found


_MARKS = _Marks()


# -------------------------------------------------------------------------------------------------------------------- kinds

_AUTHORS = r"(?:the )?(?:authors?'?s? )"
_BEGINS = {
    "retraction": r"retraction(?: note| notice)?(?: (?:to|of|for)\b|:|$)|notice of retraction\b|withdrawal(?: notice)?:",
    "correction": r"(?:author |publisher )?correction(?: notice)?(?: (?:to|of|for)\b|:|$)|erratum\b|errata\b|corrigend(?:um|a)\b|addend(?:um|a)\b",
    "concern": r"(?:editorial )?expression of concern\b|notice of concern\b",
    "reply": rf"{_AUTHORS}?(?:reply|response|rebuttal|rejoinder)(?: (?:to|by|from)\b|:)|{_AUTHORS}(?:reply|response)\b|reply$",
    "comment": r"(?:invited )?comment(?:ary|s)?(?: (?:on|to)\b|:)|discussion of\b|(?:letter|editorial|re|book review):",
}
_APART = r"(?: -|[:.])\s*"  # "dose-response" is no reply
_ENDS = {
    "retraction": r"\(\s*retraction of\b[^()]*\)?",
    "correction": r"[(\[]\s*vol(?:ume)?\W{1,2}\d+[^()]{0,80}[)\]]?|[(\[]\s*(?:erratum|correction|corrigendum)\b(?! (?:appears )?in\b)[^()]*\)?",
    "reply": rf"{_APART}(?:{_AUTHORS}|an? )?(?:reply|response|rejoinder)",
    "comment": rf"{_APART}(?:a |invited )?(?:comment|commentary|discussion)",
}
_BEGINNING = re.compile(r"\W*(?:" + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _BEGINS.items()) + ")")
_END = re.compile(r"(?:" + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _ENDS.items()) + r")\W*$")


def kind(title: str) -> str:
    """What a record with this title is about another work: "retraction", "correction", "concern", "reply", "comment", or "" for a work itself.

    >>> kind("Correction to: On tides"), kind("On tides (vol 5, pg 3, 2010)"), kind("Retracted: On tides")
    ('correction', 'correction', '')
    """
    folded = text.folded(title)
    found = _BEGINNING.match(folded) or _END.search(folded)
    return found.lastgroup or "" if found else ""


# A title of such words alone stands over many works.
_GENERIC = frozenset(
    """abbreviations about abstract abstracts acknowledgement acknowledgements acknowledgment acknowledgments afterword annual announcement appendix
    april article articles august author authors background bibliography biography book books calendar case chairman chapter clinical comment
    commentary comments conclusion conclusions conference contents contributors correspondence cover current daily day december dedication
    discussion editor editorial editorials editors epilogue erratum errata correction corrigendum report february final focus foreword front from
    general glossary guest highlights history image images in index information interview introduction introductory invited issue january journal
    july june keynote letter letters list march matter may meeting memoriam message methods minutes month monthly news newsletter no note notes
    november number obituary october of opening opinion organization organizing our outlook overview page panel paper papers part perspective
    perspectives poster posters preface preliminary presentation president proceedings program programme prologue publications q
    quarterly recent references rejoinder remarks reply report reports research response results review reviewer reviewers reviews section
    selected september session special speakers study summaries summary supplement supplementary symposium table tables title to topic update
    viewpoint volume week weekly welcome winter spring summer autumn fall work workshop year yearly

    avant einfuhrung einleitung inhalt introduccion introduzione nachruf prefacio propos sommaire vorwort""".split()
)


def is_generic(title: str) -> bool:
    """Do many works have this title? `title`: its words.

    >>> is_generic("annual report 2019"), is_generic("cancer statistics 2019")
    (True, False)
    """
    return all(word in _GENERIC or word in text.STOPWORDS or word.isdigit() or word in _NUMERALS for word in title.split())


# ----------------------------------------------------------------------------------------------------------------- likeness


class Likeness(IntEnum):
    """How alike two titles are."""

    DIFFERENT = 0
    MISSING = 1
    """One of them, or both: nothing is known."""
    SIMILAR = 2
    """They may be forms of one title: a subtitle is missing, some words differ."""
    NEAR = 3
    """The same but for spelling."""
    EQUAL = 4
    """The same letters."""


_NUMERALS = {
    **{word: str(n) for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)},
    **{word: str(n) for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)},
    **{word: str(n) for n, word in enumerate("ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(), 2) if len(word) > 1},
}
_LETTERS = {**{letter: letter for letter in "abcdefgh"}, "i": "1", "v": "5", "x": "10"}
_NUMBERED = frozenset(
    "part parts chapter section volume vol book number no type phase stage grade class study experiment paper report supplement".split()
)
_DIGITS = re.compile(r"\d+")
# Spellings differ within a word, meanings at its beginning.
_OPPOSITES = re.compile(r"(?:hyper|hypo|inter|intra|extra|pre|post|anti|pro|un|in|non|up|down|over|under|male|female|men|women|boys|girls)")
_SMALL_WORDS = frozenset("a an and for in of on the".split())
_NEGATIONS = frozenset("no non not without never neither nor".split())
_GREEK = re.compile(r"alpha|beta|gamma|delta|epsilon|kappa|lambda|mu|omega|theta|sigma")
_FEW_WORDS = 3


@lru_cache(maxsize=16_384)
def likeness(one: str, other: str) -> Likeness:
    """How alike two titles are, given their words. It does not depend on their order.

    >>> likeness("on the tides part i", "on the tides part ii")
    <Likeness.DIFFERENT: 0>
    >>> likeness("tumour growth in mice", "tumor growth in mice")
    <Likeness.NEAR: 3>
    """
    if not one or not other:
        return Likeness.MISSING
    if one.replace(" ", "") == other.replace(" ", ""):
        return Likeness.EQUAL
    left, right = _numbers(one), _numbers(other)
    if left - right and right - left:
        return Likeness.DIFFERENT
    if left == right and _is_spelling(one, other):
        return Likeness.NEAR
    return Likeness.SIMILAR if _is_similar(one, other) else Likeness.DIFFERENT


def are_numbered_apart(one: str, other: str) -> bool:
    """Does each of two titles, given their words, have a number that the other lacks, as "part 1" and "part 2" do?

    >>> are_numbered_apart("tides part 1", "tides part ii"), are_numbered_apart("tides part 1", "tides")
    (True, False)
    """
    left, right = _numbers(one), _numbers(other)
    return bool(left - right and right - left) and one.replace(" ", "") != other.replace(" ", "")


@lru_cache(maxsize=16_384)
def _numbers(title: str) -> Counter[str]:
    """The numbers of a title, written in whatever way; a single letter counts where it numbers something."""
    found = title.split()
    befores = ["", *found[:-1]]
    return Counter(number for at, word in enumerate(found) for number in _numbers_of(word, befores[at], is_last=at == len(found) - 1))


def _numbers_of(word: str, before: str, *, is_last: bool) -> list[str]:
    if word in _NUMERALS:
        return [_NUMERALS[word]]
    if word in _LETTERS and (before in _NUMBERED or is_last):
        return [_LETTERS[word]]
    return [digits.lstrip("0") for digits in _DIGITS.findall(word)]


def _is_spelling(one: str, other: str) -> bool:
    """Do they differ in the spelling of a few words, or in articles and prepositions only?"""
    here, there = _in_figures(one), _in_figures(other)
    left, right = _rest(here, there), _rest(there, here)
    if not left and not right:
        return here == there  # otherwise in another order: of insulin on glucose, of glucose on insulin
    if _NEGATIONS & {*left, *right}:
        return False
    if _SMALL_WORDS.issuperset((*left, *right)):
        return True
    if not left or not right:
        return False
    if sorted(filter(None, map(_beginning, left))) != sorted(filter(None, map(_beginning, right))):
        return _GREEK.sub(_initial, "".join(left)) == _GREEK.sub(_initial, "".join(right))
    a, b = "".join(left), "".join(right)
    return Levenshtein.distance(a, b) <= max(1, min(len(a), len(b)) // 6) or _GREEK.sub(_initial, a) == _GREEK.sub(_initial, b)


def _in_figures(title: str) -> list[str]:
    """Its words, numbers in figures."""
    return [_NUMERALS.get(word, word) for word in title.split()]


def _rest(found: Sequence[str], others: Sequence[str]) -> list[str]:
    """Words that are not among the others, in order."""
    left = Counter(others)
    rest = []
    for word in found:
        if left[word]:
            left[word] -= 1
        else:
            rest.append(word)
    return rest


def _beginning(word: str) -> str:
    found = _OPPOSITES.match(word)
    return found.group() if found else ""


def _initial(name: re.Match[str]) -> str:
    return name.group()[0]


def _is_similar(one: str, other: str) -> bool:
    shorter, longer = sorted((one.split(), other.split()), key=len)
    if len(shorter) >= _FEW_WORDS and not Counter(shorter) - Counter(longer):
        return True
    return fuzz.token_sort_ratio(one, other) >= 70
