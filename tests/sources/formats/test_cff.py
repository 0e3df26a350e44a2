"""CITATION.cff: the paper that it names, and YAML that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import cff
from rag_qa.sources.formats.cff import FORMAT
from rag_qa.sources.reader import Raw


def read(text: str) -> Raw:
    (raw,) = cff.read(File("CITATION.cff", text.encode()))
    assert isinstance(raw, Raw)
    return raw


PROJECT = """# comes with the code
cff-version: 1.2.0
message: "If you use it, cite it: it's free."
title: Tide
abstract: |
  Tide computes tides.

  It is fast.
authors:
  - family-names: Beethoven
    given-names: Ludwig
    name-particle: van
    orcid: https://orcid.org/0000-0001
  - family-names: "No"
    given-names: Bob
    name-suffix: Jr.
  - name: The Tide Team
  - alias: moon
date-released: 2020-07-02
doi: 10.5281/zenodo.1
version: 1.10
license: MIT
keywords: [tides, sea]
repository-code: https://github.com/a/tide
"""


def test_a_project() -> None:
    raw = read(PROJECT)

    assert (raw.line, raw.markup) == (1, "plain")
    assert raw.fields == {
        "title": ["Tide"],
        "abstract": ["Tide computes tides.\n\nIt is fast."],
        "author": ["van Beethoven, Ludwig", "No, Bob, Jr.", "The Tide Team", "moon"],
        "year": ["2020-07-02"],
        "doi": ["10.5281/zenodo.1"],
        "url": ["https://github.com/a/tide"],
        "keyword": ["tides", "sea"],
        "type": ["software"],
        "version": ["1.10"],
        "license": ["MIT"],
        "repository": ["https://github.com/a/tide"],
    }


def test_the_preferred_citation_is_the_paper_and_takes_no_identifier_of_the_project() -> None:
    raw = read(
        PROJECT
        + """preferred-citation:
  type: article
  title: On tides
  authors:
    - {family-names: Roe, given-names: Ann}
  journal: The Sea
  year: 2019
  volume: 3
  start: 5
  end: 9
  publisher: {name: A Press}
  url: https://a.org/tides
"""
    )

    assert raw.fields == {
        "title": ["On tides"],
        "abstract": ["Tide computes tides.\n\nIt is fast."],
        "author": ["Roe, Ann"],
        "year": ["2019"],
        "venue": ["The Sea"],
        "url": ["https://a.org/tides"],
        "keyword": ["tides", "sea"],
        "type": ["article"],
        "volume": ["3"],
        "pages": ["5-9"],
        "publisher": ["A Press"],
    }


def test_a_preferred_citation_without_a_title_is_none() -> None:
    assert read(f"{PROJECT}preferred-citation:\n  type: article\n").fields["title"] == ["Tide"]


def test_identifiers_conference_and_empty_fields() -> None:
    text = """cff-version: 1.1.0
title: T
type: dataset
doi:
abstract: ~
authors: Ann Roe
identifiers:
  - {type: doi, value: 10.1/x}
  - {type: swh, value: "swh:1"}
conference: {name: The Conference, city: Rome}
"""

    assert read(text).fields == {"title": ["T"], "author": ["Ann Roe"], "doi": ["10.1/x"], "venue": ["The Conference"], "type": ["dataset"]}


def test_a_part_that_is_named_twice_is_read() -> None:
    text = "cff-version: 1.2.0\ntitle: A\nauthors: &who\n  - family-names: Roe\npreferred-citation:\n  title: B\n  authors: *who\n"

    assert read(text).fields["author"] == ["Roe"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title: [a\n", "not YAML"),
        ("title: a\n  b: c: d\n", "not YAML"),
        ("just words", "without names of fields"),
        ("- a\n- b\n", "without names of fields"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\ntitle: T\n", "*b, which contains aliases"),
        ("a: &a [*a]\n", "*a, which contains aliases"),
        ("[" * 200_000, "not YAML"),
        ("- " * 200_000, "too large or too deep"),
        ("? " * 200_000, "too large or too deep"),
        ("[" * 500 + "]" * 500, "too large or too deep"),
        ("title: a\x07\n" + "# padding\n" * 100, "not YAML"),
        ("? [a]\n: b\n", "not YAML"),
    ],
)
def test_yaml_that_is_refused(text: str, says: str) -> None:
    with pytest.raises(SourceError, match=r"^CITATION\.cff(?::\d+)?: found .*, expected a CITATION\.cff, in YAML: title, authors") as caught:
        read(text)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_code_is_run() -> None:
    assert read("title: !!python/object/apply:os.getcwd []\nabstract: A\n").fields == {"abstract": ["A"], "type": ["software"]}


@pytest.mark.parametrize("head", [PROJECT, 'title: "x"\n"cff-version": "1.1.0"\n'])
def test_claims_a_citation_file(head: str) -> None:
    assert FORMAT.claims(head)


@pytest.mark.parametrize(
    "head", ["title: a\nauthors: b\n", "We say cff-version: in prose.\ntitle: b\n", '{"cff-version": 1,\n"title": 2}', "cff-version: 1\n"]
)
def test_claims_nothing_else(head: str) -> None:
    assert not FORMAT.claims(head)


EDITS = st.tuples(
    st.integers(0, len(PROJECT)), st.integers(0, 4), st.sampled_from(["", "\n", ": ", "- ", "&a ", "*a", "[", "}", "|", '"', "\t", "é"])
)


@given(st.lists(EDITS, max_size=5))
def test_a_mutated_file_is_read_or_refused(edits: list[tuple[int, int, str]]) -> None:
    text = PROJECT
    for at, length, piece in edits:
        text = text[:at] + piece + text[at + length :]
    try:
        raw = read(text)
    except SourceError:
        return
    assert all(isinstance(value, str) for values in raw.fields.values() for value in values)


def test_a_real_file(shared_data: Path) -> None:
    raw = read((shared_data / "exports" / "jabref_multiline_abstract.cff").read_text(encoding="utf-8"))

    assert raw.fields["title"] == ["Test"]
    assert raw.fields["author"] == ["van Smith, Joe", "Jones, Bob, Jr."]
    assert raw.fields["doi"] == ["10.0000/TEST"]
    assert raw.fields["abstract"][0].startswith("Lorem ipsum dolor sit amet,")
    assert raw.fields["abstract"][0].endswith("posuere elementum.")
