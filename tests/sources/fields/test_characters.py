"""Characters that files spoilt: repaired where that is certain, and nothing else is touched."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields import characters


@pytest.mark.parametrize(
    ("spoilt", "meant"),
    [
        ("Dirk WÃ¼bben", "Dirk Wübben"),
        ("dÃ©jÃ\xa0 vu", "déjà vu"),
        ("at 300Â\xa0K", "at 300\xa0K"),
        ("4.15Â ×Â 3.95Â m", "4.15\xa0×\xa03.95\xa0m"),
        ("60 and 80Â°C", "60 and 80°C"),
        ("childrenâ€™s", "children’s"),
        ("functions 1\x964", "functions 1–4"),
        ("p â‰¤ 0.05", "p ≤ 0.05"),
        ("ÃƒÂ©tude", "étude"),
        ("Ð¼Ð¾Ñ€Ðµ", "море"),
    ],
)
def test_text_that_was_decoded_wrongly(spoilt: str, meant: str) -> None:
    assert characters.repaired(spoilt) == meant


@pytest.mark.parametrize(
    "text",
    [
        "Größe, naïve, São Paulo, CONCLUSÃO, Ângela, Łódź, Dvořák, İstanbul",
        "« citation », “quotes”, ‘single’, „German“, ‹x›",
        "Мы измеряли приливы; Δέλτα; 我们测量潮汐。かな カナ 한국어",
        "α ≤ β ± 2 µm², 10⁻³ · Å, ∑ x̂ → ∞",
        "ﬁne ﬂow, ＡＢＣ, ½, №, …",
        "شمالي‌ها देवनागरी",
    ],
)
def test_any_other_text_stays(text: str) -> None:
    assert characters.repaired(text) == text


@given(st.text())
def test_repairing_twice_changes_nothing(text: str) -> None:
    once = characters.repaired(text)

    assert characters.repaired(once) == once


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a\u00a0b\u2009c\u3000d\te", "a b c d e"),
        ("treat\u00adment", "treatment"),
        ("treat\u00ad\nment", "treatment"),
        ("zero\u200bwidth\ufeff\u2060", "zerowidth"),
        ("bell\x07 and \x00null", "bell and null"),
        ("cafe\u0301", "café"),
        ("  two\r\nlines \r three ", "two\nlines\nthree"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("no\u200cjoin", "nojoin"),
    ],
)
def test_tidy(text: str, wanted: str) -> None:
    assert characters.tidy(text) == wanted


@given(st.text())
def test_tidy_text_has_no_dirt(text: str) -> None:
    tidy = characters.tidy(text)

    assert unicodedata.is_normalized("NFC", tidy)
    assert not {unicodedata.category(char) for char in tidy if char != "\n"} & {"Cc", "Cs", "Zl", "Zp"}
    assert "  " not in tidy
    assert characters.tidy(tidy) == tidy


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"They turn.\ud \ud We saw it.\ud", "They turn.\nWe saw it.\n"),
        (r"\udder, C:\ud.txt, \\udo", r"\udder, C:\ud.txt, \\udo"),
    ],
)
def test_half_of_the_code_of_a_line_end(text: str, wanted: str) -> None:
    assert characters.with_line_ends(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"Fr\'echet, M\"uller, Mu\~noz, Fran\c{c}ois, Ho\v{r}ava", "Fréchet, Müller, Muñoz, François, Hořava"),
        (r"{\'E}cole, J{\o}rgen, Stanis{\l}aw, Paw\l{}, Mart\'{\i}nez, {\v S}", "École, Jørgen, Stanisław, Pawł, Martínez, Š"),
        (r"30\% of \emph{seas}, \textbf{all \textit{tides}}, R\&D, a\_b", "30% of seas, all tides, R&D, a_b"),
        (r"\textless 5 and \$5", "<5 and $5"),
    ],
)
def test_latex_in_plain_text_where_it_is_plain(text: str, wanted: str) -> None:
    assert characters.untexed(text) == wanted


@pytest.mark.parametrize(
    "text", [r"$\hat{x} \'e \%$", r"a \"quote\" in JSON", r"C:\users\vera", r"http://a.org/\~anna", r"\alpha and \vec{x}", r"\d+\s"]
)
def test_other_backslashes_stay(text: str) -> None:
    assert characters.untexed(text) == text


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    characters.untexed(text), characters.untexed(f"\\{text}"), characters.one_line(text)
