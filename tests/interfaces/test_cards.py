"""The page's HTML: what is marked, what is folded away, where the anchors lead, and that nothing foreign is carried out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Usage, Verdict
from rag_qa.answering.composing import BEFORE_THIS
from rag_qa.engine import EVERY_PAPER, Scope
from rag_qa.interfaces import answer_exports, cards
from rag_qa.interfaces.cards import Failure, Turn
from rag_qa.papers import Origin, Paper
from rag_qa.retrieval.filters import NOT_NARROWED, Filters, Narrowing
from rag_qa.text import Span
from tests.fakes import MOSS, PAPERS, TIDE, WOLF, answer_to, evidence, supported

LONG = "We begin here. " + "Nothing of this matters much. " * 30 + "The yield rose by 12%. " + "More of no use. " * 40 + "It never fell. The end."
FIELD = Paper("p9", LONG, venue="ICLR", year=2025, origins=(Origin("seeds/field.txt", 7),))

VOID = {"br", "path", "circle", "meta", "link", "input"}


@dataclass
class Node:
    """An element, or (tag "") a piece of text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    content: str = ""

    @property
    def text(self) -> str:
        return self.content + "".join(child.text for child in self.children)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name: str) -> list[Node]:
        """Elements of a tag, or (with a dot) of a class."""
        if name.startswith("."):
            return [node for node in self.walk() if name[1:] in node.attributes.get("class", "").split()]
        return [node for node in self.walk() if node.tag == name]


