"""One topic however it is spelled: "kmeans", "k means" and "k-means"; "MoE" and "mixture of experts", where the papers explain it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from rag_qa import text
from rag_qa.index.store import Store
from rag_qa.retrieval.terms import Dictionary, usual

_PARTS = 4  # of a compound that is written in one or in several words: state of the art
_LONGEST = 8  # words of a long form
_LOOKED_AT = 50  # papers that are asked how they write a word
_SHARE = 0.05  # of the papers that have to write two words as one for it to be one
_IS_SHORT = 0.5  # share of the places where a short form has to have capitals: MoE, and not "rain" because of one RAIN
_IS_SPELLED_OUT = 0.2  # share of the papers with a short form that have the long one, below which the short one is the name: BERT
_COMPOUND = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_DATA_SET = re.compile(r"\bdata[ -](sets?)\b")


class Library(Dictionary, Protocol):
    """What the papers say of words, and how they write them."""

    def texts_with(self, term: str, most: int) -> Sequence[str]:
        """Titles and abstracts of so many papers that hold a term, at most."""
        ...


class StoredWords:
    """What the papers of a store say of words; what was read is kept, so make one for each question."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[tuple[str, int], Sequence[str]] = {}

    def document_frequency(self, term: str) -> int:
        """See Dictionary."""
        return self._store.document_frequency(term)

    def explained(self, form: str) -> Mapping[str, int]:
        """See Dictionary."""
        return self._store.explained(form)

    def texts_with(self, term: str, most: int) -> Sequence[str]:
        """See Library."""
        if (term, most) not in self._texts:
            papers = self._store.get([paper_id for paper_id, _ in self._store.by_keywords({term: 1.0}, most)])
            self._texts[term, most] = [f"{paper.title or ''}\n\n{paper.abstract}" for paper in papers.values()]
        return self._texts[term, most]


@dataclass(frozen=True, slots=True)
class Form:
    """Something that has a short form ("moe"), and the long ones, hyphens between their words without stop words ("mixture-experts")."""

    short: str
    long: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """A topic in the words of the library. `text`: what is searched by; `marked`: the same, whatever is one thing as one word with hyphens, such as
    "mixture-of-experts"; `forms`: which of these have a short form.
    """

    text: str
    marked: str
    forms: Mapping[str, Form] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word or a compound: its parts, how it is written, and what stands before it."""

    parts: tuple[str, ...]
    written: str
    before: str


def wording(topic: str, library: Library) -> Wording:
    """A topic as the library has it, the same for all spellings of it."""
    units = _units(_spelled_out(_units(topic, library), library), library)
    done: list[tuple[str, str, str]] = []  # what stands before, as searched, as marked
    forms: dict[str, Form] = {}
    while units:
        known, length = _known(units, library)
        searched = marked = units[0].written
        if known:
            long = _units(" ".join(_surface(*known, library)), library)
            marked = "-".join(part for unit in long for part in unit.parts)
            searched = " ".join(unit.written for unit in long) if _is_spelled_out(*known, library) else known[0]
            forms[marked] = Form(known[0], tuple(dict.fromkeys(_phrases(long, library))))
        done.append((units[0].before, searched, marked))
        units = units[length:]
    return Wording("".join(a + b for a, b, _ in done).strip(), "".join(a + c for a, _, c in done).strip(), forms)


def _spelled_out(units: Sequence[_Unit], library: Library) -> str:
    """The words in order, short forms spelled out."""
    pairs = [(unit, _short(unit, library)) for unit in units]
    return "".join(unit.before + (" ".join(_surface(*known, library)) if known else unit.written) for unit, known in pairs)


def _units(topic: str, library: Library) -> list[_Unit]:
    """Words in order, those that the library also writes as one put together."""
    parts = list(_parts(_DATA_SET.sub(r"data\1", text.fold(topic).text), library))
    units: list[_Unit] = []
    while parts:
        length = next((length for length in range(min(_PARTS, len(parts)), 1, -1) if _is_compound(parts[:length], library)), 1)
        words = tuple(word for _, word in parts[:length])
        before = parts[0][0].replace("-", " ") if units else ""
        units.append(_Unit(words, _written(words, library), before))
        parts = parts[length:]
    return units


def _parts(folded: str, library: Library) -> Iterator[tuple[str, str]]:
    """(what stands before it, part) of the words; a word that others write as a compound is taken apart."""
    end = 0
    for word in text.words(folded):
        before = folded[end : word.start]
        split = tuple(part for part in word.text.split("-") if part)
        for part in split if len(split) > 1 else _apart(word.text, library):
            yield before, part
            before = "-"
        end = word.end


def _apart(word: str, library: Library) -> tuple[str, ...]:
    """The parts of a word as enough papers have them, with hyphens; the word alone where they don't."""
    term = text.word_terms(word)[0]
    if word in text.STOPWORDS or not library.document_frequency(term):
        return (word,)
    texts = library.texts_with(term, _LOOKED_AT)
    seen: Counter[tuple[str, ...]] = Counter()
    for one in texts:
        seen.update({_as_in(compound, word) for compound in _compounds(one) if text.word_terms(compound)[0] == term})
    best = min(seen, key=lambda parts: (-seen[parts], parts), default=())
    return best if best and seen[best] >= _SHARE * len(texts) else (word,)


