"""The topic that papers have to be about, as patterns: which sentences of an abstract speak of it, how fully, and is it what the paper proposes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_qa import text
from rag_qa.retrieval.spellings import Form
from rag_qa.text import any_of

# Words that tell nothing where others stand beside them: "bandit problems".
_GENERIC = frozenset(
    """
    problem problems task tasks method methods approach approaches technique techniques algorithm algorithms setting settings
    several many various new such other additional kind type use using based good better best need needs something
    """.split()
)
_IN_PASSING = 0.3  # what words count that do not say it: "training" alone, where papers without training are asked for
_EXAMPLES = re.compile(r",? (?:such as|like|for example|e\.g\.|including) .*$")
_DATA_SETS = ("dataset", "datasets")
_ANOTHER = re.compile(r"\bor\b|\band other\b|/")
_ABSENCE = any_of(
    r"without(?: the need (?:for|of|to))?|no|not|n't|never|avoid\w*|eliminat\w*",
    r"bypass\w*|circumvent\w*|obviat\w*|instead of|free of|rather than",
)
_DENIES = re.compile(rf"\b(?:{_ABSENCE}|nor|unlike)\b|\w+n't\b|[\w-]+-free\b")
_LACKS = re.compile(
    rf"^(?:(?:need|require|use|do|does|are|is|that|work|get|by)s? )*(?:{_ABSENCE}|\w+n't)(?!\w)\W*"
    "(?:(?:need|require|use|any|further|additional|extra|on) )*"
)
_PROPOSES = re.compile(
    r"\b(?:we|i|this (?:paper|work|study|article|survey)|paper|our (?:\w+ )?(?:method|work|approach|paper|framework|model))\b"
    r"(?: \w+){0,4}? (?:propos|introduc|present|develop|design|devis|study|studi|investigat|address|explor|provid|prov|examin|analy[sz]|show|"
    r"demonstrat|evaluat|tackl|focus|aim|consider|build|creat|establish|formulat|us|appl|employ|leverag|releas|curat|construct|collect|contribut|propose)\w*\b"
    r"|^(?:in|with) th(?:is|ese) |\b(?:is|are) (?:proposed|introduced|presented|developed)\b"
)
_BRINGS = any_of(
    "introduc|present|propos|releas|construct|curat|creat|build|develop|collect|contribut|design|compil|annotat|provid|establish|defin|offer"
)
_BETWEEN = r"(?:[\s\-/]+(?:(?:of|in|for|the|a|an|to|and|with)[\s\-]+)?(?:[\w]+[\s\-]+)?)"
_SIDE_BY_SIDE = r"[\s-]?(?:(?:of|in|for|the|a|an|to|and|with|from|by)[\s-]+){0,2}"
_TAIL, _SHORT_TAIL = r"\w{0,6}", "(?:s|es|ed|ing|d|e|er|ers|ness|ly|al|ic|y)?"
_MOST_WORDS = 16  # of a topic; whatever is longer should not hold us up
_ENOUGH = 5  # letters that tell a word from others
_TINY = 3  # letters of a word that may be the beginning of any other: rats, rates
_LEFT, _PLURAL = 4, 3  # letters that must be left without an ending
_ENDINGS = (
    ("izations", "iz"), ("ization", "iz"), ("isations", "is"), ("isation", "is"), ("ities", ""), ("ity", ""), ("ness", ""),
    ("ances", "an"), ("ance", "an"), ("ences", "en"), ("ence", "en"), ("ions", ""), ("ion", ""), ("ies", ""), ("ings", ""), ("ing", ""),
    ("es", ""), ("ed", ""), ("y", ""), ("s", ""), ("e", ""),
)  # fmt: skip
"""Ending -> what is left of it where a word is looked for in all its forms: molecules, molecular."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the title, or one sentence, says of a topic. `share`: of the words of the topic, by rarity, in [0, 1]; `rarest`: is the word that
    tells the topic from others among them? `is_whole`: do they stand side by side, or is it a short form of all of them? `times`: how often
    each of the words stands in it.
    """

    share: float = 0.0
    rarest: bool = False
    is_whole: bool = False
    times: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as patterns over folded text. `words`: one pattern for each word of it, or for several of which one will do ("speech or audio");
    `weights`: what each counts, 1 in all; `whole`: the words side by side, or another form for all of them. `literals`: nothing of it is there
    without one of these; `only_whole`: the words alone say little, such as "training" where papers without training are meant.
    """

    words: tuple[re.Pattern[str], ...]
    weights: tuple[float, ...]
    whole: re.Pattern[str] | None
    literals: tuple[str, ...]
    only_whole: bool = False

    def is_in(self, folded: Sequence[str]) -> bool:
        """Is there anything of it in folded sentences at all?"""
        return any(literal in sentence for sentence in folded for literal in self.literals)

    def spoken(self, folded: str) -> Spoken:
        """What a folded title or sentence says of it."""
        if not self.words or not any(literal in folded for literal in self.literals):
            return Spoken()
        held = tuple(len(word.findall(folded)) for word in self.words)
        is_whole = bool(self.whole and self.whole.search(folded))
        if is_whole:
            return Spoken(1.0, True, True, held)
        share = sum(weight for weight, times in zip(self.weights, held, strict=True) if times)
        if self.only_whole:
            return Spoken(share * _IN_PASSING, times=held)
        return Spoken(share, held[max(range(len(held)), key=self.weights.__getitem__)] > 0, False, held)


