"""Which questions ask for a whole set of papers, and for which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.retrieval.set_questions import SetQuestion, asked_for_set


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Which papers deal with differential privacy?", "differential privacy"),
        ("all papers on mixture of experts", "mixture of experts"),
        ("list the abstracts about molecules", "molecules"),
        ("papers about tides", "tides"),
        ("any work on moss and wolves?", "moss and wolves"),
        ("which methods avoid training?", "avoid training"),
        ("Which approaches work without labels?", "without labels"),
        ("Could you please show me all papers that look at tides in this library?", "tides"),
        ("Are there any papers about tides?", "tides"),
        ("Do any papers use MuJoCo?", "MuJoCo"),
        ("what papers are there on tides", "tides"),
        ("I'm looking for papers about graph condensation", "graph condensation"),
        ("show me diffusion papers", "diffusion"),
        ("Which of the papers are about LoRA?", "LoRA"),
        ("papers where several agents interact", "several agents interact"),
        ("Which papers deal with tides, and what do they find?", "tides"),
        ("in which abstracts does TIDE-7 appear", "TIDE-7"),
        ("which papers are gauges used in?", "gauges"),
        ("low-lying harbours: who studies them?", "low-lying harbours"),
        ("floods of any sort (rivers, surges): which papers?", "floods"),
        ("anything Bayesian in here? please list all of it", "Bayesian"),
        ("I would like to have the list of all papers on tides, for our reading group.", "tides"),
        ("all abstracts that mention moss, even if only in passing", "moss"),
        ("Which papers have their code online?", "code that is available"),
        ("papers that release source code", "code that is available"),
        ("which ones link to a repository?", "code that is available"),
        ("Which of these deal with tides?", "tides"),
        ("who works on sea ice", "sea ice"),
        ("What have you got on tides, be it at sea or in lakes?", "tides"),
        ("what is there about moss?", "moss"),
        ("got anything on wolves", "wolves"),
        ("Which papers investigate or design gauges?", "gauges"),
    ],
)
def test_a_set_is_asked_for(question: str, topic: str) -> None:
    asked = asked_for_set(question)
    assert asked is not None
    assert (asked.topic, asked.counts) == (topic, False)


@pytest.mark.parametrize("question", ["How many papers use reinforcement learning?", "how many of the abstracts are about reinforcement learning"])
def test_how_many_there_are_is_asked(question: str) -> None:
    assert asked_for_set(question) == SetQuestion("reinforcement learning", counts=True)


def test_papers_that_bring_something_are_told_from_those_that_use_it() -> None:
    assert asked_for_set("Which papers introduce a benchmark?") == SetQuestion("benchmark", brings=True)
    assert asked_for_set("Which papers use a benchmark?") == SetQuestion("benchmark")


@pytest.mark.parametrize(
    "question",
    [
        "Which paper introduces LoRA?",
        "What do papers say about tides?",
        "What do the studies on malaria find?",
        "Summarise the papers on differential privacy",
        "Compare the papers on tides",
        "How many papers does the dataset contain?",
        "How many papers were annotated?",
        "How many trials of tides were included?",
        "how many studies on moss did the review pool",
        "How many articles about wolves were screened by the authors?",
        "How many parameters does it have?",
        "Which methods does NetMoE compare with?",
        "What methods are used in GEM?",
        "Which datasets were used?",
        "Is there a paper about bees?",
        "anything else in here?",
        "In the tide paper: which data set?",
        "TIDE-7: who proposed it?",
        "which papers do they compare with?",
        "List the main contributions of NetMoE",
        "Which papers report the highest accuracy?",
        "Which of these is faster?",
        "which ones?",
        "Who uses it?",
        "What is there to say?",
        "who wrote the tide paper",
        "What is a work function?",
        "What are the papers about?",
        "Which papers?",
        "papers",
        "",
    ],
)
def test_no_set_is_asked_for(question: str) -> None:
    assert asked_for_set(question) is None


@pytest.mark.parametrize(
    ("question", "topic", "also"),
    [
        ("Which papers in NeurIPS deal with diffusion?", "diffusion in NeurIPS", ()),
        ("Which papers at NeurIPS 2023 deal with diffusion?", "diffusion at NeurIPS 2023", ()),
        ("Which papers from China deal with restoration?", "restoration from China", ()),
        ("How many papers in humans deal with stroke?", "stroke in humans", ()),
        ("Which papers in children are about asthma?", "asthma in children", ()),
        ("Which papers for children deal with asthma?", "asthma for children", ()),
        ("Which papers in the UK deal with dogs?", "dogs in the UK", ()),
        ("Which studies in the UK that look at dogs are there?", "dogs in the UK", ()),
        ("papers in the UK about dogs", "dogs in the UK", ()),
        ("papers published in PLoS One about restoration", "restoration in PLoS One", ()),
        ("papers by Jones on tides", "tides", ()),
        ("Which papers by Jones and Smith deal with tides?", "tides", ()),
        ("papers by women on tides", "tides by women", ()),
        ("Which papers in China deal with restoration and use drones?", "restoration in China", ("drones",)),
        ("Which papers on dogs deal with epilepsy?", "dogs", ("epilepsy",)),
        ("How many papers about tides use gauges?", "tides", ("gauges",)),
        ("papers on drug use in prisons", "drug use in prisons", ()),
        ("Which papers are about drug use in prisons?", "drug use in prisons", ()),
        ("papers in which agents interact on networks", "agents interact on networks", ()),
        ("papers about models that use tools", "models that use tools", ()),
        ("Which papers are about agents that use tools?", "agents that use tools", ()),
    ],
)
def test_no_verb_is_part_of_a_topic(question: str, topic: str, also: tuple[str, ...]) -> None:
    asked = asked_for_set(question)
    assert asked is not None
    assert (asked.topic, asked.also, asked.without) == (topic, also, "")


@pytest.mark.parametrize(
    ("question", "topic", "without"),
    [
        ("Which papers do not use transformers?", "not use transformers", "transformers"),
        ("Which papers don't use transformers?", "don't use transformers", "transformers"),
        ("papers that do not use transformers", "not use transformers", "transformers"),
        ("Which papers use ImageNet but not CIFAR?", "ImageNet", "CIFAR"),
        ("Which papers use ImageNet and do not use CIFAR?", "ImageNet", "CIFAR"),
        ("papers on vision that don't use ImageNet", "vision", "ImageNet"),
        ("Which papers deal with tides except those on gauges?", "tides", "gauges"),
        ("Which papers excluding ICLR deal with diffusion?", "diffusion", "ICLR"),
        ("Which papers not in Veterinary Record deal with epilepsy?", "epilepsy", "in Veterinary Record"),
        ("papers on epilepsy not in Veterinary Record", "epilepsy", "in Veterinary Record"),
        ("papers on epilepsy but not by Volk", "epilepsy", "by Volk"),
        ("papers on epilepsy, not since 2020", "epilepsy", "since 2020"),
        ("papers on epilepsy, excluding papers by Volk", "epilepsy", "by Volk"),
        ("Which papers on stroke are not about mice?", "stroke", "mice"),
        ("Which papers, excluding those by Wang, deal with tides?", "tides", "by Wang"),
        ("Which papers that are not by Wang deal with tides?", "tides", "by Wang"),
        ("Which papers that do not come from China deal with tides?", "tides", "from China"),
        ("Which papers that aren't from China deal with tides?", "tides", "from China"),
        ("Which papers by Wang but not Guo deal with tides?", "tides", ""),
        ("papers on tides but excluding China", "tides", "China"),
        ("Which papers study dogs and not cats?", "dogs", "cats"),
        ("papers not about stroke", "not about stroke", "stroke"),
        ("papers about people who do not use phones", "people who do not use phones", ""),
        ("papers on dogs with and without epilepsy", "dogs with and without epilepsy", ""),
        ("papers that look at many languages, not only English", "many languages, not only English", ""),
        ("papers on objects not in the picture", "objects not in the picture", ""),
        ("Which approaches work without labels?", "without labels", ""),
    ],
)
def test_what_papers_must_not_have(question: str, topic: str, without: str) -> None:
    asked = asked_for_set(question)
    assert asked is not None
    assert (asked.topic, asked.without) == (topic, without)


@pytest.mark.parametrize(
    "question",
    [
        "List everything about federated learning",
        "everything on federated learning",
        "Show me everything you have on federated learning",
        "Is there anything about federated learning?",
        "do you have anything on federated learning",
    ],
)
def test_everything_is_every_paper(question: str) -> None:
    assert asked_for_set(question) == SetQuestion("federated learning")


@pytest.mark.parametrize(
    "question",
    [
        "How many papers are there?",
        "How many papers are there in total?",
        "How many papers are in this library?",
        "How many papers do you have?",
        "How many papers are there altogether in the library?",
        "Tell me everything about federated learning",
        "Does everything about it hold?",
    ],
)
def test_of_no_topic_no_set_is_asked_for(question: str) -> None:
    assert asked_for_set(question) is None


@given(st.text(max_size=80))
def test_any_text_is_a_question(text: str) -> None:
    asked = asked_for_set(text)
    assert asked is None or asked.topic


@given(st.lists(st.sampled_from("which how many papers all on that use are there methods avoid or tides".split()), max_size=9))
def test_a_topic_is_taken_from_the_question(words: list[str]) -> None:
    asked = asked_for_set(" ".join(words))
    assert asked is None or asked.topic in " ".join(words)


@pytest.mark.parametrize(
    ("question", "topic", "also"),
    [
        ("Which papers deal with tides and use gauges?", "tides", ("gauges",)),
        ("How many papers deal with tides and use gauges and are about rivers?", "tides", ("gauges", "rivers")),
        ("Which papers deal with tides and gauges?", "tides and gauges", ()),
    ],
)
def test_several_things_that_papers_do_are_several_topics(question: str, topic: str, also: tuple[str, ...]) -> None:
    asked = asked_for_set(question)
    assert asked is not None
    assert (asked.topic, asked.also) == (topic, also)
