"""The citation contract, points 1, 2, 3 and 5: what is a marker, what is text, which sentence a marker belongs to, and streaming equals batch."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering import markers
from rag_qa.answering.citations import CitationParser, Cited, Numbering, parse

SOURCES = range(1, 6)


def parsed(text: str) -> list[tuple[str, tuple[int, ...], tuple[str, ...]]]:
    return [(sentence.text, sentence.numbers, sentence.removed) for sentence in parse(text, SOURCES)]


# ------------------------------------------------------------------------------------------------------ forms of true markers


@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        (" [1]", (1,)),
        (" [ 1 ]", (1,)),
        (" [1, 2]", (1, 2)),
        (" [2,1]", (2, 1)),
        (" [1; 2]", (1, 2)),
        (" [1 and 2]", (1, 2)),
        (" [1, 2, and 4]", (1, 2, 4)),
        (" [1-3]", (1, 2, 3)),
        (" [1–3]", (1, 2, 3)),
        (" [1, 3-5]", (1, 3, 4, 5)),
        (" [3-1]", (1, 2, 3)),
        (" [1][2]", (1, 2)),
        (" [1] [2]", (1, 2)),
        (" [1], [2]", (1, 2)),
        (" [1] and [2]", (1, 2)),
        (" [1]-[3]", (1, 2, 3)),
        (" [1][1]", (1,)),
        (" [1, 1]", (1,)),
        (" [[1]]", (1,)),
        (" [[1], [2]]", (1, 2)),
        (" ([1])", (1,)),
        (" ([1], [2])", (1, 2)),
        (" (see [1])", (1,)),
        (" (e.g., [1, 2])", (1, 2)),
        (" (Source 2)", (2,)),
        (" [Source 2]", (2,)),
        (" [Sources 1 and 2]", (1, 2)),
        (" [Source 1, Source 3]", (1, 3)),
        (" [abstract 4]", (4,)),
        (" [^1]", (1,)),
        (" [#1]", (1,)),
        (" **[1]**", (1,)),
        ("<sup>[1]</sup>", (1,)),
        (" 【1】", (1,)),
        ("【1†source】", (1,)),
        (" ［１，２］", (1, 2)),
        (" 〔2〕", (2,)),
        (r" \[1\]", (1,)),
        ("[1]", (1,)),
    ],
)
@pytest.mark.parametrize("place", ["inside", "after", "in the middle"])
def test_every_form_resolves_before_and_behind_the_full_stop(marker: str, numbers: tuple[int, ...], place: str) -> None:
    if place == "in the middle":
        assert parsed(f"The method is robust{marker}, it seems. Next one.") == [
            ("The method is robust, it seems.", numbers, ()),
            ("Next one.", (), ()),
        ]
        return
    ending = f"{marker}." if place == "inside" else f".{marker}"
    assert parsed(f"The method is robust{ending} Next one.") == [("The method is robust.", numbers, ()), ("Next one.", (), ())]


@pytest.mark.parametrize("ending", ["?", "!", "…", '."', ".)", ".”"])
def test_a_marker_behind_any_end_of_a_sentence_belongs_to_it(ending: str) -> None:
    begin = {'."': '"', ".)": "(", ".”": "“"}.get(ending, "")
    assert parsed(f"{begin}It is fast{ending} [2] It is good. [1]") == [(f"{begin}It is fast{ending}", (2,), ()), ("It is good.", (1,), ())]


def test_words_to_which_a_marker_is_glued_are_no_identifiers() -> None:
    assert parsed("DP-CATE[1] is robust[2], NetMoE[3] gains 1.67×[4] or 95%[5].") == [
        ("DP-CATE is robust, NetMoE gains 1.67× or 95%.", (1, 2, 3, 4, 5), ())
    ]


# ---------------------------------------------------------------------------------------------------------- what only looks so


@pytest.mark.parametrize(
    "text",
    [
        "Values in [0, 1] are usual.",
        "They are scaled to [0, 1], then to [-1, 1] and [0, 255].",
        "It lies in the interval [1, 2] or between [2, 3] and [3, 4].",
        "The odds ratio was 2.1 (95% CI [1, 5]) at a median age of 54 [45-62].",
        "Here x[1] and A[i] and A[i][1] and f(x)[1] and arr[1] and self.rows[2] and x_[1] meet.",
        "It was known [2019] and [2019, 2020] and by [Smith et al., 2020].",
        "As Jones et al. (2021) and Xref 2 and (1) and (2, 3) say.",
        "See [this](https://a.example/1) and [1](https://a.example) and ![2](b.png) and [text][1].",
        "The [1]benzothieno[3,2-b][1]benzothiophene and [18F]FDG and [123]I-MIBG are compounds.",
        "The word rob[1]ust holds one.",
        "Let $x [1]$ and \\(y [2]\\) and `z [3]` and $$a [1]$$ be.",
        "So x = [1] and k ∈ [2] and [3] + y hold.",
        "By Eq. [1] and Fig. [2] it holds.",
        "The matrix [[1, 2], [3, 4]] is square, and [1.5, 2] is not.",
        "A list [ ] or [x] or [a, b] or [1 2] is empty.",
        'It takes {"a": [1]} or "[1]".',
        "It reads data[0] first.",
        "It calls sorted([2, 1]) and f([1]) for i in [1, 2, 3] first.",
        "It took a median of 2 [1-3] days, and mean [SD] days were 5.5 [3] vs 9 [4], or 8 [2-20].",
        "Rat fibroblasts (REF52) and [doc2] are names.",
    ],
)
def test_what_only_looks_like_a_marker_stays_byte_for_byte(text: str) -> None:
    assert parsed(text) == [(text, (), ())]
    assert parsed(text + " It is so [2].") == [(text, (), ()), ("It is so.", (2,), ())]


def test_a_true_marker_beside_text_that_looks_like_one() -> None:
    assert parsed("The values lie in [0, 1] [2].") == [("The values lie in [0, 1].", (2,), ())]
    assert parsed("The values lie in [0, 1][2].") == [("The values lie in [0, 1].", (2,), ())]
    assert parsed("Here x[1] is `y[2]` as said [3].") == [("Here x[1] is `y[2]` as said.", (3,), ())]


def test_brackets_of_another_script_are_markers_even_between_letters() -> None:
    assert parsed("【2】Robust it is【1】and new【3】. Fast.【4】Good.") == [
        ("Robust it is and new.", (2, 1, 3), ()),
        ("Fast.", (4,), ()),
        ("Good.", (), ()),
    ]


def test_money_is_no_maths() -> None:
    assert parsed("It costs $5 [1] and not $6 [2].") == [("It costs $5 and not $6.", (1, 2), ())]


# ---------------------------------------------------------------------------------------------- sources that do not exist


@pytest.mark.parametrize(
    ("text", "left", "numbers", "removed"),
    [
        ("Fake [7].", "Fake.", (), ("[7]",)),
        ("Fake. [7]", "Fake.", (), ("[7]",)),
        ("Fake ([7]).", "Fake.", (), ("[7]",)),
        ("Fake (see [7]).", "Fake.", (), ("[7]",)),
        ("Fake (source: [7]), it is.", "Fake, it is.", (), ("[7]",)),
        ("Fake [0].", "Fake.", (), ("[0]",)),
        ("Fake [-1].", "Fake.", (), ("[-1]",)),
        ("Half [1, 7].", "Half.", (1,), ("[7]",)),
        ("Half [7][1].", "Half.", (1,), ("[7]",)),
        ("Half [4-6].", "Half.", (4, 5), ("[6]",)),
        ("Far [1-99].", "Far.", (), ("[1-99]",)),
        ("Fake [7] [7].", "Fake.", (), ("[7]",)),
        ("Fake 【7】 and on.", "Fake and on.", (), ("[7]",)),
        ("Fake **[7]**.", "Fake.", (), ("[7]",)),
    ],
)
def test_a_marker_for_no_source_goes_without_a_trace_and_is_reported(
    text: str, left: str, numbers: tuple[int, ...], removed: tuple[str, ...]
) -> None:
    assert parsed(text) == [(left, numbers, removed)]


def test_with_no_source_at_all_every_marker_is_removed() -> None:
    assert parse("Fake [1].", ()) == [Cited("Fake.", (), ("[1]",))]


# ------------------------------------------------------------------------------------------------- markers as words of a sentence


@pytest.mark.parametrize(
    ("text", "left", "numbers"),
    [
        ("As shown in [1], it works.", "As shown in this paper, it works.", (1,)),
        ("As shown in [1, 2], it works.", "As shown in these papers, it works.", (1, 2)),
        ("In [1, 2], it works.", "In these papers, it works.", (1, 2)),
        ("According to [3], it works.", "According to this paper, it works.", (3,)),
        ("[2] proposes it.", "This paper proposes it.", (2,)),
        ("[1] and [2] propose it.", "These papers propose it.", (1, 2)),
        ("The gain of [1]'s method is big.", "The gain of this paper's method is big.", (1,)),
        ("It is fast, whereas [2] uses more.", "It is fast, whereas this paper uses more.", (2,)),
        ("In contrast, [2] uses more.", "In contrast, this paper uses more.", (2,)),
        ("It relies on [1, 2].", "It relies on these papers.", (1, 2)),
        ("According to [9], it works.", "According to an unknown source, it works.", ()),
    ],
)
def test_a_marker_that_is_a_word_of_its_sentence_leaves_a_word(text: str, left: str, numbers: tuple[int, ...]) -> None:
    assert [(sentence.text, sentence.numbers) for sentence in parse(text, SOURCES)] == [(left, numbers)]


def test_a_marker_behind_a_full_stop_that_begins_the_next_sentence() -> None:
    assert parsed("It is fast. [2] proposes more. [1]") == [("It is fast.", (), ()), ("This paper proposes more.", (2, 1), ())]


def test_an_abbreviation_before_a_marker_ends_no_sentence() -> None:
    assert parsed("Smith et al. [1] show it. It holds (cf. [2]).") == [("Smith et al. show it.", (1,), ()), ("It holds.", (2,), ())]


# ------------------------------------------------------------------------------------------------------------------ layout


def test_lists_lines_and_headings_are_layout() -> None:
    text = "## Answer\nIt does two things [1]:\n\n- it is fast [2]\n- it is *good* [3]\n1. First one.\n2) Second one [4]\nIt ends\nhere [5]."
    assert parsed(text) == [
        ("It does two things:", (1,), ()),
        ("it is fast", (2,), ()),
        ("it is *good*", (3,), ()),
        ("First one.", (), ()),
        ("Second one", (4,), ()),
        ("It ends here.", (5,), ()),
    ]


def test_line_ends_of_windows() -> None:
    assert parsed("It is\r\nfast [1]\r\nIt is good.\r\n\r\n- [2] It is new.\r\n\r\nSources:\r\n[1] A") == [
        ("It is fast", (1,), ()),
        ("It is good.", (), ()),
        ("It is new.", (2,), ()),
    ]


def test_a_number_that_begins_a_text_is_not_taken_for_a_bullet() -> None:
    assert parsed("12. [1]") == [("12.", (1,), ())]
    assert parsed("1. It is fast [1].\n2. It is good.") == [("It is fast.", (1,), ()), ("It is good.", (), ())]


def test_markers_in_front_of_their_sentences() -> None:
    assert parsed("[1] It is fast. [2] It is good.") == [("It is fast.", (1,), ()), ("It is good.", (2,), ())]
    assert parsed("[1]: It is fast.\n[2]: It is good.") == [("It is fast.", (1,), ()), ("It is good.", (2,), ())]


def test_a_list_of_references_is_not_part_of_the_answer() -> None:
    for heading in ("References:", "**Sources**", "### Sources", "SOURCES:"):
        assert parsed(f"It is fast [1].\n\n{heading}\n[1] DP-CATE. 2025.\n[7] Invented.") == [("It is fast.", (1,), ())]
    assert parsed("It is fast. Sources: [1], [2].") == [("It is fast.", (1, 2), ())]
    assert parsed("It is fast.\nSource: [1]\n\nIt is good [2].") == [("It is fast.", (1,), ()), ("It is good.", (2,), ())]


def test_doubled_punctuation_does_not_stay() -> None:
    assert parsed("It is fast. [1]. It is good, [2], and more [3] .") == [("It is fast.", (1,), ()), ("It is good, and more.", (2, 3), ())]


def test_nothing_but_markers_or_blanks_is_no_sentence() -> None:
    assert parsed("") == parsed("  \n ") == parsed("[1]") == parsed("[1] [7].\n") == []


def test_scripts_without_blanks() -> None:
    assert parsed("これは速い【1】。とても良い[2]。") == [("これは速い。", (1,), ()), ("とても良い。", (2,), ())]


# --------------------------------------------------------------------------------------------------------------- numbering


def test_numbers_run_in_reading_order_without_a_gap() -> None:
    numbering = Numbering()
    assert [numbering.renumber(sentence.numbers) for sentence in parse("A thing [4]. A thing [2, 4]. A thing [5][2].", SOURCES)] == [
        (1,),
        (2, 1),
        (3, 2),
    ]
    assert numbering.order == [4, 2, 5]


# --------------------------------------------------------------------------------------------------------------- streaming

MARKS = ["[1]", "[2]", "[7]", "[1, 2]", "[1][3]", "[0, 1]", "【2】", "([1])", "(see [2])", "[2019]", "x[1]", "[1-3]", "$y [1]$", "`z. [2]`", "[1](u)"]
WORDS = [
    "Robust",
    "methods",
    "are",
    "fast",
    "et al.",
    "e.g.",
    "in",
    "and",
    "The",
    "NetMoE",
    "1.67×",
    "Sources:",
    "(a",
    "b)",
    "α-SVRG",
    "3.5",
    "$5",
    "-",
]
ENDS = [". ", "? ", ".", "\n", "\n\n", "\n- ", ".\n", ", ", " ", " ", " ", "", "。"]
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS + MARKS), st.sampled_from(ENDS)), max_size=40).map(lambda parts: "".join(a + b for a, b in parts))


@st.composite
def cut_texts(draw: st.DrawFn) -> list[str]:
    """A text with markers anywhere, cut anywhere (into empty pieces too)."""
    text = draw(TEXTS | st.text(st.sampled_from(list("[]()1237,;-. \nabAB$`*。")), max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(cut_texts())
def test_streaming_equals_batch(pieces: list[str]) -> None:
    parser = CitationParser(SOURCES)
    streamed = [sentence for piece in pieces for sentence in parser.feed(piece)] + parser.close()
    assert streamed == parse("".join(pieces), SOURCES)


@given(cut_texts(), st.integers(0, 12))
def test_what_is_finished_does_not_change_by_what_follows(pieces: list[str], kept: int) -> None:
    begun = CitationParser(SOURCES)
    finished = [sentence for piece in pieces[:kept] for sentence in begun.feed(piece)]
    assert parse("".join(pieces), SOURCES)[: len(finished)] == finished


@given(TEXTS)
def test_sentences_are_clean(text: str) -> None:
    sentences = parse(text, SOURCES)
    for sentence in sentences:
        assert sentence.text == sentence.text.strip() != ""
        assert set(sentence.numbers) <= set(SOURCES)
        assert not set(sentence.removed) & {f"[{n}]" for n in SOURCES}
        assert "()" not in sentence.text
        assert "【" not in sentence.text or set(text) & set("$`")


@given(
    st.lists(
        st.lists(st.sampled_from(["robust", "methods", "are", "fast", "NetMoE", "gains", "1.67×"]), min_size=2, max_size=8), min_size=1, max_size=5
    ),
    st.data(),
)
def test_a_marker_may_stand_behind_any_word(sentences: list[list[str]], data: st.DataObject) -> None:
    """Against an oracle: the words of each sentence stay as they are, and its markers, wherever they stand, are its citations."""
    texts, expected = [], []
    for words in sentences:
        places = sorted(data.draw(st.sets(st.integers(0, len(words) - 1), max_size=3)))
        numbers = {place: data.draw(st.integers(1, 7)) for place in places}
        glue = {place: data.draw(st.sampled_from([" ", "  "])) for place in places}
        begin = ["It", *words]
        marked = "It " + " ".join(word + (f"{glue[i]}[{numbers[i]}]" if i in numbers else "") for i, word in enumerate(words)) + "."
        texts.append(marked)
        in_order = [numbers[place] for place in places]
        expected.append(
            (
                " ".join(begin) + ".",
                tuple(dict.fromkeys(n for n in in_order if n in SOURCES)),
                tuple(dict.fromkeys(f"[{n}]" for n in in_order if n not in SOURCES)),
            )
        )
    assert parsed(" ".join(texts)) == expected


def test_a_sentence_comes_out_as_soon_as_the_next_has_begun() -> None:
    parser = CitationParser(SOURCES)
    assert parser.feed("It is fast.") == []
    assert parser.feed(" [1") == []
    assert parser.feed("] ") == []
    assert parser.feed("It ") == [Cited("It is fast.", (1,))]
    assert parser.feed("is (for now) good [2].") == []
    assert parser.close() == [Cited("It is (for now) good.", (2,))]


# ----------------------------------------------------------------------------------------------------------------- defusing


def test_markers_in_an_abstract_are_defused_and_nothing_else_is_touched() -> None:
    text = "As shown [12, 3], x[1] lies in [0, 1] 【4】; see [5](https://a.example) and $y [1]$."
    assert markers.defuse(text) == "As shown (12, 3), x[1] lies in [0, 1] (4); see [5](https://a.example) and $y [1]$."
    assert markers.defuse("No marker here.") == "No marker here."


@given(TEXTS)
def test_defused_text_keeps_its_words(text: str) -> None:
    assert re.findall(r"\w+", markers.defuse(text)) == re.findall(r"\w+", text)
