"""Tokens: counts agree with tiktoken itself, cuts are prefixes that fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import tokens


def test_counts_as_tiktoken_counts() -> None:
    text = "We present DP-CATE, a novel framework for CATE estimation: 1.67× faster, α = 0.05."
    assert tokens.count(text) == len(tiktoken.get_encoding(tokens.ENCODING).encode(text))


def test_a_special_token_in_a_text_is_plain_text() -> None:
    assert tokens.count("before <|endoftext|> after") > 3
    assert tokens.cut("a <|endoftext|> b", 100) == "a <|endoftext|> b"


def test_nothing_is_nothing() -> None:
    assert tokens.count("") == 0
    assert tokens.cut("", 5) == ""
    assert tokens.cut("some text", 0) == ""
    assert tokens.cut("some text", -1) == ""


def test_cut_inside_a_character_gives_whole_characters() -> None:
    text = "🧬" * 10
    for limit in range(1, 12):
        kept = tokens.cut(text, limit)
        assert text.startswith(kept)
        assert tokens.count(kept) <= limit


@given(st.text(st.characters(), max_size=60), st.integers(0, 30))
def test_a_cut_is_a_prefix_that_fits(text: str, limit: int) -> None:
    kept = tokens.cut(text, limit)
    assert text.startswith(kept)
    assert tokens.count(kept) <= limit
    if tokens.count(text) <= limit:
        assert kept == text


def test_tiktoken_is_loaded_only_when_used(project: Path) -> None:
    code = "import sys, rag_qa.tokens; sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=project).returncode == 0
