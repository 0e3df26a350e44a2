r"""Characters that a file spoilt on its way: text that was decoded twice, control and invisible characters, LaTeX accents in plain text."""

from __future__ import annotations

import re
import unicodedata

import ftfy
from ftfy.badness import is_bad

LOST = "\ufffd"
"""What stands in a text for a character that another program could not read."""

# Text that was decoded twice has two such characters side by side, a blank after  where a no-break space was, or C1 controls.
_SUSPECT = re.compile(r"[^\x00-\x7f](?:[^\x00-\x7f ]|(?<=[ÂÃâ]) |(?<=[\x80-\x9f]))")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:\s+(?=[^\W\d_]))?")
# Joiners belong to the spelling of Arabic and Indic scripts and of emoji, and are dirt in others.
_JOINER = re.compile(r"[\u200c\u200d](?![\u0600-\u109f\u2600-\u27bf\U0001f000-\U0001faff])")
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def repaired(text: str) -> str:
    """Text whose UTF-8 was read as another encoding, put right; any other text as it is, with its quotes, ligatures and widths.

    >>> repaired("FranÃ§ois cafÃ©"), repaired("Größe – naïve «mot» 大きさ x² ≤ µ")
    ('François café', 'Größe – naïve «mot» 大きさ x² ≤ µ')
    """
    if text.isascii() or not _SUSPECT.search(text) or not _may_be_bad(text):
        return text
    return ftfy.fix_encoding(text)


def _may_be_bad(text: str) -> bool:
    """What ftfy says of the characters beyond ASCII and two on each side, which is all that it looks at: far faster than for a whole abstract."""
    return any(is_bad(text[max(0, found.start() - 2) : found.end() + 2]) for found in _FOREIGN.finditer(text))


# One collection of repositories lost the code of a carriage return, \u000d, but for these letters.
_HALF_LINE_END = re.compile(r"(?:\\ud(?:\s+|$))+")


def with_line_ends(text: str) -> str:
    r"""Text with its line ends where another program left half of their code.

    >>> with_line_ends(r"They turn.\ud \ud We saw it.")
    'They turn.\nWe saw it.'
    """
    return _HALF_LINE_END.sub("\n", text) if "\\ud" in text else text


def tidy(text: str) -> str:
    r"""Composed (NFC), without control and invisible characters; white space is one blank, and line feeds stay.

    >>> tidy("A\u00a0soft\u00ad hyphen,\t\u200ba cafe\u0301\nand  more\x07")
    'A softhyphen, a café\nand more'
    """
    if text.isascii():
        if text.isprintable():
            return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
        plain = _CONTROL.sub(" ", _line_ends(text))
    else:
        plain = text if text.isprintable() else _without_dirt(_line_ends(text))
        plain = unicodedata.normalize("NFC", plain)
    return "\n".join(" ".join(line.split()) for line in plain.split("\n")).strip("\n") if "\n" in plain else " ".join(plain.split())


def one_line(text: str) -> str:
    r"""Tidy text with its hard wraps joined.

    >>> one_line("A hard\n wrapped  text")
    'A hard wrapped text'
    """
    return " ".join(tidy(text).split())


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _without_dirt(text: str) -> str:
    text = _SOFT_HYPHEN.sub("", text)
    text = _INVISIBLE.sub("", _JOINER.sub("", text))
    return _SURROGATE.sub(LOST, _CONTROL.sub(" ", text))


# ------------------------------------------------------------------------------------------------------------------ accents

_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", ".": "\u0307", "=": "\u0304",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı"}
# In a plain text a backslash may be anything: \" is a quote in some exports, \~ stands in addresses. So an accent has its braces, or a letter
# before it that it may follow.
_ACCENT = re.compile(
    r"""\{\\(['`^"~.=])\ ?\{?\\?([A-Za-z])\}?\}  # {\'e} {\"{o}} {\'\i}
      | \\(['`^"~.=])\{\\?([A-Za-z])\}           # \'{e} \'{\i}
      | \{\\([cvuHkr])(?:\{|\ )([A-Za-z])\}\}?   # {\c{c}} {\v s}
      | \\([cvuHkr])\{([A-Za-z])\}               # \c{c}
      | (?<=[A-Za-z])\\(["~.])([aeiouynAEIOUNZzI])  # M\"uller
      | \\(['`^])([aeiouyAEIOUYcnszCNSZ])        # Fr\'echet
    """,
    re.VERBOSE,
)
_LETTER = re.compile(r"\{\\(ss|ae|AE|oe|OE|o|O|aa|AA|l|L|i)\}|\\(ss|ae|AE|oe|OE|o|O|aa|AA|l|L|i)\{\}")
_WRAPPED = re.compile(r"\\(?:emph|text(?:it|bf|tt|sc|rm|sf|sl|md|up|normal)?|mbox|url|underline|uline)\s?\{([^{}\\]*)\}")
_SIGN = re.compile(r"\\([%&#])|(?<=\w)\\(_)(?=\w)|\\(\$)(?=\d)|\\text(less|greater)(?:\{\}|\s|(?=\d))")
_SIGNS = {"less": "<", "greater": ">"}
_FORMULA = re.compile(r"((?<!\\)\$(?:[^$\\]|\\.)*+\$)", re.DOTALL)


def untexed(text: str) -> str:
    r"""Plain text with the accents, emphasis and escapes that someone wrote as in LaTeX, where nothing else can be meant; formulas stay.

    >>> untexed(r"Fran\c{c}ois M\"uller and J{\o}rgen: $\hat{x}$ is \"a quote\", \emph{30\%}")
    'François Müller and Jørgen: $\\hat{x}$ is \\"a quote\\", 30%'
    """
    if "\\" not in text:
        return text
    parts = _FORMULA.split(text)
    parts[::2] = map(_untexed, parts[::2])
    return "".join(parts)


def _untexed(text: str) -> str:
    text = _LETTER.sub(_letter, _ACCENT.sub(_accent, text))
    text = _SIGN.sub(lambda match: _SIGNS.get(match.group(match.lastindex or 0), match.group(match.lastindex or 0)), text)
    for _ in range(3):  # one in another
        text = _WRAPPED.sub(r"\1", text)
    return text


def _accent(match: re.Match[str]) -> str:
    accent, letter = (group for group in match.groups() if group)
    composed = unicodedata.normalize("NFC", letter + _COMBINING[accent])
    return composed if len(composed) == 1 else match.group()


def _letter(match: re.Match[str]) -> str:
    return _LETTERS[match.group(1) or match.group(2)]