@lru_cache(maxsize=4096)
def _compounds(paper: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.folded(found) for found in _COMPOUND.findall(paper)))


def _as_in(compound: str, word: str) -> tuple[str, ...]:
    """The parts of a compound, with the ending that a word has: "fine-tuned", finetuning -> fine, tuning."""
    *first, last = compound.split("-")
    begun = "".join(first)
    return (*first, word[len(begun) :] if word.startswith(begun) and len(word) > len(begun) else last)


def _is_compound(parts: Sequence[tuple[str, str]], library: Library) -> bool:
    """Do enough papers write these words as one, or with hyphens?"""
    words = [word for _, word in parts]
    if any(before not in ("-", " ") for before, _ in parts[1:]) or all(word in text.STOPWORDS for word in words):
        return False
    joined = "".join(words)
    often = library.document_frequency(text.stem(joined))
    return joined not in text.STOPWORDS and often >= max(1.0, _SHARE * min(library.document_frequency(text.stem(word)) for word in words))


def _written(words: tuple[str, ...], library: Library) -> str:
    """A compound as the library has it: with hyphens, or as one word."""
    if len(words) == 1:
        return words[0]
    joined = "".join(words)
    return "-".join(words) if len(_apart(joined, library)) > 1 else joined


def _known(units: Sequence[_Unit], library: Library) -> tuple[tuple[str, str] | None, int]:
    """(short form, long form in stems) of what the first units are, the most of them that are one thing; and of how many that is."""
    for length in range(min(_LONGEST, len(units)), 0, -1):
        window = units[:length]
        if any(unit.before != " " for unit in window[1:]) or window[-1].written in text.STOPWORDS or window[0].written in text.STOPWORDS:
            continue
        if found := _long(window, library):
            return found, length
    return None, 1


def _long(window: Sequence[_Unit], library: Library) -> tuple[str, str] | None:
    """The same, if all of these units are a long form that has a short one."""
    parts = [part for unit in window for part in unit.parts]
    split = " ".join(text.stem(part) for part in parts if part not in text.STOPWORDS)
    joined = " ".join(text.stem("".join(unit.parts)) for unit in window if unit.written not in text.STOPWORDS)
    for long in dict.fromkeys((split, joined)):
        short = usual(library.explained(long)) if len(parts) > 1 else ""
        if short and usual(library.explained(short)) == long and (" " in long or len(_surface(short, long, library)) == len(parts)):
            return short, long
    return None


def _short(unit: _Unit, library: Library) -> tuple[str, str] | None:
    """The same, if this unit is a short form."""
    word = "".join(unit.parts)
    for short in dict.fromkeys((text.stem(word), text.stem(word.removesuffix("s")))):
        long = usual(library.explained(short)) if word not in text.STOPWORDS else ""
        if long and len(_surface(short, long, library)) > 1 and _has_capitals(short, library):
            return short, long
    return None


def _has_capitals(short: str, library: Library) -> bool:
    """Is it mostly written as short forms are, or an ordinary word that one paper has taken for a name?"""
    forms = {short, f"{short}s"}
    seen = [word for one in _texts(short, library) for word in re.findall(r"[\w-]+", one) if not forms.isdisjoint(text.word_terms(word.lower()))]
    capitals = [word for word in seen if sum(map(str.isupper, word)) > 1]
    return len(capitals) >= _IS_SHORT * max(1, len(seen))


def _texts(short: str, library: Library) -> list[str]:
    """Papers with a short form, in the singular or in the plural, which is no form of it to a stemmer (LLMs)."""
    return list(dict.fromkeys(one for form in (short, f"{short}s") for one in library.texts_with(form, _LOOKED_AT)))


def _surface(short: str, long: str, library: Library) -> tuple[str, ...]:
    """The words of a long form as most papers have them."""
    seen: Counter[tuple[str, ...]] = Counter()
    for one in _texts(short, library):
        words = next((words for form, words in text.acronyms(one).items() if text.word_terms(form)[0] == short), ())
        if " ".join(text.stem(word) for word in words if word not in text.STOPWORDS) == long:
            seen[words] += 1
    return min(seen, key=lambda words: (-seen[words], words), default=tuple(long.split()))


def _is_spelled_out(short: str, long: str, library: Library) -> bool:
    """Do enough papers with a short form have the words of the long one, too?"""
    beginnings = [stem.rstrip("iey") for stem in long.split()]
    texts = [one.lower() for one in _texts(short, library)]
    return sum(all(word in one for word in beginnings) for one in texts) >= _IS_SPELLED_OUT * len(texts)


def _phrases(units: Sequence[_Unit], library: Library) -> Iterator[str]:
    """A long form, and the same with short forms of parts of it: "multimodal-large-language-models", "multimodal-llm"."""
    yield _phrase([part for unit in units for part in unit.parts])
    for start in range(len(units)):
        known, length = _known(units[start : start + len(units) - 1], library)  # not the whole of it
        if known:
            before, after = ([part for unit in some for part in unit.parts] for some in (units[:start], units[start + length :]))
            yield _phrase([*before, known[0], *after])
            return


def _phrase(words: Sequence[str]) -> str:
    """
    >>> _phrase(["mixture", "of", "experts"]), _phrase(["in", "context", "learning"])
    ('mixture-experts', 'in-context-learning')
    """
    return "-".join([words[0], *(word for word in words[1:] if word not in text.STOPWORDS)])
