"""Questions for the program and for the library as a whole, lists by what records say, and first questions that mean nothing alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag_qa import chat
from rag_qa.answering.answer import Answer, Status
from rag_qa.engine import Engine
from rag_qa.interfaces import answer_exports, cards, markdown, render
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.ordering import first_of
from rag_qa.retrieval.record_questions import asked_of_record
from rag_qa.settings import load
from tests.fakes import RememberingEmbedder

RECORDS = (
    {
        "title": "Copper gauges in narrow bays",
        "abstract": "We measure tides with copper gauges. The copper gauges read 12 cm in a narrow bay.",
        "year": 2019,
        "authors": ["Okafor, Ada", "Lindqvist, Per"],
        "venue": "Sea Letters",
        "doi": "10.1234/gauges",
    },
    {
        "title": "Moss under late snow",
        "abstract": "Moss grows under late snow. We find that moss needs 3 weeks of light in a year.",
        "year": 2022,
        "authors": ["Okafor, Ada"],
        "venue": "Bog Reports",
    },
    {"title": "Owls of the valley", "abstract": "Owls hunt in the valley at night. They find copper gauges by sound.", "authors": ["Brandt, Ida"]},
    {"title": "Wind over dunes", "abstract": "Wind moves dunes. We follow dunes for 9 years with lasers.", "year": 2016, "venue": "Sea Letters"},
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, embedder: RememberingEmbedder) -> Engine:
    root = tmp_path_factory.mktemp("records")
    (root / "library.json").write_text(json.dumps(RECORDS))
    made = Engine(load(data_dir=root / "data", answerer="extractive"), embedder=embedder)
    assert made.index([root / "library.json"]).papers == len(RECORDS)
    return made


def titles(answer: Answer) -> list[str | None]:
    return [source.paper.title for source in answer.sources]


# -------------------------------------------------------------------------------------------------------- the program


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who are you?", "I am rag_qa"),
        ("Hey, what can you do for me?", "Ask in plain language"),
        ("What can I ask you?", "Ask in plain language"),
        ("How reliable are your answers?", "I can choose the wrong one"),
        ("do you ever make things up?", "I can choose the wrong one"),
        ("Where do you get your answers from?", "nothing else"),
        ("Where does this come from?", "nothing else"),
        ("What is this tool?", "I am rag_qa"),
        ("could you look on Google?", "neither the internet"),
        ("Do you have internet access", "neither the internet"),
        ("How can I upload new abstracts to this library?", "rag-qa index"),
        ("can you read PDFs?", "rag-qa index"),
        ("what did I ask before?", "back to the first question"),
        ("Do you remember our conversation?", "back to the first question"),
        ("what do you not know?", "search nothing else"),
        ("Can you write me a poem?", "search nothing else"),
        ("Sprichst du Deutsch?", "the language that the abstracts are in"),
        ("you are completely useless", "I am sorry"),
        ("what a load of rubbish", "I am sorry"),
        ("No, that was not right!", "I am sorry"),
        ("I do not trust your answer", "I am sorry"),
    ],
)
def test_the_program_says_what_it_is_and_no_paper_is_asked(question: str, says: str, seed_engine: Engine) -> None:
    answer = seed_engine.ask(question)
    assert answer.is_aside
    assert says in answer.text
    assert (answer.sources, answer.related) == ((), ())
    # it refuses nothing, and is shown so
    assert render.plain(render.answer_lines(answer)) == answer.text
    assert "No answer" not in markdown.body(answer)


@pytest.mark.parametrize(
    "question",
    [
        "Can you search the internet for attacks on agents?",
        "How can I add papers to a citation graph?",
        "What can't language models do?",
        "Is that claim on moss wrong?",
        "what did I ask about moss?",
        "What is wrong with moss?",
        "Do you know German corpora?",
        "Can you explain what a transformer can't do?",
        "Why is pruning useless?",
        "Can you write about moss under snow?",
        "What are its limitations?",
    ],
)
def test_a_question_of_research_is_none_for_the_program(question: str) -> None:
    assert chat.about_program(question, is_first=True) is None


def test_this_is_the_last_answer_once_there_is_one(seed_engine: Engine) -> None:
    assert not seed_engine.ask("Where does this come from?", history=["What is DP-CATE?"]).is_aside


# -------------------------------------------------------------------------------------------------------- the library


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which years does your collection span?", "The papers of this library are from 2016 to 2022; of 1 of the 4 no year is known."),
        ("How recent are the papers here?", "The papers of this library are from 2016 to 2022; of 1 of the 4 no year is known."),
        ("what years does it cover", "The papers of this library are from 2016 to 2022; of 1 of the 4 no year is known."),
        ("Which journals are there?", "The venues of this library, with the number of their papers: Sea Letters (2); Bog Reports (1)."),
        ("list all authors", "The authors of this library, with the number of their papers: Okafor, Ada (2); Brandt, Ida (1); Lindqvist, Per (1)."),
        ("What keywords are there in the library?", "The records of this library give no keywords."),
        ("how big is this library?", "This library holds 4 papers, from 2016 to 2022."),
        (
            "What topics does this library deal with?",
            "This library holds 4 papers, from 2016 to 2022. Phrases that stand in the most abstracts: copper gauges (2).",
        ),
    ],
)
def test_the_library_is_described_by_what_its_records_say(question: str, said: str, engine: Engine) -> None:
    answer = engine.ask(question)
    assert answer.text == said
    assert (answer.abstained, answer.sentences, answer.sources) == (None, (), ())
    assert said in render.plain(render.answer_lines(answer))
    assert markdown.escape(said) in markdown.body(answer)


WITH_MORE = (
    *RECORDS,
    {"title": "Kelp at dusk", "abstract": "Kelp grows at dusk. We count kelp with drones.", "year": 2019, "authors": ["Okafor, Ada"]},
    {
        "title": "Foam on ponds",
        "abstract": "Foam lies on ponds. We withdraw what we said of it.",
        "year": 2022,
        "notices": ["retracted"],
        "authors": ["Moss, Tim"],
    },
    {"title": "Salt without words", "year": 2021},
)


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory, embedder: RememberingEmbedder) -> Engine:
    root = tmp_path_factory.mktemp("larger")
    (root / "first.json").write_text(json.dumps(WITH_MORE[:3]))
    (root / "second.json").write_text(json.dumps(WITH_MORE[3:]))
    made = Engine(load(data_dir=root / "data", answerer="extractive"), embedder=embedder)
    assert made.index([root / "first.json", root / "second.json"]).papers == len(WITH_MORE) - 1
    return made


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which year has the most papers?", "The years with the most papers of this library (2 each): 2019 and 2022. After that: 2016 (1)."),
        ("in what year were most of the papers published?", "The years with the most papers of this library (2 each): 2019 and 2022."),
        ("who has written the most papers?", "The author with the most papers of this library: Okafor, Ada (3). After that: Brandt, Ida (1)"),
        ("Who is the most prolific author here?", "The author with the most papers of this library: Okafor, Ada (3)."),
        ("Which journal has the most articles?", "The venue with the most papers of this library: Sea Letters (2). After that: Bog Reports (1)."),
        ("How many papers are there per year?", "The papers of this library by year: 2016 (1); 2019 (2); 2022 (2). Of 1 of the 6 no year is known."),
        ("how many papers from each journal?", "The venues of this library, with the number of their papers: Sea Letters (2); Bog Reports (1)."),
        ("Which journals are in here?", "The venues of this library, with the number of their papers: Sea Letters (2); Bog Reports (1)."),
        ("which journals are the articles from?", "The venues of this library, with the number of their papers: Sea Letters (2); Bog Reports (1)."),
        ("How many different authors are there?", "The records of this library give 4 authors. Those with the most papers: Okafor, Ada (3);"),
        ("how many journals?", "The records of this library give 2 venues. Those with the most papers: Sea Letters (2); Bog Reports (1)."),
        ("Is any of the papers retracted?", "By the records of this library one paper was retracted: ask “Which papers are retracted?” to see it."),
        (
            "How many papers have no abstract?",
            "One record that was read has no abstract, and is no part of this library, since only what an abstract",
        ),
        ("any retracted articles?", "By the records of this library one paper was retracted"),
        ("papers without abstract", "One record that was read has no abstract"),
        ("most prolific author", "The author with the most papers of this library: Okafor, Ada (3)."),
        # with slips
        ("which yaer has teh most papers?", "The years with the most papers of this library (2 each): 2019 and 2022."),
        ("wich journals are in here", "The venues of this library, with the number of their papers: Sea Letters (2); Bog Reports (1)."),
        ("are there papers without an abstract?", "One record that was read has no abstract, and is no part of this library, since only what an"),
    ],
)
def test_the_records_are_counted(question: str, said: str, larger: Engine) -> None:
    for history in ([], ["What do copper gauges read?"], ["papers by Okafor"]):
        answer = larger.ask(question, history=history)
        assert answer.text.startswith(said)
        assert (answer.abstained, answer.sentences, answer.sources) == (None, (), ())


def test_what_is_said_of_retractions_and_missing_abstracts_is_so(larger: Engine, engine: Engine) -> None:
    assert titles(larger.ask("Which papers are retracted?")) == ["Foam on ponds"]
    assert "“Salt without words”" in larger.ask("Which papers have no abstract?").text
    assert engine.ask("are any papers retracted?").text.startswith("No record of this library says that its paper was retracted")
    assert engine.ask("how many papers have no abstract?").text.startswith("Every paper of this library has an abstract")


def test_the_files_are_told_with_the_number_of_their_papers(larger: Engine) -> None:
    said = larger.ask("how many papers per source?").text
    assert "first.json (3)" in said
    assert "second.json (3)" in said


@pytest.mark.parametrize(
    "question",
    [
        "Which year has the most papers on tides?",
        "Who has the most gauges?",
        "How many papers per day does a person read?",
        "Are any of them retracted?",
        "How many journals ask for data?",
        "which abstracts have no numbers?",
    ],
)
def test_a_question_for_some_papers_is_none_for_the_records_of_all(question: str) -> None:
    assert chat.about_library(question, is_first=True) is None


def test_the_files_of_the_library_are_told(engine: Engine) -> None:
    assert engine.ask("Where do the papers come from?").text.endswith("library.json.")


@pytest.mark.parametrize("question", ["Which authors are in this library?", "What years do the papers cover?", "Which venues are represented?"])
def test_what_the_records_do_not_give_is_said_so(question: str, tmp_path: Path, embedder: RememberingEmbedder) -> None:
    (tmp_path / "plain.json").write_text(json.dumps([{"abstract": record["abstract"]} for record in RECORDS]))
    bare = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=embedder)
    bare.index([tmp_path / "plain.json"])
    answer = bare.ask(question)
    assert answer.text.startswith("The records of this library give no ")
    assert not answer.sources


def test_a_question_for_the_library_leaves_the_conversation_as_it_was(seed_engine: Engine) -> None:
    history = ["What is DP-CATE?", "How many papers are in this library?", "What is this library about?", "What can you do?"]
    assert seed_engine.ask("Which kind of regression does its extension use?", history=history).understood_as == (
        "Which kind of regression does DP-CATE's extension use?"
    )
    assert seed_engine.ask("How many papers are in this library?", history=history[:1]).preface.startswith("There are 46 papers")


def test_no_question_of_the_development_sets_is_taken_for_one_of_these(project: Path) -> None:
    sets = ["seeds", "seeds_more", "iclr_blind", "iclr_dev", "iclr_sentences", "iclr_more", "iclr_dialogues", "sets_dev"]
    lines = [line for name in sets for line in (project / "eval" / "datasets" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    records = [json.loads(line) for line in lines]
    questions = {question for record in records for question in (record["question"], *record.get("history", ()))}
    assert len(questions) > 2_700
    assert [question for question in questions if chat.is_aside(question, is_first=True)] == []
    first = {record["question"] for record in records if not record.get("history") and not chat.small_talk(record["question"])}
    assert [question for question in first if chat.unclear(question)] == []


# ------------------------------------------------------------------------------------------------------ lists by records


def test_papers_are_listed_by_author_without_saying_papers(engine: Engine) -> None:
    assert titles(engine.ask("do you have anything by Lindqvist?")) == ["Copper gauges in narrow bays"]
    assert set(titles(engine.ask("Show me something by Ada Okafor"))) == {"Copper gauges in narrow bays", "Moss under late snow"}


@pytest.mark.parametrize("question", ["Is there anything by Ruiz?", "papers by Ruiz", "Which papers by Ruiz are there?"])
def test_an_author_whom_no_record_names_has_no_papers(question: str, engine: Engine, seed_engine: Engine) -> None:
    assert engine.ask(question).abstained == "No paper of this library is by Ruiz, as far as its records say."
    assert seed_engine.ask(question).abstained == "The records of this library give no authors."
    assert not seed_engine.ask(question).notice


def test_all_papers_can_be_listed_and_gone_on_with(engine: Engine) -> None:
    assert engine.ask("list the papers").preface == "There are 4 papers:"
    second = engine.ask("the second one", history=["list the papers"])
    assert titles(second) == titles(engine.ask("list the papers"))[1:2]


@pytest.mark.parametrize(
    ("question", "history", "order"),
    [
        ("sort them by year", ["list all papers"], ["Wind", "Copper", "Moss", "Owls"]),
        ("newest first, please", ["list all papers"], ["Moss", "Copper", "Wind", "Owls"]),
        ("and oldest first?", ["list all papers", "newest first"], ["Wind", "Copper", "Moss", "Owls"]),
        ("List all papers, newest first", [], ["Moss", "Copper", "Wind", "Owls"]),
        ("Which papers deal with copper gauges, most recent first?", [], ["Copper", "Owls"]),
        ("in chronological order", ["papers by Okafor"], ["Copper", "Moss"]),
    ],
)
def test_a_list_stands_in_the_order_that_is_asked_for(question: str, history: list[str], order: list[str], engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    assert [str(title).split()[0] for title in titles(answer)] == order
    assert [source.n for source in answer.sources] == list(range(1, len(order) + 1))
    assert [sentence.citations for sentence in answer.sentences] == [(n,) for n in range(1, len(order) + 1)]
    for sentence in answer.sentences:
        for proof in sentence.verdict.evidence:
            assert answer.sources[proof.source - 1].paper.abstract[proof.start : proof.end] == proof.quote
    assert ("they stand last" in answer.notice) == ("Owls" in order)


@pytest.mark.parametrize(
    ("question", "history", "order", "says"),
    [
        ("What is the oldest paper?", [], ["Wind"], "The oldest paper is from 2016, as far as the records give years:"),
        ("which paper is the oldest?", ["What do copper gauges read?"], ["Wind"], "The oldest paper is from 2016"),
        ("whats the oldest paper in here", [], ["Wind"], "The oldest paper is from 2016"),
        ("how old is the oldest article?", [], ["Wind"], "The oldest paper is from 2016"),
        ("What is the latest paper?", [], ["Moss"], "The newest paper is from 2022"),
        ("the 2 newest papers", [], ["Moss", "Copper"], "The 2 newest papers are from 2019 to 2022"),
        ("show me the two oldest articles", ["papers by Brandt"], ["Wind", "Copper"], "The 2 oldest papers are from 2016 to 2019"),
        ("what is the most recent paper on copper gauges?", [], ["Copper"], "The newest paper is from 2019"),
        ("when was the oldest paper by Okafor published?", [], ["Copper"], "The oldest paper is from 2019"),
        ("which of them is the newest?", ["papers by Okafor"], ["Moss"], "The newest paper is from 2022"),
        ("the oldest one?", ["Which papers deal with copper gauges?"], ["Copper"], "The oldest paper is from 2019"),
        ("which is the oldest?", ["list all papers"], ["Wind"], "The oldest paper is from 2016"),
    ],
)
def test_the_oldest_and_the_newest_are_told_by_name(question: str, history: list[str], order: list[str], says: str, engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    assert [str(title).split()[0] for title in titles(answer)] == order
    assert answer.preface.startswith(says)
    assert [sentence.citations for sentence in answer.sentences] == [(n,) for n in range(1, len(order) + 1)]
    for sentence in answer.sentences:
        for proof in sentence.verdict.evidence:
            assert answer.sources[proof.source - 1].paper.abstract[proof.start : proof.end] == proof.quote


@pytest.mark.parametrize(
    ("question", "order", "says"),
    [
        ("recent papers", ["Moss", "Copper", "Wind", "Owls"], "The newest come first: these papers are from 2016 to 2022."),
        ("any recent articles on copper gauges?", ["Copper", "Owls"], "The newest come first: these papers are from 2019."),
        ("Which recent papers deal with copper gauges?", ["Copper", "Owls"], "The newest come first: these papers are from 2019."),
        ("the latest papers by Okafor", ["Moss", "Copper"], "The newest come first: these papers are from 2019 to 2022."),
        ("newest papers by Okafor, oldest first", ["Copper", "Moss"], "The oldest come first: these papers are from 2019 to 2022."),
    ],
)
def test_recent_papers_are_the_newest_first_and_their_years_are_said(question: str, order: list[str], says: str, engine: Engine) -> None:
    for history in ([], ["What do copper gauges read?"]):
        answer = engine.ask(question, history=history)
        assert [str(title).split()[0] for title in titles(answer)] == order
        assert answer.notice.startswith(says)


def test_of_papers_of_one_year_none_is_called_the_newest_alone(larger: Engine) -> None:
    answer = larger.ask("What is the newest paper?")
    assert {str(title).split()[0] for title in titles(answer)} == {"Moss", "Foam"}
    assert answer.preface.startswith("The 2 newest papers are from 2022")


def test_of_papers_without_years_none_is_the_newest(engine: Engine) -> None:
    answer = engine.ask("What is the newest paper by Brandt?")
    assert answer.abstained == "No year is known of any of these papers, so that none can be said to be the newest."
    assert (answer.sources, [source.paper.title for source in answer.related]) == ((), ["Owls of the valley"])


def test_what_recent_papers_say_is_no_question_for_a_list(engine: Engine) -> None:
    assert first_of("What do recent papers say about copper gauges?") is None
    assert first_of("Which is the newest gauge?") is None
    assert first_of("What is the most recent paper mill?") is None


def test_papers_by_somebody_else_are_a_list_of_their_own(engine: Engine) -> None:
    assert titles(engine.ask("papers by Brandt", history=["list all papers"])) == ["Owls of the valley"]
    assert engine.ask("Which of them deal with moss?", history=["papers by Okafor"]).understood_as == "Which papers by Okafor deal with moss?"


@pytest.mark.parametrize(
    "history",
    [
        ["What do copper gauges read?"],
        ["Which papers deal with copper gauges?"],
        ["papers by Brandt"],
        ["How do I bake bread?"],
        ["What do copper gauges read?", "and in which bay?"],
    ],
)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("articles written by Okafor", {"Copper", "Moss"}),
        ("show me all articles by Ada Okafor", {"Copper", "Moss"}),
        ("What studies are by Okafor?", {"Copper", "Moss"}),
        ("how many articles were published in 2019?", {"Copper"}),
        ("do you have any papers by Per Lindqvist?", {"Copper"}),
        ("Are there articles since 2019?", {"Copper", "Moss"}),
        ("publications by Zachary Nemo", set()),
        ("list all publications by Nemo", set()),
    ],
)
def test_papers_asked_for_by_records_alone_are_a_fresh_start(question: str, expected: set[str], history: list[str], engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    assert answer.understood_as == question
    assert {str(title).split()[0] for title in titles(answer)} == expected
    assert expected or str(answer.abstained).startswith("No paper of this library is by")


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("What about Brandt?", "papers by Brandt"),
        ("and Per Lindqvist?", "papers by Per Lindqvist"),
        ("how about Zachary Nemo?", "papers by Zachary Nemo"),
    ],
)
def test_another_name_after_the_papers_of_an_author_is_another_author(question: str, understood: str, engine: Engine) -> None:
    answer = engine.ask(question, history=["papers by Ada Okafor"])
    assert answer.understood_as == understood
    assert titles(answer) == titles(engine.ask(understood))


@pytest.mark.parametrize("history", [["authors?"], ["the year?"], ["and the journal?", "doi?"]])
def test_a_question_for_nothing_but_a_field_of_a_record_is_no_subject_of_the_talk(history: list[str], engine: Engine) -> None:
    assert "Of which paper?" in str(engine.ask(history[0]).abstained)
    assert "I cannot tell what “it” is" in str(engine.ask("is it any good?", history=history).abstained)


def test_a_refused_question_that_names_nothing_new_leaves_the_subject_as_it_was(engine: Engine) -> None:
    history = ["Who wrote the paper on moss?", "what is its doi?"]
    assert engine.ask(history[1], history=history[:1]).abstained
    answer = engine.ask("how many weeks of light does it need?", history=history)
    assert "doi" not in answer.understood_as
    assert titles(answer) == ["Moss under late snow"]


def test_other_papers_than_all_that_were_listed_are_none(engine: Engine) -> None:
    answer = engine.ask("any others?", history=["Which articles are from 2019?"])
    assert answer.understood_as == "Which other articles are from 2019?"
    assert answer.abstained == "No paper of this library but those already shown is as asked."


# ----------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    "question",
    [
        "How many articles are there?",
        "how many abstracts do you have in total",
        "How many studies are here?",
        "the total number of papers",
        "Well, how many papers altogether?",
    ],
)
def test_the_size_of_the_library_is_a_number_and_cites_nothing(question: str, engine: Engine) -> None:
    for history in ([], ["Which papers deal with copper gauges?"], ["papers by Okafor"]):
        answer = engine.ask(question, history=history)
        assert (answer.text, answer.sources, answer.related) == ("There are 4 papers.", (), ())


def test_the_size_of_the_library_is_no_subject_of_the_talk(engine: Engine) -> None:
    history = ["papers by Okafor", "How many articles do you have?"]
    assert engine.ask("and by Brandt?", history=history).understood_as == "papers by Brandt"
    assert len(titles(engine.ask("How many are there?", history=history))) == 2


def test_only_papers_that_pass_are_counted(engine: Engine) -> None:
    assert engine.ask("How many articles are there?", filters=Filters(year_from=2019)).text == "2 of 4 papers are as asked."


KINDS = (
    {"title": "Owls: a systematic review", "abstract": "In this systematic review we searched three databases for owls. Owls hunt at night."},
    {"title": "Moss and light: a systematic review", "abstract": "Our systematic review found moss in two databases. Moss needs light."},
    {"title": "Owls of the valley", "abstract": "Owls hunt in the valley at night. They find mice by sound."},
    {"title": "Dunes", "abstract": "Wind moves dunes. We follow dunes for 9 years with lasers."},
)


def test_a_kind_of_paper_is_counted_by_type_or_else_by_what_papers_say(tmp_path: Path, embedder: RememberingEmbedder) -> None:
    (tmp_path / "plain.json").write_text(json.dumps([*KINDS, *RECORDS[:2]]))
    plain = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=embedder)
    plain.index([tmp_path / "plain.json"])
    for question in ("How many reviews do you have?", "how many systematic reviews are in this library?"):
        assert plain.ask(question).preface.startswith("2 of 6 papers deal with")
    among = plain.ask("how many of them are systematic reviews?", history=["Which papers deal with owls?"])
    assert titles(among) == ["Owls: a systematic review"]

    typed = [{**record, "type": "review" if record["title"] == "Dunes" else "article"} for record in KINDS]
    (tmp_path / "typed.json").write_text(json.dumps(typed))
    marked = Engine(load(data_dir=tmp_path / "marked", answerer="extractive"), embedder=embedder)
    marked.index([tmp_path / "typed.json"])
    assert titles(marked.ask("How many reviews are there?")) == ["Dunes"]


# ------------------------------------------------------------------------------------------------- nothing was said before


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How does it work?", "“it”"),
        ("the third one?", "what that is about"),
        ("Any others?", "what that is about"),
        ("What are its limits?", "“its”"),
    ],
)
def test_a_first_question_that_means_nothing_alone_is_asked_back(question: str, names: str, seed_engine: Engine) -> None:
    answer = seed_engine.ask(question)
    assert answer.is_aside
    assert names in answer.text
    assert (answer.sources, answer.related) == ((), ())


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("doi?", "Of which paper? Nothing was said before: name it, for example “What is the DOI of …?”."),
        ("and the authors?", "Of which paper? Nothing was said before: name it, for example “Who are the authors of …?”."),
        ("which year?", "Of which paper? Nothing was said before: name it, for example “What is the year of …?”."),
        ("what journal?", "Of which paper? Nothing was said before: name it, for example “What is the journal of …?”."),
    ],
)
def test_a_field_of_a_record_alone_is_asked_back_of_which_paper(question: str, asks: str, engine: Engine) -> None:
    answer = engine.ask(question)
    assert (answer.text, answer.is_aside, answer.sources) == (asks, True, ())


def test_the_paper_said_in_return_is_asked_for_the_field(engine: Engine) -> None:
    answer = engine.ask("Copper gauges in narrow bays", history=["doi?"])
    assert answer.understood_as == "What is the DOI of Copper gauges in narrow bays?"
    assert [sentence.text for sentence in answer.sentences] == ["DOI: 10.1234/gauges."]
    assert "What is the DOI of" not in engine.ask("is it any good?", history=["doi?"]).understood_as


def test_a_name_said_in_return_completes_it(seed_engine: Engine) -> None:
    answer = seed_engine.ask("SeedLM", history=["How does it work?"])
    assert answer.understood_as == "How does SeedLM work?"
    assert answer.sources[0].paper.label == "SeedLM"
    # and what cannot be understood is no turn of a conversation
    assert seed_engine.ask("What is DP-CATE?", history=["the second one?"]).understood_as == "What is DP-CATE?"


# ---------------------------------------------------------------------------------------------- what a record says


@pytest.mark.parametrize(
    ("question", "history", "said"),
    [
        ("Who wrote the study of copper gauges in a narrow bay?", [], "Authors: Ada Okafor and Per Lindqvist."),
        ("who authored Moss under late snow?", [], "Authors: Ada Okafor."),
        ("In what year did “Moss under late snow” come out?", [], "Published: Bog Reports 2022."),
        ("Where was the paper on dunes and lasers published?", [], "Published: Sea Letters 2016."),
        ("give me the DOI of Copper gauges in narrow bays", [], "DOI: 10.1234/gauges."),
        ("who wrote it?", ["What does “Moss under late snow” find?"], "Authors: Ada Okafor."),
        ("and in which journal?", ["What does “Moss under late snow” find?", "when was it published?"], "Published: Bog Reports 2022."),
        ("who was this study written by?", ["How long does moss need light?"], "Authors: Ada Okafor."),
        ("and which year?", ["How long does moss need light?", "who was this study written by?"], "Published: Bog Reports 2022."),
        ("where did that paper appear?", ["How long are dunes followed?"], "Published: Sea Letters 2016."),
        ("When was the first one printed?", ["list all papers, newest first"], "Published: Bog Reports 2022."),
        ("Who introduced Copper gauges in narrow bays?", [], "Authors: Ada Okafor and Per Lindqvist."),
        ("what's its DOI?", ["What is the year of Copper gauges in narrow bays?"], "DOI: 10.1234/gauges."),
    ],
)
def test_what_a_record_says_is_told_by_it_and_by_no_abstract(question: str, history: list[str], said: str, engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    (sentence,) = answer.sentences
    assert (sentence.text, sentence.citations, sentence.verdict.status, sentence.verdict.evidence) == (said, (1,), Status.RECORD, ())
    assert [source.n for source in answer.sources] == [1]
    # every view says that it is no quote
    for shown in (
        render.plain(render.answer_lines(answer)),
        markdown.body(answer),
        answer_exports.page([answer]),
        cards.turn_html(cards.Turn(1, question, answer=answer)),
    ):
        assert "told by the record of the paper, not by its abstract" in shown
        assert "⚠" not in shown
    assert render.answer_json(answer)["sentences"][0]["verdict"] == "record"  # type: ignore[index]


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("What is the DOI of “Moss under late snow”?", "The record of “Moss under late snow” gives no DOI."),
        ("When was the paper about owls that hunt at night published?", "The record of “Owls of the valley” gives no year."),
        ("Who wrote Wind over dunes?", "The record of “Wind over dunes” gives no authors."),
    ],
)
def test_what_a_record_does_not_say_is_refused(question: str, refused: str, engine: Engine) -> None:
    answer = engine.ask(question)
    assert answer.abstained == refused
    assert (answer.sentences, answer.sources, len(answer.related)) == ((), (), 1)


@pytest.mark.parametrize(
    "question",
    [
        'who wrote "Kelp maps: a review of drones"?',
        "who authored Kelp maps: a review of drones?",
        "Who are the authors of kelp maps?",
        "Who wrote KELP?",
    ],
)
def test_a_title_with_a_colon_and_its_beginning_name_a_paper(question: str, tmp_path: Path, embedder: RememberingEmbedder) -> None:
    kelp = {"title": "Kelp maps: a review of drones", "abstract": "Drones map kelp from above.", "authors": ["Haddad, Noor"], "year": 2018}
    (tmp_path / "kelp.json").write_text(json.dumps([*RECORDS, kelp]))
    bay = Engine(load(data_dir=tmp_path / "data", answerer="extractive"), embedder=embedder)
    bay.index([tmp_path / "kelp.json"])
    told = [sentence.text for sentence in bay.ask(question).sentences]
    # one word names a paper only where it is all of the name
    assert told == ([] if "KELP" in question else ["Authors: Noor Haddad."])


def test_the_shipped_abstracts_have_no_authors(seed_engine: Engine) -> None:
    answer = seed_engine.ask("Who wrote the NetMoE paper?")
    assert answer.abstained == "The records of this library give no authors."
    assert [source.paper.label for source in answer.related] == ["NetMoE"]


def test_only_what_speaks_of_a_paper_is_looked_up_in_its_record(engine: Engine, project: Path) -> None:
    for question in ("When was the dam printed?", "Who wrote GPT-4?", "When were the dunes published?"):
        assert all(sentence.verdict.status is not Status.RECORD for sentence in engine.ask(question).sentences)
    assert asked_of_record("Who wrote the paper on tides and how many buoys did they use?") is None
    sets = ["seeds", "seeds_more", "iclr_blind", "iclr_dev", "iclr_sentences", "iclr_more", "sets_dev"]
    lines = [line for name in sets for line in (project / "eval" / "datasets" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    answerable = [record["question"] for record in map(json.loads, lines) if record.get("answerable") and not record.get("history")]
    assert len(answerable) > 1_900
    assert [question for question in answerable if asked_of_record(question)] == []


@pytest.mark.parametrize(
    ("question", "history", "found"),
    [
        ("papers by Okafor and Lindqvist", [], {"Copper"}),
        ("Which papers by Ada Okafor and Per Lindqvist deal with tides?", [], {"Copper"}),
        ("Are there papers not by Okafor?", [], {"Owls", "Wind"}),
        ("papers by Okafor, not by Lindqvist", [], {"Moss"}),
        ("but not by Lindqvist", ["papers by Okafor"], {"Moss"}),
        ("papers published in May 2019", [], {"Copper"}),
    ],
)
def test_authors_together_and_left_out(question: str, history: list[str], found: set[str], engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    assert {str(title).split()[0] for title in titles(answer)} == found
    assert ("by their year alone" in answer.notice) == ("May" in question)


def test_either_of_two_authors_is_not_said_to_be_unknown(engine: Engine) -> None:
    answer = engine.ask("papers by Okafor or Brandt")
    assert "can't be chosen at once" in (answer.abstained or "")


# ------------------------------------------------------------------------------------------- what somebody found, and when


CITED = (
    *RECORDS,
    {
        "title": "Eels in winter",
        "abstract": "Eels sleep in winter. We find that eels wake at 8 degrees.",
        "year": 2021,
        "authors": ["Okafor, Ada", "Ruiz, Eva"],
    },
    {"title": "Old scores", "abstract": "We extend the score of Marlowe. The score of Marlowe finds pearls in mud.", "year": 2020},
)


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory, embedder: RememberingEmbedder) -> Engine:
    root = tmp_path_factory.mktemp("cited")
    (root / "library.json").write_text(json.dumps(CITED))
    made = Engine(load(data_dir=root / "data", answerer="extractive"), embedder=embedder)
    assert made.index([root / "library.json"]).papers == len(CITED)
    return made


@pytest.mark.parametrize("history", [[], ["What do copper gauges read?"], ["papers by Brandt"]])
@pytest.mark.parametrize(
    ("question", "title", "says"),
    [
        ("What did Okafor et al. 2021 find?", "Eels in winter", "eels wake at 8 degrees"),
        ("what did Okafor et al. (2022) report", "Moss under late snow", "moss needs 3 weeks of light"),
        ("What did Okafor 2019 find out about gauges?", "Copper gauges in narrow bays", "gauges"),
        ("What did Brandt et al. find?", "Owls of the valley", ""),
    ],
)
def test_what_one_paper_by_author_and_year_found_is_told_of_it_alone(question: str, title: str, says: str, history: list[str], cited: Engine) -> None:
    answer = cited.ask(question, history=history)
    assert titles(answer) == [title]
    assert says in answer.text
    assert answer.understood_as == question


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("papers by Okafor 2021", {"Eels"}),
        ("papers by Okafor et al. (2019)", {"Copper"}),
        ("Which papers by Okafor 2022 deal with moss?", {"Moss"}),
        ("What did Okafor find?", {"Copper", "Moss", "Eels"}),
        ("Who is Ada Okafor?", {"Copper", "Moss", "Eels"}),
        ("How many papers did Okafor write?", {"Copper", "Moss", "Eels"}),
        ("How many papers has Ada Okafor published about eels?", {"Eels"}),
    ],
)
def test_an_author_with_a_year_or_without_narrows_the_papers(question: str, found: set[str], cited: Engine) -> None:
    assert {str(title).split()[0] for title in titles(cited.ask(question))} == found


def test_an_author_of_no_paper_is_said_to_be_none_unless_abstracts_speak_of_them(cited: Engine) -> None:
    assert cited.ask("What did Zork et al. 2020 find?").abstained == "No paper of this library is by Zork, as far as its records say."
    assert "1999" in str(cited.ask("What did Okafor et al. 1999 find?").abstained)
    assert titles(cited.ask("What did Marlowe et al. find?")) in (["Old scores"], [])
    assert "by Marlowe" not in str(cited.ask("What did Marlowe et al. find?").abstained)


@pytest.mark.parametrize(
    ("question", "history", "understood"),
    [
        ("what about brandt", ["papers by Ada Okafor"], "papers by Brandt"),
        ("and per lindqvist?", ["papers by Ada Okafor"], "papers by Per Lindqvist"),
        ("how about lindqvist", ["Which papers deal with moss?"], "Which papers deal with Lindqvist?"),
        ("papers by okafor", [], "papers by Okafor"),
        ("papers by ada okafor since 2020", ["What do copper gauges read?"], "papers by Ada Okafor since 2020"),
        ("who is ida brandt?", [], "who is Ida Brandt?"),
        ("how many papers did okafor write?", [], "how many papers did Okafor write?"),
    ],
)
def test_the_name_of_an_author_in_small_letters_is_one(question: str, history: list[str], understood: str, engine: Engine) -> None:
    answer = engine.ask(question, history=history)
    assert answer.understood_as == understood
    name = next(word for word in ("Brandt", "Lindqvist", "Okafor") if word in understood)
    assert answer.sources
    assert all(any(name in author for author in source.paper.authors) for source in answer.sources)


def test_papers_on_an_author_of_whom_no_abstract_speaks_are_those_by_that_author(engine: Engine) -> None:
    answer = engine.ask("Which papers deal with Lindqvist?")
    assert titles(answer) == ["Copper gauges in narrow bays"]
    assert answer.notice == "No abstract speaks of “Lindqvist”: these are the papers by that author."


@pytest.mark.parametrize("question", ["what about moss", "papers by moss"])
def test_a_word_of_the_abstracts_is_no_author_unless_it_has_a_capital(question: str, larger: Engine) -> None:
    assert "moss" in larger.ask(question, history=["papers by Ada Okafor"]).understood_as
    assert titles(larger.ask("papers by Moss")) == ["Foam on ponds"]


@pytest.mark.parametrize(
    ("question", "history", "said"),
    [
        ("Who wrote the newest paper?", [], "Authors: Ada Okafor."),
        ("the authors of the oldest paper on copper gauges?", ["What is moss?"], "Authors: Ada Okafor and Per Lindqvist."),
        ("What is the DOI of the oldest article by Okafor?", [], "DOI: 10.1234/gauges."),
        ("and who wrote it?", ["Tell me about the newest paper"], "Authors: Ada Okafor."),
    ],
)
def test_the_oldest_or_newest_paper_is_asked_about(question: str, history: list[str], said: str, engine: Engine) -> None:
    assert [sentence.text for sentence in engine.ask(question, history=history).sentences] == [said]


def test_the_newest_paper_is_summed_up_and_several_of_one_year_are_listed(engine: Engine, larger: Engine) -> None:
    assert titles(engine.ask("Summarise the newest paper")) == ["Moss under late snow"]
    assert engine.ask("What is the oldest paper about?").preface == engine.ask("Tell me about “Wind over dunes”").preface
    assert larger.ask("Who wrote the newest paper?").preface.startswith("The 2 newest papers are from 2022")


@pytest.mark.parametrize("question", ["since 2019?", "2019", "papers 2019", "from 2019 to 2022"])
def test_years_alone_ask_for_their_papers(question: str, engine: Engine) -> None:
    found = {str(title).split()[0] for title in titles(engine.ask(question))}
    assert found == ({"Copper", "Moss"} if "since" in question or "to" in question else {"Copper"})


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("what about brandt", "papers by Brandt"),
        ("and Brandt?", "papers by Brandt"),
        ("what about Moss?", None),
        ("and on Brandt?", None),
    ],
)
def test_an_author_asked_about_after_any_question_is_one_whose_papers_are_wanted(question: str, understood: str | None, larger: Engine) -> None:
    answer = larger.ask(question, history=["What do copper gauges read?"])
    assert (answer.understood_as == understood) if understood else not answer.understood_as.startswith("papers by")
    # found again where it was not lived through
    if understood:
        later = larger.ask("and Okafor?", history=["Where do dunes move?", question])
        assert later.understood_as == "papers by Okafor"
