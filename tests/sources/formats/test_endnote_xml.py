"""EndNote XML, in the shapes that several programs give it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats.endnote_xml import FORMAT
from rag_qa.sources.reader import Problem, Raw, Trouble

NORMAL = '<style face="normal" font="default" size="100%">'
ENDNOTE = f"""<?xml version="1.0" encoding="UTF-8" ?><xml><records>
<record><database name="My.enl" path="C:\\My.enl">My.enl</database><source-app name="EndNote" version="20.4">EndNote</source-app>
<rec-number>12</rec-number><foreign-keys><key app="EN" db-id="abc">12</key></foreign-keys><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author>{NORMAL}Moor, A. B.</style></author><author>{NORMAL}Moss Group,</style></author></authors>
<secondary-authors><author>{NORMAL}Torf, C.</style></author></secondary-authors></contributors>
<auth-address>{NORMAL}Bog Institute.&#xD;Oslo.</style></auth-address>
<titles><title>{NORMAL}Moss at high CO</style><style face="subscript" font="default" size="100%">2</style>{NORMAL} and 10</style><style
face="superscript" font="default" size="100%">-3</style>{NORMAL} </style><style face="italic"
font="default" size="100%">M</style>{NORMAL} &amp; </style><style face="normal" font="Symbol" charset="2" size="100%">b</style></title>
<secondary-title>{NORMAL}J Peat</style></secondary-title></titles>
<periodical><full-title>{NORMAL}Journal of Peat</style></full-title><abbr-1>{NORMAL}J Peat</style></abbr-1></periodical>
<pages>{NORMAL}1-9</style></pages><volume>{NORMAL}12</style></volume><number>{NORMAL}3</style></number>
<keywords><keyword>{NORMAL}moss</style></keyword><keyword>{NORMAL}peat&#xD;bog</style></keyword></keywords>
<dates><year>{NORMAL}2019</style></year><pub-dates><date>{NORMAL}Jan 3</style></date></pub-dates></dates>
<isbn>{NORMAL}1234-567X (Electronic)&#xD;1234-5678 (Linking)</style></isbn>
<accession-num>{NORMAL}11223344</style></accession-num><work-type>{NORMAL}Review; Retracted Publication</style></work-type>
<abstract>{NORMAL}AIM: To look.&#xD;METHODS: We
waited (p &lt; 0.05).</style></abstract>
<notes>{NORMAL}Moor, A&#xD;Retraction in: Peat. 2022;1:1&#xD;A note in passing</style></notes>
<urls><related-urls><url>{NORMAL}https://a.b/c</style></url></related-urls><pdf-urls><url>internal-pdf://1/a.pdf</url></pdf-urls></urls>
<custom2>{NORMAL}PMC999</style></custom2><electronic-resource-num>{NORMAL}10.1000/x</style></electronic-resource-num>
<remote-database-provider>{NORMAL}NLM</style></remote-database-provider><language>{NORMAL}eng</style></language></record>
</records></xml>"""


def read(content: str) -> list[Raw | Problem]:
    return list(FORMAT.read(File("a.xml", content.encode())))


def only(record: str) -> dict[str, Sequence[str]]:
    (raw,) = read(f"<xml><records><record>{record}</record></records></xml>")
    assert isinstance(raw, Raw)
    return dict(raw.fields)


def test_a_record_of_endnote() -> None:
    (raw,) = read(ENDNOTE)

    assert isinstance(raw, Raw)
    assert (raw.line, raw.key, raw.markup) == (2, "12", "xml")
    assert dict(raw.fields) == {
        "title": ["Moss at high CO<sub>2</sub> and 10<sup>-3</sup> M & β"],
        "abstract": ["AIM: To look.\nMETHODS: We waited (p < 0.05)."],
        "author": ["Moor, A. B.", "Moss Group,"],
        "editor": ["Torf, C."],
        "year": ["2019"],
        "date": ["Jan 3"],
        "venue": ["J Peat", "Journal of Peat"],
        "journal abbreviation": ["J Peat"],
        "doi": ["10.1000/x"],
        "pmid": ["11223344"],
        "pmcid": ["PMC999"],
        "url": ["https://a.b/c"],
        "file": ["internal-pdf://1/a.pdf"],
        "keyword": ["moss", "peat", "bog"],
        "language": ["eng"],
        "type": ["Review", "Retracted Publication", "Journal Article"],
        "notice": ["Retraction in: Peat. 2022;1:1"],
        "note": ["Moor, A\nRetraction in: Peat. 2022;1:1\nA note in passing"],
        "issn": ["1234-567X (Electronic)\n1234-5678 (Linking)"],
        "volume": ["12"],
        "issue": ["3"],
        "pages": ["1-9"],
        "affiliation": ["Bog Institute.\nOslo."],
        "database provider": ["NLM"],
    }


def test_runs_on_lines_of_their_own_are_one_text() -> None:
    title = '\n  <style face="normal">CO</style>\n  <style face="subscript">2</style>\n  <style face="normal"> and\n     more</style>\n'

    assert only(f"<titles><title>{title}</title></titles>")["title"] == ["CO<sub>2</sub> and more"]


def test_records_without_styles() -> None:
    fields = only(
        "<ref-type>6</ref-type><titles><title>Moss</title><secondary-title>Guides</secondary-title></titles><dates><year>2020</year></dates>"
    )

    assert fields == {"type": ["Book"], "series": ["Guides"], "title": ["Moss"], "year": ["2020"]}


def test_the_names_of_endnote_7() -> None:
    content = """<XML><RECORDS><RECORD><REFERENCE_TYPE>0</REFERENCE_TYPE><REFNUM>4</REFNUM><AUTHORS><AUTHOR>Moor, A</AUTHOR>
