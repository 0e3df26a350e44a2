"""XML, record by record: what is wrong with one stays with it, and nothing outside of the file is read."""

from __future__ import annotations

import time
from contextlib import suppress
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import elements
from rag_qa.sources.formats.elements import Record
from rag_qa.sources.reader import Problem, Trouble

# --------------------------------------------------------------------------------------------------------------------- fakes


def found(content: str | bytes, *names: str, bare: tuple[str, ...] = ()) -> list[Record | Problem]:
    raw = content.encode() if isinstance(content, str) else content
    return list(elements.records(File("a.xml", raw), names or ("record",), bare=bare))


def read(content: str | bytes, *names: str, bare: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """(line, text) of each record, or (line, kind of trouble) of each that can't be read."""
    results = found(content, *names, bare=bare)
    return [(each.line or 0, str(each.kind) if isinstance(each, Problem) else elements.inner(each.element)) for each in results]


def reasons(content: str | bytes, *names: str) -> list[str]:
    return [str(each) for each in found(content, *names) if isinstance(each, Problem)]


# ------------------------------------------------------------------------------------------------------------------ recognising


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("<feed>", "feed"),
        ("\ufeff \n<?xml version='1.0'?>\n<!-- <no> - -- -->\n<a:feed x='1'>", "feed"),
        ('<!DOCTYPE S PUBLIC "-//NLM//DTD, 1st January 2025//EN" "https://a.b/c.dtd">\n<S/>', "S"),
        ("<!DOCTYPE S [<!ENTITY a 'b'> <!-- ] --> ]>\n<S>", "S"),
        ("We study <i>E. coli</i>.", ""),
        ("<http://a.b/c>", ""),
        ("<10 mg", ""),
        ("", ""),
        ("<!-- never closed <feed>", ""),
    ],
)
def test_the_root_of_a_text(head: str, name: str) -> None:
    assert elements.root(head) == name


# ---------------------------------------------------------------------------------------------------------------------- cutting


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_records_come_with_the_line_of_their_start_tag(end: str) -> None:
    content = end.join(
        ["<?xml version='1.0'?>", "<records>", "", "<record>one", "</record><record>two</record>", "  <record", "id='3'>three</record>"]
    )

    assert read(content) == [(4, "one"), (5, "two"), (6, "three")]


def test_names_are_compared_without_case_and_prefix() -> None:
    assert read("<XML><RECORD>one</RECORD><x:record>two</x:record><records>no</records></XML>") == [(1, "one"), (1, "two")]
    (record,) = found("<a:record><b:t/></a:record>")
    assert isinstance(record, Record)
    assert [each.tag for each in record.element.iter()] == ["record", "t"]


def test_layout_is_a_blank_except_where_it_parts_a_bracket_or_a_full_stop_from_its_word() -> None:
    content = "<record>\n  the (\n    <i>TERT</i>\n  ) gene,\n  in\n  <i>mice</i>\n  . It ( so ) is\n</record>"

    assert read(content) == [(1, "the (<i>TERT</i>) gene, in <i>mice</i>. It ( so ) is")]


def test_an_empty_element_is_a_record_too() -> None:
    assert read("<r><record/><record />\n<record>x</record></r>") == [(1, ""), (1, ""), (2, "x")]


def test_a_bare_element_is_a_record_only_outside_of_one() -> None:
    content = "<s><outer><inner>one</inner></outer><inner>two</inner></s>"

    assert read(content, "outer", bare=("inner",)) == [(1, "<inner>one</inner>"), (1, "two")]


def test_tags_in_comments_and_cdata_are_no_records() -> None:
    content = "<r><!-- <record>no</record> --><record>a <![CDATA[<record> & </record>]]></record><!-- not closed <record>b</record></r>"

    assert read(content) == [(1, "a <record> & </record>"), (1, "b")]


def test_several_documents_in_one_file() -> None:
    one = '<?xml version="1.0"?>\n<!DOCTYPE r SYSTEM "r.dtd">\n<r><record>x</record></r>\n'

    assert read(one * 3) == [(3, "x"), (6, "x"), (9, "x")]


# ----------------------------------------------------------------------------------------------------------------------- faults


def test_a_malformed_record_costs_itself_alone() -> None:
    content = "<r>\n<record>one</record>\n<record>\n<t>two</record>\n<record>three</record></r>"

    assert read(content) == [(2, "one"), (3, "malformed"), (5, "three")]
    assert reasons(content) == ["a.xml:3: not well-formed XML at line 4: mismatched tag"]


def test_a_record_that_has_no_end_costs_itself_alone() -> None:
    assert read("<r><record>one\n<record>two</record>\n<record>thr") == [(1, "malformed"), (2, "two"), (3, "malformed")]
    assert "the record has no end (</record>)" in reasons("<r><record>one")[0]


