"""Plain text and Markdown: paragraphs, headings, lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import plain
from rag_qa.sources.formats.plain import Collection, collection_of
from rag_qa.sources.reader import Problem, Raw, Trouble

TIDE = "We study the tides of the northern sea in winter."
MOSS = "Mosses store carbon, and so do bogs that grow slowly."
NOTE = "Here are the papers that I read during the last summer."


def raw(line: int, fields: dict[str, list[str]]) -> Raw:
    """A record of a text file."""
    return Raw(line, fields, "text")


def read(content: str, name: str = "a.txt") -> list[Raw | Problem]:
    return list((plain.read_markdown if name.endswith(".md") else plain.read)(File(name, content.encode())))


def abstracts(content: str) -> list[tuple[int, str]]:
    return [(one.line, one.fields["abstract"][0]) for one in read(content) if isinstance(one, Raw)]


def titled(content: str) -> list[tuple[int, str | None, str]]:
    """(line, title, abstract) of each record of a Markdown file."""
    raws = [one for one in read(content, "a.md") if isinstance(one, Raw)]
    return [(one.line, next(iter(one.fields.get("title", ())), None), one.fields["abstract"][0]) for one in raws]


def left_out(content: str) -> list[tuple[int | None, str]]:
    return [(one.line, one.reason) for one in read(content, "a.md") if isinstance(one, Problem)]


# ------------------------------------------------------------------------------------------------------------- plain text


def test_a_heading_and_paragraphs() -> None:
    told = {"collection": ["ICLR 2025 Papers"], "venue": ["ICLR"], "year": ["2025"]}

    assert read(f"ICLR 2025 Papers\n\n{TIDE}\n\n{MOSS}\n") == [raw(3, {"abstract": [TIDE], **told}), raw(5, {"abstract": [MOSS], **told})]


def test_without_a_heading_nothing_is_said_of_the_papers() -> None:
    assert read(TIDE) == [raw(1, {"abstract": [TIDE]})]


def test_the_seeds_read_as_ever(seeds: Path) -> None:
    for path in seeds.glob("*.txt"):
        heading, *lines = path.read_text(encoding="utf-8").splitlines()
        records = read(path.read_text(encoding="utf-8"))

        assert heading == "ICLR 2025 Papers"
        assert [(record.line, record.fields["abstract"][0]) for record in records if isinstance(record, Raw)] == [
            (number, " ".join(line.split())) for number, line in enumerate(lines, start=2) if line.strip()
        ]
        assert len(records) == 19


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_hard_wrapped_paragraphs_with_any_line_ends(end: str) -> None:
    content = end.join(["ICLR 2025 Papers", "", "We study the tides", "  of the northern at-", "lantic in all winters.", " \t", "", MOSS])

    assert abstracts(content) == [(3, "We study the tides of the northern at- lantic in all winters."), (8, MOSS)]


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_character_that_is_no_line_end_for_an_editor_is_none_here(odd: str) -> None:
    assert abstracts(f"We study the tides{odd}of the northern sea.\n\n{MOSS}{odd}\n") == [(1, "We study the tides of the northern sea."), (3, MOSS)]


def test_a_short_paragraph_is_reported_with_its_line() -> None:
    first, second, third, fourth = read(f"{TIDE}\n\nNeurIPS 2024\n\n{MOSS}\n\n{'x' * 70}")

    assert (first, third) == (raw(1, {"abstract": [TIDE]}), raw(5, {"abstract": [MOSS]}))
    assert second == Problem("a.txt", 3, "2 words are too few for an abstract: 'NeurIPS 2024'", Trouble.NOT_A_PAPER)
    assert fourth == Problem("a.txt", 7, f"1 words are too few for an abstract: '{'x' * 57}...'", Trouble.NOT_A_PAPER)


def test_languages_without_blanks_have_words_too() -> None:
    assert abstracts("论文摘要\n\n我们研究了冬季北方海域的潮汐变化规律。\n\n关键词") == [(3, "我们研究了冬季北方海域的潮汐变化规律。")]


def test_a_list_of_identifiers_is_no_abstract() -> None:
    _, numbers, _ = read(f"{TIDE}\n\n{' '.join(str(number) for number in range(30942772, 30942792))}\n\n{MOSS}")

    assert isinstance(numbers, Problem)
    assert (numbers.line, numbers.reason[:40]) == (3, "a row of numbers is no abstract: '309427")


@pytest.mark.parametrize("content", ["\n", "ICLR 2025 Papers", "ICLR 2025 Papers\n\nToo short.", "one\n\ntwo\n\nthree"])
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_a_file_without_abstracts_is_an_error(content: str, name: str) -> None:
    expected = (
        "found an empty file" if not content.strip() else "found no abstract, expected abstracts as paragraphs of at least 8 words, separated by"
    )

    with pytest.raises(SourceError, match=rf"^{re.escape(name)}: {expected}"):
        read(content, name)


def test_a_long_first_paragraph_or_one_with_a_full_stop_is_an_abstract() -> None:
    assert abstracts("Eight words that end with one full stop.") == [(1, "Eight words that end with one full stop.")]
    assert len(abstracts("word " * 13)) == 1


@pytest.mark.parametrize(
    ("heading", "venue", "year"),
    [
        ("ICLR 2025 Papers", "ICLR", 2025),
        ("NeurIPS, 2023", "NeurIPS", 2023),
        ("ICML2024", "ICML", 2024),
        ("Annual Meeting of the ACL (2023)", "Annual Meeting of the ACL", 2023),
        ("Papers from 2019", None, 2019),
        ("2021", None, 2021),
        ("2021 ICLR papers", None, 2021),
        ("My reading list", None, None),
        ("Room 12025", None, None),
    ],
)
def test_what_a_heading_says(heading: str, venue: str | None, year: int | None) -> None:
    assert collection_of(heading) == Collection(heading, venue, year)


@given(st.text(st.one_of(st.sampled_from("ab \n\r\f."), st.characters(exclude_categories=["Cs"])), max_size=200))
def test_any_text_is_read_or_refused(content: str) -> None:
    try:
        records = read(content)
    except SourceError:
        return
    for _, abstract in (one for one in abstracts(content)):
        assert plain.is_abstract(abstract)
        assert abstract == " ".join(abstract.split())
    assert all(isinstance(one, Raw) or one.kind is Trouble.NOT_A_PAPER for one in records)


# ------------------------------------------------------------------------------------------------------------------ prose


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        (f"{TIDE}\n\n{MOSS}", True),
        (f"Reading list\n\n{TIDE}", True),
        ("我们研究了冬季北方海域的潮汐变化规律，并分析了其影响因素。", True),
        ("Мы изучаем приливы северного моря зимой и весной.", True),
        ("", False),
        ("one two", False),
        ('{"a": [1, 2, 3], "b": "We study the tides of the northern sea in winter."}', False),
        ("for name in names:\n    if name in known and name != other:\n        return found[name] == 1", False),
        ("2024-01-01 00:00:01 INFO 12 started\n2024-01-01 00:00:02 INFO 13 stopped", False),
        ("1 2 3 4 5 6 7 8 9 10 11 12.", False),
    ],
)
def test_what_reads_as_prose(text: str, is_prose: bool) -> None:
    assert plain.reads_as_prose(text) is is_prose


# --------------------------------------------------------------------------------------------------------------- Markdown


def test_a_heading_over_each_abstract_is_its_title() -> None:
    content = f"# ICLR 2025 Papers\n\n## Tides\n\n{TIDE}\n\n## Mosses ##\n{MOSS}\n"
    told = {"collection": ["ICLR 2025 Papers"], "venue": ["ICLR"], "year": ["2025"]}

    assert read(content, "a.md") == [
        raw(3, {"abstract": [TIDE], **told, "title": ["Tides"]}),
        raw(7, {"abstract": [MOSS], **told, "title": ["Mosses"]}),
    ]


def test_a_first_heading_over_an_abstract_is_a_title_too() -> None:
    assert titled(f"# Tides\n\n{TIDE}\n\n# Mosses\n\n{MOSS}") == [(1, "Tides", TIDE), (5, "Mosses", MOSS)]


def test_headings_that_not_every_abstract_has_are_no_titles() -> None:
    content = f"# ICLR 2025 Papers\n\n{TIDE}\n\n{MOSS}\n\n## More\n\n{NOTE}"

    assert titled(content) == [(3, None, TIDE), (5, None, MOSS), (9, None, NOTE)]
    assert read(content, "a.md")[0] == raw(3, {"abstract": [TIDE], "collection": ["ICLR 2025 Papers"], "venue": ["ICLR"], "year": ["2025"]})
    assert left_out(content) == [(7, "a heading, not an abstract: 'More'")]


def test_text_without_headings_reads_as_plain_text() -> None:
    assert titled(f"{TIDE}\n\n{MOSS}\n") == [(1, None, TIDE), (3, None, MOSS)]


def test_underlined_headings() -> None:
    content = f"Reading list\n============\n\nTides\n-----\n{TIDE}\n\nMosses\n------\n\n{MOSS}\n"

    assert titled(content) == [(4, "Tides", TIDE), (8, "Mosses", MOSS)]


def test_a_rule_under_an_abstract_makes_no_heading_of_it() -> None:
    assert titled(f"# Tides\n{TIDE}\n---\n# Mosses\n{MOSS}\n***\n") == [(1, "Tides", TIDE), (4, "Mosses", MOSS)]


def test_an_introduction_is_no_abstract() -> None:
    content = f"# My list\n\n{NOTE}\n\n## Tides\n\n{TIDE}\n\n## Mosses\n\n{MOSS}"

    assert titled(content) == [(5, "Tides", TIDE), (9, "Mosses", MOSS)]
    assert left_out(content) == [(3, f"an introduction, not an abstract: {NOTE!r}")]


def test_lines_between_a_title_and_its_abstract() -> None:
    names = "Anna Müller, Jan de Vries, Ole Olsen, Mary Major, John Minor"
    content = f"# Tides\n\n*Anna Müller, 2021*\n\n{TIDE}\n\n# Mosses\n\n{names}\n\n### Abstract\n\n{MOSS}"

    assert titled(content) == [(1, "Tides", TIDE), (7, "Mosses", MOSS)]
    assert left_out(content) == [
        (3, "3 words are too few for an abstract: '*Anna Müller, 2021*'"),
        (9, f"a line of names, not an abstract: {names!r}"),
    ]


def test_markup_is_taken_from_titles_only() -> None:
    marked = "We *study* the **tides** of the [northern sea](https://example.org) in `winter`."

    (record,) = read(f"# [**Tides** of the _deep_ sea](https://arxiv.org/abs/2101.00001) in `C#` and snake_case_x\n\n{marked}", "a.md")

    assert isinstance(record, Raw)
    assert record.fields == {
        "abstract": [marked],
        "title": ["Tides of the deep sea in C# and snake_case_x"],
        "url": ["https://arxiv.org/abs/2101.00001"],
    }


def test_front_matter_comments_and_quotes() -> None:
    before = "---\ntitle: My list\ntags: [a, b]\n---\n<!-- to read -->\n"
    content = f"{before}# Tides\n\n> We study the tides of the\n> northern sea in winter.\n\n# Mosses\n{MOSS}"

    assert titled(content) == [(6, "Tides", TIDE), (11, "Mosses", MOSS)]
    assert left_out(content) == []


def test_a_rule_at_the_beginning_is_no_front_matter() -> None:
    assert titled(f"---\n{TIDE}\n\n{MOSS}") == [(2, None, TIDE), (4, None, MOSS)]


def test_fenced_blocks_are_left_out_aloud() -> None:
    content = f"# Tides\n{TIDE}\n\n```python\n# no heading\n{MOSS}\n```\n\n# Mosses\n{MOSS}\n~~~\nthe end is missing"

    assert titled(content) == [(1, "Tides", TIDE), (9, "Mosses", MOSS)]
    assert left_out(content) == [(4, "a fenced block, not an abstract: '```python'"), (11, "a fenced block, not an abstract: '~~~'")]


@pytest.mark.parametrize(
    "nasty", ["#" * 100_000, "[" * 100_000, "[a](" * 50_000, "# " + "*a" * 50_000, "# " + "_ " * 50_000, "- " * 50_000, "> " * 50_000]
)
def test_hostile_markdown_takes_no_time(nasty: str) -> None:
    assert titled(f"{nasty}\n\n# Tides\n\n{TIDE}\n")[-1] == (3, "Tides", TIDE)


MARKS = st.sampled_from(["# ", "## ", "\n", "\n\n", "---\n", "===\n", "```\n", "> ", "**", "_", "[", "](", ")", TIDE, MOSS, "a", " ", "<!--", "-->"])


@given(st.lists(MARKS, max_size=30).map("".join))
def test_any_markdown_is_read_or_refused(content: str) -> None:
    try:
        records = read(content, "a.md")
    except SourceError:
        return
    lines = [record.line for record in records]
    assert all(isinstance(record, Raw) or record.kind is Trouble.NOT_A_PAPER for record in records)
    assert lines == sorted(lines, key=lambda line: line or 0)
