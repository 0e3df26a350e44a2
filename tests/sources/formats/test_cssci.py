"""The text of CSSCI."""

from __future__ import annotations

from rag_qa.sources.formats import cssci
from tests.sources.formats.test_tagged import parts

HEADING = "南京大学中国社会科学研究评价中心\n数字文献处理系统 版本：2.1\n版权所有 (C) 2000 - 2001 CSSCI Corp.\n\n\n"
RECORD = (
    "【来源篇名】潮汐研究\n【英文篇名】On tides\n【来源作者】王伟/李娜\n【基    金】海洋基金(1)/风基金(2)\n【期    刊】海洋\n"
    "【第一机构】南京大学\n【机构名称】[王伟]南京大学./[李娜]南京大学.\n【第一作者】王伟\n【中图类号】P7\n【年代卷期】2019,38(040):132-137\n"
    "【关 键 词】海/风\n【基金类别】\n【参考文献】\n1.王.【海】.1999\n2.Park.Seas.2001\n"
    "-----------------------------------------------------------------------\n\n"
)


def test_a_file() -> None:
    raws, problems = parts(cssci.FORMAT, HEADING + RECORD + RECORD)

    assert cssci.FORMAT.claims(HEADING + RECORD)
    assert problems == []
    assert [raw.line for raw in raws] == [6, 23]
    assert raws[0].fields == {
        "title": ["潮汐研究"],
        "translated_title": ["On tides"],
        "author": ["王伟", "李娜"],
        "venue": ["海洋"],
        "keyword": ["海", "风"],
        "year": ["2019"],
        "volume": ["38"],
        "issue": ["040"],
        "pages": ["132-137"],
        "fund": ["海洋基金(1)/风基金(2)"],
        "affiliation": ["[王伟]南京大学./[李娜]南京大学."],
        "classification": ["P7"],
    }


def test_a_year_that_stands_alone() -> None:
    (raw,), _ = parts(cssci.FORMAT, "【来源篇名】潮汐\n【年代卷期】2019年\n")

    assert raw.fields == {"title": ["潮汐"], "year": ["2019年"]}
