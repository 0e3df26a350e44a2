"""CNKI's own text, in both of its forms."""

from __future__ import annotations

from rag_qa.sources.formats import cnki
from tests.sources.formats.test_tagged import one, parts

E_STUDY = (
    "DataType: 1\nTitle-题名: 潮汐研究\nAuthor-作者: 王伟;李娜;\nSource-刊名: 海洋\nYear-年: 2021\nPubTime-出版时间: 2021-01-18\n"
    "Keyword-关键词: 海;风\nSummary-摘要: <正>研究潮汐。\nPeriod-期: 01\nRoll-卷: 19\nPageCount-页数: 3\nPage-页码: 168-170\n"
    "SrcDatabase-来源库: 期刊\nOrgan-机构: 南京大学;\nLink-链接: https://example.org/1\n"
)
CUSTOM = (
    "SrcDatabase-来源库: 硕士\nTitle-题名: 风的研究\nAuthor-作者:张三\nOrgan-单位: 南京大学\nSource-文献来源: 南京大学\n"
    "Keyword-关键词: 风;;海\nSummary-摘要: 研究风。\nPubTime-发表时间: 2019-05-01\nFirstDuty-第一责任人: 张三;\nFund-基金: 海洋基金\n"
    "Year-年: 2019\nPeriod-期: 07\nPageCount-页码: 12-20\nCLC-中图分类号: P7\nURL-网址: https://example.org/2\nDOI-DOI: 10.1000/sea.7\n\n"
)


def test_the_text_of_e_study() -> None:
    raws, problems = parts(cnki.FORMAT, E_STUDY + E_STUDY)

    assert problems == []
    assert [raw.line for raw in raws] == [1, 16]
    assert raws[0].fields == {
        "title": ["潮汐研究"],
        "abstract": ["研究潮汐。"],
        "author": ["王伟", "李娜"],
        "year": ["2021", "2021-01-18"],
        "venue": ["海洋"],
        "url": ["https://example.org/1"],
        "keyword": ["海", "风"],
        "type": ["期刊"],
        "pages": ["168-170"],
        "data type": ["1"],
        "issue": ["01"],
        "volume": ["19"],
        "number of pages": ["3"],
        "affiliation": ["南京大学;"],
    }


def test_the_custom_export() -> None:
    raws, problems = parts(cnki.FORMAT, CUSTOM + CUSTOM)

    assert cnki.FORMAT.claims(CUSTOM)
    assert problems == []
    assert [raw.line for raw in raws] == [1, 18]
    assert raws[0].fields == {
        "title": ["风的研究"],
        "abstract": ["研究风。"],
        "author": ["张三"],
        "year": ["2019", "2019-05-01"],
        "venue": ["南京大学"],
        "doi": ["10.1000/sea.7"],
        "url": ["https://example.org/2"],
        "keyword": ["风", "海"],
        "type": ["硕士"],
        "pages": ["12-20"],
        "affiliation": ["南京大学"],
        "first author": ["张三;"],
        "fund": ["海洋基金"],
        "issue": ["07"],
        "classification": ["P7"],
    }


def test_a_record_may_begin_with_its_title() -> None:
    raws, _ = parts(cnki.FORMAT, "Title-题名: 潮汐\nYear-年: 2021\nTitle-题名: 风\nYear-年: 2022\n")

    assert [raw.fields["title"] for raw in raws] == [["潮汐"], ["风"]]


def test_the_university_of_a_thesis_is_no_journal() -> None:
    raw = one(cnki.FORMAT, "DataType: 2\nTitle-题名: 潮汐\nSource-学位授予单位: 南京大学\n")

    assert raw.fields == {"title": ["潮汐"], "data type": ["2"], "publisher": ["南京大学"]}
