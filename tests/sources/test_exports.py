"""The readers against 85 real export files, whose truth was counted without them (exports_truth.toml says how)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rag_qa.errors import SourceError
from rag_qa.papers import Paper
from rag_qa.sources import files
from rag_qa.sources.reader import Problem, Trouble

TRUTH: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("exports_truth.toml").read_text(encoding="utf-8"))

# UTF-8 that was read as Latin-1 or cp1252: a first character, and then ones that stand for the bytes 80-BF. Words such as CONCLUSÃO are none.
_CP1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(f"[ÃÂ][\x80-\xbf{_CP1252}]|[âï][\x80-\xbf{_CP1252}]{{2}}|ï»¿")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
TAG = re.compile(
    r"</?(?:(?:jats|mml|ns\d):[\w-]+|a|abstracttext|b|bold|br|copyrightinformation|div|em|font|i|inf|italic|li|list|list-item|math|ol|p|scp|sec|small|span"
    r"|strong|sub|sup|table|td|tex|title|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{1,7});")
MACRO = re.compile(
    r"\\(?:['\"`^~=.]\s*\{?\\?[A-Za-z]|[cvuHkr]\s*\{[A-Za-z]\}|(?:ss|aa|AA|ae|AE|oe|OE|o|O|l|L)(?:\{\}|\s|$)"
    r"|textless|textgreater|text(?:bf|it|rm|sc|tt)\b|emph\b|[&%_#])"
)
FORMULA = re.compile(r"\$[^$]*\$|\\\(.*?\\\)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the readers gave for one file."""

    papers: tuple[Paper, ...] = ()
    problems: tuple[Problem, ...] = ()
    refusal: str = ""

    def of_kind(self, kind: Trouble) -> list[Problem]:
        return [problem for problem in self.problems if problem.kind is kind]


@cache
def reading(path: Path) -> Reading:
    """Each file is read once for all tests."""
    try:
        found = list(files.read(path))
    except SourceError as error:
        return Reading(refusal=str(error))
    papers = tuple(one for one in found if isinstance(one, Paper))
    return Reading(papers, tuple(one for one in found if isinstance(one, Problem)))


@pytest.fixture(params=TRUTH)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def read(name: str, shared_data: Path) -> Reading:
    """The file as the readers give it; one that we don't promise to read may be refused."""
    found = reading(shared_data / "exports" / name)
    if found.refusal and TRUTH[name].get("may_refuse"):
        pytest.skip(f"refused: {found.refusal}")
    assert not found.refusal, f"{name} was refused"
    return found


@pytest.fixture
def truth(name: str) -> dict[str, Any]:
    return TRUTH[name]


def letters(text: str) -> str:
    """Only what carries meaning: titles are the same whatever their spaces, hyphens, quotes, subscripts.

    >>> letters("CuO$_2$ – a “review”.") == letters("CuO₂: a review")
    True
    """
    return "".join(character for character in unicodedata.normalize("NFKC", text).casefold() if character.isalnum())


def is_family_of(family: str, author: str) -> bool:
    """Is this the family name in "Family, Given", "Given Family", "Family GN" or of a body?"""
    plain, wanted = author.casefold(), family.casefold()
    return plain == wanted or plain.startswith((f"{wanted},", f"{wanted} ")) or plain.endswith(f" {wanted}")


def texts(papers: tuple[Paper, ...]) -> Iterator[tuple[str, str]]:
    """(where, text) of everything that a person reads of the papers."""
    for paper in papers:
        where = str(paper.origins[0]) if paper.origins else paper.id
        yield f"{where} title", paper.title or ""
        yield f"{where} abstract", paper.abstract
        for text in (*paper.authors, paper.venue or "", *paper.other_abstracts):
            yield f"{where} other", text


def found_in(read: Reading, pattern: re.Pattern[str], fields: str = "title abstract other") -> list[str]:
    """The places that hold the pattern, with a few characters around it."""
    return [
        f"{where}: {text[max(0, match.start() - 20) : match.end() + 20]!r}"
        for where, text in texts(read.papers)
        if where.rsplit(" ", 1)[1] in fields.split() and (match := pattern.search(text))
    ]


# ---------------------------------------------------------------------------------------------------------------------- the truth itself


