"""Addresses in a model's text: only those that stand in the abstracts stay. A model can be led to write an address that tells others what was asked.

Of an image and of a link the words stay, of a tag and of a bare address nothing. A marker that was made a link, `[1](https://...)`, is a marker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_qa.answering import markers

_TARGET = r"\(\s*(?:[^()\n]|\([^()\n]*\))*\)"
_ADDRESS = r"(?:[a-z][a-z0-9+.-]{1,15}:[^\s)]|//\w|www\.\w)"
_IMAGE = re.compile(rf"!\[(?P<words>[^\]\n]*)\](?:{_TARGET}|\[[^\]\n]*\])")
_LINK = re.compile(rf"\[(?P<words>[^\[\]\n]+)\](?=\(\s*<?(?:{_ADDRESS}|#)){_TARGET}", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|audio|base|embed|form|iframe|img|input|link|meta|object|picture|script|source|style|svg|video)(?=[\s/>])[^<>\n]*(?:>|$)", re.IGNORECASE
)
_BARE = re.compile(
    r"<?(?<![A-Za-z0-9])(?:(?:https?|ftps?|wss?)://[^\s<>\"”’]+|www\.\w[^\s<>\"”’]*|(?:javascript|vbscript):\S+|data:[a-z]+/[\w.+-]+[;,]\S*)>?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"[.,;:!?*_)\]]+$")
_NUMBER = re.compile(r"\^?\d{1,3}")
_EMPTY = re.compile(r"[ \t]*(?:\(\s*\)|\[\s*\]|<\s*>)")
_GAP = re.compile(r"(?<=\S)[ \t]{2,}|[ \t]+(?=[.,;:!?)\]](?:\s|$))")


def _address(found: str) -> tuple[str, str]:
    """An address, and the end of the sentence that stands behind it."""
    bare = found.strip("<>")
    ending = _ENDING.search(bare)
    return (bare, "") if ending is None or found.startswith("<") else (bare[: ending.start()], ending.group())


@dataclass(frozen=True, slots=True)
class Linkless:
    """A text without foreign addresses, the numbers of markers that were links, and whether anything else was taken out."""

    text: str
    numbers: tuple[int, ...] = ()
    is_shorter: bool = False


def without_links(text: str, known: str) -> Linkless:
    """The text without what leads elsewhere, unless it stands just so in `known`.

    >>> without_links("It is fast [1](https://x.org). See ![a chart](http://x.org/?q=secret) or <https://y.org/a>.", "See https://y.org/a.")
    Linkless(text='It is fast. See a chart or <https://y.org/a>.', numbers=(1,), is_shorter=True)
    """
    if not re.search(r"[:/]\S|www\.|<|!\[", text):
        return Linkless(text)
    numbers: list[int] = []
    left_out = 0
    addresses = {_address(found)[0] for found in _BARE.findall(known)}

    def words(match: re.Match[str]) -> str:
        nonlocal left_out
        said = match["words"]
        if match.group() in known:
            return match.group()
        if _NUMBER.fullmatch(said):
            numbers.append(int(said.strip("^")))
            return ""
        left_out += 1
        return said

    def nothing(match: re.Match[str]) -> str:
        nonlocal left_out
        address, ending = _address(match.group())
        if address in addresses or (match.re is _TAG and match.group() in known):
            return match.group()
        left_out += 1
        return ending

    plain = _LINK.sub(words, _IMAGE.sub(words, text))
    closed = markers.regions(plain)  # "$m<A/n$" begins no tag

    def no_tag(match: re.Match[str]) -> str:
        return match.group() if any(start <= match.start() < end for start, end in closed) else nothing(match)

    plain = _BARE.sub(nothing, _TAG.sub(no_tag, plain))
    if plain == text:
        return Linkless(text)
    plain = _GAP.sub(lambda gap: "" if gap.end() < len(plain) and plain[gap.end()] in ".,;:!?)]" else " ", _EMPTY.sub("", plain))
    return Linkless(plain.strip(), tuple(dict.fromkeys(numbers)), left_out > 0)
