"""THE definition of folded text, word, term and sentence.

Chunking, keyword search, answering and grounding all read text through this module, so that a word that one of them finds is a word for
all of them. Every function keeps character offsets into the text as it was read: what is shown as evidence is always a slice of it.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
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
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": " - ", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "′": "'", "⁄": "/", "ı": "i",
    "\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u2060": "",
}  # fmt: skip
_LATEX = {
    r"\times": "×", r"\%": "%", r"\sim": "~", r"\approx": "~", r"\pm": "±", r"\leq": "≤", r"\le": "≤", r"\geq": "≥", r"\ge": "≥",
    r"\cdot": "·", r"\left": "", r"\right": "", r"\dots": "…", r"\ldots": "…", r"\cdots": "…", r"\&": "&", r"\_": "_", r"\#": "#", r"\$": "$",
}  # fmt: skip
# Accents that no single letter has: what is left of them after composition only parts a word ("x̂").
_STANDS_FOR = {**_GREEK, **_PUNCTUATION, **{chr(accent): "" for accent in range(0x300, 0x370)}}
_LATIN_TO_GREEK = {latin: greek for greek, latin in reversed(_GREEK.items())}

_WRAPPER = re.compile(
    r"\\(?:text|textbf|textit|textsc|texttt|textrm|emph|mathbf|mathrm|mathit|mathcal|mathbb|tilde|hat|bar|url|operatorname)\b\s*\{?"
)
_MACRO = re.compile(r"\\(?:[A-Za-z]+|[%&_#$])")
_TAG = re.compile(r"<(/?(?:i|b|em|strong|sub|sup|scp|p|jats:[a-z]+|mml:[a-z]+))>", re.IGNORECASE)
_POWER = re.compile(r"[-−+]?\d")
# A word broken at a line end of a PDF: "at- tention". Not "3- and 4-bit", "inter- and intra-layer".
_BROKEN = re.compile(r"(?<=[^\W\d_])[-‐\u00ad](?=\s)[ \t\xa0]*+(?:(?:\r\n|\n|\r)[ \t\xa0]*+)?(?=[^\W\d_])(?!(?:and|or|to|nor|vs|versus|but|as)\b)")
_IN_COMPOUND = re.compile(r"[^\W_]-[^\W_]+$")
_COMPOUND = re.compile(r"[^\W_]+-[^\W_]")
# ASCII words with one blank between them, all of which stand for themselves: most of every abstract.
_ORDINARY = re.compile(r"[!\"#&'()+,./0-9:;=?@A-Z\[\]^_a-z|~>]++(?: [!\"#&'()+,./0-9:;=?@A-Z\[\]^_a-z|~>]++)*+")
# What can't stand for itself.
_SPECIAL = re.compile(
    r"(?P<hyphen>[-‐\u00ad])|(?P<tag><)|(?P<macro>\\)|(?P<mark>[$*`{}])|(?P<power>[²³¹⁰⁴-⁾ⁿ]+)|(?P<fraction>[¼-¾⅐-⅞])|[^\u0300-\u036f][\u0300-\u036f]+"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """Text in its compared form. `starts[i]:ends[i]` is the slice of the original that made character i."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a slice of the folded text (of one character at least) stands in the original."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=8192)
def fold(text: str) -> Folded:
    """Compared form of a text: NFKC, lower case, one blank for any white space, plain quotes and hyphens, Greek letters and common LaTeX by
    name, Markdown and TeX marks dropped, words that a PDF broke at a line end joined. Powers and fractions stay apart from the number before.

    >>> fold("Empirical ev-  idence: $\\\\alpha$-SVRG is $1.67 \\\\times$ faster").text
    'empirical evidence: alpha-svrg is 1.67× faster'
    >>> fold("10² of 2½").text
    '10^2 of 2 1/2'
    """
    out: list[str] = []
    starts = array("l")
    ends = array("l")
    for start, end, piece in _pieces(text):
        if end - start > 1 and len(piece) == end - start and _ORDINARY.fullmatch(piece):
            out.append(piece.lower())
            numbers = _numbers(1 << max(14, end.bit_length()))
            starts += numbers[start:end]
            ends += numbers[start + 1 : end + 1]
            continue
        for char in _plain(piece):
            # one blank at most, and none in front of × or %: "1.67 ×" and "1.67×" are the same
            if char == " " and (not out or out[-1] == " "):
                continue
            if char in "×%" and len(out) > 1 and out[-1] == " " and out[-2][-1].isdigit():
                out.pop(), starts.pop(), ends.pop()
            out.append(char)
            starts.append(start)
            ends.append(end)
    if out and out[-1] == " ":
        out.pop(), starts.pop(), ends.pop()
    return Folded("".join(out), starts, ends)


