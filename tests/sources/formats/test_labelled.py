"""What the labelled formats share; that they stay apart from each other and from all others, and do not break on broken files."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import bibtex, cnki, cochrane, cssci, labelled, note_express, refworks, ris, table
from rag_qa.sources.reader import FORMATS, Format, Problem, Raw, Trouble
from tests.sources.formats.test_tagged import OTHERS, parts
from tests.sources.formats.test_tagged import SAMPLES as TAGGED

MODULES = (note_express, cnki, cssci, cochrane, refworks)
OURS = [module.FORMAT for module in MODULES]

SAMPLES = {
    "NoteExpress": "{Reference Type}: Journal Article\n{Title}: Tides\n{Author}: Noor, Ada\n{Abstract}: We study tides.\n{Year}: 2019\n\n",
    "CNKI": "DataType: 1\nTitle-题名: Tides\nAuthor-作者: Noor, Ada;\nSource-刊名: Seas\nSummary-摘要: We study tides.\n",
    "CSSCI": "【来源篇名】Tides\n【来源作者】王伟/李娜\n【期    刊】Seas\n【年代卷期】2019,38(040):1-9\n"
    "【参考文献】\n1.王.海.1999\n----------------------\n\n",
    "Cochrane": "Record #1 of 1\nID: CD1\nAU: Noor Ada\nTI: Tides\nSO: Seas\nYR: 2019\nAB: We study tides.\nUS: https://example.org/1\n\n\n",
    "RefWorks": "RT Journal Article\nSR Electronic(1)\nA1 Noor,Ada\nT1 Tides\nJF Seas\nYR 2019\nAB We study tides.\n\n",
}
"""A record of each."""


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_file_is_claimed_by_its_own_format_alone(name: str, end: str) -> None:
    head = "\ufeff" + (SAMPLES[name] * 2).replace("\n", end)

    assert [format_.name for format_ in FORMATS.values() if format_.claims(head)] == [name]


@pytest.mark.parametrize("name", [*TAGGED, *OTHERS])
def test_none_claims_a_file_of_another_kind(name: str) -> None:
    assert [format_.name for format_ in OURS if format_.claims({**TAGGED, **OTHERS}[name])] == []


@pytest.mark.parametrize(
    "text",
    [
        "Record #1 of 2\nProvider: Seas\nContent: text/plain\n\nTY  - JOUR\nTI  - Tides\nER  - \n",  # the RIS of Cochrane
        "RT @noor: the tides of the sea are long, says a paper\n",
        "RT Journal Article\n" + "It has many lines of prose and one that looks like a tag.\n" * 20,
        "{Title}: Tides\n{Author}: Noor\n",  # a template
        "【目的】研究潮汐。\n【方法】观测。\n【结果】潮汐很长。\n",
        "DataType: 1\nkey: value\n",
        "RT Routing Table\nA1 the first\nT1 the next\n",
    ],
)
def test_what_only_looks_like_them_is_not_claimed(text: str) -> None:
    assert [format_.name for format_ in OURS if format_.claims(text)] == []


@pytest.mark.parametrize("format_", OURS, ids=lambda format_: format_.name)
@pytest.mark.parametrize("content", ["We study tides.\n\nOf the sea.\n", '{"title": "Tides"}', "title,abstract\nTides,We study.\n", "@book{a,\n}\n"])
def test_a_file_that_holds_none_of_its_records_is_refused(format_: Format, content: str) -> None:
    with pytest.raises(SourceError, match=f"^a.txt: found no {format_.name} record, expected records that begin with a line `"):
        list(format_.read(File("a.txt", content.encode())))


@pytest.mark.parametrize("format_", OURS, ids=lambda format_: format_.name)
def test_the_records_of_another_format_in_the_file_are_told(format_: Format) -> None:
    content = SAMPLES[format_.name] + "\n" + TAGGED["RIS"] + SAMPLES[format_.name].replace("#1 of 1", "#2 of 2")

    raws, problems = parts(format_, content)

    assert [raw.fields["title"] for raw in raws] == [["Tides"], ["Tides"]]
    assert [(problem.kind, problem.line) for problem in problems] == [(Trouble.MALFORMED, SAMPLES[format_.name].count("\n") + 2)]
    assert problems[0].reason.startswith(f"a record in RIS format among {format_.name} records")


@pytest.mark.parametrize("format_", OURS, ids=lambda format_: format_.name)
def test_text_before_the_first_record_is_told(format_: Format) -> None:
    raws, problems = parts(format_, "Search of Monday\n\n" + SAMPLES[format_.name])

    assert [raw.line for raw in raws] == [3]
    assert [(problem.kind, problem.line) for problem in problems] == [(Trouble.NOT_A_PAPER, 1)]


@pytest.mark.parametrize(
    ("format_", "own"), [(cochrane.FORMAT, "us"), (refworks.FORMAT, "SR"), (note_express.FORMAT, "Year"), (cnki.FORMAT, "Source")]
)
def test_a_label_that_a_person_names_gives_the_field(format_: Format, own: str) -> None:
    (raw,) = format_.read(File("a.txt", SAMPLES[format_.name].encode(), {"notice": own}))

    assert isinstance(raw, Raw)
    assert raw.fields["notice"] in (["https://example.org/1"], ["Electronic(1)"], ["2019"], ["Seas"])
    assert raw.fields["title"] == ["Tides"]


def test_a_line_without_a_label_continues_a_value() -> None:
    (raw,), _ = parts(refworks.FORMAT, "RT Journal Article\nAB We study\ntides.\n\nThey are long.\nT1 Tides\n")

    assert raw.fields["abstract"] == ["We study\ntides.\n\nThey are long."]


def test_a_sentence_that_was_broken_in_chinese_gets_no_blank() -> None:
    (raw,), _ = parts(refworks.FORMAT, "RT Journal Article\r\nAB 研究潮汐的\r\n变化规律,\r\n也研究风。\r\n方法是观测。\r\n")

    assert raw.fields["abstract"] == ["研究潮汐的变化规律,\n也研究风。\n方法是观测。"]


@given(st.sampled_from([sample * 2 for sample in SAMPLES.values()]), st.data())
def test_a_mutated_file_gives_records_problems_or_a_refusal(sample: str, data: st.DataObject) -> None:
    content = bytearray(sample.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(
            st.binary(max_size=4) | st.sampled_from([b"\n", b"\r", b"RT Map\n", b"Record #9 of 2\n", b"DataType: 1\n", b"TY  - ", b"  "])
        )
    for format_ in OURS:
        try:
            found = list(format_.read(File("a.txt", bytes(content))))
        except SourceError:
            continue
        assert all(isinstance(one, Raw | Problem) for one in found)
        assert all(1 <= (one.line or 1) <= len(content) + 1 for one in found)


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_can_be_asked_for_its_format(text: str) -> None:
    for format_ in OURS:
        assert format_.claims(text) in (True, False)


TITLES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20)
WRITERS: dict[str, Callable[[str, int], str]] = {
    "NoteExpress": lambda title, year: f"{{Reference Type}}: Book\n{{Title}}: {title}\n{{Year}}: {year}\n\n",
    "CNKI": lambda title, year: f"DataType: 1\nTitle-题名: {title}\nYear-年: {year}\n",
    "CSSCI": lambda title, year: f"【来源篇名】{title}\n【年代卷期】{year},1(2):3-4\n-----------------------------\n",
    "Cochrane": lambda title, year: f"Record #1 of 1\nID: CD1\nTI: {title}\nYR: {year}\n\n\n",
    "RefWorks": lambda title, year: f"RT Journal Article\nT1 {title}\nYR {year}\n\n",
}


@pytest.mark.parametrize("format_", OURS, ids=lambda format_: format_.name)
@given(st.lists(st.tuples(TITLES, st.integers(1800, 2030)), min_size=1, max_size=5))
def test_what_is_written_is_read(format_: Format, papers: list[tuple[str, int]]) -> None:
    content = "".join(WRITERS[format_.name](title, year) for title, year in papers)

    raws, problems = parts(format_, content)

    assert problems == []
    assert [(raw.fields["title"], raw.fields["year"]) for raw in raws] == [([title], [str(year)]) for title, year in papers]
    lines = [content.split("\n")[raw.line - 1] for raw in raws]
    assert set(lines) <= {WRITERS[format_.name](title, year).split("\n", 1)[0] for title, year in papers}


HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks": lambda n: f"RT Map{' ' * n}x\nRecord #1 of 1{' ' * n}x\nDataType: 1{' ' * n}x\n{{A{' ' * n}\n",
    "short lines": lambda n: "RT Map\nAB " + "海\n" * (n // 4),
    "many records": lambda n: "RT Map\n" * (n // 7) + "Record #1 of 1\n" * (n // 15),
    "many authors": lambda n: f"RT Map\nA1 {'王伟,' * (n // 7)}\nA1 {'a;' * n}\n",
    "one long line": lambda n: f"RT Map\nAB {'a' * n}\nRecord #1 of 1\nID: 1\nAU: {'A ' * n}\n",
    "brackets": lambda n: "{" * n + "\n" + "【" * n + "\n{Reference Type}: Map\n{Abstract}: " + "(#br)" * (n // 5),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_time_grows_with_the_file_and_no_faster(name: str) -> None:
    content = HOSTILE[name](200_000)
    started = time.process_time()
    for format_ in OURS:
        format_.claims(content[:65_536])
        try:
            for _ in format_.read(File("a.txt", content.encode())):
                pass
        except SourceError:
            continue

    assert time.process_time() - started < 10  # a quadratic step takes minutes


def test_the_other_readers_leave_them_alone() -> None:
    for name, sample in SAMPLES.items():
        assert [format_.name for format_ in (ris.FORMAT, bibtex.FORMAT, table.FORMAT) if format_.claims(sample * 3)] == [], name


# ----------------------------------------------------------------------------------------------------------------------- unknown formats

ABSTRACT = "We study the tides of the northern sea in winter, which are long and high, and ask what the moon has to do with them. " * 6
WRAPPED = ABSTRACT.replace(", ", ",\n").replace(". ", ".\n")


@pytest.mark.parametrize(
    "text",
    [
        f"ID: 1\nAU: Noor A\nTI: Tides\nSO: Seas\nAB: {ABSTRACT}\n",
        "ID: 1\nAU: Noor A\nTI: Tides\nSO: Seas\nAB: " + WRAPPED.replace("\n", "\n    ") + "\n\n",
        f"TI~Tides\nAU~Noor\nAB~{ABSTRACT}\n",
        f"--AU-- Noor\n--TI-- Tides\n--AB-- {ABSTRACT}\n",
        f"A1 Noor\nT1 Tides\nYR 2001\nAB {ABSTRACT}\n",
        f"{{Title}}: Tides\n{{Author}}: Noor\n{{Abstract}}: {ABSTRACT}\n",
        f"【题名】潮汐\n【作者】王伟\n【摘要】{ABSTRACT}\n",
        f"题名：潮汐\n作者：王伟\n摘要：{ABSTRACT}\n",
        f"Title: Tides\nAuthors: Noor\nAbstract:\n{WRAPPED}\n\n" * 3,
        f"Record: 1\r\nTitle: Tides\r\nSource: Seas\r\nAbstract: {ABSTRACT}\r\n",
        "[Noor86]\n    author:    Noor, A.\n    title:     Tides\n    year:      1986\n",
    ],
)
def test_records_of_an_unknown_format(text: str) -> None:
    assert labelled.unknown(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ABSTRACT,
        f"{ABSTRACT}\n\n{WRAPPED}\n",
        f"Background: {ABSTRACT}\nMethods: {ABSTRACT}\nResults: {ABSTRACT}\n\n" * 3,
        f"AIM: {ABSTRACT}\nMETHODS: {ABSTRACT}\nRESULTS: {ABSTRACT}\n\n" * 3,
        f"Abstract: {ABSTRACT}\n\nKeywords: sea\n\n" * 3,
        f"Tides of the sea: a study\n{ABSTRACT}\n\n" * 3,
        f"Title: Reading list\nAuthor: me\n\n{ABSTRACT}\n\n{ABSTRACT}\n\n{ABSTRACT}\n\n{ABSTRACT}\n",
        "Title: " + ABSTRACT.replace(". ", ".\n\n") + "\n",
        "DNA - binding proteins are long.\nRNA - binding ones are not.\n" * 9,
        "Anna: What do you study?\nBo: The tides of the sea.\n" * 9,
    ],
)
def test_prose_is_no_records(text: str) -> None:
    assert labelled.unknown(text) == []
