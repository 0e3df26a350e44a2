"""Sentences of abstracts with one thing changed, by rule and by seed: what a check of citations has to catch.

The rules are written for this and share no code and no word list with the product. Each gives one wrong sentence, or nothing where it finds no hold.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag_qa.papers import Paper

KINDS = ("number", "unit", "negation", "direction", "swapped method", "swapped paper", "invented ending")

_SENTENCE = re.compile(r"(?<=[\w)%$*'\"”][.?!]) (?=[A-Z])(?<!al\. )(?<!vs\. )(?<!e\.g\. )(?<!i\.e\. )")
_FEWEST_WORDS, _MOST_WORDS = 8, 60


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence that its paper does not bear out, and the sentence that it was made from. `cited`: the paper that it is held against."""

    kind: str
    sentence: str
    original: str
    cited: Paper


@dataclass(frozen=True, slots=True)
class Around:
    """What an edit may draw on: the abstract that the sentence stands in, and names that other abstracts have and this one has not."""

    abstract: str
    names: Sequence[str]
    order: random.Random


def sentences(abstract: str) -> list[str]:
    """Sentences of an abstract that are neither very short nor very long, each a slice of it.

    >>> sentences("It is so. We show that the new method is better than all of the old ones. Code is here.")
    ['We show that the new method is better than all of the old ones.']
    """
    found = _SENTENCE.split(" ".join(abstract.split()))
    return [one.strip() for one in found if _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS]


def edits(papers: Sequence[Paper], *, seed: int, a_paper: int = 4) -> Iterator[Edit]:
    """Edits of up to `a_paper` sentences of each paper, every kind that finds a hold, in the order of the papers; equal for an equal seed."""
    names = {paper.id: name_like(paper.abstract) for paper in papers}
    for number, paper in enumerate(papers):
        order = random.Random(zlib.crc32(f"{seed} {paper.abstract}".encode()))
        own = sentences(paper.abstract)
        foreign = sorted({name for other in names for name in names[other] if name.casefold() not in paper.abstract.casefold()})
        around = Around(paper.abstract, foreign, order)
        for sentence in order.sample(own, min(a_paper, len(own))):
            yield from (Edit(kind, changed, sentence, paper) for kind, changed in changes(sentence, around))
            if len(papers) > 1:
                yield Edit("swapped paper", sentence, sentence, papers[(number + order.randrange(1, len(papers))) % len(papers)])


def changes(sentence: str, around: Around) -> Iterator[tuple[str, str]]:
    """(kind, sentence with one thing changed), for every kind that finds a hold in it."""
    for kind, change in CHANGES.items():
        if (changed := change(sentence, around)) and changed != sentence:
            yield kind, changed


# ---------------------------------------------------------------------------------------------------------------- numbers

_NUMBER = re.compile(r"(?<![\w.,^{/-])\d+(?:[.,]\d+)*(?![\w^}]*[A-Za-z]{3})(?=[\s%,.;:)x×$\\]|-|[kKMB]\b|$)")
_NUMBER_WORD = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b")
_WORDS = "two three four five six seven eight nine ten twelve".split()


def another_number(sentence: str, around: Around) -> str:
    """The sentence with one number changed to one that its abstract does not have.

    >>> another_number("It is 20% faster.", Around("It is 20% faster.", (), random.Random(1)))
    'It is 22% faster.'
    """
    found = [match for pattern in (_NUMBER, _NUMBER_WORD) for match in pattern.finditer(sentence) if not _counts_points(sentence, match)]
    if not found:
        return ""
    match = around.order.choice(found)
    values = [value for value in _other_values(match.group(), around.order) if not re.search(rf"(?<![\d.]){re.escape(value)}(?!\d)", around.abstract)]
    return sentence[: match.start()] + values[0] + sentence[match.end() :] if values else ""


def _counts_points(sentence: str, match: re.Match[str]) -> bool:
    """Is it the number of a point in a list: "(2)", "2)"?"""
    return len(match.group()) == 1 and sentence[match.end() : match.end() + 1] == ")"


