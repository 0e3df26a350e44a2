"""PubMed XML and that of Europe PMC."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats.pubmed_xml import FORMAT
from rag_qa.sources.reader import Problem, Raw, Trouble

ARTICLE = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">
<PubmedArticleSet>
<PubmedArticle>
  <MedlineCitation Status="MEDLINE" Owner="NLM">
    <PMID Version="1">11223344</PMID>
    <DateRevised><Year>2024</Year></DateRevised>
    <Article PubModel="Print-Electronic">
      <Journal>
        <ISSN IssnType="Electronic">1234-567X</ISSN>
        <JournalIssue><Volume>12</Volume><Issue>3</Issue><PubDate><MedlineDate>2019 Dec-2020 Jan</MedlineDate></PubDate></JournalIssue>
        <Title>Journal of peat &amp; moss</Title><ISOAbbreviation>J Peat Moss</ISOAbbreviation>
      </Journal>
      <ArticleTitle>Growth of <i>Sphagnum</i> at high CO<sub>2</sub>:
          a trial.</ArticleTitle>
      <Pagination><StartPage>11</StartPage><EndPage>19</EndPage></Pagination>
      <ELocationID EIdType="pii" ValidYN="Y">e77</ELocationID>
      <ELocationID EIdType="doi" ValidYN="N">10.1000/wrong</ELocationID>
      <ELocationID EIdType="doi" ValidYN="Y">10.1000/moss.77</ELocationID>
      <Abstract>
        <AbstractText Label="AIM" NlmCategory="OBJECTIVE">To see whether moss grows (P &lt; 0.05).</AbstractText>
        <AbstractText Label="METHODS:" NlmCategory="METHODS">We
            waited.</AbstractText>
        <AbstractText Label="UNLABELLED" NlmCategory="UNASSIGNED">It grew.</AbstractText>
        <AbstractText Label="FUNDING"/>
        <CopyrightInformation>Copyright © 2020 The Authors.</CopyrightInformation>
      </Abstract>
      <AuthorList CompleteYN="Y">
        <Author ValidYN="Y"><LastName>Moor</LastName><ForeName>Ada B</ForeName><Initials>AB</Initials><Suffix>Jr</Suffix>
          <AffiliationInfo><Affiliation>Bog Institute, Oslo.</Affiliation></AffiliationInfo></Author>
        <Author ValidYN="N"><LastName>Mistyped</LastName><Initials>X</Initials></Author>
        <Author ValidYN="Y"><LastName>Torf</LastName><Initials>C</Initials></Author>
        <Author ValidYN="Y"><CollectiveName>Moss Study Group</CollectiveName></Author>
      </AuthorList>
      <Language>nor</Language>
      <PublicationTypeList>
        <PublicationType UI="D016428">Journal Article</PublicationType><PublicationType UI="D016449">Randomized Controlled Trial</PublicationType>
      </PublicationTypeList>
      <VernacularTitle>Vekst av torvmose.</VernacularTitle>
      <ArticleDate DateType="Electronic"><Year>2019</Year><Month>11</Month><Day>02</Day></ArticleDate>
    </Article>
    <CommentsCorrectionsList>
      <CommentsCorrections RefType="RetractionIn"><RefSource>J Peat Moss. 2021;13:1</RefSource><PMID Version="1">55667788</PMID></CommentsCorrections>
      <CommentsCorrections RefType="ErratumFor"><RefSource>J Peat Moss. 2018;11:1</RefSource></CommentsCorrections>
      <CommentsCorrections RefType="CorrectedandRepublishedFrom"/>
      <CommentsCorrections RefType="CommentIn"><RefSource>Nature. 2021</RefSource></CommentsCorrections>
      <CommentsCorrections RefType="Cites"><RefSource>Science. 1999</RefSource></CommentsCorrections>
    </CommentsCorrectionsList>
    <MeshHeadingList>
      <MeshHeading><DescriptorName UI="D1">Sphagnopsida</DescriptorName><QualifierName UI="Q1">growth</QualifierName></MeshHeading>
    </MeshHeadingList>
    <OtherAbstract Type="Publisher" Language="nor"><AbstractText>Mosen vokste.</AbstractText></OtherAbstract>
    <OtherAbstract Type="plain-language-summary" Language="eng"><AbstractText>Moss grows.</AbstractText></OtherAbstract>
    <KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">peat</Keyword></KeywordList>
  </MedlineCitation>
  <PubmedData>
    <ArticleIdList>
      <ArticleId IdType="pubmed">11223344</ArticleId><ArticleId IdType="pmc">PMC999</ArticleId><ArticleId IdType="doi">10.1000/moss.77</ArticleId>
    </ArticleIdList>
    <ReferenceList><Reference><Citation>A work that is cited.</Citation>
      <ArticleIdList><ArticleId IdType="pubmed">1</ArticleId><ArticleId IdType="doi">10.1000/cited</ArticleId></ArticleIdList>
    </Reference></ReferenceList>
  </PubmedData>
</PubmedArticle>
</PubmedArticleSet>
"""


