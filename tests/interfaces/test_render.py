"""One answer in three forms: JSON to the letter of its contract, plain text, Markdown that shows text and nothing else."""

from __future__ import annotations

import html
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag_qa import chat
from rag_qa.answering.answer import Answer, Sentence, Source, Status, Usage, Verdict
from rag_qa.interfaces import answer_exports, markdown, render
from rag_qa.papers import Paper
from rag_qa.retrieval.filters import Filters, Narrowing
from rag_qa.retrieval.searches import Search
from tests.fakes import MOSS, PAPERS, TIDE, WOLF, FakeEngine, answer_to, evidence, supported

QUESTIONS = ("What is the tide model?", "compare tide and moss", "invent something about tides", "Where does the wolf live?", "How far is the moon?")


def ask(question: str) -> Answer:
    return FakeEngine().ask(question)


# -------------------------------------------------------------------------------------------------------------------- JSON

ANSWER_KEYS = {
    "question", "understood_as", "narrowing", "preface", "answer", "abstained", "unanswered", "confidence", "sentences", "sources", "related",
    "model", "notice", "timings", "usage",
}  # fmt: skip
SOURCE_KEYS = {"n", "paper_id", "title", "label", "abstract", "origins", "score"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_contract_of_an_answer_key_by_key(question: str) -> None:
    answer = ask(question)

    value = json.loads(render.to_json(render.answer_json(answer)))

    assert set(value) == ANSWER_KEYS
    assert value["question"] == question
    assert value["understood_as"] == answer.understood_as
    assert value["answer"] == answer.text
    assert value["abstained"] == answer.abstained
    assert value["confidence"] == answer.confidence
    assert value["model"] == answer.model
    assert value["notice"] == answer.notice
    assert value["timings"] == dict(answer.timings)
    assert [set(sentence) for sentence in value["sentences"]] == [{"text", "citations", "verdict", "why", "evidence"}] * len(answer.sentences)
    assert [set(source) for source in value["sources"]] == [SOURCE_KEYS] * len(answer.sources)
    assert [set(source) for source in value["related"]] == [SOURCE_KEYS - {"n"}] * len(answer.related)
    assert [source["n"] for source in value["sources"]] == list(range(1, len(answer.sources) + 1))


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_quote_is_a_slice_of_the_abstract_it_names(question: str) -> None:
    value = json.loads(render.to_json(render.answer_json(ask(question))))

    abstracts = {source["n"]: source["abstract"] for source in value["sources"]}
    for sentence in value["sentences"]:
        for proof in sentence["evidence"]:
            assert set(proof) == {"source", "start", "end", "quote"}
            assert proof["source"] in sentence["citations"]
            assert abstracts[proof["source"]][proof["start"] : proof["end"]] == proof["quote"] != ""


def test_the_values_of_an_answer() -> None:
    value = render.answer_json(ask("compare tide and moss"))

    assert value["answer"] == "TIDE-7 is 1.5× faster than its rivals. [1] Moss: Moss grew by 12% a year. [2] Both were measured. [1][2]"
    assert value["sentences"][1] == {  # type: ignore[index]
        "text": "Moss grew by 12% a year.",
        "citations": [2],
        "verdict": "supported",
        "why": "",
        "evidence": [{"source": 2, "start": 46, "end": 69, "quote": "moss grew by 12% a year"}],
    }
    assert value["sources"][0] == {  # type: ignore[index]
        "n": 1,
        "paper_id": "p1",
        "title": None,
        "label": "TIDE-7",
        "abstract": TIDE.abstract,
        "origins": [{"path": "sea.txt", "line": 3}, {"path": "water.txt", "line": 9}],
        "score": 0.9,
    }


def test_a_refusal_has_no_sentence_and_no_source() -> None:
    value = render.answer_json(ask("How far is the moon?"))

    assert (value["abstained"], value["answer"]) == ("None of the papers says this.",) * 2
    assert value["sentences"] == value["sources"] == []
    assert [source["paper_id"] for source in value["related"]] == ["p2"]  # type: ignore[attr-defined]


def test_usage_is_null_or_what_the_server_said() -> None:
    assert render.answer_json(ask("tide"))["usage"] is None
    assert render.answer_json(ask("invent tide"))["usage"] == {"prompt_tokens": 120, "completion_tokens": 9, "cost_usd": None}


def test_numbers_of_numpy_are_numbers_of_json() -> None:
    answer = Answer("q", "q", sources=(Source(MOSS, np.float32(0.5), 1),), timings={"search": np.float64(0.25)})  # type: ignore[arg-type]

    value = json.loads(render.to_json(render.answer_json(answer)))

    assert (value["sources"][0]["score"], value["timings"]) == (0.5, {"search": 0.25})


def test_a_hit_says_how_it_ranked_and_quotes_its_passages() -> None:
    hits = FakeEngine().search("moss", k=2)

    value = json.loads(render.to_json(render.search_json("moss", hits)))

    assert set(value) == {"question", "searched_for", "narrowing", "nothing_passes", "set", "hits"}
    assert [hit["paper_id"] for hit in value["hits"]] == ["p1", "p2"]
    moss = value["hits"][1]
    assert set(moss) == {
        "rank", "score", "ranks", "scores", "matched", "why", "copies", "passages", "paper_id", "title", "label", "abstract", "origins",
        "authors", "year", "venue", "collection", "doi", "pmid", "arxiv", "url", "extra",
        "keywords", "language", "type", "notices", "other_abstracts", "versions",
    }  # fmt: skip
    assert (moss["rank"], moss["score"], moss["ranks"], moss["matched"]) == (2, 0.5, {"keyword": 2, "dense": 2}, ["we"])
    assert (moss["title"], moss["label"], moss["doi"]) == ("Moss under snow", "Moss under snow", "10.1000/moss")
    for passage in moss["passages"]:
        assert set(passage) == {"start", "end", "text"}
        assert moss["abstract"][passage["start"] : passage["end"]] == passage["text"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_json_does_not_know_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        render.to_json({"score": number})


@given(st.text(st.characters(codec=None)), st.booleans())
def test_json_is_one_line_of_utf_8_that_reads_back(text: str, ascii_only: bool) -> None:
    line = render.to_json({"text": text}, ascii_only=ascii_only)

    assert json.loads(line) == {"text": text}
    assert len(line.splitlines()) == 1
    line.encode("ascii" if ascii_only else "utf-8")


def test_readable_characters_stay_readable() -> None:
    assert render.to_json("α × “”") == '"α × “”"'


# -------------------------------------------------------------------------------------------------------------- plain text


def test_an_answer_as_plain_text() -> None:
    assert render.plain(render.answer_lines(ask("compare tide and moss"))) == (
        "TIDE-7 is 1.5× faster than its rivals. [1]\n"
        "Moss: Moss grew by 12% a year. [2]\n"
        "Both were measured. [1][2]\n"
        "\n"
        "Sources\n"
        "[1] TIDE-7 (ICLR 2024)\n"
        "    sea.txt:3\n"
        "    water.txt:9\n"
        "    “TIDE-7”\n"
        "    “a model of tides that is 1.5× faster than its rivals”\n"
        "[2] Moss under snow (Bog Letters 2021)\n"
        "    land.txt:5\n"
        "    “In our study of 40 bogs”\n"
        "    “moss grew by 12% a year”"
    )


def test_a_refusal_looks_like_one() -> None:
    assert render.plain(render.answer_lines(ask("How far is the moon?"))) == (
        "No answer. None of the papers says this.\n\nRelated, but does not answer this\n- Moss under snow (Bog Letters 2021)\n    land.txt:5"
    )


@pytest.mark.parametrize("said", ["Hello!", "Thanks a lot"])
def test_a_greeting_is_returned_and_not_refused(said: str) -> None:
    friendly = chat.small_talk(said)
    assert friendly
    answer = Answer(said, said, abstained=friendly)

    assert render.plain(render.answer_lines(answer)) == friendly
    assert markdown.body(answer) == markdown.escape(friendly)


def test_only_what_is_not_supported_is_marked() -> None:
    text = render.plain(render.answer_lines(ask("invent something about tides")))

    assert text.startswith(
        "TIDE-7 is 1.5× faster than its rivals. [1]\n"
        "TIDE-7 is 9× faster. [1]\n"
        "  ⚠ not supported by what it cites: 9× does not stand in [1]\n"
        "Everyone likes it.\n"
        "  ⚠ cites no source\n"
        "\n"
        "Note: The reply was cut short.\n"
    )
    assert text.endswith("\n\nWritten by tiny-chat (120 tokens read, 9 written, cost unknown)")


@pytest.mark.parametrize("status", Status)
def test_every_status_that_tells_against_a_sentence_is_said_in_words(status: Status) -> None:
    warning = render.warning_of(Sentence("It is.", (1,), Verdict(status, why="")))

    assert bool(warning) is (status not in (Status.SUPPORTED, Status.RECORD))


def test_the_question_is_repeated_only_if_it_was_understood_as_another() -> None:
    follow_up = answer_to("What does its extension use?", "What does TIDE-7's extension use?")

    assert render.plain(render.answer_lines(follow_up)).startswith("Understood as: What does TIDE-7's extension use?\n\nTIDE-7 is")
    assert not render.is_reworded("Why  so?", "Why so? ")
    assert not render.is_reworded("Why so?", "")


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (None, "cost unknown"),
        (Usage(), "cost unknown"),
        (Usage(prompt_tokens=12), "12 tokens read, cost unknown"),
        (Usage(1200, 90), "1,200 tokens read, 90 written, cost unknown"),
        (Usage(1200, 90, 0.0), "1,200 tokens read, 90 written, $0.00"),
        (Usage(1200, 90, 0.00612), "1,200 tokens read, 90 written, $0.0061"),
        (Usage(1200, 90, 12.345), "1,200 tokens read, 90 written, $12.35"),
    ],
)
def test_what_an_answer_cost_is_said_and_what_is_unknown_is_never_nothing(usage: Usage | None, said: str) -> None:
    written = Answer("q", "q", (Sentence("So."),), model="tiny-chat", usage=usage)

    assert render.plain(render.closing_lines(written)) == f"\nWritten by tiny-chat ({said})"
    assert render.plain(render.answer_lines(written)).count("cost unknown") == (usage is None or usage.cost_usd is None)


