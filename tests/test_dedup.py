"""Records of one work are found, in whatever order, and become one paper; all others stay apart."""

from __future__ import annotations

import dataclasses
import time
import tracemalloc
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import dedup, text
from rag_qa.dedup import Group, Keys, compared, evidence, grouping, titles
from rag_qa.dedup.titles import Likeness
from rag_qa.papers import Notice, Origin, Paper, Version, paper_id
from rag_qa.sources import files

ABSTRACT = (
    "Tidal mixing brings nutrients to the surface of coastal seas. We sampled plankton at twelve stations over three summers and found that "
    "diversity rose with the strength of the tides, while biomass fell in the two stations next to the river."
)
OTHER_ABSTRACT = (
    "Mosses keep water in the soil of old forests for months. Here we weigh them after every rain of a whole year, in four plots with sheep and in "
    "four without any, and ask how much of the rain ever reaches the roots of young trees."
)
TITLE = "Effects of tidal mixing on coastal plankton communities"
AUTHORS = ("Adeli, Khosrow", "Lewis, Gary F.", "Okafor, Ngozi")


def record(**fields: Any) -> Paper:
    """A record of an article about tides, but for these fields."""
    about = {"title": TITLE, "authors": AUTHORS, "year": 2008, "venue": "Marine Ecology Letters", "extra": {"volume": "19", "pages": "221-228"}}
    values = {"abstract": "", **about, **fields}
    named = {name: values.get(name) for name in ("doi", "pmid", "arxiv", "title")}
    return Paper(paper_id(values["abstract"], **named), **values)


BARE: dict[str, Any] = {"authors": (), "year": None, "venue": None, "extra": {}}
ELSEWHERE: dict[str, Any] = {"venue": "Circulation", "extra": {"volume": "130", "pages": "7"}}


def reason(one: Paper, other: Paper) -> str | None:
    """Why the two are one work, None if they are not; either way round."""
    found = evidence.match(dedup.keys(one), dedup.keys(other))
    assert found == evidence.match(dedup.keys(other), dedup.keys(one))
    return found.reason if found else None


def together(*papers: Paper) -> set[frozenset[int]]:
    """The groups of these records."""
    return {frozenset(found.members) for found in dedup.group([dedup.keys(paper) for paper in papers])}