def read(content: str) -> list[Raw | Problem]:
    return list(FORMAT.read(File("a.xml", content.encode())))


def only(content: str) -> dict[str, Sequence[str]]:
    (raw,) = read(content)
    assert isinstance(raw, Raw)
    return dict(raw.fields)


def cited(citation: str) -> str:
    return f"<PubmedArticleSet><PubmedArticle><MedlineCitation>{citation}</MedlineCitation></PubmedArticle></PubmedArticleSet>"


# -------------------------------------------------------------------------------------------------------------------- articles


def test_an_article() -> None:
    (raw,) = read(ARTICLE)

    assert isinstance(raw, Raw)
    assert (raw.line, raw.key, raw.markup) == (4, "pmid 11223344", "xml")
    assert dict(raw.fields) == {
        "title": ["Growth of <i>Sphagnum</i> at high CO<sub>2</sub>: a trial."],
        "translated_title": ["Vekst av torvmose."],
        "abstract": ["AIM: To see whether moss grows (P < 0.05).\nMETHODS: We waited.\nIt grew.", "Mosen vokste."],
        "author": ["Moor, Ada B Jr", "Torf, C", "Moss Study Group"],
        "year": ["2019 Dec-2020 Jan", "2019 11 02"],
        "venue": ["Journal of peat & moss"],
        "doi": ["10.1000/moss.77"],
        "pmid": ["11223344"],
        "keyword": ["peat", "Sphagnopsida"],
        "language": ["nor"],
        "type": ["Randomized Controlled Trial", "Journal Article"],
        "notice": [
            "Retraction in: J Peat Moss. 2021;13:1 PMID: 55667788",
            "Erratum for: J Peat Moss. 2018;11:1",
            "Corrected and republished from:",
        ],
        "comment in": ["Nature. 2021"],
        "volume": ["12"],
        "issue": ["3"],
        "pages": ["11-19"],
        "issn": ["1234-567X"],
        "journal abbreviation": ["J Peat Moss"],
        "affiliation": ["Bog Institute, Oslo."],
        "copyright": ["Copyright © 2020 The Authors."],
        "pii": ["e77"],
        "pmcid": ["PMC999"],
        "plain language summary": ["Moss grows."],
    }


def test_a_citation_without_its_article_is_a_record_too() -> None:
    citation = "<MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Moss.</ArticleTitle></Article></MedlineCitation>"

    assert only(f"<MedlineCitationSet>{citation}</MedlineCitationSet>") == {"title": ["Moss."], "pmid": ["7"]}
    assert only(citation) == {"title": ["Moss."], "pmid": ["7"]}


def test_a_title_that_is_not_there_is_that_of_the_original() -> None:
    fields = only(cited("<Article><ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Moos.</VernacularTitle></Article>"))

    assert fields == {"title": ["Moos."]}


def test_formulas_stay_as_they_are() -> None:
    formula = '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>'
    (abstract,) = only(cited(f"<Article><Abstract><AbstractText>Of {formula}.</AbstractText></Abstract></Article>"))["abstract"]

    assert abstract == "Of <math><msup><mi>x</mi><mn>2</mn></msup></math>."


def test_records_that_are_empty_or_broken_cost_themselves_alone() -> None:
    good = cited("<PMID>1</PMID><Article><ArticleTitle>Good.</ArticleTitle></Article>")
    content = f"{good}\n<PubmedArticle>\n</PubmedArticle>\n<PubmedArticle>wrong\n<PubmedBookArticle><i></PubmedBookArticle>\n{good}"

    results = read(content)

    assert [(each.line, each.kind if isinstance(each, Problem) else each.key) for each in results] == [
        (1, "pmid 1"),
        (2, Trouble.NOT_A_PAPER),
        (4, Trouble.MALFORMED),
        (5, Trouble.MALFORMED),
        (6, "pmid 1"),
    ]


