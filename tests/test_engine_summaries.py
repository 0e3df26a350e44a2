"""Summaries and tables over the shipped abstracts: by the engine, the same each time, every quote in its place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rag_qa.answering.answer import Answer, Evidence, Sentence, Source
from rag_qa.engine import Engine
from rag_qa.errors import QuestionError
from rag_qa.interfaces import answer_exports, summary_views
from rag_qa.llm.scripted import ScriptedChat
from rag_qa.retrieval.filters import Filters
from rag_qa.settings import load
from tests.documents import environment
from tests.fakes import RememberingEmbedder


def stands_in(evidence: Evidence, sources: tuple[Source, ...]) -> bool:
    return sources[evidence.source - 1].paper.abstract[evidence.start : evidence.end] == evidence.quote


def test_a_paper_is_summed_up_by_name_or_id(seed_engine: Engine) -> None:
    (netmoe,) = seed_engine.named(["NetMoE"])
    summary = seed_engine.summarise([netmoe.id])

    assert summary == seed_engine.summarise(["netmoe"])
    assert {section.heading: section.sentences[0].text[:20] for section in summary.sections if section.sentences} == {
        "Problem": "Due to the frequent ",
        "Method": "Motivated by this, w",
        "Result": "Experiments with 32 ",
    }
    assert all(stands_in(evidence, summary.sources) for sentence in summary.sentences for evidence in sentence.verdict.evidence)


def test_a_topic_is_summed_up_from_the_papers_that_are_of_it(seed_engine: Engine) -> None:
    summary = seed_engine.summarise_topic("What do these papers say about differential privacy?")

    assert [source.paper.label.split()[0] for source in summary.sources] == ["DP-CATE", "RAPID", "We"]
    assert [source.n for source in summary.sources] == [1, 2, 3]
    assert not {source.paper.id for source in summary.related} & {source.paper.id for source in summary.sources}
    assert summary == seed_engine.summarise_topic("differential privacy")


def test_a_broad_topic_has_themes_and_says_how_many_papers_are_left_out(seed_engine: Engine) -> None:
    summary = seed_engine.summarise_topic("large language models", k=9)

    assert sum(section.heading.startswith("Theme ") for section in summary.sections) >= 2
    assert len(summary.sources) == 9
    assert summary.note.startswith("9 of ")
    cited = [n for sentence in summary.sentences for n in sentence.citations]
    assert list(dict.fromkeys(cited)) == list(range(1, 10))


def test_what_the_library_does_not_hold_is_not_summed_up(seed_engine: Engine) -> None:
    nothing = seed_engine.summarise_topic("black holes")
    too_late = seed_engine.summarise_topic("privacy", filters=Filters(year_from=2031))

    assert (nothing.abstained, nothing.sources) == ("No paper of this library deals with “black holes”.", ())
    assert too_late.abstained
    assert "2031" in too_late.abstained


def test_papers_side_by_side(seed_engine: Engine) -> None:
    table = seed_engine.compare(["NetMoE", "SeedLM", "RaNA"], ["speed-up", "hardware"])

    assert [[bool(cell) for cell in row] for row in table.cells] == [[True, True], [True, False], [False, False]]
    assert all(stands_in(cell, table.sources) for row in table.cells for cell in row if cell)
    assert (table.agreements, table.contradictions) == ((), ())


def test_what_can_not_be_summed_up_is_said(seed_engine: Engine) -> None:
    with pytest.raises(QuestionError, match="No paper is called 'NoSuchNet'"):
        seed_engine.summarise(["NoSuchNet"])
    with pytest.raises(QuestionError, match="two papers at least"):
        seed_engine.compare(["NetMoE", "netmoe"])
    with pytest.raises(QuestionError, match="no word in the aspect"):
        seed_engine.compare(["NetMoE", "RaNA"], ["?!"])
    with pytest.raises(QuestionError, match="Name one paper"):
        seed_engine.summarise([])
    with pytest.raises(QuestionError, match=r"papers are called 'large language models'.*name one by its id"):
        seed_engine.named(["large language models"])


def test_an_exported_summary_reads_back(seed_engine: Engine) -> None:
    answers = [seed_engine.summarise_topic("differential privacy").answer, seed_engine.ask("What is DP-CATE?")]

    assert answer_exports.read(answer_exports.export(answers, "json")) == answers


_SCRIPT = """
import json, sys
from rag_qa.engine import Engine
from rag_qa.interfaces import summary_views
from rag_qa.settings import load
engine = Engine(load(data_dir=sys.argv[1]))
summary, table = engine.summarise_topic("large language models"), engine.compare(["NetMoE", "RaNA"])
print(json.dumps([summary_views.summary_json(summary), summary_views.comparison_json(table)]))
"""


def test_another_process_gives_the_same_to_the_last_byte(seed_engine: Engine, seed_folder: Path, tmp_path: Path) -> None:
    variables = {**environment(tmp_path), "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", _SCRIPT, str(seed_folder)], env=variables, capture_output=True, text=True, check=True)

    summary, table = seed_engine.summarise_topic("large language models"), seed_engine.compare(["NetMoE", "RaNA"])
    assert other.stdout == json.dumps([summary_views.summary_json(summary), summary_views.comparison_json(table)]) + "\n"


# --------------------------------------------------------------------------------------------------- asked for in plain words


def test_a_question_that_asks_for_a_summary_of_a_topic_gets_one(seed_engine: Engine) -> None:
    answer = seed_engine.ask("summarise what these papers say about differential privacy")

    assert answer.question == answer.understood_as == "summarise what these papers say about differential privacy"
    assert answer.sentences == seed_engine.summarise_topic("differential privacy").answer.sentences
    assert answer.confidence > 0.9
    assert answer.model == "extractive"


def test_a_question_that_asks_for_a_summary_of_a_paper_gets_its_aspects(seed_engine: Engine) -> None:
    answer = seed_engine.ask("Please summarise NetMoE.")

    assert [sentence.lead for sentence in answer.sentences] == ["Problem:", "Method:", "Result:"]
    assert answer.notice == "Limits: no sentence of the abstract was found that gives its limits."


def test_the_stream_of_a_summary_ends_in_the_same_answer(seed_engine: Engine) -> None:
    *events, last = seed_engine.stream("Give me a summary of large language models")

    assert isinstance(last, Answer)
    assert tuple(event for event in events if isinstance(event, Sentence)) == last.sentences
    assert last.preface.startswith("5 of ")
    assert len({source.paper.id for source in last.sources}) == 5


def test_a_summary_of_what_is_not_there_is_refused(seed_engine: Engine) -> None:
    answer = seed_engine.ask("summarise black holes")

    assert answer.abstained
    assert answer.sentences == ()


# -------------------------------------------------------------------------------------------------------------- by a chat model


def test_a_model_writes_a_summary_and_each_sentence_is_checked(seed_folder: Path, embedder: RememberingEmbedder) -> None:
    said = "NetMoE reaches a maximum efficiency improvement of 1.67× with 32 GPUs [1]. It needs 9000 GPUs [1]."
    model = ScriptedChat([said] * 4)
    engine = Engine(load(data_dir=seed_folder), embedder=embedder, chat_model=model)
    answer = engine.write_summary(engine.summarise(["NetMoE"]))

    assert answer.question == "Summarise “NetMoE”"
    assert [sentence.verdict.status.value for sentence in answer.sentences] == ["supported", "unsupported"]
    assert answer.model == "scripted"
    assert "the problem, the method, the result and the limits" in str(model.prompts[0])


def test_a_model_is_not_asked_to_sum_up_what_is_not_there(seed_folder: Path, embedder: RememberingEmbedder) -> None:
    engine = Engine(load(data_dir=seed_folder), embedder=embedder, chat_model=ScriptedChat([]))

    assert engine.write_summary(engine.summarise_topic("black holes")).abstained == "No paper of this library deals with “black holes”."


def test_where_a_model_says_nothing_the_sentences_of_the_abstracts_stand_in(seed_folder: Path, embedder: RememberingEmbedder) -> None:
    engine = Engine(load(data_dir=seed_folder), embedder=embedder, chat_model=ScriptedChat([""] * 4))
    summary = engine.summarise(["NetMoE"])

    assert engine.write_summary(summary).sentences == summary.answer.sentences
