"""What kind of thing a question asks for, where abstracts often lack it: a licence, a GPU, a learning rate, an author.

An abstract on the very subject of a question is no answer to it when it does not hold the kind of thing that is asked for. Each demand is
recognised in the question by one pattern and met by a sentence that the other finds; patterns see folded text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_qa.text import any_of, any_word


@dataclass(frozen=True, slots=True)
class Demand:
    """`met_by` None: no abstract ever holds it."""

    name: str
    asked: re.Pattern[str]
    met_by: re.Pattern[str] | None

    def is_met(self, sentences: Sequence[str]) -> bool:
        """Does one of the sentences (folded) hold it?"""
        return self.met_by is not None and any(self.met_by.search(sentence) for sentence in sentences)


def _demand(name: str, asked: str, met_by: str | None) -> Demand:
    return Demand(name, re.compile(asked), re.compile(met_by) if met_by else None)


# ------------------------------------------------------------------------------------------------------------- word lists

_MAKERS = any_of("authors?|creators?|inventors?|researchers", "people behind")
_MADE = any_of("wrote|authored", "developed|invented|created|built|made")
# without May, which is mostly the verb
_MONTHS = any_of("january|february|march|april|june", "july|august|september|october|november|december")
_MACHINES = any_of("hardware|machines?", "gpus?|tpus?|graphics cards?|accelerators?|processors?|chips?")
_MACHINE_NAMES = any_of(
    "[ahv]100|h200|b200|a6000|a40|l40s?|t4|rtx|gtx|[34]090",
    "tpus?|fpgas?|asics?",
    "nvidia|amd|apple|raspberry|jetson",
)
_HYPER_PARAMETERS = any_of("dropout|weight decay|warm-?up", "random seeds?|hyper-?parameters?")
_TIMES = any_of("hours?|days?|minutes?|seconds?|weeks?|months?", "gpu-hours?", "milliseconds?|ms")
_PLACES = any_word("cit(?:y|ies)|countr(?:y|ies)|regions?", "hospitals?")
_TAKE_PART = any_of("participants?|volunteers|subjects|patients|people", "users", "annotators?|raters?")
_TOOK_PART = any_of("took part|participa|recruit|study", "rated|annotat|label|evaluat|tested")
_PARTICIPANTS = any_word("participants?|volunteers|subjects|patients|people|humans?", "users?", "annotators?|raters?")
# In this order they are looked for: the first one that is missing is the one that a refusal names.
_METRICS = (
    *("fid", "bleu", "rouge"),
    *("f1", "auc", "auroc", "recall", "precision"),
    *("perplexity", "psnr", "ssim", "lpips", "wer", "mos", "elo", "ndcg"),
    *("rmse", "mse", "mae", "iou", "miou", "ece", "calibration error"),
    *("inception score", "win[- ]rate", "hit rate", r"pass@\d+", "top-1", "top-5"),
    *("r2", "kappa", "spearman", "pearson"),
)


# --------------------------------------------------------------------------------------------------------------- demands

_WHO_AND_WHEN = (
    _demand(
        "the authors",
        any_of(
            rf"\bwho (?:are|is|were|was) (?:the )?{_MAKERS}",
            rf"\bwho {_MADE}\b",
            r"\b(?:names?|list) (?:of )?(?:the |its )?authors?\b",
            # "how do the authors name their task" asks for another name
            r"(?<!do the )(?<!does the )(?<!did the )\b(?:author names?|authors? names)\b|\bnames? of the authors?|\bfirst author",
            r"^(?:the )?authors? of\b",
        ),
        None,
    ),
    _demand(
        "where the authors work",
        any_of(
            r"\baffiliat|\bwhere do the authors",
            r"\b(?:which|what) (?:universit|institut|lab\b|laborator|compan(?:y|ies) (?:are|is|do|does) the)",
        ),
        None,
    ),
    _demand("a licence", r"\blicen[cs]e", any_of(r"\blicen[cs]e", any_word("apache|gpl|mit", "creative commons|cc[- ]by"))),
    _demand(
        "a date",
        r"^when (?:was|were|did|is)\b|\b(?:what|which) (?:year|date|month)\b",
        any_of(r"(?<!\d)(?:19|20)\d\d(?!\d)", rf"\b{_MONTHS}\b"),
    ),
    _demand("a funder", r"\bfund(?:ed|ing|er)|\bsponsor|\bgrant\b", r"\bfund(?:ed|ing)|\bsponsor|\bgrant\b"),
    _demand("an address", r"\be-?mail\b|\bcontact (?:address|the authors)", "@"),
)
_HOW_IT_WAS_TRAINED = (
    _demand(
        "the kind of GPU",
        any_of(
            rf"\b(?:what|which|kind of|type of|model of) (?:kinds? of |types? of |models? of )?{_MACHINES}\b",
            r"\bgpu (?:type|model)",
        ),
        rf"\b{_MACHINE_NAMES}\b",
    ),
    _demand("hardware", any_word("gpus?|tpus?|graphics cards?"), any_word("gpus?|tpus?|fpgas?", "[ahv]100|rtx|nvidia", "hardware|devices?")),
    _demand("a learning rate", r"\blearning[- ]rates?\b|\bstep[- ]sizes?\b", r"\blearning[- ]rates?\b|\bstep[- ]sizes?\b|\bschedul"),
    _demand("a batch size", r"\b(?:mini-?)?batch[- ]?sizes?\b", r"\bbatch(?:es)?\b"),
    _demand(
        "a number of epochs or steps",
        r"\bepochs?\b|\b(?:training|optimi[sz]ation|gradient) (?:steps|iterations)\b",
        any_word("epochs?|steps|iterations"),
    ),
    _demand("an optimizer", r"\b(?:which|what) optimi[sz]er", any_word("adamw?|sgd|lion|muon|adafactor", "optimi[sz]ers?")),
    _demand(
        "a hyper-parameter",
        any_word(
            _HYPER_PARAMETERS,
            "sampling temperature|temperature (?:is|was|did)",
            "hidden (?:size|dimension|units)|embedding (?:size|dimension)",
            "attention heads (?:does|do|did|has|have)",
        ),
        any_word("dropout|weight decay|warm-?up|temperature", "hidden|dimension(?:s|al)?|heads", "seeds?|hyper-?parameters?"),
    ),
    _demand(
        "a number of layers",
        r"\bhow many (?:\w+ )?layers\b|\bnumber of layers\b",
        r"\b(?:\d+|two|three|four|six|eight|twelve|single|one)[- ](?:\w+ )?layers?\b",
    ),
    _demand(
        "a number of parameters",
        any_of(
            r"\bhow many (?:\w+ )?(?:parameters|weights)\b",
            r"\bparameter count\b|\bnumber of (?:\w+ )?parameters\b",
            r"\bhow (?:big|large) is the (?:model|network)\b|\bmodel sizes?\b",
        ),
        r"\b\d+(?:\.\d+)? ?(?:b|m|bn|billion|million)\b|\bparameters?\b.{0,25}\d|\d.{0,20}\bparameters?\b",
    ),
    _demand(
        "a time",
        any_of(
            r"\bhow long (?:does|did|do|is|was) .*\b(?:take|train|run|last)",
            r"\bhow many (?:hours?|days?|minutes?|seconds?|weeks?|gpu[- ]hours)\b",
            r"(?<!at )(?<!during )\btraining time\b|\b(?:wall-?clock|inference) time\b|\blatency in\b",
        ),
        any_of(rf"\b{_TIMES}\b", r"\btime\b.{0,40}\d|\d.{0,40}\btime\b"),
    ),
    _demand(
        "a price",
        r"\b(?:dollars?|usd|euros?|price|money)\b|\bhow much (?:does|did) .* cost\b",
        r"\$ ?\d|\b(?:dollars?|usd|euros?|price)\b|\bcosts?\b",
    ),
)
_WHERE_AND_WITH_WHOM = (
    _demand(
        "a place",
        any_of(
            rf"\b(?:which|what) {_PLACES}",
            r"\bwhere (?:was|were) (?:the )?(?:data|study|experiments?|measurements?|participants?)\b",
        ),
        _PLACES,
    ),
    _demand(
        "a programming language",
        any_word("programming languages?", "pytorch|tensorflow|jax"),
        r"\b(?:pytorch|tensorflow|jax|python|java|julia|rust|programming languages?|c\+\+)\b",
    ),
    _demand(
        "the number of participants",
        rf"\bhow many (?:human |expert )?{_TAKE_PART}\b.*\b{_TOOK_PART}",
        rf"{_PARTICIPANTS}.*\d|\d.*{_PARTICIPANTS}",
    ),
)


def _called(metric: str) -> str:
    """What a metric is called, from the pattern that finds it.

    >>> [_called(metric) for metric in ("fid", r"pass@\\d+", "win[- ]rate")]
    ['FID', 'pass@k', 'win rate']
    """
    name = metric.replace("[- ]", " ").replace(r"@\d+", "@k")
    return name.upper() if name.isalnum() and len(name) <= 5 else name


# Who does something is no figure, and "I recall" is none either: "What does MoS say of routing?"
_NO_SUBJECT = "".join(rf"(?<!\b{word} )" for word in ("does", "did", "do", "can", "could", "i"))
_FIGURES = tuple(
    _demand(
        f"a figure for {_called(metric)}",
        rf"\b(?:what|which|how (?:high|low|good|much))\b.*{_NO_SUBJECT}\b{metric}\b|^\W*(?:\w+ ){{0,3}}{_NO_SUBJECT}\b{metric}\b",
        rf"\b{metric}(?:-\w+)?\b.*(?<![\w-])\d|(?<![\w-])\d.*\b{metric}\b",  # the digits of "FID-50k" are no figure
    )
    for metric in _METRICS
)
_LIMIT = any_of("limitations?|limits|drawbacks?|weaknesses|shortcomings|downsides?|disadvantages?")
_LIMITS = (
    _demand(
        "its limits",
        rf"\b(?:what|which|name|list|any)\b.{{0,30}}\b{_LIMIT}\b (?:of|does|do|has|have)\b",
        any_word(
            r"limit\w*|drawbacks?|weakness\w*|shortcomings?|downsides?|disadvantages?|trade-?offs?|future work|cannot|can not",
            r"fails? (?:to|on|when|for|in)|struggles?|at the (?:cost|expense)|sensitive|degrad\w*",
        ),
    ),
)
DEMANDS: tuple[Demand, ...] = (*_WHO_AND_WHEN, *_HOW_IT_WAS_TRAINED, *_WHERE_AND_WITH_WHOM, *_LIMITS, *_FIGURES)
"""In the order in which they are looked for."""


def met(question: str, sentences: Sequence[str], *, called: str = "") -> bool:
    """Does a question ask for some of these things, and do the sentences hold all that it asks for (all folded)? `called`: what the paper calls
    what it proposes; that is asked about, and never for.

    >>> met("how many people took part in the study?", ["in a study with 16 participants, ..."])
    True
    """
    asked = _asked(question, called)
    return bool(asked) and all(demand.is_met(sentences) for demand in asked)


def unmet(question: str, sentences: Sequence[str], *, called: str = "") -> str | None:
    """The first thing that a question asks for and none of the sentences holds (all folded), or None. `called`: as for `met`.

    >>> unmet("what learning rate was used?", ["we train for 3 epochs."])
    'a learning rate'
    >>> unmet("elo, its four ideas?", ["we propose elo."]), unmet("elo, its four ideas?", ["we propose elo."], called="elo")
    ('a figure for ELO', None)
    """
    return next((demand.name for demand in _asked(question, called) if not demand.is_met(sentences)), None)


def _asked(question: str, called: str) -> list[Demand]:
    without = re.sub(rf"(?<![\w-]){re.escape(called)}(?![\w-])", "it", question) if called else question
    return [demand for demand in DEMANDS if demand.asked.search(without)]
