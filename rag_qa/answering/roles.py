"""What each sentence of an abstract does there: it gives the background, names the problem, the aim, a method, a result, a conclusion or a limit.

The label of a section says so where there is one. Otherwise it is read off a few plain features (where the sentence stands, the words by which
authors announce what comes, what was said before), weighted. The weights are fitted on abstracts of two fields; see `python -m eval.fit_roles`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.text import Span, any_of, any_word

Array = NDArray[np.float64]


class Role(StrEnum):
    """What a sentence does in its abstract."""

    BACKGROUND = "background"
    PROBLEM = "problem"
    AIM = "aim"
    METHOD = "method"
    RESULT = "result"
    CONCLUSION = "conclusion"
    LIMIT = "limits"
    AVAILABILITY = "availability"
    """Where code or data can be had: nothing that the paper says of its subject."""


LEARNED = (Role.BACKGROUND, Role.PROBLEM, Role.AIM, Role.METHOD, Role.RESULT, Role.CONCLUSION)
"""Roles that are told apart by the fitted weights; the other two are rare, and a rule knows them by their words."""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of an abstract, `abstract[start:end]` without the label of its section. `sure`: probability of the role, in [0, 1]."""

    span: Span
    folded: str
    role: Role
    sure: float


# ------------------------------------------------------------------------------------------------------------- word lists
# They see folded text.

