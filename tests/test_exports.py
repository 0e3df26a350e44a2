"""Papers written in each format are read back as the same papers."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_qa import exports
from rag_qa.errors import RagQAError
from rag_qa.papers import TYPES, Notice, Paper, paper_id
from rag_qa.sources import files
from tests.index.making import abstract


def read_back(papers: Sequence[Paper], name: str) -> list[Paper]:
    found = files.read_stream(io.BytesIO(exports.write(papers, name).encode()))
    return [one for one in found if isinstance(one, Paper)]


def told(paper: Paper) -> dict[str, object]:
    """What crosses every format."""
    names = "title abstract authors year venue doi pmid arxiv url keywords language type notices".split()
    return {name: getattr(paper, name) for name in names}


def paper(**known: object) -> Paper:
    fields: dict[str, object] = {"abstract": abstract(1), "title": "On tides", **known}
    return Paper(id=paper_id(str(fields["abstract"])), **fields)  # type: ignore[arg-type]


WHOLE = paper(
    title="Tides & mosses: 50% of α_1 {sic}, #1 in C_2",
    abstract='BACKGROUND: We gain $1.67 \\times$ at p < 0.05, 10 ~ 12.\nRESULTS: It costs $5; a_b^c and 90% of "all" – ‘done’.',
    authors=("Marx, Karl", "Müller-Lüdenscheidt, Jörg", "van der Berg, Anna", "World Health Organization"),
    year=2020,
    venue="Journal of Tides & Mosses",
    doi="10.1000/xyz(2020)_1",
    pmid="12345678",
    arxiv="2001.01234",
    url="https://example.org/a?b=c&d=e_f",
    keywords=("tides", "sea level"),
    language="en",
    type="article",
    notices=(Notice.RETRACTED,),
)


@pytest.mark.parametrize("name", exports.WRITERS)
def test_every_field_crosses_every_format(name: str) -> None:
    (found,) = read_back([WHOLE], name)

    expected = told(WHOLE)
    if name == "ris":  # a record is a line a field there
        expected["abstract"] = WHOLE.abstract.replace("\n", " ")
        found_told = {**told(found), "abstract": found.abstract.replace("\n", " ")}
    else:
        found_told = told(found)
    assert found_told == expected


@pytest.mark.parametrize("name", exports.WRITERS)
@pytest.mark.parametrize("type_", sorted(TYPES))
def test_a_type_stays_what_it_is(name: str, type_: str) -> None:
    told_with = [paper(type=type_), paper(type=type_, venue="Journal of Tides", doi="10.1000/x"), paper(type=type_, arxiv="2001.01234")]

    # BibTeX has no place for our word: what is in an archive of preprints alone, and is called no more than an article, is a preprint there
    on_arxiv = "preprint" if name == "bib" and type_ in ("article", "other") else type_
    assert [one.type for one in read_back(told_with, name)] == [type_, type_, on_arxiv]


@pytest.mark.parametrize("name", exports.WRITERS)
@pytest.mark.parametrize("notice", Notice)
def test_a_notice_stays_what_it_is(name: str, notice: Notice) -> None:
    both = (Notice.CORRECTED, Notice.CONCERN)

    found = read_back([paper(notices=(notice,)), paper(notices=both)], name)

    assert [one.notices for one in found] == [(notice,), both]


@pytest.mark.parametrize("name", exports.WRITERS)
@pytest.mark.parametrize("type_", ["preprint", "article"])
def test_a_copy_on_arxiv_stays_one(name: str, type_: str) -> None:
    written = paper(type=type_, arxiv="math/0309136", venue="Sea Journal", doi="10.1000/x")

    assert [told(one) for one in read_back([written], name)] == [told(written)]


def test_json_lines_keep_all_that_is_known() -> None:
    german = "Wir haben die Gezeiten der Nordsee gemessen und gefunden, dass sie zweimal am Tag wechseln."
    written = paper(extra={"volume": "12", "date": "2020-03-01", "title_as_read": "[On tides]."}, other_abstracts=(german,), year=2020)

    (found,) = read_back([written], "jsonl")

    assert (found.extra, found.other_abstracts) == (written.extra, (german,))


def test_csl_has_a_preprint_where_zotero_has_it() -> None:
    (preprint, article) = json.loads(exports.write([paper(type="preprint", arxiv="2001.01234"), paper(type="article", arxiv="2001.01234")], "json"))

    assert (preprint["type"], preprint["publisher"], preprint["number"]) == ("article", "arXiv", "arXiv:2001.01234")
    assert (article["type"], article["archive"], article["archive_location"]) == ("article-journal", "arXiv", "arXiv:2001.01234")


@pytest.mark.parametrize("name", exports.WRITERS)
def test_the_shipped_abstracts_are_read_back(name: str, seed_papers: list[Paper]) -> None:
    found = read_back(seed_papers, name)

    assert [one.abstract for one in found] == [one.abstract for one in seed_papers]
    assert {(one.venue, one.year) for one in found} == {("ICLR", 2025)}


WORDS = st.sampled_from('Tides rise α 50% a_b C# {x} $5 p<0.05 "so" naïve 水 – it\'s [1] 10^3 ~7 \\ & and, et; of'.split())
# What is markup or an escape in one format or another, and a text may hold all the same.
MARKED = st.sampled_from(
    "$\\sim$44\\% ``so'' \\url{a.org} $x^2$5 { } {a} $5 {x} $6 $\\alpha$ 50\\% 5'' -- ---- ``` ''' ~ ^2 Fr\\'echet \\'e \\\\ $$".split()
)
HTML = st.sampled_from("&amp; &lt;i&gt; <i>coli</i> CO<sub>2</sub> &#8212".split())
TEXTS = st.lists(WORDS, min_size=3, max_size=12).map(" ".join)


@pytest.mark.parametrize("name", exports.WRITERS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(titles=st.lists(TEXTS, min_size=1, max_size=3), texts=st.lists(TEXTS, min_size=3, max_size=3))
def test_whatever_the_words_they_come_back(name: str, titles: list[str], texts: list[str]) -> None:
    told = [(f"On {title} here", f"We study {text} in this work. It is new.") for title, text in zip(titles, texts, strict=False)]
    papers = [paper(title=title, abstract=text) for title, text in told]

    found = read_back(papers, name)

    assert [(one.title, one.abstract) for one in found] == told


@pytest.mark.parametrize("name", exports.WRITERS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_looks_like_markup_comes_back(name: str, data: st.DataObject) -> None:
    """BibTeX has no way to say that "<i>" is no italics: there it is read as markup."""
    words = WORDS | MARKED if name == "bib" else WORDS | MARKED | HTML
    text = data.draw(st.lists(words, min_size=3, max_size=12).map(" ".join))
    written = paper(title=f"On {text} here", abstract=f"We study {text} in this work. It is new.")

    (found,) = read_back([written], name)

    assert (found.title, found.abstract) == (written.title, written.abstract)


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(RagQAError, match=r"no format 'docx' to write papers in: name a file that ends in one of bib, ris, csv, jsonl, json"):
        exports.write([], "docx")


def test_citation_keys_are_told_apart() -> None:
    same = [paper(authors=("Marx, Karl",), year=2020)] * 3

    content = exports.write(same, "bib")

    keys = [line for line in content.splitlines() if line.startswith("@")]
    assert keys == ["@misc{marx2020tides,", "@misc{marx2020tides-2,", "@misc{marx2020tides-3,"]
