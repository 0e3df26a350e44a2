"""THE definition of folded text, word, term and sentence.

Chunking, keyword search, answering and grounding all read text through this module, so that a word that one of them finds is a word for
all of them. Every function keeps character offsets into the text as it was read: what is shown as evidence is always a slice of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import Stemmer

# ---------------------------------------------------------------------------------------------------------------- folding

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma",
    "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_PUNCTUATION = {
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": " - ", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "′": "'",
    "\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u2060": "",
}  # fmt: skip
_LATEX = {
    r"\times": "×", r"\%": "%", r"\sim": "~", r"\approx": "~", r"\pm": "±", r"\leq": "≤", r"\le": "≤", r"\geq": "≥", r"\ge": "≥",
    r"\cdot": "·", r"\&": "&", r"\_": "_", r"\#": "#", r"\$": "$",
}  # fmt: skip
_WRAPPERS = re.compile(
    r"\\(?:text|textbf|textit|textsc|texttt|textrm|emph|mathbf|mathrm|mathit|mathcal|mathbb|tilde|hat|bar|url|operatorname)\b\s*\{?"
)
_TAGS = re.compile(r"</?(?:i|b|em|strong|sub|sup|scp|p|jats:[a-z]+|mml:[a-z]+)>", re.IGNORECASE)
# A word broken at a line end of a PDF: "at- tention". Not "3- and 4-bit", "inter- and intra-layer".
_BROKEN = re.compile(r"(?<=[^\W\d_])-[ \t]*(?:\r\n|[ \n\r])[ \t]*(?=[a-z])(?!(?:and|or|to|nor|vs|versus|but|as|the)\b)")


@dataclass(frozen=True, slots=True)
class Folded:
    """Text in its compared form. `starts[i]:ends[i]` is the slice of the original that made character i."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a slice of the folded text stands in the original."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=16384)
def fold(text: str) -> Folded:
    """Compared form of a text: NFKC, lower case, one blank for any white space, plain quotes and hyphens, Greek letters and common LaTeX by
    name, Markdown and TeX marks dropped, words that a PDF broke at a line end joined.

    >>> fold("Empirical ev-  idence: $\\\\alpha$-SVRG is $1.67 \\\\times$ faster").text
    'empirical evidence: alpha-svrg is 1.67× faster'
    """
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, piece in _pieces(text):
        for char in unicodedata.normalize("NFKC", piece).casefold():
            char = " " if char.isspace() else char
            # one blank at most, and none in front of × or %: "1.67 ×" and "1.67×" are the same
            if char == " " and (not out or out[-1] == " "):
                continue
            if char in "×%" and out and out[-1] == " " and len(out) > 1 and out[-2].isdigit():
                out.pop(), starts.pop(), ends.pop()
            out.append(char)
            starts.append(start)
            ends.append(end)
    while out and out[-1] == " ":
        out.pop(), starts.pop(), ends.pop()
    return Folded("".join(out), starts, ends)


_SPECIAL = re.compile(r"[\\$*`‐-―−‘’“”′\u00ad\u200b-\u200d\ufeff\u2060\u0370-\u03ff<{}-]")


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Slices of the text and what stands for each: most characters stand for themselves."""
    i, size = 0, len(text)
    while i < size:
        char = text[i]
        if not _SPECIAL.match(char):
            yield i, i + 1, char
            i += 1
            continue
        length, piece = _special(text, i)
        if piece:
            yield i, i + length, piece
        i += length


def _special(text: str, i: int) -> tuple[int, str]:
    """How many characters from i on belong together, and what stands for them."""
    char = text[i]
    if char == "-" and (broken := _BROKEN.match(text, i)):
        # "state-of- the-art": the hyphen belongs to the word, only the blank goes
        inside_compound = re.search(r"[^\W\d_]-[^\W\d_]+$", text[max(0, i - 24) : i])
        return broken.end() - i, "-" if inside_compound else ""
    if char == "<" and (tag := _TAGS.match(text, i)):
        return tag.end() - i, ""
    if char == "\\":
        if wrapper := _WRAPPERS.match(text, i):
            return wrapper.end() - i, ""
        if macro := re.compile(r"\\(?:[A-Za-z]+|[%&_#$])").match(text, i):
            name = macro.group()
            return len(name), _LATEX.get(name, name[1:])
        return 1, ""
    if char in "$*`{}":
        return 1, ""
    lower = char.lower()
    return 1, _GREEK.get(lower, _PUNCTUATION.get(char, char))


def first_words(text: str, limit: int = 9) -> str:
    """The beginning of a text, to tell it from others.

    >>> first_words("Rank collapse, a phenomenon where embedding vectors in sequence models rapidly converge", 5)
    'Rank collapse, a phenomenon where…'
    """
    words = text.split()
    return " ".join(words[:limit]).rstrip(".,;:") + ("…" if len(words) > limit else "")


# ---------------------------------------------------------------------------------------------------------- words and terms


class Word(NamedTuple):
    """A word of a folded text; `start:end` is its slice of the folded text."""

    text: str
    start: int
    end: int


_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['-][^\W_]+)*")


def words(folded: str) -> list[Word]:
    """Words of a folded text, compounds whole.

    >>> [w.text for w in words("dp-cate's gain of 1.67× is new")]
    ['dp-cate', 'gain', 'of', '1.67', 'is', 'new']
    """
    found = []
    for match in _WORD.finditer(folded):
        word = match.group()
        if word.endswith("'s"):
            word = word[:-2]
        found.append(Word(word, match.start(), match.start() + len(word)))
    return found


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The word without its ending (Snowball English). British spellings fall together with American ones.

    >>> stem("matching") == stem("matches"), stem("generalisation") == stem("generalization")
    (True, True)
    """
    american = re.sub(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)", "iz", word)
    american = re.sub(r"(?<=[a-z]{2})our(?=s?$|al|ed|ing|able)", "or", american) if len(word) > 5 else american
    return str(_stemmer().stemWord(american))