# -------------------------------------------------------------------------------------------------------------- one work


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/X", "title": "Effects of tidal mixing", **BARE}, "same DOI 10.1/x", id="doi in other letters"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "title": None, **BARE}, "same DOI 10.1/x", id="doi, and no title"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "title": "Letter: " + TITLE}, "same DOI 10.1/x", id="doi, and a rubric"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "title": TITLE + ": a survey"}, "same DOI 10.1/x", id="doi, and a subtitle"),
        pytest.param(
            {"doi": "10.1/x"}, {"doi": "10.1/x", "title": "Einfluss der Gezeiten"}, "same DOI 10.1/x", id="doi, title translated, same page"
        ),
        pytest.param({"doi": "10.1/x", "pmid": "7"}, {"doi": "10.1/y", "pmid": "7"}, "same PMID 7", id="pmid, and a slip in a DOI"),
        pytest.param(
            {"doi": "10.12688/f1000research.7.1"}, {"doi": "10.12688/f1000research.7.2"}, "same DOI 10.12688/f1000research.7", id="doi versions"
        ),
        pytest.param({"arxiv": "2401.00001"}, {"doi": "10.48550/arXiv.2401.00001v2", **BARE}, "same arXiv id 2401.00001", id="arxiv id as a DOI"),
        pytest.param({"arxiv": "2401.00001v1"}, {"arxiv": "2401.00001v3"}, "same arXiv id 2401.00001", id="arxiv versions"),
        pytest.param({"abstract": ABSTRACT}, {"abstract": ABSTRACT, **BARE, "title": None}, "same abstract", id="abstract alone"),
        pytest.param(
            {"abstract": "Tides.", "title": None},
            {"abstract": "Tides.", "title": None, "year": 2014, "venue": "Circulation"},
            "same abstract",
            id="no titles",
        ),
        pytest.param(
            {"abstract": "We use $\\alpha$ <i>and</i> x. " + ABSTRACT},
            {"abstract": "We use α and x.\n" + ABSTRACT.replace("plankton", "plank- ton"), **BARE},
            "same abstract",
            id="abstract in another layout",
        ),
        pytest.param({"title": TITLE}, {"title": TITLE.upper() + "."}, "same title, year, volume and page", id="capitals"),
        pytest.param(
            {"title": "The β-cell & its <i>fate</i>"},
            {"title": "The beta cell and its fate"},
            "same title, year, volume and page",
            id="greek, &, html",
        ),
        pytest.param(
            {"title": TITLE},
            {"title": f"RETRACTED: {TITLE} (Retracted article. See vol. 5, pg. 3, 2010)"},
            "same title, year, volume and page",
            id="retracted",
        ),
        pytest.param({"title": f"[{TITLE}]"}, {"title": f"{TITLE} [German]"}, "same title, year, volume and page", id="translated"),
        pytest.param(
            {"extra": {}}, {"authors": ("Adeli K", "Lewis GF"), "extra": {}}, "same title, year and authors", id="authors in another form, and cut"
        ),
        pytest.param({"extra": {}}, {"authors": tuple(reversed(AUTHORS)), "abstract": ""}, None, id="another first author, and nothing else"),
        pytest.param({"abstract": ABSTRACT}, {"authors": AUTHORS[::-1], "abstract": ABSTRACT}, "same abstract", id="authors sorted in another way"),
        pytest.param({}, {"year": 2009, "extra": {}}, "same title and authors, a year apart", id="online first"),
        pytest.param({}, {"authors": ()}, "same title, year, volume and page", id="no authors, same place"),
        pytest.param({}, {**BARE}, "same title", id="a telling title alone"),
        pytest.param({}, {"authors": (), "extra": {}}, "same title and year", id="a telling title and the year"),
        pytest.param({}, {"year": None, "extra": {}}, "same title and authors", id="a telling title and the authors"),
        pytest.param(
            {"title": "Layer normalization"},
            {"title": "Layer normalization", "extra": {}},
            "same title, year and authors",
            id="a short title, several authors",
        ),
        pytest.param(
            {"title": "Tumour growth in mice", "abstract": ABSTRACT},
            {"title": "Tumor growth in mice", "abstract": ABSTRACT + " © 2008 Wiley."},
            "nearly the same title and abstract, same year and authors",
            id="spelling, abstract with an end",
        ),
        pytest.param(
            {"title": "Tumour growth in mice"},
            {"title": "Tumor growth in mice"},
            "nearly the same title, same year, authors, volume and page",
            id="spelling, same page",
        ),
        pytest.param({"title": "Editorial"}, {"title": "Editorial"}, "same title, year, volume and page", id="a generic title, the same page"),
        pytest.param(
            {"title": "Tidal mixing", "abstract": "See text.", **BARE},
            {"title": "Tidal mixing", "abstract": "See text"},
            "same abstract",
            id="all that is there",
        ),
        pytest.param(
            {"doi": "10.1/x"},
            {"doi": "10.1101/2007.01.02.123456", "year": 2007, "venue": "bioRxiv", "extra": {}},
            "preprint of the same title and authors",
            id="biorxiv",
        ),
        pytest.param(
            {"doi": "10.1/x"}, {"arxiv": "0701.00001", "year": 2007, "venue": None, "extra": {}}, "preprint of the same title and authors", id="arxiv"
        ),
        pytest.param(
            {"doi": "10.1/x"},
            {"doi": "10.5281/zenodo.7", "type": "preprint", "extra": {}},
            "preprint of the same title and authors",
            id="says that it is a preprint",
        ),
        pytest.param(
            {"pmid": "7"}, {"pmid": "8", "doi": "10.1101/2007.01.02.123456"}, "preprint of the same title and authors", id="preprint in PubMed"
        ),
        pytest.param(
            {"arxiv": "0701.00001", **ELSEWHERE, "venue": "arXiv"},
            {"doi": "10.2139/ssrn.123", "extra": {}},
            "preprint of the same title and authors",
            id="two archives",
        ),
        pytest.param(
            {"abstract": ABSTRACT, "doi": "10.1/x"},
            {"abstract": ABSTRACT + " (v1)", "title": TITLE + " in the North Sea", "arxiv": "0701.00001", "venue": "arXiv", "extra": {}},
            "preprint of the same authors, with nearly the same abstract and a similar title",
            id="preprint with another title",
        ),
        pytest.param(
            {"doi": "10.1/x"},
            {"arxiv": "0701.00001", "year": 2007, "venue": "arXiv", "authors": (), "extra": {}},
            "preprint of the same title",
            id="no authors",
        ),
        pytest.param(
            {"title": "Tidal mixing", "abstract": ABSTRACT, **BARE},
            {"title": "Tidal mixing", "abstract": ABSTRACT + " © 2008 Wiley."},
            "same title and nearly the same abstract",
            id="a short title, abstract with an end",
        ),
        pytest.param(
            {"doi": "10.1101/2007.01.02.123456", "extra": {}},
            {"doi": "10.2139/ssrn.123", "extra": {}},
            "preprint of the same title and authors",
            id="two DOIs",
        ),
        pytest.param({"abstract": "Salt & water’s way."}, {"abstract": "Salt & water's way.", **BARE}, "same abstract", id="quotes"),
    ],
)
def test_records_of_one_work(one: dict[str, Any], other: dict[str, Any], why: str | None) -> None:
    assert reason(record(**one), record(**other)) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/y"}, id="same title, other DOI"),
        pytest.param({"pmid": "7"}, {"pmid": "8"}, id="same title, other PMID"),
        pytest.param({"doi": "10.1/x", "pmid": "7"}, {"doi": "10.1/x", "pmid": "8"}, id="same DOI, other PMID"),
        pytest.param({"arxiv": "2401.00001"}, {"arxiv": "2401.00002"}, id="other arXiv id"),
        pytest.param({"doi": "10.1101/2007.01.02.123456"}, {"doi": "10.1101/2007.01.02.654321"}, id="two preprints in one archive"),
        pytest.param({"doi": "10.1101/gr.123456.107"}, {"doi": "10.1/x"}, id="a journal with the prefix of an archive"),
        pytest.param({}, {"title": TITLE + " in the North Sea"}, id="title is the beginning of another"),
        pytest.param({"title": f"{TITLE} I"}, {"title": f"{TITLE} II"}, id="part I and II"),
        pytest.param({"title": f"{TITLE}: Part 1"}, {"title": f"{TITLE}: Part two"}, id="part 1 and two"),
        pytest.param({"title": f"{TITLE}, part A"}, {"title": f"{TITLE}, part B"}, id="part A and B"),
        pytest.param({"title": f"{TITLE}: second report"}, {"title": f"{TITLE}: 3rd report"}, id="second and 3rd report"),
        pytest.param({"title": f"{TITLE} I", "doi": "10.1/x"}, {"title": f"{TITLE} II", "doi": "10.1/x"}, id="part I and II with one DOI"),
        pytest.param({"title": "Annual report 2018"}, {"title": "Annual report 2019"}, id="yearly reports"),
        pytest.param(
            {"title": "Standards of medical care in diabetes"},
            {"title": "Standards of medical care in diabetes", "year": 2009, "extra": {"volume": "20"}},
            id="every year",
        ),
        pytest.param({"title": "Editorial", "extra": {}}, {"title": "Editorial", "extra": {}}, id="a generic title"),
        pytest.param({"title": "Introduction", **BARE}, {"title": "Introduction", **BARE}, id="a generic title alone"),
        pytest.param({"title": "Tidal mixing", **BARE}, {"title": "Tidal mixing", **BARE}, id="a short title alone"),
        pytest.param({}, {"title": f"Correction to: {TITLE}"}, id="a correction"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "title": f"Erratum: {TITLE}"}, id="an erratum with the DOI of its article"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "title": f"{TITLE} (vol 5, pg 3, 2007)"}, id="a correction in Web of Science"),
        pytest.param({"doi": "10.1/x"}, {"doi": "10.1/x", "notices": (Notice.IS_CORRECTION,)}, id="a correction by its type"),
        pytest.param({}, {"title": f"Retraction notice to {TITLE}"}, id="a retraction notice"),
        pytest.param(
            {"title": f"Retracted: {TITLE}", "doi": "10.1/x"}, {"title": f"Retraction: {TITLE}", "doi": "10.1/x"}, id="retracted and retraction"
        ),
        pytest.param(
            {"abstract": ABSTRACT}, {"abstract": ABSTRACT, "title": f"Comment on: {TITLE}"}, id="a comment with the abstract of its article"
        ),
        pytest.param({}, {"title": f"{TITLE}: reply"}, id="a reply"),
        pytest.param({"title": f"Comment on {TITLE}"}, {"title": f"Reply to comment on {TITLE}"}, id="comment and reply"),
        pytest.param(
            {"doi": "10.1/book"},
            {"doi": "10.1/book", "title": "Mosses in old forests", "extra": {"pages": "70-90"}},
            id="chapters with the DOI of their book",
        ),
        pytest.param(
            {"doi": "10.1/supplement", "abstract": ABSTRACT},
            {"doi": "10.1/supplement", "abstract": OTHER_ABSTRACT, "title": f"The {TITLE}", "extra": {"volume": "19", "pages": "229"}},
            id="two talks with the DOI of their supplement",
        ),
        pytest.param(
            {"doi": "10.1/x", "pmid": "7"}, {"doi": "10.1/y", "pmid": "7", "title": "Mosses in old forests"}, id="a PMID in the wrong place"
        ),
        pytest.param(
            {"abstract": ABSTRACT, "extra": {"volume": "19"}},
            {"abstract": ABSTRACT + " (A7)", "venue": "Circulation", "extra": {"volume": "130"}},
            id="a talk with one abstract at two meetings",
        ),
        pytest.param(
            {"doi": "10.1/x", "abstract": ABSTRACT},
            {"abstract": OTHER_ABSTRACT, "arxiv": "0701.00001", "venue": "arXiv", "authors": (), "extra": {}},
            id="a preprint without authors, and another abstract",
        ),
        pytest.param(
            {"title": "Tumour growth in mice", "abstract": ABSTRACT},
            {"title": "Tumor growth in mice", "abstract": OTHER_ABSTRACT},
            id="nearly the same title, another abstract",
        ),
        pytest.param(
            {"doi": "10.1/book", "title": "Plankton"},
            {"doi": "10.1/book", "title": "Feeding on plankton", "extra": {"pages": "70-90"}},
            id="short chapter titles",
        ),
        pytest.param({}, {"authors": ("Brandt, A", "Chu, B")}, id="other authors"),
        pytest.param({}, {"year": 2012}, id="another year"),
        pytest.param({}, ELSEWHERE, id="another journal and page"),
        pytest.param({}, {"extra": {"volume": "19", "pages": "568"}}, id="two letters in one volume"),
        pytest.param(
            {"title": f"Correction: {TITLE}", "extra": {}},
            {"title": f"Correction: {TITLE}", "year": 2009, "extra": {}},
            id="two corrections, a year apart",
        ),
        pytest.param({"extra": {}}, {"venue": "Circulation", "extra": {}}, id="a talk at two meetings"),
        pytest.param({}, {"year": 2009, "venue": "Circulation", "extra": {}}, id="a talk and its article"),
        pytest.param({"abstract": ABSTRACT}, {"abstract": OTHER_ABSTRACT, "authors": (), "extra": {}}, id="a title alone, and another abstract"),
        pytest.param(
            {"abstract": ABSTRACT, "title": "Mosses in old forests"}, {"abstract": ABSTRACT, **ELSEWHERE}, id="the abstract of another title"
        ),
        pytest.param({"abstract": "We study."}, {"abstract": "We study.", "title": "Tidal mixing", **BARE}, id="a few words are no abstract"),
        pytest.param({"title": "Growth of mice with insulin"}, {"title": "Growth of mice without insulin"}, id="without"),
        pytest.param({"title": "Growth of male mice on insulin"}, {"title": "Growth of female mice on insulin"}, id="female"),
        pytest.param({"title": "Effects of insulin on glucose in mice"}, {"title": "Effects of glucose on insulin in mice"}, id="other order"),
        pytest.param(
            {"title": "Exendin-4 inhibits prostate cancer growth"}, {"title": "Exendin-4 inhibits breast cancer growth"}, id="one word is another"
        ),
        pytest.param({"type": "thesis"}, {"type": "article"}, id="a thesis and an article"),
        pytest.param({"type": "dataset"}, {"type": "software"}, id="data and a program"),
        pytest.param({"doi": "10.1/x"}, {"arxiv": "0701.00001", "year": 1999, "venue": "arXiv", "extra": {}}, id="a preprint of ten years before"),
        pytest.param({"doi": "10.1/x"}, {"arxiv": "0701.00001", "authors": ("Brandt, A",), "venue": "arXiv", "extra": {}}, id="a preprint by others"),
        pytest.param({"title": ""}, {"title": ""}, id="nothing to go by"),
    ],
)
def test_other_works_stay_apart(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert reason(record(**one), record(**other)) is None


# ---------------------------------------------------------------------------------------------------------- what is compared


@pytest.mark.parametrize(
    ("fields", "doi", "preprint_doi", "arxiv", "is_preprint"),
    [
        ({"doi": "10.1000/X"}, "10.1000/x", "", "", False),
        ({"doi": "10.1101/gad.1234567"}, "10.1101/gad.1234567", "", "", False),
        ({"doi": "10.1002/central/cn-00677540"}, "", "", "", False),  # an entry of a register, not the article
        ({"doi": "10.1101/123456"}, "", "10.1101/123456", "", True),
        ({"doi": "10.21203/rs.3.rs-12345/v2"}, "", "10.21203/rs.3.rs-12345", "", True),
        ({"doi": "10.20944/preprints202001.0001.v1"}, "", "10.20944/preprints202001.0001", "", True),
        ({"doi": "10.26434/chemrxiv-2021-abcde-v2"}, "", "10.26434/chemrxiv-2021-abcde", "", True),
        ({"doi": "10.31234/osf.io/abcde_v1"}, "", "10.31234/osf.io/abcde", "", True),
        ({"doi": "10.12688/f1000research.123.2"}, "10.12688/f1000research.123", "", "", False),
        ({"arxiv": "hep-th/9901001", "venue": "arXiv"}, "", "", "hep-th/9901001", True),
        ({"arxiv": "2401.00001"}, "", "", "2401.00001", True),
        ({"arxiv": "2401.00001", "venue": "ICML"}, "", "", "2401.00001", False),
        ({"arxiv": "2401.00001", "doi": "10.1000/x"}, "10.1000/x", "", "2401.00001", False),
        ({"arxiv": "2401.00001", "doi": "10.1000/x", "venue": "CoRR"}, "10.1000/x", "", "2401.00001", True),
        ({"venue": "SSRN Electronic Journal"}, "", "", "", True),
        ({"venue": "Corr. Sci."}, "", "", "", False),
    ],
)
def test_identifiers(fields: dict[str, Any], doi: str, preprint_doi: str, arxiv: str, is_preprint: bool) -> None:
    found = compared.identifiers(Paper("p1", "", **fields))

    assert (found.doi, found.preprint_doi, found.arxiv, found.is_preprint) == (doi, preprint_doi, arxiv, is_preprint)


@pytest.mark.parametrize(
    ("volume", "pages", "place"),
    [
        ("19", "221-8", ("19", "221")),
        ("33 (10 Supplement 1)", "S170-S171", ("33", "170")),
        ("Vol. 007", "e0042", ("7", "42")),
        ("1)", "i22-i23", ("", "22")),  # what is left of "(Suppl 1)"
        ("7", "Jan-14", ("7", "")),  # 1-14, after a spreadsheet
        ("12", "1-20", ("12", "")),  # every article begins at 1
        ("", "n/a", ("", "")),
    ],
)
def test_places(volume: str, pages: str, place: tuple[str, str]) -> None:
    found = dedup.keys(record(extra={"volume": volume, "pages": pages}))

    assert (found.volume, found.page) == place


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Curr Opin Lipidol", "Current Opinion in Lipidology", True),
        ("Nutr Metab (Lond)", "Nutrition & Metabolism", True),
        ("Diabetes", "Diabetes Care", None),
        ("JAMA", "Journal of the American Medical Association", None),
        ("ICML 2019", "International Conference on Machine Learning", None),
        ("Circulation", "Journal of Hypertension", False),
        ("", "Circulation", None),
    ],
)
def test_names_of_journals(one: str, other: str, expected: bool | None) -> None:
    found = evidence.agreement(dedup.keys(record(venue=one)), dedup.keys(record(venue=other)))

    assert found.venue is expected


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("García Márquez, Gabriel", "marquez"),
        ("Gabriel García Márquez", "marquez"),
        ("García-Márquez G", "marquez"),
        ("O'Brien, Flann", "obrien"),
        ("LI J", "li"),
        ("Smith JA Jr", "smith"),
        ("王小明", "王小明"),
        ("World Health Organization", "organization"),
        ("3", ""),
        ("", ""),
    ],
)
def test_family_names(name: str, family: str) -> None:
    assert compared.family_name(name) == family


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        (TITLE, ""),
        (f"Retracted: {TITLE}", ""),
        (f"{TITLE} [Erratum appears in Tides 1993;3:16]", ""),
        ("Response of mice to insulin", ""),
        ("Insulin in mice: the dose-response", ""),
        (f"Retraction notice to '{TITLE}' [Tides 5 (2010) 3]", "retraction"),
        (f"{TITLE} (Retraction of Vol 5, Pg 3, 2010)", "retraction"),
        (f"Corrigendum: {TITLE}", "correction"),
        (f"Author Correction: {TITLE}", "correction"),
        (f"{TITLE} (vol 5, pg 3, 2010)", "correction"),
        (f"Expression of concern: {TITLE}", "concern"),
        (f"Reply to Comment on '{TITLE}'", "reply"),
        (f"{TITLE} - Authors' reply", "reply"),
        ("Reply", "reply"),
        (f"Re: {TITLE}", "comment"),
        (f"{TITLE}: Comment", "comment"),
    ],
)
def test_kinds(title: str, kind: str) -> None:
    assert titles.kind(title) == kind


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("non-coding RNA", "noncoding rna", Likeness.EQUAL),
        ("A survey of tides", "Survey of the tides", Likeness.NEAR),
        ("Tumours in two dogs", "Tumours in 2 dogs", Likeness.NEAR),
        ("Wood-pecker predation on Picoides", "Woodpecker predation on Pieoides", Likeness.NEAR),
        ("TGF-beta in mice", "TGF-b in mice", Likeness.NEAR),
        ("Tides of the northern sea: a survey", "Tides of the northern sea", Likeness.SIMILAR),
        ("Tides in type 1 seas", "Tides in type 2 seas", Likeness.DIFFERENT),
        ("Tides and mosses", "Sheep in Norwegian forests", Likeness.DIFFERENT),
        ("Models that do not learn", "Models that do now learn", Likeness.SIMILAR),
        ("Hyperglycemia in mice", "Hypoglycemia in mice", Likeness.SIMILAR),
        ("", "Tides", Likeness.MISSING),
    ],
)
def test_likeness_of_titles(one: str, other: str, expected: Likeness) -> None:
    assert titles.likeness(titles.words(one), titles.words(other)) is expected