@lru_cache(maxsize=4096)
def _plain(piece: str) -> str:
    """The compared form of a piece of text, with each white space as a blank."""
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece).casefold())
    plain = "".join(_STANDS_FOR.get(char, char) for char in composed)
    return "".join(" " if char.isspace() else char for char in plain)


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Slices of the text and what stands for each: most stand for themselves."""
    done, size = 0, len(text)
    while done < size:
        if upto := _upto(text, done):
            yield done, upto, text[done:upto]
            done = upto
            continue
        length, piece = _special(text, special) if (special := _SPECIAL.match(text, done)) else (1, text[done])
        if piece:
            yield done, done + length, piece
        done += length


def _upto(text: str, start: int) -> int:
    """Where a stretch of ordinary characters ends that begins here; 0 if none does."""
    run = _ORDINARY.match(text, start)
    if not run:
        return 0
    end = run.end()
    if "\u0300" <= text[end : end + 1] <= "\u036f":  # an accent takes the letter before it
        end -= 1 + (text[end - 2 : end - 1] == " ")
    return end if end > start else 0


@lru_cache(maxsize=4)
def _numbers(length: int) -> array[int]:
    """0, 1, 2, ...: to take slices of is many times as quick as to count."""
    return array("l", range(length + 1))


def _special(text: str, at: re.Match[str]) -> tuple[int, str]:
    """How many characters belong together from where the match begins, and what stands for them."""
    start, found = at.start(), at.group()
    match at.lastgroup:
        case "hyphen":
            broken = _BROKEN.match(text, start)
            return (broken.end() - start, _joint(broken)) if broken else (1, found)
        case "tag":
            return _tag(text, start)
        case "macro":
            return _macro(text, start)
        case "mark":
            return 1, ""
        case "power":
            is_power = _is_digit_before(text, start) and any(char.isdigit() for char in found)  # "10²" is not 102; but "m²" is m2 and "CD4⁺" is cd4+
            return len(found), ("^" if is_power else "") + found
        case "fraction":
            return 1, (" " if _is_digit_before(text, start) else "") + found  # "2½" is not 21/2
        case _:
            return len(found), found  # a letter and its accents


def _is_digit_before(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in "0123456789"


def _joint(broken: re.Match[str]) -> str:
    """What is left of a hyphen at a line end: the hyphen where it is part of the word ("state-of- the-art", "non- English", "SSM- based")."""
    whole = broken.string
    before = whole[max(0, broken.start() - 40) : broken.start()]
    is_compound = _IN_COMPOUND.search(before) or _COMPOUND.match(whole, broken.end())
    return "-" if is_compound or before[-1].isupper() or whole[broken.end()].isupper() else ""


def _tag(text: str, start: int) -> tuple[int, str]:
    tag = _TAG.match(text, start)
    if not tag:
        return 1, "<"
    is_power = tag.group(1) == "sup" and _is_digit_before(text, start) and _POWER.match(text, tag.end())
    return tag.end() - start, "^" if is_power else ""


def _macro(text: str, start: int) -> tuple[int, str]:
    if wrapper := _WRAPPER.match(text, start):
        return wrapper.end() - start, ""
    if macro := _MACRO.match(text, start):
        return macro.end() - start, _LATEX.get(macro.group(), macro.group()[1:])
    return 1, ""


def folded(text: str) -> str:
    """`fold(text).text`, for who needs no places in the original: several times faster, and not kept.

    >>> folded("$1.67 \\\\times$ of  2½")
    '1.67× of 2 1/2'
    """
    parts, done = [], 0
    while special := _SPECIAL.search(text, done):
        length, piece = _special(text, special)
        parts += [text[done : special.start()].translate(_CHARACTERS), _plain(piece) if piece else ""]
        done = special.start() + length
    parts.append(text[done:].translate(_CHARACTERS))
    return _BEFORE_SIGN.sub(lambda found: found[1] if found[1].isdigit() else found[0], " ".join("".join(parts).split()))


class _Characters(dict[int, str]):
    """What stands for a character that stands alone."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _plain(chr(code))
        return found