_CUES: Mapping[str, str] = {
    "problem": any_of(
        r"\bhowever\b|\bunfortunately\b|\bnonetheless\b|^yet\b|^but\b|\bchalleng\w*|\bdifficult\w*|\bhard to\b|\bstruggl\w*|\bsuffer\w*|\black\w*"
        r"|\bfail\w*"
        r"|\bobstacle",
        r"\bremains? (?:\w+ )?(?:unclear|unknown|elusive|open|limited|challenging|under\w*|a major)|\bunclear\b|\bunknown\b"
        r"|\blittle\b.{0,20}\bknown\b",
        r"\bunder-?explored\b|\bunexplored\b|\bunresolved\b|\boverlook\w*|\bneglect\w*|\bcontroversial\b|\bcontradictory\b|\bscarce\w*"
        r"|\bintractable\b",
        r"\bhinder\w*|\bimped\w+|\bprohibitive\w*|\bcostly\b|\bexpensive\b|\bvulnerable\b|\blimitations?\b|\blimited\b|\brestrict\w*|\bbottleneck\w*",
        r"\bnot (?:yet |been |fully |well )+\w+|\bis not\b|\bcannot\b|\bnone of\b|\bfew (?:studies|data)\b|\bcomparative data\b|\bdegrad\w+"
        r"|\bproblem\b",
    ),
    "aim": any_of(
        r"\b(?:aims?|aimed|purposes?|objectives?|goals?)\b.{0,40}\b(?:is|was|were|are|to|of)\b|^(?:to|in order to) \w+",
        r"\bwe (?:aim|sought|seek|wished|wanted|hypothesi[sz]e|speculate|ask|asked|wonder|set out|test the hypothesis|tested the hypothesis)\w*",
        r"\bwe (?:here )?(?:investigate|study|examine|explore|consider|focus|characteri[sz]e|address|revisit|assess|evaluate)\b",
        r"\bthis (?:short )?(?:review|paper|study|article|work)\b.{0,12}\b(?:review|summari[sz]e|investigate|explore|stud|examine|aim|address"
        r"|analy[sz]e|assess|evaluate)\w*",
        r"\bthis review\b|\bwe will summari[sz]e\b|\bwhether\b|\bprompts? us\b|\bmotivat\w+ us\b|\bwe report on\b",
    ),
    "purpose_first": r"^(?:to|in order to) (?!th(?:is|at|ese) )\w+",
    "propose": any_of(
        r"\b(?:we|i|this (?:paper|work|study|article)|paper|work|method|approach)\b.{0,60}\b"
        r"(?:propos|introduc|present|develop|design|devis|formulat|build|construct|creat|collect|curat|leverag|employ|adopt|us)(?:e|es|ed|ing|s)?\b",
        r"\b(?:is|are|was|were) (?:proposed|introduced|designed|developed|presented)\b",
    ),
    "step": any_of(
        r"^(?:specifically|first|firstly|then|next|second|secondly|third|in particular|concretely|to (?:this|that) end|in brief"
        r"|building (?:up)?on|based on)\b",
        r"\bkey (?:idea|ingredient|insight|component)\b|^(?:our|the) (?:key|core|main) (?:idea|ingredient|contribution)",
        r"\b(?:consists?|compris\w+|incorporat\w+|integrat\w+|utili[sz]\w+|leverag\w+|combin\w+|operat\w+ by|works by|jointly|module|is trained"
        r"|optimi[sz]es)\b",
    ),
    "done": any_word(
        r"(?:was|were|been) (?:\w+ ){0,2}(?:performed|measured|analy[sz]ed|used|assessed|collected|enrolled|included|evaluated|compared|reviewed"
        r"|recruited)",
        r"(?:was|were|been) (?:\w+ ){0,2}(?:divided|treated|obtained|calculated|conducted|examined|studied|selected|tested|classified|defined"
        r"|applied|taken)",
        r"(?:was|were) (?:\w+ ){0,2}(?:blocked|exposed|corrected|screened|infected|completed|accessed|imported|administered|investigated"
        r"|determined by|carried out)",
        r"we (?:\w+ )?(?:reviewed|analy[sz]ed|applied|obtained|considered|calculated|measured|enrolled|recruited|collected|performed|compared"
        r"|defined)",
    ),
    "design": any_word(
        "retrospective|prospective|cross-sectional|cohort|case-control|randomi[sz]ed|double-blind|placebo|observational|single-center"
        "|multicent(?:er|re)",
        "regression|t tests?|anova|analysis of variance|immunoblot\\w*|pcr|questionnaires?|surveys?|diagnosed|patients who|aged|registry|database",
    ),
    "result": any_word(
        r"results?|findings?|experiments?|experimental|empirical\w*|extensive|evaluations?",
        r"show(?:s|n|ed)?|demonstrat\w+|reveal\w*|indicat\w+|prov(?:e|es|ed|able|ably)|find|found|observ\w+|detect(?:ed|s)|confirm\w*|identified"
        r"|noted",
        r"outperform\w*|achiev\w+|improv\w+|surpass\w*|superior|state-of-the-art|competitive|effective(?:ness|ly)?|guarantees?|theoretical(?:ly)?"
        r"|bounds?",
    ),
    "statistic": r"\bp ?[<=>]|\bci\b|\bodds ratio\b|\bor [=:]|\d ?%|\bsignifican\w+|\bassociat\w+|\bcorrelat\w+|\bmedian\b|\bmean\b|±|\bn ?= ?\d",
    "change": any_word(
        "higher|lower|increas\\w+|decreas\\w+|reduc\\w+|greater|longer|shorter|worse|better|faster|more frequently|less|no difference"
    ),
    "conclusion": any_of(
        r"\bconclu\w+|^(?:overall|thus|therefore|taken together|together|in summary|in sum|hence|these (?:results|findings|data)|our (?:results"
        r"|findings|data))\b",
        r"\bsuggest\w*|\bhope\w*|\bimplicat\w+|\bimpl(?:y|ies)\b|\bhighlight\w*|\bemphasi[sz]\w+|\bshould\b|\bmay (?:be|help|have|contribute"
        r"|reduce|promote)\b",
        r"\bsheds? (?:new )?light\b|\binsights? into\b|\bpav\w+ the way\b|\bfirst steps?\b|\bfoundation for\b|\bpotential (?:of|to|for)\b"
        r"|\boffers? a\b",
        r"\b(?:this|our) (?:work|study|description|approach) (?:\w+ )?(?:provides?|offers?|extends?|establish\w*|opens?|contributes?)\b"
        r"|\bkey drivers?\b|\bto our knowledge\b",
    ),
    "ours": r"\b(?:we|our|ours|us|here|this (?:paper|work|study|article|review)|the present study|the current study)\b",
    "others": any_of(
        r"\b(?:existing|previous|prior|past|early|earlier|recent(?:ly)?|current|most|many|several|advanced|traditional|conventional|classical) "
        r"(?:\w+ ){0,2}(?:methods?|works?|approach\w*|stud\w+|research|algorithms?|advances|models?|techniques?|efforts?|theor\w+|benchmarks?)\b",
        r"\b(?:recent(?:ly)?|widely|increasingly|commonly|typically|often|usually|emerged|renowned|crucial|fundamental|critical|essential"
        r"|promising)\b",
    ),
    "general": r"\b(?:is|are|has|have|can|plays?)\b",
    "past": r"\b(?:was|were|had|did)\b",
    "number": r"\d",
    "overcome": r"\bto (?:\w+ )?(?:address|overcome|tackle|mitigate|solve|remedy|bridge|fill|alleviate)\b",
    "concession": r"^(?:although|while|despite|though|yet|but|however|nonetheless|nevertheless|unfortunately)\b",
    "link": r"^(?:moreover|furthermore|in addition|additionally|also|finally|lastly|notably|further|besides)\b",
    "named": r"\b(?:it|this method|our method|our approach|our framework|our algorithm|the (?:model|method|framework|algorithm|approach))\b",
    "trial": r"^(?:extensive |our |through |in |with )?(?:extensive |comprehensive |numerical |experimental |empirical )*(?:experiments?|results?"
    "|evaluations?|analys[ei]s)\b|"
    r"^(?:experimentally|empirically|theoretically)\b",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _CUES.items()}

