"""Raw records become papers in the same way, whatever they were read from."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.papers import TYPES, Notice, Origin, Paper
from rag_qa.sources import records
from rag_qa.sources.reader import FIELDS, Problem, Raw, Trouble

Markup = Literal["plain", "latex", "xml"]
TIDES = "We measured the tides of the northern sea. They turn twice a day."
MOSS = "Mosses store carbon in bogs, which we followed over ten long winters."


def both(fields: Mapping[str, Sequence[str]], markup: Markup = "plain", *, language: str = "en") -> tuple[Paper, list[Problem]]:
    *problems, paper = records.paper(Raw(7, fields, markup), "a.ris", language=language)
    assert isinstance(paper, Paper)
    return paper, [problem for problem in problems if isinstance(problem, Problem)]


def read(fields: Mapping[str, Sequence[str]], markup: Markup = "plain", *, language: str = "en") -> Paper:
    paper, problems = both(fields, markup, language=language)
    assert problems == []
    return paper


def abstract(*values: str, markup: Markup = "plain", language: str = "en") -> str:
    return read({"title": ["T"], "abstract": values}, markup, language=language).abstract


# ------------------------------------------------------------------------------------------------------------- a whole record


def test_a_record() -> None:
    paper = read(
        {
            "title": ["On tides."],
            "abstract": [f"Abstract: {TIDES} © 2020 Sea Press Ltd. All rights reserved."],
            "author": ["Smith JA", "Roe, Bob"],
            "year": ["2020/03/01/"],
            "venue": ["Sea &amp; Shore."],
            "doi": ["https://doi.org/10.1000/Tides_1"],
            "pmid": ["PMID: 123"],
            "url": ["https://sea.org/1", "https://sea.org/1.pdf"],
            "keyword": ["tides; moon"],
            "language": ["eng"],
            "type": ["JOUR"],
            "volume": ["12"],
            "empty": ["  "],
        }
    )

    assert paper == Paper(
        id=paper.id,
        title="On tides",
        abstract=TIDES,
        authors=("Smith, J. A.", "Roe, Bob"),
        year=2020,
        venue="Sea & Shore",
        doi="10.1000/tides_1",
        pmid="123",
        url="https://sea.org/1",
        keywords=("tides", "moon"),
        language="en",
        type="article",
        origins=(Origin("a.ris", 7),),
        extra={
            "other_urls": "https://sea.org/1.pdf",
            "date": "2020/03/01/",
            "copyright": "© 2020 Sea Press Ltd. All rights reserved.",
            "volume": "12",
        },
    )


def test_the_same_record_in_three_markups_is_the_same_paper() -> None:
    latex = read(
        {
            "title": [r"{CO$_2$} in S{\~a}o Paulo: {\textless}i{\textgreater}E. coli{\textless}/i{\textgreater} \& others"],
            "author": [r"M\"uller, J{\"u}rgen", "{World Tide Society}"],
            "abstract": ["About 5\\% of the seas \n   rose."],
            "doi": [r"10.1000/a\_b"],
        },
        "latex",
    )
    plain = read(
        {
            "title": ["CO<sub>2</sub> in São Paulo: <i>E. coli</i> &amp; others"],
            "author": ["Müller, Jürgen", "World Tide Society"],
            "abstract": ["About 5% of the seas\nrose."],
            "doi": ["10.1000/A_B"],
        }
    )

    assert plain.title in {"CO2 in São Paulo: E. coli & others", "CO₂ in São Paulo: E. coli & others"}
    assert (latex.authors, latex.abstract, latex.doi) == (plain.authors, plain.abstract, plain.doi)
    assert latex.authors == ("Müller, Jürgen", "World Tide Society")
    assert latex.abstract == "About 5% of the seas rose."
    assert latex.id == plain.id


def test_a_record_of_nothing_is_no_paper() -> None:
    (problem,) = records.paper(Raw(7, {"title": [" "], "author": ["Smith, J."], "year": ["2001"]}), "a.ris")
    (named,) = records.paper(Raw(7, {"abstract": ["No abstract available"]}, key="Smith2001"), "a.ris")
    (empty,) = records.paper(Raw(7), "a.ris")

    assert problem == Problem("a.ris", 7, "neither title nor abstract; it has author 'Smith, J.', year '2001'", Trouble.NOT_A_PAPER)
    assert named == Problem("a.ris", 7, "neither title nor abstract (Smith2001)", Trouble.NOT_A_PAPER)
    assert empty == Problem("a.ris", 7, "neither title nor abstract; it is empty", Trouble.NOT_A_PAPER)


def test_a_title_alone_or_an_abstract_alone_is_a_paper() -> None:
    assert read({"title": ["On tides"]}).abstract == ""
    assert read({"abstract": [TIDES]}).title is None


# -------------------------------------------------------------------------------------------------------------------- abstract


@pytest.mark.parametrize(
    "value", ["[No abstract available]", "n/a", "-", "NA", "Abstract", "© 2020 Elsevier Ltd.", "T", "t.", "[This corrects the article DOI: 10.1/x.]"]
)
def test_what_is_no_abstract(value: str) -> None:
    assert abstract(value) == ""


def test_a_short_abstract_is_one() -> None:
    assert abstract("Tides turn.") == "Tides turn."


def test_sections_have_their_lines() -> None:
    wanted = "BACKGROUND: Tides turn.\nMETHODS: We looked.\nRESULTS: They do."

    assert abstract("BACKGROUND: Tides turn.\nMETHODS: We looked.\nRESULTS: They do.") == wanted
    assert abstract("BACKGROUND: Tides turn. METHODS: We looked. RESULTS: They do.") == wanted
    assert abstract("<h4>BACKGROUND</h4><p>Tides turn.</p><h4>METHODS</h4><p>We looked.</p><h4>RESULTS</h4><p>They do.</p>") == wanted
    assert abstract("<sec><title>BACKGROUND</title><p>Tides turn.</p></sec><sec><title>METHODS</title><p>We looked.</p></sec>"
                    "<sec><title>RESULTS</title><p>They do.</p></sec>", markup="xml") == wanted  # fmt: skip


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("SUMMARY: A program. AVAILABILITY: It is free.", "SUMMARY: A program.\nAVAILABILITY: It is free."),
        ("Summary: A program.\nResults: It runs.", "Summary: A program.\nResults: It runs."),
        ("Summary\nA program.\nResults\nIt runs.", "Summary: A program.\nResults: It runs."),
        ("Overview: A sea. Methods: A net. Results: Fish.", "Overview: A sea.\nMethods: A net.\nResults: Fish."),
        (f"SUMMARY: {TIDES}", TIDES),
        ("Summary: Background: Seas rise. Methods: We looked. Results: They do.", "Background: Seas rise.\nMethods: We looked.\nResults: They do."),
        ("Abstract: A program. AVAILABILITY: It is free.", "A program. AVAILABILITY: It is free."),
        (f"UNLABELLED: {TIDES}", TIDES),
        (f": {TIDES}", TIDES),
    ],
)
def test_a_heading_is_the_label_of_a_section_only_where_others_follow(written: str, wanted: str) -> None:
    assert abstract(written) == wanted


def test_a_summary_in_jats_is_one_in_the_same_way() -> None:
    part = "<sec><title>{}</title><p>{}</p></sec>"
    written = part.format("Summary", "A program.") + part.format("Availability", "It is free.")

    assert abstract(written, markup="xml") == "Summary: A program.\nAvailability: It is free."
    assert abstract(f"<title>Summary</title><p>{TIDES}</p>", markup="xml") == TIDES


def test_a_text_that_was_cut_off_says_so() -> None:
    cut = read({"title": ["T"], "abstract": [f"{TIDES}(ABSTRACT TRUNCATED AT 250 WORDS)"]})
    snippet = read({"title": ["T"], "abstract": ["We measured the tides of the…"]})

    assert (cut.abstract, cut.extra) == (TIDES, {"abstract_note": "truncated"})
    assert (snippet.abstract, snippet.extra) == ("We measured the tides of the…", {"abstract_note": "truncated"})


def test_of_two_equal_abstracts_one_stays_and_of_a_beginning_the_whole() -> None:
    assert read({"title": ["T"], "abstract": [TIDES, TIDES.upper()]}).other_abstracts == ()
    beginning = read({"title": ["T"], "abstract": ["We measured the tides of the northern sea. They…", TIDES]})
    assert (beginning.abstract, beginning.other_abstracts, beginning.extra) == (TIDES, (), {})


def test_the_abstract_in_the_reading_language_is_chosen() -> None:
    german = "Wir haben die Gezeiten der Nordsee gemessen und gefunden, dass sie zweimal am Tag wechseln."
    fields = {"title": ["T"], "abstract": [german, TIDES]}

    assert (read(fields).abstract, read(fields).other_abstracts) == (TIDES, (german,))
    assert (read(fields, language="de").abstract, read(fields, language="de").other_abstracts) == (german, (TIDES,))
    assert (read(fields, language="fr").abstract, read(fields, language="fr").other_abstracts) == (german, (TIDES,))


def test_of_two_abstracts_in_one_language_the_first_is_read() -> None:
    paper = read({"title": ["T"], "abstract": [TIDES, MOSS]})

    assert (paper.abstract, paper.other_abstracts) == (TIDES, (MOSS,))


def test_one_text_with_the_abstract_in_two_languages_is_parted() -> None:
    spanish = "Medimos las mareas del mar del norte durante muchos años y vimos que cambian dos veces al día."
    english = "We measured the tides of the northern sea for many years, and saw that they turn twice a day."
    paper = read({"title": ["T"], "abstract": [f"Resumen: {spanish} Abstract: {english}"]})

    assert (paper.abstract, paper.other_abstracts) == (english, (spanish,))


def test_languages_that_are_named_right_before_their_text() -> None:
    paper = read({"title": ["T"], "abstract": ["espanolEste articulo mide las mareas del mar.EnglishThis article measures the tides of the sea."]})

    assert (paper.abstract, paper.other_abstracts) == ("This article measures the tides of the sea.", ("Este articulo mide las mareas del mar.",))
    assert abstract("EnglishTides turn twice.") == "Tides turn twice."
    assert abstract("English tides turn twice.") == "English tides turn twice."


def test_a_summary_in_the_same_language_is_not_parted() -> None:
    text = f"{TIDES} Summary: {MOSS} {MOSS}"

    assert abstract(text) == text


# ----------------------------------------------------------------------------------------------------------------------- title


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (["On tides."], "On tides"),
        (["On tides?"], "On tides?"),
        (["On tides!"], "On tides!"),
        (["On tides..."], "On tides..."),
        (["Tides of the U.S."], "Tides of the U.S."),
        (["Tides and Corals spp."], "Tides and Corals spp."),
        (["[On tides]."], "On tides"),
        (["[On tides]"], "On tides"),
        (["[On] tides [again]"], "[On] tides [again]"),
        (["On tides. [French]"], "On tides"),
        (["On tides*"], "On tides"),
        (["On tides : a study"], "On tides: a study"),
        (["On tides", "A study"], "On tides: A study"),
        (["Do tides turn?", "A study"], "Do tides turn? A study"),
        (["On tides: a study", "A study"], "On tides: a study"),
        (["ON TIDES"], "ON TIDES"),
        (["RETRACTED: On tides"], "On tides"),
        (["Erratum to: On tides"], "Erratum to: On tides"),
    ],
)
def test_titles(parts: list[str], wanted: str) -> None:
    assert read({"title": parts}).title == wanted


def test_what_is_taken_off_a_title_is_kept() -> None:
    assert read({"title": ["[On tides]."]}).extra == {"title_as_read": "[On tides]."}
    french = read({"title": ["On tides. [French]"]})
    assert (french.language, french.extra) == ("fr", {"title_as_read": "On tides. [French]"})


@pytest.mark.parametrize("title", ["[Not Available]", "No title", "Untitled", "nan"])
def test_a_title_that_is_none(title: str) -> None:
    assert read({"title": [title], "abstract": [TIDES]}).title is None


def test_a_translated_title_stands_in() -> None:
    assert read({"translated_title": ["On tides"], "author": ["王小明"]}).title == "On tides"
    both_titles = read({"title": ["潮汐"], "translated_title": ["On tides"]})
    assert (both_titles.title, both_titles.extra) == ("潮汐", {"translated_title": "On tides"})


# ---------------------------------------------------------------------------------------------------------------- other fields


@pytest.mark.parametrize(
    ("date", "year", "kept"),
    [
        ("2014", 2014, None),
        ("2014//", 2014, None),
        ("2014///nan", 2014, None),
        ("(2014)", 2014, None),
        ("2014.0", 2014, None),
        ("2019 Jan 3", 2019, "2019 Jan 3"),
        ("1990-05", 1990, "1990-05"),
        ("20190103", 2019, "20190103"),
        ("Spring 1998-1999", 1998, "Spring 1998-1999"),
        ("2019年1月", 2019, "2019年1月"),
        ("1546300800000", 2019, "1546300800000"),
        ("in press", None, "in press"),
        ("12/03/15", None, "12/03/15"),
        ("1499", None, None),
        ("12345", None, "12345"),
    ],
)
def test_the_year_of_any_date(date: str, year: int | None, kept: str | None) -> None:
    paper = read({"title": ["T"], "year": [date]})

    assert (paper.year, paper.extra.get("date")) == (year, kept)


def test_the_first_date_with_a_year_counts() -> None:
    assert read({"title": ["T"], "year": ["SEP", "2014", "2015"]}).year == 2014


def test_identifiers_are_found_in_the_address_too() -> None:
    arxiv = read({"title": ["T"], "url": ["http://arxiv.org/abs/1706.03762v5"]})
    assert (arxiv.arxiv, arxiv.extra, arxiv.type) == ("1706.03762", {"arxiv_version": "v5"}, "preprint")
    assert read({"title": ["T"], "url": ["https://doi.org/10.1000/x"]}).doi == "10.1000/x"
    assert read({"title": ["T"], "url": ["https://pubmed.ncbi.nlm.nih.gov/123/"]}).pmid == "123"
    assert read({"title": ["T"], "doi": ["10.48550/arXiv.1706.03762"]}).arxiv == "1706.03762"
    assert read({"title": ["T"], "venue": ["arXiv preprint arXiv:1706.03762"]}).arxiv == "1706.03762"


def test_identifiers_of_a_note_count_where_they_are_plainly_its_own() -> None:
    own = read({"title": ["T"], "note": ["doi: 10.1000/x"], "extra": ["Place: England PMID: 123"]})
    others = read({"title": ["T"], "note": ["Comment on: Smith, doi: 10.1000/x, PMID: 123"]})

    assert (own.doi, own.pmid) == ("10.1000/x", "123")
    assert (others.doi, others.pmid) == (None, None)


def test_a_link_into_a_program_is_no_address() -> None:
    paper = read({"title": ["T"], "url": ["<Go to ISI>://WOS:000274313500001"]})

    assert (paper.url, paper.extra) == (None, {"url_as_read": "<Go to ISI>://WOS:000274313500001"})


def test_what_is_no_identifier_is_kept_as_read() -> None:
    paper = read({"title": ["T"], "doi": ["10.1", "n/a"], "pmid": ["PMC12"], "arxiv": ["jstor"], "url": ["file:///a"], "language": ["Klingon"]})

    assert (paper.doi, paper.pmid, paper.arxiv, paper.url, paper.language) == (None, None, None, None, None)
    assert paper.extra == {
        "doi_as_read": "10.1",
        "pmid_as_read": "PMC12",
        "arxiv_as_read": "jstor",
        "url_as_read": "file:///a",
        "language_as_read": "Klingon",
    }


def test_the_angle_brackets_of_an_old_doi_survive_the_cleaning() -> None:
    assert read({"title": ["T"], "doi": ["10.1002/(SICI)1-2(3)4:5<6::AID-X7>3.0.CO;2-8"]}).doi == "10.1002/(sici)1-2(3)4:5<6::aid-x7>3.0.co;2-8"


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["a; b; A"], ("a", "b")),
        (["a, b, c"], ("a", "b", "c")),
        (["Neoplasms, Second"], ("Neoplasms, Second",)),
        (["Diabetes Mellitus, Type 2", "Humans"], ("Diabetes Mellitus, Type 2", "Humans")),
        (["*Dogs/genetics", "Dogs/*genetics", "Humans*"], ("Dogs/genetics", "Humans")),
        (["*Stroke/th [Therapy]"], ("Stroke/therapy",)),
        (["a|b"], ("a", "b")),
        (["1,3-butadiene, tides of the sea and of the moon, which is long"], ("1,3-butadiene, tides of the sea and of the moon, which is long",)),
    ],
)
def test_keywords(values: list[str], wanted: tuple[str, ...]) -> None:
    assert read({"title": ["T"], "keyword": values}).keywords == wanted


def test_venues() -> None:
    paper = read({"title": ["T"], "venue": ["Sea &amp; Shore.", "J. Sea Shore", "Sea & Shore"]})
    assert (paper.venue, paper.extra) == ("Sea & Shore", {"other_venues": "J. Sea Shore"})
    assert read({"title": ["T"], "venue": ["J. Sea."]}).venue == "J. Sea."
    assert read({"title": ["T"], "venue": ["arXiv e-prints"]}).venue == "arXiv"


def test_notices_come_from_type_notice_title_and_abstract() -> None:
    assert read({"title": ["T"], "type": ["Journal Article", "Retracted Publication"]}).notices == (Notice.RETRACTED,)
    retracted = read({"title": ["RETRACTED: On tides"], "notice": ["Retraction in: Sea. 2010", "Erratum in: Sea. 2009"]})
    assert (retracted.notices, retracted.is_retracted) == ((Notice.RETRACTED, Notice.CORRECTED), True)
    assert retracted.extra == {"notice": "Retraction in: Sea. 2010; Erratum in: Sea. 2009; RETRACTED:"}
    erratum = read({"title": ["On tides"], "abstract": ["[This corrects the article DOI: 10.1000/x.]"], "type": ["Published Erratum"]})
    assert (erratum.notices, erratum.abstract, erratum.type) == ((Notice.IS_CORRECTION,), "", "other")
    assert erratum.extra == {"notice": "[This corrects the article DOI: 10.1000/x.]", "publication_type": "Published Erratum"}
    assert read({"title": ["T"], "notice": ["False"]}) == read({"title": ["T"]})


def test_a_remark_may_hold_a_notice() -> None:
    paper = read({"title": ["T"], "note": ["Read in May.\nRetraction in: Sea. 2010"]})
    assert (paper.notices, paper.extra) == ((Notice.RETRACTED,), {"note": "Read in May. Retraction in: Sea. 2010"})
    assert read({"title": ["T"], "note": ["On the retraction in 2010: a comment"]}).notices == ()


def test_what_we_wrote_ourselves_is_text() -> None:
    written = {"title": [r"On 50\% of <i>tides</i> &amp; \'e"], "provider": ["rag-qa"], "type": ["JOUR", "other"], "arxiv": ["2001.01234"]}
    ours, other = read(written), read({**written, "provider": ["Ovid"]})

    assert (ours.title, ours.type, ours.extra) == (r"On 50\% of <i>tides</i> &amp; \'e", "other", {})
    assert (other.title, other.type, other.extra["provider"]) == ("On 50% of tides & é", "preprint", "Ovid")


def test_bodies_of_bibtex_stay_whole() -> None:
    assert read({"title": ["T"], "author": ["{Barnes and Noble}", "{[Anonymous]}", r"{\'E}va Smith"]}, "latex").authors == (
        "Barnes and Noble",
        "Smith, Éva",
    )


def test_everything_else_is_kept_once_and_not_for_ever() -> None:
    paper = read(
        {
            "title": ["On tides"],
            "short": ["On Tides"],
            "note": ["a &lt; b", "a &lt; b", "c\nd"],
            "references": ["x" * 9000],
            "nothing": ["null", "N/A", " "],
            "date": ["1 May"],
            "year": ["2001 May 1"],
        }
    )

    assert {name: value for name, value in paper.extra.items() if name != "references"} == {"note": "a < b; c d", "date": "2001 May 1; 1 May"}
    assert len(paper.extra["references"]) == 2000
    assert paper.extra["references"].endswith("x…")


# --------------------------------------------------------------------------------------------------------------------- repairs


def test_a_repair_is_told_with_what_was_there() -> None:
    paper, problems = both({"title": ["T"], "author": ["WÃ¼bben, Dirk", "MÃ¼ller, A."], "abstract": ["At 300Â\xa0K the sea boils, in this cafÃ©."]})

    assert paper.authors == ("Wübben, Dirk", "Müller, A.")
    assert paper.abstract == "At 300 K the sea boils, in this café."
    assert [(problem.path, problem.line, problem.kind) for problem in problems] == [("a.ris", 7, Trouble.REPAIRED)] * 2
    reasons = sorted(problem.reason for problem in problems)
    assert "'WÃ¼bben, Dirk' -> 'Wübben, Dirk'" in reasons[1]
    assert "(and 1 more)" in reasons[1]
    assert reasons[0].startswith("abstract: ")


def test_characters_that_were_lost_are_told_once() -> None:
    paper, problems = both({"title": ["Gr�neisen and N�el"], "abstract": ["At 4.2�K the sea is ice."]})

    assert paper.title == "Gr�neisen and N�el"
    assert [problem.kind for problem in problems] == [Trouble.REPAIRED]
    assert "Gr�neisen" in problems[0].reason


def test_text_that_is_right_is_not_touched() -> None:
    for text in ("« Größe » naïve São Conclusão Ångström", "Мы измеряли приливы моря", "我们测量潮汐", "α ≤ β ± 2 µm² “x”"):
        assert read({"title": [text]}).title == text


# ------------------------------------------------------------------------------------------------------------------ any record

_NAMES = st.sampled_from([*sorted(FIELDS), "note", "volume", "date"])
_MARKUPS: st.SearchStrategy[Markup] = st.sampled_from(("plain", "latex", "xml"))
_HINTS = st.sampled_from(
    ["© 2020 ", "Abstract: ", "<i>", "&amp;", "{\\'e}", "10.1000/", "RESULTS: ", "Retracted: ", "\u00ad", "Ã¼", "; ", " and ", "\n", "Resumen: "]
)
_VALUES = st.text() | st.lists(st.text(max_size=10) | _HINTS, max_size=20).map("".join)


@given(st.dictionaries(_NAMES, st.lists(_VALUES, max_size=4)), _MARKUPS)
def test_no_record_is_too_odd(fields: dict[str, list[str]], markup: Markup) -> None:
    found = list(records.paper(Raw(1, fields, markup), "a.bib"))

    assert found == list(records.paper(Raw(1, fields, markup), "a.bib"))
    assert all(isinstance(one, Problem) and one.kind is Trouble.REPAIRED for one in found[:-1])
    last = found[-1]
    if isinstance(last, Problem):
        assert last.kind is Trouble.NOT_A_PAPER
        return
    assert last.title or last.abstract
    assert last.type in {None, *TYPES}
    assert last.year is None or 1500 <= last.year <= 2100
    assert all(value and len(value) <= 2000 for value in last.extra.values())
    for text in (last.title or "", *last.authors, *last.keywords, last.venue or "", *last.extra.values()):
        assert text == " ".join(text.split())
    last.content_hash.encode()


@given(st.dictionaries(_NAMES, st.lists(_VALUES, max_size=3)))
def test_reading_what_was_read_changes_nothing(fields: dict[str, list[str]]) -> None:
    """The values of a Paper are clean: given again, they come out the same."""
    *_, first = records.paper(Raw(1, {"title": ["On tides"], "abstract": [TIDES], **fields}), "a.ris")
    if not isinstance(first, Paper):
        return
    again = read({"year": [str(first.year)], "doi": [first.doi or ""], "pmid": [first.pmid or ""], "arxiv": [first.arxiv or ""], "title": ["T"]})

    assert (again.year, again.doi, again.pmid, again.arxiv) == (first.year, first.doi, first.pmid, first.arxiv)


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "©", "(c) ", "<", "&", "\\", "{", "$", "Abstract ", "RESULTS: ", "Results ", "A. ", "A, ", "; ", " and ", "10.", "10.1000/", ")",
     "arxiv ", "\n", "\u00ad ", "Ã¼", "http://", "PMID: ", "Retraction in ", "[", "et al ", "Copyright "],
)  # fmt: skip
def test_long_values_take_time_that_grows_with_their_length_only(piece: str) -> None:
    def seconds(length: int) -> float:
        value = (piece * length)[:length]
        raw = Raw(1, {"title": ["T"], "note": ["n"], **{name: [value] for name in sorted(FIELDS | {"note"})}})
        start = time.process_time()
        list(records.paper(raw, "a.ris"))
        return time.process_time() - start

    seconds(1000)
    assert seconds(100_000) < 4, piece