def test_what_was_paid_is_said_though_the_answer_is_not_the_model_s() -> None:
    paid = Usage(1200, 90, 0.0021)
    instead = replace(ask("tide"), usage=paid)
    refused = Answer("q", "q", abstained="None of the papers says this.", model="tiny-chat", usage=paid)

    for answer in (instead, refused):
        assert render.plain(render.answer_lines(answer)).endswith("\n\nA chat model was asked (1,200 tokens read, 90 written, $0.0021)")


@pytest.mark.parametrize("question", ["tide", "compare tide and moss", "How far is the moon?"])
def test_an_answer_without_a_model_has_no_price(question: str) -> None:
    shown = render.plain(render.answer_lines(ask(question)))

    assert "cost" not in shown
    assert "$" not in shown


@given(st.floats(0, 1000))
def test_a_price_is_as_shown_or_nearly_so(cost: float) -> None:
    shown = render.dollars(cost)

    assert shown == "under $0.0001" if 0 < cost < 0.0001 else abs(float(shown.removeprefix("$")) - cost) <= max(0.0051, 0.051 * cost)


@given(st.integers(20, 100))
def test_folded_text_has_the_same_words_within_the_width(width: int) -> None:
    answer = replace(
        ask("compare tide and moss"), question="Another?", notice="a state-of-the-art, well-known and never-before-seen model-free method"
    )

    folded = render.plain(render.answer_lines(answer, width))

    assert folded.split() == render.plain(render.answer_lines(answer)).split()
    assert all(len(line) <= width for line in folded.split("\n"))


