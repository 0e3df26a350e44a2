"""BibTeX and BibLaTeX: every record once, with its line, whatever its neighbours are like."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path

import pytest
from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry
from bibtexparser.splitter import Splitter
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import bibtex
from rag_qa.sources.formats.bibtex import FORMAT, authors
from rag_qa.sources.reader import Problem, Raw, Trouble


def read(text: str) -> list[Raw | Problem]:
    return list(bibtex.read(File("a.bib", text.encode("utf-8", "surrogatepass"))))


def records(text: str) -> list[Raw]:
    return [found for found in read(text) if isinstance(found, Raw)]


def problems(text: str, kind: Trouble) -> list[Problem]:
    return [found for found in read(text) if isinstance(found, Problem) and found.kind is kind]


def fields(text: str) -> dict[str, list[str]]:
    (raw,) = records(text)
    return {name: list(values) for name, values in raw.fields.items() if name != "type"}


# ------------------------------------------------------------------------------------------------------------ a record


def test_a_record_of_a_reference_manager() -> None:
    (raw,) = records(
        """
@article{larsen_1999,
\ttitle = {Microangiography of {Cocker} {Spaniel} dogs},
\tvolume = {12},
\tissn = {0932-0814},
\tabstract = {First paragraph.
Second one with 10\\% and \\{braces\\}.},
\tlanguage = {English},
\tnumber = {3},
\tjournal = {VETERINARY ORTHOPAEDICS},
\tauthor = {Larsen, LJ and Roush, JK},
\tmonth = jan,
\tyear = {1999},
\tkeywords = {dog, elbow},
\tpages = {113--118},
\tfile = {/home/a/b.pdf},
}
"""
    )

    assert (raw.line, raw.key, raw.markup) == (2, "larsen_1999", "latex")
    assert raw.fields == {
        "title": ["Microangiography of {Cocker} {Spaniel} dogs"],
        "abstract": ["First paragraph.\nSecond one with 10\\% and \\{braces\\}."],
        "author": ["Larsen, LJ", "Roush, JK"],
        "venue": ["VETERINARY ORTHOPAEDICS"],
        "year": ["1999"],
        "language": ["English"],
        "keyword": ["dog", "elbow"],
        "type": ["article"],
        "volume": ["12"],
        "issue": ["3"],
        "issn": ["0932-0814"],
        "month": ["January"],
        "pages": ["113--118"],
    }


@pytest.mark.parametrize(
    ("value", "means"),
    [
        ('"a {"}quoted{"} word"', 'a {"}quoted{"} word'),
        ('"Simon {"}the {saint"} Templar"', 'Simon {"}the {saint"} Templar'),
        ('{a "quoted" word}', 'a "quoted" word'),
        ('"K{\\"o}nig"', 'K{\\"o}nig'),
        ('"K\\"onig of \\"U"', 'K\\"onig of \\"U'),
        ("{{double}}", "{double}"),
        ("2003", "2003"),
        ("{a , b = c # d @ e % f}", "a , b = c # d @ e % f"),
        ("{a lone \\{ brace}", "a lone \\{ brace"),
        ("{a lone \\} brace}", "a lone \\} brace"),
        ("{ends with a backslash\\\\}", "ends with a backslash\\\\"),
        ('acm # " of " # {1}', "Assoc. Comput. Mach. of 1"),
        ("unknown", "unknown"),
        ("later", "defined later"),
        ('" A " # unknown', " A unknown"),
    ],
)
def test_values(value: str, means: str) -> None:
    text = f'@string{{acm = "Assoc. Comput. " # {{Mach.}}}}\n@misc{{k, note = {value}, title = {{T}}}}\n@STRING(later = "defined later")'

    assert fields(text) == {"note": [means], "title": ["T"]}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("@article{key,title={T}}", "key"),
        ("@Article { key , title = {T} , }", "key"),
        ("@article(key, title={T}, note={(1)})", "key"),
        ("@inproceedings{\nanonymous2024,\ntitle={T}\n}", "anonymous2024"),
        ("@article{ WOS:000223334444221,\nTitle = {T},\n}", "WOS:000223334444221"),
        ("@article{https://doi.org/10.1111/gps(44)44,title={T}}", "https://doi.org/10.1111/gps(44)44"),
        ("@misc{Conference paper2022,title={T}}", "Conference paper2022"),
        ("@article{,\n  title = {T},\n}", ""),
        ("@article{\n  title = {T}\n}", ""),
        ("@article{title={T}}", ""),
        ("@article{key\n  title = {T}\n}", "key"),
        ("@book{key title={T}}", "key"),
        ("@article{王2013,title={T}}", "王2013"),
    ],
)
def test_keys(text: str, key: str) -> None:
    (raw,) = records(text)

    assert raw.key == key
    assert raw.fields["title"] == ["T"]


def test_commas_that_are_missing_or_too_many() -> None:
    assert fields('@book{k\n author = "An Author"\n title = {T} year = 2000,, month = {5},\n,\n}') == {
        "author": ["An Author"],
        "title": ["T"],
        "year": ["2000"],
        "month": ["5"],
    }


def test_comments_between_fields_and_names_with_blanks() -> None:
    text = "@misc{k, % the first\n title = {T}, % not } this\n funding_text 1={Money},\n funding_text\xa02={More}}"

    assert fields(text) == {"title": ["T"], "funding_text 1": ["Money"], "funding_text 2": ["More"]}


def test_fields_that_come_twice_and_empty_ones() -> None:
    text = "@article{k,title={One},title={Other},abstract={A},abstract={B},abstract={A},note={},year= ,volume={1},volume={1}}"

    assert fields(text) == {"title": ["One"], "title (second)": ["Other"], "abstract": ["A", "B"], "volume": ["1"]}


def test_a_record_without_fields_is_a_record() -> None:
    assert [raw.key for raw in records("@article{foo,}\n@article{bar}\n@commentary{baz, editor = {A}}")] == ["foo", "bar", "baz"]


# ------------------------------------------------------------------------------------------------------------ fields


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("Curie, Marie and Curie, Pierre", ["Curie, Marie", "Curie, Pierre"]),
        ("A. One\n   and B. Two AND C. Three", ["A. One", "B. Two", "C. Three"]),
        ("One and others", ["One"]),
        ("One, A. and et al.", ["One, A."]),
        ("{Barnes and Noble} and Doe, J.", ["{Barnes and Noble}", "Doe, J."]),
        ("{One}and{Two}", ["{One}", "{Two}"]),
        ("Anderson, Andy and Sand, Andrea", ["Anderson, Andy", "Sand, Andrea"]),
        ("Smith, Tom; Steward, Hugo", ["Smith, Tom", "Steward, Hugo"]),
        ("M&uuml;ller, A.; B&eacute; C.", ["M&uuml;ller, A.", "B&eacute; C."]),
        ("World Health Organization", ["World Health Organization"]),
        ("", []),
    ],
)
def test_authors(names: str, found: list[str]) -> None:
    assert authors(names) == found


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("@article{k, journaltitle={J}, date={2011-12}, langid={ngerman}}", {"venue": ["J"], "year": ["2011-12"], "language": ["ngerman"]}),
        ("@online{k, title={T}, subtitle={S}, titleaddon={A}}", {"title": ["T", "S"], "titleaddon": ["A"]}),
        ("@inproceedings{k, journal={J}, booktitle={B}}", {"venue": ["B", "J"]}),
        ("@article{k, booktitle={B}, journal={J}}", {"venue": ["J", "B"]}),
        ("@techreport{k, number={7}, location={Paris}}", {"number": ["7"], "address": ["Paris"]}),
        ("@article{k, abstractnote={A}, annote={mine}}", {"abstract": ["A"], "annote": ["mine"]}),
        ("@article{k, keywords={a; b, c}, keywords-plus={{D, E}}}", {"keyword": ["a; b, c", "D", "E"]}),
        ("@article{k, journal={\\mnras}}", {"venue": ["Monthly Notices of the Royal Astronomical Society"]}),
        ("@article{k, eprint={2003.00163}, eprinttype={arXiv}}", {"arxiv": ["2003.00163"]}),
        ("@article{k, eprint={hep-th/9901001}}", {"arxiv": ["hep-th/9901001"]}),
        ("@article{k, eprint={123}, eprinttype={pubmed}}", {"pmid": ["123"]}),
        ("@article{k, eprint={123}, eprinttype={jstor}}", {"eprint": ["123"], "eprinttype": ["jstor"]}),
        ("@article{k, eprint={https://arxiv.org/abs/2003.00163}}", {"url": ["https://arxiv.org/abs/2003.00163"]}),
        ("@article{k, eprint={https://a.org/pdf/10.1}}", {"eprint": ["https://a.org/pdf/10.1"]}),
        ("@article{k, journal={CoRR}, volume={abs/1706.03762}}", {"venue": ["CoRR"], "volume": ["abs/1706.03762"], "arxiv": ["1706.03762"]}),
        ("@article{k, journal={arXiv preprint arXiv:1706.03762}}", {"venue": ["arXiv preprint arXiv:1706.03762"], "arxiv": ["1706.03762"]}),
        ("@misc{k, note={arXiv: 1706.03762 [cs]}}", {"note": ["arXiv: 1706.03762 [cs]"], "arxiv": ["1706.03762"]}),
        ("@misc{k, note={Comment on arXiv:1706.03762}}", {"note": ["Comment on arXiv:1706.03762"]}),
        ("@misc{k, note={PMID: 123}}", {"note": ["PMID: 123"], "pmid": ["123"]}),
        ("@article{PMID:456, volume={1}}", {"pmid": ["456"], "volume": ["1"]}),
        ("@article{10.1145/3394486, volume={1}}", {"doi": ["10.1145/3394486"], "volume": ["1"]}),
        ("@misc{k, howpublished={\\url{https://a.org/b}}}", {"howpublished": ["\\url{https://a.org/b}"], "url": ["https://a.org/b"]}),
        ("@misc{k, note={Retracted in 2020}}", {"note": ["Retracted in 2020"], "notice": ["Retracted in 2020"]}),
        ("@misc{k, notice={x}}", {"notice (field)": ["x"]}),
    ],
)
def test_names_of_fields(entry: str, expected: dict[str, list[str]]) -> None:
    assert fields(entry) == expected


def test_the_type_in_the_words_of_the_file_is_in_front_of_that_of_the_format() -> None:
    (raw,) = records("@ARTICLE{k, document_type={Review}}")

    assert raw.fields["type"] == ["Review", "article"]


# ------------------------------------------------------------------------------------------------------------ inheritance


def test_a_paper_takes_from_its_proceedings_what_holds_for_the_volume() -> None:
    paper = "@inproceedings{p, title={T}, author={A}, crossref={Proc}, pages={1--2}}"
    volume = "@proceedings{proc, title={Proceedings of X}, year=2001, doi={10.1/volume}, publisher={P}, abstract={Of the volume}}"

    (first, _) = records(f"{paper}\n{volume}")

    assert first.fields == {
        "title": ["T"],
        "author": ["A"],
        "venue": ["Proceedings of X"],
        "year": ["2001"],
        "publisher": ["P"],
        "crossref": ["Proc"],
        "pages": ["1--2"],
        "type": ["inproceedings"],
    }


def test_a_record_takes_all_from_xdata_which_is_no_paper() -> None:
    text = "@xdata{a, publisher={P}, xdata={b}}\n@xdata{b, location={L}, publisher={Q}}\n@book{k, title={T}, xdata={a, missing}}"

    (raw,) = records(text)

    assert (raw.fields["publisher"], raw.fields["address"]) == (["P"], ["L"])
    assert [(problem.line, problem.reason) for problem in problems(text, Trouble.NOT_A_PAPER)] == [
        (1, "@xdata{a} is data for other records"),
        (2, "@xdata{b} is data for other records"),
    ]


def test_records_that_refer_to_each_other_end() -> None:
    loop = "@xdata{a, xdata={b}}\n@xdata{b, xdata={a}}\n@book{k, title={T}, xdata={a}, crossref={k}}"
    chain = "".join(f"@xdata{{k{i}, xdata={{k{i + 1}}}}}\n" for i in range(5000)) + "@book{k, title={T}, xdata={k0}}"

    assert [raw.key for raw in records(loop)] == ["k"]
    assert [raw.key for raw in records(chain)] == ["k"]


# ------------------------------------------------------------------------------------------------------------ what is no record


def test_comments_preambles_settings_and_free_text() -> None:
    text = r"""% Encoding: UTF-8
