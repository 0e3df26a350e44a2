"""DOI, PMID, arXiv id and address: the normal form, from what files have in their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields import identifiers
from rag_qa.sources.fields.identifiers import Arxiv, Remark

SICI = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"


@pytest.mark.parametrize(
    "written",
    [
        "10.1000/xyz_1",
        "10.1000/XYZ_1",
        " 10.1000/xyz_1 ",
        "10.1000/xyz_1.",
        "doi:10.1000/xyz_1",
        "DOI: 10.1000/xyz_1",
        "https://doi.org/10.1000/xyz_1",
        "http://dx.doi.org/10.1000%2Fxyz_1",
        r"10.1000/xyz\_1",
        r"10.1000/xyz{\_}1",
        r"10.1000/xyz{\textunderscore}1",
        "<10.1000/xyz_1>",
        "(10.1000/xyz_1)",
        "“10.1000/xyz_1”",
        "10.1000/xyz_1 [doi]",
        "10.1000/xyz_1; 10.1000/other",
        "10.1000/xyz_1;10.1000/other",
        "ARTN 106 10.1000/xyz_1",
        "10.1000/xyz\u200b_1",
        r"\url{https://doi.org/10.1000/xyz\_1}",
        "https://www.publisher.org/doi/full/10.1000/xyz_1?af=R",
        "https://www.publisher.org/articles/10.1000/xyz_1/full",
        "https://www.publisher.org/content/10.1000/xyz_1v2.full.pdf?download=true",
        "https://www.publisher.org/article?id=10.1000/xyz_1&type=printable",
    ],
)
def test_a_doi_has_one_form(written: str) -> None:
    assert identifiers.doi(written) == "10.1000/xyz_1"


@pytest.mark.parametrize(
    "written",
    [
        SICI.upper(),
        f"https://doi.org/{SICI}",
        "10.1002/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2",
        r"10.1002/(SICI)1097-0258(19980815/30)17:15/16{\textless}1661::AID-SIM968{\textgreater}3.0.CO;2-2",
        "10.1002/(SICI)1097-0258(19980815/30)17:15/16$<$1661::AID-SIM968$>$3.0.CO;2-2",
        "https://doi.org/10.1002/(SICI)1097-0258(19980815/30)17:15/16%3C1661::AID-SIM968%3E3.0.CO;2-2",
    ],
)
def test_the_brackets_of_an_old_doi_are_no_markup(written: str) -> None:
    assert identifiers.doi(written) == SICI


def test_brackets_that_were_opened_in_a_doi_belong_to_it() -> None:
    assert identifiers.doi("10.1016/S0140-6736(05)17709-5") == "10.1016/s0140-6736(05)17709-5"
    assert identifiers.doi("see (10.1016/S0140-6736(05)17709-5).") == "10.1016/s0140-6736(05)17709-5"
    assert identifiers.doi("10.1016/0005-2795(76)") == "10.1016/0005-2795(76)"


@pytest.mark.parametrize(
    "written", ["", "   ", "n/a", "10.1", "10.1000", "10.1000/", "10.12/short", "PMC10.1", "110.1000/x", "10.1000 /x", "1.10.1000/x"]
)
def test_what_is_no_doi(written: str) -> None:
    assert identifiers.doi(written) is None


@pytest.mark.parametrize(
    "written",
    [
        "12345678",
        " 12345678. ",
        "PMID: 12345678",
        "pmid:12345678",
        "MEDLINE:12345678",
        "12345678 [pmid]",
        "12345678.0",
        "https://pubmed.ncbi.nlm.nih.gov/12345678/",
        "http://www.ncbi.nlm.nih.gov/pubmed/12345678",
        "http://www.ncbi.nlm.nih.gov/pubmed/?term=12345678",
        "https://www.ncbi.nlm.nih.gov/entrez/query.fcgi?cmd=Retrieve&db=PubMed&list_uids=12345678",
        "https://europepmc.org/article/MED/12345678",
    ],
)
def test_a_pmid_is_its_digits(written: str) -> None:
    assert identifiers.pmid(written) == "12345678"


@pytest.mark.parametrize(
    "written", ["", "PMC1234567", "0", "123456789", "n/a", "12 34", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/", "10.1000/12345678"]
)
def test_what_is_no_pmid(written: str) -> None:
    assert identifiers.pmid(written) is None


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("1706.03762", Arxiv("1706.03762", None)),
        ("1706.03762v5", Arxiv("1706.03762", "v5")),
        ("arXiv:1706.03762 [cs.CL]", Arxiv("1706.03762", None)),
        ("arXiv preprint arXiv:1706.03762", Arxiv("1706.03762", None)),
        ("http://arxiv.org/abs/1706.03762v2", Arxiv("1706.03762", "v2")),
        ("https://arxiv.org/pdf/1706.03762.pdf", Arxiv("1706.03762", None)),
        ("10.48550/arXiv.1706.03762", Arxiv("1706.03762", None)),
        ("abs/1706.03762", Arxiv("1706.03762", None)),
        ("0704.0001", Arxiv("0704.0001", None)),
        ("astro-ph/0601001", Arxiv("astro-ph/0601001", None)),
        ("arXiv:math.GT/0309136v1", Arxiv("math/0309136", "v1")),
        (r"hep-th/9901001", Arxiv("hep-th/9901001", None)),
    ],
)
def test_an_arxiv_id_has_no_version(written: str, wanted: Arxiv) -> None:
    assert identifiers.arxiv(written) == wanted


@pytest.mark.parametrize("written", ["", "1713.03762", "170.03762", "1706.037621", "see 1706.03762", "jstor/0601001", "arXiv", "10.1000/1706.03762"])
def test_what_is_no_arxiv_id(written: str) -> None:
    assert identifiers.arxiv(written) is None


def test_a_number_alone_is_no_arxiv_id_where_none_is_expected() -> None:
    assert identifiers.arxiv_named("1706.03762") is None
    assert identifiers.arxiv_named("CoRR 2017, arXiv: 1706.03762") == Arxiv("1706.03762", None)


def test_addresses() -> None:
    assert identifiers.urls("https://a.org/x, and http://b.org/y.") == ["https://a.org/x", "http://b.org/y"]
    assert identifiers.urls("https://en.wikipedia.org/wiki/Tide_(sea)") == ["https://en.wikipedia.org/wiki/Tide_(sea)"]
    assert identifiers.urls(r"\url{http://a.org/~x\_y}") == ["http://a.org/~x_y"]
    assert identifiers.urls("http://a.org/?a=1&amp;b=2") == ["http://a.org/?a=1&b=2"]
    assert identifiers.urls("www.a.org") == ["https://www.a.org"]
    assert identifiers.urls("doi.org/10.1000/x") == ["https://doi.org/10.1000/x"]
    assert identifiers.urls("file:///home/me/a.pdf") == []


def test_a_remark_tells_about_its_own_record_only_where_it_begins_so() -> None:
    assert identifiers.of_remark("DOI: 10.1000/x") == Remark("10.1000/x", None, None)
    assert identifiers.of_remark("Place: England PMID: 123 PMCID: PMC4") == Remark(None, "123", None)
    assert identifiers.of_remark("Read twice.\nPMID: 123\narXiv: 1706.03762 [cs]") == Remark(None, "123", Arxiv("1706.03762", None))
    assert identifiers.of_remark("Comment on: Tides (doi: 10.1000/x, PMID: 123)") == Remark(None, None, None)
    assert identifiers.of_remark("Retraction in: Sea. PMID: 99; see arXiv:1706.03762") == Remark(None, None, None)


@given(st.from_regex(r"\A10\.[0-9]{4,5}/[a-z0-9._()/-]{0,20}[a-z0-9]\Z"))
def test_a_doi_stays_what_it_is(doi: str) -> None:
    found = identifiers.doi(f"https://doi.org/{doi}")

    assert found is not None
    assert identifiers.doi(found) == found
    assert doi.startswith(found)


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    for written in (text, f"10.1000/{text}", f"https://x.org/10.1000/{text}", f"PMID: {text}", f"arXiv:{text}"):
        identifiers.doi(written), identifiers.pmid(written), identifiers.arxiv(written), identifiers.urls(written), identifiers.of_remark(written)
