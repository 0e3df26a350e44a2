"""Names of columns: the ones that databases write, unknown ones, and what they are called in extra."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.formats.columns import Certainty, extra_name, in_order, letters, meaning, spelt_out, words
from rag_qa.sources.reader import FIELDS


def field(name: str) -> str | None:
    found = meaning(name)
    return found.field if found else None


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        # Scopus, Web of Science, IEEE Xplore, Springer
        ("Author full names", "author"),
        ("Source title", "venue"),
        ("Index Keywords", "keyword"),
        ("Language of Original Document", "language"),
        ("Article Title", "title"),
        ("Pubmed Id", "pmid"),
        ("Document Title", "title"),
        ("PDF Link", "url"),
        ("Item Title", "title"),
        ("Item DOI", "doi"),
        # Zotero, PubMed, Lens, Embase, Dimensions, OpenAlex
        ("Abstract Note", "abstract"),
        ("Publication Title", "venue"),
        ("Journal/Book", "venue"),
        ("Author/s", "author"),
        ("Author Names", "author"),
        ("Original Abstract", "abstract"),
        ("Original Title", "translated_title"),
        ("PubYear", "year"),
        ("authorships.author.display_name", "author"),
        ("primary_location.source.display_name", "venue"),
        # Covidence, ASReview, ProQuest, EBSCO, CORD-19, Retraction Watch
        ("Published Year", "year"),
        ("first_authors", "author"),
        ("type_of_reference", "type"),
        ("AUTHORS", "author"),
        ("pubtitle", "venue"),
        ("PLink", "url"),
        ("publish_time", "year"),
        ("RetractionNature", "notice"),
        # other languages
        ("Titel", "title"),
        ("Zusammenfassung", "abstract"),
        ("Résumé", "abstract"),
        ("Título", "title"),
        ("Año", "year"),
        ("摘要", "abstract"),
        ("标题", "title"),
        ("Title-题名", "title"),
        ("Summary-摘要", "abstract"),
        ("Source-文献来源", "venue"),
    ],
)
def test_names_that_databases_write(name: str, wanted: str) -> None:
    assert field(name) == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("paper_title", "title"), ("Full abstract text", "abstract"), ("DOI of the paper", "doi"), ("Abstact", "abstract"), ("Author 3", "author")],
)
def test_unknown_names_by_their_likeness(name: str, wanted: str) -> None:
    assert field(name) == wanted


@pytest.mark.parametrize(
    "name",
    ["Short Title", "Book Series Titles", "Author(s) ID", "Corresponding Authors", "Abstract summary", "Affiliations", "label", "Cited by", ""],
)
def test_what_sounds_alike_and_is_something_else(name: str) -> None:
    assert field(name) is None


def test_a_misspelt_name_is_less_sure_than_a_known_one_and_a_vague_one_is_the_last_resort() -> None:
    known, misspelt, vague = meaning("Title"), meaning("Tilte"), meaning("Name")

    assert known
    assert misspelt
    assert vague
    assert known < misspelt < vague
    assert vague.certainty is Certainty.LAST_RESORT


def test_names_are_compared_by_their_letters() -> None:
    assert letters(" Author(s)") == letters("author_s") == letters("AUTHORS")
    assert words("DocumentTitle") == ["document", "title"]


def test_common_fields_have_one_name_in_extra() -> None:
    assert [extra_name(name) for name in ("VL", "Issue Number", "Pagination", "ISSNs", "Page count")] == [
        "volume",
        "issue",
        "pages",
        "issn",
        "page count",
    ]


def test_two_letters_are_spelt_out_where_a_table_has_enough_of_them() -> None:
    assert spelt_out(["PT", "AU", "TI", "ID", "DE"]) == ["publication type", "authors", "title", "keywords plus", "author keywords"]
    assert spelt_out(["TI", "AB", "IS"]) == ["TI", "AB", "IS"]
    # without DE, ID is what the table calls the record
    assert spelt_out(["AU", "TI", "VL", "SO", "ID"])[-1] == "ID"


def test_the_order_of_a_list_decides() -> None:
    assert in_order(["Title", "EID", "Key", "DOI"], "key; eid; ut") == [2, 1]


@given(st.text(max_size=60))
def test_any_name_means_a_field_or_nothing(name: str) -> None:
    found = meaning(name)

    assert found is None or found.field in FIELDS
    assert extra_name(name) == extra_name(name).casefold() or letters(name)