def topic(words: str, rarity: Mapping[str, float], forms: Mapping[str, Form] | None = None, *, is_brought: bool = False) -> Topic:
    """The patterns of a topic, in which what is one thing is one word with hyphens (see spellings.Wording). `rarity`: of its terms; `forms`: which of
    these words have a short form; `is_brought`: papers are meant that bring one themselves ("which papers introduce a benchmark?").

    >>> graphs = topic("graph neural networks", {"graph": 2.0, "neural": 1.0, "network": 1.0})
    >>> graphs.spoken("we train neural networks"), graphs.spoken("a graph neural network").is_whole
    (Spoken(share=0.5, rarest=False, is_whole=False, times=(0, 1, 1)), True)
    >>> topic("avoid training", {}).spoken("it works without any training").is_whole
    True
    """
    known = forms or {}
    folded = _EXAMPLES.sub("", text.fold(words).text)
    lacks = _LACKS.match(folded)
    groups = _groups(folded[lacks.end() :] if lacks else folded) or _groups(folded)
    weights = [_weight(group, rarity) for group in groups]
    patterns = [_any_of([form for word in group for form in _all_forms(word, known)]) for group in groups]
    whole = _BETWEEN.join(patterns)
    if whole and lacks:
        whole = rf"(?:{_ABSENCE})\W+(?:\w+\W+){{0,4}}?(?:{whole})|(?:{whole})[\s-]free"
    elif whole and is_brought:
        whole = rf"{_BRINGS}\w*\W+(?:[^\s.;]+\W+){{0,12}}?(?:{whole})"
    return Topic(
        tuple(map(_pattern, patterns)),
        tuple(weight / sum(weights) for weight in weights),
        _pattern(whole) if whole else None,
        tuple(dict.fromkeys(literal for group in groups for word in group for literal in _literals(word, known))),
        only_whole=bool(lacks) or is_brought,
    )


def _all_forms(word: str, forms: Mapping[str, Form]) -> list[str]:
    """Patterns of a word: of the word itself, or of its short form and the words of its long ones side by side."""
    if word not in forms:
        return [_inflected(word)]
    known = forms[word]
    return [f"{re.escape(known.short)}s?", *(_SIDE_BY_SIDE.join(map(_inflected_part, long.split("-"))) for long in known.long)]


def _literals(word: str, forms: Mapping[str, Form]) -> list[str]:
    """Of these, one stands wherever a form of the word does."""
    if word not in forms:
        return [_longest(word)]
    return [forms[word].short, *map(_longest, forms[word].long)]


