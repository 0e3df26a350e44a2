"""Feeds of arXiv, and records harvested from archives."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats.atom import FORMAT
from rag_qa.sources.reader import Problem, Raw, Trouble

FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id>
  <title>arXiv Query: search_query=moss</title>
  ENTRIES
</feed>"""
ENTRY = """<entry>
    <id>http://arxiv.org/abs/hep-th/9901001v2</id>
    <title>Moss and
      $\\alpha$-strings</title>
    <updated>2001-02-03T00:00:00Z</updated>
    <published>1999-01-02T00:00:00Z</published>
    <link href="https://arxiv.org/abs/hep-th/9901001v2" rel="alternate" type="text/html"/>
    <summary>  We study moss,
  with $p &lt; 0.05$.

  It grows.
</summary>
    <author><name>Ada Moor</name><arxiv:affiliation>Bog Institute</arxiv:affiliation></author>
    <author><name>Cy Torf</name><arxiv:affiliation>Bog Institute</arxiv:affiliation></author>
    <arxiv:doi>10.1000/x</arxiv:doi>
    <arxiv:comment>12 pages</arxiv:comment>
    <arxiv:journal_ref>J. Peat 12 (2001) 1</arxiv:journal_ref>
    <arxiv:primary_category term="hep-th"/>
    <category term="hep-th"/><category term="q-bio"/>
  </entry>"""


def read(content: str) -> list[Raw | Problem]:
    return list(FORMAT.read(File("a.xml", content.encode())))


def feed(*entries: str) -> str:
    return FEED.replace("ENTRIES", "\n".join(entries))


def only(content: str) -> dict[str, Sequence[str]]:
    (raw,) = read(content)
    assert isinstance(raw, Raw)
    return dict(raw.fields)


# ------------------------------------------------------------------------------------------------------------------------ Atom


def test_an_entry() -> None:
    (raw,) = read(feed(ENTRY))

    assert isinstance(raw, Raw)
    assert (raw.line, raw.key, raw.markup) == (5, "hep-th/9901001v2", "xml")
    assert dict(raw.fields) == {
        "title": ["Moss and $\\alpha$-strings"],
        "abstract": ["We study moss, with $p < 0.05$. It grows."],
        "author": ["Ada Moor", "Cy Torf"],
        "year": ["1999-01-02T00:00:00Z", "2001-02-03T00:00:00Z"],
        "arxiv": ["hep-th/9901001v2"],
        "doi": ["10.1000/x"],
        "url": ["http://arxiv.org/abs/hep-th/9901001v2"],
        "type": ["preprint"],
        "comment": ["12 pages"],
        "journal reference": ["J. Peat 12 (2001) 1"],
        "category": ["hep-th", "q-bio"],
        "affiliation": ["Bog Institute"],
    }


def test_other_prefixes_mean_the_same() -> None:
    prefixed = ENTRY.replace("arxiv:", "ns1:")
    for name in ("entry", "id", "title", "published", "updated", "summary", "author", "name", "category", "link"):
        prefixed = prefixed.replace(f"<{name}", f"<ns0:{name}").replace(f"</{name}", f"</ns0:{name}")

    assert only(f'<ns0:feed xmlns:ns0="http://www.w3.org/2005/Atom">{prefixed}</ns0:feed>') == only(feed(ENTRY))


def test_an_error_of_arxiv_is_no_paper() -> None:
    error = "<entry><id>https://arxiv.org/api/errors#incorrect_id</id><title>Error</title><summary>incorrect id format for abc</summary></entry>"
    (problem,) = read(feed(error))

    assert isinstance(problem, Problem)
    assert (problem.line, problem.kind) == (5, Trouble.NOT_A_PAPER)
    assert "'incorrect id format for abc'" in problem.reason
    assert [type(each) for each in read(feed(error, ENTRY))] == [Problem, Raw]


def test_an_entry_of_another_site_is_no_paper() -> None:
    other = "<entry><id>tag:blog,2020:1</id><title>My cat</title></entry>"

    assert [(each.line, type(each)) for each in read(feed(other, ENTRY, other))] == [(5, Problem), (6, Raw), (26, Problem)]


