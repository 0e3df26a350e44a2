"""Retractions and corrections: whether a paper has one, or is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.papers import TYPES, Notice
from rag_qa.sources.fields import document_types, notices
from rag_qa.sources.fields.notices import Abstract, Title

RETRACTED, CORRECTED, CONCERN = Notice.RETRACTED, Notice.CORRECTED, Notice.CONCERN
IS_RETRACTION, IS_CORRECTION, IS_CONCERN = Notice.IS_RETRACTION, Notice.IS_CORRECTION, Notice.IS_CONCERN


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Retraction in: Nature. 2010;1:2", RETRACTED),
        ("RetractionIn: Nature", RETRACTED),
        ("Retracted", RETRACTED),
        ("true", RETRACTED),
        ("This paper has been withdrawn by the authors", RETRACTED),
        ("updated-by: retraction 10.1000/x", RETRACTED),
        ("Retraction of: Smith J. Nature. 2009", IS_RETRACTION),
        ("update-to: retraction 10.1000/x", IS_RETRACTION),
        ("Erratum in: Nature. 2010", CORRECTED),
        ("Corrected and republished in: Nature", CORRECTED),
        ("Corrected and republished from: Nature", CORRECTED),
        ("CorrectedandRepublishedFrom: Nature", CORRECTED),
        ("RetractedandRepublishedIn: Nature", CORRECTED),
        ("Correction", CORRECTED),
        ("updated-by: erratum", CORRECTED),
        ("Erratum for: Nature. 2010", IS_CORRECTION),
        ("ErratumFor", IS_CORRECTION),
        ("Corrigendum to: Nature", IS_CORRECTION),
        ("Expression of concern in: Nature", CONCERN),
        ("ExpressionOfConcernFor: Nature", IS_CONCERN),
    ],
)
def test_the_little_word_tells_the_direction(text: str, wanted: Notice) -> None:
    assert notices.of_text(text) == {wanted}


@pytest.mark.parametrize("notice", Notice)
def test_our_own_words_are_understood(notice: Notice) -> None:
    assert notices.of_text(notice.value) == {notice}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Retraction in: Nature. 2010;1:2", True),
        ("Partial retraction in: Nature", True),
        ("Erratum for: Nature", True),
        ("Correction to: Nature", True),
        ("Expression of concern in: Nature", True),
        ("Corrected and republished in: Nature", True),
        ("Correction in the model: a note", False),
        ("We discuss the retraction in: Nature", False),
        ("Comment in: Nature", False),
    ],
)
def test_a_remark_that_is_plainly_a_notice(line: str, wanted: bool) -> None:
    assert notices.is_one(line) is wanted


@pytest.mark.parametrize(
    "text", ["", "False", "no", "0", "None", "Comment in: Nature", "Update in: Cochrane", "Republished from: Nature", "not retracted"]
)
def test_no_notice(text: str) -> None:
    assert notices.of_text(text) == set()


@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        ("Retracted Publication", RETRACTED),
        ("Retraction of Publication", IS_RETRACTION),
        ("Published Erratum", IS_CORRECTION),
        ("Erratum", IS_CORRECTION),
        ("Correction", IS_CORRECTION),
        ("Retracted", RETRACTED),
        ("Expression of Concern", IS_CONCERN),
        ("Corrected and Republished Article", CORRECTED),
    ],
)
def test_types_tell(type_: str, wanted: Notice) -> None:
    assert notices.of_types(["Journal Article", type_]) == {wanted}


@pytest.mark.parametrize(
    "title",
    [
        "RETRACTED: On tides",
        "RETRACTED ARTICLE: On tides",
        "Retracted: On tides",
        "[Retracted] On tides",
        "WITHDRAWN: On tides",
        "Withdrawn - On tides",
        "On tides (Retracted article. See vol. 399, pg. 1, 2010)",
        "On tides [Retracted]",
    ],
)
def test_the_mark_of_a_retracted_paper_goes_from_its_title(title: str) -> None:
    read = notices.of_title(title)

    assert (read.title, set(read.notices)) == ("On tides", {RETRACTED})
    assert "etract" in read.mark or "ETRACT" in read.mark or "ithdr" in read.mark.lower()


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Retraction: On tides", IS_RETRACTION),
        ("Retraction Note to: On tides", IS_RETRACTION),
        ("Notice of Retraction: On tides", IS_RETRACTION),
        ("On tides (Retraction of vol 3, pg 2, 2001)", IS_RETRACTION),
        ("Erratum", IS_CORRECTION),
        ("Erratum to: On tides", IS_CORRECTION),
        ("Corrigendum to “On tides” [Sea 1 (2001) 2]", IS_CORRECTION),
        ("Author Correction: On tides", IS_CORRECTION),
        ("Correction: On tides", IS_CORRECTION),
        ("Correction to: On tides", IS_CORRECTION),
        ("Correction for Smith et al., On tides", IS_CORRECTION),
        ("On tides [corrigendum]", IS_CORRECTION),
        ("Expression of Concern: On tides", IS_CONCERN),
        ("Editorial Expression of Concern", IS_CONCERN),
    ],
)
def test_the_title_of_a_notice_stays_whole(title: str, wanted: Notice) -> None:
    assert notices.of_title(title) == Title(title, "", frozenset({wanted}))


@pytest.mark.parametrize(
    "title",
    [
        "On tides",
        "Correction of scoliosis",
        "Corrections to scaling in QCD",
        "Correction for attenuation",
        "Retraction of the tongue in cats",
        "Withdrawn patients: who are they?",
        "Why papers are retracted",
        "Errata in old charts",
        "A concern: the sea",
    ],
)
def test_titles_about_such_things_are_no_notices(title: str) -> None:
    assert notices.of_title(title) == Title(title, "", frozenset())


def test_an_abstract_that_is_a_notice_is_no_abstract() -> None:
    assert notices.of_abstract("[This corrects the article DOI: 10.1000/x.].") == Abstract("", frozenset({IS_CORRECTION}))
    assert notices.of_abstract("[This retracts the article DOI: 10.1000/x.].") == Abstract("", frozenset({IS_RETRACTION}))
    assert notices.of_abstract("This paper has been withdrawn by the author due to an error in Lemma 2.") == Abstract("", frozenset({RETRACTED}))
    assert notices.of_abstract("This article has been retracted: see the policy on withdrawal.") == Abstract("", frozenset({RETRACTED}))
    assert notices.of_abstract("This paper has been written at sea.") == Abstract("This paper has been written at sea.", frozenset())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["JOUR"], "article"),
        (["article"], "article"),
        (["Journal Article"], "article"),
        (["journal-article"], "article"),
        (["journalArticle"], "article"),
        (["Randomized Controlled Trial", "Journal Article"], "article"),
        (["Case Reports"], "article"),
        (["Journal Article", "Review"], "review"),
        (["Systematic Review", "Meta-Analysis"], "review"),
        (["Review Article"], "review"),
        (["Book Review"], "other"),
        (["peer-review"], "other"),
        (["CONF"], "conference"),
        (["CPAPER"], "conference"),
        (["inproceedings"], "conference"),
        (["proceedings-article"], "conference"),
        (["Conference Paper"], "conference"),
        (["Meeting Abstract"], "conference"),
        (["posted-content"], "preprint"),
        (["Preprint", "Journal Article"], "preprint"),
        (["CHAP"], "chapter"),
        (["incollection"], "chapter"),
        (["Book Section"], "chapter"),
        (["BOOK"], "book"),
        (["phdthesis"], "thesis"),
        (["Dissertations & Theses"], "thesis"),
        (["techreport"], "report"),
        (["Letter", "Comment"], "letter"),
        (["Editorial Material"], "editorial"),
        (["DATA"], "dataset"),
        (["COMP"], "software"),
        (["Computer Program"], "software"),
        (["PAT"], "patent"),
        (["MUSIC"], "other"),
        (["Personal Communication"], "other"),
        (["Published Erratum", "Journal Article"], "article"),
        (["Journal Articles", "Reports - Research"], "article"),
        (["Reports - Evaluative", "Journal Articles", "Information Analyses"], "article"),
        (["Reports - Research"], "report"),
        (["JOUR", "Technical Report"], "report"),
        (["Article; Early Access"], "article"),
        (["Research Support, Non-U.S. Gov't"], None),
        (["Research Support, N.I.H., Extramural Review"], "review"),
        (["Case Reports Research Support, Non-U.S. Gov't"], "article"),
        ([""], None),
        ([], None),
    ],
)
def test_types(words: list[str], wanted: str | None) -> None:
    assert document_types.of(words) == wanted


def test_a_preprint_is_known_by_its_server() -> None:
    assert document_types.of(["article"], venue="arXiv preprint arXiv:1706.03762") == "preprint"
    assert document_types.of(["JOUR"], venue="bioRxiv : the preprint server for biology") == "preprint"
    assert document_types.of(["misc"], is_on_arxiv=True) == "preprint"
    assert document_types.of(["article"], venue="Sea Journal", is_on_arxiv=True) == "article"
    assert document_types.of(["inproceedings"], is_on_arxiv=True) == "conference"


def test_a_part_of_proceedings_is_not_the_book() -> None:
    assert document_types.of(["Book in series"], is_of_conference=True) == "conference"
    assert document_types.of(["Journal"], is_of_conference=True) == "article"


@given(st.lists(st.text()), st.text())
def test_no_text_is_too_odd(words: list[str], text: str) -> None:
    assert document_types.of(words, venue=text) in {None, *TYPES}
    notices.of_types(words), notices.of_text(text), notices.of_title(text), notices.of_abstract(text)
