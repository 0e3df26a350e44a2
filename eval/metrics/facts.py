"""Does an answer hold the asked facts? Compared as text, after a folding of its own (nothing is shared with the system that is judged)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_MARKER = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")
_TEX_WRAPPER = re.compile(r"\\(?:text|textbf|textit|textsc|texttt|textrm|emph|mathbf|mathrm|mathit|mathcal|tilde|url|left|right)\b")
_TEX_NAMES = {r"\times": "×", r"\sim": "~", r"\approx": "~", "≈": "~", "∼": "~", r"\%": "%", r"\cdot": "·", r"\leq": "≤", r"\geq": "≥"}
_TEX_NAME = re.compile(r"\\(?:times|sim|approx|cdot|leq|geq)\b|\\%|[≈∼]")
_DROPPED = re.compile(r"[$*`{}\\\u00ad\u200b-\u200d\ufeff]")
_BROKEN_WORD = re.compile(r"(?<=[a-z])- (?=[a-z])(?!(?:and|or|to)\b)")
_DASH = re.compile("[‐‑‒–—−]")
_QUOTE = re.compile("[‘’“”]")


def fold(text: str) -> str:
    """The form in which an alias and an answer are compared: NFKC, lower case, single blanks; citation markers, LaTeX $ and other marks of
    LaTeX and Markdown dropped; a word that a PDF broke at a line end joined.

    >>> fold("It is  $1.67 \\\\times$ *faster*, by 30\\\\% [1][2, 3].")
    'it is 1.67× faster, by 30%.'
    """
    text = _TEX_WRAPPER.sub("", unicodedata.normalize("NFKC", text))
    text = _TEX_NAME.sub(lambda match: _TEX_NAMES[match.group()], text)
    text = _DROPPED.sub("", _MARKER.sub("", text))
    text = _QUOTE.sub(lambda match: "'" if match.group() in "‘’" else '"', _DASH.sub("-", text))
    text = " ".join(text.casefold().split())
    text = _BROKEN_WORD.sub("", text)
    return re.sub(r"(?<=\d) (?=[×%])|(?<=~) (?=\d)", "", text)


def stands_in(alias: str, text: str) -> bool:
    """Does an alias stand in a text? It begins where a word begins, and a number in it is the whole number; endings are free ("Hessians"),
    but for names in capitals, which may only take an s ("NFNs", and not "rapidly" for RAPID).

    >>> stands_in("4x", "a 4x speed-up"), stands_in("4x", "a 64x speed-up"), stands_in("Hessian", "the Hessians"), stands_in("1.6", "by 1.67")
    (True, False, True, False)
    """
    wanted = fold(alias)
    before = r"(?<![^\W_])" if wanted[:1].isalnum() else ""
    before += r"(?<!\d[.,])" if wanted[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if wanted[-1:].isdigit() else r"s?(?![^\W_])" if alias.isalpha() and alias.isupper() else ""
    return bool(wanted) and re.search(before + re.escape(wanted) + after, fold(text)) is not None


def groups_met(text: str, groups: Sequence[Sequence[str]]) -> list[bool]:
    """For each group of aliases: does one of them stand in the text?

    >>> groups_met("It beats GIES and PC.", [["GIES"], ["DCDI", "differentiable causal discovery"]])
    [True, False]
    """
    return [any(stands_in(alias, text) for alias in group) for group in groups]


def all_facts(text: str, groups: Sequence[Sequence[str]]) -> float:
    """1 if every group is met, otherwise 0. Range 0 or 1, higher is better. Raises ValueError when there is no group.

    Source: exact-match accuracy over aliases (as in open-domain question answering), for several facts at once.
    """
    if not groups:
        raise ValueError("no fact is asked")
    return float(all(groups_met(text, groups)))


def fact_share(text: str, groups: Sequence[Sequence[str]]) -> float:
    """Groups met / groups. Range 0 to 1, higher is better; nugget recall with every nugget vital. Raises ValueError when there is no group.

    >>> fact_share("It beats GIES and PC.", [["GIES"], ["DCDI"]])
    0.5
    """
    if not groups:
        raise ValueError("no fact is asked")
    met = groups_met(text, groups)
    return sum(met) / len(met)