def test_a_feed_of_something_else_is_refused() -> None:
    other = "<entry><id>tag:blog,2020:1</id><title>My cat</title></entry>"

    with pytest.raises(SourceError, match=r"^a\.xml:5: found a feed of something else than papers"):
        read(feed(other, other))
    with pytest.raises(SourceError, match="holds no record that can be read"):
        read("<rss><channel><item><title>News</title></item></channel></rss>")
    with pytest.raises(SourceError, match="holds no record that can be read"):
        read(feed())


@pytest.mark.parametrize(
    ("summary", "comment", "is_withdrawn"),
    [
        ("This paper has been withdrawn by the author due to an error in Lemma 3.", "", True),
        ("We prove a lemma. [This submission was withdrawn by arXiv admins]", "", True),
        ("Withdrawn.", "", True),
        ("We prove a lemma.", "Paper withdrawn", True),
        ("We prove a lemma.", "This paper is withdrawn; 3 pages", True),
        ("We prove a lemma.", "withdrawn by the authors", True),
        ("We ask why the drug was withdrawn, and why papers have been withdrawn by journals.", "3 pages", False),
        ("We prove a lemma.", "about a withdrawn submission", False),
    ],
)
def test_a_withdrawn_paper_says_so(summary: str, comment: str, is_withdrawn: bool) -> None:
    entry = f"<entry><id>http://arxiv.org/abs/2001.00001v1</id><summary>{summary}</summary><comment>{comment}</comment></entry>"
    notices = only(feed(entry)).get("notice", [])

    assert bool(notices) is is_withdrawn
    assert all(notice.startswith("Withdrawn: ") for notice in notices)


# --------------------------------------------------------------------------------------------------------------------- OAI-PMH