_LIMIT = re.compile(
    any_of(
        r"\b(?:our|this|the present|the current|these) (?:\w+ )?(?:study|work|analysis|approach|method|results?|findings?|data|review"
        r"|evidence)\b.{0,40}"
        r"\b(?:limited|limitations?|limits?|underpowered|preliminary|low quality|cannot|does not|do not allow)\b",
        r"^(?:the )?(?:main |major |key )?limitations?\b",
        r"\blimitations? (?:of|include|includes|to) (?:our|this|the (?:study|present|current|method|approach))",
        r"\b(?:deserves?|warrants?|requires?|merits?|needs?|needed) (?:further|future|more|additional|larger)\b|\bfurther (?:\w+ )?(?:stud(?:y"
        r"|ies)|research|work|trials?|investigations?)"
        r" (?:\w+ )?(?:is|are|will be|to|should|needed|must|remain)\b",
        r"\b(?:small sample|should be interpreted (?:with|cautiously)|interpreted with caution|not generali[sz]\w+ to|larger (?:studies|trials"
        r"|cohorts?) (?:are|is|will))\b",
        r"\bfuture (?:work|research|studies|trials?)\b.{0,30}\b(?:should|will|could|must|is|are|may|needed)\b|\bleft (?:for|to) future\b"
        r"|\bwe (?:also )?discuss (?:the )?limitations",
    )
)
_AVAILABILITY = re.compile(
    r"\b(?:code|source code|dataset|data|demo|implementation|project page|models?|checkpoints?)\b.{0,60}"
    r"\b(?:available|released?|publicly|open-?sourced?|accessed|found) (?:at|here|on|online|upon|under|via|in)\b"
    r"|\b(?:code|source code|demo|implementation)\b.{0,40}\b(?:available|released|publicly|open-?sourced?)\b|https?://|github\.com"
    r"|\bprovide an open implementation\b"
)
_LIMITS_FROM = 0.4
"""A limit of the paper's own is not told before this share of the abstract; what is limited earlier is the work of others."""