_CHARACTERS = _Characters()
_BEFORE_SIGN = re.compile(r"(.) (?=[×%])")


def first_words(text: str, limit: int = 9) -> str:
    """The beginning of a text, to tell it from others.

    >>> first_words("Rank collapse, a phenomenon where embedding vectors in sequence models rapidly converge", 5)
    'Rank collapse, a phenomenon where…'
    """
    words = text.split()
    return " ".join(words[:limit]).rstrip(".,;:") + ("…" if len(words) > limit else "")


# --------------------------------------------------------------------------------------------------------------- patterns


def any_of(*groups: str) -> str:
    """A pattern for any of many alternatives. A group holds some that belong together, with bars between them, so that long lists can be read.

    >>> any_of("car|bus", "trains?")
    '(?:car|bus|trains?)'
    """
    return f"(?:{'|'.join(groups)})"


def any_word(*groups: str) -> str:
    r"""As `any_of`, for alternatives that begin and end where words do.

    >>> any_word("car|bus", "trains?")
    '\\b(?:car|bus|trains?)\\b'
    """
    return rf"\b{any_of(*groups)}\b"


# ---------------------------------------------------------------------------------------------------------- words and terms


class Word(NamedTuple):
    """A word of a folded text; `start:end` is its slice of the folded text."""

    text: str
    start: int
    end: int