def test_unfolded_quotes_are_verbatim() -> None:
    abstract = "We  find:\n  a gain  of 3%.   It holds."
    paper = Paper("p9", abstract, title="T")
    proof = evidence(1, paper, "We  find:\n  a gain  of 3%.")
    answer = Answer("q", "q", (supported("A gain of 3%.", proof),), (Source(paper, 1.0, 1),))

    assert f"“{proof.quote}”" in render.plain(render.answer_lines(answer))
    assert "“We find: a gain of 3%.”" in render.plain(render.answer_lines(answer, 80))


@given(st.text(st.characters(codec=None)), st.none() | st.integers(20, 60))
def test_no_text_can_steer_a_terminal(text: str, width: int | None) -> None:
    paper = Paper("p9", text or "x", title=text, venue=text)
    sentence = Sentence(text, (1,), Verdict(Status.UNSUPPORTED, (), text))
    answer = Answer(text, text + "?", (sentence,), (Source(paper, 1.0, 1),), model=text, notice=text)

    shown = render.plain(render.answer_lines(answer, width))

    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)


def test_each_piece_of_evidence_is_shown_once_in_the_order_of_the_abstract() -> None:
    answer = ask("compare tide and moss")
    twice = replace(answer, sentences=answer.sentences * 2)

    assert [e.quote for e in render.evidence_of(twice, twice.sources[0])] == ["TIDE-7", "a model of tides that is 1.5× faster than its rivals"]


