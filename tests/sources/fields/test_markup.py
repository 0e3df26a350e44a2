"""Markup in titles and abstracts: what is taken off, what stays, and what it stands for."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.sources.fields.markup import plain

# ------------------------------------------------------------------------------------------------------------- what is no markup


@pytest.mark.parametrize(
    "prose",
    [
        "",
        "No markup at all.",
        "p < 0.05 and n > 3",
        "(P <0.001; r>0.5)",
        "a<b and c>d",
        "if i<j, b>c",
        "n </= 3 and m >/= 4",
        "< T < 570 K",
        "<10 mg or <10% of > 20",
        "the <mean> of <x, y> and <w|v>",
        "Si<100> and Cu<111>",
        "tokens <s> and </s>, <pad>, <think> and </think>",
        "the <title> of a page",
        "a mean field <b> of 3 nT",
        "<http://a.b/c> and <a@b.org>",
        "10.1002/(SICI)1097-4571(1999)50:3<216::AID-ART251>3.0.CO;2-Q",
        "R&D at AT&T; Q&A; a & b",
        "?a=1&copy=2&lt=3",
        "&unknown; entities",
        r"\(a<b\) and $x<b>y$",
        "line one\n  line two < three\n",
        "x <!-- y",
        "<<open field>>",
    ],
)
def test_prose_stays_as_it_is(prose: str) -> None:
    assert plain(prose) == prose


# ------------------------------------------------------------------------------------------------------------- entities


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("p &lt; 0.05 &amp; n &gt; 3", "p < 0.05 & n > 3"),
        ("caf&eacute; na&#239;ve &#x3b1;", "café naïve α"),
        ("5&nbsp;mg", "5\u00a0mg"),
        ("a &quot;b&quot; &apos;c&apos;", "a \"b\" 'c'"),
        ("&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt;", "E. coli"),
        ("AT&amp;amp;T", "AT&T"),
        ("&mgr;m &OHgr;cm &EEgr;", "μm Ωcm Η"),
        ("&lcub;110&rcub;", "{110}"),
        ("1993&#150;1997", "1993–1997"),
        ("5 &lt 6", "5 < 6"),
        ("this season&#8212", "this season—"),
        ("tides&#x2014 and moons&#8230", "tides— and moons…"),
        ("R&#38;D, A&#1B, &#7", "R&D, A&#1B, &#7"),
        ("a&#0;b", "a\ufffdb"),
    ],
)
def test_entities_are_characters(written: str, meant: str) -> None:
    assert plain(written) == meant


# -------------------------------------------------------------------------------------------------- above and below the line


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("CO<sub>2</sub> and H<inf>2</inf>O", "CO2 and H2O"),
        ("PM<sub>2.5</sub>, HbA<SUB>1c</SUB>, C<sub>max</sub>", "PM2.5, HbA1c, Cmax"),
        ("p<sub>trend</sub>=0.04", "ptrend=0.04"),
        ("log<sub>10</sub>2", "log₁₀2"),
        ("10<sup>-3</sup>", "10⁻³"),
        ("1.6 x 10 <sup>-19</sup>", "1.6 x 10⁻¹⁹"),
        ("10<sup>−3</sup> of 10<sup>9</sup>", "10⁻³ of 10⁹"),
        ("10<sup>0.5</sup> and 2<sup>n</sup>", "10^0.5 and 2^n"),
        ("e<sup>-x/2</sup>", "e^(-x/2)"),
        ("mm<sup>2</sup>, kg<sup>-1</sup> d<sup>-1</sup>", "mm², kg⁻¹ d⁻¹"),
        ("Ca<sup>2+</sup>, Cl<sup>-</sup>, CD4<sup>+</sup>", "Ca²⁺, Cl⁻, CD4⁺"),
        ("<sup>13</sup>C and <sup>99m</sup>Tc", "¹³C and 99mTc"),
        ("ApoE<sup>-/-</sup> and Atg5<sup>fl/fl</sup>", "ApoE-/- and Atg5fl/fl"),
        ("CD44<sup>high</sup>, Fe<sup>III</sup>, BRAF<sup>V600E</sup>", "CD44high, FeIII, BRAFV600E"),
        ("the 11<sup>th</sup> of 25<sup>o</sup>C", "the 11th of 25°C"),
        ("Name<sup>®</sup> and x<sup>*</sup>", "Name® and x*"),
        ("a title<sup>1,2</sup>", "a title¹,²"),
        ("(0.4 <u>&lt;</u> x, 3 <u>+</u> 1)", "(0.4 ≤ x, 3 ± 1)"),
        ("x<sup></sup>y", "xy"),
        ("10<sup>-3 is never closed", "10⁻³ is never closed"),
    ],
)
def test_above_and_below_the_line(written: str, meant: str) -> None:
    assert plain(written) == meant


def test_a_power_is_read_as_one_by_what_compares_texts() -> None:
    assert text.fold(plain("10<sup>-3</sup> to 10<sup>9</sup> of CO<sub>2</sub>")).text == "10^-3 to 10^9 of co2"
    assert text.fold(plain("CD4<sup>+</sup> at 5 m<sup>2</sup>")).text == "cd4+ at 5 m2"


# ------------------------------------------------------------------------------------------------------- lines and paragraphs


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("The <i>TERT</i> gene, <b>bold</b> <em class='x'>em</em>", "The TERT gene, bold em"),
        ("<i>Escherichia<i> grows", "Escherichia grows"),
        ("levels of <i>Drosoph", "levels of Drosoph"),
        ("<p>One.</p><p>Two.</p>", "One. Two."),
        ("One.<br/><br />Two.<BR>Three.", "One. Two. Three."),
        ("<ul><li>one;</li><li>two.</li></ul>", "one; two."),
        ("<p>\n   Layout\n   is none. </p>", "Layout is none."),
        ("AIM: one <i>a</i>.\nMETHODS: two  blanks.", "AIM: one a.\nMETHODS: two  blanks."),
        ('<a href="https://a.b/?c=1&d=2">a link</a>', "a link"),
        ("<![CDATA[To <b>do</b>]]> <!-- <p>no</p> -->it", "To do it"),
        ('<?xml version="1.0"?>text <b>x</b>', "text x"),
        ("<style>p { color: red }</style>text<script>x()</script>", "text"),
        ("<span style='a'>x</span><wbr>y", "xy"),
    ],
)
def test_html(written: str, meant: str) -> None:
    assert plain(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "<jats:title>Abstract</jats:title>\n <jats:sec>\n <jats:title>Aim</jats:title>\n <jats:p>To\n do.</jats:p></jats:sec>"
            "<jats:sec><jats:title>Methods.</jats:title><jats:p>We did.</jats:p></jats:sec>",
            "Aim: To do.\nMethods: We did.",
        ),
        ("<h4>Background</h4>Foo.<h4>Why now?</h4>Bar.<h4>Results:</h4>Baz.", "Background: Foo.\nWhy now? Bar.\nResults: Baz."),
        (
            '<AbstractText Label="Methods" NlmCategory="METHODS">We did.</AbstractText>\n<AbstractText Label="UNLABELLED">It was.</AbstractText>'
            "<CopyrightInformation>© 2020</CopyrightInformation>",
            "Methods: We did. It was.",
        ),
        ("<p>It <b>is</b>.</p><title>Summary</title><p>So.</p>", "It is.\nSummary: So."),
        ("<title> </title><p>x</p>", "x"),
    ],
)
def test_the_sections_of_an_abstract_are_lines_with_labels(written: str, meant: str) -> None:
    assert plain(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("in<jats:italic>Arabidopsis</jats:italic>and", "in Arabidopsis and"),
        ("the <jats:italic>n</jats:italic>th of <jats:italic>abstract</jats:italic>s", "the nth of abstracts"),
        ("We have<jats:styled-content>treebase</jats:styled-content>, a package", "We have treebase, a package"),
        ("a (<jats:italic>Carcinus</jats:italic>) b", "a (Carcinus) b"),
    ],
)
def test_words_that_a_registry_ran_together_are_parted(written: str, meant: str) -> None:
    assert plain(written) == meant


# ---------------------------------------------------------------------------------------------------------------------- MathML


def formula(inside: str) -> str:
    return plain(f"<mml:math>{re.sub('<(/?)m', lambda found: f'<{found[1]}mml:m', inside)}</mml:math>")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x²"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10⁻³"),
        ("<msup><mi>e</mi><mrow><mo>-</mo><mi>x</mi><mo>/</mo><mn>2</mn></mrow></msup>", "e^(-x/2)"),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "(a+b)²"),
        ("<msub><mi>CO</mi><mn>2</mn></msub>", "CO2"),
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x_i"),
        ("<msubsup><mi>η</mi><mi>p</mi><mn>2</mn></msubsup><mo>=</mo><mn>0.1</mn>", "η_p² = 0.1"),
        ("<mi>p</mi><mo>&lt;</mo><mn>0.05</mn>", "p < 0.05"),
        ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>", "1/(a+b)"),
        ("<msqrt><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", "√2∛x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x̄"),
        ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "lim_(x → 0)"),
        ("<mi>sin</mi><mo>\u2061</mo><mi>x</mi>", "sin x"),
        ("<mn>2</mn><mi>x</mi>", "2x"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a, b]"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd></mtr></mtable>", "1 0; 0"),
        ("<mmultiscripts><mi>He</mi><mprescripts/><none/><mn>3</mn></mmultiscripts><mtext>\u00a0</mtext><mi>MRI</mi>", "³He MRI"),
        ("<msup><mi>x</mi></msup>", "x"),
        ("\n  <mrow>\n    <mi>a</mi>\n    <mo>+</mo>\n    <mi>b</mi>\n  </mrow>\n", "a+b"),
    ],
)
def test_formulas_are_written_on_a_line(written: str, meant: str) -> None:
    assert formula(written) == meant


def test_a_formula_that_is_there_twice_is_read_once() -> None:
    tex = r"<jats:tex-math>\documentclass{minimal} \begin{document}$$\alpha$$\end{document}</jats:tex-math>"
    both = f"of <jats:inline-formula><jats:alternatives>{tex}<mml:math><mml:mi>α</mml:mi></mml:math></jats:alternatives></jats:inline-formula> is"

    assert plain(both) == "of α is"
    assert plain(f"of <inline-formula>{tex}</inline-formula> is") == r"of $$\alpha$$ is"


def test_the_source_of_a_formula_is_no_part_of_it() -> None:
    assert plain("<math><semantics><mi>x</mi><annotation encoding='TeX'>\\xi</annotation></semantics></math>") == "x"


# ------------------------------------------------------------------------------------------------------------------ properties

PIECES = st.sampled_from(
    "a b 3 < > & ; <i> </i> <p> </p> <sup> </sup> <sub> </sub> <br/> <jats:title> </jats:title> <math> </math> <msup> </msup> <mi> </mi>"
    " <mmultiscripts> <mprescripts/> <mfrac> </mfrac> <mroot> <mover> <mfenced> </mfenced> <mtable> <!-- --> <![CDATA[ ]]> &lt; &amp;lt; &#8"
    " &#9999999; <a href='x' <b c=d> <u> </u> <title> <tex-math> </tex-math> <alternatives> </alternatives> = ⁻ \n \x00".split(" ")
)


@given(st.lists(PIECES, max_size=40).map(" ".join) | st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60))
def test_it_reads_anything(written: str) -> None:
    assert isinstance(plain(written), str)


@given(st.text(st.characters(exclude_characters="<&")))
def test_text_without_markup_stays_as_it_is(written: str) -> None:
    assert plain(written) == written


VALUE = st.one_of(
    st.integers(0, 999).map(str), st.floats(0, 1, allow_nan=False).map(lambda value: f"{value:.3f}"), st.sampled_from(["5%", "10 mg", "x"])
)


@given(st.lists(st.tuples(st.sampled_from("pnxabi"), st.sampled_from([" < ", "<", " > ", ">", " <= ", " >= ", "<<"]), VALUE), min_size=1))
@example([("a", "<", "b"), ("i", ">", "5%")])
def test_comparisons_survive_and_are_the_same_twice(comparisons: list[tuple[str, str, str]]) -> None:
    written = ", ".join("".join(parts) for parts in comparisons)

    assert plain(written) == written
    assert plain(f"<p>{written} in <i>mice</i></p>") == f"{written} in mice"
    assert plain(f"{written} in <jats:italic>mice</jats:italic>.") == f"{written} in mice."


@given(
    st.lists(st.sampled_from("We saw CO<sub>2</sub> <i>coli</i> p<0.05 10<sup>-3</sup> <mean> x>y R&amp;D . <b>A</b>:".split()), min_size=1).map(
        " ".join
    )
)
def test_reading_twice_changes_nothing(written: str) -> None:
    assert plain(plain(written)) == plain(written)


HOSTILE = [
    "<",
    "<i>",
    "<sup>",
    "<sup></sup>",
    "<a href=",
    '<a href="',
    "<a b=c ",
    "&amp;",
    "<!--",
    "<![CDATA[",
    "<math><mrow>",
    "<?a",
    "<li>a",
    "\n ",
]


@pytest.mark.parametrize("part", [*HOSTILE, "<math><msup><mi>x</mi>", "<math><mmultiscripts><mi>x</mi>"])
def test_hostile_text_takes_no_more_than_linear_time(part: str) -> None:
    begun = time.monotonic()
    plain(part * (1_000_000 // len(part)) + "<p>")

    assert time.monotonic() - begun < 15  # about a second


# ------------------------------------------------------------------------------------------------------------------ real files


def test_no_tag_is_left_in_real_records(shared_data: Path) -> None:
    """Crossref's titles and abstracts: JATS, lists, small capitals, links."""
    content = json.loads((shared_data / "exports" / "crossref_works_query.json").read_text(encoding="utf-8"))
    written = [value for item in content["message"]["items"] for value in [item.get("abstract", ""), *item["title"]]]
    read = [plain(value) for value in written]

    assert sum("<" in value for value in written) > 15
    assert [value for value in read if re.search(r"</?[a-z]|&\w+;|\n\s*\n", value.replace("<https://doi.org", ""))] == []
    assert any(value.startswith("Aim: Despite unprecedented environmental change") and "\nLocation: Global" in value for value in read)