def test_every_file_has_its_truth(shared_data: Path) -> None:
    there = {path.name for path in (shared_data / "exports").iterdir()} - {"MANIFEST.tsv"}

    assert there == set(TRUTH)


# --------------------------------------------------------------------------------------------------------------------------------- counts


def test_every_record_is_a_paper_or_a_problem(read: Reading, truth: dict[str, Any]) -> None:
    left_out = read.of_kind(Trouble.MALFORMED) + read.of_kind(Trouble.NOT_A_PAPER)

    assert len(read.papers) + len(left_out) == truth["records"], [str(problem) for problem in left_out][:20]


def test_papers_are_those_with_a_title_or_an_abstract(read: Reading, truth: dict[str, Any]) -> None:
    assert len(read.papers) == truth["records"] - truth["not_papers"], [str(problem) for problem in read.problems][:20]


def test_abstracts_are_real_ones(read: Reading, truth: dict[str, Any]) -> None:
    given = sum(bool(paper.abstract) for paper in read.papers)

    assert truth["abstracts"] <= given <= truth["abstracts"] + truth.get("abstracts_doubtful", 0)


@pytest.mark.parametrize("number", ["doi", "pmid"])
def test_numbers_are_found(read: Reading, truth: dict[str, Any], number: str) -> None:
    given = sum(bool(getattr(paper, number)) for paper in read.papers)

    assert truth[f"{number}s"] <= given <= truth[f"{number}s"] + truth.get(f"{number}s_elsewhere", 0)


# ------------------------------------------------------------------------------------------------------------------ first and last record


@pytest.mark.parametrize("end", ["first", "last"])
def test_the_ends_of_the_file_read_as_a_person_reads_them(read: Reading, truth: dict[str, Any], end: str) -> None:
    if end not in truth:
        assert not read.papers
        return
    wanted = truth[end]
    paper = read.papers[0 if end == "first" else -1]

    assert letters(paper.title or "") == letters(wanted["title"])
    assert (paper.year or 0) == wanted["year"]
    assert (paper.doi or "").casefold() in {wanted["doi"].casefold(), wanted.get("doi_elsewhere", wanted["doi"]).casefold()}
    assert bool(paper.authors) == bool(wanted["family"]), paper.authors
    assert not paper.authors or is_family_of(wanted["family"], paper.authors[0]), paper.authors[0]


# ------------------------------------------------------------------------------------------------------------------------------ clean text


def test_no_double_encoded_text_is_left(read: Reading) -> None:
    assert found_in(read, MOJIBAKE) == []


def test_no_character_is_lost_that_the_file_has(read: Reading, truth: dict[str, Any]) -> None:
    lost = [paper for paper in read.papers if "\ufffd" in f"{paper.title}{paper.abstract}{paper.authors}"]

    assert len(lost) <= truth.get("lost", 0)


def test_no_control_characters_are_left(read: Reading) -> None:
    assert found_in(read, CONTROL) == []


def test_no_tags_are_left(read: Reading) -> None:
    assert found_in(read, TAG) == []


def test_no_entities_are_left(read: Reading) -> None:
    assert found_in(read, ENTITY) == []


def test_no_macros_are_left_outside_formulas(read: Reading) -> None:
    left = [f"{where}: {text[:80]!r}" for where, text in texts(read.papers) if MACRO.search(FORMULA.sub("", text))]

    assert left == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MOJIBAKE, "WÃ¼bben"),
        (MOJIBAKE, "childrenâ€™s"),
        (MOJIBAKE, "300Â\xa0K"),
        (TAG, "<jats:p>"),
        (TAG, '<AbstractText Label="X">'),
        (ENTITY, "&gt;"),
        (ENTITY, "&#x0304;"),
        (MACRO, r"S{\'e}rgio"),
        (MACRO, r"tr\"agheit"),
        (MACRO, r"\textless 5\%"),
    ],
)
def test_a_pattern_finds_what_it_looks_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MOJIBAKE, "CONCLUSÃO, Ângela, naïve"),
        (TAG, "p < i and j > k, <Rotarod>"),
        (ENTITY, "R&D; AT & T;"),
        (MACRO, r"\log n \cdot x"),
    ],
)
def test_a_pattern_leaves_the_rest_alone(pattern: re.Pattern[str], text: str) -> None:
    assert not pattern.search(text)
