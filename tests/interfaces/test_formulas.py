"""Formulas are shown as they are read, and nothing of a text is lost or changed by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.interfaces import cards
from rag_qa.interfaces.formulas import parts
from tests.interfaces.test_cards import tree


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        (r"$1.78\times$", "1.78×"),
        (r"$n\times n$", "n × n"),
        (r"$\ell_\infty$", "ℓ∞"),
        (r"$\varepsilon_2^2$", "ε₂²"),
        (r"$O(n \log n)$", "O(n log n)"),
        (r"$x^{-12}$", "x⁻¹²"),
        (r"$25\%$", "25%"),
        (r"$\textbf{C}$", "C"),
        ("$N=16$", "N=16"),
        # better as it stands than wrong
        (r"$\frac{1}{2}$", ""),
        (r"$\tilde{O}(nk)$", ""),
        ("$d_{avg}$", ""),
        (r"$\sqrt{n}$", ""),
        ("$5 million or 6$", ""),
        ("$$y$$", ""),
        ("$5 and $6", ""),
        ("US$5-$10", ""),
    ],
)
def test_a_formula_is_read_whole_or_not_at_all(formula: str, read: str) -> None:
    assert [shown for part, shown in parts(f"at {formula} more") if shown] == ([read] if read else [])


@given(st.text(alphabet="a1 $\\{}_^-.<&\"'timesl", max_size=60))
def test_a_text_is_made_up_of_its_parts(text: str) -> None:
    assert "".join(part for part, _ in parts(text)) == text
    assert tree(cards._with_formulas(text)).text == text
