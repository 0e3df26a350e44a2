"""What a person may want to know of each paper: its problem, its method, its data set, ... -> the sentence of the abstract that says it, or none.

An aspect is one of the roles that sentences have, a kind of thing that has its own forms in print (a sample size, a speed-up), or any words. Where
the abstract says nothing of it, nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag_qa import text
from rag_qa.answering import evidence, roles
from rag_qa.answering.evidence import WordSimilarity
from rag_qa.answering.roles import Part, Role
from rag_qa.text import Span, any_of

Score = Callable[[Part], float | None]
"""How well a sentence speaks to an aspect, higher is better; None if it does not."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """What is asked of each paper. `name`: as the person calls it. `scores`: the first that any sentence meets decides which one is quoted."""

    name: str
    scores: tuple[Score, ...]

    def quoted(self, abstract: str, used: Sequence[Span] = ()) -> Span | None:
        """Where an abstract speaks of it; None if it says nothing. A sentence that is `used` is taken for nothing else."""
        free = [part for part in roles.parts(abstract) if part.span not in used]
        for score in self.scores:
            marks = [(mark, part.span) for part in free if (mark := score(part)) is not None]
            if marks:
                return max(marks, key=lambda pair: (round(pair[0], 6), -pair[1].start))[1]
        return None


# --------------------------------------------------------------------------------------------------------------------- roles

_PROPOSES = re.compile(
    r"\b(?:we|i|this (?:paper|work|study|article))\b.{0,60}\b(?:propos|introduc|present|develop|design|devis|formulat|releas|contribut)\w*"
)
_TELLS_RESULT = re.compile(
    r"\b(?:outperform|achiev|improv|significan|reduc|increas|surpass|exceed|associat|superior|prove)\w*|\b(?:found|find|finds|proof) (?!(?:a|an"
    r"|two|three|several|the following)\b)|\d ?%|×|\bp ?[<=>]"
)
_NUMBER = re.compile(r"\d[\d.,]*\s?(?:%|×|x\b|times|-?fold|points?)|\bp ?[<=>]|\bci\b")
_BESIDES = re.compile(r"^(?:we )?(?:further|also|additionally|moreover|in addition|furthermore|finally|lastly)\b")
_NEED = re.compile(
    r"\bhard to\b|\b(?:necessitat|requir|need|challeng|expensive|costly|hinder|limit|difficult|suffer|unclear|unknown|rare|overhead)\w*"
)
_AIMS = re.compile(
    r"\b(?:aim|purpose|objective|goal|whether|sought|hypothes|investigat|explor|examin|assess|determin|understand|evaluat|question)\w*|\bto stud\w+"
)
_CHALLENGE = re.compile(r"\b(?:however|challeng|suffer|lack|fail|unclear|unknown|limited|struggl|difficult|costly|vulnerable)\w*")
_SURE = 0.5  # a role that is less probable is more often wrong than right
_LEANS_OFTEN = 0.35  # what it costs a sentence that its first word points back: alone it can't be understood


def _of_role(role: Role, *prefers: tuple[re.Pattern[str], float], required: re.Pattern[str] | None = None) -> Score:
    """Sentences of a role, those that are surely of it first; a pattern that a sentence has adds its weight."""

    def score(part: Part) -> float | None:
        if part.role is not role or part.sure < _SURE:
            return None
        if required and part.sure < 1.0 and not required.search(part.folded):  # the label of a section is enough
            return None
        preferred = sum(weight * bool(pattern.search(part.folded)) for pattern, weight in prefers)
        return part.sure + preferred - _LEANS_OFTEN * evidence.leans(part.folded)

    return score


_BY_ROLE: Mapping[str, tuple[Score, ...]] = {
    "background": (_of_role(Role.BACKGROUND),),
    "problem": (_of_role(Role.PROBLEM, (_CHALLENGE, 0.5)), _of_role(Role.AIM, required=_AIMS), _of_role(Role.BACKGROUND, required=_NEED)),
    "aim": (_of_role(Role.AIM), _of_role(Role.METHOD, required=_PROPOSES)),
    "method": (_of_role(Role.METHOD, (_PROPOSES, 0.5), (_BESIDES, -0.3)), _of_role(Role.AIM)),
    "result": (_of_role(Role.RESULT, (_TELLS_RESULT, 0.4), (_NUMBER, 0.2)), _of_role(Role.CONCLUSION)),
    "conclusion": (_of_role(Role.CONCLUSION),),
    "limits": (_of_role(Role.LIMIT),),
    "code": (_of_role(Role.AVAILABILITY),),
}


def proposes(folded: str) -> bool:
    """Does a sentence say what its paper proposes?"""
    return bool(_PROPOSES.search(folded))


_CALLED = {
    "problem": "challenge challenges gap motivation",
    "aim": "aims objective objectives goal goals purpose question",
    "method": "methods approach technique how",
    "result": "results finding findings outcome outcomes",
    "conclusion": "conclusions implication implications",
    "limits": "limit limitation limitations weakness weaknesses caveats",
    "background": "context introduction",
    "code": "availability source software github",
}
_SAME = {other: name for name, others in _CALLED.items() for other in others.split()} | {name: name for name in _CALLED}

# ------------------------------------------------------------------------------------------------- kinds with their own forms

_COUNTED = (
    r"(?:patients?|participants?|subjects?|individuals?|women|men|children|adults|infants|cases|controls|samples?|volunteers|people|persons"
    r"|students|respondents"
    r"|mice|rats|animals|deliveries|studies|trials|records|images|documents|sentences|questions|examples|instances|papers|items|users|workers)"
)
_NUMERAL = (
    r"(?:\d[\d,. ]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of thing: what it is called, and how it looks in print. `better`: what a sentence that says it well holds besides."""

    called: re.Pattern[str]
    looks: re.Pattern[str]
    better: re.Pattern[str]