WORDS = st.text(st.sampled_from("aábß αβ1.²½<i>/\\$-_~ ﬁ’\n"), max_size=60)


@given(WORDS)
def test_letters_of_ascii_texts_are_found_without_folding(value: str) -> None:
    plain = value.encode("ascii", "ignore").decode()

    assert "".join(compared.words(plain)) == "".join(char for char in text.fold(plain).text if char.isalnum())


KEYS = st.builds(
    Keys,
    doi=st.sampled_from(["", "", "10.1/x", "10.1/y"]),
    preprint_doi=st.sampled_from(["", "", "10.1101/1", "10.2139/ssrn.1"]),
    pmid=st.sampled_from(["", "", "1", "2"]),
    arxiv=st.sampled_from(["", "", "2401.00001", "2401.00002"]),
    is_preprint=st.booleans(),
    kind=st.sampled_from(["", "", "", "reply"]),
    title=st.sampled_from(
        ["", "editorial", "tides", "effects of tidal mixing on plankton communities", "effects of tidal mixing on plankton communities ii"]
    ),
    year=st.sampled_from([0, 2008, 2009, 2014]),
    authors=st.sampled_from([(), ("adeli",), ("adeli", "lewis", "okafor"), ("brandt",)]),
    volume=st.sampled_from(["", "19", "20"]),
    page=st.sampled_from(["", "221"]),
    abstract=st.sampled_from(["", "a1", "b2"]),
    is_long=st.booleans(),
)


