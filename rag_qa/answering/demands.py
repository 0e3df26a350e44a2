"""What kind of thing a question asks for, where abstracts often lack it: a licence, a GPU, a learning rate, an author.

An abstract on the very subject of a question is no answer to it when it does not hold the kind of thing that is asked for. Each demand is
recognised in the question by one pattern and met by a sentence that the other finds; patterns see folded text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Demand:
    """`met_by` None: no abstract ever holds it."""

    name: str
    asked: re.Pattern[str]
    met_by: re.Pattern[str] | None


def _demand(name: str, asked: str, met_by: str | None) -> Demand:
    return Demand(name, re.compile(asked), re.compile(met_by) if met_by else None)


_UNIT_OF_TIME = r"\b(?:hours?|days?|minutes?|seconds?|weeks?|months?|gpu-hours?|milliseconds?|ms)\b"
_METRICS = (
    "fid", "bleu", "rouge", "f1", "auc", "auroc", "recall", "precision", "perplexity", "psnr", "ssim", "lpips", "wer", "mos", "elo", "ndcg", "rmse", "mse", "mae", "iou",
    "miou", "ece", "calibration error", "inception score", "win[- ]rate", "hit rate", "pass@\\d+", "top-1", "top-5", "r2", "kappa", "spearman", "pearson",
)  # fmt: skip

DEMANDS: tuple[Demand, ...] = (
    _demand(
        "the authors",
        r"\bwho (?:are|is|were|was) (?:the )?(?:authors?|creators?|inventors?|people behind|researchers)|\bwho (?:wrote|authored|developed|invented|created|built|made)\b|\b(?:names?|list) (?:of )?(?:the |its )?authors?\b|\bauthors? names?\b|^(?:the )?authors? of\b|\bnames? of the authors?|\bfirst author",
        None,
    ),
    _demand(
        "where the authors work",
        r"\baffiliat|\b(?:which|what) (?:universit|institut|lab\b|laborator|compan(?:y|ies) (?:are|is|do|does) the)|\bwhere do the authors",
        None,
    ),
    _demand("a licence", r"\blicen[cs]e", r"\blicen[cs]e|\bapache\b|\bgpl\b|\bcreative commons\b|\bcc[- ]by\b|\bmit\b"),
    _demand(
        "a date",
        r"^when (?:was|were|did|is)\b|\b(?:what|which) (?:year|date|month)\b",
        r"(?<!\d)(?:19|20)\d\d(?!\d)|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    ),
    _demand("a funder", r"\bfund(?:ed|ing|er)|\bsponsor|\bgrant\b", r"\bfund(?:ed|ing)|\bsponsor|\bgrant\b"),
    _demand("an address", r"\be-?mail\b|\bcontact (?:address|the authors)", r"@"),
    _demand(
        "the kind of GPU",
        r"\b(?:what|which|kind of|type of|model of) (?:kinds? of |types? of |models? of )?(?:gpus?|tpus?|graphics cards?|accelerators?|hardware|machines?|processors?|chips?)\b|\bgpu (?:type|model)",
        r"\b(?:[ahv]100|h200|b200|a6000|a40|l40s?|t4|rtx|gtx|tpus?|nvidia|amd|apple|fpgas?|asics?|raspberry|jetson|[34]090)\b",
    ),
    _demand("hardware", r"\b(?:gpus?|tpus?|graphics cards?)\b", r"\b(?:gpus?|tpus?|[ahv]100|rtx|nvidia|hardware|devices?|fpgas?)\b"),
    _demand("a learning rate", r"\blearning[- ]rates?\b|\bstep[- ]sizes?\b", r"\blearning[- ]rates?\b|\bstep[- ]sizes?\b|\bschedul"),
    _demand("a batch size", r"\b(?:mini-?)?batch[- ]?sizes?\b", r"\bbatch(?:es)?\b"),
    _demand(
        "a number of epochs or steps",
        r"\bepochs?\b|\b(?:training|optimi[sz]ation|gradient) (?:steps|iterations)\b",
        r"\b(?:epochs?|steps|iterations)\b",
    ),
    _demand("an optimizer", r"\b(?:which|what) optimi[sz]er", r"\b(?:adamw?|sgd|lion|muon|adafactor|optimi[sz]ers?)\b"),
    _demand(
        "a hyper-parameter",
        r"\b(?:dropout|weight decay|warm-?up|sampling temperature|temperature (?:is|was|did)|hidden (?:size|dimension|units)|embedding (?:size|dimension)|random seeds?|hyper-?parameters?|attention heads (?:does|do|did|has|have))\b",
        r"\b(?:dropout|weight decay|warm-?up|temperature|hidden|dimension(?:s|al)?|seeds?|hyper-?parameters?|heads)\b",
    ),
    _demand(
        "a number of layers",
        r"\bhow many (?:\w+ )?layers\b|\bnumber of layers\b",
        r"\b(?:\d+|two|three|four|six|eight|twelve|single|one)[- ](?:\w+ )?layers?\b",
    ),
    _demand(
        "a number of parameters",
        r"\bhow many (?:\w+ )?(?:parameters|weights)\b|\bparameter count\b|\bnumber of (?:\w+ )?parameters\b|\bhow (?:big|large) is the (?:model|network)\b|\bmodel sizes?\b",
        r"\b\d+(?:\.\d+)? ?(?:b|m|bn|billion|million)\b|\bparameters?\b.{0,25}\d|\d.{0,20}\bparameters?\b",
    ),
    _demand(
        "a time",
        r"\bhow long (?:does|did|do|is|was) .*\b(?:take|train|run|last)|(?<!at )(?<!during )\btraining time\b|\bhow many (?:hours?|days?|minutes?|seconds?|weeks?|gpu[- ]hours)\b|\b(?:wall-?clock|inference) time\b|\blatency in\b",
        _UNIT_OF_TIME + r"|\btime\b.{0,40}\d|\d.{0,40}\btime\b",
    ),
    _demand(
        "a price",
        r"\b(?:dollars?|usd|euros?|price|money)\b|\bhow much (?:does|did) .* cost\b",
        r"\$ ?\d|\b(?:dollars?|usd|euros?|price)\b|\bcosts?\b",
    ),
    _demand(
        "a place",
        r"\b(?:which|what) (?:cit(?:y|ies)|countr(?:y|ies)|hospitals?|regions?)\b|\bwhere (?:was|were) (?:the )?(?:data|study|experiments?|measurements?|participants?)\b",
        r"\b(?:cit(?:y|ies)|countr(?:y|ies)|hospitals?|regions?)\b",
    ),
    _demand(
        "a programming language",
        r"\bprogramming languages?\b|\b(?:pytorch|tensorflow|jax)\b",
        r"\b(?:pytorch|tensorflow|jax|python|java|julia|rust|programming languages?|c\+\+)\b",
    ),
    _demand(
        "participants",
        r"\bhow many (?:human |expert )?(?:participants?|annotators?|raters?|users|volunteers|patients|subjects|people)\b.*\b(?:study|rated|annotat|took part|tested|evaluat|recruit|label|participa)",
        r"\b(?:participants?|annotators?|raters?|users?|volunteers|patients|subjects|people|humans?)\b.*\d|\d.*\b(?:participants?|annotators?|raters?|users?|volunteers|patients|subjects|people|humans?)\b",
    ),
    *(
        _demand(
            f"a figure for {name.split('[')[0].upper()}",
            rf"\b(?:what|which|how (?:high|low|good|much))\b.*\b{name}\b|^\W*(?:\w+ ){{0,3}}{name}\b",
            rf"\b{name}(?:-\w+)?\b.*\d|\d.*\b{name}\b",
        )
        for name in _METRICS
    ),
)


def met(question: str, sentences: Sequence[str]) -> bool:
    """Does a question ask for one of these things, and does a sentence hold it (all folded)?

    >>> met("how many people took part in the study?", ["in a study with 16 participants, ..."])
    True
    """
    asked = [demand for demand in DEMANDS if demand.asked.search(question)]
    return bool(asked) and all(demand.met_by and any(demand.met_by.search(sentence) for sentence in sentences) for demand in asked)


def unmet(question: str, sentences: Sequence[str]) -> str | None:
    """What a question asks for and none of the sentences holds (all folded), or None.

    >>> unmet("what learning rate was used?", ["we train for 3 epochs."])
    'a learning rate'
    """
    for demand in DEMANDS:
        if demand.asked.search(question) and not (demand.met_by and any(demand.met_by.search(sentence) for sentence in sentences)):
            return demand.name
    return None
