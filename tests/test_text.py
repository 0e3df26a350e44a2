"""Folding with its offsets, words, terms, sentences, short forms and names: by example, and for any text at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text

# what may stand in an abstract: letters of several scripts, digits, marks, white space, TeX, accents, half characters
MESSY = st.text(
    st.one_of(st.sampled_from("abzAZ019 -–\n\t.,;:!?()[]{}<>$*`\\^_%×α²½é\u0301\u00ad\u200b\u2028\ud800😀שﬁ中。"), st.characters()), max_size=120
)
ALMOST_MACROS = st.lists(
    st.sampled_from(["\\alpha", "\\times", "\\left(", "\\textbf{", "<sup>", "</i>", "- ", "at- tention", "10²", " ", "x", "."]), max_size=12
)
ANY_TEXT = st.one_of(MESSY, ALMOST_MACROS.map("".join))


def folded(written: str) -> str:
    return text.fold(written).text


def split(written: str) -> list[str]:
    return [written[start:end] for start, end in text.sentences(written)]


# ----------------------------------------------------------------------------------------------------------------- folding


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("", ""),
        (" \n\t ", ""),
        ("One\u00a0two\u2003three\n\nfour", "one two three four"),
        ("STRASSE Straße İstanbul", "strasse strasse istanbul"),
        ("ﬁne ﬂow ™ №", "fine flow tm no"),
        ("“It’s” ‘new’ – a 3−4 re\u2011run—yes", "\"it's\" 'new' - a 3-4 re-run - yes"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("Fre\u0301chet and Fréchet, x\u0302", "fréchet and fréchet, x"),
        ("5 µm, 5 μm, 𝛼, Ω", "5 mum, 5 mum, alpha, omega"),
        (r"$\alpha$-SVRG, $O(\alpha)$", "alpha-svrg, o(alpha)"),
        (r"from $\tilde{O}(n\cdot k)$ to $\textbf{C}$, $\mathcal{L}$", "from o(n· k) to c, l"),
        (r"$\left( a \leq b \right)$, \ldots, 19\% and a\_b", "( a ≤ b ), ..., 19% and a_b"),
        ("*diverse* and **bold** and `code`", "diverse and bold and code"),
        ('``engines" and H<sub>2</sub>O in <i>vivo</i>, p<0.05', 'engines" and h2o in vivo, p<0.05'),
        ("1.67 × and 1.67× and 30 % and 30%", "1.67× and 1.67× and 30% and 30%"),
        ("a × b", "a × b"),
    ],
)
def test_texts_that_mean_the_same_look_the_same(written: str, compared: str) -> None:
    assert folded(written) == compared


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("gained at- tention", "gained attention"),
        ("expres-\nsivity, mod-\r\nels, archi- \n tectural", "expressivity, models, architectural"),
        ("at\u00ad\ntention, at‐ tention", "attention, attention"),
        # the hyphen belongs to the word
        ("state-of- the-art, state- of-the-art, end-to- end", "state-of-the-art, state-of-the-art, end-to-end"),
        ("SSM- based, non- English", "ssm-based, non-english"),
        # not broken at all
        ("4- and 3-bit", "4- and 3-bit"),
        (
            "inter- and intra-layer, pre- or post-norm, single- to multiple-environment",
            "inter- and intra-layer, pre- or post-norm, single- to multiple-environment",
        ),
        ("a - b, x -y", "a - b, x -y"),
        ("3- fold", "3- fold"),
        ("at-\n\ntention", "at- tention"),
    ],
)
def test_a_word_that_a_pdf_broke_is_whole_and_others_keep_their_hyphen(written: str, compared: str) -> None:
    assert folded(written) == compared


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("10² 10⁻³ 10<sup>5</sup> $10^{2}$", "10^2 10^-3 10^5 10^2"),
        ("2½ 1¼ ½", "2 1/2 1 1/4 1/2"),
        # these are names, and people type them so
        ("CO₂ m² R² CD4⁺ Ca²⁺ 4<sup>th</sup>", "co2 m2 r2 cd4+ ca2+ 4th"),
    ],
)
def test_a_power_or_a_fraction_does_not_run_into_the_number_before(written: str, compared: str) -> None:
    assert folded(written) == compared


def test_a_folded_slice_leads_to_what_was_written() -> None:
    written = "Rank collapse has gained at- tention: $1.67 \\times$."

    def original(wanted: str) -> str:
        one = text.fold(written)
        start = one.text.index(wanted)
        first, last = one.span(start, start + len(wanted))
        return written[first:last]

    assert original("attention") == "at- tention"
    assert original("rank") == "Rank"
    assert original("1.67×") == "1.67 \\times"


@given(ANY_TEXT)
def test_every_folded_character_comes_from_a_slice_of_the_original(written: str) -> None:
    one = text.fold(written)

    assert len(one.text) == len(one.starts) == len(one.ends)
    assert all(0 <= start < end <= len(written) for start, end in zip(one.starts, one.ends, strict=True))
    assert list(one.starts) == sorted(one.starts)
    assert list(one.ends) == sorted(one.ends)


@given(ANY_TEXT)
def test_a_folded_text_has_single_blanks_and_no_capitals(written: str) -> None:
    compared = folded(written)

    assert compared == compared.strip()
    assert "  " not in compared
    assert not any(char.isspace() and char != " " for char in compared)
    assert not any(char.isascii() and char.isupper() for char in compared)


@given(st.text(st.sampled_from("abcXYZéäαΩ019 .,;:!?()\"'“”–—-\n×%"), max_size=80))
def test_folding_a_folded_text_changes_nothing(written: str) -> None:
    assert folded(folded(written)) == folded(written)


@given(st.lists(st.from_regex(r"[a-zA-Z0-9]{1,8}", fullmatch=True), min_size=1, max_size=12), st.data())
def test_the_slice_of_a_word_is_the_word(tokens: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.sampled_from([" ", "  ", "\n", ", ", " (", ") ", "; "])) for _ in tokens]
    written = "".join(token + gap for token, gap in zip(tokens, gaps, strict=True))
    one = text.fold(written)

    found = [written[slice(*one.span(word.start, word.end))] for word in text.words(one.text)]

    assert found == tokens


@given(ANY_TEXT)
def test_nothing_raises_on_any_text(written: str) -> None:
    for word in text.words(folded(written)):
        assert folded(written)[word.start : word.end] == word.text
    assert text.terms(written) == text.terms(written)
    assert text.content_words(written) is not None
    assert isinstance(text.joined(written), str)
    text.acronyms(written)
    text.name_of(written)
    text.is_name(written)
    text.first_words(written)


@pytest.mark.parametrize(
    "unit",
    [
        "We study x. ",
        "(see e.g. Fig. 2 ",
        "we (ABC) ",
        "-\n",
        "$\\alpha",
        "<sup>",
        ". ",
        "A.",
        "x",
        " ",
        "\\",
        "\ud800",
        "e\u0301\u0302",
        "😀 ",
        "שלום. ",
        "a-",
        "a- ",
        "as ",
        "1",
        "1,000",
        "( ",
        ".)",
        "²",
        "we propose ",
        "((((",
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    seconds = reading_time(unit * (100_000 // len(unit)))

    # a quarter of a second; what looks again at all that it has read takes minutes
    assert seconds < 10


def test_a_megabyte_is_read_in_seconds() -> None:
    assert reading_time("We study at- tention (e.g. $\\alpha$-SVRG; see Fig. 2), and propose 3.5 % of x². " * 12_500) < 20


def reading_time(written: str) -> float:
    """Seconds of work to read a text in every way, cold."""
    began = time.process_time()
    text.fold.__wrapped__(written)
    text.sentences.__wrapped__(written)
    text.joined(written)
    text.name_of.__wrapped__(written)
    text.acronyms(written)
    text.terms(written)
    return time.process_time() - began


# --------------------------------------------------------------------------------------------------------- words and terms


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        ("dp-cate's 1.67× gain, 10,000 (32) gpus", ["dp-cate", "1.67", "gain", "10,000", "32", "gpus"]),
        ("gpt-3.5 beats llama3.1-70b v2.0. in 2020.", ["gpt-3.5", "beats", "llama3.1-70b", "v2.0", "in", "2020"]),
        ("don't, o'neil's; --x- _y_", ["don't", "o'neil", "x", "y"]),
        ("3.5-turbo 4-bit", ["3.5", "turbo", "4-bit"]),
        ("naïve fréchet größe 中文 שלום", ["naïve", "fréchet", "größe", "中文", "שלום"]),
        ("!? ... 😀", []),
    ],
)
def test_words(compared: str, expected: list[str]) -> None:
    assert [word.text for word in text.words(compared)] == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("matching", "matches"),
        ("generalisation", "generalization"),
        ("analyse", "analyze"),
        ("analysing", "analyzing"),
        ("behaviour", "behavior"),
        ("neighbourhood", "neighborhood"),
        ("colours", "colors"),
        ("labelled", "labeled"),
        ("fréchet", "frechet"),
        ("naïve", "naive"),
        ("schrödinger", "schrodinger"),
    ],
)
def test_words_that_are_searched_alike(one: str, other: str) -> None:
    assert text.stem(one) == text.stem(other)


@pytest.mark.parametrize(("one", "other"), [("hour", "hor"), ("four", "for"), ("noise", "noize"), ("analysis", "analyze"), ("gpt-3.5", "gpt-3")])
def test_words_that_are_not(one: str, other: str) -> None:
    assert text.word_terms(one) != text.word_terms(other)


def test_pdf_hyphens_do_not_hide_a_word_from_search() -> None:
    assert text.terms("gained at- tention") == text.terms("gained attention")
    assert text.terms("at 4- and 3-bit") == [text.stem("at"), "4", "and", "3bit", "3", "bit"]


def test_a_compound_is_searched_whole_and_by_its_parts() -> None:
    assert text.word_terms("k-means") == ("kmean", "k", "mean")
    assert set(text.word_terms("off-policy")) > set(text.word_terms("policy"))
    assert text.word_terms("kmeans")[0] in text.word_terms("k-means")


# --------------------------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    "sentences",
    [
        # abbreviations
        ("It is fast (e.g. for Fig. 2).", "We use it."),
        ("This is crucial e.g. in safety-critical applications.", "We go on."),
        ("We draw i.i.d. examples from it.", "The set is pruned."),
        ("As Smith et al. (2020) show, it holds.", "See also Smith et al. 2021."),
        ("It follows Smith et al.", "We differ."),
        ("Compare A vs. B, cf. Section 3, and approx. 20 others.", "Yes."),
        ("Models, data sets, etc. are shared.", "Code, data, etc.", "Our code is open."),
        ("The answer is no.", "We show why."),
        ("See Fig. 3, Eq. (4), Sec. 5 and No. 7.", "It works."),
        # decimals, units, initials
        ("It gains 1.67 points, .5 more than 3.", "No loss."),
        ("The loss is 0.05.", "It grows."),
        ("J. Smith and A. B. Jones made it.", "They left."),
        ("We bound the matrix C.", "In this work, it is small."),
        ("It took 24 h.", "Serum was kept at 4 C.", "Then it was used."),
        ("They act on vitamin B.", "This is new."),
        # enumerations
        ("It has three parts.", "1) We compress (i.e. keys).", "2) We train.", "3) We test."),
        ("1. We begin.", "2. We end."),
        ("Our tools are (i) accounting, and (ii) a scheme.", "Both help."),
        # parentheses, quotes
        ("We (see the appendix. It is long) agree.", "Fine."),
        ('He said "it works."', "She left."),
        ("“Is it new?”", "It is."),
        ("We ask ``why?''", "Nobody knows."),
        ("(All of it holds.)", "So be it."),
        # URLs, LaTeX, marks
        ("Code is at https://github.com/a/b.c.", "It runs."),
        ("See www.example.org/x.html?y=1.Z for more.", "Bye."),
        (r"It runs in $O(n. k)$ and gains $1.67 \times$.", r"$\alpha$-SVRG is new."),
        ("The gain is 19\\%.", "``Engines'' run."),
        ("Does it work?!", "Yes...", "It does!"),
        ("It ends in an ellipsis…", "And goes on."),
        # other scripts
        ("これは新しい。", "とても速い。"),
        ("It is α.", "αβ is not.", "Ähnlich gut."),
        ("No full stop at the end", ),
    ],
)  # fmt: skip
def test_hard_sentences(sentences: tuple[str, ...]) -> None:
    gap = "" if sentences[0].endswith("。") else " "

    assert split(gap.join(sentences)) == list(sentences)


@pytest.mark.parametrize(
    "one", ["It is U.S. policy.", "We use St. Petersburg data, Prof. Dr. Who.", "It ends in e.g. The Hague.", "yahoo. com", "At 5 p.m. they left."]
)
def test_what_is_one_sentence(one: str) -> None:
    assert split(one) == [one]


def test_a_blank_line_ends_a_sentence() -> None:
    assert split("A title\n\nThe text, which\ngoes on.") == ["A title", "The text, which\ngoes on."]


@given(ANY_TEXT)
def test_sentences_are_slices_that_hold_every_other_character_in_order(written: str) -> None:
    spans = text.sentences(written)

    at = 0
    for start, end in spans:
        assert at <= start < end
        assert written[at:start].strip() == ""
        assert written[start:end] == written[start:end].strip()
        at = end
    assert written[at:].strip() == ""


# ------------------------------------------------------------------------------------------------------ acronyms and names


def test_acronyms() -> None:
    found = text.acronyms(
        "Mixture of experts (MoE) and large language models (LLMs; many). We use state-of-the-art nets (GANs), (e.g. this) and (NOT)."
    )

    assert found == {"moe": ("mixture", "of", "experts"), "llm": ("large", "language", "models")}


@pytest.mark.parametrize(
    ("abstract", "name"),
    [
        ("We present DP-CATE, a novel framework.", "DP-CATE"),
        ("This paper introduces Intersort, an algorithm.", "Intersort"),
        (r"We name our method $\alpha$-SVRG. It is fast.", "α-SVRG"),
        ("We propose a framework for enhancement, called GenSE.", "GenSE"),
        ("In this paper, we propose Activation Beacon, a plug-in module.", "Activation Beacon"),
        ('We introduce a task, "FTCT" (Fragmented at Training).', "FTCT"),
        ("We propose Con- formal Prediction (SCOPE-Gen), a method.", "SCOPE-Gen"),
        ("Experts (MoE) help. We study them.", None),
        ("We build on variational last layers (VBLLs), and connect them.", None),
        ("We propose an approach that works with BERT.", None),
        ("Rank collapse is a phenomenon.", None),
        ("", None),
    ],
)
def test_the_name_that_an_abstract_gives(abstract: str, name: str | None) -> None:
    assert text.name_of(abstract) == name


def test_first_words() -> None:
    assert text.first_words("One two three.", 3) == "One two three"
    assert text.first_words("One two, three four", 2) == "One two…"
    assert text.first_words("") == ""


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"Gained at- tention with $\alpha$-SVRG, $1.67 \times$ faster", "Gained attention with α-SVRG, 1.67× faster"),
        (r"$\left( a \leq b \right)$ and 19\% of state-of-\nthe-art".replace(r"\n", "\n"), "( a ≤ b ) and 19% of state-of-the-art"),
        ("*diverse* attacks", "diverse attacks"),
        ("half \ud800 a character 😀", "half ? a character 😀"),
    ],
)
def test_what_an_embedding_model_reads(written: str, plain: str) -> None:
    assert text.joined(written) == plain