@given(KEYS)
def test_keys_are_kept_as_text(keys: Keys) -> None:
    assert Keys.from_json(keys.to_json()) == keys


def test_keys_of_another_version_are_refused() -> None:
    with pytest.raises(TypeError):
        Keys.from_json('{"isbn":"3"}')


# ----------------------------------------------------------------------------------------------------------------- grouping


@given(st.lists(KEYS, max_size=8), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order(records: list[Keys], random: Any) -> None:
    order = list(range(len(records)))
    random.shuffle(order)

    found = {frozenset(found.members) for found in dedup.group(records)}
    shuffled = {frozenset(order[at] for at in found.members) for found in dedup.group([records[at] for at in order])}

    assert shuffled == found


@given(st.lists(KEYS, max_size=8))
def test_every_record_is_in_one_group_with_a_reason_for_all_but_the_first(records: list[Keys]) -> None:
    groups = dedup.group(records)

    assert sorted(at for found in groups for at in found.members) == list(range(len(records)))
    assert [found.members for found in groups] == sorted(tuple(sorted(found.members)) for found in groups)
    assert all(found.reasons[0] == "" and all(found.reasons[1:]) and len(found.reasons) == len(found.members) for found in groups)


@given(st.lists(KEYS, max_size=8))
def test_a_group_holds_nothing_that_contradicts_itself(records: list[Keys]) -> None:
    for found in dedup.group(records):
        assert not any(evidence.are_apart(records[a], records[b]) for a in found.members for b in found.members if a < b)


@given(KEYS, KEYS)
def test_evidence_is_the_same_both_ways(one: Keys, other: Keys) -> None:
    assert evidence.match(one, other) == evidence.match(other, one)
    assert evidence.are_apart(one, other) == evidence.are_apart(other, one)


def test_a_record_does_not_bring_together_two_that_contradict_each_other() -> None:
    first, second, bare = record(doi="10.1/x"), record(doi="10.1/y"), record(**BARE)

    assert {frozenset({1, 2}), frozenset({0})} == together(second, first, bare)  # the smaller DOI
    assert {frozenset({0, 2}), frozenset({1})} == together(first, second, bare)
    assert together(record(year=2008, extra={}), record(**BARE), record(year=2014, extra={})) == {frozenset({0, 1}), frozenset({2})}


def test_a_record_joins_the_work_that_it_fits_best() -> None:
    first, second = record(doi="10.1/x", **BARE), record(doi="10.1/y")

    assert together(first, second, record()) == {frozenset({0}), frozenset({1, 2})}


def test_a_slip_in_a_record_with_the_same_doi_keeps_nobody_out() -> None:
    assert together(record(doi="10.1/x"), record(doi="10.1/x", year=1908, extra={}), record(extra={})) == {frozenset({0, 1, 2})}
    assert together(record(doi="10.1/x", pmid="7"), record(pmid="7"), record(doi="10.1/x", year=1908)) == {frozenset({0, 1, 2})}


def test_a_chain_of_identifiers_is_one_work() -> None:
    records = [record(doi="10.1/x", **BARE), record(doi="10.1/x", pmid="7", **BARE), record(title=None, pmid="7", **BARE)]

    assert {found.members: found.reasons for found in dedup.group([dedup.keys(paper) for paper in records])} == {
        (0, 1, 2): ("", "same DOI 10.1/x", "same PMID 7")
    }


def test_copies_of_a_record_that_says_too_little_stay_apart() -> None:
    assert len(together(*[record(title="Editorial", extra={})] * 3)) == 3
    assert len(together(*[record(title="Tides", authors=("Adeli, K",), extra={})] * 3)) == 1
    assert (
        len(together(record(title="Tides", authors=("Adeli, K",), extra={}), record(title="Tides", authors=("Adeli, K",), venue=None, extra={}))) == 2
    )


def test_a_preprint_its_article_and_a_copy() -> None:
    article, preprint = record(doi="10.1/x"), record(arxiv="0701.00001", venue="arXiv", year=2007, extra={})

    (found,) = dedup.group([dedup.keys(paper) for paper in (preprint, article, preprint)])

    assert found == Group((0, 1, 2), ("", "preprint of the same title and authors", "same arXiv id 0701.00001"))


@pytest.mark.parametrize("piece", ["(", "[version 1 ", "a, ", "Smith J ", "- comment ", " ", "1-", "part i "])
def test_hostile_values_take_no_time(piece: str) -> None:
    value = piece * 200_000
    began = time.process_time()

    found = dedup.keys(record(title=value, authors=(value,), venue=value, extra={"volume": value, "pages": value}))

    assert time.process_time() - began < 1
    assert len(found.title) <= 1000


def test_nothing_is_quadratic() -> None:
    crowd = sorted(
        Keys(doi="10.1/journal", title="editorial", year=2000, page=str(n), volume="1", authors=("adeli",), abstract="x") for n in range(2000)
    )

    assert sum(1 for _ in grouping._candidates(crowd)) <= 2000 * 2 * grouping._FIRST_ONES
    assert len(dedup.group(crowd)) == 1  # they do say that they have one DOI


@pytest.mark.benchmark
def test_a_hundred_thousand_records_are_grouped_within_a_minute() -> None:
    random = Random(1)
    words = ["".join(random.choices("abcdefghijklmnopqrst", k=random.randint(2, 12))) for _ in range(20_000)]

    def made(at: int) -> Keys:
        return Keys(
            doi=f"10.1000/{at}" if at % 3 else "",
            title=" ".join(random.choices(words, k=random.randint(6, 18))),
            year=random.randint(1990, 2025),
            authors=tuple(random.choices(words[:2000], k=random.randint(1, 8))),
            volume=str(random.randint(1, 80)),
            page=str(random.randint(2, 2000)),
            abstract=f"{random.getrandbits(64):016x}",
            is_long=True,
            sketch="".join(sorted(f"{random.getrandbits(32):08x}" for _ in range(16))),
        )

    works = [made(at) for at in range(80_000)]
    copies = [dataclasses.replace(work, doi="", abstract="", sketch="", is_long=False) for work in works[::4]]
    records = [*works, *copies]
    random.shuffle(records)
    tracemalloc.start()
    began = time.process_time()

    groups = dedup.group(records)

    assert time.process_time() - began < 60  # tracing doubles it
    assert tracemalloc.get_traced_memory()[1] < 300_000_000
    assert len(groups) == 80_000


# ------------------------------------------------------------------------------------------------------------------ merging

FULL = Paper(
    "p1",
    "We study  tides.",
    title="On tides",
    authors=("A", "B"),
    year=2024,
    venue="ICLR",
    doi="10.1/x",
    pmid="1",
    arxiv="2401.1",
    url="https://x",
    collection="C",
    keywords=("Tides",),
    origins=(Origin("a.txt", 5),),
    extra={"pages": "3", "note": "full"},
)
SPARE = Paper("p1", "We study tides.", keywords=("tides", "sea"), origins=(Origin("b.txt", 3),), extra={"note": "spare", "volume": "7"})


def test_what_one_record_lacks_comes_from_the_other() -> None:
    merged = dedup.merge([SPARE, FULL])

    assert (merged.title, merged.authors, merged.year, merged.venue) == ("On tides", ("A", "B"), 2024, "ICLR")
    assert (merged.doi, merged.pmid, merged.arxiv, merged.url, merged.collection) == ("10.1/x", "1", "2401.1", "https://x", "C")
    assert merged.keywords == ("Tides", "sea")
    assert merged.extra == {"pages": "3", "note": "full", "volume": "7"}
    assert merged.origins == (Origin("a.txt", 5), Origin("b.txt", 3))
    assert merged.id == paper_id("", doi="10.1/x")


def test_a_record_alone_stays_as_it_is() -> None:
    assert dedup.merge([FULL]) == dedup.merge([FULL, FULL]) == FULL
    with pytest.raises(ValueError, match="no records"):
        dedup.merge([])


def test_the_fullest_values_are_chosen() -> None:
    short = record(title="TIDES AND MOSSES", authors=("Adeli K",), year=2008, venue="Mar Ecol", type="article", notices=(Notice.RETRACTED,))
    full = record(title="Tides and mosses", authors=AUTHORS, year=2009, venue="Marine Ecology", type="review", notices=(Notice.CONCERN,))

    merged = dedup.merge([short, full])

    assert (merged.title, merged.authors, merged.year, merged.venue) == ("Tides and mosses", AUTHORS, 2009, "Marine Ecology")
    assert (merged.type, merged.notices) == ("review", (Notice.RETRACTED, Notice.CONCERN))
    assert dedup.merge([short, full, record(year=2008, doi="10.1/x")]).year == 2008  # two of three


def test_the_abstract_is_one_of_those_that_the_records_have() -> None:
    cut, marked, with_line, whole = (
        ABSTRACT[:150] + "...",
        ABSTRACT.replace("We", "<p>We"),
        ABSTRACT + " © 2008 Wiley. All rights reserved.",
        ABSTRACT,
    )

    merged = dedup.merge(
        [record(abstract=abstract, origins=(Origin(f"{n}.ris", 1),)) for n, abstract in enumerate((cut, marked, with_line, whole, whole + " "))]
    )

    assert merged.abstract == whole
    assert [str(origin) for origin in merged.origins] == ["1.ris:1", "3.ris:1", "4.ris:1", "0.ris:1", "2.ris:1"]  # the same letters first


def test_a_whole_abstract_is_better_than_a_clean_sentence_of_it() -> None:
    with_line = f"{ABSTRACT} © 2008 Wiley."

    assert dedup.merge([record(abstract=with_line), record(abstract=ABSTRACT[:80])]).abstract == with_line
    assert dedup.merge([record(abstract=f"© 2008. {ABSTRACT}"), record(abstract=ABSTRACT)]).abstract == ABSTRACT


def test_sections_are_kept_apart() -> None:
    sections = "METHODS: We sampled plankton.\nRESULTS: It rose."

    assert dedup.merge([record(abstract=sections.replace("\n", " ")), record(abstract=sections)]).abstract == sections


def test_the_abstract_in_the_reading_language_is_chosen() -> None:
    german, other = "Gezeiten bringen Nährstoffe an die Oberfläche der Küstenmeere, und wir zählen Plankton.", "Gezeiten, kurz."

    merged = dedup.merge(
        [record(abstract=german), record(abstract="Tides bring nutrients.", other_abstracts=(german, other)), record(other_abstracts=(other,))]
    )

    assert merged.abstract == "Tides bring nutrients."
    assert merged.other_abstracts == (german, other)


PREPRINT = record(
    title=TITLE + "!",
    abstract=OTHER_ABSTRACT,
    year=2006,
    venue="arXiv",
    arxiv="0701.00001",
    doi="10.1/x",
    type="preprint",
    extra={},
    origins=(Origin("a", 1),),
)
ARTICLE = record(abstract=ABSTRACT, doi="10.1/x", pmid="7", type="article", origins=(Origin("b", 1),))


def test_a_preprint_and_its_article_are_versions() -> None:
    merged = dedup.merge([PREPRINT, ARTICLE, record(doi="10.1/x", venue="Mar Ecol Lett", origins=(Origin("c", 1),))])

    assert (merged.title, merged.abstract, merged.year, merged.venue) == (TITLE, ABSTRACT, 2008, "Marine Ecology Letters")
    assert (merged.doi, merged.pmid, merged.arxiv, merged.type) == ("10.1/x", "7", "0701.00001", "article")
    assert merged.versions == (
        Version(2006, "arXiv", "preprint", TITLE + "!", arxiv="0701.00001"),
        Version(2008, "Marine Ecology Letters", "article", TITLE, doi="10.1/x", pmid="7"),
    )
    assert [str(origin) for origin in merged.origins] == ["b:1", "a:1", "c:1"]


def test_versions_are_in_the_order_of_their_years() -> None:
    late = record(doi="10.2139/ssrn.1", year=2009, type="preprint", extra={})

    assert [version.year for version in dedup.merge([late, PREPRINT, ARTICLE]).versions] == [2006, 2008, 2009]


def test_the_article_of_a_preprint_without_an_abstract_shows_that_of_the_preprint() -> None:
    merged = dedup.merge([PREPRINT, dataclasses.replace(ARTICLE, abstract="")])

    assert (merged.title, merged.abstract) == (TITLE, OTHER_ABSTRACT)
    assert [str(origin) for origin in merged.origins] == ["a:1", "b:1"]


def test_two_exports_of_an_article_are_one_form() -> None:
    assert dedup.merge([ARTICLE, record(doi="10.1/x", venue="Mar Ecol Lett")]).versions == ()


def test_the_id_is_made_of_the_best_identifier_of_a_group() -> None:
    preprint = record(doi="10.1101/2007.01.02.123456", venue="bioRxiv")

    assert dedup.merge([preprint, record(doi="10.9/x")]).id == paper_id("", doi="10.9/x")
    assert dedup.merge([preprint, record()]).id == paper_id("", doi="10.1101/2007.01.02.123456")
    assert dedup.merge([record(doi="10.1002/central/cn-1"), preprint]).id == paper_id("", doi="10.1101/2007.01.02.123456")
    assert dedup.merge([record(pmid="7"), record(arxiv="2401.00001")]).id == paper_id("", pmid="7")
    assert dedup.merge([record(abstract=ABSTRACT), record(abstract=ABSTRACT[:90])]).id == paper_id(ABSTRACT)
    assert dedup.merge([record(), record(year=None)]).id == paper_id("", title=TITLE)


PAPERS = st.builds(
    Paper,
    st.just("p1"),
    st.sampled_from(["", ABSTRACT, ABSTRACT.upper(), ABSTRACT + " © 2008", OTHER_ABSTRACT, "<p>" + OTHER_ABSTRACT]),
    title=st.sampled_from([None, TITLE, TITLE.upper(), f"Retracted: {TITLE}"]),
    authors=st.sampled_from([(), AUTHORS, ("Adeli K", "Lewis GF", "Okafor N"), ("Adeli, Khosrow",)]),
    year=st.sampled_from([None, 2007, 2008]),
    venue=st.sampled_from([None, "Mar Ecol", "Marine Ecology", "arXiv", "bioRxiv"]),
    doi=st.sampled_from([None, "10.1/x", "10.1/y", "10.1101/123456"]),
    pmid=st.sampled_from([None, "7", "8"]),
    arxiv=st.sampled_from([None, "0701.00001"]),
    url=st.sampled_from([None, "http://a.org", "https://a.org/x"]),
    keywords=st.lists(st.sampled_from(["Tides", "tides", "sea"]), max_size=2).map(tuple),
    type=st.sampled_from([None, "article", "review", "preprint"]),
    other_abstracts=st.sampled_from([(), (OTHER_ABSTRACT,), ("Gezeiten.", "Marées.")]),
    origins=st.lists(st.builds(Origin, st.sampled_from("ab"), st.integers(1, 3)), min_size=1, max_size=2, unique=True).map(tuple),
    extra=st.dictionaries(st.sampled_from(["pages", "note"]), st.sampled_from("12"), max_size=2),
)


@given(st.lists(PAPERS, min_size=1, max_size=4))
def test_merging_does_not_depend_on_the_order(papers: list[Paper]) -> None:
    merged = dedup.merge(papers)

    assert all(dedup.merge(list(order)) == merged for order in permutations(papers))
    assert all(dedup.merge(list(order)).content_hash == merged.content_hash for order in permutations(papers))


@given(st.lists(PAPERS, min_size=1, max_size=4))
def test_merging_invents_and_loses_nothing(papers: list[Paper]) -> None:
    merged = dedup.merge(papers)

    assert merged.abstract in {paper.abstract for paper in papers}
    assert bool(merged.abstract) == any(paper.abstract for paper in papers)
    assert set(merged.origins) == {origin for paper in papers for origin in paper.origins}
    assert len(set(merged.origins)) == len(merged.origins)
    assert merged.extra.keys() == {name for paper in papers for name in paper.extra}
    assert merged.doi in {paper.doi for paper in papers}


# ---------------------------------------------------------------------------------------------------------------------- ids


def test_papers_with_one_id_are_told_apart() -> None:
    chapters = [record(doi="10.1/book", title=title, extra={}) for title in ("Plankton and the sea", "Mosses of old forests")]

    papers = dedup.identify([*chapters, record(doi="10.1/x", title="Sheep")])

    assert len({paper.id for paper in papers}) == 3
    assert papers[2].id == paper_id("", doi="10.1/x")
    assert [paper.id for paper in dedup.identify(list(reversed(chapters)))] == [paper.id for paper in reversed(papers[:2])]


@given(st.lists(PAPERS, max_size=4, unique_by=str))
def test_ids_are_distinct_and_do_not_depend_on_the_order(papers: list[Paper]) -> None:
    found = dedup.distinct(papers)

    assert len({paper.id for paper in found}) == len(papers)
    assert [dataclasses.replace(paper, id="p1") for paper in found] == papers
    assert dedup.distinct(papers[::-1]) == found[::-1]


def test_papers_that_say_the_very_same_are_told_apart_by_where_they_stand() -> None:
    one, other = (record(origins=(Origin(path, 1),)) for path in "ab")

    assert dedup.distinct([one, other])[0].id != dedup.distinct([one, other])[1].id
    assert dedup.distinct([other, one]) == dedup.distinct([one, other])[::-1]


def test_an_id_does_not_change_when_a_third_paper_shares_it() -> None:
    two = [record(doi="10.1/book", title=title) for title in ("Plankton and the sea", "Mosses of old forests")]

    assert dedup.distinct([*two, record(title="Sheep")])[:2] == dedup.distinct(two)


def test_the_seeds_are_46_papers_with_the_ids_of_their_abstracts(seeds: Path) -> None:
    records = [item for file in files.find([seeds]) if isinstance(file, Path) for item in files.read(file) if isinstance(item, Paper)]

    papers = dedup.identify(records)

    assert (len(records), len(papers)) == (57, 46)
    assert [paper.id for paper in papers] == [paper_id(paper.abstract) for paper in papers]
    assert sorted(origin for paper in papers for origin in paper.origins) == sorted(origin for paper in records for origin in paper.origins)