This file was made by hand.
@preamble{"\newcommand{\noop}[1]{#1}" # "x"}
@comment{jabref-meta: databaseType:biblatex;}
@Comment{
@book{hidden, title={Not a record}}
}
@control{REVTEX41Control}
@article{a, title={A}}
An address a@b.org, and @home (see there).
%@article{off, title={Commented out}}
Book{off2,
  title = {Without its sign},
}
@IEEEtranBSTCTL{c, CTLuse = "yes"}
@article{b, title={B}}
"""

    assert [(raw.line, raw.key) for raw in records(text)] == [(9, "a"), (16, "b")]
    assert [problem.line for problem in problems(text, Trouble.NOT_A_PAPER)] == [8, 15]
    assert len(read(text)) == 4


def test_a_comment_that_is_not_closed_ends_at_the_next_block() -> None:
    assert [raw.key for raw in records("@comment{ one { brace too many }\n@article{a, title={A}}")] == ["a"]


def test_records_in_one_line() -> None:
    text = "@article{a,title={A}} @book{b,title={B}}@misc{c,title={C {@misc{x,} in it}}}, mail me@home{d, e}\n@misc{e,title={E}}"

    assert [(raw.line, raw.key) for raw in records(text)] == [(1, "a"), (1, "b"), (1, "c"), (2, "e")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_an_editor(end: str) -> None:
    text = end.join(["", "@article{a,", " title={A},", "", " abstract={x", "y}}", "@book{b, title={B\\", "}, year={2000}}", "@misc{c, title={C}}"])

    assert [raw.line for raw in records(text)] == [2, 7, 9]


@pytest.mark.parametrize("text", ["no record", "% a comment", "@comment{x}", '@string{a = "b"}', "@article of mine", "@"])
def test_a_file_without_a_record_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match=r"^a\.bib: found no BibTeX record, expected records such as @article\{key, title = \{\.\.\.\}\}$"):
        read(text)


# ------------------------------------------------------------------------------------------------------------ broken ones

GOOD = "@book{good,\n  title = {Good},\n}\n"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("@article{a,\n  title = {Unclosed,\n  year = {2000},\n}\n", "found 'title' without its end, or with braces that don't match (line 5)"),
        ('@article{a,\n  title = "Unclosed,\n  year = {2000},\n}\n', "found 'title' without its end, or with braces that don't match (line 5)"),
        ("@article{a,\n  title = {T},\n  abstract = {Cut in the mid\n", "found 'abstract' without its end, or with braces that don't match (line 6)"),
        ("@article{a, title={One {un, year={2000}}\n", "found 'title' without its end, or with braces that don't match (line 4)"),
        ("@article{a, title={One}}, note={T}, year={2000}}\n", "found 'title' without its end, or with braces that don't match (line 4)"),
        ("@article{a, here is no field}\n", "found 'here is no field}', expected a field or '}' (line 4)"),
        ("@article{\n", "found its end missing, expected '}' (line 5)"),
    ],
)
def test_a_broken_record_is_a_problem_and_costs_nothing_else(broken: str, reason: str) -> None:
    text = GOOD + broken + GOOD.replace("good", "better")

    first, problem, last = read(text)

    assert isinstance(first, Raw)
    assert isinstance(last, Raw)
    assert (first.key, last.key, last.fields["title"]) == ("good", "better", ["Good"])
    assert problem == Problem("a.bib", 4, f"@article can't be read: {reason}")


@pytest.mark.parametrize(
    ("broken", "title", "what"),
    [
        ("@article{a,\n  title = {Set {1,2 in},\n  year = {2000}\n}\n", "Set {1,2 in", "found its end missing, expected '}' (line 8)"),
        ("@article{a,\n  title = {One}},\n  year = {2000}\n}\n", "One}", "found a brace too many"),
        ("@article{a,\n  title = {T},\n  year = {2000}\n", "T", "found its end missing, expected '}' (line 7)"),
        ('@article{a,\n  title = "The "big" one",\n  year = 2000\n}\n', 'The "big" one', "found 'big\" one\",'"),
        ("@article{a,\n  title = {The} big {one},\n  year = {2000}\n}\n% end\n\n", "The} big {one", "found 'big {one},'"),
    ],
)
def test_a_broken_record_whose_fields_are_whole_is_repaired_and_said_to_be(broken: str, title: str, what: str) -> None:
    text = GOOD + broken + GOOD

    first, problem, raw, last = read(text)

    assert isinstance(first, Raw)
    assert isinstance(problem, Problem)
    assert isinstance(raw, Raw)
    assert isinstance(last, Raw)
    assert (problem.line, problem.kind) == (4, Trouble.REPAIRED)
    assert problem.reason.startswith(f"@article{{a}}: {what}")
    assert problem.reason.endswith("; its fields were read line by line")
    assert (raw.line, raw.fields["title"], raw.fields["year"]) == (4, [title], ["2000"])
    assert (first.fields["title"], last.fields["title"]) == (["Good"], ["Good"])


def test_a_note_may_quote_bibtex_at_the_beginning_of_a_line() -> None:
    text = "@article{a,\n annote = {See also\n@misc{x, title={y}}\n for more},\n title = {A},\n}\n@book{b, title={B}}"

    assert [(raw.key, raw.fields["title"]) for raw in records(text)] == [("a", ["A"]), ("b", ["B"])]


def test_an_abbreviation_that_is_broken_is_said_and_its_name_stands() -> None:
    text = '@string{j = "Journal}\n@article{a, journal = j}'

    assert fields(text) == {"venue": ["j"]}
    (problem,) = problems(text, Trouble.REPAIRED)
    assert problem.line == 1
    assert problem.reason == "@string can't be read: found '}' inside the quotes of 'j', expected '{' before it; where it is used, its name stands"


def test_abbreviations_of_abbreviations_do_not_fill_the_memory() -> None:
    bomb = '@string{a0 = "ten letters"}\n' + "".join(f"@string{{a{i + 1} = a{i} # a{i} # a{i}}}\n" for i in range(40))

    longest = max(len(value) for raw in records(f"{bomb}@misc{{k, title = a40, note = a9}}") for values in raw.fields.values() for value in values)

    assert longest < 2_000_000


# ------------------------------------------------------------------------------------------------------------ recognising


@pytest.mark.parametrize(
    "head",
    [
        "@article{key,\n title = {T}\n}",
        "\n\n@article{ WOS:1,\nTitle = {T},\n}",
        "% Encoding: UTF-8\n\n@Comment{jabref-meta: databaseType:bibtex;}",
        '@string{a = "b"}\n',
        "@article{\n  author = {A},\n  title = {T}\n}",
        "@article{,\n  title = {T}}",
        'Query Results from the ADS Database\n\n\n@ARTICLE{2010A&A...1A,\n author = {{Doe}, J.},\n title = "{A title of some length}"\n}',
        "@article{a,\n title = {T},\n abstract = {cut in the mid",
        "@ARTICLE(key,\n title = {T}\n)",
        "@misc{key}\n",
        "@article{test\n    title     = {no comma},\n    year      = {2022},\n}",
    ],
)
def test_claims_what_is_bibtex(head: str) -> None:
    assert FORMAT.claims(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "TY  - JOUR\nTI  - @article{a, title={T}}\nER  - \n",
        "We study the @article{key, of something in prose.\n\nAnd @home (see there) and @media (x).",
        'id,bibtex\n1,"@article{key,\n title={T}}"\n',
        '{"bibtex": "@article{key,\\n title={T}}"}',
        "# A project\n" + "It does something useful for everybody who reads. " * 5 + "\n\n```\n@article{key,\n title = {T}\n}\n```\n",
        "@dataclass(frozen=True, slots=True)\nclass Point:\n    x: int\n    y: int\n\n\ndef add(a: Point) -> Point:\n    return a\n",
        '@pytest.fixture(scope="session")\ndef folder() -> int:\n    return 1\n',
        "@media (max-width: 600px) {\n  body { color: red; }\n}\n",
        "  @seen{@names} = (1) x @names;\n  @Keys{@Sections}\n  @options{key} = ();\n",
        "@param {string} name\n@returns {number}\n@type {Tides}\n",
        '@app.route("/tides", methods=["GET"])\ndef tides():\n    return 1\n',
        '@RequestMapping(value = "/tides", method = "GET")\nclass Tides {}\n',
        '@Table(name = "tides")\n@Entity\nclass Tides {}\n',
        "@interface Tides {\n    int height;\n}\n@end\n",
        '@font-face {\n  font-family: "Seas";\n}\n',
        'import java.util.List;\n\nclass TidesTest {\n  String text = """\n    @Article{noor,\n      title = {Tides}\n    }""";\n\n'
        "  void test() {\n    x = read(text);\n  }\n}\n",
        "Feature: records\n\tAs a person\n\tI want to read records\n\n\tWhen I read the text:\n\t\t@article{noor,\n\t\t  title = {Tides}\n\t\t}\n",
        "require 'bibtex'\nimport x\n\nb = read <<-END\n  @book{noor,\n  title = {" + "Tides of the sea " * 20 + "}\n  }\nEND\n",
        "@prefix dc: <http://purl.org/dc/> .\n@prefix a: <b> .\n",
        "PMID- 1\nTI  - x\n",
        "<feed><entry>@article{key,\n title={T}}</entry></feed>" + "<x>more</x>" * 20,
    ],
)
def test_claims_nothing_else(head: str) -> None:
    assert not FORMAT.claims(head)


# ------------------------------------------------------------------------------------------------------------ properties

NAMES = st.sampled_from("title author abstract journal year note doi keywords custom-field".split())
VALUES = st.recursive(
    st.lists(st.sampled_from([*'ab é1,.=#%~"()&;\n', "a@b"]), max_size=12).map("".join),
    lambda inner: st.lists(st.one_of(inner, inner.map(lambda text: "{" + text + "}")), max_size=4).map("".join),
    max_leaves=6,
)
ENTRIES = st.lists(st.dictionaries(NAMES, VALUES, max_size=5), min_size=1, max_size=5)


def written(entries: list[dict[str, str]]) -> str:
    """BibTeX with the keys k0, k1...: the fields in braces."""
    blocks = ["".join(f"  {name} = {{{value}}},\n" for name, value in entry.items()) for entry in entries]
    return "\n".join(f"@misc{{k{i},\n{block}}}" for i, block in enumerate(blocks))


@given(ENTRIES)
def test_what_is_written_is_read(entries: list[dict[str, str]]) -> None:
    text = written(entries)

    raws = records(text)

    assert [raw.key for raw in raws] == [f"k{i}" for i in range(len(entries))]
    assert [text.split("\n")[raw.line - 1] for raw in raws] == [f"@misc{{k{i}," for i in range(len(entries))]
    for raw, entry in zip(raws, entries, strict=True):
        assert {name: raw.fields.get(name, []) for name in ("title", "abstract")} == {
            name: [entry[name]] if entry.get(name, "").strip() else [] for name in ("title", "abstract")
        }


@given(ENTRIES)
def test_a_well_kept_library_reads_the_same(entries: list[dict[str, str]]) -> None:
    text = written(entries)
    theirs = [{field.key: field.value for field in entry.fields} for entry in library(text)]

    mine = [dict(bibtex._Library("a.bib", text)._entry(block).fields) for block in bibtex._Library("a.bib", text)._headers()]

    assert [{name: f"{{{value}}}" for name, value in fields.items()} for fields in mine] == theirs


def library(text: str) -> list[Entry]:
    """The entries that bibtexparser finds, those with keys or fields that come twice too."""
    logging.disable(logging.CRITICAL)
    try:
        blocks = Splitter(text).split().blocks
    finally:
        logging.disable(logging.NOTSET)
    doubles = (DuplicateBlockKeyBlock, DuplicateFieldKeyBlock)
    found = [block.ignore_error_block if isinstance(block, doubles) else block for block in blocks]
    return [block for block in found if isinstance(block, Entry)]


SAMPLE = written([{"title": "A {B} c", "author": "A and B", "year": "2000"}, {"title": "D", "abstract": 'E "f" # {g}'}]).encode()
PIECES = st.sampled_from(["{", "}", '"', "@", "@a{b,", "\n", "#", "=", ",", "(", ")", "\\", "%", "@comment{", "@string{a=", "}\n@misc{q,"])


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 3), PIECES), max_size=5))
def test_a_mutated_file_is_read_or_refused(edits: list[tuple[int, int, str]]) -> None:
    content = SAMPLE
    for at, length, piece in edits:
        content = content[:at] + piece.encode() + content[at + length :]
    try:
        found = list(bibtex.read(File("a.bib", content)))
    except SourceError:
        return
    assert all(one.line is not None and 1 <= one.line <= content.count(b"\n") + 1 for one in found)


@given(st.binary(max_size=80))
def test_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        found = list(bibtex.read(File("a.bib", b"@misc{k, title={" + content)))
    except SourceError:
        return
    assert found


@given(st.lists(st.sampled_from(["{", "x {y", "x} y", "}"]), min_size=1, max_size=3), st.integers(0, 3))
def test_a_broken_record_never_costs_its_neighbours(pieces: list[str], place: int) -> None:
    good = [f"@misc{{k{i},\n  title = {{T{i}}},\n}}\n" for i in range(3)]
    broken = f"@misc{{broken,\n  title = {{T}},\n  note = {{{'; '.join(pieces)}}},\n  year = {{2000}},\n}}\n"

    found = read("".join([*good[:place], broken, *good[place:]]))

    assert [one.key for one in found if isinstance(one, Raw) and one.key != "broken"] == ["k0", "k1", "k2"]
    assert sum(isinstance(one, Raw) or one.kind is not Trouble.REPAIRED for one in found) == 4


@pytest.mark.parametrize(
    "text",
    [
        "@comment{\n" * 50_000,
        "@ab{b,x={\n" * 50_000,
        "@ab{b,x={" * 50_000,
        "@ab{b,} " * 50_000,
        "@ab{b,x={@ab{b,x={}} junk} " * 20_000,
        "@ab{k,\nx={\n" * 30_000 + "}" * 60_000,
        "@ab{b,x=" + "{" * 500_000,
        "@ab{b," + " " * 500_000 + "x",
        "@ab{b,x={a},\n" + "%\n" * 200_000 + "y",
        "@ab{b,x=" + "a#" * 200_000,
        "@ab{b,author={" + "x and " * 80_000 + "}}",
        "@ab{b,keywords={" + "{" * 200_000 + "}" * 200_000 + "}}",
        "@ab{b,x={}}},\ny={}\n" * 25_000,
        "@ab\n" * 100_000,
        "@ab" + "\n" * 500_000 + "{k,}",
    ],
)
def test_time_grows_with_length_only(text: str) -> None:
    start = time.process_time()
    try:
        for found in bibtex.read(File("a.bib", text.encode())):
            assert found.line
    except SourceError:
        pass
    FORMAT.claims(text[:65_536])

    assert time.process_time() - start < 20  # seconds at worst; what grows with the square of the length takes hours


# ------------------------------------------------------------------------------------------------------------ real files


def exported(shared_data: Path, name: str) -> str:
    return (shared_data / "exports" / name).read_text(encoding="utf-8-sig", errors="replace")


@pytest.mark.parametrize(
    ("name", "count"),
    [("asysd_zotero_export.bib", 1000), ("bbt_mendeley.bib", 512), ("jabref_citavi.bib", 60), ("jabref_testjabref.bib", 156)],
)
def test_every_record_of_a_real_file(shared_data: Path, name: str, count: int) -> None:
    text = exported(shared_data, name)
    counted = re.findall(r"(?im)^@(?!comment|string|preamble)\w+\{", text)

    assert len(counted) == count
    assert [type(found) for found in read(text)] == [Raw] * count


def test_a_real_file_reads_as_a_well_kept_library_reads_it(shared_data: Path) -> None:
    text = exported(shared_data, "asysd_zotero_export.bib")
    theirs = [{field.key: field.value[1:-1] for field in entry.fields if field.key in ("title", "abstract")} for entry in library(text)]

    mine = [{name: raw.fields[name][0] for name in ("title", "abstract") if name in raw.fields} for raw in records(text)]

    assert mine == theirs
