"""NoteExpress, as Chinese databases write it."""

from __future__ import annotations

from rag_qa.sources.formats import note_express
from tests.sources.formats.test_tagged import one, parts

WANFANG = (
    "{Reference Type}: Journal Article\n{Title}: 潮汐研究\n{Translated Title}: On tides\n{Author}: 王伟\n{Author}: 李娜\n"
    "{Translated Author}: WANG Wei\n{Author Address}: 南京大学\n{Journal}: 海洋\n{Translated Journal}: Seas\n{ISBN/ISSN}:0253-3766\n"
    "{Year}: 2016\n{Volume}: 5\n{Issue}: 4\n{Pages}: 310-320\n{Keywords}: 海\n{Keywords}:  风\n{Abstract}：研究潮汐。\n"
    "{Translated Abstract}: We study tides.\n{Translated Keywords}: sea\n{URL}：https://example.org/1\n{DOI}: 10.1000/sea.7\n"
    "{Database Provider}: 万方\n{Language}：chi\n"
)


def test_an_article_of_wanfang() -> None:
    assert one(note_express.FORMAT, WANFANG).fields == {
        "title": ["潮汐研究"],
        "translated_title": ["On tides"],
        "abstract": ["研究潮汐。", "We study tides."],
        "author": ["王伟", "李娜"],
        "translated author": ["WANG Wei"],
        "year": ["2016"],
        "venue": ["海洋"],
        "doi": ["10.1000/sea.7"],
        "url": ["https://example.org/1"],
        "keyword": ["海", "风", "sea"],
        "language": ["chi"],
        "type": ["Journal Article"],
        "issn": ["0253-3766"],
        "affiliation": ["南京大学"],
        "translated venue": ["Seas"],
        "volume": ["5"],
        "issue": ["4"],
        "pages": ["310-320"],
        "provider": ["万方"],
    }


def test_two_records_of_cnki() -> None:
    raws, problems = parts(
        note_express.FORMAT,
        "{Reference Type}: Journal Article\n{Title}: Tides\n{Author}: Ada Noor;;Bo Lund;\n{Author Address}: 南京大学\n,江苏南京\n{Keywords}: 海;;风\n"
        "{Abstract}: Abstract(#br)We study tides.\n{Notes}: 11-3553/R\n{Database Provider}: CNKI\n\n\n"
        "{Reference Type}: Thesis\n{Title}: 风\n{Author}: 王伟\n{Tertiary Author}: 李娜\n{Publisher}: 南京大学\n{Type of Work}: 硕士\n"
        "{ISBN}: 978-3-16-148410-0\n{Date}: 2019-01-29\n",
    )

    assert problems == []
    assert [raw.line for raw in raws] == [1, 12]
    assert raws[0].fields == {
        "title": ["Tides"],
        "abstract": ["Abstract\nWe study tides."],
        "author": ["Ada Noor", "Bo Lund"],
        "keyword": ["海", "风"],
        "type": ["Journal Article"],
        "affiliation": ["南京大学,江苏南京"],
        "note": ["11-3553/R"],
        "provider": ["CNKI"],
    }
    assert raws[1].fields == {
        "title": ["风"],
        "author": ["王伟"],
        "year": ["2019-01-29"],
        "type": ["Thesis"],
        "work type": ["硕士"],
        "supervisor": ["李娜"],
        "isbn": ["978-3-16-148410-0"],
        "publisher": ["南京大学"],
    }


def test_the_places_where_a_paper_is_from() -> None:
    raw = one(
        note_express.FORMAT,
        "{Reference Type}: Conference Proceedings\n{Title}: 潮汐\n{Tertiary Title}: 海洋论文集\n{Secondary Title}: 2018海洋年会\n",
    )

    assert raw.fields["venue"] == ["2018海洋年会", "海洋论文集"]


def test_braces_in_a_text_are_no_field() -> None:
    raw = one(note_express.FORMAT, "{Reference Type}: Map\n{Abstract}: The set\n{x} is small.\n{}: nothing\n")

    assert raw.fields["abstract"] == ["The set\n{x} is small.\n{}: nothing"]
