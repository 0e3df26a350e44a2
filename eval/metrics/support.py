"""Does evidence bear a sentence out? A checker of the harness's own, with no model: the system that is judged has another, and they share no code.

1. Verbatim: the folded sentence stands in the folded evidence. Then it is supported, and nothing else is looked at.
2. Flags: something in the sentence that the evidence lacks or turns round: a number with its unit, a name, a denial, a direction, or several words
   in a row of which it has none.
3. Cover: the best of all windows of one or two sentences of the evidence, 0.8 * (words of the sentence that stand in it, by rarity) + 0.2 * (pairs of
   neighbouring words that stand in it).

What it can't see: a paraphrase without a common word, a claim that follows from two sentences far apart, a turn that its word lists lack.
`python -m eval trust` says how far it agrees with people.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from eval.metrics.facts import fold

Rarity = Callable[[str], float]
"""Stem -> weight, above 0."""


class Label(StrEnum):
    """What a sentence is, against its evidence."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


class Flag(StrEnum):
    """What of a sentence the evidence lacks or turns round."""

    NUMERIC = "numeric"
    ENTITY = "entity"
    NEGATION = "negation"
    DIRECTION = "direction"
    ADDITION = "addition"


_TURNS_ROUND = frozenset({Flag.NUMERIC, Flag.NEGATION, Flag.DIRECTION})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which cover on a sentence is supported, and from which on partly."""

    supported: float
    partial: float


SHIPPED = Path(__file__).with_name("thresholds.json")
"""Fitted on people's labels by `python -m eval calibrate`, with how well they do there."""


@cache
def shipped() -> Thresholds:
    """The thresholds that come with the harness."""
    found = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return Thresholds(found["supported"], found["partial"])


@dataclass(frozen=True, slots=True)
class Support:
    """`cover`: 0 to 1, higher is better. `window`: the evidence that covers the sentence best, as it stands there; "" without evidence."""

    label: Label
    cover: float
    flags: tuple[Flag, ...] = ()
    window: str = ""

    @property
    def graded(self) -> float:
        """1 for supported, 0.5 for partial, else 0 (TREC's weighted support)."""
        return {Label.SUPPORTED: 1.0, Label.PARTIAL: 0.5}.get(self.label, 0.0)

    @property
    def strength(self) -> float:
        """One number to rank by, 0 to 1, higher is better supported: the cover, less a fifth of it for every flag."""
        return self.cover * 0.8 ** len(self.flags)


