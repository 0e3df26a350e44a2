"""Slips of the fingers in a question: "forecsats", "whcih". A word that neither the papers nor English knows becomes the one that is a slip away.

Nothing is guessed at for names and short words, or where the papers do not have a word so near: what is unknown may be what the question is about.
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
_USUAL = text.STOPWORDS | text.QUESTION_WORDS
_MANY = 3  # unknown words, if they are most of a question, are no slips but another language
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
    if _FOREIGN.search(question) or _mostly_unknown(_WORD.findall(question), library):
        return question

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


def _is_known(word: str, library: Library) -> bool:
    return word in _USUAL or library.document_frequency(_term(word)) > 0 or word in english()


def _meant(word: str, library: Library) -> str:
    if len(word) > _LONGEST or _is_known(word, library):
        return word
    # two letters that changed places are the likeliest slip, and a wrong one the least likely
    for nearby in (_swapped(word), *((_longer_or_shorter(word), _with_another(word)) if len(word) >= _SHORTEST_USUAL else ())):
        if meant := _best(word, list(dict.fromkeys(nearby)), library):
            return meant
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
    common = max(likely, key=lambda one: english().get(one, 0), default="")
    return common if english().get(common, 0) >= _COMMON else ""


def _is_written(word: str, library: Library) -> bool:
    """Is the word English, or do papers have it itself, and not only another with its stem?"""
    return word in english() or any(word in text.content_words(one) for one in library.texts_with(_term(word), _LOOKED_AT))


def _term(word: str) -> str:
    return text.word_terms(word)[0]


def _swapped(word: str) -> Iterator[str]:
    """The word with two neighbours changing places."""
    return (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1) if word[i] != word[i + 1])


def _longer_or_shorter(word: str) -> Iterator[str]:
    """The word with one letter more, or one less."""
    for i in range(len(word) + 1):
        yield from (word[:i] + letter + word[i:] for letter in ascii_lowercase)
        yield word[:i] + word[i + 1 :]


def _with_another(word: str) -> Iterator[str]:
    """The word with one letter changed."""
    for i in range(len(word)):
        yield from (word[:i] + letter + word[i + 1 :] for letter in ascii_lowercase if letter != word[i])