_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['-][^\W_]+|(?<=\d)\.\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def words(folded: str) -> list[Word]:
    """Words of a folded text, compounds whole.

    >>> [w.text for w in words("dp-cate's gain over gpt-3.5 is 1.67×.")]
    ['dp-cate', 'gain', 'over', 'gpt-3.5', 'is', '1.67']
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


_BRITISH = (
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=(?:e|ed|ing|er|ers)$)"), "yz"),
    (re.compile(r"(?<=[a-z]{3})our(?=s?$|al|ed|ing|able|hood|ite)|(?<=^[a-z]{2})our(?=(?:s|al|ed|ing|able|ful|less)$)"), "or"),
)


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The word without its ending (Snowball English). British spellings fall together with American ones, letters with accents with plain ones.

    >>> stem("matching") == stem("matches"), stem("generalisation") == stem("generalization"), stem("fréchet") == stem("frechet")
    (True, True, True)
    """
    plain = word if word.isascii() else _without_accents(word)
    for british, american in _BRITISH:
        plain = british.sub(american, plain)
    return str(_stemmer().stemWord(plain))


def _without_accents(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not "\u0300" <= char <= "\u036f")


def word_terms(word: str) -> tuple[str, ...]:
    """What a word is searched by: its stem, and for a compound also the stems of its parts.

    >>> word_terms("k-means"), word_terms("10,000")
    (('kmean', 'k', 'mean'), ('10000',))
    """
    if "-" not in word:
        return (stem(_THOUSANDS.sub("", word)),)
    parts = [part for part in word.split("-") if part]
    return (stem("".join(parts)), *(stem(part) for part in parts))


def terms(text: str) -> list[str]:
    """All search terms of a text, in order, with repetition.

    >>> terms("Gained at- tention in k-means")
    ['gain', 'attent', 'in', 'kmean', 'k', 'mean']
    """
    return [term for word in words(fold(text).text) for term in word_terms(word.text)]


STOPWORDS = frozenset(
    """a about above after again against all also although am an and any are as at be because been before being below between both but by can could
    did do does doing done down during each either else ever every few for from further get gets give given gives got had has have having he her
    here hers him his how however i if in into is it its itself just let like made make makes many may me might more most much must my neither
    no nor not now of off on once one only or other our out over own per please same she should so some such than that the their them then there
    therefore these they this those though through thus to together too toward towards under until up upon us use used uses using very via was
    we well were what whatever when where whether which while who whom whose why will with within without would yes yet you your""".split()
)
# Words of a question that say what kind of answer is wanted, or that papers are meant, and not what about. One subject a paragraph.
QUESTION_WORDS = frozenset(
    """
    abstract abstracts article articles author authors paper papers publication publications research researchers studies study work works

    according actually anybody anyone anything else everybody everyone exactly hello hey hi kindly pls plz someone something somebody thank thanks thx

    answer cite cited describe explain find know list mean meant means name need question show summarise summarize summary talk talks tell
    understand want

    achieve achieved achieves called concern concerns contribute contributes contribution contributions deal deals discuss discussed discusses
    introduce introduced introduces mention mentioned mentions present presented presents propose proposed proposes report reported reports
    said say says state stated states

    compare compared compares comparison difference differences differ differs versus vs

    different idea ideas key kind kinds main new novel several sort thing things trick type types way ways

    beat beaten beats carried carries carry come comes does happen happened happens keep keeps kept manage manages part play plays put puts role
    save saved saves take taken takes took
    """.split()
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
    """al approx asst ave ca ch chap col comp corp dept diff ed eds eq eqs esp est et etc ex fig figs gen govt hon inc incl jr lemma lt ltd max min
    mt no nos nr p pp prop ref refs resp sec sect sen sr st str supp tab thm univ vol vols i.i.d w.r.t s.t a.k.a u.s u.k d.c ph.d m.sc b.sc a.m
    p.m spp sp subsp var cv""".split()
)
# Abbreviations that nothing ends with.
_NEVER_LAST = frozenset("cf dr e.g i.e mr mrs ms prof viz vs".split())
# Words that, with a capital, begin a sentence and not the name of a person or a thing.
_OPENERS = frozenset(
    """a additionally an and as both but by code experiments extensive finally for furthermore here how however in it its moreover on our results
    such that the then there these they this those thus to we when while with""".split()
)
_BOUNDARY = re.compile(r"(?<![.!?…])[.!?…。！？]++[\"'”’)\]}$*]*+(?=\s|$)|[。！？]|\n[ \t]*\n")
_STARTER = re.compile(r"[\"'“‘`(\[{$*]*(?:[A-Z\d\u0370-\u03ff$\\]|[^\W\da-z_])")
_BLANK = re.compile(r"\s*")
_CAPITALISED = re.compile(r"[A-Z][a-z]*\b")
_LAST_TOKEN = re.compile(r"[\w.]*$")
_ENUMERATOR = re.compile(r"\s*\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})")
_LOOK_BACK = 40  # characters in front of a full stop that can tell what it means
_PARENTHESIS = 300  # longest way to the end of a parenthesis; one that does not end is a slip


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[Span, ...]:
    """Sentences of a text as slices of it, without the white space around them; together they hold every other character.

    >>> t = "It holds (e.g. for Fig. 2). See Smith et al. (2020). 1) We go on."
    >>> [t[a:b] for a, b in sentences(t)]
    ['It holds (e.g. for Fig. 2).', 'See Smith et al. (2020).', '1) We go on.']
    """
    spans: list[Span] = []
    start = seen = depth = 0
    for mark in _BOUNDARY.finditer(text):
        # counted step by step: a text of a thousand full stops is read once
        depth += text.count("(", seen, mark.start()) - text.count(")", seen, mark.start())
        seen = mark.start()
        if _ends_sentence(text, start, mark, depth):
            _append(spans, text, start, mark.end())
            start = seen = mark.end()
            depth = 0
    _append(spans, text, start, len(text))
    return tuple(spans)


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))


def _ends_sentence(text: str, start: int, mark: re.Match[str], depth: int) -> bool:
    """Does a sentence that began at `start` end with this mark? `depth`: how many parentheses are open in front of it."""
    marks = mark.group()
    if marks.isspace() or marks[0] in "。！？":
        return True
    following = _BLANK.match(text, mark.end()).end()  # type: ignore[union-attr]  # it matches anywhere
    if following == len(text):
        return True
    if depth > marks.count(")") and ")" in text[mark.end() : mark.end() + _PARENTHESIS]:
        return False
    if not _STARTER.match(text, following):
        return False
    if not marks.startswith(".") or marks.startswith(".."):
        return True
    if _ENUMERATOR.fullmatch(text, start, mark.start()):
        return False  # "1. We ..."
    return _ends_after(_LAST_TOKEN.search(text[max(start, mark.start() - _LOOK_BACK) : mark.start()]).group(), text, following)  # type: ignore[union-attr]