def word_terms(word: str) -> tuple[str, ...]:
    """What a word is searched by: its stem, and for a compound also the stems of its parts.

    >>> word_terms("k-means")
    ('kmean', 'k', 'mean')
    """
    if "-" not in word:
        return (stem(word),)
    parts = [part for part in word.split("-") if part]
    return (stem("".join(parts)), *(stem(part) for part in parts))


def terms(text: str) -> list[str]:
    """All search terms of a text, in order, with repetition.

    >>> terms("Gained at- tention in k-means")
    ['gain', 'attent', 'in', 'kmean', 'k', 'mean']
    """
    return [term for word in words(fold(text).text) for term in word_terms(word.text)]


STOPWORDS = frozenset(
    """a about above after again against all also although am an and any are as at be because been before being below between both but by can
    could did do does doing done down during each either else ever every few for from further get gets give given gives got had has have
    having he her here hers him his how however i if in into is it its itself just let like made make makes many may me might more most much must
    my neither no nor not now of off on once one only or other our out over own per please same she should so some such than that the their
    them then there therefore these they this those though through thus to together too toward towards under until up upon us use used uses using very via was
    we well were what whatever when where whether which while who whom whose why will with within without would yes yet you your""".split()
)
# Words of a question that say what kind of answer is wanted, or that papers are meant, and not what about.
QUESTION_WORDS = frozenset(
    """abstract abstracts article articles author authors paper papers work works study studies publication publications research researchers tell explain describe
    summarise summarize summary name list show find know say says said state states stated report reports reported mention mentions mentioned called
    propose proposes proposed present presents presented introduce introduces introduced achieve achieves achieved exactly actually kind kinds type types sort
    thing things deal deals discuss discusses discussed concern concerns talk talks want need understand mean means meant anything something someone anyone there's what's who's
    hi hello hey thanks thank according question answer does different new novel main key idea ideas come comes contribute contributes contribution contributions several trick way ways manage manages role play plays people somebody someone
    else""".split()
)


def content_words(text: str) -> list[str]:
    """Folded words that carry meaning: no stop words, no words that only make a question of it.

    >>> content_words("What is the paper on k-means about?")
    ['k-means']
    """
    return [w.text for w in words(fold(text).text) if w.text not in STOPWORDS and w.text not in QUESTION_WORDS]


# ---------------------------------------------------------------------------------------------------------------- sentences


class Span(NamedTuple):
    """A slice of a text."""

    start: int
    end: int


_ABBREVIATIONS = frozenset(
    """al approx asst ave ca cf ch chap col comp corp dept diff dr ed eds eq eqs esp est et etc ex fig figs gen govt hon i.e inc incl jr lemma lt ltd max
    min mr mrs ms mt no nos nr p pp prof prop ref refs resp sec sect sen sr st str supp tab thm univ viz vol vols vs e.g i.i.d w.r.t s.t a.k.a u.s
    u.k d.c ph.d m.sc b.sc a.m p.m spp sp subsp var cv""".split()
)  # fmt: skip
# Abbreviations that often end a sentence: only a capital that begins an ordinary sentence starts a new one after them.
_OFTEN_LAST = frozenset({"etc", "al", "i.i.d", "inc", "ltd", "corp", "u.s", "u.k", "a.m", "p.m", "ph.d"})
_BOUNDARY = re.compile(r"[.!?…。！？]+[\"'”’)\]}$*]*(?=\s|$)|[。！？]|\n[ \t]*\n")  # noqa: RUF001
_STARTER = re.compile(r"[\"'“‘(\[{$*]*(?:[A-Z\d\u0370-\u03ff$\\]|[^\W\da-z_])")
_ENUMERATOR = re.compile(r"(?:^|\s)(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4}))$")


