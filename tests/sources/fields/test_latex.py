"""LaTeX: what it stands for, what stays as it is, and that nothing is lost."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources.fields.latex import plain

ACCENT_LEFT = re.compile(r"\\[\"'`^~=.]|\\[uvHtcdbkr](?![A-Za-z])|\\(?:aa|AA|ae|AE|oe|OE|ss|[oOlL])(?![A-Za-z])")


@pytest.mark.parametrize(
    ("written", "means"),
    [
        (r"{\'e} \'{e} \'e {\'{e}}", "é é é é"),
        (r"\`a \^o \"u \~n \=a \.z", "à ô ü ñ ā ż"),
        (r"\c c \c{c} {\c c} \v{s} \v s \H{o} \k{a} \r a \u{g} \d{s} \b{d}", "ç ç ç š š ő ą å ğ ṣ ḏ"),
        (r"\"{\i} \'\i{} \'{\i} \^\i l {\i}", "ï í í îl ı"),
        (r"\.{I} \.i \.{\i}", "İ i i"),
        (r"\aa{} {\AA} {\o} \O{} \l{} {\L} \ae{} \OE{} {\ss} {\dh} {\th}", "å Å ø Ø ł Ł æ Œ ß ð þ"),
        (r"M\o ller, stra\ss e, \O stergaard, \AA ngstr\"om", "Møller, straße, Østergaard, Ångström"),
        (r"Th\'{\^e} v\d{\^o}", "Thế vộ"),
        (r"Gon\ifmmode \mbox{\c{c}}\else \c{c}\fi{}alves", "Gonçalves"),
        (r"Garc$\backslash$'ia, Garc{\textbackslash}'ia", "García, García"),
        (r"{\cyrchar\CYRM}{\cyrchar\cyri}{\cyrchar\cyrr}", "Мир"),
        (r"{\relax Ch}ebyshev", "Chebyshev"),
        (r"RAM{\a'I}REZ, Malard{\a'{e}}, \a`e, \a=o, {\a'\i}", "RAMÍREZ, Malardé, è, ō, í"),
    ],
)
def test_letters(written: str, means: str) -> None:
    assert plain(written) == means


@pytest.mark.parametrize(
    ("written", "means"),
    [
        (r"50\% \& \$5 \_ \# \{a\}", "50% & $5 _ # {a}"),
        (r"{DNA} in {E}. coli, {{Double}}", "DNA in E. coli, Double"),
        (r"\textit{in vivo}, \emph{much}, \textbf{b\textsc{c}}, \mbox{d}, {\em e}, {\bf f}", "in vivo, much, bc, d, e, f"),
        (r"H\textsubscript{2}O at 10\textsuperscript{-3}", "H<sub>2</sub>O at 10<sup>-3</sup>"),
        (r"{\textless}i{\textgreater}E. coli{\textless}/i{\textgreater}", "<i>E. coli</i>"),
        (r"\textless span\textgreater text", "<span>text"),
        (r"Foo\textregistered{} and Bar{\texttrademark}", "Foo® and Bar™"),
        (r"methodology\hyphen independent, and\slash or, x\slash{} y", "methodology-independent, and/or, x/ y"),
        (r"1990\textendash 2000, 5 \textdegree C, 3 {\textpm} 1 {\textmu}m", "1990–2000, 5 °C, 3 ± 1 µm"),
        (r"don{\textquoteright}t \textquotedblleft say\textquotedblright{}", "don’t “say”"),
        (r"TGF-\beta and \alpha particles", "TGF-β and α particles"),
        (r"\ensuremath{\sim}5 and \ensuremath{10^{-3}}", "∼5 and $10^{-3}$"),
        (r"\url{http://a.org/~b\_c} \href{http://a.org}{here}", "http://a.org/~b_c here"),
        (r"``quoted'' and 5'' wide", "“quoted” and 5” wide"),
        ("5'' wide", "5'' wide"),
        ("pages 1--5 --- or not; ---- a --> b", "pages 1–5 — or not; ---- a --> b"),
        (r"Fig.~5, J.~Doe, 50\,000, a\ b", "Fig. 5, J. Doe, 50 000, a b"),
        ("~5 mg (~10 %), 5~10 km", "~5 mg (~10 %), 5~10 km"),
        (r"\~{} and \^{} and {\textbackslash} and {\textasciitilde}", r"~ and ^ and \ and ~"),
        (r"\begin{itemize}\item one\item two\end{itemize}", "one two"),
        (r"A\\B \par C", "A B C"),
        (r"{\noopsort{1973b}}1973, \vphantom{x}y, \textcolor{red}{z}", "1973, y, z"),
        (r"\LaTeX{}, \BibTeX, \XML{}", "LaTeX, BibTeX, XML"),
        (r"\enquote{said}", "“said”"),
        (r"{[}Corrected{]}", "[Corrected]"),
        (r"NASA\@. Write to me\@home.org", "NASA. Write to me@home.org"),
        (r"doi 10.1002/a--b~c, http://a.org/x--y", "doi 10.1002/a--b~c, http://a.org/x--y"),
    ],
)
def test_what_macros_and_marks_stand_for(written: str, means: str) -> None:
    assert " ".join(plain(written).split()) == means


@pytest.mark.parametrize(
    "text",
    [
        r"$1.67 \times$ faster",
        r"$\alpha$-SVRG with $O(\sqrt{T})$ and $$\sum_i x_i$$",
        r"\(x\_1\) and \[y\]",
        r"$\{a, b\}$ and $5\%$",
        "$5 and $6, US$10-US$20",
        r"$\sim$44 of $x_1$2, and $\pm$5",
        "an unmatched } brace, and { another",
        r"\ourmethod achieves more",
        r"C:\Users\name",
        "50% of patients",
        "trailing\\",
    ],
)
def test_what_stays(text: str) -> None:
    assert plain(text) == text


def test_prices_do_not_hide_what_is_between_them() -> None:
    assert plain(r"$5 for Andr\'e and $6 for \emph{us}") == "$5 for André and $6 for us"


def test_money_with_escapes_between_is_no_mathematics() -> None:
    assert plain(r"US$10\%,$20 and $5\&$6") == "US$10%,$20 and $5&$6"


def test_dollar_signs_in_different_groups_are_no_mathematics() -> None:
    assert plain(r"{costs $5} or {6$ for \'e}") == "costs $5 or 6$ for é"


def test_one_character_that_a_reference_manager_wrote_as_mathematics() -> None:
    assert plain(r"TNF-{$\alpha$}, p $<$ 0.05, {\(\Gamma\)}") == "TNF-α, p < 0.05, Γ"


@pytest.mark.parametrize(
    ("written", "means"),
    [
        (r"\foo{bar} baz", "bar baz"),
        (r"see\footnote{Here.} and \cite{smith}", "see Here.  and smith "),
        (r"\section{Introduction}We", "Introduction We"),
        (r"\odd{Introduction}We", "Introduction We"),
        (r"\frac{a}{b} \odd{a}{b}", "a b a b"),
        (r"\odd[x]{y}", "y"),
        (r"{\acro{PDF}}s", "PDFs"),
        (r"foo\par bar", "foo bar"),
        (r"\'", "'"),
        (r"don\'t, the \"T cells\"", 'don\'t, the "T cells"'),
        (r"\emph{cut", "cut"),
        (r"{cut", "{cut"),
    ],
)
def test_a_macro_that_is_not_known_leaves_its_text_and_nothing_is_glued(written: str, means: str) -> None:
    assert " ".join(plain(written).split()) == " ".join(means.split())


def test_text_without_latex_is_the_same_object() -> None:
    text = "Plain text of 5 % & more."

    assert plain(text) is text


LETTERS = st.sampled_from("aeinoszAEOZ")
MACROS = r"""\' \" \c \v{ \emph{ \textsuperscript{ \foo{ \foo[ \( \) `` '' -- \% \url{ \ensuremath{ \begin{a} $\alpha$ \alpha \ifmmode \else \fi
    http://a/ \i""".split()
