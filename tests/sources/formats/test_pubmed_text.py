"""PubMed's own text: numbered records of paragraphs, and numbered citations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import pubmed_text
from rag_qa.sources.reader import Problem, Raw, Trouble

ABSTRACTS = """
1. Tidal Res. 2014 Nov;118(11):943-52. doi: 10.1000/tides-2014. Epub 2014
Oct 1.

[Tides of the northern
sea].

[Article in Danish]

Müller A(1), de Vries J(#)(2), O'Neil PR Jr(1)(2); North Sea Group.

Author information:
(1)Department of Tides, Somewhere.
(2)Institute of
Moors.

Comment in
    Tidal Res. 2015 Jan;119(1):1-2.

Retraction in
    Tidal Res. 2016 Jan;120(1):9. PMID: 11111111

BACKGROUND: The northern sea is
studied in winter.
METHODS: We measured 3 things:
1. the height, and
2. the time.

They were clear.

Publisher: Vi har set på tidevandet.

Copyright © 2014 The Authors.

DOI: 10.1000/tides-2014
PMCID: PMC1234567 [Available on 2016-03-01]
PMID: 25543385 [Indexed for MEDLINE]

Conflict of interest statement: None
declared.


2. Moss J. 2015 May-Jun;7:E12.

Mosses without an abstract.

[No authors listed]

PMID: 25529848  [PubMed - in process]


3. Bog Lett. 2013.

Bogs that grow slowly.

Major M.

Bogs store carbon, as we show here.

5. this is a paragraph of the abstract.

PMID: 25411827
"""

CITATIONS = """1: Müller A, de Vries J. Do tides matter? A study in the northern
sea. Tidal Res. 2014 Nov;118(11):943-52. doi: 10.1000/tides-2014. Erratum in: Tidal Res.
2015 Jan;119(1):3. PMID: 25543385; PMCID: PMC1234567.

2: Mosses without authors. Moss J. 2015;7:12. PubMed PMID: 25529848.

3: Something that is no citation. PMID: 25411827.
"""


def read(content: str) -> list[Raw | Problem]:
    return list(pubmed_text.read(File("a.txt", content.encode())))


def test_a_record_of_paragraphs() -> None:
    first = read(ABSTRACTS)[0]

    assert first == Raw(
        2,
        {
            "venue": ["Tidal Res"],
            "year": ["2014 Nov"],
            "volume": ["118"],
            "issue": ["11"],
            "pages": ["943-52"],
            "source": ["Tidal Res. 2014 Nov;118(11):943-52. doi: 10.1000/tides-2014. Epub 2014 Oct 1."],
            "doi": ["10.1000/tides-2014", "10.1000/tides-2014"],
            "title": ["[Tides of the northern sea]."],
            "language": ["Danish"],
            "author": ["Müller A", "de Vries J", "O'Neil PR Jr", "North Sea Group"],
            "affiliation": ["Author information: (1)Department of Tides, Somewhere. (2)Institute of Moors."],
            "comment": ["Comment in Tidal Res. 2015 Jan;119(1):1-2."],
            "notice": ["Retraction in Tidal Res. 2016 Jan;120(1):9. PMID: 11111111"],
            "abstract": [
                "BACKGROUND: The northern sea is studied in winter.\n"
                "METHODS: We measured 3 things: 1. the height, and 2. the time.\n"
                "They were clear.",
                "Vi har set på tidevandet.",
            ],
            "copyright": ["Copyright © 2014 The Authors."],
            "pmcid": ["PMC1234567"],
            "pmid": ["25543385"],
            "conflict of interest": ["Conflict of interest statement: None declared."],
        },
        key="PMID 25543385",
    )


def test_what_may_be_missing() -> None:
    _, second, third = read(ABSTRACTS)

    assert isinstance(second, Raw)
    assert isinstance(third, Raw)
    assert second.line == 43
    assert {name: values for name, values in second.fields.items() if name != "source"} == {
        "venue": ["Moss J"],
        "year": ["2015 May-Jun"],
        "volume": ["7"],
        "pages": ["E12"],
        "title": ["Mosses without an abstract."],
        "pmid": ["25529848"],
    }
    assert third.fields["abstract"] == ["Bogs store carbon, as we show here.\n5. this is a paragraph of the abstract."]
    assert (third.fields["venue"], third.fields["year"], third.fields["author"]) == (["Bog Lett"], ["2013"], ["Major M"])


def test_citations() -> None:
    first, second, third = read(CITATIONS)

    assert first == Raw(
        1,
        {
            "title": ["Do tides matter? A study in the northern sea"],
            "author": ["Müller A", "de Vries J"],
            "doi": ["10.1000/tides-2014"],
            "pmid": ["25543385"],
            "notice": ["Erratum in"],
            "source": [" ".join(CITATIONS.split("\n\n")[0].removeprefix("1: ").split())],
            "venue": ["Tidal Res"],
            "year": ["2014 Nov"],
            "volume": ["118"],
            "issue": ["11"],
            "pages": ["943-52"],
        },
        key="PMID 25543385",
    )
    assert isinstance(second, Raw)
    assert isinstance(third, Raw)
    assert (second.line, second.fields["title"], second.fields["venue"], second.fields["pmid"]) == (
        5,
        ["Mosses without authors"],
        ["Moss J"],
        ["25529848"],
    )
    assert "author" not in second.fields
    assert third.fields == {"pmid": ["25411827"], "source": ["Something that is no citation. PMID: 25411827."]}


def test_a_file_that_may_have_been_cut_off() -> None:
    *records, problem = read(ABSTRACTS[: ABSTRACTS.index("PMID: 25411827")])

    assert len(records) == 3
    assert problem == Problem("a.txt", 52, "this record, the last, has no PMID: the file may have been cut off", Trouble.REPAIRED)


@pytest.mark.parametrize(
    ("head", "is_claimed"),
    [
        (ABSTRACTS, True),
        (CITATIONS, True),
        (ABSTRACTS[: ABSTRACTS.index("\n\n\n2.")], True),
        ("", False),
        ("1. We study tides.\n\n2. We study moss. PMID: 25543385", False),
        ("1. Introduction\n\nWe study tides.", False),
        ("25543385\n25529848\n", False),
        ("PMID- 25543385\nTI  - Tides\n", False),
        ("TY  - JOUR\nTI  - Tides\nER  - \n", False),
    ],
)
def test_what_is_claimed(head: str, is_claimed: bool) -> None:
    assert pubmed_text.FORMAT.claims(head) is is_claimed


def test_a_file_without_records_is_an_error() -> None:
    with pytest.raises(SourceError, match=r"^a\.txt: found no record, expected PubMed's text: records that begin with a number"):
        read("We study the tides of the northern sea in winter.")


@pytest.mark.parametrize(
    "nasty", ["1. " + "A. " * 100_000, "1: " + "? " * 100_000 + "PMID: 1", "1. a\n\nb\n\n" + "A B, " * 100_000, "1. a\n\n" + "(1)" * 100_000]
)
def test_hostile_text_takes_no_time(nasty: str) -> None:
    assert isinstance(read(nasty)[0], Raw)


@given(st.lists(st.tuples(st.integers(0, len(ABSTRACTS)), st.text("\n 1.:PMID©[]", max_size=4)), max_size=5))
def test_any_change_gives_records(changes: list[tuple[int, str]]) -> None:
    content = ABSTRACTS
    for at, text in changes:
        content = content[:at] + text + content[at + 1 :]

    assert all(isinstance(one, Raw) or one.kind is Trouble.REPAIRED for one in read(content))