def _ends_after(token: str, text: str, following: int) -> bool:
    """Does a full stop after this token end a sentence, if the next word begins at `following`?"""
    token = token.strip(".")
    if token.lower() in _NEVER_LAST:
        return False
    is_initial = len(token) == 1 and token.isupper()  # "J. Smith"
    return _is_opener(text, following) if is_initial or token.lower() in _ABBREVIATIONS else True


def _is_opener(text: str, at: int) -> bool:
    word = _CAPITALISED.match(text, at)
    return word is not None and word.group().lower() in _OPENERS


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
        if len(tail) == length and tail[0][0] == letters[0] and _subsequence(letters, tail):
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
# "build", but not "build on VBLLs": that is somebody else's
_PROPOSE = (
    r"(?:propose|introduce|present|develop|design|devise|describe|release|contribute|build|unveil|name|call|term|dub|coin|create|establish|offer|provide"
    r"|put forward)(?:s|d|ed|ing)?(?! (?:up)?on\b)"
)
_SAYS_CALLED = r"called|named|termed|dubbed|coined|denoted|name (?:it|our \w+|this \w+|the \w+)|call (?:it|this|our \w+)"
_CALLED = re.compile(rf"(?i:\b({_SAYS_CALLED}|as|method|approach)\s+)[\"'“*]*({_NAME})")
_PROPOSED = re.compile(rf"\b(?i:{_PROPOSE}\s+(?:the |our )?)[\"'“*]*({_NAME})(?=[\s,:;.(*\"'”])")
# "propose Activation Beacon, a plug-in module": two or three capitalised words, set off by a comma, a colon or a bracket
_PROPOSED_WORDS = re.compile(rf"\b(?i:{_PROPOSE}\s+(?:the )?)((?:[A-Z][\w-]+ ){{1,2}}[A-Z][\w-]+)(?=[,:])")
_QUOTED = re.compile(rf"[\"“]({_NAME})[\"”]")
_IN_BRACKETS = re.compile(rf"\(\s*[\"'“*]*({_NAME})[\"'”*]*\s*[),;]")
_PROPOSES = re.compile(rf"\b(?:we|this (?:paper|work|study)|paper|work|method|our)\b.*?\b{_PROPOSE}\b|\b{_PROPOSE}\b", re.IGNORECASE)
_OUR_METHOD = re.compile(r"\b[Oo]ur (?:method|approach|framework|model|system|algorithm|technique|benchmark|dataset)\b")
_OURS = re.compile(r"\b(?:we|our|this (?:paper|work|study|article))\b", re.IGNORECASE)
# "a framework, MaxInfoRL, for balancing": between commas behind what it is
_APPOSED = re.compile(
    rf"\b(?:method|approach|framework|model|system|algorithm|technique|benchmark|data ?set|corpus|library|toolkit|architecture|pipeline), [\"'“*]*"
    rf"({_NAME})[\"'”*]*,"
)
# Explained once, these are words of a whole field and no name of a paper.
_OF_FIELD = frozenset(
    """
    AI ML NLP RL FL SL SSL MARL RLHF DPO PPO SFT LM LLM VLM MLLM SLM CV CNN RNN GNN DNN MLP VIT GAN VAE SDE ODE PDE MDP POMDP GP EM EMD MCMC OT
    SGD IRL ICL CoT RAG QA VQA ASR TTS NAS OOD DP GPU CPU SOTA 2D 3D
    """.split()
)
_NAMED_WITHIN = 10_000  # characters; no abstract is longer, and whatever is should not hold us up


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


def names(text: str) -> list[str]:
    """Tokens of a question that look like names, as written. A plural acronym is none, but a word of the field.

    >>> names("How many GPUs does NetMoE use?")
    ['NetMoE']
    """
    return [token for token in re.findall(r"[\w\u0370-\u03ff$\\-]+", text) if is_name(token) and not re.fullmatch("[A-Z]+s", token)]