# ------------------------------------------------------------------------------------------------------------ section labels

_LABEL = re.compile(r"(?P<label>[A-Z][^:.!?\n]{1,78}?)\s?[:：]\s(?=\S)")
_LABELLED: Sequence[tuple[Role, str]] = (
    (Role.LIMIT, r"limitation"),
    (Role.AVAILABILITY, r"availability|registration|funding|contact"),
    (Role.CONCLUSION, r"conclusion|interpretation|implication|discussion|significance|relevance|meaning|impact|recommendation|lessons|messages"),
    (Role.RESULT, r"result|findings?|outcome"),
    (
        Role.METHOD,
        r"method|design|setting|patients|participants|subjects|intervention|material|measure|procedure|data|approach|sample|search|selection|exposure"
        r"|population|extraction|protocol|statistic|synthesis",
    ),
    (Role.AIM, r"objective|aim|purpose|goal|hypothes|question|scope"),
    (Role.PROBLEM, r"problem|rationale|challenge|motivation"),
    (Role.BACKGROUND, r"background|introduction|context|importance|overview"),
)


def role_of_label(label: str) -> Role | None:
    """What the sentences of a section do; None for a label that says nothing of it, or promises two things ("methods and results").

    >>> role_of_label("MATERIALS AND METHODS"), role_of_label("Methods and findings"), role_of_label("BACKGROUND & AIMS")
    (<Role.METHOD: 'method'>, None, None)
    """
    folded = text.folded(label)
    found = [role for role, pattern in _LABELLED if re.search(rf"\b(?:{pattern})", folded)]
    if found[:1] == [Role.RESULT] and "outcome" in folded and "measure" in folded:
        return Role.METHOD
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------------------------------------------------------- features

FEATURES = (
    "bias",
    *_PATTERNS,
    *("first", "second", "last", "last_but_one", "position", "position_squared"),
    *("ours_before", "propose_before", "result_before", "done_before", "problem_just_before", "result_just_before", "conclusion_just_before"),
    *("length", "result_ours", "propose_ours", "problem_early", "general_early", "result_late", "conclusion_late", "done_no_statistic"),
)
"""Names of the features of a sentence; all lie between 0 and 1."""


def features(folded: Sequence[str]) -> Array:
    """Features of the sentences of one abstract, folded, shape (sentences, len(FEATURES))."""
    cues = [{name: float(bool(pattern.search(one))) for name, pattern in _PATTERNS.items()} for one in folded]
    rows = [_row(cues, folded[i], i) for i in range(len(folded))]
    return np.array([[row[name] for name in FEATURES] for row in rows], float).reshape(len(rows), len(FEATURES))


def _row(cues: Sequence[Mapping[str, float]], folded: str, i: int) -> dict[str, float]:
    own, size = cues[i], len(cues)
    at = i / max(1, size - 1)
    return {
        "bias": 1.0,
        **own,
        "first": float(i == 0),
        "second": float(i == 1),
        "last": float(i == size - 1),
        "last_but_one": float(i == size - 2),
        "position": at,
        "position_squared": at * at,
        "length": min(1.0, len(folded) / 300),
        **_before(cues, i),
        "result_ours": own["result"] * own["ours"],
        "propose_ours": own["propose"] * own["ours"],
        "problem_early": own["problem"] * (1 - at),
        "general_early": own["general"] * (1 - own["ours"]) * (1 - at),
        "result_late": own["result"] * at,
        "conclusion_late": own["conclusion"] * at,
        "done_no_statistic": own["done"] * (1 - own["statistic"]),
    }


