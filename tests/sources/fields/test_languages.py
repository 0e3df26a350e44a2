"""Names and codes of languages, and the language of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields import languages


@pytest.mark.parametrize(
    "written", ["en", "EN", "eng", "ENG", "English", "english.", "en-US", "en_GB", "English (US)", "Englisch", "anglais", "eng; ger", "eng ger"]
)
def test_english_by_any_name(written: str) -> None:
    assert languages.code(written) == "en"


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("ger", "de"), ("deu", "de"), ("Deutsch", "de"), ("fre", "fr"), ("Français", "fr"), ("spa", "es"), ("Português", "pt"),
        ("chi", "zh"), ("zh-CN", "zh"), ("Chinese (simplified)", "zh"), ("中文", "zh"), ("jpn", "ja"), ("Русский", "ru"), ("Dutch", "nl"),
        ("nb", "no"), ("tr", "tr"),
    ],
)  # fmt: skip
def test_others(written: str, wanted: str) -> None:
    assert languages.code(written) == wanted


@pytest.mark.parametrize("written", ["", "und", "mul", "Undetermined", "undefined", "zxx", "Klingon", "1"])
def test_none(written: str) -> None:
    assert languages.code(written) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We measured the tides of the northern sea over two winters.", "en"),
        ("Wir haben die Gezeiten der Nordsee in zwei Wintern gemessen.", "de"),
        ("Nous avons mesuré les marées de la mer du Nord pendant deux hivers.", "fr"),
        ("Medimos las mareas del mar del norte durante dos inviernos.", "es"),
        ("O objetivo deste estudo foi medir as marés do mar do norte, e não as da costa.", "pt"),
        ("我们在两个冬天测量了北海的潮汐。", "zh"),
        ("Мы измеряли приливы северного моря две зимы подряд.", "ru"),
    ],
)
def test_the_language_of_a_text(text: str, wanted: str) -> None:
    assert languages.detect(text) == wanted


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    languages.code(text)

    assert len(languages.detect(text)) == 2