@lru_cache(maxsize=16384)
def name_of(abstract: str) -> str | None:
    """The name that an abstract gives to what it proposes, or None.

    Candidates stand in a sentence that proposes something ("we introduce NetMoE", "a framework, ... (SCOPE-Gen)", "called GenSE"); the one that
    the whole abstract uses most wins, so that an acronym of the field, explained once at the beginning, does not.

    >>> name_of("Experts (MoE) are used. We develop NetMoE, which is fast. NetMoE halves the cost.")
    'NetMoE'
    >>> name_of("We collect a dataset, MossTime9, of bogs."), name_of("We propose the first reinforcement learning (RL) methods for bogs.")
    ('MossTime9', None)
    """
    scores: dict[str, float] = {}
    plain = _unbroken(abstract[:_NAMED_WITHIN])
    for start, end in sentences(plain):
        for name, weight in _candidates(plain[start:end]):
            scores[name] = scores.get(name, 0.0) + weight
    scores = {name: score for name, score in scores.items() if name.removesuffix("s") not in _OF_FIELD}
    ranked = sorted(scores, key=lambda name: (-scores[name] * _uses(plain, name), plain.find(name)))
    return _plain_name(ranked[0]) if ranked and scores[ranked[0]] >= 1.0 else None


def _candidates(sentence: str) -> Iterator[tuple[str, float]]:
    """Names that a sentence may give to what it proposes, with how sure that is (from 1 on: sure enough)."""
    proposes = _PROPOSES.search(sentence) or _OUR_METHOD.search(sentence)
    ours = bool(proposes and _OURS.search(sentence))
    yield from ((name, 3.0 if ours else 1.0) for name in _proposed(sentence))
    for match in _CALLED.finditer(sentence):
        how, name = match.groups()
        if is_name(_plain_name(name)):
            yield name, 3.0 if ours or "name" in how.lower() or "called" in how.lower() else 0.5
    if _OURS.search(sentence):
        yield from ((match.group(1), 3.0) for match in _APPOSED.finditer(sentence) if is_name(_plain_name(match.group(1))))
    if proposes and ours:
        yield from ((match.group(1), 2.0) for match in _QUOTED.finditer(sentence) if is_name(match.group(1)))
        yield from ((match.group(1), 2.0) for match in _IN_BRACKETS.finditer(sentence, proposes.start()) if is_name(match.group(1)))


def _proposed(sentence: str) -> Iterator[str]:
    for match in _PROPOSED.finditer(sentence):
        name = match.group(1)
        mixed_case = len(name) > 3 and name[0].isupper() and sentence[match.end() : match.end() + 1] in ",:" and name.lower() not in STOPWORDS
        if is_name(_plain_name(name)) or mixed_case:
            yield name
    yield from (match.group(1) for match in _PROPOSED_WORDS.finditer(sentence))


def _uses(text: str, name: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) or 1


def joined(text: str) -> str:
    """The text as one would type it, for an embedding model: words that a PDF broke are whole, TeX and Markdown marks are gone.

    >>> joined(r"Gained at- tention with $\\alpha$-SVRG, $1.67 \\times$ faster")
    'Gained attention with α-SVRG, 1.67× faster'
    """
    plain = _WRAPPER.sub("", _plain_name(_unbroken(text)))
    plain = _MACRO.sub(lambda macro: _LATEX.get(macro.group(), macro.group()[1:]), plain)
    plain = re.sub(" (?=[×%])", "", " ".join(re.sub(r"[$*`{}\\]", "", plain).split()))
    return plain.encode("utf-8", "replace").decode()  # no tokenizer takes half a character


def _unbroken(text: str) -> str:
    return _BROKEN.sub(_joint, text)


def _plain_name(name: str) -> str:
    """A name as one writes it: "$\\alpha$-SVRG" is α-SVRG."""
    return re.sub(r"\$\\?([A-Za-z]+)\$", lambda tex: _LATIN_TO_GREEK.get(tex.group(1), tex.group(1)), name)
