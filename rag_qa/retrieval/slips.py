"""Slips of the fingers in a question: "forecsats", "whcih". A word that neither the papers nor English knows becomes the one that is a slip away.

Nothing is guessed at for names and short words, or where the papers do not have a word so near: what is unknown may be what the question is about.
Only a letter that was not doubled ("tinitus") is put right by English alone.
A door to the data of symspellpy: 82,000 English words with their usual forms, British and American; the package itself is never imported.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import ascii_lowercase

from rag_qa import text
from rag_qa.errors import MissingExtraError
from rag_qa.retrieval.spellings import Library

_DICTIONARY = ("symspellpy", "frequency_dictionary_en_82_765.txt")

_SHORTEST = 5  # letters of a word that is put right by the papers
# letters of a word that one slip of any kind makes a word that every question has; letters that changed places are seen in shorter ones, too
_SHORTEST_USUAL = 4
_LONGEST = 30  # letters of a word that is looked at: English has none that is longer, and for each letter there are 52 words that are a slip away
_COMMON = 10_000_000  # how often the list of English words has counted a word that is common
_LOOKED_AT = 20  # papers that are asked how they write a word
_USUAL = text.STOPWORDS | text.QUESTION_WORDS | frozenset("year years journal journals oldest newest latest".split())
_MANY = 3  # unknown words, if they are most of a question, are no slips but another language
_LONG = 7  # letters of a word that is put right by English alone where one letter was not doubled, or was
# What only English writes so: a question with such a word, or with two that are nearly so, is in English however much of it is unknown.
_ENGLISH = frozenset(
    "with which what whose papers paper abstracts studies about does that this from there their when where they these those how the why who".split()
)
_FEW_ENGLISH = 2
# Words that are English, but seldom at the beginning of a question, or behind a question word.
_AT_FIRST = {"wat": "what", "wht": "what", "wen": "when", "hou": "how", "wich": "which", "witch": "which"}
_BEHIND = re.compile(r"(?:(?<=\bhow )|(?<=\bwhy )|(?<=\bwhat )|(?<=\bwhen )|(?<=\bwhere ))doe(?= )", re.IGNORECASE)
_PAPERS_BEHIND = re.compile(r"papers?|abstracts?|studies|articles?|works?|methods?|models?")
_FOREIGN = re.compile(r"[^\W\d_a-zA-Zα-ωΑ-Ω]")
# Only plain words in small letters, or a first word with a capital: all else may be a name, a formula or a quotation.
_WORD = re.compile(r"(?<![\w\-“”\"'’./@])[A-Z]?[a-z]{2,}(?![\w\-“”\"'’/@]|\.\w)")


@cache
def english() -> Mapping[str, int]:
    """English words in small letters, and how common they are. Raises MissingExtraError without the package that they come with."""
    package, name = _DICTIONARY
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise MissingExtraError(f"the list of English words is missing: pip install {package}")
    lines = (Path(found.origin).parent / name).read_text(encoding="utf-8-sig").splitlines()
    return {word: int(count) for word, count in (line.split(" ", 1) for line in lines)}


def mended(question: str, library: Library) -> str:
    """The question without slips, as far as the papers tell what is meant. One that seems not to be English stays as it is."""
    words = _WORD.findall(question)
    if _FOREIGN.search(question) or (_mostly_unknown(words, library) and not _seems_english(words)):
        return question
    question = _question_words(question, library)

    def put_right(match: re.Match[str]) -> str:
        word = match.group()
        if word[0].isupper() and match.start() > 0:
            return word  # a name
        found = _meant(word.lower(), library)
        return found.capitalize() if word[0].isupper() else found

    return _WORD.sub(put_right, question)


def _mostly_unknown(words: Sequence[str], library: Library) -> bool:
    unknown = sum(not _is_known(word.lower(), library) for word in words)
    return unknown >= _MANY and 2 * unknown > len(words)


def _seems_english(words: Sequence[str]) -> bool:
    """
    >>> _seems_english(["wich", "papers", "deel"]), _seems_english(["wich", "abot"]), _seems_english(["welche", "arbeiten"])
    (True, True, False)
    """
    lower = [word.lower() for word in words]
    if not _ENGLISH.isdisjoint(lower):
        return True
    near = [word for word in lower if len(word) >= _SHORTEST_USUAL and not _ENGLISH.isdisjoint([*_swapped(word), *_longer_or_shorter(word)])]
    return len(near) >= _FEW_ENGLISH


def _question_words(question: str, library: Library) -> str:
    """Question words that are words of their own as they were typed: "wat is a tide", "how doe tides work", "witch papers".

    >>> class Nothing:
    ...     def document_frequency(self, term): return 0
    >>> _question_words("Wat is a tide?", Nothing()), _question_words("how doe tides work", Nothing())
    ('What is a tide?', 'how does tides work')
    >>> _question_words("witch trials", Nothing()), _question_words("witch papers deal with tides", Nothing())
    ('witch trials', 'which papers deal with tides')
    """
    first, space, rest = question.partition(" ")
    meant = _AT_FIRST.get(first.lower(), "")
    if meant and first.lower() == "witch" and not _PAPERS_BEHIND.fullmatch(rest.partition(" ")[0].lower()):
        meant = ""
    others = _WORD.findall(rest)
    is_english = _seems_english(others) or sum(not _is_known(word.lower(), library) for word in others) <= 1
    if meant and space and is_english and not library.document_frequency(_term(first.lower())):
        question = f"{meant.capitalize() if first[0].isupper() else meant} {rest}"
    return _BEHIND.sub("does", question)


def _is_known(word: str, library: Library) -> bool:
    return word in _USUAL or library.document_frequency(_term(word)) > 0 or word in english()


def _meant(word: str, library: Library) -> str:
    if len(word) > _LONGEST or _is_known(word, library):
        return word
    # two letters that changed places are the likeliest slip, and a wrong one the least likely
    for nearby in (_swapped(word), *((_longer_or_shorter(word), _with_another(word)) if len(word) >= _SHORTEST_USUAL else ())):
        if meant := _best(word, list(dict.fromkeys(nearby)), library):
            return meant
    if len(word) >= _LONG:  # as it sounds
        alike = [(library.document_frequency(_term(one)), one) for one in _sounding_alike(word)]
        count, meant = max(alike, default=(0, ""))
        return meant if count and _is_written(meant, library) else word
    return word


def _best(word: str, nearby: Sequence[str], library: Library) -> str:
    """A word of every question, or else the one that most papers have, or a common English one; "" if there is none."""
    if usual := next((one for one in nearby if one in _USUAL), ""):
        return usual
    if len(word) < _SHORTEST:
        return ""
    likely = [one for one in nearby if one[0] == word[0]]  # the first letter is seldom wrong
    counted = sorted(((library.document_frequency(_term(one)), one) for one in likely), reverse=True)
    if found := next((one for count, one in counted if count and _is_written(one, library)), ""):
        return found
    if doubled := _doubled(word, likely):
        return doubled
    common = max(likely, key=lambda one: english().get(one, 0), default="")
    return common if english().get(common, 0) >= _COMMON else ""


def _doubled(word: str, likely: Sequence[str]) -> str:
    """The one English word that a long word becomes if a letter is doubled, or is not; "" if there is none, or are several.

    >>> _doubled("tinitus", ["tinnitus", "tinitis"]), _doubled("mosnets", ["mosnetss"])
    ('tinnitus', '')
    """
    if len(word) < _LONG:
        return ""
    found = {one for one in likely if one in english() and len(one) != len(word) and re.sub(r"(.)\1", r"\1", one) == re.sub(r"(.)\1", r"\1", word)}
    return found.pop() if len(found) == 1 else ""


def _is_written(word: str, library: Library) -> bool:
    """Is the word English, or do papers have it itself, and not only another with its stem?"""
    return word in english() or any(word in text.content_words(one) for one in library.texts_with(_term(word), _LOOKED_AT))


def _term(word: str) -> str:
    return text.word_terms(word)[0]


def _sounding_alike(word: str) -> Iterator[str]:
    """The word with one sound written in another way.

    >>> "schizophrenia" in _sounding_alike("schizofrenia"), "schizophrenia" in _sounding_alike("skizophrenia")
    (True, True)
    """
    for one, other in _SOUNDS:
        for written, meant in ((one, other), (other, one)):
            for found in re.finditer(written, word):
                yield word[: found.start()] + meant + word[found.end() :]


_SOUNDS = (("f", "ph"), ("k", "ch"), ("k", "c"), ("i", "y"), ("s", "ps"), ("t", "th"), ("r", "rh"), ("ei", "ie"))


def _swapped(word: str) -> Iterator[str]:
    """The word with two neighbours changing places."""
    return (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1) if word[i] != word[i + 1])


def _longer_or_shorter(word: str) -> Iterator[str]:
    """The word with one letter more, or one less."""
    for i in range(len(word) + 1):
        yield from (word[:i] + letter + word[i:] for letter in ascii_lowercase)
        yield word[:i] + word[i + 1 :]


def _with_another(word: str) -> Iterator[str]:
    """The word with one letter changed, but not the first, which is seldom wrong: "zork" is no "work"."""
    for i in range(1, len(word)):
        yield from (word[:i] + letter + word[i + 1 :] for letter in ascii_lowercase if letter != word[i])