def _longest(word: str) -> str:
    return max((_base(part) for part in word.split("-") if part), key=len)


def is_absence(words: str) -> bool:
    """Does a topic say what papers must do without?

    >>> is_absence("need no labels"), is_absence("labels")
    (True, False)
    """
    return bool(_LACKS.match(text.folded(words)))


def denies(sentence: str) -> bool:
    """Does a sentence say of anything that it is not there, or not needed?

    >>> denies("It works without labels."), denies("It needs labels.")
    (True, False)
    """
    return bool(_DENIES.search(text.folded(sentence)))


def is_proposed(folded: str) -> bool:
    """Does a folded sentence say what its own paper does?

    >>> is_proposed("in this paper, we propose x"), is_proposed("x has attracted much attention")
    (True, False)
    """
    return bool(_PROPOSES.search(folded))


@lru_cache(maxsize=8192)
def folded_sentences(abstract: str) -> tuple[str, ...]:
    """The sentences of an abstract, folded; as many as text.sentences gives."""
    return tuple(text.folded(abstract[start:end]) for start, end in text.sentences(abstract))


def _groups(folded: str) -> list[tuple[str, ...]]:
    """Words that carry the meaning, in order; what "or" joins is one group.

    >>> _groups("speech or audio"), _groups("climate, energy or the environment"), _groups("pruning or sparse networks")
    ([('speech', 'audio')], [('climate', 'energy', 'environment')], [('pruning', 'sparse'), ('networks',)])
    """
    groups: list[tuple[str, ...]] = []
    last_or = max((found.start() for found in _ANOTHER.finditer(folded)), default=-1)
    before = 0
    for word in text.words(folded):
        if word.text in text.STOPWORDS or word.text in text.QUESTION_WORDS or (word.text == "other" and groups):
            continue
        between = folded[before : word.start]
        joined = groups and (_ANOTHER.search(between) or (between.strip() == "," and word.start < last_or))
        if joined:
            groups[-1] = (*groups[-1], word.text)
        else:
            groups.append((word.text,))
        before = word.end
    return ([group for group in groups if not all(word in _GENERIC for word in group)] or groups)[:_MOST_WORDS]


def _weight(group: Sequence[str], rarity: Mapping[str, float]) -> float:
    return max(0.1, sum(_rarity(word, rarity) for word in group) / len(group))


def _rarity(word: str, rarity: Mapping[str, float]) -> float:
    whole, *parts = text.word_terms(word)
    return max((rarity[term] for term in parts or [whole] if term in rarity), default=1.0)


def _any_of(forms: Sequence[str]) -> str:
    return f"(?:{'|'.join(forms)})"


def _inflected(word: str) -> str:
    r"""A word in any form, as a pattern.

    >>> [bool(re.fullmatch(_inflected("molecules"), form)) for form in ("molecule", "molecular", "moles")]
    [True, True, False]
    """
    return r"[\s-]?".join(_inflected_part(part) for part in word.split("-") if part)


def _inflected_part(word: str) -> str:
    if word in _DATA_SETS:
        return r"data[\s-]?sets?"
    base = _base(word)
    if len(base) <= _TINY:
        return re.escape(base) + "(?:'?s)?"
    return re.escape(base) + (_TAIL if len(base) >= _ENOUGH and base.isalpha() else _SHORT_TAIL)


def _without(word: str, ending: str) -> str:
    """A word less its ending, or nothing where it hasn't got it or too little would be left."""
    left = word.removesuffix(ending)
    return left if left != word and len(left) >= (_PLURAL if ending == "s" else _LEFT) else ""


def _base(word: str) -> str:
    """What all forms of a word begin with."""
    if word in _DATA_SETS:
        return "data"
    return next((_without(word, ending) + kept for ending, kept in _ENDINGS if _without(word, ending)), word)


def _pattern(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")
