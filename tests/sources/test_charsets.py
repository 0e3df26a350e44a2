"""Which character set bytes are in: a few words must do, and Windows-1252 needs no proof."""

from __future__ import annotations

import pytest

from rag_qa.sources import charsets

ENTRY = "@article{k{number},\n  title = {{title}},\n  year = {2001}\n}\n"

GERMAN = ["Über die Gezeiten der Nordsee im Winter", "Größe und Häufigkeit schwerer Stürme", "Zur Ökologie der Moore in Süddeutschland"]
FRENCH = ["L’étude des marées de la mer du Nord", "Évolution de la forêt à l’époque médiévale", "Le cœur et la santé des élèves français"]
SPANISH = ["Análisis de la población española", "Una revisión crítica de los años ochenta", "El niño y la educación física"]
DANISH = ["Undersøgelse af måger på Færøerne", "Børns læsning i skolen", "Kvinders løn og arbejdstid i København"]
CZECH = ["Příliš žluťoučký kůň úpěl ďábelské ódy", "Vývoj českého zemědělství", "Vliv výživy na růst dětí"]
POLISH = ["Wpływ żywienia na zdrowie dzieci", "Badania nad językiem polskim w średniowieczu", "Źródła prawa międzynarodowego"]
TURKISH = ["Türkiye'de eğitim ve öğretmenlik üzerine bir çalışma", "Işığın bitkiler üzerindeki etkisi", "Şehirleşme ve göç sorunları"]
RUSSIAN = ["Исследование приливов северного моря", "О влиянии климата на растения", "Теория вероятностей и её приложения"]
GREEK = ["Μελέτη της ελληνικής γλώσσας", "Η επίδραση του κλίματος", "Ιστορία της αρχαίας φιλοσοφίας"]
CHINESE = ["基于深度学习的图像识别方法研究", "北方海域冬季潮汐的分析", "中国农村教育的现状与影响因素"]
TAIWANESE = ["基於深度學習的影像辨識方法研究", "北方海域冬季潮汐的分析", "臺灣農村教育的現況與影響因素"]
JAPANESE = ["北海の潮汐に関する研究", "日本語の学習におけるコンピュータの利用", "森林の成長とその測定について"]
KOREAN = ["북해의 조석에 관한 연구", "한국어 학습과 컴퓨터의 활용", "농촌 교육의 현황과 과제"]


def bibliography(titles: list[str]) -> str:
    return "".join(ENTRY.replace("{number}", str(number)).replace("{title}", title) for number, title in enumerate(titles))


@pytest.mark.parametrize(
    ("titles", "codec"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        (SPANISH, "cp1252"),
        (DANISH, "cp1252"),
        (GERMAN + FRENCH + SPANISH + DANISH, "cp1252"),
        (GERMAN, "mac-roman"),
        (FRENCH, "mac-roman"),
        (CZECH, "cp1250"),
        (CZECH, "iso8859-2"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859-2"),
        (TURKISH, "cp1254"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
    ],
)
def test_three_titles_are_enough(titles: list[str], codec: str) -> None:
    text = bibliography(titles)

    # what counts is the text: Windows-1252 and its neighbours agree on most letters
    assert text.encode(codec).decode(charsets.likeliest(text.encode(codec))) == text


@pytest.mark.parametrize(
    "text", ["25° C", "Müller", "Test\xa0I. Last", "the patient’s “view”", "© 2020 Elsevier", "naïve", "±3 µm", "– and —", "Ørsted", "caffè"]
)
def test_a_word_or_two_are_windows_1252(text: str) -> None:
    assert text.encode("cp1252").decode(charsets.likeliest(text.encode("cp1252"))) == text


def test_one_repeated_word_is_not_more_evidence() -> None:
    assert charsets.likeliest("Copyright © ".encode("cp1252") * 1000) == "cp1252"


def test_what_a_file_says_of_itself_counts() -> None:
    text = "Šaulys".encode("iso8859-15")  # in Windows-1252 this is ¦aulys

    assert charsets.likeliest(text, "iso8859-15") == "iso8859-15"
    assert charsets.likeliest("Życie".encode("iso8859-2"), "iso8859-2") == "iso8859-2"


def test_what_a_file_says_of_itself_does_not_count_against_all_evidence() -> None:
    assert charsets.likeliest(bibliography(CHINESE).encode("gbk"), "iso8859-1") == "gb18030"
    assert charsets.likeliest(bibliography(RUSSIAN).encode("cp1251"), "iso8859-1") == "cp1251"


@pytest.mark.parametrize("content", [b"", b"plain", b"\xff", b"\x81\x8d\x8f", bytes(range(128, 256)) * 3])
def test_any_bytes_have_an_answer(content: bytes) -> None:
    content.decode(charsets.likeliest(content), "replace")
