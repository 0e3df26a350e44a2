"""What the line-tagged formats share; and that none of them takes a file of another for its own, or breaks on a broken one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import medline, ovid, refer, ris, tagged, web_of_science
from rag_qa.sources.reader import Format, Problem, Raw, Trouble

FORMATS = [module.FORMAT for module in (ris, medline, web_of_science, refer, ovid)]

RIS = "TY  - JOUR\nTI  - Tides\nAU  - Noor, Ada\nAB  - We study tides.\nER  - \n\n"
MEDLINE = "PMID- 123\nOWN - NLM\nTI  - Tides\nAB  - We study tides\n      of the sea.\nSO  - J Sea. 2001.\n\n"
WEB_OF_SCIENCE = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Noor, A\n   Lund, B\nTI Tides\nAB We study tides.\nER\n\nEF\n"
REFER = "%0 Journal Article\n%A Noor, Ada\n%T Tides\n%X We study tides.\n\n"
OVID = "<1. >\nVN  - Ovid Technologies\nTI  - Tides\nAU  - Noor A\nAB  - We study tides.\n\n"
SAMPLES = {"RIS": RIS, "MEDLINE": MEDLINE, "Web of Science": WEB_OF_SCIENCE, "Refer": REFER, "Ovid": OVID}
OTHERS = {
    "BibTeX": "@article{noor,\n  title = {Tides},\n  abstract = {We study tides.\nTY  - JOUR\nER  - \n}\n}\n",
    "a comment in BibTeX": "% Encoding: UTF-8\n%%T\n\n@article{noor,\n  title = {Tides}\n}\n",
    "CSV": 'title,abstract\nTides,"We study tides."\n"TY  - JOUR","PMID- 1"\n',
    "JSON": '{"title": "Tides",\n"abstract": "TY  - JOUR"}\n',
    "XML": "<1>\n<a>PT J</a>\n",
    "prose": "We study tides.\n\nTY  - JOUR is how a record of RIS begins,\nand ER  - is how it ends.\n" + "It has many lines of prose.\n" * 20,
    "a list": "AU - Australia\nAT - Austria\nBE - Belgium\n",
    "LaTeX": "%0\n\\documentclass{article}\n\\begin{document}\nWe study tides.\n\\end{document}\n",
    "Markdown": "# Tides\n\n- We study tides.\n\n---\n\n* AB - a title\n",
}


def parts(format_: Format, content: str | bytes) -> tuple[list[Raw], list[Problem]]:
    """The records and the problems of a file."""
    found = list(format_.read(File("a.txt", content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))))
    return [one for one in found if isinstance(one, Raw)], [one for one in found if isinstance(one, Problem)]


def one(format_: Format, content: str) -> Raw:
    """The record of a file that has one, and no problem."""
    (raw,), problems = parts(format_, content)
    assert problems == []
    return raw


# ------------------------------------------------------------------------------------------------------------------------- recognised


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_each_format_claims_its_own_files_and_no_other_does(name: str, end: str) -> None:
    claimed = [format_.name for format_ in FORMATS if format_.claims("\ufeff" + SAMPLES[name].replace("\n", end))]

    assert claimed == [name]


@pytest.mark.parametrize("name", OTHERS)
def test_none_claims_a_file_of_another_kind(name: str) -> None:
    assert [format_.name for format_ in FORMATS if format_.claims(OTHERS[name])] == []


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
@pytest.mark.parametrize("content", ["We study tides.\n\nOf the sea.\n", '{"title": "Tides"}', "title,abstract\nTides,We study.\n", "@book{a,\n}\n"])
def test_a_file_that_holds_none_of_its_records_is_refused(format_: Format, content: str) -> None:
    # what a person sees who names a file .ris that is none
    with pytest.raises(SourceError, match=f"^a.txt: found no {format_.name} record, expected records"):
        list(format_.read(File("a.txt", content.encode())))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("other", [*SAMPLES, "BibTeX"])
def test_files_that_were_joined_are_read_as_the_first_and_the_records_of_the_other_are_told(name: str, other: str) -> None:
    if name == other or "Ovid" in (name, other):  # a number in angle brackets is too little to know Ovid by in the middle of a file
        return
    added = "@article{noor,\n  title = {Tides}\n}\n" if other == "BibTeX" else SAMPLES[other]
    content = SAMPLES[name] + "\ufeff" + added
    format_ = next(format_ for format_ in FORMATS if format_.claims(content))

    raws, problems = parts(format_, content)

    assert format_.name == name
    assert [raw.fields["title"] for raw in raws] == [["Tides"]]
    assert [problem.kind for problem in problems] == [Trouble.MALFORMED]
    assert problems[0].reason.startswith(f"a record in {other} format among {name} records")
    line = content.split("\n")[(problems[0].line or 0) - 1].lstrip("\ufeff")
    assert line in added.split("\n")


# ------------------------------------------------------------------------------------------------------------------------- mapped by hand


@pytest.mark.parametrize(
    ("format_", "content", "own"),
    [
        (ris.FORMAT, RIS.replace("ER", "N1  - A better text.\nER"), "n1"),
        (medline.FORMAT, MEDLINE.replace("SO  -", "GN  - A better text.\nSO  -"), "GN"),
        (web_of_science.FORMAT, WEB_OF_SCIENCE.replace("ER", "NT A better text.\nER"), "NT"),
        (refer.FORMAT, REFER.replace("%T", "%Z A better text.\n%T"), "%Z"),
    ],
)
def test_a_tag_that_a_person_names_gives_the_field(format_: Format, content: str, own: str) -> None:
    (raw,) = [one for one in format_.read(File("a.txt", content.encode(), {"abstract": own})) if isinstance(one, Raw)]

    assert raw.fields["abstract"] == ["A better text."]
    assert raw.fields["title"] == ["Tides"]


# ------------------------------------------------------------------------------------------------------------------------- broken files


SMALL_SAMPLES = [*SAMPLES.values(), RIS * 2 + MEDLINE, REFER + RIS, WEB_OF_SCIENCE + REFER, MEDLINE * 2]


@given(st.sampled_from(SMALL_SAMPLES), st.data())
def test_a_mutated_file_gives_records_problems_or_a_refusal(sample: str, data: st.DataObject) -> None:
    content = bytearray(sample.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(
            st.binary(max_size=4) | st.sampled_from([b"\n", b"\r", b"ER  - ", b"TY  - ", b"PMID- 1", b"%0 ", b"  "])
        )
    for format_ in FORMATS:
        try:
            found = list(format_.read(File("a.txt", bytes(content))))
        except SourceError:
            continue
        lines = [one.line or 1 for one in found]
        assert all(isinstance(one, Raw | Problem) for one in found)
        assert all(1 <= line <= len(content) + 1 for line in lines)


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_can_be_asked_for_its_format(text: str) -> None:
    for format_ in FORMATS:
        assert format_.claims(text) in (True, False)


HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks in a value": lambda n: f"TY  - JOUR\nAU  - a{' ' * n}b\nN1  - 1{' ' * n}2\nER  - \nPMID- 1\nAID - a{' ' * n}b\n%A a{' ' * n}b\n",
    "blanks in a type": lambda n: f"TY  - JOUR{' ' * n}x\nTY  -{' ' * n}x\n" * 2,
    "brackets in a name": lambda n: f"PT J\nAU {'[' * n}\nAF {'(' * n}\nER\n<1>\nVN  - O\nAU  - {'[' * n}\nTI  - {'[' * n}\n",
    "semicolons": lambda n: f"TY  - JOUR\nAU  - {'&;' * (n // 2)}\nER  - \nPT J\nAU {'; ' * (n // 2)}\nER\n<1>\nVN  - O\nAU  - {'a; ' * (n // 3)}\n",
    "many authors": lambda n: (
        "TY  - JOUR\n" + "AU  - A\n" * (n // 8) + "ER  - \n%0 Book\n" + "%A A\n" * (n // 8) + "PMID- 1\n" + "FAU - A\n" * (n // 8)
    ),
    "many types": lambda n: "%0 Book\n" * (n // 8),
    "many abstracts": lambda n: "TY  - JOUR\n" + "AB  - Results\n" * (n // 14) + "ER  - \n",
    "many lines": lambda n: "TY  - JOUR\nAB  - a\n" + "\nb" * (n // 3) + "\nER  - \n",
    "many records": lambda n: "TY  - JOUR\n" * (n // 11),
    "many ends": lambda n: "TY  - JOUR\n" + "ER  - \n" * (n // 7),
    "one long line": lambda n: f"TY  - JOUR\nAB  - {'a' * n}\nER  - \n",
    "no line": lambda n: "-" * n,
    "capitals": lambda n: "A" * n,
    "dates in a reference": lambda n: "TY  - JOUR\n" + f"M1  - {'Noor (' * (n // 6)}\nER  - \n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_time_grows_with_the_file_and_no_faster(name: str) -> None:
    content = HOSTILE[name](200_000)
    started = time.process_time()
    for format_ in FORMATS:
        format_.claims(content[:65_536])
        try:
            for _ in format_.read(File("a.txt", content.encode())):
                pass
        except SourceError:
            continue

    assert time.process_time() - started < 10  # a quadratic step takes minutes


# ------------------------------------------------------------------------------------------------------------------------- the leaf


def test_what_databases_write_between_records_is_no_text() -> None:
    stray = tagged.Stray("a.ris", "RIS")
    for line in (
        "Record #1 of 2",
        "Provider: APA",
        "Database: PsycINFO",
        "1.",
        "<12. >",
        "-----",
        "https://example.org/a",
        "EF",
        "VR 1.0",
        "% a comment",
    ):
        stray.add(1, line)

    assert list(stray.problems()) == []


def test_text_between_records_is_told_once_with_its_first_line() -> None:
    stray = tagged.Stray("a.ris", "RIS")
    stray.add(7, "1.")
    stray.add(8, "  The tides of the sea. ")
    stray.add(9, "More of it.")

    assert list(stray.problems()) == [Problem("a.ris", 8, "text that is in no RIS record: 'The tides of the sea.'", Trouble.NOT_A_PAPER)]
    assert list(stray.problems()) == []


@pytest.mark.parametrize("pattern", ["*.ris", "*.nbib", "*.medline", "*.isi", "*.ciw", "*.ref"])
def test_real_files_are_claimed_by_one_format(pattern: str, shared_data: Path) -> None:
    for path in sorted((shared_data / "exports").glob(pattern)):
        head = path.read_text(encoding="utf-8-sig")[:65_536]
        assert len([format_.name for format_ in FORMATS if format_.claims(head)]) == 1, path.name


def test_real_files_of_other_kinds_are_claimed_by_none(shared_data: Path) -> None:
    for path in sorted((shared_data / "exports").glob("*.[bcjx]*")):
        head = path.read_bytes().decode("utf-8-sig", "replace")[:65_536]
        assert path.suffix == ".ciw" or [format_.name for format_ in FORMATS if format_.claims(head)] == [], path.name
