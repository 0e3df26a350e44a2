"""What a question asks for: its kind, the words that carry its meaning, and the names in it. Rules, no model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_qa import text


class Kind(StrEnum):
    """What an answer must hold."""

    DEFINITION = "definition"
    NUMBER = "number"
    WHY = "why"
    HOW = "how"
    LIST = "list"
    YES_NO = "yes-no"
    PAPERS = "papers"
    COMPARISON = "comparison"
    OTHER = "other"


_PAPER_NOUN = (
    r"(?:papers?|abstracts?|works?|studies|study|articles?|publications?|authors|methods|approaches|techniques|frameworks|benchmarks|algorithms)"
)
_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (Kind.COMPARISON, r"\b(?:compare|comparison|versus|vs\.?|differences? between|differ\b.*\bfrom|how (?:do|does|is|are) .+ differ)\b"),
        (
            Kind.PAPERS,
            rf"\b(?:which|what|any|find|list|show|name|all)\b(?: \w+){{0,2}} {_PAPER_NOUN}\b(?! of\b)(?=.*\b(?:on|about|that|who|which|with|using|use|uses|deal|deals|address|study|"
            rf"studies|propose|proposes|discuss|consider|work|apply|try|tackle|look|mention|involve|concern|focus|are|have|can|make|introduce|introduces|present|presents|suggest|suggests|describe|describes|offer|offers|apply|applies|build|builds|train|trains)\b)|^(?:papers?|works?|abstracts?|studies) (?:on|about|that|with|using)\b"
            rf"|\b(?:are|is) there (?:\w+ )?{_PAPER_NOUN} (?:on|about|that|for|which|with|using)\b|\bwhat {_PAPER_NOUN} (?:are|is) there\b",
        ),
        (
            Kind.NUMBER,
            r"\b(?:number|percentage|amount) of\b|\bhow (?:many|much|large|big|fast|long|few|often|small|far|high|low|old|deep|close|well)\b|\bby how\b|\bto what extent\b|"
            r"\b(?:what|which)(?:'s| is| was| are| were)? (?:the |its |their |an? |kind of )?(?:\w+[ -]){0,4}?"
            r"(?:percentages?|percent|fraction|share|numbers?|rate|accuracy|speed-?ups?|size|factor|ratio|improvement|gain|reduction|increase|decrease|savings?|cost|count|amount|value|score)\b",
        ),
        (Kind.NUMBER, r"\bwhat(?:'s| is| was) the (?:longest|largest|highest|maximum|max|minimum|smallest|lowest|shortest|biggest|greatest|total)\b"),
        (Kind.WHY, r"\bwhy\b|\bwhat (?:motivate[sd]|causes?|is the (?:reason|motivation|cause))\b|\bfor what reason|\bhow come\b|\breasons?\b"),
        (
            Kind.LIST,
            r"\b(?:which|what|name|list)(?: \w+){0,2} (?:two|three|four|five|six|seven|eight|nine|ten|\d+)\b|"
            r"\bwhat are the\b|\b(?:building blocks|ingredients|components|drawbacks|limitations|parts|pieces|advantages|stages|steps)\b|^(?:list|name|enumerate)\b|\b(?:which|what) (?:\w+ )?(?:\w+s) (?:are|were|do|does|did|can)\b",
        ),
        (
            Kind.DEFINITION,
            r"^(?:so )?(?:what|who)(?:'s| is| are| was) (?:an? |the )?[\w$α-ω. +-]{1,60}\??$|^define\b|\bdefinition of\b|\bstands? for\b|\bmeant by\b|\bwhat does .{1,50} (?:mean|do)\b|^(?:please )?(?:explain|describe)\b|\bmeaning$|\bwhat .{1,40} is\b|\bmean by\b",
        ),
        (Kind.HOW, r"\bhow\b|\bin what way\b|\bby which means\b|\bmechanism\b"),
        (Kind.YES_NO, r"^(?:and |but |so )?(?:is|are|does|do|did|can|could|has|have|had|was|were|will|would|should)\b"),
    )
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart. `words` are folded content words in order, without repetition; `names` those that look like the name of a method,
    `head` those of the phrase after the question word ("which speech data sets")."""

    text: str
    kind: Kind
    words: tuple[str, ...]
    names: tuple[str, ...]
    numbers: frozenset[str]
    head: tuple[str, ...] = ()

    @property
    def wants_name(self) -> bool:
        """Must the answer name something: which data set, what model?"""
        return bool(self.head) and bool(_NAMEABLE.search(" ".join(self.head)))

    @property
    def wants_number(self) -> bool:
        """Must the answer hold a number?"""
        return self.kind is Kind.NUMBER


def analyse(question: str) -> Question:
    """Take a question apart.

    >>> q = analyse("How many GPUs does NetMoE use?")
    >>> q.kind.value, q.words, q.names
    ('number', ('gpus', 'netmoe'), ('netmoe',))
    """
    folded = text.fold(question).text
    words = tuple(dict.fromkeys(text.content_words(question)))
    raw = re.findall(r"[\w\u0370-\u03ff$\\-]+", question)
    # a plural acronym is a word of the field: "GPUs"
    names = tuple(dict.fromkeys(text.fold(token).text for token in raw if text.is_name(token) and not re.fullmatch("[A-Z]+s", token)))
    numbers = frozenset(re.findall(r"\d+(?:[.,]\d+)*", folded))
    return Question(question, _kind(folded), words, names, numbers, _head(folded))


_NAMEABLE = re.compile(
    r"\b(?:data ?sets?|benchmarks?|models?|architectures?|methods?|algorithms?|tools?|modules?|networks?|frameworks?|systems?|corpus|corpora|llms?|languages?|metrics?|baselines?|competitors?|names?|techniques?|"
    r"optimi[sz]ers?|robots?|simulators?|compan(?:y|ies)|gpus?|libraries|games?|platforms?|protocols?)\b"
)
_HEAD = re.compile(
    r"\b(?:which|what|how many|how much|whose)\b(?:'s| is| was| are| were)?((?: (?!(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|the|a|an|that|to|in|on|for|by|with)\b)[\w-]+){1,4})"
)


def _head(folded: str) -> tuple[str, ...]:
    """Content words of the phrase after the question word.

    >>> _head("on which speech datasets was it evaluated?")
    ('speech', 'datasets')
    """
    match = _HEAD.search(folded)
    return tuple(text.content_words(match.group(1))) if match else ()


def _kind(folded: str) -> Kind:
    return next((kind for kind, rule in _RULES if rule.search(folded)), Kind.OTHER)
