"""What stands in the place of an abstract, or around it: the words of databases and publishers are taken off, the authors' stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields import boilerplate

EBSCO = (
    "[ABSTRACT FROM AUTHOR] Copyright of Tides is the property of Sea Press and its content may not be copied or emailed to multiple sites or "
    "posted to a listserv without the copyright holder's express written permission. However, users may print, download, or email "
    "articles for individual use. This abstract may be abridged. No warranty is given about the accuracy of the copy. Users should refer to "
    "the original published version of the material for the full abstract. (Copyright applies to all Abstracts.)"
)
TIDES = "We measured the tides of the northern sea. They turn twice a day."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        ".",
        ",",
        "n/a",
        "NA",
        "None",
        "Abstract",
        "[No abstract available]",
        "No abstract.",
        "No Abstract Available.",
        "(no abstract)",
        "Abstract not available",
        "Abstract unavailable.",
        "Not Available",
        "Without Abstract",
        "ABSTRACT FROM AUTHOR",
        "[Abstract truncated]",
        "There is no abstract available for this article.",
        "An abstract is not available for this content.",
        "This article has no abstract.",
        "No abstract is available for this article",
        "No abstract was provided by the authors",
        "Abstract available from the publisher.",
        "Kein Abstract verfügbar",
        "Keine Zusammenfassung vorhanden.",
        "Pas de résumé disponible.",
        "Résumé non disponible",
        "Resumen no disponible",
        "Sin resumen",
        "Sem resumo",
        "Não disponível",
        "Nessun abstract disponibile",
        "Geen samenvatting beschikbaar",
        "Brak streszczenia",
        "Нет аннотации",
        "无摘要",
        "抄録なし",
        "초록 없음",
    ],
)
def test_that_there_is_no_abstract_is_no_abstract(text: str) -> None:
    assert boilerplate.is_excuse(text)


@pytest.mark.parametrize(
    "text",
    [
        TIDES,
        "Tides turn.",
        "No abstract domain is precise enough.",
        "No evidence was available.",
        "None of the tides turned.",
        "Abstract machines for tides",
        "A nice abstract",
        "This article has no tables.",
    ],
)
def test_a_short_abstract_is_one(text: str) -> None:
    assert not boilerplate.is_excuse(text)


@pytest.mark.parametrize(
    "notice",
    [
        "© 2020 Elsevier Ltd. All rights reserved.",
        "© 2018 Elsevier B.V.",
        "© 2024 by the authors.",
        "© The Author(s) 2019. Published by Oxford University Press on behalf of the Society for Tides. All rights reserved.",
        "© 2017 The Authors. JBMR Plus Published by Wiley Periodicals, Inc. on behalf of the Society for Tides.",
        "© 2019, Springer-Verlag GmbH Germany, part of Springer Nature.",
        "© Georg Thieme Verlag KG Stuttgart · New York.",
        "© 2018, © 2018 Taylor & Francis.",
        "© 2016 Buchanan, Rahm and Williams.",
        "© 2013.",
        "Copyright (C) 2016 Elsevier Inc. All rights reserved.",
        "Copyright © 2023. The Author(s), under exclusive licence to Springer Nature Switzerland AG.",
        "Copyright © 2016 Bisgaard et al. This is an open access article distributed under the terms of the Creative Commons Attribution License.",
        "Copyright 2001 Academic Press.",
        "Crown Copyright (C) 2015 Published by Elsevier B.V. All rights reserved.",
        "(c) 2004 Wiley-Liss, Inc.",
        "(C) 2018 The Authors. Published by Elsevier Ltd.",
        "(C) 2000 Optical Society of America [S0740-3232(00)01604-5].",
        "[copyright] 2008 Elsevier B.V. All rights reserved.",
        "2016 Published by Elsevier B.V..",
        "2016, Academia Brasileira de Ciencias. All rights reserved.",
        "Published by Elsevier Inc.",
        "This article is protected by copyright. All rights reserved.",
        "This article is a U.S. Government work and is in the public domain in the USA.",
        "(PsycINFO Database Record (c) 2016 APA, all rights reserved)",
        "(PsycInfo Database Record (c) 2021 APA, all rights reserved). (from the journal abstract)",
        "[ABSTRACT FROM AUTHOR]",
        "[PUBLICATION ABSTRACT]",
        "(Abstract shortened by UMI.)",
        EBSCO,
        "Autism Res 2016. (c) 2016 International Society for Autism Research, Wiley Periodicals, Inc.",
        "Cancer Discov; 6(6); 630-49. ©2016 AACR.",
    ],
)
def test_the_line_of_the_publisher_goes(notice: str) -> None:
    assert boilerplate.without_notice(f"{TIDES} {notice}") == (TIDES, notice)


@pytest.mark.parametrize(
    "notice",
    [
        "© 2016 IEEE.",
        "© 2015 Elsevier Ltd. All rights reserved.",
        "© 2019, Springer-Verlag GmbH Germany, part of Springer Nature.",
        "© 2014 The Authors. Published by Elsevier B.V.",
        "Copyright © 2012 by the Society for Tides. All rights reserved.",
    ],
)
@pytest.mark.parametrize("gap", [" ", ""])
def test_the_line_of_the_publisher_goes_from_the_beginning_too(notice: str, gap: str) -> None:
    assert boilerplate.without_notice(notice + gap + TIDES) == (TIDES, notice)


@pytest.mark.parametrize(
    "text",
    [
        "Copyright law changed in 2001. We ask what it did to authors.",
        "We ask who holds the copyright of a tide. It was published by chance in 2009.",
        "We show that (a) tides turn, (b) moons do, and (c) 2 of 3 seas follow.",
        "We compare (a) seas and (C) 2000 ponds of three kinds.",
        "Models infringe copyright by copying. We propose the ©Plug-in framework for authors.",
        "All data were published by the ministry. We use them with permission.",
        "We study licences. This work is licensed software, and we show how it fails in practice.",
        "Users gave permission. We conclude that open access helps.",
    ],
)
def test_a_sentence_about_copyright_stays(text: str) -> None:
    assert boilerplate.without_notice(text) == (text, "")


def test_a_notice_in_the_middle_stays() -> None:
    text = f"{TIDES} © 2020 Elsevier Ltd. Then we measured the tides of the southern sea as well, and they were quite the same."

    assert boilerplate.without_notice(text) == (text, "")


def test_only_a_notice_leaves_no_abstract() -> None:
    assert boilerplate.without_notice("© 2020 Elsevier Ltd. All rights reserved.").text == ""


@pytest.mark.parametrize(
    "heading",
    [
        "Abstract: ",
        "ABSTRACT ",
        "Abstract. ",
        "Abstract\n",
        "Summary: ",
        "SUMMARY ",
        "Zusammenfassung ",
        "Résumé - ",
        "摘要：",
        ", Abstract:, ",
    ],
)
def test_the_heading_goes(heading: str) -> None:
    assert boilerplate.without_heading(heading + TIDES) == TIDES


@pytest.mark.parametrize(
    "text",
    [
        "Abstract interpretation is sound.",
        "Abstract Meaning Representation is a graph.",
        "Abstract-level semantics is hard.",
        "Summary statistics are enough.",
        "Abstracts are short.",
        "Summarizing tides is hard.",
    ],
)
def test_a_sentence_that_begins_with_such_a_word_stays(text: str) -> None:
    assert boilerplate.without_heading(text) == text


def test_the_line_above_the_abstracts_of_one_database() -> None:
    above = "To link to full-text access for this article, visit this link: http://dx.doi.org/10.1000/x Byline: A. Smith, B. Roe "

    assert boilerplate.without_heading(f"{above}Abstract: {TIDES}") == TIDES


@pytest.mark.parametrize(
    "remark", ["(ABSTRACT TRUNCATED AT 250 WORDS)", " (ABSTRACT TRUNCATED)", " [Abstract truncated]", " [truncated at 250 words]"]
)
def test_the_remark_that_a_text_was_cut_goes(remark: str) -> None:
    assert boilerplate.untruncated(TIDES + remark) == (TIDES, True)


@pytest.mark.parametrize("end", ["…", "...", " [...]"])
def test_dots_at_the_end_stay(end: str) -> None:
    assert boilerplate.untruncated(f"We measured the tides of{end}") == (f"We measured the tides of{end}", True)
    assert boilerplate.untruncated(TIDES) == (TIDES, False)


def test_same_words() -> None:
    assert boilerplate.is_same("On the “Tides” of Århus.", "ON THE TIDES OF ÅRHUS")
    assert not boilerplate.is_same("On tides", "On tides again")


@given(st.text(), st.text())
def test_no_text_is_too_odd(before: str, after: str) -> None:
    for text in (before, f"{before} © 2020 {after}", f"© 2020 {before}. {after}", f"Abstract: {before}"):
        kept, notice = boilerplate.without_notice(text)
        boilerplate.without_heading(text), boilerplate.is_excuse(text), boilerplate.untruncated(text)
        assert len(kept) + len(notice) <= len(text) + 1