@lru_cache(maxsize=16384)
def sentences(text: str) -> tuple[Span, ...]:
    """Sentences of a text as slices of it, without the white space around them; together they hold every other character.

    >>> t = "It holds (e.g. for Fig. 2). See Smith et al. (2020). 1) We go on."
    >>> [t[a:b] for a, b in sentences(t)]
    ['It holds (e.g. for Fig. 2).', 'See Smith et al. (2020).', '1) We go on.']
    """
    spans: list[Span] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match.end() > start and _ends_sentence(text, start, match):
            _append(spans, text, start, match.end())
            start = match.end()
    _append(spans, text, start, len(text))
    return tuple(spans)


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark.isspace() or mark[0] in "。！？":  # noqa: RUF001
        return True
    following = text[match.end() :].lstrip()
    if not following:
        return True
    before = text[start : match.start()]
    if before.count("(") > before.count(")") + mark.count(")") and ")" in text[match.end() : match.end() + 300]:
        return False  # inside a parenthesis
    if not _STARTER.match(following):
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    last = re.search(r"[\w.]*$", before)
    token = last.group().lower().strip(".") if last else ""
    if _ENUMERATOR.search(before) and len(token) <= 2 and not before[-1:].isdigit():
        return False
    if len(token) == 1 and token.isalpha() and before[-1:].isupper():
        return False  # an initial: "J. Smith"
    if token in _OFTEN_LAST:
        return bool(re.match(r"[A-Z][a-z]*\b", following)) and following.split()[0].lower() in _SENTENCE_OPENERS
    return token not in _ABBREVIATIONS


_SENTENCE_OPENERS = frozenset(
    "the this these that those we our it its in on for to a an however moreover furthermore finally additionally here to by as with while when there they such both".split()
)

# ---------------------------------------------------------------------------------------------------------------- acronyms

_SHORT_FORM = re.compile(r"\(\s*([A-Za-z][\w-]{1,11}?)(?:s|'s)?\s*[),;]")


def acronyms(text: str) -> dict[str, tuple[str, ...]]:
    """Short forms that a text explains, folded, with the folded words that they stand for.

    The first letters of the words before the bracket must spell the short form.

    >>> acronyms("We speed up mixture of experts (MoE) with graph neural networks (GNNs).")
    {'moe': ('mixture', 'of', 'experts'), 'gnn': ('graph', 'neural', 'networks')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for match in _SHORT_FORM.finditer(text):
        short = match.group(1)
        if sum(c.isupper() for c in short) >= 2 and (long := _spelled(text[max(0, match.start() - 120) : match.start()], short)):
            found.setdefault(fold(short).text, long)
    return found


def _spelled(before: str, short: str) -> tuple[str, ...]:
    parts = [part for word in words(fold(before).text) for part in word.text.split("-") if part]
    letters = [c.lower() for c in short if c.isalnum()]
    for length in range(max(1, len(letters) - 2), len(letters) + 4):
        tail = parts[-length:]
        if len(tail) == length and tail[0][0] == letters[0] and _subsequence(letters, [w for w in tail]):
            return tuple(tail)
    return ()


def _subsequence(letters: Sequence[str], tail: Sequence[str]) -> bool:
    """Do the letters stand in the words in order, each word's first letter being used unless it is a small word?"""
    rest = list(letters)
    for word in tail:
        if rest and word[0] == rest[0]:
            rest.pop(0)
            # further letters from inside the word: "eXperT"
            at = 1
            while rest and (more := word.find(rest[0], at)) > 0 and len(rest) > sum(1 for w in tail[tail.index(word) + 1 :] if w not in STOPWORDS):
                rest.pop(0)
                at = more + 1
        elif word not in STOPWORDS:
            return False
    return not rest


# ------------------------------------------------------------------------------------------------------------------- names

_NAME = r"(?:\$\\?[A-Za-z]+\$|[\w\u0370-\u03ff])(?:[\w\u0370-\u03ff+]|-(?=\w)|\.(?=\d))*"
_PROPOSE = (
    r"(?:propose|introduce|present|develop|design|devise|describe|release|contribute|build|unveil|name|call|term|dub|coin|create|establish|offer|provide|put forward"
    r")(?:s|d|ed|ing)?"
)
_NAMED_AFTER = re.compile(rf"(?i:\b(?:called|named|termed|dubbed|coined|denoted|as|method|approach|name (?:it|our \w+|this \w+|the \w+)|call (?:it|this|our \w+)))\s+[\"'“*]*({_NAME})")
_PROPOSED = re.compile(rf"\b(?i:{_PROPOSE}\s+(?:the |our )?)[\"'“*]*({_NAME})(?=[\s,:;.(*\"'”])")
# "propose Activation Beacon, a plug-in module": two or three capitalised words, set off by a comma, a colon or a bracket
_PROPOSED_WORDS = re.compile(rf"\b(?i:{_PROPOSE}\s+(?:the )?)((?:[A-Z][\w-]+ ){{1,2}}[A-Z][\w-]+)(?=[,:])")
_QUOTED = re.compile(rf"[\"“]({_NAME})[\"”]")
_IN_BRACKETS = re.compile(rf"\(\s*[\"'“*]*({_NAME})[\"'”*]*\s*[),;]")