# ----------------------------------------------------------------------------------------------------------------------- books

BOOK = """<PubmedBookArticle><BookDocument><PMID Version="1">21</PMID>
<ArticleIdList><ArticleId IdType="bookaccession">NBK5</ArticleId><ArticleId IdType="doi">10.1000/b.5</ArticleId></ArticleIdList>
<Book><Publisher><PublisherName>Bog Press</PublisherName><PublisherLocation>Oslo</PublisherLocation></Publisher>
<BookTitle book="moss">Moss: a guide</BookTitle><PubDate><Year>2009</Year><Month>02</Month></PubDate>
<AuthorList Type="authors"><Author><CollectiveName>Moss Centre (UK)</CollectiveName></Author></AuthorList>
<AuthorList Type="editors"><Author><LastName>Torf</LastName><ForeName>Cy</ForeName></Author></AuthorList>
<CollectionTitle>Guides</CollectionTitle><ELocationID EIdType="doi">10.1000/b</ELocationID><Isbn>9781860163593</Isbn></Book>
CHAPTER
<Language>eng</Language><PublicationType UI="D016454">Review</PublicationType>
<Abstract><AbstractText>All about moss.</AbstractText></Abstract>
<Sections><Section><SectionTitle>Not the title</SectionTitle></Section></Sections></BookDocument>
<PubmedBookData><History><PubMedPubDate PubStatus="pubmed"><Year>2011</Year></PubMedPubDate></History>
<ArticleIdList><ArticleId IdType="pubmed">21</ArticleId></ArticleIdList></PubmedBookData></PubmedBookArticle>"""


def test_a_book() -> None:
    assert only(BOOK.replace("CHAPTER", "")) == {
        "title": ["Moss: a guide"],
        "abstract": ["All about moss."],
        "author": ["Moss Centre (UK)"],
        "editor": ["Torf, Cy"],
        "year": ["2009 02"],
        "doi": ["10.1000/b.5", "10.1000/b"],
        "pmid": ["21"],
        "language": ["eng"],
        "type": ["Review", "Book"],
        "publisher": ["Bog Press"],
        "address": ["Oslo"],
        "series": ["Guides"],
        "isbn": ["9781860163593"],
        "bookshelf id": ["NBK5"],
    }


def test_a_chapter_stands_in_its_book() -> None:
    chapter = (
        "<ArticleTitle>Peat.</ArticleTitle><AuthorList Type='authors'><Author><LastName>Moor</LastName><ForeName>Ada</ForeName></Author></AuthorList>"
    )
    fields = only(BOOK.replace("CHAPTER", chapter))

    assert (fields["title"], fields["venue"], fields["author"]) == (["Peat."], ["Moss: a guide"], ["Moor, Ada"])
    assert (fields["type"], fields["doi"]) == (["Review", "Book Chapter"], ["10.1000/b.5"])


# ------------------------------------------------------------------------------------------------------------------ Europe PMC

EUROPE = """<?xml version="1.0" encoding="UTF-8"?>
<responseWrapper><hitCount>1</hitCount><resultList>
<result><id>33</id><source>MED</source><pmid>33</pmid><pmcid>PMC3</pmcid><doi>10.1000/e</doi><title>Moss in spring.</title>
<authorString>Moor A, Torf C.</authorString>
<authorList><author><fullName>Moor A</fullName><firstName>Ada</firstName><lastName>Moor</lastName><initials>A</initials></author>
<author><collectiveName>Moss Group</collectiveName></author></authorList>
<journalInfo><issue>1</issue><volume>2</volume><journal><title>Peat</title></journal></journalInfo><pubYear>2021</pubYear>
<abstractText>&lt;h4&gt;Aim&lt;/h4&gt;To look.</abstractText><language>eng</language>
<pubTypeList><pubType>Journal Article</pubType><pubType>Retracted Publication</pubType></pubTypeList>
<keywordList><keyword>moss</keyword></keywordList>
<commentCorrectionList><commentCorrection><id>44</id><type>Retraction in</type><reference>Peat. 2022</reference></commentCorrection>
<commentCorrection><id>45</id><type>Comment in</type></commentCorrection></commentCorrectionList></result>
<result><id>PPR1</id><source>PPR</source><title>Preprint.</title><authorString>Moor A, Torf C.</authorString></result>
</resultList></responseWrapper>"""