# ------------------------------------------------------------------------------------------------------------------- words

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_STOPWORDS = frozenset(
    """
    a an the this that these those it its they their them he she his her we our us you your i my me
    is are was were be been being am has have had having do does did doing can could will would shall should may might must
    of in on at by for with from to into onto over under about between among through during within via per as than then so such
    and or but if while whereas because since when where which who whom whose what how why there here also both each
    more most some any all other another own same very too only just even however thus therefore hence
    """.split()
)
_ENDINGS = ("ations", "ation", "ingly", "ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "s")


def stem(word: str) -> str:
    """A word without a common ending; what is left has three letters at least.

    >>> [stem(word) for word in ("improves", "improving", "studies", "gas")]
    ['improv', 'improv', 'stud', 'gas']
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            cut = word[: -len(ending)]
            return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """Stems of the words that carry meaning, in order.

    >>> stems("It reduces the errors.")
    ('reduc', 'error')
    """
    return tuple(stem(word) for word in _WORD.findall(_folded(text)) if word not in _STOPWORDS)


@lru_cache(maxsize=65536)
def _folded(text: str) -> str:
    return fold(text)


def rarity_in(texts: Iterable[str]) -> Rarity:
    """How rare a stem is among some texts: ln(1 + (n - df + 0.5) / (df + 0.5)) (BM25's inverse document frequency); above 0."""
    seen: Counter[str] = Counter()
    count = 0
    for text in texts:
        count += 1
        seen.update(set(stems(text)))
    return lambda one: math.log(1 + (count - seen[one] + 0.5) / (seen[one] + 0.5)) if count else 1.0


_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[*$]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|et al|cf|vs|etc|Fig|Eq|Sec|Dr|approx|resp)|\b[A-Z])\.$")


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text.

    >>> sentences("It is fast, e.g. twice. It is small.")
    ('It is fast, e.g. twice.', 'It is small.')
    """
    found: list[str] = []
    for piece in _SENTENCE_END.split(text.strip()):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {piece}"
        elif piece.strip():
            found.append(piece)
    return tuple(found)


# ------------------------------------------------------------------------------------------------------------------- flags

_NUMBER = re.compile(r"(?<![^\W_])(?<![.,]\d)[-+]?\d+(?:[.,]\d+)*\s?(?:%|×|percent\b|times\b|x\b|fold\b|-fold\b)?")
_UNITS = {"percent": "%", "times": "×", "x": "×", "fold": "×", "-fold": "×"}
_NUMBER_WORDS = {
    name: str(value) for value, name in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split()) if value > 1
}
_NAME = re.compile(r"(?<![\w-])(?:[A-Z][\w]*[A-Z0-9][\w]*|[A-Z]{2,}s?|[A-Z]\w*-[A-Z0-9]\w*)(?:-\w+)*(?![\w-])")
_NEGATIONS = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|lacks?|lacking|fails?|failed|unable|hardly|barely|absence of|\w+n't|\w+n’t)\b"
)
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})"), re.compile(rf"\b(?:{other})"))
    for one, other in (
        (
            "increas|rais|ris(?:e|es|ing)\\b|grow|elevat|higher|greater|larger|boost|up-?regulat",
            "decreas|reduc|lower|declin|shrink|smaller|fewer|diminish|down-?regulat",
        ),
        ("improv|enhanc|better|superior|outperform|strengthen", "worsen|degrad|impair|worse|inferior|underperform|weaken|deteriorat"),
        ("faster|quicker|accelerat|speed", "slower|slow(?:s|ed|ing)?\\b|decelerat"),
        ("promot|activat|induc|stimulat|facilitat|enabl", "inhibit|suppress|prevent|block|inactivat|hinder"),
        ("positiv", "negativ"),
        ("effective|beneficial", "ineffective|harmful|useless"),
        ("more", "less|fewer"),
        ("maximi[sz]", "minimi[sz]"),
        ("protect", "endanger|risk factor"),
        ("associated|correlat|linked", "unrelated|independent of|uncorrelat"),
    )
)


def numbers(text: str) -> set[str]:
    """The numbers of a text with their units, thousands without commas, words as digits.

    >>> sorted(numbers("1,000 items, 30 percent, two models, 1.67x"))
    ['1.67×', '1000', '2', '30%']
    """
    folded = _folded(text)
    found = {_plain_number(match.group()) for match in _NUMBER.finditer(folded)}
    return found | {_NUMBER_WORDS[word] for word in _WORD.findall(folded) if word in _NUMBER_WORDS}


def _plain_number(found: str) -> str:
    match = re.match(r"([-+]?[\d.,]+)\s?(.*)", found)
    assert match is not None
    digits = re.sub(r",(?=\d{3}(?!\d))", "", match.group(1)).lstrip("+").rstrip(".,")
    return digits + _UNITS.get(match.group(2), match.group(2))


def names(text: str) -> set[str]:
    """What looks like a name (capitals inside, an acronym, a hyphen with a capital), folded, a plural s dropped.

    >>> sorted(names("We compare NetMoE and LLMs on GPT-4."))
    ['gpt-4', 'llm', 'netmoe']
    """
    return {fold(name).removesuffix("s") for name in _NAME.findall(text)}


def _missing_numbers(sentence: str, evidence: str) -> bool:
    there = numbers(evidence)
    # "3 tasks" is borne out by "3%": only a unit that is said must be there
    bare = {re.sub(r"[%×]$", "", number) for number in there}
    return any(number not in there and (number[-1] in "%×" or number not in bare) for number in numbers(sentence))


def _missing_names(sentence: str, evidence: str, question: str) -> bool:
    known = fold(f"{evidence} {question}")
    return any(name not in known for name in names(sentence))


def _denied(text: str) -> set[str]:
    """Stems that a text denies: the first two words of meaning after each denial."""
    folded = _folded(text)
    return {one for match in _NEGATIONS.finditer(folded) for one in stems(folded[match.end() :])[:2]}


def _denied_otherwise(sentence: str, window: str) -> bool:
    """Does one deny what the other says without denying it?"""
    said, there = _denied(sentence), _denied(window)
    return bool((said - there) & set(stems(window)) or (there - said) & set(stems(sentence)))


def _turned(sentence: str, window: str) -> bool:
    said, there = _folded(sentence), _folded(window)

    def goes(pattern: re.Pattern[str], against: re.Pattern[str]) -> bool:
        return bool(pattern.search(said) and not against.search(said) and against.search(there) and not pattern.search(there))

    return any(goes(one, other) or goes(other, one) for one, other in _OPPOSITES)


_IN_A_ROW = 3
"""So many words of meaning in a row that the evidence lacks are an addition."""


def _adds(sentence: str, evidence: str) -> bool:
    there = set(stems(evidence))
    run = longest = 0
    for one in stems(sentence):
        run = 0 if one in there else run + 1
        longest = max(longest, run)
    return longest >= _IN_A_ROW


# ------------------------------------------------------------------------------------------------------------------- cover


def _windows(evidence: str) -> list[str]:
    """One sentence, and two neighbours."""
    single = sentences(evidence)
    return [*single, *(f"{one} {other}" for one, other in pairwise(single))]


def _cover(sentence: str, window: str, rarity: Rarity) -> float:
    asked, there = stems(sentence), stems(window)
    if not asked:
        return 0.0
    held = set(there)
    total = math.fsum(rarity(one) for one in set(asked))
    share = math.fsum(rarity(one) for one in set(asked) if one in held) / total if total > 0 else 0.0
    pairs = set(pairwise(asked))
    overlap = len(pairs & set(pairwise(there))) / len(pairs) if pairs else share
    return 0.8 * share + 0.2 * overlap


def check(
    sentence: str, evidence: Sequence[str], *, question: str = "", rarity: Rarity = lambda _: 1.0, thresholds: Thresholds | None = None
) -> Support:
    """Hold a sentence against texts (abstracts). Blank evidence bears out nothing.

    >>> check("It is 3 times faster.", ["We show that it is 2 times faster."]).flags
    (<Flag.NUMERIC: 'numeric'>,)
    """
    bounds = thresholds or shipped()
    there = [text for text in evidence if text.strip()]
    if not there or not stems(sentence):
        return Support(Label.UNSUPPORTED, 0.0)
    said = _folded(sentence).rstrip(".!? ")
    for text in there:
        if said in _folded(text):
            return Support(Label.SUPPORTED, 1.0, (), next((one for one in sentences(text) if said in fold(one)), sentence))
    cover, window = max(((_cover(sentence, one, rarity), one) for text in there for one in _windows(text)), key=lambda pair: pair[0])
    whole = " ".join(there)
    flags = tuple(
        flag
        for flag, raised in (
            (Flag.NUMERIC, _missing_numbers(sentence, whole)),
            (Flag.ENTITY, _missing_names(sentence, whole, question)),
            (Flag.NEGATION, _denied_otherwise(sentence, window)),
            (Flag.DIRECTION, _turned(sentence, window)),
            (Flag.ADDITION, _adds(sentence, whole)),
        )
        if raised
    )
    return Support(_label(cover, flags, bounds), cover, flags, window)


def _label(cover: float, flags: Sequence[Flag], bounds: Thresholds) -> Label:
    if cover >= bounds.partial and _TURNS_ROUND & set(flags):
        return Label.CONTRADICTED
    if cover >= bounds.supported and not flags:
        return Label.SUPPORTED
    return Label.PARTIAL if cover >= bounds.partial else Label.UNSUPPORTED