class Tree(HTMLParser):
    """HTML as a browser reads it, for the well-formed HTML that we write."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root")
        self._open = [self.root]
        self.feed(html)
        self.close()
        assert self._open == [self.root], "an element is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(Node("", content=data))

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def tree(html: str) -> Node:
    return Tree(html).root


def asked(question: str, *, number: int = 1, understood_as: str = "") -> Turn:
    """A turn that the fake engine has answered."""
    return Turn(number, question, answer=answer_to(question, understood_as or question))


# -------------------------------------------------------------------------------------------------------------------- text


@given(st.text())
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    shown = tree(f"<p>{cards.escape(text)}</p>")
    assert [node.tag for node in shown.walk() if node.tag] == ["root", "p"]
    assert shown.text.encode("utf-8") == re.sub("[\ud800-\udfff\x00]", "\ufffd", text).encode("utf-8")


@given(st.text())
def test_escaped_text_stays_inside_its_attribute(text: str) -> None:
    (button,) = tree(f'<button data-question="{cards.escape(text)}">x</button>').find("button")
    assert list(button.attributes) == ["data-question"]
    assert button.attributes["data-question"] == re.sub("[\ud800-\udfff\x00]", "\ufffd", text)


# ------------------------------------------------------------------------------------------------------------------- marks


def test_the_mark_is_the_evidence_letter_by_letter() -> None:
    proof = evidence(1, TIDE, "a model of tides that is 1.5× faster than its rivals")
    card = tree(cards.card_html(Source(TIDE, 0.9, 1), [proof], "t1-s1"))
    assert [mark.text for mark in card.find("mark")] == [TIDE.abstract[proof.start : proof.end]]
    assert card.find(".rq-abstract")[0].find("p")[0].text == TIDE.abstract


def test_overlapping_evidence_is_one_mark_and_touching_evidence_two() -> None:
    spans = cards.merged_spans([Evidence(1, 0, 5, ""), Evidence(1, 5, 9, ""), Evidence(1, 7, 12, ""), Evidence(1, 0, 5, "")], 20)
    assert spans == [Span(0, 5), Span(5, 12)]


def test_evidence_outside_the_abstract_is_not_marked() -> None:
    assert cards.merged_spans([Evidence(1, 3, 3, ""), Evidence(1, -2, 4, ""), Evidence(1, 5, 21, ""), Evidence(1, 9, 8, "")], 20) == []


@given(st.text(alphabet="ab <&.\n", max_size=1500), st.lists(st.tuples(st.integers(0, 1500), st.integers(1, 90)), max_size=5))
def test_a_card_holds_the_whole_abstract_and_shows_every_mark(abstract: str, places: list[tuple[int, int]]) -> None:
    marks = cards.merged_spans([Evidence(1, start, start + length, "") for start, length in places], len(abstract))
    shown = tree(cards.abstract_html(abstract, marks, "c"))
    assert shown.find("p")[0].text == abstract
    assert [mark.text for mark in shown.find("mark")] == [abstract[start:end] for start, end in marks]
    assert not [mark for fold in shown.find(".rq-fold") for mark in fold.find("mark")]
    assert bool(shown.find("details")) == bool(shown.find(".rq-fold"))


def test_a_long_abstract_is_folded_around_its_evidence_and_can_be_opened() -> None:
    proof = evidence(1, FIELD, "The yield rose by 12%.")
    card = tree(cards.card_html(Source(FIELD, 0.9, 1), [proof], "t1-s1"))
    folded = "".join(fold.text for fold in card.find(".rq-fold"))
    assert len(folded) > len(LONG) / 2
    assert "We begin here" in folded
    assert card.find("summary")[0].text == "Show the whole abstractShow less"
    visible = "".join(node.text for node in card.find(".rq-abstract")[0].find("p")[0].children if node.attributes.get("class") != "rq-fold")
    assert "matters much. The yield rose by 12%. More of no use." in visible
    assert not visible[0].isspace()


def test_a_short_abstract_is_shown_whole() -> None:
    card = tree(cards.card_html(Source(TIDE, 0.9, 1), [evidence(1, TIDE, "TIDE-7")], "t1-s1"))
    assert not card.find("details")
    assert not card.find(".rq-fold")


def test_a_cited_abstract_without_evidence_shows_its_beginning() -> None:
    card = tree(cards.card_html(Source(FIELD, 0.9, 1), [], "t1-s1"))
    assert not card.find("mark")
    assert card.find("p")[-1].children[0].text.startswith("We begin here. Nothing of this")


# ------------------------------------------------------------------------------------------------------------------- cards


def test_a_card_says_what_the_paper_is_and_where_it_was_read() -> None:
    card = tree(cards.card_html(Source(MOSS, 0.9, 2), [], "t1-s2"))
    assert card.find(".rq-n")[0].text == "2"
    assert card.find("h4")[0].text == "Moss under snow"
    assert card.find(".rq-meta")[0].text == "A. Bryo, C. Sphag · Bog Letters 2021 · doi:10.1000/moss · land.txt:5"
    assert card.find("a")[0].attributes["href"] == "https://doi.org/10.1000/moss"


def test_a_card_without_title_takes_the_label_and_names_every_place() -> None:
    card = tree(cards.card_html(Source(TIDE, 0.9, 1), [], "t1-s1"))
    assert card.find("h4")[0].text == TIDE.label == "TIDE-7"
    assert card.find(".rq-meta")[0].text == "ICLR 2024 · sea.txt:3 · water.txt:9"


def test_a_long_path_is_shortened_and_can_be_read_in_full() -> None:
    origin = Origin("/home/reader/" + "deep/" * 20 + "papers.txt", 12)
    (place,) = tree(cards.card_html(Source(replace(TIDE, origins=(origin,)), 0.9, 1), [], "c")).find(".rq-place")
    assert place.text == "…/papers.txt:12"
    assert place.attributes["title"] == str(origin)


def test_many_places_are_counted() -> None:
    origins = tuple(Origin("a.txt", line) for line in range(1, 8))
    assert tree(cards.card_html(Source(replace(TIDE, origins=origins), 0.9, 1), [], "c")).find(".rq-meta")[0].text.endswith("a.txt:3 · and 4 more")


def test_an_identifier_cannot_leave_its_registry() -> None:
    paper = replace(MOSS, doi='10.1/x"><b>/?q=1#f@evil', arxiv="javascript:alert(1)", url="javascript:alert(2)")
    hrefs = [link.attributes["href"] for link in tree(cards.card_html(Source(paper, 0.9, 1), [], "c")).find("a")]
    assert hrefs == ["https://doi.org/10.1/x%22%3E%3Cb%3E/%3Fq%3D1%23f%40evil", "https://arxiv.org/abs/javascript:alert(1)"]


# ----------------------------------------------------------------------------------------------------------------- answers


def test_a_marker_leads_to_its_card_and_to_the_evidence_of_its_sentence() -> None:
    turn = tree(cards.turn_html(asked("Compare tide and moss")))
    markers = turn.find(".rq-marker")
    assert [(marker.text, marker.attributes["aria-label"]) for marker in markers[:2]] == [
        ("[1]", "Source 1: TIDE-7"),
        ("[2]", "Source 2: Moss under snow"),
    ]
    ids = {node.attributes["id"]: node for node in turn.walk() if "id" in node.attributes}
    assert all(marker.attributes["href"][1:] in ids for marker in markers)
    evidence_of = [ids[marker.attributes["data-mark"]].text for marker in markers]
    assert evidence_of == ["a model of tides that is 1.5× faster than its rivals", "moss grew by 12% a year", "TIDE-7", "In our study of 40 bogs"]


def test_the_answer_reads_as_it_is_copied() -> None:
    turn = asked("Compare tide and moss")
    paragraphs = [paragraph.text for paragraph in tree(cards.turn_html(turn)).find(".rq-answer")[0].find("p")]
    assert turn.answer is not None
    assert " ".join(paragraphs) == turn.answer.text
    assert len(paragraphs) == 2  # a sentence with a lead begins a new one


def test_no_anchor_is_there_twice() -> None:
    turns = [asked("Compare tide and moss", number=1), asked("Compare tide and moss", number=2), asked("What is missing?", number=3), unfinished(4)]
    ids = [node.attributes["id"] for node in tree("".join(map(cards.turn_html, turns))).walk() if "id" in node.attributes]
    assert len(ids) == len(set(ids)) > 10


@pytest.mark.parametrize("status", [status for status in Status if status not in (Status.SUPPORTED, Status.RECORD)])
def test_a_sentence_that_does_not_hold_says_so_and_why(status: Status) -> None:
    sentence = Sentence("It flies.", (1,), Verdict(status, why="the abstract says that it swims"))
    flag = tree(cards.sentence_html(sentence, Turn(1, "q"))).find(".rq-flag")
    assert [node.text for node in flag] == [f"{cards.FLAGS[status]}: the abstract says that it swims"]


def test_a_marker_that_was_taken_out_is_named() -> None:
    flags = [flag.text for flag in tree(cards.turn_html(asked("Invent something"))).find(".rq-flag")]
    assert flags == ["Not backed by its source: 9× does not stand in [1]", "Cites no source: there is no source [7]"]


def test_a_sentence_that_holds_has_no_flag_and_a_remark_is_only_a_note() -> None:
    assert not tree(cards.turn_html(asked("tide"))).find(".rq-flag")
    noted = Sentence("It flies.", (1,), Verdict(Status.SUPPORTED, why="rounded from 1.49"))
    assert tree(cards.sentence_html(noted, Turn(1, "q"))).find(".rq-flag")[0].text == "Note: rounded from 1.49"


def test_below_an_answer_stand_its_notice_the_check_and_the_writer() -> None:
    invented = tree(cards.turn_html(asked("Invent something")))
    assert invented.find(".rq-notice")[0].text == "The reply was cut short."
    assert (
        invented.find(".rq-check")[0].text
        == "1 of 3 sentences backed by a source; see the flags.Written by tiny-chat · 120 tokens read, 9 written, cost unknown"
    )
    assert tree(cards.turn_html(asked("tide"))).find(".rq-check")[0].text == "Backed by the passage marked below.The abstracts’ own sentences"


@pytest.mark.parametrize(
    ("model", "usage", "said"),
    [
        ("tiny-chat", None, "Written by tiny-chat · cost unknown"),
        ("tiny-chat", Usage(12, 3, 0.0021), "Written by tiny-chat · 12 tokens read, 3 written, $0.0021"),
        ("extractive", None, "The abstracts’ own sentences"),
        ("extractive", Usage(12), "The abstracts’ own sentences · a chat model was asked: 12 tokens read, cost unknown"),
    ],
)
def test_who_wrote_an_answer_and_what_it_cost(model: str, usage: Usage | None, said: str) -> None:
    answer = replace(answer_to("tide", "tide"), model=model, usage=usage)
    assert tree(cards.turn_html(Turn(1, "tide", answer=answer))).find(".rq-writer")[0].text == said


def actions(turn: Turn) -> list[str]:
    """What can be done with an answer."""
    return [node.text for found in tree(cards.turn_html(turn)).find(".rq-actions") for node in found.find("button")]


FILES = ["Markdown", "HTML", "JSON", "BibTeX", "RIS"]


def test_an_answer_can_be_longer_and_be_saved() -> None:
    answer = answer_to("tide", "tide")
    turn = Turn(3, "tide", answer=answer)
    assert actions(turn) == ["Longer answer", *FILES]
    assert actions(replace(turn, is_longer=True)) == FILES
    assert actions(replace(turn, counts=False)) == FILES
    assert actions(replace(turn, answer=replace(answer, preface="1 of 3 papers:"))) == FILES
    summary = replace(answer, understood_as="summarise what these papers say about tides")
    assert actions(replace(turn, answer=summary)) == FILES
    assert actions(replace(turn, answer=replace(summary, model="tiny-chat"))) == ["Longer answer", *FILES]
    assert actions(replace(turn, answer=answer_to("moon", "moon"))) == ["Markdown", "HTML", "JSON"]  # it cites nothing
    assert actions(replace(turn, answer=None, sentences=answer.sentences)) == []
    (saved,) = tree(cards.turn_html(turn)).find(".rq-formats")
    assert [(node.attributes["data-format"], node.attributes["data-turn"]) for node in saved.find("button")] == [
        (name, "3") for name, _ in cards.FORMATS
    ]


def test_a_longer_answer_says_that_it_is_one() -> None:
    turn = Turn(1, "tide", is_longer=True, status="Looking…")
    assert tree(cards.turn_html(turn)).find(".rq-understood")[0].text == "A longer answer"


def paragraphs(*sentences: Sentence) -> list[str]:
    return [node.text for node in tree(cards.turn_html(Turn(1, "q", sentences=sentences))).find(".rq-answer")[0].find("p")]


def test_each_paper_that_speaks_for_itself_has_a_paragraph() -> None:
    tides = "An extension uses ridges.", "Coastal floods are hard to foresee."
    one, two = (supported(words, evidence(1, TIDE, words)) for words in tides)
    moss = supported("Mosses store carbon.", evidence(2, MOSS, "Mosses store carbon."))
    assert paragraphs(one, replace(two, lead=BEFORE_THIS), moss) == [
        "An extension uses ridges. [1] [said just before:] Coastal floods are hard to foresee. [1]",
        "Mosses store carbon. [2]",
    ]
    assert len(paragraphs(one, replace(moss, lead="Moss:"))) == 2
    # a model goes from paper to paper in one breath
    assert len(paragraphs(replace(one, text="It uses ridges."), replace(moss, text="Carbon is stored."))) == 1


def test_every_format_of_exports_is_offered_and_no_other() -> None:
    assert [name for name, _ in cards.FORMATS] == list(answer_exports.WRITERS)


@pytest.mark.parametrize(("understood", "shown"), [("What is TIDE-7?", True), ("what is  it", False), ("What is it?", False), ("", False)])
def test_the_question_as_understood_is_shown_when_it_differs(understood: str, shown: bool) -> None:
    turn = tree(cards.turn_html(Turn(1, "What is it?", status="Looking…", understood_as=understood)))
    assert turn.find(".rq-understood")[0].text == (f"Understood as {understood}" if shown else "")


def test_a_very_long_question_is_cut() -> None:
    heading = tree(cards.turn_html(Turn(1, "why " * 20_000))).find("h2")[0].text
    assert len(heading) < 700
    assert heading.endswith("why… (80,000 characters in all)")


def test_a_refusal_says_what_is_missing_and_cites_nothing() -> None:
    turn = tree(cards.turn_html(asked("Who was the first?")))
    (refusal,) = turn.find(".rq-refusal")
    assert refusal.find("h3")[0].text == "Not answered by these papers"
    assert refusal.find("p")[0].text == "None of the papers says this."
    assert refusal.find("h4")[0].text == "Related, does not answer this"
    assert [near.find("summary")[0].text for near in refusal.find(".rq-near")] == ["Moss under snow"]
    assert not [*turn.find("mark"), *turn.find(".rq-marker"), *turn.find(".rq-card"), *turn.find(".rq-check")]


def test_a_greeting_is_no_refusal() -> None:
    friendly = "Hello! Ask me anything about the papers in this library."
    turn = tree(cards.turn_html(Turn(1, "Hello!", answer=Answer("Hello!", "Hello!", abstained=friendly))))
    assert turn.find(".rq-answer")[0].text == friendly
    assert not turn.find(".rq-refusal")


def test_papers_near_an_answer_are_listed_apart_from_its_sources() -> None:
    answer = replace(answer_to("tide", "tide"), related=(Source(MOSS, 0.2), Source(WOLF, 0.1)))
    (also,) = tree(cards.turn_html(Turn(1, "tide", answer=answer))).find(".rq-also")
    assert also.find("h3")[0].text == "Related, not cited"
    assert [near.find("summary")[0].text for near in also.find(".rq-near")] == [MOSS.label, WOLF.label]
    assert not also.find("mark")


def unfinished(number: int = 1) -> Turn:
    """An answer that broke off after two sentences."""
    answer = answer_to("Compare tide and moss", "Compare tide and moss")
    return Turn(number, "Compare tide and moss", sentences=answer.sentences[:2], failure=Failure("the server fell silent", retryable=True))


def test_what_came_before_a_failure_stays_with_its_evidence() -> None:
    turn = tree(cards.turn_html(unfinished()))
    assert turn.find(".rq-answer")[0].text.startswith("TIDE-7 is 1.5× faster than its rivals. [1]")
    assert turn.find(".rq-failure")[0].find("p")[0].text == "the server fell silent"
    assert turn.find("button")[0].attributes["data-question"] == "Compare tide and moss"
    ids = {node.attributes["id"] for node in turn.find(".rq-card")}
    assert {marker.attributes["href"][1:] for marker in turn.find(".rq-marker")} == ids
    assert [mark.text for mark in turn.find("mark")] == ["a model of tides that is 1.5× faster than its rivals", "moss grew by 12% a year"]


def test_asking_again_is_offered_only_where_it_may_help() -> None:
    assert "Ask again" not in cards.failure_html(Failure("the key is wrong"), Turn(1, "q"))


def test_the_parts_of_a_turn_keep_their_places_while_it_grows() -> None:
    def parts(turn: Turn) -> list[str]:
        return [node.attributes["class"] for node in tree(cards.turn_html(turn)).children[0].children]

    stages = [Turn(1, "q", status="Looking…"), Turn(1, "q", status="…", understood_as="Q"), unfinished(), asked("tide"), Turn(1, "q", stopped=True)]
    assert [parts(stage) for stage in stages] == [["rq-question", "rq-understood", "rq-answer", "rq-status", "rq-after"]] * len(stages)


# -------------------------------------------------------------------------------------------------------------------- filters

SINCE = Narrowing(Filters(year_from=2023), ("since 2023",))
CHOSEN = Filters(venue="ICLR")
BOTH = Narrowing(Filters(year_from=2023, venue="ICLR"), ("since 2023",))


def narrowed(narrowing: Narrowing, scope: Scope = EVERY_PAPER, *, question: str = "tide") -> Node:
    """A turn that was answered under filters."""
    return tree(cards.turn_html(Turn(3, question, scope, answer=replace(answer_to(question, question), narrowing=narrowing))))


def buttons(turn: Node) -> list[tuple[str, str, str]]:
    """(text, what it takes back, in place of which turn) of the buttons that ask again."""
    return [(button.text, button.attributes["data-undo"], button.attributes["data-turn"]) for button in turn.find(".rq-undo")]


@pytest.mark.parametrize(
    ("narrowing", "scope", "said", "undo"),
    [
        (NOT_NARROWED, EVERY_PAPER, "", []),
        (
            SINCE,
            EVERY_PAPER,
            "Only papers from 2023 on as the question says: “since 2023” Search all papers",
            [("Search all papers", "question", "3")],
        ),
        (Narrowing(CHOSEN), Scope(CHOSEN), "Only papers in ICLR as chosen in the filters ", []),
        (
            BOTH,
            Scope(CHOSEN),
            "Only papers from 2023 on as the question says: “since 2023”, in ICLR as chosen in the filters Ignore “since 2023”",
            [("Ignore “since 2023”", "question", "3")],
        ),
        (NOT_NARROWED, Scope(reads_filters=False), "All papers whatever the question says of them", []),
        (Narrowing(CHOSEN), Scope(CHOSEN, reads_filters=False), "Only papers in ICLR as chosen in the filters ", []),
    ],
)
def test_an_answer_says_what_narrowed_it_and_how_to_take_that_back(
    narrowing: Narrowing, scope: Scope, said: str, undo: list[tuple[str, str, str]]
) -> None:
    turn = narrowed(narrowing, scope)
    assert turn.find(".rq-understood")[0].text == said
    assert buttons(turn) == undo
    assert all(button.attributes["data-question"] == "tide" for button in turn.find(".rq-undo"))


def test_years_from_the_question_and_from_the_filters_are_told_apart() -> None:
    turn = narrowed(Narrowing(Filters(year_from=2020, year_to=2023), ("until 2023",)), Scope(Filters(year_from=2020)))
    assert [chip.text for chip in turn.find(".rq-chip")] == ["up to 2023", "from 2020 on"]


def test_what_narrows_is_shown_while_the_answer_comes_with_a_button_that_waits() -> None:
    coming = tree(cards.turn_html(Turn(1, "tide", status="Searching…", narrowing=SINCE))).find(".rq-narrowed")[0]
    there = narrowed(SINCE).find(".rq-narrowed")[0]
    assert coming.text == there.text
    assert ["disabled" in node.find("button")[0].attributes for node in (coming, there)] == [True, False]


@pytest.mark.parametrize(
    ("narrowing", "scope", "offered"),
    [
        (SINCE, EVERY_PAPER, [("Search all papers", "question", "3")]),
        (BOTH, Scope(CHOSEN), [("Ignore “since 2023”", "question", "3"), ("Clear the filters and ask again", "filters", "3")]),
        (Narrowing(CHOSEN), Scope(CHOSEN), [("Clear the filters and ask again", "filters", "3")]),
        (Narrowing(CHOSEN), Scope(CHOSEN, reads_filters=False), [("Clear the filters and ask again", "filters question", "3")]),
        (NOT_NARROWED, EVERY_PAPER, []),
    ],
)
def test_a_refusal_offers_to_ask_more_papers(narrowing: Narrowing, scope: Scope, offered: list[tuple[str, str, str]]) -> None:
    turn = narrowed(narrowing, scope, question="Who was the first?")
    assert buttons(turn) == buttons(turn.find(".rq-refusal")[0]) == offered


def test_asking_again_after_a_failure_keeps_what_was_taken_back() -> None:
    failed = Failure("down", retryable=True)
    assert "data-undo" not in cards.failure_html(failed, Turn(1, "q"))
    assert 'data-undo="question"' in cards.failure_html(failed, Turn(1, "q", Scope(reads_filters=False)))


# --------------------------------------------------------------------------------------------------------------- many sources


def many(count: int) -> Node:
    """A turn whose answer cites as many papers."""
    papers = [replace(TIDE, id=f"p{n}") for n in range(1, count + 1)]
    verdicts = [Verdict(Status.SUPPORTED, (evidence(n, TIDE, "TIDE-7"),)) for n in range(1, count + 1)]
    sentences = tuple(Sentence("TIDE-7 is fast.", (n,), verdict, lead=f"Paper {n}:") for n, verdict in enumerate(verdicts, 1))
    answer = Answer("q", "q", sentences, tuple(Source(paper, 0.5, n) for n, paper in enumerate(papers, 1)))
    return tree(cards.turn_html(Turn(1, "q", answer=answer)))


def test_the_later_ones_of_many_sources_are_folded_away() -> None:
    turn = many(30)
    (rest,) = turn.find(".rq-sources")[0].find(".rq-rest")
    assert rest.find("summary")[0].text == "Show the other 20 sourcesShow fewer sources"
    assert [card.attributes["id"] for card in rest.find(".rq-card")] == [f"t1-s{n}" for n in range(11, 31)]
    assert [card.attributes["id"] for card in turn.find(".rq-card")] == [f"t1-s{n}" for n in range(1, 31)]


def test_the_later_paragraphs_of_a_long_list_are_folded_away() -> None:
    (answer,) = many(30).find(".rq-answer")
    (rest,) = answer.find(".rq-rest")
    assert rest.find("summary")[0].text == "Show 20 moreShow fewer"
    assert [len(part.find("p")) for part in (answer, rest)] == [30, 20]
    assert rest.find("p")[0].text == "Paper 11: TIDE-7 is fast. [11]"


def test_what_is_said_before_a_list_stands_there_from_the_beginning() -> None:
    preface = "2 of 3 papers deal with <tides>:"
    coming = tree(cards.turn_html(Turn(1, "q", status="Listing…", preface=preface)))
    there = tree(cards.turn_html(Turn(1, "q", answer=replace(answer_to("q", "Compare tide and moss"), preface=preface))))
    assert [turn.find(".rq-answer")[0].find("p")[0].text for turn in (coming, there)] == [preface, preface]
    assert [part.text for part in there.find(".rq-answer")[0].find("p")[2:]] == ["Moss: Moss grew by 12% a year. [2]", "Both were measured. [1][2]"]
    assert not tree(cards.turn_html(asked("tide"))).find(".rq-preface")


def test_a_handful_more_is_not_folded() -> None:
    assert not many(13).find(".rq-rest")
    assert [len(many(14).find(".rq-rest")[i].find(kind)) for i, kind in enumerate(("p", ".rq-card"))] == [4, 4]


# ----------------------------------------------------------------------------------------------------------------- hostile text

HOSTILE = (
    '<img src=x onerror="alert(1)"><script>alert(2)</script> "\' onmouseover=alert(3) x=" [x](javascript:alert(4)) ![](http://evil.example/a.png) '
    "$\\href{javascript:alert(5)}{x}$ $$\\frac12$$ `code` **bold** <!-- --> ]]> </p></div></article> "
    "${alert(6)} {{value}} \u202eodd\u202c &lt;b&gt; \ud800"
)
READ_BACK = HOSTILE.replace("\ud800", "\ufffd")
TAGS = set("root article h1 h2 h3 h4 div p span bdi a mark section ol ul li details summary button svg path circle pre code".split())


def hostile_pages() -> dict[str, str]:
    """Every kind of page, with hostile text wherever text can be foreign."""
    paper = Paper("p1", HOSTILE, title=HOSTILE, authors=(HOSTILE,), venue=HOSTILE, origins=(Origin(HOSTILE, 1),))
    paper = replace(paper, doi=HOSTILE, arxiv=HOSTILE, pmid=HOSTILE, url=HOSTILE)
    proof = Evidence(1, 0, len(HOSTILE), HOSTILE)
    sentences = (
        Sentence(HOSTILE, (1,), Verdict(Status.SUPPORTED, (proof,)), lead=HOSTILE),
        Sentence(HOSTILE, (1,), Verdict(Status.CONTRADICTED, (proof,), HOSTILE), removed=(HOSTILE,)),
        Sentence(HOSTILE, (), removed=(HOSTILE,)),
    )
    full = Answer(HOSTILE, HOSTILE, sentences, (Source(paper, 1.0, 1),), model=HOSTILE, notice=HOSTILE, preface=HOSTILE)
    refused = Answer(HOSTILE, HOSTILE, abstained=HOSTILE, related=(Source(paper, 1.0),), notice=HOSTILE)
    foreign = Filters(venue=HOSTILE, author=HOSTILE)
    full, refused = (replace(answer, narrowing=Narrowing(foreign, (HOSTILE,))) for answer in (full, refused))
    return {
        "answer": cards.turn_html(Turn(1, HOSTILE, answer=full)),
        "refusal": cards.turn_html(Turn(1, HOSTILE, Scope(Filters(venue=HOSTILE)), answer=refused)),
        "stream": cards.turn_html(Turn(1, HOSTILE, status=HOSTILE, understood_as=HOSTILE + "?", sentences=sentences)),
        "failure": cards.turn_html(Turn(1, HOSTILE, sentences=sentences, failure=Failure(HOSTILE, retryable=True))),
        "stopped": cards.turn_html(Turn(1, HOSTILE, sentences=sentences, stopped=True)),
        "header": cards.header_html([HOSTILE]),
        "welcome": cards.welcome_html([HOSTILE]),
        "no library": cards.no_library_html(HOSTILE, HOSTILE, HOSTILE),
    }


@pytest.mark.parametrize("page", hostile_pages().values(), ids=hostile_pages().keys())
def test_foreign_text_is_shown_and_never_carried_out(page: str) -> None:
    nodes = [node for node in tree(page).walk() if node.tag]
    assert {node.tag for node in nodes} <= TAGS
    names = {name for node in nodes for name in node.attributes}
    assert not [name for name in names if name.startswith("on") or name in ("src", "srcset", "style", "action")]
    hrefs = [node.attributes["href"] for node in nodes if "href" in node.attributes]
    assert all(href.startswith(("#t1-", "https://doi.org/", "https://arxiv.org/abs/", "https://pubmed.ncbi.nlm.nih.gov/")) for href in hrefs)
    assert READ_BACK in tree(page).text


def test_what_is_shown_of_hostile_text_is_exactly_it() -> None:
    answer = tree(hostile_pages()["answer"])
    assert answer.find("mark")[0].text == READ_BACK
    assert answer.find("h2")[0].text == READ_BACK
    assert answer.find("h4")[0].text == READ_BACK


def test_a_direction_mark_cannot_turn_what_stands_beside_it() -> None:
    label = tree(hostile_pages()["answer"]).find("h4")[0]
    assert [child.tag for child in label.children] == ["bdi"]


def test_the_papers_of_the_fakes_hold_hostile_text_too() -> None:
    assert "<b>" in WOLF.abstract  # it stands here so that the tests in the browser really try it
    assert WOLF in PAPERS
    shown = tree(cards.turn_html(asked("wolf")))
    assert shown.find("mark")[0].text == WOLF.abstract
    assert not shown.find("b")