</AUTHORS><YEAR>1999</YEAR><TITLE>Moss</TITLE><SECONDARY_TITLE>Peat</SECONDARY_TITLE><KEYWORDS><KEYWORD>bog</KEYWORD></KEYWORDS>
<ABSTRACT>It grows.</ABSTRACT></RECORD></RECORDS></XML>"""
    (raw,) = read(content)

    assert FORMAT.claims(content)
    assert isinstance(raw, Raw)
    assert raw.key == "4"
    assert dict(raw.fields) == {
        "type": ["Journal Article"],
        "venue": ["Peat"],
        "author": ["Moor, A"],
        "year": ["1999"],
        "title": ["Moss"],
        "keyword": ["bog"],
        "abstract": ["It grows."],
    }


MENDELEY = '<database name="a.enl" path="{}">a.enl</database>'
PUBMED = "<urls><related-urls><url>{}</url></related-urls></urls>"


@pytest.mark.parametrize(
    ("given_fields", "name"),
    [
        ("<accession-num>123</accession-num><remote-database-name>MEDLINE</remote-database-name>", "pmid"),
        ("<accession-num>123</accession-num><remote-database-name>PsycInfo</remote-database-name>", "accession number"),
        ("<accession-num>WOS:1</accession-num><remote-database-provider>NLM</remote-database-provider>", "accession number"),
        ("<accession-num>123</accession-num>", "accession number"),
        ("<accession-num>123456789</accession-num><remote-database-name>MEDLINE</remote-database-name>", "accession number"),
        (f"<accession-num>123</accession-num>{PUBMED.format('https://www.ncbi.nlm.nih.gov/pubmed/123')}", "pmid"),
        (f"<accession-num>123</accession-num>{PUBMED.format('https://pubmed.ncbi.nlm.nih.gov/123/')}", "pmid"),
        (f"<accession-num>123</accession-num>{PUBMED.format('https://pubmed.ncbi.nlm.nih.gov/124/')}", "accession number"),
        (f'{MENDELEY.format("a.enl")}<ref-type name="Journal Article">0</ref-type><accession-num>123</accession-num>', "pmid"),
        (f'{MENDELEY.format("a.enl")}<ref-type name="Journal Article">0</ref-type><accession-num>WOS:1</accession-num>', "accession number"),
        (f'{MENDELEY.format("C:/a.enl")}<ref-type name="Journal Article">0</ref-type><accession-num>123</accession-num>', "accession number"),
        (f'{MENDELEY.format("a.enl")}<ref-type name="Journal Article">17</ref-type><accession-num>123</accession-num>', "accession number"),
        ("<isbn>978-1-4028-9462-6</isbn>", "isbn"),
        ("<isbn>1234-567X</isbn>", "issn"),
        ("<custom2>a note</custom2>", "custom2"),
    ],
)
def test_numbers_are_what_they_look_like(given_fields: str, name: str) -> None:
    assert name in only(given_fields)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("Journal Article", "venue"), ("Book Section", "venue"), ("Conference Proceedings", "venue"), ("Book", "series"), ("Thesis", "series")],
)
def test_the_second_title_is_where_a_part_stands(kind: str, name: str) -> None:
    assert only(f'<ref-type name="{kind}"/><titles><secondary-title>X</secondary-title></titles>')[name] == ["X"]


def test_records_that_are_empty_or_broken_cost_themselves_alone() -> None:
    content = "<xml><records><record><titles><title>One</title></titles></record>\n<record></record>\n<record><titles></record>\n<record>"

    assert [(each.line, each.kind if isinstance(each, Problem) else "") for each in read(content)] == [
        (1, ""),
        (2, Trouble.NOT_A_PAPER),
        (3, Trouble.MALFORMED),
        (4, Trouble.MALFORMED),
    ]


# ---------------------------------------------------------------------------------------------------------------------- claims


def test_it_claims_its_own() -> None:
    assert FORMAT.claims(ENDNOTE)
    assert FORMAT.claims("<records><record><contributors>")


@pytest.mark.parametrize(
    "head",
    [
        "",
        "TY  - JOUR\nTI  - <xml><records><record><ref-type>",
        "<PubmedArticleSet><PubmedArticle>",
        "<collection><record><leader>00000</leader><datafield/></record></collection>",
        "<OAI-PMH><ListRecords><record><header>",
        "<xml><records></records></xml>",
    ],
)
def test_it_does_not_claim_others(head: str) -> None:
    assert not FORMAT.claims(head)


# ------------------------------------------------------------------------------------------------------------------ properties

TEXT = st.text(st.sampled_from("ab <&é−\u2009'\""), min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(st.fixed_dictionaries({"title": TEXT, "abstract": TEXT, "author": TEXT, "electronic-resource-num": TEXT}), min_size=1, max_size=4))
def test_written_records_read_back(papers: list[dict[str, str]]) -> None:
    content = "".join(
        f"<record>{''.join(f'<{name}>{NORMAL}{escape(text)}</style></{name}>' for name, text in each.items())}</record>\n" for each in papers
    )
    content = content.replace("<author>", "<authors><author>").replace("</author>", "</author></authors>")
    results = read(f"<xml><records>{content}</records></xml>")

    assert [dict(raw.fields) for raw in results if isinstance(raw, Raw)] == [
        {"title": [each["title"]], "abstract": [each["abstract"]], "author": [each["author"]], "doi": [each["electronic-resource-num"]]}
        for each in papers
    ]


@given(st.lists(st.tuples(st.integers(0, len(ENDNOTE) - 1), st.text(st.sampled_from("<>&/\"' \n\0é"), max_size=2)), min_size=1, max_size=8))
def test_any_spoilt_file_gives_records_problems_or_a_refusal(changes: list[tuple[int, str]]) -> None:
    content = ENDNOTE
    for at, change in changes:
        content = content[:at] + change + content[at + 1 :]
    try:
        results = read(content)
    except SourceError:
        return
    assert all(isinstance(each, Raw | Problem) for each in results)


# ------------------------------------------------------------------------------------------------------------------ real files


def test_a_real_file(shared_data: Path) -> None:
    document = File("a.xml", (shared_data / "exports" / "reflib_multipart_endnote.xml").read_bytes())
    (raw,) = FORMAT.read(document)

    assert FORMAT.claims(document.head())
    assert isinstance(raw, Raw)
    assert (raw.line, raw.key) == (4, "1 & 2")
    assert dict(raw.fields) == {
        "type": ["Journal Article"],
        "venue": ["Foo & Journal"],
        "author": ["Foo & Bar", "Baz & Quz"],
        "affiliation": ["Foo & Bar"],
        "title": ["Foo & Bar"],
        "keyword": ["Foo & Bar", "Baz & Quz"],
        "abstract": ["Foo & Bar"],
    }
