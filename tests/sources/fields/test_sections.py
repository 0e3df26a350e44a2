"""The sections of structured abstracts, however a source sets them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields.sections import laid_out

SECTIONS = "Objective: To see whether tides turn.\nMethods: We looked at 12 seas.\nResults: They do, twice a day.\nConclusions: Tides turn."


@pytest.mark.parametrize(
    "text",
    [
        SECTIONS,
        SECTIONS.replace("\n", " "),
        SECTIONS.replace("\n", ""),
        SECTIONS.replace("\n", ", "),
        SECTIONS.replace(": ", ":"),
        SECTIONS.replace(": ", " : "),
        SECTIONS.replace(": ", ": – "),
        SECTIONS.replace(": ", " - : "),
        SECTIONS.replace(": ", " - ").replace("\n", " "),
        SECTIONS.replace(": ", "—").replace("\n", " "),
        SECTIONS.replace(": ", "- ").replace("\n", " "),
        SECTIONS.replace(": ", "-").replace("\n", " "),
        SECTIONS.replace(": ", ". ").replace("\n", " "),
        SECTIONS.replace(": ", " ").replace("\n", " "),
        SECTIONS.replace(": ", "").replace("\n", ""),
        SECTIONS.replace(": ", "\n"),
        SECTIONS.replace(": ", ":\n"),
        SECTIONS.replace("whether tides", "whether\ntides").replace("12 seas", "12\n  seas"),
    ],
)
def test_each_section_has_its_line(text: str) -> None:
    assert laid_out(text) == SECTIONS


def test_long_labels_and_capitals() -> None:
    text = (
        "IMPORTANCE: Tides matter. DESIGN, SETTING, AND PARTICIPANTS: A cohort of seas. MAIN OUTCOMES AND MEASURES: Height. RESULTS: It was high. "
        "CONCLUSIONS AND RELEVANCE: Tides turn. TRIAL REGISTRATION: ClinicalTrials.gov Identifier: NCT00000001."
    )

    assert [line.partition(":")[0] for line in laid_out(text).split("\n")] == [
        "IMPORTANCE",
        "DESIGN, SETTING, AND PARTICIPANTS",
        "MAIN OUTCOMES AND MEASURES",
        "RESULTS",
        "CONCLUSIONS AND RELEVANCE",
        "TRIAL REGISTRATION",
    ]


def test_a_label_that_nobody_knows_counts_where_the_source_gives_it_a_line() -> None:
    assert laid_out("AIM: To see.\nSEA STATE: It was calm.\nRESULTS: Tides turn.") == "AIM: To see.\nSEA STATE: It was calm.\nRESULTS: Tides turn."


def test_a_text_without_sections_has_one_line() -> None:
    assert laid_out("We measured\nthe tides.\n\nThey turn.") == "We measured the tides. They turn."


@pytest.mark.parametrize(
    "text",
    [
        "We tested two things: tides and moons. The result: both turn.",
        "Methods: these are what we study. They vary.",
        "Objective To measure is hard. We did it in the sea.",
        "Design Thinking is popular. Results Show promise. We like it.",
        "Results were good. Methods were bad. Conclusions were drawn. Design was poor.",
        "In the METHODS section we look at tides.",
        "Background: a sea. Data: what it says.",
        "Background: noise is what we hear in the sea.",
    ],
)
def test_words_that_only_look_like_labels(text: str) -> None:
    assert laid_out(text) == text


def test_a_label_that_says_nothing_goes() -> None:
    assert laid_out("UNLABELLED: Tides turn.\nMETHODS: We looked.\nRESULTS: They do.") == "Tides turn.\nMETHODS: We looked.\nRESULTS: They do."


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("UNLABELLED: Tides turn.", "Tides turn."),
        ("Unlabeled: Tides turn. They do.", "Tides turn. They do."),
        ("UNLABELLED: Tides turn. CONCLUSIONS: They do.", "Tides turn.\nCONCLUSIONS: They do."),
        ("Unlabelled data are: many.", "Unlabelled data are: many."),
    ],
)
def test_the_label_for_having_none_goes(text: str, wanted: str) -> None:
    assert laid_out(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "SUMMARY: We present a program.\nAVAILABILITY: It is free.\nSUPPLEMENTARY INFORMATION: See the page.",
        "Introduction: Seas rise.\nAreas covered: The tides.\nExpert opinion: They turn.",
        "OBJECTIVE: To describe a case.\nCASE SUMMARY: A dog barked.",
        "Background: Seas rise.\nSummary: They turn.\nKey Messages: Look at tides.",
    ],
)
def test_labels_are_enough_without_methods_and_results(text: str) -> None:
    assert laid_out(text.replace("\n", " ")) == text


def test_an_abstract_after_a_summary_for_lay_people() -> None:
    found = laid_out("SIMPLE SUMMARY: Seas rise. ABSTRACT: We measured tides. RESULTS: They turn.")

    assert found == "SIMPLE SUMMARY: Seas rise.\nWe measured tides.\nRESULTS: They turn."


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    laid_out(text)


@given(st.lists(st.sampled_from("Methods Results: Conclusion Background. - — We sea, 12 AIMS:".split()), max_size=60))
def test_nothing_but_the_marks_between_label_and_text_changes(words: list[str]) -> None:
    text = " ".join(words)

    def letters(text: str) -> str:
        return "".join(char for char in text if char.isalnum())

    assert letters(laid_out(text)) == letters(text)


def test_laying_out_twice_changes_nothing() -> None:
    assert laid_out(laid_out(SECTIONS)) == SECTIONS