def test_the_evidence_is_marked_inside_the_abstracts() -> None:
    text = render.plain(render.abstract_lines(ask("tide")))

    assert "We propose TIDE-7, »a model of tides that is 1.5× faster than its rivals«. An" in text


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (min(pair), max(pair)))))
def test_marked_spans_are_exactly_those_given(spans: list[tuple[int, int]]) -> None:
    abstract = "abcdefghijklmnopqrst"

    shown = render.highlighted(abstract, spans)

    inside = {i for start, end in spans for i in range(start, end)}
    depth, seen = 0, []
    for char in shown:
        depth += (char == "»") - (char == "«")
        assert depth in (0, 1)
        if char not in "»«":
            seen.append((char, depth == 1))
    assert seen == [(char, i in inside) for i, char in enumerate(abstract)]


def test_hits_as_plain_text() -> None:
    hits = FakeEngine().search("moss", k=1)

    assert render.plain(render.search_lines(hits)) == (
        "1. TIDE-7 (ICLR 2024)\n"
        "    sea.txt:3\n"
        "    water.txt:9\n"
        "    score 1.000. Meaning: best passage 0.50 (1 is the same). 1st by words, 1st by meaning.\n"
        f"    {TIDE.abstract}"
    )
    assert render.plain(render.search_lines(Search("moss"))) == "No paper matches."


def test_what_narrowed_a_search_is_said_before_its_hits() -> None:
    narrowing = Narrowing(Filters(year_from=2023, author="Smith"), ("since 2023", "by Smith"))
    said = "Only papers: from 2023 on, by Smith, as the question says: “since 2023”, “by Smith” (--no-filters: search all)"

    assert render.plain(render.search_lines(Search("moss", (), narrowing, "No paper passes."))) == f"{said}\n\nNo paper passes."
    answer = Answer("moss since 2023 by Smith?", "moss since 2023 by Smith?", abstained="No.", narrowing=narrowing)
    assert render.plain(render.answer_lines(answer)).startswith(f"{said}\n\nNo answer.")
    assert "since 2023" in answer_exports.as_markdown([answer])
    assert render.answer_json(answer)["narrowing"] == {
        "filters": {"year_from": 2023, "author": "Smith"},
        "phrases": ["since 2023", "by Smith"],
        "unread": [],
    }


def test_papers_as_a_table() -> None:
    rows = render.plain(render.paper_lines(PAPERS)).split("\n")

    assert [re.split(r"\s{2,}", row)[1:] for row in rows] == [
        ["2024", "ICLR", "sea.txt:3, water.txt:9"],
        ["2021", "Bog Letters", "land.txt:5"],
        ["-", "-", "land.txt:8"],
    ]
    assert len({row.index(origin) for row, origin in zip(rows, ("sea", "land", "land"), strict=True)}) == 1
    assert render.paper_lines([]) == []


