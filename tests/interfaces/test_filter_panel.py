"""The page's panel of filters: what a library has to choose from, and how the panel offers it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.index.store import Holdings
from rag_qa.interfaces import filter_panel
from rag_qa.interfaces.filter_panel import panel_html, said
from rag_qa.papers import Notice, Paper, Version
from rag_qa.retrieval.filters import Filters
from tests.fakes import MOSS, PAPERS, WOLF, holdings_of
from tests.interfaces.test_cards import HOSTILE, READ_BACK, Node, tree

REVIEW = Paper("p4", "Bogs are reviewed.", year=2019, type="review", language="de", keywords=("Bog", "Peat"), notices=(Notice.RETRACTED,))
STUDY = Paper("p5", "A bog was studied.", year=2022, type="article", language="en", keywords=("bog",), venue="Bog Letters")


def fields(panel: Node) -> list[str]:
    """The names of the fields, as the form sends them."""
    named = [node.attributes["name"] for node in panel.walk() if "name" in node.attributes]
    return list(dict.fromkeys(named))


def options(panel: Node, name: str) -> list[tuple[str, str]]:
    """(value, text) of what a field offers."""
    (field,) = [node for node in panel.walk() if node.attributes.get("name") == name]
    if field.tag == "input":
        (field,) = [node for node in panel.find("datalist") if node.attributes["id"] == field.attributes["list"]]
    return [(option.attributes["value"], option.text) for option in field.find("option")]


# ----------------------------------------------------------------------------------------------------------------- choices


def test_values_are_counted_by_papers_without_regard_to_capitals_and_blanks() -> None:
    found = holdings_of([MOSS, REVIEW, STUDY])
    assert found.venues == (("Bog Letters", 2),)
    assert found.keywords == (("Bog", 2), ("Peat", 1))
    assert found.types == (("article", 1), ("review", 1))
    assert found.languages == (("de", 1), ("en", 1))
    assert found.authors == (("A. Bryo", 1), ("C. Sphag", 1))
    assert (found.years, found.retracted) == ((2019, 2022), 1)


def test_a_venue_of_an_earlier_version_is_offered_and_counts_once() -> None:
    paper = replace(STUDY, venue="Nature", versions=(Version(venue="bioRxiv"), Version(venue="nature")))
    assert holdings_of([paper]).venues == (("bioRxiv", 1), ("Nature", 1))


def test_an_author_is_offered_as_people_are_called() -> None:
    assert options(tree(panel_html(holdings_of([replace(STUDY, authors=("Marx, Karl",))]))), "author") == [("Karl Marx", "1 paper")]


def test_the_most_frequent_values_are_kept() -> None:
    papers = [Paper(f"p{i}", "x", venue=f"V{i % 300}") for i in range(301)]
    venues = holdings_of(papers).venues
    assert len(venues) == 200
    assert venues[0] == ("V0", 2)


@given(st.lists(st.text(st.characters(blacklist_categories=["C"]), max_size=12), max_size=12))
def test_every_value_that_is_offered_finds_as_many_papers_as_it_says(names: list[str]) -> None:
    papers = [replace(WOLF, id=f"p{i}", collection=name) for i, name in enumerate(names)]
    for name, count in holdings_of(papers).collections:
        assert sum(Filters(collection=name).accepts(paper) for paper in papers) >= count >= 1


# ------------------------------------------------------------------------------------------------------------------- panel


def test_fields_of_which_nothing_is_known_are_not_there() -> None:
    assert fields(tree(panel_html(holdings_of(PAPERS)))) == ["year_from", "year_to", "venue", "author", "collection"]
    assert panel_html(holdings_of([WOLF])) == panel_html(Holdings()) == ""


IN_WORDS = {"also_by", "not_by", "only_retracted"}
"""What is asked for in the words of a question alone."""


def test_every_other_field_of_the_filters_can_be_chosen() -> None:
    panel = tree(panel_html(holdings_of([*PAPERS, REVIEW, STUDY])))
    assert set(fields(panel)) == set(Filters.__slots__) - IN_WORDS


def test_a_list_says_how_many_papers_a_value_has() -> None:
    panel = tree(panel_html(holdings_of([*PAPERS, REVIEW, STUDY])))
    assert options(panel, "type") == [("", "Any"), ("article", "article (1)"), ("review", "review (1)")]
    assert options(panel, "language") == [("", "Any"), ("de", "German (1)"), ("en", "English (1)")]
    assert options(panel, "venue") == [("Bog Letters", "2 papers"), ("ICLR", "1 paper")]


def test_a_language_without_a_name_here_shows_its_code() -> None:
    assert options(tree(panel_html(holdings_of([replace(STUDY, language="eo")]))), "language")[1] == ("eo", "eo (1)")


@pytest.mark.parametrize(("collections", "tag"), [(2, "select"), (filter_panel.MOST_LISTED + 1, "input")])
def test_a_field_with_many_values_is_typed_into(collections: int, tag: str) -> None:
    panel = tree(panel_html(Holdings(collections=tuple((f"C{i}", 1) for i in range(collections)))))
    assert [node.tag for node in panel.walk() if node.attributes.get("name") == "collection"] == [tag]
    assert ("C1", "1 paper" if tag == "input" else "C1 (1)") in options(panel, "collection")


def test_a_single_type_can_not_be_left_out() -> None:
    assert "exclude_types" not in fields(tree(panel_html(holdings_of([STUDY]))))


def test_every_field_has_a_label() -> None:
    panel = tree(panel_html(holdings_of([*PAPERS, REVIEW, STUDY])))
    labels = {label.attributes["for"]: label.text for label in panel.find("label") if "for" in label.attributes}
    named = {node.attributes["id"]: node for node in panel.walk() if "name" in node.attributes and "id" in node.attributes}
    boxes = [label for label in panel.find("label") if label.find("input")]
    assert named.keys() == labels.keys()
    assert all(labels.values())
    assert [label.text for label in boxes] == ["article (1)", "review (1)", "retracted (1)"]
    assert len(named) + len(boxes) == len([node for node in panel.walk() if "name" in node.attributes])


def test_foreign_text_stays_a_value() -> None:
    paper = replace(STUDY, venue=HOSTILE, collection=HOSTILE, authors=(HOSTILE,), keywords=(HOSTILE,), language=HOSTILE)
    panel = tree(panel_html(holdings_of([paper, REVIEW])))
    tags = {node.tag for node in panel.walk() if node.tag}
    assert tags <= set("root details summary form div fieldset legend label input select datalist option p button".split())
    assert not [name for node in panel.walk() for name in node.attributes if name.startswith("on") or name in ("src", "style", "action")]
    assert " ".join(READ_BACK.split()) in [value for value, _ in options(panel, "venue")]


# --------------------------------------------------------------------------------------------------------------- in effect


def test_what_is_in_effect_is_said_with_a_button_that_takes_it_back() -> None:
    shown = tree(said(Filters(year_from=2020, venue="<ICLR>")))
    assert [node.text for node in shown.find(".rq-in-effect")] == ["from 2020 on, in <ICLR>"]
    assert [button.attributes["aria-label"] for button in shown.find("button")] == ["Clear filters"]
    assert said(Filters()) == ""


def test_years_that_exclude_each_other_are_told() -> None:
    (shown,) = tree(said(Filters(year_from=2024, year_to=2020, venue="ICLR"))).find(".rq-in-effect")
    assert shown.text == "No year is both 2024 or later and 2020 or earlier"