def is_name(token: str) -> bool:
    """Does a word look like the name of a method or a data set: two capitals, or a capital with a digit, or a Greek letter with a hyphen?

    >>> [is_name(t) for t in ("NetMoE", "Intersort", "GPT-4o", "The", "α-SVRG", "2020")]
    [True, False, True, False, True, False]
    """
    letters = [c for c in token if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    if len(token) < 2 or not letters:
        return False
    return capitals >= 2 or (capitals == 1 and any(c.isdigit() for c in token)) or (capitals >= 1 and token[0] in _GREEK)


@lru_cache(maxsize=16384)
def name_of(abstract: str) -> str | None:
    """The name that an abstract gives to what it proposes, or None.

    Candidates stand in a sentence that proposes something ("we introduce NetMoE", "a framework, ... (SCOPE-Gen)", "called GenSE"); the one that
    the whole abstract uses most wins, so that an acronym of the field, explained once at the beginning, does not.

    >>> name_of("Experts (MoE) are used. We develop NetMoE, which is fast. NetMoE halves the cost.")
    'NetMoE'
    """
    scores: dict[str, float] = {}
    plain = _unbroken(abstract)
    for start, end in sentences(plain):
        sentence = plain[start:end]
        for name, weight in _candidates(sentence):
            scores[name] = scores.get(name, 0.0) + weight
    ranked = sorted(scores, key=lambda name: (-scores[name] * _uses(plain, name), plain.find(name)))
    return _plain_name(ranked[0]) if ranked and scores[ranked[0]] >= 1.0 else None


def _candidates(sentence: str) -> Iterator[tuple[str, float]]:
    proposes = re.search(rf"\b(?:we|this (?:paper|work|study)|paper|work|method|our)\b.*?\b{_PROPOSE}\b|\b{_PROPOSE}\b", sentence, re.IGNORECASE)
    proposes = proposes or re.search(r"\b[Oo]ur (?:method|approach|framework|model|system|algorithm|technique|benchmark|dataset)\b", sentence)
    ours = proposes and re.search(r"\b(?:we|our|this (?:paper|work|study|article))\b", sentence, re.IGNORECASE)
    for match in _PROPOSED.finditer(sentence):
        name = match.group(1)
        mixed_case = len(name) > 3 and name[0].isupper() and sentence[match.end() : match.end() + 1] in ",:" and name.lower() not in STOPWORDS
        if is_name(_plain_name(name)) or mixed_case:
            yield name, 3.0 if ours else 1.0
    for match in _PROPOSED_WORDS.finditer(sentence):
        yield match.group(1), 3.0 if ours else 1.0
    for match in _QUOTED.finditer(sentence):
        if ours and proposes and is_name(match.group(1)):
            yield match.group(1), 2.0
    for match in _NAMED_AFTER.finditer(sentence):
        if is_name(_plain_name(match.group(1))):
            yield match.group(1), 3.0 if ours or "name" in match.group().lower() or "called" in match.group().lower() else 0.5
    for match in _IN_BRACKETS.finditer(sentence):
        if ours and proposes and match.start() > proposes.start() and is_name(match.group(1)):
            yield match.group(1), 2.0


def _uses(text: str, name: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) or 1


def joined(text: str) -> str:
    """The text as one would type it, for an embedding model: words that a PDF broke are whole, TeX and Markdown marks are gone.

    >>> joined(r"Gained at- tention with $\\alpha$-SVRG, $1.67 \\times$ faster")
    'Gained attention with α-SVRG, 1.67× faster'
    """
    plain = _plain_name(_unbroken(text))
    for macro, meaning in _LATEX.items():
        plain = plain.replace(macro, meaning)
    plain = re.sub(r"\s+(?=[×%])", "", _WRAPPERS.sub("", plain))
    return " ".join(re.sub(r"[$*`{}\\]", "", plain).split())


def _unbroken(text: str) -> str:
    return _BROKEN.sub("", text)


def _plain_name(name: str) -> str:
    """A name as one writes it: "$\\alpha$-SVRG" is α-SVRG."""
    by_latin = {latin: greek for greek, latin in reversed(_GREEK.items())}
    return re.sub(r"\$\\?([A-Za-z]+)\$", lambda m: by_latin.get(m.group(1), m.group(1)), name)
