"""Records in JSON: the shape of every service, where in a file they are, what is malformed."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import json_records
from rag_qa.sources.reader import Problem, Raw, Trouble


def read(content: str | object, mapping: Mapping[str, str] | None = None) -> list[Raw | Problem]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return list(json_records.read(File("a.json", text.encode("utf-8", "surrogatepass"), mapping or {})))


def raws(content: str | object, mapping: Mapping[str, str] | None = None) -> list[Raw]:
    found = read(content, mapping)
    assert not [one for one in found if isinstance(one, Problem)]
    return [one for one in found if isinstance(one, Raw)]


def fields(content: str | object, mapping: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """Those of the only record."""
    (raw,) = raws(content, mapping)
    return {name: list(found) for name, found in raw.fields.items()}


def refusal(content: str | object, mapping: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        read(content, mapping)
    return str(caught.value)


def titles(content: str | object) -> list[tuple[int, str]]:
    return [(raw.line, raw.fields["title"][0]) for raw in raws(content)]


# ------------------------------------------------------------------------------------------------------------------------------ services


def test_csl_as_zotero_and_citeproc_write_it() -> None:
    found = fields(
        [
            {
                "id": "marx2020",
                "type": "article-journal",
                "title": "On tides",
                "container-title": "Journal of Tides",
                "author": [
                    {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"},
                    {"literal": "WHO"},
                    {"family": "King", "given": "M. L.", "suffix": "Jr."},
                ],
                "issued": {"date-parts": [["2016", 12, 20]]},
                "abstract": "We study tides.",
                "DOI": "10.1/t",
                "original-title": "Über Gezeiten",
                "source": "DOI.org (Crossref)",
                "volume": "3",
                "page": "1-9",
                "publisher-place": "Bonn",
                "language": "en",
            }
        ]
    )

    assert found["author"] == ["van Gogh, Vincent", "WHO", "King, M. L., Jr."]
    assert (found["venue"], found["year"], found["translated_title"]) == (["Journal of Tides"], ["2016-12-20"], ["Über Gezeiten"])
    assert (found["volume"], found["pages"], found["address"], found["type"]) == (["3"], ["1-9"], ["Bonn"], ["article-journal"])


CROSSREF = {
    "DOI": "10.1/t",
    "title": ["On tides"],
    "subtitle": ["a review"],
    "abstract": "<jats:p>We study tides.</jats:p>",
    "author": [{"given": "Karl", "family": "Marx", "sequence": "first"}, {"name": "WHO", "sequence": "additional"}],
    "container-title": ["Journal of Tides"],
    "issued": {"date-parts": [[2016, 12]]},
    "created": {"date-parts": [[2018]]},
    "indexed": {"date-parts": [[2019]]},
    "type": "journal-article",
    "subject": ["Oceanography"],
    "reference": [{"key": "1", "article-title": "Cited", "DOI": "10.1/c"}],
}


@pytest.mark.parametrize("form", [{"message": CROSSREF}, {"status": "ok", "message": {"items": [CROSSREF], "facets": {}}}, [CROSSREF], CROSSREF])
def test_crossref(form: object) -> None:
    found = fields(form)

    assert found["title"] == ["On tides", "a review"]
    assert (found["abstract"], found["author"]) == (["<jats:p>We study tides.</jats:p>"], ["Marx, Karl", "WHO"])
    assert (found["year"], found["venue"], found["doi"], found["keyword"]) == (["2016-12"], ["Journal of Tides"], ["10.1/t"], ["Oceanography"])


def test_crossref_says_which_is_the_notice_and_which_the_paper() -> None:
    notice = {"title": ["Retraction of: On tides"], "update-to": [{"type": "retraction", "DOI": "10.1/t", "label": "Retraction"}]}
    paper = {"title": ["On tides"], "updated-by": [{"type": "retraction", "DOI": "10.1/n"}, {"type": "correction", "DOI": "10.1/c"}]}

    assert fields(notice)["notice"] == ["update-to: retraction 10.1/t"]
    assert fields(paper)["notice"] == ["updated-by: retraction 10.1/n", "updated-by: correction 10.1/c"]


def test_crossref_describes_data_sets_which_is_no_abstract() -> None:
    assert "abstract" not in fields({"message": {"indexed": {}, "title": ["rfishbase"], "description": "An interface."}})


S2 = {
    "paperId": "abc",
    "externalIds": {"DOI": "10.1/t", "ArXiv": "2001.00001", "PubMed": "123", "CorpusId": 7},
    "title": "On tides",
    "abstract": None,
    "venue": "",
    "year": 2020,
    "journal": {"name": "Tides", "volume": "3", "pages": "1 - 9"},
    "publicationTypes": ["JournalArticle", "Review"],
    "authors": [{"authorId": "1", "name": "K. Marx"}],
    "url": "https://www.semanticscholar.org/paper/abc",
    "tldr": {"model": "m", "text": "Tides come and go."},
}


@pytest.mark.parametrize(
    "form",
    [S2, [S2], {"total": 1, "data": [S2]}, {"authorId": "1", "name": "K. Marx", "papers": [S2]}, {"data": [{"contexts": [], "citingPaper": S2}]}],
)
def test_semantic_scholar(form: object) -> None:
    found = fields(form)

    assert (found["doi"], found["arxiv"], found["pmid"]) == (["10.1/t"], ["2001.00001"], ["123"])
    assert (found["venue"], found["volume"], found["pages"], found["year"]) == (["Tides"], ["3"], ["1 - 9"], ["2020"])
    assert (found["author"], found["type"]) == (["K. Marx"], ["JournalArticle", "Review"])
    assert "abstract" not in found


def test_a_paper_with_the_abstracts_of_those_that_cite_it() -> None:
    content = (
        '{"paperId": "a", "title": "T0", "abstract": "A0",\n"citations": [\n{"title": "T1", "abstract": null},\n'
        '{"title": "T2", "abstract": "A2"}],\n"references": [{"title": "T3"}]}'
    )

    # a reference without a place for its abstract is a mere mention
    assert titles(content) == [(1, "T0"), (3, "T1"), (4, "T2")]


@pytest.mark.parametrize(
    "note",
    [
        {
            "id": "x",
            "forum": "x",
            "content": {
                "title": "On tides",
                "abstract": "We.",
                "authors": ["K M", "A L"],
                "keywords": ["tides"],
                "venueid": "ICLR.cc/2025/Conference",
            },
        },
        {
            "id": "x",
            "forum": "x",
            "content": {
                "title": {"value": "On tides"},
                "abstract": {"value": "We."},
                "authors": {"value": ["K M", "A L"]},
                "keywords": {"value": ["tides"]},
                "venueid": {"value": "ICLR.cc/2025/Conference"},
            },
        },
    ],
    ids=["v1", "v2"],
)
def test_openreview(note: object) -> None:
    assert fields({"notes": [note], "count": 1}) == {
        "title": ["On tides"],
        "abstract": ["We."],
        "author": ["K M", "A L"],
        "keyword": ["tides"],
        "year": ["2025"],
        "url": ["https://openreview.net/forum?id=x"],
        "id": ["x"],
        "forum": ["x"],
    }


def test_a_submission_with_its_earlier_forms_and_reviews_is_one_record() -> None:
    content = {"title": "On tides", "abstract": "We study tides.", "authors": ["Karl Marx"]}
    review = {"id": "r", "replyto": "x", "content": {"title": "Review", "review": "Good."}}
    submission = {"id": "x", "forum": "x", "content": content, "revisions": [{"id": "y", "content": content}], "notes": [review]}

    assert titles([{"venue": "ICLR.cc", "year": "2018", "submissions": [submission]}]) == [(1, "On tides")]


def test_a_review_on_openreview_is_no_paper() -> None:
    found = read({"notes": [{"id": "x", "content": {"title": "T"}}, {"id": "y", "replyto": "x", "content": {"title": "Good paper"}}]})

    assert [getattr(one, "kind", None) for one in found] == [None, Trouble.NOT_A_PAPER]


def test_openalex_has_an_index_of_words() -> None:
    found = fields(
        {
            "meta": {"count": 1},
            "results": [
                {
                    "id": "https://openalex.org/W1",
                    "doi": "https://doi.org/10.1/t",
                    "title": "On tides",
                    "display_name": "On tides",
                    "publication_year": 2020,
                    "abstract_inverted_index": {"tides": [1, 3], "We": [0], "and": [2]},
                    "authorships": [{"author": {"id": "A1", "display_name": "Karl Marx"}, "raw_author_name": "K. Marx"}],
                    "primary_location": {"source": {"display_name": "Tides", "type": "journal"}},
                    "ids": {"openalex": "W1", "pmid": "https://pubmed.ncbi.nlm.nih.gov/123"},
                    "biblio": {"volume": "3", "issue": "2", "first_page": "1", "last_page": "9"},
                    "type": "article",
                    "language": "en",
                    "is_retracted": True,
                    "concepts": [{"display_name": "Noise"}],
                    "keywords": [{"display_name": "Tide"}],
                    "embedding": [0.1, 0.2],
                }
            ],
            "group_by": [],
        }
    )

    assert found["abstract"] == ["We tides and tides"]
    assert (found["author"], found["venue"], found["year"]) == (["Karl Marx"], ["Tides"], ["2020"])
    assert (found["doi"], found["pmid"], found["notice"]) == (["https://doi.org/10.1/t"], ["https://pubmed.ncbi.nlm.nih.gov/123"], ["is retracted"])
    assert (found["volume"], found["issue"], found["pages"], found["keyword"]) == (["3"], ["2"], ["1-9"], ["Tide"])
    assert "embedding" not in found


def test_zenodo_and_datacite() -> None:
    zenodo = fields(
        {
            "id": 7,
            "title": "On tides",
            "created": "2024-03-07",
            "metadata": {
                "title": "On tides",
                "doi": "10.5281/z",
                "publication_date": "2023-01-02",
                "description": "<p>We study tides.</p>",
                "creators": [{"name": "Marx, Karl", "orcid": "0"}],
                "resource_type": {"title": "Dataset", "type": "dataset"},
                "notes": "<p>Funded.</p>",
            },
            "links": {"self": "https://zenodo.org/api/records/7", "self_html": "https://zenodo.org/records/7"},
        }
    )
    datacite = fields(
        {
            "data": [
                {
                    "id": "10.5281/z",
                    "type": "dois",
                    "attributes": {
                        "doi": "10.5281/z",
                        "titles": [
                            {"title": "On tides"},
                            {"title": "a review", "titleType": "Subtitle"},
                            {"title": "Über Gezeiten", "titleType": "TranslatedTitle"},
                        ],
                        "creators": [{"name": "Marx, Karl", "givenName": "Karl", "familyName": "Marx"}, {"name": "WHO"}],
                        "descriptions": [
                            {"description": "Made so.", "descriptionType": "Methods"},
                            {"description": "We study tides.", "descriptionType": "Abstract"},
                        ],
                        "publicationYear": 2023,
                        "types": {"resourceTypeGeneral": "Dataset"},
                        "container": {"title": "Tides"},
                        "subjects": [{"subject": "tide"}],
                    },
                }
            ]
        }
    )

    assert (zenodo["abstract"], zenodo["year"], zenodo["author"]) == (["<p>We study tides.</p>"], ["2023-01-02"], ["Marx, Karl"])
    assert (zenodo["url"], zenodo["type"]) == (["https://zenodo.org/records/7"], ["dataset"])
    assert (datacite["title"], datacite["translated_title"]) == (["On tides", "a review"], ["Über Gezeiten"])
    assert (datacite["abstract"], datacite["author"], datacite["type"]) == (["We study tides."], ["Marx, Karl", "WHO"], ["Dataset"])
    assert (datacite["venue"], datacite["keyword"], datacite["year"]) == (["Tides"], ["tide"], ["2023"])


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ({"resourceTypeGeneral": "Text", "citeproc": "article-journal", "ris": "RPRT"}, ["article-journal"]),
        ({"resourceTypeGeneral": "Text", "resourceType": "Report", "citeproc": "article-journal"}, ["Report", "article-journal"]),
        ({"resourceTypeGeneral": "Dataset", "resourceType": "Tide gauge", "citeproc": "dataset"}, ["Dataset", "Tide gauge"]),
        ({"resourceTypeGeneral": "Preprint", "resourceType": "Preprint"}, ["Preprint"]),
        ({"citeproc": "chapter"}, ["chapter"]),
    ],
)
def test_of_the_words_of_datacite_for_a_type_those_that_tell(types: dict[str, str], wanted: list[str]) -> None:
    assert fields({"type": "dois", "titles": [{"title": "On tides"}], "creators": [], "types": types})["type"] == wanted


def test_the_book_that_datacite_has_among_the_related_works() -> None:
    book = {"relationType": "IsPublishedIn", "relatedItemType": "Book", "titles": [{"title": "The Book of Seas"}]}
    cited = {"relationType": "Cites", "titles": [{"title": "Moons"}]}
    chapter = {"titles": [{"title": "On tides"}], "creators": [], "relatedItems": [cited, book]}

    assert fields(chapter)["venue"] == ["The Book of Seas"]
    assert fields({**chapter, "container": {"title": "Seas"}})["venue"] == ["Seas"]
    assert "venue" not in fields({**chapter, "relatedItems": [cited]})


def test_the_genre_and_the_archive_of_csl() -> None:
    item = {"type": "article", "title": "On tides", "genre": "preprint", "publisher": "arXiv", "number": "arXiv:2001.01234v2"}

    assert (fields([item])["type"], fields([item])["arxiv"]) == (["article", "preprint"], ["arXiv:2001.01234v2"])
    assert fields([{"type": "article-journal", "title": "T", "archive_location": "arXiv:math/0309136"}])["arxiv"] == ["arXiv:math/0309136"]
    assert "arxiv" not in fields([{"type": "report", "title": "T", "number": "12", "archive_location": "Box 3"}])


def test_europe_pmc_and_pubmed() -> None:
    europe_pmc = fields(
        {
            "hitCount": 1,
            "request": {"queryString": "title:tides"},
            "resultList": {
                "result": [
                    {
                        "id": "123",
                        "source": "MED",
                        "pmid": "123",
                        "doi": "10.1/t",
                        "title": "On tides.",
                        "authorString": "Marx K, Lindgren A.",
                        "authorList": {"author": [{"fullName": "Marx K", "firstName": "Karl", "lastName": "Marx"}, {"collectiveName": "WHO"}]},
                        "journalInfo": {"volume": "3", "journal": {"title": "Tides"}},
                        "pubYear": "2020",
                        "abstractText": "We study tides.",
                        "pubTypeList": {"pubType": ["Journal Article", "Retracted Publication"]},
                        "keywordList": {"keyword": ["tide"]},
                        "commentCorrectionList": {"commentCorrection": [{"type": "Retraction in", "reference": "Tides. 2021"}]},
                    }
                ]
            },
        }
    )
    esummary = raws(
        {
            "header": {"type": "esummary"},
            "result": {
                "uids": ["1", "2"],
                "1": {
                    "uid": "1",
                    "title": "T1",
                    "pubdate": "2020 May",
                    "fulljournalname": "Tides",
                    "authors": [{"name": "Marx K", "authtype": "Author"}],
                    "articleids": [{"idtype": "pubmed", "value": "1"}, {"idtype": "doi", "value": "10.1/t"}],
                    "pubtype": ["Journal Article"],
                    "lang": ["eng"],
                },
                "2": {"uid": "2", "title": "T2", "pubdate": "2021"},
            },
        }
    )

    assert (europe_pmc["author"], europe_pmc["venue"], europe_pmc["abstract"]) == (["Marx, Karl", "WHO"], ["Tides"], ["We study tides."])
    assert europe_pmc["type"] == ["Journal Article", "Retracted Publication"]
    assert europe_pmc["notice"] == ["Retraction in: Tides. 2021"]
    assert [(raw.key, raw.fields["title"]) for raw in esummary] == [("1", ["T1"]), ("2", ["T2"])]
    assert (esummary[0].fields["pmid"], esummary[0].fields["doi"], esummary[0].fields["year"]) == (["1"], ["10.1/t"], ["2020 May"])


def test_dblp_inspire_hal_and_scopus() -> None:
    dblp = fields(
        {
            "result": {
                "query": "tides",
                "hits": {
                    "@total": "1",
                    "hit": [
                        {
                            "@id": "9",
                            "info": {
                                "authors": {"author": [{"@pid": "1", "text": "Karl Marx 0001"}]},
                                "title": "On tides.",
                                "venue": "CoRR",
                                "year": "2020",
                                "type": "Informal",
                                "doi": "10.1/t",
                                "ee": "https://doi.org/10.1/t",
                            },
                            "url": "URL#9",
                        }
                    ],
                },
            }
        }
    )
    inspire = fields(
        {
            "hits": {
                "hits": [
                    {
                        "id": "9",
                        "metadata": {
                            "titles": [{"title": "On tides", "source": "arXiv"}],
                            "abstracts": [{"value": "We.", "source": "arXiv"}, {"value": "We study.", "source": "APS"}],
                            "authors": [{"full_name": "Marx, Karl"}],
                            "dois": [{"value": "10.1/t"}],
                            "arxiv_eprints": [{"value": "2001.00001"}],
                            "publication_info": [{"journal_title": "Tides", "year": 2020}],
                            "document_type": ["article"],
                        },
                    }
                ]
            }
        }
    )
    hal = fields(
        {
            "response": {
                "docs": [
                    {
                        "docid": 1,
                        "title_s": ["On tides"],
                        "abstract_s": ["In English.", "En français."],
                        "authFullName_s": ["Karl Marx"],
                        "producedDateY_i": 2020,
                        "journalTitle_s": "Tides",
                        "doiId_s": "10.1/t",
                        "language_s": ["en"],
                        "docType_s": "ART",
                    }
                ]
            }
        }
    )
    scopus = fields(
        {
            "search-results": {
                "entry": [
                    {
                        "@_fa": "true",
                        "dc:title": "On tides",
                        "dc:creator": "Marx K.",
                        "dc:description": "We.",
                        "prism:publicationName": "Tides",
                        "prism:coverDate": "2020-05-01",
                        "prism:doi": "10.1/t",
                        "pubmed-id": "123",
                        "authkeywords": "tide | moon",
                        "subtypeDescription": "Article",
                        "eid": "2-s2.0-1",
                        "link": [{"@ref": "self", "@href": "u"}],
                    }
                ]
            }
        }
    )

    assert (dblp["author"], dblp["venue"], dblp["url"]) == (["Karl Marx"], ["CoRR"], ["https://doi.org/10.1/t"])
    assert (inspire["abstract"], inspire["arxiv"], inspire["venue"], inspire["year"]) == (["We.", "We study."], ["2001.00001"], ["Tides"], ["2020"])
    assert (hal["abstract"], hal["author"], hal["year"]) == (["In English.", "En français."], ["Karl Marx"], ["2020"])
    assert (scopus["title"], scopus["abstract"], scopus["keyword"], scopus["pmid"]) == (["On tides"], ["We."], ["tide", "moon"], ["123"])


def test_springer_ieee_core_doaj_biorxiv_and_mendeley() -> None:
    springer = fields(
        {
            "result": [{"total": "1"}],
            "records": [
                {
                    "title": "T",
                    "abstract": {"h1": "Abstract", "p": ["One.", "Two."]},
                    "creators": [{"creator": "Marx, Karl"}],
                    "publicationName": "Tides",
                    "publicationDate": "2020-05-01",
                    "doi": "10.1/t",
                }
            ],
        }
    )
    ieee = fields(
        {
            "articles": [
                {
                    "title": "T",
                    "abstract": "A",
                    "authors": {"authors": [{"full_name": "Karl Marx"}]},
                    "publication_title": "Tides",
                    "publication_year": 2020,
                    "index_terms": {"author_terms": {"terms": ["tide"]}},
                }
            ]
        }
    )
    doaj = fields(
        {
            "results": [
                {
                    "id": "x",
                    "bibjson": {
                        "title": "T",
                        "abstract": "A",
                        "author": [{"name": "Karl Marx"}],
                        "year": "2020",
                        "identifier": [{"type": "eissn", "id": "1"}, {"type": "doi", "id": "10.1/t"}],
                        "journal": {"title": "Tides"},
                    },
                }
            ]
        }
    )
    biorxiv = fields(
        {
            "messages": [{"status": "ok"}],
            "collection": [
                {
                    "doi": "10.1101/t",
                    "title": "T",
                    "authors": "Marx, K.; Lindgren, A.",
                    "date": "2020-05-01",
                    "abstract": "A",
                    "published": "10.1038/2019.1",
                    "server": "biorxiv",
                }
            ],
        }
    )
    mendeley = fields(
        [
            {
                "title": "T",
                "authors": [{"first_name": "Karl", "last_name": "Marx"}],
                "source": "Tides",
                "identifiers": {"doi": "10.1/t", "pmid": "7"},
                "abstract": "A",
            }
        ]
    )

    assert (springer["abstract"], springer["author"]) == (["One.\nTwo."], ["Marx, Karl"])
    assert (ieee["author"], ieee["venue"], ieee["keyword"]) == (["Karl Marx"], ["Tides"], ["tide"])
    assert (doaj["doi"], doaj["venue"], doaj["author"]) == (["10.1/t"], ["Tides"], ["Karl Marx"])
    assert (biorxiv["author"], biorxiv["year"]) == (["Marx, K.", "Lindgren, A."], ["2020-05-01"])
    assert (mendeley["doi"], mendeley["pmid"], mendeley["venue"], mendeley["author"]) == (["10.1/t"], ["7"], ["Tides"], ["Marx, Karl"])


def test_arxiv_as_kaggle_has_it() -> None:
    found = fields(
        '{"id":"0704.0001","submitter":"P N","authors":"C. Bal\\\\\'azs, E. L. Berger","title":"On tides","journal-ref":"Tides 3","doi":"10.1/t",'
        '"categories":"hep-ph","abstract":"  We study tides.\\n","versions":[{"version":"v1","created":"Mon, 2 Apr 2007 19:18:42 GMT"}],'
        '"update_date":"2008-11-26","authors_parsed":[["Balázs","C.",""],["Berger","E. L.","Jr."]]}\n'
    )

    assert (found["arxiv"], found["author"]) == (["0704.0001"], ["Balázs, C.", "Berger, E. L., Jr."])
    assert found["year"] == ["Mon, 2 Apr 2007 19:18:42 GMT"]


def test_publish_or_perish_and_better_bibtex() -> None:
    scholar = fields(
        [
            {
                "uid": "GS:1",
                "title": "On …",
                "source": "MIS Quarterly",
                "abstract": "… we study …",
                "year": 2021,
                "volume": 0,
                "startpage": 0,
                "article_url": "https://a.org/1",
                "authors": ["W Guo", "..."],
            }
        ]
    )
    zotero = read(
        {
            "config": {"label": "BetterBibTeX JSON"},
            "collections": {},
            "items": [
                {
                    "itemType": "journalArticle",
                    "citationKey": "marx",
                    "title": "On tides",
                    "abstractNote": "We.",
                    "date": "2020",
                    "publicationTitle": "Tides",
                    "creators": [
                        {"creatorType": "author", "firstName": "Karl", "lastName": "Marx"},
                        {"creatorType": "editor", "name": "Ed"},
                        {"creatorType": "author", "name": "WHO"},
                    ],
                    "tags": [{"tag": "tide"}],
                    "attachments": [{"itemType": "attachment", "title": "PDF", "path": "a.pdf"}],
                    "extra": ["PMID: 7"],
                },
                {"itemType": "note", "title": "my note", "note": "x"},
            ],
        }
    )

    assert (scholar["author"], scholar["venue"], scholar["url"]) == (["W Guo"], ["MIS Quarterly"], ["https://a.org/1"])
    assert "volume" not in scholar
    paper, note = zotero
    assert isinstance(paper, Raw)
    assert (paper.key, paper.fields["author"], paper.fields["keyword"], paper.fields["extra"]) == (
        "marx",
        ["Marx, Karl", "WHO"],
        ["tide"],
        ["PMID: 7"],
    )
    assert isinstance(note, Problem)
    assert note.kind is Trouble.NOT_A_PAPER


def test_plain_objects_and_beir() -> None:
    assert fields({"title": "T", "abstract": "A"}) == {"title": ["T"], "abstract": ["A"]}
    assert fields('{"_id": "7", "title": "T", "text": "A", "metadata": {"authors": ["K M"], "venue": "ACL 2024", "url": "https://a.org"}}\n') == {
        "_id": ["7"],
        "title": ["T"],
        "abstract": ["A"],
        "author": ["K M"],
        "venue": ["ACL 2024"],
        "year": ["2024"],
        "url": ["https://a.org"],
    }
    assert fields({"Paper Title": "T", "Abstact": "A", "Authors": "K M; A L"}) == {"title": ["T"], "abstract": ["A"], "author": ["K M", "A L"]}


def test_sections_languages_and_paragraphs_of_an_abstract() -> None:
    assert fields({"title": "T", "abstract": [{"label": "AIM", "text": "To see."}, {"text": "We saw."}]})["abstract"] == ["AIM: To see.\nWe saw."]
    assert fields({"title": "T", "abstract": {"BACKGROUND": "Tides.", "RESULTS": "Moon."}})["abstract"] == ["BACKGROUND: Tides.\nRESULTS: Moon."]
    assert fields({"title": "T", "abstract": {"en": "Tides.", "pt": "Marés."}})["abstract"] == ["Tides.", "Marés."]
    assert fields({"title": "T", "abstract": ["One.", "Two."]})["abstract"] == ["One.\nTwo."]


# ---------------------------------------------------------------------------------------------------------------------- where they are


def test_lines_are_those_of_the_file() -> None:
    assert titles('\n[\n  {\n    "title": "T1"\n  },\n\n  {"title": "T2"}, {"title": "T3"}\n]') == [(3, "T1"), (7, "T2"), (7, "T3")]
    assert titles('{"data":\r\n[{"title": "T1"},\r\n{"title": "T2"}]}') == [(2, "T1"), (3, "T2")]
    assert titles('{"title": "T1"}\r{"title": "T2"}\r') == [(1, "T1"), (2, "T2")]


@pytest.mark.parametrize(
    "content",
    [
        {"a": {"title": "T1"}, "b": {"title": "T2"}},
        [[{"title": "T1"}], [{"title": "T2"}]],
        [{"results": [{"title": "T1"}]}, {"results": [{"title": "T2"}]}],
        {"included": [{"title": "T1"}], "excluded": [{"title": "T2"}]},
        {"rows": [{"row_idx": 0, "row": {"title": "T1"}}, {"row_idx": 1, "row": {"title": "T2"}}]},
        {"title": "My reading list", "papers": [{"title": "T1"}, {"title": "T2"}]},
        {"query": {"title": "tides"}, "answer": {"deep": {"deeper": [{"title": "T1"}, {"title": "T2"}]}}},
        '{"total": 2, "data": [\n{"title": "T1"},\n{"title": "T2"}\n]}',
    ],
    ids=["by id", "pages", "answers", "two lists", "rows", "a list with a title", "deep", "one on a line"],
)
def test_records_are_found_wherever_they_are(content: object) -> None:
    assert [raw.fields["title"] for raw in raws(content)] == [["T1"], ["T2"]]


def test_a_large_answer_is_not_decoded_as_a_whole() -> None:
    items = [{"title": f"T{number}", "abstract": "x" * 1000} for number in range(5000)]

    found = raws({"status": "ok", "message": {"items": items}})

    assert [raw.fields["title"][0] for raw in found] == [f"T{number}" for number in range(5000)]


# ------------------------------------------------------------------------------------------------------------------- what is no record


def test_one_malformed_record_is_one_problem() -> None:
    found = read('{"message": {"items": [{"title": "T1"},\n{"title": "T2", "abstract": "a "quoted" word"},\n{"title": "T3"}]}}')

    assert [(one.line, isinstance(one, Raw)) for one in found] == [(1, True), (2, False), (3, True)]
    assert [(one.kind, one.reason) for one in found if isinstance(one, Problem)] == [
        (Trouble.MALFORMED, "not valid JSON: a string is not closed, or holds a quotation mark without a backslash before it")
    ]


def test_a_record_that_ends_in_the_middle_is_not_read_by_its_parts() -> None:
    found = read('{"a": {"title": "T1"}\n{"title": "T2"}\n')

    assert [(one.line, isinstance(one, Raw)) for one in found] == [(1, False), (2, True)]


def test_an_answer_that_is_cut_off() -> None:
    found = read('{"message": {"items": [{"title": "T1"},\n{"title": "T2"},\n{"title": "T')

    assert [(one.line, isinstance(one, Raw)) for one in found] == [(1, True), (2, True), (3, False)]


def test_a_fault_tells_how_far_below_it_is() -> None:
    found = read('[{"title": "T1"},\n{"title": "T2",\n"year": 2020 2021}]')

    assert [one.reason for one in found if isinstance(one, Problem)] == ["not valid JSON: expecting ',' delimiter (1 line below)"]


def test_other_values_among_records() -> None:
    found = read([None, {"title": "T1"}, "a text", {"count": 3}])

    assert [one.reason for one in found if isinstance(one, Problem)] == [
        "'null', where a record was expected",
        "'\"a text\"', where a record was expected",
        "neither a title nor an abstract among the keys count",
    ]
    assert {one.kind for one in found if isinstance(one, Problem)} == {Trouble.NOT_A_PAPER}


def test_a_file_without_records_lists_its_keys() -> None:
    assert refusal({"id": 1, "question": "Why?", "meta": {"lang": "en"}}) == (
        "a.json: found objects with other keys: id, question, meta.lang, expected objects with a title or an abstract. "
        "Say by hand where they are, with dots for keys inside others: --map title=KEY --map abstract=KEY.KEY"
    )
    assert "no object" in refusal([])
    assert "nothing that can be read as JSON (line 1: " in refusal("{'title': 'T'}")


# ------------------------------------------------------------------------------------------------------------------------------ by hand


def test_paths_are_named_by_hand() -> None:
    content = [{"id": 1, "doc": {"heading": "T", "body": {"main": "A"}, "people": ["Karl Marx"]}, "title": "not this"}]
    mapping = {"title": "doc.heading", "abstract": "doc.body.main", "author": "doc.people"}

    assert {name: fields(content, mapping)[name] for name in mapping} == {"title": ["T"], "abstract": ["A"], "author": ["Karl Marx"]}


def test_a_path_that_is_named_and_not_there() -> None:
    assert refusal([{"title": "T"}], {"abstract": "body"}) == (
        "a.json: found objects with other keys: title, expected objects with a title or an abstract. "
        "Say by hand where they are, with dots for keys inside others: --map title=KEY --map abstract=KEY.KEY"
    )
    assert "no record with 'when'; they have title, x" in refusal([{"title": "T", "x": 1}], {"year": "when"})


# ------------------------------------------------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize("content", ['[{"title": 1}]', '{"a":1}', '\n [ [ {"a" : ', "{}", "[]", '{\n  "title": "T"\n}', '\x1e{"a": 1}'])
def test_json_is_recognised(content: str) -> None:
    assert json_records.FORMAT.claims(content)


@pytest.mark.parametrize(
    "content",
    ["", "{\\rtf1\\ansi", "[1] We study tides.", "{braces} in prose", "@article{a, title = {T}}", "title,abstract\n", '"a","b"', "{'a': 1}", "[a]"],
)
def test_other_formats_are_not_claimed(content: str) -> None:
    assert not json_records.FORMAT.claims(content)


# ---------------------------------------------------------------------------------------------------------------------------- properties

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(lambda text: bool(text.strip()))


@given(
    papers=st.lists(st.fixed_dictionaries({"title": _TEXT, "abstract": _TEXT}), min_size=1, max_size=5),
    form=st.sampled_from(["list", "lines", "answer"]),
)
def test_what_was_written_is_read(papers: list[dict[str, str]], form: str) -> None:
    content: Any = {"list": papers, "answer": {"total": len(papers), "results": papers}, "lines": "\n".join(map(json.dumps, papers))}[form]

    assert [(raw.fields["title"], raw.fields["abstract"]) for raw in raws(content)] == [([paper["title"]], [paper["abstract"]]) for paper in papers]


_SAMPLE = json.dumps({"message": {"items": [CROSSREF, S2, {"title": "T", "abstract": {"en": "A", "de": "B"}}]}}, indent=1)


@given(st.lists(st.tuples(st.integers(0, len(_SAMPLE) - 1), st.sampled_from('"{}[],:\\\n x1\ud800')), max_size=5))
def test_a_damaged_file_gives_records_problems_or_a_refusal(damages: list[tuple[int, str]]) -> None:
    content = list(_SAMPLE)
    for place, character in damages:
        content[place] = character
    with contextlib.suppress(SourceError):
        read("".join(content))


@given(
    st.recursive(
        st.none() | st.text(max_size=5) | st.integers() | st.floats(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from("title abstract author authors year issued journal DOI metadata content update-to citations items name".split()),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_any_value_gives_records_problems_or_a_refusal(content: object) -> None:
    with contextlib.suppress(SourceError):
        for one in read(content):
            assert isinstance(one, Problem) or all(isinstance(text, str) for values in one.fields.values() for text in values)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 2_000_000,
        '{"a":' * 400_000,
        '[{"a":' * 300_000,
        '{"a":{},' * 200_000,
        '"' * 2_000_000,
        "[" + "1," * 1_000_000,
        '{"title":"a","abstract":"b\n' * 40_000,
        "[" + '{"title":"a "b"","abstract":"b"},' * 30_000,
        "{" + ",".join(f'"k{number}":{{"title":"a"}}' for number in range(20_000)) + "}",
    ],
    ids=["brackets", "keys", "both", "siblings", "marks", "numbers", "open strings", "marks in strings", "by id"],
)
def test_hostile_files_take_no_long(content: str) -> None:
    begun = time.process_time()

    with contextlib.suppress(SourceError):
        sum(1 for _ in json_records.read(File("a.json", content.encode())))

    assert time.process_time() - begun < 20


# -------------------------------------------------------------------------------------------------------------------------- real files


def real(path: Path) -> list[Raw | Problem]:
    return list(json_records.read(File(str(path), path.read_bytes())))


@pytest.mark.parametrize(
    ("name", "records", "abstracts"),
    [
        ("exports/colrev_google_scholar.json", 7, 7),
        ("exports/crossref_jats_abstract.json", 1, 1),
        ("exports/crossref_works_query.json", 20, 15),
        ("exports/csl_citeproc_crossref.json", 1, 0),
        ("exports/csl_citeproc_many.json", 2, 1),
        ("exports/s2_author_papers.json", 60, 34),
        ("exports/s2_paper_with_citations.json", 40, 28),
        ("exports/s2_papers_200.jsonl", 200, 152),
        ("exports/zenodo_record.json", 1, 1),
        ("iclr2025/papers.jsonl", 2133, 2133),
    ],
)
def test_real_files(shared_data: Path, name: str, records: int, abstracts: int) -> None:
    """Counted by the json module and jq-like one-liners, and read by eye."""
    found = real(shared_data / name)

    assert len(found) == records
    assert sum(isinstance(one, Raw) and "abstract" in one.fields for one in found) == abstracts
    assert [one.line for one in found] == sorted(one.line or 0 for one in found)


def test_json_alone_is_claimed(shared_data: Path) -> None:
    exports = shared_data / "exports"
    claimed = {path.name for path in exports.iterdir() if json_records.FORMAT.claims(File(str(path), path.read_bytes()).head())}

    assert claimed == {path.name for path in exports.iterdir() if path.suffix in (".json", ".jsonl")}


def test_an_author_of_openalex_is_called_as_in_the_paper_unless_that_gives_initials_only() -> None:
    people = [
        {"author": {"display_name": "Marc de Perrot"}, "raw_author_name": "Matthieu Perrot"},
        {"author": {"display_name": "Karl Marx"}, "raw_author_name": "K. Marx"},
        {"author": {"display_name": "Eva Green"}},
    ]

    (record,) = json_records.read(File("a.json", json.dumps([{"display_name": "On tides", "authorships": people}]).encode()))

    assert isinstance(record, Raw)
    assert record.fields["author"] == ["Matthieu Perrot", "Karl Marx", "Eva Green"]