def _other_values(number: str, order: random.Random) -> list[str]:
    if number.isalpha():
        return order.sample([word for word in _WORDS if word != number], 3)
    digits = [i for i, char in enumerate(number) if char.isdigit()]
    found = []
    for _ in range(8):
        at = digits[-1] if len(digits) < 3 else order.choice(digits)
        new = order.choice([digit for digit in "123456789" if digit != number[at]])
        found.append(number[:at] + new + number[at + 1 :])
    return found


_UNITS: Mapping[str, Sequence[str]] = {
    r"\\?%": ("×", " points"),
    r"(?:\$?\s?\\times\$?|×|x\b|-fold\b| times\b)": ("%", " points"),
    r" (?:percentage[ -])?points\b": (" times",),
    r" (?:ms|milliseconds)\b": (" seconds",),
    r" seconds\b": (" minutes",),
    r" minutes\b": (" hours",),
    r" hours\b": (" days",),
    r" days\b": (" years",),
    r"[ -]?bits?\b": ("-byte",),
    r" ?GB\b": (" MB",),
    r"B\b": ("M",),
    r" ?K\b": ("M",),
    r"M\b": ("B",),
    r" million\b": (" billion",),
    r" billion\b": (" million",),
}


def another_unit(sentence: str, around: Around) -> str:
    """The sentence with another unit behind one of its numbers.

    >>> another_unit("It takes 20 hours.", Around("", (), random.Random(1)))
    'It takes 20 days.'
    """
    found = [
        (match, others) for unit, others in _UNITS.items() for match in re.finditer(rf"(?<![\w-])(?P<number>\d[\d.,]*)(?P<unit>{unit})", sentence)
    ]
    if not found:
        return ""
    match, others = around.order.choice(found)
    return sentence[: match.start("unit")] + around.order.choice(others) + sentence[match.end("unit") :]


# ------------------------------------------------------------------------------------------------- negation and direction

_DENIED = (
    (re.compile(r"\b(does|do|did) not (\w+)"), r"\2"),
    (re.compile(r"\b(is|are|was|were|can|could|has|have|had|will|may|should) not\b"), r"\1"),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\bwithout\b"), "with"),
)
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|will|has been|have been|should)\b(?! (?:not|only|also)\b|['’]t)")
_VERB = re.compile(
    r"\b(outperform|achieve|improve|reduce|enable|provide|require|show|demonstrate|generalize|capture|preserve|introduce|propose|use|allow"
    r"|combine|generate|learn|leverage|maintain|offer|support|yield|exhibit|suffer|rely|depend|address|ensure|converge|scale|exceed"
    r"|enhance|increase|decrease|eliminate|avoid|match|attain|produce|replace)(s|es)\b"
)
_PLURAL = re.compile(
    r"\b(We|we) (show|demonstrate|find|propose|introduce|present|develop|provide|use|study|evaluate|prove|observe|investigate|analyze|train"
    r"|establish|design|validate|apply|identify|release|compare|derive|explore|extend)\b"
)


def denied(sentence: str, _: Around) -> str:
    """The sentence with a denial put in, or taken out where there is one.

    >>> denied("It improves the result.", Around("", (), random.Random(1))), denied("It is not so.", Around("", (), random.Random(1)))
    ('It does not improve the result.', 'It is so.')
    """
    for pattern, without in _DENIED:
        if pattern.search(sentence):
            return pattern.sub(without, sentence, count=1)
    if found := _AUXILIARY.search(sentence):
        return f"{sentence[: found.end()]} not{sentence[found.end() :]}"
    if found := _VERB.search(sentence):
        return f"{sentence[: found.start()]}does not {found.group(1)}{sentence[found.end() :]}"
    return _PLURAL.sub(r"\1 do not \2", sentence, count=1) if _PLURAL.search(sentence) else ""


_TURNS = """improves/worsens improve/worsen improved/worsened improving/worsening improvement/decline improvements/declines outperforms/underperforms
    outperform/underperform outperforming/underperforming reduces/increases reduce/increase reduced/increased reducing/increasing
    reduction/increase increases/decreases increase/decrease increased/decreased increasing/decreasing decreases/increases decrease/increase
    higher/lower lower/higher faster/slower slower/faster better/worse worse/better fewer/more larger/smaller smaller/larger greater/smaller
    stronger/weaker superior/inferior enhances/degrades enhance/degrade enhanced/degraded enhancing/degrading accelerates/slows
    accelerate/slow accelerating/slowing high/low low/high faster/slower efficient/inefficient strong/weak boosts/lowers boost/lower
    maximizes/minimizes maximize/minimize minimizes/maximizes minimize/maximize promotes/inhibits promote/inhibit promoted/inhibited
    inhibits/promotes inhibit/promote inhibited/promoted induces/suppresses induce/suppress induced/suppressed suppresses/induces
    activates/inactivates activation/inhibition inhibition/activation impairs/enhances impaired/enhanced prevents/causes prevent/cause
    causes/prevents protects/endangers blocks/enables lowers/raises worsens/improves shortens/prolongs delays/hastens positively/negatively
    negatively/positively positive/negative negative/positive effective/ineffective ineffective/effective beneficial/harmful essential/needless
    accurate/inaccurate resistant/susceptible sensitive/insensitive less/more downregulated/upregulated upregulated/downregulated
    deficiency/abundance presence/absence absence/presence common/rare rare/common slows/speeds""".split()
_TURNED = dict(turn.split("/") for turn in _TURNS)
_TURNING = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_TURNED, key=len, reverse=True))})(?![\w-])")


