"""What a question asks for: its kind, the words that carry its meaning, and the names in it. Rules, no model; they see folded text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_qa import text
from rag_qa.text import any_of, any_word


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
    OVERVIEW = "overview"
    OTHER = "other"


# ------------------------------------------------------------------------------------------------------------- word lists

_PAPER_NOUN = any_of(
    "papers?|abstracts?|works?|studies|study|articles?|publications?",
    "authors",
    "methods|approaches|techniques|frameworks|benchmarks|algorithms",
)
# One of these after the noun asks for papers ("what methods use ..."); without one, the noun belongs to the subject ("what methods?").
_QUALIFIES_PAPERS = any_word(
    "on|about|that|who|which|with|using|use|uses",
    "are|have|can|make|work|try|look",
    "deal|deals|address|study|studies|discuss|consider|tackle|mention|involve|concern|focus",
    "propose|proposes|introduce|introduces|present|presents|suggest|suggests|describe|describes|offer|offers",
    "apply|applies|build|builds|train|trains",
)
_QUANTITY = any_of(
    "percentages?|percent|fraction|share|ratio|rate|factor",
    "numbers?|count|amount|value|size|score",
    "accuracy|speed-?ups?|improvement|gain|reduction|increase|decrease",
    "savings?|cost",
)
_EXTREME = any_of("longest|shortest|largest|smallest|biggest|greatest", "highest|lowest|maximum|max|minimum", "total")
_HOW_MUCH = any_of("many|much|few|little|often", "large|big|small|fast|long|far|high|low|old|deep|close|well")
_SOME = any_of("two|three|four|five|six|seven|eight|nine|ten", r"\d+")
_PIECES = any_word("building blocks|ingredients|components|parts|pieces|stages|steps", "drawbacks|limitations|advantages")
_AUXILIARY = any_of("do|does|did", "is|are|was|were", "has|have|had", "can|could|will|would|should")

_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(alternatives)))
    for kind, alternatives in (
        (
            Kind.COMPARISON,
            (any_word("compare|comparison|versus|vs\\.?", "differences? between", "differ\\b.*\\bfrom", "how (?:do|does|is|are) .+ differ"),),
        ),
        (
            Kind.PAPERS,
            (
                rf"\b(?:which|what|any|find|list|show|name|all)\b(?: \w+){{0,2}} {_PAPER_NOUN}\b(?! of\b)(?=.*{_QUALIFIES_PAPERS})",
                r"^(?:papers?|works?|abstracts?|studies) (?:on|about|that|with|using)\b",
                rf"\b(?:are|is) there (?:\w+ )?{_PAPER_NOUN} (?:on|about|that|for|which|with|using)\b",
                rf"\bwhat {_PAPER_NOUN} (?:are|is) there\b",
            ),
        ),
        (
            Kind.OVERVIEW,
            (
                r"\boverview\b|^(?:please )?summari[sz]e\b|\bsummary of\b|\btell me (?:more )?about\b",
                r"\bwhat (?:is|do we) (?:currently )?known? (?:about|on)\b|\bwhat (?:does|do) .{1,30} say about\b|\bstate of (?:the )?research\b",
            ),
        ),
        (
            Kind.NUMBER,
            (
                r"\b(?:number|percentage|amount) of\b",
                rf"\bhow {_HOW_MUCH}\b",
                r"\bby how\b",
                r"\bto what extent\b",
                rf"\b(?:what|which)(?:'s| is| was| are| were)? (?:the |its |their |an? |kind of )?(?:\w+[ -]){{0,4}}?{_QUANTITY}\b",
                rf"\bwhat(?:'s| is| was) the {_EXTREME}\b",
            ),
        ),
        (
            Kind.WHY,
            (
                r"\bwhy\b",
                r"\bwhat (?:motivate[sd]|causes?|is the (?:reason|motivation|cause))\b",
                r"\bfor what reason",
                r"\bhow come\b",
                r"\breasons?\b",
            ),
        ),
        (
            Kind.LIST,
            (
                rf"\b(?:which|what|name|list)(?: \w+){{0,2}} {_SOME}\b",
                r"\bwhat are the\b",
                _PIECES,
                r"^(?:list|name|enumerate)\b",
                r"\b(?:which|what) (?:\w+ )?(?:\w+s) (?:are|were|do|does|did|can)\b",
            ),
        ),
        (
            Kind.DEFINITION,
            (
                r"^(?:so )?(?:what|who)(?:'s| is| are| was) (?:an? |the )?[\w$α-ω. +-]{1,60}\??$",
                r"\bwhat (?:is|are) (?:it|they|that|this|those)\b\W*$|\bwhat(?:'s| is| are) .{1,60} (?:job|role|purpose)\b",
                r"^define\b|\bdefinition of\b|^(?:please )?(?:explain|describe)\b",
                r"\bstands? for\b|\bmeant by\b|\bmean by\b|\bmeaning$",
                r"\bwhat does .{1,50} (?:mean|do)\b|\bwhat .{1,40} is\b",
                r"^what (?:does|do|did) [\w$α-ω. +-]{1,40} (?:measure|quantify|denote|represent|refer to|describe|capture)\W*$",
            ),
        ),
        (Kind.HOW, (r"\bhow\b", r"\bin what way\b", r"\bby which means\b", r"\bmechanism\b")),
        (Kind.YES_NO, (rf"^(?:and |but |so )?{_AUXILIARY}\b",)),
    )
)
"""The first rule that matches says the kind."""

_NAMEABLE = re.compile(
    any_word(
        "names?|data ?sets?|corpus|corpora|languages?|benchmarks?|metrics?|baselines?|competitors?",
        "models?|llms?|architectures?|networks?|modules?",
        "methods?|algorithms?|techniques?|protocols?|optimi[sz]ers?",
        "encoders?|solvers?|environments?|databases?",
        "tools?|frameworks?|systems?|platforms?|libraries|simulators?|games?|robots?|gpus?|compan(?:y|ies)|brands?|cit(?:y|ies)",
    )
)
# up to four words after the question word, to the first one that ends the phrase
_ENDS_PHRASE = any_of(_AUXILIARY, "the|a|an|that", "to|in|on|for|by|with")
_HEAD = re.compile(
    rf"{any_word('which|what|how many|how much|whose|name|list')}(?:(?:'s| is| was| are| were)? (?:the|its|their|a|an)\b|'s| is| was| are| were)?"
    rf"(?: names? of(?: the)?)?((?: (?!{_ENDS_PHRASE}\b)[\w-]+){{1,4}})"
)


_MARKER = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")  # of a citation: pasted, or asked for, it is no part of what is asked

# Where a clause ends: at a mark, or at a comma before a question.
_CLAUSE_END = re.compile(
    r"[;:.!?—]\s|\s-+\s|,\s(?=(?:and |but |so )?" + any_of("what|which|how|why|who|where|when", "is|are|do|does|can|could") + r"\b)"
)
_CLAUSE_WORDS = 3  # fewer make no clause
_ASKS = re.compile(any_word("what|which|how|why|who|where|when") + r"|^(?:is|are|do|does|did|can|could|has|have)\b", re.IGNORECASE)


# --------------------------------------------------------------------------------------------------------------- analysis


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
        return bool(_NAMEABLE.search(" ".join(self.head)))

    @property
    def wants_number(self) -> bool:
        """Must the answer hold a number?"""
        return self.kind is Kind.NUMBER

    @property
    def asking(self) -> str | None:
        """The clause that holds the question word, the last of several; None if none does.

        >>> analyse("My net is slow, and the GPU is full. How can I prune it?").asking
        'How can I prune it?'
        """
        return next((clause for clause in reversed(_clauses(self.text)) if _ASKS.search(clause)), None)

    @property
    def focus(self) -> str:
        """What is asked, without the circumstances and without the names of methods: the clause that asks, or the last one.

        >>> analyse("My net is slow: how does SeedLM prune it?").focus
        'how does prune it?'
        """
        clause = self.asking or (_clauses(self.text) or [self.text])[-1]
        kept = [token for token in clause.split() if text.fold(token.strip("?,.;:'\"()")).text.removesuffix("'s") not in self.names]
        return " ".join(kept) or self.text


def analyse(question: str) -> Question:
    """Take a question apart.

    >>> q = analyse("How many GPUs does NetMoE use [2]?")
    >>> q.kind.value, q.words, q.names
    ('number', ('gpus', 'netmoe'), ('netmoe',))
    """
    folded = text.fold(question).text
    words = tuple(dict.fromkeys(text.content_words(_MARKER.sub(" ", question))))
    numbers = frozenset(re.findall(r"\d+(?:[.,]\d+)*", folded))
    return Question(question, _kind(folded), words, _names(question), numbers, _head(folded))


def _clauses(question: str) -> list[str]:
    return [clause.strip() for clause in _CLAUSE_END.split(text.joined(question)) if len(clause.split()) >= _CLAUSE_WORDS]


def _names(question: str) -> tuple[str, ...]:
    """Words that look like names, folded. A plural acronym is none, but a word of the field: "GPUs"."""
    return tuple(dict.fromkeys(text.fold(name).text for name in text.names(question)))


def _head(folded: str) -> tuple[str, ...]:
    """Content words of the phrase after the question word.

    >>> _head("on which speech datasets was it evaluated?")
    ('speech', 'datasets')
    """
    match = _HEAD.search(folded)
    return tuple(text.content_words(match.group(1))) if match else ()


def _kind(folded: str) -> Kind:
    return next((kind for kind, rule in _RULES if rule.search(folded)), Kind.OTHER)
