"""The text of CSSCI (the Chinese Social Sciences Citation Index): `【来源篇名】` begins a record, and a row of hyphens ends it.

It has titles and what a paper cites, and no abstracts: the records find theirs in another file. What is cited (【参考文献】) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_qa.sources.formats import labelled, tagged
from rag_qa.sources.formats.labelled import Style
from rag_qa.sources.formats.tagged import Record
from rag_qa.sources.reader import Document, Format, Problem, Raw

_NAME = "CSSCI"
_LABEL = re.compile(r"[ \t]{0,3}【([^【】\n]{2,12})】(.*)", re.S)
_BEGINS = re.compile(r"^[ \t\ufeff]{0,9}【来源篇名】", re.M)
_HEADING = re.compile(r"南京大学中国社会科学研究评价中心")
_FIRST = "来源篇名"
_NAMES = {"中图类号": "classification", "基金": "fund", "基金类别": "fund type", "机构名称": "affiliation", "文章类型": "type"}
_KNOWN = frozenset(
    "文件序号 来源篇名 英文篇名 来源作者 文章类型 基金 期刊 第一机构 机构名称 学科分类 第一作者 中图类号 年代卷期 关键词 基金类别 参考文献".split()
)
_USED = frozenset("来源篇名 英文篇名 来源作者 文章类型 期刊 第一机构 第一作者 年代卷期 关键词 参考文献".split())
_ISSUE = re.compile(r"(?P<year>\d{4}),(?P<volume>[^():,]{0,20})(?:\((?P<issue>[^()]{0,20})\))?(?::(?P<pages>\S{1,60}))?")


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a text of CSSCI. Raises SourceError when it holds none."""
    return labelled.read(document, _STYLE, _raw)


def _label(line: str) -> tuple[str, str] | None:
    """
    >>> _label("【期    刊】情报杂志"), _label("【目的】研究")
    (('期刊', '情报杂志'), None)
    """
    match = _LABEL.fullmatch(line)
    label = "".join(match[1].split()) if match else ""
    return (label, match[2].strip(tagged.BLANKS)) if match and label in _KNOWN else None


def _begins(label: str, _open: Record | None) -> bool:
    return label == _FIRST


def _raw(record: Record, mapping: Mapping[str, str]) -> Raw:
    issue = _ISSUE.match("".join(record.texts("年代卷期")[:1]))
    known = {
        "title": record.texts(_FIRST),
        "translated_title": record.texts("英文篇名"),
        "author": labelled.words(record.texts("来源作者"), "/"),
        "venue": record.texts("期刊"),
        "keyword": labelled.words(record.texts("关键词"), "/"),
        "type": record.texts("文章类型"),
        **({name: [value] for name, value in issue.groupdict().items() if value} if issue else {"year": record.texts("年代卷期")}),
    }
    fields = tagged.fields_of(known, record, _NAMES, _USED, "\n")
    return Raw(record.line, tagged.by_hand(fields, record, mapping, "\n"))


def _claims(head: str) -> bool:
    first = next((line for line in tagged.with_line_feeds(head).split("\n") if line.strip(tagged.BLANKS)), "")
    return bool(_BEGINS.match(first) or (_HEADING.match(first.lstrip("\ufeff")) and _BEGINS.search(head)))


_STYLE = Style(_NAME, "records that begin with a line `【来源篇名】`", _label, _begins, heading=_HEADING, ends=re.compile(r"-{20,}"))
FORMAT = Format(_NAME, (), _claims, read)