# ---------------------------------------------------------------------------------------------------------------- Markdown

RENDERERS = (MarkdownIt("commonmark"), MarkdownIt("js-default", {"typographer": False}))
PIECES = (*"\\`*_[]()<>b/&#!|~$1.-+=: \n\t", "amp;", "    ", "http://x.y", "www.x.y", "a@b.cd", "é", "\xa0")
MARKED = st.lists(st.sampled_from(PIECES)).map("".join)


@given(st.one_of(st.text(), MARKED))
def test_escaped_text_shows_as_itself_whoever_renders_it(text: str) -> None:
    shown = render.one_line(text)

    for renderer in RENDERERS:
        expected = f"<p>{html.escape(shown, quote=False)}</p>\n" if shown else ""
        assert renderer.render(markdown.escape(text)).replace("&quot;", '"') == expected


@given(st.one_of(st.text(), MARKED))
def test_escaped_text_holds_no_bare_address_and_no_formula(text: str) -> None:
    escaped = markdown.escape(text)

    assert not re.search(r"://|www\.|mailto:|[$@<>]", escaped, re.IGNORECASE)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_markdown_of_a_hostile_abstract_is_only_text(renderer: MarkdownIt) -> None:
    shown = renderer.render(answer_exports.as_markdown([ask("Where does the wolf live?")]))

    assert set(re.findall(r"<(\w+)", shown)) == {"h2", "p", "strong", "ul", "li", "blockquote"}
    assert html.unescape(shown).count(WOLF.abstract) == 2  # the sentence and its evidence


@pytest.mark.parametrize(
    "text", ["# Title", "- item", "1. item", "2024) item", "> quote", "===", "    code", "| a | b |", "![i](http://x/y.png)", "$$x$$"]
)
def test_hostile_fields_stay_in_their_places(text: str) -> None:
    paper = Paper("p9", text, title=text, venue=text)
    proof = evidence(1, paper, text)
    sentences = (supported(text, proof, lead=text), Sentence(text, (1,), Verdict(Status.CONTRADICTED, (), text)))
    answer = Answer(text, text + "?", sentences, (Source(paper, 1.0, 1),), notice=text)

    shown = RENDERERS[1].render(answer_exports.as_markdown([answer, replace(answer, sentences=(), sources=(), abstained=text)]))

    sources = ["p", "strong", "ul", "li", "p", "blockquote", "p"]
    assert re.findall(r"<(\w+)", shown) == ["h2", "p", "em", "p", "p", "em", "p", "em", *sources, "h2", "p", "em", "p", "strong", "p", "em"]


def test_an_answer_as_markdown() -> None:
    shown = RENDERERS[0].render(answer_exports.as_markdown([ask("compare tide and moss")]))

    assert "<p>TIDE-7 is 1.5× faster than its rivals. [1]</p>" in shown
    assert "<p>Both were measured. [1][2]</p>" in shown
    assert shown.count("<li>") == 2
    assert "[2] A. Bryo, C. Sphag. Moss under snow. Bog Letters 2021. doi:10.1000/moss. (land.txt:5)" in shown
    assert shown.count("<blockquote>") == 4
    assert "⚠" not in shown


def test_warnings_and_refusals_are_plain_in_markdown() -> None:
    assert "⚠ *not supported by what it cites: 9× does not stand in \\[1\\]*" in answer_exports.as_markdown([ask("invent tide")])
    refusal = answer_exports.as_markdown([ask("How far is the moon?")])
    said = "**No answer.** None of the papers says this.\n\n**Related, but does not answer this**\n\n- A. Bryo, C. Sphag. Moss under snow."
    assert refusal.startswith(f"## How far is the moon?\n\n{said}")


def test_an_exported_conversation_keeps_questions_markers_and_references() -> None:
    text = answer_exports.as_markdown([ask("tide"), ask("moon")])

    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["tide", "moon"]
    assert "faster than its rivals. [1]" in text
    assert "- [1] TIDE-7. ICLR 2024." in text