def _before(cues: Sequence[Mapping[str, float]], i: int) -> dict[str, float]:
    """What was said before: an abstract seldom goes back from its results to the background."""
    just: Mapping[str, float] = cues[i - 1] if i else dict.fromkeys(_PATTERNS, 0.0)
    return {
        "ours_before": max((one["ours"] for one in cues[:i]), default=0.0),
        "propose_before": max((one["propose"] * one["ours"] for one in cues[:i]), default=0.0),
        "result_before": max((one["result"] * one["ours"] + one["statistic"] * one["past"] > 0 for one in cues[:i]), default=False) * 1.0,
        "done_before": max((one["done"] for one in cues[:i]), default=0.0),
        "problem_just_before": just["problem"],
        "result_just_before": just["result"],
        "conclusion_just_before": just["conclusion"],
    }


# ------------------------------------------------------------------------------------------------------------------- roles

_SHIPPED = Path(__file__).with_name("role_weights.json")


def parse(content: str) -> Array:
    """Weights from JSON (feature -> role -> weight), shape (len(FEATURES), len(LEARNED)); a feature that is not named counts nothing."""
    known: Mapping[str, Mapping[str, float]] = json.loads(content)
    if unknown := set(known) - set(FEATURES):
        raise ValueError(f"weights of features that do not exist: {', '.join(sorted(unknown))}")
    return np.array([[known.get(name, {}).get(role, 0.0) for role in LEARNED] for name in FEATURES], float)


@cache
def shipped() -> Array:
    """The weights that come with the program."""
    return parse(_SHIPPED.read_text(encoding="utf-8"))


def probabilities(folded: Sequence[str], weights: Array) -> Array:
    """Of each learned role for each sentence of one abstract, shape (sentences, len(LEARNED)); a row sums up to 1."""
    scores = features(folded) @ weights
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = odds / odds.sum(axis=1, keepdims=True)
    return shares


@lru_cache(maxsize=4096)
def parts(abstract: str) -> tuple[Part, ...]:
    r"""The sentences of an abstract, each with its role.

    >>> [part.role.value for part in parts("BACKGROUND: Tides turn.\nMETHODS: We looked at 9 bays.\nCONCLUSIONS: They do.")]
    ['background', 'method', 'conclusion']
    """
    pieces = list(_pieces(abstract))
    folded = [text.folded(abstract[span.start : span.end]) for _, span in pieces]
    if not pieces:
        return ()
    shares = probabilities(folded, shipped())
    return tuple(
        Part(span, one, *_role(label, one, i / max(1, len(pieces) - 1), share))
        for i, ((label, span), one, share) in enumerate(zip(pieces, folded, shares, strict=True))
    )


def _role(label: str, folded: str, position: float, shares: Array) -> tuple[Role, float]:
    labelled = role_of_label(label) if label else None
    if _AVAILABILITY.search(folded):
        return Role.AVAILABILITY, 1.0
    if (labelled is None or labelled is Role.CONCLUSION) and position >= _LIMITS_FROM and _LIMIT.search(folded):
        return Role.LIMIT, 1.0
    if labelled is not None:
        return labelled, 1.0
    best = int(shares.argmax())
    return LEARNED[best], round(float(shares[best]), 6)


def _pieces(abstract: str) -> Iterator[tuple[str, Span]]:
    """Sentences without the label of their section, each with that label ("" if there is none)."""
    label = ""
    for line in _sections(abstract):
        opening = _LABEL.match(abstract, line.start, line.end)
        is_one = opening is not None and (line.start > 0 or "\n" in abstract) and role_of_label(opening["label"]) is not None
        known = opening is not None and "\n" in abstract
        label = opening["label"] if opening and known else label
        start = opening.end() if opening and (is_one or known) else line.start
        for span in text.sentences(abstract[start : line.end]):
            yield label, Span(start + span.start, start + span.end)


def _sections(abstract: str) -> Iterator[Span]:
    """The lines of an abstract that begin with a label, each with what follows up to the next one."""
    starts = [match.end() for match in re.finditer(r"\n", abstract) if _LABEL.match(abstract, match.end())]
    borders = [0, *starts, len(abstract)]
    yield from (Span(start, end) for start, end in pairwise(borders) if abstract[start:end].strip())