def test_results_of_europe_pmc() -> None:
    first, second = read(EUROPE)

    assert isinstance(first, Raw)
    assert isinstance(second, Raw)
    assert dict(first.fields) == {
        "title": ["Moss in spring."],
        "abstract": ["<h4>Aim</h4>To look."],
        "author": ["Moor, Ada", "Moss Group"],
        "year": ["2021"],
        "venue": ["Peat"],
        "doi": ["10.1000/e"],
        "pmid": ["33"],
        "pmcid": ["PMC3"],
        "keyword": ["moss"],
        "language": ["eng"],
        "type": ["Retracted Publication", "Journal Article"],
        "notice": ["Retraction in: Peat. 2022 44"],
        "volume": ["2"],
        "issue": ["1"],
    }
    assert (second.line, second.key) == (13, "id PPR PPR1")
    assert second.fields["author"] == ["Moor A", "Torf C"]


# ---------------------------------------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize("head", [ARTICLE, BOOK, EUROPE, "<PubmedArticleSet/>", "\ufeff<MedlineCitationSet>"])
def test_it_claims_its_own(head: str) -> None:
    assert FORMAT.claims(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "PMID- 1\nTI  - <PubmedArticle>",
        "title,abstract\na,<PubmedArticle>",
        "<xml><records><record>",
        "<feed>",
        "<eSearchResult>",
        "<resultList><result>1",
    ],
)
def test_it_does_not_claim_others(head: str) -> None:
    assert not FORMAT.claims(head)


# ------------------------------------------------------------------------------------------------------------------ properties

TEXT = st.text(st.sampled_from("ab <&é−\u2009'\""), min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(st.fixed_dictionaries({"title": TEXT, "abstract": TEXT, "family": TEXT, "given": TEXT}), min_size=1, max_size=4))
def test_written_records_read_back(papers: list[dict[str, str]]) -> None:
    content = "".join(
        f"<PubmedArticle><MedlineCitation><Article><ArticleTitle>{escape(paper['title'])}</ArticleTitle><Abstract><AbstractText>"
        f"{escape(paper['abstract'])}</AbstractText></Abstract><AuthorList><Author><LastName>{escape(paper['family'])}</LastName>"
        f"<ForeName>{escape(paper['given'])}</ForeName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>\n"
        for paper in papers
    )
    results = read(f"<PubmedArticleSet>{content}</PubmedArticleSet>")

    assert [dict(raw.fields) for raw in results if isinstance(raw, Raw)] == [
        {"title": [paper["title"]], "abstract": [paper["abstract"]], "author": [f"{paper['family']}, {paper['given']}"]} for paper in papers
    ]


@given(st.lists(st.tuples(st.integers(0, len(ARTICLE) - 1), st.text(st.sampled_from("<>&/\"' \n\0é"), max_size=2)), min_size=1, max_size=8))
def test_any_spoilt_file_gives_records_problems_or_a_refusal(changes: list[tuple[int, str]]) -> None:
    content = ARTICLE + BOOK + EUROPE
    for at, change in changes:
        content = content[:at] + change + content[at + 1 :]
    try:
        results = read(content)
    except SourceError:
        return
    assert all(isinstance(each, Raw | Problem) for each in results)


# ------------------------------------------------------------------------------------------------------------------ real files


@pytest.mark.parametrize(
    ("name", "records", "abstracts"),
    [
        ("biopython_pubmed1.xml", 2, 1),
        ("biopython_pubmed2.xml", 2, 2),
        ("biopython_pubmed4.xml", 1, 1),
        ("biopython_pubmed5.xml", 1, 1),
        ("biopython_pubmed7.xml", 1, 1),
        ("jabref_medline_italics.xml", 1, 1),
        ("jabref_pubmed_book.xml", 1, 1),
    ],
)
def test_real_files(shared_data: Path, name: str, records: int, abstracts: int) -> None:
    path = shared_data / "exports" / name
    document = File(name, path.read_bytes())

    results = list(FORMAT.read(document))

    assert FORMAT.claims(document.head())
    assert all(isinstance(each, Raw) for each in results)
    assert len(results) == records
    assert sum("abstract" in each.fields for each in results if isinstance(each, Raw)) == abstracts


def test_the_ids_of_cited_works_are_not_those_of_the_paper(shared_data: Path) -> None:
    (raw,) = FORMAT.read(File("a.xml", (shared_data / "exports" / "biopython_pubmed7.xml").read_bytes()))

    assert isinstance(raw, Raw)
    assert (raw.fields["doi"], raw.fields["pmid"]) == (["10.1117/1.JMI.5.2.026002"], ["29963580"])