def _kind(called: str, looks: str, better: str = r"\d") -> _Kind:
    return _Kind(re.compile(rf"^(?:the |its )?(?:{called})$"), re.compile(looks), re.compile(better))


_KINDS = (
    _kind(
        r"data|data ?sets?|benchmarks?|corp(?:us|ora)|evaluation data",
        r"\bdata ?sets?\b|\bbenchmarks?\b|\bcorp(?:us|ora)\b|\b(?:imagenet|cifar|mnist|coco|glue|squad|wikitext|atari|mujoco|mimic)\b"
        r"|\b(?:registry|survey|cohort)\b",
        r"\d|\b(?:on|across|over|from|evaluat\w+|using)\b.{0,50}\b(?:data ?sets?|benchmarks?|corp(?:us|ora)|registry|survey|cohort)",
    ),
    _kind(
        r"sample size|number of (?:participants|patients|subjects|cases|samples)|participants|patients|subjects|n|cohort(?: size)?|population",
        rf"\bn ?= ?\d|\b{_NUMERAL} (?:[\w()-]+ ){{0,4}}?{_COUNTED}\b",
        r"\b(?:includ|enrol|recruit|analy[sz]|studi|total|randomi|consist|compris|sample)\w*",
    ),
    _kind(
        r"speed-?ups?|speed|faster|run-?time|latency|efficiency|acceleration|training time|inference time",
        any_of(
            r"\d[\d.,]*\s?(?:×|x\b|times|-?fold)",
            r"\bspeed-?ups?\b|\bfaster\b|\baccelerat\w+|\blatency\b|\bthroughput\b|\brun-?time\b|\b(?:training|inference|computation\w*) time\b"
            r"|\bspeed\b",
        ),
        r"\d[\d.,]*\s?(?:×|x\b|times|-?fold|%)",
    ),
    _kind(
        r"accuracy|performance|scores?|f1|auc|metrics?|numbers?|effect size",
        r"\b(?:accurac\w+|f1|auc|auroc|bleu|rouge|perplexity|precision|recall|error rate|score|success rate|win rate|odds ratio|hazard ratio"
        r"|sensitivity)\b"
        r"|\bor[ =:]+\d",
    ),
    _kind(r"hardware|gpus?|compute|machines?", r"\b(?:gpus?|tpus?|cpus?|a100|h100|v100|nodes?|cores?|edge devices?)\b"),
    _kind(
        r"significance|p-?values?|confidence intervals?|statistics",
        r"\bp ?[<=>] ?\.?\d|\bci\b|confidence interval|statistically significant|\bnot significant\b",
    ),
    _kind(
        r"(?:study )?design|type of study",
        r"\b(?:retrospective\w*|prospective\w*|cross-sectional|cohort|case-control|randomi[sz]ed|double-blind|observational|meta-analysis"
        r"|systematic review|simulat\w+)\b",
        r"\b(?:study|trial|analysis|review)\b",
    ),
    _kind(r"baselines?|compared (?:to|with)|competitors?", r"\b(?:compared (?:to|with)|outperform\w*|baselines?|state-of-the-art|surpass\w*|than)\b"),
    _kind(r"theory|guarantees?|proofs?", r"\b(?:prov(?:e|es|ed|ably)|theoretical\w*|theorem|guarantees?|bounds?|convergence)\b"),
)
_OF_OTHERS = (Role.BACKGROUND, Role.PROBLEM)
"""What such sentences say is said of the work of others: a data set that they name is not the one of the paper."""