def turned(sentence: str, around: Around) -> str:
    """The sentence with a word of direction turned into its opposite.

    >>> turned("It is faster.", Around("", (), random.Random(1)))
    'It is slower.'
    """
    found = list(_TURNING.finditer(sentence))
    if not found:
        return ""
    match = around.order.choice(found)
    return sentence[: match.start()] + _TURNED[match.group()] + sentence[match.end() :]


# ------------------------------------------------------------------------------------------------------ names and endings

_NAME = re.compile(r"(?<![\w-])(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]*(?:-\w+)?|[A-Z]\w*-[A-Z]\w*)(?![\w-])")
_NOT_A_METHOD = frozenset("LLM LLMs AI ML NLP CNN CNNs RNN RNNs GPU GPUs API APIs SOTA II III OOD RL URL PDF".split())


def name_like(text: str) -> list[str]:
    """What looks like the name of a method or a data set, as often as it stands there.

    >>> name_like("We compare NetMoE with GPT-4 on ImageNet and LLMs.")
    ['NetMoE', 'GPT-4', 'ImageNet']
    """
    return [match.group() for match in _NAME.finditer(text) if match.group() not in _NOT_A_METHOD]


def another_method(sentence: str, around: Around) -> str:
    """The sentence with a name in it replaced by one of another abstract."""
    own = sorted(set(name_like(sentence)))
    if not own or not around.names:
        return ""
    name = around.order.choice(own)
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", around.order.choice(around.names), sentence)


_ENDINGS = (
    ", which halves the electricity bill of the data centre",
    ", and it has been in use at several hospitals since last year",
    ", as a survey of two hundred engineers confirms",
    ", which was first suggested by a student of biology",
    ", because the weights are stored on magnetic tape",
    ", although the licence forbids commercial use",
    ", and the authors won a prize for it",
    ", even when the camera is out of focus",
    ", which also makes the network immune to power cuts",
    ", but only on machines with liquid cooling",
    ", and it translates between forty languages",
    ", so that no annotators have to be paid",
    ", as long as the user speaks English",
    ", which explains the behaviour of stock markets",
    ", and the code runs in any web browser",
    ", while the battery of a phone lasts two days longer",
    ", which improves the fairness of credit scoring",
    " and detects forged signatures in bank documents",
    " and predicts earthquakes a week ahead",
    " because the optimizer restarts every night",
    " and was trained on recordings of whales",
    " at a quarter of the price",
    " after a single epoch on a laptop",
    " with the help of human tutors",
)


def prolonged(sentence: str, around: Around) -> str:
    """The sentence with an ending that somebody made up.

    >>> prolonged("It is fast.", Around("", (), random.Random(3)))
    'It is fast, even when the camera is out of focus.'
    """
    return sentence.rstrip(" .!?") + around.order.choice(_ENDINGS) + "."


CHANGES: Mapping[str, Callable[[str, Around], str]] = {
    "number": another_number,
    "unit": another_unit,
    "negation": denied,
    "direction": turned,
    "swapped method": another_method,
    "invented ending": prolonged,
}