PIECES = st.sampled_from([*"abé {}{}$~%&-'`\"\\ \n", *MACROS, "\\o ", "\\textquoteright"])


@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=60)))
def test_any_text_is_read_and_words_are_kept(text: str) -> None:
    result = plain(text)

    assert isinstance(result, str)
    if "\\" not in text and "$" not in text:
        assert [char for char in result if char.isalnum()] == [char for char in text if char.isalnum()]


@given(st.lists(st.tuples(st.sampled_from(["\\'", '\\"', "\\`", "\\^", "\\~", "\\v", "\\c", "\\H", "\\k", "\\u"]), LETTERS), min_size=1, max_size=8))
def test_no_accent_is_left_in_any_notation(accented: list[tuple[str, str]]) -> None:
    texts = [
        "".join(f"{accent}{{{letter}}}" for accent, letter in accented),
        "".join(f"{{{accent} {letter}}}" if accent[1].isalpha() else f"{{{accent}{letter}}}" for accent, letter in accented),
        " ".join(f"x{accent} {{{letter}}}" if accent[1].isalpha() else f"x{accent}{{{letter}}}y" for accent, letter in accented),
    ]

    assert not any(ACCENT_LEFT.search(plain(text)) for text in texts)
    assert plain(texts[0]) == plain(texts[1])


@given(st.text(st.sampled_from("abc éß(),.;:-– \n“”’%&<>=/"), max_size=80))
def test_ordinary_text_is_as_it_was(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert "--" in text or plain(text) == text


LONG = r"{ } $ $x \( \[ \'{ \emph{ \foo{ \foo{}{} \url{ \ensuremath{ - \\ \ifmmode 10.1234/ \textsuperscript{ \foo[a] ``".split()


@pytest.mark.parametrize("piece", [*LONG, "$ ", "\\c ", "\\c" + " " * 500, "\\ifmmode\\else "])
def test_time_grows_with_length_only(piece: str) -> None:
    start = time.process_time()
    plain(piece * (600_000 // len(piece)))

    assert time.process_time() - start < 10  # a second or two; what grows with the square of the length takes hours