def _of_kind(kind: _Kind) -> Score:
    def score(part: Part) -> float | None:
        if part.role in _OF_OTHERS or not kind.looks.search(part.folded):
            return None
        return 1.0 + bool(kind.better.search(part.folded)) - _LEANS_OFTEN * evidence.leans(part.folded)

    return score


# --------------------------------------------------------------------------------------------------------------- free words

_MET = 0.7
"""Share of the words of an aspect that a sentence must meet, a synonym counting less than the word."""
_UNRELATED, _SYNONYMS, _SYNONYM_COUNTS = 0.35, 0.7, 0.8


def _of_words(wanted: Sequence[str], similarity: WordSimilarity | None) -> Score:
    terms = [set(text.word_terms(word)) for word in wanted]
    vectors = similarity(list(wanted)) if similarity else None

    def score(part: Part) -> float | None:
        there = [word.text for word in text.words(part.folded) if word.text not in text.STOPWORDS]
        held = {term for word in there for term in text.word_terms(word)}
        exact = np.array([float(bool(own & held)) for own in terms])
        if similarity is not None and vectors is not None and there:
            near = (vectors @ similarity(there).T).max(axis=1)
            exact = np.maximum(exact, _SYNONYM_COUNTS * np.clip((near - _UNRELATED) / (_SYNONYMS - _UNRELATED), 0.0, 1.0))
        met = float(exact.mean())
        return met - 0.2 * (part.role in _OF_OTHERS) - 0.1 * evidence.leans(part.folded) if met >= _MET else None

    return score


def aspect(name: str, similarity: WordSimilarity | None = None) -> Aspect | None:
    """The aspect that a person calls by a name; None if the name holds no word.

    >>> speed = aspect("speed-up")
    >>> abstract = "Training is slow. We propose NetX, a scheduler. NetX is 1.7× faster than its rivals."
    >>> abstract[slice(*speed.quoted(abstract))]
    'NetX is 1.7× faster than its rivals.'
    >>> aspect("sample size").quoted(abstract) is None
    True
    """
    folded = text.folded(name).strip(" ?.:")
    plain = re.sub(r"^(?:the |its |their )", "", folded)
    if plain in _SAME:
        return Aspect(name, _BY_ROLE[_SAME[plain]])
    if kind := next((kind for kind in _KINDS if kind.called.match(folded)), None):
        return Aspect(name, (_of_kind(kind),))
    wanted = [word.text for word in text.words(folded) if word.text not in text.STOPWORDS]
    return Aspect(name, (_of_words(wanted, similarity),)) if wanted else None


DEFAULT = tuple(Aspect(name, _BY_ROLE[name]) for name in ("problem", "method", "result", "limits"))
"""What a paper is summarised by."""