def test_a_record_that_has_no_end_does_not_swallow_one_of_another_name() -> None:
    assert read("<s><one>a\n<two>b</two></s>", "one", "two") == [(1, "malformed"), (2, "b")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("R&D, AT&T; a & b", "R&D, AT&T; a & b"),
        ("5&nbsp;mg caf&eacute; &LT;", "5\u00a0mg café <"),
        ("p < 0.05, n </= 3, a <- b", "p < 0.05, n </= 3, a <- b"),
        ("a&#0;b\x0bc&#x1F;d", "a b c d"),
        ("&#55357;&#56832; &#xD83D;", "😀 \ufffd"),
        ("line<br>end", "line<br></br>end"),
        ("&amp; &#38; <![CDATA[R&D < 3]]> & x", "& & R&D < 3 & x"),
        ("&unknown;", "&unknown;"),
        ("&#99999999;", "&#99999999;"),
    ],
)
def test_what_is_not_quite_xml_is_read_as_it_was_meant_and_said(written: str, meant: str) -> None:
    content = f"<r><record>fine</record>\n<record>{written}</record></r>"

    assert read(content) == [(1, "fine"), (2, meant), (2, "repaired")]


def test_what_was_put_right_is_said_once_a_file() -> None:
    (reason,) = reasons("<r>\n<record>a & b</record><record>c & d</record></r>")

    assert reason.startswith("a.xml:2: 2 records from here on are not quite XML")


@pytest.mark.parametrize("content", ["", " \n", "TY  - JOUR\n", "<feed></feed>", "<feed><entry/></feed>"])
def test_a_file_without_records_is_refused(content: str) -> None:
    with pytest.raises(SourceError):
        found(content)


def test_the_refusal_says_what_the_file_is() -> None:
    with pytest.raises(SourceError, match=r"^a\.xml: found XML that begins with <feed> and holds no record that can be read, expected XML of PubMed"):
        found("<?xml version='1.0'?><feed></feed>")


# ------------------------------------------------------------------------------------------------------------------------ hostile


def test_no_entity_of_the_file_is_expanded() -> None:
    bomb = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    content = f'<!DOCTYPE r [<!ENTITY l0 "ha">{bomb}]><r><record>&l9;</record><record>two</record></r>'

    assert read(content) == [(1, "malformed"), (1, "two")]
    assert "uses the entity &l9; which the file itself defines" in reasons(content)[0]


def test_nothing_outside_of_the_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    content = f'<!DOCTYPE r SYSTEM "{tmp_path}/secret.txt" [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]><r><record>&x;</record></r>'

    assert read(content) == [(1, "malformed")]


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        ("<a>" * 200 + "</a>" * 200, "elements in elements more than 100 deep"),
        ("<a/>" * (elements.MAX_TAGS + 1), "more than 1,000,000 tags"),
        ("x" * elements.MAX_BYTES, "the record has 20 MB; no more than 20 MB are read"),
    ],
    ids=["deep", "many tags", "large"],
)
def test_a_record_that_no_paper_has_is_refused(inside: str, reason: str) -> None:
    (said,) = reasons(f"<r><record>{inside}</record></r>")

    assert reason in said


@pytest.mark.parametrize("part", ["<record>", "<record ", "</record>", "<!--", "<![CDATA[", "<", "<record>&", "<record/>"])
def test_a_hostile_file_takes_no_more_than_linear_time(part: str) -> None:
    begun = time.monotonic()
    with suppress(SourceError):
        found("<r>" + part * (1_000_000 // len(part)))

    assert time.monotonic() - begun < 10  # about one second; far longer, where the search begins again at each tag


# --------------------------------------------------------------------------------------------------------------------- properties

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=30)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_written_records_read_back(given_texts: list[str]) -> None:
    content = "<r>" + "".join(f"<record>{escape(text)}</record>\n" for text in given_texts) + "</r>"

    assert read(content) == [(line, text.strip(" ")) for line, text in enumerate((" ".join(t.split(" ")) for t in map(_squeezed, given_texts)), 1)]


def _squeezed(text: str) -> str:
    while "  " in text:
        text = text.replace("  ", " ")
    return text


SAMPLE = b"<r>\n<record a='1'><t>one &amp; two</t></record>\n<!-- c --><record><![CDATA[x]]></record>\n<record/></r>"


@given(
    st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.one_of(st.binary(max_size=2), st.sampled_from([b"<", b">", b"&", b"<record>", b"]]>"]))))
)
def test_any_spoilt_file_gives_records_problems_or_a_refusal(changes: list[tuple[int, bytes]]) -> None:
    content = SAMPLE
    for at, change in changes:
        content = content[:at] + change + content[at + 1 :]
    try:
        results = found(content)
    except SourceError:
        return
    assert all(isinstance(each, Record | Problem) for each in results)
    assert all(each.kind in (Trouble.MALFORMED, Trouble.REPAIRED) for each in results if isinstance(each, Problem))