HARVEST = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:arXiv.org:2001.00001</identifier></header><metadata><arXiv>
<id>2001.00001</id><created>2020-01-02</created><authors><author><keyname>Moor</keyname><forenames>Ada</forenames><suffix>Jr</suffix></author>
<author><keyname>Moss Group</keyname></author></authors><title>Moss</title><categories>q-bio math.CO</categories><comments>3 pages</comments>
<doi>10.1000/x</doi><abstract>  It
grows.</abstract></arXiv></metadata></record>
<record><header status="deleted"><identifier>oai:a:2</identifier></header></record>
<record><header><identifier>oai:a:3</identifier></header><metadata><oai_dc:dc xmlns:oai_dc="x"><dc:title>Peat</dc:title><dc:title>Torf</dc:title>
<dc:creator>Torf, Cy</dc:creator><dc:subject>bog</dc:subject><dc:description>All of peat.</dc:description>
<dc:description>Comment: 3 pages</dc:description>
<dc:date>2019-05-06</dc:date><dc:type>thesis</dc:type><dc:identifier>https://doi.org/10.1000/y</dc:identifier><dc:identifier>http://a.b/c</dc:identifier>
<dc:language>de</dc:language></oai_dc:dc></metadata></record>
<record><header><identifier>oai:a:4</identifier></header><metadata><mods><title>x</title></mods></metadata></record>
</ListRecords></OAI-PMH>"""


def test_harvested_records() -> None:
    arxiv, deleted, dublin_core, other = read(HARVEST)

    assert isinstance(arxiv, Raw)
    assert dict(arxiv.fields) == {
        "title": ["Moss"],
        "abstract": ["It grows."],
        "author": ["Moor, Ada Jr", "Moss Group"],
        "year": ["2020-01-02"],
        "arxiv": ["2001.00001"],
        "doi": ["10.1000/x"],
        "type": ["preprint"],
        "comment": ["3 pages"],
        "category": ["q-bio", "math.CO"],
        "id": ["oai:arXiv.org:2001.00001"],
    }
    assert isinstance(deleted, Problem)
    assert (deleted.line, deleted.kind) == (8, Trouble.NOT_A_PAPER)
    assert isinstance(dublin_core, Raw)
    assert dict(dublin_core.fields) == {
        "title": ["Peat"],
        "translated_title": ["Torf"],
        "abstract": ["All of peat."],
        "author": ["Torf, Cy"],
        "year": ["2019-05-06"],
        "doi": ["https://doi.org/10.1000/y"],
        "url": ["https://doi.org/10.1000/y", "http://a.b/c"],
        "keyword": ["bog"],
        "language": ["de"],
        "type": ["thesis"],
        "comment": ["Comment: 3 pages"],
        "identifier": ["https://doi.org/10.1000/y", "http://a.b/c"],
        "id": ["oai:a:3"],
    }
    assert isinstance(other, Problem)
    assert (other.line, other.kind) == (14, Trouble.MALFORMED)
    assert "a record of <mods>, expected <arXiv> or <oai_dc:dc>" in other.reason


# ---------------------------------------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize("head", [FEED, HARVEST, "<atom:feed>", "<rss version='2.0'>"])
def test_it_claims_feeds(head: str) -> None:
    assert FORMAT.claims(head)


@pytest.mark.parametrize(
    "head", ["", "A text about <feed>", "<PubmedArticleSet>", "<xml><records><record>", "@article{a, note={<feed>}}", '{"feed": 1}']
)
def test_it_does_not_claim_others(head: str) -> None:
    assert not FORMAT.claims(head)


# ------------------------------------------------------------------------------------------------------------------ properties

TEXT = st.text(st.sampled_from("ab <&é−$\\'\""), min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4))
def test_written_entries_read_back(papers: list[tuple[str, str, str]]) -> None:
    entries = [
        f"<entry><id>http://arxiv.org/abs/2001.{i:05}v1</id><title>{escape(title)}</title><summary>{escape(summary)}</summary>"
        f"<author><name>{escape(name)}</name></author></entry>"
        for i, (title, summary, name) in enumerate(papers)
    ]

    results = [dict(each.fields) for each in read(feed(*entries)) if isinstance(each, Raw)]

    assert [(each["title"], each["abstract"], each["author"]) for each in results] == [([t], [s], [n]) for t, s, n in papers]
    assert [each["arxiv"] for each in results] == [[f"2001.{i:05}v1"] for i in range(len(papers))]


@given(st.lists(st.tuples(st.integers(0, 2000), st.text(st.sampled_from("<>&/\"' \n\0é"), max_size=2)), min_size=1, max_size=8))
def test_any_spoilt_file_gives_records_problems_or_a_refusal(changes: list[tuple[int, str]]) -> None:
    content = feed(ENTRY) + HARVEST
    for at, change in changes:
        content = content[:at] + change + content[at + 1 :]
    try:
        results = read(content)
    except SourceError:
        return
    assert all(isinstance(each, Raw | Problem) for each in results)


# ------------------------------------------------------------------------------------------------------------------ real files


@pytest.mark.parametrize(
    ("name", "records", "first"),
    [("arxiv_mojibake.xml", 1, "1707.08567v1"), ("arxiv_old_id.xml", 1, "astro-ph/0601001v1"), ("arxiv_query_100.xml", 100, "2202.12139v1")],
)
def test_real_files(shared_data: Path, name: str, records: int, first: str) -> None:
    document = File(name, (shared_data / "exports" / name).read_bytes())

    raws = [each for each in FORMAT.read(document) if isinstance(each, Raw)]

    assert FORMAT.claims(document.head())
    assert len(raws) == records
    assert (raws[0].line, raws[0].key) == (10, first)
    assert all({"title", "abstract", "author", "year", "arxiv"} <= set(each.fields) for each in raws)


def test_the_dois_of_a_real_feed(shared_data: Path) -> None:
    content = (shared_data / "exports" / "arxiv_query_100.xml").read_bytes()

    found = [each for each in FORMAT.read(File("a.xml", content)) if isinstance(each, Raw) and "doi" in each.fields]

    assert len(found) == content.count(b"<arxiv:doi>") == 32
